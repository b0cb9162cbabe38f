/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/device.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <libudev.h>

#include "base/array.h"
#include "base/text.h"
#include "discover/attr.h"
#include "discover/disk.h"

/* No driver takes more in one command. */
#define MAX_COMMAND (1U << 30)
/* Peripheral device type (SPC-5, 6.7.2). */
#define SCSI_TYPE_HOST_MANAGED 20

/* Optical drives and floppies cannot be cloned; the hidden ones are the paths below an NVMe
 * multipath disk. */
static bool never_listed(struct udev_device *device, const char *name)
{
	return text_after(name, "sr") || text_after(name, "fd") ||
	       attr_bool(udev_device_get_syspath(device), "hidden") == YES;
}

static bool is_technicians_disk(const char *name, enum disk_kind kind)
{
	switch (kind) {
	case DISK_SCSI:
	case DISK_NVME:
	case DISK_VIRTIO:
		return true;
	case DISK_MMC:
		/* The hardware partitions of an eMMC hold firmware, not a system. */
		return !strstr(name, "boot") && !strstr(name, "rpmb") && !strstr(name, "gp");
	case DISK_OTHER:
		return text_after(name, "xvd") || text_after(name, "dasd");
	case DISK_LOOP:
	case DISK_RAM:
	case DISK_DM:
	case DISK_MD:
		break;
	}
	return false;
}

static bool is_practice_disk(struct udev_device *device, const char *directory)
{
	const char *file = udev_device_get_sysattr_value(device, "loop/backing_file");
	size_t length = strlen(directory);

	return file && strncmp(file, directory, length) == 0 &&
	       (file[length] == '/' || strcmp(directory, "/") == 0);
}

bool device_is_listed(struct udev_device *device, const struct scan_options *options)
{
	const char *name = udev_device_get_sysname(device);
	const char *type = udev_device_get_devtype(device);
	enum disk_kind kind = disk_kind_of(name);
	uint64_t size = 0;

	/* a disk that is unplugged at this moment has no node any more */
	if (!type || strcmp(type, "disk") != 0 || !udev_device_get_devnode(device) ||
	    never_listed(device, name))
		return false;
	if (options->practice_dir)
		return kind == DISK_LOOP && is_practice_disk(device, options->practice_dir);
	if (is_technicians_disk(name, kind))
		return true;
	/* Many of the others are empty: free loop devices and the like. */
	return options->all && attr_u64(udev_device_get_syspath(device), "size", &size) && size > 0;
}

/* How the disk is attached: its place in sysfs says more than its protocol. */
static void read_transport(struct udev_device *device, struct disk *disk)
{
	static const struct {
		const char *part, *transport;
	} buses[] = {
		{ "/usb", "usb" },
		{ "/end_device-", "sas" },
		{ "/ata", "sata" },
		{ "/rport-", "fc" },
		{ "/session", "iscsi" },
		{ "/nvme", "nvme" },
		{ "/mmc_host/", "mmc" },
		{ "/virtio", "virtio" },
		{ "/virtual/block/loop", "loop" },
	};
	const char *path = udev_device_get_syspath(device);
	const char *transport = "";

	if (disk->kind == DISK_NVME)
		transport = "nvme";
	for (size_t i = 0; !transport[0] && i < ARRAY_SIZE(buses); i++)
		if (strstr(path, buses[i].part))
			transport = buses[i].transport;
	if (!transport[0] && prop_is(device, "ID_BUS", "ata"))
		transport = "sata";
	if (!transport[0] && disk->kind == DISK_SCSI)
		transport = "scsi";
	if (strcmp(transport, "sata") == 0 && prop_is(device, "ID_ATA_SATA", "0"))
		transport = "pata";
	text_copy(disk->transport, sizeof(disk->transport), transport);
}

/*
 * The driver of the hardware, not of the disk: every SCSI disk has "sd". Read
 * from the links on the way up; libudev would make an object of every bridge
 * and expander in between.
 */
static void read_driver(struct udev_device *device, struct disk *disk)
{
	char path[512], *slash;

	text_copy(path, sizeof(path), udev_device_get_syspath(device));
	while ((slash = strrchr(path, '/')) && strlen(path) > strlen("/sys/devices")) {
		char driver[64];

		*slash = '\0';
		if (!attr_link(path, "driver", driver, sizeof(driver)) || strcmp(driver, "sd") == 0)
			continue;
		text_sanitise(disk->driver, sizeof(disk->driver), driver, strlen(driver));
		return;
	}
}

