/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The making of one list: reading the disks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/answers.h"
#include "discover/build_private.h"
#include "discover/late.h"
#include "discover/merge.h"
#include "discover/probe.h"
#include "discover/running.h"

/* A disk that is asked, and what it told before. */
struct asked {
	size_t disk; /* in the list */
	struct answers_key key;
	uint64_t moment;
	bool as_before; /* then its table is in build->tables */
	int error;
};

static bool has_use(const struct build *build, const struct disk *disk)
{
	struct use_list uses = { 0 };
	bool used;

	usage_add_to(build->usage, disk->identity.devno, &uses);
	for (size_t i = 0; i < disk->partition_count; i++)
		usage_add_to(build->usage, disk->partitions[i].devno, &uses);
	used = uses.count > 0;
	use_list_done(&uses);
	return used;
}

static bool udev_has_probed(const struct build *build, dev_t devno)
{
	for (size_t i = 0; i < build->probed_count; i++)
		if (build->probed[i] == devno)
			return true;
	return false;
}

/*
 * Partitions whose contents udev knows. It probes them again whenever a writer
 * closes them, so its data is current; rereading 200 disks at every scan would
 * be neither fast nor gentle.
 */
static int list_known(const struct build *build, const struct disk *disk, struct range **ret,
		      size_t *retcount)
{
	struct range *known = calloc(disk->partition_count + 1, sizeof(*known));
	size_t count = 0;

	if (!known)
		return -ENOMEM;
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];

		if (udev_has_probed(build, p->devno))
			known[count++] = (struct range){ p->start, p->sectors };
	}
	*ret = known;
	*retcount = count;
	return 0;
}

static int list_bad(const struct build *build, const struct disk *disk, struct range **ret,
		    size_t *retcount)
{
	const struct scan_options *options = build->options;

	if (!options->bad.count || disk->identity.devno != options->bad_on)
		return 0;
	*ret = calloc(options->bad.count, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	memcpy(*ret, options->bad.items, options->bad.count * sizeof(**ret));
	*retcount = options->bad.count;
	return 0;
}

static int make_request(const struct build *build, const struct disk *disk,
			struct probe_request *ret)
{
	*ret = (struct probe_request){
		.devno = disk->identity.devno,
		.diskseq = disk->identity.diskseq,
		.size = disk->identity.size,
		.sector_size = disk->identity.logical_sector_size,
		.sg_only = disk_is_sg_only(disk),
		/* If a use is known, there is nothing more to learn. */
		.try_exclusive = geteuid() == 0 && !disk_is_sg_only(disk) && !has_use(build, disk),
	};
	text_copy(ret->node, sizeof(ret->node), disk->node);
	int r = list_known(build, disk, &ret->known, &ret->known_count);

	if (r == 0)
		r = list_bad(build, disk, &ret->bad, &ret->bad_count);
	if (r < 0)
		probe_request_done(ret);
	return r;
}

static int say_unread(struct build *build, const struct disk *disk, int code)
{
	if ((code == -EACCES || code == -EPERM) && geteuid() != 0)
		return 0; /* said once for all disks */
	if (code == -ESTALE)
		return build_say_missing(
			build, _("%s became another device during the scan. List the disks again."),
			disk->node);
	return build_say_missing(build, _("%s cannot be read: %s. Its table is unknown."),
				 disk->node, error_phrase(code));
}

static void take_size(struct disk *disk, const struct sg_only_size *size)
{
	disk->identity.size = size->bytes;
	disk->identity.logical_sector_size = size->logical_sector_size;
	disk->physical_sector_size = size->physical_sector_size;
	disk->max_transfer = size->max_command;
	disk->medium_present = YES;
}

/* What it told before is as good as what it would tell now, if it is still there. */
static void take_table(struct build *build, const struct asked *asked, struct probe_result *result)
{
	struct table *table = &build->tables[asked->disk];

	if (asked->as_before && result->opened) {
		result->error = asked->error;
		return;
	}
	if (result->opened)
		answers_keep(build->options->answers, &asked->key, asked->moment, result->error,
			     &result->table);
	table_done(table);
	*table = result->table;
}

static int take_result(struct build *build, const struct asked *asked, struct probe_result *result)
{
	struct disk *disk = &build->list->disks[asked->disk];
	int r = 0;

	if (disk_is_sg_only(disk)) {
		text_copy(disk->table, sizeof(disk->table), "?");
		if (result->error == -EMEDIUMTYPE)
			return build_say_missing(
				build,
				_("%s has sectors of %u bytes, for which there "
				  "is no place in a file or on another disk. It cannot "
				  "be copied."),
				disk->node, result->size.logical_sector_size);
		if (result->error < 0)
			return say_unread(build, disk, result->error);
		take_size(disk, &result->size);
		return 0;
	}
	take_table(build, asked, result);
	if (result->exclusive_refused)
		r = use_list_add(&disk->in_use, USE_EXCLUSIVE, "", disk->node);
	if (r == 0 && result->error == -ENOMEDIUM)
		disk->medium_present = NO;
	else if (r == 0 && result->error < 0)
		r = say_unread(build, disk, result->error);
	if (r == 0 && result->error == 0)
		r = merge_table(disk, &build->tables[asked->disk]);
	else if (!disk->table[0])
		text_copy(disk->table, sizeof(disk->table), "?");
	return r;
}

static int say_silent(struct build *build, struct disk *disk)
{
	disk->silent = true;
	if (!disk->table[0])
		text_copy(disk->table, sizeof(disk->table), "?");
	return build_say_missing(build,
				 _("%s did not answer in time: it is listed as udev knows it. "
				   "It may be spinning up or failing."),
				 disk->node);
}

static int take_answers(struct build *build, struct probe *probe, const struct asked *asked,
			size_t count)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++) {
		struct probe_result result;

		if (probe_take(probe, i, &result)) {
			r = take_result(build, &asked[i], &result);
			continue;
		}
		table_done(&build->tables[asked[i].disk]);
		r = say_silent(build, &build->list->disks[asked[i].disk]);
	}
	return r;
}

