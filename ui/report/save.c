/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/report/save.h"

#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

/* ---- saving ---- */

static const char *path_typed(void *user, struct app *app, const char *text)
{
	struct report_sign *sign = user;
	struct error error = { 0 };

	if (!text)
		return NULL;
	if (!text[0])
		return _("Type the path of a folder or a file, or Esc.");
	text_copy(sign->saved_as, sizeof(sign->saved_as), text);
	if (session_begin_save(app_session(app), text, &error) < 0)
		app_error(app, &error);
	else
		app_message(app, MESSAGE_INFO, _("Saving report, text and certificate..."));
	return NULL;
}

static void ask_save(struct app *app, struct report_sign *sign, const char *path)
{
	popup_prompt(
		app, _("Save report and certificate"),
		_("As .json, as .txt, and as .html to print and sign, with the list of digests: "
		  "the full path of a folder, or of a file, on a disk that stays and is no "
		  "part of the copy."),
		path, path_typed, sign);
}

void report_ask_save(struct app *app, struct report_sign *sign)
{
	ask_save(app, sign, "");
}

void report_tell_saved(struct app *app, struct report_sign *sign)
{
	const struct report *report = session_report(app_session(app));
	const struct error *error = session_save_error(app_session(app));

	if (error->code && sign->saved_as[0] && app_current(app) == SCREEN_REPORT) {
		/* Nobody types a long path twice for one letter. */
		ask_save(app, sign, sign->saved_as);
		popup_complain(app, error->sentence);
	} else if (error->code) {
		app_error(app, error);
	} else if (!report || !report->json_path[0]) {
		app_message(app, MESSAGE_INFO, _("It is on the report now. s saves it."));
	} else {
		app_message(app, MESSAGE_INFO,
			    sign->saved_as[0] ? _("Report, text and certificate were saved: %s")
					      : _("It is on report and certificate: %s"),
			    report->certificate_path[0] ? report->certificate_path
							: report->json_path);
	}
}

/* ---- signing ---- */

/* What it says is on the screen and in what was saved at the end of the copy. */
static void sign(struct app *app, struct report_sign *sign, bool mask)
{
	struct error error = { 0 };
	int r = session_begin_sign(app_session(app), sign->operator_name, sign->ticket, mask,
				   &error);

	sign->saved_as[0] = '\0';
	/* Entered anew, the screen shows it. */
	app_go(app, SCREEN_REPORT);
	if (r < 0)
		app_error(app, &error);
	else
		app_message(app, MESSAGE_INFO, _("Saving report and certificate..."));
}

static void mask_chosen(void *user, struct app *app, int choice)
{
	if (choice < 0)
		app_message(app, MESSAGE_INFO, _("The report stays as it was."));
	else
		sign(app, user, choice == 1);
}

static const char *ticket_typed(void *user, struct app *app, const char *text)
{
	const struct popup_choice choices[] = { { 'f', _("in full") },
						{ 'm', _("masked: the last 4 characters") } };
	struct report_sign *answers = user;

	if (!text)
		return NULL;
	if (strlen(text) >= sizeof(answers->ticket))
		return _("That is too long.");
	text_copy(answers->ticket, sizeof(answers->ticket), text);
	popup_ask(app, _("Serial numbers and WWNs"),
		  _("How should they appear in report and certificate?"), choices, 2, mask_chosen,
		  answers);
	return NULL;
}

static const char *operator_typed(void *user, struct app *app, const char *text)
{
	struct report_sign *answers = user;

	if (!text)
		return NULL;
	if (strlen(text) >= sizeof(answers->operator_name))
		return _("That is too long.");
	text_copy(answers->operator_name, sizeof(answers->operator_name), text);
	popup_prompt(app, _("Ticket"), _("What it was made for: a ticket, a case; or nothing."),
		     session_report(app_session(app))->ticket, ticket_typed, answers);
	return NULL;
}

void report_ask_sign(struct app *app, struct report_sign *sign)
{
	popup_prompt(app, _("Operator"), _("Who made the copy, for report and certificate."),
		     session_report(app_session(app))->operator_name, operator_typed, sign);
}
