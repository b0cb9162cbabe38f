/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole machines, replayed by umockdev: made up (tests/dumps/machines.py) and recorded. */
#include "discover/scan.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <umockdev.h>

#include "discover/device.h"
#include "discover/endpoint.h"
#include "unit.h"

static UMockdevTestbed *testbed;
static struct scan *scan;
static struct disk_list *list;

static void setup(void)
{
	const char *preload = getenv("LD_PRELOAD");

	ck_assert_msg(preload && strstr(preload, "umockdev"), "run it through umockdev-wrapper");
	testbed = umockdev_testbed_new();
}

static void teardown(void)
{
	disk_list_destroy(list);
	scan_destroy(scan);
	g_object_unref(testbed);
}

static void load(const char *machine)
{
	g_autofree char *path = g_strdup_printf("%s/%s.umockdev", DUMPS, machine);
	GError *error = NULL;

	ck_assert_msg(umockdev_testbed_add_from_file(testbed, path, &error), "%s",
		      error ? error->message : "");
}

static void run(const char *machine, bool all)
{
	static char mountinfo[512], swaps[512];
	struct scan_options options = { .all = all, .mountinfo = mountinfo, .swaps = swaps };
	struct error error = { 0 };

	snprintf(mountinfo, sizeof(mountinfo), "%s/%s.mountinfo", DUMPS, machine);
	snprintf(swaps, sizeof(swaps), "%s/%s.swaps", DUMPS, machine);
	ck_assert_msg(scan_new(&options, &scan, &error) == 0, "%s", error.sentence);
	ck_assert_msg(scan_run(scan, &list, &error) == 0, "%s", error.sentence);
}

static void load_and_run(const char *machine, bool all)
{
	load(machine);
	run(machine, all);
}

static const struct disk *disk(const char *node)
{
	const struct disk *found = disk_list_find(list, node);

	ck_assert_msg(found != NULL, "%s is not listed", node);
	return found;
}

/* What the file says that its temperature is read from. */
static int millidegrees(const struct disk *disk)
{
	FILE *file = fopen(disk->hwmon, "re");
	int value;

	ck_assert_msg(file && fscanf(file, "%d", &value) == 1, "%s", disk->hwmon);
	fclose(file);
	return value;
}

static bool missing(const char *part)
{
	for (size_t i = 0; i < list->missing_count; i++)
		if (strstr(list->missing[i], part))
			return true;
	return false;
}

static bool uses(const struct use_list *in_use, enum use_kind kind, const char *what)
{
	for (size_t i = 0; i < in_use->count; i++)
		if (in_use->items[i].kind == kind && strcmp(in_use->items[i].what, what) == 0)
			return true;
	return false;
}

