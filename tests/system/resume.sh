#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies that are interrupted, politely or not, and go on from their map.
. "$(dirname -- "$0")/lib.sh"
need mkntfs ntfs-3g /dev/fuse

# start_copy: a slow copy from $source to $destination in the background; $copy is
# its process. Returns when the destination has got some of it.
start_copy() { # [OPTION]...
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir "$case_dir/logs" --map "$case_dir/${map:-copy.map}" --rate "${rate:-4M}" "$@" \
		>"$case_dir/out" 2>"$case_dir/err" &
	copy=$!
	# The first MiB of a whole disk comes last.
	wait_for cmp -i "$MIB" -n $((3 * MIB)) "$source" "$(backing "$destination")"
}

# stopped_copy [OPTION]...: some of it is there, not all.
stopped_copy() {
	start_copy "$@"
	kill -TERM "$copy"
	ends 6
}

two_disks() {
	source=$(new_disk source 64)
	destination=$(new_disk destination 64)
}

go_on() {
	run 0 resume "$case_dir/copy.map" --rate 0 --confirm "$destination" \
		--log-dir "$case_dir/logs"
	cmp "$source" "$(backing "$destination")"
}

SIGTERM_drains_saves_the_map_and_the_copy_goes_on() {
	two_disks
	stopped_copy
	says STOPPED
	says 'the copy was not read back'
	ddrescuelog -t copy.map
	# What the map calls finished is on the medium, and it is not everything.
	finished=$(ddrescuelog -l+ copy.map | wc -l)
	[ "$finished" -gt 0 ]
	[ "$finished" -lt $((64 * MIB / 512)) ]
	ddrescuelog -b 512 -l+ copy.map | while read -r block; do
		echo "$((block * 512))"
	done | sort -n | sed -n '1p;$p' | while read -r offset; do
		same "$source" "$offset" "$(backing "$destination")" "$offset" 512
	done
	# Sectors that the first run had copied are not read again: what changes there since stays.
	run 0 resume copy.map --dry-run --json --log-dir logs
	jq -e --argjson copied "$((finished * 512))" '.bytes_already == $copied' out
	run 0 resume copy.map --dry-run --log-dir logs
	says 'resumes from a map'
	# The map's limit need not be the next part's.
	run 0 resume copy.map --rate 0 --dry-run --json --log-dir logs
	jq -e '.options.rate == null' out
	go_on
}

what_else_ends_a_program_stops_it_too() {
	two_disks
	for signal in QUIT PWR XCPU RTMIN; do
		start_copy
		kill -s "$signal" "$copy"
		ends 6
		ddrescuelog -t copy.map
		rm copy.map
		dd if=/dev/zero of="$destination" bs=1M count=8 oflag=direct status=none
	done
}

clonedeck() { # ARGUMENT...: a command that was printed, and what it does not know
	run 0 "$@" --rate 0 --confirm "$destination" --log-dir "$case_dir/logs"
}

SIGINT_stops_too() {
	two_disks
	map="this copy's.map"
	start_copy
	kill -INT "$copy"
	ends 6
	# How it goes on can be pasted.
	eval "$(jq -r '.next[0]' logs/*.json | sed 's/.*:  //')"
	says COMPLETE
	cmp "$source" "$(backing "$destination")"
	run 1 clone -s "$source" -d "$destination" --map "$map" --confirm "$destination"
	says "clonedeck resume 'this copy'\\''s.map'"
}

kill_9_loses_nothing_that_the_map_calls_finished() {
	two_disks
	start_copy
	# The map is saved at the start and every so often; after kill -9 only those are there.
	wait_for test -s copy.map
	kill -KILL "$copy"
	wait "$copy" || true
	# The kernel lets go of the disk only when the last request has come back.
	wait_for held_by_nobody "$source"
	wait_for held_by_nobody "$destination"
	go_on
}

