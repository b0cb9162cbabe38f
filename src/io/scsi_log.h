/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log pages and the list of grown defects of a SCSI disk, parsed into struct
 * health. No system calls.
 *
 * Sources: SPC-5 (LOG SENSE, temperature, non-medium errors, informational exceptions, error
 * counters), SBC-4 (READ DEFECT DATA, background scan, solid state media).
 */
#ifndef CLONEDECK_IO_SCSI_LOG_H
#define CLONEDECK_IO_SCSI_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scsi.h"
#include "discover/health.h"

#define SCSI_LOG_TEMPERATURE 0x0d
/* Enough for the parameters needed, and even, as some adapters require. */
#define SCSI_LOG_MAX 252

void scsi_cdb_log_sense(uint8_t page, uint16_t allocation, struct scsi_cdb *ret);
/* The pages to ask for; ends with 0. */
extern const uint8_t scsi_log_pages[];
/* Does page 0, the list of pages, contain this page? */
bool scsi_log_lists(const uint8_t *data, size_t length, uint8_t page);
/* Parses the answer for that page; what it does not contain stays as it was. */
void scsi_log_take(uint8_t page, const uint8_t *data, size_t length, struct health *ret);

/* The length of the list of grown defects: its header alone. */
#define SCSI_DEFECTS_HEADER 4
void scsi_cdb_grown_defects(struct scsi_cdb *ret);
void scsi_take_grown_defects(const uint8_t *data, size_t length, struct health *ret);

#define SCSI_INQUIRY_LENGTH 36
void scsi_cdb_inquiry(struct scsi_cdb *ret);
/* Is it an ATA disk behind a translation layer, to be asked for its health in another way? */
bool scsi_inquiry_is_ata(const uint8_t *data, size_t length);

#endif
