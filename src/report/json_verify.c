/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: what was proven, and what differs. */
#include "base/array.h"
#include "report/facts.h"

#define MISMATCH(key, kind, member) JSON_FIELD(key, kind, struct job_mismatch, member)

static json_object *is_exact(const void *somewhere)
{
	return json_object_new_boolean(!*(const bool *)somewhere);
}

static json_object *mismatch_byte(const void *data)
{
	static const struct json_field fields[] = {
		MISMATCH("offset", JSON_NUMBER, byte),
		MISMATCH("source", JSON_NUMBER, at_source),
		MISMATCH("destination", JSON_NUMBER, at_destination),
	};
	const struct job_mismatch *mismatch = data;

	return mismatch->has_byte ? report_json_of(fields, data) : NULL;
}

static json_object *mismatch_region(const void *data)
{
	static const struct json_field fields[] = {
		MISMATCH("lba", JSON_NUMBER, region_lba),
		MISMATCH("sectors", JSON_NUMBER, region_sectors),
		MISMATCH("expected", JSON_TEXT, expected),
		MISMATCH("found", JSON_TEXT, found),
	};
	const struct job_mismatch *mismatch = data;

	return mismatch->has_digests ? report_json_of(fields, data) : NULL;
}

static json_object *json_mismatches(const struct job_proof *proof)
{
	static const char *const kinds[] = {
		[MISMATCH_DESTINATION] = "destination", [MISMATCH_UNSTABLE] = "unstable",
		[MISMATCH_SOURCE] = "source",           [MISMATCH_UNKNOWN] = "unknown",
		[MISMATCH_UNREADABLE] = "unreadable",   [MISMATCH_NO_SOURCE] = "no-source",
	};
	static const struct json_field fields[] = {
		JSON_WORD_OF("kind", kinds, struct job_mismatch, kind),
		MISMATCH("lba", JSON_NUMBER, lba),
		MISMATCH("sectors", JSON_NUMBER, sectors),
		MISMATCH("destination_lba", JSON_NUMBER, destination_lba),
		MISMATCH("partition", JSON_POSITIVE, partition),
		JSON_PART_OF("exact", is_exact, struct job_mismatch, somewhere),
		JSON_MADE("first_byte", mismatch_byte),
		JSON_MADE("region", mismatch_region),
	};

	return report_json_list_of(fields, proof->mismatches, proof->shown);
}

#define PROOF(key, kind, member) JSON_FIELD(key, kind, struct job_proof, member)

static json_object *json_recheck(const void *data)
{
	static const char *const why_not[] = {
		[JOB_RECHECK_NOT_ASKED] = NULL,  [JOB_RECHECK_PENDING] = "incomplete",
		[JOB_RECHECK_DONE] = NULL,       [JOB_RECHECK_DAMAGED] = "damaged",
		[JOB_RECHECK_SLOW] = "slow",     [JOB_RECHECK_WAS_GONE] = "was-gone",
		[JOB_RECHECK_SPARED] = "spared",
	};
	static const struct json_field fields[] = {
		PROOF("areas", JSON_NUMBER, rechecked),
		PROOF("bytes", JSON_NUMBER, rechecked_bytes),
		PROOF("changed", JSON_NUMBER, changed),
		PROOF("changed_before", JSON_BOOL, changed_before),
		JSON_WORD_OF("skipped_because", why_not, struct job_proof, recheck),
	};
	const struct job_proof *proof = data;

	return proof->recheck == JOB_RECHECK_NOT_ASKED ? NULL : report_json_of(fields, data);
}

static json_object *bytes_by_digest(const void *data)
{
	const struct job_proof *proof = data;

	return json_object_new_uint64(proof->verified - proof->compared);
}

