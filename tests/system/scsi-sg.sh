#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies by SCSI commands through the sg driver: every pairing of ends, large
# blocks and addresses, and all the trouble that scsi_debug disks can make. The
# cases run inside one user-mode kernel and load the disks that they need.
if [ "${1:-}" != inside ]; then
	here=$(cd -- "$(dirname -- "$0")" && pwd -P)
	LAB_VISIBLE=$(dirname -- "${CLONEDECK:?the program to test}") exec "$here/../lab/uml-run" \
		-M 768 -t 3400 "$here/scsi-sg.sh" inside
fi
. "$(dirname -- "$0")/lib.sh"
. "$(dirname -- "$0")/scsi-lib.sh"

SIZE=12 # MiB of each disk
NDELAY=100000 # what a command takes, in nanoseconds; the usual is a tick of the kernel

# disks OPTION...: scsi_debug with these options; sets source, destination and the spare, full of
# bytes of their own unless they are the write-protected ones.
disks() {
	local disk
	if [ "$(cat "$work/loaded" 2>/dev/null)" != "with $*" ]; then
		# udev may still look at disks that were written.
		[ ! -d /sys/module/scsi_debug ] || wait_for modprobe -d /run/lab -r scsi_debug
		modprobe -d /run/lab scsi_debug "dev_size_mb=$SIZE" add_host=3 per_host_store=1 \
			ndelay="$NDELAY" "$@"
		wait_for three_nodes
		udevadm settle
		echo "with $*" >"$work/loaded"
	fi
	trouble 0
	local nodes=(/dev/sd?)
	source=${nodes[0]} destination=${nodes[1]} spare=${nodes[2]}
	for disk in "$source" "$destination" "$spare"; do
		wipefs -qaf "$disk" 2>/dev/null || true
		refill "$disk" 2>/dev/null || true
	done
	token=$(token_of "$destination")
	untouched=$(digest "$spare" 0 $((SIZE * MIB)))
}

refill() { # NODE: with bytes of its own, past the page cache
	dd if=/dev/urandom of="$1" bs=1M count="$SIZE" iflag=fullblock oflag=direct status=none
	blockdev --flushbufs "$1"
}

knob() { # NAME VALUE
	echo "$2" >"/sys/bus/pseudo/drivers/scsi_debug/$1"
}

# trouble BITS [EVERY]: what the disks do wrong, to each so many-th command.
trouble() {
	knob every_nth "${2:-0}"
	knob opts "$1"
}

# through SOURCE-BACKEND DESTINATION-BACKEND STATUS [OPTION]...: from $source to $destination
through() {
	local from=$1 to=$2 status=$3
	shift 3
	run "$status" clone -s "$source" -d "$destination" --source-backend "$from" \
		--destination-backend "$to" --confirm "$token" --log-dir logs "$@"
}

# As the medium has it, not the page cache.
same_disks() {
	blockdev --flushbufs "$source"
	blockdev --flushbufs "$destination"
	cmp "$source" "$destination"
	[ "$(digest "$spare" 0 $((SIZE * MIB)))" = "$untouched" ]
}

