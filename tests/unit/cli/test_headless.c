/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy without the deck, on a session that is played by the test: what it
 * answers to a kernel that will not wait, to signals, and with which exit code.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/headless.h"

static struct {
	enum session_state state;
	unsigned dispatches;
	unsigned until_started; /* dispatches */
	unsigned until_ended;
	unsigned vanishes, until_back, returns; /* times; dispatches */
	struct session_waiting waiting;
	unsigned moves;
	bool hangs, release_hangs;
	unsigned hours_pass_at; /* dispatch, 0 never */
	uint64_t ahead;         /* of the clock, ns */
	int signal;             /* SIGTERM when 0 */
	unsigned signal_again, signal_last;
	unsigned signal_at; /* dispatch, 0 never */
	bool start_fails;
	bool poll_fails;
	unsigned polls, stops;
	struct error error;
} play;

static struct job *const a_job = (struct job *)&play;
static struct report a_report;

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_session_start(struct session *session, struct error *reterr);
int __wrap_session_verify(struct session *session, struct error *reterr);
enum session_state __wrap_session_state(const struct session *session);
int __wrap_session_fd(const struct session *session);
unsigned __wrap_session_dispatch(struct session *session);
bool __wrap_session_can_finish(struct session *session);
int __wrap_session_finish(struct session *session, struct error *reterr);
uint64_t __real_clock_monotonic(void);
uint64_t __wrap_clock_monotonic(void);
bool __wrap_session_snapshot(const struct session *session, struct job_snapshot *ret);
struct session_copy __wrap_session_copy(const struct session *session);
const struct error *__wrap_session_error(const struct session *session, enum session_task task);
void __wrap_session_stop(struct session *session);
int __wrap_report_text(const struct report *report, enum report_extent extent, int width,
		       char **ret, struct error *reterr);
enum exit_code __wrap_report_end_code(const struct report *report);

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	play.polls++;
	errno = ENOMEM;
	return play.poll_fails ? -1 : 0;
}

uint64_t __wrap_clock_monotonic(void)
{
	return __real_clock_monotonic() + play.ahead;
}

int __wrap_session_start(struct session *session, struct error *reterr)
{
	play.state = SESSION_STARTING;
	return 0;
}

int __wrap_session_verify(struct session *session, struct error *reterr)
{
	play.state = SESSION_VERIFYING;
	return 0;
}

enum session_state __wrap_session_state(const struct session *session)
{
	return play.state;
}

int __wrap_session_fd(const struct session *session)
{
	return -1;
}

unsigned __wrap_session_dispatch(struct session *session)
{
	play.dispatches++;
	if (play.dispatches == play.hours_pass_at)
		play.ahead = 7200 * NSEC_PER_SEC;
	if (play.dispatches == play.signal_at || play.dispatches == play.signal_again ||
	    play.dispatches == play.signal_last)
		raise(play.signal ? play.signal : SIGTERM);
	if (play.state == SESSION_VERIFYING && play.start_fails &&
	    play.dispatches >= play.until_started)
		play.state = SESSION_PLANNED;
	if (play.state == SESSION_STARTING && play.dispatches >= play.until_started)
		play.state = play.start_fails ? SESSION_PLANNED : SESSION_RUNNING;
	if (play.state == SESSION_WAITING && play.dispatches >= play.until_back) {
		play.state = SESSION_RUNNING;
		play.until_ended += play.dispatches;
		play.returns++;
	}
	return 0;
}

struct session_copy __wrap_session_copy(const struct session *session)
{
	static const struct job_snapshot verified;

	return (struct session_copy){
		.verified = play.state == SESSION_FINISHED ? &verified : NULL,
		.job = play.state == SESSION_RUNNING ? a_job : NULL,
		.waiting = play.state == SESSION_WAITING ? &play.waiting : NULL,
		.report = play.state == SESSION_FINISHED ? &a_report : NULL,
		.map_path = "/here.map",
	};
}

