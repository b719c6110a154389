"""Endpoints of booking pages, of bookable hours and of bookings."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from core.access.callers import caller_of
from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import FieldError, InvalidFormat, NamedError, ValidationFailed, shorten
from core.ids import new_id
from core.tenancy import company_scope
from core.text.timezones import is_timezone
from core.types import JsonObject, Values
from crm.records.datetimes import read_datetime
from outreach.site.booking import services
from outreach.site.booking.answers import read_visitor
from outreach.site.booking.filters import BOOKING_FIELDS, BOOKING_PAGE_FIELDS
from outreach.site.booking.mails import booking_address
from outreach.site.booking.models import Booking, BookingPage
from outreach.site.booking.reservations import READS, TAKEN, TRIES, book, find_page
from outreach.site.booking.serializers import (
    BookableHoursOut,
    BookedOut,
    BookingOut,
    BookingPageCreate,
    BookingPageDelete,
    BookingPageOut,
    BookingPageUpdate,
    HoursUpdate,
    PublicBook,
    PublicPageOut,
    SlotsOut,
)
from outreach.site.booking.slots import free_slots, zone_name
from outreach.site.booking.slugs import NAME_TAKEN, SLUG_TAKEN
from outreach.site.forms.submissions import issue_page_id, read_page_id

NOT_FOUND = (services.NOT_FOUND,)
WRONG = (
    NAME_TAKEN,
    SLUG_TAKEN,
    "MemberNotFound_404",
    "MemberNotAccepted_400",
    "TeamNotFound_400",
    "InvalidTimezone_400",
    "InvalidInput_400",
    "UnauthorizedAction_403",
)
MAX_SPAN = timedelta(days=31)
SPAN = (
    OpenApiParameter("from", str, description="A time; without it now."),
    OpenApiParameter("to", str, description="A time, at most 31 days later; without it 7 days later."),
)


def _slots(page: BookingPage, params: Values) -> list[dict[str, datetime]]:
    start = read_datetime("from", params["from"]) if params.get("from") else timezone.now()
    end = read_datetime("to", params["to"]) if params.get("to") else start + timedelta(days=7)
    if not start < end <= start + MAX_SPAN:
        raise NamedError("InvalidInput_400", "comes after from, and at most 31 days after it", field="to")
    length = timedelta(minutes=page.duration_minutes)
    return [{"startsAt": at, "endsAt": at + length} for at in free_slots(page, start, end)]


def _shown_pages(request: ListRequest) -> QuerySet[BookingPage]:
    return services.pages_of(request.actor)


def _shown_bookings(request: ListRequest) -> QuerySet[Booking]:
    rows = Booking.objects.all()
    return rows if services.sees_all(request.actor) else rows.filter(member_id=request.actor.member_id)


class BookingPageViewSet(ResourceViewSet):
    module = services.ALL
    alternate_modules = (services.OWN,)
    listing = Listing(
        "List booking pages",
        _shown_pages,
        BOOKING_PAGE_FIELDS,
        BookingPageOut,
        whole=(services.ALL,),
        description="With my-calendar alone one's own.",
    )

    @endpoint(
        "Create a booking page",
        input=BookingPageCreate,
        output=BookingPageOut,
        success="BookingPageCreated_201",
        errors=WRONG,
        description="It can be booked at once, at `url`. With my-calendar alone it is one's own.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self._page_data(services.create_page(actor=self.actor, values=data).pk)

    @endpoint("Read a booking page", output=BookingPageOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return self._page_data(id)

    @endpoint(
        "Update a booking page",
        input=BookingPageUpdate,
        output=BookingPageOut,
        success="BookingPageUpdated_200",
        errors=(*NOT_FOUND, *WRONG),
        description="Visitors see it at once; what is booked stays.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        services.update_page(id=id, actor=self.actor, values=data)
        return self._page_data(id)

    @endpoint(
        "Delete booking pages",
        input=BookingPageDelete,
        output=Deleted,
        bulk=True,
        success="BookingPagesDeleted_200",
        errors=NOT_FOUND,
        description="What is booked stays.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_pages(actor=self.actor, selection=self.selection())}

    @action(detail=True)
    @endpoint(
        "Read the times that a booking page offers",
        output=SlotsOut,
        parameters=SPAN,
        errors=(*NOT_FOUND, "InvalidInput_400"),
    )
    def slots(self, request: Request, id: str) -> object:
        page = services.get_page(id, self.actor)
        return {"timezone": zone_name(page), "slots": _slots(page, request.query_params)}

    def _page_data(self, id: str) -> JsonObject:
        page = BookingPageOut.one(services.pages_of(self.actor).filter(pk=id))
        if page is None:
            raise services.not_found()
        return page


class BookingViewSet(ResourceViewSet):
    module = services.ALL
    alternate_modules = (services.OWN,)
    listing = Listing(
        "List what was booked",
        _shown_bookings,
        BOOKING_FIELDS,
        BookingOut,
        whole=(services.ALL,),
        description="Its meeting says whether it stands. With my-calendar alone what was booked with oneself.",
    )

    @endpoint("Read what was booked", output=BookingOut, errors=("BookingNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        booking = BookingOut.one(_shown_bookings(self.list_request()).filter(pk=id))
        if booking is None:
            raise NamedError("BookingNotFound_404", "nothing with this id was booked in this company", field="id")
        return booking


class HoursViewSet(ResourceViewSet):
    module = services.OWN
    singleton = True

    @endpoint(
        "Read the own bookable hours",
        description="Days and hours at which visitors can book the asking member, and days away.",
        output=BookableHoursOut,
    )
    def retrieve(self, request: Request) -> object:
        return services.read_hours(self.actor.member_id)

    @endpoint(
        "Change the own bookable hours",
        input=HoursUpdate,
        output=BookableHoursOut,
        success="BookableHoursChanged_200",
        errors=("InvalidTimezone_400",),
        description="By the clocks of the time zone, summer and winter. `days` and `away` are each replaced as a whole;"
        " what is booked stays.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        services.change_hours(member_id=self.actor.member_id, values=data)
        return services.read_hours(self.actor.member_id)


class PublicBookingViewSet(ResourceViewSet):
    """Endpoints of public booking for programs; people use the page (outreach.site.booking.public)."""

    public = True
    singleton = True

    @endpoint(
        "Read a public booking page",
        output=PublicPageOut,
        parameters=SPAN,
        errors=(*NOT_FOUND, "InvalidInput_400"),
        limited=True,
    )
    def retrieve(self, request: Request, token: str) -> object:
        READS.count(caller_of(request).network)
        page = self._page(token)
        with company_scope(page.company_id):
            slots, zone = _slots(page, request.query_params), zone_name(page)
        shown = ("key", "label", "type", "required", "options", "help")
        return {
            "title": page.heading,
            "text": page.text,
            "colour": page.colour,
            "timezone": zone,
            "durationMinutes": page.duration_minutes,
            "fields": [{name: field[name] for name in shown} for field in page.fields],
            "slots": slots,
            "page": issue_page_id(page),
        }

    @endpoint(
        "Book a time",
        input=PublicBook,
        output=BookedOut,
        success="Booked_201",
        errors=(*NOT_FOUND, TAKEN, "PlanLimitExceeded_403"),
        limited=True,
        description=(
            "At most five a minute and 100 a day by one network, ten of them with the same address, and 30 tries a"
            " minute with those that are refused."
            " Of two who take the same time at once one gets it."
        ),
    )
    def create(self, request: Request, token: str, data: JsonObject) -> object:
        page = self._page(token)
        network = caller_of(request).network
        TRIES.count(f"{page.pk} {network}")
        keys = {field["key"] for field in page.fields}
        if unknown := [key for key in data["answers"] if key not in keys]:
            raise ValidationFailed(
                "answers: unknown", "the page has no such field", field=f"answers.{shorten(unknown[0], 60)}"
            )
        read = read_visitor(page, data["answers"], data["timezone"])
        if read.visitor is None:
            key, text = next(iter(read.errors.items()))
            detail = "; ".join(f"answers.{name}: {said}" for name, said in read.errors.items())
            fields = [FieldError(field=f"answers.{name}", message=said) for name, said in read.errors.items()]
            raise ValidationFailed(f"answers.{key}: {text}", detail, errors=fields)
        if data["timezone"] and not is_timezone(data["timezone"]):
            raise InvalidFormat("timezone", data["timezone"], "write a name such as Europe/Berlin", field="timezone")
        sent = read_page_id(page, data["page"]) if data["page"] else (new_id(), None)
        if sent is None:
            raise ValidationFailed(
                "page is not valid", "read the page anew; this was for another or is old", field="page"
            )
        with company_scope(page.company_id):
            at = read_datetime("startsAt", data["starts_at"])
            booking = book(page, at=at, visitor=read.visitor, sent_id=sent[0], network=network)
            meeting = booking.meeting
        return {
            "startsAt": meeting.starts_at,
            "endsAt": meeting.ends_at,
            "title": page.heading,
            "place": meeting.place,
            "link": meeting.link,
            "url": booking_address(booking.token),
        }

    def _page(self, token: str) -> BookingPage:
        page = find_page(token)
        if page is None:
            raise NamedError(services.NOT_FOUND, "there is no such page, or it takes no bookings now", field="token")
        return page
