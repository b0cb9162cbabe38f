/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing the options of clone and resume. */
#include "cli/clone_options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/units.h"
#include "cli/cli.h"
#include "io/backends.h"
#include "plan/rescue.h"

enum long_only {
	OPTION_AT = 256,
	OPTION_SOURCE_BACKEND,
	OPTION_DESTINATION_BACKEND,
	OPTION_SG_IO,
	OPTION_SG_FUA,
	OPTION_SG_DPO,
	OPTION_REPORT,
	OPTION_CERTIFICATE,
	OPTION_OPERATOR,
	OPTION_TICKET,
	OPTION_MASK_SERIALS,
	OPTION_RETRIES,
	OPTION_ON_ERROR,
	OPTION_RATE,
	OPTION_ON_VANISH,
	OPTION_WAIT,
	OPTION_MAP_INTERVAL,
	OPTION_NO_ARM_LAST,
	OPTION_PROBE,
	OPTION_NO_PROBE,
	OPTION_VERIFY,
	OPTION_NO_VERIFY,
	OPTION_REWRITE,
	OPTION_JSON,
	OPTION_LOG_DIR,
	OPTION_ALLOW,
	OPTION_CONFIRM,
	OPTION_HELP,
	OPTION_DOMAIN,
	OPTION_RETRY_AREA,
	OPTION_RESCUE, /* and the numbers behind it: those of plan/rescue.h */
};

#define RESCUE(number, name)                                                                       \
	{                                                                                          \
		name, required_argument, NULL, OPTION_RESCUE + (number)                            \
	}
/* In the order of plan/rescue.h. */
#define RESCUE_LONG                                                                                \
	RESCUE(0, "on-write-error"), RESCUE(1, "fill"), RESCUE(2, "retry-passes"),                 \
		RESCUE(3, "slow-limit"), RESCUE(4, "max-bad-areas"), RESCUE(5, "max-read-errors"), \
		RESCUE(6, "max-error-rate"), RESCUE(7, "max-no-read")

static const struct option clone_long[] = {
	{ "source", required_argument, NULL, 's' },
	{ "destination", required_argument, NULL, 'd' },
	{ "ranges", required_argument, NULL, 'r' },
	{ "domain", required_argument, NULL, OPTION_DOMAIN },
	{ "at", required_argument, NULL, OPTION_AT },
	{ "chunk", required_argument, NULL, 'b' },
	{ "queue-depth", required_argument, NULL, 'q' },
	{ "lanes", required_argument, NULL, 'j' },
	{ "source-backend", required_argument, NULL, OPTION_SOURCE_BACKEND },
	{ "destination-backend", required_argument, NULL, OPTION_DESTINATION_BACKEND },
	{ "sg-io", required_argument, NULL, OPTION_SG_IO },
	{ "sg-fua", no_argument, NULL, OPTION_SG_FUA },
	{ "sg-dpo", no_argument, NULL, OPTION_SG_DPO },
	{ "map", required_argument, NULL, 'm' },
	{ "report", required_argument, NULL, OPTION_REPORT },
	{ "certificate", required_argument, NULL, OPTION_CERTIFICATE },
	{ "operator", required_argument, NULL, OPTION_OPERATOR },
	{ "ticket", required_argument, NULL, OPTION_TICKET },
	{ "mask-serials", no_argument, NULL, OPTION_MASK_SERIALS },
	{ "on-vanish", required_argument, NULL, OPTION_ON_VANISH },
	{ "wait", required_argument, NULL, OPTION_WAIT },
	{ "map-interval", required_argument, NULL, OPTION_MAP_INTERVAL },
	{ "retries", required_argument, NULL, OPTION_RETRIES },
	{ "on-error", required_argument, NULL, OPTION_ON_ERROR },
	RESCUE_LONG,
	{ "rate", required_argument, NULL, OPTION_RATE },
	{ "no-arm-last", no_argument, NULL, OPTION_NO_ARM_LAST },
	{ "probe", no_argument, NULL, OPTION_PROBE },
	{ "no-probe", no_argument, NULL, OPTION_NO_PROBE },
	{ "verify", optional_argument, NULL, OPTION_VERIFY },
	{ "no-verify", no_argument, NULL, OPTION_NO_VERIFY },
	{ "rewrite", no_argument, NULL, OPTION_REWRITE },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "log-dir", required_argument, NULL, OPTION_LOG_DIR },
	{ "allow", required_argument, NULL, OPTION_ALLOW },
	{ "confirm", required_argument, NULL, OPTION_CONFIRM },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

