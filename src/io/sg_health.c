/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/sg_health.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "io/scsi.h"
#include "io/scsi_log.h"

#define TRIES      8     /* each takes one unit attention with it */
#define TIMEOUT_MS 60000 /* the driver's: earlier it would reset the disk for a mere question */

struct asking {
	const struct sg_driver *driver;
	int fd;
	uint64_t deadline;
};

const char *sg_health_node(const struct disk *disk)
{
	static const char *const others[] = { "usb", "sata", "pata" };

	if (disk->kind != DISK_SCSI)
		return "";
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(disk->transport, others[i]) == 0)
			return "";
	return disk->sg;
}

/* The answer, or -ETIMEDOUT: then the driver may still hold the command, but it copies nothing
 * to us any more, since nobody collects it. */
static int await(const struct asking *asking, sg_io_hdr_t *ret)
{
	int r = -EAGAIN;

	while (r == -EAGAIN) {
		uint64_t now = clock_monotonic();

		r = now < asking->deadline ? asking->driver->wait(asking->driver, &asking->fd, 1,
								  asking->deadline - now)
					   : -ETIMEDOUT;
		if (r >= 0)
			r = asking->driver->receive(asking->driver, asking->fd, ret);
	}
	return r;
}

static int ask_once(const struct asking *asking, struct scsi_cdb *cdb, void *data, uint32_t length,
		    size_t *retlength, enum scsi_outcome *retoutcome)
{
	uint8_t bytes[SCSI_SENSE_MAX];
	struct sense sense;
	sg_io_hdr_t header = {
		.interface_id = 'S',
		.dxfer_direction = SG_DXFER_FROM_DEV,
		.cmd_len = cdb->length,
		.cmdp = cdb->bytes,
		.mx_sb_len = sizeof(bytes),
		.sbp = bytes,
		.dxfer_len = length,
		.dxferp = data,
		.timeout = TIMEOUT_MS,
	};
	int r = asking->driver->send(asking->driver, asking->fd, &header);

	if (r == 0)
		r = await(asking, &header);
	if (r < 0)
		return r;
	struct scsi_answer answer = {
		.status = header.status,
		.host_status = header.host_status,
		.driver_status = header.driver_status,
		.sense = bytes,
		.sense_length = header.sb_len_wr,
	};

	*retoutcome = scsi_judge(&answer, &sense, &r);
	*retlength = header.resid <= 0                 ? length
		     : (uint32_t)header.resid < length ? length - (uint32_t)header.resid
						       : 0;
	return r;
}

static int ask(const struct asking *asking, struct scsi_cdb *cdb, void *data, uint32_t length,
	       size_t *retlength)
{
	enum scsi_outcome outcome = SCSI_FAILED;
	int r = -EIO;

	for (unsigned tries = 0; tries < TRIES; tries++) {
		r = ask_once(asking, cdb, data, length, retlength, &outcome);
		if (r == 0 || r == -ETIMEDOUT || outcome == SCSI_FAILED || outcome == SCSI_WAIT)
			break;
		outcome = SCSI_FAILED;
	}
	return r;
}

static int ask_page(const struct asking *asking, uint8_t page, uint8_t data[static SCSI_LOG_MAX],
		    size_t *retlength)
{
	struct scsi_cdb cdb;

	memset(data, 0, SCSI_LOG_MAX);
	scsi_cdb_log_sense(page, SCSI_LOG_MAX, &cdb);
	return ask(asking, &cdb, data, SCSI_LOG_MAX, retlength);
}

static int ask_logs(const struct asking *asking, struct health *ret)
{
	uint8_t list[SCSI_LOG_MAX], data[SCSI_LOG_MAX];
	size_t listed, length;
	int r = ask_page(asking, 0, list, &listed);

	for (const uint8_t *page = scsi_log_pages; r != -ETIMEDOUT && *page; page++) {
		if (r < 0 || !scsi_log_lists(list, listed, *page))
			continue;
		int one = ask_page(asking, *page, data, &length);

		if (one == 0)
			scsi_log_take(*page, data, length, ret);
		if (one == -ETIMEDOUT)
			r = one;
	}
	return r;
}

static int ask_defects(const struct asking *asking, struct health *ret)
{
	uint8_t data[SCSI_DEFECTS_HEADER] = { 0 };
	struct scsi_cdb cdb;
	size_t length;

	scsi_cdb_grown_defects(&cdb);
	int r = ask(asking, &cdb, data, sizeof(data), &length);

	if (r == 0)
		scsi_take_grown_defects(data, length, ret);
	return r;
}

static int ask_kind(const struct asking *asking)
{
	uint8_t data[SCSI_INQUIRY_LENGTH] = { 0 };
	struct scsi_cdb cdb;
	size_t length;

	scsi_cdb_inquiry(&cdb);
	int r = ask(asking, &cdb, data, sizeof(data), &length);

	return r == 0 && scsi_inquiry_is_ata(data, length) ? -EOPNOTSUPP : r;
}

int sg_health_ask_by(const struct sg_driver *driver, int fd, uint64_t patience, struct health *ret)
{
	struct asking asking = { driver, fd, clock_monotonic() + patience };
	int r;

	health_clear(ret, NULL);
	r = ask_kind(&asking);
	if (r == 0)
		r = ask_logs(&asking, ret);
	if (r == 0)
		r = ask_defects(&asking, ret);
	ret->time = (int64_t)time(NULL);
	if (health_is_known(ret))
		return 0;
	health_clear(ret, r == -ETIMEDOUT ? _("The disk did not answer in time.")
					  : _("The disk does not tell its health."));
	return r == -ETIMEDOUT ? r : -EOPNOTSUPP;
}

int sg_health_ask(const char *node, uint64_t patience, struct health *ret)
{
	/* The driver wants write access for every queued command. */
	CLEANUP(close) int fd = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		health_clear(ret, _("The disk does not tell its health."));
		return -EOPNOTSUPP;
	}
	return sg_health_ask_by(&sg_linux_driver, fd, patience, ret);
}
