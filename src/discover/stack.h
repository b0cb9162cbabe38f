/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How block devices stand on each other: dm, md, bcache, loop and zram devices
 * on partitions and disks, as a graph that can be walked down. Devices are
 * numbered in the order in which they were handed in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "discover/disk.h"

struct udev_device;

#define STACK_NONE SIZE_MAX
/* Higher stacks are not distinguished. */
#define STACK_HEIGHT_MAX 16U

struct stack_block {
	dev_t devno;
	char name[64], node[64];
	char holder_name[128]; /* what a holder of this kind is called */
	char *backing_file;    /* of a loop or zram device, else NULL; as the kernel says it, not
				* sanitised: it is looked up */
	size_t disk;           /* of a partition, else STACK_NONE */
	bool bcache;   /* bcache has taken it, as backing device or cache; whether anything stands
			* upon it is another question */
	size_t *below; /* directly */
	size_t below_count;
	unsigned visited; /* number of the last walk that came by */
};

struct stack {
	struct stack_block *blocks;
	size_t count;
	size_t *by_devno; /* indices, sorted */
};

/* Links slaves; files behind loop devices and zram need stack_link(). -ENOMEM. */
int stack_new(struct udev_device *const *blocks, size_t count, struct stack **ret);
void stack_destroy(struct stack *stack);

size_t stack_by_devno(const struct stack *stack, dev_t devno); /* STACK_NONE */
/* What a holder means for the devices below. */
enum use_kind stack_holder_kind(const struct stack *stack, size_t block);
int stack_link(struct stack *stack, size_t block, size_t below);

/* On how many devices, one upon the other, the block stands: 0 for hardware. */
unsigned stack_height(const struct stack *stack, size_t block);
