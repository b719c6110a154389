"""The steps of workflows in a browser: a mail that arrives, drawn from nothing, and the form of every type of nodes."""

from __future__ import annotations

import email
from collections.abc import Iterator
from email import policy
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.jobs.liveness import release_lock
from outreach.models import EmailTemplate
from tests.browser.conftest import press
from tests.browser.test_workflows import Canvas, Outline, log_in, tab_to
from tests.kit.cast import Cast, make_cast
from tests.kit.examples import walked
from tests.kit.factories import SmtpFactory
from tests.kit.smtp_server import Faults, accept_any, faulty_server
from tests.outreach.helpers import work as send
from tests.workflows.examples import asking_examples, examples
from tests.workflows.helpers import contact, edges, node, runs, work
from workflows.models import RunTimer
from workflows.nodes.registry import NODE_TYPES

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def catcher() -> Iterator[tuple[Faults, int]]:
    faults = Faults()
    with faulty_server(faults, authenticator=accept_any, auth_require_tls=False) as port:
        yield faults, port
    release_lock()


def sender(cast: Cast, port: int) -> None:
    with cast.scope():
        SmtpFactory(port=port, from_name="Ann", from_email="ann@example.net", username="user", password="päss wörd")
        SmtpFactory(port=port, from_name="Other", from_email="other@example.net", username="user", password="päss wörd")
        words = {"subject": "By template", "body": "Come", "text": "Come"}
        EmailTemplate.objects.create(name="Welcome", **words)


@pytest.mark.both_widths
def test_a_workflow_with_a_mail_is_drawn_from_nothing_and_the_mail_arrives(
    page: Page, live_server: Any, catcher: tuple[Faults, int]
) -> None:
    cast = make_cast()
    caught, port = catcher
    sender(cast, port)
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows/new")
    page.get_by_label("Name").fill("Welcome everybody")
    page.get_by_label("Trigger").select_option(label="A contact is created")
    page.locator("button[value=save]").click()
    expect(page.get_by_role("heading", name="Welcome everybody")).to_be_visible()
    width = (page.viewport_size or {})["width"]
    drawn = Canvas(page) if width > 760 else Outline(page)
    drawn.start()

    drawn.add("Wait", "wait-1", "trigger")
    tab_to(page, "#step-form [name='config.for.amount']")
    page.keyboard.type("2")
    page.locator("#step-form [name='config.for.unit']").select_option("seconds")
    tab_to(page, "#step-form .sticky-end button")
    drawn.save("wait-1")

    drawn.add("Email", "mail-1", "wait-1")
    form = drawn.form
    subject, body = form.locator("[name='config.subject']"), form.locator("[name='config.body']")
    variables = form.get_by_role("group", name="Variables")
    expect(subject).to_be_visible()
    expect(body).to_be_visible()
    expect(variables).to_be_hidden()
    template = form.locator("[name='config.template']")
    template.select_option(label="Welcome")
    expect(subject).to_be_hidden()
    expect(body).to_be_hidden()
    expect(variables).to_be_visible()
    template.select_option("")
    expect(subject).to_be_visible()
    expect(variables).to_be_hidden()
    form.get_by_label("Other <other@example.net>").check()
    subject.fill("Hello {{ contact.name }}")
    body.fill("Come on Tuesday")
    tab_to(page, "#step-form .sticky-end button")
    drawn.save("mail-1")

    press(page, "p")
    expect(page.locator("#flow-status")).to_have_text("Published")
    person = contact(cast)
    work()
    expect(drawn.counts("wait-1")).to_contain_text("1 waiting")
    with cast.scope():
        RunTimer.objects.update(due_at="2020-01-01T00:00:00Z")
    work()
    send("genie")
    send("send")
    [run] = runs(cast, page.url.rstrip("/").split("/")[-1].partition("?")[0].partition("#")[0])
    assert (run.status, run.contact_id) == ("completed", person)
    [(source, to, _)] = caught.envelopes
    assert (source.endswith("@example.net"), to) == (True, ("ann@example.org",))
    mail = email.message_from_bytes(caught.received[0], policy=policy.default)
    assert (mail["Subject"], mail["From"]) == ("Hello Ann Example", "Other <other@example.net>")
    assert "Come on Tuesday" in str(mail.get_body(("plain",)))


@pytest.mark.both_widths
def test_the_form_of_every_type_opens_beside_the_canvas_and_is_saved(page: Page, live_server: Any) -> None:
    if (page.viewport_size or {})["width"] < 760:
        pytest.skip("the list is walked without a browser (tests/web/test_step_forms.py)")
    cast = make_cast()
    configs = {**examples(cast), **asking_examples(cast)}
    assert {*configs} == {*NODE_TYPES}
    ways = {"condition": "true", "switch": "true", "split": "true", "loop": "done", "find": "found"}
    ways |= {"approval": "approved", "waitFor": "event", "meetingResult": "held"}
    chain = [type for type in configs if type not in ("trigger", "stop")]
    lines = [f"{one}:{ways.get(one, 'out')} > {after}" for one, after in zip(chain, chain[1:], strict=False)]
    steps = [node(type, type, configs[type]) for type in ("trigger", *chain)]
    body = {"name": "All", "triggerEventType": "lead.created", "nodes": steps}
    id = cast.key.post("/workflow", {**body, "edges": edges(f"trigger > {chain[0]}", *lines)}).data["_id"]
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows/{id}")
    form = page.locator(".flow-side #step-form")
    for type in walked(("trigger", *chain)):
        place = page.locator(f".flow-node[data-id={type}]")
        place.focus()
        place.press("Enter")
        expect(form.locator(f"input[name=node][value={type}]")).to_be_attached()
        form.locator(".sticky-end button").click()
        expect(page.locator(".flow-side")).to_be_hidden()
    shown = cast.key.get(f"/workflow/{id}").data
    assert shown["validation"]["errors"] == []
    press(page, "p")
    expect(page.locator("#flow-status")).to_have_text("Published")


