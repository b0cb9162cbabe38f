/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A disk whose file system is too large for the destination: what it uses goes into an image, is
 * shrunk there, and the image is what the destination is copied from. Nothing on the source is
 * changed, and nothing on the destination until the image is ready.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/clone_options.h"
#include "cli/headless.h"

DEFINE_CLEANUP(session, struct session *, session_destroy)

/* A copy of the options; their pointers into themselves lead into the copy. */
static void take_options(const struct clone_options *from, struct clone_options *ret)
{
	*ret = *from;
	ret->session.allow = ret->allow.rules;
	ret->session.rescue = &ret->plan;
}

/* For the first look, and for the image: the table is copied as it is. */
static void keep_table(struct plan_options *options)
{
	options->table = TABLE_KEEP;
	options->grow = GROW_NO;
	options->grow_fs = false;
	options->identities = IDENTITIES_KEEP;
	options->checksums = 0;
	memset(options->places, 0, sizeof(options->places));
}

/* Any other reason to refuse the destination would refuse it at the end, too; only its size will
 * fit then. */
static int check_destination(struct session *session, const struct clone_options *options,
			     const char *command)
{
	struct session_choice choice = session_choice(session);
	struct error error = { 0 };

	for (size_t i = 0; i < choice.verdicts->count; i++) {
		const struct verdict *verdict = &choice.verdicts->items[i];

		if (verdict->kind != VERDICT_REFUSE || verdict->means == MEANS_TOO_SMALL ||
		    verdict->means == MEANS_TABLE_TOO_LONG)
			continue;
		fprintf(stderr, "clonedeck: %s\n", verdict->sentence);
		return EXIT_REFUSED;
	}
	/* As with the table that the second copy makes. */
	if (plan_options_check(&options->plan, &choice.plan->source, &choice.plan->destinations[0],
			       &error) < 0)
		return cli_error(&error);
	if (options->dry_run || !choice.token[0])
		return 0;
	if (!options->confirm)
		return cli_usage(command,
				 _("Nothing was written: --confirm is missing. It needs %s."),
				 choice.token_phrase);
	if (session_takes_token(session, options->confirm))
		return 0;
	error_set(&error, ERROR_CLASS_REFUSED, -EACCES, "confirm", options->destination,
		  _("The confirmation is wrong; nothing was written. Expected: %s."),
		  choice.token_phrase);
	return cli_error(&error);
}

/* What is to be shrunk; number 0: nothing is. */
static int find_shrink(const struct clone_options *options, const char *command,
		       struct layout_shrink *ret, uint32_t *retsector)
{
	CLEANUP(session) struct session *session = NULL;
	struct clone_options look;
	struct session_choice choice;
	int r;

	take_options(options, &look);
	keep_table(&look.plan);
	look.used = false;
	r = clone_look(&look, &session);
	if (r != 0)
		return r;
	choice = session_choice(session);
	*ret = (struct layout_shrink){ 0 };
	if (!choice.shrink)
		return 0;
	*ret = *choice.shrink;
	*retsector = choice.plan->sector_size;
	return check_destination(session, options, command);
}

/* Copies what is used into the image, and shrinks it there. */
static int fill_image(const struct clone_options *options, const struct layout_shrink *shrink,
		      const char *command, int signal_fd)
{
	CLEANUP(session) struct session *session = NULL;
	const struct report *report;
	struct clone_options first;
	bool abandoned = false;
	int r;

	take_options(options, &first);
	keep_table(&first.plan);
	first.destination = options->shrink_via;
	first.confirm = NULL;
	first.used = true;
	first.used_by_preset = false;
	memset(first.modes.of, USED_ONLY, sizeof(first.modes.of));
	r = clone_look(&first, &session);
	if (r == 0 && options->dry_run)
		return clone_dry_run(session, &first);
	/* Only one that exists already has to be confirmed. */
	if (r == 0 && session_choice(session).token[0])
		return cli_usage(
			command,
			_("Nothing was written: the image %s exists already. Remove it, or "
			  "name another one."),
			options->shrink_via);
	if (r == 0)
		r = clone_confirm(session, &first, command);
	if (r == 0) {
		session_shrink_after(session, shrink);
		r = headless_run(session, signal_fd, &options->run, &abandoned);
	}
	report = abandoned ? NULL : session_copy(session).report;
	/* Only its report could not be saved. */
	if (report && report_exit_code(report) == EXIT_COMPLETE && !report_after_failed(report))
		r = EXIT_COMPLETE;
	if (r == EXIT_BAD_AREAS && report && report_exit_code(report) == EXIT_COMPLETE) {
		cli_say(_("clonedeck: Partition %u (%s) could not be shrunk in the image %s. The "
			  "destination is as it was.\n"),
			shrink->number, shrink->fs, options->shrink_via);
		r = EXIT_ENVIRONMENT;
	}
	if (abandoned)
		session = NULL;
	return r;
}

/* resume knows nothing of the second copy. */
static void say_stopped(const struct clone_options *options)
{
	char image[512], destination[512];

	fprintf(stderr,
		_("clonedeck: This was the copy into the image; the destination is as it was. When "
		  "the image is complete, go on from it:  clonedeck clone -s %s -d %s "
		  "--shrink-via NEW-IMAGE\n"),
		text_shell_word(image, sizeof(image), options->shrink_via, "IMAGE"),
		text_shell_word(destination, sizeof(destination), options->destination,
				"DESTINATION"));
}

int clone_shrink(struct clone_options *options, const char *command, int signal_fd,
		 const char **retimage)
{
	struct layout_shrink shrink;
	uint32_t sector = 0;
	int r = find_shrink(options, command, &shrink, &sector);

	/* Nothing has to be shrunk: the copy fits, or it is refused with its reason. */
	if (r != 0 || !shrink.number)
		return r;
	cli_say(_("clonedeck: What is used goes into %s; partition %u (%s) is shrunk to %s there, "
		  "and that is copied.\n"),
		options->shrink_via, shrink.number, shrink.fs,
		UNITS_SHORT(shrink.bytes, UNITS_SI, sector));
	r = fill_image(options, &shrink, command, signal_fd);
	if (r == EXIT_STOPPED)
		say_stopped(options);
	if (r != 0)
		return r;
	options->source = *retimage = options->shrink_via;
	/* Chosen for the disk. */
	options->plan.source_backend = BACKEND_AUTO;
	return 0;
}
