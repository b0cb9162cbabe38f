/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/scanning.h"

#include <errno.h>

#include "base/cleanup.h"
#include "map/map.h"
#include "session/ends.h"
#include "session/plan_from_file.h"

static void look_for_images(struct scanning *scanning)
{
	for (int destination = 0; destination < 2; destination++) {
		struct looked *looked = &scanning->images[destination];

		looked->error = (struct error){ 0 };
		looked->found = (struct endpoint){ 0 };
		if (looked->recorded.kind == ENDPOINT_IMAGE)
			ends_find(scanning->disks, &looked->recorded, NULL, destination,
				  &looked->found, &looked->error);
	}
}

static void avoid_bad(struct scan *scan, const struct disk_list *disks, const char *map_path,
		      const struct endpoint *source)
{
	CLEANUP(map) struct map *map = NULL;
	struct range_list bad = { 0 };

	/* Problems of the map are reported where it is needed. */
	if (source->kind == ENDPOINT_IMAGE || !source->logical_sector_size ||
	    map_load(map_path, &map, NULL, NULL) < 0 ||
	    load_bad(map, endpoint_disk(disks, source), source, &bad) < 0)
		return;
	scan_avoid(scan, source->identity.devno, &bad);
	range_list_done(&bad);
}

static int find_ends(const struct session_names *names, const struct disk_list *disks,
		     struct endpoint *source, struct endpoint *destination)
{
	int r;

	if (!names->destination)
		return names->map ? ends_of_map(disks, names->map, source, destination) : -EINVAL;
	r = endpoint_resolve(disks, names->destination, true, destination, NULL);
	if (r == 0 && names->source)
		r = endpoint_resolve(disks, names->source, false, source, NULL);
	return r;
}

static dev_t disk_number(const struct disk_list *disks, const struct endpoint *endpoint)
{
	const struct disk *disk = endpoint_disk(disks, endpoint);

	return disk ? disk->identity.devno : 0;
}

static void choose_named(void *user, struct scan *scan, const struct disk_list *named)
{
	const struct session_names *names = user;
	struct endpoint source = { 0 }, destination = { 0 };

	/* If an end is not found, the message names what there is, so all disks are read. */
	if (find_ends(names, named, &source, &destination) < 0) {
		scan_only(scan, NULL);
		return;
	}

	const dev_t only[2] = { disk_number(named, &source), disk_number(named, &destination) };

	scan_only(scan, only);
	if (names->map)
		avoid_bad(scan, named, names->map, &source);
}

void scanning_run(void *data)
{
	struct scanning *scanning = data;
	struct error *error = &scanning->error;
	int r = 0;

	scanning->disks = NULL;
	*error = (struct error){ 0 };
	if (!scanning->scan)
		r = scan_new(&scanning->options, &scanning->scan, error);
	if (r == 0) {
		scan_spare(scanning->scan, scanning->spared);
		/* If memory is short, they are read after all. */
		scan_avoid(scanning->scan, scanning->bad_on, &scanning->bad);
		scan_only(scanning->scan, NULL);
	}
	if (r == 0 && scanning->named)
		r = scan_run_chosen(scanning->scan, choose_named, &scanning->names,
				    &scanning->disks, error);
	else if (r == 0)
		r = (scanning->patient ? scan_run : scan_glance)(scanning->scan, &scanning->disks,
								 error);
	if (r == 0 && scanning->looks)
		look_for_images(scanning);
}
