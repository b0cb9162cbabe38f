/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a measurement: checks, its thread, progress, and what was found so far. */
#include "bench/bench.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/thread.h"
#include "bench/kind.h"
#include "discover/running.h"
#include "guard/claim.h"
#include "guard/facts.h"
#include "guard/rules.h"
#include "session/opened.h"
#include "stats/cpu.h"

#define BAD_PLACES_TOLD 3

struct bench {
	struct bench_options options;
	struct bench_run run;
	struct claim *claim;
	pthread_t thread;
	uint64_t started; /* monotonic ns */
	atomic_bool stop;
	atomic_uint_fast64_t answered; /* monotonic ns */
	pthread_mutex_t lock;          /* of what follows */
	pthread_cond_t over;
	bool ended;
	double done;
	char what[96];
	uint64_t bad_places;
	struct bench_result result;
};

const struct bench_kind *bench_kind_find(const char *name)
{
	for (size_t i = 0; bench_kinds[i]; i++)
		if (strcmp(bench_kinds[i]->name, name) == 0)
			return bench_kinds[i];
	return NULL;
}

/* ---- the machine ---- */

#define WATCH     (NSEC_PER_SEC / 4)
#define IDLE_MOST 0.1 /* of all processors */

/* As /proc/cpuinfo names it; "" where it does not. */
static void find_processor(char *ret, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	ret[0] = '\0';
	while (file && !ret[0] && fgets(line, sizeof(line), file)) {
		const char *name = strchr(line, ':');

		if (name && strncmp(line, "model name", strlen("model name")) == 0)
			text_sanitise(ret, size, name + 1, strlen(name + 1));
	}
	if (file)
		fclose(file);
}

/* 0…1 of all processors; negative: unknown. */
static double find_load(void)
{
	struct cpu_reader *reader = NULL;
	struct cpu_share share = { 0 };

	if (cpu_reader_new(&reader, NULL) < 0)
		return -1;
	cpu_reader_system(reader, &share);
	clock_sleep_until(clock_monotonic() + WATCH);
	cpu_reader_system(reader, &share);
	cpu_reader_destroy(reader);
	return share.known ? (double)(share.user + share.system) : -1;
}

/* The machine that measures, in one line: a figure means little without it. "Linux 6.18.5, AMD
 * EPYC, 2 processors, idle (3 % busy)". Watches the processors for a quarter of a second. */
static const char *describe_machine(char *buffer, size_t size)
{
	struct utsname name = { 0 };
	char processor[100];
	unsigned count = cpu_count();
	double load = find_load();
	size_t used;

	uname(&name);
	find_processor(processor, sizeof(processor));
	used = (size_t)snprintf(
		buffer, size, P_("%s %s, %s, %u processor", "%s %s, %s, %u processors", count),
		name.sysname, name.release, processor[0] ? processor : name.machine, count);
	if (load >= 0 && used < size)
		snprintf(buffer + used, size - used,
			 load < IDLE_MOST ? _(", idle (%.0f %% busy)")
					  : _(", not idle: %.0f %% busy"),
			 load * 100);
	return buffer;
}

/* ---- for the kind ---- */

bool bench_stops(const struct bench_run *run)
{
	return run->nomem || atomic_load_explicit(&run->bench->stop, memory_order_relaxed);
}

void bench_lock(struct bench_run *run)
{
	pthread_mutex_lock(&run->bench->lock);
}

void bench_unlock(struct bench_run *run)
{
	pthread_mutex_unlock(&run->bench->lock);
}

void bench_sample(struct bench_run *run, unsigned row, unsigned column, enum bench_unit unit,
		  double value, const struct bench_how *how)
{
	bench_lock(run);
	if (run->nomem || bench_result_add(run->result, row, column, unit, value, how) < 0)
		run->nomem = true;
	bench_unlock(run);
}

