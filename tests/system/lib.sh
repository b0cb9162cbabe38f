# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the system tests share: TAP, loop devices that never stay behind, runs of
# the program with an expected exit status, and comparisons byte for byte.
#
#   . "$(dirname -- "$0")/lib.sh"
#   copies_whole_disk() { …; }        a case: fails at its first failing command
#   run_cases copies_whole_disk …     runs them, prints the plan first
#   run_together 4 copies_slowly …    the same, four at a time
#
# $CLONEDECK is the program. Each case runs in $case_dir, a new empty folder, and
# its loop devices go when it ends.
set -u

CLONEDECK=${CLONEDECK:?the program to test}
# What a test mounts, no other test has: a name space of mounts that one makes has all that is mounted where
# it is made, and a disk that is unmounted meanwhile stays in use until that name space ends.
if [ -z "${CLONEDECK_OWN_MOUNTS-}" ] && [ "$(id -u)" = 0 ]; then
	CLONEDECK_OWN_MOUNTS=1 exec unshare --mount --propagation private "$BASH" "$0" "$@"
fi

# shellcheck disable=SC2034 # for the tests
MIB=1048576
export LC_ALL=C.UTF-8
unset LANGUAGE

work=$(mktemp -d "${TMPDIR:-/tmp}/clonedeck-test.XXXXXX") && work=$(readlink -f "$work") || exit 99
case_dir=$work
copy= # the program in the background, for ends
undo_list=$work/undo
: >"$undo_list"

# undone_by COMMAND ARGUMENT: to be done when the case ends. Cases run in subshells: what they make
# is written down for their parents.
undone_by() {
	printf '%s %s\n' "$1" "$2" >>"$undo_list"
}

undo() {
	local command argument
	# Last made, first undone.
	tac "$undo_list" | while read -r command argument; do
		"$command" "$argument" >/dev/null 2>&1 || true
	done
	: >"$undo_list"
}

# need THING...: without one of these programs and devices there is nothing to test.
need() {
	local thing
	for thing in "$@"; do
		[ -c "$thing" ] || command -v "$thing" >/dev/null || {
			echo "1..0 # SKIP there is no $thing"
			exit 0
		}
	done
}

