/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/practice.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

#define MIB        (1ULL << 20)
#define SIZE       (512 * MIB)
#define SIZE_LEAST MIB
#define LOOP_TRIES 16 /* others may take the free one first */

static int failed(const char *what, int code, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "make", what,
			 _("Practice disks cannot be made in %s: %s. TMPDIR names another folder."),
			 what, error_phrase(code));
}

/* At most half of what is free is taken: the machine needs the rest. */
static int make_folder(const struct bench_options *options, struct practice *practice,
		       struct error *reterr)
{
	const char *base = options->practice ? options->practice : getenv("TMPDIR");
	char size[UNITS_TEXT_MAX];
	struct statvfs st;

	base = base && *base ? base : "/var/tmp";
	if (statvfs(base, &st) < 0)
		return failed(base, -errno, reterr);
	if (practice->size > (uint64_t)st.f_bavail * st.f_frsize / 4)
		return error_set(
			reterr, ERROR_CLASS_ENVIRONMENT, -ENOSPC, "make", base,
			_("There is no room in %s for two practice disks of %s and as much "
			  "again. TMPDIR names another folder, --size makes them smaller."),
			base, units_print_long(practice->size, UNITS_IEC, 512, size));
	snprintf(practice->folder, sizeof(practice->folder), "%s/clonedeck-bench.XXXXXX", base);
	if (mkdtemp(practice->folder))
		return 0;
	practice->folder[0] = '\0';
	return failed(base, -errno, reterr);
}

/* Its blocks are taken now, so that no copy to it finds the file system full. */
static int make_file(const struct practice *practice, int *ret)
{
	char path[PATH_MAX + 8];
	int r;

	snprintf(path, sizeof(path), "%s/disk", practice->folder);
	*ret = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (*ret < 0)
		return -errno;
	unlink(path);
	r = posix_fallocate(*ret, 0, (off_t)practice->size);
	return -r;
}

/* Data of which no two sectors are alike. */
static int fill(struct bench_run *run, int file, uint64_t size)
{
	CLEANUP(free) uint64_t *buffer = malloc(MIB);
	uint64_t state = 0x9e3779b97f4a7c15ULL;

	for (uint64_t at = 0; buffer && at < size; at += MIB) {
		for (size_t i = 0; i < MIB / sizeof(*buffer); i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			buffer[i] = state;
		}
		if (pwrite(file, buffer, MIB, (off_t)at) != (ssize_t)MIB)
			return errno ? -errno : -EIO;
		if (bench_stops(run))
			return -ECANCELED;
	}
	if (!buffer || fdatasync(file) < 0)
		return buffer ? -errno : -ENOMEM;
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

/* Without the page cache below it where the file system can do without. */
static int configure(const struct practice_disk *disk, int loop)
{
	struct loop_config config = { .fd = (unsigned)disk->file,
				      .info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO };

	text_copy((char *)config.info.lo_file_name, sizeof(config.info.lo_file_name), "practice");
	if (ioctl(loop, LOOP_CONFIGURE, &config) == 0)
		return 0;
	config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
	return errno == EINVAL && ioctl(loop, LOOP_CONFIGURE, &config) == 0 ? 0 : -errno;
}

/* Afterwards nobody has it open for writing, as a copy checks. */
static int attach_to(struct practice_disk *disk, int number)
{
	snprintf(disk->node, sizeof(disk->node), "/dev/loop%d", number);
	int loop = open(disk->node, O_RDWR | O_CLOEXEC);

	if (loop < 0)
		return -errno;
	int r = configure(disk, loop);

	if (r == 0) {
		disk->loop = open(disk->node, O_RDONLY | O_CLOEXEC);
		r = disk->loop < 0 ? -errno : 0;
		close(disk->file);
		disk->file = -1;
	}
	close(loop);
	return r;
}

static int attach(struct practice_disk *disk)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), number, r = -EBUSY;

	for (unsigned i = 0; i < LOOP_TRIES && r == -EBUSY; i++) {
		number = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE);
		r = number < 0 ? -errno : attach_to(disk, number);
	}
	if (control >= 0)
		close(control);
	return r;
}

int practice_make(struct bench_run *run, struct practice *ret, struct error *reterr)
{
	uint64_t size = run->options->size ? run->options->size : SIZE;
	int r;

	*ret = (struct practice){ .size = size < SIZE_LEAST ? SIZE_LEAST : size / MIB * MIB,
				  .disks = { { .file = -1, .loop = -1 },
					     { .file = -1, .loop = -1 } } };
	bench_tell(run, 0, _("making two practice disks"));
	r = make_folder(run->options, ret, reterr);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < 2 && r == 0; i++)
		r = make_file(ret, &ret->disks[i].file);
	if (r == 0)
		r = fill(run, ret->disks[0].file, ret->size);
	if (r < 0)
		return r == -ECANCELED ? r : failed(ret->folder, r, reterr);
	for (unsigned i = 0; i < 2 && r == 0; i++)
		r = attach(&ret->disks[i]);
	return r == 0 ? 0
		      : error_set(
				reterr, ERROR_CLASS_ENVIRONMENT, r, "make", "/dev/loop-control",
				_("Practice disks are loop devices, which cannot be had here: %s. "
				  "Only root can make them."),
				error_phrase(r));
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

void practice_done(struct practice *practice)
{
	for (unsigned i = 0; i < 2; i++) {
		if (practice->disks[i].loop >= 0)
			close(practice->disks[i].loop);
		if (practice->disks[i].file >= 0)
			close(practice->disks[i].file);
	}
	if (practice->folder[0])
		empty(practice->folder);
	practice->folder[0] = '\0';
}
