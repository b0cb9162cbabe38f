/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LOOP_NODE_MAX 32

/* What a loop device shows; 0: all of the file, sectors as the kernel has them. */
struct loop_window {
	uint64_t start, length; /* bytes */
	uint32_t sector_size;
	bool locked; /* udev leaves it alone: nothing on it is activated */
	bool direct; /* without the page cache below it, where the file system can do that */
};

/* A loop device over a file or disk that is open; it goes with the last descriptor of it. A
 * descriptor for reading and writing, or a negative errno. */
int loop_attach(int file, const struct loop_window *window, char node[static LOOP_NODE_MAX]);
