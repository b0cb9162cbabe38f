/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What bad areas hurt, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "report/report.h"

const struct report_hurt *report_lost_table(const struct report *report)
{
	for (size_t i = 0; i < report->hurt_count; i++)
		if (report->hurt[i].kind == REPORT_HURT_MBR ||
		    report->hurt[i].kind == REPORT_HURT_GPT)
			return &report->hurt[i];
	return NULL;
}

const char *report_hurt_words(const struct report_hurt *hurt, char *buffer, size_t size)
{
	char where[64];

	snprintf(where, sizeof(where), "LBA %" PRIu64 " +%" PRIu64, hurt->lba, hurt->sectors);
	switch (hurt->kind) {
	case REPORT_HURT_MBR:
		if (hurt->lba == 0)
			snprintf(buffer, size,
				 _("the first sector, with partition table and boot code (%s)"),
				 where);
		else
			snprintf(buffer, size, _("the table of logical partitions (%s)"), where);
		break;
	case REPORT_HURT_GPT:
		snprintf(buffer, size, _("the GPT, the table of all partitions (%s)"), where);
		break;
	case REPORT_HURT_GPT_BACKUP:
		snprintf(buffer, size, _("the backup GPT (%s)"), where);
		break;
	case REPORT_HURT_FS:
		if (hurt->partition && !hurt->fs[0])
			snprintf(buffer, size,
				 _("the start of partition %u, by which its file system is "
				   "recognised (%s)"),
				 hurt->partition, where);
		else if (hurt->partition)
			snprintf(buffer, size,
				 _("the superblock or header of partition %u, %s (%s)"),
				 hurt->partition, hurt->fs, where);
		else
			snprintf(buffer, size, _("the superblock or header of %s (%s)"), hurt->fs,
				 where);
		break;
	}
	return buffer;
}

const char *report_boot_line(const struct report *report, char *buffer, size_t size)
{
	const struct report_hurt *table = report_lost_table(report);

	if (!table)
		text_copy(buffer, size, "");
	else
		snprintf(buffer, size,
			 table->refused ? _("PARTITION TABLE NOT WRITTEN: the copy will not boot "
					    "(LBA %" PRIu64 " +%" PRIu64 ")")
					: _("PARTITION TABLE NOT READABLE: the copy will not boot "
					    "(LBA %" PRIu64 " +%" PRIu64 ")"),
			 table->lba, table->sectors);
	return buffer;
}
