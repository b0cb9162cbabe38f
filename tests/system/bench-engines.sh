#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Benches that compare: every way into the kernel, and what a copy does to others. No figure is
# judged that a busy machine would change.
. "$(dirname -- "$0")/lib.sh"
need losetup jq dd

# all_figures: of the result in out, as lines "table row column median".
all_figures() {
	jq -r '.figures[] | "\(.table) \(.row) \(.column) \(.median)"' out
}

every_engine_reads_and_writes_nothing() {
	local disk before engine table
	disk=$(new_disk disk 16)
	before=$(digest disk.img)
	run 0 bench engines "$disk" --rounds 1 --json
	for table in random sequential; do
		for engine in threads libaio uring uring-fixed buffered; do
			all_figures | grep -q "^$table 4096-$engine best_ops [1-9]" || fail "no $table of $engine"
		done
	done
	# One read, one call; io_submit needs a second one for the answer.
	[ "$(all_figures | awk '/^random 4096-threads calls /{ print $4 }')" = 1 ] || fail "pread"
	[ "$(all_figures | awk '/^random 4096-libaio calls /{ print $4 }')" = 2 ] || fail "io_submit"
	all_figures | grep -q '^random 512-uring ops ' || fail "no sectors"
	[ "$(jq '[.notes[] | select(contains("no sg node"))] | length' out)" = 1 ] || fail "sg is not told once"
	[ "$(digest disk.img)" = "$before" ]
}

large_sectors_are_read_whole() {
	local disk
	disk=$(new_disk disk 16 -b 4096)
	run 0 bench engines "$disk" --rounds 1 --csv
	! grep -q '512-uring' out || fail "half a sector"
	grep -q '65536-uring' out
	# What is larger than the disk is no bad place of it.
	disk=$(new_disk small 1)
	truncate -s 32K small.img
	losetup --set-capacity "$disk"
	run 0 bench engines "$disk" --rounds 1 --csv
	grep -q '4096-uring' out
	! grep -q '65536-uring' out || fail "more than there is"
}

only_practice_disks_are_copied() {
	export TMPDIR=$case_dir
	run 0 bench lethargy --rounds 1 --size 16M --json
	[ "$(all_figures | grep -c '^lethargy start_warm ')" -eq 3 ] || fail "not all three"
	all_figures | grep -q '^lethargy cached_kept alone ' || fail "no share"
	wait_for nothing_stays
}

every_way_copies_and_is_checked() {
	export TMPDIR=$case_dir
	run 0 bench copy --practice --rounds 1 --size 16M --json
	for way in dd-512 dd-direct one-thread uring mixed own-choice; do
		all_figures | grep -q "^copy $way seconds [0-9]" || fail "no figure of $way"
	done
	jq -e 'any(.notes[]; contains("\"lanes by sg\", \"dd, 1 MiB, raw nodes\""))' out
	# What several engines did has only its scatter below it.
	run 0 bench copy --practice --rounds 2 --size 2M
	grep -q '^(rounds differ by up to' out || fail "$(grep '^(' out)"
	wait_for nothing_stays
}

a_wrong_copy_is_found_out() {
	export TMPDIR=$case_dir
	# Ends as if all was well, and has copied nothing.
	# shellcheck disable=SC2016 # the inner shell expands them
	with_own_mounts bash -c 'mount --bind "$(type -P true)" "$(readlink -f "$(type -P dd)")" &&
		exec "$CLONEDECK" bench copy --rounds 1 --size 2M --json' >out
	# Of sg3-utils 1.48, sgp_dd makes such a copy by itself.
	[ "$(jq '[.notes[] | select(contains("differs from the source") and (startswith("sgp_dd ") | not))] | length' out)" = 3 ] ||
		fail "not told"
	! all_figures | grep '^copy dd-' || fail "measured"
	all_figures | grep -q '^copy uring seconds' || fail "the others are not measured"
}

stopped_it_leaves_nothing() {
	export TMPDIR=$case_dir
	"$CLONEDECK" bench lethargy --rounds 9 --size 16M >out 2>err &
	copy=$!
	wait_for compgen -G "clonedeck-bench.*/neighbour"
	kill -INT "$copy"
	ends 6
	wait_for nothing_stays
}

nothing_stays() {
	! compgen -G "clonedeck-bench.*" &&
		! losetup --list --noheadings --output BACK-FILE | grep -F "$case_dir"
}

one_disk_is_none() {
	local disk
	disk=$(new_disk disk 1)
	run 1 bench lethargy "$disk"
	says 'or makes practice disks'
	TMPDIR=/nonexistent run 2 bench lethargy
	says 'TMPDIR names another folder'
	run 2 bench lethargy --size 99999G
	says 'no room'
}

run_together 3 every_engine_reads_and_writes_nothing large_sectors_are_read_whole \
	only_practice_disks_are_copied every_way_copies_and_is_checked a_wrong_copy_is_found_out \
	stopped_it_leaves_nothing one_disk_is_none
