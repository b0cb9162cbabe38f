/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

/* Another item of a fact. */
#define add(text, ...)               text_join((text), DISK_FACT_MAX, __VA_ARGS__)
#define add_with(between, text, ...) text_append((text), DISK_FACT_MAX, (between), __VA_ARGS__)

static const char *or_unknown(const char *text)
{
	return text[0] ? text : _("unknown");
}

static const char *tristate_words(enum tristate value, const char *yes, const char *no)
{
	return value == UNKNOWN ? _("unknown") : value == YES ? yes : no;
}

const char *partition_words(const struct partition *p, char *buffer, size_t size)
{
	const char *fs = p->fs[0] ? p->fs : p->label[0] ? "" : p->type_name;

	snprintf(buffer, size, "%s", text_or_dash(fs));
	if (p->label[0])
		text_append(buffer, size, " ", "\"%s\"", p->label);
	return buffer;
}

const char *disk_state_words(const struct disk *disk)
{
	return disk->silent ? _("NO ANSWER: it spins up, or power, cable or disk fail. Ask again.")
			    : "";
}

/* "sda1: mounted /boot". False: there is no room for it. */
static bool add_use(const struct use *use, char *text, size_t size)
{
	static const char *const words[] = {
		[USE_MOUNT] = N_("mounted"),
		[USE_SWAP] = N_("swap"),
		[USE_DM] = N_("volume"),
		[USE_MD] = N_("array"),
		[USE_BCACHE] = N_("held by"),
		[USE_BOOT] = N_("running system"),
		[USE_LOOP] = N_("loop file"),
		[USE_EXCLUSIVE] = N_("held by another program"),
		[USE_COPY] = N_("held by this copy; shown as before it"),
	};
	const char *node = text_base_name(use->node);

	if (use->kind == USE_EXCLUSIVE && use->what[0])
		return text_join(text, size, "%s: %s", node, use->what);
	return text_join(text, size, "%s: %s%s%s", node,
			 _(words[use_is_by_device(use) ? USE_BCACHE : use->kind]),
			 use->what[0] ? " " : "", use->what);
}

const char *disk_use_words(const struct disk *disk, char text[static DISK_FACT_MAX])
{
	static const char more[] = ", ..";

	text_copy(text, DISK_FACT_MAX, disk->read_only == YES ? _("read-only") : "");
	if (disk->read_by[0])
		add(text, "%s", disk->read_by);
	else if (!disk->in_use.count)
		add(text, "%s",
		    disk_is_sg_only(disk) ? _("unknown: it has no block node")
		    : disk->silent        ? _("no mount, no swap; held open: unknown")
					  : _("no mount, no swap, no holder"));
	for (size_t i = 0; i < disk->in_use.count; i++) {
		if (!add_use(&disk->in_use.items[i], text, DISK_FACT_MAX - strlen(more))) {
			add_with("", text, "%s", more);
			break;
		}
	}
	return text;
}

/* Bytes: behind them, further partitions are left out. */
#define TABLE_MOST 200

const char *disk_table_words(const struct disk *disk, char text[static DISK_FACT_MAX])
{
	char contents[256];

	text[0] = '\0';
	if (strcmp(disk->table, "?") == 0)
		add(text, "%s",
		    disk_is_sg_only(disk) || disk->silent || use_list_find(&disk->in_use, USE_COPY)
			    ? _("not read")
			    : _("could not be read"));
	else if (disk->table[0])
		add(text, P_("%s, %zu partition", "%s, %zu partitions", disk->partition_count),
		    disk->table, disk->partition_count);
	else
		add(text, "%s", _("none"));
	for (size_t i = 0; i < disk->partition_count; i++) {
		if (strlen(text) > TABLE_MOST) {
			add(text, "..");
			break;
		}
		partition_words(&disk->partitions[i], contents, sizeof(contents));
		add_with(i ? ", " : ": ", text, "%s", contents);
	}
	if (disk->whole_fs[0])
		add_with("", text, _("; the whole disk is %s"), disk->whole_fs);
	if (disk->whole_label[0])
		add_with(" ", text, "\"%s\"", disk->whole_label);
	return text;
}

const char *disk_health_words(const struct disk_health *health, char text[static DISK_FACT_MAX])
{
	const struct health *known = health->known;

	text[0] = '\0';
	if (known && health_is_known(known))
		health_print(known, text, DISK_FACT_MAX);
	else if (known && !health->asking)
		add(text, "%s", or_unknown(known->why));
	if (known && health->asking)
		add_with("  ", text, "%s", _("(being asked)"));
	return text;
}

const char *disk_notes_words(const struct disk *disk, char text[static DISK_FACT_MAX])
{
	text[0] = '\0';
	for (size_t i = 0; i < disk->note_count; i++)
		add_with(" ", text, "%s", disk->notes[i].text);
	return text;
}

/* ---- all of it ---- */

/* Begins the next fact, in the place of the last one if that says nothing. Returns its text. */
static char *fact(struct disk_facts *to, const char *label)
{
	struct disk_fact *last;

	if (!to->count || to->facts[to->count - 1].text[0])
		to->count++;
	last = &to->facts[to->count - 1];
	last->label = label;
	last->text[0] = '\0';
	return last->text;
}

