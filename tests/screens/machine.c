/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/text.h"

struct model {
	const char *name, *hctl, *sg, *transport, *model, *serial, *wwn, *firmware, *path;
	uint64_t sectors;
	uint32_t physical;
	enum disk_kind kind;
	enum tristate rotational;
};

static const struct model rescue[] = {
	{ "sda", "0:0:0:0", "/dev/sg0", "sata", "ST2000DM008-2FR102", "ZFL1A2B3",
	  "0x5000c500a1b2c3d4", "0001", "pci-0000:00:17.0-ata-1", 3907029168, 4096, DISK_SCSI,
	  YES },
	{ "sdb", "2:0:0:0", "/dev/sg1", "sata", "WDC WD40EFAX-68JH4N1", "WD-WX12D3456789",
	  "0x50014ee2b1a2c3d4", "83.00A83", "pci-0000:00:17.0-ata-3", 7814037168, 4096, DISK_SCSI,
	  YES },
	{ "sdc", "4:0:12:0", "/dev/sg2", "sas", "HGST HUS724020AL", "PN2134P6J8KX",
	  "0x5000cca01a2b3c4d", "A5F0", "pci-0000:03:00.0-sas-phy12-lun-0", 3907029168, 512,
	  DISK_SCSI, YES },
	{ "sdd", "4:0:13:0", "/dev/sg3", "sas", "HGST HUS724020AL", "PN2134P6J8KY",
	  "0x5000cca01a2b3c5e", "A5F0", "pci-0000:03:00.0-sas-phy13-lun-0", 3907029168, 512,
	  DISK_SCSI, YES },
	{ "sde", "6:0:0:0", "/dev/sg4", "usb", "SanDisk Ultra", "4C5300012308", "", "1.00",
	  "pci-0000:00:14.0-usb-0:2:1.0-scsi-0:0:0:0", 60549120, 512, DISK_SCSI, NO },
	{ "nvme0n1", "", "", "nvme", "Samsung SSD 980", "S64DNF0R1234", "eui.0025385a01b2c3d4",
	  "1B4QFXO7", "pci-0000:01:00.0-nvme-1", 2000409264, 512, DISK_NVME, NO },
};

static void text(char *to, size_t size, const char *from)
{
	text_sanitise(to, size, from, strlen(from));
}

static void fill(struct disk *disk, const struct model *model, unsigned number)
{
	text(disk->name, sizeof(disk->name), model->name);
	snprintf(disk->node, sizeof(disk->node), "/dev/%.32s", disk->name);
	text(disk->sg, sizeof(disk->sg), model->sg);
	if (model->kind == DISK_NVME)
		snprintf(disk->nvme_generic, sizeof(disk->nvme_generic), "/dev/ng0n1");
	if (model->hctl[0])
		snprintf(disk->bsg, sizeof(disk->bsg), "/dev/bsg/%s", model->hctl);
	text(disk->hctl, sizeof(disk->hctl), model->hctl);
	text(disk->path, sizeof(disk->path), model->path);
	text(disk->transport, sizeof(disk->transport), model->transport);
	disk->kind = model->kind;
	text(disk->identity.model, sizeof(disk->identity.model), model->model);
	text(disk->identity.serial, sizeof(disk->identity.serial), model->serial);
	text(disk->identity.wwn, sizeof(disk->identity.wwn), model->wwn);
	text(disk->identity.firmware, sizeof(disk->identity.firmware), model->firmware);
	disk->identity.logical_sector_size = 512;
	disk->identity.size = model->sectors * 512;
	disk->identity.diskseq = number + 1;
	disk->identity.devno = makedev(8, 16 * number);
	disk->physical_sector_size = model->physical;
	disk->rotational = model->rotational;
	disk->removable = NO;
	disk->read_only = NO;
	disk->medium_present = YES;
	disk->max_transfer = 1280 * 1024;
	disk->write_cache = YES;
	disk->queue_depth = model->kind == DISK_NVME ? 0 : 32;
}

static struct disk_list *new_list(size_t count)
{
	struct disk_list *list = calloc(1, sizeof(*list));

	if (!list)
		return NULL;
	list->disks = calloc(count ? count : 1, sizeof(*list->disks));
	if (!list->disks) {
		free(list);
		return NULL;
	}
	list->count = count;
	return list;
}

struct part {
	uint64_t start, sectors;
	const char *fs, *label, *type_name;
};

static const struct part three[] = {
	{ 2048, 1048576, "vfat", "ESP", "EFI System" },
	{ 1050624, 2097152, "ext4", "boot", "Linux filesystem" },
	{ 3147776, 3903881216, "LVM2_member", "vg0", "Linux LVM" },
};

