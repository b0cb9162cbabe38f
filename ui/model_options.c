/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "io/backends.h"
#include "plan/rescue.h"
#include "plan/sums.h"

#define RETRIES_MAX 1000
#define PAGE        8

static const char *const backends[] = {
	"auto", "uring", "threads", "sg", "buffered", "image", NULL
};
static const char *const sg_data[] = { "direct", "mmap", "indirect", NULL };
static const char *const no_yes[] = { "no", "yes", NULL };
static const char *const fills[] = { "zero", "mark", "leave", NULL };
static const char *const auto_yes_no[] = { "auto", "yes", "no", NULL };
static const char *const on_error[] = { "stop", "map", NULL };
static const char *const sum_names[] = {
	"none", "sha256", "sha512", "blake2b", "sha1", "md5", NULL
};
static const char *const verify_names[] = {
	"digest",         "rolling",         "after",         "compare",         "off",
	"digest+rewrite", "rolling+rewrite", "after+rewrite", "compare+rewrite", NULL
};

static const struct {
	const char *label, *hint, *allowed;
	const char *const *words; /* NULL: not one of a few */
} rows[OPTION_ROWS] = {
	[OPTION_CHUNK] = { N_("Request size"), N_("bytes that are read and written at once"),
			   N_("auto, or a size up to 8M, for instance 1M"), NULL },
	[OPTION_DEPTH] = { N_("Queue depth"), N_("requests under way on each disk"),
			   N_("auto, or 1 to 256"), NULL },
	[OPTION_LANES] = { N_("Lanes"), N_("threads that copy side by side"),
			   N_("auto, or 1 to 32"), NULL },
	[OPTION_SOURCE_BACKEND] = { N_("Source I/O"), N_("how the source is read"),
				    N_("auto, uring, threads, sg, buffered, image"), backends },
	[OPTION_DESTINATION_BACKEND] = { N_("Destination I/O"),
					 N_("how the destination is written"),
					 N_("auto, uring, threads, sg, buffered, image"),
					 backends },
	[OPTION_SG_DATA] = { N_("sg data"), N_("sg: straight, mapped, or copied"),
			     N_("direct, mmap, or indirect"), sg_data },
	[OPTION_SG_FUA] = { N_("sg FUA"), N_("each write is on the medium when done"),
			    N_("no, or yes"), no_yes },
	[OPTION_SG_DPO] = { N_("sg DPO"), N_("the disk's cache need not keep the data"),
			    N_("no, or yes"), no_yes },
	[OPTION_RATE] = { N_("Rate limit"), N_("bytes per second; r changes it later"),
			  N_("none, or bytes per second, for instance 50M"), NULL },
	[OPTION_RETRIES] = { N_("Retries"), N_("of a request that failed"), N_("0 to 1000"), NULL },
	[OPTION_ON_ERROR] = { N_("Read errors"), N_("stop, or rescue and map what is bad"),
			      N_("stop, or map"), on_error },
	[OPTION_RETRY_PASSES] = { N_("Retry passes"), N_("over bad sectors, in the end"),
				  N_("0 to 1000"), NULL },
	[OPTION_SLOW_LIMIT] = { N_("Slow limit"), N_("seconds; slower reads count as damage"),
				N_("none, or seconds, 1 to 86400"), NULL },
	[OPTION_BAD_AREAS] = { N_("Max bad areas"), N_("stop when there are more"),
			       N_("none, or a whole number"), NULL },
	[OPTION_READ_ERRORS] = { N_("Max read errors"), N_("stop when more reads failed"),
				 N_("none, or a whole number"), NULL },
	[OPTION_ERROR_RATE] = { N_("Max error rate"), N_("stop when more bytes per second fail"),
				N_("none, or bytes per second, for instance 1M"), NULL },
	[OPTION_NO_READ] = { N_("Max no read"), N_("stop after so many seconds without one"),
			     N_("none, or seconds, 1 to 604800"), NULL },
	[OPTION_FILL] = { N_("Bad sectors become"), N_("zeros, a mark with the LBA, or stay"),
			  N_("zero, mark, or leave"), fills },
	[OPTION_WRITE_ERROR] = { N_("Write errors"), N_("stop, or map what is refused"),
				 N_("stop, or map"), on_error },
	[OPTION_PROBE] = { N_("Try the size"), N_("first, whether the destination has it"),
			   N_("auto, yes, or no"), auto_yes_no },
	[OPTION_ARM_LAST] = { N_("Arm last"), N_("whole disks: tables at the very end"),
			      N_("no, or yes"), no_yes },
	[OPTION_VERIFY] = { N_("Verify"), N_("how the copy is read back"),
			    N_("digest, rolling, after, compare, off; each also +rewrite"),
			    verify_names },
	[OPTION_DIGEST] = { N_("Sum"), N_("of the whole source, for sha256sum -c"),
			    N_("none, sha256, sha512, blake2b, sha1, md5; several: sha256,md5"),
			    sum_names },
};

