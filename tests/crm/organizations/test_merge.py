"""/organization/merge"""

from __future__ import annotations

from tests.crm.contacts.helpers import form
from tests.crm.merging.helpers import differences, everything, merge, undo
from tests.crm.organizations.helpers import events, organization, says
from tests.kit.cast import Cast
from tests.kit.factories import TagFactory


def test_merge_and_undo(cast: Cast) -> None:
    with cast.scope():
        first_tag, second_tag = TagFactory().pk, TagFactory().pk
    winner = organization(cast, "Acme", beside={"tags": [first_tag]})["_id"]
    loser = organization(cast, "ACME Ltd", domain="acme.test", beside={"tags": [second_tag], "owner": cast.owner.pk})[
        "_id"
    ]
    contact = cast.key.post("/contact", {"formData": form(1), "organization": loser}).data["_id"]
    lead = cast.key.post("/lead", {"contact": contact, "formData": {}}).data["_id"]
    before = everything(cast)
    made = merge(cast, "organization", winner, loser, choices={"name": loser})
    assert made["organization"]["name"] == "ACME Ltd"
    assert made["organization"]["domain"] == "acme.test"
    assert made["organization"]["owner"]["_id"] == cast.owner.pk
    assert {tag["_id"] for tag in made["organization"]["tags"]} == {first_tag, second_tag}
    assert made["moved"] == {"crm.Contact.organization": 1, "crm.Lead.organization": 1}
    assert cast.key.get(f"/contact/{contact}").data["organization"]["_id"] == winner
    assert cast.key.get(f"/lead/{lead}").data["organization"]["_id"] == winner
    gone = cast.key.get(f"/organization/{loser}")
    assert says(gone, "OrganizationNotFound_400")
    assert winner in gone.body["warning"]
    assert events(cast)[-1] == ("organization.merged", winner, {"organization": winner, "losers": [loser]})
    undone = undo(cast, "organization", made["_id"])
    assert undone.status == 200, undone.body
    assert [row["_id"] for row in undone.data["organizations"]] == [winner, loser]
    assert undone.data["kept"] == []
    assert differences(before, everything(cast)) == []
    assert cast.key.get("/organization/merge").body["totalCount"] == 1


def test_refused(cast: Cast) -> None:
    one = organization(cast)["_id"]
    assert says(
        cast.key.post("/organization/merge", {"ids": [one, "0" * 24], "winner": one}), "OrganizationNotFound_400"
    )
    two = organization(cast)["_id"]
    assert cast.narrow_session.post("/organization/merge", {"ids": [one, two], "winner": one}).status == 403
    body = {"ids": [one, two], "winner": one, "choices": {"owner": {"value": "x"}}}
    assert says(cast.key.post("/organization/merge", body), "InvalidPayload_400")
