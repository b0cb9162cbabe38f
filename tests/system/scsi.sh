#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Real sg nodes: the cases below run inside a user-mode kernel, on scsi_debug
# disks with serial numbers that come and go as hot-plugged ones do.
. "$(dirname -- "$0")/scsi-lib.sh"
[ "${1:-}" = inside ] || enter_uml -M 768 -t 1100 \
	-m scsi_debug,dev_size_mb=12,add_host=3,per_host_store=1
. "$(dirname -- "$0")/lib.sh"
without_smartctl

# Sets source, destination and the spare disk, and the token.
three_disks() {
	fill_disks
	source=${disks[0]} destination=${disks[1]} spare=${disks[2]}
	token=$(token_of "$destination")
}

list_knows_sg_bsg_hctl_and_serial() {
	three_disks
	run 0 list
	says "$(basename "$(sg_of "$source")")"
	says "$(hctl_of "$source")"
	run 0 list --json
	jq -e --arg node "$source" --arg sg "$(sg_of "$source")" --arg serial "$(serial_of "$source")" \
		--arg hctl "$(hctl_of "$source")" \
		'.disks[] | select(.node == $node) | .sg == $sg and .serial == $serial and
		.hctl == $hctl and .bsg == "/dev/bsg/" + $hctl and .size == 12582912' out
}

a_clone_named_by_sg_nodes() {
	three_disks
	before=$(digest "$spare")
	run 0 clone -s "$(sg_of "$source")" -d "$(sg_of "$destination")" --confirm "$token" --log-dir logs
	cmp "$source" "$destination"
	[ "$(digest "$spare")" = "$before" ]
}

a_clone_named_by_serial_onto_the_right_disk() {
	three_disks
	before=$(digest "$spare")
	run 0 clone -s "serial=$(serial_of "$source")" -d "serial=$(serial_of "$destination")" \
		--confirm "$token" --log-dir logs
	cmp "$source" "$destination"
	[ "$(digest "$spare")" = "$before" ]
}

the_token_is_the_end_of_the_serial_and_nothing_else() {
	three_disks
	before=$(digest "$destination")
	run 3 clone -s "$source" -d "$destination" --confirm "$destination" --log-dir logs
	[ "$(token_of "$spare")" != "$token" ]
	run 3 clone -s "$source" -d "$destination" --confirm "$(token_of "$spare")" --log-dir logs
	[ "$(digest "$destination")" = "$before" ]
}

the_same_disk_by_sg_node_is_refused() {
	three_disks
	before=$(digest "$destination")
	run 3 clone -s "$destination" -d "$(sg_of "$destination")" --confirm "$token" --log-dir logs
	[ "$(digest "$destination")" = "$before" ]
}

a_read_only_disk_is_refused() {
	three_disks
	before=$(digest "$destination")
	blockdev --setro "$destination"
	run 3 clone -s "$source" -d "$destination" --confirm "$token" --log-dir logs
	blockdev --setrw "$destination"
	[ "$(digest "$destination")" = "$before" ]
}

a_member_of_device_mapper_is_refused() {
	modprobe -d /run/lab dm-mod
	three_disks
	before=$(digest "$destination")
	dmsetup create held --table "0 1000 linear $destination 0"
	undone_by 'dmsetup_remove' held
	run 3 clone -s "$source" -d "$destination" --confirm "$token" --log-dir logs
	says destination-held
	dmsetup_remove held
	[ "$(digest "$destination")" = "$before" ]
}

# As an open LUKS or LVM partition is: who has to let go is said by name, and only that place is held.
a_mapping_on_a_partition_is_named() {
	modprobe -d /run/lab dm-mod
	three_disks
	sfdisk -q "$destination" <<-TABLE
		start=2048, size=8192
		start=10240, size=8192
	TABLE
	know_partitions "$destination" 2
	before=$(digest "$destination")
	dmsetup create secret --table "0 1000 linear ${destination}1 0"
	undone_by dmsetup_remove secret
	run 3 clone -s "$source" -d "$destination" --confirm "$token" --log-dir logs
	says "${destination}1: secret"
	run 3 clone -s "$source" -d "${destination}1" -r 0+100 --confirm "$token" --log-dir logs
	says "${destination}1: secret"
	[ "$(digest "$destination")" = "$before" ]
	run 0 clone -s "$source" -d "${destination}2" -r 0+100 --at 0 --confirm "$token" --log-dir logs
	cmp -n $((100 * 512)) "$source" "${destination}2"
	run 0 clone -s "$destination" -d "$spare" --dry-run --log-dir logs
	says source-in-use
}

