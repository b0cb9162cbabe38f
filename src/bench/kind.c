/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/kind.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/file.h"
#include "base/i18n.h"

int bench_make_table(struct bench_run *run, const char *key, const char *title,
		     const struct bench_named *columns, unsigned column_count,
		     const struct bench_named *rows, unsigned row_count)
{
	bench_lock(run);
	unsigned table = bench_result_table(run->result, key, title);
	int first = (int)run->result->row_count, r = 0;

	for (unsigned i = 0; i < column_count; i++)
		bench_result_column(run->result, table, columns[i].key, _(columns[i].label));
	for (unsigned i = 0; i < row_count && r >= 0; i++)
		r = bench_result_row(run->result, table, rows[i].key, _(rows[i].label), -1);
	bench_unlock(run);
	return r < 0 ? r : first;
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
	va_list args;

	va_start(args, format);
	vsnprintf(note, sizeof(note), format, args);
	va_end(args);
	bench_lock(run);
	bench_result_note(run->result, "%s", note);
	bench_unlock(run);
}
