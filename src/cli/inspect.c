/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that only look: list and show. */
#include "cli/inspect.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "discover/scan.h"

struct inspect_options {
	bool all, json, verbose, help;
};

/* ---- a process apart ---- */

struct outcome {
	int result;
	struct error error;
};

static int cannot_start(int code, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "start", NULL,
			 _("No process could be started to look at the disks: %s."),
			 error_phrase(code));
}

/* Smaller than PIPE_BUF, so it is there as a whole or not at all. */
static bool read_outcome(int fd, struct outcome *ret)
{
	ssize_t n;

	do
		n = read(fd, ret, sizeof(*ret));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*ret);
}

static void work_and_tell(int fd, int (*work)(void *data, struct error *reterr), void *data)
{
	struct outcome outcome = { 0 };

	outcome.result = work(data, &outcome.error);
	if (fflush(NULL) != 0 && outcome.result == 0)
		outcome.result =
			error_set(&outcome.error, ERROR_CLASS_ENVIRONMENT, -errno, "print", NULL,
				  _("The output cannot be written: %s."), error_phrase(errno));
	if (write(fd, &outcome, sizeof(outcome)) != (ssize_t)sizeof(outcome))
		_exit(EXIT_INTERNAL);
	_exit(EXIT_COMPLETE);
}

int apart_run(int (*work)(void *data, struct error *reterr), void *data, struct error *reterr)
{
	CLEANUP(close) int from = -1;
	struct outcome outcome;
	int ends[2];
	pid_t child;

	if (pipe(ends) < 0)
		return cannot_start(-errno, reterr);
	from = ends[0];
	/* Or what is buffered would be printed twice. */
	fflush(NULL);
	child = fork();
	if (child < 0) {
		int code = -errno;

		close(ends[1]);
		return cannot_start(code, reterr);
	}
	if (child == 0)
		work_and_tell(ends[1], work, data);
	close(ends[1]);
	if (!read_outcome(from, &outcome)) {
		int status;

		/* The reader of the output has gone: end by the same signal, as if this process had
		 * written itself. */
		if (waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		    WTERMSIG(status) == SIGPIPE)
			raise(SIGPIPE);
		return error_set(reterr, ERROR_CLASS_INTERNAL, -ECHILD, "look", NULL, "%s",
				 _("The process that looked at the disks ended before its time. "
				   "This is a defect of the program; please report it."));
	}
	/* No waiting for it: it may be stuck in the kernel. */
	waitpid(child, NULL, WNOHANG);
	if (outcome.result < 0 && reterr)
		*reterr = outcome.error;
	return outcome.result;
}

/* ---- list ---- */

/* From here on what the deck shows in its details fits into the table. */
#define LIST_WIDE 110

#define SERIAL_NARROW 12

enum list_column { NODE, HCTL, SG, RAW, SIZE, TRAN, MODEL, SERIAL, USE, NARROW_COUNT };
enum list_wide_column {
	W_NODE,
	W_HCTL,
	W_SG,
	W_RAW,
	W_SIZE,
	W_SECTORS,
	W_TRAN,
	W_MODEL,
	W_SERIAL,
	W_WWN,
	W_USE,
	WIDE_COUNT
};

static const struct column narrow_columns[NARROW_COUNT] = {
	[NODE] = { N_("NODE") },
	[HCTL] = { N_("HCTL") },
	[SG] = { N_("SG") },
	[RAW] = { N_("RAW") },
	[SIZE] = { N_("SIZE"), COLUMN_RIGHT },
	[TRAN] = { N_("TRAN") },
	[MODEL] = { N_("MODEL"), COLUMN_SHRINKS },
	[SERIAL] = { N_("SERIAL"), 0, SERIAL_NARROW },
	[USE] = { N_("USE") },
};

static const struct column wide_columns[WIDE_COUNT] = {
	[W_NODE] = { N_("NODE") },
	[W_HCTL] = { N_("HCTL") },
	[W_SG] = { N_("SG") },
	[W_RAW] = { N_("RAW") },
	[W_SIZE] = { N_("SIZE"), COLUMN_RIGHT },
	[W_SECTORS] = { N_("LOG/PHY") },
	[W_TRAN] = { N_("TRAN") },
	[W_MODEL] = { N_("MODEL"), COLUMN_SHRINKS },
	[W_SERIAL] = { N_("SERIAL") },
	[W_WWN] = { N_("WWN"), COLUMN_SHRINKS },
	[W_USE] = { N_("USE") },
};

