/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The gate before writing, of screen 3. It opens for one Enter in the field,
 * when no rule refuses and the token was typed in full: the typed token is the
 * consent, to what is erased and to every warning that stands above the field.
 * Pure: it only answers whether the technician has done all that starting asks
 * for; session_confirm() checks the token and the rules again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "guard/rules.h"

#include "ui/widgets/field.h"

/* Zero-initialise: such a gate never opens. */
struct gate {
	const struct verdict_list *verdicts; /* borrowed */
	char token[512];
	uint64_t about; /* digest of the plan, its verdicts and the token */
	bool typing;    /* the field takes the keys */
	struct field typed;
};

enum gate_answer {
	GATE_NOT_TYPING, /* Enter outside the field never starts anything */
	GATE_REFUSED,    /* a rule refuses */
	GATE_EMPTY,
	GATE_WRONG,
	GATE_OPEN,
};

/*
 * The plan was made (again) and checked: plan_id names it. What was typed stays
 * only when plan, verdicts and token are word for word the same, as when an
 * unrelated disk came; otherwise it is to be typed anew. NULL verdicts close
 * the gate.
 */
void gate_update(struct gate *gate, const char *plan_id, const struct verdict_list *verdicts,
		 const char *token);
void gate_done(struct gate *gate);
bool gate_refused(const struct gate *gate);
/* What the verdicts that refuse have to say; without any, all of it is 0. */
struct gate_refusals {
	const struct verdict *to_lift; /* the first one that can be lifted, by its name */
	uint64_t fits;                 /* so many sectors from the start of the source would fit */
	bool fits_with_table;          /* a table made to fit would solve one of them */
	bool all_liftable;
	bool only_fit;       /* none but those that less, or such a table, would solve */
	bool only_too_small; /* none but that the destination has no room */
	bool may_pass;       /* all may be over in a moment, without anybody's doing */
};
struct gate_refusals gate_refusals(const struct gate *gate);
/* Into the field or out of it. False: there is no field, for a rule refuses. */
bool gate_set_typing(struct gate *gate, bool typing);
/* Is what was typed so far the beginning of the token? */
bool gate_matches(const struct gate *gate);
/* Enter. GATE_OPEN empties the field: the same key again opens nothing. */
enum gate_answer gate_enter(struct gate *gate);
