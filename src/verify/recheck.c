/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which areas of the source are rechecked, what was read of them, and whether that differs. */
#include "verify/recheck.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "copy/held_memory.h"
#include "verify/verification.h"
#include "verify/verdict.h"
#include "verify/verdict_private.h"

/* With these limits, rechecking takes less than a hundredth of the time of the copy, on any disk.
 */
#define SAMPLE_EVERY (1ULL << 30)
#define SAMPLE_MIN   4
#define SAMPLE_MAX   64

/* ---- the areas ---- */

/* A held area, cut where regions end. */
static int add_held(struct verification *v, struct range held)
{
	while (held.count > 0) {
		struct recheck_area area = { 0 };

		if (!digests_find(v->proof->expected, held.start * v->copy->plan->sector_size,
				  &area.region) ||
		    !range_intersect(held, proof_sectors(v, area.region), &area.sectors))
			return 0;
		if (array_append(v->recheck->areas, v->recheck->count, area) < 0)
			return -ENOMEM;
		held.start += area.sectors.count;
		held.count -= area.sectors.count;
	}
	return 0;
}

/* A copy of which nothing is finished begins anew. */
static int take_known(struct verification *v)
{
	const struct map_held *record = map_held(v->map);
	struct recheck *recheck = v->recheck;

	if (v->already == 0)
		return map_set_first(v->map, NULL, 0);
	for (size_t i = 0; i < recheck->count; i++) {
		struct recheck_area *area = &recheck->areas[i];

		for (size_t k = 0; k < record->first_count && !area->known; k++) {
			const struct map_reading *first = &record->first[k];

			area->known = first->sectors.start == area->sectors.start &&
				      first->sectors.count == area->sectors.count;
			if (area->known)
				area->readings[RECHECK_FIRST] = first->sum;
		}
		if (area->known)
			recheck->now = RECHECK_RESUMED;
	}
	return 0;
}

int recheck_init(struct verification *v)
{
	struct recheck *recheck = v->recheck;

	if (!v->proof || !verifies_digests(v->copy->plan->options.verify) || v->copy->never_writes)
		recheck->state = JOB_RECHECK_NOT_ASKED;
	else if (plan_spares_source(&v->copy->plan->options))
		recheck->state = JOB_RECHECK_SPARED;
	else if (v->source_was_gone)
		recheck->state = JOB_RECHECK_WAS_GONE;
	else
		recheck->state = JOB_RECHECK_PENDING;
	if (recheck->state != JOB_RECHECK_PENDING)
		return 0;
	for (unsigned s = 1; s < v->stages->count; s++)
		for (size_t i = 0; i < v->stages->domain[s].count; i++)
			if (add_held(v, v->stages->domain[s].items[i]) < 0)
				return -ENOMEM;
	recheck->held = recheck->count;
	return take_known(v);
}

void recheck_done(struct recheck *recheck)
{
	free(recheck->areas);
	recheck->areas = NULL;
	recheck->held = recheck->count = 0;
}

/* Is all of it copied, and its digest known? Then that is its first reading. */
static bool can_be_sampled(const struct verification *v, size_t region, struct recheck_area *ret)
{
	uint64_t all;

	*ret = (struct recheck_area){ .sectors = proof_sectors(v, region), .region = region };
	ret->readings[RECHECK_FIRST] = digests_sum(v->proof->expected, region);
	all = ret->sectors.count;
	return ret->readings[RECHECK_FIRST].sectors == all &&
	       proof_finished(v, v->map, region) == all;
}

/* Picks one of the regions [from, to) that can be sampled, if there is one. In every copy of the
 * same size it is the same one. */
static int add_sample_of(struct verification *v, size_t from, size_t to)
{
	size_t begin = from < to ? splitmix64(from) % (to - from) : 0;
	struct recheck_area area;

	for (size_t n = 0; n < to - from; n++)
		if (can_be_sampled(v, from + (begin + n) % (to - from), &area))
			return array_append(v->recheck->areas, v->recheck->count, area);
	return 0;
}

static int add_sample(struct verification *v)
{
	size_t regions = v->proof->count;
	uint64_t n = v->total / SAMPLE_EVERY;

	n = n < SAMPLE_MIN ? SAMPLE_MIN : n > SAMPLE_MAX ? SAMPLE_MAX : n;
	if (n > regions)
		n = regions;
	for (size_t i = 0; i < n; i++)
		if (add_sample_of(v, regions * i / n, regions * (i + 1) / n) < 0)
			return -ENOMEM;
	return 0;
}

/* ---- reading them ---- */

static bool is_complete(const struct recheck_area *area, enum recheck_time time)
{
	return area->readings[time].sectors == area->sectors.count;
}

/* False, too, where the source is not rechecked any more. */
static bool source_reads_well(struct verification *v)
{
	if (v->recheck->state != JOB_RECHECK_PENDING)
		return false;
	if (map_bytes(v->map, MAP_BAD) || map_bytes(v->map, MAP_NON_TRIMMED) ||
	    map_bytes(v->map, MAP_NON_SCRAPED) || lanes_sum(v->lanes, *v->lane_count, read_errors))
		v->recheck->state = JOB_RECHECK_DAMAGED;
	else if (lanes_sum(v->lanes, *v->lane_count, slow_reads))
		v->recheck->state = JOB_RECHECK_SLOW;
	return v->recheck->state == JOB_RECHECK_PENDING;
}

