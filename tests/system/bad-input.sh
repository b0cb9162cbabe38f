#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a technician gets wrong, and what disks hold: a sentence that names the
# device, the right exit status, and not one byte written.
. "$(dirname -- "$0")/lib.sh"

two_disks() {
	source=$(new_disk source 32)
	destination=$(new_disk destination 32)
}

# refused STATUS DISK COMMAND...: the command ends with STATUS and leaves the disk as it was.
refused() {
	local status=$1 image before
	image=$(backing "$2")
	before=$(digest "$image")
	shift 2
	"$1" "$status" "${@:2}"
	[ "$(digest "$image")" = "$before" ] || fail "the disk was written to"
	[ -s "$case_dir/err" ] || fail "no sentence on standard error"
}

# ---- the command line ----

unknown_and_abbreviated_options() {
	two_disks
	refused 1 "$destination" clone "$source" "$destination" --frobnicate
	refused 1 "$destination" clone "$source" "$destination" --dry
	refused 1 "$destination" clone "$source" "$destination" --confir x
	run 1 frobnicate
	run 1 clone -s "$source"
	run 1 clone -d "$destination"
	run 1 show
	run 1 clone -s "$source" -d "$destination" -b 1 --confirm "$destination"
	run 1 clone -s "$source" -d "$destination" -q -3 --confirm "$destination"
	run 1 clone -s "$source" -d "$destination" -j many --confirm "$destination"
	run 1 clone -s "$source" -d "$destination" --rate '' --confirm "$destination"
}

odd_ranges() {
	two_disks
	for ranges in '' ',' abc 5-3 1+0 -0 0x 1-- 1,,2 1-2-3 '1;2' @ @99 @0 1.5KiB-2 \
		65536 0-65536 0+65537 -65537 18446744073709551616-18446744073709551617 \
		18446744073709551615+18446744073709551615 100B-200B $'1\e[31m'; do
		refused 1 "$destination" clone "$source" "$destination" -r "$ranges" ||
			fail "the range '$ranges' was taken"
	done
	! grep -q $'\e' err
}

a_destination_lba_beyond_the_end() {
	two_disks
	for lba in -1 x 99999999999999999999; do
		refused 1 "$destination" clone "$source" "$destination" -r 0+10 --at "$lba"
	done
	refused '1|3' "$destination" clone "$source" "$destination" -r 0+10 --at 65530
}

the_wrong_token_and_none() {
	two_disks
	refused 3 "$destination" run clone -s "$source" -d "$destination" --confirm "$source"
	refused 3 "$destination" run clone -s "$source" -d "$destination" --confirm ''
	refused '1|3' "$destination" run clone -s "$source" -d "$destination"
	says "$destination"
}

# What is printed would be written to it.
no_disk_is_opened_as_a_standard_descriptor() {
	two_disks
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir "$case_dir/logs" --rate 4M <&- >&- 2>&- &
	copy=$!
	wait_for cmp -i "$MIB" -n "$MIB" "$source" "$destination"
	for fd in 0 1 2; do
		[ "$(readlink "/proc/$copy/fd/$fd")" = /dev/null ] ||
			fail "descriptor $fd is $(readlink "/proc/$copy/fd/$fd")"
	done
	kill -TERM "$copy"
	status=0
	wait "$copy" || status=$?
	[ "$status" -eq 6 ]
	status=0
	"$CLONEDECK" list >&- 2>err || status=$?
	[ "$status" -eq 2 ]
	[ -s err ] || fail "that nothing could be printed was not told"
	status=0
	unshare -m sh -c "mount -t tmpfs none /dev && exec '$CLONEDECK' list <&-" 2>err || status=$?
	[ "$status" -eq 2 ]
	grep -q /dev/null err || fail "that there is no /dev/null was not told"
}

# ---- devices ----

