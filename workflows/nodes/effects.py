"""Descriptions of nodes' actions, in a sentence, from their rendered settings: dry runs show them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.text import get_text_list
from django.utils.translation import gettext

from accounts.models import Member
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import Values
from crm.pipelines.models import Stage
from crm.segments.models import Segment
from crm.teams.models import Team
from outreach.messaging.delivery.deciding.reasons import sentence_of
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.runs.campaigns.models import Campaign
from workflows.expressions.filters import ExpressionFailed, text_value
from workflows.nodes.base import Outcome

RECORD_EFFECTS = {
    "contact": {
        "create": gettext_lazy("Creates a contact with %(changes)s."),
        "upsert": gettext_lazy("Creates or changes a contact with %(changes)s."),
        "delete": gettext_lazy("Deletes the contact of the run."),
        "set": gettext_lazy("Sets %(changes)s of the contact of the run."),
        "append": gettext_lazy("Adds %(changes)s to the contact of the run."),
        "remove": gettext_lazy("Removes %(changes)s from the contact of the run."),
        "clear": gettext_lazy("Clears %(changes)s of the contact of the run."),
    },
    "lead": {
        "create": gettext_lazy("Creates a lead with %(changes)s."),
        "delete": gettext_lazy("Deletes the lead of the run."),
        "set": gettext_lazy("Sets %(changes)s of the lead of the run."),
        "append": gettext_lazy("Adds %(changes)s to the lead of the run."),
        "remove": gettext_lazy("Removes %(changes)s from the lead of the run."),
        "clear": gettext_lazy("Clears %(changes)s of the lead of the run."),
    },
}
"""Panel -> action, or the kind of an update -> effect."""
TAGS = ngettext_lazy("%(count)s tag", "%(count)s tags")
APPROVERS = {
    "members": ngettext_lazy("%(count)s member", "%(count)s members"),
    "roles": ngettext_lazy("%(count)s role", "%(count)s roles"),
}
SEARCHES = {
    "contact": ngettext_lazy("Looks for up to %(count)s contact.", "Looks for up to %(count)s contacts."),
    "lead": ngettext_lazy("Looks for up to %(count)s lead.", "Looks for up to %(count)s leads."),
}
NOTICES = ngettext_lazy("Notifies %(count)s member: %(text)s", "Notifies %(count)s members: %(text)s")
SEGMENT_EFFECTS = {
    "add": gettext_lazy("Adds the record of the run to the segment %(segment)s."),
    "remove": gettext_lazy("Removes the record of the run from the segment %(segment)s."),
}


def quote_value(value: Any, most: int = 100) -> str:
    """Return a value as a sentence quotes it."""
    try:
        words = value if isinstance(value, str) else text_value(value)
    except ExpressionFailed:
        return "“…”"
    return f"“{words if len(words) <= most else words[: most - 1] + '…'}”"


def of_record(panel: str) -> Callable[[Values], str]:
    def effect(settings: Values) -> str:
        changes = [f"{key} {quote_value(value)}" for key, value in list((settings.get("values") or {}).items())[:20]]
        changes += [TAGS.of(len(settings["tags"]))] if settings.get("tags") else []
        if settings.get("stage"):
            changes.append(gettext("the stage %(name)s") % {"name": _name(Stage, settings["stage"])})
        action = settings["updateType"] if settings["action"] == "update" else settings["action"]
        return RECORD_EFFECTS[panel][action] % {"changes": ", ".join(changes)}

    return effect


def of_tags(settings: Values) -> str:
    changes = {"add": "append", "remove": "remove", "set": "set"}
    text = RECORD_EFFECTS[settings["panel"]][changes[settings["action"]]]
    return text % {"changes": TAGS.of(len(settings["tags"]))}


def of_chat(settings: Values) -> str:
    if settings.get("to"):
        return gettext("Sends an approved chat template to %(to)s.") % {"to": quote_value(settings["to"])}
    return gettext("Sends an approved chat template to the contact of the run.")


def of_mail(content: Callable[[Values], str]) -> Callable[[Values], str]:
    """Return the effect of a node that writes a mail, with `content` for the description of its content."""

    def effect(settings: Values) -> str:
        if settings.get("to"):
            text = (
                gettext("Writes an email to %(to)s: %(content)s. The email waits for approval.")
                if settings.get("draft")
                else gettext("Writes an email to %(to)s: %(content)s.")
            )
        else:
            text = (
                gettext("Writes an email to the contact of the run: %(content)s. The email waits for approval.")
                if settings.get("draft")
                else gettext("Writes an email to the contact of the run: %(content)s.")
            )
        return text % {"to": quote_value(settings.get("to")), "content": content(settings)}

    return effect


def of_suppression(settings: Values) -> str:
    return gettext("Adds the contact of the run to the suppression list.")


def of_words(settings: Values) -> str:
    if settings.get("template"):
        return gettext("by the template %(name)s") % {"name": _name(EmailTemplate, settings["template"])}
    return quote_value(settings.get("subject"))


def of_prompt(settings: Values) -> str:
    return gettext("written by the AI app: %(prompt)s") % {"prompt": quote_value(settings["prompt"])}


def of_campaign(settings: Values) -> str:
    text = (
        gettext("Adds %(to)s to the campaign %(campaign)s.")
        if settings.get("to")
        else gettext("Adds the contact of the run to the campaign %(campaign)s.")
    )
    return text % {"to": quote_value(settings.get("to")), "campaign": _name(Campaign, settings["campaign"])}


def of_segment(settings: Values) -> str:
    return SEGMENT_EFFECTS[settings["action"]] % {"segment": _name(Segment, settings["segment"])}


def of_approval(settings: Values) -> str:
    groups = [text.of(len(settings[key])) for key, text in APPROVERS.items() if settings.get(key)]
    return gettext("Asks %(groups)s: %(text)s") % {
        "groups": get_text_list(groups, gettext("and")),
        "text": quote_value(settings["text"]),
    }


def of_call(settings: Values) -> str:
    text = (
        gettext("Logs an incoming call: %(outcome)s")
        if settings["direction"] == "inbound"
        else gettext("Logs an outgoing call: %(outcome)s")
    ) % settings
    return f"{text}: {quote_value(settings['notes'])}" if settings.get("notes") else f"{text}."


def of_meeting(settings: Values) -> str:
    values = {"title": quote_value(settings["title"]), "start": settings["startsAt"]}
    return gettext("Creates a meeting: %(title)s, %(start)s.") % values


def of_note(settings: Values) -> str:
    text = (
        gettext("Adds a note to the lead of the run: %(notes)s")
        if settings["panel"] == "lead"
        else gettext("Adds a note to the contact of the run: %(notes)s")
    )
    return text % {"notes": quote_value(settings["notes"])}


def of_task(settings: Values) -> str:
    return gettext("Adds a task to the lead of the run: %(title)s") % {"title": quote_value(settings["title"])}


def of_task_for_model(settings: Values) -> str:
    return gettext("Asks the AI model: %(task)s") % {"task": quote_value(settings["task"])}


def of_search(settings: Values) -> str:
    return SEARCHES[settings["panel"]].of(settings["limit"])


def of_notice(settings: Values) -> str:
    return NOTICES.of(len(settings["members"]), text=quote_value(settings["text"]))


def _name(model: type[Team | Member | Campaign | EmailTemplate | Segment | Stage], id: str) -> str:
    name = model.objects.filter(pk=id).values_list("name", flat=True).first()
    return quote_value(name) if name else gettext("(deleted)")


def of_assignment(settings: Values) -> str:
    team, member = settings.get("team"), settings.get("teamMember")
    if team and member:
        text = gettext("Assigns the lead of the run to the team %(team)s and the member %(member)s.")
    elif team:
        text = gettext("Assigns the lead of the run to the team %(team)s.")
    else:
        text = gettext("Assigns the lead of the run to the member %(member)s.")
    names = {"team": team and _name(Team, team), "member": member and _name(Member, member)}
    return text % names


def of_unsent(outcome: Outcome) -> str | None:
    """Return the effect of a message that is not sent, with the reason; None for any other outcome."""
    if outcome.handle != "suppressed" or not isinstance(outcome.output, dict):
        return None
    return gettext("Sends no message. %(reason)s") % {"reason": sentence_of(str(outcome.output.get("reason") or ""))}
