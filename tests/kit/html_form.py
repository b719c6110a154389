"""Read the form of a page as a browser would send it."""

from __future__ import annotations

from html.parser import HTMLParser


class _Form(HTMLParser):
    def __init__(self, form_id: str) -> None:
        super().__init__()
        self.form_id = form_id
        self.inside = False
        self.sent: dict[str, list[str]] = {}
        self._area: str | None = None
        self._select: str | None = None

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in pairs}
        if tag == "form":
            self.inside = found.get("id") == self.form_id
        if not self.inside:
            return
        name = found.get("name", "")
        if tag == "input" and name and found.get("type") not in ("submit", "button", "file"):
            ticks = found.get("type") in ("checkbox", "radio")
            if not ticks or "checked" in found:
                self.sent.setdefault(name, []).append(found.get("value", "on" if ticks else ""))
        elif tag == "textarea" and name:
            self._area = name
            self.sent[name] = [""]
        elif tag == "select" and name:
            self._select = name
        elif tag == "option" and self._select and "selected" in found:
            self.sent.setdefault(self._select, []).append(found.get("value", ""))

    def handle_data(self, data: str) -> None:
        if self._area:
            self.sent[self._area][0] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._area:
            self.sent[self._area][0] = self.sent[self._area][0].removeprefix("\r").removeprefix("\n")
            self._area = None
        elif tag == "select":
            self._select = None
        elif tag == "form":
            self.inside = False


def form_data(html: str, form_id: str) -> dict[str, list[str]]:
    """Return the names and values that the form of this id would send as it stands."""
    form = _Form(form_id)
    form.feed(html)
    return form.sent
