/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a range text, on disks of every kind. */
#include "replay.h"

#include <string.h>

#include "plan/rangespec.h"

static void check_error(const char *text, const struct rangespec_error *error)
{
	int length = (int)strlen(text);

	FUZZ_CHECK(error->column >= 0 && error->column <= length);
	FUZZ_CHECK(error->length >= 0 && error->length <= length - error->column);
	FUZZ_CHECK(error->sentence[0] != '\0');
	FUZZ_CHECK(memchr(error->sentence, '\0', sizeof(error->sentence)));
	for (const char *c = error->sentence; *c; c++)
		FUZZ_CHECK((unsigned char)*c >= ' ' && *c != 0x7f);
}

static void check_list(const struct range_list *list, const struct rangespec_context *context)
{
	FUZZ_CHECK(list->count > 0);
	for (size_t i = 0; i < list->count; i++) {
		const struct range *item = &list->items[i];

		FUZZ_CHECK(item->count > 0);
		FUZZ_CHECK(range_contains((struct range){ 0, context->sectors }, *item));
		FUZZ_CHECK(i == 0 || item->start > item[-1].start + item[-1].count);
	}
}

static void check_print(const struct range_list *list, const struct rangespec_context *context)
{
	struct range_list back = { 0 };
	struct rangespec_error error;
	char *text = rangespec_print(list, context);

	FUZZ_CHECK(text);
	FUZZ_CHECK(rangespec_parse(text, context, &back, NULL, &error) == 0);
	FUZZ_CHECK(back.count == list->count);
	FUZZ_CHECK(memcmp(back.items, list->items, list->count * sizeof(*list->items)) == 0);
	range_list_done(&back);
	free(text);
}

static void try(const char *text, const struct rangespec_context *context)
{
	struct range_list list = { 0 };
	struct rangespec_error error = { 0 };
	size_t items = 0;
	int code = rangespec_parse(text, context, &list, &items, &error);

	FUZZ_CHECK(code <= 0);
	if (code < 0) {
		FUZZ_CHECK(!list.items);
		FUZZ_CHECK(rangespec_parse(text, context, &list, NULL, NULL) == code);
		check_error(text, &error);
		return;
	}
	FUZZ_CHECK(items >= list.count);
	check_list(&list, context);
	check_print(&list, context);
	range_list_done(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct partition partitions[] = {
		{ .number = 1, .start = 2048, .sectors = 1048576 },
		{ .number = 2, .start = 1050624, .sectors = 2097152 },
		{ .number = 2, .start = 1, .sectors = 1 }, /* a number twice */
		{ .number = 3, .start = 3907029167U, .sectors = 2 },
		{ .number = 0, .start = UINT64_MAX, .sectors = UINT64_MAX },
	};
	struct disk disk = { .node = "/dev/sda", .partitions = partitions, .partition_count = 5 };
	const struct rangespec_context contexts[] = {
		{ .sectors = 3907029168U, .sector_size = 512, .disk = &disk },
		{ .sectors = 39062500000ULL, .sector_size = 4096, .disk = NULL },
		{ .sectors = 1, .sector_size = 520, .disk = NULL },
		{ .sectors = UINT64_MAX, .sector_size = 1, .disk = &disk },
		{ .sectors = 0, .sector_size = 0, .disk = NULL },
	};
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		try(text, &contexts[i]);
	free(text);
	return 0;
}
