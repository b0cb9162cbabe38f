/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan in words and pictures. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "after/resize_fs.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "session/choose.h"
#include "plan/picture.h"
#include "plan/preset.h"
#include "report/json.h"
#include "report/page.h"
#include "report/report.h"

#define PICTURE_CELLS_MAX 200
/* " before   |" before the cells and "|" behind them. */
#define PICTURE_FRAME    12
#define RANGES_SHOWN_MAX 12

static void put_end(struct page *page, const char *label, const struct endpoint *endpoint)
{
	char name[512], bytes[UNITS_TEXT_MAX + 8];

	if (endpoint->kind == ENDPOINT_IMAGE && !endpoint->exists) {
		page_field(page, label, _("new image %s"), endpoint->node);
		return;
	}
	snprintf(bytes, sizeof(bytes), _("%s B"), UNITS_COUNT(endpoint->size));
	page_field(page, label, "%s  %s", report_end_name(endpoint, name, sizeof(name)), bytes);
}

static void put_ranges(struct page *page, const struct plan *plan)
{
	page_field(page, _("copy"),
		   P_("%zu range, %s B in sectors of %" PRIu32 " bytes, plan %s",
		      "%zu ranges, %s B in sectors of %" PRIu32 " bytes, plan %s",
		      plan->extent_count),
		   plan->extent_count, UNITS_COUNT(plan_bytes(plan)), plan->sector_size,
		   PLAN_ID(plan));
	for (size_t i = 0; i < plan->extent_count && i < RANGES_SHOWN_MAX; i++) {
		const struct extent *extent = &plan->extents[i];

		page_field(page, "", _("LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64),
			   extent->source_lba, extent->source_lba + extent->sectors - 1,
			   extent->destination_lba);
	}
	if (plan->extent_count > RANGES_SHOWN_MAX)
		page_field(page, "", _("and %zu more"), plan->extent_count - RANGES_SHOWN_MAX);
}

static void put_preset(struct page *page, const struct plan_options *options)
{
	char sets[128];

	/* As in the report; the other lines say how an ordinary copy is made. */
	if (options->preset == PRESET_HEALTHY)
		return;
	page_field(page, _("preset"), "%s: %s", preset_name(options->preset),
		   preset_sentence(options->preset));
	if (preset_print(options, sets, sizeof(sets))[0])
		page_field(page, "", "%s", sets);
}

/* What free places are left out, and what the destination gets there. */
static void put_free(struct page *page, const struct plan *plan)
{
	static const char *const then[] = {
		[FREE_ZERO] = N_("zeroed on the destination"),
		[FREE_DISCARD] = N_("discarded on the destination"),
		[FREE_LEAVE] = N_("on the destination, what is there stays"),
	};
	const struct range_list *left_out = plan_left_out(plan);

	if (plan_later(plan))
		page_field(page, "", _("free places, %s B, are copied after all else"),
			   UNITS_COUNT(plan_later_bytes(plan)));
	if (left_out)
		page_field(page, "",
			   P_("%zu free place, %s B, is left out; %s",
			      "%zu free places, %s B, are left out; %s", left_out->count),
			   left_out->count, UNITS_COUNT(plan_free_bytes(plan)),
			   _(then[plan->options.free]));
}

static void put_retried(const struct session_choice *choice, struct page *page)
{
	const struct range_list *areas = choice->retry;

	if (areas->count)
		page_field(page, "",
			   P_("bad sectors are read again only in %zu area (sectors: %s)",
			      "bad sectors are read again only in %zu areas (sectors: %s)",
			      areas->count),
			   areas->count, UNITS_COUNT(range_list_total(areas)));
}

static void put_held(const struct session_choice *choice, struct page *page)
{
	const struct plan *plan = choice->plan;
	const struct held *held = choice->held;

	if (choice->resumes)
		page_field(page, "", _("resumes from a map: %s B are already copied"),
			   UNITS_COUNT(choice->finished_bytes));
	if (held->areas.count)
		page_field(page, "",
			   P_("%zu area of %s B with tables, written last",
			      "%zu areas of %s B with tables, written last", held->areas.count),
			   held->areas.count,
			   UNITS_COUNT(range_list_total(&held->areas) * plan->sector_size));
	if (held->first.count)
		page_field(page, "",
			   P_("%zu area of %s B with tables, copied first",
			      "%zu areas of %s B with tables, copied first", held->first.count),
			   held->first.count,
			   UNITS_COUNT(range_list_total(&held->first) * plan->sector_size));
	if (plan_probes(plan, choice->destination))
		page_field(page, "", "%s", _("the destination's real size is tested first"));
}

static struct identifiers shared(const struct session_choice *choice)
{
	struct identifiers list;

	identifiers_find(choice->plan, choice->source, choice->volumes, &list);
	return list;
}

static void put_identifiers(const struct session_choice *choice, struct page *page)
{
	struct identifiers list = shared(choice);
	char text[512];

	if (list.count)
		page_field(page, _("ids"), "%s", identifiers_print(&list, text, sizeof(text)));
}

static void put_table(const struct session_choice *choice, struct page *page)
{
	const struct plan *plan = choice->plan;
	const struct fitted *offer = choice->offer;
	char text[256];

	if (plan->options.table == TABLE_GPT)
		page_field(page, _("table"),
			   _("made to fit the destination, as a GPT with other PARTUUIDs; %s"),
			   fitted_print(&plan->fitted, plan->sector_size, text, sizeof(text)));
	else if (plan->options.table == TABLE_FIT)
		page_field(page, _("table"), _("made to fit the destination; %s"),
			   fitted_print(&plan->fitted, plan->sector_size, text, sizeof(text)));
	else if (offer && offer->grown)
		page_field(page, _("table"), _("copied as it is; with --table=fit --grow=%u: %s"),
			   offer->grown,
			   fitted_print(offer, plan->sector_size, text, sizeof(text)));
	else if (offer)
		page_field(page, _("table"), _("copied as it is; with --table=fit: %s"),
			   fitted_print(offer, plan->sector_size, text, sizeof(text)));
	else if (choice->no_offer[0])
		page_field(page, _("table"), _("copied as it is. With --table=fit: %s"),
			   choice->no_offer);
}

/* The file system in the partition that grows. */
static void put_growth(const struct session_choice *choice, struct page *page)
{
	const struct plan *plan = choice->plan;
	const struct partition *partition =
		choice->source ? disk_partition(choice->source, plan->fitted.grown) : NULL;
	const char *fs = partition && partition->fs[0] ? partition->fs : _("unknown");
	char why[256];

	if (!plan->options.grow_fs || !plan->fitted.grown)
		return;
	if (grow_fs_obstacle(fs, why, sizeof(why))[0])
		page_field(page, "",
			   _("the file system in partition %u (%s) stays as large as it is: %s"),
			   plan->fitted.grown, fs, why);
	else
		page_field(page, "", _("after the copy, its file system (%s) grows, too"), fs);
}

static const char *verify_words(const struct session_choice *choice)
{
	const struct plan *plan = choice->plan;

	if (plan->options.verify == VERIFY_OFF)
		return _("the copy is not read back");
	if (plan->options.verify == VERIFY_COMPARE)
		return _("both ends are read and compared when all is copied");
	switch (plan_rolling(plan, choice->destination)) {
	case ROLLING_NO:
		break;
	case ROLLING_SPARE:
		return _("read back and compared with digests, on this flash disk already while it "
			 "has time for that beside the copy");
	case ROLLING_ASKED:
		return _("read back and compared with digests already while the rest is copied");
	}
	return _("read back and compared with digests when all is copied");
}

static void put_pictures(const struct session *session, const struct session_choice *choice,
			 struct page *page)
{
	const struct disk *destination = choice->destination;
	const struct plan *plan = choice->plan;
	uint64_t scale;
	char cells[PICTURE_CELLS_MAX + 1];
	int count = page->columns - PICTURE_FRAME;
	struct range_list finished;

	/* Without memory for it, all counts as still to be written. */
	if (!destination)
		return;
	session_list_finished(session, &finished);
	if (count > PICTURE_CELLS_MAX)
		count = PICTURE_CELLS_MAX;
	fputc('\n', page->out);
	/* An image that becomes longer */
	scale = plan->destination_size_after;
	if (scale < destination->identity.size)
		scale = destination->identity.size;
	picture_disk(destination, scale, count, cells);
	page_field(page, _("before"), "|%s|", cells);
	picture_touched(plan, &finished, destination, count, cells);
	range_list_done(&finished);
	fprintf(page->out, "%*s %s\n", PICTURE_FRAME - 2, "", cells);
	picture_after(plan, choice->source, destination, count, cells);
	page_field(page, _("after"), "|%s|", cells);
	page_item(page, "%s",
		  choice->resumes
			  ? _("1-9 a-z partition  G table  . none  ? unknown  x overwritten  + "
			      "copied before  - not touched")
			  : _("1-9 a-z partition  G table  . none  ? unknown  x overwritten  - not "
			      "touched"));
}

static const char *how_lost(enum lost_how how)
{
	switch (how) {
	case LOST_OVERWRITTEN:
		return _("overwritten");
	case LOST_PARTLY:
		return _("partly overwritten");
	case LOST_FROM_TABLE:
		break;
	}
	return _("no longer in the table");
}

static int find_lost(const struct session_choice *choice, struct lost **ret, size_t *retcount)
{
	return picture_lost(choice->plan, choice->destination,
			    choice->resumes ? choice->source : NULL, ret, retcount);
}

static void put_lost(const struct session_choice *choice, struct page *page)
{
	const struct disk *disk = choice->destination;
	struct lost *lost CLEANUP(free) = NULL;
	size_t count = 0;

	if (!disk || find_lost(choice, &lost, &count) < 0 || count == 0)
		return;
	fprintf(page->out, "\n %s\n", _("PARTITIONS THAT WILL BE LOST"));
	for (size_t i = 0; i < count; i++) {
		const struct partition *p = lost[i].partition;

		page_item(page, "%u  %" PRIu64 "-%" PRIu64 "  %s  %s  %s  %s", p->number, p->start,
			  p->start + p->sectors - 1,
			  UNITS_SHORT(p->sectors * disk->identity.logical_sector_size, UNITS_SI,
				      disk->identity.logical_sector_size),
			  text_or_dash(p->fs), text_or_dash(p->label), how_lost(lost[i].how));
	}
}

static void put_verdicts(const struct verdict_list *verdicts, struct page *page)
{
	static const char *const words[] = { N_("ok"), N_("warn"), N_("REFUSE") };

	fprintf(page->out, "\n %s\n", _("CHECKS"));
	for (size_t i = 0; i < verdicts->count; i++) {
		const struct verdict *verdict = &verdicts->items[i];

		page_field(page, _(words[verdict->kind]), "%s: %s", verdict->rule,
			   verdict->sentence);
	}
}

/* Commands to the block node do not go through the sg driver. */
static bool goes_to_sg_node(enum backend_choice backend, const struct endpoint *endpoint)
{
	return backend == BACKEND_SG && endpoint->sg[0];
}

/* What was asked for by name; all else is chosen when the copy starts. */
static void put_engine(const struct session *session, const struct plan *plan, struct page *page)
{
	const struct plan_options *options = &plan->options;
	char source[PLAN_OPTION_TEXT_MAX], destination[PLAN_OPTION_TEXT_MAX];
	bool sg = goes_to_sg_node(options->source_backend, &plan->source) ||
		  goes_to_sg_node(options->destination_backend, &plan->destinations[0]);

	if (options->source_backend == BACKEND_AUTO && options->destination_backend == BACKEND_AUTO)
		return;
	page_field(page, _("engine"), _("source %s, destination %s"),
		   plan_option_print(options, PLAN_OPTION_SOURCE_BACKEND, source),
		   plan_option_print(options, PLAN_OPTION_DESTINATION_BACKEND, destination));
	if (sg && options->sg_data == SG_DATA_DIRECT && session_disks(session)->sg_direct == NO)
		page_field(page, "", "%s",
			   _("the sg driver copies the data until it may do direct IO:  echo 1 > "
			     "/sys/module/sg/parameters/allow_dio"));
}

void plan_print_text(const struct session *session, int columns)
{
	const struct session_choice choice = session_choice(session);
	const struct plan *plan = choice.plan;
	struct page page;

	page_init(&page, stdout, columns);
	put_end(&page, _("source"), &plan->source);
	put_end(&page, _("dest"), &plan->destinations[0]);
	put_ranges(&page, plan);
	put_free(&page, plan);
	put_retried(&choice, &page);
	put_held(&choice, &page);
	put_table(&choice, &page);
	put_growth(&choice, &page);
	put_preset(&page, &plan->options);
	page_field(&page, _("verify"), "%s", verify_words(&choice));
	put_engine(session, plan, &page);
	put_identifiers(&choice, &page);
	used_print_text(&choice, &page);
	put_pictures(session, &choice, &page);
	put_lost(&choice, &page);
	put_verdicts(choice.verdicts, &page);
	fputc('\n', stdout);
	if (verdict_list_worst(choice.verdicts) == VERDICT_REFUSE)
		page_field(&page, _("start"), "%s", _("refused; nothing was written"));
	else if (choice.token[0])
		page_field(&page, _("start"), _("--confirm needs %s"), choice.token_phrase);
}

/* null: the core chooses it, there is no limit, or it is not done. */
static json_object *json_option(const struct plan_options *options, enum plan_option option)
{
	uint64_t value = plan_option_value(options, option);
	char text[PLAN_OPTION_TEXT_MAX];

	switch (plan_option_type(option)) {
	case PLAN_SWITCH:
		return json_object_new_boolean(value != 0);
	case PLAN_NUMBER:
	case PLAN_BYTES:
		return plan_option_zero(option) && !value ? NULL : json_object_new_uint64(value);
	case PLAN_CHECKSUMS:
		if (!value)
			return NULL;
		break;
	case PLAN_PARTITION:
		if (value && value != GROW_LAST)
			return json_object_new_uint64(value);
		return value ? json_object_new_string("last") : NULL;
	case PLAN_PLACES:
		if (!value)
			return NULL;
		break;
	case PLAN_WORD:
		if (option == PLAN_OPTION_VERIFY && value == VERIFY_OFF)
			return NULL;
		break;
	}
	return json_object_new_string(plan_option_print(options, option, text));
}

static json_object *json_options(const struct plan_options *options)
{
	json_object *object = json_object_new_object();
	char key[PLAN_OPTION_TEXT_MAX];

	for (enum plan_option i = 0; i < PLAN_OPTIONS; i++)
		json_object_object_add(object, plan_option_key(i, key), json_option(options, i));
	return object;
}

#define PARTITION(key, kind) JSON_FIELD(#key, kind, struct partition, key)

static json_object *json_lost(const struct session_choice *choice)
{
	static const char *const words[] = { "overwritten", "partly", "from-table" };
	static const struct json_field fields[] = {
		PARTITION(number, JSON_NUMBER), PARTITION(node, JSON_TEXT),
		PARTITION(start, JSON_NUMBER),  PARTITION(sectors, JSON_NUMBER),
		PARTITION(fs, JSON_TEXT),       PARTITION(label, JSON_TEXT),
		PARTITION(uuid, JSON_TEXT),
	};
	const struct disk *disk = choice->destination;
	json_object *array = json_object_new_array();
	struct lost *lost CLEANUP(free) = NULL;
	size_t count = 0;

	if (!disk || find_lost(choice, &lost, &count) < 0)
		return array;
	for (size_t i = 0; i < count; i++) {
		json_object *object = report_json_of(fields, lost[i].partition);

		json_add_text(object, "how", words[lost[i].how]);
		json_object_array_add(array, object);
	}
	return array;
}

/* The token itself is not printed: the user must read it from the disk. */
static json_object *json_confirm(const struct session_choice *choice)
{
	json_object *object = json_object_new_object();

	json_add_bool(object, "needed", choice->token[0] != '\0');
	json_object_object_add(object, "what", report_json_text(choice->token_phrase));
	return object;
}

void plan_print_json(const struct session *session, bool pretty)
{
	const struct session_choice choice = session_choice(session);
	const struct plan *plan = choice.plan;
	const struct verdict_list *verdicts = choice.verdicts;
	const struct held *held = choice.held;
	bool refused = verdict_list_worst(verdicts) == VERDICT_REFUSE;
	json_object *object = json_object_new_object();
	json_object *destinations = json_object_new_array();

	json_add_text(object, "schema", "clonedeck.plan/1");
	json_add_text(object, "plan_id", PLAN_ID(plan));
	json_object_object_add(object, "source", report_json_endpoint(&plan->source));
	json_object_array_add(destinations, report_json_endpoint(&plan->destinations[0]));
	json_object_object_add(object, "destinations", destinations);
	json_add_number(object, "sector_size", plan->sector_size);
	json_add_number(object, "bytes", plan_bytes(plan));
	json_add_number(object, "bytes_already", choice.finished_bytes);
	json_add_bool(object, "whole", plan->whole);
	json_object_object_add(object, "plan", report_json_extents(plan));
	json_object_object_add(object, "used", used_print_json(&choice));
	json_object_object_add(object, "free_places",
			       plan->free_places ? report_json_free_places(plan) : NULL);
	json_object_object_add(object, "options", json_options(&plan->options));
	json_object_object_add(
		object, "held_back",
		report_json_held((unsigned)held->areas.count,
				 range_list_total(&held->areas) * plan->sector_size));
	struct identifiers list = shared(&choice);

	json_object_object_add(object, "boot", report_json_boot_of(choice.boot));
	json_object_object_add(object, "identifiers", report_json_identifiers_of(&list));
	json_object_object_add(object, "fitted", report_json_fitted(&plan->fitted));
	json_object_object_add(object, "offer", report_json_fitted(choice.offer));
	json_object_object_add(object, "verdicts", report_json_verdicts(verdicts, VERDICT_OK));
	json_add_bool(object, "refused", refused);
	json_object_object_add(object, "lost", json_lost(&choice));
	json_object_object_add(object, "confirm", json_confirm(&choice));
	char *text CLEANUP(free) = report_json_print(
		object, JSON_C_TO_STRING_NOSLASHESCAPE |
				(pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED : 0));

	if (text)
		puts(text);
}
