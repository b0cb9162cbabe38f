#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""picture.py FILE.svg DEMO: the deck in the middle of a copy, in colour, as README.md shows it.
DEMO opens it on two practice disks:

    sudo tests/screens/picture.py data/deck.svg './bootstrap demo'
"""

import pathlib
import re
import sys
from xml.sax.saxutils import escape

from drive import Terminal, cells

COLUMNS, ROWS = 80, 24
# A dark terminal, and the eight colours by their numbers in SGR.
GROUND, TEXT, FAINT = "#16191d", "#d4d8dd", "#8b939c"
COLOURS = dict(enumerate(("#5c646d", "#e5686d", "#7fbf7a", "#d9b25f", "#6ea6e8", "#c58ee0",
                          "#5fbfc4", "#d4d8dd"), 30))
STEPS = (0, 95, 135, 175, 215, 255)
# As xterm has them.
for number in range(16, 232):
    COLOURS[300 + number] = "#%02x%02x%02x" % tuple(STEPS[(number - 16) // place % 6] for place in (36, 6, 1))
for number in range(232, 256):
    COLOURS[300 + number] = "#" + f"{8 + 10 * (number - 232):02x}" * 3
WIDE, HIGH, EDGE = 8, 18, 12
FONT = "'DejaVu Sans Mono',Menlo,Consolas,monospace"
# Where the dots of a Braille character are, by the bits of its number: column and row.
DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))


def look(shown):
    """Colour of the characters, colour behind them or None, whether they are bold."""
    front = next((COLOURS[code] for code in shown if code in COLOURS), TEXT)
    if 2 in shown:
        front = FAINT
    back = next((COLOURS[code - 300] for code in shown if code >= 600), None)
    return (back or GROUND, front, 1 in shown) if 7 in shown else (front, back, 1 in shown)


def runs(row):
    """Neighbours that look the same: column, text, look."""
    found = []
    for column, (char, shown) in enumerate(row):
        if found and found[-1][2] == look(shown):
            found[-1][1] += char
        else:
            found.append([column, char, look(shown)])
    return found


def box(left, top, columns, colour):
    return (f'<rect x="{left}" y="{top}" width="{columns * WIDE}" height="{HIGH}" '
            f'fill="{colour}"/>')


def dots(left, top, text, colour):
    """Graphs: few fonts have Braille of the width of their other characters."""
    path = "".join(f"M{left + at * WIDE + column * 4 + 1} {top + row * 4.5 + 1:g}h2.5v3h-2.5z"
                   for at, char in enumerate(text) for bit, (column, row) in enumerate(DOTS)
                   if ord(char) - 0x2800 >> bit & 1)
    return f'<path d="{path}" fill="{colour}"/>'


def word(left, top, text, colour, bold):
    """Each has a place of its own, since fonts differ in their width."""
    if all(0x2800 <= ord(char) < 0x2900 for char in text):
        return dots(left, top, text, colour)
    fill = f' fill="{colour}"' if colour != TEXT else ""
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{left}" y="{top + HIGH - 5}" textLength="{len(text) * WIDE}" '
            f'lengthAdjust="spacingAndGlyphs"{fill}{weight}>{escape(text)}</text>')


def draw(screen):
    size = (COLUMNS * WIDE + 2 * EDGE, ROWS * HIGH + 2 * EDGE)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" '
           f'font-family="{FONT}" font-size="13.3" fill="{TEXT}">',
           f'<rect width="{size[0]}" height="{size[1]}" rx="8" fill="{GROUND}"/>']
    for line, row in enumerate(cells(screen)[:ROWS]):
        for column, text, (front, behind, bold) in runs(row):
            left, top = EDGE + column * WIDE, EDGE + line * HIGH
            if behind:
                out.append(box(left, top, len(text), behind))
            out += [word(left + part.start() * WIDE, top, part[0], front, bold)
                    for part in re.finditer(r"\S+", text)]
    return "\n".join(out + ["</svg>", ""])


def main():
    path, demo = sys.argv[1:]
    with Terminal(demo, COLUMNS, ROWS) as terminal:
        terminal.wait("laptop.img")
        terminal.keys("s", "d", "Enter")
        node = re.search(r"full path of the destination, (\S+)", terminal.wait("TO START"))[1]
        terminal.keys(*node, "Enter")
        # Slower than it could be, so that there is a past to see.
        terminal.wait("COPYING")
        terminal.keys("r", "C-u", *"30MB", "Enter")
        terminal.wait_match(r"COPY [67][0-9]\.")
        pathlib.Path(path).write_text(draw(terminal.screen(raw=True)), encoding="utf-8")
        # It takes its practice disks away.
        terminal.keys("C-c", "s")
        terminal.wait("[5 Report]")
        terminal.keys("q")
        terminal.wait("EXIT")


main()
