#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The copy table of the old fast-copy page, with today's programs: one disk onto
# another by dd, sg_dd, sgp_dd, sgm_dd and clonedeck, through block and sg nodes and
# with direct IO (what the raw nodes once were). Runs on scsi_debug disks without a
# delay, in a user-mode kernel with one processor or in an emulated machine with two;
# only the ratios of one run mean anything.
#
# usage: sg-table.sh [-m uml|qemu] [-r ROUNDS] [-s MIB]; CLONEDECK names the program
# Rounds are interleaved, each in another order, and each program comes twice in a
# round: over all of the disk, and over its first MiB, which is what it takes to start
# and to end. Medians and spread; the time of processor of all threads; the system
# calls for each MiB, from runs of their own. Three more rows only read, only write
# zeros, and only make these zeros. Such a disk works inside the call, so what reading
# and writing take together, divided by the processors, is the least that a copy takes.
set -u
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
. "$here/../system/scsi-lib.sh"
machine=uml
rounds=5
size=1024
while getopts m:r:s: option; do
	case $option in
	m) machine=$OPTARG ;;
	r) rounds=$OPTARG ;;
	s) size=$OPTARG ;;
	*) exit 1 ;;
	esac
done
shift $((OPTIND - 1))
if [ "${1:-}" != inside ]; then
	gib=$(((size + 1023) / 1024))
	two=()
	[ "$machine" = uml ] || two=(-p 2)
	LAB_VISIBLE=$(dirname -- "${CLONEDECK:?the program to measure}") exec "$here/../lab/$machine-run" \
		${two[@]+"${two[@]}"} -M 768 -t $((gib * rounds * 1200)) \
		-m scsi_debug,dev_size_mb=64,virtual_gb="$gib",add_host=2,per_host_store=1,delay=0 \
		"$here/sg-table.sh" -r "$rounds" -s "$((gib * 1024))" inside
fi

work=$(mktemp -d)
cd "$work" || exit 99
for ((i = 0; i < 300; i++)); do
	[ ! -b /dev/sdb ] || break
	sleep 0.1
done
udevadm settle
# shellcheck disable=SC2012 # kernel names
read -r source destination < <(ls -d /dev/sd? | paste -sd ' ')
source_sg=$(sg_of "$source")
destination_sg=$(sg_of "$destination")
token=$(token_of "$destination")
processors=$(nproc)
echo 1 >/sys/module/sg/parameters/allow_dio

declare -A programs little
# add NAME LITTLE COMMAND...: LITTLE is the option for a MiB only
add() {
	programs["$1"]="${*:3}"
	little["$1"]=$2
}
sg() { # NAME PROGRAM KIB OPTION...: from sg node to sg node
	add "$1" count=2048 "$2 if=$source_sg of=$destination_sg bs=512 bpt=$(($3 * 2))" "${@:4}"
}
ours() { # NAME SOURCE-BACKEND DESTINATION-BACKEND OPTION...
	add "$1" --ranges=0+2048 "$CLONEDECK clone -s $source -d $destination --source-backend $2" \
		"--destination-backend $3 --confirm $token --log-dir $work/logs --no-verify --no-arm-last" "${@:4}"
}
limit_read='limit: only read, sg, direct'
limit_write='limit: only write, sg, direct'
limit_zeros='limit: only make what is written'
add "$limit_read" count=2048 "sg_dd if=$source_sg of=. bs=512 bpt=2048 dio=1"
add "$limit_write" count=2048 "sg_dd iflag=00 of=$destination_sg bs=512 bpt=2048 dio=1 count=$((size * 2048))"
add "$limit_zeros" count=2048 "sg_dd iflag=00 of=. bs=512 bpt=2048 count=$((size * 2048))"
add 'dd 64k, block' count=16 "dd if=$source of=$destination bs=64k conv=fsync"
add 'dd 1M, block, direct (raw)' count=1 "dd if=$source of=$destination bs=1M iflag=direct oflag=direct"
add 'sg_dd 64k, block' count=2048 "sg_dd if=$source of=$destination bs=512 bpt=128"
sg 'sg_dd 512k, sg, direct' sg_dd 512 dio=1
sg 'sg_dd 1M, sg, direct' sg_dd 1024 dio=1
# What it maps is a buffer of the driver, no larger than the block layer's requests are.
mapped=$(cat "/sys/block/${source#/dev/}/queue/max_sectors_kb" \
	"/sys/block/${destination#/dev/}/queue/max_sectors_kb" | sort -n | head -n 1)
for kib in 256 512 1024; do
	[ "$kib" -gt "$mapped" ] || sg "sgm_dd ${kib}k, sg" sgm_dd "$kib"
done
for kib in 512 1024; do
	for threads in 1 2 4; do
		sg "sgp_dd ${kib}k thr $threads, sg, direct" sgp_dd "$kib" thr="$threads" dio=1
		sg "sgp_dd ${kib}k thr $threads, sg" sgp_dd "$kib" thr="$threads"
	done
done
ours 'clonedeck, block' auto auto
ours 'clonedeck, sg direct' sg sg
ours 'clonedeck, sg mmap' sg sg --sg-io mmap
ours 'clonedeck, sg indirect' sg sg --sg-io indirect
ours 'clonedeck, sg to block' sg auto
ours 'clonedeck, block to sg' auto sg

