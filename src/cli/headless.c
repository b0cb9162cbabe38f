/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/headless.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli.h"
#include "report/json.h"
#include "session/progress.h"

#define EVERY_TERMINAL (NSEC_PER_SEC / 2)
#define EVERY_JSON     NSEC_PER_SEC
#define EVERY_FILE     (10 * NSEC_PER_SEC)
#define LEAVE_AFTER    (5 * NSEC_PER_SEC)
/* A healthy disk needs less for a request or a flush; the kernel gives up after this time, too. */
#define HANGS_AFTER     60 /* seconds */
#define LOOK_EVERY      (NSEC_PER_SEC / 2)
#define WITHOUT_POLL    (NSEC_PER_SEC / 10)
#define COLUMNS_DEFAULT 80
#define COLUMNS_MAX     512
#define BYTES_PER_GLYPH 4

struct headless {
	struct session *session;
	int signal_fd;
	struct headless_options wanted;
	bool terminal;
	bool reads;       /* a verification: its lines are for a terminal only */
	bool line_open;   /* the cursor is behind a progress line */
	bool map_failed;  /* was said */
	bool log_failed;  /* likewise */
	bool stop_wanted; /* a signal asked for it */
	bool stop_said, way_out_said, changing_said;
	bool abandoned;           /* the copy is still stopping, but no longer waited for */
	uint64_t stop_since;      /* monotonic ns, of the first signal */
	uint64_t moved[3];        /* what shows that something still goes on */
	uint64_t moved_at;        /* monotonic ns: when it last did */
	char who[320], note[400]; /* what was said of it */
	uint64_t next;            /* when the next line is due, monotonic ns */
	enum job_state shown;
};

