#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies between every kind of end on loop devices. Each time all bytes that
# should be there are compared, and all around them with what they were.
. "$(dirname -- "$0")/lib.sh"

a_whole_disk_onto_a_larger_one() {
	source=$(new_disk source 48)
	destination=$(new_disk destination 56)
	partition_gpt "$source"
	before=$(digest "$(backing "$source")")
	rest=$(digest "$(backing "$destination")" $((48 * MIB)) $((8 * MIB)))
	clone 0 "$source" "$destination"
	says COMPLETE
	same "$source" 0 "$destination" 0 $((48 * MIB))
	[ "$(digest "$(backing "$destination")" $((48 * MIB)) $((8 * MIB)))" = "$rest" ]
	[ "$(digest "$(backing "$source")")" = "$before" ]
	know_partitions "$destination" 2
	fsck.ext4 -fn "${destination}p2"
	jq -e '.exit_code == 0 and .bytes_copied == 50331648' logs/*.json
}

a_size_that_fits_no_chunk() {
	noise $((33 * MIB + 7 * 512)) >source.img
	noise $((33 * MIB + 9 * 512)) >destination.img
	source=$(attach "$PWD/source.img")
	destination=$(attach "$PWD/destination.img")
	end=$(digest destination.img $((33 * MIB + 7 * 512)) 1024)
	clone 0 "$source" "$destination"
	same "$source" 0 "$destination" 0 $((33 * MIB + 7 * 512))
	[ "$(digest destination.img $((33 * MIB + 7 * 512)) 1024)" = "$end" ]
}

a_partition_onto_a_partition() {
	source=$(new_disk source 48)
	destination=$(new_disk destination 48)
	partition_gpt "$source"
	partition_gpt "$destination"
	noise $((16 * MIB)) >"${destination}p2"
	sync "${destination}p2"
	start=$(($(cat "/sys/class/block/${destination##*/}p2/start") * 512))
	image=$(backing "$destination")
	ahead=$(digest "$image" 0 "$start")
	behind=$(digest "$image" $((start + 16 * MIB)) $((48 * MIB - start - 16 * MIB)))
	clone 0 "${source}p2" "${destination}p2"
	same "${source}p2" 0 "${destination}p2" 0 $((16 * MIB))
	same "$image" "$start" "$(backing "$source")" "$start" $((16 * MIB))
	[ "$(digest "$image" 0 "$start")" = "$ahead" ]
	[ "$(digest "$image" $((start + 16 * MIB)) $((48 * MIB - start - 16 * MIB)))" = "$behind" ]
}

ranges_to_another_place() {
	source=$(new_disk source 32)
	destination=$(new_disk destination 32)
	cp "$(backing "$destination")" expected.img
	# 100 sectors at 1000 and 4000 at 8000 go to 20000 and, the gap kept, to 27000.
	dd if="$(backing "$source")" of=expected.img bs=512 conv=notrunc status=none \
		skip=1000 seek=20000 count=100
	dd if="$(backing "$source")" of=expected.img bs=512 conv=notrunc status=none \
		skip=8000 seek=27000 count=4000
	clone 0 "$source" "$destination" -r 8000-11999,1000+100 --at 0X4E20
	cmp "$(backing "$destination")" expected.img
}

a_partition_by_number_and_the_tail() {
	source=$(new_disk source 48)
	destination=$(new_disk destination 48)
	partition_gpt "$source"
	cp "$(backing "$destination")" expected.img
	start=$(cat "/sys/class/block/${source##*/}p3/start")
	dd if="$(backing "$source")" of=expected.img bs=512 conv=notrunc status=none \
		skip="$start" seek="$start" count=8192
	dd if="$(backing "$source")" of=expected.img bs=512 conv=notrunc status=none \
		skip=$((98304 - 33)) seek=$((98304 - 33)) count=33
	clone 0 "$source" "$destination" -r @3,-33
	cmp "$(backing "$destination")" expected.img
}

