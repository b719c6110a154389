"""The journey of a workflow by keys alone, at both widths: drawn on the canvas, and as a list on a small screen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from core.errors import NamedError
from tests.browser.conftest import PATIENCE, press
from tests.kit.cast import Cast, make_cast
from tests.web.helpers import PASSWORD
from tests.workflows.helpers import contact, edges, node, published, runs, work
from workflows.models import RunTimer
from workflows.nodes import team

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
MAX_TABS = 150


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is on what the selector finds."""
    expect(page.locator(selector).first).to_be_attached()
    for _ in range(MAX_TABS):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")


def log_in(page: Page, cast: Cast) -> None:
    page.goto("/")
    page.get_by_label("Email address").fill(cast.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


def begin(page: Page, name: str) -> None:
    """Add a workflow that new leads start."""
    press(page, "c")
    expect(page.get_by_role("heading", name="New workflow")).to_be_visible()
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type(name)
    tab_to(page, "#f-triggerEventType")
    page.keyboard.type("A lead is created")
    tab_to(page, "button[value=save]")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=name)).to_be_visible()


class Canvas:
    """The keys of the canvas."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.form = page.locator(".flow-side #step-form")

    def start(self) -> None:
        tab_to(self.page, ".flow-node[data-id=trigger]")

    def add(self, words: str, id: str, after: str) -> None:
        expect(self.page.locator(f".flow-node[data-id={after}]")).to_be_focused()
        self.page.keyboard.press("a")
        expect(self.page.locator("#flow-palette input")).to_be_focused()
        self.page.keyboard.type(words)
        self.page.keyboard.press("Enter")
        expect(self.form.locator(f"input[name=node][value={id}]")).to_be_attached()

    def save(self, id: str) -> None:
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".flow-side")).to_be_hidden()
        expect(self.page.locator(f".flow-node[data-id={id}]")).to_be_focused()

    def counts(self, id: str) -> Any:
        return self.page.locator(f".flow-node[data-id={id}] .counts")


class Outline:
    """The same by the nested list."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.form = page.locator("#step-form")

    def start(self) -> None:
        expect(self.page.locator("#step-trigger")).to_be_visible()

    def add(self, words: str, id: str, after: str) -> None:
        tab_to(self.page, f".outline .end a[href*='at={after}%2F']")
        self.page.keyboard.press("Enter")
        type = id.partition("-")[0]
        tab_to(self.page, f"button[name=type][value={type}]")
        self.page.keyboard.press("Enter")
        expect(self.form.locator(f"input[name=node][value={id}]")).to_be_attached()

    def save(self, id: str) -> None:
        self.page.keyboard.press("Enter")
        expect(self.page.locator(f"#step-{id}")).to_be_visible()

    def counts(self, id: str) -> Any:
        return self.page.locator(f"#step-{id} .counts")


