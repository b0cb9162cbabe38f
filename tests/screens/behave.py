#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the deck behaves on its terminal: sizes, kinds, keys, colours. On pretended machines."""

import fcntl
import os
import random
import re
import signal
import struct
import subprocess
import tempfile
import time

from drive import PATIENCE, Terminal, cells, run, translated
from pty_program import Program
from saved import PLAN, RANGES, RUN, STOPPED, press

FAKEDECK = os.environ["FAKEDECK"]


def start(terminal, keys=()):
    terminal.wait("NODE")
    terminal.settled()
    press(terminal, keys)


# ---- size ----

def resizing_any_time():
    """Every size on the way, and back to the same screens as at a start in that size."""
    with Terminal(f"{FAKEDECK} rescue") as fresh:
        start(fresh, RUN)
        fresh.wait("elapsed")
        small = fresh.settled()
    with Terminal(f"{FAKEDECK} rescue", 120, 40) as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        large = terminal.settled()
        for cols, rows in ((80, 24), (200, 60), (81, 25), (40, 12), (10, 2), (2, 1), (79, 24)):
            terminal.resize(cols, rows)
            terminal.settled()
        for size, shown in (((80, 24), small), ((120, 40), large)):
            terminal.resize(*size)
            terminal.until(lambda screen, shown=shown: screen == shown, "it looks different")
        # A map fills the window of a large screen with small letters, too.
        terminal.resize(480, 130)
        terminal.keys("m")
        terminal.until(lambda screen: len(re.findall("[▓░]", screen)) > 40000, "the map is not there")


def every_screen_survives_resizing():
    for keys in ([], ["i"], ["?"], ["f"], RANGES, PLAN, RUN + ["C-c"], RUN + ["C-c", "s"]):
        with Terminal(f"{FAKEDECK} hostile" if not keys else f"{FAKEDECK} rescue") as terminal:
            start(terminal, keys)
            for cols, rows in ((132, 43), (80, 24), (20, 5), (1, 1), (250, 80), (80, 24)):
                terminal.resize(cols, rows)
                terminal.settled()
            terminal.child("fakedeck")


def a_choice_is_kept_and_taken_back():
    """A key that bounces takes nothing back; Esc takes the end under the cursor, or the last one."""
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, ["s", "d", "d"])
        terminal.wait("destination already")
        screen = terminal.keys("Up", "s", shows="source already")
        assert " S> sda" in screen and " D  sdb" in screen, screen
        terminal.keys("Escape")
        assert " D  sdb" in terminal.wait("  > sda")
        terminal.keys("Escape")
        terminal.wait_gone(" D  sdb")
        terminal.keys("Down", "s", "g", "d", shows="/dev/sda is smaller than /dev/sdb")


def click(terminal, row, col, button=0):
    place = [f"{33 + col:x}", f"{33 + row:x}"]
    let_go = ["1b", "5b", "4d", "23", *place] if button < 64 else []
    terminal.tmux("send-keys", "-H", "1b", "5b", "4d", f"{32 + button:x}", *place, *let_go)


def click_on(terminal, word):
    """Its last character, in the lowest row that has it. What has just opened takes no click yet."""
    lines = terminal.wait(word).split("\n")
    row = max(number for number, line in enumerate(lines) if word in line)
    time.sleep(0.6)
    click(terminal, row, lines[row].index(word) + len(word) - 1)


