/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pass that reads the marks of the final look (final_look.h), and judges them. */
#include <errno.h>

#include "base/i18n.h"
#include "base/units.h"
#include "copy/retry.h"
#include "verify/verification.h"
#include "verify/final_look.h"
#include "verify/passes.h"
#include "verify/verdict.h"

static bool skip_to_known(struct look *look)
{
	while (look->next < look->marks.count &&
	       atomic_load(&look->places[look->next].state) == LOOK_UNKNOWN)
		look->next++;
	return look->next < look->marks.count;
}

void look_begin(struct verification *v)
{
	struct look *look = v->look;

	look->next = 0;
	v->copy->work->bytes = 0;
	for (size_t i = 0; i < look->marks.count; i++)
		if (atomic_load(&look->places[i].state) != LOOK_UNKNOWN) {
			atomic_store(&look->places[i].state, LOOK_KNOWN);
			v->copy->work->bytes += look->marks.items[i].piece.length;
		}
}

static bool take_mark(struct lane *lane, struct piece *ret)
{
	struct look *look = lane->copy->verification->look;

	if (!skip_to_known(look))
		return false;
	lane->pending_tag = look->next;
	*ret = look->marks.items[look->next++].piece;
	return true;
}

static void look_advance(struct lane *lane, struct slot *slot)
{
	struct look_place *place = &lane->copy->verification->look->places[slot->tag];

	if (slot->request.result < 0) {
		if (retry_read_back(lane, slot))
			return;
		if (slot->code != -ECANCELED) {
			place->code = slot->code;
			atomic_store(&place->state, LOOK_UNREAD);
		}
	} else {
		bool same =
			digest_equal(digest_bytes(slot->buffer, slot->piece.length), place->digest);

		atomic_store(&place->state, same ? LOOK_SAME : LOOK_OTHER);
		counter_add(&lane->counters.handled, slot->piece.length);
	}
	lane_slot_free(lane, slot);
}

/* ---- judging ---- */

static void count(struct job_look *shown, const struct mark *mark)
{
	shown->places++;
	shown->bytes += mark->piece.length;
	switch (mark->kind) {
	case MARK_HELD:
		shown->held_bytes += mark->piece.length;
		break;
	case MARK_END:
		shown->end_bytes += mark->piece.length;
		break;
	case MARK_WRAP:
		break;
	case MARK_SAMPLE:
		shown->sample++;
		shown->sample_bytes += mark->piece.length;
		break;
	}
}

/* Of an unverified copy, only its digest is known. */
static void note_mismatch(struct verification *v, const struct mark *mark, int code)
{
	struct look *look = v->look;
	uint64_t lba = mark->piece.source / v->copy->plan->sector_size;

	look->wrong_bytes += mark->piece.length;
	if (look->wrong++ >= JOB_MISMATCHES_SHOWN)
		return;
	look->mismatches[look->wrong - 1] = (struct job_mismatch){
		.kind = code ? MISMATCH_UNREADABLE : MISMATCH_DESTINATION,
		.lba = lba,
		.sectors = mark->piece.length / v->copy->plan->sector_size,
		.destination_lba = mark->piece.destination / io_sector_size(v->copy->destination),
		.partition = plan_partition_at(v->copy->plan, v->source_disk, lba),
		.somewhere = true,
		.code = code,
	};
}

/* A resumed copy must copy it again: the map is saved anew. */
static void forget(struct verification *v, uint64_t source, uint64_t length)
{
	pthread_mutex_lock(v->map_lock);
	map_set(v->map, source, length, MAP_NON_TRIED);
	pthread_mutex_unlock(v->map_lock);
	v->owner->map_changed(v->copy->job, true);
}

static void note_wrong(struct verification *v, const struct mark *mark, int code)
{
	const struct piece *piece = &mark->piece;

	v->look->shown.differing++;
	if (v->proof) {
		proof_doubt(v, piece->source, piece->length);
		return;
	}
	note_mismatch(v, mark, code);
	forget(v, piece->source, piece->length);
}

static void tell(struct verification *v, const struct mark *first)
{
	const struct job_look *shown = &v->look->shown;
	const char *name = v->copy->destination->name;

	if (!first)
		copy_tell(v->copy, LOG_LEVEL_INFO,
			  P_("Final look at %s: %u place, %s, was read again after the last "
			     "write and is unchanged (seed of the sample: %u).",
			     "Final look at %s: %u places, %s, were read again after the last "
			     "write and are unchanged (seed of the sample: %u).",
			     shown->places),
			  name, shown->places, UNITS_LONG(shown->bytes, UNITS_SI, 512),
			  shown->seed);
	else
		copy_tell(v->copy, LOG_LEVEL_ERROR,
			  P_("Final look at %s: %u place differs from what was there before, "
			     "at byte %llu (seed of the sample: %u).",
			     "Final look at %s: %u places differ from what was there before, "
			     "the first at byte %llu (seed of the sample: %u).",
			     shown->differing),
			  name, shown->differing, (unsigned long long)first->piece.destination,
			  shown->seed);
}

void look_end(struct verification *v)
{
	struct look *look = v->look;
	const struct mark *first = NULL;

	if (copy_gate(v->copy) >= GATE_STOP)
		return;
	look->due = false;
	v->owner->note_written(v->copy->job);
	look->shown = (struct job_look){ .asked = true, .done = true, .seed = look->shown.seed };
	for (size_t i = 0; i < look->marks.count; i++) {
		const struct mark *mark = &look->marks.items[i];
		int state = atomic_load(&look->places[i].state);

		if (state == LOOK_UNKNOWN)
			continue;
		count(&look->shown, mark);
		if (state == LOOK_SAME)
			continue;
		first = first ? first : mark;
		note_wrong(v, mark, state == LOOK_UNREAD ? look->places[i].code : 0);
	}
	/* Between two stages nobody needs to know that all is well so far. */
	if (first || (stages_last(v->stages) && look->shown.places))
		tell(v, first);
	if (look_differs(look))
		copy_tell(v->copy, LOG_LEVEL_ERROR,
			  _("%s does not keep what is written to it. Use another disk."),
			  v->copy->destination->name);
}

const struct slot_ops look_ops = {
	.take = take_mark,
	.begin = lane_slot_read_back,
	.advance = look_advance,
	.give_up = lane_slot_free,
};
