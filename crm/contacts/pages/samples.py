"""The page that adds sample people to a new company, and removes them."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext, ngettext

from core.samples import DOMAIN
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.pages import Page
from core.web.shortcuts import Shortcut, register_shortcut
from crm.contacts.pages.base import ContactPage

TAG = "Sample"
COUNTRY_CODE, FIRST_NUMBER = "+44", 7_700_900_100
"""The first of the numbers that Ofcom keeps for films."""
NAMES = (
    "Amara Okafor", "Ben Carter", "Chloe Dubois", "Daniel Weiss", "Elena Rossi", "Farid Haddad", "Grace Kim",
    "Hugo Lindqvist", "Isla Murray", "Jonas Becker", "Katya Ivanova", "Liam Walsh", "Maya Patel", "Noah Jansen",
    "Olivia Santos", "Priya Nair", "Quentin Moreau", "Rosa Delgado", "Samuel Osei", "Tara Novak",
)  # fmt: skip
ADDRESSES: JsonObject = {
    "operator": "and",
    "conditions": [{"field": "email", "operator": "endsWith", "value": f"@{DOMAIN}"}],
}
"""The filter that finds sample people, whatever tags they have by now."""


def sample_people() -> list[JsonObject]:
    """Return the sample people, as POST /contact/bulk takes contacts."""
    return [
        {
            "name": name,
            "email": f"{name.lower().replace(' ', '.')}@{DOMAIN}",
            "countryCode": COUNTRY_CODE,
            "number": str(FIRST_NUMBER + place),
        }
        for place, name in enumerate(NAMES)
    ]


def has_samples(page: Page) -> bool:
    """Return whether there are sample people, as far as the reader may see."""
    answer = page.ask("GET", "contact", {"p": "1", "n": "1", "fields": "name", "advancedFilters": ADDRESSES})
    return answer.ok and bool(answer.data)


class SamplePeople(ContactPage):
    path = "contacts/samples"
    name = "contact-samples"
    title = gettext_lazy("Sample people")
    template = "web/contacts/samples.html"

    def show(self) -> Values:
        return {"count": len(NAMES), "domain": DOMAIN, "tag": TAG, "has_samples": has_samples(self)}

    @property
    def _next_address(self) -> str:
        """The page that comes next: home for its first steps, else the contacts."""
        return self.address("home" if self.request.POST.get("back") == "home" else "contacts")

    def do_add(self) -> HttpResponse:
        tag = self._tag()
        body = {"formData": sample_people(), "automation": "skip", **({"tags": [tag]} if tag else {})}
        answer = self.ask("POST", "contact/bulk", None, body)
        if not answer.ok:
            return self.refuse(answer, self._next_address)
        created = len(NAMES) - len(answer.data["failed"])
        if not created:
            return self.fail(answer.data["failed"][0]["message"], self._next_address)
        text = ngettext("%(count)s sample person added", "%(count)s sample people added", created)
        undo = {"address": self.address(), "do": "remove", "back": self.request.POST.get("back", "")}
        self.add_toast(text % {"count": created}, back=undo if self.may("contact", "DELETE") else None)
        return self.redirect_with_toast(to=self._next_address)

    def do_remove(self) -> HttpResponse:
        answer = self.ask("DELETE", "contact", {"advancedFilters": ADDRESSES}, {"selectAll": True})
        if not answer.ok:
            return self.refuse(answer, self._next_address)
        return self.redirect_with_toast(gettext("Sample people removed"), self._next_address, undo=answer.job)

    def _tag(self) -> str:
        """Return the id of the tag of sample people, or an empty text if the reader may not create it."""
        found = self.ask("GET", "tag", {"p": "1", "n": "1", "filters": {"name": TAG}}) if self.may("tag") else None
        if found is not None and found.ok and found.data:
            return str(found.data[0]["_id"])
        created = self.ask("POST", "tag", None, {"name": TAG}) if self.may("tag", "POST") else None
        return str(created.data["_id"]) if created is not None and created.ok else ""


register_shortcut(
    Shortcut("contacts", gettext_lazy("Add 20 sample people"), "contact-samples", "add", "contact", "POST")
)
register_shortcut(
    Shortcut(
        "contacts",
        gettext_lazy("Remove sample people"),
        "contact-samples",
        "remove",
        "contact",
        "DELETE",
        after=True,
        is_offered=has_samples,
    )
)
