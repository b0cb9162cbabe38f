# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk of 15 TiB with 100,000 bad areas: what its map costs, in time and in memory."""
import glob
import os
import subprocess

import rigs
from tables import median

AREAS = 100_000
SECTORS = 4096  # bytes between two bad areas


def seconds_to_save(tool, directory, rounds):
    """Of the map alone, on the disk of this directory."""
    with rigs.folder(directory) as work:
        argv = [tool, os.path.join(work, "map"), str(AREAS), str(rounds)]
        done = subprocess.run(argv, stdout=subprocess.PIPE, text=True)
    return median([float(line) for line in done.stdout.split()]) if done.returncode == 0 else None


def write_map(path, size):
    """As ddrescue would: all unreadable but for a little, not yet tried, before each bad area."""
    step = size // AREAS // SECTORS * SECTORS
    with open(path, "w", encoding="ascii") as file:
        file.write("0x00000000     ?               1\n")
        for at in range(0, AREAS * step, step):
            end = size if at + 2 * step > size else at + step
            file.write(f"0x{at:X} 0x{SECTORS:X} ?\n")
            file.write(f"0x{at + SECTORS:X} 0x{end - at - SECTORS:X} -\n")


def resident(bench, clonedeck, directory, size):
    """MiB of a copy that is resumed, from map and digests of its first part, and verified."""
    with rigs.huge_pair("areas", directory, size) as pair, rigs.folder(directory) as work:
        path = os.path.join(work, "copy.map")
        write_map(path, size)
        argv = [clonedeck, "resume", path, "--confirm", pair.destination, "--log-dir", work]
        argv += ["--fill", "leave", "--map-interval", "5"]
        first = [*argv, "-s", pair.source, "-d", pair.destination, "--rate", "20M"]
        subprocess.run(["timeout", "15", *first], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        if not glob.glob(os.path.join(work, "copy.digests")):
            return None
        # Such a copy ends with 4.
        result = bench.run(["sh", "-c", '"$@"; [ $? -eq 4 ]', "sh", *argv, "--rate", "20M"])
        return result["rss"] / 1024 if result else None