an_unknown_device() {
	two_disks
	refused 2 "$destination" clone /dev/no-such-disk "$destination"
	says /dev/no-such-disk
	run 2 clone -s "$source" -d /dev/no-such-disk --confirm /dev/no-such-disk
	says /dev/no-such-disk
	[ ! -e /dev/no-such-disk ]
	run 2 clone -s serial=no-such-serial -d "$destination" --confirm "$destination"
	says no-such-serial
	run 2 clone -s wwn=0x123 -d "$destination" --confirm "$destination"
	run 2 clone -s "$case_dir/no-such.img" -d "$destination" --confirm "$destination"
	says no-such.img
	run 2 show /dev/no-such-disk
}

what_is_no_disk() {
	two_disks
	mkfifo pipe
	for odd in "$case_dir" "$case_dir/pipe" /dev/null /dev/tty /proc/version; do
		refused '1|2|3' "$destination" clone "$odd" "$destination"
		says "$odd"
	done
}

without_root() {
	two_disks
	cp "$CLONEDECK" program
	chmod 755 "$work" "$case_dir" program
	mkdir -m 777 home
	as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env "HOME=$case_dir/home"
		XDG_STATE_HOME= "$case_dir/program")
	"${as_nobody[@]}" list >out 2>err
	says root
	before=$(digest "$(backing "$destination")")
	status=0
	"${as_nobody[@]}" clone -s "$source" -d "$destination" --confirm "$destination" \
		>out 2>err || status=$?
	[ "$status" -eq 2 ] || fail "status $status"
	says "$source"
	[ "$(digest "$(backing "$destination")")" = "$before" ]
}

held_by_another_program() {
	two_disks
	/usr/bin/python3 -c 'import os, sys, time
os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
open("held", "w").close()
time.sleep(60)' "$destination" &
	wait_for test -e held
	refused 3 "$destination" clone "$source" "$destination"
	says "$destination"
	# Not exclusively, as dd and virtual machines do: it is said.
	exec 7<>"$source"
	run 0 clone -n -s "$(new_disk third 8)" -d "$source"
	says "can write to the destination $source"
	says "has $source open for writing"
	exec 7>&-
}

locked_by_another_program() {
	two_disks
	flock --no-fork "$destination" sleep 60 &
	wait_for locked
	refused 3 "$destination" clone "$source" "$destination"
	says "$destination"
}

locked() {
	! flock --nonblock "$destination" true
}

too_small() {
	source=$(new_disk source 32)
	destination=$(new_disk destination 31)
	refused 3 "$destination" clone "$source" "$destination"
	says destination-too-small
	# In a pipe, too, what is wrong comes last.
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir "$case_dir/logs" >both 2>&1 || true
	tail -n 1 both | grep -q '^clonedeck: .*too small'
}

a_read_only_disk() {
	two_disks
	read_only "$destination"
	refused 3 "$destination" clone "$source" "$destination"
	says destination-read-only
}

sector_sizes_that_differ() {
	source=$(new_disk source 32)
	destination=$(new_disk destination 32 -b 4096)
	refused 3 "$destination" clone "$source" "$destination"
	says sector-size-differs
	# Lifted by name, it is done.
	clone 0 "$source" "$destination" --allow sector-size-differs
	cmp "$source" "$destination"
	# Only by a name that exists, and only what may be lifted.
	refused 1 "$destination" clone "$source" "$destination" --allow everything
	read_only "$destination"
	refused '1|3' "$destination" clone "$source" "$destination" --allow sector-size-differs \
		--allow destination-read-only
}

the_same_disk_twice() {
	two_disks
	partition_gpt "$destination"
	ln -s "$destination" by-another-name
	refused 3 "$destination" clone "$destination" "$destination"
	refused 3 "$destination" run clone -s "$case_dir/by-another-name" -d "$destination" \
		--confirm "$destination"
	refused 3 "$destination" clone "$destination" "${destination}p2"
	refused 3 "$destination" clone "${destination}p2" "$destination"
	refused 3 "$destination" clone "$destination" "$destination" -r 0+1000 --at 999
	# The file below a loop device is that device.
	image=$(backing "$destination")
	refused 3 "$destination" clone "$destination" "$image"
	refused 3 "$destination" clone "$image" "$destination"
}

