#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What interrupts the deck: signals, a terminal that goes away, disks that go or hang. On
pretended machines."""

import os
import signal
import time

from behave import FAKEDECK, copying, cpu_seconds, start
from drive import PATIENCE, Terminal, run
from pty_program import Program
from saved import RANGES, RUN


def ctrl_c_asks_and_asks_no_more():
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        terminal.keys("C-c")
        terminal.wait("Stop the copy?")
        terminal.keys("Enter")
        terminal.wait("The copy goes on.")
        terminal.keys("q")
        terminal.wait("Stop the copy?")
        terminal.keys("Escape")
        terminal.wait("The copy goes on.")
        terminal.keys("C-c", "C-c")
        terminal.wait("The exit code will be 6")
        terminal.keys("q")
        screen = terminal.wait("EXIT 6")
        assert "LBA 1602117632" in screen and "RESULT" not in screen.split("EXIT")[1], screen


def what_is_typed_behind_ctrl_c_answers_it():
    """However late the deck gets to see both."""
    program = copying()
    os.kill(program.pid, signal.SIGSTOP)
    program.type("\x03")
    program.type("s")
    os.kill(program.pid, signal.SIGCONT)
    program.wait("exit code")
    program.type("q")
    assert program.end()[1] == 6


def sigterm_stops_without_asking():
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        os.kill(terminal.child("fakedeck"), signal.SIGTERM)
        terminal.wait("EXIT 6")
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal)
        os.kill(terminal.child("fakedeck"), signal.SIGTERM)
        terminal.wait("EXIT 0")


def ctrl_z():
    script = f"set -m; {FAKEDECK} rescue; echo STOPPED; read answer; fg; echo ENDED $?"
    program = Program(["sh", "-c", script], term="xterm-256color")
    program.wait("Choose a source")
    program.suspend()
    program.wait("STOPPED")
    assert "\x1b[?1049l" in program.output
    mark = len(program.output)
    program.type("\n")
    program.wait("Choose a source", mark)
    program.type("sd\r")
    program.wait("Nothing has been written")
    program.type("\x1b")
    program.wait("Letters are commands")
    program.type("q")
    program.wait("ENDED 0")
    program.end()
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        terminal.keys("C-z")
        terminal.wait("Ctrl-Z does nothing now")


def ctrl_z_without_a_shell():
    """In an orphaned process group nobody could let a stopped deck go on: it is not stopped."""
    program = Program([FAKEDECK, "rescue"], term="xterm-256color")
    program.wait("Choose a source")
    program.quiet()
    mark = len(program.output)
    program.type("\x1a")
    program.wait("Choose a source", mark)
    mark = len(program.output)
    program.type("?")
    program.wait("Help for screen 1", mark)
    program.type("\x1bq")
    assert program.end()[1] == 0


def lost_terminal():
    """Without a copy the deck ends; with one it goes on without a screen, and sleeps."""
    program = Program([FAKEDECK, "rescue"], term="xterm-256color")
    program.wait("Choose a source")
    program.hang_up()
    assert program.wait_end() == 2
    program = copying()
    program.hang_up()
    end, used = time.monotonic() + PATIENCE, 1
    while used >= 0.05:
        assert time.monotonic() < end, "it does not sleep"
        before = cpu_seconds(program.pid)
        time.sleep(1.5)
        used = cpu_seconds(program.pid) - before
    os.kill(program.pid, signal.SIGTERM)
    assert program.wait_end() == 6


def hang_up_by_hand():
    """kill -HUP on a terminal that is still there: it can be used at once, while the copy goes
    on, and Ctrl-C still stops that."""
    program = Program([FAKEDECK, "rescue"], term="xterm-256color")
    program.wait("Choose a source")
    os.kill(program.pid, signal.SIGHUP)
    text, code = program.end()
    assert code == 2 and "\x1b[?1049l" in text, (code, text[-200:])
    assert program.last_modes == program.first_modes
    program = copying()
    os.kill(program.pid, signal.SIGHUP)
    program.wait("The copy goes on without its screen")
    assert program.modes() == program.first_modes
    assert "\x1b[?1049l" in program.output
    program.type("\x03")
    text, code = program.end()
    assert code == 6 and "LBA 1602117632" in text, (code, text[-400:])


def hang_up_stops_where_that_was_asked_for():
    """--on-hangup=stop: the copy ends, and can be resumed."""
    program = copying("--stop-on-hangup", "rescue")
    program.hang_up()
    assert program.wait_end() == 6
    program = copying("--stop-on-hangup", "rescue")
    os.kill(program.pid, signal.SIGHUP)
    text, code = program.end()
    assert code == 6 and "as --on-hangup says" in text, (code, text[-400:])


def hanging_file_systems_hinder_nobody():
    """A plan that is never checked: the deck answers, another choice can be made, and it ends."""
    with Terminal(f"{FAKEDECK} --stuck rescue") as terminal:
        start(terminal, RANGES)
        terminal.keys("c")
        terminal.wait("Looking at mounts")
        terminal.keys("?")
        terminal.wait("Help for screen 2")
        terminal.keys("q", "3")
        terminal.wait("3 Plan comes after")
        terminal.keys("1", "G", "k", "k", "s")
        terminal.wait("sdd and sdc are the same model")
        terminal.keys("q")
        terminal.wait("EXIT 0")
    with Terminal(f"{FAKEDECK} --stuck rescue") as terminal:
        start(terminal, RANGES)
        terminal.keys("c")
        terminal.wait("Looking at mounts")
        terminal.keys("q")
        screen = terminal.wait("EXIT 0")
        assert "does not answer" in screen, screen


def hang_up_in_the_background():
    """The terminal is the shell's then: it is left as it is."""
    script = f"set -m; {FAKEDECK} rescue; bg; stty -icrnl; kill -HUP %1; wait; echo ENDED; stty -a"
    program = Program(["sh", "-c", script], term="xterm-256color")
    program.wait("Choose a source")
    program.suspend()
    program.wait("ENDED")
    assert "-icrnl" in program.end()[0]


