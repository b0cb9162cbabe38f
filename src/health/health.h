/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The health that a disk reports (SMART), as plain data: the counters that tell
 * a technician whether a disk is about to fail. What a disk does not report is
 * unknown, never 0.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "discover/disk.h"

/* In the order in which they are shown. */
enum health_field {
	HEALTH_TEMPERATURE,   /* degrees Celsius */
	HEALTH_POWER_ON,      /* hours */
	HEALTH_REALLOCATED,   /* ATA attribute 5 */
	HEALTH_PENDING,       /* ATA attribute 197 */
	HEALTH_UNCORRECTABLE, /* ATA attribute 198 */
	HEALTH_CRC_ERRORS,    /* ATA attribute 199: the cable */
	HEALTH_GROWN_DEFECTS, /* SCSI */
	/* SCSI error counters: since the disk was made, or they were last cleared. */
	HEALTH_READ_CORRECTED,
	HEALTH_READ_UNCORRECTED,
	HEALTH_WRITE_CORRECTED,
	HEALTH_WRITE_UNCORRECTED,
	HEALTH_VERIFY_CORRECTED,
	HEALTH_VERIFY_UNCORRECTED,
	HEALTH_MEDIA_ERRORS, /* NVMe */
	HEALTH_WARNINGS,     /* NVMe: bits of the critical warning */
	HEALTH_SPARE,        /* NVMe: percent of the spare blocks that are left */
	HEALTH_USED,         /* NVMe, SCSI: percent of the rated endurance */
	HEALTH_FIELDS,
};

#define HEALTH_UNKNOWN INT64_MIN

struct health {
	int64_t time;         /* unix seconds when it was asked, 0: it was not */
	enum tristate passed; /* the disk's own overall verdict */
	int64_t values[HEALTH_FIELDS];
	char why[160]; /* a sentence: why nothing is known; "" when something is */
};

/* Nothing known; why may be NULL. */
void health_clear(struct health *health, const char *why);
/* Some value or the verdict is known. */
bool health_is_known(const struct health *health);
/* "reallocated_sectors": the member of the JSON. */
const char *health_field_name(enum health_field field);
/* "reallocated sectors": translated. */
const char *health_field_label(enum health_field field);
enum health_state {
	HEALTH_STATE_UNKNOWN,
	HEALTH_STATE_GOOD,
	HEALTH_STATE_WEAK,    /* sectors were moved, wait to be moved, or could not be read */
	HEALTH_STATE_FAILING, /* the disk says so itself */
};

/* All of it as one word. *retsectors: with WEAK, how many, by the largest of the counters that
 * overlap; else 0. A bad cable is not the disk's health. */
enum health_state health_judge(const struct health *health, int64_t *retsectors);
/* "%", " C", " h" or "". */
const char *health_field_unit(enum health_field field);

/* "passed, pending sectors 2, temperature 31 C, …": what is known, for people; first what speaks
 * against the disk. */
char *health_print(const struct health *health, char *to, size_t size);

/* Takes over what smartctl --json printed; hostile text is only data. Why it knows nothing is in
 * ret->why. */
void health_parse(const char *text, size_t length, struct health *ret);
