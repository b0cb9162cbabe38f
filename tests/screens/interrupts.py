#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What interrupts the deck: signals, a terminal that goes away, disks that go or hang. On
pretended machines."""

import contextlib
import fcntl
import os
import re
import signal
import socket
import tempfile
import time

from behave import FAKEDECK, copying, cpu_seconds, start, to_run
from drive import PATIENCE, Terminal, below, kill, locales, run
from pty_program import Program
from saved import RANGES, RUN, STOPPED


def ctrl_c_asks_and_asks_no_more():
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        terminal.keys("C-c", shows="Stop the copy?")
        terminal.keys("Enter", shows="The copy goes on.")
        terminal.keys("q", shows="Stop the copy?")
        terminal.keys("Escape", shows="The copy goes on.")
        terminal.keys("C-c", "C-c", shows="The exit code will be 6")
        screen = terminal.keys("q", shows="EXIT 6")
        assert "LBA 1602117632" in screen and "RESULT" not in screen.split("EXIT")[1], screen


def what_is_typed_behind_ctrl_c_answers_it():
    """However late the deck gets to see both."""
    program = copying()
    deck = program.deck()
    os.kill(deck, signal.SIGSTOP)
    program.type("\x03")
    program.type("s")
    os.kill(deck, signal.SIGCONT)
    program.wait("exit code")
    program.type("q")
    assert program.end()[1] == 6


def sigterm_stops_without_asking():
    """So does what else would end it: a power supply that fails, a limit of processor time. SIGUSR2
    is for the map."""
    for to_client, number in ((True, signal.SIGTERM), (False, signal.SIGPWR), (False, signal.SIGXCPU)):
        with Terminal(f"{FAKEDECK} rescue") as terminal:
            start(terminal, RUN)
            terminal.wait("elapsed")
            pid = terminal.child("fakedeck") if to_client else terminal.deck("fakedeck")
            os.kill(pid, signal.SIGUSR2)
            terminal.wait("is kept as")
            os.kill(pid, number)
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
    program.type("\n", shows="Choose a source")
    program.type("sd\r", shows="Nothing has been written")
    program.type("\x1b", shows="Letters are commands")
    program.type("q", shows="ENDED 0")
    program.end()


def ctrl_z_while_it_copies():
    """The shell has the terminal, and the copy goes on; bg brings no deck to a terminal that is
    the shell's."""
    script = (f"set -m; {FAKEDECK} --moving rescue; echo STOPPED; read answer; bg; sleep 1; "
              "echo HERE; read answer; fg; echo ENDED $?")
    program = Program(["sh", "-c", script], term="xterm-256color")
    program.wait("Choose a source")
    to_run(program)
    deck = below(below(program.pid)[0])[0]
    program.suspend()
    program.wait("STOPPED")
    assert "The copy goes on; 'fg'" in program.output
    program.quiet()
    program.type("\n", shows="HERE")
    program.quiet()
    assert "elapsed" not in program.output[program.output.rindex("STOPPED"):]
    program.type("\n")
    mark = len(program.output)
    program.wait("elapsed", mark)
    assert below(below(program.pid)[0]) == [deck]
    program.type("\x03\x03", shows="exit code")
    program.type("q", shows="ENDED 6")
    program.end()


def ctrl_z_without_a_shell():
    """In an orphaned process group nobody could let a stopped deck go on: it is not stopped."""
    program = Program([FAKEDECK, "rescue"], term="xterm-256color")
    program.wait("Choose a source")
    program.quiet()
    program.type("\x1a", shows="Choose a source")
    program.type("?", shows="Help for screen 1")
    program.type("\x1bq")
    assert program.end()[1] == 0


def lost_terminal():
    """Without a copy the deck ends; with one it goes on without a screen, and sleeps."""
    program = Program([FAKEDECK, "rescue"], term="xterm-256color")
    program.wait("Choose a source")
    program.hang_up()
    assert program.wait_end() == 2
    program = copying()
    deck = program.deck()
    program.hang_up()
    end, used = time.monotonic() + PATIENCE, 1
    while used >= 0.05:
        assert time.monotonic() < end, "it does not sleep"
        before = cpu_seconds(deck)
        time.sleep(1.5)
        used = cpu_seconds(deck) - before
    os.kill(program.pid, signal.SIGTERM)
    assert program.wait_end() == 6


