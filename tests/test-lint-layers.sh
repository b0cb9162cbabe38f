#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Does lint-layers.sh see what it is there for? A small house in which every rule is broken
# once, and the same house in order. Prints TAP.
set -u
lint=$(realpath -- "$(dirname -- "$0")/lint-layers.sh")
house=$(mktemp -d "${TMPDIR:-/tmp}/clonedeck-layers.XXXXXX") || exit 99
trap 'rm -rf "$house"' EXIT
cd -- "$house" || exit 99

# file PATH: from standard input, compiled into the archive of its layer.
file() {
	local folder=${1%/*} place
	case $folder in ui | src/cli) place=$folder ;; *) place=${folder%/*} ;; esac
	mkdir -p "$folder" "build/$folder"
	cat >"$1"
	# The headers of the house do not exist; only the code is compiled.
	sed '/#include "/d' "$1" >"build/$1"
	cc -w -O1 -fPIE -c "build/$1" -o "build/${1%.c}.o" &&
		ar rcT "build/$place/lib${folder##*/}.a" "build/${1%.c}.o"
}

for layer in base scsi discover boot content health plan after layout stats io guard digest map copy rescue verify job report session bench cli; do
	file "src/$layer/fine.c" <<'C'
#include <stdio.h>
#include "base/error.h"
static const char *const table[] = { "a", "b" };
int fine_LAYER(FILE *file, int i);
int fine_LAYER(FILE *file, int i)
{
	return fprintf(file, "%s", table[i]);
}
C
done
printf '\tRULE("disk-is-full", disk_is_full, 0, 0)\n' >src/guard/rules_private.h
file ui/fine.c <<'C'
#include <curses.h>
#include "session/run.h"
int counter;
int fine(void);
int fine(void)
{
	return refresh() + counter++;
}
C

count=0
# expect NUMBER TEXT: so many complaints of the lint about that.
expect() {
	local found
	found=$(grep -cE -- "$2" lint.out)
	count=$((count + 1))
	if [ "$found" -eq "$1" ]; then
		echo "ok $count - $1 x $2"
	else
		echo "not ok $count - $1 x $2, found $found"
		grep -v '^ok' lint.out | sed 's/^/# /'
	fi
}

"$lint" build . >lint.out
expect 0 '^not ok'
expect 141 '^ok'

file src/plan/broken.c <<'C'
#include <fcntl.h>
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include "guard/rules.h"
#include "base/text_private.h"
int writable = 5;
static int counter;
int broken(void);
int broken(void)
{
	printw("x");
	fprintf(stderr, "x");
	if (open("/dev/sda", O_RDWR) < 0)
		exit(counter++);
	return writable++ + strcasecmp("a", getenv("A"));
}
C
file ui/broken.c <<'C'
#include <libudev.h>
#include "io/buffers.h"
int open(const char *path, int flags);
int strcmp(const char *a, const char *b);
struct verdict { const char *rule; };
int full(struct verdict *verdict) { return strcmp(verdict->rule, "disk-is-full"); }
int broken(void);
int broken(void)
{
	return open("/dev/sda", 2) + (udev_new() != 0);
}
C
"$lint" build . >lint.out
expect 1 '^# src/plan/broken.c:1:fcntl.h is not for plan'
expect 1 '^# src/plan/broken.c:2:curses.h is not for plan'
expect 1 '^# src/plan/broken.c:5:guard/rules.h is not for plan'
expect 1 '^# src/plan/broken.c:6:base/text_private.h is for its own layer only'
expect 1 '^# .*libplan.a:.*broken.o stderr'
expect 1 '^# .*libplan.a:.*broken.o exit'
expect 1 '^# .*broken.o:? writable'
expect 1 '^# .*broken.o:? counter'
expect 1 '^# printw .*libplan.a'
expect 1 '^# .*libplan.a:.*broken.o open'
expect 1 '^# .*libplan.a:.*broken.o strcasecmp'
expect 1 '^# ui/broken.c:1:libudev.h is not for ui'
expect 1 '^# ui/broken.c:2:io/buffers.h is not for ui'
expect 1 '^# .*libui.a:.*broken.o open'
expect 1 '^# .*libui.a:.*broken.o udev_new'
expect 2 '^# ui/broken.c:6:'
expect 13 '^not ok'

# A walk: a circle of three that may be, one of four that may not, folders in folders.
for step in 1:2 2:3 3:1 11:12 12:13 13:14 14:11; do
	file "src/io/deep/step${step%:*}.c" <<C
#include "base/error.h"
#include "io/deep/step${step#*:}.h"
#include "io/deep/odd_private.h"
C
	touch "src/io/deep/step${step%:*}.h"
done
echo 'struct odd {' | tee src/io/deep/odd_private.h >src/base/odd.h
echo '#include "io/deep/odd_private.h"' >src/base/fine.h
seq 601 >src/base/long.h
printf '/* ---- %s.c ---- */\n' fine gone >src/base/sections.h
"$lint" build . >lint.out
expect 1 '^# a cycle of '
expect 1 '^# a cycle of 4: .*src/io/deep/step12'
expect 1 '^# 8 files include src/io/deep/odd_private.h'
expect 1 '^# struct odd: src/.*odd.* src/'
expect 1 '^# *601 src/base/long.h'
expect 1 '^# src/base/fine.h:1:io/deep/odd_private.h is for its own layer only'
expect 1 '^# src/base/sections.h:'
expect 19 '^not ok'
rm build/src/libstats.a
"$lint" build . >lint.out
expect 4 '^# missing .*libstats.a'
echo "1..$count"
