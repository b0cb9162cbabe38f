/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/build.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libudev.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/attr.h"
#include "discover/device.h"
#include "discover/nodes.h"
#include "discover/regions.h"

int build_say_missing(struct build *build, const char *format, ...)
{
	struct disk_list *list = build->list;
	char(*missing)[256] =
		reallocarray(list->missing, list->missing_count + 1, sizeof(*missing));

	if (!missing)
		return -ENOMEM;
	list->missing = missing;

	char *text = missing[list->missing_count++];

	text_vprint(text, sizeof(*missing), format);
	text_sanitise(text, sizeof(*missing), text, sizeof(*missing));
	return 0;
}

/* ---- gathering ---- */

/*
 * The pass over sysfs. libudev's own enumeration makes an object of every
 * device it finds, sorts them, and leaves the caller to make each a second
 * time; with 200 disks that is most of the time that a list takes. So the
 * folders of the classes are read here, and only block devices become objects.
 */
struct visitor {
	struct udev *udev;
	struct build *build;
	const char *folder; /* of links to devices */
	int (*visit)(const struct visitor *visitor, const char *path);
};

/* Visits every device of a folder by its path, except those that disappear meanwhile. */
static int each_device(const struct visitor *visitor)
{
	char link[64 + NAME_MAX + 2], path[PATH_MAX];
	CLEANUP(dir) DIR *directory = opendir(visitor->folder);
	struct dirent *entry;
	int r = 0;

	if (!directory)
		return -errno;
	while (r == 0 && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(link, sizeof(link), "%s/%s", visitor->folder, entry->d_name);
		if (sysfs_follow(link, path) == 0)
			r = visitor->visit(visitor, path);
	}
	return r;
}

static int add_block(const struct visitor *visitor, const char *path)
{
	struct build *build = visitor->build;
	struct udev_device *device = udev_device_new_from_syspath(visitor->udev, path);
	int r = device ? array_append(build->blocks, build->block_count, device) : 0;

	if (r < 0)
		udev_device_unref(device);
	return r;
}

static int add_node(const struct visitor *visitor, const char *path)
{
	const char *class = strrchr(visitor->folder, '/') + 1;

	return nodes_add(visitor->build->nodes, class, path);
}

/* In the mode for Intel's RST driver, a SATA controller takes NVMe disks to itself; the kernel only
 * counts them. */
static int say_hidden(const struct visitor *visitor, const char *path)
{
	uint64_t disks;

	if (!attr_u64(path, "remapped_nvme", &disks) || disks == 0)
		return 0;
	return build_say_missing(visitor->build,
				 _("The SATA controller hides NVMe disks (%llu). Set it to AHCI in "
				   "the firmware's setup, in place of RAID or RST, to see them. "
				   "Windows may not start until it is set back."),
				 (unsigned long long)disks);
}

static int gather(struct build *build, struct udev *udev)
{
	static const struct {
		const char *folder;
		int (*visit)(const struct visitor *visitor, const char *path);
	} others[] = {
		{ "/sys/class/scsi_generic", add_node },     { "/sys/class/bsg", add_node },
		{ "/sys/class/nvme-generic", add_node },     { "/sys/class/hwmon", add_node },
		{ "/sys/bus/pci/drivers/ahci", say_hidden },
	};
	struct visitor visitor = { .udev = udev, .build = build };
	int r;

	build->nodes = nodes_new();
	if (!build->nodes)
		return -ENOMEM;
	visitor.folder = "/sys/class/block";
	visitor.visit = add_block;
	r = each_device(&visitor);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(others); i++) {
		visitor.folder = others[i].folder;
		visitor.visit = others[i].visit;
		r = each_device(&visitor);
		/* Drivers that are not loaded have no folder. */
		if (r == -ENOENT)
			r = 0;
	}
	return r;
}