mounted() {
	two_disks
	partition_gpt "$destination"
	mount_at "$case_dir/mnt" -o ro,noload "${destination}p2"
	refused 3 "$destination" clone "$source" "$destination"
	says "${destination}p2"
	refused 3 "$destination" clone "$source" "${destination}p2" -r 0+100
	# Another partition of that disk is not in the way.
	clone 0 "$source" "${destination}p3" -r 0+100
}

used_as_swap() {
	two_disks
	partition_gpt "$destination"
	mkswap -q "${destination}p3"
	swapon "${destination}p3"
	undone_by swapoff "${destination}p3"
	# The kernel may put pages there at any time: all before it counts.
	before=$(digest "$(backing "$destination")" 0 $((53248 * 512)))
	clone 3 "$source" "$destination"
	says destination-swap
	[ "$(digest "$(backing "$destination")" 0 $((53248 * 512)))" = "$before" ]
}

backing_file_of_another_loop_device() {
	two_disks
	mkfs.ext4 -q -F "$destination"
	mount_at "$case_dir/mnt" "$destination"
	truncate -s 8M mnt/inner.img
	attach "$case_dir/mnt/inner.img" >/dev/null
	clone 3 "$source" "$destination"
}

# The kernel itself writes to a file system that can be written to, whenever it has the time.
mounted_read_only() {
	mkfs.ext4 -q -F "$destination"
	mount_at "$case_dir/mnt" -o ro "$destination"
}

an_image_that_is_attached_as_a_disk() {
	two_disks
	mounted_read_only
	refused 3 "$destination" run clone -s "$source" -d destination.img --confirm \
		"$case_dir/destination.img" --log-dir logs
	says "losetup -d $destination"
}

# Of the second one nobody knows that the first one is mounted, or is going to be.
a_file_that_is_attached_twice() {
	two_disks
	mounted_read_only
	twice=$(attach "$case_dir/destination.img")
	refused 3 "$destination" clone "$source" "$twice"
	says "losetup -d $destination"
	over=$(attach_over "$twice")
	refused 3 "$destination" clone "$source" "$over"
	says "losetup -d $destination"
	detach_over "$over"
	detach "$twice"
	behind=$(attach "$case_dir/destination.img" --offset $((16 * MIB)))
	refused 3 "$destination" clone "$source" "$behind" -r 0+2048
	umount mnt
	detach "$destination"
	# Another part of the file is another disk.
	before=$(attach "$case_dir/destination.img" --sizelimit $((16 * MIB)))
	clone 0 "$source" "$behind" -r 0+2048
	same source.img 0 destination.img $((16 * MIB)) "$MIB"
}

detach_over() { # LOOP: that was put over a device
	[[ "$(backing "$1" 2>/dev/null)" != /dev/loop* ]] || losetup -d "$1"
}

attach_over() { # NODE
	local loop
	loop=$(losetup --find --show "$1")
	undone_by detach_over "$loop"
	echo "$loop"
}

# What is written to it is written to the device below, which nobody holds for it.
a_loop_device_over_a_device() {
	two_disks
	over=$(attach_over "$source")
	refused 3 "$source" clone "$source" "$over" --allow image-on-source-disk
	says "The destination $over is made of the source $source"
	refused 3 "$source" clone "$over" "$source"
	another=$(attach_over "$source")
	refused 3 "$source" clone "$over" "$another"
	says 'same file or device'
	clone 0 "$over" "$destination"
	mkfs.ext4 -q -F "$destination"
	over=$(attach_over "$destination")
	run 0 show "$destination"
	says "${destination#/dev/}: held by $over"
	refused 3 "$source" clone "$source" "$destination"
	says "Another device is built upon the destination $destination"
	says "($destination: $over)"
	mount_at "$case_dir/mnt" "$destination"
	refused 3 "$source" clone "$source" "$over"
	says "$destination, which is in use ($destination: $case_dir/mnt)"
	umount mnt
	clone 0 "$source" "$over"
	cmp "$source" "$destination"
}

an_empty_device() {
	: >empty.img
	two_disks
	empty=$(attach "$case_dir/empty.img")
	refused '1|2|3' "$destination" clone "$empty" "$destination"
	says "$empty"
}

# ---- images ----

