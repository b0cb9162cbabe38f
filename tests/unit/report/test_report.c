/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report's words, exit codes, text within its columns. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/facts.h"
#include "report/parts.h"
#include "report/sample.h"

static char line[512];

#define RESULT_LINE() report_result_line(&sample.report, line, sizeof(line))

static void take(struct fact_sink *to, const char *name, const char *text)
{
	text_copy(line, sizeof(line), text);
}

static const char *said(fact_words *words)
{
	struct fact_sink to = { .put = take };

	line[0] = '\0';
	words(&sample.report, &to);
	return line;
}

static char *html_of(const struct report *report)
{
	char *html = NULL;

	ck_assert_int_eq(report_html(report, &html, NULL), 0);
	return html;
}

static void check_part(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "%s in: %s", part, text);
}

SAMPLE_CASE;

TEST(words_and_exit_codes)
{
	static const struct {
		enum job_result result;
		bool flushed;
		enum error_class class;
		unsigned bad;
		enum exit_code code;
		const char *word;
	} cases[] = {
		{ JOB_RESULT_COMPLETE, true, ERROR_CLASS_NONE, 0, EXIT_COMPLETE, "COMPLETE" },
		{ JOB_RESULT_COMPLETE, true, ERROR_CLASS_NONE, 1, EXIT_BAD_AREAS, "PARTIAL" },
		{ JOB_RESULT_COMPLETE, false, ERROR_CLASS_NONE, 0, EXIT_DESTINATION_FAILED,
		  "FAILED" },
		{ JOB_RESULT_PARTIAL, true, ERROR_CLASS_NONE, 2, EXIT_BAD_AREAS, "PARTIAL" },
		{ JOB_RESULT_PARTIAL, false, ERROR_CLASS_NONE, 2, EXIT_DESTINATION_FAILED,
		  "FAILED" },
		{ JOB_RESULT_STOPPED, true, ERROR_CLASS_NONE, 0, EXIT_STOPPED, "STOPPED" },
		{ JOB_RESULT_FAILED, false, ERROR_CLASS_DESTINATION, 0, EXIT_DESTINATION_FAILED,
		  "FAILED" },
		{ JOB_RESULT_FAILED, false, ERROR_CLASS_SOURCE, 0, EXIT_STOPPED, "STOPPED" },
		{ JOB_RESULT_FAILED, false, ERROR_CLASS_REFUSED, 0, EXIT_REFUSED, "FAILED" },
		{ JOB_RESULT_FAILED, false, ERROR_CLASS_NONE, 0, EXIT_INTERNAL, "FAILED" },
		{ JOB_RESULT_NONE, false, ERROR_CLASS_NONE, 0, EXIT_INTERNAL, "FAILED" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		sample_done(&sample);
		sample_init(&sample);
		sample.report.job.result = cases[i].result;
		sample.report.job.flushed = cases[i].flushed;
		sample.report.job.bad_areas = cases[i].bad;
		if (cases[i].class != ERROR_CLASS_NONE)
			error_set(&sample.report.job.error, cases[i].class, -EIO, "write",
				  "/dev/sdb", "x");
		ck_assert_int_eq(report_exit_code(&sample.report), cases[i].code);
		ck_assert_str_eq(report_result_word(&sample.report), cases[i].word);
		RESULT_LINE();
		ck_assert_int_eq(strncmp(line, cases[i].word, strlen(cases[i].word)), 0);
	}
}

/* The copy is complete, and who asked for more learns that it was not done. */
TEST(a_file_system_that_could_not_be_grown_is_no_plain_success)
{
	ck_assert_int_eq(report_end_code(&sample.report), EXIT_COMPLETE);
	sample.report.grown_fs.state = GROWN_FS_DONE;
	ck_assert_int_eq(report_end_code(&sample.report), EXIT_COMPLETE);
	sample.report.grown_fs.state = GROWN_FS_FAILED;
	ck_assert_int_eq(report_end_code(&sample.report), EXIT_BAD_AREAS);
	sample.report.grown_fs.state = GROWN_FS_HANGS;
	ck_assert_int_eq(report_end_code(&sample.report), EXIT_BAD_AREAS);
	ck_assert_str_eq(report_result_word(&sample.report), "COMPLETE");
}

TEST(a_file_that_was_asked_for_and_is_missing_is_no_plain_success)
{
	sample.report.file_missing = true;
	ck_assert_int_eq(report_end_code(&sample.report), EXIT_BAD_AREAS);
	ck_assert_str_eq(report_result_word(&sample.report), "COMPLETE");
	sample.report.job.result = JOB_RESULT_STOPPED;
	ck_assert_int_eq(report_end_code(&sample.report), EXIT_STOPPED);
}

/* Of a copy that goes on after it: that is what is told, and not that something is unknown. */
TEST(what_the_destination_refused_is_no_failure_of_the_rest)
{
	sample.report.job.result = JOB_RESULT_PARTIAL;
	sample.report.job.flushed = true;
	sample.report.job.error = (struct error){ 0 };
	sample.report.job.written -= 8192;
	sample.report.job.refused_bytes = 8192;
	sample.report.job.bad_areas = 0;
	sample.report.job.bad_shown = 1;
	sample.report.job.bad[0] =
		(struct job_bad_area){ .lba = 9000, .sectors = 16, .write = true };
	sample.report.job.proof.asked = true;
	sample.report.job.proof.complete = false;
	sample.report.job.proof.verified = sample.report.job.written;
	ck_assert_int_eq(report_exit_code(&sample.report), EXIT_BAD_AREAS);
	ck_assert_str_eq(report_reason(&sample.report), "");
	ck_assert_str_eq(RESULT_LINE(),
			 "PARTIAL - 8,192 bytes could not be written to the destination");
	/* It is in the list before what could not be read, and may fill it. */
	sample.report.job.bad_areas = 3;
	ck_assert_uint_eq(report_bad_areas_beyond(&sample.report, 1), 3);
	sample.report.job.bad_shown = 2;
	sample.report.job.bad[1] = (struct job_bad_area){ .lba = 20, .sectors = 1 };
	ck_assert_uint_eq(report_bad_areas_beyond(&sample.report, 2), 2);
	ck_assert_uint_eq(report_bad_areas_beyond(&sample.report, 64), 2);
	/* Less than was written is not enough. */
	sample.report.job.proof.verified -= 512;
	ck_assert_int_eq(report_exit_code(&sample.report), EXIT_DESTINATION_FAILED);
}

TEST(the_result_in_a_line)
{
	check_part(RESULT_LINE(), "not verified");
	sample_add_bad(&sample);
	check_part(RESULT_LINE(), "1 area of");
	sample.report.job.bad_areas = 3;
	check_part(RESULT_LINE(), "3 areas of");
}

TEST(text_names_what_matters)
{

	sample_add_bad(&sample);
	check_parts(text_of(&sample.report, 120), "/dev/sda", "S/N ZFL1A2B3", "S/N WX12D3456789",
		    "LBA 1000 +8", "3/11/00", "partition 3",
		    "next     Move the backup GPT of /dev/sdb.", "/var/log/clonedeck/x.map",
		    "not read back", NULL);
}

/* The destination is twice as large: nobody shall take all of it for proven. */
TEST(what_the_copy_does_not_reach_is_told)
{
	check_parts(text_of(&sample.report, 200),
		    "2,000,398,934,016 B of the destination, from LBA "
		    "3907029168 to its end: neither written nor verified",
		    NULL);
	sample.plan->destinations[0].logical_sector_size = 4096;
	check_part(said(report_left_alone), "from LBA 488378646 to");
	sample.plan->extents[0].destination_lba = 8;
	check_part(said(report_left_alone), "outside of what was copied");
	sample.plan->extents[0].destination_lba = 0;
	sample.plan->destinations[0].size = SAMPLE_SIZE;
	ck_assert_str_eq(said(report_left_alone), "");
}

/* Old data of an earlier owner is somebody's data. */
TEST(free_places_are_told)
{
	struct job_free *f = &sample.report.job.free;
	struct free_places places = { 0 };
	struct plan *plan;

	ck_assert_str_eq(said(report_free), "");
	ck_assert_int_eq(range_list_add(&places.left_out, (struct range){ 4096, 2048 }), 0);
	ck_assert_int_eq(plan_new(&sample.plan->source, &sample.plan->destinations[0], NULL, NULL,
				  &places, NULL, &plan, NULL),
			 0);
	plan_destroy(sample.plan);
	sample.report.plan = sample.plan = plan;
	*f = (struct job_free){ .bytes = 1 << 20, .areas = 1 };
	check_part(said(report_free), "1,048,576 B of the source, in 1 free place, were neither");
	check_part(said(report_free_now), "0 B are zeroed on the destination; the rest");
	f->cleared = f->bytes;
	check_part(said(report_free_now), "not read back");
	f->checked = true;
	f->checked_bytes = 65536;
	check_part(said(report_free_now), "a sample of 65,536 B read back");
	f->checked_bytes = f->bytes;
	check_part(said(report_free_now), "all of it read back");
	f->wrong_bytes = 512;
	check_part(said(report_free_now), "does not keep zeros there: 512 B");
	plan->options.free = FREE_DISCARD;
	check_part(said(report_free_now), "what it returns for them is not known");
	f->cleared = 0;
	f->cannot = true;
	check_part(said(report_free_now), "cannot discard: all but 0 B");
	plan->options.free = FREE_LEAVE;
	check_part(said(report_free_now), "earlier owner");
	free_places_done(&places);
}

TEST(why_it_was_not_armed_is_told)
{
	struct job_snapshot *job = &sample.report.job;

	job->held_areas = 0;
	ck_assert_str_eq(said(report_armed), "");
	job->held_areas = 5;
	job->armed = false;
	job->proof.areas = 0;
	check_part(said(report_armed), "the copy is not finished");
	job->proof.areas = 1;
	check_part(said(report_armed), "the destination differs");
	job->proof.changed = 1;
	check_part(said(report_armed), "the source changed, so");
	job->armed = true;
	said(report_armed);
	ck_assert_int_eq(strncmp(line, "yes, 5 areas", 12), 0);
}

/* What was seen, and no more than that. */
TEST(whether_the_source_stayed_what_it_was)
{
	static const struct {
		enum job_recheck recheck;
		const char *words;
	} rows[] = {
		{ JOB_RECHECK_DONE, "12 areas, all unchanged; the rest was read only once" },
		{ JOB_RECHECK_DAMAGED, "not checked again: some of it was hard to read" },
		{ JOB_RECHECK_SLOW, "not checked again: a read took longer" },
		{ JOB_RECHECK_WAS_GONE, "not checked again: it was disconnected" },
		{ JOB_RECHECK_SPARED, "not checked again: it was copied as a failing disk" },
		{ JOB_RECHECK_PENDING, "not checked again: the copy was stopped" },
		{ JOB_RECHECK_NOT_ASKED, NULL },
	};
	struct job_snapshot *job = &sample.report.job;

	job->result = JOB_RESULT_COMPLETE;
	job->proof = (struct job_proof){ .asked = true, .rechecked = 12 };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		job->proof.recheck = rows[i].recheck;
		said(report_rechecked);
		if (rows[i].words)
			ck_assert_msg(strstr(line, rows[i].words), "%s", line);
		else
			ck_assert_str_eq(line, "");
	}
	job->result = JOB_RESULT_STOPPED;
	job->proof.recheck = JOB_RECHECK_PENDING;
	ck_assert_str_eq(said(report_rechecked), "");
	job->result = JOB_RESULT_MISMATCH;
	job->error = (struct error){ 0 };
	job->proof.changed = job->proof.areas = 2;
	check_part(said(report_rechecked), "12 areas checked, 2 changed");
	check_part(said(report_verified), "mixes two states");
	ck_assert_str_eq(
		RESULT_LINE(),
		"MISMATCH - the source changed during the copy, in 2 of the areas checked");
	ck_assert_int_eq(report_exit_code(&sample.report), EXIT_MISMATCH);
	job->proof.changed_before = true;
	check_part(said(report_verified), "not any more what was copied");
	check_part(RESULT_LINE(), "changed while the copy was stopped, in 2");
}

