# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The tests that run inside a user-mode kernel, on disks of scsi_debug:
#
#   . "$(dirname -- "$0")/scsi-lib.sh"
#   [ "${1:-}" = inside ] || enter_uml -m scsi_debug
#   . "$(dirname -- "$0")/lib.sh"

# enter_uml OPTION...: from here on the test runs there, with these options of uml-run.
enter_uml() {
	local here
	here=$(cd -- "$(dirname -- "$0")" && pwd -P)
	LAB_VISIBLE=$(dirname -- "${CLONEDECK:?the program to test}") exec "$here/../lab/uml-run" "$@" \
		"$here/${0##*/}" inside
}

# Each copy asks both disks for their health, before and after; in that kernel the start of smartctl
# takes longer than a small copy. Where health is not the matter, the program finds none.
without_smartctl() {
	local program
	program=$(command -v smartctl) && hide "$program"
}

with_smartctl() { # until the case ends
	local program
	program=$(command -v smartctl)
	umount "$program"
	undone_by hide "$program"
}

hide() { # PROGRAM
	mount --bind /dev/null "$1"
}

three_nodes() {
	set -- /dev/sd?
	[ $# -eq 3 ] && [ -b "$1" ]
}

# Each full of bytes of its own; sets disks to their nodes.
fill_disks() {
	local disk
	disks=(/dev/sd?)
	for disk in "${disks[@]}"; do
		dd if=/dev/urandom of="$disk" bs=1M count=12 iflag=fullblock conv=fsync status=none
	done
}

serial_of() { # NODE, as the disk itself says it
	local number='(Unit|Product) serial number: *([^[:cntrl:]]*)'
	[[ "$(sg_vpd -p sn "$1")" =~ $number ]] && echo "${BASH_REMATCH[2]}"
}

token_of() { # NODE
	local serial
	serial=$(serial_of "$1")
	echo "${serial:${#serial}>6?-6:0}"
}

hctl_of() { # NODE
	local address
	address=$(readlink -f "/sys/block/${1##*/}/device")
	echo "${address##*/}"
}

sg_of() { # NODE
	local nodes=("/sys/block/${1##*/}/device/scsi_generic/"*)
	echo "/dev/${nodes[0]##*/}"
}