def the_mouse():
    """Rows, keys of the footer and tabs can be clicked, and the wheel scrolls; a click, or two, starts
    nothing. Any clicks at any place are lived through."""
    dice = random.Random(4711)
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        terminal.wait("Choose a source")

        def at(row, col, button=0):
            click(terminal, row, col, button)

        at(2, 10)
        at(23, 2)
        terminal.wait(" S  sda")
        at(3, 10)
        at(23, 12)
        terminal.wait(" D> sdb")
        at(5, 10, 65)
        terminal.wait("> sde")
        # A field is below the list: rows above it are no steps from there.
        terminal.keys("g")
        at(23, 30)
        terminal.wait("[2 Ranges]")
        terminal.keys("e", shows="Esc=leave it")
        at(6, 10)
        terminal.wait(" >[x] 1       2048")
        terminal.keys("Escape")
        for field in (70, 20):
            at(17, field)
            terminal.wait("Esc=leave it")
            terminal.keys("Escape")
            terminal.wait_gone("Esc=leave it")
        terminal.keys("1", shows="[1 Disks]")
        at(23, 20)
        terminal.wait("[3 Plan]")
        terminal.keys("Escape", shows="press Tab")
        at(22, 62)
        at(21, 62)
        terminal.wait("type what is asked for, then Enter")
        for _ in range(2):
            at(23, 2)
            at(12, 30)
        assert "[3 Plan]" in terminal.settled()
        at(0, 4)
        terminal.wait("[1 Disks]")
        for _ in range(60):
            at(dice.randint(0, 22), dice.randint(0, 79), dice.choice((0, 0, 0, 64, 65)))
        terminal.child("fakedeck")
        assert "[4 " not in terminal.settled()
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, STOPPED + ["m"])
        terminal.wait("Tab=bad areas")
        at(17, 20)
        terminal.wait("Space=tick")
        at(17, 20)
        terminal.wait(" >[ ]  1700000000")
        at(5, 20)
        terminal.wait("Tab=bad areas")
        # A cell of the map says what it is, in whatever row.
        at(2, 1)
        terminal.wait(" LBA 0-")
        at(4, 11)
        screen = terminal.wait_gone(" LBA 0-")
        at(4, 1)
        assert screen != terminal.wait_gone(re.search(r" LBA \d+-", screen)[0])
        terminal.keys("Escape", "s", shows="another place")
        # A click as soon as a question is there may be the second one on what was below it.
        at(11, 20)
        terminal.keys("x", shows="The window shows the keys")
        time.sleep(0.6)
        # Beside the window, in the row of an answer.
        at(11, 1)
        terminal.keys("y", shows="y does nothing here. The window")
        at(11, 20)
        terminal.wait("on a disk that stays")
    # A window with a text is closed by its word alone.
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, ["i"])
        lines = terminal.wait("Esc=close").split("\n")
        row = next(i for i, line in enumerate(lines) if "Esc=close" in line)
        time.sleep(0.6)
        for col in (0, lines[row].index("line "), 79):
            at(row, col)
        terminal.keys("y", shows="y does nothing here. The window")
        at(row, lines[row].index("Esc=close") + 8)
        terminal.wait_gone("Esc=close")
    # In the layout editor digits do not leave it, so a tab does not; in help both do.
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, PLAN + ["Escape", "l"])
        terminal.wait("LAYOUT")
        at(0, 4)
        terminal.keys("1", "?", shows="Help for the layout")
        terminal.keys("Escape", shows="LAYOUT")
        terminal.keys("Escape", "Escape", "?", "1", shows="[1 Disks]")
    # The small one opens the large one.
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RUN)
        row = next(i for i, line in enumerate(terminal.wait("elapsed").split("\n")) if "►" in line and "░░" in line)
        at(row, 20)
        terminal.wait("Tab=bad areas")
    with Terminal(f"{FAKEDECK} --no-mouse rescue") as terminal:
        terminal.wait("Choose a source")
        assert terminal.tmux("display", "-p", "#{mouse_any_flag}").strip() == "0"


def told_keys_can_be_clicked():
    """Wherever keys are told, a click on their word does what they do; none starts a copy."""
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, ["i"])
        click_on(terminal, "/=find")
        terminal.wait("Enter=stay here")
        click_on(terminal, "Esc=back to where it was")
        terminal.wait_gone("Enter=stay here")
        click_on(terminal, "Esc=close")
        terminal.wait_gone("Esc=close")
    with Terminal(f"{FAKEDECK} many") as terminal:
        start(terminal)
        click_on(terminal, "/=find")
        terminal.keys("J0137")
        click_on(terminal, "Enter=stay here")
        terminal.wait("138 of 200")
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RANGES + ["e"])
        click_on(terminal, "Ctrl-U=empty the field")
        terminal.keys("99,", shows="[99,_")
        click_on(terminal, "Esc=leave it")
        terminal.wait_gone("Esc=leave it")
        click_on(terminal, "c=plan")
        terminal.wait("Nothing has been written")
        terminal.keys("456789", shows="it matches")
        click_on(terminal, "Enter=start")
        click_on(terminal, "i=IDs")
        terminal.wait("[456789_]")
        click_on(terminal, "Ctrl-P=preset")
        assert "[3 Plan]" in terminal.wait("PRESET  Failing: one")
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, PLAN + ["Escape", "o"])
        click_on(terminal, "Space=next word")
        click_on(terminal, "Esc=leave it")
        terminal.wait_gone("Space=next word")
        terminal.keys("a")
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RUN + ["m"])
        click_on(terminal, "Tab=bad areas")
        terminal.wait("Tab=map")
        click_on(terminal, "m Esc=close")
        terminal.wait_gone("Tab=map")


def esc_goes_back_to_where_the_plan_was_asked_for():
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, PLAN + ["Escape", "Escape"])
        terminal.wait("[1 Disks]")
        terminal.keys("2", "Enter", shows="[3 Plan]")
        # What is looked at on the way changes nothing.
        terminal.keys("Escape", "7", "3", "Escape", "Escape", shows="[2 Ranges]")
        terminal.keys("Escape", shows="[1 Disks]")
        # So it does from what is no step, whatever steps were reached.
        terminal.keys("3", shows="[3 Plan]")
        terminal.keys("Escape", "1", shows="[1 Disks]")
        for key, there in (("b", "[6 Bench]"), ("7", "[7 Jobs]")):
            terminal.keys(key, shows=there)
            terminal.keys("Escape", shows="[1 Disks]")
        terminal.keys("2", "7", "6", "Escape", shows="[2 Ranges]")


