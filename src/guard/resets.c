/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "guard/resets.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <libudev.h>

#include "base/cleanup.h"
#include "base/text.h"

/* The kernel sends the event beside the command, in a thread of its own. */
#define EVENT_WAIT_MS 10

struct resets {
	struct udev_monitor *monitor;
	char path[PATH_MAX]; /* of the SCSI device in sysfs */
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

struct resets *resets_new(const char *device)
{
	struct resets *resets = calloc(1, sizeof(*resets));

	if (!resets)
		return NULL;
	text_copy(resets->path, sizeof(resets->path), device);
	if (listen_to_kernel(resets) < 0)
		resets_destroy(cleanup_steal(resets));
	return resets;
}

void resets_destroy(struct resets *resets)
{
	if (!resets)
		return;
	udev_monitor_unref(resets->monitor);
	free(resets);
}

static bool is_reset(const struct resets *resets, struct udev_device *device)
{
	const char *path = udev_device_get_syspath(device);
	const char *event = udev_device_get_property_value(device, "SDEV_UA");

	return path && strcmp(path, resets->path) == 0 && event &&
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
