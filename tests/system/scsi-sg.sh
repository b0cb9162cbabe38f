#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies by SCSI commands through the sg driver: every pairing of ends, large blocks and
# addresses, the ways that data travels, and what is refused. The cases run inside one
# user-mode kernel and load the disks that they need.
. "$(dirname -- "$0")/scsi-lib.sh"
[ "${1:-}" = inside ] || enter_uml -M 768 -t 3400
. "$(dirname -- "$0")/lib.sh"
. "$(dirname -- "$0")/scsi-sg-lib.sh"
without_smartctl

# ---- ends ----

sg_to_sg() {
	disks
	# More than a descriptor takes is not asked for.
	through sg sg 0 --digest sha256 --queue-depth 64
	same_disks
	sha256sum -c logs/*.sha256
	reported '.engine | .source_depth == 16 and .destination_depth == 16'
	reported '.engine | .source_backend == "sg" and .destination_backend == "sg"
		and .source_sg.direct + .source_sg.indirect >= '"$SIZE"'
		and .destination_sg.direct + .destination_sg.indirect >= '"$SIZE"
}

sg_to_block_and_back() {
	disks
	through sg uring 0
	same_disks
	reported '.engine.source_sg != null and .engine.destination_sg == null'
	refill "$destination"
	through threads sg 0
	same_disks
	reported '.engine.source_sg == null and .engine.destination_sg != null'
}

an_image_onto_sg_and_sg_into_an_image() {
	disks
	head -c $((SIZE * MIB)) /dev/urandom >image.img
	run 0 clone -s image.img -d "$destination" --destination-backend sg --confirm "$token" \
		--log-dir logs
	blockdev --flushbufs "$destination"
	cmp image.img "$destination"
	run 0 clone -s "$destination" -d new.img --source-backend sg --confirm new.img --log-dir logs
	cmp image.img new.img
}

a_partition_and_nothing_around_it() {
	disks
	sfdisk -q "$source" <<<'start=2048, size=8192'
	sfdisk -q "$destination" <<<'start=4096, size=8192'
	know_partitions "$source" 1
	know_partitions "$destination" 1
	udevadm settle
	cp "$destination" expected.img
	dd if="$source" of=expected.img bs=512 skip=2048 seek=4096 count=8192 conv=notrunc status=none
	# Who looks at the disk itself is not shown what was there before.
	exec 9<"$destination"
	cmp "$destination" expected.img || true
	source=${source}1 destination=${destination}1
	through sg sg 0
	cmp "${destination%1}" expected.img
	exec 9<&-
}

ranges_to_another_place() {
	disks
	cp "$destination" expected.img
	dd if="$source" of=expected.img bs=512 skip=1001 seek=7 count=103 conv=notrunc status=none
	dd if="$source" of=expected.img bs=512 skip=3000 seek=2006 count=4096 conv=notrunc status=none
	through sg sg 0 -r 1001+103,3000+4096 --at 7
	blockdev --flushbufs "$destination"
	cmp "$destination" expected.img
}

blocks_of_4096_bytes() {
	disks sector_size=4096
	through sg sg 0
	same_disks
}

# Type 2 is only reached by commands of 32 bytes.
protected_blocks() {
	disks dif=2
	trouble 1
	through sg sg 0
	dmesg >messages
	trouble 0
	grep -q 'cmd 7f ' messages
	same_disks
	for type in 1 3; do
		disks dif="$type" physblk_exp=3
		through sg sg 0
		same_disks
	done
}

without_the_sg_driver_by_the_block_node() {
	disks
	without_sg
	through sg sg 0
	same_disks
	reported '.engine | .source_backend == "sg-block" and .destination_backend == "sg-block"
		and .source_sg.direct == null and .source_sg.retried == 0'
	# Of a partition the commands name the blocks of the disk.
	sfdisk -q "$source" <<<'start=2048, size=8192'
	know_partitions "$source" 1
	udevadm settle
	blockdev --flushbufs "$source"
	run 0 clone -s "${source}1" -d new.img --source-backend sg --confirm new.img --log-dir logs
	cmp new.img "${source}1"
	run 3 clone -s "$source" -d "$destination" --source-backend sg --sg-io mmap \
		--confirm "$token" --log-dir logs
	says 'modprobe sg'
	trouble 2
	through sg sg 4 --on-error map --retries 0 --chunk 64K
	trouble 0
	reported '.bad_areas | length == 1 and .[0].lba == 4660 and .[0].sectors == 10'
}

# Commands of 10 bytes end at 2^32 blocks. The disks wrap round over the little memory they have.
addresses_beyond_two_tib() {
	disks virtual_gb=3000
	far=4294967290
	trouble 1
	through sg sg 0 -r "$far+4096" --at "$far"
	dmesg >messages
	trouble 0
	# READ(16) and WRITE(16), as the disk itself received them.
	grep -q 'cmd 88 ' messages
	grep -q 'cmd 8a ' messages
	blockdev --flushbufs "$source"
	blockdev --flushbufs "$destination"
	same "$source" $((far * 512)) "$destination" $((far * 512)) $((4096 * 512))
	run 1 clone -s "$source" -d "$destination" --source-backend sg -r 6291456000+1 \
		--confirm "$token" --log-dir logs
}

# ---- how the data travels ----

direct_where_the_driver_may_and_told_where_it_may_not() {
	disks
	echo 0 >/sys/module/sg/parameters/allow_dio
	through sg sg 0 --dry-run
	says 'source sg, destination sg'
	says 'until it may do direct IO'
	# Where the plan refuses sg there is no driver to ask it of.
	run 3 clone -s "$source" -d new.img --destination-backend sg --dry-run --log-dir logs
	! grep 'until it may do direct IO' out || fail "the driver has no part in it"
	through sg sg 0
	same_disks
	says '/sys/module/sg/parameters/allow_dio'
	reported '.engine.source_sg | .direct == 0 and .indirect > 0'
	reported '[.events[] | select(.text | contains("allow_dio"))] | length == 2'
	through sg sg 0 --sg-io indirect
	reported '[.events[] | select(.text | contains("allow_dio"))] | length == 0'
	echo 1 >/sys/module/sg/parameters/allow_dio
	through sg sg 0
	echo 0 >/sys/module/sg/parameters/allow_dio
	same_disks
	reported '.engine | .source_sg.indirect == 0 and .destination_sg.indirect == 0
		and .source_sg.direct >= '"$SIZE"
	reported '[.events[] | select(.text | contains("allow_dio"))] | length == 0'
}

mapped_buffers_and_forced_writes() {
	disks
	through sg sg 0 --sg-io mmap --sg-fua --sg-dpo --queue-depth 64
	same_disks
	reported '.engine | .source_depth == 8 and .destination_depth == 8'
	reported '.engine | .source_sg.mapped >= '"$SIZE"' and .destination_sg.mapped >= '"$SIZE"'
		and .source_sg.direct + .source_sg.indirect == 0'
	refill "$destination"
	# Each command has a descriptor of its own, which the other end is waited for beside.
	through sg uring 0 --sg-io mmap --queue-depth 8 --chunk 128K
	same_disks
	# An option that would do nothing is a mistake.
	run 1 clone -s "$source" -d "$destination" --sg-fua --confirm "$token" --log-dir logs
	run 1 clone -s "$source" -d "$destination" --sg-io mmap --confirm "$token" --log-dir logs
	says '--sg-io needs sg'
	# Nor is one split that is too large for a mapped buffer.
	through sg sg 1 --sg-io mmap --chunk 8M
	# 512 or, of newer kernels, 1280.
	limit="$(<"/sys/block/${source##*/}/queue/max_sectors_kb") KiB"
	says "the limit is ${limit/#1280 KiB/1.25 MiB}"
}