# The second one lies in pieces on two disks, as a volume that was enlarged.
a_volume_onto_a_volume() {
	modprobe -d /run/lab dm-mod
	three_disks
	dmsetup create one --table "0 16384 linear $source 2048"
	undone_by dmsetup_remove one
	dmsetup create two --table "0 8192 linear $destination 1024
		8192 10240 linear $spare 4096"
	undone_by dmsetup_remove two
	cp "$destination" destination.img
	cp "$spare" spare.img
	dd if="$source" of=destination.img bs=512 conv=notrunc status=none skip=2048 seek=1024 count=8192
	dd if="$source" of=spare.img bs=512 conv=notrunc status=none skip=10240 seek=4096 count=8192
	run 3 clone -s /dev/mapper/one -d /dev/mapper/two --confirm /dev/mapper/one --log-dir logs
	run 0 clone -s /dev/mapper/one -d /dev/mapper/two --confirm /dev/mapper/two --log-dir logs
	says COMPLETE
	cmp -n $((16384 * 512)) /dev/mapper/one /dev/mapper/two
	blockdev --flushbufs "$destination" "$spare"
	cmp "$destination" destination.img
	cmp "$spare" spare.img
}

# One that promises more than there is: no sector of it is bad, and more room is all it needs.
a_thin_volume_whose_pool_is_full() {
	modprobe -d /run/lab dm-thin-pool
	three_disks
	dmsetup create meta --table "0 4096 linear $spare 0"
	undone_by dmsetup_remove meta
	head -c 64K /dev/zero >/dev/mapper/meta
	dmsetup create pool --table "0 12288 thin-pool /dev/mapper/meta $destination 128 0 1 error_if_no_space"
	undone_by dmsetup_remove pool
	dmsetup message pool 0 'create_thin 0'
	dmsetup create thin --table "0 $(blockdev --getsz "$source") thin /dev/mapper/pool 0"
	undone_by dmsetup_remove thin
	udevadm settle
	token=$(readlink -f /dev/mapper/thin)
	run 7 clone -s "$source" -d /dev/mapper/thin --confirm "$token" --log-dir logs --map copy.map
	says 'thinly provisioned'
	[ "$(ddrescuelog --list-blocks=- copy.map | wc -l)" -eq 0 ]
	dmsetup suspend pool
	dmsetup reload pool --table \
		"0 24576 thin-pool /dev/mapper/meta $destination 128 0 1 error_if_no_space"
	dmsetup resume pool
	run 0 resume copy.map --confirm "$token" --log-dir logs
	says COMPLETE
	blockdev --flushbufs /dev/mapper/thin
	cmp "$source" /dev/mapper/thin
}

# As while LVM takes a snapshot of it: what is written waits, and nothing is lost.
a_destination_that_stands_still_for_a_while() {
	modprobe -d /run/lab dm-mod
	three_disks
	dmsetup create still --table "0 $(blockdev --getsz "$destination") linear $destination 0"
	undone_by dmsetup_remove still
	undone_by dmsetup_resume still
	udevadm settle
	"$CLONEDECK" clone -s "$source" -d /dev/mapper/still --confirm "$(readlink -f /dev/mapper/still)" \
		--log-dir logs --rate 2M >copy.out 2>copy.err &
	copy=$!
	wait_for has_arrived
	dmsetup suspend still
	sleep 3
	kill -0 "$copy"
	# Nor does a look at all disks wait for it.
	RUN_LIMIT=60 run 0 list --all
	says still
	dmsetup resume still
	ends 0
	blockdev --flushbufs "$destination"
	cmp "$source" "$destination"
}

