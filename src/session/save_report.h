/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report and the certificate as files. */
#ifndef CLONEDECK_SESSION_SAVE_REPORT_H
#define CLONEDECK_SESSION_SAVE_REPORT_H

#include "base/error.h"
#include "report/report.h"
#include "session/task.h"

struct session;

/* Saves the report once more, from a copy of it. */
struct save_task {
	struct task task;
	char path[512]; /* "": where it is already */
	struct report report;
	struct plan *plan; /* the report's */
	struct error error;
	int result;
};

/* The report and the certificate where the copy's files go. */
int session_save_first(struct session *session, struct error *reterr);
void session_take_save(struct session *session, unsigned *changes);
void session_forget_save(struct session *session);

#endif
