/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/used.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "content/content.h"
#include "guard/claim.h"
#include "plan/free_places.h"

void used_done(struct used *used)
{
	for (size_t i = 0; i < used->count; i++)
		range_list_done(&used->parts[i].free);
	free(used->parts);
	*used = (struct used){ 0 };
}

const char *used_mode_name(enum used_mode mode)
{
	return mode == USED_FIRST ? "first" : mode == USED_ONLY ? "only" : "whole";
}

bool used_is_chosen(const struct plan *plan, const struct used_part *part)
{
	for (size_t i = 0; i < plan->extent_count; i++)
		if (range_overlaps((struct range){ part->start, part->sectors },
				   (struct range){ plan->extents[i].source_lba,
						   plan->extents[i].sectors }))
			return true;
	return false;
}

bool used_say_whole(const struct used *used, const struct used_modes *modes,
		    const struct plan *plan, char *ret, size_t size)
{
	bool known = false;

	text_copy(ret, size, "");
	for (size_t i = 0; used && i < used->count; i++) {
		const struct used_part *part = &used->parts[i];
		char name[64] = "";

		if (used_mode_of(modes, part->number) == USED_WHOLE || !part->whole[0] ||
		    !used_is_chosen(plan, part))
			continue;
		known = known || part->fs[0];
		if (part->number)
			snprintf(name, sizeof(name), _("partition %u: "), part->number);
		text_append(ret, size, "; ", "%s%s", name, part->whole);
	}
	return known;
}

/* ---- the partitions ---- */

static bool overlaps_another(const struct disk *disk, size_t index)
{
	const struct partition *all = disk->partitions, *one = &all[index];

	for (size_t i = 0; i < disk->partition_count; i++)
		if (i != index && !all[i].extended &&
		    range_overlaps((struct range){ one->start, one->sectors },
				   (struct range){ all[i].start, all[i].sectors }))
			return true;
	return false;
}

static void add_part(const struct endpoint *source, const struct disk *disk, size_t index,
		     struct used *used)
{
	const struct partition *partition = &disk->partitions[index];
	struct used_part *part = &used->parts[used->count++];
	uint64_t end;

	*part = (struct used_part){
		.number = partition->number,
		.start = source->kind == ENDPOINT_PARTITION ? 0 : partition->start,
		.sectors = partition->sectors,
	};
	text_copy(part->fs, sizeof(part->fs), partition->fs);
	part->used_bytes = part->sectors * source->logical_sector_size;
	if (partition->in_use.count)
		text_copy(part->whole, sizeof(part->whole), _("it is in use"));
	else if (overlaps_another(disk, index))
		text_copy(part->whole, sizeof(part->whole), _("it overlaps another partition"));
	else if (!u64_add(part->start, part->sectors, &end) ||
		 end > source->size / source->logical_sector_size)
		text_copy(part->whole, sizeof(part->whole), _("it is larger than the disk"));
}

/* A disk without partitions; or a partition that no table names: nothing is known of it. */
static void add_all(const struct endpoint *source, const struct disk *disk, struct used *used)
{
	struct used_part *part = &used->parts[used->count++];

	*part = (struct used_part){ .used_bytes = source->size,
				    .sectors = source->size / source->logical_sector_size };
	if (source->kind == ENDPOINT_PARTITION)
		part->number = source->partition;
	/* The boot sector of an exFAT looks like that of an empty table. */
	else if (disk)
		text_copy(part->fs, sizeof(part->fs), disk->whole_fs);
	if (disk && disk->in_use.count)
		text_copy(part->whole, sizeof(part->whole), _("it is in use"));
}

int used_list(const struct endpoint *source, const struct disk *disk, struct used *ret)
{
	size_t count = disk ? disk->partition_count : 0;

	*ret = (struct used){ .parts = calloc(count + 1, sizeof(*ret->parts)) };
	if (!ret->parts)
		return -ENOMEM;
	if (!source->logical_sector_size)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!disk->partitions[i].extended &&
		    (source->kind != ENDPOINT_PARTITION ||
		     source->partition == disk->partitions[i].number))
			add_part(source, disk, i, ret);
	if (ret->count == 0)
		add_all(source, disk, ret);
	return 0;
}

