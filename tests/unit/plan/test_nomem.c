/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory runs out at the first, second, third … allocation: each time -ENOMEM,
 * nothing half done, nothing leaked (the address sanitizer counts), until there
 * is enough. The linker leads the allocations of the code under test here.
 */
#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include "base/log.h"
#include "disks.h"
#include "plan/picture.h"
#include "plan/rangespec.h"

void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);

static bool armed;
static int allowed; /* allocations that succeed */

static bool runs_out(void)
{
	return armed && allowed-- <= 0;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return runs_out() ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return runs_out() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *text)
{
	return runs_out() ? NULL : __real_strdup(text);
}

/* Calls `attempt` with room for 0, 1, 2 … allocations until it succeeds; returns how many it
 * took. */
static int exhaust(int (*attempt)(struct error *reterr))
{
	for (int room = 0; room < 20; room++) {
		struct error error = { 0 };

		armed = true;
		allowed = room;
		int code = attempt(&error);

		armed = false;
		if (code == 0)
			return room;
		ck_assert_int_eq(code, -ENOMEM);
		if (error.code != 0) {
			ck_assert_int_eq(error.code, -ENOMEM);
			ck_assert_int_eq(error.class, ERROR_CLASS_ENVIRONMENT);
		}
	}
	ck_abort_msg("it never has enough");
	return -1;
}

static struct disk sda, sdb;
static struct partition parts[2] = { { .number = 1, .start = 10, .sectors = 10 },
				     { .number = 2, .start = 30, .sectors = 10 } };
static struct endpoint source, destination;
static struct range_list list, other;

static void setup(void)
{
	sda = test_disk("sda", 0, 1000, 512);
	sdb = test_disk("sdb", 16, 1000, 512);
	sdb.partitions = parts;
	sdb.partition_count = 2;
	source = test_whole(&sda);
	destination = test_whole(&sdb);
	list = other = (struct range_list){ 0 };
	/* As many as the first allocation holds: the next one grows. */
	for (uint64_t i = 0; i < 8; i++)
		ck_assert_int_eq(range_list_add(&list, (struct range){ 10 * i, 5 }), 0);
}

static void teardown(void)
{
	range_list_done(&list);
	range_list_done(&other);
}

static int add(struct error *reterr)
{
	int code = range_list_add(&list, (struct range){ 500, 1 });

	ck_assert_uint_eq(range_list_total(&list), code < 0 ? 40 : 41);
	return code;
}

static int split(struct error *reterr)
{
	int code = range_list_subtract(&list, (struct range){ 2, 1 });

	ck_assert_uint_eq(range_list_total(&list), code < 0 ? 40 : 39);
	return code;
}

static int copy(struct error *reterr)
{
	return range_list_copy(&list, &other);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(ranges)
{
	ck_assert_int_eq(exhaust(copy), 1);
	ck_assert_int_eq(exhaust(add), 1);
}

TEST(splitting)
{
	ck_assert_int_eq(exhaust(split), 1);
	/* What needs no more room does without. */
	ck_assert_int_eq(exhaust(split), 0);
}

static int make_plan(struct error *reterr)
{
	struct plan *plan = NULL;
	int code = plan_new(&source, &destination, &list, NULL, NULL, NULL, &plan, reterr);

	ck_assert((code == 0) == (plan != NULL));
	ck_assert_int_eq(code, reterr->code);
	plan_destroy(plan);
	return code;
}

static int lose(struct error *reterr)
{
	struct lost *lost = NULL;
	size_t count = 0;
	struct plan *plan;
	bool was_armed = armed;

	armed = false;
	ck_assert_int_eq(plan_new(&source, &destination, &list, NULL, NULL, NULL, &plan, NULL), 0);
	armed = was_armed;

	int code = picture_lost(plan, &sdb, NULL, &lost, &count);

	ck_assert_uint_eq(count, code < 0 ? 0 : 2);
	free(lost);
	plan_destroy(plan);
	return code;
}

TEST(plans)
{
	ck_assert_int_eq(exhaust(make_plan), 3);
	ck_assert_int_eq(exhaust(lose), 1);
}

static const struct rangespec_context context = { .sectors = 1000, .sector_size = 512 };

static int parse(struct error *reterr)
{
	struct range_list parsed = { 0 };
	struct rangespec_error error = { 0 };
	int code = rangespec_parse("1-2,4-5,7-8,10-11,13-14,16-17,19-20,22-23,25-26", &context,
				   &parsed, NULL, &error);

	ck_assert((code == 0) == (parsed.items != NULL));
	ck_assert((code < 0) == (error.sentence[0] != '\0'));
	range_list_done(&parsed);
	return code;
}

static int print(struct error *reterr)
{
	char *text = rangespec_print(&list, &context);

	free(text);
	return text ? 0 : -ENOMEM;
}

TEST(texts)
{
	ck_assert_int_eq(exhaust(parse), 2);
	ck_assert_int_eq(exhaust(print), 1);
}

static char log_name[] = "/tmp/clonedeck-nomem-XXXXXX";

static int open_log(struct error *reterr)
{
	struct log *log = NULL;
	int code = log_open(log_name, &log, reterr);

	ck_assert((code == 0) == (log != NULL));
	ck_assert_int_eq(code, reterr->code);
	log_close(log);
	return code;
}

TEST(logs)
{
	int fd = mkstemp(log_name);

	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(exhaust(open_log), 4);
	unlink(log_name);
}
