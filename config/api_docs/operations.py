"""The operations of the API, in groups. They are read from the routers, so a page does not wait for the whole
schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator

from config.api_docs.titles import APPS, SECTIONS, TITLES
from config.urls import key, private, public
from core.api.routers import PARAMETER, Operation
from core.types import JsonObject


@dataclass(frozen=True)
class Mount:
    """An address below which operations stand, and the headers that requests to it bring."""

    key: str
    title: str
    path: str
    headers: tuple[str, ...]
    """The headers of an example request, in the notation of curl."""

    def __str__(self) -> str:
        return self.key


KEY = Mount("key", "By API key", "/api/key/protected/", ("apikey: $KEY",))
SESSION = Mount("session", "By session", "/api/protected/", ("Authorization: Bearer $TOKEN", "authmember: $MEMBER"))
PERSON = Mount("private", "A person's own", "/api/private/", ("Authorization: Bearer $TOKEN",))
PUBLIC = Mount("public", "Without a login", "/api/public/", ())
MOUNTS = (KEY, SESSION)
"""Both have the operations of a company; readers choose one."""
OTHERS = {PERSON.key: PERSON, PUBLIC.key: PUBLIC}
"""Groups of their own."""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""Methods in the order of a group's operations."""
WORDS = {
    "api": "API",
    "ai": "AI model",
    "ocr": "reader of cards",
    "smtp": "mail server (SMTP)",
    "imap": "mailbox (IMAP)",
    "mailvendor": "mail vendor",
    "chatapp": "chat app",
    "social": "social app",
    "enrich": "data provider",
    "gateway": "payment gateway",
    "bucket": "bucket of files",
    **{letter: letter.upper() for letter in "abcdefgh"},
}


@dataclass(frozen=True)
class Line:
    """An operation as the list of all shows it."""

    method: str
    path: str
    """Below the mount, with parameters in braces."""
    summary: str
    bulk: bool = False
    """It takes many records, by ids or by filters."""

    @property
    def anchor(self) -> str:
        return f"{self.method}-{self.path}".lower().replace("/", "-").replace("{", "").replace("}", "")

    def has(self, terms: list[str], group: str = "") -> bool:
        """Return whether all of the words are in it or in the title of its group."""
        text = f"{self.method} {self.path} {self.summary} {group}".lower()
        return all(word in text for word in terms)


@dataclass(frozen=True)
class Group:
    """Operations on one thing."""

    key: str
    lines: tuple[Line, ...]

    @property
    def title(self) -> str:
        if self.key in OTHERS:
            return OTHERS[self.key].title
        if self.key in TITLES:
            return TITLES[self.key]
        parts = [WORDS.get(word, word) for word in self.key.removeprefix("apps-").split("-")]
        name = " ".join(parts)
        return f"App: {name}" if self.key.startswith("apps-") else name[0].upper() + name[1:]

    def mount(self, mount: Mount) -> Mount:
        """Return the mount of the group: its own, or the chosen one."""
        return OTHERS.get(self.key, mount)


def group_key(mount: str, path: str) -> str:
    """Return the group of an operation at a path below its mount."""
    for other in OTHERS.values():
        if mount == other.path:
            return other.key
    first, _, rest = path.partition("/")
    return f"{first}-{rest.partition('/')[0]}" if first == "apps" and rest else first


@cache
def groups() -> dict[str, Group]:
    """Return all groups by key, in the order of their sections."""
    lines: dict[str, list[Line]] = {}
    for mount, router in ((KEY, key.router), (PERSON, private.router), (PUBLIC, public.router)):
        for operation in sorted(router.operations(), key=_order):
            path = PARAMETER.sub(r"{\1}", operation.path).removeprefix("/")
            line = Line(operation.method, path, operation.endpoint.summary, operation.endpoint.bulk)
            lines.setdefault(group_key(mount.path, path), []).append(line)
    order = [key for _, keys in SECTIONS for key in keys]
    return {name: Group(name, tuple(lines[name])) for name in sorted(lines, key=lambda key: _place(order, key))}


def _place(order: list[str], key: str) -> tuple[int, str]:
    """Return the place of a group: that of its section, and connected apps after the groups that are named."""
    return (order.index(key), "") if key in order else (len(order), key)


@cache
def sections() -> dict[str, list[Group]]:
    """Return the groups below the titles of their sections."""
    keys_in_sections = {key for _, keys in SECTIONS for key in keys}
    groups_by_title = {title: [groups()[key] for key in keys] for title, keys in SECTIONS}
    groups_by_title[APPS] = [group for key, group in groups().items() if key not in keys_in_sections]
    return groups_by_title


def _order(operation: Operation) -> tuple[bool, list[str], str, int, str]:
    """Return the sort key of an operation: records first (read, create, change, delete), then actions by path."""
    segments = operation.path.strip("/").split("/")
    is_app = segments[0] == "apps"
    depth = 2 if is_app else 1
    rest = segments[depth:]
    is_record = not rest or (len(rest) == 1 and PARAMETER.fullmatch(rest[0]) is not None)
    action = "" if is_record else operation.path
    return is_app, segments[:depth], action, METHODS.index(operation.method), operation.path


@cache
def _endpoints() -> list[Any]:
    """Return path, its pattern, method and callback of each operation. To read the whole URL map takes long."""
    return EndpointEnumerator().get_api_endpoints()  # type: ignore[no-untyped-call, no-any-return]


class GroupSchema(SchemaGenerator):
    """Makes the schema of one group at one mount, with the components that it refers to."""

    def __init__(self, group: Group, mount: Mount) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._group = group
        self._mount = mount
        self.endpoints = [endpoint for endpoint in _endpoints() if self._is_ours(endpoint[0])]

    def _is_ours(self, path: str) -> bool:
        mount = self._mount.path
        return path.startswith(mount) and group_key(mount, path.removeprefix(mount)) == self._group.key


@lru_cache(maxsize=16)
def schema_of(group: Group, mount: Mount) -> JsonObject:
    """Return the schema of a group. Its server is the mount."""
    schema: JsonObject = GroupSchema(group, mount).get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    address = mount.path.rstrip("/")
    paths = {path.removeprefix(address): item for path, item in schema["paths"].items()}
    return {**schema, "paths": paths, "servers": [{"url": address, "description": mount.title}]}


def describe_operations(group: Group, mount: Mount) -> Iterator[tuple[Line, JsonObject]]:
    """Yield each operation of a group with its part of the schema."""
    paths = schema_of(group, mount)["paths"]
    for line in group.lines:
        operation = paths.get(f"/{line.path}", {}).get(line.method.lower())
        if operation is not None:
            yield line, operation
