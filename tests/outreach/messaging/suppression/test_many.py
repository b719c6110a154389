"""POST /suppression/bulk, and imports of addresses."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Role
from core.jobs import WORK
from core.jobs.leases import claim
from core.jobs.sweeper import sweep
from crm.models import File
from outreach.messaging.suppression import imports
from outreach.models import Suppression, SuppressionImport
from tests.crm.imports.helpers import upload
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once


def listed(cast: Cast) -> dict[str, str]:
    with cast.scope():
        return dict(Suppression.objects.values_list("email", "reason"))


def work() -> None:
    WORK["suppression-import"].drain(float("inf"))


def test_many_are_added_and_each_failure_is_told(cast: Cast) -> None:
    cast.key.post("/suppression", {"email": "old@example.org", "reason": "bounced"})
    items: list[Any] = [
        {"email": "New@example.org", "reason": "complained", "source": "their call"},
        {"email": "old@example.org", "reason": "complained"},
        {"email": "nobody"},
        {"email": "new@example.org"},
        {"email": "x@example.org", "reason": "tired"},
        7,
    ]
    answer = cast.session.post("/suppression/bulk", {"formData": items})
    assert answer.status == 200
    assert [one["email"] for one in answer.data["created"]] == ["new@example.org"]
    assert [one["email"] for one in answer.data["updated"]] == ["old@example.org"]
    assert [one["index"] for one in answer.data["failed"]] == [2, 4, 5]
    assert "nobody" in answer.data["failed"][0]["warning"]
    assert listed(cast) == {"old@example.org": "bounced", "new@example.org": "complained"}
    for wrong in ([], [{"email": "a@example.org"}] * 1001):
        refused = cast.key.post("/suppression/bulk", {"formData": wrong})
        assert (refused.status, "formData" in refused.body["warning"]) == (400, True)


def test_a_file_is_checked_then_imported_once_though_its_worker_dies(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "BATCH_ROWS", 2)
    lines = ["E-Mail,Reason,Name", "A@example.org,Unsubscribed,Ann", "b@example.org,spam report,Bob", "nobody,,Nob"]
    lines += ["a@example.org,bounce,Ann", "c@example.org,whatever,Cy", ""]
    file = upload(cast, "\n".join(lines).encode(), "old list.csv")
    found = cast.key.post("/suppression/import/check", {"fileId": file}).data
    assert {name: found[name] for name in ("emailColumn", "rows", "added", "listed", "failed")} == {
        "emailColumn": "E-Mail",
        "rows": 5,
        "added": 3,
        "listed": 1,
        "failed": 1,
    }
    assert listed(cast) == {}
    made = cast.key.post("/suppression/import", {"fileId": file})
    assert (made.status, made.data["status"]) == (201, "queued")
    [job] = claim(SuppressionImport, limit=1)
    real, calls = imports.suppress, list[int]()

    def die_in_the_second_batch(*given: Any, **named: Any) -> set[str]:
        calls.append(1)
        if len(calls) > 2:  # the first batch has two reasons
            raise KeyboardInterrupt
        return real(*given, **named)

    monkeypatch.setattr(imports, "suppress", die_in_the_second_batch)
    with cast.scope(), pytest.raises(KeyboardInterrupt):
        imports.run(job, float("inf"))
    with cast.scope():
        left = SuppressionImport.objects.get()
        assert (left.status, left.processed, left.added, left.next_row) == ("running", 2, 2, 4)
        SuppressionImport.objects.update(worker=1)  # of nobody who lives
    monkeypatch.setattr(imports, "suppress", real)
    sweep()
    work()
    done = cast.key.get(f"/suppression/import/{made.data['_id']}").data
    assert [done[name] for name in ("status", "total", "processed", "added", "listed", "failed")] == [
        "completed", 5, 5, 3, 1, 1,
    ]  # fmt: skip
    assert done["rowErrors"] == [{"row": 4, "message": "has no email address"}]
    assert listed(cast) == {"a@example.org": "unsubscribed", "b@example.org": "complained", "c@example.org": "manual"}
    assert (
        cast.key.post(f"/suppression/import/{done['_id']}/cancel").body["message"]
        == "The import's status does not allow this."
    )
    with cast.scope():
        assert set(Suppression.objects.values_list("source", flat=True)) == {"old list.csv"}


def test_a_file_of_addresses_alone_has_no_header_and_a_queued_import_is_cancelled(cast: Cast) -> None:
    file = upload(cast, b"first@example.org\nsecond@example.org\n", "plain.csv")
    made = cast.key.post("/suppression/import", {"fileId": file, "reason": "unsubscribed"})
    assert made.status == 201, made.body
    work()
    assert listed(cast) == {"first@example.org": "unsubscribed", "second@example.org": "unsubscribed"}
    again = cast.key.post("/suppression/import", {"fileId": file}).data["_id"]
    assert cast.key.post(f"/suppression/import/{again}/cancel").data["status"] == "cancelled"
    for body, told in (
        ({"fileId": file, "emailColumn": "Mail"}, "emailColumn"),
        ({"fileId": upload(cast, b"Name,Town\nAnn,Rome\n")}, "emailColumn"),
        ({"fileId": "0" * 24}, "fileId"),
        ({"fileId": upload(cast, b"x")}, "fileId"),
    ):
        answer = cast.key.post("/suppression/import", body)
        assert (answer.status, told in answer.body["warning"]) == (400, True), answer.body


@pytest.mark.django_db(transaction=True)
def test_the_same_file_sent_again_within_minutes_is_the_same_import(cast: Cast) -> None:
    content = b"E-Mail\nfirst@example.org\n"
    files = [upload(cast, content, f"list {number}.csv") for number in range(2)]
    member, company = cast.owner.pk, cast.company.pk

    def send(number: int) -> str:
        made = imports.start_import(file_id=files[number % 2], files=File.objects.all(), member_id=member)
        return str(made.pk)

    [first] = set(at_once(4, company, send))
    other = cast.key.post("/suppression/import", {"fileId": files[0], "reason": "bounced"})
    with cast.scope():
        assert set(SuppressionImport.objects.values_list("pk", flat=True)) == {first, other.data["_id"]}
        SuppressionImport.objects.update(created_at=timezone.now() - timedelta(minutes=11))
    later = cast.key.post("/suppression/import", {"fileId": files[0], "reason": "bounced"})
    assert later.data["_id"] != other.data["_id"]


def test_a_role_without_files_imports_its_own_alone(db: None) -> None:
    cast = make_cast({"genie": {"GET": True, "POST": True}})
    theirs = upload(cast, b"E-Mail\na@example.org\n", "customers.csv")
    refused = cast.narrow_session.post("/suppression/import", {"fileId": theirs})
    assert (refused.status, "file.GET" in refused.body["warning"]) == (403, True)
    with cast.scope():
        Role.objects.filter(pk=cast.narrow.role_id).update(permission={"genie": {"POST": True}, "file": {"POST": True}})
    for path in ("/suppression/import/check", "/suppression/import"):
        refused = cast.narrow_session.post(path, {"fileId": theirs})
        assert (refused.status, refused.body["message"]) == (400, "File not found."), refused.body
    with cast.scope():
        File.objects.filter(pk=theirs).update(created_by=cast.narrow)
    assert cast.narrow_session.post("/suppression/import/check", {"fileId": theirs}).data["rows"] == 1
