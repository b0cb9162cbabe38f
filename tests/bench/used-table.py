#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Used-only copies beside partclone, disk to disk, one file system after another.

usage: used-table.py [--rounds N] [--disk ssd|spinning] [--size MIB] [FILESYSTEM...]

Needs nbdkit, nbdfuse and the tools of the file systems; CLONEDECK names the program, CLONEDECK_BENCH
where the other programs of the benchmark are. Makes modelled disks in memory: the source holds one
file system, filled with files of many sizes of which each second one is deleted again. The programs
take turns; printed are medians of the ratios of the rounds. Both write and flush only what is used:
free places of the destination are left alone (--free=leave), as partclone does. A verified copy is
compared with the same copy, not verified, and a plain reading of the same places of the destination,
each from its first request to its last: both look at the destination once more at the end.
"""
import argparse
import concurrent.futures
import contextlib
import json
import mmap
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

import rigs

MIB = 1 << 20
HERE = os.environ.get("CLONEDECK_BENCH", os.path.dirname(os.path.abspath(__file__)))
CLONEDECK = os.environ.get("CLONEDECK", "clonedeck")
DISKS = {"ssd": {"rate": "400M", "overhead": 20},
         "spinning": {"rate": "180M", "inner": "120M", "overhead": 60, "move": 12000, "window": "8M"}}
# A loop device has more requests in flight than a spinning disk is given.
AS_SUCH = {"ssd": [], "spinning": ["--queue-depth=4"]}


def run(*command, **more):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def fill(folder, total):
    """Files of many sizes, the same each time: every second one is in a folder that goes again."""
    drawn = random.Random(17)
    for half in ("stays", "goes"):
        os.makedirs(os.path.join(folder, half))
    number = 0
    while total > 0:
        size = drawn.choice([4, 12, 60, 200, 700, 3000]) * 1024
        name = os.path.join(folder, ("stays", "goes")[number % 2], f"file-{number}")
        with open(name, "wb") as file:
            file.write(os.urandom(size))
        total -= size
        number += 1


@contextlib.contextmanager
def mounted(image, place, command):
    os.makedirs(place, exist_ok=True)
    with rigs.loop(image) as node:
        run(*command, node, place)
        try:
            yield place
        finally:
            run("umount", place)


def by_mounting(make, mount):
    """The two halves are written in turn, file after file, so that free places lie between."""
    def made(image, files, work):
        run(*make, image)
        with mounted(image, os.path.join(work, "mount"), mount) as place:
            for half in ("stays", "goes"):
                os.mkdir(os.path.join(place, half))
            names = [(half, name) for half in ("stays", "goes")
                     for name in os.listdir(os.path.join(files, half))]
            for half, name in sorted(names, key=lambda pair: int(pair[1].split("-")[1])):
                shutil.copyfile(os.path.join(files, half, name), os.path.join(place, half, name))
            os.sync()
            shutil.rmtree(os.path.join(place, "goes"))
    return made


def fat(image, files, work):
    del work
    run("mkfs.vfat", "-F", "32", image)
    for half in ("stays", "goes"):
        run("mmd", "-i", image, f"::{half}")
    for group in range(16):
        for half in ("stays", "goes"):
            names = sorted(os.listdir(os.path.join(files, half)))[group::16]
            run("mcopy", "-i", image, *(os.path.join(files, half, name) for name in names), f"::{half}")
    run("mdeltree", "-i", image, "::goes")


def f2fs(image, files, work):
    """Without a driver nothing is deleted from it; a third of it stays free."""
    del work
    run("mkfs.f2fs", "-f", image)
    run("sload.f2fs", "-f", os.path.join(files, "stays"), image)


FILE_SYSTEMS = {  # name: how it is made, partclone's name
    "ext4": (by_mounting(["mkfs.ext4", "-F"], ["mount"]), "ext4"),
    "XFS": (by_mounting(["mkfs.xfs", "-f"], ["mount"]), "xfs"),
    "Btrfs": (by_mounting(["mkfs.btrfs", "-f"], ["mount"]), "btrfs"),
    "NTFS": (by_mounting(["mkntfs", "-F", "-Q"], ["ntfs-3g"]), "ntfs"),
    "exFAT": (by_mounting(["mkfs.exfat"], ["mount.exfat-fuse"]), "exfat"),
    "FAT32": (fat, "vfat"),
    "F2FS": (f2fs, "f2fs"),
}


def identity(node):
    return subprocess.run(["blkid", "-p", "-o", "value", "-s", "TYPE", "-s", "UUID", node], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def copied_ranges(path):
    """(offset, length) of what a map file calls copied."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return [(int(at, 16), int(length, 16)) for at, length, status in lines[1:] if status == "+"]


def read_plainly(node, ranges):
    """Seconds for all of them in order, two requests of up to a MiB in flight."""
    own = threading.local()

    def read(piece):
        at, length = piece
        if not hasattr(own, "buffer"):
            own.buffer = mmap.mmap(-1, MIB)
        if os.preadv(fd, [memoryview(own.buffer)[:length]], at) != length:
            sys.exit(f"used-table: {node} cannot be read at {at}")

    pieces = [(at, min(MIB, start + length - at)) for start, length in ranges
              for at in range(start, start + length, MIB)]
    fd = os.open(node, os.O_RDONLY | os.O_DIRECT)
    try:
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(read, pieces))
        return time.monotonic() - start
    finally:
        os.close(fd)