UNIT_CASE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(laptop_sata)
{
	load_and_run("laptop", false);

	const struct disk *sda = disk("/dev/sda");

	ck_assert_str_eq(sda->hctl, "2:0:0:0");
	ck_assert_str_eq(sda->sg, "/dev/sg0");
	ck_assert_str_eq(sda->bsg, "/dev/bsg/2:0:0:0");
	ck_assert_str_eq(sda->transport, "sata");
	ck_assert_str_eq(sda->driver, "ahci");
	ck_assert_str_eq(sda->identity.model, "ST2000DM008-2FR102");
	ck_assert_str_eq(sda->identity.serial, "ZFL1A2B3");
	ck_assert_str_eq(sda->identity.wwn, "0x5000c500a1b2c3d4");
	ck_assert_str_eq(sda->identity.firmware, "0001");
	ck_assert_uint_eq(sda->identity.size, 2000398934016);
	ck_assert_uint_eq(sda->identity.logical_sector_size, 512);
	ck_assert_uint_eq(sda->physical_sector_size, 4096);
	ck_assert_uint_eq(sda->identity.diskseq, 3);
	ck_assert_uint_eq(sda->max_transfer, 1280 * 1024);
	ck_assert_uint_eq(sda->dma_alignment, 512);
	ck_assert_uint_eq(sda->queue_depth, 32);
	ck_assert_uint_eq(sda->max_command, 32767 * 1024);
	ck_assert_int_eq(sda->write_cache, YES);
	ck_assert_int_eq(sda->unmap, NO);
	ck_assert_int_eq(sda->zeroes, UNKNOWN);
	ck_assert_str_eq(sda->zoned, "none");
	ck_assert(!disk_is_host_managed(sda));
	ck_assert_int_eq(sda->rotational, YES);
	ck_assert_int_eq(sda->removable, NO);
	ck_assert_str_eq(sda->by_id, "/dev/disk/by-id/ata-ST2000DM008-2FR102_ZFL1A2B3");
	ck_assert_str_eq(sda->path, "pci-0000:00:17.0-ata-3");
	ck_assert_str_eq(sda->table, "gpt");
	ck_assert_uint_eq(sda->partition_count, 2);
	ck_assert_str_eq(sda->partitions[0].name, "EFI system");
	ck_assert_str_eq(sda->partitions[0].type_name, "EFI System");
	ck_assert_str_eq(sda->partitions[0].fs, "vfat");
	ck_assert_str_eq(sda->partitions[1].label, "my boot");
	ck_assert_uint_eq(sda->partitions[1].start, 1050624);
	ck_assert_uint_eq(sda->in_use.count, 0);
	/* What is not known without opening: only that a table begins at LBA 0. */
	ck_assert_int_eq(sda->regions[0].kind, REGION_TABLE);
	ck_assert_int_eq(millidegrees(sda), 31000);
}

TEST(laptop_nvme)
{
	load_and_run("laptop", false);

	const struct disk *nvme = disk("/dev/nvme0n1");

	ck_assert_str_eq(nvme->hctl, "");
	ck_assert_str_eq(nvme->sg, "");
	ck_assert_str_eq(nvme->nvme_generic, "/dev/ng0n1");
	ck_assert_str_eq(nvme->transport, "nvme");
	ck_assert_str_eq(nvme->driver, "nvme");
	ck_assert_str_eq(nvme->identity.model, "Samsung SSD 980 1TB");
	ck_assert_str_eq(nvme->identity.serial, "S64DNF0R123456B");
	ck_assert_str_eq(nvme->identity.wwn, "eui.0025385a01b2c3d4");
	ck_assert_str_eq(nvme->identity.firmware, "2B4QFXO7");
	ck_assert_int_eq(nvme->rotational, NO);
	ck_assert_int_eq(millidegrees(nvme), 40850);
	ck_assert_str_eq(nvme->by_id, "/dev/disk/by-id/nvme-Samsung_SSD_980_1TB_S64DNF0R123456B");
	/* Root on LVM on LUKS: all of it comes down to the partition. */
	ck_assert(uses(&nvme->in_use, USE_BOOT, "/"));
	ck_assert(uses(&nvme->in_use, USE_BOOT, "/boot/efi"));
	ck_assert(uses(&nvme->in_use, USE_MOUNT, "/"));
	ck_assert(uses(&nvme->in_use, USE_DM, "nvme0n1p2_crypt"));
	ck_assert(uses(&nvme->in_use, USE_DM, "vg-root"));
	ck_assert_str_eq(nvme->partitions[0].mountpoint, "/boot/efi");
	ck_assert(uses(&nvme->partitions[1].in_use, USE_DM, "vg-swap"));
}

TEST(laptop_usb_and_oddities)
{
	load_and_run("laptop", false);
	ck_assert_uint_eq(list->count, 4);
	ck_assert_str_eq(list->disks[3].name, "nvme0n1");

	const struct disk *stick = disk("/dev/sdb"), *reader = disk("/dev/sdc");

	ck_assert_str_eq(stick->transport, "usb");
	ck_assert_str_eq(stick->driver, "usb-storage");
	ck_assert_str_eq(stick->identity.model, "SanDisk Ultra");
	ck_assert_int_eq(stick->read_only, YES);
	ck_assert_int_eq(stick->removable, YES);
	ck_assert_int_eq(stick->medium_present, YES);
	ck_assert_int_eq(reader->medium_present, NO);
	ck_assert_uint_eq(reader->region_count, 0);
	ck_assert(list->no_raw_driver);
	ck_assert(!missing("raw driver"));
	ck_assert(!missing("sg driver"));
}

