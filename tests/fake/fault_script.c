/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The script of a fault backend: rules, what they matched, and what got through. */
#include "fake/fault_script.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define RULES_MAX 32
#define SMALL_MAX 64

struct live_rule {
	struct fault_rule rule;
	unsigned matches, hits;
};

struct fault_script {
	pthread_mutex_t lock;
	struct live_rule rules[RULES_MAX];
	unsigned rule_count;
	bool gone;
	uint64_t dies; /* after so many faults; 0: never */
	struct fault_counts counts;
	uint64_t small[SMALL_MAX];        /* of the small reads in flight: where they begin */
	uint32_t small_length[SMALL_MAX]; /* 0: a free place */
};

struct fault_script *fault_script_new(void)
{
	struct fault_script *script = calloc(1, sizeof(*script));

	if (!script)
		return NULL;
	pthread_mutex_init(&script->lock, NULL);
	script->counts.first_written = UINT64_MAX;
	return script;
}

void fault_script_destroy(struct fault_script *script)
{
	if (!script)
		return;
	pthread_mutex_destroy(&script->lock);
	free(script);
}

int fault_script_add(struct fault_script *script, const struct fault_rule *rule)
{
	int number = -ENOSPC;

	pthread_mutex_lock(&script->lock);
	if (script->rule_count < RULES_MAX) {
		number = (int)script->rule_count++;
		script->rules[number] = (struct live_rule){ .rule = *rule };
		if (!rule->code)
			script->rules[number].rule.code = -EIO;
	}
	pthread_mutex_unlock(&script->lock);
	return number;
}

unsigned fault_script_hits(struct fault_script *script, int rule)
{
	unsigned hits = 0;

	pthread_mutex_lock(&script->lock);
	if (rule >= 0 && (unsigned)rule < script->rule_count)
		hits = script->rules[rule].hits;
	pthread_mutex_unlock(&script->lock);
	return hits;
}

void fault_script_clear(struct fault_script *script)
{
	pthread_mutex_lock(&script->lock);
	script->rule_count = 0;
	script->gone = false;
	script->dies = 0;
	pthread_mutex_unlock(&script->lock);
}

void fault_script_die(struct fault_script *script, uint64_t faults)
{
	pthread_mutex_lock(&script->lock);
	script->dies = script->counts.faults + faults;
	pthread_mutex_unlock(&script->lock);
}

struct fault_counts fault_script_counts(struct fault_script *script)
{
	pthread_mutex_lock(&script->lock);

	struct fault_counts counts = script->counts;

	pthread_mutex_unlock(&script->lock);
	return counts;
}

/* Counts the match; true when the rule works this time. */
static bool works(struct fault_script *script, struct live_rule *live)
{
	if (live->matches++ < live->rule.skip)
		return false;
	if (live->rule.times && live->hits >= live->rule.times)
		return false;
	live->hits++;
	script->counts.faults++;
	return true;
}

static bool matches(const struct fault_rule *rule, const struct io_request *request)
{
	if (rule->kind == FAULT_FLUSH ||
	    (rule->on == FAULT_READS && request->direction != IO_READ) ||
	    (rule->on == FAULT_WRITES && request->direction != IO_WRITE))
		return false;
	if (request->offset + request->length <= rule->start)
		return false;
	return !rule->length || request->offset < rule->start + rule->length;
}

static void apply(struct fault_script *script, const struct fault_rule *rule,
		  const struct io_request *request, struct fault_verdict *ret)
{
	switch (rule->kind) {
	case FAULT_FAIL:
		ret->fails = true;
		ret->code = rule->code;
		ret->sense = rule->sense;
		ret->after = rule->after < request->length ? rule->after : request->length;
		ret->delay_ns = rule->delay_ns;
		break;
	case FAULT_DELAY:
		ret->delay_ns = rule->delay_ns;
		break;
	case FAULT_DISAPPEAR:
		script->gone = true;
		break;
	case FAULT_BUSY:
		ret->busy = true;
		break;
	case FAULT_REORDER:
		ret->reorders = true;
		break;
	case FAULT_CORRUPT:
		ret->corrupts = true;
		if (rule->start > request->offset)
			ret->corrupt_at = (uint32_t)(rule->start - request->offset);
		break;
	case FAULT_WRAP:
		ret->wrap = rule->wrap;
		break;
	case FAULT_LOSE:
		ret->fails = true;
		break;
	case FAULT_FLUSH:
		break;
	}
}

