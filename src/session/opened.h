/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of a job as they were claimed, and the job on them. What waits for a disk says so. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "job/job.h"
#include "discover/image_store.h"
#include "plan/plan.h"

struct claim;
struct digests;

struct opened {
	struct plan *plan; /* borrowed; its ends as they were claimed */
	struct claim *source, *destination;
	struct job_setup setup;
	struct job *job;
};

/* A chosen end (of a disk that is known, or NULL) as backends see it, before it is claimed. `size`
 * is what may be addressed. Borrows the endpoint's strings. */
void opened_describe(const struct endpoint *endpoint, const struct disk *disk, uint64_t size,
		     bool writable, struct io_end *ret);
/* With the descriptors of its claim. */
void opened_use_claim(const struct claim *claim, struct io_end *end);
/* For a copy: what the disks (NULL: images, or not known) say about the job. */
void opened_prepare(struct opened *opened, struct plan *plan, const struct disk *source,
		    const struct disk *destination);
/* Claims both; waits. A new image is identified by its inode from then on. */
int opened_claim(struct opened *opened, struct error *reterr);
/* Was the file of a source image written to since it was claimed, for this part of the copy or an
 * earlier one? Then it is the plan's source_writer, unless there is one. Before it is given back.
 */
void opened_look_for_writer(struct opened *opened);
/* Both ends of the plan for reading, or, with `digests`, only the destination. The job takes the
 * map, the rest is borrowed. Waits. */
int opened_to_verify(struct opened *opened, struct plan *plan, const struct disk_list *disks,
		     struct image_store *images, const struct digests *digests, struct map *map,
		     struct error *reterr);
/* Is the disk or file still there? */
bool opened_present(const struct opened *opened, bool destination);
/* Gives both ends back, not the job; waits. data: a struct opened. */
void opened_close(void *data);
/* The same, and the job, which has ended or never began. */
void opened_discard(struct opened *opened);
