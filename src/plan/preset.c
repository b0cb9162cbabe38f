/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/preset.h"

#include "base/i18n.h"
#include "base/text.h"

#define SETS_MAX 4

struct set {
	enum plan_option option;
	uint64_t value;
};

static const struct {
	const char *title, *summary, *sentence;
	bool used_first;
	unsigned count;
	struct set sets[SETS_MAX];
} presets[PRESETS] = {
	[PRESET_HEALTHY] = {
		.title = N_("Healthy"),
		.summary = N_("as fast as both disks can, read back"),
		.sentence = N_("As fast as both disks can, read back and compared; partition table "
			       "and boot sectors are written last."),
	},
	/* A table that waits for the end would never come if the disk dies before. And two lanes may
	 * each have a read in flight, which both fail at the edge of a damaged region. */
	[PRESET_FAILING] = {
		.title = N_("Failing"),
		.summary = N_("one read at a time, tables and used places first"),
		.sentence = N_("Gets as much as it can before the disk dies: partition table and "
			       "boot sectors first, then what is used, then the rest; one read at "
			       "a time, and no read that the copy does not need."),
		.used_first = true,
		.count = 2,
		.sets = { { PLAN_OPTION_LANES, 1 }, { PLAN_OPTION_ARM_LAST, 0 } },
	},
	[PRESET_FORENSIC] = {
		.title = N_("Forensic"),
		.summary = N_("every sector, SHA-256 of the whole source"),
		.sentence = N_("Every sector is copied, free places too, and identifiers "
			       "stay; report and certificate have the SHA-256 of the whole "
			       "source."),
		.count = 1,
		.sets = { { PLAN_OPTION_DIGEST, 1U << CHECKSUM_SHA256 } },
	},
};

const char *preset_name(enum preset preset)
{
	return plan_option_words(PLAN_OPTION_PRESET)[preset];
}

const char *preset_title(enum preset preset)
{
	return _(presets[preset].title);
}

const char *preset_sentence(enum preset preset)
{
	return _(presets[preset].sentence);
}

const char *preset_summary(enum preset preset)
{
	return _(presets[preset].summary);
}

const char *preset_print(const struct plan_options *options, char *buffer, size_t size)
{
	char value[PLAN_OPTION_TEXT_MAX];

	text_copy(buffer, size, "");
	for (unsigned i = 0; i < presets[options->preset].count; i++) {
		enum plan_option option = presets[options->preset].sets[i].option;

		text_join(buffer, size, "%s=%s", plan_option_name(option),
			  plan_option_print(options, option, value));
	}
	return buffer;
}

unsigned preset_sets(enum preset preset)
{
	unsigned sets = 1U << PLAN_OPTION_PRESET;

	for (unsigned i = 0; i < presets[preset].count; i++)
		sets |= 1U << presets[preset].sets[i].option;
	return sets;
}

void preset_apply(struct plan_options *options, enum preset preset, unsigned given)
{
	struct plan_options wanted = PLAN_OPTIONS_DEFAULT;
	unsigned sets = 0;

	for (enum preset i = 0; i < PRESETS; i++)
		sets |= preset_sets(i);
	for (unsigned i = 0; i < presets[preset].count; i++)
		plan_option_put(&wanted, presets[preset].sets[i].option,
				presets[preset].sets[i].value);
	wanted.preset = preset;
	plan_options_merge(options, &wanted, sets & ~given);
}

bool preset_used_first(enum preset preset)
{
	return presets[preset].used_first;
}