def hang_up_by_hand():
    """kill -HUP on a terminal that is still there: it can be used at once, while the copy goes
    on, and Ctrl-C still stops that, where nobody could come back to it."""
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
        terminal.keys("c", shows="Looking at mounts")
        terminal.keys("?", shows="Help for screen 2")
        terminal.keys("q", "3", shows="Esc gives it up")
        terminal.keys("Escape", shows="was given up")
        terminal.keys("1", "G", "k", "k", "s", shows="sdd and sdc are the same model")
        terminal.keys("q", shows="EXIT 0")
    with Terminal(f"{FAKEDECK} --stuck rescue") as terminal:
        start(terminal, RANGES)
        terminal.keys("c", shows="Looking at mounts")
        terminal.keys("q", shows="Esc gives it up")
        screen = terminal.keys("C-c", shows="EXIT 0")
        assert "does not answer" in screen, screen


def a_plan_that_is_given_up_changes_nothing():
    """One from a map becomes no choice that nobody sees: what had ended is there as before, and the
    next plan is one of the choice. Until then clicks do no more than keys."""
    with Terminal(f"{FAKEDECK} --stuck-maps rescue") as terminal:
        start(terminal, STOPPED)
        terminal.wait("r goes on from the map")
        for leave, said in ((["Escape"], "was given up"), (["?", "7", "5"], "l=log")):
            terminal.keys("r", shows="Looking at mounts")
            # The tab of 1 Disks.
            terminal.tmux("send-keys", "-H", *"1b 5b 4d 20 25 21 1b 5b 4d 23 25 21".split())
            terminal.wait("Esc gives it up")
            terminal.keys(*leave)
            terminal.wait(said)
            assert "[5 Report]" in terminal.screen()
        terminal.keys("3", shows="This plan was carried out")
        terminal.keys("1", "Enter", shows="Nothing has been written yet")


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
        # The copy does not go on by a key.
        terminal.keys("Escape")
        assert "=pause" not in terminal.wait("q=quit"), screen
        terminal.keys("p", shows="Attach the same disk")
        terminal.keys("Escape", "1", shows="NODE")
        terminal.keys("r", shows="not touched")
        screen = terminal.keys("Escape", "r", shows="The copy goes on where it ended")
        assert "COPYING" in screen, screen
        terminal.keys("C-c", "s", shows="The exit code will be 6")
    with Terminal(f"{FAKEDECK} --vanish rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("A disk is gone")
        terminal.keys("g", shows="not there yet")
        terminal.keys("C-c", "s", shows="The exit code will be")
        terminal.keys("q", shows="EXIT")


def hanging_disk_is_left_after_a_second_question():
    """Stopping may take for ever; whoever asked for it twice gets the terminal back."""
    with Terminal(f"{FAKEDECK} --hang rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        terminal.keys("C-c", "s", shows="STOPPING")
        terminal.keys("q", shows="Still stopping")
        terminal.keys("Escape")
        terminal.settled()
        terminal.keys("C-c", shows="Still stopping")
        terminal.keys("l")
        assert "Resume continues" in terminal.wait("EXIT 6").replace("\n", "")


def tools_that_change_a_complete_copy_are_not_called_a_hanging_disk():
    """Nor is there anything to be resumed: whoever leaves knows what is left undone."""
    with Terminal(f"{FAKEDECK} --complete --changing rescue") as terminal:
        start(terminal, STOPPED)
        terminal.wait("COMPLETE")
        screen = terminal.keys("C-c", shows="leave: no report is made")
        assert "its file systems or identifiers are being" in screen, screen
        assert "hangs" not in screen, screen
        terminal.keys("l")
        screen = terminal.wait("EXIT 6").replace("\n", "")
        assert "The tool that runs gets to its end" in screen and "Resume" not in screen, screen


def hanging_disk_is_left_without_a_terminal():
    """Nobody can be asked: a second signal, some seconds later, means it."""
    program = copying("--hang", "rescue")
    program.hang_up()
    os.kill(program.pid, signal.SIGTERM)
    time.sleep(6)
    os.kill(program.pid, signal.SIGTERM)
    assert program.wait_end() == 6


# ---- a copy that is left, and come back to ----

def attach(folder, deck, **terminal):
    program = Program([FAKEDECK, f"--folder={folder}", f"--attach={deck}", "rescue"], **terminal)
    program.wait("elapsed")
    return program


def gone(pid):
    end = time.monotonic() + PATIENCE
    while os.path.exists(f"/proc/{pid}"):
        assert time.monotonic() < end, f"{pid} goes on"
        time.sleep(0.02)


def stop(program):
    program.quiet()
    program.type("\x03\x03", shows="exit code")
    program.type("q")
    return program.end()


@contextlib.contextmanager
def copy_to_come_back_to(*options):
    with tempfile.TemporaryDirectory() as folder:
        program = copying(f"--folder={folder}", *options, "--moving", "rescue")
        deck = program.deck()
        try:
            yield folder, program, deck
        finally:
            kill([deck])


def left_and_come_back_to():
    """The shell is free, its terminal as it was; another one, of another kind and size, shows the
    same copy, which ends there, with its report and exit code."""
    with copy_to_come_back_to() as (folder, program, deck):
        program.type("q", shows="detach")
        program.type("d")
        text, code = program.end()
        assert code == 2 and f"The copy goes on as process {deck}" in text, (code, text[-300:])
        assert program.last_modes == program.first_modes and "\x1b[?1049l" in text
        assert os.stat(f"{folder}/{deck}.socket").st_mode & 0o777 == 0o600
        assert all(os.readlink(f"/proc/{deck}/fd/{fd}") == "/dev/null" for fd in range(3))
        other = attach(folder, deck, term="vt100", cols=120, rows=40, env={"LC_ALL": "C"})
        text, code = stop(other)
        assert code == 6 and "LBA 1602117632" in text, (code, text[-400:])
        assert other.last_modes == other.first_modes and text.isascii()
        gone(deck)
        assert os.listdir(folder) == []


def a_report_for_a_terminal_that_is_not_utf8():
    """One that only looks on gets its last words in the deck's language."""
    language = {"LOCPATH": locales().name, "LC_ALL": "en_US.UTF-8", "LANGUAGE": "fr",
                "TRANSLATIONS": os.environ["TRANSLATIONS"]}
    with tempfile.TemporaryDirectory() as folder:
        program = Program([FAKEDECK, f"--folder={folder}", "--moving", "rescue"], env=language)
        program.wait("sdd")
        deck = program.deck()
        try:
            program.quiet()
            program.type("sd\r", shows="Rien n'a encore")
            program.type("456789\r", shows="dur\u00e9e")
            second = Program([FAKEDECK, f"--folder={folder}", f"--attach={deck}", "rescue"],
                             env={"LC_ALL": "C"})
            second.wait("LOOKING ON")
            program.type("\x03\x03", shows="code de retour")
            program.type("q")
            assert program.end()[1] == 6
            text, code = second.end()
            assert code == 6 and "ARR" in text and text.isascii(), (code, text[-400:])
        finally:
            kill([deck])


def hang_up_is_no_more_than_leaving():
    with copy_to_come_back_to() as (folder, program, deck):
        program.hang_up()
        code = program.wait_end()
        assert code == 2, code
        other = attach(folder, deck)
        os.kill(other.pid, signal.SIGHUP)
        text, code = other.end()
        assert code == 2 and "The terminal was lost. The copy goes on" in text, (code, text)
        assert other.last_modes == other.first_modes
        # One that only came to look on goes by itself.
        other = attach(folder, deck)
        os.kill(other.pid, signal.SIGTERM)
        text, code = other.end()
        assert code == 2 and "The copy goes on as process" in text, (code, text)
        assert stop(attach(folder, deck))[1] == 6


def only_one_terminal_steers():
    """Others look on, and one of them may take over. Whichever leaves or is killed, the copy goes on,
    and somebody steers; its end is told to all. Nobody else comes in."""
    with copy_to_come_back_to() as (folder, program, deck):
        second = attach(folder, deck, term="vt100", cols=120, rows=40, env={"LC_ALL": "C"})
        second.wait("LOOKING ON")
        program.quiet()
        # What is typed there changes nothing; q leaves.
        second.type("p\rs1?\x1b\t\x0c")
        third = attach(folder, deck)
        third.wait("LOOKING ON")
        third.type("q")
        text, code = third.end()
        assert code == 2 and f"goes on as process {deck}" in text, (code, text[-300:])
        assert third.last_modes == third.first_modes
        program.read(1)
        assert "PAUS" not in program.output and "LOOKING ON" not in program.output
        mark = len(program.output)
        second.type("T")
        program.wait("LOOKING ON", mark)
        second.type("p")
        program.wait("PAUSED", mark)
        mark = len(program.output)
        second.type("p")
        type_until(program, "\x0c", "LEFT", mark)
        strangers(folder, deck)
        # Who has the keys is killed: the other one gets them.
        os.kill(second.pid, signal.SIGKILL)
        mark = len(program.output)
        type_until(program, "?", "Help for screen 4", mark)
        program.type("\x1b")
        third, last = attach(folder, deck, term="linux"), attach(folder, deck)
        os.kill(third.pid, signal.SIGKILL)
        assert stop(program)[1] == 6
        text, code = last.end()
        assert code == 6 and "LBA 1602117632" in text, (code, text[-400:])
        assert last.last_modes == last.first_modes
        gone(deck)


def strangers(folder, deck):
    """Who says nothing that makes sense is sent away, and disturbs nobody."""
    for said in (b"", b"hello", b"\0" * 4096):
        stranger = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        stranger.connect(f"{folder}/{deck}.socket")
        if said:
            stranger.send(said)
        assert stranger.recv(1) == b""
        stranger.close()


def type_until(program, key, wanted, after):
    """What is typed while a terminal goes to another process may be lost."""
    end = time.monotonic() + PATIENCE
    while wanted not in program.output[after:]:
        assert time.monotonic() < end, f"'{wanted}' did not come: {program.output[-2000:]!r}"
        program.type(key)
        program.quiet(0.5)


def words(screen):
    """Those that every terminal can show, without the last line: there, keys are said."""
    return re.findall(r"[A-Za-z0-9%:/()]{3,}", "\n".join(screen.split("\n")[:23]))


def others_see_the_same():
    """Of another kind, larger or smaller; the smaller one is moved over it."""
    with tempfile.TemporaryDirectory() as folder, Terminal(f"{FAKEDECK} --folder={folder} rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        terminal.keys("p")
        steers = terminal.settled()
        look_on = f"{FAKEDECK} --folder={folder} --attach={terminal.deck('fakedeck')} rescue"
        with (Terminal(look_on, 100, 30) as large, Terminal(look_on, 90, 26, term="vt100", lang="C") as plain,
              Terminal(look_on, 40, 8, term="xterm") as small):
            screen = large.wait("LOOKING ON")
            large.until(lambda screen: screen.split("\n")[:24] == steers.split("\n")[:24], "it is not the same")
            plain.until(lambda screen: words(screen) == words(steers), "other words")
            assert plain.screen(raw=True).isascii()
            screen = small.wait("col 1-40/80, line 1-6/24")
            assert screen.split("\n")[0] == steers[:40].rstrip(), screen
            small.keys("End", shows="col 41-80/80, line 19-24/24")
            last = steers.rstrip("\n").split("\n")[-1]
            small.until(lambda screen: screen.split("\n")[5] == last[40:].rstrip(), "not its end")
            # A new size on either side, and a sentence on the other.
            small.resize(130, 50)
            terminal.resize(120, 40)
            terminal.keys("h")
            said = terminal.settled().split("\n")[:40]
            small.until(lambda screen: screen.split("\n")[:40] == said, "not of the new size")


def another_copy_in_the_same_terminal():
    """A deck for the next copy, while the first one goes on; the list of copies leads back to it."""
    with copy_to_come_back_to() as (folder, program, deck):
        program.type("q", shows="detach")
        program.type("n", shows="Choose a source")
        assert os.path.exists(f"{folder}/{deck}.socket")
        with open(f"{folder}/{deck}.job", "w") as record:
            # As the copy itself would, which the pretended one does not.
            fcntl.lockf(record, fcntl.LOCK_EX)
            record.write(f"clonedeck.job/1\npid {deck}\nstarted 1\npercent 33\nleft 60\n"
                         "state copying\nstage copy\nrate 168000000\nsource /dev/sdx\n"
                         "destination /dev/sdy\n")
            record.flush()
            program.type("7", shows="sdx -> sdy")
            program.type("\r", shows="elapsed")
            # The new one had no copy: it is gone, and its terminal is the first one's again.
            assert stop(program)[1] == 6
            gone(deck)


def gone_copy_is_not_come_back_to():
    """Its record lives, its socket does not answer: a new deck says what there is."""
    with copy_to_come_back_to() as (folder, program, deck):
        stranger = os.getpid()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(f"{folder}/{stranger}.socket")
        listener.close()
        with open(f"{folder}/{stranger}.job", "w") as record:
            fcntl.lockf(record, fcntl.LOCK_EX)
            record.write(f"clonedeck.job/1\npid {stranger}\npercent 33\nsource /dev/sdx\n"
                         "destination /dev/sdy\n")
            record.flush()
            program.type("7", shows="sdx -> sdy")
            program.type("\r", shows="sdx -> sdy")
            program.type("q")
            assert program.end()[1] == 0
        assert stop(attach(folder, deck))[1] == 6


def killed_stand_in():
    """kill -9 of what the shell has started: the terminal is given back, the copy goes on."""
    with copy_to_come_back_to() as (folder, program, deck):
        mark = len(program.output)
        os.kill(program.pid, signal.SIGKILL)
        program.wait("\x1b[?1049l", mark)
        assert program.wait_end() == -signal.SIGKILL
        end = time.monotonic() + PATIENCE
        while program.modes() != program.first_modes:
            assert time.monotonic() < end, "its modes are not as they were"
            time.sleep(0.02)
        other = attach(folder, deck)
        os.kill(deck, signal.SIGKILL)
        text, code = other.end()
        assert code == 8 and "\x1b[?1049l" in text and "ended" in text, (code, text[-300:])
        assert other.last_modes == other.first_modes
        # The next copy with this number takes the socket's place.
        assert os.listdir(folder) == [f"{deck}.socket"]


def killed_deck():
    """The shell's process gives the terminal back, and dies of the same signal."""
    program = Program([FAKEDECK, "rescue"], term="xterm-256color")
    program.wait("Choose a source")
    os.kill(program.deck(), signal.SIGKILL)
    text, code = program.end()
    assert code == -signal.SIGKILL and "resumes from its map" in text, (code, text[-300:])
    assert program.last_modes == program.first_modes and "\x1b[?1049l" in text


def stopped_stand_in():
    """kill -STOP: the shell has the terminal, and what is typed there is not for the deck."""
    with copy_to_come_back_to() as (folder, program, deck):
        os.kill(program.pid, signal.SIGSTOP)
        while open(f"/proc/{program.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[0] != "T":
            time.sleep(0.02)
        program.quiet()
        mark = len(program.output)
        program.type("pp")
        time.sleep(1.5)
        program.read(0.5)
        assert len(program.output) == mark, program.output[mark:]
        os.kill(program.pid, signal.SIGCONT)
        program.wait("elapsed", mark)
        assert stop(program)[1] == 6
        assert program.last_modes == program.first_modes
    with copy_to_come_back_to() as (folder, program, deck):
        os.kill(program.pid, signal.SIGSTOP)
        # The deck sees it soon; the next one steers then.
        time.sleep(1.5)
        other = attach(folder, deck)
        mark = len(program.output)
        os.kill(program.pid, signal.SIGCONT)
        program.wait("LOOKING ON", mark)
        assert stop(other)[1] == 6
        assert program.end()[1] == 6
        assert program.last_modes == program.first_modes


def another_size_after_coming_back():
    with copy_to_come_back_to() as (folder, program, deck):
        program.hang_up()
        program.wait_end()
        other = attach(folder, deck)
        assert "\x1b[1;40r" not in other.output
        other.resize(120, 40)
        other.wait("\x1b[1;40r")
        assert stop(other)[1] == 6


def terminal_that_takes_nothing():
    """Ctrl-S, or a line that hangs: the deck leaves it, and another one gets it. One that only looks on
    keeps nobody waiting, and goes on where it is let."""
    with copy_to_come_back_to() as (folder, program, deck):
        stuck, other = attach(folder, deck), attach(folder, deck)
        program.type("\x13")
        stuck.type("\x13")
        time.sleep(0.3)
        other.quiet()
        other.type("T", shows="\x1b[?1049l")
        mark = len(other.output)
        type_until(other, "?", "Help for screen 4", mark)
        other.type("\x1b")
        program.type("\x11", shows="LOOKING ON")
        mark = len(stuck.output)
        stuck.type("\x11")
        type_until(stuck, "\x0c", "elapsed", mark)
        assert stop(other)[1] == 6
        for onlooker in (program, stuck):
            text, code = onlooker.end()
            assert code == 6 and "LBA 1602117632" in text, (code, text[-300:])
            assert onlooker.last_modes == onlooker.first_modes


def paused_copy_that_is_left_stays_paused():
    with copy_to_come_back_to() as (folder, program, deck):
        program.type("p", shows="PAUSED")
        program.hang_up()
        program.wait_end()
        other = attach(folder, deck)
        other.wait("PAUSED")
        assert stop(other)[1] == 6


def paused_copy_without_a_terminal_stops():
    """Nobody could let it go on; it can be resumed."""
    program = copying()
    program.type("p", shows="PAUSED")
    program.hang_up()
    assert program.wait_end() == 6


def no_dev_null():
    """As in a rescue shell of an initramfs."""
    program = Program(["unshare", "-m", "sh", "-c", f"mount -t tmpfs none /dev && exec '{FAKEDECK}' rescue"])
    text, code = program.end()
    assert code == 2 and "/dev/null" in text, (code, text[-300:])


CASES = [
    ctrl_c_asks_and_asks_no_more, what_is_typed_behind_ctrl_c_answers_it,
    sigterm_stops_without_asking, ctrl_z, ctrl_z_without_a_shell, lost_terminal, hang_up_by_hand,
    hang_up_stops_where_that_was_asked_for, hanging_file_systems_hinder_nobody, a_plan_that_is_given_up_changes_nothing,
    hang_up_in_the_background, disk_that_goes_and_comes_back,
    hanging_disk_is_left_after_a_second_question, hanging_disk_is_left_without_a_terminal,
    tools_that_change_a_complete_copy_are_not_called_a_hanging_disk,
    paused_copy_without_a_terminal_stops, ctrl_z_while_it_copies, left_and_come_back_to,
    a_report_for_a_terminal_that_is_not_utf8,
    another_copy_in_the_same_terminal, gone_copy_is_not_come_back_to,
    hang_up_is_no_more_than_leaving, only_one_terminal_steers, killed_stand_in, stopped_stand_in,
    killed_deck, others_see_the_same, another_size_after_coming_back, terminal_that_takes_nothing,
    paused_copy_that_is_left_stays_paused, no_dev_null,
]

if __name__ == "__main__":
    run(CASES, 2)
