/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about contents: what is lost, what stays, what exists twice afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "guard/rules_private.h"
#include "plan/identifiers.h"
#include "plan/picture.h"

static void add_partition(char list[static RULE_LIST_MAX], const struct disk *disk,
			  const struct partition *p)
{
	uint32_t unit = disk->identity.logical_sector_size;
	char label[160] = "";
	uint64_t bytes = 0;

	if (p->label[0])
		snprintf(label, sizeof(label), " \"%.32s\"", p->label);
	u64_mul(p->sectors, unit, &bytes);
	rule_list_add(list, "%u (%s%s %s)", p->number,
		      p->fs[0] ? p->fs : (p->type_name[0] ? p->type_name : "?"), label,
		      UNITS_SHORT(bytes, UNITS_SI, unit));
}

static void say_partition_data(const struct rule_context *c, struct verdict *ret)
{
	const struct partition *p = disk_partition_at(c->destination_disk, c->destination->devno);

	if (!p || !p->fs[0])
		return;
	if (p->label[0])
		rule_say(ret, VERDICT_WARN, _("%s holds %s \"%s\", which will be overwritten."),
			 c->destination->node, p->fs, p->label);
	else
		rule_say(ret, VERDICT_WARN, _("%s holds %s, which will be overwritten."),
			 c->destination->node, p->fs);
}

void rule_destination_holds_data(const struct rule_context *c, struct verdict *ret)
{
	const struct disk *disk = c->destination_contents;
	char list[RULE_LIST_MAX] = "";
	struct lost *lost = NULL;
	size_t count = 0;

	if (!disk)
		return;
	if (c->destination->kind == ENDPOINT_PARTITION) {
		say_partition_data(c, ret);
		return;
	}
	if (picture_lost(c->plan, disk, NULL, &lost, &count) == 0)
		for (size_t i = 0; i < count; i++)
			add_partition(list, disk, lost[i].partition);
	free(lost);
	if (count)
		rule_say(ret, VERDICT_WARN,
			 P_("%s holds %zu partition that will be lost: %s.",
			    "%s holds %zu partitions that will be lost: %s.", count),
			 c->destination_name, count, list);
	else if (disk->whole_label[0])
		rule_say(ret, VERDICT_WARN,
			 _("%s holds %s \"%s\" without a partition table: it will be overwritten."),
			 c->destination_name, disk->whole_fs, disk->whole_label);
	else if (disk->whole_fs[0])
		rule_say(ret, VERDICT_WARN,
			 _("%s holds %s without a partition table: it will be overwritten."),
			 c->destination_name, disk->whole_fs);
	else if (strcmp(disk->table, "?") == 0)
		rule_say(ret, VERDICT_WARN,
			 _("What %s holds could not be read; it will be overwritten."),
			 c->destination_name);
	else if (disk->partition_count == 0)
		rule_say(ret, VERDICT_OK, _("no partition and no file system is known on %s"),
			 c->destination->node);
}

void rule_destination_not_half_made(const struct rule_context *c, struct verdict *ret)
{
	if (c->facts->shows[0])
		rule_say(ret, VERDICT_REFUSE,
			 _("%s holds %s now. The map expects the half-made copy of %s there, which "
			   "shows no table and no file system before it is complete: it was given "
			   "another use, or is another disk. To overwrite it all the same, start "
			   "again with clone."),
			 c->destination_name, c->facts->shows, c->source->node);
}

void rule_partitions_not_copied(const struct rule_context *c, struct verdict *ret)
{
	const struct disk *disk = c->source_contents;
	char list[RULE_LIST_MAX] = "";
	size_t count = 0;

	if (!rule_copies_table(c))
		return;
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];
		const struct fitted_part *made = fitted_find(&c->plan->fitted, p->number);
		/* Of a partition that grows, only the old size is in the source. */
		uint64_t sectors = made && made->size < p->sectors ? made->size : p->sectors;
		uint64_t start, length;

		if (p->extended || !u64_mul(p->start, c->plan->sector_size, &start) ||
		    !u64_mul(sectors, c->plan->sector_size, &length) ||
		    rule_copies(c->plan, start, length))
			continue;
		rule_list_add(list, "%u", p->number);
		count++;
	}
	if (count)
		rule_say(
			ret, VERDICT_WARN,
			P_("The partition table is copied, but %zu partition it names is not, or "
			   "not all of it: number %s. Old data of the destination will show there.",
			   "The partition table is copied, but %zu partitions it names are not, or "
			   "not all of them: numbers %s. Old data of the destination will show "
			   "there.",
			   count),
			count, list);
}

