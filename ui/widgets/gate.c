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

/* The next verdict that refuses; NULL: there is no other. *at begins with 0. */
static const struct verdict *next_refusal(const struct gate *gate, size_t *at)
{
	while (gate->verdicts && *at < gate->verdicts->count) {
		const struct verdict *verdict = &gate->verdicts->items[(*at)++];

		if (verdict->kind == VERDICT_REFUSE)
			return verdict;
	}
	return NULL;
}

bool gate_liftable(const struct gate *gate)
{
	const struct verdict *verdict;
	size_t found = 0;

	for (size_t at = 0; (verdict = next_refusal(gate, &at)); found++)
		if (!verdict->liftable)
			return false;
	return found > 0;
}

const struct verdict *gate_to_lift(const struct gate *gate)
{
	const struct verdict *verdict;

	for (size_t at = 0; (verdict = next_refusal(gate, &at));)
		if (verdict->liftable)
			return verdict;
	return NULL;
}

uint64_t gate_fits(const struct gate *gate)
{
	const struct verdict *verdict;

	for (size_t at = 0; (verdict = next_refusal(gate, &at));)
		if (verdict->fits)
			return verdict->fits;
	return 0;
}

bool gate_fits_with_table(const struct gate *gate)
{
	const struct verdict *verdict;

	for (size_t at = 0; (verdict = next_refusal(gate, &at));)
		if (verdict->fits_with_table)
			return true;
	return false;
}

bool gate_only_fits(const struct gate *gate)
{
	const struct verdict *verdict;

	for (size_t at = 0; (verdict = next_refusal(gate, &at));)
		if (!verdict->fits && !verdict->fits_with_table)
			return false;
	return true;
}

static bool only_means(const struct gate *gate, enum verdict_means means)
{
	const struct verdict *verdict;
	size_t found = 0;

	for (size_t at = 0; (verdict = next_refusal(gate, &at)); found++)
		if (verdict->means != means)
			return false;
	return found > 0;
}

bool gate_only_too_small(const struct gate *gate)
{
	return only_means(gate, MEANS_TOO_SMALL);
}

bool gate_may_pass(const struct gate *gate)
{
	return only_means(gate, MEANS_MAY_PASS);
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
