/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every rule: a machine on which it fires, and one that is nearly the same on which it does not. */
#include "unit.h"

#include <errno.h>

#include "guard/machine.h"

struct rule_case {
	const char *rule;
	enum verdict_kind kind;
	void (*set)(struct machine *m);
	const char *says; /* part of the sentence */
};

static void set_source_gone(struct machine *m)
{
	m->disks[0].identity.diskseq = 77;
	text_copy(m->disks[0].identity.serial, 128, "OTHER");
}

static void set_destination_gone(struct machine *m)
{
	m->list.count = 1;
}

static void set_source_empty(struct machine *m)
{
	m->disks[0].medium_present = NO;
}

static void set_destination_empty(struct machine *m)
{
	m->disks[1].identity.size = 0;
	machine_choose(m);
}

static void set_same(struct machine *m)
{
	m->destination = m->source;
}

static void set_same_file(struct machine *m)
{
	machine_image(&m->source, "/srv/a.img", MIB, true);
	machine_image(&m->destination, "/srv/b.img", MIB, true);
	m->facts.same_storage = true;
}

/* The whole disk onto its own second partition. */
static void set_overlap(struct machine *m)
{
	endpoint_from_partition(&m->disks[0], &m->parts[0][1], &m->destination);
	machine_range(m, 206848, 1000);
	m->at = 0;
	m->has_at = true;
}

static void set_same_wwn(struct machine *m)
{
	text_copy(m->disks[0].identity.wwn, 80, "0x5000c500a1b2c3d4");
	text_copy(m->disks[1].identity.wwn, 80, "0x5000c500a1b2c3d4");
	machine_choose(m);
}

static void set_source_image_on_destination(struct machine *m)
{
	machine_image(&m->source, "/mnt/a.img", MIB, true);
	machine_place(&m->facts.source_image, "/mnt/a.img", makedev(8, 17), "/dev/sdb");
}

static void set_boot(struct machine *m)
{
	machine_use(m, 1, USE_BOOT, "/", "/dev/sdb2");
}

static void set_mounted(struct machine *m)
{
	machine_use(m, 1, USE_MOUNT, "/mnt/usb", "/dev/sdb1");
}

static void set_swap(struct machine *m)
{
	machine_use(m, 1, USE_SWAP, "", "/dev/sdb3");
}

static void set_dm(struct machine *m)
{
	machine_use(m, 1, USE_DM, "vg0-root", "/dev/sdb3");
}

static void set_md(struct machine *m)
{
	machine_use(m, 1, USE_MD, "md127", "/dev/sdb");
}

static void set_loop(struct machine *m)
{
	machine_use(m, 1, USE_LOOP, "/mnt/a.img", "/dev/sdb1");
}

static void set_bcache(struct machine *m)
{
	machine_use(m, 1, USE_BCACHE, "bcache0", "/dev/sdb");
}

static void set_exclusive(struct machine *m)
{
	machine_use(m, 1, USE_EXCLUSIVE, "", "/dev/sdb");
}

static void set_read_only(struct machine *m)
{
	m->disks[1].read_only = YES;
}

static void set_too_small(struct machine *m)
{
	m->disks[1].identity.size = DISK_SIZE - 3 * 512;
	machine_choose(m);
}

static void set_4kn(struct machine *m)
{
	m->disks[1].identity.logical_sector_size = 4096;
	m->disks[1].physical_sector_size = 4096;
	machine_choose(m);
}

static void set_4kn_partition(struct machine *m)
{
	set_4kn(m);
	machine_partition(m, 1, 256, 250000, "", "");
	endpoint_from_partition(&m->disks[0], &m->parts[0][1], &m->source);
	endpoint_from_partition(&m->disks[1], &m->parts[1][0], &m->destination);
}

static void set_table_beyond(struct machine *m)
{
	m->disks[1].identity.size = DISK_SIZE / 2;
	machine_choose(m);
	machine_range(m, 0, 2048 + 204800);
}

