/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines on which a rule warns, and what it says then. */
#include "guard/scenes.h"

void set_volumes_of_one_disk(struct machine *m)
{
	m->disks[0].kind = m->disks[1].kind = DISK_DM;
	machine_place(&m->facts.source_below, "", makedev(8, 33), "/dev/sdc");
	machine_place(&m->facts.destination_below, "", makedev(9, 0), "/dev/md0");
	machine_place(&m->facts.destination_below, "", makedev(8, 34), "/dev/sdc");
}

/* On the source's disk, whose other partition is not the source. */
void set_volume_beside_its_ground(struct machine *m)
{
	m->disks[1].kind = DISK_DM;
	endpoint_from_partition(&m->disks[0], &m->parts[0][0], &m->source);
	machine_place(&m->facts.destination_below, "", makedev(8, 2), "/dev/sda");
}

static void set_array_degraded(struct machine *m)
{
	m->disks[1].missing_members = 1;
}

static void set_volume_on_degraded_array(struct machine *m)
{
	machine_disk(m, 2, "md7", "raid5", "", 3 * DISK_SIZE);
	m->list.count = 3;
	m->disks[2].missing_members = 2;
	machine_place(&m->facts.source_below, "", makedev(9, 7), "/dev/md7");
}

static void set_source_sg_only(struct machine *m)
{
	make_sg_only(m, 0);
}

static void set_no_space_sparse(struct machine *m)
{
	set_no_space(m);
	machine_image(&m->source, "/srv/a.img", DISK_SIZE, true);
	m->source.identity.inode = 1;
	m->facts.source_allocated_known = true;
	m->facts.source_allocated = MIB;
}

void set_data(struct machine *m)
{
	text_copy(m->disks[1].table, 16, "gpt");
	machine_partition(m, 1, 2048, 204800, "ext4", "photos");
}

static void set_whole_fs(struct machine *m)
{
	text_copy(m->disks[1].whole_fs, 32, "xfs");
	text_copy(m->disks[1].whole_label, 128, "archive");
}

void set_partition_data(struct machine *m)
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

void set_same_model(struct machine *m)
{
	machine_disk(m, 2, "sdc", "WDC WD40EFAX", "WX99", DISK_SIZE);
	m->list.count = 3;
}

