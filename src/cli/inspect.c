/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that only look: list and show. */
#include "cli/inspect.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "discover/scan.h"
#include "report/json.h"

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

#define SERIAL_NARROW 12

enum list_column {
	NODE,
	HCTL,
	SG,
	RAW,
	SIZE,
	SECTORS,
	TRAN,
	MODEL,
	SERIAL,
	WWN,
	USE,
	COLUMN_COUNT
};

static const struct column list_columns[COLUMN_COUNT] = {
	[NODE] = { N_("NODE") },
	[HCTL] = { N_("HCTL") },
	[SG] = { N_("SG") },
	[RAW] = { N_("RAW") },
	[SIZE] = { N_("SIZE"), COLUMN_RIGHT },
	[SECTORS] = { N_("LOG/PHY"), COLUMN_WIDE },
	[TRAN] = { N_("TRAN") },
	[MODEL] = { N_("MODEL"), COLUMN_SHRINKS },
	[SERIAL] = { N_("SERIAL"), 0, SERIAL_NARROW },
	[WWN] = { N_("WWN"), COLUMN_SHRINKS | COLUMN_WIDE },
	[USE] = { N_("USE") },
};

/* "raw1,raw2" */
static const char *print_raw(const struct disk *disk, char *to, size_t size)
{
	to[0] = '\0';
	for (size_t i = 0; i < disk->raw_count; i++)
		text_append(to, size, ",", "%s", text_base_name(disk->raw[i]));
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

static int add_row(struct columns *table, const struct disk *disk, struct error *reterr)
{
	char raw[160], size[UNITS_TEXT_MAX], sectors[32], use[16];
	const struct identity *identity = &disk->identity;
	const char *texts[COLUMN_COUNT] = {
		[NODE] = node_short(disk->node),
		[HCTL] = disk->hctl,
		[SG] = node_short(disk->sg),
		[RAW] = print_raw(disk, raw, sizeof(raw)),
		[SIZE] = print_size(disk, size),
		[SECTORS] = print_sectors(disk, sectors, sizeof(sectors)),
		[TRAN] = disk->transport,
		[MODEL] = identity->model,
		[SERIAL] = identity->serial,
		[WWN] = identity->wwn,
		[USE] = use_letters(&disk->in_use, disk->read_only, use),
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

/* The copies that other processes run. */
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
			       _("USE: B running system, M mounted, S swap, L LVM/dm, R md raid, H "
				 "other holder, F file in use, O open, ro read-only"));
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

	if (list->count == 0) {
		printf("%s\n", _("There is no disk."));
		print_notes(list, verbose, width);
		return 0;
	}
	r = columns_new(list_columns, COLUMN_COUNT, &table, reterr);
	for (size_t i = 0; r == 0 && i < list->count; i++)
		r = add_row(table, &list->disks[i], reterr);
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

	json_add_text(document, "schema", "clonedeck.list/1");
	for (size_t i = 0; i < list->count; i++)
		json_object_array_add(disks, disk_json(&list->disks[i], false));
	json_object_object_add(document, "disks", disks);
	json_object_object_add(document, "missing",
			       report_json_texts_of(list->missing, list->missing_count));
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

static const struct cli_option list_options[] = {
	{ "all", 0, 0, CLI_SWITCH(struct inspect_options, all) },
	{ "json", 0, 0, CLI_SWITCH(struct inspect_options, json) },
	{ "verbose", 0, 'v', CLI_SWITCH(struct inspect_options, verbose) },
	{ "help", 0, 0, CLI_SWITCH(struct inspect_options, help) },
	{ NULL },
};

static const struct cli_option show_options[] = {
	{ "json", 0, 0, CLI_SWITCH(struct inspect_options, json) },
	{ "help", 0, 0, CLI_SWITCH(struct inspect_options, help) },
	{ NULL },
};

int cli_list(int argc, char **argv)
{
	struct inspect_options options = { 0 };
	struct error error = { 0 };
	int r = cli_parse(argc, argv, list_options, 0, &options, NULL);

	if (r != 0)
		return r;
	if (options.help)
		return cli_help(_("Usage: clonedeck list [--all] [--json] [--verbose]\n"
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
	int r = cli_parse(argc, argv, show_options, 0, &options, NULL);

	if (r != 0)
		return r;
	if (options.help)
		return cli_help(_(
			"Usage: clonedeck show DISK|IMAGE [--json]\n"
			"\n"
			"Shows one disk, or what an image file holds, and its layout in sectors.\n"
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
