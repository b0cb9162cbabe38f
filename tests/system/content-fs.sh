#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# NTFS, FAT, exFAT, Btrfs and F2FS, filled, half deleted, and only what their maps call used copied
# into a file full of noise: the copy is in order, and each file is as it was. What was not left in
# order is copied whole.
. "$(dirname -- "$0")/lib.sh"
need mkntfs ntfs-3g mkfs.vfat mcopy mkfs.exfat mount.exfat-fuse mkfs.btrfs mkfs.f2fs sload.f2fs /dev/fuse

used=${CLONEDECK_BUILD:?the build folder}/tests/unit/content/content_used

# fill FOLDER: files of all sizes; the same each time.
fill() {
	/usr/bin/python3 - "$1" <<-'PYTHON'
		import os, random, sys
		random.seed(17)
		for i in range(150):
		    folder = f"{sys.argv[1]}/folder {i % 5}"
		    os.makedirs(folder, exist_ok=True)
		    with open(f"{folder}/file-{i}.dat", "wb") as f:
		        f.write(random.randbytes(random.choice([10, 700, 5000, 30000, 120000])))
		with open(f"{sys.argv[1]}/large", "wb") as f:
		    f.write(random.randbytes(3 << 20))
	PYTHON
}

# fill_and_delete FOLDER: and some files of it here and there
fill_and_delete() {
	fill "$1"
	mkdir "$1/gone"
	cp -r "$1/folder 1" "$1/large" "$1/gone"
	find "$1/folder 0" "$1/folder 3" -name '*[13579].dat' -delete
	rm -r "$1/gone"
}

# image_of MIB
image_of() {
	rm -f image
	truncate -s "$1M" image
}

# no_fewer_than_partclone FS: where it is there, what it would copy is among the ranges
no_fewer_than_partclone() {
	command -v "partclone.$1" || return 0
	"partclone.$1" -D -L partclone.log -s image -o domain
	/usr/bin/python3 - <<-'PYTHON'
		ranges = [tuple(map(int, line.split())) for line in open("ranges")]
		for line in open("domain"):
		    if line.startswith("0x") and line.endswith("+\n"):
		        start, size = [int(word, 16) for word in line.split()[:2]]
		        assert any(a <= start and start + size <= a + n for a, n in ranges), line
	PYTHON
}

# copy_used FS: of the image into a copy that is noise else. A third at least was free.
copy_used() {
	noise $(($(stat -c %s image) / MIB)) >copy
	"$used" image "$1" copy >ranges
	holds_no whole ranges
	awk -v size="$(stat -c %s image)" '{ used += $2 } END { exit used > size * 0.67 }' ranges
	no_fewer_than_partclone "$1"
}

# noise MIB
noise() {
	/usr/bin/python3 -c 'import os, sys; sys.stdout.buffer.write(os.urandom(1 << 20) * int(sys.argv[1]))' "$1"
}

# holds_no PATTERN FILE
holds_no() {
	local found
	found=$(grep -E "$1" "$2") || return 0
	fail "$found"
}

# whole FS TEXT: why the image would be copied whole
whole() {
	"$used" image "$1" >ranges
	grep -qF "whole: $2" ranges || fail "$(head -n 2 ranges)"
}

# poke OFFSET BYTES: over those of the image, as printf writes them
poke() {
	printf '%b' "$2" | dd of=image bs=1 seek="$1" conv=notrunc status=none
}

# compare MOUNT-COMMAND...: the copy, mounted at back by this command, has the same files
compare() {
	mkdir -p back
	"$@" back
	undone_by unmount "$case_dir/back"
	diff -r files back
	umount back
}

# ---- FAT ----

