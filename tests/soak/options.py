#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies with options that nobody thought of together, many of them ended at some moment and resumed;
each byte of source, destination and a third disk is compared with what the options ask for. Partitions
that are not to be the same byte by byte (a table that fits, new identifiers) are given to the checkers
of their file systems, and the file that was in them must still be. How to run it: lib.sh."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLONEDECK = os.environ["CLONEDECK"]
MIB = 1 << 20
os.environ.update(LC_ALL="C.UTF-8", TEST_DIR="x", TEST_DEV="x", QA_CHECK_FS="x")  # for a small XFS
LVM = "-q --config 'backup {{ backup=0 archive=0 }}' --driverloaded n --devices $loop"
IN_LOOP = "loop=$(losetup -f --show part); {{ %s; }}; r=$?; losetup -d $loop; exit $r"
WINDOWS = "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"
# Smallest size in MiB, type in a GPT and in an MS-DOS table, whether the witness is in it, and what
# makes it in the file part and checks it there. {s}: bytes of a sector, {n}: where it begins, in sectors.
FILE_SYSTEMS = {
    "ext4": (8, "linux", 83, True, "mkfs.ext4 -q -F -b 4096 -E nodiscard -d tree part", "e2fsck -fn part"),
    "xfs": (34, "linux", 83, True, "mkfs.xfs -q -f -K -s size={s} -d agcount=2 -p proto part", "xfs_repair -n part"),
    "btrfs": (24, "linux", 83, True, "mkfs.btrfs -q -f -K --mixed --rootdir tree part", "btrfs check part"),
    "ntfs": (8, WINDOWS, 7, True, "mkfs.ntfs -q -F -Q -s {s} -p {n} -S 63 -H 255 part && "
             "ntfscp part tree/witness witness", "ntfsresize -i -f part"),
    "vfat": (4, "uefi", "c", True, "mkfs.vfat -S {s} -h {n} part && mcopy -i part tree/witness ::", "fsck.fat -n part"),
    "exfat": (4, WINDOWS, 7, False, "mkfs.exfat part", "fsck.exfat -n part"),
    "swap": (2, "swap", 82, False, "mkswap part", "swaplabel part"),
    "luks": (20, "linux", 83, False, "cryptsetup -q luksFormat --pbkdf pbkdf2 --pbkdf-force-iterations 1000 "
             "--sector-size {s} part proto", "cryptsetup isLuks part"),
    "lvm": (12, "lvm", "8e", False, IN_LOOP % f"lvm pvcreate {LVM} $loop && lvm vgcreate {LVM} -s 1m g{{n}} $loop && "
            f"lvm lvcreate {LVM} -y -an -Zn -Wn -n data -l 8 g{{n}}", IN_LOOP % f"lvm pvck {LVM} $loop"),
    "nothing": (1, "linux", 83, False, "true", "true")}
# {p} a partition, {m} megabytes, {a} a sector, {r} ranges, {s} bytes of a sector. Of each chosen group one.
FIT = ["--table fit", "--table gpt", "--grow last", "--grow {p}", "--grow {p} --grow-fs", "--layout {p}:{m}M",
       "--layout {p}@{m}M", "--shrink-via smaller"]
PART = ["-r {r}", "-r {r} --at {a}", "--at {a}", "--domain domain"]
USED = ["--used first", "--used only", "--used only@{p}", "--used only --free discard", "--used only --free leave"]
GROUPS = [[], [], [FIT], [FIT], [PART], [PART], [USED], [USED, FIT], [USED, PART], [FIT, PART]]
OTHERS = ["--identities new", "--identities new,rewrite", "--no-verify", "--verify=rolling", "--verify=compare",
          "--verify=after", "--digest sha256", "--digest md5,sha1", "--no-arm-last", "--rewrite", "--probe",
          "--preset failing", "--preset forensic", "--source-backend buffered", "--destination-backend buffered",
          "--source-backend threads", "--destination-backend uring", "-b 4096", "-b 64K", "-b 3M", "-j 4 -q 3",
          "--on-error stop", "--on-write-error map", "--allow sector-size-differs", "--allow table-beyond-end",
          "--fill mark", "--map-interval 1", "--source-sector-size {s}", "-d bystander", "--json"]
RESUME = ["", "", "", "--no-verify", "--preset failing", "--mask-serials", "--fill leave", "--map-interval 1"]
loops = []


def shell(command):
    return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout.strip()


def attach(name, sector=512):
    loops.append(shell(f"losetup --direct-io=on -fP --show -b {sector} '{os.path.abspath(name)}'"))
    return loops[-1]


