/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about sizes, sectors and where the copies of the partition table land. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "guard/rules_private.h"

static void say_empty(const struct endpoint *endpoint, const struct disk *disk, const char *name,
		      struct verdict *ret)
{
	if (endpoint_is_device(endpoint) &&
	    (endpoint->size == 0 || (disk && disk->medium_present == NO)))
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has no medium or a size of 0. Insert the medium, or check cable and "
			   "power of the disk."),
			 name);
}

void rule_source_empty(const struct rule_context *c, struct verdict *ret)
{
	say_empty(c->source, c->source_disk, c->source_name, ret);
}

void rule_destination_empty(const struct rule_context *c, struct verdict *ret)
{
	say_empty(c->destination, c->destination_disk, c->destination_name, ret);
}

static uint64_t partitions_end(const struct disk *disk, unsigned *retnumber)
{
	uint64_t last = 0;

	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];

		if (p->start + p->sectors > last) {
			last = p->start + p->sectors;
			*retnumber = p->number;
		}
	}
	return last;
}

/* The end of the last partition that ends within `limit` sectors; 0: there is none. */
static uint64_t partitions_within(const struct disk *disk, uint64_t limit)
{
	uint64_t last = 0;

	for (size_t i = 0; i < disk->partition_count; i++) {
		uint64_t end = disk->partitions[i].start + disk->partitions[i].sectors;

		if (end > last && end <= limit)
			last = end;
	}
	return last;
}

/* The sectors from the start that have all the partitions for which there is room; 0: unknown, or
 * none. */
static uint64_t say_range(const struct rule_context *c, char *advice, size_t size)
{
	const struct plan *plan = c->plan;
	const struct disk *disk = c->source_contents;
	uint64_t limit, last, within;
	unsigned number = 0;

	if (!rule_copies_table(c) || c->destination->kind != ENDPOINT_DISK ||
	    !disk->partition_count)
		return 0;
	limit = c->destination->size / plan->sector_size;
	last = partitions_end(disk, &number);
	within = partitions_within(disk, limit);
	if (last == within)
		snprintf(advice, size,
			 _("But all partitions end before that: --ranges 0-%" PRIu64
			   " (in the deck: f) fits. Or take a larger disk."),
			 last - 1);
	else if (within)
		snprintf(
			advice, size,
			_("Partition %u ends at LBA %" PRIu64 ", the disk at %" PRIu64
			  ": shrink it first, or take a larger disk. What fits: --ranges 0-%" PRIu64
			  " (in the deck: f)."),
			number, last - 1, limit - 1, within - 1);
	else
		snprintf(advice, size,
			 _("Partition %u ends at LBA %" PRIu64 ", the disk at %" PRIu64
			   ": shrink it first, or take a larger disk."),
			 number, last - 1, limit - 1);
	return within;
}

static void say_what_fits(const struct rule_context *c, char *advice, size_t size,
			  struct verdict *ret)
{
	size_t used;

	ret->fits_with_table = c->facts->table_can_fit;
	text_copy(advice, size, _("Take a larger disk, or choose ranges that fit."));
	ret->fits = say_range(c, advice, size);
	if (!ret->fits_with_table)
		return;
	text_copy(
		advice, size,
		_("But what its partitions hold has room: --table=fit (in the deck: t) makes table "
		  "and partitions fit. Or take a larger disk."));
	used = strlen(advice);
	if (ret->fits)
		snprintf(advice + used, size - used,
			 _(" What fits without it: --ranges 0-%" PRIu64 " (in the deck: f)."),
			 ret->fits - 1);
}

void rule_destination_too_small(const struct rule_context *c, struct verdict *ret)
{
	uint64_t needed = plan_destination_end(c->plan);
	uint32_t unit = c->plan->sector_size;
	char sectors[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];

	if (!endpoint_is_device(c->destination) || c->destination->size == 0)
		return;
	if (needed > c->destination->size) {
		uint64_t missing = needed - c->destination->size;
		uint64_t count = (missing + unit - 1) / unit;
		char advice[512];

		say_what_fits(c, advice, sizeof(advice), ret);
		rule_say(ret, VERDICT_REFUSE,
			 P_("The destination %s is too small: %s sector of %" PRIu32
			    " bytes (%s) is missing. %s",
			    "The destination %s is too small: %s sectors of %" PRIu32
			    " bytes (%s) are missing. %s",
			    count),
			 c->destination_name, units_print_count(count, sectors), unit,
			 units_print_long(missing, UNITS_SI, unit, bytes), advice);
	} else if (c->destination->size - needed < unit) {
		rule_say(ret, VERDICT_OK, _("the copy fills %s exactly"), c->destination->node);
	} else {
		rule_say(ret, VERDICT_OK, _("the copy fits, %s on %s stay as they are behind it"),
			 units_print_long(c->destination->size - needed, UNITS_SI, unit, bytes),
			 c->destination->node);
	}
}

