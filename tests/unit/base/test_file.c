/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replacing a file: the old one or the new one, never anything between or beside. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

#define SHORT (NSEC_PER_SEC / 5)
/* Only a hang takes that long. */
#define LONG (100 * NSEC_PER_SEC)

static char dir[64], path[96], other[96];
static char folder[80], elsewhere[96]; /* on a disk that does not hang */
static struct file_timeout timeout;
/* Whoever renames a file in `dir` needs it: the disk hangs, then does not. */
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
static bool nameless; /* the file system lets a file without a name get one */

int __real_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags);

int __wrap_linkat(int from, const char *old, int to, const char *new, int flags)
{
	if (nameless)
		return __real_linkat(from, old, to, new, flags);
	errno = EXDEV;
	return -1;
}

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

static void set_up(void)
{
	nameless = true;
	strcpy(dir, "/tmp/clonedeck-file-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	snprintf(folder, sizeof(folder), "%s/folder", dir);
	snprintf(elsewhere, sizeof(elsewhere), "%s/file", folder);
	timeout = (struct file_timeout){ .ns = LONG };
}

/* Nothing is left beside it. */
static void tear_down(void)
{
	file_timeout_done(&timeout);
	unlink(path);
	rmdir(path);
	ck_assert_int_eq(rmdir(dir), 0);
}

static bool file_holds(const char *name, const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(name, "r");
	bool same = file && fgets(text, sizeof(text), file) && strcmp(text, expected) == 0;

	if (file)
		fclose(file);
	return same;
}

static void holds(const char *expected)
{
	ck_assert(file_holds(path, expected));
}

UNIT_CASE(.setup = set_up, .teardown = tear_down, .timeout = 200);

TEST(makes_and_replaces)
{
	struct stat st;

	ck_assert_int_eq(file_replace(NULL, path, fill, "old"), 0);
	holds("old");
	ck_assert_int_eq(file_replace(NULL, path, fill, "new"), 0);
	holds("new");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
}

/* As on FAT and NFS. */
TEST(works_without_nameless_files)
{
	nameless = false;
	ck_assert_int_eq(file_replace(NULL, path, fill, "old"), 0);
	ck_assert_int_eq(file_replace(NULL, path, fill, "new"), 0);
	holds("new");
}

static void die(FILE *file, const void *user)
{
	fputs(user, file);
	fflush(file);
	raise(SIGKILL);
}

static int entries(void)
{
	DIR *stream = opendir(dir);
	int count = 0;

	ck_assert_ptr_nonnull(stream);
	while (readdir(stream))
		count++;
	closedir(stream);
	return count - 2;
}

TEST(a_crash_leaves_nothing_beside)
{
	int fd = open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600), status;

	ck_assert_msg(fd >= 0, "%s: needs a file system with O_TMPFILE", dir);
	close(fd);
	ck_assert_int_eq(file_replace(NULL, path, fill, "old"), 0);

	pid_t child = fork();

	if (child == 0) {
		file_replace(NULL, path, die, "half of the n");
		_exit(1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(entries(), 1);
	holds("old");
}

TEST(a_failure_keeps_the_old_one)
{
	struct rlimit limit;

	ck_assert_int_eq(file_replace(NULL, path, fill, "old"), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = 2;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(file_replace(NULL, path, fill, "too long"), -EFBIG);
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	holds("old");
}

/* Left by a crash, or somebody's disk image: it is no obstacle, and stays as it is. */
TEST(nothing_that_lies_beside_is_touched)
{
	char beside[4][128], victim[104], link[128];

	snprintf(victim, sizeof(victim), "%s/victim", dir);
	for (int i = 0; i < 4; i++) {
		if (i == 0)
			snprintf(beside[i], sizeof(beside[i]), "%s.new", path);
		else
			snprintf(beside[i], sizeof(beside[i]), "%s.%ld-%d.new", path,
				 (long)getpid(), i - 1);
		ck_assert_int_eq(symlink(victim, beside[i]), 0);
	}
	ck_assert_int_eq(file_replace(NULL, path, fill, "new"), 0);
	holds("new");
	ck_assert_int_eq(access(victim, F_OK), -1);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_gt(readlink(beside[i], link, sizeof(link)), 0);
		ck_assert_int_eq(unlink(beside[i]), 0);
	}
}

TEST(only_regular_files_are_replaced)
{
	struct stat st;

	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(file_replace(NULL, path, fill, "new"), -EEXIST);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(symlink("elsewhere", path), 0);
	ck_assert_int_eq(file_replace(NULL, path, fill, "new"), -EEXIST);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
}

TEST(no_directory_no_file)
{
	char lost[104];

	snprintf(lost, sizeof(lost), "%s/none/file", dir);
	ck_assert_int_eq(file_replace(NULL, lost, fill, "new"), -ENOENT);
}

static dev_t device(const char *name)
{
	struct stat st;

	ck_assert_int_eq(stat(name, &st), 0);
	return st.st_dev;
}

static struct file_timeout *not_on(const char *name)
{
	timeout.beneath = device(name);
	return &timeout;
}

/* Its stick was unmounted, say: what shows in its place is no place for its files. */
TEST(nothing_is_kept_on_the_file_system_beneath)
{
	ck_assert_int_eq(file_replace(not_on(dir), path, fill, "new"), -EXDEV);
	ck_assert_int_eq(entries(), 0);
	ck_assert_int_eq(file_replace(not_on("/proc"), path, fill, "old"), 0);
	ck_assert_int_eq(file_replace(not_on(dir), path, fill, "new"), -EXDEV);
	ck_assert_int_eq(file_remove(not_on(dir), path), -EXDEV);
	holds("old");
	ck_assert_int_eq(file_remove(not_on("/proc"), path), 0);
	ck_assert_int_eq(entries(), 0);
}

TEST(beneath_is_what_unmounting_would_show)
{
	ck_assert_uint_eq(file_beneath("/proc/file"), device("/"));
	ck_assert_uint_eq(file_beneath("/proc/self/fdinfo/file"), device("/"));
	ck_assert_uint_eq(file_beneath("/file"), 0);
	ck_assert_uint_eq(file_beneath("/proc/none/file"), 0);
}

/* Each name in the folder of the test. */
static void leads_to(const char *name, const char *expected)
{
	char from[PATH_MAX], to[PATH_MAX], found[PATH_MAX];

	snprintf(from, sizeof(from), "%s/%s", dir, name);
	snprintf(to, sizeof(to), "%s/%s", dir, expected);
	ck_assert_int_eq(file_follow(from, found, sizeof(found)), 0);
	ck_assert_str_eq(found, to);
}

static const char *const links[][2] = {
	{ "way", "folder" },       { "first", "second" },  { "second", "way/../file" },
	{ "dangling", "way/new" }, { "lost", "none/new" }, { "circle", "circle" },
	{ "null", "/dev/null" },   { "here", "." },
};

#define LINKS (ARRAY_SIZE(links))

TEST(a_link_is_followed_to_a_file_that_may_be_missing)
{
	char name[PATH_MAX], found[PATH_MAX];

	ck_assert_int_eq(mkdir(folder, 0700), 0);
	for (size_t i = 0; i < LINKS; i++) {
		snprintf(name, sizeof(name), "%s/%s", dir, links[i][0]);
		ck_assert_int_eq(symlink(links[i][1], name), 0);
	}
	leads_to("file", "file");
	leads_to("way/file", "way/file");
	leads_to("dangling", "folder/new");
	leads_to("lost", "none/new");
	leads_to("first", "file");
	ck_assert_int_eq(file_replace(NULL, path, fill, "old"), 0);
	leads_to("first", "file");
	/* What is no file is not followed: it is refused by its own name. */
	leads_to("null", "null");
	leads_to("here", "here");
	snprintf(name, sizeof(name), "%s/circle", dir);
	ck_assert_int_eq(file_follow(name, found, sizeof(found)), -ELOOP);
	ck_assert_str_eq(found, name);
	ck_assert_int_eq(file_follow("/dev/null", found, 4), -ENAMETOOLONG);
	ck_assert_str_eq(found, "/de");
	for (size_t i = 0; i < LINKS; i++) {
		snprintf(name, sizeof(name), "%s/%s", dir, links[i][0]);
		ck_assert_int_eq(unlink(name), 0);
	}
	ck_assert_int_eq(rmdir(folder), 0);
}

#define NUMBERS 200000

static void fill_numbers(FILE *file, const void *user)
{
	(void)user;
	for (int i = 0; i < NUMBERS; i++)
		fprintf(file, "%d\n", i);
}

TEST(a_large_file_is_whole)
{
	FILE *file;
	int number;

	ck_assert_int_eq(file_replace(&timeout, path, fill_numbers, NULL), 0);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	for (int i = 0; i < NUMBERS; i++) {
		ck_assert_int_eq(fscanf(file, "%d\n", &number), 1);
		ck_assert_int_eq(number, i);
	}
	ck_assert_int_eq(fgetc(file), EOF);
	fclose(file);
}

TEST(removing_is_as_good_as_nothing_there)
{
	struct file_timeout *const with[] = { NULL, &timeout };

	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(file_replace(with[i], path, fill, "old"), 0);
		ck_assert_int_eq(file_remove(with[i], path), 0);
		ck_assert_int_eq(access(path, F_OK), -1);
		ck_assert_int_eq(file_remove(with[i], path), 0);
		ck_assert_int_eq(file_remove(with[i], dir), -EISDIR);
	}
}

TEST(one_that_hangs_is_waited_for_once)
{
	uint64_t before, waited;

	ck_assert_int_eq(file_replace(&timeout, path, fill, "old"), 0);
	pthread_mutex_lock(&disk);
	timeout.ns = SHORT;
	before = clock_monotonic();
	ck_assert_int_eq(file_replace(&timeout, path, fill, "new"), -ETIMEDOUT);
	waited = clock_monotonic() - before;
	ck_assert_uint_ge(waited, SHORT);
	ck_assert_uint_lt(waited, LONG);
	holds("old");
	/* Neither it nor its neighbour is begun again. */
	ck_assert_int_eq(file_replace(&timeout, path, fill, "newer"), -ETIMEDOUT);
	ck_assert_int_eq(file_replace(&timeout, other, fill, "new"), -ETIMEDOUT);
	ck_assert_int_eq(file_remove(&timeout, path), -ETIMEDOUT);
	ck_assert_int_eq(access(other, F_OK), -1);
	ck_assert_ptr_nonnull(timeout.hung);
	pthread_mutex_unlock(&disk);
	/* It answers: the one that hung is written, and then the next. */
	timeout.ns = LONG;
	ck_assert_int_eq(file_replace(&timeout, path, fill, "newest"), 0);
	holds("newest");
	ck_assert_ptr_null(timeout.hung);
}

TEST(another_directory_does_not_hang)
{
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	pthread_mutex_lock(&disk);
	timeout.ns = SHORT;
	ck_assert_int_eq(file_replace(&timeout, path, fill, "late"), -ETIMEDOUT);
	timeout.ns = LONG;
	ck_assert_int_eq(file_replace(&timeout, elsewhere, fill, "here"), 0);
	ck_assert(file_holds(elsewhere, "here"));
	ck_assert_ptr_null(timeout.hung);
	pthread_mutex_unlock(&disk);
	/* The abandoned one comes to its end. */
	while (!file_holds(path, "late"))
		usleep(10000);
	ck_assert_int_eq(unlink(elsewhere), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}
