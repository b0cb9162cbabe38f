/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A made-up machine for the guard's tests: sda (the source: GPT, ESP, ext4) and
 * sdb (the destination: empty, as large), different models with serials. What a
 * test changes is set on the plain data before machine_check().
 */
#pragma once

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "guard/facts.h"
#include "guard/rules.h"

#define MIB           (1024ULL * 1024)
#define DISK_SIZE     (1024 * MIB)
#define MACHINE_DISKS 3
#define MACHINE_PARTS 4
#define MACHINE_USES  4

struct machine {
	struct disk disks[MACHINE_DISKS];
	struct disk_list list;
	struct partition parts[MACHINE_DISKS][MACHINE_PARTS];
	struct use uses[MACHINE_DISKS][MACHINE_USES];
	struct table_note notes[1];
	struct region regions[1]; /* for one of the disks */
	struct guard_facts facts;
	struct endpoint source, destination;
	struct range_list ranges;
	struct free_places free_places;
	bool has_ranges;
	uint64_t at;
	bool has_at;
	const struct plan_options *options; /* NULL: the core chooses */
	const char *allow[4];
	struct plan *plan;
	struct verdict_list verdicts;
};

static inline void machine_disk(struct machine *m, int i, const char *name, const char *model,
				const char *serial, uint64_t size)
{
	struct disk *disk = &m->disks[i];

	snprintf(disk->name, sizeof(disk->name), "%s", name);
	snprintf(disk->node, sizeof(disk->node), "/dev/%s", name);
	text_copy(disk->identity.model, sizeof(disk->identity.model), model);
	text_copy(disk->identity.serial, sizeof(disk->identity.serial), serial);
	disk->identity.size = size;
	disk->identity.logical_sector_size = 512;
	disk->identity.diskseq = (uint64_t)i + 1;
	disk->identity.devno = makedev(8, 16U * (unsigned)i);
	disk->physical_sector_size = 512;
	disk->kind = DISK_SCSI;
	disk->medium_present = YES;
	disk->partitions = m->parts[i];
	disk->in_use.items = m->uses[i];
	snprintf(disk->physical_parent, sizeof(disk->physical_parent), "/devices/%s", name);
}

static inline struct partition *machine_partition(struct machine *m, int i, uint64_t start,
						  uint64_t sectors, const char *fs,
						  const char *label)
{
	struct disk *disk = &m->disks[i];
	unsigned number = (unsigned)disk->partition_count + 1;
	struct partition *p = &disk->partitions[disk->partition_count++];

	p->number = number;
	snprintf(p->node, sizeof(p->node), "%.50s%u", disk->node, number);
	p->devno = makedev(8, 16U * (unsigned)i + number);
	p->start = start;
	p->sectors = sectors;
	text_copy(p->fs, sizeof(p->fs), fs);
	text_copy(p->label, sizeof(p->label), label);
	text_copy(p->uuid, sizeof(p->uuid), fs[0] ? "1234-ABCD" : "");
	return p;
}

static inline void machine_use(struct machine *m, int i, enum use_kind kind, const char *what,
			       const char *node)
{
	struct use *use = &m->uses[i][m->disks[i].in_use.count++];

	use->kind = kind;
	text_copy(use->what, sizeof(use->what), what);
	text_copy(use->node, sizeof(use->node), node);
}

static inline void machine_choose(struct machine *m)
{
	endpoint_from_disk(&m->disks[0], &m->source);
	endpoint_from_disk(&m->disks[1], &m->destination);
}

static inline void machine_image(struct endpoint *endpoint, const char *path, uint64_t size,
				 bool exists)
{
	*endpoint = (struct endpoint){ .kind = ENDPOINT_IMAGE,
				       .size = size,
				       .logical_sector_size = 512,
				       .physical_sector_size = 512,
				       .exists = exists };
	text_copy(endpoint->node, sizeof(endpoint->node), path);
	endpoint->identity.size = size;
	endpoint->identity.inode = 4711;
	endpoint->identity.devno = makedev(8, 33);
}

/* The first disk is in a file. */
static inline void machine_source_image(struct machine *m)
{
	uint32_t sector_size = m->disks[0].identity.logical_sector_size;

	machine_image(&m->source, "/srv/a.img", m->disks[0].identity.size, true);
	m->source.logical_sector_size = m->source.physical_sector_size = sector_size;
	m->source.identity.inode = 1;
	m->facts.source_contents = &m->disks[0];
}

static inline void machine_place(struct guard_place *place, const char *path, dev_t devno,
				 const char *disk)
{
	text_copy(place->path, sizeof(place->path), path);
	place->complete = true;
	place->below[place->below_count].devno = devno;
	text_copy(place->below[place->below_count++].disk, sizeof(place->below[0].disk), disk);
}

static inline void machine_init(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	m->list.disks = m->disks;
	m->list.count = 2;
	machine_disk(m, 0, "sda", "ST2000DM008", "ZFL1A2B3", DISK_SIZE);
	machine_disk(m, 1, "sdb", "WDC WD40EFAX", "WX12D3456789", DISK_SIZE);
	text_copy(m->disks[0].table, sizeof(m->disks[0].table), "gpt");
	machine_partition(m, 0, 2048, 204800, "vfat", "ESP");
	machine_partition(m, 0, 206848, 1800000, "ext4", "root");
	m->facts.disks = &m->list;
	m->facts.root = true;
	machine_choose(m);
}

/* Ranges of sectors instead of everything. */
static inline void machine_range(struct machine *m, uint64_t start, uint64_t count)
{
	ck_assert_int_eq(range_list_add(&m->ranges, (struct range){ start, count }), 0);
	m->has_ranges = true;
}

static inline void machine_plan(struct machine *m)
{
	struct error error = { 0 };
	int r = plan_new(&m->source, &m->destination, m->has_ranges ? &m->ranges : NULL,
			 m->has_at ? &m->at : NULL, &m->free_places, m->options, &m->plan, &error);

	ck_assert_msg(r == 0, "%s", error.sentence);
}

static inline void machine_check(struct machine *m)
{
	struct error error = { 0 };

	machine_plan(m);
	int r = rules_check(m->plan, &m->facts, m->allow[0] ? m->allow : NULL, RUN_COPY,
			    &m->verdicts, &error);

	ck_assert_msg(r == 0, "%s", error.sentence);
}

static inline const struct verdict *machine_verdict(const struct machine *m, const char *rule)
{
	for (size_t i = 0; i < m->verdicts.count; i++)
		if (strcmp(m->verdicts.items[i].rule, rule) == 0)
			return &m->verdicts.items[i];
	return NULL;
}

static inline void machine_done(struct machine *m)
{
	verdict_list_done(&m->verdicts);
	plan_destroy(m->plan);
	range_list_done(&m->ranges);
	free_places_done(&m->free_places);
}
