/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "after/after.h"
#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"

#define CHECK_SECONDS  3600
#define CHANGE_SECONDS 1200
#define WORDS_MAX      8

/* Arguments that stand for something. */
#define NODE   "NODE"   /* the loop device */
#define NUMBER "NUMBER" /* of the partition */
#define UUID   "UUID"   /* new ones */
#define HEX    "HEX"
#define OX_HEX "0xHEX"
#define CONFIG "CONFIG" /* for LVM: nothing but the loop device exists */
#define GROUP  "GROUP"  /* its name */

struct changer {
	const char *fs;
	const char *check[WORDS_MAX], *change[WORDS_MAX];
	int check_worst; /* the highest exit status that is a good one */
	const char *why; /* there is no way; N_() */
};

#define EXT_CHECK                                                                                  \
	{                                                                                          \
		"e2fsck", "-f", "-p", NODE                                                         \
	}
#define EXT_CHANGE                                                                                 \
	{                                                                                          \
		"tune2fs", "-U", UUID, NODE                                                        \
	}

static const struct changer changers[] = {
	{ "ext2", EXT_CHECK, EXT_CHANGE, 1 },
	{ "ext3", EXT_CHECK, EXT_CHANGE, 1 },
	{ "ext4", EXT_CHECK, EXT_CHANGE, 1 },
	{ "xfs", { NULL }, { "xfs_admin", "-U", "generate", NODE } },
	{ "btrfs", { NULL }, { "btrfstune", "-f", "-m", NODE } },
	{ "ntfs", { NULL }, { "ntfslabel", "--new-serial", NODE } },
	{ "vfat", { NULL }, { "fatlabel", "-i", NODE, HEX } },
	{ "exfat", { NULL }, { "tune.exfat", "-I", OX_HEX, NODE } },
	{ "swap", { NULL }, { "swaplabel", "-U", UUID, NODE } },
	{ "crypto_LUKS", { NULL }, { "cryptsetup", "-q", "luksUUID", "--uuid", UUID, NODE } },
	{ "LVM2_member",
	  { NULL },
	  { "pvchange", "-u", "-y", "--driverloaded", "n", "--config", CONFIG, NODE } },
	{ "LVM2_group",
	  { NULL },
	  { "vgchange", "-u", "-y", "--driverloaded", "n", "--config", CONFIG, GROUP } },
	{ "linux_raid_member",
	  .why = N_("With the old disk out, mdadm --assemble --update=uuid gives a new one.") },
	{ "f2fs", .why = N_("There is no tool that does it.") },
	{ "", .why = N_("It is not known what has it.") },
};

static const struct changer change_table = {
	"gpt", { NULL }, { "sfdisk", "--no-reread", "--no-tell-kernel", "--disk-id", NODE, UUID }
};
static const struct changer change_signature = {
	"dos", { NULL }, { "sfdisk", "--no-reread", "--no-tell-kernel", "--disk-id", NODE, OX_HEX }
};
static const struct changer change_partition = { "",
						 { NULL },
						 { "sfdisk", "--no-reread", "--no-tell-kernel",
						   "--part-uuid", NODE, NUMBER, UUID } };

/* LVM neither opens another device, nor keeps anything of this one on this machine. */
#define ONLY "=[\"a|^%s$|\",\"r|.*|\"] "
static const char lvm_config[] = "devices { use_devicesfile=0 hints=\"none\" filter" ONLY
				 "global_filter" ONLY "} global { use_lvmlockd=0 use_lvmpolld=0 "
				 "notify_dbus=0 } activation { monitoring=0 } "
				 "backup { backup=0 archive=0 }";

struct after_step *after_add(struct after_steps *steps, unsigned partition, const char *format, ...)
{
	struct after_step *step = &steps->items[steps->count];

	if (steps->count == AFTER_STEPS_MAX) {
		steps->more = true;
		return NULL;
	}
	*step = (struct after_step){ .partition = partition };
	text_vprint(step->what, sizeof(step->what), format);
	steps->count++;
	return step;
}

bool after_range(const struct after_disk *disk, unsigned partition, uint64_t *retstart,
		 uint64_t *retlength)
{
	*retstart = 0;
	/* Not the whole disk: sfdisk writes the backup GPT to the end of what it sees. */
	*retlength = disk->table;
	if (!partition)
		return disk->table > 0;
	for (size_t i = 0; i < disk->count; i++)
		if (disk->partitions[i].number == partition)
			return u64_mul(disk->partitions[i].start, disk->sector_size, retstart) &&
			       u64_mul(disk->partitions[i].sectors, disk->sector_size, retlength) &&
			       *retlength > 0 && *retstart < disk->size &&
			       *retlength <= disk->size - *retstart;
	return false;
}

