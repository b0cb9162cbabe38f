/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The error object: what was done, to which device, where, and why it failed,
 * in one sentence a technician can act on.
 *
 * Convention of the whole program: a fallible function returns 0 or a negative
 * errno; its last argument `struct error *reterr` may be NULL, is left alone
 * on success and filled on failure. The core never prints and never exits.
 *
 * Plain data, owns nothing; copy it freely. Not shared between threads without
 * the owner's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How the program ends; the contract with scripts. */
enum exit_code {
	EXIT_COMPLETE = 0,           /* complete, flushed, and verified as asked */
	EXIT_USAGE = 1,              /* the command line is wrong */
	EXIT_ENVIRONMENT = 2,        /* no root, no such device, no memory */
	EXIT_REFUSED = 3,            /* a guard refused */
	EXIT_BAD_AREAS = 4,          /* but for recorded bad areas, or of a source in use */
	EXIT_MISMATCH = 5,           /* verify found a difference */
	EXIT_STOPPED = 6,            /* stopped, resumable */
	EXIT_DESTINATION_FAILED = 7, /* the destination could not be written */
	EXIT_INTERNAL = 8,           /* a defect of this program */
};

enum error_class {
	ERROR_CLASS_NONE,
	ERROR_CLASS_USAGE,
	ERROR_CLASS_ENVIRONMENT,
	ERROR_CLASS_REFUSED,
	ERROR_CLASS_SOURCE,      /* reading the source failed */
	ERROR_CLASS_DESTINATION, /* writing or flushing the destination failed */
	ERROR_CLASS_INTERNAL,
};

/* SCSI sense data in short form (SPC-4, 4.5); valid only where known is set. */
struct sense {
	bool known;
	uint8_t key, asc, ascq;
	bool has_lba;  /* the INFORMATION field was valid */
	uint64_t lba;  /* logical blocks of the device */
	bool deferred; /* about an earlier command, which had been reported good */
};

struct error {
	int code; /* negative errno, 0: no error */
	enum error_class class;
	char operation[24]; /* "read", "write", "flush", "open", … untranslated */
	char device[64];    /* node or file name, printable */
	bool has_lba;       /* lba and sectors are valid */
	uint64_t lba;       /* of the device, in its logical sectors */
	uint64_t sectors;
	struct sense sense;
	char sentence[1024]; /* translated, complete, printable, no line break */
};

/* Fills *reterr (when not NULL) and returns code, so that callers can write
 * `return error_set(…)`. code must be negative. The text is sanitised. */
int error_set(struct error *reterr, enum error_class class, int code, const char *operation,
	      const char *device, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The same with the place on the device. */
int error_set_at(struct error *reterr, enum error_class class, int code, const char *operation,
		 const char *device, uint64_t lba, uint64_t sectors, const char *format, ...)
	__attribute__((format(printf, 8, 9)));

/* -ENOMEM with its sentence. */
int error_nomem(struct error *reterr);

/* A short translated phrase for an errno value as a technician would say it
 * ("medium or transport error" for EIO, "device is gone" for ENODEV, …);
 * falls back to strerror. code may be negative or positive. */
const char *error_phrase(int code);

/* The exit code that a failure of this kind ends in: a source that cannot be read stops
 * the copy (resumable). EXIT_COMPLETE only for code 0. */
enum exit_code error_exit_code(const struct error *error);
