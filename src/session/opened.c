/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/opened.h"

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "guard/claim.h"

/* The smallest unit that every file system addresses. */
#define FILE_SECTOR 512

static void describe_file(struct io_end *ret)
{
	ret->regular_file = true;
	if (!ret->logical_sector_size)
		ret->logical_sector_size = FILE_SECTOR;
	if (!ret->physical_sector_size)
		ret->physical_sector_size = ret->logical_sector_size;
}

static void describe_disk(const struct disk *disk, struct io_end *ret)
{
	ret->max_transfer = disk->max_transfer;
	ret->max_command = disk->max_command;
	ret->queue_depth = disk->queue_depth;
	ret->kind = disk->kind;
	ret->rotational = disk->rotational;
	ret->zeroes = disk->zeroes;
	ret->host_managed = disk_is_host_managed(disk);
	ret->devno = disk->identity.devno;
	text_copy(ret->spindle, sizeof(ret->spindle), disk->physical_parent);
	text_copy(ret->transport, sizeof(ret->transport), disk->transport);
	text_copy(ret->driver, sizeof(ret->driver), disk->driver);
}

void opened_describe(const struct endpoint *endpoint, const struct disk *disk, uint64_t size,
		     bool writable, struct io_end *ret)
{
	*ret = (struct io_end){
		.fd = -1,
		.writable = writable,
		.name = endpoint->node,
		.size = size,
		.sg = endpoint->sg,
		.sg_fd = -1,
		.start = endpoint->start,
		.logical_sector_size = endpoint->logical_sector_size,
		.physical_sector_size = endpoint->physical_sector_size,
		.kind = DISK_OTHER,
		.rotational = UNKNOWN,
		.zeroes = UNKNOWN,
	};
	if (endpoint->kind == ENDPOINT_IMAGE)
		describe_file(ret);
	else if (disk)
		describe_disk(disk, ret);
}

void opened_use_claim(const struct claim *claim, struct io_end *end)
{
	end->fd = claim_fd(claim);
	end->direct = claim_is_direct(claim);
	end->sg_fd = claim_sg_fd(claim);
	end->medium = claim_medium(claim);
}

static int check_ends(void *user, struct error *reterr)
{
	const struct opened *opened = user;
	int r = claim_check(opened->destination, reterr);

	return r < 0 || !opened->source ? r : claim_check(opened->source, reterr);
}

/* NULL: of a source that is gone. */
static const struct claim *claim_of(const struct opened *opened, bool destination)
{
	return destination ? opened->destination : opened->source;
}

bool opened_present(const struct opened *opened, bool destination)
{
	const struct claim *claim = claim_of(opened, destination);

	/* It is not waited for. */
	return !claim || claim_present(claim);
}

static bool is_present(void *user, bool destination)
{
	return opened_present(user, destination);
}

static void look(void *user, bool destination)
{
	const struct claim *claim = claim_of(user, destination);

	if (claim)
		claim_look(claim);
}

static unsigned count_resets(void *user, bool destination)
{
	const struct opened *opened = user;
	const struct claim *claim = claim_of(opened, destination);

	/* Of a copy that is verified, what was lost is found later. */
	return claim ? claim_resets(claim,
				    destination && opened->plan->options.verify == VERIFY_OFF)
		     : 0;
}

void opened_prepare(struct opened *opened, struct plan *plan, const struct disk *source,
		    const struct disk *destination)
{
	opened->plan = plan;
	opened->setup = (struct job_setup){
		.plan = plan,
		.probe = plan_probes(plan, destination),
		.rolling = plan_rolling(plan, destination),
		.source_hwmon = source ? source->hwmon : NULL,
		.destination_hwmon = destination ? destination->hwmon : NULL,
		.check = check_ends,
		.present = is_present,
		.look = look,
		.resets = count_resets,
		.check_user = opened,
	};
	opened_describe(&plan->source, source, plan->source.size, false, &opened->setup.source);
	opened_describe(&plan->destinations[0], destination, plan->destination_size_after, true,
			&opened->setup.destination);
	opened->setup.destination.from_medium = plan->options.verify != VERIFY_OFF;
}