static void add_region(struct disk *disk, enum region_kind kind, uint64_t start, uint64_t end,
		       int partition)
{
	if (end > start)
		disk->regions[disk->region_count++] =
			(struct region){ kind, start, end - start, partition };
}

static void add_table(struct disk *disk, const struct part *parts, size_t count)
{
	uint64_t at = 34, end = disk_sectors(disk);

	snprintf(disk->table, sizeof(disk->table), "gpt");
	disk->partitions = calloc(count, sizeof(*disk->partitions));
	disk->regions = calloc(2 * count + 4, sizeof(*disk->regions));
	if (!disk->partitions || !disk->regions)
		abort();
	add_region(disk, REGION_TABLE, 0, 34, -1);
	for (size_t i = 0; i < count; i++) {
		struct partition *p = &disk->partitions[i];

		p->number = (unsigned)i + 1;
		snprintf(p->node, sizeof(p->node), "%.32s%s%u", disk->node,
			 disk->kind == DISK_NVME ? "p" : "", p->number);
		p->devno = disk->identity.devno + p->number;
		p->start = parts[i].start;
		p->sectors = parts[i].sectors;
		text(p->fs, sizeof(p->fs), parts[i].fs);
		text(p->label, sizeof(p->label), parts[i].label);
		text(p->type_name, sizeof(p->type_name), parts[i].type_name);
		add_region(disk, REGION_GAP, at, p->start, -1);
		at = p->start + p->sectors;
		add_region(disk, REGION_PARTITION, p->start, at, (int)i);
	}
	disk->partition_count = count;
	add_region(disk, REGION_GAP, at, end - 33, -1);
	add_region(disk, REGION_TABLE_BACKUP, end - 33, end, -1);
}

static void add_whole(struct disk *disk)
{
	disk->regions = calloc(1, sizeof(*disk->regions));
	if (!disk->regions)
		abort();
	add_region(disk, REGION_WHOLE, 0, disk_sectors(disk), -1);
}

static void add_use(struct use_list *list, enum use_kind kind, const char *what, const char *node)
{
	struct use *items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (!items)
		abort();
	list->items = items;
	items[list->count] = (struct use){ .kind = kind };
	snprintf(items[list->count].what, sizeof(items->what), "%s", what);
	snprintf(items[list->count].node, sizeof(items->node), "%s", node);
	list->count++;
}

static struct disk_list *make_rescue(bool with_sdb)
{
	struct disk_list *list = new_list(sizeof(rescue) / sizeof(*rescue));
	static const struct part stick[] = { { 2048, 60547072, "ext4", "rescue",
					       "Linux filesystem" } };

	if (!list)
		return NULL;
	for (size_t i = 0; i < list->count; i++) {
		fill(&list->disks[i], &rescue[i], (unsigned)i);
		if (i > 1 && i < 4)
			add_whole(&list->disks[i]);
	}
	add_table(&list->disks[0], three, 3);
	add_table(&list->disks[1], three, 3);
	add_table(&list->disks[4], stick, 1);
	add_table(&list->disks[5], three, 2);
	list->disks[2].shares_model = list->disks[3].shares_model = true;
	add_use(&list->disks[2].in_use, USE_MD, "md127", "/dev/sdc");
	add_use(&list->disks[3].in_use, USE_MD, "md127", "/dev/sdd");
	add_use(&list->disks[4].in_use, USE_BOOT, "", "/dev/sde");
	add_use(&list->disks[4].in_use, USE_MOUNT, "/", "/dev/sde1");
	add_use(&list->disks[4].partitions[0].in_use, USE_MOUNT, "/", "/dev/sde1");
	add_use(&list->disks[5].in_use, USE_DM, "vg1-home", "/dev/nvme0n1p2");
	add_use(&list->disks[5].partitions[1].in_use, USE_DM, "vg1-home", "/dev/nvme0n1p2");
	list->disks[4].removable = YES;
	if (!with_sdb) {
		struct disk_list one = { .disks = calloc(1, sizeof(struct disk)), .count = 1 };
		struct disk_list *gone = malloc(sizeof(*gone));

		if (!one.disks || !gone)
			abort();
		one.disks[0] = list->disks[1];
		memmove(&list->disks[1], &list->disks[2], 4 * sizeof(struct disk));
		list->count--;
		*gone = one;
		disk_list_destroy(gone);
	}
	return list;
}

