#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the file systems use is copied first, or alone; and what becomes of the rest.
. "$(dirname -- "$0")/lib.sh"

need mkfs.ext4 e2fsck ddrescuelog

# A disk with noise wherever its ext4 has nothing, in $source; and noise to copy it to.
two_disks() {
	local i
	source=$(new_disk source 64)
	destination=$(new_disk destination 64)
	target=$(backing "$destination")
	sfdisk -q --wipe always "$source" <<<$'label: gpt\nstart=2048, size=56MiB, type=linux'
	know_partitions "$source" 1
	mkfs.ext4 -q -F -E nodiscard "${source}p1"
	mount_at folder "${source}p1"
	for i in {1..60}; do
		head -c $((i * 5000)) /dev/urandom >"folder/$i"
	done
	rm folder/*[37]
	umount folder
	sync "${source}p1"
}

# Each file is there, and the file system is in order.
same_files() {
	know_partitions "$destination" 1
	e2fsck -fn "${destination}p1"
	mount_at theirs -o ro "${source}p1"
	mount_at copied -o ro "${destination}p1"
	diff -r theirs copied
	umount theirs copied
}

# "LBA SECTORS" of each place that the map leaves out.
left_out() {
	/usr/bin/python3 - copy.map <<-'PYTHON'
		import sys
		end = 0
		for line in open(sys.argv[1]):
		    if line.startswith("# clonedeck left_out="):
		        for place in line.split("=")[1].split(","):
		            gap, count = (int(n, 16) for n in place.split("+"))
		            print(end + gap, count)
		            end += gap + count
	PYTHON
}

# free_hold FILE: what the destination has in free places is what this file has there.
free_hold() {
	local lba sectors count=0
	while read -r lba sectors; do
		same "$target" $((lba * 512)) "$1" $((lba * 512)) $((sectors * 512))
		count=$((count + sectors))
	done < <(left_out)
	[ "$count" -gt 40000 ]
}

# start_copy OPTION...: a slow one in the background, until some of it is there.
start_copy() {
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" --rate 8M \
		--log-dir logs --map copy.map "$@" >out 2>err &
	copy=$!
	wait_for grep -q '^0x.*+$' copy.map
}

go_on_after_a_kill() {
	kill -KILL "$copy"
	wait "$copy" || true
	wait_for held_by_nobody "$source"
	wait_for held_by_nobody "$destination"
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
}

only_what_is_used_is_copied_and_the_rest_zeroed() {
	two_disks
	clone 0 "$source" "$destination" --used=only --map copy.map --report report.json
	same_files
	truncate -s 64M zeros
	free_hold zeros
	jq -e '.result == "COMPLETE" and .free_places.bytes_left_out == .free_places.bytes_cleared and
		.free_places.then == "zero" and .free_places.checked > 0' report.json
	# They are no part of what is to be copied.
	ddrescuelog -t copy.map | grep -q 'non-tried: *[1-9]'
	[ "$(ddrescuelog -b 512 -l '*/-' copy.map | wc -l)" -eq 0 ]
	run 0 verify report.json -d "$destination"
	says VERIFIED
	run 5 verify -s "$source" -d "$destination"
	says 'clonedeck verify REPORT.json'
	# All of it is read back where that is asked for.
	clone 0 "$source" "$destination" --used=only --verify=compare --report compared.json
	jq -e '.free_places.checked == .free_places.bytes_left_out' compared.json
	says 'and all of it read back'
}

noise_stays_where_it_is_left() {
	two_disks
	cp "$target" noise
	clone 0 "$source" "$destination" --used=only --free=leave --map copy.map
	says free-places-left
	says 'earlier owner'
	free_hold noise
	same_files
}

discarded_places_are_not_read_back() {
	two_disks
	clone 0 "$source" "$destination" --used=only --free=discard --map copy.map --report report.json
	jq -e '.free_places.then == "discard" and .free_places.checked == null' report.json
	same_files
}

first_is_a_whole_copy() {
	two_disks
	clone 0 "$source" "$destination" --used=first --map copy.map
	cmp "$source" "$target"
}

first_is_a_whole_copy_after_a_kill() {
	two_disks
	start_copy --used=first
	go_on_after_a_kill
	cmp "$source" "$target"
}

only_goes_on_after_a_kill() {
	two_disks
	start_copy --used=only
	go_on_after_a_kill
	same_files
	truncate -s 64M zeros
	free_hold zeros
}

# What was free when the plan was made holds a file now, which no resume would copy.
only_does_not_go_on_where_the_source_was_written_to() {
	two_disks
	start_copy --used=only
	kill -INT "$copy"
	ends 6
	mount_at folder "${source}p1"
	noise 20M >folder/new
	umount folder
	before=$(digest "$target")
	run 3 resume copy.map --confirm "$destination" --log-dir logs
	says 'has changed since the plan was made'
	[ "$(digest "$target")" = "$before" ]
}

# damaged_source LBA: $source once more, but for this sector, which cannot be read.
damaged_source() {
	local image
	image=$(backing "$source")
	printf '0 +\n0 0x%x +\n0x%x 0x200 -\n0x%x 0x%x +\n' $(($1 * 512)) $(($1 * 512)) \
		$(($1 * 512 + 512)) $((64 * MIB - $1 * 512 - 512)) >damage.map
	: >reads
	mkdir fuse
	nbdkit --exit-with-parent -f -U "$case_dir/nbd" --filter=log --filter=ddrescue file "$image" \
		ddrescue-mapfile=damage.map logfile="$case_dir/reads" &
	wait_for test -S nbd
	nbdfuse "$case_dir/fuse/disk" --unix "$case_dir/nbd" &
	undone_by unmount "$case_dir/fuse"
	wait_for test -s fuse/disk
	source=$(attach "$case_dir/fuse/disk")
}

a_bad_sector_in_a_free_place_is_read_last_or_never() {
	local bad
	two_disks
	clone 0 "$source" "$destination" --used=only --map copy.map
	bad=$(left_out | sed -n '2s/ .*//p')
	damaged_source "$((bad + 100))"
	clone 0 "$source" "$destination" --used=only
	[ "$(grep -c 'return=-1' reads)" -eq 0 ]
	clone 4 "$source" "$destination" --used=first --report report.json
	grep -q 'return=-1' reads
	jq -e '.bad_bytes == 512' report.json
	jq -e '[.passes[].name] | index("trim") > index("copy-free")' report.json
}

cases=(
	only_what_is_used_is_copied_and_the_rest_zeroed noise_stays_where_it_is_left
	discarded_places_are_not_read_back first_is_a_whole_copy first_is_a_whole_copy_after_a_kill
	only_goes_on_after_a_kill only_does_not_go_on_where_the_source_was_written_to
)
if command -v nbdkit >/dev/null && command -v nbdfuse >/dev/null && [ -c /dev/fuse ]; then
	cases+=(a_bad_sector_in_a_free_place_is_read_last_or_never)
fi
run_together 3 "${cases[@]}"
