/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --version: which program this is, what was built into it and with which libraries. */
#include <json-c/json.h>
#include <stdio.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/built_with.h"
#include "cli/inspect.h"
#include "report/json.h"
#include "config.h"

static const struct {
	const char *name;
	bool on;
} features[] = { FEATURES };

/* As they were when it was built; a system may have put newer ones in their place. */
static const struct {
	const char *name, *version;
} libraries[] = { LIBRARIES };

#define FEATURE_COUNT ARRAY_SIZE(features)
#define LIBRARY_COUNT ARRAY_SIZE(libraries)

static void print_text(void)
{
	printf("%s %s\n", PACKAGE_NAME, PACKAGE_VERSION);
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		printf("%c%s ", features[i].on ? '+' : '-', features[i].name);
	for (size_t i = 0; i < LIBRARY_COUNT; i++)
		printf("%s %s%s", libraries[i].name, libraries[i].version,
		       i + 1 < LIBRARY_COUNT ? ", " : "\n");
}

static int print_json(struct error *reterr)
{
	json_object *document = json_object_new_object();
	json_object *on = json_object_new_object();
	json_object *with = json_object_new_object();

	json_add_text(document, "schema", "clonedeck.version/1");
	json_add_text(document, "version", PACKAGE_VERSION);
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		json_add_bool(on, features[i].name, features[i].on);
	for (size_t i = 0; i < LIBRARY_COUNT; i++)
		json_add_text(with, libraries[i].name, libraries[i].version);
	json_object_object_add(document, "features", on);
	json_object_object_add(document, "libraries", with);
	return disk_json_print(document, reterr);
}

int cli_version(bool json)
{
	struct error error = { 0 };

	if (!json)
		print_text();
	else if (print_json(&error) < 0)
		return cli_error(&error);
	return cli_finish_output(EXIT_COMPLETE);
}
