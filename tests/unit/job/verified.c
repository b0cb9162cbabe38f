/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verified.h"

void verified_new(struct rig *rig)
{
	rig_new(rig, VERIFIED_SIZE, 512);
	rig->setup.map_path = rig->map_path;
	rig->verified = true;
}

void verified_plan(struct rig *rig, enum verify_choice verify, bool rewrite)
{
	struct plan_options options = {
		.verify = verify,
		.rewrite = rewrite,
		.chunk = 256 * KIB,
		.source_backend = BACKEND_THREADS,
		.destination_backend = BACKEND_THREADS,
		.on_error = ON_ERROR_MAP,
	};

	rig_plan(rig, NULL, 0, NULL, &options);
}
