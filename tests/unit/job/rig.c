/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up disks for the tests of the copy. See rig.h. */
#include "rig.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "map/recorded_copy.h"

/* Only a hang takes that long: a sanitizer on a machine that has much else to do does not. */
#define TIMEOUT  (200 * NSEC_PER_SEC)
#define SCRIBBLE 0xA5

#define UNIT 512U

/* What rig_teardown() is for. */
static struct rig *left;

/* Each 512 bytes are a sequence that no other place has: a number of their own, and a part of the
 * same noise that begins where the number says. To draw each byte took a third of a test under a
 * sanitizer. */
static void fill(unsigned char *to, uint64_t offset, size_t length)
{
	static uint64_t noise[8192];

	if (noise[0] == 0)
		for (size_t i = 0; i < ARRAY_SIZE(noise); i++)
			noise[i] = splitmix64(i);
	for (size_t at = 0; at < length; at += UNIT) {
		uint64_t own = splitmix64(offset + at);

		memcpy(to + at, noise + own % (ARRAY_SIZE(noise) - UNIT / 8), UNIT);
		memcpy(to + at, &own, sizeof(own));
	}
}

/*
 * What the rig does with its disks by itself is not the matter of ThreadSanitizer, which would take
 * a quarter of a test's time for it.
 */
#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

