/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libfdisk, which writes the table to memory. */
#include <errno.h>
#include <libfdisk/libfdisk.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "layout/layout_private.h"

static inline void cleanup_fdisk(struct fdisk_context **fdisk)
{
	fdisk_unref_context(*fdisk);
}

static int change(const struct fitting *f, struct fdisk_context *fdisk,
		  const struct layout_part *part)
{
	struct fdisk_partition *partition = fdisk_new_partition();
	int r;

	if (!partition)
		return -ENOMEM;
	r = fdisk_partition_set_size(partition, sector_there(f, part->size));
	fdisk_partition_size_explicit(partition, 1);
	if (r == 0 && part->to != part->start)
		r = fdisk_partition_set_start(partition, sector_there(f, part->to));
	if (r == 0)
		r = fdisk_set_partition(fdisk, part->number - 1, partition);
	fdisk_unref_partition(partition);
	return r;
}

static int make(const struct fitting *f, int fd)
{
	CLEANUP(fdisk) struct fdisk_context *fdisk = fdisk_new_context();
	int r;

	if (!fdisk)
		return -ENOMEM;
	fdisk_disable_dialogs(fdisk, 1);
	r = fdisk_save_user_sector_size(fdisk, f->other_sector, f->other_sector);
	if (r == 0)
		r = fdisk_assign_device_by_fd(fdisk, fd, "table", 0);
	if (r == 0 &&
	    !fdisk_is_labeltype(fdisk, f->gpt ? FDISK_DISKLABEL_GPT : FDISK_DISKLABEL_DOS))
		r = -EINVAL;
	/* In an order in which each finds its new place free. */
	for (size_t i = f->part_count; r == 0 && i-- > 0;)
		if (f->parts[i].to > f->parts[i].start)
			r = change(f, fdisk, &f->parts[i]);
	for (size_t i = 0; r == 0 && i < f->part_count; i++)
		if (fitting_writes(f, &f->parts[i]) && f->parts[i].to <= f->parts[i].start)
			r = change(f, fdisk, &f->parts[i]);
	if (r == 0)
		r = fdisk_write_disklabel(fdisk);
	fdisk_deassign_device(fdisk, 1);
	return r;
}

int fdisk_make(const struct fitting *f, struct error *reterr)
{
	CLEANUP(close) int fd = memfd_create("clonedeck-table", MFD_CLOEXEC);
	size_t length = (size_t)f->places[0].sectors * f->sector;
	int r = fd < 0 ? -errno : 0;

	if (r == 0 && ftruncate(fd, (off_t)(f->room * f->sector)) < 0)
		r = -errno;
	if (r == 0 && pwrite(fd, f->table, length, 0) != (ssize_t)length)
		r = -EIO;
	if (r == 0)
		r = make(f, fd);
	if (r == 0)
		return cleanup_steal_fd(&fd);
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "fit", f->name,
			 _("libfdisk could not make a table for %s from that of %s (%s): keep the "
			   "table as it is."),
			 f->other, f->name, error_phrase(r));
}
