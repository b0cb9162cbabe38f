/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "discover/table.h"
#include "layout/layout_private.h"

int fitting_refuse(const struct fitting *f, struct error *reterr, const char *format, ...)
{
	char text[sizeof(reterr->sentence)];

	text_vprint(text, sizeof(text), format);
	return error_set(reterr, ERROR_CLASS_REFUSED, -EINVAL, "fit", f->name, "%s", text);
}

int fitting_read(const struct fitting *f, uint64_t lba, uint64_t sectors, void *to,
		 struct error *reterr)
{
	size_t length = (size_t)sectors * f->sector, done = 0;

	while (done < length) {
		ssize_t n = pread(f->fd, (char *)to + done, length - done,
				  (off_t)(lba * f->sector + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_set_at(reterr, ERROR_CLASS_SOURCE, n ? -errno : -EIO, "fit",
					    f->name, lba, sectors,
					    _("The partition table of %s cannot be read (%s): keep "
					      "it as it is."),
					    f->name, error_phrase(n ? errno : EIO));
		done += (size_t)n;
	}
	return 0;
}

int fitting_add(struct fitting *f, unsigned number, uint64_t start, uint64_t sectors)
{
	return array_append(f->parts, f->part_count,
			    (struct layout_part){ .number = number,
						  .start = start,
						  .sectors = sectors,
						  .to = start,
						  .size = sectors,
						  .least = sectors });
}

static int by_start(const void *a, const void *b)
{
	const struct layout_part *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int check_parts(struct fitting *f, struct error *reterr)
{
	uint64_t end = f->places[0].sectors;
	uint64_t source_end = f->gpt ? f->places[1].source : f->sectors;
	int r;

	if (f->part_count)
		qsort(f->parts, f->part_count, sizeof(*f->parts), by_start);
	r = sectors_check(f, reterr);
	if (r < 0)
		return r;
	for (size_t i = 0; i < f->part_count; i++) {
		const struct layout_part *part = &f->parts[i];

		if (part->start < end || part->start >= source_end ||
		    part->sectors > source_end - part->start)
			return fitting_refuse(
				f, reterr,
				_("Partition %u of %s overlaps something else or lies beyond the "
				  "end of the disk: keep the table as it is, or repair it first."),
				part->number, f->name);
		end = part->start + part->sectors;
	}
	return f->part_count && end > f->usable ? fit_smaller(f, reterr) : 0;
}

/* Puts the partitions where they were asked for. What libfdisk makes, and what is copied, follows
 * from that. */
static int place(struct fitting *f, const struct plan_options *options, struct error *reterr)
{
	uint64_t most = 0;
	int r = learn_parts(f, reterr);

	if (r == 0)
		r = layout_arrange(f->parts, f->part_count, f->sector, f->usable, !f->extended,
				   options, reterr);
	for (size_t i = 0; r == 0 && i < f->part_count; i++) {
		struct layout_part *part = &f->parts[i];

		if (part->size <= part->sectors || part->size - part->sectors <= most)
			continue;
		most = part->size - part->sectors;
		f->grown = part;
	}
	return r;
}

static struct layout_part *find(const struct fitting *f, uint32_t number)
{
	struct layout_part *largest = f->parts;

	if (number == GROW_LAST)
		return f->part_count ? f->parts + f->part_count - 1 : NULL;
	for (size_t i = 0; i < f->part_count; i++) {
		if (f->parts[i].number == number)
			return &f->parts[i];
		if (f->parts[i].sectors > largest->sectors)
			largest = &f->parts[i];
	}
	return number == GROW_LARGEST ? largest : NULL;
}

static int refuse_growth(const struct fitting *f, const struct layout_part *part,
			 struct error *reterr)
{
	const struct layout_part *next = part + 1;

	if (next < f->parts + f->part_count && next->fixed)
		return fitting_refuse(f, reterr,
				      _("Partition %u of %s cannot grow: partition %u behind it "
					"stays where it is (%s)."),
				      part->number, f->name, next->number, next->fixed);
	return fitting_refuse(
		f, reterr, _("There is no room behind partition %u of %s: on %s it cannot grow."),
		part->number, f->name, f->other);
}

static int choose_grown(struct fitting *f, uint32_t number, struct error *reterr)
{
	struct layout_part *part = find(f, number);
	uint64_t end;
	int r;

	if (f->extended)
		return fitting_refuse(
			f, reterr,
			_("%s has an extended partition: no partition of such a table is grown. "
			  "Leave out --grow, and use GParted on the copy."),
			f->name);
	if (!part)
		return fitting_refuse(f, reterr, _("%s has no partition %u that could grow."),
				      f->name, number == GROW_LAST ? 1 : number);
	if (part_changes(part))
		return refuse_growth(f, part, reterr);
	r = fit_larger(f, part, reterr);
	if (r < 0)
		return r;
	end = part + 1 < f->parts + f->part_count ? part[1].to : f->usable;
	end = u64_align_down(end, LAYOUT_ALIGNMENT / f->sector);
	if (end <= part->start + part->sectors)
		return refuse_growth(f, part, reterr);
	f->grown = part;
	part->size = end - part->start;
	return 0;
}

/* libfdisk must have changed what was meant to change, and nothing else. */
static int check_made(const struct fitting *f, const unsigned char *made, struct error *reterr)
{
	if (f->gpt)
		gpt_change(f, f->table);
	else
		dos_change(f, f->table, made);
	/* The first sector of a GPT tells the size of the disk. */
	size_t skip = f->gpt ? f->other_sector : 0;

	const unsigned char *code = f->converts ? f->table : f->before;

	if (memcmp(code, made, f->gpt ? 446 : 0) == 0 &&
	    memcmp(f->table + skip, made + skip, f->places[0].sectors * f->sector - skip) == 0)
		return 0;
	return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "fit", f->name,
			 _("The table that libfdisk made for %s is not the expected one and is not "
			   "used: keep the table as it is."),
			 f->other);
}

static int compare_place(const struct fitting *f, const struct table_place *place,
			 const unsigned char *made, struct fitted *ret, struct error *reterr)
{
	size_t length = (size_t)place->sectors * f->sector;
	CLEANUP(free) unsigned char *source = aligned_alloc(4096, TABLE_MAX + 4096);
	int r = source ? fitting_read(f, place->source, place->sectors, source, NULL) : -ENOMEM;

	/* Where it cannot be read, all of it counts as different, and is written. */
	if (source && r < 0)
		r = 0, memset(source, 0xa5, length);
	for (size_t i = 0; r == 0 && i < length; i += FITTED_UNIT)
		if (memcmp(source + i, made + i, FITTED_UNIT) != 0)
			r = fitted_add(ret, place->source * f->sector + i, made + i);
	return r == -ENOMEM ? error_nomem(reterr) : r;
}

static int collect(const struct fitting *f, int fd, struct fitted *ret, struct error *reterr)
{
	CLEANUP(free) unsigned char *made = malloc(TABLE_MAX + 4096);
	int r = made ? 0 : error_nomem(reterr);

	for (size_t i = 0; r == 0 && i < f->place_count; i++) {
		size_t length = (size_t)f->places[i].sectors * f->sector;

		if (pread(fd, made, length, (off_t)(f->places[i].destination * f->sector)) !=
		    (ssize_t)length)
			r = error_set(reterr, ERROR_CLASS_INTERNAL, -EIO, "fit", f->name, "%s",
				      error_phrase(EIO));
		if (r == 0 && i == 0)
			r = check_made(f, made, reterr);
		if (r == 0)
			r = compare_place(f, &f->places[i], made, ret, reterr);
		if (r == 0 && i == 0)
			r = moved_collect(f, ret, reterr);
	}
	return r;
}

static void add_parts(const struct fitting *f, struct layout *ret)
{
	struct fitted *fitted = &ret->fitted;

	for (size_t i = 0; i < f->part_count; i++) {
		const struct layout_part *part = &f->parts[i];

		bool stays = part->to == part->start && part->size >= part->sectors;
		uint64_t first = part->to < part->start ? part->to : part->start;

		/* A partition that has grown without moving is copied as it is. */
		if (stays && !fitted->part_count && (part == f->grown || !part_changes(part)))
			continue;
		if (!fitted->part_count && ret->extents[0].sectors > first)
			ret->extents[0].sectors = first;
		ret->extents[ret->extent_count++] =
			(struct extent){ part->start, part->to,
					 part->size < part->sectors ? part->size : part->sectors };
		fitted->parts[fitted->part_count++] =
			(struct fitted_part){ part->number, part->start, part->sectors, part->to,
					      part->size };
	}
}

static int fill(const struct fitting *f, struct layout *ret, struct error *reterr)
{
	uint64_t end = f->sectors < f->room ? f->sectors : f->room;
	CLEANUP(close) int fd = -1;

	end = u64_align_down(end, sector_multiple(f));
	if (f->gpt)
		end -= f->places[1].sectors;
	ret->extents[ret->extent_count++] = (struct extent){ 0, 0, end };
	add_parts(f, ret);
	if (f->gpt)
		ret->extents[ret->extent_count++] =
			(struct extent){ f->places[1].source, f->places[1].destination,
					 f->places[1].sectors };
	if (f->gpt)
		ret->fitted.backup = f->room * f->sector / f->other_sector - 1;
	if (f->grown) {
		ret->fitted.grown = f->grown->number;
		ret->fitted.start = f->grown->to;
		ret->fitted.before = f->grown->sectors;
		ret->fitted.after = f->grown->size;
	}
	if (f->other_sector != f->sector)
		ret->fitted.sector = f->other_sector;
	/* An MS-DOS table knows nothing of the disk's size. */
	if (!f->gpt && !f->grown && !ret->fitted.part_count && !ret->fitted.sector)
		return 0;
	fd = fdisk_make(f, reterr);
	return fd < 0 ? fd : collect(f, fd, &ret->fitted, reterr);
}

static int understand(struct fitting *f, bool to_gpt, struct error *reterr)
{
	int r;

	f->before = aligned_alloc(4096, TABLE_MAX);
	f->table = aligned_alloc(4096, TABLE_MAX);
	if (!f->before || !f->table)
		return error_nomem(reterr);
	memset(f->before, 0, TABLE_MAX);
	r = fitting_read(f, 0, 2, f->before, reterr);
	if (r < 0)
		return r;
	f->gpt = memcmp(f->before + f->sector, GPT_SIGNATURE, strlen(GPT_SIGNATURE)) == 0;
	r = to_gpt   ? dos_to_gpt_prepare(f, reterr)
	    : f->gpt ? gpt_prepare(f, reterr)
		     : dos_prepare(f, reterr);
	return r < 0 ? r : check_parts(f, reterr);
}

static void keep_table(struct fitting *f, struct layout_table *ret)
{
	struct error error;

	if (learn_parts(f, &error) < 0)
		return;
	for (size_t i = 0; i < f->part_count; i++)
		ret->parts[i] = f->parts[i];
	ret->count = f->part_count;
	ret->sector = f->sector;
	ret->sectors = f->sectors;
	ret->room = f->room;
	ret->first = f->places[0].sectors;
	ret->usable = f->usable;
	ret->movable = !f->extended;
}

/* A place that was asked for may be none. */
static int check_multiples(const struct fitting *f, struct error *reterr)
{
	uint64_t unit = sector_multiple(f);

	for (size_t i = 0; i < f->part_count; i++)
		if (f->parts[i].to % unit || f->parts[i].size % unit)
			return fitting_refuse(f, reterr,
					      _("Partition %u would not begin and end at a sector "
						"of %s: choose multiples of %u bytes."),
					      f->parts[i].number, f->other, f->other_sector);
	return 0;
}

static int fit(struct fitting *f, const struct plan_options *options, uint32_t grow,
	       struct layout *ret, struct error *reterr)
{
	int r = understand(f, options->table == TABLE_GPT, reterr);

	if (r == 0)
		keep_table(f, &ret->table);
	if (r == 0 && options->table != TABLE_KEEP && options->places[0].number)
		r = place(f, options, reterr);
	if (r == 0 && grow != GROW_NO)
		r = choose_grown(f, grow, reterr);
	if (r == 0)
		r = check_multiples(f, reterr);
	return r == 0 ? fill(f, ret, reterr) : r;
}

static uint64_t whole_sectors(uint64_t bytes, uint32_t sector)
{
	return sector ? bytes / sector : 0;
}

static int check_ends(const struct plan *plan, struct error *reterr)
{
	const struct endpoint *source = &plan->source, *destination = &plan->destinations[0];

	if (source->kind == ENDPOINT_PARTITION || destination->kind == ENDPOINT_PARTITION)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "fit", source->node, "%s",
				 _("Only a copy of a whole disk to a whole disk has a table that "
				   "can be made to fit."));
	if (destination->size == 0 || endpoint_is_sg_only(source))
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "fit", destination->node,
				 _("A table can be made to fit only from a disk with a block node, "
				   "or an image, to something whose size is known; that of %s is "
				   "not, or %s has none."),
				 destination->node, source->node);
	return 0;
}

