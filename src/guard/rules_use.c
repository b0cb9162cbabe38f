/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about who uses an end (mounts, swap, the running system), and how it is reached. */
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "guard/rules_private.h"

/* A use of the whole disk also concerns each partition; a use of another partition does not. While
 * one partition is in use, the kernel also refuses to open the whole disk exclusively: so that
 * counts only if there is no other use. */
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
	if (!disk || !endpoint_is_device(endpoint))
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

void rule_destination_boot(const struct rule_context *c, struct verdict *ret)
{
	char list[RULE_LIST_MAX];

	if (find_use(c->destination_disk, c->destination, 1U << USE_BOOT, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The running system is on %s (%s). It can never be the destination."),
			 c->destination_name, list);
}

void rule_destination_on_boot_disk(const struct rule_context *c, struct verdict *ret)
{
	const struct use *boot;
	char list[RULE_LIST_MAX];

	if (c->destination->kind != ENDPOINT_PARTITION || !c->destination_disk)
		return;
	if (find_use(c->destination_disk, c->destination, 1U << USE_BOOT, list))
		return;
	boot = use_list_find(&c->destination_disk->in_use, USE_BOOT);
	if (boot)
		rule_say(ret, VERDICT_WARN,
			 _("%s is on the disk of the running system (%s). Make sure that it is the "
			   "partition you mean."),
			 c->destination->node, boot->node);
}

void rule_destination_mounted(const struct rule_context *c, struct verdict *ret)
{
	char list[RULE_LIST_MAX];

	if (find_use(c->destination_disk, c->destination, 1U << USE_MOUNT, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is mounted (%s). Unmount it with umount first."),
			 c->destination_name, list);
}

void rule_destination_swap(const struct rule_context *c, struct verdict *ret)
{
	char list[RULE_LIST_MAX];

	if (c->facts->destination_swap)
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is an active swap file. Turn that off with swapoff "
			   "first."),
			 c->destination_name);
	else if (find_use(c->destination_disk, c->destination, 1U << USE_SWAP, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is used as swap (%s). Turn that off with swapoff "
			   "first."),
			 c->destination_name, list);
}

/* bcache keeps its disks open even while no device is built upon them. */
static void say_bcache(const struct use *use, const char *name, const char *list,
		       struct verdict *ret)
{
	rule_say(ret, VERDICT_REFUSE,
		 _("bcache uses the destination %s (%s). Release it first:  echo 1 > "
		   "/sys/class/block/%s/bcache/stop  or if it is the cache, to bcache/set/stop "
		   "there."),
		 name, list, text_base_name(use->node));
}