static void identity(const struct disk *disk, struct disk_facts *to)
{
	const struct identity *identity = &disk->identity;
	char *text = fact(to, _("Model"));

	add(text, "%s", or_unknown(identity->model));
	if (identity->firmware[0])
		add(text, _("firmware %s"), identity->firmware);
	if (disk->rotational != UNKNOWN)
		add(text, "%s", disk->rotational == YES ? _("rotating") : _("not rotating"));
	if (disk->removable == YES)
		add(text, "%s", _("removable"));
	add(fact(to, _("State")), "%s", disk_state_words(disk));
	text = fact(to, _("Serial"));
	add(text, "%s", or_unknown(identity->serial));
	if (disk->shares_serial)
		add_with(" ", text, "%s", _("(another disk says the same!)"));
	if (identity->wwn[0])
		add(text, "%s %s", _("WWN"), identity->wwn);
	text = fact(to, _("Size"));
	if (disk->medium_present == NO || !identity->size)
		add(text, "%s",
		    disk->medium_present == NO ? _("no medium in the drive") : _("unknown"));
	else
		add(text, _("%s B = %s sectors of %u (physical %u)"), UNITS_COUNT(identity->size),
		    UNITS_COUNT(disk_sectors(disk)), (unsigned)identity->logical_sector_size,
		    (unsigned)disk->physical_sector_size);
}

static void nodes(const struct disk *disk, struct disk_facts *to)
{
	const char *more[] = { disk->bsg, disk->nvme_generic };
	char *text = fact(to, _("Nodes"));

	add(text, "%s", disk->node);
	if (disk_is_sg_only(disk))
		add_with(" ", text, "%s", _("(no block node: can be read, not written to)"));
	else if (disk->sg[0])
		add_with(" ", text, "%s", disk->sg);
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		if (more[i][0])
			add_with(" ", text, "%s", more[i]);
	for (size_t i = 0; i < disk->raw_count; i++)
		add_with(" ", text, "%s", disk->raw[i]);
	if (!disk->raw_count)
		add_with(" ", text, "%s", _("raw: none"));
	text = fact(to, _("Path"));
	if (disk->path[0])
		add(text, "%s", disk->path);
	if (disk->transport[0])
		add(text, "%s", disk->transport);
	if (disk->driver[0])
		add(text, _("driver %s"), disk->driver);
	if (!text[0])
		add(text, "%s", _("unknown"));
}

static void properties(const struct disk *disk, struct disk_facts *to)
{
	char *text = fact(to, _("Zones"));

	if (disk_is_host_managed(disk))
		add(text, "%s",
		    _("host-managed: written only in order, so it can be a source and no "
		      "destination"));
	else if (strcmp(disk->zoned, "none") != 0)
		add(text, "%s", disk->zoned);
	text = fact(to, _("Limits"));
	if (disk->max_transfer)
		add(text, _("max transfer %u KiB"), (unsigned)(disk->max_transfer / 1024));
	if (disk->queue_depth)
		add(text, "%s %u", _("queue depth"), (unsigned)disk->queue_depth);
	if (!text[0])
		add(text, "%s", _("unknown"));
	to->brief = to->count;
	text = fact(to, _("Cache"));
	add(text, _("%s; unmap %s, write zeroes %s"),
	    tristate_words(disk->write_cache, _("writes are cached until a flush"),
			   _("writes are on the medium when done")),
	    tristate_words(disk->unmap, _("yes"), _("no")),
	    tristate_words(disk->zeroes, _("yes"), _("no")));
}

static void numbers(const struct disk *disk, struct disk_facts *to)
{
	char *text = fact(to, "by-id");

	add(text, "%s", disk->by_id);
	add(fact(to, "HCTL"), "%s", disk->hctl);
	add(fact(to, "PTUUID"), "%s", disk->table_uuid);
	text = fact(to, "diskseq");
	if (disk->identity.diskseq)
		add(text, "%" PRIu64, disk->identity.diskseq);
	text = fact(to, _("Alignment"));
	if (disk->alignment_offset)
		add(text, _("offset %u B"), (unsigned)disk->alignment_offset);
	if (disk->dma_alignment)
		add(text, "DMA %u B", (unsigned)disk->dma_alignment);
}

void disk_describe(const struct disk_list *list, const struct disk *disk,
		   const struct disk_health *health, struct disk_facts *ret)
{
	char *text;

	ret->count = 0;
	identity(disk, ret);
	nodes(disk, ret);
	disk_use_words(disk, fact(ret, _("In use")));
	disk_table_words(disk, fact(ret, _("Table")));
	disk_health_words(health, fact(ret, _("Health")));
	disk_notes_words(disk, fact(ret, _("Notes")));
	properties(disk, ret);
	text = fact(ret, "sg");
	/* How commands get to it where an end's backend is sg. */
	if (list->sg_driver[0] && disk->sg[0])
		add(text, _("driver %s, direct IO %s"), list->sg_driver,
		    tristate_words(list->sg_direct, _("allowed"),
				   _("not allowed:  echo 1 > "
				     "/sys/module/sg/parameters/allow_dio")));
	numbers(disk, ret);
	ret->count -= !ret->facts[ret->count - 1].text[0];
}
