"""The page of a webhook's filter for records."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice, filter_changes, filter_display_check, flatten_tree
from core.web.forms import Form
from core.web.forms.record_forms import BESIDE, PLAIN, fields_query, record_choices
from core.web.lists import MATCH, ListState
from core.web.navigation.places import WEBHOOKS_MENU
from core.web.pages import Page
from core.web.words.filter_words import filter_text

WHOLE = gettext_lazy("This filter was set through the API. Change it there.")


def panel_of(kinds: list[str]) -> str:
    """Return the kind of records that all of the events are about; "" where a filter cannot be chosen."""
    panels = {kind.partition(".")[0] for kind in kinds}
    return panels.pop() if len(panels) == 1 and panels <= set(PLAIN) else ""


def definitions(page: Page, panel: str) -> list[Values]:
    """Return the fields that people filter by, or none if the reader may not see them."""
    answer = page.ask("GET", "custom-field", fields_query(panel)) if page.may("custom-field") else None
    return (
        [definition for definition in answer.data if not definition["hide"]] if answer is not None and answer.ok else []
    )


def told_filter(page: Page, webhook: Values) -> JsonObject:
    """Return the texts about a webhook's filter: its rules, and the address to change them."""
    panel = panel_of(webhook["kinds"])
    tree = webhook["filter"]
    if not panel:
        return {"rules": [WHOLE] if tree else [], "change": ""}
    fields = definitions(page, panel)
    choices = {entry.name: entry for entry in record_choices(panel, fields)}
    names = {entry.name: entry.label for entry in (*PLAIN[panel], *BESIDE[panel])}
    names |= {entry["uniqueFieldID"]: str(entry["name"]) for entry in fields}
    flat_filter = flatten_tree(tree, filter_display_check(choices), page.zone_name) if tree else ([], "", [])
    texts, match, rest = flat_filter
    query: JsonObject = {"f": texts, **({MATCH: match} if match else {})}
    conditions = [tree] if tree else []
    if tree and tree.get("operator") == "and":
        conditions = tree["conditions"]
    return {
        "rules": [filter_text(entry, names, {}, choices, page.reader.formats) for entry in conditions],
        "change": "" if rest else page.address("webhook-filter", webhook["_id"], **query),
        "hint": WHOLE if rest else "",
    }


class WebhookFilter(Page):
    """A webhook's filter for records: the filters in the address, and those that the form adds or removes."""

    path = "settings/webhooks/<str:id>/filter"
    name = "webhook-filter"
    title = gettext_lazy("Filter")
    template = "web/webhooks/filter.html"
    module = "api"
    menu = WEBHOOKS_MENU

    @property
    def resource(self) -> str:
        return f"webhook/{self.params['id']}"

    @cached_property
    def webhook(self) -> Values:
        record: Values = self.read(self.resource).data
        return record

    @cached_property
    def choices(self) -> list[Choice]:
        panel = panel_of(self.webhook["kinds"])
        return record_choices(panel, definitions(self, panel)) if panel else []

    @cached_property
    def state(self) -> ListState:
        choices = {choice.name: choice for choice in self.choices}
        return ListState.changed(self.request.GET, self.request.POST, choices, self.zone_name)

    def show(self) -> Values:
        may = self.may(self.module, "PUT") and self.choices
        return {
            "webhook": self.webhook,
            "state": self.state,
            "choices": self.choices,
            "here": self.request.path + self.state.link(),
            "back": self.address("webhook", self.params["id"]),
            "form": Form(fields=[]) if may else None,
        }

    def do_save(self) -> HttpResponse:
        changed = filter_changes(self.request.POST, (choice.name for choice in self.choices))
        if any(changed) or MATCH in self.request.POST:
            return self.page(self.show())
        tree = self.state.selection().get("advancedFilters") or {}
        answer = self.ask("PUT", self.resource, None, {"filter": tree})
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(_("Webhook saved"), self.address("webhook", self.params["id"]))
