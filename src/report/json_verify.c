/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: what was proven, and what differs. */
#include "report/json_private.h"

static const char *kind_name(enum mismatch_kind kind)
{
	static const char *const names[] = {
		[MISMATCH_DESTINATION] = "destination", [MISMATCH_UNSTABLE] = "unstable",
		[MISMATCH_SOURCE] = "source",           [MISMATCH_UNKNOWN] = "unknown",
		[MISMATCH_UNREADABLE] = "unreadable",   [MISMATCH_NO_SOURCE] = "no-source",
	};

	return names[kind];
}

static json_object *json_byte(const struct job_mismatch *mismatch)
{
	json_object *object;

	if (!mismatch->has_byte)
		return NULL;
	object = json_object_new_object();
	report_json_add_number(object, "offset", mismatch->byte);
	report_json_add_number(object, "source", mismatch->at_source);
	report_json_add_number(object, "destination", mismatch->at_destination);
	return object;
}

static json_object *json_region(const struct job_mismatch *mismatch)
{
	json_object *object;

	if (!mismatch->has_digests)
		return NULL;
	object = json_object_new_object();
	report_json_add_number(object, "lba", mismatch->region_lba);
	report_json_add_number(object, "sectors", mismatch->region_sectors);
	json_object_object_add(object, "expected", json_object_new_string(mismatch->expected));
	json_object_object_add(object, "found", json_object_new_string(mismatch->found));
	return object;
}

static json_object *json_mismatches(const struct report *report)
{
	const struct job_proof *proof = &report->job.proof;
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < proof->shown; i++) {
		const struct job_mismatch *mismatch = &proof->mismatches[i];
		json_object *object = json_object_new_object();

		json_object_object_add(object, "kind",
				       json_object_new_string(kind_name(mismatch->kind)));
		report_json_add_number(object, "lba", mismatch->lba);
		report_json_add_number(object, "sectors", mismatch->sectors);
		report_json_add_number(object, "destination_lba", mismatch->destination_lba);
		json_object_object_add(object, "partition",
				       report_json_positive_number(mismatch->partition));
		json_object_object_add(object, "exact",
				       json_object_new_boolean(!mismatch->somewhere));
		json_object_object_add(object, "first_byte", json_byte(mismatch));
		json_object_object_add(object, "region", json_region(mismatch));
		json_object_array_add(array, object);
	}
	return array;
}

static json_object *json_recheck(const struct job_proof *proof)
{
	static const char *const why_not[] = {
		[JOB_RECHECK_NOT_ASKED] = NULL, [JOB_RECHECK_PENDING] = "incomplete",
		[JOB_RECHECK_DONE] = NULL,      [JOB_RECHECK_DAMAGED] = "damaged",
		[JOB_RECHECK_SLOW] = "slow",    [JOB_RECHECK_WAS_GONE] = "was-gone",
	};
	json_object *object;

	if (proof->recheck == JOB_RECHECK_NOT_ASKED)
		return NULL;
	object = json_object_new_object();
	report_json_add_number(object, "areas", proof->rechecked);
	report_json_add_number(object, "bytes", proof->rechecked_bytes);
	report_json_add_number(object, "changed", proof->changed);
	json_object_object_add(object, "changed_before",
			       json_object_new_boolean(proof->changed_before));
	json_object_object_add(
		object, "skipped_because",
		why_not[proof->recheck] ? json_object_new_string(why_not[proof->recheck]) : NULL);
	return object;
}

json_object *report_json_verify(const struct report *report)
{
	const struct job_proof *proof = &report->job.proof;
	json_object *object;

	if (!proof->asked)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "method",
			       json_object_new_string(report->plan->options.verify == VERIFY_COMPARE
							      ? "compare"
							      : "digest"));
	json_object_object_add(object, "complete", json_object_new_boolean(proof->complete));
	json_object_object_add(object, "past_device_cache",
			       json_object_new_boolean(report->job.destination.stats.from_medium));
	report_json_add_number(object, "bytes_by_digest", proof->verified - proof->compared);
	report_json_add_number(object, "bytes_compared", proof->compared);
	report_json_add_number(object, "bytes_while_copying", proof->early);
	report_json_add_number(object, "bytes_rewritten", proof->rewritten);
	json_object_object_add(object, "source_recheck", json_recheck(proof));
	report_json_add_number(object, "mismatch_areas", proof->areas);
	report_json_add_number(object, "mismatch_bytes", proof->bytes);
	json_object_object_add(object, "mismatches", json_mismatches(report));
	return object;
}

json_object *report_json_look(const struct report *report)
{
	const struct job_look *look = &report->job.look;
	double total = (double)report->job.total;
	json_object *object;

	if (!look->asked)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "done", json_object_new_boolean(look->done));
	report_json_add_number(object, "places", look->places);
	report_json_add_number(object, "bytes", look->bytes);
	report_json_add_number(object, "held_bytes", look->held_bytes);
	report_json_add_number(object, "end_bytes", look->end_bytes);
	report_json_add_number(object, "sample_places", look->sample);
	report_json_add_number(object, "sample_bytes", look->sample_bytes);
	json_object_object_add(
		object, "sample_share",
		total > 0 ? json_object_new_double((double)look->sample_bytes / total) : NULL);
	report_json_add_number(object, "seed", look->seed);
	report_json_add_number(object, "differing", look->differing);
	/* What differs in a verified copy is among the mismatches of its verification. */
	json_object_object_add(object, "mismatches",
			       report->job.proof.asked ? NULL : json_mismatches(report));
	return object;
}

json_object *report_json_digests(const struct report *report)
{
	json_object *object;

	if (!report->job.digests_saved || !report->digests_path[0])
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "algorithm", json_object_new_string("xxh3-128"));
	json_object_object_add(object, "list", report_json_path(report->digests_path));
	return object;
}

static json_object *json_sum(const struct report *report, const struct job_sum *sum)
{
	json_object *object = json_object_new_object();
	char path[512];

	json_object_object_add(object, "algorithm",
			       json_object_new_string(sum_name(sum->algorithm)));
	json_object_object_add(object, "value", report_json_text(sum->hex));
	json_object_object_add(object, "list",
			       report_sum_path(report, sum->algorithm, path, sizeof(path))
				       ? report_json_path(path)
				       : NULL);
	return object;
}

json_object *report_json_sums(const struct report *report)
{
	static const char *const of[] = {
		[JOB_SUMS_OF_SOURCE] = "source",
		[JOB_SUMS_OF_DESTINATION] = "destination",
	};
	static const char *const why[] = {
		[JOB_SUMS_PENDING] = "incomplete",
		[JOB_SUMS_INCOMPLETE] = "incomplete",
		[JOB_SUMS_DIFFERS] = "differs",
		[JOB_SUMS_NOT_READ_BACK] = "not-read-back",
	};
	const struct job_sums *sums = &report->job.sums;
	bool known = job_sums_known(sums);
	json_object *object, *items;

	if (!sums->count)
		return NULL;
	object = json_object_new_object();
	items = json_object_new_array();
	json_object_object_add(object, "of",
			       known ? json_object_new_string(of[sums->state]) : NULL);
	json_object_object_add(object, "unknown_because",
			       known ? NULL : json_object_new_string(why[sums->state]));
	json_object_object_add(object, "zero_bytes",
			       known ? json_object_new_uint64(sums->zeros) : NULL);
	for (unsigned i = 0; i < sums->count; i++)
		json_object_array_add(items, json_sum(report, &sums->items[i]));
	json_object_object_add(object, "items", items);
	return object;
}
