"""The main job as its users do it: `make run`'s supervisor with the demo, and nothing but HTTP from then on.

The database of the same service is crashed afterwards, since starting a service takes longer than either.
"""

from __future__ import annotations

import json
import re
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.flows.database_crashes import go_on_after_each_crash
from tests.kit.examples import in_make_check
from tests.kit.service import Service, bootstrap, healthy, running_service, until

pytestmark = [pytest.mark.long, in_make_check]

ROWS = 300


@pytest.fixture
def service() -> Iterator[Service]:
    with running_service() as running:
        yield running


def ended(job: Any) -> Any:
    return job if job["status"] in ("completed", "failed", "cancelled") else None


def contacts() -> bytes:
    """Make a file as people have it: German Excel's delimiter and code page, a bad row, a duplicate."""
    lines = ["Name;E-Mail;Telefon;Stadt"]
    lines += [f"Jürgen Müller {n};juergen{n}@kunden.example;+49 151 {10000000 + n};Köln" for n in range(ROWS)]
    lines += ["Kaputt;keine-adresse;+49 151 99999999;Bonn", "Doppelt;JUERGEN0@kunden.example;+49 151 77777777;Bonn"]
    return "\r\n".join(lines).encode("cp1252")


def test_the_main_job_and_crashes_of_the_database(service: Service) -> None:
    upload_import_plan_approve_send_log_unsubscribe(service)
    go_on_after_each_crash(service)


def upload_import_plan_approve_send_log_unsubscribe(service: Service) -> None:
    until(lambda: healthy(service), seconds=180)
    service.key = bootstrap(service)

    city = service.api("POST", "/custom-field", {"name": "City", "fieldType": "text"})["data"]
    tag = service.api("POST", "/tag", {"name": "Webinar"})["data"]["_id"]
    file = service.upload("kunden.csv", contacts())
    assert file["mime"] == "text/csv"
    wanted = {"importType": "contact", "fileId": file["_id"], "tags": [tag], "pauseImport": True}
    made = service.api("POST", "/contact/import", wanted)["data"]
    mapping = made["import"]["columnMapping"]
    assert (mapping["Name"], mapping["E-Mail"], mapping["Telefon"]) == ("name", "email", "number")
    address = f"/contact/import/{made['import']['_id']}"
    service.api("PUT", address, {"columnMapping": {**mapping, "Stadt": city["uniqueFieldID"]}, "status": "running"})
    done = until(lambda: ended(service.api("GET", address)["data"]))
    assert done["status"] == "completed"
    assert (done["total"], done["processed"], done["created"], done["skipped"], done["failed"]) == (
        ROWS + 2,
        ROWS + 2,
        ROWS,
        1,
        1,
    )
    assert [(error["row"], error["column"]) for error in done["rowErrors"] if "keine-adresse" in str(error)] == [
        (ROWS + 2, "E-Mail")
    ]
    first = service.api("GET", "/contact?searchValue=juergen0@&p=1&n=5")["data"][0]
    assert (first["name"], first["contactNumber"]) == ("Jürgen Müller 0", "+4915110000000")
    assert first["formData"][city["uniqueFieldID"]] == "Köln"

    port = json.loads((service.data / "mailcatcher.json").read_text())["port"]
    sender = {
        "name": "Acme",
        "host": "127.0.0.1",
        "port": port,
        "username": "acme",
        "password": "geheim",
        "secure": False,
    }
    sender |= {"fromEmail": "ann@acme.example", "fromName": "Ann of Acme"}
    sender_id = service.api("POST", "/apps/smtp", sender)["data"]["_id"]
    assert "geheim" not in json.dumps(service.api("GET", f"/apps/smtp/{sender_id}"))

    preview = service.api("POST", "/genie/audience-preview", {"tags": [tag]})["data"]
    assert preview["count"] == ROWS
    body = {"tags": [tag], "prompt": "Invite them to our webinar on Tuesday", "tone": "friendly", "draft": True}
    run = service.api("POST", "/genie/from-contacts", body)["data"]["_id"]
    drafts = f"/genie/send-jobs?p=1&n=5&filters={urllib.parse.quote(json.dumps({'run': run}))}"
    until(lambda: service.api("GET", drafts)["totalCount"] == ROWS)
    assert service.mails() == []
    service.api("POST", f"/genie/{run}/approve-all")
    until(
        lambda: service.api("GET", "/logs/smtp?p=1&n=1&filters=%7B%22status%22%3A%22sent%22%7D")["totalCount"] == ROWS,
        seconds=150,
    )

    mails = service.mails()
    assert len(mails) == len({mail["Message-ID"] for mail in mails}) == ROWS
    one = next(mail for mail in mails if mail["To"].addresses[0].addr_spec == "juergen0@kunden.example")
    assert str(one["From"]) == "Ann of Acme <ann@acme.example>"
    assert "List-Unsubscribe-Post" not in one  # it is for https alone
    assert one["List-Id"].endswith(".acme.example>")
    assert {part.get_content_type() for part in one.walk()} == {"multipart/alternative", "text/plain", "text/html"}
    assert "webinar" in one.get_body(("plain",)).get_content()

    link = re.search(r"<(http[^>]+)>", one["List-Unsubscribe"])
    assert link is not None
    request = urllib.request.Request(
        link[1], b"List-Unsubscribe=One-Click", {"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert urllib.request.urlopen(request, timeout=30).status == 200
    again = service.api("POST", "/genie/audience-preview", {"tags": [tag]})["data"]
    assert (again["count"], again["sendable"]) == (ROWS, ROWS - 1)
