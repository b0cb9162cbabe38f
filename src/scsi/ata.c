/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scsi/ata.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <scsi/sg_lib.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "scsi/ask.h"

enum {
	OP_ATA_PASS_THROUGH_16 = 0x85,
	PROTOCOL_NO_DATA = 3 << 1,
	PROTOCOL_PIO_IN = 4 << 1,
	EXTEND = 0x01,
	WITH_REGISTERS = 0x20, /* CK_COND */
	ONE_BLOCK_IN = 0x0e,   /* T_DIR, BYT_BLOK, T_LENGTH: the count field */
	BY_LBA = 0x40,
	STATUS_FAILED = 0x21,      /* DF or ERR */
	STATUS_RETURN = 0x09,      /* descriptor */
	STATUS_RETURN_LENGTH = 12, /* what follows its first two bytes */
	FIXED_LENGTH = 14,
	FIXED_UPPER_LBA = 0x20, /* the LBA does not fit into fixed sense data */
	FIXED_EXTEND = 0x80,
};

static const struct {
	uint8_t command, features;
	bool data, extend;
} questions[] = {
	[ATA_IDENTIFY] = { 0xec, 0, true, false },
	[ATA_NATIVE_MAX] = { 0x27, 0, false, true },
	[ATA_ACCESSIBLE_MAX] = { 0x78, 0, false, true },
	[ATA_CONFIG_IDENTIFY] = { 0xb1, 0xc2, true, false },
};

void ata_cdb(enum ata_question question, struct scsi_cdb *ret)
{
	bool data = questions[question].data;

	*ret = (struct scsi_cdb){ .bytes = { OP_ATA_PASS_THROUGH_16 }, .length = 16 };
	ret->bytes[1] = (data ? PROTOCOL_PIO_IN : PROTOCOL_NO_DATA) |
			(questions[question].extend ? EXTEND : 0);
	ret->bytes[2] = data ? ONE_BLOCK_IN : WITH_REGISTERS;
	ret->bytes[4] = questions[question].features;
	ret->bytes[6] = data ? 1 : 0;
	ret->bytes[13] = data ? 0 : BY_LBA;
	ret->bytes[14] = questions[question].command;
}

/* `count` words of 16 bits, the lowest first. */
static uint64_t words(const uint8_t *data, size_t first, unsigned count)
{
	return bytes_little(data + 2 * first, 2 * count);
}

/* Bits 15 and 14 of some words say whether the other bits are valid. */
static bool bit_of(const uint8_t *data, unsigned number, unsigned bit)
{
	return (words(data, number, 1) & 0xc000) == 0x4000 && words(data, number, 1) & 1U << bit;
}

struct ata_identity {
	uint64_t sectors;                             /* accessible ones */
	uint32_t sector_size;                         /* bytes, logical, of the ATA disk itself */
	bool host_protected, accessible_max, overlay; /* supported feature sets */
};

/* -EPROTO: not the answer of an ATA disk with 48-bit addresses. */
static int parse_identify(const uint8_t *data, size_t length, struct ata_identity *ret)
{
	uint32_t sector_size = 512;

	/* bit 15 of the first word: no ATA disk; 48-bit addresses: since 2002 */
	if (length < ATA_PAGE || words(data, 0, 1) & 0x8000 || !bit_of(data, 83, 10))
		return -EPROTO;
	if (bit_of(data, 106, 12))
		sector_size = 2 * (uint32_t)words(data, 117, 2);
	*ret = (struct ata_identity){
		.sectors = words(data, 100, 4),
		.sector_size = sector_size,
		/* supported, and enabled */
		.host_protected = words(data, 82, 1) & words(data, 85, 1) & 1U << 10,
		.accessible_max = bit_of(data, 119, 8),
		.overlay = bit_of(data, 83, 11),
	};
	return ret->sectors == 0 || ret->sectors >> 48 || sector_size < 512 ? -EPROTO : 0;
}

static uint64_t max_of_descriptor(const uint8_t *d)
{
	uint64_t last = (uint64_t)d[10] << 40 | (uint64_t)d[8] << 32 | (uint64_t)d[6] << 24 |
			(uint64_t)d[11] << 16 | (uint64_t)d[9] << 8 | d[7];

	return d[1] < STATUS_RETURN_LENGTH || !(d[2] & EXTEND) || d[13] & STATUS_FAILED ? 0
											: last + 1;
}

