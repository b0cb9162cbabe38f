#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# All the trouble that disks can make under a copy by SCSI commands: errors and sense data,
# resets, disks that go or change, reservations by another host. The cases run inside one
# user-mode kernel and load the disks that they need.
. "$(dirname -- "$0")/scsi-lib.sh"
[ "${1:-}" = inside ] || enter_uml -M 768 -t 3400
. "$(dirname -- "$0")/lib.sh"
. "$(dirname -- "$0")/scsi-sg-lib.sh"
without_smartctl

# ---- sense data ----

a_medium_error_by_its_lba() {
	disks
	# Ten blocks from 4660 (0x1234) on cannot be read.
	trouble 2
	through sg sg '6|7' --map copy.map --on-error stop
	says 'LBA 4660'
	says 'medium error: unrecovered read error (3/11/00)'
	trouble 0
	run 0 resume copy.map --confirm "$token" --log-dir logs
	same_disks
}

bad_areas_are_exact_and_zero() {
	disks
	cp "$source" expected.img
	dd if=/dev/zero of=expected.img bs=512 seek=4660 count=10 conv=notrunc status=none
	trouble 2
	through sg sg 4 --on-error map --retries 0 --chunk 64K
	trouble 0
	blockdev --flushbufs "$destination"
	cmp "$destination" expected.img
	reported '.bad_areas | length == 1 and .[0].lba == 4660 and .[0].sectors == 10
		and .[0].sense.text == "medium error: unrecovered read error (3/11/00)"'
}

recovered_errors_are_data_and_counted() {
	disks
	trouble 8 5
	through sg sg 0
	trouble 0
	same_disks
	reported '.engine | .source_sg.recovered + .destination_sg.recovered > 0'
	reported '[.events[] | select(.text | contains("recovered error"))] | length > 0'
}

aborted_commands_are_sent_again() {
	disks
	trouble 16 5
	through sg sg 0
	trouble 0
	same_disks
	reported '.engine | .source_sg.retried + .destination_sg.retried > 0'
}

short_transfers_are_completed() {
	disks
	trouble 256 5
	through sg sg 0
	trouble 0
	same_disks
}

a_full_queue_is_waited_for() {
	disks
	trouble 1024 7
	through sg sg 0
	trouble 0
	same_disks
	# And a busy adapter.
	trouble 32768 7
	through sg sg 0
	trouble 0
	same_disks
}

# ---- disks that change under a copy ----

# SCSI commands go past the page cache, which still has what was there before.
second_mib_begins() {
	blockdev --flushbufs "$destination"
	cmp -i "$MIB" -n 65536 "$source" "$destination"
}

start_slowly() { # BACKEND OPTION...
	"$CLONEDECK" clone -s "$source" -d "$destination" \
		--source-backend "$1" --destination-backend "$1" \
		--confirm "$token" --log-dir logs --map copy.map --rate 1M "${@:2}" >out 2>err &
	copy=$!
	# The first MiB of a whole disk comes last. The rest takes long enough for any machine.
	wait_for second_mib_begins
}

# The disk answers the next command with the news of it, and only that one.
a_reset_on_the_way_is_not_survived_in_silence() {
	disks
	start_slowly sg --chunk 64K
	sg_reset --device "$(sg_of "$destination")"
	ends 7
	says 'was reset or lost power'
	# Nothing was flushed before it, so nothing is called finished.
	ddrescuelog -t copy.map
	[ "$(ddrescuelog --list-blocks=+ copy.map | wc -l)" -eq 0 ]
	run 0 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	same_disks
}

# The only news of it comes with the next command, which is mostly a read of the source.
a_reset_between_two_partitions_of_a_disk() {
	disks
	without_sg
	sfdisk -q "$destination" <<<$'start=2048, size=6144\nstart=8192, size=6144'
	know_partitions "$destination" 2
	source=${destination}1 destination=${destination}2
	start_slowly sg --chunk 64K --no-verify --rate 128K
	sg_reset --device "$destination"
	# Whichever of them is told.
	ends '6|7'
	says 'was reset or lost power'
	reported '.flushed == false'
}

# The block layer keeps it to itself, but the kernel sends an event.
a_reset_that_no_request_is_told_of() {
	disks
	start_slowly threads --chunk 64K --no-verify
	sg_reset --device "$destination"
	ends 7
	says 'was reset or lost power'
	run 0 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	same_disks
}

