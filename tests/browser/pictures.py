"""Take the pictures of the documents from a running demo: `make pictures`."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import find_chromium

ADDRESS = os.environ.get("ADDRESS", "http://127.0.0.1:8000")
FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
COLORS = 128
"""Colours of a picture: few, since Git keeps each version of it."""


def open_first(page: Page, pattern: str) -> None:
    """Open the first link of the page's content whose address matches the pattern."""
    addresses = [link.get_attribute("href") or "" for link in page.locator("main a[href]").all()]
    page.goto(next(ADDRESS + address for address in addresses if re.search(pattern, address)))


def open_contact(page: Page) -> None:
    open_first(page, r"/contacts/[0-9a-f]{24}$")


def open_review(page: Page) -> None:
    open_first(page, r"/outreach/[0-9a-f]{24}$")
    page.get_by_role("link", name=re.compile("^Review")).first.click()


def open_canvas(page: Page) -> None:
    page.get_by_role("link", name="Reply to new leads").first.click()
    page.wait_for_load_state("networkidle")


def open_campaign(page: Page) -> None:
    page.get_by_role("link", name="Autumn roast").first.click()


def stay(page: Page) -> None:
    """Keep the page that the address has opened."""


PICTURES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "leads": ("leads?view=board", stay),
    "contact": ("contacts", open_contact),
    "review": ("outreach?f=phase:in:awaiting_approval", open_review),
    "workflow": ("workflows", open_canvas),
    "campaign": ("campaigns", open_campaign),
    "report": ("reports?reportType=contacts&range=last90", stay),
}
"""The place below the company's address, and what leads from there to the picture, by file."""


def log_in(page: Page) -> str:
    """Log in as the demo's owner and return the company's address."""
    page.goto(f"{ADDRESS}/login")
    page.locator(".people button").first.click()
    page.wait_for_url("**/c/*/**")
    return page.url[: page.url.index("/", page.url.index("/c/") + 3)]


def save_picture(page: Page, name: str) -> None:
    """Write the picture of what the page shows."""
    page.wait_for_load_state("networkidle")
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def main() -> None:
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("There is no browser: install Chromium, or name one with CHROMIUM=/path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.path, args=chromium.arguments, env={**os.environ, **chromium.environment}
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        company = log_in(page)
        for name, (place, lead) in PICTURES.items():
            page.goto(f"{company}/{place}")
            lead(page)
            save_picture(page, name)


if __name__ == "__main__":
    main()
