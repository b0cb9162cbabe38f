/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk in words: the detail panes of screen 1, and which disks are chosen. */
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/disks/model.h"

/* Where no partitions follow, with what the word is about. */
static void write_holds(const struct disk *disk, struct line *line)
{
	char text[DISK_FACT_MAX];

	if (!disk->partition_count)
		line_add(line, "%s: ", _("Table"));
	line_add(line, "%s", disk_table_words(disk, text));
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

int disks_summary(const struct disk *disk, const struct disk_health *health,
		  struct line ret[static DISKS_SUMMARY_MAX])
{
	char text[DISK_FACT_MAX];
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
			line_add(line, "%s",
				 disk->silent ? disk_state_words(disk)
					      : disk_health_words(health, text));
			break;
		default:
			line_add(line, "%s", disk_use_words(disk, text));
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
	write_holds(disk, line);
	line_mark_cut(line);
}

static void everything_partitions(FILE *out, const struct disk *disk, enum units_scale scale)
{
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];
		char what[256];

		partition_words(p, what, sizeof(what));
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
		       const struct disk_health *health, enum units_scale scale)
{
	const struct disks_row row = { .disk = disk };
	struct verdict verdict;
	struct text_stream text;
	struct disk_facts facts;
	FILE *out = text_stream_begin(&text);

	if (!out)
		return NULL;
	disk_describe(list, disk, health, &facts);
	for (size_t i = 0; i < facts.count; i++)
		fprintf(out, "%s\t%s\n", facts.facts[i].label, facts.facts[i].text);
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
	return endpoint_is_device(destination) && destination->size &&
	       destination->size < source->size;
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
