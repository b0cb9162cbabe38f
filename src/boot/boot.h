/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a disk a machine can start from: boot code for a BIOS, loaders in an EFI system
 * partition for UEFI. It tells what is there, not that the system behind it runs. Only reads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discover/disk.h"

#define BOOT_ITEMS_MAX 24
#define BOOT_TEXT_MAX  128
#define BOOT_LINE_MAX  512

/* In the order in which they are told. */
enum boot_kind {
	BOOT_CODE,      /* in the first sector; text: whose, "" unknown */
	BOOT_GRUB_CORE, /* what GRUB's code loads: in the gap (partition 0), or in a partition */
	BOOT_ACTIVE,    /* the active MBR partition, with boot code; text: whose, "" unknown */
	BOOT_ESP,       /* an EFI system partition whose FAT can be read */
	BOOT_LOADER,    /* a loader in it: text is its path */
	BOOT_BCD,       /* what Windows' loader reads */
	BOOT_LIST,      /* the entries of systemd-boot */
	BOOT_KINDS,
};

struct boot_item {
	enum boot_kind kind;
	unsigned partition; /* 0: outside of all */
	char text[BOOT_TEXT_MAX];
	bool lost; /* some of it was not copied, or could not be read */
};

struct boot_look {
	bool read; /* false: nothing is known */
	struct boot_item items[BOOT_ITEMS_MAX];
	size_t count;
};

/* Is any of these bytes missing? */
typedef bool boot_lost(void *user, uint64_t start, uint64_t length);

struct boot_source {
	int fd;
	uint64_t size;
	uint32_t sector_size;
	const struct partition *partitions;
	size_t count;
	boot_lost *lost; /* NULL: nothing is */
	void *user;
};

void boot_look(const struct boot_source *source, struct boot_look *ret);

/* The first one of the kind; NULL: there is none. */
const struct boot_item *boot_find(const struct boot_look *look, enum boot_kind kind);
/* Boot code or a loader was found, whatever it starts. */
bool boot_can_start(const struct boot_look *look);
/* A path that firmware starts without a boot entry. */
bool boot_is_fallback(const char *path);
/* The loader that a boot entry is best made for: not one of those; NULL: there is none. */
const struct boot_item *boot_best_loader(const struct boot_look *look);
/* Lines for people, translated: from 0 on, false after the last. */
bool boot_line(const struct boot_look *look, size_t index, char line[static BOOT_LINE_MAX]);
/* "bios-code", "grub-core", …: in JSON. */
const char *boot_kind_name(enum boot_kind kind);
