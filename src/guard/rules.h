/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The guard's rules: a table, each with an id, what it looks at, a verdict and
 * a sentence. Rules only read plain data (the plan, the disks as discovered,
 * facts gathered by facts_gather()); they make no system call.
 *
 * `refuse` ends the matter unless the rule is liftable and named by --allow;
 * then it becomes a warning. A `warn` must be accepted: ticked in the deck,
 * or, headless, implied by the typed token after it was printed.
 */
#ifndef CLONEDECK_GUARD_RULES_H
#define CLONEDECK_GUARD_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "discover/disk.h"
#include "plan/plan.h"

enum verdict_kind { VERDICT_OK, VERDICT_WARN, VERDICT_REFUSE };

struct verdict {
	const char *rule; /* id, static: "destination-mounted" */
	enum verdict_kind kind;
	bool lifted;   /* was refuse, --allow named it */
	bool liftable; /* --allow would lift it (only meaningful for refuse and lifted ones) */
	char sentence[400];
};

struct verdict_list {
	struct verdict *items; /* refuse first, then warn, then ok; table order within */
	size_t count;
};

#define GUARD_BELOW_MAX 16

/* Where a file lies or will lie, and every block device below its file system. */
struct guard_place {
	char path[512]; /* "" when there is no such file in this plan */
	bool in_memory; /* tmpfs, ramfs, or an overlay or loop file on one */
	bool complete;  /* all devices below it were found */
	bool gone;      /* a device below it is not attached any more */
	struct {
		dev_t devno;   /* partition or disk */
		char disk[64]; /* node of the whole disk */
		bool bottom;   /* it lies on nothing else */
	} below[GUARD_BELOW_MAX];
	size_t below_count;
};

/* How much of a disk there is, by its own word. */
struct guard_reach {
	uint64_t open;  /* bytes that the disk lets others reach; 0 unknown */
	uint64_t whole; /* bytes that there are, with what its settings hide; 0 unknown */
};

/* What rules need to know beside plan and disks; gathered by facts_gather(). */
struct guard_facts {
	const struct disk_list *disks; /* borrowed */
	bool root;
	struct guard_place log_dir;
	struct guard_place map; /* a map file outside the log directory */
	struct guard_place source_image, destination_image;
	struct guard_place source_below; /* what a dm, md or loop source is made of */
	struct guard_place destination_below;
	uint64_t image_free; /* bytes free where a destination image goes */
	bool image_free_known;
	uint64_t image_limit;      /* bytes, largest file its file system can hold; 0 unknown */
	uint64_t source_allocated; /* bytes that a source image really takes */
	bool source_allocated_known;
	bool same_storage; /* both ends lead to one file: an image and a loop device over it */
	char destination_loop[64]; /* the loop device over a destination image; "" none */
	/* Where the source or a part of it is mounted read-write; "" nowhere. */
	char source_writable_mount[256];
	struct guard_reach source_reach, destination_reach; /* not by facts_gather() */
};

/* Reads the machine for the rules: needs system calls, so it lives apart. Of the plan only its
 * ends are looked at. log_dir and map_path may be NULL and need not exist yet. */
int facts_gather(const struct plan *plan, const struct disk_list *disks, const char *log_dir,
		 const char *map_path, struct guard_facts *ret, struct error *reterr);

/* Does a file with this path, which need not exist yet, lie on the endpoint's bytes? Reads the
 * machine. What cannot be found out is no. */
bool facts_path_on(const char *path, const struct endpoint *endpoint);
/* Is that file, under whatever name, the endpoint's own: the image, or the one behind a loop
 * device? No for a file that is not there. Reads the machine. */
bool facts_is_storage(const char *path, const struct endpoint *endpoint);

/* What an end lies on: a device's own node and all below it, or all below an image that is there.
 * Reads the machine. */
void facts_find_place(const struct endpoint *endpoint, struct guard_place *ret);
/* Is any disk of the place still attached? Yes where not all of them are known. Asks the kernel
 * alone, never a disk. */
bool facts_place_present(const struct guard_place *place);

/* allow: NULL-terminated array of rule ids, or NULL. -EINVAL (class USAGE) for an id that no
 * rule has. */
int rules_check(const struct plan *plan, const struct guard_facts *facts, const char *const *allow,
		struct verdict_list *ret, struct error *reterr);
void verdict_list_done(struct verdict_list *list);
enum verdict_kind verdict_list_worst(const struct verdict_list *list);

struct rule_context;

struct rule_info {
	const char *id;
	const char *looks_at; /* N_() */
	bool liftable;        /* a verdict may still say that it is not, this time */
	void (*check)(const struct rule_context *context,
		      struct verdict *ret); /* the guard's own */
};
/* The table, for documentation and tests; ends with id NULL. */
const struct rule_info *rules_table(void);

#endif
