/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The temperature of a disk, from its hwmon file in sysfs. Reading that file sends a
 * command to the disk (drivetemp, NVMe) and may take as long as the disk does, so a
 * thread of its own does it.
 */
#ifndef CLONEDECK_HEALTH_SENSOR_H
#define CLONEDECK_HEALTH_SENSOR_H

#include <stdbool.h>

struct thermometer;

/* path: a "temp1_input". *ret is NULL without such a file or memory: a copy can do without. */
void thermometer_open(const char *path, struct thermometer **ret);
/* Asks, unless an answer is pending. Never waits, nor do the following. */
void thermometer_ask(struct thermometer *thermometer);
/* Degrees Celsius of the last answer; false while there is none. */
bool thermometer_read(struct thermometer *thermometer, int *ret);
/* Abandons a pending question. NULL is fine. */
void thermometer_close(struct thermometer *thermometer);

#endif