no_image_below_dev() {
	two_disks
	clone 2 "$source" /dev/copy.img
	[ ! -e /dev/copy.img ]
	ln -s /dev link
	clone '2|3' "$source" "$case_dir/link/copy.img"
	[ ! -e /dev/copy.img ]
}

# Compressed images and those of virtual machines hold other bytes than the disk.
images_that_are_not_raw() {
	local tool
	two_disks
	noise 3M >raw
	for tool in gzip bzip2 xz zstd lz4 zip; do
		type -P "$tool" >/dev/null || continue
		rm -f packed disk.img
		if [ "$tool" = zip ]; then
			zip -q - raw >packed
		else
			"$tool" -q -c raw >packed
		fi
		refused 1 "$destination" clone "$case_dir/packed" "$destination"
		! grep -qi 'pad it' err || fail "$tool: it says to pad it"
		says format
		# The command stands on a line of its own, and does what the sentence says.
		run 1 clone -s packed -d "$destination" --dry-run
		sh -c "$(sed -n '/ Run:$/{n;p}' err)" 2>/dev/null
		cmp raw disk.img || fail "$tool: the command does not unpack it"
		run 1 show packed
		run 1 clone -s "$source" -d packed --dry-run
		[ "$(stat -c %s packed)" -gt 0 ]
	done
	printf 'QFI\373\000\000\000\003' >vm.qcow2
	truncate -s 1M vm.qcow2
	refused 1 "$destination" clone "$case_dir/vm.qcow2" "$destination"
	says 'qemu-img convert -O raw'
	run 1 verify -s "$source" -d vm.qcow2
	for name in new.img.gz new.qcow2 new.VMDK; do
		run 1 clone -s "$source" -d "$name" --confirm x
		says 'Name it disk.img'
		[ ! -e "$name" ] || fail "$name was made"
	done
	# A disk that happens to begin with such bytes is a disk.
	printf 'QFI\373\000\000\000\003' | dd of="$(backing "$source")" conv=notrunc status=none
	blockdev --flushbufs "$source"
	clone 0 "$source" "$destination"
	cmp "$(backing "$source")" "$(backing "$destination")"
}

pipes_are_no_ends() {
	two_disks
	for odd in - /dev/stdin /dev/zero; do
		echo data | refused 1 "$destination" clone "$odd" "$destination"
		says positions
	done
	for odd in - /dev/stdout /dev/null; do
		# Through a pipe, as somebody would who wants to send it on.
		"$CLONEDECK" clone -s "$source" -d "$odd" --confirm "$odd" 2>err | cat >out
		[ "${PIPESTATUS[0]}" = 1 ] || fail "$odd was taken"
		says positions
		[ ! -s out ] || fail "something was sent"
	done
	[ ! -e ./- ] || fail "a file named - was made"
	# shellcheck disable=SC2094 # that is the mistake
	! "$CLONEDECK" clone -s "$source" -d all.img --confirm all.img >all.img 2>err ||
		fail "its own output was taken"
	says 'output goes'
}

# Who types dd's operands gets the command that does it: it copies what dd would.
the_dialect_of_dd() {
	local operands command
	two_disks
	noise 32M 1<>"$(backing "$source")"
	blockdev --flushbufs "$source"
	for operands in 'bs=1M' 'bs=64K skip=4 seek=8 count=16' 'skip=2048' 'bs=4096 count=100' \
		'bs=1M seek=1 count=8388608B' 'bs=1M skip=1 seek=1' 'obs=1M ibs=512 seek=2 count=512'; do
		dd if=/dev/zero of="$(backing "$destination")" bs=1M count=32 conv=notrunc status=none
		blockdev --flushbufs "$destination"
		# shellcheck disable=SC2086 # several words each
		run 1 dd "if=$source" "of=$destination" $operands conv=noerror,sync status=progress
		command=$(sed -n 's/^  clonedeck \(clone .*\) --dry-run$/\1/p' err)
		[ -n "$command" ] || fail "$operands: no command"
		! grep -q 'Without a counterpart' err || fail "$operands: left out"
		head -c 32M /dev/zero >by-dd.img
		# shellcheck disable=SC2086
		dd "if=$source" of=by-dd.img $operands conv=notrunc status=none
		# shellcheck disable=SC2086
		run 0 $command --confirm "$destination" --log-dir logs ||
			fail "$operands: $command"
		blockdev --flushbufs "$destination"
		cmp by-dd.img "$destination" || fail "$operands: other bytes than dd's"
	done
	run 1 "if=$source" "of=$destination" conv=swab
	says 'left out: conv=swab'
	run 1 clone "if=$source" "of=$destination"
	says "clonedeck clone -s $source -d $destination --dry-run"
	run 1 "if=$source"
	says 'name both'
	run 1 if=/dev/zero "of=$destination" bs=1M
	run 1 "if=$source" "of=$destination" bs=1 count=100
	says 'whole sectors'
	run 1 "if=$source" "of=$destination" bs=many
}

