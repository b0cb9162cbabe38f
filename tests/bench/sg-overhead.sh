#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a request through the sg driver costs, beside one through the block node of the same disk:
# scsi_debug without a delay, in a user-mode kernel. `bench engines` measures both in interleaved
# rounds, one request at a time; printed are the medians of the time and of the processor time for a
# read, how far the rounds were apart, and the system calls, each of which costs many times what it
# does elsewhere. Only ratios within one run mean anything.
#
# usage: sg-overhead.sh [-r ROUNDS]; CLONEDECK names the program
set -u
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
rounds=7
while getopts r: option; do
	case $option in
	r) rounds=$OPTARG ;;
	*) exit 1 ;;
	esac
done
shift $((OPTIND - 1))
if [ "${1:-}" != inside ]; then
	LAB_VISIBLE=$(dirname -- "${CLONEDECK:?the program to measure}") exec "$here/../lab/uml-run" \
		-t $((300 + rounds * 60)) -m scsi_debug,dev_size_mb=64,delay=0 \
		"$here/sg-overhead.sh" -r "$rounds" inside
fi

work=$(mktemp -d)
cd "$work" || exit 99
for ((i = 0; i < 300; i++)); do
	disk=$(lsblk -dno PATH,MODEL | awk '/scsi_debug/ { print $1 }')
	[ -z "$disk" ] || break
	sleep 0.1
done
udevadm settle
echo 1 >/sys/module/sg/parameters/allow_dio
"$CLONEDECK" bench engines "$disk" --rounds "$rounds" --log-dir . --json >engines.json || exit

echo "Linux $(uname -r), UML; $rounds rounds, random reads one at a time"
printf '%-8s %-12s %8s %6s %8s %8s %8s\n' size path us '+-' 'CPU us' 'of block' calls
jq -r '.figures[] | select(.table == "random") | [.row, .column, .median, .smallest, .largest] | @tsv' engines.json |
	awk -F '\t' '
	$2 == "ops" { us[$1] = 1e6 / $3; spread[$1] = 100 * ($5 - $4) / 2 / $3; order[n++] = $1 }
	$2 == "cpu" { cpu[$1] = 1e6 * $3 }
	$2 == "calls" { calls[$1] = $3 }
	END {
		name["threads"] = "block"
		name["sg"] = "sg direct"
		name["sg-mmap"] = "sg mapped"
		name["sg-indirect"] = "sg indirect"
		for (i = 0; i < n; i++) {
			row = order[i]
			size = path = row
			sub("-.*", "", size)
			sub("^[0-9]*-", "", path)
			if (path in name)
				printf "%-8d %-12s %8.1f %5.0f%% %8.1f %8.2f %8.2f\n", size, name[path], us[row],
					spread[row], cpu[row], us[row] / us[size "-threads"], calls[row]
		}
	}'
