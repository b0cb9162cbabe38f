/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --help of clone, resume and verify says. */
#include "base/array.h"
#include "cli/clone_options.h"

#include <stdio.h>

#include "base/i18n.h"

/* A line of text is a line here. */
/* clang-format off */
static const struct {
	unsigned commands;
	const char *text;
} blocks[] = {
	{ COMMAND_CLONE, N_(
		"Usage: clonedeck clone -s SOURCE -d DESTINATION --confirm TOKEN [options]\n"
		"\n"
		"Copies a disk, a partition, ranges or an image file. SOURCE and DESTINATION\n"
		"are a node (/dev/sda, /dev/sda2, /dev/sg0), a link to one, serial=TEXT,\n"
		"wwn=TEXT, or the path of an image file. Use --dry-run first.\n") },
	{ COMMAND_RESUME, N_(
		"Usage: clonedeck resume MAP --confirm TOKEN [options]\n"
		"\n"
		"Continues a copy that was stopped. The map names both disks; they are found by\n"
		"their identity, not by their names.\n") },
	{ COMMAND_VERIFY, N_(
		"Usage: clonedeck verify -s SOURCE -d DESTINATION [-r RANGES] [--at LBA]\n"
		"       clonedeck verify REPORT -d DESTINATION\n"
		"\n"
		"Compares source and destination byte for byte, whatever made the copy. Given\n"
		"the REPORT of a verified copy, reads only the destination and compares it with\n"
		"the digests saved then; the source need not be attached. Writes nothing.\n") },
	{ COMMAND_CLONE, N_(
		"\n"
		"What is copied:\n"
		"      --preset healthy|failing|forensic\n"
		"                                what the source is; the options below win over\n"
		"                                it. failing: tables first, then what is used,\n"
		"                                one read at a time, none that is not needed\n"
		"                                (--used=first -j 1 --no-arm-last);\n"
		"                                forensic: every sector, with --digest sha256\n"
		"  -s, --source SOURCE           what is read\n"
		"  -d, --destination DESTINATION what is overwritten\n"
		"  -r, --ranges RANGES           comma-separated: A-B, A+N, A-, -N, @PARTITION\n"
		"      --at LBA                  where the first range starts on the destination\n"
		"      --domain MAP              only areas that are finished in this map\n"
		"      --used first|only[@N,…]   what the file systems use before the rest, or\n"
		"                                nothing else; of partitions N, or of all\n"
		"      --free zero|discard|leave what the destination gets for free places that\n"
		"                                are not copied\n"
		"      --source-sector-size 512|4096\n"
		"                                of an image; default: as its table says\n") },
	{ COMMAND_RESUME, N_(
		"\n"
		"For a map made by GNU ddrescue, which does not name the disks:\n"
		"  -s, --source SOURCE           what was read\n"
		"  -d, --destination DESTINATION what was written\n"
		"      --source-sector-size 512|4096\n"
		"                                of an image; default: as its table says\n") },
	{ COMMAND_VERIFY, N_(
		"\n"
		"  -s, --source SOURCE           what was copied\n"
		"  -d, --destination DESTINATION what it was copied to\n"
		"  -r, --ranges RANGES           comma-separated: A-B, A+N, A-, -N, @PARTITION\n"
		"      --at LBA                  where the first range starts on the destination\n"
		"      --source-sector-size 512|4096\n"
		"                                of an image; default: as its table says\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"Before anything is written:\n"
		"  -n, --dry-run                 show the plan and all checks, write nothing\n"
		"      --confirm TOKEN           the last six characters of the destination's\n"
		"                                serial number; its full path if it has none\n"
		"                                of its own; the path of an existing image\n"
		"      --allow RULE              turn a refusal of this check into a warning\n") },
	{ COMMAND_CLONE, N_(
		"      --probe, --no-probe       test the destination's real size first\n"
		"                                (default: USB and removable disks)\n"
		"      --no-arm-last             copy partition table and boot sectors in\n"
		"                                order, not last\n"
		"      --table keep|fit          copy the partition table as it is (default),\n"
		"                                or make it fit a disk of another size\n"
		"      --grow last|N             and give this partition the room behind it\n"
		"      --layout N:SIZE@START,..  make it fit, with partition N so large, there,\n"
		"                                or both (N:SIZE, N@START); others give way\n"
		"      --grow-fs                 and grow its file system after the copy\n") },
	{ COMMAND_CLONE, N_(
		"      --table gpt               and make a GPT of an MS-DOS table from which\n"
		"                                no BIOS starts\n") },
	{ COMMAND_CLONE, N_(
		"      --shrink-via IMAGE        fit a smaller disk: what is used goes into a\n"
		"                                new image, is shrunk there, and copied from it\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"How it is copied:\n"
		"      --rate SIZE               limit in bytes per second; 0: none\n") },
	{ COMMAND_CLONE, N_(
		"  -b, --chunk SIZE              size of one request\n"
		"  -q, --queue-depth N           requests in flight per disk\n"
		"  -j, --lanes N                 threads\n"
		"      --source-backend NAME     auto, uring, threads, sg, buffered, image\n"
		"      --destination-backend NAME\n"
		"      --sg-io direct|mmap|indirect\n"
		"                                how data gets to and from the sg driver\n"
		"      --sg-fua                  force each write to the medium\n"
		"      --sg-dpo                  tell the disk not to cache the data\n") },
	{ COMMAND_CLONE, N_(
		"\n"
		"Verifying:\n"
		"      --verify=digest|rolling|after|compare\n"
		"                                digest (default): read the copy back, compare\n"
		"                                it with digests taken from the source as read;\n"
		"                                rolling: already during the copy; after: only\n"
		"                                after it; compare: read both ends and compare\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --no-verify               do not read the copy back\n") },
	{ COMMAND_CLONE, N_(
		"      --rewrite                 rewrite what differs, then verify again\n") },
	{ COMMAND_CLONE | COMMAND_VERIFY, N_(
		"      --digest ALGORITHMS       also compute checksums: sha256, sha512,\n"
		"                                blake2b, sha1, md5, xxh3, separated by commas\n") },
	{ COMMAND_CLONE, N_(
		"\n"
		"When the copy is complete:\n"
		"      --identities=keep|new|new,rewrite\n"
		"                                keep (default): those of the source; new: other\n"
		"                                disk GUID, PARTUUIDs and UUIDs; rewrite: and in\n"
		"                                the files of the copy that name the old ones\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"Disks with errors:\n") },
	{ COMMAND_CLONE, N_(
		"      --retries N               retries of a failed request (3)\n"
		"      --on-error stop|map       on a read error: stop, or rescue what can be\n"
		"                                read and map the rest (default)\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --on-write-error stop|map on a write error: stop (default), or map it\n"
		"      --fill zero|mark|leave    what the destination gets for bad sectors\n"
		"      --retry-passes N          final passes over the bad sectors (0)\n"
		"      --slow-limit SECONDS      treat slower reads as damage\n"
		"      --max-bad-areas N         stop after more bad areas than this\n"
		"      --max-read-errors N       stop after more failed reads than this\n"
		"      --max-error-rate SIZE     stop if more bytes per second fail\n"
		"      --max-no-read SECONDS     stop if nothing could be read for this long\n") },
	{ COMMAND_RESUME, N_(
		"      --preset failing          the source is failing: spare it from here on\n"
		"      --retry-area RANGES       read bad sectors again only in RANGES\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --on-vanish wait|stop     if a disk is unplugged: wait until it is back\n"
		"                                (default), or stop; the copy can be resumed\n"
		"      --wait SECONDS            longest wait for a disk\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --on-hangup continue|stop if the terminal is lost: go on without it\n"
		"                                (default), or stop\n"
		"      --notify COMMAND          run it at the end and in trouble; $1 is the\n"
		"                                event, $2 a sentence\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"Log, map and report:\n"
		"      --log-dir DIR             directory for all of them\n") },
	{ COMMAND_CLONE, N_(
		"  -m, --map FILE                the map file\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --map-interval SECONDS    how often the map is saved (30)\n"
		"      --report FILE             the report (JSON)\n"
		"      --certificate FILE        the certificate (HTML, for printing); default:\n"
		"                                beside the report\n"
		"      --operator NAME           who makes the copy, for report and certificate\n"
		"      --ticket TEXT             order or case number, likewise\n"
		"      --mask-serials            show only the last 4 characters of serials\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"      --json                    progress and report as JSON lines\n"
		"      --help\n"
		"\n"
		"Exit status: 0 complete, 1 usage, 2 environment, 3 refused, 4 bad areas (or the\n"
		"source was in use), 5 copy differs, 6 stopped, 7 destination failed, 8 internal\n"
		"error.\n") },
	{ COMMAND_VERIFY, N_(
		"      --json                    progress and result as JSON lines\n"
		"      --help\n"
		"\n"
		"Exit status: 0 identical, 1 usage, 2 environment, 3 refused, 4 identical but\n"
		"for bad areas that the copy left out, 5 different, 6 stopped.\n") },
};
/* clang-format on */

int clone_options_help(enum clone_command command)
{
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		if (blocks[i].commands & command)
			fputs(_(blocks[i].text), stdout);
	return cli_finish_output(EXIT_COMPLETE);
}