# What looks like a file there is a switch of the kernel, or was left in memory.
no_images_of_the_kernel() {
	two_disks
	for odd in /proc/copy.img /sys/copy.img /proc/sys/vm/swappiness /sys/kernel/mm/copy.img; do
		clone 3 "$source" "$odd" --allow image-space
		says "$odd lies in a file system of the kernel"
	done
	clone 3 /proc/version "$destination"
	# By a link to a disk it is fine.
	run 0 clone -s "$source" -d /proc/self/cwd/copy.img --log-dir logs
	cmp "$source" copy.img
	left=$(mktemp /dev/clonedeck-test.XXXXXX)
	undone_by rm "$left"
	refused 3 "$source" clone "$source" "$left"
	says 'was left among them'
}

# One file with two names whose numbers differ.
an_overlay_and_its_layers() {
	two_disks
	mkdir lower upper work
	truncate -s 32M upper/above.img lower/below.img
	mount_at "$case_dir/merged" -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay
	for ends in 'upper merged' 'merged upper'; do
		read -r from to <<<"$ends"
		clone 3 "$from/above.img" "$case_dir/$to/above.img"
		says 'same file or device'
	done
	clone 3 merged/below.img "$case_dir/lower/below.img"
	loop=$(attach "$case_dir/merged/above.img")
	clone 3 "$loop" "$case_dir/upper/above.img"
	detach "$loop"
	# Another file of the same overlay is another file.
	clone 0 upper/above.img "$case_dir/merged/below.img"
}

an_active_swap_file() {
	two_disks
	fallocate -l 32M swap.img
	chmod 600 swap.img
	mkswap -q swap.img
	swapon swap.img
	undone_by swapoff "$case_dir/swap.img"
	refused 3 "$destination" clone swap.img "$destination"
	says 'it is an active swap file'
	clone 3 "$source" "$case_dir/swap.img" --allow image-space
	says destination-swap
	run 1 clone -s "$source" -d swap.img --allow destination-swap --dry-run
	swapoff swap.img
	clone 0 "$source" "$case_dir/swap.img"
}

no_room_for_an_image() {
	two_disks
	mount_at "$case_dir/small" -t tmpfs -o size=16m tmpfs
	clone 3 "$source" "$case_dir/small/copy.img"
	says image-space
	[ ! -e small/copy.img ]
	# Tried all the same, it fails there and not sooner, and says where.
	clone 7 "$source" "$case_dir/small/copy.img" --allow image-space
	says small/copy.img
	same "$source" 0 small/copy.img 0 $((4 * MIB))
}

a_log_folder_that_cannot_be_written() {
	two_disks
	: >file
	refused 2 "$destination" run clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir "$case_dir/file/logs"
	says file/logs
}

