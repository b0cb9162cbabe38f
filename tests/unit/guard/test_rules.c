/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every rule fires where it is to and is quiet beside that; and what holds for all of them. */
#include "unit.h"

#include <errno.h>

#include "guard/scenes.h"

static struct machine machine;

static void setup(void)
{
	machine_init(&machine);
}

static void teardown(void)
{
	machine_done(&machine);
}

static void set(const struct rule_case *c, struct machine *m)
{
	if (c->set)
		c->set(m);
	else
		machine_use(m, c->use.disk, c->use.kind, c->use.what, c->use.node);
}

static void check_fires(const struct rule_case *c, enum verdict_kind kind)
{
	set(c, &machine);
	machine_check(&machine);
	const struct verdict *verdict = machine_verdict(&machine, c->rule);

	ck_assert_msg(verdict != NULL, "%s says nothing", c->rule);
	ck_assert_msg(verdict->kind == kind, "%s: kind %d, %s", c->rule, verdict->kind,
		      verdict->sentence);
	ck_assert_msg(strstr(verdict->sentence, c->says) != NULL, "%s: %s", c->rule,
		      verdict->sentence);
	ck_assert_int_eq(verdict_list_worst(&machine.verdicts) >= kind, 1);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

static int count(const struct rule_case *cases)
{
	int n = 0;

	while (cases[n].rule)
		n++;
	return n;
}

TEST_ROWS(rule_refuses, count(refused))
{
	check_fires(&refused[_i], VERDICT_REFUSE);
}

TEST_ROWS(rule_warns, count(warned))
{
	check_fires(&warned[_i], VERDICT_WARN);
}

TEST_ROWS(rule_says, count(said))
{
	check_fires(&said[_i], VERDICT_OK);
}

TEST_ROWS(rule_is_quiet, count(quiet))
{
	const struct rule_case *c = &quiet[_i];

	set(c, &machine);
	machine_check(&machine);
	const struct verdict *verdict = machine_verdict(&machine, c->rule);

	ck_assert_msg(!verdict || verdict->kind == VERDICT_OK, "%s: %s", c->rule,
		      verdict ? verdict->sentence : "");
}

TEST(clean_machine_has_no_complaint)
{
	/* Identifiers exist twice after any copy of file systems: that is no complaint. */
	machine.parts[0][0].uuid[0] = machine.parts[0][1].uuid[0] = '\0';
	machine_check(&machine);
	for (size_t i = 0; i < machine.verdicts.count; i++)
		ck_assert_msg(machine.verdicts.items[i].kind == VERDICT_OK, "%s: %s",
			      machine.verdicts.items[i].rule, machine.verdicts.items[i].sentence);
	ck_assert_uint_gt(machine.verdicts.count, 3);
	ck_assert_int_eq(verdict_list_worst(&machine.verdicts), VERDICT_OK);
}

static int cases_of(const char *rule, const struct rule_case *cases)
{
	int n = 0;

	for (; cases->rule; cases++)
		n += strcmp(cases->rule, rule) == 0;
	return n;
}

TEST(every_rule_is_tested)
{
	for (const struct rule_info *rule = rules_table(); rule->id; rule++)
		ck_assert_msg(cases_of(rule->id, refused) + cases_of(rule->id, warned) +
					      cases_of(rule->id, said) >
				      0,
			      "no test makes %s fire", rule->id);
}

TEST(image_beside_its_source_only_warns)
{
	near_image_beside_source(&machine);
	machine_check(&machine);
	ck_assert_int_eq(machine_verdict(&machine, "image-on-source-disk")->kind, VERDICT_WARN);
}

/* Who has not looked cannot say that nobody holds it. */
TEST(without_root_nothing_is_called_unused)
{
	struct machine m;

	machine_init(&m);
	machine_check(&m);
	ck_assert_ptr_nonnull(machine_verdict(&m, "destination-exclusive"));
	machine_done(&m);
	machine_init(&m);
	m.facts.root = false;
	machine_check(&m);
	ck_assert_ptr_null(machine_verdict(&m, "destination-exclusive"));
	machine_done(&m);
}

TEST(refusals_come_first)
{
	set_data(&machine);
	set_mounted(&machine);
	machine_check(&machine);
	ck_assert_str_eq(machine.verdicts.items[0].rule, "destination-mounted");
	for (size_t i = 1; i < machine.verdicts.count; i++)
		ck_assert_int_ge(machine.verdicts.items[i - 1].kind,
				 machine.verdicts.items[i].kind);
}

TEST(named_rule_is_lifted_alone)
{
	set_same_wwn(&machine);
	set_mounted(&machine);
	machine.allow[0] = "same-wwn";
	machine_check(&machine);
	ck_assert_int_eq(machine_verdict(&machine, "same-wwn")->kind, VERDICT_WARN);
	ck_assert(machine_verdict(&machine, "same-wwn")->lifted);
	ck_assert_int_eq(machine_verdict(&machine, "destination-mounted")->kind, VERDICT_REFUSE);
}

/* Whoever has allowed it is not told to allow it. */
TEST_ROWS(what_is_allowed_is_not_advised, count(refused))
{
	const struct rule_case *c = &refused[_i];
	const struct verdict *verdict;
	bool liftable;
	struct machine m;

	machine_init(&m);
	set(c, &m);
	machine_check(&m);
	verdict = machine_verdict(&m, c->rule);
	liftable = verdict->liftable && verdict->kind == VERDICT_REFUSE;
	machine_done(&m);
	if (!liftable)
		return;
	machine_init(&m);
	set(c, &m);
	m.allow[0] = c->rule;
	machine_check(&m);
	verdict = machine_verdict(&m, c->rule);
	ck_assert_int_eq(verdict->kind, VERDICT_WARN);
	ck_assert_ptr_null(strstr(verdict->sentence, "--allow"));
	ck_assert_int_eq(verdict->sentence[strlen(verdict->sentence) - 1], '.');
	machine_done(&m);
}

TEST(table_on_other_sectors_is_never_lifted)
{
	set_4kn(&machine);
	machine.allow[0] = "sector-size-differs";
	machine_check(&machine);
	ck_assert_int_eq(machine_verdict(&machine, "sector-size-differs")->kind, VERDICT_REFUSE);
	ck_assert(!machine_verdict(&machine, "sector-size-differs")->liftable);
}

TEST(contents_without_table_may_change_sectors)
{
	near_4kn_without_table(&machine);
	machine_check(&machine);
	ck_assert_int_eq(machine_verdict(&machine, "sector-size-differs")->kind, VERDICT_WARN);
}

TEST(unknown_and_unliftable_names_are_refused)
{
	static const char *const unknown[] = { "everything", NULL };
	static const char *const never[] = { "destination-mounted", NULL };
	struct verdict_list verdicts = { 0 };
	struct error error = { 0 };

	machine_plan(&machine);
	ck_assert_int_eq(rules_check_allow(NULL, &error), 0);
	ck_assert_int_eq(rules_check_allow(unknown, &error), -EINVAL);
	ck_assert_int_eq(rules_check_allow(never, &error), -EINVAL);
	ck_assert_int_eq(
		rules_check(machine.plan, &machine.facts, unknown, RUN_COPY, &verdicts, &error),
		-EINVAL);
	ck_assert_int_eq(error.class, ERROR_CLASS_USAGE);
	ck_assert_int_eq(
		rules_check(machine.plan, &machine.facts, never, RUN_COPY, &verdicts, &error),
		-EINVAL);
	ck_assert_ptr_null(verdicts.items);
}

static void set_read_only(struct machine *m)
{
	m->disks[1].read_only = YES;
}

static void set_copying(struct machine *m)
{
	machine_use(m, 1, USE_COPY, "", "/dev/sdb");
}

static void set_nothing(struct machine *m)
{
	(void)m;
}

static void set_other_partition_mounted(struct machine *m)
{
	machine_partition(m, 1, 2048, 4096, "ext4", "");
	machine_partition(m, 1, 8192, 4096, "ext4", "");
	machine_use(m, 1, USE_MOUNT, "/mnt", "/dev/sdb2");
	endpoint_from_partition(&m->disks[1], &m->parts[1][0], &m->destination);
}

/* A row of the list is judged as the plan with it would be. */
static const struct {
	void (*set)(struct machine *m);
	const char *rule; /* NULL: it may be the destination */
	enum verdict_means means;
} rows[] = {
	{ set_nothing, NULL },
	{ set_other_partition_mounted, NULL },
	{ set_boot, "destination-boot" },
	{ set_mounted, "destination-mounted" },
	{ set_read_only, "destination-read-only", MEANS_READABLE },
	/* No plan with it is checked before the copy ends. */
	{ set_copying, "" },
};

TEST_ROWS(row_is_judged_like_its_plan, ARRAY_SIZE(rows))
{
	struct verdict verdict;
	bool refuses;

	rows[_i].set(&machine);
	refuses = rules_refuse_destination(&machine.disks[1], &machine.destination, &verdict);
	ck_assert_int_eq(refuses, rows[_i].rule != NULL);
	if (refuses && rows[_i].rule[0]) {
		machine_check(&machine);
		ck_assert_str_eq(verdict.rule, rows[_i].rule);
		ck_assert_int_eq(verdict.means, rows[_i].means);
		ck_assert_str_eq(verdict.sentence,
				 machine_verdict(&machine, rows[_i].rule)->sentence);
	}
	ck_assert(!rules_refuse_source(&machine.disks[1], &machine.destination, &verdict));
	machine.disks[1].medium_present = NO;
	ck_assert(rules_refuse_source(&machine.disks[1], &machine.destination, &verdict));
}

static const struct {
	const char *rule;
	bool resume, compare, digests; /* asked in these */
} in_runs[] = {
	{ "destination-mounted", true, true, true },
	{ "source-gone", true, true, false },
	{ "destination-on-source", true, true, false },
	{ "source-mounted", true, false, false },
	{ "destination-exclusive", true, false, false },
	{ "destination-holds-data", false, false, false },
	{ "leftovers", false, false, false },
};

TEST_ROWS(rules_are_asked_in_their_runs, 2)
{
	for (const struct rule_case *c = _i ? warned : refused; c->rule; c++)
		for (size_t i = 0; i < ARRAY_SIZE(in_runs); i++) {
			const bool asked[] = { true, in_runs[i].resume, in_runs[i].compare,
					       in_runs[i].digests };
			struct error error = { 0 };
			struct machine m;

			if (strcmp(c->rule, in_runs[i].rule) != 0)
				continue;
			machine_init(&m);
			set(c, &m);
			machine_plan(&m);
			for (enum guard_run run = RUN_COPY; run <= RUN_DIGESTS; run++) {
				ck_assert_int_eq(rules_check(m.plan, &m.facts, NULL, run,
							     &m.verdicts, &error),
						 0);
				ck_assert_msg(!machine_verdict(&m, c->rule) == !asked[run],
					      "%s in run %d", c->rule, run);
				verdict_list_done(&m.verdicts);
			}
			machine_done(&m);
		}
}

TEST(verdicts_are_found_by_what_they_mean)
{
	set_mounted(&machine);
	text_copy(machine.facts.source_writers.mount, 256, "/home");
	machine_check(&machine);
	ck_assert_ptr_null(verdict_list_find(&machine.verdicts, MEANS_TABLE_TOO_LONG));
	ck_assert_str_eq(verdict_list_find(&machine.verdicts, MEANS_SOURCE_WRITTEN)->rule,
			 "source-mounted");
	ck_assert_str_eq(verdict_list_refusal(&machine.verdicts, RUN_DIGESTS)->rule,
			 "destination-mounted");
	ck_assert_ptr_nonnull(verdict_list_liftable(&machine.verdicts, "source-mounted"));
	ck_assert_ptr_null(verdict_list_liftable(&machine.verdicts, "destination-mounted"));
}

/* Hostile or absurdly long names end inside the buffers. */
TEST(long_names_are_cut)
{
	set_data(&machine);
	memset(machine.parts[1][0].label, 'L', sizeof(machine.parts[1][0].label) - 1);
	memset(machine.parts[1][0].fs, 'f', sizeof(machine.parts[1][0].fs) - 1);
	memset(machine.disks[1].identity.serial, 'S', sizeof(machine.disks[1].identity.serial) - 1);
	memset(machine.disks[1].identity.model, 'M', sizeof(machine.disks[1].identity.model) - 1);
	for (int i = 0; i < 3; i++)
		machine_use(
			&machine, 1, USE_MOUNT,
			"/a/very/long/mount/point/that/goes/on/and/on/for/quite/a/while/and/then"
			"/some/more/of/it",
			"/dev/sdb1");
	machine_choose(&machine);
	machine_check(&machine);
	for (size_t i = 0; i < machine.verdicts.count; i++)
		ck_assert_uint_lt(strlen(machine.verdicts.items[i].sentence),
				  sizeof(machine.verdicts.items[i].sentence));
	ck_assert_ptr_nonnull(
		strstr(machine_verdict(&machine, "destination-mounted")->sentence, ".."));
}
