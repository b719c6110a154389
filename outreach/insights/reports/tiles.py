"""The tiles of dashboards: their rules, and the numbers that they show."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Literal, get_args

from core.access import Actor
from core.errors import ApiError, NamedError, shorten
from core.reports import REPORTS, Period
from core.reports.declarations import DAY
from core.reports.periods import check_period, period_of
from core.text.timezones import UTC
from core.types import JsonObject, Values
from outreach.insights.reports.selectors import Clock, answer_of, check_readable, read, totals_of

MAX_TILES = 12
Chart = Literal["table", "bar", "line", "number"]
CHARTS: tuple[Chart, ...] = get_args(Chart)
CUSTOM = "custom"
DAYS = ("startDate", "endDate")


def checked_tiles(tiles: Sequence[Values]) -> list[JsonObject]:
    """Return the tiles for storage, completed with defaults. Raises InvalidInput_400, which names the tile."""
    return [checked_tile(tile, f"tiles.{place}.") for place, tile in enumerate(tiles)]


def checked_tile(tile: Values, where: str = "") -> JsonObject:
    """Return a tile as it is stored. As `checked_tiles`; the errors begin with `where`."""
    report = REPORTS[tile["report_type"]]
    by = tile.get("by") or next(iter(report.order))
    if by not in report.order:
        raise _refuse(f"{where}by", f"one of {', '.join(report.order)} for {report.name}", by)
    columns = [column.key for column in report.visible_columns(by)]
    metric = tile.get("metric") or columns[0]
    if metric not in columns:
        raise _refuse(f"{where}metric", f"one of {', '.join(columns)} for {report.name} by {by}", metric)
    if tile["chart"] == "line" and by != DAY:
        raise NamedError("InvalidInput_400", f"a line goes over days; use bar or table by {by}", field=f"{where}chart")
    return {
        "title": tile.get("title") or report.title,
        "reportType": report.name,
        "by": by,
        "chart": tile["chart"],
        "metric": metric,
        "range": tile["range"],
        **_days(tile, where),
    }


def _days(tile: Values, where: str) -> dict[str, str | None]:
    """Return the days of a range of one's own, and none for the others."""
    first, last = tile.get("start_date"), tile.get("end_date")
    if tile["range"] != CUSTOM:
        if first or last:
            raise NamedError(
                "InvalidInput_400", "startDate and endDate are those of the range custom", field=f"{where}range"
            )
        return dict.fromkeys(DAYS)
    if first is None or last is None:
        raise NamedError("InvalidInput_400", "the range custom needs startDate and endDate", field=f"{where}startDate")
    try:
        check_period(Period(first, last, UTC))
    except ApiError as error:
        names = [f"{where}{field}" for field in error.fields]
        raise NamedError("InvalidInput_400", error.reason, field=names) from None
    return {"startDate": first.isoformat(), "endDate": last.isoformat()}


def _refuse(where: str, expected: str, value: str) -> NamedError:
    return NamedError("InvalidInput_400", f"{expected}, not {shorten(value, 40)!r}", field=where)


def read_tiles(tiles: Sequence[Values], actor: Actor) -> list[JsonObject]:
    """Return the tiles with their numbers; `problem` is the reason why the actor sees none. Tiles with the same
    report are read once."""
    clock, cache = Clock.load(), dict[tuple[str, ...], JsonObject]()
    rows = []
    for tile in tiles:
        try:
            data, problem = _data(tile, actor, clock, cache), None
        except NamedError as error:
            data, problem = None, error.detail
        rows.append({**tile, "data": data, "problem": problem})
    return rows


def _data(tile: Values, actor: Actor, clock: Clock, cache: dict[tuple[str, ...], JsonObject]) -> JsonObject:
    report = REPORTS.get(tile["reportType"])
    if report is None or tile["by"] not in report.order:
        raise NamedError("ReportNotFound_404", "this report is not there any more")
    check_readable(report, actor)
    days = [dt.date.fromisoformat(tile[name]) if tile.get(name) else None for name in DAYS]
    period = period_of(tile["range"], clock.today, clock.zone, *days)
    is_number = tile["chart"] == "number"
    key = (report.name, tile["by"], str(period.first), str(period.last), str(is_number))
    if key not in cache:
        ask = totals_of if is_number else read
        cache[key] = answer_of(report, tile["by"], period, ask(report, actor, tile["by"], period), clock)
    return cache[key]
