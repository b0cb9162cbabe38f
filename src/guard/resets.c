/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "guard/resets.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libudev.h>

#include "guard/claim_private.h"

/* The kernel sends the event beside the command, in a thread of its own. */
#define EVENT_WAIT_MS 10

struct resets {
	struct udev_monitor *monitor;
	char *disks[GUARD_BELOW_MAX]; /* folders of the SCSI devices in sysfs */
	size_t disk_count;
	unsigned count;
};

static int listen_to_kernel(struct resets *resets)
{
	struct udev *udev = udev_new();

	if (!udev)
		return -1;
	resets->monitor = udev_monitor_new_from_netlink(udev, "kernel");
	udev_unref(udev);
	if (!resets->monitor || udev_monitor_filter_add_match_subsystem_devtype(
					resets->monitor, "scsi", "scsi_device") < 0)
		return -1;
	return udev_monitor_enable_receiving(resets->monitor);
}

static bool is_known(const struct resets *resets, const char *device)
{
	for (size_t i = 0; i < resets->disk_count; i++)
		if (strcmp(resets->disks[i], device) == 0)
			return true;
	return false;
}

static void add_disk(struct resets *resets, const char *node)
{
	char device[PATH_MAX];
	struct stat st;

	if (stat(node, &st) < 0 || claim_scsi_device("block", st.st_rdev, device) < 0 ||
	    is_known(resets, device))
		return;
	resets->disks[resets->disk_count] = strdup(device);
	resets->disk_count += resets->disks[resets->disk_count] != NULL;
}

struct resets *resets_new(const struct guard_place *place)
{
	struct resets *resets = calloc(1, sizeof(*resets));

	for (size_t i = 0; resets && i < place->below_count; i++)
		add_disk(resets, place->below[i].disk);
	if (resets && resets->disk_count > 0 && listen_to_kernel(resets) >= 0)
		return resets;
	resets_destroy(resets);
	return NULL;
}

void resets_destroy(struct resets *resets)
{
	if (!resets)
		return;
	udev_monitor_unref(resets->monitor);
	for (size_t i = 0; i < resets->disk_count; i++)
		free(resets->disks[i]);
	free(resets);
}

static bool is_reset(const struct resets *resets, struct udev_device *device)
{
	const char *path = udev_device_get_syspath(device);
	const char *event = udev_device_get_property_value(device, "SDEV_UA");

	return path && is_known(resets, path) && event &&
	       strcmp(event, "POWER_ON_RESET_OCCURRED") == 0;
}

unsigned resets_count(struct resets *resets, bool wait)
{
	struct udev_device *device;
	struct pollfd fd;

	if (!resets)
		return 0;
	fd = (struct pollfd){ .fd = udev_monitor_get_fd(resets->monitor), .events = POLLIN };
	poll(&fd, 1, wait ? EVENT_WAIT_MS : 0);
	while ((device = udev_monitor_receive_device(resets->monitor))) {
		resets->count += is_reset(resets, device);
		udev_device_unref(device);
	}
	return resets->count;
}
