/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks as JSON, for list and show: unknown is null, sizes are bytes, offsets bytes and LBA. */
#ifndef CLONEDECK_CLI_DISK_JSON_H
#define CLONEDECK_CLI_DISK_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <json-c/json.h>

#include "base/error.h"
#include "discover/disk.h"

/* All of them return a new object, NULL without memory. */
json_object *disk_json(const struct disk *disk, bool with_regions);
json_object *disk_json_missing(const struct disk_list *list);
/* Prints the document and a line end; releases it. document NULL: -ENOMEM. */
int disk_json_print(json_object *document, FILE *out, struct error *reterr);

#endif
