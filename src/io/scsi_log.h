/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a SCSI disk writes down about itself: log pages and the list of grown
 * defects, from bytes into struct health. No system calls.
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
/* Enough for the parameters that are wanted, and of an even length, as some adapters need. */
#define SCSI_LOG_MAX 252

void scsi_cdb_log_sense(uint8_t page, uint16_t allocation, struct scsi_cdb *ret);
/* The pages that are worth asking for, up to 0. */
extern const uint8_t scsi_log_pages[];
/* In the answer for page 0, the list of pages. */
bool scsi_log_lists(const uint8_t *data, size_t length, uint8_t page);
/* Takes what the answer for that page tells; what it does not tell stays as it was. */
void scsi_log_take(uint8_t page, const uint8_t *data, size_t length, struct health *ret);

/* The length of the list of grown defects: its header alone. */
#define SCSI_DEFECTS_HEADER 4
void scsi_cdb_grown_defects(struct scsi_cdb *ret);
void scsi_take_grown_defects(const uint8_t *data, size_t length, struct health *ret);

#define SCSI_INQUIRY_LENGTH 36
void scsi_cdb_inquiry(struct scsi_cdb *ret);
/* An ATA disk behind something that translates; its health is to be asked for in its own way. */
bool scsi_inquiry_is_ata(const uint8_t *data, size_t length);

#endif
