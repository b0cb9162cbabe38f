/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rig.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "fake/own_mounts.h"

static char base[64]; /* of the whole run; each test has a folder in it */
char directory[96];
char source[64], destination[64];
struct session *session;
struct error error;
enum session_vanish on_vanish;
uint32_t map_interval;

void run(const char *format, ...)
{
	char command[512];

	text_vprint(command, sizeof(command), format);
	ck_assert_msg(system(command) == 0, "%s", command);
}

bool succeeds(const char *format, ...)
{
	char command[512];

	text_vprint(command, sizeof(command), format);
	return system(command) == 0;
}

const char *path_of(const char *name)
{
	static char path[4][160];
	static unsigned next;
	char *to = path[next++ % 4];

	/* A loop device is known by the name of its file, so that name is nobody else's. */
	snprintf(to, sizeof(path[0]), "%s/%s-%s", directory, base + strlen(base) - 6, name);
	return to;
}

/* A file full of bytes that depend on the seed. */
void make_file(const char *name, unsigned seed)
{
	uint64_t block[512], x = seed;
	FILE *f = fopen(path_of(name), "we");

	ck_assert_ptr_nonnull(f);
	/* By words and little at a time: a sanitizer asks about each store, and notes each byte. */
	for (size_t done = 0; done < SIZE; done += sizeof(block)) {
		for (size_t i = 0; i < sizeof(block) / sizeof(block[0]); i++) {
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
			block[i] = x ^ x >> 32;
		}
		ck_assert_uint_eq(fwrite(block, 1, sizeof(block), f), sizeof(block));
	}
	ck_assert_int_eq(fclose(f), 0);
}

void attach(const char *name, char *node, size_t size)
{
	char command[256];

	snprintf(command, sizeof(command), "losetup --direct-io=on --find --show %s",
		 path_of(name));
	FILE *f = popen(command, "re");

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(node, (int)size, f));
	node[strcspn(node, "\n")] = '\0';
	ck_assert_int_eq(pclose(f), 0);
	/* A node stays read-only after who made it so, a test that failed halfway for one. */
	run("blockdev --setrw %s", node);
}

/* Somebody who looks at the device at this moment keeps it a little longer. */
void detach(const char *node, const char *name)
{
	run("losetup -d %s", node);
	for (int tries = 0; !succeeds("[ -z \"$(losetup -j %s)\" ]", path_of(name)); tries++) {
		ck_assert_int_lt(tries, 2000);
		usleep(50000);
	}
}

/* Another file under the same node; false when somebody else was quicker to take it. */
bool replace(const char *node, const char *name)
{
	detach(node, "b.img");
	return succeeds("losetup --direct-io=on %s %s 2>/dev/null", node, path_of(name));
}

bool same_files(const char *a, const char *b)
{
	return succeeds("cmp -s %s %s", path_of(a), path_of(b));
}

bool exists(const char *name)
{
	return access(path_of(name), F_OK) == 0;
}

