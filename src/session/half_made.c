/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/half_made.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "after/resize_fs.h"
#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "discover/table.h"
#include "scsi/sg_only.h"

#define PIECE    (1u << 20)
#define SG_PIECE (64u << 10) /* every SCSI driver takes that */
/* A disk that cannot be read is not tried more often than that. */
#define FAILURES_MAX 8
/* The beginning of a table, and of a partition. */
#define HEAD (64u << 10)

struct inspector {
	const struct half_made *half;
	char *a, *b; /* a piece of the destination, of the source */
	unsigned failures[2];
};

/* ---- reading ---- */

bool half_made_read(const struct half_made *half, bool destination, uint64_t at, void *buffer,
		    uint32_t length)
{
	const struct endpoint *end =
		destination ? &half->plan->destinations[0] : &half->plan->source;
	int fd = destination ? half->destination : half->source;
	ssize_t n;

	if (endpoint_is_sg_only(end))
		return sg_only_read(fd, end->logical_sector_size, at, buffer, length) == 0;
	do
		n = pread(fd, buffer, length, (off_t)at);
	while (n < 0 && errno == EINTR);
	if (!destination)
		fitted_apply(&half->plan->fitted, at, buffer, length);
	return n == (ssize_t)length;
}

uint32_t half_made_piece(const struct half_made *half)
{
	return endpoint_is_sg_only(&half->plan->source) ||
			       endpoint_is_sg_only(&half->plan->destinations[0])
		       ? SG_PIECE
		       : PIECE;
}

bool half_made_place(const struct half_made *half, uint64_t source, uint64_t *ret,
		     uint64_t *retleft)
{
	struct extent_bytes e;

	if (!plan_extent_at(half->plan, source, &e))
		return false;
	*ret = e.destination + (source - e.source);
	*retleft = e.length - (source - e.source);
	return true;
}

static bool try_read(struct inspector *in, bool destination, uint64_t at, void *buffer,
		     uint32_t length)
{
	bool good = in->failures[destination] < FAILURES_MAX &&
		    half_made_read(in->half, destination, at, buffer, length);

	in->failures[destination] += !good;
	return good;
}

/* Reads from the destination what belongs to this byte of the source and what follows, at most
 * `left` bytes. Returns how many bytes that was about; *retgood is false if they could not be read.
 */
static uint32_t read_next(struct inspector *in, uint64_t at, uint64_t left, bool *retgood)
{
	uint32_t length = half_made_piece(in->half), unit = in->half->plan->sector_size;
	uint64_t place;

	if (unit < SPOT)
		unit = SPOT;
	if (length > left)
		length = (uint32_t)left;
	*retgood = false;
	if (!half_made_place(in->half, at, &place, &left))
		return length;
	if (length > left)
		length = (uint32_t)left;
	if (unit > length)
		unit = length;
	*retgood = try_read(in, true, place, in->a, length);
	if (*retgood || length <= unit)
		return length;
	*retgood = try_read(in, true, place, in->a, unit);
	return unit;
}

/* ---- what is on it now ---- */