a_disk_that_is_unplugged_stops_the_copy() {
	disks
	start_slowly sg --on-vanish stop
	hctl=$(hctl_of "$destination")
	# The next case loads all disks anew.
	: >"$work/loaded"
	echo 1 >"/sys/block/${destination##*/}/device/delete"
	ends 7
	says "${destination##*/}"
	[ ! -f "$destination" ]
	ddrescuelog -t copy.map
	[ "$(digest "$spare" 0 $((SIZE * MIB)))" = "$untouched" ]
	echo '- - -' >"/sys/class/scsi_host/host${hctl%%:*}/scan"
	wait_for test -b "$destination"
	udevadm settle
	run 0 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	same_disks
}

delete_disk() { # NODE
	echo 1 >"/sys/block/${1##*/}/device/delete"
	: >"$work/loaded"
}

find_again() { # ADDRESS NODE
	echo '- - -' >"/sys/class/scsi_host/host${1%%:*}/scan"
	wait_for test -b "$2"
	udevadm settle
}

# The name is free only when nobody has the disk open any more that had it: until then it gets
# another, and is taken off again.
comes_as() { # ADDRESS NODE
	local disk=/sys/class/scsi_device/$1/device
	[ -d "$disk" ] || echo '- - -' >"/sys/class/scsi_host/host${1%%:*}/scan"
	[ -d "$disk/block" ] || return 1
	[ -e "$disk/block/${2##*/}" ] || echo 1 >"$disk/delete"
	[ -b "$2" ] && [ -e "$disk/block/${2##*/}" ]
}

begin_slowly() {
	rm -f copy.map
	head -c $((SIZE * MIB)) /dev/urandom >"$destination"
	sync "$destination"
	"$CLONEDECK" clone -s "$source" -d "$destination" --source-backend sg --destination-backend sg \
		--allow same-wwn --confirm "$destination" --log-dir logs --map copy.map --rate 2M \
		>out 2>err &
	copy=$!
	wait_for second_mib_begins
}

# As two disks in one enclosure that tells its own number: nothing else tells them apart.
disks_that_say_the_same_of_themselves() {
	local from to
	disks vpd_use_hostno=0
	from=$(hctl_of "$source")
	to=$(hctl_of "$destination")
	begin_slowly
	kill -INT "$copy"
	ends 6
	# None of them was detached since.
	run 0 resume copy.map --rate 0 --allow same-wwn --confirm "$destination" --log-dir logs
	same_disks
	delete_disk "$spare"
	# One was, while the other stayed.
	begin_slowly
	delete_disk "$destination"
	wait_for grep -q 'is gone' err
	find_again "$to" "$destination"
	ends 0
	blockdev --flushbufs "$source" "$destination"
	cmp "$source" "$destination"
	# Both were: the copy could go on in the wrong direction.
	begin_slowly
	kill -INT "$copy"
	ends 6
	delete_disk "$source"
	delete_disk "$destination"
	wait_for comes_as "$to" /dev/sda
	wait_for comes_as "$from" /dev/sdb
	udevadm settle
	run 3 resume copy.map --rate 0 --allow same-wwn --confirm "$destination" --log-dir logs
	says 'nothing tells the source from the destination'
}

# The switch of the control mode page, thrown while it is written to.
a_disk_that_becomes_write_protected() {
	disks
	start_slowly sg --chunk 64K
	undone_by unprotect "$destination"
	protect "$destination" 08
	ends 7
	unprotect "$destination"
	says '(7/27/02)'
	ddrescuelog -t copy.map
	run 0 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	same_disks
}

protect() { # NODE 08, or 00
	# MODE SELECT of the control mode page, behind an empty header.
	printf '%b' '\0\0\0\0\0\0\0\0' "\x0a\x0a\x02\0\x$2\0\0\0\0\0\x02\x4b" |
		sg_raw --send=20 "$(sg_of "$1")" 55 10 00 00 00 00 00 00 14 00
}

unprotect() { # NODE
	protect "$1" 00
	echo 1 >"/sys/block/${1##*/}/device/rescan"
}

# ---- other hosts, and drivers short of memory ----

# Two ways to one disk, as two hosts have; sets first and second.
two_ways() {
	local core=/sys/kernel/config/target/core/rd_mcp_0/shared way lun
	modprobe -d /run/lab configfs
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	modprobe -d /run/lab target_core_mod
	# It answers a registration with an error where it cannot keep it.
	if [ ! -d /sys/module/tcm_loop ]; then
		mkdir -p "$work/pr"
		echo "$work" >/sys/kernel/config/target/dbroot
	fi
	modprobe -d /run/lab tcm_loop
	undone_by no_ways ''
	mkdir -p "$core"
	echo rd_pages=$((SIZE * 256)) >"$core/control"
	echo 1 >"$core/enable"
	echo SHARED-0001 >"$core/wwn/vpd_unit_serial"
	for way in 1 2; do
		lun=/sys/kernel/config/target/loopback/naa.600140500000000$way/tpgt_1/lun/lun_0
		mkdir -p "${lun%/lun/lun_0}"
		echo "naa.600140511111111$way" >"${lun%/lun/lun_0}/nexus"
		mkdir -p "$lun"
		ln -s "$core" "$lun/port"
	done
	wait_for both_ways
	udevadm settle
}

