/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Identity. udev's database knows most where it was filled; sysfs is asked for
 * the rest, so that a rescue system without udevd names its disks too.
 */
#include "discover/identity.h"

#include <errno.h>
#include <string.h>

#include <libudev.h>

#include "base/text.h"
#include "discover/attr.h"

/* Some bridges fill the field with zeroes or blanks. */
static bool says_nothing(const char *serial)
{
	return strspn(serial, "0 ?.-") == strlen(serial);
}

/* VPD page 80h (SPC-4, 7.8.15): two bytes, the length, the serial number. libudev ends a value
 * at its first NUL, and the page begins with one: so it is read as a file. */
static bool read_vpd_serial(const char *hardware, char *to, size_t size)
{
	unsigned char page[4 + 252];
	size_t length = attr_file(hardware, "vpd_pg80", page, sizeof(page));

	to[0] = '\0';
	if (length <= 4 || page[1] != 0x80)
		return false;

	size_t said = (size_t)page[2] << 8 | page[3];

	length -= 4;
	text_sanitise(to, size, (const char *)page + 4, said < length ? said : length);
	return to[0] != '\0';
}

/* libudev makes an object of everything on the way up: not for what hangs on another bus. */
static bool read_usb_serial(struct udev_device *disk, char *to, size_t size)
{
	struct udev_device *usb = NULL;

	if (strstr(udev_device_get_syspath(disk), "/usb"))
		usb = udev_device_get_parent_with_subsystem_devtype(disk, "usb", "usb_device");
	return usb && attr_text(udev_device_get_syspath(usb), "serial", to, size);
}

static void read_serial(struct udev_device *disk, const char *hardware, struct identity *ret)
{
	const char *folder = udev_device_get_syspath(disk);
	char *to = ret->serial;
	size_t size = sizeof(ret->serial);

	/* Prefer what is printed on the label: ID_SERIAL_SHORT of a SAS disk is its WWN. For USB
	 * disks, udev prefers the serial number of the USB device, and so do we. */
	if (!(prop_text(disk, "ID_SCSI_SERIAL", to, size) ||
	      prop_text(disk, "ID_SERIAL_SHORT", to, size) || read_usb_serial(disk, to, size) ||
	      attr_text(folder, "serial", to, size) || attr_text(hardware, "serial", to, size) ||
	      read_vpd_serial(hardware, to, size)))
		return;
	if (says_nothing(to))
		to[0] = '\0';
}

/* "naa.5000c500a1b2c3d4" as sysfs has it becomes "0x5000c500a1b2c3d4" as labels have it. */
static void tidy_wwn(char *wwn, size_t size)
{
	if (strncmp(wwn, "naa.", 4) == 0) {
		wwn[0] = '0';
		wwn[1] = 'x';
		memmove(wwn + 2, wwn + 4, strlen(wwn + 4) + 1);
	} else if (strncmp(wwn, "t10.", 4) == 0 || strncmp(wwn, "nvme.", 5) == 0) {
		/* Made up from vendor, model and serial: no world wide name. */
		wwn[0] = '\0';
	}
}

static void read_wwn(struct udev_device *disk, const char *hardware, struct identity *ret)
{
	char *to = ret->wwn;
	size_t size = sizeof(ret->wwn);

	if (prop_text(disk, "ID_WWN_WITH_EXTENSION", to, size) ||
	    prop_text(disk, "ID_WWN", to, size) ||
	    attr_text(udev_device_get_syspath(disk), "wwid", to, size) ||
	    attr_text(hardware, "wwid", to, size))
		tidy_wwn(to, size);
}

/* An ATA disk behind a SCSI translation has the vendor "ATA" and a model cut at 16 characters. */
static void read_scsi_model(struct udev_device *disk, const char *hardware, struct identity *ret)
{
	char vendor[32], model[96];
	bool ata = prop_is(disk, "ID_BUS", "ata");

	if (ata && prop_encoded(disk, "ID_MODEL_ENC", ret->model, sizeof(ret->model)))
		return;
	attr_text(hardware, "vendor", vendor, sizeof(vendor));
	if (!attr_text(hardware, "model", model, sizeof(model)))
		prop_encoded(disk, "ID_MODEL_ENC", model, sizeof(model));
	if (vendor[0] && strcmp(vendor, "ATA") != 0) {
		text_copy(ret->model, sizeof(ret->model), vendor);
		if (model[0]) {
			size_t used = strlen(ret->model);

			ret->model[used++] = ' ';
			text_copy(ret->model + used, sizeof(ret->model) - used, model);
		}
	} else {
		text_copy(ret->model, sizeof(ret->model), model);
	}
}

