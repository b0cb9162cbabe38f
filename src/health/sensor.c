/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "health/sensor.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread.h"

#define STACK_SIZE (64 << 10)

/* Freed by whichever is last: the thread, or thermometer_close(). */
struct thermometer {
	pthread_mutex_t lock; /* protects the following members, except `fd` */
	pthread_cond_t changed;
	int fd;
	bool started, asked, left;
	bool known;
	int degrees;
};

static bool look(int fd, int *ret)
{
	char text[32], *stop;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';

	long millidegrees = strtol(text, &stop, 10);

	if (stop == text || millidegrees < -100000 || millidegrees > 200000)
		return false;
	*ret = (int)(millidegrees / 1000);
	return true;
}

static void release(struct thermometer *thermometer)
{
	pthread_cond_destroy(&thermometer->changed);
	pthread_mutex_destroy(&thermometer->lock);
	close(thermometer->fd);
	free(thermometer);
}

static void *watch(void *argument)
{
	struct thermometer *thermometer = argument;

	pthread_mutex_lock(&thermometer->lock);
	while (!thermometer->left) {
		int degrees = 0;
		bool known;

		if (!thermometer->asked) {
			pthread_cond_wait(&thermometer->changed, &thermometer->lock);
			continue;
		}
		pthread_mutex_unlock(&thermometer->lock);
		known = look(thermometer->fd, &degrees);
		pthread_mutex_lock(&thermometer->lock);
		thermometer->asked = false;
		thermometer->known = known;
		thermometer->degrees = degrees;
	}
	pthread_mutex_unlock(&thermometer->lock);
	release(thermometer);
	return NULL;
}

void thermometer_open(const char *path, struct thermometer **ret)
{
	struct thermometer *thermometer;
	int fd;

	*ret = NULL;
	if (!path || !*path)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return;
	thermometer = calloc(1, sizeof(*thermometer));
	if (!thermometer) {
		close(fd);
		return;
	}
	thermometer->fd = fd;
	pthread_mutex_init(&thermometer->lock, NULL);
	pthread_cond_init(&thermometer->changed, NULL);
	*ret = thermometer;
}

/* Without a thread, there is no reading. With the lock held. */
static void start(struct thermometer *thermometer)
{
	pthread_t thread;

	if (thermometer->started ||
	    thread_create(&thread, STACK_SIZE, watch, thermometer, "thermometer") < 0)
		return;
	pthread_detach(thread);
	thermometer->started = true;
}

void thermometer_ask(struct thermometer *thermometer)
{
	pthread_mutex_lock(&thermometer->lock);
	start(thermometer);
	thermometer->asked = thermometer->started;
	pthread_cond_signal(&thermometer->changed);
	pthread_mutex_unlock(&thermometer->lock);
}

bool thermometer_read(struct thermometer *thermometer, int *ret)
{
	bool known;

	pthread_mutex_lock(&thermometer->lock);
	known = thermometer->known;
	*ret = thermometer->degrees;
	pthread_mutex_unlock(&thermometer->lock);
	return known;
}

void thermometer_close(struct thermometer *thermometer)
{
	bool mine;

	if (!thermometer)
		return;
	pthread_mutex_lock(&thermometer->lock);
	thermometer->left = true;
	mine = !thermometer->started;
	pthread_cond_signal(&thermometer->changed);
	pthread_mutex_unlock(&thermometer->lock);
	if (mine)
		release(thermometer);
}
