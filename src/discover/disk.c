/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks as plain data: releasing, finding, comparing. */
#include "discover/disk.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

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
	    texts_differ(a->model, b->model) || numbers_differ(a->size, b->size) ||
	    numbers_differ(a->logical_sector_size, b->logical_sector_size) ||
	    numbers_differ(a->nsid, b->nsid))
		return false;
	if (texts_agree(a->wwn, b->wwn) || texts_agree(a->serial, b->serial))
		return true;
	/* Nothing written on the disk itself says which it is. */
	if (a->diskseq && b->diskseq)
		return a->diskseq == b->diskseq;
	return a->devno && a->devno == b->devno;
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

const char *use_mountpoint(const struct use_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind == USE_MOUNT)
			return list->items[i].what;
	return "";
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

	for (size_t l = 0; l < sizeof(letters) / sizeof(letters[0]); l++) {
		for (size_t i = 0; i < list->count; i++) {
			if (list->items[i].kind == letters[l].kind) {
				buffer[used++] = letters[l].letter;
				break;
			}
		}
	}
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

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(name, kinds[i].start, strlen(kinds[i].start)) == 0)
			return kinds[i].kind;
	return DISK_OTHER;
}

/* udev sends these disks the same command when they appear. Removable ones, sticks and card
 * readers, may not survive it. */
const char *disk_ata_node(const struct disk *disk)
{
	bool usb = strcmp(disk->transport, "usb") == 0 && disk->removable == NO;
	bool ata = strcmp(disk->transport, "sata") == 0 || strcmp(disk->transport, "pata") == 0;

	return disk->kind == DISK_SCSI && !disk->silent && (ata || usb) ? disk->sg : "";
}

/*
 * Partition types. GUIDs after the UEFI specification, the Discoverable
 * Partitions Specification (uapi-group.org) and the makers' own documents;
 * MS-DOS numbers after Andries Brouwer's list.
 */
