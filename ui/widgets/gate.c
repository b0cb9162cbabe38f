/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/gate.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"

/* With the terminating NUL, so that two texts do not run into each other. */
static uint64_t digest(uint64_t about, const char *text)
{
	return fnv1a(about, text, strlen(text) + 1);
}

static uint64_t digest_all(const char *plan_id, const struct verdict_list *verdicts,
			   const char *token)
{
	uint64_t about = digest(digest(FNV1A_START, plan_id), token);

	for (size_t i = 0; i < verdicts->count; i++) {
		const struct verdict *verdict = &verdicts->items[i];

		about = fnv1a(about, &verdict->kind, sizeof(verdict->kind));
		about = digest(about, verdict->sentence);
	}
	return about;
}

void gate_update(struct gate *gate, const char *plan_id, const struct verdict_list *verdicts,
		 const char *token)
{
	uint64_t about;

	if (!verdicts || !token) {
		gate_done(gate);
		return;
	}
	about = digest_all(plan_id, verdicts, token);
	if (gate->verdicts && gate->about == about) {
		gate->verdicts = verdicts;
		return;
	}
	gate_done(gate);
	gate->verdicts = verdicts;
	gate->about = about;
	text_copy(gate->token, sizeof(gate->token), token);
}

void gate_done(struct gate *gate)
{
	memset(gate, 0, sizeof(*gate));
}

bool gate_refused(const struct gate *gate)
{
	/* A plan that was never checked counts as refused. */
	return !gate->verdicts || !gate->token[0] ||
	       verdict_list_worst(gate->verdicts) == VERDICT_REFUSE;
}

struct gate_refusals gate_refusals(const struct gate *gate)
{
	struct gate_refusals ret = { 0 };
	size_t count = 0, liftable = 0, fit = 0, too_small = 0, pass = 0;

	for (size_t i = 0; gate->verdicts && i < gate->verdicts->count; i++) {
		const struct verdict *verdict = &gate->verdicts->items[i];

		if (verdict->kind != VERDICT_REFUSE)
			continue;
		if (verdict->liftable && !ret.to_lift)
			ret.to_lift = verdict;
		if (!ret.fits)
			ret.fits = verdict->fits;
		ret.fits_with_table |= verdict->fits_with_table;
		count++;
		liftable += verdict->liftable;
		fit += verdict->fits || verdict->fits_with_table;
		too_small += verdict->means == MEANS_TOO_SMALL;
		pass += verdict->means == MEANS_MAY_PASS;
	}
	ret.all_liftable = count && liftable == count;
	ret.only_fit = count && fit == count;
	ret.only_too_small = count && too_small == count;
	ret.may_pass = count && pass == count;
	return ret;
}

bool gate_set_typing(struct gate *gate, bool typing)
{
	gate->typing = typing && !gate_refused(gate);
	return gate->typing == typing;
}

bool gate_matches(const struct gate *gate)
{
	return strncmp(gate->typed.text, gate->token, strlen(gate->typed.text)) == 0;
}

enum gate_answer gate_enter(struct gate *gate)
{
	if (gate_refused(gate))
		return GATE_REFUSED;
	if (!gate->typing)
		return GATE_NOT_TYPING;
	if (!gate->typed.text[0])
		return GATE_EMPTY;
	if (strcmp(gate->typed.text, gate->token) != 0)
		return GATE_WRONG;
	field_clear(&gate->typed);
	return GATE_OPEN;
}
