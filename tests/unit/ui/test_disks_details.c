/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What screen 1 tells of one disk. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/disks/model.h"

#include "machine.h"

static const struct disk_health no_health;

/* Known, still asked, and why it is not known: the line says which; where nobody asked there is
 * none. What matters least stays the last. */
TEST(health_is_known_or_why_not)
{
	struct disk_facts facts;
	struct health health;
	struct disk_list *list;
	const struct disk *disk;
	const char *text;

	list = machine_make("rescue");
	disk = &list->disks[0];
	disk_describe(list, disk, &no_health, &facts);
	for (size_t i = 0; i < facts.count; i++)
		ck_assert_str_ne(facts.facts[i].label, "Health");
	health_clear(&health, NULL);
	disk_describe(list, disk, &(struct disk_health){ &health, true }, &facts);
	ck_assert_str_eq(facts.facts[facts.brief - 2].label, "Health");
	ck_assert_str_eq(facts.facts[facts.brief - 1].label, "Limits");
	text = facts.facts[facts.brief - 2].text;
	ck_assert_str_eq(text, "(being asked)");
	health_clear(&health, "It has locked itself.");
	disk_describe(list, disk, &(struct disk_health){ &health, false }, &facts);
	ck_assert_str_eq(text, "It has locked itself.");
	health.time = 1;
	health.passed = YES;
	health.values[HEALTH_TEMPERATURE] = 31;
	health.values[HEALTH_PENDING] = 2;
	disk_describe(list, disk, &(struct disk_health){ &health, false }, &facts);
	ck_assert_str_eq(text, "passed, pending sectors 2, temperature 31 C");
	disk_list_destroy(list);
}

static const char *fact_of(const struct disk_list *list, const struct disk *disk, const char *label)
{
	static struct disk_facts facts;

	disk_describe(list, disk, &no_health, &facts);
	for (size_t i = 0; i < facts.count; i++)
		if (strcmp(facts.facts[i].label, label) == 0)
			return facts.facts[i].text;
	return NULL;
}

/* What is not known takes no word, and what nothing is known of says so. */
TEST(in_words)
{
	struct disk_list *list = machine_make("rescue");
	struct disk *disk = &list->disks[0];

	ck_assert_str_eq(fact_of(list, disk, "Model"),
			 "ST2000DM008-2FR102, firmware 0001, rotating");
	ck_assert_str_eq(fact_of(list, disk, "Serial"), "ZFL1A2B3, WWN 0x5000c500a1b2c3d4");
	ck_assert_str_eq(fact_of(list, disk, "Size"),
			 "2,000,398,934,016 B = 3,907,029,168 sectors of 512 (physical 4096)");
	ck_assert_str_eq(fact_of(list, disk, "In use"), "no mount, no swap, no holder");
	ck_assert_str_eq(fact_of(list, disk, "Table"),
			 "gpt, 3 partitions: vfat \"ESP\", ext4 \"boot\", LVM2_member \"vg0\"");
	ck_assert_str_eq(fact_of(list, &list->disks[4], "In use"),
			 "sde: running system, sde1: mounted /");
	disk->read_only = YES;
	disk->alignment_offset = 3584;
	disk->medium_present = NO;
	text_copy(disk->zoned, sizeof(disk->zoned), "host-managed");
	ck_assert_str_eq(fact_of(list, disk, "In use"), "read-only, no mount, no swap, no holder");
	ck_assert_str_eq(fact_of(list, disk, "Alignment"), "offset 3584 B");
	ck_assert_str_eq(fact_of(list, disk, "Size"), "no medium in the drive");
	ck_assert_ptr_nonnull(strstr(fact_of(list, disk, "Zones"), "no destination"));
	disk->table[0] = disk->transport[0] = disk->driver[0] = disk->path[0] = '\0';
	disk->identity = (struct identity){ 0 };
	disk->medium_present = YES;
	disk->partition_count = 0;
	text_copy(disk->whole_fs, sizeof(disk->whole_fs), "ext4");
	text_copy(disk->whole_label, sizeof(disk->whole_label), "home");
	ck_assert_str_eq(fact_of(list, disk, "Table"), "none; the whole disk is ext4 \"home\"");
	ck_assert_str_eq(fact_of(list, disk, "Path"), "unknown");
	ck_assert_str_eq(fact_of(list, disk, "Model"), "unknown, rotating");
	ck_assert_str_eq(fact_of(list, disk, "Serial"), "unknown");
	ck_assert_str_eq(fact_of(list, disk, "Size"), "unknown");
	ck_assert_ptr_null(fact_of(list, disk, "diskseq"));
	disk_list_destroy(list);
}

