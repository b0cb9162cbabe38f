/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The identifiers that a copy shares with its source: of the table, the partitions and what they
 * hold. Systems find their disks by these, so two disks with the same ones must not meet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "discover/disk.h"
#include "discover/lvm.h"
#include "plan/plan.h"

#define IDENTIFIERS_MAX 64

enum identifier_kind {
	IDENTIFIER_TABLE,     /* disk GUID, or the signature of an MBR */
	IDENTIFIER_PARTITION, /* PARTUUID */
	IDENTIFIER_CONTENTS,  /* UUID of a file system, swap, LUKS, or member of LVM or a RAID */
	IDENTIFIER_GROUP,     /* of the LVM group of a member */
};

struct identifier {
	enum identifier_kind kind;
	unsigned partition; /* 0: the disk */
	char fs[32];        /* what has it: "gpt", "ext4", "LVM2_member"; "" unknown */
	char label[64];
	char value[64];
	char changed_to[64]; /* what the copy has in its place; "": the same */
	/* Of a volume of LVM: "group/volume", and where it lies in the partition (bytes; length 0:
	 * not in one piece, or not alone). Of a member or a group: the group's name, "" unknown. */
	char volume[2 * LVM_NAME_MAX];
	uint64_t start, length;
	size_t members; /* of the group */
	bool closed;    /* not all of its volumes can be looked into, or changed */
};

struct identifiers {
	struct identifier items[IDENTIFIERS_MAX];
	size_t count, more; /* more: there was no room for */
	/* The system that starts may be in what is closed, with an fstab that nobody can change:
	 * what it may find its disks by is kept. Not by identifiers_find(). */
	bool hidden;
};

/* source: the disk; volumes: of its LVM members; NULL: not known. Nothing where the copy is a file.
 */
void identifiers_find(const struct plan *plan, const struct disk *source,
		      const struct volumes *volumes, struct identifiers *ret);
/* Nobody can look into it: a LUKS, a member of a RAID, or of a group that is not all there. */
bool identifier_closed(const struct identifier *item);
bool identifiers_any_closed(const struct identifiers *list);
/* For the hidden system: all but the GUID of the disk, which no system looks for. */
bool identifiers_kept(const struct identifiers *list, size_t index);
/* "disk GUID, 3 PARTUUIDs, 2 UUIDs of ext4": translated, "" none. */
const char *identifiers_print(const struct identifiers *list, char *buffer, size_t size);
