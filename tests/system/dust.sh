#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The block layer's own bad sectors, those of dm-dust in a user-mode kernel, beside GNU ddrescue:
# the same sectors come off the disk, and no more reads of it fail.
. "$(dirname -- "$0")/scsi-lib.sh"
[ "${1:-}" = inside ] || enter_uml -t 100 -m dm-dust \
	-m scsi_debug,dev_size_mb=12,add_host=3,per_host_store=1
. "$(dirname -- "$0")/lib.sh"

need dmsetup ddrescue ddrescuelog

# LBA+SECTORS...: the first disk with these bad, in $source.
dusty() {
	local place lba
	fill_disks
	destination=${disks[1]}
	dmsetup create dusty --table "0 $(blockdev --getsz "${disks[0]}") dust ${disks[0]} 0 512"
	source=/dev/mapper/dusty
	for place in "$@"; do
		for ((lba = ${place%+*}; lba < ${place%+*} + ${place#*+}; lba++)); do
			dmsetup message dusty 0 addbadblock "$lba" >/dev/null
		done
	done
	dmsetup message dusty 0 enable
}

# As it counted them itself.
rescued_by_ddrescue() {
	ddrescue -d "$source" theirs.img theirs.map >said
	their_errors=$(tr '\r' '\n' <said | sed -n 's/.*read errors: *\([0-9]*\).*/\1/p' | tail -n 1)
}

the_same_sectors_with_no_more_failed_reads() {
	dusty 0+1 5003+1 9000+3 9100+1 14000+9 24575+1
	rescued_by_ddrescue
	run 4 clone -s "$source" -d "$destination" --confirm "$(token_of "$destination")" \
		--map "$case_dir/ours.map" --report "$case_dir/report.json" --log-dir logs
	diff <(ddrescuelog -b 512 -l- ours.map | sort -n) <(ddrescuelog -b 512 -l- theirs.map | sort -n)
	[ "$(ddrescuelog -b 512 -l- ours.map | wc -l)" -eq 16 ]
	[ "$(ddrescuelog -b 512 -l '?*/' ours.map | wc -l)" -eq 0 ]
	truncate -s $((12 * MIB)) theirs.img
	cmp "$destination" theirs.img
	our_errors=$(jq .errors report.json)
	echo "reads that failed: ours $our_errors, ddrescue's $their_errors"
	[ "$our_errors" -le "$their_errors" ]
}

run_cases the_same_sectors_with_no_more_failed_reads
