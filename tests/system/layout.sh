#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A table that fits: on larger and smaller disks no tool finds anything wrong with it, and what is
# in the partitions is what the source has there.
. "$(dirname -- "$0")/lib.sh"
need sfdisk sgdisk parted e2fsck debugfs jq mkfs.ntfs mkfs.exfat

# source_gpt: 64 MiB, three partitions, the last one ext4; room behind it.
source_gpt() {
	source=$(new_disk source 64)
	sfdisk -q --wipe always "$source" <<-TABLE
		label: gpt
		start=2048, size=8MiB, type=uefi, name="ESP"
		start=20480, size=4MiB, type=swap
		start=28672, size=24MiB, type=linux, name="root"
	TABLE
	file_system 28672 24
}

source_dos() {
	source=$(new_disk source 64)
	sfdisk -q --wipe always "$source" <<-TABLE
		label: dos
		start=2048, size=8MiB, type=c, bootable
		start=20480, size=24MiB, type=83
	TABLE
	file_system 20480 24
}

file_system() { # LBA MIB
	place=$1
	size=$2
	mkfs.ext4 -q -F -E "offset=$((place * 512)),nodiscard" "$source" "$size"m
	sync "$source"
}

# clean NODE: no tool has anything to say against its table.
clean() {
	blockdev --flushbufs "$1"
	sfdisk --verify "$1" >said 2>&1
	grep -q 'No errors detected' said || { cat said; fail sfdisk; }
	fdisk -l "$1" >said 2>&1
	! grep -iE 'error|corrupt|mismatch|does not|not on the end' said || fail fdisk
	parted -s "$1" print >said 2>&1 || { cat said; fail parted; }
	! grep -iE 'error|warning|corrupt|not all of the space' said || fail parted
}

clean_gpt() { # NODE
	clean "$1"
	sgdisk -v "$1" >said 2>&1
	grep -q 'No problems found' said || { cat said; fail sgdisk; }
}

# contents_same IMAGE: what the partitions of the source hold, and their file system.
contents_same() { # IMAGE
	same source.img "$MIB" "$1" "$MIB" $((place * 512 - MIB + size * MIB))
	dd if="$1" of=fs bs=1M iflag=skip_bytes skip=$((place * 512)) count="$size" status=none
	e2fsck -fn fs
}

part() { # NODE NUMBER: its start and size
	sfdisk -J "$1" | jq -r ".partitiontable.partitions[$(($2 - 1))] | \"\(.start) \(.size)\""
}