a_disk_into_a_new_image_and_back() {
	source=$(new_disk source 32)
	clone 0 "$source" "$case_dir/copy.img"
	cmp "$source" copy.img
	destination=$(new_disk destination 40)
	rest=$(digest "$(backing "$destination")" $((32 * MIB)) $((8 * MIB)))
	clone 0 "$case_dir/copy.img" "$destination"
	same copy.img 0 "$destination" 0 $((32 * MIB))
	[ "$(digest "$(backing "$destination")" $((32 * MIB)) $((8 * MIB)))" = "$rest" ]
}

# An image is the disk that it holds: its partitions have numbers, its table is checked, what is
# still to be done is said.
an_image_is_a_disk() {
	source=$(new_disk source 32)
	partition_gpt "$source"
	image=$(backing "$source")
	cp "$image" disk.img
	destination=$(new_disk destination 48)
	cp "$(backing "$destination")" expected.img
	dd if=disk.img of=expected.img bs=512 conv=notrunc status=none \
		skip=53248 seek=53248 count=8192
	clone 0 "$case_dir/disk.img" "$destination" -r @3
	cmp "$(backing "$destination")" expected.img
	run 0 verify -s disk.img -d "$destination" -r @3
	run 1 clone -s disk.img -d "$destination" -r @9 --dry-run
	# All of it, onto a larger disk: the backup of the table is not where it belongs.
	run 0 clone -s disk.img -d "$destination" --dry-run
	says 'after    |G'
	clone 0 "$case_dir/disk.img" "$destination"
	jq -e 'any(.warnings[]; .rule == "backup-gpt-inside") and
		any(.next[]; contains("sfdisk --relocate gpt-bak-std"))' logs/*.json | grep -q true
	same disk.img 0 "$destination" 0 $((32 * MIB))
	# Sectors of another size would make the table unreadable.
	large=$(new_disk large 48 -b 4096)
	clone 3 "$case_dir/disk.img" "$large"
	says sector-size-differs
	# Into an image that has partitions: they are shown and lost.
	cp disk.img other.img
	run 0 clone -s "$source" -d other.img --dry-run --json
	jq -e '[.lost[].number] == [1, 2, 3]' out
}

# What was made on a disk with sectors of 4096 bytes says so, and goes only onto such a one.
an_image_with_sectors_of_4096_bytes() {
	source=$(new_disk source 32 -b 4096)
	sfdisk -q --wipe always "$source" <<-TABLE
		label: gpt
		size=8MiB, type=linux
		size=8MiB, type=linux
	TABLE
	sync "$source"
	cp "$(backing "$source")" disk.img
	run 0 show disk.img --json
	jq -e '.disk.logical_sector_size == 4096 and [.disk.partitions[].start] == [256, 2304]' out
	small=$(new_disk small 32)
	clone 3 "$case_dir/disk.img" "$small"
	says sector-size-differs
	large=$(new_disk large 32 -b 4096)
	clone 0 "$case_dir/disk.img" "$large"
	cmp disk.img "$large"
	run 0 clone -s disk.img -d "$large" -r @2 --dry-run --json
	jq -e '.plan[0].source_lba == 2304 and .source.logical_sector_size == 4096' out
	# A file whose table is gone says nothing; whoever knows can.
	dd if=/dev/zero of=disk.img bs=4096 count=6 conv=notrunc status=none
	truncate -s 16M disk.img
	run 0 show disk.img
	says 'no table tells'
	run 3 clone -s disk.img -d "$large" --dry-run
	run 0 clone -s disk.img -d "$large" --source-sector-size 4096 --dry-run
	run 1 clone -s disk.img -d "$large" --source-sector-size 1000 --dry-run
	run 1 clone -s "$source" -d "$large" --source-sector-size 4096 --dry-run
	says 'for image files'
	# A map keeps it.
	"$CLONEDECK" clone -s disk.img -d "$large" --source-sector-size 4096 --confirm "$large" \
		--rate 4M --log-dir logs -m 4096.map >out 2>err &
	copy=$!
	wait_for test -s 4096.map
	kill -TERM "$copy"
	ends 6
	run 0 resume 4096.map --rate 0 --confirm "$large" --log-dir logs
	same disk.img 0 "$large" 0 $((16 * MIB))
}

