/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page from a template and a JSON object. What stands in the template is
 * markup; what comes from the object or from a translation is escaped, so that
 * no text can become markup.
 *
 *   {{name}}                    a member, of the innermost object that has it
 *   {{name|count}} |ms |si      a number as 1,234, nanoseconds as milliseconds, bytes as 1.23 TB
 *   {{.}}                       the item of a list
 *   {{#name}}...{{/name}}       once for each item of a list; for anything else, once if it is
 *                               something: not null, false, "" or an empty list
 *   {{^name}}...{{/name}}       if it is not
 *   {{_("text")}}               translated
 *   {{! comment }}
 */
#pragma once

#include <json-c/json.h>
#include <stdio.h>

/* -EINVAL: the template names a member that there is not, or is broken. */
int template_render(const char *template, json_object *root, FILE *out);
