/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What does a transfer cost without the medium? READ BUFFER reads the memory of the disk, in many
 * sizes and by each way in which the sg driver hands over data, after D. Gilbert's "Comparing
 * Direct and Indirect IO times in sg" (2001). Where a disk refuses it, READs of one range, which
 * its cache answers after the first.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "bench/load.h"
#include "bench/rbuf.h"
#include "io/buffers.h"
#include "io/sg.h"
#include "scsi/ask.h"
#include "scsi/commands.h"

#define SMALLEST  4096U
#define LARGEST   ((16U << 20) - SMALLEST) /* three bytes of a command */
#define SIZES_MAX 16
/* Of what takes less, the share of a processor is not known: kernels may count it in ticks of 10
 * ms.
 */
#define LEAST_SECONDS 0.1
/* What a command may move if the kernel does not tell: what every adapter can. */
#define USUAL_LIMIT    (128U << 10)
#define LEAST_COMMANDS 4
#define TRIES          8 /* each takes one unit attention with it */
/* Where the clock is a system call, as in a user-mode kernel, it costs as much as a command. */
#define LOOK_EVERY (20 * NSEC_PER_MSEC)

enum way { QUICK, MAPPED, DIRECT, INDIRECT, WAYS };

static const struct {
	struct bench_named name;
	unsigned flags;
	enum bench_path path;
} ways[WAYS] = {
	[QUICK] = { { "none", N_("no copy") }, SG_FLAG_NO_DXFER, BENCH_LEFT },
	[MAPPED] = { { "mmap", N_("mmap") }, SG_DRIVER_MMAP, BENCH_MAPPED },
	[DIRECT] = { { "direct", N_("direct") }, SG_FLAG_DIRECT_IO, BENCH_DIRECT },
	[INDIRECT] = { { "indirect", N_("indirect") }, 0, BENCH_INDIRECT },
};

struct rbuf {
	struct bench_run *run;
	bool buffer; /* READ BUFFER; false: READ */
	enum scsi_buffer_mode mode;
	uint32_t sizes[SIZES_MAX]; /* descending */
	unsigned count;
	unsigned first; /* row */
	uint64_t amount;
	void *memory;
	bool copied; /* although direct IO was asked for */
	bool scaled; /* a cell ended by its time limit */
};

/* ---- which command, and how much ---- */

static uint32_t ask_capacity(struct rbuf *rbuf, enum scsi_buffer_mode mode)
{
	const struct bench_run *run = rbuf->run;
	uint8_t data[SCSI_BUFFER_DESCRIPTOR_SIZE] = { 0 };
	struct sg_result result = { .outcome = SCSI_RESET };
	struct scsi_cdb cdb;
	int r = -EIO;

	scsi_cdb_read_buffer(mode, sizeof(data), &cdb);
	for (unsigned i = 0; i < TRIES && result.outcome == SCSI_RESET; i++)
		r = sg_run(run->sg, run->end.sg_fd, &cdb, data, sizeof(data), SCSI_TIMEOUT_MS,
			   &result);
	bench_answered(run, clock_monotonic());
	return r < 0 ? 0 : scsi_parse_buffer_capacity(mode, data, result.transferred);
}

/* The descriptor may be answered, and the data refused. */
static bool answers(struct rbuf *rbuf, uint32_t length)
{
	const struct bench_run *run = rbuf->run;
	struct sg_result result;
	struct scsi_cdb cdb;

	scsi_cdb_read_buffer(rbuf->mode, length, &cdb);
	return sg_run(run->sg, run->end.sg_fd, &cdb, rbuf->memory, length, SCSI_TIMEOUT_MS,
		      &result) == 0;
}

static uint32_t choose_command(struct rbuf *rbuf)
{
	static const enum scsi_buffer_mode modes[][2] = {
		{ SCSI_BUFFER_DESCRIPTOR, SCSI_BUFFER_DATA },
		{ SCSI_BUFFER_ECHO_DESCRIPTOR, SCSI_BUFFER_ECHO },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(modes); i++) {
		uint32_t capacity = ask_capacity(rbuf, modes[i][0]);

		rbuf->mode = modes[i][1];
		rbuf->buffer =
			capacity > 0 && answers(rbuf, capacity < SMALLEST ? capacity : SMALLEST);
		if (rbuf->buffer)
			return capacity;
	}
	return rbuf->run->end.size < LARGEST ? (uint32_t)rbuf->run->end.size : LARGEST;
}

