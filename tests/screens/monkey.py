#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever presses anything: keys, clicks, sizes and terminals by chance, on pretended machines. The
deck never crashes, never hangs and ends with no other exit code than its own.

Every choice comes from the number of the round, and a failure prints it:

    monkey.py round_7                                  that round again
    CLONEDECK_SOAK_SECONDS=3600 monkey.py soak         new rounds for an hour
    CLONEDECK_SOAK_SEED=4711 CLONEDECK_SOAK_SECONDS=0 monkey.py soak
"""

import contextlib
import os
import random
import sys
import tempfile
import time

from drive import PATIENCE, kill, run
from pty_program import Program

FAKEDECK = os.environ["FAKEDECK"]
ROUNDS, STEPS = 6, 40
EXIT_CODES = {0, 2, 3, 4, 5, 6}
NOBODY = 99  # what the pretended deck says when there is none to attach to

MACHINES = ["rescue", "rescue", "hostile", "many", "crowded", "small", "none", "silent", "not-root",
            "rescue unplugged rescue"]
OPTIONS = ["--moving", "--proving", "--rolling", "--complete", "--ailing", "--unfinished", "--simple", "--grabbed",
           "--glyphs=ascii", "--glyphs=half", "--glyphs=block", "--theme=light", "--theme=high", "--color=never",
           "--practice=/nowhere"]
TERMINALS = [("xterm-256color", "C.UTF-8"), ("linux", "C.UTF-8"), ("vt100", "C"), ("tmux-256color", "C.UTF-8"),
             ("xterm-256color", "C")]
SIZES = [(80, 24), (120, 40), (40, 8), (40, 10), (60, 20), (200, 60), (300, 90), (132, 43), (41, 9)]

ESCAPE, ENTER, TAB, STOP = "\x1b", "\r", "\t", "\x03"
SPECIAL = [ESCAPE + code for code in ("[A", "[B", "[C", "[D", "OA", "OB", "[5~", "[6~", "[H", "[F", "[1~", "[4~", "OP",
                                      "[3~", "[Z", "")]
SPECIAL += [TAB, ENTER, STOP, "\x7f", *(chr(64 ^ ord(letter)) for letter in "LPUEAKWHRBFND")]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,./?+-=@:;<>[]*#!%&()_'\"~"
CHOOSE, TOKEN = ["s", "d"], list("456789")
BEGINNINGS = [[], [], [*CHOOSE, "2"], [*CHOOSE, ENTER], ["7"], ["b", ENTER, "p"], [*CHOOSE, ENTER, ESCAPE, "l"],
              *3 * [[*CHOOSE, ENTER, *TOKEN, ENTER]], [*CHOOSE, ENTER, *TOKEN, ENTER, STOP, "s"]]
# What leads somewhere; chance alone seldom does.
WAYS = [["s"], CHOOSE, [*CHOOSE, "2"], [*CHOOSE, ENTER], [*TOKEN, ENTER], [ESCAPE, "o"], [ESCAPE, "l"], [ESCAPE, "m"],
        [ESCAPE, "p"], ["/", "s"], ["/", "1", ENTER], ["o", "o", "O"], ["7"], ["0"], ["6", ENTER, "p"], ["4", "m", TAB],
        ["5", "m", TAB], [STOP, "s"], ["5", "l"], ["5", "o", "A", ENTER], ["4", "t"], ["4", "l"], ["4", "w"],
        ["4", TAB], ["?", "/", "e"], ["1"], ["2"], ["3"], ["2", "e"], ["2", "l"], ["2", "n", "+"], [ESCAPE], ["i"],
        ["f"], ["p"], ["5", "Q"], ["q", "s"], ["g"], ["G"]]


class Ended(Exception):
    """The deck did, with this exit code."""


class Monkey:
    def __init__(self, seed, folder):
        self.dice = random.Random(seed)
        self.folder = folder
        self.done = []  # what was done, for whoever looks for the reason
        self.decks = []
        self.program = None
        self.others = []  # that look on, and take nothing

    def begin(self):
        options = [option for option in OPTIONS if self.dice.random() < 0.15]
        self.exit_codes = EXIT_CODES
        self.practises = any("--practice" in option for option in options)
        self.start(*options, *self.dice.choice(MACHINES).split())
        self.decks.append(self.program.deck())
        self.press_all(self.dice.choice(BEGINNINGS))

    def start(self, *arguments):
        term, lang = self.dice.choice(TERMINALS)
        self.cols, self.rows = self.dice.choice(SIZES)
        self.done.append((term, lang, self.cols, self.rows, *arguments))
        self.program = Program([FAKEDECK, f"--folder={self.folder}", *arguments], term, self.cols, self.rows,
                               {"LC_ALL": lang, "HOME": self.folder})
        self.wait_for_output(0)

    # ---- what it sees ----

    def look(self):
        """What comes soon."""
        for _ in range(20):
            if not self.program.read(0.004):
                break
        if len(self.program.output) > 400000:
            self.program.output = self.program.output[-2000:]
        self.mind_end()

    def mind_end(self):
        pid, status = os.waitpid(self.program.pid, os.WNOHANG)
        if not pid:
            return
        self.program.read(0.05)
        self.program.hang_up()
        program, self.program = self.program, None
        self.ended(os.waitstatus_to_exitcode(status), program.output)

    def ended(self, code, output):
        assert code in self.exit_codes, f"exit code {code}: {output[-2000:]!r}"
        raise Ended(code)

    def wait_for_output(self, after):
        end = time.monotonic() + PATIENCE
        while len(self.program.output) <= after:
            self.program.read(0.1)
            self.mind_end()
            assert time.monotonic() < end, f"no answer: {self.program.output[-2000:]!r}"

    # ---- what it does ----

    def press(self, keys):
        self.done.append(keys)
        with contextlib.suppress(OSError):
            os.write(self.program.master, keys if isinstance(keys, bytes) else keys.encode())
        # An escape sequence ends where nothing follows soon.
        if keys[:1] in (ESCAPE, ESCAPE.encode()):
            self.program.read(0.03)

    def press_all(self, way):
        for keys in way:
            self.press(keys)
            self.program.read(0.01)

    def click(self):
        button = self.dice.choice((0, 0, 0, 0, 64, 65, 2, 1))
        col, row = self.dice.randint(0, min(self.cols, 222) - 1), self.dice.randint(0, min(self.rows, 222) - 1)
        self.press(b"\x1b[M" + bytes([32 + button, 33 + col, 33 + row]))
        if button < 64:
            self.press(b"\x1b[M" + bytes([35, 33 + col, 33 + row]))

    def resize(self):
        known = self.dice.random() < 0.6
        self.cols, self.rows = self.dice.choice(SIZES) if known else (self.dice.randint(1, 260),
                                                                      self.dice.randint(1, 100))
        self.done.append((self.cols, self.rows))
        self.program.resize(self.cols, self.rows)

    def leave(self):
        """The line drops; a copy goes on, and another terminal comes to it. Nobody comes to a practice
        copy: that goes on until it has ended, which a pretended one never does."""
        if self.practises:
            return
        self.done.append("hang up")
        program, self.program = self.program, None
        program.hang_up()
        code = program.wait_end()
        if code not in self.exit_codes or not os.path.exists(f"{self.folder}/{self.decks[-1]}.socket"):
            self.ended(code, program.output)
        # It may end at any moment: then there is nothing to come to.
        self.exit_codes = EXIT_CODES | {NOBODY}
        self.start(f"--attach={self.decks[-1]}", "rescue")

    def share(self):
        """Another terminal comes to a copy, and has the keys from then on."""
        if not os.path.exists(f"{self.folder}/{self.decks[-1]}.socket"):
            return
        self.others.append(self.program)
        self.exit_codes = EXIT_CODES | {NOBODY}
        self.start(f"--attach={self.decks[-1]}", "rescue")
        self.press("T")

    def step(self):
        if not self.program:
            self.begin()
        what = self.dice.random()
        if what < 0.3:
            # To quit all the time would show little.
            key = self.dice.choice(LETTERS)
            self.press("4" if key in "qQ" and self.dice.random() < 0.9 else key)
        elif what < 0.55:
            self.press(self.dice.choice(SPECIAL))
        elif what < 0.75:
            self.press_all(self.dice.choice(WAYS))
        elif what < 0.89:
            self.click()
        elif what < 0.96:
            self.resize()
        elif what < 0.98:
            self.leave()
        else:
            self.share()
        self.look()

    def still_answers(self):
        if not self.program:
            return
        self.program.resize(80, 24)
        # What moves is never quiet for long.
        for _ in range(30):
            if not self.program.read(0.1):
                break
        self.mind_end()
        before = len(self.program.output)
        self.press("\x0c")
        self.wait_for_output(before)

    def end(self):
        for program in [*self.others, *([self.program] if self.program else [])]:
            program.kill()
        kill(self.decks)


def play(seed):
    with tempfile.TemporaryDirectory(prefix="clonedeck-monkey.") as folder:
        monkey = Monkey(seed, folder)
        try:
            for _ in range(STEPS):
                with contextlib.suppress(Ended):
                    monkey.step()
            with contextlib.suppress(Ended):
                monkey.still_answers()
        except AssertionError as error:
            raise AssertionError(f"round {seed}: {error}\n{monkey.done}") from error
        finally:
            monkey.end()


def round_of(seed):
    def body():
        play(seed)

    body.__name__ = f"round_{seed}"
    return body


def soak():
    """Rounds until the time is over, at least one."""
    seed = int(os.environ.get("CLONEDECK_SOAK_SEED", random.SystemRandom().randint(1, 1 << 30)))
    end = time.monotonic() + float(os.environ.get("CLONEDECK_SOAK_SECONDS", 60))
    rounds = 0
    print(f"# seed {seed}")
    while not rounds or time.monotonic() < end:
        play(seed + rounds)
        rounds += 1
    print(f"# {rounds} rounds")


if __name__ == "__main__":
    run([soak] if "soak" in sys.argv[1:] else [round_of(seed) for seed in range(1, ROUNDS + 1)])
