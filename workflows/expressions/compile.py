"""The compiler of expressions: a value with {{ references }} becomes a function of the run's values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from core.types import Values
from workflows.expressions.filters import FILTERS, MAX_TEXT_LENGTH, UNITS, ZONED, check_size, text_value

ROOTS = ("contact", "lead", "organization", "trigger", "steps", "loop", "vars", "run", "company", "now")
MAX_FILTERS = 20
MAX_PARTS = 200
"""The most references in one text."""
MAX_REFERENCE_LENGTH = 2000
"""Characters of one reference."""
MAX_DEPTH = 10
Reader = Callable[[Values], Any]
Escape = Callable[[Any], str]

# Every repetition has a bound, so that no text makes the expressions slow.
_PATH = re.compile(r"\s*([A-Za-z]\w*(?:\.[\w-]{1,100}){0,10})\s*")
_FILTER = re.compile(r"\|\s*(\w+)\s*")
_ARGUMENT = re.compile(r"""[:,]\s*(?:"([^"]*)"|'([^']*)'|(-?\d{1,15}(?:\.\d{1,10})?))\s*""")


class BadExpression(ValueError):
    """An expression that cannot be compiled. `code` and `reason` are its names in the validation of a graph."""

    def __init__(self, code: str, message: str, reason: str = "", name: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason or code
        self.name = name


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled value. `paths` are the references in it."""

    read: Reader
    paths: frozenset[str] = field(default_factory=frozenset)

    @property
    def roots(self) -> frozenset[str]:
        return frozenset(path.partition(".")[0] for path in self.paths)


def compile_value(value: Any, depth: int = 0, *, escape: Escape | None = None) -> Compiled:
    """Compile a JSON value; texts in it may contain references. A text that is one reference keeps the value's type.

    A missing reference gives null; a text longer than MAX_TEXT_LENGTH raises TooLarge. `escape` escapes values
    for a text, which then stays one. Raises BadExpression.
    """
    # Recursion follows the author's JSON, which may be nested as deep as a request allows.
    if depth > MAX_DEPTH:
        raise BadExpression("tooLarge", f"is nested too deeply, at most {MAX_DEPTH} levels are allowed")
    if isinstance(value, str):
        return _compile_text(value, escape)
    if isinstance(value, dict):
        parts = {key: compile_value(item, depth + 1, escape=escape) for key, item in value.items()}
        readers = {key: part.read for key, part in parts.items()}
        paths = frozenset[str]().union(*(part.paths for part in parts.values()))
        return Compiled(lambda scope: {key: read(scope) for key, read in readers.items()}, paths)
    if isinstance(value, list):
        items = [compile_value(item, depth + 1, escape=escape) for item in value]
        paths = frozenset[str]().union(*(item.paths for item in items))
        return Compiled(lambda scope: [item.read(scope) for item in items], paths)
    return Compiled(lambda scope: value)


def references(source: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each {{ reference }} in a text, up to the first {{ without }}.

    It reads each character a bounded number of times, for any text.
    """
    start = source.find("{{")
    while start >= 0:
        # Bounded: a text of many {{ without }} would otherwise be read to its end for each of them.
        end = source.find("}}", start + 2, start + MAX_REFERENCE_LENGTH + 4)
        if end < 0:
            return
        yield start, end + 2
        start = source.find("{{", end + 2)


def _compile_text(source: str, escape: Escape | None) -> Compiled:
    if "{{" not in source:
        return Compiled(lambda scope: source)
    parts: list[str | Reader] = []
    paths = set()
    place = 0
    for number, (start, end) in enumerate(references(source)):
        if number == MAX_PARTS:
            raise BadExpression("tooLarge", f"has more than {MAX_PARTS} references")
        if start > place:
            parts.append(source[place:start])
        path, read = _reference(source[start + 2 : end - 2])
        paths.add(path)
        parts.append(read)
        place = end
    if "{{" in source[place:]:
        raise BadExpression("badValue", "a {{ has no }}", "openBraces")
    if place < len(source):
        parts.append(source[place:])
    # Refused when it is saved, as it would fail in every run.
    if sum(len(part) for part in parts if isinstance(part, str)) > MAX_TEXT_LENGTH:
        raise BadExpression("tooLarge", f"has expressions and more than {MAX_TEXT_LENGTH:,} characters beside them")
    write = escape or text_value
    # One reference alone keeps its type, so that lists and numbers reach settings that need them.
    if len(parts) == 1 and not isinstance(parts[0], str) and escape is None:
        return Compiled(parts[0], frozenset(paths))
    return Compiled(
        lambda scope: check_size("".join(part if isinstance(part, str) else write(part(scope)) for part in parts)),
        frozenset(paths),
    )


def _reference(inside: str) -> tuple[str, Reader]:
    match = _PATH.match(inside)
    if match is None:
        raise BadExpression(
            "unknownReference", f"{{{{{inside[:60]}}}}} names no value, such as contact.name", "noReference"
        )
    path = match[1]
    root, *keys = path.split(".")
    if root not in ROOTS:
        raise BadExpression("unknownReference", f"{root!r} is none of {', '.join(ROOTS)}", "noReference", root)
    filters = _filters(inside[match.end() :])

    def read(scope: Values) -> Any:
        value = scope.get(root)
        for key in keys:
            value = look_up(value, key)
        for apply, arguments, zoned in filters:
            value = apply(value, *arguments, zone=_zone_of(scope)) if zoned else apply(value, *arguments)
        return value

    return path, read


def _zone_of(scope: Values) -> ZoneInfo:
    """Return the company's time zone; UTC for a scope without company, such as a preview."""
    return ZoneInfo((scope.get("company") or {}).get("timezone") or "UTC")


def look_up(value: Any, key: str) -> Any:
    """Return the item of an object, or of an array by its place; None if there is none."""
    if isinstance(value, Mapping):
        return value.get(key)
    # No negative places and no attributes: a path can reach nothing but data.
    if isinstance(value, list) and key.isdecimal() and len(key) < 6 and int(key) < len(value):
        return value[int(key)]
    return None


def _filters(rest: str) -> list[tuple[Callable[..., Any], list[Any], bool]]:
    filters = []
    place = 0
    while place < len(rest):
        name = _FILTER.match(rest, place)
        if name is None:
            raise BadExpression("badValue", f"{rest[place : place + 40]!r} is no filter such as | upper", "noFilter")
        # A closed list: nothing in an expression can call into Python otherwise.
        if name[1] not in FILTERS:
            raise BadExpression("unknownFilter", f"{name[1]!r} is none of {', '.join(FILTERS)}", "noFilter", name[1])
        place = name.end()
        arguments = []
        while (argument := _ARGUMENT.match(rest, place)) is not None:
            quoted = next((part for part in argument.groups()[:2] if part is not None), None)
            arguments.append(quoted if quoted is not None else _literal(argument[3]))
            place = argument.end()
        apply, fewest, most = FILTERS[name[1]]
        if not fewest <= len(arguments) <= most:
            raise BadExpression(
                "badValue",
                f"{name[1]} takes {fewest} to {most} arguments, got {len(arguments)}",
                "badArguments",
                name[1],
            )
        # Checked here, since the unit is mostly a constant; a computed one gives null in the run.
        if name[1] == "dateAdd" and len(arguments) > 1 and arguments[1] not in UNITS:
            raise BadExpression(
                "badValue",
                f"dateAdd: {str(arguments[1])[:40]!r} is none of {', '.join(UNITS)}",
                "badArguments",
                name[1],
            )
        filters.append((apply, arguments, name[1] in ZONED))
    if len(filters) > MAX_FILTERS:
        raise BadExpression("tooLarge", f"has {len(filters)} filters, at most {MAX_FILTERS} are allowed")
    return filters


def _literal(digits: str) -> int | float:
    return float(digits) if "." in digits else int(digits)
