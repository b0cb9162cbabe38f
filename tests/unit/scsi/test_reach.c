/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How large an ATA disk says it is: the commands, their answers, and a scripted disk that is asked.
 */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "fake/sg_script.h"
#include "scsi/ata.h"

#define FD      SG_SCRIPT_FD
#define TIMEOUT (100 * NSEC_PER_MSEC)
#define SECTORS 0x123456789aULL

/* CHECK CONDITION, "ATA pass through information available", with the last LBA 0x123456799a. */
static const uint8_t descriptor[] = { 0x72, 1, 0, 0x1d, 0,    0,    0,    14, 9,    12,   1,
				      0,    0, 0, 0x34, 0x9a, 0x12, 0x79, 0,  0x56, 0x40, 0x50 };
/* The same in the fixed format, of a disk with the last LBA 0x123456. */
static const uint8_t fixed[] = { 0x70, 0,    1,    0, 0x50, 0x40, 0, 10, 0x80,
				 0x56, 0x34, 0x12, 0, 0x1d, 0,    0, 0,  0 };

static struct sg_script disk;
static uint8_t identify[512], overlay[512];
static struct ata_reach reach;

static void put_word(uint8_t *page, size_t number, unsigned value)
{
	page[2 * number] = (uint8_t)value;
	page[2 * number + 1] = (uint8_t)(value >> 8);
}

static void put_sectors(uint8_t *page, unsigned first, uint64_t value)
{
	for (unsigned i = 0; i < 4; i++)
		put_word(page, first + i, (unsigned)(value >> 16 * i) & 0xffff);
}

static void seal(uint8_t *page)
{
	uint8_t sum = 0;

	page[510] = 0xa5;
	page[511] = 0;
	for (size_t i = 0; i < 512; i++)
		sum = (uint8_t)(sum + page[i]);
	page[511] = (uint8_t)-sum;
}

static void set_up(void)
{
	int fd;

	memset(identify, 0, sizeof(identify));
	memset(overlay, 0, sizeof(overlay));
	put_word(identify, 83, 0x4400);
	put_sectors(identify, 100, SECTORS);
	put_sectors(overlay, 3, SECTORS + 511);
	seal(overlay);
	sg_script_init(&disk, 8192, 512);
	disk.identify = identify;
	ck_assert_int_eq(disk.driver.reopen(&disk.driver, 0, &fd), 0);
}

static void tear_down(void)
{
	sg_script_done(&disk);
}

static void with_protected_area(void)
{
	put_word(identify, 82, 1U << 10);
	put_word(identify, 85, 1U << 10);
}

static void answer_registers(const uint8_t *sense, size_t length)
{
	disk.registers = sense;
	disk.registers_length = length;
}

static void ask(void)
{
	ata_reach_ask_by(&disk.driver, FD, TIMEOUT, &reach);
}

static void open_is_known_alone(void)
{
	ck_assert_uint_eq(reach.open, SECTORS * 512);
	ck_assert_uint_eq(reach.whole, 0);
}

TEST(commands_are_as_in_the_standard)
{
	const uint8_t data[] = { 0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec, 0 };
	const uint8_t registers[] = {
		0x85, 0x07, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x27, 0
	};
	struct scsi_cdb cdb;

	ata_cdb(ATA_IDENTIFY, &cdb);
	ck_assert_uint_eq(cdb.length, sizeof(data));
	ck_assert_mem_eq(cdb.bytes, data, sizeof(data));
	ata_cdb(ATA_NATIVE_MAX, &cdb);
	ck_assert_mem_eq(cdb.bytes, registers, sizeof(registers));
	ata_cdb(ATA_ACCESSIBLE_MAX, &cdb);
	ck_assert_uint_eq(cdb.bytes[14], 0x78);
	ck_assert_uint_eq(cdb.bytes[4], 0);
	ata_cdb(ATA_CONFIG_IDENTIFY, &cdb);
	ck_assert_uint_eq(cdb.bytes[14], 0xb1);
	/* any other feature of this command would change the disk */
	ck_assert_uint_eq(cdb.bytes[4], 0xc2);
}