/* What serves as a model without hardware: what the device is made of. */
static void read_virtual_model(const char *folder, enum disk_kind kind, struct identity *ret)
{
	char path[256];

	if (kind == DISK_LOOP && attr_text(folder, "loop/backing_file", path, sizeof(path))) {
		const char *slash = strrchr(path, '/');

		/* Deleting the file does not make it another disk. */
		attr_cut_deleted(path);
		text_copy(ret->model, sizeof(ret->model), slash ? slash + 1 : path);
	} else if (kind == DISK_DM) {
		attr_text(folder, "dm/name", ret->model, sizeof(ret->model));
	} else if (kind == DISK_MD) {
		attr_text(folder, "md/level", ret->model, sizeof(ret->model));
	}
}

static void read_model(struct udev_device *disk, const char *hardware, enum disk_kind kind,
		       struct identity *ret)
{
	switch (kind) {
	case DISK_SCSI:
		read_scsi_model(disk, hardware, ret);
		break;
	case DISK_LOOP:
	case DISK_DM:
	case DISK_MD:
	case DISK_RAM:
		read_virtual_model(udev_device_get_syspath(disk), kind, ret);
		break;
	case DISK_MMC:
		attr_text(hardware, "name", ret->model, sizeof(ret->model));
		break;
	case DISK_NVME:
	case DISK_VIRTIO:
	case DISK_OTHER:
		if (!attr_text(hardware, "model", ret->model, sizeof(ret->model)))
			prop_encoded(disk, "ID_MODEL_ENC", ret->model, sizeof(ret->model));
		break;
	}
}

static void read_firmware(struct udev_device *disk, const char *hardware, struct identity *ret)
{
	char *to = ret->firmware;
	size_t size = sizeof(ret->firmware);

	/* INQUIRY has four characters for it, IDENTIFY eight. */
	if (prop_is(disk, "ID_BUS", "ata") && prop_text(disk, "ID_REVISION", to, size))
		return;
	if (!attr_text(hardware, "firmware_rev", to, size) && !attr_text(hardware, "rev", to, size))
		attr_text(hardware, "fwrev", to, size);
}

void identity_from_udev(struct udev_device *device, const char *hardware, struct identity *ret)
{
	enum disk_kind kind = disk_kind_of(udev_device_get_sysname(device));
	const char *folder = udev_device_get_syspath(device);
	uint64_t value;

	*ret = (struct identity){ .devno = udev_device_get_devnum(device) };
	read_model(device, hardware, kind, ret);
	read_firmware(device, hardware, ret);
	if (kind != DISK_LOOP && kind != DISK_RAM && kind != DISK_DM && kind != DISK_MD) {
		read_serial(device, hardware, ret);
		read_wwn(device, hardware, ret);
	}
	if (attr_u64(folder, "nsid", &value) && value <= UINT32_MAX)
		ret->nsid = (uint32_t)value;
	/* The kernel counts in 512 bytes here, whatever the disk does. */
	if (attr_u64(folder, "size", &value) && value <= UINT64_MAX / 512)
		ret->size = value * 512;
	if (attr_u64(folder, "queue/logical_block_size", &value) && value <= UINT32_MAX)
		ret->logical_sector_size = (uint32_t)value;
	if (attr_u64(folder, "diskseq", &value) || prop_u64(device, "DISKSEQ", &value))
		ret->diskseq = value;
}

int identity_read(dev_t devno, bool sg_only, struct identity *ret)
{
	struct udev *udev = udev_new();
	struct udev_device *device = NULL;
	char path[PATH_MAX], hardware[ATTR_PATH_MAX];
	int r = -ENODEV;

	if (!udev)
		return -ENOMEM;
	if (sysfs_by_number(sg_only ? "char" : "block", devno, path) == 0)
		device = udev_device_new_from_syspath(udev, path);
	if (device) {
		attr_hardware(device, hardware);
		identity_from_udev(device, hardware, ret);
		r = 0;
	}
	udev_device_unref(device);
	udev_unref(udev);
	return r;
}
