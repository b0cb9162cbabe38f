/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/map_model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/i18n.h"
#include "base/units.h"
#include "report/report.h"

/* ---- the window ---- */

static uint64_t window_size(const struct map_view *view, const struct plan *plan, int cells)
{
	uint64_t all = plan->source.size, least = (uint64_t)cells * plan->sector_size;
	uint64_t size = view->zoom < 64 ? all >> view->zoom : 0;

	if (size < least)
		size = least;
	return size < all ? size : all;
}

void map_view_window(struct map_view *view, const struct plan *plan, uint64_t position, int rows,
		     int cols, struct map_window *ret)
{
	int cells = rows * cols;
	uint64_t all = plan->source.size, size = window_size(view, plan, cells);

	if (!view->held)
		view->at = position;
	if (all && view->at >= all)
		view->at = all - 1;
	if (!view->held || view->at < view->start || view->at - view->start >= size)
		view->start = view->at > size / 2 ? view->at - size / 2 : 0;
	if (view->start > all - size)
		view->start = all - size;
	view->start -= view->start % plan->sector_size;
	*ret = (struct map_window){
		.start = view->start, .size = size, .cells = cells, .cols = cols
	};
	if (size)
		ret->cursor = (int)((double)(view->at - view->start) / (double)size * cells);
	if (ret->cursor >= cells)
		ret->cursor = cells - 1;
}

/* The edge of a cell, from the start of the window. */
static uint64_t edge(const struct map_window *window, int cell)
{
	uint64_t cells = (uint64_t)window->cells;

	return window->size / cells * (uint64_t)cell +
	       window->size % cells * (uint64_t)cell / cells;
}

/* Scrolls by whole rows, so that cells keep their columns. */
static void scroll_to(struct map_view *view, const struct map_window *window, uint64_t all,
		      uint64_t cell)
{
	uint64_t row = cell * (uint64_t)window->cols;
	uint64_t beyond, end = view->start + window->size;

	if (view->at < view->start) {
		beyond = (view->start - view->at + row - 1) / row * row;
		view->start = view->start > beyond ? view->start - beyond : 0;
	} else if (view->at >= end) {
		view->start += (view->at - end) / row * row + row;
	}
	if (view->start > all - window->size)
		view->start = all - window->size;
}

void map_view_move(struct map_view *view, struct map_window *window, const struct plan *plan,
		   int64_t cells)
{
	uint64_t all = plan->source.size, cell, way;
	int64_t to = window->cursor + cells;

	view->held = true;
	if (window->cells <= 0 || window->cols <= 0 || !all)
		return;
	if (to >= 0 && to < window->cells) {
		/* The middle of the cell: its edge may be rounded into the neighbour. */
		uint64_t from = edge(window, (int)to), until = edge(window, (int)to + 1);

		view->at = window->start + from + (until - from) / 2;
		window->cursor = (int)to;
		return;
	}
	cell = window->size / (uint64_t)window->cells;
	if (!cell)
		cell = 1;
	way = cell * (uint64_t)(cells < 0 ? -cells : cells);
	if (cells < 0)
		view->at = view->at > way ? view->at - way : 0;
	else
		view->at = all - view->at > way ? view->at + way : all - 1;
	scroll_to(view, window, all, cell);
}

void map_view_go(struct map_view *view, const struct map_window *window, uint64_t at)
{
	view->held = true;
	view->at = at;
	if (at < window->start || at - window->start >= window->size)
		view->start = UINT64_MAX;
}

void map_view_zoom(struct map_view *view, int levels)
{
	int to = (int)view->zoom + levels;

	view->zoom = to < 0 ? 0 : to > MAP_ZOOM_MAX ? MAP_ZOOM_MAX : (unsigned)to;
	/* No such start: the next window is centred on the cursor. */
	view->start = UINT64_MAX;
}

/* ---- a cell ---- */

void map_cell_sectors(const struct map_window *window, const struct plan *plan, int cell,
		      uint64_t *retlba, uint64_t *retsectors)
{
	uint64_t from = window->start + edge(window, cell);
	uint64_t to = window->start + edge(window, cell + 1);

	*retlba = from / plan->sector_size;
	*retsectors = to > from ? (to - 1) / plan->sector_size - *retlba + 1 : 1;
}