/* Doubled from the smallest, and the largest itself, descending; or the one that was asked for. */
static int choose_sizes(struct rbuf *rbuf, uint32_t capacity, struct error *reterr)
{
	uint64_t asked = rbuf->run->options->request;
	const struct io_end *end = &rbuf->run->end;
	uint32_t unit = rbuf->buffer ? 4 : io_sector_size(end), size = SMALLEST;
	uint32_t most = end->max_command    ? end->max_command
			: end->max_transfer ? end->max_transfer
					    : USUAL_LIMIT;

	most = most < capacity ? most : capacity;
	/* Fewer commands than that make no figure. */
	if (most > rbuf->amount / LEAST_COMMANDS)
		most = (uint32_t)(rbuf->amount / LEAST_COMMANDS);
	most = (most < LARGEST ? most : LARGEST) / unit * unit;
	if (asked > most || asked % unit)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "measure", end->name,
				 _("%s: requests may have up to %u bytes here, in steps of %u."),
				 end->name, most, unit);
	if (asked) {
		rbuf->sizes[rbuf->count++] = (uint32_t)asked;
		return 0;
	}
	while (size * 2 <= most)
		size *= 2;
	if (size != most)
		rbuf->sizes[rbuf->count++] = most;
	for (; size >= SMALLEST && size <= most && rbuf->count < SIZES_MAX; size /= 2)
		rbuf->sizes[rbuf->count++] = size;
	return 0;
}

/* ---- one cell ---- */

static int make_command(const struct rbuf *rbuf, uint32_t size, struct scsi_cdb *ret)
{
	const struct io_end *end = &rbuf->run->end;
	const struct scsi_format format = { .long_lba = true };
	uint32_t sector = io_sector_size(end);

	if (!rbuf->buffer)
		return scsi_cdb_transfer(&format, false, end->start / sector, size / sector, ret);
	scsi_cdb_read_buffer(rbuf->mode, size, ret);
	return 0;
}

struct cell {
	enum way way;
	uint32_t size;
	int fd;
	void *mapped;
	uint64_t commands; /* done */
	struct bench_how how;
};

/* One command, sent again where the disk answers with the news of a reset. */
static int send(struct rbuf *rbuf, struct cell *cell)
{
	const struct sg_driver *driver = rbuf->run->sg;
	enum scsi_outcome outcome = SCSI_RESET;
	uint8_t bytes[SCSI_SENSE_MAX];
	struct scsi_cdb cdb;
	struct sense sense;
	int r = make_command(rbuf, cell->size, &cdb);

	for (unsigned i = 0; r == 0 && i < TRIES; i++) {
		sg_io_hdr_t header = scsi_header(&cdb, cell->way == MAPPED ? NULL : rbuf->memory,
						 cell->size, bytes);

		header.flags = ways[cell->way].flags;
		r = driver->run(driver, cell->fd, &header);
		if (r < 0)
			break;
		outcome = scsi_judge(&header, &sense, &r);
		if (cell->way == DIRECT &&
		    (header.info & SG_INFO_DIRECT_IO_MASK) != SG_INFO_DIRECT_IO)
			cell->how.path = BENCH_INDIRECT;
		if (outcome != SCSI_RESET && outcome != SCSI_RETRY)
			break;
		r = 0;
	}
	return r;
}

static int repeat(struct rbuf *rbuf, struct cell *cell)
{
	uint64_t count = (rbuf->amount + cell->size - 1) / cell->size;
	uint64_t looked = clock_monotonic(), until = looked + rbuf->run->ns, step = 1, look = 1;
	int r = 0;

	for (cell->commands = 0; cell->commands < count && r == 0; cell->commands++) {
		if (bench_stops(rbuf->run))
			return -ECANCELED;
		if (cell->commands == look) {
			uint64_t now = clock_monotonic();

			bench_answered(rbuf->run, now);
			rbuf->scaled |= now >= until;
			if (now >= until)
				break;
			step = now - looked < LOOK_EVERY ? 2 * step : 1;
			look += step;
			looked = now;
		}
		r = send(rbuf, cell);
	}
	return r;
}

static int open_cell(const struct rbuf *rbuf, struct cell *cell)
{
	const struct sg_driver *driver = rbuf->run->sg;
	uint32_t bytes = cell->size;
	int r = driver->reopen(driver, rbuf->run->end.sg_fd, &cell->fd);

	if (r < 0)
		return r;
	if (cell->way == MAPPED)
		return driver->map(driver, cell->fd, &bytes, &cell->mapped);
	/* A command larger than what is reserved only costs speed. */
	driver->reserve(driver, cell->fd, cell->size);
	return 0;
}

