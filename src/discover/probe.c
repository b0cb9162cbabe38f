/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/worker.h"

/* Workers mostly wait for their disk. If there are more disks than this, they take turns. */
#define AT_ONCE_MAX 256
/* How often it is seen whether another one can be started. */
#define TURN (10 * NSEC_PER_MSEC)

/* One disk; the worker's data. */
struct probe {
	struct worker *worker;
	struct probe_request request;
	struct probe_result result;
	atomic_bool stop;
};

void probe_request_done(struct probe_request *request)
{
	free(request->known);
	range_list_done(&request->bad);
}

static void release(void *data)
{
	struct probe *probe = data;

	table_done(&probe->result.table);
	probe_request_done(&probe->request);
	free(probe);
}

/* Other programs that check the disks also hold each one for a moment. */
#define HELD_TRIES 4
#define HELD_PAUSE (25 * NSEC_PER_MSEC)

/* Closed at once, so that our exclusive open makes nobody else's fail. */
static bool is_held(const char *node)
{
	int fd = open(node, O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC);

	for (int i = 1; fd < 0 && errno == EBUSY && i < HELD_TRIES; i++) {
		clock_sleep_until(clock_monotonic() + HELD_PAUSE);
		fd = open(node, O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC);
	}
	if (fd < 0)
		return errno == EBUSY;
	close(fd);
	return false;
}

static void read_disk(void *data)
{
	struct probe *probe = data;
	const struct probe_request *request = &probe->request;
	struct probe_result *ret = &probe->result;
	struct table_source source = {
		.size = request->size,
		.sector_size = request->sector_size,
		.stop = &probe->stop,
		.known = request->known,
		.known_count = request->known_count,
		.bad = &request->bad,
	};
	struct stat st;

	source.fd = open(request->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (source.fd < 0) {
		ret->error = -errno;
		return;
	}
	if (fstat(source.fd, &st) < 0 || st.st_rdev != request->devno ||
	    !(request->sg_only ? S_ISCHR(st.st_mode) : S_ISBLK(st.st_mode))) {
		ret->error = -ESTALE;
	} else if (request->sg_only) {
		ret->error = sg_only_measure(source.fd, &ret->size);
	} else if (request->size == 0) {
		ret->error = -ENOMEDIUM;
	} else {
		ret->opened = true;
		ret->error = request->as_before ? 0 : table_read(&source, &ret->table);
	}
	close(source.fd);
	if (ret->opened && request->try_exclusive && !atomic_load(&probe->stop))
		ret->exclusive_refused = is_held(request->node);
}

/* Takes over what the request owns. */
static int start(struct probe_request *request, struct probe **ret)
{
	struct probe *probe = calloc(1, sizeof(*probe));
	const struct worker_order order = {
		.body = read_disk,
		.destroy = release,
		.data = probe,
		.name = "probe",
	};

	if (!probe)
		return -ENOMEM;
	probe->request = *request;
	atomic_init(&probe->stop, false);

	int r = worker_start(&order, &probe->worker);

	if (r < 0) {
		free(probe);
		return r;
	}
	*request = (struct probe_request){ 0 };
	*ret = probe;
	return 0;
}

/* Takes the answers of the probes that have ended. Returns how many still run. */
static size_t collect(struct probe **probes, size_t count, struct probe_result *results)
{
	size_t running = 0;

	for (size_t i = 0; i < count; i++) {
		if (!probes[i])
			continue;
		if (!worker_wait(probes[i]->worker, 0)) {
			running++;
			continue;
		}
		results[i] = probes[i]->result;
		results[i].answered = true;
		probes[i]->result.table = (struct table){ 0 };
		worker_abandon(probes[i]->worker);
		probes[i] = NULL;
	}
	return running;
}

/* Waits for the first of those that run. */
static void wait_for_one(struct probe **probes, size_t count, uint64_t until)
{
	for (size_t i = 0; i < count; i++)
		if (probes[i]) {
			worker_wait(probes[i]->worker, until);
			return;
		}
}

/* The data of the worker that starts the others. */
struct round {
	struct probe_request *requests;
	size_t count;
	uint64_t deadline;
	struct probe **probes;
	struct probe_result *results;
	int result;
};

static int read_all(struct round *round)
{
	size_t next = 0;

	for (;;) {
		size_t running = collect(round->probes, next, round->results);
		uint64_t now = clock_monotonic(), until = round->deadline;
		int r = 0;

		while (r == 0 && next < round->count && running < AT_ONCE_MAX && now < until) {
			r = start(&round->requests[next], &round->probes[next]);
			running += r == 0;
			next += r == 0;
		}
		/* If no thread can be started now, this disk is read when another one has ended. */
		if (r < 0 && running == 0)
			return r;
		if (running == 0 || now >= until)
			return 0;
		if (next < round->count && now + TURN < until)
			until = now + TURN;
		wait_for_one(round->probes, next, until);
	}
}

/*
 * Gives this thread, and those that it starts, a descriptor table of their own. A
 * thread that hangs keeps its descriptors open after the program has ended, and
 * whoever reads the program's output through a pipe would wait for the dead disk. If
 * the kernel refuses, they share the program's table.
 */
static void leave_descriptors(void)
{
	if (unshare(CLONE_FILES) < 0 || close_range(0, ~0U, 0) < 0)
		return;
	/* Libraries expect 0 to 2 to be open. */
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (open("/dev/null", O_RDWR) < 0)
			return;
}

static void run_round(void *data)
{
	struct round *round = data;

	leave_descriptors();
	round->result = read_all(round);
}

/* It stops when the read that hangs returns. */
static void leave(struct probe *probe, struct pending *pending)
{
	atomic_store(&probe->stop, true);
	if (pending && pending->count < PENDING_MAX)
		pending->probes[pending->count++] = probe;
	else
		worker_abandon(probe->worker);
}

int probe_disks(struct probe_request *requests, size_t count, uint64_t deadline,
		struct pending *pending, struct probe_result *results)
{
	struct probe **probes = calloc(count + 1, sizeof(struct probe *));
	struct round round = { requests, count, deadline, probes, results, 0 };
	int r = probes ? 0 : -ENOMEM;

	for (size_t i = 0; i < count; i++)
		results[i] = (struct probe_result){ 0 };
	/* The worker opens no disk itself, so it ends in time. */
	if (r == 0 && count > 0)
		r = worker_ask("probe", run_round, &round, sizeof(round), WORKER_FOREVER);
	if (r == 0)
		r = round.result;
	for (size_t i = 0; i < count; i++) {
		if (probes && probes[i])
			leave(probes[i], pending);
		probe_request_done(&requests[i]);
		if (r < 0)
			table_done(&results[i].table);
	}
	free(probes);
	return r;
}

void pending_wait(struct pending *pending, uint64_t deadline)
{
	size_t kept = 0;

	for (size_t i = 0; i < pending->count; i++) {
		struct probe *probe = pending->probes[i];

		if (worker_wait(probe->worker, deadline))
			worker_abandon(probe->worker);
		else
			pending->probes[kept++] = probe;
	}
	pending->count = kept;
}

bool pending_has(const struct pending *pending, dev_t devno, uint64_t diskseq)
{
	for (size_t i = 0; i < pending->count; i++)
		if (pending->probes[i]->request.devno == devno &&
		    pending->probes[i]->request.diskseq == diskseq)
			return true;
	return false;
}

void pending_done(struct pending *pending)
{
	for (size_t i = 0; i < pending->count; i++)
		worker_abandon(pending->probes[i]->worker);
	pending->count = 0;
}