/* What decides which bytes go where comes from the map; how hard it is tried may change. */
static const struct option resume_long[] = {
	{ "source", required_argument, NULL, 's' },
	{ "destination", required_argument, NULL, 'd' },
	{ "retry-area", required_argument, NULL, OPTION_RETRY_AREA },
	RESCUE_LONG,
	{ "report", required_argument, NULL, OPTION_REPORT },
	{ "certificate", required_argument, NULL, OPTION_CERTIFICATE },
	{ "operator", required_argument, NULL, OPTION_OPERATOR },
	{ "ticket", required_argument, NULL, OPTION_TICKET },
	{ "mask-serials", no_argument, NULL, OPTION_MASK_SERIALS },
	{ "on-vanish", required_argument, NULL, OPTION_ON_VANISH },
	{ "wait", required_argument, NULL, OPTION_WAIT },
	{ "map-interval", required_argument, NULL, OPTION_MAP_INTERVAL },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "log-dir", required_argument, NULL, OPTION_LOG_DIR },
	{ "allow", required_argument, NULL, OPTION_ALLOW },
	{ "confirm", required_argument, NULL, OPTION_CONFIRM },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

/* A day, in seconds. */
#define MAP_INTERVAL_MAX 86400

static const char clone_short[] = ":s:d:r:b:q:j:m:n";
static const char resume_short[] = ":s:d:n";

/* An option that may be given once only: the second one would silently win. */
static int set_once(const char *command, const char *name, const char *value, const char **ret)
{
	if (*ret)
		return cli_usage(command, _("The option --%s is given twice."), name);
	if (!value[0])
		return cli_usage(command, _("The option --%s needs a value."), name);
	*ret = value;
	return 0;
}

/* It stands on paper in the end: half of it is worse than none. */
static int set_person(const char *command, const char *name, const char *value, const char **ret)
{
	if (strlen(value) >= REPORT_PERSON_MAX)
		return cli_usage(command, _("--%s: at most %d bytes of text."), name,
				 REPORT_PERSON_MAX - 1);
	return set_once(command, name, value, ret);
}

static int set_size(const char *command, const char *name, const char *value, uint64_t max,
		    uint64_t *ret)
{
	uint64_t size;

	if (units_parse_size(value, 0, NULL, &size) < 0 || size == 0 || size > max)
		return cli_usage(command,
				 _("--%s %s: not a size. Examples: 65536, 64K, 1MiB, 100MB."), name,
				 value);
	*ret = size;
	return 0;
}

static int set_number(const char *command, const char *name, const char *value, uint32_t max,
		      uint32_t *ret)
{
	if (!cli_parse_number(value, max, ret))
		return cli_usage(command, _("--%s %s: not a whole number from 1 to %u."), name,
				 value, max);
	return 0;
}

/* Those that a technician may choose; "null" is for benchmarks. */
static int set_backend(const char *command, const char *name, const char *value,
		       enum backend_choice *ret)
{
	static const enum backend_choice offered[] = { BACKEND_AUTO,     BACKEND_URING,
						       BACKEND_THREADS,  BACKEND_SG,
						       BACKEND_BUFFERED, BACKEND_IMAGE };

	for (size_t i = 0; i < sizeof(offered) / sizeof(offered[0]); i++) {
		if (strcmp(value, io_backend_choice_name(offered[i])) != 0)
			continue;
		*ret = offered[i];
		return 0;
	}
	return cli_usage(command, _("--%s %s: choose auto, uring, threads, sg, buffered or image."),
			 name, value);
}

static int set_sg_io(const char *command, const char *value, enum sg_data *ret)
{
	if (plan_sg_data_parse(value, ret) < 0)
		return cli_usage(command, _("--sg-io %s: choose direct, mmap or indirect."), value);
	return 0;
}

static int set_retries(const char *command, const char *value, unsigned *ret)
{
	uint32_t number;

	if (strcmp(value, "0") == 0)
		*ret = 0;
	else if (cli_parse_number(value, 1000, &number))
		*ret = number;
	else
		return cli_usage(command, _("--retries %s: not a whole number from 0 to 1000."),
				 value);
	return 0;
}

static int set_on_error(const char *command, const char *value, enum on_error *ret)
{
	if (strcmp(value, "stop") == 0)
		*ret = ON_ERROR_STOP;
	else if (strcmp(value, "map") == 0)
		*ret = ON_ERROR_MAP;
	else
		return cli_usage(command, _("--on-error %s: choose stop or map."), value);
	return 0;
}

