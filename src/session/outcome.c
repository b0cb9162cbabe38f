/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is left to do after any copy: first every step without which it does not work, in order. */
#include "session/outcome.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "after/resize_fs.h"
#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"

void outcome_add(struct report *report, const char *format, ...)
{
	char step[REPORT_STEP_MAX];

	if (report->next_count == REPORT_STEPS_MAX)
		return;
	text_vprint(step, sizeof(step), format);
	/* There may be the name of a file in it. */
	text_show(report->next[report->next_count++], REPORT_STEP_MAX, step);
}

/* A format of a table has one %s. */
static void add_about(struct report *report, const char *format, const char *what)
{
	const char *place = strstr(format, "%s");

	if (place)
		outcome_add(report, "%.*s%s%s", (int)(place - format), format, what, place + 2);
}

/* Was a warning that means this accepted before the start? */
static bool was_warned(const struct report *report, enum verdict_means means)
{
	const struct verdict *verdict = verdict_list_find(&report->verdicts, means);

	return verdict && verdict->kind == VERDICT_WARN;
}

/* ---- the table of a clone on a smaller disk ---- */

/* What reaches into the place of the backup table does not fit either. */
static uint64_t room_for_partitions(const struct disk *source, const struct plan *plan)
{
	uint32_t unit = source->identity.logical_sector_size;
	uint64_t sectors = plan->destinations[0].size / unit;
	uint64_t backup = strcmp(source->table, "gpt") == 0 ? disk_gpt_bytes(source) / unit : 0;

	return sectors > backup ? sectors - backup : 0;
}

static void say_lost(const struct disk *source, uint64_t room, const char *node,
		     struct report *report)
{
	char list[160] = "";
	unsigned count = 0;

	for (size_t i = 0; i < source->partition_count; i++) {
		const struct partition *p = &source->partitions[i];

		if (p->start + p->sectors <= room)
			continue;
		if (text_join(list, sizeof(list) - 4, "%u", p->number))
			count++;
	}
	if (count)
		outcome_add(report,
			    P_("Partition %s does not fit on %s: it is lost there, keep the source "
			       "for it.",
			       "Partitions %s do not fit on %s: they are lost there, keep the "
			       "source for them.",
			       count),
			    list, node);
}

/* A complete command or none: half of one could destroy something. */
static void say_rebuild(const struct disk *source, uint64_t room, const char *node,
			struct report *report)
{
	char lines[REPORT_STEP_MAX / 2 - 64] = " -e '^last-lba'", from[128];
	bool fits = text_shell_quote(from, sizeof(from), source->node);

	for (size_t i = 0; i < source->partition_count; i++) {
		const struct partition *p = &source->partitions[i];

		/* Partitions are named by their start: not every one has a node, and sfdisk invents
		 * names. */
		if (p->start + p->sectors > room)
			fits = fits && text_append(lines, sizeof(lines), "",
						   " -e 'start= *%" PRIu64 ",'", p->start);
	}
	if (fits)
		outcome_add(report,
			    _("No system finds a partition on %s before its table is rebuilt:  "
			      "sfdisk --dump %s | grep -v%s | sfdisk --wipe never %s"),
			    node, from, lines, node);
	else
		outcome_add(report,
			    _("No system finds a partition on %s before its table is rebuilt: save "
			      "it with sfdisk --dump %s, delete the line last-lba and those of the "
			      "partitions that do not fit, and give the rest to sfdisk --wipe "
			      "never %s."),
			    node, source->node, node);
}

static void say_smaller(const struct disk *source, struct report *report)
{
	const struct plan *plan = report->plan;
	uint64_t room;

	if (!was_warned(report, MEANS_TABLE_TOO_LONG) || !source ||
	    !source->identity.logical_sector_size)
		return;
	room = room_for_partitions(source, plan);
	say_lost(source, room, plan->destinations[0].node, report);
	if (strcmp(source->table, "gpt") == 0)
		say_rebuild(source, room, plan->destinations[0].node, report);
}

/* ---- what bad areas hurt ---- */

static bool is_hurt(const struct report *report, enum report_hurt_kind kind)
{
	for (size_t i = 0; i < report->hurt_count; i++)
		if (report->hurt[i].kind == kind)
			return true;
	return false;
}