/* Nor for what nothing can be compared with any more. */
TEST(what_is_not_verified_for_good)
{
	struct report *report = &sample.report;
	struct job_proof *proof = &report->job.proof;

	proof->asked = true;
	proof->complete = false;
	proof->unknown = 1 << 20;
	proof->verified = report->job.written - proof->unknown;
	report->job.result = JOB_RESULT_PARTIAL;
	ck_assert_int_eq(report_exit_code(report), EXIT_BAD_AREAS);
	ck_assert_str_eq(
		RESULT_LINE(),
		"UNCERTAIN - everything was copied, but 1,048,576 bytes of an earlier part "
		"cannot be verified");
	check_part(said(report_verified), "cannot be read from the source any more");
	/* It is said where that is, and not that anything differs there. */
	proof->unknown_areas = proof->shown = 1;
	proof->mismatches[0] = (struct job_mismatch){
		.kind = MISMATCH_NO_SOURCE, .lba = 4096, .sectors = 2048, .destination_lba = 4096
	};
	check_parts(text_of(report, 120), "BAD AREAS", "LBA 4096 +2048 -> LBA 4096  the source",
		    "!DIFFERENCES", NULL);
	proof->verified--;
	ck_assert_int_eq(report_exit_code(report), EXIT_DESTINATION_FAILED);
	proof->verified++;
	sample_add_bad(&sample);
	ck_assert_str_eq(report_result_word(report), "PARTIAL");
}

