/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/clone_options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/units.h"
#include "cli/cli.h"
#include "plan/preset.h"

/* A day, in seconds. */
#define MAP_INTERVAL_MAX 86400

static int set_used(const char *command, const char *name, const char *value, void *all)
{
	struct clone_options *options = all;

	if (!used_parse(value, &options->modes))
		return cli_usage(command,
				 _("--%s %s: give first or only, and partitions behind an @ where "
				   "it is not for all. Examples: first, only@2,5."),
				 name, value);
	options->used = true;
	return 0;
}

/* An empty one is a wrong one, not a missing one. */
static int set_confirm(const char *command, const char *name, const char *value, void *member)
{
	const char **confirm = member;

	if (*confirm)
		return cli_usage(command, _("The option --%s is given twice."), name);
	*confirm = value;
	return 0;
}

static int set_probe(const char *command, const char *name, const char *value, void *member)
{
	enum probe_choice *probe = member, choice = name[0] == 'n' ? PROBE_NO : PROBE_YES;

	if (*probe != PROBE_AUTO && *probe != choice)
		return cli_usage(command, _("--probe and --no-probe exclude each other."));
	*probe = choice;
	return 0;
}

static int set_no_verify(const char *command, const char *name, const char *value, void *all)
{
	struct clone_options *options = all;

	options->plan.verify = VERIFY_OFF;
	options->session.rescue_given |= 1u << PLAN_OPTION_VERIFY;
	return 0;
}

static int set_chunk(const char *command, const char *name, const char *value, void *member)
{
	uint64_t size;

	if (units_parse_size(value, 0, NULL, &size) < 0 || size == 0 || size > UINT32_MAX)
		return cli_usage(command,
				 _("--%s %s: not a size. Examples: 65536, 64K, 1MiB, 100MB."), name,
				 value);
	*(uint32_t *)member = (uint32_t)size;
	return 0;
}

/* Sets an option that plan/options.h has under this name. */
static int set_of_plan(const char *command, const char *name, const char *value, void *all)
{
	struct clone_options *options = all;
	int option = plan_option_find(name);
	char values[128];

	if (plan_option_set(&options->plan, (enum plan_option)option, value) < 0)
		return cli_usage(
			command, _("--%s %s: choose %s."), name, value,
			plan_option_values((enum plan_option)option, values, sizeof(values)));
	options->session.rescue_given |= 1u << option;
	return 0;
}

static int set_digest(const char *command, const char *name, const char *value, void *all)
{
	struct clone_options *options = all;

	if (options->plan.checksums)
		return cli_usage(command, _("The option --%s is given twice."), name);
	return set_of_plan(command, name, value, options);
}

#define CLONE  COMMAND_CLONE
#define RESUME COMMAND_RESUME
#define VERIFY COMMAND_VERIFY

#define TEXT(member)          CLI_TEXT(struct clone_options, member, 0)
#define PERSON(member)        CLI_TEXT(struct clone_options, member, REPORT_PERSON_MAX - 1)
#define NUMBER(member, limit) CLI_NUMBER(struct clone_options, member, limit)
#define SWITCH(member)        CLI_SWITCH(struct clone_options, member)
#define WORD(member, ...)     CLI_WORD(struct clone_options, member, __VA_ARGS__)
#define OWN(member, set)      CLI_OWN(struct clone_options, member, required_argument, set)
/* They need more than one member. */
#define OF_ALL(set) OWN(command, set)
#define OF_PLAN     OF_ALL(set_of_plan)

static const char *const verify_words[] = { "digest", "rolling", "after", "compare", NULL };

