#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""corrupt.py NODE SEED [UNDO-FILE [KIND]]: one lie in every MiB of a disk, each of another kind or all
of this one, at places that SEED decides. What was there goes to UNDO-FILE as OFFSET LENGTH and the
bytes. Prints how many regions and how many sectors are others now."""
import os
import random
import sys

SECTOR, REGION = 512, 1 << 20
SECTORS = REGION // SECTOR


def flipped(choice, old):
    """A bit, or several, of one byte."""
    at = choice.randrange(SECTORS)
    data = bytearray(old(at, 1))
    data[choice.randrange(SECTOR)] ^= choice.randrange(1, 256)
    yield at, bytes(data)


def zeroed(choice, old):
    yield choice.randrange(SECTORS), bytes(SECTOR)


def stale(choice, old):
    """What stood there before the copy: random, too, and the write never arrived."""
    yield choice.randrange(SECTORS), choice.randbytes(SECTOR)


def moved(choice, old):
    """One LBA too late."""
    at = choice.randrange(1, SECTORS)
    yield at, old(at - 1, 1)


def swapped(choice, old):
    """Two sectors in each other's place."""
    a, b = choice.sample(range(SECTORS), 2)
    yield a, old(b, 1)
    yield b, old(a, 1)


def chunks(choice, old):
    """The same of two chunks, of 4 to 64 KiB."""
    length = 8 << choice.randrange(5)
    a, b = (n * length for n in choice.sample(range(SECTORS // length), 2))
    yield a, old(b, length)
    yield b, old(a, length)


KINDS = {"flipped": flipped, "zeroed": zeroed, "stale": stale, "moved": moved, "swapped": swapped,
         "chunks": chunks}


def main():
    node, seed = sys.argv[1:3]
    choice = random.Random(int(seed))
    fd = os.open(node, os.O_RDWR)
    regions = os.lseek(fd, 0, os.SEEK_END) // REGION
    undo = open(sys.argv[3], "wb") if len(sys.argv) > 3 else None
    kinds = [KINDS[sys.argv[4]]] if len(sys.argv) > 4 else list(KINDS.values())
    wrong = sectors = 0
    for region in range(regions):
        def old(sector, count, base=region * REGION):
            return os.pread(fd, count * SECTOR, base + sector * SECTOR)

        changed = 0
        for sector, data in list(choice.choice(kinds)(choice, old)):
            offset = region * REGION + sector * SECTOR
            was = os.pread(fd, len(data), offset)
            if undo:
                undo.write(b"%d %d\n" % (offset, len(was)) + was)
            os.pwrite(fd, data, offset)
            changed += sum(was[i:i + SECTOR] != data[i:i + SECTOR]
                           for i in range(0, len(data), SECTOR))
        wrong += changed > 0
        sectors += changed
    os.fsync(fd)
    print(wrong, sectors)


def undo(node, name):
    """The last change first."""
    fd = os.open(node, os.O_RDWR)
    changes = []
    with open(name, "rb") as file:
        while line := file.readline():
            offset, length = map(int, line.split())
            changes.append((offset, file.read(length)))
    for offset, data in reversed(changes):
        os.pwrite(fd, data, offset)
    os.fsync(fd)


if sys.argv[1] == "--undo":
    undo(*sys.argv[2:])
else:
    main()
