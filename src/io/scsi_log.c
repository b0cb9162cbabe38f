/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/scsi_log.h"

#include <string.h>

enum {
	OP_INQUIRY = 0x12,
	OP_READ_DEFECT_DATA_10 = 0x37,
	OP_LOG_SENSE = 0x4d,
	LOG_CUMULATIVE = 0x40,
	LOG_WRITE_ERRORS = 0x02,
	LOG_READ_ERRORS = 0x03,
	LOG_VERIFY_ERRORS = 0x05,
	LOG_NON_MEDIUM = 0x06,
	LOG_SOLID_STATE = 0x11,
	LOG_BACKGROUND_SCAN = 0x15,
	LOG_EXCEPTIONS = 0x2f,
	GROWN_LIST = 0x08,
	BY_PHYSICAL_SECTOR = 0x05,
};

#define PAGE_HEADER      4
#define PARAMETER_HEADER 4
/* Parameters of the error counter pages. */
#define TOTAL_CORRECTED   3
#define TOTAL_UNCORRECTED 6
#define NO_TEMPERATURE    0xff
#define THRESHOLD_PASSED  0x5d /* additional sense code: failure prediction */

const uint8_t scsi_log_pages[] = {
	LOG_WRITE_ERRORS,    LOG_READ_ERRORS,      LOG_VERIFY_ERRORS,
	LOG_NON_MEDIUM,      SCSI_LOG_TEMPERATURE, LOG_SOLID_STATE,
	LOG_BACKGROUND_SCAN, LOG_EXCEPTIONS,       0,
};

void scsi_cdb_log_sense(uint8_t page, uint16_t allocation, struct scsi_cdb *ret)
{
	*ret = (struct scsi_cdb){ .bytes = { OP_LOG_SENSE, 0, LOG_CUMULATIVE | page },
				  .length = 10 };
	ret->bytes[7] = (uint8_t)(allocation >> 8);
	ret->bytes[8] = (uint8_t)allocation;
}

void scsi_cdb_grown_defects(struct scsi_cdb *ret)
{
	*ret = (struct scsi_cdb){ .bytes = { OP_READ_DEFECT_DATA_10, 0,
					     GROWN_LIST | BY_PHYSICAL_SECTOR },
				  .length = 10 };
	ret->bytes[8] = SCSI_DEFECTS_HEADER;
}

void scsi_cdb_inquiry(struct scsi_cdb *ret)
{
	*ret = (struct scsi_cdb){ .bytes = { OP_INQUIRY, 0, 0, 0, SCSI_INQUIRY_LENGTH },
				  .length = 6 };
}

bool scsi_inquiry_is_ata(const uint8_t *data, size_t length)
{
	static const char vendor[] = "ATA     ";

	return length >= 16 && memcmp(data + 8, vendor, 8) == 0;
}

/* The length of the page that was transferred; 0 for a different page. */
static size_t page_end(uint8_t page, const uint8_t *data, size_t length)
{
	/* the highest bit means "saved", the next one subpages */
	if (length < PAGE_HEADER || (data[0] & 0x3f) != page || (data[0] & 0x40 && data[1]))
		return 0;
	size_t end = PAGE_HEADER + ((size_t)data[2] << 8 | data[3]);

	return end < length ? end : length;
}

bool scsi_log_lists(const uint8_t *data, size_t length, uint8_t page)
{
	size_t end = page_end(0, data, length);

	for (size_t i = PAGE_HEADER; i < end; i++)
		if (data[i] == page)
			return true;
	return false;
}

/* Parameters may have any length; a counter that does not fit is unknown. */
static void take_counter(const uint8_t *value, size_t length, int64_t *ret)
{
	uint64_t number = 0;

	if (length == 0)
		return;
	for (size_t i = 0; i < length; i++) {
		if (number >> 56)
			return;
		number = number << 8 | value[i];
	}
	if (number <= INT64_MAX)
		*ret = (int64_t)number;
}

