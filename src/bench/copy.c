/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gilbert's copy table: the same copy in many ways, by clonedeck's own engines and by the programs
 * that others use, between two practice disks. Every way is first tried on a destination of zeros
 * and compared with the source: who copies wrongly is not measured. The rounds are interleaved, so
 * that what else happens on the machine meets all of them; the time ends when the destination has
 * stored all of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "bench/beside.h"
#include "bench/practice.h"

#define ROUNDS 3
#define PIECE  (1U << 20)
#define GIB    ((double)(1U << 30))

enum column { SECONDS, RATE, CPU };

#define OWN "clonedeck"
#define CLONE                                                                                      \
	OWN, "clone", "-s", "<", "-d", ">", "--confirm", ">", "--no-verify", "--no-probe",         \
		"--no-arm-last", "--log-dir", "="

/* An argument that ends with '<' or '>' ends with the source or the destination, "=" is the folder.
 * More than the arguments of CLONE and six. */
struct way {
	struct bench_named name;
	uint32_t request; /* 0: its own */
	enum bench_path path;
	const char *argv[20];
};

static const struct way ways[] = {
	{ { "dd-512", N_("dd, 512 B") },
	  512,
	  BENCH_BUFFERED,
	  { "dd", "if=<", "of=>", "bs=512", "conv=notrunc", "status=none" } },
	{ { "dd-8k", N_("dd, 8 KiB") },
	  8192,
	  BENCH_BUFFERED,
	  { "dd", "if=<", "of=>", "bs=8k", "conv=notrunc", "status=none" } },
	{ { "dd-direct", N_("dd, 1 MiB, direct") },
	  1 << 20,
	  BENCH_DIRECT,
	  { "dd", "if=<", "of=>", "bs=1M", "iflag=direct", "oflag=direct", "conv=notrunc",
	    "status=none" } },
	{ { "one-thread", N_("one thread, one request") },
	  0,
	  BENCH_DIRECT,
	  { CLONE, "--source-backend=threads", "--destination-backend=threads", "-j", "1", "-q",
	    "1" } },
	{ { "threads", N_("lanes of threads") },
	  0,
	  BENCH_DIRECT,
	  { CLONE, "--source-backend=threads", "--destination-backend=threads" } },
	{ { "uring", N_("io_uring") },
	  0,
	  BENCH_DIRECT,
	  { CLONE, "--source-backend=uring", "--destination-backend=uring" } },
	{ { "mixed", N_("io_uring to page cache") },
	  0,
	  BENCH_PATH_UNKNOWN,
	  { CLONE, "--source-backend=uring", "--destination-backend=buffered" } },
	{ { "own-choice", N_("as clonedeck chooses") }, 0, BENCH_PATH_UNKNOWN, { CLONE } },
	{ { "sg_dd", N_("sg_dd") }, 0, BENCH_BUFFERED, { "sg_dd", "if=<", "of=>", "bs=512" } },
	{ { "sgp_dd", N_("sgp_dd") }, 0, BENCH_BUFFERED, { "sgp_dd", "if=<", "of=>", "bs=512" } },
	{ { "ddrescue", N_("ddrescue") }, 0, BENCH_BUFFERED, { "ddrescue", "-q", "-f", "<", ">" } },
	{ { "nbdcopy", N_("nbdcopy") }, 0, BENCH_BUFFERED, { "nbdcopy", "<", ">" } },
};
#define WAYS      (sizeof(ways) / sizeof(ways[0]))
#define ARGUMENTS (sizeof(ways[0].argv) / sizeof(ways[0].argv[0]))

struct copies {
	struct bench_run *run;
	struct practice practice;
	char programs[WAYS][PATH_MAX]; /* "": it is not installed, or cannot do it */
};

/* ---- a table, and how to call them ---- */

static int describe(struct copies *all)
{
	static const struct bench_named columns[] = {
		[SECONDS] = { "seconds", N_("time") },
		[RATE] = { "rate", N_("throughput") },
		[CPU] = { "cpu", N_("CPU") },
	};
	struct bench_named rows[WAYS];
	char title[120], size[BENCH_TEXT_MAX];

	for (unsigned i = 0; i < WAYS; i++)
		rows[i] = ways[i].name;
	snprintf(title, sizeof(title), _("Copying %s until the destination has stored it"),
		 bench_print(BENCH_BYTES, (double)all->practice.size, size));
	return bench_make_table(all->run, "copy", title, columns, 3, rows, WAYS);
}

static int find_programs(struct copies *all)
{
	char missing[120] = "";

	for (unsigned i = 0; i < WAYS; i++) {
		const char *name = ways[i].argv[0];
		size_t used = strlen(missing);
		char *program = all->programs[i];

		if (strcmp(name, OWN) == 0 && readlink("/proc/self/exe", program, PATH_MAX - 1) < 0)
			return -errno;
		if (strcmp(name, OWN) == 0 || beside_find(name, program, PATH_MAX) == 0)
			continue;
		program[0] = '\0';
		snprintf(missing + used, sizeof(missing) - used, "%s%s", used ? ", " : "", name);
	}
	if (missing[0])
		bench_note(all->run, _("Not installed: %s."), missing);
	return 0;
}

