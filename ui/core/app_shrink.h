/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file system that is too large for the destination is shrunk in an image: two copies, one after
 * the other. In the thread of the deck. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "report/report.h"

struct app;

/* Where the plan says what could be shrunk: that is done in a new image with this path, which the
 * destination is then copied from. False: why not is in *reterr. */
bool app_shrink_via(struct app *app, const char *path, struct error *reterr);
/* Which of its two copies is planned; NULL: none. */
const char *app_step(struct app *app);

/* For the rest of the app. */
void app_follow_shrink(struct app *app, unsigned changes);
/* There is a plan. */
void app_plan_shrink(struct app *app);
/* A copy has ended. True: it was the first of two, and the other one is planned. */
bool app_shrink_ended(struct app *app, const struct report *report);
