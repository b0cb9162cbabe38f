/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays, and such as grow. */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Binary search: the first `i` below `count` for which the condition holds, or `count`. Where it
 * holds for one `i`, it must hold for all behind it. */
#define array_first(count, i, condition)                                                           \
	({                                                                                         \
		size_t low_ = 0, high_ = (count);                                                  \
		while (low_ < high_) {                                                             \
			size_t i = low_ + (high_ - low_) / 2;                                      \
			if (condition)                                                             \
				high_ = i;                                                         \
			else                                                                       \
				low_ = i + 1;                                                      \
		}                                                                                  \
		low_;                                                                              \
	})

/* Appends an item to an allocated array of `count`. 0 or -ENOMEM; then it is as before. */
#define array_append(items, count, ...)                                                            \
	({                                                                                         \
		__typeof__(items) grown_ = reallocarray((items), (count) + 1, sizeof(*grown_));    \
		if (grown_) {                                                                      \
			(items) = grown_;                                                          \
			(items)[(count)++] = (__VA_ARGS__);                                        \
		}                                                                                  \
		grown_ ? 0 : -ENOMEM;                                                              \
	})

/* Room for `wanted` items in an array that becomes large: it doubles. 0 or -ENOMEM. */
#define array_reserve(items, capacity, wanted)                                                     \
	({                                                                                         \
		size_t room_ = (capacity) ? (capacity) : 8;                                        \
		while (room_ < (wanted))                                                           \
			room_ *= 2;                                                                \
		__typeof__(items) grown_ =                                                         \
			room_ == (capacity) ? (items)                                              \
					    : reallocarray((items), room_, sizeof(*grown_));       \
		if (grown_) {                                                                      \
			(items) = grown_;                                                          \
			(capacity) = room_;                                                        \
		}                                                                                  \
		grown_ ? 0 : -ENOMEM;                                                              \
	})

/* A copy of `count` items, or room for one where there are none. NULL: no memory. */
#define array_copy(items, count) array_copy_of((items), (count), sizeof((items)[0]))

static inline void *array_copy_of(const void *items, size_t count, size_t size)
{
	void *copy = reallocarray(NULL, count ? count : 1, size);

	if (copy && count)
		memcpy(copy, items, count * size);
	return copy;
}
