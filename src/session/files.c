/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/worker.h"
#include "base/i18n.h"
#include "base/file.h"
#include "base/text.h"
#include "map/recorded_copy.h"
#include "map/saved_tables.h"
#include "discover/running.h"
#include "guard/facts.h"
#include "report/report.h"

#define SAME_SECOND_MAX 100

static bool could_be_made(const char *directory)
{
	char part[PATH_MAX];

	text_copy(part, sizeof(part), directory);
	while (access(part, F_OK) < 0) {
		char *slash = strrchr(part, '/');

		if (!slash || slash == part)
			return access(slash ? "/" : ".", W_OK | X_OK) == 0;
		*slash = '\0';
	}
	return access(part, W_OK | X_OK) == 0;
}

void files_absolute(char *to, size_t size, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/' || !getcwd(here, sizeof(here)) ||
	    (size_t)snprintf(to, size, "%s/%s", here, path) >= size)
		text_copy(to, size, path);
}

/* A rescue system may have nothing else that can be written to. The plan warns of it. */
static void use_memory(struct files *files)
{
	char memory[sizeof(files->directory)];

	if (!could_be_made(files->directory) && running_folder(memory, sizeof(memory)) &&
	    access(memory, W_OK | X_OK) == 0)
		text_copy(files->directory, sizeof(files->directory), memory);
}

void files_find_directory(struct files *files, const char *log_dir, const char *practice_dir)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *directory = files->directory;
	size_t size = sizeof(files->directory);

	if (log_dir) {
		files_absolute(directory, size, log_dir);
		return;
	}
	/* Practice copies keep their logs apart from those of real ones. */
	if (practice_dir) {
		text_copy(directory, size, practice_dir);
		return;
	}
	text_copy(directory, size, "/var/log/clonedeck");
	if (geteuid() == 0 && could_be_made(directory))
		return;
	if (state && state[0] == '/')
		snprintf(directory, size, "%s/clonedeck", state);
	else if (home && home[0] == '/')
		snprintf(directory, size, "%s/.local/state/clonedeck", home);
	use_memory(files);
}

static bool name_files(struct files *files, const char *stem)
{
	text_copy(files->at.checksums, sizeof(files->at.checksums), stem);
	return (size_t)snprintf(files->at.log, sizeof(files->at.log), "%s.log", stem) <
		       sizeof(files->at.log) &&
	       (size_t)snprintf(files->at.map, sizeof(files->at.map), "%s.map", stem) <
		       sizeof(files->at.map) &&
	       (size_t)snprintf(files->at.certificate, sizeof(files->at.certificate), "%s.html",
				stem) < sizeof(files->at.certificate) &&
	       (size_t)snprintf(files->at.json, sizeof(files->at.json), "%s.json", stem) <
		       sizeof(files->at.json) &&
	       (size_t)snprintf(files->at.digests, sizeof(files->at.digests),
				"%s" REPORT_LIST_ENDING, stem) < sizeof(files->at.digests);
}

/* If several programs start in the same second, only one gets the name. */
static int reserve(const char *log)
{
	int fd = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* DATE-TIME, with a number appended for the second copy in a second. Creates the log. */
static int find_names(struct files *files)
{
	char stamp[32], stem[512];

	clock_print(time(NULL), "%Y%m%d-%H%M%S", stamp, sizeof(stamp));
	for (unsigned i = 1; i < SAME_SECOND_MAX; i++) {
		int length = i == 1 ? snprintf(stem, sizeof(stem), "%s/%s", files->directory, stamp)
				    : snprintf(stem, sizeof(stem), "%s/%s-%u", files->directory,
					       stamp, i);

		if ((size_t)length >= sizeof(stem) || !name_files(files, stem))
			return -ENAMETOOLONG;
		if (access(files->at.map, F_OK) == 0 || access(files->at.json, F_OK) == 0 ||
		    access(files->at.certificate, F_OK) == 0 ||
		    access(files->at.digests, F_OK) == 0)
			continue;
		int r = reserve(files->at.log);

		if (r != -EEXIST)
			return r;
	}
	return -EEXIST;
}

bool files_beside(const char *one, const char *other)
{
	char a[PATH_MAX], b[PATH_MAX];

	return strcmp(dirname(text_copy(a, sizeof(a), one)),
		      dirname(text_copy(b, sizeof(b), other))) == 0;
}

bool files_name_beside(char *to, size_t size, const char *path, const char *ending)
{
	static const char *const endings[] = { ".json", ".txt", ".html" };
	size_t length = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t stem = length - strlen(endings[i]);

		if (text_has_ending(path, endings[i]) && path[stem - 1] != '/') {
			length = stem;
			break;
		}
	}
	return (size_t)snprintf(to, size, "%.*s%s", (int)length, path, ending) < size;
}

