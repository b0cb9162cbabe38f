/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scsi/commands.h"

#include <errno.h>
#include <string.h>

#include <scsi/sg_lib.h>

#include "base/bytes.h"

enum {
	OP_TEST_UNIT_READY = 0x00,
	OP_MODE_SENSE_6 = 0x1a,
	OP_READ_CAPACITY_10 = 0x25,
	OP_READ_10 = 0x28,
	OP_WRITE_10 = 0x2a,
	OP_SYNCHRONIZE_CACHE_10 = 0x35,
	OP_READ_BUFFER = 0x3c,
	OP_MODE_SENSE_10 = 0x5a,
	OP_VARIABLE_LENGTH = 0x7f,
	OP_READ_16 = 0x88,
	OP_WRITE_16 = 0x8a,
	OP_SYNCHRONIZE_CACHE_16 = 0x91,
	OP_SERVICE_ACTION_IN_16 = 0x9e,
	CACHING_PAGE = 0x08,
	ACTION_READ_CAPACITY_16 = 0x10,
	ACTION_READ_32 = 0x09,
	ACTION_WRITE_32 = 0x0b,
};

/* Adapter results, from the kernel's include/scsi/scsi_status.h. */
enum {
	DID_OK = 0x00,
	DID_NO_CONNECT = 0x01,
	DID_BUS_BUSY = 0x02,
	DID_TIME_OUT = 0x03,
	DID_BAD_TARGET = 0x04,
	DID_ABORT = 0x05,
	DID_ERROR = 0x07,
	DID_RESET = 0x08,
	DID_SOFT_ERROR = 0x0b,
	DID_IMM_RETRY = 0x0c,
	DID_REQUEUE = 0x0d,
	DID_TRANSPORT_DISRUPTED = 0x0e,
	DID_TRANSPORT_FAILFAST = 0x0f,
};

/* The other way round as bytes_big(). (libsgutils2's header shifts into the sign bit.) */
static void put_big(uint8_t *to, unsigned bytes, uint64_t value)
{
	for (; bytes--; value >>= 8)
		to[bytes] = (uint8_t)value;
}

static uint8_t transfer_flags(const struct scsi_format *format, bool write)
{
	bool fua = write ? format->fua : format->fua_reads;

	/* With protection the device checks and strips it: RDPROTECT/WRPROTECT 0 transfers
	 * data alone, which types 1 and 3 and, by its 32-byte commands, type 2 allow. */
	return (format->dpo ? 0x10 : 0) | (fua ? 0x08 : 0);
}

static void transfer_10(const struct scsi_format *format, bool write, uint64_t lba, uint32_t blocks,
			struct scsi_cdb *ret)
{
	ret->length = 10;
	ret->bytes[0] = write ? OP_WRITE_10 : OP_READ_10;
	ret->bytes[1] = transfer_flags(format, write);
	put_big(ret->bytes + 2, 4, lba);
	put_big(ret->bytes + 7, 2, blocks);
}

static void transfer_16(const struct scsi_format *format, bool write, uint64_t lba, uint32_t blocks,
			struct scsi_cdb *ret)
{
	ret->length = 16;
	ret->bytes[0] = write ? OP_WRITE_16 : OP_READ_16;
	ret->bytes[1] = transfer_flags(format, write);
	put_big(ret->bytes + 2, 8, lba);
	put_big(ret->bytes + 10, 4, blocks);
}

static void transfer_32(const struct scsi_format *format, bool write, uint64_t lba, uint32_t blocks,
			struct scsi_cdb *ret)
{
	ret->length = 32;
	ret->bytes[0] = OP_VARIABLE_LENGTH;
	ret->bytes[7] = 0x18; /* additional length */
	put_big(ret->bytes + 8, 2, write ? ACTION_WRITE_32 : ACTION_READ_32);
	ret->bytes[10] = transfer_flags(format, write);
	put_big(ret->bytes + 12, 8, lba);
	/* type 2 checks the expected initial reference tag even when none is transferred */
	put_big(ret->bytes + 20, 4, lba);
	put_big(ret->bytes + 28, 4, blocks);
}

