/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A masked report shows the end of serial numbers and WWNs, and nowhere more. */
#include "unit.h"

#include <string.h>

#include "report/mask.h"
#include "report/sample.h"

static struct masked_report *masked_of(void)
{
	struct masked_report *masked = NULL;

	sample.report.mask_serials = true;
	ck_assert_int_eq(report_mask(&sample.report, &masked, NULL), 0);
	ck_assert_ptr_nonnull(masked);
	return masked;
}

SAMPLE_CASE;

TEST(unasked_nothing_is_masked)
{
	struct masked_report *masked = NULL;

	ck_assert_int_eq(report_mask(&sample.report, &masked, NULL), 0);
	ck_assert_ptr_null(masked);
	report_unmask(NULL);
}

TEST(every_text_is_looked_at)
{
	struct report *report = &sample.report;

	text_copy(sample.plan->source.identity.wwn, 80, "0x5000c500a1b2c3d4");
	text_copy(report->events[0].text, 256, "ZFL1A2B3 and WX12D3456789, ZFL1A2B3");
	text_copy(report->verdicts.items[0].sentence, 400, "Serial WX12D3456789.");
	text_copy(report->source.by_id, 192, "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4");
	text_copy(report->next[0], 512, "sfdisk /dev/WX12D3456789");
	text_copy(report->files.digests, 512, "/log/ZFL1A2B3.digests");
	text_copy(report->files.checksums, 512, "/log/ZFL1A2B3");
	text_copy(after_add(&report->after, 1, "new UUID")->said, 256, "another WX12D3456789");
	text_copy(report->grown_fs.said, sizeof(report->grown_fs.said), "WX12D3456789 is busy");
	report->boot_entry_count = 1;
	text_copy(report->boot_entries[0].label, 64, "UEFI ZFL1A2B3");
	struct masked_report *masked = masked_of();

	ck_assert_str_eq(masked->report.files.digests, "/log/****A2B3.digests");
	ck_assert_str_eq(masked->report.files.checksums, "/log/****A2B3");
	ck_assert_str_eq(masked->report.plan->source.identity.serial, "****A2B3");
	ck_assert_str_eq(masked->report.plan->source.identity.wwn, "**************c3d4");
	ck_assert_str_eq(masked->report.events[0].text, "****A2B3 and ********6789, ****A2B3");
	ck_assert_str_eq(masked->report.verdicts.items[0].sentence, "Serial ********6789.");
	ck_assert_str_eq(masked->report.source.by_id, "/dev/disk/by-id/wwn-0x************c3d4");
	ck_assert_str_eq(masked->report.destination.by_id, "/dev/disk/by-id/ata-DISK_********6789");
	ck_assert_str_eq(masked->report.after.items[0].said, "another ********6789");
	ck_assert_str_eq(masked->report.grown_fs.said, "********6789 is busy");
	ck_assert_str_eq(masked->report.boot_entries[0].label, "UEFI ****A2B3");
	ck_assert_str_eq(masked->report.next[0], "sfdisk /dev/********6789");
	/* The original is as it was. */
	ck_assert_str_eq(sample.plan->source.identity.serial, "ZFL1A2B3");
	ck_assert_ptr_nonnull(strstr(report->events[0].text, "WX12D3456789"));
	report_unmask(masked);
}

TEST(the_plan_keeps_its_number)
{
	char id[9], masked_id[9];

	struct masked_report *masked = masked_of();

	ck_assert_str_eq(report_plan_id(&masked->report, masked_id),
			 report_plan_id(&sample.report, id));
	report_unmask(masked);
}

TEST(odd_serials)
{
	/* Blanks are underscores in links. */
	text_copy(sample.plan->source.identity.serial, 128, "AB 12 CD 34");
	text_copy(sample.report.source.by_id, 192, "/dev/disk/by-id/ata-X_AB_12_CD_34");
	/* Too short to be looked for in sentences, where it would be everywhere. */
	text_copy(sample.plan->destinations[0].identity.serial, 128, "a");
	struct masked_report *masked = masked_of();

	ck_assert_str_eq(masked->plan.source.identity.serial, "*******D 34");
	ck_assert_str_eq(masked->report.source.by_id, "/dev/disk/by-id/ata-X_*******D_34");
	ck_assert_str_eq(masked->plan.destinations[0].identity.serial, "*");
	ck_assert_str_eq(masked->plan.destinations[0].node, "/dev/sdb");
	report_unmask(masked);
	/* No half characters, and none at all is fine. */
	text_copy(sample.plan->source.identity.serial, 128, "abcdef\xc3\xa4xyz");
	sample.plan->destinations[0].identity.serial[0] = '\0';
	masked = masked_of();
	ck_assert_str_eq(masked->plan.source.identity.serial, "********xyz");
	ck_assert_str_eq(masked->plan.destinations[0].identity.serial, "");
	report_unmask(masked);
}

TEST(a_plan_alone)
{
	struct identity identity;
	struct plan masked;

	identity = sample.plan->destinations[0].identity;
	report_mask_plan(sample.plan, &masked);
	report_mask_identity(&identity);
	ck_assert_str_eq(masked.source.identity.serial, "****A2B3");
	ck_assert_str_eq(masked.destinations[0].identity.serial, "********6789");
	ck_assert_str_eq(identity.serial, "********6789");
	ck_assert_str_eq(sample.plan->source.identity.serial, "ZFL1A2B3");
}
