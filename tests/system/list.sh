#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What list and show print of loop devices, as text and as JSON.
. "$(dirname -- "$0")/lib.sh"

list_prints_every_disk() {
	disk=$(new_disk disk 16)
	run 0 list --all
	says "${disk#/dev/}"
	run 0 list
	! grep ram0 out || fail "RAM disks are listed"
	run 0 list --all --json
	jq -e '.schema == "clonedeck.list/1"' out
	jq -e --arg node "$disk" '.disks[] | select(.node == $node) | .size == 16777216 and
		.logical_sector_size == 512 and .serial == null and .table == "none"' out
}

list_says_what_a_disk_is_used_for() {
	disk=$(new_disk disk 48)
	partition_gpt "$disk"
	mount_at "$case_dir/mnt" "${disk}p2"
	mkswap -q "${disk}p3"
	swapon "${disk}p3"
	undone_by swapoff "${disk}p3"
	run 0 list --all --json
	jq -e --arg node "$disk" '[.disks[] | select(.node == $node) | .in_use[].kind] |
		any(. == "mount") and any(. == "swap")' out
	run 0 show "$disk" --json
	jq -e --arg at "$case_dir/mnt" '[.disk.partitions[] | .mountpoint] | any(. == $at)' out
}

show_prints_partitions_and_gaps_in_sectors() {
	disk=$(new_disk disk 48)
	partition_gpt "$disk"
	run 0 show "$disk"
	says ext4
	says root
	grep -E '2048 +18431 +16384' out
	grep -E '53248 +61439 +8192' out
	run 0 show "${disk}" --json
	jq -e '.. | objects | select(.number? == 2) | .fs == "ext4" and .label == "root" and
		.sectors == 32768 and .end == .start + .sectors - 1' out
}

# Of a size that no other test has: its name may be another disk's at once.
list_follows_disks_that_come_and_go() {
	disk=$(new_disk disk 11)
	run 0 list --all --json
	jq -e --arg node "$disk" 'any(.disks[]; .node == $node)' out
	losetup -d "$disk"
	# As long as somebody else looks at it, it stays.
	wait_for is_listed_no_more
}

is_listed_no_more() {
	run 0 list --all --json
	jq -e --arg node "$disk" 'all(.disks[]; .node != $node or .size != 11534336)' out
}

# On a machine without a disk, as its drivers see it.
list_names_udevd_where_nothing_loads_the_drivers() {
	mkdir run sys
	# shellcheck disable=SC2016 # the inner shell expands them
	with_own_mounts bash -c 'mount --bind sys /sys/class/block && mount --bind run /run &&
		"$0" list && mkdir /run/udev && touch /run/udev/control && "$0" list' "$CLONEDECK" >out
	[ "$(grep -c "There is no disk" out)" = 2 ]
	[ "$(grep -c "udevd does not run" out)" = 1 ]
}

output_goes_into_a_closed_pipe_quietly() {
	set +o pipefail
	"$CLONEDECK" list --all 2>err | true
	[ ! -s err ]
	"$CLONEDECK" list >/dev/full 2>err && fail "a full disk was not noticed"
	[ -s err ]
}

version_and_help() {
	run 0 --version
	grep -E '^clonedeck [0-9]+\.[0-9]+\.[0-9]+' out
	run 0 --help
	says '--practice'
}

run_cases list_prints_every_disk list_says_what_a_disk_is_used_for \
	show_prints_partitions_and_gaps_in_sectors list_follows_disks_that_come_and_go \
	list_names_udevd_where_nothing_loads_the_drivers output_goes_into_a_closed_pipe_quietly version_and_help