static void set_same_model_and_serial(struct machine *m)
{
	set_same_model(m);
	text_copy(m->disks[2].identity.serial, 128, m->disks[1].identity.serial);
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

static void set_name_space(struct machine *m)
{
	set_shared_serial(m);
	m->disks[1].identity.nsid = 2;
}

static void set_table_broken(struct machine *m)
{
	snprintf(m->notes[0].text, sizeof(m->notes[0].text), "partition 2 ends beyond the disk");
	m->disks[0].notes = m->notes;
	m->disks[0].note_count = 1;
}

void set_beside_boot(struct machine *m)
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

static void set_no_table(struct machine *m)
{
	machine_range(m, 2048, 204800);
}

static void set_no_table_moved(struct machine *m)
{
	set_no_table(m);
	machine_partition(m, 1, 2048, 204800, "", "");
	m->at = 4096;
	m->has_at = true;
}

static void set_nameless_partition(struct machine *m)
{
	set_no_table(m);
	m->parts[0][0].node[0] = '\0';
}

static void set_larger(struct machine *m)
{
	m->disks[1].identity.size = 2 * DISK_SIZE;
	machine_choose(m);
}

static void set_larger_than_a_backup(struct machine *m)
{
	set_larger(m);
	m->disks[0].gpt_from_backup = true;
}

void set_leftovers(struct machine *m)
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

void set_btrfs(struct machine *m)
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

static void set_whole_luks(struct machine *m)
{
	text_copy(m->disks[0].whole_fs, 32, "crypto_LUKS");
	m->disks[0].partition_count = 0;
	m->disks[0].table[0] = '\0';
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

void set_same_drive(struct machine *m)
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

void set_log_in_memory(struct machine *m)
{
	text_copy(m->facts.log_dir.path, 512, "/run/log");
	m->facts.log_dir.in_memory = true;
}

static void set_destination_open(struct machine *m)
{
	text_copy(m->facts.destination_writers.other, 256,
		  "dd (process 7) has /dev/sdb open for writing");
}

static void set_not_root(struct machine *m)
{
	m->facts.root = false;
}

static void set_source_protected(struct machine *m)
{
	m->facts.source_reach = (struct guard_reach){ DISK_SIZE, DISK_SIZE + MIB };
}

static void set_source_bridged(struct machine *m)
{
	m->facts.source_reach = (struct guard_reach){ .open = DISK_SIZE + 4096 };
}

static void set_destination_protected(struct machine *m)
{
	m->facts.destination_reach = (struct guard_reach){ DISK_SIZE, DISK_SIZE + MIB };
}

static void set_destination_bridged(struct machine *m)
{
	m->facts.destination_reach = (struct guard_reach){ DISK_SIZE + 4096, DISK_SIZE + 4096 };
}

static void set_source_host_managed(struct machine *m)
{
	text_copy(m->disks[0].zoned, 16, "host-managed");
}

static void set_larger_than_image(struct machine *m)
{
	set_larger(m);
	machine_source_image(m);
}

static void set_some_of_image(struct machine *m)
{
	set_some_partitions(m);
	machine_source_image(m);
}

static void set_no_table_of_image(struct machine *m)
{
	set_no_table(m);
	machine_source_image(m);
}

static void set_broken_image(struct machine *m)
{
	machine_source_image(m);
	strcpy(m->notes[0].text, "It is broken.");
	m->disks[0].notes = m->notes;
	m->disks[0].note_count = 1;
}

static void set_data_in_image(struct machine *m)
{
	set_data(m);
	machine_image(&m->destination, "/srv/b.img", DISK_SIZE, true);
	m->facts.destination_contents = &m->disks[1];
}

static void set_boots(struct machine *m)
{
	text_copy(m->facts.boots, sizeof(m->facts.boots), "BIOS: GRUB");
}

static void set_no_file_system(struct machine *m)
{
	text_copy(m->facts.whole, sizeof(m->facts.whole),
		  "partition 2: no file system was recognised");
}

static void set_dirty(struct machine *m)
{
	text_copy(m->facts.whole, sizeof(m->facts.whole), "partition 3: its journal");
	m->facts.whole_known = true;
}

static void leave_free_places(struct machine *m, enum free_choice choice, enum preset preset)
{
	static struct plan_options options;

	options = PLAN_OPTIONS_DEFAULT;
	options.free = choice;
	options.preset = preset;
	m->options = &options;
	ck_assert_int_eq(range_list_add(&m->free_places.left_out, (struct range){ 300000, 2000 }),
			 0);
}

static void set_free_places_left(struct machine *m)
{
	leave_free_places(m, FREE_LEAVE, PRESET_HEALTHY);
}

static void set_failing_source(struct machine *m)
{
	m->facts.source_fails = true;
}

static void set_failing_source_used_only(struct machine *m)
{
	leave_free_places(m, FREE_ZERO, PRESET_FAILING);
	m->facts.source_fails = true;
}

void near_free_places_zeroed(struct machine *m)
{
	leave_free_places(m, FREE_ZERO, PRESET_HEALTHY);
}

static void set_new_identities(struct machine *m)
{
	static const struct plan_options options = { .identities = IDENTITIES_NEW };

	m->options = &options;
}

static void set_new_identities_of_luks(struct machine *m)
{
	set_new_identities(m);
	set_fs(m, "crypto_LUKS");
}

static void set_new_identities_of_luks_that_starts(struct machine *m)
{
	set_new_identities_of_luks(m);
	m->facts.starts = true;
}

static void set_new_identities_of_lvm(struct machine *m)
{
	set_new_identities(m);
	set_fs(m, "LVM2_member");
}

/* No warnings: what a technician is to know. */
const struct rule_case said[] = {
	{ "source-boots", set_boots, "BIOS: GRUB" },
	{ "copied-whole", set_no_file_system, "partition 2: no file system" },
	{ 0 },
};

const struct rule_case warned[] = {
	{ "free-places-left", set_free_places_left, "1.02 MB" },
	{ "copied-whole", set_dirty, "partition 3: its journal" },
	{ "source-failing", set_failing_source, "--preset failing" },
	{ "source-failing", set_failing_source_used_only, "--used=first" },
	{ "new-identities", set_new_identities, "may then not start" },
	{ "new-identities", set_new_identities_of_luks, "only when its fstab" },
	{ "new-identities", set_new_identities_of_luks_that_starts, "starts, alone" },
	{ "new-identities", set_new_identities_of_lvm, "only when its fstab" },
	{ "block-node", set_source_sg_only, "has no block node" },
	{ "source-host-managed", set_source_host_managed, "/dev/sda" },
	{ "image-space", set_no_space_sparse, "sparse" },
	{ "destination-holds-data", set_data, "1 (ext4 \"photos\"" },
	{ "destination-holds-data", set_whole_fs, "archive" },
	{ "destination-holds-data", set_partition_data, "photos" },
	{ "image-exists", set_image_exists, "/srv/b.img" },
	{ "same-model", set_same_model, "/dev/sdc (serial WX99). Compare the serial numbers" },
	{ "same-model", set_same_model_and_serial, "No serial number tells them apart" },
	{ "destination-serial", set_no_serial, "no serial" },
	{ "destination-serial", set_shared_serial, "WX12D3456789" },
	{ "destination-serial", set_name_space, "name space 2" },
	{ "source-in-use", NULL, "vg0-home", { 0, USE_DM, "vg0-home", "/dev/sda2" } },
	{ "source-in-use", NULL, "leave it so", { 0, USE_DM, "vg0-home", "/dev/sda2" } },
	{ "source-table-broken", set_table_broken, "beyond the disk" },
	{ "destination-on-boot-disk", set_beside_boot, "/dev/sdb2" },
	{ "disk-into-partition", set_disk_into_partition, "/dev/sdb1" },
	{ "partition-onto-disk", set_partition_onto_disk, "/dev/sda1" },
	{ "partitions-not-copied", set_some_partitions, "number 2" },
	{ "table-not-copied", set_no_table, "come to lie: 1." },
	{ "table-not-copied", set_no_table_moved, "/dev/sdb" },
	{ "source-hidden", set_source_protected, "2,048 sectors" },
	{ "source-hidden", set_source_protected, "host protected area" },
	{ "source-hidden", set_source_bridged, "8 sectors" },
	{ "source-hidden", set_source_bridged, "USB bridge" },
	{ "destination-hidden", set_destination_protected, "stays as it is. hdparm" },
	{ "destination-hidden", set_destination_bridged, "stays as it is. Attached" },
	{ "backup-gpt-inside", set_larger, "sfdisk --relocate gpt-bak-std /dev/sdb" },
	{ "backup-gpt-inside", set_larger_than_a_backup, "brings it back" },
	{ "backup-gpt-missing", set_some_partitions, "sfdisk --relocate gpt-bak-std /dev/sdb" },
	{ "backup-gpt-inside", set_larger_than_image, "/dev/sdb" },
	{ "backup-gpt-missing", set_some_of_image, "/dev/sdb" },
	{ "partitions-not-copied", set_some_of_image, "number 2" },
	{ "table-not-copied", set_no_table_of_image, "come to lie: 1." },
	{ "source-table-broken", set_broken_image, "/srv/a.img" },
	{ "destination-holds-data", set_data_in_image, "photos" },
	{ "leftovers", set_leftovers, "wipefs -a /dev/sdb" },
	{ "leftovers", set_raid_leftovers, "linux_raid_member" },
	{ "duplicate-identities", set_table_uuid, "take the old one out" },
	{ "duplicate-identities", set_partition_onto_disk, "/dev/sda1" },
	{ "duplicate-identities", set_nameless_partition, "partition 1 of /dev/sda" },
	{ "duplicate-identities", set_whole_luks, "/dev/sda and its copy on /dev/sdb" },
	{ "duplicate-btrfs", set_btrfs, "/dev/sda2" },
	{ "duplicate-lvm", set_lvm, "Take one of them out" },
	{ "duplicate-md", set_raid, "Take one of them out" },
	{ "duplicate-xfs", set_xfs, "nouuid" },
	{ "duplicate-xfs", set_xfs_on_disk, "/dev/sda" },
	{ "alignment", set_misaligned, "4096" },
	{ "same-physical-disk", set_same_drive, "/dev/sda" },
	{ "same-physical-disk", set_same_parent, "/dev/sdb" },
	{ "same-physical-disk", set_volumes_of_one_disk, "/dev/sdc" },
	{ "same-physical-disk", set_volume_beside_its_ground, "/dev/sda" },
	{ "degraded-array", set_array_degraded, "/dev/sdb: 1." },
	{ "degraded-array", set_volume_on_degraded_array, "/dev/md7: 2." },
	{ "log-on-source", set_log_on_source, "/var/log/clonedeck" },
	{ "log-in-memory", set_log_in_memory, "/run/log" },
	{ "without-root", set_not_root, "root" },
	{ "destination-exclusive", set_destination_open, "dd (process 7)" },
	{ NULL, NULL, NULL },
};
