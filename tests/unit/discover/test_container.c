/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "discover/endpoint.h"
#include "folder.h"
#include "unit.h"

static const struct disk_list no_disks;
static struct endpoint endpoint;
static struct error error;

static void setup(void)
{
	folder_make();
	ck_assert_int_eq(chdir(folder), 0);
	error = (struct error){ 0 };
}

static void teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	folder_remove();
}

/* 4 KiB with these bytes at this offset; negative: from the end. */
static void make(const char *name, const void *bytes, size_t length, long offset)
{
	char data[4096];
	FILE *f = fopen(name, "w");

	memset(data, 0x11, sizeof(data));
	memcpy(data + (offset < 0 ? (long)sizeof(data) + offset : offset), bytes, length);
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(data, sizeof(data), 1, f), 1);
	ck_assert_int_eq(fclose(f), 0);
}

static int resolve(const char *path, bool destination)
{
	return endpoint_resolve(&no_disks, path, destination, &endpoint, &error);
}

#define BYTES(text) (text), sizeof(text) - 1

static const struct {
	const char *name, *bytes;
	size_t length;
	long offset;
	const char *command;
} known[] = {
	{ "gzip", BYTES("\x1f\x8b\x08\x00"), 0, "gzip -dc x > disk.img" },
	{ "bzip2", BYTES("BZh91AY&SY"), 0, "bzip2 -dc x > disk.img" },
	{ "xz",
	  BYTES("\xfd"
		"7zXZ\0\0\4"),
	  0, "xz -dc x > disk.img" },
	{ "zstd", BYTES("\x28\xb5\x2f\xfd\x04"), 0, "zstd -d x -o disk.img" },
	{ "lz4", BYTES("\x04\x22\x4d\x18"), 0, "lz4 -d x disk.img" },
	{ "ZIP", BYTES("PK\3\4\x14"), 0, "unzip -p x > disk.img" },
	{ "7-Zip", BYTES("7z\xbc\xaf\x27\x1c"), 0, "7z x -so x > disk.img" },
	{ "qcow2", BYTES("QFI\xfb\0\0\0\3"), 0, "qemu-img convert -O raw x disk.img" },
	{ "qcow2", BYTES("QFI\xfb\0\0\0\3"), 0, "qemu-nbd -r -c /dev/nbd0 x" },
	{ "VMDK", BYTES("KDMV\1"), 0, "qemu-img convert" },
	{ "VMDK", BYTES("# Disk DescriptorFile\n"), 0, "qemu-img convert" },
	{ "VHDX", BYTES("vhdxfile"), 0, "qemu-img convert" },
	{ "VHD", BYTES("conectix"), 0, "qemu-img convert -O raw" },
	{ "VHD", BYTES("conectix"), -512, "qemu-img convert -f vpc -O raw" },
	{ "VDI", BYTES("\x7f\x10\xda\xbe"), 64, "qemu-img convert" },
	{ "EnCase (E01)", BYTES("EVF\x09\x0d\x0a\xff\0"), 0, "ewfmount x DIR" },
	{ "AFF", BYTES("AFF10\r\n\0"), 0, "affuse x DIR" },
	{ "AFF4", BYTES("container.description"), 30, "the program that made it" },
	{ "partclone", BYTES("partclone-image0001"), 0, "partclone.restore" },
	{ "ntfsclone", BYTES("\0ntfsclone-image"), 0, "ntfsclone --restore-image" },
	{ "Apple DMG", BYTES("koly"), -512, "dmg2img x disk.img" },
};

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST_ROWS(refused_at_either_end, ARRAY_SIZE(known))
{
	char format[64];

	make("x", known[_i].bytes, known[_i].length, known[_i].offset);
	snprintf(format, sizeof(format), " %s format", known[_i].name);
	ck_assert_int_eq(resolve("x", false), -EINVAL);
	ck_assert_int_eq(error_exit_code(&error), EXIT_USAGE);
	ck_assert_ptr_nonnull(strstr(error.sentence, format));
	ck_assert_msg(strstr(error.sentence, known[_i].command) != NULL, "%s", error.sentence);
	ck_assert_int_eq(resolve("x", true), -EINVAL);
	ck_assert_int_eq(error_exit_code(&error), EXIT_USAGE);
	ck_assert_ptr_nonnull(strstr(error.sentence, format));
	/* A copy that was begun with it goes on, whatever its first bytes are by now. */
	ck_assert_int_eq(endpoint_resolve_recorded(&no_disks, "x", true, &endpoint, &error), 0);
}

