/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is left to do after the copy: first every step without which it does not work, in order. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "session/session_private.h"

#define GPT_ENTRIES_BYTES 16384U

__attribute__((format(printf, 2, 3))) static void add(struct report *report, const char *format,
						      ...)
{
	char step[REPORT_STEP_MAX];
	va_list args;

	if (report->next_count == REPORT_STEPS_MAX)
		return;
	va_start(args, format);
	vsnprintf(step, sizeof(step), format, args);
	va_end(args);
	/* There may be the name of a file in it. */
	text_show(report->next[report->next_count++], REPORT_STEP_MAX, step);
}

/* ---- the table of a clone on a smaller disk ---- */

/* Appends while there is room; false: there was none. */
__attribute__((format(printf, 3, 4))) static bool append(char *list, size_t size,
							 const char *format, ...)
{
	size_t used = strlen(list);
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(list + used, size - used, format, args);
	va_end(args);
	if ((size_t)length < size - used)
		return true;
	list[used] = '\0';
	return false;
}

/* What reaches into the place of the backup table does not fit either. */
static uint64_t room_for_partitions(const struct disk *source, const struct plan *plan)
{
	uint32_t unit = source->identity.logical_sector_size;
	uint64_t sectors = plan->destination.size / unit;
	uint64_t backup = strcmp(source->table, "gpt") == 0 ? 1 + GPT_ENTRIES_BYTES / unit : 0;

	return sectors > backup ? sectors - backup : 0;
}

static void say_lost(const struct disk *source, uint64_t room, const char *node,
		     struct report *report)
{
	char list[160] = "";
	unsigned count = 0;

	for (size_t i = 0; i < source->partition_count; i++) {
		const struct partition *p = &source->partitions[i];

		if (p->start + p->sectors <= room)
			continue;
		if (append(list, sizeof(list) - 4, count ? ", %u" : "%u", p->number))
			count++;
	}
	if (count)
		add(report,
		    P_("Partition %s does not fit on %s: it is lost there, keep the source for it.",
		       "Partitions %s do not fit on %s: they are lost there, keep the source for "
		       "them.",
		       count),
		    list, node);
}

/* A complete command or none: half of one could destroy something. */
static void say_rebuild(const struct disk *source, uint64_t room, const char *node,
			struct report *report)
{
	char lines[REPORT_STEP_MAX / 2] = " -e '^last-lba'";
	bool fits = source->kind != DISK_DM;

	for (size_t i = 0; i < source->partition_count; i++) {
		const struct partition *p = &source->partitions[i];

		if (p->start + p->sectors > room)
			fits = fits && p->node[0] &&
			       append(lines, sizeof(lines), " -e '^%s '", p->node);
	}
	if (fits)
		add(report,
		    _("No system finds a partition on %s before its table is rebuilt: sfdisk "
		      "--dump %s | grep -v%s | sfdisk --wipe never %s"),
		    node, source->node, lines, node);
	else
		add(report,
		    _("No system finds a partition on %s before its table is rebuilt: save it with "
		      "sfdisk --dump %s, delete the line last-lba and those of the partitions that "
		      "do not fit, and give the rest to sfdisk --wipe never %s."),
		    node, source->node, node);
}

static void say_smaller(const struct session *session, struct report *report)
{
	const struct plan *plan = session->plan;
	const struct disk *source = endpoint_disk(session->started_disks, &plan->source);
	uint64_t room;

	if (!session_warned(session, "table-beyond-end") || !source ||
	    !source->identity.logical_sector_size)
		return;
	room = room_for_partitions(source, plan);
	say_lost(source, room, plan->destination.node, report);
	if (strcmp(source->table, "gpt") == 0)
		say_rebuild(source, room, plan->destination.node, report);
}

/* ---- all together ---- */

static void say_tables(const struct session *session, struct report *report)
{
	const char *node = session->plan->destination.node;

	say_smaller(session, report);
	if (session_warned(session, "backup-gpt-inside"))
		add(report,
		    _("Move the backup GPT to the end of the disk: sfdisk --relocate gpt-bak-std "
		      "%s"),
		    node);
	else if (session_warned(session, "backup-gpt-missing"))
		add(report, _("Write the backup GPT anew: sfdisk --relocate gpt-bak-std %s"), node);
}

static void say_duplicates(const struct session *session, struct report *report)
{
	if (session_warned(session, "duplicate-identities"))
		add(report, "%s",
		    _("Source and copy have the same identifiers. Keep them if this disk replaces "
		      "the old one; take the old one out before you start from it."));
}

/* A copy that nobody is to rely on. */
static void say_again(const struct session *session, struct report *report)
{
	if (report->job.proof.changed)
		add(report,
		    _("Another system or program is writing to %s. Unmount it there, then make the "
		      "copy again."),
		    session->plan->source.node);
	else
		add(report, "%s",
		    _("Do not rely on this copy: make it again. With --rewrite, differences are "
		      "written again automatically."));
}

void session_say_next(const struct session *session, const struct error *close_error,
		      struct report *report)
{
	enum exit_code code = report_exit_code(report);
	bool in_use = report->source_writer[0] && report->job.result != JOB_RESULT_MISMATCH;

	if (code == EXIT_MISMATCH && !in_use) {
		say_again(session, report);
		return;
	}
	if (code != EXIT_COMPLETE && code != EXIT_BAD_AREAS && code != EXIT_MISMATCH) {
		/* An image that was deleted is not there for another part. */
		if (report->job.map_safe && report->job.error.code != -ENOENT)
			add(report, _("clonedeck resume %.300s goes on where it ended."),
			    report->map_path);
		return;
	}
	say_tables(session, report);
	if (in_use)
		add(report, "%s",
		    _("Make the copy again while nothing writes to the source: unmounted, mounted "
		      "read-only, or from a snapshot. Or check the file systems of the copy before "
		      "you use them."));
	if (close_error->code)
		add(report, "%s", close_error->sentence);
	say_duplicates(session, report);
}