def a_plan_that_was_started_says_so():
    """Also one that goes on from a map, which before its start says why it keeps its options."""
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, STOPPED)
        terminal.wait("STOPPED")
        terminal.keys("r", shows="goes on from its map")
        terminal.keys("Escape", "o", shows="keeps its options")
        terminal.keys("Tab", "456789", "Enter", shows="[4 Run")
        terminal.keys("3", "o", shows="it cannot be changed any more")


def a_field_tells_its_own_keys():
    """Not those of the list before, and none twice."""
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RANGES)
        terminal.wait("Enter goes on to the plan")
        for keys, other in ((["e"], "Tab=next"), (["Tab"], "Tab=next"), (["+"], "Esc=leave it  Ctrl-U"),
                            (["-"], "Esc=leave it  Ctrl-U")):
            screen = terminal.keys(*keys, shows=other)
            assert "goes on to the plan" not in screen and "Enter=take it" in screen, screen
            terminal.keys("Escape")
            terminal.wait_gone("Esc=leave it")
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, PLAN + ["Escape", "o"])
        screen = terminal.wait("PgUp PgDn=page")
        assert screen.count("Enter=") == screen.count("Esc=") == 1, screen
        terminal.keys("PageDown", shows=" > Rate limit")


def the_wheel_changes_nothing():
    """In the layout editor, where Up and Down change sizes, it goes to another partition; so does a click."""
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, PLAN + ["Escape", "l"])
        row = next(i for i, line in enumerate(terminal.wait(" >  3 vg0").split("\n")) if " 2 boot " in line)
        usual = terminal.wait("grows 2.00T").replace(">", " ").split("\n")[row - 2:row + 2]
        for button, at in ((64, " >  1 ESP"), (65, " >  3 vg0"), (0, " >  2 boot")):
            click(terminal, row, 10, button)
            assert terminal.wait(at).replace(">", " ").split("\n")[row - 2:row + 2] == usual
        click_on(terminal, "-=smaller")
        terminal.wait("cannot become smaller")
        # Two keys that have one word.
        click_on(terminal, "< >")
        terminal.wait("-358M, moves +358M")
        click_on(terminal, "<")
        terminal.wait_gone("moves +")


def the_footer_tells_what_a_key_does_now():
    with Terminal(f"{FAKEDECK} --unfinished rescue") as terminal:
        start(terminal, ["7"])
        terminal.wait("Enter=continue n=new copy")
        terminal.keys("Down", shows="Enter=show n=new copy")
    with Terminal(f"{FAKEDECK} --unfinished rescue") as terminal:
        start(terminal, ["s", "c"])
        terminal.wait("Take the chosen disks back with Esc: then c continues")
        terminal.keys("Escape", shows="c continues")
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, ["c"])
        terminal.wait("No copy was left unfinished. f names")
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, ["7"])
        screen = terminal.wait("n starts a copy.")
        assert "Enter" not in screen, screen
    with Terminal(f"{FAKEDECK} rescue", 60, 20) as terminal:
        start(terminal, RUN + ["p"])
        terminal.wait("p=go on")
        terminal.keys("p", shows="p=pause")
    with Terminal(f"{FAKEDECK} rescue", 60, 20) as terminal:
        start(terminal, PLAN + ["Escape", "o"])
        terminal.wait("plan anew  Esc=leave it")


def what_is_cut_says_so():
    """The keys that leave a window are not cut away."""
    for keys, wanted in ((["/"], "Esc=back to where it was"), (RUN + ["m", "Tab"], "m Esc=close"),
                         (STOPPED + ["m", "Tab"], "Esc=close")):
        with Terminal(f"{FAKEDECK} rescue", 60, 20) as terminal:
            start(terminal, keys)
            terminal.wait(wanted)
    with Terminal(f"{FAKEDECK} rescue", 60, 20) as terminal:
        start(terminal, ["Down", "s", "Home", "d", "2"])
        terminal.wait_match(r"TB more than sda holds: .*\.\. *\n")


