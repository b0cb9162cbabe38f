#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench rbuf beside sg_rbuf, through the sg driver, on a disk that answers READ BUFFER
# (../lab/tcmu-disk), in a user-mode kernel or an emulated machine: for each size and way the median
# of both times and of their ratios. Only ratios mean anything there.
#
# usage: rbuf-table.sh [-m uml|qemu] [-r ROUNDS] [-c COMMANDS] [-w WAY]... [-s BYTES]... [-d TIME];
# CLONEDECK names the program. -c: for each figure. -w and -s: only these ways (none, mmap, direct,
# indirect) and sizes. -d: the disk takes TIME microseconds for a command, and a second for 160 MB,
# as an old one does; without it, it takes what the program that plays it needs. Both programs measure
# one size right after each other, each first in every other round, and neither counts what it takes
# to start.
set -u
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
machine=uml
rounds=7
commands=1000
ways=()
sizes=()
pace=()
given=("$@")
while getopts m:r:c:w:s:d: option; do
	case $option in
	m) machine=$OPTARG ;;
	r) rounds=$OPTARG ;;
	c) commands=$OPTARG ;;
	w) ways+=("$OPTARG") ;;
	s) sizes+=("$OPTARG") ;;
	d) pace=("$OPTARG" 160) ;;
	*) exit 1 ;;
	esac
done
shift $((OPTIND - 1))
if [ "${1:-}" != inside ]; then
	two=()
	[ "$machine" = uml ] || two=(-p 2)
	LAB_VISIBLE=$(dirname -- "${CLONEDECK:?the program to measure}") exec "$here/../lab/$machine-run" \
		${two[@]+"${two[@]}"} -M 768 -t 1500 -m uio -m target_core_mod -m target_core_user -m tcm_loop \
		"$here/rbuf-table.sh" ${given[@]+"${given[@]}"} inside
fi
[ ${#ways[@]} -gt 0 ] || ways=(none mmap direct indirect)

work=$(mktemp -d)
cd "$work" || exit 99
. "$here/../lab/tcmu-lib.sh"
read_buffer_disk 1048576 ${pace[@]+"${pace[@]}"} || exit
sg=/dev/$(ls "/sys/block/${disk#/dev/}/device/scsi_generic")
echo 1 >/sys/module/sg/parameters/allow_dio

if [ ${#sizes[@]} -eq 0 ]; then
	"$CLONEDECK" bench rbuf "$disk" --size 16M --time 60 --log-dir . --json >table.json || exit
	read -ra sizes < <(jq -r '[.tables[0].rows[].key] | join(" ")' table.json)
fi

ours() { # SIZE
	"$CLONEDECK" bench rbuf "$disk" --request "$1" --size $(($1 * commands)) --time 60 --log-dir . --json |
		jq -r '.figures[] | select(.table == "rbuf") | "\(.column) \(.median)"' >ours
}
declare -A option=([none]=--quick [mmap]=--mmap [direct]=--dio [indirect]='')
theirs() { # SIZE
	local way
	for way in "${ways[@]}"; do
		# shellcheck disable=SC2086 # no option is none
		sg_rbuf --buffer="$1" --size=$(($1 * commands)) --time ${option[$way]} "$sg" 2>&1 |
			sed -n "s/.*time to read data from buffer was \([0-9.]*\) secs.*/$way \1/p"
	done >theirs
}
for ((round = 0; round < rounds; round++)); do
	for size in "${sizes[@]}"; do
		if ((round % 2)); then
			ours "$size" && theirs "$size"
		else
			theirs "$size" && ours "$size"
		fi
		for way in "${ways[@]}"; do
			a=$(awk -v way="$way" '$1 == way { print $2 }' ours)
			b=$(awk -v way="$way" '$1 == way { print $2 }' theirs)
			[ -z "$a" ] || [ -z "$b" ] || echo "$size $way $a $b"
		done
	done
done >all

echo "Linux $(uname -r), $machine, $(nproc) processors, $rounds rounds of $commands commands"
printf '%9s %-9s %9s %9s %6s %8s\n' size way 'bench us' 'sg_rbuf us' ratio shortest
sort -k 1,1n -k 2,2 all | awk -v commands="$commands" '
	function sort(values, n,  i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
				t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
			}
	}
	function middle(values, n) {
		sort(values, n)
		return values[int((n + 1) / 2)]
	}
	function say() {
		if (n) {
			printf "%9d %-9s %9.1f %9.1f %6.3f", row, way, middle(a, n) * 1e6 / commands,
				middle(b, n) * 1e6 / commands, middle(r, n)
			printf " %8.3f\n", a[1] / b[1]
		}
		n = 0
	}
	$1 != row || $2 != way { say(); row = $1; way = $2 }
	{ n++; a[n] = $3; b[n] = $4; r[n] = $3 / $4 }
	END { say() }'
