#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Lies by the thousand: in every MiB of a verified clone something is another thing than it was,
# again and again, and each of them is found, with and without the source; nothing else is.
. "$(dirname -- "$0")/lib.sh"
corrupt=$(cd -- "$(dirname -- "$0")/../system" && pwd -P)/corrupt.py

export RUN_LIMIT=900 # a busy disk is slow
found=0

round() {
	local size regions sectors i
	random 64 1024
	size=$chosen
	source=$(new_disk source "$size")
	destination=$(new_disk destination "$size")
	clone 0 "$source" "$destination"
	for i in 1 2 3; do
		random 0 1000000
		read -r regions sectors < <("$corrupt" "$destination" "$chosen" undo)
		[ "$regions" -eq "$size" ]
		run 5 verify logs/*.json -d "$destination" --json
		jq -es ".[-1].verify.mismatch_areas == $regions" out
		run 5 verify -s "$source" -d "$destination" --json
		jq -es ".[-1].verify.mismatch_bytes == 512 * $sectors" out
		found=$((found + regions))
		"$corrupt" --undo "$destination" undo
		run 0 verify logs/*.json -d "$destination"
	done
	echo "# $found lies, all found" >&3
}

exec 3>&1
soak every_lie_is_found_and_nothing_else
