/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/map_explain.h"

#include <errno.h>

#include "base/i18n.h"

/* Sense keys (SPC-4, table 43). */
enum sense_key {
	KEY_RECOVERED = 0x1,
	KEY_NOT_READY = 0x2,
	KEY_MEDIUM = 0x3,
	KEY_HARDWARE = 0x4,
	KEY_ILLEGAL = 0x5,
	KEY_ATTENTION = 0x6,
	KEY_PROTECT = 0x7,
	KEY_ABORTED = 0xb,
};

static const char *medium(bool write)
{
	return write ? _("The destination could not store this: it has no spare sectors left or "
			 "is failing. Use another destination.")
		     : _("The disk could not read these sectors: the surface is damaged or the "
			 "checksum is wrong. A retry may still succeed.");
}

static const char *hardware(void)
{
	return _("The disk reports a fault of its own electronics or mechanics. It may get worse "
		 "with every hour it runs.");
}

static const char *connection(void)
{
	return _("The way to the disk was disturbed, not the disk itself: check cable, power and "
		 "port.");
}

static const char *gone(void)
{
	return _("The disk does not answer or is gone: check cable and power.");
}

static const char *protect(void)
{
	return _("The disk is write-protected or locked by a password.");
}

static const char *by_errno(int code, bool write)
{
	switch (code < 0 ? -code : code) {
	case 0:
		return _("An earlier run could not read it, and the map does not say why.");
	case ENODATA:
		return medium(write);
	case EIO:
		return _("The disk or the way to it failed; the kernel does not say which. Its log "
			 "(dmesg) and the sg backend tell more.");
	case EREMOTEIO:
		return hardware();
	case ENOLINK:
	case EILSEQ:
		return connection();
	case ENODEV:
	case ENXIO:
	case ENOMEDIUM:
	case ETIMEDOUT:
		return gone();
	case EROFS:
	case EACCES:
	case EPERM:
		return protect();
	default:
		return _("Why this failed is not known.");
	}
}

const char *explain_failure(const struct sense *sense, int code, bool write)
{
	if (!sense->known)
		return by_errno(code, write);
	switch (sense->key) {
	case KEY_RECOVERED:
		return _("The disk could only read this with effort: it will not for much longer.");
	case KEY_NOT_READY:
		return gone();
	case KEY_MEDIUM:
		return medium(write);
	case KEY_HARDWARE:
		return hardware();
	case KEY_ILLEGAL:
		return _("The disk does not accept this request: a bridge or its firmware may not "
			 "know the command, or the address lies beyond its end.");
	case KEY_ATTENTION:
		return _("The disk was reset or changed while it was used: check cable and power.");
	case KEY_PROTECT:
		return protect();
	case KEY_ABORTED:
		return connection();
	default:
		return by_errno(code, write);
	}
}
