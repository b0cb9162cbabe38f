/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session from the choice to the report, on loop devices over files of its
 * own; without root there is nothing to test.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "map/map.h"
#include "discover/table.h"
#include "session/files.h"
#include "session/outcome.h"
#include "session/run.h"

#include "fake/open_alone.h"
#include "rig.h"

SESSION_CASE(session_setup);

TEST(whole_way)
{
	open_session("logs", NULL);
	plan_and_confirm(source, destination, 0);
	ck_assert(!exists("logs"));
	start_copy();
	const struct report *report = finish();

	ck_assert_int_eq(report_exit_code(report), EXIT_COMPLETE);
	ck_assert_uint_eq(report->job.written, SIZE);
	ck_assert(same_files("a.img", "b.img"));
	ck_assert_int_eq(access(report->files.json, F_OK), 0);
	ck_assert_int_eq(access(report->files.map, F_OK), 0);
	ck_assert_int_eq(access(report->files.log, F_OK), 0);
	/* Both ends are free again. */
	int fd = open_alone(destination, O_RDWR);

	ck_assert_int_ge(fd, 0);
	close(fd);
}

TEST(wrong_token_starts_nothing)
{
	open_session("logs", NULL);
	ck_assert_int_eq(make_plan(source, destination, 0), 0);
	ck_assert_str_eq(session_choice(session).token, destination);
	ck_assert_int_eq(session_confirm(session, source, &error), -EACCES);
	ck_assert_int_eq(error.class, ERROR_CLASS_REFUSED);
	ck_assert_ptr_nonnull(strstr(error.sentence, destination));
	ck_assert_int_eq(session_confirm(session, NULL, &error), -EACCES);
	ck_assert_int_eq(session_confirm(session, "", &error), -EACCES);
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_int_lt(session_start(session, &error), 0);
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
}

TEST(another_disk_under_the_name_is_not_written)
{
	open_session("logs", NULL);
	plan_and_confirm(source, destination, 0);
	make_file("c.img", 3);
	make_file("d.img", 3);
	if (!replace(destination, "c.img"))
		return;
	start_copy();
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_int_eq(session_error(session, SESSION_TASK_START)->code, -ESTALE);
	ck_assert_int_eq(error_exit_code(session_error(session, SESSION_TASK_START)), EXIT_REFUSED);
	ck_assert_ptr_nonnull(
		strstr(session_error(session, SESSION_TASK_START)->sentence, destination));
	ck_assert(same_files("c.img", "d.img"));
	ck_assert_ptr_null(session_copy(session).job);
}

TEST(vanished_source_is_refused)
{
	open_session("logs", NULL);
	plan_and_confirm(source, destination, 0);
	detach(source, "a.img");
	make_file("d.img", 2);
	start_copy();
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_int_ne(session_error(session, SESSION_TASK_START)->code, 0);
	ck_assert(same_files("b.img", "d.img"));
}

TEST(destination_taken_after_the_plan_is_refused)
{
	open_session("logs", NULL);
	plan_and_confirm(source, destination, 0);
	int fd = open_alone(destination, O_RDONLY);

	ck_assert_int_ge(fd, 0);
	make_file("d.img", 2);
	start_copy();
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_int_eq(session_error(session, SESSION_TASK_START)->code, -EBUSY);
	ck_assert(same_files("b.img", "d.img"));
	close(fd);
	/* Released, the same confirmation is not enough: it was for another moment. */
	ck_assert_int_lt(session_start(session, NULL), 0);
}

