/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What screen 1 tells of one disk. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/disks/model.h"

#include "machine.h"

static const struct disks_health no_health;

/* Known, still asked, and why it is not known: the line says which; where nobody asked there is
 * none. What matters least stays the last. */
TEST(health_is_known_or_why_not)
{
	struct disks_detail details[DISKS_DETAILS_MAX];
	struct health health;
	struct disk_list *list;
	int count;

	list = machine_make("rescue");
	count = disks_details(&list->disks[0], &no_health, details);
	for (int i = 0; i < count; i++)
		ck_assert_str_ne(details[i].label, "Health");
	health_clear(&health, NULL);
	count = disks_details(&list->disks[0], &(struct disks_health){ &health, true }, details);
	ck_assert_str_eq(details[count - 2].label, "Health");
	ck_assert_str_eq(details[count - 2].text.text, "(being asked)");
	ck_assert_str_eq(details[count - 1].label, "Limits");
	health_clear(&health, "It has locked itself.");
	disks_details(&list->disks[0], &(struct disks_health){ &health, false }, details);
	ck_assert_str_eq(details[count - 2].text.text, "It has locked itself.");
	health.time = 1;
	health.passed = YES;
	health.values[HEALTH_TEMPERATURE] = 31;
	health.values[HEALTH_PENDING] = 2;
	disks_details(&list->disks[0], &(struct disks_health){ &health, false }, details);
	ck_assert_str_eq(details[count - 2].text.text,
			 "passed, pending sectors 2, temperature 31 C");
	disk_list_destroy(list);
}

TEST(all_that_is_known)
{
	struct disks_detail details[DISKS_DETAILS_MAX];
	struct line summary[DISKS_SUMMARY_MAX];
	struct disk_list *list;
	char *text;
	int count;

	list = machine_make("hostile");
	for (size_t i = 0; i < list->count; i++) {
		count = disks_details(&list->disks[i], &no_health, details);
		ck_assert_int_gt(count, 0);
		ck_assert_int_le(count, DISKS_DETAILS_MAX);
		for (int d = 0; d < count; d++) {
			ck_assert_ptr_nonnull(details[d].label);
			ck_assert(details[d].text.text[0] != '\0');
			for (const char *p = details[d].text.text; *p; p++)
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
	text = disks_everything(list, &list->disks[0], &no_health, UNITS_SI);
	ck_assert_ptr_nonnull(strstr(text, "Cache\twrites are cached until a flush"));
	ck_assert_ptr_nonnull(strstr(text, "sg\tdriver 3.5.36, direct IO not allowed"));
	free(text);
	disk_list_destroy(list);
}