static struct disk_list *make_many(void)
{
	struct disk_list *list = new_list(200);

	if (!list)
		return NULL;
	for (unsigned i = 0; i < 200; i++) {
		char name[16], hctl[24], sg[16], serial[24];
		struct model model = rescue[2];

		if (i < 26)
			snprintf(name, sizeof(name), "sd%c", 'a' + i);
		else
			snprintf(name, sizeof(name), "sd%c%c", 'a' + i / 26 - 1, 'a' + i % 26);
		snprintf(hctl, sizeof(hctl), "%u:0:%u:0", i / 24, i % 24);
		snprintf(sg, sizeof(sg), "/dev/sg%u", i);
		snprintf(serial, sizeof(serial), "PN2134P6J%04u", i);
		model.name = name;
		model.hctl = hctl;
		model.sg = sg;
		model.serial = serial;
		model.wwn = "";
		fill(&list->disks[i], &model, i);
		add_whole(&list->disks[i]);
		list->disks[i].shares_model = true;
	}
	return list;
}

static struct disk_list *make_hostile(void)
{
	static const struct part parts[] = {
		{ 2048, 2048, "ext4", "\033[2J\033[31mred\a", "\xe2\x80\xaetxt.exe" },
		{ 4096, 2048, "vfat",
		  "\xf0\x9f\x92\xbe\xf0\x9f\x92\xbe wide \xe4\xbd\xa0\xe5\xa5\xbd",
		  "\xff\xfe\xfd" },
		{ 6144, 1, "", "", "" },
	};
	struct disk_list *list = make_rescue(true);
	struct disk *disk;

	if (!list)
		return NULL;
	disk = &list->disks[0];
	text(disk->identity.model, sizeof(disk->identity.model),
	     "\033]0;owned\a\033[1;1HMODEL that is far longer than every column that it could get");
	text(disk->identity.serial, sizeof(disk->identity.serial),
	     "%s%n\xc3\x28 0123456789012345678901234567890123456789-TAIL");
	free(disk->partitions);
	free(disk->regions);
	disk->region_count = 0;
	add_table(disk, parts, 3);
	return list;
}

/* One that hangs: what there is to know of it comes from udev and sysfs. */
static struct disk_list *make_silent(void)
{
	struct disk_list *list = make_rescue(true);
	struct disk *disk = list ? &list->disks[1] : NULL;

	if (!disk)
		return NULL;
	disk->silent = true;
	disk->partition_count = disk->region_count = 0;
	snprintf(disk->table, sizeof(disk->table), "?");
	add_region(disk, REGION_WHOLE, 0, disk_sectors(disk), -1);
	return list;
}

#define PARTS 128

/* As many partitions as a GPT usually has room for, on both disks. */
static struct disk_list *make_crowded(void)
{
	struct disk_list *list = new_list(2);
	struct part parts[PARTS];

	if (!list)
		return NULL;
	for (unsigned d = 0; d < 2; d++) {
		struct model model = rescue[d ? 5 : 0];

		if (d)
			model.sectors = rescue[1].sectors;
		for (unsigned i = 0; i < PARTS; i++)
			parts[i] = (struct part){ 2048 + i * UINT64_C(30000000), 29999000, "ext4",
						  "data", "Linux filesystem" };
		fill(&list->disks[d], &model, d);
		add_table(&list->disks[d], parts, PARTS);
	}
	return list;
}

/* All partitions of the first disk would fit on the second one, but not the rest of it. */
static struct disk_list *make_small(void)
{
	static const struct part parts[] = { { 2048, 1048576, "vfat", "ESP", "EFI System" },
					     { 1050624, 2097152, "ext4", "root",
					       "Linux filesystem" } };
	struct disk_list *list = new_list(2);

	if (!list)
		return NULL;
	fill(&list->disks[0], &rescue[0], 0);
	fill(&list->disks[1], &rescue[5], 1);
	add_table(&list->disks[0], parts, 2);
	add_whole(&list->disks[1]);
	return list;
}

static struct disk_list *make_not_root(void)
{
	struct disk_list *list = make_rescue(true);

	if (list)
		list->not_root = true;
	return list;
}

/* The only disk is behind a controller in RAID mode. */
static struct disk_list *make_hidden(void)
{
	struct disk_list *list = new_list(0);

	if (!list)
		return NULL;
	list->missing = calloc(1, sizeof(*list->missing));
	if (!list->missing) {
		disk_list_destroy(list);
		return NULL;
	}
	list->missing_count = 1;
	snprintf(list->missing[0], sizeof(list->missing[0]),
		 "The SATA controller hides NVMe disks (1). Set it to AHCI in the firmware's "
		 "setup, in place of RAID or RST, to see them. Windows may not start until it is "
		 "set back.");
	return list;
}

