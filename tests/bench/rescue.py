#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same damaged disk, rescued by clonedeck and by GNU ddrescue at its defaults.

usage: rescue.py [--rounds N] [--size MIB] [--bad N[,N...]] [--model NAME] [--struggle MS]

Both disks are modelled (diskmodel.c): one with single bad sectors at random
places, and one that takes the copy. The two programs take turns, on the same
pair. For each number of bad sectors it prints medians of the wall time of the
whole process, their ratio within a round with its spread (highest less lowest,
over the median), how many reads failed as each program counted them (the most of
ours, the fewest of ddrescue's), and whether both rescued the same sectors. Neither
verifies; both flush. The disk counts, too: reads that failed for it and for neither
program are the kernel's own, or those of others, such as programs that list all
disks; they are told below the row. A quiet machine is wanted.
"""
import argparse
import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
import typing

import rigs
from tables import MIB, median, spread

HERE = os.environ.get("CLONEDECK_BENCH", os.path.dirname(os.path.abspath(__file__)))
CLONEDECK = os.environ.get("CLONEDECK", "clonedeck")
SECTOR = 512
# Where programs look for tables and file systems when they list disks.
EDGE = MIB
MODELS = {
    "spinning": {"rate": "180M", "inner": "120M", "overhead": 60, "move": 12000, "window": "8M"},
    "ssd": {"rate": "400M", "overhead": 20},
    # It goes on with other requests while it struggles with a bad sector.
    "parallel": {"rate": "400M", "overhead": 20, "aside": 1},
}


class Turn(typing.NamedTuple):
    seconds: float
    failed: int   # reads, as the program counted them
    foreign: int  # and more of them, as the disk did
    found: set    # bad sectors


class Rig:
    """A damaged disk and one of the same kind for the copy, for as long as it is open."""

    def __init__(self, stack, size, bad, model, struggle):
        plugin = os.path.join(HERE, "diskmodel.so")
        self.work = stack.enter_context(rigs.folder("/dev/shm"))
        self.failed = self.path("failed")
        os.mkdir(self.path("source"))
        os.mkdir(self.path("destination"))
        rigs.random_file(self.path("good"), size)
        rigs.written_file(self.path("copy"), size)
        with open(self.path("bad"), "w", encoding="ascii") as file:
            file.writelines(f"{sector}\n" for sector in bad)
        damaged = {**model, "bad": self.path("bad"), "failed": self.failed,
                   "struggle": struggle * 1000}
        self.source = stack.enter_context(
            rigs.modelled_disk(self.path("source"), plugin, self.path("good"), damaged))
        self.destination = stack.enter_context(
            rigs.modelled_disk(self.path("destination"), plugin, self.path("copy"), model))
        if model.get("move"):
            rigs.tell_heads(self.source)
            rigs.tell_heads(self.destination)

    def path(self, name):
        return os.path.join(self.work, name)

    def forget(self):
        for node in (self.source, self.destination):
            rigs.quiet("blockdev", "--flushbufs", node)
        with open(self.path("copy"), "r+b") as file:
            for at in range(0, os.path.getsize(self.path("copy")), MIB):
                file.seek(at)
                file.write(bytes(MIB))
        os.truncate(self.failed, 0)

    def rescue(self, argv, expected):
        """Seconds, what the program said, the disk's failed reads, the map's bad sectors."""
        map_path = self.path("map")
        self.forget()
        start = time.monotonic()
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        seconds = time.monotonic() - start
        if done.returncode not in expected:
            sys.exit(f"{argv[0]} ended with {done.returncode}: {done.stderr[-500:]}")
        with open(self.failed, encoding="ascii") as file:
            failed = sum(1 for _ in file)
        found = rigs.output("ddrescuelog", "-b", str(SECTOR), "-l-", map_path).split()
        shutil.rmtree(self.path("logs"), ignore_errors=True)
        os.unlink(map_path)
        return seconds, done.stdout, failed, {int(sector) for sector in found}

    def missing(self):
        """Sectors of the copy that are not the source's."""
        with open(self.path("good"), "rb") as good, open(self.path("copy"), "rb") as copy:
            missing, at = set(), 0
            while a := good.read(MIB):
                b = copy.read(MIB)
                if a != b:
                    missing |= {(at + i) // SECTOR for i in range(0, MIB, SECTOR)
                                if a[i:i + SECTOR] != b[i:i + SECTOR]}
                at += MIB
        return missing

    def ours(self):
        report = self.path("report")
        seconds, _, failed, found = self.rescue(
            [CLONEDECK, "clone", "-s", self.source, "-d", self.destination, "--no-verify",
             "--confirm", self.destination, "--log-dir", self.path("logs"),
             "--map", self.path("map"), "--report", report], (0, 4))
        with open(report, encoding="utf-8") as file:
            said = json.load(file)["errors"]
        os.unlink(report)
        return Turn(seconds, said, failed - said, found)

    def theirs(self):
        seconds, screen, failed, found = self.rescue(
            ["sh", "-c", '"$@" && exec sync "$0"', self.destination, "ddrescue", "-f", "-d",
             self.source, self.destination, self.path("map")], (0,))
        said = int(re.findall(r"read errors: +(\d+)", screen)[-1])
        return Turn(seconds, said, failed - said, found)


def scatter(count, size):
    return sorted(random.sample(range(EDGE // SECTOR, (size - EDGE) // SECTOR), count))


def one_row(count, options):
    size = options.size * MIB
    bad = scatter(count, size)
    ours, theirs, same = [], [], True
    with contextlib.ExitStack() as stack:
        rig = Rig(stack, size, bad, MODELS[options.model], options.struggle)
        for turn in range(options.rounds):
            for who, results in ((rig.ours, ours), (rig.theirs, theirs))[::(-1) ** turn]:
                results.append(who())
                same &= results[-1].found == set(bad) == rig.missing()
    ratios = [a.seconds / b.seconds for a, b in zip(ours, theirs)]
    print(f"{count:8} {median([turn.seconds for turn in ours]):9.2f}"
          f" {median([turn.seconds for turn in theirs]):9.2f}"
          f" {median(ratios):7.2f} {(spread(ratios) or 0) * 100:6.0f} %"
          f" {max(turn.failed for turn in ours):9} {min(turn.failed for turn in theirs):9}"
          f"  {'same' if same else 'DIFFERENT'}", flush=True)
    foreign = [sum(turn.foreign for turn in turns) for turns in (ours, theirs)]
    if any(foreign):
        print(f"{'':8} failed for others: {foreign[0]} in our turns, {foreign[1]} in ddrescue's",
              flush=True)
    return same


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=512, help="MiB of the disk")
    parser.add_argument("--bad", default="1,100,10000", help="numbers of bad sectors")
    parser.add_argument("--model", choices=MODELS, default="spinning")
    parser.add_argument("--struggle", type=int, default=10,
                        help="ms that the disk tries to read a bad sector")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    return parser.parse_args()


def main():
    options = parse()
    for need in ("nbdkit", "nbdfuse", "ddrescue", "ddrescuelog", "losetup", CLONEDECK):
        if not shutil.which(need):
            sys.exit(f"rescue: {need} is missing")
    random.seed(options.seed)
    print(f"{options.size} MiB, {options.model}, {options.struggle} ms in vain, "
          f"{options.rounds} rounds, seed {options.seed}")
    print(f"{'bad':>8} {'ours s':>9} {'ddrescue':>9} {'ratio':>7} {'spread':>8}"
          f" {'failed':>9} {'ddrescue':>9}  rescued")
    return 0 if all([one_row(int(n), options) for n in options.bad.split(",")]) else 1


if __name__ == "__main__":
    sys.exit(main())