static int set_on_vanish(const char *command, const char *value, enum session_vanish *ret)
{
	if (strcmp(value, "wait") == 0)
		*ret = SESSION_VANISH_WAIT;
	else if (strcmp(value, "stop") == 0)
		*ret = SESSION_VANISH_STOP;
	else
		return cli_usage(command, _("--on-vanish %s: choose wait or stop."), value);
	return 0;
}

static int set_probe(const char *command, enum probe_choice choice, enum probe_choice *ret)
{
	if (*ret != PROBE_AUTO && *ret != choice)
		return cli_usage(command, _("--probe and --no-probe exclude each other."));
	*ret = choice;
	return 0;
}

static int set_verify(const char *command, const char *value, enum verify_choice *ret)
{
	if (!value || strcmp(value, "digest") == 0)
		*ret = VERIFY_DIGEST;
	else if (strcmp(value, "compare") == 0)
		*ret = VERIFY_COMPARE;
	else
		return cli_usage(command, _("--verify=%s: choose digest or compare."), value);
	return 0;
}

static int add_allowed(const char *command, const char *value, struct clone_options *ret)
{
	if (ret->allow_count == CLONE_ALLOW_MAX)
		return cli_usage(command, _("--allow is given more than %d times."),
				 CLONE_ALLOW_MAX);
	ret->allow[ret->allow_count++] = value;
	return 0;
}

static int set_chunk(const char *command, const char *value, uint32_t *ret)
{
	uint64_t size = 0;
	int r = set_size(command, "chunk", value, UINT32_MAX, &size);

	*ret = (uint32_t)size;
	return r;
}

static int set_rescue(const char *command, size_t i, const char *value, struct clone_options *ret)
{
	char values[128];

	if (rescue_option_set(&ret->plan, i, value) < 0)
		return cli_usage(command, _("--%s %s: choose %s."), rescue_option_name(i), value,
				 rescue_option_values(i, values, sizeof(values)));
	ret->session.rescue_given |= 1u << i;
	return 0;
}

static int take_plan_option(const char *command, int c, struct plan_options *ret)
{
	switch (c) {
	case 'b':
		return set_chunk(command, optarg, &ret->chunk);
	case 'q':
		return set_number(command, "queue-depth", optarg, 4096, &ret->queue_depth);
	case 'j':
		return set_number(command, "lanes", optarg, JOB_LANES_MAX, &ret->lanes);
	case OPTION_SOURCE_BACKEND:
		return set_backend(command, "source-backend", optarg, &ret->source_backend);
	case OPTION_DESTINATION_BACKEND:
		return set_backend(command, "destination-backend", optarg,
				   &ret->destination_backend);
	case OPTION_SG_IO:
		return set_sg_io(command, optarg, &ret->sg_data);
	case OPTION_SG_FUA:
		ret->sg_fua = true;
		return 0;
	case OPTION_SG_DPO:
		ret->sg_dpo = true;
		return 0;
	case OPTION_RETRIES:
		return set_retries(command, optarg, &ret->retries);
	case OPTION_NO_ARM_LAST:
		ret->arm_at_once = true;
		return 0;
	case OPTION_PROBE:
	case OPTION_NO_PROBE:
		return set_probe(command, c == OPTION_PROBE ? PROBE_YES : PROBE_NO, &ret->probe);
	case OPTION_ON_ERROR:
		return set_on_error(command, optarg, &ret->on_error);
	case OPTION_VERIFY:
		return set_verify(command, optarg, &ret->verify);
	case OPTION_NO_VERIFY:
		ret->verify = VERIFY_OFF;
		return 0;
	case OPTION_REWRITE:
		ret->rewrite = true;
		return 0;
	default:
		return set_size(command, "rate", optarg, UINT64_MAX, &ret->rate);
	}
}