void bench_tell(struct bench_run *run, const char *format, ...)
{
	struct bench *bench = run->bench;
	char round[40] = "", what[sizeof(bench->what)];

	if (run->rounds > 1 && run->round)
		snprintf(round, sizeof(round), _("round %u of %u: "), run->round, run->rounds);
	text_vprint(what, sizeof(what), format);
	bench_lock(run);
	snprintf(bench->what, sizeof(bench->what), "%s%.50s", round, what);
	bench_unlock(run);
}

int bench_rounds(struct bench_run *run, unsigned rounds, unsigned count,
		 int (*measure)(void *kind, unsigned i, struct error *reterr), void *kind,
		 struct error *reterr)
{
	unsigned all = rounds * count;
	int r = 0;

	for (unsigned n = 0; n < all && r == 0; n++) {
		bench_lock(run);
		run->round = rounds > 1 ? n / count + 1 : 0;
		run->bench->done = run->done + run->share * n / all;
		bench_unlock(run);
		r = measure(kind, n % count, reterr);
		bench_answered(run, clock_monotonic());
		if (r == 0 && bench_stops(run))
			r = -ECANCELED;
	}
	run->done += run->share;
	run->share = 1 - run->done;
	run->round = 0;
	return r;
}

void bench_answered(const struct bench_run *run, uint64_t now)
{
	atomic_store_explicit(&run->bench->answered, now, memory_order_relaxed);
}

void bench_bad_place(struct bench_run *run, const struct error *error)
{
	bench_lock(run);
	if (++run->bench->bad_places <= BAD_PLACES_TOLD)
		bench_result_note(run->result, "%s", error->sentence);
	bench_unlock(run);
}

bool bench_is_fatal(const struct bench_run *run, int code)
{
	struct claim *claim = run->bench->claim;

	if (claim)
		claim_look(claim);
	return code == -ENODEV || code == -ENXIO || code == -ENOMEDIUM || code == -ETIMEDOUT ||
	       code == -ESTALE || (claim && !claim_present(claim));
}

/* ---- its thread ---- */

/* With its sg node where it has one: some kinds send SCSI commands. */
static int claim(struct bench *bench, struct error *reterr)
{
	const struct endpoint *disk = &bench->options.disk;
	enum claim_role role = bench->options.confirm ? CLAIM_DESTINATION : CLAIM_SOURCE;
	struct plan plan = { .options = PLAN_OPTIONS_DEFAULT };
	int r = -ENODEV;

	/* A copy claims its disks itself. */
	if (disk->kind == ENDPOINT_NONE || bench->options.confirmed)
		return 0;
	if (role == CLAIM_SOURCE)
		plan.source = *disk;
	else
		plan.destinations[plan.destination_count++] = *disk;
	plan.options.source_backend = plan.options.destination_backend = BACKEND_SG;
	if (disk->sg[0])
		r = claim_open(disk, role, &plan, &bench->claim, NULL);
	plan.options.source_backend = plan.options.destination_backend = BACKEND_AUTO;
	if (r < 0)
		r = claim_open(disk, role, &plan, &bench->claim, reterr);
	if (r == 0)
		opened_use_claim(bench->claim, &bench->run.end);
	return r;
}

static void conclude(struct bench *bench, int code, const struct error *error)
{
	struct bench_result *result = &bench->result;

	if (bench->bad_places > BAD_PLACES_TOLD)
		bench_result_note(result, _("%llu more places could not be read."),
				  (unsigned long long)bench->bad_places - BAD_PLACES_TOLD);
	result->end = code == -ECANCELED  ? BENCH_STOPPED
		      : code < 0          ? BENCH_FAILED
		      : bench->bad_places ? BENCH_BAD_PLACES
					  : BENCH_COMPLETE;
	if (result->end == BENCH_FAILED)
		result->error = *error;
}

