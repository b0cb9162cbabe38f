/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * content_used IMAGE FS [COPY [SECTOR-SIZE]]: what a file system in an image uses, a line "START
 * BYTES" for each range, or "whole: " and why. With COPY those bytes are written into that file,
 * which is there.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content/content.h"

static void copy(const struct volume *volume, int to, uint64_t start, uint64_t bytes)
{
	static unsigned char buffer[1 << 20];

	while (to >= 0 && bytes > 0) {
		size_t size = bytes < sizeof(buffer) ? (size_t)bytes : sizeof(buffer);

		if (volume_read(volume, start, buffer, size) < 0 ||
		    pwrite(to, buffer, size, (off_t)start) != (ssize_t)size) {
			perror("copy");
			exit(1);
		}
		start += size;
		bytes -= size;
	}
}

static void used(const struct volume *volume, int to, uint64_t start, uint64_t end)
{
	if (end <= start)
		return;
	printf("%" PRIu64 " %" PRIu64 "\n", start, end - start);
	copy(volume, to, start, end - start);
}

int main(int argc, char **argv)
{
	struct volume volume = { .fd = -1,
				 .sector_size = argc > 4 ? (uint32_t)atoi(argv[4]) : 512 };
	struct content content;
	struct stat status;
	uint64_t at = 0;
	int to = -1;

	if (argc < 3 || (volume.fd = open(argv[1], O_RDONLY | O_CLOEXEC)) < 0 ||
	    fstat(volume.fd, &status) < 0 ||
	    (argc > 3 && (to = open(argv[3], O_WRONLY | O_CLOEXEC)) < 0)) {
		fprintf(stderr, "usage: content_used IMAGE FS [COPY [SECTOR-SIZE]]\n");
		return 1;
	}
	volume.size = (uint64_t)status.st_size;
	if (content_read(&volume, argv[2], &content) < 0)
		return 1;
	if (content.whole[0])
		printf("whole: %s\n", content.whole);
	for (size_t i = 0; i < content.free.count; i++) {
		const struct range *free = &content.free.items[i];

		used(&volume, to, at, free->start * volume.sector_size);
		at = (free->start + free->count) * volume.sector_size;
	}
	used(&volume, to, at, volume.size);
	content_done(&content);
	close(volume.fd);
	return 0;
}
