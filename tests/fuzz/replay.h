/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For every fuzzer: with -Dfuzz=true libFuzzer brings the main program; without
 * it the one here replays the files (or folders of files) that it is given, each
 * as it is and in some hundred damaged forms, and prints TAP. Include it from
 * the one source file of the fuzzer.
 *
 * The damage is made from a fixed seed; CLONEDECK_TEST_SEED changes it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property of the code under test; fuzzers stop where it does not hold. */
#define FUZZ_CHECK(condition)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__,          \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#ifndef FUZZ_ENGINE

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#define REPLAY_DAMAGES 200
#define REPLAY_MAX     (1 << 20)

static uint32_t replay_random(uint32_t *state)
{
	*state = *state * 1664525U + 1013904223U;
	return *state >> 8;
}

/* The input in memory of exactly its size, so that the sanitizer sees every step beyond. */
static void replay_run(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		exit(99);
	if (size > 0)
		memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

/* Flips, sets, drops, doubles a few bytes, or cuts the end. */
static size_t replay_damage(uint8_t *data, size_t size, uint32_t *state)
{
	unsigned steps = 1 + replay_random(state) % 4;

	while (steps-- > 0 && size > 0) {
		size_t at = replay_random(state) % size;

		switch (replay_random(state) % 5) {
		case 0:
			data[at] ^= (uint8_t)(1U << replay_random(state) % 8);
			break;
		case 1:
			data[at] = (uint8_t)replay_random(state);
			break;
		case 2:
			memmove(data + at, data + at + 1, size - at - 1);
			size--;
			break;
		case 3:
			memmove(data + at + 1, data + at, size - at);
			size++;
			break;
		default:
			size = at;
			break;
		}
	}
	return size;
}

static unsigned replay_count;

static void replay_file(const char *path, uint32_t seed)
{
	/* Room for every step of damage to add one byte. */
	static uint8_t data[REPLAY_MAX], damaged[REPLAY_MAX + 4];
	FILE *file = fopen(path, "re");
	uint32_t state = seed;

	if (!file) {
		printf("not ok %u - %s cannot be read\n", ++replay_count, path);
		return;
	}

	size_t size = fread(data, 1, sizeof(data), file);

	fclose(file);
	replay_run(data, size);
	for (int i = 0; i < REPLAY_DAMAGES; i++) {
		memcpy(damaged, data, size);
		replay_run(damaged, replay_damage(damaged, size, &state));
	}
	printf("ok %u - %s\n", ++replay_count, path);
	fflush(stdout);
}

static int replay_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void replay_path(const char *path, uint32_t seed)
{
	struct dirent **entries;
	struct stat status;

	if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode)) {
		replay_file(path, seed);
		return;
	}

	int count = scandir(path, &entries, replay_visible, alphasort);

	for (int i = 0; i < count; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		replay_file(file, seed);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	const char *given = getenv("CLONEDECK_TEST_SEED");
	uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 0) : 1;

	for (int i = 1; i < argc; i++)
		replay_path(argv[i], seed);
	/* A corpus that is not there must not look like one that passed. */
	if (replay_count == 0)
		printf("not ok %u - no inputs\n", ++replay_count);
	printf("1..%u\n", replay_count);
	return 0;
}

#endif