/* "raw1,raw2" */
static const char *print_raw(const struct disk *disk, char *to, size_t size)
{
	size_t used = 0;

	to[0] = '\0';
	for (size_t i = 0; i < disk->raw_count && used < size; i++) {
		const char *slash = strrchr(disk->raw[i], '/');

		used += (size_t)snprintf(to + used, size - used, "%s%s", i ? "," : "",
					 slash ? slash + 1 : disk->raw[i]);
	}
	return to;
}

static const char *print_size(const struct disk *disk, char buffer[static UNITS_TEXT_MAX])
{
	if (disk->identity.size == 0)
		return "";
	return units_print_short(disk->identity.size, UNITS_SI, disk->identity.logical_sector_size,
				 buffer);
}

static const char *print_sectors(const struct disk *disk, char *to, size_t size)
{
	if (!disk->identity.logical_sector_size || !disk->physical_sector_size)
		return "";
	snprintf(to, size, "%u/%u", disk->identity.logical_sector_size, disk->physical_sector_size);
	return to;
}

static int add_row(struct columns *table, const struct disk *disk, bool wide, struct error *reterr)
{
	char raw[160], size[UNITS_TEXT_MAX], sectors[32], use[16];
	const char *node = node_short(disk->node), *sg = node_short(disk->sg);
	const struct identity *identity = &disk->identity;

	print_raw(disk, raw, sizeof(raw));
	use_letters(&disk->in_use, disk->read_only, use);
	if (wide) {
		const char *texts[WIDE_COUNT] = {
			[W_NODE] = node,
			[W_HCTL] = disk->hctl,
			[W_SG] = sg,
			[W_RAW] = raw,
			[W_SIZE] = print_size(disk, size),
			[W_SECTORS] = print_sectors(disk, sectors, sizeof(sectors)),
			[W_TRAN] = disk->transport,
			[W_MODEL] = identity->model,
			[W_SERIAL] = identity->serial,
			[W_WWN] = identity->wwn,
			[W_USE] = use,
		};

		return columns_add(table, texts, reterr);
	}

	const char *texts[NARROW_COUNT] = {
		[NODE] = node,
		[HCTL] = disk->hctl,
		[SG] = sg,
		[RAW] = raw,
		[SIZE] = print_size(disk, size),
		[TRAN] = disk->transport,
		[MODEL] = identity->model,
		[SERIAL] = identity->serial,
		[USE] = use,
	};

	return columns_add(table, texts, reterr);
}

static bool any_in_use(const struct disk_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->disks[i].in_use.count > 0 || list->disks[i].read_only == YES)
			return true;
	return false;
}

static void print_copy(const char *node, const char *words, int width)
{
	char text[320];

	snprintf(text, sizeof(text), "%s: %s", node, words);
	text_paragraph(stdout, width, "- ", text);
}

/* Copies of other processes, which know what they do. */
static void print_copies(const struct disk_list *list, int width)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct disk *disk = &list->disks[i];

		if (disk->read_by[0])
			print_copy(disk->node, disk->read_by, width);
		for (size_t u = 0; u < disk->in_use.count; u++) {
			const struct use *use = &disk->in_use.items[u];

			if (use->kind == USE_EXCLUSIVE && use->what[0])
				print_copy(use->node, use->what, width);
		}
	}
}

static void print_notes(const struct disk_list *list, bool verbose, int width)
{
	bool raw = verbose && list->no_raw_driver;

	if (any_in_use(list)) {
		putchar('\n');
		text_paragraph(stdout, width, "",
			       _("USE: B running system, M mounted, S swap, L LVM/dm, R md raid, "
				 "H other holder, F file in use, O open, ro read-only"));
	}
	print_copies(list, width);
	if (list->missing_count > 0 || raw)
		putchar('\n');
	for (size_t i = 0; i < list->missing_count; i++)
		text_paragraph(stdout, width, "- ", list->missing[i]);
	if (raw)
		text_paragraph(stdout, width, "- ",
			       _("This kernel has no raw driver (/dev/raw), so there are no raw "
				 "bindings; direct access to the disks takes their place."));
}

