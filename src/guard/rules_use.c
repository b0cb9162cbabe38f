/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about who uses an end: mounts, swap, holders, the running system. */
#include <string.h>

#include "base/i18n.h"
#include "guard/rules_private.h"

/* A use of the whole disk concerns its partitions; one of another partition does not. An
 * exclusive open seen on the disk's node is only the shadow of whatever holds a partition. */
static bool concerns(const struct use *use, const struct use_list *all,
		     const struct endpoint *endpoint)
{
	if (endpoint->kind == ENDPOINT_DISK)
		return true;
	if (strcmp(use->node, endpoint->node) == 0)
		return true;
	if (strcmp(use->node, endpoint->disk_node) != 0)
		return false;
	return use->kind != USE_EXCLUSIVE || all->count == 1;
}

static const struct use *find_use(const struct disk *disk, const struct endpoint *endpoint,
				  unsigned kinds, char list[static RULE_LIST_MAX])
{
	const struct use *first = NULL;

	list[0] = '\0';
	if (!disk || !rule_is_device(endpoint))
		return NULL;
	for (size_t i = 0; i < disk->in_use.count; i++) {
		const struct use *use = &disk->in_use.items[i];

		if (!(kinds & 1U << use->kind) || !concerns(use, &disk->in_use, endpoint))
			continue;
		if (!first)
			first = use;
		if (use->what[0] && strcmp(use->what, use->node) != 0)
			rule_list_add(list, "%s: %s", use->node, use->what);
		else
			rule_list_add(list, "%s", use->node);
	}
	return first;
}

void rule_destination_boot(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	char list[RULE_LIST_MAX], name[RULE_NAME_MAX];

	if (find_use(context->destination, destination, 1U << USE_BOOT, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The running system is on %s (%s). It can never be the destination."),
			 rule_name(context, destination, name), list);
}

void rule_destination_on_boot_disk(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	char list[RULE_LIST_MAX];

	if (destination->kind != ENDPOINT_PARTITION || !context->destination)
		return;
	if (find_use(context->destination, destination, 1U << USE_BOOT, list))
		return;
	for (size_t i = 0; i < context->destination->in_use.count; i++) {
		const struct use *use = &context->destination->in_use.items[i];

		if (use->kind != USE_BOOT)
			continue;
		rule_say(ret, VERDICT_WARN,
			 _("%s is on the disk of the running system (%s). Make sure that it is "
			   "the partition you mean."),
			 destination->node, use->node);
		return;
	}
}

void rule_destination_mounted(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	char list[RULE_LIST_MAX], name[RULE_NAME_MAX];

	if (find_use(context->destination, destination, 1U << USE_MOUNT, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is mounted (%s). Unmount it with umount first."),
			 rule_name(context, destination, name), list);
}

void rule_destination_swap(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	char list[RULE_LIST_MAX], name[RULE_NAME_MAX];

	if (context->facts->destination_swap)
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is an active swap file. Turn that off with swapoff "
			   "first."),
			 rule_name(context, destination, name));
	else if (find_use(context->destination, destination, 1U << USE_SWAP, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is used as swap (%s). Turn that off with swapoff "
			   "first."),
			 rule_name(context, destination, name), list);
}

/* bcache holds its disks also before, and after, anything stands upon them. */
static void say_bcache(const struct use *use, const char *name, const char *list,
		       struct verdict *ret)
{
	const char *slash = strrchr(use->node, '/');
	const char *block = slash ? slash + 1 : use->node;

	rule_say(ret, VERDICT_REFUSE,
		 _("bcache uses the destination %s (%s). Release it first: echo 1 > "
		   "/sys/class/block/%s/bcache/stop, or if it is the cache, to bcache/set/stop "
		   "there."),
		 name, list, block);
}

static void say_held(const struct use *use, const char *name, const char *list, struct verdict *ret)
{
	switch (use->kind) {
	case USE_DM:
		rule_say(ret, VERDICT_REFUSE,
			 _("The device mapper holds the destination %s (%s). Release it first: "
			   "vgchange -an for LVM, cryptsetup close for encryption, multipath -f "
			   "for multipath, dmsetup remove for the rest."),
			 name, list);
		break;
	case USE_MD:
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is part of a RAID array (%s). Stop the array with "
			   "mdadm --stop first."),
			 name, list);
		break;
	case USE_LOOP:
		rule_say(ret, VERDICT_REFUSE,
			 _("A file on the destination %s backs another device (%s). Detach that "
			   "first (losetup -d, swapoff for zram)."),
			 name, list);
		break;
	default:
		if (strncmp(use->what, "bcache", strlen("bcache")) == 0) {
			say_bcache(use, name, list, ret);
			break;
		}
		rule_say(ret, VERDICT_REFUSE,
			 _("Another device is built upon the destination %s (%s). Take that apart "
			   "first."),
			 name, list);
		break;
	}
}

static void endpoint_with(const struct disk *disk, dev_t devno, struct endpoint *ret)
{
	endpoint_from_disk(disk, ret);
	for (size_t i = 0; i < disk->partition_count; i++)
		if (disk->partitions[i].devno == devno)
			endpoint_from_partition(disk, &disk->partitions[i], ret);
}

