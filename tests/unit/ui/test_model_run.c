/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of screen 4: they fit, and they do not lie. */
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "line_test.h"
#include "base/clock.h"
#include "base/text.h"
#include "session/progress.h"
#include "ui/run/model.h"

static struct line line;

static struct job_snapshot job;
static struct plan plan;
static const struct run_facts facts = { .plan = &plan, .job = &job, .scale = UNITS_SI };

static void setup(void)
{
	memset(&job, 0, sizeof(job));
	memset(&plan, 0, sizeof(plan));
	plan.sector_size = 512;
	plan.source.kind = plan.destinations[0].kind = ENDPOINT_DISK;
	snprintf(plan.source.node, sizeof(plan.source.node), "/dev/sda");
	snprintf(plan.destinations[0].node, sizeof(plan.destinations[0].node), "/dev/sdb");
	snprintf(plan.source.identity.serial, sizeof(plan.source.identity.serial), "ZFL1A2B3");
	job.state = JOB_COPYING;
	job.passes[0].kind = PASS_COPY;
	job.pass_count = 1;
}

static void fill(void)
{
	job.total = 20000000000000000ULL;
	job.written = job.read = job.total - 1;
	job.elapsed = UINT64_MAX;
	job.now_pass = job.now_write = job.now_read = job.minute = job.average = 1e15;
	job.eta = (struct eta){ true, UINT64_MAX / 4, INT64_MAX / 4 };
	job.hang = (struct job_hang){ UINT32_MAX, true, UINT64_MAX, UINT64_MAX };
	job.errors = job.retries = job.slow_reads = job.bad_areas = job.bad_bytes = UINT64_MAX;
	job.rescue.read_errors = job.rescue.bad_areas = job.rescue.bad_sector = UINT64_MAX;
	job.source.depth = job.source.in_flight = UINT32_MAX;
	job.rate_limit = UINT64_MAX;
	job.source.temperature = -273;
	job.source.temperature_known = true;
	job.source.backend = job.destination.backend = "threads";
	job.chunk = job.buffers = job.buffers_in_use = UINT32_MAX;
	job.lane_count = JOB_LANES_MAX;
	job.map_saved_at = 1;
	memset(plan.source.identity.serial, 'S', sizeof(plan.source.identity.serial) - 1);
	memset(plan.source.identity.model, 'M', sizeof(plan.source.identity.model) - 1);
	memset(plan.destinations[0].node + 5, 'n', sizeof(plan.destinations[0].node) - 6);
}

static void check_width(int width, const char *what)
{
	if (text_width(line.text) > width)
		ck_abort_msg("%s at %d: %s", what, width, line.text);
}