has_arrived() { # the first MiB of a whole disk comes last
	blockdev --flushbufs "$destination"
	cmp -i "$MIB" -n $((2 * MIB)) "$source" "$destination"
}

dmsetup_resume() {
	dmsetup resume "$1"
}

# Mounts, and a volume that is made of the disk, count through the layers between.
what_stands_on_the_source_is_told() {
	modprobe -d /run/lab dm-mod
	three_disks
	sfdisk -q "$source" <<<'start=2048, size=8192'
	know_partitions "$source" 1
	dmsetup create lower --table "0 $(blockdev --getsz "$source") linear $source 0"
	undone_by dmsetup_remove lower
	run 3 clone -s "${source}1" -d /dev/mapper/lower -r 0+100 --at 8 --dry-run --log-dir logs
	says destination-on-source
	dmsetup create upper --table '0 16384 linear /dev/mapper/lower 2048'
	undone_by dmsetup_remove upper
	dmsetup create other --table '0 2048 linear /dev/mapper/lower 20480'
	undone_by dmsetup_remove other
	run 0 clone -s /dev/mapper/other -d /dev/mapper/upper --dry-run --log-dir logs
	says same-physical-disk
	mkfs.ext4 -q -F /dev/mapper/upper
	mount_at "$case_dir/mounted" /dev/mapper/upper
	run 3 clone -s "$source" -d "$destination" --dry-run --log-dir logs
	says source-mounted
	run 0 clone -s "$source" -d "$destination" --dry-run --log-dir logs --allow source-mounted
	mount -o remount,ro mounted
	run 0 clone -s "$source" -d "$destination" --dry-run --log-dir logs
	says source-in-use
	run 3 clone -s "$source" -d mounted/new.img -r 0+100 --dry-run --log-dir logs
	says image-on-source-disk
}

# As is advised where the source cannot be unmounted.
a_snapshot_of_a_mounted_source_is_copied() {
	modprobe -d /run/lab dm-mod
	modprobe -d /run/lab dm-snapshot
	three_disks
	mkfs.ext4 -q -F "$source" 4M
	dmsetup create origin --table "0 8192 snapshot-origin $source"
	undone_by dmsetup_remove origin
	mount_at "$case_dir/mounted" /dev/mapper/origin
	echo kept >mounted/file
	head -c 4096 /dev/zero >"$spare"
	# This freezes the file system. Only an origin that goes on behind its snapshot knows how large
	# a piece that keeps: of a longer write it would keep the first one alone.
	dmsetup suspend origin
	dmsetup create kept --table "0 8192 snapshot $source $spare P 8"
	dmsetup resume origin
	undone_by dmsetup_remove kept
	run 3 clone -s /dev/mapper/origin -d "$destination" --dry-run --log-dir logs
	says source-mounted
	run 0 clone -s /dev/mapper/kept -d "$destination" --confirm "$token" --log-dir logs
	says COMPLETE
	echo changed >mounted/file
	sync -f mounted
	umount mounted
	e2fsck -fn "$destination"
	mount_at "$case_dir/copy" -o ro "$destination"
	grep -q kept copy/file
}

dmsetup_remove() {
	dmsetup remove --retry "$1"
}

# The destination below device mapper, where one sector is not what the others are: as these lines
# of its table say, and nobody is told.
liar() { # LBA SECTORS TARGET
	local size
	size=$(blockdev --getsz "$destination")
	dmsetup create liar --table "0 $1 linear $destination 0
		$1 $2 $3
		$(($1 + $2)) $((size - $1 - $2)) linear $destination $(($1 + $2))"
	undone_by dmsetup_remove liar
	udevadm settle
}

