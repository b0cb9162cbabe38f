/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/ends.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "map/map.h"
#include "guard/facts.h"

/* Names, sequence numbers and device numbers change whenever a disk is attached; what is on its
 * label does not. */
static bool same_label(const struct identity *a, const struct identity *b)
{
	return a->size == b->size && a->logical_sector_size == b->logical_sector_size &&
	       a->nsid == b->nsid && strcmp(a->model, b->model) == 0 &&
	       strcmp(a->serial, b->serial) == 0 && strcmp(a->wwn, b->wwn) == 0 &&
	       strcmp(a->volume, b->volume) == 0;
}

/* Without an identity, the name has to do. A loop device's model is the name of its file. */
static bool has_label(const struct disk *disk)
{
	return disk->identity.serial[0] || disk->identity.wwn[0] ||
	       (disk->kind == DISK_LOOP && disk->identity.model[0]);
}

static int not_found(const struct endpoint *recorded, struct error *reterr)
{
	char who[sizeof(recorded->node) + sizeof(recorded->identity.model) + 8];

	/* The number of a volume says nothing after a restart; its name does, which is its model.
	 */
	text_copy(who, sizeof(who), recorded->node);
	if (recorded->identity.model[0])
		snprintf(who, sizeof(who), "%s (%s)", recorded->node, recorded->identity.model);
	if (recorded->identity.volume[0])
		return error_set(
			reterr, ERROR_CLASS_REFUSED, -ENODEV, "resume", recorded->node,
			_("The volume of the map, %s, is not there with the same name, UUID and "
			  "size. Activate or open it under that name and resume again."),
			who);
	if (recorded->identity.serial[0])
		return error_set(
			reterr, ERROR_CLASS_REFUSED, -ENODEV, "resume", recorded->node,
			_("The disk of the map with serial %s (it was %s) is not attached, or it "
			  "differs in model, WWN or size. Attach it and resume again."),
			recorded->identity.serial, recorded->node);
	return error_set(reterr, ERROR_CLASS_REFUSED, -ENODEV, "resume", recorded->node,
			 _("The disk of the map, %s, is not attached under that name with the same "
			   "size and model, and it has no serial number to find it by."),
			 who);
}

/* One file may be attached to any number of loop devices. */
static bool name_decides(const struct disk *disk)
{
	return !disk->identity.serial[0] && !disk->identity.wwn[0];
}

/* It was not detached since: each attachment gets a new sequence number. */
static bool is_still_there(const struct disk *disk, const struct endpoint *recorded)
{
	return recorded->identity.diskseq && disk->identity.diskseq == recorded->identity.diskseq;
}

/* Both disks are in one enclosure that reports its own serial number for both. */
static bool look_alike(const struct endpoint *recorded, const struct endpoint *other)
{
	return other && other->kind != ENDPOINT_IMAGE &&
	       strcmp(recorded->disk_node, other->disk_node) != 0 &&
	       same_label(&recorded->identity, &other->identity);
}

static int ambiguous(const struct disk *a, const struct disk *b, const struct endpoint *recorded,
		     const struct endpoint *other, struct error *reterr)
{
	if (look_alike(recorded, other))
		return error_set(
			reterr, ERROR_CLASS_REFUSED, -ENOTUNIQ, "resume", recorded->node,
			_("%s and %s have one model, serial and size, as both disks of the map "
			  "had, and were attached anew since: nothing tells the source from the "
			  "destination. Copy from the beginning with clone."),
			a->node, b->node);
	return error_set(reterr, ERROR_CLASS_REFUSED, -ENOTUNIQ, "resume", recorded->node,
			 _("%s and %s both have the model, serial and size of the disk in the map. "
			   "Detach the wrong one and resume again."),
			 a->node, b->node);
}

/* NULL with *retcode and *reterr when there is none, or more than one. */
static const struct disk *find_disk(const struct disk_list *disks, const struct endpoint *recorded,
				    const struct endpoint *other, int *retcode,
				    struct error *reterr)
{
	bool one_disk = other && strcmp(recorded->disk_node, other->disk_node) == 0;
	const struct disk *found = NULL, *second = NULL;

	for (size_t i = 0; i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];
		bool same_name = strcmp(disk->node, recorded->disk_node) == 0;

		if (!same_label(&disk->identity, &recorded->identity) ||
		    (!has_label(disk) && !disk->identity.volume[0] && !same_name))
			continue;
		if (is_still_there(disk, recorded) || (same_name && name_decides(disk)))
			return disk;
		if (other && !one_disk && is_still_there(disk, other))
			continue;
		second = found;
		found = disk;
	}
	if (!found)
		*retcode = not_found(recorded, reterr);
	else if (second)
		*retcode = ambiguous(second, found, recorded, other, reterr);
	return second ? NULL : found;
}

static int find_partition(const struct disk *disk, const struct endpoint *recorded,
			  struct endpoint *ret, struct error *reterr)
{
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];
		struct endpoint endpoint;

		if (p->number != recorded->partition)
			continue;
		endpoint_from_partition(disk, p, &endpoint);
		if (endpoint.start != recorded->start || endpoint.size != recorded->size)
			break;
		*ret = endpoint;
		return 0;
	}
	return error_set(reterr, ERROR_CLASS_REFUSED, -ESTALE, "resume", recorded->node,
			 _("Partition %u of %s is no longer where it was when the copy began, so "
			   "it cannot go on."),
			 recorded->partition, disk->node);
}

