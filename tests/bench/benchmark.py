#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures clonedeck beside the installed peers and against the devices' limits.

usage: benchmark.py [--quick] [--only RIG[,RIG]] [--rounds N] [--dir DIR]

Makes its own devices (loop devices over files and over memory, zram, modelled
disks below nbdkit), overwrites only those and removes them. The tools take
turns in random order within each round; printed are medians, with the spread
(highest less lowest, over the median) in the last column. A round counts only
when two runs of clonedeck in it agree to 15 %. Times of the peers are those of
the whole process; those of clonedeck are given with and without its start
(looking at all disks, checks, logs), which is told in milliseconds as well.
The limits are fio's run times or those of the backends alone, whichever is
shorter; so is the run of a round's two that the goals compare with them. All
flush what they wrote. What is compared with peers and limits does
not verify, as they do not; the row of the verified copy stands beside it.
"""
import argparse
import contextlib
import functools
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import areas
import front
import rigs
from tables import (COMPARED, COPIED, GIB, MIB, SUMMED, VERIFIED_BOTH, Goals, Summary, median,
                    processor)

HERE = os.environ.get("CLONEDECK_BENCH", os.path.dirname(os.path.abspath(__file__)))
CLONEDECK = os.environ.get("CLONEDECK", "clonedeck")
AGREE = 0.15
FAST = 1500 * 1000 * 1000  # bytes per second
WATCHED = 500 * 1000 * 1000


class Stop(Exception):
    """Nothing can be measured here; the text says why."""


class Bench:
    def __init__(self, work, group):
        self.work, self.group = work, group
        self.output = os.path.join(work, "measured")
        self.wrong = []

    def run(self, argv, grouped=False):
        """What one command cost; None when it failed."""
        launcher = os.path.join(HERE, "measure")
        group = self.group if grouped and self.group else "-"
        done = subprocess.run(
            [launcher, self.output, group, *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        with open(self.output, encoding="ascii") as file:
            result = json.load(file)
        if done.returncode or result["status"]:
            print(f"  {argv[0]} ended with {result['status']}: {done.stderr.strip()[-300:]}")
            return None
        return result


@functools.cache
def knows(option):
    """An older program, measured for comparison, has fewer of them."""
    told = subprocess.run([CLONEDECK, "clone", "--help"], stdout=subprocess.PIPE, text=True)
    return option in told.stdout


def unverified():
    """As the peers copy. An older program never verifies."""
    return ["--no-verify"] if knows("--no-verify") else []


def depth(pair):
    """A loop device does not say that what is below it spins; its depth has to be told."""
    return ["-q", str(pair.depth)] if pair.depth else []


def clonedeck(bench, pair, *options):
    logs = tempfile.mkdtemp(dir=bench.work)
    argv = [CLONEDECK, "clone", "-s", pair.source, "-d", pair.destination]
    argv += ["--confirm", pair.destination, "--log-dir", logs, *depth(pair), *options]
    result = bench.run(argv)
    for path in glob.glob(os.path.join(logs, "*.json")):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        seconds = report["seconds"]
        if result and seconds["copy"] is not None:
            result["copy"] = sum(seconds.get(part) or 0 for part in ("copy", "flush", "verify"))
            result["verify"] = seconds.get("verify")
            result["copying"] = sum(p["seconds"] for p in report["passes"] if p["name"] == "copy")
            if "elapsed" in seconds:
                result["around"] = result["wall"] - seconds["elapsed"]
                result["arming"] = sum(p["seconds"] for p in report["passes"]
                                       if p["name"] in ("wipe", "arm"))
            result["engine"] = report["engine"]["choice"]
    shutil.rmtree(logs)
    return result


def compared_alone(pair):
    """Seconds of `clonedeck verify` between two disks that hold the same, without its start."""
    argv = [CLONEDECK, "verify", "-s", pair.source, "-d", pair.destination, "--json"]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])["seconds"] if done.returncode == 0 else None


def digests_alone():
    """Processor seconds for those of 1 GiB."""
    told = [subprocess.run([os.path.join(HERE, "digest")], stdout=subprocess.PIPE, text=True).stdout
            for _ in range(3)]
    return median([float(text.split()[0]) for text in told])


def flushed(argv, node):
    """Some peers leave their last writes in the device's cache; all have to flush."""
    return ["sh", "-c", '"$@" && exec sync "$0"', node, *argv]


