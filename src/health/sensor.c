/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "health/sensor.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/worker.h"

struct reading {
	int fd, limit_fd; /* limit_fd -1: not asked for */
	bool known;
	int degrees, limit;
};

struct sensor {
	int fd, limit_fd;        /* limit_fd -1: there is none, or it is known */
	int limit;               /* 0: not known */
	struct worker *worker;   /* NULL: nothing was asked since the last answer */
	struct reading *pending; /* the worker's data */
	bool known;
	int degrees;
};

static bool read_degrees(int fd, int *ret)
{
	char text[32], *stop;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long millidegrees;

	if (n <= 0)
		return false;
	text[n] = '\0';
	millidegrees = strtol(text, &stop, 10);
	*ret = (int)(millidegrees / 1000);
	return stop != text && millidegrees >= -100000 && millidegrees <= 200000;
}

static void read_file(void *data)
{
	struct reading *reading = data;

	reading->known = read_degrees(reading->fd, &reading->degrees);
	if (reading->limit_fd >= 0 && !read_degrees(reading->limit_fd, &reading->limit))
		reading->limit = 0;
}

static void release(void *data)
{
	struct reading *reading = data;

	fd_close(reading->fd);
	fd_close(reading->limit_fd);
	free(reading);
}

/* "temp1_crit" or "temp1_max" beside "temp1_input"; -1: there is neither. */
static int open_limit(const char *path)
{
	static const char *const kinds[] = { "crit", "max" };
	const char *end = strrchr(path, '_');
	char beside[PATH_MAX];
	int fd = -1;

	for (size_t i = 0; end && fd < 0 && i < ARRAY_SIZE(kinds); i++) {
		snprintf(beside, sizeof(beside), "%.*s_%s", (int)(end - path), path, kinds[i]);
		fd = open(beside, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	return fd;
}

void sensor_open(const char *path, struct sensor **ret)
{
	int fd = path && *path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;

	*ret = fd >= 0 ? calloc(1, sizeof(**ret)) : NULL;
	if (*ret) {
		(*ret)->fd = fd;
		(*ret)->limit_fd = open_limit(path);
	} else if (fd >= 0) {
		close(fd);
	}
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
	reading->limit_fd = -1;
	if (sensor->limit_fd >= 0)
		reading->limit_fd = fcntl(sensor->limit_fd, F_DUPFD_CLOEXEC, 0);

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
	release(reading);
}

/* It does not change: once is enough. */
static void take_limit(struct sensor *sensor)
{
	if (sensor->pending->limit_fd < 0)
		return;
	sensor->limit = sensor->pending->limit;
	close(sensor->limit_fd);
	sensor->limit_fd = -1;
}

bool sensor_read(struct sensor *sensor, int *ret)
{
	if (sensor->worker && worker_wait(sensor->worker, 0)) {
		sensor->known = sensor->pending->known;
		sensor->degrees = sensor->pending->degrees;
		take_limit(sensor);
		worker_abandon(sensor->worker);
		sensor->worker = NULL;
	}
	*ret = sensor->degrees;
	return sensor->known;
}

int sensor_hot(const struct sensor *sensor)
{
	return sensor ? sensor->limit : 0;
}

void sensor_close(struct sensor *sensor)
{
	if (!sensor)
		return;
	fd_close(sensor->limit_fd);
	worker_abandon(sensor->worker);
	close(sensor->fd);
	free(sensor);
}