/* resume takes options that decide which bytes go where from the map; others may change. */
static const struct cli_option known[] = {
	{ "source", CLONE | RESUME | VERIFY, 's', TEXT(source) },
	{ "destination", CLONE | RESUME | VERIFY, 'd', TEXT(destination) },
	{ "ranges", CLONE | VERIFY, 'r', TEXT(ranges) },
	{ "source-sector-size", CLONE | RESUME | VERIFY, 0, WORD(source_sector_size, "512", "4096"),
	  .values = (const uint32_t[]){ 512, 4096 } },
	{ "domain", CLONE, 0, TEXT(domain) },
	{ "retry-area", RESUME, 0, TEXT(retry_area) },
	{ "at", CLONE | VERIFY, 0, TEXT(at) },
	{ "used", CLONE, 0, OF_ALL(set_used) },
	{ "preset", CLONE | RESUME, 0, OF_PLAN },
	{ "chunk", CLONE, 'b', OWN(plan.chunk, set_chunk) },
	{ "queue-depth", CLONE, 'q', NUMBER(plan.queue_depth, PLAN_DEPTH_MAX) },
	{ "lanes", CLONE, 'j', NUMBER(plan.lanes, PLAN_LANES_MAX) },
	{ "source-backend", CLONE, 0, OF_PLAN },
	{ "destination-backend", CLONE, 0, OF_PLAN },
	{ "sg-io", CLONE, 0, OF_PLAN },
	{ "sg-fua", CLONE, 0, SWITCH(plan.sg_fua) },
	{ "sg-dpo", CLONE, 0, SWITCH(plan.sg_dpo) },
	{ "map", CLONE, 'm', TEXT(session.map_path) },
	{ "report", CLONE | RESUME, 0, TEXT(session.report_path) },
	{ "certificate", CLONE | RESUME, 0, TEXT(session.certificate_path) },
	{ "operator", CLONE | RESUME, 0, PERSON(session.operator_name) },
	{ "ticket", CLONE | RESUME, 0, PERSON(session.ticket) },
	{ "mask-serials", CLONE | RESUME, 0, SWITCH(session.mask_serials) },
	{ "on-vanish", CLONE | RESUME, 0, WORD(session.on_vanish, "wait", "stop"),
	  /* Only the deck can ask. */
	  .values = (const uint32_t[]){ SESSION_VANISH_WAIT, SESSION_VANISH_STOP } },
	{ "on-hangup", CLONE | RESUME, 0, OWN(run.stop_on_hangup, cli_set_on_hangup) },
	{ "wait", CLONE | RESUME, 0, NUMBER(run.wait, UINT32_MAX) },
	{ "notify", CLONE | RESUME, 0, TEXT(session.notify) },
	{ "map-interval", CLONE | RESUME, 0, NUMBER(session.map_interval, MAP_INTERVAL_MAX) },
	{ "retries", CLONE, 0, OF_PLAN },
	{ "on-error", CLONE, 0, OF_PLAN },
	{ "on-write-error", CLONE | RESUME, 0, OF_PLAN },
	{ "fill", CLONE | RESUME, 0, OF_PLAN },
	{ "free", CLONE, 0, OF_PLAN },
	{ "retry-passes", CLONE | RESUME, 0, OF_PLAN },
	{ "slow-limit", CLONE | RESUME, 0, OF_PLAN },
	{ "max-bad-areas", CLONE | RESUME, 0, OF_PLAN },
	{ "max-read-errors", CLONE | RESUME, 0, OF_PLAN },
	{ "max-error-rate", CLONE | RESUME, 0, OF_PLAN },
	{ "max-no-read", CLONE | RESUME, 0, OF_PLAN },
	{ "rate", CLONE | RESUME, 0, OF_PLAN },
	{ "no-arm-last", CLONE, 0, SWITCH(plan.arm_at_once) },
	{ "probe", CLONE, 0, CLI_OWN(struct clone_options, plan.probe, no_argument, set_probe) },
	{ "no-probe", CLONE, 0, CLI_OWN(struct clone_options, plan.probe, no_argument, set_probe) },
	{ "verify", CLONE, 0, CLI_WORD, optional_argument,
	  offsetof(struct clone_options, plan.verify), .words = verify_words },
	{ "no-verify", CLONE | RESUME, 0,
	  CLI_OWN(struct clone_options, command, no_argument, set_no_verify) },
	{ "rewrite", CLONE, 0, SWITCH(plan.rewrite) },
	{ "identities", CLONE, 0, OF_PLAN },
	{ "digest", CLONE | VERIFY, 0, OF_ALL(set_digest) },
	{ "table", CLONE, 0, OF_PLAN },
	{ "grow", CLONE, 0, OF_PLAN },
	{ "layout", CLONE, 0, OF_PLAN },
	{ "grow-fs", CLONE, 0, SWITCH(plan.grow_fs) },
	{ "shrink-via", CLONE, 0, TEXT(shrink_via) },
	{ "dry-run", CLONE | RESUME, 'n', SWITCH(dry_run) },
	{ "json", CLONE | RESUME | VERIFY, 0, SWITCH(run.json) },
	{ "log-dir", CLONE | RESUME, 0, TEXT(session.log_dir) },
	{ "allow", CLONE | RESUME, 0, OWN(allow, cli_add_allow) },
	{ "confirm", CLONE | RESUME, 0, OWN(confirm, set_confirm) },
	{ "help", CLONE | RESUME | VERIFY, 0, SWITCH(help) },
	{ NULL },
};

_Static_assert(ARRAY_SIZE(known) <= CLI_OPTIONS_MAX, "they have a bit each");

/* Options must be consistent. */
static int check_sg_options(const char *command, const struct plan_options *plan)
{
	bool source = plan->source_backend == BACKEND_SG;
	bool destination = plan->destination_backend == BACKEND_SG;
	const char *either = plan->sg_dpo                      ? "sg-dpo"
			     : plan->sg_data != SG_DATA_DIRECT ? "sg-io"
							       : NULL;

	if (plan->sg_fua && !destination)
		return cli_usage(command, _("--sg-fua needs --destination-backend sg."));
	if (either && !source && !destination)
		return cli_usage(command,
				 _("--%s needs sg at one end: --source-backend sg or "
				   "--destination-backend sg."),
				 either);
	return 0;
}

