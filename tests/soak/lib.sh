# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Soak tests: chance and endurance. They try what nobody thought of, for as long as they are
# let, and are not part of the usual run (tests/meson.build leaves the suite out of it):
#
#   sudo ./bootstrap soak                                all of them, a minute each
#   CLONEDECK_SOAK_SECONDS=3600 sudo -E ./bootstrap soak  an hour each
#   meson test -C build --suite soak soak/kill           one of them
#
# Every choice comes from one number, which is printed first. A failure prints the number of its
# round; with that one alone the round comes again:
#
#   CLONEDECK_SOAK_SEED=4711 CLONEDECK_SOAK_SECONDS=0 meson test -C build --suite soak soak/kill
#
# (What depends on the moment, such as how far a copy is when it is killed, comes again as nearly
# as the machine allows.)
#
# Adding one: tests/soak/NAME.sh, its name in tests/soak/meson.build:
#
#   . "$(dirname -- "$0")/lib.sh"
#   round() { …; }       one round, in an empty $case_dir; asks random for its choices and fails
#                        at its first failing command, as the cases of tests/system do; counts
#                        in $blows how often it ended something by force
#   soak what_it_shows   rounds until the time is over, at least one; one point of TAP
#
# options.py is in another language, since it computes what each byte is to be; all else holds for it.
. "$(dirname -- "${BASH_SOURCE[0]}")/../system/lib.sh"

soak_seconds=${CLONEDECK_SOAK_SECONDS:-60}
soak_seed=${CLONEDECK_SOAK_SEED:-$((RANDOM * 32768 + RANDOM))}

# random LOW HIGH: sets $chosen to a number from LOW to HIGH. Not to be called in a subshell,
# which would not move the sequence on.
random() {
	chosen=$(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1 + 1)))
}

# one_of WORD...: sets $chosen to one of them.
one_of() {
	random 1 $#
	chosen=${!chosen}
}

soak() { # NAME
	eval "$1() { soak_rounds; }"
	echo "# seed $soak_seed, $soak_seconds s"
	# shellcheck disable=SC2064 # the folder of now
	trap "sed 's/^/# /' '$work/tally' 2>/dev/null; leave" EXIT
	run_cases "$1"
}

soak_rounds() {
	local end=$((SECONDS + soak_seconds)) rounds=0 blows=0 top=$case_dir
	trap 'echo "line $LINENO: $BASH_COMMAND (CLONEDECK_SOAK_SEED=$soak_seed)" >&2' ERR
	while :; do
		case_dir=$top/$rounds
		mkdir "$case_dir"
		cd "$case_dir"
		RANDOM=$soak_seed
		round
		undo
		cd "$top"
		rm -rf -- "$case_dir"
		rounds=$((rounds + 1))
		echo "$rounds rounds, $blows times ended by force" >"$top/../tally"
		soak_seed=$((soak_seed + 1))
		[ "$SECONDS" -lt "$end" ] || break
	done
}
