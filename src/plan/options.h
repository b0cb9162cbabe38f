/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may be asked of a copy: the options as plain data, and one table that
 * knows them by name for the command line, map files, JSON and the deck. 0 is
 * what nobody has to ask for: chosen by the core, no limit, or no; front ends
 * begin with other values for two of them (PLAN_OPTIONS_DEFAULT).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "discover/endpoint.h"

/* Which backend moves the bytes of one end; AUTO: what suits the disk and its driver. */
enum backend_choice {
	BACKEND_AUTO,
	BACKEND_URING,
	BACKEND_THREADS,
	BACKEND_SG,
	BACKEND_BUFFERED,
	BACKEND_IMAGE,
	BACKEND_NULL,
};

/* How data travels between our memory and the sg driver. */
enum sg_data {
	SG_DATA_DIRECT,   /* straight, where the driver allows it (allow_dio); it says if not */
	SG_DATA_MMAP,     /* through buffers of the driver that are mapped here */
	SG_DATA_INDIRECT, /* copied by the driver */
};

/* Whether the destination is asked for its real size before the copy. */
enum probe_choice {
	PROBE_AUTO, /* where false sizes are sold: USB, cards, removable media */
	PROBE_YES,
	PROBE_NO,
};

enum on_error { ON_ERROR_STOP, ON_ERROR_MAP };

/* What happens to the partition table of a whole disk. */
enum table_choice {
	TABLE_KEEP, /* it is copied as it is */
	TABLE_FIT,  /* the destination gets one that fits its size */
	TABLE_GPT,  /* and that is a GPT, whatever the source has */
};

#define GROW_NO   0U
#define GROW_LAST UINT32_MAX
/* Only for asking what could be offered; in a plan it has a number. */
#define GROW_LARGEST (UINT32_MAX - 1)

/* Where a partition is to be on the destination, and how large: bytes, 0 as it is, or as near to
 * that as there is room. */
struct plan_place {
	uint64_t number, size, start;
};

#define PLAN_PLACES_MAX 8

/* What the destination gets in place of sectors that cannot be read. */
enum fill {
	FILL_ZERO,
	FILL_MARK,  /* a text that names the LBA */
	FILL_LEAVE, /* nothing: it keeps what was there */
};

/* What becomes of the free places of the source that are not copied, on the destination. */
enum free_choice {
	FREE_ZERO,    /* zeros, which are read back */
	FREE_DISCARD, /* the disk may forget them: nobody knows what it returns for them then */
	FREE_LEAVE,   /* nothing: what was there stays */
};

/* How the copy is proven. */
enum verify_choice {
	VERIFY_DIGEST,  /* read back, compared with digests taken as the source was read */
	VERIFY_ROLLING, /* the same, and what is flushed already while the rest is copied */
	VERIFY_AFTER,   /* the same, and not before all is copied */
	VERIFY_COMPARE, /* both ends read and compared byte for byte, once all is flushed */
	VERIFY_OFF,
};

/* Identifiers of the copy: those of the source, or new ones once it is complete. */
enum identities_choice {
	IDENTITIES_KEEP,
	IDENTITIES_NEW,
	IDENTITIES_REWRITE, /* new, and its files that name the old ones are changed */
};

/* What the source is (plan/preset.h). */
enum preset { PRESET_HEALTHY, PRESET_FAILING, PRESET_FORENSIC, PRESETS };

/*
 * The sums of a whole source that can be asked for, one for each program that
 * checks them: sha256sum, sha512sum, b2sum, sha1sum, md5sum, xxh128sum. A set of
 * them is a bit each.
 */
enum checksum_algorithm {
	CHECKSUM_SHA256,
	CHECKSUM_SHA512,
	CHECKSUM_BLAKE2B,
	CHECKSUM_SHA1,
	CHECKSUM_MD5,
	CHECKSUM_XXH3,
	CHECKSUM_ALGORITHMS,
};

#define CHECKSUMS_TEXT_MAX 64

