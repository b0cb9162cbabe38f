/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/kind.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"

unsigned bench_add_row(struct bench_run *run, double position, const char *label,
		       const char *key_format, ...)
{
	char key[sizeof(run->result->rows->key)];

	text_vprint(key, sizeof(key), key_format);
	bench_lock(run);
	int row = bench_result_row(run->result, key, label, position);

	bench_unlock(run);
	run->nomem |= row < 0;
	return row < 0 ? 0 : (unsigned)row;
}

unsigned bench_add_size(struct bench_run *run, uint32_t size)
{
	return bench_add_row(run, size, BENCH_PRINT(BENCH_BYTES, size), "%u", size);
}

unsigned bench_make_table(struct bench_run *run, const char *key, const char *title,
			  const struct bench_named *columns, unsigned column_count,
			  const struct bench_named *rows, unsigned row_count)
{
	unsigned first = (unsigned)run->result->row_count;

	bench_lock(run);
	unsigned table = bench_result_table(run->result, key, title);

	for (unsigned i = 0; i < column_count; i++)
		bench_result_column(run->result, table, columns[i].key, _(columns[i].label));
	bench_unlock(run);
	for (unsigned i = 0; i < row_count; i++)
		bench_add_row(run, -1, _(rows[i].label), "%s", rows[i].key);
	return first;
}

void bench_conclude(struct bench_run *run, const char *format, ...)
{
	bench_lock(run);
	text_vprint(run->result->conclusion, sizeof(run->result->conclusion), format);
	bench_unlock(run);
}

void bench_keep(struct bench_run *run, const struct measured *found, bool sizes)
{
	const struct bench_options *options = run->options;
	int r;

	if (!options->log_dir || options->disk.kind != ENDPOINT_DISK)
		return;
	r = measured_keep(options->log_dir, &options->disk.identity, found, sizes);
	if (r < 0)
		bench_note(run,
			   _("Later copies do not know of it: nothing can be kept in %s (%s)."),
			   options->log_dir, file_phrase(r));
}

void bench_note(struct bench_run *run, const char *format, ...)
{
	char note[sizeof(run->result->notes[0])];

	text_vprint(note, sizeof(note), format);
	bench_lock(run);
	bench_result_note(run->result, "%s", note);
	bench_unlock(run);
}

double bench_memory(const char *name)
{
	CLEANUP(fclose) FILE *file = fopen("/proc/meminfo", "re");
	char line[128], key[64];
	double kib;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63[^:]: %lf kB", key, &kib) == 2 && strcmp(key, name) == 0)
			return kib * 1024;
	return -1;
}
