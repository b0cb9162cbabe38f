#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Measurements on loop devices: what they print, what they refuse, and that they only read. No
# figure is judged: the machine may be busy.
. "$(dirname -- "$0")/lib.sh"
need jq

schemas=$(realpath -- "$(dirname -- "$0")/../../data/schema")

valid() { # FILE: fits the schema
	PYTHONPATH=$schemas/../../tests /usr/bin/python3 -B - "$schemas/bench.schema.json" "$1" <<-'PYTHON'
		import json, sys
		from schema import validator
		validator(sys.argv[1]).validate(json.load(open(sys.argv[2], encoding="utf-8")))
	PYTHON
}

sizes_and_an_earlier_result_beside_it() {
	disk=$(new_disk disk 64)
	before=$(digest "$disk")
	run 0 bench sizes "$disk" --rounds 2 --size 64K --json --log-dir logs
	valid out
	jq -e '.kind == "sizes" and .result == "complete" and .exit_code == 0 and .error == null
		and (.tables | map(.key)) == ["rate", "iops", "cpu", "p99"]
		and ([.figures[] | select(.table == "rate")] | length) > 16 * 5 - 8
		and all(.figures[]; .rounds == 2 and .smallest <= .median and .median <= .largest
			and .engine != null and .path == "direct" and .before == null)
		and any(.figures[]; .row == "512" and .request == 512 and .depth == 32 and .unit == "B/s"
			and .median > 0)
		and (.conclusion | contains("nothing more is gained"))' out
	mv out earlier.json
	run 0 bench sizes "$disk" --rounds 1 --size 64K --compare earlier.json --log-dir logs
	says '  before'
	says 'depth 32'
	run 0 bench sizes "$disk" --rounds 1 --size 64K --compare earlier.json --json --log-dir logs
	valid out
	jq -e 'all(.figures[]; .before != null)' out
	# Of another disk, or of another kind.
	other=$(new_disk other 32)
	run 1 bench sizes "$other" --compare earlier.json --log-dir logs
	says "bench sizes of $disk"
	run 1 bench profile "$disk" --compare earlier.json --log-dir logs
	run 1 bench sizes "$disk" --compare none.json --log-dir logs
	says 'none.json cannot be compared with: does not exist'
	run 1 bench sizes "$disk" --compare "$schemas/bench.schema.json" --log-dir logs
	[ "$(digest "$disk")" = "$before" ]
}

# Prints how many of its speeds bench sizes measures on a machine with so much free memory.
rates_with() { # MIB NODE
	printf 'MemTotal: 9 kB\nMemAvailable: %d kB\n' $(($1 * 1024)) >meminfo
	# shellcheck disable=SC2016 # the inner shell expands them
	with_own_mounts bash -c 'mount --bind meminfo /proc/meminfo &&
		exec "$CLONEDECK" bench sizes "$0" --rounds 1 --size 64K --json --log-dir logs' "$2" >out
	valid out
	jq '[.figures[] | select(.table == "rate")] | length' out
}

every_size_is_measured_that_memory_and_disk_allow() {
	disk=$(new_disk disk 64)
	# 32 requests of 16 MiB take a quarter of it.
	[ "$(rates_with 2048 "$disk")" -eq $((16 * 5)) ]
	jq -e 'any(.figures[]; .row == "16777216" and .depth == 32)
		and all(.notes[]; contains("Not measured") | not)' out
	[ "$(rates_with 1024 "$disk")" -eq $((16 * 5 - 1)) ]
	jq -e 'any(.notes[]; contains("Not measured: more than 256 MiB in flight"))' out
	disk=$(new_disk small 8)
	[ "$(rates_with 2048 "$disk")" -eq $((15 * 5)) ]
	jq -e 'any(.notes[]; contains("larger than the disk"))' out
}

# Here, memory for many requests at once.
what_is_refused_leaves_out_one_figure() {
	disk=$(new_disk disk 64)
	(ulimit -v 500000 && run 0 bench sizes "$disk" --rounds 2 --size 64K --json --log-dir logs)
	jq -e '([.notes[] | select(contains("depth 32: There is not enough memory"))] | length) == 1
		and any(.figures[]; .request == 16777216 and .depth == 8)
		and all(.figures[]; .request != 16777216 or .depth != 32)' out
}