/* Through the page cache, since libblkid reads where it likes. */
static int read_table(const struct half_made *half, struct table *ret)
{
	const struct endpoint *end = &half->plan->destinations[0];
	bool readable = !endpoint_is_sg_only(end);
	CLEANUP(close) int fd = readable ? file_open_again(half->destination, O_RDONLY) : -1;
	const struct table_source source = {
		.fd = fd,
		.size = half->plan->destination_size_after,
		.sector_size = end->logical_sector_size ? end->logical_sector_size
							: half->plan->sector_size,
	};

	*ret = (struct table){ 0 };
	if (fd < 0)
		return 0;
	/* What is in it may be of before. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return table_read(&source, ret) == -ENOMEM ? -ENOMEM : 0;
}

static void describe(const struct half_made *half, uint64_t lba, char *ret, size_t size)
{
	struct table table;

	if (read_table(half, &table) < 0) {
		snprintf(ret, size, _("something else"));
		return;
	}
	if (!table_print(&table, half->plan->sector_size, ret, size)[0])
		snprintf(ret, size, _("other data at LBA %" PRIu64), lba);
	table_done(&table);
}

/* The UUID of the Btrfs that was to grow, at one end; "" there is none. */
static void read_uuid(const struct half_made *half, bool destination,
		      char ret[static UUID_TEXT_MAX])
{
	const struct fitted *fitted = &half->plan->fitted;
	const struct fitted_part *part = fitted_find(fitted, fitted->grown);
	uint64_t start = part && !destination ? part->start : fitted->start, at;
	_Alignas(SPOT) char super[BTRFS_SUPER_HEAD] = { 0 };

	if (!u64_mul(start, half->plan->sector_size, &at) ||
	    !half_made_read(half, destination, at + BTRFS_SUPER_PLACE, super, sizeof(super)))
		memset(super, 0, sizeof(super));
	btrfs_uuid(super, ret);
}

/* It was complete: what was asked for after that has probably begun. */
static int finished(const struct half_made *half, const char *found, const char *expected,
		    struct error *reterr)
{
	const struct plan *plan = half->plan;
	char uuid[UUID_TEXT_MAX] = "", now[UUID_TEXT_MAX] = "", node[80], more[400] = " ";

	if (plan->options.grow_fs && plan->fitted.grown &&
	    plan->options.identities == IDENTITIES_KEEP) {
		read_uuid(half, true, now);
		read_uuid(half, false, uuid);
	}
	if (now[0] && uuid[0] && strcmp(now, uuid) != 0)
		text_append(more, sizeof(more), "",
			    _("Its Btrfs has another UUID meanwhile. With the old disk taken out, "
			      "give it its own back:  btrfstune -f -M %s %s"),
			    uuid, grow_fs_node(plan, plan->fitted.grown, node, sizeof(node)));
	else
		text_append(more, sizeof(more), "",
			    _("If it was interrupted, take the old disk out and check the file "
			      "systems of the copy, or copy again with clone."));
	return error_set(
		reterr, ERROR_CLASS_REFUSED, -EBADMSG, "compare", plan->destinations[0].node,
		_("The copy on %.64s was complete, and is not as the map has it any more: it holds "
		  "%s; expected: %s. What was to follow (a larger file system, new identifiers) "
		  "may have begun: the log says how far it came, and the report, if there is one. "
		  "There is nothing to resume, and nothing was written.%s"),
		plan->destinations[0].node, found, expected, more);
}

/* The error for a byte of the source. expected: a translated phrase; NULL: what was copied. */
static int changed(const struct half_made *half, uint64_t source, const char *expected,
		   struct error *reterr)
{
	uint64_t place = source, left, lba = source / half->plan->sector_size;
	char found[100], wanted[80];

	half_made_place(half, source, &place, &left);
	describe(half, place / half->plan->sector_size, found, sizeof(found));
	snprintf(wanted, sizeof(wanted), _("what was copied to LBA %" PRIu64), lba);
	if (map_bytes(half->map, MAP_FINISHED) == plan_bytes(half->plan) &&
	    (half->plan->options.grow_fs || half->plan->options.identities != IDENTITIES_KEEP))
		return finished(half, found, expected ? expected : wanted, reterr);
	return error_set(
		reterr, ERROR_CLASS_REFUSED, -EBADMSG, "compare", half->plan->destinations[0].node,
		_("%.64s is not the half-made copy of the map any more. It holds %s; expected: %s. "
		  "Nothing was written. If that may be lost, start again with clone."),
		half->plan->destinations[0].node, found, expected ? expected : wanted);
}

/* ---- what was wiped ---- */

/* While it is armed, each sector is still empty or has what the source has. */
static bool is_armed(struct inspector *in, uint64_t at, uint32_t length)
{
	uint32_t sector = in->half->plan->sector_size;

	if (!try_read(in, false, at, in->b, length))
		return true;
	for (uint32_t i = 0; i < length; i += sector)
		if (!bytes_are_zero(in->a + i, sector) && memcmp(in->a + i, in->b + i, sector) != 0)
			return false;
	return true;
}

/* The first byte that is there although it must not be, within a piece that was read. */
static uint64_t first_byte(const char *data, uint32_t length)
{
	uint32_t i = 0;

	while (i < length && !data[i])
		i++;
	return i;
}

static int check_unfinished(struct inspector *in, const struct map_block *block,
			    struct error *reterr)
{
	bool arming = map_held(in->half->map)->arming, good;
	uint64_t end = block->start + block->size;
	uint32_t length;

	/* What stands for unreadable sectors is not compared. */
	if (arming && block->status != MAP_NON_TRIED)
		return 0;
	for (uint64_t at = block->start; at < end; at += length) {
		length = read_next(in, at, end - at, &good);
		if (!good || bytes_are_zero(in->a, length) || (arming && is_armed(in, at, length)))
			continue;
		return changed(in->half, at + first_byte(in->a, length),
			       arming ? _("nothing there, or what the source has")
				      : _("no table and no file system yet"),
			       reterr);
	}
	return 0;
}

/* The reading of the source that an armed place belongs to, if all of that is armed. */
static const struct map_reading *reading_at(const struct half_made *half, uint64_t at)
{
	const struct map_held *held = map_held(half->map);
	uint64_t sector = half->plan->sector_size;

	for (size_t i = 0; i < held->first_count; i++) {
		const struct map_reading *reading = &held->first[i];
		struct range r = reading->sectors;
		struct map_block block;

		if (at / sector >= r.start && at / sector - r.start < r.count &&
		    map_next(half->map, r.start * sector, MAP_FINISHED, &block) &&
		    block.start <= r.start * sector &&
		    block.start + block.size >= (r.start + r.count) * sector)
			return reading;
	}
	return NULL;
}

static bool has_digest(struct inspector *in, const struct map_reading *reading)
{
	uint64_t sector = in->half->plan->sector_size, end;
	struct digest sum = { 0 }, weighted;
	uint32_t length;
	bool good;

	end = (reading->sectors.start + reading->sectors.count) * sector;
	for (uint64_t at = reading->sectors.start * sector; at < end; at += length) {
		length = read_next(in, at, end - at, &good);
		if (!good)
			return true;
		digest_add(&sum,
			   digest_sectors(in->a, length, (uint32_t)sector, at / sector, &weighted));
	}
	return digest_equal(sum, reading->sum.digest);
}

/* Returns the end of what was compared: as large an area as there is a digest for, or a piece. */
static uint64_t check_armed_from(struct inspector *in, uint64_t at, uint64_t end, bool *retsame)
{
	const struct map_reading *reading = reading_at(in->half, at);
	uint64_t sector = in->half->plan->sector_size;
	uint32_t length;
	bool good;

	*retsame = true;
	if (reading && has_digest(in, reading))
		return (reading->sectors.start + reading->sectors.count) * sector;
	/* It may have been disarmed, too. */
	length = read_next(in, at, end - at, &good);
	*retsame = !good || is_armed(in, at, length);
	return at + length;
}

static int check_armed(struct inspector *in, const struct map_block *block, struct error *reterr)
{
	uint64_t end = block->start + block->size, next;
	bool same;

	for (uint64_t at = block->start; at < end; at = next) {
		next = check_armed_from(in, at, end, &same);
		if (!same)
			return changed(in->half, at, NULL, reterr);
	}
	return 0;
}

static int check_wiped(struct inspector *in, struct range sectors, struct error *reterr)
{
	uint64_t sector = in->half->plan->sector_size;
	uint64_t end = (sectors.start + sectors.count) * sector;
	struct map_block block;
	int r = 0;

	for (uint64_t at = sectors.start * sector;
	     r == 0 && at < end && map_at(in->half->map, at, &block) && block.start < end;
	     at = block.start + block.size) {
		uint64_t block_end = block.start + block.size;

		if (block.start < at)
			block.start = at;
		block.size = (block_end < end ? block_end : end) - block.start;
		r = block.status == MAP_FINISHED ? check_armed(in, &block, reterr)
						 : check_unfinished(in, &block, reterr);
	}
	return r;
}

/* ---- signatures ---- */

/* Something is recognised in this place of the destination. If the map calls it finished, it must
 * be what the copy has written. */
static int check_place(const struct half_made *half, uint64_t at, uint64_t length,
		       struct error *reterr)
{
	for (size_t i = 0; i < half->plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(half->plan, i);
		uint64_t sector = half->plan->sector_size;
		struct range part;

		if (!range_intersect((struct range){ at, length },
				     (struct range){ e.destination, e.length }, &part))
			continue;
		for (uint64_t pos = e.source + u64_align_down(part.start - e.destination, sector),
			      end = e.source + (part.start - e.destination) + part.count;
		     pos < end; pos += SPOT) {
			struct map_block block;

			if (map_at(half->map, pos, &block) && block.start <= pos &&
			    block.status == MAP_FINISHED &&
			    block.start + block.size >= pos + SPOT &&
			    sample_differs_at(half, pos, SPOT))
				return changed(half, pos, NULL, reterr);
		}
	}
	return 0;
}

static int check_signatures(const struct half_made *half, struct error *reterr)
{
	struct table table;
	int r = 0;

	if (read_table(half, &table) < 0)
		return error_nomem(reterr);
	if (table.type[0])
		r = check_place(half, 0, HEAD, reterr);
	for (size_t i = 0; r == 0 && i < table.signature_count; i++)
		r = check_place(half, u64_align_down(table.signatures[i], SPOT), SPOT, reterr);
	for (size_t i = 0; r == 0 && i < table.partition_count; i++)
		r = check_place(half, table.partitions[i].start * half->plan->sector_size, HEAD,
				reterr);
	table_done(&table);
	return r;
}

/* Nothing of the copy is on it yet. What else is on it may be lost only if the user has confirmed
 * that. */
static int check_blank(const struct half_made *half, struct error *reterr)
{
	struct table table;
	bool blank;

	if (read_table(half, &table) < 0)
		return error_nomem(reterr);
	blank = !table.type[0] && table.signature_count == 0;
	table_done(&table);
	return blank ? 0 : changed(half, 0, _("nothing, since it was being wiped"), reterr);
}

int half_made_check(const struct half_made *half, struct error *reterr)
{
	const struct map_held *held = map_held(half->map);
	CLEANUP(free) char *buffer = aligned_alloc(SPOT, 2 * (size_t)PIECE);
	struct inspector in = { .half = half, .a = buffer, .b = buffer ? buffer + PIECE : NULL };
	bool nothing = map_bytes(half->map, MAP_FINISHED) == 0;
	int r = 0;

	if (!buffer)
		return error_nomem(reterr);
	for (size_t i = 0; r == 0 && i < held->wiped.count; i++)
		r = check_wiped(&in, held->wiped.items[i], reterr);
	if (r == 0 && held->wiped.count == 0 && !nothing)
		r = check_signatures(half, reterr);
	if (r == 0 && held->wiped.count == 0 && nothing && !half->confirmed && !half->same_device)
		r = check_blank(half, reterr);
	return r < 0 || nothing ? r : sample_compare(half, reterr);
}
