/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scripted SCSI disk behind the table of the sg driver: it understands the
 * commands that the sg backend sends, keeps its blocks in memory, and answers
 * single commands with whatever a test wants. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scsi/driver.h"

#define SG_SCRIPT_RULES 16
#define SG_SCRIPT_PORTS 16
#define SG_SCRIPT_FD    1000 /* of the first port */

/* Fits commands that touch `lba` (any, if ANY_LBA) with operation code `op` (any, if 0). */
#define ANY_LBA UINT64_MAX
struct sg_script_rule {
	uint8_t op;
	uint64_t lba;
	unsigned skip;  /* commands that pass first */
	unsigned times; /* answers given so */
	uint8_t status;
	uint16_t host_status;
	uint8_t key, asc, ascq;
	bool deferred; /* the sense data is about an earlier command */
	bool has_info;
	uint64_t info;
	int resid;      /* bytes not transferred */
	int send_error; /* negative errno of send() itself */
	int run_error;  /* of run() */
};

struct sg_script {
	struct sg_driver driver; /* first: found again from the table */
	uint8_t *data;
	uint64_t blocks; /* reported; data wraps over `real_blocks` */
	uint64_t real_blocks;
	uint32_t block_size;
	uint8_t protection;
	bool no_long_lba; /* does not know the 16-byte commands */
	bool allow_direct;
	bool newest_first; /* completions come in reverse order */
	bool inside;       /* a command is done when send() returns; otherwise it takes a moment */
	bool gone;         /* detached: everything fails with ENODEV */
	bool no_dpo_fua;   /* does not know these bits */
	bool no_write_cache;
	uint32_t reserve_most; /* bytes that can be mapped */
	uint32_t buffer, echo; /* READ BUFFER: bytes of these; 0: not known */
	uint32_t memory;       /* bytes that can be copied by one command; 0: any */
	int version;
	/* ATA PASS-THROUGH: answers to the commands that it knows */
	const uint8_t *identify, *overlay; /* 512 bytes; NULL: aborted */
	const uint8_t *registers;          /* as sense data; NULL: aborted */
	size_t registers_length;
	struct sg_script_rule rules[SG_SCRIPT_RULES];
	unsigned rule_count;

	/* descriptors are numbered as they are opened */
	struct {
		bool open, busy;
		void *buffer; /* mapped */
	} ports[SG_SCRIPT_PORTS];
	struct {
		sg_io_hdr_t header;
		int fd;
	} pending[SG_SCRIPT_PORTS + SG_DRIVER_QUEUE];
	unsigned pending_count;
	bool just_sent;

	/* what was seen */
	unsigned reads, writes, synchronized, opened, most_queued, ata_commands;
	unsigned buffers_read;
	unsigned ran; /* from beginning to end */
	uint8_t last_op, last_cdb[32];
};

void sg_script_init(struct sg_script *script, uint64_t blocks, uint32_t block_size);
void sg_script_done(struct sg_script *script);
void sg_script_add(struct sg_script *script, const struct sg_script_rule *rule);
