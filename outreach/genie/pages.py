"""The pages of outreach: the runs, a new one, one with its numbers, and the review of its drafts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from core.web.ask import Answer
from core.web.forms import Field, Form, Option
from core.web.lists import Choice, Column, ListState
from core.web.pages import MenuItem, Page
from core.web.record_forms import fields_query, shown_fields

PHASES = {
    "planning": ("Being written", "info"),
    "awaiting_approval": ("Waits for approval", "warn"),
    "sending": ("Sending", "info"),
    "completed": ("Done", "ok"),
    "cancelled": ("Cancelled", ""),
    "failed": ("Failed", "bad"),
}
"""Phase -> its words, and the tone of its badge."""
SELECTORS = (
    ("tags", "Tags", "tag", "tag"),
    ("segments", "Segments", "segment", "segment"),
    ("categories", "Categories", "contact-category", "contact-category"),
)
"""Selector -> label, path and module of what it selects by."""
TONES = (
    ("", "Neutral"),
    ("friendly", "Friendly"),
    ("formal", "Formal"),
    ("direct", "Direct"),
    ("enthusiastic", "Upbeat"),
)
EXCLUDED = {
    "unsubscribed": "unsubscribed",
    "address_suppressed": "on the list of those never written to",
    "no_valid_address": "without a valid address",
}
"""Reason -> what is said of so many contacts."""
HELD = ("planned", "draft")
WAITING = ("approved", "claimed", "sending")
NOT_SENT = ("failed", "unknown", "cancelled", "suppressed")
BY_NAME = {"p": "1", "n": "200", "sortBy": "name", "sortOrder": "asc"}
SAMPLES = 3
QUEUE_SIZE = 50
SOON = timedelta(minutes=1)


def messages(number: int | None) -> str:
    """Write a number of messages."""
    return f"{number or 0:,} message{'' if number == 1 else 's'}"


def marked(text: str, facts: Iterable[tuple[str, Any]]) -> list[tuple[str, str]]:
    """Part the text into (piece, the fact's name), so that one sees which words rest on what is known."""
    known: dict[str, str] = {}
    for name, value in facts:
        words = str(value or "") if isinstance(value, str | int | float) else ""
        for one in (words, words.split(" ")[0] if name == "Name" else ""):
            if len(one) > 1:
                known.setdefault(one, name)
    if not known:
        return [(text, "")]
    longest_first = sorted(known, key=len, reverse=True)
    pieces = re.split(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)", text)
    return [(piece, known.get(piece, "") if number % 2 else "") for number, piece in enumerate(pieces)]


def shown_run(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the run with the words and the tone of its phase."""
    words, tone = PHASES.get(run["phase"], (run["phase"], ""))
    return {**run, "words": words, "mood": tone}


class OutreachPage(Page):
    """What the pages of outreach share."""

    module = "genie"
    menu = MenuItem("Outreach", "send", 40, tab=True)


class Runs(OutreachPage):
    path = name = "outreach"
    title = "Outreach"
    template = "web/outreach/list.html"
    columns = (
        Column("name", "Name", "name"),
        Column("phase", "State"),
        Column("total", "Planned", "total", css="right"),
        Column("sent", "Sent", css="right"),
        Column("answered", "Answered", css="right"),
        Column("createdBy", "By"),
        Column("createdAt", "Started", "createdAt"),
    )

    def show(self) -> Mapping[str, Any]:
        phases = tuple((name, words) for name, (words, _) in PHASES.items())
        choices = [Choice("phase", "State", ("in",), phases), Choice("name", "Name", ("contains",))]
        state = ListState(self.request.GET, {one.name: one for one in choices})
        found = self.read("genie", state.query())
        return {
            "state": state,
            "choices": choices,
            "columns": self.columns,
            "runs": [shown_run(one) for one in found.data],
            "more": state.more(found.next_cursor, len(found.data)) if found.next_cursor else None,
        }


class NewRun(OutreachPage):
    """The form of a new run. Whom it reaches is counted beside it (RunAudience)."""

    path = "outreach/new"
    name = "outreach-new"
    title = "New outreach"
    template = "web/outreach/new.html"

    def show(self) -> Mapping[str, Any]:
        form = self.form() if self.may("genie", "POST") else None
        if form is not None:
            chosen = {name: self.request.GET.getlist(name) for name, *_ in SELECTORS}
            for field in form.fields:
                field.value = chosen.get(field.name) or field.value
        return self.context(form)

    def context(self, form: Form | None) -> dict[str, Any]:
        if form is None:
            return {"form": None}
        by_name = {field.name: field for field in form.fields}
        who = [by_name[name] for name, *_ in SELECTORS if name in by_name]
        return {
            "form": form,
            "who": who,
            "what": [by_name["prompt"], by_name["tone"], by_name["name"]],
            "how": [by_name["smtp"], by_name["draft"]],
            "senders": by_name["smtp"].options,
        }

    def form(self) -> Form:
        """Make the form; a kind of selector that the company has none of is left out."""
        fields = []
        for name, label, path, module in SELECTORS:
            query = {**BY_NAME, "filters": {"panel": "contact"}} if name == "segments" else BY_NAME
            answer = self.ask("GET", path, query) if self.may(module) else None
            options = [Option(one["_id"], one["name"]) for one in answer.data] if answer and answer.ok else []
            fields += [Field(name, label, "checks", options=options, value=[])] if options else []
        return Form(
            [
                *fields,
                Field(
                    "prompt",
                    "What is it about?",
                    "textarea",
                    placeholder="Invite them to our open day on Tuesday",
                    help="In a sentence or two, with the offer. Each message is written from this and what is known of"
                    " the contact; left empty, it is about what your company does.",
                ),
                Field("tone", "Tone", "select", options=[Option(*one) for one in TONES[1:]], placeholder=TONES[0][1]),
                Field("name", "Name of this outreach", help="Only you and your colleagues see it."),
                Field("smtp", "From", "select", options=self.senders(), placeholder="The first sender that works"),
                Field(
                    "draft",
                    "Before anything goes",
                    "radio",
                    options=[Option("hold", "Show me the drafts first"), Option("send", "Send without asking")],
                    value="hold",
                ),
            ]
        )

    def senders(self) -> list[Option]:
        """Return the senders that work, or none if the reader may not see them."""
        if not self.may("apps"):
            return []
        answer = self.ask("GET", "apps/smtp", {"p": "1", "n": "50", "filters": {"isActive": True, "verified": True}})
        return [Option(one["_id"], f"{one['fromName']} <{one['fromEmail']}>") for one in answer.data or []]

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        values = {name: value for name, value in form.values.items() if value not in ("", None, [])}
        answer = self.ask("POST", "genie/from-contacts", None, {**values, "draft": values.get("draft") != "send"})
        if answer.ok:
            return self.done("The messages are being written", self.address("outreach-run", answer.data["_id"]))
        form.refuse(answer.message, answer.warning)
        return self.page(self.context(form), status=422)


class RunAudience(OutreachPage):
    """Whom a choice of tags, segments and categories reaches: a part of the form of a new run."""

    path = "outreach/audience"
    name = "outreach-audience"
    title = "Who is written to"
    template = "web/outreach/audience.html"

    def show(self) -> Mapping[str, Any]:
        chosen = {name: self.request.GET.getlist(name) for name, *_ in SELECTORS if self.request.GET.getlist(name)}
        if not chosen or not self.may("genie", "POST"):
            return {"found": None}
        found = self.needed(self.ask("POST", "genie/audience-preview", None, chosen)).data
        hours = self.ask("GET", "genie/settings")
        excluded = [f"{number:,} {EXCLUDED.get(reason, reason)}" for reason, number in found["excluded"].items()]
        return {
            "found": found,
            "left_out": found["count"] - found["sendable"],
            "excluded": ", ".join(excluded),
            "samples": found["sample"][:SAMPLES],
            "hours": hours.data if hours.ok and (hours.data["windowDays"] or hours.data["windowStart"]) else None,
            "back": f"{self.address('outreach-new')}?{urlencode(chosen, doseq=True)}",
        }


class Run(OutreachPage):
    path = "outreach/<str:id>"
    name = "outreach-run"
    template = "web/outreach/run.html"

    def show(self) -> Mapping[str, Any]:
        run = shown_run(self.read(f"genie/{self.params['id']}").data)
        job = self.ask("GET", f"bulk-job/{run['bulkJob']}") if run["bulkJob"] else None
        at_work = job.data if job is not None and job.ok and job.data["status"] in ("queued", "running") else None
        due = parse_datetime(run["nextDueAt"]) if isinstance(run["nextDueAt"], str) else run["nextDueAt"]
        moving = run["phase"] == "planning" or at_work is not None or self.is_soon(run["phase"], due)
        return {
            "run": run,
            "title": run["name"],
            "steps": self.steps(run),
            "bars": [{**one, "link": self.log(run, reason=one["reason"])} for one in run["reasons"]],
            "drafts": run["counts"]["draft"],
            "waiting": sum(run["counts"][status] for status in WAITING),
            "again": run["counts"]["failed"],
            "job": at_work,
            "moving": moving,
            "open": run["phase"] not in ("cancelled", "completed", "failed"),
        }

    def is_soon(self, phase: str, due: datetime | None) -> bool:
        """Tell whether a message goes so soon that the page should follow it."""
        return phase == "sending" and (due is None or due < timezone.now() + SOON)

    def steps(self, run: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
        """Return (label, number, address of the messages) of the way from planned to answered."""
        counts = run["counts"]

        def number(statuses: Iterable[str]) -> int:
            return sum(counts[status] for status in statuses)

        return [
            ("Planned", run["total"], self.log(run)),
            ("To approve", number(HELD), self.log(run, HELD)),
            ("On their way", number(WAITING), self.log(run, WAITING)),
            ("Sent", run["sent"], self.log(run, ["sent"])),
            ("Answered", run["answered"], ""),
            ("Not sent", number(NOT_SENT), self.log(run, NOT_SENT)),
        ]

    def log(self, run: Mapping[str, Any], statuses: Iterable[str] = (), reason: str = "") -> str:
        """Return the address of the run's messages, by statuses and reason if they are given."""
        filters = [f"run:in:{run['_id']}"]
        filters += [f"status:in:{','.join(statuses)}"] if statuses else []
        filters += [f"reason:in:{reason}"] if reason else []
        return self.address("messages", f=filters)

    def do_approve(self) -> HttpResponse:
        return self.change("approve-all", "Approved {}")

    def do_pause(self) -> HttpResponse:
        return self.change("draft-all", "Paused: {} wait for approval again")

    def do_retry(self) -> HttpResponse:
        return self.change("retry-failed", "Trying {} again")

    def do_cancel(self) -> HttpResponse:
        return self.change("cancel", "Cancelled; {} will not go", count="cancelledCount")

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"genie/{self.params['id']}")
        if not answer.ok:
            return self.refuse(answer)
        return self.done("Outreach deleted; its messages stay in the log", self.address("outreach"), watch=answer.job)

    def change(self, path: str, words: str, *, count: str = "changedCount") -> HttpResponse:
        """Change all messages of the run, at once or by a job whose progress the toast shows."""
        answer = self.ask("POST", f"genie/{self.params['id']}/{path}", None, {} if path == "retry-failed" else None)
        if not answer.ok:
            return self.refuse(answer)
        return self.done(words.format(messages(answer.data[count]) if not answer.job else "messages"), watch=answer.job)


class Review(OutreachPage):
    """The drafts of a run, one by one: what goes out, beside what is known of the contact."""

    path = "outreach/<str:id>/review"
    name = "outreach-review"
    title = "Review"
    template = "web/outreach/review.html"

    def show(self) -> Mapping[str, Any]:
        query = {
            "run": self.params["id"],
            "filters": {"status": "draft"},
            "sortBy": "createdAt",
            "sortOrder": "asc",
            "p": "1",
            "n": str(QUEUE_SIZE),
        }
        found = self.read("genie/send-jobs", query)
        queue = [one["_id"] for one in found.data]
        id = self.params.get("message") or (queue[0] if queue else "")
        if not id:
            self.read(f"genie/{self.params['id']}")
            return {"queue": [], "message": None, "run_id": self.params["id"]}
        place = queue.index(id) if id in queue else -1
        message = found.data[place] if place >= 0 else self.read(f"genie/send-jobs/{id}").data
        facts = self.facts(message) if message["status"] == "draft" else []
        after = queue[place + 1] if place + 1 < len(queue) else ""
        before = queue[place - 1] if place > 0 else ""
        return {
            "queue": found.data,
            "total": found.total,
            "place": place + 1,
            "message": message,
            "run_id": self.params["id"],
            "before": before,
            "after": after,
            "then": after or before,
            "facts": facts,
            "pieces": marked(message["text"], [("Name", message["contact"]["name"]), *(facts or [])]),
            "title": f"Review: {message['run']['name']}" if message["run"] else self.title,
            "form": self.form(message) if "edit" in self.request.GET and message["status"] == "draft" else None,
        }

    def facts(self, message: Mapping[str, Any]) -> list[tuple[str, Any]] | None:
        """Return (name, value) of what is known of the contact, or None if the reader may not see it."""
        answer = self.ask("GET", f"contact/{message['contact']['_id']}") if self.may("contact") else None
        if answer is None or not answer.ok:
            return None
        contact = answer.data
        named = self.ask("GET", "custom-field", fields_query("contact")) if self.may("custom-field") else None
        own = shown_fields(named.data) if named is not None and named.ok else []
        facts = [(one["name"], contact["formData"].get(one["uniqueFieldID"])) for one in own]
        facts += [("Category", contact["category"]), ("Tags", contact["tags"]), ("E-mail", contact["email"])]
        return [(name, value) for name, value in facts if value not in (None, "", [])]

    def form(self, message: Mapping[str, Any] | None = None) -> Form:
        fields = [Field("subject", "Subject", required=True), Field("text", "Text", "textarea", required=True)]
        fields.append(Field("id", "", "hidden", value=message["_id"] if message else self.request.POST.get("id", "")))
        return Form(fields, message)

    def do_approve(self) -> HttpResponse:
        words = {"contentHash": self.request.POST.get("contentHash", "")}
        answer = self.ask("POST", f"genie/send-jobs/{self.sent_id()}/approve", None, words)
        return self.on(answer, "Approved")

    def do_cancel(self) -> HttpResponse:
        return self.on(self.ask("POST", f"genie/send-jobs/{self.sent_id()}/cancel"), "It will not go")

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        words = {name: form.values[name].replace("\r\n", "\n") for name in ("subject", "text")}
        answer = self.ask("PUT", f"genie/send-jobs/{self.sent_id()}", None, words)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.done("Draft changed", self.at(self.sent_id()))

    def on(self, answer: Answer, words: str) -> HttpResponse:
        """Lead to the next draft, or back to this one if it was refused."""
        if not answer.ok:
            return self.refuse(answer, self.at(self.sent_id()))
        then = self.sent_id("then") if self.request.POST.get("then") else ""
        return self.done(words, self.at(then))

    def at(self, message: str) -> str:
        """Return the address of a draft in the review, or of the first one."""
        if not message:
            return self.address("outreach-review", self.params["id"])
        return self.address("outreach-draft", self.params["id"], message)


class ReviewDraft(Review):
    path = "outreach/<str:id>/review/<str:message>"
    name = "outreach-draft"


PAGES = [Runs, NewRun, RunAudience, Run, Review, ReviewDraft]
