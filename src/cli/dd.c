/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operands of dd: somebody who has typed dd for years types them here, too.
 * They are answered with the command that does the same, and with what of them has
 * no counterpart. Nothing is run.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "cli/cli.h"

#define BLOCK 512 /* of dd, where none is given */

enum operand { IF, OF, BS, IBS, OBS, CBS, COUNT, SKIP, SEEK, CONV, IFLAG, OFLAG, STATUS, OPERANDS };

static const struct {
	const char *name;
	enum operand operand;
} names[] = {
	{ "if", IF },       { "of", OF },       { "bs", BS },         { "ibs", IBS },
	{ "obs", OBS },     { "cbs", CBS },     { "count", COUNT },   { "skip", SKIP },
	{ "iseek", SKIP },  { "seek", SEEK },   { "oseek", SEEK },    { "conv", CONV },
	{ "iflag", IFLAG }, { "oflag", OFLAG }, { "status", STATUS },
};

struct dd {
	const char *values[OPERANDS]; /* NULL: not given */
	uint64_t skip, seek, count;   /* bytes */
	bool counts;
	char without[512]; /* operands that nothing here stands for */
};

/* The operand in "if=/dev/sda", and its value; OPERANDS: it is none. */
static enum operand operand_of(const char *text, const char **value)
{
	size_t length = strcspn(text, "=");

	for (size_t i = 0; text[length] && i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i].name) != length || strncmp(names[i].name, text, length) != 0)
			continue;
		*value = text + length + 1;
		return names[i].operand;
	}
	return OPERANDS;
}

bool dd_speaks(const char *argument)
{
	const char *value;

	return strcmp(argument, "dd") == 0 || operand_of(argument, &value) != OPERANDS;
}

/* c, w, b, kB, K, KiB, MB, M, MiB, …; at the end of a number. */
static bool take_unit(const char **text, uint64_t *ret)
{
	static const char letters[] = "KMGTPE";
	const char *p = *text;
	const char *letter = *p ? strchr(letters, *p == 'k' ? 'K' : *p) : NULL;

	*ret = 1;
	if (*p == 'c' || *p == 'w' || *p == 'b') {
		*ret = *p == 'c' ? 1 : *p == 'w' ? 2 : 512;
		*text = p + 1;
		return true;
	}
	if (!letter)
		return true;

	bool decimal = p[1] == 'B';

	for (long i = letter - letters; i >= 0; i--)
		if (!u64_mul(*ret, decimal ? 1000 : 1024, ret))
			return false;
	*text = p + (decimal ? 2 : p[1] == 'i' && p[2] == 'B' ? 3 : 1);
	return true;
}

/* 4096, 1M, 2x512; *retbytes: it ends in B, and counts bytes in place of blocks. */
static bool parse_number(const char *text, uint64_t *ret, bool *retbytes)
{
	*ret = 1;
	*retbytes = false;
	for (;;) {
		uint64_t value, unit;
		char *end;

		if (*text < '0' || *text > '9' || strlen(text) > 24)
			return false;
		value = strtoull(text, &end, 10);
		text = end;
		if (!take_unit(&text, &unit) || !u64_mul(value, unit, &value) ||
		    !u64_mul(*ret, value, ret))
			return false;
		if (*text != 'x')
			break;
		text++;
	}
	if (*text == 'B') {
		*retbytes = true;
		text++;
	}
	return *text == '\0';
}

/* Does a list of words with commas hold this one? */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (strncmp(p, word, length) == 0 && (p[length] == ',' || p[length] == '\0'))
			return true;
	}
	return false;
}

/* The bytes of a number of blocks; 0 where the operand is not given. */
static bool bytes_of(const struct dd *dd, enum operand operand, uint64_t block, enum operand flags,
		     const char *flag, uint64_t *ret)
{
	const char *value = dd->values[operand];
	bool bytes;

	*ret = 0;
	if (!value)
		return true;
	if (!parse_number(value, ret, &bytes))
		return false;
	bytes |= has_word(dd->values[flags], flag);
	return bytes || u64_mul(*ret, block, ret);
}

static bool block_of(const struct dd *dd, enum operand operand, uint64_t *ret)
{
	const char *value = dd->values[BS] ? dd->values[BS] : dd->values[operand];
	bool bytes;

	*ret = BLOCK;
	return !value || (parse_number(value, ret, &bytes) && *ret > 0);
}

static bool work_out(struct dd *dd)
{
	uint64_t in, out;

	dd->counts = dd->values[COUNT] != NULL;
	return block_of(dd, IBS, &in) && block_of(dd, OBS, &out) &&
	       bytes_of(dd, SKIP, in, IFLAG, "skip_bytes", &dd->skip) &&
	       bytes_of(dd, COUNT, in, IFLAG, "count_bytes", &dd->count) &&
	       bytes_of(dd, SEEK, out, OFLAG, "seek_bytes", &dd->seek);
}

/* Words without effect on the bytes of the copy: clonedeck does it anyway, or it is about how dd
 * works inside. */
