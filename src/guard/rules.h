/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The guard's rules: a table, each with an id, the kinds of run it is asked in, a
 * verdict and a sentence. Rules only read plain data (the
 * plan, the disks as discovered, the facts of facts.h); they make no system
 * call. Nobody else spells an id: what a verdict stands for is its meaning.
 *
 * `refuse` ends the matter unless the rule is liftable and named: by --allow, or typed in the
 * deck; then it becomes a warning that says so. A `warn` is shown before the token is typed,
 * which accepts it, and it stands in the report.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "plan/plan.h"

struct guard_facts;

enum verdict_kind { VERDICT_OK, VERDICT_WARN, VERDICT_REFUSE };

/* What is to be done with a plan. */
enum guard_run {
	RUN_COPY,    /* all of it */
	RUN_RESUME,  /* the rest of a copy that has begun to overwrite the destination */
	RUN_COMPARE, /* both ends are only read */
	RUN_DIGESTS, /* the destination is only read, and compared with digests of the source */
};

/* What callers do about a verdict, so that they need not know the names of rules. */
enum verdict_means {
	MEANS_NO_MORE,           /* than its sentence says */
	MEANS_SOURCE_WRITTEN,    /* others can write to the source while it is read */
	MEANS_MAY_PASS,          /* may be over in a moment without anybody's doing */
	MEANS_READABLE,          /* cannot be written to, but compared */
	MEANS_TOO_SMALL,         /* the destination has no room for the copy */
	MEANS_TABLE_TOO_LONG,    /* the copied table goes beyond the end of the destination */
	MEANS_BACKUP_GPT_INSIDE, /* the destination goes on behind the copied backup GPT */
	MEANS_BACKUP_GPT_MISSING,
	MEANS_SAME_IDENTIFIERS, /* on both disks after the copy */
	MEANS_ERASES,           /* names what the copy destroys on the destination */
};

struct verdict {
	const char *rule; /* id, static: "destination-mounted" */
	enum verdict_kind kind;
	enum verdict_means means;
	unsigned flags; /* of the rule */
	bool lifted;    /* was refuse, --allow named it; the sentence no longer says so */
	bool liftable;  /* --allow would lift it (only meaningful for refuse and lifted ones) */
	/* This many sectors from the start of the source would fit where all of it does not; 0:
	 * says nothing about that. */
	uint64_t fits;
	bool fits_with_table; /* all of it, with a table that is made to fit */
	char sentence[1024];
};

struct verdict_list {
	struct verdict *items; /* refuse first, then warn, then ok; table order within */
	size_t count;
};

/* allow: NULL-terminated array of rule ids, or NULL. -EINVAL (class USAGE) for an id that no
 * rule has, or one that is not liftable. */
int rules_check_allow(const char *const *allow, struct error *reterr);
/* The same of `allow`. Only the rules that concern this kind of run are asked. */
int rules_check(const struct plan *plan, const struct guard_facts *facts, const char *const *allow,
		enum guard_run run, struct verdict_list *ret, struct error *reterr);
/* Before there is a plan: what speaks against a disk of the list, or a partition of it, as this
 * end, whatever the other one is. False: nothing. */
bool rules_refuse_source(const struct disk *disk, const struct endpoint *end, struct verdict *ret);
bool rules_refuse_destination(const struct disk *disk, const struct endpoint *end,
			      struct verdict *ret);

void verdict_list_done(struct verdict_list *list);
enum verdict_kind verdict_list_worst(const struct verdict_list *list);
/* Do the same rules say the same, word for word? */
bool verdict_list_same(const struct verdict_list *a, const struct verdict_list *b);
/* These return NULL where there is none. The first that refuses this kind of run: */
const struct verdict *verdict_list_refusal(const struct verdict_list *list, enum guard_run run);
/* the first that warns or refuses with this meaning: */
const struct verdict *verdict_list_find(const struct verdict_list *list, enum verdict_means means);
/* what the rule with this id refuses and --allow would lift: */
const struct verdict *verdict_list_liftable(const struct verdict_list *list, const char *rule);

enum rule_flag {
	RULE_LIFTABLE = 1, /* a verdict may still say that it is not, this time */
	/* About what the first part of a copy has overwritten: nothing to ask about later. */
	RULE_FIRST_PART = 2,
	/* Refuses reading, too: what changes meanwhile, or is the same, proves nothing. */
	RULE_SOURCE_READ = 4,
	RULE_DESTINATION_READ = 8,
	/* Needs nothing but this end, so that rows of a list can be judged. */
	RULE_SOURCE_ROW = 16,
	RULE_DESTINATION_ROW = 32,
};

struct rule_context;

struct rule_info {
	const char *id;
	void (*check)(const struct rule_context *context,
		      struct verdict *ret); /* the guard's own */
	unsigned flags;                     /* enum rule_flag */
	enum verdict_means means;
};
/* The table, for tests; ends with id NULL. */
const struct rule_info *rules_table(void);
