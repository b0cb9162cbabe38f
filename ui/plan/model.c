/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plan/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"
#include "plan/preset.h"

#include "ui/core/layout.h"
#include "ui/plan/options.h"

/* The serial's tail, and behind it the WWN where there is room for both. */
static void put_serial(struct line *line, const struct identity *identity, int width)
{
	const char *serial = text_or_dash(identity->serial);
	int wwn = identity->wwn[0] ? text_width(_("WWN")) + text_width(identity->wwn) + 3 : 0;

	if (line->limit < LAYOUT_WIDE_COLS || !wwn || text_width(serial) + wwn > width) {
		line_put_tail(line, width, serial);
		return;
	}
	line_put_tail(line, width - wwn < 20 ? width - wwn : 20, serial);
	line_add(line, "  %s %s", _("WWN"), identity->wwn);
}

/* Of `left` columns, those of the model: both ends have the same, so that they stand in columns. */
static int model_cols(const struct plan *plan, int left)
{
	int usual = left * 2 / 5 > 24 ? 24 : left * 2 / 5, models = 0, serials = 1;

	for (int i = 0; i < 2; i++) {
		const struct identity *identity =
			i ? &plan->destinations[0].identity : &plan->source.identity;

		if (text_width(identity->model) > models)
			models = text_width(identity->model);
		if (text_width(identity->serial) > serials)
			serials = text_width(identity->serial);
	}
	/* Columns that no serial number needs. */
	left -= text_width(_("S/N")) + 3 + serials;
	return models <= usual || left <= usual ? usual : models < left ? models : left;
}

void plan_text_label(const char *label, struct line *line)
{
	line_put(line, 1, "");
	line_put(line, 7, label);
	line_put(line, 1, "");
}

/* Both ends have their models below each other. */
static int name_cols(const struct plan *plan, int most)
{
	int source = text_width(node_short(plan->source.node));
	int destination = text_width(node_short(plan->destinations[0].node));
	int wanted = source > destination ? source : destination;

	return wanted < most ? wanted : most;
}

/* Of the longer one of both sizes: what stands before it is in columns, too. */
static int size_cols(const struct plan *plan)
{
	int most = 0;

	for (int i = 0; i < 2; i++) {
		const struct endpoint *end = i ? &plan->destinations[0] : &plan->source;
		int cols = text_width(UNITS_COUNT(end->size)) + 2;

		most = cols > most ? cols : most;
	}
	return most;
}

static void text_end(const struct plan *plan, const char *label, const struct endpoint *end,
		     struct line *line)
{
	char size[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX + 4], path[3 * sizeof(end->node)];
	int wide;

	units_print_count(end->size, size);
	if (end->exists || end->size)
		snprintf(bytes, sizeof(bytes), _("%s B"), size);
	else
		snprintf(bytes, sizeof(bytes), "%s", _("new file"));
	/* On a narrow screen, what tells two disks apart comes first. */
	if (line->limit < 60)
		bytes[0] = '\0';
	wide = text_width(bytes);
	if (wide && end->kind != ENDPOINT_IMAGE && wide < size_cols(plan))
		wide = size_cols(plan);

	plan_text_label(label, line);
	if (end->kind == ENDPOINT_IMAGE) {
		line_add(line, "%s ", _("image"));
		/* The user has to type exactly this. */
		endpoint_typeable(end->node, path, sizeof(path));
		line_put_tail(line, line->limit - line->columns - wide - 2, path);
	} else {
		/* The name, the model's head and the serial's tail share what the size leaves. */
		int name = wide ? 9 : name_cols(plan, 7);
		int left = line->limit - line->columns - wide - 2 - name;
		int model = model_cols(plan, left);

		line_put(line, name, node_short(end->node));
		line_put(line, 1, "");
		line_put_marked(line, model, text_or_dash(end->identity.model));
		line_add(line, " %s ", _("S/N"));
		put_serial(line, &end->identity, line->limit - line->columns - wide - 2);
	}
	line_put_right(line, line->limit - line->columns - 1, bytes);
}

