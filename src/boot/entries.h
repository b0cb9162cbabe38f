/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the firmware of this machine is told to start: its boot entries that name a partition. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_ENTRIES_MAX 64
#define BOOT_FOLDER      "/sys/firmware/efi/efivars"

struct boot_entry {
	unsigned number;    /* Boot0003 */
	char label[64];     /* sanitised */
	char part_uuid[40]; /* as libblkid writes it */
	char loader[128];   /* "\EFI\debian\shimx64.efi"; "" it names none */
};

struct boot_entries {
	bool known; /* the machine was started by EFI, and its variables can be read */
	struct boot_entry items[BOOT_ENTRIES_MAX];
	size_t count;
};

/* From the variables in this folder. */
void boot_entries_read(const char *folder, struct boot_entries *ret);
/* Of one variable as efivarfs shows it; false: it names no partition, or is not sound. */
bool boot_entry_parse(const uint8_t *data, size_t length, struct boot_entry *ret);
