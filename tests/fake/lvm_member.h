/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A member of an LVM group, made byte by byte: its label, and one area of metadata, with the
 * checksums that LVM2 writes (lib/format_text/layout.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Where the metadata lies, in bytes from the member's start, and how long that ring is. */
#define LVM_MEMBER_AREA 4096U
/* Letters of the member's UUID, as they stand in the label: without dashes. */
#define LVM_MEMBER_ID "KFskpqmFd6EnI3yaSZi5p2Ra9y66nDxB"
/* The same, as the text has them. */
#define LVM_MEMBER_UUID "KFskpq-mFd6-EnI3-yaSZ-i5p2-Ra9y-66nDxB"

/*
 * Writes it into `member`, whose bytes up to LVM_MEMBER_AREA + ring are zero. `size`: of the whole
 * member. The text begins `from` bytes behind the start of the ring (512 or more), and goes on
 * behind its header where the ring ends.
 */
void lvm_member_make(uint8_t *member, uint64_t size, uint32_t ring, const void *text, size_t length,
		     size_t from);
