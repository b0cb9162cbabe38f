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
};

/* source: the disk; volumes: of its LVM members; NULL: not known. Nothing where the copy is a file.
 */
void identifiers_find(const struct plan *plan, const struct disk *source,
		      const struct volumes *volumes, struct identifiers *ret);
/* "disk GUID, 3 PARTUUIDs, 2 UUIDs of ext4": translated, "" none. */
const char *identifiers_print(const struct identifiers *list, char *buffer, size_t size);