TEST(laptop_all)
{
	load_and_run("laptop", true);
	ck_assert_uint_eq(list->count, 7);
	ck_assert_str_eq(disk("/dev/dm-1")->identity.model, "vg-root");
	ck_assert_str_eq(disk("/dev/dm-1")->identity.volume, "LVM-1");
	ck_assert_int_eq(disk("/dev/dm-1")->kind, DISK_DM);
	ck_assert_ptr_null(disk_list_find(list, "/dev/sr0"));
}

TEST(endpoints_by_every_name)
{
	struct endpoint endpoint;
	struct error error = { 0 };

	load_and_run("laptop", false);
	ck_assert_int_eq(endpoint_resolve(list, "/dev/sda", true, &endpoint, &error), 0);
	ck_assert_int_eq(endpoint.kind, ENDPOINT_DISK);
	ck_assert_int_eq(endpoint_resolve(list, "/dev/sg0", true, &endpoint, &error), 0);
	ck_assert_str_eq(endpoint.node, "/dev/sda");
	ck_assert_str_eq(endpoint.sg, "/dev/sg0");
	ck_assert_int_eq(endpoint_resolve(list, "/dev/sda2", true, &endpoint, &error), 0);
	ck_assert_int_eq(endpoint.kind, ENDPOINT_PARTITION);
	ck_assert_uint_eq(endpoint.partition, 2);
	ck_assert_int_eq(endpoint_resolve(list, "/dev/ng0n1", true, &endpoint, &error), 0);
	ck_assert_str_eq(endpoint.node, "/dev/nvme0n1");
	/* The sg node of the optical drive, and the drive itself. */
	ck_assert_int_eq(endpoint_resolve(list, "/dev/sg3", true, &endpoint, &error), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "an optical drive"));
	ck_assert_int_eq(endpoint_resolve(list, "/dev/sr0", true, &endpoint, &error), -ENODEV);
}

TEST(identity_alone_is_the_same)
{
	struct identity identity;

	load_and_run("laptop", false);
	for (size_t i = 0; i < list->count; i++) {
		/* umockdev has no /sys/dev/block for a path without "/block/" in it. */
		if (list->disks[i].kind == DISK_NVME)
			continue;
		ck_assert_int_eq(identity_read(list->disks[i].identity.devno, false, &identity), 0);
		ck_assert_str_eq(identity.serial, list->disks[i].identity.serial);
		ck_assert_str_eq(identity.wwn, list->disks[i].identity.wwn);
		ck_assert_str_eq(identity.model, list->disks[i].identity.model);
		ck_assert_uint_eq(identity.size, list->disks[i].identity.size);
	}
	ck_assert_int_eq(identity_read(12345, false, &identity), -ENODEV);
}

/* struct raw_config_request of linux/raw.h, which is gone. */
struct binding {
	int minor;
	uint64_t block_major, block_minor;
};

static gboolean answer_rawctl(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, void *data)
{
	UMockdevIoctlData *argument, *request;
	struct binding *binding;

	(void)handler;
	(void)data;
	if (umockdev_ioctl_client_get_request(client) != _IO(0xac, 1)) {
		umockdev_ioctl_client_complete(client, -1, ENOTTY);
		return TRUE;
	}
	argument = umockdev_ioctl_client_get_arg(client);
	request = umockdev_ioctl_data_resolve(argument, 0, sizeof(*binding), NULL);
	binding = (struct binding *)request->data;
	/* raw1 is /dev/sda, raw7 the partition /dev/sdb1, raw2 is free. */
	binding->block_major = binding->minor == 2 ? 0 : 8;
	binding->block_minor = binding->minor == 7 ? 17 : 0;
	umockdev_ioctl_data_unref(request);
	umockdev_ioctl_client_complete(client, 0, 0);
	return TRUE;
}