static void set_image_on_source(struct machine *m)
{
	machine_image(&m->destination, "/mnt/b.img", 0, false);
	machine_place(&m->facts.destination_image, "/mnt/b.img", makedev(8, 2), "/dev/sda");
}

static void set_loop_on_source(struct machine *m)
{
	m->disks[1].kind = DISK_LOOP;
	machine_place(&m->facts.destination_below, "", makedev(8, 2), "/dev/sda");
}

static void set_made_of_source(struct machine *m)
{
	m->disks[1].kind = DISK_DM;
	machine_place(&m->facts.destination_below, "", makedev(8, 2), "/dev/sda");
}

static void near_made_of_others(struct machine *m)
{
	m->disks[1].kind = DISK_DM;
	machine_place(&m->facts.destination_below, "", makedev(8, 33), "/dev/sdc");
}

static void set_extended(struct machine *m)
{
	machine_partition(m, 1, 2048, 2000000, "", "")->extended = true;
	endpoint_from_partition(&m->disks[1], &m->parts[1][0], &m->destination);
	machine_range(m, 2048, 2);
	m->at = 0;
	m->has_at = true;
}

static void set_no_space(struct machine *m)
{
	machine_image(&m->destination, "/srv/b.img", 0, false);
	m->facts.image_free_known = true;
	m->facts.image_free = DISK_SIZE - 1;
}

static void set_no_space_sparse(struct machine *m)
{
	set_no_space(m);
	machine_image(&m->source, "/srv/a.img", DISK_SIZE, true);
	m->source.identity.inode = 1;
	m->facts.source_allocated_known = true;
	m->facts.source_allocated = MIB;
}

static void set_fat(struct machine *m)
{
	machine_image(&m->destination, "/mnt/b.img", 0, false);
	m->facts.image_limit = DISK_SIZE - 1;
}

static void set_log_on_destination(struct machine *m)
{
	machine_place(&m->facts.log_dir, "/mnt/log", makedev(8, 17), "/dev/sdb");
}

static void set_map_on_destination(struct machine *m)
{
	machine_place(&m->facts.map, "/mnt/a.map", makedev(8, 17), "/dev/sdb");
}

static void set_data(struct machine *m)
{
	text_copy(m->disks[1].table, 16, "gpt");
	machine_partition(m, 1, 2048, 204800, "ext4", "photos");
}

static void set_whole_fs(struct machine *m)
{
	text_copy(m->disks[1].whole_fs, 32, "xfs");
	text_copy(m->disks[1].whole_label, 128, "archive");
}

static void set_partition_data(struct machine *m)
{
	set_data(m);
	machine_partition(m, 1, 300000, 1800000, "ntfs", "Windows");
	endpoint_from_partition(&m->disks[0], &m->parts[0][0], &m->source);
	endpoint_from_partition(&m->disks[1], &m->parts[1][0], &m->destination);
}

static void set_image_exists(struct machine *m)
{
	machine_image(&m->destination, "/srv/b.img", MIB, true);
}

static void set_same_model(struct machine *m)
{
	machine_disk(m, 2, "sdc", "WDC WD40EFAX", "WX99", DISK_SIZE);
	m->list.count = 3;
}

static void set_no_serial(struct machine *m)
{
	m->disks[1].identity.serial[0] = '\0';
	machine_choose(m);
}

static void set_shared_serial(struct machine *m)
{
	m->disks[1].shares_serial = true;
}

static void set_source_mounted(struct machine *m)
{
	text_copy(m->facts.source_writable_mount, 256, "/home");
}

static void set_source_in_use(struct machine *m)
{
	machine_use(m, 0, USE_DM, "vg0-home", "/dev/sda2");
}

static void set_table_broken(struct machine *m)
{
	snprintf(m->notes[0].text, sizeof(m->notes[0].text), "partition 2 ends beyond the disk");
	m->disks[0].notes = m->notes;
	m->disks[0].note_count = 1;
}

static void set_beside_boot(struct machine *m)
{
	set_partition_data(m);
	machine_use(m, 1, USE_BOOT, "/", "/dev/sdb2");
}

