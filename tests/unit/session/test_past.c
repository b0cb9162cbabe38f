/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Earlier copies, as the files of the log directory tell of them; none of these is trusted. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "session/past_copies.h"

static struct past *past;

static void leave(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void leave_report(const char *name, const char *result, const char *map)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"schema\": \"clonedeck.report/1\", \"result\": \"%s\", \"exit_code\": 6,"
		 "\"started_at\": \"2026-11-23T23:40:32+01:00\", \"bytes_total\": 1000,"
		 "\"bytes_copied\": 980, \"bad_bytes\": null, \"seconds\": {\"elapsed\": 61.7},"
		 "\"source\": {\"node\": \"/dev/sda\", \"model\": \"M\\u001b[2J\", \"serial\": "
		 "null},"
		 "\"destinations\": [{\"node\": \"/dev/sdb\", \"serial\": \"S1\"}],"
		 "\"warnings\": [{\"sentence\": \"Both have the same IDs.\"}],"
		 "\"next\": [\"Go on.\"], \"files\": {\"map\": \"%s/%s\"}}",
		 result, folder, map);
	leave(name, text);
}

static void run_in_folder(const char *program, const char *name)
{
	char command[600];

	snprintf(command, sizeof(command), "%s %s%s", program, folder, name);
	ck_assert_int_eq(system(command), 0);
}

static void begin(void)
{
	folder_make();
	past = calloc(1, sizeof(*past));
	snprintf(past->directory, sizeof(past->directory), "%s", folder);
}

static void end(void)
{
	past_free(past);
	folder_remove();
}

#define TODO "0x0 ? 1\n0x0 0x1000 ?\n"
#define DONE "0x0 + 1\n0x0 0x1000 +\n"

UNIT_CASE(.setup = begin, .teardown = end);

TEST(newest_first)
{
	leave_report("20261101-100000.json", "STOPPED", "20261101-100000.map");
	leave("20261101-100000.map", TODO);
	leave_report("20261102-100000.json", "COMPLETE", "20261102-100000.map");
	leave("20261102-100000.map", DONE);
	past_read(past);
	ck_assert_uint_eq(past->count, 2);
	ck_assert_str_eq(past->items[0].result, "COMPLETE");
	ck_assert(!past->items[0].unfinished);
	ck_assert(past->items[1].unfinished);
	ck_assert_int_eq(past->items[1].at, 1795473632);
	ck_assert_uint_eq(past->items[1].seconds, 61);
	ck_assert_uint_eq(past->items[1].copied, 980);
	ck_assert_str_eq(past->items[1].source.node, "/dev/sda");
	ck_assert_str_eq(past->items[1].source.serial, "");
	ck_assert_str_eq(past->items[1].destination.serial, "S1");
	ck_assert_ptr_null(strchr(past->items[1].source.model, 033));
	ck_assert_ptr_nonnull(strstr(past->items[1].text, "Both have the same IDs."));
	ck_assert_ptr_nonnull(strstr(past->items[1].text, "Go on."));
	ck_assert_ptr_null(strchr(past->items[1].text, 033));
}

/* A stopped copy that was continued: only its newest report says how far it is. */
TEST(one_map_is_offered_once)
{
	leave_report("20261101-100000.json", "STOPPED", "20261101-100000.map");
	leave_report("20261102-100000.json", "STOPPED", "20261101-100000.map");
	leave("20261101-100000.map", TODO);
	past_read(past);
	ck_assert_uint_eq(past->count, 2);
	ck_assert(past->items[0].unfinished);
	ck_assert(!past->items[1].unfinished);
}

/* All of it is copied, not all of it verified. */
TEST(stopped_while_it_was_verified)
{
	leave_report("20261101-100000.json", "STOPPED", "20261101-100000.map");
	leave_report("20261102-100000.json", "STOPPED", "20261102-100000.map");
	leave("20261102-100000.map", DONE);
	past_read(past);
	ck_assert_uint_eq(past->count, 2);
	ck_assert(past->items[0].unfinished);
	/* Its map is gone. */
	ck_assert(!past->items[1].unfinished);
}

/* After a power failure. */
TEST(map_without_a_report)
{
	leave("20261101-100000.map", TODO);
	leave("20261102-100000.map", DONE);
	leave("20261103-100000.map", "no map");
	past_read(past);
	ck_assert_uint_eq(past->count, 1);
	ck_assert(past->items[0].unfinished);
	ck_assert_ptr_nonnull(strstr(past->items[0].map, "20261101"));
	ck_assert_str_eq(past->items[0].result, "");
}

TEST(what_is_no_report)
{
	leave("1.json", "");
	leave("2.json", "{");
	leave("3.json", "[1, 2]");
	leave("4.json", "{\"schema\": \"clonedeck.bench/1\"}");
	leave("5.json", "{\"schema\": \"clonedeck.report/1\", \"source\": 7, \"destinations\": {},"
			"\"seconds\": [], \"files\": null, \"warnings\": {}, \"next\": [null, 1]}");
	leave("6.txt", "");
	past_read(past);
	ck_assert_uint_eq(past->count, 1);
	ck_assert_str_eq(past->items[0].source.node, "");
	past_free(past);
	past = calloc(1, sizeof(*past));
	strcpy(past->directory, "/nonexistent");
	past_read(past);
	ck_assert_uint_eq(past->count, 0);
}

/* Cut off anywhere, or with any byte another one: what is read of it is printable text. */
TEST(a_damaged_report_does_no_harm)
{
	char path[512], whole[4096], text[4096];
	unsigned seed = 1;
	size_t length;
	FILE *file;

	leave_report("1.json", "STOPPED", "1.map");
	snprintf(path, sizeof(path), "%s/1.json", folder);
	file = fopen(path, "r");
	length = fread(whole, 1, sizeof(whole) - 1, file);
	whole[length] = '\0';
	fclose(file);
	for (size_t i = 0; i < 3 * length; i++) {
		struct past_copy copy;

		memcpy(text, whole, length + 1);
		if (i < length)
			text[i] = '\0';
		for (int k = 0; i >= length && k < 3; k++) {
			seed = seed * 1664525 + 1013904223;
			text[(seed >> 8) % length] = (char)(seed >> 24);
		}
		leave("1.json", text);
		if (!past_load(path, &copy))
			continue;
		for (const char *at = copy.text; at && *at; at++)
			ck_assert((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t');
		past_done(&copy);
	}
}

TEST(of_many_the_newest_are_kept)
{
	char name[32];

	for (int i = 0; i < SESSION_PAST_MAX + 100; i++) {
		snprintf(name, sizeof(name), "20261101-%06d.json", i);
		leave_report(name, "COMPLETE", "none.map");
	}
	/* Nobody will ever write to it. */
	run_in_folder("mkfifo", "/20270101-000000.json");
	run_in_folder("mkfifo", "/20270101-000000.map");
	run_in_folder("mkdir", "/20270102-000000.map");
	past_read(past);
	ck_assert_uint_eq(past->count, SESSION_PAST_MAX);
	for (size_t i = 0; i < past->count; i++)
		ck_assert_str_ge(strrchr(past->items[i].report, '/'), "/20261101-000100.json");
}

/* After a power failure the newest copy has a map only. */
TEST(newest_first_whatever_they_left)
{
	leave_report("20261101-100000.json", "STOPPED", "20261101-100000.map");
	leave("20261101-100000.map", TODO);
	leave("20991102-100000.map", TODO);
	past_read(past);
	ck_assert_uint_eq(past->count, 2);
	ck_assert_int_ge(past->items[0].at, past->items[1].at);
}
