/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/mask.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"

#define SHOWN 4
/* Shorter ones would be found in any sentence; they are hidden where they stand alone. */
#define SEARCHED_MIN 6

struct secret {
	char text[192];
};

/* Both ends' serial and WWN, as they are and as links in /dev spell them. */
#define SECRETS_MAX 8

struct secrets {
	struct secret items[SECRETS_MAX];
	size_t count;
};

/* All but the last characters become stars, so that the length stays. */
static void hide(char *text, size_t length)
{
	size_t hidden = length > SHOWN ? length - SHOWN : length;

	/* Half a character would be none. */
	while (hidden < length && ((unsigned char)text[hidden] & 0xc0) == 0x80)
		hidden++;
	memset(text, '*', hidden);
}

static void hide_in(char *text, const struct secrets *secrets)
{
	for (size_t i = 0; i < secrets->count; i++) {
		const char *secret = secrets->items[i].text;
		size_t length = strlen(secret);

		for (char *found = strstr(text, secret); found; found = strstr(found, secret)) {
			hide(found, length);
			found += length;
		}
	}
}

static void add_secret(struct secrets *secrets, const char *text)
{
	if (strlen(text) >= SEARCHED_MIN && secrets->count < SECRETS_MAX)
		text_copy(secrets->items[secrets->count++].text, sizeof(secrets->items[0].text),
			  text);
}

static void add_identity(struct secrets *secrets, const struct identity *identity)
{
	char linked[sizeof(identity->serial)];
	/* The number alone: links and sentences write the prefix in several ways. */
	const char *dot = strchr(identity->wwn, '.');
	bool hex = strncmp(identity->wwn, "0x", 2) == 0;

	add_secret(secrets, identity->serial);
	text_copy(linked, sizeof(linked), identity->serial);
	for (char *p = strchr(linked, ' '); p; p = strchr(p, ' '))
		*p = '_';
	if (strcmp(linked, identity->serial) != 0)
		add_secret(secrets, linked);
	if (dot)
		add_secret(secrets, dot + 1);
	else
		add_secret(secrets, identity->wwn + (hex ? 2 : 0));
}

static void mask_identity(struct identity *identity, const struct secrets *secrets)
{
	hide_in(identity->model, secrets);
	hide(identity->serial, strlen(identity->serial));
	hide(identity->wwn, strlen(identity->wwn));
	hide(identity->volume, strlen(identity->volume));
}

static void mask_endpoint(struct endpoint *endpoint, const struct secrets *secrets)
{
	hide_in(endpoint->node, secrets);
	hide_in(endpoint->disk_node, secrets);
	mask_identity(&endpoint->identity, secrets);
}

static void mask_disk(struct report_disk *disk, const struct secrets *secrets)
{
	hide_in(disk->path, secrets);
	hide_in(disk->by_id, secrets);
	hide_in(disk->before.why, secrets);
	hide_in(disk->after.why, secrets);
}

static void mask_texts(struct report *report, const struct secrets *secrets)
{
	char *const texts[] = {
		report->operator_name, report->ticket,           report->files.log,
		report->files.map,     report->files.json,       report->files.certificate,
		report->files.digests, report->job.engine,       report->job.error.sentence,
		report->source_writer, report->job.error.device, report->files.checksums,
		report->grown_fs.said,
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		hide_in(texts[i], secrets);
	for (size_t i = 0; i < report->next_count; i++)
		hide_in(report->next[i], secrets);
	for (size_t i = 0; i < report->event_count; i++)
		hide_in(report->events[i].text, secrets);
	for (size_t i = 0; i < report->verdicts.count; i++)
		hide_in(report->verdicts.items[i].sentence, secrets);
	for (size_t i = 0; i < report->boot_entry_count; i++)
		hide_in(report->boot_entries[i].label, secrets);
	for (size_t i = 0; i < report->after.count; i++) {
		hide_in(report->after.items[i].what, secrets);
		hide_in(report->after.items[i].said, secrets);
	}
}

void report_mask_identity(struct identity *identity)
{
	struct secrets secrets = { 0 };

	add_identity(&secrets, identity);
	mask_identity(identity, &secrets);
}

static void mask_plan(const struct plan *plan, struct plan *ret, struct secrets *secrets)
{
	*ret = *plan;
	add_identity(secrets, &plan->source.identity);
	add_identity(secrets, &plan->destinations[0].identity);
	mask_endpoint(&ret->source, secrets);
	mask_endpoint(&ret->destinations[0], secrets);
	hide_in(ret->domain, secrets);
}

void report_mask_plan(const struct plan *plan, struct plan *ret)
{
	mask_plan(plan, ret, &(struct secrets){ 0 });
}

int report_mask(const struct report *report, struct masked_report **ret, struct error *reterr)
{
	struct secrets secrets = { 0 };
	struct masked_report *masked;

	*ret = NULL;
	if (!report->mask_serials)
		return 0;
	masked = malloc(sizeof(*masked));
	if (!masked)
		return error_nomem(reterr);
	if (report_copy(report, &masked->report) < 0) {
		report_unmask(masked);
		return error_nomem(reterr);
	}
	masked->report.plan = &masked->plan;
	plan_id(report->plan, masked->report.plan_id);
	mask_plan(report->plan, &masked->plan, &secrets);
	mask_disk(&masked->report.source, &secrets);
	mask_disk(&masked->report.destination, &secrets);
	mask_texts(&masked->report, &secrets);
	*ret = masked;
	return 0;
}

void report_unmask(struct masked_report *masked)
{
	if (!masked)
		return;
	report_done(&masked->report);
	free(masked);
}
