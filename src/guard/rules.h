/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The guard's rules: a table, each with an id, what it looks at, a verdict and
 * a sentence. Rules only read plain data (the plan, the disks as discovered,
 * facts gathered by facts.h); they make no system call.
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
	bool lifted;	  /* was refuse, --allow named it */
	bool liftable;
	char sentence[320];
};

struct verdict_list {
	struct verdict *items; /* refuse first, then warn, then ok; table order within */
	size_t count;
};

/* What rules need to know beside plan and disks; gathered by facts_gather(). */
struct guard_facts {
	const struct disk_list *disks; /* borrowed */
	bool root;
	char log_dir[512];	 /* "" none */
	bool log_dir_in_memory;	 /* tmpfs, ramfs, overlay over tmpfs */
	dev_t log_dir_devno;	 /* file system it is on */
	char log_dir_disk[64];	 /* whole-disk node below it, "" unknown */
	uint64_t image_free;	 /* bytes free where a destination image goes */
	bool image_free_known;
	char image_disk[64];	 /* whole-disk node below a destination image */
	char source_image_disk[64];
	bool source_writable_mount; /* the source or a part of it is mounted read-write */
};

/* Reads the machine for the rules: needs system calls, so it lives apart (facts.c). */
int facts_gather(const struct plan *plan, const struct disk_list *disks, const char *log_dir,
		 struct guard_facts *ret, struct error *reterr);

/* allow: NULL-terminated array of rule ids, or NULL. Unknown ids: -EINVAL. */
int rules_check(const struct plan *plan, const struct guard_facts *facts, const char *const *allow,
		struct verdict_list *ret, struct error *reterr);
void verdict_list_done(struct verdict_list *list);
enum verdict_kind verdict_list_worst(const struct verdict_list *list);

struct rule_info {
	const char *id;
	const char *looks_at; /* N_() */
	bool liftable;
};
/* The table, for documentation and tests; ends with id NULL. */
const struct rule_info *rules_table(void);

#endif
