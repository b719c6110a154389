"""The kinds of notices; notificationSettings decide which are sent (accounts.members.notices)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    """A kind of notice; its mail is the template templates/mails/<template>."""

    key: str
    title: str
    template: str
    on: bool = True
    """Whether it is mailed when the company has said nothing."""


NOTICES: dict[str, Notice] = {}


def register_notice(notice: Notice) -> None:
    """Make a kind known to settings and to `notify`."""
    NOTICES[notice.key] = notice
