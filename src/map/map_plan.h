/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan as comment lines of a map file, "# clonedeck key=value" with values
 * percent-encoded, and back: of map files and of lists of digests.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "plan/plan.h"

#define MAP_SCHEMA         "clonedeck.map/1"
#define MAP_COMMENT_PREFIX "# clonedeck "
#define MAP_MASKED_LINE    MAP_COMMENT_PREFIX "masked=yes" /* never in a map file */

/* masked_id: NULL, or the id of the plan whose identities are masked here. */
void map_plan_print(const struct plan *plan, const char *masked_id, FILE *file);

struct map_plan_reader;

struct map_held;
/* held: where what is recorded of the held areas goes (borrowed); NULL: that is not to be there.
 * NULL without memory. */
struct map_plan_reader *map_plan_reader_new(struct map_held *held);
void map_plan_reader_destroy(struct map_plan_reader *reader);
/* Reads one comment line, without its line break; foreign ones are ignored. On failure, *retwhy is
 * a translated phrase that says what is wrong. -EINVAL, -ENOMEM. */
int map_plan_read_line(struct map_plan_reader *reader, const char *line, const char **retwhy);
/* Has the file a plan of ours? */
bool map_plan_present(const struct map_plan_reader *reader);
/* The identities are masked, so the plan's id cannot be recomputed and is not checked. */
void map_plan_expect_masked(struct map_plan_reader *reader);
/* The id as it was read; "": none. */
const char *map_plan_recorded_id(const struct map_plan_reader *reader);
/* Makes and checks the plan as if it were new. name: of the file, for the error. Disk sequence
 * numbers are kept only if the file was saved since the last boot; otherwise they are 0. */
int map_plan_finish(struct map_plan_reader *reader, const char *name, struct plan **ret,
		    struct error *reterr);
