# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scsi_debug disks as the sg tests need them, and copies between them; scsi-lib.sh comes first.

SIZE=8 # MiB of each disk
NDELAY=100000 # what a command takes, in nanoseconds; the usual is a tick of the kernel

# disks OPTION...: scsi_debug with these options; sets source, destination and the spare, full of
# bytes of their own unless they are the write-protected ones. The spare keeps its bytes.
disks() {
	local disk nodes
	if [ "$(cat "${work:?}/loaded" 2>/dev/null)" != "with $*" ]; then
		# udev may still look at disks that were written.
		[ ! -d /sys/module/scsi_debug ] || wait_for modprobe -d /run/lab -r scsi_debug
		modprobe -d /run/lab scsi_debug "dev_size_mb=$SIZE" add_host=3 per_host_store=1 \
			ndelay="$NDELAY" "$@"
		wait_for three_nodes
		udevadm settle
		nodes=(/dev/sd?)
		refill "${nodes[2]}" 2>/dev/null || true
		digest "${nodes[2]}" 0 $((SIZE * MIB)) >"$work/untouched"
		echo "with $*" >"$work/loaded"
	fi
	trouble 0
	nodes=(/dev/sd?)
	source=${nodes[0]} destination=${nodes[1]} spare=${nodes[2]}
	for disk in "$source" "$destination"; do
		refill "$disk" 2>/dev/null || true
		wait_for blockdev --rereadpt "$disk" # its partitions are gone
	done
	token=$(token_of "$destination")
	untouched=$(<"$work/untouched")
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
without_sg() { # until the case ends
	undone_by load_module sg
	modprobe -d /run/lab -r sg
	udevadm settle
}

load_module() { # NAME
	modprobe -d /run/lab "$1"
	udevadm settle
}

same_disks() {
	blockdev --flushbufs "$source"
	blockdev --flushbufs "$destination"
	cmp "$source" "$destination"
	[ "$(digest "$spare" 0 $((SIZE * MIB)))" = "$untouched" ]
}

# reported FILTER: true of the newest report
reported() {
	local newest='' file
	for file in logs/*.json; do
		[ "$newest" -nt "$file" ] || newest=$file
	done
	jq -e "$1" "$newest" >/dev/null || {
		jq . "$newest"
		fail "not in the report: $1"
	}
}
