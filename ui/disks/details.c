/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk in words: the detail panes of screen 1, and which disks are chosen. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/array.h"
#include "base/text.h"

#include "ui/disks/model.h"

static void write_model(const struct disk *disk, struct line *line)
{
	line_add(line, "%s", disk->identity.model[0] ? disk->identity.model : _("unknown"));
	if (disk->identity.firmware[0])
		line_add(line, _("   fw %s"), disk->identity.firmware);
	if (disk->rotational != UNKNOWN)
		line_add(line, "   %s",
			 disk->rotational == YES ? _("rotating") : _("not rotating"));
	if (disk->removable == YES)
		line_add(line, "   %s", _("removable"));
	if (disk->driver[0])
		line_add(line, _("   driver %s"), disk->driver);
}

static void write_serial(const struct disk *disk, struct line *line)
{
	line_add(line, "%s", disk->identity.serial[0] ? disk->identity.serial : _("none"));
	if (disk->shares_serial)
		line_add(line, "   %s", _("(another disk says the same!)"));
	line_add(line, _("   WWN %s"), disk->identity.wwn[0] ? disk->identity.wwn : _("none"));
}

static void write_size(const struct disk *disk, struct line *line)
{
	char sectors[UNITS_TEXT_MAX];
	uint32_t logical = disk->identity.logical_sector_size;

	if (!disk->identity.size) {
		line_add(line, "%s", disk->medium_present == NO ? _("no medium") : "0 B");
		return;
	}
	line_add(line, _("%s B = %s sectors of %u (physical %u)"), UNITS_COUNT(disk->identity.size),
		 units_print_count(disk_sectors(disk), sectors), (unsigned)logical,
		 (unsigned)disk->physical_sector_size);
}

static void write_nodes(const struct disk *disk, struct line *line)
{
	line_add(line, "%s", disk->node);
	if (disk_is_sg_only(disk))
		line_add(line, " %s", _("(no block node: can be read, not written to)"));
	else if (disk->sg[0])
		line_add(line, " %s", disk->sg);
	if (disk->bsg[0])
		line_add(line, " %s", disk->bsg);
	if (disk->nvme_generic[0])
		line_add(line, " %s", disk->nvme_generic);
	for (size_t i = 0; i < disk->raw_count; i++)
		line_add(line, " %s", disk->raw[i]);
	if (!disk->raw_count)
		line_add(line, " %s", _("raw: none"));
}

static void write_path(const struct disk *disk, struct line *line)
{
	line_add(line, "%s", disk->path[0] ? disk->path : _("unknown"));
}

static void write_limits(const struct disk *disk, struct line *line)
{
	if (disk->max_transfer)
		line_add(line, _("max transfer %u KiB"), (unsigned)(disk->max_transfer / 1024));
	if (disk->queue_depth)
		line_add(line, "%s%s %u", line->columns ? ", " : "", _("queue depth"),
			 (unsigned)disk->queue_depth);
	if (!line->columns)
		line_add(line, "%s", _("unknown"));
}

/* Columns: behind them, further partitions are left out. */
#define TABLE_MOST 200

static void write_table(const struct disk *disk, struct line *line)
{
	if (strcmp(disk->table, "?") == 0) {
		line_add(line, "%s", disk_unread_words(disk));
		return;
	}
	if (!disk->table[0]) {
		line_add(line, "%s", _("none"));
		if (disk->whole_fs[0])
			line_add(line, _("; the whole disk is %s"), disk->whole_fs);
		if (disk->whole_label[0])
			line_add(line, " \"%s\"", disk->whole_label);
		return;
	}
	line_add(line, P_("%s, %zu partition", "%s, %zu partitions", disk->partition_count),
		 disk->table, disk->partition_count);
	for (size_t i = 0; i < disk->partition_count; i++) {
		char text[256];

		if (line->columns > TABLE_MOST) {
			line_add(line, ", ..");
			break;
		}
		text_contents(&disk->partitions[i], text, sizeof(text));
		line_add(line, "%s %s", i ? "," : ":", text);
	}
}