static void take_temperature(uint8_t degrees, struct health *ret)
{
	if (degrees != NO_TEMPERATURE)
		ret->values[HEALTH_TEMPERATURE] = degrees;
}

static void take_errors(uint16_t code, const uint8_t *value, size_t length, int64_t *corrected,
			int64_t *uncorrected)
{
	if (code == TOTAL_CORRECTED)
		take_counter(value, length, corrected);
	else if (code == TOTAL_UNCORRECTED)
		take_counter(value, length, uncorrected);
}

/* The disk's own verdict: the additional sense code of its warning. */
static void take_exceptions(const uint8_t *value, size_t length, struct health *ret)
{
	if (length < 2)
		return;
	if (value[0] == 0)
		ret->passed = YES;
	else if (value[0] == THRESHOLD_PASSED)
		ret->passed = NO;
	if (length > 2 && ret->values[HEALTH_TEMPERATURE] == HEALTH_UNKNOWN && value[2] > 0)
		take_temperature(value[2], ret);
}

static void take_minutes(const uint8_t *value, size_t length, struct health *ret)
{
	int64_t minutes = -1;

	if (length >= 4)
		take_counter(value, 4, &minutes);
	if (minutes >= 0)
		ret->values[HEALTH_POWER_ON] = minutes / 60;
}

static void take_parameter(uint8_t page, uint16_t code, const uint8_t *value, size_t length,
			   struct health *ret)
{
	int64_t *values = ret->values;

	switch (page) {
	case LOG_WRITE_ERRORS:
		take_errors(code, value, length, &values[HEALTH_WRITE_CORRECTED],
			    &values[HEALTH_WRITE_UNCORRECTED]);
		break;
	case LOG_READ_ERRORS:
		take_errors(code, value, length, &values[HEALTH_READ_CORRECTED],
			    &values[HEALTH_READ_UNCORRECTED]);
		break;
	case LOG_VERIFY_ERRORS:
		take_errors(code, value, length, &values[HEALTH_VERIFY_CORRECTED],
			    &values[HEALTH_VERIFY_UNCORRECTED]);
		break;
	case LOG_NON_MEDIUM:
		if (code == 0)
			take_counter(value, length, &values[HEALTH_NON_MEDIUM]);
		break;
	case SCSI_LOG_TEMPERATURE:
		if (code == 0 && length >= 2)
			take_temperature(value[1], ret);
		break;
	case LOG_SOLID_STATE:
		if (code == 1 && length >= 4)
			values[HEALTH_USED] = value[3];
		break;
	case LOG_BACKGROUND_SCAN:
		if (code == 0)
			take_minutes(value, length, ret);
		break;
	case LOG_EXCEPTIONS:
		if (code == 0)
			take_exceptions(value, length, ret);
		break;
	default:
		break;
	}
}

void scsi_log_take(uint8_t page, const uint8_t *data, size_t length, struct health *ret)
{
	size_t end = page_end(page, data, length), at = PAGE_HEADER;

	while (at + PARAMETER_HEADER <= end) {
		const uint8_t *parameter = data + at;
		size_t size = parameter[3];

		at += PARAMETER_HEADER;
		if (size > end - at)
			return;
		take_parameter(page, (uint16_t)(parameter[0] << 8 | parameter[1]), data + at, size,
			       ret);
		at += size;
	}
}

/* Bytes of one entry in the format that the disk chose. */
static unsigned defect_size(uint8_t format)
{
	switch (format & 0x07) {
	case 0: /* short block */
		return 4;
	case 3: /* long block */
	case 4: /* bytes from index */
	case BY_PHYSICAL_SECTOR:
		return 8;
	default:
		return 0;
	}
}

void scsi_take_grown_defects(const uint8_t *data, size_t length, struct health *ret)
{
	if (length < SCSI_DEFECTS_HEADER || !(data[1] & GROWN_LIST) || !defect_size(data[1]))
		return;
	ret->values[HEALTH_GROWN_DEFECTS] = (data[2] << 8 | data[3]) / (int)defect_size(data[1]);
}
