/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "boot/entries.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/text.h"

#define ENTRY_BYTES_MAX 4096
#define HEAD            10U /* attributes of the variable and of the entry, length of the path */
#define MEDIA           4   /* type of a node of the path, and its kinds */
#define HARD_DRIVE      1
#define FILE_PATH       4
#define HARD_DRIVE_LEN  42U

/* UTF-16 up to its NUL; what is not ASCII is '?'. Returns the bytes read. */
static size_t take_text(const uint8_t *from, size_t length, char *to, size_t size)
{
	size_t used = 0, i;

	for (i = 0; i + 1 < length && (from[i] || from[i + 1]); i += 2)
		if (used + 1 < size)
			to[used++] = from[i + 1] || from[i] >= 0x7f ? '?' : (char)from[i];
	to[used] = '\0';
	text_sanitise(to, size, to, used);
	return i + 2;
}

/* The signature in the words of libblkid: a GUID, or the disk's own and the partition's number. */
static bool take_drive(const uint8_t *node, struct boot_entry *entry)
{
	const uint8_t *id = node + 24;

	if (node[41] == 1) {
		snprintf(entry->part_uuid, sizeof(entry->part_uuid), "%08x-%02x",
			 (uint32_t)bytes_little(id, 4), (uint32_t)bytes_little(node + 4, 4));
		return true;
	}
	if (node[41] != 2)
		return false;
	snprintf(entry->part_uuid, sizeof(entry->part_uuid),
		 "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", (uint32_t)bytes_little(id, 4),
		 (unsigned)bytes_little(id + 4, 2), (unsigned)bytes_little(id + 6, 2), id[8], id[9],
		 id[10], id[11], id[12], id[13], id[14], id[15]);
	return true;
}

bool boot_entry_parse(const uint8_t *data, size_t length, struct boot_entry *ret)
{
	size_t at = HEAD, end, node;
	bool drive = false;

	if (length < HEAD)
		return false;
	at += take_text(data + at, length - at, ret->label, sizeof(ret->label));
	end = at + bytes_little(data + 8, 2);
	if (end > length)
		return false;
	ret->loader[0] = '\0';
	for (; at + 4 <= end; at += node) {
		node = bytes_little(data + at + 2, 2);
		if (node < 4 || node > end - at)
			return false;
		if (data[at] != MEDIA)
			continue;
		if (data[at + 1] == HARD_DRIVE && node >= HARD_DRIVE_LEN)
			drive = take_drive(data + at, ret);
		else if (data[at + 1] == FILE_PATH)
			take_text(data + at + 4, node - 4, ret->loader, sizeof(ret->loader));
	}
	return drive;
}

static bool read_one(int folder, const char *name, struct boot_entry *ret)
{
	CLEANUP(close) int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	uint8_t data[ENTRY_BYTES_MAX];
	ssize_t n = fd < 0 ? -1 : read(fd, data, sizeof(data));

	return n > 0 && boot_entry_parse(data, (size_t)n, ret);
}

void boot_entries_read(const char *folder, struct boot_entries *ret)
{
	const char *guid = "-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	DIR *names = opendir(folder);
	struct dirent *name;
	char rest[64];
	unsigned number;

	*ret = (struct boot_entries){ 0 };
	while (names && ret->count < BOOT_ENTRIES_MAX && (name = readdir(names))) {
		ret->known = ret->known || name->d_name[0] != '.';
		/* Not BootOrder, BootCurrent. */
		if (sscanf(name->d_name, "Boot%4x%63s", &number, rest) != 2 ||
		    strcmp(rest, guid) != 0)
			continue;
		ret->items[ret->count].number = number;
		if (read_one(dirfd(names), name->d_name, &ret->items[ret->count]))
			ret->count++;
	}
	if (names)
		closedir(names);
}
