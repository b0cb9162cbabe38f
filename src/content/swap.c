/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Swap space (Linux, include/linux/swap.h): of one that nobody swaps to, only its first page means
 * anything, with the signature at its end. A system that sleeps on it has put a signature of its
 * own there, and its memory behind it.
 */
#include <string.h>

#include "base/i18n.h"
#include "content/content.h"

#define SIGNATURE "SWAPSPACE2"
#define LENGTH    (sizeof(SIGNATURE) - 1)
#define PAGE_MAX  65536U

struct header {
	unsigned char boot[1024];
	uint32_t version, last_page, bad_pages;
};

int content_swap(const struct volume *volume, struct content *content)
{
	struct header header;
	char signature[LENGTH];
	uint64_t page, end;
	int r = volume_read(volume, 0, &header, sizeof(header));

	for (page = 4096; r == 0 && page <= PAGE_MAX; page *= 2) {
		r = volume_read(volume, page - LENGTH, signature, LENGTH);
		if (r == 0 && memcmp(signature, SIGNATURE, LENGTH) == 0)
			break;
	}
	if (r < 0)
		return r;
	if (page > PAGE_MAX)
		return content_doubt(content, _("a system may have gone to sleep on it"));
	if (header.version != 1)
		return content_doubt(content, _("such a swap space is not known"));
	if (!u64_mul(header.last_page + 1ULL, page, &end) || end > volume->size)
		return content_doubt(content, _("it is larger than its partition"));
	return content_add_free(volume, content, page, end - page);
}