TEST(raw_images_are_taken)
{
	make("raw.img", BYTES("\xeb\x3c\x90MSDOS5.0"), 0);
	ck_assert_int_eq(resolve("raw.img", false), 0);
	ck_assert_int_eq(resolve("raw.img", true), 0);
	/* The bytes count, not the name: the extent of a VMDK is raw. */
	make("disk-flat.vmdk", BYTES("\xeb\x3c\x90MSDOS5.0"), 0);
	ck_assert_int_eq(resolve("disk-flat.vmdk", false), 0);
	ck_assert_int_eq(resolve("disk-flat.vmdk", true), 0);
	/* Right bytes at a wrong place, and too short a file */
	make("late.img", BYTES("QFI\xfb"), 1);
	ck_assert_int_eq(resolve("late.img", false), 0);
	make("short.img", BYTES("conectix"), -511);
	ck_assert_int_eq(resolve("short.img", false), 0);
	ck_assert_int_eq(truncate("short.img", 3), 0);
	ck_assert_int_eq(resolve("short.img", false), 0);
}

TEST(new_files_are_judged_by_their_name)
{
	static const char *const names[] = { "a.img.gz",      "a.QCOW2", "a.vmdk",
					     "a.vhdx",        "a.vdi",   "a.xz",
					     "a.zst",         "a.e01",   "a.aff4",
					     "a.zip",         "a.pcl",   "sda1.ext4-ptcl-img",
					     "sda1.ntfs-img", "a.hds",   "a.tibx" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		ck_assert_int_eq(resolve(names[i], true), -EINVAL);
		ck_assert_int_eq(error_exit_code(&error), EXIT_USAGE);
		ck_assert_ptr_nonnull(strstr(error.sentence, "disk.img"));
	}
	ck_assert_int_eq(resolve("a.img.gz", true), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "run:  gzip disk.img"));
	ck_assert_int_eq(resolve("a b.qcow2", true), -EINVAL);
	ck_assert_ptr_nonnull(
		strstr(error.sentence, "qemu-img convert -O qcow2 disk.img 'a b.qcow2'"));
	/* An empty file is as good as none. */
	fclose(fopen("empty.gz", "w"));
	ck_assert_int_eq(resolve("empty.gz", true), -EINVAL);
	ck_assert_int_eq(resolve("a.img", true), 0);
	ck_assert_int_eq(resolve("a.gz.d", true), 0);
	ck_assert_int_eq(resolve("gz", true), 0);
}

TEST(the_command_survives_any_path)
{
	char long_name[200];

	make("it's a disk.gz", BYTES("\x1f\x8b\x08"), 0);
	ck_assert_int_eq(resolve("it's a disk.gz", false), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "gzip -dc 'it'\\''s a disk.gz' > disk.img"));
	memset(long_name, 'n', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	make(long_name, BYTES("QFI\xfb"), 0);
	ck_assert_int_eq(resolve(long_name, false), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "qemu-img convert -O raw FILE disk.img"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "Then copy /dev/nbd0."));
	make("\x1b[31mred.gz", BYTES("\x1f\x8b\x08"), 0);
	ck_assert_int_eq(resolve("\x1b[31mred.gz", false), -EINVAL);
	ck_assert_ptr_null(strchr(error.sentence, '\x1b'));
	ck_assert_ptr_nonnull(strstr(error.sentence, "gzip -dc FILE > disk.img"));
}

TEST(clonezilla_folder)
{
	ck_assert_int_eq(resolve(".", false), -EISDIR);
	ck_assert_ptr_null(strstr(error.sentence, "Clonezilla"));
	make("clonezilla-img", BYTES("This image was saved by Clonezilla"), 0);
	ck_assert_int_eq(resolve(".", false), -EISDIR);
	ck_assert_ptr_nonnull(strstr(error.sentence, "Clonezilla"));
	ck_assert_int_eq(error_exit_code(&error), EXIT_USAGE);
}
