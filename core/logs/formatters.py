"""Lines for people, and JSON objects for collectors of logs (LOG_FORMAT)."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime

import orjson

from core.logs.context import current_context


class LineFormatter(logging.Formatter):
    """One line for people: time, level, logger, message, and context."""

    converter = time.gmtime  # type: ignore[assignment]  # what is annotated takes no method

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        told = " ".join(f"{name}={value}" for name, value in current_context().items())
        return f"{super().formatMessage(record)} [{told}]" if told else super().formatMessage(record)


class JsonFormatter(logging.Formatter):
    """One JSON object a line. The record's `fields` are merged into it."""

    def format(self, record: logging.LogRecord) -> str:
        found = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **current_context(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            found["exception"] = self.formatException(record.exc_info)
        return orjson.dumps(found, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