static void say_held(const struct use *use, const char *name, const char *list, struct verdict *ret)
{
	switch (use_is_by_device(use) ? USE_BCACHE : use->kind) {
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
	const struct partition *partition = disk_partition_at(disk, devno);

	if (partition)
		endpoint_from_partition(disk, partition, ret);
	else
		endpoint_from_disk(disk, ret);
}

/* A loop device over a disk does not open it exclusively, so others may use the disk below. */
static void say_used_below(const struct rule_context *c, struct verdict *ret)
{
	const struct guard_place *below = &c->facts->destination_below;
	char list[RULE_LIST_MAX];

	if (!c->destination_disk || c->destination_disk->kind != DISK_LOOP)
		return;
	for (size_t i = 0; i < below->below_count && !ret->sentence[0]; i++) {
		const struct disk *disk = disk_list_find(c->facts->disks, below->below[i].disk);
		struct endpoint under;

		if (!disk || below->below[i].by_file)
			continue;
		endpoint_with(disk, below->below[i].devno, &under);
		if (find_use(disk, &under, ~(1U << USE_LOOP), list))
			rule_say(ret, VERDICT_REFUSE,
				 _("The destination %s stands for %s, which is in use (%s). "
				   "Release that first."),
				 c->destination_name, under.node, list);
	}
}

void rule_destination_held(const struct rule_context *c, struct verdict *ret)
{
	char list[RULE_LIST_MAX];
	const char *loop = c->facts->destination_loop;
	const struct use *use =
		find_use(c->destination_disk, c->destination,
			 1U << USE_DM | 1U << USE_MD | 1U << USE_BCACHE | 1U << USE_LOOP, list);

	/* Another rule reports the same file. */
	if (loop[0] && !c->facts->same_storage)
		rule_say(ret, VERDICT_REFUSE,
			 c->destination->kind == ENDPOINT_IMAGE
				 ? _("The image %s is attached as the disk %s, which may be in "
				     "use. Detach that first:  losetup -d %s")
				 : _("The file below %s is attached as the disk %s, too, which may "
				     "be in use. Detach that first:  losetup -d %s"),
			 c->destination->node, loop, loop);
	if (use)
		say_held(use, c->destination_name, list, ret);
	else
		say_used_below(c, ret);
}

void rule_destination_exclusive(const struct rule_context *c, struct verdict *ret)
{
	char list[RULE_LIST_MAX];

	if (!c->destination_disk)
		return;
	const struct use *use =
		find_use(c->destination_disk, c->destination, 1U << USE_EXCLUSIVE, list);
	const char *copy = use ? use->what : c->destination_disk->read_by;

	if (copy[0])
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is busy: %s. Wait until that has ended, or stop it "
			   "(kill sends it SIGTERM; what is done can be resumed)."),
			 c->destination_name, copy);
	else if (use)
		rule_say(ret, VERDICT_REFUSE,
			 _("Another program holds the destination %s open exclusively (%s), or it "
			   "is mounted where this program cannot see it (a container, an imported "
			   "ZFS pool). Find it with fuser, lsof or lsns and release it."),
			 c->destination_name, list);
	else if (c->facts->destination_writers.other[0])
		rule_say(ret, VERDICT_WARN,
			 _("Another program can write to the destination %s at any moment: %s. End "
			   "that first, or the copy may differ."),
			 c->destination_name, c->facts->destination_writers.other);
	else if (c->facts->root && !find_use(c->destination_disk, c->destination, ~0U, list))
		rule_say(ret, VERDICT_OK, _("no mount, swap, md, dm or open holder on %s"),
			 c->destination->node);
}

void rule_destination_read_only(const struct rule_context *c, struct verdict *ret)
{
	if (c->destination_disk && c->destination_disk->read_only == YES)
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is read-only. Look for a write-protect switch, or "
			   "clear the kernel's flag:  blockdev --setrw %s"),
			 c->destination_name, c->destination->node);
}

void rule_source_mounted(const struct rule_context *c, struct verdict *ret)
{
	const char *where = c->facts->source_writers.mount;

	if (where[0])
		rule_say(
			ret, VERDICT_REFUSE,
			_("The source %s is mounted read-write (%.160s): a copy made now mixes "
			  "several moments. Unmount it, or remount it read-only (mount -o "
			  "remount,ro); or copy a snapshot of it (LVM, dm; fsfreeze while it is "
			  "made), or start from a rescue stick. As it is: --allow source-mounted."),
			c->source_name, where);
}

void rule_source_in_use(const struct rule_context *c, struct verdict *ret)
{
	const struct end_writers *writers = &c->facts->source_writers;
	char list[RULE_LIST_MAX];

	if (writers->other[0])
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s can be written to at any moment: %s. A copy made now "
			   "mixes several moments. End that first, or copy a snapshot. As it is: "
			   "--allow source-in-use."),
			 c->source_name, writers->other);
	else if (find_use(c->source_disk, c->source, 1U << USE_SWAP, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s is used as swap (%s): a copy made now mixes several "
			   "moments. Turn that off with swapoff first. As it is: --allow "
			   "source-in-use."),
			 c->source_name, list);
	else if (find_use(c->source_disk, c->source, 1U << USE_BCACHE | 1U << USE_EXCLUSIVE, list))
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s is held by something that may write to it (%s): bcache, "
			   "a pool of ZFS, a mount in a container. A copy made now could mix "
			   "several moments. Release it first (fuser, lsof and lsns find it). As "
			   "it is: --allow source-in-use."),
			 c->source_name, list);
	else if (!writers->mount[0] && find_use(c->source_disk, c->source,
						1U << USE_DM | 1U << USE_MD | 1U << USE_LOOP, list))
		rule_say(ret, VERDICT_WARN,
			 _("Other devices are built upon the source %s (%s). Nobody writes to them "
			   "now: leave it so until the copy has ended."),
			 c->source_name, list);
}

