/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scsi/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "scsi/ask.h"
#include "scsi/ata.h"

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

void sg_reach_ask_by(const struct sg_driver *driver, int fd, uint64_t timeout, struct sg_reach *ret)
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

	*ret = (struct sg_reach){ 0 };
	if (ask_data(&asking, ATA_IDENTIFY, data, &length) < 0 ||
	    ata_parse_identify(data, length, &identity) < 0 ||
	    __builtin_mul_overflow(identity.sectors, (uint64_t)identity.sector_size, &ret->open))
		return;
	if (identity.host_protected)
		whole = ask_registers(&asking, ATA_NATIVE_MAX);
	if (identity.accessible_max)
		whole = larger(whole, ask_registers(&asking, ATA_ACCESSIBLE_MAX));
	if (identity.overlay && ask_data(&asking, ATA_CONFIG_IDENTIFY, data, &length) == 0)
		whole = larger(whole, ata_parse_config(data, length));
	/* A bridge that invents the registers. */
	if (whole < identity.sectors ||
	    __builtin_mul_overflow(whole, (uint64_t)identity.sector_size, &ret->whole))
		ret->whole = 0;
}

void sg_reach_ask(const char *node, uint64_t timeout, struct sg_reach *ret)
{
	/* The driver requires write access for every queued command. */
	CLEANUP(close) int fd = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	*ret = (struct sg_reach){ 0 };
	if (fd >= 0)
		sg_reach_ask_by(&sg_linux_driver, fd, timeout, ret);
}
