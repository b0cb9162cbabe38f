/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines on which a rule refuses, and what it says then. */
#include "guard/scenes.h"

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

void set_same_file(struct machine *m)
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

/* Two sectors on, and each would be read after it was written. */
static void set_same_shifted(struct machine *m)
{
	m->destination = m->source;
	machine_range(m, 4096, 1000);
	m->at = 4098;
	m->has_at = true;
}

void set_same_wwn(struct machine *m)
{
	text_copy(m->disks[0].identity.wwn, 80, "0x5000c500a1b2c3d4");
	text_copy(m->disks[1].identity.wwn, 80, "0x5000c500a1b2c3d4");
	machine_choose(m);
}

/* The disk of the source, and its smaller or otherwise different destination, but in a file. */
static void set_4kn_image(struct machine *m)
{
	set_4kn(m);
	machine_source_image(m);
}

static void set_source_image_on_destination(struct machine *m)
{
	machine_image(&m->source, "/mnt/a.img", MIB, true);
	machine_place(&m->facts.source_image, "/mnt/a.img", makedev(8, 17), "/dev/sdb");
}

void set_boot(struct machine *m)
{
	machine_use(m, 1, USE_BOOT, "/", "/dev/sdb2");
}

void set_mounted(struct machine *m)
{
	machine_use(m, 1, USE_MOUNT, "/mnt/usb", "/dev/sdb1");
}

static void set_swap_file(struct machine *m)
{
	machine_image(&m->destination, "/swap.img", MIB, true);
	m->facts.destination_swap = true;
}

static void set_source_mounted(struct machine *m)
{
	text_copy(m->facts.source_writers.mount, 256, "/home");
}

static void set_source_written(struct machine *m)
{
	machine_use(m, 0, USE_DM, "vg0-home", "/dev/sda2");
	text_copy(m->facts.source_writers.other, 256,
		  "qemu (process 7) has /dev/dm-0 open for writing");
}

static void set_image_attached(struct machine *m)
{
	machine_image(&m->destination, "/srv/b.img", DISK_SIZE, true);
	text_copy(m->facts.destination_loop, 64, "/dev/loop7");
}

static void set_attached_twice(struct machine *m)
{
	text_copy(m->facts.destination_loop, 64, "/dev/loop7");
}

static void set_read_only(struct machine *m)
{
	m->disks[1].read_only = YES;
}

void set_too_small(struct machine *m)
{
	m->disks[1].identity.size = DISK_SIZE - 3 * 512;
	machine_choose(m);
}

static void set_table_can_fit(struct machine *m)
{
	set_too_small(m);
	m->facts.table_can_fit = true;
}

void set_4kn(struct machine *m)
{
	m->disks[1].identity.logical_sector_size = 4096;
	m->disks[1].physical_sector_size = 4096;
	machine_choose(m);
}

