/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/disk_pair.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "after/loop_device.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "guard/claim.h"
#include "session/choose.h"

#define MIB        (1ULL << 20)
#define SIZE_LEAST MIB
#define SECTOR     512
#define PIECE      (1U << 20)
#define HOLD_WAIT  (5 * NSEC_PER_SEC)
#define HOLD_STEP  (50 * NSEC_PER_MSEC)
#define ZEROS      (16 * MIB) /* a slow disk writes them within a second */

/* After each piece. False: it is to end. */
static bool goes_on(struct bench_run *run)
{
	bench_answered(run, clock_monotonic());
	return !bench_stops(run);
}

static int failed(const char *what, int code, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "make", what,
			 _("Practice disks cannot be made in %s: %s. TMPDIR names another folder."),
			 what, error_phrase(code));
}

/* At most half of what is free is taken: the machine needs the rest. */
static int make_folder(const struct bench_options *options, uint64_t disk, struct pair *pair,
		       struct error *reterr)
{
	const char *base = options->practice ? options->practice : getenv("TMPDIR");
	struct statvfs st;

	base = base && *base ? base : "/var/tmp";
	if (statvfs(base, &st) < 0)
		return failed(base, -errno, reterr);
	if (disk > (uint64_t)st.f_bavail * st.f_frsize / 4)
		return error_set(
			reterr, ERROR_CLASS_ENVIRONMENT, -ENOSPC, "make", base,
			_("There is no room in %s for two practice disks of %s and as much "
			  "again. TMPDIR names another folder, --size makes them smaller."),
			base, UNITS_LONG(disk, UNITS_IEC, 512));
	snprintf(pair->folder, sizeof(pair->folder), "%s/clonedeck-bench.XXXXXX", base);
	if (mkdtemp(pair->folder))
		return 0;
	pair->folder[0] = '\0';
	return failed(base, -errno, reterr);
}

/* Its blocks are taken now, so that no copy to it finds the file system full. */
static int make_file(const struct pair *pair, uint64_t size, int *ret)
{
	char path[PATH_MAX + 8];
	int r;

	snprintf(path, sizeof(path), "%s/disk", pair->folder);
	*ret = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (*ret < 0)
		return -errno;
	unlink(path);
	r = posix_fallocate(*ret, 0, (off_t)size);
	return -r;
}

