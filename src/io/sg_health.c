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
#include "io/scsi_log.h"
#include "io/sg_ask.h"

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

static int ask_page(struct sg_asking *asking, uint8_t page, uint8_t data[static SCSI_LOG_MAX],
		    size_t *retlength)
{
	struct scsi_cdb cdb;

	memset(data, 0, SCSI_LOG_MAX);
	scsi_cdb_log_sense(page, SCSI_LOG_MAX, &cdb);
	return sg_ask(asking, &cdb, data, SCSI_LOG_MAX, retlength);
}

static int ask_logs(struct sg_asking *asking, struct health *ret)
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

static int ask_defects(struct sg_asking *asking, struct health *ret)
{
	uint8_t data[SCSI_DEFECTS_HEADER] = { 0 };
	struct scsi_cdb cdb;
	size_t length;

	scsi_cdb_grown_defects(&cdb);
	int r = sg_ask(asking, &cdb, data, sizeof(data), &length);

	if (r == 0)
		scsi_take_grown_defects(data, length, ret);
	return r;
}

static int ask_kind(struct sg_asking *asking)
{
	uint8_t data[SCSI_INQUIRY_LENGTH] = { 0 };
	struct scsi_cdb cdb;
	size_t length;

	scsi_cdb_inquiry(&cdb);
	int r = sg_ask(asking, &cdb, data, sizeof(data), &length);

	return r == 0 && scsi_inquiry_is_ata(data, length) ? -EOPNOTSUPP : r;
}

int sg_health_ask_by(const struct sg_driver *driver, int fd, uint64_t patience, struct health *ret)
{
	struct sg_asking asking = {
		.driver = driver,
		.fd = fd,
		.deadline = clock_monotonic() + patience,
	};
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
					  : _("The disk does not report its health."));
	return r == -ETIMEDOUT ? r : -EOPNOTSUPP;
}

int sg_health_ask(const char *node, uint64_t patience, struct health *ret)
{
	/* The driver requires write access for every queued command. */
	CLEANUP(close) int fd = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0) {
		health_clear(ret, _("The disk does not report its health."));
		return -EOPNOTSUPP;
	}
	return sg_health_ask_by(&sg_linux_driver, fd, patience, ret);
}
