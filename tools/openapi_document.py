"""The API as src/node/openapi.json documents it: its operations, its schemas, and how to use them.

Needs Debian's python3-jsonschema (tools/install-deps), so the scripts that use this run the
system's own Python, whatever other one is first in the PATH."""

import copy
import json
from pathlib import Path
from typing import NamedTuple

import jsonschema

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "src/node/openapi.json"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


class Operation(NamedTuple):
    method: str  # as on the wire: GET
    path: str  # with {names}
    about: dict
    shared: list  # parameters of the path, for all its operations

    @property
    def name(self):
        return f"{self.method} {self.path}"

    def parameters(self, where):
        listed = self.shared + self.about.get("parameters", [])
        return [one["name"] for one in listed if one.get("in") == where]


class Document:
    def __init__(self, content):
        self.content = content

    @classmethod
    def load(cls):
        return cls(json.loads(FILE.read_text(encoding="utf-8")))

    def operations(self):
        for path, item in self.content.get("paths", {}).items():
            for method in METHODS:
                if method in item:
                    yield Operation(
                        method.upper(), path, item[method], item.get("parameters", [])
                    )

    def find(self, reference):
        """What "#/a/b" points to; a KeyError if nothing is there."""
        place = self.content
        for step in reference.removeprefix("#/").split("/"):
            place = place[step.replace("~1", "/").replace("~0", "~")]
        return place

    def response(self, operation, status):
        """The documented response, or nothing if that status is not documented."""
        found = operation.about.get("responses", {}).get(str(status))
        return self.find(found["$ref"]) if found and "$ref" in found else found

    def wrong_with(self, value, schema):
        """Why an answer is not what the schema says. What is not documented is wrong, too."""
        whole = {**_closed(schema), "components": _closed(self.content.get("components", {}))}
        validator = jsonschema.Draft202012Validator(
            whole, format_checker=jsonschema.FormatChecker()
        )
        return [f"{_place(error)}: {error.message}" for error in validator.iter_errors(value)]


def _place(error):
    return "/".join(str(step) for step in error.absolute_path) or "the whole"


def _closed(schema):
    """A copy in which an object has the properties that are listed, and no others."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return copy.deepcopy(schema)
    closed = {key: _closed(value) for key, value in schema.items()}
    if isinstance(closed.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    return closed


def walk(value, path=()):
    """Every dict in there, with the way to it."""
    if isinstance(value, dict):
        yield path, value
        for key, one in value.items():
            yield from walk(one, (*path, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from walk(one, (*path, str(number)))
