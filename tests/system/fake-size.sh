#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Disks that are not as large as they say: a stick that writes what is too much over its beginning, and
# a disk that becomes smaller on the way.
. "$(dirname -- "$0")/lib.sh"

need nbdkit nbdfuse fusermount3 /dev/fuse

# fake_stick CLAIMED REAL: a loop device in $destination; both in bytes.
fake_stick() {
	local claimed=$1 real=$2
	truncate -s "$real" real.img
	cat >stick <<-PLUGIN
		#!/bin/bash
		# \$3 bytes at \$4, of the real addresses.
		at=\$((\${4:-0} % $real)) first=\$(($real - \${4:-0} % $real)) all=\${3:-0}
		first=\$((first < all ? first : all))
		case \$1 in
		get_size) echo $claimed ;;
		can_write | can_flush) exit 0 ;;
		flush) sync $PWD/real.img ;;
		pread)
			part="dd if=$PWD/real.img bs=64K iflag=skip_bytes,count_bytes,fullblock status=none"
			\$part skip=\$at count=\$first
			((first == all)) || \$part skip=0 count=\$((all - first))
			;;
		pwrite)
			part="dd of=$PWD/real.img bs=64K iflag=count_bytes,fullblock oflag=seek_bytes
				conv=notrunc status=none"
			\$part seek=\$at count=\$first
			((first == all)) || \$part seek=0 count=\$((all - first))
			;;
		*) exit 2 ;;
		esac
	PLUGIN
	chmod +x stick
	mkdir fuse
	nbdkit --exit-with-parent -f -U "$case_dir/nbd" --filter=blocksize-policy sh ./stick \
		blocksize-minimum=512 blocksize-preferred=64K blocksize-maximum=1M &
	# Ended by its parent's end, not killed as other jobs are: the plugin removes its own folder.
	disown
	wait_for test -S nbd
	nbdfuse "$case_dir/fuse/disk" --unix "$case_dir/nbd" &
	undone_by unmount "$case_dir/fuse"
	wait_for test -s fuse/disk
	destination=$(attach "$case_dir/fuse/disk")
}

# Long before a copy of it would be through, with its real size, and nothing is copied.
found_out_before_the_copy() {
	source=$(new_disk source 96)
	fake_stick $((96 * MIB)) $((48 * MIB))
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
	fake_stick $((16 * MIB)) $((8 * MIB))
	clone 5 "$source" "$destination" --no-probe
	says 'MISMATCH'
	nothing_to_find "$destination"
}

# Its last sector, where the backup of the table belongs, is the first one.
a_sector_too_short() {
	source=$(new_disk source 3)
	echo 'start=2048, size=1MiB' | sfdisk -q --label gpt "$source"
	fake_stick $((3 * MIB)) $((3 * MIB - 512))
	RUN_LIMIT=60 clone 7 "$source" "$destination" --probe
	says 'its last 512 bytes do not exist'
	for verify in --no-verify --verify; do
		clone 5 "$source" "$destination" --no-probe "$verify"
		says 'MISMATCH'
		says 'not what was written there'
		nothing_to_find "$destination"
	done
}

# As a failing disk may that was reset. What it does not show for a while is not bad.
a_source_that_is_small_for_a_while() {
	# No disk of another test has this size.
	source=$(new_disk source 23)
	destination=$(new_disk destination 23)
	cp source.img whole
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" --rate 2M --log-dir logs \
		>out 2>err &
	copy=$!
	wait_for cmp -i $((2 * MIB)) -n 65536 whole destination.img
	truncate -s 8M source.img
	losetup -c "$source"
	wait_for grep 'there is a disk of 8,388,608 B now, not of 24,117,248 B' err
	cat whole >source.img
	losetup -c "$source"
	ends 0
	says 'the copy goes on where it ended'
	cmp whole destination.img
	jq -e '.result == "COMPLETE" and .bad_bytes == 0' logs/*.json
}

run_cases found_out_before_the_copy found_out_after_the_copy a_sector_too_short \
	a_source_that_is_small_for_a_while