void fault_script_judge(struct fault_script *script, const struct io_request *request, bool alone,
			struct fault_verdict *ret)
{
	*ret = (struct fault_verdict){ 0 };
	pthread_mutex_lock(&script->lock);
	if (script->dies && script->counts.faults >= script->dies) {
		ret->fails = true;
		ret->code = -EIO;
	}
	for (unsigned i = 0; i < script->rule_count && !script->gone && !ret->fails; i++) {
		struct live_rule *live = &script->rules[i];

		if (!matches(&live->rule, request) || (live->rule.kind == FAULT_BUSY && alone) ||
		    !works(script, live))
			continue;
		apply(script, &live->rule, request, ret);
		break;
	}
	if (script->gone) {
		ret->fails = true;
		ret->code = -ENODEV;
	}
	pthread_mutex_unlock(&script->lock);
}

int fault_script_flush(struct fault_script *script)
{
	int code = 0;

	pthread_mutex_lock(&script->lock);
	for (unsigned i = 0; i < script->rule_count && !code; i++)
		if (script->rules[i].rule.kind == FAULT_FLUSH && works(script, &script->rules[i]))
			code = script->rules[i].rule.code;
	if (script->gone)
		code = -ENODEV;
	if (!code)
		script->counts.flushes++;
	pthread_mutex_unlock(&script->lock);
	return code;
}

static bool is_small(const struct io_request *request)
{
	return request->direction == IO_READ && request->length <= FAULT_SMALL;
}

static void enter_small(struct fault_script *script, const struct io_request *request)
{
	unsigned place = SMALL_MAX, count = 1;
	bool beside = false;

	for (unsigned i = 0; i < SMALL_MAX; i++) {
		uint64_t start = script->small[i], end = start + script->small_length[i];

		if (start == end) {
			place = i;
			continue;
		}
		count++;
		beside |= end == request->offset || start == request->offset + request->length;
	}
	if (place == SMALL_MAX)
		return;
	script->small[place] = request->offset;
	script->small_length[place] = request->length;
	script->counts.small_beside += beside;
	if (count > script->counts.most_small)
		script->counts.most_small = count;
}

static void leave_small(struct fault_script *script, const struct io_request *request)
{
	for (unsigned i = 0; i < SMALL_MAX; i++) {
		if (script->small[i] != request->offset || !script->small_length[i])
			continue;
		script->small_length[i] = 0;
		break;
	}
}

void fault_script_enter(struct fault_script *script, const struct io_request *request)
{
	struct fault_counts *counts = &script->counts;

	pthread_mutex_lock(&script->lock);
	if (++counts->in_flight > counts->most_in_flight)
		counts->most_in_flight = counts->in_flight;
	if (is_small(request))
		enter_small(script, request);
	pthread_mutex_unlock(&script->lock);
}

void fault_script_leave(struct fault_script *script, const struct io_request *request)
{
	pthread_mutex_lock(&script->lock);
	script->counts.in_flight--;
	if (is_small(request))
		leave_small(script, request);
	pthread_mutex_unlock(&script->lock);
}

void fault_script_done(struct fault_script *script, const struct io_request *request)
{
	struct fault_counts *counts = &script->counts;

	pthread_mutex_lock(&script->lock);
	if (request->direction == IO_READ) {
		counts->reads++;
		counts->bytes_read += request->done;
	} else {
		counts->writes++;
		counts->bytes_written += request->done;
		if (request->done && request->offset < counts->first_written)
			counts->first_written = request->offset;
		if (request->done && request->offset + request->done > counts->end_written)
			counts->end_written = request->offset + request->done;
	}
	pthread_mutex_unlock(&script->lock);
}
