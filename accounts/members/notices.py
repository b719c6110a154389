"""Notices to a company's members in the product and by mail, of the kinds in accounts.settings.notices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accounts.mails.services import queue_mail, render_subject
from accounts.members.models import Member
from accounts.notifications.services import remember
from accounts.settings.models import CompanySettings
from accounts.settings.notices import NOTICES
from core.tenancy import company_id
from core.types import JsonObject

PRESENT = (Member.Status.OWNER, Member.Status.ACCEPTED)


def notify(
    key: str,
    context: JsonObject,
    *,
    members: Sequence[Member | None] | None = None,
    about: tuple[str, str] | None = None,
) -> int:
    """Notify the members in the product and by mail, in the caller's transaction. Return the number of mails.

    The default receivers are the active company's owners. A notice that the company has switched off is not mailed.
    Members who have left or are blocked, and None, are skipped. `about` is the resource and the id of the record that
    the notice is about.
    """
    notice = NOTICES[key]
    receivers = list(_owners() if members is None else _present_members(members))
    if not receivers:
        return 0
    remember(key, render_subject(notice.template, context, company_id=company_id()), members=receivers, about=about)
    settings_by_kind = CompanySettings.objects.values_list("notification_settings", flat=True).first() or {}
    if not settings_by_kind.get(key, {}).get("email", notice.on):
        return 0
    for member in receivers:
        queue_mail(notice.template, to=member.email, context={**context, "member": member}, company_id=company_id())
    return len(receivers)


def members_who_may(module: str, method: str) -> list[Member]:
    """Return the active company's owners, and the members whose role lets them use the method on the module."""
    members = Member.objects.filter(status__in=PRESENT).select_related("role").order_by("pk")
    return [member for member in members if member.may(module, method)]


def _owners() -> Iterable[Member]:
    owners: Iterable[Member] = Member.objects.filter(status=Member.Status.OWNER).order_by("pk")
    return owners


def _present_members(members: Sequence[Member | None]) -> Iterable[Member]:
    return (member for member in members if member is not None and member.status in PRESENT)
