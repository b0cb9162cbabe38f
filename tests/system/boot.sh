#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# No machine starts from a half-made clone, wherever the copy ended, and every one from a finished
# clone: a tiny disk made here, tried by BIOS and UEFI.
. "$(dirname -- "$0")/lib.sh"
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
. "$here/boot-lib.sh"

# logged_disk IMAGE LOG: sets $destination to a loop device over it. All that is written to it, and
# when it is flushed, goes to LOG as well. (By NBD: QEMU's own FUSE export, of version 7.2, mixes up
# the data of requests in flight.)
logged_disk() {
	truncate -s 256M "$2"
	mkdir fuse
	qemu-storage-daemon --blockdev "driver=file,node-name=disk,filename=$1" \
		--blockdev "driver=file,node-name=log,filename=$2" \
		--blockdev driver=blklogwrites,node-name=logged,file=disk,log=log \
		--nbd-server "addr.type=unix,addr.path=$PWD/nbd" \
		--export type=nbd,id=disk,node-name=logged,name=disk,writable=on &
	server=$!
	wait_for test -S nbd
	nbdfuse fuse/disk "nbd+unix:///disk?socket=$PWD/nbd" &
	bridge=$!
	undone_by unmount "$PWD/fuse"
	wait_for test -s fuse/disk
	destination=$(attach "$PWD/fuse/disk")
}

logged_disk_is_done() {
	detach "$destination"
	wait_for umount fuse
	wait "$bridge"
	kill "$server"
	wait "$server" || true
}

nobody_finds() { # IMAGE
	case $1 in
	# Copies of a table lie there before and behind it, which only wipefs would find.
	*-wiping-* | *-arming-*) [ -z "$(blkid -p -o export "$1")" ] ;;
	*) nothing_to_find "$1" ;;
	esac
}

# What the power may leave at each stage: of what was written since the last flush all, nothing, or
# some of it. Makes an image of each, their names in $moments.
make_moments() {
	cp old.img clone.img
	logged_disk clone.img log
	run 0 clone -s "$source" -d "$destination" --confirm "$destination" --log-dir logs
	says COMPLETE
	logged_disk_is_done
	cmp source.img clone.img
	"$here/moments.py" old.img log . >names
	mapfile -t moments <names
	[ "${#moments[@]}" -ge 20 ]
}

stop_and_resume() {
	cp old.img disk.img
	destination=$(attach "$PWD/disk.img")
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir logs --map copy.map --rate 4M >out 2>err &
	copy=$!
	# All that is needed is there: the partition of UEFI, and the code in the middle.
	wait_for same source.img "$second_stage" disk.img "$second_stage" 512
	kill -INT "$copy"
	wait "$copy" && fail "it was not stopped"
	cp disk.img stopped.img
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	cmp source.img disk.img
}

nothing_starts_from_a_half_made_clone_and_every_finished_one_starts() {
	bootable_disk source.img
	old_bootable_disk old.img
	source=$(attach "$PWD/source.img")
	make_moments
	stop_and_resume
	moments+=(stopped.img)
	for image in "${moments[@]}"; do
		nobody_finds "$image"
	done
	both_start no "${moments[@]}"
	both_start yes clone.img
}

run_cases nothing_starts_from_a_half_made_clone_and_every_finished_one_starts