json_object *report_json_verify(const struct report *report)
{
	static const struct json_field fields[] = {
		PROOF("complete", JSON_BOOL, complete),
		JSON_MADE("bytes_by_digest", bytes_by_digest),
		PROOF("bytes_compared", JSON_NUMBER, compared),
		PROOF("bytes_while_copying", JSON_NUMBER, early),
		PROOF("bytes_rewritten", JSON_NUMBER, rewritten),
		JSON_MADE("source_recheck", json_recheck),
		PROOF("bytes_unknown", JSON_NUMBER, unknown),
		PROOF("mismatch_areas", JSON_NUMBER, areas),
		PROOF("mismatch_bytes", JSON_NUMBER, bytes),
	};
	const struct job_proof *proof = &report->job.proof;
	bool compare = report->plan->options.verify == VERIFY_COMPARE;
	json_object *object;

	if (!proof->asked)
		return NULL;
	object = json_object_new_object();
	json_add_text(object, "method", compare ? "compare" : "digest");
	json_add_bool(object, "past_device_cache", report->job.destination.stats.from_medium);
	report_json_add_fields(object, fields, ARRAY_SIZE(fields), proof);
	json_object_object_add(object, "mismatches", json_mismatches(proof));
	return object;
}

json_object *report_json_bytes_verified(const struct report *report)
{
	const struct job_proof *proof = &report->job.proof;

	return proof->asked ? json_object_new_uint64(proof->verified) : NULL;
}

#define LOOK(key, kind, member) JSON_FIELD(key, kind, struct job_look, member)

json_object *report_json_look(const struct report *report)
{
	static const struct json_field fields[] = {
		LOOK("done", JSON_BOOL, done),
		LOOK("places", JSON_NUMBER, places),
		LOOK("bytes", JSON_NUMBER, bytes),
		LOOK("held_bytes", JSON_NUMBER, held_bytes),
		LOOK("end_bytes", JSON_NUMBER, end_bytes),
		LOOK("sample_places", JSON_NUMBER, sample),
		LOOK("sample_bytes", JSON_NUMBER, sample_bytes),
		LOOK("seed", JSON_NUMBER, seed),
		LOOK("differing", JSON_NUMBER, differing),
	};
	const struct job_look *look = &report->job.look;
	double total = (double)report->job.total;
	json_object *object;

	if (!look->asked)
		return NULL;
	object = report_json_of(fields, look);
	json_object_object_add(
		object, "sample_share",
		total > 0 ? json_object_new_double((double)look->sample_bytes / total) : NULL);
	/* What differs in a verified copy is among the mismatches of its verification. */
	json_object_object_add(object, "mismatches",
			       report->job.proof.asked ? NULL
						       : json_mismatches(&report->job.proof));
	return object;
}

json_object *report_json_digests(const struct report *report)
{
	json_object *object;

	if (!report->job.digests_saved || !report->files.digests[0])
		return NULL;
	object = json_object_new_object();
	json_add_text(object, "algorithm", "xxh3-128");
	json_object_object_add(object, "list", report_json_path(report->files.digests));
	return object;
}

static json_object *json_sum(const struct report *report, const struct job_sum *sum)
{
	json_object *object = json_object_new_object();
	char path[512];

	json_add_text(object, "algorithm", checksum_name(sum->algorithm));
	json_object_object_add(object, "value", report_json_text(sum->hex));
	json_object_object_add(object, "list",
			       report_sum_path(report, sum->algorithm, path, sizeof(path))
				       ? report_json_path(path)
				       : NULL);
	return object;
}

json_object *report_json_sums(const struct report *report)
{
	/* What the sums are sums of, or why they are not known. */
	static const char *const words[] = {
		[JOB_SUMS_PENDING] = "incomplete",
		[JOB_SUMS_OF_SOURCE] = "source",
		[JOB_SUMS_OF_DESTINATION] = "destination",
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
	json_object_object_add(object, "of", report_json_text(known ? words[sums->state] : NULL));
	json_object_object_add(object, "unknown_because",
			       report_json_text(known ? NULL : words[sums->state]));
	json_add_known(object, "zero_bytes", known, sums->zeros);
	for (unsigned i = 0; i < sums->count; i++)
		json_object_array_add(items, json_sum(report, &sums->items[i]));
	json_object_object_add(object, "items", items);
	return object;
}