TEST(change_of_use_takes_the_confirmation_back)
{
	open_session("logs", NULL);
	plan_and_confirm(source, destination, 0);
	int fd = open_alone(destination, O_RDONLY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(scan_once(), 0);
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_int_eq(verdict_list_worst(session_choice(session).verdicts), VERDICT_REFUSE);
	ck_assert_int_eq(session_confirm(session, session_choice(session).token, &error), -EACCES);
	close(fd);
	ck_assert_int_eq(scan_once(), 0);
	ck_assert_int_eq(verdict_list_worst(session_choice(session).verdicts), VERDICT_WARN);
	ck_assert_int_eq(session_confirm(session, session_choice(session).token, &error), 0);
}

TEST(background_scan_brings_a_list)
{
	unsigned changes = 0;

	open_session("logs", NULL);
	const struct disk_list *before = session_disks(session);

	session_scan(session, NULL);
	session_scan(session, NULL);
	/* Disks of others that come and go wake us, too. */
	for (int i = 0; i < 100 && !(changes & SESSION_CHANGE_DISKS); i++) {
		changes |= wait_once();
	}
	ck_assert(changes & SESSION_CHANGE_DISKS);
	ck_assert_ptr_ne(session_disks(session), before);
	ck_assert_ptr_nonnull(disk_list_find(session_disks(session), source));
	ck_assert_int_eq(session_error(session, SESSION_TASK_SCAN)->code, 0);
}

static atomic_uint reads; /* of the source */
static atomic_bool late;  /* it takes longer to answer than a list of disks waits at first */

int __real_table_read(const struct table_source *from, struct table *ret);
int __wrap_table_read(const struct table_source *from, struct table *ret);

int __wrap_table_read(const struct table_source *from, struct table *ret)
{
	struct stat of, at;
	bool is_source =
		fstat(from->fd, &of) == 0 && stat(source, &at) == 0 && of.st_rdev == at.st_rdev;

	reads += is_source;
	if (is_source && late)
		sleep(2);
	return __real_table_read(from, ret);
}

/* Its node may be somebody else's as soon as it has gone. */
static bool is_listed(const char *name)
{
	const struct disk_list *disks = session_disks(session);

	for (size_t i = 0; i < disks->count; i++)
		if (strcmp(disks->disks[i].identity.model, strrchr(path_of(name), '/') + 1) == 0)
			return true;
	return false;
}

static void a_disk_comes_and_goes(void)
{
	char other[64];

	make_file("c.img", 3);
	attach("c.img", other, sizeof(other));
	while (!is_listed("c.img"))
		wait_once();
	detach(other, "c.img");
	while (is_listed("c.img"))
		wait_once();
}

/* Each read of a sick one may take seconds. */
TEST(a_disk_is_read_again_when_it_has_changed)
{
	open_session("logs", NULL);
	session_scan(session, NULL);
	a_disk_comes_and_goes();
	ck_assert_uint_ge(reads, 2);
	reads = 0;
	a_disk_comes_and_goes();
	ck_assert_uint_eq(reads, 0);
	/* As udev does when somebody who had it open for writing has closed it. */
	run("echo change >/sys/block/%s/uevent", source + 5);
	while (reads == 0)
		wait_once();
	a_disk_comes_and_goes();
	ck_assert_uint_eq(reads, 1);
	/* And whoever asks for it gets it. */
	session_scan(session, NULL);
	a_disk_comes_and_goes();
	ck_assert_uint_ge(reads, 2);
}

/* What nobody has looked into has an unknown table. */
static bool is_known(const char *node)
{
	const struct disk *disk = disk_list_find(session_disks(session), node);

	ck_assert_ptr_nonnull(disk);
	return strcmp(disk->table, "?") != 0;
}

static void rescan(void)
{
	session_scan(session, NULL);
	wait_for_change(SESSION_CHANGE_DISKS);
}

/* A machine that is busy may take longer than a scan waits. */
static void know_both(void)
{
	do
		rescan();
	while (!is_known(source) || !is_known(destination));
}

/* Disks that come and go elsewhere bring lists meanwhile, in which it is silent. */
TEST(a_disk_that_answers_late_is_not_silent_each_time)
{
	uint64_t limit;

	open_session("logs", NULL);
	know_both();
	reads = 0;
	late = true;
	limit = clock_monotonic() + 30 * NSEC_PER_SEC;
	session_scan(session, NULL);
	do
		wait_for_change(SESSION_CHANGE_DISKS);
	while ((reads == 0 || !is_known(source)) && clock_monotonic() < limit);
	late = false;
	ck_assert_uint_gt(reads, 0);
	ck_assert(is_known(source));
}

static bool is_held_by_copy(const char *node)
{
	const struct disk *disk = disk_list_find(session_disks(session), node);

	ck_assert_ptr_nonnull(disk);
	for (size_t i = 0; i < disk->in_use.count; i++)
		if (disk->in_use.items[i].kind == USE_COPY)
			return true;
	return false;
}

/* A disk is plugged in somewhere, and one of the copy may be dying. */
TEST(disks_that_are_copied_are_not_looked_into)
{
	run("printf 'label: gpt\\n2048,4096,L\\n' | sfdisk -q %s", destination);
	open_session("logs", NULL);
	know_both();
	plan_and_confirm(source, destination, 1 << 20);
	ck_assert(!is_held_by_copy(source) && !is_held_by_copy(destination));
	start_copy();
	/* The first may be the end of a scan that began before the copy. */
	rescan();
	reads = 0;
	rescan();
	rescan();
	ck_assert_uint_eq(reads, 0);
	ck_assert(is_known(source));
	ck_assert(is_known(destination));
	ck_assert(is_held_by_copy(source) && is_held_by_copy(destination));
	ck_assert_str_eq(session_choice(session).destination->table, "gpt");
	job_set_rate(session_copy(session).job, 0);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	/* The same holds for the end of the copy. */
	rescan();
	know_both();
	ck_assert(!is_held_by_copy(source) && !is_held_by_copy(destination));
	ck_assert_str_eq(session_choice(session).destination->table, "");
}

/* By its name, if it refuses here and may be lifted; the next plan is judged anew. */
TEST(a_check_is_lifted_for_one_plan)
{
	const struct plan_options options = PLAN_OPTIONS_DEFAULT;
	struct range all_partitions = { 0, 2048 + 4096 };
	const struct range_list ranges = { .items = &all_partitions, .count = 1 };
	struct endpoint from, to;
	char small[64];

	run("printf 'label: gpt\\n2048,4096,L\\n' | sfdisk -q %s", source);
	run("truncate -s 6M %s", path_of("small.img"));
	attach("small.img", small, sizeof(small));
	open_session("logs", NULL);
	ck_assert_int_eq(endpoint_resolve(session_disks(session), source, false, &from, &error), 0);
	ck_assert_int_eq(endpoint_resolve(session_disks(session), small, true, &to, &error), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(plan_and_wait(&(struct session_wish){ .source = &from,
								       .destination = &to,
								       .ranges = &ranges,
								       .options = &options }),
				 0);
		ck_assert_int_eq(verdict_list_worst(session_choice(session).verdicts),
				 VERDICT_REFUSE);
		ck_assert_int_eq(session_allow(session, "everything", &error), -EINVAL);
		ck_assert_int_eq(session_allow(session, "destination-mounted", &error), -EINVAL);
		ck_assert_int_eq(session_allow(session, "same-wwn", &error), -EINVAL);
		ck_assert_int_eq(session_allow(session, "table-beyond-end", &error), 0);
		while (verdict_list_worst(session_choice(session).verdicts) == VERDICT_REFUSE)
			wait_once();
		ck_assert(session_choice(session).verdicts->items[0].lifted);
	}
	detach(small, "small.img");
}

TEST(image_is_made)
{
	open_session("logs", NULL);
	plan_and_confirm(source, path_of("new.img"), 0);
	ck_assert_str_eq(session_choice(session).token, "");
	ck_assert(!exists("new.img"));
	start_copy();
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert(same_files("a.img", "new.img"));
}

/* Beside a map, with other endings, are its digests and the tables of the source: whatever is there
 * would be replaced, and removed when the copy is complete. */
TEST(what_is_saved_beside_a_map_replaces_nothing)
{
	static const char *const endings[] = { "m.tables", "m.digests" };
	struct plan plan = { .source = { .kind = ENDPOINT_IMAGE } };
	struct files_named named = { "" };

	for (size_t i = 0; i < 2; i++) {
		text_copy(plan.source.node, sizeof(plan.source.node), endings[i]);
		ck_assert_int_eq(
			files_check_map(&plan.source, &plan.destinations[0], "m.map", &error),
			-EINVAL);
		ck_assert_ptr_nonnull(strstr(error.sentence, endings[i]));
		ck_assert_int_eq(files_check_new("other.map", &error), 0);
		text_copy(named.report, sizeof(named.report), endings[i]);
		ck_assert_int_eq(files_check(&named, &plan, "other.map", &error), -EINVAL);
		text_copy(plan.source.node, sizeof(plan.source.node), "elsewhere");
		ck_assert_int_eq(files_check(&named, &plan, "other.map", &error), 0);
		ck_assert_int_eq(files_check(&named, &plan, "m.map", &error), -EINVAL);
		ck_assert_ptr_nonnull(strstr(error.sentence, "named twice"));
		FILE *file = fopen(endings[i], "w");

		fputs("precious\n", file);
		fclose(file);
		ck_assert_int_eq(files_check_new("m.map", &error), -EEXIST);
		ck_assert_ptr_nonnull(strstr(error.sentence, endings[i]));
		/* What an earlier copy has left there is of no use without its map. */
		file = fopen(endings[i], "w");
		fputs("# clonedeck tables\n", file);
		fclose(file);
		ck_assert_int_eq(files_check_new("m.map", &error), 0);
		unlink(endings[i]);
	}
	/* The digests of a report are saved beside it. */
	text_copy(named.report, sizeof(named.report), "x");
	ck_assert_int_eq(files_check(&named, &plan, "y.digests", &error), 0);
	ck_assert_int_eq(files_check(&named, &plan, "x.digests", &error), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "named twice"));
	/* So are its checksums, without its ending. */
	text_copy(named.report, sizeof(named.report), "x.json");
	plan.options.checksums = 1U << CHECKSUM_SHA256;
	ck_assert_int_eq(files_check(&named, &plan, "x.sha256", &error), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "named twice"));
	ck_assert_int_eq(files_check(&named, &plan, "x.md5", &error), 0);
	run("echo precious >x.json.digests");
	ck_assert_int_eq(files_check(&named, &plan, NULL, &error), -EEXIST);
	ck_assert_ptr_nonnull(strstr(error.sentence, "x.json.digests"));
	unlink("x.json.digests");
}

