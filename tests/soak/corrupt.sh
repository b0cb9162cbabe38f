#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Lies by the thousand: in every MiB of a verified clone something is another thing than it was,
# again and again, and each of them is found, with and without the source; nothing else is. The
# lies are below the block device that is read: half of the time below nbdkit, too. Every kind of
# them has its turn in every round, and all kinds at once.
. "$(dirname -- "$0")/lib.sh"

need nbdkit nbdfuse fusermount3
corrupt=$(cd -- "$(dirname -- "$0")/../system" && pwd -P)/corrupt.py

export RUN_LIMIT=900 # a busy disk is slow
kinds='flipped zeroed stale moved swapped chunks'
declare -A placed found

served_disk() { # MIB: sets $destination to a loop device over FUSE over nbdkit over destination.img
	mkdir fuse
	noise "${1}M" >destination.img
	nbdkit -f --exit-with-parent -U "$case_dir/nbd" file destination.img &
	wait_for test -S nbd
	nbdfuse fuse/disk --unix "$case_dir/nbd" &
	undone_by unmount "$case_dir/fuse"
	wait_for test -s fuse/disk
	destination=$(attach "$case_dir/fuse/disk")
}

# lie KIND [only]: one in every MiB; each is found without the source, and its sectors with it.
lie() {
	local regions sectors
	random 0 1000000
	read -r regions sectors < <("$corrupt" destination.img "$chosen" undo ${2:+"$1"})
	[ "$regions" -eq "$size" ]
	placed[$1]=$((${placed[$1]:-0} + regions))
	run 5 verify logs/*.json -d "$destination" --json
	found[$1]=$((${found[$1]:-0} + $(jq -es '.[-1].verify.mismatch_areas' out)))
	jq -es ".[-1].verify.mismatch_areas == $regions" out
	run 5 verify -s "$source" -d "$destination" --json
	jq -es ".[-1].verify.mismatch_bytes == 512 * $sectors" out
	"$corrupt" --undo destination.img undo
}

tally() {
	local kind line=
	for kind in $kinds mixed; do
		line="$line, $kind ${found[$kind]} of ${placed[$kind]}"
	done
	echo "# found:${line#,}" >&3
}

round() {
	local kind
	random 32 256
	size=$chosen
	source=$(new_disk source "$size")
	one_of new_disk served_disk
	case $chosen in
	new_disk) destination=$(new_disk destination "$size") ;;
	served_disk) served_disk "$size" ;;
	esac
	clone 0 "$source" "$destination"
	for kind in $kinds; do
		lie "$kind" only
	done
	lie mixed
	run 0 verify logs/*.json -d "$destination"
	tally
}

exec 3>&1
soak every_lie_is_found_and_nothing_else
