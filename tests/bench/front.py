# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user waits for, and what watching costs: the list of many disks, a key
in the deck while a real copy runs, the processor time and the bytes of the panes,
and the speed of a copy by how many look at it."""
import glob
import json
import os
import random
import select
import shutil
import signal
import statistics
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
KEYS = "?h" * 25
SETTLED, WINDOW = 0.5, 4  # seconds of a watched copy: before, and while its speed is taken
LOOKING = 3  # terminals


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


def first_screen_of_200(clonedeck, dump):
    """Milliseconds until a deck that is started has drawn a screen, and until it lists its disks."""
    if not os.path.exists(dump) or not shutil.which("umockdev-run"):
        return None
    deck = Program(["umockdev-run", "-d", dump, "--", "sh", "-c",
                    'for i in 1 2 3 4 5; do echo "GO$i"; "$0"; done', clonedeck], rows=40, cols=120)
    drawn, listed = [], []
    try:
        for number in range(1, 6):
            deck.wait(f"GO{number}")
            begin, before = time.monotonic(), len(deck.output)
            deck.wait("1 Disks", before)
            drawn.append(time.monotonic() - begin)
            deck.wait("of 2", before)
            listed.append(time.monotonic() - begin)
            deck.quiet()
            deck.type("q")
    finally:
        deck.kill()
    return statistics.median(drawn) * 1000, statistics.median(listed) * 1000


def start_in_the_deck(clonedeck, pair, logs):
    """The deck, copying all of the pair as fast as it goes."""
    deck = Program([clonedeck, "--log-dir", logs], rows=40, cols=120)
    deck.wait(os.path.basename(pair.destination))
    for node, key in ((pair.source, "s"), (pair.destination, "d")):
        deck.quiet()
        deck.type(f"/\x15{os.path.basename(node)}\r")
        deck.quiet()
        deck.type(key)
    # Whatever else this machine has: these two, or none.
    deck.wait(f"{pair.source} will be copied to {pair.destination}.")
    deck.type("\r")
    deck.wait("Nothing has been written")
    deck.quiet()
    deck.type(f"{pair.destination}\r")
    deck.wait("[4 Run")
    return deck


def in_the_deck(clonedeck, pair, logs):
    """Seconds until each of many keys was answered at full speed; at RATE, share of a core and bytes
    a second to the terminal while nobody presses any."""
    deck = start_in_the_deck(clonedeck, pair, logs)
    try:
        answers = sorted(deck.answer(key) for key in KEYS)
        if "[5 Report" in deck.output:
            raise AssertionError("the copy ended before all keys were pressed")
    finally:
        deck.kill()
    wait_until_free(pair)
    deck = start_in_the_deck(clonedeck, pair, logs)
    try:
        deck.type(f"r\x15{RATE}\r")
        deck.wait("is limited")
        deck.quiet()
        before = len(deck.output)

        def watch():
            end = time.monotonic() + WATCHED
            while time.monotonic() < end:
                deck.read(0.1)

        share = share_of_a_core(deck.deck(), watch)
        return answers, share, len(deck.output[before:].encode()) / WATCHED
    finally:
        deck.kill()
        wait_until_free(pair)


def wait_until_free(pair):
    """A killed copy holds its disks until the kernel has ended it."""
    for node in (pair.source, pair.destination):
        for _ in range(100):
            try:
                os.close(os.open(node, os.O_RDONLY | os.O_EXCL))
                break
            except OSError:
                time.sleep(0.05)


def start_without_a_deck(clonedeck, pair, logs, *options):
    return subprocess.Popen(
        [clonedeck, "clone", "-s", pair.source, "-d", pair.destination, *options,
         "--confirm", pair.destination, "--log-dir", logs],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def without_a_deck(clonedeck, pair):
    """Share of a core of the same copy with nobody looking."""
    with tempfile.TemporaryDirectory() as logs:
        copy = start_without_a_deck(clonedeck, pair, logs, "--rate", RATE)
        try:
            time.sleep(1)  # its start is not meant
            return share_of_a_core(copy.pid, lambda: time.sleep(WATCHED))
        finally:
            copy.kill()
            copy.wait()
            wait_until_free(pair)


def written(pair):
    with open(f"/sys/class/block/{os.path.basename(pair.destination)}/stat", encoding="ascii") as file:
        return int(file.read().split()[6]) * 512


def cost(pair, process, terminals):
    """Seconds that a GiB takes the copy, and seconds of the processor that it takes the process that
    copies, while the terminals are read."""
    def look(seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            masters = [terminal.master for terminal in terminals]
            for master in select.select(masters, [], [], left)[0]:
                os.read(master, 65536)

    look(SETTLED)
    begin, copied, used = time.monotonic(), written(pair), processor_seconds(process)
    look(WINDOW)
    seconds = time.monotonic() - begin
    copied, used = (written(pair) - copied) / (1 << 30), processor_seconds(process) - used
    before = written(pair)
    look(0.1)
    if written(pair) == before:
        raise AssertionError("the copy ended before its speed was taken")
    return seconds / copied, used / copied


def of_a_deck(clonedeck, pair, logs, left=False, looking=0):
    deck = start_in_the_deck(clonedeck, pair, logs)
    process = deck.deck()
    terminals = [Program([clonedeck, "attach", str(process)], rows=40, cols=120) for _ in range(looking)]
    try:
        for terminal in terminals:
            terminal.wait("LOOKING ON")
        if left:
            deck.type("q")
            deck.wait("Esc")
            deck.type("d")
            deck.wait_end()
        return cost(pair, process, [] if left else [deck, *terminals])
    finally:
        os.kill(process, signal.SIGKILL)
        for terminal in terminals:
            terminal.kill()
        deck.hang_up()
        wait_until_free(pair)


def of_a_command(clonedeck, pair, logs, looking):
    copy = start_without_a_deck(clonedeck, pair, logs)
    while not os.path.exists(f"/run/clonedeck/{copy.pid}.job"):
        time.sleep(0.01)
    terminals = [Program([clonedeck, "attach", str(copy.pid)], rows=40, cols=120)
                 for _ in range(looking)]
    try:
        for terminal in terminals:
            terminal.wait("It has no deck")
        return cost(pair, copy.pid, terminals)
    finally:
        copy.kill()
        copy.wait()
        for terminal in terminals:
            terminal.kill()
        wait_until_free(pair)


def watched(clonedeck, pair, rounds):
    """The ways to watch a copy, and what a GiB of it cost in each, round after round. The pair should be
    of disks that are slower than the processor: how fast that is differs from second to second by more
    than a deck costs."""
    ways = {
        "no deck": lambda logs: of_a_command(clonedeck, pair, logs, 0),
        "three terminals attached": lambda logs: of_a_command(clonedeck, pair, logs, LOOKING),
        "in the deck": lambda logs: of_a_deck(clonedeck, pair, logs),
        "in the deck, two more look on": lambda logs: of_a_deck(clonedeck, pair, logs, looking=LOOKING - 1),
        "left by its deck": lambda logs: of_a_deck(clonedeck, pair, logs, left=True),
    }
    costs = {name: [] for name in ways}
    for _ in range(rounds):
        for name in random.sample(list(ways), len(ways)):
            with tempfile.TemporaryDirectory() as logs:
                costs[name].append(ways[name](logs))
    return costs
