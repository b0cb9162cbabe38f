#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""corrupt.py NODE SEED [UNDO-FILE]: one lie in every MiB of a disk, each of another kind, at places
that SEED decides. What was there goes to UNDO-FILE as OFFSET LENGTH and the bytes. Prints how many
regions and how many sectors are others now."""
import os
import random
import sys

SECTOR, REGION = 512, 1 << 20
SECTORS = REGION // SECTOR


def lies(choice, old):
    """Yields (sector, bytes) within one region; old(sector, count) is what is there."""
    at = choice.randrange(1, SECTORS)
    kind = choice.randrange(6)
    if kind == 0:  # a bit, or several, of one byte
        data = bytearray(old(at, 1))
        data[choice.randrange(SECTOR)] ^= choice.randrange(1, 256)
        yield at, bytes(data)
    elif kind == 1:
        yield at, bytes(SECTOR)
    elif kind == 2:  # what stood there before the copy
        yield at, choice.randbytes(SECTOR)
    elif kind == 3:  # one LBA too late
        yield at, old(at - 1, 1)
    elif kind == 4:  # two sectors in each other's place
        other = choice.randrange(at)
        yield at, old(other, 1)
        yield other, old(at, 1)
    else:  # two blocks of 4 KiB
        a, b = choice.sample(range(SECTORS // 8), 2)
        yield a * 8, old(b * 8, 8)
        yield b * 8, old(a * 8, 8)


def main():
    node, seed = sys.argv[1:3]
    choice = random.Random(int(seed))
    fd = os.open(node, os.O_RDWR)
    regions = os.lseek(fd, 0, os.SEEK_END) // REGION
    undo = open(sys.argv[3], "wb") if len(sys.argv) > 3 else None
    wrong = sectors = 0
    for region in range(regions):
        def old(sector, count, base=region * REGION):
            return os.pread(fd, count * SECTOR, base + sector * SECTOR)

        changed = 0
        for sector, data in list(lies(choice, old)):
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
