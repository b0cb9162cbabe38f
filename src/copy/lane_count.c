/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a lane counts of its requests. */
#include <errno.h>

#include "base/clock.h"
#include "copy/lane.h"
#include "stats/zones.h"

#define SLOW_READ NSEC_PER_SEC

void lane_count_begin(struct lane *lane, struct slot *slot)
{
	struct lane_counters *c = &lane->counters;

	watch_begin(&slot->watch, lane->sent++, slot->request.offset, slot->tag,
		    slot->at_destination);
	counter_add32(slot->at_destination ? &c->at_destination : &c->at_source, 1);
	counter_add(slot->at_destination ? &c->bytes_at_destination : &c->bytes_at_source,
		    slot->request.length);
}

void lane_count_end(struct lane *lane, struct slot *slot)
{
	struct lane_counters *c = &lane->counters;

	if (watch_end(&slot->watch) && !slot->at_destination)
		atomic_fetch_sub(&lane->hanging, 1);
	counter_sub32(slot->at_destination ? &c->at_destination : &c->at_source, 1);
	counter_sub(slot->at_destination ? &c->bytes_at_destination : &c->bytes_at_source,
		    slot->request.length);
}

void lane_count_result(struct lane *lane, const struct slot *slot)
{
	const struct io_request *request = &slot->request;
	struct lane_counters *c = &lane->counters;
	uint64_t ns = request->completed - request->submitted, needed;

	if (request->completed < request->submitted || request->result == -ECANCELED)
		return;
	if (request->direction == IO_WRITE) {
		latency_add(&lane->write_latency, ns);
		counter_add(&c->writes, 1);
		return;
	}
	if (slot->at_destination) {
		latency_add(&lane->back_latency, ns);
		counter_add(&c->read_back, request->result == 0 ? request->length : 0);
		return;
	}
	latency_add(&lane->read_latency, ns);
	needed = zones_needed(lane->copy->zones, request->submitted, request->completed);
	counter_add(&c->reads, 1);
	counter_add(&c->slow_reads, ns > SLOW_READ);
	if (request->result < 0) {
		counter_add(&c->read_errors, 1);
		counter_add(&c->error_bytes, request->length);
		return;
	}
	__atomic_store_n(&c->last_read, request->completed, __ATOMIC_RELAXED);
	counter_add(&c->read, request->length);
	/* What looks for a bad sector reads in another way. */
	if (lane->traits & PASS_BOTH_ENDS)
		zones_add(lane->copy->zones, request->offset, request->length, ns, needed);
}

/* From the request's own times: reading the clock twice more is dear without a vDSO. */
void lane_count_inside(struct lane *lane, const struct io_request *request)
{
	if (request->completed > request->submitted)
		counter_add(&lane->counters.submit_ns, request->completed - request->submitted);
}