/* By LBA. Neighbours of two stages stay apart, so nothing may be added to this list. */
static int list_areas(const struct recheck *recheck, struct range_list *ret)
{
	ret->items = calloc(recheck->count + 1, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	ret->capacity = recheck->count + 1;
	for (size_t i = 0; i < recheck->count; i++)
		/* Without a first reading there is nothing to compare with. */
		if (recheck->now != RECHECK_AFTER || is_complete(&recheck->areas[i], RECHECK_FIRST))
			ret->items[ret->count++] = recheck->areas[i].sectors;
	qsort(ret->items, ret->count, sizeof(*ret->items), range_compare);
	return 0;
}

int recheck_want_first(struct verification *v, struct range_list *ret)
{
	return source_reads_well(v) ? list_areas(v->recheck, ret) : 0;
}

int recheck_want_after(struct verification *v, struct range_list *ret)
{
	struct recheck *recheck = v->recheck;

	if (!source_reads_well(v))
		return 0;
	recheck->now = RECHECK_AFTER;
	/* From the start if there was no memory for it the last time. */
	recheck->count = recheck->held;
	if (add_sample(v) < 0 || list_areas(recheck, ret) < 0)
		return -ENOMEM;
	if (ret->count == 0)
		recheck->state = JOB_RECHECK_DONE;
	return 0;
}

static struct recheck_area *area_of(struct recheck *recheck, size_t region, struct range sectors)
{
	for (size_t i = 0; i < recheck->count; i++)
		if (recheck->areas[i].region == region &&
		    range_overlaps(recheck->areas[i].sectors, sectors))
			return &recheck->areas[i];
	return NULL;
}

/* No piece lies in two areas of one region. */
static void add_reading(struct verification *v, const struct lane_report *report,
			enum recheck_time time)
{
	uint32_t sector = v->copy->plan->sector_size;
	const struct range sectors = { report->source / sector, report->length / sector };

	for (unsigned i = 0; i < report->part_count; i++) {
		const struct digest_part *part = &report->parts[i];
		struct recheck_area *area = area_of(v->recheck, part->region, sectors);

		if (area && time == RECHECK_RESUMED && !area->known)
			digest_sum_add(&area->readings[RECHECK_FIRST], &part->sum);
		else if (area)
			digest_sum_add(&area->readings[time], &part->sum);
	}
}

void recheck_collect(struct verification *v, const struct lane_report *report)
{
	add_reading(v, report, v->recheck->now);
}

void recheck_collect_copied(struct verification *v, const struct lane_report *report)
{
	const struct held_memory *memory = v->copy->held;

	/* What came from memory is no reading of the source. */
	if (v->recheck->held && v->stages->now > 0 && !(memory && held_memory_given(memory)))
		add_reading(v, report, RECHECK_WRITTEN);
}

/* For whoever resumes this copy. Without memory for it, nothing is compared then. */
static void record_first(struct verification *v)
{
	struct recheck *recheck = v->recheck;
	struct map_reading *first = calloc(recheck->held + 1, sizeof(*first));
	size_t count = 0;

	for (size_t i = 0; first && i < recheck->held; i++)
		if (is_complete(&recheck->areas[i], RECHECK_FIRST))
			first[count++] = (struct map_reading){
				recheck->areas[i].sectors,
				recheck->areas[i].readings[RECHECK_FIRST],
			};
	pthread_mutex_lock(v->map_lock);
	if (first && map_set_first(v->map, first, count) == 0)
		v->owner->map_changed(v->copy->job, false);
	pthread_mutex_unlock(v->map_lock);
	free(first);
}

void recheck_end(struct verification *v)
{
	struct recheck *recheck = v->recheck;
	int trouble = atomic_load(&recheck->trouble);

	if (trouble)
		recheck->state = (enum job_recheck)trouble;
	else if (recheck->now == RECHECK_AFTER && copy_gate(v->copy) < GATE_STOP)
		recheck->state = JOB_RECHECK_DONE;
	if (recheck->now != RECHECK_AFTER)
		record_first(v);
	if (recheck->now != RECHECK_FIRST)
		recheck_judge(v);
}

/* ---- judging ---- */

static bool is_comparable(const struct recheck_area *area, enum recheck_time time)
{
	return is_complete(area, RECHECK_FIRST) && is_complete(area, time);
}

static bool differs(const struct recheck_area *area, enum recheck_time time)
{
	return is_comparable(area, time) &&
	       !digest_equal(area->readings[RECHECK_FIRST].digest, area->readings[time].digest);
}

/* The reading that is not as the first one; RECHECK_FIRST: none. */
static enum recheck_time differing(const struct recheck_area *area)
{
	enum recheck_time time = RECHECK_TIMES - 1;

	while (time > RECHECK_FIRST && !differs(area, time))
		time--;
	return time;
}

static bool is_compared(const struct recheck_area *area)
{
	bool compared = false;

	for (enum recheck_time time = RECHECK_RESUMED; time < RECHECK_TIMES; time++)
		compared = compared || is_comparable(area, time);
	return compared;
}

/* The sector that changed, if it is one alone. */
static bool pin_down(const struct verification *v, const struct recheck_area *area,
		     enum recheck_time time, struct range *ret)
{
	struct range region = proof_sectors(v, area->region);
	uint64_t from_end;

	if (!digest_sum_pin_down(&area->readings[RECHECK_FIRST], &area->readings[time],
				 region.count, &from_end))
		return false;
	*ret = (struct range){ region.start + region.count - from_end, 1 };
	return range_contains(area->sectors, *ret);
}

/* Returns the first LBA that may have changed. */
static uint64_t note_change(struct verification *v, struct recheck_area *area,
			    enum recheck_time time)
{
	struct range sectors;
	bool exact = pin_down(v, area, time, &sectors);

	if (!exact)
		sectors = area->sectors;
	area->changed = true;
	v->recheck->changed++;
	v->recheck->changed_bytes += sectors.count * v->copy->plan->sector_size;
	proof_source_changed(v, area->region, sectors, exact);
	return sectors.start;
}

static void tell_changed(struct verification *v, uint64_t lba)
{
	const char *name = v->copy->source->name;
	unsigned partition = plan_partition_at(v->copy->plan, v->source_disk, lba),
		 changed = v->recheck->changed;

	if (partition)
		copy_tell(v->copy, LOG_LEVEL_ERROR,
			  P_("%s changed during the copy, in %u of the areas checked: LBA "
			     "%" PRIu64 ", partition %u.",
			     "%s changed during the copy, in %u of the areas checked, first "
			     "at LBA %" PRIu64 ", partition %u.",
			     changed),
			  name, changed, lba, partition);
	else
		copy_tell(v->copy, LOG_LEVEL_ERROR,
			  P_("%s changed during the copy, in %u of the areas checked: LBA "
			     "%" PRIu64 ".",
			     "%s changed during the copy, in %u of the areas checked, first "
			     "at LBA %" PRIu64 ".",
			     changed),
			  name, changed, lba);
}

static void tell(struct verification *v, uint64_t lba)
{
	const char *name = v->copy->source->name;

	tell_changed(v, lba);
	if (v->recheck->while_stopped)
		copy_tell(v->copy, LOG_LEVEL_ERROR,
			  _("That was while the copy was stopped: what was copied before is "
			    "older than the rest. Nothing was written. Resume once more to "
			    "copy all of %s again, and do not mount it meanwhile."),
			  name);
	else if (!v->source_in_use)
		copy_tell(v->copy, LOG_LEVEL_ERROR,
			  _("Another system or program is writing to %s. Unmount it there, "
			    "then make the copy again."),
			  name);
}

/* If somebody resumes it all the same, all of it is copied again. */
static void forget_copy(struct verification *v)
{
	v->owner->note_written(v->copy->job);
	pthread_mutex_lock(v->map_lock);
	(void)map_forget(v->map, 0, UINT64_MAX);
	/* It cannot fail: nothing is copied. */
	map_set_first(v->map, NULL, 0);
	pthread_mutex_unlock(v->map_lock);
	v->owner->map_changed(v->copy->job, true);
}

static void count_compared(struct verification *v)
{
	struct recheck *recheck = v->recheck;

	recheck->compared = 0;
	recheck->bytes = 0;
	for (size_t i = 0; i < recheck->count; i++) {
		const struct recheck_area *area = &recheck->areas[i];

		if (!is_compared(area))
			continue;
		recheck->compared++;
		recheck->bytes += area->sectors.count * v->copy->plan->sector_size;
	}
}

void recheck_judge(struct verification *v)
{
	struct recheck *recheck = v->recheck;
	unsigned before = recheck->changed;
	uint64_t lowest = UINT64_MAX;

	count_compared(v);
	for (size_t i = 0; i < recheck->count; i++) {
		struct recheck_area *area = &recheck->areas[i];
		enum recheck_time time = differing(area);

		if (!area->changed && time != RECHECK_FIRST) {
			uint64_t lba = note_change(v, area, time);

			lowest = lba < lowest ? lba : lowest;
		}
	}
	if (recheck->changed == before)
		return;
	recheck->while_stopped =
		recheck->now == RECHECK_RESUMED && v->stages->now == 0 && !v->source_in_use;
	proof_sum(v);
	tell(v, lowest);
	if (!v->source_in_use)
		forget_copy(v);
}

void recheck_show(const struct verification *v, struct job_proof *ret)
{
	const struct recheck *recheck = v->recheck;

	ret->recheck = recheck->state;
	ret->rechecked = recheck->compared;
	ret->rechecked_bytes = recheck->bytes;
	ret->changed = recheck->changed;
	ret->changed_before = recheck->while_stopped && recheck->changed;
	if (!v->source_in_use)
		return;
	ret->areas += recheck->changed;
	ret->bytes += recheck->changed_bytes;
}