static void *measure(void *data)
{
	struct bench *bench = data;
	struct error error = { 0 };
	char machine[sizeof(bench->result.machine)];
	int r = claim(bench, &error);

	describe_machine(machine, sizeof(machine));
	bench_lock(&bench->run);
	text_copy(bench->result.machine, sizeof(bench->result.machine), machine);
	bench_unlock(&bench->run);
	if (r == 0)
		r = bench->options.kind->run(&bench->run, &error);
	if (bench->run.nomem)
		r = error_nomem(&error);
	claim_discard(bench->claim);
	bench_lock(&bench->run);
	bench->claim = NULL;
	conclude(bench, r, &error);
	bench->done = 1;
	bench->ended = true;
	pthread_cond_broadcast(&bench->over);
	bench_unlock(&bench->run);
	return NULL;
}

/* ---- for the front end ---- */

/* Who else is at this disk, or, without one, copies at all: a copy to it is a reason not to disturb
 * it, the rest is said. */
static int look_at_copies(const struct identity *disk, struct bench_result *result,
			  struct error *reterr)
{
	struct running *running = calloc(RUNNING_MAX, sizeof(*running));
	size_t count = running ? running_list(NULL, running) : 0;
	char words[200];
	int r = running ? 0 : error_nomem(reterr);

	for (size_t i = 0; i < count && r == 0; i++) {
		bool ends = result->node[0] != '\0';
		bool written = ends && running_is_on(&running[i].destination, disk);

		if (written)
			r = error_set(reterr, ERROR_CLASS_REFUSED, -EBUSY, "measure", result->node,
				      _("%s is not measured: %s. It would slow the copy down."),
				      result->node,
				      running_words(&running[i], true, words, sizeof(words)));
		else if (ends && running_is_on(&running[i].source, disk))
			bench_result_note(result, _("%s: %s. The figures show what is left."),
					  result->node,
					  running_words(&running[i], false, words, sizeof(words)));
		else
			bench_result_note(result,
					  _("Another copy runs on this machine, and takes its part "
					    "of the processors and buses."));
	}
	free(running);
	return r;
}

static int look_at_use(const struct disk *disk, struct bench_result *result, struct error *reterr)
{
	if (use_list_find(&disk->in_use, USE_COPY))
		return error_set(reterr, ERROR_CLASS_REFUSED, -EBUSY, "measure", disk->node,
				 _("%s is not measured: it is being copied. That would "
				   "slow the copy down."),
				 disk->node);
	if (disk->in_use.count > 0)
		bench_result_note(result,
				  _("%s is in use (%s): what others ask of it meanwhile is in the "
				    "figures."),
				  disk->node, disk->in_use.items[0].what);
	return 0;
}

/* Writing needs what a destination needs: a free disk, and the confirmation that it is the right
 * one. */
static int look_at_writing(const struct bench *bench, const struct disk_list *disks,
			   const struct disk *disk, struct error *reterr)
{
	const struct endpoint *endpoint = &bench->options.disk;
	struct end_writers writers;
	struct verdict verdict = { 0 };
	char token[512];

	if (!disk || rules_refuse_destination(disk, endpoint, &verdict))
		return error_set(reterr, ERROR_CLASS_REFUSED, -EBUSY, "measure", endpoint->node,
				 "%s", verdict.sentence);
	/* What others write meanwhile would be undone. */
	facts_find_writers(endpoint, disks, &writers);
	if (writers.mount[0] || writers.other[0])
		return error_set(reterr, ERROR_CLASS_REFUSED, -EBUSY, "measure", endpoint->node,
				 _("%s is in use (%s): nothing is written to it."), endpoint->node,
				 writers.mount[0] ? writers.mount : writers.other);
	if (strcmp(bench->options.confirm, endpoint_token(disks, endpoint, token)) != 0)
		return error_set(reterr, ERROR_CLASS_REFUSED, -EACCES, "confirm", endpoint->node,
				 _("Nothing was written: writing to %s is confirmed with %s. What "
				   "is read at each place will be written there again, so the disk "
				   "keeps its contents; if its power fails, the sector that it is "
				   "writing may be lost."),
				 endpoint->node, token);
	return 0;
}

