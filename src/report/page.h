/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plain text of limited width: labels on the left, values wrapped at words
 * beside them. For the report (text.c) and for the plan of a dry run.
 */
#pragma once

#include <stdio.h>

struct page {
	FILE *out; /* borrowed */
	int columns;
};

void page_init(struct page *page, FILE *out, int columns);
/* " label    value value value"; a label takes 9 columns. */
void page_field(struct page *page, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "   text text text", wrapped lines below the text. */
void page_item(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