# Disks that answer before the call returns: a command is one system call then.
a_driver_that_works_inside_the_call() {
	disks
	knob delay 0
	undone_by knob_ndelay "$NDELAY"
	through sg sg 0 --chunk 64K
	same_disks
	refill "$destination"
	through sg sg 0 --chunk 64K --sg-io mmap
	same_disks
	reported '.engine | .source_sg.mapped > 100 and .destination_sg.mapped > 100'
}

knob_ndelay() { # NANOSECONDS
	knob ndelay "$1"
}

# ---- what a disk tells ----

health_through_smartctl() {
	disks
	with_smartctl
	run 0 show "$source" --json
	jq -e '.health.temperature == 38 and .sg_driver.direct_io == false
		and (.sg_driver.version | startswith("3."))' out
	run 0 show "$source"
	says 'temperature 38 C'
	# Not while somebody writes to it, who would miss what it says.
	flock -x "$source" "$CLONEDECK" show "$source" >out
	says 'Another program has locked the disk.'
	through sg sg 0
	reported '[.source.health_before, .source.health_after, .destinations[0].health_after]
		| map(.temperature) == [38, 38, 38]'
	reported '.engine.source_sg.driver | startswith("3.")'
}

# ---- refusals ----

# sg asks nobody but who opened it so.
a_disk_whose_sg_node_another_program_has_to_itself() {
	disks
	python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_EXCL | os.O_NONBLOCK)
