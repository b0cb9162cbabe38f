#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Disks with real bad sectors, beside GNU ddrescue on the same ones: the same sectors come off
# them, and no more reads fail.
. "$(dirname -- "$0")/lib.sh"

need nbdkit nbdfuse fusermount3 /dev/fuse ddrescue ddrescuelog

# damaged MIB LBA+SECTORS...: a loop device in $source over good.img, made if it is not there, which fails at these places,
# and everywhere once there is a file $case_dir/dead; every read of it is in $case_dir/reads.
damaged() {
	local mib=$1 pos=0 place lba sectors end
	end=$((mib * MIB))
	shift
	[ -e good.img ] || noise "${mib}M" >good.img
	{
		echo "0 +"
		for place in "$@"; do
			lba=$((${place%+*} * 512)) sectors=$((${place#*+} * 512))
			[ "$lba" -eq "$pos" ] || printf '0x%x 0x%x +\n' "$pos" "$((lba - pos))"
			printf '0x%x 0x%x -\n' "$lba" "$sectors"
			pos=$((lba + sectors))
		done
		[ "$pos" -eq "$end" ] || printf '0x%x 0x%x +\n' "$pos" "$((end - pos))"
	} >damage.map
	: >reads
	mkdir fuse
	nbdkit --exit-with-parent -f -U "$case_dir/nbd" --filter=log --filter=error --filter=ddrescue \
		file good.img ddrescue-mapfile=damage.map logfile="$case_dir/reads" \
		error-pread=EIO error-pread-rate=1 error-pread-file="$case_dir/dead" &
	wait_for test -S nbd
	nbdfuse "$case_dir/fuse/disk" --unix "$case_dir/nbd" &
	undone_by unmount "$case_dir/fuse"
	wait_for test -s fuse/disk
	source=$(attach "$case_dir/fuse/disk")
}

# By the last look on.
failed_reads() {
	grep -c 'Read.*return=-1' reads || true
}

rescued_by_ddrescue() {
	: >reads
	ddrescue -q -d "$source" theirs.img theirs.map
	their_reads=$(failed_reads)
	: >reads
}

# Both maps call the same sectors bad, all others are on the destination, and those are zero.
same_rescue() {
	ddrescuelog -b 512 -l- copy.map | sort -n >ours
	ddrescuelog -b 512 -l- theirs.map | sort -n >theirs
	diff ours theirs
	[ "$(ddrescuelog -b 512 -l '?*/' copy.map | wc -l)" -eq 0 ]
	# A bad sector at the end is not in its file.
	truncate -s "$(stat -c %s "$(backing "$destination")")" theirs.img
	cmp "$(backing "$destination")" theirs.img
}

beside_ddrescue() { # MIB PLACE...
	damaged "$@"
	destination=$(new_disk destination "$1")
	rescued_by_ddrescue
	clone 4 "$source" "$destination" --map "$case_dir/copy.map" --report "$case_dir/report.json"
	our_reads=$(failed_reads)
	same_rescue
}

# FUSE and the loop device cut a request that failed, and ask for some of it again.
no_more_failed_reads() {
	echo "reads that failed: ours $our_reads, ddrescue's $their_reads"
	[ "$our_reads" -le $((their_reads * 3 / 2)) ]
}

# damaged_gpt PLACE...: the same, of a disk with three partitions, onto one of $size MiB.
damaged_gpt() {
	local whole
	whole=$(new_disk good 32)
	partition_gpt "$whole"
	detach "$whole"
	damaged 32 "$@"
	destination=$(new_disk destination "${size:-32}")
	clone 4 "$source" "$destination" --report "$case_dir/report.json" ${more:+"$more"}
}

# The command in the step that matches; run, it makes the table that the source had.
table_comes_back() { # STEP
	sh -c "$(jq -r --arg step "$1" '.next[] | select(contains($step)) |
		sub("^.*?: +(?=(echo |sfdisk |l=))"; "")' report.json)"
	sfdisk --verify "$destination"
	diff <(sfdisk --dump good.img | grep -o 'start=.*') \
		<(sfdisk --dump "$destination" | grep -o 'start=.*')
}

the_gpt_is_not_readable() {
	damaged_gpt 1+2 18434+2
	says 'PARTITION TABLE NOT READABLE: the copy will not boot (LBA 1 +2)'
	says 'the start of partition 2, by which its file system is recognised (LBA 18434 +2)'
	jq -e '.armed == false and (.hurt | length == 2) and .hurt[0].what == "gpt" and
		.hurt[1] == {what: "superblock", end: "source", partition: 2, fs: null,
		lba: 18434, sectors: 2} and (.next[0] | contains("gpt-bak-std")) and
		(.next[1] | contains("e2fsck"))' report.json
	grep -q 'PARTITION TABLE NOT READABLE' report.html
	table_comes_back 'backup GPT'
	know_partitions "$destination" 2
	status=0
	e2fsck -fy "${destination}p2" || status=$?
	[ "$status" -eq 1 ]
	e2fsck -fn "${destination}p2"
}

the_first_sector_is_not_readable() {
	damaged_gpt 0+1
	says 'PARTITION TABLE NOT READABLE: the copy will not boot (LBA 0 +1)'
	jq -e '.armed == false and .hurt[0].what == "mbr"' report.json
	table_comes_back GPT
}

# Nothing finds a backup inside a larger disk, and sfdisk says no word of it.
no_gpt_is_readable_and_the_new_disk_is_larger() {
	size=48
	damaged_gpt 1+2
	table_comes_back 'backup GPT'
}

nor_is_the_first_sector() {
	size=48
	damaged_gpt 0+3
	table_comes_back GPT
}

# Nobody recognises then what the disk held.
the_superblock_of_a_whole_disk_is_not_readable() {
	local whole
	whole=$(new_disk good 8)
	mkfs.ext4 -q -F "$whole"
	detach "$whole"
	damaged 8 2+2
	destination=$(new_disk destination 8)
	clone 4 "$source" "$destination" --report "$case_dir/report.json"
	says 'the start of the disk, by which what is on it is recognised (LBA 2 +2)'
	jq -e '.hurt == [{what: "superblock", end: "source", partition: null, fs: null, lba: 2,
		sectors: 2}]' report.json
}

# Nothing that anybody looks for.
a_bad_sector_that_hurts_no_table() {
	more=--identities=new
	damaged_gpt 40+1 52000+1
	says 'came last'
	says 'New identifiers were not given'
	jq -e '.armed == true and .hurt == []' report.json
}

a_few_bad_sectors() {
	beside_ddrescue 32 0+1 5003+1 20000+3 40000+8 50001+1 65535+1
	no_more_failed_reads
	jq -e '.result == "PARTIAL" and .exit_code == 4 and .bad_areas_total == 6
		and .bad_areas[0].lba == 0 and .bad_areas[3].sectors == 8
		and (["copy", "trim", "scrape", "flush"] - [.passes[].name] == [])' report.json
}

# Written down, so that a run can be repeated: SEED=1 meson test rescue.
many_bad_sectors() {
	local places=() lba i
	RANDOM=${SEED:-$((RANDOM))}
	echo "seed $RANDOM"
	for ((i = 0; i < 100; i++)); do
		lba=$((i * 320 + RANDOM % 300))
		places+=("$lba+$((1 + RANDOM % 3))")
	done
	damaged 16 "${places[@]}"
	destination=$(new_disk destination 16)
	rescued_by_ddrescue
	clone 4 "$source" "$destination" --map "$case_dir/copy.map" --chunk 64K --digest sha256 \
		--report "$case_dir/report.json"
	our_reads=$(failed_reads)
	same_rescue
	no_more_failed_reads
	# The sum is that of ddrescue's image, where bad sectors are zero, too.
	sum=$(sha256sum <theirs.img)
	jq -e --arg sum "${sum%% *}" '.sums.of == "destination" and .sums.zero_bytes == .bad_bytes
		and .sums.items[0].value == $sum' report.json
}

a_dead_zone() {
	beside_ddrescue 32 20000+3000
	no_more_failed_reads
}

# ddrescue begins, we go on, and the other way round.
maps_go_both_ways() {
	damaged 32 5003+1 20000+30
	destination=$(new_disk destination 32)
	rescued_by_ddrescue
	clone 4 "$source" "$destination" --map "$case_dir/copy.map"
	same_rescue
	# What we call bad it tries again, and nothing else.
	cp "$(backing "$destination")" ours.img
	: >reads
	ddrescue -q -d -r1 "$source" ours.img copy.map
	[ "$(failed_reads)" -eq 31 ]
	[ "$(grep -c 'Read.*return=0' reads)" -eq 0 ]
	cmp ours.img theirs.img
}

# Nobody reads again what the map calls bad: neither to find out what the disk holds nor to go on.
a_resumed_copy_leaves_bad_sectors_alone() {
	damaged 32 600+1 65000+2 65530+1
	destination=$(new_disk destination 32)
	clone 4 "$source" "$destination" --map "$case_dir/copy.map"
	blockdev --flushbufs "$source"
	: >reads
	run 0 resume copy.map --dry-run --log-dir logs
	[ "$(failed_reads)" -eq 0 ]
	says 'source-failing'
	run 0 resume copy.map --preset failing --dry-run --log-dir logs
	grep -q source-failing out && fail "told what it does already"
	run 4 resume copy.map --confirm "$destination" --log-dir logs
	[ "$(failed_reads)" -eq 0 ]
	# As a map of ddrescue as well; and what is asked for is tried.
	grep -v '^# clonedeck' copy.map >theirs.map
	run 0 resume theirs.map -s "$source" -d "$destination" --dry-run --log-dir logs
	[ "$(failed_reads)" -eq 0 ]
	run 4 resume copy.map --retry-passes 1 --confirm "$destination" --log-dir logs
	[ "$(failed_reads)" -ge 4 ]
}

same_at() { # LBA SECTORS
	cmp -i $(($1 * 512)) -n $(($2 * 512)) good.img "$(backing "$destination")"
}

# It dies, so to say, at the second failed read. All partitions begin on the copy, and the table is
# there; the tail of the last one is not.
a_failing_disk_gives_its_tables_first() {
	local whole
	whole=$(new_disk good 32)
	partition_gpt "$whole"
	dd if=/dev/urandom of="$whole" bs=512 seek=53248 count=8192 conv=fsync status=none
	detach "$whole"
	damaged 32 6000+1 8000+1
	destination=$(new_disk destination 32)
	clone 6 "$source" "$destination" --preset failing --max-read-errors 1 \
		--map "$case_dir/copy.map"
	same_at 0 2048
	same_at 18432 2048
	same_at 53248 2048
	same_at 55296 6144 && fail "copied before its turn"
	[ "$(blkid -p -o value -s LABEL -O $((18432 * 512)) "$destination")" = root ]
	run 4 resume copy.map --max-read-errors 1000 --confirm "$destination" --log-dir logs \
		--report "$case_dir/report.json"
	same_at 0 6000
	same_at 8001 57535
	jq -e '.bad_areas_total == 2 and .verify.source_recheck.skipped_because == "spared" and
		.preset == "failing"' report.json
}

# Without that preset its tables come last: from memory, where they are since the start.
a_disk_that_dies_has_given_its_tables() {
	local whole copy
	whole=$(new_disk good 32)
	partition_gpt "$whole"
	dd if=/dev/urandom of="$whole" bs=512 seek=12288 count=8 conv=fsync status=none
	detach "$whole"
	damaged 32
	destination=$(new_disk destination 32)
	clone 4 "$source" "$destination" --rate 8M --report "$case_dir/report.json" &
	copy=$!
	wait_for same_at 12288 8
	touch dead
	wait "$copy"
	same_at 0 2048
	same_at 18432 2048
	same_at 65503 33
	sfdisk --verify "$destination"
	[ "$(blkid -p -o value -s LABEL -O $((18432 * 512)) "$destination")" = root ]
	jq -e '.result == "PARTIAL" and .armed and .hurt == [] and .bad_bytes > 0 and
		.held_from_memory == .held_back.bytes' report.json
	says 'as read before the copy began: reads of the source have failed since'
}

# ddrescue has copied most of a disk that does not give all of that any more: nothing is known to
# differ, so the copy ends with its tables, and says what it could not verify.
a_copy_is_taken_over_from_a_disk_that_fails_meanwhile() {
	local whole
	whole=$(new_disk good 32)
	partition_gpt "$whole"
	detach "$whole"
	destination=$(new_disk destination 32)
	ddrescue -q -f -d -s 24MiB good.img "$destination" theirs.map
	damaged 32 20000+1
	run 4 resume theirs.map -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir logs --report "$case_dir/report.json"
	cmp good.img "$(backing "$destination")"
	says 'UNCERTAIN - everything was copied, but 1,048,576 bytes of an earlier'
	jq -e '.result == "UNCERTAIN" and .armed and .bad_areas_total == 0 and
		(.verify | .complete == false and .bytes_unknown > 0 and .mismatch_areas == 0)' \
		report.json
}

# What is given by its own name wins.
a_preset_says_what_it_sets() {
	source=$(new_disk source 8)
	destination=$(new_disk destination 8)
	run 0 clone -s "$source" -d "$destination" --lanes 2 --preset failing --dry-run
	says 'lanes=2, arm-last=off'
	run 0 clone -s "$source" -d "$destination" --preset forensic --dry-run --json
	jq -e '.options.preset == "forensic" and .options.digest == "sha256" and
		.options.arm_last' out
	run 1 clone -s "$source" -d "$destination" --preset dying --dry-run
	says 'healthy, failing or forensic'
	# What would make its words untrue is refused.
	for option in --used=only --identities=new --digest=md5; do
		run 1 clone -s "$source" -d "$destination" --preset forensic "$option" --dry-run
		says "changes nothing: leave out ${option%=[nm]*}, or the preset"
	done
}

# used_alone COUNT: so many bad sectors all over an ext4 that is half full. Those of what is used
# are lost, no others, and those of free places are not read.
used_alone() { # COUNT
	local i places=()
	mkdir -p files
	for ((i = 0; i < 24; i++)); do
		noise 1M >"files/$i"
	done
	truncate -s 64M good.img
	mkfs.ext4 -q -F -b 4096 -d files good.img
	for ((i = 0; i < $1; i++)); do
		places+=($((20001 + i * (110000 / $1)))+1)
	done
	damaged 64 "${places[@]}"
	destination=$(new_disk destination 64)
	clone 4 "$source" "$destination" --used=only --map "$case_dir/copy.map"
	ddrescuelog -b 512 -l- copy.map | sort -n >ours
	dumpe2fs good.img 2>dumped | sed -n 's/^  Free blocks: //p' >free
	/usr/bin/python3 - "${places[@]}" <<-'PYTHON'
		import sys
		free = set()
		for part in open("free").read().replace("\n", ",").split(","):
		    if part.strip():
		        ends = [int(end) for end in part.split("-")]
		        free.update(range(ends[0], ends[-1] + 1))
		bad = {int(place.split("+")[0]) for place in sys.argv[1:]}
		lost = {int(line) for line in open("ours")}
		# Small free places are copied, too.
		used = {lba for lba in bad if lba // 8 not in free}
		assert used <= lost <= bad, (sorted(used), sorted(lost), sorted(bad))
		assert len(bad) < 10 or len(lost) < len(bad), "bad sectors of free places were read"
		good, copy = open("good.img", "rb").read(), open("destination.img", "rb").read()
		for lba in range(len(good) // 512):
		    if lba // 8 not in free:
		        there = bytes(512) if lba in lost else good[lba * 512:lba * 512 + 512]
		        assert copy[lba * 512:lba * 512 + 512] == there, lba
		print(len(bad), "bad,", len(lost), "lost")
	PYTHON
}

one_bad_sector_of_what_is_used() {
	used_alone 1
}

ten_bad_sectors_of_what_is_used() {
	used_alone 10
}

a_hundred_bad_sectors_of_what_is_used() {
	used_alone 100
}

run_cases one_bad_sector_of_what_is_used ten_bad_sectors_of_what_is_used \
	a_hundred_bad_sectors_of_what_is_used the_gpt_is_not_readable the_first_sector_is_not_readable \
	no_gpt_is_readable_and_the_new_disk_is_larger nor_is_the_first_sector \
	the_superblock_of_a_whole_disk_is_not_readable a_bad_sector_that_hurts_no_table \
	a_few_bad_sectors many_bad_sectors a_dead_zone maps_go_both_ways \
	a_resumed_copy_leaves_bad_sectors_alone a_failing_disk_gives_its_tables_first \
	a_disk_that_dies_has_given_its_tables \
	a_copy_is_taken_over_from_a_disk_that_fails_meanwhile \
	a_preset_says_what_it_sets
