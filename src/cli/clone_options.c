/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing the options of clone, resume and verify. */
#include "cli/clone_options.h"

#include <string.h>

#include "base/i18n.h"
#include "base/units.h"
#include "cli/cli.h"

enum long_only {
	OPTION_AT = 256,
	OPTION_SG_FUA,
	OPTION_SG_DPO,
	OPTION_REPORT,
	OPTION_CERTIFICATE,
	OPTION_OPERATOR,
	OPTION_TICKET,
	OPTION_MASK_SERIALS,
	OPTION_ON_VANISH,
	OPTION_ON_HANGUP,
	OPTION_WAIT,
	OPTION_MAP_INTERVAL,
	OPTION_NO_ARM_LAST,
	OPTION_PROBE,
	OPTION_NO_PROBE,
	OPTION_VERIFY,
	OPTION_NO_VERIFY,
	OPTION_REWRITE,
	OPTION_DIGEST,
	OPTION_JSON,
	OPTION_LOG_DIR,
	OPTION_ALLOW,
	OPTION_CONFIRM,
	OPTION_HELP,
	OPTION_DOMAIN,
	OPTION_RETRY_AREA,
	OPTION_PLAN, /* one that plan/options.h knows by this name, and takes this value */
};

#define CLONE  COMMAND_CLONE
#define RESUME COMMAND_RESUME
#define VERIFY COMMAND_VERIFY

