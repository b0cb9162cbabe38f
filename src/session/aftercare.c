/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done to a copy once it is complete and verified, where asked for. */
#include "base/file.h"
#include "session/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "after/resize_fs.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "base/units.h"
#include "discover/lvm.h"
#include "discover/table.h"
#include "guard/claim.h"

/* What the copy holds. */
struct contents {
	struct table table;
	struct volumes volumes;
};

/* Is the table of a whole disk copied to where that of the destination is? */
static bool copies_table(const struct plan *plan)
{
	const struct extent *first = plan->extents;

	return plan->source.kind != ENDPOINT_PARTITION &&
	       plan->destinations[0].kind == ENDPOINT_DISK && first->source_lba == 0 &&
	       first->destination_lba == 0;
}

/* The byte of the destination to which a partition of the source was copied. False: no tool may be
 * let at it there, as not all of it was copied, or not in one piece. */
static bool find_place(const struct plan *plan, const struct partition *p, uint64_t *ret)
{
	bool alone = plan->source.kind == ENDPOINT_PARTITION;
	uint64_t to = 0, size = p->sectors, start, length;

	fitted_place(&plan->fitted, p->number, &to, &size);
	if (!u64_mul(alone ? 0 : p->start, plan->sector_size, &start) ||
	    !u64_mul(size < p->sectors ? size : p->sectors, plan->sector_size, &length))
		return false;
	for (size_t i = 0; i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);

		if (!range_contains((struct range){ e.source, e.length },
				    (struct range){ start, length }))
			continue;
		*ret = e.destination + (start - e.source);
		return true;
	}
	return false;
}

/* What else the table of the destination names has no sectors. */
static void keep_copied(const struct plan *plan, const struct disk *source, uint32_t sector,
			struct table *table)
{
	for (size_t i = 0; i < table->partition_count; i++) {
		struct partition *p = &table->partitions[i];
		const struct partition *from = disk_partition(source, p->number);
		uint64_t place;

		if (!from || !find_place(plan, from, &place) || place / sector != p->start)
			p->sectors = 0;
	}
}

/* Partitions that were copied without their table: as if they were in one. */
static void read_copied(const struct plan *plan, const struct disk *source,
			const struct table_source *from, struct table *ret)
{
	table_done(ret);
	*ret = (struct table){ .partitions = calloc(source->partition_count + 1,
						    sizeof(*ret->partitions)) };
	for (size_t i = 0; ret->partitions && i < source->partition_count; i++) {
		const struct partition *p = &source->partitions[i];
		struct partition *copy = &ret->partitions[ret->partition_count];
		uint64_t place;

		if ((plan->source.kind == ENDPOINT_PARTITION &&
		     p->number != plan->source.partition) ||
		    !find_place(plan, p, &place))
			continue;
		*copy = (struct partition){ .number = p->number,
					    .start = place / from->sector_size,
					    .sectors = p->sectors * plan->sector_size /
						       from->sector_size };
		table_read_contents(from, copy);
		ret->partition_count++;
	}
}

static void read_again(const struct after_disk *disk, const struct plan *plan,
		       const struct disk *source, struct contents *ret)
{
	/* The same device, through the page cache. */
	CLEANUP(close) int fd = file_open_again(disk->fd, O_RDONLY);
	const struct table_source from = { .fd = fd,
					   .size = disk->size,
					   .sector_size = disk->sector_size };

	fsync(disk->fd);
	if (fd < 0)
		return;
	if (table_read(&from, &ret->table) < 0)
		table_done(&ret->table);
	if (source && disk->table)
		keep_copied(plan, source, from.sector_size, &ret->table);
	else if (source)
		read_copied(plan, source, &from, &ret->table);
	lvm_find(&from, ret->table.partitions, ret->table.partition_count, &ret->volumes);
}

/* "": it is not there, or could not be read. */
static const char *find_now(const struct table *now, const struct volumes *volumes,
			    const struct identifier *item)
{
	const struct volume_group *group = lvm_group(volumes, item->partition);

	if (item->kind == IDENTIFIER_TABLE)
		return now->uuid;
	if (item->kind == IDENTIFIER_GROUP)
		return group ? group->uuid : "";
	if (after_is_volume(item)) {
		for (size_t i = 0; i < volumes->count; i++)
			if (volumes->items[i].partition == item->partition &&
			    strcmp(volumes->items[i].name, item->volume) == 0)
				return volumes->items[i].uuid;
		return "";
	}
	for (size_t i = 0; i < now->partition_count; i++)
		if (now->partitions[i].number == item->partition)
			return item->kind == IDENTIFIER_PARTITION ? now->partitions[i].part_uuid
								  : now->partitions[i].uuid;
	return "";
}

