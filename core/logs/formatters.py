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
        context = " ".join(f"{name}={value}" for name, value in current_context().items())
        return f"{super().formatMessage(record)} [{context}]" if context else super().formatMessage(record)


class JsonFormatter(logging.Formatter):
    """One JSON object a line. The record's `fields` are merged into it."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            **current_context(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return orjson.dumps(entry, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
