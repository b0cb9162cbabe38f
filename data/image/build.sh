#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the rescue stick: clonedeck-VERSION.iso, clonedeck-VERSION.img and a list of what is in them,
# from this distribution's packages alone, in a system of its own that is taken away again.
# Called by ./bootstrap image.
#
# usage: build.sh FOLDER TREE [--firmware] [--keymap LAYOUT] [--lang LANGUAGE]
#   FOLDER  where they go
#   TREE    clonedeck as meson installed it (DESTDIR)
# With --firmware the images are named so, may be larger, and have what some storage adapters and
# network cards load when they start; Debian keeps that in its component non-free-firmware.
# CLONEDECK_IMAGE_SOURCES names the package sources, a file as apt reads it; SOURCE_DATE_EPOCH the
# moment that the files have (the last commit's). Settings of apt (a proxy) are this machine's.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
top=$(cd -- "$here/../.." && pwd -P)
out=$1
tree=$2
shift 2
keymap=
language=
firmware=
while [ $# -gt 0 ]; do
	case $1 in
	--firmware)
		firmware=firmware
		shift
		continue
		;;
	--keymap) keymap=${2:?} ;;
	--lang)
		language=${2:?}
		[ "$language" = en ] || [ -e "$top/po/$language.po" ] || {
			echo "image: there is no language '$language'; there are en $(paste -sd ' ' "$top/po/LINGUAS")" >&2
			exit 1
		}
		;;
	*)
		echo "image: unknown option '$1'" >&2
		exit 1
		;;
	esac
	shift 2
done

# What makes it, and what is in it; the libraries of clonedeck come as this machine has them.
packages=(initramfs-tools linux-image-amd64 busybox udev zstd xz-utils cpio kmod
	shim-signed grub-efi-amd64-signed grub-efi-amd64-bin grub-pc-bin grub-common xorriso mtools dosfstools mandoc
	kbd console-setup dropbear-bin
	smartmontools nvme-cli hdparm sg3-utils lsscsi fdisk gdisk gddrescue partclone e2fsprogs
	util-linux mount ncurses-base libc-bin)

[ -z "$firmware" ] || packages+=(firmware-bnx2 firmware-bnx2x firmware-cavium firmware-misc-nonfree
	firmware-myricom firmware-netronome firmware-netxen firmware-qlogic firmware-realtek)

suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$top/meson.build" | head -n 1)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct 2>/dev/null ||
	stat -c %Y "$top/meson.build")}

sources=${CLONEDECK_IMAGE_SOURCES:-}
for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
	[ -n "$sources" ] || [ ! -s "$file" ] || sources=$file
done

mapfile -t libraries < <(ldd "$tree/usr/bin/clonedeck" | awk '$3 ~ "^/" { print $3 }')
for library in "${libraries[@]}"; do
	# The package may name it with or without /usr.
	owner=$(dpkg-query -S "$library" "/usr$library" 2>/dev/null || true)
	packages+=("${owner%%:*}")
done

work=$(mktemp -d "${TMPDIR:-/var/tmp}/clonedeck-image.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
trap 'exit 143' HUP INT TERM
mkdir "$work/in" "$work/in/clonedeck"
cp -R "$tree/usr" "$work/in/"
cp "$here"/{assemble,init,fstab,deck,menu,shell,leave,mount-logs,copies,remote,settings,language,modules,hook,make-font,grub.cfg,boot.ipxe} \
	"$top/man/clonedeck.8" "$work/in/clonedeck/"
# What the screen has to have letters for, language by language; a console has too few for some.
mkdir "$work/in/clonedeck/messages"
for name in en $(cat "$top/po/LINGUAS"); do
	case $name in
	ja* | zh* | ko*) continue ;;
	en) find "$top/ui" "$top/src" -name '*.c' -exec cat {} + >"$work/in/clonedeck/messages/en" ;;
	*) cat "$work/in/clonedeck/messages/en" "$top/po/$name.po" >"$work/in/clonedeck/messages/$name" ;;
	esac
done
mkdir -p "$out"
if [ -n "$firmware" ] && [ -n "$sources" ]; then
	sed -E '/^(Components:|deb )/ { /non-free-firmware/! s/$/ non-free-firmware/ }' "$sources" \
		>"$work/firmware.${sources##*.}"
	sources=$work/firmware.${sources##*.}
fi

# Nobody needs an initramfs of the system that makes it.
# shellcheck disable=SC2016 # mmdebstrap's shell expands it
quiet='mkdir -p "$1/etc/initramfs-tools"; echo update_initramfs=no >"$1/etc/initramfs-tools/update-initramfs.conf"'
INITRD=No mmdebstrap --quiet --variant=essential --format=null --dpkgopt=force-confold \
	--include="$(IFS=, && echo "${packages[*]}")" \
	--setup-hook="$quiet" \
	--customize-hook="sync-in '$work/in' /" \
	--customize-hook="chroot \"\$1\" /clonedeck/assemble '$version' '$keymap' '$language' '$firmware'" \
	--customize-hook="sync-out /clonedeck/out '$work'" \
	"$suite" /dev/null ${sources:+"$sources"}
mv "$work/clonedeck-$version${firmware:+-firmware}".* "$out/"
