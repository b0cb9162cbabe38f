/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What smartctl prints, and smartctls that misbehave. */
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/text.h"
#include "folder.h"
#include "health/smartctl.h"

static struct health health;

#define TIMEOUT (20 * NSEC_PER_SEC)

static void parse(const char *text, struct health *ret)
{
	health_clear(ret, NULL);
	ret->time = 1;
	health_parse(text, strlen(text), ret);
}

TEST(ata)
{
	parse("{\"smart_status\":{\"passed\":true},\"temperature\":{\"current\":31},"
	      "\"power_on_time\":{\"hours\":12345,\"minutes\":3},"
	      "\"ata_smart_attributes\":{\"table\":["
	      "{\"id\":5,\"value\":100,\"raw\":{\"value\":8}},"
	      "{\"id\":197,\"value\":100,\"raw\":{\"value\":0}},"
	      "{\"id\":198,\"raw\":{\"value\":281474976710655}},"
	      "{\"id\":199,\"raw\":{\"value\":7}}]}}",
	      &health);
	ck_assert(health_is_known(&health));
	ck_assert_int_eq(health.passed, YES);
	ck_assert_int_eq(health.values[HEALTH_TEMPERATURE], 31);
	ck_assert_int_eq(health.values[HEALTH_POWER_ON], 12345);
	ck_assert_int_eq(health.values[HEALTH_REALLOCATED], 8);
	ck_assert_int_eq(health.values[HEALTH_PENDING], 0);
	ck_assert_int_eq(health.values[HEALTH_UNCORRECTABLE], 281474976710655);
	ck_assert_int_eq(health.values[HEALTH_CRC_ERRORS], 7);
	ck_assert(health.values[HEALTH_MEDIA_ERRORS] == HEALTH_UNKNOWN);
	ck_assert_str_eq(health.why, "");
}

TEST(nvme_and_scsi)
{
	parse("{\"smart_status\":{\"passed\":false},\"nvme_smart_health_information_log\":{"
	      "\"critical_warning\":4,\"available_spare\":90,\"percentage_used\":101,"
	      "\"media_errors\":3},\"temperature\":{\"current\":41}}",
	      &health);
	ck_assert_int_eq(health.passed, NO);
	ck_assert_int_eq(health.values[HEALTH_WARNINGS], 4);
	ck_assert_int_eq(health.values[HEALTH_SPARE], 90);
	ck_assert_int_eq(health.values[HEALTH_USED], 101);
	ck_assert_int_eq(health.values[HEALTH_MEDIA_ERRORS], 3);
	ck_assert(health.values[HEALTH_REALLOCATED] == HEALTH_UNKNOWN);
	parse("{\"smart_status\":{\"passed\":true},\"scsi_grown_defect_list\":12,"
	      "\"scsi_percentage_used_endurance_indicator\":5}",
	      &health);
	ck_assert_int_eq(health.values[HEALTH_GROWN_DEFECTS], 12);
	ck_assert_int_eq(health.values[HEALTH_USED], 5);
	ck_assert(health.values[HEALTH_TEMPERATURE] == HEALTH_UNKNOWN);
	parse("{\"scsi_error_counter_log\":{\"read\":{\"total_errors_corrected\":9,"
	      "\"total_uncorrected_errors\":2},\"write\":{\"total_errors_corrected\":1},"
	      "\"verify\":7}}",
	      &health);
	ck_assert_int_eq(health.values[HEALTH_READ_CORRECTED], 9);
	ck_assert_int_eq(health.values[HEALTH_READ_UNCORRECTED], 2);
	ck_assert_int_eq(health.values[HEALTH_WRITE_CORRECTED], 1);
	ck_assert(health.values[HEALTH_WRITE_UNCORRECTED] == HEALTH_UNKNOWN);
	ck_assert(health.values[HEALTH_VERIFY_CORRECTED] == HEALTH_UNKNOWN);
}

TEST(no_temperature_is_not_0)
{
	static const struct {
		const char *text;
		int64_t value;
	} rows[] = {
		{ "{\"temperature\":{\"current\":0},\"scsi_temperature\":{\"drive_trip\":0}}",
		  HEALTH_UNKNOWN },
		{ "{\"temperature\":{\"current\":0,\"drive_trip\":0}}", HEALTH_UNKNOWN },
		{ "{\"temperature\":{\"current\":0,\"drive_trip\":65}}", 0 },
		{ "{\"temperature\":{\"current\":38},\"scsi_temperature\":{\"drive_trip\":65}}",
		  38 },
		{ "{\"temperature\":{\"current\":0}}", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		parse(rows[i].text, &health);
		ck_assert_msg(health.values[HEALTH_TEMPERATURE] == rows[i].value, "%s",
			      rows[i].text);
	}
}

TEST(judged)
{
	int64_t sectors;

	health_clear(&health, NULL);
	ck_assert_int_eq(health_judge(&health, &sectors), HEALTH_STATE_UNKNOWN);
	health.time = 1;
	health.values[HEALTH_TEMPERATURE] = 30;
	ck_assert_int_eq(health_judge(&health, &sectors), HEALTH_STATE_UNKNOWN);
	health.passed = YES;
	ck_assert_int_eq(health_judge(&health, &sectors), HEALTH_STATE_GOOD);
	/* That is the cable. */
	health.values[HEALTH_CRC_ERRORS] = 5;
	ck_assert_int_eq(health_judge(&health, &sectors), HEALTH_STATE_GOOD);
	health.values[HEALTH_REALLOCATED] = 8;
	health.values[HEALTH_PENDING] = 2;
	health.values[HEALTH_UNCORRECTABLE] = 2;
	ck_assert_int_eq(health_judge(&health, &sectors), HEALTH_STATE_WEAK);
	ck_assert_int_eq(sectors, 10);
	health.values[HEALTH_REALLOCATED] = INT64_MAX;
	ck_assert_int_eq(health_judge(&health, &sectors), HEALTH_STATE_WEAK);
	ck_assert_int_eq(sectors, INT64_MAX);
	health.passed = NO;
	ck_assert_int_eq(health_judge(&health, &sectors), HEALTH_STATE_FAILING);
	ck_assert_int_eq(sectors, 0);
}

TEST(what_is_odd_is_unknown)
{
	static const char *const odd[] = {
		"",
		"{",
		"[]",
		"null",
		"{}",
		"smartctl: not found",
		"{\"smart_status\":true,\"temperature\":31,\"ata_smart_attributes\":[]}",
		"{\"smart_status\":{\"passed\":\"yes\"},\"temperature\":{\"current\":\"hot\"}}",
		"{\"ata_smart_attributes\":{\"table\":[null,5,{\"id\":5},{\"id\":\"5\"}]}}",
		"{\"ata_smart_attributes\":{\"table\":[{\"id\":5,\"raw\":{\"value\":-3}}]}}",
		"{\"ata_smart_attributes\":{\"table\":[{\"id\":197,\"raw\":{\"value\":1.5}}]}}",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
	};

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		parse(odd[i], &health);
		ck_assert_msg(!health_is_known(&health), "%s", odd[i]);
		ck_assert_msg(health.why[0], "%s", odd[i]);
	}
}

