/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a report: when, what was proven, what is hurt, what is left, and the ends. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "after/resize_fs.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/facts.h"

/* ---- moments and durations ---- */

const char *report_when(int64_t unix_seconds, char buffer[static REPORT_WHEN_MAX])
{
	return clock_print(unix_seconds, "%Y-%m-%d %H:%M:%S %z (%Z)", buffer, REPORT_WHEN_MAX);
}

const char *report_duration(uint64_t ns, char buffer[static UNITS_TEXT_MAX])
{
	if (ns >= 60 * NSEC_PER_SEC)
		return units_print_duration(ns / NSEC_PER_SEC, buffer);
	snprintf(buffer, UNITS_TEXT_MAX, _("%.1f s"), (double)ns / (double)NSEC_PER_SEC);
	return buffer;
}

const char *report_milliseconds(uint64_t ns, char buffer[static UNITS_TEXT_MAX])
{
	double ms = (double)ns / NSEC_PER_MSEC;

	if (ms >= 999.5)
		return units_print_count((uint64_t)(ms + 0.5), buffer);
	snprintf(buffer, UNITS_TEXT_MAX, "%.*f",
		 ms < 0.9995  ? 3
		 : ms < 9.995 ? 2
		 : ms < 99.95 ? 1
			      : 0,
		 ms);
	return buffer;
}

/* ---- what was proven ---- */

static void all_verified(const struct job_proof *proof, struct fact_sink *to)
{
	uint64_t by_digest = proof->verified - proof->compared;

	if (!proof->compared)
		fact_put(to,
			 _("%s B read back from the medium and compared with digests (XXH3-128) "
			   "taken as the source was read"),
			 UNITS_COUNT(by_digest));
	else if (!by_digest)
		fact_put(to,
			 _("%s B read back from the medium and compared byte for byte with the "
			   "source, which was read for that"),
			 UNITS_COUNT(proof->compared));
	else
		fact_put(to,
			 _("%s B read back from the medium and compared with digests taken as the "
			   "source was read, %s B with the source itself, read for that"),
			 UNITS_COUNT(by_digest), UNITS_COUNT(proof->compared));
}

static const char *why_not_rechecked(const struct job_snapshot *job)
{
	static const char *const why[] = {
		[JOB_RECHECK_PENDING] =
			N_("the source was not checked again: the copy was stopped before that"),
		[JOB_RECHECK_DAMAGED] =
			N_("the source was not checked again: some of it was hard to read"),
		[JOB_RECHECK_SLOW] =
			N_("the source was not checked again: a read took longer than a second"),
		[JOB_RECHECK_WAS_GONE] =
			N_("the source was not checked again: it was disconnected for a while"),
		[JOB_RECHECK_SPARED] =
			N_("the source was not checked again: it was copied as a failing disk"),
	};
	const char *text = why[job->proof.recheck];

	/* Not said of a copy that did not get so far: there it is obvious. */
	if (job->proof.recheck == JOB_RECHECK_PENDING && job->result != JOB_RESULT_COMPLETE)
		text = NULL;
	return text ? _(text) : "";
}

void report_rechecked(const struct report *report, struct fact_sink *to)
{
	const struct job_proof *proof = &report->job.proof;

	if (proof->changed)
		fact_put(to,
			 P_("the source was checked again: %u area checked, %u changed",
			    "the source was checked again: %u areas checked, %u changed",
			    proof->rechecked),
			 proof->rechecked, proof->changed);
	else if (proof->recheck == JOB_RECHECK_DONE && proof->rechecked)
		fact_put(to,
			 P_("the source was checked again: %u area, unchanged; the rest was read "
			    "only once",
			    "the source was checked again: %u areas, all unchanged; the rest was "
			    "read only once",
			    proof->rechecked),
			 proof->rechecked);
	else
		fact_put(to, "%s", why_not_rechecked(&report->job));
}

static bool is_complete(const struct job_snapshot *job)
{
	return job->result == JOB_RESULT_COMPLETE || job->result == JOB_RESULT_PARTIAL;
}

void report_look(const struct report *report, struct fact_sink *to)
{
	const struct job_look *look = &report->job.look;

	/* Both ends were read there afterwards. */
	if (look->differing && is_complete(&report->job))
		fact_put(to,
			 P_("%u of %u place seemed to have changed after the last write; compared "
			    "with the source, all is right there",
			    "%u of %u places seemed to have changed after the last write; compared "
			    "with the source, all is right there",
			    look->places),
			 look->differing, look->places);
	else if (look->differing)
		fact_put(to,
			 P_("%u of %u place is not what was written there",
			    "%u of %u places are not what was written there", look->places),
			 look->differing, look->places);
	else if (look->places)
		fact_put(to,
			 P_("%u place, %s B, read once more after the last write: unchanged",
			    "%u places, %s B, read once more after the last write: all unchanged",
			    look->places),
			 look->places, UNITS_COUNT(look->bytes));
	else if (look->done && is_complete(&report->job))
		fact_put(to, "%s",
			 _("no: nothing is known of what an earlier part of this copy wrote"));
}

