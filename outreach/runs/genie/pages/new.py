"""The pages of a new run: the form, with its audience."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext

from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import Field, Form, Option, options_of
from core.web.words.cures import remedy_key, remedy_text
from outreach.runs.genie.pages import steps
from outreach.runs.genie.pages.base import TRACKED, OutreachPage
from outreach.runs.genie.pages.highlights import highlight_text

SELECTORS = (
    ("tags", gettext_lazy("Tags"), "tag", "tag"),
    ("segments", gettext_lazy("Segments"), "segment", "segment"),
    ("categories", gettext_lazy("Categories"), "contact-category", "contact-category"),
)
"""Selector -> label, path and module of its records."""
WHO = ("contactIds", *(name for name, *_ in SELECTORS))
HOW = ("smtp", "draft", *TRACKED, "intervalMs")
CAPS = ("tokenCap", "costCap")
CAP_HELP = gettext_lazy("For AI models. Leave empty to use the company's limit.")
FOUND = 10
MAX_PICKED = 100
"""Single people in one run of the page; an address holds no more ids."""
TONES = (
    ("", gettext_lazy("Neutral")),
    ("friendly", gettext_lazy("Friendly")),
    ("formal", gettext_lazy("Formal")),
    ("direct", gettext_lazy("Direct")),
    ("enthusiastic", gettext_lazy("Upbeat")),
)
EXCLUDED = {
    "unsubscribed": "unsubscribed",
    "address_suppressed": gettext_lazy("on the suppression list"),
    "no_valid_address": gettext_lazy("without a valid address"),
}
"""Reason -> the text about the number of contacts."""
BY_NAME = {"p": "1", "n": "200", "sortBy": "name", "sortOrder": "asc", "fields": "name"}
SAMPLES = 3
SAMPLED = ("prompt", "tone", "language", "smtp")


def from_label(sender: Values) -> str:
    """Return the label of a sender in a choice; one that its guardrail has stopped is marked."""
    stopped = " (stopped)" if sender["stoppedAt"] else ""
    return f"{sender['fromName']} <{sender['fromEmail']}>{stopped}"


class NewRun(OutreachPage):
    """The form of a new run. RunAudience counts the recipients next to it."""

    path = "outreach/new"
    name = "outreach-new"
    title = gettext_lazy("New outreach")
    action = gettext_lazy("Start outreach")
    template = "web/outreach/new.html"

    def show(self) -> Values:
        form = self.form() if self.may("genie", "POST") else None
        if form is not None:
            chosen = {name: self.request.GET.getlist(name) for name in WHO}
            for field in form:
                field.replace(chosen.get(field.name) or field.value())
        return self.context(form)

    def context(self, form: Form | None) -> JsonObject:
        if form is None:
            return {"form": None}
        by_name = {field.name: field for field in form}
        who = [by_name[name] for name, *_ in SELECTORS if name in by_name]
        return {
            "form": form,
            "who": who,
            "picked": by_name["contactIds"].value(),
            "what": [by_name["prompt"], by_name["tone"], by_name["language"], by_name["name"]],
            "how": [by_name[name] for name in HOW if name in by_name],
            "steps": steps.group_follow_up_fields(form, steps.count_of(self.request.POST)),
            "most_steps": steps.MAX_STEPS,
            "limits": [by_name[name] for name in CAPS],
            "limited": any(by_name[name].value() or by_name[name].errors for name in CAPS),
            "senders": by_name["smtp"].options,
        }

    def form(self) -> Form:
        """Make the form; a kind of selector that the company has none of is left out."""
        fields = []
        for name, label, path, module in SELECTORS:
            query = {**BY_NAME, "filters": {"panel": "contact"}} if name == "segments" else BY_NAME
            answer = self.ask("GET", path, query) if self.may(module) else None
            options = [Option(choice["_id"], choice["name"]) for choice in answer.data] if answer and answer.ok else []
            fields += [Field(name, label, "checks", options=options, initial=[])] if options else []
        return Form(
            fields=[
                Field("contactIds", gettext("Contacts"), "checks", initial=[]),
                *fields,
                Field(
                    "prompt",
                    gettext("Topic"),
                    "textarea",
                    placeholder=gettext("Invite them to our open day on Tuesday"),
                    help_text=gettext(
                        "Describe the offer in one or two sentences. Leave empty to use your company profile."
                    ),
                ),
                Field("tone", gettext("Tone"), "select", options=options_of(TONES[1:]), placeholder=TONES[0][1]),
                Field(
                    "language",
                    gettext("Language"),
                    help_text=gettext("For example German. Leave empty to use the contact's language."),
                ),
                Field("name", gettext("Outreach name"), help_text=gettext("Only your team sees this.")),
                Field(
                    "smtp",
                    gettext("From"),
                    "select",
                    options=self.senders(),
                    placeholder=gettext("First active sender"),
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
                *self.tracking(),
                steps.interval_field(),
                *self.step_fields(),
                *self.caps(),
            ]
        )

    def caps(self) -> list[Field]:
        """Return the fields of its limits."""
        return [
            Field("tokenCap", gettext("Token limit"), "number", help_text=CAP_HELP),
            Field("costCap", gettext("Cost limit"), "number", help_text=CAP_HELP),
        ]

    def step_fields(self) -> list[Field]:
        """Return the fields of the follow-ups that the form has; templates are asked for only if it has any."""
        count = steps.count_of(self.request.POST)
        if not count:
            return []
        mails = self.options_of("template/email", module="template")
        chats = self.options_of("template/chatapp", module="template", filters={"status": "APPROVED"})
        return steps.step_fields(count, mails, chats)

    def senders(self) -> list[Option]:
        """Return the senders that work, or none if the reader may not see them."""
        if not self.may("apps"):
            return []
        answer = self.ask("GET", "mail-vendors")
        working = answer.data["senders"] if answer.ok else []
        return [Option(sender["_id"], from_label(sender)) for sender in working]

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        own = [field for field in form if field.name != "intervalMs" and not field.name.startswith("step")]
        values = {field.name: field.value() for field in own if field.value() not in ("", None, [])}
        body = {**values, **steps.cadence_in(self.request.POST), "draft": values.get("draft") != "send"}
        answer = self.ask("POST", "genie/from-contacts", None, body)
        if answer.ok:
            return self.redirect_with_toast(
                gettext("The messages are being written"), self.address("outreach-run", answer.data["_id"])
            )
        steps.refuse(form, answer)
        for field in form.refused_fields:
            if field.name == "smtp" and field.value() not in ("", *(option.value for option in field.options)):
                field.replace_error(gettext("This sender is no longer active. Choose another."))
        return self.page(self.context(form), status=422)


class RunSamples(NewRun):
    """Samples of a new run: a part of its form, and without script the form with all of its input."""

    path = "outreach/samples"
    name = "outreach-samples"
    title = gettext_lazy("New outreach: samples")
    action = ""

    def do_save(self) -> HttpResponse:
        """Show the samples, below the form with all of its input."""
        sent = self.request.POST
        chosen = {name: sent.getlist(name) for name in WHO if sent.getlist(name)}
        texts = {name: sent[name].strip() for name in SAMPLED if sent.get(name, "").strip()}
        typed_caps = Form(fields=self.caps()).bind(sent).values
        caps = {name: value for name, value in typed_caps.items() if value not in ("", None)}
        cadence = steps.cadence_in(sent).get("outreachCadence", {})
        body = {**chosen, **texts, **caps, "outreachCadence": cadence}
        answer = self.ask("POST", "genie/draft-preview", None, body) if chosen else None
        context = {"asked": True, **(self.samples(answer) if answer is not None else {})}
        if "HX-Request" in self.request.headers:
            return self.page(context, template="web/outreach/samples.html")
        return self.page({**self.context(self.form().bind(sent)), **context})

    def samples(self, answer: Answer) -> JsonObject:
        """Return the samples with their marks, or the reason why there are none."""
        if not answer.ok:
            text = remedy_text(answer)
            return {"refused": [text] if text else [answer.message, answer.reason], "remedy": remedy_key(answer)}
        preview = answer.data
        composer = preview["composer"]
        writer = composer["name"] if composer["callsAModel"] else gettext("the built-in writer")
        return {
            "preview": preview,
            "writer": writer,
            "drafts": [{"message": draft, **highlight_text(draft)} for draft in preview["drafts"]],
        }


class RunSteps(NewRun):
    """The follow-ups of a new run with one more or one less: a part of its form, and without script the whole form."""

    path = "outreach/steps"
    name = "outreach-steps"
    title = gettext_lazy("New outreach: follow-ups")
    action = ""

    def do_save(self) -> HttpResponse:
        """Show the form with all that was typed, and one follow-up more, or without the one that `drop` names."""
        place = self.request.GET.get("drop", "")
        typed = self.request.POST
        sent = (
            steps.remove_follow_up(typed, int(place))
            if place.isdecimal() and len(place) < 3
            else steps.add_follow_up(typed)
        )
        self.request.POST = sent  # type: ignore[assignment]
        if "HX-Request" not in self.request.headers:
            return self.page(self.context(self.form().bind(sent)))
        part = Form(fields=self.step_fields()).bind(sent)
        context = {"steps": steps.group_follow_up_fields(part, steps.count_of(sent)), "most_steps": steps.MAX_STEPS}
        return self.page(context, template="web/outreach/steps.html")


class RunAudience(NewRun):
    """The audience of tags, segments and categories: a part of the form of a new run, and without script the form
    with all of its input."""

    path = "outreach/audience"
    name = "outreach-audience"
    action = ""
    title = gettext_lazy("Recipients")
    template = "web/outreach/audience.html"

    def show(self) -> Values:
        return self.audience(self.request.GET)

    def do_save(self) -> HttpResponse:
        if not self.may("genie", "POST"):
            return self.page({"form": None}, template=NewRun.template)
        sent = self.request.POST
        context = {**self.context(self.form().bind(sent)), "audience": self.audience(sent), "title": NewRun.title}
        return self.page(context, template=NewRun.template)

    def audience(self, sent: QueryDict) -> JsonObject:
        chosen = {name: sent.getlist(name) for name in WHO if sent.getlist(name)}
        if not chosen or not self.may("genie", "POST") or not self.may("contact"):
            return {"found": None}
        answer = self.ask("POST", "genie/audience-preview", None, chosen)
        if answer.status == 400:
            return {"found": None, "is_gone": True}
        preview = self.require_ok(answer).data
        hours = self.ask("GET", "genie/settings")
        excluded = [f"{number:,} {EXCLUDED.get(reason, reason)}" for reason, number in preview["excluded"].items()]
        return {
            "found": preview,
            "left_out": preview["count"] - preview["sendable"],
            "excluded": ", ".join(map(str, excluded)),
            "samples": preview["sample"][:SAMPLES],
            "hours": hours.data if hours.ok and (hours.data["windowDays"] or hours.data["windowStart"]) else None,
            "back": f"{self.address('outreach-new')}?{urlencode(chosen, doseq=True)}",
        }


class RunPeople(NewRun):
    """Single people for a new run: the selected ones, and the search results.

    It is a part of its form, and without script the form with all of its input.
    """

    path = "outreach/people"
    name = "outreach-people"
    action = ""
    title = gettext_lazy("Single contacts")
    template = "web/outreach/people.html"

    def show(self) -> Values:
        return self.people(self.request.GET)

    def do_save(self) -> HttpResponse:
        if not self.may("genie", "POST"):
            return self.page({"form": None}, template=NewRun.template)
        sent = self.request.POST
        context = {**self.context(self.form().bind(sent)), "people": self.people(sent), "title": NewRun.title}
        return self.page(context, template=NewRun.template)

    def people(self, sent: QueryDict) -> JsonObject:
        ids = list(dict.fromkeys(id for id in sent.getlist("contactIds") if is_id(id)))
        text = sent.get("find", "").strip()
        if not self.may("genie", "POST") or not self.may("contact"):
            return {"picked": [], "found": [], "find": ""}
        these = {"operator": "and", "conditions": [{"field": "_id", "operator": "in", "value": ids}]}
        page = {"p": "1", "n": str(MAX_PICKED), "advancedFilters": these}
        picked = self.read("contact", page).data if ids else []
        contacts = self.read("contact", {"p": "1", "n": str(FOUND), "searchValue": text}).data if text else []
        return {"picked": picked, "found": [contact for contact in contacts if contact["_id"] not in ids], "find": text}
