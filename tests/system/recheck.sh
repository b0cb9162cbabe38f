#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Another system, or another program, writes to the source while it is copied: that is found and
# named, and nothing can be made of such a copy.
. "$(dirname -- "$0")/lib.sh"

two_disks() {
	source=$(new_disk source 32)
	destination=$(new_disk destination 32)
}

# In the background, 8 s long; its map is copy.map.
begin_copy() {
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir logs --map copy.map --rate 4M >out 2>err &
	copy=$!
}

# copied MIB: that one is on the destination.
copied() {
	wait_for same "$(backing "$source")" $(($1 * MIB)) "$(backing "$destination")" \
		$(($1 * MIB)) "$MIB"
}

# report FILTER: true of the last report.
report() {
	jq -e "$1" "$(find logs -name '*.json' | sort | tail -n 1)"
}

# Through a loop device of its own over the same bytes, as a virtual machine or a cluster does.
a_file_system_that_is_mounted_elsewhere() {
	two_disks
	partition_gpt "$source"
	start=$(partx -g -n 2 -o START "$source")
	begin_copy
	copied 2
	elsewhere=$(attach "$case_dir/source.img" --offset $((start * 512)) --sizelimit $((16 * MIB)))
	mount_at "$case_dir/there" "$elsewhere"
	head -c 64K /dev/urandom >there/file
	umount there
	sync "$elsewhere"
	ends 5
	says MISMATCH
	says 'the source changed during the copy'
	says 'partition 2'
	says "Another system or program is writing to $source."
	# Its superblock, which is the third sector.
	report ".armed == false and any(.verify.mismatches[]; .kind == \"source\" and
		.partition == 2 and .lba >= $start and .lba <= $start + 2)"
	nothing_to_find "$destination"
}

bytes_that_were_copied_already() {
	two_disks
	begin_copy
	copied 15
	head -c 8M /dev/urandom >other
	dd if=other of=source.img bs=1M seek=8 conv=notrunc status=none
	ends 5
	says MISMATCH
	says '8 areas checked, 1 changed'
	report '.verify.source_recheck.changed == 1 and .verify.mismatch_areas == 1 and
		(.verify.mismatches[0] | .kind == "source" and .lba >= 8 * 2048 and .lba < 16 * 2048)'
	report '.armed == false and .result == "MISMATCH" and .exit_code == 5'
	grep -q 'mixes two states' logs/*.html
	nothing_to_find "$destination"
	same source.img 0 "$(backing "$destination")" 0 512 && fail "it was armed"
	# It rests now: all of it is copied again.
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	says 'all unchanged'
	report '.verify.source_recheck | .areas >= 4 and .changed == 0 and
		.skipped_because == null'
	cmp source.img "$(backing "$destination")"
}

one_that_is_mounted_here_may_change() {
	two_disks
	mkfs.ext4 -q -F "$source"
	mount_at "$case_dir/here" "$source"
	begin_copy
	copied 2
	head -c 64K /dev/urandom >here/file
	sync here/file
	ends 0
	says 'it is in use on this machine'
	report '.verify.source_recheck.skipped_because == "in-use"'
}

run_together 3 a_file_system_that_is_mounted_elsewhere bytes_that_were_copied_already \
	one_that_is_mounted_here_may_change