const char *options_form_label(enum option_row row)
{
	return _(rows[row].label);
}

const char *options_form_hint(enum option_row row)
{
	return _(rows[row].hint);
}

const char *options_form_allowed(enum option_row row)
{
	return _(rows[row].allowed);
}

static void reach(struct options_form *form, enum option_row row)
{
	form->at = row;
	form->fresh = true;
	text_copy(form->before, sizeof(form->before), form->fields[row].text);
}

void options_form_move(struct options_form *form, int by)
{
	int at = ((int)form->at + by) % OPTION_ROWS;

	reach(form, (enum option_row)(at < 0 ? at + OPTION_ROWS : at));
}

void options_form_page(struct options_form *form, int direction)
{
	int at = (int)form->at + direction * PAGE;

	reach(form, (enum option_row)(at < 0 ? 0 : at < OPTION_ROWS ? at : OPTION_ROWS - 1));
}

/* The one behind the word that stands there, the first behind the last or behind nonsense. */
static const char *next_word(const char *const *words, const char *now)
{
	for (size_t i = 0; words[i] && words[i + 1]; i++)
		if (!strcmp(words[i], now))
			return words[i + 1];
	return words[0];
}

void options_form_typed(struct options_form *form)
{
	const char *const *words = rows[form->at].words;
	struct field *field = &form->fields[form->at];
	size_t length = strlen(form->before);
	char now[64];

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
	for (size_t i = 0; bytes && i < sizeof(units) / sizeof(units[0]); i++)
		if (bytes % units[i].unit == 0) {
			snprintf(buffer, size, "%" PRIu64 "%s", bytes / units[i].unit,
				 units[i].suffix);
			break;
		}
	return buffer;
}

static void set_number(struct field *field, uint64_t value, bool size)
{
	char text[32];

	if (!value)
		field_set(field, "auto");
	else if (size)
		field_set(field, options_print_size(value, text, sizeof(text)));
	else {
		snprintf(text, sizeof(text), "%" PRIu64, value);
		field_set(field, text);
	}
}

/* Those of which 0 is "none"; by their names in plan/rescue.h, which reads and prints them. */
static const struct {
	enum option_row row;
	const char *name;
} limits[] = {
	{ OPTION_SLOW_LIMIT, "slow-limit" },       { OPTION_BAD_AREAS, "max-bad-areas" },
	{ OPTION_READ_ERRORS, "max-read-errors" }, { OPTION_ERROR_RATE, "max-error-rate" },
	{ OPTION_NO_READ, "max-no-read" },
};

static void set_limit(struct field *field, const struct plan_options *options, const char *name)
{
	char text[UNITS_TEXT_MAX];
	const char *value =
		rescue_option_print(options, (size_t)rescue_option_find(name, '-'), text);

	if (!strcmp(value, "0"))
		value = "none";
	else if (!strcmp(name, "max-error-rate"))
		value = options_print_size(options->max_error_rate, text, sizeof(text));
	field_set(field, value);
}

static bool read_limit(enum option_row row, const char *text, struct plan_options *options)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i].row == row)
			return rescue_option_set(
				       options, (size_t)rescue_option_find(limits[i].name, '-'),
				       !text[0] || !strcmp(text, "none") ? "0" : text) == 0;
	return false;
}

static const char *const verify_words[][2] = {
	[VERIFY_DIGEST] = { "digest", "digest+rewrite" },
	[VERIFY_ROLLING] = { "rolling", "rolling+rewrite" },
	[VERIFY_AFTER] = { "after", "after+rewrite" },
	[VERIFY_COMPARE] = { "compare", "compare+rewrite" },
	[VERIFY_OFF] = { "off", "off" },
};

static bool read_verify(const char *text, struct plan_options *options)
{
	for (int verify = VERIFY_DIGEST; verify <= VERIFY_OFF; verify++)
		for (int rewrite = 0; rewrite < 2; rewrite++) {
			if (strcmp(text, verify_words[verify][rewrite]) != 0)
				continue;
			options->verify = (enum verify_choice)verify;
			options->rewrite = rewrite;
			return true;
		}
	return false;
}

