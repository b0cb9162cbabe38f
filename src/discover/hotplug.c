/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/hotplug.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libudev.h>

#include "base/text.h"
#include "base/units.h"
#include "discover/attr.h"
#include "discover/cache.h"
#include "discover/device.h"

struct hotplug {
	const struct scan_options *options;
	struct udev_monitor *monitor;
	bool udevd;
};

int hotplug_new(struct udev *udev, const struct scan_options *options, struct hotplug **ret)
{
	struct hotplug *hotplug = calloc(1, sizeof(*hotplug));
	int r = 0;

	if (!hotplug)
		return -ENOMEM;
	hotplug->options = options;
	hotplug->udevd = access("/run/udev/control", F_OK) == 0;
	/* Without udevd, there are no events with udev's properties. */
	hotplug->monitor = udev_monitor_new_from_netlink(udev, hotplug->udevd ? "udev" : "kernel");
	if (!hotplug->monitor)
		r = errno ? -errno : -ENOMEM;
	if (r == 0)
		r = udev_monitor_filter_add_match_subsystem_devtype(hotplug->monitor, "block",
								    NULL);
	if (r >= 0)
		r = udev_monitor_filter_add_match_subsystem_devtype(hotplug->monitor,
								    "scsi_generic", NULL);
	/* When a shelf of disks is switched on, many events come at once; only root may have a
	 * larger buffer. */
	if (r >= 0)
		udev_monitor_set_receive_buffer_size(hotplug->monitor, 8 << 20);
	if (r >= 0)
		r = udev_monitor_enable_receiving(hotplug->monitor);
	if (r < 0) {
		hotplug_destroy(hotplug);
		return r;
	}
	*ret = hotplug;
	return 0;
}

void hotplug_destroy(struct hotplug *hotplug)
{
	if (!hotplug)
		return;
	udev_monitor_unref(hotplug->monitor);
	free(hotplug);
}

int hotplug_fd(const struct hotplug *hotplug)
{
	return udev_monitor_get_fd(hotplug->monitor);
}

bool hotplug_hears_writes(const struct hotplug *hotplug)
{
	return hotplug->udevd;
}

/* "add sde SanDisk Ultra 31.0G"; nothing for devices that the list does not show. Of a device that
 * was removed, only the name is known. */
static void describe(const struct hotplug *hotplug, struct udev_device *device, const char *action,
		     char *text, unsigned size)
{
	struct identity identity;
	char length[UNITS_TEXT_MAX] = "";
	char line[320], hardware[ATTR_PATH_MAX];

	if (!device_is_listed(device, hotplug->options))
		return;
	attr_hardware(device, hardware);
	identity_from_udev(device, hardware, &identity);
	if (identity.size > 0)
		units_print_short(identity.size, UNITS_SI, 0, length);
	snprintf(line, sizeof(line), "%.20s %.64s%s%s%s%s", action, udev_device_get_sysname(device),
		 identity.model[0] ? " " : "", identity.model, length[0] ? " " : "", length);
	text_sanitise(text, size, line, strlen(line));
}

/* "change" comes when somebody who had the disk open for writing closes it, when its table changes,
 * and with another medium. A new disk has another diskseq, where the kernel counts; else each event
 * counts. */
static void forget(const struct hotplug *hotplug, struct udev_device *device, const char *action,
		   const char *type)
{
	bool partition = strcmp(type, "partition") == 0;
	struct udev_device *disk =
		partition ? udev_device_get_parent_with_subsystem_devtype(device, "block", "disk")
			  : device;

	if (disk && (strcmp(action, "change") == 0 ||
		     (!partition && !udev_device_get_sysattr_value(disk, "diskseq"))))
		cache_forget(hotplug->options->cache, udev_device_get_devnum(disk));
}

bool hotplug_next(struct hotplug *hotplug, char *text, unsigned size, bool *rescan)
{
	const char *action, *subsystem, *type;
	struct udev_device *device;

	if (size > 0)
		text[0] = '\0';
	errno = 0;
	device = udev_monitor_receive_device(hotplug->monitor);
	if (!device) {
		if (errno != ENOBUFS)
			return false;
		/* Events were lost, so the list may be wrong. */
		cache_forget(hotplug->options->cache, 0);
		*rescan = true;
		return true;
	}
	action = udev_device_get_action(device);
	subsystem = udev_device_get_subsystem(device);
	type = udev_device_get_devtype(device);
	/* Whatever changed, a partition or a holder may have come or gone with it. */
	*rescan = true;
	if (action && subsystem && type && strcmp(subsystem, "block") == 0) {
		forget(hotplug, device, action, type);
		if (size > 0 && strcmp(type, "disk") == 0)
			describe(hotplug, device, action, text, size);
	}
	udev_device_unref(device);
	return true;
}