/* The destination's own table has a partition where this byte of the source goes. */
static bool lands_on_partition(const struct rule_context *c, uint64_t start)
{
	const struct disk *disk = c->destination_disk;
	struct extent_bytes e;
	uint64_t at;

	if (!disk || !plan_extent_at(c->plan, start, &e))
		return false;
	for (size_t i = 0; i < disk->partition_count; i++)
		if (u64_mul(disk->partitions[i].start, disk->identity.logical_sector_size, &at) &&
		    at == e.destination + (start - e.source))
			return true;
	return false;
}

void rule_table_not_copied(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;
	const struct disk *disk = c->source_contents;
	char list[RULE_LIST_MAX] = "";

	if (!disk || !endpoint_is_whole_disk(c->source) || c->destination->kind != ENDPOINT_DISK ||
	    rule_copies_table(c))
		return;
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];
		uint64_t start, length;

		if (!p->extended && u64_mul(p->start, plan->sector_size, &start) &&
		    u64_mul(p->sectors, plan->sector_size, &length) && length &&
		    rule_copies(plan, start, length) && !lands_on_partition(c, start))
			rule_list_add(list, "%u", p->number);
	}
	if (list[0])
		rule_say(ret, VERDICT_WARN,
			 _("The partition table is not copied, and the table of %s names no "
			   "partition where these of the source come to lie: %s. No system will "
			   "find them there. Copy the whole disk, or the table with them."),
			 c->destination->node, list);
}

void rule_destination_extended(const struct rule_context *c, struct verdict *ret)
{
	const struct partition *p;

	if (!c->destination_disk || c->destination->kind != ENDPOINT_PARTITION)
		return;
	p = disk_partition_at(c->destination_disk, c->destination->devno);
	if (p && p->extended)
		rule_say(ret, VERDICT_REFUSE,
			 _("%s is an extended partition: it holds nothing but the list of the "
			   "logical ones, which would be lost. Choose one of those."),
			 c->destination->node);
}

void rule_disk_into_partition(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;

	if (endpoint_is_whole_disk(c->source) && c->destination->kind == ENDPOINT_PARTITION &&
	    c->source_contents && c->source_contents->table[0] && plan->extent_count &&
	    plan->extents[0].source_lba == 0)
		rule_say(ret, VERDICT_WARN,
			 _("The whole disk %s, with its partition table, would be copied into the "
			   "partition %s: the system will not see the partitions inside it, and it "
			   "will not boot."),
			 c->source->node, c->destination->node);
}

void rule_partition_onto_disk(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;

	if (c->source->kind == ENDPOINT_PARTITION && c->destination->kind == ENDPOINT_DISK &&
	    plan->extent_count && plan->extents[0].destination_lba == 0)
		rule_say(ret, VERDICT_WARN,
			 _("The contents of the partition %s go to the very start of %s, over its "
			   "partition table. Did you mean a partition of it?"),
			 c->source->node, c->destination->node);
}

/* Signatures that their owners look for at the end of a disk. */
static bool sits_at_the_end(const char *fs)
{
	return text_is_one_of(fs, "linux_raid_member", "zfs_member", "ddf_raid_member",
			      "isw_raid_member");
}

