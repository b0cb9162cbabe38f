/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal of XFS is a ring of sectors of 512 bytes, each of which begins with the number of the
 * round (cycle) it was written in, as do the headers of its records behind their magic number. Its
 * head is where that number falls; it is clean if the record that ends there says "unmounted", and
 * nothing else (Linux, fs/xfs/xfs_log_recover.c). Stricter than Linux, which mends what a power cut
 * left around the head: here, anything out of order there is not clean.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "content/xfs.h"

#define SECTOR   512U
#define MAGIC    0xfeedbabeU
#define VERSION2 2
#define UNMOUNT  0x20 /* flag of an operation */
/* What may be in flight at once: eight records of at most 256 KiB. Also more than one of them and
 * its headers. */
#define AROUND (2U << 20)

struct record {
	uint32_t magic, cycle, version, length;
	uint64_t place, tail;
	uint32_t checksum, before, operations, cycles[64], format;
	uint8_t uuid[16];
	uint32_t size;
} __attribute__((packed));

struct operation {
	uint32_t transaction, length;
	uint8_t client, flags;
	uint16_t reserved;
} __attribute__((packed));

struct ring {
	const struct volume *volume;
	uint64_t start, sectors;
};

static int read_sectors(const struct ring *ring, uint64_t first, uint64_t count, void *to)
{
	return volume_read(ring->volume, ring->start + first * SECTOR, to, count * SECTOR);
}

static uint32_t cycle_of(const unsigned char *sector)
{
	uint32_t words[2];

	memcpy(words, sector, sizeof(words));
	return be32toh(words[0]) == MAGIC ? be32toh(words[1]) : be32toh(words[0]);
}

static int read_cycle(const struct ring *ring, uint64_t number, uint32_t *ret)
{
	unsigned char sector[SECTOR];
	int r = read_sectors(ring, number, 1, sector);

	*ret = r == 0 ? cycle_of(sector) : 0;
	return r;
}

/* The first sector of the round before; as many as there are: the last round is complete. */
static int find_head(const struct ring *ring, uint32_t first, uint64_t *ret)
{
	uint64_t low = 0, high = ring->sectors;
	int r = 0;

	while (r == 0 && high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		uint32_t cycle;

		r = read_cycle(ring, middle, &cycle);
		if (cycle == first)
			low = middle;
		else
			high = middle;
	}
	*ret = high;
	return r;
}

/* Is the place where the number of the round falls the only one near it, and by one? `around`:
 * AROUND bytes. */
static int is_in_order(const struct ring *ring, uint64_t head, uint32_t first,
		       unsigned char *around)
{
	uint64_t side = AROUND / SECTOR / 2;
	uint64_t from = head > side ? head - side : 0;
	uint64_t to = ring->sectors - head > side ? head + side : ring->sectors;
	int r = read_sectors(ring, from, to - from, around);

	for (uint64_t i = from; r == 0 && i < to; i++) {
		uint32_t cycle = cycle_of(around + (i - from) * SECTOR);

		/* A sector that was never written to is 0. */
		if (i < head ? cycle != first : cycle != first - 1 && cycle != 0)
			return 0;
	}
	return r < 0 ? r : 1;
}

/* Does a record at this place end at the head, and say no more than that it was unmounted? */
static int is_unmount(const struct ring *ring, const struct record *record, uint64_t at,
		      uint64_t head)
{
	uint64_t headers = 1, length = (be32toh(record->length) + SECTOR - 1ULL) / SECTOR;
	unsigned char sector[SECTOR];
	struct operation operation;
	int r;

	if (be32toh(record->version) & VERSION2 && be32toh(record->size) > 32768)
		headers = (be32toh(record->size) + 32767ULL) / 32768;
	if ((at + headers + length) % ring->sectors != head % ring->sectors ||
	    be32toh(record->operations) != 1)
		return 0;
	r = read_sectors(ring, (at + headers) % ring->sectors, 1, sector);
	if (r < 0)
		return r;
	memcpy(&operation, sector, sizeof(operation));
	return (operation.flags & UNMOUNT) != 0;
}

int xfs_log_is_clean(const struct volume *volume, uint64_t start, uint64_t size)
{
	unsigned char *around CLEANUP(free) = malloc(AROUND);
	struct ring ring = { volume, start, size / SECTOR };
	uint64_t head;
	uint32_t first;
	int r;

	if (!around)
		return -ENOMEM;
	if (ring.sectors < AROUND / SECTOR / 2)
		return 0;
	r = read_cycle(&ring, 0, &first);
	if (r < 0 || first == 0)
		return r;
	r = find_head(&ring, first, &head);
	if (r == 0)
		r = is_in_order(&ring, head, first, around);
	if (r <= 0)
		return r;
	/* The last record before the head; its header may lie before the end of the ring. */
	for (uint64_t back = 1; back <= AROUND / SECTOR / 4; back++) {
		uint64_t at = (head + ring.sectors - back) % ring.sectors;
		unsigned char sector[SECTOR];
		struct record record;

		r = read_sectors(&ring, at, 1, sector);
		if (r < 0)
			return r;
		memcpy(&record, sector, sizeof(record));
		if (be32toh(record.magic) == MAGIC)
			return is_unmount(&ring, &record, at, head);
	}
	return 0;
}