const char *after_partly_copied(void)
{
	return _("Only a part of it was copied, or to another place.");
}

bool after_is_volume(const struct identifier *item)
{
	return strchr(item->volume, '/') != NULL;
}

bool after_item_range(const struct after_disk *disk, const struct identifier *item,
		      uint64_t *retstart, uint64_t *retlength)
{
	bool inside = item->kind == IDENTIFIER_CONTENTS || item->kind == IDENTIFIER_GROUP;

	if (!after_range(disk, inside ? item->partition : 0, retstart, retlength))
		return false;
	if (!after_is_volume(item))
		return true;
	if (!item->length || item->start > *retlength || item->length > *retlength - item->start)
		return false;
	*retstart += item->start;
	*retlength = item->length;
	return true;
}

/* A random one, of version 4. */
static int make_uuid(char uuid[static UUID_TEXT_MAX])
{
	uint8_t b[16];

	if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
		return -EIO;
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	bytes_uuid(b, uuid);
	return 0;
}

/* A tool with its arguments filled in. */
static int run(const char *const *words, const char *node, const struct identifier *item,
	       unsigned seconds, struct log *log, struct after_step *step)
{
	char uuid[UUID_TEXT_MAX], number[12], hex[12],
		config[sizeof(lvm_config) + 2UL * LOOP_NODE_MAX];
	const char *argv[WORDS_MAX + 1] = { NULL };
	int r = make_uuid(uuid);

	if (r < 0)
		return r;
	snprintf(number, sizeof(number), "%u", item->partition);
	snprintf(config, sizeof(config), lvm_config, node, node);
	snprintf(hex, sizeof(hex), "0x%.8s", uuid);
	for (size_t i = 0; i < WORDS_MAX && words[i]; i++)
		argv[i] = strcmp(words[i], NODE) == 0     ? node
			  : strcmp(words[i], NUMBER) == 0 ? number
			  : strcmp(words[i], UUID) == 0   ? uuid
			  : strcmp(words[i], HEX) == 0    ? hex + 2
			  : strcmp(words[i], OX_HEX) == 0 ? hex
			  : strcmp(words[i], CONFIG) == 0 ? config
			  : strcmp(words[i], GROUP) == 0  ? item->volume
							  : words[i];
	return after_tool(argv, seconds, log, step->said, sizeof(step->said));
}

static void say_failed(int r, const char *tool, struct after_step *step)
{
	char said[sizeof(step->said)];

	text_copy(said, sizeof(said), step->said);
	step->failed = true;
	if (r == -ENOENT)
		snprintf(step->said, sizeof(step->said), _("%s is not installed."), tool);
	else if (r == -ETIMEDOUT)
		snprintf(step->said, sizeof(step->said), _("%s did not end in time."), tool);
	else if (r < 0)
		snprintf(step->said, sizeof(step->said), "%s: %s", tool, error_phrase(r));
	else
		snprintf(step->said, sizeof(step->said), _("%s ended with %d: %.180s"), tool, r,
			 said);
}

static void change(const struct after_disk *disk, const struct changer *changer,
		   const struct identifier *item, struct after_step *step)
{
	struct loop_window window = { .sector_size = disk->sector_size,
				      .locked = text_after(item->fs, "LVM2_") };
	char node[LOOP_NODE_MAX];
	const char *tool = changer->change[0];

	if (!after_item_range(disk, item, &window.start, &window.length)) {
		step->failed = true;
		text_copy(step->said, sizeof(step->said), after_partly_copied());
		return;
	}
	CLEANUP(close) int fd = loop_attach(disk->fd, &window, node);
	int r = fd < 0 ? fd : 0;

	if (r < 0)
		tool = "/dev/loop-control";
	if (r == 0 && changer->check[0]) {
		r = run(changer->check, node, item, CHECK_SECONDS, disk->log, step);
		tool = r >= 0 && r <= changer->check_worst ? tool : changer->check[0];
		r = r > 0 && r <= changer->check_worst ? 0 : r;
	}
	if (r == 0)
		r = run(changer->change, node, item, CHANGE_SECONDS, disk->log, step);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r != 0)
		say_failed(r, tool, step);
}