# Below the block device, so that neither the program nor its backends can have a part in it.
a_disk_that_lies_is_named() {
	local kind lba=15000 target
	modprobe -d /run/lab -a dm-mod dm-flakey
	for kind in lost misplaced; do
		three_disks
		case $kind in
		lost) target="flakey $destination $lba 0 1 1 drop_writes" ;;
		misplaced) target="linear $destination $((lba + 1))" ;; # on its neighbour's place
		esac
		liar "$lba" 1 "$target"
		run 5 clone -s "$source" -d /dev/mapper/liar --log-dir "$kind" \
			--confirm "$(readlink -f /dev/mapper/liar)"
		says MISMATCH
		jq -e --argjson lba "$lba" '.exit_code == 5 and .verify.mismatch_bytes == 512 and
			(.verify.mismatches[0].lba - $lba | . == 0 or . == 1)' "$kind"/*.json
		run 5 verify -s "$source" -d /dev/mapper/liar
		says '+1 -> LBA 1500'
		dmsetup_remove liar
	done
}

a_read_error_stops_with_its_lba_and_the_map_goes_on() {
	three_disks
	# The debug disk calls 10 sectors from 4660 on unreadable while this bit is set.
	undone_by debug_disks_do 0
	debug_disks_do 2
	run 6 clone -s "$source" -d "$destination" --confirm "$token" --log-dir logs --map copy.map \
		--on-error stop
	says 4660
	debug_disks_do 0
	run 0 resume copy.map --confirm "$token" --log-dir logs
	cmp "$source" "$destination"
}

a_rescue_leaves_out_exactly_the_bad_sectors() {
	three_disks
	undone_by debug_disks_do 0
	debug_disks_do 2
	run 4 clone -s "$source" -d "$destination" --confirm "$token" --log-dir logs \
		--map copy.map --report report.json --chunk 64K
	debug_disks_do 0
	grep -q '"lba": 4660' report.json
	cp "$source" expected.img
	dd if=/dev/zero of=expected.img bs=512 seek=4660 count=10 conv=notrunc status=none
	cmp expected.img "$destination"
	# They are readable again: a retry brings them.
	run 0 resume copy.map --retry-passes 1 --confirm "$token" --log-dir logs
	cmp "$source" "$destination"
}

debug_disks_do() { # BITS
	echo "$1" >/sys/bus/pseudo/drivers/scsi_debug/opts
}

a_disk_that_is_unplugged_stops_the_copy() {
	three_disks
	before=$(digest "$spare")
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$token" --log-dir logs \
		--rate 2M --on-vanish stop >out 2>err &
	copy=$!
	# The first MiB of a whole disk comes last.
	wait_for cmp -i "$MIB" -n $((3 * MIB)) "$source" "$destination"
	hctl=$(hctl_of "$destination")
	echo 1 >"/sys/block/${destination##*/}/device/delete"
	ends 7
	says "${destination##*/}"
	# No file grew where the node was.
	[ ! -f "$destination" ]
	[ "$(digest "$spare")" = "$before" ]
	run 0 list --json
	jq -e --arg hctl "$hctl" 'all(.disks[]; .hctl != $hctl)' out
	echo '- - -' >"/sys/class/scsi_host/host${hctl%%:*}/scan"
	wait_for test -b "$destination"
	udevadm settle
	run 0 list --json
	jq -e --arg hctl "$hctl" 'any(.disks[]; .hctl == $hctl)' out
}

run_cases list_knows_sg_bsg_hctl_and_serial a_clone_named_by_sg_nodes \
	a_clone_named_by_serial_onto_the_right_disk the_token_is_the_end_of_the_serial_and_nothing_else \
	the_same_disk_by_sg_node_is_refused a_read_only_disk_is_refused \
	a_member_of_device_mapper_is_refused a_mapping_on_a_partition_is_named a_volume_onto_a_volume \
	a_thin_volume_whose_pool_is_full a_destination_that_stands_still_for_a_while \
	what_stands_on_the_source_is_told a_snapshot_of_a_mounted_source_is_copied \
	a_disk_that_lies_is_named \
	a_read_error_stops_with_its_lba_and_the_map_goes_on \
	a_rescue_leaves_out_exactly_the_bad_sectors \
	a_disk_that_is_unplugged_stops_the_copy
