/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of facts, and the words of those that only a report has. */
#include "report/facts.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "plan/preset.h"

/* ---- the outcome ---- */

static void result(const struct report *report, struct fact_sink *to)
{
	char line[REPORT_STEP_MAX];

	fact_put(to, "%s", report_result_line(report, line, sizeof(line)));
}

static void reason(const struct report *report, struct fact_sink *to)
{
	fact_put(to, "%s", report_reason(report));
}

/* ---- the plan ---- */

static void what(const struct report *report, struct fact_sink *to)
{
	const struct plan *plan = report->plan;
	const struct extent *extent = plan->extents;

	if (plan->whole && plan_left_out(plan))
		fact_put(to, "%s", _("the whole source but for free places"));
	else if (plan->whole)
		fact_put(to, "%s", _("the whole source, from its first sector to its last"));
	else if (plan->extent_count == 1)
		fact_put(to, _("LBA %" PRIu64 "-%" PRIu64 ", to LBA %" PRIu64 " on"),
			 extent->source_lba, extent->source_lba + extent->sectors - 1,
			 extent->destination_lba);
	else
		fact_put(to,
			 P_("%zu range, listed in the annex", "%zu ranges, listed in the annex",
			    plan->extent_count),
			 plan->extent_count);
}

static void plan_number(const struct report *report, struct fact_sink *to)
{
	fact_put(to, "%s", REPORT_PLAN_ID(report));
}

/* The preset of an ordinary copy is not mentioned. */
static void preset(const struct report *report, struct fact_sink *to)
{
	const struct plan_options *options = &report->plan->options;
	char sets[256];

	if (options->preset != PRESET_HEALTHY)
		fact_put(to, "%s: %s", preset_name(options->preset),
			 preset_print(options, sets, sizeof(sets)));
}

/* ---- the copy ---- */

static void from_to(const struct report *report, struct fact_sink *to)
{
	const struct job_snapshot *job = &report->job;

	if (job->started_at && job->ended_at)
		fact_put(to, _("%s to %s"), REPORT_WHEN(job->started_at),
			 REPORT_WHEN(job->ended_at));
}

static void ended(const struct report *report, struct fact_sink *to)
{
	fact_put(to, _("%s, after %s"), REPORT_WHEN(report->job.ended_at),
		 REPORT_DURATION(report->job.elapsed));
}

static void copied_now(const struct report *report, struct fact_sink *to)
{
	const struct job_snapshot *job = &report->job;

	if (job->average > 0 && job->peak > 0)
		fact_put(to, _("%s B in %s    average %s  most %s"),
			 UNITS_COUNT(job->written - job->already), REPORT_DURATION(job->copy_ns),
			 UNITS_RATE(job->average), UNITS_RATE(job->peak));
	else
		fact_put(to, _("%s B in %s"), UNITS_COUNT(job->written - job->already),
			 REPORT_DURATION(job->copy_ns));
}

static void copied_in_all(const struct report *report, struct fact_sink *to)
{
	fact_put(to, _("%s of %s bytes"), UNITS_COUNT(report->job.written),
		 UNITS_COUNT(report->job.total));
}

static void copied_before(const struct report *report, struct fact_sink *to)
{
	if (report->job.already)
		fact_put(to, _("%s B had been copied before"), UNITS_COUNT(report->job.already));
}

static void throughput(const struct report *report, struct fact_sink *to)
{
	const struct job_snapshot *job = &report->job;

	if (job->average > 0 && job->peak > 0)
		fact_put(to, _("%s on average, %s at most"), UNITS_RATE(job->average),
			 UNITS_RATE(job->peak));
}

/* ---- what was proven ---- */

static void verified_early(const struct report *report, struct fact_sink *to)
{
	if (report->job.proof.early)
		fact_put(to, _("of that, %s B while the rest was still copied"),
			 UNITS_COUNT(report->job.proof.early));
}

static void from_medium(const struct report *report, struct fact_sink *to)
{
	if (report->job.proof.verified && report->job.destination.stats.from_medium)
		fact_put(to, "%s", _("asked for past the device's own cache as well (FUA)"));
}

static void rewritten(const struct report *report, struct fact_sink *to)
{
	if (report->job.proof.rewritten)
		fact_put(to, _("%s B were wrong and were written again"),
			 UNITS_COUNT(report->job.proof.rewritten));
}