def peers(pair, all_of_them):
    """Name, command, whether it goes through the page cache."""
    a, b = pair.source, pair.destination
    dd = ["dd", f"if={a}", f"of={b}", "conv=fsync"]
    direct = ["iflag=direct", "oflag=direct"]
    sg = [f"if={a}", f"of={b}", f"bs={pair.sector}", f"bpt={MIB // pair.sector}", *direct]
    found = [
        ("dd bs=1M direct", [*dd, "bs=1M", *direct], False),
        ("sgp_dd 1M direct thr=4", flushed(["sgp_dd", *sg, "thr=4"], b), False),
        ("qemu-img -W -m 8", ["qemu-img", "convert", "-n", "-W", "-m", "8", "-t", "none"]
         + ["-T", "none", "-f", "raw", "-O", "raw", a, b], False),
    ]
    if all_of_them:
        found += [
            ("dd bs=8M direct", [*dd, "bs=8M", *direct], False),
            ("dd bs=64k", [*dd, "bs=64k"], True),
            ("sg_dd 1M direct", flushed(["sg_dd", *sg], b), False),
            ("ddrescue -d -D 1M",
             flushed(["ddrescue", "-q", "-f", "-d", "-D", "-c", "2048", a, b], b), False),
            ("nbdcopy", ["nbdcopy", "--flush", a, b], True),
        ]
    return [f for f in found if shutil.which(f[1][4] if f[1][0] == "sh" else f[1][0])]


