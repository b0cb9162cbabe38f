#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bench engines beside fio: random reads with the same engine, request size and depth, in turn.

usage: fio-table.py DISK [ROUNDS]; CLONEDECK names the program. Only reads. Prints the median of the
ratios of the rounds: more than 1, bench made more requests a second.
"""

import csv
import json
import os
import statistics
import subprocess
import sys

REQUEST = 4096
SECONDS = 0.2
ENGINES = {
    "threads": ["--ioengine=psync"],
    "libaio": ["--ioengine=libaio"],
    "uring": ["--ioengine=io_uring"],
    "uring-fixed": ["--ioengine=io_uring", "--fixedbufs", "--registerfiles"],
}


def fio(disk, engine, depth):
    if engine == "threads":
        in_flight = ["--iodepth=1", "--thread", f"--numjobs={depth}", "--group_reporting"]
    else:
        in_flight = [f"--iodepth={depth}"]
    words = ["fio", "--name=table", f"--filename={disk}", "--readonly", "--rw=randread", "--direct=1",
             "--norandommap", f"--bs={REQUEST}", "--time_based", f"--runtime={int(SECONDS * 1000)}ms",
             "--output-format=json", *ENGINES[engine], *in_flight]
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return json.loads(out)["jobs"][0]["read"]["iops"]


def bench(disk):
    """{engine: {depth: requests a second}}"""
    words = [os.environ["CLONEDECK"], "bench", "engines", disk, "--rounds", "1", "--csv"]
    out = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    found = {}
    for line in csv.DictReader(out.splitlines()):
        size, _, engine = line["row"].partition("-")
        if line["table"] == "random" and size == str(REQUEST) and line["column"] in ("ops", "best_ops"):
            found.setdefault(engine, {})[int(line["depth"])] = float(line["median"])
    return found


def main():
    disk, rounds = sys.argv[1], int((sys.argv[2:] or ["9"])[0])
    ratios = {}
    for _ in range(rounds):
        for engine, depths in bench(disk).items():
            for depth, rate in depths.items() if engine in ENGINES else ():
                ratios.setdefault((engine, depth), []).append(rate / fio(disk, engine, depth))
    for (engine, depth), all_of_it in sorted(ratios.items()):
        print(f"{engine:12} depth {depth:2}  {statistics.median(all_of_it):5.2f}  of {len(all_of_it)} rounds")


main()
