/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asking a scripted disk for its health, at once and while a copy runs on it. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "io/sg_gauge.h"
#include "io/sg_health.h"
#include "fake/sg_script.h"

#define FD       SG_SCRIPT_FD
#define PATIENCE (100 * NSEC_PER_MSEC)

static const uint8_t temperature[] = { 0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 38, 0, 1, 3, 2, 0, 65 };
static const uint8_t exceptions[] = { 0x2f, 0, 0, 8, 0, 0, 3, 4, 0, 0, 40, 65 };
static const uint8_t read_errors[] = { 0x03, 0, 0, 12, 0, 3, 3, 2, 1, 2, 0, 6, 3, 2, 0, 7 };

static struct sg_script disk;
static struct health health;

static void set_up(void)
{
	int fd;

	sg_script_init(&disk, 8192, 512);
	disk.inside = true;
	disk.logs[0x0d] = temperature;
	disk.logs[0x2f] = exceptions;
	disk.logs[0x03] = read_errors;
	ck_assert_int_eq(disk.driver.reopen(&disk.driver, 0, &fd), 0);
	ck_assert_int_eq(fd, FD);
}

static void tear_down(void)
{
	sg_script_done(&disk);
}

static int ask(void)
{
	return sg_health_ask_by(&disk.driver, FD, PATIENCE, &health);
}

START_TEST(a_disk_tells)
{
	char words[256];

	disk.defects = 5;
	ck_assert_int_eq(ask(), 0);
	ck_assert_int_eq(health.passed, YES);
	ck_assert_int_eq(health.values[HEALTH_TEMPERATURE], 38);
	ck_assert_int_eq(health.values[HEALTH_READ_CORRECTED], 0x0102);
	ck_assert_int_eq(health.values[HEALTH_READ_UNCORRECTED], 7);
	ck_assert_int_eq(health.values[HEALTH_GROWN_DEFECTS], 5);
	ck_assert(health.values[HEALTH_WRITE_CORRECTED] == HEALTH_UNKNOWN);
	ck_assert_int_gt(health.time, 0);
	ck_assert_str_eq(health_print(&health, words, sizeof(words)),
			 "passed, grown defects 5, read errors uncorrected 7, temperature 38 C, "
			 "read errors corrected 258");
}
END_TEST

START_TEST(a_disk_without_log_pages)
{
	memset(disk.logs, 0, sizeof(disk.logs));
	ck_assert_int_eq(ask(), -EOPNOTSUPP);
	ck_assert(!health_is_known(&health));
	ck_assert(health.why[0]);
}
END_TEST

/* Those behind a translator are asked as ATA disks want it. */
START_TEST(an_ata_disk_is_not_asked)
{
	disk.vendor = "ATA     ";
	ck_assert_int_eq(ask(), -EOPNOTSUPP);
	ck_assert_uint_eq(disk.last_op, 0x12);
}
END_TEST

START_TEST(news_from_before_is_passed_over)
{
	sg_script_add(&disk, &(struct sg_script_rule){ .op = 0x4d,
						       .lba = ANY_LBA,
						       .times = 2,
						       .status = 2,
						       .key = 6,
						       .asc = 0x29 });
	ck_assert_int_eq(ask(), 0);
	ck_assert_int_eq(health.values[HEALTH_TEMPERATURE], 38);
}
END_TEST

START_TEST(a_disk_that_is_gone)
{
	disk.gone = true;
	ck_assert_int_lt(ask(), 0);
	ck_assert(!health_is_known(&health));
	ck_assert(health.why[0]);
}
END_TEST

static int never(const struct sg_driver *driver, const int *fds, unsigned count,
		 uint64_t timeout_ns)
{
	return -ETIMEDOUT;
}

START_TEST(a_disk_that_hangs_is_not_waited_for)
{
	disk.driver.wait = never;
	ck_assert_int_eq(ask(), -ETIMEDOUT);
	ck_assert(!health_is_known(&health));
	ck_assert(health.why[0]);
}
END_TEST

START_TEST(only_scsi_disks_are_asked)
{
	struct disk seen = { .kind = DISK_SCSI, .sg = "/dev/sg3" };

	text_copy(seen.transport, sizeof(seen.transport), "sas");
	ck_assert_str_eq(sg_health_node(&seen), "/dev/sg3");
	text_copy(seen.transport, sizeof(seen.transport), "usb");
	ck_assert_str_eq(sg_health_node(&seen), "");
	text_copy(seen.transport, sizeof(seen.transport), "sata");
	ck_assert_str_eq(sg_health_node(&seen), "");
	seen = (struct disk){ .kind = DISK_NVME };
	ck_assert_str_eq(sg_health_node(&seen), "");
}
END_TEST

