#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every bus: the cases below run inside an emulated machine with SATA, NVMe,
# USB (both protocols), virtio and SCSI disks, each with a serial number, and two
# LUNs of one SCSI and of one USB target. Three larger ones have a sector that
# cannot be read. There is a card reader, whose cards are changed from outside.
if [ "${1:-}" != inside ]; then
	here=$(cd -- "$(dirname -- "$0")" && pwd -P)
	work=$(mktemp -d "${TMPDIR:-/tmp}/clonedeck-machine.XXXXXX") || exit 99
	trap 'rm -rf -- "$work"' EXIT
	trap 'exit 143' HUP INT TERM
	disks=()
	for disk in sata:SATA-SRC-000001 nvme:NVME-DST-000002 usb:USB-SRC-000003 \
		virtio:VIRTIO-D-000004 uas:UAS-SRC-000005 scsi:SCSI-DST-000006 \
		lun:SCSI-LUN-000010 uas:UAS-LUN0-000011 lun:UAS-LUN1-000012; do
		head -c 3M /dev/urandom >"$work/${disk#*:}"
		disks+=(-d "${disk%%:*}:$work/${disk#*:}:${disk#*:}")
	done
	for disk in sata:BAD-SATA-00007 usb:BAD-USB-000008 uas:BAD-UAS-000009; do
		head -c 4M /dev/urandom >"$work/bad-${disk%%:*}"
		disks+=(-d "${disk%%:*}:$work/bad-${disk%%:*}:${disk#*:}:5003")
	done
	# Three cards of one reader; what is on the others is known before.
	for card in card other third; do
		head -c 2M /dev/urandom >"$work/$card.img"
		cp "$work/$card.img" "$work/$card.before"
	done
	disks+=(-d "card:$work/card.img:CARD-RDR-000013")
	change_cards() {
		local asked
		while sleep 0.1; do
			[ -e "$work/result/ask" ] || continue
			asked=$(cat "$work/result/ask")
			"$here/../lab/qemu-monitor" "$work/monitor" "eject -f drive12"
			[ "$asked" = none ] ||
				"$here/../lab/qemu-monitor" "$work/monitor" "change drive12 $work/$asked.img raw"
			rm "$work/result/ask"
		done
	}
	mkdir "$work/result"
	change_cards &
	changer=$!
	# Once more if the emulated kernel itself hung (126): that says nothing of clonedeck.
	for _ in once again; do
		LAB_RESULT=$work/result "$here/../lab/qemu-run" -t 900 -q "$work/monitor" -m nvme,poll_queues=1 "${disks[@]}" \
			"$here/machine.sh" inside "$work" >"$work/tap" &
		wait $!
		status=$?
		[ "$status" -eq 126 ] || break
	done
	kill "$changer"
	cat "$work/tap"
	exit "$status"
fi
outside=$2
. "$(dirname -- "$0")/lib.sh"

# onto SOURCE-SERIAL DESTINATION-SERIAL [OPTION]...: clones and compares; nobody else's bytes change.
# Everything takes its time in an emulated machine: one process looks at all disks, and what they have
# after one copy is what they have before the next.
onto() {
	find_ends "$1" "$2"
	shift 2
	[ -e "$work/sums" ] || sums_of_all >"$work/sums"
	[ "$(wc -l <"$work/sums")" -eq 9 ]
	grep -v " $destination\$" "$work/sums" >before
	run 0 clone -s "serial=$from" -d "serial=$to" --confirm "${to: -6}" --log-dir logs "$@"
	says COMPLETE
	blockdev --flushbufs "$source" "$destination"
	cmp "$source" "$destination"
	sums_of_all >"$work/sums"
	grep -v " $destination\$" "$work/sums" | cmp before -
}

sums_of_all() { # that can be read
	local node good=()
	for node in /dev/sd? /dev/nvme0n1 /dev/vda; do
		is_bad "$node" || is_card "$node" || good+=("$node")
	done
	md5sum "${good[@]}"
}