static bool is_spared(const struct scan_options *options, const struct disk *disk)
{
	for (size_t i = 0; i < 2; i++)
		if (options->spared[i].devno && options->spared[i].devno == disk->identity.devno &&
		    options->spared[i].diskseq == disk->identity.diskseq)
			return true;
	return false;
}

static void look_up(struct build *build, size_t index, struct asked *ret)
{
	struct answers *answers = build->options->answers;
	const struct disk *disk = &build->list->disks[index];

	*ret = (struct asked){ .disk = index, .moment = answers_moment(answers) };
	answers_key(disk, &ret->key);
	ret->as_before = !disk_is_sg_only(disk) &&
			 answers_find(answers, &ret->key, &ret->error, &build->tables[index]);
}

/* Of a disk that is being copied, what it told before is all that may be known. */
static int take_spared(struct build *build)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < build->list->count; i++) {
		struct disk *disk = &build->list->disks[i];
		struct asked asked;

		if (!is_spared(build->options, disk))
			continue;
		look_up(build, i, &asked);
		r = use_list_add(&disk->in_use, USE_COPY, "", disk->node);
		if (r == 0 && asked.as_before && asked.error == 0)
			r = merge_table(disk, &build->tables[i]);
		else if (!disk->table[0])
			text_copy(disk->table, sizeof(disk->table), "?");
	}
	return r;
}

static bool is_to_be_read(const struct build *build, const struct disk *disk)
{
	const struct scan_options *options = build->options;
	dev_t devno = disk->identity.devno;

	return (disk->identity.size || disk_is_sg_only(disk)) && !is_spared(options, disk) &&
	       (!options->only_some || devno == options->only[0] || devno == options->only[1]);
}

static int make_requests(struct build *build, const struct late *late,
			 struct probe_request *requests, struct asked *asked, size_t *retcount)
{
	size_t count = 0;

	for (size_t i = 0; i < build->list->count; i++) {
		struct disk *disk = &build->list->disks[i];
		int r;

		if (!is_to_be_read(build, disk)) {
			if (disk->identity.size && !disk->table[0] &&
			    !is_spared(build->options, disk))
				text_copy(disk->table, sizeof(disk->table), "?");
			continue;
		}
		disk->silent = late_has(late, &disk->identity);
		r = disk->silent ? say_silent(build, disk)
				 : make_request(build, disk, &requests[count]);
		if (r < 0) {
			while (count > 0)
				probe_request_done(&requests[--count]);
			return -ENOMEM;
		}
		if (disk->silent)
			continue;
		look_up(build, i, &asked[count]);
		requests[count].as_before = asked[count].as_before;
		count++;
	}
	*retcount = count;
	return 0;
}

/* Whoever holds it says so itself: that explains more than that somebody does. */
static int add_copy(struct build *build, struct disk *disk, const struct running *running)
{
	struct use *held = NULL;
	char words[160];

	if (running_is_on(&running->source, &disk->identity))
		running_words(running, false, disk->read_by, sizeof(disk->read_by));
	if (!running_is_on(&running->destination, &disk->identity))
		return 0;
	for (size_t i = 0; i < disk->in_use.count; i++)
		if (disk->in_use.items[i].kind == USE_EXCLUSIVE && !disk->in_use.items[i].what[0])
			held = &disk->in_use.items[i];
	running_words(running, true, words, sizeof(words));
	if (!held)
		return use_list_add(&disk->in_use, USE_EXCLUSIVE, words, running->destination.node);
	text_copy(held->what, sizeof(held->what), words);
	text_copy(held->node, sizeof(held->node), running->destination.node);
	return 0;
}

static int add_copies(struct build *build)
{
	struct running *running = calloc(RUNNING_MAX, sizeof(*running));
	size_t count = running ? running_list(NULL, running) : 0;
	int r = running ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < count; i++)
		for (size_t d = 0; r == 0 && d < build->list->count; d++)
			r = add_copy(build, &build->list->disks[d], &running[i]);
	free(running);
	return r;
}

int build_probe(struct build *build, struct late *late, uint64_t timeout, bool glance,
		struct error *reterr)
{
	size_t most = build->list->count, count = 0;
	struct probe_request *requests = calloc(most + 1, sizeof(*requests));
	struct asked *asked = calloc(most + 1, sizeof(*asked));
	struct probe *probe = NULL;
	int r = requests && asked ? 0 : -ENOMEM;

	late_wait(late, glance ? 0 : clock_monotonic() + timeout);
	if (r == 0)
		r = take_spared(build);
	if (r == 0)
		r = make_requests(build, late, requests, asked, &count);
	if (r == 0)
		r = probe_start(requests, count, &probe);
	if (r == 0) {
		probe_wait(probe, clock_monotonic() + timeout);
		r = take_answers(build, probe, asked, count);
	}
	if (r == 0)
		r = add_copies(build);
	if (r == -ENOMEM)
		error_nomem(reterr);
	else if (r < 0)
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "read", NULL,
			  _("No thread could be started to read the disks: %s."), error_phrase(r));
	late_add(late, probe);
	free(requests);
	free(asked);
	return r;
}
