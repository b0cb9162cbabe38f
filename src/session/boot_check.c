/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be started from: of the source before its copy, of the copy after it. */
#include "session/outcome.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/letters.h"
#include "base/text.h"
#include "boot/entries.h"
#include "discover/table.h"

static bool is_of_whole_disk(const struct plan *plan)
{
	/* A table that was made to fit is one of a whole disk, too. No boot code works with sectors
	 * of another size. */
	return !plan->fitted.sector && (plan->whole || plan->fitted.count) &&
	       plan->source.kind != ENDPOINT_PARTITION &&
	       plan->destinations[0].kind != ENDPOINT_PARTITION;
}

void boot_check_source(const struct plan *plan, const struct disk *source, int fd,
		       struct boot_look *ret)
{
	const struct boot_source from = { .fd = fd,
					  .size = plan->source.size,
					  .sector_size = source->identity.logical_sector_size,
					  .partitions = source->partitions,
					  .count = source->partition_count };

	if (is_of_whole_disk(plan) && source->partition_count > 0)
		boot_look(&from, ret);
}

/* ---- the copy ---- */

struct copy {
	const struct map *map;
	struct report *report;
	struct boot_source from;
};

static bool is_missing(void *user, uint64_t start, uint64_t length)
{
	const struct copy *copy = user;
	const struct plan *plan = copy->report->plan;
	uint64_t found = 0, from, to;

	for (size_t i = 0; i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);
		struct range part;

		if (!range_intersect((struct range){ start, length },
				     (struct range){ e.destination, e.length }, &part))
			continue;
		found += part.count;
		/* The map counts bytes of the source. */
		part.start = part.start - e.destination + e.source;
		if (outcome_missing(copy->map, part.start, part.start + part.count, &from, &to))
			return true;
	}
	return found < length;
}

static void look_with_map(const struct map *map, void *user)
{
	struct copy *copy = user;

	copy->map = map;
	boot_look(&copy->from, &copy->report->boot);
}

static void find_entries(const struct disk *source, struct report *report)
{
	struct boot_entries entries;

	boot_entries_read(BOOT_FOLDER, &entries);
	report->boot_entries_known = entries.known;
	for (size_t i = 0; source && i < entries.count; i++)
		for (size_t k = 0; k < source->partition_count; k++)
			if (letters_same(source->partitions[k].part_uuid,
					 entries.items[i].part_uuid) &&
			    report->boot_entry_count < REPORT_BOOTS_MAX)
				report->boot_entries[report->boot_entry_count++] = entries.items[i];
}

void boot_check_copy(struct job *job, const struct disk *source, struct report *report)
{
	const struct plan *plan = report->plan;
	enum exit_code code = report_exit_code(report);
	CLEANUP(close) int fd = -1;
	struct table table = { 0 };

	if ((code != EXIT_COMPLETE && code != EXIT_BAD_AREAS) || !is_of_whole_disk(plan))
		return;
	fd = outcome_open(&plan->destinations[0]);
	if (fd < 0)
		return;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	const struct table_source from = {
		.fd = fd,
		.size = plan->destination_size_after,
		.sector_size = plan->sector_size,
	};

	if (table_read(&from, &table) == 0 && table.partition_count) {
		struct copy copy = { .report = report,
				     .from = { .fd = fd,
					       .size = from.size,
					       .sector_size = from.sector_size,
					       .partitions = table.partitions,
					       .count = table.partition_count,
					       .lost = is_missing,
					       .user = &copy } };

		job_look_at_map(job, look_with_map, &copy);
		find_entries(source, report);
	}
	table_done(&table);
}

/* ---- what to do ---- */

/* The folder of a loader is the name of its system. */
static void name_system(const char *loader, char *name, size_t size)
{
	const char *start = strlen(loader) > 5 ? loader + 5 : "", *end = strchr(start, '\\');

	if (letters_after(start, "Microsoft\\"))
		text_copy(name, size, "Windows Boot Manager");
	else
		text_sanitise(name, size, start, end ? (size_t)(end - start) : 0);
}

static bool has_fallback(const struct boot_look *look)
{
	for (size_t i = 0; i < look->count; i++)
		if (look->items[i].kind == BOOT_LOADER && boot_is_fallback(look->items[i].text))
			return true;
	return false;
}

static void say_entry(struct report *report)
{
	const struct boot_item *loader = boot_best_loader(&report->boot);
	char label[64], path[2 * BOOT_TEXT_MAX], name[2 * sizeof(label)];

	if (!loader)
		return;
	name_system(loader->text, label, sizeof(label));
	if (text_shell_quote(path, sizeof(path), loader->text) &&
	    text_shell_quote(name, sizeof(name), label))
		outcome_add(
			report,
			has_fallback(&report->boot)
				? _("If a UEFI machine does not start from the copy by itself, "
				    "give it a boot entry there:  efibootmgr --create --disk %s "
				    "--part %u --label %s --loader %s")
				: _("A UEFI machine starts from the copy only with a boot entry. "
				    "There, by the node that the disk has then:  efibootmgr "
				    "--create --disk %s --part %u --label %s --loader %s"),
			report->plan->destinations[0].node, loader->partition, name, path);
}

void boot_check_say(struct report *report)
{
	bool lost = false;

	for (size_t i = 0; i < report->boot.count; i++)
		lost = lost || report->boot.items[i].lost;
	if (lost)
		outcome_add(report, "%s",
			    _("Some of what a machine starts from lies in a bad area: install the "
			      "boot loader on the copy again before you rely on it."));
	say_entry(report);
}
