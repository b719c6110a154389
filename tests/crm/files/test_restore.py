"""POST /file/recycle-bin/restore, and the back office's button"""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from billing.subscriptions.services import override_subscription
from tests.kit.cast import Cast

PATH = "/file/recycle-bin/restore"


@pytest.fixture
def ids(cast: Cast) -> list[str]:
    """Three files in the recycle bin."""
    texts = [SimpleUploadedFile(f"note{n}.txt", f"note {n}".encode()) for n in range(3)]
    made = [cast.key.upload("/upload", text).data["_id"] for text in texts]
    assert cast.key.delete("/file", {"ids": made}).status == 200
    return made


def test_files_come_out_of_the_bin(cast: Cast, outsiders: Cast, ids: list[str]) -> None:
    answer = cast.key.post(PATH, {"ids": ids[:1]})
    assert (answer.status, answer.data) == (200, {"restoredCount": 1})
    (file,) = cast.key.get("/file").data
    assert (file["_id"], file["trashedAt"], file["trashedBy"]) == (ids[0], None, None)
    assert cast.key.get(f"/file/{ids[0]}/download").body == b"note 0"
    assert outsiders.key.post(PATH, {"selectAll": True}).data == {"restoredCount": 0}
    assert cast.key.post(PATH, {"selectAll": True}, filters={"name": "note1.txt"}).data == {"restoredCount": 1}
    assert [row["_id"] for row in cast.key.get("/file/recycle-bin").data] == ids[2:]


def test_what_is_not_in_the_bin_is_refused(cast: Cast, outsiders: Cast, ids: list[str]) -> None:
    cast.key.post(PATH, {"ids": ids[:1]})
    cast.key.delete("/file/recycle-bin", {"ids": ids[1:2]})
    for caller, body in ((cast, {"ids": ids[:2]}), (outsiders, {"ids": ids[2:]})):
        answer = caller.key.post(PATH, body)
        assert (answer.status, answer.body["message"]) == (400, "File not found.")
    assert cast.key.post(PATH, {}).status == 400
    assert cast.narrow_session.post(PATH, {"ids": ids}).status == 403


def test_a_company_with_too_many_files_takes_none_out(cast: Cast, ids: list[str]) -> None:
    for most, status in ((2, 403), (3, 200)):
        override_subscription(company_id=cast.company.pk, modules=None, limits={"file": most})
        assert cast.session.post(PATH, {"ids": ids[:1]}).status == status, most
    override_subscription(company_id=cast.company.pk, modules=None, limits={"file": 1})
    assert cast.key.post(PATH, {"ids": ids[1:]}).data == {"restoredCount": 2}, "keys know no limits"


def test_the_back_office_takes_a_file_out(cast: Cast, ids: list[str]) -> None:
    staff = Client()
    staff.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    chosen = {"action": "restore", "_selected_action": ids[:1]}
    page = staff.post(reverse("admin:crm_file_changelist"), chosen, follow=True).content.decode()
    assert "Restored: 1" in page
    assert [row["_id"] for row in cast.key.get("/file").data] == ids[:1]
