"""The pages of canned replies, and of response times."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form
from core.web.lists import Column
from core.web.navigation.places import INBOX, MenuItem
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records
from outreach.chat.conversations.pages.base import InboxPage

CANNED = Records("canned-answer", "canned-answers", "message-square-quote", gettext_lazy("Reusable texts for replies."))


class CannedPage(InboxPage):
    menu = MenuItem(
        gettext_lazy("Canned replies"),
        INBOX,
        30,
        "message-square-reply",
        keywords=gettext_lazy("snippets saved replies quick replies macros"),
    )
    kind = CANNED


class CannedAnswers(RecordList, CannedPage):
    path = name = "canned-answers"
    title = gettext_lazy("Canned replies")
    adds = "canned-answer-new"
    add_label = gettext_lazy("New canned reply")
    none = gettext_lazy("No canned replies yet")
    count = ngettext_lazy("%(count)s canned reply", "%(count)s canned replies")
    rows = "web/conversations/canned_rows.html"
    hint = gettext_lazy("Name, shortcut or text")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("text", gettext_lazy("Text")),
        Column("shortcut", gettext_lazy("Shortcut"), "shortcut"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
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
    title = gettext_lazy("New canned reply")
    action = title
    added = gettext_lazy("Canned reply added")


class EditCanned(EditRecord, CannedForm):
    path = "canned-answers/<str:id>"
    name = "canned-answer"
    tab_name = gettext_lazy("Canned reply")
    saved = gettext_lazy("Canned reply saved")
    deleted = gettext_lazy("Canned reply deleted")


TIMES = Records(
    "answer-time", "answer-times", "timer", gettext_lazy("Target times for replies, with an alert when missed.")
)


class TimesPage(InboxPage):
    menu = MenuItem(
        gettext_lazy("Response times"), INBOX, 40, "timer", keywords=gettext_lazy("sla response targets overdue")
    )
    kind = TIMES


class AnswerTimes(RecordList, TimesPage):
    path = name = "answer-times"
    title = gettext_lazy("Response times")
    adds = "answer-time-new"
    add_label = gettext_lazy("New response time")
    none = gettext_lazy("No response times yet")
    count = ngettext_lazy("%(count)s response time", "%(count)s response times")
    rows = "web/conversations/times_rows.html"
    hint = gettext_lazy("Team")
    columns = (
        Column("team", gettext_lazy("Team")),
        Column("firstMinutes", gettext_lazy("First reply"), "firstMinutes", css="right num"),
        Column("nextMinutes", gettext_lazy("Later replies"), "nextMinutes", css="right num"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )


class TimesForm(RecordForm, TimesPage):
    def form(self, values: Values | None = None) -> Form:
        empty = _("Leave empty for no limit.")
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
    title = gettext_lazy("New response times")
    action = title
    added = gettext_lazy("Response time added")


class EditTimes(EditRecord, TimesForm):
    path = "answer-times/<str:id>"
    name = "answer-time"
    tab_name = gettext_lazy("Response time")
    saved = gettext_lazy("Response time saved")
    deleted = gettext_lazy("Response time deleted")

    def values(self) -> Values:
        return {**self.record, "team": (self.record["team"] or {}).get("_id", "")}
