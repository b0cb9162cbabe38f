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
struct stack;

#define STACK_NONE SIZE_MAX
/* Higher stacks are not distinguished. */
#define STACK_HEIGHT_MAX 16U

/* Links slaves; files behind loop devices and zram need stack_link(). -ENOMEM. */
int stack_new(struct udev_device *const *blocks, size_t count, struct stack **ret);
void stack_destroy(struct stack *stack);

size_t stack_count(const struct stack *stack);
size_t stack_by_devno(const struct stack *stack, dev_t devno); /* STACK_NONE */
dev_t stack_devno(const struct stack *stack, size_t block);
const char *stack_node(const struct stack *stack, size_t block);
/* The file or device behind a loop or zram device, NULL for others. */
const char *stack_backing_file(const struct stack *stack, size_t block);
/* The name of a holder of this kind, and what it means for the devices below. */
const char *stack_holder_name(const struct stack *stack, size_t block);
enum use_kind stack_holder_kind(const struct stack *stack, size_t block);
/* The n-th device directly below; false after the last. */
bool stack_below(const struct stack *stack, size_t block, size_t n, size_t *ret);
int stack_link(struct stack *stack, size_t block, size_t below);

/* bcache has registered it, as a cache or as what is cached; whether anything stands upon it is
 * another question. */
bool stack_is_bcache(const struct stack *stack, size_t block);

/* On how many devices, one upon the other, the block stands: 0 for hardware. */
unsigned stack_height(const struct stack *stack, size_t block);

/* Calls visit for the block and, once each, for everything below it. A partition stands on what
 * its disk stands on. Stops at the first result below 0 and returns it. */
int stack_walk_down(struct stack *stack, size_t block, int (*visit)(size_t block, void *user),
		    void *user);