/* More uses than there is room for: it says that there are more. */
TEST(in_use_by_very_much)
{
	struct disk_list *list = machine_make("rescue");
	struct disk *disk = &list->disks[4];
	const struct use mount = disk->in_use.items[1];
	const char *text;

	free(disk->in_use.items);
	disk->in_use = (struct use_list){ calloc(1000, sizeof(mount)), 1000 };
	ck_assert_ptr_nonnull(disk->in_use.items);
	for (size_t i = 0; i < disk->in_use.count; i++)
		disk->in_use.items[i] = mount;
	text = fact_of(list, disk, "In use");
	ck_assert_str_eq(text + strlen(text) - strlen("sde1: mounted /, .."),
			 "sde1: mounted /, ..");
	disk_list_destroy(list);
}

TEST(all_that_is_known)
{
	struct disk_facts facts;
	struct line summary[DISKS_SUMMARY_MAX];
	struct disk_list *list;
	char *text;
	int count;

	list = machine_make("hostile");
	for (size_t i = 0; i < list->count; i++) {
		disk_describe(list, &list->disks[i], &no_health, &facts);
		ck_assert_uint_gt(facts.brief, 0);
		ck_assert_uint_ge(facts.count, facts.brief);
		ck_assert_uint_le(facts.count, DISK_FACTS_MAX);
		for (size_t d = 0; d < facts.count; d++) {
			ck_assert_ptr_nonnull(facts.facts[d].label);
			ck_assert(facts.facts[d].text[0] != '\0');
			for (const char *p = facts.facts[d].text; *p; p++)
				ck_assert((unsigned char)*p >= ' ');
		}
		count = disks_summary(&list->disks[i], &no_health, summary);
		ck_assert_int_ge(count, 3);
		for (int row = 0; row < count; row++)
			ck_assert_int_gt(text_width(summary[row].text), 0);
		ck_assert_ptr_nonnull(strstr(summary[0].text, list->disks[i].identity.wwn));
		text = disks_everything(list, &list->disks[i], &no_health, UNITS_SI);
		ck_assert_ptr_nonnull(text);
		/* One tab a line, behind the label. */
		for (const char *p = text, *tab = NULL; *p; p++) {
			ck_assert(*p == '\n' || *p == '\t' || (unsigned char)*p >= ' ');
			ck_assert(*p != '\t' || !tab);
			tab = *p == '\n' ? NULL : *p == '\t' ? p : tab;
		}
		free(text);
	}
	disk_list_destroy(list);
	list = machine_make("rescue");
	text = disks_everything(list, &list->disks[4], &no_health, UNITS_SI);
	ck_assert_ptr_nonnull(strstr(text, "never be the destination"));
	ck_assert_ptr_null(strstr(text, "direct IO"));
	free(text);
	snprintf(list->sg_driver, sizeof(list->sg_driver), "3.5.36");
	list->missing = calloc(1, sizeof(*list->missing));
	ck_assert_ptr_nonnull(list->missing);
	list->missing_count = 1;
	snprintf(list->missing[0], sizeof(list->missing[0]), "/dev/sdb gave no table.");
	text = disks_everything(list, &list->disks[0], &no_health, UNITS_SI);
	ck_assert_ptr_nonnull(strstr(text, "Cache\twrites are cached until a flush"));
	ck_assert_ptr_nonnull(strstr(text, "sg\tdriver 3.5.36, direct IO not allowed"));
	/* Also of other disks: the message line says that i tells it, wherever the cursor is. */
	ck_assert_ptr_nonnull(strstr(text, "/dev/sdb gave no table."));
	free(text);
	disk_list_destroy(list);
}
