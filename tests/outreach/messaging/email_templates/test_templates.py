"""/template/email, GET /genie/templates/:templateId, and follow-ups made from a template."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from html import unescape
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from core.errors import NamedError
from crm.models import Contact, CustomField
from outreach.connections.smtp.message import build
from outreach.messaging.email_templates.compiler import Compiled
from outreach.messaging.email_templates.rendering import ValueReader, compile_template, render
from outreach.models import SendJob
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.outreach.connections.smtp.test_message import MAIL
from tests.outreach.helpers import Post, work
from tests.web.helpers import at, enter, text_of

EVIL = '"><script>alert(1)</script>{{company.name}}'
PLAN = {"name": "Plan", "required": True, "dateType": None}


@pytest.mark.parametrize(
    ("subject", "body", "variables", "told"),
    [
        ("Hi {{who}}", "x", [], "InvalidVariables_400 subject: the field {{who}} is unknown"),
        ("Hi", "{{a.b|c}}", [], "InvalidVariables_400 body: the field {{a.b|c}} is unknown"),
        ("Hi", "{% now %}", [], "InvalidEmailTemplate_400 body: has an incomplete placeholder"),
        ("Hi", "{{ {{Plan}} }}", [PLAN], "InvalidEmailTemplate_400 body: has an incomplete placeholder"),
        ("Hi", "<p><script>x</script></p>", [], "InvalidEmailTemplate_400 body: enter a text"),
        (
            "Hi",
            "<mjml>\n<!-- <mj-x>\n --><mj-body><mj-texxt>Hi</mj-texxt></mj-body></mjml>",
            [],
            "InvalidEmailTemplate_400 body: line 3: <mj-texxt> is unknown; did you mean <mj-text>?",
        ),
        ("Hi", f"<style>{'p{top:1px}' * 5000}</style><p>x", [], "InvalidEmailTemplate_400 body: has more than 40,000"),
        (
            "Hi",
            f"<style>{'p{top:1px}' * 3000}</style>{'<p>x' * 9000}",
            [],
            "InvalidEmailTemplate_400 body: has too many",
        ),
        ("Hi", "<mjml><mj-body>", [], "InvalidEmailTemplate_400 body: check the MJML: "),
        (
            "Hi",
            '<mjml><mj-body><mj-include path="/etc/passwd" /></mj-body></mjml>',
            [],
            "InvalidEmailTemplate_400 body: check the MJML",
        ),
        ("Hi", "<b>" * 30_000 + "x", [], "InvalidEmailTemplate_400 body: has more than 100 tags within"),
        ("Hi", "<mjml><mj-body>" + "<mj-wrapper>" * 9_000, [], "InvalidEmailTemplate_400 body: has more than 100"),
        ("Hi", "<b/>" * 30_000 + "x", [], "InvalidEmailTemplate_400 body: has more than 100"),
        ("Hi", "<i>x</i>" + '<b title="<">' * 15_000, [], "InvalidEmailTemplate_400 body: has more than 100"),
        ("Hi", '<p style="color:{{Plan}}">x</p>', [PLAN], "InvalidEmailTemplate_400 body: {{Plan}} stands where"),
        ("Hi", "<!-- {{Plan}} --><p>x</p>", [PLAN], "InvalidEmailTemplate_400 body: {{Plan}} stands where"),
        # What a pattern that backtracks would be at for hours.
        ("Hi", "{{" + " " * 190_000 + "x", [], "InvalidEmailTemplate_400 body: has an incomplete placeholder"),
        ("Hi", "<style" * 33_000 + "{{", [], "InvalidEmailTemplate_400 body: has an incomplete placeholder"),
        ("Hi", "<a" * 99_000 + "{{", [], "InvalidEmailTemplate_400 body: has an incomplete placeholder"),
        ("Hi", "<!-- -->" * 24_000 + "<p>", [], "InvalidEmailTemplate_400 body: enter a text"),
        ("Hi", "x", [PLAN, PLAN], "InvalidVariables_400 variables: enter each name once; check 'Plan'"),
    ],
)
def test_what_no_template_may_have(subject: str, body: str, variables: list[dict[str, Any]], told: str) -> None:
    with pytest.raises(NamedError) as found:
        compile_template(subject, body, variables)
    assert f"{found.value.name} {found.value.detail}".startswith(told)


def made(subject: str, body: str, values: dict[str, str] | None) -> Any:
    return render(subject, compile_template(subject, body, [PLAN]), [PLAN], values)


def test_values_are_text_once_and_never_markup() -> None:
    body = (
        '<p>Dear {{contact.name}}, <a href="{{Plan}}">see</a> or <a href="https://a.example/?p={{Plan}}">this</a></p>'
    )
    mail = made("For {{contact.name}}", body, {"contact.name": EVIL, "Plan": "javascript:alert(1)&{{company.name}}"})
    assert mail.subject == f"For {EVIL}"
    assert "{{company.name}}" in mail.text
    assert ("<script" in mail.html, "&lt;script&gt;" in mail.html) == (False, True)
    assert "<a>see</a>" in mail.html
    assert 'href="https://a.example/?p=javascript%3Aalert%281%29%26%7B%7Bcompany.name%7D%7D"' in mail.html
    linked = made("S", body, {"Plan": 'https://b.example/?x=1&y="'})
    assert 'href="https://b.example/?x=1&amp;y=&quot;"' in linked.html
    assert made("S", "Hi {{Plan}}", {"Plan": " "}).missing == ("Plan",)
    assert made("S", "Hi {{Plan}}", None).text == "Hi {{Plan}}"


def test_mjml_and_styles_are_compiled_to_what_mail_programs_show() -> None:
    html = (
        '<style>@import url(http://127.0.0.1/x);.a{color:red} @media print{.a{color:blue}}</style><p class="a">Hi</p>'
    )
    assert compile_template("S", html, []).html == '<p style="color:red">Hi</p>'
    words, button = "<mj-text>{{Plan}}</mj-text>", "<mj-button href='{{Plan}}'>Go</mj-button>"
    styled = compile_template("S", "<style>@media x{p{color:red}}</style><p>{{contact.name}}</p>", [])
    assert "{{contact.name}}" in styled.html
    columns = "".join(f"<mj-column>{part}</mj-column>" for part in (words, button))
    mjml = compile_template("S", f"<mjml><mj-body><mj-section>{columns}</mj-section></mj-body></mjml>", [PLAN])
    assert (mjml.text, mjml.links) == ("{{Plan}}\nGo ({{Plan}})", ("{{Plan}}",))
    assert mjml.html.count('class="mj-column-per-50"') == 2
    assert "mj-outlook" not in mjml.html
    mail = render("S", mjml, [PLAN], {"Plan": "https://a.example/"})
    sent = build(replace(MAIL, text=mail.text, html=mail.html)).decode()
    assert ".mj-column-per-50{width:50.0%!important;max-width:50.0%}" in sent.replace("=\r\n", "")


def test_versions_and_previews(cast: Cast) -> None:
    words = {"subject": "One", "body": "<p>Dear {{contact.name}}</p>"}
    template = cast.key.post("/template/email", {"name": "A", **words}).data
    place = f"/template/email/{template['_id']}"
    assert (template["version"], template["links"]) == (1, [])
    assert cast.key.put(place, {"name": "B"}).data["version"] == 1
    assert cast.key.put(place, {"body": '<a href="https://a.example">Go</a>'}).data["links"] == ["https://a.example"]
    versions = cast.key.get(f"{place}/versions")
    assert [(one["version"], one["body"][:3]) for one in versions.data] == [(2, "<a "), (1, "<p>")]
    restored = cast.session.post(f"{place}/restore", {"version": 1})
    assert (restored.status, restored.data["version"], restored.data["body"]) == (200, 3, words["body"])
    assert cast.key.post(f"{place}/restore", {"version": 9}).body["warning"].startswith("version: ")

    with cast.scope():
        ann = ContactFactory(name="Ann & Co")
    shown = cast.key.get(f"{place}/preview", contactId=ann.pk).data
    unsaved = cast.key.post("/template/email/preview", {**words, "contactId": ann.pk}).data
    assert shown == {"_id": template["_id"], "name": "B", **unsaved}
    assert "\n<p>Dear Ann &amp; Co</p>\n</body>" in unsaved["html"]
    assert unsaved["size"] == len(unsaved["html"])
    assert cast.key.post("/template/email/preview", {**words, "subject": "{{x}}"}).status == 400
    with (other := make_cast()).scope():
        assert other.key.get(f"{place}/versions").status == 404
        assert other.key.post(f"{place}/restore", {"version": 1}).status == 404


def test_a_test_goes_to_members_alone(cast: Cast, post: Post) -> None:
    words = {"subject": "Hi {{contact.name}}", "body": "<p>Dear {{contact.name}}</p>"}
    template = cast.key.post("/template/email", {"name": "A", **words}).data["_id"]
    with cast.scope():
        ann = ContactFactory(name="Ann")
    body = {"to": [cast.owner.user.email.upper()], "templateId": template, "contactId": ann.pk}
    sent = cast.session.post("/campaign/test/smtp", body)
    assert (sent.status, sent.data["subject"]) == (200, "Hi Ann")
    assert (post.subjects(), post.recipients()) == (["Subject: [Test] Hi Ann"], [cast.owner.user.email])
    assert cast.key.post("/campaign/test/smtp", {**words, "to": body["to"]}).status == 200
    with cast.scope():
        assert not SendJob.objects.exists()
    for wrong, message in (
        ({"to": [ann.email]}, "Choose at least one recipient."),
        ({"to": []}, "Choose at least one recipient."),
        ({"smtp": "0" * 24}, "No email sender works yet. Connect or select a sender."),
        ({"templateId": None}, "You can't use this email template. Choose another template."),
        ({"templateId": "0" * 24}, "Email template not found."),
    ):
        assert cast.key.post("/campaign/test/smtp", {**body, **wrong}).body["message"] == message
    assert cast.key.post("/campaign/test/pigeon", body).body["message"] == "You can't send test messages of this kind."
    post.server.at["rcpt"] = "550 5.1.1 no such user"
    assert (
        cast.key.post("/campaign/test/smtp", body).body["message"] == "The email could not be sent. Check the sender."
    )
    assert len(post.subjects()) == 2


def test_a_follow_up_is_made_from_the_template_that_its_run_began_with(cast: Cast, post: Post) -> None:
    field = cast.key.post("/custom-field", {"name": "Plan", "fieldType": "text", "panel": "contact"}).data[
        "uniqueFieldID"
    ]
    words = {"subject": "For {{contact.firstName}}", "body": "<p>Your plan is {{Plan}}.</p>", "variables": [PLAN]}
    made = cast.session.post("/template/email", {"name": "Plan mail", **words})
    assert (made.status, made.data["variables"], made.data["attachments"]) == (201, [PLAN], [])
    template = made.data["_id"]
    assert (
        cast.key.post("/template/email", {"name": "plan MAIL", **words}).body["message"]
        == "A template with this name already exists."
    )
    for wrong in ({"subject": "Hi\r\nBcc: x@example.org"}, {"name": "A\x07"}, {"subject": "A\u2028B"}):
        refused = cast.key.post("/template/email", {"name": "B", **words, **wrong})
        told = f"{next(iter(wrong))}: enter one line"
        assert (refused.status, refused.body["warning"].startswith(told)) == (400, True)
    refused = cast.key.post("/template/email", {"name": "B", **words, "attachments": [template]})
    assert (refused.status, refused.body["warning"].startswith("attachments: ")) == (400, True)
    with cast.scope():
        ann, bob = ContactFactory(name="Ann Lee", custom={field: "Gold & more"}), ContactFactory(custom={})

    place = f"/genie/templates/{template}"
    plain, shown = cast.key.get(place).data, cast.key.get(place, contactId=ann.pk).data
    assert (plain["subject"], plain["missing"]) == ("For {{contact.firstName}}", [])
    assert (shown["subject"], shown["text"]) == ("For Ann", "Your plan is Gold & more.")
    assert "Gold &amp; more" in shown["html"]
    assert cast.key.get(place, contactId=bob.pk).data["missing"] == ["Plan"]
    assert cast.key.get(place, contactId="0" * 24).status == 400
    with (other := make_cast()).scope():
        assert other.key.get(place).body["message"] == "Email template not found."
        assert other.key.get(f"/template/email/{template}").status == 404

    step = {"delay": {"amount": 1, "unit": "hours"}, "template": template}
    body = {"contactIds": [ann.pk, bob.pk], "prompt": "Say hello", "outreachCadence": {"steps": [step]}}
    both = cast.key.post("/genie/from-contacts", {**body, "outreachCadence": {"steps": [{**step, "prompt": "x"}]}})
    assert "outreachCadence.steps[0].template: choose a template or enter" in both.body["warning"]
    with time_machine.travel(timezone.now(), tick=False) as clock:
        assert cast.key.post("/genie/from-contacts", body).status == 201
        for kind in ("genie", "send"):
            work(kind)
        assert cast.key.put(f"/template/email/{template}", {"subject": "Another one"}).status == 200
        assert cast.key.delete("/template/email", {"ids": [template]}).data == {"deletedCount": 1}
        clock.shift(timedelta(hours=1))
        for kind in ("follow-ups", "genie", "send"):
            work(kind)
    with cast.scope():
        follow_ups = {job.contact_id: job for job in SendJob.objects.filter(step=2)}
    assert (follow_ups[bob.pk].status, follow_ups[bob.pk].reason) == ("failed", "variable_missing")
    assert (follow_ups[ann.pk].status, follow_ups[ann.pk].subject) == ("sent", "For Ann")
    assert {one["source"] for one in follow_ups[ann.pk].evidence} == {"template"}
    with cast.scope():
        SendJob.objects.filter(pk=follow_ups[ann.pk].pk).update(status="draft")
    anew = f"/genie/send-jobs/{follow_ups[ann.pk].pk}/regenerate"
    for hint in ("Shorter", ""):
        refused = cast.key.post(anew, {"hint": hint})
        assert (refused.status, "those of a template" in refused.body["warning"]) == (400, True)
    kept = cast.key.put(anew.removesuffix("/regenerate"), {"subject": "Mine"}).data["evidence"]
    assert {one["source"] for one in kept} == {"template", "person"}
    mail = message_from_bytes(post.server.received[-1], policy=policy.default)
    assert "Your plan is Gold & more." in mail.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert cast.key.post("/genie/from-contacts", body).body["message"] == "Email template not found."


def test_templates_have_pages_and_are_chosen_for_a_follow_up(cast: Cast) -> None:
    client = enter(cast.owner)
    for name in ("Plan", "City"):
        cast.key.post("/custom-field", {"name": name, "fieldType": "text"})
    form = {"name": "Hello", "subject": "Hi {{contact.firstName}}", "body": "About {{Plan}}", "required": "Plan"}
    assert client.post(at(cast.owner, "templates/new"), form).status_code == 303
    [made] = cast.key.get("/template/email").data
    assert made["variables"] == [PLAN]
    assert "Hi {{contact.firstName}}" in text_of(client.get(at(cast.owner, "templates")))
    page = at(cast.owner, f"templates/{made['_id']}")
    assert 'value="Plan"' in html_of(client.get(page))
    assert client.post(page, {**form, "required": "", "body": "About {{Plan}} and {{City}}"}).status_code == 303
    found = cast.key.get(f"/template/email/{made['_id']}").data
    assert [(one["name"], one["required"]) for one in found["variables"]] == [("Plan", False), ("City", False)]
    unknown = client.post(page, {**form, "body": "About {{renewal}}"})
    assert (unknown.status_code, "renewal" in text_of(unknown)) == (422, True)
    wrong = client.post(page, {**form, "body": "{% x %}"})
    assert (wrong.status_code, "incomplete placeholder" in text_of(wrong)) == (422, True)
    typed = {**form, "body": "<mjml><mj-body><mj-text>Hi {{contact.name}}</mj-text></mj-body></mjml>"}
    shown = client.post(page, {**typed, "do": "preview"})
    assert (shown.headers["X-Frame-Options"], "sandbox" in shown.headers["Content-Security-Policy"]) == (
        "SAMEORIGIN",
        True,
    )
    assert "Hi {{contact.name}}" in unescape(unescape(html_of(shown)))
    with cast.scope():
        ann = ContactFactory(name="Ann Finder")
        ContactFactory(name="Bob Other")
    found = client.post(page, {**typed, "do": "find", "find": "finder"})
    assert f'<option value="{ann.pk}" selected>Ann Finder</option></select>' in html_of(found)
    assert ("&lt;mjml" in html_of(found), "Bob" in text_of(found)) == (True, False)
    test = client.post(page, {**typed, "do": "test"})
    assert (test.status_code, "No email sender works yet" in text_of(test), "&lt;mjml" in html_of(test)) == (
        422,
        True,
        True,
    )
    assert "Earlier versions" in text_of(client.get(page))
    assert client.post(page, {"do": "restore", "restore": "1"}).status_code == 303
    assert cast.key.get(f"/template/email/{made['_id']}").data["body"] == form["body"]
    part = client.post(at(cast.owner, "outreach/steps"), {"steps": "0"}, headers={"HX-Request": "true"})
    assert f'<option value="{made["_id"]}">Hello</option>' in html_of(part)


@pytest.mark.parametrize(
    ("words", "value", "expected"),
    [
        (
            "See https://x.example/?q={{Town}}&a=1",
            "Bad Ems & Söhne",
            "See https://x.example/?q=Bad%20Ems%20%26%20S%C3%B6hne&a=1",
        ),
        ("Our page ({{Town}}) is up.", "", "Our page is up."),
        ("Our page ({{Town}}).", "", "Our page."),
        ("Our page ({{Town}})", "https://x.example/a b", "Our page (https://x.example/a b)"),
        ("Hello {{Town}} friend", "", "Hello friend"),
        ("Hello {{Town}}, friend", "", "Hello, friend"),
        ("{{Town}} friend", "", "friend"),
        ("a\n{{Town}} b {{Town}}\nc", "", "a\nb\nc"),
        ("Hello {{Town}} friend", "{{contact.email}}", "Hello {{contact.email}} friend"),
        ("https://x.example/{{Town}}", "{{contact.email}}", "https://x.example/%7B%7Bcontact.email%7D%7D"),
    ],
)
def test_plain_words_with_and_without_a_value(words: str, value: str, expected: str) -> None:
    values = {"Town": value, "contact.email": "ann@example.org"}
    found = render(words, Compiled("", words, ()), [{"name": "Town", "required": False}], values)
    assert found.text == expected
    assert found.subject == " ".join(expected.split())


def test_the_first_name_is_that_of_a_field_of_its_own_or_of_the_name(cast: Cast) -> None:
    with cast.scope():
        field = CustomField.objects.create(
            name="Vorname", unique_field_id="vorname", field_type="text", value_type="string", panel="contact"
        )
        reader = ValueReader.load()
        named = Contact(name="Frau Dr. Zoë Müller", custom={})
        assert reader.of(named, [])["contact.firstName"] == "Zoë"
        assert reader.of(Contact(name="Frau Müller", custom={}), [])["contact.firstName"] == ""
        written = Contact(name="Müller, Zoë", custom={field.unique_field_id: " Zoë Marie "})
        assert reader.of(written, [])["contact.firstName"] == "Zoë Marie"
        blank = Contact(name="Müller, Zoë", custom={field.unique_field_id: "  "})
        assert reader.of(blank, [])["contact.firstName"] == "Zoë"


def test_unknown_fields_are_refused_with_those_that_are_like_them(cast: Cast) -> None:
    client = enter(cast.owner)
    path = at(cast.owner, "templates/new")
    with cast.scope():
        CustomField.objects.create(unique_field_id="firm", name="Company", field_type="text", value_type="string")
    form = {"do": "save", "name": "Hello", "subject": "Hello", "body": "Hello"}
    for name, near in (
        ("contact.Company", "{{organization.name}}"),
        ("Organization", "{{organization.name}}"),
        ("contact.organisation", "{{organization.name}}"),
        ("firstname", "{{contact.firstName}}"),
        ("contact.frstName", "{{contact.firstName}}"),
        ("phone_number", "{{contact.number}}"),
    ):
        for part in ("subject", "body"):
            refused = client.post(path, {**form, part: f"Hi {{{{{name}}}}}"})
            assert refused.status_code == 422
            assert f"Unknown field {{{{{name}}}}}. Did you mean" in text_of(refused)
            assert near in text_of(refused).partition("Did you mean")[2].partition("?")[0]
        shown = client.post(path, {**form, "do": "preview", "body": f"Hi {{{{{name}}}}}"})
        assert f"Unknown field {{{{{name}}}}}" in text_of(shown)
    far = text_of(client.post(path, {**form, "body": "Hi {{zzzzqqq}}"}))
    assert "Choose one under “Insert field”" in far
    page = text_of(client.get(path))
    assert all(text in page for text in ("Insert field", "{{organization.name}}", "{{contact.firstName}}"))
    assert ("{{company.website}}" in page, "{{Company}}" in page) == (True, False)
    assert client.post(path, {**form, "body": "At {{Company}}"}).status_code == 303
