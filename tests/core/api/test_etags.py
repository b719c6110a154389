"""ETags of single records, If-Match and If-None-Match, and fields= of a single record."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from crm.models import Contact
from tests.kit.cast import Answer, Caller, Cast


@pytest.fixture
def contact(cast: Cast) -> str:
    form = {"email": "ann@example.org", "name": "Ann", "countryCode": "+49", "number": "15112345678"}
    made = cast.key.post("/contact", {"formData": form})
    return str(made.data["_id"])


def read(cast: Cast, id: str, **extra: Any) -> Answer:
    return cast.key.call("GET", f"/contact/{id}", **extra)


def write(cast: Cast, id: str, tag: str, name: str) -> Answer:
    return cast.key.call("PUT", f"/contact/{id}", {"formData": {"name": name}}, HTTP_IF_MATCH=tag)


def test_what_is_known_is_not_sent_again(cast: Cast, contact: str) -> None:
    tag = read(cast, contact).headers["ETag"]
    assert tag.startswith('W/"')
    for known in (tag, f'"other", {tag}', "*"):
        answer = read(cast, contact, HTTP_IF_NONE_MATCH=known)
        assert (answer.status, answer.body, answer.headers["ETag"]) == (304, b"", tag)
    cast.key.put(f"/contact/{contact}", {"formData": {"name": "Bea"}})
    changed = read(cast, contact, HTTP_IF_NONE_MATCH=tag)
    assert (changed.status, changed.data["name"]) == (200, "Bea")
    assert changed.headers["ETag"] != tag


def test_a_change_of_what_others_have_changed_is_refused_and_says_what(cast: Cast, contact: str) -> None:
    tag = read(cast, contact).headers["ETag"]
    assert write(cast, contact, tag, "Bea").status == 200
    refused = write(cast, contact, tag, "Cora")
    now = read(cast, contact)
    assert refused.status == 412
    assert refused.body["message"] == "The record has changed since you read it"
    changed = refused.body["changed"]
    assert "name" in changed["fields"]
    assert "email" not in changed["fields"]
    assert (changed["at"], changed["by"]) == (now.data["updatedAt"], now.data["updatedBy"])
    assert changed["etag"] == now.headers["ETag"]
    assert now.data["name"] == "Bea"
    assert write(cast, contact, changed["etag"], "Cora").status == 200
    assert write(cast, contact, "*", "Dora").status == 200
    gone = cast.key.call("DELETE", f"/contact/{contact}", HTTP_IF_MATCH=tag)
    assert gone.status in (404, 412), gone.body


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_is_refused(cast: Cast, contact: str) -> None:
    tag, together = read(cast, contact).headers["ETag"], threading.Barrier(2)

    def ask(name: str) -> int:
        try:
            together.wait(20)
            return write(cast, contact, tag, name).status
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(ask, ("Bea", "Cora"))) == [200, 412]


def test_a_tag_that_is_none_is_refused_by_name(cast: Cast, contact: str) -> None:
    answer = write(cast, contact, "abc", "Bea")
    assert (answer.status, answer.body["warning"][:9]) == (400, "If-Match:")
    with cast.scope():
        assert Contact.objects.get().name == "Ann"


def test_a_strange_tag_and_the_record_of_others(cast: Cast, outsiders: Cast, contact: str) -> None:
    assert write(cast, contact, '"abc"', "Bea").body["changed"]["fields"] == []
    assert write(outsiders, contact, '"abc"', "Bea").body == write(outsiders, "0" * 24, '"abc"', "Bea").body


def test_a_repeated_change_with_both_headers_gets_its_first_answer(cast: Cast, contact: str) -> None:
    tag = read(cast, contact).headers["ETag"]
    headers = {"HTTP_IF_MATCH": tag, "HTTP_IDEMPOTENCY_KEY": "k"}
    answers = [cast.key.call("PUT", f"/contact/{contact}", {"formData": {"name": "Bea"}}, **headers) for _ in range(2)]
    assert [one.status for one in answers] == [200, 200]
    assert answers[0].body == answers[1].body


@pytest.mark.undescribed("records that have only the fields that were asked for")
def test_fields_of_a_single_record(cast: Cast, contact: str) -> None:
    answer = cast.key.get(f"/contact/{contact}", fields="name,email")
    assert answer.data == {"_id": contact, "name": "Ann", "email": "ann@example.org"}
    assert answer.headers["ETag"] == read(cast, contact).headers["ETag"]
    refused = cast.key.get(f"/contact/{contact}", fields="name,salary")
    assert (refused.status, refused.body["warning"].startswith("fields: 'salary' is none of")) == (400, True)


def test_records_outside_of_companies_tell_of_no_event(cast: Cast) -> None:
    caller = Caller("/api/private", cast.session.headers)
    assert caller.call("PUT", "/profile", {}, HTTP_IF_MATCH='"x"').status == 412


def test_if_match_takes_strong_tags_and_those_of_compressed_answers(cast: Cast, contact: str) -> None:
    tag = cast.key.get(f"/contact/{contact}").headers["ETag"]
    name = "Ann"
    for sent in (tag, tag.removeprefix("W/"), tag.replace('"', "")[2:].join(('W/"', '-gzip"'))):
        assert write(cast, contact, sent, name).status == 200, sent
        tag_now = cast.key.get(f"/contact/{contact}").headers["ETag"]
        assert tag_now == tag
