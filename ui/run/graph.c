/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of screen 4: samples of what was read and written, and its axes in words. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/i18n.h"

#include "ui/run/model.h"

/* Takes samples of `step` seconds each, and makes means of `group` of them. */
static void take(struct run_graph *graph, struct rate_sample (*at)(const struct rates *, uint64_t),
		 const struct rates *rates, uint64_t first, unsigned group)
{
	for (int i = 0; i < graph->count; i++) {
		struct rate_sample sum = { 0 };

		for (unsigned k = 0; k < group; k++) {
			struct rate_sample one = at(rates, first + (uint64_t)i * group + k);

			sum.read += one.read;
			sum.write += one.write;
		}
		graph->samples[0][i] = sum.read / (float)group / 1e6F;
		graph->samples[1][i] = sum.write / (float)group / 1e6F;
	}
}

static struct rate_sample second_at(const struct rates *rates, uint64_t second)
{
	return rates->history[second % RATES_HISTORY];
}

static struct rate_sample all_at(const struct rates *rates, uint64_t index)
{
	return rates->all[index % RATES_ALL];
}

/* The last minutes. The oldest step may have been overwritten in part. */
static void take_history(const struct rates *rates, unsigned step, int max, struct run_graph *graph)
{
	uint64_t whole = rates->seconds / step;
	uint64_t kept = (rates->seconds < RATES_HISTORY ? rates->seconds : RATES_HISTORY) / step;

	if (rates->seconds > RATES_HISTORY && kept && rates->seconds % step)
		kept--;
	graph->step = step;
	/* In the first step there are only the seconds so far. */
	if (!kept && rates->seconds) {
		graph->count = 1;
		take(graph, second_at, rates, 0, (unsigned)rates->seconds);
		return;
	}
	graph->count = kept < (uint64_t)max ? (int)kept : max;
	take(graph, second_at, rates, (whole - (uint64_t)graph->count) * step, step);
}

static unsigned steps_for(uint64_t samples, int max)
{
	return max > 0 && samples > (uint64_t)max
		       ? (unsigned)((samples + (unsigned)max - 1) / (unsigned)max)
		       : 1;
}

void run_graph_make(const struct rates *rates, enum run_span span, int max, struct run_graph *ret)
{
	unsigned group;

	*ret = (struct run_graph){ .step = 1 };
	if (max > RUN_GRAPH_MAX)
		max = RUN_GRAPH_MAX;
	if (max <= 0)
		return;
	if (span == RUN_SPAN_ALL && rates->seconds > RATES_HISTORY) {
		group = steps_for(rates->all_count, max);
		ret->step = group * rates->all_step;
		ret->count = (int)(rates->all_count / group);
		take(ret, all_at, rates, 0, group);
	} else {
		take_history(rates,
			     span == RUN_SPAN_NOW ? 1
						  : steps_for(span == RUN_SPAN_ALL ? rates->seconds
										   : RATES_HISTORY,
							      max),
			     max, ret);
	}
	for (int side = 0; side < 2; side++) {
		const float *samples = ret->samples[side];

		for (int i = 0; i < ret->count; i++) {
			ret->least[side] = i ? fminf(ret->least[side], samples[i]) : samples[i];
			ret->most[side] = fmaxf(ret->most[side], samples[i]);
			ret->mean[side] += samples[i] / (float)ret->count;
		}
	}
}

void run_text_graph(const struct run_graph *graph, bool write, struct line *line)
{
	char least[UNITS_TEXT_MAX], mean[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	int sides = write ? 2 : 1, before = line->columns;

	if (!graph->count)
		return;
	/* All of it, then without the average, then with letters for words. */
	for (int words = 2; words >= 0; words--) {
		struct line all;
		bool fit = true;

		line_start(&all, line->limit - before);
		for (int side = 0; side < sides; side++) {
			run_text_scale((double)graph->least[side], least, sizeof(least));
			run_text_scale((double)graph->mean[side], mean, sizeof(mean));
			run_text_scale((double)graph->most[side], most, sizeof(most));
			if (words == 2)
				fit &= line_piece(&all,
						  side ? _("write %s-%s, average %s")
						       : _("read %s-%s, average %s"),
						  least, most, mean);
			else if (words)
				fit &= line_piece(&all, side ? _("write %s-%s") : _("read %s-%s"),
						  least, most);
			else
				fit &= line_piece(&all, "%s %s-%s", side ? "w" : "r", least, most);
		}
		if (fit) {
			line_add(line, "%s", all.text);
			return;
		}
	}
}

const char *run_text_ago(uint64_t seconds, char *buffer, size_t size)
{
	if (seconds < 3600)
		snprintf(buffer, size, "-%u:%02u", (unsigned)(seconds / 60),
			 (unsigned)(seconds % 60));
	else
		snprintf(buffer, size, "-%" PRIu64 "h%02u", seconds / 3600,
			 (unsigned)(seconds / 60 % 60));
	return buffer;
}

const char *run_text_scale(double rate, char *buffer, size_t size)
{
	snprintf(buffer, size, rate < 9999.5 ? "%.0f" : "%.0fk",
		 rate < 9999.5 ? rate : rate / 1000);
	return buffer;
}