TEST(its_reason_is_told_and_harmless)
{
	parse("{\"smartctl\":{\"messages\":[{\"string\":\"/dev/x: \\u001b[31mUnable\"}]}}",
	      &health);
	ck_assert(!health_is_known(&health));
	ck_assert_str_eq(health.why, "/dev/x: ?[31mUnable");
}

/* ---- programs in smartctl's place ---- */

static const char *program(const char *name, const char *body)
{
	const char *path = path_of(name);
	FILE *f = fopen(path, "we");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\n%s\n", body);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, 0700), 0);
	return path;
}

static void ask(const char *path, uint64_t timeout, struct health *a, struct health *b)
{
	const struct health_end ends[] = { { "/dev/one", false, "" }, { "/dev/two", true, "" } };
	struct health answers[2];

	smartctl_ask(path, ends, answers, 2, timeout);
	*a = answers[0];
	*b = answers[1];
}

UNIT_CASE(.setup = folder_make, .teardown = folder_remove, .timeout = 60);

TEST(each_is_asked_for_its_node)
{
	struct health a, b;
	const char *path = program("ok", "case \"$*\" in\n"
					 "'--json -H -A -i /dev/one') t=31 ;;\n"
					 "'--json -H -A -i --log=error /dev/two') t=32 ;;\n"
					 "esac\n"
					 "echo \"{\\\"temperature\\\":{\\\"current\\\":$t}}\"\n"
					 "exit 4");

	ask(path, TIMEOUT, &a, &b);
	ck_assert_int_eq(a.values[HEALTH_TEMPERATURE], 31);
	ck_assert_int_eq(b.values[HEALTH_TEMPERATURE], 32);
	ck_assert_int_ne(a.time, 0);
}

TEST(one_that_hangs_is_not_waited_for)
{
	struct health a, b;
	uint64_t begun = clock_monotonic();

	ask(program("hangs", "echo '{'; sleep 1000"), 200 * NSEC_PER_MSEC, &a, &b);
	/* Far from the thousand seconds, also on a machine that has much to do. */
	ck_assert_uint_lt(clock_monotonic() - begun, 500 * NSEC_PER_SEC);
	ck_assert(!health_is_known(&a));
	ck_assert_ptr_nonnull(strstr(a.why, "in time"));
	ck_assert_ptr_nonnull(strstr(b.why, "in time"));
}

TEST(one_that_never_ends_talking_is_cut_off)
{
	struct health a, b;

	ask(program("talks", "exec yes"), TIMEOUT, &a, &b);
	ck_assert(!health_is_known(&a));
	ck_assert(a.why[0]);
}

TEST(one_that_is_not_there)
{
	struct health a, b;

	ask("/nonexistent/smartctl", TIMEOUT, &a, &b);
	ck_assert(!health_is_known(&a));
	ck_assert(a.why[0]);
	ask(program("silent", "exit 1"), TIMEOUT, &a, &b);
	ck_assert(!health_is_known(&b));
	ck_assert(b.why[0]);
}

TEST(disks_without_health_are_not_asked)
{
	struct disk disk = { .kind = DISK_LOOP };
	struct health_end end;

	text_copy(disk.node, sizeof(disk.node), "/dev/loop0");
	health_address(&disk, &end);
	ck_assert_str_eq(end.node, "");
	ck_assert(!end.error_counters);
	smartctl_ask("/nonexistent/smartctl", &end, &health, 1, TIMEOUT);
	ck_assert(!health_is_known(&health));
	ck_assert_str_eq(health.why, "");
	disk.kind = DISK_SCSI;
	health_address(&disk, &end);
	ck_assert_str_eq(end.node, "/dev/loop0");
	text_copy(disk.sg, sizeof(disk.sg), "/dev/sg0");
	health_address(&disk, &end);
	ck_assert_str_eq(end.node, "/dev/sg0");
	ck_assert(end.error_counters);
	text_copy(disk.transport, sizeof(disk.transport), "usb");
	health_address(&disk, &end);
	ck_assert_str_eq(end.node, "/dev/loop0");
	ck_assert(!end.error_counters);
}
