/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "boot/boot.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/letters.h"
#include "base/range.h"
#include "base/text.h"
#include "boot/fat.h"

#define FIRST         512U
#define CODE          440U  /* before the disk's signature */
#define SLOTS         446U  /* of the MBR's table, 16 bytes each */
#define VOLUME_CODE   8192U /* NTFS keeps so much for it */
#define GRUB_CORE_LBA 0x5c  /* in GRUB's first sector */
#define GRUB_PIECES   0x1f4 /* in the first of its core: the last piece, then those before it */
#define GRUB_PIECE    12U
#define FOLDERS_DEEP  3U
#define ENTRIES_MAX   8192U

static const char type_esp[] = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b";

static struct boot_item *add(struct boot_look *look, enum boot_kind kind, unsigned partition,
			     const char *text)
{
	struct boot_item *item = &look->items[look->count];

	if (look->count == BOOT_ITEMS_MAX)
		return NULL;
	*item = (struct boot_item){ .kind = kind, .partition = partition };
	text_copy(item->text, sizeof(item->text), text);
	look->count++;
	return item;
}

static bool is_lost(const struct boot_source *source, uint64_t start, uint64_t length)
{
	return source->lost && source->lost(source->user, start, length);
}

static bool read_bytes(const struct boot_source *source, uint64_t at, void *to, size_t length)
{
	return at < source->size && length <= source->size - at &&
	       pread(source->fd, to, length, (off_t)at) == (ssize_t)length;
}

/* ---- BIOS ---- */