static void close_cell(const struct rbuf *rbuf, struct cell *cell)
{
	const struct sg_driver *driver = rbuf->run->sg;

	if (cell->mapped)
		driver->unmap(driver, cell->mapped, cell->size);
	if (cell->fd >= 0)
		driver->close(driver, cell->fd);
}

static int measure_open(struct rbuf *rbuf, unsigned i, struct cell *cell)
{
	unsigned row = rbuf->first + i, column = 2U * cell->way;
	/* The first one fills the disk's cache, and shows whether it is answered at all. */
	int r = send(rbuf, cell);

	if (r < 0)
		return r;
	uint64_t begin = clock_monotonic();
	double cpu = bench_processor_seconds();

	r = repeat(rbuf, cell);
	double seconds = (double)(clock_monotonic() - begin) / 1e9;
	double scale = (double)rbuf->amount / ((double)cell->commands * (double)cell->size);

	cpu = bench_processor_seconds() - cpu;
	if (r < 0)
		return r;
	bench_sample(rbuf->run, row, column, BENCH_SECONDS, seconds * scale, &cell->how);
	if (seconds >= LEAST_SECONDS)
		bench_sample(rbuf->run, row, column + 1, BENCH_SHARE, cpu / seconds, &cell->how);
	rbuf->copied |= cell->way == DIRECT && cell->how.path == BENCH_INDIRECT;
	return 0;
}

/* What is refused in this size or this way stays unknown. */
static int measure(void *kind, unsigned number, struct error *reterr)
{
	struct rbuf *rbuf = kind;
	struct bench_run *run = rbuf->run;
	enum way way = number % WAYS;
	unsigned i = number / WAYS;
	struct cell cell = { .way = way,
			     .size = rbuf->sizes[i],
			     .fd = -1,
			     .how = { .engine = "sg",
				      .request = rbuf->sizes[i],
				      .depth = 1,
				      .path = ways[way].path } };

	bench_tell(run, _("%u KiB, %s"), cell.size / 1024, _(ways[way].name.label));
	int r = open_cell(rbuf, &cell);

	if (r == 0)
		r = measure_open(rbuf, i, &cell);
	close_cell(rbuf, &cell);
	if (r == -ECANCELED || r == 0 || !bench_is_fatal(run, r))
		return r == -ECANCELED ? r : 0;
	return error_set(reterr, ERROR_CLASS_SOURCE, r, "READ BUFFER", run->end.name,
			 _("%s does not answer any more: %s."), run->end.name, error_phrase(r));
}

/* ---- the tables ---- */

void rbuf_derive(const struct rbuf_column *column, double ret[static RBUF_ROWS])
{
	double commands = column->amount / column->smallest_size;
	double latency = (column->smallest - column->best) / commands;
	double after = column->best - latency * (column->amount / column->best_size);

	ret[RBUF_LATENCY] = latency > 0 ? latency : -1;
	ret[RBUF_AFTER_LATENCY] = latency > 0 && after > 0 ? column->amount / after : -1;
	ret[RBUF_BEST] = column->amount / column->best;
	ret[RBUF_WORST] = column->amount / column->worst;
}

static void make_table(struct rbuf *rbuf)
{
	struct bench_named columns[2 * WAYS];
	char keys[WAYS][24], title[160];

	snprintf(title, sizeof(title),
		 rbuf->buffer ? _("READ BUFFER: time and processor for %s")
			      : _("READ of one cached range (no READ BUFFER): time and processor "
				  "for %s"),
		 BENCH_PRINT(BENCH_BYTES, (double)rbuf->amount));
	for (size_t way = 0; way < WAYS; way++) {
		snprintf(keys[way], sizeof(keys[way]), "%s-cpu", ways[way].name.key);
		columns[2 * way] = ways[way].name;
		columns[2 * way + 1] = (struct bench_named){ keys[way], N_("CPU") };
	}
	rbuf->first = bench_make_table(rbuf->run, "rbuf", title, columns, 2 * WAYS, NULL, 0);
	for (unsigned i = 0; i < rbuf->count; i++)
		bench_add_size(rbuf->run, rbuf->sizes[i]);
}

