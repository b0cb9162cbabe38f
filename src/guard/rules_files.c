/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about files: images at either end, and where log and map go. */
#include "base/i18n.h"
#include "base/units.h"
#include "guard/rules_private.h"

void rule_source_image_on_destination(const struct rule_context *c, struct verdict *ret)
{
	if (c->source->kind == ENDPOINT_IMAGE &&
	    facts_place_on(&c->facts->source_image, c->destination))
		rule_say(ret, VERDICT_REFUSE,
			 _("The source image %s lies on the destination %s and would be "
			   "overwritten. Move it to another disk first."),
			 c->source->node, c->destination_name);
}

/* The file that contains the destination, if any; otherwise NULL. */
static const struct guard_place *file_place(const struct rule_context *c)
{
	if (c->destination->kind == ENDPOINT_IMAGE)
		return &c->facts->destination_image;
	/* A loop device over a device has no file: see destination-on-source. */
	if (c->destination_disk && c->destination_disk->kind == DISK_LOOP &&
	    !facts_made_of(&c->facts->destination_below, c->source))
		return &c->facts->destination_below;
	return NULL;
}

void rule_image_on_source_disk(const struct rule_context *c, struct verdict *ret)
{
	const struct guard_place *place = file_place(c);

	if (!place || !endpoint_is_device(c->source))
		return;
	if (facts_place_on(place, c->source))
		rule_say(ret, VERDICT_REFUSE,
			 _("%s would be written onto the source %s while that is read: the source "
			   "changes, and free space that holds deleted files is lost. Only if you "
			   "accept that: --allow image-on-source-disk."),
			 c->destination->node, c->source_name);
	else if (facts_place_beside(place, c->source))
		rule_say(ret, VERDICT_WARN,
			 _("%s lies on the same disk as the source %s: the copy is slow, and a "
			   "failing disk takes both with it."),
			 c->destination->node, c->source_name);
}

void rule_image_exists(const struct rule_context *c, struct verdict *ret)
{
	if (c->destination->kind != ENDPOINT_IMAGE)
		return;
	if (c->destination->exists)
		rule_say(ret, VERDICT_WARN,
			 _("The image %s exists already (%s): its contents will be overwritten."),
			 c->destination->node, UNITS_LONG(c->destination->size, UNITS_SI, 512));
	else
		rule_say(ret, VERDICT_OK, _("the image %s does not exist yet"),
			 c->destination->node);
}

/* The most space that the image needs beyond what it has. */
static uint64_t image_needs(const struct rule_context *c)
{
	uint64_t bytes = plan_bytes(c->plan);

	if (!c->destination->exists)
		return bytes;
	/* How much of an existing file is holes is not known, so only what is beyond its end is
	 * counted. */
	uint64_t end = plan_destination_end(c->plan);

	return end > c->destination->size ? end - c->destination->size : 0;
}

void rule_image_space(const struct rule_context *c, struct verdict *ret)
{
	const struct guard_facts *facts = c->facts;
	uint64_t needs = image_needs(c);

	if (c->destination->kind != ENDPOINT_IMAGE || !facts->image_free_known)
		return;
	if (needs <= facts->image_free)
		rule_say(ret, VERDICT_OK, _("%s are free for the image, which needs %s at most"),
			 UNITS_LONG(facts->image_free, UNITS_SI, 512),
			 UNITS_LONG(needs, UNITS_SI, 512));
	else if (facts->source_allocated_known && facts->source_allocated <= facts->image_free &&
		 !facts->image_dense)
		rule_say(
			ret, VERDICT_WARN,
			_("The image %s needs %s, and only %s are free. The source file is sparse, "
			  "so its copy should fit; the copy stops when the file system is full."),
			c->destination->node, UNITS_LONG(needs, UNITS_SI, 512),
			UNITS_LONG(facts->image_free, UNITS_SI, 512));
	else
		rule_say(ret, VERDICT_REFUSE,
			 _("The image %s needs up to %s, and only %s are free there. Make room, "
			   "or, if the source holds enough zeros (they take no space): --allow "
			   "image-space."),
			 c->destination->node, UNITS_LONG(needs, UNITS_SI, 512),
			 UNITS_LONG(facts->image_free, UNITS_SI, 512));
}

void rule_image_limit(const struct rule_context *c, struct verdict *ret)
{
	uint64_t end = plan_destination_end(c->plan), limit = c->facts->image_limit;

	if (c->destination->kind != ENDPOINT_IMAGE || limit == 0 || end <= limit)
		return;
	rule_say(ret, VERDICT_REFUSE,
		 _("The image %s would be %s, and its file system holds files of at most %s (FAT). "
		   "Choose a place on ext4, exFAT or NTFS."),
		 c->destination->node, UNITS_LONG(end, UNITS_SI, 512),
		 UNITS_LONG(limit, UNITS_SI, 512));
}

/* The path of the log directory or map, whichever is on the endpoint. */
static const char *kept_on(const struct guard_facts *facts, const struct endpoint *endpoint)
{
	if (facts->log_dir.path[0] && facts_place_on(&facts->log_dir, endpoint))
		return facts->log_dir.path;
	if (facts->map.path[0] && facts_place_on(&facts->map, endpoint))
		return facts->map.path;
	return NULL;
}

void rule_log_on_destination(const struct rule_context *c, struct verdict *ret)
{
	const char *path = kept_on(c->facts, c->destination);

	if (path)
		rule_say(ret, VERDICT_REFUSE,
			 _("Log or map would be written to %s, which is on the destination %s and "
			   "would be overwritten. Choose another place with --log-dir or --map."),
			 path, c->destination_name);
}

void rule_log_on_source(const struct rule_context *c, struct verdict *ret)
{
	const char *path = kept_on(c->facts, c->source);

	if (path)
		rule_say(ret, VERDICT_WARN,
			 _("Log or map are written to %s, which is on the source %s: the source "
			   "changes while it is copied. Choose another place with --log-dir or "
			   "--map."),
			 path, c->source_name);
}

void rule_log_in_memory(const struct rule_context *c, struct verdict *ret)
{
	const struct guard_facts *facts = c->facts;
	const char *path = NULL;

	if (facts->map.path[0])
		path = facts->map.in_memory ? facts->map.path : NULL;
	else if (facts->log_dir.path[0] && facts->log_dir.in_memory)
		path = facts->log_dir.path;
	if (path)
		rule_say(ret, VERDICT_WARN,
			 _("The map is kept in memory here (%s): after a restart the copy cannot "
			   "be resumed. --log-dir or --map name a place on another disk."),
			 path);
}
