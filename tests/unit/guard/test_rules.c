/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every rule fires where it is to and is quiet beside that; and what holds for all of them. */
#include "unit.h"

#include <errno.h>

#include "guard/scenes.h"

static void check_fires(const struct rule_case *c, enum verdict_kind kind)
{
	struct machine m;

	machine_init(&m);
	c->set(&m);
	machine_check(&m);
	const struct verdict *verdict = machine_verdict(&m, c->rule);

	ck_assert_msg(verdict != NULL, "%s says nothing", c->rule);
	ck_assert_msg(verdict->kind == kind, "%s: kind %d, %s", c->rule, verdict->kind,
		      verdict->sentence);
	ck_assert_msg(strstr(verdict->sentence, c->says) != NULL, "%s: %s", c->rule,
		      verdict->sentence);
	ck_assert_int_eq(verdict_list_worst(&m.verdicts) >= kind, 1);
	machine_done(&m);
}

START_TEST(rule_refuses)
{
	check_fires(&refused[_i], VERDICT_REFUSE);
}
END_TEST

START_TEST(rule_warns)
{
	check_fires(&warned[_i], VERDICT_WARN);
}
END_TEST

START_TEST(rule_is_quiet)
{
	const struct rule_case *c = &quiet[_i];
	struct machine m;

	machine_init(&m);
	c->set(&m);
	machine_check(&m);
	const struct verdict *verdict = machine_verdict(&m, c->rule);

	ck_assert_msg(!verdict || verdict->kind == VERDICT_OK, "%s: %s", c->rule,
		      verdict ? verdict->sentence : "");
	machine_done(&m);
}
END_TEST

START_TEST(clean_machine_has_no_complaint)
{
	struct machine m;

	machine_init(&m);
	/* Identifiers exist twice after any copy of file systems: that is no complaint. */
	m.parts[0][0].uuid[0] = m.parts[0][1].uuid[0] = '\0';
	machine_check(&m);
	for (size_t i = 0; i < m.verdicts.count; i++)
		ck_assert_msg(m.verdicts.items[i].kind == VERDICT_OK, "%s: %s",
			      m.verdicts.items[i].rule, m.verdicts.items[i].sentence);
	ck_assert_uint_gt(m.verdicts.count, 3);
	ck_assert_int_eq(verdict_list_worst(&m.verdicts), VERDICT_OK);
	machine_done(&m);
}
END_TEST

static int cases_of(const char *rule, const struct rule_case *cases)
{
	int n = 0;

	for (; cases->rule; cases++)
		n += strcmp(cases->rule, rule) == 0;
	return n;
}

START_TEST(every_rule_is_tested)
{
	for (const struct rule_info *rule = rules_table(); rule->id; rule++) {
		ck_assert_msg(cases_of(rule->id, refused) + cases_of(rule->id, warned) > 0,
			      "no test makes %s fire", rule->id);
		ck_assert(rule->looks_at && rule->looks_at[0]);
	}
}
END_TEST

START_TEST(image_beside_its_source_only_warns)
{
	struct machine m;

	machine_init(&m);
	near_image_beside_source(&m);
	machine_check(&m);
	ck_assert_int_eq(machine_verdict(&m, "image-on-source-disk")->kind, VERDICT_WARN);
	machine_done(&m);
}
END_TEST

/* Who has not looked cannot say that nobody holds it. */
START_TEST(without_root_nothing_is_called_unused)
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
END_TEST

START_TEST(refusals_come_first)
{
	struct machine m;

	machine_init(&m);
	set_data(&m);
	set_mounted(&m);
	machine_check(&m);
	ck_assert_str_eq(m.verdicts.items[0].rule, "destination-mounted");
	for (size_t i = 1; i < m.verdicts.count; i++)
		ck_assert_int_ge(m.verdicts.items[i - 1].kind, m.verdicts.items[i].kind);
	machine_done(&m);
}
END_TEST

START_TEST(named_rule_is_lifted_alone)
{
	struct machine m;

	machine_init(&m);
	set_same_wwn(&m);
	set_mounted(&m);
	m.allow[0] = "same-wwn";
	machine_check(&m);
	ck_assert_int_eq(machine_verdict(&m, "same-wwn")->kind, VERDICT_WARN);
	ck_assert(machine_verdict(&m, "same-wwn")->lifted);
	ck_assert_int_eq(machine_verdict(&m, "destination-mounted")->kind, VERDICT_REFUSE);
	machine_done(&m);
}
END_TEST

