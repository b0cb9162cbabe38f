#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whole machines that lose their power while they copy: an emulated one ends between two
# instructions, and with it what its disks had only in their caches. The map lies on a file
# system of the machine, as in real life. The next boot goes on; in the end not a byte differs.
# Of disks that a machine starts from the power goes at a chosen stage, and nothing starts from
# what is left of them, by BIOS nor by UEFI, before all of it is there.
if [ "${1:-}" = inside ]; then
	for name in /sys/block/vd*; do
		case $(cat "$name/serial") in
		LOG-*) mount "/dev/${name##*/}" /mnt || exit 90 ;;
		esac
	done
	cp /mnt/copy.map "$LAB_RESULT/before.map" 2>/dev/null
	: >"$LAB_RESULT/started"
	if [ -s /mnt/copy.map ]; then
		"$CLONEDECK" resume /mnt/copy.map --map-interval 1 --confirm 000002 --log-dir /mnt
	else
		"$CLONEDECK" clone -s serial=SRC-000001 -d serial=DST-000002 --map /mnt/copy.map \
			--map-interval 1 --rate "$2" --confirm 000002 --log-dir /mnt
	fi
	echo $? >"$LAB_RESULT/ended.part"
	mv "$LAB_RESULT/ended.part" "$LAB_RESULT/ended"
	# The power goes now.
	sleep 60
	exit 0
fi
. "$(dirname -- "$0")/lib.sh"
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
. "$here/../system/boot-lib.sh"

need nbdkit qemu-system-x86_64 apt-get mcopy

power_on() {
	local disk
	servers=
	for disk in destination log; do
		rm -f "$disk.nbd"
		rm -f "$disk.requests"
		nbdkit -f -U "$case_dir/$disk.nbd" --filter=log --filter=cache file "$disk.img" \
			logfile="$disk.requests" &
		servers="$servers $!"
		wait_for test -S "$disk.nbd"
	done
	rm -rf result
	LAB_RESULT=$case_dir/result "$here/../lab/qemu-run" -p 2 -t 600 -d "virtio:source.img:SRC-000001" \
		-d "virtio:destination.nbd:DST-000002" -d "virtio:log.nbd:LOG-000003" \
		"$here/machine.sh" inside "$rate" >out 2>err &
	machine=$!
}

# appears FILE SECONDS
appears() {
	local i
	for ((i = 0; i < $2 * 10; i++)); do
		[ ! -e "$1" ] || return 0
		kill -0 "$machine" 2>/dev/null || break
		sleep 0.1
	done
	cat out err
	fail "in vain waited for $1"
}

cut_the_power() {
	blows=$((blows + 1))
	# shellcheck disable=SC2086 # both
	kill -KILL $servers
	kill -TERM "$machine" 2>/dev/null || true
	# shellcheck disable=SC2086
	wait $servers "$machine" || true
}

# What makes it a file system comes when all else is on the medium (held.h).
nothing_or_whole() {
	nothing_to_find destination.img || cmp -n $((size * 1048576)) source.img destination.img
}

# What is asked of a disk of boot-lib.sh for the first time, or for another one, at each stage
# (held.h): to the second partition, and to the first sector.
declare -A stages=(
	[wiping]='1 Write .*offset=0x0 '
	[copying]='1 Write .*offset=0xb00000 '
	[verifying]='1 Read .*offset=0xb00000 '
	[arming]='2 Write .*offset=0x800000 '
	[the-key]='2 Write .*offset=0x0 '
)

at_stage() { # STAGE, or the end
	[ "$(grep -cE "${stages[$1]#* }" destination.requests)" -ge "${stages[$1]%% *}" ] ||
		[ -e result/ended ] || ! kill -0 "$machine" 2>/dev/null
}

starts_only_when_whole() {
	if cmp -s source.img destination.img; then
		both_start yes destination.img
	elif ! cmp -s old.img destination.img; then
		both_start no destination.img
	fi
}

a_disk_without_a_table() {
	random 16 32
	size=$chosen
	noise "${size}M" >source.img
	mkfs.ext4 -q -F source.img
	noise "${size}M" >destination.img
}

random_cuts() {
	local cuts
	random 1 5
	for ((cuts = chosen; cuts > 0; cuts--)); do
		power_on
		appears result/started 240
		random 0 12000
		sleep "$((chosen / 1000)).$(printf %03d $((chosen % 1000)))"
		cut_the_power
		nothing_or_whole
	done
}

a_cut_at_each_stage() {
	local stage
	for stage in wiping copying verifying arming the-key; do
		power_on
		appears result/started 240
		wait_for at_stage "$stage"
		cut_the_power
		echo "# cut at $stage" >&3
		starts_only_when_whole
	done
}

round() {
	local kind
	random 1 3
	rate=${chosen}M
	truncate -s 32M log.img
	mkfs.ext4 -q -F log.img
	one_of plain bootable
	kind=$chosen
	case $kind in
	plain)
		a_disk_without_a_table
		random_cuts
		;;
	bootable)
		bootable_disk source.img
		old_bootable_disk old.img
		cp old.img destination.img
		a_cut_at_each_stage
		;;
	esac
	power_on
	appears result/ended 420
	cut_the_power
	[ "$(cat result/ended)" = 0 ] || {
		cat out err
		fail "ended with $(cat result/ended)"
	}
	cmp source.img destination.img
	[ "$kind" = plain ] || both_start yes destination.img
}

exec 3>&1
soak machines_without_power_go_on