/* Do both paths name the same file in the same directory, even if they are written differently? */
static bool same_file(const char *one, const char *other)
{
	char a[PATH_MAX], b[PATH_MAX], name[PATH_MAX];
	struct stat at_a, at_b;

	text_copy(a, sizeof(a), one);
	text_copy(name, sizeof(name), basename(a));
	text_copy(b, sizeof(b), other);
	if (strcmp(name, basename(b)) != 0)
		return false;
	text_copy(a, sizeof(a), one);
	text_copy(b, sizeof(b), other);
	return stat(dirname(a), &at_a) == 0 && stat(dirname(b), &at_b) == 0 &&
	       at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
}

/* Beside a report named by the user, unless that would replace a file that exists or is to come. */
static void name_certificate(struct files *files)
{
	char beside[sizeof(files->at.certificate)];

	if (files->named.certificate[0])
		files_absolute(files->at.certificate, sizeof(files->at.certificate),
			       files->named.certificate);
	else if (files->named.report[0] &&
		 files_name_beside(beside, sizeof(beside), files->at.json, ".html") &&
		 access(beside, F_OK) < 0 && !same_file(beside, files->at.map) &&
		 !same_file(beside, files->at.json))
		text_copy(files->at.certificate, sizeof(files->at.certificate), beside);
}

bool files_name_checksums(unsigned checksums, const char *report, char *ret, size_t size)
{
	char stem[512], path[sizeof(stem) + 16];

	if (!files_name_beside(stem, sizeof(stem), report, ""))
		return false;
	for (unsigned i = 0; i < CHECKSUM_ALGORITHMS; i++) {
		snprintf(path, sizeof(path), "%s.%s", stem,
			 checksum_name((enum checksum_algorithm)i));
		if (checksums & 1u << i && access(path, F_OK) == 0)
			return false;
	}
	text_copy(ret, size, stem);
	return true;
}

/* The list of digests is beside the report, wherever that is. */
static void name_report(struct files *files, unsigned checksums)
{
	files_absolute(files->at.json, sizeof(files->at.json), files->named.report);
	snprintf(files->at.digests, sizeof(files->at.digests), "%.503s" REPORT_LIST_ENDING,
		 files->at.json);
	files_name_checksums(checksums, files->at.json, files->at.checksums,
			     sizeof(files->at.checksums));
}

static dev_t beneath(const char *path)
{
	struct file_place place;

	place_try(PLACE_UNTRIED, path, "", &place);
	return place.beneath;
}

int files_make(struct files *files, unsigned checksums, const char *map, struct error *reterr)
{
	struct file_place tried;
	int r = place_try(PLACE_MADE, files->directory, "try", &tried);

	/* The copy goes on without a log; the map may be elsewhere. */
	if (r == -ENOSPC || r == -EDQUOT)
		r = 0;
	if (r == 0)
		r = find_names(files);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "log", files->directory,
				 _("Log and map cannot be kept in %s: %s. Name another directory "
				   "with --log-dir."),
				 files->directory, file_phrase(r));
	if (map || files->named.map[0])
		files_absolute(files->at.map, sizeof(files->at.map), map ? map : files->named.map);
	if (files->named.report[0])
		name_report(files, checksums);
	name_certificate(files);
	files->report_beneath = beneath(files->at.json);
	files->certificate_beneath = beneath(files->at.certificate);
	/* Another copy may have been given the same name since the plan was made. */
	r = place_try(map ? PLACE_AS_IT_IS : PLACE_NEW, files->at.map, "", &tried);
	files->map_beneath = tried.beneath;
	if (r < 0) {
		struct file_timeout timeout = { .ns = TIMEOUT_DURING_COPY };

		file_remove(&timeout, files->at.log);
		file_timeout_done(&timeout);
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "map", files->at.map,
				 _("The map %s cannot be written: %s. Without it the copy could "
				   "not be resumed; name another file with --map."),
				 files->at.map, file_phrase(r));
	}
	return 0;
}

static int cannot_be_kept(const char *path, int code, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "plan", path,
			 _("%s cannot be written: %s. Name another file."), path,
			 error_phrase(code));
}

/* Replacing a file by renaming needs a writable directory. */
static int check_file(const char *path, struct error *reterr)
{
	char copy[PATH_MAX];
	struct stat st;

	if (!*path)
		return 0;
	if (strlen(path) >= sizeof(((struct report_files *)0)->map) - 8)
		return cannot_be_kept(path, -ENAMETOOLONG, reterr);
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", path,
				 _("%s is not a regular file and cannot be replaced by one."),
				 path);
	text_copy(copy, sizeof(copy), path);
	return access(dirname(copy), W_OK | X_OK) < 0 ? cannot_be_kept(path, -errno, reterr) : 0;
}

