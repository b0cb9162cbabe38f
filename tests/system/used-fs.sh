#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What ext4, XFS and swap use, copied first or alone onto a disk full of noise: the file systems of
# the copy are in order, and each file is as it was. What was not left in order is copied whole.
. "$(dirname -- "$0")/lib.sh"
need mkfs.ext4 mkfs.xfs mkswap xfs_repair debugfs

# fill NODE FOLDER: many files, half of them deleted again; sums in FOLDER.sums
fill() {
	local i
	mount_at "$2" "$1"
	for ((i = 0; i < 80; i++)); do
		head -c $((i * 7919 % 500000)) /dev/urandom >"$2/file-$i"
	done
	rm "$2"/file-*[13579]
	(cd "$2" && md5sum file-*) >"$2.sums"
	umount "$2"
}

make_source() {
	truncate -s 700M source.img
	source=$(attach "$case_dir/source.img")
	sfdisk -q --wipe always "$source" <<-TABLE
		label: gpt
		size=200MiB, type=linux
		size=330MiB, type=linux
		size=60MiB, type=swap
	TABLE
	know_partitions "$source" 3
	mkfs.ext4 -q "${source}p1"
	mkfs.xfs -q "${source}p2"
	mkswap -q "${source}p3"
	fill "${source}p1" "$case_dir/ext4"
	fill "${source}p2" "$case_dir/xfs"
	sync "$source"
}

# intact DESTINATION
intact() {
	know_partitions "$1" 3
	e2fsck -fn "${1}p1"
	xfs_repair -n "${1}p2"
	# The XFS of the source has the same UUID.
	mount_at "$case_dir/ext4" -o ro "${1}p1"
	mount_at "$case_dir/xfs" -o ro,nouuid "${1}p2"
	(cd ext4 && md5sum --quiet -c ../ext4.sums)
	(cd xfs && md5sum --quiet -c ../xfs.sums)
	umount ext4 xfs
	blkid -p "${1}p3" | grep -q 'TYPE="swap"'
}

used_only() {
	make_source
	destination=$(new_disk destination 700)
	run 0 clone -s "$source" -d "$destination" --used=only --dry-run
	says "only that is copied"
	clone 0 "$source" "$destination" --used=only
	intact "$destination"
}

used_first() {
	make_source
	destination=$(new_disk destination 700)
	clone 0 "$source" "$destination" --used=first --used=only@3
	# Before XFS is mounted, which writes to its superblock.
	same "$source" 0 "$destination" 0 $((531 * MIB))
	intact "$destination"
}

dirty_is_whole() {
	make_source
	destination=$(new_disk destination 700)
	debugfs -w -R 'feature +needs_recovery' "${source}p1"
	# A journal that holds work, as after a power cut
	mount_at "$case_dir/xfs" "${source}p2"
	echo fsynced >xfs/new
	sync xfs/new
	cp --sparse=always source.img cut.img
	umount xfs
	cut=$(attach "$case_dir/cut.img")
	know_partitions "$cut" 3
	run 0 clone -s "$cut" -d "$destination" --used=only --dry-run
	says "partition 1: 210 MB, copied whole: it was not unmounted: its journal holds changes"
	says "partition 2: 346 MB, copied whole: it was not unmounted: its journal holds changes"
	says "copied: partition 1: it was not unmounted: its journal holds changes; partition 2"
	says "partition 3: 2.10 MB used of 62.9 MB; only that is copied"
	# Nothing is said of partitions that are not copied at all.
	run 0 clone -s "$cut" -d "$destination" --used=only -r @3 --dry-run
	says "partition 3: 2.10 MB used of 62.9 MB; only that is copied"
	! grep -qE 'partition [12]:' out || fail 'others are listed, too'
	run 1 clone -s "$cut" -d "$destination" --used=only@9 --dry-run
	says "has no partition 9"
	run 1 clone -s "$cut" -d "$destination" --used=only@0 --dry-run
	says "give first or only"
}

run_together 3 used_only used_first dirty_is_whole
