/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of screen 1 in columns, the detail panes in words. */
#include "model_disks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "layout.h"

static const char *or_dash(const char *text)
{
	return text[0] ? text : "-";
}

static const char *base_name(const char *node)
{
	const char *slash = strrchr(node, '/');

	return slash ? slash + 1 : node;
}

/* What is asked for through a character node: sg, or the generic node of NVMe. */
static const char *generic_node(const struct disk *disk)
{
	return or_dash(base_name(disk->sg[0] ? disk->sg : disk->nvme_generic));
}

static void sector_sizes(const struct disk *disk, char *buffer, size_t size)
{
	snprintf(buffer, size, "%" PRIu32 "/%" PRIu32, disk->identity.logical_sector_size,
		 disk->physical_sector_size);
}

static int wider(int width, const char *text, int limit)
{
	int wanted = text_width(text);

	if (wanted > limit)
		wanted = limit;
	return wanted > width ? wanted : width;
}

static void measure(const struct disks_model *model, struct disks_columns *c)
{
	char sizes[32];

	for (size_t i = 0; i < model->count; i++) {
		const struct disks_row *row = &model->rows[i];

		if (row->image) {
			continue;
		} else if (row->partition) {
			c->node = wider(c->node, base_name(row->partition->node), 10) + 1;
			continue;
		}
		c->node = wider(c->node, row->disk->name, 11);
		c->hctl = wider(c->hctl, row->disk->hctl, 10);
		c->sg = wider(c->sg, generic_node(row->disk), 7);
		c->transport = wider(c->transport, row->disk->transport, 6);
		if (row->disk->raw_count)
			c->raw = wider(c->raw, base_name(row->disk->raw[0]), 6);
		sector_sizes(row->disk, sizes, sizeof(sizes));
		c->sectors = wider(c->sectors, sizes, 11);
	}
}

void disks_columns(const struct disks_model *model, int cols, struct disks_columns *ret)
{
	struct disks_columns c = {
		.node = 7, .hctl = 8, .sg = 4, .size = 6, .transport = 4, .use = 4
	};
	bool wide = cols >= LAYOUT_WIDE_COLS;
	int left;

	measure(model, &c);
	c.sectors = wide ? (c.sectors > 7 ? c.sectors : 7) : 0;
	c.wwn = wide ? 20 : 0;
	left = cols - DISKS_NODE_COL - (c.node + 1) - (c.hctl + 1) - (c.sg + 1) -
	       (c.raw ? c.raw + 1 : 0) - (c.size + 2) - (c.sectors ? c.sectors + 2 : 0) -
	       (c.transport + 1) - (c.wwn ? c.wwn + 1 : 0) - (c.use + 1);
	/* Between model and serial; the serial is what tells two disks apart. */
	left -= 2;
	if (left < 2)
		left = 2;
	c.model = left / 2;
	c.serial = left - c.model;
	if (c.model > 28)
		c.model = 28;
	if (c.serial > 24)
		c.serial = 24;
	*ret = c;
}

static void put_column(struct line *line, int width, const char *text)
{
	if (!width)
		return;
	line_put(line, width, text);
	line_add(line, " ");
}

static void put_tail(struct line *line, int width, const char *text)
{
	if (!width)
		return;
	line_put_tail(line, width, text);
	line_add(line, " ");
}

static void put_right(struct line *line, int width, const char *text)
{
	if (!width)
		return;
	line_put_right(line, width, text);
	line_add(line, "  ");
}

void disks_text_heading(const struct disks_columns *c, struct line *line)
{
	line_to(line, DISKS_NODE_COL);
	put_column(line, c->node, _("NODE"));
	put_column(line, c->hctl, _("HCTL"));
	put_column(line, c->sg, _("SG"));
	put_column(line, c->raw, _("RAW"));
	put_right(line, c->size, _("SIZE"));
	put_right(line, c->sectors, _("LOG/PHY"));
	put_column(line, c->transport, _("TRAN"));
	put_column(line, c->model, _("MODEL"));
	put_column(line, c->serial, _("SERIAL"));
	put_column(line, c->wwn, _("WWN"));
	line_put(line, c->use, _("USE"));
}

