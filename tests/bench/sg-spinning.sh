#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies between sg nodes of disks that spin: virtio-scsi disks of an emulated machine,
# each behind the disk model (diskmodel.c), slow enough that the machine's own speed
# does not matter. What is measured is whether both disks are busy all the time: the
# larger of only reading and only writing, four commands at once, is the least.
#
# usage: sg-spinning.sh [-r ROUNDS] [-s MIB]; CLONEDECK names the program, and
# CLONEDECK_BENCH the folder of diskmodel.so
set -u
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
. "$here/../system/scsi-lib.sh"
rounds=3
size=256
while getopts r:s: option; do
	case $option in
	r) rounds=$OPTARG ;;
	s) size=$OPTARG ;;
	*) exit 1 ;;
	esac
done
shift $((OPTIND - 1))
if [ "${1:-}" != inside ]; then
	work=$(mktemp -d /dev/shm/clonedeck-spinning.XXXXXX) || exit 99
	servers=()
	cleanup() {
		kill "${servers[@]}" 2>/dev/null
		rm -rf -- "$work"
	}
	trap cleanup EXIT
	trap 'exit 143' HUP INT TERM
	for disk in source destination; do
		head -c "${size}M" /dev/urandom >"$work/$disk"
		nbdkit -f --exit-with-parent -t 16 -U "$work/$disk.socket" \
			"${CLONEDECK_BENCH:?the folder of diskmodel.so}/diskmodel.so" file="$work/$disk" \
			rate=32M inner=20M overhead=60 move=12000 window=8M &
		servers+=($!)
		for ((i = 0; i < 100; i++)); do
			[ ! -S "$work/$disk.socket" ] || break
			sleep 0.1
		done
	done
	"$here/../lab/qemu-run" -p 2 -t 1500 -d "scsi:$work/source.socket:SPIN-SRC-0001" \
		-d "scsi:$work/destination.socket:SPIN-DST-0002" \
		"$here/sg-spinning.sh" -r "$rounds" -s "$size" inside
	exit
fi

work=$(mktemp -d)
cd "$work" || exit 99
disk_of() { # SERIAL
	lsblk -dno PATH,SERIAL | awk -v serial="$1" '$2 == serial { print $1 }'
}
source=$(disk_of SPIN-SRC-0001)
destination=$(disk_of SPIN-DST-0002)
source_sg=$(sg_of "$source")
destination_sg=$(sg_of "$destination")
echo 1 >/sys/module/sg/parameters/allow_dio

sgp="bs=512 bpt=2048 thr=4 dio=1 count=$((size * 2048))"
clone="$CLONEDECK clone -s $source -d $destination --confirm T-0002 --log-dir logs --no-verify"
declare -A programs=(
	["only read"]="sgp_dd if=$source_sg of=. $sgp"
	["only write"]="sgp_dd if=/dev/zero of=$destination_sg $sgp"
	["sgp_dd 1M thr 4"]="sgp_dd if=$source_sg of=$destination_sg $sgp"
	["clonedeck, sg"]="$clone --source-backend sg --destination-backend sg"
)

# Of clonedeck the time of the copy itself, which its report tells: an emulated processor
# takes seconds to begin, and a larger disk would not take it again.
once() { # NAME
	local before after
	local -a command
	read -ra command <<<"${programs[$1]}"
	rm -rf logs
	read -r before _ </proc/uptime
	"${command[@]}" >output 2>&1 || return 1
	read -r after _ </proc/uptime
	if [ -d logs ]; then
		jq .seconds.copy logs/*.json
	else
		awk -v a="$before" -v b="$after" 'BEGIN { print b - a }'
	fi
}

for ((round = 0; round < rounds; round++)); do
	while read -r name; do
		once "$name" >>"times.$name" || echo "failed: $name: $(tail -n 1 output)" >&2
	done < <(printf '%s\n' "${!programs[@]}" | shuf)
	# Whichever came last, the end of a round is a true copy again.
	once 'clonedeck, sg' >copied && cmp "$source" "$destination" || echo 'the copy differs' >&2
	cat copied >>'times.clonedeck, sg'
done

median() {
	sort -n "times.$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
least=$(printf '%s\n' "$(median 'only read')" "$(median 'only write')" | sort -n | tail -n 1)
printf '%-24s %8s %10s\n' "$size MiB, $rounds rounds" seconds 'x limit'
for name in "${!programs[@]}"; do
	awk -v name="$name" -v seconds="$(median "$name")" -v least="$least" \
		'BEGIN { printf "%-24s %8.2f %10.3f\n", name, seconds, seconds / least }'
done | sort
