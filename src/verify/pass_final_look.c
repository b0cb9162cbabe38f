/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pass that reads the marks of the final look (final_look.h), and judges them. */
#include <errno.h>

#include "base/i18n.h"
#include "base/units.h"
#include "copy/retry.h"
#include "job/core.h"
#include "job/pass.h"
#include "verify/final_look.h"
#include "verify/passes.h"
#include "verify/verdict.h"

/*
 * After the last write of all. Before what is held back is written, only if there is
 * something that was not read back since the last write: all of an unverified copy, or
 * what was verified beside the copy.
 */
static bool is_due(const struct job *job)
{
	if (!look_is_due(job) || job_differs(job))
		return false;
	return stages_last(&job->stages) ||
	       (job->stages.now == 0 && (!job->proof || proof_early(job->proof)));
}

/* What was read through the page cache is still in it. */
int look_flush_prepare(struct job *job, unsigned round)
{
	return is_due(job) && !(job->choice.destination->traits & IO_DIRECT);
}

static bool skip_to_known(struct look *look)
{
	while (look->next < look->marks.count &&
	       atomic_load(&look->places[look->next].state) == LOOK_UNKNOWN)
		look->next++;
	return look->next < look->marks.count;
}

int look_prepare(struct job *job, unsigned round)
{
	struct look *look = job->look;

	if (!is_due(job))
		return 0;
	look->next = 0;
	job->work.bytes = 0;
	for (size_t i = 0; i < look->marks.count; i++)
		if (atomic_load(&look->places[i].state) != LOOK_UNKNOWN) {
			atomic_store(&look->places[i].state, LOOK_KNOWN);
			job->work.bytes += look->marks.items[i].piece.length;
		}
	return 1;
}

static bool take_mark(struct lane *lane, struct piece *ret)
{
	struct look *look = lane->job->look;

	if (!skip_to_known(look))
		return false;
	lane->pending_tag = look->next;
	*ret = look->marks.items[look->next++].piece;
	return true;
}

static void look_advance(struct lane *lane, struct slot *slot)
{
	struct look_place *place = &lane->job->look->places[slot->tag];

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
static void note_mismatch(struct job *job, const struct mark *mark, int code)
{
	struct look *look = job->look;
	uint64_t lba = mark->piece.source / job->plan->sector_size;

	look->wrong_bytes += mark->piece.length;
	if (look->wrong++ >= JOB_MISMATCHES_SHOWN)
		return;
	look->mismatches[look->wrong - 1] = (struct job_mismatch){
		.kind = code ? MISMATCH_UNREADABLE : MISMATCH_DESTINATION,
		.lba = lba,
		.sectors = mark->piece.length / job->plan->sector_size,
		.destination_lba =
			mark->piece.destination / io_sector_size(&job->setup.destination),
		.partition = job_partition_at(job, lba),
		.somewhere = true,
		.code = code,
	};
}

/* A resumed copy must copy it again: the map is saved anew. */
static void forget(struct job *job, uint64_t source, uint64_t length)
{
	pthread_mutex_lock(&job->map_lock);
	map_set(job->map, source, length, MAP_NON_TRIED);
	pthread_mutex_unlock(&job->map_lock);
	job->map_changed = job->flush_due = true;
}

static void note_wrong(struct job *job, const struct mark *mark, int code)
{
	const struct piece *piece = &mark->piece;

	job->look->shown.differing++;
	if (job->proof) {
		proof_doubt(job, piece->source, piece->length);
		return;
	}
	note_mismatch(job, mark, code);
	forget(job, piece->source, piece->length);
}

static void tell(struct job *job, const struct mark *first)
{
	const struct job_look *shown = &job->look->shown;
	const char *name = job->setup.destination.name;
	char bytes[UNITS_TEXT_MAX];

	if (!first)
		job_event_add(job, LOG_LEVEL_INFO,
			      P_("Final look at %s: %u place, %s, was read again after the last "
				 "write and is unchanged (seed of the sample: %u).",
				 "Final look at %s: %u places, %s, were read again after the last "
				 "write and are unchanged (seed of the sample: %u).",
				 shown->places),
			      name, shown->places,
			      units_print_long(shown->bytes, UNITS_SI, 512, bytes), shown->seed);
	else
		job_event_add(job, LOG_LEVEL_ERROR,
			      P_("Final look at %s: %u place differs from what was there before, "
				 "at byte %llu (seed of the sample: %u).",
				 "Final look at %s: %u places differ from what was there before, "
				 "the first at byte %llu (seed of the sample: %u).",
				 shown->differing),
			      name, shown->differing, (unsigned long long)first->piece.destination,
			      shown->seed);
}

void look_end(struct job *job)
{
	struct look *look = job->look;
	const struct mark *first = NULL;

	if (job_gate(job) >= GATE_STOP)
		return;
	look->due = false;
	job_note_written(job);
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
		note_wrong(job, mark, state == LOOK_UNREAD ? look->places[i].code : 0);
	}
	/* Between two stages nobody needs to know that all is well so far. */
	if (first || (stages_last(&job->stages) && look->shown.places))
		tell(job, first);
	if (look_differs(look))
		job_event_add(job, LOG_LEVEL_ERROR,
			      _("%s does not keep what is written to it. Use another disk."),
			      job->setup.destination.name);
}

const struct slot_ops look_ops = {
	.take = take_mark,
	.begin = lane_slot_read_back,
	.advance = look_advance,
	.give_up = lane_slot_free,
};