static void set_disk_into_partition(struct machine *m)
{
	machine_partition(m, 1, 2048, 2000000, "", "");
	endpoint_from_partition(&m->disks[1], &m->parts[1][0], &m->destination);
	machine_range(m, 0, 1000);
}

static void set_partition_onto_disk(struct machine *m)
{
	endpoint_from_partition(&m->disks[0], &m->parts[0][0], &m->source);
}

static void set_some_partitions(struct machine *m)
{
	machine_range(m, 0, 206848);
}

static void set_larger(struct machine *m)
{
	m->disks[1].identity.size = 2 * DISK_SIZE;
	machine_choose(m);
}

static void set_leftovers(struct machine *m)
{
	set_larger(m);
	text_copy(m->disks[1].table, 16, "gpt");
	m->regions[0] = (struct region){ .kind = REGION_TABLE_BACKUP,
					 .start = 2 * DISK_SIZE / 512 - 33,
					 .sectors = 33,
					 .partition = -1 };
	m->disks[1].regions = m->regions;
	m->disks[1].region_count = 1;
}

/* Like a disk that got the copy of a smaller one before: its backup lies inside. */
static void near_backup_inside(struct machine *m)
{
	set_leftovers(m);
	m->regions[0].start = DISK_SIZE / 512 - 33;
}

static void set_raid_leftovers(struct machine *m)
{
	set_larger(m);
	text_copy(m->disks[1].whole_fs, 32, "linux_raid_member");
}

static void set_table_uuid(struct machine *m)
{
	text_copy(m->disks[0].table_uuid, 64, "0F1E2D3C-0000-0000-0000-000000000000");
}

static void set_fs(struct machine *m, const char *fs)
{
	text_copy(m->parts[0][1].fs, 32, fs);
}

static void set_btrfs(struct machine *m)
{
	set_fs(m, "btrfs");
}

static void set_lvm(struct machine *m)
{
	set_fs(m, "LVM2_member");
}

static void set_raid(struct machine *m)
{
	set_fs(m, "linux_raid_member");
}

static void set_xfs(struct machine *m)
{
	set_fs(m, "xfs");
}

static void set_xfs_on_disk(struct machine *m)
{
	text_copy(m->disks[0].whole_fs, 32, "xfs");
	m->disks[0].partition_count = 0;
	m->disks[0].table[0] = '\0';
}

static void set_misaligned(struct machine *m)
{
	m->disks[1].physical_sector_size = 4096;
	machine_choose(m);
	machine_range(m, 2048, 8);
	m->at = 63;
	m->has_at = true;
}

static void set_same_drive(struct machine *m)
{
	machine_partition(m, 0, 2006848, 50000, "", "");
	endpoint_from_partition(&m->disks[0], &m->parts[0][0], &m->source);
	endpoint_from_partition(&m->disks[0], &m->parts[0][2], &m->destination);
	machine_range(m, 0, 1000);
}

static void set_same_parent(struct machine *m)
{
	text_copy(m->disks[1].physical_parent, 256, m->disks[0].physical_parent);
}

static void set_log_on_source(struct machine *m)
{
	machine_place(&m->facts.log_dir, "/var/log/clonedeck", makedev(8, 2), "/dev/sda");
}

static void set_log_in_memory(struct machine *m)
{
	text_copy(m->facts.log_dir.path, 512, "/run/log");
	m->facts.log_dir.in_memory = true;
}

static void set_not_root(struct machine *m)
{
	m->facts.root = false;
}

