/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder for the files of one test, which goes with it; and loop devices over them. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

static char folder[64];

static inline void folder_make(void)
{
	strcpy(folder, "/tmp/clonedeck-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* Where /tmp may be in memory, which is another file system. */
static inline void folder_make_on_disk(void)
{
	strcpy(folder, "/var/tmp/clonedeck-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static inline void folder_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* A path in it, until three others were asked for. */
static inline const char *path_of(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

/* Over a file or another device, until it is detached. */
static inline void loop_over(const char *path, char node[static 64])
{
	char command[256];
	FILE *losetup;

	snprintf(command, sizeof(command), "losetup --partscan --find --show %s", path);
	losetup = popen(command, "re");
	ck_assert_ptr_nonnull(losetup);
	ck_assert_ptr_nonnull(fgets(node, 64, losetup));
	node[strcspn(node, "\n")] = '\0';
	ck_assert_int_eq(pclose(losetup), 0);
}

/* Those over its files. Not by the node, which may be somebody else's by now. */
static inline void folder_detach(void)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "for f in %s/*; do losetup -j $f -n -O NAME | xargs -r losetup -d; done", folder);
	ck_assert_int_ge(system(command), 0);
}
