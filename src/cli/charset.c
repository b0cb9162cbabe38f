/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On a terminal that is not UTF-8, commands print what its character set has. */
#include "cli/cli.h"

#ifdef __GLIBC__ /* where standard streams are variables */
#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/charset.h"

struct converted {
	struct charset charset;
	FILE *terminal;
};

/* As fopencookie() wants it: fewer than `size` is an error. */
static ssize_t write_converted(void *cookie, const char *text, size_t size)
{
	struct converted *self = cookie;

	return charset_put(&self->charset, self->terminal, text, size) ? (ssize_t)size : 0;
}

/* A stream to the same terminal; `stream` itself where that is none, or is UTF-8. */
static FILE *fit(FILE *stream, struct converted *converted, int buffering)
{
	FILE *ret;

	if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0 || !isatty(fileno(stream)) ||
	    !charset_open(&converted->charset))
		return stream;
	converted->terminal = stream;
	ret = fopencookie(converted, "w", (cookie_io_functions_t){ .write = write_converted });
	if (!ret) {
		charset_close(&converted->charset);
		return stream;
	}
	setvbuf(ret, NULL, buffering, 0);
	return ret;
}

void cli_fit_output(void)
{
	static struct converted converted;

	stdout = fit(stdout, &converted, _IOLBF);
}

void cli_fit_errors(void)
{
	static struct converted converted;

	stderr = fit(stderr, &converted, _IONBF);
}
#else
void cli_fit_output(void)
{
}

void cli_fit_errors(void)
{
}
#endif
