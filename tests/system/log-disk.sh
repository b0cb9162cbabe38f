#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The disk that log, map and report lie on: it hangs, is full, read-only, sick, or gone. The copy goes on.
. "$(dirname -- "$0")/lib.sh"

two_disks() {
	source=$(new_disk source 24)
	destination=$(new_disk destination 24)
}

# log_disk MIB [FOLDER]: a file system of its own at ./FOLDER (logs).
log_disk() {
	truncate -s "$1M" logs.img
	mkfs.ext4 -q -F -m 0 logs.img
	log_loop=$(attach "$case_dir/logs.img")
	mount_at "$case_dir/${2:-logs}" -o errors=remount-ro "$log_loop"
}

# A file system that is frozen answers nothing, whoever asks: those who write to it hang in the
# kernel until it is thawed.
freeze() {
	fsfreeze -f logs
	undone_by thaw "$case_dir/logs"
}

thaw() {
	fsfreeze -u "$1" || true
}

start_copy() { # [OPTION]...
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir "$case_dir/logs" --rate "${rate:-2M}" "$@" >"$case_dir/out" 2>"$case_dir/err" &
	copy=$!
	# The first MiB of a whole disk comes last.
	wait_for cmp -i "$MIB" -n "$MIB" "$source" "$(backing "$destination")"
}

# lose_the_log COMMAND: it comes over the disk of the log of a slow copy, who misses it and the map.
lose_the_log() {
	rate=1M start_copy --map-interval 1
	"$1"
	wait_for said 'The map cannot be saved as'
	wait_for said 'The log cannot be written'
}

all_is_copied() {
	ends 0
	cmp "$source" "$(backing "$destination")"
}

said() {
	grep -qF -- "$1" "$case_dir/out" "$case_dir/err"
}

a_log_disk_that_hangs_stops_nothing() {
	two_disks
	log_disk 8
	lose_the_log freeze
	kill -USR2 "$copy"
	wait_for said 'The map is kept as'
	# All of it is copied, verified and told while the log's disk still hangs.
	wait_for said 'COMPLETE'
	cmp "$source" "$(backing "$destination")"
	says 'this process ends when'
	kill -0 "$copy"
	all_is_moved
	thaw logs
	ends 0
}

# To the place that the copy has told of: then it is of no use any more.
all_is_moved() {
	moved=$(sed -n 's/.*The map is kept as \(.*\) from now on; log and report.*/\1/p' err)
	[ -n "$moved" ]
	undone_by remove_stem "${moved%.map}"
	ddrescuelog -D "$moved"
	jq -e '.result == "COMPLETE"' "${moved%.map}.json"
	[ -s "${moved%.map}.html" ]
	[ -s "${moved%.map}.digests" ]
	grep -q 'this log begins in .*/logs/' "${moved%.map}.log"
	grep -q 'The map is saved again' "${moved%.map}.log"
	grep -q 'COMPLETE' "${moved%.map}.log"
}

remove_stem() {
	rm -f "$1".log "$1".map "$1".json "$1".html "$1".digests
}

# plug_in PORT MKFS...: a stick, which is new as long as there is no stick.img, mounted at ./logs.
# A port is used once.
plug_in() {
	local port=$1
	shift
	mkdir "$port"
	[ -e stick.img ] || {
		truncate -s 8M stick.img
		"$@" stick.img
	}
	nbdkit --exit-with-parent -f -U "$case_dir/$port.nbd" file stick.img &
	server=$!
	wait_for test -S "$port.nbd"
	nbdfuse "$case_dir/$port/disk" --unix "$case_dir/$port.nbd" &
	undone_by unmount "$case_dir/$port"
	wait_for test -s "$port/disk"
	log_loop=$(attach "$case_dir/$port/disk")
	mount_at "$case_dir/logs" "$log_loop"
}

# Whatever is written to it fails from now on.
pull() {
	kill -KILL "$server"
}

a_log_disk_that_dies_is_left() {
	two_disks
	plug_in 1 mkfs.ext4 -q -F -m 0
	lose_the_log pull
	kill -USR2 "$copy"
	wait_for said 'The map is kept as'
	all_is_copied
	all_is_moved
}

