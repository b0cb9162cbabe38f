#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same damaged disk, rescued by clonedeck and by GNU ddrescue at its defaults.

usage: rescue.py [--rounds N] [--size MIB] [--bad N[,N...]] [--model NAME] [--struggle MS]
                 [--preset NAME]
       rescue.py --pattern NAME[,NAME...]|all [--dies FAILED] [--picture FILE] [...]

Both disks are modelled (diskmodel.c): a damaged one, and one that takes the copy. The
damage is single bad sectors at random places or, with --pattern, one of patterns.py.
The two programs take turns, on the same pair. For each damage it prints medians of the
wall time of the whole process, their ratio within a round with its spread (highest less
lowest, over the median), how many reads failed as each program counted them (the most of
ours, the fewest of ddrescue's), and whether both rescued the same sectors. Neither
verifies; both flush. The disk counts, too: reads that failed for it and for neither
program are the kernel's own, or those of others, such as programs that list all
disks; they are told below the row. A quiet machine is wanted.

For a pattern it also tells what was rescued (curves.py) after so many failed reads, and after
so much time, where clonedeck was furthest behind, and from when to when; --picture draws both
curves. With --dies the disk fails for good after so many failed reads, and what is on the
destination then counts.
"""
import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import typing

import curves
import patterns
import rigs
from tables import MIB, median, spread

HERE = os.environ.get("CLONEDECK_BENCH", os.path.dirname(os.path.abspath(__file__)))
CLONEDECK = os.environ.get("CLONEDECK", "clonedeck")
SECTOR = 512
SPINNING = ["--queue-depth", "4", "--chunk", "512K"]  # a loop device gets more
MODELS = {
    "spinning": {"rate": "180M", "inner": "120M", "overhead": 60, "move": 12000, "window": "8M"},
    # So slow that what else the machine does hardly counts.
    "worn": {"rate": "45M", "inner": "30M", "overhead": 240, "move": 12000, "window": "8M"},
    "ssd": {"rate": "400M", "overhead": 20},
    # It goes on with other requests while it struggles with a bad sector.
    "parallel": {"rate": "400M", "overhead": 20, "aside": 1},
}


class Turn(typing.NamedTuple):
    seconds: float
    failed: int   # reads, as the program counted them
    foreign: int  # and more of them, as the disk did
    found: set    # bad sectors
    curve: curves.Curve


class Rig:
    """A damaged disk and one of the same kind for the copy, for as long as it is open."""

    def __init__(self, stack, good, bad, model, damage):
        plugin = os.path.join(HERE, "diskmodel.so")
        self.good, self.size, self.dies = good, os.path.getsize(good), damage.get("dies")
        damage = dict(damage)
        self.preset = damage.pop("preset")
        # As a disk that says itself that it spins; --preset failing reads one by one anyway.
        self.told = SPINNING if model.get("move") and self.preset == "healthy" else []
        self.work = stack.enter_context(rigs.folder("/dev/shm"))
        self.reads = self.path("reads")
        os.mkdir(self.path("source"))
        os.mkdir(self.path("destination"))
        rigs.written_file(self.path("copy"), self.size)
        with open(self.path("bad"), "w", encoding="ascii") as file:
            file.writelines(f"{sector}\n" for sector in bad)
        self.source = stack.enter_context(rigs.modelled_disk(
            self.path("source"), plugin, good,
            {**model, "bad": self.path("bad"), "reads": self.reads, **damage}))
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
        os.truncate(self.reads, 0)

    def failed(self):
        with open(self.reads, encoding="ascii") as file:
            return sum(line.endswith("1\n") for line in file)

    def watch(self, process):
        """Whoever works on a dead disk is told to stop: nothing more will come."""
        while self.dies and process.poll() is None:
            if self.failed() >= self.dies:
                time.sleep(2)
                process.send_signal(signal.SIGINT)
                return
            time.sleep(0.2)

    def rescue(self, argv, expected):
        """Seconds, what the program said, the disk's curve, the map's bad sectors."""
        map_path = self.path("map")
        self.forget()
        start = time.monotonic()
        with subprocess.Popen([*rigs.FIRST, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            threading.Thread(target=self.watch, args=(process,), daemon=True).start()
            out, err = process.communicate()
        rigs.quiet("sync", self.destination)  # ddrescue does not; to us it is nothing
        seconds = time.monotonic() - start
        if process.returncode not in expected and not self.dies:
            sys.exit(f"{argv[0]} ended with {process.returncode}: {err[-500:]}")
        with open(self.reads, encoding="ascii") as file:
            curve = curves.Curve(file, start, seconds, self.size, self.dies)
        found = rigs.output("ddrescuelog", "-b", str(SECTOR), "-l-", map_path).split()
        shutil.rmtree(self.path("logs"), ignore_errors=True)
        os.unlink(map_path)
        return seconds, out, curve, {int(sector) for sector in found}

    def missing(self):
        """Sectors of the copy that are not the source's."""
        with open(self.good, "rb") as good, open(self.path("copy"), "rb") as copy:
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
        seconds, _, curve, found = self.rescue(
            [CLONEDECK, "clone", "-s", self.source, "-d", self.destination, "--no-verify",
             "--preset", self.preset, *self.told,
             "--confirm", self.destination, "--log-dir", self.path("logs"),
             "--map", self.path("map"), "--report", report], (0, 4))
        with open(report, encoding="utf-8") as file:
            said = json.load(file)["errors"]
        os.unlink(report)
        return Turn(seconds, said, len(curve.failed) - said, found, curve)

    def theirs(self):
        seconds, screen, curve, found = self.rescue(
            ["ddrescue", "-f", "-d", self.source, self.destination, self.path("map")], (0,))
        said = int(re.findall(r"read errors: +(\d+)", screen)[-1])
        return Turn(seconds, said, len(curve.failed) - said, found, curve)


def print_row(name, ours, theirs, verdict):
    ratios = [a.seconds / b.seconds for a, b in zip(ours, theirs)]
    print(f"{name:>9} {median([turn.seconds for turn in ours]):9.2f}"
          f" {median([turn.seconds for turn in theirs]):9.2f}"
          f" {median(ratios):7.2f} {(spread(ratios) or 0) * 100:6.0f} %"
          f" {max(turn.failed for turn in ours):9} {min(turn.failed for turn in theirs):9}"
          f"  {verdict}", flush=True)
    foreign = [sum(turn.foreign for turn in turns) for turns in (ours, theirs)]
    if any(foreign):
        print(f"{'':9} failed for others: {foreign[0]} in our turns, {foreign[1]} in ddrescue's",
              flush=True)


def take_turns(rig_of, rounds):
    """rig_of(): a context manager of a rig. Yields who had it, the rig, and the turn."""
    for turn in range(rounds):
        for who in ("ours", "theirs")[::(-1) ** turn]:
            with rig_of() as rig:
                yield who, rig, getattr(rig, who)()


def one_row(count, good, options):
    size = options.size * MIB
    bad = sorted(patterns.scatter(count, patterns.EDGE, size - patterns.EDGE))
    turns, same = {"ours": [], "theirs": []}, True
    with contextlib.ExitStack() as stack:
        rig = Rig(stack, good, bad, MODELS[options.model], {"struggle": options.struggle * 1000})
        for who, _, turn in take_turns(lambda: contextlib.nullcontext(rig), options.rounds):
            turns[who].append(turn)
            same &= turn.found == set(bad) == rig.missing()
    print_row(count, turns["ours"], turns["theirs"], "same" if same else "DIFFERENT")
    return same


@contextlib.contextmanager
def damaged_rig(good, bad, model, damage):
    """One for each turn: some damage grows."""
    with contextlib.ExitStack() as stack:
        yield Rig(stack, good, bad, model, damage)


def one_pattern(name, good, options):
    """Whether clonedeck rescued what it should; and the curves of the first round."""
    bad, damage = patterns.PATTERNS[name](options.size * MIB)
    damage = {"struggle": options.struggle * 1000, "preset": options.preset, **damage}
    if options.dies:
        damage["dies"] = options.dies
    turns, right = {"ours": [], "theirs": []}, True
    copied = {"ours": [], "theirs": []}
    for who, rig, turn in take_turns(
            lambda: damaged_rig(good, bad, MODELS[options.model], damage), options.rounds):
        missing = rig.missing()
        turns[who].append(turn)
        copied[who].append(options.size - len(missing) * SECTOR / MIB)
        right &= turn.found == missing or bool(options.dies)
        right &= turn.found == set(bad) or bool({"dies", "grows", "leaves"} & damage.keys())
    ours, theirs = turns["ours"], turns["theirs"]
    by_failed, by_time = curves.compare(*([turn.curve for turn in turns] for turns in (ours, theirs)))
    verdict = (f"died: {median(copied['ours']):.0f} MiB, ddrescue {median(copied['theirs']):.0f}"
               if options.dies else "right" if right else "WRONG")
    print_row(name, ours, theirs,
              f"{verdict}; behind at most {by_failed[0] / MIB:.1f} MiB (after {by_failed[1]} failed), "
              f"{by_time[0] / MIB:.1f} MiB (after {by_time[1]:.2f} s)")
    for start, end, most in curves.spells(*([turn.curve for turn in turns]
                                            for turns in (ours, theirs))):
        print(f"{'':9} behind from {start:.2f} to {end:.2f} s, by at most {most / MIB:.1f} MiB")
    for line in curves.figures(ours[0].curve, theirs[0].curve):
        print(line)
    sys.stdout.flush()
    return right, (name, ours[0].curve, theirs[0].curve)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=512, help="MiB of the disk")
    parser.add_argument("--bad", default="1,100,10000", help="numbers of bad sectors")
    parser.add_argument("--pattern", default="", help="of patterns.py; or all")
    parser.add_argument("--dies", type=int, help="after so many failed reads")
    parser.add_argument("--preset", default="healthy", help="of clonedeck")
    parser.add_argument("--picture", help="an SVG file of the curves")
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
    names = list(patterns.PATTERNS) if options.pattern == "all" else options.pattern.split(",")
    print(f"{options.size} MiB, {options.model}, {options.struggle} ms in vain, "
          f"{options.rounds} rounds, seed {options.seed}")
    print(f"{'pattern' if options.pattern else 'bad':>9} {'ours s':>9} {'ddrescue':>9} {'ratio':>7}"
          f" {'spread':>8} {'failed':>9} {'ddrescue':>9}  rescued")
    with rigs.folder("/dev/shm") as folder:
        good = os.path.join(folder, "good")
        rigs.random_file(good, options.size * MIB)
        if not options.pattern:
            return 0 if all([one_row(int(n), good, options) for n in options.bad.split(",")]) else 1
        rows = [one_pattern(name, good, options) for name in names]
    if options.picture:
        curves.draw(options.picture, [row for _, row in rows], options.size * MIB)
    return 0 if all(right for right, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
