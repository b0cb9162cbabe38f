#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that take a build of their own. Without arguments all of them, else the
# named ones: minimal install clang tidy cppcheck sanitizers address thread
# Ends with "N passed, N failed".
set -u

top=$(cd -- "$(dirname -- "$0")/.." && pwd -P)
builds=${CLONEDECK_CHECKS:-$top/build-checks}
mkdir -p "$builds"
passed=0
failed=0

# configure NAME MESON-OPTION...: with every warning an error.
configure() {
	local name=$1
	shift
	[ -e "$builds/$name/build.ninja" ] ||
		meson setup -Dwerror=true -Dtests=enabled "$@" "$builds/$name" "$top"
}

# build NAME MESON-OPTION...: whoever else builds the same is waited for.
build() {
	exec {lock}>"$builds/$1.lock"
	flock "$lock"
	configure "$@" && meson compile -C "$builds/$1" {lock}>&-
	local status=$?
	exec {lock}>&-
	return "$status"
}

# tests NAME SELECTION...: in that build, and none of them skipped. What failed, and why, comes last.
tests() {
	local name=$1 good=0
	shift
	# Randomised addresses may lie where a sanitizer keeps its own. Of what waits, two of these runs are
	# beside each other.
	setarch "$(uname -m)" -R meson test -C "$builds/$name" --no-rebuild --print-errorlogs \
		--num-processes $(($(nproc) * 2)) --timeout-multiplier 10 "$@" || good=1
	"$top/tests/count-tests" "$builds/$name/meson-logs/testlog.json" && return "$good"
}

# What runs under the sanitizers: units, and whole copies with everything in motion. That units get
# along with a disk that takes its time is seen without a sanitizer: here their disks lie in memory.
sanitized_tests() { # NAME SELECTION...
	[ ! -w /dev/shm ] || export CLONEDECK_UNIT_DISKS=/dev/shm
	tests "$@"
}

# threaded_units NAME: the unit tests of that build that run a program which starts threads.
threaded_units() {
	local name words
	cd "$builds/$1" || return 1
	meson introspect --tests . |
		jq -r '.[] | select(any(.suite[]; endswith("unit"))) | [.name, (.cmd | join(" "))] | @tsv' |
		while IFS=$'\t' read -r name words; do
			# shellcheck disable=SC2086 # several words
			! grep -qsd skip -e pthread_create -- $words || echo "$name"
		done
}

# For what it says of the tests, without making anything of them; clang-tidy tells its warnings about
# everything else.
check_clang() {
	configure_clang || return 1
	cd "$builds/clang" || return 1
	jq -r '.[] | select(.file | test("/tests/")) | .command + " -fsyntax-only"' compile_commands.json |
		xargs -d '\n' -n 1 -P "$(nproc)" sh -c
}

# Without anything that may be left out, and optimized as far as compilers go: they warn of more then.
check_minimal() {
	build minimal -Dauto_features=disabled -Dtests=disabled --buildtype=release
}

# Installed, everything is in its place and the program runs from there. Which build it is from does
# not matter: this one is made anyway.
check_install() {
	build_address || return 1
	rm -rf "$builds/installed"
	DESTDIR=$builds/installed meson install -C "$builds/address" --no-rebuild || return 1
	local file
	for file in bin/clonedeck share/man/man8/clonedeck.8 share/clonedeck/schema \
		share/locale/de/LC_MESSAGES/clonedeck.mo share/applications/clonedeck.desktop \
		share/zsh/site-functions/_clonedeck share/fish/vendor_completions.d/clonedeck.fish \
		lib/modules-load.d/clonedeck.conf; do
		if ! compgen -G "$builds/installed/usr/local/$file*" &&
			! compgen -G "$builds/installed/usr/local/s$file*"; then
			echo "not installed: $file"
			return 1
		fi
	done
	setarch "$(uname -m)" -R "$(find "$builds/installed" -type f -name clonedeck -path '*bin/*')" --version
}

# Who finds what they report needs lines, not variables.
sanitized_build() { # NAME SANITIZERS OPTIMIZATION
	build "$1" -Db_sanitize="$2" -Db_lundef=false -Doptimization="$3" -Dc_args=-g1
}

# Under this one the tests run as fast without optimization, which takes a third of the build.
build_address() {
	sanitized_build address address,undefined 0
}

# Optimized as the program is, which takes no longer here: the one build in which gcc sees all tests so, and
# warns of what it sees only then.
build_thread() {
	sanitized_build thread thread 2
}

# What the tests under them run in; to be built while others wait.
check_sanitizers() {
	build_address && build_thread
}

check_address() {
	build_address || return 1
	ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 \
		UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		sanitized_tests address --suite unit --suite fuzz --suite address
}

# A program without a second thread has no races.
check_thread() {
	build_thread || return 1
	local units
	units=$(threaded_units thread) || return 1
	# Named tests begin in this order; the longest first, so that they are not waited for at the end.
	# shellcheck disable=SC2086 # several names
	TSAN_OPTIONS=halt_on_error=1:suppressions=$top/tests/thread.supp \
		sanitized_tests thread system/clone system/resume $units
}

# Its configuration tells what each file is compiled with; some include what a build makes.
configure_clang() {
	CC=clang configure clang --buildtype=plain &&
		meson introspect --targets "$builds/clang" |
		jq -r '.[] | select(.type == "custom" and (.filename[] | endswith(".inc"))).name' |
			xargs meson compile -C "$builds/clang"
}

# With the warnings of the compiler.
check_tidy() {
	configure_clang || return 1
	find "$top/src" "$top/ui" -name '*.c' -print0 |
		xargs -0 -n 8 -P "$(nproc)" clang-tidy --quiet -p "$builds/clang" \
			--warnings-as-errors='*'
}

# It does not know the cleanup attribute, nor that a function fills a structure.
check_cppcheck() {
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability \
		--inline-suppr --suppress=missingInclude --suppress=memleak --suppress=resourceLeak \
		--suppress=uninitStructMember --std=c11 -D_GNU_SOURCE -DENABLE_NLS=1 -I "$top/src" \
		-I "$top" "$top/src" "$top/ui"
}

# A check that runs tests counts as these.
run() { # NAME
	local log=$builds/$1.log good='' bad=''
	if "check_$1" >"$log" 2>&1; then
		echo "ok $1"
		read -r good bad < <(sed -nE '$s/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log")
	else
		tail -n 80 "$log"
		echo "not ok $1 (all of it is in $log)"
		good=0 bad=1
	fi
	# No numbers: it runs no tests.
	passed=$((passed + ${good:-1}))
	failed=$((failed + ${bad:-0}))
}

[ $# -gt 0 ] || set -- minimal install clang tidy cppcheck sanitizers address thread
for name; do
	run "$name"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
