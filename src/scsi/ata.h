/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The size that an ATA disk reports, and the one it could have: the commands that
 * ask for them, wrapped for SCSI, and their answers. None of them changes anything
 * on the disk. Asked through its sg node if that passes ATA commands (SATA, most USB
 * bridges).
 *
 * Sources: SAT-4 (ATA PASS-THROUGH (16), ATA status return), ACS-3 (IDENTIFY DEVICE, accessible
 * max address), ATA8-ACS (READ NATIVE MAX ADDRESS EXT, DEVICE CONFIGURATION IDENTIFY).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "scsi/commands.h"
#include "scsi/driver.h"

#define ATA_PAGE 512 /* bytes of an answer that is data */

enum ata_question {
	ATA_IDENTIFY,        /* data */
	ATA_NATIVE_MAX,      /* registers: with a host protected area */
	ATA_ACCESSIBLE_MAX,  /* registers: the same on newer disks */
	ATA_CONFIG_IDENTIFY, /* data: with a device configuration overlay */
};

void ata_cdb(enum ata_question question, struct scsi_cdb *ret);
/* The number of sectors from the registers in the sense data; 0: none. */
uint64_t ata_parse_max(const uint8_t *sense, size_t length);

struct ata_reach {
	uint64_t open;  /* accessible bytes; 0 unknown */
	uint64_t whole; /* bytes, including those hidden by its settings; 0 unknown */
};

/* Waits at most `timeout` ns. Any thread that may wait. */
void ata_reach_ask(const char *node, uint64_t timeout, struct ata_reach *ret);
/* The same with a descriptor of the node. */
void ata_reach_ask_by(const struct sg_driver *driver, int fd, uint64_t timeout,
		      struct ata_reach *ret);