/* How much at the end of the disk is hidden by its settings, or else by a bridge. False: nothing.
 */
static bool hides(const struct endpoint *endpoint, const struct guard_reach *reach,
		  bool *retby_disk, char amount[static UNITS_TEXT_MAX])
{
	uint64_t size = endpoint->identity.size, there = reach->open;

	*retby_disk = reach->whole > reach->open;
	if (*retby_disk && reach->whole > size)
		there = reach->whole;
	if (endpoint->kind != ENDPOINT_DISK || size == 0 || there <= size)
		return false;
	units_print_long(there - size, UNITS_SECTORS, endpoint->identity.logical_sector_size,
			 amount);
	return true;
}

void rule_source_hidden(const struct rule_context *c, struct verdict *ret)
{
	char amount[UNITS_TEXT_MAX];
	bool by_disk;

	if (hides(c->source, &c->facts->source_reach, &by_disk, amount))
		rule_say(ret, VERDICT_WARN,
			 by_disk ? _("A host protected area (HPA) or device configuration overlay "
				     "(DCO) hides the end of the source %s (%s): it is not copied. "
				     "hdparm -N and hdparm --dco-identify show it.")
				 : _("The USB bridge or adapter of the source %s keeps back its "
				     "end (%s): it is not copied. Attached directly, the disk may "
				     "show it."),
			 c->source_name, amount);
}

void rule_destination_hidden(const struct rule_context *c, struct verdict *ret)
{
	char amount[UNITS_TEXT_MAX];
	bool by_disk;

	if (hides(c->destination, &c->facts->destination_reach, &by_disk, amount))
		rule_say(ret, VERDICT_WARN,
			 by_disk ? _("A host protected area (HPA) or device configuration overlay "
				     "(DCO) hides the end of the destination %s (%s): it stays as "
				     "it is. hdparm -N and hdparm --dco-identify show it.")
				 : _("The USB bridge or adapter of the destination %s keeps back "
				     "its end (%s): it stays as it is. Attached directly, the disk "
				     "may show it."),
			 c->destination_name, amount);
}

static bool multiples_of(const struct plan *plan, uint32_t sector)
{
	for (size_t i = 0; i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);

		if (e.source % sector || e.destination % sector || e.length % sector)
			return false;
	}
	return true;
}

void rule_sector_size_differs(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;
	uint32_t from = c->source->logical_sector_size;
	uint32_t to = c->destination->logical_sector_size;
	uint32_t larger = from > to ? from : to;

	if (from == 0 || to == 0 || !endpoint_is_device(c->destination))
		return;
	if (from == to) {
		rule_say(ret, VERDICT_OK, _("logical sector size equal (%" PRIu32 ")"), from);
		return;
	}
	if (!multiples_of(plan, larger)) {
		ret->liftable = false;
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has sectors of %" PRIu32 " bytes and %s of %" PRIu32
			   ", and the ranges are not multiples of %" PRIu32
			   ". Choose ranges that are."),
			 c->source->node, from, c->destination->node, to, larger);
		return;
	}
	if (plan->fitted.sector) {
		rule_say(ret, VERDICT_WARN,
			 _("%s has sectors of %" PRIu32 " bytes and %s of %" PRIu32
			   ": the table is made anew, and the file systems work with both. Boot "
			   "code does not: no machine starts from this copy."),
			 c->source->node, from, c->destination->node, to);
		return;
	}
	if (rule_copies_table(c) && c->facts->table_can_fit) {
		ret->liftable = false;
		ret->fits_with_table = true;
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has sectors of %" PRIu32 " bytes and %s of %" PRIu32
			   ": a copied partition table would be unreadable there. --table=fit "
			   "(in the deck: t) makes it anew."),
			 c->source->node, from, c->destination->node, to);
		return;
	}
	if (rule_copies_table(c)) {
		ret->liftable = false;
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has sectors of %" PRIu32 " bytes and %s of %" PRIu32
			   ": a copied partition table would be unreadable there. Take a disk with "
			   "sectors of %" PRIu32 " bytes."),
			 c->source->node, from, c->destination->node, to, from);
		return;
	}
	rule_say(ret, VERDICT_REFUSE,
		 _("%s has sectors of %" PRIu32 " bytes and %s of %" PRIu32
		   ": FAT, NTFS and boot sectors do not work after such a copy. If the contents do "
		   "not depend on it: --allow sector-size-differs."),
		 c->source->node, from, c->destination->node, to);
}

