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
	"$here/../lab/qemu-run" -t 360 "${disks[@]}" "$here/machine.sh" inside &
	wait $!
	exit
fi
. "$(dirname -- "$0")/lib.sh"

# onto SOURCE-SERIAL DESTINATION-SERIAL: clones and compares; nobody else's bytes change.
onto() {
	local node
	source=$(node_of "$1")
	destination=$(node_of "$2")
	blkid -p "$source" || true
	for node in /dev/sd? /dev/nvme0n1 /dev/vda; do
		[ "$node" = "$destination" ] || echo "$(digest "$node") $node"
	done >before
	run 0 clone -s "serial=$1" -d "serial=$2" --confirm "${2: -6}" --log-dir logs
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
	# What a bridge calls its serial number is its own affair: it is found by its driver.
	source=$(echo /sys/bus/usb/drivers/uas/*:*/host*/target*/*:*/block/sd?)
	run 0 list --json
	serial=$(jq -er --arg node "/dev/${source##*/}" '.disks[] | select(.node == $node) | .serial' out)
	onto "$serial" SCSI-DST-000006
}

run_cases list_knows_every_bus SATA_onto_NVMe USB_onto_virtio UAS_onto_SCSI