/* The certificate's name is made from that of the report, if no other file has it. */
TEST(certificate_replaces_neither_map_nor_report)
{
	static const char *const rows[][2] = { { "r.html", "r.json" }, { "r.map", "r.html" } };

	for (size_t i = 0; i < 2; i++) {
		struct files files = { 0 };

		text_copy(files.named.map, sizeof(files.named.map), path_of(rows[i][0]));
		text_copy(files.named.report, sizeof(files.named.report), path_of(rows[i][1]));
		text_copy(files.directory, sizeof(files.directory), path_of("logs"));
		ck_assert_int_eq(files_make(&files, 0, NULL, &error), 0);
		ck_assert_int_eq(
			strncmp(files.at.certificate, files.directory, strlen(files.directory)), 0);
	}
}

TEST(the_command_that_goes_on_lifts_what_was_lifted)
{
	struct verdict verdicts[] = {
		{ .rule = "sector-size-differs", .lifted = true },
		{ .rule = "source-mounted", .means = MEANS_SOURCE_WRITTEN, .lifted = true },
		{ .rule = "source-gone", .flags = RULE_SOURCE_READ, .lifted = true },
		{ .rule = "same-model" },
	};
	struct plan plan = { 0 };
	struct report report = { .plan = &plan, .verdicts = { .items = verdicts, .count = 4 } };
	const struct error none = { 0 };

	report.job.result = JOB_RESULT_STOPPED;
	report.job.map_safe = true;
	text_copy(report.files.map, sizeof(report.files.map), "/m.map");
	outcome_say_next(NULL, &none, &report);
	ck_assert_uint_ge(report.next_count, 1);
	ck_assert_str_eq(
		report.next[0],
		"To go on where it ended:  clonedeck resume /m.map --allow sector-size-differs");
}