leave() {
	# shellcheck disable=SC2046 # several numbers
	kill $(jobs -p) 2>/dev/null && wait
	for undo_list in "$work"/*undo; do
		undo
	done
	rm -rf -- "$work"
}
trap leave EXIT
trap 'exit 143' HUP INT TERM

# ---- cases ----

run_cases() {
	run_together 1 "$@"
}

# run_together COUNT CASE...: so many at a time. For cases that mostly wait, on disks of their own.
run_together() {
	local together=$1 names=("${@:2}") pids=() number all_good=0
	echo "1..${#names[@]}"
	for number in "${!names[@]}"; do
		while [ ${#pids[@]} -lt ${#names[@]} ] && [ ${#pids[@]} -lt $((number + together)) ]; do
			run_case "${names[${#pids[@]}]}" &
			pids+=($!)
		done
		if wait "${pids[number]}"; then
			echo "ok $((number + 1)) - ${names[number]//_/ }"
		else
			all_good=1
			echo "not ok $((number + 1)) - ${names[number]//_/ }"
			tail -n 60 "$work/${names[number]}.log" | sed 's/^/# /'
		fi
	done
	exit "$all_good"
}

# In a folder of its own; what it says is in the log beside, and if it fails what clonedeck said last.
run_case() { # NAME
	local status
	case_dir=$work/$1
	undo_list=$case_dir.undo
	: >"$undo_list"
	mkdir "$case_dir"
	(
		set -eE
		trap 'echo "line $LINENO: $BASH_COMMAND" >&2' ERR
		# shellcheck disable=SC2046 # several numbers
		trap 'kill -KILL $(jobs -p) 2>/dev/null || true' EXIT
		cd "$case_dir"
		"$1"
	) >"$case_dir.log" 2>&1 </dev/null
	status=$?
	[ "$status" -eq 0 ] || (cd "$case_dir" && tail -c 2000 out err) >>"$case_dir.log" 2>&1
	undo
	rm -rf -- "$case_dir"
	return "$status"
}

fail() {
	printf '%s\n' "$*" >&2
	return 1
}

# ---- disks ----

# noise BYTES: so many (or 64M of them) that are no other disk's. To have the kernel make each of them took
# more than all that is then done with them: these are a few of its bytes, each time from another place on.
head -c 16M /dev/urandom >"$work/noise"
noise() {
	local left=$((${1/M/ * MIB})) some
	while [ "$left" -gt 0 ]; do
		some=$((left < 8 * MIB ? left : 8 * MIB))
		dd if="$work/noise" bs=1M iflag=skip_bytes,count_bytes skip=$((SRANDOM % (8 * MIB))) count="$some" status=none
		left=$((left - some))
	done
}

# new_disk NAME MIB [LOSETUP-OPTION]...: NAME.img in the case's folder, full of
# bytes that belong to no other disk, and a loop device over it, printed.
new_disk() {
	local image=$case_dir/$1.img
	noise "$2M" >"$image"
	shift 2
	attach "$image" "$@"
}

attach() { # IMAGE [LOSETUP-OPTION]...
	local image=$1 loop
	shift
	loop=$(losetup --direct-io=on --partscan --find --show "$@" "$image")
	undone_by detach "$loop"
	# A node stays read-only after who made it so, a test that failed halfway for one.
	blockdev --setrw "$loop"
	echo "$loop"
}

# Its number may be somebody else's by now, when the case has detached it itself.
detach() { # LOOP
	[[ "$(backing "$1" 2>/dev/null)" != "$case_dir"/* ]] || losetup -d "$1"
}

backing() { # LOOP: the file below it
	cat "/sys/block/${1##*/}/loop/backing_file"
}

# partition_gpt NODE: three partitions (the second ext4) and two gaps.
partition_gpt() {
	sfdisk -q --wipe always "$1" <<-TABLE
		label: gpt
		start=2048, size=8MiB, type=uefi, name="ESP"
		size=16MiB, type=linux, name="root"
		start=53248, size=4MiB, type=swap, name="swap"
	TABLE
	know_partitions "$1" 3
	mkfs.ext4 -q -F -L root "$1p2"
	sync "$1p2"
}

mount_at() { # FOLDER MOUNT-OPTION...
	local folder=$1
	shift
	mkdir -p "$folder"
	mount "$@" "$folder"
	# The case's own folder is no longer the current one then.
	undone_by unmount "$(readlink -f "$folder")"
}

read_only() { # NODE: and writable again when the case ends, since a loop device keeps it
	blockdev --setro "$1"
	undone_by writable "$1"
}

writable() {
	blockdev --setrw "$1"
}

# Even when something that is about to end still uses it, and whatever was mounted over it. A file
# system whose program has ended is still mounted, though nobody can look at it.
unmount() { # FOLDER
	while grep -qF " $(readlink -m "$1") " /proc/self/mountinfo; do
		umount "$1" || umount -l "$1"
	done
}

# with_own_mounts COMMAND...: what it mounts is only its own. What other cases have mounted at this
# moment is let go of, for the same reason.
with_own_mounts() {
	# shellcheck disable=SC2016 # the inner shell expands them
	unshare --mount --propagation private bash -c '
		findmnt -rno TARGET | grep "/clonedeck-test\." | grep -vF "$0/" | tac | xargs -r umount -l
		exec "$@"' "$case_dir" "$@"
}

# nothing_to_find NODE: no table, no file system, no member of anything on the whole of it.
nothing_to_find() {
	local found
	found=$(blkid -p -o export "$1"; wipefs --no-act --noheadings "$1")
	[ -z "$found" ] || fail "found on $1: $found"
}

