#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The screens in a language that nobody speaks, made here from the messages: each is 40 % longer,
every second one in wide characters without blanks, as Japanese has them. What is checked is not the
words but the place: no frame is broken, no row is wider than the terminal, the deck goes on.
"""

import itertools
import pathlib
import re
import subprocess
import tempfile

from drive import Terminal, cells, run, translated
from saved import FAKEDECK, SCREENS, SINGLE, SIZES, boxes, press

PO = pathlib.Path(__file__).parents[2] / "po" / "de.po"
FORMAT = re.compile(r"%(?:<PRI\w+>|[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t)?[diouxXeEfgGcsp%])"
                    r"|\\.|  +|[A-Za-z]+| ")
ACCENTS = str.maketrans("acdeghijklnorstuwyzACDEGHIJKLNORSTUWYZ", "áćďéğħíĵķĺñóŕšťúŵýžÁĆĎÉĞĦÍĴĶĹÑÓŔŠŤÚŴÝŽ")
MORE = 0.4


def longer(word):
    more = round(len(word) * MORE)
    return word.translate(ACCENTS) + "ö" * more


def wider(word):
    count = max(1, round(len(word) * (1 + MORE) / 2))
    return "".join(chr(ord(char) - ord("!") + 0xff01) for char in (word * 2)[:count])


def pretend(text, wide):
    """Another language's words, with the formats, the columns and the ends of lines of this text."""
    def one(match):
        word = match[0]
        if word.isalpha():
            return wider(word) if wide else longer(word)
        return "" if wide and word == " " else word

    return FORMAT.sub(one, text)


def make_language(folder, name):
    """All messages of the German catalogue, which is complete."""
    out = ['msgid ""', f'msgstr "Language: {name}\\nContent-Type: text/plain; charset=UTF-8\\n"',
           '"Plural-Forms: nplurals=2; plural=n != 1;\\n"', ""]
    number = itertools.count()
    for entry in PO.read_text(encoding="utf-8").split("\n\n")[1:]:
        lines = entry.splitlines()
        out += [line for line in lines if line.startswith("#,")]
        lines = [line for line in lines if not line.startswith("#")]
        texts = {}
        for line in lines:
            key, quoted = re.fullmatch(r'(msg\S+)? ?"(.*)"', line).groups()
            field = key or field
            texts[field] = texts.get(field, "") + quoted
        if not texts:
            continue
        wide = next(number) % 2 == 1
        plural = texts.get("msgid_plural")
        for field, text in texts.items():
            if field.startswith("msgstr"):
                text = pretend(plural if plural and field != "msgstr[0]" else texts["msgid"], wide)
            out.append(f'{field} "{text}"')
        out.append("")
    place = pathlib.Path(folder) / name / "LC_MESSAGES"
    place.mkdir(parents=True)
    subprocess.run(["msgfmt", "-o", str(place / "clonedeck.mo"), "-"], input="\n".join(out), text=True, check=True)


EDGES = {"╭": ((0, 1, "╮"), (1, 0, "╰")), "╰": ((0, 1, "╯"), (-1, 0, "╭")),
         "╮": ((1, 0, "╯"),), "╯": ((-1, 0, "╮"),)}


def frames(screen):
    """What is wrong with them: from each corner the edges go on to the next corners, or to another
    box that lies on top. In the upper edge stands the title."""
    grid = {(row, col): cell[0] for row, line in enumerate(screen) for col, cell in enumerate(line)}
    whole = list(boxes({at: (char, None) for at, char in grid.items()}))
    for (row, col), corner in grid.items():
        for down, right, end in EDGES.get(corner, ()):
            edge, at = "│" if down else "─", (row + down, col + right)
            covers = [box for box in whole if (row, col) not in ((box[0], box[1]), (box[0], box[3]),
                                                                 (box[2], box[1]), (box[2], box[3]))]
            while (char := grid.get(at)) not in (end, None) and not any(
                    top <= at[0] <= bottom and left <= at[1] <= side for top, left, bottom, side in covers):
                if char != edge and corner != "╭":
                    break
                at = (at[0] + down, at[1] + right)
            if char != end and not any(top <= at[0] <= bottom and left <= at[1] <= side
                                       for top, left, bottom, side in covers):
                yield f"the edge from '{corner}' in line {row}, column {col} ends at {at} with '{char}'"


def too_wide(screen, cols):
    for number, line in enumerate(screen):
        if len(line) > cols:
            yield f"line {number} has {len(line)} columns"


def case(name, folder, machine, keys, cols, rows):
    def body():
        with Terminal(f"{FAKEDECK} {machine}", cols, rows, "xterm-256color", "C.UTF-8",
                      translated("xx", folder)) as terminal:
            terminal.settled()
            press(terminal, keys)
            terminal.settled()
            screen = cells(terminal.screen(raw=True))
            text = terminal.screen()
            wrong = [*frames(screen), *too_wide(screen, cols)]
            assert "EXIT" not in text and "Disks" not in text and not wrong, "\n".join([*wrong, text])

    body.__name__ = name
    return body


def english_on(name, term, env):
    """A terminal that cannot show the language has the messages as they are."""
    def body():
        with Terminal(f"{FAKEDECK} rescue", 80, 24, term, env=env) as terminal:
            terminal.wait("Choose a source")

    body.__name__ = name
    return body


def cases(folder):
    yield english_on("english-on-the-console", "linux", translated("ja", folder))
    yield english_on("english-without-utf8", "xterm-256color", f"{translated('ja', folder)} LANG=en_US.UTF-8 LC_CTYPE=C LC_ALL=")
    for name, (machine, keys, _) in {**SCREENS, **SINGLE}.items():
        for size, (cols, rows) in SIZES.items():
            yield case(f"{name}-{size}", folder, machine, keys, cols, rows)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        make_language(made, "xx")
        make_language(made, "ja")
        run(list(cases(made)))