/* The map of a new image knows the file that was made: only that one is gone on with. */
TEST(new_image_is_known_by_its_map)
{
	struct stat st;
	struct map *map = NULL;
	struct plan *plan = NULL;

	open_session("logs", "copy.map");
	plan_and_confirm(source, path_of("new.img"), 0);
	start_copy();
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert_int_eq(stat(path_of("new.img"), &st), 0);
	ck_assert_int_eq(map_load(path_of("copy.map"), &map, &plan, &error), 0);
	ck_assert_uint_eq(plan->destinations[0].identity.inode, st.st_ino);
	ck_assert_uint_eq(plan->destinations[0].identity.devno, st.st_dev);
	plan_destroy(plan);
	map_destroy(map);
	close_session();

	open_session("logs", NULL);
	check_done(plan_from_map(path_of("copy.map")));
	run("cp %s %s && mv %s %s", path_of("new.img"), path_of("other"), path_of("other"),
	    path_of("new.img"));
	ck_assert_int_eq(plan_from_map(path_of("copy.map")), -ESTALE);
	ck_assert_int_eq(error_exit_code(&error), EXIT_REFUSED);
	run("rm %s", path_of("new.img"));
	ck_assert_int_eq(plan_from_map(path_of("copy.map")), -ENOENT);
	ck_assert_int_eq(error_exit_code(&error), EXIT_ENVIRONMENT);
}

