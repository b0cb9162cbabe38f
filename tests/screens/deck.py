#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole way through the real deck on practice disks: loop devices over files
that the test makes. Needs root and loop devices."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from drive import PATIENCE, Terminal, run, undecorated

CLONEDECK = os.environ["CLONEDECK"]
MIB = 1 << 20
SOURCE, DESTINATION = 64 * MIB, 96 * MIB


class Skip(Exception):
    pass


def command(*arguments, **options):
    return subprocess.run(arguments, check=True, capture_output=True, text=True, timeout=PATIENCE,
                          **options).stdout.strip()


def records():
    """Logs, maps and reports: the deck of root keeps them where they belong."""
    return set(pathlib.Path("/var/log/clonedeck").glob("*.*"))


@contextlib.contextmanager
def practice_disks(first="source"):
    """A folder with a source that holds partitions and random bytes, and a larger destination."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    with tempfile.TemporaryDirectory(prefix="clonedeck-deck.") as folder:
        loops = []
        logs = records()
        try:
            for name, size in ((first, SOURCE), ("destination", DESTINATION)):
                with open(f"{folder}/{name}.img", "wb") as file:
                    file.write(os.urandom(SOURCE) if name == first else b"\xa5" * size)
            command("sfdisk", "-q", f"{folder}/{first}.img",
                    input="label: gpt\n2048,16384,U\n,65536,L\n,,L\n")
            for name in (first, "destination"):
                try:
                    loops.append(command("losetup", "-f", "--show", f"{folder}/{name}.img"))
                except (subprocess.CalledProcessError, FileNotFoundError) as error:
                    raise Skip("no loop devices") from error
            command("udevadm", "settle", "-t", "10")
            yield folder, *loops
        finally:
            for loop in loops:
                subprocess.run(["losetup", "-d", loop], check=False)
            for path in records() - logs:
                # What others copy at the same time is theirs.
                if any(loop in path.read_text("utf-8", "replace") for loop in loops):
                    path.unlink()


def digest(path, start, size):
    with open(path, "rb") as file:
        file.seek(start)
        return hashlib.sha256(file.read(size)).hexdigest()


def at_cursor(screen):
    """The name in the line with the cursor."""
    rows = [line[3:].split() for line in screen.split("\n") if line[2:3] == ">"]
    return rows[0][0] if rows and rows[0] else ""


def cursor_to(terminal, node):
    terminal.keys("g", "?")
    # What was pressed before has been seen to.
    terminal.wait("Help for screen")
    terminal.keys("Escape")
    name = at_cursor(terminal.wait_gone("Help for screen"))
    while name != os.path.basename(node):
        terminal.keys("Down")
        name = at_cursor(terminal.until(lambda screen, old=name: at_cursor(screen) != old,
                                        f"{node} is not in the list"))


def choose(terminal, source, destination):
    for loop, key in ((source, "s"), (destination, "d")):
        cursor_to(terminal, loop)
        terminal.keys(key)
    terminal.wait(f"{source} will be copied to {destination}")


def choose_first(terminal, source, destination):
    """Source and destination, on the first screen."""
    terminal.wait(os.path.basename(destination))
    terminal.settled()
    choose(terminal, source, destination)


def confirm(terminal, destination, key="Enter"):
    """Goes on to the plan, types the token, starts."""
    screen = terminal.keys(key, shows="Nothing has been written yet")
    assert "  note " in screen and f" ERASE   {os.path.basename(destination)} " in screen, screen
    assert f"the full path of the destination, {destination}" in screen, screen
    terminal.keys(destination, "Enter")


def deck(folder, cols=80, rows=24, term="xterm-256color"):
    return Terminal(f"{CLONEDECK} --practice {folder}", cols, rows, term)


def whole_way(cols, rows, term):
    with practice_disks() as (folder, source, destination):
        before = digest(f"{folder}/source.img", 0, SOURCE)
        behind = digest(f"{folder}/destination.img", SOURCE, DESTINATION - SOURCE)
        with deck(folder, cols, rows, term) as terminal:
            screen = terminal.wait("NODE")
            assert "PRACTICE" in screen
            choose_first(terminal, source, destination)
            confirm(terminal, destination)
            terminal.wait("The exit code will be 0")
            assert "COMPLETE" in terminal.screen()
            screen = terminal.keys("c", shows="SHA-256 of the certificate")
            certificate = next(pathlib.Path(folder).glob("*.html"))
            digits = hashlib.sha256(certificate.read_bytes()).hexdigest()
            assert digits[:32] in screen and digits[32:] in screen, screen
            screen = terminal.keys("Escape", "v", shows="VERIFIED again")
            assert f"{SOURCE:,} B" in screen and "[5 Report]" in screen, screen
            screen = terminal.keys("Escape", "q", shows="EXIT 0")
        assert digest(f"{folder}/source.img", 0, SOURCE) == before
        assert digest(f"{folder}/destination.img", 0, SOURCE) == before
        assert digest(f"{folder}/destination.img", SOURCE, DESTINATION - SOURCE) == behind


def whole_disk_80x24():
    whole_way(80, 24, "vt100")


def whole_disk_120x40():
    whole_way(120, 40, "xterm-256color")


def last_words_on_a_terminal_that_is_not_utf8():
    """There, half of a letter in a name could begin a control sequence."""
    with practice_disks("\u00db31m") as (folder, source, destination):
        with Terminal(f"{CLONEDECK} --practice {folder}", 120, 90, lang="C") as terminal:
            choose_first(terminal, source, destination)
            confirm(terminal, destination)
            terminal.wait("The exit code will be 0")
            screen = terminal.keys("q", shows="EXIT 0")
            assert "31m.img" in screen and "\u00db" not in screen, screen


def one_partition_by_ticks():
    """Nothing around the ticked partition is written."""
    with practice_disks() as (folder, source, destination):
        start, size = 2048 * 512, 16384 * 512
        wanted = digest(f"{folder}/source.img", start, size)
        behind = digest(f"{folder}/destination.img", start + size, DESTINATION - start - size)
        ahead = digest(f"{folder}/destination.img", 0, start)
        with deck(folder) as terminal:
            choose_first(terminal, source, destination)
            terminal.keys("2", shows="Free-form range")
            terminal.keys("n", "e", "C-u", "@1", "Enter", shows="1 extent, 16,384 sectors")
            confirm(terminal, destination, "c")
            terminal.wait("The exit code will be 0")
            terminal.keys("q", shows="EXIT 0")
        assert digest(f"{folder}/destination.img", start, size) == wanted
        assert digest(f"{folder}/destination.img", 0, start) == ahead
        assert digest(f"{folder}/destination.img", start + size,
                      DESTINATION - start - size) == behind


def copy_survives_its_terminal():
    """The terminal is closed while the copy runs: it is completed all the same."""
    with practice_disks() as (folder, source, destination):
        before = digest(f"{folder}/source.img", 0, SOURCE)
        with deck(folder) as terminal:
            choose_first(terminal, source, destination)
            pid = terminal.child("clonedeck")
            confirm(terminal, destination)
            terminal.wait_match(r"elapsed|\[5 Report\]")
            terminal.hang_up()
            try:
                end = time.monotonic() + PATIENCE
                while os.path.exists(f"/proc/{pid}"):
                    assert time.monotonic() < end, "the deck did not end"
                    time.sleep(0.1)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        assert digest(f"{folder}/destination.img", 0, SOURCE) == before


def into_a_new_image_and_back():
    """A disk into a file that is made, and that file onto the other disk."""
    with practice_disks() as (folder, source, destination):
        before = digest(f"{folder}/source.img", 0, SOURCE)
        image = f"{folder}/made/copy.img"
        os.mkdir(f"{folder}/made")
        with deck(folder) as terminal:
            terminal.wait(os.path.basename(destination))
            terminal.settled()
            terminal.keys("f", image, "Enter", "d", shows="to be created")
            terminal.wait("This file is made when the copy starts.")
            cursor_to(terminal, source)
            terminal.keys("s", shows=f"{source} will be copied to")
            terminal.keys("Enter", shows="Nothing has been written yet")
            # An image has no layout of its own, and shares no IDs that could be confused.
            terminal.wait("Esc, then: o=options")
            terminal.keys("copy.img", "Enter", shows="The exit code will be 0")
            assert digest(image, 0, SOURCE) == before
            assert os.path.getsize(image) == SOURCE
            # The same deck goes on: the image becomes the source.
            terminal.keys("1", shows="NODE")
            terminal.keys("G", "Escape", shows="Now choose the destination")
            screen = terminal.keys("f", image, "Enter", "s", shows="Source is")
            # Its pane says what it holds.
            assert f"{SOURCE:,} B  gpt, 3 partitions: EFI System" in screen, screen
            cursor_to(terminal, destination)
            terminal.keys("d", shows=f"copy.img will be copied to {destination}")
            confirm(terminal, destination)
            terminal.wait("The exit code will be 0")
            terminal.keys("q", shows="EXIT 0")
        assert digest(f"{folder}/destination.img", 0, SOURCE) == before


def stopped_copy(folder, source, destination):
    """A copy that was stopped without a deck; its map."""
    with subprocess.Popen([CLONEDECK, "clone", "-s", source, "-d", destination, "--confirm",
                           destination, "--rate", "8M", "--log-dir", folder],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as copy:
        end = time.monotonic() + PATIENCE
        while not list(pathlib.Path(folder).glob("*.map")):
            assert time.monotonic() < end and copy.poll() is None, "it did not begin"
            time.sleep(0.1)
        copy.send_signal(signal.SIGINT)
        assert copy.wait(PATIENCE) == 6
    return str(next(pathlib.Path(folder).glob("*.map")))


def goes_on_from_a_map():
    """After a power cut there is only the map: the deck takes it. What is typed wrong stays."""
    with practice_disks() as (folder, source, destination):
        before = digest(f"{folder}/source.img", 0, SOURCE)
        path = stopped_copy(folder, source, destination)
        with deck(folder) as terminal:
            terminal.wait(os.path.basename(destination))
            terminal.settled()
            screen = terminal.wait("UNFINISHED")
            assert "c continues" in screen and "c=continue" in screen, screen
            screen = terminal.keys("f", shows="was not finished")
            assert f"[{path}" in screen, screen
            screen = terminal.keys("C-u", "/nonexistent/x", "Enter", "s", shows="one that does not exist")
            assert "[/nonexistent/x" in screen, screen
            terminal.keys("C-u", path, "Enter", shows="goes on from its map")
            terminal.keys("Escape", "o", shows="keeps its options")
            terminal.keys("Tab", destination, "Enter")
            terminal.wait_match(r"elapsed|\[5 Report\]")
            if "[4 Run]" in terminal.screen():
                terminal.keys("r", "C-u", "none", "Enter")
            terminal.wait("The exit code will be 0")
            screen = terminal.keys("s", "/nonexistent/x", "Enter", shows="could not be saved")
            assert "[/nonexistent/x" in screen, screen
            terminal.keys("Escape", "q")
            # The report is longer than the screen: what came of it stands at its end.
            screen = terminal.wait("EXIT 0")
            assert "RESULT   COMPLETE" in screen, screen
        assert digest(f"{folder}/destination.img", 0, SOURCE) == before


def compares_what_another_tool_copied():
    """v on Plan: both are only read, and nothing is confirmed. A byte that differs is found, and
    stays as it is; so does the rest of the larger destination."""
    with practice_disks() as (folder, source, destination):
        command("dd", f"if={source}", f"of={destination}", "bs=1M", "conv=fsync")
        logs = records()
        with deck(folder) as terminal:
            terminal.wait(os.path.basename(destination))
            terminal.settled()
            choose(terminal, source, destination)
            terminal.keys("Enter", shows="Nothing has been written yet")
            screen = terminal.keys("Escape", "v", shows="The exit code will be 0")
            assert "RESULT   VERIFIED" in screen and "nothing was written" in screen, screen
            with open(destination, "r+b", buffering=0) as disk:
                disk.seek(20 * MIB + 17)
                byte = disk.read(1)[0] ^ 1
                disk.seek(20 * MIB + 17)
                disk.write(bytes([byte]))
                os.fsync(disk.fileno())
            spoilt = digest(f"{folder}/destination.img", 0, DESTINATION)
            # v again, on Report; a plan that was compared cannot be started any more.
            screen = terminal.keys("v", shows="The exit code will be 5")
            assert "RESULT   MISMATCH" in screen and "LBA 40960 +1" in screen, screen
            terminal.keys("3", shows="To copy, press Enter on 1")
            screen = terminal.keys("Tab", "Enter", "q", shows="EXIT 5")
            assert "RESULT   MISMATCH" in screen, screen
        assert digest(f"{folder}/destination.img", 0, DESTINATION) == spoilt
        # What others copy at the same time is theirs.
        assert not any(destination in path.read_text("utf-8", "replace")
                       for path in records() - logs), "a copy was logged"


def measures_between_the_chosen_disks():
    """bench copy onto the destination: only when its name was typed, and only as much as was said."""
    with practice_disks() as (folder, source, destination):
        before = digest(f"{folder}/source.img", 0, SOURCE)
        behind = digest(f"{folder}/destination.img", SOURCE, DESTINATION - SOURCE)
        empty = digest(f"{folder}/destination.img", 0, DESTINATION)
        with deck(folder) as terminal:
            choose_first(terminal, source, destination)
            terminal.keys("b", shows="Enter asks which of these")
            for refused in (["Escape"], ["wrong", "Enter", "Escape"]):
                terminal.keys("Enter", shows="What is to be measured?")
                terminal.keys("c", shows="Between which disks?")
                screen = terminal.keys("o", shows="To start, type")
                assert f"the first 64 MiB of {destination}" in " ".join(undecorated(screen).split()), screen
                terminal.keys(*refused, shows="nothing was written")
                terminal.wait_gone("To start, type")
            assert digest(f"{folder}/destination.img", 0, DESTINATION) == empty
            terminal.keys("Enter", shows="What is to be measured?")
            terminal.keys("c", shows="Between which disks?")
            terminal.keys("o", shows="To start, type")
            terminal.keys(destination, "Enter", shows="whose start is overwritten")
            terminal.wait("Measured.")
            terminal.keys("q", shows="EXIT 0")
        assert digest(f"{folder}/source.img", 0, SOURCE) == before
        assert digest(f"{folder}/destination.img", 0, SOURCE) == before
        assert digest(f"{folder}/destination.img", SOURCE, DESTINATION - SOURCE) == behind


def hot_plug():
    """A disk that comes is listed, one that goes is not, the cursor stays."""
    with practice_disks() as (folder, source, destination):
        with deck(folder) as terminal:
            terminal.wait(os.path.basename(destination))
            terminal.settled()
            terminal.keys("G")
            with open(f"{folder}/third.img", "wb") as file:
                file.truncate(8 * MIB)
            third = command("losetup", "-f", "--show", f"{folder}/third.img")
            try:
                terminal.wait(f" {os.path.basename(third)} ")
            finally:
                command("losetup", "-d", third)
            screen = terminal.until(
                lambda screen: f" {os.path.basename(third)} " not in screen.split("USE:")[0],
                "a disk that is gone stayed")
            assert at_cursor(screen) == os.path.basename(destination), screen


def another_size_is_no_absence():
    """A disk that becomes smaller or larger while its plan is shown is still there, and has to be chosen again."""
    with practice_disks() as (folder, source, destination):
        with deck(folder) as terminal:
            choose_first(terminal, source, destination)
            terminal.keys("Enter")
            terminal.wait("Nothing has been written yet")
            os.truncate(f"{folder}/destination.img", DESTINATION - 16 * MIB)
            command("losetup", "-c", destination)
            terminal.wait(f"{destination} has another size now, 83.9M")
            before = digest(f"{folder}/destination.img", 0, DESTINATION)
            terminal.keys(destination, "Enter", "Escape")
            terminal.wait(f"{source} ")
            assert digest(f"{folder}/destination.img", 0, DESTINATION) == before
            terminal.keys("q")
            terminal.wait("EXIT 0")


def what_was_written_meanwhile_is_lost_too():
    """Also where no udevd tells of it: another deck, or another program, may have filled the disk."""
    with practice_disks() as (folder, source, destination):
        with deck(folder) as terminal:
            choose_first(terminal, source, destination)
            command("sfdisk", "-q", "--no-reread", destination, input="label: gpt\n,,L\n")
            terminal.keys("Enter", shows="LOST    1 partition")
            terminal.keys("Escape", "q", shows="EXIT 0")


def table_of(path):
    """Start and sectors of the partitions, by their numbers."""
    table = json.loads(command("sfdisk", "-J", path))["partitiontable"]["partitions"]
    return {int(re.search(r"\d+$", part["node"])[0]): (part["start"], part["size"]) for part in table}


def laid_out_by_hand():
    """The layout editor, from Ranges: what is taken there is what the disk has in the end."""
    with practice_disks() as (folder, source, destination):
        before = table_of(f"{folder}/source.img")
        start, size = before[3][0] * 512, before[3][1] * 512
        wanted = digest(f"{folder}/source.img", start, size)
        # Boot code that is not known may find the partitions by their places.
        with open(source, "r+b") as disk:
            disk.write(bytes(440))
        with deck(folder) as terminal:
            choose_first(terminal, source, destination)
            terminal.keys("2", shows="Free-form range")
            terminal.keys("l")
            terminal.wait_match(r"> +2 .*grows 33.6M")
            terminal.keys("Escape", shows="Free-form range")
            terminal.keys("l", shows="LAYOUT")
            # Nothing, then the second partition 8 MiB on, then the rest of the room to the third.
            terminal.keys("r", "Left", "Left", "Right", ">", "e", "C-u", "@17MiB", "Enter", "Right", "f", "f", "f", "Enter")
            terminal.wait("TABLE   made to fit")
            terminal.keys(destination, "Enter", shows="The exit code will be 0")
            terminal.keys("q", shows="EXIT 0")
        after = table_of(f"{folder}/destination.img")
        assert after[1] == before[1] and after[2] == (17 * 2048, before[2][1]), after
        assert after[3][0] == 49 * 2048 and sum(after[3]) > 190000, after
        assert digest(f"{folder}/destination.img", after[3][0] * 512, size) == wanted
        command("sfdisk", "--verify", f"{folder}/destination.img")


def shrunk_in_an_image():
    """To a disk that is too small for the partition as it is: what is used goes into an image, is
    shrunk there, and copied from it."""
    with practice_disks() as (folder, small, large):
        os.makedirs(f"{folder}/files")
        pathlib.Path(f"{folder}/files/photo").write_bytes(os.urandom(5 * MIB))
        command("sfdisk", "-q", f"{folder}/destination.img", input="label: gpt\n2048,184320,L\n")
        command("mkfs.ext4", "-q", "-F", "-E", "offset=1048576", "-d", f"{folder}/files",
                f"{folder}/destination.img", "90M")
        before = digest(f"{folder}/destination.img", 0, DESTINATION)
        with deck(folder) as terminal:
            terminal.wait(os.path.basename(large))
            terminal.settled()
            for loop, key in ((large, "s"), (small, "d")):
                cursor_to(terminal, loop)
                terminal.keys(key)
            terminal.wait("is smaller than")
            terminal.keys("Enter", shows="STOP")
            screen = terminal.keys("s", shows="Shrink in an image")
            assert "Partition 1 (ext4) has to be shrunk to" in screen, screen
            # One that is there is not overwritten.
            terminal.keys(f"{folder}/source.img", "Enter", shows="name a new file")
            terminal.keys("s", shows="Shrink in an image")
            screen = terminal.keys(f"{folder}/shrunk.img", "Enter", shows="TO START")
            assert "Step 1 of 2" in screen and "shrunk.img" in screen, screen
            screen = terminal.keys("shrunk.img", "Enter", shows="Step 2 of 2")
            assert "TABLE   made to fit" in screen, screen
            terminal.keys(small, "Enter", shows="The exit code will be 0")
            terminal.keys("q", shows="EXIT 0")
        assert digest(f"{folder}/destination.img", 0, DESTINATION) == before
        start, size = table_of(f"{folder}/source.img")[1]
        with open(f"{folder}/source.img", "rb") as disk, open(f"{folder}/fs", "wb") as fs:
            disk.seek(start * 512)
            fs.write(disk.read(size * 512))
        command("e2fsck", "-fn", f"{folder}/fs")
        command("debugfs", "-R", f"dump /photo {folder}/photo", f"{folder}/fs")
        assert pathlib.Path(f"{folder}/photo").read_bytes() == pathlib.Path(f"{folder}/files/photo").read_bytes()


def typed_before_the_disks_are_listed():
    """Whoever knows the deck types ahead: no key is lost, and none meets another row."""
    with practice_disks() as (folder, source, destination):
        with deck(folder) as terminal:
            terminal.tmux("send-keys", "s", "d", "Enter")
            screen = terminal.wait("TO START")
            # In the order of the list.
            first, second = sorted((source, destination), key=lambda node: int(re.search(r"\d+$", node)[0]))
            assert f"SOURCE  {os.path.basename(first)} " in screen, screen
            assert f"ERASE   {os.path.basename(second)} " in screen, screen
            terminal.keys("Escape", "q", shows="EXIT")


def starts_while_disks_come_and_go():
    """Events of the destination, as udev makes them when it looks at a disk again, have the plan
    checked once more: an Enter in that moment starts when that is done."""
    with practice_disks() as (folder, source, destination):
        with deck(folder) as terminal:
            choose_first(terminal, source, destination)
            terminal.keys("Enter", shows="Nothing has been written yet")
            terminal.keys(destination)
            event = pathlib.Path(f"/sys/class/block/{os.path.basename(destination)}/uevent")
            for _ in range(20):
                event.write_text("change", encoding="ascii")
            terminal.keys("Enter", shows="The exit code will be 0")
            terminal.keys("q", shows="EXIT 0")


def skipping(case):
    def body():
        try:
            return case()
        except Skip as reason:
            return str(reason)

    body.__name__ = case.__name__
    return body


CASES = [whole_disk_80x24, whole_disk_120x40, last_words_on_a_terminal_that_is_not_utf8, one_partition_by_ticks, copy_survives_its_terminal,
         into_a_new_image_and_back, goes_on_from_a_map, compares_what_another_tool_copied, hot_plug,
         another_size_is_no_absence, what_was_written_meanwhile_is_lost_too,
         measures_between_the_chosen_disks,
         laid_out_by_hand, shrunk_in_an_image, typed_before_the_disks_are_listed, starts_while_disks_come_and_go]

if __name__ == "__main__":
    # One at a time: each would see the others' loop devices come and go.
    run([skipping(case) for case in CASES], 1)
