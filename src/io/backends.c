/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which backend drives which end, with how many requests of what size. */
#include "io/backends.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/units.h"
#include "io/sg.h"

#define MIB         (1U << 20)
#define CHUNK_LEAST 4096U
/* The buffers of all lanes together. Four keep both ends busy up to SATA speed, eight if
 * completions are reaped in batches; more exceed the processor's caches. */
#define MEMORY_USUAL (8 * MIB)
#define MEMORY_NVME  (24 * MIB)
/* Bytes read between two moves of the heads if both ends are on one spindle: with less, moving
 * takes longer than the memory is worth. */
#define MEMORY_TURNS (64 * MIB)
#define MEMORY_MOST  (1024U * MIB)
/* The largest request to a driver that works inside the call. Disks that queue get at most a chunk,
 * since some of them give up on longer requests. */
#define WIDEST (4 * MIB)

const struct io_backend *io_backend_by_choice(enum backend_choice choice)
{
	switch (choice) {
	case BACKEND_AUTO:
		break;
	case BACKEND_URING:
		return &io_uring_backend;
	case BACKEND_THREADS:
		return &io_threads_backend;
	case BACKEND_BUFFERED:
		return &io_buffered_backend;
	case BACKEND_IMAGE:
		return &io_image_backend;
	case BACKEND_SG:
		return &sg_backend_find(SG_DATA_DIRECT, false, false)->io;
	case BACKEND_NULL:
		return &io_null_backend;
	}
	return NULL;
}

/* Suitable depths for kinds of devices; the device's own queue may be shorter. */
struct profile {
	uint32_t depth;
	uint32_t chunk; /* bytes */
};

static struct profile profile_of(const struct io_end *end)
{
	bool usb = strcmp(end->transport, "usb") == 0;

	if (end->best_request && end->best_depth)
		return (struct profile){ end->best_depth, end->best_request };
	if (end->regular_file)
		return (struct profile){ 4, MIB };
	if (end->kind == DISK_LOOP) /* reports rotation if its file is on a spinning disk */
		return (struct profile){ 8, MIB };
	if (end->kind == DISK_NVME)
		return (struct profile){ 16, MIB };
	if (strcmp(end->driver, "uas") == 0)
		return (struct profile){ 8, MIB / 2 };
	if (usb) /* bulk-only: one command at a time, the second waits in the kernel */
		return (struct profile){ 2, MIB };
	if (end->rotational == YES) /* what is in flight when the first read fails has to wait */
		return (struct profile){ 4, MIB / 2 };
	return (struct profile){ 8, MIB };
}

static uint32_t depth_of(const struct io_end *end, const struct plan_options *options)
{
	uint32_t depth = profile_of(end).depth;

	if (options->queue_depth)
		return options->queue_depth;
	/* One request more than the device accepts waits in the kernel, ready to follow. */
	if (end->queue_depth && end->queue_depth + 1 < depth)
		depth = end->queue_depth + 1;
	return depth;
}

static uint32_t power_of_two_below(uint32_t value)
{
	uint32_t power = 1;

	while (power <= value / 2)
		power *= 2;
	return power;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static bool fits_sectors(uint32_t chunk, const struct io_end *end)
{
	return chunk % io_sector_size(end) == 0;
}

/* The most that one request can move without being split or, as a SCSI command, at all. Mapped sg
 * buffers are no larger than requests of the block layer. */
static uint32_t request_limit(const struct io_end *end, enum backend_choice backend,
			      const struct plan_options *options)
{
	bool past = backend == BACKEND_SG && options->sg_data != SG_DATA_MMAP;

	return past && end->max_command > end->max_transfer ? end->max_command : end->max_transfer;
}

/* A request that is split performs worse than two that fit. A driver without a queue gets all of it
 * at once, whatever limit it states. */
static uint32_t usual_chunk(const struct io_end *end, uint32_t limit, bool synchronous)
{
	uint32_t chunk = profile_of(end).chunk;

	if (limit && !synchronous)
		chunk = smaller(chunk, limit);
	return larger(power_of_two_below(chunk), larger(CHUNK_LEAST, io_sector_size(end)));
}

static int choose_chunk(const struct io_end *source, const struct io_end *destination,
			const struct plan_options *options, struct io_choice *choice,
			struct error *reterr)
{
	uint32_t chunk = options->chunk;

	if (!chunk) {
		chunk = smaller(usual_chunk(source,
					    request_limit(source, options->source_backend, options),
					    choice->source_synchronous),
				usual_chunk(destination,
					    request_limit(destination, options->destination_backend,
							  options),
					    choice->destination_synchronous));
		chunk = larger(chunk, larger(io_sector_size(source), io_sector_size(destination)));
	}
	choice->chunk = chunk;
	if (fits_sectors(chunk, source) && fits_sectors(chunk, destination))
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "choose", source->name,
			 _("A chunk of %" PRIu32
			   " bytes is not a whole number of sectors of %s (%" PRIu32
			   " bytes) and of %s (%" PRIu32 " bytes)."),
			 chunk, source->name, io_sector_size(source), destination->name,
			 io_sector_size(destination));
}

