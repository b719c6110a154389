"""GET, POST, DELETE /apps/smtp; GET, PUT /apps/smtp/:id; POST /apps/smtp/:id/test."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from outreach.models import Smtp
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import SmtpFactory
from tests.kit.smtp_server import Faults
from tests.outreach.helpers import Post, planned

SECRET = "päss wörd"
MISSING = "0" * 24


def body(port: int, **changes: Any) -> dict[str, Any]:
    values = {
        "name": "Sales",
        "host": "127.0.0.1",
        "port": port,
        "username": "user",
        "password": SECRET,
        "secure": False,
        "fromEmail": "sales@example.com",
        "fromName": "Sales team",
    }
    return {**values, **changes}


def test_connecting_tests_the_connection_and_hides_the_password(cast: Cast, mail_server: tuple[Faults, int]) -> None:
    server, port = mail_server
    answer = cast.key.post("/apps/smtp", body(port, perMinute=10))
    assert answer.status == 201
    made = answer.data
    assert (made["verified"], made["lastError"], made["perMinute"], made["isActive"]) == (True, "", 10, True)
    assert (made["companyID"], made["fromEmail"], made["username"]) == (cast.company.pk, "sales@example.com", "user")
    assert made["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert "password" not in made
    assert server.received == []
    assert server.commands == ["mail"]
    with connection.cursor() as cursor, cast.scope():
        connection.apply_scope()
        cursor.execute("SELECT password FROM outreach_smtp")
        [(stored,)] = cursor.fetchall()
    assert SECRET not in stored


def test_a_failed_test_keeps_the_sender_unverified_and_says_why(cast: Cast, mail_server: tuple[Faults, int]) -> None:
    _, port = mail_server
    made = cast.key.post("/apps/smtp", body(port, password="wrong")).data
    assert made["verified"] is False
    assert "refused the user name and password" in made["lastError"]
    assert "wrong" not in made["lastError"]
    tested = cast.session.post(f"/apps/smtp/{made['_id']}/test").data
    assert (tested["ok"], tested["stage"], tested["temporary"]) == (False, "auth", False)
    changed = cast.key.put(f"/apps/smtp/{made['_id']}", {"password": SECRET}).data
    assert (changed["verified"], changed["lastError"]) == (True, "")
    assert cast.key.post(f"/apps/smtp/{made['_id']}/test").data == {
        "ok": True,
        "encryption": None,
        "stage": "",
        "detail": "",
        "temporary": False,
    }


def test_verified_false_connects_without_testing(cast: Cast, mail_server: tuple[Faults, int]) -> None:
    server, port = mail_server
    assert cast.key.post("/apps/smtp", body(port, verified=False)).data["verified"] is False
    assert server.connections == 0


def test_a_change_without_password_keeps_it_and_only_connection_changes_test_again(
    cast: Cast, mail_server: tuple[Faults, int]
) -> None:
    server, port = mail_server
    id = cast.key.post("/apps/smtp", body(port)).data["_id"]
    changed = cast.key.put(f"/apps/smtp/{id}", {"name": "Renamed", "password": "", "perDay": 100}).data
    assert (changed["name"], changed["perDay"], changed["verified"]) == ("Renamed", 100, True)
    assert server.connections == 1
    with cast.scope():
        assert Smtp.objects.get(pk=id).password == SECRET
    server.at["mail"] = "550 5.7.1 not your address"
    changed = cast.key.put(f"/apps/smtp/{id}", {"fromEmail": "other@example.com"}).data
    assert (changed["verified"], server.connections) == (False, 2)
    assert "takes no mail from other@example.com" in changed["lastError"]


def test_list_shows_senders_without_secrets_in_a_fixed_number_of_queries(
    cast: Cast, outsiders: Cast, django_assert_max_num_queries: Any
) -> None:
    with outsiders.scope():
        SmtpFactory()
    with cast.scope():
        for number in range(5):
            SmtpFactory(name=f"Sender {number}")
    with django_assert_max_num_queries(8):
        answer = cast.key.get("/apps/smtp", p=1, n=10, sortBy="name", sortOrder="asc")
    assert (answer.status, answer.body["totalCount"]) == (200, 5)
    assert [row["name"] for row in answer.data] == [f"Sender {number}" for number in range(5)]
    assert not any("password" in row for row in answer.data)
    assert [row["name"] for row in cast.key.get("/apps/smtp", searchValue="sender 3").data] == ["Sender 3"]


def test_delete_removes_what_is_unused_and_switches_off_the_rest(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    with cast.scope():
        unused = SmtpFactory().pk
    answer = cast.key.delete("/apps/smtp", {"ids": [unused, post.smtp.pk]})
    assert answer.data == {"deletedCount": 1, "deactivatedCount": 1}
    assert cast.key.get(f"/apps/smtp/{unused}").status == 404
    assert cast.key.get(f"/apps/smtp/{post.smtp.pk}").data["isActive"] is False


def test_delete_needs_a_selection(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        foreign = SmtpFactory().pk
    for given in ({}, {"ids": []}, {"ids": [MISSING]}, {"ids": [foreign]}):
        answer = cast.key.delete("/apps/smtp", given)
        assert (answer.status, answer.body["message"]) == (
            400,
            "No email sender works yet. Connect or select a sender.",
        )
    with outsiders.scope():
        assert Smtp.objects.filter(pk=foreign).exists()


def test_another_companys_sender_looks_missing(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        foreign = SmtpFactory().pk
    for call in (
        lambda id: cast.key.get(f"/apps/smtp/{id}"),
        lambda id: cast.session.put(f"/apps/smtp/{id}", {"name": "mine"}),
        lambda id: cast.key.post(f"/apps/smtp/{id}/test"),
    ):
        assert call(foreign).status == 404
        assert call(foreign).body == call(MISSING).body
        assert call("xyz").body["message"] == "Invalid format for field _id: xyz"
    with outsiders.scope():
        assert Smtp.objects.get(pk=foreign).name == "Sender"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"port": "25"}, "port"),
        ({"port": 70000}, "port"),
        ({"host": 5}, "host"),
        ({"host": "smtp example.com"}, "host"),
        ({"host": "smtp.example.com:587"}, "host"),
        ({"host": "https://smtp.example.com"}, "host"),
        ({"secure": "yes"}, "secure"),
        ({"perMinute": 0}, "perMinute"),
        ({"fromEmail": "nobody"}, "fromEmail"),
        ({"fromEmail": "a@b.com\r\nBcc: x@y.com"}, "fromEmail"),
        ({"rampStart": 5}, "rampStep"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_bodies_name_the_field(cast: Cast, change: dict[str, Any], field: str) -> None:
    answer = cast.key.post("/apps/smtp", {**body(1), **change})
    assert answer.status == 400
    assert field in answer.body["warning"]
    with cast.scope():
        assert not Smtp.objects.exists()


def test_required_fields_are_required(cast: Cast) -> None:
    for name in ("host", "port", "username", "password", "fromEmail", "fromName"):
        given = body(1)
        del given[name]
        answer = cast.key.post("/apps/smtp", given)
        assert answer.status == 400
        assert name in answer.body["warning"]


def test_a_host_inside_the_network_is_refused(cast: Cast, settings: Any) -> None:
    settings.OUTBOUND_PRIVATE_HOSTS = []
    made = cast.key.post("/apps/smtp", body(25, host="169.254.169.254")).data
    assert made["verified"] is False
    assert "inside this network" in made["lastError"]


def test_roles(db: None) -> None:
    reader = make_cast({"apps": {"GET": True}})
    assert reader.narrow_session.get("/apps/smtp").status == 200
    assert reader.narrow_session.post("/apps/smtp", body(1)).status == 403
    nobody = make_cast({"contact": {"GET": True}})
    for answer in (
        nobody.narrow_session.get("/apps/smtp"),
        nobody.narrow_session.delete("/apps/smtp", {"ids": [MISSING]}),
    ):
        assert answer.status == 403
