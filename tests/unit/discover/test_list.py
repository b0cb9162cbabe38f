#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""list and show on replayed machines: text, JSON and its schema, speed.

usage: test_list.py CLONEDECK DUMPS SCHEMAS
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import schema

CLONEDECK, DUMPS, SCHEMAS = sys.argv[1:4]
CPU_LIMIT = 1.5
# umockdev takes time by the square of what one file holds.
DEVICES_OF_A_FILE = 20
# Runs its arguments and says how many seconds of processor time they took.
MEASURE = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:]); "
           "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
           "print(used.ru_utime + used.ru_stime, file=sys.stderr)")


def dumps(machine, folder):
    """Its devices in several files, as options of umockdev-run."""
    with open(os.path.join(DUMPS, machine + ".umockdev"), encoding="utf-8") as file:
        devices = file.read().split("\n\n")
    options = []
    for i in range(0, len(devices), DEVICES_OF_A_FILE):
        options += ["-d", os.path.join(folder, str(i))]
        with open(options[-1], "w", encoding="utf-8") as file:
            file.write("\n\n".join(devices[i:i + DEVICES_OF_A_FILE]) + "\n")
    return options


def run(machine, *arguments, **options):
    with tempfile.TemporaryDirectory() as folder:
        return run_on(dumps(machine, folder), *arguments, **options)


def run_on(machine, *arguments, columns=None, measured=False):
    command = ["umockdev-run", *machine, "--"]
    if measured:
        command += [sys.executable, "-c", MEASURE]
    command += [CLONEDECK, *arguments]
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    if columns:
        # A terminal of that width.
        words = " ".join(command)
        command = ["script", "-qec", f"stty cols {columns}; {words}", "/dev/null"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment, text=True, timeout=250,
                          check=False)


def validated(name, text):
    document = json.loads(text)
    schema.validator(os.path.join(SCHEMAS, name + ".schema.json")).validate(document)
    return document


class List(unittest.TestCase):
    def test_json_of_every_machine(self):
        for machine, disks in ("laptop", 4), ("raw", 2), ("nosg", 3), ("stack", 8), ("stacked", 20):
            with self.subTest(machine):
                result = run(machine, "list", "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                document = validated("list", result.stdout)
                self.assertEqual(len(document["disks"]), disks)

    def test_values(self):
        disks = {disk["node"]: disk for disk in
                 validated("list", run("laptop", "list", "--json").stdout)["disks"]}
        sda = disks["/dev/sda"]
        self.assertEqual(sda["sg"], "/dev/sg0")
        self.assertEqual(sda["hctl"], "2:0:0:0")
        self.assertEqual(sda["size"], 2000398934016)
        self.assertIs(sda["rotational"], True)
        self.assertEqual(sda["zoned"], "none")
        self.assertEqual(sda["partitions"][1]["end"], 1050624 + 2097152 - 1)
        self.assertEqual(sda["partitions"][1]["start_offset"], 1050624 * 512)
        # Unknown is null, never 0 or "".
        reader = disks["/dev/sdc"]
        self.assertIsNone(reader["size"])
        self.assertIsNone(reader["serial"])
        self.assertIsNone(disks["/dev/nvme0n1"]["hctl"])

    def test_all(self):
        nodes = [disk["node"] for disk in
                 validated("list", run("laptop", "list", "--all", "--json").stdout)["disks"]]
        self.assertIn("/dev/dm-1", nodes)

    def test_table_fits_80_columns(self):
        result = run("laptop", "list", columns=80)
        lines = result.stdout.replace("\r", "").splitlines()
        self.assertTrue(lines[0].split()[:4] == ["NODE", "HCTL", "SG", "RAW"], result.stdout)
        self.assertLessEqual(max(map(len, lines)), 80, result.stdout)
        # Serials keep their end, where they differ.
        self.assertIn("..0821103355", result.stdout)

    def test_nothing_is_cut_in_a_pipe(self):
        result = run("laptop", "list")
        self.assertIn("4C530001230821103355", result.stdout)
        self.assertIn("0x5000c500a1b2c3d4", result.stdout)

    def test_missing_drivers_are_told(self):
        result = run("nosg", "list")
        self.assertIn("modprobe sg", result.stdout)
        self.assertNotIn("raw driver", result.stdout)

    def test_what_every_kernel_lacks_is_told_when_asked(self):
        for option in "-v", "--verbose":
            result = run("nosg", "list", option)
            self.assertEqual(result.stdout.count("no raw driver"), 1, result.stdout)
        self.assertNotIn("raw driver", run("nosg", "show", "/dev/sda").stdout)
        self.assertFalse([line for line in json.loads(run("nosg", "list", "--json").stdout)["missing"]
                          if "raw" in line])

    def test_200_disks(self):
        result = run("many", "list", "--json", measured=True)
        disks = validated("list", result.stdout)["disks"]
        self.assertEqual(len(disks), 200)
        self.assertEqual([disk["hctl"] for disk in disks], [f"0:0:{i}:0" for i in range(200)])
        self.assertEqual(disks[27]["node"], "/dev/sdab")
        self.assertTrue(all(disk["sg"] == f"/dev/sg{i}" for i, disk in enumerate(disks)))
        self.assertTrue(all(len(disk["partitions"]) == 1 for disk in disks))
        # The goal is half a second by the clock. Processor time does not depend on who else is
        # busy; umockdev makes several system calls of each.
        self.assertLess(float(result.stderr), CPU_LIMIT)


class Show(unittest.TestCase):
    def test_json(self):
        for name in "/dev/sda", "/dev/sda2", "/dev/sg0", "serial=ZFL1A2B3":
            result = run("laptop", "show", name, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            document = validated("show", result.stdout)
            self.assertEqual(document["disk"]["node"], "/dev/sda")
            regions = document["disk"]["regions"]
            self.assertEqual(regions[0]["start"], 0)
            for before, after in zip(regions, regions[1:]):
                self.assertEqual(before["end"] + 1, after["start"])
            self.assertEqual(regions[-1]["end"] + 1, 2000398934016 // 512)

    def test_text(self):
        result = run("laptop", "show", "/dev/nvme0n1")
        self.assertEqual(result.returncode, 0, result.stderr)
        for part in ("Samsung SSD 980 1TB", "S64DNF0R123456B", "eui.0025385a01b2c3d4",
                     "/dev/ng0n1", "1,000,204,886,016 B", "free space"):
            self.assertIn(part, result.stdout)

    def test_what_cannot_be_shown(self):
        for name, code, part in (("/dev/nope", 2, "no device /dev/nope"),
                                 ("/dev/sg3", 1, "an optical drive"),
                                 ("serial=nope", 2, "No attached disk"),
                                 ("sda", 1, "/dev/sda")):
            result = run("laptop", "show", name)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(part, result.stderr)
            self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
