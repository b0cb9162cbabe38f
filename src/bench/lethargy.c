/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gilbert's wrist watch: what a copy does to everybody else. A neighbour starts a program, waits
 * for a timer and reads a file again that is in the page cache: alone, beside a direct copy of
 * clonedeck, and beside a buffered one of dd, in turn. Copies are between practice disks, or the
 * beginning of disks that were confirmed.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "bench/disk_pair.h"
#include "stats/latency.h"

#define STARTS   5
#define TICK     NSEC_PER_MSEC
#define SETTLE   (300 * NSEC_PER_MSEC) /* for a copy to be at work */
#define HOT_SIZE (64U << 20)
#define PIECE    (1U << 20)

enum state { ALONE, BESIDE_DIRECT, BESIDE_BUFFERED, STATES };
enum figure { COLD, WARM, WAKE, HOT, KEPT, CACHE_BEFORE, CACHE_MOST, CACHE_AFTER, FIGURES };

static const struct bench_how how[STATES] = {
	[ALONE] = { .engine = "" },
	[BESIDE_DIRECT] = { .engine = "clonedeck", .path = BENCH_DIRECT },
	[BESIDE_BUFFERED] = { .engine = "dd", .path = BENCH_BUFFERED },
};

/* Figures of a state: until its copy is known to have run all the time. */
#define HELD_MAX (2 * STARTS + FIGURES)

struct neighbour {
	struct bench_run *run;
	struct held {
		enum figure figure;
		enum bench_unit unit;
		double value;
	} held[HELD_MAX];
	unsigned held_count;
	struct pair pair;
	struct pair_argv argv;  /* of the copy that runs */
	char program[PATH_MAX]; /* a copy of this one that nobody else uses, below the practice
				   folder */
	int program_fd, hot_fd;
	void *piece;
};

/* ---- preparing ---- */

static void describe(struct neighbour *all)
{
	static const struct bench_named columns[STATES] = {
		[ALONE] = { "alone", N_("nothing else") },
		[BESIDE_DIRECT] = { "direct", N_("direct copy") },
		[BESIDE_BUFFERED] = { "buffered", N_("buffered copy") },
	};
	static const struct bench_named rows[FIGURES] = {
		[COLD] = { "start_cold", N_("start a program, from disk") },
		[WARM] = { "start_warm", N_("start it again") },
		[WAKE] = { "wake_p99", N_("wake-up too late, 99 %") },
		[HOT] = { "cached_read", N_("read 64 MiB again, cached") },
		[KEPT] = { "cached_kept", N_("of it still cached before that") },
		[CACHE_BEFORE] = { "cache_before", N_("page cache before") },
		[CACHE_MOST] = { "cache_most", N_("page cache meanwhile, at most") },
		[CACHE_AFTER] = { "cache_after", N_("page cache afterwards") },
	};

	bench_make_table(all->run, "lethargy", _("What a copy does to others"), columns, STATES,
			 rows, FIGURES);
}

/* A file below the practice folder, filled by `from`, or with zeros where that is -1. */
static int make_file(struct neighbour *all, const char *name, int from, mode_t mode)
{
	char path[PATH_MAX + 16];
	ssize_t n = 1;

	snprintf(path, sizeof(path), "%s/%s", all->pair.folder, name);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);

	memset(all->piece, 0, PIECE);
	for (unsigned i = 0; fd >= 0 && n > 0 && (from >= 0 || i < HOT_SIZE / PIECE); i++) {
		n = from < 0 ? (ssize_t)PIECE : read(from, all->piece, PIECE);
		if (n < 0 || (n > 0 && write(fd, all->piece, (size_t)n) != n) ||
		    (n == 0 && fsync(fd) < 0)) {
			close(fd);
			return -EIO;
		}
	}
	return fd < 0 ? -errno : fd;
}