/* Data of which no two sectors are alike. */
static int fill(struct bench_run *run, int file, uint64_t size)
{
	CLEANUP(free) uint64_t *buffer = malloc(MIB);
	uint64_t state = 0x9e3779b97f4a7c15ULL;

	for (uint64_t at = 0; buffer && at < size; at += MIB) {
		for (size_t i = 0; i < MIB / sizeof(*buffer); i++)
			buffer[i] = bench_random(&state);
		if (pwrite(file, buffer, MIB, (off_t)at) != (ssize_t)MIB)
			return errno ? -errno : -EIO;
		if (!goes_on(run))
			return -ECANCELED;
	}
	if (!buffer || fdatasync(file) < 0)
		return buffer ? -errno : -ENOMEM;
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

#define NO_NODES                                                                                   \
	{                                                                                          \
		-1, -1, -1                                                                         \
	}

static int open_node(struct pair_disk *disk, enum pair_node which, const char *node, int flags)
{
	int fd = disk->fds[which] = open(node, flags | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	snprintf(disk->paths[which], sizeof(disk->paths[which]), "/proc/%d/fd/%d", getpid(), fd);
	return 0;
}

/* Afterwards nobody has it open for writing, as a copy checks. */
static int attach(struct pair_disk *disk)
{
	CLEANUP(close)
	int loop = loop_attach(disk->file, &(struct loop_window){ .direct = true }, disk->node);

	if (loop < 0)
		return loop;
	close(cleanup_steal_fd(&disk->file));
	return open_node(disk, PAIR_BLOCK, disk->node, O_RDONLY);
}

int pair_practice(struct bench_run *run, uint64_t size, uint64_t margin, struct pair *ret,
		  struct error *reterr)
{
	uint64_t disk = size + 3 * margin;
	int r;

	*ret = (struct pair){ .run = run, .size = size };
	for (unsigned i = 0; i < 2; i++)
		ret->disks[i] = (struct pair_disk){ .at = (i + 1) * margin,
						    .sg_at = (i + 1) * margin,
						    .sector = SECTOR,
						    .file = -1,
						    .fds = NO_NODES };
	bench_tell(run, _("making two practice disks"));
	r = make_folder(run->options, disk, ret, reterr);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < 2 && r == 0; i++)
		r = make_file(ret, disk, &ret->disks[i].file);
	if (r == 0)
		r = fill(run, ret->disks[0].file, disk);
	if (r < 0)
		return r == -ECANCELED ? r : failed(ret->folder, r, reterr);
	for (unsigned i = 0; i < 2 && r == 0; i++) {
		struct pair_disk *to = &ret->disks[i];

		r = attach(to);
		/* Where the ways are tried, a program for sg or raw nodes gets the block node. */
		for (unsigned k = PAIR_SG; k < PAIR_NODES && margin; k++)
			memcpy(to->paths[k], to->paths[PAIR_BLOCK], sizeof(to->paths[k]));
	}
	ret->token = ret->disks[1].node;
	return r == 0 ? 0
		      : error_set(
				reterr, ERROR_CLASS_ENVIRONMENT, r, "make", "/dev/loop-control",
				_("Practice disks are loop devices, which cannot be had here: %s. "
				  "Only root can make them."),
				error_phrase(r));
}

/* ---- the disks of a session ---- */

static void describe_disk(const struct endpoint *endpoint, const struct disk *disk, uint64_t at,
			  struct pair_disk *ret)
{
	*ret = (struct pair_disk){ .at = at,
				   .sg_at = endpoint->start + at,
				   .sector = endpoint->logical_sector_size,
				   .file = -1,
				   .fds = NO_NODES };
	text_copy(ret->node, sizeof(ret->node), endpoint->node);
	if (endpoint->sg[0])
		open_node(ret, PAIR_SG, endpoint->sg, O_RDONLY | O_NONBLOCK);
	if (endpoint->kind == ENDPOINT_DISK && disk && disk->raw_count)
		open_node(ret, PAIR_RAW, disk->raw[0], O_RDONLY);
}

/* An open disk keeps its name: whatever is attached meanwhile gets another one. */
static int keep(struct pair_disk *disk, const struct endpoint *endpoint, enum claim_role role,
		const struct plan *plan, struct error *reterr)
{
	struct claim *claim = NULL;
	int r = claim_open(endpoint, role, plan, &claim, reterr);

	if (r < 0)
		return r;
	r = open_node(disk, PAIR_BLOCK, disk->node, O_RDONLY);
	r = r < 0 ? error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "open", disk->node,
			      _("%s cannot be opened: %s."), disk->node, error_phrase(r))
		  : claim_check(claim, reterr);
	claim_discard(claim);
	return r;
}

int pair_open(struct bench_run *run, struct pair *ret, struct error *reterr)
{
	const struct session *session = run->options->confirmed;
	uint64_t size = run->size;
	int r;

	if (!session)
		return pair_practice(run, size < SIZE_LEAST ? SIZE_LEAST : size / MIB * MIB, 0, ret,
				     reterr);

	struct session_choice choice = session_choice(session);
	const struct plan *plan = choice.plan;
	const struct extent *extent = plan ? &plan->extents[0] : NULL;

	*ret = (struct pair){ .run = run,
			      .disks = { { .file = -1, .fds = NO_NODES },
					 { .file = -1, .fds = NO_NODES } } };
	if (session_state(session) != SESSION_CONFIRMED || plan->extent_count != 1)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EPERM, "measure", NULL,
				 _("The destination was not confirmed."));
	ret->plan = plan;
	ret->token = choice.token;
	ret->size = extent->sectors * plan->sector_size;
	describe_disk(&plan->source, choice.source, extent->source_lba * plan->sector_size,
		      &ret->disks[0]);
	describe_disk(&plan->destinations[0], choice.destination,
		      extent->destination_lba * plan->sector_size, &ret->disks[1]);
	r = make_folder(run->options, 0, ret, reterr);
	if (r == 0)
		r = keep(&ret->disks[0], &plan->source, CLAIM_SOURCE, plan, reterr);
	if (r == 0)
		r = keep(&ret->disks[1], &plan->destinations[0], CLAIM_DESTINATION, plan, reterr);
	return r;
}

