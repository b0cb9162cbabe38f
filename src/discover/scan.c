/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Discovery: one pass over all devices, then the disks themselves, then the list. */
#include "discover/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libudev.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "discover/build.h"
#include "discover/hotplug.h"
#include "discover/late.h"

#define TIMEOUT        (5 * NSEC_PER_SEC)
#define TIMEOUT_GLANCE (1 * NSEC_PER_SEC)

struct scan {
	struct scan_options options;
	char *practice_dir, *mountinfo, *swaps; /* what the options point to */
	struct udev *udev;
	struct hotplug *hotplug; /* NULL: no events here */
	struct late late;
};

static int copy_text(const char *from, char **ret)
{
	if (!from)
		return 0;
	*ret = strdup(from);
	return *ret ? 0 : -ENOMEM;
}

static int copy_options(const struct scan_options *options, struct scan *scan, struct error *reterr)
{
	scan->options = *options;
	scan->options.bad = (struct range_list){ 0 };
	if (options->practice_dir) {
		/* Loop devices name their files by real paths. */
		scan->practice_dir = realpath(options->practice_dir, NULL);
		if (!scan->practice_dir)
			return error_set(reterr, ERROR_CLASS_USAGE, -errno, "open",
					 options->practice_dir,
					 _("The folder of practice disks %s cannot be used: %s."),
					 options->practice_dir, error_phrase(errno));
	}
	if (copy_text(options->mountinfo, &scan->mountinfo) < 0 ||
	    copy_text(options->swaps, &scan->swaps) < 0)
		return error_nomem(reterr);
	scan->options.practice_dir = scan->practice_dir;
	scan->options.mountinfo = scan->mountinfo;
	scan->options.swaps = scan->swaps;
	return 0;
}

int scan_new(const struct scan_options *options, struct scan **ret, struct error *reterr)
{
	struct scan *scan = calloc(1, sizeof(*scan));
	int r;

	if (!scan)
		return error_nomem(reterr);
	r = copy_options(options, scan, reterr);
	if (r == 0) {
		scan->udev = udev_new();
		if (!scan->udev)
			r = error_nomem(reterr);
	}
	/* A list is useful without events; scan_event_fd() shows whether there are any. */
	if (r == 0 && hotplug_new(scan->udev, &scan->options, &scan->hotplug) < 0)
		scan->hotplug = NULL;
	if (r < 0)
		scan_destroy(scan);
	else
		*ret = scan;
	return r;
}

void scan_destroy(struct scan *scan)
{
	if (!scan)
		return;
	late_done(&scan->late);
	range_list_done(&scan->options.bad);
	hotplug_destroy(scan->hotplug);
	udev_unref(scan->udev);
	free(scan->practice_dir);
	free(scan->mountinfo);
	free(scan->swaps);
	free(scan);
}

void scan_only(struct scan *scan, const dev_t *only)
{
	scan->options.only_some = only;
	for (int i = 0; only && i < 2; i++)
		scan->options.only[i] = only[i];
}

void scan_spare(struct scan *scan, const struct scan_spared spared[2])
{
	scan->options.spared[0] = spared[0];
	scan->options.spared[1] = spared[1];
}

int scan_avoid(struct scan *scan, dev_t disk, const struct range_list *bad)
{
	struct range_list copy;

	if (range_list_copy(bad, &copy) < 0)
		return -ENOMEM;
	range_list_done(&scan->options.bad);
	scan->options.bad = copy;
	scan->options.bad_on = disk;
	return 0;
}

static int look(struct scan *scan, bool glance, scan_choice choose, void *user,
		struct disk_list **ret, struct error *reterr)
{
	struct build *build = NULL;
	int r = build_new(scan->udev, &scan->options, &build, reterr);

	if (r == 0 && choose)
		choose(user, scan, build_named(build));
	if (r == 0 && scan->options.probe)
		r = build_probe(build, &scan->late, glance ? TIMEOUT_GLANCE : TIMEOUT, glance,
				reterr);
	if (r == 0)
		r = build_finish(build, ret, reterr);
	build_destroy(build);
	return r;
}

int scan_run(struct scan *scan, struct disk_list **ret, struct error *reterr)
{
	return look(scan, false, NULL, NULL, ret, reterr);
}

int scan_run_chosen(struct scan *scan, scan_choice choose, void *user, struct disk_list **ret,
		    struct error *reterr)
{
	return look(scan, false, choose, user, ret, reterr);
}

int scan_glance(struct scan *scan, struct disk_list **ret, struct error *reterr)
{
	return look(scan, true, NULL, NULL, ret, reterr);
}

int scan_event_fd(struct scan *scan)
{
	return scan->hotplug ? hotplug_fd(scan->hotplug) : -1;
}

bool scan_next_event(struct scan *scan, char *text, unsigned size, bool *rescan)
{
	return scan->hotplug && hotplug_next(scan->hotplug, text, size, rescan);
}
