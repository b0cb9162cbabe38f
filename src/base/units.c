/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as people type and read them. Sizes are parsed in integer arithmetic:
 * "1.1T" must mean the same bytes everywhere.
 */
#include "base/units.h"

#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/letters.h"
#include "base/range.h"
#include "base/text.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes the digits at *text; false when they do not fit 64 bits. */
static bool take_digits(const char **text, unsigned base, uint64_t *ret)
{
	uint64_t value = 0;
	int digit;

	while ((digit = text_hex_digit(**text)) >= 0 && (unsigned)digit < base) {
		if (!u64_mul(value, base, &value) || !u64_add(value, (uint64_t)digit, &value))
			return false;
		(*text)++;
	}
	*ret = value;
	return true;
}

/* The whole bytes in 0.DIGITS of `factor`. From the last digit to the first, so that
 * nothing can overflow; rounding down at each step comes to rounding down once. */
static uint64_t fraction_of(const char *digits, size_t count, uint64_t factor)
{
	uint64_t bytes = 0;

	while (count-- > 0)
		bytes = ((uint64_t)(digits[count] - '0') * factor + bytes) / 10;
	return bytes;
}

/* The factor of the suffix at *text, which is moved past it; 1 if there is none. */
static uint64_t take_suffix(const char **text)
{
	static const char letters[] = "kmgtp";
	const char *p = *text;
	const char *letter = *p ? strchr(letters, letter_lower(*p)) : NULL;
	uint64_t base = 1024, factor = 1;

	if (!letter) {
		if (letter_lower(*p) == 'b')
			*text = p + 1;
		return 1;
	}
	p++;
	if (letter_lower(p[0]) == 'i' && letter_lower(p[1]) == 'b') {
		p += 2;
	} else if (letter_lower(p[0]) == 'b') {
		p++;
		base = 1000;
	}
	for (const char *l = letters; l <= letter; l++)
		factor *= base;
	*text = p;
	return factor;
}

int units_parse_size(const char *text, uint32_t sector_size, const char **retend, uint64_t *ret)
{
	const char *p = text, *fraction = NULL;
	uint64_t whole = 0, factor, bytes;
	size_t fraction_length = 0;

	if (p[0] == '0' && letter_lower(p[1]) == 'x' && text_hex_digit(p[2]) >= 0) {
		p += 2;
		if (!take_digits(&p, 16, &whole))
			return -ERANGE;
	} else {
		if (!is_digit(*p))
			return -EINVAL;
		if (!take_digits(&p, 10, &whole))
			return -ERANGE;
		if (p[0] == '.' && is_digit(p[1])) {
			fraction = p + 1;
			fraction_length = strspn(fraction, "0123456789");
			p = fraction + fraction_length;
		}
	}
	if (*p == 's') {
		factor = sector_size;
		p++;
	} else {
		factor = take_suffix(&p);
	}
	/* Fractions of bytes or of sectors, and sectors of unknown size. */
	if (factor == 0 || (fraction && (factor == 1 || p[-1] == 's')))
		return -EINVAL;
	if (!retend && *p != '\0')
		return -EINVAL;
	if (!u64_mul(whole, factor, &bytes) ||
	    !u64_add(bytes, fraction_of(fraction, fraction_length, factor), &bytes))
		return -ERANGE;
	if (retend)
		*retend = p;
	*ret = bytes;
	return 0;
}

bool units_is_plain(const char *text, size_t length)
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 1 && text[0] == '0' && letter_lower(text[1]) == 'x')
		digits = 2 + strspn(text + 2, "0123456789abcdefABCDEF");
	return digits == length;
}

int units_parse_lba(const char *text, uint32_t sector_size, uint64_t *ret)
{
	uint64_t value;
	int r = units_parse_size(text, sector_size, NULL, &value);

	if (r < 0)
		return r;
	if (units_is_plain(text, strlen(text)))
		*ret = value;
	else if (value % sector_size)
		return -EDOM;
	else
		*ret = value / sector_size;
	return 0;
}

/* One to three digits before the unit, three significant ones in all. */
struct scaled {
	double value;
	unsigned power; /* of the base */
	int decimals;
};

static struct scaled scale_down(double value, double base)
{
	struct scaled s = { .value = value };

