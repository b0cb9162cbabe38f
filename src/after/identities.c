/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "after/after.h"
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
	{ "LVM2_member", .why = N_("vgimportclone gives new ones; the group gets a new name, so "
				   "change fstab, and install the boot loader again.") },
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

struct after_step *after_add(struct after_steps *steps, unsigned partition, const char *format, ...)
{
	struct after_step *step = &steps->items[steps->count];
	va_list args;

	if (steps->count == AFTER_STEPS_MAX) {
		steps->more = true;
		return NULL;
	}
	*step = (struct after_step){ .partition = partition };
	va_start(args, format);
	vsnprintf(step->what, sizeof(step->what), format, args);
	va_end(args);
	steps->count++;
	return step;
}

bool after_range(const struct after_disk *disk, unsigned partition, uint64_t *retstart,
		 uint64_t *retlength)
{
	*retstart = 0;
	*retlength = disk->size;
	if (!partition || disk->is_partition)
		return true;
	for (size_t i = 0; i < disk->count; i++)
		if (disk->partitions[i].number == partition)
			return u64_mul(disk->partitions[i].start, disk->sector_size, retstart) &&
			       u64_mul(disk->partitions[i].sectors, disk->sector_size, retlength) &&
			       *retstart < disk->size && *retlength <= disk->size - *retstart;
	return false;
}

/* A random one, of version 4. */
static int make_uuid(char uuid[static 40])
{
	uint8_t b[16];

	if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
		return -EIO;
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	snprintf(uuid, 40, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
		 b[13], b[14], b[15]);
	return 0;
}

/* A tool with its arguments filled in. */
static int run(const char *const *words, const char *node, unsigned partition, unsigned seconds,
	       struct log *log, struct after_step *step)
{
	char uuid[40], number[12], hex[12];
	const char *argv[WORDS_MAX + 1] = { NULL };
	int r = make_uuid(uuid);

	if (r < 0)
		return r;
	snprintf(number, sizeof(number), "%u", partition);
	snprintf(hex, sizeof(hex), "0x%.8s", uuid);
	for (size_t i = 0; i < WORDS_MAX && words[i]; i++)
		argv[i] = strcmp(words[i], NODE) == 0     ? node
			  : strcmp(words[i], NUMBER) == 0 ? number
			  : strcmp(words[i], UUID) == 0   ? uuid
			  : strcmp(words[i], HEX) == 0    ? hex + 2
			  : strcmp(words[i], OX_HEX) == 0 ? hex
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

static void change(const struct after_disk *disk, const struct changer *changer, unsigned partition,
		   unsigned part_of, struct after_step *step)
{
	uint64_t start = 0, length = 0;
	char node[LOOP_NODE_MAX];
	const char *tool = changer->change[0];

	if (!after_range(disk, part_of, &start, &length)) {
		step->failed = true;
		return;
	}
	CLEANUP(close) int fd = after_loop(disk, start, length, node);
	int r = fd < 0 ? fd : 0;

	if (r < 0)
		tool = "/dev/loop-control";
	if (r == 0 && changer->check[0]) {
		r = run(changer->check, node, partition, CHECK_SECONDS, disk->log, step);
		tool = r >= 0 && r <= changer->check_worst ? tool : changer->check[0];
		r = r > 0 && r <= changer->check_worst ? 0 : r;
	}
	if (r == 0)
		r = run(changer->change, node, partition, CHANGE_SECONDS, disk->log, step);
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

static void say_what(const struct identifier *old, struct after_step *step)
{
	if (old->kind == IDENTIFIER_TABLE)
		snprintf(step->what, sizeof(step->what), _("new identifier of the disk"));
	else if (old->kind == IDENTIFIER_PARTITION)
		snprintf(step->what, sizeof(step->what), _("new PARTUUID of partition %u"),
			 old->partition);
	else
		snprintf(step->what, sizeof(step->what), _("new UUID of partition %u (%s)"),
			 old->partition, old->fs[0] ? old->fs : "?");
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

	*ret = (struct identity_way){ .tool = "", .why = "" };
	if (follows_signature(list, index))
		ret->why = _("It follows from the signature of the disk.");
	else if (changer->why)
		ret->why = _(changer->why);
	else
		ret->tool = changer->change[0];
	ret->missing =
		ret->tool[0] && (after_tool_missing(ret->tool) ||
				 (changer->check[0] && after_tool_missing(changer->check[0])));
}

void after_identities(const struct after_disk *disk, const struct identifiers *old,
		      struct after_steps *steps)
{
	for (size_t i = 0; i < old->count; i++) {
		const struct identifier *item = &old->items[i];
		const struct changer *changer = find(item);
		struct after_step *step;

		if (follows_signature(old, i))
			continue;
		step = after_add(steps, item->partition, "%s", "");
		if (!step)
			return;
		say_what(item, step);
		if (changer->why) {
			step->failed = true;
			text_copy(step->said, sizeof(step->said), _(changer->why));
		} else {
			change(disk, changer, item->partition,
			       item->kind == IDENTIFIER_CONTENTS ? item->partition : 0, step);
		}
	}
}
