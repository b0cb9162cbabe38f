/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a disk without a block node says of itself. */
#include "discover/sg_only.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/fs.h>
#include <scsi/sg.h>

#define TIMEOUT_MS 60000 /* earlier the driver would reset the disk */
/* News from before we came: each command takes one with it. */
#define NEWS_TRIES 8

enum {
	UNIT_ATTENTION = 0x06,
	OP_READ_CAPACITY_10 = 0x25,
	OP_READ_10 = 0x28,
	OP_READ_16 = 0x88,
	OP_SERVICE_ACTION_IN_16 = 0x9e,
	ACTION_READ_CAPACITY_16 = 0x10,
};

static bool is_news(const uint8_t *sense)
{
	/* fixed or descriptor format (SPC-4, 4.5) */
	uint8_t key = (sense[0] & 0x7f) >= 0x72 ? sense[1] : sense[2];

	return (key & 0x0f) == UNIT_ATTENTION;
}

/* A command that brings `length` bytes, all of them. */
static int ask(int fd, uint8_t *cdb, uint8_t cdb_length, void *to, uint32_t length)
{
	for (unsigned tries = 0;; tries++) {
		uint8_t sense[32] = { 0 };
		sg_io_hdr_t header = {
			.interface_id = 'S',
			.dxfer_direction = SG_DXFER_FROM_DEV,
			.cmd_len = cdb_length,
			.cmdp = cdb,
			.mx_sb_len = sizeof(sense),
			.sbp = sense,
			.dxfer_len = length,
			.dxferp = to,
			.timeout = TIMEOUT_MS,
		};

		if (ioctl(fd, SG_IO, &header) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if ((header.info & SG_INFO_OK_MASK) == SG_INFO_OK && header.resid == 0)
			return 0;
		if (!header.sb_len_wr || !is_news(sense) || tries >= NEWS_TRIES)
			return -EIO;
	}
}

static uint64_t get_be(const uint8_t *from, size_t length)
{
	uint64_t value = 0;

	while (length--)
		value = value << 8 | *from++;
	return value;
}

static void put_be(uint64_t value, uint8_t *to, size_t length)
{
	while (length--) {
		to[length] = (uint8_t)value;
		value >>= 8;
	}
}

static int read_capacity_16(int fd, uint64_t *retlast, struct sg_only_size *ret)
{
	uint8_t data[16], cdb[16] = { OP_SERVICE_ACTION_IN_16, ACTION_READ_CAPACITY_16 };

	put_be(sizeof(data), cdb + 10, 4);
	int r = ask(fd, cdb, sizeof(cdb), data, sizeof(data));

	if (r < 0)
		return r;
	*retlast = get_be(data, 8);
	ret->logical_sector_size = (uint32_t)get_be(data + 8, 4);
	ret->physical_sector_size = ret->logical_sector_size << (data[13] & 0x0f);
	return 0;
}

static int read_capacity_10(int fd, uint64_t *retlast, struct sg_only_size *ret)
{
	uint8_t data[8], cdb[10] = { OP_READ_CAPACITY_10 };
	int r = ask(fd, cdb, sizeof(cdb), data, sizeof(data));

	if (r < 0)
		return r;
	*retlast = get_be(data, 4);
	/* all ones: the disk is larger than this command can say */
	if (*retlast == UINT32_MAX)
		return -EOVERFLOW;
	ret->logical_sector_size = ret->physical_sector_size = (uint32_t)get_be(data + 4, 4);
	return 0;
}

/* Disks of arrays may have 520 or 528: nothing that a file or another disk could hold. */
static bool is_sector_size(uint32_t size)
{
	return size >= 512 && size <= 65536 && (size & (size - 1)) == 0;
}

int sg_only_measure(int fd, struct sg_only_size *ret)
{
	uint64_t last = 0;
	int most = 0;

	*ret = (struct sg_only_size){ 0 };
	int r = read_capacity_16(fd, &last, ret);

	if (r == -EIO)
		r = read_capacity_10(fd, &last, ret);
	if (r < 0)
		return r;
	if (!is_sector_size(ret->logical_sector_size))
		return -EMEDIUMTYPE;
	if (last == UINT64_MAX ||
	    __builtin_mul_overflow(last + 1, (uint64_t)ret->logical_sector_size, &ret->bytes))
		return -EIO;
	/* of an sg node in bytes */
	if (ioctl(fd, BLKSECTGET, &most) == 0 && most > 0)
		ret->max_command = (uint32_t)most;
	return 0;
}

int sg_only_read(int fd, uint32_t sector_size, uint64_t offset, void *to, uint32_t length)
{
	uint64_t lba = offset / sector_size;
	uint32_t sectors = length / sector_size;
	uint8_t cdb[16] = { lba + sectors > UINT32_MAX ? OP_READ_16 : OP_READ_10 };

	if (offset % sector_size || length % sector_size || sectors > UINT16_MAX)
		return -EINVAL;
	if (cdb[0] == OP_READ_16) {
		put_be(lba, cdb + 2, 8);
		put_be(sectors, cdb + 10, 4);
		return ask(fd, cdb, 16, to, length);
	}
	put_be(lba, cdb + 2, 4);
	put_be(sectors, cdb + 7, 2);
	return ask(fd, cdb, 10, to, length);
}
