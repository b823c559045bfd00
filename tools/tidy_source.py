"""What tidy's rules look at: a C++ file as text, as code without comments, and its functions."""

import re
from functools import cached_property

# Comments, strings and characters. The quote in 10'000 is none of them.
_NOT_CODE = re.compile(
    r'''R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"'''
    r'''|"(?:\\.|[^"\\\n])*"'''
    r"""|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"""
    r"""|//[^\n]*|/\*.*?\*/""",
    re.DOTALL,
)
_INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_TYPE = re.compile(r"\b(namespace|class|struct|union|enum)\b[^()]*$")


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group())


class Source:
    """One .h or .cc file. Paths are relative to the root of the tree."""

    def __init__(self, root, file):
        self.path = file.relative_to(root)
        self.text = file.read_text(encoding="utf-8")
        self.lines = self.text.splitlines()

    @property
    def room(self):
        """The folder under src/, or None for a file that is in no room."""
        parts = self.path.parts
        return parts[1] if len(parts) > 2 and parts[0] == "src" else None

    @property
    def is_header(self):
        return self.path.suffix == ".h"

    @property
    def is_test(self):
        folders = {"compile_fail", "fuzz"}
        return self.path.stem.endswith("_test") or not folders.isdisjoint(self.path.parts)

    @cached_property
    def code(self):
        """The text with comments and literals blanked; lines and columns stay where they are."""
        return _NOT_CODE.sub(_blank, self.text)

    def includes(self):
        """Yields (line number, is it quoted, what is included)."""
        for number, line in enumerate(self.lines, 1):
            if match := _INCLUDE.match(line):
                yield number, match.group(1) == '"', match.group(2)

    def functions(self):
        """Yields (first line, last line) of function bodies, heads included, found by their braces.

        A body is a brace after a head with parentheses, outside any other body. The head reaches
        back to the last `;`, `{` or `}`.
        """
        code = _PREPROCESSOR.sub(_blank, self.code)
        head_start = 0  # where the current head begins
        body_start = None  # where the head of the body that we are in begins
        depth = 0  # of braces, within the body
        for match in re.finditer(r"[{};]", code):
            brace, at = match.group(), match.start()
            if body_start is None:
                if brace == "{" and _opens_body(code[head_start:at]):
                    body_start, depth = head_start, 1
                    continue
                head_start = match.end()
            elif brace != ";":
                depth += 1 if brace == "{" else -1
                if depth > 0:
                    continue
                rest = code[at + 1 :].lstrip()
                if rest[:1] in ("{", ","):  # not a body yet: Member(int a) : a{a} {}
                    head_start, body_start = body_start, None
                    continue
                leading = code[body_start:at]
                first = body_start + len(leading) - len(leading.lstrip())
                yield code.count("\n", 0, first) + 1, code.count("\n", 0, at) + 1
                head_start, body_start = match.end(), None


def _opens_body(head):
    head = _without_template(head)
    if "(" not in head or head.count("(") != head.count(")"):
        return False
    return not _TYPE.search(head) and not head.rstrip().endswith("=")


def _without_template(head):
    """Drops template <...>, whose `class` must not look like the head of a class."""
    while match := re.search(r"\btemplate\s*<", head):
        end, depth = match.end(), 1
        while end < len(head) and depth:
            depth += {"<": 1, ">": -1}.get(head[end], 0)
            end += 1
        head = head[: match.start()] + head[end:]
    return head
