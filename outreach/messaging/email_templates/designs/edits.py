"""Changes of a design's blocks, as the editor makes them. Designs are JSON, and may be unfinished.

A path names a block ("2"), a column of one ("2.1"), or a block in a column ("2.1.0").
"""

from __future__ import annotations

import copy
from typing import Any

from core.types import JsonObject
from outreach.messaging.email_templates.designs.blocks import VERSION

Blocks = list[JsonObject]
COLUMNS = "columns"
NEW: dict[str, JsonObject] = {
    "heading": {"text": "Heading", "level": 2, "align": "left"},
    "text": {"text": "Write your text here.", "align": "left"},
    "image": {"file": None, "url": "", "alt": "", "link": "", "width": None, "align": "center"},
    "button": {"label": "Read more", "url": "https://", "align": "left"},
    "columns": {"columns": [{"blocks": []}, {"blocks": []}]},
    "divider": {},
    "social": {"links": [], "align": "center"},
    "footer": {"text": "", "align": "center"},
    "product": {
        "file": None, "url": "", "alt": "", "link": "", "name": "Product", "description": "", "price": "",
        "label": "", "align": "left",
    },
}  # fmt: skip
"""Kind of a block -> the values of a new one."""


class NoSuchBlock(Exception):
    """A path that leads to no block of the design."""


def _objects(value: Any) -> Blocks:
    """Return copies of the objects of a list; forms may send anything."""
    items = value if isinstance(value, list) else []
    return [copy.deepcopy(item) for item in items if isinstance(item, dict)]


def _with_columns(block: JsonObject) -> JsonObject:
    """Return a block whose columns have blocks."""
    if block.get("type") != COLUMNS:
        return block
    columns = [{"blocks": _objects(column.get("blocks"))} for column in _objects(block.get(COLUMNS))]
    return {**block, COLUMNS: columns}


class Editor:
    """A design that is being changed. Methods return the path of the block to show next."""

    def __init__(self, design: Any) -> None:
        self.design: JsonObject = {"version": VERSION, **design} if isinstance(design, dict) else {"version": VERSION}
        self.blocks: Blocks = [_with_columns(block) for block in _objects(self.design.get("blocks"))]
        self.design["blocks"] = self.blocks

    def block(self, path: str) -> JsonObject:
        """Return the block. Raises NoSuchBlock."""
        blocks, at = self._place(path)
        return blocks[at]

    def add(self, path: str, kind: str) -> str:
        """Add a block after the one of the path, at the end of the column of the path, or at the end."""
        if kind not in NEW:
            raise NoSuchBlock
        # A copy: the lists of NEW would be shared by all designs of the process.
        block = {"type": kind, **copy.deepcopy(NEW[kind])}
        parts = self._parts(path)
        if not parts:
            self.blocks.append(block)
            return str(len(self.blocks) - 1)
        if kind == COLUMNS or len(parts) == 1:
            place = min(parts[0] + 1, len(self.blocks))
            self.blocks.insert(place, block)
            return str(place)
        column = self._column(parts[0], parts[1])
        at = min(parts[2] + 1, len(column)) if len(parts) == 3 else len(column)
        column.insert(at, block)
        return self._path(parts, at)

    def move(self, path: str, by: int) -> str:
        """Move a block up (-1) or down (1): within its column, to the next column, and out of the columns."""
        blocks, at = self._place(path)
        parts = self._parts(path)
        if 0 <= at + by < len(blocks):
            blocks.insert(at + by, blocks.pop(at))
            return self._path(parts, at + by)
        if len(parts) == 1:
            return path
        number, place = parts[0], parts[1] + by
        block = blocks.pop(at)
        if 0 <= place < len(self._columns(number)):
            column = self._column(number, place)
            inside = 0 if by > 0 else len(column)
            column.insert(inside, block)
            return f"{number}.{place}.{inside}"
        # Out of the first or last column: the block leaves the columns.
        outside = number + 1 if by > 0 else number
        self.blocks.insert(outside, block)
        return str(outside)

    def duplicate(self, path: str) -> str:
        """Add a copy of a block after it."""
        blocks, at = self._place(path)
        blocks.insert(at + 1, copy.deepcopy(blocks[at]))
        return self._path(self._parts(path), at + 1)

    def remove(self, path: str) -> str:
        """Remove a block. The next one follows, or else the one before it."""
        blocks, at = self._place(path)
        del blocks[at]
        parts = self._parts(path)
        if blocks:
            return self._path(parts, min(at, len(blocks) - 1))
        return ".".join(map(str, parts[:-1]))

    def resize(self, path: str, count: int) -> None:
        """Give a block of columns two or three. The blocks of a column that goes stand in the last one."""
        columns = self._columns(self._parts(path)[0])
        while len(columns) < min(count, 3):
            columns.append({"blocks": []})
        while len(columns) > max(count, 2):
            # Nothing that was written is lost with a column.
            rest = columns.pop()
            columns[-1]["blocks"].extend(rest["blocks"])

    def exists(self, path: str) -> bool:
        """Return whether the path leads to a block or a column."""
        try:
            parts = self._parts(path)
            if len(parts) == 2:
                self._column(parts[0], parts[1])
            else:
                self._place(path)
        except NoSuchBlock:
            return False
        return True

    def _parts(self, path: str) -> list[int]:
        texts = path.split(".") if path else []
        # Paths come from forms: long ones would cost a deep search or a huge number.
        if len(texts) > 3 or not all(text.isdecimal() and len(text) < 4 for text in texts):
            raise NoSuchBlock
        return [int(text) for text in texts]

    def _path(self, parts: list[int], at: int) -> str:
        return ".".join(map(str, [*parts[:2], at] if len(parts) > 1 else [at]))

    def _columns(self, number: int) -> list[JsonObject]:
        if number >= len(self.blocks) or COLUMNS not in self.blocks[number]:
            raise NoSuchBlock
        columns: list[JsonObject] = self.blocks[number][COLUMNS]
        return columns

    def _column(self, number: int, place: int) -> Blocks:
        columns = self._columns(number)
        if place >= len(columns):
            raise NoSuchBlock
        blocks: Blocks = columns[place]["blocks"]
        return blocks

    def _place(self, path: str) -> tuple[Blocks, int]:
        """Return the list that a block is in, and its place there."""
        parts = self._parts(path)
        if len(parts) not in (1, 3):
            raise NoSuchBlock
        blocks = self.blocks if len(parts) == 1 else self._column(parts[0], parts[1])
        if parts[-1] >= len(blocks):
            raise NoSuchBlock
        return blocks, parts[-1]
