"""Forms of pages: fields as people see them, the API's body made from them, and refusals at the fields they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from core.web.ask import LACKS, NOT_ALLOWED

PIECE = re.compile(r"([A-Za-z_][\w-]*(?:\.[\w-]+)*): (.+)", re.DOTALL)
LOST = "Enter it again: it is not kept after a failed try."
"""What is said at a secret of a refused form, which no page sends back to the browser."""
SEVERAL = frozenset({"checks", "groups", "tags"})
"""Kinds whose value is a list."""


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    group: str = ""
    """The words above it and its like, in a select or a field of kind groups."""


@dataclass
class Field:
    """A field of a form. `name` is its name in the API's body."""

    name: str
    label: str
    kind: str = "text"
    """text, email, tel, url, number, date, password, textarea, select, search (one of very many options), radio,
    checks, groups (of checks), tags, switch or hidden."""
    required: bool = False
    help: str = ""
    placeholder: str = ""
    options: list[Option] = field(default_factory=list)
    autocomplete: str = "off"
    autofocus: bool = False
    key: str = ""
    """The key that leads into a textarea."""
    value: Any = ""
    error: str = ""
    clash: str = ""
    """What somebody else has written there since the form was opened."""

    @property
    def id(self) -> str:
        return f"f-{self.name}"

    @property
    def described_by(self) -> str:
        """The ids of the texts about the field."""
        return " ".join(f"{self.id}-{part}" for part, text in (("error", self.error), ("help", self.help)) if text)

    @property
    def chosen(self) -> list[str]:
        """The values of a field with several, or the one of others, as text."""
        values = self.value if isinstance(self.value, list) else [self.value]
        return ["" if value is None else str(value) for value in values]

    @property
    def groups(self) -> list[tuple[str, list[Option], int]]:
        """The options by what they stand under, and how many of them are chosen."""
        found: dict[str, list[Option]] = {}
        for one in self.options:
            found.setdefault(one.group, []).append(one)
        chosen = set(self.chosen)
        return [(name, ones, sum(one.value in chosen for one in ones)) for name, ones in found.items()]

    def _option(self, text: str) -> str:
        """Return the option that the text is, or the only one that has it in it; else the text, which is refused."""
        wanted = _plain(text)
        exact = [one.value for one in self.options if wanted in (_plain(one.value), _plain(one.label))]
        found = exact or [one.value for one in self.options if wanted and wanted in _plain(one.value)]
        return found[0] if len(found) == 1 else text

    def read(self, sent: QueryDict) -> Any:
        """Return what was sent, as the API takes it: numbers as numbers, nothing as "", [] or null."""
        if self.kind == "switch":
            return self.name in sent
        if self.kind in SEVERAL:
            return sent.getlist(self.name)
        text = sent.get(self.name, "").replace("\r\n", "\n")  # as browsers write the lines of a textarea
        if self.kind != "password":
            text = text.strip()
        if self.kind == "number":
            return _number(text)
        if self.kind == "search":
            return self._option(text)
        return None if self.kind == "date" and not text else text


def _plain(text: str) -> str:
    return text.replace("_", " ").casefold()


def _number(text: str) -> Any:
    """Return the number that the text writes, None for none, or the text itself, which the API then refuses."""
    if not text:
        return None
    try:
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    except ValueError:
        return text


def differ(one: Any, other: Any) -> bool:
    """Tell whether two values of a field differ; nothing is the same in each of its forms, and lists have no order."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) != sorted(map(str, other))
    return bool((one or "") != (other or ""))


class Form:
    """A form on a page. `fill` takes what was sent, `values` has it for the API's body."""

    def __init__(self, fields: Iterable[Field], values: Mapping[str, Any] | None = None) -> None:
        self.fields = list(fields)
        self.opened = ""
        """What the fields held when the form was opened, as JSON (core.web.conflicts)."""
        self.trouble: list[str] = []
        """What is wrong with no single field."""
        for one in self.fields:
            if values is not None and one.name in values:
                one.value = values[one.name]

    def fill(self, sent: QueryDict) -> Form:
        """Take what the browser sent. Fields that are not there stay as they are."""
        for one in self.fields:
            if one.name in sent or one.kind in SEVERAL or one.kind == "switch":
                one.value = one.read(sent)
        return self

    @property
    def values(self) -> dict[str, Any]:
        return {one.name: one.value for one in self.fields}

    @property
    def wrong(self) -> list[Field]:
        """The fields that were refused, for the summary above the form."""
        return [one for one in self.fields if one.error]

    @property
    def is_wrong(self) -> bool:
        return bool(self.trouble or self.wrong)

    def changed(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that differ from the record's, so that a form overwrites nothing that it did not touch."""
        return {name: value for name, value in self.values.items() if differ(before.get(name), value)}

    def refuse(self, message: str, warning: str) -> None:
        """Put an API's refusal at the fields that it names (`email: is required; number: …`), the rest above them."""
        if LACKS in warning:
            self.trouble.append(NOT_ALLOWED)
            self.ask_again()
            return
        by_name = {one.name: one for one in self.fields}
        rest: list[str] = []
        found_of: dict[str, list[str]] = {}
        last: list[str] | None = None
        for piece in warning.split("; "):
            found = PIECE.fullmatch(piece)
            names = reversed(found[1].split(".")) if found else ()  # of allowedIps.0 the form has the first
            named = next((by_name[name] for name in names if name in by_name), None)
            if named is not None and found is not None:
                last = found_of.setdefault(named.name, [])
                last.append(found[2])
            elif last and not found:
                last[-1] += f"; {piece}"
            elif piece:
                rest.append(_sentence(piece))
        for name, pieces in found_of.items():
            by_name[name].error = " ".join(_sentence(piece) for piece in pieces)
        duplicates = re.fullmatch(r"Duplicate field\(s\): (.+)", message)
        for name in duplicates[1].split(", ") if duplicates else ():
            if name in by_name and not by_name[name].error:
                by_name[name].error = "Another record has this already."
        if message and not self.wrong:
            self.trouble.append(message)
        self.trouble += rest
        self.ask_again()

    def ask_again(self) -> None:
        """Say at the secrets that were typed that they are lost, since browsers do not get them back."""
        for one in self.fields:
            if one.kind == "password" and one.value and not one.error:
                one.error = LOST


def _sentence(text: str) -> str:
    """Write a hint of the API as a sentence."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
