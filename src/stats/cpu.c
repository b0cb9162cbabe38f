/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU shares. The system from the first line of /proc/stat, the process from
 * getrusage, a thread from its schedstat (exact, in nanoseconds) divided
 * between user and system as its stat file says (in clock ticks).
 */
#include "stats/cpu.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define THREAD_SLOTS 64
#define PROC_TEXT    1024

struct thread_slot {
	pid_t tid; /* 0: unused */
	int stat, schedstat;
	bool seen;
	uint64_t at, ran;      /* ns */
	uint64_t user, system; /* ticks, since the thread began */
};

struct cpu_reader {
	int stat;
	bool system_seen;
	uint64_t system[4]; /* user, system, iowait, idle; ticks */
	bool process_seen;
	uint64_t process_at, process_user, process_system; /* ns */
	uint64_t tick;                                     /* ns */
	struct thread_slot threads[THREAD_SLOTS];
};

int cpu_reader_new(struct cpu_reader **ret, struct error *reterr)
{
	struct cpu_reader *reader = calloc(1, sizeof(*reader));
	long ticks = sysconf(_SC_CLK_TCK);

	if (!reader)
		return error_nomem(reterr);
	/* Without /proc the shares are unknown, which is no failure. */
	reader->stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	reader->tick = NSEC_PER_SEC / (uint64_t)(ticks > 0 ? ticks : 100);
	for (unsigned i = 0; i < THREAD_SLOTS; i++)
		reader->threads[i].stat = reader->threads[i].schedstat = -1;
	*ret = reader;
	return 0;
}

static void slot_close(struct thread_slot *slot)
{
	fd_close(slot->stat);
	fd_close(slot->schedstat);
	*slot = (struct thread_slot){ .stat = -1, .schedstat = -1 };
}

void cpu_reader_destroy(struct cpu_reader *reader)
{
	if (!reader)
		return;
	for (unsigned i = 0; i < THREAD_SLOTS; i++)
		slot_close(&reader->threads[i]);
	fd_close(reader->stat);
	free(reader);
}

static bool read_text(int fd, char text[static PROC_TEXT])
{
	ssize_t n;

	if (fd < 0)
		return false;
	n = pread(fd, text, PROC_TEXT - 1, 0);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

void cpu_reader_system(struct cpu_reader *reader, struct cpu_share *ret)
{
	char text[PROC_TEXT];
	uint64_t v[8] = { 0 }; /* user nice system idle iowait irq softirq steal */
	uint64_t delta[4], total = 0;

	*ret = (struct cpu_share){ 0 };
	if (!read_text(reader->stat, text))
		return;
	if (sscanf(text,
		   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 5)
		return;

	uint64_t now[4] = { v[0] + v[1], v[2] + v[5] + v[6] + v[7], v[4], v[3] };

	for (unsigned i = 0; i < 4; i++) {
		/* iowait can go backwards (proc(5)). */
		delta[i] = now[i] > reader->system[i] ? now[i] - reader->system[i] : 0;
		total += delta[i];
		reader->system[i] = now[i];
	}
	ret->known = reader->system_seen && total > 0;
	reader->system_seen = true;
	if (!ret->known)
		return;
	ret->user = (float)delta[0] / (float)total;
	ret->system = (float)delta[1] / (float)total;
	ret->iowait = (float)delta[2] / (float)total;
	ret->idle = (float)delta[3] / (float)total;
}

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NSEC_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

static float share_of(uint64_t now, uint64_t before, uint64_t span)
{
	return now > before ? (float)(now - before) / (float)span : 0;
}

static float idle_of(const struct cpu_share *share)
{
	float busy = share->user + share->system;

	return busy < 1 ? 1 - busy : 0;
}

void cpu_reader_process(struct cpu_reader *reader, struct cpu_share *ret)
{
	uint64_t now = clock_monotonic();
	struct rusage usage;

	*ret = (struct cpu_share){ 0 };
	if (getrusage(RUSAGE_SELF, &usage))
		return;

	uint64_t user = timeval_ns(&usage.ru_utime), system = timeval_ns(&usage.ru_stime);
	uint64_t span = now - reader->process_at;

	if (reader->process_seen && span > 0) {
		ret->known = true;
		ret->user = share_of(user, reader->process_user, span);
		ret->system = share_of(system, reader->process_system, span);
		ret->idle = idle_of(ret);
	}
	reader->process_seen = true;
	reader->process_at = now;
	reader->process_user = user;
	reader->process_system = system;
}

static int open_task(pid_t tid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, file);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool read_stat(const struct thread_slot *slot, uint64_t *retuser, uint64_t *retsystem)
{
	char text[PROC_TEXT];
	const char *p;

	/* The name is in parentheses and may hold anything; the last one ends it. */
	if (!read_text(slot->stat, text) || !(p = strrchr(text, ')')))
		return false;
	return sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
		      retuser, retsystem) == 2;
}

/* Nanoseconds on a CPU; from the ticks where the kernel has no scheduler statistics. */
static uint64_t read_ran(const struct thread_slot *slot, uint64_t ticks_ns)
{
	char text[PROC_TEXT];
	uint64_t ran;

	if (!read_text(slot->schedstat, text) || sscanf(text, "%" SCNu64, &ran) != 1)
		return ticks_ns;
	return ran;
}

void cpu_reader_thread(struct cpu_reader *reader, unsigned slot, pid_t tid, struct cpu_share *ret)
{
	struct thread_slot *t = &reader->threads[slot % THREAD_SLOTS];
	uint64_t user, system, now = clock_monotonic();

	*ret = (struct cpu_share){ 0 };
	if (slot >= THREAD_SLOTS || tid <= 0)
		return;
	if (t->tid != tid) {
		slot_close(t);
		t->tid = tid;
		t->stat = open_task(tid, "stat");
		t->schedstat = open_task(tid, "schedstat");
	}
	if (!read_stat(t, &user, &system))
		return;

	uint64_t ran = read_ran(t, (user + system) * reader->tick);
	uint64_t span = now - t->at;

	if (t->seen && span > 0) {
		float busy = share_of(ran, t->ran, span);
		uint64_t du = user - t->user, ds = system - t->system;

		/* A quiet thread may have no tick in a second: then use the proportions of its
		 * whole life. */
		if (du + ds == 0) {
			du = user;
			ds = system;
		}
		ret->known = true;
		ret->system = du + ds > 0 ? busy * (float)ds / (float)(du + ds) : 0;
		ret->user = busy - ret->system;
		ret->idle = idle_of(ret);
	}
	t->seen = true;
	t->at = now;
	t->ran = ran;
	t->user = user;
	t->system = system;
}

unsigned cpu_count(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
}