onto_an_image_that_exists() {
	source=$(new_disk source 16)
	noise $((24 * MIB)) >old.img
	rest=$(digest old.img $((16 * MIB)) $((8 * MIB)))
	clone 0 "$source" "$case_dir/old.img"
	same "$source" 0 old.img 0 $((16 * MIB))
	[ "$(digest old.img $((16 * MIB)) $((8 * MIB)))" = "$rest" ]
}

zeros_of_a_sparse_image_stay_holes() {
	truncate -s 64M sparse.img
	printf 'one sector that is not zero' | dd of=sparse.img seek=40 bs=1M conv=notrunc status=none
	clone 0 "$case_dir/sparse.img" "$case_dir/copy.img"
	cmp sparse.img copy.img
	[ "$(stat -c %b copy.img)" -lt $((16 * MIB / 512)) ]
}

sectors_of_4096_bytes() {
	source=$(new_disk source 32 -b 4096)
	destination=$(new_disk destination 32 -b 4096)
	cp "$(backing "$destination")" expected.img
	dd if="$(backing "$source")" of=expected.img bs=4096 conv=notrunc status=none \
		skip=10 seek=10 count=1001
	clone 0 "$source" "$destination" -r 10+1001
	cmp "$(backing "$destination")" expected.img
	clone 0 "$source" "$destination"
	cmp "$source" "$destination"
}

every_backend_on_either_side() {
	source=$(new_disk source 16)
	destination=$(new_disk destination 16)
	for reader in uring threads buffered; do
		for writer in uring threads buffered; do
			noise $((16 * MIB)) >"$destination"
			sync "$destination"
			clone 0 "$source" "$destination" --source-backend "$reader" \
				--destination-backend "$writer"
			cmp "$source" "$(backing "$destination")"
		done
	done
}

odd_chunks_depths_and_lanes() {
	source=$(new_disk source 9)
	destination=$(new_disk destination 9)
	for options in '-b 4K -q 1 -j 1' '-b 64K -q 3 -j 3' '-b 1M -q 16 -j 2' '-b 512 -q 32 -j 1'; do
		noise $((9 * MIB)) >"$destination"
		sync "$destination"
		read -ra words <<<"$options"
		clone 0 "$source" "$destination" "${words[@]}"
		cmp "$source" "$(backing "$destination")"
	done
}

within_one_disk() {
	disk=$(new_disk disk 32)
	cp "$(backing "$disk")" expected.img
	dd if="$(backing "$disk")" of=expected.img bs=512 conv=notrunc status=none \
		skip=2048 seek=40000 count=16384
	clone 0 "$disk" "$disk" -r 2048+16384 --at 40000
	cmp "$(backing "$disk")" expected.img
}

a_dry_run_shows_and_writes_nothing() {
	source=$(new_disk source 48)
	destination=$(new_disk destination 48)
	partition_gpt "$destination"
	before=$(digest "$(backing "$destination")")
	run 0 clone -s "$source" -d "$destination" --dry-run --log-dir logs
	says "$source"
	says "$destination"
	says root
	run 0 clone -s "$source" -d "$destination" --dry-run --no-verify --no-arm-last --log-dir logs
	says 'the copy is not read back'
	! grep -qE 'read back and compared|written last' out || fail 'both cannot be true'
	run 0 clone -s "$source" -d "$destination" --dry-run --json --log-dir logs
	jq -e . out
	[ "$(digest "$(backing "$destination")")" = "$before" ]
}

progress_as_json_lines() {
	source=$(new_disk source 32)
	destination=$(new_disk destination 32)
	clone 0 "$source" "$destination" --json --rate 16M
	jq -es 'length > 1 and (last | .exit_code == 0)' out
	jq -es 'all(.schema | startswith("clonedeck."))' out
	cmp "$source" "$destination"
}

# A name of a file is an argument of the command, never a part of it.
# shellcheck disable=SC2016 # the shell of the command expands it
the_end_is_told_to_a_command() {
	source=$(new_disk source 8)
	clone 0 "$source" 'a $(touch oops) .img' \
		--notify 'printf "%s|%s" "$1" "$2" >told.new; mv told.new told'
	wait_for test -e told
	grep -qF "end|$source -> " told
	grep -qF 'COMPLETE' told
	[ ! -e oops ]
}

