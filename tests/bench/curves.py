# SPDX-License-Identifier: GPL-3.0-or-later
"""What is rescued by when: bytes against failed reads, and against time, of two programs.

A disk may die at any moment, and every failed read brings that moment closer. What counts
then is what was read before. Both curves come from the disk itself (reads= of
diskmodel.c), so whoever reads, the same is counted.
"""
import bisect

from tables import median

MIB = 1 << 20
SECTOR = 512
WIDTH, HEIGHT, LEFT, TOP = 300, 170, 60, 34
COLOURS = {"clonedeck": "#0a6cc4", "ddrescue": "#d0541b"}


class Curve:
    """Of one rescue. Lines: "ns offset length failed" in the order in which the disk was through."""

    def __init__(self, lines, start, seconds, size, dies=None):
        seen = bytearray(size // SECTOR)
        self.seconds, self.rescued = seconds, 0
        self.times, self.bytes = [0.0], [0]  # after each good read
        self.failed = []                     # what was rescued when the first, second... failed
        for line in lines:
            ns, offset, length, failed = map(int, line.split())
            if failed and len(self.failed) == dies:
                break
            if failed:
                self.failed.append(self.rescued)
                continue
            first, last = offset // SECTOR, (offset + length) // SECTOR
            new = seen.count(0, first, last)
            if not new:
                continue
            seen[first:last] = b"\1" * (last - first)
            self.rescued += new * SECTOR
            self.times.append(ns / 1e9 - start)
            self.bytes.append(self.rescued)

    def after_failed(self, count):
        """Rescued by a disk that dies with this failed read."""
        return self.failed[count - 1] if count <= len(self.failed) else self.rescued

    def after(self, seconds):
        return self.bytes[bisect.bisect_right(self.times, seconds) - 1]


def steps(most):
    """1, 2, 5, 10, 20, 50... up to that."""
    counts, unit = [], 1
    while unit <= most:
        counts += [unit * factor for factor in (1, 2, 5) if unit * factor <= most]
        unit *= 10
    return counts


def moments(curves, count=500):
    """So many through the whole rescue, and every 20 ms of its first ten seconds."""
    end = max(curve.seconds for curve in curves)
    return sorted([end * i / count for i in range(1, count + 1)]
                  + [i / 50 for i in range(1, int(min(end, 10) * 50))])


def worst(ours, theirs, points, value):
    """Where the median of our curves is furthest behind that of theirs: by how many bytes (0:
    never), and at which point."""
    behind = [(median([value(curve, point) for curve in theirs])
               - median([value(curve, point) for curve in ours]), point) for point in points]
    return max(behind + [(0, 0)], key=lambda pair: pair[0])


def compare(ours, theirs):
    """Of all rounds: by failed reads, and by time."""
    most = max(len(curve.failed) for curve in ours + theirs)
    return (worst(ours, theirs, range(1, most + 1), Curve.after_failed),
            worst(ours, theirs, moments(ours + theirs), Curve.after))


def spells(ours, theirs):
    """From when to when, in seconds, the median of our curves is behind that of theirs, and by how
    many bytes at most; what is less than half a MiB does not count."""
    found = []
    for point in moments(ours + theirs):
        behind = (median([curve.after(point) for curve in theirs])
                  - median([curve.after(point) for curve in ours]))
        if behind < MIB / 2:
            found.append(None)
        elif found and found[-1]:
            start, _, most = found[-1]
            found[-1] = (start, point, max(most, behind))
        else:
            found.append((point, point, behind))
    return [spell for spell in found if spell]


def figures(ours, theirs):
    """Lines of a table: MiB of both after so many failed reads, and after so long."""
    counts = steps(max(len(ours.failed), len(theirs.failed)))
    end = max(ours.seconds, theirs.seconds)
    times = [end * i / 10 for i in range(1, 11)]
    for title, points, form, value in (("failed", counts, "{}", Curve.after_failed),
                                       ("seconds", times, "{:.1f}", Curve.after)):
        yield " ".join([f"{title:>10}"] + [f"{form.format(point):>6}" for point in points])
        for name, curve in (("ours", ours), ("ddrescue", theirs)):
            yield " ".join([f"{name:>10}"]
                           + [f"{value(curve, point) / MIB:6.0f}" for point in points])


def line_of(points, right, top):
    """An SVG polyline; x up to `right`, y up to `top`."""
    return " ".join(f"{x / right * WIDTH:.1f},{HEIGHT - y / top * HEIGHT:.1f}" for x, y in points)


def panel(x, y, title, right, top, lines):
    yield f'<g transform="translate({x},{y})"><rect width="{WIDTH}" height="{HEIGHT}" class="f"/>'
    yield f'<text x="0" y="-6">{title}</text>'
    yield f'<text x="{WIDTH}" y="{HEIGHT + 14}" class="e">{right:.4g}</text>'
    yield f'<text x="-4" y="10" class="e">{top / MIB:.0f}</text>'
    yield f'<text x="0" y="{HEIGHT + 14}">0</text>'
    for name, points in lines.items():
        yield f'<polyline points="{line_of(points, right, top)}" stroke="{COLOURS[name]}"/>'
    yield "</g>"


def thin(points, most=600):
    return points[::max(1, len(points) // most)] + points[-1:]


def draw(path, rows, size):
    """rows: (name of the pattern, ours, theirs). Each has two panels, side by side."""
    height = HEIGHT + TOP + 20
    with open(path, "w", encoding="utf-8") as file:
        print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * (WIDTH + LEFT) + 20}"'
              f' height="{len(rows) * height + 30}" font-family="sans-serif" font-size="11">'
              "<style>.f{fill:none;stroke:#888}.e{text-anchor:end}"
              "polyline{fill:none;stroke-width:1.5}</style>"
              '<rect width="100%" height="100%" fill="#fff"/>', file=file)
        print(f'<text x="{LEFT}" y="14">MiB rescued: '
              + ", ".join(f'<tspan fill="{c}">{n}</tspan>' for n, c in COLOURS.items())
              + "</text>", file=file)
        for number, (name, ours, theirs) in enumerate(rows):
            curves = {"clonedeck": ours, "ddrescue": theirs}
            most = max(len(ours.failed), len(theirs.failed), 1)
            end = max(ours.seconds, theirs.seconds)
            failed = {n: thin([(i, c.after_failed(i)) for i in range(1, most + 1)])
                      for n, c in curves.items()}
            times = {n: thin(list(zip(c.times, c.bytes)) + [(end, c.rescued)])
                     for n, c in curves.items()}
            y = number * height + TOP + 10
            for part in (*panel(LEFT, y, f"{name}: after so many failed reads", most, size, failed),
                         *panel(2 * LEFT + WIDTH, y, f"{name}: after so many seconds", end, size,
                                times)):
                print(part, file=file)
        print("</svg>", file=file)
