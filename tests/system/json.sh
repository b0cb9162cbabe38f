#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the program prints as JSON, line by line, against the schemas that are installed with it.
. "$(dirname -- "$0")/lib.sh"

schemas=$(realpath -- "$(dirname -- "$0")/../../data/schema")

# valid FILE: each document in it is named by its "schema" and fits that schema; prints the names.
valid() {
	PYTHONPATH=$schemas/../../tests /usr/bin/python3 -B - "$schemas" "$1" <<-'PYTHON'
		import json, sys
		from schema import validator
		folder, path = sys.argv[1:]
		text = open(path, encoding="utf-8").read()
		decoder = json.JSONDecoder()
		while text := text.lstrip():
		    document, end = decoder.raw_decode(text)
		    text = text[end:]
		    name = document["schema"].removeprefix("clonedeck.").removesuffix("/1")
		    validator(f"{folder}/{name}.schema.json").validate(document)
		    print(name)
	PYTHON
}

two_disks() {
	source=$(new_disk source 32)
	destination=$(new_disk destination 40)
}

the_version() {
	run 0 --version --json
	[ "$(valid out)" = version ]
	run 0 --version
	says "clonedeck $("$CLONEDECK" --json --version | jq -r .version)"
	run 1 --json
}

a_plan() {
	two_disks
	partition_gpt "$destination"
	run 0 clone -s "$source" -d "$destination" --digest sha256,md5 --dry-run --json --log-dir logs
	[ "$(valid out)" = plan ]
	jq -e '.refused == false and (.lost | length) == 3 and .confirm.needed' out
	# What must be typed is not told.
	jq -e --arg node "$destination" '.confirm.what | contains($node)' out
}

what_an_image_holds() {
	two_disks
	partition_gpt "$source"
	cp "$(backing "$source")" disk.img
	run 0 show disk.img --json
	[ "$(valid out)" = show ]
	jq -e --arg node "$case_dir/disk.img" '.disk.node == $node and .health == null and
		.disk.serial == null and .disk.physical_sector_size == null and
		[.disk.partitions[].fs] == [null, "ext4", null]' out
	# A name that is no UTF-8 is told as everywhere else.
	cp disk.img $'disk \xff%\n.img'
	run 0 show $'disk \xff%\n.img' --json
	[ "$(valid out)" = show ]
	jq -e --arg node "$case_dir/disk %FF%25%0A.img" '.disk.node == $node' out
}

a_plan_onto_a_new_image() {
	two_disks
	run 0 clone -s "$source" -d "$case_dir/new.img" --dry-run --json --log-dir logs
	[ "$(valid out)" = plan ]
	jq -e '.confirm.needed == false and .destinations[0].size == null' out
}

a_refusal() {
	two_disks
	run 3 clone -s "$destination" -d "$source" --confirm "$source" --json --log-dir logs
	[ "$(valid out)" = plan ]
	[ "$(wc -l <out)" -eq 1 ]
	jq -e '.refused and any(.verdicts[]; .rule == "destination-too-small")' out
}

