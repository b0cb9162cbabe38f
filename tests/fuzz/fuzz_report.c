/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a saved report. What is taken names a plan and a list, and nothing else is. */
#include "replay.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/report.h"

/* What is not filled in has to be seen. */
#define UNTOUCHED 0x5a

static void check_refused(int r, const struct error *error, const struct report_reference *found)
{
	const unsigned char *bytes = (const unsigned char *)found;

	FUZZ_CHECK(error->code == r && error->sentence[0]);
	for (size_t i = 0; i < sizeof(*found); i++)
		FUZZ_CHECK(bytes[i] == UNTOUCHED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("report", MFD_CLOEXEC);
	struct report_reference found;
	struct error error = { 0 };
	char path[64];
	int r;

	memset(&found, UNTOUCHED, sizeof(found));
	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = report_reference(path, &found, &error);
	close(fd);
	if (r < 0) {
		check_refused(r, &error, &found);
		return 0;
	}
	FUZZ_CHECK(strnlen(found.plan_id, sizeof(found.plan_id)) == sizeof(found.plan_id) - 1);
	FUZZ_CHECK(found.list[0] && strnlen(found.list, sizeof(found.list)) < sizeof(found.list));
	return 0;
}
