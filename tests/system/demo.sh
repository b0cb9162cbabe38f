#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The demo, headless and in a terminal, ended in every way: nothing stays.
. "$(dirname -- "$0")/lib.sh"

bootstrap=$(cd -- "$(dirname -- "$0")/../.." && pwd -P)/bootstrap
: "${CLONEDECK_BUILD:?the build folder}"

# Small practice disks: the folder of the demo is on a file system with little room.
demo_folder() {
	mount_at "$case_dir/tmp" -t tmpfs -o size=3g tmpfs
	export TMPDIR=$case_dir/tmp CLONEDECK_BUILD CLONEDECK_INSTALL=no
}

nothing_stays() {
	[ -z "$(find "$TMPDIR" -mindepth 1)" ] && ! losetup -a | grep -F "$TMPDIR" &&
		! grep -F "$TMPDIR/" /proc/mounts && ! pgrep -f "$TMPDIR/clonedeck-practice" >/dev/null
}

start_in_tmux() { # COMMAND: in a tmux server of this case, at 80x24
	tmux -S "$case_dir/tmux" -f /dev/null new-session -d -x 80 -y 24 "$1"
	undone_by stop_tmux "$case_dir/tmux"
}

# deck: the demo in a terminal, until its deck is there.
deck() {
	local i
	start_in_tmux "$bootstrap demo"
	for ((i = 0; i < 300; i++)); do
		! tmux -S "$case_dir/tmux" capture-pane -p | grep -q '\[1 Disks\]' || return 0
		sleep 0.2
	done
	tmux -S "$case_dir/tmux" capture-pane -p
	fail "the deck did not appear"
}

shows() { # PATTERN
	tmux -S "$case_dir/tmux" capture-pane -p | grep -q "$1"
}

stop_tmux() {
	tmux -S "$1" kill-server
}

without_a_terminal_it_clones_and_compares() {
	demo_folder
	for run in first second; do
		(cd / && "$bootstrap" demo) >out 2>&1 </dev/null
		grep -q COMPLETE out
		grep -q Compared out
		grep -q 'To install clonedeck.* install' out
		! grep -E '\.(map|log|json|html|digests)$' out || fail 'a file that is gone was named'
		nothing_stays || fail "left behind by the $run run"
	done
}

what_was_built_can_be_installed() {
	export CLONEDECK_BUILD CLONEDECK_INSTALL=no
	DESTDIR=$case_dir/root "$bootstrap" install >out 2>&1
	grep -q 'Start it with' out
	"$(find root -path '*bin/clonedeck')" --version
}

quitting_the_deck() {
	demo_folder
	deck
	wait_for shows PRACTICE
	wait_for shows ' loop[0-9]'
	tmux -S "$case_dir/tmux" send-keys q
	wait_for nothing_stays
}

a_killed_terminal() {
	demo_folder
	deck
	tmux -S "$case_dir/tmux" kill-server
	wait_for nothing_stays
}

kill_9_of_everything_but_the_reaper() {
	demo_folder
	deck
	shell=$(tmux -S "$case_dir/tmux" list-panes -F '#{pane_pid}')
	kill -KILL "$(cat "$TMPDIR"/clonedeck-practice.*/pid)" "$shell"
	wait_for nothing_stays
}

SIGTERM_and_SIGHUP() {
	demo_folder
	for signal in TERM HUP; do
		"$bootstrap" demo >out 2>&1 </dev/null &
		demo=$!
		wait_for compgen -G "$TMPDIR/clonedeck-practice.*/laptop.img"
		kill "-$signal" "$demo"
		wait "$demo" || true
		wait_for nothing_stays || fail "left behind after SIG$signal"
	done
}

Ctrl_C_while_it_clones_into_a_pipe() {
	demo_folder
	start_in_tmux "$bootstrap demo | cat"
	wait_for compgen -G "$TMPDIR/clonedeck-practice.*/pid"
	tmux -S "$case_dir/tmux" send-keys C-c
	wait_for nothing_stays
}

what_a_power_cut_left_goes_with_the_next_run() {
	demo_folder
	mkdir "$TMPDIR/clonedeck-practice.stale1"
	truncate -s 4M "$TMPDIR/clonedeck-practice.stale1/laptop.img"
	stale=$(losetup --find --show "$TMPDIR/clonedeck-practice.stale1/laptop.img")
	undone_by detach_stale "$stale"
	"$bootstrap" demo >out 2>&1 </dev/null
	wait_for nothing_stays
}

# Unless the run did it: then another disk may have that name by now.
detach_stale() { # LOOP
	! backing "$1" | grep -q clonedeck-practice.stale1 || detach "$1"
}

run_cases without_a_terminal_it_clones_and_compares what_was_built_can_be_installed quitting_the_deck a_killed_terminal \
	kill_9_of_everything_but_the_reaper SIGTERM_and_SIGHUP Ctrl_C_while_it_clones_into_a_pipe \
	what_a_power_cut_left_goes_with_the_next_run
