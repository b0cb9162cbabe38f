/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of rules, how they are run, and the words they share. */
#include "guard/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"
#include "guard/rules_private.h"

static const struct rule_info table[] = {
#define RULE(id, name, flags, means) { id, rule_##name, flags, means },
	RULES(RULE)
#undef RULE
		{ 0 },
};

#define RULE_COUNT (ARRAY_SIZE(table) - 1)

const struct rule_info *rules_table(void)
{
	return table;
}

int rules_check_allow(const char *const *allow, struct error *reterr)
{
	for (; allow && *allow; allow++) {
		const struct rule_info *rule = table;

		while (rule->id && strcmp(rule->id, *allow) != 0)
			rule++;
		if (!rule->id)
			return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "allow", *allow,
					 _("There is no rule \"%s\" to allow. The plan (--dry-run) "
					   "names the rules that refuse."),
					 *allow);
		if (!(rule->flags & RULE_LIFTABLE))
			return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "allow", *allow,
					 _("The rule \"%s\" cannot be lifted."), *allow);
	}
	return 0;
}

/* A rule that is allowed already must not advise --allow. The advice is always the last sentence:
 * it is cut off. */
static void drop_advice(struct verdict *verdict)
{
	char *advice = strstr(verdict->sentence, "--allow");

	while (advice && advice > verdict->sentence && strncmp(advice, ". ", 2) != 0)
		advice--;
	if (advice && advice > verdict->sentence)
		advice[1] = '\0';
}

/* --allow names it, and it refuses all the same: the user must see that --allow had no effect. */
static void say_not_lifted(struct verdict *verdict)
{
	char text[sizeof(verdict->sentence)];

	text_copy(text, sizeof(text), verdict->sentence);
	rule_say(verdict, verdict->kind, _("%.320s --allow %s does not lift this."), text,
		 verdict->rule);
}

static bool concerns(unsigned flags, enum guard_run run)
{
	switch (run) {
	case RUN_RESUME:
		return !(flags & RULE_FIRST_PART);
	case RUN_COMPARE:
		return flags & (RULE_SOURCE_READ | RULE_DESTINATION_READ);
	case RUN_DIGESTS:
		return flags & RULE_DESTINATION_READ;
	default:
		return true;
	}
}

/* One rule's verdict; false when it has nothing to say. */
static bool run(const struct rule_info *rule, const struct rule_context *context,
		const char *const *allow, struct verdict *ret)
{
	*ret = (struct verdict){ .rule = rule->id,
				 .flags = rule->flags,
				 .means = rule->means,
				 .liftable = rule->flags & RULE_LIFTABLE };
	rule->check(context, ret);
	if (!ret->sentence[0])
		return false;
	if (ret->kind != VERDICT_REFUSE || text_find(rule->id, allow) < 0)
		return true;
	if (!ret->liftable) {
		say_not_lifted(ret);
		return true;
	}
	ret->kind = VERDICT_WARN;
	ret->lifted = true;
	drop_advice(ret);
	return true;
}

static void name_end(const struct endpoint *endpoint, char buffer[static RULE_NAME_MAX])
{
	if (endpoint->kind == ENDPOINT_IMAGE)
		text_copy(buffer, RULE_NAME_MAX, endpoint->node);
	else if (endpoint->identity.serial[0])
		snprintf(buffer, RULE_NAME_MAX, _("%.96s (serial %s)"), endpoint->node,
			 endpoint->identity.serial);
	else
		snprintf(buffer, RULE_NAME_MAX, _("%.96s (no serial)"), endpoint->node);
}

static void look_at(const struct plan *plan, const struct guard_facts *facts,
		    const struct disk *source, const struct disk *destination,
		    struct rule_context *ret)
{
	bool from_image = plan->source.kind == ENDPOINT_IMAGE;
	bool to_image = plan->destinations[0].kind == ENDPOINT_IMAGE;

	*ret = (struct rule_context){
		.plan = plan,
		.facts = facts,
		.source = &plan->source,
		.destination = &plan->destinations[0],
		.source_disk = source,
		.destination_disk = destination,
		.source_contents = from_image ? facts->source_contents : source,
		.destination_contents = to_image ? facts->destination_contents : destination,
	};
	name_end(ret->source, ret->source_name);
	name_end(ret->destination, ret->destination_name);
}

int rules_check(const struct plan *plan, const struct guard_facts *facts, const char *const *allow,
		enum guard_run kind, struct verdict_list *ret, struct error *reterr)
{
	struct rule_context context;
	struct verdict_list list = { 0 };
	int r = rules_check_allow(allow, reterr);

	if (r < 0)
		return r;
	look_at(plan, facts, endpoint_disk(facts->disks, &plan->source),
		endpoint_disk(facts->disks, &plan->destinations[0]), &context);
	struct verdict *all = calloc(RULE_COUNT, sizeof(*all));

	list.items = calloc(RULE_COUNT, sizeof(*list.items));
	if (!all || !list.items) {
		free(all);
		free(list.items);
		return error_nomem(reterr);
	}
	size_t count = 0;

