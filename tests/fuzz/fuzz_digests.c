/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a list of digests. What is taken must be in order, and survive being saved. */
#include "replay.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "digest/list.h"

/* The fuzzer cannot know sums: the last line is made to fit what is before it. */
static size_t mend(const uint8_t *data, size_t size, char **ret)
{
	size_t end = size > 0 ? size - 1 : 0, lines = 0;
	char *text = malloc(size + 128), digest[DIGEST_TEXT_MAX];

	FUZZ_CHECK(text);
	while (end > 0 && data[end - 1] != '\n')
		end--;
	if (size > 0)
		memcpy(text, data, size);
	*ret = text;
	if (size - end < 4 || memcmp(text + end, "end ", 4) != 0)
		return size;
	for (size_t i = 0; i < end; i++)
		lines += (i == 0 || text[i - 1] == '\n') && text[i] >= '0' && text[i] <= '9';
	return end + (size_t)sprintf(text + end, "end %zu %s\n", lines,
				     digest_print(digest_bytes(text, end), digest));
}

static int any_line(void *user, const char *line, const char **retwhy)
{
	FUZZ_CHECK(line[0] == '#' && !strchr(line, '\n'));
	return 0;
}

static void check_list(const struct digest_list *list)
{
	uint64_t pos = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct digest_line *line = &list->lines[i];

		FUZZ_CHECK(line->sectors > 0 && line->lba >= pos);
		FUZZ_CHECK(line->lba + line->sectors > line->lba);
		pos = line->lba + line->sectors;
	}
	FUZZ_CHECK(range_list_total(&list->left_out) <= pos);
}

/* A plan of exactly the list's lines: many lists fit one, and then it is taken over whole. */
static void check_fill(const struct digest_list *list)
{
	struct endpoint end = { .kind = ENDPOINT_DISK,
				.node = "/dev/x",
				.disk_node = "/dev/x",
				.size = UINT64_MAX,
				.logical_sector_size = list->sector_size };
	struct extent *extents = calloc(list->count + 1, sizeof(*extents));
	struct digests *digests = NULL;
	struct plan *plan = NULL;
	struct error error = { 0 };

	FUZZ_CHECK(extents);
	for (size_t i = 0; i < list->count; i++)
		extents[i] = (struct extent){ list->lines[i].lba, list->lines[i].lba,
					      list->lines[i].sectors };
	if (list->count &&
	    plan_from_extents(&end, &end, extents, list->count, NULL, NULL, &plan, NULL) == 0) {
		int r = digests_fill(list, plan, "x", &digests, &error);

		FUZZ_CHECK(r == 0 ? digests_count(digests) == list->count
				  : error.sentence[0] != '\0');
	}
	digests_destroy(digests);
	plan_destroy(plan);
	free(extents);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("digests", MFD_CLOEXEC);
	struct digest_list list;
	struct error error = { 0 };
	char *text = NULL, path[64];
	size_t length = mend(data, size, &text);
	int r;

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, text, length) == (ssize_t)length);
	free(text);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = digest_list_load(path, any_line, NULL, &list, &error);
	close(fd);
	if (r < 0) {
		FUZZ_CHECK(error.code == r && error.sentence[0]);
		return 0;
	}
	check_list(&list);
	check_fill(&list);
	digest_list_done(&list);
	return 0;
}