static void sums(const struct report *report, struct fact_sink *to)
{
	const struct job_sums *sums = &report->job.sums;

	for (size_t i = 0; job_sums_known(sums) && i < sums->count; i++)
		fact_put_as(to, checksum_name(sums->items[i].algorithm),
			    checksum_title(sums->items[i].algorithm), "%s", sums->items[i].hex);
	if (sums->count)
		report_sums(report, to);
}

static void hurt(const struct report *report, struct fact_sink *to)
{
	char words[256];

	for (size_t i = 0; i < report->hurt_count; i++)
		fact_put(to, "%s", report_hurt_words(&report->hurt[i], words, sizeof(words)));
}

/* ---- what was measured ---- */

static void latency_words(const struct latency_summary *latency, struct fact_sink *to)
{
	if (latency->count == 0)
		fact_put(to, "%s", _("unknown"));
	else
		fact_put(to, "p50 %s  p90 %s  p99 %s  p99.9 %s  max %s",
			 REPORT_MILLISECONDS(latency->p50), REPORT_MILLISECONDS(latency->p90),
			 REPORT_MILLISECONDS(latency->p99), REPORT_MILLISECONDS(latency->p999),
			 REPORT_MILLISECONDS(latency->max));
}

static void read_latency(const struct report *report, struct fact_sink *to)
{
	latency_words(&report->job.source.latency, to);
}

static void write_latency(const struct report *report, struct fact_sink *to)
{
	latency_words(&report->job.destination.latency, to);
}

static void back_latency(const struct report *report, struct fact_sink *to)
{
	if (report->job.read_back.count)
		latency_words(&report->job.read_back, to);
}

static void processor_time(const struct report *report, struct fact_sink *to)
{
	fact_put(to, _("%.2f s user, %.2f s system"), report->job.process_cpu_user,
		 report->job.process_cpu_system);
}

static void requests(const struct report *report, struct fact_sink *to)
{
	const struct job_snapshot *job = &report->job;

	fact_put(to,
		 _("%u threads, requests of %s, %u at once from the source, %u to the destination, "
		   "%u buffers"),
		 job->lane_count, UNITS_LONG(job->chunk, UNITS_IEC, 512), job->source.depth,
		 job->destination.depth, job->buffers);
}

static void trouble(const struct report *report, struct fact_sink *to)
{
	const struct job_snapshot *job = &report->job;

	fact_put(to,
		 _("%" PRIu64 " errors, %" PRIu64 " retries, %" PRIu64
		   " reads slower than a second"),
		 job->errors, job->retries, job->slow_reads);
}

/* The engine line says what was asked for; this, what was done. */
static void io_stats_words(const char *end, const struct io_stats *stats, struct fact_sink *to)
{
	if (!stats->known)
		return;
	if (stats->mapped)
		fact_put(to,
			 _("%s: %" PRIu64 " commands mapped, %" PRIu64 " recovered errors, %" PRIu64
			   " sent again, %" PRIu64 " waited for"),
			 end, stats->mapped, stats->recovered, stats->retried, stats->waited);
	else if (!stats->direct && !stats->indirect)
		/* The block node does not say how the data went. */
		fact_put(to,
			 _("%s: %" PRIu64 " recovered errors, %" PRIu64 " sent again, %" PRIu64
			   " waited for"),
			 end, stats->recovered, stats->retried, stats->waited);
	else
		fact_put(to,
			 _("%s: %" PRIu64 " commands direct, %" PRIu64 " indirect, %" PRIu64
			   " recovered errors, %" PRIu64 " sent again, %" PRIu64 " waited for"),
			 end, stats->direct, stats->indirect, stats->recovered, stats->retried,
			 stats->waited);
}

static void io_stats(const struct report *report, struct fact_sink *to)
{
	const struct io_stats *source = &report->job.source.stats;
	const struct io_stats *destination = &report->job.destination.stats;
	/* They are the driver's, so the ends share them. */
	const char *driver = source->driver[0] ? source->driver : destination->driver;
	const char *advice = source->advice ? source->advice : destination->advice;

	io_stats_words(_("source"), source, to);
	io_stats_words(_("dest"), destination, to);
	if (driver[0])
		fact_put(to, _("sg driver %s"), driver);
	if (advice)
		fact_put(to, "%s", advice);
}

static void program(const struct report *report, struct fact_sink *to)
{
	fact_put(to, "clonedeck %s, Linux %s", report->version, report->kernel);
}

/* ---- files ---- */

static void map_file(const struct report *report, struct fact_sink *to)
{
	if (report->files.map[0] && !report->job.map_safe)
		fact_put(to, _("%s could not be written"), report->files.map);
	else
		fact_put(to, "%s", report->files.map);
}

