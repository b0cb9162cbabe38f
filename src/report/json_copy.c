/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: what the copy came to, in numbers. */
#include "report/json_private.h"

json_object *report_json_bad_areas(const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < job->bad_shown; i++) {
		const struct job_bad_area *bad = &job->bad[i];
		json_object *object = json_object_new_object();

		json_object_object_add(
			object, "end",
			json_object_new_string(bad->write ? "destination" : "source"));
		report_json_add_number(object, "lba", bad->lba);
		report_json_add_number(object, "sectors", bad->sectors);
		report_json_add_number(object, "offset", bad->lba * report->plan->sector_size);
		report_json_add_number(object, "bytes", bad->sectors * report->plan->sector_size);
		json_object_object_add(object, "errno",
				       bad->code ? json_object_new_int(-bad->code) : NULL);
		json_object_object_add(object, "sense", report_json_sense(&bad->sense));
		json_object_object_add(object, "partition",
				       report_json_positive_number(bad->partition));
		json_object_array_add(array, object);
	}
	return array;
}

json_object *report_json_held(unsigned areas, uint64_t bytes)
{
	json_object *object;

	if (areas == 0)
		return NULL;
	object = json_object_new_object();
	report_json_add_number(object, "areas", areas);
	report_json_add_number(object, "bytes", bytes);
	return object;
}

json_object *report_json_passes(const struct job_snapshot *job)
{
	json_object *array = json_object_new_array();

	for (unsigned i = 0; i < job->pass_count; i++) {
		const struct job_pass *pass = &job->passes[i];
		json_object *object = json_object_new_object();

		json_object_object_add(object, "name",
				       json_object_new_string(pass_name(pass->kind)));
		json_object_object_add(object, "rounds", json_object_new_int((int)pass->rounds));
		json_object_object_add(object, "seconds", report_json_seconds_of(pass->ns));
		report_json_add_number(object, "bytes", pass->done);
		json_object_object_add(object, "bytes_total",
				       report_json_positive_number(pass->total));
		report_json_add_number(object, "errors", pass->errors);
		json_object_array_add(array, object);
	}
	return array;
}

json_object *report_json_seconds(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "copy", report_json_seconds_of(job->copy_ns));
	json_object_object_add(object, "flush",
			       job->flushed ? report_json_seconds_of(job->flush_ns) : NULL);
	json_object_object_add(object, "paused", report_json_seconds_of(job->paused_ns));
	json_object_object_add(object, "verify",
			       job->verify_ns ? report_json_seconds_of(job->verify_ns) : NULL);
	json_object_object_add(object, "elapsed", report_json_seconds_of(job->elapsed));
	return object;
}

json_object *report_json_rate(const struct report *report)
{
	json_object *object = json_object_new_object();
	json_object *profile = json_object_new_array();

	json_object_object_add(object, "average", report_json_positive(report->job.average));
	json_object_object_add(object, "peak", report_json_positive(report->job.peak));
	for (size_t i = 0; i < RATES_PROFILE; i++)
		json_object_array_add(profile, report_json_positive(report->rates.profile[i]));
	json_object_object_add(object, "profile", profile);
	return object;
}

json_object *report_json_cpu(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();
	json_object *lanes = json_object_new_array();

	json_object_object_add(object, "user", json_object_new_double(job->process_cpu_user));
	json_object_object_add(object, "system", json_object_new_double(job->process_cpu_system));
	for (unsigned i = 0; i < job->lane_count; i++) {
		const struct cpu_share *share = &job->lanes[i].cpu;

		json_object_array_add(lanes, share->known
						     ? json_object_new_double((double)share->user +
									      (double)share->system)
						     : NULL);
	}
	json_object_object_add(object, "per_lane", lanes);
	return object;
}

/* The block node does not say how the data of any command went. */
static void add_way(json_object *object, const char *key, const struct io_stats *stats,
		    uint64_t commands)
{
	if (stats->direct || stats->indirect || stats->mapped)
		report_json_add_number(object, key, commands);
	else
		json_object_object_add(object, key, NULL);
}

static json_object *json_io_stats(const struct io_stats *stats)
{
	json_object *object;

	if (!stats->known)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "driver", report_json_text(stats->driver));
	add_way(object, "direct", stats, stats->direct);
	add_way(object, "indirect", stats, stats->indirect);
	add_way(object, "mapped", stats, stats->mapped);
	report_json_add_number(object, "recovered", stats->recovered);
	report_json_add_number(object, "retried", stats->retried);
	report_json_add_number(object, "waited", stats->waited);
	return object;
}

json_object *report_json_engine(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "choice", report_json_text(job->engine));
	json_object_object_add(object, "source_backend", report_json_text(job->source.backend));
	json_object_object_add(object, "destination_backend",
			       report_json_text(job->destination.backend));
	json_object_object_add(object, "source_sg", json_io_stats(&job->source.stats));
	json_object_object_add(object, "destination_sg", json_io_stats(&job->destination.stats));
	json_object_object_add(object, "lanes", json_object_new_int((int)job->lane_count));
	report_json_add_number(object, "chunk", job->chunk);
	report_json_add_number(object, "source_depth", job->source.depth);
	report_json_add_number(object, "destination_depth", job->destination.depth);
	report_json_add_number(object, "buffers", job->buffers);
	return object;
}