void rule_alignment(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;
	const struct endpoint *destination = c->destination;
	uint32_t physical = destination->physical_sector_size;

	if (!endpoint_is_device(destination) || physical <= destination->logical_sector_size)
		return;
	/* The few sectors of a moved backup GPT do not matter. */
	size_t count = plan->options.table != TABLE_KEEP ? 1 : plan->extent_count;

	for (size_t i = 0; i < count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);
		uint64_t offset = 0;

		if (c->destination_disk)
			offset = c->destination_disk->alignment_offset;
		if ((destination->start + e.destination + physical - offset % physical) %
			    physical ==
		    0)
			continue;
		rule_say(ret, VERDICT_WARN,
			 _("Writing on %s starts at byte %" PRIu64
			   ", inside a physical sector of %" PRIu32
			   " bytes: the disk must read before it writes, which is slow. A "
			   "destination LBA on a multiple avoids it."),
			 destination->node, e.destination, physical);
		return;
	}
}

void rule_table_beyond_end(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;
	const struct endpoint *destination = c->destination;
	unsigned number = 0;

	if (plan->options.table != TABLE_KEEP || !rule_copies_table(c) ||
	    destination->kind != ENDPOINT_DISK || destination->size == 0 ||
	    destination->size >= c->source_contents->identity.size)
		return;
	uint32_t unit = c->source_contents->identity.logical_sector_size;
	uint64_t last = partitions_end(c->source_contents, &number);

	/* Where not everything fits, destination-too-small refuses; this is about chosen ranges. */
	if (plan_destination_end(plan) > destination->size || unit == 0)
		return;
	if (last > destination->size / unit)
		rule_say(ret, VERDICT_REFUSE,
			 _("The copied partition table would name partitions that %s is too small "
			   "for: partition %u ends at LBA %" PRIu64 ", the disk at %" PRIu64
			   ". Shrink it on a larger copy first. To leave out what does not fit: "
			   "--allow table-beyond-end."),
			 destination->node, number, last - 1, destination->size / unit - 1);
	else if (strcmp(c->source_contents->table, "gpt") == 0)
		rule_say(ret, VERDICT_REFUSE,
			 _("%s is smaller than the source, so the copied GPT points beyond its end "
			   "and the system will not read it before it is rebuilt, which the report "
			   "says how to do. For that: --allow table-beyond-end."),
			 destination->node);
}

static bool is_gpt(const struct rule_context *c)
{
	return c->source_contents && strcmp(c->source_contents->table, "gpt") == 0;
}

void rule_backup_gpt_inside(const struct rule_context *c, struct verdict *ret)
{
	if (c->plan->options.table != TABLE_KEEP || !rule_copies_table(c) || !is_gpt(c) ||
	    c->destination->kind != ENDPOINT_DISK ||
	    c->destination->size <= c->source_contents->identity.size)
		return;
	if (c->source_contents->gpt_from_backup)
		rule_say(
			ret, VERDICT_WARN,
			_("The GPT at the start of the source is damaged, and %s is larger: "
			  "nothing finds the backup GPT inside it. The report has the command that "
			  "brings it back."),
			c->destination->node);
	else
		rule_say(ret, VERDICT_WARN,
			 _("%s is larger than the source: the backup GPT ends up inside the disk. "
			   "Move it to the end afterwards with:  sfdisk --relocate gpt-bak-std %s"),
			 c->destination->node, c->destination->node);
}

void rule_backup_gpt_missing(const struct rule_context *c, struct verdict *ret)
{
	if (c->plan->options.table != TABLE_KEEP || !rule_copies_table(c) || !is_gpt(c) ||
	    c->destination->kind != ENDPOINT_DISK ||
	    c->destination->size != c->source_contents->identity.size)
		return;
	uint64_t size = c->source_contents->identity.size;
	uint64_t backup = disk_gpt_bytes(c->source_contents);

	if (size > backup && !rule_copies(c->plan, size - backup, backup))
		rule_say(ret, VERDICT_WARN,
			 _("The GPT at the start is copied, its backup at the end is not. Write a "
			   "new one afterwards with:  sfdisk --relocate gpt-bak-std %s"),
			 c->destination->node);
}
