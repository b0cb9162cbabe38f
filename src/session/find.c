/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves a typed name. A path may lead to a file system that does not answer, so this has a
 * thread of its own. */
#include <errno.h>

#include "base/i18n.h"
#include "base/text.h"
#include "session/session_private.h"

static void *find_body(void *argument)
{
	struct find_task *finding = argument;

	finding->error = (struct error){ 0 };
	finding->result = endpoint_resolve(finding->disks, finding->text, finding->destination,
					   &finding->endpoint, &finding->error);
	/* The front end shows what an image holds without waiting for it. */
	if (finding->result == 0)
		image_store_read(finding->images, &finding->endpoint);
	task_announce(&finding->task);
	return NULL;
}

static int begin(struct session *session, struct error *reterr)
{
	struct find_task *finding = &session->finding;
	int r;

	finding->again = false;
	text_copy(finding->text, sizeof(finding->text), finding->wanted);
	finding->destination = finding->wanted_destination;
	finding->disks = session->disks;
	finding->images = session->images;
	r = task_start(&finding->task, find_body, finding, reterr);
	if (r < 0)
		finding->disks = NULL;
	return r;
}

int session_begin_find(struct session *session, const char *text, bool destination,
		       struct error *reterr)
{
	struct find_task *finding = &session->finding;

	if (!session->disks)
		return error_set(reterr, ERROR_CLASS_USAGE, -EAGAIN, "open", text,
				 _("The disks are still being looked for."));
	text_copy(finding->wanted, sizeof(finding->wanted), text);
	finding->wanted_destination = destination;
	finding->again = finding->task.running;
	return finding->again ? 0 : begin(session, reterr);
}

void session_take_find(struct session *session, unsigned *changes)
{
	struct find_task *finding = &session->finding;
	const struct disk_list *disks = finding->disks;

	task_join(&finding->task);
	finding->disks = NULL;
	if (finding->again) {
		struct error error = { 0 };
		int r = begin(session, &error);

		/* While it runs, all of this belongs to the thread. */
		if (r < 0) {
			finding->result = r;
			finding->error = error;
		}
	}
	if (!finding->task.running)
		*changes |= SESSION_CHANGE_FOUND;
	session_drop_disks(session, disks);
}

int session_found(const struct session *session, struct endpoint *ret, struct error *reterr)
{
	const struct find_task *finding = &session->finding;

	if (finding->result == 0)
		*ret = finding->endpoint;
	else if (reterr)
		*reterr = finding->error;
	return finding->result;
}
