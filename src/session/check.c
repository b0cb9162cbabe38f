/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/lvm.h"
#include "discover/table.h"
#include "health/smartctl.h"
#include "scsi/ata.h"
#include "session/measured_disks.h"
#include "session/outcome.h"

#define REACH_TIMEOUT (2 * NSEC_PER_SEC) /* of each end */

static void ask_reach(const struct disk_list *disks, const struct endpoint *endpoint,
		      struct guard_reach *ret)
{
	const struct disk *disk =
		endpoint->kind == ENDPOINT_DISK ? endpoint_disk(disks, endpoint) : NULL;
	struct ata_reach reach;

	if (!disk || !disk_ata_node(disk)[0] || health_is_written_to(disk->node))
		return;
	ata_reach_ask(disk_ata_node(disk), REACH_TIMEOUT, &reach);
	*ret = (struct guard_reach){ .open = reach.open, .whole = reach.whole };
}

void check_images(struct image_store *images, const struct plan *plan, struct guard_facts *facts)
{
	facts->source_contents = image_store_read(images, &plan->source);
	facts->destination_contents = image_store_read(images, &plan->destinations[0]);
}

/* After the held areas were wiped, and before any of them is written. */
static uint64_t empty_to(const struct plan *plan, const struct map *map)
{
	const struct map_held *held = map ? map_held(map) : NULL;

	return held && held->wiped.count && !held->arming ? plan_chosen_bytes(plan) : 0;
}

void check_take_plan(struct check *check, const struct plan *plan, const struct map *resume)
{
	bool fresh = check->first && !check->load;

	check->damaged = resume && map_damaged_areas(resume) > 0;
	check->leaves_out = plan_left_out(plan);
	check->fits = fresh && plan->options.table != TABLE_KEEP;
	check->offers =
		fresh && plan->whole && !check->fits && plan->destinations[0].kind == ENDPOINT_DISK;
	/* The plan may be dropped while this runs: nothing here points into it. */
	check->ends = *plan;
	check->ends.extents = NULL;
	check->ends.extent_count = 0;
	check->ends.free_places = NULL;
	check->ends.fitted.units = NULL;
	check->empty_to = empty_to(plan, resume);
}

static int load(struct check *check)
{
	struct loaded *loaded = &check->loaded;
	int r = load_plan(&check->wish, check->disks, loaded, &check->error);

	if (r < 0)
		return r;
	check->goes_on = loaded->resume != NULL;
	if (check->goes_on)
		text_copy(check->map_path, sizeof(check->map_path), check->wish.map);
	check_take_plan(check, loaded->plan, loaded->resume);
	return 0;
}

static int check_files(struct check *check)
{
	const char *map = check->goes_on ? check->map_path : NULL;
	int r;

	files_follow(check->options, &check->named);
	r = files_check(&check->named, &check->ends, map, &check->error);
	if (r == 0 && !map && check->named.map[0] && !check->loaded.recorded.digests)
		r = files_check_new(check->named.map, &check->error);
	/* Another program's map: nothing beside it is ours yet. */
	if (r == 0 && map && check->wish.ends)
		r = files_check_beside(map, &check->error);
	return r;
}

/* The LVM groups of the source. */
static void look_for_volumes(const struct plan *plan, const struct disk *source, int fd,
			     struct volumes *ret)
{
	const struct partition *p = disk_partition_at(source, plan->source.devno);
	struct partition one = p ? *p : (struct partition){ 0 };
	const struct table_source from = { .fd = fd,
					   .size = plan->source.size,
					   .sector_size = source->identity.logical_sector_size };

	one.start = 0;
	if (plan->source.kind == ENDPOINT_PARTITION)
		lvm_find(&from, &one, 1, ret);
	else
		lvm_find(&from, source->partitions, source->partition_count, ret);
}

