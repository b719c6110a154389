"""/api/schema and /api/docs: both spellings, built once, compressed, not sent twice, closed by a setting.

Each operation is shown once, described, and tried in Swagger UI."""

from __future__ import annotations

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from config.api_docs import stored as documentation
from config.api_docs.operations import KEY, SESSION, describe_operations, groups, schema_of
from config.api_docs.parts import Reader
from config.api_docs.titles import TITLES
from config.data_dir import PROJECT
from config.urls import key, private, public
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> list[int]:
    """Count how often the schema is generated, which is small here, into a folder of its own."""
    times: list[int] = []

    def generate() -> dict[str, Any]:
        times.append(1)
        tags = [{"name": "tag"}, {"name": "login"}]
        operation = {"operationId": "key_get_tag", "tags": ["tag"]}
        paths = {"/api/key/protected/tag": {"get": operation}, "/api/private/x": {}}
        schemes = {"apikey": {"type": "apiKey"}, "session": {"type": "http"}}
        components = {"securitySchemes": schemes}
        return {"openapi": "3.1.0", "info": {}, "tags": tags, "paths": paths, "components": components}

    settings.LEADWRIGHT_DATA = tmp_path
    monkeypatch.setattr(documentation, "generate", generate)
    return times


@pytest.mark.parametrize("path", ["/api/schema", "/api/schema/", "/api/schema/key"])
def test_the_schema_is_built_once_and_sent_once(built: list[int], path: str) -> None:
    assert documentation.build()
    assert not documentation.build()
    client = Client()
    first = client.get(path)
    assert (first.status_code, first["Content-Type"].partition(";")[0]) == (200, "application/vnd.oai.openapi+json")
    assert json.loads(first.content)["openapi"] == "3.1.0"
    assert first["Cache-Control"] == "public, no-cache"
    zipped = client.get(path, headers={"accept-encoding": "gzip, br"})
    assert (zipped["Content-Encoding"], zipped["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(zipped.content) == first.content
    again = client.get(path, headers={"if-none-match": first["ETag"], "accept-encoding": "gzip"})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert client.get(path, headers={"if-none-match": '"other"'}).status_code == 200
    assert client.post(path).status_code == 405
    assert built == [1]


def test_the_key_schema_has_the_key_path_alone(built: list[int]) -> None:
    documentation.build()
    found = json.loads(Client().get("/api/schema/key").content)
    assert found["paths"] == {"/api/key/protected/tag": {"get": {"operationId": "get_tag", "tags": ["tag"]}}}
    assert found["components"] == {"securitySchemes": {"apikey": {"type": "apiKey"}}}
    assert found["tags"] == [{"name": "tag"}]
    whole = json.loads(Client().get("/api/schema").content)
    assert list(whole["paths"]) == ["/api/key/protected/tag", "/api/private/x"]


def test_a_request_does_not_wait_for_the_schema_but_starts_building_it(
    built: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    monkeypatch.setattr(documentation.builder, "start", lambda: started.append(1))
    answer = Client().get("/api/schema")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.json()["warning"] == "the schema is being built; try again in 5 seconds"
    assert (started, built) == ([1], [])
    documentation.build()
    assert Client().get("/api/schema").status_code == 200
    assert started == [1]


def test_one_process_builds_at_a_time_and_a_failed_one_is_not_repeated_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    processes: list[Any] = []

    class Process:
        returncode: int | None = None

        def __init__(self, command: list[str], **options: Any) -> None:
            self.command = command
            processes.append(self)

        def poll(self) -> int | None:
            return self.returncode

    monkeypatch.setattr(documentation.subprocess, "Popen", Process)
    builder = documentation.Builder()
    builder.start()
    builder.start()
    assert [one.command[1:] for one in processes] == [[str(PROJECT / "manage.py"), "api_schema"]]
    processes[0].returncode = 1
    builder.start()
    assert len(processes) == 1
    monkeypatch.setattr(documentation, "RETRY_SECONDS", 0)
    builder.start()
    assert len(processes) == 2


def test_schemas_of_other_releases_are_removed(built: list[int], tmp_path: Path) -> None:
    old = tmp_path / "api-schema" / "0123456789abcdef"
    old.mkdir(parents=True)
    documentation.build()
    assert not old.exists()
    kept = {path.name for path in documentation.folder().iterdir()}
    assert kept == {"whole.json.gz", "key.json.gz"}


def test_the_command_writes_the_part_of_programs(built: list[int], tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    call_command("api_schema", output=file, stdout=StringIO())
    assert json.loads(file.read_bytes())["paths"].keys() == {"/api/key/protected/tag"}


DOCS = ("/api/docs", "/api/docs/", "/api/docs/contact", "/api/docs/try/contact", "/api/docs/try/contact/schema")


@pytest.mark.parametrize("path", DOCS[:4])
def test_pages_have_no_inline_script_and_load_nothing_foreign(path: str) -> None:
    page = Client().get(path)
    assert page.status_code == 200
    assert b"<script>" not in page.content
    assert "script-src 'self';" in page["Content-Security-Policy"]
    assert "default-src 'none'" in page["Content-Security-Policy"]
    assert ("style-src 'self' 'unsafe-inline'" in page["Content-Security-Policy"]) is ("/try/" in path)


@pytest.mark.parametrize("path", ["/api/docs", "/api/docs/"])
def test_every_operation_is_listed_once(path: str) -> None:
    text = Client().get(path).content.decode()
    routers = (key.router, private.router, public.router)
    assert text.count('<b class="m ') == sum(len(list(router.operations())) for router in routers)
    assert text.count("<code>/contact/{id}</code><span>Read a contact</span>") == 1
    listed = [(line.method, group.mount(KEY).path + line.path) for group in groups().values() for line in group.lines]
    assert len({*listed}) == len(listed)


@pytest.mark.parametrize("group", ["tag", "apps-smtp"])
def test_a_group_begins_with_its_records_and_ends_with_its_actions(group: str) -> None:
    lines = groups()[group].lines
    base = "apps/smtp" if group == "apps-smtp" else group
    of_records = [(line.method, line.path) for line in lines if line.path in (base, f"{base}/{{id}}")]
    assert of_records[:3] == [("GET", base), ("GET", f"{base}/{{id}}"), ("POST", base)]
    assert [method for method, _ in of_records if method != "GET"] == sorted(
        (method for method, _ in of_records if method != "GET"), key=["POST", "PUT", "DELETE"].index
    )
    assert [(line.method, line.path) for line in lines[: len(of_records)]] == of_records
    assert len(lines) > len(of_records) > 3


def test_a_search_finds_operations_by_all_of_their_words() -> None:
    text = Client().get("/api/docs", {"q": "Bulk CONTACT", "auth": "session"}).content.decode()
    assert "<code>/contact/bulk</code>" in text
    assert "<code>/tag</code>" not in text
    assert 'href="/api/docs/contact?auth=session' in text
    assert "0 operations with “<zzz>”" in Client().get("/api/docs?q=<zzz>").content.decode().replace(
        "&lt;", "<"
    ).replace("&gt;", ">")


def test_a_group_describes_each_of_its_operations_at_the_mount_that_is_chosen() -> None:
    client = Client()
    by_key, by_session = (
        client.get("/api/docs/contact", {"auth": auth}).content.decode() for auth in ("key", "session")
    )
    for line in groups()["contact"].lines:
        assert by_key.count(f'<article id="{line.anchor}">') == 1
    assert "apikey: $KEY" in by_key
    assert "/api/key/protected/contact" in by_key
    assert "Permission: <code>contact.POST</code>." not in by_key
    assert "authmember: $MEMBER" in by_session
    assert "Permission: <code>contact.POST</code>." in by_session
    assert "/api/key/" not in by_session
    public_ = client.get("/api/docs/public", {"auth": "session"}).content.decode()
    assert "/api/public/login" in public_
    assert "authmember: $MEMBER" not in public_
    assert client.get("/api/docs/nothing").status_code == client.get("/api/docs/try/nothing").status_code == 404


@pytest.mark.parametrize(
    ("schema", "type"),
    [
        ({"allOf": [{"$ref": "#/components/schemas/Money"}]}, "object"),
        ({"oneOf": [{"allOf": [{"$ref": "#/components/schemas/Money"}]}, {"type": "null"}]}, "object or null"),
        ({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}, "string or list of integer"),
        ({"type": "object", "additionalProperties": {"type": ["integer", "null"]}}, "object of integer or null"),
        ({"type": "object", "additionalProperties": {}}, "object"),
        ({"enum": ["a", None]}, "one of a, null"),
        ({}, "any JSON value"),
        ({"type": "array", "items": {}}, "list of any JSON value"),
    ],
)
def test_a_type_says_as_much_as_the_schema_knows(schema: dict[str, Any], type: str) -> None:
    money = {"type": "object", "properties": {"amount": {"type": "string"}}}
    assert Reader({"components": {"schemas": {"Money": money}}}).type_of(schema) == type


def test_every_group_has_all_of_its_operations_in_its_schema() -> None:
    for group in groups().values():
        assert [line for line, _ in describe_operations(group, group.mount(SESSION))] == list(group.lines), group.key


def test_swagger_gets_the_schema_of_the_group_alone_with_the_mount_as_its_server() -> None:
    client = Client()
    script = client.get("/api/docs/try/tag", {"auth": "session", "script": ""})
    assert (script.status_code, script["Content-Type"]) == (200, "application/javascript")
    assert "/api/docs/try/tag/schema?auth=session" in script.content.decode("unicode_escape")
    answer = client.get("/api/docs/try/tag/schema?auth=session", headers={"accept-encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    found = json.loads(gzip.decompress(answer.content))
    page = client.get("/api/docs/try/tag").content.decode()
    assert "<title>Try Tags · API · Leadwright</title>" in page
    assert found["servers"] == [{"url": "/api/protected", "description": "By session"}]
    assert {path.split("/")[1] for path in found["paths"]} == {"tag"}
    assert len(found["components"]["schemas"]) < len(schema_of(groups()["contact"], KEY)["components"]["schemas"])


def test_both_can_be_closed_to_the_public(built: list[int], settings: Any) -> None:
    settings.PUBLIC_API_DOCS = False
    documentation.build()
    member, staff = Client(), Client()
    member.force_login(UserFactory())
    staff.force_login(UserFactory(is_staff=True))
    for path in ("/api/schema", "/api/schema/", "/api/schema/key", *DOCS):
        assert Client().get(path).status_code == 404
        assert member.get(path).status_code == 404
        assert staff.get(path).status_code == 200
    assert staff.get("/api/schema")["Cache-Control"] == "private, no-cache"


def test_groups_have_the_words_of_people() -> None:
    found = {name: group.title for name, group in groups().items()}
    assert (found["ai-crm-chat"], found["calllog"], found["genie"]) == (
        "Assistant",
        "Call logs",
        "Outreach and its messages",
    )
    assert set(TITLES) <= set(found)  # none is left of an address that is gone
    assert len(set(found.values())) == len(found)
