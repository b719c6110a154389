"""An operation called by curl, and an example of its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.conf import settings

from config.api_docs.examples import HEADERS, NEEDS, QUERIES, TREE, TREES, body_of, fill_path
from config.api_docs.operations import Line, Mount
from config.api_docs.samples import Sampler
from core.types import Values

FILES = "multipart/form-data"
PAGE = {"p": "1", "n": "20"}
"""Parameters of a list's page: without them GET answers with the whole set."""


@dataclass(frozen=True)
class Call:
    """A request as the examples make it. Names in capitals stand for ids."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Values | None
    """None: it sends no body."""
    headers: tuple[str, ...] = ()
    """Headers that it needs in addition to those of the mount."""


def example_of(mount: Mount, line: Line, names: Set[str]) -> Call:
    """Return the request that the pages show for an operation with these parameters."""
    query = dict(QUERIES.get(f"{line.method} {line.path}", {}))
    if line.method == "GET" and {"p", "n"} <= set(names):
        query = {**PAGE, **query}
    body = body_of(mount.key, line.method, line.path, bulk=line.bulk)
    headers = HEADERS.get(f"{line.method} {line.path}", ())
    return Call(line.method, fill_path(line.path), query, body, headers)


def call_of(mount: Mount, line: Line, operation: Values, names: Set[str], document: Values) -> dict[str, str]:
    """Return the example of an operation as the pages show it: `example`, `filtered`, `sample`, and what it `needs`."""
    call = example_of(mount, line, names)
    takes_files = FILES in operation.get("requestBody", {}).get("content", {})
    answer = Sampler(document, call.body or {}).answer(operation)
    filters = line.method == "GET" and "advancedFilters" in names
    return {
        "needs": NEEDS.get(f"{line.method} {line.path}", ""),
        "example": curl(mount, call, takes_files=takes_files),
        "filtered": filtered_list_call(mount, call, TREES.get(line.path, TREE)) if filters else "",
        "sample": "" if answer is None else json.dumps(answer, ensure_ascii=False, indent=2),
    }


def curl(mount: Mount, call: Call, *, takes_files: bool = False) -> str:
    """Return a command that works as it stands, once the names in capitals are replaced."""
    query = "&".join(f"{name}={quote(value)}" for name, value in call.query.items())
    address = f"{settings.BASE_URL}{mount.path}{call.path}{f'?{query}' if query else ''}"
    parts = ["curl" if call.method == "GET" else f"curl -X {call.method}"]
    parts += [f'-H "{header}"' for header in (*mount.headers, *call.headers)]
    if takes_files:
        parts.append("-F file=@people.csv")
    elif call.body is not None:
        parts += ['-H "Content-Type: application/json"', f"-d {quote_json(call.body)}"]
    return " \\\n  ".join([*parts, f'"{address}"'])


def filtered_list_call(mount: Mount, call: Call, tree: Values) -> str:
    """Return the list asked by a tree of conditions. Exports have no page: they are of all that matches."""
    parts = ["curl -G", *(f'-H "{header}"' for header in mount.headers)]
    parts += [f"--data-urlencode '{name}={value}'" for name, value in call.query.items()]
    parts.append(f"--data-urlencode advancedFilters={quote_json(tree)}")
    return " \\\n  ".join([*parts, f'"{settings.BASE_URL}{mount.path}{call.path}"'])


def quote_json(value: Any) -> str:
    """Return JSON as one word of a shell."""
    text = json.dumps(value, ensure_ascii=False, indent=2).replace("'", "'\\''")
    return f"'{text}'"
