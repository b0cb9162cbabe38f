#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A stick that says it is twice as large as it is, and writes its upper half over its lower one.
. "$(dirname -- "$0")/lib.sh"

need nbdkit nbdfuse fusermount3 /dev/fuse

# fake_stick MIB: a loop device in $destination that keeps half as many.
fake_stick() {
	local half=$(($1 * MIB / 2))
	truncate -s "$half" real.img
	cat >stick <<-PLUGIN
		#!/bin/sh
		# \$3 bytes at \$4, of half the addresses.
		case \$1 in
		get_size) echo $((half * 2)) ;;
		can_write | can_flush) exit 0 ;;
		flush) sync $PWD/real.img ;;
		pread) dd if=$PWD/real.img bs=64K iflag=skip_bytes,count_bytes,fullblock \
			skip=\$((\$4 % $half)) count=\$3 status=none ;;
		pwrite) dd of=$PWD/real.img bs=64K iflag=fullblock oflag=seek_bytes \
			seek=\$((\$4 % $half)) conv=notrunc status=none ;;
		*) exit 2 ;;
		esac
	PLUGIN
	chmod +x stick
	mkdir fuse
	nbdkit --exit-with-parent -f -U "$case_dir/nbd" --filter=blocksize-policy sh ./stick \
		blocksize-minimum=4K blocksize-preferred=64K blocksize-maximum=1M &
	wait_for test -S nbd
	nbdfuse "$case_dir/fuse/disk" --unix "$case_dir/nbd" &
	undone_by unmount "$case_dir/fuse"
	wait_for test -s fuse/disk
	destination=$(attach "$case_dir/fuse/disk")
}

# Long before a copy of it would be through, with its real size, and nothing is copied.
found_out_before_the_copy() {
	source=$(new_disk source 96)
	fake_stick 96
	RUN_LIMIT=30 clone 7 "$source" "$destination" --probe
	says 'FAILED'
	says 'about 50.3 MB'
	jq -e '.bytes_copied == 0 and .error.operation == "probe" and
		(.passes | map(.name) | index("copy") == null)' logs/*.json
	nothing_to_find "$destination"
}

# Whoever lets it be copied to is told by what is read back.
found_out_after_the_copy() {
	source=$(new_disk source 16)
	fake_stick 16
	clone 5 "$source" "$destination" --no-probe
	says 'MISMATCH'
	nothing_to_find "$destination"
}

run_cases found_out_before_the_copy found_out_after_the_copy