TEST(failed_start_leaves_no_image)
{
	make_file("file", 4);
	open_session("file/logs", NULL);
	plan_and_confirm(source, path_of("new.img"), 0);
	start_copy();
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_int_eq(error_exit_code(session_error(session, SESSION_TASK_START)),
			 EXIT_ENVIRONMENT);
	ck_assert(!exists("new.img"));
}

/* A map that has no room is found out before the first write, not when it is needed. */
TEST(full_log_directory_starts_nothing)
{
	ck_assert_int_eq(mkdir(path_of("small"), 0700), 0);
	ck_assert_int_eq(mount("tmpfs", path_of("small"), "tmpfs", 0, "size=64k"), 0);
	run("head -c 1M /dev/zero >%s/rest 2>/dev/null || true", path_of("small"));
	open_session("small", NULL);
	plan_and_confirm(source, destination, 0);
	start_copy();
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_int_eq(session_error(session, SESSION_TASK_START)->code, -ENOSPC);
	ck_assert_int_eq(error_exit_code(session_error(session, SESSION_TASK_START)),
			 EXIT_ENVIRONMENT);
	ck_assert_ptr_nonnull(
		strstr(session_error(session, SESSION_TASK_START)->sentence, "--map"));
	make_file("before.img", 2);
	ck_assert(same_files("b.img", "before.img"));
}

TEST(full_file_system_is_a_failed_destination)
{
	const struct plan_options options = { 0 };
	struct session_options session_options = {
		.all = true,
		.log_dir = path_of("logs"),
		.allow = (const char *const[]){ "image-space", NULL },
	};

	ck_assert_int_eq(mkdir(path_of("small"), 0700), 0);
	ck_assert_int_eq(mount("tmpfs", path_of("small"), "tmpfs", 0, "size=2m"), 0);
	ck_assert_int_eq(session_new(&session_options, &session, &error), 0);
	ck_assert_int_eq(scan_once(), 0);
	check_done(make_plan_with(source, path_of("small/c.img"), &options));
	ck_assert_int_eq(session_confirm(session, NULL, &error), 0);
	start_copy();
	const struct report *report = finish();

	ck_assert_int_eq(report_exit_code(report), EXIT_DESTINATION_FAILED);
	ck_assert_str_eq(report_result_word(report), "FAILED");
	ck_assert_int_eq(report->job.error.code, -ENOSPC);
	ck_assert_ptr_nonnull(strstr(report->job.error.sentence, "small/c.img"));
}

TEST(destroying_a_running_session_stops_cleanly)
{
	begin_copy("copy.map", 2 * 1024 * 1024);
	close_session();
	ck_assert(exists("copy.map"));
}

/* Not even the zeros in place of what is armed at the end. */
TEST(what_is_stopped_while_it_starts_writes_nothing)
{
	struct job_snapshot job;

	run("cp %s %s", path_of("b.img"), path_of("before"));
	open_session("logs", "copy.map");
	plan_and_confirm(source, destination, 0);
	ck_assert_int_eq(session_start(session, NULL), 0);
	session_stop(session);
	wait_while(SESSION_STARTING);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_STOPPED);
	ck_assert(session_snapshot(session, &job));
	ck_assert_uint_eq(job.destination.requests, 0);
	ck_assert(same_files("b.img", "before"));
}

TEST(session_can_be_used_twice)
{
	begin_copy(NULL, 0);
	finish();
	session_discard_plan(session);
	ck_assert_int_eq(session_state(session), SESSION_CHOOSING);
	ck_assert_ptr_null(session_copy(session).report);
	ck_assert_int_eq(scan_once(), 0);
	plan_and_confirm(source, destination, 0);
	start_copy();
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
}