const struct error *__wrap_session_error(const struct session *session, enum session_task task)
{
	static const struct error none;

	return task == SESSION_TASK_FINISH ? &none : &play.error;
}

bool __wrap_session_can_finish(struct session *session)
{
	if (play.state == SESSION_VERIFYING)
		return play.dispatches >= play.until_ended && !play.start_fails;
	return play.state == SESSION_RUNNING;
}

int __wrap_session_finish(struct session *session, struct error *reterr)
{
	bool gone = play.vanishes && play.state == SESSION_RUNNING;

	play.state = gone                 ? SESSION_WAITING
		     : play.release_hangs ? SESSION_FINISHING
					  : SESSION_FINISHED;
	if (gone) {
		play.vanishes--;
		play.waiting.since = clock_monotonic();
		play.until_back += play.dispatches;
	}
	return 0;
}

bool __wrap_session_snapshot(const struct session *session, struct job_snapshot *ret)
{
	bool ended = (play.stops && !play.hangs) || play.dispatches >= play.until_ended;

	memset(ret, 0, sizeof(*ret));
	ret->state = play.state == SESSION_WAITING ? JOB_WAITING : ended ? JOB_ENDED : JOB_COPYING;
	return play.state == SESSION_RUNNING || play.state == SESSION_WAITING;
}

void __wrap_session_stop(struct session *session)
{
	play.stops++;
}

int __wrap_report_text(const struct report *report, enum report_extent extent, int width,
		       char **ret, struct error *reterr)
{
	*ret = strdup("");
	return 0;
}

enum exit_code __wrap_report_end_code(const struct report *report)
{
	return play.stops ? EXIT_STOPPED : EXIT_COMPLETE;
}

int __wrap_session_move_map(struct session *session, const char *path, struct error *reterr);

int __wrap_session_move_map(struct session *session, const char *path, struct error *reterr)
{
	ck_assert_ptr_null(path);
	play.moves++;
	return 0;
}

static int signals, said;
static struct headless_options options;
static bool abandoned;

static int play_it(void)
{
	int code = headless_run((struct session *)&play, signals, &options, &abandoned);

	ck_assert_int_eq(play.state == SESSION_FINISHED, !play.start_fails);
	return code;
}

static void setup(void)
{
	int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);

	said = dup(STDOUT_FILENO);
	dup2(quiet, STDOUT_FILENO);
	dup2(quiet, STDERR_FILENO);
	close(quiet);
	memset(&play, 0, sizeof(play));
	options = (struct headless_options){ 0 };
	play.until_started = 3;
	play.until_ended = 6;
	signals = headless_block_signals();
	ck_assert_int_ge(signals, 0);
}

static void teardown(void)
{
	close(signals);
	fflush(stdout);
	dup2(said, STDOUT_FILENO);
	close(said);
}

UNIT_CASE(.setup = setup, .teardown = teardown, .timeout = 30);

TEST(goes_its_way)
{
	ck_assert_int_eq(play_it(), EXIT_COMPLETE);
	ck_assert_uint_ge(play.polls, 5);
}

/* It must neither end early with a good exit code nor give up the copy. */
TEST(kernel_that_will_not_wait)
{
	play.poll_fails = true;
	ck_assert_int_eq(play_it(), EXIT_COMPLETE);
	ck_assert_uint_ge(play.dispatches, play.until_ended);
}

TEST(signal_without_poll)
{
	play.poll_fails = true;
	play.until_ended = 1000;
	play.signal_at = 5;
	ck_assert_int_eq(play_it(), EXIT_STOPPED);
	ck_assert_uint_eq(play.stops, 1);
}

TEST(map_is_moved_by_a_signal)
{
	play.signal = SIGUSR2;
	play.signal_at = 5;
	play.until_ended = 8;
	ck_assert_int_eq(play_it(), EXIT_COMPLETE);
	ck_assert_uint_eq(play.moves, 1);
}