void opened_look_for_writer(struct opened *opened)
{
	struct plan *plan = opened->plan;
	uint64_t before = plan->source.identity.modified;
	uint64_t now = opened->source ? claim_modified(opened->source) : 0;

	if (now && before && now != before && !plan->source_writer[0])
		text_copy(plan->source_writer, sizeof(plan->source_writer),
			  _("its file was changed by another program"));
	if (now)
		plan->source.identity.modified = now;
	opened->setup.source_in_use = plan->source_writer[0] != '\0';
}

/* Where a file has no lasting number, its times are not exact once it is mounted anew: FAT keeps
 * two seconds, and in local time; some file systems of FUSE tell when they were mounted. */
static void look_at_inexact_time(struct opened *opened)
{
	struct plan *plan = opened->plan;
	uint64_t before = plan->source.identity.modified;
	uint64_t now = opened->source ? claim_modified(opened->source) : 0;

	if (endpoint_inode_lasts(&plan->source))
		return;
	if (before && now && (before > now ? before - now : now - before) > 2 * NSEC_PER_SEC)
		plan->source_time_differs = true;
	plan->source.identity.modified = 0;
}

int opened_claim(struct opened *opened, struct error *reterr)
{
	struct plan *plan = opened->plan;
	int r = 0;

	if (!plan->source.gone[0])
		r = claim_open(&plan->source, CLAIM_SOURCE, plan, &opened->source, reterr);
	if (r == 0)
		r = claim_open(&plan->destinations[0], CLAIM_DESTINATION, plan,
			       &opened->destination, reterr);
	if (r < 0)
		return r;
	/* The map must identify the new file, not another one of that name. */
	plan->destinations[0] = *claim_endpoint(opened->destination);
	look_at_inexact_time(opened);
	opened_look_for_writer(opened);
	if (opened->source)
		opened_use_claim(opened->source, &opened->setup.source);
	opened_use_claim(opened->destination, &opened->setup.destination);
	return 0;
}

int opened_to_verify(struct opened *opened, struct plan *plan, const struct disk_list *disks,
		     struct image_store *images, const struct digests *digests, struct map *map,
		     struct error *reterr)
{
	const struct disk *source = endpoint_disk(disks, &plan->source);
	struct endpoint destination = plan->destinations[0];
	int r = 0;

	/* An image that was made by the copy, or became longer. */
	destination.size = plan->destination_size_after;
	opened->plan = plan;
	opened->setup = (struct job_setup){
		.plan = plan,
		.resume = map,
		.verify_only = true,
		.source_digests = digests,
		.source_disk = source ? source : image_store_known(images, &plan->source),
		.check = check_ends,
		.check_user = opened,
	};
	opened_describe(&plan->source, source, plan->source.size, false, &opened->setup.source);
	opened_describe(&plan->destinations[0], endpoint_disk(disks, &plan->destinations[0]),
			destination.size, false, &opened->setup.destination);
	opened->setup.destination.from_medium = true;
	if (!digests)
		r = claim_open(&plan->source, CLAIM_SOURCE, plan, &opened->source, reterr);
	if (r == 0)
		r = claim_open(&destination, CLAIM_SOURCE, plan, &opened->destination, reterr);
	if (r < 0)
		return r;
	if (!digests)
		opened_use_claim(opened->source, &opened->setup.source);
	opened_use_claim(opened->destination, &opened->setup.destination);
	return 0;
}

void opened_close(void *data)
{
	struct opened *opened = data;

	claim_discard(cleanup_steal(opened->destination));
	claim_discard(cleanup_steal(opened->source));
}

void opened_discard(struct opened *opened)
{
	job_destroy(cleanup_steal(opened->job));
	opened_close(opened);
}