/* By the numbers of the source's partitions as the system knows them: MS-DOS has no second copy. */
static bool say_dos_table(const struct disk *source, const char *node, struct report *report)
{
	char lines[REPORT_STEP_MAX / 2] = "";

	for (size_t i = 0; i < source->partition_count; i++) {
		const struct partition *p = &source->partitions[i];

		if (p->number > 4 || p->extended || strncmp(p->type, "0x", 2) != 0 ||
		    !text_append(lines, sizeof(lines), "",
				 "%s%u:start=%" PRIu64 ",size=%" PRIu64 ",type=%s", i ? "\\n" : "",
				 p->number, p->start, p->sectors, p->type + 2))
			return false;
	}
	if (source->partition_count == 0)
		return false;
	outcome_add(report,
		    _("Write the partition table anew, as it was known before the copy:  printf "
		      "'%s\\n' | sfdisk --wipe never --label dos %s"),
		    lines, node);
	return true;
}

static const char *hurt_table(const struct report *report)
{
	const struct report_hurt *table = report_lost_table(report);

	return table ? table->fs : "";
}

/*
 * What makes a GPT from its backup. Nothing finds a backup inside a larger disk, and sfdisk would
 * take the protective MBR for the table: the backup is shown to it at the end of a smaller one.
 */
static void say_rebuild_gpt(const char *format, bool no_mbr, bool no_gpt, struct report *report)
{
	const struct plan *plan = report->plan;
	bool inside = no_gpt && plan->destinations[0].size > plan->source.size;
	char buffer[160], command[REPORT_STEP_MAX] = "";
	const char *node =
		text_shell_word(buffer, sizeof(buffer), plan->destinations[0].node, "DESTINATION");
	const char *on = inside ? "$l" : node;

	if (inside)
		text_append(command, sizeof(command), "",
			    "l=$(losetup -f --show -b %u --sizelimit %" PRIu64 " %s) && ",
			    plan->sector_size, plan->source.size, node);
	if (no_mbr)
		text_append(command, sizeof(command), "",
			    "echo 1,,ee | sfdisk --wipe never --label dos %s && ", on);
	text_append(command, sizeof(command), "", "sfdisk --relocate gpt-bak-std %s", on);
	if (inside)
		text_append(command, sizeof(command), "",
			    " && losetup -d $l && sfdisk --relocate gpt-bak-std %s", node);
	add_about(report, format, command);
}

static void say_lost_table(const struct disk *source, struct report *report)
{
	char buffer[200];
	const char *node = text_shell_word(buffer, sizeof(buffer),
					   report->plan->destinations[0].node, "DESTINATION");
	const char *type = hurt_table(report);
	bool first = is_hurt(report, REPORT_HURT_MBR), gpt = is_hurt(report, REPORT_HURT_GPT);
	bool backup = is_hurt(report, REPORT_HURT_GPT_BACKUP);

	if (strcmp(type, "dos") == 0 || (backup && (first || gpt))) {
		if (backup || !source || !say_dos_table(source, node, report))
			outcome_add(report,
				    _("There is no second copy of the partition table. To look for "
				      "the partitions and write it anew:  testdisk %s"),
				    node);
	} else if (first) {
		bool known = strcmp(type, "gpt") == 0;

		say_rebuild_gpt(known ? _("Rebuild the partition table from the backup GPT:  %s")
				      : _("If the source had a GPT, this brings it back from its "
					  "backup:  %s"),
				true, gpt || !known, report);
		outcome_add(
			report, "%s",
			_("The boot code of BIOS machines was in the first sector, too: to start "
			  "from it there, install the boot loader again. UEFI does not need it."));
	} else if (gpt || backup) {
		say_rebuild_gpt(gpt ? _("Rebuild the partition table from the backup GPT:  %s")
				    : _("Write the backup GPT anew:  %s"),
				false, gpt, report);
	}
}

