/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An nbdkit plugin that is as slow as a disk: one actuator serves requests one
 * after another, each costing the command overhead, a move when it starts far
 * from where the last one ended, and its bytes at the rate of its zone, outer
 * faster than inner. The bytes lie in a file.
 *
 *	nbdkit diskmodel.so file=FILE rate=180M [inner=90M] [overhead=60] [move=12000]
 *	       [window=8M] [bad=FILE [failed=FILE] [struggle=20000] [aside=1]]
 *
 * Rates are bytes per second, overhead and move microseconds, window bytes: a
 * shorter jump costs no move (the disk's own cache hides it). bad= names bad
 * sectors, one number of a 512-byte sector a line: a read that touches any of
 * them fails after `struggle` microseconds more, and adds a line with its
 * offset and length to the file of failed=. All others wait meanwhile; with aside=1 they do not, as
 * on flash, where one of many chips is asked again and again. Time that the plugin itself needs is
 * part of the modelled time, not added to it, so that noise of the machine does not show.
 */
#define NBDKIT_API_VERSION 2
#define THREAD_MODEL       NBDKIT_THREAD_MODEL_PARALLEL
#include <nbdkit-plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NSEC   1000000000ULL
#define SECTOR 512

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
	char *bad_path, *failed_path;
	uint64_t *bad; /* ascending numbers of sectors */
	size_t bad_count;
	int failed_fd;
	uint64_t struggle; /* ns */
	uint64_t aside;    /* others go on meanwhile */
} disk = { .fd = -1, .failed_fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

static int parse(const char *name, const char *value, uint64_t *ret)
{
	int64_t size = nbdkit_parse_size(value);

	if (size < 0)
		return -1;
	*ret = (uint64_t)size;
	nbdkit_debug("%s=%s", name, value);
	return 0;
}

static int name_file(const char *value, char **path)
{
	free(*path);
	*path = nbdkit_absolute_path(value);
	return *path ? 0 : -1;
}

static int disk_config(const char *key, const char *value)
{
	uint64_t us;

	if (!strcmp(key, "file"))
		return name_file(value, &disk.path);
	if (!strcmp(key, "bad"))
		return name_file(value, &disk.bad_path);
	if (!strcmp(key, "failed"))
		return name_file(value, &disk.failed_path);
	if (!strcmp(key, "rate"))
		return parse(key, value, &disk.outer);
	if (!strcmp(key, "inner"))
		return parse(key, value, &disk.inner);
	if (!strcmp(key, "window"))
		return parse(key, value, &disk.window);
	if (!strcmp(key, "aside"))
		return parse(key, value, &disk.aside);
	if (!strcmp(key, "overhead") || !strcmp(key, "move") || !strcmp(key, "struggle")) {
		if (parse(key, value, &us) < 0)
			return -1;
		*(key[0] == 'm'   ? &disk.move
		  : key[0] == 's' ? &disk.struggle
				  : &disk.overhead) = us * 1000;
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

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int read_bad(void)
{
	FILE *file = fopen(disk.bad_path, "re");
	size_t capacity = 0;
	uint64_t sector;

	while (file && fscanf(file, "%" SCNu64, &sector) == 1) {
		if (disk.bad_count == capacity) {
			uint64_t *more;

			capacity = capacity ? capacity * 2 : 1024;
			more = reallocarray(disk.bad, capacity, sizeof(*more));
			if (!more)
				break;
			disk.bad = more;
		}
		disk.bad[disk.bad_count++] = sector;
	}
	if (!file || !feof(file)) {
		nbdkit_error("%s: not a list of sectors", disk.bad_path);
		if (file)
			fclose(file);
		return -1;
	}
	fclose(file);
	if (disk.bad)
		qsort(disk.bad, disk.bad_count, sizeof(*disk.bad), by_number);
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
	if (disk.failed_path) {
		disk.failed_fd =
			open(disk.failed_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
		if (disk.failed_fd < 0) {
			nbdkit_error("%s: %s", disk.failed_path, strerror(errno));
			return -1;
		}
	}
	return disk.bad_path ? read_bad() : 0;
}

static void disk_unload(void)
{
	if (disk.fd >= 0)
		close(disk.fd);
	if (disk.failed_fd >= 0)
		close(disk.failed_fd);
	free(disk.path);
	free(disk.bad_path);
	free(disk.failed_path);
	free(disk.bad);
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

/* The first bad sector from `offset` on lies in the request. */
static int is_bad(uint64_t offset, uint32_t count)
{
	size_t low = 0, high = disk.bad_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (disk.bad[middle] < offset / SECTOR)
			low = middle + 1;
		else
			high = middle;
	}
	return low < disk.bad_count && disk.bad[low] * SECTOR < offset + count;
}

static int fail(uint32_t count, uint64_t offset, uint64_t done)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%" PRIu64 " %" PRIu32 "\n", offset, count);

	pthread_mutex_lock(&disk.lock);
	if (!disk.aside)
		done = disk.free_at;
	done += disk.struggle;
	if (!disk.aside)
		disk.free_at = done;
	pthread_mutex_unlock(&disk.lock);
	if (disk.failed_fd >= 0 && write(disk.failed_fd, line, (size_t)length) != length)
		nbdkit_error("%s: %s", disk.failed_path, strerror(errno));
	sleep_until(done);
	nbdkit_set_error(EIO);
	return -1;
}

static int transfer(void *buffer, uint32_t count, uint64_t offset, int writes)
{
	uint64_t done = queue(offset, count, now());
	char *at = buffer;

	if (!writes && is_bad(offset, count))
		return fail(count, offset, done);
	while (count) {
		ssize_t n = writes ? pwrite(disk.fd, at, count, (off_t)offset)
				   : pread(disk.fd, at, count, (off_t)offset);

		if (n <= 0) {
			nbdkit_set_error(n < 0 ? errno : EIO);
			nbdkit_error("%s at %llu failed", writes ? "write" : "read",
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
		"file=FILE rate=BYTES/S [inner=BYTES/S] [overhead=US] [move=US] [window=BYTES] "
		"[bad=FILE [failed=FILE] [struggle=US] [aside=1]]",
	.get_ready = disk_get_ready,
	.open = disk_open,
	.get_size = disk_get_size,
	.can_multi_conn = disk_can_multi_conn,
	.pread = disk_pread,
	.pwrite = disk_pwrite,
	.flush = disk_flush,
};

NBDKIT_REGISTER_PLUGIN(plugin)