void rule_without_root(const struct rule_context *c, struct verdict *ret)
{
	if (!c->facts->root &&
	    (endpoint_is_device(c->source) || endpoint_is_device(c->destination)))
		rule_say(ret, VERDICT_WARN,
			 _("This was checked without root privileges: file systems and open "
			   "holders may be missing. Start clonedeck as root."));
}

/* ---- how an end is reached: this would fail at the start, or at the first write ---- */

static void say_unreachable(const struct rule_context *c, const struct endpoint *endpoint,
			    const struct disk *disk, const char *option, struct verdict *ret)
{
	if (!endpoint_is_device(endpoint)) {
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
	} else if (c->plan->options.sg_data == SG_DATA_MMAP) {
		/* The other kinds of sg I/O work by SG_IO on the block node. */
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has no sg node, and --sg-io mmap needs one. Load the driver "
			   "(modprobe sg), or leave --sg-io mmap away."),
			 endpoint->node);
	}
}

void rule_sg_backend(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;

	if (plan->options.source_backend == BACKEND_SG)
		say_unreachable(c, c->source, c->source_disk, "--source-backend", ret);
	if (plan->options.destination_backend == BACKEND_SG && !ret->sentence[0])
		say_unreachable(c, c->destination, c->destination_disk, "--destination-backend",
				ret);
}

void rule_block_node(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;

	if (endpoint_is_sg_only(c->destination))
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has no block node, so nothing keeps others from writing to it "
			   "meanwhile; it may be part of a RAID controller's volume. Give it one:  "
			   "modprobe sd_mod; echo %s > /sys/bus/scsi/drivers/sd/bind  and choose "
			   "it again."),
			 c->destination_name,
			 c->destination_disk ? c->destination_disk->hctl : "H:C:T:L");
	else if (endpoint_is_sg_only(c->source) && plan->options.source_backend != BACKEND_SG)
		rule_say(ret, VERDICT_REFUSE,
			 _("%s has no block node: only SCSI commands reach it. Leave "
			   "--source-backend away."),
			 c->source_name);
	else if (endpoint_is_sg_only(c->source))
		rule_say(ret, VERDICT_WARN,
			 _("The source %s has no block node: what uses it is unknown, and so is "
			   "whether it changes while it is read. It may be part of a RAID "
			   "controller's volume."),
			 c->source_name);
}

/* Disks with host-aware zones take writes in any order and are like any other. */
void rule_destination_host_managed(const struct rule_context *c, struct verdict *ret)
{
	if (c->destination_disk && disk_is_host_managed(c->destination_disk))
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is a host-managed zoned disk (SMR or ZNS): it "
			   "refuses writes out of the order of its zones, and a copy needs them. "
			   "Take another disk; as a source it can be read."),
			 c->destination_name);
}

void rule_source_host_managed(const struct rule_context *c, struct verdict *ret)
{
	if (c->source_disk && disk_is_host_managed(c->source_disk))
		rule_say(ret, VERDICT_WARN,
			 _("The source %s is a host-managed zoned disk (SMR or ZNS): every sector "
			   "of it is read, but a file system made for its zones may not mount on a "
			   "disk without them, nor from an image."),
			 c->source_name);
}
