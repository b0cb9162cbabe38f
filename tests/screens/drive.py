# SPDX-License-Identifier: GPL-3.0-or-later
"""What the screen tests share: a terminal in tmux, and test results as TAP."""

import concurrent.futures
import contextlib
import functools
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unicodedata

# Seconds. Only what hangs takes so long: a machine with much else to do is waited for.
PATIENCE = 120

ACS = str.maketrans("lqkxmjtunvwaoprs", "┌─┐│└┘├┤┼┴┬▒⎺⎻⎼⎽")


def cells(text):
    """The rows of a screen as pairs: a character, with the terminal's own line drawing as box
    characters, and the attributes that it is shown with (the numbers of SGR)."""
    rows = []
    drawing, shown = False, frozenset()
    for line in text.split("\n"):
        row = []
        for codes, char in re.findall("\x1b\\[([0-9;:]*)m|(.)", line):
            if not char:
                shown = with_codes(shown, codes)
            elif char in "\x0e\x0f":
                drawing = char == "\x0e"
            else:
                row.append((char.translate(ACS) if drawing else char, shown))
                # The second half of a wide one.
                row += [("", shown)] * (unicodedata.east_asian_width(char) in "WF")
        rows.append(row)
    return rows


def with_codes(shown, codes):
    """The attributes behind another sequence: 0 ends all, 22 to 29 and 39, 49 one kind each. Of
    256 colours, the number on top of 300 for the characters and of 600 for what is behind them."""
    codes = re.sub(r"\b([34])8[;:]5[;:](\d+)", lambda code: str((300 if code[1] == "3" else 600) + int(code[2])),
                   codes)
    for code in codes.split(";"):
        number = int(code.split(":")[0] or 0)
        if number == 0:
            shown = frozenset()
        elif number == 39 or 30 <= number < 38 or 90 <= number < 98 or 300 <= number < 600:
            shown = frozenset(old for old in shown if not (30 <= old < 38 or 90 <= old < 98 or
                                                           300 <= old < 600))
            shown |= {number} - {39}
        elif number == 49 or 40 <= number < 48 or 100 <= number < 108 or number >= 600:
            shown = frozenset(old for old in shown if not (40 <= old < 48 or 100 <= old < 108 or
                                                           old >= 600))
            shown |= {number} - {49}
        elif number == 22:
            shown -= {1, 2}
        elif 23 <= number <= 29:
            shown -= {number - 20}
        else:
            shown |= {number}
    return shown


def undecorated(text):
    """Without attributes."""
    return "\n".join("".join(char for char, _ in row).rstrip() for row in cells(text))


def below(pid):
    """The processes that one has started, and those that they have."""
    out = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in map(str.split, out.splitlines())}

    def under(parent):
        children = [child for child, its in parents.items() if its == parent]
        return children + [grandchild for child in children for grandchild in under(child)]

    return under(pid)


