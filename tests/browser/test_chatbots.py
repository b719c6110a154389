"""The journey of a chatbot by keys alone, at both widths: drawn on the canvas, and as a list on a small screen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, press
from tests.browser.test_workflows import log_in, tab_to
from tests.kit.cast import Cast, make_cast

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


class Canvas:
    """What keys do on the canvas."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def add(self, words: str, type: str, after: str) -> None:
        expect(self.page.locator(f".flow-node[data-id={after}]")).to_be_focused()
        self.page.keyboard.press("a")
        expect(self.page.locator("#flow-palette input")).to_be_focused()
        self.page.keyboard.type(words)
        self.page.keyboard.press("Enter")
        expect(self.page.locator(f".flow-side input[name=add][value={type}]")).to_be_attached()

    def saved(self, id: str) -> None:
        expect(self.page.locator(".flow-side")).to_be_hidden()
        expect(self.page.locator(f".flow-node[data-id={id}]")).to_be_focused()

    def edit(self, id: str) -> None:
        tab_to(self.page, f".flow-node[data-id={id}]")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(f".flow-side input[name=node][value={id}]")).to_be_attached()

    def has_problem(self, id: str, words: str) -> None:
        expect(self.page.locator(f".flow-node.wrong[data-id={id}]")).to_contain_text(words)