void options_form_set(struct options_form *form, const struct plan_options *options)
{
	char text[32], sums[SUMS_TEXT_MAX];

	set_number(&form->fields[OPTION_CHUNK], options->chunk, true);
	set_number(&form->fields[OPTION_DEPTH], options->queue_depth, false);
	set_number(&form->fields[OPTION_LANES], options->lanes, false);
	field_set(&form->fields[OPTION_SOURCE_BACKEND],
		  io_backend_choice_name(options->source_backend));
	field_set(&form->fields[OPTION_DESTINATION_BACKEND],
		  io_backend_choice_name(options->destination_backend));
	field_set(&form->fields[OPTION_SG_DATA], plan_sg_data_name(options->sg_data));
	field_set(&form->fields[OPTION_SG_FUA], options->sg_fua ? "yes" : "no");
	field_set(&form->fields[OPTION_SG_DPO], options->sg_dpo ? "yes" : "no");
	field_set(&form->fields[OPTION_RATE],
		  options->rate ? options_print_size(options->rate, text, sizeof(text)) : "none");
	snprintf(text, sizeof(text), "%u", options->retries);
	field_set(&form->fields[OPTION_RETRIES], text);
	field_set(&form->fields[OPTION_ON_ERROR],
		  options->on_error == ON_ERROR_MAP ? "map" : "stop");
	snprintf(text, sizeof(text), "%u", options->retry_passes);
	field_set(&form->fields[OPTION_RETRY_PASSES], text);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		set_limit(&form->fields[limits[i].row], options, limits[i].name);
	field_set(&form->fields[OPTION_FILL], fills[options->fill]);
	field_set(&form->fields[OPTION_WRITE_ERROR],
		  options->on_write_error == ON_ERROR_MAP ? "map" : "stop");
	field_set(&form->fields[OPTION_PROBE], auto_yes_no[options->probe]);
	field_set(&form->fields[OPTION_ARM_LAST], options->arm_at_once ? "no" : "yes");
	field_set(&form->fields[OPTION_VERIFY], verify_words[options->verify][options->rewrite]);
	field_set(&form->fields[OPTION_DIGEST], sums_print(options->sums, sums));
	reach(form, OPTION_CHUNK);
}

/* The word in the field without blanks around it. */
static const char *word(const struct options_form *form, enum option_row row,
			char buffer[static 64])
{
	return text_sanitise(buffer, 64, form->fields[row].text, strlen(form->fields[row].text));
}

static bool read_number(const char *text, bool may_be_auto, uint64_t min, uint64_t max,
			uint64_t *ret)
{
	uint64_t value;

	if (may_be_auto && (!strcmp(text, "auto") || !text[0])) {
		*ret = 0;
		return true;
	}
	if (text[strspn(text, "0123456789")] || units_parse_size(text, 0, NULL, &value) < 0)
		return false;
	if (value < min || value > max)
		return false;
	*ret = value;
	return true;
}

