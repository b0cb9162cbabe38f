/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of running copies: those of living processes are told, and no others. */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "discover/running.h"
#include "folder.h"

static struct running found[RUNNING_MAX];
static pid_t child;

/* A process that copies, until it is ended. */
static void begin(double percent)
{
	int ready[2];
	char byte = 0;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		struct running running = {
			.pid = getpid(),
			.started = 1767225600,
			.percent = 12.3,
			.left = 3600,
			.state = "copying",
			.source = { .node = "/dev/sda1", .devno = makedev(8, 0), .diskseq = 7 },
			.destination = { .node = "/dev/sdb",
					 .devno = makedev(8, 16),
					 .file = "/srv/b c\n.img",
					 .serial = "WD 12" },
			.left_least = 70,
			.left_most = 1500,
			.map = "/var/log/clonedeck/a b.map"
		};
		struct running_record *record;

		if (running_new(folder, &running, &record) < 0)
			_exit(1);
		running.percent = percent;
		running_update(record, &running);
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		pause();
		_exit(1);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
}

static void kill_it(void)
{
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

/* A disk that was plugged in after the copy's own was pulled may have its number. */
static void check_disks(const struct running *running)
{
	struct identity disk = { .devno = makedev(8, 0), .diskseq = 7 };

	ck_assert(running_is_on(&running->source, &disk));
	ck_assert(!running_is_on(&running->destination, &disk));
	disk.diskseq = 0; /* of an older kernel */
	ck_assert(running_is_on(&running->source, &disk));
	disk.diskseq = 8;
	ck_assert(!running_is_on(&running->source, &disk));
	disk = (struct identity){ 0 };
	ck_assert(!running_is_on(&(struct running_end){ 0 }, &disk));
}

UNIT_CASE(.setup = folder_make, .teardown = folder_remove);

TEST(a_living_copy_is_told)
{
	char words[160];

	ck_assert_uint_eq(running_list(folder, found), 0);
	begin(32.9);
	ck_assert_uint_eq(running_list(folder, found), 1);
	ck_assert_int_eq(found[0].pid, child);
	ck_assert_int_eq(found[0].started, 1767225600);
	ck_assert_int_eq(found[0].left, 3600);
	ck_assert_str_eq(found[0].state, "copying");
	ck_assert_str_eq(found[0].source.node, "/dev/sda1");
	ck_assert(found[0].source.devno == makedev(8, 0));
	ck_assert_uint_eq(found[0].source.diskseq, 7);
	check_disks(&found[0]);
	ck_assert_str_eq(found[0].destination.serial, "WD 12");
	ck_assert_str_eq(found[0].destination.file, "/srv/b c\n.img");
	ck_assert_int_eq(found[0].left_least, 70);
	ck_assert_int_eq(found[0].left_most, 1500);
	ck_assert_str_eq(found[0].map, "/var/log/clonedeck/a b.map");
	running_words(&found[0], true, words, sizeof(words));
	ck_assert_ptr_nonnull(strstr(words, "is copying to it: 32%"));
	/* Never all of it before the end. */
	found[0].percent = 99.9;
	running_words(&found[0], false, words, sizeof(words));
	ck_assert_ptr_nonnull(strstr(words, "is copying from it: 99%"));
	kill_it();
}

/* As where the folder has no room. */
TEST(a_living_copy_without_words_is_told_of)
{
	char path[96], words[512];

	begin(50);
	ck_assert_int_eq(running_unwritten(folder), 0);
	snprintf(path, sizeof(path), "%s/%ld.job", folder, (long)child);
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_uint_eq(running_list(folder, found), 0);
	ck_assert_int_eq(running_unwritten(folder), child);
	ck_assert_ptr_nonnull(strstr(running_unwritten_words(child, words, sizeof(words)),
				     "which one is not known"));
	kill_it();
	ck_assert_int_eq(running_unwritten(folder), 0);
}

/* Whatever process has its number by now, this one here for example. */
TEST(what_a_dead_one_left_behind_is_not_believed)
{
	char old[96], new[96];

	begin(50);
	snprintf(old, sizeof(old), "%s/%ld.job", folder, (long)child);
	kill_it();
	ck_assert_int_eq(access(old, F_OK), 0);
	ck_assert_uint_eq(running_list(folder, found), 0);
	snprintf(new, sizeof(new), "%s/%ld.job", folder, (long)getppid());
	ck_assert_int_eq(rename(old, new), 0);
	ck_assert_uint_eq(running_list(folder, found), 0);
	/* The next copy takes it away. */
	begin(1);
	ck_assert_int_ne(access(new, F_OK), 0);
	ck_assert_uint_eq(running_list(folder, found), 1);
	kill_it();
}

/* One that ends takes it away; its own is no news to a process. */
TEST(the_record_goes_with_the_copy)
{
	const struct running running = { .pid = getpid(), .percent = 1 };
	struct running_record *record = NULL;
	char path[96];

	ck_assert_int_eq(running_new(folder, &running, &record), 0);
	snprintf(path, sizeof(path), "%s/%ld.job", folder, (long)getpid());
	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_uint_eq(running_list(folder, found), 0);
	/* The next copy of the same process. */
	running_destroy(record);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(running_new(folder, &running, &record), 0);
	running_destroy(record);
	running_destroy(NULL);
	ck_assert_int_lt(running_new("/nowhere", &running, &record), 0);
}

/* How it ended is told for a while, whoever begins meanwhile. */
TEST(one_that_has_ended_tells_how)
{
	struct running running = {
		.pid = 4711, .percent = 100, .exit_code = 4, .report = "/var/log/a b.json"
	};
	struct running other = { .pid = getpid() };
	struct running_record *record = NULL;

	ck_assert_int_eq(running_new(folder, &running, &record), 0);
	ck_assert_uint_eq(running_list_ended(folder, found), 0);
	running_ended(record, &running);
	ck_assert_uint_eq(running_list(folder, found), 0);
	ck_assert_uint_eq(running_list_ended(folder, found), 1);
	ck_assert_int_eq(found[0].exit_code, 4);
	ck_assert_str_eq(found[0].report, "/var/log/a b.json");
	ck_assert_int_eq(running_new(folder, &other, &record), 0);
	ck_assert_uint_eq(running_list_ended(folder, found), 1);
	ck_assert(running_find_ended(folder, 4711, found));
	ck_assert_int_eq(found[0].exit_code, 4);
	ck_assert(!running_find_ended(folder, getpid(), found));
	running_destroy(record);
	ck_assert_int_eq(utimensat(AT_FDCWD, path_of("4711.job"), (struct timespec[2]){ 0 }, 0), 0);
	ck_assert_int_eq(running_new(folder, &other, &record), 0);
	ck_assert_uint_eq(running_list_ended(folder, found), 0);
	running_destroy(record);
	running_ended(NULL, &running);
}

static void leave(const char *name, const char *text)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path_of(name), O_RDWR | O_CREAT | O_TRUNC, 0644);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	/* Kept open: it is alive. */
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &lock), 0);
}