static void write_use(const struct disk *disk, struct line *line)
{
	static const char *const words[] = {
		[USE_MOUNT] = N_("mounted"),
		[USE_SWAP] = N_("swap"),
		[USE_DM] = N_("volume"),
		[USE_MD] = N_("array"),
		[USE_BCACHE] = N_("held by"),
		[USE_BOOT] = N_("running system"),
		[USE_LOOP] = N_("loop file"),
		[USE_EXCLUSIVE] = N_("held open"),
		[USE_COPY] = N_("held by this copy; shown as before it"),
	};

	if (disk->read_only == YES)
		line_add(line, "%s", _("read-only"));
	if (disk->read_by[0])
		line_add(line, "%s%s", line->columns ? ", " : "", disk->read_by);
	if (!disk->in_use.count && !disk->read_by[0]) {
		line_add(line, "%s%s", line->columns ? ", " : "",
			 disk_is_sg_only(disk) ? _("unknown")
			 : disk->silent        ? _("no mount, no swap; held open: unknown")
					       : _("no mount, no swap, no holder"));
		return;
	}
	for (size_t i = 0; i < disk->in_use.count; i++) {
		const struct use *use = &disk->in_use.items[i];

		line_add(line, "%s%s: %s%s%s", line->columns ? ", " : "", text_base_name(use->node),
			 _(words[use_is_by_device(use) ? USE_BCACHE : use->kind]),
			 use->what[0] ? " " : "", use->what);
	}
}

static void write_notes(const struct disk *disk, struct line *line)
{
	for (size_t i = 0; i < disk->note_count; i++)
		line_add(line, "%s%s", i ? " " : "", disk->notes[i].text);
}

static void write_health(const struct disks_health *health, struct line *line)
{
	char text[480];

	if (health_is_known(health->known))
		line_add(line, "%s", health_print(health->known, text, sizeof(text)));
	else if (!health->asking)
		line_add(line, "%s", health->known->why[0] ? health->known->why : _("unknown"));
	if (health->asking)
		line_add(line, "%s%s", line->columns ? "  " : "", _("(being asked)"));
}

static void write_silent(const struct disk *disk, struct line *line)
{
	if (disk->silent)
		line_add(line, "%s",
			 _("NO ANSWER: it spins up, or power, cable or disk fail. r asks again."));
}

int disks_details(const struct disk *disk, const struct disks_health *health,
		  struct disks_detail ret[static DISKS_DETAILS_MAX])
{
	/* NULL: the health, which is not of the disk list. What writes nothing is left out. */
	static const struct {
		const char *label;
		void (*write)(const struct disk *disk, struct line *line);
	} rows[] = {
		{ N_("Model"), write_model },   { N_("State"), write_silent },
		{ N_("Serial"), write_serial }, { N_("Size"), write_size },
		{ N_("Nodes"), write_nodes },   { N_("Path"), write_path },
		{ N_("In use"), write_use },    { N_("Table"), write_table },
		{ N_("Health"), NULL },         { N_("Notes"), write_notes },
		{ N_("Limits"), write_limits },
	};
	int count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct disks_detail *detail = &ret[count];

		detail->label = _(rows[i].label);
		line_start(&detail->text, LINE_COLUMNS_MAX);
		if (rows[i].write)
			rows[i].write(disk, &detail->text);
		else if (health->known)
			write_health(health, &detail->text);
		count += detail->text.columns > 0;
	}
	return count;
}

/* Where no partitions follow, with what the word is about. */
static void write_holds(const struct disk *disk, struct line *line)
{
	if (!disk->partition_count)
		line_add(line, "%s: ", _("Table"));
	write_table(disk, line);
}

static void add_identity(const struct disk *disk, struct line *line)
{
	const struct identity *identity = &disk->identity;

	line_add(line, "%s", identity->model[0] ? identity->model : _("unknown"));
	line_piece(line, "%s %s", _("S/N"), text_or_dash(identity->serial));
	if (identity->wwn[0])
		line_piece(line, "%s %s", _("WWN"), identity->wwn);
	if (disk->rotational != UNKNOWN)
		line_piece(line, "%s", disk->rotational == YES ? _("rotating") : _("not rotating"));
}