static const struct rule_case fires[] = {
	{ "source-gone", VERDICT_REFUSE, set_source_gone, "/dev/sda (serial ZFL1A2B3)" },
	{ "destination-gone", VERDICT_REFUSE, set_destination_gone, "/dev/sdb" },
	{ "source-empty", VERDICT_REFUSE, set_source_empty, "no medium" },
	{ "destination-empty", VERDICT_REFUSE, set_destination_empty, "no medium" },
	{ "source-is-destination", VERDICT_REFUSE, set_same, "/dev/sda" },
	{ "source-is-destination", VERDICT_REFUSE, set_same_file, "same file" },
	{ "same-disk-overlap", VERDICT_REFUSE, set_overlap, "overlap" },
	{ "same-wwn", VERDICT_REFUSE, set_same_wwn, "0x5000c500a1b2c3d4" },
	{ "source-image-on-destination", VERDICT_REFUSE, set_source_image_on_destination,
	  "/mnt/a.img" },
	{ "destination-boot", VERDICT_REFUSE, set_boot, "/dev/sdb2" },
	{ "destination-mounted", VERDICT_REFUSE, set_mounted, "/dev/sdb1: /mnt/usb" },
	{ "destination-swap", VERDICT_REFUSE, set_swap, "swapoff" },
	{ "destination-held", VERDICT_REFUSE, set_dm, "vg0-root" },
	{ "destination-held", VERDICT_REFUSE, set_md, "mdadm --stop" },
	{ "destination-held", VERDICT_REFUSE, set_loop, "losetup -d" },
	{ "destination-held", VERDICT_REFUSE, set_bcache, "bcache0" },
	{ "destination-exclusive", VERDICT_REFUSE, set_exclusive, "exclusively" },
	{ "destination-read-only", VERDICT_REFUSE, set_read_only, "blockdev --setrw /dev/sdb" },
	{ "destination-too-small", VERDICT_REFUSE, set_too_small, ": 3 sectors of 512" },
	{ "sector-size-differs", VERDICT_REFUSE, set_4kn, "4096" },
	{ "sector-size-differs", VERDICT_REFUSE, set_4kn_partition, "--allow" },
	{ "table-beyond-end", VERDICT_REFUSE, set_table_beyond, "partition 2" },
	{ "image-on-source-disk", VERDICT_REFUSE, set_image_on_source, "/mnt/b.img" },
	{ "image-on-source-disk", VERDICT_REFUSE, set_loop_on_source, "/dev/sdb" },
	{ "destination-on-source", VERDICT_REFUSE, set_made_of_source, "made of" },
	{ "destination-extended", VERDICT_REFUSE, set_extended, "logical" },
	{ "image-space", VERDICT_REFUSE, set_no_space, "Make room" },
	{ "image-space", VERDICT_WARN, set_no_space_sparse, "sparse" },
	{ "image-limit", VERDICT_REFUSE, set_fat, "FAT" },
	{ "log-on-destination", VERDICT_REFUSE, set_log_on_destination, "/mnt/log" },
	{ "log-on-destination", VERDICT_REFUSE, set_map_on_destination, "/mnt/a.map" },
	{ "destination-holds-data", VERDICT_WARN, set_data, "1 (ext4 \"photos\"" },
	{ "destination-holds-data", VERDICT_WARN, set_whole_fs, "archive" },
	{ "destination-holds-data", VERDICT_WARN, set_partition_data, "photos" },
	{ "image-exists", VERDICT_WARN, set_image_exists, "/srv/b.img" },
	{ "same-model", VERDICT_WARN, set_same_model, "/dev/sdc (serial WX99)" },
	{ "destination-serial", VERDICT_WARN, set_no_serial, "no serial" },
	{ "destination-serial", VERDICT_WARN, set_shared_serial, "WX12D3456789" },
	{ "source-mounted", VERDICT_WARN, set_source_mounted, "/home" },
	{ "source-in-use", VERDICT_WARN, set_source_in_use, "vg0-home" },
	{ "source-table-broken", VERDICT_WARN, set_table_broken, "beyond the disk" },
	{ "destination-on-boot-disk", VERDICT_WARN, set_beside_boot, "/dev/sdb2" },
	{ "disk-into-partition", VERDICT_WARN, set_disk_into_partition, "/dev/sdb1" },
	{ "partition-onto-disk", VERDICT_WARN, set_partition_onto_disk, "/dev/sda1" },
	{ "partitions-not-copied", VERDICT_WARN, set_some_partitions, "number 2" },
	{ "backup-gpt-inside", VERDICT_WARN, set_larger, "sgdisk -e /dev/sdb" },
	{ "backup-gpt-missing", VERDICT_WARN, set_some_partitions, "sgdisk -e /dev/sdb" },
	{ "leftovers", VERDICT_WARN, set_leftovers, "wipefs -a /dev/sdb" },
	{ "leftovers", VERDICT_WARN, set_raid_leftovers, "linux_raid_member" },
	{ "duplicate-identities", VERDICT_WARN, set_table_uuid, "sgdisk -G /dev/sdb" },
	{ "duplicate-identities", VERDICT_WARN, set_partition_onto_disk, "/dev/sda1" },
	{ "duplicate-btrfs", VERDICT_WARN, set_btrfs, "/dev/sda2" },
	{ "duplicate-lvm", VERDICT_WARN, set_lvm, "vgimportclone" },
	{ "duplicate-md", VERDICT_WARN, set_raid, "zero-superblock" },
	{ "duplicate-xfs", VERDICT_WARN, set_xfs, "nouuid" },
	{ "duplicate-xfs", VERDICT_WARN, set_xfs_on_disk, "/dev/sda" },
	{ "alignment", VERDICT_WARN, set_misaligned, "4096" },
	{ "same-physical-disk", VERDICT_WARN, set_same_drive, "/dev/sda" },
	{ "same-physical-disk", VERDICT_WARN, set_same_parent, "/dev/sdb" },
	{ "log-on-source", VERDICT_WARN, set_log_on_source, "/var/log/clonedeck" },
	{ "log-in-memory", VERDICT_WARN, set_log_in_memory, "/run/log" },
	{ "without-root", VERDICT_WARN, set_not_root, "root" },
};