	for (const struct rule_info *rule = table; rule->id; rule++)
		if (concerns(rule->flags, kind) && run(rule, &context, allow, &all[count]))
			count++;
	for (int worst = VERDICT_REFUSE; worst >= VERDICT_OK; worst--)
		for (size_t i = 0; i < count; i++)
			if ((int)all[i].kind == worst)
				list.items[list.count++] = all[i];
	free(all);
	*ret = list;
	return 0;
}

/* The first rule with the flag that refuses what is in the context. */
static bool refuse_row(const struct rule_context *context, unsigned flag, struct verdict *ret)
{
	for (const struct rule_info *rule = table; rule->id; rule++)
		if (rule->flags & flag && run(rule, context, NULL, ret) &&
		    ret->kind == VERDICT_REFUSE)
			return true;
	return false;
}

/* Rules that are asked for a row look at that end alone. */
static const struct guard_facts no_facts;

bool rules_refuse_source(const struct disk *disk, const struct endpoint *end, struct verdict *ret)
{
	const struct plan plan = { .source = *end };
	struct rule_context context;

	look_at(&plan, &no_facts, disk, NULL, &context);
	return refuse_row(&context, RULE_SOURCE_ROW, ret);
}

bool rules_refuse_destination(const struct disk *disk, const struct endpoint *end,
			      struct verdict *ret)
{
	const struct plan plan = { .destinations = { *end }, .destination_count = 1 };
	struct rule_context context;

	if (use_list_find(&disk->in_use, USE_COPY)) {
		*ret = (struct verdict){ 0 };
		rule_say(ret, VERDICT_REFUSE, _("%s belongs to the copy that runs."), disk->node);
		return true;
	}
	look_at(&plan, &no_facts, NULL, disk, &context);
	return refuse_row(&context, RULE_DESTINATION_ROW, ret);
}

void verdict_list_done(struct verdict_list *list)
{
	free(list->items);
	*list = (struct verdict_list){ 0 };
}

bool verdict_list_same(const struct verdict_list *a, const struct verdict_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->items[i].rule != b->items[i].rule || a->items[i].kind != b->items[i].kind ||
		    strcmp(a->items[i].sentence, b->items[i].sentence) != 0)
			return false;
	return true;
}

enum verdict_kind verdict_list_worst(const struct verdict_list *list)
{
	enum verdict_kind worst = VERDICT_OK;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind > worst)
			worst = list->items[i].kind;
	return worst;
}

const struct verdict *verdict_list_refusal(const struct verdict_list *list, enum guard_run run)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind == VERDICT_REFUSE && concerns(list->items[i].flags, run))
			return &list->items[i];
	return NULL;
}

const struct verdict *verdict_list_find(const struct verdict_list *list, enum verdict_means means)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].means == means && list->items[i].kind != VERDICT_OK)
			return &list->items[i];
	return NULL;
}

const struct verdict *verdict_list_liftable(const struct verdict_list *list, const char *rule)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind == VERDICT_REFUSE && list->items[i].liftable &&
		    strcmp(list->items[i].rule, rule) == 0)
			return &list->items[i];
	return NULL;
}

void rule_say(struct verdict *verdict, enum verdict_kind kind, const char *format, ...)
{
	char text[2048];

	text_vprint(text, sizeof(text), format);
	verdict->kind = kind;
	/* Paths of files are in it: a line break in one must not look like another verdict. */
	text_show(verdict->sentence, sizeof(verdict->sentence), text);
}

const char *rule_disk_name(const struct disk *disk, char buffer[static RULE_NAME_MAX])
{
	if (disk->identity.serial[0])
		snprintf(buffer, RULE_NAME_MAX, _("%s (serial %s)"), disk->node,
			 disk->identity.serial);
	else
		snprintf(buffer, RULE_NAME_MAX, _("%s (no serial)"), disk->node);
	return buffer;
}

void rule_list_add(char list[static RULE_LIST_MAX], const char *format, ...)
{
	char item[RULE_LIST_MAX];
	size_t used = strlen(list);

	text_vprint(item, sizeof(item), format);
	if (used >= 2 && strcmp(list + used - 2, "..") == 0)
		return;
	/* Four bytes stay free for the sign that something was left out. */
	if (used + strlen(item) + 2 + 4 >= RULE_LIST_MAX)
		snprintf(list + used, RULE_LIST_MAX - used, used ? ", .." : "..");
	else
		snprintf(list + used, RULE_LIST_MAX - used, used ? ", %s" : "%s", item);
}

bool rule_copies(const struct plan *plan, uint64_t start, uint64_t length)
{
	uint64_t end, pos = start;

	if (!u64_add(start, length, &end))
		return false;
	for (size_t i = 0; i < plan->extent_count && pos < end; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);

		if (e.source <= pos && pos < e.source + e.length)
			pos = e.source + e.length;
	}
	return pos >= end;
}

bool rule_copies_table(const struct rule_context *context)
{
	const struct plan *plan = context->plan;

	const struct disk *disk = context->source_contents;

	if (!disk || !endpoint_is_whole_disk(context->source) ||
	    context->destination->kind == ENDPOINT_PARTITION || plan->extent_count == 0)
		return false;
	if (strcmp(disk->table, "gpt") != 0 && strcmp(disk->table, "dos") != 0)
		return false;
	return plan->extents[0].source_lba == 0 && plan->extents[0].destination_lba == 0;
}