static int find_image(const struct disk_list *disks, const struct endpoint *recorded,
		      bool destination, struct endpoint *ret, struct error *reterr)
{
	struct guard_place place;
	struct endpoint endpoint;
	int r = endpoint_resolve_recorded(disks, recorded->node, destination, &endpoint, reterr);

	if (r < 0)
		return r;
	if (endpoint.kind == ENDPOINT_IMAGE && !endpoint.exists)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOENT, "resume", recorded->node,
				 _("The image %s of the map does not exist any more."),
				 recorded->node);
	facts_find_place(&endpoint, &place);
	if (!facts_place_present(&place))
		return error_set(
			reterr, ERROR_CLASS_ENVIRONMENT, -ENODEV, "resume", recorded->node,
			_("The disk that %s lies on is not attached any more. Unmount what is left "
			  "of it, attach the disk and mount it at the same place."),
			recorded->node);
	bool changed = endpoint.kind != ENDPOINT_IMAGE ||
		       (!identity_same_inode(&endpoint.identity, &recorded->identity) &&
			endpoint_inode_lasts(&endpoint)) ||
		       (!destination && endpoint.size != recorded->size);

	/* It may have been given, and what the table says may have changed. */
	endpoint.logical_sector_size = recorded->logical_sector_size;
	endpoint.physical_sector_size = recorded->physical_sector_size;
	*ret = endpoint;
	if (changed)
		return error_set(reterr, ERROR_CLASS_REFUSED, -ESTALE, "resume", recorded->node,
				 _("The image %s is not the file of the map any more (another "
				   "file, or another size), so the copy cannot go on."),
				 recorded->node);
	return 0;
}

int ends_find(const struct disk_list *disks, const struct endpoint *recorded,
	      const struct endpoint *other, bool destination, struct endpoint *ret,
	      struct error *reterr)
{
	const struct disk *disk;
	int r = 0;

	if (recorded->kind == ENDPOINT_IMAGE)
		return find_image(disks, recorded, destination, ret, reterr);
	disk = find_disk(disks, recorded, other, &r, reterr);
	if (!disk)
		return r;
	if (disk_is_sg_only(disk) && !endpoint_is_sg_only(recorded))
		return error_set(reterr, ERROR_CLASS_REFUSED, -EAGAIN, "resume", disk->node,
				 _("The disk %s has only its sg node yet, no block node. Wait a "
				   "moment and resume again."),
				 disk->node);
	if (recorded->kind == ENDPOINT_PARTITION)
		return find_partition(disk, recorded, ret, reterr);
	endpoint_from_disk(disk, ret);
	return 0;
}

static const struct disk *disk_below(const struct disk_list *disks, dev_t devno,
				     const struct partition **ret)
{
	for (size_t i = 0; i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];

		*ret = disk_partition_at(disk, devno);
		if (*ret || disk->identity.devno == devno)
			return disk;
	}
	*ret = NULL;
	return NULL;
}

/* A file is found by its name, which may exist on any disk; only the disk below, or its file
 * system, has an identity. */
enum tristate ends_same_file_system(const struct disk_list *before, const struct endpoint *recorded,
				    const struct disk_list *disks, const struct endpoint *found)
{
	const struct partition *p, *q;
	const struct disk *a = disk_below(before, recorded->identity.devno, &p);
	const struct disk *b = disk_below(disks, found->identity.devno, &q);

	if (!a || !b)
		return UNKNOWN;
	if (!same_label(&a->identity, &b->identity) || !p != !q)
		return NO;
	if (p && (p->number != q->number || p->start != q->start || strcmp(p->uuid, q->uuid) != 0))
		return NO;
	return has_label(a) || (p && p->uuid[0]) ? YES : UNKNOWN;
}

bool ends_have_label(const struct disk_list *disks, const struct endpoint *endpoint)
{
	const struct disk *disk = endpoint_disk(disks, endpoint);

	return disk && has_label(disk);
}

bool ends_medium_may_differ(const struct disk_list *disks, const struct endpoint *recorded,
			    const struct endpoint *found)
{
	const struct disk *disk = endpoint_disk(disks, found);

	return disk && disk->removable == YES && !is_still_there(disk, recorded);
}

int ends_of_map(const struct disk_list *disks, const char *map_path, struct endpoint *source,
		struct endpoint *destination)
{
	CLEANUP(plan) struct plan *recorded = NULL;
	CLEANUP(map) struct map *map = NULL;
	int r = map_load(map_path, &map, &recorded, NULL);

	if (r == 0 && !recorded)
		r = -EINVAL;
	if (r == 0)
		r = ends_find(disks, &recorded->source, &recorded->destinations[0], false, source,
			      NULL);
	if (r == 0)
		r = ends_find(disks, &recorded->destinations[0], &recorded->source, true,
			      destination, NULL);
	return r;
}