# once COMMAND...: seconds of wall clock and of processor. What udev makes of the
# program before is over; what it makes of this one is the next one's.
once() {
	local before after spent
	blockdev --flushbufs "$source" "$destination"
	udevadm settle
	read -r before _ </proc/uptime
	spent=$({ TIMEFORMAT='%U %S' && time "$@" >output 2>&1; } 2>&1) || return 1
	read -r after _ </proc/uptime
	awk -v a="$before" -v b="$after" -v cpu="$spent" \
		'BEGIN { split(cpu, c, " "); printf "%.2f %.2f ", b - a, c[1] + c[2] }'
}

# A line in "times.NAME": wall and processor, and the same of the first MiB.
both() { # NAME
	local -a command
	local all first
	# the last word wins where a command has two counts
	read -ra command <<<"${programs[$1]}"
	if all=$(once "${command[@]}") && first=$(once "${command[@]}" "${little[$1]}"); then
		echo "$round $all$first" >>"times.$1"
	else
		echo "failed: $1: $(tail -n 1 output)" >&2
	fi
}

for ((round = 0; round < rounds; round++)); do
	while read -r name; do
		both "$name"
	done < <(printf '%s\n' "${!programs[@]}" | shuf)
done

# A clock_gettime is a system call only here: other kernels answer it without one.
calls_of() { # COMMAND...
	strace -f -c -e '!clock_gettime' -o calls "$@" >/dev/null 2>&1 || return 0
	awk '$NF == "total" { print $4 }' calls
}

# In "calls.NAME": for each MiB behind the first.
calls_per_mib() { # NAME
	local -a command
	read -ra command <<<"${programs[$1]}"
	echo "$(calls_of "${command[@]}") $(calls_of "${command[@]}" "${little[$1]}")" |
		awk -v mib=$((size - 1)) 'NF == 2 { printf "%.2f", ($1 - $2) / mib }' | tee "calls.$1"
}

median() { # EXPRESSION: of the fields of each line of standard input, as awk has it
	awk "{ print $1 }" | sort -n | awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) / 2)] }'
}

row='%-32s %7s %7s %8s %7s %8s %10s\n'
echo "$size MiB, $rounds rounds, $processors processors"
# shellcheck disable=SC2059 # one format for all rows
printf "$row" '' 'wall s' spread 'no start' 'cpu s' 'no start' calls/MiB
for name in "${!programs[@]}"; do
	[ -s "times.$name" ] || continue
	spread=$(sort -n -k 2,2 "times.$name" |
		awk '{ v[NR] = $2 } END { printf "%.0f%%", 100 * (v[NR] - v[1]) / v[int((NR + 1) / 2)] }')
	# shellcheck disable=SC2059,SC2016
	printf "$row" "$name" "$(median '$2' <"times.$name")" "$spread" "$(median '$2 - $4' <"times.$name")" \
		"$(median '$3' <"times.$name")" "$(median '$3 - $5' <"times.$name")" "$(calls_per_mib "$name")"
done | sort

# ratio NAME OTHER FIELD: the median of the rounds, with the start and without.
ratio() {
	local lines
	lines=$(join <(sort "times.$1") <(sort "times.$2"))
	echo "$(median "\$$3 / \$($3 + 4)" <<<"$lines") x, without their starts" \
		"$(median "(\$$3 - \$($3 + 2)) / (\$($3 + 4) - \$($3 + 6))" <<<"$lines") x"
}

# best PREFIX: the fastest of those whose names begin so
best() {
	for name in "${!programs[@]}"; do
		# shellcheck disable=SC2016
		[[ $name != "$1"* || ! -s "times.$name" ]] || echo "$(median '$2' <"times.$name") $name"
	done | sort -n | head -n 1 | cut -d ' ' -f 2-
}

join <(sort "times.$limit_read") <(sort "times.$limit_write") | join - <(sort "times.$limit_zeros") |
	awk -v n="$processors" '{ print $1, ($2 + $6 - $10) / n, $3 + $7 - $11, ($4 + $8 - $12) / n, $5 + $9 - $13 }' \
		>times.limit
ours='clonedeck, sg direct'
sgp=$(best sgp_dd)
sgm=$(best sgm_dd)
cat <<TEXT

The fastest: $sgp; $sgm. The limit: reading and writing on all processors.
wall, limit / sgp_dd: $(ratio limit "$sgp" 2)
wall, clonedeck / sgp_dd (goal: 0.50): $(ratio "$ours" "$sgp" 2)
wall, clonedeck / sgm_dd (goal: 0.60): $(ratio "$ours" "$sgm" 2)
wall, clonedeck / limit: $(ratio "$ours" limit 2)
processor, direct / indirect (goal: 0.60): $(ratio "$ours" 'clonedeck, sg indirect' 3)
system calls for each MiB, clonedeck / sgp_dd (goal: 0.50): $(
	paste -d ' ' "calls.$ours" "calls.$sgp" | awk '{ printf "%.2f", $1 / $2 }') x
TEXT