static struct disk_list *make_reattached(void)
{
	struct disk_list *list = make_rescue(true);

	if (list)
		list->disks[0].identity.diskseq += 100;
	return list;
}

struct disk_list *machine_make(const char *name)
{
	if (strcmp(name, "small") == 0)
		return make_small();
	if (strcmp(name, "not-root") == 0)
		return make_not_root();
	if (strcmp(name, "crowded") == 0)
		return make_crowded();
	if (strcmp(name, "silent") == 0)
		return make_silent();
	if (strcmp(name, "rescue") == 0)
		return make_rescue(true);
	if (strcmp(name, "unplugged") == 0)
		return make_rescue(false);
	if (strcmp(name, "reattached") == 0)
		return make_reattached();
	if (strcmp(name, "many") == 0)
		return make_many();
	if (strcmp(name, "hostile") == 0)
		return make_hostile();
	if (strcmp(name, "none") == 0)
		return new_list(0);
	if (strcmp(name, "hidden") == 0)
		return make_hidden();
	return NULL;
}

/* Every disk answers, and the first of them is not quite well. */
void machine_health(const struct disk *disk, struct health *ret)
{
	health_clear(ret, NULL);
	ret->time = 1790005000;
	ret->passed = YES;
	ret->values[HEALTH_TEMPERATURE] = 31;
	ret->values[HEALTH_POWER_ON] = 20130;
	ret->values[HEALTH_REALLOCATED] = strcmp(disk->name, "sda") == 0 ? 8 : 0;
	ret->values[HEALTH_PENDING] = strcmp(disk->name, "sda") == 0 ? 2 : 0;
}

const struct past_copy *machine_past(size_t *retcount)
{
	static char text[] = "COMPLETE, exit code 0\nFrom  /dev/nvme0n1\nTo  /srv/nas.img\n";
	static const struct past_copy past[] = {
		{ .report = "/var/log/clonedeck/20260921-150000.json",
		  .map = "/var/log/clonedeck/20260921-150000.map",
		  .result = "STOPPED",
		  .exit_code = 6,
		  .at = 1790005600,
		  .seconds = 12240,
		  .total = 4000787030016,
		  .copied = 3930787030016,
		  .source = { "/dev/sdd", "HGST HUS724020ALS640", "PN2134P6J8KX" },
		  .destination = { "/dev/sdc", "WDC WD40EFAX-68JH4N1", "WD-WX12D3456789" },
		  .unfinished = true },
		{ .report = "/var/log/clonedeck/20260920-090200.json",
		  .result = "COMPLETE",
		  .at = 1789895000,
		  .seconds = 9060,
		  .total = 1024209543168,
		  .copied = 1024209543168,
		  .source = { "/dev/nvme0n1", "Samsung SSD 980 1TB", "S64DNF0R1234" },
		  .destination = { "/srv/nas.img", "", "" },
		  .text = text },
		{ .report = "/var/log/clonedeck/20260912-114000.json",
		  .result = "MISMATCH",
		  .exit_code = 5,
		  .at = 1789200000,
		  .seconds = 840,
		  .total = 31900000256,
		  .copied = 31900000256,
		  .source = { "/dev/sde", "SanDisk Ultra Fit", "4C530001230812" },
		  .destination = { "/dev/sdb", "", "" } },
	};

	*retcount = sizeof(past) / sizeof(past[0]);
	return past;
}

/* As the source's, with a third of every ext4 to spare. */
void machine_table(const struct disk *source, const struct plan *plan, struct layout_table *table)
{
	*table = (struct layout_table){ .sector = 512, .first = 34, .movable = true };
	table->sectors = plan->source.size / 512;
	table->room = plan->destinations[0].size / 512;
	table->usable = table->room - 33;
	for (size_t i = 0; source && i < source->partition_count && i < FITTED_PARTS_MAX; i++) {
		const struct partition *p = &source->partitions[i];
		struct layout_part *part = &table->parts[table->count++];

		*part = (struct layout_part){ .number = p->number,
					      .start = p->start,
					      .to = p->start,
					      .sectors = p->sectors,
					      .size = p->sectors,
					      .least = p->sectors };
		if (strcmp(p->fs, "ext4") == 0)
			part->least = p->sectors / 3 * 2;
		text_copy(part->fs, sizeof(part->fs), p->fs);
	}
}