/* Is a part of the disk, but not the disk itself, this end? */
static bool part_of(const struct endpoint *endpoint, const struct disks_row *row)
{
	return row->disk && !row->partition && endpoint->kind == ENDPOINT_PARTITION &&
	       disks_lies_on(endpoint, row->disk);
}

static void put_marks(const struct disks_model *model, size_t at, struct line *line,
		      enum role *retrole)
{
	const struct disks_row *row = &model->rows[at];
	char marks[] = "    ", reason[512];

	*retrole = ROLE_NORMAL;
	if (part_of(model->source, row))
		marks[0] = 's';
	if (part_of(model->destination, row))
		marks[1] = 'd';
	if (disks_is(model->source, row)) {
		marks[1] = 'S';
		*retrole = ROLE_SOURCE;
	} else if (disks_is(model->destination, row)) {
		marks[1] = 'D';
		*retrole = ROLE_DESTINATION;
	} else if (marks[1] == ' ' && disks_no_destination(row, reason, sizeof(reason))) {
		marks[1] = '!';
	}
	if (at == model->cursor)
		marks[2] = '>';
	line_add(line, "%s", marks);
}

static const char *size_text(uint64_t bytes, uint32_t sector_size, enum units_scale scale,
			     char buffer[static UNITS_TEXT_MAX])
{
	if (!bytes)
		return "-";
	return units_print_short(bytes, scale, sector_size ? sector_size : 512, buffer);
}

static void put_disk(const struct disk *disk, const struct disks_columns *c, enum units_scale scale,
		     struct line *line)
{
	char size[UNITS_TEXT_MAX], sectors[32], use[16];

	sector_sizes(disk, sectors, sizeof(sectors));
	put_column(line, c->node, disk->name);
	put_column(line, c->hctl, or_dash(disk->hctl));
	put_column(line, c->sg, generic_node(disk));
	put_column(line, c->raw, disk->raw_count ? base_name(disk->raw[0]) : "-");
	put_right(line, c->size,
		  size_text(disk->identity.size, disk->identity.logical_sector_size, scale, size));
	put_right(line, c->sectors, sectors);
	put_column(line, c->transport, or_dash(disk->transport));
	put_column(line, c->model, or_dash(disk->identity.model));
	put_tail(line, c->serial, or_dash(disk->identity.serial));
	put_tail(line, c->wwn, or_dash(disk->identity.wwn));
	line_put(line, c->use, use_letters(&disk->in_use, disk->read_only, use));
}

static void contents(const struct partition *p, char *buffer, size_t size)
{
	if (p->label[0])
		snprintf(buffer, size, "%s \"%s\"", or_dash(p->fs), p->label);
	else if (p->fs[0])
		snprintf(buffer, size, "%s", p->fs);
	else
		snprintf(buffer, size, "%s", or_dash(p->type_name));
}

static void put_partition(const struct disk *disk, const struct partition *p,
			  const struct disks_columns *c, enum units_scale scale, struct line *line)
{
	char size[UNITS_TEXT_MAX], text[256], use[16];
	uint64_t bytes = p->sectors * disk->identity.logical_sector_size;

	snprintf(text, sizeof(text), " %s", p->node[0] ? base_name(p->node) : "?");
	put_column(line, c->node, text);
	snprintf(text, sizeof(text), _("part %u"), p->number);
	put_column(line, c->hctl, text);
	put_column(line, c->sg, "");
	put_column(line, c->raw, "");
	put_right(line, c->size, size_text(bytes, disk->identity.logical_sector_size, scale, size));
	put_right(line, c->sectors, "");
	put_column(line, c->transport, "");
	contents(p, text, sizeof(text));
	put_column(line, c->model, text);
	put_tail(line, c->serial, or_dash(p->mountpoint));
	put_column(line, c->wwn, p->name);
	line_put(line, c->use, use_letters(&p->in_use, NO, use));
}

static void put_image(const struct endpoint *image, const struct disks_columns *c,
		      enum units_scale scale, struct line *line)
{
	char size[UNITS_TEXT_MAX];

	/* A path needs room: it takes the columns of what a file does not have. */
	put_tail(line, c->node + 1 + c->hctl + 1 + c->sg + (c->raw ? 1 + c->raw : 0), image->node);
	put_right(line, c->size, image->exists ? size_text(image->size, 512, scale, size) : "-");
	put_right(line, c->sectors, "");
	put_column(line, c->transport, _("file"));
	line_add(line, "%s", image->exists ? _("image file") : _("image file, to be created"));
}