static void unwatched(void)
{
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

static void watched(void)
{
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
#else
static void unwatched(void)
{
}

static void watched(void)
{
}
#endif

enum contents { EMPTY, PATTERN, SCRIBBLED };

static int make_file(const char *path, uint64_t size, enum contents contents)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	unsigned char *buffer = malloc(MIB);

	ck_assert_int_ge(fd, 0);
	unwatched();
	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	for (uint64_t at = 0; contents != EMPTY && at < size; at += MIB) {
		size_t n = size - at < MIB ? size - at : MIB;

		if (contents == PATTERN)
			fill(buffer, at, n);
		else
			memset(buffer, SCRIBBLE, n);
		ck_assert_int_eq(pwrite(fd, buffer, n, (off_t)at), (ssize_t)n);
	}
	watched();
	free(buffer);
	close(fd);
	fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	return fd >= 0 ? fd : open(path, O_RDWR | O_CLOEXEC);
}

static void fill_endpoint(struct endpoint *end, const char *path, const char *serial, uint64_t size,
			  uint32_t sector)
{
	*end = (struct endpoint){
		.kind = ENDPOINT_DISK,
		.size = size,
		.logical_sector_size = sector,
		.physical_sector_size = sector < 4096 ? 4096 : sector,
		.exists = true,
		.identity = { .size = size, .logical_sector_size = sector },
	};
	snprintf(end->node, sizeof(end->node), "%s", path);
	snprintf(end->identity.serial, sizeof(end->identity.serial), "%s", serial);
	snprintf(end->identity.model, sizeof(end->identity.model), "Made up 100%% =\xc3\xa4");
}

static void fill_end(struct io_end *end, int fd, const char *name, uint64_t size, uint32_t sector,
		     bool writable)
{
	*end = (struct io_end){
		.fd = fd,
		.direct = fcntl(fd, F_GETFL) & O_DIRECT,
		.writable = writable,
		.name = name,
		.size = size,
		.logical_sector_size = sector,
		.physical_sector_size = sector < 4096 ? 4096 : sector,
		.kind = DISK_OTHER,
		.rotational = NO,
	};
}

static void make(struct rig *rig, uint64_t size, uint32_t sector, enum contents source,
		 enum contents destination)
{
	const char *tmp = getenv("TMPDIR");

	*rig = (struct rig){ .size = size, .spare = MIB, .sector = sector };
	left = rig;
	snprintf(rig->dir, sizeof(rig->dir), "%s/clonedeck-rig-XXXXXX", tmp ? tmp : "/var/tmp");
	ck_assert_ptr_nonnull(mkdtemp(rig->dir));
	snprintf(rig->source_path, sizeof(rig->source_path), "%s/source", rig->dir);
	snprintf(rig->destination_path, sizeof(rig->destination_path), "%s/destination", rig->dir);
	snprintf(rig->map_path, sizeof(rig->map_path), "%s/map", rig->dir);
	rig->source = make_file(rig->source_path, size, source);
	rig->destination = make_file(rig->destination_path, size + rig->spare, destination);
	/* The names stay for the map; the files go with their descriptors, whatever happens. */
	unlink(rig->source_path);
	unlink(rig->destination_path);
	fill_end(&rig->setup.source, rig->source, rig->source_path, size, sector, false);
	fill_end(&rig->setup.destination, rig->destination, rig->destination_path,
		 size + rig->spare, sector, true);
}

void rig_new(struct rig *rig, uint64_t size, uint32_t sector)
{
	make(rig, size, sector, PATTERN, SCRIBBLED);
}

void rig_new_empty(struct rig *rig, uint64_t size, uint32_t sector)
{
	make(rig, size, sector, EMPTY, EMPTY);
}

void rig_forget_earlier(struct rig *rig)
{
	recorded_copy_done(&rig->earlier);
	rig->setup.earlier = NULL;
}

void rig_load_earlier(struct rig *rig)
{
	char path[PATH_MAX], id[9];
	struct error error = { 0 };

	rig_forget_earlier(rig);
	partial_digests_path(rig->map_path, path);
	if (access(path, F_OK) < 0)
		return;
	ck_assert_msg(recorded_copy_load(path, &rig->earlier, &error) == 0, "%s", error.sentence);
	ck_assert_str_eq(rig->earlier.id, plan_id(rig->plan, id));
	rig->setup.earlier = &rig->earlier;
}

/* With what a job that was killed had begun to write. */
static void remove_folder(const char *path)
{
	DIR *dir = opendir(path);

	ck_assert_ptr_nonnull(dir);
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	ck_assert_int_eq(rmdir(path), 0);
}

void rig_done(struct rig *rig)
{
	rig_drop_job(rig);
	for (size_t i = 0; i < rig->map_count; i++)
		map_destroy(rig->maps[i]);
	free(rig->maps);
	plan_destroy(rig->plan);
	free_places_done(&rig->free_places);
	fault_script_destroy(rig->source_script);
	fault_script_destroy(rig->destination_script);
	close(rig->source);
	close(rig->destination);
	rig_forget_earlier(rig);
	remove_folder(rig->dir);
	left = NULL;
}

void rig_teardown(void)
{
	if (left)
		rig_done(left);
}

struct map *rig_own(struct rig *rig, struct map *map)
{
	ck_assert_int_eq(array_append(rig->maps, rig->map_count, map), 0);
	return map;
}

struct map *rig_new_map(struct rig *rig)
{
	struct map *map;

	ck_assert_int_eq(map_new(rig->plan, &map, NULL), 0);
	return rig_own(rig, map);
}

void rig_plan(struct rig *rig, const struct range *ranges, size_t count,
	      const uint64_t *destination_lba, const struct plan_options *options)
{
	struct endpoint source, destination;
	struct range_list list = { 0 };
	struct error error = { 0 };

	fill_endpoint(&source, rig->source_path, "SOURCE1", rig->size, rig->sector);
	fill_endpoint(&destination, rig->destination_path, "DEST22", rig->size + rig->spare,
		      rig->sector);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(range_list_add(&list, ranges[i]), 0);
	plan_destroy(rig->plan);
	ck_assert_msg(plan_new(&source, &destination, count ? &list : NULL, destination_lba,
			       &rig->free_places, options, &rig->plan, &error) == 0,
		      "%s", error.sentence);
	if (!rig->verified)
		rig->plan->options.verify = VERIFY_OFF;
	rig->setup.plan = rig->plan;
	range_list_done(&list);
}

void rig_faults(struct rig *rig, const struct io_backend *source,
		const struct io_backend *destination)
{
	rig->source_script = fault_script_new();
	rig->destination_script = fault_script_new();
	fault_backend_init(&rig->bad_source, source, rig->source_script);
	fault_backend_init(&rig->bad_destination, destination, rig->destination_script);
	rig->setup.source_backend = &rig->bad_source.backend;
	rig->setup.destination_backend = &rig->bad_destination.backend;
}

void rig_add(struct rig *rig, const struct fault_rule *rule)
{
	bool flush = rule->kind == FAULT_FLUSH;

	if (rule->on != FAULT_WRITES && !flush)
		ck_assert_int_ge(fault_script_add(rig->source_script, rule), 0);
	if (rule->on != FAULT_READS || flush)
		ck_assert_int_ge(fault_script_add(rig->destination_script, rule), 0);
}

void rig_heal(struct rig *rig)
{
	fault_script_clear(rig->source_script);
	fault_script_clear(rig->destination_script);
}

void rig_drop_job(struct rig *rig)
{
	job_destroy(rig->job);
	rig->job = NULL;
}

void rig_start(struct rig *rig)
{
	struct job_setup setup = rig->setup;
	struct error error = { 0 };

	rig_drop_job(rig);
	/* The test keeps its own. */
	if (setup.resume)
		ck_assert_int_eq(map_copy(rig->setup.resume, &setup.resume, NULL), 0);
	ck_assert_msg(job_new(&setup, &rig->job, &error) == 0, "%s", error.sentence);
	ck_assert_msg(job_start(rig->job, &error) == 0, "%s", error.sentence);
}

struct job_snapshot rig_look(struct rig *rig)
{
	struct job_snapshot s;

	job_snapshot(rig->job, &s);
	return s;
}

struct job_snapshot rig_until_written(struct rig *rig, uint64_t bytes)
{
	uint64_t deadline = clock_monotonic() + TIMEOUT;
	struct job_snapshot s;

	do {
		s = rig_look(rig);
		if (s.written >= bytes || s.state == JOB_ENDED)
			return s;
		usleep(2000);
	} while (clock_monotonic() < deadline);
	ck_abort_msg("only %llu bytes were written in time", (unsigned long long)s.written);
	return s;
}

struct job_snapshot rig_until_state(struct rig *rig, enum job_state state)
{
	uint64_t deadline = clock_monotonic() + TIMEOUT;
	struct job_snapshot s;

	while ((s = rig_look(rig)).state != state && s.state != JOB_ENDED) {
		ck_assert_msg(clock_monotonic() < deadline, "state %d never came", state);
		usleep(1000);
	}
	ck_assert_int_eq(s.state, state);
	return s;
}

struct job_snapshot rig_until_still(struct rig *rig)
{
	uint64_t deadline = clock_monotonic() + TIMEOUT, before;
	struct job_snapshot s = rig_look(rig);

	do {
		before = s.written;
		usleep(300000);
		s = rig_look(rig);
		ck_assert_msg(clock_monotonic() < deadline, "the job never came to rest");
	} while (s.written != before || s.source.in_flight + s.destination.in_flight > 0);
	return s;
}

struct job_snapshot rig_wait(struct rig *rig)
{
	uint64_t deadline = clock_monotonic() + TIMEOUT;

	while (rig_look(rig).state != JOB_ENDED) {
		ck_assert_msg(clock_monotonic() < deadline, "the job does not end");
		usleep(2000);
	}
	job_wait(rig->job, NULL);
	rig->filled = rig_look(rig).result == JOB_RESULT_PARTIAL;
	return rig_look(rig);
}

struct job_snapshot rig_run(struct rig *rig)
{
	rig_start(rig);
	return rig_wait(rig);
}

void rig_run_and_die(struct rig *rig, unsigned within)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct job *job;

		if (job_new(&rig->setup, &job, NULL) < 0 || job_start(job, NULL) < 0)
			_exit(1);
		job_wait(job, NULL);
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	usleep((useconds_t)((unsigned)rand() % within));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

void rig_seed(void)
{
	const char *given = getenv("CLONEDECK_SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 0)
			      : (unsigned)time(NULL) ^ ((unsigned)getpid() << 8);

	printf("# seed %u\n", seed);
	srand(seed);
}

static bool all_are(const unsigned char *p, size_t n, unsigned char value)
{
	return p[0] == value && !memcmp(p, p + 1, n - 1);
}

static enum map_status status_at(const struct map *map, uint64_t source)
{
	struct map_block block;

	if (map_at(map, source, &block) && block.start <= source)
		return block.status;
	ck_abort_msg("byte %llu of the source is not in the map", (unsigned long long)source);
	return MAP_BAD;
}

/* The place on the source that the plan puts at this sector of the destination. */
static bool source_of(const struct plan *plan, uint64_t destination, uint64_t *ret)
{
	for (size_t i = 0; i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);

		if (destination >= e.destination && destination - e.destination < e.length) {
			*ret = e.source + (destination - e.destination);
			return true;
		}
	}
	return false;
}

static uint64_t check_sector(struct rig *rig, const struct map *map, uint64_t at,
			     const unsigned char *found)
{
	unsigned char right[4096];
	uint64_t source;
	bool same;

	if (!source_of(rig->plan, at, &source)) {
		ck_assert_msg(all_are(found, rig->sector, SCRIBBLE),
			      "byte %llu is outside the plan and was changed",
			      (unsigned long long)at);
		return 0;
	}
	if (plan_left_out(rig->plan) &&
	    range_list_overlaps(plan_left_out(rig->plan),
				(struct range){ source / rig->sector, 1 }))
		return 0;
	fill(right, source, rig->sector);
	same = !memcmp(found, right, rig->sector);
	switch (map ? status_at(map, source) : MAP_FINISHED) {
	case MAP_FINISHED:
		ck_assert_msg(same, "byte %llu should be copied and is not",
			      (unsigned long long)at);
		break;
	case MAP_BAD:
		/* It is filled as the last thing; a stop may come before. */
		ck_assert_msg(all_are(found, rig->sector, 0) ||
				      (!(rig->filled && rig->plan->options.fill == FILL_ZERO) &&
				       (all_are(found, rig->sector, SCRIBBLE) ||
					!memcmp(found, "clonedeck: LBA", 14))),
			      "byte %llu is bad and holds something else", (unsigned long long)at);
		break;
	default:
		ck_assert_msg(same || all_are(found, rig->sector, SCRIBBLE) ||
				      all_are(found, rig->sector, 0),
			      "byte %llu holds something else", (unsigned long long)at);
		break;
	}
	return same ? rig->sector : 0;
}

uint64_t rig_check(struct rig *rig, const struct map *map)
{
	uint64_t copied = 0;
	unsigned char *buffer = aligned_alloc(4096, MIB);

	unwatched();
	for (uint64_t at = 0; at < rig->size + rig->spare; at += MIB) {
		ssize_t n = pread(rig->destination, buffer, MIB, (off_t)at);

		ck_assert_int_gt(n, 0);
		for (ssize_t s = 0; s < n; s += rig->sector)
			copied += check_sector(rig, map, at + (uint64_t)s, buffer + s);
	}
	watched();
	free(buffer);
	return copied;
}

void rig_check_complete(struct rig *rig)
{
	ck_assert_uint_eq(rig_check(rig, NULL), plan_bytes(rig->plan));
}

void rig_check_copied(struct rig *rig, const struct job_snapshot *s)
{
	ck_assert_msg(s->result == JOB_RESULT_COMPLETE, "result %d: %s", s->result,
		      s->error.sentence);
	ck_assert(s->flushed);
	ck_assert_uint_eq(s->written, s->total);
	ck_assert_uint_eq(s->total, plan_bytes(rig->plan));
	ck_assert_uint_eq(s->bad_areas, 0);
	ck_assert_uint_eq(s->errors, 0);
	ck_assert_uint_eq(s->source.in_flight + s->destination.in_flight, 0);
	ck_assert_uint_eq(s->buffers_in_use, 0);
	/* Copied, flushed, looked at; none is under way any more. */
	ck_assert_uint_eq(s->pass, PASS_NONE);
	ck_assert_uint_eq(s->pass_count,
			  rig->setup.destination_backend == &io_null_backend ? 2 : 3);
	ck_assert_uint_eq(s->passes[0].kind, PASS_COPY);
	ck_assert_uint_eq(s->passes[0].rounds, 1);
	ck_assert_uint_eq(s->passes[0].done, s->total - s->already);
	ck_assert_uint_eq(s->passes[0].total, s->total - s->already);
	ck_assert_uint_eq(s->passes[0].errors, 0);
	ck_assert_uint_eq(s->passes[1].kind, PASS_FLUSH);
	ck_assert_uint_eq(s->look.differing, 0);
	ck_assert_uint_le(s->passes[0].ns + s->passes[1].ns, s->elapsed);
	rig_check_complete(rig);
}

struct map *rig_load_map(struct rig *rig)
{
	struct error error = { 0 };
	struct plan *plan = NULL;
	struct map *map = NULL;
	char a[9], b[9];

	ck_assert_msg(map_load(rig->map_path, &map, &plan, &error) == 0, "%s", error.sentence);
	ck_assert_ptr_nonnull(plan);
	ck_assert_str_eq(plan_id(plan, a), plan_id(rig->plan, b));
	plan_destroy(plan);
	return rig_own(rig, map);
}
