/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The app from the inside: for app*.c and loop.c only. */
#pragma once

#include "ui/core/app.h"
#include "ui/core/listener.h"
#include "ui/core/mouse.h"
#include "ui/core/screen.h"
#include "ui/core/text_search.h"
#include "ui/core/viewers.h"
#include "ui/widgets/popup.h"

#define EARLY_MAX 16

struct app {
	const struct deck_options *options;
	struct term *term;        /* NULL: there is none now, the copy goes on */
	bool utf8;                /* the one that there is, or was last */
	int client;               /* connection to the process that lends it; -1: there is none */
	pid_t lender;             /* that process */
	struct viewers viewers;   /* the terminals that look on */
	struct listener listener; /* open while a copy runs that may be left and come back to */
	bool listener_tried;      /* for this copy */
	int null;                 /* /dev/null */
	struct session *session;
	struct choice choice;
	struct app_shrink shrink;
	struct endpoint bench_disk;
	bool measuring; /* on 6 Bench */
	size_t other_jobs;
	enum units_scale units;
	enum screen_id current;   /* one of the steps */
	enum screen_id chosen_on; /* 1 Disks or 2 Ranges, as it was left for a later one */
	enum screen_id beside;    /* what 6 Bench or 7 Jobs is shown in place of */
	bool help;                /* shown instead of it */
	bool helped;              /* was, before the screen was entered again */
	unsigned reached;         /* ON() bits */
	void *states[SCREEN_COUNT];
	enum session_state session_state; /* as last seen */
	bool planning;                    /* the plan is shown as soon as it is checked, … */
	bool layout;                      /* and in it the layout editor */
	enum screen_id layout_from;       /* where that was asked for */
	struct range_list retry;          /* bad areas that the resumed copy reads again */
	bool has_job;
	struct job_snapshot snapshot;
	char message[512];
	enum message_level level;
	bool said;           /* the message is new since the last frame */
	uint64_t hint_until; /* monotonic ns: then the message goes; 0: it stays */
	struct popup popup;
	struct mouse mouse;
	struct find find;
	/* Typed before the first list of disks: for that. */
	int early[EARLY_MAX];
	int early_count;
	char host[65];
	bool dirty;
	bool quit;
	bool abandoned;      /* left while the copy was still stopping: nothing waits for it */
	bool stop_wanted;    /* also while the job is only about to start */
	uint64_t stop_since; /* monotonic ns */
	bool leaving; /* end as soon as the copy has ended: no terminal any more, or SIGTERM */
	int signals;  /* signalfd */
	char waiting_said[720]; /* what was last said of a missing disk */
	bool copied;            /* a copy has ended, or disks were compared */
	char *report_text; /* of the last copy or comparison, printed after the last screen; owned
			    */
	int exit_code;     /* of the last copy or comparison */
};

/* app.c */
int app_new(const struct deck_options *options, struct session *session, struct term *term,
	    int signals, struct app **ret, struct error *reterr);
void app_destroy(struct app *app);
const struct screen_ops *app_shown(const struct app *app);
void app_key(struct app *app, int key);
/* A text to look for is being typed. */
bool app_is_finding(struct app *app);
/* The first list of disks is there: does what was typed before. */
void app_early_keys(struct app *app);
/* False: the command does nothing on this screen. */
bool app_command(struct app *app, enum command command);
void app_take_snapshot(struct app *app);

/* app_leave.c */
void app_stop_now(struct app *app);
/* For a signal: stops, or leaves if stopping takes too long already. */
void app_stop_or_leave(struct app *app);
/* What Ctrl-C and q ask while copying; without a copy they quit. */
void app_ask_stop(struct app *app);
/* The copy goes on without a terminal, and the shell gets it back. Only while the listener is open.
 */
void app_detach(struct app *app);
/* The terminal has hung up, or takes nothing: writing to it could block for ever. */
void app_lose_terminal(struct app *app);
/* Somebody has stopped the process that lends the terminal: the shell has that now. */
void app_mind_lender(struct app *app);
/* Ctrl-Z: the client stops. The deck has no terminal until then, and a copy goes on. */
void app_suspend(struct app *app);
/* The deck is drawn there. The descriptors are closed. */
struct wire_note;
void app_take_terminal(struct app *app, const struct wire_note *note, int descriptors[static 3]);
/* A client connects: the deck goes to its terminal, or that one looks on. */
void app_accept_client(struct app *app);
/* What those that look on have sent, or take now; fds are of viewers_poll(). */
void app_read_viewers(struct app *app, const struct pollfd fds[static VIEWERS_MAX]);
/* One of them steers where nobody else does, and all of them end with the copy. */
void app_mind_viewers(struct app *app);
/* They end with this deck. */
void app_end_viewers(struct app *app);
/* What is printed where the screens were. */
const char *app_last_words(const struct app *app);

/* app_choice.c */
/* The plan was checked, or could not be. */
void app_follow_plan(struct app *app);
/* The one that is being made, if any: the choice, and what an earlier copy has shown, stay. */
void app_give_up_plan(struct app *app);

/* app_follow.c */
/* Shows what has changed in the session. */
void app_follow(struct app *app, unsigned changes);
/* Finishes a copy: the job has ended, or its missing disk is not waited for any longer. */
void app_finish(struct app *app);
/* Both ends of a plan are compared; else it is a copy that has ended. */
bool app_compares(const struct app *app);

/* app_frame.c */
void app_draw(struct app *app);
/* Takes a hint away: now, or when its time is over. */
void app_drop_hint(struct app *app, bool now);
