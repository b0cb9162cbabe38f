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

/* The end of the sectors with the same mark, from `at` on, at most so many. */
static uint64_t run_end(const struct peer *peer, uint64_t at, uint64_t most)
{
	uint64_t end = at, limit = peer->sectors - at > most ? at + most : peer->sectors;

	while (end < limit && peer->marks[end] == peer->marks[at])
		end++;
	return end;
}

/* The beginning of the sectors with the same mark that end there, at most so many. */
static uint64_t run_begin(const struct peer *peer, uint64_t end, uint64_t most)
{
	uint64_t first = end, limit = end > most ? end - most : 0;

	while (first > limit && peer->marks[first - 1] == peer->marks[end - 1])
		first--;
	return first;
}

/* The next sector with this mark, from `at` on. */
static bool find(const struct peer *peer, enum mark mark, uint64_t at, uint64_t *first)
{
	const uint8_t *found =
		at < peer->sectors ? memchr(peer->marks + at, mark, peer->sectors - at) : NULL;

	if (found)
		*first = (uint64_t)(found - peer->marks);
	return found;
}

/* The end of the last one before `at`. */
static bool find_before(const struct peer *peer, enum mark mark, uint64_t at, uint64_t *end)
{
	const uint8_t *found = at ? memrchr(peer->marks, mark, at) : NULL;

	if (found)
		*end = (uint64_t)(found - peer->marks) + 1;
	return found;
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
	uint64_t at = 0, first, skip = CLUSTER;
	uint64_t longest = peer->sectors / 100 / CLUSTER * CLUSTER;

	while (!is_through(peer) && find(peer, NON_TRIED, at, &first)) {
		bool beside = first > 0 && peer->marks[first - 1] == FINISHED;
		uint64_t to = run_end(peer, first, CLUSTER - first % CLUSTER);

		if (pass == 3 && !beside && first > 0) {
			at = run_end(peer, first, peer->sectors);
			continue;
		}
		if (at != first)
			skip = CLUSTER;
		at = to;
		if (read_part(peer, first, to, NON_TRIMMED)) {
			skip = CLUSTER;
		} else if (at < peer->sectors && peer->marks[at] == NON_TRIED && pass < 5) {
			at = run_end(peer, at, pass == 1 ? skip : peer->sectors);
			skip = lower(2 * skip, longest > CLUSTER ? longest : CLUSTER);
		}
	}
}

static void copy_backwards(struct peer *peer, unsigned pass)
{
	uint64_t at = peer->sectors, end;

	while (!is_through(peer) && find_before(peer, NON_TRIED, at, &end)) {
		bool beside = end == peer->sectors || peer->marks[end] == FINISHED;
		uint64_t from = run_begin(peer, end, (end - 1) % CLUSTER + 1);

		if (pass == 4 && !beside)
			at = run_begin(peer, end, end);
		else if (read_part(peer, from, end, NON_TRIMMED))
			at = from;
		else if (from > 0 && peer->marks[from - 1] == NON_TRIED)
			at = run_begin(peer, from, from);
		else
			at = from;
	}
}

static void trim(struct peer *peer)
{
	uint64_t first, end, at = 0;

	for (; !is_through(peer) && find(peer, NON_TRIMMED, at, &first); at = end) {
		uint64_t last = run_end(peer, first, peer->sectors);

		end = last;
		while (first < last && read_part(peer, first, first + 1, BAD))
			first++;
		first += first < last;
		while (first < last && read_part(peer, last - 1, last, BAD))
			last--;
		last -= first < last;
		memset(peer->marks + first, NON_SCRAPED, last - first);
	}
}

static void scrape(struct peer *peer)
{
	uint64_t first, at = 0;

	for (; !is_through(peer) && find(peer, NON_SCRAPED, at, &first); at = first)
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