# To write to what is gone succeeds for a while. No line may be missing for that, and none is twice.
a_stick_with_the_log_is_pulled_and_comes_back() {
	two_disks
	plug_in 1 mkfs.ext4 -q -F -m 0
	rate=1M start_copy --map-interval 1
	pull
	wait_for said 'The log cannot be written'
	umount -l logs
	# Long enough for a map to be saved into the empty directory.
	sleep 1.5
	plug_in 2
	wait_for said 'The log is written again'
	all_is_copied
	for text in ' session: plan ' 'could not be saved' 'The log is written again' COMPLETE; do
		grep -q "$text" logs/*.log || fail "not in the log: $text"
	done
	[ "$(grep -cE '^20[0-9-]{8}T[0-9:]{8}[+-][0-9:]{5} ' logs/*.log)" -eq "$(wc -l <"$(echo logs/*.log)")" ]
	[ -z "$(sort logs/*.log | uniq -d)" ]
	jq -e '.result == "COMPLETE"' logs/*.json
	ddrescuelog -D logs/*.map
	umount logs
	nothing_in logs
}

nothing_in() { # FOLDER
	[ -z "$(ls -A "$1")" ] || fail "in $1: $(ls -A "$1")"
}

# On a rescue system the directory where it was mounted is in memory.
a_map_waits_for_its_stick_that_is_unmounted() {
	two_disks
	log_disk 8 stick
	rate=1M start_copy --map-interval 1 --no-verify --map "$case_dir/stick/copy.map"
	wait_for umount stick
	wait_for said 'The map cannot be saved as'
	wait_for grep -q 'its disk is not mounted any more' logs/*.log
	nothing_in stick
	mount "$log_loop" stick
	wait_for grep -q 'The map is saved again' logs/*.log
	all_is_copied
	ddrescuelog -D stick/copy.map
	umount stick
	nothing_in stick
}

# The program has the log open, so only a lazy unmount gets there.
a_report_is_not_kept_where_its_stick_was() {
	two_disks
	log_disk 8
	start_copy --map-interval 1 --no-verify
	umount -l logs
	wait_for said 'The map cannot be saved as'
	all_is_copied
	says COMPLETE
	says 'its disk is not mounted any more'
	nothing_in logs
}

a_copy_stops_while_its_log_disk_hangs() {
	two_disks
	log_disk 8
	start_copy --map "$case_dir/copy.map"
	freeze
	kill -TERM "$copy"
	wait_for said 'STOPPED'
	ddrescuelog -t copy.map
	thaw logs
	ends 6
	run 0 resume copy.map --confirm "$destination" --log-dir logs
	cmp "$source" "$(backing "$destination")"
}

a_log_disk_that_comes_back_gets_all_of_it() {
	two_disks
	log_disk 8
	lose_the_log freeze
	thaw logs
	wait_for said 'The log is written again'
	all_is_copied
	grep -q 'The map is saved again' logs/*.log
	[ -s "$(echo logs/*.json)" ]
	! ls logs/*.new 2>/dev/null
}

# Nobody moved the map while the copy ran: what is told to be resumable is saved at the end.
a_log_folder_that_is_removed_loses_no_map() {
	two_disks
	mkdir home
	TMPDIR=$case_dir/home start_copy
	mv logs lost
	kill -TERM "$copy"
	ends 6
	says 'The map is kept as'
	moved=$(echo home/*.map)
	says 'can be resumed'
	says "$case_dir/$moved"
	ddrescuelog -t "$moved"
	jq -e --arg map "$case_dir/$moved" '.result == "STOPPED" and .files.map == $map and
		.files.map_safe and (.next[0] | contains($map))' home/*.json
	grep -q 'STOPPED' home/*.log
	run 0 resume "$moved" --rate 0 --confirm "$destination" --log-dir logs
	cmp "$source" "$(backing "$destination")"
}

# In a machine of its own nothing can be written but the log folder, and that goes.
where_no_map_can_be_saved_none_is_promised() {
	two_disks
	status=0
	# shellcheck disable=SC2016 # for that shell
	TMPDIR='' with_own_mounts timeout -k 5 100 bash -c '
		mount --bind "$1" /mnt
		mount -t tmpfs -o ro,size=64k tmpfs /dev/shm
		cd /mnt
		"$2" clone -s source.img -d copy.img --rate 4M --log-dir /mnt/logs >out 2>err &
		copy=$!
		until cmp -n 1048576 source.img copy.img >/dev/null 2>&1; do sleep 0.1; done
		mv logs lost
		kill -TERM $copy
		wait $copy' bash "$case_dir" "$CLONEDECK" || status=$?
	[ "$status" -eq 6 ] || fail "status $status"
	says 'no map could be saved, so it cannot be resumed'
	! grep -q 'can be resumed' out || fail 'a resume is promised'
	! grep -q 'clonedeck resume' out || fail 'a resume is advised'
}

nothing_begins_on_a_log_disk_that_hangs() {
	two_disks
	log_disk 8
	before=$(digest "$(backing "$destination")")
	freeze
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir "$case_dir/logs" >out 2>err &
	copy=$!
	wait_for said 'its disk does not answer'
	thaw logs
	ends 2
	[ "$(digest "$(backing "$destination")")" = "$before" ]
}

a_full_log_disk_refuses_and_one_that_fills_does_not_stop() {
	two_disks
	log_disk 2
	dd if=/dev/zero of=logs/fill bs=4k 2>/dev/null || true
	run 2 clone -s "$source" -d "$destination" --confirm "$destination" --log-dir logs
	says 'no space left'
	says --map
	rm logs/fill
	start_copy --map-interval 1
	dd if=/dev/zero of=logs/fill bs=4k 2>/dev/null || true
	wait_for said 'The map cannot be saved as'
	all_is_copied
}

a_log_disk_that_becomes_read_only_does_not_stop() {
	two_disks
	log_disk 8
	mount -o remount,ro logs
	run 2 clone -s "$source" -d "$destination" --confirm "$destination" --log-dir logs
	says 'write-protected'
	mount -o remount,rw logs
	start_copy --map-interval 1
	# As a file system does it by itself when its disk is sick.
	echo 1 >"/sys/fs/ext4/${log_loop##*/}/trigger_fs_error"
	wait_for said 'The map cannot be saved as'
	all_is_copied
	says COMPLETE
}