#define FIRES ((int)(sizeof(fires) / sizeof(fires[0])))

START_TEST(rule_fires)
{
	const struct rule_case *c = &fires[_i];
	struct machine m;

	machine_init(&m);
	c->set(&m);
	machine_check(&m);
	const struct verdict *verdict = machine_verdict(&m, c->rule);

	ck_assert_msg(verdict != NULL, "%s says nothing", c->rule);
	ck_assert_msg(verdict->kind == c->kind, "%s: kind %d, %s", c->rule, verdict->kind,
		      verdict->sentence);
	ck_assert_msg(strstr(verdict->sentence, c->says) != NULL, "%s: %s", c->rule,
		      verdict->sentence);
	ck_assert_int_eq(verdict_list_worst(&m.verdicts) >= c->kind, 1);
	machine_done(&m);
}
END_TEST

/* ---- nearly the same, and quiet ---- */

static void near_other_partition_mounted(struct machine *m)
{
	set_partition_data(m);
	machine_use(m, 1, USE_MOUNT, "/mnt", "/dev/sdb2");
	machine_use(m, 1, USE_SWAP, "", "/dev/sdb2");
	machine_use(m, 1, USE_DM, "vg0", "/dev/sdb2");
	machine_use(m, 1, USE_EXCLUSIVE, "", "/dev/sdb");
}

static void near_source_mounted(struct machine *m)
{
	machine_use(m, 0, USE_MOUNT, "/", "/dev/sda2");
	machine_use(m, 0, USE_BOOT, "/", "/dev/sda2");
	machine_use(m, 0, USE_SWAP, "", "/dev/sda2");
}

static void near_exact_fit(struct machine *m)
{
	machine_choose(m);
}

static void near_partition_of_same_disk(struct machine *m)
{
	set_same_drive(m);
}

static void near_small_but_ranges(struct machine *m)
{
	set_too_small(m);
	machine_range(m, 2048, 204800);
}

static void near_sizes_of_image(struct machine *m)
{
	machine_image(&m->destination, "/srv/b.img", 0, false);
	m->facts.image_free_known = true;
	m->facts.image_free = DISK_SIZE;
	m->facts.image_limit = DISK_SIZE;
	m->destination.logical_sector_size = 0;
}

static void near_image_beside_source(struct machine *m)
{
	endpoint_from_partition(&m->disks[0], &m->parts[0][0], &m->source);
	set_image_on_source(m);
}