open("held", "w").close()
sys.stdin.read()' "$(sg_of "$destination")" < <(sleep 60) &
	wait_for test -e held
	before=$(digest "$destination")
	through sg sg 3
	says "fuser -v $(sg_of "$destination")"
	[ "$(digest "$destination")" = "$before" ]
}

a_write_protected_disk_is_refused() {
	disks wp=1
	before=$(digest "$destination")
	through sg sg 3
	blockdev --flushbufs "$destination"
	[ "$(digest "$destination")" = "$before" ]
}

a_disk_in_use_is_refused() {
	disks
	mkfs.ext4 -q -F "$destination"
	mount_at "$case_dir/mounted" -o ro "$destination"
	before=$(digest "$destination")
	through sg sg 3
	[ "$(digest "$destination")" = "$before" ]
}

what_is_no_scsi_disk_is_refused() {
	disks
	modprobe -d /run/lab loop
	# No direct IO: the file lies in memory.
	head -c $((SIZE * MIB)) /dev/urandom >loop.img
	loop=$(losetup --find --show loop.img)
	undone_by detach "$loop"
	before=$(digest "$loop")
	destination=$loop token=$loop
	through sg sg 3
	says 'has no sg node'
	[ "$(digest "$loop")" = "$before" ]
	head -c $((SIZE * MIB)) /dev/urandom >file.img
	run 3 clone -s file.img -d "$spare" --source-backend sg --confirm "$(token_of "$spare")" \
		--log-dir logs
	[ "$(digest "$spare" 0 $((SIZE * MIB)))" = "$untouched" ]
}

# The last disks that are made: they have no nodes to compare by.
a_disk_that_no_driver_takes_is_told_and_read() {
	modprobe -d /run/lab -r scsi_debug || true
	modprobe -d /run/lab scsi_debug "dev_size_mb=$SIZE" no_uld=1
	undone_by unload_debug ''
	udevadm settle
	node=/dev/$(ls /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/scsi_generic)
	run 0 list
	says "Disks without a block node: $node"
	run 0 list --json
	jq -e --arg node "$node" --argjson size "$((SIZE * MIB))" '.disks | length == 1 and
		(.[0] | .node == $node and .sg == $node and .size == $size
		and .logical_sector_size == 512 and .serial != null and .table == null)' out
	sg_dd if="$node" of=expected.img bs=512
	run 0 clone -s "$node" -d new.img --confirm new.img --log-dir logs
	says 'block-node'
	cmp expected.img new.img
	reported '.engine.source_backend == "sg"'
	run 3 clone -s new.img -d "$node" --confirm "$(token_of "$node")" --log-dir logs
	says 'it may be part of a RAID controller'
	run 3 clone -s "$node" -d other.img --source-backend uring --confirm other.img --log-dir logs
	says 'only SCSI commands reach it'
	[ ! -e other.img ]
}

