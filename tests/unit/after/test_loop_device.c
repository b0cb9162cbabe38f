/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop devices over a part of the copy. */
#include "unit.h"

#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "after/loop_device.h"

/* blockdev --setro outlives the device that it was meant for. */
TEST(a_node_that_was_read_only_before_is_written)
{
	const struct loop_window all = { 0 };
	char before[LOOP_NODE_MAX], node[LOOP_NODE_MAX] = "";
	int file = memfd_create("disk", MFD_CLOEXEC), loop, on = 1;

	ck_assert_int_eq(ftruncate(file, 1 << 20), 0);
	/* Another test may be given that node first, and makes it writable as well. */
	for (int i = 0; i < 100 && (!node[0] || strcmp(node, before) != 0); i++) {
		loop = loop_attach(file, &all, before);
		ck_assert_int_ge(loop, 0);
		ck_assert_int_eq(ioctl(loop, BLKROSET, &on), 0);
		close(loop);
		loop = loop_attach(file, &all, node);
		ck_assert_int_ge(loop, 0);
		ck_assert_int_eq(pwrite(loop, "x", 1, 0), 1);
		ck_assert_int_eq(fsync(loop), 0);
		close(loop);
	}
	ck_assert_str_eq(node, before);
	close(file);
}
