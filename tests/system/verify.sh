#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Verifying on its own: clones of any tool against their source, and years later against the
# list of digests that the report names. Nothing is ever written.
. "$(dirname -- "$0")/lib.sh"

two_disks() {
	source=$(new_disk source 24)
	destination=$(new_disk destination 24)
}

# spoil LBA: one byte of that sector of the destination is another one.
spoil() {
	byte=$(od -An -tu1 -j $(($1 * 512 + 100)) -N 1 "$(backing "$destination")")
	printf "%b" "\\x$(printf %02x $(((byte + 1) % 256)))" |
		dd of="$destination" bs=1 seek=$(($1 * 512 + 100)) conv=notrunc,fsync status=none
}

unchanged() { # COMMAND...: and neither disk is another one afterwards
	before=$(digest "$(backing "$source")")$(digest "$(backing "$destination")")
	"$@"
	[ "$(digest "$(backing "$source")")$(digest "$(backing "$destination")")" = "$before" ]
}

a_clone_of_another_tool() {
	two_disks
	dd if="$source" of="$destination" bs=1M conv=fsync status=none
	unchanged run 0 verify -s "$source" -d "$destination"
	says VERIFIED
	spoil 12345
	unchanged run 5 verify -s "$source" -d "$destination"
	says MISMATCH
	says 'LBA 12345 +1'
	run 5 verify -s "$source" -d "$destination" --json
	jq -es '.[-1] | .schema == "clonedeck.verify/1" and .exit_code == 5 and
		.verify.mismatches[0].lba == 12345 and .verify.mismatches[0].first_byte.offset == 100' out
}

ranges_and_another_place() {
	two_disks
	dd if="$source" of="$destination" bs=512 skip=3000 seek=5000 count=4000 conv=notrunc,fsync \
		status=none
	run 0 verify -s "$source" -d "$destination" -r 3000+4000 --at 5000
	run 5 verify -s "$source" -d "$destination" -r 3000+4001 --at 5000
	says 'LBA 7000 +1 -> LBA 9000'
	run 1 verify -s "$source" -d "$destination" -r 49000+4001
}

without_the_source() {
	two_disks
	clone 0 "$source" "$destination"
	report=$(echo logs/*.json)
	detach "$source"
	rm source.img
	run 0 verify "$report" -d "$destination"
	says 'digests'
	spoil 40000
	before=$(digest "$(backing "$destination")")
	run 5 verify "$report" -d "$destination"
	says 'LBA 38912 +2048'
	[ "$(digest "$(backing "$destination")")" = "$before" ]
	# Moved together, they still find each other.
	mkdir elsewhere
	mv logs/* elsewhere
	run 5 verify "elsewhere/${report##*/}" -d "$destination"
}

files_that_cannot_be_used() {
	two_disks
	other=$(new_disk other 24)
	clone 0 "$source" "$destination"
	report=$(echo logs/*.json)
	list=$(echo logs/*.digests)
	run 3 verify "$report" -d "$other"
	says 'is not the disk of'
	cp "$list" whole
	head -c 2000 whole >"$list"
	run 1 verify "$report" -d "$destination"
	sed 's/^2048 2048 ./2048 2048 x/' whole >"$list"
	run 1 verify "$report" -d "$destination"
	sed '/^2048 2048 /s/.$/0/; /^4096 2048 /s/.$/1/' whole >"$list"
	run 1 verify "$report" -d "$destination"
	says 'changed or damaged'
	rm "$list"
	run 2 verify "$report" -d "$destination"
	head -c 500 "$report" >cut.json
	run 1 verify cut.json -d "$destination"
	run 1 verify whole -d "$destination"
	run 1 verify /dev/null -d "$destination"
	run 1 verify -d "$destination"
	run 1 verify "$report" -s "$source" -d "$destination"
	run 1 verify "$report"
}

what_is_in_use() {
	two_disks
	mkfs.ext4 -q -F "$source"
	dd if="$source" of="$destination" bs=1M conv=fsync status=none
	mount_at "$case_dir/here" "$destination"
	run 3 verify -s "$source" -d "$destination"
	says 'Nothing is verified'
}

run_cases a_clone_of_another_tool ranges_and_another_place without_the_source \
	files_that_cannot_be_used what_is_in_use
