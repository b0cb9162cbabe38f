/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The app from the inside: for app*.c and loop.c only. */
#ifndef CLONEDECK_UI_CORE_APP_PRIVATE_H
#define CLONEDECK_UI_CORE_APP_PRIVATE_H

#include "ui/core/app.h"
#include "ui/widgets/popup.h"
#include "ui/core/screen.h"

struct app {
	const struct deck_options *options;
	struct term *term; /* NULL: the terminal is gone, the copy goes on */
	struct session *session;
	struct choice choice;
	struct endpoint bench_disk;
	bool measuring; /* on 6 Bench */
	enum units_scale units;
	enum screen_id current; /* one of the steps */
	bool help;              /* shown instead of it */
	bool helped;            /* was, before the screen was entered again */
	unsigned reached;       /* ON() bits */
	void *states[SCREEN_COUNT];
	enum session_state session_state; /* as last seen */
	bool planning;                    /* the plan is shown as soon as it is checked */
	struct range_list retry;          /* bad areas that the resumed copy reads again */
	bool has_job;
	struct job_snapshot snapshot;
	char message[512];
	enum message_level level;
	bool said; /* the message is new since the last frame */
	struct popup popup;
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
/* False: the command does nothing on this screen. */
bool app_command(struct app *app, enum command command);
void app_take_snapshot(struct app *app);
void app_stop_now(struct app *app);
/* For a signal: stops, or leaves if stopping takes too long already. */
void app_stop_or_leave(struct app *app);

/* app_choice.c: the plan was checked, or could not be. */
void app_follow_plan(struct app *app);

/* app_follow.c */
/* Shows what has changed in the session. */
void app_follow(struct app *app, unsigned changes);
/* Finishes a copy: the job has ended, or its missing disk is not waited for any longer. */
void app_finish(struct app *app);
/* Both ends of a plan are compared; else it is a copy that has ended. */
bool app_compares(const struct app *app);

/* app_frame.c */
void app_draw(struct app *app);
/* Has the newest message room in its place? */
bool app_message_fits(const struct app *app);

#endif
