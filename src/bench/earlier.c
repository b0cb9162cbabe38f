/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An earlier result, in the form that --json prints, to be put beside a new one. */
#include "bench/render.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/text.h"
#include "bench/bench.h"
#include "report/json.h"

/* More than the longest profile has: each figure of ours is looked for among them. */
#define FIGURES_MAX ((size_t)8 * BENCH_POSITIONS_MAX)
/* No disk, nor any count of its requests, comes near it. */
#define FIGURE_MOST 1e18

static int refuse(const char *path, struct error *reterr, const char *what)
{
	return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "compare", path,
			 _("%s cannot be compared with: %s."), path, what);
}

static bool says_other(const char *then, const char *now)
{
	return *then && *now && strcmp(then, now) != 0;
}

/* Or another partition of it. */
static bool is_other_disk(json_object *then, const struct endpoint *endpoint)
{
	const struct identity *disk = &endpoint->identity;

	return says_other(json_text_of(then, "serial"), disk->serial) ||
	       says_other(json_text_of(then, "wwn"), disk->wwn) ||
	       says_other(json_text_of(then, "model"), disk->model) ||
	       json_object_get_uint64(json_object_object_get(then, "size")) != disk->size ||
	       json_object_get_uint64(json_object_object_get(then, "start")) != endpoint->start;
}

int bench_earlier_load(const char *path, const char *kind, const struct endpoint *disk,
		       json_object **ret, struct error *reterr)
{
	json_object *document = report_json_load(path);
	json_object *figures = json_object_object_get(document, "figures");
	json_object *then = json_object_object_get(document, "disk");
	const char *its_kind = json_text_of(document, "kind"), *node = json_text_of(then, "node");
	char sentence[200], shown[64];

	if (!document && access(path, R_OK) < 0)
		return refuse(path, reterr, error_phrase(errno));
	if (strcmp(json_text_of(document, "schema"), "clonedeck.bench/1") != 0 ||
	    !json_object_is_type(figures, json_type_array) ||
	    json_object_array_length(figures) > FIGURES_MAX) {
		json_object_put(document);
		return refuse(path, reterr, _("it is not a result that bench --json has printed"));
	}
	if (strcmp(its_kind, kind) != 0 || is_other_disk(then, disk)) {
		snprintf(sentence, sizeof(sentence),
			 _("it is bench %.16s of %s, another disk or kind"), its_kind,
			 text_sanitise(shown, sizeof(shown), node, strlen(node)));
		json_object_put(document);
		return refuse(path, reterr, sentence);
	}
	*ret = document;
	return 0;
}

void bench_earlier_destroy(json_object *earlier)
{
	json_object_put(earlier);
}

/* Whoever made the file may have written anything there. */
static double median_of(json_object *figure)
{
	json_object *median = json_object_object_get(figure, "median");
	double value = json_object_get_double(median);
	bool is_number = json_object_is_type(median, json_type_double) ||
			 json_object_is_type(median, json_type_int);

	return is_number && isfinite(value) && value >= 0 && value <= FIGURE_MOST ? value : -1;
}

/* Figures come in the same order: the search begins at *next, behind the one that was found last.
 */
static double find(json_object *figures, const struct bench_result *result,
		   const struct bench_figure *figure, size_t *next)
{
	const struct bench_table *table = &result->tables[figure->table];
	size_t count = json_object_array_length(figures);

	for (size_t i = 0; i < count; i++) {
		size_t at = (*next + i) % count;
		json_object *then = json_object_array_get_idx(figures, at);

		if (strcmp(json_text_of(then, "row"), result->rows[figure->row].key) != 0 ||
		    strcmp(json_text_of(then, "column"), table->columns[figure->column].key) != 0 ||
		    strcmp(json_text_of(then, "table"), table->key) != 0)
			continue;
		*next = at + 1;
		return median_of(then);
	}
	return -1;
}

void bench_earlier_apply(json_object *earlier, struct bench_result *result)
{
	json_object *figures = json_object_object_get(earlier, "figures");
	char words[sizeof(result->before)];
	size_t next = 0;

	if (!earlier)
		return;
	snprintf(words, sizeof(words), "%s, %s", json_text_of(earlier, "started"),
		 json_text_of(earlier, "machine"));
	text_sanitise(result->before, sizeof(result->before), words, strlen(words));
	for (size_t i = 0; i < result->figure_count; i++)
		result->figures[i].before = find(figures, result, &result->figures[i], &next);
}
