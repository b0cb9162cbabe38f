/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scsi/sense.h"

#include <stdio.h>
#include <string.h>

#include <scsi/sg_lib.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The library's words are a heading's; here they stand inside a sentence. */
const char *sense_text(const struct sense *sense, char *buffer, size_t size)
{
	static const char heading[] = "Additional sense: ";
	char key[80], detail[160];
	const char *words = detail;

	if (!sense->known) {
		snprintf(buffer, size, "%s", "");
		return buffer;
	}
	sg_get_sense_key_str(sense->key, sizeof(key), key);
	sg_get_asc_ascq_str(sense->asc, sense->ascq, sizeof(detail), detail);
	for (char *c = key; *c; c++)
		*c = lower(*c);
	if (strncmp(detail, heading, strlen(heading)) == 0) {
		detail[strlen(heading)] = lower(detail[strlen(heading)]);
		words += strlen(heading);
	}
	snprintf(buffer, size, "%s: %s (%x/%02x/%02x)", key, words, sense->key, sense->asc,
		 sense->ascq);
	return buffer;
}
