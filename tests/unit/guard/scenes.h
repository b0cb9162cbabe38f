/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The guard's rules, each on machines on which it refuses or warns, and on one that is
 * nearly the same on which it is quiet: tables that end with a NULL rule.
 */
#pragma once

#include "guard/machine.h"

struct rule_case {
	const char *rule;
	void (*set)(struct machine *m); /* between machine_init() and machine_check() */
	const char *says;               /* part of the sentence of one that fires */
	/* Instead of set(): a disk of the machine is used so. */
	struct {
		int disk;
		enum use_kind kind;
		const char *what, *node;
	} use;
};

extern const struct rule_case refused[], warned[], said[], quiet[];

/* Those that serve in more than one place. */
void set_same_file(struct machine *m);
void set_same_wwn(struct machine *m);
void set_boot(struct machine *m);
void set_mounted(struct machine *m);
void set_too_small(struct machine *m);
void set_4kn(struct machine *m);
void set_image_on_source(struct machine *m);
void set_loop_on_source(struct machine *m);
void set_made_of_source(struct machine *m);
void set_volumes_of_one_disk(struct machine *m);
void set_volume_beside_its_ground(struct machine *m);
void make_sg_only(struct machine *m, int i);
void set_no_space(struct machine *m);
void set_data(struct machine *m);
void set_partition_data(struct machine *m);
void set_same_model(struct machine *m);
void set_beside_boot(struct machine *m);
void set_leftovers(struct machine *m);
void set_btrfs(struct machine *m);
void set_same_drive(struct machine *m);
void set_log_in_memory(struct machine *m);
void near_free_places_zeroed(struct machine *m);
void near_image_beside_source(struct machine *m);
void near_4kn_without_table(struct machine *m);
