/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the copy is to differ from its source: the table, and the identifiers. */
#include <stdio.h>
#include <string.h>

#include "after/after.h"
#include "base/i18n.h"
#include "base/text.h"

#include "ui/plan/model.h"

/* ---- the table ---- */

static void add_resized(const struct plan *plan, unsigned number, uint64_t before, uint64_t after,
			enum units_scale scale, struct line *line)
{
	char from[UNITS_TEXT_MAX], to[UNITS_TEXT_MAX];

	units_print_short(before * plan->sector_size, scale, plan->sector_size, from);
	units_print_short(after * plan->sector_size, scale, plan->sector_size, to);
	line_add(line,
		 after > before ? _("; %u grows from %s to %s") : _("; %u is cut from %s to %s"),
		 number, from, to);
}

/* "; 3, 4, 5 move" */
static void add_moved(const struct fitted *fitted, struct line *line)
{
	size_t count = 0;

	for (size_t i = 0; i < fitted->part_count; i++) {
		if (fitted->parts[i].to == fitted->parts[i].start)
			continue;
		line_add(line, count++ ? ", %u" : "; %u", fitted->parts[i].number);
	}
	if (count)
		line_add(line, "%s", P_(" moves", " move", count));
}

static void add_fitted(const struct plan *plan, enum units_scale scale, struct line *line)
{
	const struct fitted *fitted = &plan->fitted;

	line_add(line, "%s", _("made to fit"));
	if (fitted->grown && !fitted_find(fitted, fitted->grown))
		add_resized(plan, fitted->grown, fitted->before, fitted->after, scale, line);
	for (size_t i = 0; i < fitted->part_count; i++) {
		const struct fitted_part *part = &fitted->parts[i];

		if (part->size != part->sectors)
			add_resized(plan, part->number, part->sectors, part->size, scale, line);
	}
	add_moved(fitted, line);
}

void plan_text_layout(const struct plan *plan, bool offered, bool done, enum units_scale scale,
		      struct line *line)
{
	plan_text_label(_("TABLE"), line);
	if (plan->options.table != TABLE_KEEP)
		add_fitted(plan, scale, line);
	else
		line_add(line, "%s", _("as on the source, for a disk of that size"));
	line_mark_cut(line);
	if (offered)
		line_piece(line, "%s", _("t=fit"));
	if (!done)
		line_piece(line, "%s", _("l=layout"));
}

/* ---- the identifiers ---- */

size_t plan_ids_stuck(const struct identifiers *shared)
{
	struct identity_way way;
	size_t count = 0;

	for (size_t i = 0; i < shared->count; i++) {
		after_identity_way(shared, i, &way);
		count += way.missing ||
			 (!way.tool[0] && shared->items[i].kind != IDENTIFIER_PARTITION);
	}
	return count;
}

void plan_text_ids(const struct plan_options *options, const struct identifiers *shared, bool done,
		   struct line *line)
{
	size_t stuck = options->identities == IDENTITIES_KEEP ? 0 : plan_ids_stuck(shared);

	plan_text_label(_("IDS"), line);
	if (options->identities == IDENTITIES_KEEP)
		line_add(line, "%s", _("the same on both: unplug one before the next start"));
	else if (shared->hidden)
		line_add(line, "%s", _("new; if the system is in LUKS, RAID or LVM, mostly kept"));
	else if (stuck)
		line_add(line,
			 P_("new on the copy, but for %zu that stays the same",
			    "new on the copy, but for %zu that stay the same", stuck),
			 stuck);
	else if (options->identities == IDENTITIES_NEW)
		line_add(line, "%s", _("new on the copy; its files still name the old ones"));
	else
		line_add(line, "%s", _("new on the copy, and in its files that name them"));
	line_mark_cut(line);
	if (!done)
		line_piece(line, "%s", _("i=which"));
}

