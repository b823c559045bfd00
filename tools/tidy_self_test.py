"""tidy looks at itself: each case plants files in a scratch tree and names what must be found."""

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import tidy_rules

SCRATCH = {  # what every scratch tree has
    "cmake/Rooms.cmake": "conclave_room(core)\n"
    "conclave_room(elect core)\n"
    "conclave_room(sim core)\n",
    ".clang-format": "DisableFormat: true\n",
}


class Case(NamedTuple):
    name: str
    files: dict  # path -> content
    expected: list  # the findings, as (line, a part of the text); all in the first file


def header(path, body):
    """A header that no rule objects to, with `body` from line 3 on."""
    name = path.removeprefix("src/")
    return {path: f"// {name} -- a planted file.\n#pragma once\n{body}"}


def function(lines):
    """A function of that many lines."""
    return "inline void planted() {\n" + "    ;\n" * (lines - 2) + "}\n"


CASES = [
    Case("a clean header", header("src/core/a.h", "#include <vector>\n"), []),
    Case("core knows Boost.PFR", header("src/core/a.h", "#include <boost/pfr.hpp>\n"), []),
    Case(
        "elections do not know it",
        header("src/elect/a.h", "#include <boost/pfr.hpp>\n"),
        [(3, "use the standard library or core")],
    ),
    Case(
        "core stands alone",
        header("src/core/a.h", '#include "sim/b.h"\n'),
        [(3, "core must not include sim")],
    ),
    Case(
        "the simulator knows no algorithm",
        header("src/sim/a.h", '#include "elect/b.h"\n'),
        [(3, "sim must not include elect, use only core, sim")],
    ),
    Case(
        "includes name their room",
        header("src/elect/a.h", '#include "b.h"\n'),
        [(3, 'use "elect/b.h"')],
    ),
    Case(
        "a test may include anything",
        {"src/core/a_test.cc": '#include "sim/b.h"\n'},
        [],
    ),
    Case("no streams", header("src/elect/a.h", "#include <iostream>\n"), [(3, "<iostream>")]),
    Case(
        "no POSIX",
        header("src/elect/a.h", "#include <unistd.h>\n"),
        [(3, "<unistd.h> is banned in elect")],
    ),
    Case("streams elsewhere", header("src/sim/a.h", "#include <sstream>\n"), []),
    Case(
        "no clock, no dice, no hash order",
        header(
            "src/elect/a.h",
            "auto t = Clock::now();\n"
            "std::random_device dice;\n"
            "int r = std::rand();\n"
            "std::unordered_map<int, int> m;\n"
            "std::mutex lock;\n",
        ),
        [
            (3, "use turn.now"),
            (4, "random_device"),
            (5, "std::rand"),
            (6, "unordered_"),
            (7, "std::mutex"),
        ],
    ),
    Case(
        "no base classes",
        header("src/core/a.h", "struct A {\n    virtual void f();\n};\n"),
        [(4, "virtual is banned here")],
    ),
    Case(
        "comments and strings may name them",
        header("src/core/a.h", '// not virtual\nauto a = "std::rand";\n/* std::mutex\n*/\n'),
        [],
    ),
    Case(
        "a digit separator opens no literal",
        header("src/core/a.h", "int a = 10'000;\nint b = std::rand() + 10'000;\n"),
        [(4, "std::rand")],
    ),
    Case(
        "long lines",
        header("src/core/a.h", f"// {'x' * 98}\n"),
        [(3, "101 columns")],
    ),
    Case("a line that just fits", header("src/core/a.h", f"// {'x' * 97}\n"), []),
    Case("long functions", header("src/sim/a.h", function(61)), [(3, "61 lines")]),
    Case("a function that just fits", header("src/sim/a.h", function(60)), []),
    Case(
        "long functions after a constructor with braces, in a template, in a namespace",
        header(
            "src/sim/a.h",
            "namespace conclave {\n\n"
            "template <class T>\n"
            "struct A {\n"
            "    explicit A(T t) : a{t}, b{t} { use(a); }\n"
            "    T a, b;\n"
            "};\n\n" + function(70) + "\n}  // namespace conclave\n",
        ),
        [(11, "70 lines")],
    ),
    Case(
        "a long struct is no function",
        header("src/sim/a.h", "struct A {\n" + "    int f() { return 1; }\n" * 70 + "};\n"),
        [],
    ),
    Case("long files", header("src/sim/a.h", "// a\n" * 399), [(401, "401 lines")]),
    Case("leftovers", header("src/sim/a.h", "// TODO: later\n"), [(3, "leftover TODO")]),
    Case(
        "headers introduce themselves",
        {"src/sim/a.h": "// sim/b.h -- another name.\n#pragma once\n"},
        [(1, "use `// sim/a.h -- what it is`")],
    ),
    Case(
        "headers can be included twice",
        {"src/sim/a.h": "// sim/a.h -- a planted file.\n"},
        [(1, "#pragma once")],
    ),
    Case(
        "a mission with living tests",
        {
            "docs/mission.md": "| FD-01 | what | `scenario: story` and `test: Bully.Leads` |\n"
            "| EL-29 | what | `out of scope: left to others` |\n",
            "scenarios/story.txt": "",
            "src/elect/a_test.cc": "TEST(Bully, Leads) {}\n",
        },
        [],
    ),
    Case(
        "a mission with dead ones",
        {
            "docs/mission.md": "| id | what | proof |\n|---|---|---|\n"
            "| FD-01 | what | later |\n"
            "| FD-02 | what | `scenario: nowhere` |\n"
            "| FD-03 | what | `test: Bully.Leads, Bully.Sleeps` |\n",
            "src/elect/a_test.cc": "TEST(Bully, Leads) {}\n// TEST(Bully, Sleeps) {}\n",
        },
        [(3, "FD-01 has no proof"), (4, "nowhere.txt"), (5, "no test is called Bully.Sleeps")],
    ),
    Case(
        "holes that are open or left out",
        {
            "docs/locks.md": "".join(f"| H{n} | what | `check: world` |\n" for n in range(1, 24))
            + "| H24 | what | `check: nowhere`, `mutant: nobody` |\n",
            "checks/worlds.def": "world | quorum | holds 3 | what\n",
        },
        [
            (1, "H25 has no row"),
            (24, "worlds.def has no nowhere"),
            (24, "no mutants/nobody.patch"),
        ],
    ),
]

