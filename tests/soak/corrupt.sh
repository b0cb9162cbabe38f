#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Lies by the thousand: in every MiB of a verified clone something is another thing than it was,
# again and again, and each of them is found, with and without the source; nothing else is. The
# lies are below the block device that is read: half of the time below nbdkit, too.
. "$(dirname -- "$0")/lib.sh"

need nbdkit nbdfuse fusermount3
corrupt=$(cd -- "$(dirname -- "$0")/../system" && pwd -P)/corrupt.py

export RUN_LIMIT=900 # a busy disk is slow
found=0

served_disk() { # MIB: sets $destination to a loop device over FUSE over nbdkit over destination.img
	mkdir fuse
	head -c "${1}M" /dev/urandom >destination.img
	nbdkit -f --exit-with-parent -U "$case_dir/nbd" file destination.img &
	wait_for test -S nbd
	nbdfuse fuse/disk --unix "$case_dir/nbd" &
	undone_by unmount "$case_dir/fuse"
	wait_for test -s fuse/disk
	destination=$(attach "$case_dir/fuse/disk")
}

round() {
	local size regions sectors i
	random 64 1024
	size=$chosen
	source=$(new_disk source "$size")
	one_of new_disk served_disk
	case $chosen in
	new_disk) destination=$(new_disk destination "$size") ;;
	served_disk) served_disk "$size" ;;
	esac
	clone 0 "$source" "$destination"
	for i in 1 2 3; do
		random 0 1000000
		read -r regions sectors < <("$corrupt" destination.img "$chosen" undo)
		[ "$regions" -eq "$size" ]
		run 5 verify logs/*.json -d "$destination" --json
		jq -es ".[-1].verify.mismatch_areas == $regions" out
		run 5 verify -s "$source" -d "$destination" --json
		jq -es ".[-1].verify.mismatch_bytes == 512 * $sectors" out
		found=$((found + regions))
		"$corrupt" --undo destination.img undo
		run 0 verify logs/*.json -d "$destination"
	done
	echo "# $found lies, all found" >&3
}

exec 3>&1
soak every_lie_is_found_and_nothing_else
