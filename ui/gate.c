/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The gate before writing. It opens for one Enter in the field, when no rule
 * refuses, every warning was ticked one by one, and the token was typed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#include "model_plan.h"

int gate_reset(struct gate *gate, const struct verdict_list *verdicts, const char *token)
{
	bool *ticked = calloc(verdicts && verdicts->count ? verdicts->count : 1, sizeof(*ticked));

	gate_done(gate);
	if (!ticked)
		return -ENOMEM;
	gate->verdicts = verdicts;
	gate->ticked = ticked;
	text_copy(gate->token, sizeof(gate->token), token ? token : "");
	/* On the first thing that wants an answer. */
	for (size_t i = 0; verdicts && i < verdicts->count; i++)
		if (verdicts->items[i].kind == VERDICT_WARN) {
			gate->at = i;
			break;
		}
	return 0;
}

void gate_done(struct gate *gate)
{
	free(gate->ticked);
	memset(gate, 0, sizeof(*gate));
}

bool gate_refused(const struct gate *gate)
{
	/* A gate without verdicts was never checked. */
	return !gate->verdicts || verdict_list_worst(gate->verdicts) == VERDICT_REFUSE;
}

unsigned gate_warning(const struct gate *gate, size_t verdict)
{
	unsigned number = 0;

	if (!gate->verdicts || verdict >= gate->verdicts->count ||
	    gate->verdicts->items[verdict].kind != VERDICT_WARN)
		return 0;
	for (size_t i = 0; i <= verdict; i++)
		number += gate->verdicts->items[i].kind == VERDICT_WARN;
	return number;
}

static size_t first_unticked(const struct gate *gate)
{
	size_t i = 0;

	while (i < gate->verdicts->count &&
	       (gate->verdicts->items[i].kind != VERDICT_WARN || gate->ticked[i]))
		i++;
	return i;
}

unsigned gate_unticked(const struct gate *gate)
{
	unsigned count = 0;

	for (size_t i = 0; gate->verdicts && i < gate->verdicts->count; i++)
		count += gate->verdicts->items[i].kind == VERDICT_WARN && !gate->ticked[i];
	return count;
}

void gate_move(struct gate *gate, int by)
{
	size_t last = gate->verdicts && gate->verdicts->count ? gate->verdicts->count - 1 : 0;

	if (by < 0)
		gate->at = gate->at < (size_t)-by ? 0 : gate->at - (size_t)-by;
	else
		gate->at = (size_t)by > last - gate->at ? last : gate->at + (size_t)by;
}

bool gate_tick(struct gate *gate)
{
	if (gate->typing || !gate_warning(gate, gate->at))
		return false;
	gate->ticked[gate->at] = !gate->ticked[gate->at];
	return true;
}

bool gate_set_typing(struct gate *gate, bool typing)
{
	gate->typing = typing && !gate_refused(gate) && gate->token[0];
	return gate->typing == typing;
}

enum gate_answer gate_enter(struct gate *gate, unsigned *retwarning)
{
	*retwarning = 0;
	if (gate_refused(gate) || !gate->token[0])
		return GATE_REFUSED;
	if (!gate->typing)
		return GATE_NOT_TYPING;

	size_t open = first_unticked(gate);

	if (open < gate->verdicts->count) {
		*retwarning = gate_warning(gate, open);
		return GATE_UNTICKED;
	}
	if (!gate->typed.text[0])
		return GATE_EMPTY;
	if (strcmp(gate->typed.text, gate->token))
		return GATE_WRONG;
	field_clear(&gate->typed);
	return GATE_OPEN;
}