static const char *letter_words(char letter)
{
	switch (letter) {
	case '+':
		return _("copied");
	case 'V':
		return _("verified");
	case '>':
		return _("now under way");
	case '?':
		return _("not read yet");
	case '*':
	case '/':
		return _("to try");
	case '-':
		return _("bad");
	case '.':
		return _("not part of this copy");
	default:
		return "-";
	}
}

const struct partition *map_partition(const struct plan *plan, const struct disk *disk,
				      uint64_t lba)
{
	if (!disk || plan->source.kind != ENDPOINT_DISK)
		return NULL;
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *partition = &disk->partitions[i];

		if (!partition->extended && lba >= partition->start &&
		    lba - partition->start < partition->sectors)
			return partition;
	}
	return NULL;
}

void map_text_cell(const struct plan *plan, const struct disk *disk,
		   const struct map_window *window, char letter, struct line *line)
{
	const struct partition *partition;
	uint64_t lba, sectors;
	struct line all;

	line_start(&all, LINE_COLUMNS_MAX);
	map_cell_sectors(window, plan, window->cursor, &lba, &sectors);
	if (sectors == 1)
		line_add(&all, _(" LBA %" PRIu64 ": %s"), lba, letter_words(letter));
	else
		line_add(&all, _(" LBA %" PRIu64 "-%" PRIu64 " (%s sectors): %s"), lba,
			 lba + sectors - 1, UNITS_COUNT(sectors), letter_words(letter));
	/* On a small screen what is there matters more than how many. */
	if (sectors > 1 && all.columns > line->limit) {
		line_start(&all, LINE_COLUMNS_MAX);
		line_add(&all, _(" LBA %" PRIu64 "-%" PRIu64 ": %s"), lba, lba + sectors - 1,
			 letter_words(letter));
	}
	partition = map_partition(plan, disk, lba);
	if (partition) {
		line_add(&all, _(", partition %u"), partition->number);
		if (partition->fs[0])
			line_add(&all, " %s", partition->fs);
		if (partition->label[0])
			line_add(&all, " \"%s\"", partition->label);
	}
	line_fit(line, all.text);
}

/* ---- the areas ---- */

static size_t mismatch_count(const struct job_snapshot *job)
{
	return job->proof.shown < JOB_MISMATCHES_SHOWN ? job->proof.shown : JOB_MISMATCHES_SHOWN;
}

size_t map_area_count(const struct job_snapshot *job)
{
	return mismatch_count(job) +
	       (job->bad_shown < JOB_BAD_SHOWN ? job->bad_shown : JOB_BAD_SHOWN);
}

void map_area_at(const struct job_snapshot *job, size_t i, struct map_area *ret)
{
	size_t first_bad = mismatch_count(job);

	*ret = (struct map_area){ 0 };
	if (i < first_bad) {
		ret->mismatch = &job->proof.mismatches[i];
		ret->lba = ret->mismatch->lba;
		ret->sectors = ret->mismatch->sectors;
		return;
	}
	ret->number = i - first_bad;
	ret->bad = &job->bad[ret->number];
	ret->lba = ret->bad->lba;
	ret->sectors = ret->bad->sectors;
}

static void put_place(uint64_t lba, uint64_t sectors, unsigned partition, struct line *line)
{
	char text[UNITS_TEXT_MAX];

	snprintf(text, sizeof(text), "%" PRIu64, lba);
	line_put_right(line, 12, text);
	snprintf(text, sizeof(text), "+%" PRIu64, sectors);
	line_put(line, 1, "");
	line_put(line, 9, text);
	line_put(line, 1, "");
	if (partition)
		snprintf(text, sizeof(text), "%u", partition);
	else
		snprintf(text, sizeof(text), "-");
	line_put(line, 5, text);
	line_put(line, 1, "");
}

void map_text_area(const struct map_area *area, struct line *line)
{
	const struct job_bad_area *bad = area->bad;
	char why[256];

	put_place(area->lba, area->sectors, bad ? bad->partition : area->mismatch->partition, line);
	if (!bad && area->mismatch->kind == MISMATCH_NO_SOURCE)
		snprintf(why, sizeof(why), "%s", job_mismatch_words(area->mismatch->kind));
	else if (!bad)
		snprintf(why, sizeof(why), _("DIFFERS: %s"),
			 job_mismatch_words(area->mismatch->kind));
	else
		report_bad_area_words(bad, why, sizeof(why));
	line_fit(line, why);
}