int disks_summary(const struct disk *disk, const struct disks_health *health,
		  struct line ret[static DISKS_SUMMARY_MAX])
{
	int count = 0;

	for (int row = 0; row < DISKS_SUMMARY_MAX; row++) {
		struct line *line = &ret[count];

		line_start(line, LINE_COLUMNS_MAX);
		switch (row) {
		case 0:
			add_identity(disk, line);
			break;
		case 1:
			line_add(line, _("%s B"), UNITS_COUNT(disk->identity.size));
			line_add(line, "  ");
			write_holds(disk, line);
			break;
		case 2:
			if (disk->silent)
				write_silent(disk, line);
			else if (health->known)
				write_health(health, line);
			break;
		default:
			write_use(disk, line);
		}
		count += line->columns > 0;
	}
	return count;
}

void disks_text_image(const struct endpoint *image, const struct disk *disk, struct line *line)
{
	if (!disk) {
		line_add(line, "%s",
			 image->exists ? _("What this file holds could not be read.")
				       : _("This file is made when the copy starts."));
		return;
	}
	line_add(line, _("%s B"), UNITS_COUNT(disk->identity.size));
	line_add(line, "  ");
	write_holds(disk, line);
}

void disks_text_holds(const struct disk *disk, struct line *line)
{
	struct line all;

	line_start(&all, LINE_COLUMNS_MAX);
	write_holds(disk, &all);
	line_fit(line, all.text);
}

static void everything_partitions(FILE *out, const struct disk *disk, enum units_scale scale)
{
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];
		char what[256];

		text_contents(p, what, sizeof(what));
		if (p->node[0])
			fprintf(out, "%s\t", text_base_name(p->node));
		else
			fprintf(out, "%u\t", p->number);
		fprintf(out, "%s  %s  %s\n\t",
			UNITS_SHORT(p->sectors * disk->identity.logical_sector_size, scale,
				    disk->identity.logical_sector_size),
			what, text_or_dash(p->type_name));
		fprintf(out, _("LBA %s, %s sectors"), UNITS_COUNT(p->start),
			UNITS_COUNT(p->sectors));
		if (p->name[0])
			fprintf(out, "  \"%s\"", p->name);
		if (p->uuid[0])
			fprintf(out, "  UUID %s", p->uuid);
		if (p->mountpoint[0])
			fprintf(out, _("  mounted on %s"), p->mountpoint);
		fputc('\n', out);
	}
}

char *disks_everything(const struct disk_list *list, const struct disk *disk,
		       const struct disks_health *health, enum units_scale scale)
{
	struct disks_detail details[DISKS_DETAILS_MAX];
	struct verdict verdict;
	const struct disks_row row = { .disk = disk };
	int count = disks_details(disk, health, details);
	struct text_stream text;
	char words[512];
	FILE *out = text_stream_begin(&text);

	if (!out)
		return NULL;
	for (int i = 0; i < count; i++)
		fprintf(out, "%s\t%s\n", details[i].label, details[i].text.text);
	fprintf(out, "%s\t%s\n", _("Cache"), disk_cache_words(disk, words, sizeof(words)));
	if (disk_sg_words(list, disk, words, sizeof(words))[0])
		fprintf(out, "sg\t%s\n", words);
	if (disk->by_id[0])
		fprintf(out, "by-id\t%s\n", disk->by_id);
	if (disk->hctl[0])
		fprintf(out, "HCTL\t%s\n", disk->hctl);
	if (disk->identity.diskseq)
		fprintf(out, "diskseq\t%" PRIu64 "\n", disk->identity.diskseq);
	if (disk->table_uuid[0])
		fprintf(out, "%s\t%s\n", _("Table UUID"), disk->table_uuid);
	if (disk->alignment_offset)
		fprintf(out, "%s\t%u B\n", _("Alignment offset"), (unsigned)disk->alignment_offset);
	if (disk->dma_alignment)
		fprintf(out, "%s\t%u B\n", _("DMA alignment"), (unsigned)disk->dma_alignment);
	if (disks_refuse(&row, true, &verdict))
		fprintf(out, "\n%s %s\n", _("Cannot be a destination:"), verdict.sentence);
	if (disk->partition_count)
		fputc('\n', out);
	everything_partitions(out, disk, scale);
	if (list->missing_count)
		fprintf(out, "\n%s\n", _("What could not be found out:"));
	for (size_t i = 0; i < list->missing_count; i++)
		fprintf(out, "%s\n", list->missing[i]);
	return text_stream_end(&text);
}