	/* 999.5 would be printed as 1000: that is 1.00 of the next unit. In the first unit
	 * numbers are whole as they are, and printed in full below the base. */
	while (s.power < 6 && s.value >= (s.power == 0 && base > 1000 ? base : base - 0.5)) {
		s.value /= base;
		s.power++;
	}
	if (s.power == 0)
		s.decimals = 0;
	else if (s.value < 9.995)
		s.decimals = 2;
	else if (s.value < 99.95)
		s.decimals = 1;
	return s;
}

static const char *print_sectors(uint64_t bytes, uint32_t sector_size,
				 char buffer[static UNITS_TEXT_MAX])
{
	uint64_t sectors = bytes / sector_size;
	/* The plural rule sees an unsigned long, also where that has 32 bits. */
	unsigned long n =
		(unsigned long)(sectors < 1000000 ? sectors : sectors % 1000000 + 1000000);

	snprintf(buffer, UNITS_TEXT_MAX, P_("%s sector", "%s sectors", n), UNITS_COUNT(sectors));
	return buffer;
}

const char *units_print_short(uint64_t bytes, enum units_scale scale, uint32_t sector_size,
			      char buffer[static UNITS_TEXT_MAX])
{
	static const char *const si[] = { "B", "K", "M", "G", "T", "P", "E" };
	static const char *const iec[] = { "B", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	/* Not to be taken for bytes. */
	static const char *const plain[] = { "s", "Ks", "Ms", "Gs", "Ts", "Ps", "Es" };
	const char *const *names = scale == UNITS_IEC ? iec : si;
	uint64_t value = bytes;

	if (scale == UNITS_SECTORS && sector_size > 0) {
		value = bytes / sector_size;
		names = plain;
		if (value < 10000) {
			snprintf(buffer, UNITS_TEXT_MAX, "%.24ss", UNITS_COUNT(value));
			return buffer;
		}
	}

	struct scaled s = scale_down((double)value, scale == UNITS_IEC ? 1024 : 1000);

	snprintf(buffer, UNITS_TEXT_MAX, "%.*f%s", s.decimals, s.value, names[s.power]);
	return buffer;
}

const char *units_print_long(uint64_t bytes, enum units_scale scale, uint32_t sector_size,
			     char buffer[static UNITS_TEXT_MAX])
{
	static const char *const si[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	static const char *const iec[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

	if (scale == UNITS_SECTORS && sector_size > 0)
		return print_sectors(bytes, sector_size, buffer);

	struct scaled s = scale_down((double)bytes, scale == UNITS_IEC ? 1024 : 1000);

	snprintf(buffer, UNITS_TEXT_MAX, "%.*f %s", s.decimals, s.value,
		 (scale == UNITS_IEC ? iec : si)[s.power]);
	return buffer;
}

const char *units_print_count(uint64_t value, char buffer[static UNITS_TEXT_MAX])
{
	const char *separator = nl_langinfo(THOUSEP);
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	size_t used = 0;

	/* A comma would read as the decimal point where that is a comma. The narrow blanks of some
	 * languages are no character that text_show() lets through. */
	if (strlen(separator) != 1 || (unsigned char)separator[0] >= 0x80)
		separator = strcmp(nl_langinfo(RADIXCHAR), ",") == 0 ? "." : ",";
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			for (const char *s = separator; *s; s++)
				buffer[used++] = *s;
		buffer[used++] = digits[i];
	}
	buffer[used] = '\0';
	return buffer;
}

const char *units_print_rate(double bytes_per_second, char buffer[static UNITS_TEXT_MAX])
{
	static const char *const names[] = {
		"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s"
	};

	if (!isfinite(bytes_per_second) || bytes_per_second < 0) {
		snprintf(buffer, UNITS_TEXT_MAX, "-");
		return buffer;
	}

	struct scaled s = scale_down(bytes_per_second, 1000);

	snprintf(buffer, UNITS_TEXT_MAX, "%.*f %s", s.decimals, s.value, names[s.power]);
	return buffer;
}

const char *units_print_duration(uint64_t seconds, char buffer[static UNITS_TEXT_MAX])
{
	uint64_t days = seconds / 86400;
	unsigned hours = (unsigned)(seconds / 3600 % 24);
	unsigned minutes = (unsigned)(seconds / 60 % 60);
	unsigned rest = (unsigned)(seconds % 60);

	if (days == 0)
		snprintf(buffer, UNITS_TEXT_MAX, "%u:%02u:%02u", hours, minutes, rest);
	else
		snprintf(buffer, UNITS_TEXT_MAX, _("%llu d %02u:%02u:%02u"),
			 (unsigned long long)days, hours, minutes, rest);
	return buffer;
}
