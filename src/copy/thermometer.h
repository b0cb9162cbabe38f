/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The temperature of a disk by its file in sysfs (hwmon). To read that file is
 * a command to the disk (drivetemp, NVMe), and waits as long as the disk does:
 * a thread of its own reads, so that nobody else waits.
 */
#ifndef CLONEDECK_COPY_THERMOMETER_H
#define CLONEDECK_COPY_THERMOMETER_H

#include <stdbool.h>

struct thermometer;

/* "temp1_input"; *ret is NULL where there is no such file, or no memory: a copy can do without. */
void thermometer_open(const char *path, struct thermometer **ret);
/* Asks, unless an answer is outstanding. Never waits, like all that follow. */
void thermometer_ask(struct thermometer *thermometer);
/* Degrees Celsius as of the last answer; false while there is none. */
bool thermometer_read(struct thermometer *thermometer, int *ret);
/* What is outstanding is left to itself. NULL is fine. */
void thermometer_close(struct thermometer *thermometer);

#endif