/* False: the column has no figures. */
static bool collect(const struct rbuf *rbuf, enum way way, struct rbuf_column *ret)
{
	*ret = (struct rbuf_column){ .amount = (double)rbuf->amount };
	for (unsigned i = 0; i < rbuf->count; i++) {
		const struct bench_figure *figure =
			bench_result_find(rbuf->run->result, rbuf->first + i, 2 * way);

		if (!figure)
			continue;
		if (!ret->best_size || figure->median < ret->best) {
			ret->best = figure->median;
			ret->best_size = rbuf->sizes[i];
		}
		if (figure->median > ret->worst)
			ret->worst = figure->median;
		ret->smallest = figure->median;
		ret->smallest_size = rbuf->sizes[i];
	}
	return ret->best_size != 0;
}

static void derive(struct rbuf *rbuf)
{
	static const struct bench_named rows[RBUF_ROWS] = {
		[RBUF_LATENCY] = { "latency", N_("latency per command (implied)") },
		[RBUF_AFTER_LATENCY] = { "after-latency", N_("best throughput after latency") },
		[RBUF_BEST] = { "best", N_("best raw throughput") },
		[RBUF_WORST] = { "worst", N_("worst raw throughput") },
	};
	struct bench_named columns[WAYS];
	struct rbuf_column column;
	double values[RBUF_ROWS];

	for (enum way way = 0; way < WAYS; way++)
		columns[way] = ways[way].name;
	unsigned first = bench_make_table(rbuf->run, "derived", _("Derived from it"), columns, WAYS,
					  rows, RBUF_ROWS);

	for (enum way way = 0; way < WAYS; way++) {
		if (!collect(rbuf, way, &column))
			continue;
		rbuf_derive(&column, values);
		for (unsigned row = 0; row < RBUF_ROWS; row++)
			if (values[row] >= 0)
				bench_sample(rbuf->run, first + row, way,
					     row == RBUF_LATENCY ? BENCH_SECONDS : BENCH_RATE,
					     values[row], NULL);
	}
}

/* What the reader of the table has to know. */
static void tell(struct rbuf *rbuf)
{
	struct bench_result *result = rbuf->run->result;

	if (rbuf->copied) {
		size_t direct = 2 * (size_t)DIRECT;
		struct bench_column *column = &result->tables[0].columns[direct];

		bench_lock(rbuf->run);
		text_copy(column->heading, sizeof(column->heading), _("direct: COPIED"));
		bench_unlock(rbuf->run);
		bench_note(rbuf->run, "%s",
			   _("Direct IO was asked for, but the sg driver copied the data:  echo 1 "
			     "> /sys/module/sg/parameters/allow_dio  lets it."));
	}
	if (rbuf->scaled)
		bench_note(rbuf->run, "%s",
			   _("What would have taken longer than the time limit for one figure "
			     "was scaled up from what was moved by then."));
}

static int run(struct bench_run *run, struct error *reterr)
{
	struct rbuf rbuf = { .run = run, .amount = run->size };
	struct io_buffers *buffers = NULL;
	int r = 0;

	if (!sg_has_node(&run->end))
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open",
				 run->end.name,
				 _("%s has no sg node that can be opened: it is no SCSI, SATA or "
				   "USB disk, or the sg driver is not loaded (modprobe sg)."),
				 run->end.name);
	r = io_buffers_new(1, LARGEST, &buffers, reterr);
	if (r < 0)
		return r;
	rbuf.memory = io_buffers_get(buffers);
	r = choose_sizes(&rbuf, choose_command(&rbuf), reterr);
	if (r < 0)
		goto out;
	make_table(&rbuf);
	r = bench_rounds(run, run->rounds, rbuf.count * WAYS, measure, &rbuf, reterr);
	tell(&rbuf);
	if (run->result->figure_count == 0 && r == 0)
		r = error_set(reterr, ERROR_CLASS_SOURCE, -EOPNOTSUPP, "READ", run->end.name,
			      _("%s refuses READ BUFFER, and READ in every size, through %s."),
			      run->end.name, run->end.sg);
	derive(&rbuf);
out:
	io_buffers_destroy(buffers);
	return r;
}

const struct bench_kind bench_rbuf = {
	.name = "rbuf",
	.summary = N_("READ BUFFER through sg: a transfer without the medium"),
	.takes = BENCH_TAKES_SIZE | BENCH_TAKES_TIME | BENCH_TAKES_ROUNDS | BENCH_TAKES_REQUEST,
	.size = 200U << 20,
	.time_ns = 5 * NSEC_PER_SEC,
	.rounds = 1,
	.run = run,
};
