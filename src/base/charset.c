/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/charset.h"

#include <errno.h>
#include <iconv.h>
#include <langinfo.h>
#include <string.h>
#include <unistd.h>

#define CHUNK  256
#define WIDEST 16 /* bytes that one may become: "(C)", or with a change of set before it */

bool charset_open(struct charset *ret)
{
	const char *locale = nl_langinfo(CODESET);
	iconv_t to = (iconv_t)-1;
	char name[64];

	snprintf(name, sizeof(name), "%s//TRANSLIT", locale);
	if (strcmp(locale, "UTF-8") != 0)
		to = iconv_open(name, "UTF-8");
	/* A small system has no tables but those that the C library holds itself. */
	if (to == (iconv_t)-1)
		to = iconv_open("ASCII//TRANSLIT", "UTF-8");
	*ret = (struct charset){ .to = to };
	return to != (iconv_t)-1;
}

void charset_close(struct charset *self)
{
	iconv_close(self->to);
}

/* Writes at most `room` bytes to `out`, and returns how many. */
static size_t convert(struct charset *self, char *in, size_t size, char *out, size_t room)
{
	char *to = out;

	while (size > 0 && iconv(self->to, &in, &size, &to, &room) == (size_t)-1) {
		if ((errno == EINVAL && size < CHARSET_UTF8_MAX) || room == 0)
			break;
		*to++ = '?';
		room--;
		do {
			in++;
			size--;
		} while (size > 0 && ((unsigned char)*in & 0xc0) == 0x80);
	}
	self->kept_count = size < CHARSET_UTF8_MAX ? size : 0;
	memcpy(self->kept, in, self->kept_count);
	return (size_t)(to - out);
}

bool charset_put(struct charset *self, FILE *stream, const char *text, size_t size)
{
	char in[CHUNK], out[CHUNK * WIDEST];

	while (size > 0) {
		size_t kept = self->kept_count, count = size, made;

		if (count > CHUNK - kept)
			count = CHUNK - kept;
		memcpy(in, self->kept, kept);
		memcpy(in + kept, text, count);
		made = convert(self, in, kept + count, out, sizeof(out));
		if (fwrite(out, 1, made, stream) < made)
			return false;
		text += count;
		size -= count;
	}
	return fflush(stream) == 0;
}

void charset_print(FILE *stream, bool utf8, const char *text, size_t size)
{
	struct charset charset;

	if (!utf8 && isatty(fileno(stream)) && charset_open(&charset)) {
		(void)charset_put(&charset, stream, text, size);
		charset_close(&charset);
	} else {
		(void)fwrite(text, 1, size, stream);
		fflush(stream);
	}
}