static const struct changer *find(const struct identifier *old)
{
	const struct changer *changer = changers;

	if (old->kind == IDENTIFIER_TABLE)
		return strcmp(old->fs, "gpt") == 0 ? &change_table : &change_signature;
	if (old->kind == IDENTIFIER_PARTITION)
		return &change_partition;
	while (changer->fs[0] && strcmp(changer->fs, old->fs) != 0)
		changer++;
	return changer;
}

/* NULL: there is a way. N_() */
static const char *find_obstacle(const struct identifier *item, const struct changer *changer)
{
	if (text_after(item->fs, "LVM2_") && item->members != 1)
		return N_("vgimportclone gives new ones; the group gets a new name, so change "
			  "fstab, and install the boot loader again.");
	if (after_is_volume(item) && !item->length)
		return N_("This volume does not lie in one piece, or has snapshots.");
	return changer->why;
}

static void say_what(const struct identifier *old, struct after_step *step)
{
	char what[80];

	snprintf(what, sizeof(what), "%.32s %.44s", old->fs[0] ? old->fs : "?", old->volume);
	text_sanitise(what, sizeof(what), what, sizeof(what));
	if (old->kind == IDENTIFIER_TABLE)
		snprintf(step->what, sizeof(step->what), _("new identifier of the disk"));
	else if (old->kind == IDENTIFIER_PARTITION)
		snprintf(step->what, sizeof(step->what), _("new PARTUUID of partition %u"),
			 old->partition);
	else
		snprintf(step->what, sizeof(step->what), _("new UUID of partition %u (%s)"),
			 old->partition, what);
}

/* With an MBR they follow from the signature of the disk. */
static bool follows_signature(const struct identifiers *list, size_t index)
{
	return list->items[index].kind == IDENTIFIER_PARTITION &&
	       strcmp(list->items[0].fs, "gpt") != 0;
}

void after_identity_way(const struct identifiers *list, size_t index, struct identity_way *ret)
{
	const struct changer *changer = find(&list->items[index]);
	const char *obstacle = find_obstacle(&list->items[index], changer);

	*ret = (struct identity_way){ .tool = "", .why = "" };
	if (follows_signature(list, index))
		ret->why = _("It follows from the signature of the disk.");
	else if (identifiers_kept(list, index))
		ret->why = _("Kept if the system is in what is closed.");
	else if (obstacle)
		ret->why = _(obstacle);
	else
		ret->tool = changer->change[0];
	ret->missing =
		ret->tool[0] && (after_tool_missing(ret->tool) ||
				 (changer->check[0] && after_tool_missing(changer->check[0])));
}

static void give_new_one(const struct after_disk *disk, const struct identifier *item,
			 const char *obstacle, struct after_steps *steps)
{
	const struct changer *changer = find(item);
	struct after_step *step = after_add(steps, item->partition, "%s", "");

	if (!step)
		return;
	say_what(item, step);
	if (!obstacle)
		obstacle = find_obstacle(item, changer);
	if (obstacle) {
		step->failed = true;
		text_copy(step->said, sizeof(step->said), _(obstacle));
	} else {
		change(disk, changer, item, step);
	}
}

static void say_kept(const struct identifiers *list, struct after_steps *steps)
{
	const struct identifier *item = list->items;
	struct after_step *step;

	while (!identifier_closed(item))
		item++;
	step = after_add(steps, item->partition, "%s", _("new UUIDs and PARTUUIDs"));
	if (!step)
		return;
	step->failed = true;
	snprintf(
		step->said, sizeof(step->said),
		_("Kept, so that the copy starts: no fstab was found outside of partition %u (%s), "
		  "and that of a system in it may name them all."),
		item->partition, item->fs);
}

void after_identities(const struct after_disk *disk, const struct identifiers *old,
		      struct after_steps *steps)
{
	if (old->hidden)
		say_kept(old, steps);
	for (size_t i = 0; i < old->count; i++)
		if (old->items[i].kind != IDENTIFIER_GROUP && !follows_signature(old, i) &&
		    !identifiers_kept(old, i))
			give_new_one(disk, &old->items[i], NULL, steps);
}

void after_groups(const struct after_disk *disk, const struct identifiers *changed,
		  struct after_steps *steps)
{
	for (size_t i = 0; i < changed->count; i++) {
		const struct identifier *item = &changed->items[i];

		if (item->kind == IDENTIFIER_GROUP && !identifiers_kept(changed, i))
			give_new_one(disk, item,
				     item->members == 1 && after_grub_is_in(disk, changed, item)
					     ? N_("Kept, so that the copy starts: GRUB for a BIOS "
						  "may find its folder in this group by it.")
					     : NULL,
				     steps);
	}
}
