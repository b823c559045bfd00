"""Tables for people: ours, theirs, the ratio, the goal, and whether it is met."""

from statistics import median

from system import load_average


def say(text=""):
    print(text, flush=True)


def section(title):
    say(f"\n{title}   [load average {load_average()}]")


def milliseconds(times, digits=0):
    """Median and worst, and of how many."""
    return f"{1000 * median(times):.{digits}f} / {1000 * max(times):.{digits}f} (n={len(times)})"


def ratio(ours, theirs):
    if not theirs:
        return "-"
    times = ours / theirs
    return f"{times:.0f}x" if times >= 10 else f"{times:.2g}x"


def verdict(met):
    return "met" if met else "MISSED"


def table(rows):
    """The first row is the head; the first column is text, the others are numbers."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        say("  " + "  ".join(cells).rstrip())