progress_and_report() {
	two_disks
	run 0 clone -s "$source" -d "$destination" --confirm "$destination" --json --rate 16M \
		--log-dir logs
	[ "$(valid out | uniq)" = $'progress\nreport' ]
	jq -es '.[-1].result == "COMPLETE" and .[-2].exit_code == 0' out
	# Bytes only grow, and no line calls done what was not.
	jq -es '[.[:-1][] | .bytes_written] | . == sort and .[-1] == 33554432' out
	[ "$(valid logs/*.json)" = report ]
	# What they tell of the customer is nobody else's.
	[ "$(stat -c %a logs logs/* | sort -u)" = $'600\n700' ]
	jq -e '.latency.read.requests > 0 and .cpu.user >= 0' logs/*.json
	jq -e '.bytes_verified == 33554432 and .verify.method == "digest" and .verify.complete' \
		logs/*.json
	jq -e '.verify.mismatch_areas == 0 and .seconds.verify > 0' logs/*.json
	head -n 1 "$(jq -er .digests.list logs/*.json)" | grep -qx clonedeck.digests/1
}

where_a_point_is_a_comma() {
	two_disks
	export LOCPATH=$case_dir/locales LC_ALL=de_DE.UTF-8
	# What it is in Pashto has more bytes than this file has room for.
	for point in ',' :; do
		rm -rf locales logs
		mkdir locales
		cp -rL /usr/lib/locale/C.utf8 locales/de_DE.utf8
		sed -i "s/[.]/$point/" locales/de_DE.utf8/LC_NUMERIC
		[ "$(/usr/bin/printf %.1f "2${point}5")" = "2${point}5" ]
		run 0 clone -s "$source" -d "$destination" --confirm "$destination" --json --rate 32M --log-dir logs
		[ "$(valid out | uniq)" = $'progress\nreport' ]
		jq -es '[.[:-1][] | .percent] | . == sort and .[-1] == 100' out
		[ "$(valid logs/*.json)" = report ]
	done
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" --rate 8M --log-dir logs >copy 2>err &
	copy=$!
	wait_for same source.img $((2 * MIB)) destination.img $((2 * MIB)) "$MIB"
	"$CLONEDECK" jobs --json >out
	[ "$(valid out)" = jobs ]
	kill "$copy"
	ends 6
}

a_copy_of_a_source_that_changes() {
	two_disks
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" --json --rate 8M \
		--log-dir logs >out 2>err &
	copy=$!
	wait_for same source.img $((2 * MIB)) destination.img $((2 * MIB)) "$MIB"
	dd if=/dev/zero of=source.img bs=512 count=1 conv=notrunc status=none
	ends 5
	[ "$(valid out | uniq)" = $'progress\nreport' ]
	jq -es '.[-2].result == "MISMATCH" and .[-1].verify.mismatches[0].lba == 0' out
	[ "$(valid logs/*.json)" = report ]
	jq -e '.verify.source_recheck.changed == 1 and .armed == false' logs/*.json
}

a_copy_that_is_not_read_back() {
	two_disks
	run 0 clone -s "$source" -d "$destination" --confirm "$destination" --no-verify \
		--digest sha512,md5 --log-dir logs
	says 'not read back'
	[ "$(valid logs/*.json)" = report ]
	jq -e '.result == "COMPLETE" and .verify == null and .bytes_verified == null' logs/*.json
	jq -e '.digests == null and .seconds.verify == null' logs/*.json
	[ -z "$(find logs -name "*.digests")" ]
}

a_copy_compared_with_its_source() {
	two_disks
	run 0 clone -s "$source" -d "$destination" --confirm "$destination" --verify=compare \
		--log-dir logs
	says 'byte for byte'
	[ "$(valid logs/*.json)" = report ]
	run 0 verify -s "$source" -d "$destination" --digest sha256 --json
	[ "$(valid out | uniq)" = $'progress\nverify' ]
	jq -e '.verify.method == "compare" and .verify.bytes_compared == 33554432' logs/*.json
}

a_certificate() {
	two_disks
	mkdir paper
	run 0 clone -s "$source" -d "$destination" --confirm "$destination" --log-dir logs \
		--report paper/r.json --operator 'A <b> Operator' --ticket $'T\e[31m'
	[ "$(valid paper/r.json)" = report ]
	jq -e --arg file "$PWD/paper/r.html" '.operator == "A <b> Operator" and
		.ticket == "T?[31m" and .files.certificate == $file' paper/r.json
	grep -qF 'A &lt;b&gt; Operator' paper/r.html
	grep -qF COMPLETE paper/r.html
	# What nobody named is not replaced.
	echo mine >paper/s.html
	run 0 clone -s "$source" -d "$destination" --confirm "$destination" --log-dir logs \
		--report paper/s.json
	[ "$(cat paper/s.html)" = mine ]
	grep -qF COMPLETE logs/*.html
}

a_stopped_copy() {
	two_disks
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" --json \
		--rate 8M --log-dir logs >out 2>err &
	copy=$!
	wait_for grep -q '"state":"copying"' out
	kill -INT "$copy"
	ends 6
	[ "$(valid out | uniq)" = $'progress\nreport' ]
	jq -es '.[-1] | .result == "STOPPED" and .exit_code == 6 and any(.next[]; contains("resume"))' out
}

the_copies_that_run() {
	two_disks
	run 0 jobs --json
	[ "$(valid out)" = jobs ]
	"$CLONEDECK" clone -s "$source" -d "$destination" --confirm "$destination" --json \
		--rate 4M --log-dir logs >copy 2>err &
	copy=$!
	wait_for grep -q '"state":"copying"' copy
	seen() { # the record is written anew every two seconds
		"$CLONEDECK" jobs --json | jq -e --arg node "$destination" --argjson pid "$copy" \
			'.jobs[] | select(.pid == $pid) | .destination.node == $node and
				.state == "copying" and .percent < 100 and (.map | endswith(".map"))'
	}
	wait_for seen
	run 0 jobs --json
	[ "$(valid out)" = jobs ]
	run 0 jobs
	says "$destination"
	# It has no deck: it is looked at, for a while or to its end.
	timeout --preserve-status -s INT 3 "$CLONEDECK" attach "$copy" >watched
	grep -qF "copies $source to $destination. It has no deck that can come" watched
	grep -qF "The copy of process $copy goes on" watched
	"$CLONEDECK" attach "$copy" >watched &
	watcher=$!
	wait_for grep -qE '^[0-9.]+ %  left ' watched
	kill -INT "$copy"
	ends 6
	status=0
	wait "$watcher" || status=$?
	[ "$status" = 6 ]
	grep -qF 'has ended with exit status 6. Report: ' watched
	run 1 attach "$copy"
	says "has ended with exit status 6. Report: "
	! "$CLONEDECK" jobs --json | jq -e --argjson pid "$copy" 'any(.jobs[]; .pid == $pid)'
}

run_cases the_version a_plan what_an_image_holds a_plan_onto_a_new_image a_refusal progress_and_report \
	where_a_point_is_a_comma a_certificate \
	a_copy_of_a_source_that_changes a_copy_that_is_not_read_back a_copy_compared_with_its_source a_stopped_copy \
	the_copies_that_run