# held_by_nobody NODE
held_by_nobody() {
	/usr/bin/python3 -c 'import os, sys; os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)' "$1"
}

# Not every kernel can read every table, but all can be told what is in it. Refused while
# somebody else, such as udev, looks at the device.
know_partitions() { # NODE NUMBER-OF-THE-LAST
	local separator=
	[[ $1 != *[0-9] ]] || separator=p
	wait_for partx --update "$1"
	wait_for test -b "$1$separator$2"
}

# ---- comparisons ----

# same FILE OFFSET FILE OFFSET BYTES
same() {
	cmp -i "$2:$4" -n "$5" "$1" "$3"
}

# digest FILE [OFFSET BYTES]: to be compared with another; the cheapest one finds what any program does to a disk.
digest() {
	local sum
	if [ $# -gt 1 ]; then
		sum=$(dd if="$1" iflag=skip_bytes,count_bytes bs=1M skip="$2" count="$3" status=none | cksum)
	else
		sum=$(cksum <"$1")
	fi
	echo "${sum%% *}"
}

# ---- the program ----

# run STATUS ARGUMENT...: runs the program, output in $case_dir/out and err. STATUS may be a
# choice: "1|3".
run() {
	local expected=$1 status=0
	shift
	timeout -k 5 "${RUN_LIMIT:-300}" "$CLONEDECK" "$@" >"$case_dir/out" 2>"$case_dir/err" || status=$?
	if [[ "|$expected|" != *"|$status|"* ]]; then
		echo "clonedeck $*: exit status $status, expected $expected" >&2
		cat "$case_dir/out" "$case_dir/err" >&2
		return 1
	fi
}

# ends STATUS[|STATUS]: the program that runs in the background as $copy, its output in out and err.
ends() {
	local status=0
	wait "$copy" || status=$?
	[[ "|$1|" == *"|$status|"* ]] || {
		cat out err
		fail "exit status $status, not $1"
	}
}

# told TEXT: what runs as $copy tells that of its progress. Whether it has ended, ends finds out.
told() {
	local blocked
	blocked=$(sed -n 's/^SigBlk:[[:space:]]*/0x/p' "/proc/$copy/status") || return 0
	# Before it waits for signals, SIGUSR1 would end it.
	[ $((blocked & 0x200)) -ne 0 ] || return 1
	kill -USR1 "$copy" || return 0
	pause 0.05
	grep -q "$1" err
}

# clone STATUS SOURCE DESTINATION [OPTION]...: with the token that the plan asks for where the
# disks have no serial numbers, and everything it writes kept in the case's folder.
clone() {
	local status=$1 source=$2 destination=$3
	shift 3
	run "$status" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir "$case_dir/logs" "$@"
}

# says TEXT: the last run printed it (a fixed string), on standard output or error, perhaps over
# two lines.
says() {
	grep -qF -- "$1" "$case_dir/out" "$case_dir/err" ||
		cat "$case_dir/out" "$case_dir/err" | tr -s '[:space:]' ' ' | grep -qF -- "$1" || {
		cat "$case_dir/out" "$case_dir/err"
		fail "not printed: $1"
	}
}

# Waiting must not slow down what is waited for: in a user-mode kernel the start of a program takes
# longer than all else.
exec {silence}<> <(:)

pause() { # SECONDS
	read -rt "$1" -u "$silence" || true
}

# wait_for COMMAND...: until it succeeds. Only what hangs is given up, not a slow machine.
wait_for() {
	local i
	for ((i = 0; i < 2000; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		pause 0.1
	done
	fail "in vain waited for: $*"
}

# contain TEXT FILE...: one of the files does, which may have zeros where it was emptied under its writer.
contain() {
	local text=$1 file part
	shift
	for file; do
		[ -e "$file" ] || continue
		while IFS= read -rd '' part || [ -n "$part" ]; do
			[[ "$part" != *"$text"* ]] || return 0
		done <"$file"
	done
	return 1
}