/* The later file would replace the earlier one. */
static int check_apart(const char *one, const char *other, struct error *reterr)
{
	if (!*one || !*other || !same_file(one, other))
		return 0;
	return error_set(
		reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", one,
		_("Map, report and certificate each need a file of their own: %s is named twice."),
		one);
}

int files_check_not_an_end(const struct endpoint *source, const struct endpoint *destination,
			   const char *path, struct error *reterr)
{
	const struct endpoint *ends[] = { source, destination };

	for (size_t i = 0; *path && i < 2; i++)
		if ((ends[i]->kind == ENDPOINT_IMAGE && same_file(path, ends[i]->node)) ||
		    facts_is_storage(path, ends[i]))
			return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", path,
					 _("%s is the source or the destination itself and would "
					   "be replaced. Name another file."),
					 path);
	return 0;
}

/* What is saved beside a map, and has its name from it. */
static void (*const beside_map[])(const char *map, char path[static PATH_MAX]) = {
	partial_digests_path,
	saved_tables_path,
};

int files_check_map(const struct endpoint *source, const struct endpoint *destination,
		    const char *map, struct error *reterr)
{
	char beside[PATH_MAX];
	int r = files_check_not_an_end(source, destination, map, reterr);

	for (size_t i = 0; *map && r == 0 && i < ARRAY_SIZE(beside_map); i++) {
		beside_map[i](map, beside);
		r = files_check_not_an_end(source, destination, beside, reterr);
	}
	return r;
}

/* A file with something in it that this program has not made. */
static bool is_foreign(const char *path)
{
	CLEANUP(close)
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	char start[64] = "";

	if (fd < 0)
		return errno != ENOENT && errno != ENOTDIR;
	return read(fd, start, sizeof(start) - 1) != 0 && !strstr(start, "clonedeck");
}

bool files_has_foreign_beside(const char *map, char *ret, size_t size)
{
	char beside[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(beside_map); i++) {
		beside_map[i](map, beside);
		if (!is_foreign(beside))
			continue;
		text_copy(ret, size, beside);
		return true;
	}
	return false;
}

int files_check_beside(const char *map, struct error *reterr)
{
	char beside[PATH_MAX];

	return files_has_foreign_beside(map, beside, sizeof(beside))
		       ? cannot_be_kept(beside, -EEXIST, reterr)
		       : 0;
}

int files_check_new(const char *map, struct error *reterr)
{
	char word[PATH_MAX];
	int r = files_check_beside(map, reterr);

	if (r < 0 || access(map, F_OK) < 0)
		return r;
	return error_set(reterr, ERROR_CLASS_USAGE, -EEXIST, "plan", map,
			 _("The map %s exists already. Name another file, or go on with its copy:  "
			   "clonedeck resume %s"),
			 map, text_shell_word(word, sizeof(word), map, "MAP"));
}

/* What a copy writes beside its destination, where it was named. */
enum written {
	MAP,
	MAP_DIGESTS,
	MAP_TABLES,
	REPORT,
	REPORT_DIGESTS,
	CERTIFICATE,
	CHECKSUMS,
	WRITTEN_COUNT = CHECKSUMS + CHECKSUM_ALGORITHMS
};

/* "": it is not written. */
static void name_checksum(const char *report, enum checksum_algorithm algorithm,
			  char path[static PATH_MAX])
{
	char ending[16];

	snprintf(ending, sizeof(ending), ".%s", checksum_name(algorithm));
	if (!files_name_beside(path, PATH_MAX, report, ending))
		path[0] = '\0';
}

static void name_written(const struct files_named *named, unsigned checksums, const char *map,
			 char paths[static WRITTEN_COUNT][PATH_MAX])
{
	for (size_t i = 0; i < WRITTEN_COUNT; i++)
		paths[i][0] = '\0';
	for (unsigned i = 0; named->report[0] && i < CHECKSUM_ALGORITHMS; i++)
		if (checksums & 1u << i)
			name_checksum(named->report, (enum checksum_algorithm)i,
				      paths[CHECKSUMS + i]);
	if (*map) {
		text_copy(paths[MAP], PATH_MAX, map);
		partial_digests_path(map, paths[MAP_DIGESTS]);
		saved_tables_path(map, paths[MAP_TABLES]);
	}
	if (named->report[0])
		snprintf(paths[REPORT_DIGESTS], PATH_MAX, "%.503s" REPORT_LIST_ENDING,
			 named->report);
	text_copy(paths[REPORT], PATH_MAX, named->report);
	text_copy(paths[CERTIFICATE], PATH_MAX, named->certificate);
}

