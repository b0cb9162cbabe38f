#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Power that goes at any moment, again and again: the destination forgets all that it was not
# told to keep (nbdkit's write-back cache, killed), and the program ends with it. What the map
# calls finished is on the medium at any of these moments, and in the end not a byte differs.
. "$(dirname -- "$0")/lib.sh"

need nbdkit nbdfuse fusermount3 /dev/fuse

plug_in() { # sets $destination
	mkdir -p fuse
	rm -f nbd
	nbdkit -f -U "$case_dir/nbd" --filter=cache file destination.img &
	server=$!
	wait_for test -S nbd
	nbdfuse "$case_dir/fuse/disk" --unix "$case_dir/nbd" &
	bridge=$!
	undone_by unmount "$case_dir/fuse"
	wait_for test -s fuse/disk
	destination=$(attach "$case_dir/fuse/disk")
}

cut_the_power() {
	blows=$((blows + 1))
	# shellcheck disable=SC2086 # there may be no copy any more
	kill -KILL "$server" "$bridge" $copy 2>/dev/null || true
	# shellcheck disable=SC2086
	wait "$server" "$bridge" $copy || true
	wait_for detach "$destination"
	wait_for unmounted
}

unmounted() {
	fusermount3 -u fuse || ! grep -q " $case_dir/fuse " /proc/mounts
}

# Blocks that the map calls finished, on both files.
finished_is_kept() {
	[ ! -s copy.map ] || /usr/bin/python3 - copy.map source.img destination.img <<-'PROGRAM'
		import sys
		lines = [l.split() for l in open(sys.argv[1]) if not l.startswith("#")][1:]
		a, b = (open(name, "rb") for name in sys.argv[2:])
		for start, size, status in lines:
		    if status != "+":
		        continue
		    start, size = int(start, 16), int(size, 16)
		    a.seek(start), b.seek(start)
		    if a.read(size) != b.read(size):
		        sys.exit(f"{size} bytes from {start} on are not what the map says")
	PROGRAM
}

start() {
	if [ -s copy.map ]; then
		"$CLONEDECK" resume copy.map --map-interval 1 --confirm "$destination" \
			--log-dir logs >out 2>err &
	else
		"$CLONEDECK" clone -s "$source" -d "$destination" --map copy.map --map-interval 1 \
			--rate "$rate" --confirm "$destination" --log-dir logs >out 2>err &
	fi
	copy=$!
}

round() {
	local cuts
	random 16 40
	size=$chosen
	random 4 16
	rate=${chosen}M
	source=$(new_disk source "$size")
	mkfs.ext4 -q -F "$source"
	sync "$source"
	noise "${size}M" >destination.img
	random 1 4
	for ((cuts = chosen; cuts > 0; cuts--)); do
		plug_in
		start
		random 0 3500
		sleep "$((chosen / 1000)).$(printf %03d $((chosen % 1000)))"
		cut_the_power
		finished_is_kept
	done
	plug_in
	start
	ends 0
	copy=
	# As soon as it says that all is done.
	cut_the_power
	cmp source.img destination.img
}

soak copies_go_on_after_power_cuts
