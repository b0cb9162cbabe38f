/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a file system uses of its partition. Each kind has a reader of its own, one file, and
 * one line in the table of content.c. What a reader says is believed only while nothing at all
 * speaks against it; else the partition is copied whole, and it is said why. Everything read is
 * hostile. For any thread, one at a time for one volume.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"

/* Where a file system lies. */
struct volume {
	int fd;                    /* read only, perhaps O_DIRECT; of a disk, partition or image */
	uint64_t start, size;      /* bytes of it */
	uint32_t sector_size;      /* of the disk; divides start */
	const atomic_bool *cancel; /* NULL: nobody cancels */
};

struct content {
	/* Sectors of sector_size, from the volume's start. What is not in here is used. */
	struct range_list free;
	uint64_t used_bytes;
	uint64_t free_bytes; /* as the reader said, small places and all */
	char whole[192]; /* translated: why all of it is copied; "": what `free` says is believed */
};

/*
 * 0, or, also where the content is in doubt, a negative errno (of volume_read(), no memory):
 * whoever asked the reader turns that into a doubt, too. *content is all zero before; what the
 * reader says in used_bytes are the bytes that the file system itself
 * counts as used (0: it does not say): fewer must not come out of `free`.
 */
typedef int content_reader(const struct volume *volume, struct content *content);

/* Reads these bytes of the volume, whatever their alignment. -EIO etc.; -ERANGE: beyond its end;
 * -ECANCELED. */
int volume_read(const struct volume *volume, uint64_t offset, void *buffer, size_t size);

/* For readers: this many bytes from here, from the volume's start, are free. Sectors that are so
 * only in part are not. In ascending order it costs next to nothing. -EINVAL: not of this volume.
 */
int content_add_free(const struct volume *volume, struct content *content, uint64_t offset,
		     uint64_t bytes);
/* The same of a bitmap: bit 0 (the least significant of its first byte) is the unit at `offset`; a
 * clear bit is free. */
int content_add_bitmap(const struct volume *volume, struct content *content, uint64_t offset,
		       uint64_t unit, const unsigned char *bitmap, uint64_t bits);
/* "%s is copied whole: " is said by others; here comes why: "its journal is not replayed". Returns
 * -EBADMSG, so that a reader ends with it. */
int content_doubt(struct content *content, const char *why);

/*
 * What is used of this volume, whose file system is `fs`. Where that cannot be said for sure,
 * content.whole says why, and used_bytes are all bytes. Only -ENOMEM and -ECANCELED are failures.
 */
int content_read(const struct volume *volume, const char *fs, struct content *content);
/* Is there a reader for such a file system? */
bool content_known(const char *fs);
void content_done(struct content *content);
/* Bytes from the start of the volume in which the file system `fs` lies, as it says itself, perhaps
 * more than there are: those of the volume where it says nothing. */
uint64_t content_size(const struct volume *volume, const char *fs);

/* The readers. */
content_reader content_ext, content_xfs, content_swap;
content_reader content_fat, content_exfat, content_ntfs, content_btrfs, content_f2fs;
