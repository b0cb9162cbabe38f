/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An nbdkit plugin that is as slow as a disk: one actuator serves requests one
 * after another, each costing the command overhead, a move when it starts far
 * from where the last one ended, and its bytes at the rate of its zone, outer
 * faster than inner. The bytes lie in a file.
 *
 *	nbdkit diskmodel.so file=FILE rate=180M [inner=90M] [overhead=60] [move=12000]
 *	       [window=8M]
 *
 * Rates are bytes per second, overhead and move microseconds, window bytes: a
 * shorter jump costs no move (the disk's own cache hides it). Time that the
 * plugin itself needs is part of the modelled time, not added to it, so that
 * noise of the machine does not show.
 */
#define NBDKIT_API_VERSION 2
#define THREAD_MODEL       NBDKIT_THREAD_MODEL_PARALLEL
#include <nbdkit-plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NSEC 1000000000ULL

/* nbdkit calls plain functions: what belongs to the one served disk is here. */
static struct {
	char *path;
	int fd;
	uint64_t size;
	uint64_t outer, inner;   /* bytes per second */
	uint64_t overhead, move; /* ns */
	uint64_t window;         /* bytes */
	pthread_mutex_t lock;
	uint64_t free_at; /* monotonic ns: when the actuator has done all it was told */
	uint64_t head;    /* where it is then */
} disk = { .fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

static int parse(const char *name, const char *value, uint64_t *ret)
{
	int64_t size = nbdkit_parse_size(value);

	if (size < 0)
		return -1;
	*ret = (uint64_t)size;
	nbdkit_debug("%s=%s", name, value);
	return 0;
}

static int disk_config(const char *key, const char *value)
{
	uint64_t us;

	if (!strcmp(key, "file")) {
		free(disk.path);
		disk.path = nbdkit_absolute_path(value);
		return disk.path ? 0 : -1;
	}
	if (!strcmp(key, "rate"))
		return parse(key, value, &disk.outer);
	if (!strcmp(key, "inner"))
		return parse(key, value, &disk.inner);
	if (!strcmp(key, "window"))
		return parse(key, value, &disk.window);
	if (!strcmp(key, "overhead") || !strcmp(key, "move")) {
		if (parse(key, value, &us) < 0)
			return -1;
		*(key[0] == 'm' ? &disk.move : &disk.overhead) = us * 1000;
		return 0;
	}
	nbdkit_error("unknown parameter \"%s\"", key);
	return -1;
}

static int disk_config_complete(void)
{
	if (!disk.path || !disk.outer) {
		nbdkit_error("file= and rate= are needed");
		return -1;
	}
	if (!disk.inner)
		disk.inner = disk.outer;
	return 0;
}

static int disk_get_ready(void)
{
	struct stat st;

	disk.fd = open(disk.path, O_RDWR | O_CLOEXEC);
	if (disk.fd < 0 || fstat(disk.fd, &st) < 0 || st.st_size == 0) {
		nbdkit_error("%s: %s", disk.path, strerror(errno));
		return -1;
	}
	disk.size = (uint64_t)st.st_size;
	return 0;
}

static void disk_unload(void)
{
	if (disk.fd >= 0)
		close(disk.fd);
	free(disk.path);
}

static void *disk_open(int readonly)
{
	return &disk;
}

static int64_t disk_get_size(void *handle)
{
	return (int64_t)disk.size;
}

static int disk_can_multi_conn(void *handle)
{
	return 1;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC + (uint64_t)ts.tv_nsec;
}

static void sleep_until(uint64_t when)
{
	struct timespec ts = { (time_t)(when / NSEC), (long)(when % NSEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Tells the actuator; returns when it will have done it. */
static uint64_t queue(uint64_t offset, uint32_t count, uint64_t arrived)
{
	double along = (double)offset / (double)disk.size;
	double rate = (double)disk.outer - along * ((double)disk.outer - (double)disk.inner);
	uint64_t cost = disk.overhead + (uint64_t)((double)count / rate * (double)NSEC);

	pthread_mutex_lock(&disk.lock);
	if (distance(offset, disk.head) > disk.window)
		cost += disk.move;
	disk.head = offset + count;
	if (disk.free_at < arrived)
		disk.free_at = arrived;
	disk.free_at += cost;

	uint64_t done = disk.free_at;

	pthread_mutex_unlock(&disk.lock);
	return done;
}

static int transfer(void *buffer, uint32_t count, uint64_t offset, int write)
{
	uint64_t done = queue(offset, count, now());
	char *at = buffer;

	while (count) {
		ssize_t n = write ? pwrite(disk.fd, at, count, (off_t)offset)
				  : pread(disk.fd, at, count, (off_t)offset);

		if (n <= 0) {
			nbdkit_set_error(n < 0 ? errno : EIO);
			nbdkit_error("%s at %llu failed", write ? "write" : "read",
				     (unsigned long long)offset);
			return -1;
		}
		at += n;
		count -= (uint32_t)n;
		offset += (uint64_t)n;
	}
	sleep_until(done);
	return 0;
}

static int disk_pread(void *handle, void *buffer, uint32_t count, uint64_t offset, uint32_t flags)
{
	return transfer(buffer, count, offset, 0);
}

static int disk_pwrite(void *handle, const void *buffer, uint32_t count, uint64_t offset,
		       uint32_t flags)
{
	return transfer((void *)buffer, count, offset, 1);
}

/* Everything was waited for when it was written. */
static int disk_flush(void *handle, uint32_t flags)
{
	return 0;
}

static struct nbdkit_plugin plugin = {
	.name = "diskmodel",
	.longname = "a disk with one actuator",
	.version = "1",
	.unload = disk_unload,
	.config = disk_config,
	.config_complete = disk_config_complete,
	.config_help =
		"file=FILE rate=BYTES/S [inner=BYTES/S] [overhead=US] [move=US] [window=BYTES]",
	.get_ready = disk_get_ready,
	.open = disk_open,
	.get_size = disk_get_size,
	.can_multi_conn = disk_can_multi_conn,
	.pread = disk_pread,
	.pwrite = disk_pwrite,
	.flush = disk_flush,
};

NBDKIT_REGISTER_PLUGIN(plugin)