static const struct io_backend *sg_as_asked(const struct io_end *end,
					    const struct plan_options *options)
{
	/* only sg has buffers to map */
	if (!sg_has_node(end) && end->kind == DISK_SCSI && options->sg_data != SG_DATA_MMAP)
		return &sg_backend_find_block(options->sg_fua, options->sg_dpo)->io;
	return &sg_backend_find(options->sg_data, options->sg_fua, options->sg_dpo)->io;
}

static int choose_backend(const struct io_end *end, enum backend_choice choice,
			  const struct plan_options *options, bool synchronous,
			  const struct io_backend **ret, struct error *reterr)
{
	const struct io_backend *backend = io_backend_by_choice(choice);

	if (choice == BACKEND_SG)
		backend = sg_as_asked(end, options);

	if (choice != BACKEND_AUTO && !backend)
		return error_set(reterr, ERROR_CLASS_USAGE, -EOPNOTSUPP, "choose", end->name,
				 _("This version has no backend of that kind for %s."), end->name);
	if (!backend) {
		if (end->regular_file)
			backend = &io_image_backend;
		else if (!end->direct)
			backend = &io_buffered_backend;
		else if (synchronous || io_uring_backend.probe(&io_uring_backend, end, NULL) < 0)
			backend = &io_threads_backend;
		else
			backend = &io_uring_backend;
	}
	*ret = backend;
	return backend->probe(backend, end, reterr);
}

/* Hardware queues, and so does anything stacked upon it; only memory disks copy in the caller's
 * context. This is not measured, since a failing disk should not be read for that. */
static bool is_synchronous(const struct io_end *end)
{
	return !end->regular_file && end->kind == DISK_RAM;
}

static uint32_t processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	return (uint32_t)CPU_COUNT(&set);
}

/*
 * One lane keeps two asynchronous ends busy. A synchronous end is busy only
 * while a lane is inside it: if it computes, use as many lanes as processors;
 * if it sleeps, at least two per end.
 */
static uint32_t choose_lanes(const struct io_choice *choice)
{
	bool source = !(choice->source->traits & IO_ASYNC);
	bool destination = !(choice->destination->traits & IO_ASYNC);
	uint32_t lanes;

	if (!source && !destination)
		return 1;
	if (choice->source_synchronous || choice->destination_synchronous)
		lanes = processors();
	else
		lanes = larger(4, larger(choice->source_depth, choice->destination_depth) / 2);
	return larger(2, smaller(lanes, 8));
}

/* Several lanes, or synchronous calls, cannot take turns. */
static bool share_a_spindle(const struct io_end *source, const struct io_end *destination,
			    const struct io_choice *choice)
{
	return source != destination && source->rotational == YES && *source->spindle &&
	       !strcmp(source->spindle, destination->spindle) && choice->lanes == 1 &&
	       choice->source->traits & choice->destination->traits & IO_ASYNC;
}

/* Depths and buffers are totals over all lanes. A depth that was asked for gets its buffers,
 * whatever the caches. */
static int choose_buffers(const struct io_end *source, const struct io_end *destination,
			  const struct plan_options *options, struct io_choice *choice,
			  struct error *reterr)
{
	bool nvme = source->kind == DISK_NVME || destination->kind == DISK_NVME;
	uint32_t memory = (nvme ? MEMORY_NVME : MEMORY_USUAL) / choice->chunk;
	uint32_t wanted = choice->source_depth + choice->destination_depth;
	bool queues = (choice->source->traits | choice->destination->traits) & IO_ASYNC;

	wanted = smaller(wanted, larger(larger(memory, 2), options->queue_depth)) / choice->lanes;
	if (choice->take_turns)
		choice->buffers_per_lane = larger(MEMORY_TURNS / choice->chunk, 2);
	else if (queues)
		choice->buffers_per_lane = larger(wanted, 2);
	else /* one is filled and emptied in turn; a second one for comparing */
		choice->buffers_per_lane = options->verify == VERIFY_OFF ? 1 : 2;
	/* Each buffer is also held until it is hashed, which happens in order. */
	if (options->checksums)
		choice->buffers_per_lane += larger(2, choice->source_depth / choice->lanes);
	if ((uint64_t)choice->lanes * choice->buffers_per_lane * choice->chunk <=
	    (uint64_t)MEMORY_MOST)
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -ERANGE, "choose", source->name,
			 _("%" PRIu32 " requests of %" PRIu32
			   " bytes need too much memory; the limit is %u bytes."),
			 choice->lanes * choice->buffers_per_lane, choice->chunk, MEMORY_MOST);
}