bool options_read_rate(const char *text, uint64_t *ret)
{
	char clean[64];

	text_sanitise(clean, sizeof(clean), text, strlen(text));
	if (!clean[0] || !strcmp(clean, "none")) {
		*ret = 0;
		return true;
	}
	return units_parse_size(clean, 0, NULL, ret) == 0;
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

static bool read_on_error(const char *text, enum on_error *ret)
{
	*ret = !strcmp(text, "map") ? ON_ERROR_MAP : ON_ERROR_STOP;
	return !strcmp(text, "map") || !strcmp(text, "stop");
}

static bool read_fill(const char *text, enum fill *ret)
{
	for (int i = 0; fills[i]; i++) {
		if (strcmp(text, fills[i]) != 0)
			continue;
		*ret = (enum fill)i;
		return true;
	}
	return false;
}

static bool read_probe(const char *text, enum probe_choice *ret)
{
	for (int i = 0; auto_yes_no[i]; i++) {
		if (strcmp(text, auto_yes_no[i]) != 0)
			continue;
		*ret = (enum probe_choice)i;
		return true;
	}
	return false;
}

static bool read_yes(const char *text, bool *ret)
{
	*ret = !strcmp(text, "yes");
	return *ret || !strcmp(text, "no");
}

static bool read_row(const struct options_form *form, enum option_row row, uint32_t sector_size,
		     struct plan_options *options)
{
	char text[64];
	uint64_t number = 0;
	bool good = false;

	word(form, row, text);
	switch (row) {
	case OPTION_CHUNK:
		return read_chunk(text, sector_size, &options->chunk);
	case OPTION_DEPTH:
		good = read_number(text, true, 1, PLAN_DEPTH_MAX, &number);
		options->queue_depth = (uint32_t)number;
		return good;
	case OPTION_LANES:
		good = read_number(text, true, 1, PLAN_LANES_MAX, &number);
		options->lanes = (uint32_t)number;
		return good;
	case OPTION_SOURCE_BACKEND:
		return io_backend_choice_parse(text, &options->source_backend) == 0;
	case OPTION_DESTINATION_BACKEND:
		return io_backend_choice_parse(text, &options->destination_backend) == 0;
	case OPTION_SG_DATA:
		return plan_sg_data_parse(text, &options->sg_data) == 0;
	case OPTION_SG_FUA:
		return read_yes(text, &options->sg_fua);
	case OPTION_SG_DPO:
		return read_yes(text, &options->sg_dpo);
	case OPTION_RATE:
		return options_read_rate(text, &options->rate);
	case OPTION_RETRIES:
		good = read_number(text, false, 0, RETRIES_MAX, &number);
		options->retries = (unsigned)number;
		return good;
	case OPTION_ON_ERROR:
		return read_on_error(text, &options->on_error);
	case OPTION_RETRY_PASSES:
		good = read_number(text, false, 0, RETRIES_MAX, &number);
		options->retry_passes = (unsigned)number;
		return good;
	case OPTION_SLOW_LIMIT:
	case OPTION_BAD_AREAS:
	case OPTION_READ_ERRORS:
	case OPTION_ERROR_RATE:
	case OPTION_NO_READ:
		return read_limit(row, text, options);
	case OPTION_FILL:
		return read_fill(text, &options->fill);
	case OPTION_WRITE_ERROR:
		return read_on_error(text, &options->on_write_error);
	case OPTION_PROBE:
		return read_probe(text, &options->probe);
	case OPTION_ARM_LAST:
		good = read_yes(text, &options->arm_at_once);
		options->arm_at_once = !options->arm_at_once;
		return good;
	case OPTION_VERIFY:
		return read_verify(text, options);
	case OPTION_DIGEST:
		return sums_parse(text, &options->sums) == 0;
	case OPTION_ROWS:
		break;
	}
	return false;
}

static bool limited(const struct plan_options *options)
{
	return options->slow_limit || options->max_bad_areas || options->max_read_errors ||
	       options->max_error_rate || options->max_no_read;
}

/* What would do nothing as it is: what only sg does, without sg, and so on. NULL: all is well. */
static const char *needless(const struct plan_options *options, enum option_row *retrow)
{
	bool destination = options->destination_backend == BACKEND_SG;
	bool any = destination || options->source_backend == BACKEND_SG;

	*retrow = OPTION_SG_FUA;
	if (options->sg_fua && !destination)
		return _("sg FUA needs Destination I/O sg.");
	*retrow = OPTION_SG_DPO;
	if (options->sg_dpo && !any)
		return _("sg DPO needs sg as Source I/O or Destination I/O.");
	*retrow = OPTION_RETRY_PASSES;
	if (options->retry_passes && options->on_error == ON_ERROR_STOP)
		return _("Retry passes need Read errors map.");
	*retrow = OPTION_SLOW_LIMIT;
	if (options->on_error == ON_ERROR_STOP && limited(options))
		return _("Limits of a rescue need Read errors map.");
	*retrow = OPTION_FILL;
	if (options->fill != FILL_ZERO && options->on_error == ON_ERROR_STOP)
		return _("Bad sectors are only filled with Read errors map.");
	*retrow = OPTION_SG_DATA;
	if (options->sg_data != SG_DATA_DIRECT && !any)
		return _("sg data needs sg as Source I/O or Destination I/O.");
	return NULL;
}

bool options_form_read(const struct options_form *form, uint32_t sector_size,
		       struct plan_options *ret, enum option_row *retrow, char *reason, size_t size)
{
	struct plan_options options = *ret;
	enum option_row lone;
	const char *why;

	for (enum option_row row = 0; row < OPTION_ROWS; row++) {
		char text[64];

		if (read_row(form, row, sector_size, &options))
			continue;
		*retrow = row;
		snprintf(reason, size, _("%s can not be \"%s\": %s."), options_form_label(row),
			 word(form, row, text), options_form_allowed(row));
		return false;
	}
	why = needless(&options, &lone);
	if (why) {
		*retrow = lone;
		text_copy(reason, size, why);
		return false;
	}
	*ret = options;
	return true;
}
