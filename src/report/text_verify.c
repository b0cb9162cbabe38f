/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as text: what exactly was proven, and what differs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/units.h"
#include "report/text_private.h"

static const char *all_verified(const struct job_proof *proof, char *buffer, size_t size)
{
	char digest[UNITS_TEXT_MAX], compared[UNITS_TEXT_MAX];
	uint64_t by_digest = proof->verified - proof->compared;

	units_print_count(by_digest, digest);
	units_print_count(proof->compared, compared);
	if (!proof->compared)
		snprintf(buffer, size,
			 _("%s B read back from the medium and compared with digests (XXH3-128) "
			   "taken as the source was read"),
			 digest);
	else if (!by_digest)
		snprintf(buffer, size,
			 _("%s B read back from the medium and compared byte for byte with the "
			   "source, which was read for that"),
			 compared);
	else
		snprintf(buffer, size,
			 _("%s B read back from the medium and compared with digests taken as the "
			   "source was read, %s B with the source itself, read for that"),
			 digest, compared);
	return buffer;
}

static const char *why_not_rechecked(const struct job_snapshot *job)
{
	switch (job->proof.recheck) {
	case JOB_RECHECK_DAMAGED:
		return _("the source was not checked again: some of it was hard to read");
	case JOB_RECHECK_SLOW:
		return _("the source was not checked again: a read took longer than a second");
	case JOB_RECHECK_WAS_GONE:
		return _("the source was not checked again: it was disconnected for a while");
	case JOB_RECHECK_PENDING:
		/* Of a copy that did not come so far it goes without saying. */
		if (job->result == JOB_RESULT_COMPLETE)
			return _("the source was not checked again: the copy was stopped before "
				 "that");
		break;
	case JOB_RECHECK_NOT_ASKED:
	case JOB_RECHECK_DONE:
		break;
	}
	return "";
}

const char *report_rechecked(const struct report *report, char *buffer, size_t size)
{
	const struct job_proof *proof = &report->job.proof;

	if (proof->changed)
		snprintf(buffer, size,
			 P_("the source was checked again: %u area checked, %u changed",
			    "the source was checked again: %u areas checked, %u changed",
			    proof->rechecked),
			 proof->rechecked, proof->changed);
	else if (proof->recheck == JOB_RECHECK_DONE && proof->rechecked)
		snprintf(buffer, size,
			 P_("the source was checked again: %u area, unchanged; the rest was read "
			    "only once",
			    "the source was checked again: %u areas, all unchanged; the rest was "
			    "read only once",
			    proof->rechecked),
			 proof->rechecked);
	else
		snprintf(buffer, size, "%s", why_not_rechecked(&report->job));
	return buffer;
}

static bool is_complete(const struct job_snapshot *job)
{
	return job->result == JOB_RESULT_COMPLETE || job->result == JOB_RESULT_PARTIAL;
}

const char *report_look(const struct report *report, char *buffer, size_t size)
{
	const struct job_look *look = &report->job.look;
	char bytes[UNITS_TEXT_MAX];

	buffer[0] = '\0';
	/* Both ends were read there afterwards. */
	if (look->differing && is_complete(&report->job))
		snprintf(buffer, size,
			 P_("%u of %u place seemed to have changed after the last write; compared "
			    "with the source, all is right there",
			    "%u of %u places seemed to have changed after the last write; compared "
			    "with the source, all is right there",
			    look->places),
			 look->differing, look->places);
	else if (look->differing)
		snprintf(buffer, size,
			 P_("%u of %u place is not what was written there",
			    "%u of %u places are not what was written there", look->places),
			 look->differing, look->places);
	else if (look->places)
		snprintf(buffer, size,
			 P_("%u place, %s B, read once more after the last write: unchanged",
			    "%u places, %s B, read once more after the last write: all unchanged",
			    look->places),
			 look->places, units_print_count(look->bytes, bytes));
	else if (look->done && is_complete(&report->job))
		snprintf(buffer, size, "%s",
			 _("no: nothing is known of what an earlier part of this copy wrote"));
	return buffer;
}

const char *report_look_places(const struct report *report, char *buffer, size_t size)
{
	const struct job_look *look = &report->job.look;
	char held[UNITS_TEXT_MAX], ends[UNITS_TEXT_MAX], part[UNITS_TEXT_MAX];

	buffer[0] = '\0';
	if (!look->places)
		return buffer;
	units_print_count(look->held_bytes, held);
	units_print_count(look->end_bytes, ends);
	if (!look->sample_bytes)
		snprintf(buffer, size, _("%s B of what came last, %s B at both ends"), held, ends);
	else
		snprintf(buffer, size,
			 P_("%s B of what came last, %s B at both ends, and a sample of %u block: "
			    "1 in %s of all bytes (seed %u)",
			    "%s B of what came last, %s B at both ends, and a sample of %u blocks: "
			    "1 in %s of all bytes (seed %u)",
			    look->sample),
			 held, ends, look->sample,
			 units_print_count(report->job.total / look->sample_bytes, part),
			 look->seed);
	return buffer;
}

const char *report_verified(const struct report *report, char *buffer, size_t size)
{
	const struct job_proof *proof = &report->job.proof;
	char done[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];

	/* Also for a copy that ended early. */
	if (!proof->asked || (proof->verified == 0 && proof->areas == 0 && !proof->complete)) {
		snprintf(buffer, size, "%s", _("no, the copy was not read back"));
		return buffer;
	}
	if (proof->complete)
		return all_verified(proof, buffer, size);
	if (proof->changed) {
		snprintf(buffer, size, "%s",
			 proof->changed_before
				 ? _("no: the source is not any more what was copied of it")
				 : _("no: the source changed during the copy, so the copy mixes "
				     "two states"));
		return buffer;
	}
	snprintf(buffer, size,
		 proof->areas ? _("no: %s of %s B are proven; what differs lies in the rest")
			      : _("no: %s of %s B were read back, and are right"),
		 units_print_count(proof->verified, done),
		 units_print_count(report->job.total - report->job.bad_bytes, all));
	return buffer;
}