int headless_block_signals(void)
{
	sigset_t set;

	signals_that_stop(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	/* A reader that goes away must not end the copy. */
	signal(SIGPIPE, SIG_IGN);
	int fd = sigprocmask(SIG_BLOCK, &set, NULL) < 0
			 ? -1
			 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

	if (fd < 0)
		fprintf(stderr, _("clonedeck: Signals cannot be received: %s.\n"),
			error_phrase(errno));
	return fd;
}

int headless_columns(void)
{
	int columns = columns_width();

	return !columns ? COLUMNS_DEFAULT : columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
}

void headless_put(FILE *out, const char *line)
{
	char fitted[BYTES_PER_GLYPH * COLUMNS_MAX + 1];

	/* The last column stays free: some terminals wrap as soon as it is written. */
	fprintf(out, "\r%s", text_fit(fitted, sizeof(fitted), line, headless_columns() - 1));
}

/* An open progress line is ended before anything else is said. */
static void close_line(struct headless *run)
{
	if (!run->line_open)
		return;
	putchar('\n');
	fflush(stdout);
	run->line_open = false;
}

static void print_progress(struct headless *run, const struct job_snapshot *job)
{
	char line[PROGRESS_LINE_MAX];

	if (run->wanted.json) {
		char *text CLEANUP(free) =
			progress_json(session_choice(run->session).plan, job, NULL);

		if (text)
			puts(text);
	} else if (run->terminal) {
		headless_put(stdout, progress_line(job, line));
		run->line_open = true;
	} else if (!run->reads) {
		puts(progress_line(job, line));
	}
	/* A full disk or a closed pipe as standard output does not stop the copy. */
	if (fflush(stdout) != 0)
		clearerr(stdout);
}

static uint64_t interval(const struct headless *run)
{
	if (run->wanted.json)
		return EVERY_JSON;
	return run->terminal ? EVERY_TERMINAL : EVERY_FILE;
}

static const char *map_name(const struct headless *run, char buffer[static 256])
{
	const char *path = session_copy(run->session).map_path;

	return text_show(buffer, 256, path);
}

/* Loudly, and how to get out of it: a copy whose map is only in memory is lost with the machine. */
static void say_map_failed(struct headless *run, const struct job_snapshot *job)
{
	char name[256];

	if (job->map_failed && !run->map_failed) {
		close_line(run);
		fprintf(stderr,
			_("clonedeck: The map cannot be saved as %s. The copy goes on with the map "
			  "in memory; kill -USR2 %ld saves it at another place.\n"),
			map_name(run, name), (long)getpid());
	}
	run->map_failed = job->map_failed;
}

static void say_log_failed(struct headless *run, const struct job_snapshot *job)
{
	if (job->log_failed != run->log_failed) {
		close_line(run);
		if (job->log_failed)
			fprintf(stderr,
				_("clonedeck: The log cannot be written; its disk is full, gone or "
				  "does not answer. The copy goes on without; kill -USR2 %ld keeps "
				  "log and map at another place.\n"),
				(long)getpid());
		else
			fprintf(stderr, "clonedeck: %s\n", _("The log is written again."));
	}
	run->log_failed = job->log_failed;
}

/* Progress when it is due, or at once when the state changed. Returns true when it ended. */
static bool show(struct headless *run)
{
	struct job_snapshot snapshot;
	uint64_t now = clock_monotonic();

	if (!session_snapshot(run->session, &snapshot))
		return false;
	say_map_failed(run, &snapshot);
	say_log_failed(run, &snapshot);
	if (snapshot.state == JOB_ENDED)
		return true;
	if (snapshot.state != run->shown || now >= run->next) {
		print_progress(run, &snapshot);
		run->shown = snapshot.state;
		run->next = now + interval(run);
	}
	return false;
}

static void say_now(struct headless *run)
{
	struct job_snapshot snapshot;
	char line[PROGRESS_LINE_MAX];

	if (!session_snapshot(run->session, &snapshot))
		return;
	if (run->wanted.json) {
		print_progress(run, &snapshot);
		return;
	}
	close_line(run);
	fprintf(stderr, "clonedeck: %s\n", progress_line(&snapshot, line));
}

static void move_map(struct headless *run)
{
	struct error error = { 0 };

	close_line(run);
	if (session_move_map(run->session, NULL, &error) < 0)
		cli_error(&error);
}

static void say_moved(struct headless *run)
{
	const struct error *error = session_error(run->session, SESSION_TASK_MOVE);
	char name[256];

	close_line(run);
	if (error->code < 0) {
		cli_error(error);
		return;
	}
	fputs("clonedeck: ", stderr);
	fprintf(stderr,
		session_copy(run->session).log_moved
			? _("The map is kept as %s from now on; log and report go there, too.")
			: _("The map is kept as %s from now on."),
		map_name(run, name));
	fputc('\n', stderr);
	if (session_copy(run->session).map_in_memory)
		fputs(_("clonedeck: That is in memory: copy the map to a disk before this machine "
			"restarts.\n"),
		      stderr);
}

static void want_stop(struct headless *run)
{
	if (!run->stop_wanted)
		run->stop_since = run->moved_at = clock_monotonic();
	run->stop_wanted = true;
}

/* The first one stops; one that comes when stopping takes too long leaves the disk alone. */
static void stop_signal(struct headless *run)
{
	if (run->stop_wanted && clock_monotonic() - run->stop_since >= LEAVE_AFTER)
		run->abandoned = true;
	want_stop(run);
}

static void take_signals(struct headless *run)
{
	struct signalfd_siginfo info;

	while (read(run->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGUSR1:
			say_now(run);
			break;
		case SIGUSR2:
			move_map(run);
			break;
		case SIGHUP:
			/* The terminal is gone; the copy is not. */
			run->terminal = false;
			run->line_open = false;
			session_note(
				run->session,
				run->wanted.stop_on_hangup
					? _("The terminal is gone; the copy is stopped.")
					: _("The terminal is gone; the copy goes on without it."));
			if (run->wanted.stop_on_hangup)
				want_stop(run);
			break;
		case SIGXCPU:
			/* It comes again with every second of processor time. */
			want_stop(run);
			break;
		default:
			stop_signal(run);
			break;
		}
	}
}

static void stop_when_wanted(struct headless *run)
{
	enum session_state state = session_state(run->session);

	if (!run->stop_wanted || run->stop_said ||
	    (state != SESSION_STARTING && state != SESSION_RUNNING && state != SESSION_VERIFYING))
		return;
	run->stop_said = state == SESSION_RUNNING;
	session_stop(run->session);
	if (!run->stop_said)
		return;
	close_line(run);
	fputs(_("clonedeck: Stopping: waiting for what is in flight, flushing, saving the map.\n"),
	      stderr);
}

/* No disk hangs then, and what is half changed is no use. Only a signal leaves that. */
static void say_changing(struct headless *run)
{
	run->moved_at = clock_monotonic();
	if (run->changing_said)
		return;
	run->changing_said = true;
	close_line(run);
	fputs(_("clonedeck: The copy is complete; its file systems or identifiers are being "
		"changed, as you asked. clonedeck waits for that. A second signal ends the "
		"waiting: the tool that runs gets to its end, the rest is not done, and no report "
		"is made.\n"),
	      stderr);
}

/* A hanging disk may keep the copy from ever stopping: give it up after a while, even without a
 * user. */
static void look_after_stop(struct headless *run)
{
	struct job_snapshot job = { 0 };
	uint64_t now = clock_monotonic();

	if (!run->stop_wanted)
		return;
	if (session_copy(run->session).changing) {
		say_changing(run);
		return;
	}
	session_snapshot(run->session, &job);

	const uint64_t moved[] = { job.source.requests + job.destination.requests,
				   (uint64_t)job.state, (uint64_t)session_state(run->session) };

	if (memcmp(moved, run->moved, sizeof(moved)) != 0) {
		memcpy(run->moved, moved, sizeof(moved));
		run->moved_at = now;
	}
	if (now - run->moved_at >= HANGS_AFTER * NSEC_PER_SEC)
		run->abandoned = true;
	if (run->way_out_said || now - run->moved_at < LEAVE_AFTER)
		return;
	run->way_out_said = true;
	close_line(run);
	fprintf(stderr,
		_("clonedeck: Still stopping: a disk does not answer. A second signal gives it up "
		  "at once; without one that happens after %u seconds.\n"),
		HANGS_AFTER);
}

static int poll_timeout(const struct headless *run)
{
	uint64_t now = clock_monotonic(), next = run->next;

	if (run->stop_wanted && (next <= now || next > now + LOOK_EVERY))
		next = now + LOOK_EVERY;
	if (next <= now)
		return session_copy(run->session).job ? 0 : -1;
	return (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

/* If memory is short, the kernel may refuse to wait for descriptors. Copy and signals must not
 * suffer: then they are polled now and again. */
static void wait_for_events(struct headless *run)
{
	struct pollfd fds[] = {
		{ .fd = session_fd(run->session), .events = POLLIN },
		{ .fd = run->signal_fd, .events = POLLIN },
	};

	if (poll(fds, 2, poll_timeout(run)) < 0 && errno != EINTR)
		clock_sleep_until(clock_monotonic() + WITHOUT_POLL);
	take_signals(run);
	if (session_dispatch(run->session) & SESSION_CHANGE_MAP)
		say_moved(run);
	stop_when_wanted(run);
	look_after_stop(run);
}

/* Closing a disk and saving a report take as long as disks do, and may be left like all else. */
static void finish(struct headless *run)
{
	struct error error = { 0 };

	while (session_state(run->session) == SESSION_RUNNING && !run->abandoned &&
	       !session_can_finish(run->session))
		wait_for_events(run);
	if (!run->abandoned && session_finish(run->session, &error) < 0)
		cli_error(&error);
	while (session_state(run->session) == SESSION_FINISHING && !run->abandoned)
		wait_for_events(run);
	if (session_state(run->session) == SESSION_FINISHED &&
	    session_error(run->session, SESSION_TASK_FINISH)->code)
		cli_error(session_error(run->session, SESSION_TASK_FINISH));
}

static int never_complete(int code)
{
	return code == EXIT_COMPLETE ? EXIT_INTERNAL : code;
}

/* Nothing was done. */
static int failed(const struct session *session, enum session_task task)
{
	return never_complete(cli_error(session_error(session, task)));
}

static int print_report(struct headless *run)
{
	const struct report *report = session_copy(run->session).report;
	struct error error = { 0 };
	char *text CLEANUP(free) = NULL;
	int code;

	/* There was no memory for it, which was said; only the log tells how the copy ended. */
	if (!report)
		return never_complete(
			(int)error_exit_code(session_error(run->session, SESSION_TASK_FINISH)));
	code = (int)report_end_code(report);
	if (run->wanted.json) {
		char *line CLEANUP(free) = progress_json(report->plan, &report->job, report);

		text = report_json_print(report_json_document(report),
					 JSON_C_TO_STRING_NOSLASHESCAPE);
		if (line)
			puts(line);
		if (text)
			puts(text);
	} else if (report_text(report, REPORT_SHORT, headless_columns(), &text, &error) == 0) {
		close_line(run);
		fputs(text, stdout);
	} else {
		cli_error(&error);
	}
	/* The exit status is that of the copy; a report that could not be printed is mentioned. */
	cli_finish_output(code);
	return code;
}

static void say_left_behind(const struct headless *run)
{
	if (session_copy(run->session).left_behind)
		fputs(_("clonedeck: The disk of the log or the report does not answer; clonedeck "
			"no longer waits for it. If the kernel does, this process ends when the "
			"disk answers.\n"),
		      stderr);
}

/* Prints each piece of news about a disk that is gone only once. */
static void say_waiting(struct headless *run, const struct session_waiting *waiting)
{
	if (strcmp(run->who, waiting->who) != 0) {
		close_line(run);
		fprintf(stderr,
			_("clonedeck: %s. Waiting for it; it may come back under any name.\n"),
			waiting->who);
		text_copy(run->who, sizeof(run->who), waiting->who);
	}
	if (strcmp(run->note, waiting->note) != 0) {
		close_line(run);
		if (waiting->note[0])
			fprintf(stderr, "clonedeck: %s\n", waiting->note);
		text_copy(run->note, sizeof(run->note), waiting->note);
	}
}

static bool waited_enough(const struct headless *run, const struct session_waiting *waiting)
{
	/* Ends whatever has begun. */
	if (waiting->trying)
		return false;
	return run->stop_wanted || (run->wanted.wait && clock_monotonic() - waiting->since >=
								run->wanted.wait * NSEC_PER_SEC);
}

/* Waits until the copy continues, or waiting is given up. */
static void wait_for_disk(struct headless *run)
{
	const struct session_waiting *waiting;

	while (!run->abandoned && (waiting = session_copy(run->session).waiting)) {
		say_waiting(run, waiting);
		if (waited_enough(run, waiting)) {
			finish(run);
			continue;
		}
		show(run);
		wait_for_events(run);
	}
	close_line(run);
	if (session_state(run->session) == SESSION_RUNNING)
		fputs(_("clonedeck: The disk is back; the copy goes on where it ended.\n"), stderr);
	run->who[0] = run->note[0] = '\0';
}

static int leave(const struct headless *run, bool *retabandoned)
{
	*retabandoned = true;
	fputs(session_copy(run->session).changing
		      ? _("clonedeck: Left while file systems or identifiers of the complete "
			  "copy were being changed. The tool that runs gets to its end, the "
			  "rest is not done, and no report is made.\n")
	      : run->reads
		      ? _("clonedeck: Left while it was still stopping. If the kernel still "
			  "waits for the disk, this process ends when the disk answers.\n")
		      : _("clonedeck: Left while the copy was still stopping. Resume continues "
			  "from the map as it was saved last. If the kernel still waits for the "
			  "disk, this process ends when the disk answers.\n"),
	      stderr);
	return EXIT_STOPPED;
}

/* False: interrupted while it was looked for the disks, so that nothing is started. */
static bool begin(struct headless *ret, struct session *session, int signal_fd,
		  const struct headless_options *options)
{
	*ret = (struct headless){
		.session = session,
		.signal_fd = signal_fd,
		.wanted = *options,
		.terminal = !options->json && isatty(STDOUT_FILENO),
		.shown = JOB_READY,
	};
	take_signals(ret);
	if (ret->stop_wanted)
		fputs(_("clonedeck: Stopped before anything was written.\n"), stderr);
	return !ret->stop_wanted;
}

int headless_run(struct session *session, int signal_fd, const struct headless_options *options,
		 bool *retabandoned)
{
	struct error error = { 0 };
	struct headless run;

	if (!begin(&run, session, signal_fd, options))
		return EXIT_STOPPED;
	if (session_start(session, &error) < 0)
		return cli_error(&error);
	while (session_state(session) == SESSION_STARTING && !run.abandoned)
		wait_for_events(&run);
	if (session_state(session) == SESSION_PLANNED)
		return failed(session, SESSION_TASK_START);
	while (session_state(session) == SESSION_RUNNING && !run.abandoned) {
		while (!show(&run) && !run.abandoned)
			wait_for_events(&run);
		close_line(&run);
		if (run.abandoned)
			break;
		finish(&run);
		wait_for_disk(&run);
	}
	if (run.abandoned)
		return leave(&run, retabandoned);

	int code = print_report(&run);

	say_left_behind(&run);
	return code;
}

int headless_verify(struct session *session, int signal_fd, const struct headless_options *options,
		    bool *retabandoned)
{
	struct error error = { 0 };
	struct headless run;

	if (!begin(&run, session, signal_fd, options))
		return EXIT_STOPPED;
	run.reads = true;
	if (session_verify(session, &error) < 0)
		return cli_error(&error);
	while (session_state(session) == SESSION_VERIFYING && !session_can_finish(session) &&
	       !run.abandoned) {
		show(&run);
		wait_for_events(&run);
	}
	close_line(&run);
	if (session_state(session) == SESSION_VERIFYING && !run.abandoned)
		session_finish(session, NULL);
	while (session_state(session) == SESSION_VERIFYING && !run.abandoned)
		wait_for_events(&run);
	if (run.abandoned)
		return leave(&run, retabandoned);
	return session_copy(session).verified ? 0 : failed(session, SESSION_TASK_VERIFY);
}
