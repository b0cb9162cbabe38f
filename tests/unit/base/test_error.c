/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error object: filled, wrapped, printable, and never success by accident. */
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/error.h"

TEST(fills)
{
	struct error error;

	memset(&error, 0xff, sizeof(error));
	ck_assert_int_eq(error_set(&error, ERROR_CLASS_SOURCE, -EIO, "read", "/dev/sda",
				   "reading %s failed", "/dev/sda"),
			 -EIO);
	ck_assert_int_eq(error.code, -EIO);
	ck_assert_int_eq(error.class, ERROR_CLASS_SOURCE);
	ck_assert_str_eq(error.operation, "read");
	ck_assert_str_eq(error.device, "/dev/sda");
	ck_assert_str_eq(error.sentence, "reading /dev/sda failed");
	ck_assert(!error.has_lba);
	ck_assert(!error.sense.known);
}

TEST(knows_the_place)
{
	struct error error = { 0 };

	ck_assert_int_eq(error_set_at(&error, ERROR_CLASS_DESTINATION, -ENOSPC, "write", "/dev/sdb",
				      UINT64_MAX, 8, "at %d", 5),
			 -ENOSPC);
	ck_assert(error.has_lba);
	ck_assert_uint_eq(error.lba, UINT64_MAX);
	ck_assert_uint_eq(error.sectors, 8);
	ck_assert_str_eq(error.sentence, "at 5");
	/* The next error does not inherit it. */
	error_set(&error, ERROR_CLASS_USAGE, -EINVAL, NULL, NULL, "%s", "x");
	ck_assert(!error.has_lba);
	ck_assert_uint_eq(error.lba, 0);
	ck_assert_str_eq(error.operation, "");
	ck_assert_str_eq(error.device, "");
}

TEST(nobody_listens)
{
	ck_assert_int_eq(error_set(NULL, ERROR_CLASS_SOURCE, -EIO, "read", "x", "%s", "x"), -EIO);
	ck_assert_int_eq(error_set_at(NULL, ERROR_CLASS_SOURCE, -EIO, "read", "x", 1, 1, "%s", "x"),
			 -EIO);
	ck_assert_int_eq(error_nomem(NULL), -ENOMEM);
}

TEST(never_success)
{
	struct error error;

	ck_assert_int_eq(error_set(&error, ERROR_CLASS_SOURCE, EIO, "read", "x", "%s", "x"), -EIO);
	ck_assert_int_eq(error.code, -EIO);
	ck_assert_int_lt(error_set(&error, ERROR_CLASS_SOURCE, 0, "read", "x", "%s", "x"), 0);
	ck_assert_int_lt(error.code, 0);
	ck_assert_int_lt(error_set(NULL, ERROR_CLASS_SOURCE, 0, "read", "x", "%s", "x"), 0);
}

TEST(hostile_text)
{
	struct error error;
	char longer[4096];

	error_set(&error, ERROR_CLASS_SOURCE, -EIO, "read", "/dev/\033[2J", "label '%s'\nnext",
		  "\033]0;x\007\xe2\x80\xae\xff-");
	ck_assert_str_eq(error.device, "/dev/%1B[2J");
	ck_assert_str_eq(error.sentence, "label '%1B]0;x%07%E2%80%AE%FF-'%0Anext");
	/* Longer than the fields: cut between characters. */
	memset(longer, 'a', sizeof(longer));
	for (size_t i = 1; i + 2 < sizeof(longer); i += 2)
		memcpy(longer + i, "\xc3\xa9", 2);
	longer[sizeof(longer) - 1] = '\0';
	error_set(&error, ERROR_CLASS_SOURCE, -EIO, longer, longer, "%s", longer);
	ck_assert_uint_eq(strlen(error.sentence), sizeof(error.sentence) - 1);
	ck_assert_uint_ge(strlen(error.operation), sizeof(error.operation) - 2);
	ck_assert_uint_ge(strlen(error.device), sizeof(error.device) - 2);
	ck_assert_uint_eq((unsigned char)error.sentence[strlen(error.sentence) - 1], 0xa9);
	ck_assert_uint_eq((unsigned char)error.device[strlen(error.device) - 1], 0xa9);
}

TEST(wraps_itself)
{
	struct error error;

	error_set(&error, ERROR_CLASS_ENVIRONMENT, -EACCES, "open", "/dev/sda", "%s", "no right");
	error_set(&error, ERROR_CLASS_ENVIRONMENT, -EACCES, error.operation, error.device,
		  "could not look at %s: %s", error.device, error.sentence);
	ck_assert_str_eq(error.sentence, "could not look at /dev/sda: no right");
	ck_assert_str_eq(error.device, "/dev/sda");
	ck_assert_str_eq(error.operation, "open");
}

TEST(memory)
{
	struct error error = { 0 };

	ck_assert_int_eq(error_nomem(&error), -ENOMEM);
	ck_assert_int_eq(error.class, ERROR_CLASS_ENVIRONMENT);
	ck_assert_uint_gt(strlen(error.sentence), 10);
}

TEST(phrases)
{
	ck_assert_str_eq(error_phrase(EIO), "medium or transport error");
	ck_assert_str_eq(error_phrase(-EIO), "medium or transport error");
	ck_assert_str_eq(error_phrase(-ENODEV), "device is gone");
	/* No phrase of ours: the C library's. */
	ck_assert_str_eq(error_phrase(-EXDEV), strerror(EXDEV));
	ck_assert_uint_gt(strlen(error_phrase(99999)), 0);
	ck_assert_uint_gt(strlen(error_phrase(INT_MIN)), 0);
	ck_assert_uint_gt(strlen(error_phrase(0)), 0);
}

TEST(exit_codes)
{
	const struct {
		enum error_class class;
		enum exit_code code;
	} ends[] = {
		{ ERROR_CLASS_USAGE, EXIT_USAGE },
		{ ERROR_CLASS_ENVIRONMENT, EXIT_ENVIRONMENT },
		{ ERROR_CLASS_REFUSED, EXIT_REFUSED },
		{ ERROR_CLASS_SOURCE, EXIT_STOPPED },
		{ ERROR_CLASS_DESTINATION, EXIT_DESTINATION_FAILED },
		{ ERROR_CLASS_INTERNAL, EXIT_INTERNAL },
		{ ERROR_CLASS_NONE, EXIT_INTERNAL }, /* failed, but nobody said how */
		{ (enum error_class)99, EXIT_INTERNAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct error error = { .code = -EIO, .class = ends[i].class };

		ck_assert_int_eq(error_exit_code(&error), ends[i].code);
	}
	ck_assert_int_eq(error_exit_code(&(struct error){ 0 }), EXIT_COMPLETE);
	/* The numbers are a contract with scripts. */
	ck_assert_int_eq(EXIT_COMPLETE, 0);
	ck_assert_int_eq(EXIT_REFUSED, 3);
	ck_assert_int_eq(EXIT_INTERNAL, 8);
}
