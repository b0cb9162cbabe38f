# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The disk of tcmu-disk, attached; where target_core_user and tcm_loop are loaded.

# read_buffer_disk [ARGUMENT]...: of tcmu-disk. Sets disk to its node.
read_buffer_disk() {
	local i lab loop=/sys/kernel/config/target/loopback/naa.6001405000000001/tpgt_1
	lab=$(dirname -- "${BASH_SOURCE[0]}")
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
	"$lab/tcmu-disk" "$@" >handler 2>&1 &
	for ((i = 0; i < 300; i++)); do
		! grep -qs ready handler || break
		sleep 0.1
	done
	mkdir -p "$loop"
	echo naa.6001405000000002 >"$loop/nexus"
	mkdir -p "$loop/lun/lun_0"
	ln -s /sys/kernel/config/target/core/user_0/disk "$loop/lun/lun_0/disk"
	for ((i = 0; i < 300; i++)); do
		disk=$(lsblk -dno PATH,MODEL | awk '/READ BUFFER/ { print $1 }')
		[ -z "$disk" ] || break
		sleep 0.1
	done
	[ -n "$disk" ] || {
		cat handler
		return 1
	}
	udevadm settle
}
