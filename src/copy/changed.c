/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places that are looked at again, and what is found there. */
#include "copy/changed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/i18n.h"
#include "copy/job_private.h"
#include "copy/pass.h"
#include "copy/proof_private.h"

/* A place for each GiB: of any disk less than a hundredth of the time that it takes to copy it. */
#define PLACE_EVERY (1ULL << 30)
#define PLACES_MIN  4
#define PLACES_MAX  64

/* What was read of it was read once. */
static bool is_whole(const struct changed_place *place, const struct changed_sum *sum)
{
	return sum->sectors == place->sectors.count;
}

/* ---- which places ---- */

static bool is_wanted(const struct job *job)
{
	return job->proof && verifies_digests(job->plan->options.verify) && !job->setup.verify_only;
}

static struct range region_at(const struct job *job, size_t i)
{
	struct digest_region region;

	digests_region(job->proof->expected, i, &region);
	return (struct range){ region.source / job->plan->sector_size,
			       region.length / job->plan->sector_size };
}

static int add_place(struct changed *changed, struct range sectors, size_t region)
{
	struct changed_place *places =
		reallocarray(changed->places, changed->count + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	changed->places = places;
	places[changed->count++] = (struct changed_place){ .sectors = sectors, .region = region };
	return 0;
}

/* What a stage holds back, cut where regions end. */
static int add_held(struct job *job, struct range part)
{
	while (part.count > 0) {
		struct range cut;
		size_t i;

		if (!digests_find(job->proof->expected, part.start * job->plan->sector_size, &i) ||
		    !range_intersect(part, region_at(job, i), &cut))
			return 0;
		if (add_place(&job->changed, cut, i) < 0)
			return -ENOMEM;
		part.start += cut.count;
		part.count -= cut.count;
	}
	return 0;
}

int changed_init(struct job *job)
{
	struct changed *changed = &job->changed;

	changed->wanted =
		is_wanted(job) && !job->setup.source_in_use && !job->setup.source_was_gone;
	if (is_wanted(job))
		changed->look = job->setup.source_in_use     ? JOB_LOOK_IN_USE
				: job->setup.source_was_gone ? JOB_LOOK_WAS_GONE
							     : JOB_LOOK_NOT_YET;
	if (!changed->wanted)
		return 0;
	for (unsigned s = 1; s < job->stages.count; s++)
		for (size_t i = 0; i < job->stages.domain[s].count; i++)
			if (add_held(job, job->stages.domain[s].items[i]) < 0)
				return -ENOMEM;
	changed->held = changed->count;
	return 0;
}

void changed_done(struct changed *changed)
{
	free(changed->places);
	changed->places = NULL;
	changed->held = changed->count = 0;
}

/* All of the region is copied, and its digest known. */
static bool is_taken(const struct job *job, size_t i, struct changed_sum *ret)
{
	uint64_t all = region_at(job, i).count;

	ret->digest = digests_sum(job->proof->expected, i, &ret->sectors);
	ret->places = digests_places(job->proof->expected, i);
	return ret->sectors == all && proof_finished(job, job->map, i) == all;
}

/* One of the regions [from, to), if there is any that was taken; the same one in every copy of the
 * same size. */
static int add_one_of(struct job *job, size_t from, size_t to)
{
	size_t begin = from < to ? splitmix64(from) % (to - from) : 0;

	for (size_t n = 0; n < to - from; n++) {
		size_t i = from + (begin + n) % (to - from);
		struct changed_sum sum;

		if (!is_taken(job, i, &sum))
			continue;
		if (add_place(&job->changed, region_at(job, i), i) < 0)
			return -ENOMEM;
		job->changed.places[job->changed.count - 1].first = sum;
		return 0;
	}
	return 0;
}

static int add_places(struct job *job)
{
	size_t regions = job->proof->count;
	uint64_t n = job->total / PLACE_EVERY;

	n = n < PLACES_MIN ? PLACES_MIN : n > PLACES_MAX ? PLACES_MAX : n;
	if (n > regions)
		n = regions;
	for (size_t i = 0; i < n; i++)
		if (add_one_of(job, regions * i / n, regions * (i + 1) / n) < 0)
			return -ENOMEM;
	return 0;
}

/* ---- the looks ---- */

/* What a healthy disk does is not asked of one that struggles. */
static enum job_look why_not(const struct job *job)
{
	if (map_bytes(job->map, MAP_BAD) || map_bytes(job->map, MAP_NON_TRIMMED) ||
	    map_bytes(job->map, MAP_NON_SCRAPED) || MEASURE_SUM(job, read_errors))
		return JOB_LOOK_DAMAGED;
	return MEASURE_SUM(job, slow_reads) ? JOB_LOOK_SLOW : JOB_LOOK_DONE;
}

static bool may_look(struct job *job)
{
	struct changed *changed = &job->changed;
	enum job_look look = why_not(job);

	if (!changed->wanted)
		return false;
	if (look != JOB_LOOK_DONE)
		changed->look = look;
	changed->wanted = look == JOB_LOOK_DONE;
	return changed->wanted;
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* By LBA, neighbours of two stages apart: no list to be added to. */
static int list_places(const struct changed *changed, struct range_list *ret)
{
	ret->items = calloc(changed->count + 1, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	ret->capacity = changed->count + 1;
	for (size_t i = 0; i < changed->count; i++)
		/* Of what was not read before there is nothing to compare. */
		if (!changed->behind || is_whole(&changed->places[i], &changed->places[i].first))
			ret->items[ret->count++] = changed->places[i].sectors;
	qsort(ret->items, ret->count, sizeof(*ret->items), by_start);
	return 0;
}

int changed_want_first(struct job *job, struct range_list *ret)
{
	return may_look(job) ? list_places(&job->changed, ret) : 0;
}

int changed_want_again(struct job *job, struct range_list *ret)
{
	struct changed *changed = &job->changed;

	if (!may_look(job))
		return 0;
	changed->behind = true;
	/* Once more where there was no memory for it. */
	changed->count = changed->held;
	if (add_places(job) < 0 || list_places(changed, ret) < 0)
		return -ENOMEM;
	if (ret->count == 0)
		changed->look = JOB_LOOK_DONE;
	return 0;
}

static struct changed_place *place_of(struct changed *changed, size_t region, struct range sectors)
{
	for (size_t i = 0; i < changed->count; i++)
		if (changed->places[i].region == region &&
		    range_overlaps(changed->places[i].sectors, sectors))
			return &changed->places[i];
	return NULL;
}

/* Each part lies in one region, and no piece in two places of one. */
static void add_parts(struct job *job, const struct report *report,
		      struct changed_sum *(*sum_of)(struct changed_place *place))
{
	uint32_t sector = job->plan->sector_size;
	const struct range sectors = { report->source / sector, report->length / sector };

	for (unsigned i = 0; i < report->part_count; i++) {
		const struct digest_part *part = &report->parts[i];
		struct changed_place *place = place_of(&job->changed, part->region, sectors);

		if (!place)
			continue;

		struct changed_sum *sum = sum_of(place);

		digest_add(&sum->digest, part->digest);
		digest_add(&sum->places, part->places);
		sum->sectors += part->sectors;
	}
}

static struct changed_sum *first_of(struct changed_place *place)
{
	return &place->first;
}

static struct changed_sum *again_of(struct changed_place *place)
{
	return &place->again;
}

static struct changed_sum *last_of(struct changed_place *place)
{
	return &place->last;
}

void changed_collect(struct job *job, const struct report *report)
{
	add_parts(job, report, job->changed.behind ? again_of : first_of);
}

void changed_collect_copied(struct job *job, const struct report *report)
{
	if (job->changed.held && job->stages.now > 0)
		add_parts(job, report, last_of);
}

/* ---- the judgement ---- */

static bool is_known(const struct changed_place *place, const struct changed_sum *sum)
{
	return is_whole(place, &place->first) && is_whole(place, sum);
}

static bool differs(const struct changed_place *place, const struct changed_sum *sum)
{
	return is_known(place, sum) && !digest_equal(place->first.digest, sum->digest);
}

/* The only sector that is another one, if it is one alone. */
static bool pin_down(const struct job *job, const struct changed_place *place,
		     const struct changed_sum *sum, struct range *ret)
{
	struct digest once = digest_less(sum->digest, place->first.digest);
	struct digest all = digest_less(sum->places, place->first.places);
	struct range region = region_at(job, place->region);
	uint64_t from_end;

	if (!digest_pin_down(once, all, region.count, &from_end))
		return false;
	*ret = (struct range){ region.start + region.count - from_end, 1 };
	return range_contains(place->sectors, *ret);
}

static uint64_t note(struct job *job, struct changed_place *place, const struct changed_sum *sum)
{
	struct range sectors;
	bool exact = pin_down(job, place, sum, &sectors);

	if (!exact)
		sectors = place->sectors;
	place->found = true;
	job->changed.found++;
	proof_source_changed(job, place->region, sectors, exact);
	return sectors.start;
}

static void tell(struct job *job, uint64_t lba)
{
	const char *name = job->setup.source.name;
	unsigned partition = job_partition_at(job, lba), found = job->changed.found;

	if (partition)
		job_event_add(job, LOG_LEVEL_ERROR,
			      P_("%s changed during the copy, in %u of the places checked: LBA "
				 "%" PRIu64 ", partition %u.",
				 "%s changed during the copy, in %u of the places checked, first "
				 "at LBA %" PRIu64 ", partition %u.",
				 found),
			      name, found, lba, partition);
	else
		job_event_add(job, LOG_LEVEL_ERROR,
			      P_("%s changed during the copy, in %u of the places checked: LBA "
				 "%" PRIu64 ".",
				 "%s changed during the copy, in %u of the places checked, first "
				 "at LBA %" PRIu64 ".",
				 found),
			      name, found, lba);
	job_event_add(job, LOG_LEVEL_ERROR,
		      _("Another system or program is writing to %s. Unmount it there, then make "
			"the copy again."),
		      name);
}

/* Should somebody resume it all the same, all of it is copied again. */
static void forget_copy(struct job *job)
{
	struct map_block block;
	uint64_t pos = 0;

	job->changed.too_late |= job_nothing_left(job);
	pthread_mutex_lock(&job->map_lock);
	while (map_next(job->map, pos, MAP_FINISHED, &block)) {
		pos = block.start + block.size;
		if (map_set(job->map, block.start, block.size, MAP_NON_TRIED) < 0)
			break;
	}
	pthread_mutex_unlock(&job->map_lock);
	job->keeper.map_changed = job->keeper.flush_due = true;
}

static void count_looked(struct job *job)
{
	struct changed *changed = &job->changed;

	changed->looked = 0;
	changed->bytes = 0;
	for (size_t i = 0; i < changed->count; i++) {
		const struct changed_place *place = &changed->places[i];

		if (!is_known(place, &place->again) && !is_known(place, &place->last))
			continue;
		changed->looked++;
		changed->bytes += place->sectors.count * job->plan->sector_size;
	}
}

void changed_judge(struct job *job)
{
	struct changed *changed = &job->changed;
	unsigned before = changed->found;
	uint64_t lba, lowest = UINT64_MAX;

	count_looked(job);
	for (size_t i = 0; i < changed->count; i++) {
		struct changed_place *place = &changed->places[i];
		const struct changed_sum *sum =
			differs(place, &place->again) ? &place->again : &place->last;

		if (place->found || !differs(place, sum))
			continue;
		lba = note(job, place, sum);
		lowest = lba < lowest ? lba : lowest;
	}
	if (changed->found == before)
		return;
	proof_sum(job);
	tell(job, lowest);
	forget_copy(job);
}

void changed_end(struct job *job)
{
	struct changed *changed = &job->changed;

	if (atomic_load(&changed->sick)) {
		changed->wanted = false;
		changed->look = why_not(job) == JOB_LOOK_SLOW ? JOB_LOOK_SLOW : JOB_LOOK_DAMAGED;
	} else if (changed->behind && job_gate(job) < GATE_STOP) {
		changed->look = JOB_LOOK_DONE;
	}
	if (changed->behind)
		changed_judge(job);
}

void changed_show(const struct job *job, struct job_snapshot *ret)
{
	const struct changed *changed = &job->changed;

	ret->proof.look = changed->look;
	ret->proof.looked = changed->looked;
	ret->proof.looked_bytes = changed->bytes;
	ret->proof.changed = changed->found;
}
