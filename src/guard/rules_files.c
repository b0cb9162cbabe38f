/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about files: images at either end, and where log and map go. */
#include "base/i18n.h"
#include "base/units.h"
#include "guard/rules_private.h"

void rule_source_image_on_destination(const struct rule_context *context, struct verdict *ret)
{
	const struct plan *plan = context->plan;
	char name[RULE_NAME_MAX];

	if (plan->source.kind == ENDPOINT_IMAGE &&
	    facts_place_on(&context->facts->source_image, &plan->destination))
		rule_say(ret, VERDICT_REFUSE,
			 _("The source image %s lies on the destination %s and would be "
			   "overwritten. Move it to another disk first."),
			 plan->source.node, rule_name(context, &plan->destination, name));
}

/* The file that contains the destination, if any; otherwise NULL. */
static const struct guard_place *file_place(const struct rule_context *context)
{
	if (context->plan->destination.kind == ENDPOINT_IMAGE)
		return &context->facts->destination_image;
	/* One that was put over a device has none: see destination-on-source. */
	if (context->destination && context->destination->kind == DISK_LOOP &&
	    !facts_made_of(&context->facts->destination_below, &context->plan->source))
		return &context->facts->destination_below;
	return NULL;
}

void rule_image_on_source_disk(const struct rule_context *context, struct verdict *ret)
{
	const struct plan *plan = context->plan;
	const struct guard_place *place = file_place(context);
	char name[RULE_NAME_MAX];

	if (!place || !rule_is_device(&plan->source))
		return;
	rule_name(context, &plan->source, name);
	if (facts_place_on(place, &plan->source))
		rule_say(ret, VERDICT_REFUSE,
			 _("%s would be written onto the source %s while that is read: the source "
			   "changes, and free space that holds deleted files is lost. Only if you "
			   "accept that: --allow image-on-source-disk."),
			 plan->destination.node, name);
	else if (facts_place_beside(place, &plan->source))
		rule_say(ret, VERDICT_WARN,
			 _("%s lies on the same disk as the source %s: the copy is slow, and a "
			   "failing disk takes both with it."),
			 plan->destination.node, name);
}

void rule_image_exists(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	char size[UNITS_TEXT_MAX];

	if (destination->kind != ENDPOINT_IMAGE)
		return;
	if (destination->exists)
		rule_say(ret, VERDICT_WARN,
			 _("The image %s exists already (%s): its contents will be overwritten."),
			 destination->node,
			 units_print_long(destination->size, UNITS_SI, 512, size));
	else
		rule_say(ret, VERDICT_OK, _("the image %s does not exist yet"), destination->node);
}

/* The most space that the image needs beyond what it has. */
static uint64_t image_needs(const struct rule_context *context)
{
	const struct endpoint *destination = &context->plan->destination;
	uint64_t bytes = plan_bytes(context->plan);

	if (!destination->exists)
		return bytes;
	/* An existing file may be sparse, and its size does not show what its holes will take: only
	 * what is beyond its end is surely new. */
	uint64_t end = rule_destination_end(context->plan);

	return end > destination->size ? end - destination->size : 0;
}

void rule_image_space(const struct rule_context *context, struct verdict *ret)
{
	const struct guard_facts *facts = context->facts;
	const struct endpoint *destination = &context->plan->destination;
	uint64_t needs = image_needs(context);
	char bytes[UNITS_TEXT_MAX], available[UNITS_TEXT_MAX];

	if (destination->kind != ENDPOINT_IMAGE || !facts->image_free_known)
		return;
	units_print_long(needs, UNITS_SI, 512, bytes);
	units_print_long(facts->image_free, UNITS_SI, 512, available);
	if (needs <= facts->image_free)
		rule_say(ret, VERDICT_OK, _("%s are free for the image, which needs %s at most"),
			 available, bytes);
	else if (facts->source_allocated_known && facts->source_allocated <= facts->image_free)
		rule_say(
			ret, VERDICT_WARN,
			_("The image %s needs %s, and only %s are free. The source file is sparse, "
			  "so its copy should fit; the copy stops when the file system is full."),
			destination->node, bytes, available);
	else
		rule_say(
			ret, VERDICT_REFUSE,
			_("The image %s needs up to %s, and only %s are free there. Make room, or, "
			  "if the source holds enough zeros (they take no space): --allow "
			  "image-space."),
			destination->node, bytes, available);
}

void rule_image_limit(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	uint64_t end = rule_destination_end(context->plan), limit = context->facts->image_limit;
	char bytes[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];

	if (destination->kind != ENDPOINT_IMAGE || limit == 0 || end <= limit)
		return;
	rule_say(ret, VERDICT_REFUSE,
		 _("The image %s would be %s, and its file system holds files of at most %s (FAT). "
		   "Choose a place on ext4, exFAT or NTFS."),
		 destination->node, units_print_long(end, UNITS_SI, 512, bytes),
		 units_print_long(limit, UNITS_SI, 512, most));
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

void rule_log_on_destination(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	const char *path = kept_on(context->facts, destination);
	char name[RULE_NAME_MAX];

	if (path)
		rule_say(ret, VERDICT_REFUSE,
			 _("Log or map would be written to %s, which is on the destination %s and "
			   "would be overwritten. Choose another place with --log-dir or --map."),
			 path, rule_name(context, destination, name));
}

void rule_log_on_source(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *source = &context->plan->source;
	const char *path = kept_on(context->facts, source);
	char name[RULE_NAME_MAX];

	if (path)
		rule_say(ret, VERDICT_WARN,
			 _("Log or map are written to %s, which is on the source %s: the source "
			   "changes while it is copied. Choose another place with --log-dir or "
			   "--map."),
			 path, rule_name(context, source, name));
}

void rule_log_in_memory(const struct rule_context *context, struct verdict *ret)
{
	const struct guard_facts *facts = context->facts;
	const char *path = NULL;

	if (facts->map.path[0])
		path = facts->map.in_memory ? facts->map.path : NULL;
	else if (facts->log_dir.path[0] && facts->log_dir.in_memory)
		path = facts->log_dir.path;
	if (path)
		rule_say(
			ret, VERDICT_WARN,
			_("The map is kept in memory here (%s): after a restart the copy cannot be "
			  "resumed. --log-dir or --map name a place on another disk."),
			path);
}
