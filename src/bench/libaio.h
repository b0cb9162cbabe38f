/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Direct reads through the kernel's older queue (io_submit): for comparison only, no copy uses it.
 */
#pragma once

#include "io/io.h"

extern const struct io_backend bench_libaio_backend;