void disks_text_row(const struct disks_model *model, size_t at, const struct disks_columns *columns,
		    enum units_scale scale, struct line *line, enum role *retrole)
{
	const struct disks_row *row = &model->rows[at];

	put_marks(model, at, line, retrole);
	if (row->image)
		put_image(row->image, columns, scale, line);
	else if (row->partition)
		put_partition(row->disk, row->partition, columns, scale, line);
	else
		put_disk(row->disk, columns, scale, line);
}

/* ---- details ---- */

struct writer {
	char *text;
	size_t size, length;
};

static void add(struct writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct writer *writer, const char *format, ...)
{
	va_list list;
	int wanted;

	if (writer->length >= writer->size)
		return;
	va_start(list, format);
	wanted = vsnprintf(writer->text + writer->length, writer->size - writer->length, format,
			   list);
	va_end(list);
	if (wanted > 0)
		writer->length += (size_t)wanted;
	if (writer->length >= writer->size)
		writer->length = writer->size - 1;
}

static void write_model(const struct disk *disk, struct writer *w)
{
	add(w, "%s", disk->identity.model[0] ? disk->identity.model : _("unknown"));
	if (disk->identity.firmware[0])
		add(w, _("   fw %s"), disk->identity.firmware);
	if (disk->rotational != UNKNOWN)
		add(w, "   %s", disk->rotational == YES ? _("rotating") : _("not rotating"));
	if (disk->removable == YES)
		add(w, "   %s", _("removable"));
	if (disk->driver[0])
		add(w, _("   driver %s"), disk->driver);
}

static void write_serial(const struct disk *disk, struct writer *w)
{
	add(w, "%s", disk->identity.serial[0] ? disk->identity.serial : _("none"));
	if (disk->shares_serial)
		add(w, "   %s", _("(another disk says the same!)"));
	add(w, _("   WWN %s"), disk->identity.wwn[0] ? disk->identity.wwn : _("none"));
}

static void write_size(const struct disk *disk, struct writer *w)
{
	char bytes[UNITS_TEXT_MAX], sectors[UNITS_TEXT_MAX];
	uint32_t logical = disk->identity.logical_sector_size;

	if (!disk->identity.size) {
		add(w, "%s", disk->medium_present == NO ? _("no medium") : "0 B");
		return;
	}
	add(w, _("%s B = %s sectors of %u (physical %u)"),
	    units_print_count(disk->identity.size, bytes),
	    units_print_count(disk_sectors(disk), sectors), (unsigned)logical,
	    (unsigned)disk->physical_sector_size);
}

static void write_nodes(const struct disk *disk, struct writer *w)
{
	add(w, "%s", disk->node);
	if (disk->sg[0])
		add(w, " %s", disk->sg);
	if (disk->bsg[0])
		add(w, " %s", disk->bsg);
	if (disk->nvme_generic[0])
		add(w, " %s", disk->nvme_generic);
	for (size_t i = 0; i < disk->raw_count; i++)
		add(w, " %s", disk->raw[i]);
	if (!disk->raw_count)
		add(w, " %s", _("raw: none"));
}

static void write_path(const struct disk *disk, struct writer *w)
{
	add(w, "%s", disk->path[0] ? disk->path : _("unknown"));
}

static void write_limits(const struct disk *disk, struct writer *w)
{
	if (disk->max_transfer)
		add(w, _("max transfer %u KiB"), (unsigned)(disk->max_transfer / 1024));
	if (disk->queue_depth)
		add(w, "%s%s %u", w->length ? ", " : "", _("queue depth"),
		    (unsigned)disk->queue_depth);
	if (!w->length)
		add(w, "%s", _("unknown"));
}

