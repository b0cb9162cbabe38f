/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cache behind a USB bridge. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "io/bridge.h"
#include "sg_rig.h"

#define SYNCHRONIZE_CACHE 0x35
#define CHECK_CONDITION   2
#define DID_NO_CONNECT    1

static int flush(struct error *reterr)
{
	return bridge_flush(&disk.driver, &end, reterr);
}

static void setup(void)
{
	sg_rig_set_up();
	end.kind = DISK_SCSI;
	text_copy(end.transport, sizeof(end.transport), "usb");
}

/* times 0: always. */
static void answer(uint8_t key, uint8_t asc, uint8_t ascq, unsigned times, bool deferred)
{
	disk_answers(.op = SYNCHRONIZE_CACHE, .lba = ANY_LBA, .times = times ? times : 1000,
		     .status = CHECK_CONDITION, .key = key, .asc = asc, .ascq = ascq,
		     .deferred = deferred);
}

UNIT_CASE(.setup = setup, .teardown = sg_rig_tear_down, .timeout = 60);

TEST(disk_is_asked_itself)
{
	ck_assert_int_eq(flush(NULL), 0);
	ck_assert_uint_eq(disk.synchronized, 1);
	/* No data command of it is used. */
	ck_assert_uint_eq(disk.writes + disk.reads, 0);
}

/* Where the kernel knows better, and what takes no such commands. */
TEST(others_are_not_asked)
{
	text_copy(end.transport, sizeof(end.transport), "sata");
	ck_assert_int_eq(flush(NULL), 0);
	text_copy(end.transport, sizeof(end.transport), "usb");
	end.kind = DISK_MMC;
	ck_assert_int_eq(flush(NULL), 0);
	end.kind = DISK_SCSI;
	end.regular_file = true;
	ck_assert_int_eq(flush(NULL), 0);
	ck_assert_uint_eq(disk.synchronized, 0);
}

/* Invalid command; never ready. */
TEST(who_does_not_know_it_has_no_cache)
{
	answer(5, 0x20, 0, 0, false);
	ck_assert_int_eq(flush(NULL), 0);
	disk.rule_count = 0;
	answer(2, 0x74, 0, 0, false);
	ck_assert_int_eq(flush(NULL), 0);
}

/* fsync() of a node without a known cache says nothing of a disk that is not there. */
TEST(what_is_gone_confirms_nothing)
{
	struct error error = { 0 };

	disk.gone = true;
	ck_assert_int_eq(flush(&error), -ENODEV);
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
	ck_assert_str_eq(error.operation, "flush");
	disk.gone = false;
	disk_answers(.op = SYNCHRONIZE_CACHE, .lba = ANY_LBA, .times = 1,
		     .host_status = DID_NO_CONNECT);
	ck_assert_int_eq(flush(NULL), -ENODEV);
	answer(2, 0x3a, 0, 1, false);
	ck_assert_int_eq(flush(NULL), -ENOMEDIUM);
}

/* That mode parameters have changed is nobody's loss. */
TEST(harmless_news_are_heard_first)
{
	answer(6, 0x2a, 0x01, 2, false);
	ck_assert_int_eq(flush(NULL), 0);
	ck_assert_uint_eq(disk.synchronized, 1);
}

/* Each is told once, and to us: the next write would not hear that the disk has lost its cache, or
 * that another medium lies there. */
TEST_ROWS(what_began_anew_confirms_nothing, 4)
{
	static const struct {
		uint8_t asc, ascq;
	} news[] = { { 0x29, 0 }, { 0x29, 1 }, { 0x28, 0 }, { 0x3f, 0x03 } };
	struct error error = { 0 };

	answer(6, news[_i].asc, news[_i].ascq, 1, false);
	ck_assert_int_eq(flush(&error), -ESTALE);
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
	ck_assert_msg(strstr(error.sentence, "Resume") != NULL, "%s", error.sentence);
}

static const struct {
	uint8_t key, asc;
	bool deferred;
} losses[] = { { 3, 0x0c, false }, { 4, 0x44, false }, { 3, 0x0c, true }, { 4, 0x03, true } };

TEST_ROWS(what_was_lost_is_an_error, ARRAY_SIZE(losses))
{
	struct error error = { 0 };

	answer(losses[_i].key, losses[_i].asc, 0, 0, losses[_i].deferred);
	ck_assert_int_lt(flush(&error), 0);
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
	ck_assert_str_eq(error.operation, "flush");
	ck_assert_msg(strstr(error.sentence, "Resume") != NULL, "%s", error.sentence);
}