/* Whoever has allowed it is not told to allow it. */
START_TEST(what_is_allowed_is_not_advised)
{
	const struct rule_case *c = &refused[_i];
	const struct verdict *verdict;
	bool liftable;
	struct machine m;

	machine_init(&m);
	c->set(&m);
	machine_check(&m);
	verdict = machine_verdict(&m, c->rule);
	liftable = verdict->liftable && verdict->kind == VERDICT_REFUSE;
	machine_done(&m);
	if (!liftable)
		return;
	machine_init(&m);
	c->set(&m);
	m.allow[0] = c->rule;
	machine_check(&m);
	verdict = machine_verdict(&m, c->rule);
	ck_assert_int_eq(verdict->kind, VERDICT_WARN);
	ck_assert_ptr_null(strstr(verdict->sentence, "--allow"));
	ck_assert_int_eq(verdict->sentence[strlen(verdict->sentence) - 1], '.');
	machine_done(&m);
}
END_TEST

START_TEST(table_on_other_sectors_is_never_lifted)
{
	struct machine m;

	machine_init(&m);
	set_4kn(&m);
	m.allow[0] = "sector-size-differs";
	machine_check(&m);
	ck_assert_int_eq(machine_verdict(&m, "sector-size-differs")->kind, VERDICT_REFUSE);
	ck_assert(!machine_verdict(&m, "sector-size-differs")->liftable);
	machine_done(&m);
}
END_TEST

START_TEST(contents_without_table_may_change_sectors)
{
	struct machine m;

	machine_init(&m);
	near_4kn_without_table(&m);
	machine_check(&m);
	ck_assert_int_eq(machine_verdict(&m, "sector-size-differs")->kind, VERDICT_WARN);
	machine_done(&m);
}
END_TEST

START_TEST(unknown_and_unliftable_names_are_refused)
{
	static const char *const unknown[] = { "everything", NULL };
	static const char *const never[] = { "destination-mounted", NULL };
	struct verdict_list verdicts = { 0 };
	struct error error = { 0 };
	struct machine m;

	machine_init(&m);
	machine_plan(&m);
	ck_assert_int_eq(rules_check_allow(NULL, &error), 0);
	ck_assert_int_eq(rules_check_allow(unknown, &error), -EINVAL);
	ck_assert_int_eq(rules_check_allow(never, &error), -EINVAL);
	ck_assert_int_eq(rules_check(m.plan, &m.facts, unknown, &verdicts, &error), -EINVAL);
	ck_assert_int_eq(error.class, ERROR_CLASS_USAGE);
	ck_assert_int_eq(rules_check(m.plan, &m.facts, never, &verdicts, &error), -EINVAL);
	ck_assert_ptr_null(verdicts.items);
	machine_done(&m);
}
END_TEST

/* Hostile or absurdly long names end inside the buffers. */
START_TEST(long_names_are_cut)
{
	struct machine m;

	machine_init(&m);
	set_data(&m);
	memset(m.parts[1][0].label, 'L', sizeof(m.parts[1][0].label) - 1);
	memset(m.parts[1][0].fs, 'f', sizeof(m.parts[1][0].fs) - 1);
	memset(m.disks[1].identity.serial, 'S', sizeof(m.disks[1].identity.serial) - 1);
	memset(m.disks[1].identity.model, 'M', sizeof(m.disks[1].identity.model) - 1);
	for (int i = 0; i < 3; i++)
		machine_use(
			&m, 1, USE_MOUNT,
			"/a/very/long/mount/point/that/goes/on/and/on/for/quite/a/while/and/then"
			"/some/more/of/it",
			"/dev/sdb1");
	machine_choose(&m);
	machine_check(&m);
	for (size_t i = 0; i < m.verdicts.count; i++)
		ck_assert_uint_lt(strlen(m.verdicts.items[i].sentence),
				  sizeof(m.verdicts.items[i].sentence));
	ck_assert_ptr_nonnull(strstr(machine_verdict(&m, "destination-mounted")->sentence, ".."));
	machine_done(&m);
}
END_TEST

static int count(const struct rule_case *cases)
{
	int n = 0;

	while (cases[n].rule)
		n++;
	return n;
}

Suite *unit_suite(void)
{
	Suite *suite = suite_create("guard/rules");
	TCase *each = tcase_create("each rule");
	TCase *all = tcase_create("all rules");

	tcase_add_loop_test(each, rule_refuses, 0, count(refused));
	tcase_add_loop_test(each, what_is_allowed_is_not_advised, 0, count(refused));
	tcase_add_loop_test(each, rule_warns, 0, count(warned));
	tcase_add_loop_test(each, rule_is_quiet, 0, count(quiet));
	suite_add_tcase(suite, each);
	tcase_add_test(all, clean_machine_has_no_complaint);
	tcase_add_test(all, every_rule_is_tested);
	tcase_add_test(all, image_beside_its_source_only_warns);
	tcase_add_test(all, without_root_nothing_is_called_unused);
	tcase_add_test(all, refusals_come_first);
	tcase_add_test(all, named_rule_is_lifted_alone);
	tcase_add_test(all, table_on_other_sectors_is_never_lifted);
	tcase_add_test(all, contents_without_table_may_change_sectors);
	tcase_add_test(all, unknown_and_unliftable_names_are_refused);
	tcase_add_test(all, long_names_are_cut);
	suite_add_tcase(suite, all);
	return suite;
}