void report_look_places(const struct report *report, struct fact_sink *to)
{
	const struct job_look *look = &report->job.look;

	if (!look->places)
		return;
	if (!look->sample_bytes)
		fact_put(to, _("%s B of what came last, %s B more at both ends"),
			 UNITS_COUNT(look->held_bytes), UNITS_COUNT(look->end_bytes));
	else
		fact_put(to,
			 P_("%s B of what came last, %s B more at both ends, and a sample of %u "
			    "block: 1 in %s of all bytes (seed %u)",
			    "%s B of what came last, %s B more at both ends, and a sample of %u "
			    "blocks: 1 in %s of all bytes (seed %u)",
			    look->sample),
			 UNITS_COUNT(look->held_bytes), UNITS_COUNT(look->end_bytes), look->sample,
			 UNITS_COUNT(report->job.total / look->sample_bytes), look->seed);
}

void report_verified(const struct report *report, struct fact_sink *to)
{
	const struct job_proof *proof = &report->job.proof;

	/* Also for a copy that ended early. */
	if (!proof->asked ||
	    (proof->verified == 0 && proof->areas == 0 && proof->unknown == 0 && !proof->complete))
		fact_put(to, "%s", _("no, the copy was not read back"));
	else if (proof->complete)
		all_verified(proof, to);
	else if (proof->changed)
		fact_put(to, "%s",
			 proof->changed_before
				 ? _("no: the source is not any more what was copied of it")
				 : _("no: the source changed during the copy, so the copy "
				     "mixes two states"));
	else
		fact_put(to,
			 proof->areas
				 ? _("no: %s of %s B are proven; what differs lies in the rest")
			 : proof->unknown
				 ? _("not all: %s of %s B are proven; the rest was copied earlier, "
				     "without digests, and cannot be read from the source any "
				     "more")
				 : _("no: %s of %s B were read back, and are right"),
			 UNITS_COUNT(proof->verified),
			 UNITS_COUNT(report->job.total - report->job.bad_bytes));
}

static const char *sums_words(enum job_sums_state state)
{
	switch (state) {
	case JOB_SUMS_OF_SOURCE:
		return _("of the source, as it was read");
	case JOB_SUMS_OF_DESTINATION:
		return _("of the destination, as it was read back and proven to be what was read "
			 "of the source");
	case JOB_SUMS_DIFFERS:
		return _("not known: the copy is not what the source was");
	case JOB_SUMS_NOT_READ_BACK:
		return _("not known: the source was not read in one go, and the copy was not read "
			 "back");
	case JOB_SUMS_PENDING:
	case JOB_SUMS_INCOMPLETE:
		break;
	}
	return _("not known: the copy is not complete");
}

void report_sums(const struct report *report, struct fact_sink *to)
{
	const struct job_sums *sums = &report->job.sums;

	if (sums->zeros)
		fact_put(to, _("%s; %s B that could not be read count as zeros"),
			 sums_words(sums->state), UNITS_COUNT(sums->zeros));
	else if (plan_left_out(report->plan) && job_sums_known(sums))
		fact_put(to, _("%s; free places that are left out count as zeros"),
			 sums_words(sums->state));
	else
		fact_put(to, "%s", sums_words(sums->state));
}

/* ---- what came of it ---- */

void report_in_use(const struct report *report, struct fact_sink *to)
{
	if (report->source_writer[0])
		fact_put(to,
			 _("%s. What was written meanwhile may be missing in the copy, or be there "
			   "in part: check its file systems before you use them."),
			 report->source_writer);
}

void report_flushed(const struct report *report, struct fact_sink *to)
{
	const struct job_snapshot *job = &report->job;
	char clock[32];

	if (job->flushed)
		fact_put(to, _("yes, the destination confirmed it at %s"),
			 clock_print(job->flushed_at, "%H:%M:%S", clock, sizeof(clock)));
	else
		fact_put(to, "%s", _("no: what is on the medium is not known"));
}

void report_fitted(const struct report *report, struct fact_sink *to)
{
	const struct plan *plan = report->plan;
	char text[256];

	if (report->job.armed && plan->options.table != TABLE_KEEP)
		fact_put(to,
			 plan->options.table == TABLE_GPT
				 ? _("made to fit this disk, as a GPT with other PARTUUIDs: %s")
				 : _("made to fit this disk: %s"),
			 fitted_print(&plan->fitted, plan->sector_size, text, sizeof(text)));
}

