/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The gate before writing, of screen 3. It opens for one Enter in the field,
 * when no rule refuses, every warning was ticked one by one, and the token was
 * typed in full. Pure: it only answers whether the technician has done all that
 * starting asks for; session_confirm() checks the token and the rules again.
 */
#ifndef CLONEDECK_UI_WIDGETS_GATE_H
#define CLONEDECK_UI_WIDGETS_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guard/rules.h"

#include "ui/widgets/field.h"

/* Zero-initialise: such a gate never opens. */
struct gate {
	const struct verdict_list *verdicts; /* borrowed */
	char token[512];
	uint64_t about; /* digest of the plan, its verdicts and the token */
	bool *ticked;   /* one per verdict; only those of warnings matter */
	bool typing;    /* the field takes the keys */
	struct field typed;
};

enum gate_answer {
	GATE_NOT_TYPING, /* Enter outside the field never starts anything */
	GATE_REFUSED,    /* a rule refuses */
	GATE_UNTICKED,   /* *retverdict is the first warning that is not ticked */
	GATE_EMPTY,
	GATE_WRONG,
	GATE_OPEN,
};

/*
 * The plan was made (again) and checked: plan_id names it. Ticks and what was
 * typed stay only when plan, verdicts and token are word for word the same, as
 * when an unrelated disk came; otherwise all has to be done anew. NULL verdicts
 * close the gate. -ENOMEM closes it too.
 */
int gate_update(struct gate *gate, const char *plan_id, const struct verdict_list *verdicts,
		const char *token);
void gate_done(struct gate *gate);
bool gate_refused(const struct gate *gate);
/* All that refuses can be lifted, one by one and by name. */
bool gate_liftable(const struct gate *gate);
/* The first refusal that can be lifted, or NULL. */
const struct verdict *gate_to_lift(const struct gate *gate);
/* So many sectors from the start of the source would fit, where a rule refuses all of it; or 0. */
uint64_t gate_fits(const struct gate *gate);
/* Number of a warning ("W1" is 1) by verdict index, 0 when it is none. */
unsigned gate_warning(const struct gate *gate, size_t verdict);
unsigned gate_unticked(const struct gate *gate);
/* Ticks or clears a warning; false when that verdict is none, or while typing. With the last tick
 * the field takes the keys: from then on letters are text and no commands. */
bool gate_tick(struct gate *gate, size_t verdict);
/* Into the field or out of it. False: there is no field, for a rule refuses. */
bool gate_set_typing(struct gate *gate, bool typing);
/* Tab: into the field, and out of it only while a warning still has to be ticked. */
void gate_tab(struct gate *gate);
/* No rule refuses and all warnings are ticked: all that is left is to type. */
bool gate_ready(const struct gate *gate);
/* Is what was typed so far the beginning of the token? */
bool gate_matches(const struct gate *gate);
/* Enter. GATE_OPEN empties the field: the same key again opens nothing. */
enum gate_answer gate_enter(struct gate *gate, size_t *retverdict);

#endif