/* An old backup GPT of the destination after everything that is written. */
static bool keeps_backup_gpt(const struct plan *plan, const struct disk *disk)
{
	for (size_t i = 0; i < disk->region_count; i++) {
		const struct region *region = &disk->regions[i];
		uint64_t start;

		if (region->kind == REGION_TABLE_BACKUP &&
		    u64_mul(region->start, disk->identity.logical_sector_size, &start) &&
		    start >= plan_destination_end(plan))
			return true;
	}
	return false;
}

void rule_leftovers(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;
	const struct disk *disk = c->destination_disk;

	if (!plan->whole || c->destination->kind != ENDPOINT_DISK || !disk ||
	    plan_destination_end(plan) >= c->destination->size)
		return;
	if (keeps_backup_gpt(plan, disk))
		rule_say(ret, VERDICT_WARN,
			 _("The old backup GPT at the end of %s stays behind the copy, and a tool "
			   "may bring the old table back. To remove it before the copy:  wipefs -a "
			   "%s"),
			 disk->node, disk->node);
	else if (sits_at_the_end(disk->whole_fs))
		rule_say(ret, VERDICT_WARN,
			 _("The %s signature at the end of %s stays behind the copy, and the disk "
			   "may be taken for a member again. To remove it before the copy:  wipefs "
			   "-a %s"),
			 disk->whole_fs, disk->node, disk->node);
}

/* What stays there may be private data of an earlier owner. */
void rule_free_places_left(const struct rule_context *c, struct verdict *ret)
{
	if (!plan_left_out(c->plan) || c->plan->options.free != FREE_LEAVE ||
	    !c->destination->exists)
		return;
	rule_say(ret, VERDICT_WARN,
		 _("%s of the source are free and not copied, and there %s keeps what it holds "
		   "now: who gets the copy gets that old data, too. --free=zero overwrites it."),
		 UNITS_LONG(plan_free_bytes(c->plan), UNITS_SI, 512), c->destination_name);
}

/* A partition without a file system is what many disks have. */
void rule_copied_whole(const struct rule_context *c, struct verdict *ret)
{
	if (c->facts->whole[0])
		rule_say(ret, c->facts->whole_known ? VERDICT_WARN : VERDICT_OK,
			 _("What is used cannot be told for certain, so all of it is copied: %s."),
			 c->facts->whole);
}

/* Data that turns out to be missing may not be readable any more by then. */
void rule_source_failing(const struct rule_context *c, struct verdict *ret)
{
	if (!c->facts->source_fails)
		return;
	if (!plan_spares_source(&c->plan->options))
		rule_say(ret, VERDICT_WARN,
			 _("%s is failing, or has weak sectors: any read may be its last. The "
			   "preset Failing (--preset failing) copies first what matters most, and "
			   "wears the disk least."),
			 c->source_name);
	else if (plan_left_out(c->plan))
		rule_say(ret, VERDICT_WARN,
			 _("%s is failing, and its free places are not copied: what somebody "
			   "deleted and wants back will be lost with it. --used=first copies "
			   "everything, and what is used before the rest."),
			 c->source_name);
}

void rule_source_table_broken(const struct rule_context *c, struct verdict *ret)
{
	const struct disk *disk = c->source_contents;

	if (disk && disk->note_count && endpoint_is_whole_disk(c->source))
		rule_say(ret, VERDICT_WARN,
			 _("The partition table of the source %s has a fault, which is copied as "
			   "it is: %s"),
			 c->source->node, disk->notes[0].text);
}

/* Identifiers are near the start of a file system or table, so who copies that copies them. */
static bool copies_start(const struct rule_context *c, uint64_t start_bytes)
{
	return rule_copies(c->plan, start_bytes, c->plan->sector_size);
}

static bool partition_copied(const struct rule_context *c, const struct partition *p)
{
	uint64_t start;

	if (c->source->kind == ENDPOINT_PARTITION)
		return p->devno == c->source->devno && copies_start(c, 0);
	return u64_mul(p->start, c->plan->sector_size, &start) && copies_start(c, start);
}

/* The kernel may not have read the table. */
static void partition_name(const struct disk *disk, const struct partition *p,
			   char name[static RULE_NAME_MAX])
{
	if (p->node[0])
		text_copy(name, RULE_NAME_MAX, p->node);
	else
		snprintf(name, RULE_NAME_MAX, _("partition %u of %s"), p->number, disk->node);
}

