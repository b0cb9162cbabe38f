/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The range text: a parser by hand, because it must know at which column it stumbled. */
#include "plan/rangespec.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

/* "18446744073709551615-18446744073709551615" with its comma or NUL. */
#define ITEM_TEXT_MAX 42

#define WORD_MAX 48

struct parser {
	const char *text; /* all of it, for columns */
	const char *at;
	const struct rangespec_context *context;
	struct rangespec_error *reterr;
};

struct number {
	const char *start, *end; /* as typed */
	uint64_t sectors;
	bool bytes; /* it had a size suffix: a boundary, not a sector */
};

static __attribute__((format(printf, 5, 6))) int
fail(struct parser *parser, int code, const char *from, const char *to, const char *format, ...)
{
	struct rangespec_error *reterr = parser->reterr;
	char sentence[2 * sizeof(reterr->sentence)];

	if (!reterr)
		return code;
	text_vprint(sentence, sizeof(sentence), format);
	text_copy(reterr->sentence, sizeof(reterr->sentence), sentence);
	reterr->column = (int)(from - parser->text);
	reterr->length = (int)(to - from);
	return code;
}

static void skip_blanks(struct parser *parser)
{
	while (*parser->at == ' ' || *parser->at == '\t')
		parser->at++;
}

/* Skips blanks, and takes `sign` if it comes next. */
static bool take(struct parser *parser, char sign)
{
	skip_blanks(parser);
	if (*parser->at != sign)
		return false;
	parser->at++;
	return true;
}

/* Skips blanks; is the item over? */
static bool at_item_end(struct parser *parser)
{
	skip_blanks(parser);
	return *parser->at == '\0' || *parser->at == ',';
}

/* Behind the word at `text`: at least one byte of it, as there is something to point at. */
static const char *word_end(const char *text)
{
	size_t length = strcspn(text, " \t,+-@*");

	return text + (length > 0 || *text == '\0' ? length : 1);
}

static const char *word_text(const char *word, char buffer[static WORD_MAX])
{
	return text_sanitise(buffer, WORD_MAX, word, (size_t)(word_end(word) - word));
}

static int fail_no_number(struct parser *parser, const char *word)
{
	char buffer[WORD_MAX];

	if (*word == '\0' || *word == ',')
		return fail(parser, -EINVAL, word, word_end(word), "%s",
			    _("A number is missing here."));
	return fail(parser, -EINVAL, word, word_end(word),
		    _("'%s' is not a number. Write an LBA such as 2048 or 0x800, or a size such as "
		      "64K, 1.5G or 1MiB."),
		    word_text(word, buffer));
}

static int take_number(struct parser *parser, struct number *ret)
{
	uint32_t sector = parser->context->sector_size;
	char word[WORD_MAX];
	uint64_t value = 0;

	skip_blanks(parser);
	ret->start = parser->at;

	int error = units_parse_size(ret->start, sector, &ret->end, &value);

	if (error == -ERANGE)
		return fail(parser, -ERANGE, ret->start, word_end(ret->start),
			    _("%s is more than any disk has."), word_text(ret->start, word));
	if (error < 0 || ret->end != word_end(ret->start))
		return fail_no_number(parser, ret->start);
	ret->bytes = false;
	if (units_is_plain(ret->start, (size_t)(ret->end - ret->start))) {
		ret->sectors = value;
	} else {
		if (value % sector != 0)
			return fail(parser, -EINVAL, ret->start, ret->end,
				    _("%s is %s bytes, which is no multiple of the sector of %u "
				      "bytes."),
				    word_text(ret->start, word), UNITS_COUNT(value), sector);
		ret->sectors = value / sector;
		ret->bytes = ret->end[-1] != 's';
	}
	parser->at = ret->end;
	return 0;
}

static int fail_beyond_end(struct parser *parser, const struct number *number)
{
	char word[WORD_MAX];

	return fail(parser, -ERANGE, number->start, number->end,
		    _("%s lies beyond the end: the last LBA is %" PRIu64 "."),
		    word_text(number->start, word), parser->context->sectors - 1);
}

