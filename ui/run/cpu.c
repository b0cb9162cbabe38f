/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors of screen 4 in words, and the table of all lanes. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"

#include "ui/run/model.h"

static void cpu_share(struct run_cpu *line, const struct cpu_share *share, bool iowait,
		      const char *more)
{
	double busy = (double)share->user + (double)share->system;
	size_t used;

	line->bar = share->known;
	line->parts[0] = (double)share->user;
	line->parts[1] = (double)share->system;
	line->parts[2] = iowait ? (double)share->iowait : 0;
	if (!share->known)
		snprintf(line->text, sizeof(line->text), "  -");
	else if (iowait)
		snprintf(line->text, sizeof(line->text), _("%3.0f%%  iowait %2.0f%%"), busy * 100,
			 (double)share->iowait * 100);
	else
		snprintf(line->text, sizeof(line->text), "%3.0f%%", busy * 100);
	used = strlen(line->text);
	snprintf(line->text + used, sizeof(line->text) - used, "  %s", more);
}

static const char *lane_rate(const struct job_snapshot *job, double bytes,
			     char rate[static UNITS_TEXT_MAX])
{
	/* There is no measured rate in the first second. */
	return job->elapsed < NSEC_PER_SEC ? "-" : units_print_rate(bytes, rate);
}

/* What the thread writes in a second; between two passes it is idle. */
static const char *lane_words(const struct job_snapshot *job, unsigned lane,
			      char rate[static UNITS_TEXT_MAX])
{
	if (job->state == JOB_ENDED)
		return _("ended");
	return job->lanes[lane].alive ? lane_rate(job, job->lanes[lane].rate, rate) : _("idle");
}

/* Where its requests were in the last second, most of the time. */
static const char *waits_for(const struct job_lane *lane)
{
	float source = lane->waiting[0], destination = lane->waiting[1];

	if (!lane->alive || source + destination <= 0)
		return "";
	if (source > 2 * destination)
		return _("waits for source");
	return destination > 2 * source ? _("waits for dest") : _("waits for both");
}

static void cpu_lane(const struct job_snapshot *job, unsigned lane, bool wide, struct run_cpu *ret)
{
	char rate[UNITS_TEXT_MAX], more[96];

	snprintf(ret->label, sizeof(ret->label), _("thread%u"), lane);
	snprintf(more, sizeof(more), wide ? "%-9s %s" : "%s", lane_words(job, lane, rate),
		 waits_for(&job->lanes[lane]));
	cpu_share(ret, &job->lanes[lane].cpu, false, more);
}

/* Several lanes in one line: their sum. */
static void cpu_rest(const struct job_snapshot *job, unsigned from, struct run_cpu *ret)
{
	struct cpu_share sum = { .known = true };
	char rate[UNITS_TEXT_MAX];
	double bytes = 0;

	for (unsigned i = from; i < job->lane_count; i++) {
		const struct job_lane *lane = &job->lanes[i];

		sum.known = sum.known && lane->cpu.known;
		sum.user += lane->cpu.user;
		sum.system += lane->cpu.system;
		bytes += lane->rate;
	}
	snprintf(ret->label, sizeof(ret->label), _("+%u more"), job->lane_count - from);
	cpu_share(ret, &sum, false, lane_rate(job, bytes, rate));
}

int run_cpu_lines(const struct job_snapshot *job, unsigned cores, bool wide, int max,
		  struct run_cpu *ret)
{
	/* The lanes come first; the coordinator has a line where there is room. */
	bool coordinator = max >= 6;
	char more[48] = "";
	int count = 0;

	memset(ret, 0, (size_t)(max > 0 ? max : 0) * sizeof(*ret));
	if (max < 3)
		return 0;
	snprintf(ret[count].label, sizeof(ret[count].label), "%s", _("system"));
	if (wide)
		snprintf(more, sizeof(more), P_("%u core", "%u cores", cores), cores);
	cpu_share(&ret[count++], &job->cpu_system, true, more);

	unsigned room = (unsigned)(max - count - 1 - coordinator), lanes = job->lane_count;

	if (lanes > JOB_LANES_MAX)
		lanes = JOB_LANES_MAX;
	for (unsigned i = 0; i < lanes && room; i++, room--) {
		if (room == 1 && i + 1 < lanes) {
			cpu_rest(job, i, &ret[count++]);
			break;
		}
		cpu_lane(job, i, wide, &ret[count++]);
	}
	snprintf(ret[count].label, sizeof(ret[count].label), "%s", _("process"));
	cpu_share(&ret[count++], &job->cpu_process, false, _("all threads"));
	if (!coordinator)
		return count;
	snprintf(ret[count].label, sizeof(ret[count].label), "%s", _("coord."));
	cpu_share(&ret[count++], &job->cpu_coordinator, false, wide ? _("map and statistics") : "");
	return count;
}

/* ---- table of all lanes ---- */

static void print_end(FILE *out, const char *word, const struct endpoint *end)
{
	const struct identity *identity = &end->identity;

	fprintf(out, "%s  %s", word, end->node);
	if (end->kind != ENDPOINT_IMAGE)
		fprintf(out, "  %s\n   %s %s  %s %s", text_or_dash(identity->model), _("S/N"),
			text_or_dash(identity->serial), _("WWN"), text_or_dash(identity->wwn));
	fputc('\n', out);
}

char *run_text_lanes(const struct plan *plan, const struct job_snapshot *job)
{
	char rate[UNITS_TEXT_MAX], user[16], system[16];
	struct text_stream text;
	FILE *out = text_stream_begin(&text);

	if (!out)
		return NULL;
	fprintf(out, "%s\n", _("THREAD USER%   SYS%   IN FLIGHT   PER SECOND"));
	for (unsigned i = 0; i < job->lane_count && i < JOB_LANES_MAX; i++) {
		const struct job_lane *lane = &job->lanes[i];

		snprintf(user, sizeof(user), lane->cpu.known ? "%.1f" : "-",
			 (double)lane->cpu.user * 100);
		snprintf(system, sizeof(system), lane->cpu.known ? "%.1f" : "-",
			 (double)lane->cpu.system * 100);
		fprintf(out, "%4u %7s %6s %11u   %s\n", i, user, system, lane->in_flight,
			lane_words(job, i, rate));
	}
	fprintf(out, "\n%s\n\n", job->engine);
	print_end(out, _("Source"), &plan->source);
	print_end(out, _("Dest"), &plan->destinations[0]);
	return text_stream_end(&text);
}
