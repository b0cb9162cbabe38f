/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times the backends alone, without map, panes and coordinator, on devices that are
 * safe to overwrite: what the copy as a whole is measured against.
 *
 *	copyloop [-m copy|read|write|both] [-s BACKEND] [-d BACKEND] [-c CHUNK]
 *		 [-q DEPTH] [-b BUFFERS] [-j LANES] [-l LENGTH] SOURCE DESTINATION
 *
 * Prints one line: seconds, processor seconds, switches, resident size, choice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "fake/miniloop.h"

static uint64_t number(const char *text)
{
	uint64_t value;

	if (units_parse_size(text, 512, NULL, &value) < 0) {
		fprintf(stderr, "copyloop: \"%s\" is not a size\n", text);
		exit(EXIT_USAGE);
	}
	return value;
}

static enum backend_choice backend(const char *name)
{
	struct plan_options options = { 0 };

	if (!strcmp(name, "null"))
		return BACKEND_NULL;
	if (plan_option_set(&options, PLAN_OPTION_SOURCE_BACKEND, name) < 0) {
		fprintf(stderr, "copyloop: no backend \"%s\"\n", name);
		exit(EXIT_USAGE);
	}
	return options.source_backend;
}

static enum miniloop_mode mode(const char *name)
{
	static const char *const names[] = { "copy", "read", "write", "both" };

	for (int i = 0; i < 4; i++)
		if (!strcmp(names[i], name))
			return (enum miniloop_mode)i;
	fprintf(stderr, "copyloop: no mode \"%s\"\n", name);
	exit(EXIT_USAGE);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int fail(const struct error *error, int code)
{
	fprintf(stderr, "copyloop: %s\n", error->code ? error->sentence : strerror(-code));
	return EXIT_ENVIRONMENT;
}

static void print_result(const struct miniloop *loop, uint64_t ns)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("%.4f s  %.0f MiB/s  user %.3f  system %.3f  switches %ld+%ld  rss %ld KiB  %s\n",
	       (double)ns / 1e9, (double)loop->length / 1048576 / ((double)ns / 1e9),
	       seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_nvcsw, usage.ru_nivcsw,
	       usage.ru_maxrss, loop->choice.reason);
}

int main(int argc, char **argv)
{
	struct plan_options options = { .verify = VERIFY_OFF };
	struct miniloop loop = { 0 };
	struct error error = { 0 };
	uint32_t buffers = 0;
	int c, r;

	while ((c = getopt(argc, argv, "m:s:d:c:q:b:j:l:")) != -1) {
		switch (c) {
		case 'm':
			loop.mode = mode(optarg);
			break;
		case 's':
			options.source_backend = backend(optarg);
			break;
		case 'd':
			options.destination_backend = backend(optarg);
			break;
		case 'c':
			options.chunk = (uint32_t)number(optarg);
			break;
		case 'q':
			options.queue_depth = (uint32_t)number(optarg);
			break;
		case 'b':
			buffers = (uint32_t)number(optarg);
			break;
		case 'j':
			options.lanes = (uint32_t)number(optarg);
			break;
		case 'l':
			loop.length = number(optarg);
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (argc - optind != 2)
		return EXIT_USAGE;
	r = miniloop_open(argv[optind], false, options.source_backend != BACKEND_BUFFERED,
			  &loop.source);
	if (!r)
		r = miniloop_open(argv[optind + 1], true,
				  options.destination_backend != BACKEND_BUFFERED,
				  &loop.destination);
	if (r < 0)
		return fail(&error, r);
	if (loop.destination.regular_file)
		loop.destination.size = loop.source.size;
	if (!loop.length)
		loop.length = loop.source.size < loop.destination.size ? loop.source.size
								       : loop.destination.size;
	r = io_backends_choose(&loop.source, &loop.destination, &options, &loop.choice, &error);
	if (r < 0)
		return fail(&error, r);
	if (buffers)
		loop.choice.buffers_per_lane = buffers;

	uint64_t start = clock_monotonic();

	r = miniloop_run(&loop, &error);
	if (r < 0)
		return fail(&error, r);
	print_result(&loop, clock_monotonic() - start);
	return 0;
}