static void near_places_elsewhere(struct machine *m)
{
	machine_place(&m->facts.log_dir, "/var/log", makedev(8, 33), "/dev/sdc");
	machine_place(&m->facts.map, "/srv/a.map", makedev(8, 33), "/dev/sdc");
	machine_place(&m->facts.source_image, "/srv/a.img", makedev(8, 33), "/dev/sdc");
}

static void near_map_on_disk(struct machine *m)
{
	set_log_in_memory(m);
	machine_place(&m->facts.map, "/srv/a.map", makedev(8, 33), "/dev/sdc");
}

static void near_no_wwn(struct machine *m)
{
	m->disks[0].identity.wwn[0] = m->disks[1].identity.wwn[0] = '\0';
}

static void near_other_wwn(struct machine *m)
{
	set_same_wwn(m);
	m->disks[1].identity.wwn[5] = 'f';
	machine_choose(m);
}

static void near_loops(struct machine *m)
{
	set_same_model(m);
	m->disks[1].kind = m->disks[2].kind = DISK_LOOP;
}

static void near_gpt_larger_image(struct machine *m)
{
	machine_image(&m->destination, "/srv/b.img", 2 * DISK_SIZE, true);
}

static void near_not_the_start(struct machine *m)
{
	set_btrfs(m);
	machine_range(m, 2048, 1000);
}

static void near_aligned(struct machine *m)
{
	m->disks[1].physical_sector_size = 4096;
	machine_choose(m);
	machine_range(m, 2048, 8);
	m->at = 64;
	m->has_at = true;
}

static void near_image_without_root(struct machine *m)
{
	set_same_file(m);
	m->facts.same_storage = false;
	m->facts.root = false;
}

static void near_elsewhere_on_the_same_disk(struct machine *m)
{
	m->destination = m->source;
	machine_range(m, 2048, 1000);
	m->at = 1000000;
	m->has_at = true;
}

static void near_4kn_without_table(struct machine *m)
{
	set_4kn(m);
	m->disks[0].table[0] = '\0';
	m->disks[0].partition_count = 0;
	m->allow[0] = "sector-size-differs";
}

static void near_all_partitions(struct machine *m)
{
	machine_range(m, 0, 2006848);
}

static const struct rule_case quiet[] = {
	{ "destination-mounted", 0, near_other_partition_mounted, NULL },
	{ "destination-swap", 0, near_other_partition_mounted, NULL },
	{ "destination-held", 0, near_other_partition_mounted, NULL },
	{ "destination-exclusive", 0, near_other_partition_mounted, NULL },
	{ "destination-boot", 0, set_beside_boot, NULL },
	{ "destination-boot", 0, near_source_mounted, NULL },
	{ "destination-mounted", 0, near_source_mounted, NULL },
	{ "source-mounted", 0, near_source_mounted, NULL },
	{ "destination-swap", 0, near_source_mounted, NULL },
	{ "destination-on-boot-disk", 0, set_boot, NULL },
	{ "destination-too-small", 0, near_exact_fit, NULL },
	{ "destination-too-small", 0, near_small_but_ranges, NULL },
	{ "table-beyond-end", 0, near_small_but_ranges, NULL },
	{ "source-is-destination", 0, near_partition_of_same_disk, NULL },
	{ "same-disk-overlap", 0, near_partition_of_same_disk, NULL },
	{ "source-is-destination", 0, near_elsewhere_on_the_same_disk, NULL },
	{ "source-image-on-destination", 0, near_places_elsewhere, NULL },
	{ "log-on-destination", 0, near_places_elsewhere, NULL },
	{ "log-on-source", 0, near_places_elsewhere, NULL },
	{ "log-in-memory", 0, near_map_on_disk, NULL },
	{ "image-space", 0, near_sizes_of_image, NULL },
	{ "image-limit", 0, near_sizes_of_image, NULL },
	{ "sector-size-differs", 0, near_sizes_of_image, NULL },
	{ "destination-on-source", 0, near_made_of_others, NULL },
	{ "destination-on-source", 0, set_loop_on_source, NULL },
	{ "image-on-source-disk", 0, set_made_of_source, NULL },
	{ "destination-extended", 0, set_partition_data, NULL },
	{ "same-wwn", 0, near_no_wwn, NULL },
	{ "same-wwn", 0, near_other_wwn, NULL },
	{ "same-model", 0, near_loops, NULL },
	{ "backup-gpt-inside", 0, near_gpt_larger_image, NULL },
	{ "backup-gpt-missing", 0, near_exact_fit, NULL },
	{ "duplicate-btrfs", 0, near_not_the_start, NULL },
	{ "alignment", 0, near_aligned, NULL },
	{ "same-physical-disk", 0, near_exact_fit, NULL },
	{ "without-root", 0, near_image_without_root, NULL },
	{ "partitions-not-copied", 0, near_all_partitions, NULL },
	{ "partition-onto-disk", 0, set_partition_data, NULL },
	{ "disk-into-partition", 0, set_partition_data, NULL },
	{ "leftovers", 0, set_data, NULL },
	{ "leftovers", 0, near_backup_inside, NULL },
};

