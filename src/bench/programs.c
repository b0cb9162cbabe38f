/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/programs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/process.h"
#include "base/thread.h"

#define LOOK_EVERY 50 /* ms: is it to stop? */

int beside_find(const char *name, char *ret, size_t size)
{
	/* Without a PATH from outside: this may run as root. */
	static const char *const folders[] = { "/usr/local/bin",  "/usr/bin",  "/bin",
					       "/usr/local/sbin", "/usr/sbin", "/sbin" };

	if (strcmp(name, BESIDE_OWN) == 0) {
		ssize_t length = readlink("/proc/self/exe", ret, size - 1);

		ret[length > 0 ? length : 0] = '\0';
		return length > 0 ? 0 : -ENOENT;
	}
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		if (snprintf(ret, size, "%s/%s", folders[i], name) < (int)size &&
		    access(ret, X_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int wait_for(const struct bench_run *run, const atomic_bool *stop, pid_t pid, int *status,
		    struct rusage *usage)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int r = end.fd < 0 ? -errno : 0;

	while (r == 0 && wait4(pid, status, WNOHANG, usage) == 0) {
		if (bench_stops(run) || (stop && atomic_load(stop)))
			r = -ECANCELED;
		else
			poll(&end, 1, LOOK_EVERY);
		/* Whether its disks answer, it has to find out itself. */
		bench_answered(run, clock_monotonic());
	}
	if (r < 0)
		child_end(pid);
	fd_close(end.fd);
	return r;
}

int beside_run(const struct bench_run *run, const atomic_bool *stop, const char *program,
	       const char *const *argv, struct beside_cost *ret, struct error *reterr)
{
	uint64_t begin = clock_monotonic();
	struct rusage usage = { 0 };
	int status = 0;
	pid_t pid;
	int r = child_start(program, argv, NULL, -1, -1, &pid);

	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "start", program,
				 _("%s cannot be started: %s."), program, error_phrase(r));
	r = wait_for(run, stop, pid, &status, &usage);
	if (r < 0)
		return r;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ECHILD, "run", program,
				 _("%s ended with status %d, so it was not measured."), argv[0],
				 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	*ret = (struct beside_cost){ .seconds = (double)(clock_monotonic() - begin) / 1e9,
				     .cpu = seconds_of(usage.ru_utime) +
					    seconds_of(usage.ru_stime) };
	return 0;
}

static void *keep_running(void *data)
{
	struct beside *beside = data;
	struct beside_cost cost;

	while (beside->result == 0)
		beside->result = beside_run(beside->run, &beside->stop, beside->program,
					    beside->argv, &cost, &beside->error);
	return NULL;
}

int beside_start(struct beside *beside, struct error *reterr)
{
	atomic_store(&beside->stop, false);
	beside->result = 0;
	return thread_start(&beside->thread, 0, keep_running, beside, "beside", reterr);
}

void beside_stop(struct beside *beside)
{
	atomic_store(&beside->stop, true);
	pthread_join(beside->thread, NULL);
	if (beside->result == -ECANCELED)
		beside->result = 0;
}
