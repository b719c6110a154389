"""The page of one's own notifications in a company, and which ones one gets."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import Field, Form
from core.web.lists import ListState
from core.web.navigation.menu import registered_pages
from core.web.navigation.places import NOTIFICATIONS, SETTINGS, MenuItem
from core.web.pages import Page
from core.web.words.notice_topics import topic_fieldsets

SIZE = 30
SAME_PAGE = {"lead/import": "contact/import", **{f"mailvendor-{letter}": "mail-vendors" for letter in "abcdefgh"}}
"""Resource -> the one whose page shows it."""
WITHOUT_RECORD = {"plans": "plan", "apps/social-a": "social-apps", "my-calendar": "booking-hours", "task": "follow-ups"}
"""Resource -> the page that is about it as a whole."""


class NotificationPage(Page):
    """Shared parts of the pages of notifications."""

    menu = MenuItem(gettext_lazy("Notifications"), NOTIFICATIONS, 10, "bell", keywords=gettext_lazy("alerts news"))
    personal = True
    needs_subscription = False


class Notifications(NotificationPage):
    path = name = "notifications"
    title = gettext_lazy("Notifications")
    template = "web/notifications/list.html"

    def show(self) -> Values:
        only = self.request.GET.get("only") == "unread"
        state = ListState(self.request.GET, keeps=("only",))
        conditions = {"company": self.reader.company_id, **({"isRead": False} if only else {})}
        answer = self.require_ok(
            self.ask_private("GET", "notification", {**state.query(size=SIZE), "filters": conditions})
        )
        more = state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None
        rows = [{**notification, "address": self.address_of(notification)} for notification in answer.data]
        return {"notifications": rows, "more": more, "only": only}

    def address_of(self, notification: Values) -> str:
        """Return the address of its subject, or "" if there is none that the reader may open."""
        resource = SAME_PAGE.get(notification["resource"], notification["resource"])
        if resource in WITHOUT_RECORD:
            list_page = next(page for page in registered_pages() if page.name == WITHOUT_RECORD[resource])
            return self.address(list_page.name) if self.may_open(list_page) else ""
        page = next((page for page in registered_pages() if resource and page.record_kind[0] == resource), None)
        return (
            self.address(page.name, notification["record"])
            if page and notification["record"] and self.may_open(page)
            else ""
        )

    def do_read(self) -> HttpResponse:
        answer = self.ask_private("PUT", f"notification/{self.sent_id()}", None, {"isRead": True})
        return self.redirect_with_toast() if answer.ok else self.refuse(answer)

    def do_all(self) -> HttpResponse:
        answer = self.ask_private("PUT", "notification", None, {"company": self.reader.company_id})
        return self.redirect_with_toast(_("All marked as read")) if answer.ok else self.refuse(answer)


class NotificationChoice(NotificationPage):
    """The person's choice of notifications in the product."""

    path = "notifications/choose"
    name = "notifications-choose"
    title = gettext_lazy("Notification settings")
    template = "web/notifications/choose.html"
    menu = MenuItem(
        gettext_lazy("Notification settings"),
        SETTINGS,
        30,
        "bell",
        gettext_lazy("Your account"),
        gettext_lazy("alerts mute"),
    )
    purpose = gettext_lazy("Choose your notifications.")

    def form(self) -> Form:
        notices = self.require_ok(self.ask_private("GET", "notification/preferences")).data["notices"]
        is_on_by_kind = {notice["kind"]: notice["isOn"] for notice in notices}
        fields = [Field(notice["kind"], notice["title"], "switch") for notice in notices]
        return Form(fields=fields, initial=is_on_by_kind, fieldsets=topic_fieldsets(is_on_by_kind))

    def show(self) -> Values:
        return {"form": self.form()}

    def do_save(self) -> HttpResponse:
        form = self.form()
        values = form.bind(self.request.POST).values
        muted = [kind for kind, is_on in values.items() if not is_on]
        answer = self.ask_private("PUT", "profile", None, {"mutedNotices": muted})
        if not answer.ok:
            form.refuse(answer)
            return self.page({"form": form}, status=422)
        return self.redirect_with_toast(_("Saved"), self.address("notifications"))


PAGES = [Notifications, NotificationChoice]