CASES_WITH_CLANG_FORMAT = [
    Case(
        "formatting",
        header("src/sim/a.h", "int  a;\n") | {".clang-format": "BasedOnStyle: Google\n"},
        [(3, "make format")],
    )
]
CASES_WITH_SHELLCHECK = [
    Case("scripts", {"tools/a": "#!/bin/sh\nrm $1\n"}, [(2, "SC2086")]),
]


def findings_in(files):
    with tempfile.TemporaryDirectory() as scratch:
        for path, content in (SCRATCH | files).items():
            file = Path(scratch) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        tree = tidy_rules.Tree(Path(scratch))
        return sorted(finding for rule in tidy_rules.RULES for finding in rule(tree))


def is_as_expected(case, findings):
    path = Path(next(iter(case.files)))
    return len(findings) == len(case.expected) and all(
        finding.path == path and finding.line == line and text in finding.what
        for finding, (line, text) in zip(findings, case.expected)
    )


def run():
    cases = list(CASES)
    if tidy_rules.clang_format():
        cases += CASES_WITH_CLANG_FORMAT
    if shutil.which("shellcheck"):
        cases += CASES_WITH_SHELLCHECK
    failures = 0
    for case in cases:
        findings = findings_in(case.files)
        if not is_as_expected(case, findings):
            failures += 1
            print(f"{case.name}: expected {case.expected}, found")
            print("".join(f"  {finding}\n" for finding in findings) or "  nothing")
    print(f"tidy --self-test: {len(cases)} cases, {failures} failed")
    return 1 if failures else 0