class Contest:
    def __init__(self, pair, partclone, work, as_such):
        self.pair, self.work, self.as_such = pair, work, as_such
        self.map = os.path.join(work, "map")
        self.partclone = [f"partclone.{partclone}", "-b", "-q", "-L", os.path.join(work, "partclone.log"),
                          "-s", pair.source, "-O", pair.destination]
        self.copied = 0

    def peer(self):
        start = time.monotonic()
        run(*rigs.FIRST, "sh", "-c", '"$@" && exec sync "$0"', self.pair.destination, *self.partclone)
        return {"wall": time.monotonic() - start}

    def ours(self, *options):
        with rigs.folder(self.work) as logs:
            start = time.monotonic()
            run(*rigs.FIRST, CLONEDECK, "clone", "-s", self.pair.source, "-d", self.pair.destination,
                "--confirm", self.pair.destination, "--log-dir", logs, *self.as_such, *options)
            wall = time.monotonic() - start
            [name] = [name for name in os.listdir(logs) if name.endswith(".json")]
            with open(os.path.join(logs, name), encoding="utf-8") as file:
                report = json.load(file)
        seconds = report["seconds"]
        self.copied = report["bytes_copied"]
        return {"wall": wall, "copy": sum(seconds.get(part) or 0 for part in ("copy", "flush", "verify")),
                "job": seconds["elapsed"]}

    def reading(self):
        """What the verified copy read back."""
        ranges = copied_ranges(self.map)
        os.unlink(self.map)
        return {"wall": read_plainly(self.pair.destination, ranges)}

    def round(self):
        left = ["--used=only", "--free=leave"]
        turns = {
            "partclone": self.peer,
            "clonedeck": lambda: self.ours(*left, "--no-verify"),
            "verified": lambda: self.ours(*left, "--map", self.map),
            "zeroed": lambda: self.ours("--used=only", "--no-verify"),
        }
        found = {}
        for name in random.sample(list(turns), len(turns)):
            # A program that writes nothing is found out.
            with open(self.pair.destination, "r+b", buffering=0) as node:
                node.write(b"\x5a" * MIB)
            self.pair.forget()
            found[name] = turns[name]()
            if identity(self.pair.destination) != identity(self.pair.source):
                sys.exit(f"used-table: {self.pair.name}: {name} left no copy")
        self.pair.forget()
        found["reading"] = self.reading()
        return found


def measure(name, disk, size, rounds):
    make, partclone = FILE_SYSTEMS[name]
    model = DISKS[disk]
    with contextlib.ExitStack() as stack:
        work = stack.enter_context(rigs.folder("/dev/shm"))
        files = os.path.join(work, "files")
        fill(files, size * 3 // 4)
        nodes = []
        for kind in ("source", "destination"):
            place = os.path.join(work, kind)
            os.mkdir(place)
            image = os.path.join(place, "data")
            rigs.written_file(image, size)
            if kind == "source":
                make(image, files, work)
                shutil.rmtree(files)
            nodes.append(stack.enter_context(
                rigs.modelled_disk(place, os.path.join(HERE, "diskmodel.so"), image, model)))
            if model.get("move"):
                rigs.tell_heads(nodes[-1])
        contest = Contest(rigs.Pair(name, *nodes, size), partclone, work, AS_SUCH[disk])
        return [contest.round() for _ in range(rounds)], contest.copied


def ratio(results, what, of):
    return f"{statistics.median([what(r) / of(r) for r in results]):5.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--disk", choices=DISKS, default="ssd")
    parser.add_argument("--size", type=int, default=1024, metavar="MIB")
    parser.add_argument("systems", nargs="*", metavar="FILESYSTEM", default=list(FILE_SYSTEMS))
    options = parser.parse_args()
    if unknown := set(options.systems) - set(FILE_SYSTEMS):
        parser.error(f"there is no file system {', '.join(sorted(unknown))}")
    if os.geteuid() != 0:
        sys.exit("used-table: root is needed for loop devices")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit("used-table: stopped"))  # devices go on the way
    print(f"{'':6} {'copied':>8} {'partclone':>9} {'clonedeck':>9}  ratio without start  verified  zeroed")
    for name in options.systems:
        results, copied = measure(name, options.disk, options.size * MIB, options.rounds)
        wall = {who: statistics.median([r[who]["wall"] for r in results]) for who in results[0]}
        print(f"{name:6} {copied / MIB:4.0f} MiB {wall['partclone']:7.2f} s {wall['clonedeck']:7.2f} s",
              ratio(results, lambda r: r["clonedeck"]["wall"], lambda r: r["partclone"]["wall"]),
              ratio(results, lambda r: r["clonedeck"]["copy"], lambda r: r["partclone"]["wall"]),
              "       ",
              ratio(results, lambda r: r["verified"]["job"],
                    lambda r: r["clonedeck"]["job"] + r["reading"]["wall"]),
              "   ",
              ratio(results, lambda r: r["zeroed"]["wall"], lambda r: r["partclone"]["wall"]),
              flush=True)


if __name__ == "__main__":
    main()
