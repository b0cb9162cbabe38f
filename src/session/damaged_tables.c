/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a copy with bad areas lacks: the tables and superblocks of the source that are not on the
 * destination. */
#include "base/array.h"
#include "session/outcome.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "discover/table.h"

/* Where file systems have their superblock or header: bytes from the start of the file system. */
static const struct {
	const char *fs; /* libblkid's TYPE */
	uint64_t start, length;
} vital[] = {
	{ "ext2", 1024, 1024 },
	{ "ext3", 1024, 1024 },
	{ "ext4", 1024, 1024 },
	{ "xfs", 0, 2048 },
	{ "btrfs", 65536, 4096 },
	{ "ntfs", 0, 512 },
	{ "vfat", 0, 512 },
	{ "exfat", 0, 6144 },
	{ "swap", 0, 4096 },
	{ "f2fs", 1024, 1024 },
	{ "LVM2_member", 0, 8192 },
	/* With all key slots, since any of them may be in use. */
	{ "crypto_LUKS", 0, 2097152 },
	{ "iso9660", 32768, 2048 },
	/* Nothing was recognised, perhaps because its superblock is missing. */
	{ "", 0, 8192 },
};

struct look {
	const struct disk *source;
	const struct map *map;
	struct report *report;
};

bool outcome_missing(const struct map *map, uint64_t start, uint64_t end, uint64_t *retfrom,
		     uint64_t *retto)
{
	struct map_block block;

	for (uint64_t pos = start; pos < end; pos = block.start + block.size) {
		if (!map_at(map, pos, &block) || block.start >= end)
			return false;
		if (block.status == MAP_FINISHED)
			continue;
		*retfrom = block.start > start ? block.start : start;
		*retto = block.start + block.size < end ? block.start + block.size : end;
		return true;
	}
	return false;
}

static bool was_refused(const struct report *report, uint64_t lba, uint64_t sectors)
{
	for (size_t i = 0; i < report->job.bad_shown; i++) {
		const struct job_bad_area *bad = &report->job.bad[i];

		if (bad->write && bad->lba < lba + sectors && lba < bad->lba + bad->sectors)
			return true;
	}
	return false;
}

static void note(const struct look *look, enum report_hurt_kind kind, unsigned partition,
		 const char *fs, uint64_t start, uint64_t length)
{
	struct report *report = look->report;
	uint32_t sector = report->plan->sector_size;
	struct report_hurt *hurt = &report->hurt[report->hurt_count];
	uint64_t from, to, end;

	if (report->hurt_count == REPORT_HURT_MAX || !u64_add(start, length, &end) ||
	    !outcome_missing(look->map, start, end, &from, &to))
		return;
	*hurt = (struct report_hurt){
		.kind = kind,
		.partition = partition,
		.lba = from / sector,
		.sectors = (to - from + sector - 1) / sector,
	};
	hurt->refused = was_refused(report, hurt->lba, hurt->sectors);
	text_copy(hurt->fs, sizeof(hurt->fs), fs);
	report->hurt_count++;
}

static void look_at_fs(const struct look *look, unsigned partition, const char *fs, uint64_t start,
		       uint64_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(vital); i++) {
		uint64_t room;

		if (strcmp(fs, vital[i].fs) != 0 || vital[i].start >= length)
			continue;
		room = length - vital[i].start;
		note(look, REPORT_HURT_FS, partition, fs, start + vital[i].start,
		     vital[i].length < room ? vital[i].length : room);
	}
}

/* Where the table is not known, since it could not be read, its first sector decides. */
static void look_at_tables(const struct look *look, const struct disk *disk)
{
	uint32_t unit = disk->identity.logical_sector_size;
	uint64_t backup = disk_gpt_bytes(disk), size = disk->identity.size;
	bool gpt = strcmp(disk->table, "gpt") == 0;

	if (!gpt && strcmp(disk->table, "dos") != 0 && strcmp(disk->table, "?") != 0)
		return;
	note(look, REPORT_HURT_MBR, 0, disk->table, 0, unit);
	if (gpt)
		note(look, REPORT_HURT_GPT, 0, disk->table, unit, backup);
	if (gpt && size > backup)
		note(look, REPORT_HURT_GPT_BACKUP, 0, disk->table, size - backup, backup);
	for (size_t i = 0; !gpt && i < disk->region_count; i++)
		if (disk->regions[i].kind == REGION_TABLE && disk->regions[i].start > 0)
			note(look, REPORT_HURT_MBR, 0, disk->table, disk->regions[i].start * unit,
			     disk->regions[i].sectors * unit);
}

static void look_at_disk(const struct look *look, const struct disk *disk)
{
	uint32_t unit = disk->identity.logical_sector_size;

	look_at_tables(look, disk);
	/* Without a table, also where a bad place is the reason why nothing was recognised. */
	if (look->report->hurt_count == 0 && disk->partition_count == 0 &&
	    (!disk->table[0] || strcmp(disk->table, "?") == 0))
		look_at_fs(look, 0, disk->whole_fs, 0, disk->identity.size);
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];
		uint64_t start, length;

		if (!p->extended && u64_mul(p->start, unit, &start) &&
		    u64_mul(p->sectors, unit, &length))
			look_at_fs(look, p->number, p->fs, start, length);
	}
}

/* The claim's descriptor bypasses the page cache. */
int outcome_open(const struct endpoint *end)
{
	int fd = open(end->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 &&
	    (end->kind == ENDPOINT_IMAGE ? S_ISREG(st.st_mode) : st.st_rdev == end->devno))
		return fd;
	fd_close(fd);
	return -1;
}

/* The source's table could not be read before the copy. The copy may have enough of it: of a GPT,
 * the backup, which is where the source ended. */
static void look_at_copy(const struct look *look, const struct disk *source)
{
	const struct plan *plan = look->report->plan;
	CLEANUP(close) int fd = outcome_open(&plan->destinations[0]);
	uint64_t ends = source->identity.size, room = plan->destination_size_after;
	struct disk disk = *source;
	struct table table = { 0 };
	struct table_source from = { .fd = fd,
				     .size = ends < room ? ends : room,
				     .sector_size = disk.identity.logical_sector_size };

	if (fd >= 0 && from.sector_size && table_read(&from, &table) == 0 && table.type[0]) {
		text_copy(disk.table, sizeof(disk.table), table.type);
		disk.partitions = table.partitions;
		disk.partition_count = table.partition_count;
	}
	look_at_disk(look, &disk);
	table_done(&table);
}

static void look_at_map(const struct map *map, void *user)
{
	struct look *look = user;
	const struct plan *plan = look->report->plan;
	const struct disk *disk = look->source;
	const struct partition *partition;

	look->map = map;
	if (!disk)
		return;
	if (plan->source.kind != ENDPOINT_PARTITION) {
		if (strcmp(disk->table, "?") == 0)
			look_at_copy(look, disk);
		else
			look_at_disk(look, disk);
		return;
	}
	partition = disk_partition_at(disk, plan->source.devno);
	if (partition)
		look_at_fs(look, plan->source.partition, partition->fs, 0, plan->source.size);
}

/* Only of a copy that went to its end: what else is missing is known to be. */
void outcome_find_hurt(struct job *job, const struct disk *source, struct report *report)
{
	enum exit_code code = report_exit_code(report);
	struct look look = { .source = source, .report = report };

	if (code == EXIT_BAD_AREAS || (code == EXIT_MISMATCH && report->job.armed))
		job_look_at_map(job, look_at_map, &look);
}