static void say_superblock(const struct report_hurt *hurt, const char *node, struct report *report)
{
	static const struct {
		const char *fs, *repair;
	} rows[] = {
		{ "ext2", N_("%s: e2fsck -f finds another superblock and restores the first.") },
		{ "ext3", N_("%s: e2fsck -f finds another superblock and restores the first.") },
		{ "ext4", N_("%s: e2fsck -f finds another superblock and restores the first.") },
		{ "xfs", N_("%s: xfs_repair finds another superblock and restores the first.") },
		{ "btrfs",
		  N_("%s: btrfs rescue super-recover restores the superblock from its copies.") },
		{ "vfat", N_("%s: fsck.vfat restores the boot sector from its copy.") },
		{ "ntfs",
		  N_("%s: testdisk (Advanced, Boot) restores the boot sector from its copy.") },
		{ "exfat",
		  N_("%s: testdisk (Advanced, Boot) restores the boot sector from its copy.") },
		{ "swap", N_("%s: mkswap makes the swap space anew; fstab names its UUID.") },
		{ "LVM2_member", N_("%s: pvcreate --restorefile and vgcfgrestore restore LVM's "
				    "label from /etc/lvm/backup of that system.") },
		{ "crypto_LUKS", N_("%s: without a backup of its header (cryptsetup "
				    "luksHeaderRestore) nobody may be able to unlock it.") },
	};
	const char *repair = N_("%s: the start of its file system is missing. Of ext4, e2fsck -f "
				"finds another superblock, of XFS xfs_repair; of NTFS, testdisk "
				"restores the boot sector from its copy.");
	char where[128];

	if (hurt->partition)
		snprintf(where, sizeof(where), _("partition %u of %.64s"), hurt->partition, node);
	else
		text_copy(where, sizeof(where), node);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].fs, hurt->fs) == 0)
			repair = rows[i].repair;
	add_about(report, _(repair), where);
}

static void say_superblocks(struct report *report)
{
	const char *node = report->plan->destinations[0].node;

	for (size_t i = 0; i < report->hurt_count; i++)
		if (report->hurt[i].kind == REPORT_HURT_FS)
			say_superblock(&report->hurt[i], node, report);
}

static void say_grown(const struct disk *source, unsigned number, struct report *report)
{
	const struct partition *partition = disk_partition(source, number);
	char node[80], command[REPORT_STEP_MAX / 2] = "", why[256];

	grow_fs_node(report->plan, number, node, sizeof(node));
	if (report->grown_fs.uuid[0] && number == report->plan->fitted.grown)
		outcome_add(report,
			    _("The Btrfs in partition %u has another UUID than before, as a tool "
			      "was cut off. With the old disk taken out, give it its own back:  "
			      "btrfstune -f -M %s %s"),
			    number, report->grown_fs.uuid, node);
	if (partition)
		grow_fs_by_hand(partition->fs, node, command, sizeof(command));
	/* The other tools do not look for other disks. */
	if (command[0] && strcmp(partition->fs, "btrfs") == 0)
		outcome_add(report,
			    _("Partition %u has grown, what is in it has not. With the old disk "
			      "taken out (Btrfs would mix them up), grow it:  %s"),
			    number, command);
	else if (command[0])
		outcome_add(report,
			    _("Partition %u has grown, what is in it has not. To grow it:  %s"),
			    number, command);
	else
		outcome_add(report, _("Partition %u has grown, what is in it has not: %s."), number,
			    grow_fs_obstacle(partition ? partition->fs : "", why, sizeof(why)));
}

static void say_grow(const struct disk *source, struct report *report)
{
	const struct fitted *fitted = &report->plan->fitted;

	if (fitted->grown && report->grown_fs.state != GROWN_FS_DONE)
		say_grown(source, fitted->grown, report);
	for (size_t i = 0; i < fitted->part_count; i++)
		if (fitted->parts[i].size > fitted->parts[i].sectors &&
		    fitted->parts[i].number != fitted->grown)
			say_grown(source, fitted->parts[i].number, report);
}

/* ---- all together ---- */

static void say_tables(const struct disk *source, struct report *report)
{
	say_lost_table(source, report);
	say_smaller(source, report);
	/* The command that was advised for the table does this, too. */
	if (is_hurt(report, REPORT_HURT_MBR) || is_hurt(report, REPORT_HURT_GPT) ||
	    is_hurt(report, REPORT_HURT_GPT_BACKUP))
		return;
	if (was_warned(report, MEANS_BACKUP_GPT_INSIDE))
		say_rebuild_gpt(source && source->gpt_from_backup
					? _("Rebuild the partition table from the backup GPT:  %s")
					: _("Move the backup GPT to the end of the disk:  %s"),
				false, source && source->gpt_from_backup, report);
	else if (was_warned(report, MEANS_BACKUP_GPT_MISSING))
		say_rebuild_gpt(_("Write the backup GPT anew:  %s"), false, false, report);
}

