"""Parts of an export: the ids of its records, frozen at its start, and the rows read so far.

Each part commits with the progress, so that the next worker continues after the last one; the file is written from the
parts at the end. They are deleted when the export ends.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import orjson

from core.types import JsonObject
from crm.exports.formats.base import Cells, ExactTime
from crm.exports.models import Export, ExportPart

IDS = 0
"""The number of the part that has the ids; the rows begin with the next one."""
AT_A_TIME = 10
"""Parts that are read together."""


def begin(job: Export, ids: bytes) -> None:
    """Freeze the ids of the export's records, and delete the parts of an earlier start."""
    ExportPart.objects.filter(export=job).delete()
    # Frozen: pages by offset would repeat or miss records while others are created and deleted. The lowest
    # level of compression, since the part is read once and soon deleted.
    ExportPart.objects.create(export=job, number=IDS, until=0, content=zlib.compress(ids, 1))


def ids_of(job: Export) -> bytes | None:
    """Return the ids of the export's records; None if it has not begun."""
    content = ExportPart.objects.filter(export=job, number=IDS).values_list("content", flat=True).first()
    return None if content is None else zlib.decompress(content)


def last_part(job: Export) -> tuple[int, int]:
    """Return the number of the last part, and the number of ids up to its end."""
    return ExportPart.objects.filter(export=job).order_by("-number").values_list("number", "until")[0]


def add(job: Export, number: int, until: int, rows: Sequence[Cells]) -> None:
    """Store the rows of the ids up to `until`, in the transaction that saves the progress."""
    content = orjson.dumps(rows, default=_tag_cell, option=orjson.OPT_PASSTHROUGH_DATETIME)
    ExportPart.objects.create(export=job, number=number, until=until, content=zlib.compress(content, 1))


def rows_of(job: Export) -> Iterator[Cells]:
    """Yield the rows of all parts in their order."""
    place = IDS
    while parts := list(
        ExportPart.objects.filter(export=job, number__gt=place)
        .order_by("number")
        .values_list("number", "content")[:AT_A_TIME]
    ):
        for number, content in parts:
            place = number
            for row in orjson.loads(zlib.decompress(content)):
                yield [_TYPES[cell[0]](cell[1]) if type(cell) is list else cell for cell in row]


_TYPES: JsonObject = {
    "number": Decimal,
    "date": date.fromisoformat,
    "time": datetime.fromisoformat,
    "exact": ExactTime.fromisoformat,
}


def _tag_cell(cell: Any) -> list[str]:
    """Return a cell that JSON has no type for."""
    if isinstance(cell, Decimal):
        return ["number", str(cell)]
    if isinstance(cell, ExactTime):
        return ["exact", cell.isoformat()]
    return ["time" if isinstance(cell, datetime) else "date", cell.isoformat()]
