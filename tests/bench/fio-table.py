#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bench engines, or bench sizes, beside fio: the same engine, request size and depth, in turn.

usage: fio-table.py engines|sizes DISK [ROUNDS]; CLONEDECK names the program. Only reads. Prints the
median of the ratios of the rounds, and the least and the largest: more than 1, bench made more
requests a second. Nothing else may run meanwhile.
"""

import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

SECONDS = 0.25
# bench sizes reads as a copy does.
ENGINES = {
    "threads": ["--ioengine=psync"],
    "libaio": ["--ioengine=libaio"],
    "uring-plain": ["--ioengine=io_uring"],
    "uring": ["--ioengine=io_uring", "--fixedbufs", "--registerfiles"],
}
NAMES = {"uring": "uring-plain", "uring-fixed": "uring"}  # of bench engines


def fio(disk, pattern, engine, request, depth):
    if engine == "threads":
        in_flight = ["--iodepth=1", "--thread", f"--numjobs={depth}", "--group_reporting"]
    else:
        in_flight = [f"--iodepth={depth}"]
    words = ["fio", "--name=table", f"--filename={disk}", "--readonly", f"--rw={pattern}", "--direct=1",
             "--norandommap", f"--bs={request}", "--time_based", f"--runtime={int(SECONDS * 1000)}ms",
             "--output-format=json", *ENGINES[engine], *in_flight]
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return json.loads(out)["jobs"][0]["read"]["iops"]


def figures(kind, disk):
    with tempfile.TemporaryDirectory() as folder:
        words = [os.environ["CLONEDECK"], "bench", kind, disk, "--rounds", "1", "--csv", "--log-dir", folder]
        out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return csv.DictReader(out.splitlines())


def engines(disk):
    """(engine, request, depth): requests a second"""
    return {(NAMES.get(line["engine"], line["engine"]), 4096, int(line["depth"])): float(line["median"])
            for line in figures("engines", disk)
            if line["table"] == "random" and line["request"] == "4096" and line["column"] in ("ops", "best_ops")}


def sizes(disk):
    return {(line["engine"], int(line["request"]), 4): float(line["median"])
            for line in figures("sizes", disk)
            if line["table"] == "iops" and line["row"] in ("131072", "1048576") and line["depth"] == "4"}


def main():
    if not shutil.which("fio"):
        sys.exit("fio-table: fio is not installed")
    kind, disk, rounds = sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["9"])[0])
    measure, pattern = {"engines": (engines, "randread"), "sizes": (sizes, "read")}[kind]
    ratios = {}
    for _ in range(rounds):
        for (engine, request, depth), rate in measure(disk).items():
            if engine in ENGINES:
                ratios.setdefault((engine, request, depth), []).append(
                    rate / fio(disk, pattern, engine, request, depth))
    for (engine, request, depth), all_of_it in sorted(ratios.items()):
        print(f"{engine:12} {request:8} depth {depth:2}  {statistics.median(all_of_it):5.2f}"
              f"  ({min(all_of_it):.2f} to {max(all_of_it):.2f} in {len(all_of_it)} rounds)")


main()