static int look_at_disk(struct bench *bench, const struct disk_list *disks, struct error *reterr)
{
	const struct endpoint *endpoint = &bench->options.disk;
	const struct disk *disk = disks ? endpoint_disk(disks, endpoint) : NULL;
	struct bench_result *result = &bench->result;
	int r = 0;

	if (endpoint->kind == ENDPOINT_NONE)
		return look_at_copies(&endpoint->identity, result, reterr);
	if (endpoint->kind == ENDPOINT_IMAGE)
		return error_set(reterr, ERROR_CLASS_USAGE, -ENOTBLK, "measure", endpoint->node,
				 _("%s is a file. Only disks are measured."), endpoint->node);
	text_copy(result->node, sizeof(result->node), endpoint->node);
	result->identity = endpoint->identity;
	result->start = endpoint->start;
	if (disk) {
		text_copy(result->transport, sizeof(result->transport), disk->transport);
		text_copy(result->driver, sizeof(result->driver), disk->driver);
		r = look_at_use(disk, result, reterr);
	}
	if (r == 0)
		r = look_at_copies(&endpoint->identity, result, reterr);
	if (r == 0 && bench->options.confirm)
		r = look_at_writing(bench, disks, disk, reterr);
	opened_describe(endpoint, disk, endpoint->size, r == 0 && bench->options.confirm,
			&bench->run.end);
	return r;
}

int bench_start(const struct bench_options *options, const struct disk_list *disks,
		struct bench **ret, struct error *reterr)
{
	const struct bench_kind *kind = options->kind;
	struct bench *bench = calloc(1, sizeof(*bench));
	int r;

	if (!bench)
		return error_nomem(reterr);
	bench->options = *options;
	bench->run = (struct bench_run){ .options = &bench->options,
					 .end.name = "",
					 .sg = &sg_linux_driver,
					 .size = options->size ? options->size : kind->size,
					 .ns = options->time_ns ? options->time_ns : kind->time_ns,
					 .rounds = options->rounds ? options->rounds : kind->rounds,
					 .share = 1,
					 .result = &bench->result,
					 .bench = bench };
	bench->result.started = (int64_t)time(NULL);
	text_copy(bench->result.kind, sizeof(bench->result.kind), kind->name);
	text_copy(bench->result.title, sizeof(bench->result.title), _(kind->summary));
	pthread_mutex_init(&bench->lock, NULL);
	pthread_cond_init(&bench->over, NULL);
	bench->started = clock_monotonic();
	atomic_store(&bench->answered, bench->started);
	r = look_at_disk(bench, disks, reterr);
	if (r == 0)
		r = thread_start(&bench->thread, 0, measure, bench, "bench", reterr);
	if (r < 0) {
		free(bench);
		return r;
	}
	*ret = bench;
	return 0;
}

void bench_stop(struct bench *bench)
{
	atomic_store(&bench->stop, true);
}

bool bench_wait(struct bench *bench, uint64_t timeout_ns)
{
	uint64_t until = clock_monotonic() + timeout_ns;

	SCOPED_LOCK(&bench->lock);
	while (!bench->ended && thread_wait(&bench->over, &bench->lock, until))
		;
	return bench->ended;
}

void bench_destroy(struct bench *bench)
{
	if (!bench)
		return;
	bench_stop(bench);
	pthread_join(bench->thread, NULL);
	bench_result_done(&bench->result);
	free(bench);
}

void bench_progress(struct bench *bench, struct bench_progress *ret)
{
	uint64_t now = clock_monotonic(), answered = atomic_load(&bench->answered);
	double seconds = (double)(now - bench->started) / 1e9;

	SCOPED_LOCK(&bench->lock);
	*ret = (struct bench_progress){
		.done = bench->done,
		.eta = bench->done > 0.01 ? seconds / bench->done * (1 - bench->done) : -1,
		.silent_ns = now > answered ? now - answered : 0,
		.ended = bench->ended,
	};
	text_copy(ret->what, sizeof(ret->what), bench->what);
}

int bench_snapshot(struct bench *bench, struct bench_result *ret)
{
	SCOPED_LOCK(&bench->lock);
	return bench_result_copy(&bench->result, ret);
}