static void digests_file(const struct report *report, struct fact_sink *to)
{
	if (report->job.digests_code < 0)
		fact_put(to, _("%s could not be written"), report->files.digests);
	else if (report->job.digests_saved)
		fact_put(to, "%s", report->files.digests);
}

static void sum_files(const struct report *report, struct fact_sink *to)
{
	char path[REPORT_STEP_MAX];

	for (size_t i = 0; i < report->job.sums.count; i++) {
		enum checksum_algorithm algorithm = report->job.sums.items[i].algorithm;

		if (report_sum_path(report, algorithm, path, sizeof(path)))
			fact_put_as(to, checksum_name(algorithm), checksum_title(algorithm), "%s",
				    path);
	}
}

static void in_memory(const struct report *report, struct fact_sink *to)
{
	if (report->log_dir_in_memory)
		fact_put(to, "%s", _("These files are in memory and are gone after a restart."));
}

static void next(const struct report *report, struct fact_sink *to)
{
	for (size_t i = 0; i < report->next_count; i++)
		fact_put(to, "%s", report->next[i]);
}

static void host(const struct report *report, struct fact_sink *to)
{
	fact_put(to, "%s, Linux %s, clonedeck %s", report->host, report->kernel, report->version);
}

/* ---- the table ---- */

JSON_AS_PART(error_part, report_json_error, struct error)
JSON_AS_PART(latencies_part, report_json_latencies, struct job_snapshot)
JSON_AS_PART(forecasts_part, report_json_forecasts, struct job_snapshot)
JSON_AS_PART(passes_part, report_json_passes, struct job_snapshot)

static json_object *extents(const struct report *report)
{
	return report_json_extents(report->plan);
}

static json_object *is_whole(const struct report *report)
{
	return json_object_new_boolean(report->plan->whole);
}

static json_object *sector_size(const struct report *report)
{
	return json_object_new_uint64(report->plan->sector_size);
}

static json_object *left_alone(const struct report *report)
{
	return json_object_new_uint64(plan_bytes_left_alone(report->plan));
}

#define MADE(name, maker)     .json.key = (name), .make = (maker)
#define OF(key, kind, member) JSON_FIELD(key, kind, struct report, member)

