/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plan/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

#define PAGE       8
#define RATE_LEAST UINT64_C(65536) /* bytes per second */

static const char *const no_yes[] = { "no", "yes", NULL };
static const char *const sum_names[] = { "none", "sha256", "sha512", "blake2b",
					 "sha1", "md5",    "xxh3",   NULL };
/* In the order of enum verify_choice; behind them the same with rewriting, which needs one of the
 * others but VERIFY_OFF, the last. */
#define VERIFY_CHOICES (VERIFY_OFF + 1)
static const char *const verify_names[] = {
	"digest",         "rolling",         "after",         "compare",         "off",
	"digest+rewrite", "rolling+rewrite", "after+rewrite", "compare+rewrite", NULL
};

static const struct {
	enum plan_option option;
	const char *label, *hint, *allowed;
} rows[] = {
	{ PLAN_OPTION_CHUNK, N_("Request size"), N_("bytes that are read and written at once"),
	  N_("auto, or a size up to 8M, for instance 1M") },
	{ PLAN_OPTION_QUEUE_DEPTH, N_("Queue depth"), N_("requests under way on each disk"),
	  N_("auto, or 1 to 256") },
	{ PLAN_OPTION_LANES, N_("Threads"), N_("threads that copy side by side"),
	  N_("auto, or 1 to 32") },
	{ PLAN_OPTION_SOURCE_BACKEND, N_("Source I/O"), N_("how the source is read"),
	  N_("auto, uring, threads, sg, buffered, image") },
	{ PLAN_OPTION_DESTINATION_BACKEND, N_("Destination I/O"),
	  N_("how the destination is written"), N_("auto, uring, threads, sg, buffered, image") },
	{ PLAN_OPTION_SG_IO, N_("sg data"), N_("sg: straight, mapped, or copied"),
	  N_("direct, mmap, or indirect") },
	{ PLAN_OPTION_SG_FUA, N_("sg FUA"), N_("each write is on the medium when done"),
	  N_("no, or yes") },
	{ PLAN_OPTION_SG_DPO, N_("sg DPO"), N_("the disk's cache need not keep the data"),
	  N_("no, or yes") },
	{ PLAN_OPTION_RATE, N_("Rate limit"), N_("bytes per second; r changes it later"),
	  N_("none, or 64K or more in a second, for instance 50M") },
	{ PLAN_OPTION_RETRIES, N_("Retries"), N_("of a request that failed"), N_("0 to 1000") },
	{ PLAN_OPTION_ON_ERROR, N_("Read errors"), N_("stop, or rescue and map what is bad"),
	  N_("stop, or map") },
	{ PLAN_OPTION_RETRY_PASSES, N_("Retry passes"), N_("over bad sectors, in the end"),
	  N_("0 to 1000") },
	{ PLAN_OPTION_SLOW_LIMIT, N_("Slow limit"), N_("seconds; slower reads count as damage"),
	  N_("none, or seconds, 1 to 86400") },
	{ PLAN_OPTION_MAX_BAD_AREAS, N_("Max bad areas"), N_("stop when there are more"),
	  N_("none, or a whole number") },
	{ PLAN_OPTION_MAX_READ_ERRORS, N_("Max read errors"), N_("stop when more reads failed"),
	  N_("none, or a whole number") },
	{ PLAN_OPTION_MAX_ERROR_RATE, N_("Max error rate"),
	  N_("stop when more bytes per second fail"),
	  N_("none, or bytes per second, for instance 1M") },
	{ PLAN_OPTION_MAX_NO_READ, N_("Max no read"), N_("stop after so many seconds without one"),
	  N_("none, or seconds, 1 to 604800") },
	{ PLAN_OPTION_FILL, N_("Bad sectors become"), N_("zeros, a mark with the LBA, or stay"),
	  N_("zero, mark, or leave") },
	{ PLAN_OPTION_ON_WRITE_ERROR, N_("Write errors"), N_("stop, or map what is refused"),
	  N_("stop, or map") },
	{ PLAN_OPTION_PROBE, N_("Try the size"), N_("first, whether the destination has it"),
	  N_("auto, yes, or no") },
	{ PLAN_OPTION_ARM_LAST, N_("Tables last"), N_("whole disks: tables at the very end"),
	  N_("no, or yes") },
	{ PLAN_OPTION_FREE, N_("Free places"), N_("left out: what the copy has there"),
	  N_("zero, discard, or leave") },
	{ PLAN_OPTION_TABLE, N_("Table"), N_("as it is, or made for the disk's size"),
	  N_("keep, or fit") },
	{ PLAN_OPTION_GROW, N_("Grow"), N_("the partition that gets the free room"),
	  N_("none, last, or a partition's number") },
	{ PLAN_OPTION_LAYOUT, N_("Layout"), N_("partitions, as N:SIZE@START"),
	  N_("none, or sizes, starts or both: 3:900G,4@930G") },
	{ PLAN_OPTION_GROW_FS, N_("Grow file system"), N_("in the grown partition, in the end"),
	  N_("no, or yes") },
	{ PLAN_OPTION_IDENTITIES, N_("Identifiers"), N_("of the complete copy: UUIDs and the like"),
	  N_("keep, new, or new,rewrite (in files that name them)") },
	{ PLAN_OPTION_VERIFY, N_("Verify"), N_("how the copy is read back"),
	  N_("digest, rolling, after, compare, off; each also +rewrite") },
	{ PLAN_OPTION_DIGEST, N_("Sum"), N_("of the whole source, for sha256sum -c"),
	  N_("none, sha256, sha512, blake2b, sha1, md5, xxh3; several: "
	     "sha256,md5") },
};