static int take_option(char **argv, int c, struct clone_options *ret)
{
	const char *command = argv[0];

	switch (c) {
	case 's':
		return set_once(command, "source", optarg, &ret->source);
	case 'd':
		return set_once(command, "destination", optarg, &ret->destination);
	case 'r':
		return set_once(command, "ranges", optarg, &ret->ranges);
	case OPTION_DOMAIN:
		return set_once(command, "domain", optarg, &ret->domain);
	case OPTION_AT:
		return set_once(command, "at", optarg, &ret->at);
	case OPTION_RETRY_AREA:
		return set_once(command, "retry-area", optarg, &ret->retry_area);
	case 'm':
		return set_once(command, "map", optarg, &ret->session.map_path);
	case OPTION_REPORT:
		return set_once(command, "report", optarg, &ret->session.report_path);
	case OPTION_CERTIFICATE:
		return set_once(command, "certificate", optarg, &ret->session.certificate_path);
	case OPTION_OPERATOR:
		return set_person(command, "operator", optarg, &ret->session.operator_name);
	case OPTION_TICKET:
		return set_person(command, "ticket", optarg, &ret->session.ticket);
	case OPTION_MASK_SERIALS:
		ret->session.mask_serials = true;
		return 0;
	case OPTION_LOG_DIR:
		return set_once(command, "log-dir", optarg, &ret->session.log_dir);
	case OPTION_CONFIRM:
		/* An empty one is a wrong one, not a missing one. */
		if (optarg[0] == '\0' && !ret->confirm) {
			ret->confirm = optarg;
			return 0;
		}
		return set_once(command, "confirm", optarg, &ret->confirm);
	case OPTION_ALLOW:
		return add_allowed(command, optarg, ret);
	case OPTION_ON_VANISH:
		return set_on_vanish(command, optarg, &ret->session.on_vanish);
	case OPTION_WAIT:
		return set_number(command, "wait", optarg, UINT32_MAX, &ret->wait);
	case OPTION_MAP_INTERVAL:
		return set_number(command, "map-interval", optarg, MAP_INTERVAL_MAX,
				  &ret->session.map_interval);
	case 'n':
		ret->dry_run = true;
		return 0;
	case OPTION_JSON:
		ret->json = true;
		return 0;
	case OPTION_HELP:
		ret->help = true;
		return 0;
	case '?':
	case ':':
		return cli_bad_option(argv, c);
	default:
		if (c >= OPTION_RESCUE)
			return set_rescue(command, (size_t)(c - OPTION_RESCUE), optarg, ret);
		return take_plan_option(command, c, &ret->plan);
	}
}

/* What is there must make sense together. */
static int check_sg_options(const char *command, const struct plan_options *plan)
{
	bool source = plan->source_backend == BACKEND_SG;
	bool destination = plan->destination_backend == BACKEND_SG;

	if (plan->sg_fua && !destination)
		return cli_usage(command, _("--sg-fua needs --destination-backend sg."));
	if (plan->sg_dpo && !source && !destination)
		return cli_usage(command, _("--sg-dpo needs sg at one end: --source-backend sg or "
					    "--destination-backend sg."));
	return 0;
}

static int check_options(char **argv, bool resume, const struct clone_options *options)
{
	if (resume && !options->map)
		return cli_usage(argv[0], _("Name the map file to go on from."));
	if (resume && !options->source != !options->destination)
		return cli_usage(argv[0], _("Name both disks with -s and -d, or neither."));
	if (!resume && !options->source)
		return cli_usage(argv[0], _("Name the source with -s."));
	if (!resume && !options->destination)
		return cli_usage(argv[0], _("Name the destination with -d."));
	if (options->plan.rewrite && options->plan.verify == VERIFY_OFF)
		return cli_usage(argv[0], _("--rewrite needs the copy to be verified."));
	return check_sg_options(argv[0], &options->plan);
}

int clone_options_parse(int argc, char **argv, bool resume, struct clone_options *ret)
{
	const struct option *options = resume ? resume_long : clone_long;
	const char *short_options = resume ? resume_short : clone_short;
	int c, r;

	*ret = (struct clone_options){ .plan = PLAN_OPTIONS_DEFAULT, .session.all = true };
	opterr = 0;
	if (!cli_long_options_exact(argc, argv, options, short_options))
		return EXIT_USAGE;
	while ((c = getopt_long(argc, argv, short_options, options, NULL)) != -1) {
		r = take_option(argv, c, ret);
		if (r != 0)
			return r;
	}
	if (ret->help)
		return 0;
	if (resume && optind < argc)
		ret->map = argv[optind++];
	if (optind < argc)
		return cli_usage(argv[0], _("\"%s\" belongs to no option."), argv[optind]);
	ret->session.allow = ret->allow;
	ret->session.rescue = &ret->plan;
	return check_options(argv, resume, ret);
}

