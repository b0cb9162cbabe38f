/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the copy destroys on its destination: all of it in one line, and one partition a line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/plan/model.h"

#define LABEL_LEAST     6 /* columns */
#define LOST_LABEL_COLS 24

/* The largest of those that are smaller than `than`, or as large and behind it. */
static size_t next_largest(const struct lost *lost, size_t count, size_t than)
{
	uint64_t most = than < count ? lost[than].partition->sectors : UINT64_MAX;
	size_t best = count;

	for (size_t i = 0; i < count; i++) {
		uint64_t size = lost[i].partition->sectors;
		bool left = size < most || (size == most && i > than);

		if (left && (best == count || size > lost[best].partition->sectors))
			best = i;
	}
	return best;
}

/* "Windows" ntfs 1.99T */
static void name_lost(const struct lost *lost, uint32_t sector_size, enum units_scale scale,
		      struct line *line)
{
	const struct partition *partition = lost->partition;
	const char *label = partition->label[0] ? partition->label : partition->name;
	char size[UNITS_TEXT_MAX], shown[4 * LOST_LABEL_COLS + 1], fs[LINE_FS_MAX];
	/* Where nothing is known inside, what the table calls it. */
	const char *what =
		partition->fs[0] ? line_short_fs(partition->fs, fs) : partition->type_name;

	units_print_short(partition->sectors * sector_size, scale, sector_size, size);
	text_fit(shown, sizeof(shown), label,
		 text_width(label) < LOST_LABEL_COLS ? text_width(label) : LOST_LABEL_COLS);
	if (label[0])
		line_add(line, "\"%s\" ", shown);
	else if (partition->node[0])
		line_add(line, "%s ", node_short(partition->node));
	else
		line_add(line, "%u ", partition->number);
	line_add(line, "%s%s%s%s", what, what[0] ? " " : "", size,
		 lost->how == LOST_PARTLY       ? _(" (partly)")
		 : lost->how == LOST_FROM_TABLE ? _(" (its entry)")
						: "");
}

static void name_all_lost(const struct lost *lost, size_t count, uint32_t sector_size,
			  enum units_scale scale, struct line *line)
{
	size_t at = count;

	for (size_t shown = 0; shown < count; shown++) {
		char more[64] = "";
		struct line one;

		at = next_largest(lost, count, at);
		line_start(&one, LINE_COLUMNS_MAX);
		name_lost(&lost[at], sector_size, scale, &one);
		if (shown + 1 < count)
			snprintf(more, sizeof(more), _(", %zu more"), count - shown - 1);
		if (line->columns + 2 + one.columns + text_width(more) > line->limit - 1 && shown) {
			line_add(line, _(", %zu more"), count - shown);
			return;
		}
		line_add(line, "%s", shown ? ", " : "");
		line_fit(line, one.text);
	}
}

void plan_text_losses(const struct disk *disk, const struct lost *lost, size_t count, bool resumes,
		      enum units_scale scale, struct line *line)
{
	uint32_t sector_size = disk ? disk->identity.logical_sector_size : 512;
	uint64_t sectors = 0;

	plan_text_label(_("LOST"), line);
	for (size_t i = 0; i < count; i++)
		sectors += lost[i].partition->sectors;
	if (count) {
		line_add(line, P_("%zu partition, %s: ", "%zu partitions, %s: ", count), count,
			 UNITS_LONG(sectors * sector_size, scale, sector_size));
		name_all_lost(lost, count, sector_size, scale, line);
	} else if (!disk || strcmp(disk->table, "?") == 0) {
		line_add(line, "%s", _("what it holds is not known"));
	} else if (disk->whole_fs[0]) {
		line_add(line, "%s", disk->whole_fs);
		if (disk->whole_label[0])
			line_add(line, " \"%s\"", disk->whole_label);
		line_add(line, "%s", _(", without a partition table"));
	} else if (resumes) {
		line_add(line, "%s", _("nothing but the half-made copy, which goes on"));
	} else if (!disk->partition_count) {
		line_add(line, "%s", _("no file system is known there"));
	} else {
		line_add(line, "%s", _("no partition: only places that are in none"));
	}
}

/* In full, or in so few columns. */
static const char *lost_text(enum lost_how how, int room)
{
	const char *full;

	switch (how) {
	case LOST_PARTLY:
		full = _("partly overwritten");
		return text_width(full) <= room ? full : _("partly");
	case LOST_FROM_TABLE:
		full = _("its table entry vanishes");
		return text_width(full) <= room ? full : _("entry only");
	case LOST_OVERWRITTEN:
		break;
	}
	return _("overwritten");
}

void plan_text_lost(const struct lost *lost, uint32_t sector_size, enum units_scale scale,
		    struct line *line)
{
	const struct partition *partition = lost->partition;
	char first[24], last[24], size[UNITS_TEXT_MAX], name[32];
	const char *label = partition->label[0] ? partition->label : partition->name;
	const char *how;
	/* On a narrow screen the addresses give way to the name. */
	bool addresses = line->limit >= 70;
	int fs, room, node;

	snprintf(first, sizeof(first), "%" PRIu64, partition->start);
	snprintf(last, sizeof(last), "%" PRIu64,
		 partition->sectors ? partition->start + partition->sectors - 1 : 0);
	units_print_short(partition->sectors * sector_size, scale, sector_size, size);
	snprintf(name, sizeof(name), _("number %u"), partition->number);
	fs = line->limit > 90 ? 11 : 7;
	room = line->limit - 1 - (2 + 10 + (addresses ? 12 + 2 + 12 : 0) + 8 + 1 + fs + 1 + 1);
	/* People know a partition by its label: it gets the room that is left. */
	how = lost_text(lost->how, room - LABEL_LEAST);
	room -= text_width(how);
	room = room < LABEL_LEAST ? LABEL_LEAST : room > 24 ? 24 : room;

	line_put(line, 2, "");
	if (partition->node[0])
		text_copy(name, sizeof(name), node_short(partition->node));
	/* "nvme0n1p128" takes what the number beside it leaves. */
	node = text_width(name) <= 10 || !addresses ? 10 : text_width(first) < 10 ? 12 : 11;
	line_put(line, node, name);
	if (addresses) {
		line_put_right(line, 22 - node, first);
		line_put(line, 2, " -");
		line_put_right(line, 12, last);
	}
	line_put_right(line, 8, size);
	line_put(line, 1, "");
	line_put_fs(line, fs, partition->fs);
	line_put(line, 1, "");
	line_put(line, room, text_or_dash(label));
	line_put(line, 1, "");
	line_add(line, "%s", how);
}