/* What decides which bytes go where, resume takes from the map; how hard it is tried may change. */
static const struct {
	unsigned commands;
	struct option option;
} known[] = {
	{ CLONE | RESUME | VERIFY, { "source", required_argument, NULL, 's' } },
	{ CLONE | RESUME | VERIFY, { "destination", required_argument, NULL, 'd' } },
	{ CLONE | VERIFY, { "ranges", required_argument, NULL, 'r' } },
	{ CLONE, { "domain", required_argument, NULL, OPTION_DOMAIN } },
	{ RESUME, { "retry-area", required_argument, NULL, OPTION_RETRY_AREA } },
	{ CLONE | VERIFY, { "at", required_argument, NULL, OPTION_AT } },
	{ CLONE, { "chunk", required_argument, NULL, 'b' } },
	{ CLONE, { "queue-depth", required_argument, NULL, 'q' } },
	{ CLONE, { "lanes", required_argument, NULL, 'j' } },
	{ CLONE, { "source-backend", required_argument, NULL, OPTION_PLAN } },
	{ CLONE, { "destination-backend", required_argument, NULL, OPTION_PLAN } },
	{ CLONE, { "sg-io", required_argument, NULL, OPTION_PLAN } },
	{ CLONE, { "sg-fua", no_argument, NULL, OPTION_SG_FUA } },
	{ CLONE, { "sg-dpo", no_argument, NULL, OPTION_SG_DPO } },
	{ CLONE, { "map", required_argument, NULL, 'm' } },
	{ CLONE | RESUME, { "report", required_argument, NULL, OPTION_REPORT } },
	{ CLONE | RESUME, { "certificate", required_argument, NULL, OPTION_CERTIFICATE } },
	{ CLONE | RESUME, { "operator", required_argument, NULL, OPTION_OPERATOR } },
	{ CLONE | RESUME, { "ticket", required_argument, NULL, OPTION_TICKET } },
	{ CLONE | RESUME, { "mask-serials", no_argument, NULL, OPTION_MASK_SERIALS } },
	{ CLONE | RESUME, { "on-vanish", required_argument, NULL, OPTION_ON_VANISH } },
	{ CLONE | RESUME, { "on-hangup", required_argument, NULL, OPTION_ON_HANGUP } },
	{ CLONE | RESUME, { "wait", required_argument, NULL, OPTION_WAIT } },
	{ CLONE | RESUME, { "map-interval", required_argument, NULL, OPTION_MAP_INTERVAL } },
	{ CLONE, { "retries", required_argument, NULL, OPTION_PLAN } },
	{ CLONE, { "on-error", required_argument, NULL, OPTION_PLAN } },
	{ CLONE | RESUME, { "on-write-error", required_argument, NULL, OPTION_PLAN } },
	{ CLONE | RESUME, { "fill", required_argument, NULL, OPTION_PLAN } },
	{ CLONE | RESUME, { "retry-passes", required_argument, NULL, OPTION_PLAN } },
	{ CLONE | RESUME, { "slow-limit", required_argument, NULL, OPTION_PLAN } },
	{ CLONE | RESUME, { "max-bad-areas", required_argument, NULL, OPTION_PLAN } },
	{ CLONE | RESUME, { "max-read-errors", required_argument, NULL, OPTION_PLAN } },
	{ CLONE | RESUME, { "max-error-rate", required_argument, NULL, OPTION_PLAN } },
	{ CLONE | RESUME, { "max-no-read", required_argument, NULL, OPTION_PLAN } },
	{ CLONE | RESUME, { "rate", required_argument, NULL, OPTION_PLAN } },
	{ CLONE, { "no-arm-last", no_argument, NULL, OPTION_NO_ARM_LAST } },
	{ CLONE, { "probe", no_argument, NULL, OPTION_PROBE } },
	{ CLONE, { "no-probe", no_argument, NULL, OPTION_NO_PROBE } },
	{ CLONE, { "verify", optional_argument, NULL, OPTION_VERIFY } },
	{ CLONE, { "no-verify", no_argument, NULL, OPTION_NO_VERIFY } },
	{ CLONE, { "rewrite", no_argument, NULL, OPTION_REWRITE } },
	{ CLONE | VERIFY, { "digest", required_argument, NULL, OPTION_DIGEST } },
	{ CLONE | RESUME, { "dry-run", no_argument, NULL, 'n' } },
	{ CLONE | RESUME | VERIFY, { "json", no_argument, NULL, OPTION_JSON } },
	{ CLONE | RESUME, { "log-dir", required_argument, NULL, OPTION_LOG_DIR } },
	{ CLONE | RESUME, { "allow", required_argument, NULL, OPTION_ALLOW } },
	{ CLONE | RESUME, { "confirm", required_argument, NULL, OPTION_CONFIRM } },
	{ CLONE | RESUME | VERIFY, { "help", no_argument, NULL, OPTION_HELP } },
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

/* As getopt_long() takes them. */
struct option_table {
	struct option options[KNOWN + 1];
	char letters[2 * KNOWN + 2];
};

static void options_of(enum clone_command command, struct option_table *ret)
{
	size_t count = 0;
	char *letter = ret->letters;

	*letter++ = ':';
	for (size_t i = 0; i < KNOWN; i++) {
		const struct option *option = &known[i].option;

		if (!(known[i].commands & command))
			continue;
		ret->options[count++] = *option;
		if (option->val >= OPTION_AT)
			continue;
		*letter++ = (char)option->val;
		if (option->has_arg == required_argument)
			*letter++ = ':';
	}
	ret->options[count] = (struct option){ 0 };
	*letter = '\0';
}

/* A day, in seconds. */
#define MAP_INTERVAL_MAX 86400

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

static int set_number(const char *command, const char *name, const char *value, uint32_t max,
		      uint32_t *ret)
{
	if (!cli_parse_number(value, max, ret))
		return cli_usage(command, _("--%s %s: not a whole number from 1 to %u."), name,
				 value, max);
	return 0;
}

/* Nobody could be asked here. */
static int set_on_vanish(const char *command, const char *value, enum session_vanish *ret)
{
	static const char *const words[] = { "wait", "stop", NULL };
	int i = cli_choose(command, "on-vanish", value, words);

	if (i < 0)
		return EXIT_USAGE;
	*ret = i == 0 ? SESSION_VANISH_WAIT : SESSION_VANISH_STOP;
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
	static const char *const words[] = { "digest", "rolling", "after", "compare", NULL };
	int i = value ? cli_choose(command, "verify", value, words) : VERIFY_DIGEST;

	if (i < 0)
		return EXIT_USAGE;
	*ret = (enum verify_choice)i;
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
	uint64_t size;

	if (units_parse_size(value, 0, NULL, &size) < 0 || size == 0 || size > UINT32_MAX)
		return cli_usage(command,
				 _("--%s %s: not a size. Examples: 65536, 64K, 1MiB, 100MB."),
				 "chunk", value);
	*ret = (uint32_t)size;
	return 0;
}

static int set_of_plan(const char *command, const char *name, const char *value,
		       struct clone_options *ret)
{
	int option = plan_option_find(name);
	char values[128];

	if (plan_option_set(&ret->plan, (enum plan_option)option, value) < 0)
		return cli_usage(
			command, _("--%s %s: choose %s."), name, value,
			plan_option_values((enum plan_option)option, values, sizeof(values)));
	ret->session.rescue_given |= 1u << option;
	return 0;
}

static int take_plan_option(const char *command, int c, struct plan_options *ret)
{
	switch (c) {
	case 'b':
		return set_chunk(command, optarg, &ret->chunk);
	case 'q':
		return set_number(command, "queue-depth", optarg, PLAN_DEPTH_MAX,
				  &ret->queue_depth);
	case 'j':
		return set_number(command, "lanes", optarg, PLAN_LANES_MAX, &ret->lanes);
	case OPTION_SG_FUA:
		ret->sg_fua = true;
		return 0;
	case OPTION_SG_DPO:
		ret->sg_dpo = true;
		return 0;
	case OPTION_NO_ARM_LAST:
		ret->arm_at_once = true;
		return 0;
	case OPTION_PROBE:
	case OPTION_NO_PROBE:
		return set_probe(command, c == OPTION_PROBE ? PROBE_YES : PROBE_NO, &ret->probe);
	case OPTION_VERIFY:
		return set_verify(command, optarg, &ret->verify);
	case OPTION_NO_VERIFY:
		ret->verify = VERIFY_OFF;
		return 0;
	default:
		ret->rewrite = true;
		return 0;
	}
}

/* name: of a long option */
static int take_option(char **argv, int c, const char *name, struct clone_options *ret)
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
	case OPTION_ON_HANGUP:
		return cli_set_on_hangup(command, optarg, &ret->stop_on_hangup);
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
	case OPTION_DIGEST:
		if (ret->plan.sums)
			return cli_usage(command, _("The option --%s is given twice."), name);
		return set_of_plan(command, name, optarg, ret);
	case OPTION_PLAN:
		return set_of_plan(command, name, optarg, ret);
	default:
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

/* Of a map or a report: it names what else is needed. */
static int check_ends(const char *command, const struct clone_options *options)
{
	if (options->command == COMMAND_RESUME) {
		if (!options->map)
			return cli_usage(command, _("Name the map file to go on from."));
		if (!options->source != !options->destination)
			return cli_usage(command, _("Name both disks with -s and -d, or neither."));
		return 0;
	}
	if (options->report && (options->source || options->ranges || options->at))
		return cli_usage(
			command,
			_("A report says itself what was copied: name only -d beside it."));
	if (!options->source && !options->report)
		return cli_usage(command,
				 options->command == COMMAND_VERIFY
					 ? _("Name the source with -s, or the report of the copy.")
					 : _("Name the source with -s."));
	if (!options->destination)
		return cli_usage(command, _("Name the destination with -d."));
	return 0;
}

static int check_options(const char *command, const struct clone_options *options)
{
	int r = check_ends(command, options);

	if (r != 0)
		return r;
	if (options->plan.rewrite && options->plan.verify == VERIFY_OFF)
		return cli_usage(command, _("--rewrite needs the copy to be verified."));
	return check_sg_options(command, &options->plan);
}

int clone_options_parse(int argc, char **argv, enum clone_command command,
			struct clone_options *ret)
{
	struct option_table table = { 0 };
	int c, r, i = 0;

	options_of(command, &table);
	*ret = (struct clone_options){ .command = command,
				       .plan = PLAN_OPTIONS_DEFAULT,
				       .session.all = true };
	if (command == COMMAND_VERIFY)
		ret->plan = (struct plan_options){ .verify = VERIFY_COMPARE,
						   .retries = PLAN_RETRIES_DEFAULT };
	opterr = 0;
	if (!cli_long_options_exact(argc, argv, table.options, table.letters))
		return EXIT_USAGE;
	while ((c = getopt_long(argc, argv, table.letters, table.options, &i)) != -1) {
		r = take_option(argv, c, table.options[i].name, ret);
		if (r != 0)
			return r;
	}
	if (ret->help)
		return 0;
	if (optind < argc && command == COMMAND_RESUME)
		ret->map = argv[optind++];
	else if (optind < argc && command == COMMAND_VERIFY)
		ret->report = argv[optind++];
	if (optind < argc)
		return cli_usage(argv[0],
				 _("\"%s\" belongs to no option. Disks and files are named with "
				   "-s SOURCE and -d DESTINATION."),
				 argv[optind]);
	ret->session.allow = ret->allow;
	ret->session.rescue = &ret->plan;
	return check_options(argv[0], ret);
}
