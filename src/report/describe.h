/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk in words, the same in `clonedeck show` and on the deck. Pure. */
#pragma once

#include "discover/disk.h"
#include "health/health.h"

#define DISK_FACTS_MAX 20
#define DISK_FACT_MAX  4096

struct disk_fact {
	const char *label; /* "Serial": translated */
	char text[DISK_FACT_MAX];
};

/* The most important ones first: a small pane has no room for the last. */
struct disk_facts {
	struct disk_fact facts[DISK_FACTS_MAX];
	size_t count;
	size_t brief; /* so many are for a pane, too */
};

/* What there is to say of a disk's health. */
struct disk_health {
	const struct health *known; /* NULL: nobody asked, or nothing can be known */
	bool asking;                /* an answer is still to come */
};

void disk_describe(const struct disk_list *list, const struct disk *disk,
		   const struct disk_health *health, struct disk_facts *ret);
/* Single facts, "" where there is nothing to say; those with a text return it. */
const char *disk_state_words(const struct disk *disk);
const char *disk_table_words(const struct disk *disk, char text[static DISK_FACT_MAX]);
const char *disk_use_words(const struct disk *disk, char text[static DISK_FACT_MAX]);
const char *disk_health_words(const struct disk_health *health, char text[static DISK_FACT_MAX]);
const char *disk_notes_words(const struct disk *disk, char text[static DISK_FACT_MAX]);
/* File system and label, or what the table calls the partition; "-" for none. */
const char *partition_words(const struct partition *p, char *buffer, size_t size);
