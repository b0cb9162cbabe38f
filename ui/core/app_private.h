/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The app from the inside: for app*.c, popup.c and help.c only. */
#ifndef CLONEDECK_UI_APP_PRIVATE_H
#define CLONEDECK_UI_APP_PRIVATE_H

#include "ui/core/app.h"
#include "ui/widgets/popup_private.h"
#include "ui/core/screen.h"

struct app {
	const struct deck_options *options;
	struct term *term; /* NULL: the terminal is gone, the copy goes on */
	struct session *session;
	struct choice choice;
	enum units_scale units;
	enum screen_id current; /* one of the steps */
	bool help;              /* shown instead of it */
	unsigned reached;       /* ON() bits */
	void *states[SCREEN_COUNT];
	enum session_state session_state; /* as last seen */
	bool planning;                    /* the plan is gone to when it is there */
	struct range_list retry;          /* bad areas that it shall read again */
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
	char waiting_said[720]; /* of a disk that is gone, as it was last shown */
	bool copied;            /* a copy has ended, or disks were compared */
	char *report_text;      /* of that which ended last, for after the last screen; owned */
	int exit_code;          /* of that, too */
};

/* app.c */
int app_new(const struct deck_options *options, struct session *session, struct term *term,
	    int signals, struct app **ret, struct error *reterr);
void app_destroy(struct app *app);
const struct screen_ops *app_ops(enum screen_id screen);
const struct screen_ops *app_shown(const struct app *app);
void app_key(struct app *app, int key);
/* False: it means nothing where the deck is. */
bool app_command(struct app *app, enum command command);
void app_take_snapshot(struct app *app);
/* Follows the session: what is to be shown after a change. */
void app_follow(struct app *app, unsigned changes);
/* The job has ended, or nobody waits for its disk any more. */
void app_finish(struct app *app);
/* A report with its result once more below it; malloc'd, NULL without memory. */
char *app_result_at_end(const char *report);

/* app_stop.c */
void app_stop_now(struct app *app);
/* The same of a signal: one that comes when stopping takes too long leaves. */
void app_stop_or_leave(struct app *app);

/* app_choice.c */
/* The plan was checked, or could not be. */
void app_follow_plan(struct app *app);

/* app_verify.c */
void app_ask_stop_verify(struct app *app);
void app_follow_verify(struct app *app, enum session_state before);

/* app_waiting.c */
void app_follow_waiting(struct app *app, enum session_state before);

/* app_frame.c */
void app_draw(struct app *app);
/* The line above the keys while help is shown (ui/help/help.c). */
void scr_help_line(struct app *app, char *buffer, size_t size);

/* app_loop.c: until the technician quits or the copy of a lost terminal has ended. */
void app_loop(struct app *app);

#endif
