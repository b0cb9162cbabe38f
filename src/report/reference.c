/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report that was saved, as far as it leads to the list of its digests. It is a file like any:
 * nothing in it is trusted. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "report/json.h"
#include "report/report.h"

#define REPORT_FILE_MAX (64 << 20)
#define REPORT_DEPTH    16

static int refuse(const char *path, const char *why, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "load", path,
			 _("The report %s cannot be used: %s."), path, why);
}

static int parse(const char *path, json_object **ret, struct error *reterr)
{
	CLEANUP(close) int fd = file_open_untrusted(path, REPORT_FILE_MAX);

	if (fd == -EINVAL || fd == -EFBIG)
		return refuse(path, _("it is no regular file, or larger than any report"), reterr);
	if (fd < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, fd, "open", path,
				 _("The report %s cannot be opened: %s."), path, error_phrase(fd));
	*ret = json_object_from_fd_ex(fd, REPORT_DEPTH);
	return *ret ? 0
		    : refuse(path,
			     _("it is no report of clonedeck (a .json file), or it was cut off"),
			     reterr);
}

__attribute__((format(printf, 2, 3))) static bool is_there(struct report_reference *ret,
							   const char *format, ...)
{
	int length = text_vprint(ret->list, sizeof(ret->list), format);

	return (size_t)length < sizeof(ret->list) && access(ret->list, F_OK) == 0;
}

/* The report may have been moved together with its list, and both may have got another name; a
 * masked report may not even tell where it was. */
static int find_list(const char *path, const char *recorded, struct report_reference *ret,
		     struct error *reterr)
{
	const char *name = text_base_name(recorded);
	int folder = (int)(text_base_name(path) - path);
	const char *dot = strrchr(path + folder, '.');
	int stem = dot ? (int)(dot - path) : (int)strlen(path);

	if (is_there(ret, "%.*s%s", folder, path, name) ||
	    is_there(ret, "%.*s" REPORT_LIST_ENDING, stem, path) ||
	    is_there(ret, "%s" REPORT_LIST_ENDING, path) || is_there(ret, "%s", recorded))
		return 0;
	return error_set(
		reterr, ERROR_CLASS_ENVIRONMENT, -ENOENT, "load", path,
		_("The list of digests is missing: it is neither beside the report %s, as %.*s or "
		  "under the report's own name, nor where it was, at %s. Without it only the "
		  "source proves the copy: clonedeck verify -s SOURCE -d DESTINATION."),
		path, 100, name, recorded);
}

static int take(json_object *object, const char *path, struct report_reference *ret,
		struct error *reterr)
{
	const char *id = json_text_of(object, "plan_id");
	struct report_reference found = { 0 };
	json_object *digests = NULL;
	char list[sizeof(found.list)];
	int r;

	if (strcmp(json_text_of(object, "schema"), "clonedeck.report/1") != 0)
		return refuse(path,
			      _("it is no report of clonedeck (a .json file), or it was cut off"),
			      reterr);
	if (strlen(id) != 8)
		return refuse(path, _("it names no plan"), reterr);
	if (json_object_object_get_ex(object, "digests", &digests) && !digests)
		return refuse(path, _("its copy was not verified, so there is no list of digests"),
			      reterr);
	if (!text_decode(list, sizeof(list), json_text_of(digests, "list")) || !list[0])
		return refuse(path, _("it names no list of digests"), reterr);
	r = find_list(path, list, &found, reterr);
	if (r < 0)
		return r;
	memcpy(found.plan_id, id, sizeof(found.plan_id));
	*ret = found;
	return 0;
}

bool report_was_changed(const char *path)
{
	CLEANUP(json) json_object *object = NULL;
	json_object *after;
	const char *grown;

	if (parse(path, &object, NULL) < 0)
		return false;
	grown = json_text_of(json_object_object_get(object, "grown_fs"), "state");
	after = json_object_object_get(object, "after");
	return (json_object_is_type(after, json_type_array) && json_object_array_length(after)) ||
	       (grown[0] && strcmp(grown, "by-hand") != 0);
}

int report_reference(const char *path, struct report_reference *ret, struct error *reterr)
{
	CLEANUP(json) json_object *object = NULL;
	int r = parse(path, &object, reterr);

	return r < 0 ? r : take(object, path, ret, reterr);
}