START_TEST(rule_is_quiet)
{
	const struct rule_case *c = &quiet[_i];
	struct machine m;

	machine_init(&m);
	c->set(&m);
	machine_check(&m);
	const struct verdict *verdict = machine_verdict(&m, c->rule);

	ck_assert_msg(!verdict || verdict->kind == VERDICT_OK, "%s: %s", c->rule,
		      verdict ? verdict->sentence : "");
	machine_done(&m);
}
END_TEST

START_TEST(clean_machine_has_no_complaint)
{
	struct machine m;

	machine_init(&m);
	/* Identifiers exist twice after any copy of file systems: that is no complaint. */
	m.parts[0][0].uuid[0] = m.parts[0][1].uuid[0] = '\0';
	machine_check(&m);
	for (size_t i = 0; i < m.verdicts.count; i++)
		ck_assert_msg(m.verdicts.items[i].kind == VERDICT_OK, "%s: %s",
			      m.verdicts.items[i].rule, m.verdicts.items[i].sentence);
	ck_assert_uint_gt(m.verdicts.count, 3);
	ck_assert_int_eq(verdict_list_worst(&m.verdicts), VERDICT_OK);
	machine_done(&m);
}
END_TEST

START_TEST(every_rule_is_tested)
{
	for (const struct rule_info *rule = rules_table(); rule->id; rule++) {
		int cases = 0;

		for (int i = 0; i < FIRES; i++)
			cases += strcmp(fires[i].rule, rule->id) == 0;
		ck_assert_msg(cases > 0, "no test makes %s fire", rule->id);
		ck_assert(rule->looks_at && rule->looks_at[0]);
	}
}
END_TEST

START_TEST(image_beside_its_source_only_warns)
{
	struct machine m;

	machine_init(&m);
	near_image_beside_source(&m);
	machine_check(&m);
	ck_assert_int_eq(machine_verdict(&m, "image-on-source-disk")->kind, VERDICT_WARN);
	machine_done(&m);
}
END_TEST

START_TEST(refusals_come_first)
{
	struct machine m;

	machine_init(&m);
	set_data(&m);
	set_mounted(&m);
	machine_check(&m);
	ck_assert_str_eq(m.verdicts.items[0].rule, "destination-mounted");
	for (size_t i = 1; i < m.verdicts.count; i++)
		ck_assert_int_ge(m.verdicts.items[i - 1].kind, m.verdicts.items[i].kind);
	machine_done(&m);
}
END_TEST

START_TEST(named_rule_is_lifted_alone)
{
	struct machine m;

	machine_init(&m);
	set_same_wwn(&m);
	set_mounted(&m);
	m.allow[0] = "same-wwn";
	machine_check(&m);
	ck_assert_int_eq(machine_verdict(&m, "same-wwn")->kind, VERDICT_WARN);
	ck_assert(machine_verdict(&m, "same-wwn")->lifted);
	ck_assert_int_eq(machine_verdict(&m, "destination-mounted")->kind, VERDICT_REFUSE);
	machine_done(&m);
}
END_TEST

