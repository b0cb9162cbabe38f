#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Screens on pretended machines, compared with saved ones.

Each case is a terminal, a machine, keys, and the name of a saved screen in
saved/. Terminals on which a screen looks the same share one; one that shows it
otherwise has its own. With UPDATE=1 in the environment the saved ones are
written anew: look at the difference before committing it.
"""

import collections
import difflib
import os
import pathlib
import re
import sys
import time

from drive import Terminal, cells, run, translated

FAKEDECK = os.environ["FAKEDECK"]
LONGER = 20  # seconds
SAVED = pathlib.Path(__file__).parent / "saved"

CHOOSE = ["s", "d"]
RANGES = CHOOSE + ["2"]
PLAN = CHOOSE + ["Enter"]
RUN = PLAN + ["456789", "Enter"]
BENCH = ["b", "Enter", "p"]
STOPPED = RUN + ["C-c", "s"]
VERIFY = STOPPED + ["v"]
COMPARE = PLAN + ["Escape", "v"]

# The four kinds of terminal that have to work, each at the size it is found in.
TERMINALS = {
    "vt100": ("vt100", "C"),
    "linux": ("linux", "C.UTF-8"),
    "xterm": ("xterm-256color", "C.UTF-8"),
    "tmux": ("tmux-256color", "C"),
}
SIZES = {"80x24": (80, 24), "120x40": (120, 40)}

# name: machine, keys, text to wait for
SCREENS = {
    "disks": ("rescue", CHOOSE, "Enter goes on"),
    "ranges": ("rescue", RANGES, "Free-form range"),
    "plan": ("rescue", PLAN, "Nothing has been written yet"),
    "run": ("rescue", RUN, "elapsed 1:33:45"),
    "report": ("rescue", STOPPED, "STOPPED"),
    "bench": ("rescue", BENCH, "45 of 64"),
}

# Looked at in one terminal only.
SINGLE = {
    "disks-first": ("rescue", [], "Choose a source"),
    "disks-not-root": ("not-root", [], "NOT ROOT"),
    "disks-unfinished": ("--unfinished rescue", [], "UNFINISHED"),
    "disks-unfinished-file": ("--unfinished rescue", ["f"], "was not finished"),
    "disks-partitions": ("rescue", ["p", "Down", "Down", "s"], "Source is /dev/sda2"),
    "disks-details": ("rescue", ["i"], "Esc=close"),
    "disks-refused": ("rescue", ["G", "d"], "vg1-home"),
    "disks-twice": ("rescue", ["s", "Up", "d"], "cannot be copied to itself"),
    "disks-many": ("many", ["G", "k"], "199 of 200"),
    "disks-find": ("many", ["/", "J0137", "Enter"], "138 of 200"),
    "disks-crowded": ("crowded", ["Down", "p", "G"], "130 of 130"),
    "ranges-crowded": ("crowded", RANGES + ["G"], "Free-form range"),
    "plan-crowded": ("crowded", PLAN + ["Escape", "G"], "Letters are commands"),
    "disks-none": ("none", [], "No disk was found"),
    "disks-hidden": ("hidden", [], "hides NVMe disks"),
    "disks-none-details": ("none", ["i"], "There is no disk"),
    "disks-hostile": ("hostile", ["p"], "sda3"),
    "disks-hostile-details": ("hostile", ["i"], "Esc=close"),
    "disks-image": ("rescue", ["f"], "Image file"),
    "disks-image-chosen": ("rescue", ["f", "/nonexistent-folder-of-a-test", "Enter"], "What is"),
    "disks-practice": ("--practice /tmp/practice rescue", [], "PRACTICE"),
    "disks-practice-none": ("--practice /tmp/practice none", [], "losetup"),
    "disks-silent": ("silent", ["Down"], "?> sdb"),
    "disks-silent-chosen": ("silent", ["Down", "s"], "has not answered"),
    "disks-unplugged": ("rescue unplugged", ["Down", "d", "r"], "is gone"),
    "disks-reattached": ("rescue reattached", ["s", "r"], "attached anew"),
    "ranges-unplugged": ("rescue unplugged", RANGES + ["1", "r"], "is gone"),
    "ranges-error": ("rescue", RANGES + ["e", "C-u", "@1,3x,5"], "is not a number"),
    "ranges-undone": ("rescue", RANGES + ["e", "C-u", "0+10,@9", "Escape", "Tab", "4096", "Escape"],
                      "1 extent"),
    "ranges-add": ("rescue", RANGES + ["n", "+", "900000+5000"], "as far as they are not"),
    "ranges-partly": ("rescue", RANGES + ["e", "C-u", "2048-3000,@2", "Enter"], "2 ranges,"),
    "ranges-destination": ("rescue", RANGES + ["Tab", "1KB"], "not a whole number"),
    "ranges-beyond": ("rescue", ["Down", "s", "Home", "d", "2"], "more than sda holds"),
    "ranges-none": ("rescue", RANGES + ["n", "c"], "Nothing is chosen yet"),
    "ranges-hostile": ("hostile", RANGES, "Free-form range"),
    "plan-hostile": ("hostile", ["Down", "s", "Home", "d", "Enter"], "REFUSED"),
    "plan-estimate": ("rescue", PLAN + ["Escape", "m"], "as fast as it reads"),
    "plan-refused": ("rescue", ["Down", "s", "Home", "d", "Enter"], "REFUSED"),
    "plan-fits": ("small", PLAN, "f takes the range"),
    "plan-fit-taken": ("small", PLAN + ["f"], "lift the check"),
    "plan-allow": ("small", PLAN + ["f", "a"], "type the name"),
    "plan-allow-wrong": ("small", PLAN + ["f", "a", "everything", "Enter"], "There is no rule"),
    "plan-allowed": ("small", PLAN + ["f", "a", "table-beyond-end", "Enter"], "LIFTED"),
    "plan-scrolled": ("rescue", PLAN + ["Down", "Down"], "group or takes the wrong"),
    "plan-typing": ("rescue", PLAN + ["456"], "3 of 6 characters"),
    "plan-mistyped": ("rescue", PLAN + ["45v", "o"], "DOES NOT MATCH"),
    "plan-wrong": ("rescue", PLAN + ["45678x", "Enter"], ": not started"),
    "plan-empty": ("rescue", PLAN + ["Enter"], "Not started: type"),
    "plan-letters": ("rescue", PLAN + ["45", "Escape"], "Letters are commands"),
    "plan-not-started": ("--grabbed rescue", RUN[:-1] + ["C-e", "Enter"], "Nothing was copied"),
    "plan-preset": ("rescue", PLAN + ["C-p"], "What is used is not known"),
    "plan-preset-next": ("rescue", PLAN + ["Escape", "p", "p"], "OPTIONS sha256"),
    "plan-options": ("rescue", PLAN + ["Escape", "o"], "Options of the copy"),
    "plan-options-last": ("rescue", PLAN + ["Escape", "o", "Up", "Space"], "Sum: none"),
    "plan-options-limits": ("rescue", PLAN + ["Escape", "o", "Up", "PageUp"], "Slow limit"),
    "plan-options-wrong": ("rescue", PLAN + ["Escape", "o", "16M", "Enter"], "cannot be"),
    "plan-options-taken": ("rescue", PLAN + ["Escape", "o", "1M", "Enter"], "chunk 1M"),
    "plan-ids": ("rescue", PLAN + ["Escape", "i"], "share no ID that is known"),
    "editor": ("rescue", PLAN + ["Escape", "l"], "LAYOUT"),
    "editor-ranges": ("rescue", RANGES + ["l", "Escape"], "Free-form range"),
    "editor-limit": ("rescue", PLAN + ["Escape", "l", "r", "PageDown", "PageDown", "PageDown", "PageDown", "PageDown",
                                       "PageDown", "PageDown"], "cannot become smaller"),
    "editor-typed": ("rescue", PLAN + ["Escape", "l", "e", "C-u", "9T", "Enter"], "no room for partition"),
    "help-editor": ("rescue", PLAN + ["Escape", "l", "?"], "KEYS ON THIS SCREEN"),
    "run-proof": ("--proving rescue", RUN, "MISMATCHES 1"),
    "run-rolling": ("--rolling rescue", RUN, "verified 49%"),
    "run-simple-ailing": ("--simple --ailing rescue", RUN + ["Escape"], "elapsed 1:33:45"),
    "run-simple": ("--simple rescue", RUN + ["p"], "paused"),
    "run-cpu": ("rescue", RUN + ["Tab", "Tab"], "Disks: queue"),
    "run-rescue": ("rescue", RUN + ["Tab"], "Rescue: copying"),
    "run-paused": ("rescue", RUN + ["p"], "PAUSED"),
    "run-letters": ("rescue", RUN + ["M"], "+ copied"),
    "run-where": ("rescue", RUN + ["w"], "16x"),
    "run-map": ("rescue", RUN + ["m"], "1 cell = 5.13 GB"),
    "run-zoom": ("rescue", RUN + ["+"], "from LBA"),
    "run-map-cursor": ("rescue", RUN + ["m", "Home", "Right", "Down", "Down"], "LBA 1572829690"),
    "run-map-areas": ("rescue", RUN + ["m", "Tab", "Down", "Enter"], "kernel does not say"),
    "report-map": ("rescue", STOPPED + ["m", "Tab", "End"], "not the disk itself"),
    "run-map-differs": ("--proving rescue", RUN + ["m", "Tab"], "Digests of"),
    "report-map-ticked": ("rescue", STOPPED + ["m", "Tab", "Space", "Down", "Space"],
                          r"[x]  1700000000"),
    "plan-retry": ("rescue", STOPPED + ["m", "Tab", "Space", "Space", "r"],
                   "Of the bad areas 2 are read again"),
    "run-ailing": ("--ailing rescue", RUN + ["Escape"], "MAP NOT SAVED"),
    "run-map-unsaved": ("--ailing rescue", RUN, "without it the copy cannot be resumed"),
    "run-gone": ("--vanish rescue", RUN, "Attach the same disk"),
    "disks-gone": ("--vanish rescue unplugged", RUN + ["Escape", "1", "r", "Escape"], "4 Run tells"),
    "run-gone-stranger": ("--vanish rescue", RUN + ["Escape", "1", "r", "4", "p"], "not touched"),
    "run-lanes": ("rescue", RUN + ["t"], "IN FLIGHT"),
    "run-log": ("rescue", RUN + ["l"], "newest first"),
    "run-rate": ("rescue", RUN + ["r"], "Bytes per second"),
    "run-rate-wrong": ("rescue", RUN + ["r", "C-u", "fast", "Enter"], "not a rate"),
    "report-log": ("rescue", STOPPED + ["l"], "All of it"),
    "report-save": ("rescue", STOPPED + ["s"], "Esc   do nothing"),
    "report-save-path": ("rescue", STOPPED + ["s", "p"], "on a disk that stays"),
    "report-code": ("rescue", STOPPED + ["c"], "sha256sum"),
    "report-operator": ("rescue", STOPPED + ["o"], "Who made the copy"),
    "report-masking": ("rescue", STOPPED + ["o", "A. Miller", "Enter", "4711", "Enter"], "in full"),
    "report-signed": ("rescue", STOPPED + ["o", "A. Miller", "Enter", "4711", "Enter", "m"],
                      "4711"),
    "report-complete": ("--complete rescue", STOPPED, "The exit code will be 0"),
    "run-verify": ("--complete rescue", VERIFY, "VERIFYING"),
    "verify-question": ("--complete rescue", VERIFY + ["C-c"], "Stop verifying?"),
    "report-changed": ("--complete --proving rescue", PLAN + ["Escape", "l", "Space", "Enter", "456789", "Enter", "C-c", "s",
                                                              "v", "C-c", "s"], "differs by design"),
    "report-verified": ("--complete rescue", VERIFY + ["C-c", "s"], "VERIFIED again"),
    "run-compare": ("rescue", COMPARE, "nothing is written. Ctrl-C"),
    "compare-question": ("rescue", COMPARE + ["C-c"], "Both disks are being compared"),
    "report-compared": ("rescue", COMPARE + ["C-c", "s"], "The exit code will be 0"),
    "report-differs": ("--proving rescue", COMPARE + ["C-c", "s"], "The exit code will be 5"),
    "plan-compared": ("rescue", COMPARE + ["C-c", "s", "3"], "press Enter on 1"),
    "help-plan": ("rescue", PLAN + ["Escape", "?"], "Help for screen 3"),
    "help-disks": ("rescue", ["?"], "Help for screen 1"),
    "help-run": ("rescue", RUN + ["?"], "The copy goes on"),
    "stop-question": ("rescue", RUN + ["C-c"], "Stop the copy?"),
    "not-reached": ("rescue", ["3"], "No source yet"),
    "plan-by-digit": ("rescue", RANGES + ["3"], "Nothing has been written"),
    "wrong-key": ("rescue", ["x"], "x does nothing here"),
    "bench-first": ("rescue", ["b"], "Enter asks which"),
    "bench-question": ("rescue", ["b", "Enter"], "What is to be measured"),
    "bench-stopped": ("rescue", BENCH + ["s", "End", "Up"], "what was measured so far"),
    "bench-bars": ("rescue", ["b", "Enter", "e", "Tab", "Right", "Right", "Right", "G"], "[best]"),
    "bench-again": ("rescue", ["b", "Enter", "e", "Enter", "e"], "before: 330"),
    "bench-other": ("rescue", ["b", "Enter", "e", "Escape", "Down", "b"], "Enter asks which"),
    "bench-failed": ("rescue", ["b", "Enter", "l"], "Only root"),
    "bench-between": ("rescue", CHOOSE + ["b", "Enter", "l"], "Between which disks"),
    "bench-confirm": ("rescue", CHOOSE + ["b", "Enter", "l", "o"], "To start, type"),
    "bench-simple": ("--simple rescue", BENCH, "45 of 64"),
    "jobs": ("--unfinished rescue", ["7"], "HGST"),
    "jobs-sorted": ("--unfinished rescue", ["7", "o", "o", "o", "O"], "Sorted: DONE"),
    "jobs-found": ("--unfinished rescue", ["7", "/", "nas"], "Enter=stay here"),
    "disks-sorted": ("rescue", ["p", "o", "o", "O"], "Sorted: SIZE"),
    "disks-not-found": ("rescue", ["/", "xyz"], "not found"),
    "plan-found": ("rescue", PLAN + ["Escape", "/", "lvm on", "Enter"], "Letters are commands now"),
    "help-found": ("rescue", ["?", "/", "serial"], "Enter=stay here"),
    "jobs-none": ("rescue", ["0"], "No copy runs"),
    "jobs-report": ("--unfinished rescue", ["7", "Down", "Enter"], "exit code 0"),
    "help-bench": ("rescue", ["b", "?"], "Help for screen 6"),
    "bench-none": ("rescue", ["6"], "6 Bench measures"),
    "ascii": ("--glyphs=ascii rescue", RUN, "elapsed 1:33:45"),
    "block": ("--glyphs=block rescue", RUN, "elapsed 1:33:45"),
}

# Where all that counts are the words waited for: the rest of the screen is saved under another name.
WORDS = [f"{name}-80x24" for name in (
    "disks-refused", "disks-twice", "disks-find", "disks-image-chosen", "ranges-none", "plan-scrolled",
    "plan-letters", "plan-preset-next", "disks-reattached", "plan-wrong", "plan-empty", "plan-allow-wrong", "run-rate-wrong", "not-reached",
    "plan-by-digit", "wrong-key", "bench-none", "plan-ids", "editor-ranges")]

# Looked at where there is room for more.
WIDE = ["editor", "jobs", "run-paused", "help-run", "run-compare", "report-differs", "plan-estimate", "run-ailing", "disks-crowded", "plan-crowded",
        "disks-gone"]

# The smallest screen, and a large one.
EXTREME = {"disks": "will be copied", "plan": "S/N", "editor": "stays", "run": "COPYING", "jobs": "STOPPED"}
EXTREME_SIZES = {"40x8": (40, 8), "200x60": (200, 60)}

# The same in German: longer words, at the size where they have the least room.
GERMAN = ["disks", "ranges", "plan", "editor", "editor-limit", "run", "run-cpu", "run-proof", "run-rolling", "run-simple", "report",
          "report-save", "plan-options", "plan-options-last", "plan-options-limits",
          "run-map-areas", "run-lanes", "run-map-differs", "run-gone", "report-map-ticked",
          "help-disks", "help-run", "stop-question", "disks-details", "report-complete",
          "report-verified", "verify-question", "run-compare", "compare-question", "report-compared",
          "report-differs", "plan-compared", "help-plan", "plan-estimate", "run-ailing", "jobs"]
GERMAN_WIDE = ["disks", "plan", "run", "report"]
# The screens of a copy, with their words in columns.
OTHERS = ["es", "fr", "ja", "pl", "pt_BR", "uk", "zh_CN"]
OTHER_SCREENS = ["disks", "plan", "run", "report"]
TRANSLATIONS = os.environ.get("TRANSLATIONS", "")


def normal(screen):
    """Without what differs from machine to machine."""
    return re.sub(r"\b\d+ (cores?)\b", r"N \1", screen.rstrip("\n")) + "\n"


def compare(name, usual, terminal):
    """Once it has come to rest. Where that looks different, the deck may not have had its turn yet:
    it gets some more time before the screen counts as another one."""
    path = SAVED / f"{name}.txt"
    if os.environ.get("UPDATE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(normal(terminal.settled()), encoding="utf-8")
        return
    saved = (path if path.exists() else SAVED / f"{usual}.txt").read_text(encoding="utf-8")
    end = time.monotonic() + LONGER
    while (screen := normal(terminal.settled())) != saved:
        if time.monotonic() > end:
            difference = difflib.unified_diff(saved.splitlines(), screen.splitlines(), "saved",
                                              "now", lineterm="")
            raise AssertionError(f"{name} looks different:\n" + "\n".join(difference))


def boxes(screen):
    """Top, left, bottom and right of every box that nothing covers. The lines of a graph have
    corners, too, but make no box."""
    def is_one_of(chars, row, col):
        return screen.get((row, col), ("", None))[0] in chars

    for row, col in screen:
        bottom, right = row + 1, col + 1
        if not is_one_of(("╭", "┌", "+"), row, col) or not is_one_of(("─", "-"), row, right):
            continue
        while is_one_of(("│", "|"), bottom, col):
            bottom += 1
        while is_one_of(("─", "-"), bottom, right):
            right += 1
        if bottom > row + 1 and right > col + 20 and is_one_of(("╯", "┘", "+"), bottom, right):
            yield row, col, bottom, right


def frame_cells(screen):
    """The edges of all boxes, but for their titles, and the rules that go to the end of a row."""
    edges = []
    for top, left, bottom, right in boxes(screen):
        edges += [(row, col) for row in range(top, bottom + 1) for col in (left, right)]
        edges += [(bottom, col) for col in range(left, right + 1)]
        edges += [(top, col) for col in range(left, right) if screen[top, col][0] == "─"]
    for row in {row for row, _ in screen}:
        text = "".join(screen[at][0] for at in sorted(screen) if at[0] == row).rstrip()
        if "│" not in text and text.endswith("─" * 20):
            edges += [at for at in screen if at[0] == row and screen[at][0] == "─"]
    return edges


def frames_are_plain(name, terminal):
    """Whatever stands inside, a frame has the one grey of all frames, and is not bold."""
    screen = {(row, col): cell for row, line in enumerate(cells(terminal.screen(raw=True)))
              for col, cell in enumerate(line)}
    edges = frame_cells(screen)
    assert edges or not any(char in ("╭", "┌") for char, _ in screen.values()), f"{name}: no frame found"
    for row, col in edges:
        char, shown = screen[row, col]
        assert shown <= {300 + 241}, f"{name}: the frame '{char}' in line {row}, column {col} has {set(shown)}"


def press(terminal, keys):
    """A key that is quicker than its screen would be one of the screen before."""
    done = 0
    for start, tab in ((PLAN, "[3 "), (RUN, "[4 "), (COMPARE + ["C-c", "s"], "[5 ")):
        if keys[:len(start)] == start:
            terminal.keys(*keys[done:len(start)])
            terminal.wait(tab)
            done = len(start)
    terminal.keys(*keys[done:])


def share():
    """After an update: what looks the same in most of the terminals is kept once."""
    for what in SCREENS:
        for size in SIZES:
            usual = SAVED / f"{what}-{size}.txt"
            own = [path for name in TERMINALS if (path := SAVED / f"{what}-{size}-{name}.txt").exists()]
            if len(own) == len(TERMINALS):
                looks = collections.Counter(path.read_text(encoding="utf-8") for path in own)
                usual.write_text(looks.most_common(1)[0][0], encoding="utf-8")
            for path in own:
                if path.read_text(encoding="utf-8") == usual.read_text(encoding="utf-8"):
                    path.unlink()


def case(name, machine, keys, wanted, cols, rows, term, lang, env="", usual=""):
    def body():
        with Terminal(f"{FAKEDECK} {machine}", cols, rows, term, lang, env) as terminal:
            terminal.wait("No disk" if machine.endswith(("none", "hidden")) else " sda ")
            terminal.settled()
            press(terminal, keys)
            terminal.wait(wanted)
            if name not in WORDS:
                compare(name, usual, terminal)
            frames_are_plain(name, terminal)

    body.__name__ = name
    return body


def cases():
    for what, (machine, keys, wanted) in SCREENS.items():
        for size, (cols, rows) in SIZES.items():
            for terminal, (term, lang) in TERMINALS.items():
                yield case(f"{what}-{size}-{terminal}", machine, keys, wanted, cols, rows, term,
                           lang, usual=f"{what}-{size}")
    for name, (machine, keys, wanted) in SINGLE.items():
        yield case(f"{name}-80x24", machine, keys, wanted, 80, 24, "tmux-256color", "C.UTF-8")
    for name in WIDE:
        machine, keys, wanted = SINGLE[name]
        yield case(f"{name}-120x40", machine, keys, wanted, 120, 40, "tmux-256color", "C.UTF-8")
    for name, wanted in EXTREME.items():
        machine, keys, _ = {**SCREENS, **SINGLE}[name]
        for size, (cols, rows) in EXTREME_SIZES.items():
            yield case(f"{name}-{size}", machine, keys, wanted, cols, rows, "tmux-256color", "C.UTF-8")
    if os.path.exists(f"{TRANSLATIONS}/de/LC_MESSAGES/clonedeck.mo"):
        for what, size in [(what, "80x24") for what in GERMAN] + \
                          [(what, "120x40") for what in GERMAN_WIDE]:
            machine, keys, _ = {**SCREENS, **SINGLE}[what]
            yield case(f"{what}-{size}-de", machine, keys, "3 Plan", *SIZES[size], "linux",
                       "C.UTF-8", translated("de", TRANSLATIONS))
    for language in OTHERS if os.path.exists(f"{TRANSLATIONS}/ja/LC_MESSAGES/clonedeck.mo") else []:
        for what in OTHER_SCREENS:
            machine, keys, _ = SCREENS[what]
            yield case(f"{what}-80x24-{language}", machine, keys, "3 ", *SIZES["80x24"], "xterm-256color", "C.UTF-8",
                       translated(language, TRANSLATIONS))


if __name__ == "__main__":
    if os.environ.get("UPDATE") and not sys.argv[1:]:
        for old in SAVED.glob("*.txt"):
            old.unlink()
    try:
        run(list(cases()))
    finally:
        if os.environ.get("UPDATE"):
            share()
