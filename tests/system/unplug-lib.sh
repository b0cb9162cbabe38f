# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Three scsi_debug disks that are unplugged and plugged in again, a copy from one
# onto another, and the third that must stay as it is. For unplug.sh and the
# soak test; lib.sh comes first, scsi_debug is loaded with add_host=3,
# per_host_store=1, so that what is on a disk stays there.

. "$(dirname -- "${BASH_SOURCE[0]}")/scsi-lib.sh"
declare -A hctl

# The disk's node at this moment; fails while it has none.
node() { # ROLE
	local found=("/sys/class/scsi_device/${hctl[$1]}/device/block/"*)
	[ -b "/dev/${found[0]##*/}" ] && echo "/dev/${found[0]##*/}"
}

# Attaches whatever an earlier case left unplugged, and fills all with bytes of their own.
three_disks() {
	local host
	for host in /sys/class/scsi_host/host*; do
		echo '- - -' >"$host/scan"
	done
	wait_for three_nodes
	udevadm settle
	fill_disks
	hctl=([source]=$(hctl_of "${disks[0]}") [destination]=$(hctl_of "${disks[1]}")
		[spare]=$(hctl_of "${disks[2]}"))
	token=$(token_of "$(node destination)")
	spare_before=$(digest "$(node spare)")
}

start_copy() { # [OPTION]...
	: >out
	: >err
	local ends=()
	[[ " $* " == *" -s "* ]] || ends+=(-s "$(node source)")
	[[ " $* " == *" -d "* ]] || ends+=(-d "$(node destination)")
	"$CLONEDECK" clone "${ends[@]}" --confirm "$token" \
		--log-dir logs --map copy.map --rate 1M --map-interval 1 "$@" >out 2>err &
	# shellcheck disable=SC2034 # for ends
	copy=$!
	# Something was flushed and is known to be; the rest takes long enough for any machine.
	wait_for contain ' +'$'\n' copy.map
}

unplug() { # ROLE
	echo 1 >"/sys/class/scsi_device/${hctl[$1]}/device/delete"
}

# Under the first name that is free; one that is attached is taken off before.
plug() { # ROLE
	local host=${hctl[$1]%%:*}
	! node "$1" >/dev/null || unplug "$1"
	echo '- - -' >"/sys/class/scsi_host/host$host/scan"
	wait_for node "$1"
}

says_soon() { # TEXT
	wait_for contain "$1" out err || {
		cat out err
		return 1
	}
}

all_is_copied() {
	cmp "$(node source)" "$(node destination)"
	[ "$(digest "$(node spare)")" = "$spare_before" ] || fail "the third disk was written to"
	# No file grew where a node was.
	! find /dev -maxdepth 1 -type f -name 'sd*' | grep .
}
