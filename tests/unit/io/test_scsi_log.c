/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log pages as disks give them, and as they should not. */
#include "unit.h"

#include <string.h>

#include "io/scsi_log.h"

#define TAKE(page, health, ...)                                                                    \
	do {                                                                                       \
		const uint8_t data[] = { __VA_ARGS__ };                                            \
		scsi_log_take(page, data, sizeof(data), health);                                   \
	} while (0)

static struct health health;

static void set_up(void)
{
	health_clear(&health, NULL);
}

static void knows_nothing(void)
{
	ck_assert_int_eq(health.passed, UNKNOWN);
	for (int i = 0; i < HEALTH_FIELDS; i++)
		ck_assert_msg(health.values[i] == HEALTH_UNKNOWN, "%s",
			      health_field_name((enum health_field)i));
}

START_TEST(commands_are_as_in_the_standard)
{
	const uint8_t log[] = { 0x4d, 0, 0x4d, 0, 0, 0, 0, 0, 252, 0 };
	const uint8_t defects[] = { 0x37, 0, 0x0d, 0, 0, 0, 0, 0, 4, 0 };
	struct scsi_cdb cdb;

	scsi_cdb_log_sense(0x0d, SCSI_LOG_MAX, &cdb);
	ck_assert_uint_eq(cdb.length, sizeof(log));
	ck_assert_mem_eq(cdb.bytes, log, sizeof(log));
	scsi_cdb_grown_defects(&cdb);
	ck_assert_uint_eq(cdb.length, sizeof(defects));
	ck_assert_mem_eq(cdb.bytes, defects, sizeof(defects));
}
END_TEST

START_TEST(the_list_of_pages)
{
	const uint8_t list[] = { 0, 0, 0, 3, 0x00, 0x0d, 0x2f, 0x03 };

	ck_assert(scsi_log_lists(list, sizeof(list), 0x0d));
	ck_assert(scsi_log_lists(list, sizeof(list), 0x2f));
	/* behind its end */
	ck_assert(!scsi_log_lists(list, sizeof(list), 0x03));
	ck_assert(!scsi_log_lists(list, 5, 0x0d));
	ck_assert(!scsi_log_lists(list, 0, 0x0d));
}
END_TEST

START_TEST(temperature)
{
	TAKE(0x0d, &health, 0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 38, 0, 1, 3, 2, 0, 65);
	ck_assert_int_eq(health.values[HEALTH_TEMPERATURE], 38);
	set_up();
	TAKE(0x0d, &health, 0x0d, 0, 0, 6, 0, 0, 3, 2, 0, 0xff);
	knows_nothing();
}
END_TEST

START_TEST(error_counters_of_any_length)
{
	/* corrected 0x0102 in two bytes, uncorrected 7 in eight, and what we do not ask for */
	TAKE(0x03, &health, 0x03, 0, 0, 24, 0, 3, 3, 2, 1, 2, 0, 6, 3, 8, 0, 0, 0, 0, 0, 0, 0, 7, 0,
	     4, 3, 2, 9, 9);
	ck_assert_int_eq(health.values[HEALTH_READ_CORRECTED], 0x0102);
	ck_assert_int_eq(health.values[HEALTH_READ_UNCORRECTED], 7);
	ck_assert(health.values[HEALTH_WRITE_CORRECTED] == HEALTH_UNKNOWN);
	TAKE(0x02, &health, 0x02, 0, 0, 5, 0, 3, 3, 1, 11);
	TAKE(0x05, &health, 0x05, 0, 0, 5, 0, 6, 3, 1, 12);
	TAKE(0x06, &health, 0x06, 0, 0, 5, 0, 0, 3, 1, 13);
	ck_assert_int_eq(health.values[HEALTH_WRITE_CORRECTED], 11);
	ck_assert_int_eq(health.values[HEALTH_VERIFY_UNCORRECTED], 12);
	ck_assert_int_eq(health.values[HEALTH_NON_MEDIUM], 13);
}
END_TEST