TEST(raw_bindings)
{
	UMockdevIoctlBase *handler = umockdev_ioctl_base_new();
	struct endpoint endpoint;
	struct error error = { 0 };

	load("raw");
	g_signal_connect(handler, "handle-ioctl", G_CALLBACK(answer_rawctl), NULL);
	ck_assert(umockdev_testbed_attach_ioctl(testbed, "/dev/raw/rawctl", handler, NULL));
	run("raw", false);
	ck_assert(!missing("raw"));
	ck_assert_uint_eq(disk("/dev/sda")->raw_count, 1);
	ck_assert_str_eq(disk("/dev/sda")->raw[0], "/dev/raw/raw1");
	ck_assert_uint_eq(disk("/dev/sdb")->raw_count, 1);
	ck_assert_str_eq(disk("/dev/sdb")->raw[0], "/dev/raw/raw7");
	ck_assert_str_eq(disk("/dev/sda")->transport, "sas");
	ck_assert_str_eq(disk("/dev/sda")->driver, "mpt2sas");
	ck_assert_str_eq(disk("/dev/sda")->identity.serial, "PN2134P6J8KX");
	ck_assert_str_eq(disk("/dev/sda")->identity.model, "HGST HUS724020AL");
	ck_assert(!disk_is_host_managed(disk("/dev/sda")));
	ck_assert(disk_is_host_managed(disk("/dev/sdb")));
	ck_assert(disk("/dev/sda")->shares_model);
	ck_assert(!disk("/dev/sda")->shares_serial);

	ck_assert_int_eq(endpoint_resolve(list, "/dev/raw/raw1", false, &endpoint, &error), 0);
	ck_assert_str_eq(endpoint.node, "/dev/sda");
	ck_assert_str_eq(endpoint.raw, "/dev/raw/raw1");
	ck_assert_int_eq(endpoint_resolve(list, "/dev/raw/raw7", false, &endpoint, &error), 0);
	ck_assert_str_eq(endpoint.node, "/dev/sdb1");
	ck_assert_int_eq(endpoint_resolve(list, "/dev/raw/raw2", false, &endpoint, &error),
			 -ENODEV);
	ck_assert_ptr_nonnull(strstr(error.sentence, "not bound"));
	umockdev_testbed_detach_ioctl(testbed, "/dev/raw/rawctl", NULL);
	g_object_unref(handler);
}

/* The folder of a driver, which the testbed does not make of the devices' links to it. */
static void bind_to_ahci(const char *device)
{
	char *root = umockdev_testbed_get_root_dir(testbed);
	char *folder = g_build_filename(root, "sys/bus/pci/drivers/ahci", NULL);
	char *target = g_strdup_printf("../../../../devices/pci0000:00/%s", device);
	char *link = g_build_filename(folder, device, NULL);

	ck_assert_int_eq(g_mkdir_with_parents(folder, 0755), 0);
	ck_assert_int_eq(symlink(target, link), 0);
	g_free(link);
	g_free(target);
	g_free(folder);
	g_free(root);
}

TEST(nvme_disks_that_the_sata_controller_hides)
{
	load_and_run("nosg", false);
	ck_assert(!missing("NVMe"));
	disk_list_destroy(list);
	list = NULL;
	scan_destroy(scan);
	scan = NULL;
	bind_to_ahci("0000:00:17.0");
	run("nosg", false);
	ck_assert(missing("hides NVMe disks (2)"));
}

TEST(no_sg_driver_and_no_udev_database)
{
	load_and_run("nosg", false);
	ck_assert(missing("modprobe sg"));
	ck_assert_str_eq(disk("/dev/sda")->sg, "");
	ck_assert_str_eq(disk("/dev/sda")->identity.serial, "S3Z9NB0K1234");
	ck_assert_str_eq(disk("/dev/sda")->identity.wwn, "0x5002538e40a1b2c3");
	ck_assert_str_eq(disk("/dev/sda")->identity.model, "Samsung SSD 860");
	ck_assert_str_eq(disk("/dev/sda")->identity.firmware, "2B6Q");
	ck_assert_str_eq(disk("/dev/sda")->transport, "sata");
	/* Made of model and serial: no world wide name. */
	ck_assert_str_eq(disk("/dev/sdb")->identity.wwn, "");
	ck_assert(disk_is_host_managed(disk("/dev/sdc")));
}