static void write_table(const struct disk *disk, struct writer *w)
{
	if (strcmp(disk->table, "?") == 0) {
		add(w, "%s", _("could not be read"));
		return;
	}
	if (!disk->table[0]) {
		add(w, "%s", _("none"));
		if (disk->whole_fs[0])
			add(w, _("; the whole disk is %s"), disk->whole_fs);
		if (disk->whole_label[0])
			add(w, " \"%s\"", disk->whole_label);
		return;
	}
	add(w, P_("%s, %zu partition", "%s, %zu partitions", disk->partition_count), disk->table,
	    disk->partition_count);
	for (size_t i = 0; i < disk->partition_count; i++) {
		char text[256];

		contents(&disk->partitions[i], text, sizeof(text));
		add(w, "%s %s", i ? "," : ":", text);
	}
}

static void write_use(const struct disk *disk, struct writer *w)
{
	static const char *const words[] = {
		[USE_MOUNT] = N_("mounted"),  [USE_SWAP] = N_("swap"),
		[USE_DM] = N_("volume"),      [USE_MD] = N_("array"),
		[USE_BCACHE] = N_("held by"), [USE_BOOT] = N_("running system"),
		[USE_LOOP] = N_("loop file"), [USE_EXCLUSIVE] = N_("held open"),
	};

	if (disk->read_only == YES)
		add(w, "%s", _("read-only"));
	if (!disk->in_use.count) {
		add(w, "%s%s", w->length ? ", " : "", _("no mount, no swap, no holder"));
		return;
	}
	for (size_t i = 0; i < disk->in_use.count; i++) {
		const struct use *use = &disk->in_use.items[i];

		add(w, "%s%s: %s%s%s", w->length ? ", " : "", base_name(use->node),
		    _(words[use->kind]), use->what[0] ? " " : "", use->what);
	}
}

static void write_notes(const struct disk *disk, struct writer *w)
{
	for (size_t i = 0; i < disk->note_count; i++)
		add(w, "%s%s", i ? " " : "", disk->notes[i].text);
}

static struct writer start(struct disks_detail *detail, const char *label)
{
	detail->label = label;
	detail->text[0] = '\0';
	return (struct writer){ detail->text, sizeof(detail->text), 0 };
}

static void write_health(const struct disks_health *health, struct writer *w)
{
	char text[480];

	if (health_is_known(health->known))
		add(w, "%s", health_print(health->known, text, sizeof(text)));
	else if (!health->asking)
		add(w, "%s", health->known->why[0] ? health->known->why : _("unknown"));
	if (health->asking)
		add(w, "%s%s", w->length ? "  " : "", _("(being asked)"));
}

int disks_details(const struct disk *disk, const struct disks_health *health,
		  struct disks_detail ret[static DISKS_DETAILS_MAX])
{
	struct writer w;
	int count = 0;

	w = start(&ret[count++], _("Model"));
	write_model(disk, &w);
	w = start(&ret[count++], _("Serial"));
	write_serial(disk, &w);
	w = start(&ret[count++], _("Size"));
	write_size(disk, &w);
	w = start(&ret[count++], _("Nodes"));
	write_nodes(disk, &w);
	w = start(&ret[count++], _("Path"));
	write_path(disk, &w);
	w = start(&ret[count++], _("In use"));
	write_use(disk, &w);
	w = start(&ret[count++], _("Table"));
	write_table(disk, &w);
	if (health->known) {
		w = start(&ret[count++], _("Health"));
		write_health(health, &w);
	}
	if (disk->note_count) {
		w = start(&ret[count++], _("Notes"));
		write_notes(disk, &w);
	}
	w = start(&ret[count++], _("Limits"));
	write_limits(disk, &w);
	return count;
}

static void everything_partitions(FILE *out, const struct disk *disk, enum units_scale scale)
{
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];
		char first[UNITS_TEXT_MAX], count[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];
		char what[256];

		contents(p, what, sizeof(what));
		fprintf(out, _("%u  LBA %s, %s sectors, %s  %s\n"), p->number,
			units_print_count(p->start, first), units_print_count(p->sectors, count),
			units_print_short(p->sectors * disk->identity.logical_sector_size, scale,
					  disk->identity.logical_sector_size, size),
			what);
		fprintf(out, "   %s  %s", or_dash(p->type_name), p->node);
		if (p->name[0])
			fprintf(out, "  \"%s\"", p->name);
		if (p->uuid[0])
			fprintf(out, "  UUID %s", p->uuid);
		if (p->mountpoint[0])
			fprintf(out, _("  mounted on %s"), p->mountpoint);
		fputc('\n', out);
	}
}

