/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the digests cost alone: prints the processor seconds for those of 1 GiB,
 * in requests of 1 MiB and sectors of 512 bytes, of data that is in no cache.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "digest/digest.h"

#define REQUEST (1U << 20)
#define MEMORY  (128U << 20) /* more than any cache holds */
#define TOTAL   (1U << 30)

static double processor(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
	char *data = aligned_alloc(REQUEST, MEMORY);
	struct digest sum = { 0 }, weighted;
	double start;

	if (!data)
		return EXIT_FAILURE;
	memset(data, 0x5a, MEMORY);
	start = processor();
	for (uint64_t at = 0; at < TOTAL; at += REQUEST)
		digest_add(&sum,
			   digest_sectors(data + at % MEMORY, REQUEST, 512, at / 512, &weighted));
	start = processor() - start;

	char text[DIGEST_TEXT_MAX];

	printf("%.3f %s\n", start, digest_print(sum, text));
	free(data);
	return EXIT_SUCCESS;
}
