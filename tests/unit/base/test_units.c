/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes as typed, numbers as shown. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

static const struct {
	const char *text;
	uint64_t bytes;
} sizes[] = {
	{ "0", 0 },
	{ "512", 512 },
	{ "512B", 512 },
	{ "64K", 65536 },
	{ "64k", 65536 },
	{ "64KiB", 65536 },
	{ "64KB", 64000 },
	{ "64kB", 64000 },
	{ "1M", 1048576 },
	{ "1MiB", 1048576 },
	{ "1MB", 1000000 },
	{ "1G", 1ULL << 30 },
	{ "1T", 1ULL << 40 },
	{ "1P", 1ULL << 50 },
	{ "1PB", 1000000000000000ULL },
	{ "2048s", 1048576 },
	{ "0s", 0 },
	{ "0x800", 2048 },
	{ "0XfF", 255 },
	{ "0x10K", 16384 },
	{ "0x10s", 8192 },
	{ "1.5G", 1610612736 },
	{ "1.5GB", 1500000000 },
	{ "0.5K", 512 },
	{ "1.1T", 1209462790553ULL }, /* down to a byte */
	{ "1.9999999999999999999999999999K", 2047 },
	{ "16383P", 16383ULL << 50 },
	{ "18446744073709551615", UINT64_MAX },
	{ "0xffffffffffffffff", UINT64_MAX },
	{ "000000000000000000000000000007", 7 },
	{ "18446744073709551.615KB", UINT64_MAX },
};

TEST_ROWS(parses, ARRAY_SIZE(sizes))
{
	uint64_t bytes = 1;
	const char *end = NULL;

	ck_assert_msg(units_parse_size(sizes[_i].text, 512, NULL, &bytes) == 0, "%s",
		      sizes[_i].text);
	ck_assert_msg(bytes == sizes[_i].bytes, "%s: %llu", sizes[_i].text,
		      (unsigned long long)bytes);
	ck_assert_int_eq(units_parse_size(sizes[_i].text, 512, &end, &bytes), 0);
	ck_assert_ptr_eq(end, sizes[_i].text + strlen(sizes[_i].text));
}

static const struct {
	const char *text;
	int code;
} no_sizes[] = {
	{ "", -EINVAL },
	{ " 5", -EINVAL },
	{ "5 ", -EINVAL },
	{ "-5", -EINVAL },
	{ "+5", -EINVAL },
	{ "K", -EINVAL },
	{ ".5K", -EINVAL },
	{ "5.K", -EINVAL },
	{ "1.5", -EINVAL },
	{ "1.5B", -EINVAL },
	{ "1.5s", -EINVAL },
	{ "1,5K", -EINVAL },
	{ "1.5.5K", -EINVAL },
	{ "1Ki", -EINVAL },
	{ "1KK", -EINVAL },
	{ "1x", -EINVAL },
	{ "0x", -EINVAL },
	{ "0xg", -EINVAL },
	{ "0x1.5K", -EINVAL },
	{ "1E", -EINVAL },
	{ "1e3", -EINVAL },
	{ "nan", -EINVAL },
	{ "1\xc2\xa0K", -EINVAL },
	{ "18446744073709551616", -ERANGE },
	{ "99999999999999999999999999", -ERANGE },
	{ "0x10000000000000000", -ERANGE },
	{ "16384P", -ERANGE },
	{ "36028797018963968s", -ERANGE },
	{ "18446744073709551.616KB", -ERANGE },
};

TEST_ROWS(refuses, ARRAY_SIZE(no_sizes))
{
	uint64_t bytes = 7;
	int code = units_parse_size(no_sizes[_i].text, 512, NULL, &bytes);

	ck_assert_msg(code == no_sizes[_i].code, "'%s' gave %d", no_sizes[_i].text, code);
	ck_assert_uint_eq(bytes, 7);
}