void text_put_verified(struct page *page, const struct report *report)
{
	const struct job_proof *proof = &report->job.proof;
	char line[512], bytes[UNITS_TEXT_MAX];

	page_field(page, _("verified"), "%s", report_verified(report, line, sizeof(line)));
	if (proof->early)
		page_field(page, "", _("of that, %s B while the rest was still copied"),
			   units_print_count(proof->early, bytes));
	if (proof->verified && report->job.destination.stats.from_medium)
		page_field(page, "", "%s",
			   _("asked for past the device's own cache as well (FUA)"));
	if (proof->rewritten)
		page_field(page, "", _("%s B were wrong and were written again"),
			   units_print_count(proof->rewritten, bytes));
	if (report_rechecked(report, line, sizeof(line))[0])
		page_field(page, "", "%s", line);
	if (report_look(report, line, sizeof(line))[0])
		page_field(page, _("reread"), "%s", line);
	if (report_look_places(report, line, sizeof(line))[0])
		page_field(page, "", "%s", line);
}

void text_put_rest(struct page *page, const struct report *report)
{
	char line[512];

	if (report_left_out(report, line, sizeof(line))[0])
		page_field(page, _("left out"), "%s", line);
	if (report_left_alone(report, line, sizeof(line))[0])
		page_field(page, _("the rest"), "%s", line);
}

/* A verification does not know what else was done to the disk. */
static void put_unread_rest(struct page *page, const struct report *report)
{
	uint64_t left = plan_bytes_left_alone(report->plan);
	char bytes[UNITS_TEXT_MAX];

	if (left)
		page_field(page, _("the rest"),
			   _("%s B of the destination are no part of it, and were not verified"),
			   units_print_count(left, bytes));
}

static void put_mismatch(struct page *page, const struct job_mismatch *mismatch)
{
	char place[128];

	snprintf(place, sizeof(place), "LBA %" PRIu64 " +%" PRIu64 " -> LBA %" PRIu64,
		 mismatch->lba, mismatch->sectors, mismatch->destination_lba);
	if (mismatch->partition)
		page_item(page, _("%s  in partition %u  %s"), place, mismatch->partition,
			  job_mismatch_words(mismatch->kind));
	else
		page_item(page, "%s  %s", place, job_mismatch_words(mismatch->kind));
	if (mismatch->somewhere)
		page_item(page, "   %s",
			  _("somewhere in there: which of these sectors cannot be told"));
	if (mismatch->has_byte)
		page_item(page, _("   first at byte %u of it: source %02x, destination %02x"),
			  mismatch->byte, mismatch->at_source, mismatch->at_destination);
	if (mismatch->has_digests)
		page_item(page, _("   digest of LBA %" PRIu64 " +%" PRIu64 ": read %s, found %s"),
			  mismatch->region_lba, mismatch->region_sectors, mismatch->expected,
			  mismatch->found);
}

void text_put_mismatches(struct page *page, const struct report *report)
{
	const struct job_proof *proof = &report->job.proof;

	if (proof->areas == 0)
		return;
	fprintf(page->out, "\n %s\n",
		proof->complete ? _("CHANGES OF THE SOURCE DURING THE COPY") : _("DIFFERENCES"));
	for (size_t i = 0; i < proof->shown; i++)
		put_mismatch(page, &proof->mismatches[i]);
	if (proof->areas > proof->shown)
		page_item(page,
			  P_("and %lu more", "and %lu more",
			     (unsigned long)(proof->areas - proof->shown)),
			  (unsigned long)(proof->areas - proof->shown));
}

static void put_compared(struct page *page, const struct report *report)
{
	const struct plan *plan = report->plan;
	const struct verdict *written = verdict_list_find(&report->verdicts, MEANS_SOURCE_WRITTEN);
	char line[256];

	page_field(page, _("RESULT"), "%s", report_verify_line(report, line, sizeof(line)));
	page_field(page, "", "%s", _("nothing was written: both were only read"));
	if (report->job.error.code)
		page_field(page, "", "%s", report->job.error.sentence);
	/* What is written meanwhile may differ by right. */
	if (written && (written->kind == VERDICT_REFUSE || written->lifted))
		page_field(page, _("note"), "%s", written->sentence);
	fputc('\n', page->out);
	text_put_end(page, _("source"), &plan->source, &report->source, false);
	text_put_end(page, _("dest"), &plan->destination, &report->destination, false);
	text_put_ranges(page, plan);
	fputc('\n', page->out);
	text_put_when(page, &report->job);
}

static int render(const struct report *report, bool ends, int columns, char **ret,
		  struct error *reterr)
{
	char *text = NULL;
	size_t size = 0;
	struct page page;

	page_init(&page, open_memstream(&text, &size), columns);
	if (!page.out)
		return error_nomem(reterr);
	if (ends)
		put_compared(&page, report);
	text_put_verified(&page, report);
	put_unread_rest(&page, report);
	text_put_sums(&page, report);
	text_put_mismatches(&page, report);

	bool failed = ferror(page.out);

	if (fclose(page.out) != 0 || failed) {
		free(text);
		return error_nomem(reterr);
	}
	*ret = text;
	return 0;
}

int report_text_verify(const struct report *report, int columns, char **ret, struct error *reterr)
{
	return render(report, false, columns, ret, reterr);
}

int report_text_compared(const struct report *report, int columns, char **ret, struct error *reterr)
{
	return render(report, true, columns, ret, reterr);
}
