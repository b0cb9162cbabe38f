#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies that are killed (kill -9) or stopped at any moment, again and again, and go on from
# their map: in the end not a byte differs, and until then nobody finds anything on the disk.
. "$(dirname -- "$0")/lib.sh"

# A disk as one gets it: a table of either kind with a file system, or one without a table.
make_source() { # MIB
	source=$(new_disk source "$1")
	one_of gpt dos none
	table=$chosen
	case $table in
	none)
		one_of mkfs.ext4 mkfs.vfat mkswap
		case $chosen in
		mkfs.ext4) mkfs.ext4 -q -F "$source" ;;
		mkfs.vfat) mkfs.vfat -I "$source" >/dev/null ;;
		mkswap) mkswap -q "$source" ;;
		esac
		;;
	*)
		sfdisk -q --wipe always "$source" <<-TABLE
			label: $table
			start=1MiB, size=8MiB
			start=10MiB
		TABLE
		know_partitions "$source" 2
		mkfs.ext4 -q -F "${source}p2"
		;;
	esac
	sync "$source"
}

# Something to lose, with the same places taken, and a tail that is nobody's business.
make_destination() { # MIB
	destination=$(new_disk destination $(($1 + spare)))
	mkfs.ext4 -q -F "$destination" $(($1 * 1024))
	sync "$destination"
	tail=$(digest "$(backing "$destination")" $(($1 * MIB)) $((spare * MIB)))
}

choose_options() {
	options=()
	random 0 1
	[ "$chosen" = 0 ] || options+=(--chunk "$((1 << (12 + RANDOM % 9)))")
	random 0 1
	[ "$chosen" = 0 ] || options+=(--lanes "$((1 + RANDOM % 3))")
	random 0 2
	[ "$chosen" = 0 ] || options+=(--rate "$((size * (1 + RANDOM % 4)))M")
}

start() { # COMMAND... : in the background, its process is $copy
	"$CLONEDECK" "$@" --confirm "$destination" --log-dir logs >out 2>err &
	copy=$!
}

# end_somehow: kills or stops it at some moment; *ended* says whether it was through before.
end_somehow() {
	local status=0
	random 0 1500
	sleep "$((chosen / 1000)).$(printf %03d $((chosen % 1000)))"
	one_of KILL KILL INT TERM
	kill -"$chosen" "$copy" 2>/dev/null || true
	wait "$copy" || status=$?
	case $status in
	0) ended=yes ;;
	6 | 130 | 143) ended= ;;
	137)
		ended=
		blows=$((blows + 1))
		;;
	*)
		cat out err
		fail "ended with $status"
		;;
	esac
	# The kernel lets go of the disk only when the last request has come back.
	wait_for held_by_nobody "$destination"
}

# Killed before or while it was wiped: each sector is the old one, or zeros; no data yet.
only_wiped() {
	/usr/bin/python3 - before.img "$(backing "$destination")" <<-'PROGRAM'
		import sys
		before, now = (open(name, "rb").read() for name in sys.argv[1:])
		for at in range(0, len(now), 512):
		    if now[at:at + 512] not in (before[at:at + 512], bytes(512)):
		        sys.exit(f"byte {at} is neither old nor zero")
	PROGRAM
}

# Killed while the last was written: all else is there. What comes last (held.h) are the edges of
# the disk and of its partitions, up to a MiB each; of a disk with a table its first sector comes
# behind the others, and without that nobody but wipefs finds them. A disk without one is found
# by what comes behind all else.
all_but_the_last() {
	local end=$((size * MIB)) edge=$MIB
	if [ "$table" = none ] || [ -n "$(blkid -p -o export "$destination")" ]; then
		same source.img 0 destination.img 0 "$end"
	else
		same source.img $((2 * edge)) destination.img $((2 * edge)) $((6 * edge))
		# the last partition ends a MiB before the disk does
		same source.img $((11 * edge)) destination.img $((11 * edge)) $((end - 13 * edge))
	fi
}

round() {
	local times
	random 24 64
	size=$chosen
	random 1 8
	spare=$chosen
	make_source "$size"
	make_destination "$size"
	cp "$(backing "$destination")" before.img
	choose_options
	random 1 5
	times=$chosen
	ended=
	while [ -z "$ended" ] && [ "$times" -gt 0 ]; do
		if [ -s copy.map ]; then
			start resume copy.map
		else
			start clone -s "$source" -d "$destination" --map copy.map "${options[@]}"
		fi
		end_somehow
		nothing_to_find "$destination" || only_wiped || all_but_the_last
		times=$((times - 1))
	done
	if [ -z "$ended" ]; then
		if [ -s copy.map ]; then
			run 0 resume copy.map --confirm "$destination" --log-dir logs
		else
			clone 0 "$source" "$destination"
		fi
	fi
	cmp -n $((size * MIB)) "$(backing "$source")" "$(backing "$destination")"
	[ "$(digest "$(backing "$destination")" $((size * MIB)) $((spare * MIB)))" = "$tail" ]
}

soak killed_copies_that_go_on_are_whole
