/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --help says of clone, resume and verify. */
#include <stdio.h>

#include "base/i18n.h"
#include "cli/cli.h"
#include "cli/clone_options.h"

/* A line of text is a line here. */
/* clang-format off */
static const struct {
	unsigned commands;
	const char *text;
} blocks[] = {
	{ COMMAND_CLONE, N_(
		"Usage: clonedeck clone -s SOURCE -d DESTINATION --confirm TOKEN [options]\n"
		"\n"
		"Copies a disk, a partition, ranges or an image file. SOURCE and DESTINATION: a\n"
		"node (/dev/sda, /dev/sda2, /dev/sg0), a link to one, serial=TEXT, wwn=TEXT, or\n"
		"the path of an image file. Look with --dry-run first.\n") },
	{ COMMAND_RESUME, N_(
		"Usage: clonedeck resume MAP --confirm TOKEN [options]\n"
		"\n"
		"Goes on with a copy that was stopped. The map names both disks; they are found\n"
		"by what they are, not by their names.\n") },
	{ COMMAND_VERIFY, N_(
		"Usage: clonedeck verify -s SOURCE -d DESTINATION [-r RANGES] [--at LBA]\n"
		"       clonedeck verify REPORT -d DESTINATION\n"
		"\n"
		"Reads both ends and compares them byte for byte, whoever made the copy; or\n"
		"reads the destination and compares it with the list of digests that the report\n"
		"of its copy names: the source need not be there any more. Nothing is written.\n") },
	{ COMMAND_CLONE, N_(
		"\n"
		"What is copied:\n"
		"  -s, --source SOURCE           what is read\n"
		"  -d, --destination DESTINATION what is overwritten\n"
		"  -r, --ranges RANGES           A-B, A+N, A-, -N, @PARTITION, commas between\n"
		"      --at LBA                  where the first range starts on the destination\n"
		"      --domain MAP              only what this map calls finished\n") },
	{ COMMAND_RESUME, N_(
		"\n"
		"A map of GNU ddrescue does not name the disks:\n"
		"  -s, --source SOURCE           what was read\n"
		"  -d, --destination DESTINATION what was written\n") },
	{ COMMAND_VERIFY, N_(
		"\n"
		"  -s, --source SOURCE           what was copied\n"
		"  -d, --destination DESTINATION what it was copied to\n"
		"  -r, --ranges RANGES           A-B, A+N, A-, -N, @PARTITION, commas between\n"
		"      --at LBA                  where the first range starts on the destination\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"Before anything is written:\n"
		"  -n, --dry-run                 show plan and checks, write nothing\n"
		"      --confirm TOKEN           the last six characters of the serial number of\n"
		"                                the destination; its full path where it has\n"
		"                                none of its own; the path of an existing image\n"
		"      --allow RULE              turn the refusal of one check into a warning\n") },
	{ COMMAND_CLONE, N_(
		"      --probe, --no-probe       ask the destination for its real size first\n"
		"                                (default: USB and removable ones)\n"
		"      --no-arm-last             copy partition table and boot sectors in their\n"
		"                                turn, not last\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"How it is copied:\n"
		"      --rate SIZE               at most so many bytes per second; 0: no limit\n") },
	{ COMMAND_CLONE, N_(
		"  -b, --chunk SIZE              bytes of one request\n"
		"  -q, --queue-depth N           requests in flight per disk\n"
		"  -j, --lanes N                 threads\n"
		"      --source-backend NAME     auto, uring, threads, sg, buffered, image\n"
		"      --destination-backend NAME\n"
		"      --sg-io direct|mmap|indirect\n"
		"                                how data gets to and from the sg driver\n"
		"      --sg-fua                  each write is on the medium when it is done\n"
		"      --sg-dpo                  the disk need not cache what is transferred\n") },
	{ COMMAND_CLONE, N_(
		"\n"
		"Verifying:\n"
		"      --verify=digest|rolling|after|compare\n"
		"                                read the copy back and compare it with digests\n"
		"                                taken as the source was read (default): rolling\n"
		"                                while it is copied, after when all is; or with\n"
		"                                the source\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --no-verify               do not read the copy back\n") },
	{ COMMAND_CLONE, N_(
		"      --rewrite                 write again what differs, and verify it again\n") },
	{ COMMAND_CLONE | COMMAND_VERIFY, N_(
		"      --digest ALGORITHMS       also take the sum of all of it: sha256, sha512,\n"
		"                                blake2b, sha1, md5, xxh3; several: sha256,md5\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"Disks with errors:\n") },
	{ COMMAND_CLONE, N_(
		"      --retries N               how often a failed request is tried again\n"
		"      --on-error stop|map       after a read error: stop, or rescue what can be\n"
		"                                read and record the rest (default)\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --on-write-error stop|map after a write error: stop (default), or record\n"
		"                                it\n"
		"      --fill zero|mark|leave    what bad sectors become on the destination\n"
		"      --retry-passes N          how often bad sectors are read again in the end\n"
		"      --slow-limit SECONDS      a read that takes longer is treated as damage\n"
		"      --max-bad-areas N         stop when there are more\n"
		"      --max-read-errors N       stop when more reads failed\n"
		"      --max-error-rate SIZE     stop when more bytes per second fail\n"
		"      --max-no-read SECONDS     stop when nothing could be read for so long\n") },
	{ COMMAND_RESUME, N_(
		"      --retry-area RANGES       read bad sectors again only in these\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --on-vanish wait|stop     when a disk is unplugged: wait until it is back\n"
		"                                (default), or end; the copy can be resumed\n"
		"      --wait SECONDS            wait at most so long for a disk\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --on-hangup continue|stop when the terminal goes: go on without it\n"
		"                                (default), or stop\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"Log, map and report:\n"
		"      --log-dir DIR             where they are kept\n") },
	{ COMMAND_CLONE, N_(
		"  -m, --map FILE                where the map is kept\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"      --map-interval SECONDS    how often the map is saved (30)\n"
		"      --report FILE             where the report (JSON) is saved\n"
		"      --certificate FILE        where the certificate (HTML, to be printed) is\n"
		"                                saved; else beside the report\n"
		"      --operator NAME           who makes the copy, for report and certificate\n"
		"      --ticket TEXT             what it is made for\n"
		"      --mask-serials            of serial numbers only the last 4 characters\n") },
	{ COMMAND_CLONE | COMMAND_RESUME, N_(
		"\n"
		"      --json                    progress and report as JSON lines\n"
		"      --help\n"
		"\n"
		"Exit: 0 complete, 1 usage, 2 environment, 3 refused, 4 bad areas,\n"
		"5 the copy differs, 6 stopped, 7 destination failed, 8 internal error.\n") },
	{ COMMAND_VERIFY, N_(
		"      --json                    progress and result as JSON lines\n"
		"      --help\n"
		"\n"
		"Exit: 0 it is the same, 1 usage, 2 environment, 3 refused, 4 the same but for\n"
		"bad areas that the copy left out, 5 it differs, 6 stopped.\n") },
};
/* clang-format on */

int clone_options_help(enum clone_command command)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (blocks[i].commands & command)
			fputs(_(blocks[i].text), stdout);
	return cli_finish_output(EXIT_COMPLETE);
}