class Outline:
    """The same by the nested list."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def add(self, words: str, type: str, after: str) -> None:
        tab_to(self.page, f"[popovertarget=menu-{after}]")
        self.page.keyboard.press("Enter")
        tab_to(self.page, f"#menu-{after} a[href*='/add?']")
        self.page.keyboard.press("Enter")
        tab_to(self.page, f"button[name=type][value={type}]")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(f"#step-form input[name=add][value={type}]")).to_be_attached()

    def saved(self, id: str) -> None:
        expect(self.page.locator(f"#step-{id}")).to_be_visible()

    def edit(self, id: str) -> None:
        tab_to(self.page, f"#step-{id} a.name")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(f"#step-form input[name=node][value={id}]")).to_be_attached()

    def has_problem(self, id: str, words: str) -> None:
        expect(self.page.locator(f"#step-{id}.wrong")).to_contain_text(words)


def fill(page: Page, name: str, words: str) -> None:
    tab_to(page, f"#step-form [name='{name}']")
    page.keyboard.press("Control+a")
    page.keyboard.type(words)


def save(page: Page) -> None:
    tab_to(page, "#step-form .sticky-end button")
    page.keyboard.press("Enter")


@pytest.mark.both_widths
def test_a_bot_is_drawn_mended_published_and_tried_by_keys(page: Page, live_server: Any) -> None:
    cast = make_cast()
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/chatbots")
    press(page, "c")
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type("Porter")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Porter")).to_be_visible()
    wide = (page.viewport_size or {})["width"] > 760
    drawn = Canvas(page) if wide else Outline(page)

    drawn.has_problem("start", "Add a text")
    press(page, "p")
    expect(page.get_by_text("The chatbot can't be published yet. Add a text")).to_be_visible()

    if wide:
        tab_to(page, ".flow-node[data-id=start]")
    drawn.add("Text", "text", "start")
    fill(page, "config.text", " ")
    save(page)
    wrong = page.locator("#step-form [name='config.text']")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    fill(page, "config.text", "Beans or machines?")
    save(page)
    drawn.saved("text-1")
    expect(page.locator("#problems li")).to_have_count(0)
    drawn.add("Text", "text", "text-1")
    fill(page, "config.text", "Thank you.")
    save(page)
    drawn.saved("text-2")
    drawn.add("Keywords", "keywords", "text-2")
    fill(page, "config.words", "coffee")
    fill(page, "config.weight", "3")
    save(page)
    drawn.saved("keywords-1")
    drawn.add("Number", "message_count", "keywords-1")
    fill(page, "config.messageCount", "9")
    save(page)
    drawn.has_problem("rule-1", "Never reached")
    if wide:  # it stays open, with what is wrong at its field
        expect(page.locator(".flow-side input[name=node][value=rule-1]")).to_be_attached()
    else:
        drawn.edit("rule-1")
    expect(page.locator("#step-form [name='config.messageCount']")).to_have_attribute("aria-invalid", "true")
    fill(page, "config.messageCount", "2")
    save(page)
    drawn.saved("rule-1")
    expect(page.locator("#problems li")).to_have_count(0)

    press(page, "p")
    expect(page.get_by_text("Connect it to a website chat")).to_be_visible()
    expect(page.locator("#flow-status")).to_have_text("Live")

    tab_to(page, "a[href$='/test']")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Test messages")).to_be_visible()
    tab_to(page, "#step-form [name=said]")
    page.keyboard.type("Hello\nMachines")
    tab_to(page, "#step-form button[value=try]")
    page.keyboard.press("Enter")
    expect(page.locator(".talk .ours").first).to_contain_text("Beans or machines?")
    expect(page.locator(".talk .why").last).to_contain_text("Text 2 answers, Number of messages applies")
    if wide:
        for id in ("text-1", "text-2", "rule-1", "end"):
            expect(page.locator(f".flow-node.answered[data-id={id}]")).to_be_visible()
        expect(page.locator(".flow-node.answered[data-id=keywords-1]")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = cast.key.get("/manual-chatbot").data[0]
    assert found["keywords"] == [{"keyword": "coffee", "weight": 3, "rank": 0}]
    assert [one["messageCount"] for one in found["handover"]["rules"]] == [2]


def drawn_bot(page: Page, *texts: str) -> tuple[Cast, str]:
    """Open a chatbot with some texts. Returns the cast and its path in the API."""
    cast = make_cast()
    body = {"name": "Porter", "conversations": [{"text": text, "order": place} for place, text in enumerate(texts)]}
    id = cast.key.post("/manual-chatbot", body).data["_id"]
    log_in(page, cast)
    page.goto(f"/c/{cast.company.pk}/chatbots/{id}")
    return cast, f"/manual-chatbot/{id}"


@pytest.mark.both_widths
def test_texts_are_moved_undone_and_not_overwritten(page: Page, live_server: Any) -> None:
    if (page.viewport_size or {})["width"] < 760:
        pytest.skip("the canvas of a small screen has no other code")
    cast, path = drawn_bot(page, "One", "Two", "Three")

    def saved(*wanted: str) -> None:
        expect(page.locator("#flow-state")).to_have_text("Saved")
        assert [one["text"] for one in cast.key.get(path).data["conversations"]] == list(wanted)

    tab_to(page, ".flow-node[data-id=text-3]")
    page.keyboard.press("Shift+ArrowUp")
    expect(page.locator(".flow-node[data-id=text-2]")).to_be_focused()
    saved("One", "Three", "Two")
    page.keyboard.press("Delete")
    expect(page.locator(".flow-node[data-id=text-3]")).to_have_count(0)
    saved("One", "Two")
    page.keyboard.press("Control+z")
    expect(page.locator(".flow-node[data-id=text-3]")).to_be_visible()
    saved("One", "Three", "Two")
    page.keyboard.press("Control+z")
    expect(page.locator(".flow-node[data-id=text-2]")).to_contain_text("Two")
    saved("One", "Two", "Three")
    page.keyboard.press("Control+Shift+Z")
    expect(page.locator(".flow-node[data-id=text-2]")).to_contain_text("Three")
    saved("One", "Three", "Two")
    page.locator(".flow-node[data-id=end]").focus()
    page.keyboard.press("Delete")
    expect(page.locator("#flow-state")).to_have_text("You can't remove “Handover”.")

    first, last = (page.locator(f".flow-node[data-id=text-{number}]").bounding_box() for number in (1, 3))
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 40, first["y"] + 20)
    page.mouse.down()
    page.mouse.move(last["x"] + 45, last["y"] + 25, steps=8)
    page.mouse.up()
    expect(page.locator(".flow-node[data-id=text-3]")).to_contain_text("One")
    saved("Three", "Two", "One")

    palette = page.locator("#flow-palette")
    page.locator(".flow-port[data-node=text-3]").click()
    expect(palette).to_be_visible()
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
    port = page.locator(".flow-port[data-node=text-3]").bounding_box()
    assert port is not None
    page.mouse.move(port["x"] + 8, port["y"] + 8)
    page.mouse.down()
    page.mouse.move(port["x"] + 300, port["y"] + 8, steps=8)
    page.mouse.up()
    expect(palette).to_be_visible()
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()

    assert cast.key.put(path, {"description": "Theirs"}).status == 200
    page.locator(".flow-node[data-id=text-1]").focus()
    page.keyboard.press("Shift+ArrowDown")
    expect(page.get_by_role("dialog")).to_contain_text("Someone else has saved changes")
    page.get_by_role("button", name="Overwrite with mine").click()
    saved("Two", "Three", "One")
    # The text moved, and what they wrote is what the canvas had: it is its own graph that was saved over theirs.
    assert cast.key.get(path).data["description"] == ""


@pytest.mark.parametrize("width", [1280, 390])
def test_without_script_a_text_is_added_by_the_list(browser: Browser, live_server: Any, width: int) -> None:
    context = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, viewport={"width": width, "height": 640}
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    cast, path = drawn_bot(page, "One")
    page.locator(".outline .end a").first.click()
    page.locator("button[name=type][value=text]").click()
    page.locator("[name='config.text']").fill("Before it")
    page.get_by_role("button", name="Save").last.click()
    expect(page.locator("#step-text-1")).to_contain_text("Before it")
    page.get_by_role("link", name="Try it").click()
    page.locator("[name=said]").fill("Hello")
    page.get_by_role("button", name="Try it").click()
    expect(page.locator(".talk")).to_contain_text("Text 1 answers")
    context.close()
    assert [one["text"] for one in cast.key.get(path).data["conversations"]] == ["Before it", "One"]