static void set_4kn_can_fit(struct machine *m)
{
	set_4kn(m);
	m->facts.table_can_fit = true;
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

/* The table of an old disk is checked like that of a new one. */
static void set_dos_too_small(struct machine *m)
{
	text_copy(m->disks[0].table, sizeof(m->disks[0].table), "dos");
	set_too_small(m);
}

static void set_dos_table_beyond(struct machine *m)
{
	text_copy(m->disks[0].table, sizeof(m->disks[0].table), "dos");
	set_table_beyond(m);
}

static void set_partition_too_long(struct machine *m)
{
	m->disks[1].identity.size = DISK_SIZE / 2;
	machine_choose(m);
}

static void set_nothing_fits(struct machine *m)
{
	m->disks[1].identity.size = MIB;
	machine_choose(m);
}

static void set_without_table(struct machine *m)
{
	m->disks[0].table[0] = '\0';
	set_too_small(m);
}

/* A whole disk with its table: nothing that is allowed makes that readable. */
static void set_4kn_allowed(struct machine *m)
{
	set_4kn(m);
	m->allow[0] = "sector-size-differs";
}

void set_image_on_source(struct machine *m)
{
	machine_image(&m->destination, "/mnt/b.img", 0, false);
	machine_place(&m->facts.destination_image, "/mnt/b.img", makedev(8, 2), "/dev/sda");
}

void set_loop_on_source(struct machine *m)
{
	m->disks[1].kind = DISK_LOOP;
	machine_place(&m->facts.destination_below, "", makedev(8, 2), "/dev/sda");
	m->facts.destination_below.below[0].by_file = true;
}

static void set_loop_over_source(struct machine *m)
{
	m->disks[1].kind = DISK_LOOP;
	machine_place(&m->facts.destination_below, "", makedev(8, 0), "/dev/sda");
}

/* It does not keep the disk that it was put over for itself. */
static void set_loop_over_mounted(struct machine *m)
{
	m->disks[1].kind = DISK_LOOP;
	machine_disk(m, 2, "sdc", "ST1000", "WX99", DISK_SIZE);
	m->list.count = 3;
	machine_partition(m, 2, 2048, 1000, "ext4", "photos");
	machine_use(m, 2, USE_MOUNT, "/mnt/photos", "/dev/sdc1");
	machine_place(&m->facts.destination_below, "", makedev(8, 33), "/dev/sdc");
}

void set_made_of_source(struct machine *m)
{
	m->disks[1].kind = DISK_DM;
	machine_place(&m->facts.destination_below, "", makedev(8, 2), "/dev/sda");
}

/* The source is a partition of the disk that the destination, past all partitions, stands on. */
static void set_made_of_sources_disk(struct machine *m)
{
	m->disks[1].kind = DISK_DM;
	endpoint_from_partition(&m->disks[0], &m->parts[0][0], &m->source);
	machine_place(&m->facts.destination_below, "", makedev(8, 0), "/dev/sda");
}

static const struct plan_options to_by_sg = { .destination_backend = BACKEND_SG };
static const struct plan_options from_by_mapped_sg = { .source_backend = BACKEND_SG,
						       .sg_data = SG_DATA_MMAP };

static void set_nvme_by_sg(struct machine *m)
{
	m->disks[1].kind = DISK_NVME;
	text_copy(m->disks[1].transport, sizeof(m->disks[1].transport), "nvme");
	m->options = &to_by_sg;
}

static void set_file_by_sg(struct machine *m)
{
	machine_image(&m->destination, "/srv/b.img", 0, false);
	m->options = &to_by_sg;
}

static void set_mapped_without_sg(struct machine *m)
{
	m->options = &from_by_mapped_sg;
}

void make_sg_only(struct machine *m, int i)
{
	text_copy(m->disks[i].node, sizeof(m->disks[i].node), "/dev/sg3");
	text_copy(m->disks[i].sg, sizeof(m->disks[i].sg), "/dev/sg3");
	text_copy(m->disks[i].hctl, sizeof(m->disks[i].hctl), "2:0:0:0");
	machine_choose(m);
}

static void set_source_sg_only_by_uring(struct machine *m)
{
	static const struct plan_options from_by_uring = { .source_backend = BACKEND_URING };

	make_sg_only(m, 0);
	m->options = &from_by_uring;
}

static void set_destination_sg_only(struct machine *m)
{
	make_sg_only(m, 1);
}

static void set_extended(struct machine *m)
{
	machine_partition(m, 1, 2048, 2000000, "", "")->extended = true;
	endpoint_from_partition(&m->disks[1], &m->parts[1][0], &m->destination);
	machine_range(m, 2048, 2);
	m->at = 0;
	m->has_at = true;
}

void set_no_space(struct machine *m)
{
	machine_image(&m->destination, "/srv/b.img", 0, false);
	m->facts.image_free_known = true;
	m->facts.image_free = DISK_SIZE - 1;
}

static void set_no_space_without_holes(struct machine *m)
{
	set_no_space(m);
	m->facts.source_allocated_known = true;
	m->facts.source_allocated = 4096;
	m->facts.image_dense = true;
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

static void set_destination_host_managed(struct machine *m)
{
	text_copy(m->disks[1].zoned, 16, "host-managed");
}

static void set_image_beyond(struct machine *m)
{
	set_table_beyond(m);
	machine_source_image(m);
}

static void set_not_half_made(struct machine *m)
{
	text_copy(m->facts.shows, sizeof(m->facts.shows), "ext4 \"photos\"");
}

static void set_new_identities_of_image(struct machine *m)
{
	static const struct plan_options options = { .identities = IDENTITIES_REWRITE };

	machine_image(&m->destination, "/srv/b.img", DISK_SIZE, true);
	m->options = &options;
}

static void set_new_identities_without_table(struct machine *m)
{
	static const struct plan_options options = { .identities = IDENTITIES_NEW };

	m->disks[0].partition_count = 0;
	m->options = &options;
}

static void set_new_identities_of_unread_table(struct machine *m)
{
	set_new_identities_without_table(m);
	strcpy(m->disks[0].table, "?");
}

const struct rule_case refused[] = {
	{ "new-identities", set_new_identities_of_image, "not an image" },
	{ "new-identities", set_new_identities_without_table, "has no partitions" },
	{ "new-identities", set_new_identities_of_unread_table, "are not known" },
	{ "destination-not-half-made", set_not_half_made, "holds ext4 \"photos\" now" },
	{ "source-gone", set_source_gone, "/dev/sda (serial ZFL1A2B3)" },
	{ "destination-gone", set_destination_gone, "/dev/sdb" },
	{ "source-empty", set_source_empty, "no medium" },
	{ "destination-empty", set_destination_empty, "no medium" },
	{ "source-is-destination", set_same, "/dev/sda" },
	{ "source-is-destination", set_same_file, "same file" },
	{ "same-disk-overlap", set_overlap, "overlap" },
	{ "same-disk-overlap", set_same_shifted, "--at" },
	{ "same-wwn", set_same_wwn, "0x5000c500a1b2c3d4" },
	{ "source-image-on-destination", set_source_image_on_destination, "/mnt/a.img" },
	{ "source-mounted", set_source_mounted, "(/home)" },
	{ "source-mounted", set_source_mounted, "remount,ro)" },
	{ "source-in-use", set_source_written, "qemu (process 7)" },
	{ "source-in-use", NULL, "swapoff", { 0, USE_SWAP, "", "/dev/sda2" } },
	{ "source-in-use", NULL, "/dev/sda", { 0, USE_EXCLUSIVE, "", "/dev/sda" } },
	{ "destination-boot", set_boot, "/dev/sdb2" },
	{ "destination-mounted", set_mounted, "/dev/sdb1: /mnt/usb" },
	{ "destination-swap", NULL, "swapoff", { 1, USE_SWAP, "", "/dev/sdb3" } },
	{ "destination-swap", set_swap_file, "active swap file" },
	{ "destination-held", NULL, "vg0-root", { 1, USE_DM, "vg0-root", "/dev/sdb3" } },
	{ "destination-held", NULL, "mdadm --stop", { 1, USE_MD, "md127", "/dev/sdb" } },
	{ "destination-held", NULL, "losetup -d", { 1, USE_LOOP, "/mnt/a.img", "/dev/sdb1" } },
	{ "destination-held",
	  NULL,
	  "/sys/class/block/sdb/bcache/stop",
	  { 1, USE_BCACHE, "bcache0", "/dev/sdb" } },
	{ "destination-held", NULL, "Take that apart", { 1, USE_BCACHE, "drbd0", "/dev/sdb" } },
	{ "destination-held", set_image_attached, "losetup -d /dev/loop7" },
	{ "destination-held", set_attached_twice, "/dev/loop7, too" },
	{ "destination-exclusive", NULL, "exclusively", { 1, USE_EXCLUSIVE, "", "/dev/sdb" } },
	{ "destination-read-only", set_read_only, "blockdev --setrw /dev/sdb" },
	{ "destination-too-small", set_too_small, ": 3 sectors of 512" },
	{ "destination-too-small", set_too_small, "--ranges 0-" },
	{ "destination-too-small", set_dos_too_small, "--ranges 0-" },
	{ "destination-too-small", set_table_can_fit, "--table=fit" },
	{ "destination-too-small", set_table_can_fit, "--ranges 0-" },
	/* The deck has keys for that. */
	{ "destination-too-small", set_too_small, " (in the deck: f)" },
	{ "destination-too-small", set_table_can_fit, " (in the deck: t)" },
	{ "destination-too-small", set_partition_too_long, "Partition 2 ends at LBA" },
	{ "destination-too-small", set_nothing_fits, "shrink it first, or take a larger disk." },
	{ "destination-too-small", set_without_table, "or choose ranges that fit" },
	{ "table-beyond-end", set_dos_table_beyond, "partition 2" },
	{ "sector-size-differs", set_4kn_allowed, "--allow sector-size-differs does not lift" },
	{ "sector-size-differs", set_4kn, "4096" },
	{ "sector-size-differs", set_4kn_can_fit, "--table=fit (in the deck: t) makes it anew" },
	{ "sector-size-differs", set_4kn_partition, "--allow" },
	{ "table-beyond-end", set_table_beyond, "partition 2" },
	{ "sector-size-differs", set_4kn_image, "a copied partition table" },
	{ "table-beyond-end", set_image_beyond, "partition 2" },
	{ "image-on-source-disk", set_image_on_source, "/mnt/b.img" },
	{ "image-on-source-disk", set_loop_on_source, "/dev/sdb" },
	{ "destination-on-source", set_made_of_source, "made of" },
	{ "destination-on-source", set_loop_over_source, "made of" },
	{ "destination-held", set_loop_over_mounted, "/dev/sdc1: /mnt/photos" },
	{ "destination-on-source", set_made_of_sources_disk, "/dev/sda1" },
	{ "sg-backend", set_nvme_by_sg, "no SCSI disk (nvme)" },
	{ "sg-backend", set_file_by_sg, "is a file" },
	{ "sg-backend", set_mapped_without_sg, "modprobe sg" },
	{ "block-node", set_source_sg_only_by_uring, "--source-backend" },
	{ "block-node", set_destination_sg_only, "echo 2:0:0:0 > /sys/bus/scsi/drivers/sd/bind" },
	{ "destination-host-managed", set_destination_host_managed,
	  "/dev/sdb (serial WX12D3456789) is a host-managed" },
	{ "destination-extended", set_extended, "logical" },
	{ "image-space", set_no_space, "Make room" },
	{ "image-space", set_no_space_without_holes, "Make room" },
	{ "image-limit", set_fat, "FAT" },
	{ "log-on-destination", set_log_on_destination, "/mnt/log" },
	{ "log-on-destination", set_map_on_destination, "/mnt/a.map" },
	{ NULL, NULL, NULL },
};