# A kernel without support for zones leaves it to sg. It takes writes only in the order of its zones.
zones_that_the_host_manages_are_read_and_never_written() {
	modprobe -d /run/lab -r scsi_debug || true
	modprobe -d /run/lab scsi_debug "dev_size_mb=$SIZE" zbc=managed zone_size_mb=2
	undone_by unload_debug ''
	udevadm settle
	node=/dev/$(ls /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/scsi_generic)
	sg_dd if=/dev/urandom of="$node" bs=512 bpt=64 count=$((SIZE * 2048))
	sg_dd if="$node" of=expected.img bs=512
	run 0 list --json
	jq -e --arg node "$node" '.disks[] | select(.node == $node) | .zoned == "host-managed"' out
	run 0 show "$node"
	says 'host-managed: written only in order'
	trouble 1
	dmesg --clear
	run 0 clone -s "$node" -d new.img --confirm new.img --log-dir logs
	dmesg >messages
	trouble 0
	says 'source-host-managed'
	cmp expected.img new.img
	# READ(10) is not among what such a disk has to know.
	grep -q 'cmd 88 ' messages
	! grep 'cmd 28 ' messages || fail "READ(10)"
	run 3 clone -s new.img -d "$node" --confirm "$(token_of "$node")" --log-dir logs
	says 'destination-host-managed'
	sg_dd if="$node" of=after.img bs=512
	cmp expected.img after.img
}

take_driver() { # ADDRESS
	echo "$1" >/sys/bus/scsi/drivers/sd/unbind
	udevadm settle
}

give_driver() { # ADDRESS
	echo "$1" >/sys/bus/scsi/drivers/sd/bind
	udevadm settle
}

# Read by its sg node alone, interrupted and resumed; written to only with its driver, which the
# refusal says how to give back.
a_disk_whose_driver_was_taken_is_read_not_written() {
	disks
	local address node
	address=$(hctl_of "$source")
	node=$(sg_of "$source")
	before=$(token_of "$source")
	take_driver "$address"
	undone_by give_driver "$address"
	"$CLONEDECK" clone -s "$node" -d "$destination" --confirm "$token" --log-dir logs \
		--map copy.map --rate 2M >out 2>err &
	copy=$!
	wait_for test -s copy.map
	kill -INT "$copy"
	ends 6
	run 0 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	run 0 verify -s "$node" -d "$destination"
	run 3 clone -s "$destination" -d "$node" --confirm "$before" --log-dir logs
	says "echo $address > /sys/bus/scsi/drivers/sd/bind"
	give_driver "$address"
	wait_for test -b "$source"
	same_disks
	run 0 clone -s "$destination" -d "$node" --destination-backend sg --confirm "$before" \
		--log-dir logs
	same_disks
}

# scsi_debug does not know READ BUFFER.
what_a_transfer_costs_without_the_medium() {
	disks
	echo 0 >/sys/module/sg/parameters/allow_dio
	run 0 bench rbuf "$source" --size 1M --json
	jq -e '.result == "complete" and (.tables[0].title | contains("no READ BUFFER"))
		and any(.notes[]; contains("allow_dio"))
		and any(.figures[]; .column == "direct" and .path == "indirect")
		and any(.figures[]; .row == "4096" and .column == "mmap" and .path == "mmap")
		and any(.figures[]; .table == "derived" and .row == "worst" and .column == "none")' out
	echo 1 >/sys/module/sg/parameters/allow_dio
	run 0 bench rbuf "$source" --size 1M --json
	echo 0 >/sys/module/sg/parameters/allow_dio
	jq -e 'all(.figures[] | select(.column == "direct" and .table == "rbuf"); .path == "direct")' out
	run 0 bench rbuf "$source" --size 1M --request 8K --json
	jq -e '[.tables[0].rows[].key] == ["8192"]' out
	run 1 bench rbuf "$source" --request 1000
	says 'steps of 512'
}

# The last case: this disk stays.
what_a_disk_answers_to_READ_BUFFER() {
	local disk
	modprobe -d /run/lab -a uio target_core_mod target_core_user tcm_loop
	. "${0%/*}/../lab/tcmu-lib.sh"
	read_buffer_disk 65536
	echo 1 >/sys/module/sg/parameters/allow_dio
	run 0 bench rbuf "$disk" --size 256K --json
	jq -e '.result == "complete" and (.tables[0].title | startswith("READ BUFFER")) and .notes == []
		and [.figures[] | select(.row == "65536" and (.column | endswith("cpu") | not)) | .path] == ["none", "mmap", "direct", "indirect"]
		and any(.figures[]; .row == "4096" and .column == "direct" and .median > 0)' out
}