def disk_that_goes_and_comes_back():
    """What is gone is said, another disk in its place is named, and nothing has to be pressed."""
    with Terminal(f"{FAKEDECK} --vanish rescue") as terminal:
        start(terminal, RUN)
        screen = terminal.wait("A disk is gone")
        assert "DISK GONE" in screen and "ZFL1A2B3" in screen.replace("\n", ""), screen
        terminal.keys("Escape", "1")
        terminal.wait("NODE")
        terminal.keys("r")
        terminal.wait("not touched")
        terminal.keys("Escape", "r")
        screen = terminal.wait("The copy goes on where it ended")
        assert "COPY RUNNING" in screen, screen
        terminal.keys("C-c", "s")
        terminal.wait("The exit code will be 6")
    with Terminal(f"{FAKEDECK} --vanish rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("A disk is gone")
        terminal.keys("g")
        terminal.wait("not there yet")
        terminal.keys("C-c", "s")
        terminal.wait("The exit code will be")
        terminal.keys("q")
        terminal.wait("EXIT")


def hanging_disk_is_left_after_a_second_question():
    """Stopping may take for ever; whoever asked for it twice gets the terminal back."""
    with Terminal(f"{FAKEDECK} --hang rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        terminal.keys("C-c", "s")
        terminal.wait("STOPPING")
        terminal.keys("q")
        terminal.wait("Still stopping")
        terminal.keys("Escape")
        terminal.settled()
        terminal.keys("C-c")
        terminal.wait("Still stopping")
        terminal.keys("l")
        assert "Resume continues" in terminal.wait("EXIT 6").replace("\n", "")


def hanging_disk_is_left_without_a_terminal():
    """Nobody can be asked: a second signal, some seconds later, means it."""
    program = copying("--hang", "rescue")
    program.hang_up()
    os.kill(program.pid, signal.SIGTERM)
    time.sleep(6)
    os.kill(program.pid, signal.SIGTERM)
    assert program.wait_end() == 6


def paused_copy_without_a_terminal_stops():
    """Nobody could let it go on; it can be resumed."""
    program = copying()
    program.type("p")
    program.wait("PAUSED")
    program.hang_up()
    assert program.wait_end() == 6


CASES = [
    ctrl_c_asks_and_asks_no_more, what_is_typed_behind_ctrl_c_answers_it,
    sigterm_stops_without_asking, ctrl_z, ctrl_z_without_a_shell, lost_terminal, hang_up_by_hand,
    hang_up_stops_where_that_was_asked_for, hanging_file_systems_hinder_nobody,
    hang_up_in_the_background, disk_that_goes_and_comes_back,
    hanging_disk_is_left_after_a_second_question, hanging_disk_is_left_without_a_terminal,
    paused_copy_without_a_terminal_stops,
]

if __name__ == "__main__":
    run(CASES, 2)