what_is_no_result_is_not_compared_with() {
	disk=$(new_disk disk 8)
	run 0 bench sizes "$disk" --rounds 1 --size 64K --json --log-dir logs
	mv out earlier.json
	mkfifo pipe
	head -c 3000 earlier.json >cut.json
	for file in pipe cut.json /dev/zero /nonexistent .; do
		RUN_LIMIT=20 run 1 bench sizes "$disk" --rounds 1 --size 64K --compare "$file" --log-dir logs
		says "$file cannot be compared with"
	done
	# What no disk does is not put beside what this one does.
	for figure in NaN Infinity -5 1e308 '"x"' null; do
		sed "s/\"median\": *[0-9.e+-]*/\"median\": $figure/" earlier.json >odd.json
		grep -qF -- "$figure" odd.json
		run 0 bench sizes "$disk" --rounds 1 --size 64K --compare odd.json --json --log-dir logs
		valid out
		jq -e 'all(.figures[]; .before == null)' out
	done
	run 0 bench sizes "$disk" --rounds 1 --size 64K --compare odd.json --html --log-dir logs
	jq '.kind = "\u001b[2J" | .disk.node = "\u001b[2J"' earlier.json >odd.json
	run 1 bench sizes "$disk" --rounds 1 --size 64K --compare odd.json --log-dir logs
	! grep -q "$(printf '\033')" err || fail "the terminal was told something"
}

a_profile() {
	disk=$(new_disk disk 64)
	run 0 bench profile "$disk" --positions 5 --csv --log-dir logs
	[ "$(grep -c '^speed,[0-9]*,read,B/s,' out)" -eq 5 ]
	grep -q '^speed,0,read,B/s,[0-9.e+]*,[0-9.e+]*,[0-9.e+]*,1,[a-z]*,[0-9]*,[0-9]*,direct,$' out
	grep -q '^access,random,p99,s,' out
	grep -q '^access,full-stroke,max,s,' out
	grep -q '^facts,whole,value,s,' out
	run 0 bench profile "$disk" --positions 5 --size 1M --log-dir logs
	says 'Slowest at LBA'
	run 0 bench profile "$disk" --positions 5 --size 1M --html --log-dir logs
	[ "$(grep -c '<path class="c0" d="M[0-9L ]*"' out)" -eq 1 ] || fail "no chart"
	! grep -q '{{' out || fail "not filled in"
	run 1 bench profile "$disk" --html --csv
	run 0 bench profile "$disk" --positions 0,8001,100000 --size 1M --csv --log-dir logs
	[ "$(awk -F, '$3 == "read" { print $2 }' out)" = $'0\n4096512\n51200000' ]
	for list in 1,0 0,0 ',' '0,' 0,x 0,-1 0,99999999999999999999 "$(seq -s , 65)"; do
		run 1 bench profile "$disk" --positions "$list" --log-dir logs
		says 'in ascending order'
	done
	run 1 bench profile "$disk" --positions 0,131071 --log-dir logs
	says 'from LBA 131071 to the next place, or to the end of the disk, there is no room'
	# A figure is of one request at least.
	run 0 bench profile "$disk" --positions 5 --size 1 --log-dir logs
	run 1 bench profile "$disk" --positions 4096 --size 1M --log-dir logs
	says 'Choose fewer --positions'
}

stopped_it_prints_what_it_has() {
	disk=$(new_disk disk 64)
	"$CLONEDECK" bench sizes "$disk" --time 1 --json --log-dir logs >out 2>err &
	copy=$!
	sleep 3
	kill -INT "$copy"
	ends 6
	valid out
	# Of what it did not come to, it says nothing.
	jq -e '.result == "stopped" and .exit_code == 6 and (.figures | length) > 0 and .conclusion == null' out
	# While it still tries which depth is best.
	"$CLONEDECK" bench engines "$disk" --time 1 --json --log-dir logs >out 2>err &
	copy=$!
	sleep 5
	kill -INT "$copy"
	ends 6
	jq -e 'any(.figures[]; .column == "best_ops" and .median > 0)' out
}

a_disk_in_use_is_measured_and_that_is_said() {
	disk=$(new_disk disk 64)
	mkfs.ext4 -q "$disk"
	mount_at "$case_dir/mnt" "$disk"
	run 0 bench profile "$disk" --positions 2 --size 1M --log-dir logs
	says "is in use ($case_dir/mnt)"
}

a_disk_that_a_copy_writes_to_is_refused() {
	source=$(new_disk source 32)
	disk=$(new_disk disk 32)
	"$CLONEDECK" clone -s "$source" -d "$disk" --confirm "$disk" --log-dir logs --rate 1M \
		--map copy.map --map-interval 1 >out.copy 2>&1 &
	copy=$!
	# Not before it holds the disk: a measurement that is under way keeps the copy from it.
	wait_for grep -q '^0x.*+' copy.map
	run 3 bench sizes "$disk" --rounds 1 --size 512 --log-dir logs
	says 'is not measured'
	run 0 bench profile "$source" --positions 2 --size 1M --log-dir logs
	says 'is copying from it'
	kill -INT "$copy"
	ends 6
}