# Of a rescue system only memory may be writable: map and log go there, and that is told.
a_system_that_is_read_only() {
	two_disks
	mkdir run home
	mount_at "$case_dir/run" -t tmpfs tmpfs
	for arguments in "clone -s $source -d $destination --dry-run" \
		"clone -s $source -d $destination --confirm $destination"; do
		# shellcheck disable=SC2016,SC2086 # for that shell; several arguments
		unshare --mount --propagation private sh -c '
			run=$1
			shift
			mount --bind "$run" /run && mount --bind / / && mount -o remount,bind,ro / && exec "$@"' sh \
			"$case_dir/run" env -u XDG_STATE_HOME HOME="$case_dir/home" \
			"$CLONEDECK" $arguments >out 2>err || fail "$arguments failed"
		says 'The map is kept in memory here (/run/clonedeck)'
	done
	ls run/clonedeck/*.json run/clonedeck/*.map
	cmp "$source" "$destination"
}

files_in_each_others_place() {
	two_disks
	for options in '--report a --certificate ./a' "--map a --report $PWD/a" \
		'--map a --certificate a'; do
		# shellcheck disable=SC2086 # several arguments
		refused 1 "$destination" clone "$source" "$destination" $options
		says 'is named twice'
	done
	# A report in its place would be all that is left of a disk in a file.
	cp source.img image.img
	ln image.img other-name.img
	for option in map report certificate; do
		refused 1 "$destination" clone "$case_dir/image.img" "$destination" \
			"--$option" ./image.img
		run 1 clone -s "$source" -d new.img --log-dir logs "--$option" source.img
		run 1 clone -s "$source" -d new.img --log-dir logs "--$option" ./new.img
		says './new.img is the source or the destination itself'
	done
	refused 1 "$destination" clone "$case_dir/image.img" "$destination" --report other-name.img
	cmp source.img image.img
	[ ! -e new.img ]
	# The list of digests has its name from the map, or from the report; the saved tables from the map.
	for files in 'a.tables --map a.map' 'a.digests --map a.map' 'a.digests --map ./a' 'a.json.digests --report a.json'; do
		read -ra words <<<"$files"
		cp source.img "${words[0]}"
		run 1 clone -s "${words[0]}" -d "$destination" --confirm "$destination" \
			--log-dir logs "${words[@]:1}"
		says "${words[0]} is the source or the destination itself"
		cmp source.img "${words[0]}"
		rm "${words[0]}"
		run 1 clone -s "$source" -d "${words[0]}" --log-dir logs "${words[@]:1}"
		[ ! -e "${words[0]}" ]
	done
	# What is no end has been made by somebody, too.
	for words in a.tables a.digests; do
		echo precious >"$words"
		refused 2 "$destination" clone "$source" "$destination" --map a.map
		says "$words cannot be written: File exists"
		[ "$(cat "$words")" = precious ]
		rm "$words"
	done
	# What is written in order to replace them has names that nothing had.
	run 0 clone -s "$source" -d a.map.new --map a.map --log-dir logs --report a.json
	cmp source.img a.map.new
	# What cannot be a map is not told to be one.
	for map in "$source" "$destination" source.img /dev/null; do
		refused 1 "$destination" clone "$source" "$destination" --map "$map"
		if grep -q 'exists already' err; then
			fail "$map was taken for a map"
		fi
	done
	refused 1 "$destination" clone "$source" "$destination" --certificate /dev/null
	says '/dev/null is not a regular file'
	refused 2 "$destination" clone "$source" "$destination" --certificate none/c.html
	says none/c.html
	refused 1 "$destination" clone "$source" "$destination" --operator ''
}

# They are replaced again and again: a link in their place would be refused each time, and the copy
# would end without a map. The file it leads to is made or replaced, and the link stays.
files_named_by_links() {
	two_disks
	mkdir real
	echo old >real/c.html
	for name in map json html; do
		ln -s "real/c.$name" "link.$name"
	done
	"$CLONEDECK" clone -s "$source" -d copy.img --rate 8M --log-dir logs --map link.map \
		--report link.json --certificate link.html >out 2>err &
	copy=$!
	wait_for cmp -n "$MIB" "$source" copy.img
	kill -TERM "$copy"
	ends 6
	says real/c.map
	[ -L link.map ] && [ -L link.json ] && [ -L link.html ]
	ddrescuelog -t real/c.map
	jq -e --arg map "$case_dir/real/c.map" '.result == "STOPPED" and .files.map == $map' real/c.json
	grep -q STOPPED real/c.html
	[ -e real/c.digests ]
	# It goes on from there, and the second map is not a file in the place of the link.
	run 0 resume link.map --rate 0 --confirm "$case_dir/copy.img" --log-dir logs
	[ -L link.map ]
	ddrescuelog -D real/c.map
	cmp "$source" copy.img
	rm copy.img
	# What a link leads to is checked like what is named.
	run 1 clone -s "$source" -d copy.img --log-dir logs --map link.map
	says 'exists already'
	ln -s copy.img to-image
	run 1 clone -s "$source" -d copy.img --log-dir logs --map to-image
	says 'is the source or the destination itself'
	ln -s none/new.map nowhere
	run 2 clone -s "$source" -d copy.img --log-dir logs --map nowhere
	says none/new.map
	ln -s circle circle
	ln -s /dev/null null
	for odd in circle null; do
		for option in map report certificate; do
			run 1 clone -s "$source" -d copy.img --log-dir logs "--$option" "$odd"
			says "$odd is not a regular file"
		done
	done
	[ ! -e copy.img ]
}

# ---- what disks hold ----

# harmless: the last run printed no control character and no direction mark.
harmless() {
	! LC_ALL=C grep -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out err ||
		fail "control characters were printed"
	! grep -P '[\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]' out err ||
		fail "direction marks were printed"
}

hostile_labels() {
	source=$(new_disk source 64)
	sfdisk -q --wipe always "$source" <<-TABLE
		label: gpt
		size=8MiB, type=linux, name="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		size=8MiB, type=linux, name="second"
		size=8MiB, type=linux, name="third"
	TABLE
	know_partitions "$source" 2
	mkfs.ext4 -q -F -L $'\e[31m\e]0;x\ay' "${source}p1"
	mkfs.ext4 -q -F -L $'\xff\xfe\xc3(broken' "${source}p2"
	mkfs.ext4 -q -F -L $'a\xe2\x80\xaegnp\xe2\x81\xa6' "${source}p3"
	# The name of the second partition becomes an escape sequence and a right-to-left override.
	printf '\033\000[\0002\000J\000\056\040' |
		dd of="$source" bs=1 seek=$((1024 + 128 + 56)) conv=notrunc status=none
	sync "$source"
	blockdev --flushbufs "$source"
	for arguments in list 'list --all' "show $source"; do
		# shellcheck disable=SC2086 # several arguments
		run 0 $arguments
		harmless
	done
	run 0 show "$source" --json
	jq -e . out >/dev/null
	harmless
	destination=$(new_disk destination 64)
	run 0 clone -s "$destination" -d "$source" --dry-run --log-dir logs
	harmless
}

# In a terminal of another character set than UTF-8 half of a letter may begin a control sequence.
labels_on_a_terminal_that_is_not_utf8() {
	disk=$(new_disk disk 16)
	mkfs.ext4 -q -F -L $'\303\23331mre\314\201d' "$disk"
	noise 16M >source.img
	for arguments in "show $disk" "clone -s source.img -d $disk --dry-run --log-dir logs"; do
		# shellcheck disable=SC2086 # several arguments
		LC_ALL=C python3 -c 'import os, pty, sys; os._exit(pty.spawn(sys.argv[1:]) >> 8)' \
			"$CLONEDECK" $arguments >out 2>err </dev/null || fail "$arguments failed"
		says 31mr
		! LC_ALL=C grep -P '[\x80-\xff]|\\x' out || fail "it was sent letters that it has not"
	done
	# What no terminal shows is as it is.
	LC_ALL=C run 0 show "$disk"
	says $'\303\23331m'
	! grep -F '\x' out || fail "the table has not the letters themselves"
}

# There all is English: what the C library says of an error, too, else it is in that character set.
errors_on_a_terminal_that_is_not_utf8() {
	: >file
	mkdir -p locales catalogues/de/LC_MESSAGES
	cp -rL /usr/lib/locale/C.utf8 locales/de_DE.utf8
	printf 'msgid "%s"\nmsgstr "%s"\n' '' 'Content-Type: text/plain; charset=UTF-8\n' \
		'Not a directory' 'Nein, heißt es' | msgfmt -o catalogues/de/LC_MESSAGES/libc.mo -
	mount_at /usr/share/locale --bind catalogues
	unset LC_ALL
	export LOCPATH=$case_dir/locales LC_MESSAGES=de_DE.UTF-8
	LC_CTYPE=de_DE.UTF-8 run 2 show file/disk
	says 'Nein, heißt es'
	LC_CTYPE=C run 2 show file/disk
	says 'Not a directory'
}

# Whoever finds an image on somebody's disk has not chosen its name.
names_that_a_terminal_obeys() {
	name=$'\e[31m\e]0;x\ay\nclonedeck: COMPLETE\302\2332J'
	noise 2M >"$name.img"
	run 3 clone -s "$name.img" -d "$name.img" --dry-run
	harmless
	run 0 clone -s "$name.img" -d "copy$name.img" --map "$name.map" --log-dir logs
	harmless
	run 0 verify -s "$name.img" -d "copy$name.img"
	harmless
	jq -r '.events[].text' logs/*.json >events
	! grep $'[\e\a]\|^clonedeck: COMPLETE' logs/*.log logs/*.json logs/*.html "$name.map" events ||
		fail "control characters were saved"
}

broken_tables() {
	disk=$(new_disk disk 32)
	# An extended partition whose chain of boot records leads back to itself.
	sfdisk -q --wipe always "$disk" <<-TABLE
		label: dos
		start=2048, size=40960, type=5
		start=4096, size=2048, type=83
	TABLE
	image=$(backing "$disk")
	# The second entry of the first boot record: type 5, at 0, so itself again.
	printf '\000\000\000\000\005\000\000\000\000\000\000\000\000\240\000\000' |
		dd of="$image" bs=1 seek=$((2048 * 512 + 446 + 16)) conv=notrunc status=none
	blockdev --flushbufs "$disk"
	run 0 show "$disk"
	run 0 list --all
	# A GPT whose header promises more entries than any disk has, with a wrong checksum.
	partition_gpt "$disk"
	printf '\377\377\377\177\377\377\377\177' |
		dd of="$image" bs=1 seek=$((512 + 80)) conv=notrunc status=none
	blockdev --flushbufs "$disk"
	run 0 show "$disk"
	# A table for a larger disk.
	partition_gpt "$disk"
	truncate -s 20M disk.img
	losetup -c "$disk"
	run 0 show "$disk"
	says 'for a larger disk'
	says 'The kernel still has the partitions as they were'
	! grep rereadpt out || fail 'that would lose them'
	losetup -d "$disk"
	disk=$(attach "$case_dir/disk.img")
	run 0 show "$disk"
	# Random bytes with the signatures of tables.
	noise 4M >disk.img
	printf 'EFI PART' | dd of=disk.img bs=1 seek=512 conv=notrunc status=none
	printf '\125\252' | dd of=disk.img bs=1 seek=510 conv=notrunc status=none
	disk=$(attach "$case_dir/disk.img")
	run 0 show "$disk"
	run 0 show "$disk" --json
	jq -e . out
	harmless
}

run_cases unknown_and_abbreviated_options odd_ranges a_destination_lba_beyond_the_end \
	the_wrong_token_and_none no_disk_is_opened_as_a_standard_descriptor an_unknown_device what_is_no_disk without_root \
	held_by_another_program locked_by_another_program too_small a_read_only_disk \
	sector_sizes_that_differ the_same_disk_twice mounted used_as_swap \
	backing_file_of_another_loop_device a_loop_device_over_a_device an_image_that_is_attached_as_a_disk \
	a_file_that_is_attached_twice an_empty_device no_image_below_dev \
	images_that_are_not_raw no_images_of_the_kernel an_overlay_and_its_layers an_active_swap_file pipes_are_no_ends the_dialect_of_dd no_room_for_an_image a_log_folder_that_cannot_be_written a_system_that_is_read_only \
	files_named_by_links files_in_each_others_place hostile_labels labels_on_a_terminal_that_is_not_utf8 errors_on_a_terminal_that_is_not_utf8 \
	names_that_a_terminal_obeys broken_tables