void report_grown_fs(const struct report *report, struct fact_sink *to)
{
	static const char *const texts[] = {
		[GROWN_FS_DONE] = N_("its file system was grown, and found sound before and after"),
		[GROWN_FS_FAILED] = N_("its file system could not be grown; the log says why"),
		[GROWN_FS_HANGS] = N_("the tool for its file system did not end in time"),
	};
	const struct grown_fs *grown = &report->grown_fs;
	const char *text = texts[grown->state];
	char why[256];

	if (grown->state == GROWN_FS_FAILED && grown->said[0])
		fact_put(to, "%s: %s", _(text), grown->said);
	else if (grown->state == GROWN_FS_BY_HAND)
		fact_put(to, _("its file system was not grown: %s"),
			 grow_fs_obstacle(grown->fs, why, sizeof(why)));
	else if (text)
		fact_put(to, "%s", _(text));
}

void report_from_memory(const struct report *report, struct fact_sink *to)
{
	const struct job_snapshot *job = &report->job;

	if (job->held_from_memory)
		fact_put(to,
			 _("%s B of that as read before the copy began: reads of the source have "
			   "failed since"),
			 UNITS_COUNT(job->held_from_memory));
}

void report_armed(const struct report *report, struct fact_sink *to)
{
	const struct job_snapshot *job = &report->job;

	if (job->held_areas == 0)
		return;
	if (job->armed && report_lost_table(report))
		fact_put(to, "%s",
			 _("no: without its partition table nothing on the copy is found"));
	else if (job->armed && report->hurt_count)
		fact_put(to,
			 P_("yes, %u area with tables and boot sectors came last, but for what is "
			    "hurt",
			    "yes, %u areas with tables and boot sectors came last, but for what is "
			    "hurt",
			    job->held_areas),
			 job->held_areas);
	else if (job->armed)
		fact_put(to,
			 P_("yes, %u area with tables and boot sectors came last",
			    "yes, %u areas with tables and boot sectors came last",
			    job->held_areas),
			 job->held_areas);
	else if (job->proof.changed)
		fact_put(to, "%s",
			 _("no: the source changed, so its partition table was left out, or taken "
			   "off again, on purpose"));
	else if (job->proof.areas)
		fact_put(to, "%s",
			 _("no: the destination differs, its partition table was left out, or "
			   "taken off again, on purpose"));
	else
		fact_put(to, "%s",
			 _("no: the copy is not finished, its partition table was left out on "
			   "purpose"));
}

/* Counted in the destination's own sectors: it is there that somebody would look. */
void report_left_alone(const struct report *report, struct fact_sink *to)
{
	const struct plan *plan = report->plan;
	const struct endpoint *destination = &plan->destinations[0];
	const struct extent *first = plan->extents;
	uint64_t left = plan_bytes_left_alone(plan), end = first->sectors * plan->sector_size;
	uint32_t sector = destination->logical_sector_size;

	if (!left)
		return;
	if (plan->extent_count == 1 && first->destination_lba == 0)
		fact_put(to,
			 _("%s B of the destination, from LBA %" PRIu64
			   " to its end: neither written nor verified, they still hold what was "
			   "there before"),
			 UNITS_COUNT(left), end / (sector ? sector : plan->sector_size));
	else if (report->grown_fs.state != GROWN_FS_NOT_ASKED &&
		 report->grown_fs.state != GROWN_FS_BY_HAND)
		fact_put(to,
			 _("%s B of the destination, outside of what was copied: not verified; "
			   "they hold what was there before, but where the file system has grown"),
			 UNITS_COUNT(left));
	else
		fact_put(to,
			 _("%s B of the destination, outside of what was copied: neither written "
			   "nor verified, they still hold what was there before"),
			 UNITS_COUNT(left));
}

void report_left_out(const struct report *report, struct fact_sink *to)
{
	size_t areas;
	uint64_t left = plan_bytes_left_out(report->plan, &areas);

	if (report->plan->domain[0])
		fact_put(to,
			 P_("%s B of the source, in %zu area that is not in the domain %.300s: "
			    "neither read nor copied",
			    "%s B of the source, in %zu areas that are not in the domain %.300s: "
			    "neither read nor copied",
			    areas),
			 UNITS_COUNT(left), areas, report->plan->domain);
}

/* ---- the two ends, and what goes from one to the other ---- */

const char *report_end_name(const struct endpoint *endpoint, char *buffer, size_t size)
{
	const struct identity *identity = &endpoint->identity;

	if (endpoint->kind == ENDPOINT_IMAGE)
		snprintf(buffer, size, _("image %s"), endpoint->node);
	else if (identity->serial[0])
		snprintf(buffer, size, _("%s  %s  S/N %s"), endpoint->node, identity->model,
			 identity->serial);
	else
		snprintf(buffer, size, _("%s  %s  no serial"), endpoint->node, identity->model);
	return buffer;
}