/* Never the plain word, whatever came of the check. */
TEST(a_source_that_was_in_use)
{
	struct report *report = &sample.report;

	report->job.proof.rechecked = 12;
	text_copy(report->source_writer, sizeof(report->source_writer),
		  "it was mounted read-write at /home");
	ck_assert_int_eq(report_exit_code(report), EXIT_BAD_AREAS);
	ck_assert_str_eq(RESULT_LINE(),
			 "UNCERTAIN - copied while the source was in use: not one moment of it");
	ck_assert_ptr_nonnull(strstr(said(report_in_use),
				     "it was mounted read-write at /home. What was written"));
	report->job.proof.changed = report->job.proof.areas = 2;
	ck_assert_int_eq(report_exit_code(report), EXIT_MISMATCH);
	ck_assert_str_eq(RESULT_LINE(),
			 "MISMATCH - copied while the source was in use: it changed meanwhile, "
			 "in 2 of the areas checked");
	report->job.result = JOB_RESULT_MISMATCH;
	check_part(RESULT_LINE(), "destination differs");
	report->job.proof.changed = report->job.proof.areas = 0;
	sample_add_bad(&sample);
	ck_assert_str_eq(report_result_word(report), "PARTIAL");
	ck_assert_int_eq(report_exit_code(report), EXIT_BAD_AREAS);
}

