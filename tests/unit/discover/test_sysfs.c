/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/attr.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "folder.h"
#include "unit.h"

UNIT_CASE(.setup = folder_make, .teardown = folder_remove);

TEST(leads_where_the_kernel_leads)
{
	static const char *const folders[] = { "/sys/class/net", "/sys/class/block",
					       "/sys/class/tty", "/sys/dev/char" };
	unsigned followed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		DIR *directory = opendir(folders[i]);
		struct dirent *entry;

		while (directory && (entry = readdir(directory))) {
			char link[512], found[PATH_MAX], expected[PATH_MAX];

			snprintf(link, sizeof(link), "%s/%s", folders[i], entry->d_name);
			/* What goes meanwhile, or is no link, is nobody's. */
			if (entry->d_type != DT_LNK || !realpath(link, expected))
				continue;
			ck_assert_int_eq(sysfs_follow(link, found), 0);
			ck_assert_str_eq(found, expected);
			followed++;
		}
		if (directory)
			closedir(directory);
	}
	ck_assert_uint_gt(followed, 0);
}

TEST(by_the_number_of_a_device)
{
	char found[PATH_MAX], expected[PATH_MAX];

	/* /dev/null is everywhere. */
	ck_assert_ptr_nonnull(realpath("/sys/dev/char/1:3", expected));
	ck_assert_int_eq(sysfs_by_number("char", makedev(1, 3), found), 0);
	ck_assert_str_eq(found, expected);
	ck_assert_int_eq(sysfs_by_number("char", makedev(4095, 1048575), found), -ENOENT);
}

TEST(what_is_no_link)
{
	char found[PATH_MAX];

	ck_assert_int_eq(sysfs_follow("/sys/class", found), -EINVAL);
	ck_assert_int_eq(sysfs_follow("/sys/class/none/such", found), -ENOENT);
}

TEST(no_further_up_than_to_the_root)
{
	const char *link = path_of("link");
	char found[PATH_MAX];

	ck_assert_int_eq(symlink("../../../../../../devices/x", link), 0);
	ck_assert_int_eq(sysfs_follow(link, found), 0);
	ck_assert_str_eq(found, "/devices/x");
}
