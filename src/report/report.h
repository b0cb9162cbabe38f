/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report: what was done, in full, as plain data; rendered as text (the last
 * screen, standard output), as JSON (data/schema/report.schema.json) and as a
 * certificate, a page to print and sign. It holds only what was measured or
 * recorded; unknown is null or "unknown".
 */
#pragma once

#include "after/after.h"
#include "base/error.h"
#include "base/units.h"
#include "boot/boot.h"
#include "boot/entries.h"
#include "job/snapshot.h"
#include "guard/rules.h"
#include "health/health.h"
#include "plan/identifiers.h"
#include "plan/plan.h"

struct file_timeout;

#define REPORT_MAP_CELLS  240
#define REPORT_WHEN_MAX   64
#define REPORT_PERSON_MAX 128
#define REPORT_HURT_MAX   24
#define REPORT_STEPS_MAX  12
#define REPORT_STEP_MAX   640
#define REPORT_BOOTS_MAX  8
/* The end of the name of the list of digests beside a report. */
#define REPORT_LIST_ENDING ".digests"

/* For an end that is a disk, beyond what the endpoint says; "" where unknown. */
struct report_disk {
	char transport[16];
	char hctl[32], bsg[64], nvme_generic[64];
	char path[128];  /* where it is attached: "pci-0000:00:17.0-ata-3" */
	char by_id[192]; /* a stable link */
	enum tristate rotational;
	struct health before, after;
};

enum report_hurt_kind {
	REPORT_HURT_MBR,        /* the first sector, or a table of logical partitions */
	REPORT_HURT_GPT,        /* header and entries at the start */
	REPORT_HURT_GPT_BACKUP, /* at the end */
	REPORT_HURT_FS,         /* a superblock, or what a file system or member has in its place */
};

/* Something without which other data cannot be found, and that is missing or incomplete on the
 * destination. */
struct report_hurt {
	enum report_hurt_kind kind;
	unsigned partition;    /* of the source; 0: the disk as a whole */
	uint64_t lba, sectors; /* the first that are missing, of the source, plan->sector_size */
	bool refused;          /* by the destination; otherwise the source could not be read */
	char fs[32];           /* libblkid's TYPE; of a table its own: "gpt", "dos", "?" */
};

/* Where the files of a copy are; "": there is none. */
struct report_files {
	char log[512], map[512], json[512], certificate[512], digests[512];
	char checksums[512]; /* the stem of their lists */
	/* SHA-256 of the certificate as it was saved last, in hexadecimal digits. */
	char certificate_sum[65];
};

struct report {
	const struct plan *plan; /* borrowed */
	char plan_id[9];         /* "": plan_id(plan); a masked plan has the one of the real one */
	struct report_disk source, destination;
	/* Who could write to the source while it was copied, a phrase, translated; "" nobody that
	 * was seen. */
	char source_writer[PLAN_WRITER_MAX];
	/* Whom it is for; "" not told. */
	char operator_name[REPORT_PERSON_MAX], ticket[REPORT_PERSON_MAX];
	bool mask_serials;       /* every form shows but the end of serial numbers and WWNs */
	struct job_snapshot job; /* its last one */
	struct rates rates;
	char map_cells[REPORT_MAP_CELLS + 1]; /* map_cells() over the source's node; "" unknown */
	struct job_event *events;             /* owned */
	size_t event_count;
	struct verdict_list verdicts; /* owned: those that warned or were lifted */
	struct report_files files;
	bool file_missing; /* one that was asked for could not be saved */
	bool log_dir_in_memory;
	bool map_lost; /* a stopped copy cannot be resumed: its map is nowhere */
	char host[128], kernel[128], version[64];
	struct report_hurt hurt[REPORT_HURT_MAX];
	size_t hurt_count;
	struct grown_fs grown_fs;
	struct boot_look boot; /* of the copy of a whole disk */
	bool boot_entries_known;
	struct boot_entry boot_entries[REPORT_BOOTS_MAX]; /* that name the source */
	size_t boot_entry_count;
	struct identifiers identifiers; /* that it shares with the source, or did */
	bool after_asked;
	struct after_steps after; /* what was done to the complete copy */
	/* What to do next, sentences: first all that the copy does not work without, in order. */
	char next[REPORT_STEPS_MAX][REPORT_STEP_MAX];
	size_t next_count;
};

void report_done(struct report *report);
/* With lists of its own; the plan stays borrowed. -ENOMEM; then, too, report_done(). */
int report_copy(const struct report *from, struct report *ret);
const char *report_plan_id(const struct report *report, char buffer[static 9]);
#define REPORT_PLAN_ID(report) report_plan_id((report), (char[9]){ "" })
enum exit_code report_exit_code(const struct report *report);
/* How the program ends: the same, but never 0 if something that was to be done to the complete copy
 * was not, or if a file is missing that was asked for. */
