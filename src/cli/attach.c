/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command attach: the deck of a copy that runs comes to this terminal; of one whose deck
 * cannot, or that has none, what its record tells. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/headless.h"
#include "discover/running.h"
#include "session/progress.h"
#include "ui/deck.h"

#define LOOK_EVERY 1000 /* ms; a record is written every two seconds */
#define EVERY_FILE 10   /* looks for each line in a file or a pipe */

static void print_end(FILE *out, const struct running *job)
{
	char report[3 * sizeof(job->report)];

	fprintf(out,
		_("The copy of process %ld, %s -> %s, has ended with exit status %d. Report: %s\n"),
		(long)job->pid, CLI_END_NAME(&job->source), CLI_END_NAME(&job->destination),
		job->exit_code,
		job->report[0] ? text_show(report, sizeof(report), job->report)
			       : _("none was written"));
}

/* A process number may be another copy's by now. */
static bool still_runs(const struct running *wanted, struct running *ret)
{
	struct running all[RUNNING_MAX];
	size_t count = running_list(NULL, all);

	for (size_t i = 0; i < count; i++) {
		if (all[i].pid != wanted->pid || all[i].started != wanted->started)
			continue;
		*ret = all[i];
		return true;
	}
	return false;
}

/* False: nobody reads it any more, or there is no room for it. */
static bool print_line(const struct running *job, bool terminal)
{
	char line[PROGRESS_LINE_MAX];

	progress_of_record(job, line);
	if (terminal)
		headless_put(stdout, line);
	else
		puts(line);
	return fflush(stdout) == 0 && !ferror(stdout);
}

static int tell_end(const struct running *before)
{
	char path[3 * sizeof(before->map)];
	struct running ended;

	if (running_find_ended(NULL, before->pid, &ended) && ended.started == before->started) {
		print_end(stdout, &ended);
		return cli_finish_output(ended.exit_code);
	}
	fprintf(stderr,
		_("clonedeck: Process %ld has ended and said nothing. Its copy resumes from its "
		  "map, %s.\n"),
		(long)before->pid,
		before->map[0] ? text_show(path, sizeof(path), before->map) : _("none"));
	return EXIT_INTERNAL;
}

static int tell_left(const struct running *job)
{
	printf(_("The copy of process %ld goes on; SIGINT stops it.\n"), (long)job->pid);
	return cli_finish_output(EXIT_COMPLETE);
}

static int watch(const struct running *job)
{
	struct running now = *job;
	struct pollfd signals = { .fd = headless_block_signals(), .events = POLLIN };
	bool terminal = isatty(STDOUT_FILENO), left = false;

	if (signals.fd < 0)
		return EXIT_ENVIRONMENT;
	cli_fit_output();
	printf(_("Process %ld copies %s to %s. It has no deck that can come to this terminal; "
		 "Ctrl-C leaves it to itself.\n"),
	       (long)job->pid, CLI_END_NAME(&job->source), CLI_END_NAME(&job->destination));
	for (unsigned look = 0; !left && still_runs(job, &now); look++) {
		bool prints = terminal || look % EVERY_FILE == 0;

		left = (prints && !print_line(&now, terminal)) || poll(&signals, 1, LOOK_EVERY) > 0;
	}
	close(signals.fd);
	if (terminal)
		putchar('\n');
	return left ? tell_left(job) : tell_end(&now);
}

static void print_job(FILE *out, const struct running *job)
{
	fprintf(out, _("%ld: %s -> %s, %.1f %%, %s\n"), (long)job->pid, CLI_END_NAME(&job->source),
		CLI_END_NAME(&job->destination), job->percent, job->state);
}

/* The copies that ended a short time ago. */
static void tell_ended(uint32_t pid)
{
	struct running jobs[RUNNING_MAX];
	size_t count =
		pid ? running_find_ended(NULL, (pid_t)pid, jobs) : running_list_ended(NULL, jobs);

	for (size_t i = 0; i < count; i++)
		print_end(stderr, &jobs[i]);
}

