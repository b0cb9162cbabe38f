/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a copy did with free places: in words, and in JSON. */
#include <stdio.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/facts.h"
#include "report/json.h"
#include "report/report.h"

void report_free(const struct report *report, struct fact_sink *to)
{
	const struct job_free *f = &report->job.free;

	if (f->bytes)
		fact_put(to,
			 P_("%s B of the source, in %llu free place, were neither read nor copied: "
			    "what deleted files have left there is not on the copy",
			    "%s B of the source, in %llu free places, were neither read nor "
			    "copied: what deleted files have left there is not on the copy",
			    f->areas),
			 UNITS_COUNT(f->bytes), (unsigned long long)f->areas);
	else if (plan_later(report->plan))
		fact_put(to, _("%s B were copied after all else"),
			 UNITS_COUNT(plan_later_bytes(report->plan)));
}

static void zeroed(const struct job_free *f, struct fact_sink *to)
{
	if (f->wrong_bytes)
		fact_put(to,
			 _("the destination does not keep zeros there: %s B of what was read back "
			   "hold something else"),
			 UNITS_COUNT(f->wrong_bytes));
	else if (f->cleared < f->bytes)
		fact_put(to,
			 _("%s B are zeroed on the destination; the rest still holds what was "
			   "there before"),
			 UNITS_COUNT(f->cleared));
	else if (f->checked && f->checked_bytes >= f->bytes)
		fact_put(to, "%s", _("zeroed on the destination, and all of it read back"));
	else if (f->checked)
		fact_put(to, _("zeroed on the destination, and a sample of %s B read back"),
			 UNITS_COUNT(f->checked_bytes));
	else
		fact_put(to, "%s", _("zeroed on the destination, not read back"));
}

static void discarded(const struct job_free *f, struct fact_sink *to)
{
	if (f->cleared == f->bytes)
		fact_put(to,
			 _("discarded on the destination: what it returns for them is not known"));
	else
		fact_put(to,
			 f->cannot ? _("the destination cannot discard: all but %s B still hold "
				       "what was there before")
				   : _("%s B are discarded; the rest still holds what was there "
				       "before"),
			 UNITS_COUNT(f->cleared));
}

void report_free_now(const struct report *report, struct fact_sink *to)
{
	const struct job_free *f = &report->job.free;

	if (!f->bytes)
		return;
	switch (report->plan->options.free) {
	case FREE_ZERO:
		zeroed(f, to);
		break;
	case FREE_DISCARD:
		discarded(f, to);
		break;
	case FREE_LEAVE:
		fact_put(to, "%s",
			 _("left as they were on the destination: they still hold the data of an "
			   "earlier owner"));
		break;
	}
}

json_object *report_json_free(const struct report *report)
{
	const struct job_free *f = &report->job.free;
	json_object *object;

	if (!report->plan->free_places)
		return NULL;
	object = report_json_free_places(report->plan);
	json_add_number(object, "bytes_cleared", f->cleared);
	json_add_known(object, "checked", f->checked, f->checked_bytes);
	json_add_number(object, "bytes_wrong", f->wrong_bytes);
	return object;
}

json_object *report_json_free_places(const struct plan *plan)
{
	json_object *object = json_object_new_object();
	const struct range_list *left_out = plan_left_out(plan);
	char text[PLAN_OPTION_TEXT_MAX];

	json_add_number(object, "bytes_later", plan_later_bytes(plan));
	json_add_number(object, "bytes_left_out", plan_free_bytes(plan));
	json_add_number(object, "areas_left_out", left_out ? left_out->count : 0);
	json_object_object_add(object, "then",
			       left_out ? json_object_new_string(plan_option_print(
						  &plan->options, PLAN_OPTION_FREE, text))
					: NULL);
	return object;
}