# What has no name is nowhere, however well it was written.
an_image_that_is_removed_meanwhile() {
	source=$(new_disk source 16)
	"$CLONEDECK" clone -s "$source" -d copy.img --rate 8M --log-dir logs >out 2>err &
	copy=$!
	wait_for cmp -i "$MIB" -n $((3 * MIB)) "$source" copy.img
	rm copy.img
	ends 7
	says FAILED
	says 'was deleted while it was being written'
	jq -e '.next == []' logs/*.json
}

# copy_and COMMAND...: a slow copy to ./copy.img, and what is done to that meanwhile.
copy_and() {
	"$CLONEDECK" clone -s "$source" -d copy.img --rate 8M --log-dir logs --map copy.map \
		>out 2>err &
	copy=$!
	wait_for cmp -i "$MIB" -n $((3 * MIB)) "$source" copy.img
	"$@"
}

# All was written, but whoever opens the name finds something else.
an_image_that_is_renamed_or_replaced_meanwhile() {
	source=$(new_disk source 16)
	copy_and mv copy.img moved.img
	ends 7
	says FAILED
	says 'was renamed or moved during the copy: what was copied is now in'
	says 'moved.img. Give that its name back; then the copy can be resumed.'
	cmp "$source" moved.img
	run 2 resume copy.map --rate 0 --confirm "$case_dir/copy.img" --log-dir logs
	mv moved.img copy.img
	run 0 resume copy.map --rate 0 --confirm "$case_dir/copy.img" --log-dir logs
	cmp "$source" copy.img
	rm copy.img copy.map
	replace() {
		mv copy.img moved.img
		truncate -s 16M copy.img
	}
	copy_and replace
	ends 7
	says 'moved.img. Give that its name back'
	cmp "$source" moved.img
	# Another name of the file that nobody can find.
	rm -f copy.img moved.img copy.map
	link() {
		ln copy.img other.img
		mv -f source.img copy.img
	}
	copy_and link
	ends 7
	says 'copy.img is another file now, or none'
	# The folder's name counts as well; a name that comes back in time is as good as ever.
	mkdir folder
	source=$(new_disk another 16)
	"$CLONEDECK" clone -s "$source" -d folder/copy.img --rate 8M --log-dir logs >out 2>err &
	copy=$!
	wait_for cmp -i "$MIB" -n $((3 * MIB)) "$source" folder/copy.img
	mv folder elsewhere
	sleep 0.2
	mv elsewhere folder
	ends 0
}

# Nothing reads it back, and writing to a file that somebody cuts off goes without an error. Of one
# lane, since of several none knows whose turn comes late.
an_image_that_is_cut_off_meanwhile() {
	source=$(new_disk source 16)
	for backend in auto buffered threads uring; do
		rm -f copy.img
		"$CLONEDECK" clone -s "$source" -d copy.img --no-verify --rate 1M --lanes 1 \
			--destination-backend "$backend" --log-dir "logs-$backend" >out 2>err &
		copy=$!
		wait_for cmp -i "$((2 * MIB))" -n "$MIB" "$source" copy.img
		truncate -s "$MIB" copy.img
		ends 7
		says FAILED
		# In the log no line is broken.
		grep -qF 'shortened by another program' "logs-$backend"/*.log
	done
}

# The limit ends what is printed, and an image; the copy itself, and what it ends with, it does not.
a_limit_to_the_size_of_files() {
	source=$(new_disk source 16)
	destination=$(new_disk destination 16)
	head -c 512K /dev/zero >out
	status=0
	(
		ulimit -f 512
		exec "$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
			--rate 16M --log-dir logs --json >>out 2>err
	) || status=$?
	[ "$status" -eq 0 ] || fail "exit status $status"
	cmp "$source" "$destination"
	[ "$(stat -c %s out)" -eq $((512 * 1024)) ]
	(
		ulimit -f 8192
		run 7 clone -s "$source" -d copy.img --log-dir logs
	)
	says 'copy.img cannot be made'
	[ ! -e copy.img ]
}

# Logs and maps are named by the second: in none do two copies share them.
copies_begun_at_once_have_their_own_files() {
	for i in 1 2 3 4 5 6; do
		noise 1M >"source$i.img"
	done
	for i in 1 2 3 4 5 6; do
		"$CLONEDECK" clone -s "source$i.img" -d "copy$i.img" --log-dir logs >"out$i" 2>"err$i" &
		pids[i]=$!
	done
	for i in 1 2 3 4 5 6; do
		wait "${pids[i]}"
		# On a busy disk the log may be late, and says so.
		! grep -v 'clonedeck: The log ' "err$i" || fail "copy $i"
		cmp "source$i.img" "copy$i.img"
	done
	for ending in log map json html digests; do
		files=(logs/*."$ending")
		[ ${#files[@]} -eq 6 ] || fail "$ending: ${files[*]}"
	done
	cat logs/*.json | jq -es '[.[].source.node] | unique | length == 6'
}

# The command that the report tells to type next: a line of its own, however long.
next_command() {
	sed -nE 's/^ +((echo|sfdisk) .*)/\1/p' out
}

a_clone_onto_a_smaller_disk_says_how_to_rebuild_its_table() {
	source=$(new_disk source 64)
	destination=$(new_disk destination 28)
	partition_gpt "$source"
	# Not every kernel makes nodes of partitions.
	partx --delete "$source"
	clone 3 "$source" "$destination" -r 0+57344
	says table-beyond-end
	clone 0 "$source" "$destination" -r 0+57344 --allow table-beyond-end
	says "Partition 3 does not fit on $destination"
	next_command
	sh -c "$(next_command)"
	sfdisk --verify "$destination"
	sfdisk --dump "$destination" >after
	sfdisk --dump "$source" | grep -v -e '^last-lba' -e "^${source}p3 " >before
	diff <(grep -o 'start=.*' before) <(grep -o 'start=.*' after)
	know_partitions "$destination" 2
	e2fsck -fn "${destination}p2"
	jq -r '.next[-1]' logs/*.json | grep -q 'take the old one out'
}

a_clone_onto_a_larger_disk_says_how_to_move_the_backup() {
	source=$(new_disk source 32)
	destination=$(new_disk destination 40)
	partition_gpt "$source"
	clone 0 "$source" "$destination"
	sh -c "$(next_command)"
	sfdisk --verify "$destination" >out
	says 'No errors detected'
	sfdisk --dump "$destination" >/dev/null 2>err
	[ ! -s err ]
}

what_a_domain_leaves_out_is_named() {
	source=$(new_disk source 8)
	destination=$(new_disk destination 8)
	printf '%s\n' '0x0 + 1' '0x0 0x100000 +' '0x100000 0x300000 ?' '0x400000 0x200000 +' \
		'0x600000 0x200000 -' >'used blocks.map'
	clone 0 "$source" "$destination" --domain 'used blocks.map'
	says '5,242,880 B of the source, in 2 areas that are not in the domain used blocks.map'
	jq -e '.domain == {map: "used%20blocks.map", bytes_left_out: 5242880, areas_left_out: 2} or
		.domain.map == "used blocks.map"' logs/*.json
	grep -q 'in 2 areas that are not in the domain used blocks.map' logs/*.html
	same "$source" $((4 * MIB)) "$destination" $((4 * MIB)) $((2 * MIB))
}

run_cases a_whole_disk_onto_a_larger_one a_size_that_fits_no_chunk a_partition_onto_a_partition \
	a_clone_onto_a_smaller_disk_says_how_to_rebuild_its_table \
	a_clone_onto_a_larger_disk_says_how_to_move_the_backup \
	ranges_to_another_place a_partition_by_number_and_the_tail \
	a_disk_into_a_new_image_and_back an_image_is_a_disk \
	an_image_with_sectors_of_4096_bytes onto_an_image_that_exists \
	zeros_of_a_sparse_image_stay_holes sectors_of_4096_bytes every_backend_on_either_side \
	odd_chunks_depths_and_lanes within_one_disk a_dry_run_shows_and_writes_nothing \
	progress_as_json_lines the_end_is_told_to_a_command an_image_that_is_removed_meanwhile \
	an_image_that_is_renamed_or_replaced_meanwhile \
	an_image_that_is_cut_off_meanwhile a_limit_to_the_size_of_files \
	what_a_domain_leaves_out_is_named copies_begun_at_once_have_their_own_files