/* With a map or a report: it names the rest. */
static int check_ends(const char *command, const struct clone_options *options)
{
	if (options->command == COMMAND_RESUME) {
		if (!options->map)
			return cli_usage(command, _("Name the map file to resume from."));
		if (!options->source != !options->destination)
			return cli_usage(command, _("Name both disks with -s and -d, or neither."));
		if (options->source_sector_size && !options->source)
			return cli_usage(command, _("--source-sector-size needs the source (-s): "
						    "otherwise the map has it."));
		return 0;
	}
	if (options->report &&
	    (options->source || options->ranges || options->at || options->source_sector_size))
		return cli_usage(
			command,
			_("The report already says what was copied: give only -d with it."));
	if (!options->source && !options->report)
		return cli_usage(command,
				 options->command == COMMAND_VERIFY
					 ? _("Name the source with -s, or the report of the copy.")
					 : _("Name the source with -s."));
	if (!options->destination)
		return cli_usage(command, _("Name the destination with -d."));
	return 0;
}

/* What the report calls forensic must be that. */
static int check_forensic(const char *command, const struct clone_options *options)
{
	const struct plan_options *plan = &options->plan;
	bool only = options->used && memchr(options->modes.of, USED_ONLY, USED_NUMBERS);
	bool sum = plan->checksums & 1U << CHECKSUM_SHA256;
	const char *against = only                                  ? "--used=only"
			      : plan->identities != IDENTITIES_KEEP ? "--identities"
			      : !sum                                ? "--digest"
								    : NULL;

	if (plan->preset != PRESET_FORENSIC)
		return 0;
	/* What was read before is not read again for a checksum. */
	if (options->command == COMMAND_RESUME)
		return cli_usage(command, _("--%s %s: choose %s."), "preset", "forensic",
				 "healthy, failing");
	if (!against)
		return 0;
	return cli_usage(command,
			 _("The preset forensic copies every sector and changes nothing: leave out "
			   "%s, or the preset."),
			 against);
}

static int check_options(const char *command, const struct clone_options *options)
{
	int r = check_ends(command, options);

	if (r != 0)
		return r;
	if (options->plan.rewrite && options->plan.verify == VERIFY_OFF)
		return cli_usage(command, _("--rewrite needs the copy to be verified."));
	if (options->shrink_via &&
	    (options->ranges || options->at || options->domain || options->session.map_path ||
	     options->session.report_path || options->session.certificate_path))
		return cli_usage(command,
				 _("--shrink-via is for a copy of all of a disk, with its map "
				   "and report where --log-dir says."));
	if (options->used && options->domain)
		return cli_usage(
			command,
			_("--used and --domain both say what is worth copying: give one of them."));
	r = check_forensic(command, options);
	return r ? r : check_sg_options(command, &options->plan);
}

/* The options of the plan among these rows that the command takes. A map decides the others. */
static unsigned of_plan(enum clone_command command, uint64_t rows)
{
	unsigned set = 0;

	for (size_t i = 0; known[i].name; i++) {
		int option = plan_option_find(known[i].name);

		if (option >= 0 && known[i].commands & command && rows & 1ULL << i)
			set |= 1U << option;
	}
	return set;
}

/* What was given by name wins, wherever it stands. */
static void apply_preset(struct clone_options *options, unsigned given)
{
	enum preset preset = options->plan.preset;
	unsigned resumed = options->session.rescue_given;

	if (!(resumed & 1U << PLAN_OPTION_PRESET))
		return;
	preset_apply(&options->plan, preset, given | resumed);
	options->session.rescue_given |= preset_sets(preset) & of_plan(COMMAND_RESUME, UINT64_MAX);
	if (options->command != COMMAND_CLONE || options->used || options->domain ||
	    !preset_used_first(preset))
		return;
	memset(options->modes.of, USED_FIRST, sizeof(options->modes.of));
	options->used = options->used_by_preset = true;
}

int clone_options_parse(int argc, char **argv, enum clone_command command,
			struct clone_options *ret)
{
	uint64_t rows;
	int r;

	*ret = (struct clone_options){ .command = command,
				       .plan = PLAN_OPTIONS_DEFAULT,
				       .session.all = true };
	if (command == COMMAND_VERIFY)
		ret->plan = (struct plan_options){ .verify = VERIFY_COMPARE,
						   .retries = PLAN_RETRIES_DEFAULT };
	r = cli_parse(argc, argv, known, command, ret, &rows);
	if (r != 0)
		return r;
	if (ret->help)
		return 0;
	if (optind < argc && command == COMMAND_RESUME)
		ret->map = argv[optind++];
	else if (optind < argc && command == COMMAND_VERIFY)
		ret->report = argv[optind++];
	if (optind < argc && command == COMMAND_CLONE && dd_speaks(argv[optind]))
		return dd_translate(argc - optind, argv + optind);
	if (optind < argc)
		return cli_usage(argv[0],
				 _("Unexpected argument \"%s\". Name disks and files with -s "
				   "SOURCE and -d DESTINATION."),
				 argv[optind]);
	if (ret->shrink_via && ret->plan.table == TABLE_KEEP)
		ret->plan.table = TABLE_FIT;
	ret->session.allow = ret->allow.rules;
	ret->session.rescue = &ret->plan;
	apply_preset(ret, of_plan(command, rows));
	return check_options(argv[0], ret);
}