/* A number of sectors, of which there must be some, and no more than `available`. */
static int take_count(struct parser *parser, uint64_t available, uint64_t *ret)
{
	struct number number;
	char word[WORD_MAX];
	int error = take_number(parser, &number);

	if (error < 0)
		return error;
	if (number.sectors == 0)
		return fail(
			parser, -EINVAL, number.start, number.end, "%s",
			_("A range of no sectors copies nothing. Write a count of at least 1."));
	if (number.sectors > available)
		return fail(parser, -ERANGE, number.start, number.end,
			    _("%s is more than there is: at most %s sectors are possible here."),
			    word_text(number.start, word), UNITS_COUNT(available));
	*ret = number.sectors;
	return 0;
}

static int take_last(struct parser *parser, const char *start, struct range *ret)
{
	uint64_t sectors = parser->context->sectors;

	if (at_item_end(parser))
		return fail(parser, -EINVAL, start, start + 1, "%s",
			    _("'-' alone says nothing. Write -N for the last N sectors, or A- for "
			      "everything from LBA A."));

	int error = take_count(parser, sectors, &ret->count);

	ret->start = error < 0 ? 0 : sectors - ret->count;
	return error;
}

static int take_partition(struct parser *parser, const char *start, struct range *ret)
{
	const struct disk *disk = parser->context->disk;
	struct range all = { 0, parser->context->sectors };
	const char *digits = parser->at;
	char word[WORD_MAX];
	uint64_t number = 0;

	/* Stops growing where no partition number can be; the digits are taken all the same. */
	for (; *parser->at >= '0' && *parser->at <= '9'; parser->at++)
		if (number <= UINT_MAX)
			number = number * 10 + (uint64_t)(*parser->at - '0');
	if (parser->at == digits || word_end(digits) != parser->at)
		return fail(parser, -EINVAL, start, word_end(digits), "%s",
			    _("The number of a partition is expected after '@', such as @2."));
	if (!disk)
		return fail(parser, -EINVAL, start, parser->at, "%s",
			    _("'@' names a partition of a whole disk, and the source is not a disk "
			      "with partitions."));

	const struct partition *partition =
		number <= UINT_MAX ? disk_partition(disk, (unsigned)number) : NULL;

	if (!partition)
		return fail(parser, -EINVAL, start, parser->at,
			    _("There is no partition %s on %s."), word_text(digits, word),
			    disk->node);
	*ret = (struct range){ partition->start, partition->sectors };
	if (ret->count == 0)
		return fail(parser, -EINVAL, start, parser->at,
			    _("Partition %u of %s has no sectors."), partition->number, disk->node);
	if (!range_contains(all, *ret))
		return fail(parser, -ERANGE, start, parser->at,
			    _("Partition %u reaches beyond the end of %s: its partition table is "
			      "wrong. Give the range as LBAs."),
			    partition->number, disk->node);
	return 0;
}

/* Behind "A-". */
static int take_end(struct parser *parser, const struct number *first, struct range *ret)
{
	uint64_t sectors = parser->context->sectors;
	struct number last;

	ret->start = first->sectors;
	ret->count = sectors - first->sectors;
	if (at_item_end(parser))
		return 0;

	int error = take_number(parser, &last);

	if (error < 0)
		return error;
	if (last.bytes ? last.sectors > sectors : last.sectors >= sectors)
		return fail_beyond_end(parser, &last);
	if (last.bytes ? last.sectors <= first->sectors : last.sectors < first->sectors)
		return fail(parser, -EINVAL, first->start, last.end, "%s",
			    _("This range ends before it starts. Write the lower LBA first."));
	ret->count = last.sectors - first->sectors + !last.bytes;
	return 0;
}

