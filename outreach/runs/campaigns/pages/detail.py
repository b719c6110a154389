"""The page of one campaign: its results, and its actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext

from core.text.placeholders import names_in
from core.text.translation import PluralText, gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.mail_frames import mail_frame, quiet_frame
from core.web.toasts import HOLD_SECONDS
from outreach.runs.campaigns.pages.base import CampaignPage, with_status_label
from outreach.runs.campaigns.types import CampaignData
from outreach.runs.genie.pages.base import APPROVED, CANCELED, undo_approval, undo_fields
from outreach.runs.genie.pages.chats import CHAT
from outreach.runs.genie.pages.new import SELECTORS
from outreach.runs.genie.pages.outcomes import chart_of, outcomes_of, unmeasured
from outreach.runs.genie.pages.steps import in_words, step_name
from outreach.runs.genie.pages.tracking import TurnsOnTracking

KNOWN = ("contact.", "company.")
"""Prefixes of the variables that every mail has."""
WHY = {
    "replied": gettext_lazy("most replies"),
    "opened": gettext_lazy("most opens"),
    "clicked": gettext_lazy("most clicks"),
    "tie": gettext_lazy("a tie: the first version"),
    "no_data": gettext_lazy("no responses: the first version"),
    "chosen": gettext_lazy("chosen by a member"),
}
RECIPIENTS = ngettext_lazy("%(count)s person gets this campaign.", "%(count)s people get this campaign.")


def recipient(people: Values | None) -> Values | None:
    """Return the first of an audience who can be written to, or else the first."""
    sample = people["sample"] if people else ()
    sendable = [person for person in sample if person["decision"]["state"] != "stop"]
    return next(iter(sendable or sample), None)


def opened_label(campaign: CampaignData) -> str:
    """Return the label for seen messages: people read chats, and open mails."""
    return gettext("Read") if campaign["type"] == CHAT else gettext("Opened")


class Campaign(TurnsOnTracking, CampaignPage):
    path = "campaigns/<str:id>"
    name = "campaign"
    tab_name = gettext_lazy("Campaign")
    record_kind = ("campaign", gettext_lazy("Campaigns"))
    template = "web/campaigns/detail.html"

    def show(self) -> Values:
        campaign: CampaignData = self.read(f"campaign/{self.params['id']}").data
        job = self.ask("GET", f"bulk-job/{campaign['bulkJob']}") if campaign["bulkJob"] else None
        at_work = job.data if job is not None and job.ok and job.data["status"] in ("queued", "running") else None
        status, counts = campaign["status"], campaign["counts"]
        under_way = status in ("running", "paused")
        decision = campaign["nextDecision"] or {}
        planning = status == "running" and campaign["run"] and not campaign["total"]
        going = counts["claimed"] or counts["sending"] or (counts["approved"] and decision.get("state") != "wait")
        return {
            "campaign": with_status_label(campaign),
            "title": campaign["name"],
            "before": self.people_rows(campaign),
            "outcomes": outcomes_of(self, campaign["run"], campaign, campaign["funnel"], chat=campaign["type"] == CHAT),
            "chart": chart_of(campaign["byDay"], chat=campaign["type"] == CHAT),
            "hours": chart_of(campaign["byHour"], chat=campaign["type"] == CHAT),
            "versions": [
                {**row, "chart": chart_of(row["byDay"], chat=campaign["type"] == CHAT)}
                for row in campaign["variantResults"]
            ],
            "unmeasured": unmeasured(self, campaign, campaign["funnel"]) if campaign["type"] != CHAT else None,
            "whom": self.whom(campaign),
            "bars": [
                {**row, "link": self.log(campaign, [row["status"]], row["reason"])} for row in campaign["reasons"]
            ],
            "waits": decision if under_way and decision.get("state") == "wait" else None,
            "opened": opened_label(campaign),
            "won": WHY.get(campaign["won"].get("why", ""), ""),
            "undecided": under_way and campaign["winner"] and not campaign["won"],
            "names": [row["name"] for row in campaign["variants"]],
            "steps": [{**row, "waits": in_words(row["delay"])} for row in campaign["outreachCadence"].get("steps", ())],
            "by_step": [{**row, "name": step_name(row["step"])} for row in campaign["stepResults"]]
            if campaign["outreachCadence"]
            else [],
            "clicks": self.clicks(campaign),
            "drafts": counts["draft"] if under_way else 0,
            "job": at_work,
            "moving": planning or at_work is not None or bool(under_way and going),
            "under_way": under_way,
            "review": self.review(campaign) if campaign["run"] is None else None,
            "can_start": status == "draft" or (status == "failed" and campaign["run"] is None),
            "can_edit": status in ("draft", "scheduled", "paused") or (status == "failed" and campaign["run"] is None),
        }

    def review(self, campaign: CampaignData) -> JsonObject:
        """Return the review before a campaign starts: the number of recipients, and its mails."""
        people = self.people(campaign)
        first = recipient(people)
        named = [variant["name"] for variant in campaign["variants"]]
        mails = [
            (gettext("Version %(name)s") % {"name": name}, {"variant": number}) for number, name in enumerate(named)
        ]
        later = len(campaign["outreachCadence"].get("steps", ()))
        called = gettext("The message") if campaign["type"] == CHAT else gettext("The email")
        mails = mails or ([(called, {})] if campaign["templateId"] or campaign["body"] else [])
        mails += [(step_name(step), {"step": step}) for step in range(2, later + 2)]
        shown_for = {"contactId": first["_id"]} if first else {}
        return {
            "people": people,
            "first": first,
            "mails": [
                (label, self.address("campaign-preview", campaign["_id"], **shown_for, **which))
                for label, which in mails
            ],
            "can_test": bool(mails) and self.may("campaign", "POST"),
            "starts": RECIPIENTS.of(people["sendable"]) if people else gettext("No recipients chosen yet."),
        }

    def clicks(self, campaign: CampaignData) -> list[JsonObject]:
        """Return the mails with links, each with its name, its clicks by link, and the address of its map."""
        rows = campaign["linkResults"]
        places = {variant["name"]: place for place, variant in enumerate(campaign["variants"])}
        mails = []
        for (step, variant), links in groupby(rows, key=lambda row: (row["step"], row["variant"])):
            label = step_name(step)
            if variant:
                label = gettext("Version %(name)s") % {"name": variant}
            place = {"variant": places[variant]} if variant in places else {}
            address = self.address("campaign-preview", campaign["_id"], step=step, clicks="true", **place)
            mails.append({"label": label, "links": list(links), "address": address})
        return mails

    def people(self, campaign: CampaignData) -> Values | None:
        """Return how many people the campaign reaches, with the first of them; None if the reader may not know."""
        values: Values = campaign
        chosen = {name: values[name] for name in (*(name for name, *_ in SELECTORS), "contactIds", "leadIds")}
        should_ask = any(chosen.values()) and self.may("campaign", "POST")
        chosen["type"] = campaign["type"]
        answer = self.ask("POST", "campaign/audience-preview", None, chosen) if should_ask else None
        return answer.data if answer is not None and answer.ok else None

    def do_test(self) -> HttpResponse:
        """Send the first version to the reader, by the campaign's sender: as the first recipient gets it."""
        campaign: CampaignData = self.read(f"campaign/{self.params['id']}").data
        content: Values = campaign["variants"][0] if campaign["variants"] else campaign
        sender = campaign["smtp"] or campaign["mailApp"]
        if content["templateId"]:
            mail: JsonObject = {"templateId": content["templateId"]}
        else:
            names = names_in(f"{content['subject']} {content['body']}")
            own = [name for name in dict.fromkeys(names) if not name.startswith(KNOWN)]
            variables = [{"name": name, "required": False, "dateType": None} for name in own]
            mail = {"subject": content["subject"], "body": content["body"], "variables": variables}
        first = recipient(self.people(campaign))
        body = {**mail, "to": [self.reader.email], **({"smtp": sender["_id"]} if sender else {})}
        if campaign["type"] == CHAT:
            body = {"templateId": content["templateId"], "to": [self.reader.email]}
        body |= {"contactId": first["_id"]} if first else {}
        answer = self.ask("POST", f"campaign/test/{campaign['type']}", None, body)
        if not answer.ok:
            return self.refuse(answer)
        name = first and (first["name"] or first["email"])
        text = (
            gettext("Test sent to %(email)s, with the data of %(name)s")
            if name
            else gettext("Test sent to %(email)s, with field names, since no contact is chosen")
        )
        return self.redirect_with_toast(text % {"email": self.reader.email, "name": name})

    def people_rows(self, campaign: CampaignData) -> list[tuple[str, int | None, str]]:
        """Return (label, number, address) of the people and their messages."""
        funnel = campaign["funnel"]
        return [
            (gettext("People"), funnel["audience"], ""),
            (gettext("Messages"), funnel["planned"], self.log(campaign)),
        ]

    def whom(self, campaign: CampaignData) -> list[tuple[str, str]]:
        """Return (kind, names) of the audience."""
        names, rows = campaign["audienceNames"], []
        values: Values = campaign
        for selector, label, *_ in SELECTORS:
            if ids := values[selector]:
                rows.append((label, ", ".join(names.get(id, "one that was deleted") for id in ids)))
        for selector, label in (("contactIds", gettext("Single contacts")), ("leadIds", gettext("Leads"))):
            if ids := values[selector]:
                rows.append((label, f"{len(ids):,}"))
        return rows

    def log(self, campaign: CampaignData, statuses: Iterable[str] = (), reason: str = "") -> str:
        """Return the address of the campaign's messages, by statuses and reason if they are given."""
        filters = [f"run:in:{campaign['run']}"]
        filters += [f"status:in:{','.join(statuses)}"] if statuses else []
        filters += [f"reason:in:{reason}"] if reason else []
        return self.address("messages", f=filters)

    def do_start(self) -> HttpResponse:
        answer = self.ask("POST", f"campaign/{self.params['id']}/start")
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            gettext("Campaign scheduled")
            if answer.data["status"] == "scheduled"
            else gettext("The campaign has started")
        )

    def do_pause(self) -> HttpResponse:
        return self.change("pause", gettext("Paused"))

    def do_resume(self) -> HttpResponse:
        return self.change("resume", gettext("Resumed"))

    def do_winner(self) -> HttpResponse:
        variant = self.request.POST.get("variant", "")
        return self.change(
            "winner",
            gettext("%(variant)s is sent to the remaining recipients") % {"variant": variant},
            {"variant": variant},
        )

    def change(self, path: str, message: str, body: Values | None = None) -> HttpResponse:
        answer = self.ask("POST", f"campaign/{self.params['id']}/{path}", None, body)
        return self.redirect_with_toast(message) if answer.ok else self.refuse(answer)

    def do_cancel(self) -> HttpResponse:
        return self.change_messages("cancel", None, gettext("Cancelling"), CANCELED, "cancelledCount")

    def do_release(self) -> HttpResponse:
        since = timezone.now().isoformat()
        back = undo_fields(since) if self.may("genie", "POST") else None
        body = {"delaySeconds": HOLD_SECONDS if back else 0}
        return self.change_messages("release", body, gettext("Approving messages"), APPROVED, "changedCount", back)

    def do_undo_approval(self) -> HttpResponse:
        campaign: CampaignData = self.read(f"campaign/{self.params['id']}").data
        return undo_approval(self, campaign["run"] or "")

    def change_messages(
        self,
        path: str,
        body: Values | None,
        doing: str,
        done: PluralText,
        count: str,
        back: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Change the campaign's messages, at once or by a job whose progress the toast shows; `back` takes it back."""
        answer = self.ask("POST", f"campaign/{self.params['id']}/{path}", None, body)
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            doing if answer.job else done.of(answer.data[count]),
            watch=answer.job,
            back=back if answer.job or answer.data[count] else None,
        )

    def do_duplicate(self) -> HttpResponse:
        answer = self.ask("POST", f"campaign/{self.params['id']}/duplicate")
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(gettext("Duplicated as a draft"), self.address("campaign", answer.data["_id"]))

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "campaign", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            gettext("Campaign deleted; its messages stay in the log"), self.address("campaigns")
        )


class CampaignPreview(CampaignPage):
    """A mail of a campaign, as a document of its own: ?variant= and ?step= select the mail, ?contactId= the
    recipient; ?clicks=true shows clicks behind its links."""

    path = "campaigns/<str:id>/preview"
    name = "campaign-preview"
    tab_name = gettext_lazy("Preview of the campaign")

    def get(self, request: HttpRequest) -> HttpResponse:
        self.read(f"campaign/{self.params['id']}")  # a campaign of others is not there
        query = {name: request.GET[name] for name in ("variant", "step", "contactId", "clicks") if name in request.GET}
        answer = self.ask("GET", f"campaign/{self.params['id']}/preview", query)
        if answer.ok and answer.data["chat"]:
            bubble = {**answer.data["chat"], "missing": answer.data["missing"]}
            return quiet_frame(render(request, "pages/chat_bubble.html", {"bubble": bubble}))
        if answer.ok:
            return mail_frame(request, mail=answer.data)
        return mail_frame(request, problem=answer.refusal)
