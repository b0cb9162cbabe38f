/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/past_copy.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/json.h"

static uint64_t number_of(json_object *object, const char *key)
{
	int64_t number = json_object_get_int64(json_object_object_get(object, key));

	return number > 0 ? (uint64_t)number : 0;
}

static void take_text(json_object *object, const char *key, char *buffer, size_t size)
{
	const char *text = json_text_of(object, key);

	text_sanitise(buffer, size, text, strlen(text));
}

static void take_end(json_object *object, struct past_end *ret)
{
	take_text(object, "node", ret->node, sizeof(ret->node));
	take_text(object, "model", ret->model, sizeof(ret->model));
	take_text(object, "serial", ret->serial, sizeof(ret->serial));
}

/* "2026-11-23T23:40:32+00:00"; 0: it is no such time. */
static int64_t time_of(json_object *object, const char *key)
{
	struct tm tm = { 0 };
	const char *rest = strptime(json_text_of(object, key), "%Y-%m-%dT%H:%M:%S%z", &tm);
	long offset = tm.tm_gmtoff;

	return rest ? (int64_t)timegm(&tm) - offset : 0;
}

/* ---- in words ---- */

void past_print_name(FILE *out, const char *name)
{
	fprintf(out, "%s\t", name);
}

static void print_end(FILE *out, const char *name, const struct past_end *end)
{
	past_print_name(out, name);
	fprintf(out, "%s  %s", end->node, end->model);
	if (end->serial[0])
		fprintf(out, "  %s %s", _("S/N"), end->serial);
	fputc('\n', out);
}

static void print_bytes(FILE *out, json_object *document, const struct past_copy *past)
{
	past_print_name(out, _("Copied"));
	fprintf(out, _("%s of %s\n"), UNITS_LONG(past->copied, UNITS_SI, 512),
		UNITS_LONG(past->total, UNITS_SI, 512));
	if (past->bad) {
		past_print_name(out, _("Unreadable"));
		fprintf(out, "%s\n", UNITS_LONG(past->bad, UNITS_SI, 512));
	}
	if (number_of(document, "bytes_verified")) {
		past_print_name(out, _("Verified"));
		fprintf(out, "%s\n",
			UNITS_LONG(number_of(document, "bytes_verified"), UNITS_SI, 512));
	}
}

static void print_time(FILE *out, json_object *document, const struct past_copy *past)
{
	double average = json_object_get_double(
		json_object_object_get(json_object_object_get(document, "rate"), "average"));
	char when[64];

	past_print_name(out, _("Began"));
	fprintf(out, _("%s, took %s\n"),
		clock_print(past->at, "%Y-%m-%d %H:%M:%S", when, sizeof(when)),
		UNITS_DURATION(past->seconds));
	if (average > 0) {
		past_print_name(out, _("Average"));
		fprintf(out, "%s\n", UNITS_RATE(average));
	}
}

/* Items that are sentences, or objects that have one. */
static void print_sentences(FILE *out, json_object *list, const char *name)
{
	size_t count =
		json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < count; i++) {
		json_object *item = json_object_array_get_idx(list, i);
		const char *sentence = json_object_is_type(item, json_type_object)
					       ? json_text_of(item, "sentence")
					       : json_object_get_string(item);
		char shown[1024];

		if (!sentence)
			continue;
		past_print_name(out, name);
		fprintf(out, "%s\n",
			text_sanitise(shown, sizeof(shown), sentence, strlen(sentence)));
	}
}

const char *past_result_words(const struct past_copy *past)
{
	/* The same words as report_result_word() says; others stay as they are. */
	return past->result[0] ? _(past->result) : _("UNFINISHED");
}

static char *in_words(json_object *document, const struct past_copy *past)
{
	char path[3 * sizeof(past->map)];
	struct text_stream text;
	FILE *out = text_stream_begin(&text);

	if (!out)
		return NULL;
	fprintf(out, _("%s, exit code %d\n"), past_result_words(past), past->exit_code);
	print_end(out, _("From"), &past->source);
	print_end(out, _("To"), &past->destination);
	print_bytes(out, document, past);
	print_time(out, document, past);
	print_sentences(out, json_object_object_get(document, "warnings"), _("Note"));
	print_sentences(out, json_object_object_get(document, "next"), _("Next"));
	past_print_name(out, _("Report"));
	fprintf(out, "%s\n", text_show(path, sizeof(path), past->report));
	if (past->map[0]) {
		past_print_name(out, _("Map"));
		fprintf(out, "%s\n", text_show(path, sizeof(path), past->map));
	}
	return text_stream_end(&text);
}

bool past_load(const char *path, struct past_copy *ret)
{
	CLEANUP(json) json_object *document = report_json_load(path);
	json_object *destinations;

	*ret = (struct past_copy){ 0 };
	if (strcmp(json_text_of(document, "schema"), "clonedeck.report/1") != 0)
		return false;
	text_copy(ret->report, sizeof(ret->report), path);
	text_decode(ret->map, sizeof(ret->map),
		    json_text_of(json_object_object_get(document, "files"), "map"));
	take_text(document, "result", ret->result, sizeof(ret->result));
	ret->exit_code = json_object_get_int(json_object_object_get(document, "exit_code"));
	ret->at = time_of(document, "started_at");
	ret->seconds = number_of(json_object_object_get(document, "seconds"), "elapsed");
	ret->total = number_of(document, "bytes_total");
	ret->copied = number_of(document, "bytes_copied");
	ret->bad = number_of(document, "bad_bytes");
	take_end(json_object_object_get(document, "source"), &ret->source);
	destinations = json_object_object_get(document, "destinations");
	if (json_object_is_type(destinations, json_type_array))
		take_end(json_object_array_get_idx(destinations, 0), &ret->destination);
	ret->text = in_words(document, ret);
	return true;
}

void past_done(struct past_copy *past)
{
	free(past->text);
	past->text = NULL;
}
