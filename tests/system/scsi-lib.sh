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

three_nodes() {
	set -- /dev/sd?
	[ $# -eq 3 ] && [ -b "$1" ]
}

# Each full of bytes of its own; sets disks to their nodes.
fill_disks() {
	local disk
	disks=(/dev/sd?)
	for disk in "${disks[@]}"; do
		head -c $((12 * MIB)) /dev/urandom >"$disk"
		sync "$disk"
	done
}

serial_of() { # NODE, as the disk itself says it
	sg_inq -p 0x80 "$1" | sed -n 's/.*Unit serial number: *//p'
}

token_of() { # NODE
	serial_of "$1" | sed 's/.*\(......\)$/\1/'
}

hctl_of() { # NODE
	basename "$(readlink -f "/sys/block/${1##*/}/device")"
}

sg_of() { # NODE
	echo "/dev/$(ls "/sys/block/${1##*/}/device/scsi_generic")"
}