START_TEST(hours_endurance_and_verdict)
{
	/* 0x0000ea60 minutes */
	TAKE(0x15, &health, 0x15, 0, 0, 8, 0, 0, 3, 4, 0, 0, 0xea, 0x60);
	ck_assert_int_eq(health.values[HEALTH_POWER_ON], 1000);
	TAKE(0x11, &health, 0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, 17);
	ck_assert_int_eq(health.values[HEALTH_USED], 17);
	TAKE(0x2f, &health, 0x2f, 0, 0, 8, 0, 0, 3, 4, 0, 0, 41, 65);
	ck_assert_int_eq(health.passed, YES);
	ck_assert_int_eq(health.values[HEALTH_TEMPERATURE], 41);
	TAKE(0x2f, &health, 0x2f, 0, 0, 8, 0, 0, 3, 4, 0x5d, 0x10, 50, 65);
	ck_assert_int_eq(health.passed, NO);
	/* the page of the temperature is the better word */
	ck_assert_int_eq(health.values[HEALTH_TEMPERATURE], 41);
}
END_TEST

START_TEST(grown_defects)
{
	const uint8_t some[] = { 0, 0x0d, 0, 24 }, none[] = { 0, 0x0d, 0, 0 };
	const uint8_t only_primary[] = { 0, 0x15, 0, 24 }, odd[] = { 0, 0x0e, 0, 24 };

	scsi_take_grown_defects(only_primary, 4, &health);
	scsi_take_grown_defects(odd, 4, &health);
	scsi_take_grown_defects(some, 3, &health);
	knows_nothing();
	scsi_take_grown_defects(some, 4, &health);
	ck_assert_int_eq(health.values[HEALTH_GROWN_DEFECTS], 3);
	scsi_take_grown_defects(none, 4, &health);
	ck_assert_int_eq(health.values[HEALTH_GROWN_DEFECTS], 0);
}
END_TEST

START_TEST(what_is_no_such_page_tells_nothing)
{
	TAKE(0x03, &health, 0x03, 0, 0);                            /* no header */
	TAKE(0x03, &health, 0x02, 0, 0, 5, 0, 3, 3, 1, 11);         /* another page */
	TAKE(0x03, &health, 0x43, 1, 0, 5, 0, 3, 3, 1, 11);         /* a subpage */
	TAKE(0x03, &health, 0x03, 0, 0xff, 0xff, 0, 3, 3, 200, 11); /* beyond the end */
	TAKE(0x03, &health, 0x03, 0, 0, 4, 0, 3, 3, 0);             /* no value */
	TAKE(0x03, &health, 0x03, 0, 0, 12, 0, 3, 3, 8, 255, 0, 0, 0, 0, 0, 0, 0);
	TAKE(0x03, &health, 0x03, 0, 0, 13, 0, 3, 3, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0);
	TAKE(0x0d, &health, 0x0d, 0, 0, 5, 0, 0, 3, 1, 38);
	TAKE(0x15, &health, 0x15, 0, 0, 6, 0, 0, 3, 2, 1, 1);
	TAKE(0x2f, &health, 0x2f, 0, 0, 5, 0, 0, 3, 1, 0);
	TAKE(0x11, &health, 0x11, 0, 0, 5, 0, 1, 3, 1, 9);
	knows_nothing();
}
END_TEST

START_TEST(ata_behind_a_translator)
{
	uint8_t inquiry[36] = { 0 };

	memcpy(inquiry + 8, "SEAGATE ", 8);
	ck_assert(!scsi_inquiry_is_ata(inquiry, sizeof(inquiry)));
	memcpy(inquiry + 8, "ATA     ", 8);
	ck_assert(scsi_inquiry_is_ata(inquiry, sizeof(inquiry)));
	ck_assert(!scsi_inquiry_is_ata(inquiry, 8));
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("scsi_log");
	TCase *tc = tcase_create("what disks write down");

	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, commands_are_as_in_the_standard);
	tcase_add_test(tc, the_list_of_pages);
	tcase_add_test(tc, temperature);
	tcase_add_test(tc, error_counters_of_any_length);
	tcase_add_test(tc, hours_endurance_and_verdict);
	tcase_add_test(tc, grown_defects);
	tcase_add_test(tc, what_is_no_such_page_tells_nothing);
	tcase_add_test(tc, ata_behind_a_translator);
	suite_add_tcase(suite, tc);
	return suite;
}
