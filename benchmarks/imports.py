"""The import of a CSV of a million contacts by a worker, against COPY of exactly the rows that it wrote.

COPY writes to a clone of the database before the import: the same rows, tables, indexes and references. PostgreSQL
refuses COPY under row-level security, so it runs as the tables' owner and, unlike the import, without policies.
"""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import psutil
import psycopg
from django.db import connection
from psycopg import sql

from benchmarks import raw
from benchmarks.data.copies import clone
from benchmarks.data.loading import CONTACT_TABLES, exempt_owner
from benchmarks.data.population import ALL_CONTACTS, FIELDS, Population, Tenant, form_data
from benchmarks.report import Result
from benchmarks.watching import Watch
from benchmarks.web import end, serve
from config.data_dir import PROJECT
from core.tenancy import company_scope, use_owner_role
from crm.models import Import

FIRST = 20_000_000
DUPLICATES = 100
"""One row in so many repeats an earlier row's unique key."""
MIB = 1 << 20
LONGEST = 1800.0
SYSTEM_COLUMNS = {"Full name": "name", "E-mail": "email", "Prefix": "countryCode", "Phone": "number"}
COLUMNS = SYSTEM_COLUMNS | {field["name"]: field["unique_field_id"] for field in FIELDS}
"""The file's columns and the import's mapping: header -> field key."""


def imports(population: Population) -> list[Result]:
    """Measure the import's rows per second as a share of COPY's, and the growth of the worker's memory."""
    tenant = population.other
    folder = raw.log_file().parent
    count = int(ALL_CONTACTS * population.scale)
    file = write_csv(folder / "contacts.csv", count)
    job_id = create_import(tenant, file)
    with clone() as copy:
        log, memory = _work(tenant, job_id, folder)
        with company_scope(tenant.company_id):
            job = Import.objects.get(pk=job_id)
        assert job.status == Import.Status.COMPLETED, (
            f"{job.status}: {job.error} {job.error_detail} {log.read_text()[-2000:]}"
        )
        assert (job.processed, job.created + job.skipped, job.failed) == (count, count, 0), (
            job.processed,
            job.created,
            job.failed,
        )
        copied, taken = _copy(tenant, copy, folder)
    assert copied["crm_contact"] == job.created, copied
    ours, theirs = count / (job.busy_ms / 1000), job.created / taken
    beside = ", ".join(f"{rows:,} into {table}" for table, rows in copied.items() if rows)
    early, most = memory
    return [
        Result(
            f"CSV import of {count:,} rows, 5 custom fields",
            f"import {ours:,.0f} rows/s ({job.busy_ms / 1000:.0f} s, {job.skipped:,} duplicates skipped),"
            f" COPY {theirs:,.0f} rows/s"
            f" ({taken:.0f} s: {beside})",
            ours / theirs,
            0.25,
            at_least=True,
        ),
        Result(
            "the import: growth of the worker",
            f"RSS {early / MIB:.0f} MiB at a tenth of the rows, at most {most / MIB:.0f} MiB until the end",
            (most - early) / MIB,
            50,
            unit="MiB",
        ),
    ]


def write_csv(path: Path, count: int, first: int = FIRST) -> Path:
    chance = random.Random(FIRST)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number in range(first, first + count):
            repeated = number - first >= DUPLICATES and number % DUPLICATES == 0
            data = form_data(number - DUPLICATES // 2 if repeated else number, chance)
            writer.writerow([data[key] for key in COLUMNS.values()])
    return path


def create_import(tenant: Tenant, file: Path, automation: str = "run") -> str:
    """Upload the file and create the import by the API. It waits for a worker."""
    boundary = "----benchmark"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="contacts.csv"\r\n'
        "Content-Type: text/csv\r\n\r\n"
    )
    with serve(raw.log_file()) as web:
        caller = web.caller(tenant.key)
        body = head.encode() + file.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        content_type = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        stored = caller.json("POST", "/upload", body=body, **content_type)["data"]
        asked = {"importType": "contact", "fileId": stored["_id"], "columnMapping": COLUMNS, "pauseImport": False}
        asked |= {"automation": automation}
        return str(caller.json("POST", "/contact/import", body=asked)["data"]["import"]["_id"])


def _work(tenant: Tenant, job_id: str, folder: Path) -> tuple[Path, tuple[int, int]]:
    """Run a worker until the import ends. Returns its log, its RSS at a tenth of the rows and its later maximum."""
    log = folder / "worker.log"
    with log.open("wb") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.import_worker"], cwd=PROJECT, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        process = psutil.Process(child.pid)
        started, early = perf_counter(), 0
        while child.poll() is None and not early and perf_counter() - started < LONGEST:
            sleep(0.2)
            with company_scope(tenant.company_id):
                processed, total = Import.objects.values_list("processed", "total").get(pk=job_id)
            if total and processed >= total / 10:
                early = process.memory_info().rss
        with Watch(lambda: process.memory_info().rss) as memory:
            child.wait(LONGEST)
    finally:
        end(child)
    return log, (early, memory.most)


def _copy(tenant: Tenant, copy: str, folder: Path) -> tuple[dict[str, int], float]:
    """COPY the import's rows into the clone in one transaction. Returns the rows of each table, and the seconds."""
    files = {table: folder / f"{table}.copy" for table in CONTACT_TABLES}
    with exempt_owner(CONTACT_TABLES), use_owner_role(), connection.cursor() as cursor:
        columns = {table: _columns(cursor, table) for table in files}
        for table, file in files.items():
            names = ", ".join(f'"{name}"' for name in columns[table])
            statement = f"COPY (SELECT {names} FROM {table} WHERE company_id = %s ORDER BY ctid) TO STDOUT"
            with cursor.copy(statement, [tenant.company_id]) as rows, file.open("wb") as output:
                for piece in rows:
                    output.write(piece)
    copied = {}
    with psycopg.connect(**{**raw.parameters(), "dbname": copy}) as target:
        for table in CONTACT_TABLES:
            target.execute(sql.SQL("ALTER TABLE {} NO FORCE ROW LEVEL SECURITY").format(sql.Identifier(table)))
        target.commit()
        started = perf_counter()
        for table, file in files.items():
            cursor = target.cursor()
            into = sql.SQL(", ").join(map(sql.Identifier, columns[table]))
            with (
                cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), into)) as rows,
                file.open("rb") as source,
            ):
                while piece := source.read(MIB):
                    rows.write(piece)
            copied[table] = cursor.rowcount
        target.commit()
        taken = perf_counter() - started
    return copied, taken


def _columns(cursor: Any, table: str) -> list[str]:
    """Return the columns to write, without generated ones."""
    cursor.execute(
        "SELECT attname FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
        [table],
    )
    return [name for (name,) in cursor.fetchall()]
