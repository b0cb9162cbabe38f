/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session and a job that only pretend: the deck runs on them unchanged, so
 * its screens can be looked at for machines we do not have and for moments
 * that never come twice the same. They open nothing and write nothing.
 */
#pragma once

#include "job/job.h"

/* What a session meets. */
struct fake_machines {
	/* Disk lists (machine.h) that one scan after the other finds; the last one stays. */
	const char *const *names;
	int count;
	/* The source is unplugged as soon as a copy runs; the first scan (r) after that finds
	 * another disk in its place, the second one finds it again. */
	bool vanishing;
	bool unfinished; /* there is the map of a copy that was not finished */
	bool ending;     /* … and it ends only after the earlier copies were read once */
	bool grabbed;    /* the destination is in use when it is to be opened for the first time */
	bool stuck;      /* file systems never answer: no plan is ever checked */
	bool stuck_maps; /* … none that is made from a map */
	bool changing;   /* tools change the copy without end, before there is a report */
};
void fake_machines(const struct fake_machines *machines);

/* From now on the figures of a job change as those of a healthy copy do. */
void fake_moves(void);
/* From now on a job is past its copy: it reads back what it has written, and finds a difference. */
void fake_proves(void);
/* From now on a job that is stopped has copied everything, without an error. */
void fake_completes(void);
/* From now on what a job has copied is read back meanwhile. */
void fake_rolls(void);
/* From now on all goes wrong at once: the map and the log of a job are not written, and two of its
 * reads hang. */
void fake_ails(void);
/* A disk that never answers: a copy that is stopped does not end. */
void fake_hangs(void);

struct job *fake_job_new(const struct plan *plan, int event_fd);
void fake_job_free(struct job *job);
/* A job that reads back what was copied, or compares both ends, and does nothing else. */
struct job *fake_job_verify(const struct plan *plan, bool compares, int event_fd);