void pair_release(struct pair *pair)
{
	claim_close(cleanup_steal(pair->claim), false, NULL);
}

/* ---- programs and the disks ---- */

static const char *expand(const struct pair *pair, char letter, char number[static 32])
{
	const struct pair_disk *from = &pair->disks[0], *to = &pair->disks[1];
	const struct {
		char letter;
		const char *text;
		uint64_t number;
	} all[] = {
		{ 'k', from->node, 0 },
		{ 'K', to->node, 0 },
		{ 's', from->paths[PAIR_BLOCK], 0 },
		{ 'd', to->paths[PAIR_BLOCK], 0 },
		{ 'S', from->paths[PAIR_SG], 0 },
		{ 'D', to->paths[PAIR_SG], 0 },
		{ 'r', from->paths[PAIR_RAW], 0 },
		{ 'R', to->paths[PAIR_RAW], 0 },
		{ 't', pair->token, 0 },
		{ 'l', pair->folder, 0 },
		{ 'i', NULL, from->at },
		{ 'o', NULL, to->at },
		{ 'n', NULL, pair->size },
		{ 'b', NULL, from->sector },
		{ 'I', NULL, from->at / from->sector },
		{ 'O', NULL, to->at / from->sector },
		{ 'J', NULL, from->sg_at / from->sector },
		{ 'P', NULL, to->sg_at / from->sector },
		{ 'N', NULL, pair->size / from->sector },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].letter != letter)
			continue;
		snprintf(number, 32, "%" PRIu64, all[i].number);
		return all[i].text ? all[i].text : number;
	}
	return "";
}

bool pair_expand(const struct pair *pair, const char *const *words, struct pair_argv *ret)
{
	char number[32];

	*ret = (struct pair_argv){ 0 };
	for (unsigned i = 0; i < PAIR_ARGUMENTS && words[i]; i++) {
		size_t used = 0;

		for (const char *c = words[i]; *c && used < PATH_MAX - 1; c++) {
			const char *value = *c == '@' ? expand(pair, *++c, number) : NULL;

			if (value && !*value)
				return false;
			used += value ? (size_t)snprintf(ret->texts[i] + used, PATH_MAX - used,
							 "%s", value)
				      : 1;
			if (!value)
				ret->texts[i][used - 1] = *c;
		}
		ret->argv[i] = ret->texts[i];
	}
	return true;
}

int pair_flush(const struct pair *pair, struct error *reterr)
{
	const struct pair_disk *disk = &pair->disks[1];

	return fsync(disk->fds[PAIR_BLOCK]) == 0
		       ? 0
		       : error_set(reterr, ERROR_CLASS_DESTINATION, -errno, "flush", disk->node,
				   _("%s cannot be flushed: %s."), disk->node, error_phrase(errno));
}

/* Of a disk that was pulled nothing is left: its end comes at once. */
static int read_part(const struct pair *pair, unsigned i, uint64_t at, char *buffer, size_t size,
		     struct error *reterr)
{
	const struct pair_disk *disk = &pair->disks[i];
	ssize_t n = 1;

	for (size_t done = 0; done < size && n > 0; done += (size_t)n)
		n = pread(disk->fds[PAIR_BLOCK], buffer + done, size - done, (off_t)(at + done));
	if (n > 0)
		return 0;
	int code = n < 0 ? -errno : -ENODEV;

	return error_set(reterr, i ? ERROR_CLASS_DESTINATION : ERROR_CLASS_SOURCE, code, "read",
			 disk->node, _("%s cannot be read any more: %s."), disk->node,
			 error_phrase(code));
}

int pair_blame(const struct pair *pair, int code, struct error *reterr)
{
	CLEANUP(free) char *piece = malloc(PIECE);
	int r = piece ? 0 : error_nomem(reterr);

	pair_forget(pair);
	for (unsigned i = 0; i < 2 && r == 0; i++)
		r = read_part(pair, i, pair->disks[i].at, piece, pair->disks[i].sector, reterr);
	if (r == 0)
		r = pair_flush(pair, reterr);
	return r < 0 ? r : code;
}

