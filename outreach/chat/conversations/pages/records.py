"""The pages of canned answers, and of answer times."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.types import JsonObject, Values
from core.web.forms import Field, Form
from core.web.lists import Column
from core.web.navigation.places import INBOX, MenuItem
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records
from outreach.chat.conversations.pages.base import InboxPage

CANNED = Records(
    "canned-answer",
    "canned-answers",
    "canned answer",
    "canned answers",
    "message-square-quote",
    "Texts that you use often in replies.",
)


class CannedPage(InboxPage):
    menu = MenuItem(
        "Canned replies", INBOX, 30, "message-square-reply", keywords="snippets saved replies quick replies macros"
    )
    kind = CANNED


class CannedAnswers(RecordList, CannedPage):
    path = name = "canned-answers"
    title = "Canned replies"
    adds = "canned-answer-new"
    rows = "web/conversations/canned_rows.html"
    hint = "Name, shortcut or text"
    columns = (
        Column("name", "Name", "name"),
        Column("text", "Text"),
        Column("shortcut", "Shortcut", "shortcut"),
        Column("updatedAt", "Changed", "updatedAt"),
    )


class CannedForm(RecordForm, CannedPage):
    def form(self, values: Values | None = None) -> Form:
        help = _("Type this shortcut in a reply, such as /hours.")
        return Form(
            fields=[
                Field("name", _("Name"), required=True, autofocus=values is None),
                Field("shortcut", _("Shortcut"), help_text=help),
                Field("text", _("Text"), "textarea", required=True),
            ],
            initial=values,
        )


class NewCanned(NewRecord, CannedForm):
    path = "canned-answers/new"
    name = "canned-answer-new"
    title = "New canned reply"


class EditCanned(EditRecord, CannedForm):
    path = "canned-answers/<str:id>"
    name = "canned-answer"


TIMES = Records(
    "answer-time",
    "answer-times",
    "team's answer times",
    "answer times",
    "timer",
    "Target times for replies, with an alert when missed.",
)


class TimesPage(InboxPage):
    menu = MenuItem("Response times", INBOX, 40, "timer", keywords="sla response targets overdue")
    kind = TIMES


class AnswerTimes(RecordList, TimesPage):
    path = name = "answer-times"
    title = "Response times"
    adds = "answer-time-new"
    rows = "web/conversations/times_rows.html"
    hint = "Team"
    columns = (
        Column("team", "Team"),
        Column("firstMinutes", "First reply", "firstMinutes", css="right num"),
        Column("nextMinutes", "Later replies", "nextMinutes", css="right num"),
        Column("updatedAt", "Changed", "updatedAt"),
    )


class TimesForm(RecordForm, TimesPage):
    def form(self, values: Values | None = None) -> Form:
        empty = _("Leave empty for any time.")
        teams = self.options_of("team")
        return Form(
            fields=[
                Field("team", _("Team"), "select", options=teams, placeholder=_("All other teams")),
                Field("firstMinutes", _("Minutes to first reply"), "number", help_text=empty),
                Field("nextMinutes", _("Minutes to later replies"), "number", help_text=empty),
            ],
            initial=values,
        )

    def body(self, values: Values) -> JsonObject:
        return {name: value or None for name, value in values.items()}


class NewTimes(NewRecord, TimesForm):
    path = "answer-times/new"
    name = "answer-time-new"
    title = "New response times"


class EditTimes(EditRecord, TimesForm):
    path = "answer-times/<str:id>"
    name = "answer-time"

    def values(self) -> Values:
        return {**self.record, "team": (self.record["team"] or {}).get("_id", "")}