TEST(registers_in_both_formats)
{
	uint8_t sense[64] = { 0 };

	ck_assert_uint_eq(ata_parse_max(descriptor, sizeof(descriptor)), 0x123456799bULL);
	ck_assert_uint_eq(ata_parse_max(fixed, sizeof(fixed)), 0x123457);
	/* the upper half did not fit */
	memcpy(sense, fixed, sizeof(fixed));
	sense[8] |= 0x20;
	ck_assert_uint_eq(ata_parse_max(sense, sizeof(fixed)), 0);
	/* other words than about registers */
	memcpy(sense, fixed, sizeof(fixed));
	sense[13] = 0;
	ck_assert_uint_eq(ata_parse_max(sense, sizeof(fixed)), 0);
}

TEST(what_are_no_registers_tells_nothing)
{
	uint8_t sense[64] = { 0 };

	for (size_t length = 0; length < sizeof(descriptor); length++)
		ck_assert_uint_eq(ata_parse_max(descriptor, length), 0);
	for (size_t length = 0; length < 14; length++)
		ck_assert_uint_eq(ata_parse_max(fixed, length), 0);
	memcpy(sense, descriptor, sizeof(descriptor));
	sense[21] = 0x51; /* the command failed */
	ck_assert_uint_eq(ata_parse_max(sense, sizeof(descriptor)), 0);
	memcpy(sense, descriptor, sizeof(descriptor));
	sense[10] = 0; /* half of them */
	ck_assert_uint_eq(ata_parse_max(sense, sizeof(descriptor)), 0);
	memset(sense + 11, 0, 9); /* never filled */
	sense[10] = 1;
	ck_assert_uint_eq(ata_parse_max(sense, sizeof(descriptor)), 0);
}

UNIT_CASE(.setup = set_up, .teardown = tear_down, .timeout = 20);

TEST(a_disk_with_a_host_protected_area)
{
	with_protected_area();
	answer_registers(descriptor, sizeof(descriptor));
	ask();
	ck_assert_uint_eq(reach.open, SECTORS * 512);
	ck_assert_uint_eq(reach.whole, (SECTORS + 0x101) * 512);
}

TEST(a_newer_disk_with_large_sectors)
{
	put_word(identify, 119, 0x4100);
	put_word(identify, 106, 0x5000);
	put_word(identify, 117, 2048);
	answer_registers(descriptor, sizeof(descriptor));
	ask();
	ck_assert_uint_eq(disk.last_cdb[14], 0x78);
	ck_assert_uint_eq(reach.open, SECTORS * 4096);
	ck_assert_uint_eq(reach.whole, (SECTORS + 0x101) * 4096);
}

TEST(a_disk_with_an_overlay)
{
	put_word(identify, 83, 0x4c00);
	disk.overlay = overlay;
	ask();
	ck_assert_uint_eq(reach.whole, (SECTORS + 512) * 512);
	overlay[511]++; /* not what it was sealed with */
	ask();
	open_is_known_alone();
}

/* Nor would a bridge that passes on less than it should bear it. */
TEST(what_the_disk_does_not_know_is_not_asked)
{
	disk.overlay = overlay;
	answer_registers(descriptor, sizeof(descriptor));
	ask();
	ck_assert_uint_eq(disk.last_cdb[14], 0xec);
	open_is_known_alone();
}

TEST(refused_or_made_up_is_unknown)
{
	with_protected_area();
	ask();
	ck_assert_uint_eq(disk.last_cdb[14], 0x27);
	/* once */
	ck_assert_uint_eq(disk.ata_commands, 2);
	open_is_known_alone();
	/* less than the disk lets others reach */
	answer_registers(fixed, sizeof(fixed));
	ask();
	open_is_known_alone();
}

static void nothing_is_known(void)
{
	ask();
	ck_assert_uint_eq(reach.open, 0);
	ck_assert_uint_eq(reach.whole, 0);
}

TEST(no_ata_disk_tells_nothing)
{
	disk.identify = NULL;
	nothing_is_known();
	disk.identify = identify;
	put_word(identify, 83, 0); /* 28-bit addresses */
	nothing_is_known();
	put_word(identify, 83, 0x4400);
	put_word(identify, 0, 0x8580); /* an optical drive */
	nothing_is_known();
	put_word(identify, 0, 0);
	put_sectors(identify, 100, UINT64_MAX);
	nothing_is_known();
	disk.gone = true;
	nothing_is_known();
}

static int never(const struct sg_driver *driver, const int *fds, unsigned count,
		 uint64_t timeout_ns)
{
	return -ETIMEDOUT;
}

TEST(a_disk_that_hangs_is_not_waited_for)
{
	disk.driver.wait = never;
	nothing_is_known();
}
