"""The rules of tidy. Each takes the Tree and yields Findings; RULES, at the end, lists them all."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from tidy_source import Source

COLUMNS_MAX = 100
FUNCTION_LINES_MAX = 60
FILE_LINES_MAX = 400
CLANG_FORMAT_VERSION = "14"  # Debian 12's; other versions lay some things out differently


class Finding(NamedTuple):
    path: Path
    line: int
    what: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}"


class Tree:
    def __init__(self, root):
        self.root = root
        tops = ("src", "include", "bench", "examples")
        files = [file for top in tops for file in (root / top).rglob("*")]
        self.sources = [
            Source(root, file) for file in sorted(files) if file.suffix in (".h", ".hpp", ".cc")
        ]

    def text(self, path):
        """The content of a file, or nothing if there is no such file."""
        file = self.root / path
        return file.read_text(encoding="utf-8") if file.exists() else ""

    @cached_property
    def may_include(self):
        """Room -> rooms it may include, from the one table that the linker follows as well."""
        table = re.findall(r"^conclave_room\(([\w ]+)\)", self.text("cmake/Rooms.cmake"), re.M)
        return {room: set(others) for room, *others in map(str.split, table)}


# --- Who may include whom. -----------------------------------------------------------------------

PURE_ROOMS = {"core", "detect", "elect", "mutex", "service"}  # protocols: no clock, no dice, no streams

STREAMS = "a protocol neither reads nor prints; core/value.h turns values into text"
THREADS = "a protocol is a plain value and knows no threads"
BANNED_HEADERS = {
    "thread": THREADS,
    "mutex": THREADS,
    "shared_mutex": THREADS,
    "condition_variable": THREADS,
    "future": THREADS,
    "iostream": STREAMS,
    "istream": STREAMS,
    "ostream": STREAMS,
    "sstream": STREAMS,
    "fstream": STREAMS,
    "filesystem": STREAMS,
    "random": "use a Wait range; the driver owns the dice",
    "ctime": "use turn.now",
}


def includes_follow_the_table(tree):
    for source in tree.sources:
        if source.room not in tree.may_include or source.is_test:
            continue  # cli, tests and bench may include anything
        for line, quoted, header in source.includes():
            complaint = _quoted if quoted else _angled
            if what := complaint(tree, source.room, header):
                yield Finding(source.path, line, what)


def _quoted(tree, room, header):
    if "/" not in header:
        return f'"{header}" has no room, use "{room}/{header}"'
    other = header.split("/")[0]
    allowed = tree.may_include[room] | {room}
    if other in tree.may_include and other not in allowed or other == "cli":
        return f"{room} must not include {other}, use only {', '.join(sorted(allowed))}"
    return None


def _angled(_tree, room, header):
    if room not in PURE_ROOMS:
        return None
    if header in BANNED_HEADERS:
        return f"<{header}> is banned in {room}, {BANNED_HEADERS[header]}"
    if room == "core" and header.startswith("boost/pfr"):
        return None
    if "/" in header or "." in header:
        return f"<{header}> is banned in {room}, use the standard library or core"
    return None


# --- Names that must not appear in protocols. ----------------------------------------------------

BANNED_NAMES = [
    (r"::now\(", "reading a clock", "turn.now"),
    (r"\brandom_device\b", "random_device", "a Wait range"),
    (r"\bstd::rand\b", "std::rand", "a Wait range"),
    (r"\bunordered_\w*", "unordered_", "core/table.h, whose order is the same everywhere"),
    (r"\bvirtual\b", "virtual", "a concept and overloads"),
    (r"\bstd::mutex\b", "std::mutex", "nothing: a protocol is stepped by one driver"),
]


def no_banned_names(tree):
    for source in tree.sources:
        if source.room not in PURE_ROOMS or source.is_test:
            continue
        for line, code in enumerate(source.code.splitlines(), 1):
            for pattern, name, instead in BANNED_NAMES:
                if re.search(pattern, code):
                    yield Finding(source.path, line, f"{name} is banned here, use {instead}")


# --- Sizes and leftovers. ------------------------------------------------------------------------


def lines_fit_the_page(tree):
    for source in tree.sources:
        for number, line in enumerate(source.lines, 1):
            if len(line) > COLUMNS_MAX:
                yield Finding(
                    source.path, number, f"{len(line)} columns, use at most {COLUMNS_MAX}"
                )


def functions_fit_the_screen(tree):
    for source in tree.sources:
        for first, last in source.functions():
            length = last - first + 1
            if length > FUNCTION_LINES_MAX:
                what = f"a function of {length} lines, use at most {FUNCTION_LINES_MAX}"
                yield Finding(source.path, first, what)


def files_can_be_read_in_one_go(tree):
    for source in tree.sources:
        length = len(source.lines)
        if length > FILE_LINES_MAX:
            what = f"{length} lines, use at most {FILE_LINES_MAX} and split by topic"
            yield Finding(source.path, length, what)


def nothing_left_over(tree):
    for source in tree.sources:
        for number, line in enumerate(source.lines, 1):
            if match := re.search(r"\b(FIXME|TODO|XXX)\b", line):
                yield Finding(source.path, number, f"leftover {match.group()}, use an issue")


# --- The face of a file. -------------------------------------------------------------------------


def headers_introduce_themselves(tree):
    for source in tree.sources:
        if not source.is_header:
            continue
        name = source.path.relative_to(source.path.parts[0]).as_posix()
        if not re.match(rf"// {re.escape(name)} -- \S", source.text):
            yield Finding(source.path, 1, f"no introduction, use `// {name} -- what it is`")
        if "#pragma once" not in source.lines:
            yield Finding(source.path, 1, "can be included twice, use `#pragma once`")


def clang_format():
    """The program, if this machine has the version that we format with."""
    for name in (f"clang-format-{CLANG_FORMAT_VERSION}", "clang-format"):
        if program := shutil.which(name):
            version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            if f"version {CLANG_FORMAT_VERSION}." in version:
                return program
    return None


def formatting(tree):
    program = clang_format()
    if not program or not tree.sources:
        return
    paths = [source.path.as_posix() for source in tree.sources]
    workers = os.cpu_count() or 1
    batches = [paths[start::workers] for start in range(workers) if paths[start::workers]]

    def complaints(batch):
        command = [program, "--dry-run", "-Werror", "--style=file", *batch]
        return subprocess.run(command, cwd=tree.root, capture_output=True, text=True).stderr

    with ThreadPoolExecutor(workers) as pool:
        output = "".join(pool.map(complaints, batches))
    lines = {}  # path -> the lines to format
    for path, line in re.findall(r"^(.+?):(\d+):\d+: error:", output, re.M):
        lines.setdefault(path, set()).add(int(line))
    for path, numbers in lines.items():
        what = f"not formatted ({len(numbers)} lines), use make format"
        yield Finding(Path(path), min(numbers), what)


def scripts_are_sound(tree):
    scripts = [
        file
        for pattern in ("tools/*", ".ci/*", "bench/*.sh")
        for file in sorted(tree.root.glob(pattern))
        if file.is_file() and re.match(rb"#!.*\b(ba)?sh\b", file.read_bytes()[:40])
    ]
    if not scripts or not shutil.which("shellcheck"):
        return
    paths = [file.relative_to(tree.root).as_posix() for file in scripts]
    command = ["shellcheck", "--format=gcc", *paths]
    output = subprocess.run(command, cwd=tree.root, capture_output=True, text=True).stdout
    for path, line, what in re.findall(r"^(.+?):(\d+):\d+: (.*)$", output, re.M):
        yield Finding(Path(path), int(line), what)


# --- Promises and their proofs. -------------------------------------------------------------------

TEST = re.compile(
    r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)"
    r"\(\s*(\w+)\s*,\s*(\w+)"
)
# Which pages have rows that need a proof, and what their first column looks like.
PROVEN = {Path("docs/mission.md"): r"[A-Z]+-\d+\w*", Path("docs/locks.md"): r"H\d+"}
HOLES = 25  # known attacks on the lock service


def proofs(tree):
    """What may be named as a proof, by its kind."""
    worlds = re.findall(r"^([\w-]+) \|", tree.text("checks/worlds.def"), re.M)
    return {
        "test": {
            ".".join(pair)
            for source in tree.sources
            if source.path.name.endswith("_test.cc")
            for pair in TEST.findall(source.code)
        },
        "scenario": {file.stem for file in (tree.root / "scenarios").glob("*.txt")},
        "mutant": {file.stem for file in (tree.root / "mutants").glob("*.patch")},
        "check": set(worlds),
    }


MISSING = {
    "test": "no test is called {}",
    "scenario": "there is no scenarios/{}.txt",
    "mutant": "there is no mutants/{}.patch",
    "check": "checks/worlds.def has no {}",
}


def rows_name_living_proofs(tree):
    """Each row `| FD-01 | what | `scenario: name`, `test: Suite.Name` |` names what proves it.

    Or it says `out of scope: why`.
    """
    known = proofs(tree)
    for page, form in PROVEN.items():
        for number, line in enumerate(tree.text(page).splitlines(), 1):
            row = re.match(rf"\|\s*({form})\s*\|", line)
            if not row:
                continue
            named = [
                (kind, name.strip())
                for kind, names in re.findall(rf"`({'|'.join(known)}):([^`]*)`", line)
                for name in names.split(",")
            ]
            if not named and not re.search(r"`out of scope: [^`]+`", line):
                what = f"{row.group(1)} has no proof, use `scenario: name` or `test: Suite.Name`"
                yield Finding(page, number, what)
            for kind, name in named:
                if name not in known[kind]:
                    what = f"{row.group(1)}: {MISSING[kind].format(name)}"
                    yield Finding(page, number, what)


def every_hole_has_a_row(tree):
    """The attacks H1 to H25 on the lock service are all in docs/locks.md."""
    page = Path("docs/locks.md")
    there = re.findall(r"^\| (H\d+) \|", tree.text(page), re.M)
    if there:
        for number in range(1, HOLES + 1):
            if f"H{number}" not in there:
                yield Finding(page, 1, f"H{number} has no row")


RULES = [
    includes_follow_the_table,
    no_banned_names,
    lines_fit_the_page,
    functions_fit_the_screen,
    files_can_be_read_in_one_go,
    nothing_left_over,
    headers_introduce_themselves,
    formatting,
    scripts_are_sound,
    rows_name_living_proofs,
    every_hole_has_a_row,
]
