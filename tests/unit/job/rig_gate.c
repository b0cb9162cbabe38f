/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An end of which requests wait at a gate; and copies that are stopped there. See rig.h. */
#include "rig.h"

#include <stdatomic.h>
#include <unistd.h>

static struct {
	struct io_backend backend;
	rig_gate_stops *stops;
	atomic_bool reached, open;
} gate;

static enum io_answer gated_submit(struct io_handle *handle, struct io_request *request)
{
	if (gate.stops(request)) {
		atomic_store(&gate.reached, true);
		while (!atomic_load(&gate.open))
			usleep(500);
	}
	return io_threads_backend.submit(handle, request);
}

const struct io_backend *rig_gate(rig_gate_stops *stops)
{
	gate.backend = io_threads_backend;
	gate.backend.submit = gated_submit;
	gate.stops = stops;
	gate.reached = gate.open = false;
	return &gate.backend;
}

void rig_start_to_gate(struct rig *rig)
{
	rig_start(rig);
	while (!atomic_load(&gate.reached) && rig_look(rig).state != JOB_ENDED)
		usleep(500);
}

void rig_gate_open(void)
{
	atomic_store(&gate.open, true);
}

/* How much of the copy a destination takes. */
static uint64_t copied_most;
static _Atomic uint64_t copied_bytes;

/* What is wiped is zeros, and no part of the copy. */
static bool is_beyond_most(const struct io_request *request)
{
	return request->direction == IO_WRITE && *(const uint64_t *)request->buffer != 0 &&
	       atomic_fetch_add(&copied_bytes, request->length) >= copied_most;
}

struct job_snapshot rig_stop_when(struct rig *rig, uint64_t written)
{
	const struct io_backend *usual = rig->setup.destination_backend;
	const struct plan_options options = rig->plan->options;
	struct job_snapshot s;

	copied_most = written;
	copied_bytes = rig->setup.resume ? map_bytes(rig->setup.resume, MAP_FINISHED) : 0;
	rig->setup.destination_backend = rig_gate(is_beyond_most);
	/* What is read already when it stops is written all the same. Below a limit, that is
	 * little. */
	rig->plan->options.queue_depth = 4;
	rig->plan->options.rate = 1000 * MIB;
	rig_start_to_gate(rig);
	job_stop(rig->job);
	rig_gate_open();
	s = rig_wait(rig);
	rig->setup.destination_backend = usual;
	rig->plan->options = options;
	ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
	return s;
}

struct map *rig_stop_at(struct rig *rig, uint64_t written)
{
	struct map *map;

	rig_stop_when(rig, written);
	map = rig_load_map(rig);
	ck_assert_uint_gt(map_bytes(map, MAP_FINISHED), 0);
	rig->setup.resume = map;
	return map;
}
