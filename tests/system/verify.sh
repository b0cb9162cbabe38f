#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Verifying on its own: clones of any tool against their source, and years later against the
# list of digests that the report names. Nothing is ever written.
. "$(dirname -- "$0")/lib.sh"
here=$(cd -- "$(dirname -- "$0")" && pwd -P)

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

a_larger_destination_is_told_what_is_not_proven() {
	source=$(new_disk source 24)
	destination=$(new_disk destination 32)
	clone 0 "$source" "$destination"
	says '8,388,608 B of the destination, from LBA 49152'
	jq -e '.bytes_left_alone == 8 * 1048576' logs/*.json
	run 0 verify -s "$source" -d "$destination"
	says '8,388,608 B of the destination are no part of it'
	run 0 verify logs/*.json -d "$destination" --json
	jq -es '.[-1].bytes_left_alone == 8 * 1048576' out
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

# What the map saves on the way has confirmed is read back while the rest is copied.
verified_while_it_is_copied() {
	two_disks
	run 0 clone -s "$source" -d "$destination" --verify=rolling --dry-run
	says 'already while the rest is copied'
	run 0 clone -s "$source" -d "$destination" --verify=rolling --confirm "$destination" \
		--log-dir logs --rate 4M --map-interval 1 --json
	jq -es 'map(select(.state == "copying" and .bytes_verified > 0 and
		.bytes_verified <= .bytes_written)) | length > 0' out
	jq -e '.result == "COMPLETE" and .bytes_verified == 24 * 1048576 and
		.verify.bytes_while_copying > 0 and .verify.bytes_compared == 0' logs/*.json
	cmp "$source" "$destination"
}

# Read as what it should be, a file gives zeros behind its end.
an_image_that_ends_too_early() {
	truncate -s 8M source.img
	noise 4M 1<>source.img
	cp source.img copy.img
	run 0 verify -s source.img -d copy.img
	for less in 1 511 512 65536; do
		truncate -s $((8 * MIB - less)) copy.img
		run 3 verify -s source.img -d copy.img
		says 'smaller than what it is to be compared with'
	done
	run 0 verify -s source.img -d copy.img -r 0+8192
	run 3 verify -s source.img -d copy.img -r 0+8192 --at 8192
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
	run 5 verify "$report" -d "$destination"
	says 'LBA 40000 +1'
	spoil 40001
	before=$(digest "$(backing "$destination")")
	run 5 verify "$report" -d "$destination"
	says 'LBA 38912 +2048'
	says 'which of these sectors cannot be told'
	[ "$(digest "$(backing "$destination")")" = "$before" ]
	# Moved together, they still find each other.
	mkdir elsewhere
	mv logs/* elsewhere
	run 5 verify "elsewhere/${report##*/}" -d "$destination"
	# Under another name, too: with an ending of its own, or behind the report's.
	list=$(echo elsewhere/*.digests)
	mv "elsewhere/${report##*/}" elsewhere/customer.json
	mv "$list" elsewhere/customer.digests
	run 5 verify elsewhere/customer.json -d "$destination"
	mv elsewhere/customer.digests elsewhere/customer.json.digests
	run 5 verify elsewhere/customer.json -d "$destination"
	mv elsewhere/customer.json.digests elsewhere/nobody
	run 2 verify elsewhere/customer.json -d "$destination"
	says 'The list of digests is missing'
	says "${report%.json}.digests"
}

# Of a made-up disk of 24 regions each has one lie; the digests find them all, and so does the
# source. The long form of this is tests/soak/corrupt.sh.
a_lie_in_every_region() {
	two_disks
	clone 0 "$source" "$destination"
	read -r regions sectors < <("$here/corrupt.py" "$destination" "$RANDOM")
	[ "$regions" -eq 24 ]
	run 5 verify logs/*.json -d "$destination" --json
	jq -es ".[-1].verify | .mismatch_areas == 24 and (.mismatches | all(.exact == (.sectors == 1)))" out
	run 5 verify -s "$source" -d "$destination" --json
	jq -es ".[-1].verify | .mismatch_bytes == 512 * $sectors and (.mismatches | all(.exact))" out
}

# stopped_copy [OPTION]...: a slow copy is stopped when some of it is there; its map is copy.map.
stopped_copy() {
	rm -rf logs copy.map copy.digests
	dd if=/dev/zero of="$destination" bs=1M seek=8 count=1 conv=notrunc,fsync status=none
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir logs --map copy.map --rate 8M "$@" >out 2>err &
	copy=$!
	wait_for same "$(backing "$source")" $((8 << 20)) "$(backing "$destination")" $((8 << 20)) 512
	kill -INT "$copy"
	wait "$copy" && fail "it was not stopped"
	[ -s copy.digests ]
}

of_the_report() { # JQ-FILTER: holds for the newest report
	report=$(find logs -name '*.json' -printf '%T@ %p\n' | sort -n | tail -n 1)
	report=${report#* }
	jq -e "$1" "$report"
}

digests_of_a_copy_that_goes_on() {
	two_disks
	stopped_copy
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	of_the_report '.verify.complete and .verify.bytes_compared == 0'
	run 0 verify "$report" -d "$destination"
	# Damaged, or of nobody: both ends are read instead.
	for how in 'head -c 3000' 'sed s/[0-9a-f]$/x/' 'head -c 0'; do
		stopped_copy
		$how copy.digests >damaged
		mv damaged copy.digests
		run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
		of_the_report '.verify.complete and .verify.bytes_compared > 0'
	done
}

# Another system writes to the source between its first and its second reading.
a_source_that_changes_is_named() {
	two_disks
	stopped_copy --verify=compare
	dd if=/dev/zero of="$source" bs=512 seek=5000 count=1 conv=notrunc,fsync status=none
	run 5 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	says 'LBA 5000 +1'
	says 'the source has changed since it was read'
	of_the_report '.verify.mismatches[0] | .kind == "source" and .lba == 5000'
	grep -q '>5000<' logs/*.html
}

masked_lists_are_used_like_others() {
	two_disks
	clone 0 "$source" "$destination" --mask-serials
	grep -qx '# clonedeck masked=yes' logs/*.digests
	run 0 verify logs/*.json -d "$destination"
	spoil 40000
	run 5 verify logs/*.json -d "$destination"
}

files_that_cannot_be_used() {
	two_disks
	other=$(new_disk other 24)
	clone 0 "$source" "$destination"
	report=$(echo logs/*.json)
	list=$(echo logs/*.digests)
	run 3 verify "$report" -d "$other"
	says 'is not the disk of'
	run 3 verify "$report" -d "$(new_disk smaller 16)"
	says 'smaller than the copy'
	run 3 verify "$report" -d "$(new_disk larger 32)"
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
	run 3 verify -s "$source" -d "$(new_disk half 12)"
	says 'too small'
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

run_cases an_image_that_ends_too_early a_clone_of_another_tool a_larger_destination_is_told_what_is_not_proven \
	verified_while_it_is_copied ranges_and_another_place \
	without_the_source a_lie_in_every_region digests_of_a_copy_that_goes_on \
	a_source_that_changes_is_named masked_lists_are_used_like_others \
	files_that_cannot_be_used what_is_in_use
