#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks of the files themselves; usage: lint.sh shell|spelling|format|translations|completions
set -u
cd -- "$(dirname -- "$0")/.." || exit 99

# Everything that is ours, whether or not this is a git checkout.
ours() { # FIND-EXPRESSION...
	find . -path './build*' -prune -o -path './.git' -prune -o -type f "$@" -print0
}

case ${1:-} in
shell)
	ours ! -name '*.[ch]' |
		xargs -0 grep -lZE '^#!(/usr/bin/env bash|/bin/(ba)?sh|/bin/busybox sh)$|^# shellcheck shell=' |
		xargs -0 shellcheck
	;;
spelling)
	ours ! -name COPYING ! -name '*.po' ! -path './tests/fuzz/corpus/*' ! -path './tests/dumps/*' |
		xargs -0 codespell --ignore-words-list=nd
	;;
format)
	ours -name '*.[ch]' | xargs -0 clang-format --dry-run -Werror
	;;
translations)
	status=0
	read -ra languages < <(sed 's/#.*//' po/LINGUAS | tr '\n' ' ') || true
	for language in ${languages[@]+"${languages[@]}"}; do
		msgfmt -c --check-header -o /dev/null "po/$language.po" || status=1
		# Complete: no message without a translation, none that is only guessed.
		if msgfmt --statistics -o /dev/null "po/$language.po" 2>&1 | grep -E 'untranslated|fuzzy'; then
			echo "po/$language.po is not complete"
			status=1
		fi
	done
	exit "$status"
	;;
completions)
	bash -n data/completions/clonedeck.bash &&
		zsh -n data/completions/_clonedeck &&
		fish -n data/completions/clonedeck.fish
	;;
*)
	sed -n '3s/^# //p' "$0" >&2
	exit 1
	;;
esac
