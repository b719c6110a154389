"""Addresses of the API are taken with a slash at their end, and in any case, as Express takes them."""

from __future__ import annotations

from typing import Any

import pytest

from config.api_docs.examples import body_of
from outreach.models import Form
from tests.kit.cast import Caller, Cast

pytestmark = pytest.mark.undescribed("addresses that the schema writes otherwise")


@pytest.mark.parametrize("path", ["/tag/", "/Tag", "/TAG/", "/tAg"])
def test_a_list_is_read_and_a_record_made(cast: Cast, path: str) -> None:
    made = cast.key.post(path, {"name": "Hot"})
    assert (made.status, made.data["name"]) == (201, "Hot")
    assert [one["name"] for one in cast.session.get(path, p=1, n=1).data] == ["Hot"]
    assert cast.key.call("PATCH", path).headers["Allow"] == "GET, POST, DELETE, HEAD, OPTIONS"


def test_parameters_keep_their_case(cast: Cast) -> None:
    made = cast.key.post("/tag", {"name": "Hot"}).data
    for path in (f"/tag/{made['_id']}/", f"/TAG/{made['_id']}"):
        assert cast.key.get(path).data["_id"] == made["_id"]
    assert cast.key.get("/Tag/ABC/").body["message"] == "Invalid format for field _id: ABC"
    assert cast.key.get("/Contact/Import/").data == []
    assert cast.key.get("/apps/SMTP/").data == []


@pytest.mark.parametrize(
    "path",
    [
        "/contact/Import",
        "/Contact/IMPORT/",
        "/lead/Import",
        "/genie/Send-Jobs",
        "/workflow/Runs",
        "/Webhook/Deliveries",
    ],
)
def test_fixed_segments_in_any_case_precede_ids(cast: Cast, path: str) -> None:
    answer = cast.key.get(path)
    assert (answer.status, answer.data) == (200, cast.key.get(path.lower()).data)


def test_tokens_keep_their_case(cast: Cast) -> None:
    form = cast.key.post("/form", body_of("key", "POST", "form")).data["_id"]
    cast.key.post(f"/form/{form}/publish")
    with cast.scope():
        token = Form.objects.get(pk=form).token
    public = Caller("/api/public", {})
    assert public.get(f"/FORM/{token}").status == 200
    assert token != token.swapcase()
    assert public.get(f"/form/{token.swapcase()}").body["name"] == "FormNotFound_400"


@pytest.mark.parametrize("path", ["/tag//", "/tags/", "//tag", "/", "/ta\u0131g", "/contact/x/nowhere/"])
def test_other_addresses_are_not_there(cast: Cast, path: str) -> None:
    answer: Any = cast.key.get(path)
    assert (answer.status, answer.body["name"]) == (404, "NotFound_404")


def test_public_and_private_addresses(cast: Cast) -> None:
    assert Caller("", {}).get("/api/public/Health/").status == 200
    assert Caller("/api/private", cast.session.headers).get("/Profile/").status == 200
