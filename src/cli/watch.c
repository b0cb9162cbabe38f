/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/watch.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/headless.h"
#include "session/progress.h"

#define LOOK_EVERY 1000 /* ms; a record is written every two seconds */
#define EVERY_FILE 10   /* looks for each line in a file or a pipe */

#define COLUMNS_MAX     512
#define BYTES_PER_GLYPH 4

const char *watch_end_name(const struct running_end *end)
{
	return end->node[0] ? end->node : _("image");
}

void watch_print_end(FILE *out, const struct running *job)
{
	char report[3 * sizeof(job->report)];

	fprintf(out,
		_("The copy of process %ld, %s -> %s, has ended with exit status %d. Report: %s\n"),
		(long)job->pid, watch_end_name(&job->source), watch_end_name(&job->destination),
		job->exit_code,
		job->report[0] ? text_show(report, sizeof(report), job->report)
			       : _("none was written"));
}

typedef size_t list_fn(const char *folder, struct running *ret);

/* A process number may be another copy's by now. */
static bool find(list_fn *list, const struct running *wanted, struct running *ret)
{
	CLEANUP(free) struct running *all = calloc(RUNNING_MAX, sizeof(*all));
	size_t count = all ? list(NULL, all) : 0;

	for (size_t i = 0; i < count; i++) {
		if (all[i].pid != wanted->pid || all[i].started != wanted->started)
			continue;
		*ret = all[i];
		return true;
	}
	return false;
}

static void print_line(const struct running *job, bool terminal)
{
	char line[PROGRESS_LINE_MAX], fitted[BYTES_PER_GLYPH * COLUMNS_MAX + 1];

	progress_of_record(job, line);
	if (terminal)
		printf("\r%s", text_fit(fitted, sizeof(fitted), line, headless_columns() - 1));
	else
		puts(line);
	fflush(stdout);
}

static int tell_end(const struct running *before)
{
	char path[3 * sizeof(before->map)];
	struct running ended;

	if (find(running_list_ended, before, &ended)) {
		watch_print_end(stdout, &ended);
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

int watch(const struct running *job)
{
	struct running now = *job;
	struct pollfd signals = { .fd = headless_block_signals(), .events = POLLIN };
	bool terminal = isatty(STDOUT_FILENO), left = false;

	if (signals.fd < 0)
		return EXIT_ENVIRONMENT;
	printf(_("Process %ld copies %s to %s without a deck; Ctrl-C leaves it to itself.\n"),
	       (long)job->pid, watch_end_name(&job->source), watch_end_name(&job->destination));
	for (unsigned look = 0; !left && find(running_list, job, &now); look++) {
		if (terminal || look % EVERY_FILE == 0)
			print_line(&now, terminal);
		left = poll(&signals, 1, LOOK_EVERY) > 0;
	}
	close(signals.fd);
	if (terminal)
		putchar('\n');
	return left ? tell_left(job) : tell_end(&now);
}