/* A second signal at once changes nothing; one that comes later leaves a disk that hangs. */
TEST(hanging_disk_is_left)
{
	play.hangs = true;
	play.poll_fails = true;
	play.until_ended = 1000000000;
	play.signal_at = 5;
	play.signal_again = 8;
	play.signal_last = 5 + 55;
	ck_assert_int_eq(headless_run((struct session *)&play, signals, &options, &abandoned),
			 EXIT_STOPPED);
	ck_assert(abandoned);
	ck_assert_uint_ge(play.dispatches, play.signal_last);
}

static void leaves(unsigned dispatches)
{
	play.poll_fails = true;
	ck_assert_int_eq(headless_run((struct session *)&play, signals, &options, &abandoned),
			 EXIT_STOPPED);
	ck_assert(abandoned);
	ck_assert_uint_ge(play.dispatches, dispatches);
}

/* Whoever sent the only signal may not be there any more. */
TEST(hanging_disk_is_left_by_itself)
{
	play.hangs = true;
	play.until_ended = 1000000000;
	play.signal_at = 5;
	play.hours_pass_at = 8;
	leaves(play.hours_pass_at);
	ck_assert_uint_eq(play.stops, 1);
}

TEST(disk_that_cannot_be_opened_is_left)
{
	play.until_started = 1000000000;
	play.signal_at = 2;
	play.hours_pass_at = 4;
	leaves(play.hours_pass_at);
	/* Should it be opened after all, nothing is written to it. */
	ck_assert_uint_ge(play.stops, 1);
}

TEST(disk_that_cannot_be_released_is_left)
{
	play.release_hangs = true;
	play.signal_at = 12;
	play.hours_pass_at = 14;
	leaves(play.hours_pass_at);
}

/* Twice in one copy. */
TEST(disk_that_comes_back)
{
	play.poll_fails = true;
	play.vanishes = 2;
	play.until_back = 3;
	strcpy(play.waiting.who, "The source is gone: /dev/sdx");
	ck_assert_int_eq(play_it(), EXIT_COMPLETE);
	ck_assert_uint_eq(play.returns, 2);
}

TEST(disk_that_stays_away)
{
	play.vanishes = 1;
	play.until_back = 1000000000;
	options.wait = 1;
	uint64_t before = clock_monotonic();

	play_it();
	ck_assert_uint_eq(play.returns, 0);
	ck_assert_uint_ge(clock_monotonic() - before, NSEC_PER_SEC);
}

/* What has begun to come back is not left half way. */
TEST(signal_ends_the_waiting)
{
	play.poll_fails = true;
	play.vanishes = 1;
	play.until_back = 1000000000;
	play.signal_at = 8;
	play_it();
	ck_assert_uint_eq(play.returns, 0);
}

TEST(failed_start_is_never_success)
{
	play.start_fails = true;
	play.poll_fails = true;
	ck_assert_int_eq(play_it(), EXIT_INTERNAL);
	play.dispatches = 0;
	error_set(&play.error, ERROR_CLASS_REFUSED, -EBUSY, "open", "x", "no");
	ck_assert_int_eq(play_it(), EXIT_REFUSED);
}

static int verify_it(void)
{
	play.poll_fails = true;
	return headless_verify((struct session *)&play, signals, &options, &abandoned);
}

TEST(verification_goes_to_its_end)
{
	ck_assert_int_eq(verify_it(), 0);
	ck_assert(!abandoned);
	ck_assert_int_eq(play.state, SESSION_FINISHED);
}

TEST(verification_that_cannot_start_is_never_success)
{
	play.start_fails = true;
	ck_assert_int_eq(verify_it(), EXIT_INTERNAL);
}

/* Its disks are still being opened: there is no job that a signal could stop. */
TEST(verification_that_hangs_is_left)
{
	play.until_ended = 1000000000;
	play.signal_at = 2;
	play.hours_pass_at = 4;
	ck_assert_int_eq(verify_it(), EXIT_STOPPED);
	ck_assert(abandoned);
	ck_assert_uint_ge(play.stops, 1);
}
