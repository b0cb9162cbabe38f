/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing HTML so that no text can become markup: markup is what the program
 * itself says, everything else goes through html_text(). The parts of the
 * certificate, each in the file of its idea, are declared below.
 */
#ifndef CLONEDECK_REPORT_HTML_H
#define CLONEDECK_REPORT_HTML_H

#include <stdio.h>

#include "report/report.h"

/* Markup as it stands here, never text from elsewhere. */
void html_markup(FILE *out, const char *markup);
/* Any text, translated or foreign: made harmless and escaped, for contents and for attributes in
 * double quotes. At most 2 KiB. */
void html_text(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* <TAG>text</TAG>; tag with its attributes, "td class=n". */
void html_element(FILE *out, const char *tag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A row of a table: what, and the text. */
void html_row(FILE *out, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "<section class=NAME><h2>title</h2>", to be ended with html_section_end(). */
void html_section(FILE *out, const char *name, const char *title);
void html_section_end(FILE *out);

/* html_style.c */
const char *html_style(void);

/* html_disks.c */
void html_put_disks(FILE *out, const struct report *report);
void html_put_health(FILE *out, const struct report *report);

/* html_graph.c: throughput over what was copied and the map of the source, both SVG. */
void html_put_graph(FILE *out, const struct report *report);
void html_put_map(FILE *out, const struct report *report);

/* html_verify.c: where the destination is not what the source was; nothing where it is. */
void html_put_differences(FILE *out, const struct report *report);

/* html_details.c: details after the signatures, for one reader in ten. */
void html_put_details(FILE *out, const struct report *report);

#endif
