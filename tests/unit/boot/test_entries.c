/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boot entries of the firmware, and what is no sound one. */
#include "unit.h"

#include <string.h>

#include "boot/entries.h"

static const uint8_t guid[16] = { 0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11,
				  0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b };

static size_t put_text(uint8_t *to, const char *text)
{
	size_t length = strlen(text) + 1;

	for (size_t i = 0; i < length; i++) {
		to[2 * i] = (uint8_t)text[i];
		to[2 * i + 1] = 0;
	}
	return 2 * length;
}

/* As efivarfs shows Boot0001. */
static size_t make(uint8_t *data, const char *label, const char *loader)
{
	size_t at = 10, path, length;

	memset(data, 0, 512);
	data[0] = 7;
	at += put_text(data + at, label);
	path = at;
	data[at] = 4;
	data[at + 1] = 1;
	data[at + 2] = 42;
	data[at + 4] = 2;
	memcpy(data + at + 24, guid, sizeof(guid));
	data[at + 40] = 2;
	data[at + 41] = 2;
	at += 42;
	length = put_text(data + at + 4, loader);
	data[at] = data[at + 1] = 4;
	data[at + 2] = (uint8_t)(length + 4);
	at += length + 4;
	memcpy(data + at, "\x7f\xff\x04", 4);
	at += 4;
	data[8] = (uint8_t)(at - path);
	return at;
}

TEST(names_disk_and_loader)
{
	struct boot_entry entry;
	uint8_t data[512];
	size_t length = make(data, "debian", "\\EFI\\debian\\shimx64.efi");

	ck_assert(boot_entry_parse(data, length, &entry));
	ck_assert_str_eq(entry.label, "debian");
	ck_assert_str_eq(entry.part_uuid, "c12a7328-f81f-11d2-ba4b-00a0c93ec93b");
	ck_assert_str_eq(entry.loader, "\\EFI\\debian\\shimx64.efi");
}

TEST(names_a_partition_of_an_old_table)
{
	struct boot_entry entry;
	uint8_t data[512];
	size_t length = make(data, "x", "\\a");

	data[10 + 4 + 41] = 1;
	ck_assert(boot_entry_parse(data, length, &entry));
	ck_assert_str_eq(entry.part_uuid, "c12a7328-02");
}

TEST(a_shorter_one_is_none)
{
	struct boot_entry entry;
	uint8_t data[512];
	size_t length = make(data, "debian", "\\EFI\\x");

	for (size_t i = 0; i < length; i++) {
		uint8_t *copy = malloc(i + 1);

		memcpy(copy, data, i);
		ck_assert(!boot_entry_parse(copy, i, &entry));
		free(copy);
	}
	data[10 + 14 + 2] = 3;
	ck_assert(!boot_entry_parse(data, length, &entry));
}

TEST(a_label_is_no_command_of_the_terminal)
{
	struct boot_entry entry;
	uint8_t data[512];
	size_t length = make(data, "a\033[2Jb", "\\x");

	ck_assert(boot_entry_parse(data, length, &entry));
	ck_assert(!strchr(entry.label, '\033'));
}

TEST(without_variables_nothing_is_known)
{
	struct boot_entries entries;

	boot_entries_read("/nonexistent", &entries);
	ck_assert(!entries.known);
	ck_assert_uint_eq(entries.count, 0);
}
