/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/sg_gauge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "io/scsi_log.h"
#include "io/sg.h"

#define LENGTH 64 /* of the answer: two parameters and whatever a vendor adds */

struct sg_gauge {
	const struct sg_driver *driver;
	int fd;
	struct sg_trust *trust;
	unsigned generation; /* of trust, while on_the_way */
	bool on_the_way;
	bool mute; /* it does not tell */
	bool known;
	int degrees;
	struct scsi_cdb cdb;
	uint8_t sense[SCSI_SENSE_MAX];
	uint8_t data[LENGTH];
};

struct sg_gauge *sg_gauge_new(const struct sg_driver *driver, int fd, struct sg_trust *trust)
{
	struct sg_gauge *gauge = calloc(1, sizeof(*gauge));

	if (!gauge) {
		driver->close(driver, fd);
		return NULL;
	}
	gauge->driver = driver;
	gauge->fd = fd;
	gauge->trust = trust ? sg_trust_ref(trust) : NULL;
	scsi_cdb_log_sense(SCSI_LOG_TEMPERATURE, LENGTH, &gauge->cdb);
	return gauge;
}

void sg_gauge_open(const char *node, const struct io_handle *handle, struct sg_gauge **ret)
{
	*ret = NULL;
	if (!node || !*node)
		return;
	/* The driver requires write access for every queued command. */
	int fd = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		*ret = sg_gauge_new(&sg_linux_driver, fd, sg_trust_of(handle));
}

static void came_back(struct sg_gauge *gauge)
{
	gauge->on_the_way = false;
	if (gauge->trust)
		sg_trust_answered(gauge->trust, gauge->generation);
}

/* A pending command is dropped when its answer arrives: nobody collects it. */
void sg_gauge_destroy(struct sg_gauge *gauge)
{
	if (!gauge)
		return;
	if (gauge->on_the_way)
		came_back(gauge);
	gauge->driver->close(gauge->driver, gauge->fd);
	sg_trust_unref(gauge->trust);
	free(gauge);
}

void sg_gauge_ask(struct sg_gauge *gauge)
{
	sg_io_hdr_t header =
		scsi_header(&gauge->cdb, gauge->data, sizeof(gauge->data), gauge->sense);

	if (gauge->on_the_way || gauge->mute)
		return;
	/* A flush must wait for this command, too: its answer may bring the news that makes the
	 * flush worthless. */
	if (gauge->trust)
		gauge->generation = sg_trust_sent(gauge->trust);
	gauge->on_the_way = true;
	if (gauge->driver->send(gauge->driver, gauge->fd, &header) < 0)
		came_back(gauge);
}

/* Treat it like the answers to the copy's own commands. */
static void tell_trust(struct sg_gauge *gauge, enum scsi_outcome outcome, const struct sense *sense)
{
	if (!gauge->trust)
		return;
	if (outcome == SCSI_RESET)
		sg_trust_reset(gauge->trust, sense, 0);
	else if (outcome == SCSI_DEFERRED || outcome == SCSI_CHANGED)
		sg_trust_lose(gauge->trust, -ESTALE, sense);
}

static void take(struct sg_gauge *gauge, const sg_io_hdr_t *header)
{
	struct sense sense;
	struct health health;
	int code;
	enum scsi_outcome outcome = scsi_judge(header, &sense, &code);

	tell_trust(gauge, outcome, &sense);
	gauge->mute = outcome == SCSI_FAILED;
	if (outcome != SCSI_GOOD && outcome != SCSI_RECOVERED)
		return;
	health_clear(&health, NULL);
	scsi_log_take(SCSI_LOG_TEMPERATURE, gauge->data, scsi_transferred(header), &health);
	gauge->known = health.values[HEALTH_TEMPERATURE] != HEALTH_UNKNOWN;
	gauge->mute = !gauge->known;
	if (gauge->known)
		gauge->degrees = (int)health.values[HEALTH_TEMPERATURE];
}

bool sg_gauge_read(struct sg_gauge *gauge, int *ret)
{
	sg_io_hdr_t header;

	if (gauge->on_the_way) {
		int r = gauge->driver->receive(gauge->driver, gauge->fd, &header);

		if (r == 0)
			take(gauge, &header);
		else if (r != -EAGAIN)
			gauge->mute = true;
		if (r != -EAGAIN)
			came_back(gauge);
	}
	*ret = gauge->degrees;
	return gauge->known && !gauge->mute;
}
