#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# bench rbuf beside sg_rbuf, over the sg driver of an emulated machine, on a disk that answers READ
# BUFFER (../lab/tcmu-disk): the median of the ratios of interleaved rounds, for each size and way.
# Only ratios mean anything there.
#
# usage: rbuf-table.sh [-r ROUNDS] [-s KIB]; CLONEDECK names the program
set -u
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
rounds=7
size=2048
while getopts r:s: option; do
	case $option in
	r) rounds=$OPTARG ;;
	s) size=$OPTARG ;;
	*) exit 1 ;;
	esac
done
shift $((OPTIND - 1))
if [ "${1:-}" != inside ]; then
	exec "$here/../lab/qemu-run" -t 1500 -m uio -m target_core_mod -m target_core_user -m tcm_loop \
		"$here/rbuf-table.sh" -r "$rounds" -s "$size" inside
fi

mkdir -p /tmp/rbuf && cd /tmp/rbuf || exit 99
mount -t configfs configfs /sys/kernel/config 2>/dev/null
"$here/../lab/tcmu-disk" 1048576 >handler 2>&1 &
for ((i = 0; i < 300; i++)); do
	! grep -q ready handler || break
	sleep 0.1
done
loop=/sys/kernel/config/target/loopback/naa.6001405000000001/tpgt_1
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
	exit 1
}
udevadm settle
sg=/dev/$(ls "/sys/block/${disk#/dev/}/device/scsi_generic")
echo 1 >/sys/module/sg/parameters/allow_dio

declare -A option=([none]=--quick [mmap]=--mmap [direct]=--dio [indirect]='')
for ((round = 0; round < rounds; round++)); do
	"$CLONEDECK" bench rbuf "$disk" --size "${size}K" --time 60 --log-dir . --json >ours.json || exit
	for row in $(jq -r '.tables[0].rows[].key' ours.json); do
		for way in none mmap direct indirect; do
			ours=$(jq -r --arg row "$row" --arg way "$way" '.figures[] | select(.table == "rbuf" and
				.row == $row and .column == $way).median' ours.json)
			# shellcheck disable=SC2086 # no option is none
			theirs=$(sg_rbuf --buffer="$row" --size=$((size * 1024)) --time ${option[$way]} "$sg" 2>&1 |
				sed -n 's/.*time to read data from buffer was \([0-9.]*\) secs.*/\1/p')
			[ -z "$ours" ] || [ -z "$theirs" ] || echo "$row $way $ours $theirs"
		done
	done
done >all
jq -r '.tables[0].title' ours.json
"$CLONEDECK" bench rbuf "$disk" --size "${size}K" --time 60 --log-dir .
printf '\n%9s %-9s %9s %9s %6s\n' size way 'bench s' 'sg_rbuf s' ratio
sort -k 1,1n -k 2,2 all | awk '
	function middle(values, n,  i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
				t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
			}
		return values[int((n + 1) / 2)]
	}
	function say() {
		if (n)
			printf "%9d %-9s %9.3f %9.3f %6.3f\n", row, way, middle(a, n), middle(b, n), middle(r, n)
		n = 0
	}
	$1 != row || $2 != way { say(); row = $1; way = $2 }
	{ n++; a[n] = $3; b[n] = $4; r[n] = $3 / $4 }
	END { say() }'
