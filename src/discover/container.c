/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats, and which command makes a raw image of each. */
#include "discover/container.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/letters.h"
#include "base/text.h"

#define MAGIC_MAX 24
/* A longer path is FILE in a command: the sentence must hold all of it. */
#define PATH_SHOWN 48
#define NAME_SHOWN 60

#define MAGIC(text) .magic = (text), .length = sizeof(text) - 1

/*
 * A row without a magic number is another name of a file like the row before it.
 * `raw` is what comes of the command `read`; `attach` is another way to it, and
 * %s in each is the file. `write` makes such a file of disk.img.
 */
struct container {
	const char *name;
	const char *ending; /* what names have behind the dot, or end with ("-..."); NULL none */
	const char *magic;
	size_t length;
	int64_t offset; /* negative: from the end */
	const char *read, *raw, *attach, *write;
};

#define RAW "disk.img"
#define QEMU                                                                                       \
	.read = "qemu-img convert -O raw %s " RAW, .raw = RAW,                                     \
	.attach = "qemu-nbd -r -c /dev/nbd0 %s"
#define QEMU_WRITE(format) .write = "qemu-img convert -O " format " " RAW " %s"

/* Where two rows fit one file, the first one counts. */
static const struct container table[] = {
	{ "gzip", "gz", MAGIC("\x1f\x8b\x08"), 0, "gzip -dc %s > " RAW, RAW, .write = "gzip " RAW },
	{ "bzip2", "bz2", MAGIC("1AY&SY"), 4, "bzip2 -dc %s > " RAW, RAW, .write = "bzip2 " RAW },
	{ "xz", "xz",
	  MAGIC("\xfd"
		"7zXZ\0"),
	  0, "xz -dc %s > " RAW, RAW, .write = "xz " RAW },
	{ "zstd", "zst", MAGIC("\x28\xb5\x2f\xfd"), 0, "zstd -d %s -o " RAW, RAW,
	  .write = "zstd " RAW },
	/* pzstd begins a file so: with a frame that readers skip */
	{ "zstd", NULL, MAGIC("\x50\x2a\x4d\x18"), 0, "zstd -d %s -o " RAW, RAW },
	{ "lz4", "lz4", MAGIC("\x04\x22\x4d\x18"), 0, "lz4 -d %s " RAW, RAW, .write = "lz4 " RAW },
	{ "lz4", NULL, MAGIC("\x02\x21\x4c\x18"), 0, "lz4 -d %s " RAW, RAW },
	{ "lzip", "lz", MAGIC("LZIP\x01"), 0, "lzip -dc %s > " RAW, RAW, .write = "lzip " RAW },
	{ "lzop", "lzo", MAGIC("\x89LZO\0\r\n\x1a\n"), 0, "lzop -dc %s > " RAW, RAW,
	  .write = "lzop " RAW },
	/* A ZIP archive that begins with the name of its volume */
	{ "AFF4", "aff4", MAGIC("container.description"), 30 },
	{ "ZIP", "zip", MAGIC("PK\x03\x04"), 0, "unzip -p %s > " RAW, RAW, .write = "zip %s " RAW },
	{ "7-Zip", "7z", MAGIC("7z\xbc\xaf\x27\x1c"), 0, "7z x -so %s > " RAW, RAW,
	  .write = "7z a %s " RAW },
	{ "RAR", "rar", MAGIC("Rar!\x1a\x07"), 0, "unrar p -inul %s > " RAW, RAW },
	{ "qcow2", "qcow2", MAGIC("QFI\xfb"), 0, QEMU, QEMU_WRITE("qcow2") },
	{ "qcow", "qcow", NULL, 0, 0, QEMU, QEMU_WRITE("qcow2") },
	{ "QED", "qed", MAGIC("QED\0"), 0, QEMU, QEMU_WRITE("qed") },
	{ "VMDK", "vmdk", MAGIC("KDMV"), 0, QEMU, QEMU_WRITE("vmdk") },
	{ "VMDK", NULL, MAGIC("COWD"), 0, QEMU },
	{ "VMDK", NULL, MAGIC("# Disk DescriptorFile"), 0, QEMU },
	{ "VHDX", "vhdx", MAGIC("vhdxfile"), 0, QEMU, QEMU_WRITE("vhdx") },
	{ "VHD", "vhd", MAGIC("conectix"), 0, QEMU, QEMU_WRITE("vpc") },
	/* A fixed one has it only at its end, where qemu-img does not look by itself. */
	{ "VHD", NULL, MAGIC("conectix"), -512, "qemu-img convert -f vpc -O raw %s " RAW, RAW,
	  "qemu-nbd -f vpc -r -c /dev/nbd0 %s" },
	{ "VDI", "vdi", MAGIC("\x7f\x10\xda\xbe"), 64, QEMU, QEMU_WRITE("vdi") },
	{ "Parallels", NULL, MAGIC("WithoutFreeSpace"), 0, QEMU },
	{ "Parallels", "hds", MAGIC("WithouFreSpacExt"), 0, QEMU },
	{ "EnCase (E01)", "e01", MAGIC("EVF\x09\x0d\x0a\xff\0"), 0, "ewfmount %s DIR", "DIR/ewf1" },
	{ "EnCase (Ex01)", "ex01", MAGIC("EVF2\r\n\x81\0"), 0, "ewfmount %s DIR", "DIR/ewf1" },
	{ "AFF", "aff", MAGIC("AFF10\r\n\0"), 0, "affuse %s DIR", "DIR/*.raw" },
	{ "partclone", "pcl", MAGIC("partclone-image"), 0,
	  "partclone.restore -C --restore_raw_file -s %s -O partition.img", "partition.img" },
	/* Names that Clonezilla gives */
	{ "partclone", "-ptcl-img" },
	{ "ntfsclone", "ntfs-img", MAGIC("\0ntfsclone-image"), 0,
	  "ntfsclone --restore-image --overwrite partition.img %s", "partition.img" },
	{ "Apple DMG", "dmg", MAGIC("koly"), -512, "dmg2img %s " RAW, RAW },
	{ "Android sparse image", "simg", MAGIC("\x3a\xff\x26\xed"), 0, "simg2img %s " RAW, RAW },
	{ "Windows image (WIM)", "wim", MAGIC("MSWIM\0\0\0"), 0 },
	{ "Windows image (WIM)", "esd" },
	{ "FSArchiver", "fsa" },
	{ "Ghost", "gho" },
	{ "Acronis", "tib" },
	{ "Acronis", "tibx" },
	{ "Macrium Reflect", "mrimg" },
};

