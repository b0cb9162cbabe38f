#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who may use whom, by the table of layers: looks at the #include lines and at the symbols
# that the built archives ask for; and how far one has to walk in the house to understand one room.
# usage: lint-layers.sh BUILD-FOLDER [SOURCE-FOLDER]
# Prints TAP.
set -u
export LC_ALL=C # sort and join must agree
build=$(realpath -- "${1:?"usage: lint-layers.sh BUILD-FOLDER [SOURCE-FOLDER]"}")
cd -- "${2:-$(dirname -- "$0")/..}" || exit 99

core="base scsi discover boot content health plan after layout stats io guard digest map copy rescue verify job report session bench"

# layer: headers of the project (globs). What is not public is for its own layer only, and
# NAME_private.h, the inside of what NAME.h offers, for its own layer only. public is what any
# front end may see.
public='base/* boot/* after/* scsi/sense.h discover/disk.h discover/endpoint.h discover/lvm.h discover/running.h discover/scan.h discover/scan_options.h health/health.h layout/arrange.h plan/plan.h plan/picture.h plan/preset.h
	plan/rangespec.h plan/free_places.h plan/held.h plan/identifiers.h plan/options.h stats/* io/io.h io/backends.h guard/rules.h job/job.h job/setup.h job/snapshot.h map/map.h
	report/describe.h report/past_copy.h report/report.h bench/bench.h bench/result.h bench/render.h session/choose.h session/run.h session/progress.h session/used.h'
allowed() { # LAYER
	case $1 in
	base) echo 'config.h' ;;
	scsi) echo 'base/*' ;;
	discover) echo 'base/* scsi/*' ;;
	content) echo 'base/* boot/fat.h' ;;
	boot) echo 'base/* discover/disk.h' ;;
	health) echo 'base/* discover/disk.h' ;;
	plan) echo 'base/* discover/disk.h discover/endpoint.h discover/lvm.h' ;;
	layout) echo 'base/* discover/disk.h discover/table.h content/content.h plan/plan.h' ;;
	after) echo 'base/* content/content.h discover/disk.h plan/identifiers.h plan/plan.h' ;;
	stats) echo 'base/*' ;;
	io) echo 'config.h base/* scsi/* discover/disk.h plan/options.h' ;;
	guard) echo 'base/* scsi/sg_only.h plan/* discover/*' ;;
	digest) echo 'config.h base/* plan/plan.h plan/options.h' ;;
	map) echo 'base/* plan/fitted.h plan/plan.h plan/held.h plan/options.h digest/*' ;;
	copy) echo "base/* plan/plan.h plan/held.h digest/digests.h map/map.h io/io.h io/backends.h io/buffers.h stats/latency.h stats/zones.h" ;;
	rescue) echo 'base/* scsi/sense.h discover/disk.h plan/plan.h map/map.h io/io.h copy/* job/events.h job/snapshot.h' ;;
	verify) echo 'base/* plan/* digest/* map/* io/io.h stats/* copy/*' ;;
	job) echo 'base/* scsi/sense.h health/sensor.h plan/plan.h plan/held.h plan/options.h stats/* io/io.h io/backends.h discover/disk.h digest/* map/* copy/* rescue/* verify/*' ;;
	report) echo 'base/* scsi/sense.h discover/disk.h boot/* after/* health/health.h plan/* stats/* digest/checksum.h job/snapshot.h map/map.h guard/rules.h' ;;
	session) echo "config.h content/content.h digest/checksum.h layout/layout.h guard/claim.h guard/facts.h map/recorded_copy.h map/saved_tables.h report/mask.h discover/cache.h discover/image_store.h discover/running.h discover/table.h health/smartctl.h scsi/ata.h scsi/sg_only.h $public" ;;
	bench) echo "base/* after/loop_device.h stats/* scsi/* discover/* plan/plan.h plan/options.h io/* guard/claim.h guard/facts.h guard/rules.h report/json.h report/template.h session/choose.h session/measured_disks.h session/opened.h" ;;
	cli) echo "config.h session/files.h health/smartctl.h discover/image_store.h discover/running.h report/json.h report/page.h ui/deck.h $public" ;;
	ui) echo "config.h $public" ;;
	esac
}

# Libraries and parts of the system that belong to some layers only: glob of the header,
# then those layers.
owners='curses.h: ui
term.h: ui
panel.h: ui
qrencode.h: ui
ncurses*: ui
libudev.h: discover guard
blkid*: discover
libmount*: discover guard
liburing*: io
scsi/*: scsi io
xxhash.h: plan digest
xxh_*: digest
gcrypt.h: digest
gcry_*: digest
json-c/*: health report bench cli
libsmartcols*: cli
libfdisk*: discover layout
getopt.h: cli
sys/ioctl.h: scsi discover after guard io bench cli
sys/mount.h: discover after guard
linux/*: scsi discover after guard io bench
fcntl.h: base scsi discover boot after health layout guard io digest map copy job stats report session bench
dirent.h: discover boot guard session bench
unistd.h: base scsi discover boot after content health layout guard io digest map copy job stats report session bench cli ui
sys/*: base scsi discover boot after health layout guard io digest map copy job stats report session bench cli ui'

count=0
point() { # TEXT: reads complaints from standard input
	local complaints
	complaints=$(cat)
	count=$((count + 1))
	if [ -z "$complaints" ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		printf '%s\n' "$complaints" | sed 's/^/# /'
	fi
}

# matches TEXT GLOB...
matches() {
	local text=$1 glob
	shift
	for glob; do
		# shellcheck disable=SC2254 # a glob is meant
		case $text in $glob) return 0 ;; esac
	done
	return 1
}

# "file:line:header" of all lines that include with the given opening sign, in the folders below too.
includes() { # FOLDER SIGN
	grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]*$2" "$1" |
		sed -E 's/^([^:]*:[0-9]+):[^"<]*["<]([^">]*)[">].*/\1:\2/'
}

