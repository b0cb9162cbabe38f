/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"

static int failure_code(int code)
{
	/* A caller's slip in the sign must not turn a failure into success. */
	if (code == 0)
		return -EINVAL;
	return code < 0 ? code : -code;
}

/* Overwrites *ret. The arguments may point into *ret: wrapping an error is common. */
static __attribute__((format(printf, 6, 0))) int fill(struct error *ret, enum error_class class,
						      int code, const char *operation,
						      const char *device, const char *format,
						      va_list args)
{
	struct error fresh = { .code = failure_code(code), .class = class };
	char text[2048];

	if (!ret)
		return fresh.code;
	if (vsnprintf(text, sizeof(text), format, args) < 0)
		text[0] = '\0';
	text_copy(fresh.operation, sizeof(fresh.operation), operation ? operation : "");
	if (device)
		text_show(fresh.device, sizeof(fresh.device), device);
	text_show(fresh.sentence, sizeof(fresh.sentence), text);
	*ret = fresh;
	return fresh.code;
}

int error_set(struct error *reterr, enum error_class class, int code, const char *operation,
	      const char *device, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	code = fill(reterr, class, code, operation, device, format, args);
	va_end(args);
	return code;
}

int error_set_at(struct error *reterr, enum error_class class, int code, const char *operation,
		 const char *device, uint64_t lba, uint64_t sectors, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	code = fill(reterr, class, code, operation, device, format, args);
	va_end(args);
	if (!reterr)
		return code;
	reterr->has_lba = true;
	reterr->lba = lba;
	reterr->sectors = sectors;
	return code;
}

int error_nomem(struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOMEM, "allocate", NULL, "%s",
			 _("There is not enough memory. Close other programs and try again."));
}

const char *error_phrase(int code)
{
	static const struct {
		int code;
		const char *phrase;
	} phrases[] = {
		{ EIO, N_("medium or transport error") },
		{ ENODEV, N_("device is gone") },
		{ ENXIO, N_("device is gone or does not respond") },
		{ ENOMEDIUM, N_("no medium in the drive") },
		{ EBUSY, N_("in use by another program or by the system") },
		{ EACCES, N_("no permission") },
		{ EPERM, N_("not permitted") },
		{ EROFS, N_("write-protected") },
		{ ENOSPC, N_("no space left") },
		{ EDQUOT, N_("disk quota used up") },
		{ EFBIG, N_("larger than the file system allows") },
		{ ETIMEDOUT, N_("no answer in time") },
		{ ENOENT, N_("does not exist") },
		{ ENOMEM, N_("not enough memory") },
		{ ENODATA, N_("medium error") },
		{ EREMOTEIO, N_("the device reported a fault") },
		{ EILSEQ, N_("data damaged on the way (protection information is wrong)") },
		{ EBADE, N_("reserved by another host") },
		{ ENOLINK, N_("the connection to the device failed") },
		{ EOPNOTSUPP, N_("not supported by the device") },
		{ ESTALE, N_("no longer what it was") },
		{ EBADFD, N_("shortened by another program") },
	};

	/* -INT_MIN does not exist. */
	unsigned positive = code < 0 ? 0U - (unsigned)code : (unsigned)code;

	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++)
		if ((unsigned)phrases[i].code == positive)
			return _(phrases[i].phrase);
	return strerror((int)positive);
}

enum exit_code error_exit_code(const struct error *error)
{
	if (error->code == 0)
		return EXIT_COMPLETE;
	switch (error->class) {
	case ERROR_CLASS_USAGE:
		return EXIT_USAGE;
	case ERROR_CLASS_ENVIRONMENT:
		return EXIT_ENVIRONMENT;
	case ERROR_CLASS_REFUSED:
		return EXIT_REFUSED;
	case ERROR_CLASS_SOURCE:
		/* The copy stops there and can be resumed. */
		return EXIT_STOPPED;
	case ERROR_CLASS_DESTINATION:
		return EXIT_DESTINATION_FAILED;
	case ERROR_CLASS_NONE:
	case ERROR_CLASS_INTERNAL:
		break;
	}
	return EXIT_INTERNAL;
}