static const struct fact facts[] = {
	{ FACT_OUTCOME, MADE("schema", report_json_schema) },
	{ FACT_OUTCOME, .json = OF("version", JSON_TEXT, version) },
	{ FACT_OUTCOME, MADE("host", report_json_host) },
	{ FACT_OUTCOME, .label = N_("RESULT"), .words = result,
	  MADE("result", report_json_result) },
	{ FACT_OUTCOME, MADE("exit_code", report_json_exit_code) },
	{ FACT_OUTCOME, .label = "", .words = reason,
	  .json = JSON_PART_OF("error", error_part, struct report, job.error) },
	{ FACT_OUTCOME, .label = "", .words = report_boot_line },
	{ FACT_OUTCOME, .label = N_("in use"), .words = report_in_use,
	  .json = OF("source_writer", JSON_TEXT, source_writer) },
	{ FACT_OUTCOME, .label = N_("slow"), .words = report_weak_zone },
	{ FACT_OUTCOME, .label = N_("operator"), .title = N_("Operator"),
	  .json = OF("operator", JSON_TEXT, operator_name) },
	{ FACT_OUTCOME, .label = N_("ticket"), .title = N_("Ticket"),
	  .json = OF("ticket", JSON_TEXT, ticket) },
	{ FACT_OUTCOME, .json = OF("serials_masked", JSON_BOOL, mask_serials) },

	{ FACT_ENDS, .label = N_("source"), .words = report_tell_source,
	  MADE("source", report_json_source) },
	{ FACT_ENDS, .label = N_("dest"), .words = report_tell_destination,
	  MADE("destinations", report_json_destinations) },
	{ FACT_ENDS, .label = N_("range"), .words = report_ranges, MADE("plan", extents) },
	{ FACT_ENDS, .title = N_("What"), .words = what, MADE("whole", is_whole) },
	{ FACT_ENDS, MADE("sector_size", sector_size) },
	{ FACT_ENDS, MADE("map", report_json_map) },
	{ FACT_PLAN, .label = N_("plan"), .words = plan_number,
	  MADE("plan_id", report_json_plan_id) },
	{ FACT_PLAN, .label = N_("preset"), .title = N_("Preset"), .words = preset,
	  MADE("preset", report_json_preset) },

	{ FACT_WHEN, .label = N_("when"), .words = from_to },
	{ FACT_WHEN, .title = N_("Begun"), .json = OF("started_at", JSON_TIME, job.started_at) },
	{ FACT_WHEN, .title = N_("Ended"), .words = ended,
	  .json = OF("ended_at", JSON_TIME, job.ended_at) },
	{ FACT_COPIED, .json = OF("bytes_total", JSON_NUMBER, job.total) },
	{ FACT_COPIED, .label = N_("copied"), .words = copied_now,
	  .json = OF("bytes_copied", JSON_NUMBER, job.written) },
	{ FACT_COPIED, .title = N_("Copied"), .words = copied_in_all },
	{ FACT_COPIED, .label = "", .title = "", .words = copied_before,
	  .json = OF("bytes_copied_before", JSON_NUMBER, job.already) },
	{ FACT_COPIED, .title = N_("Throughput"), .words = throughput,
	  MADE("rate", report_json_rate) },
	{ FACT_COPIED, .label = N_("forecast"), .title = N_("Forecasts"), .words = report_forecasts,
	  .json = JSON_PART_OF("forecasts", forecasts_part, struct report, job) },
	{ FACT_COPIED, .label = N_("missing"), .title = N_("Not readable"), .words = report_missing,
	  .json = OF("bad_bytes", JSON_NUMBER, job.bad_bytes) },
	{ FACT_COPIED, .json = OF("bad_areas_total", JSON_NUMBER, job.bad_areas) },
	{ FACT_COPIED, MADE("bad_areas", report_json_bad_areas) },

	{ FACT_PROVEN, .label = N_("verified"), .title = N_("Read back"), .words = report_verified,
	  MADE("verify", report_json_verify) },
	{ FACT_PROVEN, MADE("bytes_verified", report_json_bytes_verified) },
	{ FACT_PROVEN, .label = "", .words = verified_early },
	{ FACT_PROVEN, .label = "", .words = from_medium },
	{ FACT_PROVEN, .label = "", .words = rewritten },
	{ FACT_PROVEN, .label = "", .title = N_("Source checked"), .words = report_rechecked },
	{ FACT_PROVEN, .label = N_("reread"), .title = N_("Final look"), .words = report_look,
	  MADE("final_look", report_json_look) },
	{ FACT_PROVEN, .label = "", .title = "", .words = report_look_places },
	{ FACT_PROVEN, MADE("digests", report_json_digests) },
	{ FACT_REST, .label = N_("left out"), .title = N_("Left out"), .words = report_left_out,
	  MADE("domain", report_json_domain) },
	{ FACT_REST, .label = N_("free"), .title = N_("Free places"), .words = report_free,
	  MADE("free_places", report_json_free) },
	{ FACT_REST, .label = "", .title = "", .words = report_free_now },
	{ FACT_REST, .label = N_("the rest"), .title = N_("The rest"), .words = report_left_alone,
	  MADE("bytes_left_alone", left_alone) },
	{ FACT_SUMS, .label = N_("sums"), .title = N_("Sums"), .words = sums,
	  MADE("sums", report_json_sums) },
	{ FACT_FLUSHED, .label = N_("flushed"), .title = N_("Flushed"), .words = report_flushed,
	  .json = OF("flushed", JSON_BOOL, job.flushed) },
	{ FACT_FLUSHED, .json = OF("flushed_at", JSON_TIME, job.flushed_at) },
	{ FACT_FLUSHED, MADE("held_back", report_json_held_back) },
	{ FACT_FLUSHED, .label = N_("tables"), .title = N_("Tables"), .words = report_armed,
	  MADE("armed", report_json_armed) },
	{ FACT_FLUSHED, .label = "", .title = "", .words = report_from_memory,
	  .json = OF("held_from_memory", JSON_NUMBER, job.held_from_memory) },
	{ FACT_FLUSHED, .label = "", .title = "", .words = report_fitted,
	  MADE("fitted", report_json_fitted_table) },
	{ FACT_FLUSHED, .label = "", .title = "", .words = report_grown_fs,
	  MADE("grown_fs", report_json_grown_fs) },
	{ FACT_FLUSHED, .label = N_("boots"), .title = N_("Can start"), .words = report_boots,
	  MADE("boot", report_json_boot) },
	{ FACT_FLUSHED, .label = "", .title = "", .words = report_entries },
	{ FACT_FLUSHED, .label = N_("after"), .title = N_("Afterwards"), .words = report_after,
	  MADE("after", report_json_after) },
	{ FACT_FLUSHED, .full = true, .label = N_("ids"), .title = N_("Identifiers"),
	  .words = report_identifiers, MADE("identifiers", report_json_identifiers) },
	{ FACT_FLUSHED, .title = N_("Hurt"), .words = hurt, MADE("hurt", report_json_hurt) },

	{ FACT_MEASURED, .label = N_("read ms"), .words = read_latency,
	  .json = JSON_PART_OF("latency", latencies_part, struct report, job) },
	{ FACT_MEASURED, .full = true, .label = "", .title = N_("Slowest place"),
	  .words = report_slowest, MADE("latency_by_place", report_json_zones) },
	{ FACT_MEASURED, .label = N_("write ms"), .words = write_latency },
	{ FACT_MEASURED, .label = N_("back ms"), .words = back_latency },
	{ FACT_MEASURED, .label = N_("cpu"), .title = N_("Processor time"), .words = processor_time,
	  MADE("cpu", report_json_cpu) },
	{ FACT_MEASURED, .label = N_("engine"), .title = N_("Engine"),
	  .json = OF(NULL, JSON_TEXT, job.engine) },
	{ FACT_MEASURED, MADE("engine", report_json_engine) },
	{ FACT_MEASURED, .full = true, .label = "", .title = N_("Requests"), .words = requests },
	{ FACT_MEASURED, .full = true, .label = "", .title = N_("Trouble"), .words = trouble,
	  .json = OF("errors", JSON_NUMBER, job.errors) },
	{ FACT_MEASURED, .json = OF("retries", JSON_NUMBER, job.retries) },
	{ FACT_MEASURED, .json = OF("slow_reads", JSON_NUMBER, job.slow_reads) },
	{ FACT_MEASURED, .label = "", .words = io_stats },
	{ FACT_MEASURED, .title = N_("Program"), .words = program },
	{ FACT_MEASURED, MADE("seconds", report_json_seconds) },
	{ FACT_MEASURED, .json = JSON_PART_OF("passes", passes_part, struct report, job) },
	{ FACT_MEASURED, MADE("warnings", report_json_warnings) },
	{ FACT_MEASURED, MADE("events", report_json_events) },

	{ FACT_FILES, MADE("files", report_json_files) },
	{ FACT_FILES, .label = N_("report"), .title = N_("Report"),
	  .json = OF(NULL, JSON_PATH, files.json) },
	{ FACT_FILES, .label = N_("paper"), .json = OF(NULL, JSON_PATH, files.certificate) },
	{ FACT_FILES, .label = N_("map"), .title = N_("Map"), .words = map_file },
	{ FACT_FILES, .label = N_("digests"), .title = N_("Digests"), .words = digests_file },
	{ FACT_FILES, .label = "", .title = "", .words = sum_files },
	{ FACT_FILES, .label = N_("log"), .title = N_("Log"),
	  .json = OF(NULL, JSON_PATH, files.log) },
	{ FACT_FILES, .label = N_("note"), .words = in_memory },
	{ FACT_NEXT, .label = N_("next"), .title = N_("Left to do"), .words = next,
	  MADE("next", report_json_next) },
	{ FACT_NEXT, .label = N_("host"), .words = host },
};