static const struct {
	const char *type, *name;
} types[] = {
	{ "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", N_("EFI System") },
	{ "024dee41-33e7-11d3-9d69-0008c781f39f", N_("MBR scheme") },
	{ "21686148-6449-6e6f-744e-656564454649", N_("BIOS boot") },
	{ "bc13c2ff-59e6-4262-a352-b275fd6f7172", N_("Linux extended boot") },
	{ "0fc63daf-8483-4772-8e79-3d69d8477de4", N_("Linux filesystem") },
	{ "4f68bce3-e8cd-4db1-96e7-fbcaf984b709", N_("Linux root (x86-64)") },
	{ "44479540-f297-41b2-9af7-d131d5f0458a", N_("Linux root (x86)") },
	{ "b921b045-1df0-41c3-af44-4c6f280d3fae", N_("Linux root (ARM-64)") },
	{ "69dad710-2ce4-4e3c-b16c-21a1d49abed3", N_("Linux root (ARM)") },
	{ "72ec70a6-cf74-40e6-bd49-4bda08e8f224", N_("Linux root (RISC-V-64)") },
	{ "8484680c-9521-48c6-9c11-b0720656f69e", N_("Linux /usr (x86-64)") },
	{ "2c7357ed-ebd2-46d9-aec1-23d437ec2bf5", N_("Linux verity (x86-64)") },
	{ "933ac7e1-2eb4-4f13-b844-0e14e2aef915", N_("Linux home") },
	{ "3b8f8425-20e0-4f3b-907f-1a25a76f98e8", N_("Linux server data") },
	{ "4d21b016-b534-45c2-a9fb-5c16e091fd2d", N_("Linux variable data") },
	{ "7ec6f557-3bc5-4aca-b293-16ef5df639d1", N_("Linux temporary data") },
	{ "0657fd6d-a4ab-43c4-84e5-0933c84b4f4f", N_("Linux swap") },
	{ "e6d6d379-f507-44c2-a23c-238f2a3df928", N_("Linux LVM") },
	{ "a19d880f-05fc-4d3b-a006-743f0f84911e", N_("Linux RAID") },
	{ "ca7d7ccb-63ed-4c53-861c-1742536059cc", N_("Linux LUKS") },
	{ "8da63339-0007-60c0-c436-083ac8230908", N_("Linux reserved") },
	{ "e3c9e316-0b5c-4db8-817d-f92df00215ae", N_("Microsoft reserved") },
	{ "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", N_("Microsoft basic data") },
	{ "5808c8aa-7e8f-42e0-85d2-e1e90434cfb3", N_("Microsoft LDM metadata") },
	{ "af9b60a0-1431-4f62-bc68-3311714a69ad", N_("Microsoft LDM data") },
	{ "de94bba4-06d1-4d40-a16a-bfd50179d6ac", N_("Windows recovery environment") },
	{ "e75caf8f-f680-4cee-afa3-b001e56efc2d", N_("Microsoft Storage Spaces") },
	{ "37affc90-ef7d-4e96-91c3-2d7ae055b174", N_("IBM General Parallel FS") },
	{ "48465300-0000-11aa-aa11-00306543ecac", N_("Apple HFS/HFS+") },
	{ "7c3457ef-0000-11aa-aa11-00306543ecac", N_("Apple APFS") },
	{ "426f6f74-0000-11aa-aa11-00306543ecac", N_("Apple boot") },
	{ "53746f72-6167-11aa-aa11-00306543ecac", N_("Apple Core storage") },
	{ "52414944-0000-11aa-aa11-00306543ecac", N_("Apple RAID") },
	{ "52637672-7900-11aa-aa11-00306543ecac", N_("Apple APFS recovery") },
	{ "83bd6b9d-7f41-11dc-be0b-001560b84f0f", N_("FreeBSD boot") },
	{ "516e7cb4-6ecf-11d6-8ff8-00022d09712b", N_("FreeBSD data") },
	{ "516e7cb5-6ecf-11d6-8ff8-00022d09712b", N_("FreeBSD swap") },
	{ "516e7cb6-6ecf-11d6-8ff8-00022d09712b", N_("FreeBSD UFS") },
	{ "516e7cba-6ecf-11d6-8ff8-00022d09712b", N_("FreeBSD ZFS") },
	{ "824cc7a0-36a8-11e3-890a-952519ad3f61", N_("OpenBSD data") },
	{ "6a898cc3-1dd2-11b2-99a6-080020736631", N_("Solaris /usr and Apple ZFS") },
	{ "6a945a3b-1dd2-11b2-99a6-080020736631", N_("Solaris reserved") },
	{ "fe3a2a5d-4f32-41a7-b725-accc3285a309", N_("ChromeOS kernel") },
	{ "3cb8e202-3b7e-47dd-8a3c-7ff2a13cfcec", N_("ChromeOS root fs") },
	{ "2e0a753d-9e48-43b0-8337-b15192cb1b5e", N_("ChromeOS reserved") },
	{ "aa31e02a-400f-11db-9590-000c2911d1b8", N_("VMware VMFS") },
	{ "9d275380-40ad-11db-bf97-000c2911d1b8", N_("VMware diagnostic") },
	{ "cafecafe-b00b-4efb-a11e-7fb7a5e8e0ce", N_("Ceph OSD") },
	{ "0x1", N_("FAT12") },
	{ "0x4", N_("FAT16 below 32 MB") },
	{ "0x5", N_("Extended") },
	{ "0x6", N_("FAT16") },
	{ "0x7", N_("HPFS/NTFS/exFAT") },
	{ "0xb", N_("W95 FAT32") },
	{ "0xc", N_("W95 FAT32 (LBA)") },
	{ "0xe", N_("W95 FAT16 (LBA)") },
	{ "0xf", N_("W95 extended (LBA)") },
	{ "0x11", N_("Hidden FAT12") },
	{ "0x12", N_("Maker's diagnostics") },
	{ "0x17", N_("Hidden HPFS/NTFS") },
	{ "0x1b", N_("Hidden W95 FAT32") },
	{ "0x1c", N_("Hidden W95 FAT32 (LBA)") },
	{ "0x27", N_("Hidden NTFS (recovery)") },
	{ "0x39", N_("Plan 9") },
	{ "0x42", N_("Windows dynamic disk") },
	{ "0x82", N_("Linux swap") },
	{ "0x83", N_("Linux") },
	{ "0x84", N_("Hibernation") },
	{ "0x85", N_("Linux extended") },
	{ "0x8e", N_("Linux LVM") },
	{ "0xa5", N_("FreeBSD") },
	{ "0xa6", N_("OpenBSD") },
	{ "0xa8", N_("Darwin UFS") },
	{ "0xa9", N_("NetBSD") },
	{ "0xab", N_("Darwin boot") },
	{ "0xaf", N_("HFS/HFS+") },
	{ "0xbe", N_("Solaris boot") },
	{ "0xbf", N_("Solaris") },
	{ "0xde", N_("Dell utility") },
	{ "0xea", N_("Linux extended boot") },
	{ "0xee", N_("GPT protective") },
	{ "0xef", N_("EFI (FAT)") },
	{ "0xfb", N_("VMware VMFS") },
	{ "0xfd", N_("Linux RAID autodetect") },
};

const char *type_name(const char *type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].type, type) == 0)
			return _(types[i].name);
	return "";
}

void type_tidy(char *type)
{
	for (; *type; type++)
		if (*type >= 'A' && *type <= 'Z')
			*type = (char)(*type - 'A' + 'a');
}

bool type_is_extended(const char *type)
{
	return strcmp(type, "0x5") == 0 || strcmp(type, "0xf") == 0 || strcmp(type, "0x85") == 0;
}