/* Goes by the identifiers that are on the disk now, not by what the tools have reported. */
static void compare(const struct contents *now, struct identifiers *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct identifier *item = &list->items[i];
		const char *value = find_now(&now->table, &now->volumes, item);

		if (value[0] && strcmp(value, item->value) != 0)
			text_copy(item->changed_to, sizeof(item->changed_to), value);
	}
}

static bool can_start(const struct after_disk *disk)
{
	CLEANUP(close) int fd = file_open_again(disk->fd, O_RDONLY); /* through the page cache */
	struct boot_look look;

	boot_look(&(struct boot_source){ .fd = fd,
					 .size = disk->size,
					 .sector_size = disk->sector_size,
					 .partitions = disk->partitions,
					 .count = disk->count },
		  &look);
	return boot_can_start(&look);
}

static void change_identifiers(const struct after_disk *disk, const struct disk *source,
			       struct report *report)
{
	enum identities_choice mode = report->plan->options.identities;
	struct identifiers *list = &report->identifiers;
	struct contents now = { 0 };

	if (mode == IDENTITIES_KEEP)
		return;
	list->hidden = identifiers_any_closed(list) && disk->table && can_start(disk) &&
		       !after_has_fstab(disk, list);
	after_identities(disk, list, &report->after);
	for (int turn = 0; turn < 2; turn++) {
		table_done(&now.table);
		read_again(disk, report->plan, source, &now);
		compare(&now, list);
		if (turn == 0)
			after_groups(disk, list, &report->after);
	}
	if (!list->hidden)
		after_files(disk, list, mode == IDENTITIES_REWRITE, &report->after);
	table_done(&now.table);
}

/* The disk that is described and changed here is the copy, never the source. */
static void care(struct claim *claim, struct log *log, const struct disk *source,
		 struct report *report)
{
	const struct plan *plan = report->plan;
	const struct endpoint *end = &plan->destinations[0];
	struct contents found = { 0 };
	struct after_disk disk = { .fd = claim_fd(claim),
				   .size = end->size,
				   .table = copies_table(plan) ? plan_destination_end(plan) : 0,
				   .sector_size = plan->fitted.sector ? plan->fitted.sector
								      : plan->sector_size,
				   .log = log };

	read_again(&disk, plan, source, &found);
	disk.partitions = found.table.partitions;
	disk.count = found.table.partition_count;
	if (report->grown_fs.state != GROWN_FS_NOT_ASKED)
		grow_fs(&disk, plan->fitted.grown, report->grown_fs.fs, &report->grown_fs);
	/* The volumes of a source that was to be spared were not looked at. */
	identifiers_find(plan, source, &found.volumes, &report->identifiers);
	change_identifiers(&disk, source, report);
	table_done(&found.table);
}

static void log_steps(struct log *log, const struct report *report)
{
	for (size_t i = 0; i < report->after.count; i++) {
		const struct after_step *step = &report->after.items[i];

		log_line(log, step->failed ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, "after", "%s: %s",
			 step->what, step->failed ? step->said : "done");
	}
}

/* Counts as failed until it is done. */
static void expect_growth(const struct disk *source, struct report *report)
{
	const struct plan *plan = report->plan;
	struct grown_fs *grown = &report->grown_fs;
	const struct partition *partition;

	if (!plan->options.grow_fs || !plan->fitted.grown)
		return;
	*grown = (struct grown_fs){ .state = GROWN_FS_FAILED };
	if (plan->destinations[0].kind != ENDPOINT_IMAGE)
		grow_fs_node(plan, plan->fitted.grown, grown->node, sizeof(grown->node));
	partition = disk_partition(source, plan->fitted.grown);
	if (partition)
		text_copy(grown->fs, sizeof(grown->fs), partition->fs);
}