static void follow(const char *path, char file[static 512])
{
	file[0] = '\0';
	if (path)
		(void)file_follow(path, file, 512);
}

void files_follow(const struct session_options *options, struct files_named *ret)
{
	follow(options->map_path, ret->map);
	follow(options->report_path, ret->report);
	follow(options->certificate_path, ret->certificate);
}

int files_check(const struct files_named *named, const struct plan *plan, const char *map,
		struct error *reterr)
{
	const char *const files[] = { named->map, named->report, named->certificate };
	char paths[WRITTEN_COUNT][PATH_MAX];
	int r = 0;

	name_written(named, plan->options.checksums, map ? map : named->map, paths);
	for (size_t i = 0; r == 0 && i < WRITTEN_COUNT; i++)
		r = files_check_not_an_end(&plan->source, &plan->destinations[0], paths[i], reterr);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(files); i++)
		r = check_file(files[i], reterr);
	/* The digests of a part become those of the report: both may have one name. */
	for (size_t i = 0; i < WRITTEN_COUNT; i++)
		for (size_t k = i + 1; r == 0 && k < WRITTEN_COUNT; k++)
			if (i != MAP_DIGESTS || k != REPORT_DIGESTS)
				r = check_apart(paths[i], paths[k], reterr);
	if (r == 0 && is_foreign(paths[REPORT_DIGESTS]))
		r = cannot_be_kept(paths[REPORT_DIGESTS], -EEXIST, reterr);
	return r;
}

/* ---- after a power failure: which copy was under way? ---- */

/* The deck asks this between a key and the screen that answers it. */
#define WAIT_AT_MOST (NSEC_PER_SEC / 10)

struct search {
	char directory[512];
	struct session_unfinished found; /* map "": none */
};

/* Records are named by date and time. */
static bool find_newest(const char *directory, char name[static 256])
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	name[0] = '\0';
	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (text_has_ending(entry->d_name, ".map") && strcmp(entry->d_name, name) > 0)
			text_copy(name, 256, entry->d_name);
	closedir(dir);
	return name[0] != '\0';
}

/* The first line that is no comment tells the state, '+' when nothing is left to do. */
bool files_is_unfinished(const char *path)
{
	/* O_NONBLOCK: a FIFO or a device with the name of a map must not make us wait. */
	CLEANUP(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	char line[512], state = '+';

	if (!file)
		return false;
	cleanup_steal_fd(&fd);
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#') {
			if (sscanf(line, "%*s %c", &state) != 1)
				state = '+';
			break;
		}
	fclose(file);
	return state != '+';
}

bool files_describe(const char *path, struct session_unfinished *found)
{
	struct plan *plan = NULL;
	struct map *map = NULL;
	struct stat st;
	bool loaded;

	*found = (struct session_unfinished){ 0 };
	if (!files_is_unfinished(path))
		return false;
	text_copy(found->map, sizeof(found->map), path);
	if (stat(found->map, &st) == 0)
		found->at = st.st_mtime;
	loaded = map_load(found->map, &map, &plan, NULL) == 0;
	if (loaded && plan) {
		found->source = plan->source;
		found->destination = plan->destinations[0];
		found->finished = map_bytes(map, MAP_FINISHED);
		found->total = plan_bytes(plan);
	}
	plan_destroy(plan);
	map_destroy(map);
	return loaded;
}

static void search(void *data)
{
	struct search *search = data;
	char name[256], path[sizeof(search->found.map)];

	if (find_newest(search->directory, name) &&
	    (size_t)snprintf(path, sizeof(path), "%s/%s", search->directory, name) < sizeof(path))
		files_describe(path, &search->found);
}

static void tell_running(const char *map, char told[static 160])
{
	struct running *running = calloc(RUNNING_MAX, sizeof(*running));
	size_t count = running ? running_list(NULL, running) : 0;

	for (size_t i = 0; i < count; i++)
		if (strcmp(running[i].map, map) == 0)
			snprintf(told, 160, _("clonedeck, process %ld, is copying: %u%%"),
				 (long)running[i].pid, (unsigned)running[i].percent);
	free(running);
}

bool files_unfinished(const char *directory, struct session_unfinished *ret)
{
	struct search asked = { 0 };

	text_copy(asked.directory, sizeof(asked.directory), directory);
	worker_ask("maps", search, &asked, sizeof(asked), clock_monotonic() + WAIT_AT_MOST);
	*ret = asked.found;
	if (ret->map[0])
		tell_running(ret->map, ret->running);
	return ret->map[0] != '\0';
}
