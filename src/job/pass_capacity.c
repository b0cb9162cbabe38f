/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is the destination as large as it claims? All places of the probe (capacity.h)
 * are written and flushed before the first one is read back. One lane does it:
 * there are only a few hundred requests.
 */
#include <errno.h>
#include <time.h>

#include "base/i18n.h"
#include "base/units.h"
#include "copy/retry.h"
#include "job/capacity.h"
#include "job/core.h"
#include "job/pass.h"

int capacity_write_prepare(struct job *job, unsigned round)
{
	uint64_t nonce = clock_monotonic() ^ (uint64_t)time(NULL) << 32;
	int r;

	if (!job->setup.probe)
		return 0;
	r = capacity_init(&job->probe->capacity, job->plan, job->map, job->choice.chunk, nonce);
	job->probe->next = 0;
	job->work.bytes = 0;
	return r < 0 ? r : job->probe->capacity.marks.count > 1;
}

int capacity_read_prepare(struct job *job, unsigned round)
{
	job->probe->next = 0;
	return job->probe->capacity.marks.count > 1;
}

static bool probe_take(struct lane *lane, struct piece *ret)
{
	struct probe *probe = lane->job->probe;

	if (probe->next >= probe->capacity.marks.count)
		return false;
	lane->pending_tag = probe->next;
	*ret = probe->capacity.marks.items[probe->next++].piece;
	return true;
}

static void write_begin(struct lane *lane, struct slot *slot)
{
	const struct capacity *capacity = &lane->job->probe->capacity;

	capacity_fill(capacity, slot->tag, slot->buffer);
	slot->write_length = slot->piece.length;
	lane_slot_write(lane, slot);
}

static void read_advance(struct lane *lane, struct slot *slot)
{
	struct capacity *capacity = &lane->job->probe->capacity;
	struct error error = { 0 };

	if (slot->request.result == 0) {
		capacity_look(capacity, slot->tag, slot->buffer);
	} else if (slot->request.result != -ECANCELED) {
		counter_add(&lane->counters.errors, 1);
		io_explain(lane->destination, &slot->request, &error);
		job_fail(lane->job, FAILURE_DESTINATION, &error);
	}
	lane_slot_free(lane, slot);
}

static void fail_smaller(struct job *job, uint64_t bytes)
{
	const struct io_end *end = &job->setup.destination;
	struct error error;

	/* Rounded, both sizes would read the same. */
	if (bytes < end->size && end->size - bytes < end->size / 1000)
		error_set(&error, ERROR_CLASS_DESTINATION, -ENOSPC, "probe", end->name,
			  _("%s is smaller than it claims: its last %llu bytes do not exist, and "
			    "what is written to them overwrites other places. The copy was not "
			    "started; use another disk."),
			  end->name, (unsigned long long)(end->size - bytes));
	else
		error_set(&error, ERROR_CLASS_DESTINATION, -ENOSPC, "probe", end->name,
			  _("%s is smaller than it claims: only about %s of its %s keep what is "
			    "written there. The copy was not started; use another disk."),
			  end->name, UNITS_LONG(bytes, UNITS_SI, 512),
			  UNITS_LONG(end->size, UNITS_SI, 512));
	job_fail(job, FAILURE_DESTINATION, &error);
}

static void fail_forgets(struct job *job, uint64_t bytes)
{
	struct error error;

	error_set(&error, ERROR_CLASS_DESTINATION, -EIO, "probe", job->setup.destination.name,
		  _("%s does not keep what is written to it: something else came back at byte "
		    "%llu. The copy was not started; use another disk."),
		  job->setup.destination.name, (unsigned long long)bytes);
	job_fail(job, FAILURE_DESTINATION, &error);
}

/* After a stop, blocks that were not read count as good, but then the copy does not go on. */
void capacity_read_end(struct job *job)
{
	uint64_t bytes = 0;

	switch (capacity_judge(&job->probe->capacity, &bytes)) {
	case CAPACITY_GOOD:
		if (job_gate(job) < GATE_STOP)
			job_event_add(job, LOG_LEVEL_INFO,
				      _("%s passed the capacity test: blocks written up to its end "
					"read back correctly."),
				      job->setup.destination.name);
		break;
	case CAPACITY_SMALLER:
		fail_smaller(job, bytes);
		break;
	case CAPACITY_FORGETS:
		fail_forgets(job, bytes);
		break;
	}
}

const struct slot_ops capacity_write_ops = {
	.take = probe_take,
	.begin = write_begin,
	.advance = write_only_advance,
	.give_up = retry_give_up,
	.report = write_only_report,
};

const struct slot_ops capacity_read_ops = {
	.take = probe_take,
	.begin = lane_slot_read_back,
	.advance = read_advance,
	.give_up = lane_slot_free,
};
