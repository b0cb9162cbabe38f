/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a command and prints what it cost as one line of JSON.
 *
 *	measure OUTPUT GROUP|- COMMAND [ARGUMENT…]
 *
 * GROUP: a memory control group's directory that the command is put into. Small
 * and in C, so that the launcher's own memory does not show in the child's peak.
 * "cache" is the highest growth of the page cache while it ran, "busy" the time
 * that all processors together were not idle.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SAMPLE_MS 20

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* KiB in the page cache, buffers of block devices included. */
static long cache_size(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	long sum = 0, value;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Cached: %ld", &value) == 1 ||
		    sscanf(line, "Buffers: %ld", &value) == 1)
			sum += value;
	fclose(f);
	return sum;
}

/* Seconds that the processors worked: all but idle, iowait and what a guest ran twice. */
static double busy_time(void)
{
	unsigned long long user = 0, nice_ = 0, system_ = 0, irq = 0, softirq = 0;
	FILE *f = fopen("/proc/stat", "re");

	if (!f)
		return 0;
	if (fscanf(f, "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice_, &system_, &irq,
		   &softirq) != 5)
		user = 0;
	fclose(f);
	return (double)(user + nice_ + system_ + irq + softirq) / (double)sysconf(_SC_CLK_TCK);
}

static void join_group(const char *group)
{
	char path[512];

	if (!strcmp(group, "-"))
		return;
	snprintf(path, sizeof(path), "%s/cgroup.procs", group);

	FILE *f = fopen(path, "we");

	if (!f || fprintf(f, "%d\n", getpid()) < 0 || fclose(f) != 0) {
		fprintf(stderr, "measure: %s: %s\n", path, strerror(errno));
		_exit(126);
	}
}

/* Samples until the child has ended; returns the most that the cache held. */
static long watch(pid_t child)
{
	int fd = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	long most = 0;

	do {
		long size = cache_size();

		if (size > most)
			most = size;
	} while (fd >= 0 && poll(&wait, 1, SAMPLE_MS) == 0);
	if (fd >= 0)
		close(fd);
	return most;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status = 0;

	if (argc < 4)
		return 2;

	long cache = cache_size();
	double busy = busy_time();
	double start = now();
	pid_t child = fork();

	if (child == 0) {
		join_group(argv[2]);
		execvp(argv[3], argv + 3);
		fprintf(stderr, "measure: %s: %s\n", argv[3], strerror(errno));
		_exit(127);
	}
	if (child < 0)
		return 2;
	cache = watch(child) - cache;
	wait4(child, &status, 0, &usage);

	double wall = now() - start;
	FILE *f = fopen(argv[1], "we");

	if (!f)
		return 2;
	fprintf(f,
		"{\"wall\": %.6f, \"user\": %.6f, \"system\": %.6f, \"busy\": %.3f, \"rss\": %ld, "
		"\"cache\": %ld, \"switches\": %ld, \"status\": %d}\n",
		wall, seconds(usage.ru_utime), seconds(usage.ru_stime), busy_time() - busy,
		usage.ru_maxrss, cache, usage.ru_nvcsw + usage.ru_nivcsw,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	fclose(f);
	return 0;
}
