"""The kinds of notices. notificationSettings switch them; accounts.members.notices sends them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    """A kind of notice; its mail is the template templates/mails/<template>."""

    key: str
    title: str
    template: str
    on: bool = True
    """Default: the notice is mailed unless the company has switched it off."""


NOTICES: dict[str, Notice] = {}


def register_notice(notice: Notice) -> None:
    """Add a kind of notice."""
    NOTICES[notice.key] = notice