# Stopped when all small reads are done: it prints what it has.
every_engine_reads_by_sg_too() {
	disks
	"$CLONEDECK" bench engines "$source" --rounds 1 --json --log-dir logs >out 2>err &
	copy=$!
	wait_for told '64 KiB '
	kill -INT "$copy"
	ends 6
	jq -e 'all(("sg", "sg-mmap", "sg-indirect"); . as $way | any($figures[]; .row == "4096-" + $way
		and .column == "best_ops" and .median > 0))' --argjson figures "$(jq .figures out)" <<<null
}

# pulled NODE STATUS PROGRESS KIND [OPTION]...: that disk goes once its measurement has told that, and
# comes back.
pulled() {
	local disk=$1 status=$2 progress=$3 kind=$4 host
	shift 4
	host=$(readlink -f "/sys/block/${disk##*/}/device")
	host=${host%/target*} host=${host##*/}
	"$CLONEDECK" bench "$kind" "$source" "$@" --rounds 32 --json --log-dir logs >out 2>err &
	copy=$!
	wait_for told "$progress"
	echo 1 >"/sys/block/${disk##*/}/device/delete"
	ends "$status"
	jq -e --arg node "$disk" '.result == "failed" and .error.device == $node and
		(.error.sentence | length) > 0 and (.figures | length) > 0' out ||
		fail "$kind: $(jq -c '[.result, .error, .notes]' out)"
	# What copied to it makes no file where its node was.
	! find /dev -maxdepth 1 -type f -name 'sd*' | grep . || fail "$kind: a file"
	wait_for found_again "$host" "$disk"
}

found_again() { # HOST NODE
	echo '- - -' >"/sys/class/scsi_host/$1/scan"
	test -b "$2"
}

a_disk_that_is_pulled_while_it_is_measured() {
	local later='round \([2-9]\|[1-9][0-9]\) of'
	disks
	pulled "$source" 6 "$later" sizes --size 4K
	pulled "$source" 6 "$later" rbuf --size 1M
	pulled "$source" 6 'threads, depth \(8\|16\|32\)' engines
	export TMPDIR=$case_dir # the root of that kernel is write-protected
	pulled "$destination" 7 'beside a buffered' lethargy "$destination" --confirm "$token" --size 1M
	: >"$work/loaded"
}

# Which takes the flag of a loop device for direct requests, and then refuses each of them.
practice_disks_on_an_overlay_over_a_tmpfs() {
	modprobe -d /run/lab -a loop overlay
	mkdir low live
	mount_at live -t tmpfs tmpfs
	mkdir live/up live/work live/root
	mount_at live/root -t overlay -o "lowerdir=low,upperdir=live/up,workdir=live/work" overlay
	TMPDIR=$case_dir/live/root "$CLONEDECK" bench copy --size 1M --rounds 1 >out 2>err &
	copy=$!
	# The first way has copied.
	wait_for told 'trying \(dd, [81]\|one\|lanes\|io\|as\)'
	kill -INT "$copy"
	ends 6
}

unload_debug() {
	modprobe -d /run/lab -r scsi_debug || true
	: >"$work/loaded"
}

run_cases sg_to_sg sg_to_block_and_back an_image_onto_sg_and_sg_into_an_image \
	a_partition_and_nothing_around_it ranges_to_another_place \
	direct_where_the_driver_may_and_told_where_it_may_not mapped_buffers_and_forced_writes \
	a_driver_that_works_inside_the_call what_a_transfer_costs_without_the_medium \
	every_engine_reads_by_sg_too a_disk_that_is_pulled_while_it_is_measured \
	practice_disks_on_an_overlay_over_a_tmpfs \
	health_through_smartctl \
	a_disk_whose_driver_was_taken_is_read_not_written \
	a_disk_whose_sg_node_another_program_has_to_itself a_disk_in_use_is_refused \
	what_is_no_scsi_disk_is_refused blocks_of_4096_bytes addresses_beyond_two_tib protected_blocks \
	without_the_sg_driver_by_the_block_node a_write_protected_disk_is_refused \
	a_disk_that_no_driver_takes_is_told_and_read \
	zones_that_the_host_manages_are_read_and_never_written what_a_disk_answers_to_READ_BUFFER