/* A loop device over a disk keeps nobody away from the disk. */
static void say_used_below(const struct rule_context *context, struct verdict *ret)
{
	const struct guard_place *below = &context->facts->destination_below;
	char list[RULE_LIST_MAX], name[RULE_NAME_MAX];

	if (!context->destination || context->destination->kind != DISK_LOOP)
		return;
	for (size_t i = 0; i < below->below_count && !ret->sentence[0]; i++) {
		const struct disk *disk =
			disk_list_find(context->facts->disks, below->below[i].disk);
		struct endpoint under;

		if (!disk || below->below[i].by_file)
			continue;
		endpoint_with(disk, below->below[i].devno, &under);
		if (find_use(disk, &under, ~(1U << USE_LOOP), list))
			rule_say(
				ret, VERDICT_REFUSE,
				_("The destination %s stands for %s, which is in use (%s). Release "
				  "that first."),
				rule_name(context, &context->plan->destination, name), under.node,
				list);
	}
}

void rule_destination_held(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	char list[RULE_LIST_MAX], name[RULE_NAME_MAX];
	const char *loop = context->facts->destination_loop;
	const struct use *use =
		find_use(context->destination, destination,
			 1U << USE_DM | 1U << USE_MD | 1U << USE_BCACHE | 1U << USE_LOOP, list);

	/* Another rule reports the same file. */
	if (loop[0] && !context->facts->same_storage)
		rule_say(ret, VERDICT_REFUSE,
			 destination->kind == ENDPOINT_IMAGE
				 ? _("The image %s is attached as the disk %s, which may be in "
				     "use. Detach that first (losetup -d %s).")
				 : _("The file below %s is attached as the disk %s, too, which may "
				     "be in use. Detach that first (losetup -d %s)."),
			 destination->node, loop, loop);
	if (use)
		say_held(use, rule_name(context, destination, name), list, ret);
	else
		say_used_below(context, ret);
}

void rule_destination_exclusive(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	char list[RULE_LIST_MAX], name[RULE_NAME_MAX];

	if (!context->destination)
		return;
	const struct use *use =
		find_use(context->destination, destination, 1U << USE_EXCLUSIVE, list);
	const char *copy = use ? use->what : context->destination->read_by;

	if (copy[0])
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is busy: %s. Wait until that has ended, or stop it "
			   "(kill sends it SIGTERM; what is done can be resumed)."),
			 rule_name(context, destination, name), copy);
	else if (use)
		rule_say(ret, VERDICT_REFUSE,
			 _("Another program holds the destination %s open exclusively (%s), or it "
			   "is mounted where this program cannot see it (a container, an imported "
			   "ZFS pool). Find it with fuser, lsof or lsns and release it."),
			 rule_name(context, destination, name), list);
	else if (context->facts->root && !find_use(context->destination, destination, ~0U, list))
		rule_say(ret, VERDICT_OK, _("no mount, swap, md, dm or open holder on %s"),
			 destination->node);
}

void rule_destination_read_only(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *destination = &context->plan->destination;
	char name[RULE_NAME_MAX];

	if (context->destination && context->destination->read_only == YES)
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is read-only. Look for a write-protect switch, or "
			   "clear the kernel's flag with blockdev --setrw %s."),
			 rule_name(context, destination, name), destination->node);
}

void rule_source_mounted(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *source = &context->plan->source;
	const char *where = context->facts->source_writers.mount;
	char name[RULE_NAME_MAX];

	if (where[0])
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s is mounted read-write (%.160s): a copy made now mixes "
			   "several moments. Unmount it, or remount it read-only (mount -o "
			   "remount,ro); or copy a snapshot of it (LVM, dm; fsfreeze while it is "
			   "made), or start from a rescue stick. As it is: --allow "
			   "source-mounted."),
			 rule_name(context, source, name), where);
}

void rule_source_in_use(const struct rule_context *context, struct verdict *ret)
{
	const struct endpoint *source = &context->plan->source;
	const struct source_writers *writers = &context->facts->source_writers;
	char list[RULE_LIST_MAX], name[RULE_NAME_MAX];

	rule_name(context, source, name);
	if (writers->other[0])
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s can be written to at any moment: %s. A copy made now "
			   "mixes several moments. End that first, or copy a snapshot. As it is: "
			   "--allow source-in-use."),
			 name, writers->other);
	else if (find_use(context->source, source, 1U << USE_SWAP, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s is used as swap (%s): a copy made now mixes several "
			   "moments. Turn that off with swapoff first. As it is: --allow "
			   "source-in-use."),
			 name, list);
	else if (find_use(context->source, source, 1U << USE_BCACHE | 1U << USE_EXCLUSIVE, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s is held by something that may write to it (%s): bcache, "
			   "a pool of ZFS, a mount in a container. A copy made now could mix "
			   "several moments. Release it first (fuser, lsof and lsns find it). As "
			   "it is: --allow source-in-use."),
			 name, list);
	else if (!writers->mount[0] && find_use(context->source, source,
						1U << USE_DM | 1U << USE_MD | 1U << USE_LOOP, list))
		rule_say(ret, VERDICT_WARN,
			 _("Other devices are built upon the source %s (%s). Nobody writes to them "
			   "now: leave it so until the copy has ended."),
			 name, list);
}

void rule_without_root(const struct rule_context *context, struct verdict *ret)
{
	if (!context->facts->root &&
	    (rule_is_device(&context->plan->source) || rule_is_device(&context->plan->destination)))
		rule_say(ret, VERDICT_WARN,
			 _("This was checked without root privileges: file systems and open "
			   "holders may be missing. Start clonedeck as root."));
}