/* Links that carry only a number come after those with model and serial. */
static bool is_better_link(const char *a, const char *b)
{
	static const char *const numbers[] = { "wwn-", "nvme-eui.", "nvme-nvme.", "scsi-3" };
	bool a_names = true, b_names = true;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		a_names = a_names && !text_after(a, numbers[i]);
		b_names = b_names && !text_after(b, numbers[i]);
	}
	return a_names == b_names ? strcmp(a, b) < 0 : a_names;
}

/* udev gives the links in an order that changes from one look to the next. */
static void read_by_id(struct udev_device *device, struct disk *disk)
{
	static const char directory[] = "/dev/disk/by-id/";
	const char *links = udev_device_get_property_value(device, "DEVLINKS");
	size_t skip = strlen(directory);

	while (links && *links) {
		size_t length = strcspn(links, " ");
		char link[sizeof(disk->by_id)];

		if (text_after(links, directory)) {
			text_sanitise(link, sizeof(link), links, length);
			if (!disk->by_id[0] || is_better_link(link + skip, disk->by_id + skip))
				text_copy(disk->by_id, sizeof(disk->by_id), link);
		}
		links += length + strspn(links + length, " ");
	}
}

static uint32_t small_attr(const char *folder, const char *name, uint64_t unit)
{
	uint64_t value;

	if (!attr_u64(folder, name, &value) || value > UINT32_MAX / unit)
		return 0;
	return (uint32_t)(value * unit);
}

/* Some drivers state an absurd limit when they have none. */
static uint32_t command_limit(const char *folder)
{
	uint64_t kib;

	if (!attr_u64(folder, "queue/max_hw_sectors_kb", &kib))
		return 0;
	return kib < MAX_COMMAND / 1024 ? (uint32_t)kib * 1024 : MAX_COMMAND;
}

/* As the driver found it; for SCSI, from the caching mode page and the provisioning pages. */
static void read_abilities(const char *folder, struct disk *disk)
{
	char cache[32];

	disk->write_cache = UNKNOWN;
	if (attr_text(folder, "queue/write_cache", cache, sizeof(cache)))
		disk->write_cache = strcmp(cache, "write back") == 0 ? YES : NO;
	disk->unmap = attr_bool(folder, "queue/discard_max_bytes");
	disk->zeroes = attr_bool(folder, "queue/write_zeroes_max_bytes");
}

/* A kernel without support for zones gives these disks no block node. */
static void read_zones(const char *folder, const char *hardware, struct disk *disk)
{
	uint64_t type;

	if (attr_text(folder, "queue/zoned", disk->zoned, sizeof(disk->zoned)))
		return;
	if (attr_u64(hardware, "type", &type) && type == SCSI_TYPE_HOST_MANAGED)
		text_copy(disk->zoned, sizeof(disk->zoned), "host-managed");
}

static void read_limits(const char *folder, const char *hardware, struct disk *disk)
{
	uint64_t mask;

	disk->physical_sector_size = small_attr(folder, "queue/physical_block_size", 1);
	disk->alignment_offset = small_attr(folder, "alignment_offset", 1);
	disk->max_transfer = small_attr(folder, "queue/max_sectors_kb", 1024);
	disk->max_command = command_limit(folder);
	read_abilities(folder, disk);
	read_zones(folder, hardware, disk);
	/* sysfs has the mask of the low bits. */
	if (attr_u64(folder, "queue/dma_alignment", &mask) && mask < UINT32_MAX)
		disk->dma_alignment = (uint32_t)mask + 1;
	disk->queue_depth = small_attr(hardware, "queue_depth", 1);
	disk->missing_members = small_attr(folder, "md/degraded", 1);
	disk->rotational = attr_bool(folder, "queue/rotational");
	disk->removable = attr_bool(folder, "removable");
	disk->read_only = attr_bool(folder, "ro");
	if (disk->identity.size > 0)
		disk->medium_present = YES;
	else
		disk->medium_present = disk->removable == YES ? NO : UNKNOWN;
}

static void node_of(struct udev_device *device, char *to, size_t size)
{
	const char *node = udev_device_get_devnode(device);

	if (node)
		text_sanitise(to, size, node, strlen(node));
	else
		to[0] = '\0';
}

