#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What --help names, the program takes, and man page and completions know; what the man page
# names, some --help does. Usage: lint-options.sh PROGRAM
set -u
program=$1
top=$(cd -- "$(dirname -- "$0")/.." && pwd -P)
export LC_ALL=C.UTF-8
status=0

complain() {
	echo "$*"
	status=1
}

# shellcheck disable=SC2086 # the deck has no command
helped() { # COMMAND
	"$program" $1 --help | grep -oE -- '--[a-z]+(-[a-z]+)*' | sort -u
}

# The words behind it, too many for any command, end it before it looks at a disk.
# shellcheck disable=SC2086
takes() { # COMMAND OPTION
	! "$program" $1 "$2" one two 2>&1 >/dev/null </dev/null | grep -q 'There is no option'
}

all=
for command in '' list show clone resume verify jobs attach bench; do
	for option in $(helped "$command"); do
		all+=" $option"
		takes "$command" "$option" || complain "clonedeck $command does not take $option"
		grep -qE "Fl -${option#--}( |\$)" "$top/man/clonedeck.8" || complain "man page: $option"
		[ "$option" = --help ] || grep -qE -- "$option\b" "$top/data/completions/clonedeck.bash" ||
			complain "clonedeck.bash: $option"
		grep -qE -- "$option\b" "$top/data/completions/_clonedeck" || complain "_clonedeck: $option"
		grep -qE -- " -l ${option#--}( |\$)" "$top/data/completions/clonedeck.fish" ||
			complain "clonedeck.fish: $option"
	done
done
mapfile -t told < <(grep -oE '\bFl -[a-z]+(-[a-z]+)*' "$top/man/clonedeck.8" | sed 's/^Fl -/--/' | sort -u)
for option in "${told[@]}"; do
	[[ " $all " == *" $option "* ]] || complain "no --help names $option of the man page"
done
exit "$status"
