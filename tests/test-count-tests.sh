#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# count-tests decides whether a commit is good: it has to notice every way to fail.
set -uo pipefail
count=$(dirname -- "$0")/count-tests
log=$(mktemp)
trap 'rm -f "$log"' EXIT
number=0
status=0

expect() { # DESCRIPTION STATUS LAST-LINE LOG-LINE...
	local what=$1 wanted=$2 line=$3 got code=0
	shift 3
	printf '%s\n' "$@" >"$log"
	got=$("$count" "$log" | tail -n 1) || code=1
	number=$((number + 1))
	if [ "$code" = "$wanted" ] && [ "$got" = "$line" ]; then
		echo "ok $number - $what"
	else
		echo "not ok $number - $what: $got"
		status=1
	fi
}

plain='{"name": "a", "result": "OK", "stdout": ""}'
tap='{"name": "b", "result": "OK", "stdout": "1..2\nok 1 - x\nok 2 - y\n"}'
echo 1..11
expect "a plain test and two points" 0 '3 passed, 0 failed' "$plain" "$tap"
expect "a plain failure" 1 '1 passed, 1 failed' "$plain" '{"name": "c", "result": "FAIL", "stdout": "no"}'
expect "a failed point" 1 '1 passed, 1 failed' \
	'{"name": "c", "result": "FAIL", "stdout": "1..2\nok 1 - x\nnot ok 2 - y\n"}'
expect "a skipped point" 1 '1 passed, 1 failed' \
	'{"name": "c", "result": "OK", "stdout": "1..2\nok 1 - x\nok 2 - y # SKIP no disk\n"}'
expect "a skipped program" 1 '0 passed, 1 failed' '{"name": "c", "result": "SKIP", "stdout": ""}'
expect "a crash after good points" 1 '1 passed, 1 failed' \
	'{"name": "c", "result": "ERROR", "stdout": "1..2\nok 1 - x\n"}'
expect "out of time" 1 '0 passed, 1 failed' '{"name": "c", "result": "TIMEOUT"}'
expect "no test at all" 1 '0 passed, 0 failed'

# What is read of a failure is often only the end of a long log.
expect_why() { # DESCRIPTION LINE LOG-LINE
	local got
	printf '%s\n' "$3" >"$log"
	number=$((number + 1))
	got=$("$count" "$log")
	if grep -qxF "$2" <<<"$got"; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1: ${got//$'\n'/ | }"
		status=1
	fi
}

expect_why "the remarks behind the point" 'failed:   # line 7: cmp a b' \
	'{"name": "c", "result": "FAIL", "stdout": "1..2\nok 1 - x\nnot ok 2 - y\n# line 7: cmp a b\n"}'
expect_why "a sanitizer's report" 'failed:   SUMMARY: ThreadSanitizer: data race a.c:7 in f' \
	'{"name": "c", "result": "ERROR", "stdout": "ok 1 - x\n", "stderr": "x\nSUMMARY: ThreadSanitizer: data race a.c:7 in f\n"}'
expect_why "the last words" 'failed:   no such file' \
	'{"name": "c", "result": "FAIL", "stdout": "", "stderr": "no such file\n"}'
exit "$status"