both_ways() {
	local disk found=()
	for disk in /sys/block/sd?; do
		! grep -q LIO "$disk/device/vendor" || found+=("/dev/${disk##*/}")
	done
	[ "${#found[@]}" -eq 2 ] && first=${found[0]} && second=${found[1]}
}

no_ways() {
	local root=/sys/kernel/config/target way
	for way in "$root"/loopback/naa.*; do
		rm -f "$way/tpgt_1/lun/lun_0/port"
		rmdir "$way/tpgt_1/lun/lun_0" "$way/tpgt_1" "$way"
	done
	rmdir "$root/core/rd_mcp_0/shared" "$root/core/rd_mcp_0"
	wait_for three_nodes
}

reserve() { # TYPE: 1 others may read, 3 they may not; 0 no more
	[ "$reserved" = 0 ] || sg_persist -n --out --release --param-rk=abc --prout-type="$reserved" "$first"
	[ "$1" = 0 ] || sg_persist -n --out --reserve --param-rk=abc --prout-type="$1" "$first"
	reserved=$1
}

a_disk_that_another_host_has_reserved() {
	disks
	two_ways
	head -c $((SIZE * MIB)) /dev/urandom >image.img
	# Its first answer is that it has just been switched on.
	sg_turs "$first" || sg_turs "$first"
	sg_persist -n --out --register --param-sark=abc "$first"
	reserved=0
	reserve 1
	run 7 clone -s image.img -d "$second" --destination-backend sg --confirm "$second" \
		--log-dir logs --map copy.map
	says 'reserved by another host'
	[ "$(ddrescuelog --list-blocks=+ copy.map | wc -l)" -eq 0 ]
	reserve 0
	run 0 clone -s image.img -d "$second" --destination-backend sg --confirm "$second" --log-dir logs
	blockdev --flushbufs "$first" "$second"
	cmp image.img "$first"
	reserve 3
	run 2 clone -s "$second" -d new.img --source-backend sg --confirm new.img --log-dir logs
	says 'reserved by another host'
	[ ! -e new.img ]
	# On the way: nothing of it is taken for bad sectors.
	reserve 0
	"$CLONEDECK" clone -s "$second" -d new.img --source-backend sg --confirm new.img \
		--log-dir logs --map away.map --rate 2M --chunk 64K >out 2>err &
	copy=$!
	wait_for test -s new.img
	reserve 3
	ends 6
	says 'reserved by another host'
	reserved_in_map=$(ddrescuelog --list-blocks=- away.map | wc -l)
	[ "$reserved_in_map" -eq 0 ]
	reserve 0
	# With both ways there a map cannot tell which one it is of.
	echo 1 >"/sys/block/${first##*/}/device/delete"
	run 0 resume away.map --rate 0 --confirm "$PWD/new.img" --log-dir logs
	cmp image.img new.img
}

# Of memory in pages, this adapter takes 256: more than a MiB in one command is never had.
a_driver_that_has_no_memory_for_a_chunk() {
	disks
	two_ways
	head -c $((SIZE * MIB)) /dev/urandom >image.img
	pieces 4096
	undone_by pieces 32768
	RUN_LIMIT=100 run 0 clone -s image.img -d "$second" --destination-backend sg --sg-io indirect \
		--chunk 4M --confirm "$second" --log-dir logs
	blockdev --flushbufs "$first" "$second"
	cmp image.img "$first"
	reported '.engine | .chunk == 4194304 and .destination_sg.indirect >= 2 * '"$SIZE"
}

pieces() { # BYTES
	echo "$1" >/sys/module/sg/parameters/scatter_elem_sz
}

run_cases a_medium_error_by_its_lba bad_areas_are_exact_and_zero \
	recovered_errors_are_data_and_counted aborted_commands_are_sent_again \
	short_transfers_are_completed a_full_queue_is_waited_for \
	a_reset_on_the_way_is_not_survived_in_silence a_reset_between_two_partitions_of_a_disk \
	a_reset_that_no_request_is_told_of \
	a_disk_that_another_host_has_reserved \
	a_driver_that_has_no_memory_for_a_chunk a_disk_that_becomes_write_protected \
	a_disk_that_is_unplugged_stops_the_copy disks_that_say_the_same_of_themselves