/* Behind "A". */
static int take_from(struct parser *parser, const struct number *first, struct range *ret)
{
	uint64_t sectors = parser->context->sectors;
	char word[WORD_MAX];

	if (first->sectors >= sectors)
		return fail_beyond_end(parser, first);
	if (take(parser, '-'))
		return take_end(parser, first, ret);
	if (take(parser, '+')) {
		ret->start = first->sectors;
		return take_count(parser, sectors - first->sectors, &ret->count);
	}
	word_text(first->start, word);
	return fail(parser, -EINVAL, first->start, first->end,
		    _("%s alone is no range. Write %s-B up to LBA B, %s+N for N sectors, or %s- "
		      "for all from there."),
		    word, word, word, word);
}

static int take_item(struct parser *parser, struct range *ret)
{
	struct number first;
	const char *start;

	skip_blanks(parser);
	start = parser->at;
	if (at_item_end(parser))
		return fail(parser, -EINVAL, start, word_end(start), "%s",
			    _("A range is missing here."));

	int error = 0;

	if (take(parser, '*'))
		*ret = (struct range){ 0, parser->context->sectors };
	else if (take(parser, '@'))
		error = take_partition(parser, start, ret);
	else if (take(parser, '-'))
		error = take_last(parser, start, ret);
	else if ((error = take_number(parser, &first)) == 0)
		error = take_from(parser, &first, ret);
	if (error < 0 || at_item_end(parser))
		return error;
	return fail(parser, -EINVAL, parser->at, word_end(parser->at), "%s",
		    _("A comma or the end is expected here."));
}

int rangespec_parse(const char *text, const struct rangespec_context *context,
		    struct range_list *ret, size_t *retitems, struct rangespec_error *reterr)
{
	struct parser parser = { .text = text, .at = text, .context = context, .reterr = reterr };
	struct range_list list = { 0 };
	struct range range = { 0 };
	size_t items = 0;
	int error;

	if (context->sectors == 0 || context->sector_size == 0)
		return fail(&parser, -ERANGE, text, text, "%s",
			    _("There are no sectors here to choose from."));
	do {
		error = take_item(&parser, &range);
		if (error == 0 && range_list_add(&list, range) < 0)
			error = fail(&parser, -ENOMEM, text, parser.at, "%s",
				     _("There is not enough memory. Close other programs and try "
				       "again."));
		items++;
	} while (error == 0 && take(&parser, ','));
	if (error < 0) {
		range_list_done(&list);
		return error;
	}
	*ret = list;
	if (retitems)
		*retitems = items;
	return 0;
}

/* Keeps the shorter of *best and the text; the one that came first if they are equal. */
static __attribute__((format(printf, 2, 3))) void consider(char best[static ITEM_TEXT_MAX],
							   const char *format, ...)
{
	char text[ITEM_TEXT_MAX];

	text_vprint(text, sizeof(text), format);
	if (best[0] == '\0' || strlen(text) < strlen(best))
		memcpy(best, text, sizeof(text));
}

static void print_item(struct range r, const struct rangespec_context *context,
		       char best[static ITEM_TEXT_MAX])
{
	const struct disk *disk = context->disk;

	best[0] = '\0';
	consider(best, "%" PRIu64 "-%" PRIu64, r.start, r.start + r.count - 1);
	consider(best, "%" PRIu64 "+%" PRIu64, r.start, r.count);
	if (r.start + r.count == context->sectors) {
		consider(best, "%" PRIu64 "-", r.start);
		consider(best, "-%" PRIu64, r.count);
		if (r.start == 0)
			consider(best, "*");
	}
	for (size_t i = 0; disk && i < disk->partition_count; i++) {
		const struct partition *partition = &disk->partitions[i];

		/* The second of two with one number could not be found again. */
		if (partition->start == r.start && partition->sectors == r.count &&
		    disk_partition(disk, partition->number) == partition)
			consider(best, "@%u", partition->number);
	}
}

char *rangespec_print(const struct range_list *list, const struct rangespec_context *context)
{
	char *text = reallocarray(NULL, list->count + 1, ITEM_TEXT_MAX);
	size_t used = 0;

	if (!text)
		return NULL;
	for (size_t i = 0; i < list->count; i++) {
		if (i > 0)
			text[used++] = ',';
		print_item(list->items[i], context, text + used);
		used += strlen(text + used);
	}
	text[used] = '\0';
	return text;
}