/* How much was looked at, and never more than that. */
TEST(what_the_final_look_has_read)
{
	struct job_snapshot *job = &sample.report.job;

	job->result = JOB_RESULT_COMPLETE;
	job->look = (struct job_look){ 0 };
	ck_assert_str_eq(said(report_look), "");
	ck_assert_str_eq(said(report_look_places), "");
	job->look.asked = job->look.done = true;
	check_part(said(report_look), "nothing is known");
	job->total = 1ULL << 30;
	job->look.places = 70;
	job->look.bytes = 3 << 20;
	job->look.held_bytes = 2 << 20;
	job->look.sample = 16;
	job->look.sample_bytes = 16 * 4096;
	job->look.seed = 77;
	ck_assert_str_eq(said(report_look),
			 "70 places, 3,145,728 B, read once more after the last write: all "
			 "unchanged");
	ck_assert_str_eq(said(report_look_places),
			 "2,097,152 B of what came last, 0 B more at both ends, and a sample of "
			 "16 blocks: 1 in 16,384 of all bytes (seed 77)");
	job->look.differing = 2;
	check_part(said(report_look), "compared with the source, all is right");
	job->result = JOB_RESULT_MISMATCH;
	ck_assert_str_eq(said(report_look), "2 of 70 places are not what was written there");
}

