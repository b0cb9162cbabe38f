# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user waits for, and what watching costs: the list of many disks, a key
in the deck while a real copy runs, and the processor time of the panes."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.environ.get("CLONEDECK_BENCH", HERE)
sys.path.insert(0, os.path.join(HERE, "..", "screens"))
from pty_program import Program  # pylint: disable=wrong-import-position

RATE = "40M"  # so slow that the copy outlasts the watching
WATCHED = 10  # seconds
KEYS = "?h" * 50


def list_of_200(work, clonedeck, dump):
    """Seconds of a list of 200 replayed disks; each of its system calls is several here."""
    if not os.path.exists(dump) or not shutil.which("umockdev-run"):
        return None
    results = [os.path.join(work, f"list{number}") for number in range(5)]
    # Setting the replay up takes long: all of them in one.
    script = 'measure=$1 clonedeck=$2; shift 2; for result; do "$measure" "$result" - "$clonedeck" list; done'
    subprocess.run(["umockdev-run", "-d", dump, "--", "sh", "-c", script, "sh",
                    os.path.join(BUILT, "measure"), clonedeck, *results],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    times = []
    for path in results:
        with open(path, encoding="ascii") as file:
            times.append(json.load(file)["wall"])
    return sorted(times)[len(times) // 2]


def processor_seconds(pid):
    """Of all threads, to the nanosecond; those of a process in /proc/PID/stat are ticks."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path, encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def share_of_a_core(pid, meanwhile):
    begin, used = time.monotonic(), processor_seconds(pid)
    meanwhile()
    return (processor_seconds(pid) - used) / (time.monotonic() - begin)


def start_in_the_deck(clonedeck, pair):
    """The deck, copying all of the pair at RATE."""
    folder = os.path.dirname(pair.files[0])
    deck = Program([clonedeck, "--practice", folder], rows=40, cols=120)
    names = [os.path.basename(node) for node in (pair.source, pair.destination)]
    deck.wait(names[1])
    for name, key in zip(names, "sd"):
        deck.type(f"/\x15{name}\r")
        deck.quiet()
        deck.type(key)
    deck.wait("will be copied to")
    deck.type("\rc")
    deck.wait("Nothing has been written")
    deck.quiet()
    for _ in set(re.findall(r"\[ \] (W\d)", deck.output)):
        deck.type(" j")
        deck.quiet()
    deck.type(f"\t{pair.destination}\r")
    deck.wait("elapsed")
    deck.type(f"r\x15{RATE}\r")
    deck.wait("is limited")
    return deck


def in_the_deck(clonedeck, pair):
    """Seconds until each of many keys was answered; share of a core while nobody presses any."""
    deck = start_in_the_deck(clonedeck, pair)
    try:
        def watch():
            end = time.monotonic() + WATCHED
            while time.monotonic() < end:
                deck.read(0.1)

        share = share_of_a_core(deck.pid, watch)
        return [deck.answer(key) for key in KEYS], share
    finally:
        deck.kill()


def without_a_deck(clonedeck, pair):
    """Share of a core of the same copy with nobody looking."""
    with tempfile.TemporaryDirectory() as logs:
        copy = subprocess.Popen(
            [clonedeck, "clone", "-s", pair.source, "-d", pair.destination, "--rate", RATE,
             "--confirm", pair.destination, "--log-dir", logs],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(1)  # its start is not meant
            return share_of_a_core(copy.pid, lambda: time.sleep(WATCHED))
        finally:
            copy.kill()
            copy.wait()
