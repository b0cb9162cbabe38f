/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines that are nearly those on which a rule fires, and on which it is quiet. */
#include "guard/scenes.h"

static void near_made_of_others(struct machine *m)
{
	m->disks[1].kind = DISK_DM;
	machine_place(&m->facts.destination_below, "", makedev(8, 33), "/dev/sdc");
}

static void near_volumes_of_two_disks(struct machine *m)
{
	set_volumes_of_one_disk(m);
	text_copy(m->facts.source_below.below[0].disk, 64, "/dev/sdd");
}

/* Files of two practice disks in one folder: what is said of files is said elsewhere. */
static void near_files_on_one_disk(struct machine *m)
{
	set_volumes_of_one_disk(m);
	m->disks[0].kind = m->disks[1].kind = DISK_LOOP;
}

/* Without the sg driver SG_IO on the block node takes the commands. */
static void near_sg_by_block_node(struct machine *m)
{
	static const struct plan_options by_sg = { .source_backend = BACKEND_SG,
						   .destination_backend = BACKEND_SG };

	m->options = &by_sg;
}

static void near_sg_beside_block_node(struct machine *m)
{
	text_copy(m->disks[0].sg, sizeof(m->disks[0].sg), "/dev/sg0");
	text_copy(m->disks[1].sg, sizeof(m->disks[1].sg), "/dev/sg1");
	machine_choose(m);
}

/* Like a disk that got the copy of a smaller one before: its backup lies inside. */
static void near_backup_inside(struct machine *m)
{
	set_leftovers(m);
	m->regions[0].start = DISK_SIZE / 512 - 33;
}

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

static void near_volumes_of_a_mounted_source(struct machine *m)
{
	machine_use(m, 0, USE_DM, "vg0-home", "/dev/sda2");
	text_copy(m->facts.source_writers.mount, 256, "/home");
}

