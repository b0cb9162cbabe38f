/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * On a terminal that is not UTF-8, commands print what its character set has, and '?' for the rest.
 * All text is UTF-8 here, and as such a label could reach an 8-bit terminal as a control sequence:
 * U+00DB ends with the byte 0x9B, which begins one there.
 */
#include "cli/cli.h"

#ifdef __GLIBC__ /* where standard streams are variables */
#include <errno.h>
#include <iconv.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define UTF8_MAX 4 /* bytes of a character */
#define CHUNK    256
#define WIDEST   16 /* bytes that one may become: "(C)", or with a change of set before it */

struct charset {
	int fd;
	iconv_t to;
	char kept[UTF8_MAX]; /* the beginning of a character whose rest is still to come */
	size_t kept_count;
};

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* Writes at most `room` bytes to `out`, and returns how many. */
static size_t convert(struct charset *charset, char *in, size_t size, char *out, size_t room)
{
	char *to = out;

	while (size > 0 && iconv(charset->to, &in, &size, &to, &room) == (size_t)-1) {
		if ((errno == EINVAL && size < UTF8_MAX) || room == 0)
			break;
		*to++ = '?';
		room--;
		do {
			in++;
			size--;
		} while (size > 0 && ((unsigned char)*in & 0xc0) == 0x80);
	}
	charset->kept_count = size < UTF8_MAX ? size : 0;
	memcpy(charset->kept, in, charset->kept_count);
	return (size_t)(to - out);
}

/* As fopencookie() wants it: fewer than `size` is an error. */
static ssize_t write_converted(void *cookie, const char *text, size_t size)
{
	struct charset *charset = cookie;
	char in[CHUNK], out[CHUNK * WIDEST];
	size_t done = 0;

	while (done < size) {
		size_t kept = charset->kept_count, count = size - done;

		if (count > CHUNK - kept)
			count = CHUNK - kept;
		memcpy(in, charset->kept, kept);
		memcpy(in + kept, text + done, count);
		if (!write_all(charset->fd, out,
			       convert(charset, in, kept + count, out, sizeof(out))))
			return (ssize_t)done;
		done += count;
	}
	return (ssize_t)done;
}

static iconv_t open_converter(void)
{
	char name[64];
	iconv_t to;

	snprintf(name, sizeof(name), "%s//TRANSLIT", nl_langinfo(CODESET));
	to = iconv_open(name, "UTF-8");
	/* A small system has no tables but those that the C library holds itself. */
	return to == (iconv_t)-1 ? iconv_open("ASCII//TRANSLIT", "UTF-8") : to;
}

/* A stream to the terminal at charset->fd; `stream` itself where that is none, or is UTF-8. */
static FILE *fitted(FILE *stream, struct charset *charset, int buffering)
{
	FILE *ret;

	if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0 || !isatty(charset->fd))
		return stream;
	charset->to = open_converter();
	if (charset->to == (iconv_t)-1)
		return stream;
	ret = fopencookie(charset, "w", (cookie_io_functions_t){ .write = write_converted });
	if (!ret) {
		iconv_close(charset->to);
		return stream;
	}
	setvbuf(ret, NULL, buffering, 0);
	return ret;
}

void cli_fit_output(void)
{
	static struct charset charset = { .fd = STDOUT_FILENO };

	stdout = fitted(stdout, &charset, _IOLBF);
}

void cli_fit_errors(void)
{
	static struct charset charset = { .fd = STDERR_FILENO };

	stderr = fitted(stderr, &charset, _IONBF);
}
#else
void cli_fit_output(void)
{
}

void cli_fit_errors(void)
{
}
#endif
