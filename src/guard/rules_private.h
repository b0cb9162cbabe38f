/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the rules share, for the rules_… files alone: the context that every one
 * looks at and the helpers to name things in sentences.
 *
 * A rule fills its verdict with rule_say(); one that says nothing has nothing
 * to do with this plan and is left out of the list.
 */
#pragma once

#include "discover/disk.h"
#include "guard/facts.h"
#include "guard/rules.h"

#define RULE_NAME_MAX 256

struct rule_context {
	const struct plan *plan;
	const struct guard_facts *facts;
	const struct endpoint *source, *destination; /* of the plan */
	/* "/dev/sdb (serial WX12D345)", "/srv/a.img" */
	char source_name[RULE_NAME_MAX], destination_name[RULE_NAME_MAX];
	/* NULL: an image, or no longer attached. */
	const struct disk *source_disk, *destination_disk;
	/* The same, or the disk that an image holds; NULL: not known. */
	const struct disk *source_contents, *destination_contents;
};

#define RULE_LIST_MAX 200

void rule_say(struct verdict *verdict, enum verdict_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "/dev/sdb (serial WX12D345)"; returns buffer. */
const char *rule_disk_name(const struct disk *disk, char buffer[static RULE_NAME_MAX]);
/* Appends an item to a list of names, with commas, and ".." when there is no more room. */
void rule_list_add(char list[static RULE_LIST_MAX], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The plan copies the partition table of a whole disk to the start of a whole disk or image. */
bool rule_copies_table(const struct rule_context *c);
/* Bytes [start, start + length) of the source's node are inside the plan's extents. */
bool rule_copies(const struct plan *plan, uint64_t start, uint64_t length);

/* All rules: id, function, flags, meaning. The order is the one in which a technician wants to hear
 * of it: is it the right disk, is it free, does it fit, what is lost, and what is left to do
 * afterwards. */
#define RULES(RULE)                                                                                \
	RULE("source-gone", source_gone, RULE_SOURCE_READ | RULE_LIFTABLE, 0)                      \
	RULE("destination-gone", destination_gone, RULE_DESTINATION_READ, 0)                       \
	RULE("source-empty", source_empty, RULE_SOURCE_READ | RULE_SOURCE_ROW, 0)                  \
	RULE("destination-empty", destination_empty, RULE_DESTINATION_READ | RULE_DESTINATION_ROW, \
	     0)                                                                                    \
	RULE("source-is-destination", source_is_destination, RULE_SOURCE_READ, 0)                  \
	RULE("same-disk-overlap", same_disk_overlap, 0, 0)                                         \
	RULE("destination-on-source", destination_on_source, RULE_SOURCE_READ, 0)                  \
	RULE("same-wwn", same_wwn, RULE_LIFTABLE, 0)                                               \
	RULE("source-image-on-destination", source_image_on_destination, 0, 0)                     \
	RULE("destination-boot", destination_boot, RULE_DESTINATION_ROW, 0)                        \
	RULE("destination-mounted", destination_mounted,                                           \
	     RULE_DESTINATION_READ | RULE_DESTINATION_ROW, 0)                                      \
	RULE("destination-swap", destination_swap, RULE_DESTINATION_READ | RULE_DESTINATION_ROW,   \
	     0)                                                                                    \
	RULE("destination-held", destination_held, RULE_DESTINATION_READ | RULE_DESTINATION_ROW,   \
	     0)                                                                                    \
	RULE("destination-exclusive", destination_exclusive, RULE_DESTINATION_ROW, MEANS_MAY_PASS) \
	RULE("destination-read-only", destination_read_only, RULE_DESTINATION_ROW, MEANS_READABLE) \
	RULE("destination-host-managed", destination_host_managed, RULE_DESTINATION_ROW, 0)        \
	RULE("destination-extended", destination_extended, RULE_DESTINATION_ROW, 0)                \
	RULE("destination-too-small", destination_too_small, RULE_DESTINATION_READ,                \
	     MEANS_TOO_SMALL)                                                                      \
	RULE("sector-size-differs", sector_size_differs, RULE_LIFTABLE, 0)                         \
	RULE("table-beyond-end", table_beyond_end, RULE_LIFTABLE, MEANS_TABLE_TOO_LONG)            \
	RULE("image-on-source-disk", image_on_source_disk, RULE_LIFTABLE, 0)                       \
	RULE("source-mounted", source_mounted, RULE_LIFTABLE, MEANS_SOURCE_WRITTEN)                \
	RULE("source-in-use", source_in_use, RULE_LIFTABLE, MEANS_SOURCE_WRITTEN)                  \
	RULE("sg-backend", sg_backend, 0, 0)                                                       \
	RULE("block-node", block_node, RULE_DESTINATION_ROW, 0)                                    \
	RULE("image-space", image_space, RULE_LIFTABLE, 0)                                         \
	RULE("image-limit", image_limit, 0, 0)                                                     \
	RULE("log-on-destination", log_on_destination, 0, 0)                                       \
	RULE("destination-not-half-made", destination_not_half_made, 0, 0)                         \
	RULE("destination-holds-data", destination_holds_data, RULE_FIRST_PART, MEANS_ERASES)      \
	RULE("image-exists", image_exists, RULE_FIRST_PART, 0)                                     \
	RULE("same-model", same_model, 0, 0)                                                       \
	RULE("destination-serial", destination_serial, 0, 0)                                       \
	RULE("source-host-managed", source_host_managed, 0, 0)                                     \
	RULE("source-table-broken", source_table_broken, 0, 0)                                     \
	RULE("destination-on-boot-disk", destination_on_boot_disk, 0, 0)                           \
	RULE("disk-into-partition", disk_into_partition, 0, 0)                                     \
	RULE("partition-onto-disk", partition_onto_disk, 0, 0)                                     \
	RULE("partitions-not-copied", partitions_not_copied, 0, 0)                                 \
	RULE("table-not-copied", table_not_copied, 0, 0)                                           \
	RULE("source-hidden", source_hidden, 0, 0)                                                 \
	RULE("destination-hidden", destination_hidden, 0, 0)                                       \
	RULE("backup-gpt-inside", backup_gpt_inside, 0, MEANS_BACKUP_GPT_INSIDE)                   \
	RULE("backup-gpt-missing", backup_gpt_missing, 0, MEANS_BACKUP_GPT_MISSING)                \
	RULE("leftovers", leftovers, RULE_FIRST_PART, 0)                                           \
	RULE("source-boots", source_boots, 0, 0)                                                   \
	RULE("copied-whole", copied_whole, RULE_FIRST_PART, 0)                                     \
	RULE("free-places-left", free_places_left, RULE_FIRST_PART, 0)                             \
	RULE("source-failing", source_failing, 0, 0)                                               \
	RULE("new-identities", new_identities, 0, 0)                                               \
	RULE("duplicate-identities", duplicate_identities, 0, MEANS_SAME_IDENTIFIERS)              \
	RULE("duplicate-btrfs", duplicate_btrfs, 0, 0)                                             \
	RULE("duplicate-lvm", duplicate_lvm, 0, 0)                                                 \
	RULE("duplicate-md", duplicate_md, 0, 0)                                                   \
	RULE("duplicate-xfs", duplicate_xfs, 0, 0)                                                 \
	RULE("alignment", alignment, 0, 0)                                                         \
	RULE("same-physical-disk", same_physical_disk, 0, 0)                                       \
	RULE("degraded-array", degraded_array, 0, 0)                                               \
	RULE("log-on-source", log_on_source, 0, 0)                                                 \
	RULE("log-in-memory", log_in_memory, 0, 0)                                                 \
	RULE("without-root", without_root, 0, 0)

#define RULE(id, name, flags, means)                                                               \
	void rule_##name(const struct rule_context *c, struct verdict *ret);
RULES(RULE)
#undef RULE
