/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words for what is missing in a copy: how much, where and why, and what that hurts. */
#include <inttypes.h>
#include <stdio.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/facts.h"
#include "scsi/sense.h"

/* What the destination holds there. Of a copy that ended early not all of it is filled yet. */
static const char *in_its_place(const struct report *report)
{
	static const char *const words[] = {
		[FILL_ZERO] = N_("; there the destination holds zeros"),
		[FILL_MARK] = N_("; there the destination holds a mark"),
		[FILL_LEAVE] = N_("; there the destination holds what it held before"),
	};

	return report->job.result == JOB_RESULT_PARTIAL && !report->job.refused_bytes
		       ? _(words[report->plan->options.fill])
		       : "";
}

void report_missing(const struct report *report, struct fact_sink *to)
{
	unsigned long areas = (unsigned long)report->job.bad_areas;

	if (areas)
		fact_put(to, P_("%s bytes in %lu area%s", "%s bytes in %lu areas%s", areas),
			 UNITS_COUNT(report->job.bad_bytes), areas, in_its_place(report));
}

unsigned long report_bad_areas_beyond(const struct report *report, size_t count)
{
	const struct job_snapshot *job = &report->job;
	uint64_t listed = 0;

	for (size_t i = 0; i < count && i < job->bad_shown; i++)
		listed += !job->bad[i].write;
	return job->bad_areas > listed ? (unsigned long)(job->bad_areas - listed) : 0;
}

const char *report_bad_area_words(const struct job_bad_area *bad, char *buffer, size_t size)
{
	if (bad->sense.known)
		return sense_text(&bad->sense, buffer, size);
	text_copy(buffer, size,
		  bad->code ? error_phrase(bad->code) : _("bad since an earlier run"));
	return buffer;
}

void report_mismatch_notes(const struct job_mismatch *mismatch, struct fact_sink *to)
{
	if (mismatch->has_byte)
		fact_put(to, _("first at byte %u of it: source %02x, destination %02x"),
			 mismatch->byte, mismatch->at_source, mismatch->at_destination);
	if (mismatch->has_digests)
		fact_put(to, _("digest of LBA %" PRIu64 " +%" PRIu64 ": read %s, found %s"),
			 mismatch->region_lba, mismatch->region_sectors, mismatch->expected,
			 mismatch->found);
}

/* ---- what bad areas hurt ---- */

const struct report_hurt *report_lost_table(const struct report *report)
{
	for (size_t i = 0; i < report->hurt_count; i++)
		if (report->hurt[i].kind == REPORT_HURT_MBR ||
		    report->hurt[i].kind == REPORT_HURT_GPT)
			return &report->hurt[i];
	return NULL;
}

const char *report_hurt_words(const struct report_hurt *hurt, char *buffer, size_t size)
{
	char where[64];

	snprintf(where, sizeof(where), "LBA %" PRIu64 " +%" PRIu64, hurt->lba, hurt->sectors);
	switch (hurt->kind) {
	case REPORT_HURT_MBR:
		if (hurt->lba == 0)
			snprintf(buffer, size,
				 _("the first sector, with partition table and boot code (%s)"),
				 where);
		else
			snprintf(buffer, size, _("the table of logical partitions (%s)"), where);
		break;
	case REPORT_HURT_GPT:
		snprintf(buffer, size, _("the GPT, the table of all partitions (%s)"), where);
		break;
	case REPORT_HURT_GPT_BACKUP:
		snprintf(buffer, size, _("the backup GPT (%s)"), where);
		break;
	case REPORT_HURT_FS:
		if (hurt->partition && !hurt->fs[0])
			snprintf(buffer, size,
				 _("the start of partition %u, by which its file system is "
				   "recognised (%s)"),
				 hurt->partition, where);
		else if (hurt->partition)
			snprintf(buffer, size,
				 _("the superblock or header of partition %u, %s (%s)"),
				 hurt->partition, hurt->fs, where);
		else if (!hurt->fs[0])
			snprintf(buffer, size,
				 _("the start of the disk, by which what is on it is recognised "
				   "(%s)"),
				 where);
		else
			snprintf(buffer, size, _("the superblock or header of %s (%s)"), hurt->fs,
				 where);
		break;
	}
	return buffer;
}

void report_boot_line(const struct report *report, struct fact_sink *to)
{
	const struct report_hurt *table = report_lost_table(report);

	if (table)
		fact_put(to,
			 table->refused ? _("PARTITION TABLE NOT WRITTEN: the copy will not boot "
					    "(LBA %" PRIu64 " +%" PRIu64 ")")
					: _("PARTITION TABLE NOT READABLE: the copy will not boot "
					    "(LBA %" PRIu64 " +%" PRIu64 ")"),
			 table->lba, table->sectors);
}