def arrows_walk_through_the_answers():
    """From "do nothing" on, which Enter alone takes; but not where the question came by itself."""
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, ["b", "Enter"])
        terminal.wait("What is to be measured")
        terminal.keys("Enter")
        terminal.wait_gone("What is to be measured")
        press(terminal, ["Enter", "Up", "Up", "Enter"])
        terminal.wait("engines")
    with Terminal(f"{FAKEDECK} --vanish rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("do nothing")
        terminal.keys("Down", "Enter")
        terminal.wait_gone("do nothing")
        assert "Stopping" not in terminal.settled()


def resize_storm():
    """Sizes from 1x1 to 250x100 faster than they can be drawn, on every screen of a running copy,
    while keys are pressed: it lives, and comes back to what it was."""
    dice = random.Random(4711)
    program = copying("--moving", "rescue")
    for keys in ("1", "i", "\x1b", "2", "e", "\x1b", "3", "\x1b", "o", "\x1b", "4", "m", "+", "\t", "\x1b", "l",
                 "\x1b", "\t", "t", "\x1b", "?", "q", "\x03", "\x1b"):
        # As a whole, and seen: on a screen below 40x8 a key does nothing.
        program.resize(80, 24)
        program.quiet(0.03)
        program.type(keys)
        for _ in range(12):
            program.resize(dice.randint(1, 250), dice.randint(1, 100))
            program.read(0.005)
    program.resize(80, 24)
    program.type("\x0c", shows="COPYING")
    program.type("\x03", shows="Stop the copy")
    program.type("\x03", shows="exit code")
    program.type("q")
    assert program.end()[1] == 6


def too_small_says_so():
    """Below 40x8, where no screen has room; from there on, what matters first."""
    with Terminal(f"{FAKEDECK} rescue", 39, 24) as terminal:
        terminal.wait("clonedeck needs 40x8")
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        terminal.resize(40, 8)
        terminal.wait_gone("elapsed")
        screen = terminal.settled()
        for wanted in ("COPYING", "26.1%", "193 MB/s", "LEFT 4:24:47 to", "errors 2  bad 13 sectors", "Ctrl-C=stop"):
            assert wanted in screen, (wanted, screen)
        terminal.resize(60, 7)
        line = terminal.wait("needs 40x8")
        assert "26.1%, copying" in line and "LEFT 4:24:47 to" in line, line
        # Half of a time would be another time.
        terminal.resize(20, 5)
        terminal.until(lambda screen: screen.split("\n")[0] == "26.1%, copying", "cut in the middle")
        terminal.resize(60, 7)
        # Ctrl-C still asks, in the one line there is.
        terminal.keys("C-c", shows="Stop the copy? s=stop Esc")
        terminal.keys("Escape")
        terminal.resize(80, 24)
        terminal.wait("The copy goes on")


def nothing_is_confirmed_unseen():
    """On a screen too small for what is erased, what is typed to confirm it goes nowhere."""
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, PLAN)
        terminal.resize(40, 7)
        terminal.wait("needs 40x8")
        terminal.keys("4", "5", "6", "7", "8", "9", "Enter")
        terminal.resize(40, 8)
        screen = terminal.wait("ERASE")
        assert "[_______]" in screen and "456789" in screen and "[3 Plan]" in screen, screen
        terminal.keys("4", "5", "6", "7", "8", "9")
        terminal.until(lambda screen: "ERASE" in screen and "it matches" in screen, "not typed")
        terminal.keys("Enter", shows="COPYING")


def serial_line_of_no_size():
    """0x0, as serial lines report it: LINES and COLUMNS, else what terminfo says."""
    command = f"sh -c 'stty rows 0 cols 0; exec {FAKEDECK} rescue'"
    with Terminal(command, term="vt100") as terminal:
        start(terminal)
        assert "q=quit" in terminal.screen().split("\n")[23]
    command = f"sh -c 'stty rows 0 cols 0; exec env LINES=40 COLUMNS=120 {FAKEDECK} rescue'"
    with Terminal(command, 120, 40, term="vt100") as terminal:
        start(terminal)
        assert "q=quit" in terminal.screen().split("\n")[39]


def size_option():
    with Terminal(f"{FAKEDECK} --size=80x24 rescue", 120, 40) as terminal:
        start(terminal)
        assert "q=quit" in terminal.screen().split("\n")[23]


def redraw_reads_the_size_again():
    """A serial line sends no signal when its size is set."""
    command = f"sh -c 'stty rows 24 cols 80; exec {FAKEDECK} rescue'"
    with Terminal(command, 120, 40, term="vt100") as terminal:
        start(terminal)
        tty = terminal.tmux("display", "-p", "#{pane_tty}").strip()
        pid = terminal.deck("fakedeck")
        os.kill(pid, signal.SIGSTOP)
        subprocess.run(["stty", "-F", tty, "rows", "40", "cols", "120"], check=True)
        os.kill(pid, signal.SIGCONT)
        terminal.keys("C-l")
        terminal.until(lambda screen: "q=quit" in screen.split("\n")[39], "it stayed small")


# ---- terminals ----

