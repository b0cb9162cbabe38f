/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SCSI sense data in words: "Medium Error: Unrecovered read error (3/11/00)" (libsgutils2's). */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* "" where the sense is not known. Returns buffer. */
const char *sense_text(const struct sense *sense, char *buffer, size_t size);