# reported FILTER: true of the newest report
reported() {
	local newest
	# shellcheck disable=SC2012 # names of the program's own
	newest=$(ls -t logs/*.json | head -n 1)
	jq -e "$1" "$newest" >/dev/null || {
		jq . "$newest"
		fail "not in the report: $1"
	}
}

# ---- ends ----

sg_to_sg() {
	disks
	# More than a descriptor takes is not asked for.
	through sg sg 0 --digest sha256 --queue-depth 64
	same_disks
	sha256sum -c logs/*.sha256
	reported '.engine | .source_depth == 16 and .destination_depth == 16'
	reported '.engine | .source_backend == "sg" and .destination_backend == "sg"
		and .source_sg.direct + .source_sg.indirect >= 12
		and .destination_sg.direct + .destination_sg.indirect >= 12'
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
	wait_for test -b "${source}1"
	wait_for test -b "${destination}1"
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
	undone_by load_module sg
	modprobe -d /run/lab -r sg
	udevadm settle
	through sg sg 0
	same_disks
	reported '.engine | .source_backend == "sg-block" and .destination_backend == "sg-block"
		and .source_sg.direct == null and .source_sg.retried == 0'
	# Of a partition the commands name the blocks of the disk.
	sfdisk -q "$source" <<<'start=2048, size=8192'
	wait_for test -b "${source}1"
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

load_module() { # NAME
	modprobe -d /run/lab "$1"
	udevadm settle
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
		and .source_sg.direct >= 12'
	reported '[.events[] | select(.text | contains("allow_dio"))] | length == 0'
}

mapped_buffers_and_forced_writes() {
	disks
	through sg sg 0 --sg-io mmap --sg-fua --sg-dpo --queue-depth 64
	same_disks
	reported '.engine | .source_depth == 8 and .destination_depth == 8'
	reported '.engine | .source_sg.mapped >= 12 and .destination_sg.mapped >= 12
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
	says 'the limit is 512 KiB'
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

# ---- trouble ----

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

# SCSI commands go past the page cache, which still has what was there before.
second_mib_is_there() {
	blockdev --flushbufs "$destination"
	cmp -i "$MIB" -n "$MIB" "$source" "$destination"
}

start_slowly() { # OPTION...
	"$CLONEDECK" clone -s "$source" -d "$destination" --source-backend sg --destination-backend sg \
		--confirm "$token" --log-dir logs --map copy.map --rate 1M "$@" >out 2>err &
	copy=$!
	# The first MiB of a whole disk comes last. The rest takes long enough for any machine.
	wait_for second_mib_is_there
}

# The disk answers the next command with the news of it, and only that one.
a_reset_on_the_way_is_not_survived_in_silence() {
	disks
	start_slowly --chunk 64K
	sg_reset --device "$(sg_of "$destination")"
	ends 7
	says 'was reset or lost power'
	# Nothing was flushed before it, so nothing is called finished.
	ddrescuelog -t copy.map
	[ "$(ddrescuelog --list-blocks=+ copy.map | wc -l)" -eq 0 ]
	run 0 resume copy.map --rate 0 --confirm "$token" --log-dir logs
	same_disks
}

a_disk_that_is_unplugged_stops_the_copy() {
	disks
	start_slowly --on-vanish stop
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

begin_slowly() {
	rm -f copy.map
	head -c $((SIZE * MIB)) /dev/urandom >"$destination"
	sync "$destination"
	"$CLONEDECK" clone -s "$source" -d "$destination" --source-backend sg --destination-backend sg \
		--allow same-wwn --confirm "$destination" --log-dir logs --map copy.map --rate 2M \
		>out 2>err &
	copy=$!
	wait_for second_mib_is_there
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
	find_again "$to" /dev/sda
	find_again "$from" /dev/sdb
	run 3 resume copy.map --rate 0 --allow same-wwn --confirm "$destination" --log-dir logs
	says 'nothing tells the source from the destination'
}

# ---- what a disk tells ----

health_by_log_pages() {
	disks
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
	reported '.engine | .chunk == 4194304 and .destination_sg.indirect >= 2 * 12'
}

pieces() { # BYTES
	echo "$1" >/sys/module/sg/parameters/scatter_elem_sz
}

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

# The switch of the control mode page, thrown while it is written to.
a_disk_that_becomes_write_protected() {
	disks
	start_slowly --chunk 64K
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
	sg_wr_mode --page=0xa --contents="0a,0a,02,00,$2,00,00,00,00,00,02,4b" --mask=00,00,00,00,08 \
		"$(sg_of "$1")"
}

unprotect() { # NODE
	protect "$1" 00
	echo 1 >"/sys/block/${1##*/}/device/rescan"
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

unload_debug() {
	modprobe -d /run/lab -r scsi_debug || true
	: >"$work/loaded"
}

run_cases sg_to_sg sg_to_block_and_back an_image_onto_sg_and_sg_into_an_image \
	a_partition_and_nothing_around_it ranges_to_another_place \
	direct_where_the_driver_may_and_told_where_it_may_not \
	mapped_buffers_and_forced_writes a_driver_that_works_inside_the_call a_medium_error_by_its_lba \
	bad_areas_are_exact_and_zero recovered_errors_are_data_and_counted \
	aborted_commands_are_sent_again short_transfers_are_completed a_full_queue_is_waited_for \
	a_reset_on_the_way_is_not_survived_in_silence health_by_log_pages \
	a_disk_whose_driver_was_taken_is_read_not_written \
	a_disk_that_another_host_has_reserved a_driver_that_has_no_memory_for_a_chunk \
	a_disk_whose_sg_node_another_program_has_to_itself \
	a_disk_that_becomes_write_protected \
	a_disk_in_use_is_refused what_is_no_scsi_disk_is_refused \
	a_disk_that_is_unplugged_stops_the_copy disks_that_say_the_same_of_themselves blocks_of_4096_bytes addresses_beyond_two_tib \
	protected_blocks without_the_sg_driver_by_the_block_node a_write_protected_disk_is_refused \
	a_disk_that_no_driver_takes_is_told_and_read