static void check_lines(int width)
{
	struct run_cpu cpu[48];
	enum role role;

#define EACH(call)                                                                                 \
	do {                                                                                       \
		line_start(&line, width);                                                          \
		call;                                                                              \
		check_width(width, #call);                                                         \
	} while (0)
	EACH(run_text_ends(&plan, &job, &line));
	EACH(run_text_ends_small(&plan, &job, &line));
	EACH(run_text_now(&facts, &line, &role));
	EACH(run_text_left(&facts, &line, &role));
	EACH(run_text_speeds(&facts, &line, &role));
	EACH(run_text_trouble(&facts, &line, &role));
	EACH(run_text_amount(&job, UNITS_SECTORS, 512, &line));
	for (int i = 0; i < 6; i++)
		EACH(run_text_small(&facts, i, &line, &role));
	EACH(run_text_spoken(&job, 0, &line));
	EACH(run_text_alarm(&facts, &line, &role));
	EACH(run_text_status(&facts, &line, &role));
	EACH(run_text_map(&plan, UINT64_MAX, UINT64_MAX, width, true, UNITS_IEC,
			  run_map_legend(&job, true), &line));
	for (int rows = 0; rows < 12; rows++) {
		for (int i = 0; i < 12; i++)
			EACH(run_text_queue(&job, INT64_MAX, rows, i, &line));
		ck_assert_int_le(run_cpu_lines(&job, 4, width > 60, rows, cpu), rows);
	}
}

UNIT_CASE(.setup = setup);

TEST(test_everything_fits)
{
	for (int width = 0; width <= 250; width++) {
		setup();
		check_lines(width);
		fill();
		check_lines(width);
	}
}

TEST(test_mock_up)
{
	enum role role = ROLE_STRONG;

	job.elapsed = 5625 * NSEC_PER_SEC;
	job.total = 2000398934016;
	job.written = 1046208642482;
	job.now_pass = job.now_write = 193e6;
	job.average = 186e6;
	job.rescue.read_errors = 2;
	job.rescue.bad_areas = 1;
	snprintf(plan.destinations[0].identity.serial, sizeof(plan.destinations[0].identity.serial),
		 "WD-WX12D3456789");
	line_is(80, run_text_ends(&plan, &job, &line),
		" sda ZFL1A2B3 -> sdb WD-WX12D3456789   COPYING"
		"                  elapsed 1:33:45");
	/* A pause is not counted. */
	job.elapsed += 600 * NSEC_PER_SEC;
	job.paused_ns = 600 * NSEC_PER_SEC;
	ck_assert_str_eq(run_elapsed(&job, (char[UNITS_TEXT_MAX]){ "" }), "1:33:45");
	job.paused_ns = UINT64_MAX;
	ck_assert_str_eq(run_elapsed(&job, (char[UNITS_TEXT_MAX]){ "" }), "0:00:00");
	job.minute = 190e6;
	line_is(80, run_text_now(&facts, &line, &role), " 193 MB/s now  LEFT unknown");
	line_is(80, run_text_status(&facts, &line, &role),
		" average 186  last minute 190  errors 2  bad 0  slow reads 0  "
		"last good read -");
	ck_assert_int_eq(role, ROLE_BAD);
}

/* Whatever is known of the end is told as that, and of a pause how long it lasts. */
TEST(test_time_left)
{
	static const struct run_facts paused = { &plan, &job, UNITS_SI, 1000134, 1000000 };
	enum role role = ROLE_STRONG;

	setenv("TZ", "UTC", 1);
	tzset();
	job.elapsed = 5625 * NSEC_PER_SEC;
	job.now_pass = 168e6;
	job.eta = (struct eta){ true, 9441, 9441 };
	line_is(80, run_text_now(&facts, &line, &role), " 168 MB/s now  LEFT 2:37:21  ends 02:37");
	job.eta = (struct eta){ 0 };
	job.left = (struct job_range){ true, 3900, 4620 };
	line_is(80, run_text_now(&facts, &line, &role),
		" 168 MB/s now  LEFT 1:05:00 to 1:17:00  ends 01:05 to 01:17");
	line_is(22, run_text_left(&facts, &line, &role), " LEFT up to 1:17:00");
	ck_assert_int_eq(role, ROLE_STRONG);
	job.state = JOB_PAUSED;
	line_is(80, run_text_left(&paused, &line, &role),
		" PAUSED 0:02:14, since 13:46:40  p goes on");
	ck_assert_int_eq(role, ROLE_ALERT);
}

/* What is wrong comes before what is only worth knowing, and no figure is cut in its middle. */
TEST(test_errors_are_never_cut)
{
	enum role role = ROLE_NORMAL;

	job.elapsed = 5625 * NSEC_PER_SEC;
	job.rescue.read_errors = 123456;
	job.rescue.bad_areas = 65432;
	job.rescue.bad_sector = 512 * 171;
	job.rescue.non_trimmed = 512 * 123;
	job.refused_bytes = 4096;
	job.proof.areas = 7;
	for (int width = 76; width < 130; width++) {
		line_start(&line, width);
		run_text_trouble(&facts, &line, &role);
		if (!strstr(line.text, " MISMATCHES 7  errors 123456  bad 171 sectors  to try 123"
				       "  refused 4,096 B"))
			ck_abort_msg("%d: %s", width, line.text);
	}
}

/* Which request, and for how long, in all places where the copy is told of. */
TEST(test_a_request_that_hangs)
{
	enum role role;

	job.hang = (struct job_hang){ .count = 3, .lba = 123456, .ns = 31000000000 };
	line_is(78, run_text_status(&facts, &line, &role),
		" A read at LBA 123456 hangs for 31 s, 2 more  errors 0  bad 0"
		"  slow reads 0");
	ck_assert_int_eq(role, ROLE_WARN);
	job.hang.write = true;
	job.hang.count = 1;
	line_has(78, run_text_status(&facts, &line, &role),
		 " A write at LBA 123456 hangs for 31 s  ");
	line_has(78, run_text_spoken(&job, 0, &line), ", a write at LBA 123456 hangs");
}

/* All that can go wrong at once, on the smallest screen: what somebody has to see to comes first,
 * and of the rest no figure is cut in its middle. */
TEST(test_alarms_come_first)
{
	enum role role;

	job.hang = (struct job_hang){ .count = 3, .lba = 1602117632, .ns = 31000000000 };
	job.map_saved_at = 1;
	job.log_failed = true;
	job.retries = 123456;
	job.slow_reads = 2345;
	job.rescue.bad_sector = 123456789;
	job.rate_limit = 12500000;
	/* Of many reads that failed none was good. */
	job.source.requests = 1;
	line_has(200, run_text_trouble(&facts, &line, &role), "  last good read -");
	job.rescue.good_read_known = true;
	line_is(80, run_text_status(&facts, &line, &role),
		" MAP NOT SAVED: s moves it  A read at LBA 1602117632 hangs for "
		"31 s, 2 more");
	ck_assert_int_eq(role, ROLE_BAD);
	job.hang.count = 0;
	job.map_safe = true;
	line_is(80, run_text_status(&facts, &line, &role),
		" LOG NOT WRITTEN  errors 0  bad 241,126 sectors  "
		"retries 123456  slow reads 2345");
	ck_assert_int_eq(role, ROLE_WARN);
	job.log_failed = false;
	line_is(80, run_text_status(&facts, &line, &role),
		" average -  last minute -  errors 0  bad 241,126 sectors  "
		"retries 123456");
	line_is(80, run_text_alarm(&facts, &line, &role), "");
	ck_assert_int_eq(role, ROLE_NORMAL);
	/* The last saving failed, and it is not known yet whether an older one is left. */
	job.map_failed = true;
	line_has(80, run_text_spoken(&job, 0, &line), ", MAP NOT SAVED: s moves it");
	/* Where s stops, it is not told to be pressed. */
	job.state = JOB_WAITING;
	ck_assert_str_eq(run_map_alarm(&job), "MAP NOT SAVED");
	job.state = JOB_ENDED;
	ck_assert_ptr_null(run_map_alarm(&job));
}

/* What is read back is counted for itself. */
TEST(test_reading_back)
{
	enum role role = ROLE_NORMAL;

	job.elapsed = 5625 * NSEC_PER_SEC;
	job.total = job.written = 2000000000000;
	job.state = JOB_VERIFYING;
	job.pass = PASS_VERIFY;
	job.pass_count = 1;
	job.passes[0] = (struct job_pass){ .kind = PASS_VERIFY,
					   .done = 500000000000,
					   .total = 2000000000000 };
	line_is(80, run_text_amount(&job, UNITS_SI, 512, &line), "500/2,000 GB");
	ck_assert_str_eq(run_state_words(&job), "VERIFYING");
	job.passes[job.pass_count++] = (struct job_pass){ .kind = PASS_LOOK };
	job.pass = PASS_LOOK;
	ck_assert_str_eq(run_state_words(&job), "FINISHING");
	/* Copied and verified are told apart while both go on; neither is 100% too early. */
	job.state = JOB_COPYING;
	job.pass = PASS_COPY;
	job.pass_count = 0;
	job.written = 842000000000;
	job.now_pass = 150e6;
	job.proof.asked = job.proof.rolling = true;
	job.proof.verified = 839999999999;
	line_is(80, run_text_now(&facts, &line, &role),
		" 150 MB/s now  LEFT unknown  verified 41%");
}

/* Sectors that are read one by one are not "0.00 MB/s". */
TEST(test_slow_is_not_nothing)
{
	enum role role = ROLE_NORMAL;
	char digits[64], unit[64];

	job.elapsed = 5625 * NSEC_PER_SEC;
	job.pass = PASS_SCRAPE;
	job.pass_count = 1;
	job.passes[0] = (struct job_pass){ .kind = PASS_SCRAPE, .done = 51200, .total = 131072 };
	job.rescue.non_scraped = 131072 - 51200;
	job.now_pass = 1536;
	line_has(80, run_text_now(&facts, &line, &role), " 1.54 kB/s now  LEFT unknown");
	run_text_speed(&job, digits, unit, sizeof(digits));
	ck_assert_str_eq(digits, "1");
	ck_assert_str_eq(unit, "kB/s now");
	line_is(80, run_text_amount(&job, UNITS_SI, 512, &line), "100/256 sectors");
	job.now_pass = 1930e6;
	run_text_speed(&job, digits, unit, sizeof(digits));
	ck_assert_str_eq(digits, "1930");
	job.state = JOB_FLUSHING;
	job.now_pass = 0;
	line_has(80, run_text_now(&facts, &line, &role), " - MB/s now");
	run_text_speed(&job, digits, unit, sizeof(digits));
	ck_assert_str_eq(digits, "-");
}

TEST(test_unknown_is_a_dash)
{
	char text[96];

	job.total = 1 << 30;
	ck_assert_str_eq(progress_left(&job, text, sizeof(text)), "unknown");
	ck_assert_str_eq(run_text_ends_at(&job, 0, text, sizeof(text)), "");
	job.left = (struct job_range){ true, 61, 63 };
	ck_assert_str_eq(run_text_ends_at(&job, 0, text, sizeof(text)), "00:01");
	job.left.most = 363;
	ck_assert_str_eq(run_text_ends_at(&job, 0, text, sizeof(text)), "00:01 to 00:06");
	ck_assert_str_eq(run_text_temperature(&job.source, text, sizeof(text)), "-");
	line_has(80, ck_assert(run_text_queue(&job, 0, 4, 3, &line)), "temp - / -");
}

/* The smallest screen has 36 columns for it. */
TEST(test_a_copying_driver_is_seen)
{
	struct io_stats copied = { .known = true, .indirect = 9, .advice = "switch it on" };

#define QUEUE(rows, cols, words)                                                                   \
	do {                                                                                       \
		line_start(&line, cols);                                                           \
		ck_assert(run_text_queue(&job, 0, rows, 3, &line));                                \
		ck_assert_str_eq(line.text, words);                                                \
	} while (0)
	job.source.backend = "buffered";
	job.destination.backend = "sg";
	job.source.temperature_known = job.destination.temperature_known = true;
	job.source.temperature = job.destination.temperature = 45;
	QUEUE(4, 36, " buffered > sg  temp 45 C / 45 C");
	job.destination.backend = "buffered";
	QUEUE(4, 36, " buffered > buffered  45 C / 45 C");
	job.destination.backend = "sg";
	job.destination.stats = (struct io_stats){ .known = true, .direct = 9 };
	QUEUE(4, 36, " buffered > sg  temp 45 C / 45 C");
	QUEUE(7, 40, " I/O buffered -> sg direct");
	job.destination.stats.indirect = 1;
	QUEUE(7, 40, " I/O buffered -> sg indirect");
	job.destination.stats = copied;
	QUEUE(4, 36, " buffered > sg INDIRECT  45 C / 45 C");
	QUEUE(7, 40, " I/O buffered -> sg INDIRECT");
	job.source.backend = "sg";
	job.source.stats = copied;
	QUEUE(4, 36, " both sg INDIRECT  45 C / 45 C");
	QUEUE(7, 40, " I/O sg INDIRECT -> sg INDIRECT");
}

TEST(test_progress)
{
	static const struct {
		uint64_t done, total;
		enum units_scale scale;
		const char *text;
	} cases[] = {
		{ 0, 0, UNITS_SI, "0/0 B" },
		{ 512, 1024, UNITS_SI, "512/1,024 B" },
		{ 1046208642482, 2000398934016, UNITS_SI, "1,046/2,000 GB" },
		{ 1ULL << 30, 1ULL << 31, UNITS_IEC, "1,024/2,048 MiB" },
		{ 5120, 10240, UNITS_SECTORS, "10/20 sectors" },
		/* The whole as everywhere; what is done never before it is. */
		{ 536870911, 536870912, UNITS_SI, "536/537 MB" },
		{ 536870912, 536870912, UNITS_SI, "537/537 MB" },
	};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		run_text_progress(cases[i].done, cases[i].total, cases[i].scale, 512, text,
				  sizeof(text));
		ck_assert_str_eq(text, cases[i].text);
	}
}