static void near_source_mounted_read_only(struct machine *m)
{
	machine_use(m, 0, USE_MOUNT, "/mnt", "/dev/sda2");
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

void near_image_beside_source(struct machine *m)
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

void near_4kn_without_table(struct machine *m)
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

/* Over a partition of the same place: that is how one is restored. */
static void near_table_of_its_own(struct machine *m)
{
	machine_range(m, 2048, 204800);
	machine_partition(m, 1, 2048, 204800, "ext4", "");
}

static void near_image_of_partitions(struct machine *m)
{
	machine_range(m, 2048, 204800);
	machine_image(&m->destination, "/srv/b.img", 0, false);
}

static void near_all_open(struct machine *m)
{
	m->facts.source_reach = (struct guard_reach){ DISK_SIZE, DISK_SIZE };
	m->facts.destination_reach = (struct guard_reach){ .open = DISK_SIZE };
}

/* A box of two disks lets the one answer, with settings of its own. */
static void near_made_of_two(struct machine *m)
{
	m->facts.source_reach = (struct guard_reach){ DISK_SIZE / 2, DISK_SIZE / 2 + MIB };
}

static void near_protected_behind_partition(struct machine *m)
{
	endpoint_from_partition(&m->disks[0], &m->parts[0][1], &m->source);
	m->facts.source_reach = (struct guard_reach){ DISK_SIZE, DISK_SIZE + MIB };
}

/* Their own firmware puts writes in order. */
static void near_host_aware(struct machine *m)
{
	text_copy(m->disks[0].zoned, 16, "host-aware");
	text_copy(m->disks[1].zoned, 16, "host-aware");
}

static void near_host_managed_source(struct machine *m)
{
	text_copy(m->disks[0].zoned, 16, "host-managed");
	text_copy(m->disks[1].zoned, 16, "none");
}

/* An image is not attached: nothing mixes the two up. */
static void near_identities_in_a_file(struct machine *m)
{
	set_btrfs(m);
	strcpy(m->disks[0].table_uuid, "1234");
	machine_source_image(m);
}

static void near_image_of_same_sectors(struct machine *m)
{
	machine_source_image(m);
}

static void near_failing_source_that_is_spared(struct machine *m)
{
	static struct plan_options options;

	options = PLAN_OPTIONS_DEFAULT;
	options.preset = PRESET_FAILING;
	m->options = &options;
	m->facts.source_fails = true;
}

/* The copy will have its own. */
static void near_new_identities(struct machine *m)
{
	static const struct plan_options options = { .identities = IDENTITIES_NEW };

	strcpy(m->disks[0].table_uuid, "1234");
	m->options = &options;
}

static void near_new_identities_of_btrfs(struct machine *m)
{
	near_new_identities(m);
	set_btrfs(m);
}

const struct rule_case quiet[] = {
	{ "duplicate-identities", near_new_identities, NULL },
	/* A new copy may find anything. */
	{ "destination-not-half-made", set_data, NULL },
	{ "destination-mounted", near_other_partition_mounted, NULL },
	{ "destination-swap", near_other_partition_mounted, NULL },
	{ "destination-held", near_other_partition_mounted, NULL },
	{ "destination-held", near_sizes_of_image, NULL },
	{ "destination-exclusive", near_other_partition_mounted, NULL },
	{ "destination-boot", set_beside_boot, NULL },
	{ "destination-boot", near_source_mounted, NULL },
	{ "destination-mounted", near_source_mounted, NULL },
	{ "source-mounted", near_source_mounted, NULL },
	{ "destination-swap", near_source_mounted, NULL },
	{ "source-in-use", near_volumes_of_a_mounted_source, NULL },
	{ "source-in-use", near_source_mounted_read_only, NULL },
	{ "destination-on-boot-disk", set_boot, NULL },
	{ "destination-too-small", near_exact_fit, NULL },
	{ "destination-too-small", near_small_but_ranges, NULL },
	{ "table-beyond-end", near_small_but_ranges, NULL },
	{ "source-is-destination", near_partition_of_same_disk, NULL },
	{ "same-disk-overlap", near_partition_of_same_disk, NULL },
	{ "source-is-destination", near_elsewhere_on_the_same_disk, NULL },
	{ "source-image-on-destination", near_places_elsewhere, NULL },
	{ "log-on-destination", near_places_elsewhere, NULL },
	{ "log-on-source", near_places_elsewhere, NULL },
	{ "log-in-memory", near_map_on_disk, NULL },
	{ "image-space", near_sizes_of_image, NULL },
	{ "free-places-left", near_free_places_zeroed, NULL },
	{ "source-failing", near_free_places_zeroed, NULL },
	{ "source-failing", near_failing_source_that_is_spared, NULL },
	{ "image-limit", near_sizes_of_image, NULL },
	{ "sector-size-differs", near_sizes_of_image, NULL },
	{ "destination-on-source", near_made_of_others, NULL },
	{ "destination-on-source", set_loop_on_source, NULL },
	{ "image-on-source-disk", set_made_of_source, NULL },
	{ "destination-host-managed", near_host_aware, NULL },
	{ "destination-host-managed", near_host_managed_source, NULL },
	{ "source-host-managed", near_host_aware, NULL },
	{ "destination-extended", set_partition_data, NULL },
	{ "same-wwn", near_no_wwn, NULL },
	{ "same-wwn", near_other_wwn, NULL },
	{ "same-model", near_loops, NULL },
	{ "backup-gpt-inside", near_gpt_larger_image, NULL },
	{ "source-hidden", near_exact_fit, NULL },
	{ "source-hidden", near_all_open, NULL },
	{ "destination-hidden", near_all_open, NULL },
	{ "source-hidden", near_made_of_two, NULL },
	{ "source-hidden", near_protected_behind_partition, NULL },
	{ "backup-gpt-missing", near_exact_fit, NULL },
	{ "duplicate-btrfs", near_not_the_start, NULL },
	{ "duplicate-btrfs", near_identities_in_a_file, NULL },
	{ "duplicate-btrfs", near_new_identities_of_btrfs, NULL },
	{ "duplicate-identities", near_identities_in_a_file, NULL },
	{ "sector-size-differs", near_image_of_same_sectors, NULL },
	{ "table-beyond-end", near_image_of_same_sectors, NULL },
	{ "backup-gpt-inside", near_image_of_same_sectors, NULL },
	{ "alignment", near_aligned, NULL },
	{ "same-physical-disk", near_exact_fit, NULL },
	{ "same-physical-disk", near_volumes_of_two_disks, NULL },
	{ "same-physical-disk", near_files_on_one_disk, NULL },
	{ "destination-on-source", set_volume_beside_its_ground, NULL },
	{ "sg-backend", near_sg_by_block_node, NULL },
	{ "block-node", near_sg_beside_block_node, NULL },
	{ "without-root", near_image_without_root, NULL },
	{ "partitions-not-copied", near_all_partitions, NULL },
	{ "table-not-copied", near_table_of_its_own, NULL },
	{ "table-not-copied", near_image_of_partitions, NULL },
	{ "table-not-copied", near_not_the_start, NULL },
	{ "table-not-copied", near_all_partitions, NULL },
	{ "partition-onto-disk", set_partition_data, NULL },
	{ "disk-into-partition", set_partition_data, NULL },
	{ "leftovers", set_data, NULL },
	{ "leftovers", near_backup_inside, NULL },
	{ NULL, NULL, NULL },
};