a_directory_that_is_gone_does_not_stop() {
	two_disks
	start_copy --map-interval 1
	mv logs gone
	wait_for said 'The map cannot be saved as'
	all_is_copied
	says 'does not exist'
	! [ -e logs ]
}

# What a link in its place leads to is nobody's to overwrite: only names of this copy are written.
a_directory_that_becomes_a_link_harms_nobody() {
	two_disks
	start_copy --map-interval 1
	mkdir elsewhere
	echo precious >elsewhere/file
	for name in map digests json html; do
		ln -s file "elsewhere/$(basename logs/*.log .log).$name"
	done
	mv logs gone
	ln -s elsewhere logs
	wait_for said 'The map cannot be saved as'
	all_is_copied
	[ "$(cat elsewhere/file)" = precious ]
	[ "$(find elsewhere -type l | wc -l)" -eq 4 ]
}

need losetup mkfs.ext4 fsfreeze ddrescuelog jq nbdkit nbdfuse fusermount3 /dev/fuse
# Their copies are slow on purpose.
run_together 10 a_log_disk_that_hangs_stops_nothing \
	a_copy_stops_while_its_log_disk_hangs \
	a_log_disk_that_dies_is_left \
	a_stick_with_the_log_is_pulled_and_comes_back \
	a_map_waits_for_its_stick_that_is_unmounted \
	a_report_is_not_kept_where_its_stick_was \
	a_log_disk_that_comes_back_gets_all_of_it \
	a_log_folder_that_is_removed_loses_no_map where_no_map_can_be_saved_none_is_promised nothing_begins_on_a_log_disk_that_hangs \
	a_full_log_disk_refuses_and_one_that_fills_does_not_stop \
	a_log_disk_that_becomes_read_only_does_not_stop \
	a_directory_that_is_gone_does_not_stop \
	a_directory_that_becomes_a_link_harms_nobody