TEST(test_states)
{
	ck_assert_str_eq(run_state_words(&job), "COPYING");
	job.state = JOB_FLUSHING;
	job.passes[job.pass_count++].kind = PASS_FLUSH;
	ck_assert_str_eq(run_state_words(&job), "FLUSHING");
	job.state = JOB_WAITING;
	ck_assert_str_eq(run_state_words(&job), "DISK GONE");
	ck_assert_int_eq(run_state_role(&job), ROLE_BAD);
	job.state = JOB_PAUSED;
	ck_assert_str_eq(run_state_words(&job), "PAUSED");
	job.state = JOB_ENDED;
	job.result = JOB_RESULT_PARTIAL;
	ck_assert_str_eq(run_state_words(&job), "PARTIAL");
	job.result = JOB_RESULT_FAILED;
	ck_assert_int_eq(run_state_role(&job), ROLE_BAD);
}

/* Lanes that find no line are in the sum; none is counted twice. */
TEST(test_cpu_lines)
{
	struct run_cpu lines[12];
	int count;

	job.lane_count = 8;
	for (int i = 0; i < 8; i++) {
		job.lanes[i].alive = true;
		job.lanes[i].cpu = (struct cpu_share){ .known = true, .user = 0.1F };
		job.lanes[i].rate = 1e6;
	}
	count = run_cpu_lines(&job, 4, true, 4, lines);
	ck_assert_int_eq(count, 4);
	ck_assert_str_eq(lines[1].label, "thread0");
	ck_assert_str_eq(lines[2].label, "+7 more");
	ck_assert_double_eq_tol(lines[2].parts[0], 0.7, 1e-6);
	ck_assert_str_eq(lines[3].label, "process");
	ck_assert(!lines[0].bar);
	count = run_cpu_lines(&job, 4, true, 12, lines);
	ck_assert_int_eq(count, 11);
	ck_assert_str_eq(lines[8].label, "thread7");
}