/* The kernel lets go of what a copy that was killed had in flight only after it is gone. */
int pair_hold(struct pair *pair, struct error *reterr)
{
	uint64_t deadline = clock_monotonic() + HOLD_WAIT;
	int r = 0;

	do {
		if (pair->plan)
			r = claim_open(&pair->plan->destinations[0], CLAIM_DESTINATION, pair->plan,
				       &pair->claim, reterr);
	} while (r == -EBUSY && clock_monotonic() < deadline && goes_on(pair->run) &&
		 (clock_sleep_until(clock_monotonic() + HOLD_STEP), true));
	return r == 0 ? 0 : pair_blame(pair, r, reterr);
}

void pair_forget(const struct pair *pair)
{
	for (unsigned i = 0; i < 2; i++)
		ioctl(pair->disks[i].fds[PAIR_BLOCK], BLKFLSBUF, 0);
}

/* Of a practice disk, all of it: what a program writes beside the region is seen then. */
int pair_clear(struct pair *pair, struct error *reterr)
{
	const struct pair_disk *disk = &pair->disks[1];
	uint64_t at = pair->plan ? disk->at : 0;
	uint64_t past = disk->at + pair->size + (pair->plan ? 0 : disk->at / 2);
	int r = pair_hold(pair, reterr);

	if (r < 0)
		return r;
	CLEANUP(close)
	int fd = pair->plan ? -1 : open(disk->paths[PAIR_BLOCK], O_WRONLY | O_CLOEXEC);

	for (; at < past && r == 0; at += ZEROS) {
		uint64_t part[2] = { at, past - at < ZEROS ? past - at : ZEROS };

		if (ioctl(pair->plan ? claim_fd(pair->claim) : fd, BLKZEROOUT, part) < 0)
			r = error_set(reterr, ERROR_CLASS_DESTINATION, -errno, "write", disk->node,
				      _("%s cannot be written to: %s."), disk->node,
				      error_phrase(errno));
		else if (!goes_on(pair->run))
			r = -ECANCELED;
	}
	pair_release(pair);
	return r;
}

/* 1, 0, or -ECANCELED */
static int is_zero(struct bench_run *run, int fd, uint64_t at, uint64_t past, char *piece)
{
	for (; at < past; at += PIECE) {
		size_t part = past - at < PIECE ? (size_t)(past - at) : PIECE;

		if (pread(fd, piece, part, (off_t)at) != (ssize_t)part || piece[0] ||
		    memcmp(piece, piece + 1, part - 1) != 0)
			return 0;
		if (!goes_on(run))
			return -ECANCELED;
	}
	return 1;
}

int pair_compare(const struct pair *pair, struct error *reterr)
{
	CLEANUP(free) char *pieces = malloc(2UL * PIECE);
	const struct pair_disk *disks = pair->disks;
	uint64_t beside = pair->plan ? 0 : disks[1].at;
	int r = 0;

	if (!pieces)
		return error_nomem(reterr);
	pair_forget(pair);
	for (uint64_t at = 0; at < pair->size; at += PIECE) {
		size_t part = pair->size - at < PIECE ? (size_t)(pair->size - at) : PIECE;

		for (unsigned i = 0; i < 2 && r == 0; i++)
			r = read_part(pair, i, disks[i].at + at, pieces + i * (size_t)PIECE, part,
				      reterr);
		if (r < 0)
			return r;
		if (memcmp(pieces, pieces + PIECE, part) != 0)
			return 0;
		if (!goes_on(pair->run))
			return -ECANCELED;
	}
	r = is_zero(pair->run, disks[1].fds[PAIR_BLOCK], 0, beside, pieces);

	return r == 1 ? is_zero(pair->run, disks[1].fds[PAIR_BLOCK], beside + pair->size,
				beside + pair->size + beside / 2, pieces)
		      : r;
}

/* What was put beside the disks goes with them: logs of copies, files of a neighbour. */
static void empty(const char *folder)
{
	DIR *dir = opendir(folder);

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

void pair_done(struct pair *pair)
{
	pair_release(pair);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned k = 0; k < PAIR_NODES; k++)
			fd_close(pair->disks[i].fds[k]);
		fd_close(pair->disks[i].file);
	}
	if (pair->folder[0])
		empty(pair->folder);
	pair->folder[0] = '\0';
}
