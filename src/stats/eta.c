/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time left. Three steps: an estimate from the recent speed and, where the
 * disk has shown one, its slope from outer to inner zones; a damped countdown
 * that follows the estimate; a rounded figure that moves only when the
 * countdown has clearly left it.
 */
#include "stats/eta.h"

#include <math.h>

#include "base/clock.h"

#define FIRST_SHOWN   (10 * NSEC_PER_SEC) /* of copying */
#define STALLED       (10 * NSEC_PER_SEC) /* without a byte written */
#define WINDOW        120                 /* seconds that decide */
#define WINDOW_LEAST  5
#define WINDOW_WEIGHT 0.8 /* the rest is that of the last ten minutes, or of the line */

/*
 * Fewer parts of the profile than this say nothing about a slope, and a fit
 * must explain this much of the variance. A single step (another rate limit, a
 * cache that filled up) never explains more than 0.75, so it is not taken for a
 * slope.
 */
#define TREND_PARTS    12
#define TREND_R2       0.8
#define TREND_FALL     0.02 /* of the mean, over the parts seen */
#define TREND_END_PART 3    /* no disk is assumed to fall below this part of its speed */

struct trend {
	double here;  /* bytes per second where the copy is now, on the line */
	double slope; /* bytes per second per part of the profile */
};

static bool find_trend(const struct rates *rates, struct trend *ret)
{
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;

	for (unsigned i = rates->eta.since_bucket; i < rates->bucket; i++) {
		double x = i, y = (double)rates->profile[i];

		if (y <= 0)
			continue;
		n++;
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
		syy += y * y;
	}
	if (n < TREND_PARTS)
		return false;

	double vx = sxx - sx * sx / n, vy = syy - sy * sy / n, cov = sxy - sx * sy / n;
	double slope = cov / vx;

	if (-slope * n < TREND_FALL * sy / n || cov * cov < TREND_R2 * vx * vy)
		return false;
	ret->slope = slope;
	ret->here = sy / n + slope * (rates->bucket - sx / n);
	return true;
}

/* Seconds for `bytes` at a speed that falls evenly over them from `first` to `last`. */
static double seconds_for(double bytes, double first, double last)
{
	if (first - last < 0.001 * first)
		return bytes / first;
	return bytes * log(first / last) / (first - last);
}

static bool estimate(const struct rates *rates, double *ret)
{
	double left = (double)(rates->total - rates->already - rates->written);
	double window, recent = rates_recent(rates, rates->eta.since_second, WINDOW, &window);
	struct trend trend;

	if (window < WINDOW_LEAST || recent <= 0)
		return false;
	if (find_trend(rates, &trend) && trend.here > 0) {
		double first = WINDOW_WEIGHT * recent + (1 - WINDOW_WEIGHT) * trend.here;
		double last = first + trend.slope * (RATES_PROFILE - rates->bucket);

		*ret = seconds_for(left, first, fmax(last, first / TREND_END_PART));
		return true;
	}

	double longer = rates_recent(rates, rates->eta.since_second, RATES_HISTORY, &window);

	*ret = left / (WINDOW_WEIGHT * recent + (1 - WINDOW_WEIGHT) * longer);
	return true;
}

static double rounding_step(double left)
{
	if (left < 60)
		return 1;
	if (left < 600)
		return 5;
	if (left < 7200)
		return 30;
	return 60;
}

uint64_t eta_steady(struct eta_shown *shown, double left)
{
	double step = rounding_step(left);

	/* Three quarters of a step: a countdown that hovers between two figures keeps one. */
	if (!shown->known || fabs(left - (double)shown->seconds) > 0.75 * step)
		shown->seconds = (uint64_t)(round(left / step) * step);
	shown->known = true;
	return shown->seconds;
}

/* Far from the end a single bad second must not show; near it the figure must be right. */
static double smoothing_time(double left)
{
	return fmin(fmax(left / 8, 2), 20);
}

static void follow(struct rates *rates, uint64_t now, double target)
{
	double passed = (double)(now - rates->eta.at) / (double)NSEC_PER_SEC;
	double left = rates->eta.left - passed;

	if (!rates->eta.known || rates->eta.jump)
		left = target;
	else
		left += (target - left) * passed / (passed + smoothing_time(target));
	rates->eta.left = fmax(left, 0);
	rates->eta.at = now;
	rates->eta.jump = false;

	eta_steady(&rates->eta.shown, rates->eta.left);
	rates->eta.known = true;
}

void eta_update(struct rates *rates, uint64_t now, uint64_t active)
{
	double target;

	if (rates->already + rates->written >= rates->total) {
		rates->eta.known = true;
		rates->eta.left = 0;
		rates->eta.shown = (struct eta_shown){ .known = true };
		rates->eta.at = now;
		return;
	}
	if (active < FIRST_SHOWN || rates->pausing || active - rates->moved_active > STALLED) {
		rates->eta.known = rates->eta.shown.known = false;
		return;
	}
	if (estimate(rates, &target))
		follow(rates, now, target);
}

void rates_eta(const struct rates *rates, uint64_t now, int64_t unix_now, struct eta *ret)
{
	*ret = (struct eta){ .known = rates->eta.known };
	if (!ret->known)
		return;

	double passed = now > rates->eta.at ? (double)(now - rates->eta.at) / NSEC_PER_SEC : 0;

	ret->seconds = rates->eta.shown.seconds;
	ret->finish = unix_now + (int64_t)round(fmax(rates->eta.left - passed, 0));
}
