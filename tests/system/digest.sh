#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sums of the whole source: they are those that sha256sum and its like say, and these check the
# lists.
. "$(dirname -- "$0")/lib.sh"

two_disks() { # [LOSETUP-OPTION]...
	source=$(new_disk source 40 "$@")
	destination=$(new_disk destination 40 "$@")
}

# sums_are FILE: the report and the last lines that were printed have FILE's SHA-256.
sums_are() {
	local sum
	sum=$(sha256sum <"$1")
	says "${sum%% *}"
	jq -e --arg sum "${sum%% *}" '.sums.items[0].algorithm == "sha256" and
		.sums.items[0].value == $sum' "$report"
	grep -qF "${sum%% *}" "${report%.json}.html"
}

# The partition table is read in its place, and written last.
a_whole_disk() {
	two_disks
	partition_gpt "$source"
	clone 0 "$source" "$destination" --digest sha256
	says 'tables and boot sectors came last'
	report=$(echo logs/*.json)
	sums_are "$(backing "$source")"
	jq -e '.sums.of == "source" and .sums.zero_bytes == 0 and .armed' "$report"
	# Both ends are in the list, and both are right.
	sha256sum -c "${report%.json}.sha256" >checked
	[ "$(grep -c ': OK' checked)" -eq 2 ]
	cmp "$(backing "$source")" "$(backing "$destination")"
}

sectors_of_4096_bytes() {
	two_disks --sector-size 4096
	clone 0 "$source" "$destination" --digest sha256 -j 3
	report=$(echo logs/*.json)
	sums_are "$(backing "$source")"
}

# xxh128 FILE: as its library says at one go.
xxh128() {
	/usr/bin/python3 - "$1" <<-'CODE'
		import ctypes, sys
		class Hash(ctypes.Structure):
		    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]
		take = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
		take.restype, take.argtypes = Hash, [ctypes.c_char_p, ctypes.c_size_t]
		data = open(sys.argv[1], "rb").read()
		sum = take(data, len(data))
		print(f"{sum.high:016x}{sum.low:016x}")
	CODE
}

every_algorithm_of_an_image() {
	head -c 5000192 /dev/urandom >a.img
	run 0 clone -s a.img -d 'b \ c.img' --confirm "$case_dir/b \\ c.img" --log-dir logs \
		--digest sha512,blake2b,sha1,md5,xxh3,sha256
	sha256sum -c logs/*.sha256
	sha512sum -c logs/*.sha512
	b2sum -c logs/*.blake2b
	sha1sum -c logs/*.sha1
	md5sum -c logs/*.md5
	grep -x "$(xxh128 a.img)  $case_dir/a.img" logs/*.xxh3
}

ranges_one_behind_the_other() {
	two_disks
	clone 0 "$source" "$destination" -r 3000+4000,100+7 --at 500 --digest sha256 --no-verify
	report=$(echo logs/*.json)
	{
		dd if="$source" bs=512 skip=100 count=7 status=none
		dd if="$source" bs=512 skip=3000 count=4000 status=none
	} >parts
	sums_are parts
	sha256sum -c "${report%.json}.sha256" <parts
}

a_larger_destination() {
	source=$(new_disk source 24)
	destination=$(new_disk destination 40)
	clone 0 "$source" "$destination" --digest sha256
	report=$(echo logs/*.json)
	sums_are "$(backing "$source")"
	# Its sum would be another one.
	sha256sum -c "${report%.json}.sha256" >checked
	grep -qx "$source: OK" checked
	[ "$(wc -l <checked)" -eq 1 ]
}

stopped_and_resumed() {
	two_disks
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" \
		--log-dir logs --map copy.map --rate 4M --digest sha256 >out 2>err &
	copy=$!
	wait_for cmp -i "$MIB" -n $((3 * MIB)) "$source" "$(backing "$destination")"
	kill -TERM "$copy"
	ends 6
	says 'not known: the copy is not complete'
	jq -e '.sums.of == null and .sums.unknown_because == "incomplete" and
		.sums.items[0].value == null' logs/*.json
	[ -z "$(find logs -name '*.sha256')" ]
	rm -r logs
	run 0 resume copy.map --rate 0 --confirm "$destination" --log-dir logs
	report=$(echo logs/*.json)
	sums_are "$(backing "$source")"
	jq -e '.sums.of == "destination"' "$report"
	sha256sum -c "${report%.json}.sha256"
}

verified_on_their_own() {
	two_disks
	clone 0 "$source" "$destination"
	report=$(echo logs/*.json)
	jq -e '.sums == null' "$report"
	sum=$(sha1sum <"$(backing "$source")")
	run 0 verify -s "$source" -d "$destination" --digest sha1 --json
	jq -es --arg sum "${sum%% *}" '.[-1].sums | .of == "source" and
		.items == [{algorithm: "sha1", value: $sum, list: null}]' out
	run 0 verify "$report" -d "$destination" --digest sha1
	says "${sum%% *}"
	says 'of the destination'
}

what_makes_no_sense() {
	two_disks
	clone 1 "$source" "$destination" --digest crc32
	says 'choose sha256'
	clone 1 "$source" "$destination" --digest sha256 --digest md5
	# Somebody else's file stays.
	echo mine >mine.sha256
	clone 0 "$source" "$destination" --digest sha256 --report mine.json
	[ "$(cat mine.sha256)" = mine ]
	sha256sum -c "$(jq -er '.sums.items[0].list' mine.json)"
	clone 0 "$source" "$destination" --digest sha256 --report other.json
	sha256sum -c other.sha256
}

run_cases a_whole_disk sectors_of_4096_bytes every_algorithm_of_an_image \
	ranges_one_behind_the_other a_larger_destination stopped_and_resumed verified_on_their_own \
	what_makes_no_sense