int scsi_cdb_transfer(const struct scsi_format *format, bool write, uint64_t lba, uint32_t blocks,
		      struct scsi_cdb *ret)
{
	uint64_t last;

	/* a count of 0 means 256 blocks to some commands and none to others */
	if (blocks == 0 || __builtin_add_overflow(lba, blocks - 1, &last))
		return -ERANGE;

	memset(ret, 0, sizeof(*ret));
	if (format->protection == 2)
		transfer_32(format, write, lba, blocks, ret);
	else if (!format->only_long && last <= UINT32_MAX && blocks <= UINT16_MAX)
		transfer_10(format, write, lba, blocks, ret);
	else if (format->long_lba)
		transfer_16(format, write, lba, blocks, ret);
	else
		return -ERANGE;
	return 0;
}

void scsi_cdb_test_unit_ready(struct scsi_cdb *ret)
{
	*ret = (struct scsi_cdb){ .bytes = { OP_TEST_UNIT_READY }, .length = 6 };
}

void scsi_cdb_read_capacity_10(struct scsi_cdb *ret)
{
	*ret = (struct scsi_cdb){ .bytes = { OP_READ_CAPACITY_10 }, .length = 10 };
}

void scsi_cdb_read_capacity_16(uint32_t allocation, struct scsi_cdb *ret)
{
	*ret = (struct scsi_cdb){ .bytes = { OP_SERVICE_ACTION_IN_16, ACTION_READ_CAPACITY_16 },
				  .length = 16 };
	put_big(ret->bytes + 10, 4, allocation);
}

void scsi_cdb_synchronize_cache(bool long_lba, struct scsi_cdb *ret)
{
	*ret = (struct scsi_cdb){
		.bytes = { long_lba ? OP_SYNCHRONIZE_CACHE_16 : OP_SYNCHRONIZE_CACHE_10 },
		.length = long_lba ? 16 : 10,
	};
}

void scsi_cdb_read_buffer(enum scsi_buffer_mode mode, uint32_t length, struct scsi_cdb *ret)
{
	*ret = (struct scsi_cdb){ .bytes = { OP_READ_BUFFER, mode }, .length = 10 };
	/* three bytes; the one before them, of the offset, stays 0 */
	put_big(ret->bytes + 5, 4, length & 0xffffff);
}

uint32_t scsi_parse_buffer_capacity(enum scsi_buffer_mode mode, const uint8_t *data, size_t length)
{
	if (length < SCSI_BUFFER_DESCRIPTOR_SIZE)
		return 0;
	return (uint32_t)bytes_big(data, 4) &
	       (mode == SCSI_BUFFER_ECHO_DESCRIPTOR ? 0x1fff : 0xffffff);
}

void scsi_cdb_mode_sense_caching(bool long_form, struct scsi_cdb *ret)
{
	*ret = (struct scsi_cdb){
		.bytes = { long_form ? OP_MODE_SENSE_10 : OP_MODE_SENSE_6, 0, CACHING_PAGE },
		.length = long_form ? 10 : 6,
	};
	ret->bytes[long_form ? 8 : 4] = SCSI_MODE_MAX;
}

int scsi_parse_dpo_fua(bool long_form, const uint8_t *data, size_t length, bool *ret)
{
	if (length < (long_form ? 8U : 4U))
		return -EPROTO;
	*ret = data[long_form ? 3 : 2] & 0x10;
	return 0;
}

int scsi_parse_capacity_10(const uint8_t *data, size_t length, struct scsi_capacity *ret)
{
	if (length < 8)
		return -EPROTO;
	uint32_t last = (uint32_t)bytes_big(data, 4);
	uint32_t block_size = (uint32_t)bytes_big(data + 4, 4);

	/* all ones: the disk is larger than this command can say */
	if (last == UINT32_MAX)
		return -EOVERFLOW;
	if (block_size == 0)
		return -EPROTO;
	*ret = (struct scsi_capacity){ .blocks = (uint64_t)last + 1, .block_size = block_size };
	return 0;
}