#define CONTAINERS ARRAY_SIZE(table)

static bool is_at(const struct container *container, int fd, uint64_t size)
{
	uint64_t back = (uint64_t)-container->offset;
	uint64_t from = (uint64_t)container->offset;
	char found[MAGIC_MAX];

	if (!container->magic || container->length > sizeof(found))
		return false;
	if (container->offset < 0) {
		if (size < back)
			return false;
		from = size - back;
	}
	return pread(fd, found, container->length, (off_t)from) == (ssize_t)container->length &&
	       memcmp(found, container->magic, container->length) == 0;
}

const struct container *container_of_file(int fd, uint64_t size)
{
	for (size_t i = 0; i < CONTAINERS; i++)
		if (is_at(&table[i], fd, size))
			return &table[i];
	return NULL;
}

static bool ends_so(const char *behind_dot, const char *ending)
{
	if (!ending)
		return false;
	return ending[0] == '-' ? text_has_ending(behind_dot, ending)
				: letters_same(behind_dot, ending);
}

const struct container *container_of_name(const char *path)
{
	const char *dot = strrchr(text_base_name(path), '.');

	for (size_t i = 0; dot && i < CONTAINERS; i++)
		if (ends_so(dot + 1, table[i].ending))
			return &table[i];
	return NULL;
}

/* The command with the file in it, ready to be pasted into a shell. */
static void print_command(const char *command, const char *path, char *buffer, size_t size)
{
	const char *gap = strstr(command, "%s");
	char quoted[PATH_SHOWN];

	if (!gap) {
		text_copy(buffer, size, command);
		return;
	}
	snprintf(buffer, size, "%.*s%s%s", (int)(gap - command), command,
		 text_shell_word(quoted, sizeof(quoted), path, "FILE"), gap + 2);
}

int container_refuse_source(const struct container *container, const char *path,
			    struct error *reterr)
{
	const char *name = text_base_name(path);
	char read[160], attach[160];

	if (!container->read)
		return error_set(
			reterr, ERROR_CLASS_USAGE, -EINVAL, "find", path,
			_("%.*s is in %s format and no raw image: its bytes are not those of a "
			  "disk. Export it as a raw image with the program that made it."),
			NAME_SHOWN, name, container->name);
	print_command(container->read, path, read, sizeof(read));
	if (!container->attach)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", path,
				 _("%.*s is in %s format and no raw image: its bytes are not those "
				   "of a disk. Run:  %s  Then copy %s."),
				 NAME_SHOWN, name, container->name, read, container->raw);
	print_command(container->attach, path, attach, sizeof(attach));
	return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", path,
			 _("%.*s is in %s format and no raw image. Run:  %s  Then copy %s. Or "
			   "attach it:  %s  Then copy /dev/nbd0."),
			 NAME_SHOWN, name, container->name, read, container->raw, attach);
}

int container_refuse_destination(const struct container *container, const char *path, bool exists,
				 struct error *reterr)
{
	const char *name = text_base_name(path);
	char write[160];

	if (exists)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", path,
				 _("%.*s is in %s format. clonedeck writes raw images, and one "
				   "written into this file would destroy it: name another file."),
				 NAME_SHOWN, name, container->name);
	if (!container->write)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", path,
				 _("%.*s is a name for a file in %s format, and clonedeck writes "
				   "raw images: name it %s."),
				 NAME_SHOWN, name, container->name, RAW);
	print_command(container->write, path, write, sizeof(write));
	return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", path,
			 _("%.*s is a name for a file in %s format, and clonedeck writes raw "
			   "images. Name it %s, and after the copy run:  %s"),
			 NAME_SHOWN, name, container->name, RAW, write);
}