TEST(stacks_spread_their_uses)
{
	load_and_run("stack", true);
	for (int i = 0; i < 2; i++) {
		const struct disk *d = disk(i ? "/dev/sdb" : "/dev/sda");
		const struct partition *p = &d->partitions[0];

		ck_assert(uses(&p->in_use, USE_DM, i ? "crypt1" : "crypt0"));
		ck_assert(!uses(&p->in_use, USE_DM, i ? "crypt0" : "crypt1"));
		ck_assert(uses(&p->in_use, USE_MD, "md0"));
		ck_assert(uses(&p->in_use, USE_DM, "vg0-srv"));
		ck_assert(uses(&d->in_use, USE_MOUNT, "/srv"));
		ck_assert(uses(&d->in_use, USE_MOUNT, "/export two"));
		/* Swap on a loop device over a file in /srv, though the file was deleted. */
		ck_assert(uses(&d->in_use, USE_LOOP, "/srv/swap.img"));
		ck_assert(uses(&d->in_use, USE_SWAP, "/dev/loop1"));
		ck_assert(!uses(&d->in_use, USE_BOOT, "/"));
	}
	ck_assert(uses(&disk("/dev/sdc")->in_use, USE_MOUNT, "/data"));
	ck_assert(uses(&disk("/dev/sde")->in_use, USE_BCACHE, "bcache0"));
	ck_assert(uses(&disk("/dev/sdf")->in_use, USE_BCACHE, "bcache0"));
	ck_assert(uses(&disk("/dev/etherd/e1.1")->in_use, USE_DM, "vg1-net"));
	/* The live medium. */
	ck_assert(uses(&disk("/dev/sdg")->in_use, USE_BOOT, "/run/live/medium"));
	ck_assert(uses(&disk("/dev/sdg")->in_use, USE_BOOT, "/"));
	ck_assert_uint_eq(disk("/dev/sdh")->in_use.count, 0);
	ck_assert_uint_gt(disk("/dev/md0")->in_use.count, 0);
	ck_assert_str_eq(disk("/dev/md0")->identity.model, "raid1");
	ck_assert_uint_eq(disk("/dev/md0")->missing_members, 1);
	ck_assert_uint_eq(disk("/dev/sda")->missing_members, 0);
}

/* What umockdev does not take from a dump: folders of sysfs that belong to no device. */
static void make_in_sysfs(const char *script)
{
	char *root = umockdev_testbed_get_root_dir(testbed);
	char *command = g_strdup_printf("cd %s/sys && %s", root, script);

	umockdev_testbed_disable(testbed);
	ck_assert_int_eq(system(command), 0);
	umockdev_testbed_enable(testbed);
	g_free(command);
	g_free(root);
}

TEST(btrfs_members_share_the_mount)
{
	load("stack");
	make_in_sysfs("mkdir -p fs/btrfs/1234/devices && cd fs/btrfs/1234/devices && "
		      "for disk in sdc sdd; do ln -s ../../../../class/block/$disk; done");
	run("stack", true);
	ck_assert(uses(&disk("/dev/sdc")->in_use, USE_MOUNT, "/data"));
	ck_assert(uses(&disk("/dev/sdd")->in_use, USE_MOUNT, "/data"));
	ck_assert_uint_eq(disk("/dev/sdh")->in_use.count, 0);
}

/* A cache without anything to cache: the kernel names no holder of it. */
TEST(bcache_holds_what_it_registered)
{
	load("stack");
	make_in_sysfs("mkdir -p fs/bcache class/block/sdh/bcache class/block/bcache0/bcache "
		      "class/block/sde/bcache");
	run("stack", true);
	ck_assert(uses(&disk("/dev/sdh")->in_use, USE_BCACHE, "bcache"));
	ck_assert(uses(&disk("/dev/sde")->in_use, USE_BCACHE, "bcache0"));
	ck_assert_uint_eq(disk("/dev/sde")->in_use.count, 1);
	ck_assert_uint_eq(disk("/dev/bcache0")->in_use.count, 0);
}

