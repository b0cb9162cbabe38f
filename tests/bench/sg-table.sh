#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The copy table of the old fast-copy page, with today's programs: one disk onto
# another by dd, sg_dd, sgp_dd, sgm_dd and clonedeck, through block and sg nodes and
# with direct IO (what the raw nodes once were). Runs on scsi_debug disks without a
# delay in a user-mode kernel; only the ratios of one run mean anything.
#
# usage: sg-table.sh [-r ROUNDS] [-s MIB]; CLONEDECK names the program
# Rounds are interleaved, each in another order; medians and spread, the time of
# processor of all threads, and the system calls for each MiB, from a run of its own.
set -u
rounds=5
size=1024
while getopts r:s: option; do
	case $option in
	r) rounds=$OPTARG ;;
	s) size=$OPTARG ;;
	*) exit 1 ;;
	esac
done
shift $((OPTIND - 1))
if [ "${1:-}" != inside ]; then
	here=$(cd -- "$(dirname -- "$0")" && pwd -P)
	gib=$(((size + 1023) / 1024))
	LAB_VISIBLE=$(dirname -- "${CLONEDECK:?the program to measure}") exec "$here/../lab/uml-run" \
		-M 768 -t 1200 -m scsi_debug,dev_size_mb=64,virtual_gb="$gib",add_host=2,per_host_store=1,delay=0 \
		"$here/sg-table.sh" -r "$rounds" -s "$((gib * 1024))" inside
fi

work=$(mktemp -d)
cd "$work" || exit 99
# shellcheck disable=SC2012 # kernel names
read -r source destination < <(ls -d /dev/sd? | paste -sd ' ')
sg_of() {
	echo "/dev/$(ls "/sys/block/${1##*/}/device/scsi_generic")"
}
source_sg=$(sg_of "$source")
destination_sg=$(sg_of "$destination")
token=$(sg_inq -p 0x80 "$destination" | sed -n 's/.*Unit serial number: *//p' | sed 's/.*\(......\)$/\1/')
echo 1 >/sys/module/sg/parameters/allow_dio

only_copy=()
! "$CLONEDECK" clone --help | grep -q -- '--no-verify' || only_copy+=(--no-verify)
! "$CLONEDECK" clone --help | grep -q -- '--no-arm-last' || only_copy+=(--no-arm-last)
ours() { # SOURCE-BACKEND DESTINATION-BACKEND OPTION...
	echo "$CLONEDECK clone -s $source -d $destination --source-backend $1 --destination-backend $2" \
		"--confirm $token --log-dir $work/logs ${only_copy[*]-} ${*:3}"
}

declare -A programs=(
	["dd 64k, block"]="dd if=$source of=$destination bs=64k conv=fsync"
	["dd 1M, block, direct (raw)"]="dd if=$source of=$destination bs=1M iflag=direct oflag=direct"
	["sg_dd 64k, block"]="sg_dd if=$source of=$destination bs=512 bpt=128"
	["sg_dd 512k, sg, direct"]="sg_dd if=$source_sg of=$destination_sg bs=512 bpt=1024 dio=1"
	["sgm_dd 512k, sg"]="sgm_dd if=$source_sg of=$destination_sg bs=512 bpt=1024"
	["sgp_dd 512k thr 1, sg, direct"]="sgp_dd if=$source_sg of=$destination_sg bs=512 bpt=1024 thr=1 dio=1"
	["sgp_dd 512k thr 4, sg, direct"]="sgp_dd if=$source_sg of=$destination_sg bs=512 bpt=1024 thr=4 dio=1"
	["sgp_dd 512k thr 4, sg"]="sgp_dd if=$source_sg of=$destination_sg bs=512 bpt=1024 thr=4"
	["sgp_dd 1M thr 4, sg, direct"]="sgp_dd if=$source_sg of=$destination_sg bs=512 bpt=2048 thr=4 dio=1"
	["clonedeck, block"]="$(ours auto auto)"
	["clonedeck, sg direct"]="$(ours sg sg)"
	["clonedeck, sg mmap"]="$(ours sg sg --sg-io mmap)"
	["clonedeck, sg indirect"]="$(ours sg sg --sg-io indirect)"
	["clonedeck, sg to block"]="$(ours sg auto)"
	["clonedeck, block to sg"]="$(ours auto sg)"
)

# once NAME: seconds of wall clock and of processor
once() {
	local before after spent
	local -a command
	read -ra command <<<"${programs[$1]}"
	blockdev --flushbufs "$source" "$destination"
	read -r before _ </proc/uptime
	spent=$({ TIMEFORMAT='%U %S' && time "${command[@]}" >output 2>&1; } 2>&1) || return 1
	read -r after _ </proc/uptime
	awk -v a="$before" -v b="$after" -v cpu="$spent" \
		'BEGIN { split(cpu, c, " "); printf "%.2f %.2f\n", b - a, c[1] + c[2] }'
}

for ((round = 0; round < rounds; round++)); do
	while read -r name; do
		once "$name" >>"times.$name" || echo "failed: $name: $(tail -n 1 output)" >&2
	done < <(printf '%s\n' "${!programs[@]}" | shuf)
done

# A clock_gettime is a system call only here: other kernels answer it without one.
calls_per_mib() { # NAME
	local -a command
	read -ra command <<<"${programs[$1]}"
	strace -f -c -e '!clock_gettime' -o calls "${command[@]}" >/dev/null 2>&1 || return 0
	awk -v mib="$size" '$NF == "total" { printf "%.1f", $4 / mib }' calls
}

median() { # FILE COLUMN
	sort -n -k "$2,$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}

printf '%-32s %8s %8s %8s %10s\n' "$size MiB, $rounds rounds" 'wall s' spread 'cpu s' calls/MiB
for name in "${!programs[@]}"; do
	[ -s "times.$name" ] || continue
	spread=$(sort -n "times.$name" | awk '{ v[NR] = $1 } END { printf "%.0f%%", 100 * (v[NR] - v[1]) / v[int((NR + 1) / 2)] }')
	printf '%-32s %8s %8s %8s %10s\n' "$name" "$(median "times.$name" 1)" "$spread" \
		"$(median "times.$name" 2)" "$(calls_per_mib "$name")"
done | sort
