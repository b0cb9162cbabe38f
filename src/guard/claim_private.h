/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a claim; for claim.c and claim_check.c alone. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "guard/claim.h"
#include "guard/facts.h"

struct claim {
	struct endpoint endpoint;
	enum claim_role role;
	int fd;
	int lock_fd; /* whole-disk node of a claimed partition, else -1 */
	int file_fd; /* of a claimed loop device, else -1 */
	int sg_fd;   /* -1 unless the plan goes through sg here */
	bool direct;
	bool past_cache;  /* the data go by SCSI commands */
	bool created;     /* this claim made the image file */
	struct stat file; /* of an image */
	struct guard_place place;
	struct resets *resets; /* NULL: the kernel would not tell */
};

static inline bool claim_is_device(const struct claim *claim)
{
	return claim->endpoint.kind != ENDPOINT_IMAGE;
}

/* Is what `fd` stands for the very file, or the device, that was chosen? */
bool claim_is_as_chosen(const struct claim *claim, int fd, const struct stat *st);
/* It is not what was chosen any more: -ESTALE. */
int claim_stale(const struct claim *claim, const char *operation, struct error *reterr);
/* Why it could not be opened, in a sentence; returns the code. */
int claim_explain_open(const struct claim *claim, int code, struct error *reterr);
/* The directory of the SCSI device behind a device number; class: "block" or "char". */
int claim_scsi_device(const char *class, dev_t devno, char ret[static PATH_MAX]);