static bool is_matter_of_course(const char *word, size_t length)
{
	static const char *const words[] = {
		"noerror", "sync",     "fsync",    "fdatasync",  "notrunc",     "sparse",
		"direct",  "dsync",    "nonblock", "fullblock",  "nocache",     "noatime",
		"noctty",  "nofollow", "binary",   "skip_bytes", "count_bytes", "seek_bytes",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == length && strncmp(words[i], word, length) == 0)
			return true;
	return false;
}

static void list_without(struct dd *dd)
{
	static const enum operand lists[] = { CONV, IFLAG, OFLAG };
	static const char *const labels[] = { "conv", "iflag", "oflag" };

	for (size_t i = 0; i < 3; i++) {
		const char *word = dd->values[lists[i]];

		while (word && *word) {
			size_t length = strcspn(word, ",");

			if (length && !is_matter_of_course(word, length))
				text_join(dd->without, sizeof(dd->without), "%s=%.*s", labels[i],
					  (int)length, word);
			word += length + (word[length] == ',');
		}
	}
	if (dd->values[CBS])
		text_join(dd->without, sizeof(dd->without), "cbs=%s", dd->values[CBS]);
}

/* In bytes, so that it is true of sectors of any size: a plain number would be an LBA. */
static void print_size(uint64_t bytes, char buffer[static 32])
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	const char *unit = "B";

	for (size_t i = 0; i < 4 && bytes && bytes % 1024 == 0; i++) {
		bytes /= 1024;
		unit = units[i];
	}
	snprintf(buffer, 32, "%llu%s", (unsigned long long)bytes, bytes ? unit : "");
}

static void print_command(const struct dd *dd, char *command, size_t size)
{
	char source[1024], destination[1024], skip[32], count[32], seek[32];

	print_size(dd->skip, skip);
	print_size(dd->count, count);
	print_size(dd->seek, seek);
	snprintf(command, size, "clonedeck clone -s %s -d %s",
		 text_shell_word(source, sizeof(source), dd->values[IF], "SOURCE"),
		 text_shell_word(destination, sizeof(destination), dd->values[OF], "DESTINATION"));
	if (dd->counts)
		text_append(command, size, "", " -r %s+%s", skip, count);
	else if (dd->skip)
		text_append(command, size, "", " -r %s-", skip);
	if (dd->seek != dd->skip)
		text_append(command, size, "", " --at %s", seek);
	text_append(command, size, "", " --dry-run");
}

static int refuse(const char *sentence)
{
	return cli_usage("clone", "%s", sentence);
}

/* /dev/zero, /dev/null, /dev/urandom, a pipe */
static bool is_endless(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 &&
	       (S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && major(st.st_rdev) == 1));
}

/* Why no command of clonedeck does the same; NULL: there is one. */
static const char *why_not(const struct dd *dd)
{
	if (!dd->values[IF] || !dd->values[OF])
		return _("These are operands of dd, which reads standard input without if= and "
			 "writes standard output without of=. clonedeck copies between disks, "
			 "partitions and image files: name both, as in clonedeck clone -s /dev/sda "
			 "-d /dev/sdb --dry-run.");
	if (!dd->values[IF][0] || !dd->values[OF][0])
		return _("These are operands of dd, and if= or of= names nothing.");
	if (is_endless(dd->values[IF]) || is_endless(dd->values[OF]))
		return _("These are operands of dd. clonedeck copies between disks, partitions and "
			 "image files; it does not read or fill from devices without an end.");
	if (dd->counts && dd->count == 0)
		return _("These are operands of dd, and count=0 copies nothing.");
	if (dd->skip % BLOCK || dd->seek % BLOCK || dd->count % BLOCK)
		return _("These are operands of dd. clonedeck copies whole sectors, and skip=, "
			 "seek= or count= comes to a part of one here.");
	if (has_word(dd->values[OFLAG], "append"))
		return _("These are operands of dd. clonedeck writes to positions (--at) and "
			 "appends nothing.");
	return NULL;
}

static void take(struct dd *dd, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		const char *value;
		enum operand operand = operand_of(argv[i], &value);

		if (operand != OPERANDS)
			dd->values[operand] = value; /* the last one counts, as for dd */
		else if (strcmp(argv[i], "dd") != 0)
			text_join(dd->without, sizeof(dd->without), "%s", argv[i]);
	}
}

int dd_translate(int argc, char **argv)
{
	struct dd dd = { 0 };
	char command[2400], printable[2400], without[512];
	const char *why;

	take(&dd, argc, argv);
	why = why_not(&dd);
	if (why)
		return refuse(why);
	if (!work_out(&dd))
		return refuse(_("These are operands of dd, and one of bs=, count=, skip= and seek= "
				"is no number that dd takes."));
	why = why_not(&dd);
	if (why)
		return refuse(why);
	list_without(&dd);
	print_command(&dd, command, sizeof(command));
	fprintf(stderr, _("clonedeck: These are operands of dd. With clonedeck:\n  %s\n"),
		text_sanitise(printable, sizeof(printable), command, sizeof(command)));
	if (dd.without[0])
		fprintf(stderr, _("Without a counterpart, so left out: %s.\n"),
			text_sanitise(without, sizeof(without), dd.without, sizeof(dd.without)));
	fputs(_("It shows the plan; then replace --dry-run by --confirm with what the plan asks "
		"for.\n"),
	      stderr);
	return EXIT_USAGE;
}
