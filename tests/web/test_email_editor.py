"""The email editor, as it works without script: each button posts the form and gets the page again."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from django.test import Client

from accounts.models import Member, Role
from outreach.models import EmailTemplate
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, MemberFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


@pytest.fixture
def template(cast: Cast) -> dict[str, Any]:
    data: dict[str, Any] = cast.key.post("/template/email/ready", {"ready": "blank"}).data
    return data


class Editor:
    """The form of the editor, as a browser without script sends it."""

    def __init__(self, cast: Cast, client: Client, template: dict[str, Any]) -> None:
        self.client = client
        self.address = at(cast.owner, f"templates/{template['_id']}/design")
        self.fields = {"name": template["name"], "subject": template["subject"], "preheader": ""}
        self.design: dict[str, Any] = template["design"]
        self.path = "0"

    def send(self, do: str, operation: str = "", **fields: Any) -> Any:
        state = {"design": orjson.dumps(self.design).decode(), "at": self.path, "do": do, "op": operation}
        return self.client.post(self.address, {**self.fields, **self.panel(), **state, **fields})

    def panel(self) -> dict[str, Any]:
        """Return the fields of the chosen block."""
        block: Any = self.design["blocks"]
        for number, part in enumerate(self.path.split(".")):
            block = block[int(part)] if number != 1 else block["columns"][int(part)]["blocks"]
        return {f"block-{name}": value for name, value in block.items() if name != "type" and value is not None}

    def edit(self, operation: str, **fields: Any) -> None:
        response = self.send("edit", operation, **fields)
        assert response.status_code == 200, html_of(response)
        self.design = response.context["form"] and orjson.loads(response.context["design"])
        self.path = response.context["at"]

    def kinds(self) -> list[str]:
        return [block["type"] for block in self.design["blocks"]]


@pytest.fixture
def editor(cast: Cast, client: Client, template: dict[str, Any]) -> Editor:
    return Editor(cast, client, template)


def test_blocks_are_added_moved_copied_and_removed(editor: Editor) -> None:
    assert editor.kinds() == ["heading", "text", "footer"]
    editor.edit("add:divider")
    assert (editor.kinds(), editor.path) == (["heading", "divider", "text", "footer"], "1")
    editor.edit("down")
    assert (editor.kinds(), editor.path) == (["heading", "text", "divider", "footer"], "2")
    editor.edit("duplicate")
    assert (editor.kinds().count("divider"), editor.path) == (2, "3")
    editor.edit("remove")
    editor.edit("choose:1")
    editor.edit("apply", **{"block-text": "**Hello** <b>you</b>"})
    assert editor.design["blocks"][1]["text"] == "**Hello** <b>you</b>"


def test_what_is_saved_is_the_mail(cast: Cast, editor: Editor, template: dict[str, Any]) -> None:
    editor.edit("choose:1")
    response = editor.send("save", **{"block-text": "**Hello** <b>you</b>", "name": "Hello"})
    assert response.status_code == 303
    stored = cast.key.get(f"/template/email/{template['_id']}").data
    assert stored["name"] == "Hello"
    assert stored["design"]["blocks"][1]["text"] == "**Hello** <b>you</b>"
    mail = cast.key.get(f"/template/email/{template['_id']}/preview").data
    assert "<b>you</b>" not in mail["html"]
    assert "&lt;b&gt;you&lt;/b&gt;" in mail["html"]
    assert "Hello <b>you</b>" in mail["text"]


def test_a_refused_value_stands_at_its_block(editor: Editor) -> None:
    editor.edit("add:button")
    response = editor.send("save", **{"block-url": "javascript:alert(1)", "block-label": "Go"})
    page = html_of(response)
    assert response.status_code == 422
    assert response.context["at"] == "1"
    assert "Enter an address that begins with https://" in page
    assert "javascript:alert(1)" in page


def test_a_version_that_somebody_has_changed_is_not_overwritten(
    cast: Cast, editor: Editor, template: dict[str, Any]
) -> None:
    version = str(template["version"])
    cast.key.put(f"/template/email/{template['_id']}", {"subject": "Other"})
    response = editor.send("save", version=version)
    assert response.status_code == 422
    assert cast.key.get(f"/template/email/{template['_id']}").data["subject"] == "Other"
    assert editor.send("save", version=str(response.context["version"])).status_code == 303


@pytest.mark.parametrize(
    ("operation", "design"),
    [("add:nothing", None), ("up", "[]"), ("remove", '{"blocks": []}'), ("explode", None), ("choose:9", "null")],
)
def test_hostile_forms_are_answered(editor: Editor, operation: str, design: str | None) -> None:
    response = editor.send("edit", operation, **({} if design is None else {"design": design}))
    assert response.status_code in (200, 400, 404, 422)


def test_a_broken_design_is_refused(editor: Editor) -> None:
    assert editor.send("edit", "apply", design="{").status_code == 400


def test_the_preview_is_that_of_a_contact(cast: Cast, editor: Editor) -> None:
    with cast.scope():
        contact = ContactFactory(name="Ann Example", email="ann@example.org")
    editor.edit("choose:1")
    text = 'Hello {{contact.firstName | default: "there"}}'
    page = html_of(editor.send("preview", contact=contact.pk, **{"block-text": text}))
    assert "Hello Ann" in page
    assert "Hello there" not in page


def test_the_check_for_spam_names_what_to_do(editor: Editor) -> None:
    page = html_of(editor.send("check", subject="BUY NOW OR NEVER!!!"))
    assert "The subject is in capital letters." in page
    assert "Write it in small letters." in page


@pytest.mark.parametrize("do", ["save", "edit", "preview", "check", "test", "upload", "find"])
def test_other_companies_reach_no_template(cast: Cast, editor: Editor, do: str) -> None:
    other = make_cast()
    place = editor.address.replace(cast.company.pk, other.company.pk)
    stranger = Editor(
        other, enter(other.owner), {"_id": "", "name": "Mine", "subject": "Mine", "design": editor.design}
    )
    stranger.address = place
    assert stranger.client.get(place).status_code == 404
    assert stranger.send(do).status_code == 404
    with cast.scope():
        assert EmailTemplate.objects.get().name != "Mine"


@pytest.mark.parametrize("do", ["save", "upload"])
def test_readers_change_nothing(cast: Cast, editor: Editor, do: str) -> None:
    with cast.scope():
        role = Role.objects.get(name="Viewer")
        viewer = MemberFactory(status=Member.Status.ACCEPTED, role=role)
    editor.client = enter(viewer)
    page = html_of(editor.client.get(editor.address))
    assert "You can't edit templates" in page
    assert "<textarea" not in page
    assert editor.send(do, name="Changed").status_code in (403, 404, 422)
    with cast.scope():
        assert EmailTemplate.objects.get().name != "Changed"


def test_a_template_of_code_has_no_editor(cast: Cast, client: Client) -> None:
    id = cast.key.post("/template/email", {"name": "Code", "subject": "Code", "body": "Hello"}).data["_id"]
    response = client.get(at(cast.owner, f"templates/{id}/design"))
    assert response.status_code == 303
    assert response["Location"].endswith(f"templates/{id}")


def test_the_gallery_makes_a_template(cast: Cast, client: Client) -> None:
    page = html_of(client.get(at(cast.owner, "templates/choose")))
    assert page.count('name="ready"') == 13
    response = client.post(at(cast.owner, "templates/choose"), {"do": "create", "ready": "newsletter"})
    assert (response.status_code, response["Location"].rsplit("/", 1)[-1]) == (303, "design")
    client.post(at(cast.owner, "templates/choose"), {"do": "create", "ready": "none"})
    with cast.scope():
        assert EmailTemplate.objects.count() == 1