/* "sha256": in options, in JSON, and what a list of such sums ends with. */
const char *checksum_name(enum checksum_algorithm algorithm);
/* "SHA-256": as its standard writes it. */
const char *checksum_title(enum checksum_algorithm algorithm);
/* "sha256,md5", or "none": nothing. -EINVAL for anything else. */
int checksums_parse(const char *text, unsigned *ret);
/* The text of which checksums_parse() makes `sums`; at most CHECKSUMS_TEXT_MAX bytes. */
const char *checksums_print(unsigned sums, char buffer[static CHECKSUMS_TEXT_MAX]);

/* Limits of what can be asked for beside 0, which means "choose". */
#define PLAN_CHUNK_MIN 512U
#define PLAN_CHUNK_MAX (8U << 20)
#define PLAN_DEPTH_MAX 256U
#define PLAN_LANES_MAX 32U
/* A cable that hiccups once should not end a copy of hours. */
#define PLAN_RETRIES_DEFAULT 3U
/* The initial values of front ends. All zero would stop at the first unreadable sector. */
#define PLAN_OPTIONS_DEFAULT                                                                       \
	((struct plan_options){ .retries = PLAN_RETRIES_DEFAULT, .on_error = ON_ERROR_MAP })

struct plan_options {
	enum preset preset;
	uint32_t chunk;       /* bytes, a multiple of both logical sectors; 0: what suits both */
	uint32_t queue_depth; /* requests in flight at either end; 0: what suits each */
	uint32_t lanes;       /* 0: by the backends and the number of processors */
	enum backend_choice source_backend;
	enum backend_choice destination_backend;
	enum sg_data sg_data;         /* of the ends that go through sg */
	bool sg_fua;                  /* every write is on the medium before it is reported done */
	bool sg_dpo;                  /* the disk's cache may forget what was transferred */
	uint64_t rate;                /* bytes per second, 0: no limit */
	enum on_error on_error;       /* of reads */
	enum on_error on_write_error; /* of the destination */
	enum fill fill;               /* with ON_ERROR_MAP */
	/* How often a failed request is tried again at once. A read that failed for the medium's
	 * sake is not where ON_ERROR_MAP is set: passes of their own come back to it. */
	unsigned retries;
	unsigned retry_passes; /* over what is bad in the end, forwards and backwards in turn */
	uint32_t slow_limit;   /* seconds: what takes longer is treated as damage; 0: no limit */
	/* Reasons to stop; 0: none. */
	uint64_t max_bad_areas;   /* more than these */
	uint64_t max_read_errors; /* more than these */
	uint64_t max_error_rate;  /* bytes per second that fail, more than these */
	uint32_t max_no_read;     /* seconds without a good read */
	enum probe_choice probe;
	bool arm_at_once; /* copy tables and superblocks in their turn, not last (held.h) */
	enum verify_choice verify;
	enum identities_choice identities;
	unsigned checksums; /* of the whole source: a bit each of enum checksum_algorithm */
	enum free_choice free;
	enum table_choice table;
	uint32_t grow; /* the partition that gets the room behind it: its number, or GROW_ */
	struct plan_place
		places[PLAN_PLACES_MAX]; /* that were asked for; the first number 0 ends them */
	bool grow_fs; /* and its file system with it, when the copy is complete */
	bool rewrite; /* what the proof finds wrong is copied once more, and proven again */
};

/* With digests, whenever they are read back. */
static inline bool verifies_digests(enum verify_choice verify)
{
	return verify == VERIFY_DIGEST || verify == VERIFY_ROLLING || verify == VERIFY_AFTER;
}

/* A read of the source that is not needed for the copy may be its last: there is none, and what
 * is needed is read with as few failures as possible. */
static inline bool plan_spares_source(const struct plan_options *options)
{
	return options->preset == PRESET_FAILING;
}

/* Does the copy get a table of its own, made to fit the destination or as a GPT? */
static inline bool plan_options_make_table(const struct plan_options *options)
{
	return options->table != TABLE_KEEP || options->grow || options->places[0].number;
}

