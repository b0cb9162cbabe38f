#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A technician at a serial console: the deck in an emulated machine, driven by
# keys through all its screens, with a disk that is unplugged and plugged in.
# The disks are compared from outside the machine.
. "$(dirname -- "$0")/lib.sh"

here=$(cd -- "$(dirname -- "$0")" && pwd -P)

screen() {
	tmux -S "$case_dir/tmux" capture-pane -p 2>/dev/null
}

keys() {
	tmux -S "$case_dir/tmux" send-keys "$@"
}

# An emulated machine is slow: each key is given time to show.
see() { # TEXT
	local i
	for ((i = 0; i < 1000; i++)); do
		! screen | grep -qF -- "$1" || return 0
		[ ! -s "$case_dir/status" ] || break
		sleep 0.2
	done
	screen
	cat "$case_dir/err"
	fail "not seen on the screen: $1"
}

see_no_more() { # TEXT
	local i
	for ((i = 0; i < 1000; i++)); do
		screen | grep -qF -- "$1" || return 0
		sleep 0.2
	done
	screen
	fail "still on the screen: $1"
}

monitor() { # COMMAND
	"$here/../lab/qemu-monitor" "$case_dir/monitor" "$1"
}

stop_tmux() {
	tmux -S "$1" kill-server
}

boot() {
	noise 16M >source.img
	noise 20M >destination.img
	noise 16M >other.img
	sfdisk -q source.img <<-TABLE
		label: gpt
		start=2048, size=4MiB, type=uefi, name="ESP"
		size=4MiB, type=linux, name="root"
	TABLE
	tmux -S "$case_dir/tmux" -f /dev/null new-session -d -x 80 -y 24 "env CLONEDECK=$CLONEDECK \
		TERM=vt220 LC_ALL=C $here/../lab/qemu-run -c -q $case_dir/monitor -t 1500 \
		-d sata:$case_dir/source.img:SATA-SRC-000001 -d nvme:$case_dir/destination.img:NVME-DST-000002 \
		-d usb:$case_dir/other.img:USB-OTHER-00003 $here/deck-serial.sh inside 2>$case_dir/err
		echo \$? >$case_dir/status"
	undone_by stop_tmux "$case_dir/tmux"
	see '[1 Disks]'
}

# choose KEY SERIAL SHOWN TEXT: puts the cursor on the disk with this serial number and presses the key.
choose() {
	keys / C-u
	keys -l "$2"
	keys Enter
	see "$3$2"
	keys "$1"
	see "$4"
}

all_five_screens_and_a_disk_that_comes_and_goes() {
	boot
	see SRC-000001
	see DST-000002
	see OTHER-00003
	monitor 'device_del disk2'
	see_no_more OTHER-00003
	monitor "drive_add 0 if=none,id=again,format=raw,file=$case_dir/other.img"
	monitor 'device_add usb-storage,id=disk2,drive=again,bus=xhci2.0,serial=USB-OTHER-00003'
	see OTHER-00003
	cp destination.img before.img

	choose s SATA-SRC-000001 "Serial  " "Source is"
	choose d NVME-DST-000002 "S/N " "will be copied to"
	keys 2
	see '[2 Ranges]'
	see SATA-SRC-000001
	keys w
	see 'Range [*_'
	keys c
	see '[3 Plan]'
	see NVME-DST-000002
	# Nothing was written up to here.
	cmp before.img destination.img
	keys -l 000002
	keys Enter
	see '[5 Report]'
	see COMPLETE
	keys q
	wait_for_end
	cmp -n $((16 << 20)) source.img destination.img
	cmp -i $((16 << 20)) before.img destination.img
}

wait_for_end() {
	local i
	for ((i = 0; i < 300; i++)); do
		if [ -s status ]; then
			[ "$(cat status)" -eq 0 ] || fail "the deck ended with $(cat status): $(cat err)"
			return 0
		fi
		sleep 0.2
	done
	screen
	fail "the deck did not end"
}

if [ "${1:-}" = inside ]; then
	trap - EXIT
	rm -rf -- "$work"
	stty rows 24 cols 80
	exec "$CLONEDECK"
fi
run_cases all_five_screens_and_a_disk_that_comes_and_goes