static size_t place_of(const struct use_list *in_use, const char *what)
{
	for (size_t i = 0; i < in_use->count; i++)
		if (in_use->items[i].kind != USE_MOUNT && strcmp(in_use->items[i].what, what) == 0)
			return i;
	ck_abort_msg("not used by %s", what);
}

/* vgchange, then mdadm, then cryptsetup. */
TEST(holders_are_told_from_the_top)
{
	load_and_run("stack", true);

	const struct use_list *in_use = &disk("/dev/sda")->partitions[0].in_use;

	ck_assert_uint_lt(place_of(in_use, "/srv/swap.img"), place_of(in_use, "vg0-srv"));
	ck_assert_uint_lt(place_of(in_use, "vg0-srv"), place_of(in_use, "md0"));
	ck_assert_uint_lt(place_of(in_use, "md0"), place_of(in_use, "crypt0"));
}

/* Recorded where it all was real: LVM on md, crypt, bcache, btrfs on NVMe and virtio, a linear
 * device over a whole disk, half an array, two paths to one disk, swap in memory. */
TEST(a_recorded_machine_tells_every_use)
{
	static const struct {
		const char *node, *letters;
	} expected[] = {
		{ "/dev/sda", "MSLR" },  { "/dev/sdb", "MSLR" },  { "/dev/sdc", "ML" },
		{ "/dev/sdd", "MSF" },   { "/dev/sde", "-" },     { "/dev/sdf", "MH" },
		{ "/dev/sdj", "L" },     { "/dev/sdk", "L" },     { "/dev/sdl", "R" },
		{ "/dev/sdm", "L" },     { "/dev/nvme0n1", "M" }, { "/dev/nvme1n1", "-" },
		{ "/dev/vda", "M" },     { "/dev/vdb", "-" },     { "/dev/md0", "MSL" },
		{ "/dev/bcache0", "M" }, { "/dev/dm-0", "M" },    { "/dev/dm-1", "S" },
		{ "/dev/dm-2", "-" },    { "/dev/dm-4", "M" },    { "/dev/dm-5", "-" },
		{ "/dev/loop0", "-" },   { "/dev/zram0", "S" },
	};

	load("stacked");
	make_in_sysfs("mkdir -p fs/bcache fs/btrfs/1234/devices && cd fs/btrfs/1234/devices && "
		      "for disk in nvme0n1 vda; do ln -s ../../../../class/block/$disk; done");
	run("stacked", true);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		char letters[16];

		ck_assert_str_eq(use_letters(&disk(expected[i].node)->in_use, NO, letters),
				 expected[i].letters);
	}
	ck_assert(uses(&disk("/dev/sda")->partitions[0].in_use, USE_MOUNT, "/srv"));
	ck_assert_str_eq(disk("/dev/sdc")->partitions[0].mountpoint, "/secret");
	ck_assert_uint_eq(disk("/dev/sdc")->partitions[1].in_use.count, 0);
	ck_assert_uint_eq(disk("/dev/sdd")->partitions[2].in_use.count, 0);
	/* An array that did not start is no disk, and holds its members all the same. */
	ck_assert_ptr_null(disk_list_find(list, "/dev/md5"));
	ck_assert(uses(&disk("/dev/sdl")->partitions[0].in_use, USE_MD, "md5"));
	ck_assert_uint_eq(disk("/dev/sdl")->partitions[1].in_use.count, 0);
}

