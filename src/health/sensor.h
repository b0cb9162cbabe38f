/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The temperature of a disk, from its hwmon file in sysfs. Reading that file sends a
 * command to the disk (drivetemp, NVMe) and may take as long as the disk does, so a
 * worker does it, and nobody waits.
 */
#pragma once

#include <stdbool.h>

struct sensor;

/* path: a "temp1_input"; the limit of the disk is looked for beside it. *ret is NULL without such a
 * file or memory: a copy can do without. */
void sensor_open(const char *path, struct sensor **ret);
/* Asks, unless an answer is pending. */
void sensor_ask(struct sensor *sensor);
/* Degrees Celsius of the last answer; false while there is none. */
bool sensor_read(struct sensor *sensor, int *ret);
/* The limit that the disk gives for itself: critical where it has one, else the highest it is made
 * for. 0: none is known, also before the first answer. NULL is fine. */
int sensor_hot(const struct sensor *sensor);
/* Abandons a pending question. NULL is fine. */
void sensor_close(struct sensor *sensor);