enum exit_code report_end_code(const struct report *report);
bool report_after_failed(const struct report *report);
/* Did the copy get new identifiers, or a larger file system, after it was verified? In a report
 * that was saved: report_was_changed(). */
bool report_changed_after(const struct report *report);
/* "COMPLETE", "PARTIAL", "UNCERTAIN" (of a source in use, or not all verified), "MISMATCH",
 * "STOPPED", "FAILED": as in the JSON; marked, so whoever shows it to people translates it. */
const char *report_result_word(const struct report *report);
/* The same for a verification: "VERIFIED" in place of "COMPLETE". */
const char *report_verify_word(const struct report *report);
/* "VERIFIED - what was compared is the same, byte for byte": translated. */
const char *report_verify_line(const struct report *report, char *buffer, size_t size);
/* "PARTIAL - 1 area of the source could not be read": translated. */
const char *report_result_line(const struct report *report, char *buffer, size_t size);
/* Why it ended so, a sentence, translated; "" where the line above says it all. */
const char *report_reason(const struct report *report);
/* The first table at the start of the disk that is hurt; NULL: none is. */
const struct report_hurt *report_lost_table(const struct report *report);
const char *report_hurt_words(const struct report_hurt *hurt, char *buffer, size_t size);
/* Bad areas of the source beyond the first `count` of job.bad. Those that the destination refused
 * are in that list, too, but are no areas of the map. */
unsigned long report_bad_areas_beyond(const struct report *report, size_t count);
/* Why an area is bad. */
const char *report_bad_area_words(const struct job_bad_area *bad, char *buffer, size_t size);

/* What tells an end from others: node, model and serial number, or the path. */
const char *report_end_name(const struct endpoint *endpoint, char *buffer, size_t size);
/* The path of the list of this checksum, in sha256sum's format; false: there is none. */
bool report_sum_path(const struct report *report, enum checksum_algorithm algorithm, char *buffer,
		     size_t size);
/* Writes those lists, as file_replace() does. */
int report_save_sums(const struct report *report, struct file_timeout *timeout,
		     struct error *reterr);

/* Local time with its zone: "2026-09-21 14:12:20 +0200 (CEST)", "-" for none (0) and for what no
 * calendar has; returns buffer. */
const char *report_when(int64_t unix_seconds, char buffer[static REPORT_WHEN_MAX]);
/* Short ones in tenths of a second, "2.9 s"; long ones as a clock shows them, "1:33:45". */
const char *report_duration(uint64_t ns, char buffer[static UNITS_TEXT_MAX]);
/* Three digits that count, and none of them lost beyond a second: "0.127", "12,346". */
const char *report_milliseconds(uint64_t ns, char buffer[static UNITS_TEXT_MAX]);
/* The same for one argument of a call. */
#define REPORT_WHEN(seconds)    report_when((seconds), (char[REPORT_WHEN_MAX]){ "" })
#define REPORT_DURATION(ns)     report_duration((ns), (char[UNITS_TEXT_MAX]){ "" })
#define REPORT_MILLISECONDS(ns) report_milliseconds((ns), (char[UNITS_TEXT_MAX]){ "" })

enum report_extent {
	REPORT_SHORT,
	REPORT_FULL,     /* with everything in the JSON: every range, node, measurement and event */
	REPORT_PROVEN,   /* only what was proven, and what differs */
	REPORT_COMPARED, /* of two ends that were only compared: the result, both ends, and that */
};
/* Plain text, at most `columns` wide (40 at least); lines end in \n; malloc'd into *ret. */
int report_text(const struct report *report, enum report_extent extent, int columns, char **ret,
		struct error *reterr);
/* The list of digests as named by a saved report. */
struct report_reference {
	char plan_id[9];
	char list[512]; /* beside the report, by either's name, or else where it was */
};
/* -EINVAL with a sentence for anything that is no report, or has no list; -ENOENT where that is
 * gone. */
int report_reference(const char *path, struct report_reference *ret, struct error *reterr);
/* A saved report says that something was changed on the copy after it was verified. */
bool report_was_changed(const char *path);
/* JSON text, malloc'd. */
int report_json(const struct report *report, char **ret, struct error *reterr);
/* The certificate: HTML in UTF-8 that needs nothing else, no script and no other file; malloc'd. */
int report_html(const struct report *report, char **ret, struct error *reterr);

enum report_form { REPORT_JSON, REPORT_TEXT, REPORT_HTML };
/* Writes one form, as file_replace() does; of a certificate, files.certificate_sum follows. */
int report_save(struct report *report, enum report_form form, const char *path,
		struct file_timeout *timeout, struct error *reterr);
