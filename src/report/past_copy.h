/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An earlier copy, as its saved report tells of it. Plain data. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct past_end {
	char node[128], model[64], serial[64]; /* as they were then; "" unknown */
};

struct past_copy {
	char report[512], map[512]; /* their files; "" none */
	char result[16];            /* "COMPLETE", as in the report; "" it left none */
	int exit_code;
	int64_t at; /* unix seconds: when it began; without a report, when its map was saved */
	uint64_t seconds;            /* it took */
	uint64_t total, copied, bad; /* bytes; total 0: unknown */
	struct past_end source, destination;
	bool unfinished; /* there is more to copy, and a map to go on from */
	char *text;      /* what is worth knowing of it, translated; owned; NULL: nothing */
};

/* Reads a report in JSON. False: it is none, or cannot be read. Waits for its disk. */
bool past_load(const char *path, struct past_copy *ret);
/* Prints the name of a line and a tab: whoever shows the text aligns the values at it. */
void past_print_name(FILE *out, const char *name);
/* Its result, translated; "UNFINISHED" where it left none. */
const char *past_result_words(const struct past_copy *past);
/* Frees what it holds. */
void past_done(struct past_copy *past);
