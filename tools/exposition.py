"""What is wrong with a page of Prometheus' text format, version 0.0.4, by its own rules and by the
habits that `promtool check metrics` asks for."""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
SAMPLE = re.compile(rf"({NAME})(?:{{(.*)}})? (\S+)(?: (-?\d+))?")
KINDS = ("counter", "gauge", "histogram", "summary", "untyped")
BASE_UNITS = ("milliseconds", "microseconds", "minutes", "kilobytes", "percent")  # are none


class Page:
    def __init__(self):
        self.help, self.kind, self.complaints = {}, {}, []
        self.series = {}  # (name, labels) -> value
        self.closed = set()  # families that other families have followed
        self.current = None

    def complain(self, what):
        self.complaints.append(what)

    def enter(self, family):
        if family != self.current:
            if family in self.closed:
                self.complain(f"{family}: its lines are not together")
            self.closed.add(self.current)
            self.current = family

    def family_of(self, name):
        for suffix in ("_bucket", "_sum", "_count"):
            family = name.removesuffix(suffix)
            if family != name and self.kind.get(family) in ("histogram", "summary"):
                return family
        return name

    def comment(self, line):
        parts = line.split(" ", 3)
        if len(parts) < 3 or parts[1] not in ("HELP", "TYPE"):
            return  # any other comment is allowed
        word, name, rest = parts[1], parts[2], parts[3] if len(parts) > 3 else ""
        if not re.fullmatch(NAME, name):
            self.complain(f"{name}: no name of a metric")
        self.enter(name)
        kept = self.help if word == "HELP" else self.kind
        if name in kept:
            self.complain(f"{name}: a second {word}")
        kept[name] = rest
        if word == "TYPE" and rest not in KINDS:
            self.complain(f"{name}: there is no type '{rest}'")
        if any(self.family_of(seen) == name for seen, _ in self.series):
            self.complain(f"{name}: {word} comes behind its samples")

    def labels(self, name, text):
        labels, at = {}, 0
        while at < len(text or ""):
            found = LABEL.match(text, at)
            if not found:
                self.complain(f"{name}: labels cannot be read: {text}")
                break
            if found[1] in labels:
                self.complain(f"{name}: label {found[1]} is there twice")
            if found[1].startswith("__"):
                self.complain(f"{name}: label {found[1]} is reserved")
            labels[found[1]] = found[2]
            at = found.end()
        return labels

    def sample(self, line):
        found = SAMPLE.fullmatch(line)
        if not found:
            return self.complain(f"no sample: {line}")
        name, labels = found[1], self.labels(found[1], found[2])
        self.enter(self.family_of(name))
        try:
            value = float(found[3].replace("Inf", "inf"))
        except ValueError:
            return self.complain(f"{name}: {found[3]} is no number")
        key = (name, tuple(sorted(labels.items())))
        if key in self.series:
            self.complain(f"{name}{dict(labels)}: the same series twice")
        self.series[key] = value

    def judge(self):
        for name, kind in self.kind.items():
            if not self.help.get(name):
                self.complain(f"{name}: no HELP")
            if (kind == "counter") != name.endswith("_total"):
                self.complain(f"{name}: a counter ends with _total, and nothing else does")
            if name.endswith(BASE_UNITS) or name.removesuffix("_total").endswith(BASE_UNITS):
                self.complain(f"{name}: not a base unit")
        for (name, labels), value in self.series.items():
            family = self.family_of(name)
            if family not in self.kind:
                self.complain(f"{name}: no TYPE")
            if self.kind.get(family) in ("counter", "histogram") and not value >= 0:
                self.complain(f"{name}{dict(labels)}: {value} cannot be counted")
        for family, kind in self.kind.items():
            if kind == "histogram":
                self.judge_histogram(family)

    def judge_histogram(self, family):
        histograms = {}
        for (name, labels), value in self.series.items():
            if name == family + "_bucket":
                bound = float(dict(labels).get("le", "nan").replace("Inf", "inf"))
                rest = tuple(one for one in labels if one[0] != "le")
                histograms.setdefault(rest, {})[bound] = value
        for labels, buckets in histograms.items():
            counts = [buckets[bound] for bound in sorted(buckets)]
            whole = self.series.get((family + "_count", labels))
            if counts != sorted(counts):
                self.complain(f"{family}{dict(labels)}: a larger bucket holds less")
            if float("inf") not in buckets or buckets[float("inf")] != whole:
                self.complain(f"{family}{dict(labels)}: the last bucket is not the count")
            if (family + "_sum", labels) not in self.series:
                self.complain(f"{family}{dict(labels)}: no sum")


def read(text):
    page = Page()
    if not text.endswith("\n"):
        page.complain("the last line does not end")
    for line in text.splitlines():
        if line.startswith("#"):
            page.comment(line)
        elif line.strip():
            page.sample(line)
    page.judge()
    return page


GOOD = """# HELP a_total Things.
# TYPE a_total counter
a_total{kind="x"} 1
a_total{kind="y \\"quoted\\""} 2
# HELP h_seconds How long.
# TYPE h_seconds histogram
h_seconds_bucket{le="1"} 1
h_seconds_bucket{le="+Inf"} 2
h_seconds_sum 3.5
h_seconds_count 2
"""
BROKEN = {  # what is exchanged -> what must be found
    ("# HELP a_total Things.\n", ""): "no HELP",
    ("# TYPE a_total counter\n", ""): "no TYPE",
    ("# TYPE a_total counter\n", "# TYPE a_total counter\n# TYPE a_total counter\n"): "second TYPE",
    ("a_total counter", "a_total gauge"): "ends with _total",
    ("h_seconds histogram", "h_seconds histogramm"): "no type",
    ('kind="y \\"quoted\\""', 'kind="x"'): "same series twice",
    ('kind="x"', 'kind="x",kind="z"'): "there twice",
    ('kind="x"', 'ki-nd="x"'): "cannot be read",
    ('kind="x"', "kind=x"): "cannot be read",
    ('a_total{kind="x"} 1', 'a_total{kind="x"} one'): "no number",
    ('a_total{kind="x"} 1', 'a_total{kind="x"} -1'): "cannot be counted",
    ('a_total{kind="x"} 1', 'a-total{kind="x"} 1'): "no sample",
    ('{le="1"} 1', '{le="1"} 5'): "a larger bucket holds less",
    ('{le="+Inf"} 2', '{le="+Inf"} 3'): "not the count",
    ("h_seconds_sum 3.5\n", ""): "no sum",
    ("h_seconds_count 2\n", 'h_seconds_count 2\na_total{kind="z"} 1\n'): "not together",
    ("h_seconds", "h_milliseconds"): "not a base unit",
}


def self_test():
    """What goes unnoticed of all that could be wrong."""
    missed = [f"nothing is wrong with it, but: {what}" for what in read(GOOD).complaints]
    for (old, new), expected in BROKEN.items():
        assert old in GOOD
        if not any(expected in what for what in read(GOOD.replace(old, new)).complaints):
            missed.append(f"'{expected}' is not found in a page where it is so")
    return missed
