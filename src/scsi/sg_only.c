/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scsi/sg_only.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/ioctl.h>

#include <linux/fs.h>
#include <scsi/sg_lib.h>

#include "base/range.h"
#include "scsi/commands.h"

/* News from before we came: each command takes one with it. */
#define NEWS_TRIES 8

/* A command that brings `length` bytes, all of them. */
static int ask(int fd, struct scsi_cdb *cdb, void *to, uint32_t length)
{
	for (unsigned tries = 0;; tries++) {
		uint8_t buffer[SCSI_SENSE_MAX];
		sg_io_hdr_t header = scsi_header(cdb, to, length, buffer);
		struct sense sense;
		int r;

		if (ioctl(fd, SG_IO, &header) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		scsi_judge(&header, &sense, &r);
		if (r == 0)
			return scsi_transferred(&header) == length ? 0 : -EIO;
		if (!sense.known || sense.key != SPC_SK_UNIT_ATTENTION || tries >= NEWS_TRIES)
			return r;
	}
}

static int read_capacity(int fd, struct scsi_capacity *ret)
{
	uint8_t data[16];
	struct scsi_cdb cdb;

	scsi_cdb_read_capacity_16(sizeof(data), &cdb);
	int r = ask(fd, &cdb, data, sizeof(data));

	if (r == 0)
		return scsi_parse_capacity_16(data, sizeof(data), ret);
	/* Old disks and many bridges know only the short one. */
	scsi_cdb_read_capacity_10(&cdb);
	r = ask(fd, &cdb, data, 8);
	return r < 0 ? r : scsi_parse_capacity_10(data, 8, ret);
}

/* Disks of arrays may have 520 or 528: nothing that a file or another disk could hold. */
static bool is_sector_size(uint32_t size)
{
	return size >= 512 && size <= 65536 && is_power_of_2(size);
}

int sg_only_measure(int fd, struct sg_only_size *ret)
{
	struct scsi_capacity capacity;
	int most = 0;

	*ret = (struct sg_only_size){ 0 };
	int r = read_capacity(fd, &capacity);

	if (r < 0)
		return r;
	ret->logical_sector_size = capacity.block_size;
	ret->physical_sector_size = capacity.block_size << capacity.physical_exponent;
	if (!is_sector_size(capacity.block_size))
		return -EMEDIUMTYPE;
	if (__builtin_mul_overflow(capacity.blocks, (uint64_t)capacity.block_size, &ret->bytes))
		return -EIO;
	/* of an sg node in bytes */
	if (ioctl(fd, BLKSECTGET, &most) == 0 && most > 0)
		ret->max_command = (uint32_t)most;
	return 0;
}

int sg_only_read(int fd, uint32_t sector_size, uint64_t offset, void *to, uint32_t length)
{
	/* Its size is known, and below 2^32 sectors the short commands do. Disks with host-managed
	 * zones may know the long ones only. */
	struct scsi_format format = { .long_lba = true };
	struct scsi_cdb cdb;
	int r = -EOPNOTSUPP;

	if (offset % sector_size || length % sector_size)
		return -EINVAL;
	for (int i = 0; i < 2 && r == -EOPNOTSUPP; i++) {
		format.only_long = i;
		r = scsi_cdb_transfer(&format, false, offset / sector_size, length / sector_size,
				      &cdb);
		if (r == 0)
			r = ask(fd, &cdb, to, length);
	}
	return r;
}