/* By the words in it that it would print. */
static const char *whose(const uint8_t *code, size_t length)
{
	static const char *const words[][2] = {
		{ "GRUB", "GRUB" },         { "BOOTMGR", "Windows" },   { "NTLDR", "Windows" },
		{ "SYSLINUX", "SYSLINUX" }, { "EXTLINUX", "SYSLINUX" }, { "LILO", "LILO" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (memmem(code, length, words[i][0], strlen(words[i][0])))
			return words[i][1];
	return "";
}

static unsigned partition_at(const struct boot_source *source, uint64_t lba)
{
	for (size_t i = 0; i < source->count; i++) {
		const struct partition *p = &source->partitions[i];

		if (!p->extended && lba >= p->start && lba - p->start < p->sectors)
			return p->number;
	}
	return 0;
}

/* Its first sector lists where the rest lies. */
static void look_at_core(const struct boot_source *source, const uint8_t *first,
			 struct boot_look *look)
{
	uint64_t unit = source->sector_size, lba = bytes_little(first + GRUB_CORE_LBA, 8), start,
		 length;
	struct boot_item *item;
	uint8_t core[FIRST];

	if (!u64_mul(lba, unit, &start) || !read_bytes(source, start, core, sizeof(core)))
		return;
	item = add(look, BOOT_GRUB_CORE, partition_at(source, lba), "GRUB");
	if (!item)
		return;
	item->lost = is_lost(source, start, unit);
	for (unsigned at = GRUB_PIECES; !item->lost && at > FIRST / 2; at -= GRUB_PIECE) {
		if (!bytes_little(core + at + 8, 2))
			break;
		length = bytes_little(core + at + 8, 2) * unit;
		item->lost = !u64_mul(bytes_little(core + at, 8), unit, &start) ||
			     start > source->size || length > source->size - start ||
			     is_lost(source, start, length);
	}
}

static void look_at_active(const struct boot_source *source, const struct partition *partition,
			   struct boot_look *look)
{
	uint8_t code[VOLUME_CODE];
	uint64_t start;
	struct boot_item *item;

	if (!u64_mul(partition->start, source->sector_size, &start) ||
	    !read_bytes(source, start, code, sizeof(code)))
		return;
	/* The sector of a file system that starts nothing has no signature, or no code. */
	if (code[510] != 0x55 || code[511] != 0xaa || bytes_are_zero(code + 90, FIRST - 90 - 2))
		return;
	item = add(look, BOOT_ACTIVE, partition->number, whose(code, sizeof(code)));
	if (item)
		item->lost = is_lost(source, start, sizeof(code));
}

static void look_for_bios(const struct boot_source *source, const uint8_t *first,
			  struct boot_look *look)
{
	struct boot_item *item;

	if (first[510] != 0x55 || first[511] != 0xaa || bytes_are_zero(first, CODE))
		return;
	item = add(look, BOOT_CODE, 0, whose(first, CODE));
	item->lost = is_lost(source, 0, FIRST);
	if (strcmp(item->text, "GRUB") == 0)
		look_at_core(source, first, look);
	for (unsigned i = 0; i < 4; i++) {
		const uint8_t *slot = first + SLOTS + (size_t)16 * i;

		for (size_t k = 0; slot[0] == 0x80 && k < source->count; k++)
			if (source->partitions[k].start == bytes_little(slot + 8, 4))
				look_at_active(source, &source->partitions[k], look);
	}
}

/* ---- UEFI ---- */

struct esp {
	const struct boot_source *source;
	const struct fat *fat;
	unsigned partition;
	unsigned entries_left;
	bool broken; /* a folder could not be read to its end */
	struct boot_look *look;
};

static bool piece_is_there(void *user, uint64_t start, uint64_t length)
{
	return !is_lost(user, start, length);
}

static void look_at_file(struct esp *esp, const struct fat_entry *file, const char *path)
{
	enum boot_kind kind = BOOT_LOADER;
	struct boot_item *item;

	if (letters_same(path, "\\EFI\\Microsoft\\Boot\\BCD"))
		kind = BOOT_BCD;
	else if (letters_after(path, "\\loader\\entries\\") && letters_end(path, ".conf"))
		kind = BOOT_LIST;
	else if (!letters_after(path, "\\EFI\\") || !letters_end(path, ".efi"))
		return;
	item = add(esp->look, kind, esp->partition, path);
	if (item && esp->source->lost)
		item->lost = !fat_pieces(esp->fat, file, piece_is_there, (void *)esp->source);
}

static void look_in_folder(struct esp *esp, const struct fat_entry *folder, const char *above,
			   unsigned deep)
{
	char path[BOOT_TEXT_MAX];
	struct fat_folder walk;
	struct fat_entry entry;
	int r = 0;

	fat_enter(esp->fat, folder, &walk);
	while (esp->entries_left && (r = fat_next(&walk, &entry)) > 0) {
		esp->entries_left--;
		/* Cut, it would be the path of something else. */
		if (snprintf(path, sizeof(path), "%s\\%s", above, entry.name) >= (int)sizeof(path))
			continue;
		if (!entry.folder)
			look_at_file(esp, &entry, path);
		else if (deep < FOLDERS_DEEP &&
			 (deep || letters_same(path, "\\EFI") || letters_same(path, "\\loader")))
			look_in_folder(esp, &entry, path, deep + 1);
	}
	esp->broken = esp->broken || r < 0;
}

static void look_at_esp(const struct boot_source *source, const struct partition *partition,
			struct boot_look *look)
{
	struct esp esp = { source, NULL, partition->number, ENTRIES_MAX, false, look };
	uint64_t start, length;
	struct boot_item *item;
	struct fat fat;
	size_t at;

	if (!u64_mul(partition->start, source->sector_size, &start) ||
	    !u64_mul(partition->sectors, source->sector_size, &length) || start > source->size ||
	    length > source->size - start)
		return;
	esp.fat = &fat;
	at = look->count;
	item = add(look, BOOT_ESP, partition->number, "");
	if (!item)
		return;
	if (fat_open(source->fd, start, length, &fat) < 0) {
		item->lost = is_lost(source, start, FIRST);
		look->count = item->lost ? look->count : at;
		return;
	}
	look_in_folder(&esp, NULL, "", 0);
	item->lost = esp.broken || !fat_pieces_of_tables(&fat, piece_is_there, (void *)source);
}

void boot_look(const struct boot_source *source, struct boot_look *ret)
{
	uint8_t first[FIRST];

	*ret = (struct boot_look){ 0 };
	ret->read = source->sector_size && read_bytes(source, 0, first, sizeof(first));
	if (!ret->read)
		return;
	look_for_bios(source, first, ret);
	for (size_t i = 0; i < source->count; i++)
		if (strcmp(source->partitions[i].type, type_esp) == 0 ||
		    strcmp(source->partitions[i].type, "0xef") == 0)
			look_at_esp(source, &source->partitions[i], ret);
}

/* ---- what was found ---- */

const struct boot_item *boot_find(const struct boot_look *look, enum boot_kind kind)
{
	for (size_t i = 0; i < look->count; i++)
		if (look->items[i].kind == kind)
			return &look->items[i];
	return NULL;
}

bool boot_can_start(const struct boot_look *look)
{
	return boot_find(look, BOOT_CODE) || boot_find(look, BOOT_LOADER);
}

bool boot_is_fallback(const char *path)
{
	return letters_after(path, "\\EFI\\BOOT\\BOOT") && letters_end(path, ".EFI");
}

const struct boot_item *boot_best_loader(const struct boot_look *look)
{
	/* The one that the others are started by comes first. */
	static const char *const names[] = { "\\shim", "\\bootmgfw", "\\systemd-boot", "\\grub",
					     "" };

	for (size_t n = 0; n < ARRAY_SIZE(names); n++)
		for (size_t i = 0; i < look->count; i++) {
			const struct boot_item *item = &look->items[i];
			const char *name = strrchr(item->text, '\\');

			if (item->kind == BOOT_LOADER && name &&
			    !letters_after(item->text, "\\EFI\\BOOT\\") &&
			    letters_after(name, names[n]))
				return item;
		}
	return NULL;
}