@pytest.mark.both_widths
def test_a_form_follows_its_record_type_and_what_another_tab_creates(page: Page, live_server: Any) -> None:
    if (page.viewport_size or {})["width"] < 760:
        pytest.skip("the same form beside the canvas")
    cast = make_cast()
    steps = [node("trigger", "trigger", {}), node("find", "find", {"panel": "contact", "filter": {"conditions": []}})]
    steps += [node("mail", "mail", {}), node("stop", "stop", {})]
    body = {"name": "Steps", "triggerEventType": "contact.created", "nodes": steps}
    chain = edges("trigger > find", "find:found > mail", "mail > stop")
    id = cast.key.post("/workflow", {**body, "edges": chain}).data["_id"]
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows/{id}")
    form = page.locator(".flow-side #step-form")

    page.locator(".flow-node[data-id=find]").press("Enter")
    fields = form.locator(".tree-bar")
    expect(fields).to_contain_text("Unsubscribed")
    form.locator("[name=label]").fill("Their leads")
    form.locator("[name='config.panel']").select_option("lead")
    expect(fields).to_contain_text("Value")
    expect(fields).not_to_contain_text("Unsubscribed")
    expect(form.locator("[name=label]")).to_have_value("Their leads")

    page.locator(".flow-node[data-id=mail]").press("Enter")
    form.locator("[name='config.subject']").fill("Hello")
    with page.context.expect_page() as opened:
        form.get_by_role("link", name="Add a template").click()
    opened.value.close()
    with cast.scope():
        EmailTemplate.objects.create(name="Welcome", subject="Welcome", body="Come", text="Come")
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(form.locator("[name='config.template']")).to_contain_text("Welcome")
    expect(form.locator("[name='config.subject']")).to_have_value("Hello")

    page.locator(".flow-node[data-id=stop]").press("a")
    expect(page.locator("#toasts")).to_contain_text("No step can follow")


@pytest.mark.both_widths
def test_the_panel_of_a_step_asks_before_typed_text_is_lost(page: Page, live_server: Any) -> None:
    if (page.viewport_size or {})["width"] < 760:
        pytest.skip("the panel is beside the canvas")
    cast = make_cast()
    steps = [node("trigger", "trigger", {}), node("a", "note", {"notes": "x"}), node("b", "note", {"notes": "y"})]
    body = {"name": "Steps", "triggerEventType": "contact.created", "nodes": steps}
    id = cast.key.post("/workflow", {**body, "edges": edges("trigger > a", "a > b")}).data["_id"]
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows/{id}")
    form, dialog = page.locator(".flow-side #step-form"), page.locator("#unsaved")
    page.locator(".flow-node[data-id=a]").press("Enter")
    form.locator("[name=label]").fill("First note")
    for leave in ("Escape", "Enter"):
        (form.locator("[name=label]") if leave == "Escape" else page.locator(".flow-node[data-id=b]")).press(leave)
        expect(dialog).to_be_visible()
        dialog.get_by_role("button").first.click()
        expect(dialog).to_be_hidden()
        expect(form.locator("[name=label]")).to_have_value("First note")
    form.locator(".sticky-end button").click()
    expect(page.locator(".flow-side")).to_be_hidden()
    page.locator(".flow-node[data-id=b]").press("Enter")
    expect(form.locator("input[name=node][value=b]")).to_be_attached()
    expect(dialog).to_be_hidden()


@pytest.mark.both_widths
def test_the_panel_covers_no_step_and_a_problem_opens_its_field(page: Page, live_server: Any) -> None:
    cast = make_cast()
    steps = [node("trigger", "trigger", {}), node("a", "wait", {}), node("b", "note", {"notes": ""})]
    body = {"name": "Steps", "triggerEventType": "contact.created", "nodes": steps}
    id = cast.key.post("/workflow", {**body, "edges": edges("trigger > a", "a > b")}).data["_id"]
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows/{id}?view=canvas")
    page.locator("#problems a").last.click()
    expect(page.locator(".flow-side [name='config.notes']")).to_be_focused()
    side = page.locator(".flow-side").bounding_box()
    chosen = page.locator(".flow-node[data-id=b]").bounding_box()
    assert side is not None
    assert chosen is not None
    if (page.viewport_size or {})["width"] > 1000:
        stage = page.locator(".flow-stage").bounding_box()
        assert stage is not None
        assert stage["x"] + stage["width"] <= side["x"] + 1
    else:
        assert chosen["y"] + chosen["height"] <= side["y"] + 1
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".flow-side")).to_be_hidden()