static void why_it_differs(const struct job_mismatch *mismatch, char *buffer, size_t size)
{
	size_t used = 0;

	if (!mismatch->has_digests && !mismatch->has_byte) {
		snprintf(buffer, size, "%s", mismatch->code ? error_phrase(mismatch->code) : "");
		return;
	}
	*buffer = '\0';
	if (mismatch->has_digests)
		used = (size_t)snprintf(
			buffer, size,
			_("Digests of LBA %" PRIu64 " +%" PRIu64 ": source %s, destination %s. "),
			mismatch->region_lba, mismatch->region_sectors, mismatch->expected,
			mismatch->found);
	if (mismatch->has_byte && used < size)
		snprintf(buffer + used, size - used, _("First at byte %u: %02x, %02x."),
			 mismatch->byte, mismatch->at_source, mismatch->at_destination);
}

const char *map_text_why(const struct map_area *area, char *buffer, size_t size)
{
	if (area->bad)
		snprintf(buffer, size, "%s",
			 explain_failure(&area->bad->sense, area->bad->code, area->bad->write));
	else
		why_it_differs(area->mismatch, buffer, size);
	return buffer;
}

/* ---- what a failure means ---- */

/* Sense keys (SPC-4, table 43). */
enum sense_key {
	KEY_RECOVERED = 0x1,
	KEY_NOT_READY = 0x2,
	KEY_MEDIUM = 0x3,
	KEY_HARDWARE = 0x4,
	KEY_ILLEGAL = 0x5,
	KEY_ATTENTION = 0x6,
	KEY_PROTECT = 0x7,
	KEY_ABORTED = 0xb,
};

/* What an error of the kernel stands for; 0: no key in particular. */
static int key_of(int code)
{
	switch (code < 0 ? -code : code) {
	case ENODATA:
		return KEY_MEDIUM;
	case EREMOTEIO:
		return KEY_HARDWARE;
	case ENOLINK:
	case EILSEQ:
		return KEY_ABORTED;
	case ENODEV:
	case ENXIO:
	case ENOMEDIUM:
	case ETIMEDOUT:
		return KEY_NOT_READY;
	case EROFS:
	case EACCES:
	case EPERM:
		return KEY_PROTECT;
	default:
		return 0;
	}
}

/* NULL: that key says nothing. */
static const char *key_words(int key, bool write)
{
	switch (key) {
	case KEY_RECOVERED:
		return _("The disk read this only with error correction or retries: it may fail "
			 "soon.");
	case KEY_NOT_READY:
		return _("The disk does not answer or is gone: check cable and power.");
	case KEY_MEDIUM:
		return write ? _("The destination could not store this: it has no spare sectors "
				 "left or is failing. Use another destination.")
			     : _("The disk could not read these sectors: the surface is damaged or "
				 "the checksum is wrong. A retry may still succeed.");
	case KEY_HARDWARE:
		return _("The disk reports a fault of its own electronics or mechanics. It may get "
			 "worse with every hour it runs.");
	case KEY_ILLEGAL:
		return _("The disk does not accept this request: a bridge or its firmware may not "
			 "know the command, or the address lies beyond its end.");
	case KEY_ATTENTION:
		return _("The disk was reset or changed while it was used: check cable and power.");
	case KEY_PROTECT:
		return _("The disk is write-protected or locked by a password.");
	case KEY_ABORTED:
		return _("The way to the disk was disturbed, not the disk itself: check cable, "
			 "power and port.");
	default:
		return NULL;
	}
}

const char *explain_failure(const struct sense *sense, int code, bool write)
{
	const char *words = sense->known ? key_words(sense->key, write) : NULL;

	if (!words)
		words = key_words(key_of(code), write);
	if (words)
		return words;
	if (code == 0)
		return _("An earlier run could not read it, and the map does not say why.");
	if (code == EIO || code == -EIO)
		return _("The disk or the way to it failed; the kernel does not say which. Its log "
			 "(dmesg) and the sg backend tell more.");
	return _("Why this failed is not known.");
}
