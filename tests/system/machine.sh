#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every bus: the cases below run inside an emulated machine with SATA, NVMe,
# USB (both protocols), virtio and SCSI disks, each with a serial number.
if [ "${1:-}" != inside ]; then
	here=$(cd -- "$(dirname -- "$0")" && pwd -P)
	work=$(mktemp -d "${TMPDIR:-/tmp}/clonedeck-machine.XXXXXX") || exit 99
	trap 'rm -rf -- "$work"' EXIT
	trap 'exit 143' HUP INT TERM
	disks=()
	for disk in sata:SATA-SRC-000001 nvme:NVME-DST-000002 usb:USB-SRC-000003 \
		virtio:VIRTIO-D-000004 uas:UAS-SRC-000005 scsi:SCSI-DST-000006; do
		head -c 8M /dev/urandom >"$work/${disk%%:*}"
		disks+=(-d "${disk%%:*}:$work/${disk%%:*}:${disk#*:}")
	done
	"$here/../lab/qemu-run" -t 1800 "${disks[@]}" "$here/machine.sh" inside &
	wait $!
	exit
fi
. "$(dirname -- "$0")/lib.sh"

# onto SOURCE-SERIAL DESTINATION-SERIAL [OPTION]...: clones and compares; nobody else's bytes change.
onto() {
	local node
	source=$(node_of "$1")
	destination=$(node_of "$2")
	from=$1 to=$2
	shift 2
	blkid -p "$source" || true
	for node in /dev/sd? /dev/nvme0n1 /dev/vda; do
		[ "$node" = "$destination" ] || echo "$(digest "$node") $node"
	done >before
	run 0 clone -s "serial=$from" -d "serial=$to" --confirm "${to: -6}" --log-dir logs "$@"
	says COMPLETE
	blockdev --flushbufs "$source" "$destination"
	cmp "$source" "$destination"
	while read -r was node; do
		[ "$(digest "$node")" = "$was" ] || fail "$node changed"
	done <before
}

node_of() { # SERIAL
	run 0 list --json
	jq -er --arg serial "$1" '.disks[] | select(.serial == $serial) | .node' out
}

list_knows_every_bus() {
	run 0 list --json
	jq -e '[.disks[] | {(.transport): .serial}] | add |
		.sata == "SATA-SRC-000001" and .nvme == "NVME-DST-000002" and
		.virtio == "VIRTIO-D-000004"' out
	jq -e '[.disks[] | select(.transport == "usb")] | length == 2' out
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
	source=$(echo /sys/bus/usb/drivers/uas/*:*/host*/target*/*:*/block/sd?)
	run 0 list --json
	jq -er --arg node "/dev/${source##*/}" '.disks[] | select(.node == $node) | .serial' out
}

# The same by SCSI commands; the destination has other bytes before.
onto_by_sg() {
	local node
	node=$(node_of "$2")
	head -c 8M /dev/urandom >"$node"
	sync "$node"
	onto "$@" --source-backend sg --destination-backend sg
	jq -e '.engine | .source_backend == "sg" and .destination_backend == "sg"
		and .source_sg.direct + .source_sg.indirect >= 8' logs/*.json
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

# Said by the plan, before anything is opened.
no_sg_on_NVMe_nor_virtio() {
	run 3 clone -s serial=NVME-DST-000002 -d new.img --source-backend sg --dry-run --log-dir logs
	says sg-backend
	run 3 clone -s serial=VIRTIO-D-000004 -d new.img --source-backend sg --confirm new.img \
		--log-dir logs
	says 'no SCSI disk (virtio)'
	[ ! -e new.img ]
}

run_cases list_knows_every_bus SATA_onto_NVMe USB_onto_virtio UAS_onto_SCSI SCSI_onto_SATA_by_sg \
	UAS_onto_USB_by_sg no_sg_on_NVMe_nor_virtio