void plan_text_source(const struct plan *plan, struct line *line)
{
	text_end(plan, _("SOURCE"), &plan->source, line);
}

bool plan_erases(const struct plan *plan)
{
	return plan->destinations[0].exists || plan->destinations[0].kind != ENDPOINT_IMAGE;
}

void plan_text_destination(const struct plan *plan, bool erases, struct line *line)
{
	struct endpoint end = plan->destinations[0];

	if (!end.exists && end.kind == ENDPOINT_IMAGE)
		end.size = 0;
	text_end(plan, erases ? _("ERASE") : _("DEST"), &end, line);
}

static const char *whole_name(enum endpoint_kind kind)
{
	switch (kind) {
	case ENDPOINT_PARTITION:
		return _("whole partition");
	case ENDPOINT_IMAGE:
		return _("whole image");
	case ENDPOINT_NONE:
	case ENDPOINT_DISK:
		break;
	}
	return _("whole disk");
}

void plan_text_copy(const struct plan *plan, size_t held, uint64_t finished, struct line *line)
{
	char count[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];
	const struct extent *first = plan->extents;

	plan_text_label(_("COPY"), line);
	units_print_count(plan->total_sectors, count);
	units_print_long(plan_bytes(plan), UNITS_SI, plan->sector_size, size);
	if (plan->options.table != TABLE_KEEP)
		line_add(line, "%s, %s", whole_name(plan->source.kind), size);
	else if (plan->whole && plan->extent_count == 1)
		line_add(line, _("%s, LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64 ", %s"),
			 whole_name(plan->source.kind), first->source_lba,
			 first->source_lba + first->sectors - 1, first->destination_lba, size);
	else if (plan->extent_count == 1)
		line_add(line, _("LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64 ", %s sectors, %s"),
			 first->source_lba, first->source_lba + first->sectors - 1,
			 first->destination_lba, count, size);
	else if (plan->extent_count)
		line_add(line,
			 _("%zu extents, %s sectors, %s, first LBA %" PRIu64 " -> LBA %" PRIu64),
			 plan->extent_count, count, size, first->source_lba,
			 first->destination_lba);
	if (plan_left_out(plan))
		line_add(
			line, _(", %s free left out"),
			units_print_long(plan_free_bytes(plan), UNITS_SI, plan->sector_size, size));
	if (plan_later(plan))
		line_add(line, _(", free places last"));
	if (finished)
		line_add(line, _(", %s finished before"),
			 units_print_long(finished, UNITS_SI, plan->sector_size, size));
	else if (held)
		line_add(line, P_(", %zu area written last", ", %zu areas written last", held),
			 held);
	line_mark_cut(line);
}

/* What was asked for by name; what was not is measured and chosen when the copy starts. */
static void text_engine(const struct plan_options *options, struct line *line)
{
	bool backends = options->source_backend != BACKEND_AUTO ||
			options->destination_backend != BACKEND_AUTO;
	bool all = options->lanes && options->queue_depth && options->chunk && backends;
	char chunk[UNITS_TEXT_MAX], text[PLAN_OPTION_TEXT_MAX], other[PLAN_OPTION_TEXT_MAX];

	if (options->lanes)
		line_add(line, _("threads %u "), options->lanes);
	if (options->queue_depth)
		line_add(line, _("depth %u "), options->queue_depth);
	if (options->chunk)
		line_add(line, _("chunk %s "),
			 options_print_size(options->chunk, chunk, sizeof(chunk)));
	if (options->sg_data != SG_DATA_DIRECT)
		line_add(line, _("sg %s "), plan_option_print(options, PLAN_OPTION_SG_IO, text));
	if (options->sg_fua)
		line_add(line, "FUA ");
	if (options->sg_dpo)
		line_add(line, "DPO ");
	if (backends)
		line_add(line, "%s>%s",
			 plan_option_print(options, PLAN_OPTION_SOURCE_BACKEND, text),
			 plan_option_print(options, PLAN_OPTION_DESTINATION_BACKEND, other));
	if (!all)
		line_add(line, "%s",
			 backends            ? _(" rest chosen at the start")
			 : line->columns > 9 ? _("engine auto")
					     : _("engine chosen at the start"));
}

/* By the names that the command line has for them. */
static void text_rescue(const struct plan_options *options, struct line *line)
{
	const struct plan_options usual = PLAN_OPTIONS_DEFAULT;
	char value[PLAN_OPTION_TEXT_MAX], default_value[PLAN_OPTION_TEXT_MAX];

	for (enum plan_option i = PLAN_OPTION_ON_WRITE_ERROR; i <= PLAN_OPTION_MAX_NO_READ; i++) {
		const char *text = plan_option_print(options, i, value);

		if (strcmp(text, plan_option_print(&usual, i, default_value)) != 0)
			line_add(line, "%s %s; ", plan_option_name(i), text);
	}
}

bool plan_verifies_meanwhile(const struct plan_options *options, enum rolling_how rolling)
{
	/* Reading back beside the copy uses spare time only; below a rate limit it takes none from
	 * the copy. */
	return rolling == ROLLING_ASKED || (rolling == ROLLING_SPARE && !options->rate);
}

void plan_text_options(const struct plan_options *options, enum rolling_how rolling,
		       struct line *line)
{
	char rate[UNITS_TEXT_MAX], sums[CHECKSUMS_TEXT_MAX];
	bool meanwhile = plan_verifies_meanwhile(options, rolling);

	plan_text_label(_("OPTIONS"), line);
	/* Unusual options come first, since the end of the line may be cut. */
	if (options->rate)
		line_add(line, _("at most %s; "), units_print_rate((double)options->rate, rate));
	if (options->verify == VERIFY_OFF)
		line_add(line, "%s", _("not read back; "));
	else if (options->verify == VERIFY_COMPARE)
		line_add(line, "%s", _("both ends compared; "));
	if (options->checksums)
		line_add(line, "%s; ", checksums_print(options->checksums, sums));
	text_rescue(options, line);
	text_engine(options, line);
	line_add(line,
		 options->on_error == ON_ERROR_MAP ? _("; errors: retry %u, map")
						   : _("; errors: retry %u, stop"),
		 options->retries);
	if (verifies_digests(options->verify))
		line_add(line, "%s", meanwhile ? _("; read back meanwhile") : _("; read back"));
	line_mark_cut(line);
}

void plan_text_preset(const struct plan_options *options, const char *offer, bool done,
		      struct line *line)
{
	plan_text_label(_("PRESET"), line);
	if (offer)
		line_add(line, _("%s. %s: Ctrl-P takes the preset %s"),
			 preset_title(options->preset), offer, preset_title(PRESET_FAILING));
	else
		line_add(line, "%s: %s", preset_title(options->preset),
			 preset_summary(options->preset));
	line_mark_cut(line);
	if (!offer && !done)
		line_piece(line, "%s", _("Ctrl-P=next"));
}

/* What was typed so far is right: says how much is missing. */
static void text_typed(const struct gate *gate, struct line *line)
{
	int typed = text_width(gate->typed.text), all = text_width(gate->token);

	if (!gate->typing)
		line_add(line, "%s", _(" TO START: press Tab, type what is asked for, then Enter"));
	else if (!typed)
		line_add(line, "%s", _(" TO START: type what is asked for, then Enter"));
	else if (typed < all)
		line_add(line, _(" TO START: %d of %d characters are right so far"), typed, all);
	else
		line_add(line, "%s", _(" TO START: it matches. Enter starts to write"));
}

void plan_text_start(const struct gate *gate, bool shrinks, struct line *line)
{
	const struct gate_refusals found = gate_refusals(gate);

	if (gate_refused(gate)) {
		line_add(
			line, "%s",
			found.may_pass
				? _(" REFUSED: it is in use at this moment. Enter looks again.")
			: shrinks && found.only_too_small
				? _(" REFUSED: it does not fit. s shrinks what is too large, in an "
				    "image.")
			: found.only_fit && found.fits_with_table
				? _(" REFUSED: it does not fit. t makes table and partitions fit.")
			: found.only_fit && found.fits
				? _(" REFUSED: it does not fit. f takes the range that does.")
			: found.all_liftable ? _(" REFUSED: choose anew on 1 or 2, or lift the "
						 "check by its name: a.")
					     : _(" REFUSED: this plan cannot be started. Change "
						 "the choice on 1 or 2."));
		return;
	}
	if (gate->typed.text[0] && !gate_matches(gate)) {
		line_add(line, "%s",
			 _(" DOES NOT MATCH: Backspace or Ctrl-U takes it away, then type it "
			   "again"));
		return;
	}
	text_typed(gate, line);
}

/* ---- the list ---- */

/* Without memory, the list ends there. */
static void lines_add(struct plan_lines *lines, struct plan_line add)
{
	if (array_reserve(lines->items, lines->capacity, lines->count + 1) == 0)
		lines->items[lines->count++] = add;
}

static void add_open(struct plan_lines *lines, const char *sentence, size_t verdict, int room)
{
	size_t start = 0;

	do {
		size_t skip, length = text_break(sentence + start, room, &skip);

		lines_add(lines, (struct plan_line){ .kind = PLAN_LINE_CHECK,
						     .entry = lines->entries,
						     .index = verdict,
						     .first = start == 0,
						     .start = start,
						     .length = length });
		start += length + skip;
	} while (sentence[start]);
}

/* Do the lines LOST and IDS on top say the same? */
static bool is_said_above(const struct verdict *verdict)
{
	return (verdict->means == MEANS_ERASES || verdict->means == MEANS_SAME_IDENTIFIERS) &&
	       verdict->kind != VERDICT_REFUSE;
}

void plan_lines_add_checks(struct plan_lines *lines, const struct verdict_list *verdicts,
			   int columns, int rows, size_t at)
{
	int room = columns - PLAN_CHECK_INDENT - 1, spare = rows;
	size_t entry = 0;

	for (size_t i = 0; i < verdicts->count; i++) {
		if (is_said_above(&verdicts->items[i]))
			continue;
		spare -= entry++ == at ? line_rows(verdicts->items[i].sentence, room) : 1;
	}
	for (size_t i = 0; i < verdicts->count; i++) {
		const char *sentence = verdicts->items[i].sentence;
		bool here = lines->entries == at;
		/* Beyond the one that it has anyway. */
		int more = here ? 0 : line_rows(sentence, room) - 1;

		if (is_said_above(&verdicts->items[i]))
			continue;
		if (more <= spare || here) {
			add_open(lines, sentence, i, room);
			spare -= more;
		} else {
			lines_add(lines, (struct plan_line){ .kind = PLAN_LINE_CHECK,
							     .entry = lines->entries,
							     .index = i,
							     .first = true,
							     .length = strlen(sentence) });
		}
		lines->entries++;
	}
}

static void add_section(struct plan_lines *lines, enum plan_line_kind kind, size_t count)
{
	if (count)
		lines_add(lines, (struct plan_line){ .kind = PLAN_LINE_TITLE,
						     .entry = PLAN_NO_ENTRY,
						     .index = kind });
	for (size_t i = 0; i < count; i++, lines->entries++)
		lines_add(lines,
			  (struct plan_line){ .kind = kind, .entry = lines->entries, .index = i });
}

void plan_lines_add_lost(struct plan_lines *lines, size_t count)
{
	add_section(lines, PLAN_LINE_LOST, count);
}

/* The change that this line is about, and no other; false: there is no such line. */
static bool find_change(const struct fitted *fitted, size_t index, struct fitted *ret)
{
	*ret = (struct fitted){ 0 };
	for (size_t i = 0; i < fitted->part_count; i++) {
		const struct fitted_part *part = &fitted->parts[i];

		if ((part->to == part->start && part->size == part->sectors) || index-- > 0)
			continue;
		ret->parts[ret->part_count++] = *part;
		ret->sector = fitted->sector;
		return true;
	}
	if (fitted->grown && !fitted_find(fitted, fitted->grown) && index-- == 0) {
		ret->grown = fitted->grown;
		ret->before = fitted->before;
		ret->after = fitted->after;
		return true;
	}
	*ret = *fitted;
	ret->part_count = ret->grown = 0;
	return (fitted->backup || fitted->sector) && index == 0;
}

void plan_lines_add_table(struct plan_lines *lines, const struct fitted *fitted)
{
	struct fitted change;
	size_t count = 0;

	while (find_change(fitted, count, &change))
		count++;
	add_section(lines, PLAN_LINE_TABLE, count);
}

void plan_lines_add_extents(struct plan_lines *lines, const struct plan *plan)
{
	add_section(lines, PLAN_LINE_EXTENT, plan->extent_count > 1 ? plan->extent_count : 0);
}

void plan_lines_done(struct plan_lines *lines)
{
	free(lines->items);
	memset(lines, 0, sizeof(*lines));
}

void plan_lines_find(const struct plan_lines *lines, size_t entry, size_t *retfirst,
		     size_t *retlast)
{
	bool found = false;

	*retfirst = *retlast = 0;
	for (size_t i = 0; i < lines->count; i++) {
		if (lines->items[i].entry != entry)
			continue;
		if (!found)
			*retfirst = i;
		*retlast = i;
		found = true;
	}
}

void plan_text_check(const struct gate *gate, const struct plan_line *at, struct line *line,
		     enum role *retrole)
{
	const struct verdict *verdict = &gate->verdicts->items[at->index];
	char part[sizeof(verdict->sentence)];
	const char *word = "";

	line_put(line, 2, "");
	*retrole = ROLE_NORMAL;
	switch (verdict->kind) {
	case VERDICT_REFUSE:
		*retrole = ROLE_BAD;
		word = _("STOP");
		break;
	case VERDICT_WARN:
		/* A lifted check stays red: the danger is the same. */
		*retrole = verdict->lifted ? ROLE_BAD : ROLE_WARN;
		word = verdict->lifted ? _("LIFTED") : _("note");
		break;
	case VERDICT_OK:
		word = _("ok");
		break;
	}
	if (at->first)
		line_put(line, PLAN_CHECK_INDENT - 3, word);
	line_to(line, PLAN_CHECK_INDENT);
	snprintf(part, sizeof(part), "%.*s", (int)at->length, verdict->sentence + at->start);
	if (text_width(part) <= line->limit - line->columns - 1) {
		line_add(line, "%s", part);
		return;
	}
	line_put(line, line->limit - line->columns - 3, part);
	line_add(line, "..");
}

void plan_text_table(const struct fitted *fitted, size_t index, uint32_t sector_size,
		     struct line *line)
{
	struct fitted change;
	char text[256];

	if (find_change(fitted, index, &change))
		line_add(line, "  %s", fitted_print(&change, sector_size, text, sizeof(text)));
}

void plan_text_extent(const struct plan *plan, size_t index, struct line *line)
{
	const struct extent *extent = &plan->extents[index];

	line_add(line, "  ");
	line_add(line, _("LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64 ", %s sectors, %s"),
		 extent->source_lba, extent->source_lba + extent->sectors - 1,
		 extent->destination_lba, UNITS_COUNT(extent->sectors),
		 UNITS_LONG(extent->sectors * plan->sector_size, UNITS_SI, plan->sector_size));
}

void plan_text_axis(uint64_t bytes, enum units_scale scale, uint32_t sector_size, struct line *line)
{
	char half[UNITS_TEXT_MAX], full[UNITS_TEXT_MAX];

	units_print_short(bytes / 2, scale, sector_size, half);
	units_print_short(bytes, scale, sector_size, full);
	line_add(line, "0");
	line_to(line, line->limit / 2);
	line_add(line, "%s", half);
	line_put_right(line, line->limit - line->columns, full);
}
