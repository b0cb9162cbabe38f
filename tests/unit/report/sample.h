/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A complete report to look at: sda copied to the larger sdb. */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "report/report.h"

#define SAMPLE_SIZE (2000398934016ULL)
#define MIB_BYTES   (1ULL << 20)

struct sample {
	struct report report;
	struct plan *plan;
};

static inline void sample_end(struct endpoint *endpoint, const char *node, const char *model,
			      const char *serial, uint64_t size)
{
	*endpoint = (struct endpoint){ .kind = ENDPOINT_DISK,
				       .size = size,
				       .logical_sector_size = 512,
				       .physical_sector_size = 4096,
				       .exists = true };
	text_copy(endpoint->node, sizeof(endpoint->node), node);
	text_copy(endpoint->disk_node, sizeof(endpoint->disk_node), node);
	text_copy(endpoint->identity.model, sizeof(endpoint->identity.model), model);
	text_copy(endpoint->identity.serial, sizeof(endpoint->identity.serial), serial);
	endpoint->identity.size = size;
	endpoint->identity.logical_sector_size = 512;
}

static inline void sample_job(struct job_snapshot *job)
{
	static const struct latency_summary latency = { .count = 1000,
							.mean = 23 * NSEC_PER_MSEC,
							.p50 = 22 * NSEC_PER_MSEC,
							.p90 = 40 * NSEC_PER_MSEC,
							.p99 = 61 * NSEC_PER_MSEC,
							.p999 = 210 * NSEC_PER_MSEC,
							.max = 1204 * NSEC_PER_MSEC };

	*job = (struct job_snapshot){
		.state = JOB_ENDED,
		.result = JOB_RESULT_COMPLETE,
		.flushed = true,
		.started_at = 1790000000,
		.ended_at = 1790010755,
		.flushed_at = 1790010755,
		.elapsed = 10755 * NSEC_PER_SEC,
		.copy_ns = 10750 * NSEC_PER_SEC,
		.flush_ns = 5 * NSEC_PER_SEC,
		.total = SAMPLE_SIZE,
		.read = SAMPLE_SIZE,
		.written = SAMPLE_SIZE,
		.average = 186e6,
		.peak = 211e6,
		.passes = { { .kind = PASS_COPY,
			      .rounds = 1,
			      .ns = 10750 * NSEC_PER_SEC,
			      .done = SAMPLE_SIZE,
			      .total = SAMPLE_SIZE },
			    { .kind = PASS_FLUSH, .rounds = 1, .ns = 5 * NSEC_PER_SEC } },
		.pass_count = 2,
		.lane_count = 2,
		.chunk = 1048576,
		.buffers = 16,
		.map_safe = true
	};
	job->source.backend = job->destination.backend = "uring";
	job->source.depth = job->destination.depth = 4;
	job->source.latency = job->destination.latency = latency;
	job->lanes[0].cpu = (struct cpu_share){ .known = true, .user = 0.01F, .system = 0.07F };
	text_copy(job->engine, sizeof(job->engine), "Both ends use uring.");
}

static inline void sample_disk(struct report_disk *disk, const char *hctl, const char *serial)
{
	text_copy(disk->transport, sizeof(disk->transport), "sata");
	text_copy(disk->hctl, sizeof(disk->hctl), hctl);
	snprintf(disk->bsg, sizeof(disk->bsg), "/dev/bsg/%s", hctl);
	text_copy(disk->path, sizeof(disk->path), "pci-0000:00:17.0-ata-1");
	snprintf(disk->by_id, sizeof(disk->by_id), "/dev/disk/by-id/ata-DISK_%s", serial);
	disk->rotational = YES;
	health_clear(&disk->before, NULL);
	health_clear(&disk->after, "It does not answer.");
	disk->before.time = 1790000000;
	disk->before.passed = YES;
	disk->before.values[HEALTH_TEMPERATURE] = 31;
	disk->before.values[HEALTH_REALLOCATED] = 0;
	disk->before.values[HEALTH_PENDING] = 2;
}

