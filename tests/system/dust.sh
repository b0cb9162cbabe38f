#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The block layer's own bad sectors, those of dm-dust in a user-mode kernel, beside GNU ddrescue:
# the same sectors come off the disk, and no more reads of it fail.
. "$(dirname -- "$0")/scsi-lib.sh"
[ "${1:-}" = inside ] || enter_uml -t 900 -m dm-dust -m dm-delay \
	-m scsi_debug,dev_size_mb=12,add_host=3,per_host_store=1
. "$(dirname -- "$0")/lib.sh"

need dmsetup ddrescue ddrescuelog

unmap() { # NAME
	dmsetup remove --retry "$1"
}

# LBA+SECTORS...: the first disk with these bad, in $source.
dusty() {
	local place lba
	fill_disks
	destination=${disks[1]}
	dmsetup create dusty --table "0 $(blockdev --getsz "${disks[0]}") dust ${disks[0]} 0 512"
	undone_by unmap dusty
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

# The page cache reads whole pages, but no more than the bad sectors are lost.
through_the_page_cache_only_bad_sectors_are_lost() {
	dusty 0+1 5003+1 9000+3 9100+1 14000+9 24575+1
	run 4 clone -s "$source" -d "$destination" --confirm "$(token_of "$destination")" \
		--source-backend buffered --map "$case_dir/ours.map" --log-dir logs
	diff <(ddrescuelog -b 512 -l- ours.map | sort -n) \
		<(printf '%s\n' 0 5003 9000 9001 9002 9100 {14000..14008} 24575)
	[ "$(ddrescuelog -b 512 -l '?*/' ours.map | wc -l)" -eq 0 ]
}

# A disk that takes long over each bad sector: what is shown meanwhile holds. The percentage of all
# never falls, and no time is told while sectors are read one by one. The rate makes verification
# long enough for a time to be known.
a_slow_rescue_is_not_guessed() {
	dusty 5000+150 20000+1
	dmsetup create slow --table "0 $(blockdev --getsz "$source") delay $source 0 20"
	undone_by unmap slow
	source=/dev/mapper/slow
	run 4 clone -s "$source" -d "$destination" --confirm "$(token_of "$destination")" \
		--rate 2M --json --log-dir logs
	jq -c 'select(.schema == "clonedeck.progress/1")' out >lines
	jq -r '"\(.pass) \(.percent) \(.left) \(.pass_left) \(.rate.write)"' lines
	jq -se 'map(.percent) | . == sort and last == 100 and (.[:-1] | max) < 100' lines
	jq -se 'map(select(.pass == "trim" or .pass == "scrape" or .pass == "retry")) |
		length > 1 and all(.left == null and .pass_left == null)' lines
	# After the rescue there is no reason to doubt.
	jq -se 'map(select(.left != null)) | length > 0' lines
	jq -se 'map(select(.rate.write > 0)) | length > 0' lines
}

run_cases the_same_sectors_with_no_more_failed_reads \
	through_the_page_cache_only_bad_sectors_are_lost a_slow_rescue_is_not_guessed