static bool is_sector_size(uint32_t bytes)
{
	return bytes >= FITTED_UNIT && bytes <= 4096 && is_power_of_2(bytes);
}

static int check_sectors(const struct fitting *f, uint64_t size, struct error *reterr)
{
	if (is_sector_size(f->sector) && is_sector_size(f->other_sector) &&
	    (f->sector <= f->other_sector || size % f->sector == 0))
		return 0;
	return error_set(
		reterr, ERROR_CLASS_REFUSED, -ENOTSUP, "fit", f->other,
		_("%s has sectors of %u bytes and %s of %u, and a size that cannot be told in "
		  "both: no table is made for it. Take a disk with sectors of %u bytes."),
		f->name, f->sector, f->other, f->other_sector, f->sector);
}

static void fitting_done(struct fitting *f)
{
	free(f->before);
	free(f->table);
	free(f->parts);
}

int layout_fit(const struct plan *plan, int fd, uint32_t grow, struct layout *ret,
	       struct error *reterr)
{
	struct fitting f = {
		.fd = fd,
		.name = plan->source.node,
		.other = plan->destinations[0].node,
		.sector = plan->source.logical_sector_size,
	};
	int r = check_ends(plan, reterr);

	*ret = (struct layout){ 0 };
	if (r < 0)
		return r;
	f.sectors = whole_sectors(plan->source.size, f.sector);
	f.other_sector = plan->destinations[0].logical_sector_size;
	if (!f.other_sector)
		f.other_sector = f.sector;
	r = check_sectors(&f, plan->destinations[0].size, reterr);
	if (r < 0)
		return r;
	f.room = whole_sectors(plan->destinations[0].size, f.sector);
	r = f.sectors < 2 || f.room < 2 ? fitting_refuse(&f, reterr, _("%s is too small."), f.other)
					: fit(&f, &plan->options, grow, ret, reterr);
	fitting_done(&f);
	if (r < 0) {
		layout_done(ret);
		ret->shrink = f.shrink;
	}
	return r;
}

void layout_done(struct layout *layout)
{
	fitted_done(&layout->fitted);
	layout->extent_count = 0;
	layout->shrink.number = 0;
}
