/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "peer.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Sectors. */
#define CLUSTER 128u

enum mark { NON_TRIED, NON_TRIMMED, NON_SCRAPED, BAD, FINISHED };

struct peer {
	struct paper *paper;
	uint8_t *marks; /* of each sector, enum mark */
	uint64_t sectors;
	size_t most;
};

static bool is_through(const struct peer *peer)
{
	return peer->paper->failures >= peer->most;
}

/* [*first, *end): the next sectors with this mark, from `at` on. */
static bool find(const struct peer *peer, enum mark mark, uint64_t at, uint64_t *first,
		 uint64_t *end)
{
	const uint8_t *found =
		at < peer->sectors ? memchr(peer->marks + at, mark, peer->sectors - at) : NULL;

	if (!found)
		return false;
	*first = (uint64_t)(found - peer->marks);
	for (*end = *first; *end < peer->sectors && peer->marks[*end] == mark; ++*end)
		;
	return true;
}

/* The last of them that end at or before `at`. */
static bool find_before(const struct peer *peer, enum mark mark, uint64_t at, uint64_t *first,
			uint64_t *end)
{
	while (at > 0 && peer->marks[at - 1] != mark)
		at--;
	for (*first = *end = at; *first > 0 && peer->marks[*first - 1] == mark; --*first)
		;
	return at > 0;
}

static bool read_part(struct peer *peer, uint64_t first, uint64_t end, enum mark failed)
{
	bool good = paper_read(peer->paper, first * PAPER_SECTOR, (end - first) * PAPER_SECTOR);

	memset(peer->marks + first, good ? FINISHED : end - first == 1 ? BAD : failed, end - first);
	return good;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void copy_forwards(struct peer *peer, unsigned pass)
{
	uint64_t at = 0, first, end, skip = CLUSTER;
	uint64_t longest = peer->sectors / 100 / CLUSTER * CLUSTER;

	while (!is_through(peer) && find(peer, NON_TRIED, at, &first, &end)) {
		bool beside = first > 0 && peer->marks[first - 1] == FINISHED;
		uint64_t to = lower(end, first - first % CLUSTER + CLUSTER);

		if (pass == 3 && !beside && first > 0) {
			at = end;
			continue;
		}
		if (at != first)
			skip = CLUSTER;
		at = to;
		if (read_part(peer, first, to, NON_TRIMMED)) {
			skip = CLUSTER;
		} else if (pass == 1) {
			at = lower(end, at + skip);
			skip = lower(2 * skip, longest > CLUSTER ? longest : CLUSTER);
		} else if (pass == 3) {
			at = end;
		}
	}
}

static void copy_backwards(struct peer *peer, unsigned pass)
{
	uint64_t at = peer->sectors, first, end;

	while (!is_through(peer) && find_before(peer, NON_TRIED, at, &first, &end)) {
		bool beside = end == peer->sectors || peer->marks[end] == FINISHED;
		uint64_t from = (end - 1) / CLUSTER * CLUSTER;

		if (from < first)
			from = first;
		if (pass == 4 && !beside)
			at = first;
		else
			at = read_part(peer, from, end, NON_TRIMMED) ? from : first;
	}
}

static void trim(struct peer *peer)
{
	uint64_t first, end;

	while (!is_through(peer) && find(peer, NON_TRIMMED, 0, &first, &end)) {
		while (first < end && read_part(peer, first, first + 1, BAD))
			first++;
		first += first < end;
		while (first < end && read_part(peer, end - 1, end, BAD))
			end--;
		end -= first < end;
		memset(peer->marks + first, NON_SCRAPED, end - first);
	}
}

static void scrape(struct peer *peer)
{
	uint64_t first, end;

	while (!is_through(peer) && find(peer, NON_SCRAPED, 0, &first, &end))
		read_part(peer, first, first + 1, BAD);
}

void peer_rescue(struct paper *paper, size_t most)
{
	struct peer peer = { .paper = paper, .sectors = paper->size / PAPER_SECTOR, .most = most };

	peer.marks = calloc(peer.sectors, 1);
	ck_assert_ptr_nonnull(peer.marks);
	copy_forwards(&peer, 1);
	copy_backwards(&peer, 2);
	copy_forwards(&peer, 3);
	copy_backwards(&peer, 4);
	copy_forwards(&peer, 5);
	trim(&peer);
	scrape(&peer);
	free(peer.marks);
}
