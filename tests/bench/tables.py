# SPDX-License-Identifier: GPL-3.0-or-later
"""The medians of a rig's rounds as a table, and how they stand against the goals."""
import statistics

MIB = 1 << 20
GIB = 1 << 30
COPIED = ("clonedeck", "clonedeck again")
VERIFIED = "clonedeck, verified"
VERIFIED_BOTH = (VERIFIED, "clonedeck, verified again")
COMPARED = "clonedeck, compared"
SUMMED = "clonedeck, SHA-256"


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def spread(values):
    values = [v for v in values if v is not None]
    if len(values) < 2:
        return None
    return (max(values) - min(values)) / statistics.median(values)


def text(value, form):
    return "-" if value is None else form.format(value)


def processor(result):
    """Seconds of the program itself; those of the whole machine are result["busy"]."""
    return result["user"] + result["system"]


class Summary:
    """The medians of a rig's rounds, tool by tool."""

    def __init__(self, pair, rounds, start):
        self.pair, self.rounds, self.start = pair, rounds, start
        self.gib = pair.size / GIB
        self.names = [n for n in rounds[0] if n != "limits"]

    def of(self, name, value):
        return [value(r[name]) for r in self.rounds if r.get(name)]

    def median(self, name, key):
        return median(self.of(name, lambda r: r.get(key)))

    def limit(self, mode):
        return median([r["limits"][mode] for r in self.rounds])

    @staticmethod
    def slowest(r):
        """What a copy can at best take."""
        return max(r["limits"][mode] for mode in ("read", "write", "both"))

    def ideal(self):
        """The larger of read-only and write-only."""
        return median([max(r["limits"]["read"], r["limits"]["write"]) for r in self.rounds])

    def against(self, name, limit, key="wall"):
        """Median of the ratios within each round."""
        return median([r[name][key] / limit(r) for r in self.rounds if r.get(name)])

    def own(self, mode):
        """The shorter of the round's two runs: a limit is the shorter of two as well."""
        ratios = []
        for r in self.rounds:
            limits = r["limits"]
            limit = max(limits["read"], limits["write"]) if mode == "larger" else limits[mode]
            shortest = self.shortest(r, COPIED)
            ratios.append(shortest / limit if shortest else None)
        return median(ratios)

    @staticmethod
    def shortest(r, names):
        """Of two runs of the same; None without any."""
        return min((r[n]["copy"] for n in names if r.get(n)), default=None)

    def best_peer(self):
        """Name and median wall time of the fastest peer."""
        found = [(self.median(n, "wall"), n) for n in self.names if not n.startswith("clonedeck")]
        found = [f for f in found if f[0] is not None]
        return min(found) if found else (None, None)

    def versus_best(self, key="wall"):
        best = self.best_peer()[1]
        if not best:
            return None
        pairs = [r for r in self.rounds if r.get("clonedeck") and r.get(best)]
        return median([r["clonedeck"][key] / r[best]["wall"] for r in pairs])

    def verifying(self):
        """The verified copy against one that is not, and a reading of the destination: the shorter
        of the round's two each, as that of the reading is."""
        times = [(self.shortest(r, VERIFIED_BOTH), self.shortest(r, COPIED), r["limits"]["read"])
                 for r in self.rounds]
        return median([verified / (copied + read) for verified, copied, read in times
                       if verified and copied])

    def taking(self):
        """The copying pass of the verified copy against that of one that is not."""
        return median([r[VERIFIED]["copying"] / r["clonedeck"]["copying"] for r in self.rounds
                       if r.get("clonedeck") and r.get(VERIFIED) and r[VERIFIED].get("copying")])

    def comparing(self):
        """Against the slower end while both are read at once: they may share a disk."""
        return median([r[COMPARED]["verify"] / r["limits"]["reads"] for r in self.rounds
                       if r.get(COMPARED) and r[COMPARED].get("verify") and r["limits"]["reads"]])

    def cpu_of_proof(self):
        """Per GiB, above what the copy alone takes."""
        pairs = [r for r in self.rounds if r.get("clonedeck") and r.get(VERIFIED)]
        return median([(processor(r[VERIFIED]) - processor(r["clonedeck"])) / self.gib
                       for r in pairs])

    def versus_cheapest(self):
        """Processor time against that of the cheapest peer which is no more than 5 % slower."""
        wall = self.median("clonedeck", "copy")
        peers = [n for n in self.names if not n.startswith("clonedeck")]
        costs = [self.cpu(n) for n in peers if (self.median(n, "wall") or 1e9) <= 1.05 * wall]
        return self.without_start(processor) / min(costs) if costs and self.start else None

    def without_start(self, value):
        """Per GiB. The start costs the same for a disk of any size: it is taken off."""
        if not self.start:
            return None
        return max(median(self.of("clonedeck", value)) - median(map(value, self.start)), 0) / self.gib

    def cpu(self, name):
        return median(self.of(name, lambda r: processor(r) / self.gib))

    def busy(self, name):
        return median(self.of(name, lambda r: r["busy"] / self.gib))

    def print(self, tried):
        kept = len(self.rounds)
        print(f"\n{self.pair.name}: {self.pair.size // MIB} MiB, {kept} of {tried} rounds")
        limit = "  ".join(f"{m} {text(self.limit(m), '{:.3f}')} s"
                          for m in ("read", "write", "both", "reads"))
        print(f"  limits: {limit} (both ends); larger of read and write {self.ideal():.3f} s")
        engine = self.of("clonedeck", lambda r: r.get("engine"))
        print(f"  engine: {engine[0]}")
        head = ("tool", "wall s", "x limit", "CPU s/GiB", "busy s/GiB", "RSS MiB", "cache MiB",
                "spread")
        print("  {:<24}{:>9}{:>9}{:>11}{:>12}{:>9}{:>11}{:>8}".format(*head))
        for name in sorted(self.names, key=lambda n: self.median(n, "wall") or 1e9):
            self.print_row(name, "wall", name)
            if name in ("clonedeck", *VERIFIED_BOTH, COMPARED, SUMMED):
                self.print_row(name, "copy", "  without its start")
        self.print_start()

    def print_start(self):
        """What a copy costs beside the copying, of a disk of any size."""
        around, arming = (median(self.of("clonedeck", lambda r, key=key: r.get(key)))
                          for key in ("around", "arming"))
        if around is not None and arming is not None:
            print(f"  start and end of clonedeck: {around * 1000:.0f} ms around the copy, "
                  f"{arming * 1000:.0f} ms for wiping first and arming last")

    def print_row(self, name, key, label):
        wall = self.median(name, key)
        cells = [
            text(wall, "{:.3f}"),
            text(self.against(name, self.slowest, key), "{:.2f}"),
        ]
        if key == "wall":
            cells += [
                text(self.cpu(name), "{:.3f}"),
                text(self.busy(name), "{:.2f}"),
                text((self.median(name, "rss") or 0) / 1024, "{:.1f}"),
                text((self.median(name, "cache") or 0) / 1024, "{:.1f}"),
            ]
        else:
            cells += [""] * 4
        cells.append(text(spread(self.of(name, lambda r: r[key])), "{:.0%}"))
        print("  {:<24}{:>9}{:>9}{:>11}{:>12}{:>9}{:>11}{:>8}".format(label, *cells))


class Goals:
    def __init__(self):
        self.lines = []

    def add(self, number, what, value, goal, form="{:.3f}", unit=" x"):
        if value is None:
            verdict, shown = "not measured", "-"
        else:
            verdict = "reached" if value <= goal else "MISSED"
            shown = form.format(value) + unit
        self.lines.append((number, what, shown, form.format(goal) + unit, verdict))

    def print(self):
        print("\nGoals (numbers as in the list of goals)")
        for number, what, shown, goal, verdict in self.lines:
            print(f"  {number:>2}  {what:<58}{shown:>13}  at most {goal:<12} {verdict}")
