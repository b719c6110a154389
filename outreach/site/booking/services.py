"""Use cases of booking pages and of members' bookable hours."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.crypto import get_random_string

from core.access import Actor
from core.errors import NamedError, ValidationFailed
from core.lists import BulkSelection, in_batches
from core.types import JsonObject, Values
from crm.activities.participants import check_member
from crm.contacts.schema import ContactSchema
from crm.leads.sources import check_source
from crm.meetings.models import Meeting, VideoSettings
from crm.meetings.providers.registry import PROVIDERS
from crm.records.datetimes import check_timezone
from crm.teams.models import Team
from outreach.site.booking.hours import WORKING, check_days
from outreach.site.booking.models import TOKEN_LENGTH, BookingPage, MemberHours
from outreach.site.booking.slots import members_of
from outreach.site.booking.slugs import check_slug, save_page
from outreach.site.forms.kinds import CHOICES, KEY

NOT_FOUND = "BookingPageNotFound_404"
ALL, OWN = "calendar", "my-calendar"
"""The permission modules: of everybody's pages, and of one's own."""
MAX_PAGES = 200
MAX_QUESTIONS = 20
"""Pages of a company, and questions of a page."""
MAX_LENGTH = 480
MAX_NOTICE = 60 * 24 * 30
MAX_DAYS = 90
TAKEN_KEYS = ("name", "email", "phone")
NO_LINK = "choose a video call provider; the company's settings have none"
NO_PROVIDER = "noVideoProvider"
"""Code of the refusal of a page whose calls would have no link."""
DECIDE_LINK = frozenset({"kind", "video_provider", "is_active", "member", "team"})
"""Fields of a page that decide whether its meetings get links."""
LINKS = {"member": "member_id", "team": "team_id"}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def sees_all(actor: Actor, method: str = "GET") -> bool:
    """Return whether the actor may use the method on everybody's pages, or on their own alone."""
    return actor.is_unbounded or actor.may(ALL, method)


def pages_of(actor: Actor, method: str = "GET") -> QuerySet[BookingPage]:
    """Return the pages that the actor may use the method on."""
    rows = BookingPage.objects.all()
    return rows if sees_all(actor, method) else rows.filter(member_id=actor.member_id)


def not_found() -> NamedError:
    """Return the error for an id that belongs to no page of the company, or to none that the caller may see."""
    return NamedError(NOT_FOUND, "there is no such booking page in this company", field="id")


def get_page(id: str, actor: Actor, method: str = "GET") -> BookingPage:
    """Return the page. Raises BookingPageNotFound_404."""
    page = pages_of(actor, method).filter(pk=id).first()
    if page is None:
        raise not_found()
    return page


@transaction.atomic
def create_page(*, actor: Actor, values: Values) -> BookingPage:
    """Create a page for the actor unless another member or a team is named.

    Raises the errors of `save_page`, MemberNotFound_404, MemberNotAccepted_400 and TeamNotFound_400. Raises
    InvalidTimezone_400, InvalidInput_400, UnauthorizedAction_403 and ValidationFailed.
    """
    if BookingPage.objects.count() >= MAX_PAGES:
        raise ValidationFailed(
            "name: too many", f"a company has at most {MAX_PAGES} booking pages; delete one", field="name"
        )
    page = BookingPage(
        token=get_random_string(TOKEN_LENGTH), created_by_id=actor.member_id, updated_by_id=actor.member_id
    )
    if not values.get("member") and not values.get("team"):
        values = {**values, "member": actor.member_id}
    if "step_minutes" not in values and "duration_minutes" in values:
        values = {**values, "step_minutes": values["duration_minutes"]}
    if "asks_phone" not in values:  # without a number that contacts must have nobody who books becomes one
        values = {**values, "asks_phone": "number" in ContactSchema.load().required_system}
    _set(page, actor, values, "POST")
    save_page(page)
    return page


@transaction.atomic
def update_page(*, id: str, actor: Actor, values: Values) -> None:
    """Change a page; existing bookings stay. Raises BookingPageNotFound_404 and those of `create_page`."""
    page = pages_of(actor, "PUT").select_for_update(of=("self",)).filter(pk=id).first()
    if page is None:
        raise not_found()
    _set(page, actor, values, "PUT")
    page.updated_by_id = actor.member_id
    save_page(page)


@transaction.atomic
def delete_pages(*, actor: Actor, selection: BulkSelection) -> int:
    """Delete pages; existing bookings stay. Return their number. Raises BookingPageNotFound_404."""
    deleted = 0
    for ids in in_batches(selection.apply(pages_of(actor, "DELETE")), lock=True):
        BookingPage.objects.filter(pk__in=ids).delete()
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a booking page of this company", field="ids")
    return deleted