/* Faster outside than inside, as a spinning disk is. */
static inline void sample_profile(struct rates *rates)
{
	for (size_t i = 0; i < RATES_PROFILE; i++)
		rates->profile[i] = (float)(211e6 - (double)(i * i) * 5e3);
	rates->profile[40] = 3e7F;
	rates->profile[41] = 0;
}

static inline void sample_init(struct sample *sample)
{
	struct endpoint source, destination;

	memset(sample, 0, sizeof(*sample));
	sample_end(&source, "/dev/sda", "ST2000DM008-2FR102", "ZFL1A2B3", SAMPLE_SIZE);
	sample_end(&destination, "/dev/sdb", "WDC WD40EFAX-68JH4N1", "WX12D3456789",
		   2 * SAMPLE_SIZE);
	ck_assert_int_eq(
		plan_new(&source, &destination, NULL, NULL, NULL, NULL, &sample->plan, NULL), 0);
	sample->report.plan = sample->plan;
	sample_job(&sample->report.job);
	sample->report.job.look = (struct job_look){ .asked = true,
						     .done = true,
						     .places = 70,
						     .bytes = 3 * MIB_BYTES,
						     .held_bytes = 2 * MIB_BYTES,
						     .sample = 16,
						     .sample_bytes = 16 * 4096,
						     .seed = 77 };
	sample_profile(&sample->report.rates);
	sample_disk(&sample->report.source, "0:0:0:0", "ZFL1A2B3");
	sample_disk(&sample->report.destination, "2:0:0:0", "WX12D3456789");
	memset(sample->report.map_cells, '+', REPORT_MAP_CELLS);
	text_copy(sample->report.operator_name, REPORT_PERSON_MAX, "J. M\xc3\xbcller");
	text_copy(sample->report.ticket, REPORT_PERSON_MAX, "2026-0917");
	sample->report.events = calloc(1, sizeof(*sample->report.events));
	sample->report.event_count = 1;
	sample->report.events[0] = (struct job_event){ .number = 1,
						       .time = 1790000000,
						       .level = LOG_LEVEL_INFO,
						       .text = "started \"it\" \\ \xc3\xa4" };
	sample->report.verdicts.items = calloc(1, sizeof(*sample->report.verdicts.items));
	sample->report.verdicts.count = 1;
	sample->report.verdicts.items[0] = (struct verdict){ .rule = "backup-gpt-inside",
							     .kind = VERDICT_WARN,
							     .sentence = "inside the disk" };
	text_copy(sample->report.files.log, 512, "/var/log/clonedeck/x.log");
	text_copy(sample->report.files.map, 512, "/var/log/clonedeck/x.map");
	text_copy(sample->report.files.json, 512, "/var/log/clonedeck/x.json");
	text_copy(sample->report.files.certificate, 512, "/var/log/clonedeck/x.html");
	text_copy(sample->report.host, 128, "rescue1");
	text_copy(sample->report.kernel, 128, "6.12");
	text_copy(sample->report.version, 64, "0.1.0");
	text_copy(sample->report.next[0], REPORT_STEP_MAX, "Move the backup GPT of /dev/sdb.");
	text_copy(sample->report.next[1], REPORT_STEP_MAX, "Take the old disk out.");
	sample->report.next_count = 2;
}

static inline void sample_add_bad(struct sample *sample)
{
	struct job_snapshot *job = &sample->report.job;

	job->result = JOB_RESULT_PARTIAL;
	job->bad[0] = (struct job_bad_area){ .lba = 1000,
					     .sectors = 8,
					     .code = -5,
					     .partition = 3,
					     .sense = { .known = true, .key = 3, .asc = 0x11 } };
	sample->report.map_cells[0] = '-';
	job->bad_shown = 1;
	job->bad_areas = 1;
	job->bad_bytes = 4096;
}

/* The third of four parts took long, and the last was not read. */
static inline void sample_add_zones(struct sample *sample)
{
	struct zones_shown *zones = &sample->report.job.zones;

	*zones = (struct zones_shown){
		.cell = 1 << 20,
		.count = 4,
		.cells = { { 7000, 9000 }, { 7100, 31000 }, { 84000, 240000 } },
		.slowest = { .known = true,
			     .weak = true,
			     .first = 2 << 20,
			     .bytes = 1 << 20,
			     .median = 84000000,
			     .max = 240000000,
			     .rest = 7000000,
			     .factor = 12 },
	};
}