def refuses_without_a_terminal():
    for term, wanted in (("dumb", "cannot place text"), ("", "TERM is not set"),
                         ("no-such-terminal", "does not know")):
        program = Program([FAKEDECK, "rescue"], term=term)
        text, code = program.end()
        assert code == 2, (term, code)
        assert wanted in text and "clonedeck clone" in text, text
    done = subprocess.run([FAKEDECK, "rescue"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2 and "standard input" in done.stderr and not done.stdout, done


def no_color():
    color = re.compile("\x1b\\[([0-9]+;)*[34][0-8](;[0-9]+)*m")
    for term, env, options, wanted in (
            ("xterm-256color", {}, [], True),
            ("xterm-256color", {"NO_COLOR": "1"}, [], False),
            ("xterm-256color", {"NO_COLOR": ""}, [], True),
            ("xterm-256color", {"NO_COLOR": "1"}, ["--color=always"], True),
            ("xterm-256color", {}, ["--color=never"], False),
            ("linux", {}, [], True),
            ("vt100", {}, ["--color=always"], False),
            ("vt220", {}, [], False)):
        program = Program([FAKEDECK, *options, "rescue"], term=term, env=env)
        program.wait("Choose a source")
        program.type("sd", shows="Enter goes on")
        found = bool(color.search(program.output))
        program.type("q")
        program.end()
        assert found == wanted, (term, env, options)


def themes():
    """The erased disk is the only thing on red; a light ground has other colours; a contrast as high as
    there is has black behind all of it."""
    for options, env, read, ground in (("", "", 300 + 45, None), ("--theme=light", "", 300 + 25, None),
                                       ("", "COLORFGBG='0;15'", 300 + 25, None),
                                       ("--theme=high", "", 37, 40)):
        with Terminal(f"{FAKEDECK} {options} rescue", env=env) as terminal:
            start(terminal)
            terminal.keys("s", shows="> sdb")
            screen = cells(terminal.screen(raw=True))
            shown = next(shown for row in screen for char, shown in row[1:2] if char == "S")
            assert read in shown, (options, env, shown)
            backs = {code for row in screen for _, shown in row for code in shown
                     if 40 <= code < 48 or code >= 600}
            assert backs == ({ground} if ground else set()) | ({47} & backs), (options, backs)


def leaves_the_terminal_clean():
    with Terminal(f"sh -c 'stty -a; {FAKEDECK} rescue; stty -a'", 80, 24, "linux") as terminal:
        start(terminal)
        screen = terminal.keys("q", shows="EXIT 0")
        assert "NODE" not in screen, screen
    program = Program([FAKEDECK, "rescue"], term="xterm-256color")
    program.wait("Choose a source")
    assert program.modes() != program.first_modes
    program.type("q")
    program.end()
    assert program.last_modes == program.first_modes
    assert program.output.rstrip().endswith(("\x1b[?1049l\x1b[23;0;0t\r\x1b[?1l\x1b>",
                                             "\x1b[?1l\x1b>")), repr(program.output[-60:])


def fatal_signal_gives_the_terminal_back():
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS):
        program = Program([FAKEDECK, "rescue"], term="xterm-256color")
        program.wait("Choose a source")
        os.kill(program.deck(), number)
        text, code = program.end()
        assert code == -number, code
        assert "\x1b[?1049l" in text and "fatal signal" in text, repr(text[-200:])
        assert program.last_modes == program.first_modes


# ---- keys ----

def keys_of_every_terminal():
    """Sequences that TERM does not promise, both erase characters, and unknown sequences."""
    for term in ("vt100", "linux", "xterm-256color"):
        for down, up in (("\x1b[B", "\x1b[A"), ("\x1bOB", "\x1bOA"), ("j", "k")):
            program = Program([FAKEDECK, "rescue"], term=term)
            program.wait("Choose a source")
            program.type(down)
            program.type(down)
            program.type(up)
            program.type("s", shows="Source is /dev/sdb")
            program.type("q")
            program.end()
        program = Program([FAKEDECK, "many"], term=term)
        program.wait("Choose a source")
        for sequence, wanted in (("\x1b[6~", "/dev/sd"), ("\x1b[4~", "200 of 200"),
                                 ("\x1b[1~", "1 of 200")):
            program.type(sequence)
            program.wait(wanted)
        # Ctrl-Up, mouse reports, a paste mark, a terminal's answers: swallowed, not read as letters.
        for sequence in ("\x1b[1;5A", "\x1b[<0;10;10M", "\x1b[M qq", "\x1b[200~", "\x1b[q",
                         "\x1b]11;rgb:0/0/0\x07", "\x1bP1+r536d\x1b\\"):
            program.type(sequence)
        program.type("?", shows="Help for screen 1")
        for key in ("\x1b", "?", "\x7f", "?", "\x08", "?", "h"):
            program.type(key)
            program.quiet()
        program.type("\x1bOP" if term != "linux" else "\x1b[[A", shows="Help for screen 1")
        program.type("q", shows="Choose a source")
        program.type("q")
        assert program.end()[1] == 0


def keys_are_answered_at_once():
    """Within 50 ms, also while a copy runs, and what the machine itself takes to answer: a line
    that is read and written by nothing but cat."""
    program = Program([FAKEDECK, "rescue"], term="xterm-256color", rows=40, cols=120)
    program.wait("Choose a source")
    program.type("sd\r", shows="Nothing has been written")
    program.type("\x1b", shows="Letters are commands")
    echo = Program(["sh", "-c", "stty raw -echo; echo ready; exec cat"])
    echo.wait("ready")
    answers, others = [], []

    def ask():
        for key in "?h" * 20:
            answers.append(program.answer(key))
            others.append(echo.answer(key))

    ask()
    program.type("\t456789\r", shows="elapsed")
    ask()
    echo.kill()
    program.type("\x03", shows="Stop the copy")
    program.type("\x03", shows="exit code")
    program.type("q")
    assert program.end()[1] == 6
    slow, machine = (sorted(times)[len(times) * 9 // 10] for times in (answers, others))
    assert slow < 0.05 + 2 * machine, f"{slow * 1000:.0f} ms, the machine {machine * 1000:.0f} ms"


def what_comes_by_itself_takes_no_line_that_is_typed():
    """The next letters would answer a question that nobody has read, and one of them stops."""
    with Terminal(f"{FAKEDECK} --ailing --vanish rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("The map cannot be saved")
        terminal.wait("A disk is gone: p on 4 Run tells more.")
        screen = terminal.keys("C-u", "/srv/maps", shows="[/srv/maps")
        assert "The map cannot be saved" in screen, screen
        terminal.keys("Escape", "p", shows="Attach the same disk")


def what_went_wrong_is_told_beside_other_news():
    with Terminal(f"{FAKEDECK} --ailing rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("The map cannot be saved")
        terminal.keys("Escape", "p")
        terminal.until(lambda screen: "sda has not answered" in screen.split("\n")[22],
                       "the warning is not told")


def what_is_said_is_sent_as_a_whole():
    """A listener hears what is sent: of a message that is said again, and of a line of --simple
    that differs from the one before in a word, not the difference only."""
    program = copying("--simple", "rescue")
    for key, said in (("x", "x does nothing here"), ("x", "x does nothing here"),
                      ("y", "y does nothing here"), ("p", "paused 52.2%"), ("g", "no panes"),
                      ("p", "copying 52.2%")):
        mark = len(program.output)
        program.type(key)
        program.wait(said, mark)
    program.kill()


def nothing_starts_by_one_key():
    """No key, and no key pressed again and again, starts to write."""
    every = [chr(c) for c in range(1, 127) if chr(c) not in "\x03\x1a\x1bq"]
    # In the field, and behind it, where letters are commands.
    for first in ("", "\x1b"):
        program = Program([FAKEDECK, "rescue"], term="xterm-256color")
        program.wait("Choose a source")
        program.type("sd\r", shows="Nothing has been written")
        for key in every:
            program.type(first + key * 3)
            program.quiet(0.02)
            assert "RUNNING" not in program.output, repr(key)
        program.kill()


def the_fast_path_is_short():
    """A whole disk to a whole disk: from the first screen to the running copy, at most 11 keys, six
    of them the end of the serial number."""
    path = ["s", "d", "Enter", *"456789", "Enter"]
    assert len(path) <= 11
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal)
        screen = terminal.keys(*path[:3], shows="TO START")
        assert " ERASE   sdb" in screen and '3 partitions, 2.00 TB: "vg0"' in screen, screen
        terminal.keys(*path[3:], shows="COPYING")


def a_lifted_check_stands_on_every_screen():
    """By its name, in white on red, until the copy is reported."""
    def seen(tab):
        terminal.wait(tab)
        row = cells(terminal.screen(raw=True))[1]
        text = "".join(char for char, _ in row)
        assert text.startswith(" LIFTED  1 check: table-beyond-end"), text
        assert row[1][1] & {41, 760}, row[1]

    with Terminal(f"{FAKEDECK} small") as terminal:
        start(terminal, PLAN)
        terminal.keys("f", shows="lift the check")
        terminal.keys("a", "table-beyond-end", "Enter")
        seen("[3 Plan]")
        terminal.keys("Escape", "1")
        seen("[1 Disks]")
        terminal.keys("?")
        seen("Help for screen 1")
        terminal.keys("Escape", "2")
        seen("[2 Ranges]")
        terminal.keys("3", shows="TO START")
        terminal.keys("R1234", "Enter", shows="does not match")
        terminal.keys("0R1234", "Enter", shows="COPYING")
        seen("[4 Run")
        terminal.keys("C-c", "s")
        seen("[5 Report]")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def copying(*options, **terminal):
    program = Program([FAKEDECK, *(options or ("rescue",))], **terminal)
    program.wait("Choose a source")
    to_run(program)
    return program


def to_run(program):
    program.type("sd\r", shows="Nothing has been written")
    program.type("456789\r", shows="elapsed")


def report_outlives_another_choice():
    """How the copy ended is told at the end, whatever was looked at since."""
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        terminal.keys("C-c", "C-c", shows="The exit code will be 6")
        terminal.keys("1", shows="NODE")
        # What was typed for that copy is not typed for the next one.
        terminal.keys("Enter", shows="Nothing has been written")
        assert "[_______]" in terminal.screen()
        terminal.keys("Escape", "1", shows="NODE")
        terminal.keys("g", "s")
        terminal.settled()
        terminal.keys("q")
        assert "LBA 1602117632" in terminal.wait("EXIT 6")


def a_report_goes_on_a_stick():
    """Chosen from a list, asked once more, and told when it can be pulled."""
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        terminal.keys("C-c", "s", shows="The exit code will be 6")
        screen = terminal.keys("s", shows="another place")
        assert "sdz1  16.0G  vfat  BACKUP  SanDisk Ultra" in screen, screen
        terminal.keys("1", shows="mount it and save")
        terminal.keys("Enter", shows="nothing was saved")
        terminal.keys("s", "1", "m", shows="can be pulled")
        terminal.keys("s", "p", shows="the full path of a folder")


def a_copy_that_ends_stays_in_the_list():
    """Of another program: its record goes, and its report is read at once, not when the screen is
    entered the next time."""
    with tempfile.TemporaryDirectory() as folder:
        name = f"{folder}/123.job"
        with open(name, "w", encoding="ascii") as record:
            record.write("clonedeck.job/1\npid 123\nstarted 1\nstate running\nsource /dev/sdy\n"
                         "destination /dev/sdx\n")
            record.flush()
            # F_OFD_SETLK, as the program that copies holds it.
            fcntl.fcntl(record, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
            with Terminal(f"{FAKEDECK} --ending --folder {folder} rescue") as terminal:
                terminal.wait(" sda ")
                terminal.keys("7")
                assert "STOPPED" not in terminal.wait("sdy -> sdx")
                os.unlink(name)
                screen = terminal.wait("STOPPED")
                assert "sdy" not in screen, screen


def what_is_no_longer_true_is_not_said():
    """A hint goes with the next key, whatever that does, and with what it was about."""
    with Terminal(f"{FAKEDECK} --vanish rescue") as terminal:
        terminal.wait(" sda ")
        terminal.keys("i", shows="Esc=close")
        terminal.keys("z", shows="The window shows the keys")
        terminal.keys("Escape")
        assert "The window shows" not in terminal.wait_gone("Esc=close")
        terminal.keys("n", shows="There is no search")
        terminal.keys("/", "sda", shows="Find [sda")
        terminal.keys("Enter")
        assert "no search" not in terminal.wait_gone("Find [")
        press(terminal, RUN)
        terminal.wait("Attach the same disk")
        terminal.keys("Escape", "1", "r", shows="another disk now")
        terminal.keys("Escape", "r", shows="The disk is back")
        terminal.keys("Down")
        terminal.wait_gone("The disk is back")


def a_refused_range_is_not_said_of_the_next_one():
    with Terminal(f"{FAKEDECK} rescue") as terminal:
        start(terminal, RANGES)
        terminal.wait("Free-form range")
        terminal.keys("e", "C-u", "@9", "Enter")
        terminal.wait_match(r"(?m)^ There is no partition 9")
        terminal.keys("C-u")
        terminal.wait_gone("There is no partition 9")


def translated_screens_keep_their_parts():
    """Longer words push out neither the tabs nor the keys that matter."""
    folder = os.environ.get("TRANSLATIONS", "")
    if not os.path.exists(f"{folder}/de/LC_MESSAGES/clonedeck.mo"):
        return "no translations were built"
    for keys, wanted in (([], "?=Hilfe"), (RANGES, "c=Plan"), (PLAN + ["Escape"], "Esc="), (RUN, "Strg-C="),
                         (RUN + ["C-c", "s"], "?=Hilfe")):
        with Terminal(f"{FAKEDECK} rescue", env=translated("de", folder)) as terminal:
            terminal.wait(" sda ")
            terminal.settled()
            terminal.keys(*keys)
            screen = terminal.wait(wanted)
            lines = screen.split("\n")
            for number in "12345":
                assert re.search(rf"[\[ ]{number} \w", lines[0]), lines[0]
            assert "?=Hilfe" in lines[23] and wanted in lines[23], lines[23]
    with Terminal(f"{FAKEDECK} rescue", 60, 20, env=translated("de", folder)) as terminal:
        terminal.wait(" sda ")
        terminal.settled()
        press(terminal, RUN)
        terminal.keys("m", shows="Esc=schließen")
        terminal.wait("gelingen.")
    return None


def unplugged_while_a_range_is_typed():
    """The rows on the screen that is left point into the list of before, which is gone: a build
    with the address sanitizer sees it when somebody looks there."""
    program = Program([FAKEDECK, "rescue", "unplugged"])
    program.wait("Choose a source")
    program.type("sd2", shows="dest LBA")
    program.type("1")
    program.quiet()
    # In one piece: the new list comes when all of it was read, and the range is half typed.
    program.type("r2exxx", shows="is gone")
    # What is still being typed is none of the commands of the screen that has come instead.
    program.type("qhsd", shows="d does nothing here")
    program.type("\x1bq")
    assert program.end()[1] == 0


def keys_for_a_plan_choose_nothing_before_it_is_made():
    """What is typed for the plan would choose other disks, or quit, on the screen that is left."""
    program = Program([FAKEDECK, "rescue"])
    program.wait("Choose a source")
    program.type("sd", shows="will be copied")
    # In one piece: the plan comes when all of it was read.
    program.type("\rjd12sq\x7f", shows="[3 Plan]")
    program.wait("/dev/sdb")
    program.quiet()
    assert "/dev/sdc" not in program.output, program.output
    program.type("\x1bq")
    assert program.end()[1] == 0


def details_are_not_those_of_a_disk_that_is_gone():
    program = Program([FAKEDECK, "rescue", "unplugged"])
    program.wait("Choose a source")
    # In one piece: the details are open before the new list comes.
    program.type("jri", shows="has lost its power")
    program.kill()


def a_line_that_is_typed_does_not_keep_the_screen_garbled():
    """Ctrl-L draws all of it anew, whatever is typed into."""
    for keys, title in (("/sd", "Find"), ("sd\r", "TO START"), ("f/", "Image file"), ("?/sd", "Find")):
        program = Program([FAKEDECK, "rescue"])
        program.wait("Choose a source")
        program.type(keys)
        program.wait(title)
        program.quiet()
        mark = len(program.output)
        program.type("\x0c")
        program.wait("7 Jobs", mark, 10)
        program.wait(title, mark, 10)
        program.kill()


def panes_cost_next_to_nothing():
    """The screen of a running copy at its full rate: far below a hundredth of a core."""
    with Terminal(f"{FAKEDECK} rescue", 120, 40) as terminal:
        start(terminal, RUN)
        terminal.wait("elapsed")
        pid = terminal.deck("fakedeck")
        before = cpu_seconds(pid)
        time.sleep(6)
        used = (cpu_seconds(pid) - before) / 6
        assert used < 0.02, f"{used:.1%} of a core"


def slow_lines_keep_up():
    """A second of a running copy fits through a line of 9600 baud: 960 bytes."""
    for term, lang in (("vt220", "C"), ("vt100", "C"), ("linux", "C.UTF-8")):
        program = copying("--moving", "rescue", term=term, env={"LC_ALL": lang})
        program.quiet(0.1)
        begin, before = time.monotonic(), len(program.output.encode())
        while time.monotonic() < begin + 6:
            program.read(0.1)
        seconds = time.monotonic() - begin
        rate = (len(program.output.encode()) - before) / seconds
        program.kill()
        # Less would be a screen that does not move.
        assert 20 < rate < 960, f"{term}: {rate:.0f} bytes/s"


CASES = [
    resizing_any_time, every_screen_survives_resizing, resize_storm, a_choice_is_kept_and_taken_back,
    arrows_walk_through_the_answers, the_mouse, too_small_says_so, nothing_is_confirmed_unseen,
    serial_line_of_no_size, size_option, redraw_reads_the_size_again, refuses_without_a_terminal,
    no_color, themes, leaves_the_terminal_clean, fatal_signal_gives_the_terminal_back,
    keys_of_every_terminal, keys_are_answered_at_once,
    what_comes_by_itself_takes_no_line_that_is_typed, what_went_wrong_is_told_beside_other_news,
    what_is_said_is_sent_as_a_whole, nothing_starts_by_one_key, the_fast_path_is_short,
    a_lifted_check_stands_on_every_screen, report_outlives_another_choice, a_report_goes_on_a_stick,
    a_copy_that_ends_stays_in_the_list, what_is_no_longer_true_is_not_said,
    a_refused_range_is_not_said_of_the_next_one,
    translated_screens_keep_their_parts, unplugged_while_a_range_is_typed,
    keys_for_a_plan_choose_nothing_before_it_is_made,
    details_are_not_those_of_a_disk_that_is_gone, a_line_that_is_typed_does_not_keep_the_screen_garbled,
    told_keys_can_be_clicked, the_wheel_changes_nothing, the_footer_tells_what_a_key_does_now,
    esc_goes_back_to_where_the_plan_was_asked_for, a_plan_that_was_started_says_so,
    a_field_tells_its_own_keys,
    what_is_cut_says_so,
    panes_cost_next_to_nothing, slow_lines_keep_up,
]

if __name__ == "__main__":
    run(CASES, 2)