static const char *yes_or_no(enum tristate value)
{
	return value == UNKNOWN ? _("unknown") : value == YES ? _("yes") : _("no");
}

static void everything_abilities(FILE *out, const struct disk_list *list, const struct disk *disk)
{
	const char *cache = disk->write_cache == UNKNOWN ? _("unknown")
			    : disk->write_cache == YES   ? _("writes are cached until a flush")
							 : _("writes are on the medium when done");
	const char *direct =
		list->sg_direct == UNKNOWN ? _("unknown")
		: list->sg_direct == YES
			? _("allowed")
			: _("not allowed (echo 1 > /sys/module/sg/parameters/allow_dio)");

	fprintf(out, "%s: ", _("Cache"));
	fprintf(out, _("%s; unmap %s, write zeroes %s"), cache, yes_or_no(disk->unmap),
		yes_or_no(disk->zeroes));
	if (list->sg_driver[0] && disk->sg[0]) {
		fputs("\nsg: ", out);
		fprintf(out, _("driver %s, direct IO %s"), list->sg_driver, direct);
	}
	fputc('\n', out);
}

char *disks_everything(const struct disk_list *list, const struct disk *disk,
		       const struct disks_health *health, enum units_scale scale)
{
	struct disks_detail details[DISKS_DETAILS_MAX];
	char *text = NULL, reason[512];
	const struct disks_row row = { .disk = disk };
	size_t size;
	int count = disks_details(disk, health, details);
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < count; i++)
		fprintf(out, "%s: %s\n", details[i].label, details[i].text);
	everything_abilities(out, list, disk);
	if (disk->by_id[0])
		fprintf(out, "by-id: %s\n", disk->by_id);
	if (disk->hctl[0])
		fprintf(out, "HCTL: %s\n", disk->hctl);
	if (disk->identity.diskseq)
		fprintf(out, "diskseq: %" PRIu64 "\n", disk->identity.diskseq);
	if (disk->table_uuid[0])
		fprintf(out, _("Table UUID: %s\n"), disk->table_uuid);
	if (disk->alignment_offset)
		fprintf(out, _("Alignment offset: %u B\n"), (unsigned)disk->alignment_offset);
	if (disk->dma_alignment)
		fprintf(out, _("DMA alignment: %u B\n"), (unsigned)disk->dma_alignment);
	if (disks_no_destination(&row, reason, sizeof(reason)))
		fprintf(out, "\n%s\n", reason);
	if (disk->partition_count)
		fputc('\n', out);
	everything_partitions(out, disk, scale);
	if (list->missing_count)
		fprintf(out, "\n%s\n", _("What could not be found out:"));
	for (size_t i = 0; i < list->missing_count; i++)
		fprintf(out, "%s\n", list->missing[i]);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static const struct disk *twin(const struct disks_model *model, const struct disk *disk)
{
	for (size_t i = 0; i < model->list->count; i++) {
		const struct disk *other = &model->list->disks[i];

		if (other != disk && disk->identity.model[0] &&
		    strcmp(other->identity.model, disk->identity.model) == 0)
			return other;
	}
	return NULL;
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

void disks_text_choice(const struct disks_model *model, char *buffer, size_t size)
{
	struct writer w = { buffer, size, 0 };
	bool source = model->source->kind != ENDPOINT_NONE;
	bool destination = model->destination->kind != ENDPOINT_NONE;
	const struct disk *other, *disk = chosen_twin(model, &other);

	*buffer = '\0';
	/* What may be cut on a narrow screen is what the keys say, too. */
	if (disk) {
		add(&w, _("%s and %s are the same model: compare serial numbers."), disk->name,
		    other->name);
		add(&w, " %s",
		    source && destination ? _("Enter goes on.")
		    : source              ? _("Now d: destination.")
					  : _("Now s: source."));
	} else if (source && destination) {
		add(&w, _("%s will be copied to %s. Enter goes on."), model->source->node,
		    model->destination->node);
	} else if (source) {
		add(&w, _("Source is %s. Now choose the destination with d."), model->source->node);
	} else if (destination) {
		add(&w, _("Destination is %s. Now choose the source with s."),
		    model->destination->node);
	} else {
		add(&w, "%s", _("Choose a source with s and a destination with d."));
	}
}
