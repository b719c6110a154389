"""Lines of the log, the logs that are tables, and metrics."""

from __future__ import annotations

from config.env import env, read_choice, share_metrics
from config.settings.base import LEADWRIGHT_DATA, PORT

LOG_FORMAT = read_choice("LOG_FORMAT", ("line", "json"), default="line")
"""Format of log lines: line, for people, or json, an object a line."""
LOG_REQUESTS = env.bool("LOG_REQUESTS", default=LOG_FORMAT == "json")
"""Each request is a line of the log."""
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "core.logs.LineFormatter"}, "json": {"()": "core.logs.JsonFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": env("LOG_LEVEL", default="INFO")},
    "loggers": {
        "celery": {"level": "WARNING"},
        "mail.log": {"level": "WARNING"},
        "django.request": {"level": "ERROR"},
        "stripe": {"level": "WARNING"},
    },
}

SERVER_LOG_DAYS = env.int("SERVER_LOG_DAYS", default=30)
"""Days for which the request log is kept; 0 turns it off."""
LOGIN_LOG_DAYS = env.int("LOGIN_LOG_DAYS", default=365)

METRICS_TOKEN = env("METRICS_TOKEN", default="")
"""Bearer token for /metrics; empty: there is no such page."""
if METRICS_TOKEN:
    share_metrics(LEADWRIGHT_DATA / "metrics" / str(PORT))