#define TYPE(name) ((const char *const[]){ (name), NULL })

/* Lists what of the source has one of the types and is copied; false when nothing. */
static bool find_types(const struct rule_context *c, const char *const *types,
		       char list[static RULE_LIST_MAX])
{
	const struct disk *disk = c->source_disk;
	char name[RULE_NAME_MAX];

	list[0] = '\0';
	if (!disk || !endpoint_is_device(c->destination))
		return false;
	for (; *types; types++) {
		if (c->source->kind == ENDPOINT_DISK && strcmp(disk->whole_fs, *types) == 0 &&
		    copies_start(c, 0))
			rule_list_add(list, "%s", disk->node);
		for (size_t i = 0; i < disk->partition_count; i++) {
			const struct partition *p = &disk->partitions[i];

			if (strcmp(p->fs, *types) != 0 || !partition_copied(c, p))
				continue;
			partition_name(disk, p, name);
			if (p->label[0])
				rule_list_add(list, "%s \"%.32s\"", name, p->label);
			else
				rule_list_add(list, "%s", name);
		}
	}
	return list[0] != '\0';
}

/* Decides nothing: says what can be expected of the copy. */
void rule_source_boots(const struct rule_context *c, struct verdict *ret)
{
	if (c->facts->boots[0])
		rule_say(ret, VERDICT_OK, _("what can start a machine: %.360s"), c->facts->boots);
}

/* New identifiers are not advised here: the boot loader and fstab of the copy name the old ones. */
static void say_duplicate(const struct rule_context *c, const char *what, struct verdict *ret)
{
	struct identifiers shared;
	char list[120];

	identifiers_find(c->plan, c->source_disk, &c->facts->volumes, &shared);
	identifiers_print(&shared, list, sizeof(list));
	rule_say(ret, VERDICT_WARN,
		 _("Afterwards %s and its copy on %s have the same identifiers%s%s%s. Keep them if "
		   "this disk replaces the old one; take the old one out before you start from it. "
		   "With both attached, a system may start or mount either."),
		 what, c->destination->disk_node, list[0] ? " (" : "", list, list[0] ? ")" : "");
}

/* A file system without a partition gets no new identifier. */
static bool gets_new_ones(const struct rule_context *c)
{
	return c->plan->options.identities != IDENTITIES_KEEP && c->source_contents &&
	       c->source_contents->partition_count;
}

/* Is there an LVM member whose volumes cannot all be looked into? */
static bool has_closed_group(const struct rule_context *c)
{
	for (size_t i = 0; i < c->source_contents->partition_count; i++) {
		const struct partition *p = &c->source_contents->partitions[i];
		const struct volume_group *group = lvm_group(&c->facts->volumes, p->number);

		if (strcmp(p->fs, "LVM2_member") == 0 && partition_copied(c, p) &&
		    !(group && group->reachable))
			return true;
	}
	return false;
}

