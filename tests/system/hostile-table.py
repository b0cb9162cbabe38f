#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Breaks the partition table of an image in one of the ways below.

usage: hostile-table.py IMAGE WAY
"""
import mmap
import struct
import sys
import zlib

SECTOR = 512


class Gpt:
    """Both copies of the GPT that is there, with checksums that are right again at the end."""

    def __init__(self, image):
        self.image = image
        self.last = len(image) // SECTOR - 1

    def entry(self, number, first, last):
        """Moves a partition, in both copies."""
        for lba in 1, self.last:
            at = self.entries(lba) + (number - 1) * 128 + 32
            self.image[at:at + 16] = struct.pack("<QQ", first, last)
            self.seal(lba)

    def entries(self, lba):
        return struct.unpack_from("<Q", self.image, lba * SECTOR + 72)[0] * SECTOR

    def header(self, lba, offset, value):
        self.image[lba * SECTOR + offset:lba * SECTOR + offset + len(value)] = value

    def seal(self, lba):
        at = self.entries(lba)
        self.header(lba, 88, struct.pack("<L", zlib.crc32(self.image[at:at + 16384])))
        self.header(lba, 16, bytes(4))
        self.header(lba, 16, struct.pack("<L", zlib.crc32(self.image[lba * SECTOR:lba * SECTOR + 92])))


def record(image, lba, *entries):
    """A boot record with these entries (type, start, sectors)."""
    at = lba * SECTOR
    image[at + 446:at + 510] = bytes(64)
    image[at + 510:at + 512] = b"\x55\xaa"
    for i, entry in enumerate(entries):
        struct.pack_into("<4xB3xLL", image, at + 446 + 16 * i, *entry)


def gpt(image, way):
    table = Gpt(image)
    if way == "overlap":
        table.entry(2, 20480, 40000)
    elif way == "beyond":
        table.entry(3, 28672, 999999)
    elif way == "backwards":
        table.entry(3, 28672, 3)
    elif way == "in-table":
        table.entry(1, 1, 18431)
    elif way == "cut":  # its file system is larger now
        table.entry(3, 28672, 28672 + 20479)
    elif way == "backup":
        table.header(1, 56, b"another disk's!!")
        table.seal(1)
    elif way == "entries":
        image[2 * SECTOR + 40] ^= 1
    elif way == "count":
        table.header(1, 80, struct.pack("<LL", 0x7fffffff, 0x7fffffff))
        table.header(1, 16, bytes(4))
        table.header(1, 16, struct.pack("<L", zlib.crc32(image[SECTOR:SECTOR + 92])))
    elif way == "hybrid":
        struct.pack_into("<4xB3xLL", image, 462, 0x83, 28672, 49152)
    else:
        sys.exit(f"unknown: gpt-{way}")


def dos(image, way):
    if way == "overlap":
        record(image, 0, (0x83, 2048, 40000), (0x83, 20480, 40000))
    elif way == "beyond":
        record(image, 0, (0x83, 2048, 0xffffffff))
    elif way == "zero":
        record(image, 0, (0x83, 0, 100000))
    elif way == "twice":
        record(image, 0, (5, 2048, 40960), (15, 43008, 2048))
        record(image, 2048, (0x83, 2048, 2048))
    elif way == "loop":
        record(image, 0, (5, 2048, 40960))
        record(image, 2048, (0x83, 2048, 2048), (5, 8192, 8192))
        record(image, 10240, (0x83, 2048, 2048), (5, 0, 8192))
    elif way == "chain-beyond":
        record(image, 0, (5, 2048, 40960))
        record(image, 2048, (0x83, 2048, 2048), (5, 0xfffff000, 8192))
    else:
        sys.exit(f"unknown: dos-{way}")


def main():
    path, name = sys.argv[1:]
    kind, way = name.split("-", 1)
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as image:
        {"gpt": gpt, "dos": dos}[kind](image, way)


if __name__ == "__main__":
    main()