void clone_options_help(bool resume)
{
	if (resume)
		fputs(_("Usage: clonedeck resume MAP --confirm TOKEN [options]\n"
			"\n"
			"Goes on with a copy that was stopped. The map names both disks; they are "
			"found\n"
			"by what they are, not by their names.\n"),
		      stdout);
	else
		fputs(_("Usage: clonedeck clone -s SOURCE -d DESTINATION --confirm TOKEN "
			"[options]\n"
			"\n"
			"Copies a disk, a partition, ranges or an image file. SOURCE and "
			"DESTINATION: a\n"
			"node (/dev/sda, /dev/sda2, /dev/sg0), a link to one, serial=TEXT, "
			"wwn=TEXT, or\n"
			"the path of an image file. Look with --dry-run first.\n"
			"\n"
			"  -s, --source SOURCE           what is read\n"
			"  -d, --destination DESTINATION what is overwritten\n"
			"  -r, --ranges RANGES           A-B, A+N, A-, -N, @PARTITION, separated "
			"by commas\n"
			"      --at LBA                  where the first range starts on the "
			"destination\n"
			"  -b, --chunk SIZE              bytes of one request\n"
			"  -q, --queue-depth N           requests in flight per disk\n"
			"  -j, --lanes N                 threads\n"
			"      --source-backend NAME     auto, uring, threads, sg, buffered, "
			"image\n"
			"      --destination-backend NAME\n"
			"      --sg-io direct|mmap|indirect\n"
			"                                how data gets to and from the sg driver\n"
			"      --sg-fua                  each write is on the medium when it is "
			"done\n"
			"      --sg-dpo                  the disk need not cache what is "
			"transferred\n"
			"      --rate SIZE               at most so many bytes per second\n"
			"      --retries N               how often a failed request is tried "
			"again\n"
			"      --on-error stop|map       after a read error: stop, or rescue what "
			"can be\n"
			"                                read and record the rest (default)\n"
			"  -m, --map FILE                where the map is kept\n"),
		      stdout);
	if (!resume)
		fputs(_("      --no-arm-last             copy partition table and boot sectors in "
			"their\n"
			"                                turn, not last\n"
			"      --probe, --no-probe       ask the destination for its real size "
			"first\n"
			"                                (default: USB and removable ones)\n"),
		      stdout);
	if (!resume)
		fputs(_("      --verify=digest|compare   read the copy back and compare it with "
			"digests taken\n"
			"                                as the source was read (default), or "
			"with the source\n"
			"      --no-verify               do not read the copy back\n"
			"      --rewrite                 write again what differs, and verify it "
			"again\n"),
		      stdout);
	fputs(_("      --certificate FILE        where the certificate (HTML, to be printed) is "
		"saved;\n"
		"                                else beside the report\n"
		"      --operator NAME           who makes the copy, for report and certificate\n"
		"      --ticket TEXT             what it is made for\n"
		"      --mask-serials            show but the last 4 characters of serial "
		"numbers\n"),
	      stdout);
	fputs(_("      --on-vanish wait|stop     when a disk is unplugged: wait until it is back\n"
		"                                (default), or end; the copy can be resumed\n"
		"      --wait SECONDS            wait at most so long for a disk\n"
		"      --map-interval SECONDS    how often the map is saved (30)\n"),
	      stdout);
	if (resume)
		fputs(_("  -s, --source SOURCE           the disks of a map of GNU ddrescue, "
			"which\n"
			"  -d, --destination DESTINATION does not name them\n"),
		      stdout);
	if (resume)
		fputs(_("      --retry-area RANGES       read bad sectors again only in these\n"),
		      stdout);
	else
		fputs(_("      --domain MAP              only what this map calls finished\n"),
		      stdout);
	fputs(_("      --on-write-error stop|map after a write error: stop (default), or record "
		"it\n"
		"      --fill zero|mark|leave    what bad sectors become on the destination\n"
		"      --retry-passes N          how often bad sectors are read again in the end\n"
		"      --slow-limit SECONDS      a read that takes longer is treated as damage\n"
		"      --max-bad-areas N         stop when there are more\n"
		"      --max-read-errors N       stop when more reads failed\n"
		"      --max-error-rate SIZE     stop when more bytes per second fail\n"
		"      --max-no-read SECONDS     stop when nothing could be read for so long\n"),
	      stdout);
	fputs(_("      --confirm TOKEN           the last six characters of the destination's "
		"serial\n"
		"                                number; its full path where it has none of its "
		"own;\n"
		"                                the path of an image that exists already\n"
		"  -n, --dry-run                 show plan and checks, write nothing\n"
		"      --allow RULE              turn the refusal of one check into a warning\n"
		"      --report FILE             where the report (JSON) is saved\n"
		"      --log-dir DIR             where log, map and report are kept\n"
		"      --json                    progress and report as JSON lines\n"
		"      --help\n"),
	      stdout);
	fputs(_("\n"
		"Exit: 0 complete, 1 usage, 2 environment, 3 refused, 4 bad areas,\n"
		"5 the copy differs, 6 stopped, 7 destination failed, 8 internal error.\n"),
	      stdout);
}