TEST(tells_where_it_stopped)
{
	const struct {
		const char *text;
		size_t taken;
		uint64_t bytes;
	} parts[] = {
		{ "5-7", 1, 5 },    { "1GiB+20GiB", 4, 1ULL << 30 },
		{ "1Kx", 2, 1024 }, { "1Ki", 2, 1024 },
		{ "2.x", 1, 2 },    { "8s,", 2, 4096 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *end = NULL;
		uint64_t bytes = 0;

		ck_assert_int_eq(units_parse_size(parts[i].text, 512, &end, &bytes), 0);
		ck_assert_uint_eq((size_t)(end - parts[i].text), parts[i].taken);
		ck_assert_uint_eq(bytes, parts[i].bytes);
	}
}

/* A plain number is an LBA however it is written, also with a large X; a size has to be whole
 * sectors. */
TEST(parses_lbas)
{
	static const struct {
		const char *text;
		int code;
		uint64_t lba;
	} lbas[] = {
		{ "2048", 0, 2048 }, { "0x800", 0, 2048 }, { "0X800", 0, 2048 },
		{ "1MiB", 0, 2048 }, { "2048s", 0, 2048 }, { "0x10K", 0, 32 },
		{ "1KB", -EDOM, 7 }, { "512B", 0, 1 },     { "0x", -EINVAL, 7 },
		{ "0.5K", 0, 1 },    { "", -EINVAL, 7 },   { "99999999999999999999", -ERANGE, 7 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lbas); i++) {
		uint64_t lba = 7;

		ck_assert_int_eq(units_parse_lba(lbas[i].text, 512, &lba), lbas[i].code);
		ck_assert_uint_eq(lba, lbas[i].lba);
	}
}

TEST(sectors_need_a_size)
{
	uint64_t bytes;

	ck_assert_int_eq(units_parse_size("8s", 0, NULL, &bytes), -EINVAL);
	ck_assert_int_eq(units_parse_size("8s", 4096, NULL, &bytes), 0);
	ck_assert_uint_eq(bytes, 32768);
}

static const struct {
	uint64_t bytes;
	const char *si, *iec, *sectors; /* short */
	const char *si_long, *iec_long, *sectors_long;
} shown[] = {
	{ 0, "0B", "0B", "0s", "0 B", "0 B", "0 sectors" },
	{ 512, "512B", "512B", "1s", "512 B", "512 B", "1 sector" },
	{ 999, "999B", "999B", "1s", "999 B", "999 B", "1 sector" },
	{ 1000, "1.00K", "1000B", "1s", "1.00 kB", "1000 B", "1 sector" },
	{ 1024, "1.02K", "1.00Ki", "2s", "1.02 kB", "1.00 KiB", "2 sectors" },
	{ 9994, "9.99K", "9.76Ki", "19s", "9.99 kB", "9.76 KiB", "19 sectors" },
	{ 9996, "10.0K", "9.76Ki", "19s", "10.0 kB", "9.76 KiB", "19 sectors" },
	{ 17408, "17.4K", "17.0Ki", "34s", "17.4 kB", "17.0 KiB", "34 sectors" },
	{ 99960, "100K", "97.6Ki", "195s", "100 kB", "97.6 KiB", "195 sectors" },
	{ 999499, "999K", "976Ki", "1,952s", "999 kB", "976 KiB", "1,952 sectors" },
	{ 999500, "1.00M", "976Ki", "1,952s", "1.00 MB", "976 KiB", "1,952 sectors" },
	{ 1048063, "1.05M", "1023Ki", "2,046s", "1.05 MB", "1023 KiB", "2,046 sectors" },
	{ 1048064, "1.05M", "1.00Mi", "2,047s", "1.05 MB", "1.00 MiB", "2,047 sectors" },
	{ 5119488, "5.12M", "4.88Mi", "9,999s", "5.12 MB", "4.88 MiB", "9,999 sectors" },
	{ 51199488, "51.2M", "48.8Mi", "100Ks", "51.2 MB", "48.8 MiB", "99,999 sectors" },
	{ 51200000, "51.2M", "48.8Mi", "100Ks", "51.2 MB", "48.8 MiB", "100,000 sectors" },
	{ 536870912, "537M", "512Mi", "1.05Ms", "537 MB", "512 MiB", "1,048,576 sectors" },
	{ 2000398934016ULL, "2.00T", "1.82Ti", "3.91Gs", "2.00 TB", "1.82 TiB",
	  "3,907,029,168 sectors" },
	{ 20000000000000ULL, "20.0T", "18.2Ti", "39.1Gs", "20.0 TB", "18.2 TiB",
	  "39,062,500,000 sectors" },
	{ UINT64_MAX, "18.4E", "16.0Ei", "36.0Ps", "18.4 EB", "16.0 EiB",
	  "36,028,797,018,963,967 sectors" },
};

TEST_ROWS(prints_sizes, ARRAY_SIZE(shown))
{
	char text[UNITS_TEXT_MAX];
	uint64_t bytes = shown[_i].bytes;

	ck_assert_str_eq(units_print_short(bytes, UNITS_SI, 512, text), shown[_i].si);
	ck_assert_str_eq(units_print_short(bytes, UNITS_IEC, 512, text), shown[_i].iec);
	ck_assert_str_eq(units_print_short(bytes, UNITS_SECTORS, 512, text), shown[_i].sectors);
	ck_assert_str_eq(units_print_long(bytes, UNITS_SI, 512, text), shown[_i].si_long);
	ck_assert_str_eq(units_print_long(bytes, UNITS_IEC, 512, text), shown[_i].iec_long);
	ck_assert_str_eq(units_print_long(bytes, UNITS_SECTORS, 512, text), shown[_i].sectors_long);
}

TEST(short_is_short)
{
	char text[UNITS_TEXT_MAX];
	uint64_t bytes = 1;

	for (int i = 0; i < 20000; i++) {
		for (int scale = UNITS_SI; scale <= UNITS_SECTORS; scale++) {
			units_print_short(bytes, (enum units_scale)scale, 512, text);
			ck_assert_msg(strlen(text) <= 6, "%llu: '%s'", (unsigned long long)bytes,
				      text);
		}
		bytes = bytes * 6364136223846793005ULL + 1442695040888963407ULL;
		if (i % 2)
			bytes >>= bytes % 61;
	}
}

TEST(sectors_of_unknown_size)
{
	char text[UNITS_TEXT_MAX];

	ck_assert_str_eq(units_print_long(2000, UNITS_SECTORS, 0, text), "2.00 kB");
	ck_assert_str_eq(units_print_short(2000, UNITS_SECTORS, 0, text), "2.00K");
}

TEST(prints_counts)
{
	char text[UNITS_TEXT_MAX];

	ck_assert_str_eq(units_print_count(0, text), "0");
	ck_assert_str_eq(units_print_count(999, text), "999");
	ck_assert_str_eq(units_print_count(1000, text), "1,000");
	ck_assert_str_eq(units_print_count(1234567, text), "1,234,567");
	ck_assert_str_eq(units_print_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

TEST(prints_rates)
{
	char text[UNITS_TEXT_MAX];

	ck_assert_str_eq(units_print_rate(0, text), "0 B/s");
	ck_assert_str_eq(units_print_rate(0.4, text), "0 B/s");
	ck_assert_str_eq(units_print_rate(999.4, text), "999 B/s");
	ck_assert_str_eq(units_print_rate(999.6, text), "1.00 kB/s");
	ck_assert_str_eq(units_print_rate(812000, text), "812 kB/s");
	ck_assert_str_eq(units_print_rate(193e6, text), "193 MB/s");
	ck_assert_str_eq(units_print_rate(1.93e9, text), "1.93 GB/s");
	ck_assert_str_eq(units_print_rate(-1, text), "-");
	ck_assert_str_eq(units_print_rate(NAN, text), "-");
	ck_assert_str_eq(units_print_rate(INFINITY, text), "-");
	ck_assert_uint_lt(strlen(units_print_rate(1e300, text)), UNITS_TEXT_MAX);
}

TEST(prints_durations)
{
	char text[UNITS_TEXT_MAX];

	ck_assert_str_eq(units_print_duration(0, text), "0:00:00");
	ck_assert_str_eq(units_print_duration(7, text), "0:00:07");
	ck_assert_str_eq(units_print_duration(5625, text), "1:33:45");
	ck_assert_str_eq(units_print_duration(86399, text), "23:59:59");
	ck_assert_str_eq(units_print_duration(86400, text), "1 d 00:00:00");
	ck_assert_str_eq(units_print_duration(1048200, text), "12 d 03:10:00");
	ck_assert_str_eq(units_print_duration(UINT64_MAX, text), "213503982334601 d 07:00:15");
}