/* What the letters mean is read whatever the source is called. */
TEST(test_map_legend)
{
	plan.whole = true;
	line_is(80,
		run_text_map(&plan, 0, 780000000, 78, false, UNITS_SI, run_map_legend(&job, true),
			     &line),
		" Map of sda, 1 cell = 10.0 MB"
		"  + copied ? to do > now - bad * to try");
	plan.whole = false;
	snprintf(plan.source.node, sizeof(plan.source.node), "/dev/nvme0n1");
	line_is(80,
		run_text_map(&plan, 0, 780000000, 78, false, UNITS_SI, run_map_legend(&job, true),
			     &line),
		" 1 cell = 10.0 MB"
		"  + copied ? to do > now - bad * to try . not chosen");
	/* Where not even the size of a cell has room. */
	plan.whole = true;
	line_is(40,
		run_text_map(&plan, 0, 780000000, 78, false, UNITS_SI, run_map_legend(&job, false),
			     &line),
		"  ▓ copied ▒ to try ░ to do X bad ► now");
}

/* A place that differs says nothing of the others. */
TEST(test_all_verified)
{
	job = (struct job_snapshot){ .pass = PASS_VERIFY, .position = 1000 };
	ck_assert(!run_all_verified(&job));
	ck_assert_str_eq(run_map_legend(&job, true), "  + copied ? to do > now - bad * to try");
	job.passes[job.pass_count++] =
		(struct job_pass){ .kind = PASS_VERIFY, .done = 9, .total = 10 };
	job.pass = PASS_RECHECK;
	ck_assert(!run_all_verified(&job));
	job.passes[0].done = 10;
	ck_assert(run_all_verified(&job));
	ck_assert_str_eq(run_map_legend(&job, true), "  V verified + copied ? to do > now - bad");
	job.proof.areas = 1;
	ck_assert(!run_all_verified(&job));
	job.proof = (struct job_proof){ .complete = true };
	job.pass_count = 0;
	ck_assert(run_all_verified(&job));
}

TEST(test_clock)
{
	char text[96];

	setenv("TZ", "UTC", 1);
	tzset();
	run_text_clock(1000000, 1000000 - 5130, text, sizeof(text));
	ck_assert_str_eq(text, "13:46");
	run_text_clock(1000000, 1000000 - 2 * 86400, text, sizeof(text));
	ck_assert_str_eq(text, "Mon 13:46");
	run_text_clock(INT64_MAX / 4, 0, text, sizeof(text));
	ck_assert_str_eq(text, "unknown");
}