/* Reads what they use through this descriptor of the source. cancel: NULL, or set by another
 * thread: -ECANCELED. -ENOMEM. */
static int read_used(const struct endpoint *source, int fd, const atomic_bool *cancel,
		     struct used *used)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < used->count; i++) {
		struct used_part *part = &used->parts[i];
		uint64_t sector = source->logical_sector_size;
		const struct volume volume = {
			.fd = fd,
			.start = part->start * sector,
			.size = part->sectors * sector,
			.sector_size = source->logical_sector_size,
			.cancel = cancel,
		};
		struct content content = { 0 };

		if (part->whole[0])
			continue;
		r = content_read(&volume, part->fs, &content);
		part->free = content.free;
		part->used_bytes = content.used_bytes;
		text_copy(part->whole, sizeof(part->whole), content.whole);
	}
	return r;
}

static int add_free(const struct used_part *part, struct range_list *to)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < part->free.count; i++)
		r = range_list_add(to, (struct range){ part->start + part->free.items[i].start,
						       part->free.items[i].count });
	return r;
}

int used_free(const struct used *used, const struct used_modes *modes, struct free_places *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < used->count; i++) {
		const struct used_part *part = &used->parts[i];
		enum used_mode mode = used_mode_of(modes, part->number);

		if (mode != USED_WHOLE)
			r = add_free(part, mode == USED_FIRST ? &ret->later : &ret->left_out);
	}
	return r;
}

/* ---- at the start ---- */

static int all_free(const struct range_list *left_out, const struct range_list *free)
{
	for (size_t i = 0; i < left_out->count; i++)
		if (!range_list_contains(free, left_out->items[i]))
			return -ESTALE;
	return 0;
}

int used_check(const struct plan *plan, const struct disk *disk, int fd, struct error *reterr)
{
	const struct range_list *left_out = plan_left_out(plan);
	struct range_list free = { 0 };
	struct used used;
	int r;

	if (!left_out)
		return 0;
	r = used_list(&plan->source, disk, &used);
	if (r == 0)
		r = read_used(&plan->source, fd, NULL, &used);
	for (size_t i = 0; r == 0 && i < used.count; i++)
		r = add_free(&used.parts[i], &free);
	if (r == 0)
		r = all_free(left_out, &free);
	range_list_done(&free);
	used_done(&used);
	if (r == -ESTALE)
		return error_set(
			reterr, ERROR_CLASS_REFUSED, r, "start", plan->source.node,
			_("What %s uses has changed since the plan was made, or cannot be read any "
			  "more, so nothing was written. Make a new plan, without the map."),
			plan->source.node);
	return r < 0 ? error_nomem(reterr) : 0;
}

/* ---- in the background ---- */

void used_run(void *data)
{
	struct used_reading *task = data;
	/* A claim takes a plan with both ends, but there is no destination yet. */
	struct plan plan = { .source = task->source, .options = PLAN_OPTIONS_DEFAULT };
	struct claim *claim = NULL;
	int r = claim_open(&task->source, CLAIM_SOURCE, &plan, &claim, &task->error);

	if (r == 0)
		r = read_used(&task->source, claim_fd(claim), &task->cancel, &task->used);
	claim_discard(claim);
	if (r == -ENOMEM)
		error_nomem(&task->error);
	task->result = r;
}

bool used_same_source(const struct endpoint *a, const struct endpoint *b)
{
	return a->kind == b->kind && strcmp(a->node, b->node) == 0 && a->size == b->size &&
	       a->start == b->start && a->logical_sector_size == b->logical_sector_size &&
	       identity_same(&a->identity, &b->identity);
}
