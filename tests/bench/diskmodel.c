/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An nbdkit plugin that is as slow as a disk: one actuator serves requests one
 * after another, each costing the command overhead, a move when it starts far
 * from where the last one ended, and its bytes at the rate of its zone, outer
 * faster than inner. The bytes lie in a file.
 *
 *	nbdkit diskmodel.so file=FILE rate=180M [inner=90M] [overhead=60] [move=12000]
 *	       [window=8M] [slow=FROM slow_to=TO slower=20] [reads=FILE]
 *	       [bad=FILE [struggle=20000] [aside=1] [grows=SECTORS]]
 *	       [dies=FAILED] [leaves=BYTES away=6000000]
 *
 * Rates are bytes per second, overhead and move microseconds, window bytes: a
 * shorter jump costs no move (the disk's own cache hides it). Between the bytes slow
 * and slow_to everything takes `slower` times as long. bad= names bad
 * sectors, one number of a 512-byte sector a line: a read that touches any of
 * them fails after `struggle` microseconds more. All others wait meanwhile; with aside=1 they do
 *not, as on flash, where one of many chips is asked again and again. With grows= every failed read
 * makes so many more sectors bad, behind the place where it failed. After dies= failed reads
 * every read fails. Once it has read `leaves` bytes every read fails for `away` microseconds, then
 * it is as before. Every read adds a line to the file of reads=: when it was done (monotonic
 * ns), its offset, its length, and whether it failed. Time that the plugin itself needs is
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
	uint64_t slow, slow_to, slower;
	char *bad_path, *reads_path;
	uint8_t *bad; /* one bit per sector; NULL: none */
	int reads_fd;
	uint64_t struggle; /* ns */
	uint64_t aside;    /* others go on meanwhile */
	uint64_t grows;    /* sectors */
	uint64_t dies, failed;
	uint64_t leaves, was_read; /* bytes */
	uint64_t away, back_at;    /* ns; 0: has not left yet */
} disk = { .fd = -1, .reads_fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER };

struct number {
	const char *key;
	uint64_t *value;
	uint64_t unit;
};

static const struct number numbers[] = {
	{ "rate", &disk.outer, 1 },           { "inner", &disk.inner, 1 },
	{ "overhead", &disk.overhead, 1000 }, { "move", &disk.move, 1000 },
	{ "window", &disk.window, 1 },        { "slow", &disk.slow, 1 },
	{ "slow_to", &disk.slow_to, 1 },      { "slower", &disk.slower, 1 },
	{ "struggle", &disk.struggle, 1000 }, { "aside", &disk.aside, 1 },
	{ "grows", &disk.grows, 1 },          { "dies", &disk.dies, 1 },
	{ "leaves", &disk.leaves, 1 },        { "away", &disk.away, 1000 },
};

static int name_file(const char *value, char **path)
{
	free(*path);
	*path = nbdkit_absolute_path(value);
	return *path ? 0 : -1;
}

static int disk_config(const char *key, const char *value)
{
	int64_t size;

	if (!strcmp(key, "file"))
		return name_file(value, &disk.path);
	if (!strcmp(key, "bad"))
		return name_file(value, &disk.bad_path);
	if (!strcmp(key, "reads"))
		return name_file(value, &disk.reads_path);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(key, numbers[i].key) != 0)
			continue;
		size = nbdkit_parse_size(value);
		if (size < 0)
			return -1;
		*numbers[i].value = (uint64_t)size * numbers[i].unit;
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

static void make_bad(uint64_t sector)
{
	if (sector < disk.size / SECTOR)
		disk.bad[sector / 8] |= (uint8_t)(1 << sector % 8);
}

