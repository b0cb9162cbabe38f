/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Discovery: one pass over all devices, then the disks themselves, then the list. */
#include "discover/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libudev.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/build.h"
#include "discover/cache.h"
#include "discover/hotplug.h"
#include "discover/probe.h"
#include "discover/regions.h"
#include "discover/running.h"

#define TIMEOUT        (5 * NSEC_PER_SEC)
#define TIMEOUT_GLANCE (1 * NSEC_PER_SEC)

struct scan {
	struct scan_options options;
	char *practice_dir; /* of the options */
	struct udev *udev;
	struct hotplug *hotplug; /* NULL: no events here */
	struct pending pending;
};

static int copy_options(const struct scan_options *options, struct scan *scan, struct error *reterr)
{
	scan->options = *options;
	scan->options.bad = (struct range_list){ 0 };
	if (options->practice_dir) {
		/* Loop devices name their files by real paths. */
		scan->practice_dir = realpath(options->practice_dir, NULL);
		if (!scan->practice_dir)
			return error_set(reterr, ERROR_CLASS_USAGE, -errno, "open",
					 options->practice_dir,
					 _("The folder of practice disks %s cannot be used: %s."),
					 options->practice_dir, error_phrase(errno));
	}
	scan->options.practice_dir = scan->practice_dir;
	return 0;
}

int scan_new(const struct scan_options *options, struct scan **ret, struct error *reterr)
{
	struct scan *scan = calloc(1, sizeof(*scan));
	int r;

	if (!scan)
		return error_nomem(reterr);
	r = copy_options(options, scan, reterr);
	if (r == 0) {
		scan->udev = udev_new();
		if (!scan->udev)
			r = error_nomem(reterr);
	}
	/* A list is useful without events; scan_event_fd() shows whether there are any. */
	if (r == 0 && hotplug_new(scan->udev, &scan->options, &scan->hotplug) < 0)
		scan->hotplug = NULL;
	if (r < 0)
		scan_destroy(scan);
	else
		*ret = scan;
	return r;
}

void scan_destroy(struct scan *scan)
{
	if (!scan)
		return;
	pending_done(&scan->pending);
	range_list_done(&scan->options.bad);
	hotplug_destroy(scan->hotplug);
	udev_unref(scan->udev);
	free(scan->practice_dir);
	free(scan);
}

void scan_only(struct scan *scan, const dev_t *only)
{
	scan->options.only_some = only;
	for (int i = 0; only && i < 2; i++)
		scan->options.only[i] = only[i];
}

void scan_spare(struct scan *scan, const struct scan_spared spared[2])
{
	scan->options.spared[0] = spared[0];
	scan->options.spared[1] = spared[1];
}

int scan_avoid(struct scan *scan, dev_t disk, const struct range_list *bad)
{
	struct range_list copy;

	if (range_list_copy(bad, &copy) < 0)
		return -ENOMEM;
	range_list_done(&scan->options.bad);
	scan->options.bad = copy;
	scan->options.bad_on = disk;
	return 0;
}

/* ---- reading the disks ---- */

/* A disk that is asked, and what it told before. */
struct asked {
	size_t disk; /* in the list */
	struct cache_key key;
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

	if (r == 0 && disk->identity.devno == build->options->bad_on)
		r = range_list_copy(&build->options->bad, &ret->bad);
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

/* If the disk is still there, its table in the cache is as good as reading it again. */
static void take_table(struct build *build, const struct asked *asked, struct probe_result *result)
{
	struct table *table = &build->tables[asked->disk];

	if (asked->as_before && result->opened) {
		result->error = asked->error;
		return;
	}
	if (result->opened)
		cache_keep(build->options->cache, &asked->key, asked->moment, result->error,
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
				_("%s has sectors of %u bytes, for which there is no place in a "
				  "file or on another disk. It cannot be copied."),
				disk->node, result->size.logical_sector_size);
		if (result->error < 0)
			return say_unread(build, disk, result->error);
		take_size(disk, &result->size);
		return 0;
	}
	if (disk->identity.size == 0)
		return 0;
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
				 _("%s did not answer in time: it is listed as udev knows it. It "
				   "may be spinning up or failing."),
				 disk->node);
}