is_bad() { # NODE
	[ "$(<"/sys/block/${1##*/}/size")" -eq $(((4 << 20) / 512)) ]
}

is_card() { # NODE
	[ "$(<"/sys/block/${1##*/}/size")" -eq $(((2 << 20) / 512)) ]
}

# find_ends SERIAL SERIAL: sets source and destination to their nodes, from and to to what was given.
find_ends() {
	from=$1 to=$2
	source=$(listed node serial "$from")
	destination=$(listed node serial "$to")
}

# listed FIELD OTHER VALUE: of the disk whose other field has this value. No disk comes or goes, so they
# are listed once.
listed() {
	[ -e "$work/list" ] || "$CLONEDECK" list --json >"$work/list"
	jq -er --arg value "$3" ".disks[] | select(.$2 == \$value) | .$1" "$work/list"
}

list_knows_every_bus() {
	run 0 list --json
	jq -e '[.disks[] | select(.size == 3145728) | {(.transport): .serial}] | add |
		.sata == "SATA-SRC-000001" and .nvme == "NVME-DST-000002" and
		.virtio == "VIRTIO-D-000004"' out
	jq -e '[.disks[] | select(.transport == "usb")] | length == 7' out
	jq -e 'all(.disks[] | select(.node | startswith("/dev/sd")); .sg != null and .hctl != null)' out
	jq -e '.disks[] | select(.transport == "nvme") | .ng == "/dev/ng0n1" and .sg == null' out
	run 0 list
	cat out
}

SATA_onto_NVMe() {
	onto SATA-SRC-000001 NVME-DST-000002
}

USB_onto_virtio() {
	onto USB-SRC-000003 VIRTIO-D-000004
}

UAS_onto_SCSI() {
	onto "$(serial_of_uas)" SCSI-DST-000006
}

# What a bridge calls its serial number is its own affair: it is found by its driver.
serial_of_uas() {
	for source in /sys/bus/usb/drivers/uas/*:*/host*/target*/*:*/block/sd?; do
		is_bad "/dev/${source##*/}" || break
	done
	listed serial node "/dev/${source##*/}"
}

# The same by SCSI commands; the destination has other bytes before.
onto_by_sg() {
	find_ends "$1" "$2"
	head -c 3M /dev/urandom >"$destination"
	sync "$destination"
	onto "$@" --source-backend sg --destination-backend sg
	jq -e '.engine | .source_backend == "sg" and .destination_backend == "sg"
		and .source_sg.direct + .source_sg.indirect >= 5' logs/*.json
}

SCSI_onto_SATA_by_sg() {
	echo 1 >/sys/module/sg/parameters/allow_dio
	onto_by_sg SCSI-DST-000006 SATA-SRC-000001
	jq -e '.engine | .source_sg.direct > 0 and .source_sg.indirect == 0
		and .destination_sg.direct > 0' logs/*.json
}

UAS_onto_USB_by_sg() {
	onto_by_sg "$(serial_of_uas)" USB-SRC-000003
}

# traced COMMAND...: in "commands": what the SCSI drivers were given meanwhile.
traced() {
	local tracing=/sys/kernel/tracing
	mountpoint -q "$tracing" || mount -t tracefs tracefs "$tracing"
	: >"$tracing/trace"
	echo 1 >"$tracing/events/scsi/scsi_dispatch_cmd_start/enable"
	"$@"
	echo 0 >"$tracing/events/scsi/scsi_dispatch_cmd_start/enable"
	cat "$tracing/trace" >commands
}

# Each write past the cache, nothing kept in it, and what is read back is read from the medium.
forced() { # LUN: of the destination
	head -c 3M /dev/urandom >"$destination"
	sync "$destination"
	traced run 0 clone -s "$source" -d "$destination" --source-backend sg \
		--destination-backend sg --sg-fua --sg-dpo --confirm "$token" --log-dir logs
	says COMPLETE
	blockdev --flushbufs "$source" "$destination"
	cmp "$source" "$destination"
	grep " lun=$1 .*raw=[28]a " commands >writes
	[ "$(wc -l <writes)" -ge 5 ]
	if grep -v 'raw=[28]a 18 ' writes; then
		fail "a write without FUA or DPO"
	fi
	grep -q " lun=$1 .*raw=[28]8 18 " commands
}

SCSI_LUNs_of_one_target_by_sg() {
	onto_by_sg SCSI-DST-000006 SCSI-LUN-000010
	token=000010
	forced 1
}

# The bridge gives them one serial number, so the name of the node is asked for.
UAS_LUNs_of_one_target_by_sg() {
	local lun
	for lun in /sys/bus/usb/drivers/uas/*:*/host*/target*/*:1/block/sd?; do
		destination=/dev/${lun##*/}
	done
	for lun in "${lun%:1/block/*}":0/block/sd?; do
		source=/dev/${lun##*/}
	done
	token=$destination
	forced 1
	jq -e '.source.serial == .destinations[0].serial' logs/*.json
}

# bad_disk DRIVER: sets disk to the node of the one with the bad sector behind it
bad_disk() {
	local path
	for disk in /sys/block/sd?; do
		path=$(readlink -f "$disk")
		disk=/dev/${path##*/}
		path=${path%%/ata[0-9]*}
		path=$(readlink "${path%%/host[0-9]*}/driver")
		[ "${path##*/}" != "$1" ] || ! is_bad "$disk" || return 0
	done
	fail "no bad disk behind $1"
}

# Each driver has its own words for a sector that cannot be read; that one is found by its number.
bad_sector_by_sg() { # DRIVER
	local disk
	bad_disk "$1"
	# Sector by sector only around the bad one.
	{
		dd if="$disk" bs=64k iflag=direct count=39 status=none
		dd if="$disk" iflag=direct skip=$((39 * 128)) count=128 conv=noerror,sync status=none || true
		dd if="$disk" bs=64k iflag=direct skip=40 status=none
	} >expected.img
	run 4 clone -s "$disk" -d new.img --source-backend sg --confirm new.img --log-dir logs \
		--retries 0
	jq -c '.bad_areas, .engine.source_sg' logs/*.json
	jq -e '.engine.source_backend == "sg" and (.bad_areas | length == 1 and .[0].lba == 5003
		and .[0].sectors == 1 and .[0].sense.text != null)' logs/*.json
	cmp expected.img new.img
}

bad_sector_over_SATA_by_sg() {
	bad_sector_by_sg ahci
}

bad_sector_over_USB_by_sg() {
	bad_sector_by_sg usb-storage
}

bad_sector_over_UAS_by_sg() {
	bad_sector_by_sg uas
}

# Said by the plan, before anything is opened.
no_sg_on_NVMe_nor_virtio() {
	run 3 clone -s serial=NVME-DST-000002 -d new.img --source-backend sg --dry-run --log-dir logs
	says sg-backend
	run 3 clone -s serial=VIRTIO-D-000004 -d new.img --source-backend sg --confirm new.img \
		--log-dir logs
	says 'no SCSI disk (virtio)'
	[ ! -e new.img ]
}

# Stopped, it prints what it has: of the smallest reads, and of SATA why it has not that.
completions_are_polled_for_where_the_disk_has_a_queue_for_it() {
	find_ends NVME-DST-000002 SATA-SRC-000001
	[ "$(cat "/sys/block/${source##*/}/queue/io_poll" "/sys/block/${destination##*/}/queue/io_poll")" = $'1\n0' ]
	measured_until ' KiB ' "$source"
	jq -e 'any(.figures[]; .row == "512-uring-poll" and .engine == "uring-poll" and .column == "best_ops" and .median > 0)
		and all(.notes[]; contains("IOPOLL") | not)' out
	measured_until depth "$destination"
	jq -e 'any(.notes[]; contains("no queue to poll")) and all(.figures[]; .engine != "uring-poll")' out
}

measured_until() { # PROGRESS DISK
	"$CLONEDECK" bench engines "$2" --json --log-dir logs >out 2>err &
	copy=$!
	wait_for told "$1"
	kill -INT "$copy"
	ends 6
}

# Map and log are the technician's own; all else may go to the customer.
masked_serials_are_nowhere_to_be_read() {
	find_ends SATA-SRC-000001 NVME-DST-000002
	run 0 clone -s "$source" -d "$destination" --confirm 000002 --log-dir logs --mask-serials \
		--digest sha256,xxh3 --report "of NVME-DST-000002.json"
	says 'S/N ***********0001'
	says 'S/N ***********0002'
	files=("of NVME-DST-000002".*)
	[ "${#files[@]}" -eq 5 ]
	if grep -nF -e SATA-SRC-000001 -e NVME-DST-000002 "${files[@]}"; then
		fail "a serial number in full"
	fi
	run 0 verify "of NVME-DST-000002.json" -d "$destination"
	says VERIFIED
	sha256sum -c "of NVME-DST-000002.sha256"
}

put_card() { # NAME, or none
	echo "$1" >"$LAB_RESULT/ask.part"
	mv "$LAB_RESULT/ask.part" "$LAB_RESULT/ask"
	wait_for test ! -e "$LAB_RESULT/ask"
}

says_soon() { # TEXT
	wait_for contain "$1" out err || {
		cat out err
		return 1
	}
}

copy_onto_the_card() { # MILLISECONDS: how often the kernel looks for a card by itself; 0: never
	find_ends SATA-SRC-000001 CARD-RDR-000013
	echo "$1" >"/sys/block/${destination##*/}/events_poll_msecs"
	"$CLONEDECK" clone -s "$source" -d "$destination" -r 0+2MiB --confirm 000013 --log-dir logs \
		--map copy.map --rate 512K --map-interval 1 >out 2>err &
	copy=$!
}

# The serial number is that of the reader. What was copied tells one card from another.
a_card_that_is_put_back_goes_on_and_another_one_is_refused() {
	copy_onto_the_card 500
	wait_for contain ' +'$'\n' copy.map
	put_card none
	says_soon "is gone"
	put_card other
	says_soon "one of them is another disk"
	cmp "$destination" "$outside/other.before"
	put_card none
	put_card card
	says_soon "goes on"
	ends 0
	says COMPLETE
	blockdev --flushbufs "$source" "$destination"
	cmp -n $((2 << 20)) "$source" "$destination"
}

# Before anything was copied, nothing tells the cards apart. Where the kernel does not look for them,
# the copy does.
a_card_is_not_exchanged_before_anything_was_copied() {
	copy_onto_the_card 0
	wait_for told testing
	put_card none
	says_soon "is gone"
	put_card third
	says_soon "only you can say"
	kill -TERM "$copy"
	ends 7
	blockdev --flushbufs "$destination"
	cmp "$destination" "$outside/third.before"
}

run_cases list_knows_every_bus SATA_onto_NVMe USB_onto_virtio UAS_onto_SCSI SCSI_onto_SATA_by_sg \
	UAS_onto_USB_by_sg SCSI_LUNs_of_one_target_by_sg UAS_LUNs_of_one_target_by_sg bad_sector_over_SATA_by_sg bad_sector_over_USB_by_sg \
	bad_sector_over_UAS_by_sg no_sg_on_NVMe_nor_virtio \
	a_card_that_is_put_back_goes_on_and_another_one_is_refused \
	a_card_is_not_exchanged_before_anything_was_copied \
	completions_are_polled_for_where_the_disk_has_a_queue_for_it masked_serials_are_nowhere_to_be_read
