/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What taking digests costs a copy in time: between two ends that serve requests
 * at a rate and need no processor (timed.h), the same copy without digests and
 * with them, by turns.
 *
 *	digestcost RATE LENGTH ROUNDS
 *
 * Prints a line for each round: seconds of copying without, and with, then the
 * processor seconds of both, then the seconds of reading back.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/units.h"
#include "job/job.h"
#include "timed.h"

/* 128 MiB of buffers: more than the processor's caches hold, as what a disk has written to memory
 * is in none of them. */
#define DEPTH 128

struct cost {
	double copy, verify, processor; /* seconds */
};

static double processor(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 +
	       (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
}

static void make_end(struct endpoint *endpoint, struct io_end *end, const char *name, int fd,
		     uint64_t size)
{
	*endpoint = (struct endpoint){
		.kind = ENDPOINT_DISK,
		.size = size,
		.logical_sector_size = 512,
		.physical_sector_size = 4096,
		.exists = true,
		.identity = { .size = size, .logical_sector_size = 512 },
	};
	snprintf(endpoint->node, sizeof(endpoint->node), "%s", name);
	*end = (struct io_end){
		.fd = fd,
		.direct = true,
		.writable = true,
		.name = name,
		.size = size,
		.logical_sector_size = 512,
		.physical_sector_size = 4096,
		.kind = DISK_OTHER,
		.rotational = NO,
	};
}

static int fail(const struct error *error)
{
	fprintf(stderr, "digestcost: %s\n", error->sentence);
	exit(EXIT_ENVIRONMENT);
}

/* Copies, and reads back what it copied where digests are taken. */
static struct cost run(const struct job_setup *setup)
{
	struct cost cost = { .processor = processor() };
	struct job_snapshot snapshot;
	struct job *job = NULL;
	struct error error = { 0 };

	if (job_new(setup, &job, &error) < 0 || job_start(job, &error) < 0 ||
	    job_wait(job, &error) < 0)
		fail(&error);
	job_snapshot(job, &snapshot);
	if (snapshot.result != JOB_RESULT_COMPLETE) {
		fprintf(stderr, "digestcost: the copy did not come to its end\n");
		exit(EXIT_INTERNAL);
	}
	cost.processor = processor() - cost.processor;
	for (unsigned i = 0; i < snapshot.pass_count; i++) {
		const struct job_pass *pass = &snapshot.passes[i];

		if (pass->kind == PASS_COPY)
			cost.copy += (double)pass->ns / 1e9;
		if (pass->kind == PASS_VERIFY)
			cost.verify += (double)pass->ns / 1e9;
	}
	job_destroy(job);
	return cost;
}

static struct cost run_with(struct job_setup *setup, const struct endpoint ends[2],
			    enum verify_choice verify)
{
	struct plan_options options = { .verify = verify, .queue_depth = DEPTH };
	struct error error = { 0 };
	struct plan *plan = NULL;
	struct cost cost;

	if (plan_new(&ends[0], &ends[1], NULL, NULL, NULL, &options, &plan, &error) < 0)
		fail(&error);
	setup->plan = plan;
	cost = run(setup);
	plan_destroy(plan);
	return cost;
}

int main(int argc, char **argv)
{
	struct timed_backend source, destination;
	struct job_setup setup = { .source_backend = &source.backend,
				   .destination_backend = &destination.backend };
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct endpoint ends[2];
	uint64_t rate, length;

	if (argc != 4 || fd < 0 || units_parse_size(argv[1], 512, NULL, &rate) < 0 || rate == 0 ||
	    units_parse_size(argv[2], 512, NULL, &length) < 0)
		return EXIT_USAGE;
	timed_backend_init(&source, rate);
	timed_backend_init(&destination, rate);
	make_end(&ends[0], &setup.source, "source", fd, length);
	make_end(&ends[1], &setup.destination, "destination", fd, length);
	for (int rounds = atoi(argv[3]); rounds > 0; rounds--) {
		struct cost without = run_with(&setup, ends, VERIFY_OFF);
		struct cost with = run_with(&setup, ends, VERIFY_DIGEST);

		printf("%.4f %.4f %.3f %.3f %.4f\n", without.copy, with.copy, without.processor,
		       with.processor, with.verify);
		fflush(stdout);
	}
	close(fd);
	return EXIT_SUCCESS;
}
