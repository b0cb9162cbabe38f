/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The identifiers that a copy shares with its source: of the table, the partitions and what they
 * hold. Systems find their disks by these, so two disks with the same ones must not meet.
 */
#pragma once

#include <stddef.h>

#include "discover/disk.h"
#include "plan/plan.h"

#define IDENTIFIERS_MAX 64

enum identifier_kind {
	IDENTIFIER_TABLE,     /* disk GUID, or the signature of an MBR */
	IDENTIFIER_PARTITION, /* PARTUUID */
	IDENTIFIER_CONTENTS,  /* UUID of a file system, swap, LUKS, or member of LVM or a RAID */
};

struct identifier {
	enum identifier_kind kind;
	unsigned partition; /* 0: the disk */
	char fs[32];        /* what has it: "gpt", "ext4", "LVM2_member"; "" unknown */
	char label[64];
	char value[64];
	char changed_to[64]; /* what the copy has in its place; "": the same */
};

struct identifiers {
	struct identifier items[IDENTIFIERS_MAX];
	size_t count, more; /* more: there was no room for */
};

/* source: the disk, NULL: not known. Nothing where the copy is a file. */
void identifiers_find(const struct plan *plan, const struct disk *source, struct identifiers *ret);
/* "disk GUID, 3 PARTUUIDs, 2 UUIDs of ext4": translated, "" none. */
const char *identifiers_print(const struct identifiers *list, char *buffer, size_t size);