static void list_identity(const struct endpoint *endpoint, const struct report_disk *disk,
			  char *list, size_t size)
{
	const struct identity *identity = &endpoint->identity;

	if (endpoint->exists)
		text_join(list, size, "%s B", UNITS_COUNT(endpoint->size));
	if (identity->firmware[0])
		text_join(list, size, _("firmware %s"), identity->firmware);
	if (identity->wwn[0])
		text_join(list, size, "WWN %s", identity->wwn);
	if (disk->transport[0])
		text_join(list, size, "%s", disk->transport);
}

static void list_nodes(const struct endpoint *endpoint, const struct report_disk *disk, char *list,
		       size_t size)
{
	const char *const nodes[] = { endpoint->sg, disk->bsg,  disk->nvme_generic, endpoint->raw,
				      disk->hctl,   disk->path, disk->by_id };

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		if (nodes[i][0])
			text_join(list, size, "%s", nodes[i]);
	if (endpoint->logical_sector_size)
		text_join(list, size, _("sectors of %u B (physical %u)"),
			  endpoint->logical_sector_size, endpoint->physical_sector_size);
}

static void tell_end(const struct endpoint *endpoint, const struct report_disk *disk,
		     struct fact_sink *to)
{
	char identity[REPORT_STEP_MAX] = "", nodes[REPORT_STEP_MAX] = "", name[REPORT_STEP_MAX];

	fact_put(to, "%s", report_end_name(endpoint, name, sizeof(name)));
	if (to->full || endpoint->kind != ENDPOINT_IMAGE)
		list_identity(endpoint, disk, identity, sizeof(identity));
	if (to->full)
		list_nodes(endpoint, disk, nodes, sizeof(nodes));
	fact_put(to, "%s", identity);
	fact_put(to, "%s", nodes);
}

void report_tell_source(const struct report *report, struct fact_sink *to)
{
	tell_end(&report->plan->source, &report->source, to);
}

void report_tell_destination(const struct report *report, struct fact_sink *to)
{
	tell_end(&report->plan->destinations[0], &report->destination, to);
}

static void tell_extent(const struct plan *plan, const struct extent *extent, struct fact_sink *to)
{
	fact_put(to, _("LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64 ", %s B"), extent->source_lba,
		 extent->source_lba + extent->sectors - 1, extent->destination_lba,
		 UNITS_COUNT(extent->sectors * plan->sector_size));
}

/* A single range in full; of several how many they are, and then each of them. */
void report_ranges(const struct report *report, struct fact_sink *to)
{
	const struct plan *plan = report->plan;
	size_t count = plan->extent_count;

	if (count != 1)
		fact_put_as(to, _("ranges"), NULL,
			    P_("%zu range, the first at LBA %" PRIu64 " -> LBA %" PRIu64
			       ", %s B in all",
			       "%zu ranges, the first at LBA %" PRIu64 " -> LBA %" PRIu64
			       ", %s B in all",
			       count),
			    count, count ? plan->extents->source_lba : 0,
			    count ? plan->extents->destination_lba : 0,
			    UNITS_COUNT(plan_chosen_bytes(plan)));
	for (size_t i = 0; i < count && (count == 1 || to->full); i++)
		tell_extent(plan, &plan->extents[i], to);
}

/* ---- what it can be started from, and what was done to it ---- */

void report_boots(const struct report *report, struct fact_sink *to)
{
	char line[BOOT_LINE_MAX];

	for (size_t i = 0; boot_line(&report->boot, i, line); i++)
		fact_put(to, "%s", line);
}

void report_entries(const struct report *report, struct fact_sink *to)
{
	for (size_t i = 0; i < report->boot_entry_count; i++) {
		const struct boot_entry *entry = &report->boot_entries[i];

		fact_put(to,
			 _("this machine's boot entry %04X (%s) names a partition of the source: "
			   "%s"),
			 entry->number, entry->label, entry->part_uuid);
	}
}

void report_after(const struct report *report, struct fact_sink *to)
{
	for (size_t i = 0; i < report->after.count; i++) {
		const struct after_step *step = &report->after.items[i];

		if (!step->failed && !step->left)
			fact_put(to, "%s", step->what);
		else
			fact_put(to, step->failed ? _("NOT DONE: %s. %s") : _("TO DO: %s. %s"),
				 step->what, step->said);
	}
}

void report_identifiers(const struct report *report, struct fact_sink *to)
{
	char list[REPORT_STEP_MAX];

	fact_put(to, "%s", identifiers_print(&report->identifiers, list, sizeof(list)));
}
