/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files on a disk that hangs: nobody waits longer than they wanted to, and nothing is torn. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/patience.h"

#define PATIENCE (NSEC_PER_SEC / 5)
/* Only a hang takes that long. */
#define FOR_EVER (100 * NSEC_PER_SEC)

static char dir[64], path[96], other[96], folder[80], elsewhere[128];
static struct patience patience;

/* The disk of `dir`, but not of its folder: hangs, then does not. */
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;

int __real_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new);

static bool is_folder(int fd)
{
	struct stat st, other_st;

	return fstat(fd, &st) == 0 && stat(folder, &other_st) == 0 && st.st_ino == other_st.st_ino;
}

int __wrap_renameat(int from, const char *old, int to, const char *new)
{
	if (!is_folder(to)) {
		pthread_mutex_lock(&disk);
		pthread_mutex_unlock(&disk);
	}
	return __real_renameat(from, old, to, new);
}

static void fill(FILE *file, const void *user)
{
	fputs(user, file);
}

static int replace(const char *name, const char *text)
{
	return patience_replace(&patience, name, 0600, fill, text);
}

static void set_up(void)
{
	strcpy(dir, "/tmp/clonedeck-patience-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	snprintf(folder, sizeof(folder), "%s/folder", dir);
	snprintf(elsewhere, sizeof(elsewhere), "%s/file", folder);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	patience = (struct patience){ .ns = FOR_EVER };
}

static void tear_down(void)
{
	patience_done(&patience);
	unlink(path);
	unlink(other);
	unlink(elsewhere);
	rmdir(folder);
	ck_assert_int_eq(rmdir(dir), 0);
}

static const char *content(const char *name)
{
	static char text[64];
	FILE *file = fopen(name, "r");

	text[0] = '\0';
	if (file) {
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
	}
	return text;
}

#define NUMBERS 200000

static void fill_numbers(FILE *file, const void *user)
{
	(void)user;
	for (int i = 0; i < NUMBERS; i++)
		fprintf(file, "%d\n", i);
}

START_TEST(a_large_file_is_whole)
{
	FILE *file;
	int number;

	ck_assert_int_eq(patience_replace(&patience, path, 0600, fill_numbers, NULL), 0);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	for (int i = 0; i < NUMBERS; i++) {
		ck_assert_int_eq(fscanf(file, "%d\n", &number), 1);
		ck_assert_int_eq(number, i);
	}
	ck_assert_int_eq(fgetc(file), EOF);
	fclose(file);
}
END_TEST

START_TEST(what_does_not_hang_is_as_ever)
{
	ck_assert_int_eq(replace(path, "old"), 0);
	ck_assert_int_eq(replace(path, "new"), 0);
	ck_assert_str_eq(content(path), "new");
	ck_assert_int_eq(replace(dir, "new"), -EEXIST);
	ck_assert_int_eq(patience_remove(&patience, path), 0);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert_int_eq(patience_remove(&patience, path), 0);
	ck_assert_int_eq(patience_remove(&patience, dir), -EISDIR);
	ck_assert_int_eq(patience_replace(NULL, path, 0600, fill, "alone"), 0);
	ck_assert_str_eq(content(path), "alone");
	ck_assert_int_eq(patience_remove(NULL, path), 0);
}
END_TEST

START_TEST(no_file_goes_beneath)
{
	struct stat st;

	ck_assert_int_eq(stat(dir, &st), 0);
	ck_assert_int_eq(replace(path, "old"), 0);
	patience.beneath = st.st_dev;
	ck_assert_int_eq(replace(path, "new"), -EXDEV);
	ck_assert_int_eq(patience_remove(&patience, path), -EXDEV);
	patience.beneath = 0;
	ck_assert_str_eq(content(path), "old");
	ck_assert_int_eq(replace(path, "new"), 0);
	ck_assert_str_eq(content(path), "new");
}
END_TEST

START_TEST(one_that_hangs_is_waited_for_once)
{
	uint64_t before, waited;

	ck_assert_int_eq(replace(path, "old"), 0);
	pthread_mutex_lock(&disk);
	patience.ns = PATIENCE;
	before = clock_monotonic();
	ck_assert_int_eq(replace(path, "new"), -ETIMEDOUT);
	waited = clock_monotonic() - before;
	ck_assert_uint_ge(waited, PATIENCE);
	ck_assert_uint_lt(waited, FOR_EVER);
	ck_assert_str_eq(content(path), "old");
	/* Neither it nor its neighbour is begun again; in another directory nothing hangs. */
	ck_assert_int_eq(replace(path, "newer"), -ETIMEDOUT);
	ck_assert_int_eq(replace(other, "new"), -ETIMEDOUT);
	ck_assert_int_eq(patience_remove(&patience, path), -ETIMEDOUT);
	ck_assert_int_eq(access(other, F_OK), -1);
	ck_assert_ptr_nonnull(patience.hung);
	pthread_mutex_unlock(&disk);
	/* It answers: the one that hung is written, and then the next. */
	patience.ns = FOR_EVER;
	ck_assert_int_eq(replace(path, "newest"), 0);
	ck_assert_str_eq(content(path), "newest");
	ck_assert_ptr_null(patience.hung);
}
END_TEST

START_TEST(another_directory_does_not_hang)
{
	pthread_mutex_lock(&disk);
	patience.ns = PATIENCE;
	ck_assert_int_eq(replace(path, "late"), -ETIMEDOUT);
	patience.ns = FOR_EVER;
	ck_assert_int_eq(replace(elsewhere, "here"), 0);
	ck_assert_str_eq(content(elsewhere), "here");
	ck_assert_ptr_null(patience.hung);
	pthread_mutex_unlock(&disk);
	/* What was left alone comes to its end. */
	while (strcmp(content(path), "late") != 0)
		usleep(10000);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("patience");
	TCase *tc = tcase_create("files");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_set_timeout(tc, 200);
	tcase_add_test(tc, what_does_not_hang_is_as_ever);
	tcase_add_test(tc, a_large_file_is_whole);
	tcase_add_test(tc, no_file_goes_beneath);
	tcase_add_test(tc, one_that_hangs_is_waited_for_once);
	tcase_add_test(tc, another_directory_does_not_hang);
	suite_add_tcase(suite, tc);
	return suite;
}