uint32_t io_backends_widest(const struct io_choice *choice, const struct io_end *source,
			    const struct io_end *destination, const struct plan_options *options)
{
	uint32_t most = smaller(request_limit(source, options->source_backend, options),
				request_limit(destination, options->destination_backend, options));

	/* Buffers of several slots form one only if they are contiguous. */
	if (options->chunk || choice->take_turns || choice->chunk % 4096 ||
	    !(choice->source->traits & choice->destination->traits & IO_WIDE))
		return choice->chunk;
	most = smaller(most, WIDEST);
	return larger(most - most % choice->chunk, choice->chunk);
}

static const char *describe_drivers(const struct io_choice *choice)
{
	if (choice->source_synchronous && choice->destination_synchronous)
		return _("Both drivers work in the caller's context.");
	if (choice->source_synchronous)
		return _("The source's driver works in the caller's context.");
	if (choice->destination_synchronous)
		return _("The destination's driver works in the caller's context.");
	return "";
}

static void describe(const struct io_end *source, const struct io_end *destination,
		     struct io_choice *choice)
{
	char ends[80], amount[100];
	uint32_t buffers = choice->lanes * choice->buffers_per_lane;
	const char *how =
		choice->take_turns
			? _("Both ends are on one spinning disk: reading and writing take turns.")
			: describe_drivers(choice);

	if (source->best_depth || destination->best_depth)
		how = _("Sizes are those that bench sizes found best.");
	if (source == destination)
		ends[0] = '\0';
	else if (choice->source == choice->destination)
		snprintf(ends, sizeof(ends), _("Both ends use %s."), choice->source->name);
	else
		snprintf(ends, sizeof(ends), _("The source uses %s, the destination %s."),
			 choice->source->name, choice->destination->name);
	if (choice->lanes == 1)
		snprintf(amount, sizeof(amount),
			 P_("One thread has %u buffer of %s.", "One thread has %u buffers of %s.",
			    buffers),
			 buffers, UNITS_LONG(choice->chunk, UNITS_IEC, 512));
	else
		snprintf(amount, sizeof(amount), _("%u threads have %u buffers of %s."),
			 choice->lanes, buffers, UNITS_LONG(choice->chunk, UNITS_IEC, 512));
	snprintf(choice->reason, sizeof(choice->reason), "%s%s%s%s%s", ends, *ends ? " " : "", how,
		 *how ? " " : "", amount);
}

/* The block layer splits large requests; a SCSI command is sent as it is. */
static int check_command_size(const struct io_end *end, enum backend_choice backend,
			      const struct plan_options *options, uint32_t chunk,
			      struct error *reterr)
{
	uint32_t limit = request_limit(end, backend, options);

	if (backend != BACKEND_SG || !limit || chunk <= limit)
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -E2BIG, "choose", end->name,
			 _("A chunk of %s is more than one command to %s can move; the limit is "
			   "%s. Choose a smaller --chunk."),
			 UNITS_LONG(chunk, UNITS_IEC, 512), end->name,
			 UNITS_LONG(limit, UNITS_IEC, 512));
}

/* Ask for, show and allocate no more than the lanes can have in flight. */
static uint32_t taken_at_once(const struct io_backend *backend, uint32_t depth, uint32_t lanes)
{
	uint32_t most = backend->queue_most;

	return most && depth / lanes >= most ? most * lanes : depth;
}

int io_backends_choose(const struct io_end *source, const struct io_end *destination,
		       const struct plan_options *options, struct io_choice *ret,
		       struct error *reterr)
{
	struct io_choice choice = {
		.source_depth = depth_of(source, options),
		.destination_depth = depth_of(destination, options),
		.source_synchronous = is_synchronous(source),
		.destination_synchronous = is_synchronous(destination),
	};
	int r = choose_chunk(source, destination, options, &choice, reterr);

	if (r == 0)
		r = choose_backend(source, options->source_backend, options,
				   choice.source_synchronous, &choice.source, reterr);
	if (r == 0)
		r = choose_backend(destination, options->destination_backend, options,
				   choice.destination_synchronous, &choice.destination, reterr);
	if (r == 0)
		r = check_command_size(source, options->source_backend, options, choice.chunk,
				       reterr);
	if (r == 0)
		r = check_command_size(destination, options->destination_backend, options,
				       choice.chunk, reterr);
	if (r < 0)
		return r;
	choice.lanes = options->lanes ? options->lanes : choose_lanes(&choice);
	choice.source_depth = taken_at_once(choice.source, choice.source_depth, choice.lanes);
	choice.destination_depth =
		taken_at_once(choice.destination, choice.destination_depth, choice.lanes);
	choice.take_turns = share_a_spindle(source, destination, &choice);
	r = choose_buffers(source, destination, options, &choice, reterr);
	if (r < 0)
		return r;
	choice.widest = io_backends_widest(&choice, source, destination, options);
	describe(source, destination, &choice);
	*ret = choice;
	return 0;
}
