/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the rules share, for the rules_… files alone: the context that every one
 * looks at and the helpers to name things in sentences.
 *
 * A rule fills its verdict with rule_say(); one that says nothing has nothing
 * to do with this plan and is left out of the list.
 */
#ifndef CLONEDECK_GUARD_RULES_PRIVATE_H
#define CLONEDECK_GUARD_RULES_PRIVATE_H

#include "discover/disk.h"
#include "guard/facts.h"
#include "guard/rules.h"

struct rule_context {
	const struct plan *plan;
	const struct guard_facts *facts;
	const struct disk *source;      /* NULL: an image, or no longer attached */
	const struct disk *destination; /* likewise */
	/* The same, or the disk that an image holds; NULL: not known. */
	const struct disk *source_contents, *destination_contents;
};

#define RULE_NAME_MAX 256
#define RULE_LIST_MAX 200

void rule_say(struct verdict *verdict, enum verdict_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "/dev/sdb (serial WX12D345)", "/srv/a.img"; returns buffer. */
const char *rule_name(const struct rule_context *context, const struct endpoint *endpoint,
		      char buffer[static RULE_NAME_MAX]);
const char *rule_disk_name(const struct disk *disk, char buffer[static RULE_NAME_MAX]);
/* Appends an item to a list of names, with commas, and ".." when there is no more room. */
void rule_list_add(char list[static RULE_LIST_MAX], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

bool rule_is_device(const struct endpoint *endpoint);
/* A whole disk, or an image of one. */
bool rule_is_whole_disk(const struct endpoint *endpoint);
/* The plan copies the partition table of a whole disk to the start of a whole disk or image. */
bool rule_copies_table(const struct rule_context *context);
/* Bytes [start, start + length) of the source's node are inside the plan's extents. */
bool rule_copies(const struct plan *plan, uint64_t start, uint64_t length);
/* The first byte of the destination's node after everything that is written. */
uint64_t rule_destination_end(const struct plan *plan);

/* rules_backend.c */
void rule_sg_backend(const struct rule_context *context, struct verdict *ret);
void rule_block_node(const struct rule_context *context, struct verdict *ret);
void rule_destination_host_managed(const struct rule_context *context, struct verdict *ret);
void rule_source_host_managed(const struct rule_context *context, struct verdict *ret);

/* rules_use.c */
void rule_destination_boot(const struct rule_context *context, struct verdict *ret);
void rule_destination_mounted(const struct rule_context *context, struct verdict *ret);
void rule_destination_swap(const struct rule_context *context, struct verdict *ret);
void rule_destination_held(const struct rule_context *context, struct verdict *ret);
void rule_destination_exclusive(const struct rule_context *context, struct verdict *ret);
void rule_destination_read_only(const struct rule_context *context, struct verdict *ret);
void rule_destination_on_boot_disk(const struct rule_context *context, struct verdict *ret);
void rule_source_mounted(const struct rule_context *context, struct verdict *ret);
void rule_source_in_use(const struct rule_context *context, struct verdict *ret);
void rule_without_root(const struct rule_context *context, struct verdict *ret);

/* rules_identity.c */
void rule_source_gone(const struct rule_context *context, struct verdict *ret);
void rule_destination_gone(const struct rule_context *context, struct verdict *ret);
void rule_source_is_destination(const struct rule_context *context, struct verdict *ret);
void rule_same_disk_overlap(const struct rule_context *context, struct verdict *ret);
void rule_same_wwn(const struct rule_context *context, struct verdict *ret);
void rule_same_model(const struct rule_context *context, struct verdict *ret);
void rule_destination_serial(const struct rule_context *context, struct verdict *ret);
void rule_destination_on_source(const struct rule_context *context, struct verdict *ret);
void rule_same_physical_disk(const struct rule_context *context, struct verdict *ret);

/* rules_size.c */
void rule_source_empty(const struct rule_context *context, struct verdict *ret);
void rule_destination_empty(const struct rule_context *context, struct verdict *ret);
void rule_destination_too_small(const struct rule_context *context, struct verdict *ret);
void rule_source_hidden(const struct rule_context *context, struct verdict *ret);
void rule_destination_hidden(const struct rule_context *context, struct verdict *ret);
void rule_sector_size_differs(const struct rule_context *context, struct verdict *ret);
void rule_alignment(const struct rule_context *context, struct verdict *ret);
void rule_table_beyond_end(const struct rule_context *context, struct verdict *ret);
void rule_backup_gpt_inside(const struct rule_context *context, struct verdict *ret);
void rule_backup_gpt_missing(const struct rule_context *context, struct verdict *ret);

/* rules_contents.c */
void rule_destination_not_half_made(const struct rule_context *context, struct verdict *ret);
void rule_destination_holds_data(const struct rule_context *context, struct verdict *ret);
void rule_partitions_not_copied(const struct rule_context *context, struct verdict *ret);
void rule_table_not_copied(const struct rule_context *context, struct verdict *ret);
void rule_destination_extended(const struct rule_context *context, struct verdict *ret);
void rule_disk_into_partition(const struct rule_context *context, struct verdict *ret);
void rule_partition_onto_disk(const struct rule_context *context, struct verdict *ret);
void rule_leftovers(const struct rule_context *context, struct verdict *ret);
void rule_source_table_broken(const struct rule_context *context, struct verdict *ret);
void rule_duplicate_identities(const struct rule_context *context, struct verdict *ret);
void rule_duplicate_btrfs(const struct rule_context *context, struct verdict *ret);
void rule_duplicate_lvm(const struct rule_context *context, struct verdict *ret);
void rule_duplicate_md(const struct rule_context *context, struct verdict *ret);
void rule_duplicate_xfs(const struct rule_context *context, struct verdict *ret);

/* rules_files.c */
void rule_source_image_on_destination(const struct rule_context *context, struct verdict *ret);
void rule_image_on_source_disk(const struct rule_context *context, struct verdict *ret);
void rule_image_exists(const struct rule_context *context, struct verdict *ret);
void rule_image_space(const struct rule_context *context, struct verdict *ret);
void rule_image_limit(const struct rule_context *context, struct verdict *ret);
void rule_log_on_destination(const struct rule_context *context, struct verdict *ret);
void rule_log_on_source(const struct rule_context *context, struct verdict *ret);
void rule_log_in_memory(const struct rule_context *context, struct verdict *ret);

#endif
