/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of digests: saved and loaded, and in hostile hands. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plan.h"
#include "digest/list.h"

#define PLAN_LINES "# clonedeck plan=0badcafe\n# clonedeck sector_size=512\n"

static char path[64];
static struct plan *plan;
static struct digests *digests;
static struct range_list left_out;

static void setup(void)
{
	const struct extent extents[] = { { 0, 0, 5000 }, { 6000, 6000, 100 } };
	struct digest_part part = { 0 };

	strcpy(path, "/tmp/clonedeck-digests-XXXXXX");
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	plan = test_plan(extents, 2, 8192);
	ck_assert_int_eq(digests_new(plan, 4096, &digests), 0);
	for (part.region = 0; part.region < digests_count(digests); part.region++) {
		part.sum.digest = (struct digest){ part.region * 77, part.region };
		part.sum.weighted = (struct digest){ part.region * 5, part.region + 9 };
		digests_add(digests, &part);
	}
	left_out = (struct range_list){ 0 };
	ck_assert_int_eq(range_list_add(&left_out, (struct range){ 10, 8 }), 0);
	ck_assert_int_eq(range_list_add(&left_out, (struct range){ 2040, 16 }), 0);
	ck_assert_int_eq(range_list_add(&left_out, (struct range){ 6099, 1 }), 0);
}

static void teardown(void)
{
	range_list_done(&left_out);
	digests_destroy(digests);
	plan_destroy(plan);
	unlink(path);
}

static int count_plan_lines(void *user, const char *line, const char **retwhy)
{
	*(int *)user += !strncmp(line, "# clonedeck ", 12);
	return 0;
}

static int refuse_all(void *user, const char *line, const char **retwhy)
{
	*retwhy = "not this one";
	return -EINVAL;
}

static void save(void)
{
	struct error error = { 0 };

	ck_assert_msg(digest_list_save(digests, 512, PLAN_LINES, &left_out, path, NULL, &error) ==
			      0,
		      "%s", error.sentence);
}

static char *slurp(size_t *retlength)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, 65536);

	ck_assert(file && text);
	*retlength = fread(text, 1, 65535, file);
	fclose(file);
	return text;
}

static void spill(const char *text, size_t length)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, length, file), length);
	fclose(file);
}

UNIT_CASE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(a_list_is_loaded_as_it_was_saved)
{
	struct digest_list list;
	struct digests *back = NULL;
	struct error error = { 0 };
	int plan_lines = 0;

	save();
	ck_assert_msg(digest_list_load(path, count_plan_lines, &plan_lines, &list, &error) == 0,
		      "%s", error.sentence);
	ck_assert_int_eq(plan_lines, 2);
	ck_assert_uint_eq(list.left_out.count, 3);
	ck_assert_uint_eq(list.left_out.items[1].start, 2040);
	ck_assert_uint_eq(list.left_out.items[1].count, 16);
	ck_assert_msg(digests_fill(&list, plan, path, &back, &error) == 0, "%s", error.sentence);
	ck_assert_uint_eq(digests_count(back), digests_count(digests));
	for (size_t i = 0; i < digests_count(back); i++) {
		struct digest_sum a = digests_sum(back, i), b = digests_sum(digests, i);

		ck_assert(digest_equal(a.digest, b.digest));
		ck_assert(digest_equal(a.weighted, b.weighted));
	}
	ck_assert_uint_eq(digests_sum(back, 0).sectors, 2048 - 8 - 8);
	ck_assert_uint_eq(digests_sum(back, 1).sectors, 2048 - 8);
	ck_assert_uint_eq(digests_sum(back, 3).sectors, 99);
	digests_destroy(back);
	digest_list_done(&list);
}

/* Cut off anywhere, or any byte another one: never taken, always with a sentence. */
TEST(every_damage_is_found)
{
	struct digest_list list;
	size_t length;
	int lines = 0;

	save();

	char *text = slurp(&length);
	int memory = memfd_create("digests", MFD_CLOEXEC);

	ck_assert_int_ge(memory, 0);
	unlink(path);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	for (size_t i = 0; i < length; i++) {
		struct error error = { 0 };

		spill(text, i);
		ck_assert_int_lt(digest_list_load(path, count_plan_lines, &lines, &list, &error),
				 0);
		ck_assert(error.sentence[0]);
		text[i] ^= 1;
		spill(text, length);
		ck_assert_msg(digest_list_load(path, count_plan_lines, &lines, &list, NULL) < 0,
			      "byte %zu", i);
		text[i] ^= 1;
	}
	text[length] = 'x';
	spill(text, length + 1);
	ck_assert_int_lt(digest_list_load(path, count_plan_lines, &lines, &list, NULL), 0);
	close(memory);
	free(text);
}

TEST(a_list_of_another_plan_is_refused)
{
	const struct extent extent = { 0, 0, 5000 };
	struct plan *other = test_plan(&extent, 1, 8192);
	struct digests *back = NULL;
	struct digest_list list;
	struct error error = { 0 };
	int lines = 0;

	save();
	ck_assert_int_eq(digest_list_load(path, count_plan_lines, &lines, &list, NULL), 0);
	ck_assert_int_eq(digests_fill(&list, other, path, &back, &error), -EINVAL);
	ck_assert(error.sentence[0]);
	list.region = 1ULL << 62;
	ck_assert_int_eq(digests_fill(&list, plan, path, &back, &error), -EINVAL);
	digest_list_done(&list);
	plan_destroy(other);
	ck_assert_int_eq(digest_list_load(path, refuse_all, NULL, &list, &error), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "not this one"));
}

TEST(what_is_no_file_is_refused)
{
	struct digest_list list;
	struct error error = { 0 };

	ck_assert_int_eq(digest_list_load("/dev/null", refuse_all, NULL, &list, &error), -EINVAL);
	ck_assert_int_eq(digest_list_load("/nowhere/at/all", refuse_all, NULL, &list, &error),
			 -ENOENT);
	ck_assert_int_lt(digest_list_save(digests, 512, PLAN_LINES, &left_out, "/nowhere/at/all",
					  NULL, &error),
			 0);
	ck_assert(error.sentence[0]);
}
