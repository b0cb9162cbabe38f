#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cables that are pulled under a copy: scsi_debug disks in a user-mode kernel are
# taken away and come back, under other names and with another disk in their
# place. The whole thing is one boot.
. "$(dirname -- "$0")/scsi-lib.sh"
[ "${1:-}" = inside ] || enter_uml -M 768 -t 1100 \
	-m scsi_debug,dev_size_mb=12,add_host=3,per_host_store=1
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

# Same model, same serial, same size: only what is on it tells. While the program sleeps, the disk
# becomes one of which most is as empty as the source is.
another_disk_with_the_same_serial_is_not_touched() {
	local before
	three_disks
	dd if=/dev/zero of="$(node source)" bs=1M count=10 oflag=direct 2>/dev/null
	start_copy
	unplug destination
	says_soon "is gone"
	kill -STOP "$copy"
	plug destination
	dd if=/dev/zero of="$(node destination)" bs=1M count=12 oflag=direct 2>/dev/null
	mkfs.ext4 -q -F -m 0 -E nodiscard -L photos "$(node destination)"
	mount_at photos "$(node destination)"
	head -c 4M /dev/urandom >photos/holiday
	umount photos
	before=$(digest "$(node destination)")
	kill -CONT "$copy"
	says_soon 'is not the half-made copy'
	says_soon 'ext4 "photos"'
	kill -TERM "$copy"
	ends 7
	[ "$(digest "$(node destination)")" = "$before" ] || fail "it was written to"
	run 3 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	run 3 resume copy.map --rate 0 --no-verify --confirm "$token" --log-dir logs
	[ "$(digest "$(node destination)")" = "$before" ] || fail "it was written to"
}

# The file system of a disk that is gone stays mounted until somebody unmounts it.
images_come_back_with_their_disks() {
	local role=$1
	three_disks
	mkfs.ext4 -q -F -m 0 "$(node "$role")"
	mount_at stick "$(node "$role")"
	if [ "$role" = source ]; then
		head -c 6M /dev/urandom >stick/disk.img
		sync stick/disk.img
		cp stick/disk.img source.img
		start_copy -s stick/disk.img
	else
		dd if=/dev/urandom of="$(node source)" bs=1M count=6 oflag=direct 2>/dev/null
		dd if="$(node source)" of=source.img bs=1M count=6 2>/dev/null
		token=$case_dir/stick/disk.img
		start_copy -d stick/disk.img -r 0+6MiB
	fi
	unplug "$role"
	says_soon "is gone"
	says_soon "mount it at the same place"
	umount -l stick
	# Another disk under its name, with a file of that name on it.
	mkfs.ext4 -q -F -m 0 "$(node spare)"
	plug spare
	mount "$(node spare)" stick
	head -c 6M /dev/urandom >stick/disk.img
	sync stick/disk.img
	spare_before=$(digest stick/disk.img)
	says_soon "another file system"
	[ "$(digest stick/disk.img)" = "$spare_before" ]
	# The program looks into it now and then.
	wait_for umount stick
	plug "$role"
	mount "$(node "$role")" stick
	says_soon "goes on"
	ends 0
	if [ "$role" = source ]; then
		cmp -n 6291456 source.img "$(node destination)"
	else
		cmp source.img stick/disk.img
	fi
	wait_for umount stick
}

a_source_image_comes_back_with_its_disk() {
	images_come_back_with_their_disks source
}

a_destination_image_comes_back_with_its_disk() {
	images_come_back_with_their_disks destination
}

# Its table is on the copy all the same, and with it what was copied; a disk that has its name by
# then is neither read nor written. If it comes back, the copy goes on.
a_source_that_is_lost_leaves_its_table() {
	local name
	three_disks
	name=$(node source)
	sfdisk -q "$name" <<<$'label: gpt\nstart=2048, size=6144, name=first\nsize=8192, name=second'
	start_copy --rate 2M
	unplug source
	says_soon "is gone"
	kill -TERM "$copy"
	ends 6
	says '--allow source-gone'
	plug spare
	[ "$(node spare)" = "$name" ]
	run 3 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	says source-gone
	! sfdisk -d "$(node destination)" 2>/dev/null || return 1
	run 6 resume copy.map --rate 0 --allow source-gone --confirm "$token" --log-dir logs
	says 'source-gone'
	sfdisk -d "$(node destination)" >table
	contain 'name="first"' table
	contain 'name="second"' table
	sgdisk -v "$(node destination)" | grep -q 'No problems found'
	[ "$(digest "$(node spare)")" = "$spare_before" ]
	plug source
	run 0 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	all_is_copied
	! test -e copy.tables
}

run_cases a_source_that_is_lost_leaves_its_table a_source_image_comes_back_with_its_disk \
	a_destination_image_comes_back_with_its_disk \
	both_come_back_under_other_names_by_themselves \
	another_disk_with_the_same_serial_is_not_touched nobody_waits_longer_than_was_said \
	a_signal_ends_the_waiting
