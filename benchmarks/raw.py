"""The baseline of the list benchmarks: the API's queries, run by psycopg alone and serialized by orjson."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import orjson
import psycopg
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from psycopg.rows import dict_row
from psycopg.types.json import set_json_loads

from benchmarks.web import HOST, KEY_PATH, Refused
from core.tenancy import APP_ROLE
from core.types import JsonObject

DATA_TABLES = (
    *("crm_contact", "crm_customfieldvalue", "crm_contacttag", "crm_lead", "crm_leadvalue", "crm_leadtag"),
    "crm_organization",
)
OPTIONS = orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z


def own_queries(path: str, key: str, query: Mapping[str, str]) -> list[str]:
    """Return a list request's statements over its records as the database gets them, without other tables."""
    with CaptureQueriesContext(connection) as captured:
        answer = Client().get(KEY_PATH + path, query_params=query, headers={"apikey": key, "host": HOST})
    if answer.status_code != 200:
        raise Refused(f"GET {path}: {answer.status_code} {answer.content[:500]!r}")
    statements = [entry["sql"] for entry in captured.captured_queries]
    return [
        sql for sql in statements if sql.startswith("SELECT") and any(f'FROM "{table}"' in sql for table in DATA_TABLES)
    ]


def parameters() -> JsonObject:
    """Return psycopg's parameters of the database connection."""
    django_only = ("cursor_factory", "context", "prepare_threshold", "row_factory")
    return {name: value for name, value in connection.get_connection_params().items() if name not in django_only}


@contextmanager
def session(company_id: str) -> Iterator[psycopg.Connection[JsonObject]]:
    """Connect by psycopg, with the same role and company as the API."""
    with psycopg.connect(**parameters(), autocommit=True, row_factory=dict_row) as raw:
        set_json_loads(orjson.loads, raw)
        raw.execute(
            "SELECT set_config('role', %s, false), set_config('app.company', %s, false)", [APP_ROLE, company_id]
        )
        yield raw


def answer(raw: psycopg.Connection[JsonObject], statements: list[str]) -> bytes:
    """Return the statements' rows as one JSON text."""
    found = [raw.execute(sql).fetchall() for sql in statements]  # type: ignore[call-overload]
    return orjson.dumps(
        {"status": "success", "success": True, "message": "OK", "data": found}, default=str, option=OPTIONS
    )


def log_file() -> Path:
    """Return a child process's log file in the run's data directory."""
    return Path(os.environ["LEADWRIGHT_DATA"]) / "benchmarks.log"
