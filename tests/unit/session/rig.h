/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the tests of a session share: two loop devices over files of their own
 * in a folder per test, a session on them, and the way to its end. Root only.
 */
#pragma once

#include <check.h>

#include "session/run.h"

#define SIZE    (8 * 1024 * 1024)
#define TIMEOUT 200000 /* ms; only a hang takes that long */

extern char directory[96];               /* that folder */
extern char source[64], destination[64]; /* nodes */
extern struct session *session;
extern struct error error;            /* what the last call has said */
extern enum session_vanish on_vanish; /* of the next session */
extern uint32_t map_interval;         /* likewise, in seconds; 0: the default */

/* A command of the shell that must succeed; and one that may. */
void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool succeeds(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *path_of(const char *name);
/* A file full of bytes that depend on the seed. */
void make_file(const char *name, unsigned seed);
void attach(const char *name, char *node, size_t size);
void detach(const char *node, const char *name);
bool replace(const char *node, const char *name);
bool same_files(const char *a, const char *b);
bool exists(const char *name);

/* Nothing of it is tested without root and loop devices. */
#define SESSION_CASE(own_setup)                                                                    \
	UNIT_CASE(.before_all = session_make_base, .after_all = session_remove_base,               \
		  .setup = (own_setup), .teardown = session_teardown, .timeout = 200,              \
		  .possible = unit_has_loops)
void session_make_base(void);
void session_remove_base(void);
/* The usual setup, and a part of any other. */
void session_setup(void);
void session_teardown(void);

#define check_done(call) ck_assert_msg((call) == 0, "%s", error.sentence)

void open_session(const char *log_dir, const char *map_path);
void close_session(void);
/* All of them begin and wait; 0 or the code of what went wrong. */
int scan_once(void);
int plan_and_wait(const struct session_wish *wish);
int plan_from_map(const char *path);
int finish_and_wait(void);
int make_plan(const char *from, const char *to, uint64_t rate);
int make_plan_with(const char *from, const char *to, const struct plan_options *options);
void plan_and_confirm(const char *from, const char *to, uint64_t rate);
/* Until there is news, which is handled. Returns what has changed (enum session_change). */
unsigned wait_once(void);
void wait_for_change(unsigned change);
void wait_while(enum session_state state);
void start_copy(void);
/* Opens a session, and starts a copy of source to destination. */
void begin_copy(const char *map_path, uint64_t rate);
void wait_for_end(void);
const struct report *finish(void);
/* Both begin and wait; 0 or the code of what went wrong. */
int sign_report(const char *operator_name, const char *ticket, bool mask);
int save_report(const char *path);
/* Of a save that has begun. */
int wait_for_save(void);
