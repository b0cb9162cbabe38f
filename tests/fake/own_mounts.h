/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a test mounts is mounted for it alone. In the machine's own name space of mounts, a name
 * space that another test makes would have it, too: the disk stays in use there when this test
 * unmounts it. */
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <check.h>

/* Until the process ends. Before it starts threads. */
static inline void own_mounts(void)
{
	/* Without root, nothing is mounted. */
	if (geteuid() != 0)
		return;
	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
}
