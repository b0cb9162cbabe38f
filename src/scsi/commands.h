/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The few SCSI commands that are sent, as bytes, the sg driver's header that
 * carries one, and what a device's answer to it means. No system calls: io/sg…,
 * scsi/ask.c and scsi/sg_only.c send them.
 *
 * Sources: SBC-4 (READ, WRITE, READ CAPACITY, SYNCHRONIZE CACHE), SPC-5 (sense
 * data, TEST UNIT READY), the kernel's include/scsi/sg.h (version 3 of the
 * header). LBAs and counts are in the device's logical blocks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scsi/sg.h>

#include "base/error.h"

#define SCSI_CDB_MAX   32
#define SCSI_SENSE_MAX 64
/* Timeout of one command. sd uses 30 s, USB bridges need more; afterwards, the driver resets the
 * disk. */
#define SCSI_TIMEOUT_MS 60000

struct scsi_cdb {
	uint8_t bytes[SCSI_CDB_MAX];
	uint8_t length;
};

/* How READ and WRITE are to be formed for one device. */
struct scsi_format {
	bool long_lba;      /* it answers READ CAPACITY(16): the 16-byte commands are safe */
	bool only_long;     /* it need not know the 10-byte ones (host-managed zones, ZBC-2) */
	uint8_t protection; /* T10 protection type, 0 none; 2 needs the 32-byte commands */
	bool fua;           /* of writes */
	bool fua_reads;
	bool dpo;
};

struct scsi_capacity {
	uint64_t blocks;
	uint32_t block_size; /* bytes */
	uint8_t protection;  /* 0…3 */
	uint8_t physical_exponent;
};

/* The shortest form that it knows and that reaches: 10 bytes below 2^32 blocks and 65,536 blocks of
 * length, else 16; 32 for protection type 2. -ERANGE where the format cannot express it. */
int scsi_cdb_transfer(const struct scsi_format *format, bool write, uint64_t lba, uint32_t blocks,
		      struct scsi_cdb *ret);
void scsi_cdb_test_unit_ready(struct scsi_cdb *ret);
void scsi_cdb_read_capacity_10(struct scsi_cdb *ret);
void scsi_cdb_read_capacity_16(uint32_t allocation, struct scsi_cdb *ret);
/* The whole medium: LBA 0, count 0. */
void scsi_cdb_synchronize_cache(bool long_lba, struct scsi_cdb *ret);

/* READ BUFFER: what a disk keeps in its memory, without its medium. */
enum scsi_buffer_mode {
	SCSI_BUFFER_DATA = 0x02,
	SCSI_BUFFER_DESCRIPTOR = 0x03,
	SCSI_BUFFER_ECHO = 0x0a,
	SCSI_BUFFER_ECHO_DESCRIPTOR = 0x0b,
};
/* Buffer 0, `length` below 16 MiB. */
void scsi_cdb_read_buffer(enum scsi_buffer_mode mode, uint32_t length, struct scsi_cdb *ret);
#define SCSI_BUFFER_DESCRIPTOR_SIZE 4
/* The capacity in a descriptor, bytes; 0: none, or too short an answer. */
uint32_t scsi_parse_buffer_capacity(enum scsi_buffer_mode mode, const uint8_t *data, size_t length);

/* The caching mode page with its header, in one of two forms: many USB bridges know only the
 * short one. */
#define SCSI_MODE_MAX 64
void scsi_cdb_mode_sense_caching(bool long_form, struct scsi_cdb *ret);

/* Of its header: are the bits DPO and FUA of READ and WRITE known? -EPROTO: too short. */
int scsi_parse_dpo_fua(bool long_form, const uint8_t *data, size_t length, bool *ret);

/* -EPROTO for an answer too short or without sense. */
int scsi_parse_capacity_10(const uint8_t *data, size_t length, struct scsi_capacity *ret);
int scsi_parse_capacity_16(const uint8_t *data, size_t length, struct scsi_capacity *ret);

/* The header for a command that reads at most `length` bytes (0: none, data may be NULL). It points
 * to all of these; `sense` has SCSI_SENSE_MAX bytes. */
sg_io_hdr_t scsi_header(struct scsi_cdb *cdb, void *data, uint32_t length, uint8_t *sense);
/* Bytes transferred, once the command is done. */
uint32_t scsi_transferred(const sg_io_hdr_t *header);

enum scsi_outcome {
	SCSI_GOOD,
	SCSI_RECOVERED, /* done, after the device had trouble */
	SCSI_RETRY,     /* nothing is wrong with the command: send it again at once */
	SCSI_WAIT,      /* the device is busy or becoming ready: send it again a little later */
	SCSI_FAILED,
	/* The command was not done, and could be sent again, but more is at stake: */
	SCSI_RESET,    /* the device was reset; its volatile write cache is lost */
	SCSI_DEFERRED, /* an earlier command, which had been reported good, has failed */
	SCSI_CHANGED,  /* another medium, capacity or identity than before */
};

/*
 * What to make of a header that is back. *retcode: 0 or the negative errno that fits (as the
 * kernel's own block layer maps it: -EIO medium, -EREMOTEIO device or hardware,
 * -ENODEV gone, -EBADE reservation conflict, -EROFS write protected, -ENOSPC no room
 * left behind a thinly provisioned disk, -ETIMEDOUT,
 * -EOPNOTSUPP the device does not know the command, -EINVAL it refused it,
 * -ESTALE for the three last outcomes).
 *
 * CHECK CONDITION means that the command was not, or not certainly, done, whatever the sense
 * key says; RECOVERED ERROR about this command is the one exception (SPC-5, 4.4 and 5.4).
 */
enum scsi_outcome scsi_judge(const sg_io_hdr_t *answer, struct sense *ret, int *retcode);