# A sector that was copied already, $scribbled, becomes another one behind the program's back.
scribble() {
	scribbled=$(ddrescuelog -b 512 -l+ copy.map | head -n 1)
	head -c 512 /dev/urandom >sector
	dd if=sector of="$destination" bs=512 seek="$scribbled" conv=notrunc,fsync status=none
}

# It leaves alone what one that starts over would mend. That it is wrong is found.
a_resumed_copy_does_not_start_over() {
	two_disks
	stopped_copy
	scribble
	run 5 resume "$case_dir/copy.map" --rate 0 --confirm "$destination" \
		--log-dir "$case_dir/logs"
	says MISMATCH
	jq -es --argjson lba "$scribbled" \
		'.[] | select(.result == "MISMATCH") | .verify | .mismatch_areas == 1 and .mismatches[0].lba == $lba' \
		logs/*.json
	same sector 0 "$(backing "$destination")" $((scribbled * 512)) 512
}

# Whoever resumes without verifying must not be told that all is well.
what_was_found_to_differ_is_copied_again() {
	two_disks
	stopped_copy
	scribble
	run 5 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	ddrescuelog -b 512 -l '?' copy.map | grep -qx "$scribbled"
	run 0 resume copy.map --no-verify --confirm "$destination" --log-dir logs
	cmp "$source" "$(backing "$destination")"
}

another_disk_under_the_same_name_is_refused() {
	two_disks
	stopped_copy
	noise $((60 * MIB)) >other.img
	losetup -d "$destination"
	wait_for losetup --direct-io=on "$destination" other.img
	before=$(digest other.img)
	run '2|3' resume copy.map --confirm "$destination" --log-dir logs
	[ "$(digest other.img)" = "$before" ]
}

a_broken_map_is_refused() {
	two_disks
	before=$(digest "$(backing "$destination")")
	printf 'no map at all\n' >copy.map
	run '1|2' resume copy.map --confirm "$destination" --log-dir logs
	says copy.map
	[ "$(digest "$(backing "$destination")")" = "$before" ]
}

SIGUSR1_prints_progress() {
	two_disks
	start_copy
	printed=$(stat -c %s out err | paste -sd +)
	kill -USR1 "$copy"
	wait_for printed_more $((printed))
	kill -TERM "$copy"
	ends 6
}

printed_more() { # BYTES
	[ "$(cat out err | wc -c)" -gt "$1" ]
}

SIGHUP_lets_the_copy_go_on() {
	two_disks
	rate=16M start_copy
	kill -HUP "$copy"
	ends 0
	grep -q 'The terminal is gone; the copy goes on without it' logs/*.log
	cmp "$source" "$(backing "$destination")"
}

# Whose it is can be read from it, from outside and as long as it lives.
a_disk_that_a_copy_holds_names_it() {
	two_disks
	start_copy
	run 0 show "$destination"
	says "clonedeck, process $copy, is copying to it: "
	run 0 show "$source"
	says "clonedeck, process $copy, is copying from it: "
	run 0 list --all
	says "clonedeck, process $copy, is copying to it: "
	third=$(new_disk third 32)
	run 3 clone -s "$third" -d "$destination" --confirm "$destination" --log-dir other
	says "is busy: clonedeck, process $copy, is copying to it: "
	run 3 clone -s "$third" -d "$source" --confirm "$source" --log-dir other
	says "is busy: clonedeck, process $copy, is copying from it: "
	run 3 verify -s "$third" -d "$destination"
	says "is busy: clonedeck, process $copy, is copying to it: "
	kill -KILL "$copy"
	wait "$copy" || true
	run 0 show "$destination"
	! says 'clonedeck, process' || fail 'it is dead'
}

SIGHUP_stops_where_that_was_asked_for() {
	two_disks
	start_copy --on-hangup stop
	kill -HUP "$copy"
	ends 6
	run 1 clone -s "$source" -d "$destination" --on-hangup never
	says 'choose continue'
}

a_map_of_ddrescue_goes_on() {
	two_disks
	ddrescue -q -f -s 16M "$source" "$destination" theirs.map
	run 1 resume theirs.map --confirm "$destination" --log-dir logs
	says '-s and -d'
	# Of another disk, or of none.
	small=$(new_disk small 8)
	run 3 resume theirs.map -s "$small" -d "$destination" --confirm "$destination" --log-dir logs
	run 3 resume theirs.map -s "$source" -d "$case_dir/new.img" --log-dir logs
	[ ! -e new.img ]
	# Beside it would be our tables of the source, and is a file of somebody else.
	echo precious >theirs.tables
	run 2 resume theirs.map -s "$source" -d "$destination" --confirm "$destination" --log-dir logs
	says theirs.tables
	rm theirs.tables
	# What it calls finished is not copied again: what changes there since stays, and is found.
	noise 1M 1<>"$(backing "$source")"
	run 5 resume theirs.map -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir logs
	says MISMATCH
	# A copy that differs is not armed: the last MiB is left out.
	same "$source" "$MIB" "$(backing "$destination")" "$MIB" $((62 * MIB))
	if same "$source" 0 "$(backing "$destination")" 0 "$MIB"; then
		fail "what the map calls finished was copied again"
	fi
	ddrescuelog -t theirs.map
	# It is ours now, names its disks, and no longer calls finished what differs.
	run 0 resume theirs.map --confirm "$destination" --log-dir logs
	cmp "$source" "$(backing "$destination")"
}

# A source that is dying is not read once more for what another program has rescued.
what_was_rescued_need_not_be_read_again() {
	two_disks
	ddrescue -q -f -s 48M "$source" "$destination" theirs.map
	run 0 resume theirs.map -s "$source" -d "$destination" --confirm "$destination" --no-verify \
		--report "$case_dir/report.json" --log-dir logs
	says 'not read back'
	jq -e '.bytes_copied_before == 48000000 and .bytes_verified == null' report.json
	cmp "$source" "$(backing "$destination")"
	# Of a map of ours, too.
	noise 64M | dd of="$destination" bs=1M iflag=fullblock oflag=direct status=none
	stopped_copy
	run 0 resume copy.map --rate 0 --no-verify --confirm "$destination" --log-dir logs
	says 'not read back'
	cmp "$source" "$(backing "$destination")"
}

# However little of them was copied.
maps_of_another_size_are_refused() {
	two_disks
	small=$(new_disk small 8)
	ddrescue -q -f -s 1M "$source" "$destination" large.map
	ddrescue -q -f -s 1M "$small" "$destination" small.map
	head -n 3 large.map >cut.map
	: >empty.map
	before=$(digest "$(backing "$destination")")
	run 3 resume large.map -s "$small" -d "$destination" --confirm "$destination" --log-dir logs
	says 'larger disk'
	run 3 resume small.map -s "$source" -d "$destination" --confirm "$destination" --log-dir logs
	says 'smaller disk'
	run 1 resume cut.map -s "$source" -d "$destination" --confirm "$destination" --log-dir logs
	says 'cut off'
	run 1 resume empty.map --confirm "$destination" --log-dir logs
	says 'it is empty'
	[ "$(digest "$(backing "$destination")")" = "$before" ]
	# Where ddrescue did not know the size.
	printf '0 ? 1\n0 0x100000 +\n0x100000 0x7FFFFFFFFFEFFFFF ?\n' >open.map
	run 0 resume open.map -s "$source" -d "$destination" --dry-run --log-dir logs
}

a_domain_restricts_the_copy() {
	two_disks
	cp "$(backing "$destination")" before.img
	printf '0 +\n0 0x100000 ?\n0x100000 0x300000 +\n0x400000 0x200 -\n0x400200 0x400 +\n' >domain
	clone 0 "$source" "$destination" --domain domain
	same "$source" "$MIB" "$(backing "$destination")" "$MIB" $((3 * MIB))
	same "$source" $((4 * MIB + 512)) "$(backing "$destination")" $((4 * MIB + 512)) 1024
	same before.img 0 "$(backing "$destination")" 0 "$MIB"
	same before.img $((4 * MIB)) "$(backing "$destination")" $((4 * MIB)) 512
	same before.img $((4 * MIB + 1536)) "$(backing "$destination")" $((4 * MIB + 1536)) \
		$((60 * MIB - 1536))
	clone 1 "$source" "$destination" --domain domain -r 0-9
}

# Another disk with the same name, and the same file name, looks like this one.
what_the_map_calls_finished_has_to_be_there_where_nothing_is_read_back() {
	two_disks
	stopped_copy --no-verify
	cp destination.img copied.img
	noise 64M | dd of=destination.img bs=1M conv=notrunc,fsync status=none
	blockdev --flushbufs "$destination"
	before=$(digest destination.img)
	run 3 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	says 'is not the half-made copy of the map any more'
	[ "$(digest destination.img)" = "$before" ]
	dd if=copied.img of=destination.img bs=1M conv=notrunc,fsync status=none
	blockdev --flushbufs "$destination"
	go_on
}

# What is behind its end would come back as zeros, and nothing would read them.
an_image_that_was_cut_off_between_two_parts() {
	source=$(new_disk source 32)
	"$CLONEDECK" clone -s "$source" -d copy.img --no-verify --rate 4M --log-dir logs \
		--map copy.map >out 2>err &
	copy=$!
	wait_for cmp -i "$((8 * MIB))" -n "$MIB" "$source" copy.img
	# Whoever wants it now is told whose it is.
	kill -STOP "$copy"
	run 3 resume copy.map --rate 0 --confirm "$PWD/copy.img" --log-dir logs
	says "process $copy, is copying to it"
	kill -TERM "$copy"
	kill -CONT "$copy"
	ends 6
	cp --sparse=always copy.img whole.img
	for size in 0 "$MIB" "$((8 * MIB))"; do
		truncate -s "$size" copy.img
		run 3 resume copy.map --rate 0 --confirm "$PWD/copy.img" --log-dir logs
		says 'it was cut off meanwhile'
		[ "$(stat -c %s copy.img)" -eq "$size" ]
		cp whole.img copy.img
	done
	run 0 resume copy.map --rate 0 --confirm "$PWD/copy.img" --log-dir logs
	cmp "$source" copy.img
}

# It may tell anything once it is mounted anew, and that is told. The same time proves enough.
an_image_whose_file_system_has_no_exact_times() {
	truncate -s 100M volume.img
	mkntfs -Q -q -F volume.img
	mount_at "$case_dir/files" -t ntfs-3g volume.img
	noise $((32 * MIB)) >files/source.img
	source=$case_dir/files/source.img
	destination=$(new_disk destination 32)
	stopped_copy
	umount files
	mount_at "$case_dir/files" -t ntfs-3g volume.img
	go_on
	grep -q 'changed last' out && fail 'the same time is told as another one'
	destination=$(new_disk other 32)
	map=other.map stopped_copy
	touch -d '1 hour ago' "$source"
	mv other.map copy.map
	go_on
	says 'changed last is another one'
	umount files
}

# A file that was deleted is as lost as a disk; it may come back as well.
a_source_image_that_is_lost_leaves_its_table() {
	source=$case_dir/lost.img
	destination=$(new_disk destination 32)
	noise 32M >lost.img
	sfdisk -q lost.img <<<$'label: gpt\nstart=16MiB, name=first'
	stopped_copy
	mv lost.img kept.img
	run 3 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	says 'lost.img does not exist any more'
	says source-gone
	! sfdisk -d "$destination" 2>/dev/null || fail "it has a table already"
	run 6 resume copy.map --rate 0 --allow source-gone --confirm "$destination" --log-dir logs
	sfdisk -d "$destination" >table
	contain 'name="first"' table
	mv kept.img lost.img
	go_on
}

# What is read back in the end would tell too late that another disk was overwritten.
another_disk_of_the_same_look_is_not_written_to() {
	two_disks
	stopped_copy
	noise 64M | dd of=destination.img bs=1M conv=notrunc,fsync status=none
	blockdev --flushbufs "$destination"
	before=$(digest destination.img)
	run 3 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	says 'expected: no table and no file system yet'
	[ "$(digest destination.img)" = "$before" ]
}

# mostly_empty: as disks are in real life, with nothing that tells where the copy is stopped.
mostly_empty() {
	local data
	two_disks
	data=$(backing "$source")
	truncate -s 0 "$data"
	truncate -s 64M "$data"
	sfdisk -q "$source" <<<'label: gpt
		start=8MiB, size=40MiB'
	know_partitions "$source" 1
	mkfs.ext4 -q -F -L system "${source}p1"
	sync "${source}p1" "$source"
}

# Somebody took the half-made clone for a spare disk.
give_another_use() { # NODE : what is on it now is $before
	sfdisk -q --wipe always "$1" <<<'label: gpt
		start=8MiB, size=48MiB'
	know_partitions "$1" 1
	fill_with_photos "$1p1"
	sync "$1"
	before=$(digest "$(backing "$1")")
}

fill_with_photos() { # NODE
	mkfs.ext4 -q -F -E nodiscard -L photos "$1"
	mount_at photos "$1"
	noise 20M >photos/holiday
	umount photos
	sync "$1"
}

refused_as_it_is() { # TEXT [RESUME-OPTION]...
	local text=$1
	shift
	run 3 resume copy.map --rate 0 --confirm "$destination" --log-dir logs "$@"
	says "$text"
	[ "$(digest "$(backing "$destination")")" = "$before" ] || fail "it was written to"
}

a_disk_that_was_given_another_use_is_not_overwritten() {
	mostly_empty
	stopped_copy
	give_another_use "$destination"
	refused_as_it_is 'holds a partition table (gpt): 1 ext4 "photos"'
	says 'start again with clone'
	refused_as_it_is 'expects the half-made copy' --no-verify
	# Who does that may lose it.
	clone 0 "$source" "$destination"
	cmp "$source" "$(backing "$destination")"
}

# It is not what blkid knows that counts.
data_where_nothing_may_be_yet_is_not_overwritten() {
	mostly_empty
	stopped_copy
	printf 'mine' | dd of="$destination" bs=1 seek=$((70 * 512 + 3)) conv=notrunc,fsync status=none
	before=$(digest "$(backing "$destination")")
	refused_as_it_is 'other data at LBA 70'
	refused_as_it_is 'expected: no table and no file system yet' --no-verify
}

# Of a partition nothing comes last.
a_partition_that_was_formatted_is_not_overwritten() {
	local disk
	mostly_empty
	disk=$destination
	sfdisk -q --wipe always "$disk" <<<'label: gpt
		start=8MiB, size=40MiB'
	know_partitions "$disk" 1
	source=${source}p1
	destination=${disk}p1
	noise 40M | dd of="$source" bs=1M seek=2 count=30 iflag=fullblock \
		conv=fsync status=none
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir "$case_dir/logs" --map "$case_dir/copy.map" --rate 8M >out 2>err &
	copy=$!
	wait_for cmp -n $((8 * MIB)) "$source" "$destination"
	kill -TERM "$copy"
	ends 6
	cp copy.map before.map
	fill_with_photos "$destination"
	before=$(digest "$(backing "$disk")")
	for options in '' --no-verify; do
		# shellcheck disable=SC2086 # none or one
		run 3 resume copy.map --rate 0 --confirm "$destination" --log-dir logs $options
		says 'holds ext4 "photos"'
		[ "$(digest "$(backing "$disk")")" = "$before" ] || fail "it was written to"
	done
}

# Empty on both ends is any new disk.
what_tells_nothing_of_a_disk_is_refused() {
	two_disks
	truncate -s 0 "$(backing "$source")"
	truncate -s 64M "$(backing "$source")"
	stopped_copy
	before=$(digest destination.img)
	losetup -d "$destination"
	wait_for losetup --direct-io=on "$destination" destination.img
	refused_as_it_is 'Nothing but zeros was copied so far'
	# One that was never detached is the same one.
	clone 0 "$source" "$destination" --map second.map
	cmp "$source" destination.img
}

# The power goes while the last of it is written: what is there is the source's.
what_was_being_armed_goes_on() {
	mostly_empty
	stopped_copy
	run 0 resume copy.map --rate 0 --no-verify --confirm "$destination" --log-dir logs
	# As the map was then, with some of the rest written behind its back.
	sed -i '/^0x/d' copy.map
	printf '0x0 ? 1\n0x0 0x100000 ?\n0x100000 0x3e00000 +\n0x3f00000 0x100000 ?\n' >>copy.map
	dd if=/dev/zero of="$destination" bs=4096 count=1 conv=notrunc,fsync status=none
	go_on
	sed -i '/^0x/d' copy.map
	printf '0x0 ? 1\n0x0 0x100000 ?\n0x100000 0x3e00000 +\n0x3f00000 0x100000 ?\n' >>copy.map
	printf 'mine' | dd of="$destination" bs=1 seek=35000 conv=notrunc,fsync status=none
	before=$(digest destination.img)
	refused_as_it_is 'expected: nothing there, or what the source has'
}

# What was armed and then written to is not the copy any more.
an_armed_copy_that_was_used_is_not_written_to() {
	mostly_empty
	stopped_copy
	run 0 resume copy.map --rate 0 --no-verify --confirm "$destination" --log-dir logs
	sed -i '/^0x/d' copy.map
	printf '0x0 ? 1\n0x0 0x2000000 +\n0x2000000 0x400 -\n0x2000400 0x1fffc00 +\n' >>copy.map
	cp copy.map first.map
	# Another try at its bad areas is what such a map is for.
	run 4 resume copy.map --confirm "$destination" --log-dir logs
	cp first.map copy.map
	wait_for partx --update "$destination"
	mount_at system "${destination}p1"
	echo mine >system/mine
	umount system
	sync "${destination}p1" "$destination"
	before=$(digest destination.img)
	refused_as_it_is 'is not the half-made copy of the map any more'
}

# Nothing is read while all of it sleeps, and that says nothing of the disk.
a_suspended_copy_goes_on() {
	two_disks
	rate=16M start_copy --max-no-read 5
	kill -STOP "$copy"
	sleep 6
	# Its record is that of the moment before.
	"$CLONEDECK" jobs --json | jq -e --argjson pid "$copy" '.jobs[] | select(.pid == $pid)
		| .state == "suspended" and .bytes_per_second == null and .seconds_left == null'
	run 2 attach "$copy"
	says "kill -CONT $copy"
	kill -CONT "$copy"
	ends 0
	cmp "$source" "$(backing "$destination")"
}

# Who watches a copy need not stay until it ends.
nobody_is_written_to_who_reads_no_more() {
	two_disks
	rate=1M start_copy
	timeout 40 "$CLONEDECK" attach "$copy" | head -n 1
	[ "${PIPESTATUS[0]}" -eq 2 ]
	status=0
	timeout 40 "$CLONEDECK" attach "$copy" >/dev/full || status=$?
	[ "$status" -eq 2 ]
	kill -TERM "$copy"
	ends 6
}

# The name of a file is any bytes: not UTF-8, blanks that look like others, codes for the terminal.
files_with_odd_names() {
	local odd=$'o\xe4 \xc2\xa0\t\e[2J%41\n'
	mkdir "$odd"
	source=$case_dir/$odd/' a ' destination=$case_dir/$odd/$'b\xff.img'
	noise 16M >"$source"
	"$CLONEDECK" clone -s "$source" -d "$destination" --log-dir "$odd" --map "$odd/c.map" \
		--report "$odd/stopped.json" --rate 4M >out 2>err &
	copy=$!
	wait_for cmp -n "$((3 * MIB))" "$source" "$destination"
	kill -TERM "$copy"
	ends 6
	! LC_ALL=C grep -P '[^\x0a\x20-\x7e]' out err ||
		fail 'what is not printable was printed'
	says 'clonedeck resume MAP'
	ddrescuelog -t "$odd/c.map"
	# What is asked for can be typed; a script gives the name itself.
	run 3 resume "$odd/c.map" --rate 0 --confirm x --log-dir "$odd"
	says "the path of the image $case_dir/o%E4 %C2%A0%09%1B[2J%2541%0A/b%FF.img"
	run 0 resume "$odd/c.map" --dry-run --confirm "$destination" --log-dir "$odd"
	run 0 resume "$odd/c.map" --rate 0 --log-dir "$odd" --report "$odd/r.json" \
		--confirm "$case_dir/o%E4 %C2%A0%09%1B[2J%2541%0A/b%FF.img"
	cmp "$source" "$destination"
	run 0 show "$destination"
	says 'b%FF.img'
	for report in stopped r; do
		/usr/bin/python3 -c 'import json, sys, urllib.parse
report = json.load(open(sys.argv[1], encoding="utf-8"))
files = [report["source"]["node"], report["destinations"][0]["node"], report["files"]["map"]]
for told, name in zip(files, sys.argv[2:], strict=True):
    assert urllib.parse.unquote_to_bytes(told) == name.encode(errors="surrogateescape"), told' \
			"$odd/$report.json" "$source" "$destination" "$case_dir/$odd/c.map"
	done
	grep -qF 'destination '"$case_dir/o%E4 %C2%A0%09%1B[2J%2541%0A/b%FF.img," "$odd"/*.log
	run 0 verify "$odd/r.json" -d "$destination"
	says VERIFIED
	# The list of digests is found where the report says that it is.
	mkdir elsewhere
	mv "$odd/r.json" elsewhere
	run 0 verify elsewhere/r.json -d "$destination"
}

run_together 3 SIGTERM_drains_saves_the_map_and_the_copy_goes_on SIGINT_stops_too what_else_ends_a_program_stops_it_too \
	kill_9_loses_nothing_that_the_map_calls_finished a_resumed_copy_does_not_start_over \
	what_was_found_to_differ_is_copied_again \
	another_disk_under_the_same_name_is_refused a_broken_map_is_refused \
	SIGUSR1_prints_progress a_disk_that_a_copy_holds_names_it SIGHUP_lets_the_copy_go_on SIGHUP_stops_where_that_was_asked_for \
	a_map_of_ddrescue_goes_on what_was_rescued_need_not_be_read_again maps_of_another_size_are_refused a_domain_restricts_the_copy \
	what_the_map_calls_finished_has_to_be_there_where_nothing_is_read_back \
	an_image_that_was_cut_off_between_two_parts an_image_whose_file_system_has_no_exact_times \
	a_source_image_that_is_lost_leaves_its_table \
	another_disk_of_the_same_look_is_not_written_to \
	a_disk_that_was_given_another_use_is_not_overwritten \
	data_where_nothing_may_be_yet_is_not_overwritten \
	a_partition_that_was_formatted_is_not_overwritten \
	what_tells_nothing_of_a_disk_is_refused what_was_being_armed_goes_on \
	an_armed_copy_that_was_used_is_not_written_to \
	a_suspended_copy_goes_on nobody_is_written_to_who_reads_no_more files_with_odd_names