def fio(jobs, in_flight, options=()):
    """Run time of the slowest job, without fio's own start; None without fio."""
    argv = ["fio", "--output-format=json", "--ioengine=io_uring", "--direct=1", "--bs=1M"]
    argv += [f"--iodepth={in_flight}", "--end_fsync=1", "--thread=1", *options]
    for what, node in jobs:
        argv += [f"--name={what}", f"--rw={what}", f"--filename={node}"]
    # Small pages would make the limit lower than it is.
    env = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
    if not shutil.which("fio"):
        return None
    done = subprocess.run(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode:
        return None
    report = json.loads(done.stdout)
    return max(job["job_runtime"] for job in report["jobs"]) / 1000


def backends_alone(pair, mode):
    argv = [os.path.join(HERE, "copyloop"), "-m", mode, *depth(pair)]
    argv += [pair.source, pair.destination]
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
    return float(done.stdout.split()[0]) if done.returncode == 0 else None


def both_read_alone(pair):
    """The slower end while the other one is read, too."""
    ends = [pair.source, pair.destination]
    argv = [os.path.join(HERE, "copyloop"), "-m", "read", *depth(pair)]
    running = [subprocess.Popen([*argv, *order], stdout=subprocess.PIPE, text=True)
               for order in (ends, ends[::-1])]
    told = [process.communicate()[0] for process in running]
    if any(process.returncode for process in running):
        return None
    return max(float(text.split()[0]) for text in told)


def limits(pair):
    jobs = {"read": [("read", pair.source)], "write": [("write", pair.destination)]}
    jobs["both"] = jobs["read"] + jobs["write"]
    found = {}
    for mode, job in jobs.items():
        pair.forget()
        times = [fio(job, pair.depth or 8), backends_alone(pair, mode)]
        found[mode] = min(t for t in times if t is not None)
    pair.forget()
    times = [fio([("read", pair.source), ("read", pair.destination)], pair.depth or 8),
             both_read_alone(pair)]
    found["reads"] = min((t for t in times if t is not None), default=None)
    return found


def one_round(bench, pair, contenders, first):
    """Results by name; the limits under "limits"."""
    results = {"limits": limits(pair)}
    order = list(contenders)
    random.shuffle(order)
    for name, start in order:
        if first:
            pair.scribble()
        pair.forget()
        results[name] = start()
        if first and results[name] and not pair.same():
            bench.wrong.append(f"{pair.name}: {name} wrote something else than the source")
    return results


def agrees(results):
    a, b = (results.get(name) for name in COPIED)
    if not a or not b:
        return False
    low, high = sorted((a["copy"], b["copy"]))
    return high <= low * (1 + AGREE)


def measure_rig(bench, pair, rounds, all_of_them):
    contenders = [(name, lambda: clonedeck(bench, pair, *unverified()))
                  for name in COPIED]
    if unverified():
        contenders += [(name, lambda: clonedeck(bench, pair)) for name in VERIFIED_BOTH]
        contenders.append((COMPARED, lambda: clonedeck(bench, pair, "--verify=compare")))
    if knows("--digest "):
        contenders.append((SUMMED, lambda: clonedeck(bench, pair, *unverified(), "--digest=sha256")))
    for name, argv, cached in peers(pair, all_of_them):
        contenders.append((name, lambda argv=argv, cached=cached: bench.run(argv, cached)))
    kept, tried = [], 0
    while len(kept) < rounds and tried < rounds + 2:
        results = one_round(bench, pair, contenders, tried == 0)
        tried += 1
        if agrees(results):
            kept.append(results)
    return kept, tried


def count_calls(bench, argv):
    """System calls of a command. Counted by the kernel: under strace each takes so long that fewer
    completions are waited for at once than without it."""
    told = os.path.join(bench.work, "calls")
    perf = ["perf", "stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "-o", told]
    strace = ["strace", "-f", "-c", "-o", told]
    for tool in (perf, strace):
        if not shutil.which(tool[0]):
            continue
        done = subprocess.run(tool + argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        if done.returncode:
            continue
        with open(told, encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
        counts = [line.split(",")[0] for line in lines if ",raw_syscalls:sys_enter," in line]
        counts += [line.split()[3] for line in lines if line.endswith(" total")]
        if counts and counts[0].isdigit():
            return int(counts[0])
    return None


def system_calls(bench, pair):
    """Calls per GiB copied: those of a long copy less those of a short one. Both are of a range:
    a whole disk is armed last, which is no more on a large one."""
    counts, sizes = [], (16 * MIB, pair.size - 16 * MIB)
    for size in sizes:
        logs = tempfile.mkdtemp(dir=bench.work)
        argv = [CLONEDECK, "clone", "-s", pair.source]
        argv += ["-d", pair.destination, "--confirm", pair.destination, "--log-dir", logs]
        argv += ["-r", f"0+{size // pair.sector}", *unverified()]
        counts.append(count_calls(bench, argv))
        shutil.rmtree(logs)
    if None in counts:
        return None, None
    per_gib = (counts[1] - counts[0]) * GIB / (sizes[1] - sizes[0])
    return (per_gib if per_gib > 0 else None), counts[0]


def goals_of_proof(goals, summary):
    """Where the destination is read as fast as the source, whose reading is measured."""
    name = summary.pair.name
    goals.add(15, f"{name}: verified, of copying and then reading", summary.verifying(), 1.03)
    goals.add(15, f"{name}: copied with digests, of copied without", summary.taking(), 1.03)
    goals.add(15, f"{name}: process CPU per GiB of two digests and of reading back",
              summary.cpu_of_proof(), 0.25, "{:.2f}", " s")


def goals_of_modelled(goals, summary, number, factor, equal):
    name = summary.pair.name
    goals.add(15, f"{name}: comparing, of the slower end's reading",
              summary.comparing(), 1.03)
    summary.pair.forget()
    alone, slower = compared_alone(summary.pair), summary.limit("reads")
    goals.add(15, f"{name}: verify -s -d, of the slower end's reading",
              alone / slower if alone and slower else None, 1.03)
    goals.add(number, f"{name}: larger of read and write", summary.own("larger"), factor)
    goals.add(6, f"{name}: process CPU, without the start, of the cheapest peer's",
              summary.versus_cheapest(), 0.25, "{:.2f}")
    if equal:  # then the destination is read as fast as the source
        goals_of_proof(goals, summary)


def goals_of_loops(bench, goals, summary):
    pair = summary.pair
    goals.add(4, f"{pair.name}: reading and writing at once", summary.own("both"), 1.05)
    goals.add(4, f"{pair.name}: best peer ({summary.best_peer()[1]})", summary.versus_best("copy"), 0.75)
    goals_of_proof(goals, summary)
    common_goals(goals, summary)
    calls, start = system_calls(bench, pair)
    goals.add(8, f"{pair.name}: system calls per GiB", calls, 500, "{:.0f}", "")
    if calls is not None:
        print(f"  system calls: {calls:.0f} per GiB; {start} for the start and the first 16 MiB")


def common_goals(goals, summary):
    pair = summary.pair
    goals.add(6, f"{pair.name}: process CPU per GiB, without the start",
              summary.without_start(processor), 0.05, unit=" s")
    goals.add(7, f"{pair.name}: system CPU per GiB, without the start",
              summary.without_start(lambda r: r["busy"]), 0.10, "{:.2f}", " s")
    goals.add(9, f"{pair.name}: resident memory", summary.median("clonedeck", "rss") / 1024, 16,
              "{:.1f}", " MiB")
    goals.add(10, f"{pair.name}: page cache growth", summary.median("clonedeck", "cache") / 1024, 8,
              "{:.1f}", " MiB")


def starts(bench, pair):
    """Copies of so little that they show what the start costs."""
    runs = [clonedeck(bench, pair, *unverified(), "-r", f"0+{16 * MIB // pair.sector}")
            for _ in range(5)]
    return [r for r in runs if r]


def goals_of_memory(goals, summary):
    pair = summary.pair
    best = summary.best_peer()[1]
    goals.add(5, f"{pair.name}: best peer ({best})", summary.versus_best("copy"), 0.75)
    goals.add(5, f"{pair.name}: reading and writing at once", summary.own("both"), 1.05)
    goals.add(9, f"{pair.name}: resident memory", summary.median("clonedeck", "rss") / 1024, 16,
              "{:.1f}", " MiB")


def goal_of_size(bench, goals, small, directory):
    """The same memory on a disk of any size."""
    size = 15 << 40
    with contextlib.ExitStack() as stack:
        try:
            pair = stack.enter_context(rigs.huge_pair("huge", directory, size))
        except (OSError, subprocess.CalledProcessError):
            return
        result = clonedeck(bench, pair, *unverified(), "-r", f"0+{512 * MIB // pair.sector}")
        if result:
            difference = abs(result["rss"] - small) / 1024
            goals.add(9, "15 TiB disk: resident memory apart from that at 1 GiB", difference, 1,
                      "{:.1f}", " MiB")


def goals_of_areas(bench, goals, directory):
    saved = areas.seconds_to_save(os.path.join(HERE, "mapsave"), directory, 9)
    goals.add(12, "map of 100,000 bad areas, saved in", saved, 0.2, unit=" s")
    try:
        resident = areas.resident(bench, CLONEDECK, directory, 15 << 40)
    except (OSError, subprocess.CalledProcessError):
        resident = None
    goals.add(9, "15 TiB, 100,000 bad areas, resumed, verified: memory", resident, 48, "{:.1f}",
              " MiB")


def goal_of_growth(bench, goals, directory):
    """Time and processor time per GiB of a long copy against those of a short one."""
    costs = []
    for size in (GIB, 4 * GIB):
        with rigs.loop_pair("growth", directory, size) as pair:
            pair.forget()
            runs = [r for r in [clonedeck(bench, pair, *unverified()) for _ in range(3)] if r]
            costs.append([median([r["copy"] / size for r in runs]),
                          median([(r["user"] + r["system"]) / size for r in runs])])
    for what, short, long in zip(("time", "process CPU"), *costs):
        if short is not None and long is not None:
            goals.add(12, f"4 GiB: {what} per GiB against that at 1 GiB", long / short, 1.05)


SPINNING = {"rate": "180M", "inner": "120M", "overhead": 60, "move": 12000, "window": "8M"}
SPINNING_DEPTH = 4  # what clonedeck gives a disk that says itself that it spins
MODELS = {
    "SSD pair 400 MiB/s": (1, 1.02, {"rate": "400M", "overhead": 20}, None),
    "SSD 500 to 250 MiB/s": (1, 1.02, {"rate": "500M", "overhead": 20},
                             {"rate": "250M", "overhead": 20}),
    "spinning pair 180 MiB/s": (2, 1.03, SPINNING, None),
    "spinning pair, no cache window": (2, 1.06, {**SPINNING, "window": "1M"}, None),
}


class Run:
    def __init__(self, bench, options):
        self.bench, self.options, self.goals = bench, options, Goals()
        self.rounds = options.rounds or (2 if options.quick else 5)

    def wanted(self, rig):
        return not self.options.only or rig in self.options.only.split(",")

    def measure(self, pair, rounds, all_of_them):
        start = starts(self.bench, pair)
        kept, tried = measure_rig(self.bench, pair, rounds, all_of_them)
        if not kept:
            print(f"\n{pair.name}: in none of {tried} rounds two runs of clonedeck agreed to "
                  f"{AGREE:.0%}; this machine is too busy to measure on")
            return None
        summary = Summary(pair, kept, start)
        summary.print(tried)
        return summary

    def one_spindle(self, plugin, size):
        """One half of a disk to the other, against reading all of one and writing the other."""
        with rigs.modelled_one("one spindle", plugin, size, SPINNING) as pair:
            pair.depth = SPINNING_DEPTH
            half = ["-r", f"0+{size // pair.sector}", "--at", str(size // pair.sector)]
            parts = [fio([("read", pair.source)], SPINNING_DEPTH, ["--size", str(size)]),
                     fio([("write", pair.source)], SPINNING_DEPTH,
                         ["--size", str(size), "--offset", str(size)])]
            result = clonedeck(self.bench, pair, *unverified(), *half)
            if result and None not in parts:
                print(f"\none spindle: {size // MIB} MiB, read {parts[0]:.3f} s, written "
                      f"{parts[1]:.3f} s, copied {result['copy']:.3f} s\n  {result['engine']}")
                self.goals.add(3, "one spindle: reading, then writing",
                               result["copy"] / sum(parts), 1.06)

    def verified_meanwhile(self, plugin, size):
        """A flash disk that waits for its source: read back beside the copy, against behind it."""
        name = "SSD 250 to 500 MiB/s"
        models = [{"rate": rate, "overhead": 20} for rate in ("250M", "500M")]
        with rigs.modelled_pair(name, plugin, size, *models) as pair:
            ratios = []
            for _ in range(max(self.rounds - 2, 1)):
                times = []
                for when in ("after", "digest"):
                    pair.forget()
                    result = clonedeck(self.bench, pair, f"--verify={when}")
                    times.append(result and result.get("copy"))
                if all(times):
                    ratios.append(times[1] / times[0])
            print(f"\n{name}: {size // MIB} MiB, verified by itself / --verify=after: "
                  + " ".join(f"{ratio:.2f}" for ratio in ratios))
            self.goals.add(15, f"{name}: verified meanwhile, of doing it after", median(ratios), 0.85)

    def modelled(self):
        plugin = os.path.join(HERE, "diskmodel.so")
        if not os.path.exists(plugin) or not shutil.which("nbdkit") or not shutil.which("nbdfuse"):
            print("\nmodelled disks: nbdkit, its plugin headers or nbdfuse are missing")
            return
        quick = self.options.quick
        for name, (goal, factor, source, destination) in MODELS.items():
            if quick and not name.endswith("pair 400 MiB/s") and not name.endswith("180 MiB/s"):
                continue
            # The few moves of the heads that arming a disk costs are as many on a large one: on
            # one much smaller than this they would be what is measured.
            size = (128 if quick else 512) * MIB
            rounds = 1 if quick else max(self.rounds - 2, 1)
            with rigs.modelled_pair(name, plugin, size, source, destination or source) as pair:
                pair.depth = SPINNING_DEPTH if "spinning" in name else None
                summary = self.measure(pair, rounds, False)
                if summary:
                    goals_of_modelled(self.goals, summary, goal, factor, destination is None)
        self.goals.add(15, "digests alone, process CPU per GiB", digests_alone(), 0.10, "{:.3f}", " s")
        self.one_spindle(plugin, (128 if quick else 256) * MIB)
        if not quick and unverified():
            self.verified_meanwhile(plugin, 1024 * MIB)

    def digests(self):
        """What taking them costs a copy between two ends that need no processor themselves."""
        rounds = max(self.rounds, 3)
        argv = [os.path.join(HERE, "digestcost"), str(FAST), "2G", str(rounds)]
        done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
        told = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
        if done.returncode or len(told) < rounds:
            print("\ncopies at 1.5 GB/s: not measured")
            return
        without, digested, cpu_without, cpu_digested, verified = map(median, zip(*told))
        print(f"\ncopies of 2 GiB at 1.5 GB/s between ends that only take time, {rounds} rounds: "
              f"{without:.3f} s, with digests {digested:.3f} s, read back in {verified:.3f} s; "
              f"processor {cpu_without:.2f} s, with both {cpu_digested:.2f} s")
        self.goals.add(15, "copied at 1.5 GB/s with digests, of copied without",
                       median([line[1] / line[0] for line in told]), 1.01)
        self.goals.add(15, "read back and compared at 1.5 GB/s, of copied without",
                       median([line[4] / line[0] for line in told]), 1.01)

    # Twice what the group may keep in memory: a disk is larger than that, and what a tool only
    # leaves in the cache it has not copied.
    def loops(self):
        size = (256 if self.options.quick else 2048) * MIB
        with rigs.loop_pair("disk loops", self.options.dir, size) as pair:
            summary = self.measure(pair, self.rounds, not self.options.quick)
            if summary:
                goals_of_loops(self.bench, self.goals, summary)
                goal_of_size(self.bench, self.goals, summary.median("clonedeck", "rss"),
                             self.options.dir)
        if not self.options.quick:
            goal_of_growth(self.bench, self.goals, self.options.dir)
            goals_of_areas(self.bench, self.goals, self.options.dir)

    def held(self):
        """Between disks of a known speed, verifying costs what reading the destination does: on
        other loops the rounds differ more than that."""
        size = (256 if self.options.quick else 1024) * MIB
        with rigs.loop_pair("loops held to 500 MB/s", self.options.dir, size) as pair, \
                rigs.held_to(pair, 500 * 1000 * 1000) as held:
            if not held:
                print("\nloops held to a rate: this kernel cannot")
                return
            summary = self.measure(pair, self.rounds, False)
            if summary:
                goals_of_proof(self.goals, summary)

    def memory(self):
        size = (256 if self.options.quick else 2048) * MIB
        with rigs.loop_pair("loops over memory", "/dev/shm", size) as pair:
            summary = self.measure(pair, self.rounds, not self.options.quick)
            if summary:
                goals_of_memory(self.goals, summary)

    def zram(self):
        if not rigs.have_zram():
            print("\nzram: this kernel has none")
            return
        size = (256 if self.options.quick else 1024) * MIB
        with rigs.zram_pair("zram pair", size) as pair:
            summary = self.measure(pair, self.rounds, not self.options.quick)
            if summary:
                goals_of_memory(self.goals, summary)

    def front(self):
        dump = os.path.join(self.options.dir, "tests", "unit", "discover", "many.umockdev")
        goals = self.goals
        goals.add("-", "list of 200 replayed disks", front.list_of_200(self.bench.work, CLONEDECK, dump),
                  0.5, "{:.2f}", " s")
        first = front.first_screen_of_200(CLONEDECK, dump)
        if first:
            print(f"\nthe deck with 200 replayed disks: {first[0]:.0f} ms to its first screen, "
                  f"{first[1]:.0f} ms to their list")
            goals.add("-", "first screen with 200 disks", first[0], 100, "{:.0f}", " ms")
        # In memory, so that nothing but the processor limits the copy. It takes no memory of its own
        # but for what was written.
        with rigs.huge_pair("seen", "/dev/shm", 8 * GIB) as pair:
            answers, busy, sent = front.in_the_deck(CLONEDECK, pair, self.bench.work)
            alone = front.without_a_deck(CLONEDECK, pair)
        print(f"\nkeys while a copy runs at full speed: median {median(answers) * 1000:.1f} ms, "
              f"slowest {answers[-1] * 1000:.1f} ms; at {front.RATE}B/s the share of a core with the deck "
              f"is {busy * 100:.2f} %, without {alone * 100:.2f} %; {sent / 1000:.2f} kB/s to the terminal")
        goals.add("-", "a key is answered, 19 of 20 times", answers[len(answers) * 19 // 20], 0.05,
                  "{:.3f}", " s")
        goals.add(16, "the panes, share of a core", (busy - alone) * 100, 0.5, "{:.2f}", " %")
        goals.add("-", "to the terminal, all panes", sent / 1000, 2, "{:.2f}", " kB/s")

    def watched(self):
        """What a copy at the speed of its disks costs, by how many look at it."""
        with rigs.huge_pair("watched", "/dev/shm", 4 * GIB) as pair, rigs.held_to(pair, WATCHED) as held:
            if not held:
                print("\nwatched copies: this kernel cannot hold disks to a rate")
                return
            costs = front.watched(CLONEDECK, pair, self.rounds + 2)
        print(f"\na GiB of a copy between disks held to {WATCHED / 1e6:.0f} MB/s, {self.rounds + 2} rounds in turn: "
              "time, and processor time of the process that copies")
        for name, values in costs.items():
            ratios = sorted(value[0] / usual[0] for value, usual in zip(values, costs["no deck"]))
            print(f"  {name:<30} {median([value[0] for value in values]):.4f} s, {median(ratios):.4f} of no deck "
                  f"({ratios[0]:.4f} to {ratios[-1]:.4f}); {median([value[1] for value in values]):.4f} s "
                  f"({min(value[1] for value in values):.4f} to {max(value[1] for value in values):.4f})")
            if name != "no deck":
                self.goals.add(19, f"the time of a copy {name}", median(ratios), 1.01, "{:.4f}")

    def all(self):
        start = time.monotonic()
        try:
            for name, rig in RIGS.items():
                if self.wanted(name):
                    rig(self)
                    sys.stdout.flush()
        finally:
            # When it was stopped, too: what is measured so far took its time.
            self.goals.print()
            for line in self.bench.wrong:
                print(f"WRONG DATA  {line}")
            print(f"\n{time.monotonic() - start:.0f} s")
        return 1 if any("clonedeck" in line for line in self.bench.wrong) else 0


RIGS = {"modelled": Run.modelled, "digests": Run.digests, "loops": Run.loops, "held": Run.held,
        "memory": Run.memory, "zram": Run.zram, "front": Run.front, "watched": Run.watched}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="fewer tools and rounds, small sizes")
    parser.add_argument("--only", help=f"{', '.join(RIGS)}; separated by commas")
    parser.add_argument("--rounds", type=int, help="rounds that have to agree (default 5)")
    parser.add_argument("--dir", default=os.environ.get("CLONEDECK_BUILD", "."),
                        help="where the loop devices' files go")
    options = parser.parse_args()
    unknown = set((options.only or "loops").split(",")) - set(RIGS)
    if unknown:
        parser.error(f"there is no rig {', '.join(sorted(unknown))}")
    return options


def main():
    options = parse()
    if os.geteuid() != 0:
        sys.exit("benchmark: root is needed for loop devices")
    for need in ("losetup", "blockdev", "cmp", CLONEDECK, os.path.join(HERE, "measure")):
        if not shutil.which(need):
            sys.exit(f"benchmark: {need} is missing")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit("benchmark: stopped"))  # devices go on the way
    seed = random.randrange(1 << 32)
    random.seed(seed)
    print(f"order of the tools: seed {seed}")
    with rigs.folder(None) as work, rigs.memory_group(GIB) as group:
        if not group:
            print("no memory control groups: buffered tools may fill the page cache")
        return Run(Bench(work, group), options).all()


if __name__ == "__main__":
    sys.exit(main())