int scsi_parse_capacity_16(const uint8_t *data, size_t length, struct scsi_capacity *ret)
{
	uint8_t answer[16] = { 0 };

	/* the first standards ended after the block size */
	if (length < 12)
		return -EPROTO;
	memcpy(answer, data, length < sizeof(answer) ? length : sizeof(answer));
	uint64_t last = bytes_big(answer, 8);
	uint32_t block_size = (uint32_t)bytes_big(answer + 8, 4);

	if (block_size == 0 || last == UINT64_MAX)
		return -EPROTO;
	*ret = (struct scsi_capacity){
		.blocks = last + 1,
		.block_size = block_size,
		.protection = answer[12] & 0x01 ? (uint8_t)(((answer[12] >> 1) & 0x07) + 1) : 0,
		.physical_exponent = answer[13] & 0x0f,
	};
	return 0;
}

sg_io_hdr_t scsi_header(struct scsi_cdb *cdb, void *data, uint32_t length, uint8_t *sense)
{
	return (sg_io_hdr_t){
		.interface_id = 'S',
		.dxfer_direction = length ? SG_DXFER_FROM_DEV : SG_DXFER_NONE,
		.cmd_len = cdb->length,
		.cmdp = cdb->bytes,
		.mx_sb_len = SCSI_SENSE_MAX,
		.sbp = sense,
		.dxfer_len = length,
		.dxferp = data,
		.timeout = SCSI_TIMEOUT_MS,
	};
}

uint32_t scsi_transferred(const sg_io_hdr_t *header)
{
	uint32_t missing = header->resid > 0 ? (uint32_t)header->resid : 0;

	return missing < header->dxfer_len ? header->dxfer_len - missing : 0;
}

static enum scsi_outcome judge_host(uint16_t host_status, int *retcode)
{
	switch (host_status) {
	case DID_NO_CONNECT:
	case DID_BAD_TARGET:
		*retcode = -ENODEV;
		return SCSI_FAILED;
	case DID_TRANSPORT_FAILFAST:
		*retcode = -ENOLINK;
		return SCSI_FAILED;
	case DID_TIME_OUT:
		*retcode = -ETIMEDOUT;
		return SCSI_RETRY;
	case DID_BUS_BUSY:
	case DID_TRANSPORT_DISRUPTED:
		*retcode = -EBUSY;
		return SCSI_WAIT;
	case DID_ABORT:
	case DID_ERROR:
	case DID_RESET:
	case DID_SOFT_ERROR:
	case DID_IMM_RETRY:
	case DID_REQUEUE:
		*retcode = -EIO;
		return SCSI_RETRY;
	default:
		*retcode = -EIO;
		return SCSI_FAILED;
	}
}

/* Power on, a reset, or a new start of the device's own; 05h to 07h are about the connection
 * alone, which leaves the cache as it was. */
static bool is_reset(const struct sense *sense)
{
	return sense->asc == 0x29 && sense->ascq <= 0x04;
}

/* Medium or capacity changed, or INQUIRY data, device identifier, microcode: what is there now
 * is not, or not known to be, what was chosen. */
static bool is_change(const struct sense *sense)
{
	switch (sense->asc) {
	case 0x28:
		return true;
	case 0x2a:
		return sense->ascq == 0x09;
	case 0x3f:
		return sense->ascq <= 0x03 || sense->ascq == 0x05;
	default:
		return false;
	}
}

static enum scsi_outcome judge_attention(const struct sense *sense, int *retcode)
{
	*retcode = -ESTALE;
	if (is_reset(sense))
		return SCSI_RESET;
	if (is_change(sense))
		return SCSI_CHANGED;
	*retcode = -EAGAIN;
	return SCSI_RETRY;
}

/* The command that brings the news was itself not processed. */
static enum scsi_outcome judge_deferred(const struct sense *sense, int *retcode)
{
	bool harmless = sense->key == SPC_SK_NO_SENSE || sense->key == SPC_SK_RECOVERED_ERROR ||
			sense->key == SPC_SK_COMPLETED;

	*retcode = harmless ? -EIO : -ESTALE;
	return harmless ? SCSI_RETRY : SCSI_DEFERRED;
}

