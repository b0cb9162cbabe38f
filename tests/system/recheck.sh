#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Another system, or another program, writes to the source while it is copied: that is found and
# named, and nothing can be made of such a copy.
. "$(dirname -- "$0")/lib.sh"

two_disks() {
	source=$(new_disk source 32)
	destination=$(new_disk destination 32)
}

# begin_copy [OPTION]...: in the background, 8 s long; its map is copy.map.
begin_copy() {
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir logs --map copy.map --rate 4M "$@" >out 2>err 7>&- &
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
	noise 8M >other
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

mounted_source() { # MOUNT-OPTION...
	two_disks
	mkfs.ext4 -q -F "$source"
	mount_at "$case_dir/here" "$@" "$source"
}

# Nothing in the first part could have known, and the second would copy the rest of another state.
one_that_was_used_while_the_copy_was_stopped() {
	local before
	two_disks
	partition_gpt "$source"
	begin_copy
	copied 2
	kill -TERM "$copy"
	ends 6
	wait_for partx --update "$source"
	mount_at here "${source}p2"
	echo mine >here/mine
	umount here
	sync "${source}p2" "$source"
	before=$(digest "$(backing "$destination")")
	run 5 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	says 'the source changed while the copy was stopped'
	says 'copy all of it anew: clonedeck resume'
	says 'partition 2'
	grep -q 'while the copy was stopped' logs/*.log
	grep -q 'Resume once more to copy all of' logs/*.log
	report '.result == "MISMATCH" and .armed == false and .verify.source_recheck.changed >= 1
		and .verify.source_recheck.changed_before'
	[ "$(digest "$(backing "$destination")")" = "$before" ] || fail "it was written to"
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	cmp "$source" "$(backing "$destination")"
}

# In as many parts as one likes: the first readings are those of the first.
one_that_rests_while_the_copy_is_stopped() {
	two_disks
	partition_gpt "$source"
	begin_copy
	copied 2
	kill -TERM "$copy"
	ends 6
	"$CLONEDECK" resume copy.map --confirm "$destination" --log-dir logs >out 2>err &
	copy=$!
	copied 19
	kill -TERM "$copy"
	ends 6
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	says 'all unchanged'
	cmp "$source" "$(backing "$destination")"
}

one_that_is_mounted_here_is_refused() {
	mounted_source
	clone 3 "$source" "$destination"
	says 'is mounted read-write'
	says 'remount,ro'
	says '--allow source-mounted'
	umount here
	clone 0 "$source" "$destination"
}

one_that_is_mounted_here_read_only_is_like_any_other() {
	mounted_source -o ro
	clone 0 "$source" "$destination"
	report '.source_writer == null and .result == "COMPLETE"'
}

# Whoever asked for it gets it, and is told what he has.
one_that_is_mounted_here_and_written_to() {
	mounted_source
	begin_copy --allow source-mounted
	copied 2
	noise 1M >here/file
	sync here/file
	sync -f here
	ends 5
	says 'MISMATCH - copied while the source was in use: it changed meanwhile'
	says 'CHANGES OF THE SOURCE'
	report '.exit_code == 5 and .armed and .source_writer == "it was mounted read-write at '"$case_dir/here"'" and
		.verify.complete and .verify.source_recheck.changed >= 1 and
		any(.verify.mismatches[]; .kind == "source")'
	grep -q 'copied while the source was in use' logs/*.html
}

one_that_is_mounted_here_and_rests() {
	mounted_source
	sync -f here
	clone 4 "$source" "$destination" --allow source-mounted
	says 'UNCERTAIN - copied while the source was in use: not one moment of it'
	report '.result == "UNCERTAIN" and .exit_code == 4 and .armed and
		(.verify.source_recheck | .changed == 0 and .skipped_because == null)'
	grep -q '<strong>UNCERTAIN' logs/*.html
	# Nobody forgets it over a stop.
	noise 32M 1<>destination.img
	begin_copy --allow source-mounted
	copied 2
	kill -INT "$copy"
	ends 6
	# Unmounting it writes its superblock.
	umount here
	run 5 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	says 'copied while the source was in use: it changed meanwhile'
	report '.result == "MISMATCH"'
}

a_program_that_may_write() {
	two_disks
	exec 7<>"$source"
	clone 3 "$source" "$destination"
	exec 7>&-
	says "has $source open for writing"
	says '--allow source-in-use'
	# It came while the copy ran.
	begin_copy
	copied 2
	exec 7<>"$source"
	ends 4
	exec 7>&-
	says 'UNCERTAIN'
	report '.source_writer | contains("open for writing")'
}

run_together 3 one_that_was_used_while_the_copy_was_stopped \
	one_that_rests_while_the_copy_is_stopped a_file_system_that_is_mounted_elsewhere bytes_that_were_copied_already \
	one_that_is_mounted_here_is_refused one_that_is_mounted_here_read_only_is_like_any_other \
	one_that_is_mounted_here_and_written_to one_that_is_mounted_here_and_rests \
	a_program_that_may_write
