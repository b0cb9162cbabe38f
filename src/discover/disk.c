/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/disk.h"

#include <libfdisk/libfdisk.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"

void use_list_done(struct use_list *list)
{
	free(list->items);
	*list = (struct use_list){ 0 };
}

static void disk_done(struct disk *disk)
{
	for (size_t i = 0; i < disk->partition_count; i++)
		use_list_done(&disk->partitions[i].in_use);
	free(disk->partitions);
	free(disk->regions);
	free(disk->notes);
	use_list_done(&disk->in_use);
}

void disk_list_destroy(struct disk_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->count; i++)
		disk_done(&list->disks[i]);
	free(list->disks);
	free(list->missing);
	free(list);
}

const struct disk *disk_list_find(const struct disk_list *list, const char *node)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->disks[i].node, node) == 0)
			return &list->disks[i];
	return NULL;
}

static bool texts_differ(const char *a, const char *b)
{
	return a[0] && b[0] && strcmp(a, b) != 0;
}

static bool texts_agree(const char *a, const char *b)
{
	return a[0] && strcmp(a, b) == 0;
}

static bool numbers_differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

bool identity_same_inode(const struct identity *a, const struct identity *b)
{
	return a->inode == b->inode && !numbers_differ(a->born, b->born);
}

bool identity_same(const struct identity *a, const struct identity *b)
{
	if (a->inode || b->inode)
		return identity_same_inode(a, b) && a->devno == b->devno;
	if (texts_differ(a->wwn, b->wwn) || texts_differ(a->serial, b->serial) ||
	    texts_differ(a->volume, b->volume) || texts_differ(a->model, b->model) ||
	    numbers_differ(a->size, b->size) ||
	    numbers_differ(a->logical_sector_size, b->logical_sector_size) ||
	    numbers_differ(a->nsid, b->nsid))
		return false;
	if (texts_agree(a->wwn, b->wwn) || texts_agree(a->serial, b->serial) ||
	    texts_agree(a->volume, b->volume))
		return true;
	/* None of these is known: the kernel's numbers decide. */
	if (a->diskseq && b->diskseq)
		return a->diskseq == b->diskseq;
	return a->devno && a->devno == b->devno;
}

int partition_compare(const void *a, const void *b)
{
	const struct partition *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

const char *node_short(const char *node)
{
	return strncmp(node, "/dev/", 5) == 0 ? node + 5 : node;
}

const char *region_words(const struct disk *disk, enum region_kind kind, uint64_t start)
{
	switch (kind) {
	case REGION_TABLE:
		if (strcmp(disk->table, "gpt") == 0)
			return _("GPT header and entries");
		if (strcmp(disk->table, "dos") != 0)
			return _("partition table");
		return start ? _("extended boot record") : _("master boot record");
	case REGION_TABLE_BACKUP:
		return _("GPT backup");
	case REGION_GAP:
		return _("free space");
	case REGION_PARTITION:
	case REGION_WHOLE:
		break;
	}
	return "";
}

const struct use *use_list_find(const struct use_list *list, enum use_kind kind)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind == kind)
			return &list->items[i];
	return NULL;
}

const char *use_mountpoint(const struct use_list *list)
{
	const struct use *use = use_list_find(list, USE_MOUNT);

	return use ? use->what : "";
}

bool use_is_by_device(const struct use *use)
{
	return use->kind == USE_LOOP && strncmp(use->what, "/dev/", strlen("/dev/")) == 0;
}

const struct partition *disk_partition(const struct disk *disk, unsigned number)
{
	for (size_t i = 0; disk && i < disk->partition_count; i++)
		if (disk->partitions[i].number == number)
			return &disk->partitions[i];
	return NULL;
}

const struct partition *disk_partition_at(const struct disk *disk, dev_t devno)
{
	for (size_t i = 0; i < disk->partition_count; i++)
		if (disk->partitions[i].devno == devno)
			return &disk->partitions[i];
	return NULL;
}