START_TEST(table_on_other_sectors_is_never_lifted)
{
	struct machine m;

	machine_init(&m);
	set_4kn(&m);
	m.allow[0] = "sector-size-differs";
	machine_check(&m);
	ck_assert_int_eq(machine_verdict(&m, "sector-size-differs")->kind, VERDICT_REFUSE);
	ck_assert(!machine_verdict(&m, "sector-size-differs")->liftable);
	machine_done(&m);
}
END_TEST

START_TEST(contents_without_table_may_change_sectors)
{
	struct machine m;

	machine_init(&m);
	near_4kn_without_table(&m);
	machine_check(&m);
	ck_assert_int_eq(machine_verdict(&m, "sector-size-differs")->kind, VERDICT_WARN);
	machine_done(&m);
}
END_TEST

START_TEST(unknown_and_unliftable_names_are_refused)
{
	static const char *const unknown[] = { "everything", NULL };
	static const char *const never[] = { "destination-mounted", NULL };
	struct verdict_list verdicts = { 0 };
	struct error error = { 0 };
	struct machine m;

	machine_init(&m);
	machine_plan(&m);
	ck_assert_int_eq(rules_check(m.plan, &m.facts, unknown, &verdicts, &error), -EINVAL);
	ck_assert_int_eq(error.class, ERROR_CLASS_USAGE);
	ck_assert_int_eq(rules_check(m.plan, &m.facts, never, &verdicts, &error), -EINVAL);
	ck_assert_ptr_null(verdicts.items);
	machine_done(&m);
}
END_TEST

/* Hostile or absurdly long names end inside the buffers. */
START_TEST(long_names_are_cut)
{
	struct machine m;

	machine_init(&m);
	set_data(&m);
	memset(m.parts[1][0].label, 'L', sizeof(m.parts[1][0].label) - 1);
	memset(m.parts[1][0].fs, 'f', sizeof(m.parts[1][0].fs) - 1);
	memset(m.disks[1].identity.serial, 'S', sizeof(m.disks[1].identity.serial) - 1);
	memset(m.disks[1].identity.model, 'M', sizeof(m.disks[1].identity.model) - 1);
	for (int i = 0; i < 3; i++)
		machine_use(
			&m, 1, USE_MOUNT,
			"/a/very/long/mount/point/that/goes/on/and/on/for/quite/a/while/and/then"
			"/some/more/of/it",
			"/dev/sdb1");
	machine_choose(&m);
	machine_check(&m);
	for (size_t i = 0; i < m.verdicts.count; i++)
		ck_assert_uint_lt(strlen(m.verdicts.items[i].sentence),
				  sizeof(m.verdicts.items[i].sentence));
	ck_assert_ptr_nonnull(strstr(machine_verdict(&m, "destination-mounted")->sentence, ".."));
	machine_done(&m);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("guard/rules");
	TCase *each = tcase_create("each rule");
	TCase *all = tcase_create("all rules");

	tcase_add_loop_test(each, rule_fires, 0, FIRES);
	tcase_add_loop_test(each, rule_is_quiet, 0, (int)(sizeof(quiet) / sizeof(quiet[0])));
	suite_add_tcase(suite, each);
	tcase_add_test(all, clean_machine_has_no_complaint);
	tcase_add_test(all, every_rule_is_tested);
	tcase_add_test(all, image_beside_its_source_only_warns);
	tcase_add_test(all, refusals_come_first);
	tcase_add_test(all, named_rule_is_lifted_alone);
	tcase_add_test(all, table_on_other_sectors_is_never_lifted);
	tcase_add_test(all, contents_without_table_may_change_sectors);
	tcase_add_test(all, unknown_and_unliftable_names_are_refused);
	tcase_add_test(all, long_names_are_cut);
	suite_add_tcase(suite, all);
	return suite;
}
