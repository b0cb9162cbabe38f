#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes packages of the last commit: clonedeck-VERSION.tar.xz and of it a Debian, an RPM or an Arch
# package. meson.build has the version, and the commit the date. Called by ./bootstrap package.
#
# usage: build.sh FOLDER deb|rpm|arch
# DEBFULLNAME and DEBEMAIL name who packages it, else git's user does.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC0

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=$(cd -- "$here/../.." && pwd -P)
out=$1
kind=$2

# The checkout may be somebody else's than root's.
ours() {
	git -c "safe.directory=$top" -C "$top" "$@"
}

version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$top/meson.build" | head -n 1)
name=clonedeck-$version
SOURCE_DATE_EPOCH=$(ours log -1 --format=%ct)
export SOURCE_DATE_EPOCH
person=${DEBFULLNAME:-$(ours config user.name || ours log -1 --format=%an)}
email=${DEBEMAIL:-$(ours config user.email || ours log -1 --format=%ae)}

mkdir -p "$out"
out=$(cd "$out" && pwd -P)
# One thread: the same bytes on every machine.
ours archive --prefix="$name/" HEAD | xz -9 -T 1 >"$out/$name.tar.xz"
work=$(mktemp -d "${TMPDIR:-/var/tmp}/clonedeck-package.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
trap 'exit 143' HUP INT TERM

fill() { # FILE: in place
	sed -i "s|@VERSION@|$version|; s|@MAINTAINER@|$person <$email>|
		s|@DATE@|$(date -R -d "@$SOURCE_DATE_EPOCH")|; s|@DAY@|$(date -d "@$SOURCE_DATE_EPOCH" '+%a %b %d %Y')|
		s|@SHA256@|$(sha256sum "$out/$name.tar.xz" | cut -d ' ' -f 1)|" "$1"
}

deb() {
	cp "$out/$name.tar.xz" "$work/clonedeck_$version.orig.tar.xz"
	tar -C "$work" -xf "$out/$name.tar.xz"
	cp -R "$here/debian" "$work/$name/"
	fill "$work/$name/debian/control"
	fill "$work/$name/debian/changelog"
	(cd "$work/$name" && dpkg-buildpackage -us -uc)
	find "$work" -maxdepth 1 -type f -name 'clonedeck*_*' -exec mv -t "$out" {} +
}

rpm_package() {
	cp "$here/clonedeck.spec" "$out/"
	fill "$out/clonedeck.spec"
	local unknown=()
	# Where the libraries are no RPM packages, only meson can tell whether they are there.
	[ -n "$(rpm -qa)" ] || unknown=(--nodeps)
	rpmbuild -ba "${unknown[@]}" --define "_topdir $work" \
		--define "_sourcedir $out" --define 'use_source_date_epoch_as_buildtime 1' \
		--define 'clamp_mtime_to_source_date_epoch 1' "$out/clonedeck.spec"
	find "$work/RPMS" "$work/SRPMS" -name '*.rpm' -exec mv -t "$out" {} +
}

arch() {
	local unknown=() as=()
	cp "$here/PKGBUILD" "$out/"
	fill "$out/PKGBUILD"
	cp "$out/PKGBUILD" "$out/$name.tar.xz" "$work/"
	# makepkg refuses to run as root.
	if [ "$(id -u)" -eq 0 ]; then
		chown -R nobody "$work"
		as=(runuser -u nobody --)
	fi
	# Debian has makepkg alone.
	command -v pacman >/dev/null || unknown=(--nodeps)
	(cd "$work" && "${as[@]}" env HOME="$work" PACKAGER="$person <$email>" \
		${unknown:+PACMAN=true} makepkg --force "${unknown[@]}")
	mv "$work"/*.pkg.tar* "$out/"
}

case $kind in
deb) deb ;;
rpm) rpm_package ;;
arch) arch ;;
*)
	sed -n '6s/^# //p' "${BASH_SOURCE[0]}" >&2
	exit 1
	;;
esac
