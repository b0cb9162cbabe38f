/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks made up for the plan's tests. Partitions and regions are the caller's arrays. */
#pragma once

#include <stdio.h>
#include <sys/sysmacros.h>

#include "discover/endpoint.h"

static inline struct disk test_disk(const char *name, unsigned minor, uint64_t sectors,
				    uint32_t sector_size)
{
	struct disk disk = {
		.identity = {
			.size = sectors * sector_size,
			.logical_sector_size = sector_size,
			.devno = makedev(8, minor),
			.diskseq = minor + 1,
		},
		.physical_sector_size = sector_size,
	};

	snprintf(disk.name, sizeof(disk.name), "%s", name);
	snprintf(disk.node, sizeof(disk.node), "/dev/%s", name);
	snprintf(disk.identity.model, sizeof(disk.identity.model), "MODEL %s", name);
	snprintf(disk.identity.serial, sizeof(disk.identity.serial), "SERIAL-%s", name);
	return disk;
}

static inline struct endpoint test_whole(const struct disk *disk)
{
	struct endpoint endpoint;

	endpoint_from_disk(disk, &endpoint);
	return endpoint;
}

static inline struct endpoint test_part(const struct disk *disk, unsigned number, uint64_t start,
					uint64_t sectors)
{
	struct endpoint endpoint = test_whole(disk);

	endpoint.kind = ENDPOINT_PARTITION;
	endpoint.partition = number;
	endpoint.devno += number;
	endpoint.start = start * disk->identity.logical_sector_size;
	endpoint.size = sectors * disk->identity.logical_sector_size;
	snprintf(endpoint.node, sizeof(endpoint.node), "%s%u", disk->node, number);
	return endpoint;
}

static inline struct endpoint test_image(const char *path, uint64_t size, bool exists)
{
	struct endpoint endpoint = {
		.kind = ENDPOINT_IMAGE,
		.size = size,
		.logical_sector_size = 512,
		.exists = exists,
	};

	snprintf(endpoint.node, sizeof(endpoint.node), "%s", path);
	endpoint.identity.size = size;
	return endpoint;
}