_Static_assert(ARRAY_SIZE(rows) == OPTION_ROWS, "they have a field each");

int options_form_row(enum plan_option option)
{
	int row = 0;

	while (rows[row].option != option)
		row++;
	return row;
}

const char *options_form_label(int row)
{
	return _(rows[row].label);
}

const char *options_form_hint(int row)
{
	return _(rows[row].hint);
}

const char *options_form_allowed(int row)
{
	return _(rows[row].allowed);
}

static void reach(struct options_form *form, int row)
{
	form->at = row;
	form->fresh = true;
	text_copy(form->before, sizeof(form->before), form->fields[row].text);
}

void options_form_move(struct options_form *form, int by)
{
	int at = (form->at + by) % OPTION_ROWS;

	reach(form, at < 0 ? at + OPTION_ROWS : at);
}

void options_form_page(struct options_form *form, int direction)
{
	int at = form->at + direction * PAGE;

	reach(form, at < 0 ? 0 : at < OPTION_ROWS ? at : OPTION_ROWS - 1);
}

/* The word that follows `now`; the first one after the last, or after an unknown word. */
static const char *next_word(const char *const *words, const char *now)
{
	for (size_t i = 0; words[i] && words[i + 1]; i++)
		if (!strcmp(words[i], now))
			return words[i + 1];
	return words[0];
}

/* The words that Space goes through; NULL: the option is not one of a few words. */
static const char *const *words_of(int row)
{
	enum plan_option option = rows[row].option;

	switch (plan_option_type(option)) {
	case PLAN_SWITCH:
		return no_yes;
	case PLAN_WORD:
		return option == PLAN_OPTION_VERIFY ? verify_names : plan_option_words(option);
	case PLAN_CHECKSUMS:
		return sum_names;
	case PLAN_NUMBER:
	case PLAN_BYTES:
	case PLAN_PARTITION:
	case PLAN_PLACES:
		break;
	}
	return NULL;
}

void options_form_typed(struct options_form *form)
{
	const char *const *words = words_of(form->at);
	struct field *field = &form->fields[form->at];
	size_t length = strlen(form->before);
	char now[PLAN_OPTION_TEXT_MAX];

	if (words && strchr(field->text, ' ')) {
		text_sanitise(now, sizeof(now), field->text, strlen(field->text));
		field_set(field, next_word(words, now));
		reach(form, form->at);
		return;
	}
	if (form->fresh && strlen(field->text) > length &&
	    !strncmp(field->text, form->before, length))
		field_set(field, field->text + length);
	form->fresh = false;
}

const char *options_print_size(uint64_t bytes, char *buffer, size_t size)
{
	static const struct {
		uint64_t unit;
		const char *suffix;
	} units[] = {
		{ 1ULL << 30, "G" },  { 1ULL << 20, "M" }, { 1ULL << 10, "K" },
		{ 1000000000, "GB" }, { 1000000, "MB" },   { 1000, "KB" },
	};

	snprintf(buffer, size, "%" PRIu64, bytes);
	for (size_t i = 0; bytes && i < ARRAY_SIZE(units); i++)
		if (bytes % units[i].unit == 0) {
			snprintf(buffer, size, "%" PRIu64 "%s", bytes / units[i].unit,
				 units[i].suffix);
			break;
		}
	return buffer;
}

static bool read_verify(const char *text, struct plan_options *options)
{
	for (int i = 0; verify_names[i]; i++) {
		if (strcmp(text, verify_names[i]) != 0)
			continue;
		options->verify = (enum verify_choice)(i % VERIFY_CHOICES);
		options->rewrite = i >= VERIFY_CHOICES;
		return true;
	}
	return false;
}

