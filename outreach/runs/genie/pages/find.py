"""The pages of a run that finds its recipients itself: the form, with its cost."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option, options_of
from core.web.words.cures import remedy_key, remedy_text
from outreach.runs.genie.pages.base import TRACKED, OutreachPage
from outreach.runs.genie.pages.new import TONES

WHO = ("prompt", "industry", "count", "customWhitelistedDomains", "enrichmentEnabled")
WHAT = ("outreachPrompt", "tone", "userEnquiryEnabled", "name")
HOW = ("senders", "campaign", *TRACKED, "draft")
USUAL = 25


class FindPeople(OutreachPage):
    """The form of a run that finds its recipients. FindCost shows the cost next to it."""

    path = "outreach/find"
    name = "outreach-find"
    title = gettext_lazy("Find new people")
    action = gettext_lazy("Find new people")
    template = "web/outreach/find.html"

    def show(self) -> Values:
        return self.context(self.form() if self.may("genie", "POST") else None)

    def context(self, form: Form | None) -> JsonObject:
        if form is None:
            return {"form": None}
        fields = {field.name: field for field in form}
        groups = {"who": WHO, "what": WHAT, "how": HOW}
        parts = {part: [fields[name] for name in names if name in fields] for part, names in groups.items()}
        labels = [source.label for source in self.connected_apps("lead-source", {"isActive": True}, "name")]
        sources = ", ".join(map(str, labels)) if self.may("contact", "POST") else ""
        return {"form": form, **parts, "senders": "senders" in fields, "sources": sources}

    def form(self) -> Form:
        """Make the form; senders are chosen where there are several, enrichment where an app does it."""
        senders = [*self.connected_apps("smtp", {"isActive": True, "verified": True}, "fromEmail"), *self.vendor_apps()]
        enrichers = self.connected_apps("enrich", {"isActive": True}, "name")
        fields = [
            Field(
                "prompt",
                gettext("Who are you looking for, and why?"),
                "textarea",
                required=True,
                placeholder=gettext("Marketing managers in Berlin, to invite them to our open day"),
                help_text=gettext("Describe jobs, places or industries. Contacts without a lead come first."),
            ),
            Field("industry", gettext("Industry"), help_text=gettext("Weighted twice as much as the description.")),
            Field("count", gettext("How many"), "number", initial=USUAL, help_text=gettext("At most 50.")),
            Field(
                "customWhitelistedDomains",
                gettext("Only these email domains"),
                placeholder=gettext("example.org, example.com"),
                help_text=gettext("Separate with commas. Leave empty for any."),
            ),
            Field(
                "outreachPrompt",
                gettext("Message topic"),
                "textarea",
                placeholder=gettext("Invite them to our open day on Tuesday"),
                help_text=gettext("Leave empty to use the description above."),
            ),
            Field("tone", gettext("Tone"), "select", options=options_of(TONES[1:]), placeholder=TONES[0][1]),
            Field("userEnquiryEnabled", gettext("Allow questions in messages"), "switch", initial=True),
            Field("name", gettext("Outreach name"), help_text=gettext("Only your team sees this.")),
            Field(
                "campaign",
                gettext("Mark as bulk email"),
                "switch",
                help_text=gettext("Helps to skip automatic replies, such as out-of-office notices."),
            ),
            Field(
                "draft",
                gettext("Before sending"),
                "radio",
                options=[
                    Option("hold", gettext("Review drafts first")),
                    Option("send", gettext("Send without review")),
                ],
                initial="hold",
            ),
        ]
        fields += self.tracking()
        if enrichers:
            ask = gettext("Get missing data from %(label)s first") % {"label": enrichers[0].label}
            fields.append(
                Field(
                    "enrichmentEnabled",
                    ask,
                    "switch",
                    help_text=gettext("You review suggestions before contacts change."),
                )
            )
        if len(senders) > 1:
            fields.append(
                Field(
                    "senders",
                    gettext("From"),
                    "checks",
                    options=senders,
                    initial=[],
                    help_text=gettext("Messages use the oldest chosen sender."),
                )
            )
        return Form(fields=fields)

    def connected_apps(self, kind: str, filters: Values, label: str) -> list[Option]:
        """Return the connected apps of a kind, or none if the reader may not see them."""
        if not self.may("apps"):
            return []
        query = {"p": "1", "n": "50", "sortBy": "createdAt", "sortOrder": "asc", "filters": filters}
        answer = self.ask("GET", f"apps/{kind}", query)
        return [Option(app["_id"], app[label]) for app in answer.data or []] if answer.ok else []

    def vendor_apps(self) -> list[Option]:
        """Return the mail vendors' apps that work, each under its app, or none if the reader may not see them."""
        answer = self.ask("GET", "mail-vendors") if self.may("apps") else None
        apps = answer.data["apps"] if answer is not None and answer.ok else []
        return [
            Option(
                f"{app['app']}/{app['_id']}",
                gettext("%(email)s by %(vendor)s") % {"email": app["fromEmail"], "vendor": app["vendorName"]},
            )
            for app in apps
            if app["isActive"] and app["verified"]
        ]

    def body(self, form: Form) -> JsonObject:
        """Return the input in the API's form."""
        values = {name: value for name, value in form.values.items() if value not in ("", None, [])}
        domains = [domain for domain in re.split(r"[\s,;]+", values.pop("customWhitelistedDomains", "")) if domain]
        senders = values.pop("senders", [])
        return {
            **values,
            "draft": values.get("draft") != "send",
            **({"whitelistedCustom": True, "customWhitelistedDomains": domains} if domains else {}),
            **channels_of(senders),
        }

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", "genie", None, self.body(form))
        if answer.ok:
            return self.redirect_with_toast(
                gettext("Searching for people"), self.address("outreach-run", answer.data["_id"])
            )
        form.refuse(answer)
        return self.page(self.context(form), status=422)


def channels_of(chosen: Sequence[str]) -> JsonObject:
    """Return the choice of senders as the API takes it: those of SMTP by their ids, others as <app>/<id>."""
    channels: dict[str, list[str]] = {}
    for sender in chosen:
        app, _, id = sender.rpartition("/")
        channels.setdefault(app or "smtp", []).append(id)
    return {"customChannelSelection": True, "customChannels": channels} if channels else {}


class FindCost(FindPeople):
    """The cost of a run: a part of its form, and without script the form with all of its input."""

    path = "outreach/find/cost"
    name = "outreach-find-cost"
    title = gettext_lazy("Find new people: the cost")
    action = ""

    def do_save(self) -> HttpResponse:
        sent = self.request.POST
        names = ("prompt", "outreachPrompt", "tone")
        texts = {name: sent[name].strip() for name in names if sent.get(name, "").strip()}
        count = sent.get("count", "").strip()
        chosen = sent.getlist("senders")
        answer = self.ask(
            "POST",
            "genie/search-preview",
            None,
            {
                **texts,
                **({"count": number} if (number := whole_number(count)) is not None else {}),
                **channels_of(chosen),
            },
        )
        context: JsonObject = {"preview": answer.data}
        if not answer.ok:
            text = remedy_text(answer) or answer.reason
            context = {"refused": text, "remedy": remedy_key(answer)}
        if "HX-Request" in self.request.headers:
            return self.page(context, template="web/outreach/find_cost.html")
        return self.page({**self.context(self.form().bind(sent)), **context})