const char *use_letters(const struct use_list *list, enum tristate read_only,
			char buffer[static 16])
{
	static const struct {
		enum use_kind kind;
		char letter;
	} letters[] = {
		{ USE_BOOT, 'B' }, { USE_MOUNT, 'M' },     { USE_SWAP, 'S' },
		{ USE_DM, 'L' },   { USE_MD, 'R' },        { USE_BCACHE, 'H' },
		{ USE_LOOP, 'F' }, { USE_EXCLUSIVE, 'O' }, { USE_COPY, 'C' },
	};
	size_t used = 0;

	for (size_t l = 0; l < ARRAY_SIZE(letters); l++)
		if (use_list_find(list, letters[l].kind))
			buffer[used++] = letters[l].letter;
	if (read_only == YES) {
		if (used > 0)
			buffer[used++] = ' ';
		buffer[used++] = 'r';
		buffer[used++] = 'o';
	} else if (used == 0) {
		buffer[used++] = '-';
	}
	buffer[used] = '\0';
	return buffer;
}

bool disk_is_host_managed(const struct disk *disk)
{
	return strcmp(disk->zoned, "host-managed") == 0;
}

bool disk_is_sg_only(const struct disk *disk)
{
	return disk->sg[0] && strcmp(disk->sg, disk->node) == 0;
}

uint64_t disk_sectors(const struct disk *disk)
{
	uint32_t unit = disk->identity.logical_sector_size;

	return unit ? disk->identity.size / unit : disk->identity.size / 512;
}

enum disk_kind disk_kind_of(const char *name)
{
	static const struct {
		const char *start;
		enum disk_kind kind;
	} kinds[] = {
		{ "sd", DISK_SCSI },    { "nvme", DISK_NVME }, { "vd", DISK_VIRTIO },
		{ "mmcblk", DISK_MMC }, { "loop", DISK_LOOP }, { "ram", DISK_RAM },
		{ "zram", DISK_RAM },   { "pmem", DISK_RAM },  { "dm-", DISK_DM },
		{ "md", DISK_MD },      { "sg", DISK_SCSI },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strncmp(name, kinds[i].start, strlen(kinds[i].start)) == 0)
			return kinds[i].kind;
	return DISK_OTHER;
}

/* udev sends these disks the same command when they appear. Removable ones, sticks and card
 * readers, may not survive it. */
const char *disk_ata_node(const struct disk *disk)
{
	bool usb = strcmp(disk->transport, "usb") == 0 && disk->removable == NO;
	bool ata = text_is_one_of(disk->transport, "sata", "pata");

	return disk->kind == DISK_SCSI && !disk->silent && (ata || usb) ? disk->sg : "";
}

/* In the words of fdisk; they are in the catalogue of util-linux, where that is installed. */
static const char *translate(const char *name)
{
#if ENABLE_NLS
	/* Only then does the terminal show translated text (main()). */
	if (strcmp(textdomain(NULL), PACKAGE_NAME) == 0)
		return dgettext("util-linux", name);
#endif
	return name;
}

const char *type_name(const char *table, const char *type)
{
	bool number = strncmp(type, "0x", 2) == 0;
	bool own = text_is_one_of(table, "sun", "sgi", "bsd");
	struct fdisk_context *fdisk = fdisk_new_context();
	struct fdisk_label *label = fdisk ? fdisk_get_label(fdisk, own      ? table
								   : number ? "dos"
									    : "gpt")
					  : NULL;
	const struct fdisk_parttype *found = NULL;
	const char *name;

	if (label && number)
		found = fdisk_label_get_parttype_from_code(label,
							   (unsigned)strtoul(type, NULL, 16));
	else if (label && type[0])
		found = fdisk_label_get_parttype_from_string(label, type);
	/* A constant of the library: it outlives the context. */
	name = found ? fdisk_parttype_get_name(found) : NULL;
	fdisk_unref_context(fdisk);
	if (name)
		return translate(name);
	return text_is_one_of(table, "mac", "atari") ? type : "";
}

void type_tidy(char *type)
{
	for (; *type; type++)
		if (*type >= 'A' && *type <= 'Z')
			*type = (char)(*type - 'A' + 'a');
}

bool type_is_extended(const char *type)
{
	return text_is_one_of(type, "0x5", "0xf", "0x85");
}