static const char *row_text(const struct plan_options *options, int row,
			    char buffer[static PLAN_OPTION_TEXT_MAX])
{
	enum plan_option option = rows[row].option;
	uint64_t value = plan_option_value(options, option);

	if (option == PLAN_OPTION_VERIFY)
		return verify_names[value +
				    (options->rewrite && value != VERIFY_OFF ? VERIFY_CHOICES : 0)];
	if (plan_option_type(option) == PLAN_SWITCH)
		return no_yes[value];
	if (!value && plan_option_zero(option))
		return plan_option_zero(option);
	if (plan_option_type(option) == PLAN_BYTES)
		return options_print_size(value, buffer, PLAN_OPTION_TEXT_MAX);
	return plan_option_print(options, option, buffer);
}

void options_form_set(struct options_form *form, const struct plan_options *options)
{
	char text[PLAN_OPTION_TEXT_MAX];

	for (int row = 0; row < OPTION_ROWS; row++)
		field_set(&form->fields[row], row_text(options, row, text));
	reach(form, 0);
}

/* The word in the field without blanks around it. */
static const char *word(const struct options_form *form, int row,
			char buffer[static PLAN_OPTION_TEXT_MAX])
{
	return text_sanitise(buffer, PLAN_OPTION_TEXT_MAX, form->fields[row].text,
			     strlen(form->fields[row].text));
}

bool options_read_rate(const char *text, uint64_t *ret)
{
	char clean[64];

	text_sanitise(clean, sizeof(clean), text, strlen(text));
	if (!clean[0] || !strcmp(clean, "none")) {
		*ret = 0;
		return true;
	}
	/* Who types 50 means 50 MB/s: a limit of 50 bytes per second would stop the copy. */
	return units_parse_size(clean, 0, NULL, ret) == 0 && (*ret == 0 || *ret >= RATE_LEAST);
}

static bool read_chunk(const char *text, uint32_t sector_size, uint32_t *ret)
{
	uint64_t value = 0;

	if (strcmp(text, "auto") != 0 && text[0] &&
	    (units_parse_size(text, sector_size, NULL, &value) < 0 || value < PLAN_CHUNK_MIN ||
	     value > PLAN_CHUNK_MAX || (sector_size && value % sector_size)))
		return false;
	*ret = (uint32_t)value;
	return true;
}

static bool read_number(const char *text, enum plan_option option, struct plan_options *options)
{
	const char *zero = plan_option_zero(option);

	if (zero && (!text[0] || !strcmp(text, zero))) {
		plan_option_put(options, option, 0);
		return true;
	}
	/* 0 means auto, and has to be typed as that word. */
	return plan_option_set(options, option, text) == 0 &&
	       (plan_option_value(options, option) || !zero || strcmp(zero, "auto") != 0);
}

static bool read_row(const struct options_form *form, int row, uint32_t sector_size,
		     struct plan_options *options)
{
	enum plan_option option = rows[row].option;
	char text[PLAN_OPTION_TEXT_MAX];

	word(form, row, text);
	if (option == PLAN_OPTION_CHUNK)
		return read_chunk(text, sector_size, &options->chunk);
	if (option == PLAN_OPTION_VERIFY)
		return read_verify(text, options);
	switch (plan_option_type(option)) {
	case PLAN_NUMBER:
	case PLAN_BYTES:
		return read_number(text, option, options);
	case PLAN_SWITCH:
		plan_option_put(options, option, !strcmp(text, "yes"));
		return !strcmp(text, "yes") || !strcmp(text, "no");
	case PLAN_WORD:
	case PLAN_CHECKSUMS:
	case PLAN_PARTITION:
	case PLAN_PLACES:
		break;
	}
	return plan_option_set(options, option, text) == 0;
}

static bool limited(const struct plan_options *options)
{
	return options->slow_limit || options->max_bad_areas || options->max_read_errors ||
	       options->max_error_rate || options->max_no_read;
}

/* An option that would have no effect with the others, such as sg FUA without sg. NULL: there is
 * none. */