@pytest.mark.both_widths
def test_a_workflow_is_drawn_published_and_mended_by_keys(
    page: Page, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast = make_cast()
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows")
    begin(page, "Look after leads")
    width = (page.viewport_size or {})["width"]
    drawn = Canvas(page) if width > 760 else Outline(page)
    drawn.start()

    drawn.add("Condition", "condition-1", "trigger")
    tab_to(page, "[popovertarget=filter-menu]")
    page.keyboard.press("Enter")
    tab_to(page, "#filter-menu details:has(input[name='value-contact.name']) > summary")
    page.keyboard.press("Enter")
    tab_to(page, "input[name='value-contact.name']")
    page.keyboard.type("Ann")
    page.keyboard.press("Enter")
    if width > 760:
        expect(page.locator(".flow-node[data-id=condition-1]")).to_be_focused()
    else:
        expect(drawn.form.get_by_text("Ann")).to_be_visible()
        tab_to(page, "#step-form input[name=label]")
        drawn.save("condition-1")

    drawn.add("Note", "note-1", "condition-1")
    tab_to(page, "#step-form [name='config.notes']")
    page.keyboard.type("Say hello to {{ contact.name }}")
    tab_to(page, "#step-form select[name='config.panel']")
    page.keyboard.type("Lead")
    tab_to(page, "#step-form .sticky-end button")
    drawn.save("note-1")

    drawn.add("Wait", "wait-1", "note-1")
    tab_to(page, "#step-form [name='config.for.amount']")
    page.keyboard.type("2")
    drawn.save("wait-1")

    drawn.add("Follow", "followUp-1", "wait-1")
    tab_to(page, "#step-form [name='config.title']")
    page.keyboard.type("Call {{ contact.name }}")
    drawn.save("followUp-1")

    press(page, "p")
    expect(page.locator("#flow-status")).to_have_text("Published")

    person = contact(cast)
    expect(page.locator("nav[aria-label=Main] a[aria-current]")).to_have_attribute(
        "href", f"/c/{cast.company.pk}/workflows"
    )
    made = cast.key.post("/lead", {"contact": person, "formData": {}})
    assert made.status in (200, 201), made.body
    work()
    expect(drawn.counts("wait-1")).to_contain_text("1 waiting")

    def refuse(**_: Any) -> None:
        raise NamedError("InvalidInput_400", "nobody may call today", field="title")

    with monkeypatch.context() as broken:
        broken.setattr(team, "create_follow_up", refuse)
        with cast.scope():
            RunTimer.objects.update(due_at="2020-01-01T00:00:00Z")
        work()
        expect(drawn.counts("followUp-1")).to_contain_text("1 failed")

    tab_to(page, ".tabs a[href$='/runs']")
    page.keyboard.press("Enter")
    tab_to(page, "tbody .name")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("nobody may call today")
    tab_to(page, ".run-steps .failed button[value=retry]")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Restarted from that step")).to_be_visible()
    work()
    expect(page.locator(".job-head .badge")).to_have_text("Completed")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.both_widths
def test_what_was_drawn_is_undone_redone_and_not_overwritten(page: Page, live_server: Any) -> None:
    if (page.viewport_size or {})["width"] < 760:
        pytest.skip("the canvas of a small screen has no other code")
    cast = make_cast()
    id = cast.key.post("/workflow", {"name": "Drawn", "triggerEventType": "contact.created"}).data["_id"]
    nodes = [
        {"id": "trigger", "type": "trigger", "position": {"x": 0, "y": 0}},
        {"id": "note", "type": "note", "position": {"x": 0, "y": 140}, "data": {"config": {"notes": "Hi"}}},
        {"id": "stop", "type": "stop", "position": {"x": 300, "y": 140}},
    ]
    edges = [{"id": "a", "source": "trigger", "target": "note"}]
    cast.key.put(f"/workflow/{id}", {"nodes": nodes, "edges": edges})
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows/{id}")

    def now() -> tuple[set[str], set[tuple[str, str]]]:
        found = cast.key.get(f"/workflow/{id}").data
        return {one["id"] for one in found["nodes"]}, {(one["source"], one["target"]) for one in found["edges"]}

    tab_to(page, ".flow-node[data-id=note]")
    page.keyboard.press("c")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#flow-state")).to_have_text("Saved")
    assert now()[1] == {("trigger", "note"), ("note", "stop")}
    page.locator(".flow-node[data-id=note]").focus()
    page.keyboard.press("Delete")
    expect(page.locator(".flow-node")).to_have_count(2)
    expect(page.locator("#flow-state")).to_have_text("Saved")
    assert now() == ({"trigger", "stop"}, {("trigger", "stop")})
    page.keyboard.press("Control+z")
    expect(page.locator(".flow-node")).to_have_count(3)
    page.keyboard.press("Control+Shift+Z")
    expect(page.locator(".flow-node")).to_have_count(2)
    page.keyboard.press("Control+z")
    expect(page.locator("#flow-state")).to_have_text("Saved")
    assert now() == ({"trigger", "note", "stop"}, {("trigger", "note"), ("note", "stop")})

    box = page.locator(".flow-node[data-id=stop]").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 120, steps=5)
    page.mouse.up()
    expect(page.locator("#flow-state")).to_have_text("Saved")
    place = next(one["position"] for one in cast.key.get(f"/workflow/{id}").data["nodes"] if one["id"] == "stop")
    assert (place["x"] > 310, place["y"] > 200) == (True, True)

    assert cast.key.put(f"/workflow/{id}", {"name": "Theirs"}).status == 200
    page.locator(".flow-node[data-id=stop]").focus()
    page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_role("dialog")).to_contain_text("Someone else has saved changes")
    page.get_by_role("button", name="Overwrite with mine").click()
    expect(page.locator("#flow-state")).to_have_text("Saved")
    assert cast.key.get(f"/workflow/{id}").data["name"] == "Theirs"


def test_who_is_asked_answers_by_keys(page: Page, live_server: Any) -> None:
    cast = make_cast()
    nodes = [
        node("ask", "approval", {"text": "Write to {{ contact.name }}?", "members": [cast.owner.pk]}),
        node("end", "set", {"values": {"way": "approved"}}),
    ]
    id = published(cast, nodes, edges("ask:approved > end"))
    contact(cast)
    work()
    log_in(page, cast)
    tab_to(page, "section[aria-labelledby=waits] a[href$='/workflow-approvals']")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Write to Ann Example?")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab_to(page, "textarea[name=comment]")
    page.keyboard.type("Go ahead")
    tab_to(page, "button[value=approve]")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Approved", exact=True).first).to_be_visible()
    expect(page.get_by_text("No approvals for you")).to_be_visible()
    work()
    assert [run.state["vars"] for run in runs(cast, id)] == [{"way": "approved"}]


@pytest.mark.parametrize("width", [1280, 390])
def test_without_script_a_step_is_added_by_the_list(browser: Browser, live_server: Any, width: int) -> None:
    cast = make_cast()
    id = cast.key.post("/workflow", {"name": "Plain", "triggerEventType": "contact.created"}).data["_id"]
    context = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, viewport={"width": width, "height": 640}
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/workflows/{id}")
    for box in ("#flow-clash", "#flow-keys", "#flow-palette"):
        expect(page.locator(box)).to_be_hidden()
    add, remove = page.locator(".outline .end a"), page.locator("#remove").get_by_role("button", name="Delete")
    above, below = add.bounding_box(), remove.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]
    add.click()
    page.locator("button[name=type][value=note]").click()
    expect(page.get_by_role("heading", name="Note", exact=True)).to_be_visible()
    context.close()
    assert [one["type"] for one in cast.key.get(f"/workflow/{id}").data["nodes"]] == ["trigger", "note"]