static int print_table(const struct disk_list *list, bool verbose, struct error *reterr)
{
	struct columns *table = NULL;
	int width = columns_width(), r;

	bool wide = width == 0 || width >= LIST_WIDE;

	if (list->count == 0) {
		printf("%s\n", _("There is no disk."));
		print_notes(list, verbose, width);
		return 0;
	}
	r = columns_new(wide ? wide_columns : narrow_columns,
			wide ? (size_t)WIDE_COUNT : (size_t)NARROW_COUNT, &table, reterr);
	for (size_t i = 0; r == 0 && i < list->count; i++)
		r = add_row(table, &list->disks[i], wide, reterr);
	if (r == 0)
		r = columns_print(table, reterr);
	columns_destroy(table);
	if (r == 0)
		print_notes(list, verbose, width);
	return r;
}

static int print_json(const struct disk_list *list, struct error *reterr)
{
	json_object *document = json_object_new_object();
	json_object *disks = json_object_new_array();

	json_object_object_add(document, "schema", json_object_new_string("clonedeck.list/1"));
	for (size_t i = 0; i < list->count; i++)
		json_object_array_add(disks, disk_json(&list->disks[i], false));
	json_object_object_add(document, "disks", disks);
	json_object_object_add(document, "missing", disk_json_missing(list));
	return disk_json_print(document, reterr);
}

static int list_disks(void *data, struct error *reterr)
{
	const struct inspect_options *options = data;
	struct scan_options how = { .all = options->all, .probe = true };
	struct disk_list *list = NULL;
	struct scan *scan = NULL;
	int r = scan_new(&how, &scan, reterr);

	if (r == 0)
		r = scan_run(scan, &list, reterr);
	if (r == 0)
		r = options->json ? print_json(list, reterr)
				  : print_table(list, options->verbose, reterr);
	disk_list_destroy(list);
	scan_destroy(scan);
	return r;
}

/* ---- the command line ---- */

enum inspect_option { OPTION_VERBOSE = 'v', OPTION_ALL = 256, OPTION_JSON, OPTION_HELP };

static const struct option list_long[] = {
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "verbose", no_argument, NULL, OPTION_VERBOSE },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static const struct option show_long[] = {
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

/* letters: as for getopt_long(). */
static int parse(int argc, char **argv, const char *letters, const struct option *options,
		 struct inspect_options *ret)
{
	int c;

	opterr = 0;
	if (!cli_long_options_exact(argc, argv, options, ":"))
		return EXIT_USAGE;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case OPTION_ALL:
			ret->all = true;
			break;
		case OPTION_JSON:
			ret->json = true;
			break;
		case OPTION_VERBOSE:
			ret->verbose = true;
			break;
		case OPTION_HELP:
			ret->help = true;
			break;
		default:
			return cli_bad_option(argv, c);
		}
	}
	return 0;
}

static int help(const char *text)
{
	fputs(text, stdout);
	return cli_finish_output(EXIT_COMPLETE);
}

int cli_list(int argc, char **argv)
{
	struct inspect_options options = { 0 };
	struct error error = { 0 };
	int r = parse(argc, argv, ":v", list_long, &options);

	if (r != 0)
		return r;
	if (options.help)
		return help(_("Usage: clonedeck list [--all] [--json] [--verbose]\n"
			      "\n"
			      "Shows the disks, their nodes and identity, and what uses them.\n"
			      "\n"
			      "  --all          loop, RAM, device mapper and md devices, too\n"
			      "  --json         as JSON\n"
			      "  -v, --verbose  also what kernels no longer have\n"));
	if (optind < argc)
		return cli_usage(argv[0], _("Unexpected argument \"%s\"."), argv[optind]);
	if (apart_run(list_disks, &options, &error) < 0)
		return cli_error(&error);
	return cli_finish_output(EXIT_COMPLETE);
}

int cli_show(int argc, char **argv)
{
	struct inspect_options options = { 0 };
	struct error error = { 0 };
	int r = parse(argc, argv, ":", show_long, &options);

	if (r != 0)
		return r;
	if (options.help)
		return help(_("Usage: clonedeck show DISK|IMAGE [--json]\n"
			      "\n"
			      "Shows one disk, or what an image file holds, and its layout in "
			      "sectors.\n"
			      "DISK is a node, a link to one, serial=TEXT or wwn=TEXT.\n"
			      "\n"
			      "  --json  as JSON\n"));
	if (optind == argc)
		return cli_usage(argv[0], _("Name the disk or image file to show."));
	if (optind + 1 < argc)
		return cli_usage(argv[0], _("Unexpected argument \"%s\"."), argv[optind + 1]);
	if (show_run(argv[optind], options.json, &error) < 0)
		return cli_error(&error);
	return cli_finish_output(EXIT_COMPLETE);
}
