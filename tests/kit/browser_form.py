"""What a browser sends for a form that nobody has touched: inputs sanitise their values (HTML, 4.10.5), and line ends
are CRLF (4.10.21.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from html.parser import HTMLParser
from typing import Any

ONE_LINE = ("text", "search", "tel", "password", "url", "email")
NUMBER = re.compile(r"-?(\d+|\d*\.\d+)([eE][+-]?\d+)?", re.ASCII)
LOCAL = re.compile(r"(\d{4,}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?", re.ASCII)


def sanitised(kind: str, value: str) -> str:
    """Return the value that an input of this type has for its attribute `value`."""
    if kind in ONE_LINE:
        value = re.sub(r"[\r\n]", "", value)
        return value.strip(" \t\n\f\r") if kind in ("url", "email") else value
    if kind == "number":
        return value if NUMBER.fullmatch(value) else ""
    if kind == "date":
        return value if _is_date(value) else ""
    if kind == "datetime-local":
        return _local(value)
    return value


def _is_date(value: str) -> bool:
    try:
        return re.fullmatch(r"\d{4,}-\d\d-\d\d", value) is not None and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _local(value: str) -> str:
    """Return the normal form: T between day and time, and the shortest time."""
    found = LOCAL.fullmatch(value)
    if found is None or not _is_date(found[1]):
        return ""
    day, hour, minute, second, part = found.groups()
    text = f"{day}T{hour}:{minute}"
    if part and part.strip("0"):
        return f"{text}:{second}.{part.rstrip('0')}"
    return f"{text}:{second}" if second and second != "00" else text


@dataclass
class _Select:
    name: str
    options: list[tuple[str, bool]] = field(default_factory=list)

    @property
    def value(self) -> str | None:
        """The last selected option, or the first one."""
        chosen = [value for value, selected in self.options if selected]
        return chosen[-1] if chosen else next((value for value, _ in self.options), None)


class _Form(HTMLParser):
    def __init__(self, css: str) -> None:
        super().__init__()
        self.css = css
        self.inside = False
        self.sent: dict[str, list[str]] = {}
        self._area: tuple[str, list[str]] | None = None
        self._select: _Select | None = None

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in pairs}
        if tag == "form":
            self.inside = found.get("class") == self.css and bool(found.get("method"))
        name = found.get("name", "")
        if not self.inside or (not name and tag != "option") or "disabled" in found:
            return
        if tag == "input":
            self._input(name, found)
        elif tag == "textarea":
            self._area = (name, [])
        elif tag == "select":
            self._select = _Select(name)
        elif tag == "option" and self._select:
            self._select.options.append((found.get("value", ""), "selected" in found))

    def _input(self, name: str, found: dict[str, str]) -> None:
        kind = found.get("type", "text")
        if kind in ("checkbox", "radio"):
            if "checked" not in found:
                return
            if kind == "radio":  # of a group the last one that is checked
                self.sent.pop(name, None)
        elif kind in ("submit", "button", "file", "image", "reset"):
            return
        self._send(name, sanitised(kind, found.get("value", "on" if kind in ("checkbox", "radio") else "")))

    def _send(self, name: str, value: str) -> None:
        self.sent.setdefault(name, []).append(re.sub(r"\r\n|\r|\n", "\r\n", value))

    def handle_data(self, data: str) -> None:
        if self._area:
            self._area[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._area:
            name, parts = self._area
            self._send(name, "".join(parts).removeprefix("\n"))
            self._area = None
        elif tag == "select" and self._select:
            if self._select.value is not None:
                self._send(self._select.name, self._select.value)
            self._select = None
        elif tag == "form":
            self.inside = False


def untouched(page: Any, css: str = "form") -> dict[str, list[str]]:
    """Return name -> values that a browser sends for the page's form with this class, as it was rendered."""
    form = _Form(css)
    form.feed(re.sub(r"\r\n?", "\n", page.content.decode()))  # as the input stream is read
    form.close()
    return form.sent
