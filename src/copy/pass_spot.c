/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places of a spot check: taken as they are copied, compared as they are read back. */
#include <errno.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "copy/job_private.h"
#include "copy/pass.h"
#include "copy/retry.h"

int spots_init(struct job *job)
{
	struct spots *spots = &job->spots;
	int r;

	if (!job->setup.probe || job->proof || job->setup.verify_only ||
	    !(job->choice.destination->traits & IO_DIRECT))
		return 0;
	r = capacity_init(&spots->places, job->plan, job->map, 0);
	if (r < 0)
		return r;
	/* A place must not span two pieces, which could be those of two lanes. */
	if (spots->places.count == 0 || job->choice.chunk % spots->places.places[0].length)
		spots->places.count = 0;
	spots->taken = calloc(spots->places.count + 1, sizeof(*spots->taken));
	spots->states = calloc(spots->places.count + 1, sizeof(*spots->states));
	return spots->taken && spots->states ? 0 : -ENOMEM;
}

void spots_done(struct spots *spots)
{
	capacity_done(&spots->places);
	free(spots->taken);
	free(spots->states);
}

/* The first place that ends after this byte of the destination. */
static size_t first_ending_behind(const struct spots *spots, uint64_t at)
{
	size_t low = 0, high = spots->places.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		const struct piece *place = &spots->places.places[middle];

		if (place->destination + place->length <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void spots_take(struct job *job, const struct slot *slot)
{
	struct spots *spots = &job->spots;
	uint64_t from = slot->piece.destination, to = from + slot->write_length;

	for (size_t i = first_ending_behind(spots, from); i < spots->places.count; i++) {
		const struct piece *place = &spots->places.places[i];
		uint64_t end = place->destination + place->length;

		if (place->destination >= to)
			break;
		/* If only part of it was copied, the rest is unknown. */
		spots->states[i] = SPOT_UNKNOWN;
		if (slot->has_bad || place->destination < from || end > to)
			continue;
		spots->taken[i] = digest_bytes(
			(const char *)slot->buffer + (place->destination - from), place->length);
		spots->states[i] = SPOT_TAKEN;
	}
}

static bool skip_to_taken(struct spots *spots)
{
	while (spots->next < spots->places.count && spots->states[spots->next] != SPOT_TAKEN)
		spots->next++;
	return spots->next < spots->places.count;
}

static int spot_prepare(struct job *job, unsigned round)
{
	job->spots.next = 0;
	job->work.bytes = 0;
	return round == 0 && skip_to_taken(&job->spots);
}

static bool spot_take(struct lane *lane, struct piece *ret)
{
	struct spots *spots = &lane->job->spots;

	if (!skip_to_taken(spots))
		return false;
	lane->pending_tag = spots->next;
	*ret = spots->places.places[spots->next++];
	return true;
}

static void spot_advance(struct lane *lane, struct slot *slot)
{
	struct spots *spots = &lane->job->spots;
	size_t i = slot->tag;

	if (slot->request.result < 0) {
		if (retry_read_back(lane, slot))
			return;
		if (slot->code != -ECANCELED)
			spots->states[i] = SPOT_WRONG;
	} else if (digest_equal(digest_bytes(slot->buffer, slot->piece.length), spots->taken[i])) {
		spots->states[i] = SPOT_GOOD;
	} else {
		spots->states[i] = SPOT_WRONG;
	}
	lane_slot_free(lane, slot);
}

/* A resumed copy must copy it again: the map is saved anew. */
static void forget(struct job *job, const struct piece *place)
{
	pthread_mutex_lock(&job->map_lock);
	map_set(job->map, place->source, place->length, MAP_NON_TRIED);
	pthread_mutex_unlock(&job->map_lock);
	job->keeper.map_changed = job->keeper.flush_due = true;
}

static void spot_end(struct job *job)
{
	const struct spots *spots = &job->spots;
	const char *name = job->setup.destination.name;
	const struct piece *first = NULL;
	unsigned good = 0, wrong = 0;
	struct error error;

	for (size_t i = 0; i < spots->places.count; i++) {
		good += spots->states[i] == SPOT_GOOD;
		if (spots->states[i] != SPOT_WRONG)
			continue;
		forget(job, &spots->places.places[i]);
		if (wrong++ == 0)
			first = &spots->places.places[i];
	}
	if (!wrong) {
		if (job_gate(job) < GATE_STOP)
			job_event_add(job, LOG_LEVEL_INFO,
				      _("Spot check of %s: %u places were read back and match what "
					"was copied there. Nothing else is verified."),
				      name, good);
		return;
	}
	error_set(&error, ERROR_CLASS_DESTINATION, -EIO, "spot check", name,
		  _("%s does not keep what is written to it: %u of %u places read back differ from "
		    "what was copied there, the first at byte %llu. Use another disk."),
		  name, wrong, good + wrong, (unsigned long long)first->destination);
	job_fail(job, FAILURE_DESTINATION, &error);
}

static const struct pass_ops spot_ops = {
	.take = spot_take,
	.begin = lane_slot_read_back,
	.advance = spot_advance,
	.give_up = lane_slot_free,
};

const struct pass pass_spot = {
	.kind = PASS_PROBE,
	.traits = PASS_READS_BACK | PASS_ONE_LANE,
	.state = JOB_FLUSHING,
	.letter = '+',
	.ops = &spot_ops,
	.prepare = spot_prepare,
	.end = spot_end,
};