a_GPT_fits_a_larger_disk() {
	source_gpt
	destination=$(new_disk destination 100)
	run 0 clone -n -s "$source" -d "$destination" --json
	jq -e '.options.table == "keep" and .fitted == null and .offer.partition == 3' out
	clone 0 "$source" "$destination" --table=fit
	says 'backup GPT at LBA 204799'
	! grep -q relocate out err || fail 'still advised'
	clean_gpt "$destination"
	contents_same destination.img
	[ "$(part "$destination" 3)" = '28672 49152' ]
	jq -e '.fitted.backup_lba == 204799 and .fitted.partition == null' logs/*.json
}

its_last_partition_grows() {
	source_gpt
	destination=$(new_disk destination 100)
	clone 0 "$source" "$destination" --grow=last
	! grep 'Old data of the destination' out err || fail 'all of the source was copied'
	clean_gpt "$destination"
	contents_same destination.img
	[ "$(part "$destination" 3)" = "28672 $((202752 - 28672))" ]
	sfdisk -d "$source" | grep -v -e lba -e '^device' -e 'p3 :' | sed "s|$source||" >before
	sfdisk -d "$destination" | grep -v -e lba -e '^device' -e 'p3 :' | sed "s|$destination||" >after
	diff before after
	# The report can be verified without the source.
	run 0 verify logs/*.json -d "$destination"
}

its_file_system_grows_too() {
	source_gpt
	mkdir files
	know_partitions "$source" 3
	mount_at files "${source}p3"
	noise 3M >files/photo
	before=$(digest files/photo)
	umount files
	destination=$(new_disk destination 100)
	run 0 clone -n -s "$source" -d "$destination" --grow=last --grow-fs
	says 'after the copy, its file system (ext4) grows, too'
	clone 0 "$source" "$destination" --grow=last --grow-fs
	says 'its file system was grown, and found sound before and after'
	clean_gpt "$destination"
	jq -e '.grown_fs.state == "done" and .grown_fs.fs == "ext4"' logs/*.json
	grep -q 'after: .*resize2fs' logs/*.log
	know_partitions "$destination" 3
	e2fsck -fn "${destination}p3"
	mount_at files "${destination}p3"
	[ "$(digest files/photo)" = "$before" ]
	[ "$(stat -f -c %b files)" -gt 60000 ]
	umount files
}

# copy_by_that_tool PROGRAM OPTION...: in the background, with the file "tool" in place of the program.
copy_by_that_tool() {
	chmod +x tool
	# shellcheck disable=SC2016 # the script expands it
	with_own_mounts sh -c 'mount --bind tool "$(command -v "$0")"; echo $$ >pid; exec "$@" >out 2>err' "$1" \
		"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" --log-dir logs "${@:2}" &
	copy=$!
}

same_uuid() {
	[ "$(blkid -p -O 1MiB -s UUID -o value source.img)" = "$(blkid -p -O 1MiB -s UUID -o value copy.img)" ]
}

# The source, with the same UUID, is there all the while, and the kernel knows it.
a_Btrfs_grows_beside_its_source() {
	fallocate -l 320M source.img
	source=$(attach "$PWD/source.img")
	sfdisk -q --wipe always "$source" <<<'label: gpt
		start=2048, size=300MiB, type=linux'
	know_partitions "$source" 1
	mkfs.btrfs -q -f "${source}p1"
	mount_at files "${source}p1"
	head -c 30M /dev/urandom >files/photo
	btrfs -q subvolume snapshot files files/snapshot
	before=$(digest files/photo)
	umount files
	btrfs -q device scan "${source}p1"
	sha256sum source.img >sum
	fallocate -l 600M copy.img
	destination=$(attach "$PWD/copy.img")
	clone 0 "$source" "$destination" --grow=last --grow-fs
	says 'its file system was grown, and found sound before and after'
	sha256sum -c sum
	know_partitions "$destination" 1
	[ "$(blkid -p -s UUID -o value "${source}p1")" = "$(blkid -p -s UUID -o value "${destination}p1")" ]
	! btrfs inspect-internal dump-super "${destination}p1" | grep METADATA_UUID || fail 'a feature was left'
	detach "$source"
	btrfs check --readonly "${destination}p1"
	mount_at files "${destination}p1"
	[ "$(digest files/photo)" = "$before" ]
	[ "$(digest files/snapshot/photo)" = "$before" ]
	[ $(($(stat -f -c '%b * %S' files))) -gt $((590 * MIB)) ]
	umount files
	# Whoever is killed meanwhile, in the end it has its own UUID again. After a power cut, resume
	# says how it gets that; and what no tool is there for is named.
	printf '#!/bin/sh\ncase $* in *resize*) . "%s" ;; esac\nexec %s "$@"\n' "$PWD/at_resize" "$PWD/real" >tool
	cp "$(command -v btrfs)" real
	source=$(attach "$PWD/source.img")
	echo "echo \$PPID >'$PWD/parent'; until [ -e '$PWD/killed' ]; do sleep 0.1; done" >at_resize
	copy_by_that_tool btrfs --grow=last --grow-fs --map copy.map
	wait_for test -s parent
	kill -KILL "$(cat pid)"
	ends 137
	touch killed
	wait_for same_uuid
	wait_for held_by_nobody "$source"
	wait_for held_by_nobody "$destination"
	detach "$source"
	know_partitions "$destination" 1
	btrfstune -f -m "${destination}p1"
	source=$(attach "$PWD/source.img")
	run 3 resume copy.map --confirm "$destination" --log-dir logs
	says 'There is nothing to resume'
	detach "$source"
	eval "$(grep -o 'btrfstune -f -M .*' err)"
	btrfs check --readonly "${destination}p1"
	same_uuid
	source=$(attach "$PWD/source.img")
	# shellcheck disable=SC2016 # that shell expands it
	echo 'kill -KILL "$(ps -o ppid= "$(ps -o ppid= $PPID)")"; exit 7' >at_resize
	copy_by_that_tool btrfs --grow=last --grow-fs
	ends 4
	says 'could not be grown'
	same_uuid
	# shellcheck disable=SC2016
	with_own_mounts sh -c 'mount --bind /dev/null "$(command -v btrfstune)"; "$@" >out 2>err' sh "$CLONEDECK" clone -s "$source" \
		-d "$destination" --grow=last --grow-fs --confirm "$destination" --log-dir logs
	says 'was not grown: btrfs-progs: a tool is not installed'
	says 'With the old disk taken out'
}

# The copy is as good as the source, so its result stays what it is. The exit status does not.
a_damaged_one_does_not_grow() {
	source_gpt
	know_partitions "$source" 3
	debugfs -w -R 'clri <2>' "${source}p3"
	sync "$source"
	destination=$(new_disk destination 100)
	clone 4 "$source" "$destination" --grow=last --grow-fs
	says 'could not be grown; the log says why: (i.e., without -a or -p'
	says 'To grow it: e2fsck -f'
	jq -e '.grown_fs.state == "failed" and .result == "COMPLETE"' logs/*.json
	clean_gpt "$destination"
	same source.img "$MIB" destination.img "$MIB" $((13 * MIB))
}

# Without one of its libraries a tool ends as a shell does that finds no tool.
a_tool_that_cannot_start_grows_nothing() {
	source_gpt
	destination=$(new_disk destination 100)
	printf '#!/bin/sh\necho no library; exit 127\n' >tool
	copy_by_that_tool resize2fs --grow=last --grow-fs
	ends 4
	says 'could not be grown; the log says why: no library'
	jq -e '.grown_fs.state == "failed" and .result == "COMPLETE"' logs/*.json
	clean_gpt "$destination"
}

# What it says of itself is not believed, and what it says without end is not all kept.
a_tool_that_does_nothing_grows_nothing() {
	source_gpt
	destination=$(new_disk destination 100)
	printf '#!/bin/sh\nyes | head -n 200000; echo all is well\n' >tool
	copy_by_that_tool resize2fs --grow=last --grow-fs
	ends 4
	says 'could not be grown; the log says why: the tool ended well, but the file system has 25.2M, not 89.1M'
	jq -e '.grown_fs.state == "failed" and .result == "COMPLETE"' logs/*.json
	! grep 'lines are missing' logs/*.log || fail 'the disk of the log did not answer'
	grep -q 'lines, the last one: ' logs/*.log
	[ "$(wc -l <logs/*.log)" -lt 700 ]
	clean_gpt "$destination"
}

# No disk hangs: whoever stops it is told what it is that goes on, and that it is waited for.
a_tool_that_takes_its_time_is_waited_for() {
	source_gpt
	destination=$(new_disk destination 100)
	printf '#!/bin/sh\n: >%s; until [ -e %s ]; do sleep 0.1; done; exec %s "$@"\n' "$PWD/begun" "$PWD/go_on" "$PWD/real" >tool
	cp "$(command -v resize2fs)" real
	copy_by_that_tool resize2fs --grow=last --grow-fs
	wait_for test -e begun
	kill -INT "$(cat pid)"
	wait_for grep 'identifiers are being changed, as you asked' err
	pause 8
	touch go_on
	ends 0
	! grep 'not answer' out err || fail 'a disk was blamed'
	says 'its file system was grown, and found sound before and after'
	clean_gpt "$destination"
}

what_is_behind_a_partition_makes_way() {
	source_gpt
	destination=$(new_disk destination 64)
	noise 64M | dd of="$destination" bs=1M conv=fsync status=none
	blockdev --flushbufs "$destination"
	clone 0 "$source" "$destination" --grow=1
	says 'partition 3 moves to LBA 79872'
	clean_gpt "$destination"
	[ "$(part "$destination" 1)" = '2048 69632' ]
	[ "$(part "$destination" 2)" = '71680 8192' ]
	[ "$(part "$destination" 3)" = '79872 49152' ]
	same source.img "$MIB" destination.img "$MIB" $((4 * MIB))
	same source.img $((place * 512)) destination.img $((79872 * 512)) $((size * MIB))
	dd if=destination.img of=fs bs=1M skip=39 count=24 status=none
	e2fsck -fn fs
	run 0 verify logs/*.json -d "$destination"
}

# The one in the middle grows with its file system, and the one behind it gives way.
partitions_are_arranged() {
	source=$(new_disk source 64)
	sfdisk -q --wipe always "$source" <<-TABLE
		label: gpt
		start=2048, size=8MiB, type=uefi
		start=20480, size=24MiB, type=linux
		start=71680, size=4MiB, type=linux
	TABLE
	file_system 20480 24
	noise 4M >recovery
	dd if=recovery of="$source" bs=1M seek=35 conv=notrunc,fsync status=none
	know_partitions "$source" 2
	mkdir files
	mount_at files "${source}p2"
	noise 3M >files/photo
	before=$(digest files/photo)
	umount files
	destination=$(new_disk destination 100)
	clone 0 "$source" "$destination" --layout=2:60M --grow-fs
	says 'partition 2 grows from'
	says 'partition 3 moves to LBA'
	says 'its file system was grown'
	clean_gpt "$destination"
	[ "$(part "$destination" 2)" = '20480 122880' ]
	[ "$(part "$destination" 3)" = '143360 8192' ]
	dd if="$destination" bs=1M skip=70 count=4 status=none | cmp - recovery
	know_partitions "$destination" 2
	e2fsck -fn "${destination}p2"
	mount_at files "${destination}p2"
	[ "$(digest files/photo)" = "$before" ]
	umount files
	run 3 clone -n -s "$source" -d "$destination" --layout=2:20M
	says 'cannot become smaller than its file system'
	run 1 clone -n -s "$source" -d "$destination" --layout=2
	run 0 clone -n -s "$source" -d "$destination" --layout=3@80M --json
	jq -e '.options.layout == "3@80M" and .fitted.changed[0].start_after == 163840' out
}

a_GPT_fits_a_smaller_disk() {
	source_gpt
	destination=$(new_disk destination 40)
	run 3 clone -n -s "$source" -d "$destination"
	clone 0 "$source" "$destination" --table=fit
	clean_gpt "$destination"
	contents_same destination.img
	destination=$(new_disk tiny 30)
	run 3 clone -n -s "$source" -d "$destination" --table=fit
	says 'Partition 3 (ext4'
}

# source_with_gaps LABEL: three partitions with room between them: a FAT, an ext4 that is half as
# large as its partition, an ext4 that fills its own.
source_with_gaps() {
	source=$(new_disk source 96)
	sfdisk -q --wipe always "$source" <<-TABLE
		label: $1
		start=2048, size=8MiB, type=$2
		start=40960, size=32MiB, type=$3
		start=122880, size=16MiB, type=$3
	TABLE
	mkdir files
	noise 3M >files/photo
	truncate -s 8M fat
	mkfs.vfat -h 2048 fat >/dev/null
	mkfs.ext4 -q -F -d files -E offset=$((40960 * 512)),nodiscard "$source" 16m
	dd if=fat of="$source" bs=1M seek=1 conv=notrunc status=none
	mkfs.ext4 -q -F -d files -E offset=$((122880 * 512)),nodiscard "$source" 16m
	sync "$source"
}

# moved IMAGE LBA LBA: both file systems are whole where they are now.
moved() {
	local place
	for place in "$2" "$3"; do
		dd if="$1" of=fs bs=1M iflag=skip_bytes skip=$((place * 512)) count=16 status=none
		e2fsck -fn fs
		debugfs -R 'dump photo out.photo' fs
		cmp files/photo out.photo
	done
}

partitions_move_together_and_are_cut() {
	source_with_gaps gpt uefi linux
	destination=$(new_disk destination 54)
	run 0 clone -n -s "$source" -d "$destination" --table=fit --json
	jq -e '[.fitted.changed[].start_after] == [40960, 75776] and
		.fitted.changed[0].sectors_after == 34816' out
	run 0 clone -n -s "$source" -d "$destination" --layout=1:9M --grow-fs
	says 'the file system in partition 1 (vfat) stays as large as it is: there is no reliable tool'
	noise 54M | dd of="$destination" bs=1M conv=fsync status=none
	blockdev --flushbufs "$destination"
	clone 0 "$source" "$destination" --table=fit
	clean_gpt "$destination"
	same source.img "$MIB" destination.img "$MIB" $((8 * MIB))
	moved destination.img 40960 75776
	run 0 verify logs/*.json -d "$destination"
}

so_they_do_after_kill_9() {
	source_with_gaps dos c 83
	destination=$(new_disk destination 48)
	noise 48M | dd of="$destination" bs=1M conv=fsync status=none
	blockdev --flushbufs "$destination"
	"$CLONEDECK" clone -s "$source" -d "$destination" --table=fit --used=only \
		--confirm "$destination" --log-dir logs --map copy.map --map-interval 1 --rate 5MB \
		>out 2>err &
	copy=$!
	wait_for grep -q '^0x.*+' copy.map
	kill -KILL "$copy"
	ends 137
	nothing_to_find "$destination"
	grep -q '^# clonedeck fitted_part=2,40960,65536,32768,32768$' copy.map
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	clean "$destination"
	[ "$(part "$destination" 3)" = '65536 32768' ]
	moved destination.img 32768 65536
}

what_is_too_large_is_said() {
	source_with_gaps gpt uefi linux
	destination=$(new_disk destination 38)
	run 3 clone -n -s "$source" -d "$destination" --table=fit
	says 'must become 8,192 sectors smaller'
	says '--shrink-via IMAGE'
	sha256sum destination.img >before
	run 3 clone -s "$source" -d "$destination" --shrink-via image --confirm another --log-dir logs
	says 'The confirmation is wrong'
	run 1 clone -s "$source" -d "$destination" --shrink-via image --confirm "$destination" --digest sha256
	says 'ask for only one of them'
	[ ! -e image ]
	sha256sum -c before
	# A tool that fails leaves the destination as it was.
	printf '#!/bin/sh\necho no luck; exit 8\n' >tool
	copy_by_that_tool resize2fs --shrink-via image
	ends 2
	says 'NOT DONE: partition 3 (ext4) is shrunk to'
	says 'no luck'
	says 'could not be shrunk in the image image. The destination is as it was'
	sha256sum -c before
	rm image
	echo '#!/bin/sh' >tool
	copy_by_that_tool resize2fs --shrink-via image
	ends 2
	says 'the tool ended well, but the file system has'
	says 'could not be shrunk in the image image. The destination is as it was'
	sha256sum -c before
	run 1 clone -s "$source" -d "$destination" --shrink-via image --confirm "$destination" --log-dir logs
	says 'the image image exists already'
	rm image
	run 0 clone -s "$source" -d "$destination" --shrink-via image --confirm "$destination" --log-dir logs
	[ ! -e image ]
	# Stopped on the way into the image, it goes on as is said.
	"$CLONEDECK" clone -s "$source" -d "$destination" --shrink-via image --confirm "$destination" \
		--log-dir logs3 --rate 4M >out 2>err &
	copy=$!
	wait_for grep -q 'copying.* MB of' out
	kill -INT "$copy"
	ends 6
	says "go on from it: clonedeck clone -s image -d $destination --shrink-via NEW-IMAGE"
	run 0 resume logs3/*.map --rate 0 --log-dir logs3 --confirm "$case_dir/image"
	run 0 clone -s image -d "$destination" --shrink-via image2 --confirm "$destination" --log-dir logs
	[ ! -e image2 ]
	grep -q 'after: sh: .*resize2fs' logs/*.log
	says 'after    partition 3 (ext4) is shrunk to'
	clean_gpt "$destination"
	run 3 clone -n -s "$source" -d "$(new_disk large 100 --sector-size 4096)" --table=fit
	says 'partition 1 (vfat), 2 (ext4), 3 (ext4) could not be read there'
	# The plan says it before it is asked.
	run 3 clone -n -s "$source" -d "$destination"
	says 'With --table=fit: Partition 3 (ext4'
	# One that is not in order is not cut.
	debugfs -w -R 'ssv state 0' "$source?offset=$((122880 * 512))"
	sync "$source"
	run 3 clone -n -s "$source" -d "$destination" --table=fit
	says 'partition 3 (ext4) is left as it is'
	debugfs -w -R 'ssv state 1' "$source?offset=$((122880 * 512))"
	sync "$source"
	# Boot code that may name a place.
	printf '\353\376 what is this' | dd of="$source" conv=notrunc,fsync status=none
	run 3 clone -n -s "$source" -d "$destination" --table=fit
	says 'boot code'
}

# what_is_printed_works FS [MKFS-OPTION]...: the command of the plan, typed as it is, makes a
# file system of 500 MiB fit a disk of 424 MiB. (Btrfs does not become smaller than 256 MiB.)
what_is_printed_works() {
	rm -rf image logs
	fallocate -l 520M source.img
	source=$(attach "$PWD/source.img")
	sfdisk -q --wipe always "$source" <<<'label: gpt
		start=2048, size=500MiB, type=linux'
	know_partitions "$source" 1
	"mkfs.$1" "${@:2}" "${source}p1"
	sync "${source}p1"
	destination=$(new_disk "to_$1" 424)
	run 3 clone -n -s "$source" -d "$destination" --table=fit
	sed -n '/not on the source.*:$/{n;p}' err | sed 's/IMAGE/image/g' >commands
	# shellcheck disable=SC2046 # several words
	run 0 $(sed 's/^ *clonedeck //' commands) --confirm "$destination" --log-dir logs
	[ ! -e image ]
	clean_gpt "$destination"
	know_partitions "$destination" 1
	[ "$(blkid -p -s UUID -o value "${source}p1")" = "$(blkid -p -s UUID -o value "${destination}p1")" ]
	detach "$source"
}

printed_commands_shrink() {
	what_is_printed_works ext4 -q -F
	e2fsck -fn "${destination}p1"
	what_is_printed_works ntfs -q -f
	ntfsresize -i -f "${destination}p1"
	what_is_printed_works btrfs -q -f
	btrfs check --readonly "${destination}p1"
}

# It is never smaller than 256 MiB, however little is used.
no_command_is_printed_that_btrfs_refuses() {
	fallocate -l 320M source.img
	source=$(attach "$PWD/source.img")
	sfdisk -q --wipe always "$source" <<<'label: gpt
		start=2048, size=300MiB, type=linux'
	know_partitions "$source" 1
	mkfs.btrfs -q -f "${source}p1"
	sync "${source}p1"
	destination=$(new_disk small 200)
	run 3 clone -n -s "$source" -d "$destination" --table=fit
	says 'No file system from there on can be shrunk by so much'
}

a_DOS_table_fits_both() {
	source_dos
	destination=$(new_disk destination 100)
	clone 0 "$source" "$destination" --grow=last --verify=compare
	clean "$destination"
	contents_same destination.img
	[ "$(part "$destination" 2)" = "20480 $((204800 - 20480))" ]
	destination=$(new_disk smaller 36)
	clone 0 "$source" "$destination" --table=fit
	clean "$destination"
	contents_same smaller.img
}

a_DOS_table_becomes_a_GPT() {
	fallocate -l 64M source.img
	source=$(attach "$PWD/source.img")
	sfdisk -q --wipe always "$source" <<<'label: dos
		start=2048, size=24MiB, type=83
		size=24MiB, type=ef'
	file_system 2048 24
	noise 24M | dd of="$source" bs=1M seek=25 iflag=fullblock conv=fsync status=none
	for options in 100,--grow=2 52,--lanes=2; do
		size=${options%,*}
		destination=$(new_disk "gpt$size" "$size")
		clone 0 "$source" "$destination" --table=gpt "${options#*,}"
		says 'as a GPT with other PARTUUIDs'
		clean_gpt "$destination"
		same source.img "$MIB" "gpt$size.img" "$MIB" $((48 * MIB))
		[ "$(sfdisk -d "$destination" | grep -oE 'type=[0-9A-F]{8}' | xargs)" = 'type=0FC63DAF type=C12A7328' ]
	done
	sfdisk -q --activate "$source" 1
	run 3 clone -n -s "$source" -d "$destination" --table=gpt
	says 'a BIOS starts from it'
	run 1 clone -n -s "$source" -d "$destination" --table=gpt --identities=new
	sfdisk -q --activate "$source" -
	printf 'GRUB' | dd of="$source" bs=1 seek=300 conv=notrunc,fsync status=none
	run 3 clone -n -s "$source" -d "$destination" --table=gpt
	says 'a BIOS starts from it'
}

sectors_of_4096_bytes_fit_as_well() {
	source=$(new_disk source 64 --sector-size 4096)
	sfdisk -q --wipe always "$source" <<<'label: gpt
		start=8MiB, size=24MiB'
	for size in 40 100; do
		destination=$(new_disk "destination$size" "$size" --sector-size 4096)
		clone 0 "$source" "$destination" --table=fit
		clean_gpt "$destination"
		same source.img $((8 * MIB)) "destination$size.img" $((8 * MIB)) $((24 * MIB))
	done
}

# kill_in_the_middle DESTINATION OPTION...: a used disk, on which nothing is recognised; kills a copy to it when
# some of that is in copy.map.
kill_in_the_middle() {
	noise 100M | dd of="$1" bs=1M iflag=fullblock conv=fsync status=none
	blockdev --flushbufs "$1"
	"$CLONEDECK" clone -s "$source" -d "$1" --confirm "$1" "${@:2}" \
		--log-dir logs2 --map copy.map --map-interval 1 >out 2>err &
	copy=$!
	wait_for grep -q '^0x.*+' copy.map
	kill -KILL "$copy"
	ends 137
}

# there_and_back LABEL: to sectors of 4096 bytes, where the last partition grows, and back.
there_and_back() {
	source=$(new_disk source 64)
	sfdisk -q --wipe always "$source" <<-TABLE
		label: $1
		start=2048, size=8MiB, type=swap
		start=20480, size=24MiB, type=linux
	TABLE
	know_partitions "$source" 2
	mkswap -q "${source}p1"
	mkfs.ext4 -q -F -b 4096 -d /etc/alternatives "${source}p2"
	sync "$source"
	large=$(new_disk large 100 --sector-size 4096)
	run 3 clone -n -s "$source" -d "$large"
	says '--table=fit (in the deck: t) makes it anew'
	clone 0 "$source" "$large" --grow=last
	says 'no machine starts from this copy'
	clean "$large"
	[ "$(part "$large" 1)" = '256 2048' ]
	[ "$(part "$large" 2 | cut -d ' ' -f 1)" = 2560 ]
	same source.img "$MIB" large.img "$MIB" $((8 * MIB))
	same source.img $((10 * MIB)) large.img $((10 * MIB)) $((24 * MIB))
	know_partitions "$large" 2
	e2fsck -fn "${large}p2"
	back=$(new_disk back 64)
	clone 0 "$large" "$back" --table=fit
	clean "$back"
	[ "$(part "$back" 1)" = '2048 16384' ]
	[ "$(part "$back" 2 | cut -d ' ' -f 1)" = 20480 ]
	same source.img $((10 * MIB)) back.img $((10 * MIB)) $((24 * MIB))
	know_partitions "$back" 2
	e2fsck -fn "${back}p2"
}

a_GPT_fits_other_sectors() {
	there_and_back gpt
	clean_gpt "$large"
	clean_gpt "$back"
	diff <(sfdisk --dump "$source" | grep -o 'uuid=[^,]*\|^label-id.*') \
		<(sfdisk --dump "$back" | grep -o 'uuid=[^,]*\|^label-id.*')
	# The same table comes after a kill in between.
	kill_in_the_middle "$large" --table=fit --rate 20MB
	run 0 resume copy.map --rate 0 --confirm "$large" --log-dir logs3
	clean_gpt "$large"
	same source.img $((10 * MIB)) large.img $((10 * MIB)) $((24 * MIB))
}

a_DOS_table_fits_other_sectors() {
	there_and_back dos
	# The tools that come after the copy find its partitions, whatever its sectors are.
	clone 0 "$back" "$large" --grow=last --grow-fs --identities=new
	says 'found sound before and after'
	says 'new UUID of partition 2'
	clean "$large"
	know_partitions "$large" 2
	e2fsck -fn "${large}p2"
}

# nothing_else_changed LBA SECTORS: of the destination, since it was kept as before.img.
nothing_else_changed() {
	same before.img 0 destination.img 0 $(($1 * 512))
	same before.img $((($1 + $2) * 512)) destination.img $((($1 + $2) * 512)) $((64 * MIB - ($1 + $2) * 512))
}

# The copy is of partition 2, which is at LBA 18432 of the source, and another place there.
has_its_own_uuid() { # LBA
	[ "$(blkid -p -s TYPE -o value -O $(($1 * 512)) destination.img)" = ext4 ]
	[ "$(blkid -p -s UUID -o value -O $(($1 * 512)) destination.img)" != "$(blkid -p -s UUID -o value "${source}p2")" ]
}

new_identifiers_are_given_to_the_copy_alone() {
	source=$(new_disk source 40)
	destination=$(new_disk destination 64)
	partition_gpt "$source"
	# Another disk's table: its second partition lies elsewhere, and is none of the copy's.
	sfdisk -q --wipe always "$destination" <<-TABLE
		label: gpt
		start=2048, size=4MiB, type=linux
		start=90112, size=16MiB, type=linux
	TABLE
	know_partitions "$destination" 2
	mkfs.ext4 -q -F "${destination}p2"
	sync "${destination}p2"
	cp destination.img before.img
	clone 0 "$source" "$destination" -r @2 --identities=new
	nothing_else_changed 18432 32768
	has_its_own_uuid 18432
	cp destination.img before.img
	clone 0 "${source}p2" "$destination" --at 53248 --identities=new
	nothing_else_changed 53248 32768
	has_its_own_uuid 53248
	# Of a part of a partition, no tool could tell that it is one.
	clone 4 "$source" "$destination" -r 18432-40000 --identities=new
	says 'NOT DONE: new UUID of partition 2 (ext4). Only a part of it was copied'
	# On a larger disk, the backup GPT stays where the copy has it.
	cp destination.img before.img
	clone 0 "$source" "$destination" --identities=new --report last.json --map last.map
	nothing_else_changed 0 81920
	says 'sfdisk --relocate gpt-bak-std'
	run 5 verify last.json -d "$destination"
	says 'new identifiers or a larger file system after it was verified'
	# So would one be that was killed before it got all of them.
	run 3 resume last.map --confirm "$destination" --log-dir logs
	says 'There is nothing to resume'
	says 'copy again with clone'
	sfdisk --relocate gpt-bak-std "$destination"
	clean_gpt "$destination"
}

after_kill_9_the_same_table_comes() {
	source_gpt
	destination=$(new_disk destination 100)
	clone 0 "$source" "$destination" --grow=last
	same_table >before
	kill_in_the_middle "$destination" --grow=last --rate 30MB
	nothing_to_find "$destination"
	grep -q '^# clonedeck fitted=3,28672,49152,' copy.map
	# A checksum is of the source as it is; a map with both would be refused.
	run 1 clone -n -s "$source" -d "$destination" --grow=last --digest sha256
	says 'ask for only one of them'
	command -v ddrescuelog >/dev/null && ddrescuelog -t copy.map
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs3
	clean_gpt "$destination"
	contents_same destination.img
	same_table >after
	diff before after
}

# same_table: digests of all that the table of the destination is.
same_table() {
	digest destination.img 0 $((34 * 512))
	digest destination.img $((100 * MIB - 33 * 512)) $((33 * 512))
}

another_table_than_planned_is_not_copied() {
	source_gpt
	destination=$(new_disk destination 100)
	"$CLONEDECK" clone -s "$source" -d "$destination" --table=fit --confirm "$destination" \
		--log-dir logs --map copy.map --rate 30MB >out 2>err &
	copy=$!
	wait_for grep -q '^0x.*+' copy.map
	kill -TERM "$copy"
	ends 6
	sfdisk -q --part-label "$source" 2 other
	run 3 resume copy.map --confirm "$destination" --log-dir logs
	says 'has changed since the plan was made'
}

odd_ones_are_refused() {
	source_gpt
	destination=$(new_disk destination 100)
	large=$(new_disk large 100 --sector-size 4096)
	run 3 clone -n -s "$source" -d "$large" --table=fit
	says 'partition 1 (unknown), 2 (unknown), 3 (ext4) could not be read there, or it is not known'
	run 1 clone -n -s "$source" -d "$destination" --table=fit --ranges 0-2047
	says 'where all of a disk is copied'
	run 1 clone -n -s "$source" -d "$destination" --table=fit --digest sha256
	run 1 clone -n -s "$source" -d "$destination" --grow=first
	printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\010\0\0' |
		dd of="$source" bs=1 seek=$((446 + 16)) conv=notrunc,fsync status=none
	run 3 clone -n -s "$source" -d "$destination" --table=fit
	says 'hybrid MBR'
}

# Such tables are shown as far as they can be, and said to be so; a whole copy keeps them as they
# are, and none is made to fit. What each way is: hostile-table.py.
broken_tables_are_told_and_kept() {
	local here way shown fit large
	here=$(cd -- "$(dirname -- "$0")" && pwd -P)
	source_gpt
	detach "$source"
	large=$(new_disk large 100)
	truncate -s 64M empty.img table.img
	dd if=source.img of=table.img bs=512 count=2048 conv=notrunc status=none
	dd if=source.img of=table.img bs=512 skip=131039 seek=131039 conv=notrunc status=none
	while IFS='|' read -r way shown fit; do
		case $way in
		gpt*) cp --sparse=always table.img broken.img ;;
		dos*) cp --sparse=always empty.img broken.img ;;
		esac
		"$here/hostile-table.py" broken.img "$way"
		run 0 show broken.img
		says "$shown"
		run 0 clone -n -s broken.img -d "$large"
		says source-table-broken
		run 0 clone -n -s broken.img -d "$large" --used=only
		run 3 clone -n -s broken.img -d "$large" --table=fit --grow=last
		says "$fit"
	done <<-'WAYS'
		gpt-overlap|Partitions 2 and 3 overlap|overlaps something else
		gpt-beyond|Partition 3 does not lie within LBA|beyond the end
		gpt-backwards|Partition 3 reaches beyond the end|ends before it begins
		gpt-in-table|Partition 1 does not lie within LBA|overlaps something else
		gpt-backup|its backup at the end differ|say different things
		gpt-entries|its backup at the end is shown|entries of the GPT of
		gpt-count|its backup at the end is shown|is not understood
		gpt-hybrid|(a hybrid MBR)|(a hybrid MBR)
		dos-overlap|Partitions 1 and 2 overlap|overlaps something else
		dos-beyond|reaches beyond the end|beyond the end
		dos-zero|Partition 1 starts at LBA 0|overlaps something else
		dos-twice|There are 2 extended partitions|has an extended partition
		dos-loop|loops back to LBA 2048|has an extended partition
		dos-chain-beyond|leads beyond the end|has an extended partition
	WAYS
	# What two partitions share, or lies behind the end of one, is not taken for free.
	for way in gpt-overlap gpt-beyond gpt-cut; do
		cp source.img broken.img
		"$here/hostile-table.py" broken.img "$way"
		clone 0 broken.img "$large" --used=only
		cmp -n $((64 * MIB)) broken.img large.img
	done
	says "partition 3: it is larger than the partition or disk in which it lies"
}

# FAT, exFAT and NTFS say what their sectors are; an ext4 of 1 KiB blocks cannot be read, either.
no_table_fits_other_sectors() {
	local large before number
	source=$(new_disk source 48)
	sfdisk -q --wipe always "$source" <<-TABLE
		label: gpt
		start=2048, size=8MiB, type=uefi
		size=8MiB, type=linux
		size=8MiB, type=linux
		size=8MiB, type=linux
	TABLE
	know_partitions "$source" 4
	mkfs.vfat "${source}p1"
	mkfs.ntfs -q -F -Q "${source}p2"
	mkfs.ext4 -q -F "${source}p3"
	mkfs.exfat "${source}p4"
	sync "$source"
	large=$(new_disk large 64 --sector-size 4096)
	before=$(digest large.img)
	clone 3 "$source" "$large"
	says 'a copied partition table would be unreadable there'
	clone 3 "$source" "$large" --allow sector-size-differs
	says 'does not lift this'
	clone 3 "$source" "$large" --table=fit
	says 'partition 1 (vfat), 2 (ntfs), 3 (ext4), 4 (exfat) could not be read there'
	for number in 1 2; do
		clone 3 "${source}p$number" "$large"
		says 'FAT, NTFS and boot sectors do not work after such a copy'
	done
	[ "$(digest large.img)" = "$before" ]
	# An ext4 of such a size does; it is copied where that is asked for.
	clone 0 "${source}p3" "$large" --allow sector-size-differs
	e2fsck -fn "$large"
}

run_together 6 a_GPT_fits_a_larger_disk its_last_partition_grows \
	its_file_system_grows_too a_damaged_one_does_not_grow a_tool_that_cannot_start_grows_nothing a_tool_that_does_nothing_grows_nothing a_tool_that_takes_its_time_is_waited_for \
	a_Btrfs_grows_beside_its_source what_is_behind_a_partition_makes_way \
	partitions_are_arranged a_GPT_fits_a_smaller_disk \
	partitions_move_together_and_are_cut so_they_do_after_kill_9 what_is_too_large_is_said \
	printed_commands_shrink no_command_is_printed_that_btrfs_refuses \
	a_DOS_table_fits_both a_DOS_table_becomes_a_GPT sectors_of_4096_bytes_fit_as_well \
	a_GPT_fits_other_sectors a_DOS_table_fits_other_sectors \
	new_identifiers_are_given_to_the_copy_alone \
	after_kill_9_the_same_table_comes another_table_than_planned_is_not_copied \
	odd_ones_are_refused broken_tables_are_told_and_kept no_table_fits_other_sectors
