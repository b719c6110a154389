"""Templates with a design, on both paths: created, changed, converted to code, duplicated, restored, checked."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from crm.models import File
from outreach.messaging.email_templates import spam_checks
from outreach.models import EmailTemplate
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory
from tests.outreach.helpers import Post
from tests.outreach.messaging.email_templates.test_designs import block, design

HELLO = 'Hello {{contact.firstName | default: "there"}}'
DESIGN = design(block("heading", HELLO), block("button"), block("footer", ""))


def create(cast: Cast, **values: Any) -> Any:
    return cast.key.post("/template/email", {"name": "A", "subject": HELLO, "design": DESIGN, **values})


def picture(cast: Cast, name: str = "a.png", kind: str = "PNG") -> str:
    content = BytesIO()
    Image.new("RGB", (30, 20), "red").save(content, kind)
    content.name = name
    content.seek(0)
    return str(cast.session.upload("/upload", content).data["_id"])


@pytest.mark.parametrize("path", ["key", "session"])
def test_a_design_makes_the_body(cast: Cast, path: str) -> None:
    api = getattr(cast, path)
    made = api.post("/template/email", {"name": "A", "subject": "S", "design": DESIGN})
    assert made.status == 201, made.body
    assert made.data["body"].startswith("<mjml>")
    assert made.data["links"] == ["https://acme.example/?a=1&b=2"]
    assert [one["type"] for one in made.data["design"]["blocks"]] == ["heading", "button", "footer"]
    place = f"/template/email/{made.data['_id']}"
    assert api.get(place).data["design"] == made.data["design"]
    written = api.put(place, {name: made.data[name] for name in ("name", "subject", "body", "design", "variables")})
    assert (written.status, written.data["version"]) == (200, 1)
    refused = api.put(place, {"body": "Other"})
    assert (refused.status, refused.body["warning"].partition(";")[0]) == (400, "body: is made of the design")
    changed = api.put(place, {"design": design(block("text", "Other words"))}).data
    assert (changed["version"], "Other words" in changed["body"]) == (2, True)
    code = api.put(place, {"design": None}).data
    assert (code["design"], code["body"], code["version"]) == (None, changed["body"], 3)
    assert api.put(place, {"body": "Plain"}).data["body"] == "Plain"
    versions = api.get(f"{place}/versions").data
    assert [bool(one["design"]) for one in versions] == [False, False, True, True]
    restored = api.post(f"{place}/restore", {"version": 1}).data
    assert (restored["design"], restored["body"]) == (made.data["design"], made.data["body"])
    copy = api.post(f"{place}/duplicate").data
    assert (copy["name"], copy["design"], copy["version"]) == ("A (2)", made.data["design"], 1)
    assert api.post(f"{place}/duplicate").data["name"] == "A (3)"
    with (other := make_cast()).scope():
        assert other.key.post(f"{place}/duplicate").status == 404


def test_errors_name_the_part_of_the_design(cast: Cast) -> None:
    for value, told in (
        (
            design(block("text", "Hi {{contact.frstName}}")),
            "design.blocks.0.text: the field {{contact.frstName}} is unknown",
        ),
        (design(block("text", "Hi {{name")), "design: has an incomplete placeholder"),
        (design(block("image", url="")), "design.blocks.0.file: choose a picture"),
        (design(block("image", file="0" * 24)), "design: there is no file"),
        (design(block("divider")), "design: enter a text"),
        (design(block("button", url="nowhere")), "design.blocks.0.url: enter an address"),
        ({"version": 1, "blocks": [[[[[[[[[[[[[]]]]]]]]]]]]]}, "design.blocks.0: "),
    ):
        answer = create(cast, design=value)
        assert answer.status == 400
        assert answer.body["warning"].startswith(told)
    both = create(cast, body="Hi")
    assert (both.status, both.body["warning"][:6]) == (400, "body: ")
    assert cast.key.post("/template/email", {"name": "A", "subject": "S"}).body["warning"].startswith("body: ")
    assert create(cast, subject="{{x}}").body["warning"].startswith("subject: ")


def test_pictures_have_public_addresses(cast: Cast, settings: Any) -> None:
    id = picture(cast)
    made = create(cast, design=design(block("text"), block("image", url="", file=id, alt="A “red” box")))
    assert made.status == 201, made.body
    address = made.data["body"].partition('src="')[2].partition('"')[0]
    client = Client()
    shown = client.get(address.removeprefix(settings.BASE_URL))
    assert (shown.status_code, shown["Content-Type"], shown["Cache-Control"]) == (
        200,
        "image/png",
        "public, max-age=86400",
    )
    assert shown["Cross-Origin-Resource-Policy"] == "cross-origin"
    other = picture(cast, "b.png")
    place, signature = address.removeprefix(settings.BASE_URL).rsplit("/", 1)
    assert client.get(place.replace(id, other) + f"/{signature}").status_code == 404
    assert client.get(f"{place}/{'x' * 43}").status_code == 404
    with cast.scope():
        File.objects.filter(pk=id).update(mime="text/html")
    assert client.get(f"{place}/{signature}").status_code == 404
    assert (
        create(cast, name="B", design=made.data["design"])
        .body["warning"]
        .startswith("design.blocks.1.file: choose a PNG")
    )
    with cast.scope():
        File.objects.filter(pk=id).update(mime="image/png", size=3 << 20)
    assert "at most 2 MB" in create(cast, name="B", design=made.data["design"]).body["warning"]
    cast.key.delete("/file", {"ids": [id]})
    assert client.get(f"{place}/{signature}").status_code == 404
    assert "is in the recycle bin" in create(cast, name="B", design=made.data["design"]).body["warning"]
    with (stranger := make_cast()).scope():
        assert create(stranger, design=made.data["design"]).status == 400


def test_previews_and_tests_of_designs(cast: Cast, post: Post) -> None:
    with cast.scope():
        ann = ContactFactory(name="Ann Lee")
        nobody = ContactFactory(name="", email="info@example.org")
    content = {"subject": HELLO, "design": DESIGN}
    shown = cast.key.post("/template/email/preview", {**content, "contactId": ann.pk}).data
    assert (shown["subject"], "Hello Ann</h2>" in shown["html"]) == ("Hello Ann", True)
    assert (
        cast.session.post("/template/email/preview", {**content, "contactId": nobody.pk}).data["subject"]
        == "Hello there"
    )
    sent = cast.session.post("/campaign/test/smtp", {**content, "to": [cast.owner.user.email], "contactId": ann.pk})
    assert (sent.status, sent.data["subject"]) == (200, "Hello Ann")
    assert b"Hello Ann" in post.server.received[-1]
    assert cast.key.post("/template/email/preview", {"subject": "S"}).status == 400


def test_ready_templates_get_free_names(cast: Cast) -> None:
    catalogue = cast.key.get("/template/email/design").data
    assert (catalogue["version"], catalogue["schema"]["title"]) == (1, "Design")
    assert catalogue["brand"]["name"] == cast.company.name
    key = catalogue["ready"][0]["key"]
    names = [cast.key.post("/template/email/ready", {"ready": key}).data["name"] for _ in range(2)]
    assert names == [catalogue["ready"][0]["name"], f"{catalogue['ready'][0]['name']} (2)"]
    assert cast.session.post("/template/email/ready", {"ready": "nothing"}).status == 400


PLAIN = {"subject": "A question about Tuesday", "design": DESIGN}
LINKED = '<a href="https://evil.example/x">www.bank.example</a>'


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        (PLAIN, []),
        ({**PLAIN, "subject": "BUY THIS NOW!!"}, ["capitals", "marks"]),
        ({**PLAIN, "subject": "Hello {{contact.firstName}}"}, ["noFallback"]),
        ({"subject": "A", "design": design(block("image", alt=""), block("text", "Hi"))}, ["imageOnly", "noAlt"]),
        ({"subject": "A", "body": f"<p>{LINKED}</p>"}, ["otherDomain"]),
        ({"subject": "A", "body": '<p><a href="https://www.bank.example/x">bank.example</a></p>'}, []),
        ({"subject": "A", "body": '<p><a href="http://bit.ly/x">Read more</a></p>'}, ["shortener", "notSecure"]),
        ({"subject": "A", "design": design(*[block("text", "x y " * 4_900)] * 6)}, ["size"]),
        ({"subject": "A", "body": "Plain words"}, []),
    ],
)
def test_own_checks(cast: Cast, monkeypatch: pytest.MonkeyPatch, content: dict[str, Any], codes: list[str]) -> None:
    monkeypatch.setattr(spam_checks, "PROGRAMS", ())
    answer = cast.key.post("/template/email/check", content)
    assert answer.status == 200, answer.body
    assert (answer.data["tool"], answer.data["score"]) == ("", None)
    assert [sign["code"] for sign in answer.data["warnings"]] == codes
    assert all(sign["text"] and sign["advice"] for sign in answer.data["warnings"])


REPORT = """#!/bin/sh
cat >/dev/null
echo 'Content analysis details:   (3.2 points, 5.0 required)

 pts rule name              description