static int take_results(struct build *build, struct probe_result *results,
			const struct asked *asked, size_t count)
{
	int r = 0;

	for (size_t i = 0; i < count; i++) {
		if (r < 0) {
			table_done(&results[i].table);
		} else if (results[i].answered) {
			r = take_result(build, &asked[i], &results[i]);
		} else {
			table_done(&build->tables[asked[i].disk]);
			r = say_silent(build, &build->list->disks[asked[i].disk]);
		}
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
	struct cache *cache = build->options->cache;
	const struct disk *disk = &build->list->disks[index];

	*ret = (struct asked){ .disk = index, .moment = cache_moment(cache) };
	cache_key(disk, &ret->key);
	ret->as_before = !disk_is_sg_only(disk) &&
			 cache_find(cache, &ret->key, &ret->error, &build->tables[index]);
}

/* A disk that is being copied is not read: what an earlier scan found is kept. */
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

	/* Without polling, the kernel looks for a medium only when its drive is opened; the next
	 * list has it. */
	return (disk->identity.size || disk_is_sg_only(disk) || disk->removable == YES) &&
	       !is_spared(options, disk) &&
	       (!options->only_some || devno == options->only[0] || devno == options->only[1]);
}

static int make_requests(struct build *build, const struct pending *pending,
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
		disk->silent = pending_has(pending, disk->identity.devno, disk->identity.diskseq);
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

/* The record of a copy tells more than "held by another program". */
static int add_copy(struct build *build, struct disk *disk, const struct running *running)
{
	struct use *held = NULL;
	char words[160];

	if (running_is_on(&running->source, &disk->identity))
		running_words(running, false, disk->read_by, sizeof(disk->read_by));
	if (!running_is_on(&running->destination, &disk->identity)) {
		disk->copied |= disk->read_by[0] != '\0';
		return 0;
	}
	disk->copied = true;
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

/* Opens and reads the disks. Those that have not answered in time stay unread and are pending from
 * then on; those that are pending already are waited for first, but not for a glance. */
static int read_disks(struct build *build, struct pending *pending, bool glance,
		      struct error *reterr)
{
	uint64_t timeout = glance ? TIMEOUT_GLANCE : TIMEOUT;
	size_t most = build->list->count, count = 0;
	struct probe_request *requests = calloc(most + 1, sizeof(*requests));
	struct probe_result *results = calloc(most + 1, sizeof(*results));
	struct asked *asked = calloc(most + 1, sizeof(*asked));
	int r = requests && results && asked ? 0 : -ENOMEM;

	pending_wait(pending, glance ? 0 : clock_monotonic() + timeout);
	if (r == 0)
		r = take_spared(build);
	if (r == 0)
		r = make_requests(build, pending, requests, asked, &count);
	if (r == 0)
		r = probe_disks(requests, count, clock_monotonic() + timeout, pending, results);
	if (r == 0)
		r = take_results(build, results, asked, count);
	if (r == 0)
		r = add_copies(build);
	if (r == -ENOMEM)
		error_nomem(reterr);
	else if (r < 0)
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "read", NULL,
			  _("No thread could be started to read the disks: %s."), error_phrase(r));
	free(requests);
	free(results);
	free(asked);
	return r;
}

static int look(struct scan *scan, bool glance, scan_choice choose, void *user,
		struct disk_list **ret, struct error *reterr)
{
	struct build *build = NULL;
	int r = build_new(scan->udev, &scan->options, &build, reterr);

	if (r == 0 && choose)
		choose(user, scan, build->list);
	if (r == 0 && scan->options.probe)
		r = read_disks(build, &scan->pending, glance, reterr);
	if (r == 0)
		r = build_finish(build, ret, reterr);
	build_destroy(build);
	return r;
}

int scan_run(struct scan *scan, struct disk_list **ret, struct error *reterr)
{
	return look(scan, false, NULL, NULL, ret, reterr);
}

int scan_run_chosen(struct scan *scan, scan_choice choose, void *user, struct disk_list **ret,
		    struct error *reterr)
{
	return look(scan, false, choose, user, ret, reterr);
}

int scan_glance(struct scan *scan, struct disk_list **ret, struct error *reterr)
{
	return look(scan, true, NULL, NULL, ret, reterr);
}

int scan_event_fd(struct scan *scan)
{
	return scan->hotplug ? hotplug_fd(scan->hotplug) : -1;
}

bool scan_hears_writes(const struct scan *scan)
{
	return scan->hotplug && hotplug_hears_writes(scan->hotplug);
}

bool scan_next_event(struct scan *scan, char *text, unsigned size, bool *rescan)
{
	return scan->hotplug && hotplug_next(scan->hotplug, text, size, rescan);
}