def _set(page: BookingPage, actor: Actor, values: Values, method: str) -> None:
    source = page.lead_source
    for name, value in values.items():
        setattr(page, LINKS.get(name, name), value)
    if "member" in values and page.member_id:
        page.team_id = None if "team" not in values else page.team_id
    elif "team" in values and page.team_id:
        page.member_id = None
    if bool(page.member_id) == bool(page.team_id):
        raise NamedError("InvalidInput_400", "choose a member or a team", field=("member", "team"))
    if page.member_id != actor.member_id and not sees_all(actor, method):
        raise NamedError(
            "UnauthorizedAction_403", "choose yourself; your role allows only your own booking pages", field="member"
        )
    if values.get("member"):
        check_member("member", page.member_id or "")
    if values.get("team") and not Team.objects.filter(pk=page.team_id).exists():
        raise NamedError("TeamNotFound_400", f"there is no team {page.team_id} in this company", field="team")
    if page.lead_source != source:
        page.lead_source = check_source(page.lead_source)
    if page.video_provider and page.video_provider not in PROVIDERS:
        raise NamedError("InvalidInput_400", f"choose {' or '.join(PROVIDERS)}", field="videoProvider")
    # Only when it matters: a page that lost its link later can still be edited otherwise.
    if page.is_active and page.kind == Meeting.Kind.ONLINE and (page._state.adding or DECIDE_LINK & values.keys()):
        _check_link(page)
    if "timezone" in values and page.timezone:
        check_timezone(page.timezone)
    if "days" in values:
        page.days = check_days(page.days)
    if "slug" in values:
        page.slug = check_slug(page.slug)
    if "questions" in values:
        page.questions = _validate_questions(page.questions)
    if "colour" in values:
        page.colour = page.colour.lower()
        if not _COLOUR.fullmatch(page.colour):
            raise ValidationFailed("colour is none", "enter a color, such as #2f5bea", field="colour")


def _check_link(page: BookingPage) -> None:
    """Raise InvalidInput_400 for a page of video calls that would be booked without a link."""
    settings = VideoSettings.objects.first() or VideoSettings()
    key = page.video_provider or settings.provider
    if not key:
        raise NamedError("InvalidInput_400", NO_LINK, field="videoProvider", code=NO_PROVIDER)
    if key not in PROVIDERS:
        raise NamedError("InvalidInput_400", f"choose {' or '.join(PROVIDERS)}", field="videoProvider")
    for member in members_of(page):  # whoever of a team has no link to give would be booked without
        if problem := PROVIDERS[key].refusal(member.pk, settings):
            raise NamedError("InvalidInput_400", f"{member}: {problem}", field="videoProvider", code=NO_PROVIDER)


def _validate_questions(questions: list[JsonObject]) -> list[JsonObject]:
    """Return the questions as they are stored. Raises ValidationFailed, which names the one."""
    # Questions share their names with the fields that each form has.
    seen = set(TAKEN_KEYS)
    stored = []
    for place, question in enumerate(questions):
        where = f"questions.{place}"
        if not KEY.fullmatch(question["key"]):
            raise ValidationFailed(
                f"{where}.key is none", "begin with a letter; use letters, digits, - and _", field=f"{where}.key"
            )
        if question["key"] in seen:
            raise ValidationFailed(
                f"{where}.key is taken", f"enter another key; {question['key']} is taken", field=f"{where}.key"
            )
        seen.add(question["key"])
        options = list(dict.fromkeys(question["options"])) if question["type"] in CHOICES else []
        if question["type"] in CHOICES and not options:
            raise ValidationFailed(
                f"{where}.options are missing", "enter at least one option", field=f"{where}.options"
            )
        stored.append({**question, "options": options})
    return stored


def read_hours(member_id: str) -> JsonObject:
    """Return when the member can be booked."""
    hours = MemberHours.objects.filter(member_id=member_id).first() or MemberHours(days=WORKING)
    return {"timezone": hours.timezone, "days": hours.days, "away": hours.away, "updatedAt": hours.updated_at}


@transaction.atomic
def change_hours(*, member_id: str, values: Values) -> None:
    """Change the member's bookable hours; existing bookings stay. Raises InvalidTimezone_400, ValidationFailed."""
    fields = dict(values)
    if fields.get("timezone"):
        check_timezone(fields["timezone"])
    if "days" in fields:
        fields["days"] = check_days(fields["days"])
    if "away" in fields:
        fields["away"] = sorted(fields["away"], key=lambda span: (span["from"], span["to"]))
    MemberHours.objects.update_or_create(
        member_id=member_id, defaults=fields, create_defaults={"days": WORKING, **fields}
    )


def forget_members(ids: Sequence[str]) -> None:
    """Close the pages of members who have left, in the transaction that removes them."""
    BookingPage.objects.filter(Q(member_id__in=ids)).update(is_active=False)