void device_read_disk(struct udev_device *device, struct disk *ret)
{
	const char *name = udev_device_get_sysname(device);
	char hardware[ATTR_PATH_MAX];
	bool scsi = attr_hardware(device, hardware);

	*ret = (struct disk){ .kind = disk_kind_of(name) };
	text_sanitise(ret->name, sizeof(ret->name), name, strlen(name));
	node_of(device, ret->node, sizeof(ret->node));
	identity_from_udev(device, hardware, &ret->identity);
	if (scsi) {
		const char *hctl = strrchr(hardware, '/') + 1;

		text_sanitise(ret->hctl, sizeof(ret->hctl), hctl, strlen(hctl));
	}
	text_sanitise(ret->physical_parent, sizeof(ret->physical_parent), hardware,
		      strlen(hardware));
	prop_text(device, "ID_PATH", ret->path, sizeof(ret->path));
	read_by_id(device, ret);
	read_transport(device, ret);
	read_driver(device, ret);
	read_limits(udev_device_get_syspath(device), hardware, ret);
	/* udev's view, until the disk itself was read. */
	prop_text(device, "ID_PART_TABLE_TYPE", ret->table, sizeof(ret->table));
	prop_text(device, "ID_PART_TABLE_UUID", ret->table_uuid, sizeof(ret->table_uuid));
	prop_text(device, "ID_FS_TYPE", ret->whole_fs, sizeof(ret->whole_fs));
	prop_encoded(device, "ID_FS_LABEL_ENC", ret->whole_label, sizeof(ret->whole_label));
}

void device_read_partition(struct udev_device *device, uint32_t sector_size, struct partition *ret)
{
	uint64_t unit = sector_size >= 512 ? sector_size / 512 : 1;
	const char *folder = udev_device_get_syspath(device);
	uint64_t number = 0, start = 0, sectors = 0;
	char table[sizeof(((struct disk *)NULL)->table)];

	*ret = (struct partition){ .devno = udev_device_get_devnum(device) };
	attr_u64(folder, "partition", &number);
	attr_u64(folder, "start", &start);
	attr_u64(folder, "size", &sectors);
	ret->number = (unsigned)number;
	ret->start = start / unit;
	ret->sectors = sectors / unit;
	node_of(device, ret->node, sizeof(ret->node));
	prop_text(device, "ID_PART_ENTRY_TYPE", ret->type, sizeof(ret->type));
	type_tidy(ret->type);
	prop_text(device, "ID_PART_ENTRY_SCHEME", table, sizeof(table));
	text_copy(ret->type_name, sizeof(ret->type_name), type_name(table, ret->type));
	ret->extended = type_is_extended(ret->type);
	prop_encoded(device, "ID_PART_ENTRY_NAME", ret->name, sizeof(ret->name));
	prop_text(device, "ID_PART_ENTRY_UUID", ret->part_uuid, sizeof(ret->part_uuid));
	prop_text(device, "ID_FS_TYPE", ret->fs, sizeof(ret->fs));
	prop_encoded(device, "ID_FS_LABEL_ENC", ret->label, sizeof(ret->label));
	prop_text(device, "ID_FS_UUID", ret->uuid, sizeof(ret->uuid));
}

/*
 * ---- identity ----
 * udev's database knows most where it was filled; sysfs is asked for the rest, so
 * that a rescue system without udevd names its disks too.
 */

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

/* libudev makes an object of every parent, so it is asked only for disks on USB. */
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
		/* Made of vendor, model and serial number: this is no world wide name. */
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
	text_copy(ret->model, sizeof(ret->model), strcmp(vendor, "ATA") == 0 ? "" : vendor);
	if (model[0])
		text_append(ret->model, sizeof(ret->model), " ", "%s", model);
}

/* A device without hardware has no model: its file, its name or its RAID level stands there. */
static void read_virtual_model(const char *folder, enum disk_kind kind, struct identity *ret)
{
	char path[256];

	if (kind == DISK_LOOP && attr_text(folder, "loop/backing_file", path, sizeof(path))) {
		/* Deleting the file does not make it another disk. */
		attr_cut_deleted(path);
		text_copy(ret->model, sizeof(ret->model), text_base_name(path));
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

/* LVM and cryptsetup make it of UUIDs that lie on the disks below; mdadm's rules for udev tell that
 * of an array. The numbers of both change from one start to the next. */
static void read_volume(struct udev_device *disk, enum disk_kind kind, struct identity *ret)
{
	if (kind == DISK_DM)
		attr_text(udev_device_get_syspath(disk), "dm/uuid", ret->volume,
			  sizeof(ret->volume));
	else if (kind == DISK_MD)
		prop_text(disk, "MD_UUID", ret->volume, sizeof(ret->volume));
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
	read_volume(device, kind, ret);
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