/* The one that was asked for; NULL: none, which was told. */
static const struct running *choose(const struct running *jobs, size_t count, uint32_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pid == 0 ? count == 1 : jobs[i].pid == (pid_t)pid)
			return &jobs[i];

	pid_t unwritten = cli_tell_unwritten();

	if (pid && unwritten != (pid_t)pid)
		fprintf(stderr, _("clonedeck: Process %u runs no copy.\n"), pid);
	else if (!pid && count == 0 && !unwritten)
		fprintf(stderr, "clonedeck: %s\n", _("No copy runs."));
	/* If several run and no PID is given, those are listed, not the ones that have ended. */
	if (pid || count == 0)
		tell_ended(pid);
	if (count == 0)
		return NULL;
	fputs(_("These copies run; 'clonedeck attach PID' takes one:\n"), stderr);
	for (size_t i = 0; i < count; i++)
		print_job(stderr, &jobs[i]);
	return NULL;
}

static int tell_not_allowed(const struct running *job)
{
	fprintf(stderr,
		_("clonedeck: The copy of process %ld is root's: only root can attach to it.\n"),
		(long)job->pid);
	print_job(stderr, job);
	return EXIT_ENVIRONMENT;
}

/* Its deck would answer nothing, and what is typed there would wait for it. */
static int tell_suspended(const struct running *job)
{
	fprintf(stderr,
		_("clonedeck: Process %ld is suspended (SIGSTOP), and its copy with it. It goes on "
		  "with:  kill -CONT %ld\n"),
		(long)job->pid, (long)job->pid);
	print_job(stderr, job);
	return EXIT_ENVIRONMENT;
}

static int attach(const struct deck_options *looks, uint32_t pid)
{
	struct deck_options options = *looks;
	struct running jobs[RUNNING_MAX];
	size_t count = running_list(NULL, jobs);
	const struct running *job = choose(jobs, count, pid);
	int code = EXIT_USAGE, found = 0;
	char own[512];

	if (job && strcmp(job->state, RUNNING_SUSPENDED) == 0) {
		code = tell_suspended(job);
	} else if (job) {
		options.folder = job->by_root                       ? RUNNING_ROOT_FOLDER
				 : running_folder(own, sizeof(own)) ? own
								    : NULL;
		if (options.folder)
			code = deck_attach(&options, (long)job->pid, &found);
		if (found == -EACCES)
			code = tell_not_allowed(job);
		else if (found < 0)
			code = watch(job);
	}
	return code;
}

struct attach {
	struct deck_options deck;
	bool help;
};

static const struct cli_option options[] = {
	CLI_LOOKS(struct attach, deck.looks),
	{ "help", 0, 0, CLI_SWITCH(struct attach, help) },
	{ NULL },
};

int cli_attach(int argc, char **argv)
{
	struct cli_defaults defaults;
	int unusable = cli_read_defaults(&defaults), r;
	struct attach wanted = { .deck.looks = defaults.looks };
	uint32_t pid = 0;

	r = cli_parse(argc, argv, options, 0, &wanted, NULL);
	if (r != 0)
		return r;
	if (wanted.help)
		return cli_help(
			_("Usage: clonedeck attach [--glyphs=SET] [--color=WHEN] [--theme=THEME]\n"
			  "                        [--no-mouse] [--size COLUMNSxROWS] [PID]\n"
			  "\n"
			  "Brings the deck of a copy that runs to this terminal: one that was "
			  "left, or\n"
			  "that another terminal shows. PID is one of 'clonedeck jobs'; it is "
			  "needed only\n"
			  "if several copies run. The options are those of the deck.\n"
			  "\n"
			  "A copy that was started on the command line has no deck, and the deck "
			  "of a copy\n"
			  "of practice disks stays in its terminal. Of both, the progress is shown "
			  "until\n"
			  "the copy ends. Ctrl-C leaves that; the copy goes on.\n"));
	if (optind < argc && !cli_parse_number(argv[optind], INT32_MAX, &pid))
		return cli_usage(argv[0],
				 _("\"%s\" is no process number; 'clonedeck jobs' shows those of "
				   "the copies that run."),
				 argv[optind]);
	if (optind + 1 < argc)
		return cli_usage(argv[0], _("Unexpected argument \"%s\"."), argv[optind + 1]);
	return unusable ? unusable : attach(&wanted.deck, pid);
}