static inline void sample_add_io_stats(struct sample *sample)
{
	sample->report.job.source.stats = (struct io_stats){ .known = true,
							     .direct = 5,
							     .indirect = 4,
							     .recovered = 3,
							     .retried = 2,
							     .waited = 1,
							     .driver = "3.5.36",
							     .advice = "It could be faster." };
}

/* What a disk, a file system or a user may have put into texts. */
#define SAMPLE_HOSTILE "\"><script>alert('1')</script>&amp;\033[31m\302\233"

static inline void sample_make_hostile(struct sample *sample)
{
	struct report *report = &sample->report;
	struct identity *identity = &sample->plan->source.identity;

	text_copy(identity->model, sizeof(identity->model), SAMPLE_HOSTILE);
	text_copy(identity->serial, sizeof(identity->serial), SAMPLE_HOSTILE);
	text_copy(identity->wwn, sizeof(identity->wwn), SAMPLE_HOSTILE);
	text_copy(sample->plan->destinations[0].node, 512, "/srv/" SAMPLE_HOSTILE ".img");
	text_copy(report->operator_name, REPORT_PERSON_MAX, SAMPLE_HOSTILE);
	text_copy(report->ticket, REPORT_PERSON_MAX, SAMPLE_HOSTILE);
	text_copy(report->host, 128, SAMPLE_HOSTILE);
	text_copy(report->source.path, 128, SAMPLE_HOSTILE);
	text_copy(report->files.map, 512, "/mnt/" SAMPLE_HOSTILE ".map");
	text_copy(report->events[0].text, 256, SAMPLE_HOSTILE);
	text_copy(report->verdicts.items[0].sentence, 400, SAMPLE_HOSTILE);
	health_clear(&report->source.before, SAMPLE_HOSTILE);
	text_copy(report->job.error.sentence, 320, SAMPLE_HOSTILE);
	report->job.error.code = -5;
}

/* One sector that is known, and one somewhere in a region; of a third one only the number. */
static inline void sample_add_differences(struct sample *sample)
{
	struct job_snapshot *job = &sample->report.job;

	job->result = JOB_RESULT_MISMATCH;
	job->proof = (struct job_proof){
		.asked = true,
		.verified = SAMPLE_SIZE - 3 * MIB_BYTES,
		.areas = 3,
		.bytes = MIB_BYTES + 1024,
		.shown = 2,
		.mismatches = {
			{ .kind = MISMATCH_DESTINATION,
			  .lba = 2049,
			  .sectors = 1,
			  .destination_lba = 4097,
			  .partition = 2,
			  .has_byte = true,
			  .byte = 7,
			  .at_source = 10,
			  .at_destination = 255,
			  .has_digests = true,
			  .region_lba = 2048,
			  .region_sectors = 2048,
			  .expected = "00aa",
			  .found = "00bb" },
			{ .kind = MISMATCH_UNREADABLE,
			  .lba = 8192,
			  .sectors = 2048,
			  .destination_lba = 10240,
			  .somewhere = true,
			  .code = -EIO },
		},
	};
}

static inline void sample_add_checksums(struct sample *sample, enum job_sums_state state)
{
	struct job_sums *sums = &sample->report.job.sums;

	*sums = (struct job_sums){ .state = state, .count = 2 };
	sums->items[0].algorithm = CHECKSUM_SHA512;
	sums->items[1].algorithm = CHECKSUM_MD5;
	if (!job_sums_known(sums))
		return;
	memset(sums->items[0].hex, 'a', 128);
	memset(sums->items[1].hex, 'b', 32);
}

static inline void sample_done(struct sample *sample)
{
	report_done(&sample->report);
	plan_destroy(sample->plan);
}

/* A new one for each test. */
static struct sample sample;

static inline void sample_setup(void)
{
	sample_init(&sample);
}

static inline void sample_teardown(void)
{
	sample_done(&sample);
}

#define SAMPLE_CASE UNIT_CASE(.setup = sample_setup, .teardown = sample_teardown)