def detach():
    while loops:
        shell(f"losetup -d {loops.pop()}")


def sectors(content):
    return [content[i:i + 512] for i in range(0, len(content), 512)]


def marks(size, areas):
    """A byte for each sector: is it in one of these areas (first byte, bytes)?"""
    marked = bytearray(size // 512)
    for start, length in areas:
        marked[start // 512:(start + length) // 512] = b"\1" * (length // 512)
    return bytes(marked)


class Round:
    """Of one seed: a source, with *parts* (number, file system, first byte, bytes), and copies of it."""

    def __init__(self, seed):
        self.random, self.wrong = random.Random(seed), []
        self.one_of = one_of = self.random.choice
        self.noise, self.witness = self.random.randbytes(61 * MIB) * 4, self.random.randbytes(MIB)
        Path("tree/etc").mkdir(parents=True)
        Path("tree/witness").write_bytes(self.witness)
        Path("tree/etc/fstab").write_text("UUID=01234567-89ab-cdef-0123-456789abcdef / ext4\n", "ascii")
        Path("proto").write_text("/dev/null\n0 0\nd--755 0 0\nwitness ---644 0 0 tree/witness\n$\n", "ascii")
        self.unit, self.table = unit, table = one_of([512, 512, 4096]), one_of(["gpt", "gpt", "dos", "logical", "none"])
        known = [name for name in FILE_SYSTEMS if name != "exfat" or unit == 512]
        at, lines, self.parts = MIB, [f"label: {table.replace('logical', 'dos')}"], []
        for number in range(1, one_of([3, 4, 5])):
            name = one_of(known)
            size, *types = FILE_SYSTEMS[name][:3]
            size = (size + one_of([0, 1, 4, 8])) * MIB
            if table == "logical" and number >= 2:
                lines += [f"start={at // unit}, type=5"] * (number == 2)
                at, number = at + MIB, number + 3
            lines.append(f"start={at // unit}, size={size // unit}, type={types[table != 'gpt']}")
            self.parts.append((number, name, at, size))
            at += size + one_of([0, 0, 1, 3]) * MIB
        disk = bytearray(self.noise[:at + one_of([1, 2, 8, 20]) * MIB])
        disk[:MIB] = one_of([bytes(MIB), bytes(MIB), disk[:MIB]])  # as if it were boot code
        if table == "none":
            self.parts, disk = [(1, name, 0, size)], disk[:size]
        for _, name, start, size in self.parts:
            Path("part").write_bytes(disk[start:start + size])
            self.tool(4, name, start)
            disk[start:start + size] = Path("part").read_bytes()
        Path("source").write_bytes(disk)
        if table != "none":
            Path("lines").write_text("\n".join(lines), "ascii")
            shell(f"sfdisk -q --wipe never --no-reread {attach('source', unit)} <lines")
            detach()
        self.disk = Path("source").read_bytes()

    def tool(self, which, name, start):
        shell(FILE_SYSTEMS[name][which].format(s=self.unit, n=start // self.unit))

    def choose_ends(self):
        """Sets what of the source is copied, and what *before* is on the destination."""
        one_of, self.content, self.partitions = self.one_of, self.disk, self.parts
        kind = one_of(["image", "partition"] + ["disk"] * 6) if self.table != "none" else "disk"
        self.source = os.path.abspath("source") if kind == "image" else attach("source", self.unit)
        if kind == "partition":
            number, _, start, size = one_of(self.parts)
            shell(f"partx -u {self.source}")
            self.source, self.content, self.partitions = f"{self.source}p{number}", self.disk[start:start + size], []
        size, kind = len(self.content), one_of([self.unit] * 7 + [512, 4096, "image", "new"])
        size = one_of([size, size, size, size + MIB, size + 16 * MIB, 2 * size, size - 3 * MIB, size // 2])
        self.before, self.file = self.noise[MIB:][:max(size // 4096 * 4096, MIB)], Path("destination")
        self.file.write_bytes(self.before)
        self.destination = os.path.abspath("destination") if kind in ("image", "new") else attach("destination", kind)
        if kind == "new":
            self.before = self.file.unlink() or b""

    def fail(self, what):
        self.wrong.append("\n".join([what, *self.said.splitlines()[-12:], *self.commands]))

    def choose_options(self):
        """Sets *options*, and *wanted*, what they ask for."""
        one_of, between, total = self.one_of, self.random.randint, len(self.content) // self.unit
        firsts = [self.random.randrange(total) for _ in range(3)]
        areas = [(first * self.unit, between(1, total - first) * self.unit) for first in firsts]
        domain = marks(len(self.content), [areas.pop()])
        Path("domain").write_text("0x0 + 1\n" + "".join(f"{i * 512:#x} 0x200 {'?+'[on]}\n"
                                                        for i, on in enumerate(domain)), "ascii")
        values = {"p": one_of(self.parts)[0], "m": between(1, 40), "s": self.unit, "a": between(0, 9000),
                  "r": ",".join(f"{start // self.unit}+{size // self.unit}" for start, size in areas)}
        groups = one_of([group for group in GROUPS if FIT not in group or self.partitions and self.table != "none"])
        draws = [one_of(group) for group in groups] + self.random.sample(OTHERS, one_of([0, 0, 1, 1, 2, 3]))
        self.options = " ".join(draws).format(**values).split()
        areas = areas if "-r" in self.options else [(0, len(self.content))]
        domain = domain if "--domain" in self.options else b"\1" * len(domain)
        self.wanted = bytes(a & b for a, b in zip(marks(len(self.content), areas), domain))
        self.shift = values["a"] * self.unit - min(areas)[0] if "--at" in self.options else 0

    def run(self, *words, end=False):
        """The exit status; end: of a run that is ended at some moment."""
        self.commands.append(" ".join([CLONEDECK, *words]))
        moment = self.random.uniform(0.05, 2.5), self.one_of([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
        with open("out", "wb") as out, subprocess.Popen([CLONEDECK, *words], stdout=out, stderr=out) as running:
            for limit, blow in [moment] * end + [(120, signal.SIGABRT)]:
                try:
                    running.wait(limit)
                except subprocess.TimeoutExpired:
                    running.send_signal(blow)
        self.last, self.said = running.returncode, Path("out").read_text("utf-8", "replace")
        self.commands[-1] += f" -> {self.last}"
        if self.last == 8 or self.last < 0 and (self.last, end) != (-signal.SIGKILL, True):
            self.fail("it crashed, or did not end")
        return self.last

    def copy(self, number):
        self.commands, self.said, self.last, logs = [], "", None, f"logs {number}"
        Path(logs).mkdir()
        self.choose_ends()
        self.choose_options()
        place, ends = self.one_of(["", f"{logs}/", os.path.abspath(f"{logs}/ä%0a ")]), self.one_of([0, 0, 1, 2, 3])
        chart, report = f"{place}{number}.map", f"{place}{number}.json"
        if self.random.random() < 0.05:  # what must not become a map
            ends, chart = 0, self.one_of(["source", "destination", "bystander", "domain"])
        where, files = ["--confirm", self.destination, "--log-dir", logs], ["--report", report, "-m", chart]
        if "--shrink-via" in self.options:
            ends, files = 0, []
        status = self.run("clone", "-s", self.source, "-d", self.destination, *where, *files, *self.options,
                          "--rate", self.one_of(["20M", "60M"]) if ends else "0", end=ends > 0)
        if status in (1, 2, 3) or status == 6 and not os.path.exists(chart):
            if (self.file.read_bytes() if self.file.exists() else b"") != self.before:
                self.fail("nothing was to be written")
            return
        lifted = [word for pair in zip(self.options, self.options[1:]) if pair[0] == "--allow" for word in pair]
        while status in (6, -signal.SIGKILL) and ends >= 0 and os.path.exists(chart):
            ends -= 1
            status = self.run("resume", chart, *where, *files[:2], *lifted, *self.one_of(RESUME).split(),
                              "--rate", "40M" if ends > 0 else "0", end=ends > 0)
        if status in (0, 4):
            self.check(report if files else max(Path(logs).glob("*.json")))
        elif status != -signal.SIGKILL and "was complete, and is not" not in self.said:
            self.fail(f"exit status {status}")

    def check(self, path):
        report, after = json.loads(Path(path).read_bytes()), self.file.read_bytes()
        plan = [(e["source_offset"], e["destination_offset"], e["bytes"]) for e in report["plan"]]
        grown = report["grown_fs"]["state"] if report["grown_fs"] else "by-hand"
        if (self.last == 4) != (grown in ("failed", "hangs") or any(step["failed"] for step in report["after"] or [])):
            self.fail(f"exit status {self.last} after {report['after']}, {grown}")
        changed = report["after"] or grown != "by-hand"
        if report["digests"] and not changed and self.run("verify", str(path), "-d", self.destination):
            self.fail("it differs from its report")
        outside = bytearray(self.before.ljust(len(after), b"\0"))
        for _, to, size in plan:
            outside[to:to + size] = after[to:to + size]
        if outside != after and grown == "by-hand":
            self.fail(f"something outside of {plan} has changed")
        left = (report["free_places"] or {}).get("bytes_left_out") and report["free_places"]["then"]
        if not report["fitted"] and not changed:
            self.check_bytes(plan, after, left)
        if report["fitted"] or self.partitions and all(self.wanted) and not self.shift:
            self.check_partitions(after, changed or left or "--shrink-via" in self.options)

    def check_bytes(self, plan, after, left):
        """left: what is in places that are free."""
        planned = marks(len(self.content), [(start, size) for start, _, size in plan])
        if {"--table", "--grow", "--layout", "--shrink-via"}.intersection(self.options):  # it fits as it is
            self.wanted = self.wanted[:len(after) // 512].ljust(len(planned), b"\0")
        if any(to - start != self.shift for start, to, _ in plan) or planned != self.wanted and not (
                left and all(is_there <= may_be for is_there, may_be in zip(planned, self.wanted))):
            self.fail(f"{plan} is not what was asked for")
        before, needed = self.before.ljust(len(after), b"\0"), set(sectors(self.witness))
        for start, to, size in plan:
            triples = zip(*map(sectors, (self.content[start:start + size], after[to:to + size], before[to:to + size])))
            if any(due != is_there and (not left or due in needed or left == "zero" and any(is_there) or
                                        left == "leave" and is_there != old) for due, is_there, old in triples):
                self.fail(f"some of {(start, to, size)} is not on the copy")

    def check_partitions(self, after, altered):
        """altered: not byte by byte. The table is as others read it."""
        loop = self.destination if self.destination.startswith("/dev/loop") else attach("destination", self.unit)
        found = {1: (0, len(after))}
        if self.table != "none":
            sector = int(shell(f"blockdev --getss {loop}"))
            found = {int(p["node"].removeprefix(loop + "p")): (p["start"] * sector, p["size"] * sector)
                     for p in json.loads(shell(f"sfdisk -J {loop}"))["partitiontable"]["partitions"]}
        for number, name, start, size in self.partitions:
            to, room = found[number]
            there = after[to:to + room]
            if not altered and name not in ("vfat", "ntfs") and there[:size] != self.content[start:start + size][:room]:
                self.fail(f"partition {number} ({name}) differs")
            Path("part").write_bytes(there)
            self.tool(5, name, to)
            if FILE_SYSTEMS[name][3] and not set(sectors(self.witness)) <= set(sectors(there)):
                self.fail(f"partition {number} ({name}) lacks some of its file")


def one_round(seed, tally):
    this = Round(seed)
    Path("bystander").write_bytes(this.witness)
    for number in range(6):
        this.random.seed(f"{seed} {number}")
        try:
            attach("bystander")
            this.copy(number)
        except (OSError, subprocess.SubprocessError, LookupError, ValueError) as error:
            this.fail(f"{error!r} {getattr(error, 'stdout', '')} {getattr(error, 'stderr', '')}")
        if Path("source").read_bytes() != this.disk or Path("bystander").read_bytes() != this.witness:
            this.fail("the source, or another disk, has changed")
        detach()
        tally[this.last] = tally.get(this.last, 0) + 1
    again = f"again: CLONEDECK={CLONEDECK} CLONEDECK_SOAK_SEED={seed} CLONEDECK_SOAK_SECONDS=0 {__file__}"
    for line in "\n".join(this.wrong + [again] * bool(this.wrong)).splitlines():
        print(f"# seed {seed}: {line}")
    return not this.wrong


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    first = seed = int(os.environ.get("CLONEDECK_SOAK_SEED") or random.randrange(1 << 30))
    end, bad, tally = time.monotonic() + int(os.environ.get("CLONEDECK_SOAK_SECONDS") or 60), 0, {}
    print(f"1..1\n# seed {seed}", flush=True)
    while seed == first or time.monotonic() < end:
        with tempfile.TemporaryDirectory(prefix="clonedeck-test.") as folder:
            os.chdir(folder)
            try:
                bad += not one_round(seed, tally)
            finally:
                detach()
                os.chdir("/")
        seed += 1
    print(f"# copies by their last exit status: {tally}; {bad} of {seed - first} rounds were wrong")
    print(f"{'not ok' if bad else 'ok'} 1 - options by chance give what they ask for")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