TEST(a_recorded_machine_names_every_disk)
{
	load_and_run("stacked", false);
	ck_assert_uint_eq(list->count, 20);
	/* Two controllers: the disk hangs below neither of them. */
	ck_assert_str_eq(disk("/dev/nvme4n1")->identity.model, "QEMU NVMe Ctrl");
	ck_assert_str_eq(disk("/dev/nvme4n1")->identity.serial, "SUBSYS-00001");
	ck_assert_str_eq(disk("/dev/nvme4n1")->identity.firmware, "7.2.22");
	ck_assert_str_eq(disk("/dev/nvme4n1")->nvme_generic, "/dev/ng4n1");
	/* Two name spaces of one: its label says nothing of which. */
	ck_assert(disk("/dev/nvme2n1")->shares_serial);
	ck_assert_uint_eq(disk("/dev/nvme2n1")->identity.nsid, 1);
	ck_assert_uint_eq(disk("/dev/nvme2n2")->identity.nsid, 2);
	ck_assert(!identity_same(&disk("/dev/nvme2n1")->identity, &disk("/dev/nvme2n2")->identity));
	ck_assert_str_eq(disk("/dev/nvme2n1")->physical_parent,
			 disk("/dev/nvme2n2")->physical_parent);
	/* Two paths to one. */
	ck_assert_str_eq(disk("/dev/sdj")->identity.wwn, disk("/dev/sdm")->identity.wwn);
	ck_assert(disk("/dev/sdj")->shares_serial);
	ck_assert_str_eq(disk("/dev/sdf")->driver, "uas");
	ck_assert_str_eq(disk("/dev/sdf")->identity.serial, "UAS-I-000009");
	ck_assert_str_eq(disk("/dev/sdg")->driver, "usb-storage");
	ck_assert_str_eq(disk("/dev/vda")->identity.serial, "BTRFS-G-0007");
	ck_assert_str_eq(disk("/dev/sda")->transport, "sata");
	ck_assert(!missing("no sg node"));
}

TEST(the_rescue_stick_is_known_by_its_volume)
{
	char cmdline[] = "cmdline.XXXXXX";
	int fd = mkstemp(cmdline);
	struct scan_options options = { .cmdline = cmdline };
	struct error error = { 0 };

	ck_assert_int_gt(dprintf(fd, "quiet clonedeck.stick=ABCD-0123 panic=0\n"), 0);
	close(fd);
	load("laptop");
	ck_assert_int_eq(scan_new(&options, &scan, &error), 0);
	ck_assert_int_eq(scan_run(scan, &list, &error), 0);
	unlink(cmdline);
	/* Not only the partition that has the name. */
	ck_assert(uses(&disk("/dev/sda")->in_use, USE_BOOT, "this rescue stick"));
	ck_assert_str_eq(disk("/dev/sda")->in_use.items[0].node, "/dev/sda");
	ck_assert(!uses(&disk("/dev/nvme0n1")->in_use, USE_BOOT, "this rescue stick"));
}

TEST(mounts_that_cannot_be_read)
{
	struct scan_options options = { .mountinfo = "/no/such/mountinfo" };
	struct error error = { 0 };

	load("laptop");
	ck_assert_int_eq(scan_new(&options, &scan, &error), 0);
	/* A list that calls everything unused would be worse than none. */
	ck_assert_int_lt(scan_run(scan, &list, &error), 0);
	ck_assert_ptr_nonnull(strstr(error.sentence, "no disk can be called unused"));
}

static bool next_event(char *text, unsigned size, bool *rescan)
{
	struct pollfd wait = { .fd = scan_event_fd(scan), .events = POLLIN };

	ck_assert_int_ge(wait.fd, 0);
	ck_assert_int_eq(poll(&wait, 1, 5000), 1);
	return scan_next_event(scan, text, size, rescan);
}

TEST(hot_plug)
{
	char text[256];
	bool rescan = false;

	load_and_run("laptop", false);
	ck_assert(!scan_next_event(scan, text, sizeof(text), &rescan));
	ck_assert(!rescan);
	umockdev_testbed_uevent(testbed,
				"/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/"
				"target6:0:0/6:0:0:0/block/sdb",
				"add");
	ck_assert(next_event(text, sizeof(text), &rescan));
	ck_assert(rescan);
	ck_assert_str_eq(text, "add sdb SanDisk Ultra 31.0G");
	/* Changes of what is not listed have no line, but may change what is in use. */
	rescan = false;
	umockdev_testbed_uevent(testbed, "/sys/devices/virtual/block/dm-0", "change");
	ck_assert(next_event(text, sizeof(text), &rescan));
	ck_assert(rescan);
	ck_assert_str_eq(text, "");
	ck_assert(!scan_next_event(scan, text, sizeof(text), &rescan));
}
