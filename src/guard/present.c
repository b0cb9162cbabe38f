/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether disks are still attached, as the kernel's own books have it: no disk is asked. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "guard/facts.h"

/* The state of a disk that the SCSI layer has given up; one that it recovers is only blocked. */
static bool given_up(const char *class, dev_t disk)
{
	char path[64], state[32] = "";

	snprintf(path, sizeof(path), "/sys/dev/%s/%u:%u/device/state", class, major(disk),
		 minor(disk));
	CLEANUP(fclose) FILE *f = fopen(path, "re");

	/* A partition has none; its disk does. */
	if (!f) {
		snprintf(path, sizeof(path), "/sys/dev/%s/%u:%u/../device/state", class,
			 major(disk), minor(disk));
		f = fopen(path, "re");
	}
	if (!f || fscanf(f, "%31s", state) != 1)
		return false;
	return strcmp(state, "offline") == 0 || strcmp(state, "transport-offline") == 0 ||
	       strcmp(state, "cancel") == 0 || strcmp(state, "deleted") == 0 ||
	       strcmp(state, "dead") == 0;
}

/* The kernel takes the directory away with the disk, and keeps the number while it is open. */
static bool left_the_kernel(const char *class, dev_t disk)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/%s/%u:%u", class, major(disk), minor(disk));
	return access(path, F_OK) < 0 && errno == ENOENT;
}

bool facts_device_present(const char *class, dev_t devno)
{
	return !left_the_kernel(class, devno) && !given_up(class, devno);
}

/* One disk of a mirror is enough. */
bool facts_place_present(const struct guard_place *place)
{
	bool any = false;

	for (size_t i = 0; i < place->below_count; i++) {
		if (!place->below[i].bottom)
			continue;
		if (facts_device_present("block", place->below[i].devno))
			return true;
		any = true;
	}
	return !place->gone && (!any || !place->complete);
}