static void say_duplicates(struct report *report)
{
	if (was_warned(report, MEANS_SAME_IDENTIFIERS))
		outcome_add(
			report, "%s",
			_("Source and copy have the same identifiers. Keep them if this disk "
			  "replaces the old one; take the old one out before you start from it."));
}

/* The sentences print no more than that of it. */
#define MAP_WORD_MAX 301

static const char *map_word(const struct report *report, char buffer[static MAP_WORD_MAX])
{
	return text_shell_word(buffer, MAP_WORD_MAX, report->files.map, "MAP");
}

/* With the checks that were lifted for the copy, since they would refuse its rest, too. Those about
 * a source that cannot be read or is in use are asked anew: that may have ended. */
static const char *map_and_lifted(const struct report *report, char buffer[static MAP_WORD_MAX])
{
	size_t length = strlen(map_word(report, buffer));

	for (size_t i = 0; i < report->verdicts.count; i++) {
		const struct verdict *verdict = &report->verdicts.items[i];
		char option[64];
		int more = snprintf(option, sizeof(option), " --allow %s", verdict->rule);

		if (!verdict->lifted || verdict->means == MEANS_SOURCE_WRITTEN ||
		    verdict->flags & RULE_SOURCE_READ || length + (size_t)more >= MAP_WORD_MAX)
			continue;
		text_copy(buffer + length, MAP_WORD_MAX - length, option);
		length += (size_t)more;
	}
	return buffer;
}

/* The copy is not what the source is. */
static void say_again(struct report *report)
{
	char map[MAP_WORD_MAX];

	if (report->job.proof.changed_before)
		outcome_add(report,
			    _("%s was written to while the copy was stopped. See that nobody does "
			      "so again, then copy all of it anew:  clonedeck resume %.300s"),
			    report->plan->source.node, map_word(report, map));
	else if (report->job.proof.changed)
		outcome_add(report,
			    _("Another system or program is writing to %s. Unmount it there, then "
			      "make the copy again."),
			    report->plan->source.node);
	else
		outcome_add(report, "%s",
			    _("Do not rely on this copy: make it again. With --rewrite, "
			      "differences are written again automatically."));
}

/* With the tables of the source still to be written, which are saved beside the map. */
static bool source_went(const struct report *report)
{
	const struct error *error = &report->job.error;

	return report->job.map_safe && error->code == -ENODEV &&
	       error->class == ERROR_CLASS_SOURCE && report->plan->source.kind != ENDPOINT_IMAGE &&
	       report->job.held_areas && !report->job.armed &&
	       verifies_digests(report->plan->options.verify);
}

void outcome_say_next(const struct disk *source, const struct error *close_error,
		      struct report *report)
{
	enum exit_code code = report_exit_code(report);
	bool in_use = report->source_writer[0] && report->job.result != JOB_RESULT_MISMATCH;
	char map[MAP_WORD_MAX];

	if (code == EXIT_MISMATCH && !in_use) {
		say_again(report);
		return;
	}
	if (code != EXIT_COMPLETE && code != EXIT_BAD_AREAS && code != EXIT_MISMATCH) {
		/* An image that was deleted cannot be continued. */
		if (report->job.map_safe && report->job.error.code != -ENOENT)
			outcome_add(report, _("To go on where it ended:  clonedeck resume %.300s"),
				    map_and_lifted(report, map));
		if (source_went(report))
			outcome_add(
				report,
				_("If %s is lost:  clonedeck resume %.300s --allow source-gone  "
				  "writes its tables, so that what was copied of it can be read."),
				report->plan->source.node, map_word(report, map));
		return;
	}
	say_tables(source, report);
	say_grow(source, report);
	say_superblocks(report);
	if (in_use)
		outcome_add(report, "%s",
			    _("Make the copy again while nothing writes to the source: unmounted, "
			      "mounted read-only, or from a snapshot. Or check the file systems of "
			      "the copy before you use them."));
	else if (report->plan->source_time_differs &&
		 report->plan->options.verify != VERIFY_COMPARE)
		outcome_add(report,
			    _("The time at which %.200s was changed last is another one than "
			      "before the copy was stopped: the file was changed, or its file "
			      "system says so since it was mounted anew. What was copied before "
			      "may differ:  clonedeck verify -s SOURCE -d DESTINATION"),
			    report->plan->source.node);
	if (close_error->code)
		outcome_add(report, "%s", close_error->sentence);
	say_duplicates(report);
	boot_check_say(report);
	aftercare_say(report);
}