static void add_hurt(struct report *report, enum report_hurt_kind kind, unsigned partition,
		     const char *fs, uint64_t lba)
{
	struct report_hurt *hurt = &report->hurt[report->hurt_count++];

	*hurt = (struct report_hurt){
		.kind = kind, .partition = partition, .lba = lba, .sectors = 2
	};
	text_copy(hurt->fs, sizeof(hurt->fs), fs);
}

/* Not "armed: yes" where nobody finds a partition. */
TEST(what_bad_areas_hurt)
{
	sample_add_bad(&sample);
	struct report *report = &sample.report;

	report->job.held_areas = 5;
	report->job.armed = true;
	ck_assert_str_eq(said(report_boot_line), "");
	add_hurt(report, REPORT_HURT_FS, 2, "ext4", 18434);
	ck_assert_str_eq(said(report_boot_line), "");
	check_part(said(report_armed), "but for what");
	ck_assert_str_eq(report_hurt_words(&report->hurt[0], line, sizeof(line)),
			 "the superblock or header of partition 2, ext4 (LBA 18434 +2)");
	add_hurt(report, REPORT_HURT_MBR, 0, "gpt", 0);
	ck_assert_str_eq(said(report_boot_line),
			 "PARTITION TABLE NOT READABLE: the copy will not boot (LBA 0 +2)");
	check_part(said(report_armed), "no: without its");
	report->hurt[1].refused = true;
	check_part(said(report_boot_line), "PARTITION TABLE NOT WRITTEN: ");
	check_parts(text_of(report, 120), "WHAT THE BAD AREAS HURT", "PARTITION TABLE NOT WRITTEN",
		    NULL);
}

/* By its name, and apart from what was only worth knowing. */
TEST(a_check_that_was_lifted)
{
	struct verdict *verdict = sample.report.verdicts.items;

	check_parts(text_of(&sample.report, 120), "!LIFTED",
		    "WARNINGS ACCEPTED AT THE START\n   backup-gpt-inside: inside", NULL);
	verdict->lifted = true;
	check_parts(text_of(&sample.report, 120), "!WARNINGS",
		    "LIFTED BY THEIR NAMES AT THE START\n   backup-gpt-inside: inside", NULL);
}

TEST(names_of_files_command_no_terminal)
{

	sample.plan->destinations[0].kind = ENDPOINT_IMAGE;
	strcpy(sample.plan->destinations[0].node, "/tmp/a\033[31m\nRESULT  COMPLETE\302\2332J.img");
	char *text = text_of(&sample.report, 80);

	ck_assert_ptr_nonnull(strstr(text, "image /tmp/a%1B[31m%0ARESULT  COMPLETE%C2%9B2J.img"));
	ck_assert_ptr_null(strchr(text, '\033'));
	ck_assert_ptr_null(strstr(text, "\nRESULT"));
	free(text);
}

/* A reason stands below every result that is none; loops: no error, an error. */
TEST_ROWS(a_failure_says_why, 2)
{

	sample.report.job.result = JOB_RESULT_FAILED;
	sample.report.job.flushed = true;
	if (_i)
		error_set(&sample.report.job.error, ERROR_CLASS_DESTINATION, -EIO, "write",
			  "/dev/sdb", "It broke.");
	char *text = text_of(&sample.report, 120);

	ck_assert_ptr_nonnull(strstr(text, _i ? "It broke." : "was not recorded"));
	free(text);
	sample.report.job.flushed = false;
	text = text_of(&sample.report, 120);
	ck_assert_ptr_nonnull(strstr(text, _i ? "It broke." : "may be lost"));
	free(text);
}

