#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Cables pulled at random moments, many times over: source or destination goes
# once or twice in a copy, comes back under its old name or another one, half
# of the times with another disk in its place. Every copy must end identical,
# and the third disk untouched. CYCLES copies (as many as fit into the soak's time), SEED prints
# and repeats a run.
if [ "${1:-}" != inside ]; then
	here=$(cd -- "$(dirname -- "$0")" && pwd -P)
	cycles=${CYCLES:-$((${CLONEDECK_SOAK_SECONDS:-60} / 12 + 1))}
	LAB_VISIBLE=$(dirname -- "${CLONEDECK:?the program to test}") exec "$here/../lab/uml-run" \
		-M 768 -t $((120 + 90 * cycles)) -m scsi_debug,dev_size_mb=12,add_host=3,per_host_store=1 \
		"$here/unplug.sh" inside "$cycles" "${SEED:-$RANDOM}"
fi
cycles=$2
RANDOM=$3
echo "# seed $3, to be repeated with SEED=$3 CYCLES=$cycles"
. "$(dirname -- "$0")/../system/lib.sh"
. "$(dirname -- "$0")/../system/unplug-lib.sh"

tally() {
	echo "$1" >>"$work/tally"
}

one_copy_with_pulled_cables() {
	local pulls=$((1 + RANDOM % 2)) role i before
	three_disks
	start_copy --on-vanish wait
	for ((i = 0; i < pulls; i++)); do
		sleep "0.$((RANDOM % 10))"
		kill -0 "$copy" 2>/dev/null || break
		role=source
		[ $((RANDOM % 2)) -eq 0 ] || role=destination
		: >err
		before=$(node "$role")
		unplug "$role"
		# At the very end of a copy nobody misses the source any more.
		wait_for gone_or_ended || return 1
		[ $((RANDOM % 2)) -eq 0 ] || plug spare
		sleep "0.$((RANDOM % 10))"
		[ "$(node spare)" != "$before" ] || tally "with another disk in the old place"
		plug "$role"
		wait_for goes_on_or_ended
		tally "unplugged"
		[ "$(node "$role")" = "$before" ] || tally "back under another name"
	done
	ends 0
	all_is_copied
}

gone_or_ended() {
	grep -q 'is gone' err || ! kill -0 "$copy" 2>/dev/null
}

goes_on_or_ended() {
	grep -q 'goes on' err || ! kill -0 "$copy" 2>/dev/null
}

trap 'sort "$work/tally" | uniq -c | sed "s/^/# /"; leave' EXIT
cases=()
for ((n = 0; n < cycles; n++)); do
	# One function, one line of TAP and one stretch of the random numbers each.
	eval "copy_$n() { RANDOM=$RANDOM; one_copy_with_pulled_cables; }"
	cases+=("copy_$n")
done
run_cases "${cases[@]}"