/* What of a system names this identifier; "": nothing that is known. */
static const char *named_by(const struct identifiers *shared, size_t index)
{
	const struct identifier *item = &shared->items[index];
	bool windows = false;

	for (size_t i = 0; i < shared->count; i++)
		windows |= strcmp(shared->items[i].fs, "ntfs") == 0 ||
			   strcmp(shared->items[i].fs, "BitLocker") == 0;
	if (item->kind == IDENTIFIER_TABLE)
		return windows ? _("a Windows on it needs bcdboot then") : "";
	if (item->kind == IDENTIFIER_PARTITION)
		return _("root=PARTUUID= and boot entries name it");
	if (item->kind == IDENTIFIER_GROUP)
		return _("kept where GRUB for a BIOS may need it");
	if (strcmp(item->fs, "crypto_LUKS") == 0)
		return _("crypttab names it");
	if (strcmp(item->fs, "swap") == 0)
		return _("fstab and resume= name it");
	if (strcmp(item->fs, "ntfs") == 0 || strcmp(item->fs, "LVM2_member") == 0)
		return "";
	return strcmp(item->fs, "vfat") == 0 ? _("fstab names it") : _("fstab and GRUB name it");
}

static void print_name(const struct identifiers *shared, size_t index, FILE *file)
{
	const struct identifier *item = &shared->items[index];

	if (item->kind == IDENTIFIER_TABLE)
		fputs(strcmp(item->fs, "gpt") == 0 ? _("disk GUID") : _("disk signature"), file);
	else
		fprintf(file, "%u %s", item->partition,
			item->kind == IDENTIFIER_PARTITION ? "PARTUUID"
			: item->fs[0]                      ? item->fs
							   : "UUID");
	if (item->volume[0])
		fprintf(file, " %s", item->volume);
	fprintf(file, " %s", item->value);
	if (item->label[0])
		fprintf(file, " \"%s\"", item->label);
}

static void print_one(const struct identifiers *shared, size_t index, FILE *file)
{
	const char *names = named_by(shared, index);
	struct identity_way way;
	bool said = false;

	/* Once is enough. */
	for (size_t i = 0; i < index; i++)
		said |= strcmp(named_by(shared, i), names) == 0;
	after_identity_way(shared, index, &way);
	print_name(shared, index, file);
	fputs("\n   ", file);
	if (!way.tool[0])
		fprintf(file, "%s", way.why);
	else if (way.missing)
		fprintf(file, _("cannot be new: %s is not installed"), way.tool);
	else
		fprintf(file, _("new by %s"), way.tool);
	if (way.tool[0] && !way.missing && !said && names[0])
		fprintf(file, "; %s", names);
	fputc('\n', file);
}

char *plan_ids_everything(const struct plan_options *options, const struct identifiers *shared)
{
	struct text_stream text;
	FILE *file = text_stream_begin(&text);

	if (!file)
		return NULL;
	fputs(options->identities == IDENTITIES_KEEP
		      ? _("Both disks will have the same IDs. Unplug one before the next start: "
			  "with "
			  "both, a system may start from, or mount, either.")
	      : options->identities == IDENTITIES_NEW
		      ? _("Once it is verified, the copy gets new IDs. Its files still name the "
			  "old "
			  "ones: it may not start before they are changed.")
		      : _("Once it is verified, the copy gets new IDs, also in its fstab, "
			  "crypttab, "
			  "GRUB and boot entries."),
	      file);
	if (shared->hidden && options->identities != IDENTITIES_KEEP)
		fputs(_(" If no fstab is found outside of what is closed (LUKS, RAID, LVM), the "
			"system is in it, and may name each of them: then all but a disk GUID stay "
			"the same, the copy starts alone, and both disks must never meet in one "
			"machine."),
		      file);
	fputs(_("\nTo replace this disk, keep them. For a second machine, take new ones.\n\n"),
	      file);
	for (size_t i = 0; i < shared->count; i++)
		print_one(shared, i, file);
	if (shared->more) {
		fprintf(file, _("and %zu more"), shared->more);
		fputc('\n', file);
	}
	return text_stream_end(&text);
}