static int read_bad(void)
{
	FILE *file = fopen(disk.bad_path, "re");
	uint64_t sector;

	disk.bad = calloc(disk.size / SECTOR / 8 + 1, 1);
	while (file && disk.bad && fscanf(file, "%" SCNu64, &sector) == 1)
		make_bad(sector);
	if (!disk.bad || !file || !feof(file)) {
		nbdkit_error("%s: not a list of sectors", disk.bad_path);
		if (file)
			fclose(file);
		return -1;
	}
	fclose(file);
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
	if (disk.reads_path) {
		disk.reads_fd =
			open(disk.reads_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
		if (disk.reads_fd < 0) {
			nbdkit_error("%s: %s", disk.reads_path, strerror(errno));
			return -1;
		}
	}
	return disk.bad_path ? read_bad() : 0;
}

static void disk_unload(void)
{
	if (disk.fd >= 0)
		close(disk.fd);
	if (disk.reads_fd >= 0)
		close(disk.reads_fd);
	free(disk.path);
	free(disk.bad_path);
	free(disk.reads_path);
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

	if (disk.slower && offset >= disk.slow && offset < disk.slow_to)
		cost *= disk.slower;
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

/* Under the lock. */
static int touches_bad(uint64_t offset, uint32_t count, uint64_t *ret)
{
	uint64_t end = (offset + count + SECTOR - 1) / SECTOR;

	for (uint64_t sector = offset / SECTOR; disk.bad && sector < end; sector++) {
		if (disk.bad[sector / 8] >> sector % 8 & 1) {
			*ret = sector;
			return 1;
		}
	}
	return 0;
}

static void make_more_bad(uint64_t sector)
{
	uint64_t left = disk.grows;

	for (; left && sector < disk.size / SECTOR; sector++) {
		left -= !(disk.bad[sector / 8] >> sector % 8 & 1);
		make_bad(sector);
	}
}

/* Is it away now? Under the lock. */
static int is_away(uint32_t count)
{
	if (!disk.leaves || disk.was_read < disk.leaves) {
		disk.was_read += count;
		return 0;
	}
	if (!disk.back_at)
		disk.back_at = now() + disk.away;
	return now() < disk.back_at;
}

/* Does this read fail? Then it, and what waits for it, takes longer. */
static int fails(uint64_t offset, uint32_t count, uint64_t *done)
{
	uint64_t sector = 0;
	int failed, away;

	pthread_mutex_lock(&disk.lock);
	away = is_away(count) || (disk.dies && disk.failed >= disk.dies);
	failed = away || touches_bad(offset, count, &sector);
	disk.failed += (uint64_t)failed;
	if (failed && !away) {
		if (!disk.aside)
			*done = disk.free_at;
		*done += disk.struggle;
		if (!disk.aside)
			disk.free_at = *done;
		make_more_bad(sector);
	}
	pthread_mutex_unlock(&disk.lock);
	return failed;
}

static void note(uint64_t offset, uint32_t count, int failed)
{
	char line[96];
	int length = snprintf(line, sizeof(line), "%" PRIu64 " %" PRIu64 " %" PRIu32 " %d\n", now(),
			      offset, count, failed);

	if (disk.reads_fd >= 0 && write(disk.reads_fd, line, (size_t)length) != length)
		nbdkit_error("%s: %s", disk.reads_path, strerror(errno));
}

static int transfer(void *buffer, uint32_t count, uint64_t offset, int writes)
{
	uint64_t done = queue(offset, count, now());
	int failed = !writes && fails(offset, count, &done);

	for (uint32_t at = 0; !failed && at < count;) {
		ssize_t n = writes ? pwrite(disk.fd, (char *)buffer + at, count - at,
					    (off_t)(offset + at))
				   : pread(disk.fd, (char *)buffer + at, count - at,
					   (off_t)(offset + at));

		if (n <= 0) {
			nbdkit_set_error(n < 0 ? errno : EIO);
			nbdkit_error("%s at %llu failed", writes ? "write" : "read",
				     (unsigned long long)offset);
			return -1;
		}
		at += (uint32_t)n;
	}
	sleep_until(done);
	if (!writes)
		note(offset, count, failed);
	if (failed)
		nbdkit_set_error(EIO);
	return failed ? -1 : 0;
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
	.config_help = "see the head of diskmodel.c",
	.get_ready = disk_get_ready,
	.open = disk_open,
	.get_size = disk_get_size,
	.can_multi_conn = disk_can_multi_conn,
	.pread = disk_pread,
	.pwrite = disk_pwrite,
	.flush = disk_flush,
};

NBDKIT_REGISTER_PLUGIN(plugin)