/* HCTL by its numbers, so that 2:0:10:0 follows 2:0:9:0; disks without one come last. */
static int compare_hctl(const char *a, const char *b)
{
	unsigned long long x[4], y[4];
	bool has_a = sscanf(a, "%llu:%llu:%llu:%llu", &x[0], &x[1], &x[2], &x[3]) == 4;
	bool has_b = sscanf(b, "%llu:%llu:%llu:%llu", &y[0], &y[1], &y[2], &y[3]) == 4;

	if (!has_a || !has_b)
		return has_b - has_a;
	for (int i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* sdz comes before sdaa, nvme2n1 before nvme10n1. */
static int compare_names(const char *a, const char *b)
{
	size_t x = strlen(a), y = strlen(b);
	bool only_letters = !strpbrk(a, "0123456789") && !strpbrk(b, "0123456789");

	if (only_letters && strncmp(a, b, 2) == 0 && x != y)
		return x < y ? -1 : 1;
	return strverscmp(a, b);
}

static int compare_disks(const void *a, const void *b)
{
	const struct disk *x = a, *y = b;
	int order = compare_hctl(x->hctl, y->hctl);

	return order ? order : compare_names(x->name, y->name);
}

/* Disks that no upper-level driver took, by their sg nodes. */
static int add_sg_only(struct build *build, struct udev *udev)
{
	struct disk_list *list = build->list;
	char path[300];
	size_t at = 0;

	while (nodes_next_sg_only(build->nodes, &at, path, sizeof(path))) {
		struct udev_device *device = udev_device_new_from_syspath(udev, path);
		struct disk disk;
		int r = 0;

		/* It may have gone since. */
		if (device && udev_device_get_devnode(device)) {
			device_read_disk(device, &disk);
			text_copy(disk.sg, sizeof(disk.sg), disk.node);
			r = array_append(list->disks, list->count, disk);
		}
		udev_device_unref(device);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_disks(struct build *build, struct udev *udev)
{
	struct disk_list *list = build->list;

	list->disks = calloc(build->block_count + 1, sizeof(*list->disks));
	if (!list->disks)
		return -ENOMEM;
	for (size_t i = 0; i < build->block_count; i++)
		if (device_is_listed(build->blocks[i], build->options))
			device_read_disk(build->blocks[i], &list->disks[list->count++]);
	if (!build->options->practice_dir && add_sg_only(build, udev) < 0)
		return -ENOMEM;
	if (list->count)
		qsort(list->disks, list->count, sizeof(*list->disks), compare_disks);
	build->disk_paths = calloc(list->count + 1, sizeof(*build->disk_paths));
	if (!build->disk_paths)
		return -ENOMEM;
	for (size_t d = 0; d < list->count; d++)
		for (size_t i = 0; i < build->block_count; i++)
			if (udev_device_get_devnum(build->blocks[i]) ==
			    list->disks[d].identity.devno)
				build->disk_paths[d] = udev_device_get_syspath(build->blocks[i]);
	return 0;
}

/* A partition's directory is in that of its disk; asking libudev for the parent would read the disk
 * anew each time. */
static size_t find_disk(const struct build *build, struct udev_device *partition)
{
	const char *path = udev_device_get_syspath(partition);
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	for (size_t i = 0; i < build->list->count; i++) {
		const char *disk = build->disk_paths[i];

		if (disk && strncmp(disk, path, length) == 0 && disk[length] == '\0')
			return i;
	}
	return SIZE_MAX;
}

static int add_partition(struct build *build, struct disk *disk, struct udev_device *device)
{
	struct partition partition;
	uint64_t number;

	device_read_partition(device, disk->identity.logical_sector_size, &partition);
	/* Set by udev's probing and by nothing else. */
	if (prop_u64(device, "ID_PART_ENTRY_NUMBER", &number))
		build->probed[build->probed_count++] = partition.devno;
	return array_append(disk->partitions, disk->partition_count, partition);
}

static int add_partitions(struct build *build)
{
	build->probed = calloc(build->block_count + 1, sizeof(*build->probed));
	if (!build->probed)
		return -ENOMEM;
	for (size_t i = 0; i < build->block_count; i++) {
		struct udev_device *device = build->blocks[i];
		const char *type = udev_device_get_devtype(device);
		size_t disk;

		if (!type || strcmp(type, "partition") != 0)
			continue;
		disk = find_disk(build, device);
		if (disk != SIZE_MAX && add_partition(build, &build->list->disks[disk], device) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_raw(struct build *build)
{
	int r;

	/* Practice disks are not bound to raw nodes. */
	if (build->options->practice_dir)
		return 0;
	r = nodes_add_raw(build->nodes);
	if (r == -ENOMEM)
		return r;
	build->list->no_raw_driver = r == -ENOENT;
	if (r < 0 && r != -ENOENT)
		return build_say_missing(build,
					 _("The raw driver cannot be asked for its bindings: %s."),
					 error_phrase(r));
	return 0;
}

static void sort_partitions(struct disk *disk)
{
	if (disk->partition_count)
		qsort(disk->partitions, disk->partition_count, sizeof(*disk->partitions),
		      partition_compare);
}

/* A user may name a disk by any of its nodes. */
static void give_names(struct build *build)
{
	for (size_t i = 0; i < build->list->count; i++) {
		sort_partitions(&build->list->disks[i]);
		nodes_give(build->nodes, &build->list->disks[i]);
	}
}

int build_new(struct udev *udev, const struct scan_options *options, struct build **ret,
	      struct error *reterr)
{
	struct build *build = calloc(1, sizeof(*build));
	int r;

	if (!build)
		return error_nomem(reterr);
	build->options = options;
	build->list = calloc(1, sizeof(*build->list));
	r = build->list ? gather(build, udev) : -ENOMEM;
	if (r == 0)
		r = add_disks(build, udev);
	if (r == 0)
		r = add_partitions(build);
	if (r == 0)
		r = add_raw(build);
	if (r == 0) {
		give_names(build);
		build->tables = calloc(build->list->count + 1, sizeof(*build->tables));
		r = build->tables ? 0 : -ENOMEM;
	}
	if (r == -ENOMEM)
		error_nomem(reterr);
	else if (r < 0)
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "list", "/sys",
			  _("The devices in /sys cannot be listed: %s. Is /sys mounted?"),
			  error_phrase(r));
	if (r == 0)
		r = usage_new(build->blocks, build->block_count, options, &build->usage, reterr);
	if (r < 0)
		build_destroy(build);
	else
		*ret = build;
	return r;
}

void build_destroy(struct build *build)
{
	if (!build)
		return;
	for (size_t i = 0; build->tables && build->list && i < build->list->count; i++)
		table_done(&build->tables[i]);
	free(build->tables);
	free(build->probed);
	free(build->disk_paths);
	for (size_t i = 0; i < build->block_count; i++)
		udev_device_unref(build->blocks[i]);
	free(build->blocks);
	nodes_destroy(build->nodes);
	usage_destroy(build->usage);
	disk_list_destroy(build->list);
	free(build);
}

static int add_uses(struct build *build, struct disk *disk)
{
	const struct usage *usage = build->usage;

	if (usage_add_to(usage, disk->identity.devno, &disk->in_use) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < disk->partition_count; i++) {
		struct partition *p = &disk->partitions[i];

		if (p->devno == 0)
			continue;
		if (usage_add_to(usage, p->devno, &p->in_use) < 0 ||
		    usage_add_to(usage, p->devno, &disk->in_use) < 0)
			return -ENOMEM;
		text_copy(p->mountpoint, sizeof(p->mountpoint), use_mountpoint(&p->in_use));
	}
	return 0;
}

static int make_regions(struct disk *disk, const struct table *table)
{
	struct table_area first = { .kind = REGION_TABLE, .start = 0, .sectors = 1 };

	/* Without reading the disk, only this is certain: a table begins at LBA 0. */
	if (table->area_count == 0 && disk->table[0] && strcmp(disk->table, "?") != 0)
		return regions_make(disk, &first, 1);
	return regions_make(disk, table->areas, table->area_count);
}

static void mark_twins(struct disk_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		for (size_t j = i + 1; j < list->count; j++) {
			struct disk *a = &list->disks[i], *b = &list->disks[j];

			if (a->identity.serial[0] &&
			    strcmp(a->identity.serial, b->identity.serial) == 0)
				a->shares_serial = b->shares_serial = true;
			if (a->identity.model[0] && a->kind == b->kind && a->kind != DISK_LOOP &&
			    a->kind != DISK_MD && strcmp(a->identity.model, b->identity.model) == 0)
				a->shares_model = b->shares_model = true;
		}
	}
}

static int say_what_root_would_see(struct build *build)
{
	if (geteuid() == 0 || !build->options->probe || build->list->count == 0)
		return 0;
	build->list->not_root = true;
	return build_say_missing(build, "%s",
				 _("Not root: tables, file systems and labels are shown as udev "
				   "knows them, and whether a program holds a disk is unknown."));
}

/* udevd loads the drivers: without it, there may be disks that the list does not show. */
static int say_no_udev(struct build *build)
{
	if (build->list->count > 0 || build->options->practice_dir ||
	    access("/run/udev/control", F_OK) == 0)
		return 0;
	return build_say_missing(build, "%s",
				 _("udevd does not run: the drivers of the disks may not be "
				   "loaded."));
}

static int say_sg(struct build *build)
{
	const struct disk_list *list = build->list;
	unsigned without = 0, with = 0;
	char names[160] = "";

	for (size_t i = 0; i < list->count; i++) {
		const struct disk *disk = &list->disks[i];

		if (!disk->hctl[0])
			continue;
		if (disk->sg[0]) {
			with++;
			continue;
		}
		without++;
		text_join(names, sizeof(names), "%s", disk->name);
	}
	if (without == 0)
		return 0;
	if (with > 0)
		return build_say_missing(build, _("These SCSI disks have no sg node: %s."), names);
	return build_say_missing(build, "%s",
				 _("The SCSI disks have no sg nodes: the sg driver is not loaded. "
				   "Load it with:  modprobe sg"));
}

static int say_sg_only(struct build *build)
{
	const struct disk_list *list = build->list;
	char names[160] = "";

	for (size_t i = 0; i < list->count; i++)
		if (disk_is_sg_only(&list->disks[i]))
			text_join(names, sizeof(names), "%s", list->disks[i].node);
	if (!names[0])
		return 0;
	return build_say_missing(
		build,
		_("Disks without a block node: %s. They can be read, by SCSI commands, but not "
		  "written to. The sd driver (modprobe sd_mod) gives them one."),
		names);
}

int build_finish(struct build *build, struct disk_list **ret, struct error *reterr)
{
	struct disk_list *list = build->list;
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->count; i++) {
		struct disk *disk = &list->disks[i];

		sort_partitions(disk);
		r = add_uses(build, disk);
		if (r == 0)
			r = make_regions(disk, &build->tables[i]);
	}
	if (r == 0)
		r = say_what_root_would_see(build);
	if (r == 0)
		r = say_no_udev(build);
	if (r == 0)
		r = say_sg(build);
	if (r == 0)
		r = say_sg_only(build);
	nodes_sg_driver(list->sg_driver, sizeof(list->sg_driver), &list->sg_direct);
	if (r < 0)
		return error_nomem(reterr);
	mark_twins(list);
	for (size_t i = 0; i < list->count; i++)
		table_done(&build->tables[i]);
	*ret = list;
	build->list = NULL;
	free(build->tables);
	build->tables = NULL;
	return 0;
}
