"""The form of a campaign, with its audience."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from django.http import HttpResponse

from core.text.timezones import zone_of
from core.text.translation import gettext_lazy as _
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import BoundField, Field, Form, Option
from outreach.runs.campaigns.pages import follow_ups
from outreach.runs.campaigns.pages.base import CampaignPage
from outreach.runs.campaigns.pages.tags import UTM, tag_fields
from outreach.runs.genie.pages import chats
from outreach.runs.genie.pages.base import TRACKED
from outreach.runs.genie.pages.new import SELECTORS, from_label
from outreach.runs.genie.pages.steps import DAYS, INTERVALS

WHO = tuple(name for name, *rest in SELECTORS)
WORDS = ("templateId", "subject", "body")
CHATTED = ("chatTemplate", "chatVariables")
SECOND_CHATTED = ("secondChatTemplate", "secondChatVariables")
SECOND = {"secondTemplateId": "templateId", "secondSubject": "subject", "secondBody": "body"}
"""Field of the second version -> key of the API."""
TIMES = ("scheduledAt", "endsAt")
WINDOW = ("days", "start", "end")
ALIKE = {"mailApp": "smtp"}
"""Field of the API -> its name in the form, where it is another one."""
SECOND_NAMES = {key: name for name, key in SECOND.items()}
BY_CHAT = {"templateId": "chatTemplate", "variables": "chatVariables"}
SECOND_BY_CHAT = {"templateId": "secondChatTemplate", "variables": "secondChatVariables"}
"""The same of a campaign by chat."""
HELP = _("Plain text, HTML or MJML, with fields such as {{contact.firstName}} or {{company.name}}.")
WINNERS = (
    ("", "", _("No winner: split by share")),
    ("replied", "", _("Most replies")),
    ("opened", "opens", _("Most opens")),
    ("clicked", "clicks", _("Most clicks")),
    ("manual", "", _("I choose the winner")),
)
"""Metric, its tracking, and its label."""


class CampaignForm(CampaignPage):
    """Shared parts of the pages of a new and of a changed campaign."""

    template = "web/campaigns/form.html"

    @cached_property
    def choices(self) -> Values:
        campaign_choices: Values = self.read("campaign/choices").data
        return campaign_choices

    def form(self, values: Values | None = None) -> Form:
        """Make the form; a kind of selector that the company has none of is left out."""
        fields = [*self.audience_fields(), *self.text_fields(), *self.second(), *self.later(), *self.sending_fields()]
        return Form(fields=fields, initial=values)

    def later(self) -> list[Field]:
        """Return the fields of the follow-ups, with the values of existing ones."""
        return follow_ups.follow_up_fields(self.steps(), self.named_options("templates"), self.chat_templates())

    def steps(self) -> list[JsonObject]:
        """Return the follow-ups that the campaign has."""
        return []

    def named_options(self, name: str) -> list[Option]:
        return [Option(row["_id"], row["name"]) for row in self.choices[name] or ()]

    def chat_templates(self) -> list[Option]:
        templates = self.choices["chatTemplates"] or ()
        return [Option(template["_id"], f"{template['name']} ({template['language']})") for template in templates]

    def audience_fields(self) -> list[Field]:
        kinds = [(name, label, self.named_options(name)) for name, label, *rest in SELECTORS]
        return [Field(name, label, "checks", options=options, initial=[]) for name, label, options in kinds if options]

    def text_fields(self) -> list[Field]:
        templates = self.named_options("templates")
        chosen = Field("templateId", _("Template"), "select", options=templates, placeholder=_("None (write here)"))
        return [
            Field("name", _("Name"), required=True, help_text=_("Only your team sees this.")),
            *chats.chat_fields(
                self.chat_templates(), "chat", help=_("Sent by chat from the template's number, not by email.")
            ),
            *([chosen] if templates else []),
            Field("subject", _("Subject"), help_text=_("Used if no template is chosen.")),
            Field("body", _("Text"), "textarea", help_text=HELP),
        ]

    def second(self) -> list[Field]:
        """Return the fields of the second version, and of how one of both is chosen."""
        templates = self.named_options("templates")
        chosen = Field(
            "secondTemplateId", _("Template of B"), "select", options=templates, placeholder=_("None (write here)")
        )
        return [
            *chats.chat_fields(self.chat_templates(), "secondChat", _("Chat template")),
            *([chosen] if templates else []),
            Field("secondSubject", _("Subject of B")),
            Field("secondBody", _("Text of B"), "textarea"),
            Field("share", _("Share of B (%)"), "number", initial=50),
            Field("metric", _("Winner by"), "radio", options=self.winners(), initial=""),
            Field("testShare", _("Test group (%)"), "number", initial=20),
            Field(
                "after",
                _("Days until the winner is chosen"),
                "number",
                initial=2,
                help_text=_("How long the test runs before the winner is sent."),
            ),
        ]

    def winners(self) -> list[Option]:
        """Return the ways to choose a winner; by opens and clicks only where they are tracked."""
        tracks = self.choices["tracking"]
        return [Option(metric, label) for metric, kind, label in WINNERS if not kind or tracks[kind]]

    def sending_fields(self) -> list[Field]:
        senders = [
            Option(f"{sender['type']}/{sender['_id']}", from_label(sender)) for sender in self.choices["senders"] or ()
        ]
        return [
            Field("smtp", _("From"), "select", True, options=senders, initial=senders[0].value if senders else ""),
            Field("scheduledAt", _("Starts"), "datetime-local", help_text=_("Leave empty to start right away.")),
            Field(
                "throttle",
                _("Messages per hour"),
                "number",
                initial=None,
                help_text=_("Leave empty to use the sender's limit."),
            ),
            Field("manual", _("Approve each message before sending"), "switch", initial=False),
            *tag_fields(self.choices),
            Field(
                "days",
                _("Days"),
                "checks",
                options=list(DAYS),
                initial=[],
                help_text=_("Leave empty to use your company's sending days."),
            ),
            Field("start", _("From"), "time"),
            Field(
                "end",
                _("Until"),
                "time",
                help_text=_("In the recipient's time zone. Leave empty for your company's hours."),
            ),
            Field("live", _("Include contacts added later"), "switch", initial=False),
            Field("intervalMs", _("Repeat"), "select", options=list(INTERVALS), placeholder=_("Never")),
            Field("writeAgain", _("Send to everyone again each time"), "switch", initial=False),
            Field("endsAt", _("Until"), "datetime-local", help_text=_("For contacts added later, or repeated sends.")),
        ]

    def context(self, form: Form) -> JsonObject:
        def these(*names: str) -> list[BoundField]:
            return [form[name] for name in names if name in form.fields]

        second = these(*SECOND_CHATTED, *SECOND)
        repeat = these("live", "intervalMs", "writeAgain", "endsAt")
        window = these(*WINDOW)
        return {
            "form": form,
            "who": these(*WHO),
            "what": these("name", *CHATTED),
            "words": these(*WORDS[:1]),
            "texts": these(*WORDS[1:]),
            "follow_ups": follow_ups.group_follow_up_fields(form),
            "second": second,
            "second_chatted": these(*SECOND_CHATTED),
            "second_words": these("secondTemplateId"),
            "second_texts": these("secondSubject", "secondBody"),
            "second_rest": these("share", "metric", "testShare", "after"),
            "tests": any(field.value() or field.errors for field in second),
            "how": these("smtp", "scheduledAt", "throttle", "manual", *TRACKED, *UTM),
            "window": window,
            "windowed": any(field.value() or field.errors for field in window),
            "repeat": repeat,
            "repeats": any(field.value() or field.errors for field in repeat),
            "senders": form["smtp"].options,
            "can_test": self.may("template"),
        }

    def body(self, form: Form) -> JsonObject:
        """Return the API's body for the form."""
        values = form.values
        by_chat = values.get("chatTemplate")
        type, slash, sender = (chats.CHAT, "", "") if by_chat else str(values["smtp"] or "smtp/").partition("/")
        span = {name: values[name] for name in ("start", "end") if values[name]}
        window = {"days": [day for day in map(whole_number, values["days"]) if day is not None], **span}
        payload = {
            **{name: values[name] for name in ("name", "throttle", "manual")},
            **{name: values[name] for name in (*WHO, *TRACKED, *UTM) if name in values},
            **{name: self.moment(values[name]) for name in TIMES},
            "type": type,
            **({} if by_chat else {"smtp" if type == "smtp" else "mailApp": sender or None}),
            "window": window if window["days"] or span else None,
            "audience": "live" if values["live"] else "fixed",
            "recurring": bool(values["intervalMs"]),
            "intervalMs": whole_number(values["intervalMs"]),
            "writeAgain": values["writeAgain"],
        }
        return {**payload, **self.words(values), "outreachCadence": follow_ups.cadence_of(form, self.steps())}

    def words(self, values: Values) -> JsonObject:
        """Return the content: of one version, or of two with their shares and the rule of the test."""
        first = _words({name: values.get(name) or "" for name in WORDS})
        second = _words({key: values.get(name) or "" for name, key in SECOND.items()})
        if template := values.get("chatTemplate"):
            first = chats.chat_content(template, values["chatVariables"])
        if template := values.get("secondChatTemplate"):
            second = chats.chat_content(template, values["secondChatVariables"])
        if not any(second.values()):
            return {**first, "variants": [], "winner": None}
        share = values["share"] if isinstance(values["share"], int) else 50
        variants = [{"name": "A", "share": 100 - share, **first}, {"name": "B", "share": share, **second}]
        metric = values["metric"]
        rule: JsonObject = {"metric": metric, "testShare": values["testShare"]}
        if metric in ("replied", "opened", "clicked"):
            rule["after"] = {"amount": values["after"], "unit": "days"}
        return {"variants": variants, "winner": rule if metric else None}

    def moment(self, text: str) -> str | None:
        """Return the time of a field in the reader's zone; other text is left to the API to refuse."""
        try:
            local = datetime.fromisoformat(text)
        except ValueError:
            return text or None
        return local.replace(tzinfo=zone_of(self.reader.formats.timezone)).isoformat()

    def refused(self, form: Form, answer: Answer) -> HttpResponse:
        """Show the form again, with the errors at its fields."""
        form.refuse(answer, lambda path: self.form_name(form, path))
        return self.page({**self.show(), **self.context(form)}, status=422)

    def form_name(self, form: Form, path: str) -> str:
        """Return the form's name of a path such as variants.1.subject."""
        if path.startswith("outreachCadence"):
            return follow_ups.form_name(form, path)
        by_chat = bool(form.values.get("chatTemplate"))
        head, *names = path.split(".")
        if head in ("winner", "window") and names:
            return names[0]
        if head == "variants" and len(names) > 1 and names[0] == "1":
            return (SECOND_BY_CHAT if by_chat else SECOND_NAMES).get(names[1], "")
        if head == "variants" and len(names) > 1:
            head = names[1]
        return (BY_CHAT if by_chat else ALIKE).get(head, head)


