#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# F2FS and FAT as a kernel leaves them, here that of user-mode Linux: after an unmount they are
# copied by their maps, mounted (as after a power cut) they are copied whole.
. "$(dirname -- "$0")/scsi-lib.sh"
[ "${1:-}" = inside ] || enter_uml -t 900 -m loop -m f2fs -m vfat -m nls_cp437 -m nls_utf8 -m nls_iso8859-1
. "$(dirname -- "$0")/lib.sh"
need mkfs.f2fs fsck.f2fs mkfs.vfat fsck.vfat

used=${CLONEDECK%/src/*}/tests/unit/content/content_used

# fill FOLDER: with more files than stay
fill() {
	local i
	mkdir -p "$1/one" "$1/two"
	for i in {1..30}; do
		head -c $((i * 3777)) /dev/urandom >"$1/one/$i"
		echo "$i" >"$1/two/$i"
	done
	head -c 3M /dev/urandom >"$1/gone"
	sync
	rm "$1/gone" "$1"/one/*[13579]
}

# kernel FS MIB MKFS...: of an image of this size, of which a third is free
kernel() {
	local fs=$1 size=$2 i
	shift 2
	truncate -s "${size}M" image
	"$@" image
	mkdir files back
	mount_at files -o loop image
	fill files
	cp -r files kept
	umount files
	head -c 1M /dev/urandom >noise
	for ((i = 0; i < size; i++)); do
		cat noise
	done >copy
	"$used" image "$fs" copy >ranges
	! grep whole ranges || fail "$(cat ranges)"
	awk -v size="$size" '{ used += $2 } END { exit used / 1048576 > size * 0.67 }' ranges
	mount_at back -o loop,ro copy
	diff -r kept back
	umount back
	mount_at files -o loop image
	echo fsynced >files/new
	sync files/new
	cp image cut
	umount files
	"$used" cut "$fs" >ranges
	grep "whole: it was not unmounted" ranges || fail "$(head -n 2 ranges)"
}

f2fs() {
	kernel f2fs 52 mkfs.f2fs -q
	fsck.f2fs --dry-run copy >checked
	! grep Fail checked || fail "$(cat checked)"
}

fat() {
	kernel vfat 36 mkfs.vfat -F 32 -s 1
	fsck.vfat -n copy
}

run_cases f2fs fat
