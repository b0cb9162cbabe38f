/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading many disks at once. */
#include "discover/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Threads mostly wait for their disk. If there are more disks than this, they take turns. */
#define PROBE_THREADS_MAX 256
#define PROBE_STACK       ((size_t)512 * 1024)

enum probe_state { PROBE_PENDING, PROBE_DONE };

struct probe_job {
	struct probe_request request;
	struct probe_result result;
	enum probe_state state;
};

struct probe {
	pthread_mutex_t lock; /* protects the rest, except the job that a thread is working on */
	pthread_cond_t answered;
	unsigned users; /* the threads and the caller */
	size_t next, done, count;
	atomic_bool stop;
	struct probe_job jobs[];
};

void probe_request_done(struct probe_request *request)
{
	free(request->known);
	free(request->bad);
}

static void let_go(struct probe *probe)
{
	pthread_mutex_lock(&probe->lock);
	bool last = --probe->users == 0;

	pthread_mutex_unlock(&probe->lock);
	if (!last)
		return;
	for (size_t i = 0; i < probe->count; i++) {
		table_done(&probe->jobs[i].result.table);
		probe_request_done(&probe->jobs[i].request);
	}
	pthread_cond_destroy(&probe->answered);
	pthread_mutex_destroy(&probe->lock);
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

static void read_disk(struct probe *probe, const struct probe_request *request,
		      struct probe_result *ret)
{
	struct table_source source = {
		.size = request->size,
		.sector_size = request->sector_size,
		.stop = &probe->stop,
		.known = request->known,
		.known_count = request->known_count,
		.bad = request->bad,
		.bad_count = request->bad_count,
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
	} else {
		ret->opened = true;
		ret->error = request->as_before ? 0 : table_read(&source, &ret->table);
	}
	close(source.fd);
	if (ret->opened && request->try_exclusive && !atomic_load(&probe->stop))
		ret->exclusive_refused = is_held(request->node);
}

static void *probe_thread(void *data)
{
	struct probe *probe = data;

	pthread_mutex_lock(&probe->lock);
	while (probe->next < probe->count && !atomic_load(&probe->stop)) {
		struct probe_job *job = &probe->jobs[probe->next++];

		pthread_mutex_unlock(&probe->lock);
		read_disk(probe, &job->request, &job->result);
		pthread_mutex_lock(&probe->lock);
		job->state = PROBE_DONE;
		probe->done++;
		pthread_cond_signal(&probe->answered);
	}
	pthread_mutex_unlock(&probe->lock);
	let_go(probe);
	return NULL;
}

static struct probe *allocate(const struct probe_request *requests, size_t count)
{
	struct probe *probe = calloc(1, sizeof(*probe) + count * sizeof(probe->jobs[0]));
	pthread_condattr_t attributes;

	if (!probe)
		return NULL;
	probe->count = count;
	probe->users = 1;
	atomic_init(&probe->stop, false);
	pthread_mutex_init(&probe->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&probe->answered, &attributes);
	pthread_condattr_destroy(&attributes);
	for (size_t i = 0; i < count; i++)
		probe->jobs[i].request = requests[i];
	return probe;
}

static bool start_thread(struct probe *probe, void *(*body)(void *))
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	int r;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, PROBE_STACK);
	pthread_mutex_lock(&probe->lock);
	probe->users++;
	pthread_mutex_unlock(&probe->lock);
	/* Signals are handled by the front end's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, &attributes, body, probe);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (r != 0)
		let_go(probe);
	return r == 0;
}

/*
 * Gives these threads a descriptor table of their own. A thread that hangs keeps
 * its descriptors open after the program has ended, and whoever reads the program's
 * output through a pipe would wait for the dead disk. If the kernel refuses, the
 * threads share the table.
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

/* Starts the other threads, which share its descriptors. If some or all of them cannot be started,
 * every disk is still read, only later. */
static void *first_thread(void *data)
{
	struct probe *probe = data;
	size_t threads = probe->count < PROBE_THREADS_MAX ? probe->count : PROBE_THREADS_MAX;

	leave_descriptors();
	for (size_t i = 1; i < threads; i++)
		if (!start_thread(probe, probe_thread))
			break;
	return probe_thread(probe);
}

int probe_start(struct probe_request *requests, size_t count, struct probe **ret)
{
	struct probe *probe = allocate(requests, count);

	if (!probe) {
		for (size_t i = 0; i < count; i++)
			probe_request_done(&requests[i]);
		return -ENOMEM;
	}
	if (count > 0 && !start_thread(probe, first_thread)) {
		let_go(probe);
		return -EAGAIN;
	}
	*ret = probe;
	return 0;
}

void probe_wait(struct probe *probe, uint64_t deadline)
{
	struct timespec until = {
		.tv_sec = (time_t)(deadline / NSEC_PER_SEC),
		.tv_nsec = (long)(deadline % NSEC_PER_SEC),
	};
	int r = 0;

	pthread_mutex_lock(&probe->lock);
	while (probe->done < probe->count && r == 0)
		r = pthread_cond_timedwait(&probe->answered, &probe->lock, &until);
	pthread_mutex_unlock(&probe->lock);
}

bool probe_take(struct probe *probe, size_t index, struct probe_result *ret)
{
	struct probe_job *job = &probe->jobs[index];
	bool done;

	pthread_mutex_lock(&probe->lock);
	done = job->state == PROBE_DONE;
	if (done) {
		*ret = job->result;
		job->result.table = (struct table){ 0 };
	}
	pthread_mutex_unlock(&probe->lock);
	return done;
}

bool probe_waits_for(struct probe *probe, dev_t devno, uint64_t diskseq)
{
	bool waits = false;

	pthread_mutex_lock(&probe->lock);
	for (size_t i = 0; i < probe->count && !waits; i++) {
		const struct probe_job *job = &probe->jobs[i];

		waits = job->state == PROBE_PENDING && job->request.devno == devno &&
			job->request.diskseq == diskseq;
	}
	pthread_mutex_unlock(&probe->lock);
	return waits;
}

bool probe_is_done(struct probe *probe)
{
	pthread_mutex_lock(&probe->lock);

	/* Once stopped, no thread begins another disk. */
	bool done = probe->done == (atomic_load(&probe->stop) ? probe->next : probe->count);

	pthread_mutex_unlock(&probe->lock);
	return done;
}

void probe_stop(struct probe *probe)
{
	atomic_store(&probe->stop, true);
}

void probe_release(struct probe *probe)
{
	if (!probe)
		return;
	probe_stop(probe);
	let_go(probe);
}
