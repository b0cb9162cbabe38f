/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The guard's rules: a table, each with an id, what it looks at, a verdict and
 * a sentence. Rules only read plain data (the plan, the disks as discovered,
 * the facts of facts.h); they make no system call.
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
#include "plan/plan.h"

struct guard_facts;

enum verdict_kind { VERDICT_OK, VERDICT_WARN, VERDICT_REFUSE };

struct verdict {
	const char *rule; /* id, static: "destination-mounted" */
	enum verdict_kind kind;
	bool lifted;   /* was refuse, --allow named it; the sentence no longer says so */
	bool liftable; /* --allow would lift it (only meaningful for refuse and lifted ones) */
	/* This many sectors from the start of the source would fit where all of it does not; 0:
	 * says nothing about that. */
	uint64_t fits;
	char sentence[400];
};

struct verdict_list {
	struct verdict *items; /* refuse first, then warn, then ok; table order within */
	size_t count;
};

/* allow: NULL-terminated array of rule ids, or NULL. -EINVAL (class USAGE) for an id that no
 * rule has, or one that is not liftable. */
int rules_check_allow(const char *const *allow, struct error *reterr);
/* The same of `allow`. */
int rules_check(const struct plan *plan, const struct guard_facts *facts, const char *const *allow,
		struct verdict_list *ret, struct error *reterr);
void verdict_list_done(struct verdict_list *list);
enum verdict_kind verdict_list_worst(const struct verdict_list *list);

struct rule_context;

struct rule_info {
	const char *id;
	const char *looks_at; /* when it is quiet, for readers of the table */
	bool liftable;        /* a verdict may still say that it is not, this time */
	void (*check)(const struct rule_context *context,
		      struct verdict *ret); /* the guard's own */
};
/* The table, for documentation and tests; ends with id NULL. */
const struct rule_info *rules_table(void);

#endif
