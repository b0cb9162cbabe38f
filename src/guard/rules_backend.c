/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about how an end is reached: what the start, or the first write, would fail at is said
 * before. */
#include "base/i18n.h"
#include "guard/rules_private.h"

static void say_unreachable(const struct rule_context *context, const struct endpoint *endpoint,
			    const struct disk *disk, const char *option, struct verdict *ret)
{
	if (!rule_is_device(endpoint)) {
		rule_say(ret, VERDICT_REFUSE,
			 _("%s is a file: SCSI commands cannot reach it. Leave %s sg away."),
			 endpoint->node, option);
	} else if (endpoint->sg[0] || !disk) {
		return;
	} else if (disk->kind != DISK_SCSI) {
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has no sg node and cannot have one: it is no SCSI disk (%s). Leave "
			   "%s sg away, the fastest way to it is chosen then."),
			 endpoint->node, disk->transport[0] ? disk->transport : disk->name, option);
	} else if (context->plan->options.sg_data == SG_DATA_MMAP) {
		/* All else goes by SG_IO on the block node. */
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has no sg node, and --sg-io mmap needs one. Load the driver "
			   "(modprobe sg), or leave --sg-io mmap away."),
			 endpoint->node);
	}
}

void rule_sg_backend(const struct rule_context *context, struct verdict *ret)
{
	const struct plan *plan = context->plan;

	if (plan->options.source_backend == BACKEND_SG)
		say_unreachable(context, &plan->source, context->source, "--source-backend", ret);
	if (plan->options.destination_backend == BACKEND_SG && !ret->sentence[0])
		say_unreachable(context, &plan->destination, context->destination,
				"--destination-backend", ret);
}

void rule_block_node(const struct rule_context *context, struct verdict *ret)
{
	const struct plan *plan = context->plan;
	const struct endpoint *source = &plan->source, *destination = &plan->destination;
	char name[RULE_NAME_MAX];

	if (endpoint_is_sg_only(destination))
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has no block node, so nothing keeps others from writing to it "
			   "meanwhile; it may be part of a RAID controller's volume. Give it one "
			   "(modprobe sd_mod; echo %s > /sys/bus/scsi/drivers/sd/bind) and choose "
			   "it again."),
			 rule_name(context, destination, name),
			 context->destination ? context->destination->hctl : "H:C:T:L");
	else if (endpoint_is_sg_only(source) && plan->options.source_backend != BACKEND_SG)
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has no block node: only SCSI commands reach it. Leave "
			   "--source-backend away."),
			 rule_name(context, source, name));
	else if (endpoint_is_sg_only(source))
		rule_say(ret, VERDICT_WARN,
			 _("The source %s has no block node: what uses it is unknown, and so is "
			   "whether it changes while it is read. It may be part of a RAID "
			   "controller's volume."),
			 rule_name(context, source, name));
}

/* Zones that the host may, but need not, write in order (host-aware) take a copy like any disk. */
void rule_destination_host_managed(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	char name[RULE_NAME_MAX];

	if (context->destination && disk_is_host_managed(context->destination))
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is a host-managed zoned disk (SMR or ZNS): it "
			   "refuses writes out of the order of its zones, and a copy needs them. "
			   "Take another disk; as a source it can be read."),
			 rule_name(context, destination, name));
}

void rule_source_host_managed(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *source = &context->plan->source;
	char name[RULE_NAME_MAX];

	if (context->source && disk_is_host_managed(context->source))
		rule_say(ret, VERDICT_WARN,
			 _("The source %s is a host-managed zoned disk (SMR or ZNS): every sector "
			   "of it is read, but a file system made for its zones may not mount on a "
			   "disk without them, nor from an image."),
			 rule_name(context, source, name));
}
