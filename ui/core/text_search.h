/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * / on every screen: what is typed in the place of the message is looked for at each letter, in the
 * list or text that is shown.
 */
#pragma once

#include "ui/core/draw.h"
#include "ui/core/keys.h"
#include "ui/widgets/field.h"
#include "ui/widgets/list.h"

/* What is searched. Without `holds` the list shows only what holds the text. */
struct find_target {
	struct list *list; /* NULL: nothing here can be searched */
	list_holds_fn *holds;
	void *data;
};

struct find {
	struct field field; /* as typed */
	struct list *list;  /* what is searched; NULL: nothing is being typed */
	int from;           /* its row before */
	bool failed;
};

enum find_result {
	FIND_NOT_TAKEN, /* nothing can be searched, or the key is not for it */
	FIND_TAKEN,     /* the cursor may have moved */
	FIND_NOTHING,   /* no row holds the wanted text */
	FIND_NO_TEXT,   /* a search was to be repeated, and there was none */
};

enum find_result find_command(struct find *find, const struct find_target *target,
			      enum command command);
enum find_result find_key(struct find *find, const struct find_target *target, int key);
/* A text to look for is being typed. Ends that when another screen or a dialog has come in between.
 */
bool find_is_on(struct find *find, const struct list *shown);
void find_draw(const struct find *find, struct draw *draw, struct rect area);