what_was_found_is_used() {
	local disk other
	disk=$(new_disk disk 64)
	other=$(new_disk other 64)
	run 0 bench profile "$disk" --positions 3 --size 1M --log-dir logs
	run 0 bench sizes "$disk" --rounds 1 --size 64K --log-dir logs
	# Of one round, nothing is believed.
	awk -F '\t' '$1 == 67108864 && $4 > 0 && $5 == 0 && $6 == 0 { found++ } END { exit found != 1 }' logs/measured
	awk -F '\t' -v OFS='\t' '{ $6 = 65536; $7 = 2; print }' logs/measured >changed
	mv changed logs/measured
	clone 0 "$disk" "$other"
	grep -q 'bench sizes found best' logs/*.json || fail "not used"
	# What no measurement finds.
	awk -F '\t' -v OFS='\t' '{ $6 = 2147483648; $7 = 4294967295; print }' logs/measured >changed
	cp changed logs/measured
	rm logs/*.json
	clone 0 "$disk" "$other"
	! grep -q 'bench sizes found best' logs/*.json || fail "used although impossible"
	awk -F '\t' -v OFS='\t' '{ $6 = 65536; $7 = 2; print }' changed >logs/measured
	# Of another boot.
	sed 's/[^\t]*$/00000000-0000-0000-0000-000000000000/' logs/measured >changed
	mv changed logs/measured
	rm logs/*.json
	clone 0 "$disk" "$other"
	! grep -q 'bench sizes found best' logs/*.json || fail "used although of another boot"
}

writing_puts_back_what_was_there() {
	local disk before
	disk=$(new_disk disk 64)
	noise 64M >disk.img
	before=$(digest disk.img)
	run 1 bench profile "$disk" --confirm "$disk" --log-dir logs
	says 'nothing to confirm'
	run 3 bench profile "$disk" --write --log-dir logs
	says 'Nothing was written'
	run 3 bench profile "$disk" --write --confirm sda --log-dir logs
	run 0 bench profile "$disk" --write --confirm "$disk" --positions 5 --json --log-dir logs
	valid out
	jq -e '([.figures[] | select(.table == "speed" and .column == "write")] | length) == 5
		and any(.figures[]; .row == "whole-write")' out
	[ "$(digest disk.img)" = "$before" ] || fail "the contents are others"
	mkfs.ext4 -q "$disk"
	mount_at "$case_dir/mnt" "$disk"
	run 3 bench profile "$disk" --write --confirm "$disk" --log-dir logs
	says "mounted"
}

a_confirmed_destination_is_overwritten_in_its_region() {
	local source disk behind
	source=$(new_disk source 64)
	disk=$(new_disk disk 96)
	noise 64M >source.img
	noise 96M >disk.img
	behind=$(tail -c 88M disk.img | sha256sum)
	export TMPDIR=$case_dir
	run 1 bench copy "$source"
	says 'a source and a destination'
	run 1 bench copy "$source" "$disk" --practice
	run 1 bench copy "$source" "$disk" --size 8M --log-dir logs
	says 'LBA 0-16383'
	says '--confirm needs'
	run 3 bench copy "$source" "$disk" --size 8M --log-dir logs --confirm "$source"
	! cmp -s -n 8388608 source.img disk.img || fail "written without confirmation"
	run 0 bench copy "$source" "$disk" --size 8M --rounds 1 --log-dir logs --confirm "$disk" --json
	valid out
	jq -e 'all("dd-512", "dd-direct", "uring", "own-choice"; . as $way | any($figures[]; .row == $way))' \
		--argjson figures "$(jq .figures out)" <<<null
	jq -e 'any(.notes[]; contains("nbdcopy")) and all(.figures[]; .row != "nbdcopy" and .row != "sg")' out
	cmp -n 8388608 source.img disk.img
	[ "$(tail -c 88M disk.img | sha256sum)" = "$behind" ] || fail "written beside the region"
	run 0 bench lethargy "$source" "$disk" --size 8M --rounds 1 --log-dir logs --confirm "$disk"
	[ "$(tail -c 88M disk.img | sha256sum)" = "$behind" ] || fail "written beside the region"
}

# serve OPTION...: sets disk to a loop device over an NBD server over good.img, and server to its
# process.
serve() {
	noise 32M >good.img
	nbdkit --exit-with-parent -f -U "$case_dir/nbd" "$@" &
	server=$!
	wait_for test -S nbd
	mkdir mnt
	nbdfuse mnt/disk --unix "$case_dir/nbd" &
	undone_by unmount "$case_dir/mnt"
	wait_for test -s mnt/disk
	disk=$(attach "$case_dir/mnt/disk")
}

serve_bad_place() {
	printf '0x0 +\n0x0 0x1000000 +\n0x1000000 0x1000 -\n0x1001000 0xfff000 +\n' >bad.map
	serve --filter=ddrescue file good.img ddrescue-mapfile=bad.map
}

bad_places_are_named() {
	local disk server
	serve_bad_place
	run 4 bench profile "$disk" --positions 2 --json --log-dir logs
	valid out
	jq -e '.result == "bad-places" and .exit_code == 4 and any(.notes[]; contains("32768"))
		and any(.figures[]; .table == "speed" and .row == "0")' out
}

a_copy_of_a_bad_place_is_not_measured() {
	local disk server destination
	serve_bad_place
	destination=$(new_disk destination 32)
	export TMPDIR=$case_dir
	run 6 bench copy "$disk" "$destination" --confirm "$destination" --rounds 1 --json --log-dir logs
	valid out
	jq -e '.result == "failed" and .error.device == $disk and (.figures | length) == 0
		and any(.notes[]; contains("dd ended with status 1"))' --arg disk "$disk" out
	run 2 bench lethargy "$disk" "$destination" --confirm "$destination" --rounds 1 --json --log-dir logs
	jq -e '.result == "failed" and any(.figures[]; .column == "alone")' out
}

# Of a disk that is pulled while it is open, the kernel leaves nothing to read and no size; programs
# find that they have copied all of it. (A destination: scsi-sg.)
pulled() { # KIND PROGRESS
	local disk destination
	disk=$(new_disk "$1-from" 8)
	destination=$(new_disk "$1-to" 8)
	"$CLONEDECK" bench "$1" "$disk" "$destination" --confirm "$destination" --size 1M --rounds 32 --json \
		--log-dir logs >out 2>err &
	copy=$!
	wait_for told "$2"
	truncate -s 0 "$1-from.img"
	losetup --set-capacity "$disk"
	ends 6
	valid out
	jq -e --arg node "$disk" '.result == "failed" and .exit_code == 6 and .error.device == $node and
		(.error.sentence | length) > 0 and (.figures | length) > 0' out ||
		fail "$1: $(jq -c '[.result, .error, .notes]' out)"
}

copies_of_a_disk_that_is_pulled() {
	export TMPDIR=$case_dir
	pulled copy 'round 2 of'
	pulled lethargy 'round 1 of 32: beside a direct'
}

a_disk_that_hangs_is_left_and_a_slow_one_is_not() {
	local disk server
	serve file good.img
	"$CLONEDECK" bench sizes "$disk" --time 1 --json --log-dir logs >out 2>err &
	copy=$!
	sleep 5
	kill -STOP "$server"
	kill -INT "$copy"
	sleep 7
	kill -CONT "$server"
	ends 6
	jq -e '.result == "stopped" and (.figures | length) > 0' out
	! grep -q 'does not answer' err || fail "left although it answers"
	"$CLONEDECK" bench sizes "$disk" --time 1 --json --log-dir logs >out 2>err &
	copy=$!
	sleep 5
	kill -STOP "$server"
	# Told to stop between two reads, it would not need the disk any more.
	sleep 1
	kill -INT "$copy"
	wait_for grep -q "$disk does not answer" err
	kill -CONT "$server"
	ends 6
	valid out
	jq -e '.result == "stopped" and (.figures | length) > 0' out
}

what_makes_no_sense_is_refused() {
	disk=$(new_disk disk 8)
	run 1 bench
	run 1 bench sizes
	run 1 bench speed "$disk"
	says 'There is no measurement "speed"'
	run 1 bench sizes "$disk" --positions 3 --log-dir logs
	says 'has no --positions'
	run 1 bench sizes "$disk" --rounds 0 --log-dir logs
	run 1 bench sizes "$disk" --size 0 --log-dir logs
	run 1 bench sizes "$disk" --json --csv --log-dir logs
	run 1 bench sizes "$case_dir/disk.img" --log-dir logs
	says 'Only disks are measured'
	run 1\|2 bench sizes /dev/nothing
	run 2 bench rbuf "$disk"
	says 'no sg node'
}

cases=(sizes_and_an_earlier_result_beside_it every_size_is_measured_that_memory_and_disk_allow
	what_is_refused_leaves_out_one_figure what_is_no_result_is_not_compared_with a_profile stopped_it_prints_what_it_has
	what_was_found_is_used writing_puts_back_what_was_there
	a_confirmed_destination_is_overwritten_in_its_region
	copies_of_a_disk_that_is_pulled
	a_disk_in_use_is_measured_and_that_is_said a_disk_that_a_copy_writes_to_is_refused
	what_makes_no_sense_is_refused)
if [ -c /dev/fuse ] && command -v nbdkit nbdfuse >/dev/null; then
	cases+=(bad_places_are_named a_copy_of_a_bad_place_is_not_measured
		a_disk_that_hangs_is_left_and_a_slow_one_is_not)
fi
run_together 4 "${cases[@]}"
