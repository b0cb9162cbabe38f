/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the passes are called; apart, so that whoever only shows them needs no job. */
#include "base/i18n.h"
#include "copy/job.h"

const char *pass_name(enum pass_kind kind)
{
	switch (kind) {
	case PASS_NONE:
		break;
	case PASS_COPY:
		return "copy";
	case PASS_FLUSH:
		return "flush";
	}
	return "";
}

const char *pass_words(enum pass_kind kind)
{
	switch (kind) {
	case PASS_NONE:
		break;
	case PASS_COPY:
		return _("copying");
	case PASS_FLUSH:
		return _("flushing");
	}
	return "";
}
