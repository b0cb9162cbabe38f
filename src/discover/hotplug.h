/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Following disks as they come and go, through udev's monitor. */
#pragma once

#include <stdbool.h>

#include "discover/scan_options.h"

struct udev;
struct hotplug;

/* options as of the scan, borrowed. -ENOMEM, -EACCES, … */
int hotplug_new(struct udev *udev, const struct scan_options *options, struct hotplug **ret);
void hotplug_destroy(struct hotplug *hotplug); /* NULL is fine */
int hotplug_fd(const struct hotplug *hotplug);
/* The same as scan_hears_writes() and scan_next_event(). */
bool hotplug_hears_writes(const struct hotplug *hotplug);
bool hotplug_next(struct hotplug *hotplug, char *text, unsigned size, bool *rescan);
