#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""moments.py [--all] BEFORE LOG FOLDER: what a disk may hold at the moments at which its power goes.

BEFORE is what it held at first, LOG (of QEMU's blklogwrites, the format of dm-log-writes) what was
written to it and when it was flushed. What was flushed is there; of what was written since, all,
none or any part may be. Puts an image of each moment at which the copy is not complete into FOLDER,
named by its stage, and prints its name; with --all, one after each single write and without it.
The stages are those of a whole disk with a table (copy/stage.h): it is a failure when they are not.
"""
import os
import struct
import sys

FLUSH, DISCARD = 1, 4
STAGES = ["wiping-the-key", "wiping", "copying", "arming", "arming-the-key"]


def entries(path):
    """(offset, bytes), and None for a flush."""
    with open(path, "rb") as log:
        magic, _, count, sector = struct.unpack("<QQQI", log.read(28))
        assert magic == 0x6A736677736872, "no log of writes"
        log.seek(sector)
        for _ in range(count):
            start, sectors, flags, _ = struct.unpack("<QQQQ", log.read(32))
            log.seek(sector - 32, os.SEEK_CUR)
            if flags & DISCARD:
                yield start * sector, bytes(sectors * sector)
                continue
            if flags & FLUSH:
                yield None
            if sectors:
                yield start * sector, log.read(sectors * sector)


def stages(path):
    """Lists of writes; between two of them the disk was flushed."""
    found = [[]]
    for entry in entries(path):
        if entry is None:
            if found[-1]:
                found.append([])
        else:
            found[-1].append(entry)
    assert not found[-1], "the last writes were not flushed"
    return found[:-1]


def areas(writes):
    """The writes of neighbouring places together."""
    found = []
    for offset, data in sorted(writes, key=lambda write: write[0]):
        if found and found[-1][-1][0] + len(found[-1][-1][1]) >= offset:
            found[-1].append((offset, data))
        else:
            found.append([(offset, data)])
    return found


def written(disk, writes):
    disk = bytearray(disk)
    for offset, data in writes:
        disk[offset:offset + len(data)] = data
    return disk


def parts(writes, every):
    """Some of what may have been kept of a stage: by name."""
    half = len(writes) // 2
    yield "nothing", []
    if len(writes) > 1:
        yield "first-half", writes[:half]
        yield "second-half", writes[half:]
    groups = areas(writes)
    for number, area in enumerate(groups if len(groups) > 1 else []):
        yield f"only-area-{number}", area
        yield f"all-but-area-{number}", [w for w in writes if w not in area]
    for number in range(len(writes) if every else 0):
        yield f"up-to-{number}", writes[:number]
        yield f"without-{number}", writes[:number] + writes[number + 1:]


def save(disk, path):
    """Sparse: most of it is empty."""
    with open(path, "wb") as image:
        image.truncate(len(disk))
        for at in range(0, len(disk), 4096):
            if any(block := disk[at:at + 4096]):
                image.seek(at)
                image.write(block)


def main():
    every = sys.argv[1] == "--all"
    before, log, folder = sys.argv[1 + every:]
    with open(before, "rb") as image:
        disk = bytearray(image.read())
    done = stages(log)
    assert len(done) == len(STAGES), f"{len(done)} stages: {[len(writes) for writes in done]}"
    assert sum(len(data) for _, data in done[-1]) == 512 and done[-1][0][0] == 0, "that is no key"
    seen = {bytes(disk)} # the disk as it was before is not a clone
    for number, (stage, writes) in enumerate(zip(STAGES, done)):
        for part, kept in parts(writes, every):
            image = bytes(written(disk, kept))
            if image in seen:
                continue
            seen.add(image)
            name = f"{number}-{stage}-{part}.img"
            save(image, os.path.join(folder, name))
            print(name)
        disk = written(disk, writes)


main()
