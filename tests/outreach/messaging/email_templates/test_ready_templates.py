"""The ready templates: each compiles, reads well with and without values, and has no sign of spam."""

from __future__ import annotations

import re

import pytest

from core.text.placeholders import names_in
from outreach.messaging.email_templates import spam_checks
from outreach.messaging.email_templates.designs.blocks import read_design, texts_in
from outreach.messaging.email_templates.designs.brands import Brand
from outreach.messaging.email_templates.designs.inline import is_address
from outreach.messaging.email_templates.designs.mjml import mjml_of
from outreach.messaging.email_templates.designs.ready import FOLDER, ready_templates
from outreach.messaging.email_templates.rendering import BUILT_IN, compile_template, render
from outreach.messaging.email_templates.spam_checks import Checked
from tests.kit.cast import Cast

READY = {row["key"]: row for row in ready_templates()}
KEYS = ["newsletter", "announcement", "welcome", "invitation", "follow-up", "product", "offer", "feedback", "reminder"]
KEYS += ["thank-you", "win-back", "letter"]
BRAND = Brand(
    name="Acme", address="1 Main Street, Springfield", website="https://acme.example", links={"x": "https://x.com/acme"}
)


def test_there_are_twelve_and_an_empty_one() -> None:
    assert list(READY) == ["blank", *KEYS]
    assert len(list(FOLDER.glob("*.json"))) == 13
    assert len({row["name"] for row in READY.values()}) == 13
    assert all(row["about"].endswith(".") for row in READY.values())


@pytest.mark.parametrize("key", READY)
@pytest.mark.parametrize("name", ["Ann", ""])
def test_a_ready_template_is_a_good_mail(key: str, name: str) -> None:
    row = READY[key]
    compiled = compile_template(row["subject"], mjml_of(read_design(row["design"]), BRAND, {}), [])
    assert set(names_in(" ".join([row["subject"], *texts_in(row["design"])]))) <= set(BUILT_IN)
    values = {"contact.firstName": name, "company.name": "Acme", "company.website": "https://acme.example"}
    mail = render(row["subject"], compiled, [], values)
    words = re.sub(r"<style.*?</style>|<[^>]*>", "", mail.html, flags=re.DOTALL)
    for text in (mail.subject, mail.text, words):
        assert "{{" not in text
        assert " ," not in text
    assert "  " not in mail.subject
    assert ("there" in mail.text) == (not name)
    assert len(mail.text) > 100 or key == "blank"
    assert "1 Main Street, Springfield" in mail.text
    assert all(is_address(link) for link in compiled.links)
    assert len(mail.html) < spam_checks.MAX_SIZE
    checked = Checked(compiled, mail, row["subject"], len(mail.html))
    assert [sign for check in spam_checks._CHECKS for sign in check(checked)] == []


@pytest.mark.parametrize("key", READY)
def test_a_ready_template_is_shown_and_used(cast: Cast, key: str) -> None:
    shown = cast.key.get(f"/template/ready/{key}").data
    assert "Ann" in shown["text"] or key in ("offer", "blank") or "there" not in shown["text"]
    assert cast.session.get(f"/template/ready/{key}").data == shown
    made = cast.key.post("/template/email/ready", {"ready": key}).data
    assert (made["name"], made["subject"]) == (READY[key]["name"], READY[key]["subject"])


def test_an_unknown_key_is_refused(cast: Cast) -> None:
    assert cast.key.get("/template/ready/nothing").status == 400
