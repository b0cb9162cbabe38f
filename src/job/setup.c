/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/setup.h"

#include <errno.h>

#include "base/i18n.h"

int job_setup_check(const struct job_setup *setup, struct error *reterr)
{
	const struct plan *plan = setup->plan;
	uint32_t a = io_sector_size(&setup->source), b = io_sector_size(&setup->destination);

	if (!setup->destination.writable && !setup->verify_only)
		return error_set(reterr, ERROR_CLASS_REFUSED, -EROFS, "open",
				 setup->destination.name, _("%s cannot be written."),
				 setup->destination.name);
	if (plan_overlaps_itself(plan))
		return error_set(reterr, ERROR_CLASS_REFUSED, -EINVAL, "plan",
				 setup->destination.name,
				 _("Source and destination overlap on %s: the copy would overwrite "
				   "what it has still to read."),
				 setup->destination.name);
	for (size_t i = 0; i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);

		if (e.source % a || e.destination % b || e.length % a || e.length % b)
			return error_set_at(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan",
					    setup->destination.name, e.destination / b,
					    e.length / b,
					    _("The range at LBA %llu does not begin and end with "
					      "whole sectors of %s, which are %u bytes."),
					    (unsigned long long)plan->extents[i].source_lba,
					    setup->destination.name, b);
		if (e.source + e.length > setup->source.size)
			return error_set_at(reterr, ERROR_CLASS_USAGE, -ERANGE, "plan",
					    setup->source.name, e.source / a, e.length / a,
					    _("The range at LBA %llu ends beyond the end of %s."),
					    (unsigned long long)e.source / a, setup->source.name);
		if (!setup->destination.regular_file &&
		    e.destination + e.length > setup->destination.size)
			return error_set_at(
				reterr, ERROR_CLASS_USAGE, -ERANGE, "plan", setup->destination.name,
				e.destination / b, e.length / b,
				_("The range at LBA %llu ends beyond the end of %s."),
				(unsigned long long)e.destination / b, setup->destination.name);
	}
	return 0;
}