---- ---------------------- --------------------------------------------------
-0.0 NO_RELAYS              Informational: message was not relayed via SMTP
 3.2 HTML_IMAGE_ONLY_04     BODY: HTML: images with 0-400 bytes of words
                            and so on'
"""


@pytest.mark.parametrize(
    ("script", "score"), [(REPORT, 3.2), ("#!/bin/sh\nexit 1\n", None), ("#!/bin/sh\nsleep 9\n", None)]
)
def test_spamassassin_where_it_is_installed(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, score: float | None
) -> None:
    program = tmp_path / "spamassassin"
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(spam_checks, "PROGRAMS", (("spamassassin", "--local"),))
    monkeypatch.setattr(spam_checks, "MAX_SECONDS", 1)
    data = cast.key.post("/template/email/check", PLAIN).data
    assert (data["tool"], data["score"]) == (("spamassassin", score) if score else ("", None))
    rules = [(sign["code"], sign["points"]) for sign in data["warnings"]]
    assert rules == ([("HTML_IMAGE_ONLY_04", 3.2)] if score else [])


def test_a_converted_template_is_written_as_code(cast: Cast) -> None:
    id = create(cast).data["_id"]
    cast.key.put(f"/template/email/{id}", {"design": None, "body": "<p>Own words</p>"})
    with cast.scope():
        template = EmailTemplate.objects.get(pk=id)
    assert (template.design, template.body, template.text) == (None, "<p>Own words</p>", "Own words")