static const char *needless(const struct plan_options *options, enum plan_option *ret)
{
	bool destination = options->destination_backend == BACKEND_SG;
	bool any = destination || options->source_backend == BACKEND_SG;

	*ret = PLAN_OPTION_SG_FUA;
	if (options->sg_fua && !destination)
		return _("sg FUA needs Destination I/O sg.");
	*ret = PLAN_OPTION_SG_DPO;
	if (options->sg_dpo && !any)
		return _("sg DPO needs sg as Source I/O or Destination I/O.");
	*ret = PLAN_OPTION_RETRY_PASSES;
	if (options->retry_passes && options->on_error == ON_ERROR_STOP)
		return _("Retry passes need Read errors map.");
	*ret = PLAN_OPTION_SLOW_LIMIT;
	if (options->on_error == ON_ERROR_STOP && limited(options))
		return _("Limits of a rescue need Read errors map.");
	*ret = PLAN_OPTION_FILL;
	if (options->fill != FILL_ZERO && options->on_error == ON_ERROR_STOP)
		return _("Bad sectors are only filled with Read errors map.");
	*ret = PLAN_OPTION_TABLE;
	if (options->table == TABLE_KEEP && (options->grow || options->places[0].number))
		return _("Grow and Layout need Table fit.");
	*ret = PLAN_OPTION_SG_IO;
	if (options->sg_data != SG_DATA_DIRECT && !any)
		return _("sg data needs sg as Source I/O or Destination I/O.");
	return NULL;
}

bool options_form_read(const struct options_form *form, uint32_t sector_size,
		       struct plan_options *ret, int *retrow, char *reason, size_t size)
{
	struct plan_options options = *ret;
	enum plan_option lone;
	const char *why;

	for (int row = 0; row < OPTION_ROWS; row++) {
		char text[PLAN_OPTION_TEXT_MAX];

		if (read_row(form, row, sector_size, &options))
			continue;
		*retrow = row;
		snprintf(reason, size, _("%s cannot be \"%s\": %s."), options_form_label(row),
			 word(form, row, text), options_form_allowed(row));
		return false;
	}
	why = needless(&options, &lone);
	if (why) {
		*retrow = options_form_row(lone);
		text_copy(reason, size, why);
		return false;
	}
	*ret = options;
	return true;
}

/* ---- the dialog ---- */

#define COLS       78
#define FOOT_ROWS  2
#define LABEL_COL  3
#define LABEL_COLS 18 /* at least, and at most */
#define LABEL_MOST 26
#define FIELD_COLS 14

static int label_cols(void)
{
	int cols = LABEL_COLS;

	for (int row = 0; row < OPTION_ROWS; row++) {
		int wide = text_width(options_form_label(row));

		cols = wide > cols ? wide : cols;
	}
	return cols < LABEL_MOST ? cols : LABEL_MOST;
}

static void draw_row(const struct options_form *form, struct draw *draw, struct rect area, int row,
		     int option)
{
	bool here = option == form->at;
	enum role role = here ? ROLE_STRONG : ROLE_NORMAL;
	int col = LABEL_COL + label_cols();

	draw_text(draw, area, row, 1, ROLE_STRONG, here ? ">" : " ");
	draw_cell(draw, area, row, LABEL_COL, col - LABEL_COL, role, options_form_label(option));
	draw_field(draw, area, row, col, FIELD_COLS, &form->fields[option], here);
	draw_wrapped(draw, area, row, col + FIELD_COLS + 1, 1, here ? ROLE_NORMAL : ROLE_DIM,
		     options_form_hint(option));
}

void form_options_draw(const struct options_form *form, const char *complaint, struct draw *draw,
		       struct rect body)
{
	struct rect box = rect_centre(body, OPTION_ROWS + 5, COLS), area = rect_inside(box);
	/* On a small screen, the edited line and what is wrong with it come first. */
	struct rect keys = rect_cut_bottom(&area, area.rows > 5);
	struct rect foot = rect_cut_bottom(&area, area.rows > 4 ? FOOT_ROWS : 1);
	char title[96];
	/* The edited line is in the middle, unless the first or the last one is shown. */
	int top = layout_scroll(form->at - area.rows / 2, form->at, OPTION_ROWS, area.rows);

	draw_clear(draw, box);
	snprintf(title, sizeof(title), "%s", _("Options of the copy"));
	if (area.rows < OPTION_ROWS)
		snprintf(title, sizeof(title), _("Options of the copy, %d-%d of %d"), top + 1,
			 top + area.rows, OPTION_ROWS);
	draw_box(draw, box, title);
	for (int row = 0; row < area.rows && top + row < OPTION_ROWS; row++)
		draw_row(form, draw, area, row, top + row);
	if (complaint[0])
		draw_wrapped(draw, foot, 0, 3, foot.rows, ROLE_BAD, complaint);
	else
		draw_printf(draw, foot, 0, 3, ROLE_NORMAL, "%s: %s", options_form_label(form->at),
			    options_form_allowed(form->at));
	rect_cut_left(&keys, 2);
	draw_keys(draw, keys, ROLE_DIM,
		  _("Enter=take all, plan anew  Esc=leave it  Space=next word  Up Down=line"));
}
