"""Templates of chat messages: what is refused before the vendor is asked, and what becomes of them there."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from outreach.models import ChatApp, ChatOptOut, ChatTemplate
from tests.kit.cast import Cast
from tests.kit.chat_vendor import SECRET, TOKEN, ChatVendor, Fault, tell
from tests.kit.factories import ContactFactory
from tests.outreach.chat.conftest import BODY
from tests.outreach.helpers import work

URL = {"type": "URL", "text": "See", "url": "https://x.example/{{1}}", "example": ["https://x.example/a"]}
REPLY = {"type": "QUICK_REPLY", "text": "Stop"}
PHONE = {"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+4930901820"}
CODE = {"type": "COPY_CODE", "example": "SAVE10"}
INVALID = "InvalidChatAppTemplate_400"


def body(text: str, *examples: str) -> dict[str, Any]:
    return {"type": "BODY", "text": text, **({"example": {"body_text": [list(examples)]}} if examples else {})}


def buttons(*given: dict[str, Any]) -> list[dict[str, Any]]:
    return [BODY, {"type": "BUTTONS", "buttons": list(given)}]


def _without(button: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in button.items() if name != key}


@pytest.mark.parametrize(
    ("values", "name", "where"),
    [
        ({"name": "Big"}, INVALID, "name:"),
        ({"language": "english"}, INVALID, "choose a language, such as en, "),
        ({"language": "xx"}, INVALID, "such as en or en_US"),
        ({"language": "EN_us"}, INVALID, "language:"),
        ({"components": []}, INVALID, "components:"),
        ({"components": [body("")]}, INVALID, "components[0].text"),
        ({"components": [body("x" * 1025)]}, INVALID, "components[0].text"),
        ({"components": [body("Hi {{1}} there")]}, INVALID, "example.body_text"),
        ({"components": [body("Hi {{1}} and {{2}} there", "a")]}, INVALID, "example.body_text"),
        ({"components": [body("{{1}} hello", "a")]}, INVALID, "before the first and after the last"),
        ({"components": [body("hello {{1}}", "a")]}, INVALID, "before the first and after the last"),
        ({"components": [body("a {{1}} {{2}} b", "a", "b")]}, INVALID, "between two variables"),
        ({"components": [body("a {{2}} b", "a")]}, INVALID, "each once"),
        ({"components": [body("a {{ b", "a")]}, INVALID, "enter variables like"),
        ({"components": [BODY, BODY]}, INVALID, "another BODY"),
        ({"components": [BODY, {"type": "SIDEBAR"}]}, INVALID, "components[1]"),
        ({"components": [BODY, {"type": "HEADER", "format": "TEXT", "text": "x" * 61}]}, INVALID, "components[1].text"),
        ({"components": [BODY, {"type": "HEADER", "format": "TEXT", "text": "a {{1}} b"}]}, INVALID, "header_text"),
        ({"components": [BODY, {"type": "HEADER", "format": "IMAGE"}]}, INVALID, "header_handle"),
        ({"components": [BODY, {"type": "FOOTER", "text": "x" * 61}]}, INVALID, "components[1].text"),
        ({"components": [BODY, {"type": "FOOTER", "text": "by {{1}} us"}]}, INVALID, "text without variables"),
        ({"components": buttons(*[REPLY] * 11)}, INVALID, "at most 10"),
        ({"components": buttons(URL, URL, URL)}, INVALID, "at most 2 of URL"),
        ({"components": buttons(PHONE, PHONE)}, INVALID, "at most 1 of PHONE_NUMBER"),
        ({"components": buttons(CODE, CODE)}, INVALID, "at most 1 of COPY_CODE"),
        *[
            ({"components": buttons({**PHONE, "phone_number": number})}, INVALID, "buttons[0].phone_number")
            for number in (None, "", 4930901820, "call us", "030 901820", "+49", "+49 30 901820 4711 4712")
        ],
        ({"components": buttons(REPLY, PHONE, REPLY)}, INVALID, "put quick replies together"),
        ({"components": buttons({**REPLY, "text": "x" * 26})}, "ButtonTextTooLong_400", "buttons[0].text"),
        ({"components": buttons(_without(URL, "example"))}, "ButtonExampleRequired_400", "buttons[0].example"),
        ({"components": buttons(_without(CODE, "example"))}, "ButtonExampleRequired_400", "buttons[0].example"),
        ({"variables": {"2": "contact.name"}}, "InvalidVariables_400", "variables.2"),
    ],
)
def test_local_checks(cast: Cast, app: ChatApp, values: dict[str, Any], name: str, where: str) -> None:
    given = {"app": app.pk, "name": "hours", "language": "en", "components": [BODY], **deepcopy(values)}
    answer = cast.key.post("/template/chatapp", given)
    assert (answer.status, where in answer.body["warning"]) == (400, True), answer.body
    with cast.scope():
        assert not ChatTemplate.objects.exists()


def test_a_template_is_submitted_approved_and_kept(
    cast: Cast, outsiders: Cast, app: ChatApp, vendor: ChatVendor
) -> None:
    good = [{"type": "HEADER", "format": "TEXT", "text": "News"}, *buttons(URL, PHONE, REPLY)]
    given = {"app": app.pk, "name": "hours", "category": "MARKETING", "components": good}
    made = cast.key.post(
        "/template/chatapp", {**given, "variables": {"1": "contact.firstName", "button.0": "contact.number"}}
    )
    assert (made.status, made.data["status"]) == (201, "DRAFT")
    assert cast.key.post("/template/chatapp", given).body["message"] == "Duplicate field(s): name"
    path = f"/template/chatapp/{made.data['_id']}"
    with cast.scope():
        ann = ContactFactory(name="Ann Lee", country_code="+49", number="1511", contact_number=None)
    preview = cast.key.get(f"{path}/preview", contactId=ann.pk).data
    assert (preview["text"], preview["missing"]) == ("News\nHello Ann, we are open.", ["button.0"])
    assert cast.key.get(f"{path}/preview").data["text"] == "News\nHello {{1}}, we are open."
    vendor.refuses_template = 2388023
    refused = cast.key.post(f"{path}/submit")
    assert (refused.status, "2388023" in refused.body["warning"]) == (400, True)
    vendor.refuses_template = 0
    assert cast.key.post(f"{path}/submit").data["status"] == "PENDING"
    assert cast.key.post(f"{path}/submit").status == 400
    event = {"event": "APPROVED", "message_template_id": "t1", "message_template_name": "hours"}
    assert tell(app, field="message_template_status_update", **event) == 200
    work("chat-events")
    assert cast.key.get(path).data["status"] == "APPROVED"
    for fixed in ({"name": "other"}, {"category": "UTILITY"}, {"language": "de"}):
        assert "approved" in cast.key.put(path, fixed).body["warning"]
    assert cast.key.put(path, {"components": [BODY], "variables": {}}).data["status"] == "DRAFT"
    vendor.templates["hours"]["status"] = "APPROVED"
    work("chat-templates")  # what the vendor says is of the words before
    assert cast.key.get(path).data["status"] == "DRAFT"
    assert cast.key.post(f"{path}/submit").data["status"] == "PENDING"
    with cast.scope():
        ChatTemplate.objects.update(asked_at=None)
    work("chat-templates")
    assert cast.key.get(path).data["status"] == "APPROVED"
    assert outsiders.key.get(path).status == 404
    assert outsiders.key.delete("/template/chatapp", {"ids": [made.data["_id"]]}).status == 404
    assert cast.narrow_session.get("/template/chatapp").status == 403
    assert cast.key.delete("/template/chatapp", {"ids": [made.data["_id"]]}).data == {"deletedCount": 1}
    assert vendor.templates == {}


def test_a_webhook_does_not_approve_a_draft(cast: Cast, app: ChatApp, template: ChatTemplate) -> None:
    with cast.scope():
        ChatTemplate.objects.update(status="DRAFT", vendor_id="")
    named = {"message_template_name": template.name, "message_template_language": template.language}
    assert tell(app, field="message_template_status_update", event="APPROVED", message_template_id="t9", **named) == 200
    work("chat-events")
    with cast.scope():
        template.refresh_from_db()
    assert (template.status, template.vendor_id) == ("DRAFT", "")


def test_a_file_for_a_header(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    picture = b"%PDF-1.4\n%%EOF\n"
    file = cast.key.upload("/upload", SimpleUploadedFile("plan.pdf", picture)).data
    file = file[0] if isinstance(file, list) else file
    answer = cast.key.post("/template/chatapp/handle", {"app": app.pk, "file": file["_id"]})
    assert (answer.status, answer.data["handle"]) == (200, f"4::{len(picture)}")
    assert cast.key.get(f"/file/{file['_id']}").data["chatappHandle"] == answer.data["handle"]
    assert cast.key.post("/template/chatapp/handle", {"app": app.pk, "file": "0" * 24}).status == 400


def test_an_app_is_connected_and_its_secrets_stay(cast: Cast, outsiders: Cast, vendor: ChatVendor) -> None:
    given = {"phoneNumberId": "1001", "wabaId": "2002", "appId": "3003", "accessToken": TOKEN, "appSecret": SECRET}
    made = cast.key.post("/apps/chatapp", given)
    assert (made.status, made.data["verified"], made.data["displayNumber"]) == (201, True, "+49 30 1")
    assert (made.data["name"], made.data["qualityRating"]) == ("Acme", "GREEN")
    path = f"/apps/chatapp/{made.data['_id']}"
    assert f"/hooks/chatapp/{made.data['_id']}/" in made.data["webhookUrl"]
    wrong = cast.key.post("/apps/chatapp", {**given, "accessToken": "guess"})
    assert (wrong.status, wrong.body["warning"].startswith("accessToken:")) == (400, True)
    assert cast.key.put(path, {"phoneNumberId": "7"}).status == 400  # the token goes along
    assert cast.key.put(path, {"perSecond": 5}).data["perSecond"] == 5
    assert cast.key.post(f"{path}/test").data["ok"] is True
    shown = f"{cast.key.get(path).body}{cast.key.get('/apps/chatapp').body}{wrong.body}"
    assert TOKEN not in shown
    assert SECRET not in shown
    assert outsiders.key.get(path).status == 404
    assert cast.key.delete("/apps/chatapp", {"ids": [made.data["_id"]]}).data["deletedCount"] == 1


def test_a_test_goes_to_own_people_at_their_contact_s_number(
    cast: Cast, app: ChatApp, template: ChatTemplate, vendor: ChatVendor
) -> None:
    path, email = "/campaign/test/chatapp", cast.owner.user.email
    given = {"templateId": template.pk, "to": [email.upper()]}
    assert "no contact with a number" in cast.key.post(path, given).body["warning"]
    with cast.scope():
        own = ContactFactory(name="Olga Owner", email=email, contact_number="+4915199999", custom={})
        ContactFactory(name="Ann", email="ann@example.org", contact_number="+4915188888", custom={})
    assert (
        cast.key.post(path, {**given, "to": ["ann@example.org"]})
        .body["warning"]
        .startswith("to: enter the address of a member")
    )
    answer = cast.key.post(path, given)
    assert (answer.status, answer.data["text"]) == (200, "Hello Olga, we are open."), answer.body
    assert [one["to"] for one in vendor.sent] == ["4915199999"]
    assert cast.key.get("/logs/chatapp").data == []
    vendor.script = [Fault(code=132001)]
    assert cast.key.post(path, given).status == 400
    assert cast.key.post(path, {"to": [email]}).body["warning"].startswith("templateId:")
    with cast.scope():
        ChatOptOut.objects.create(phone=own.contact_number, reason="stop")
    assert "asked for no such messages" in cast.key.post(path, given).body["warning"]
    with cast.scope():
        ChatTemplate.objects.update(status="PAUSED")
    assert "paused" in cast.key.post(path, given).body["warning"]


def test_words_are_previewed_and_the_vendor_asked(cast: Cast, app: ChatApp, vendor: ChatVendor) -> None:
    with cast.scope():
        ann = ContactFactory(name="Ann Example", custom={})
    parts = [BODY, {"type": "FOOTER", "text": "Bye"}, {"type": "BUTTONS", "buttons": [REPLY]}]
    words = {"components": parts, "variables": {"1": "contact.firstName"}}
    shown = cast.key.post("/template/chatapp/preview", {**words, "contactId": ann.pk}).data
    assert (shown["body"], shown["footer"], shown["buttons"]) == (
        *("Hello Ann, we are open.", "Bye"),
        [{"type": "QUICK_REPLY", "text": "Stop"}],
    )
    assert cast.key.post("/template/chatapp/preview", {"components": []}).status == 400
    vendor.templates["x"] = {"id": "t9", "name": "x", "language": "en", "status": "APPROVED"}
    assert cast.key.post("/template/chatapp/sync", {"app": app.pk}).data == {"known": 1}
    with cast.scope():
        app.access_token = "wrong"
        app.save()
    refused = cast.key.post("/template/chatapp/sync", {"app": app.pk})
    assert (refused.status, refused.body["warning"].startswith("app:")) == (400, True)


def test_a_chatbot_is_tried_before_it_is_saved(cast: Cast) -> None:
    given = {"conversations": [{"text": "Beans?"}], "messages": [{"text": "Hello"}, {"text": "more"}]}
    found = cast.key.post("/manual-chatbot/test", given).data
    assert [one["answers"] for one in found["steps"]] == [["Beans?"], []]
    assert found["handedOver"] is True
    assert cast.key.get("/manual-chatbot").data == []
