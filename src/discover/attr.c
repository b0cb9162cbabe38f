/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One device's sysfs attributes and udev properties, as clean text and numbers. */
#include "discover/attr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

static const char *value_of(struct udev_device *device, const char *name, bool property)
{
	if (!device)
		return NULL;
	return property ? udev_device_get_property_value(device, name)
			: udev_device_get_sysattr_value(device, name);
}

static bool take_text(const char *value, char *to, size_t size)
{
	to[0] = '\0';
	if (!value)
		return false;
	text_sanitise(to, size, value, strlen(value));
	return to[0] != '\0';
}

static bool take_u64(const char *value, uint64_t *ret)
{
	char *end;

	if (!value || value[0] < '0' || value[0] > '9')
		return false;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);

	if (errno || (*end != '\0' && *end != '\n'))
		return false;
	*ret = number;
	return true;
}

bool attr_text(struct udev_device *device, const char *name, char *to, size_t size)
{
	return take_text(value_of(device, name, false), to, size);
}

bool attr_u64(struct udev_device *device, const char *name, uint64_t *ret)
{
	return take_u64(value_of(device, name, false), ret);
}

enum tristate attr_bool(struct udev_device *device, const char *name)
{
	uint64_t value;

	if (!attr_u64(device, name, &value))
		return UNKNOWN;
	return value ? YES : NO;
}

bool prop_text(struct udev_device *device, const char *name, char *to, size_t size)
{
	return take_text(value_of(device, name, true), to, size);
}

bool prop_u64(struct udev_device *device, const char *name, uint64_t *ret)
{
	return take_u64(value_of(device, name, true), ret);
}

bool prop_encoded(struct udev_device *device, const char *name, char *to, size_t size)
{
	const char *value = value_of(device, name, true);

	to[0] = '\0';
	if (!value)
		return false;
	attr_decode(to, size, value);
	return to[0] != '\0';
}

bool prop_is(struct udev_device *device, const char *name, const char *value)
{
	const char *found = value_of(device, name, true);

	return found && strcmp(found, value) == 0;
}

char *attr_decode(char *to, size_t size, const char *encoded)
{
	char plain[512];
	size_t used = 0;

	for (const char *p = encoded; *p && used < sizeof(plain); p++) {
		int high, low;

		if (p[0] == '\\' && p[1] == 'x' && (high = text_hex_digit(p[2])) >= 0 &&
		    (low = text_hex_digit(p[3])) >= 0) {
			plain[used++] = (char)(high << 4 | low);
			p += 3;
		} else {
			plain[used++] = *p;
		}
	}
	return text_sanitise(to, size, plain, used);
}

void attr_cut_deleted(char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path), tail = strlen(mark);

	if (length > tail && strcmp(path + length - tail, mark) == 0)
		path[length - tail] = '\0';
}

struct udev_device *attr_hardware(struct udev_device *device)
{
	struct udev_device *parent =
		udev_device_get_parent_with_subsystem_devtype(device, "scsi", "scsi_device");

	if (!parent)
		parent = udev_device_get_parent_with_subsystem_devtype(device, "nvme", NULL);
	/* Of a disk with several controllers (multipath) that is what they are parts of. */
	if (!parent)
		parent = udev_device_get_parent_with_subsystem_devtype(device, "nvme-subsystem",
								       NULL);
	if (!parent)
		parent = udev_device_get_parent_with_subsystem_devtype(device, "mmc", NULL);
	if (!parent)
		parent = udev_device_get_parent_with_subsystem_devtype(device, "virtio", NULL);
	return parent ? parent : device;
}

size_t attr_file(struct udev_device *device, const char *name, void *to, size_t size)
{
	char path[512];
	CLEANUP(close) int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", udev_device_get_syspath(device), name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;

	ssize_t length = read(fd, to, size);

	return length > 0 ? (size_t)length : 0;
}