/* Runs it. Returns what it took, the destination's flush included. */
static int copy(struct copies *all, unsigned i, struct beside_cost *ret, struct error *reterr)
{
	const struct practice *practice = &all->practice;
	char texts[ARGUMENTS][PATH_MAX];
	const char *argv[ARGUMENTS + 1] = { NULL };
	uint64_t begin;
	int r;

	for (unsigned k = 0; k < ARGUMENTS && ways[i].argv[k]; k++) {
		const char *text = ways[i].argv[k];
		size_t length = strlen(text);
		char last = length ? text[length - 1] : '\0';
		const char *end = last == '<'              ? practice->disks[0].node
				  : last == '>'            ? practice->disks[1].node
				  : strcmp(text, "=") == 0 ? practice->folder
							   : NULL;

		snprintf(texts[k], sizeof(texts[k]), "%.*s%s", (int)(end ? length - 1 : length),
			 text, end ? end : "");
		argv[k] = texts[k];
	}
	/* Nothing of either is in memory any more. */
	for (unsigned end = 0; end < 2; end++)
		ioctl(practice->disks[end].loop, BLKFLSBUF, 0);
	r = beside_run(all->run, NULL, all->programs[i], argv, ret, reterr);
	begin = clock_monotonic();
	if (r == 0 && fsync(practice->disks[1].loop) < 0)
		r = error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "flush", "practice",
			      _("The practice disk cannot be flushed: %s."), error_phrase(errno));
	ret->seconds += (double)(clock_monotonic() - begin) / 1e9;
	return r;
}

/* ---- is it a copy at all? ---- */

/* What was copied before must not pass for a copy made now. */
static int clear(const struct practice *practice)
{
	uint64_t all[2] = { 0, practice->size };
	int fd = open(practice->disks[1].node, O_WRONLY | O_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	r = ioctl(fd, BLKZEROOUT, all) < 0 ? -errno : 0;
	close(fd);
	return r;
}

/* 1: they are the same; 0: they differ. */
static int compare(const struct practice *practice)
{
	CLEANUP(free) char *pieces = malloc(2UL * PIECE);
	ssize_t n[2];

	if (!pieces)
		return -ENOMEM;
	for (uint64_t at = 0; at < practice->size; at += PIECE) {
		for (unsigned end = 0; end < 2; end++) {
			n[end] = pread(practice->disks[end].loop, pieces + end * (size_t)PIECE,
				       PIECE, (off_t)at);
			if (n[end] <= 0)
				return n[end] < 0 ? -errno : -EIO;
		}
		if (n[0] != n[1] || memcmp(pieces, pieces + PIECE, (size_t)n[0]) != 0)
			return 0;
	}
	return 1;
}

/* A way that fails or copies wrongly is left out, and that is said. */
static int try(struct copies *all, unsigned i, struct error *reterr)
{
	struct error error = { 0 };
	struct beside_cost cost;
	char sentence[300] = "";
	int r = clear(&all->practice);

	if (r == 0)
		r = copy(all, i, &cost, &error);
	if (r == -ECHILD)
		snprintf(sentence, sizeof(sentence), "%s", error.sentence);
	else if (r == 0)
		r = compare(&all->practice);
	if (r == 0)
		snprintf(sentence, sizeof(sentence),
			 _("%s ended as if all was well, but its copy differs from the source: it "
			   "was not measured."),
			 _(ways[i].name.label));
	if (sentence[0]) {
		all->programs[i][0] = '\0';
		bench_note(all->run, "%s", sentence);
		return 0;
	}
	if (r < 0 && !error.code)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "compare", "practice",
				 _("The practice disks cannot be compared: %s."), error_phrase(r));
	*reterr = error;
	return r < 0 ? r : 0;
}

/* ---- measuring ---- */

static int measure(struct copies *all, unsigned i, struct error *reterr)
{
	struct bench_how how = { .request = ways[i].request, .depth = 0, .path = ways[i].path };
	double bytes = (double)all->practice.size;
	struct beside_cost cost;
	int r = copy(all, i, &cost, reterr);

	if (r < 0)
		return r;
	snprintf(how.engine, sizeof(how.engine), "%s", ways[i].argv[0]);
	r = bench_sample(all->run, i, SECONDS, BENCH_SECONDS, cost.seconds, &how);
	if (r == 0)
		r = bench_sample(all->run, i, RATE, BENCH_RATE, bytes / cost.seconds, &how);
	if (r == 0)
		r = bench_sample(all->run, i, CPU, BENCH_CPU_PER_GIB, cost.cpu / bytes * GIB, &how);
	return r < 0 ? error_nomem(reterr) : 0;
}

static int run_all(struct bench_run *run, struct error *reterr)
{
	struct copies *all = calloc(1, sizeof(*all));
	unsigned turns;
	int r;

	if (!all)
		return error_nomem(reterr);
	all->run = run;
	if (!run->rounds)
		run->rounds = ROUNDS;
	/* The first round tries them. */
	turns = (run->rounds + 1) * (unsigned)WAYS;
	r = practice_make(run, &all->practice, reterr);
	if (r == 0 && (describe(all) < 0 || find_programs(all) < 0))
		r = error_nomem(reterr);
	for (unsigned n = 0; n < turns && r == 0; n++) {
		unsigned i = n % WAYS;

		if (!all->programs[i][0])
			continue;
		bench_tell(run, (double)n / turns, n < WAYS ? _("trying %s") : _("copying: %s"),
			   _(ways[i].name.label));
		r = n < WAYS ? try(all, i, reterr) : measure(all, i, reterr);
	}
	practice_done(&all->practice);
	free(all);
	return r;
}

const struct bench_kind bench_copy = {
	.name = "copy",
	.summary = N_("the same copy by clonedeck, dd and others, on practice disks"),
	.takes = BENCH_TAKES_SIZE | BENCH_TAKES_ROUNDS | BENCH_TAKES_PRACTICE,
	.run = run_all,
};
