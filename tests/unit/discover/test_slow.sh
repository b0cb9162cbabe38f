#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A disk that hangs must not hang the list: a loop device over a file that
# answers a read only after half a minute.
#
# usage: test_slow.sh CLONEDECK
set -u
clonedeck=$1

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
[ "$(id -u)" -eq 0 ] || skip "needs root"
for tool in nbdkit nbdfuse losetup fusermount3; do
	command -v "$tool" >/dev/null || skip "needs $tool"
done
[ -c /dev/fuse ] || skip "needs FUSE"

work=$(mktemp -d /tmp/clonedeck-slow.XXXXXX) || exit 1
disk=
server=
fuse=
# shellcheck disable=SC2317 # the trap runs it
cleanup() {
	# The read that is still under way ends with its server; before that nothing lets go.
	[ -z "$server" ] || kill -KILL "$server" 2>/dev/null
	[ -z "$disk" ] || losetup -d "$disk" 2>/dev/null
	fusermount3 -uz "$work/mount" 2>/dev/null
	[ -z "$fuse" ] || kill "$fuse" 2>/dev/null
	wait 2>/dev/null
	rm -rf -- "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

mkdir "$work/mount"
nbdkit -f -U "$work/socket" --filter=delay memory 16M rdelay=300 2>"$work/errors" &
server=$!
disown "$server"
for _ in $(seq 600); do
	[ -S "$work/socket" ] && break
	sleep 0.1
done
nbdfuse "$work/mount/disk" --unix "$work/socket" 2>>"$work/errors" &
fuse=$!
disown "$fuse"
for _ in $(seq 600); do
	[ -f "$work/mount/disk" ] && break
	sleep 0.1
done
disk=$(losetup -f --show "$work/mount/disk" 2>>"$work/errors") || skip "no loop device over FUSE"

echo 1..4
started=$(date +%s)
output=$(timeout 200 "$clonedeck" list --all 2>&1)
status=$?
took=$(($(date +%s) - started))

result() {
	if [ "$1" -eq 0 ]; then
		echo "ok $2 - $3"
	else
		echo "not ok $2 - $3"
		printf '# %s\n' "status $status after $took s" "$output"
	fi
}
[ "$status" -eq 0 ] && [ "$took" -lt 150 ]
result $? 1 "the list comes after its time limit"
grep -q "^${disk#/dev/} .*16.8M" <<<"$output"
result $? 2 "the slow disk is in it"
tr '\n' ' ' <<<"$output" | grep -q "$disk did not answer in time"
result $? 3 "and it is said that it did not answer"
started=$(date +%s)
output=$(timeout 200 "$clonedeck" show "$disk" 2>&1)
status=$?
took=$(($(date +%s) - started))
[ "$status" -eq 0 ] && grep -q "held open: unknown" <<<"$output" &&
	! grep -q "could not be read" <<<"$output"
result $? 4 "alone, it is not called unused, nor unreadable"