project_headers() { # LAYER FOLDER
	local -a globs
	local header line
	# Read as words, so that the globs do not meet the files of this folder.
	read -rd '' -a globs <<<"$(allowed "$1")"
	includes "$2" '"' | while IFS= read -r line; do
		header=${line##*:}
		[ "${header%%/*}" = "$1" ] && continue
		matches "$header" '*_private.h' && echo "$line is for its own layer only" && continue
		matches "$header" ${globs[@]+"${globs[@]}"} || echo "$line is not for $1"
	done
}

readarray -t owned <<<"$owners"
system_headers() { # LAYER FOLDER
	local header line owner
	includes "$2" '<' | while IFS= read -r line; do
		header=${line##*:}
		# The first line that fits decides.
		for owner in "${owned[@]}"; do
			matches "$header" "${owner%%:*}" || continue
			case "${owner#*:} " in *" $1 "*) ;; *) echo "$line is not for $1" ;; esac
			break
		done
	done
}

archive() { # LAYER
	case $1 in
	ui) echo "$build/ui/libui.a" ;;
	cli) echo "$build/src/cli/libcli.a" ;;
	*) echo "$build/src/lib$1.a" ;;
	esac
}

# "object symbol" of what an archive asks for. The variants of one call look alike: checked
# by the compiler (__x_chk), for large files (x64), with versions (x@…).
ask_archive() { # LAYER
	local file
	file=$(archive "$1")
	[ -e "$file" ] || {
		echo "missing $file"
		return
	}
	nm -A -u "$file" | sed -E 's/^([^ ]*):[ ]+U ([^@ ]*).*/\1 \2/' |
		sed -E 's/ __(isoc99_)?([a-z0-9_]+)_chk$/ \2/; s/ __([a-z0-9_]+)_2$/ \1/; s/ ([a-z_]+)64$/ \1/'
}

# Each archive is asked once.
declare -A asked
for layer in $core cli ui; do
	asked[$layer]=$(ask_archive "$layer")
done
wanted() { # LAYER
	printf '%s\n' "${asked[$1]}"
}

# Complains about symbols of one archive that match; "missing" is one of them.
forbid() { # LAYER REGEX
	wanted "$1" | grep -E " ($2)\$|^missing " | sort -u
}

# Does a sanitizer or a coverage tool live in this build? Then it brings data and calls.
instrumented() {
	wanted base | grep -qE ' __(asan|tsan|ubsan|msan|gcov|sanitizer|llvm)_'
}

curses_symbols() {
	local library file
	for library in libncursesw.so.6 libtinfo.so.6 libpanelw.so.6; do
		file=$(cc -print-file-name="$library")
		# tinfo may be a part of ncursesw; ncursesw itself there must be.
		if [ -e "$file" ]; then
			nm -D --defined-only "$file" | sed -E 's/.* ([^@ ]*).*/\1/' | grep -vE '^_(init|fini|edata|end|bss_start)?$'
		elif [ "$library" = libncursesw.so.6 ]; then
			echo "cannot find $library" >&2
		fi
	done | sort -u
}

writable_data() { # LAYER
	wanted "$1" | grep '^missing '
	objdump -t "$(archive "$1")" 2>/dev/null |
		awk '/^[^ ]*:     file format/ { object = $1 }
			/ O \.(data|bss|tdata|tbss)(\.rel(\.local)?)?[.\t]/ && !/\.data\.rel\.ro/ { print object, $NF }'
}

# ---- the walk ----

# "file header" for each include of one of our own.
steps() {
	{
		includes src '"'
		includes ui '"'
	} | sed -E 's|:.*:ui/| ui/|; s|:.*:| src/|'
}