void rule_new_identities(const struct rule_context *c, struct verdict *ret)
{
	const char *const closed[] = { "crypto_LUKS", "linux_raid_member",
				       gets_new_ones(c) && has_closed_group(c) ? "LVM2_member"
									       : NULL,
				       NULL };
	char list[RULE_LIST_MAX];

	if (c->plan->options.identities == IDENTITIES_KEEP)
		return;
	if (c->destination->kind == ENDPOINT_IMAGE) {
		rule_say(ret, VERDICT_REFUSE, "%s",
			 _("Only a disk or a partition gets new identifiers, not an image. Keep "
			   "them (--identities=keep), and choose new ones when the image is copied "
			   "to a disk."));
		return;
	}
	if (!gets_new_ones(c)) {
		rule_say(ret, VERDICT_REFUSE,
			 c->source_contents && strcmp(c->source_contents->table, "?") == 0
				 ? _("The partitions of %s are not known, since its table could "
				     "not be read: new identifiers are given only to partitions "
				     "and what they hold. Keep them (--identities=keep).")
				 : _("%s has no partitions: new identifiers are given only to "
				     "partitions and what they hold. Keep them "
				     "(--identities=keep)."),
			 c->source_name);
		return;
	}
	if (find_types(c, closed, list) && c->facts->starts)
		rule_say(ret, VERDICT_WARN,
			 _("If the system is in %s (no fstab is found outside), the copy on %s "
			   "keeps "
			   "what it finds its disks by, and so starts, alone: only the disk GUID "
			   "of a "
			   "GPT is new, and both disks must never meet in one machine. Otherwise "
			   "all "
			   "identifiers are new; the report lists files that name old ones."),
			 list, c->destination->disk_node);
	else if (list[0])
		rule_say(
			ret, VERDICT_WARN,
			_("The copy on %s gets new identifiers when it is complete. What is in %s "
			  "cannot be searched or changed while it is closed: a system there starts "
			  "from the copy only when its fstab, crypttab and initramfs have the new "
			  "ones, too; the report says how. Keep them (--identities=keep) where the "
			  "copy is to start as it is."),
			c->destination->disk_node, list);
	else
		rule_say(ret, VERDICT_WARN,
			 _("The copy on %s gets new identifiers when it is complete, and may then "
			   "not start: its boot loader, fstab, crypttab or initramfs may name the "
			   "old ones. The report lists the files; --identities=new,rewrite changes "
			   "them, but for the initramfs."),
			 c->destination->disk_node);
}

void rule_duplicate_identities(const struct rule_context *c, struct verdict *ret)
{
	const struct disk *disk = c->source_disk;
	char name[RULE_NAME_MAX];

	if (!disk || !endpoint_is_device(c->destination) ||
	    c->plan->options.identities != IDENTITIES_KEEP)
		return;
	if (rule_copies_table(c) && disk->table_uuid[0]) {
		say_duplicate(c, disk->node, ret);
		return;
	}
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];

		if (!p->uuid[0] || !partition_copied(c, p))
			continue;
		partition_name(disk, p, name);
		say_duplicate(c, name, ret);
		return;
	}
	/* A file system, LUKS or a member of something without a partition. */
	if (c->source->kind == ENDPOINT_DISK && disk->whole_fs[0] && copies_start(c, 0))
		say_duplicate(c, disk->node, ret);
}

void rule_duplicate_btrfs(const struct rule_context *c, struct verdict *ret)
{
	char list[RULE_LIST_MAX];

	if (!gets_new_ones(c) && find_types(c, TYPE("btrfs"), list))
		rule_say(
			ret, VERDICT_WARN,
			_("btrfs on %s: never mount it while source and copy are both attached, "
			  "the kernel mixes them up and damages both. Take one of them out first."),
			list);
}

void rule_duplicate_lvm(const struct rule_context *c, struct verdict *ret)
{
	char list[RULE_LIST_MAX];

	if (find_types(c, TYPE("LVM2_member"), list))
		rule_say(ret, VERDICT_WARN,
			 _("LVM on %s: with both disks attached LVM refuses the volume group or "
			   "takes the wrong one. Take one of them out first."),
			 list);
}

void rule_duplicate_md(const struct rule_context *c, struct verdict *ret)
{
	char list[RULE_LIST_MAX];

	if (find_types(c, TYPE("linux_raid_member"), list))
		rule_say(ret, VERDICT_WARN,
			 _("RAID member on %s: the array may be assembled from the copy. Take one "
			   "of them out before the next start."),
			 list);
}

void rule_duplicate_xfs(const struct rule_context *c, struct verdict *ret)
{
	char list[RULE_LIST_MAX];

	if (!gets_new_ones(c) && find_types(c, TYPE("xfs"), list))
		rule_say(ret, VERDICT_WARN,
			 _("XFS on %s: the kernel refuses to mount two with the same UUID. Take "
			   "one of them out, or look at the copy with mount -o ro,nouuid."),
			 list);
}
