/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How large an ATA disk says it is, and how large it could be: the commands
 * that ask for it, wrapped up for SCSI, and what the answers mean. None of them
 * changes anything on the disk. No system calls.
 *
 * Sources: SAT-4 (ATA PASS-THROUGH (16), ATA status return), ACS-3 (IDENTIFY DEVICE, accessible
 * max address), ATA8-ACS (READ NATIVE MAX ADDRESS EXT, DEVICE CONFIGURATION IDENTIFY).
 */
#ifndef CLONEDECK_IO_ATA_H
#define CLONEDECK_IO_ATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/scsi.h"

#define ATA_PAGE 512 /* bytes of an answer that is data */

enum ata_question {
	ATA_IDENTIFY,        /* data */
	ATA_NATIVE_MAX,      /* registers: with a host protected area */
	ATA_ACCESSIBLE_MAX,  /* registers: the same on newer disks */
	ATA_CONFIG_IDENTIFY, /* data: with a device configuration overlay */
};

struct ata_identity {
	uint64_t sectors;     /* that it lets others reach */
	uint32_t sector_size; /* bytes, logical; of the ATA disk, whatever stands between */
	bool host_protected, accessible_max, overlay; /* it knows these feature sets */
};

void ata_cdb(enum ata_question question, struct scsi_cdb *ret);
/* -EPROTO: no ATA disk's answer, or one without 48-bit addresses. */
int ata_parse_identify(const uint8_t *data, size_t length, struct ata_identity *ret);
/* The number of sectors from the registers that came as sense data; 0: they tell none. */
uint64_t ata_parse_max(const uint8_t *sense, size_t length);
/* Likewise from the overlay's page. */
uint64_t ata_parse_config(const uint8_t *data, size_t length);

#endif