TEST(what_is_no_record_is_left_alone)
{
	char long_line[4200];

	memset(long_line, 'x', sizeof(long_line) - 1);
	long_line[sizeof(long_line) - 1] = '\0';
	leave("1.job", "");
	leave("2.job", "clonedeck.job/2\npid 2\npercent 1\n");
	leave("3.job", "clonedeck.job/1\npercent 1\n");
	leave("4.job", "clonedeck.job/1\npid 4\npercent 101\n");
	leave("5.job", long_line);
	leave("6.txt", "clonedeck.job/1\npid 6\npercent 1\n");
	ck_assert_uint_eq(running_list(folder, found), 0);
	/* What a later version adds is no reason to say nothing. */
	leave("7.job", "clonedeck.job/1\npid 7\nsocket /run/x\npercent 1\nsource\nsource-new 1\n");
	ck_assert_uint_eq(running_list(folder, found), 1);
	ck_assert_int_eq(found[0].pid, 7);
}

/* A folder tells its files in any order. */
TEST(the_oldest_is_listed_first)
{
	char name[16], text[80];

	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "%d.job", i + 1);
		snprintf(text, sizeof(text), "clonedeck.job/1\npid %d\nstarted %d\npercent 1\n",
			 i + 1, 100 + i * 3 % 8);
		leave(name, text);
	}
	ck_assert_uint_eq(running_list(folder, found), 8);
	for (size_t i = 0; i < 8; i++)
		ck_assert_int_eq(found[i].started, 100 + (int64_t)i);
}
