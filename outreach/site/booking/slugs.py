"""Chosen addresses of booking pages, unique over all companies. A former one stays its company's and leads on."""

from __future__ import annotations

import re

from django.db import IntegrityError

from core.errors import NamedError, ValidationFailed
from core.tenancy import unscoped
from crm.records.writes.unique_names import save_unique_name
from outreach.site.booking.models import MAX_SLUG_LENGTH, TOKEN_LENGTH, BookingPage, BookingSlug

NAME_TAKEN, SLUG_TAKEN = "BookingPageNameAlreadyExists_400", "BookingPageSlugAlreadyExists_400"
MIN_SLUG_LENGTH = 3
MAX_SLUGS = 1000
"""Addresses of a company, former ones included: nobody else can choose them."""
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
RESERVED = frozenset(
    re.findall(
        r"[\w-]+",
        """about account accounts admin api app assets auth billing book booking bookings calendar contact docs
        edit help home invoice legal log-in log-out login logout mail new null password pay payment payments
        plan privacy public register reset root search security service settings sign-in sign-up signin signup
        site static status support system terms undefined user verify www""",
    )
)
"""Slugs that pages of the service may need, or that would look like the service's own."""


def check_slug(slug: str) -> str:
    """Return the slug as it is stored. Raises ValidationFailed."""
    slug = slug.lower()
    if not slug:
        return slug
    if not SLUG.fullmatch(slug):
        raise ValidationFailed(
            "the address has other characters",
            "use letters a to z, digits and single hyphens between them",
            field="slug",
        )
    if not MIN_SLUG_LENGTH <= len(slug) <= MAX_SLUG_LENGTH:
        detail = f"use {MIN_SLUG_LENGTH} to {MAX_SLUG_LENGTH} characters"
        raise ValidationFailed("the address has the wrong length", detail, field="slug")
    if len(slug) == TOKEN_LENGTH and slug.isalnum():
        raise ValidationFailed(
            "the address looks like a random one", "this looks like a random address; add a hyphen", field="slug"
        )
    if slug in RESERVED:
        raise ValidationFailed("the address is reserved", f"{slug!r} is reserved; choose another address", field="slug")
    return slug


def save_page(page: BookingPage) -> None:
    """Save the page. Raises BookingPageNameAlreadyExists_400 and BookingPageSlugAlreadyExists_400."""
    try:
        save_unique_name(page, NAME_TAKEN)
    except IntegrityError as error:
        if "slug_unique" not in str(error):
            raise
        raise _slug_taken(page.slug) from None
    if page.slug:
        _reserve_slug(page)


def former_page(slug: str) -> BookingPage | None:
    """Return the page that last had the slug, of any company."""
    with unscoped(reason="public booking page: the page whose former address it is"):
        row = BookingSlug.objects.select_related("page__company", "page__member").filter(slug=slug).first()
    return row.page if row is not None else None


def _reserve_slug(page: BookingPage) -> None:
    """Make the slug the company's for good. Raises BookingPageSlugAlreadyExists_400 if it is another company's."""
    if BookingSlug.objects.filter(slug=page.slug, page=page).exists():
        return
    if BookingSlug.objects.exclude(slug=page.slug).count() >= MAX_SLUGS:
        detail = f"your company has used {MAX_SLUGS:,} addresses; choose a former one"
        raise ValidationFailed("too many slugs", detail, field="slug")
    # Waits for a simultaneous transaction with the same slug, and then changes nothing.
    BookingSlug.objects.bulk_create([BookingSlug(slug=page.slug, page=page)], ignore_conflicts=True)
    # A former address of this company leads to the new page from now on.
    if not BookingSlug.objects.filter(slug=page.slug).update(page=page):
        raise _slug_taken(page.slug)


def _slug_taken(slug: str) -> NamedError:
    return NamedError(SLUG_TAKEN, f"{slug!r} is taken; {_free_slug(slug)!r} is free", field="slug")


def _free_slug(slug: str) -> str:
    """Return the slug with the lowest number that makes it free."""
    start = slug[: MAX_SLUG_LENGTH - 5].rstrip("-")
    with unscoped(reason="addresses of booking pages are unique over all companies"):
        taken = set(BookingSlug.objects.filter(slug__startswith=f"{start}-").values_list("slug", flat=True))
    return next(other for number in range(2, len(taken) + 3) if (other := f"{start}-{number}") not in taken)