# NAME.c with NAME.h is one module; a cycle is all of those from which each leads to each.
cycles() {
	sed -E 's/\.[ch]( |$)/\1/g' | awk '
		$1 != $2 && !seen[$1, $2]++ { next_of[$1] = next_of[$1] " " $2; modules[$1]; modules[$2] }
		END {
			for (from in modules) {
				split("", queue)
				queue[last = 1] = from
				for (i = 1; i <= last; i++) {
					n = split(next_of[queue[i]], to, " ")
					for (j = 1; j <= n; j++)
						if (!reach[from, to[j]]++)
							queue[++last] = to[j]
				}
			}
			for (a in modules) {
				if (done[a])
					continue
				size = 0
				names = ""
				for (b in modules)
					if (reach[a, b] && reach[b, a]) {
						done[b] = 1
						size++
						names = names " " b
					}
				if (size > 3)
					print "a cycle of " size ":" names
			}
		}'
}

crowded() {
	local files header
	grep -oE '[^ ]+_private\.h$' | sort | uniq -c | while read -r files header; do
		[ "$files" -le 6 ] || echo "$files files include $header"
	done
}

# Of the headers, where both could meet.
twins() {
	local name
	grep -rhoE --include='*.h' '^struct [a-z0-9_]+ \{' src ui | sort | uniq -d | while read -r _ name _; do
		echo "struct $name:" "$(grep -rlE --include='*.h' "^struct $name \{" src ui | tr '\n' ' ')"
	done
}

# A header of several files says which declares what: "---- NAME.c ----".
sections_of_nothing() {
	local header line mark
	grep -rnoE --include='*.h' '^/\* -+ [a-z0-9_]+\.c' src ui | while IFS=: read -r header line mark; do
		[ -e "${header%/*}/${mark##* }" ] || echo "$header:$line: there is no ${mark##* }"
	done
}

point "no header names a file that is not there" < <(sections_of_nothing)
point "no cycle of includes is longer than 3" < <(steps | cycles)
point "no private header is included by more than 6 files" < <(steps | crowded)
point "no two headers define the same structure" < <(twins)
point "no file is longer than 600 lines" \
	< <(find src ui -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 600')

# ---- the layers ----

for layer in $core cli ui; do
	folder=src/$layer
	[ "$layer" = ui ] && folder=ui
	point "$layer includes only what is below it" < <(project_headers "$layer" "$folder")
	point "$layer uses only its own libraries and parts of the system" \
		< <(system_headers "$layer" "$folder")
done

# What a rule means to others stands in its row: a name spelled elsewhere is not renamed with it.
rules_spelled() {
	local names
	names=$(sed -nE 's/^\tRULE\(("[a-z-]+"), .*/\1/p' src/guard/rules_private.h)
	[ -n "$names" ] || {
		echo "src/guard/rules_private.h: where is the table of rules?"
		return
	}
	grep -rnF "$names" src ui --include='*.[ch]' | grep -v '^src/guard/'
	grep -rnE 'str(n|case|ncase)?cmp\([^;]*(->|\.)rule\>' src ui --include='*.[ch]' | grep -v '^src/guard/'
}
point "only the guard spells the names of its rules" < <(rules_spelled)

says='printf|vprintf|puts|putchar|putchar_unlocked|perror|stdout|stderr|stdin|err|errx|warn|warnx|error|psignal'
ends='exit|_exit|_Exit|quick_exit|abort|__assert_fail|assert_fail'
disk='ioctl|open|openat|creat|fopen|fdopen|opendir|pread|pwrite|preadv|pwritev|mmap|mount|umount2?'
for layer in $core; do
	point "$layer never prints" < <(forbid "$layer" "$says")
	point "$layer never ends the program" < <(forbid "$layer" "$ends")
	if instrumented; then
		echo "# $layer: no look at its data, the build is instrumented"
	else
		point "$layer has no writable globals" < <(writable_data "$layer")
	fi
done

curses=$(curses_symbols)
if [ "$(wc -l <<<"$curses")" -lt 300 ]; then
	point "the symbols of curses are known" <<<"these are not all: $curses"
else
	for layer in $core cli; do
		point "$layer holds no curses" \
			< <(wanted "$layer" | sort -k 2,2 | join -1 2 -2 1 - <(echo "$curses"))
	done
fi
# "EFI" is not "efi" in a Turkish locale: base/letters.h compares.
point "the core compares no words by the letters of the locale" < <(
	for layer in $core cli; do
		forbid "$layer" 'strn?casecmp|strcasestr|__ctype_to(lower|upper)_loc|to(lower|upper)'
	done
)
point "the deck makes no system call on a disk or file" < <(forbid ui "$disk")
point "the deck asks no library about disks" < <(forbid ui '(udev|blkid|mnt|io_uring)_.*')
point "the plan makes no system call" \
	< <(forbid plan "$disk|read|write|close|stat|fstat|lstat|socket|fork|getenv|time|clock_gettime")
echo "1..$count"
