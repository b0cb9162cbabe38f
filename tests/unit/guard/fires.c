/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machines on which a rule fires, and what it says then. */
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

static void set_image_attached(struct machine *m)
{
	machine_image(&m->destination, "/srv/b.img", DISK_SIZE, true);
	text_copy(m->facts.destination_loop, 64, "/dev/loop7");
}

static void set_attached_twice(struct machine *m)
{
	text_copy(m->facts.destination_loop, 64, "/dev/loop7");
}

static void set_bcache(struct machine *m)
{
	machine_use(m, 1, USE_BCACHE, "bcache0", "/dev/sdb");
}

static void set_drbd(struct machine *m)
{
	machine_use(m, 1, USE_BCACHE, "drbd0", "/dev/sdb");
}

static void set_exclusive(struct machine *m)
{
	machine_use(m, 1, USE_EXCLUSIVE, "", "/dev/sdb");
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

void set_4kn(struct machine *m)
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

void set_volumes_of_one_disk(struct machine *m)
{
	m->disks[0].kind = m->disks[1].kind = DISK_DM;
	machine_place(&m->facts.source_below, "", makedev(8, 33), "/dev/sdc");
	machine_place(&m->facts.destination_below, "", makedev(9, 0), "/dev/md0");
	machine_place(&m->facts.destination_below, "", makedev(8, 34), "/dev/sdc");
}

static void set_volume_beside_its_ground(struct machine *m)
{
	m->disks[1].kind = DISK_DM;
	endpoint_from_partition(&m->disks[0], &m->parts[0][0], &m->source);
	machine_place(&m->facts.destination_below, "", makedev(8, 2), "/dev/sda");
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

static void make_sg_only(struct machine *m, int i)
{
	text_copy(m->disks[i].node, sizeof(m->disks[i].node), "/dev/sg3");
	text_copy(m->disks[i].sg, sizeof(m->disks[i].sg), "/dev/sg3");
	text_copy(m->disks[i].hctl, sizeof(m->disks[i].hctl), "2:0:0:0");
	machine_choose(m);
}

static void set_source_sg_only(struct machine *m)
{
	make_sg_only(m, 0);
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

static void set_destination_host_managed(struct machine *m)
{
	text_copy(m->disks[1].zoned, 16, "host-managed");
}

static void set_source_host_managed(struct machine *m)
{
	text_copy(m->disks[0].zoned, 16, "host-managed");
}

const struct rule_case fires[] = {
	{ "source-gone", VERDICT_REFUSE, set_source_gone, "/dev/sda (serial ZFL1A2B3)" },
	{ "destination-gone", VERDICT_REFUSE, set_destination_gone, "/dev/sdb" },
	{ "source-empty", VERDICT_REFUSE, set_source_empty, "no medium" },
	{ "destination-empty", VERDICT_REFUSE, set_destination_empty, "no medium" },
	{ "source-is-destination", VERDICT_REFUSE, set_same, "/dev/sda" },
	{ "source-is-destination", VERDICT_REFUSE, set_same_file, "same file" },
	{ "same-disk-overlap", VERDICT_REFUSE, set_overlap, "overlap" },
	{ "same-disk-overlap", VERDICT_REFUSE, set_same_shifted, "--at" },
	{ "same-wwn", VERDICT_REFUSE, set_same_wwn, "0x5000c500a1b2c3d4" },
	{ "source-image-on-destination", VERDICT_REFUSE, set_source_image_on_destination,
	  "/mnt/a.img" },
	{ "destination-boot", VERDICT_REFUSE, set_boot, "/dev/sdb2" },
	{ "destination-mounted", VERDICT_REFUSE, set_mounted, "/dev/sdb1: /mnt/usb" },
	{ "destination-swap", VERDICT_REFUSE, set_swap, "swapoff" },
	{ "destination-held", VERDICT_REFUSE, set_dm, "vg0-root" },
	{ "destination-held", VERDICT_REFUSE, set_md, "mdadm --stop" },
	{ "destination-held", VERDICT_REFUSE, set_loop, "losetup -d" },
	{ "destination-held", VERDICT_REFUSE, set_bcache, "/sys/class/block/sdb/bcache/stop" },
	{ "destination-held", VERDICT_REFUSE, set_drbd, "Take that apart" },
	{ "destination-held", VERDICT_REFUSE, set_image_attached, "losetup -d /dev/loop7" },
	{ "destination-held", VERDICT_REFUSE, set_attached_twice, "/dev/loop7, too" },
	{ "destination-exclusive", VERDICT_REFUSE, set_exclusive, "exclusively" },
	{ "destination-read-only", VERDICT_REFUSE, set_read_only, "blockdev --setrw /dev/sdb" },
	{ "destination-too-small", VERDICT_REFUSE, set_too_small, ": 3 sectors of 512" },
	{ "sector-size-differs", VERDICT_REFUSE, set_4kn, "4096" },
	{ "sector-size-differs", VERDICT_REFUSE, set_4kn_partition, "--allow" },
	{ "table-beyond-end", VERDICT_REFUSE, set_table_beyond, "partition 2" },
	{ "image-on-source-disk", VERDICT_REFUSE, set_image_on_source, "/mnt/b.img" },
	{ "image-on-source-disk", VERDICT_REFUSE, set_loop_on_source, "/dev/sdb" },
	{ "destination-on-source", VERDICT_REFUSE, set_made_of_source, "made of" },
	{ "destination-on-source", VERDICT_REFUSE, set_loop_over_source, "made of" },
	{ "destination-held", VERDICT_REFUSE, set_loop_over_mounted, "/dev/sdc1: /mnt/photos" },
	{ "destination-on-source", VERDICT_REFUSE, set_made_of_sources_disk, "/dev/sda1" },
	{ "sg-backend", VERDICT_REFUSE, set_nvme_by_sg, "no SCSI disk (nvme)" },
	{ "sg-backend", VERDICT_REFUSE, set_file_by_sg, "is a file" },
	{ "sg-backend", VERDICT_REFUSE, set_mapped_without_sg, "modprobe sg" },
	{ "block-node", VERDICT_WARN, set_source_sg_only, "has no block node" },
	{ "block-node", VERDICT_REFUSE, set_source_sg_only_by_uring, "--source-backend" },
	{ "block-node", VERDICT_REFUSE, set_destination_sg_only,
	  "echo 2:0:0:0 > /sys/bus/scsi/drivers/sd/bind" },
	{ "destination-host-managed", VERDICT_REFUSE, set_destination_host_managed,
	  "/dev/sdb (serial WX12D3456789) is a host-managed" },
	{ "source-host-managed", VERDICT_WARN, set_source_host_managed, "/dev/sda" },
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
	{ "destination-serial", VERDICT_WARN, set_name_space, "name space 2" },
	{ "source-mounted", VERDICT_WARN, set_source_mounted, "/home" },
	{ "source-in-use", VERDICT_WARN, set_source_in_use, "vg0-home" },
	{ "source-table-broken", VERDICT_WARN, set_table_broken, "beyond the disk" },
	{ "destination-on-boot-disk", VERDICT_WARN, set_beside_boot, "/dev/sdb2" },
	{ "disk-into-partition", VERDICT_WARN, set_disk_into_partition, "/dev/sdb1" },
	{ "partition-onto-disk", VERDICT_WARN, set_partition_onto_disk, "/dev/sda1" },
	{ "partitions-not-copied", VERDICT_WARN, set_some_partitions, "number 2" },
	{ "table-not-copied", VERDICT_WARN, set_no_table, "come to lie: 1." },
	{ "table-not-copied", VERDICT_WARN, set_no_table_moved, "/dev/sdb" },
	{ "source-hidden", VERDICT_WARN, set_source_protected, "2,048 sectors" },
	{ "source-hidden", VERDICT_WARN, set_source_protected, "host protected area" },
	{ "source-hidden", VERDICT_WARN, set_source_bridged, "8 sectors" },
	{ "source-hidden", VERDICT_WARN, set_source_bridged, "USB bridge" },
	{ "destination-hidden", VERDICT_WARN, set_destination_protected, "stays as it is. hdparm" },
	{ "destination-hidden", VERDICT_WARN, set_destination_bridged, "stays as it is. Attached" },
	{ "backup-gpt-inside", VERDICT_WARN, set_larger, "sgdisk -e /dev/sdb" },
	{ "backup-gpt-missing", VERDICT_WARN, set_some_partitions, "sgdisk -e /dev/sdb" },
	{ "leftovers", VERDICT_WARN, set_leftovers, "wipefs -a /dev/sdb" },
	{ "leftovers", VERDICT_WARN, set_raid_leftovers, "linux_raid_member" },
	{ "duplicate-identities", VERDICT_WARN, set_table_uuid, "sgdisk -G /dev/sdb" },
	{ "duplicate-identities", VERDICT_WARN, set_partition_onto_disk, "/dev/sda1" },
	{ "duplicate-identities", VERDICT_WARN, set_nameless_partition, "partition 1 of /dev/sda" },
	{ "duplicate-btrfs", VERDICT_WARN, set_btrfs, "/dev/sda2" },
	{ "duplicate-lvm", VERDICT_WARN, set_lvm, "vgimportclone" },
	{ "duplicate-md", VERDICT_WARN, set_raid, "zero-superblock" },
	{ "duplicate-xfs", VERDICT_WARN, set_xfs, "nouuid" },
	{ "duplicate-xfs", VERDICT_WARN, set_xfs_on_disk, "/dev/sda" },
	{ "alignment", VERDICT_WARN, set_misaligned, "4096" },
	{ "same-physical-disk", VERDICT_WARN, set_same_drive, "/dev/sda" },
	{ "same-physical-disk", VERDICT_WARN, set_same_parent, "/dev/sdb" },
	{ "same-physical-disk", VERDICT_WARN, set_volumes_of_one_disk, "/dev/sdc" },
	{ "same-physical-disk", VERDICT_WARN, set_volume_beside_its_ground, "/dev/sda" },
	{ "log-on-source", VERDICT_WARN, set_log_on_source, "/var/log/clonedeck" },
	{ "log-in-memory", VERDICT_WARN, set_log_in_memory, "/run/log" },
	{ "without-root", VERDICT_WARN, set_not_root, "root" },
	{ NULL, 0, NULL, NULL },
};
