/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "health/sensor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/worker.h"

struct reading {
	int fd;
	bool known;
	int degrees;
};

struct sensor {
	int fd;
	struct worker *worker;   /* NULL: nothing was asked since the last answer */
	struct reading *pending; /* the worker's data */
	bool known;
	int degrees;
};

static void read_file(void *data)
{
	struct reading *reading = data;
	char text[32], *stop;
	ssize_t n = pread(reading->fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return;
	text[n] = '\0';

	long millidegrees = strtol(text, &stop, 10);

	reading->known = stop != text && millidegrees >= -100000 && millidegrees <= 200000;
	reading->degrees = (int)(millidegrees / 1000);
}

static void release(void *data)
{
	struct reading *reading = data;

	close(reading->fd);
	free(reading);
}

void sensor_open(const char *path, struct sensor **ret)
{
	int fd = path && *path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;

	*ret = fd >= 0 ? calloc(1, sizeof(**ret)) : NULL;
	if (*ret)
		(*ret)->fd = fd;
	else if (fd >= 0)
		close(fd);
}

void sensor_ask(struct sensor *sensor)
{
	struct reading *reading;
	int degrees;

	sensor_read(sensor, &degrees);
	reading = sensor->worker ? NULL : calloc(1, sizeof(*reading));
	if (!reading)
		return;
	/* A copy of its own, which stays open while the disk does not answer. The path may be
	 * another disk's by now. */
	reading->fd = fcntl(sensor->fd, F_DUPFD_CLOEXEC, 0);

	const struct worker_order order = {
		.body = read_file,
		.destroy = release,
		.data = reading,
		.name = "sensor",
	};

	if (reading->fd >= 0 && worker_start(&order, &sensor->worker) == 0) {
		sensor->pending = reading;
		return;
	}
	if (reading->fd >= 0)
		close(reading->fd);
	free(reading);
}

bool sensor_read(struct sensor *sensor, int *ret)
{
	if (sensor->worker && worker_wait(sensor->worker, 0)) {
		sensor->known = sensor->pending->known;
		sensor->degrees = sensor->pending->degrees;
		worker_abandon(sensor->worker);
		sensor->worker = NULL;
	}
	*ret = sensor->degrees;
	return sensor->known;
}

void sensor_close(struct sensor *sensor)
{
	if (!sensor)
		return;
	worker_abandon(sensor->worker);
	close(sensor->fd);
	free(sensor);
}