fat() { # BITS MIB STATE-BYTE
	mkdir files back
	fill files
	image_of "$2"
	mkfs.vfat -F "$1" image
	mcopy -s -Q -i image files/* ::
	mmd -i image ::gone
	mcopy -s -Q -i image files/folder* files/large ::gone
	mcopy -Q -i image files/large ::last
	mdeltree -i image ::gone
	mdel -i image ::last
	copy_used vfat
	fsck.vfat -n copy
	mcopy -s -Q -n -i copy '::*' back
	diff -r files back
	poke "$3" '\01'
	whole vfat "it was not unmounted"
	poke "$3" '\00'
}

fat_12() {
	fat 12 31 37
}

fat_16() {
	fat 16 64 37
}

fat_32() {
	fat 32 100 65
	poke $((32 * 512 + 4)) '\0377\0377\0377\0007'
	whole vfat "its two tables differ"
}

# ---- exFAT ----

# let_go LOOP: until the last one that has it open, perhaps a test that looks at all disks, closes it.
# Only then what was written to it is in its image.
let_go() {
	detach "$1"
	while [[ "$(backing "$1" 2>/dev/null)" == "$case_dir"/* ]]; do
		sleep 0.05
	done
}

exfat() {
	mkdir files
	image_of 100
	mkfs.exfat image
	loop=$(attach "$case_dir/image")
	mount.exfat-fuse "$loop" files
	undone_by unmount "$case_dir/files"
	fill_and_delete files
	cp -r files kept
	umount files
	let_go "$loop"
	cp -rT kept files
	copy_used exfat
	fsck.exfat -n copy
	compare mount.exfat-fuse -o ro "$(attach "$case_dir/copy")"
	poke 106 '\02'
	whole exfat "it was not unmounted"
	poke 106 '\00'
	poke 100 'x'
	whole exfat "the checksum of its boot sectors is wrong"
}

# ---- NTFS ----

ntfs() {
	mkdir files
	image_of 150
	mkntfs -F -Q -q image
	ntfs-3g -o compression image files
	undone_by unmount "$case_dir/files"
	mkdir files/packed
	# The attribute "compressed" is inherited.
	/usr/bin/python3 -c 'import os; os.setxattr("files/packed", "system.ntfs_attrib_be", bytes([0, 0, 8, 0x10]))'
	yes "the same again and again" | head -c 3000000 >files/packed/text
	fill_and_delete files
	truncate -s 20M files/sparse
	echo end >>files/sparse
	cp -r files kept
	umount files
	cp -rT kept files
	copy_used ntfs
	ntfsfix -n copy
	ntfs-3g.probe --readwrite copy
	compare ntfs-3g -o ro copy
	# The backup of the boot sector is behind all clusters.
	cmp -i $((150 * MIB - 512)) image copy
	cp --reflink=auto image clean
	ntfs-3g image files -o nonempty
	printf hibr >files/hiberfil.sys
	umount files
	whole ntfs "Windows is hibernated"
	cp clean image
	ntfsfix image
	whole ntfs "it was not unmounted"
}

# ---- Btrfs ----

btrfs_full() { # MKFS-OPTION...
	mkdir files
	image_of 512
	mkfs.btrfs -q "$@" image
	mount_at "$case_dir/files" -o loop image
	btrfs subvolume create files/volume
	fill_and_delete files/volume
	btrfs subvolume snapshot -r files/volume files/snapshot
	rm -r "files/volume/folder 2"
	cp --reflink=always files/volume/large files/volume/reflink
	truncate -s 20M files/volume/sparse
	cp -r files kept
	umount files
	cp -rT kept files
	copy_used btrfs
	btrfs check copy
	mkdir back
	mount_at "$case_dir/back" -o loop copy
	diff -r files back
	btrfs scrub start -BR back >scrubbed
	holds_no '_errors: [1-9]' scrubbed
	# A log that is to be replayed.
	printf fsynced >back/volume/new
	sync -f back
	wait_for log_makes_whole
	umount back
}

# A commit in between, which anybody's sync begins, has emptied the log: once more.
log_makes_whole() {
	printf again >>back/volume/new
	sync back/volume/new
	cp --sparse=always copy image
	"$used" image btrfs >ranges
	grep -qF "whole: it was not unmounted" ranges
}

btrfs_default() {
	btrfs_full
}

btrfs_all_twice() {
	btrfs_full -d dup
}

btrfs_on_two_devices() {
	truncate -s 128M image other
	first=$(attach "$case_dir/image")
	second=$(attach "$case_dir/other")
	mkfs.btrfs -q "$first" "$second"
	whole btrfs "it lies on several devices"
}

# ---- F2FS ----

f2fs() {
	mkdir files
	fill files
	image_of 200
	mkfs.f2fs -q image
	sload.f2fs -f files image
	copy_used f2fs
	fsck.f2fs --dry-run copy >checked
	holds_no Fail checked
}

# ---- all of them, by the program ----

one_disk_of_all_kinds() {
	local source destination kind
	mkdir -p files theirs copied
	fill files
	image_of 480
	source=$(attach "$case_dir/image")
	sfdisk -q "$source" <<<$'label: gpt\nsize=50M\nsize=50M\nsize=50M\nsize=180M\nsize=130M'
	know_partitions "$source" 5
	mkfs.vfat -F 32 -s 1 "${source}p1"
	mcopy -s -Q -i "${source}p1" files/* ::
	mkfs.exfat "${source}p2"
	mkntfs -Q -q "${source}p3"
	mkfs.btrfs -q "${source}p4"
	mkfs.f2fs -q "${source}p5"
	sload.f2fs -f files "${source}p5"
	for kind in exfat-fuse:2 ntfs-3g:3 btrfs:4; do
		mount_at "$case_dir/theirs" -t "${kind%:*}" "${source}p${kind#*:}"
		cp -r files/. theirs
		umount theirs
	done
	sync "$source"
	noise 480 >copy.img
	destination=$(attach "$case_dir/copy.img")
	clone 0 "$source" "$destination" --used=only --free=leave --report report.json
	jq -e '.free_places.bytes_left_out > 150 * 1048576' report.json
	know_partitions "$destination" 5
	fsck.vfat -n "${destination}p1"
	fsck.exfat -n "${destination}p2"
	ntfsfix -n "${destination}p3"
	btrfs check "${destination}p4"
	fsck.f2fs --dry-run "${destination}p5" >checked
	holds_no Fail checked
	mcopy -s -Q -n -i "${destination}p1" '::*' copied
	diff -r files copied
	for kind in exfat-fuse:2 ntfs-3g:3 btrfs:4; do
		mount_at "$case_dir/theirs" -t "${kind%:*}" -o ro "${destination}p${kind#*:}"
		diff -r files theirs
		umount theirs
	done
}

# Its boot sector looks like that of a table without partitions.
an_exfat_without_a_table() {
	image_of 60
	mkfs.exfat image
	source=$(attach "$case_dir/image")
	noise 60 >copy.img
	destination=$(attach "$case_dir/copy.img")
	clone 0 "$source" "$destination" --used=only --free=leave --report report.json
	jq -e '.free_places.bytes_left_out > 50 * 1048576' report.json
	fsck.exfat -n "$destination"
}

run_together 3 an_exfat_without_a_table one_disk_of_all_kinds fat_12 fat_16 fat_32 exfat ntfs btrfs_default btrfs_all_twice btrfs_on_two_devices f2fs