static enum scsi_outcome judge_sense(const struct sense *sense, int *retcode)
{
	if (sense->deferred)
		return judge_deferred(sense, retcode);
	switch (sense->key) {
	case SPC_SK_NO_SENSE:
	case SPC_SK_COMPLETED:
		/* a false alarm, but it is unknown how much was transferred; repeat all of it, as
		 * the kernel's sd driver does */
		*retcode = -EIO;
		return SCSI_RETRY;
	case SPC_SK_RECOVERED_ERROR:
		*retcode = 0;
		return SCSI_RECOVERED;
	case SPC_SK_NOT_READY:
		*retcode = sense->asc == 0x3a ? -ENOMEDIUM : -EAGAIN;
		return sense->asc == 0x04 ? SCSI_WAIT : SCSI_FAILED;
	case SPC_SK_UNIT_ATTENTION:
		return judge_attention(sense, retcode);
	case SPC_SK_ABORTED_COMMAND:
		*retcode = sense->asc == 0x10 ? -EILSEQ : -EIO;
		return sense->asc == 0x10 ? SCSI_FAILED : SCSI_RETRY;
	case SPC_SK_MEDIUM_ERROR:
		*retcode = -EIO;
		return SCSI_FAILED;
	case SPC_SK_DATA_PROTECT:
		/* thin provisioning: the pool behind the disk is full */
		*retcode = sense->asc == 0x27 && sense->ascq == 0x07 ? -ENOSPC : -EROFS;
		return SCSI_FAILED;
	case SPC_SK_ILLEGAL_REQUEST:
		*retcode = sense->asc == 0x20 ? -EOPNOTSUPP : -EINVAL;
		return SCSI_FAILED;
	case SPC_SK_BLANK_CHECK:
		*retcode = -ENODATA;
		return SCSI_FAILED;
	default:
		*retcode = -EREMOTEIO;
		return SCSI_FAILED;
	}
}

/* Status GOOD with sense data beside it: the command was done, unless they say otherwise. */
static enum scsi_outcome judge_good(const struct sense *sense, int *retcode)
{
	if (!sense->known ||
	    (!sense->deferred && (sense->key == SPC_SK_NO_SENSE || sense->key == SPC_SK_COMPLETED)))
		return SCSI_GOOD;
	return judge_sense(sense, retcode);
}

static void decode_sense(const sg_io_hdr_t *answer, struct sense *ret)
{
	struct sg_scsi_sense_hdr header;
	uint64_t lba = 0;

	*ret = (struct sense){ 0 };
	if (!sg_scsi_normalize_sense(answer->sbp, answer->sb_len_wr, &header))
		return;
	ret->known = true;
	ret->key = header.sense_key;
	ret->asc = header.asc;
	ret->ascq = header.ascq;
	ret->deferred = header.response_code & 1; /* 71h and 73h */
	ret->has_lba = sg_get_sense_info_fld(answer->sbp, answer->sb_len_wr, &lba);
	ret->lba = ret->has_lba ? lba : 0;
}

enum scsi_outcome scsi_judge(const sg_io_hdr_t *answer, struct sense *ret, int *retcode)
{
	decode_sense(answer, ret);
	*retcode = 0;

	/* the sense data says more than the adapter's own word for a command that failed */
	if (answer->status == SAM_STAT_CHECK_CONDITION && ret->known)
		return judge_sense(ret, retcode);
	if (answer->host_status != DID_OK)
		return judge_host(answer->host_status, retcode);

	switch (answer->status) {
	case SAM_STAT_GOOD:
	case SAM_STAT_CONDITION_MET:
		return judge_good(ret, retcode);
	case SAM_STAT_CHECK_CONDITION:
		*retcode = -EIO; /* and no word why */
		return SCSI_RETRY;
	case SAM_STAT_BUSY:
	case SAM_STAT_TASK_SET_FULL:
		*retcode = -EBUSY;
		return SCSI_WAIT;
	case SAM_STAT_RESERVATION_CONFLICT:
		*retcode = -EBADE;
		return SCSI_FAILED;
	case SAM_STAT_TASK_ABORTED:
		*retcode = -EIO;
		return SCSI_RETRY;
	default:
		*retcode = -EIO;
		return SCSI_FAILED;
	}
}
