/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/attr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"

/* The longest attribute of the kernel. */
#define VALUE_MAX 4096

static const char *property_of(struct udev_device *device, const char *name)
{
	return device ? udev_device_get_property_value(device, name) : NULL;
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

size_t attr_file(const char *folder, const char *name, void *to, size_t size)
{
	char path[PATH_MAX];
	CLEANUP(close) int fd = -1;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;

	ssize_t length = read(fd, to, size);

	return length > 0 ? (size_t)length : 0;
}

bool attr_line(const char *folder, const char *name, char *to, size_t size)
{
	to[attr_file(folder, name, to, size - 1)] = '\0';
	to[strcspn(to, "\n")] = '\0';
	return to[0] != '\0';
}

bool attr_link(const char *folder, const char *name, char *to, size_t size)
{
	char link[ATTR_PATH_MAX + 32], target[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "%s/%s", folder, name);
	length = readlink(link, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	text_copy(to, size, text_base_name(target));
	return to[0] != '\0';
}

bool attr_devno(const char *folder, dev_t *ret)
{
	char line[32];
	unsigned major, minor;

	if (!attr_line(folder, "dev", line, sizeof(line)) ||
	    sscanf(line, "%u:%u", &major, &minor) != 2)
		return false;
	*ret = makedev(major, minor);
	return true;
}

bool attr_text(const char *folder, const char *name, char *to, size_t size)
{
	char value[VALUE_MAX];

	text_sanitise(to, size, value, attr_file(folder, name, value, sizeof(value)));
	return to[0] != '\0';
}

bool attr_u64(const char *folder, const char *name, uint64_t *ret)
{
	char value[VALUE_MAX];

	value[attr_file(folder, name, value, sizeof(value) - 1)] = '\0';
	return take_u64(value, ret);
}

enum tristate attr_bool(const char *folder, const char *name)
{
	uint64_t value;

	if (!attr_u64(folder, name, &value))
		return UNKNOWN;
	return value ? YES : NO;
}

bool prop_text(struct udev_device *device, const char *name, char *to, size_t size)
{
	const char *value = property_of(device, name);

	text_sanitise(to, size, value ? value : "", SIZE_MAX);
	return to[0] != '\0';
}

bool prop_u64(struct udev_device *device, const char *name, uint64_t *ret)
{
	return take_u64(property_of(device, name), ret);
}

bool prop_encoded(struct udev_device *device, const char *name, char *to, size_t size)
{
	const char *value = property_of(device, name);

	to[0] = '\0';
	if (!value)
		return false;
	attr_decode(to, size, value);
	return to[0] != '\0';
}

bool prop_is(struct udev_device *device, const char *name, const char *value)
{
	const char *found = property_of(device, name);

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

/* In order of preference: a multipath disk has several controllers, and the subsystem above them is
 * its hardware. */
enum hardware { HARDWARE_SCSI, HARDWARE_NVME, HARDWARE_SUBSYSTEM, HARDWARE_MMC, HARDWARE_VIRTIO };

static const char *const subsystems[] = {
	[HARDWARE_SCSI] = "scsi",
	[HARDWARE_NVME] = "nvme",
	[HARDWARE_SUBSYSTEM] = "nvme-subsystem",
	[HARDWARE_MMC] = "mmc",
	[HARDWARE_VIRTIO] = "virtio",
};

#define KINDS ARRAY_SIZE(subsystems)

bool attr_is_hctl(const char *name)
{
	unsigned long long number;
	char rest;

	return sscanf(name, "%llu:%llu:%llu:%llu%c", &number, &number, &number, &number, &rest) ==
	       4;
}

/* KINDS: none of these. */
static size_t hardware_at(const char *folder)
{
	char name[64];
	size_t kind = 0;

	if (!attr_link(folder, "subsystem", name, sizeof(name)))
		return KINDS;
	while (kind < KINDS && strcmp(name, subsystems[kind]) != 0)
		kind++;
	/* Its host and its target are of that subsystem, too. */
	if (kind == HARDWARE_SCSI && !attr_is_hctl(strrchr(folder, '/') + 1))
		return KINDS;
	return kind;
}

bool attr_hardware(struct udev_device *device, char ret[static ATTR_PATH_MAX])
{
	char path[ATTR_PATH_MAX], *slash;
	size_t best = KINDS, kind;

	text_copy(path, sizeof(path), udev_device_get_syspath(device));
	text_copy(ret, ATTR_PATH_MAX, path);
	while (best != HARDWARE_SCSI && (slash = strrchr(path, '/')) &&
	       slash - path > (ptrdiff_t)strlen("/sys/devices")) {
		*slash = '\0';
		kind = hardware_at(path);
		if (kind >= best)
			continue;
		best = kind;
		text_copy(ret, ATTR_PATH_MAX, path);
	}
	return best == HARDWARE_SCSI;
}

/* ---- links ---- */

static void cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

int sysfs_follow(const char *link, char ret[static PATH_MAX])
{
	static const char up[] = "../";
	char folder[PATH_MAX], target[PATH_MAX];
	const char *rest = target;
	ssize_t length = readlink(link, target, sizeof(target) - 1);

	if (length < 0)
		return -errno;
	target[length] = '\0';
	if ((size_t)snprintf(folder, sizeof(folder), "%s", link) >= sizeof(folder))
		return -ENAMETOOLONG;
	cut_last(folder);
	for (; strncmp(rest, up, strlen(up)) == 0; rest += strlen(up))
		cut_last(folder);
	return snprintf(ret, PATH_MAX, "%s/%s", folder, rest) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

const char *sysfs_folder(const char *class, dev_t devno, char buffer[static 64])
{
	snprintf(buffer, 64, "/sys/dev/%s/%u:%u", class, major(devno), minor(devno));
	return buffer;
}

int sysfs_by_number(const char *class, dev_t devno, char ret[static PATH_MAX])
{
	return sysfs_follow(SYSFS_FOLDER(class, devno), ret);
}
