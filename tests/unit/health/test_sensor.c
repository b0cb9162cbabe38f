/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk that does not tell its temperature for long keeps nobody waiting. */
#include "unit.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "health/sensor.h"

#define TIMEOUT 10000 /* ms */

/* Whichever the C library makes of it. */
ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool held;
static unsigned waiting, answered;
static const char *answer;

ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset)
{
	size_t length;

	pthread_mutex_lock(&lock);
	waiting++;
	while (held)
		pthread_cond_wait(&changed, &lock);
	waiting--;
	answered++;
	length = strlen(answer);
	memcpy(buffer, answer, length);
	pthread_mutex_unlock(&lock);
	return (ssize_t)length;
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset)
{
	return __wrap_pread(fd, buffer, size, offset);
}

static unsigned count(const unsigned *of)
{
	unsigned n;

	pthread_mutex_lock(&lock);
	n = *of;
	pthread_mutex_unlock(&lock);
	return n;
}

static void until(const unsigned *of, unsigned n)
{
	for (unsigned i = 0; count(of) < n; i++) {
		ck_assert_uint_lt(i, TIMEOUT);
		usleep(1000);
	}
}

static void hold(bool on)
{
	pthread_mutex_lock(&lock);
	held = on;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static struct sensor *open_one(void)
{
	struct sensor *sensor;

	answer = "38500\n";
	answered = 0;
	sensor_open("/dev/null", &sensor);
	ck_assert_ptr_nonnull(sensor);
	return sensor;
}

UNIT_CASE(.timeout = 60);

TEST(an_answer_is_shown_when_it_came)
{
	struct sensor *sensor = open_one();
	int degrees;

	ck_assert(!sensor_read(sensor, &degrees));
	sensor_ask(sensor);
	for (unsigned i = 0; !sensor_read(sensor, &degrees); i++) {
		ck_assert_uint_lt(i, TIMEOUT);
		usleep(1000);
	}
	ck_assert_int_eq(degrees, 38);
	sensor_close(sensor);
}

TEST(nobody_waits_for_it)
{
	struct sensor *sensor = open_one();
	int degrees;

	hold(true);
	sensor_ask(sensor);
	until(&waiting, 1);
	sensor_ask(sensor);
	ck_assert(!sensor_read(sensor, &degrees));
	sensor_close(sensor);
	ck_assert_uint_eq(count(&answered), 0);
	hold(false);
	until(&answered, 1);
}

TEST_ROWS(what_makes_no_sense_is_unknown, 4)
{
	static const char *const texts[] = { "", "hot\n", "999999999\n", "-300000\n" };
	struct sensor *sensor = open_one();
	int degrees;

	answer = texts[_i];
	sensor_ask(sensor);
	until(&answered, 1);
	ck_assert(!sensor_read(sensor, &degrees));
	sensor_close(sensor);
}

TEST(there_may_be_none)
{
	struct sensor *sensor;

	sensor_open(NULL, &sensor);
	ck_assert_ptr_null(sensor);
	sensor_open("", &sensor);
	ck_assert_ptr_null(sensor);
	sensor_open("/nonexistent", &sensor);
	ck_assert_ptr_null(sensor);
	sensor_close(NULL);
	/* Never asked. */
	sensor_close(open_one());
}
