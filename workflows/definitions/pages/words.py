"""Labels of the forms of steps, if the names and texts of the API are not clear enough."""

from __future__ import annotations

from core.text.translation import gettext_lazy

LABELS = {
    "config.filter": gettext_lazy("Only if"),
    "config.segment": gettext_lazy("Segment"),
    "config.panel": gettext_lazy("Of"),
    "config.idempotent": gettext_lazy("Allow repeated calls"),
    "config.offset": gettext_lazy("Days after (negative: before)"),
    "config.window": gettext_lazy("Only in these hours"),
    "config.window.timezone": gettext_lazy("Time zone"),
    "config.teamMember": gettext_lazy("Member"),
    "config.costCap": gettext_lazy("Cost limit"),
    "config.for": gettext_lazy("How long"),
    "config.until": gettext_lazy("Until"),
    "config.updateType": gettext_lazy("How values change"),
    "config.auth": gettext_lazy("Secret"),
    "config.auth.how": gettext_lazy("As"),
    "config.auth.header": gettext_lazy("Header name"),
    "config.changedFields": gettext_lazy("Only if one of these changed"),
    "schedule.type": gettext_lazy("When"),
    "schedule.cron": gettext_lazy("Cron expression"),
    "schedule.every": gettext_lazy("Every"),
    "schedule.field": gettext_lazy("A date of each record"),
    "schedule.field.panel": gettext_lazy("Of"),
    "schedule.field.name": gettext_lazy("Field"),
    "schedule.field.offset": gettext_lazy("Days after (negative: before)"),
    "schedule.field.at": gettext_lazy("At"),
    "schedule.field.yearly": gettext_lazy("Each year on the day"),
    "schedule.timezone": gettext_lazy("Time zone"),
    "schedule.from": gettext_lazy("From"),
    "schedule.until": gettext_lazy("Until"),
    "schedule.audience.panel": gettext_lazy("Of"),
    "schedule.audience.filter": gettext_lazy("Only if"),
    "schedule.at": gettext_lazy("Times, one per line"),
    "schedule.misfire": gettext_lazy("Missed times"),
    "schedule.audience": gettext_lazy("For many records"),
    "onError.then": gettext_lazy("After the last attempt"),
    "onError.retry": gettext_lazy("Try again"),
    "onError.retry.attempts": gettext_lazy("How often"),
    "onError.retry.delay": gettext_lazy("Wait between attempts"),
    "onError.retry.backoff": gettext_lazy("The wait"),
    "onError.retry.max": gettext_lazy("Longest wait"),
    "onError.unknown": gettext_lazy("If it is unclear whether a call was made"),
}
"""Path of a setting -> its label."""
PANELS = {"contact": gettext_lazy("Contact"), "lead": gettext_lazy("Lead")}
WORDS = {
    "config.panel": PANELS,
    "schedule.field.panel": PANELS,
    "schedule.audience.panel": {"contact": gettext_lazy("Contacts"), "lead": gettext_lazy("Leads")},
    "config.since": {"run": gettext_lazy("Since the run began"), "node": gettext_lazy("From this step on")},
    "config.mode": {
        "list": gettext_lazy("For each item of a list"),
        "while": gettext_lazy("While conditions match"),
        "all": gettext_lazy("All remaining branches"),
        "first": gettext_lazy("The first branch"),
        "count": gettext_lazy("A number of branches"),
    },
    "onError.retry.backoff": {
        "exponential": gettext_lazy("Doubles with each attempt"),
        "fixed": gettext_lazy("Stays the same"),
    },
    "onError.unknown": {
        "fail": gettext_lazy("Fail the run"),
        "continue": gettext_lazy("Continue"),
        "branch": gettext_lazy("Continue at “If it fails”"),
        "retry": gettext_lazy("Call again"),
    },
    "onError.then": {
        "fail": gettext_lazy("Fail the run"),
        "continue": gettext_lazy("Continue"),
        "branch": gettext_lazy("Continue at “If it fails”"),
    },
    "config.auth.how": {
        "bearer": gettext_lazy("Bearer token"),
        "basic": gettext_lazy("User and password"),
        "header": gettext_lazy("A header"),
        "signature": gettext_lazy("Body signature"),
    },
    "config.updateType": {
        "set": gettext_lazy("Set to"),
        "append": gettext_lazy("Add"),
        "remove": gettext_lazy("Remove"),
        "clear": gettext_lazy("Empty"),
    },
    "schedule.misfire": {
        "once": gettext_lazy("Start one run"),
        "skip": gettext_lazy("Skip"),
        "all": gettext_lazy("Start a run each, at most 100"),
    },
    "schedule.type": {
        "cron": gettext_lazy("On days, at a time"),
        "interval": gettext_lazy("Repeatedly"),
        "dates": gettext_lazy("At these times"),
        "field": gettext_lazy("Date of each contact or lead"),
    },
}
"""Path of a setting -> value -> its label."""
HELPS = {
    "config.filter": "",
    "config.window.timezone": gettext_lazy("Leave empty to use the company's."),
    "config.since": "",
    "config.mode": "",
    "config.event": "",
    "config.idempotent": gettext_lazy("The receiver ignores repeated calls with the same Idempotency-Key."),
    "schedule.cron": gettext_lazy("Minute, hour, day, month and weekday, such as 0 9 * * 1-5."),
    "schedule.timezone": "",
    "schedule.field": "",
    "schedule.field.name": gettext_lazy("A date field, such as createdAt or the key of a custom field."),
    "schedule.field.offset": "",
    "schedule.audience": gettext_lazy("Starts a run for each matching record."),
    "schedule.audience.filter": "",
    "schedule.misfire": "",
    "schedule.from": gettext_lazy("In your time zone. Leave empty to start now."),
    "schedule.until": gettext_lazy("In your time zone. Leave empty for no end."),
    "schedule.at": gettext_lazy("In your time zone."),
    "onError.unknown": "",
}
"""Path of a setting -> the help below it in place of the API's text; empty for none."""