void session_make_base(void)
{
	snprintf(base, sizeof(base), "/tmp/test-session.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(base));
}

/* In the process that outlives failed tests. By file: the number of a device that was detached
 * may be somebody else's by now. */
void session_remove_base(void)
{
	(void)succeeds("for d in %s/*; do umount -l $d/*-small 2>/dev/null; for f in $d/*.img; do "
		       "losetup -j $f -n -O NAME | xargs -r losetup -d; done; done; rm -rf %s",
		       base, base);
}

void session_setup(void)
{
	own_mounts();
	snprintf(directory, sizeof(directory), "%s/XXXXXX", base);
	ck_assert_ptr_nonnull(mkdtemp(directory));
	make_file("a.img", 1);
	make_file("b.img", 2);
	attach("a.img", source, sizeof(source));
	attach("b.img", destination, sizeof(destination));
	session = NULL;
	error = (struct error){ 0 };
}

void session_teardown(void)
{
	session_destroy(session);
	(void)succeeds("for f in %s/*.img; do losetup -j $f -n -O NAME | xargs -r losetup -d; done",
		       directory);
}

/* How the last task of that kind has ended. */
static int outcome(enum session_task task)
{
	error = *session_error(session, task);
	return error.code;
}

int scan_once(void)
{
	const struct session_names ends = { .source = source, .destination = destination };

	/* The disks of all other tests are not read. */
	session_scan(session, &ends);
	ck_assert(session_wait(session, -1, TIMEOUT));
	return outcome(SESSION_TASK_SCAN);
}

int plan_and_wait(const struct session_wish *wish)
{
	int r = session_plan(session, wish, &error);

	if (r < 0)
		return r;
	ck_assert(session_wait(session, -1, TIMEOUT));
	return session_state(session) == SESSION_PLANNED ? 0 : outcome(SESSION_TASK_PLAN);
}

int plan_from_map(const char *path)
{
	return plan_and_wait(&(struct session_wish){ .map = path });
}

int finish_and_wait(void)
{
	int r = session_finish(session, &error);

	if (r == 0)
		wait_while(SESSION_FINISHING);
	return r < 0 || session_state(session) != SESSION_FINISHED ? r
								   : outcome(SESSION_TASK_FINISH);
}

void open_session(const char *log_dir, const char *map_path)
{
	static char logs[160], map[160];

	text_copy(logs, sizeof(logs), path_of(log_dir));
	if (map_path)
		text_copy(map, sizeof(map), path_of(map_path));
	struct session_options options = {
		.all = true,
		.log_dir = logs,
		.map_path = map_path ? map : NULL,
		.on_vanish = on_vanish,
		.map_interval = map_interval,
	};

	check_done(session_new(&options, &session, &error));
	check_done(scan_once());
}

void close_session(void)
{
	session_destroy(session);
	session = NULL;
}

int make_plan_with(const char *from, const char *to, const struct plan_options *options)
{
	struct endpoint a, b;
	int r = endpoint_resolve(session_disks(session), from, false, &a, &error);

	if (r == 0)
		r = endpoint_resolve(session_disks(session), to, true, &b, &error);
	return r < 0 ? r
		     : plan_and_wait(&(struct session_wish){
			       .source = &a, .destination = &b, .options = options });
}

int make_plan(const char *from, const char *to, uint64_t rate)
{
	return make_plan_with(from, to, &(struct plan_options){ .rate = rate });
}

void plan_and_confirm(const char *from, const char *to, uint64_t rate)
{
	check_done(make_plan(from, to, rate));
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	check_done(session_confirm(session, session_choice(session).token, &error));
	ck_assert_int_eq(session_state(session), SESSION_CONFIRMED);
}

unsigned wait_once(void)
{
	struct pollfd fd = { .fd = session_fd(session), .events = POLLIN };

	ck_assert_int_gt(poll(&fd, 1, TIMEOUT), 0);
	return session_dispatch(session);
}

void wait_for_change(unsigned change)
{
	while (!(wait_once() & change))
		;
}

void wait_while(enum session_state state)
{
	while (session_state(session) == state)
		wait_once();
}

/* Starts and waits until it runs or was refused. */
void start_copy(void)
{
	check_done(session_start(session, &error));
	wait_while(SESSION_STARTING);
}

void begin_copy(const char *map_path, uint64_t rate)
{
	open_session("logs", map_path);
	plan_and_confirm(source, destination, rate);
	start_copy();
}

void wait_for_end(void)
{
	struct job_snapshot job;

	ck_assert_int_eq(session_state(session), SESSION_RUNNING);
	for (;;) {
		job_snapshot(session_copy(session).job, &job);
		if (job.state == JOB_ENDED)
			return;
		wait_once();
	}
}

const struct report *finish(void)
{
	wait_for_end();
	check_done(finish_and_wait());
	ck_assert_int_eq(session_state(session), SESSION_FINISHED);
	ck_assert_ptr_nonnull(session_copy(session).report);
	return session_copy(session).report;
}

int wait_for_save(void)
{
	wait_for_change(SESSION_CHANGE_SAVED);
	return outcome(SESSION_TASK_SAVE);
}

int sign_report(const char *operator_name, const char *ticket, bool mask)
{
	int r = session_sign(session, operator_name, ticket, mask, &error);

	return r < 0 ? r : wait_for_save();
}

int save_report(const char *path)
{
	int r = session_save(session, path, NULL, &error);

	return r < 0 ? r : wait_for_save();
}