START_TEST(the_gauge_reads_as_it_goes)
{
	struct sg_gauge *gauge = sg_gauge_new(&disk.driver, FD, NULL);
	int degrees = 0;

	ck_assert(!sg_gauge_read(gauge, &degrees));
	sg_gauge_ask(gauge);
	/* one question at a time */
	sg_gauge_ask(gauge);
	ck_assert_uint_eq(disk.pending_count, 1);
	ck_assert(sg_gauge_read(gauge, &degrees));
	ck_assert_int_eq(degrees, 38);
	/* it stays known while nothing newer is */
	sg_gauge_ask(gauge);
	ck_assert(sg_gauge_read(gauge, &degrees));
	sg_gauge_destroy(gauge);
	ck_assert_uint_eq(disk.opened, 0);
}
END_TEST

START_TEST(a_disk_without_a_thermometer_is_asked_once)
{
	struct sg_gauge *gauge = sg_gauge_new(&disk.driver, FD, NULL);
	int degrees;

	disk.logs[0x0d] = NULL;
	sg_gauge_ask(gauge);
	ck_assert(!sg_gauge_read(gauge, &degrees));
	sg_gauge_ask(gauge);
	ck_assert_uint_eq(disk.pending_count, 0);
	sg_gauge_destroy(gauge);
}
END_TEST

/* It was told once, and to us: who writes has to hear of it. */
START_TEST(the_gauge_passes_on_that_the_disk_was_reset)
{
	struct sg_trust *trust = NULL;
	struct sense sense;
	int degrees;

	ck_assert_int_eq(sg_trust_new(&trust, NULL), 0);
	struct sg_gauge *gauge = sg_gauge_new(&disk.driver, FD, trust);

	sg_script_add(&disk, &(struct sg_script_rule){ .op = 0x4d,
						       .lba = ANY_LBA,
						       .times = 1,
						       .status = 2,
						       .key = 6,
						       .asc = 0x29 });
	sg_trust_write_begins(trust);
	sg_trust_write_ends(trust);
	sg_gauge_ask(gauge);
	ck_assert(!sg_gauge_read(gauge, &degrees));
	ck_assert_int_eq(sg_trust_lost(trust, &sense), -ESTALE);
	ck_assert_uint_eq(sense.asc, 0x29);
	/* the disk itself can still be asked */
	sg_gauge_ask(gauge);
	ck_assert(sg_gauge_read(gauge, &degrees));
	sg_gauge_destroy(gauge);
	sg_trust_unref(trust);
}
END_TEST

/* A flush that did not wait for its answer, or waited in vain, would hang or lie. */
START_TEST(a_question_on_the_way_belongs_to_the_trust)
{
	struct sg_trust *trust = NULL;
	struct sense sense;
	int degrees;

	ck_assert_int_eq(sg_trust_new(&trust, NULL), 0);
	struct sg_gauge *gauge = sg_gauge_new(&disk.driver, FD, trust);

	sg_gauge_ask(gauge);
	ck_assert(sg_gauge_read(gauge, &degrees));
	sg_trust_flush_begin(trust);
	ck_assert_int_eq(sg_trust_flush_end(trust, 0, &sense), 0);
	/* given up with its question on the way, or refused */
	sg_gauge_ask(gauge);
	sg_gauge_destroy(gauge);
	sg_trust_flush_begin(trust);
	ck_assert_int_eq(sg_trust_flush_end(trust, 0, &sense), 0);
	sg_trust_unref(trust);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("sg_health");
	TCase *tc = tcase_create("asked");
	TCase *gauge = tcase_create("gauge");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, a_disk_tells);
	tcase_add_test(tc, a_disk_without_log_pages);
	tcase_add_test(tc, an_ata_disk_is_not_asked);
	tcase_add_test(tc, news_from_before_is_passed_over);
	tcase_add_test(tc, a_disk_that_is_gone);
	tcase_add_test(tc, a_disk_that_hangs_is_not_waited_for);
	tcase_add_test(tc, only_scsi_disks_are_asked);
	suite_add_tcase(suite, tc);
	tcase_add_checked_fixture(gauge, set_up, tear_down);
	tcase_set_timeout(gauge, 20);
	tcase_add_test(gauge, the_gauge_reads_as_it_goes);
	tcase_add_test(gauge, a_disk_without_a_thermometer_is_asked_once);
	tcase_add_test(gauge, the_gauge_passes_on_that_the_disk_was_reset);
	tcase_add_test(gauge, a_question_on_the_way_belongs_to_the_trust);
	suite_add_tcase(suite, gauge);
	return suite;
}