/* In the very file that was copied to, whatever has its name by now. 1: `said` is why not. */
static int shrink_claimed(struct log *log, const struct layout_shrink *shrink,
			  const struct plan *plan, char *said, size_t size)
{
	struct endpoint image = plan->destinations[0];
	struct claim *claim = NULL;
	struct error error;
	int r;

	image.exists = true;
	if (claim_open(&image, CLAIM_DESTINATION, plan, &claim, &error) < 0) {
		log_error(log, "after", &error);
		text_copy(said, size, error.sentence);
		return 1;
	}
	CLEANUP(close) int fd = file_open_again(claim_fd(claim), O_RDWR);
	const struct shrink_fs order = { .image = fd,
					 .fs = shrink->fs,
					 .start = shrink->start,
					 .length = shrink->length,
					 .bytes = shrink->bytes,
					 .sector_size = plan->sector_size,
					 .log = log };

	r = fd < 0 ? fd : shrink_fs(&order, said, size);
	claim_close(claim, false, NULL);
	return r;
}

static void shrink_in_image(struct log *log, const struct layout_shrink *shrink,
			    struct report *report)
{
	const struct plan *plan = report->plan;
	struct after_step *step =
		after_add(&report->after, shrink->number, _("partition %u (%s) is shrunk to %s"),
			  shrink->number, shrink->fs,
			  UNITS_SHORT(shrink->bytes, UNITS_SI, plan->sector_size));
	char said[sizeof(step->said)] = "";
	int r;

	if (!step)
		return;
	r = shrink_claimed(log, shrink, plan, said, sizeof(said));
	step->failed = r != 0;
	if (r == -ENOENT)
		snprintf(step->said, sizeof(step->said), "%s: %s", resize_fs_package(shrink->fs),
			 _("a tool is not installed"));
	else if (r != 0)
		text_copy(step->said, sizeof(step->said),
			  r < 0     ? error_phrase(r)
			  : said[0] ? said
				    : "?");
}

bool aftercare_asked(const struct layout_shrink *shrink, const struct report *report)
{
	const struct plan *plan = report->plan;

	return report_exit_code(report) == EXIT_COMPLETE &&
	       (shrink->number || plan->options.identities != IDENTITIES_KEEP ||
		(plan->options.grow_fs && plan->fitted.grown));
}

void aftercare_run(struct log *log, const struct disk *source, const struct layout_shrink *shrink,
		   struct report *report)
{
	const struct plan *plan = report->plan;
	struct claim *claim = NULL;
	struct after_step *step;
	struct error error;

	if (!aftercare_asked(shrink, report))
		return;
	if (shrink->number) {
		shrink_in_image(log, shrink, report);
		log_steps(log, report);
		return;
	}
	expect_growth(source, report);
	report->after_asked = plan->options.identities != IDENTITIES_KEEP;
	if (claim_open(&plan->destinations[0], CLAIM_DESTINATION, plan, &claim, &error) < 0 ||
	    claim_check(claim, &error) < 0) {
		log_error(log, "after", &error);
		step = report->after_asked
			       ? after_add(&report->after, 0, "%s", _("new identifiers"))
			       : NULL;
		if (step) {
			step->failed = true;
			text_copy(step->said, sizeof(step->said), error.sentence);
		}
	} else {
		care(claim, log, source, report);
	}
	if (claim)
		claim_close(claim, plan->destinations[0].kind == ENDPOINT_DISK, NULL);
	log_steps(log, report);
}

void aftercare_say(struct report *report)
{
	bool left = false, changed = false;

	for (size_t i = 0; i < report->identifiers.count; i++)
		changed = changed || report->identifiers.items[i].changed_to[0];
	for (size_t i = 0; i < report->after.count; i++)
		left = left || report->after.items[i].left;
	if (!report->after_asked && report->plan->options.identities != IDENTITIES_KEEP)
		outcome_add(report, "%s",
			    _("New identifiers were not given, as the copy is not complete: source "
			      "and copy have the same. Take the old disk out before you start from "
			      "the copy."));
	if (!report->after_asked)
		return;
	if (report_after_failed(report))
		outcome_add(report, "%s",
			    _("The copy itself is complete, but not every new identifier could be "
			      "given: take the old disk out before you use both, or repeat what "
			      "failed."));
	if (left)
		outcome_add(
			report, "%s",
			_("Files on the copy may still name old identifiers: before it is started, "
			  "change them, or install the boot loader again from a system that "
			  "runs on it."));
	if (changed && report->job.proof.asked)
		outcome_add(report, "%s",
			    _("The copy was verified before it got new identifiers: by these it "
			      "differs from the source now."));
}
