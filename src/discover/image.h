/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Image files as ends of a copy: found by their path, and read as the disk that
 * they hold.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"
#include "discover/endpoint.h"

/* For endpoint.c: a regular file that is there, and a path that is not. judged: one that is no raw
 * image (container.h) is refused. */
int image_resolve(const char *text, const struct stat *st, bool destination, bool judged,
		  struct endpoint *ret, struct error *reterr);
int image_resolve_new(const char *text, bool destination, struct endpoint *ret,
		      struct error *reterr);
int image_lookup_failed(const char *text, int code, struct error *reterr);
/* Is the folder one that Clonezilla saved a disk in? */
bool image_is_clonezilla(const char *folder);
