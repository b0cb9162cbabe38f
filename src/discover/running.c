/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/running.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/process.h"
#include "base/text.h"
#include "discover/attr.h"

#define FIRST_LINE "clonedeck.job/1"
#define RECORD_MAX 8192
#define ENDED      "ended"
#define ENDED_KEPT 600 /* seconds */

struct running_record {
	int fd;
	char path[512];
};

static bool user_folder(char *buffer, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int n = 0;

	if (geteuid() == 0)
		n = snprintf(buffer, size, "%s", RUNNING_ROOT_FOLDER);
	else if (runtime && runtime[0] == '/')
		n = snprintf(buffer, size, "%s/clonedeck", runtime);
	return n > 0 && (size_t)n < size;
}

bool running_folder(char *buffer, size_t size)
{
	return user_folder(buffer, size) && (mkdir(buffer, 0755) == 0 || errno == EEXIST);
}

/* PID.socket, by which a terminal comes to a deck that copies. */
static const char *socket_name(const char *record, char name[static NAME_MAX + 8])
{
	snprintf(name, NAME_MAX + 8, "%.*s.socket", (int)(strlen(record) - strlen(".job")), record);
	return name;
}

static int open_record(int folder, const char *name)
{
	return openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

/* The lock belongs to the open file: it ends with the last process that has it, whatever becomes of
 * the process number. */
static bool is_alive(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Of the next record of a folder; -1: there are no more. */
static int next_record(DIR *dir, const char **retname)
{
	const struct dirent *entry;
	int fd = -1;

	while (fd < 0 && dir && (entry = readdir(dir))) {
		*retname = entry->d_name;
		if (text_has_ending(entry->d_name, ".job"))
			fd = open_record(dirfd(dir), entry->d_name);
	}
	return fd;
}

static bool load(int folder, const char *name, int fd, bool alive, struct running *ret);

/* ---- writing ---- */

static int print_end(const char *name, const struct running_end *end, char *text, size_t size)
{
	char file[3 * sizeof(end->file)];

	return snprintf(
		text, size,
		"%s %s\n%s-file %s\n%s-device %u:%u\n%s-diskseq %" PRIu64 "\n%s-serial %s\n", name,
		end->node, name, text_encode(file, sizeof(file), end->file), name,
		major(end->devno), minor(end->devno), name, end->diskseq, name, end->serial);
}

static size_t print(const struct running *running, char text[static RECORD_MAX])
{
	char map[3 * sizeof(running->map)];
	/* With a point whatever the locale, since who reads it may have another one. */
	long long tenths = llround(running->percent * 10);
	int n = snprintf(text, RECORD_MAX,
			 FIRST_LINE
			 "\npid %ld\nstarted %" PRId64 "\npercent %lld.%lld\nleft %" PRId64
			 "\nleft-least %" PRId64 "\nleft-most %" PRId64
			 "\nstate %s\nstage %s\nrate %.0f\nbad %" PRIu64 "\nerrors %" PRIu64
			 "\nmap %s\n",
			 (long)running->pid, running->started, tenths / 10, tenths % 10,
			 running->left, running->left_least, running->left_most, running->state,
			 running->stage, running->rate, running->bad, running->errors,
			 text_encode(map, sizeof(map), running->map));

	n += print_end("source", &running->source, text + n, RECORD_MAX - (size_t)n);
	n += print_end("destination", &running->destination, text + n, RECORD_MAX - (size_t)n);
	if (strcmp(running->state, ENDED) == 0)
		n += snprintf(text + n, RECORD_MAX - (size_t)n, "exit %d\nreport %s\n",
			      running->exit_code, text_encode(map, sizeof(map), running->report));
	return (size_t)n;
}

/* Written in one call, so that a reader sees the old record or the new one. */
void running_update(struct running_record *record, const struct running *running)
{
	char text[RECORD_MAX];
	size_t length = print(running, text);

	if (pwrite(record->fd, text, length, 0) == (ssize_t)length &&
	    ftruncate(record->fd, (off_t)length) < 0)
		return; /* what is behind the last line is skipped by readers */
}

/* Locked before it has its name, so that nobody finds it and takes it for one left behind. */
static int make(struct running_record *record, const char *folder, const struct running *running)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char fresh[sizeof(record->path) + 8];

	if ((size_t)snprintf(record->path, sizeof(record->path), "%s/%ld.job", folder,
			     (long)running->pid) >= sizeof(record->path))
		return -ENAMETOOLONG;
	snprintf(fresh, sizeof(fresh), "%s.new", record->path);
	unlink(fresh);
	record->fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (record->fd < 0)
		return -errno;
	running_update(record, running);
	if (fcntl(record->fd, F_OFD_SETLK, &lock) == 0 && rename(fresh, record->path) == 0)
		return 0;

	int r = -errno;

	unlink(fresh);
	return r;
}

/* Programs that watch a copy look every second; later, the report tells more. */
static bool has_just_ended(int folder, const char *name, int fd)
{
	struct running running = { 0 };
	struct stat st;

	return fstat(fd, &st) == 0 && time(NULL) - st.st_mtime < ENDED_KEPT &&
	       load(folder, name, fd, false, &running);
}

/* What was left behind. A record that is being made has another name until it is locked. */
static void sweep(const char *folder)
{
	CLEANUP(dir) DIR *dir = opendir(folder);
	const char *record;
	char name[NAME_MAX + 8];
	int fd;

	while ((fd = next_record(dir, &record)) >= 0) {
		if (!is_alive(fd) && !has_just_ended(dirfd(dir), record, fd)) {
			unlinkat(dirfd(dir), record, 0);
			unlinkat(dirfd(dir), socket_name(record, name), 0);
		}
		close(fd);
	}
}

int running_new(const char *folder, const struct running *running, struct running_record **ret)
{
	struct running_record *record = malloc(sizeof(*record));
	int r;

	if (!record)
		return -ENOMEM;
	record->fd = -1;
	sweep(folder);
	r = make(record, folder, running);
	if (r < 0) {
		record->path[0] = '\0';
		running_destroy(record);
		return r;
	}
	*ret = record;
	return 0;
}

void running_destroy(struct running_record *record)
{
	if (!record)
		return;
	if (record->path[0])
		unlink(record->path);
	fd_close(record->fd);
	free(record);
}

void running_ended(struct running_record *record, struct running *running)
{
	if (!record)
		return;
	text_copy(running->state, sizeof(running->state), ENDED);
	running_update(record, running);
	record->path[0] = '\0';
	running_destroy(record);
}

/* ---- reading ---- */

static void take_device(const char *value, dev_t *ret)
{
	unsigned first, second;

	if (sscanf(value, "%u:%u", &first, &second) == 2)
		*ret = makedev(first, second);
}

static void take_end(const char *key, const char *value, struct running_end *end)
{
	if (!*key)
		text_sanitise(end->node, sizeof(end->node), value, strlen(value));
	else if (strcmp(key, "-file") == 0)
		text_decode(end->file, sizeof(end->file), value);
	else if (strcmp(key, "-device") == 0)
		take_device(value, &end->devno);
	else if (strcmp(key, "-diskseq") == 0)
		end->diskseq = strtoull(value, NULL, 10);
	else if (strcmp(key, "-serial") == 0)
		text_sanitise(end->serial, sizeof(end->serial), value, strlen(value));
}

static double decimal(const char *value)
{
	char *end;
	double whole = (double)strtoll(value, &end, 10);

	return *end == '.' && end[1] >= '0' && end[1] <= '9' ? whole + (end[1] - '0') / 10.0
							     : whole;
}

static void take(const char *key, const char *value, struct running *ret)
{
	const char *rest;

	if (strcmp(key, "pid") == 0)
		ret->pid = (pid_t)strtol(value, NULL, 10);
	else if (strcmp(key, "started") == 0)
		ret->started = strtoll(value, NULL, 10);
	else if (strcmp(key, "percent") == 0)
		ret->percent = decimal(value);
	else if (strcmp(key, "left") == 0)
		ret->left = strtoll(value, NULL, 10);
	else if (strcmp(key, "left-least") == 0)
		ret->left_least = strtoll(value, NULL, 10);
	else if (strcmp(key, "left-most") == 0)
		ret->left_most = strtoll(value, NULL, 10);
	else if (strcmp(key, "state") == 0)
		text_sanitise(ret->state, sizeof(ret->state), value, strlen(value));
	else if (strcmp(key, "stage") == 0)
		text_sanitise(ret->stage, sizeof(ret->stage), value, strlen(value));
	else if (strcmp(key, "rate") == 0)
		ret->rate = strtod(value, NULL);
	else if (strcmp(key, "bad") == 0)
		ret->bad = strtoull(value, NULL, 10);
	else if (strcmp(key, "errors") == 0)
		ret->errors = strtoull(value, NULL, 10);
	else if (strcmp(key, "map") == 0)
		text_decode(ret->map, sizeof(ret->map), value);
	else if (strcmp(key, "exit") == 0)
		ret->exit_code = (int)strtol(value, NULL, 10);
	else if (strcmp(key, "report") == 0)
		text_decode(ret->report, sizeof(ret->report), value);
	else if ((rest = text_after(key, "source")))
		take_end(rest, value, &ret->source);
	else if ((rest = text_after(key, "destination")))
		take_end(rest, value, &ret->destination);
}

static bool parse(char *text, struct running *ret)
{
	char *rest = text, *line = strsep(&rest, "\n");

	*ret = (struct running){ .left = -1, .rate = -1 };
	if (!line || strcmp(line, FIRST_LINE) != 0)
		return false;
	while ((line = strsep(&rest, "\n"))) {
		char *space = strchr(line, ' ');

		if (!space)
			continue;
		*space = '\0';
		take(line, space + 1, ret);
	}
	return ret->pid > 0 && ret->percent >= 0 && ret->percent <= 100;
}

/* What it wrote before is not so any more: it would seem to copy at that speed for ever. */
static void see_if_suspended(struct running *running)
{
	if (!process_is_stopped(running->pid))
		return;
	text_copy(running->state, sizeof(running->state), RUNNING_SUSPENDED);
	running->stage[0] = '\0';
	running->rate = -1;
	running->left = -1;
	running->left_least = running->left_most = 0;
}

static bool load(int folder, const char *name, int fd, bool alive, struct running *ret)
{
	char text[RECORD_MAX], deck[NAME_MAX + 8];
	ssize_t n = is_alive(fd) == alive ? pread(fd, text, sizeof(text) - 1, 0) : -1;

	if (n < 0)
		return false;
	text[n] = '\0';
	if (!parse(text, ret))
		return false;
	ret->has_deck = faccessat(folder, socket_name(name, deck), F_OK, 0) == 0;
	ret->own = ret->pid == getpid();
	if (alive)
		see_if_suspended(ret);
	return alive || strcmp(ret->state, ENDED) == 0;
}

/* That one or, where there is none, root's, which everybody may see, and this user's. */
struct folders {
	const char *at[2];
	size_t count;
	char own[512];
};

static void find_folders(const char *folder, struct folders *ret)
{
	ret->count = 1;
	ret->at[0] = folder ? folder : RUNNING_ROOT_FOLDER;
	if (!folder && geteuid() != 0 && user_folder(ret->own, sizeof(ret->own)))
		ret->at[ret->count++] = ret->own;
}

static size_t list_folder(const char *folder, bool alive, struct running *ret, size_t max)
{
	CLEANUP(dir) DIR *dir = opendir(folder);
	size_t count = 0;
	const char *name;
	int fd;

	while (count < max && (fd = next_record(dir, &name)) >= 0) {
		if (load(dirfd(dir), name, fd, alive, &ret[count]))
			ret[count++].by_root = strcmp(folder, RUNNING_ROOT_FOLDER) == 0;
		close(fd);
	}
	return count;
}

static int oldest_first(const void *a, const void *b)
{
	const struct running *one = a, *other = b;

	return (one->started > other->started) - (one->started < other->started);
}

static size_t list(const char *folder, bool alive, struct running *ret)
{
	struct folders folders;
	size_t count = 0;

	find_folders(folder, &folders);
	for (size_t i = 0; i < folders.count; i++)
		count += list_folder(folders.at[i], alive, ret + count, RUNNING_MAX - count);
	qsort(ret, count, sizeof(*ret), oldest_first);
	return count;
}

size_t running_list(const char *folder, struct running *ret)
{
	size_t count = list(folder, true, ret), others = 0;

	for (size_t i = 0; i < count; i++)
		if (!ret[i].own)
			ret[others++] = ret[i];
	return others;
}

size_t running_list_all(const char *folder, struct running *ret)
{
	return list(folder, true, ret);
}

size_t running_list_ended(const char *folder, struct running *ret)
{
	return list(folder, false, ret);
}

/* A record has its name, and its lock, only once it was written: one that is empty could not be. */
static pid_t unwritten_in(const char *folder)
{
	CLEANUP(dir) DIR *dir = opendir(folder);
	const char *name;
	struct stat st;
	pid_t pid = 0;
	int fd;

	while (!pid && (fd = next_record(dir, &name)) >= 0) {
		if (fstat(fd, &st) == 0 && st.st_size == 0 && is_alive(fd))
			pid = (pid_t)strtol(name, NULL, 10);
		if (pid <= 0 || pid == getpid())
			pid = 0;
		close(fd);
	}
	return pid;
}

pid_t running_unwritten(const char *folder)
{
	struct folders folders;
	pid_t pid = 0;

	find_folders(folder, &folders);
	for (size_t i = 0; !pid && i < folders.count; i++)
		pid = unwritten_in(folders.at[i]);
	return pid;
}

const char *running_unwritten_words(pid_t pid, char *buffer, size_t size)
{
	snprintf(buffer, size,
		 _("Process %ld runs a copy, but which one is not known: there was no room in /run "
		   "to write it. Make room there, and it is listed."),
		 (long)pid);
	return buffer;
}

bool running_find_ended(const char *folder, pid_t pid, struct running *ret)
{
	struct folders folders;
	bool found = false;
	char path[sizeof(folders.own) + 32];

	*ret = (struct running){ 0 };
	find_folders(folder, &folders);
	for (size_t i = 0; !found && i < folders.count; i++) {
		snprintf(path, sizeof(path), "%s/%ld.job", folders.at[i], (long)pid);
		CLEANUP(close) int fd = open_record(AT_FDCWD, path);

		found = fd >= 0 && load(AT_FDCWD, path, fd, false, ret);
	}
	return found;
}

bool running_is_on(const struct running_end *end, const struct identity *disk)
{
	/* Another disk may have this number by now. The kernel's diskseq tells. */
	return end->devno && end->devno == disk->devno &&
	       (!end->diskseq || !disk->diskseq || end->diskseq == disk->diskseq);
}

/* By the kernel's list of locks, since the record of an image has no device number. */
static pid_t locked_by(uint64_t inode, bool *retwrites)
{
	CLEANUP(fclose) FILE *locks = fopen("/proc/locks", "re");
	unsigned long long found;
	char line[160], how[8];
	long pid;

	while (locks && fgets(line, sizeof(line), locks)) {
		if (sscanf(line, "%*d: FLOCK %*s %7s %ld %*x:%*x:%llu", how, &pid, &found) != 3 ||
		    found != inode)
			continue;
		*retwrites = strcmp(how, "WRITE") == 0;
		return (pid_t)pid;
	}
	return 0;
}

bool running_find_lock(uint64_t inode, struct running *ret, bool *retwrites)
{
	CLEANUP(free) struct running *running = calloc(RUNNING_MAX, sizeof(*running));
	size_t count = running ? running_list(NULL, running) : 0;
	pid_t pid = locked_by(inode, retwrites);

	for (size_t i = 0; i < count; i++)
		if (running[i].pid == pid) {
			*ret = running[i];
			return true;
		}
	return false;
}

const char *running_words(const struct running *running, bool destination, char *buffer,
			  size_t size)
{
	snprintf(buffer, size,
		 destination ? _("clonedeck, process %ld, is copying to it: %u%%")
			     : _("clonedeck, process %ld, is copying from it: %u%%"),
		 (long)running->pid, (unsigned)running->percent);
	return buffer;
}