/* ---- who is told ---- */

void fact_put_as(struct fact_sink *to, const char *label, const char *title, const char *format,
		 ...)
{
	const char *name = to->titles ? title : label;
	char text[REPORT_STEP_MAX];

	text_vprint(text, sizeof(text), format);
	if (!text[0])
		return;
	to->put(to, name ? name : to->name, text);
	to->name = "";
}

static void tell(const struct fact *fact, const struct report *report, struct fact_sink *to)
{
	const void *member = (const char *)report + fact->json.offset;

	if (fact->words)
		fact->words(report, to);
	else if (fact->json.kind == JSON_TIME)
		fact_put(to, "%s", REPORT_WHEN(*(const int64_t *)member));
	else
		fact_put(to, "%s", (const char *)member);
}

void report_tell(const struct report *report, enum fact_group first, enum fact_group last,
		 struct fact_sink *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		const struct fact *fact = &facts[i];
		const char *name = to->titles ? fact->title : fact->label;

		if (fact->group < first || fact->group > last || !name || (fact->full && !to->full))
			continue;
		to->name = name[0] ? _(name) : "";
		tell(fact, report, to);
	}
}

json_object *report_json_of_facts(const struct report *report)
{
	json_object *object = json_object_new_object();

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (facts[i].make)
			json_object_object_add(object, facts[i].json.key, facts[i].make(report));
		else
			report_json_add_field(object, &facts[i].json, report);
	return object;
}
