/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/i18n.h"

#include <string.h>

#include "base/array.h"

bool i18n_fits_terminal(const char *name, bool utf8)
{
#if ENABLE_NLS
	static const char field[] = "Language: ";
	static const char *const wide[] = { "ja", "zh", "ko" };
	/* A catalogue has its header as the translation of the empty text. */
	const char *header = gettext(""), *language = strstr(header, field);

	if (!language)
		return true;
	if (!utf8)
		return false;
	/* The console of the kernel has 512 glyphs, all of them one column wide. */
	if (strncmp(name, "linux", 5) != 0)
		return true;
	language += strlen(field);
	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (strncmp(language, wide[i], 2) == 0)
			return false;
#else
	(void)name;
	(void)utf8;
#endif
	return true;
}