static int prepare(struct neighbour *all, struct error *reterr)
{
	int self, r = pair_open(all->run, &all->pair, reterr);

	if (r < 0)
		return r;
	snprintf(all->program, sizeof(all->program), "%.4000s/neighbour", all->pair.folder);
	all->piece = malloc(PIECE);
	if (!all->piece)
		return error_nomem(reterr);
	describe(all);
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	r = self < 0 ? -errno : make_file(all, "neighbour", self, 0700);
	fd_close(self);
	if (r >= 0) {
		/* A program that is open for writing cannot be started. */
		close(r);
		r = all->program_fd = open(all->program, O_RDONLY | O_CLOEXEC);
	}
	if (r >= 0)
		r = all->hot_fd = make_file(all, "cached", -1, 0600);
	return r >= 0 ? 0
		      : error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "make", all->pair.folder,
				  _("Files for the neighbour cannot be made in %s: %s."),
				  all->pair.folder, error_phrase(r));
}

static void clean_up(struct neighbour *all)
{
	fd_close(all->program_fd);
	fd_close(all->hot_fd);
	free(all->piece);
	pair_done(&all->pair);
}

/* ---- the neighbour ---- */

/* Negative: not known. */
static double page_cache(void)
{
	double cached = bench_memory("Cached"), buffers = bench_memory("Buffers");

	return cached < 0 ? -1 : cached + fmax(buffers, 0);
}

/* A negative value is one that is not known, and is left out. */
static void hold(struct neighbour *all, enum figure figure, enum bench_unit unit, double value)
{
	if (value >= 0)
		all->held[all->held_count++] = (struct held){ figure, unit, value };
}

static void add_samples(struct neighbour *all, enum state state)
{
	for (unsigned i = 0; i < all->held_count; i++) {
		const struct held *held = &all->held[i];

		bench_sample(all->run, held->figure, state, held->unit, held->value, &how[state]);
	}
}

static int start_program(struct neighbour *all, bool cold, struct error *reterr)
{
	const char *const argv[] = { "clonedeck", "--version", NULL };
	struct beside_cost cost;

	if (cold)
		posix_fadvise(all->program_fd, 0, 0, POSIX_FADV_DONTNEED);
	int r = beside_run(all->run, NULL, all->program, argv, &cost, reterr);

	if (r == 0)
		hold(all, cold ? COLD : WARM, BENCH_SECONDS, cost.seconds);
	return r;
}

/* How long after its time a timer wakes somebody up who needs the processor for a moment. */
static int watch_timer(struct neighbour *all, struct error *reterr)
{
	CLEANUP(free) struct latency *late = calloc(1, sizeof(*late));
	uint64_t at = clock_monotonic(), end = at + all->run->ns;

	if (!late)
		return error_nomem(reterr);
	while (at < end && !bench_stops(all->run)) {
		at = clock_monotonic() + TICK;
		clock_sleep_until(at);
		latency_add(late, clock_monotonic() - at);
	}
	hold(all, WAKE, BENCH_SECONDS, (double)latency_percentile(late, 0.99) / 1e9);
	return 0;
}

/* The share of the file that is in memory; negative: not known. */
static double share_kept(int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = HOT_SIZE / page, kept = 0;
	CLEANUP(free) unsigned char *in = malloc(pages);
	void *map = mmap(NULL, HOT_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	bool known = in && map != MAP_FAILED && mincore(map, HOT_SIZE, in) == 0;

	for (size_t i = 0; known && i < pages; i++)
		kept += in[i] & 1;
	if (map != MAP_FAILED)
		munmap(map, HOT_SIZE);
	return known ? (double)kept / (double)pages : -1;
}

static int read_hot(struct neighbour *all, struct error *reterr)
{
	for (off_t at = 0; at < (off_t)HOT_SIZE; at += PIECE)
		if (pread(all->hot_fd, all->piece, PIECE, at) != (ssize_t)PIECE)
			return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EIO, "read", "cached",
					 _("The neighbour's file cannot be read: %s."),
					 error_phrase(EIO));
	return 0;
}

static int read_again(struct neighbour *all, struct error *reterr)
{
	double kept = share_kept(all->hot_fd);
	uint64_t begin = clock_monotonic();
	int r = read_hot(all, reterr);

	if (r < 0)
		return r;
	hold(all, HOT, BENCH_SECONDS, (double)(clock_monotonic() - begin) / 1e9);
	hold(all, KEPT, BENCH_SHARE, kept);
	return 0;
}