def kill(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@functools.cache
def locales():
    """Newer C libraries translate nothing in C.UTF-8: here its files have another name."""
    folder = tempfile.TemporaryDirectory()
    os.symlink("/usr/lib/locale/C.utf8", f"{folder.name}/en_US.utf8")
    return folder


def translated(language, catalogues):
    """For the environment of a Terminal."""
    return f"LOCPATH={locales().name} LC_ALL=en_US.UTF-8 LANGUAGE={language} TRANSLATIONS={catalogues}"


class Terminal:
    """A program in a tmux of its own; ends with the test whatever happens."""

    def __init__(self, command, cols=80, rows=24, term="tmux-256color", lang="C.UTF-8", env=""):
        environment = f"env -u NO_COLOR -u COLORFGBG -u LINES -u COLUMNS TERM={term} LC_ALL={lang} TZ=UTC {env}"
        # One client for all commands: to start one for each takes more than all that the deck does.
        self.client = subprocess.Popen(
            ["tmux", "-L", f"clonedeck-test-{os.getpid()}-{time.monotonic_ns()}", "-f", "/dev/null", "-C",
             "new-session", "-f", "no-output", "-x", str(cols), "-y", str(rows),
             f"{environment} {command}; echo EXIT $?; exec sleep 1000"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace",
            env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.decorated, self.plain = "", ""
        self.answer("new-session")
        self.tmux("set", "-g", "status", "off")
        self.pid = int(self.tmux("display", "-p", "#{pane_pid}"))

    def tmux(self, *arguments):
        """A command and what it prints."""
        self.client.stdin.write(shlex.join(arguments) + "\n")
        self.client.stdin.flush()
        return self.answer(arguments)

    def answer(self, command):
        """What stands between %begin, a time and a number, and %end or %error with the same."""
        lines, begun = [], None
        for line in self.client.stdout:
            if begun is None:
                begun = line.split()[1:3] if line.startswith("%begin ") else None
            elif line.startswith(("%end ", "%error ")) and line.split()[1:3] == begun:
                if line.startswith("%error "):
                    break
                return "".join(lines)
            else:
                lines.append(line)
        raise AssertionError(f"tmux {command}: {''.join(lines)}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Without its terminal the deck would go on copying, and a pretended copy never ends.
        if self.client.poll() is None:
            with contextlib.suppress(AssertionError, BrokenPipeError, ProcessLookupError):
                for pid in self.tmux("list-panes", "-a", "-F", "#{pane_pid}").split():
                    decks = below(int(pid))
                    os.killpg(int(pid), signal.SIGKILL)
                    kill(decks)
            self.hang_up()

    def hang_up(self):
        """The terminal goes, as a line does that drops: the program has to see to itself."""
        with contextlib.suppress(AssertionError, BrokenPipeError):
            self.tmux("kill-server")
        self.client.communicate(timeout=PATIENCE)

    def screen(self, raw=False):
        text = self.tmux("capture-pane", "-p", "-e")
        if text != self.decorated:
            self.decorated, self.plain = text, undecorated(text)
        return text if raw else self.plain

    def until(self, holds, what, seconds=PATIENCE):
        """Until something holds for the screen; the screen then."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            screen = self.screen()
            if holds(screen):
                return screen
            time.sleep(0.05)
        raise AssertionError(f"{what}:\n{self.screen()}")

    def wait(self, wanted):
        """Until a text is on the screen."""
        return self.until(lambda screen: wanted in screen, f"'{wanted}' did not appear")

    def wait_match(self, pattern):
        """The same for a regular expression."""
        return self.until(lambda screen: re.search(pattern, screen),
                          f"'{pattern}' did not appear")

    def wait_gone(self, unwanted):
        """Until a text is on the screen no more."""
        return self.until(lambda screen: unwanted not in screen, f"'{unwanted}' stayed")

    def settled(self, seconds=PATIENCE):
        """The screen once it does not change any more."""
        end = time.monotonic() + seconds
        before, since = None, time.monotonic()
        while time.monotonic() < end:
            screen = self.screen()
            if screen != before:
                before, since = screen, time.monotonic()
            elif time.monotonic() - since > 0.3:
                return screen
            time.sleep(0.05)
        raise AssertionError("the screen never came to rest")

    def keys(self, *keys, shows=None):
        """Keys by tmux's names; what is no name is typed. Each one is let through alone. With `shows`,
        waits for this text and returns the screen with it."""
        for key in keys:
            self.tmux("send-keys", key)
            time.sleep(0.06)
        return self.wait(shows) if shows else None

    def resize(self, cols, rows):
        self.tmux("resize-window", "-x", str(cols), "-y", str(rows))

    def child(self, name):
        """Process number of the program below the shell; of a deck, its stand-in."""
        out = subprocess.run(["pgrep", "-P", str(self.pid), "-x", name], capture_output=True,
                             text=True, check=False).stdout
        if not out.strip():
            raise AssertionError(f"{name} does not run")
        return int(out.split()[0])

    def deck(self, name):
        """Process number of the deck itself."""
        return below(self.child(name))[0]


def outcome(case):
    """What became of a case: a remark (why it was skipped) and what went wrong."""
    try:
        result = case()
        return result if isinstance(result, str) else "", ""
    except Exception:  # pylint: disable=broad-except
        return "", traceback.format_exc()


def run(cases, together=4):
    """Runs functions by their names as TAP, some at a time; arguments choose some of them."""
    chosen = [case for case in cases if not sys.argv[1:] or case.__name__ in sys.argv[1:]]
    print(f"1..{len(chosen)}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(together) as pool:
        for number, (case, result) in enumerate(zip(chosen, pool.map(outcome, chosen)), 1):
            skipped, trouble = result
            skip = f" # SKIP {skipped}" if skipped else ""
            print(f"{'not ok' if trouble else 'ok'} {number} {case.__name__}{skip}")
            failed += bool(trouble)
            for line in trouble.splitlines():
                print(f"# {line}")
            sys.stdout.flush()
    sys.exit(1 if failed else 0)
