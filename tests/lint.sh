#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks of the files themselves; usage: lint.sh shell|spelling|format|translations|completions|version
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
	ours ! -name COPYING ! -name '*.po' ! -path './tests/screens/saved/*-de.txt' ! -path './tests/screens/saved/*-pl.txt' \
		! -path './tests/screens/saved/*-es.txt' ! -path './tests/screens/saved/*-fr.txt' ! -path './tests/screens/saved/*-pt_BR.txt' \
		! -path './tests/fuzz/corpus/*' ! -path './tests/dumps/*' |
		xargs -0 codespell --ignore-words-list=nd,conectix,indx,caf
	;;
format)
	ours -name '*.[ch]' | xargs -0 clang-format --dry-run -Werror
	;;
translations)
	status=0
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	# What has a mark and what po/POTFILES names must be the same files.
	{
		grep -rlE --include='*.c' '\b(_|N_|P_)\(' src ui
		echo data/certificate.html data/clonedeck.desktop.in | tr " " "\n"
	} | sort >"$work/marked"
	sort po/POTFILES | diff "$work/marked" - || status=1
	xgettext --from-code=UTF-8 --keyword=_ --keyword=N_ --keyword=P_:1,2 -f po/POTFILES \
		-o "$work/now.pot"
	read -ra languages < <(sed 's/#.*//' po/LINGUAS | tr '\n' ' ') || true
	for language in ${languages[@]+"${languages[@]}"}; do
		msgfmt -c --check-header -o /dev/null "po/$language.po" || status=1
		# Complete: every sentence of the sources as it is now, none only guessed.
		msgmerge -q --no-fuzzy-matching "po/$language.po" "$work/now.pot" -o "$work/merged.po"
		if msgfmt --statistics -o /dev/null "$work/merged.po" 2>&1 | grep -E 'untranslated|fuzzy'; then
			msgattrib --untranslated --no-wrap "$work/merged.po" | sed 1,20d
			echo "po/$language.po is not complete; meson compile clonedeck-update-po shows where"
			status=1
		fi
		# A command to paste stands behind a colon and two blanks (text_paragraph()) in each language.
		if msgattrib --no-obsolete --no-wrap "$work/merged.po" | awk '
			/^msgid / { from = $0 }
			/^msgstr / { to = $0; if (gsub(/:  /, "", from) != gsub(/:  /, "", to)) print }' |
			grep .; then
			echo "po/$language.po: the mark of a command is missing or one too many"
			status=1
		fi
		# The rows of --help are read on 80 columns.
		if msgattrib --no-obsolete --no-wrap "$work/merged.po" |
			LC_ALL=C.UTF-8 grep -E '^" .{79,}\\n"$'; then
			echo "too long for a terminal of 80 columns"
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
version)
	# meson.build has it; packages are made with it, and users read what is new in it.
	version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" meson.build | head -n 1)
	if [ "$(sed -n 's/^## \([^ ]*\).*/\1/p' CHANGELOG.md | head -n 1)" != "$version" ]; then
		echo "CHANGELOG.md does not begin with $version, the version in meson.build"
		exit 1
	fi
	;;
*)
	sed -n '3s/^# //p' "$0" >&2
	exit 1
	;;
esac