/* Not of a disk that fails, or that a map calls damaged: every bad sector would be read again. */
static void look_at_source(struct check *check, const struct plan *plan)
{
	const struct disk *source = check->facts.source_contents;
	CLEANUP(close) int fd = -1;
	char bios[BOOT_LINE_MAX], uefi[BOOT_LINE_MAX];

	if (!source)
		source = endpoint_disk(check->disks, &plan->source);
	check->boot = (struct boot_look){ 0 };
	check->facts.volumes = (struct volumes){ 0 };
	if (source && !check->goes_on && !plan_spares_source(&plan->options))
		fd = outcome_open(&plan->source);
	if (fd >= 0) {
		boot_check_source(plan, source, fd, &check->boot);
		look_for_volumes(plan, source, fd, &check->facts.volumes);
		/* After somebody writes to the source, the next look must read the disk and not
		 * the page cache. */
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	check->facts.starts = boot_can_start(&check->boot);
	if (boot_line(&check->boot, 0, bios) && boot_line(&check->boot, 1, uefi))
		snprintf(check->facts.boots, sizeof(check->facts.boots), "%.180s; %.200s", bios,
			 uefi);
}

/* Is the source failing? Then the plan should spare it, and copy all of it. */
static bool source_fails(struct check *check, const struct plan *plan)
{
	const struct disk *disk = endpoint_disk(check->disks, &plan->source);
	struct health_end end;
	struct health health;
	int64_t sectors;

	if (check->damaged)
		return true;
	if (plan_spares_source(&plan->options) && !check->leaves_out)
		return false;
	health_address(disk, &end);
	if (!end.node[0] || health_is_written_to(end.disk))
		return false;
	if (!identity_same(&check->health_of, &disk->identity)) {
		health_ask(&end, &health);
		check->health_of = disk->identity;
		check->health = health_judge(&health, &sectors);
	}
	return check->health >= HEALTH_STATE_WEAK;
}

static void find_rates(struct check *check, const struct plan *plan)
{
	struct measured source, destination;

	measured_find(check->log_dir, &plan->source.identity, &source);
	measured_find(check->log_dir, &plan->destinations[0].identity, &destination);
	check->known = (struct session_measured){ .source = source.read,
						  .destination = destination.read,
						  .writes = destination.write };
}

static void ask(struct check *check)
{
	const struct plan *plan = &check->ends;
	struct guard_facts *facts = &check->facts;
	const char *map_path = check->goes_on ? check->map_path : check->named.map;

	facts_gather(plan, check->disks, check->log_dir, map_path[0] ? map_path : NULL, facts);
	check_images(check->images, plan, facts);
	find_rates(check, plan);
	ask_reach(check->disks, &plan->source, &facts->source_reach);
	ask_reach(check->disks, &plan->destinations[0], &facts->destination_reach);
	facts->source_fails = source_fails(check, plan);
	facts->table_can_fit = !check->fits && check->layout.extent_count > 0;
	look_at_source(check, plan);
	if (check->empty_to)
		facts_look_at(&plan->destinations[0], check->empty_to, facts->shows);
}

int check_table(const struct plan *plan, int source, struct error *reterr)
{
	struct layout layout;
	struct error error = { 0 };
	int r;

	if (plan->options.table == TABLE_KEEP)
		return 0;
	r = layout_fit(plan, source, plan->options.grow, &layout, &error);
	/* A dying disk may not be able to read its table again; the plan has it. */
	if (r < 0 && error.class == ERROR_CLASS_SOURCE)
		return 0;
	if (r < 0 && reterr)
		*reterr = error;
	if (r == 0 && !fitted_contains(&layout.fitted, &plan->fitted))
		r = error_set(reterr, ERROR_CLASS_REFUSED, -ESTALE, "check", plan->source.node,
			      _("The partition table of %s has changed since the plan was made. "
				"Nothing was written: make the plan again."),
			      plan->source.node);
	layout_done(&layout);
	return r;
}

/* Makes the table that was asked for, or one that could be offered. If none can be made, there is
 * no offer. */
static int fit(struct check *check)
{
	const struct plan *plan = &check->ends;
	const struct endpoint *to = &plan->destinations[0];
	bool same = to->size == plan->source.size;
	bool same_sectors = to->logical_sector_size == plan->source.logical_sector_size;
	uint32_t grow = check->fits ? plan->options.grow : same ? GROW_NO : GROW_LARGEST;
	CLEANUP(close) int fd = -1;
	int r;

	if (!check->fits && !check->offers)
		return 0;
	fd = open(plan->source.node, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && !check->fits)
		return 0;
	if (fd < 0)
		return error_set(&check->error, ERROR_CLASS_ENVIRONMENT, -errno, "fit",
				 plan->source.node,
				 _("%s cannot be opened to read its table (%s)."),
				 plan->source.node, error_phrase(errno));
	r = layout_fit(plan, fd, grow, &check->layout, check->fits ? &check->error : NULL);
	if (r < 0 && !check->fits && !same)
		r = layout_fit(plan, fd, GROW_LAST, &check->layout, NULL);
	if (r < 0 && !check->fits)
		r = layout_fit(plan, fd, GROW_NO, &check->layout, &check->no_offer);
	/* On a disk of the same size the table stays as it is; only its partitions can be placed.
	 */
	if (r == 0 && !check->fits && same && same_sectors)
		layout_done(&check->layout);
	/* To a larger disk the table goes as it is, too. */
	if (r == 0 || (to->size > plan->source.size && same_sectors))
		check->no_offer = (struct error){ 0 };
	return check->fits ? r : 0;
}

void check_run(void *data)
{
	struct check *check = data;

	/* What was made for another plan. */
	layout_done(&check->layout);
	check->layout.table.count = 0;
	check->no_offer = (struct error){ 0 };
	check->result = check->load ? load(check) : 0;
	if (check->result == 0 && check->first)
		check->result = check_files(check);
	if (check->result == 0 && !check->load)
		check->result = fit(check);
	if (check->result == 0)
		ask(check);
}
