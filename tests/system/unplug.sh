#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cables that are pulled under a copy: scsi_debug disks in a user-mode kernel are
# taken away and come back, under other names and with another disk in their
# place. The whole thing is one boot.
if [ "${1:-}" != inside ]; then
	here=$(cd -- "$(dirname -- "$0")" && pwd -P)
	LAB_VISIBLE=$(dirname -- "${CLONEDECK:?the program to test}") exec "$here/../lab/uml-run" \
		-M 768 -t 1100 -m scsi_debug,dev_size_mb=12,add_host=3,per_host_store=1 \
		"$here/unplug.sh" inside
fi
. "$(dirname -- "$0")/lib.sh"
. "$(dirname -- "$0")/unplug-lib.sh"

both_come_back_under_other_names_by_themselves() {
	three_disks
	start_copy
	unplug source
	# What the name belongs to from now on is another disk.
	plug spare
	says_soon "is gone"
	says_soon "another disk"
	plug source
	says_soon "goes on"
	: >err
	unplug destination
	plug spare
	says_soon "is gone"
	plug destination
	ends 0
	all_is_copied
}

nobody_waits_longer_than_was_said() {
	three_disks
	start_copy --wait 2
	unplug destination
	ends 7
	plug destination
	run 0 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	all_is_copied
}

a_signal_ends_the_waiting() {
	three_disks
	start_copy
	unplug source
	says_soon "is gone"
	kill -TERM "$copy"
	ends 6
	plug source
	run 0 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	all_is_copied
}

run_cases both_come_back_under_other_names_by_themselves nobody_waits_longer_than_was_said \
	a_signal_ends_the_waiting