static bool same_serial(const struct disk *a, const struct disk *b)
{
	return a->identity.serial[0] && strcmp(a->identity.serial, b->identity.serial) == 0;
}

/* Rather one that has its serial number, too, as bridges invent them. */
static const struct disk *twin(const struct disks_model *model, const struct disk *disk)
{
	const struct disk *found = NULL;

	for (size_t i = 0; i < model->list->count; i++) {
		const struct disk *other = &model->list->disks[i];

		if (other != disk && disk->identity.model[0] &&
		    strcmp(other->identity.model, disk->identity.model) == 0 &&
		    (!found || same_serial(disk, other)))
			found = other;
	}
	return found;
}

/* The first chosen disk that looks like another one; *rettwin is that. */
static const struct disk *chosen_twin(const struct disks_model *model, const struct disk **rettwin)
{
	for (size_t i = 0; model->list && i < model->list->count; i++) {
		const struct disk *disk = &model->list->disks[i];

		if (!disk->shares_model || !(disks_lies_on(model->source, disk) ||
					     disks_lies_on(model->destination, disk)))
			continue;
		*rettwin = twin(model, disk);
		if (*rettwin)
			return disk;
	}
	return NULL;
}

static bool too_small(const struct endpoint *source, const struct endpoint *destination)
{
	return (destination->kind == ENDPOINT_DISK || destination->kind == ENDPOINT_PARTITION) &&
	       destination->size && destination->size < source->size;
}

#define PATH_MOST 32 /* of an image: what follows it in a sentence says what to do next */

/* Of a long path the end tells most. */
static const char *name_of(const struct endpoint *end, char buffer[static 4 * PATH_MOST + 1])
{
	if (text_width(end->node) <= PATH_MOST)
		return end->node;
	return text_fit_tail(buffer, 4 * PATH_MOST + 1, end->node, PATH_MOST);
}

void disks_text_choice(const struct disks_model *model, struct line *line)
{
	char names[2][4 * PATH_MOST + 1];
	const char *from = name_of(model->source, names[0]);
	const char *to = name_of(model->destination, names[1]);
	bool source = model->source->kind != ENDPOINT_NONE;
	bool destination = model->destination->kind != ENDPOINT_NONE;
	const struct disk *other, *disk = chosen_twin(model, &other);

	/* The second sentence repeats what the footer says, so it may be cut on a narrow screen. */
	if (disk) {
		line_add(line,
			 same_serial(disk, other)
				 ? _("%s and %s report the same serial number: check size and "
				     "connector.")
			 : disk->identity.serial[0] || other->identity.serial[0]
				 ? _("%s and %s are the same model: compare serial numbers.")
				 : _("%s and %s are the same model: check size and connector."),
			 disk->name, other->name);
		line_add(line, " %s",
			 source && destination ? _("Enter goes on.")
			 : source              ? _("Now d: destination.")
					       : _("Now s: source."));
	} else if (source && destination && too_small(model->source, model->destination)) {
		line_add(line, _("%s is smaller than %s by %s. Enter goes on to what fits."), to,
			 from,
			 UNITS_LONG(model->source->size - model->destination->size, UNITS_SI, 512));
	} else if (source && destination) {
		line_add(line, _("%s will be copied to %s. Enter goes on."), from, to);
	} else if (source) {
		line_add(line, _("Source is %s. Now choose the destination with d."), from);
	} else if (destination) {
		line_add(line, _("Destination is %s. Now choose the source with s."), to);
	} else {
		line_add(line, "%s", _("Choose a source with s and a destination with d."));
	}
}