/* -EINVAL with what is wrong and what is allowed. Whoever makes a plan asks it. */
int plan_options_check(const struct plan_options *options, const struct endpoint *source,
		       const struct endpoint *destination, struct error *reterr);

enum plan_option {
	PLAN_OPTION_CHUNK,
	PLAN_OPTION_QUEUE_DEPTH,
	PLAN_OPTION_LANES,
	PLAN_OPTION_SOURCE_BACKEND,
	PLAN_OPTION_DESTINATION_BACKEND,
	PLAN_OPTION_SG_IO,
	PLAN_OPTION_SG_FUA,
	PLAN_OPTION_SG_DPO,
	PLAN_OPTION_RATE,
	PLAN_OPTION_ON_ERROR,
	PLAN_OPTION_RETRIES,
	PLAN_OPTION_ON_WRITE_ERROR,
	PLAN_OPTION_FILL,
	PLAN_OPTION_RETRY_PASSES,
	PLAN_OPTION_SLOW_LIMIT,
	PLAN_OPTION_MAX_BAD_AREAS,
	PLAN_OPTION_MAX_READ_ERRORS,
	PLAN_OPTION_MAX_ERROR_RATE,
	PLAN_OPTION_MAX_NO_READ,
	PLAN_OPTION_ARM_LAST,
	PLAN_OPTION_PROBE,
	PLAN_OPTION_VERIFY,
	PLAN_OPTION_IDENTITIES,
	PLAN_OPTION_REWRITE,
	PLAN_OPTION_DIGEST,
	PLAN_OPTION_FREE,
	PLAN_OPTION_TABLE,
	PLAN_OPTION_GROW,
	PLAN_OPTION_LAYOUT,
	PLAN_OPTION_GROW_FS,
	PLAN_OPTION_PRESET,
	PLAN_OPTIONS,
};

enum plan_option_type {
	PLAN_WORD,
	PLAN_SWITCH, /* on or off */
	PLAN_NUMBER,
	PLAN_BYTES,
	PLAN_CHECKSUMS,
	PLAN_PARTITION, /* a number, "none" or "last" */
	PLAN_PLACES,    /* as plan_places_print() has them, or "none" */
};

#define PLAN_OPTION_TEXT_MAX 512

/* "retry-passes" on the command line, "retry_passes" in maps and JSON. */
const char *plan_option_name(enum plan_option option);
const char *plan_option_key(enum plan_option option, char buffer[static PLAN_OPTION_TEXT_MAX]);
/* The option of either name; -ENOENT. */
int plan_option_find(const char *name);
enum plan_option_type plan_option_type(enum plan_option option);
/* For numbers and bytes: the name of 0, "auto" or "none"; NULL: 0 is an ordinary number. */
const char *plan_option_zero(enum plan_option option);
/* For words and switches: what plan_option_set() accepts; ends with NULL. The value of a word is
 * its index. */
const char *const *plan_option_words(enum plan_option option);
/* The stored value; for a switch, whether it is on. */
uint64_t plan_option_value(const struct plan_options *options, enum plan_option option);
void plan_option_put(struct plan_options *options, enum plan_option option, uint64_t value);
/* -EINVAL: no such value. */
int plan_option_set(struct plan_options *options, enum plan_option option, const char *value);
/* What set() takes. */
const char *plan_option_print(const struct plan_options *options, enum plan_option option,
			      char buffer[static PLAN_OPTION_TEXT_MAX]);
/* The possible values, "stop or map", "a whole number from 0 to 1000": translated. */
const char *plan_option_values(enum plan_option option, char *buffer, size_t size);
/* NULL: nothing was asked for this partition. */
const struct plan_place *plan_place_find(const struct plan_options *options, uint64_t number);
/* Those with a bit in `given` are taken from `from`. */
void plan_options_merge(struct plan_options *options, const struct plan_options *from,
			unsigned given);