def _words(values: Mapping[str, str]) -> JsonObject:
    """Return only a template, or else subject and body: text below a chosen template is ignored."""
    if values["templateId"]:
        return {"templateId": values["templateId"], "subject": "", "body": ""}
    return {"templateId": None, "subject": values["subject"], "body": values["body"]}


class NewCampaign(CampaignForm):
    path = "campaigns/new"
    name = "campaign-new"
    title = _("New campaign")
    action = _("New campaign")

    def show(self) -> Values:
        if not self.may("campaign", "POST"):
            return {"form": None}
        form = self.form()
        for field in form:
            sent = self.request.GET.getlist(field.name)
            if sent and (field.name in WHO or field.name == "templateId"):
                field.replace(sent if field.name in WHO else sent[0])
        return self.context(form)

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", "campaign", None, self.body(form))
        if not answer.ok:
            return self.refused(form, answer)
        campaign = self.address("campaign", answer.data["_id"])
        return self.redirect_with_toast(_("Saved. Check the campaign, then start it."), campaign)


class EditCampaign(CampaignForm):
    path = "campaigns/<str:id>/edit"
    name = "campaign-edit"
    tab_name = _("Edit campaign")

    @cached_property
    def campaign(self) -> Values:
        record: Values = self.read(f"campaign/{self.params['id']}").data
        return record

    def show(self) -> Values:
        shared = {"campaign": self.campaign, "title": self.campaign["name"]}
        if not self.may("campaign", "PUT"):
            return {**shared, "form": None}
        return {**shared, **self.context(self.form(self.values()))}

    def form(self, values: Values | None = None) -> Form:
        """Make the form. Of a campaign that has begun, name, pace and end change; more than two versions stay."""
        whole = super().form(values)
        if self.campaign["startedAt"] is not None:
            kept = ("name", "throttle", "endsAt") if self.campaign["endsAt"] else ("name", "throttle")
            whole.drop(*whole.fields.keys() - kept)
        elif len(self.campaign["variants"]) > 2:
            rule = (*WORDS, *SECOND, *CHATTED, *SECOND_CHATTED, "share", "metric", "testShare", "after")
            whole.drop(*rule)
        return whole

    def chat_templates(self) -> list[Option]:
        """Return the approved templates, and those that the campaign names already."""
        campaign, offered = self.campaign, super().chat_templates()
        by_chat = campaign["type"] == chats.CHAT
        named = [step["template"] for step in self.steps() if by_chat or step["channel"] == chats.CHAT]
        named += [entry["templateId"] for entry in (campaign, *campaign["variants"]) if by_chat]
        missing = {id for id in named if id} - {entry.value for entry in offered}
        return offered + [Option(id, _("Current template (not approved)")) for id in sorted(missing)]

    def steps(self) -> list[JsonObject]:
        cadence_steps: list[JsonObject] = self.campaign["outreachCadence"].get("steps", [])
        return cadence_steps

    def values(self) -> JsonObject:
        """Return the campaign as the form has it."""
        campaign, rule = self.campaign, self.campaign["winner"] or {}
        sender = campaign["smtp"] or campaign["mailApp"]
        first, second = [*campaign["variants"][:2], {}, {}][:2]
        by_chat, chatted = campaign["type"] == chats.CHAT, first or campaign
        texts = dict.fromkeys((*WORDS, *SECOND, *CHATTED, *SECOND_CHATTED), "")
        if by_chat:
            texts |= {
                "chatTemplate": chatted["templateId"] or "",
                "chatVariables": chats.variables_shown(chatted.get("variables")),
                "secondChatTemplate": second.get("templateId") or "",
                "secondChatVariables": chats.variables_shown(second.get("variables")),
            }
        else:
            texts |= {name: first.get(name) or campaign[name] or "" for name in WORDS}
            texts |= {name: second.get(key) or "" for name, key in SECOND.items()}
        window = campaign["window"] or {}
        hours = {} if window.get("start") == window.get("end") else window
        return {
            **{name: campaign[name] for name in ("name", "throttle", "manual", "writeAgain", *TRACKED, *UTM)},
            **{name: campaign[name] or [] for name in WHO},
            **texts,
            **{name: self.local(campaign[name]) for name in TIMES},
            "share": second.get("share", 50),
            "metric": rule.get("metric", ""),
            "testShare": rule.get("testShare", 20),
            "after": (rule.get("after") or {}).get("amount", 2),
            "smtp": f"{campaign['type']}/{sender['_id']}" if sender else "",
            "days": [str(day) for day in window.get("days", ())],
            "start": hours.get("start", ""),
            "end": hours.get("end", ""),
            "live": campaign["audience"] == "live",
            "intervalMs": str(campaign["intervalMs"]) if campaign["recurring"] else "",
            **{field.name: field.initial for field in self.later()},
        }

    def local(self, moment: Any) -> str:
        """Return a time on the reader's clock, as the field takes it."""
        if not moment:
            return ""
        when = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
        return f"{when.astimezone(zone_of(self.reader.formats.timezone)):%Y-%m-%dT%H:%M}"

    def context(self, form: Form) -> JsonObject:
        if "smtp" in form.fields:
            return super().context(form)
        return {"form": form, "what": form}

    def body(self, form: Form) -> JsonObject:
        if "smtp" in form.fields:
            whole = super().body(form)
            if "subject" in form.fields:
                return whole
            kept = (*WORDS, "variables", "variants", "winner")
            return {name: value for name, value in whole.items() if name not in kept}
        return {name: self.moment(value) if name in TIMES else value for name, value in form.values.items()}

    def do_save(self) -> HttpResponse:
        form = self.form(self.values()).bind(self.request.POST)
        if not form.is_valid():
            return self.page({**self.show(), **self.context(form)}, status=422)
        answer = self.ask("PUT", f"campaign/{self.params['id']}", None, self.body(form))
        if not answer.ok:
            return self.refused(form, answer)
        return self.redirect_with_toast(_("Saved"), self.address("campaign", self.params["id"]))