/* What the neighbour does once, beside whatever runs. */
static int live(struct neighbour *all, struct error *reterr)
{
	double most = page_cache();
	int r = 0;

	for (unsigned i = 0; i < 2 * STARTS && r == 0; i++) {
		r = start_program(all, i % 2 == 0, reterr);
		most = fmax(most, page_cache());
	}
	if (r == 0)
		r = watch_timer(all, reterr);
	hold(all, CACHE_MOST, BENCH_BYTES, fmax(most, page_cache()));
	return r == 0 ? read_again(all, reterr) : r;
}

/* ---- the copies ---- */

/* NULL: none. */
static const char *const *copy_of(enum state state)
{
	static const char *const direct[] = { PAIR_CLONE, NULL };
	static const char *const buffered[] = { "dd",
						"if=@s",
						"of=@d",
						"bs=64k",
						"skip=@i",
						"seek=@o",
						"count=@n",
						"iflag=skip_bytes,count_bytes",
						"oflag=seek_bytes",
						"conv=fsync,notrunc",
						NULL };

	return state == BESIDE_DIRECT ? direct : state == BESIDE_BUFFERED ? buffered : NULL;
}

static int start_copy(struct neighbour *all, enum state state, struct beside *copy,
		      struct error *reterr)
{
	const char *program = copy_of(state)[0];
	int r = 0;

	pair_expand(&all->pair, copy_of(state), &all->argv);
	*copy = (struct beside){ .run = all->run, .argv = all->argv.argv };
	if (beside_find(program, copy->program, PATH_MAX) < 0)
		r = error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOENT, "start", program,
			      _("%s cannot be started: %s."), program, error_phrase(-ENOENT));
	else if (state == BESIDE_BUFFERED) /* clonedeck claims both disks by itself */
		r = pair_hold(&all->pair, reterr);
	return r < 0 ? r : beside_start(copy, reterr);
}

/* The copy of this state, if there is one, runs meanwhile. */
static int live_beside(struct neighbour *all, enum state state, struct error *reterr)
{
	bool copies = copy_of(state) != NULL;
	struct beside copy;
	int r = copies ? start_copy(all, state, &copy, reterr) : 0;

	if (r < 0)
		return r;
	clock_sleep_until(clock_monotonic() + SETTLE);
	r = live(all, reterr);
	if (copies)
		beside_stop(&copy);
	hold(all, CACHE_AFTER, BENCH_BYTES, page_cache());
	if (!copies || (r < 0 && r != -ECANCELED))
		return r;
	if (copy.result < 0) {
		*reterr = copy.error;
		r = copy.result;
	}
	return pair_blame(&all->pair, r, reterr);
}

static int measure(void *kind, unsigned number, struct error *reterr)
{
	static const char *const what[STATES] = { N_("nothing else runs"),
						  N_("beside a direct copy"),
						  N_("beside a buffered copy") };
	struct neighbour *all = kind;
	enum state state = number;

	bench_tell(all->run, "%s", _(what[state]));
	all->held_count = 0;
	hold(all, CACHE_BEFORE, BENCH_BYTES, page_cache());
	/* The file is in memory before the copy begins. */
	int r = read_hot(all, reterr);

	if (r == 0)
		r = live_beside(all, state, reterr);
	pair_release(&all->pair);
	if (r == 0 || r == -ECANCELED)
		add_samples(all, state);
	return r;
}

static int run_all(struct bench_run *run, struct error *reterr)
{
	struct neighbour *all = calloc(1, sizeof(*all));
	int r;

	if (!all)
		return error_nomem(reterr);
	*all = (struct neighbour){ .run = run, .program_fd = -1, .hot_fd = -1 };
	r = prepare(all, reterr);
	if (r == 0)
		r = bench_rounds(run, run->rounds, STATES, measure, all, reterr);
	clean_up(all);
	free(all);
	return r;
}

const struct bench_kind bench_lethargy = {
	.name = "lethargy",
	.summary = N_("what a copy does to other programs"),
	.takes = BENCH_TAKES_SIZE | BENCH_TAKES_TIME | BENCH_TAKES_ROUNDS | BENCH_TAKES_PAIR,
	.size = PAIR_SIZE,
	.time_ns = NSEC_PER_SEC, /* of watching the timer */
	.rounds = 3,
	.run = run_all,
};
