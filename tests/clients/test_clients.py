"""The generated clients talk to the service. `make clients` generates them first."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.kit.cast import Cast

CLIENTS = Path(os.environ.get("CLIENTS", settings.BASE_DIR / "var" / "clients"))
PYTHON = """
import json, sys
from leadwright_client import Client
from leadwright_client.api.contact import get_contact_id
from leadwright_client.api.tag import get_tag, post_tag
from leadwright_client.models import NamedModelCreateRequest

base, key = sys.argv[1:]
client = Client(base_url=base, headers={"apikey": key})
told = []
for _ in range(2):
    made = post_tag.sync_detailed(client=client, body=NamedModelCreateRequest(name="Fair"), idempotency_key="fair-1")
    told.append([made.status_code.value, made.parsed.data.field_id, made.headers.get("Idempotency-Replayed")])
listed = get_tag.sync(client=client, p=1, n=10)
missing = get_contact_id.sync_detailed("0" * 24, client=client)
print(json.dumps({"made": told, "names": [tag.name for tag in listed.data], "missing": missing.parsed.message}))
"""
TYPESCRIPT = """
import { leadwright } from "./client.js";

declare const process: { argv: string[] };
const [base, key] = process.argv.slice(2);
const api = leadwright(base!, key!);
const made: unknown[] = [];
for (let turn = 0; turn < 2; turn++) {
  const { data, response } = await api.POST("/api/key/protected/tag", {
    params: { header: { "Idempotency-Key": "fair-1" } },
    body: { name: "Fair" },
  });
  made.push([response.status, data!.data._id, response.headers.get("Idempotency-Replayed")]);
}
const listed = await api.GET("/api/key/protected/tag", { params: { query: { p: 1, n: 10, fields: "name" } } });
const missing = await api.GET("/api/key/protected/contact/{id}", { params: { path: { id: "0".repeat(24) } } });
console.log(JSON.stringify({
  made, names: listed.data!.data.map((tag) => tag.name), missing: missing.error!.message,
}));
"""


def run(*command: str, folder: Path) -> dict[str, Any]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def check(told: dict[str, Any]) -> None:
    first, again = told["made"]
    assert first[0] == 201
    assert [*again[:2], again[2]] == [*first[:2], "true"]
    assert told["names"] == ["Fair"]
    assert told["missing"] == "Contact not found"


needs_clients = pytest.mark.skipif(not (CLIENTS / "openapi.json").exists(), reason="make clients has not run")


@needs_clients
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_python_client(live_server: Any, cast: Cast) -> None:
    command = (str(CLIENTS / "venv" / "bin" / "python"), "-c", PYTHON, live_server.url, cast.api_key.key)
    check(run(*command, folder=CLIENTS / "python"))


@needs_clients
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_typescript_client(live_server: Any, cast: Cast) -> None:
    folder = CLIENTS / "typescript"
    (folder / "src" / "try.ts").write_text(TYPESCRIPT)
    built = subprocess.run(
        [str(folder / "node_modules" / ".bin" / "tsc")],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert built.returncode == 0, built.stdout
    check(run("node", "dist/try.js", live_server.url, cast.api_key.key, folder=folder))
