# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways in which disks are damaged: for each its bad sectors and what else the disk does.

A pattern is a function of the disk's size that returns bad sectors (of 512 bytes) and
parameters of diskmodel.c. The numbers are for a disk of half a GiB; on a larger one
the damage is as many times larger.
"""
import random

MIB = 1 << 20
SECTOR = 512
# Where programs look for tables and file systems when they list disks.
EDGE = MIB


def region(start, length):
    return range(start // SECTOR, (start + length) // SECTOR)


def scatter(count, start, end):
    return random.sample(range(start // SECTOR, end // SECTOR), count)


def part(size, share):
    """A place in the disk, at a multiple of a MiB."""
    return int(size * share) // MIB * MIB


def single(size):
    return scatter(100, EDGE, size - EDGE), {}


def dense(size):
    """A quarter of the disk with a bad sector in every 256 KiB or so."""
    start, length = part(size, 0.3), part(size, 0.25)
    return scatter(length // (256 << 10), start, start + length), {}


def clustered(size):
    """As after a knock: a few places, each with many bad spots close together."""
    bad = []
    for place in (0.15, 0.4, 0.6, 0.85):
        start = part(size, place)
        for at in scatter(40, start, start + part(size, 1 / 32)):
            bad += range(at, at + random.randint(1, 60))
    return bad, {}


def regions(size):
    """Four of them, in which nothing can be read."""
    bad = []
    for place, length in ((0.1, 1 / 64), (0.3, 1 / 128), (0.55, 1 / 32), (0.8, 1 / 128)):
        bad += region(part(size, place), part(size, length))
    return bad, {}


def stripes(size):
    """One of several heads is dead: its tracks come at equal distances."""
    bad = []
    for at in range(part(size, 1 / 32), size - EDGE, part(size, 1 / 16)):
        bad += region(at, size // 256)
    return bad, {}


def edges(size):
    """The first and the last tracks; not the table, without which there would be no partitions."""
    return [*region(EDGE, part(size, 1 / 128)),
            *region(size - EDGE - part(size, 1 / 64), part(size, 1 / 64))], {}


def slow(size):
    """Around the damage the disk takes long for what it can read."""
    start, length = part(size, 0.4), part(size, 1 / 32)
    return scatter(60, start, start + length), {"slow": start, "slow_to": start + length,
                                                "slower": 20}


def growing(size):
    """Every failed read hurts what follows."""
    return [sector for place in (0.2, 0.5, 0.7) for sector in region(part(size, place), MIB // 4)], {
        "grows": 256}


def physical(size):
    """Physical sectors of 4 KiB, lost as a whole."""
    return [8 * at + i for at in random.sample(range(EDGE // 4096, (size - EDGE) // 4096), 60)
            for i in range(8)], {}


def hanging(size):
    """A few sectors, each of which takes the disk very long."""
    return scatter(6, EDGE, size - EDGE), {"struggle": 3000000}


def away(size):
    """Nothing is damaged, but for six seconds the disk is not there."""
    return [], {"leaves": part(size, 0.3), "away": 6000000, "struggle": 10000}


def areas(size):
    """6,000 bad spots in 300 areas."""
    bad = []
    for start in random.sample(range(EDGE, size - EDGE, MIB // 4), 300):
        bad += scatter(20, start, start + (64 << 10))
    return bad, {}


PATTERNS = {function.__name__: function for function in (
    single, dense, clustered, regions, stripes, edges, slow, growing, physical, hanging, away,
    areas)}