/* Fixed sense data has room for the lower half of the registers only. */
static uint64_t max_of_fixed(const uint8_t *sense)
{
	uint64_t last = (uint64_t)sense[11] << 16 | (uint64_t)sense[10] << 8 | sense[9];
	bool registers = sense[12] == 0x00 && sense[13] == 0x1d;

	if (!registers || sense[4] & STATUS_FAILED || !(sense[8] & FIXED_EXTEND) ||
	    sense[8] & FIXED_UPPER_LBA)
		return 0;
	return last + 1;
}

uint64_t ata_parse_max(const uint8_t *sense, size_t length)
{
	const uint8_t *descriptor =
		length < 8 ? NULL : sg_scsi_sense_desc_find(sense, (int)length, STATUS_RETURN);
	uint64_t count = 0;

	if (descriptor && descriptor + 2 + STATUS_RETURN_LENGTH <= sense + length)
		count = max_of_descriptor(descriptor);
	else if (length >= FIXED_LENGTH && (sense[0] & 0x7f) == 0x70)
		count = max_of_fixed(sense);
	/* registers that were never filled */
	return count > 1 ? count : 0;
}

/* The number of sectors from the page of the overlay; 0: none. */
static uint64_t parse_config(const uint8_t *data, size_t length)
{
	uint8_t sum = 0;

	if (length < ATA_PAGE || data[510] != 0xa5)
		return 0;
	for (size_t i = 0; i < ATA_PAGE; i++)
		sum = (uint8_t)(sum + data[i]);
	uint64_t last = words(data, 3, 4);

	return sum != 0 || last == 0 || last >> 48 ? 0 : last + 1;
}

/* ---- asked through the sg node ---- */

static uint64_t ask_registers(struct sg_asking *asking, enum ata_question question)
{
	struct scsi_cdb cdb;
	size_t length;

	ata_cdb(question, &cdb);
	int r = sg_ask(asking, &cdb, NULL, 0, &length);

	/* The registers arrive as sense data, with any key. */
	return r == -ETIMEDOUT ? 0 : ata_parse_max(asking->sense, asking->sense_length);
}

static int ask_data(struct sg_asking *asking, enum ata_question question,
		    uint8_t data[static ATA_PAGE], size_t *retlength)
{
	struct scsi_cdb cdb;

	memset(data, 0, ATA_PAGE);
	ata_cdb(question, &cdb);
	return sg_ask(asking, &cdb, data, ATA_PAGE, retlength);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void ata_reach_ask_by(const struct sg_driver *driver, int fd, uint64_t timeout,
		      struct ata_reach *ret)
{
	struct sg_asking asking = {
		.driver = driver,
		.fd = fd,
		.deadline = clock_monotonic() + timeout,
	};
	struct ata_identity identity;
	uint8_t data[ATA_PAGE];
	uint64_t whole = 0;
	size_t length = 0;

	*ret = (struct ata_reach){ 0 };
	if (ask_data(&asking, ATA_IDENTIFY, data, &length) < 0 ||
	    parse_identify(data, length, &identity) < 0 ||
	    __builtin_mul_overflow(identity.sectors, (uint64_t)identity.sector_size, &ret->open))
		return;
	if (identity.host_protected)
		whole = ask_registers(&asking, ATA_NATIVE_MAX);
	if (identity.accessible_max)
		whole = larger(whole, ask_registers(&asking, ATA_ACCESSIBLE_MAX));
	if (identity.overlay && ask_data(&asking, ATA_CONFIG_IDENTIFY, data, &length) == 0)
		whole = larger(whole, parse_config(data, length));
	/* A bridge that invents the registers. */
	if (whole < identity.sectors ||
	    __builtin_mul_overflow(whole, (uint64_t)identity.sector_size, &ret->whole))
		ret->whole = 0;
}

void ata_reach_ask(const char *node, uint64_t timeout, struct ata_reach *ret)
{
	/* The driver requires write access for every queued command. */
	CLEANUP(close) int fd = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	*ret = (struct ata_reach){ 0 };
	if (fd >= 0)
		ata_reach_ask_by(&sg_linux_driver, fd, timeout, ret);
}