TEST(differences_are_listed)
{
	sample_add_differences(&sample);
	check_parts(text_of(&sample.report, 120), "MISMATCH - the destination differs in 3 areas",
		    "LBA 2049 +1 -> LBA 4097  in partition 2",
		    "first at byte 7 of it: source 0a, destination ff",
		    "digest of LBA 2048 +2048: read 00aa, found 00bb",
		    "LBA 8192 +2048 -> LBA 10240", "which of these sectors cannot be told",
		    "and 1 more", NULL);
	check_parts(html_of(&sample.report), "<h2>Differences</h2>", ">4097<", "in 2048",
		    "read 00aa, found 00bb", "and 1 more", NULL);
}

static void check_width(const struct report *report, int columns)
{
	char *text = text_of(report, columns), *save = NULL;

	ck_assert_int_eq(text[strlen(text) - 1], '\n');
	for (char *row = strtok_r(text, "\n", &save); row; row = strtok_r(NULL, "\n", &save))
		ck_assert_msg(text_width(row) <= columns, "%d columns: %s", columns, row);
	free(text);
}

TEST(what_sg_did_is_told)
{
	sample_add_bad(&sample);
	check_parts(text_of(&sample.report, 160), "!indirect",
		    "medium error: unrecovered read error (3/11/00)", NULL);
	sample_add_io_stats(&sample);
	check_parts(text_of(&sample.report, 160), "sg driver 3.5.36",
		    "source: 5 commands direct, 4 indirect, 3 recovered "
		    "errors, 2 sent again, 1 waited for",
		    "It could be faster.", "!dest:", NULL);
	/* Nor is it said where nobody knows. */
	sample.report.job.source.stats = (struct io_stats){ .known = true, .retried = 2 };
	check_parts(text_of(&sample.report, 160),
		    "source: 0 recovered errors, 2 sent again, 0 waited for", "!direct", NULL);
}

TEST(text_stays_within_its_columns)
{

	sample_add_bad(&sample);
	error_set(&sample.report.job.error, ERROR_CLASS_SOURCE, -EIO, "read", "/dev/sda",
		  "The disk \xe7\xa3\x81\xe7\x9b\x98 could not be read anywhere near that place, "
		  "which is all that is known of it today.");
	memset(sample.report.files.map, 'm', sizeof(sample.report.files.map) - 1);
	for (int columns = 40; columns <= 200; columns++)
		check_width(&sample.report, columns);
}

TEST(absurd_widths_end)
{

	for (int columns = -1; columns < 40; columns += 20)
		check_width(&sample.report, 40);
	free(text_of(&sample.report, -5));
	free(text_of(&sample.report, 100000));
}

/* They are told with what they are of, or with why there are none. */
TEST(checksums_say_what_they_are_of)
{
	static const struct {
		enum job_sums_state state;
		const char *words;
	} cases[] = {
		{ JOB_SUMS_OF_SOURCE, "of the source, as it was read" },
		{ JOB_SUMS_OF_DESTINATION, "of the destination, as it was read back" },
		{ JOB_SUMS_INCOMPLETE, "not known: the copy is not complete" },
		{ JOB_SUMS_DIFFERS, "not known: the copy is not what" },
		{ JOB_SUMS_NOT_READ_BACK, "not known: the source was not read in one go" },
	};
	const char *known = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
	const char *unknown = "!bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *md5 = i > 1 ? unknown : known;

		sample_add_checksums(&sample, cases[i].state);
		check_parts(text_of(&sample.report, 200), cases[i].words, md5, NULL);
		check_parts(html_of(&sample.report), cases[i].words, md5, NULL);
	}
}
