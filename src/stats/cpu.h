/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU use as shares of one second, measured from /proc: the whole system, this
 * process, one thread. A reader keeps its descriptors open; one owner thread.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct cpu_share {
	bool known;
	float user, system, iowait, idle; /* 0..1 of all cores (system) or of one core (threads) */
};

struct cpu_reader;

int cpu_reader_new(struct cpu_reader **ret, struct error *reterr);
void cpu_reader_destroy(struct cpu_reader *reader);
/* Shares since the previous call; unknown at the first. */
void cpu_reader_system(struct cpu_reader *reader, struct cpu_share *ret);
void cpu_reader_process(struct cpu_reader *reader, struct cpu_share *ret);
/* slot: 0…63, the caller's numbering; tid: the thread that it stands for now. */
void cpu_reader_thread(struct cpu_reader *reader, unsigned slot, pid_t tid, struct cpu_share *ret);
unsigned cpu_count(void);
