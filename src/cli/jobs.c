/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command jobs: the copies that run on this machine, with a deck or without. */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/inspect.h"
#include "discover/running.h"
#include "report/json.h"
#include "session/progress.h"

enum jobs_column { PID, SOURCE, DESTINATION, DONE, LEFT, STATE, SINCE, COLUMN_COUNT };

static const struct column columns[COLUMN_COUNT] = {
	[PID] = { N_("PID"), COLUMN_RIGHT },
	[SOURCE] = { N_("SOURCE") },
	[DESTINATION] = { N_("DESTINATION") },
	[DONE] = { N_("DONE"), COLUMN_RIGHT },
	[LEFT] = { N_("LEFT"), COLUMN_RIGHT },
	[STATE] = { N_("STATE") },
	[SINCE] = { N_("SINCE") },
};

const char *cli_end_name(const struct running_end *end, char *buffer)
{
	if (end->file[0])
		return text_show(buffer, CLI_END_MAX, end->file);
	return text_copy(buffer, CLI_END_MAX, end->node[0] ? end->node : _("image"));
}

pid_t cli_tell_unwritten(void)
{
	pid_t pid = running_unwritten(NULL);
	char words[512];

	if (pid)
		fprintf(stderr, "clonedeck: %s\n",
			running_unwritten_words(pid, words, sizeof(words)));
	return pid;
}

static int add_row(struct columns *table, const struct running *job, struct error *reterr)
{
	char pid[24], done[16], left[96], since[32];
	const char *texts[COLUMN_COUNT] = {
		[PID] = pid,
		[SOURCE] = CLI_END_NAME(&job->source),
		[DESTINATION] = CLI_END_NAME(&job->destination),
		[DONE] = done,
		[LEFT] = progress_left_of_record(job, left, sizeof(left)),
		[STATE] = job->state,
		[SINCE] = since,
	};

	snprintf(pid, sizeof(pid), "%ld", (long)job->pid);
	snprintf(done, sizeof(done), "%.1f %%", job->percent);
	clock_print(job->started, "%Y-%m-%d %H:%M", since, sizeof(since));
	return columns_add(table, texts, reterr);
}

static int print_table(const struct running *jobs, size_t count, struct error *reterr)
{
	struct columns *table = NULL;
	int r;

	if (count == 0) {
		if (!running_unwritten(NULL))
			puts(_("No copy runs."));
		return 0;
	}
	r = columns_new(columns, COLUMN_COUNT, &table, reterr);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_row(table, &jobs[i], reterr);
	if (r == 0)
		r = columns_print(table, reterr);
	columns_destroy(table);
	for (size_t i = 0; r == 0 && i < count; i++) {
		char map[3 * sizeof(jobs[i].map)];

		printf("%s%ld: %s\n", i == 0 ? "\n" : "", (long)jobs[i].pid,
		       jobs[i].map[0] ? text_show(map, sizeof(map), jobs[i].map) : _("no map"));
	}
	return r;
}

static json_object *json_end(const struct running_end *end)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "node", report_json_text(end->node));
	json_object_object_add(object, "file", report_json_path(end->file));
	json_object_object_add(object, "serial", report_json_text(end->serial));
	return object;
}

static json_object *json_job(const struct running *job)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "pid", json_object_new_int64(job->pid));
	json_object_object_add(object, "started", json_object_new_int64(job->started));
	json_add_percent(object, job->percent);
	json_object_object_add(object, "seconds_left",
			       job->left < 0 ? NULL : json_object_new_int64(job->left));
	json_object_object_add(object, "state", report_json_text(job->state));
	json_object_object_add(object, "stage", report_json_text(job->stage));
	json_object_object_add(object, "bytes_per_second",
			       job->rate < 0 ? NULL : json_object_new_double(job->rate));
	json_add_number(object, "bad_bytes", job->bad);
	json_add_number(object, "errors", job->errors);
	json_add_bool(object, "has_deck", job->has_deck);
	json_object_object_add(object, "source", json_end(&job->source));
	json_object_object_add(object, "destination", json_end(&job->destination));
	json_object_object_add(object, "map", report_json_path(job->map));
	return object;
}

static int print_json(const struct running *jobs, size_t count, struct error *reterr)
{
	json_object *document = json_object_new_object();
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < count; i++)
		json_object_array_add(array, json_job(&jobs[i]));
	json_add_text(document, "schema", "clonedeck.jobs/1");
	json_object_object_add(document, "jobs", array);
	return disk_json_print(document, reterr);
}

struct jobs_options {
	bool json, help;
};

static const struct cli_option jobs_options[] = {
	{ "json", 0, 0, CLI_SWITCH(struct jobs_options, json) },
	{ "help", 0, 0, CLI_SWITCH(struct jobs_options, help) },
	{ NULL },
};

int cli_jobs(int argc, char **argv)
{
	struct running jobs[RUNNING_MAX];
	struct jobs_options options = { 0 };
	struct error error = { 0 };
	size_t count;
	int r = cli_parse(argc, argv, jobs_options, 0, &options, NULL);

	if (r != 0)
		return r;
	if (options.help)
		return cli_help(
			_("Usage: clonedeck jobs [--json]\n"
			  "\n"
			  "Shows the copies that run on this machine, how far they are, and their\n"
			  "maps.\n"
			  "\n"
			  "  --json  as JSON\n"));
	if (optind < argc)
		return cli_usage(argv[0], _("Unexpected argument \"%s\"."), argv[optind]);
	count = running_list(NULL, jobs);
	if ((options.json ? print_json : print_table)(jobs, count, &error) < 0)
		return cli_error(&error);
	cli_tell_unwritten();
	return cli_finish_output(EXIT_COMPLETE);
}
