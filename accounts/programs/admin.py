"""Back office pages of partnerships, referrals and the rewards that they bring."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminDecimalFieldWidget, UnfoldAdminTextareaWidget, UnfoldBooleanSwitchWidget

from accounts.programs.models import PartnerProgram, ReferProgram, Referral, Reward, RewardTransition
from accounts.programs.rewards import balances, claw_back_reward, pay_reward, payouts, settle_reward
from accounts.programs.services import approve_partnership, reject_partnership, revoke_partnership
from accounts.users.models import User
from core.backoffice.admin import BackOfficeAdmin
from core.backoffice.columns import Tones, badge, choice_text
from core.backoffice.dialogs import dialog_action, has_status
from core.backoffice.panels import ROWS, list_address, register_panel, render_link, render_table
from core.text.formats import money_text
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

COLOURS = Tones(
    {
        "requested": "info",
        "approved": "success",
        "active": "success",
        "rejected": "warning",
        "revoked": "danger",
        "pending": "info",
        "earned": "warning",
        "paid": "success",
        "clawed_back": "danger",
    }
)
BY_BENEFICIARY = ("beneficiary", AutocompleteSelectFilter)
PAYOUTS = 50
"""Lines of the payout overview."""


def note_field(text: str, *, required: bool = False, longest: int = 2000) -> forms.CharField:
    """Return a field for a short note."""
    return forms.CharField(
        required=required, max_length=longest, help_text=text, widget=UnfoldAdminTextareaWidget({"rows": 3})
    )


class DecisionForm(forms.Form):
    """A note to the person whose partnership is decided on."""

    note = note_field(_("The partner sees this note by email and in the account."))


class ApprovalForm(DecisionForm):
    """The note, and the partner's share."""

    commission_percent = forms.DecimalField(
        min_value=0,
        max_value=100,
        max_digits=5,
        decimal_places=2,
        required=False,
        help_text=_("Percent of each payment. Leave empty to keep it."),
        widget=UnfoldAdminDecimalFieldWidget(),
    )


class RevocationForm(DecisionForm):
    """The note, and the treatment of unpaid rewards."""

    claw_back = forms.BooleanField(
        label=_("Claw back unpaid rewards"),
        required=False,
        help_text=_("Leave off to keep unpaid rewards."),
        widget=UnfoldBooleanSwitchWidget(),
    )


class ClawBackForm(forms.Form):
    """The reason for clawing a reward back."""

    note = note_field(_("The ledger keeps this note."), required=True, longest=300)


def staff_of(request: HttpRequest) -> User:
    """Return the staff member who acts. A login is required."""
    return cast(User, request.user)


@admin.register(PartnerProgram)
class PartnerProgramAdmin(BackOfficeAdmin):
    """Partnerships: asked for by people, decided on here."""

    icon = "handshake"
    title_needs = ("user",)
    edits = ("commission_percent",)
    dialogs = ("approve", "reject", "revoke")
    when: ClassVar[Any] = {
        "approve": has_status("requested", "rejected", "revoked"),
        "reject": has_status("requested"),
        "revoke": has_status("approved"),
    }
    list_display = ("user", "state", "code", "commission_percent", "requested_at", "decided_at", "decided_by")
    list_filter = (("status", ChoicesDropdownFilter),)
    search_fields = ("=id", "=code", "user__email", "user__name")
    search_help_text = _("Email, name, code or id")

    state = badge("status", COLOURS)

    @dialog_action(ApprovalForm, _("Approve"), permission="accounts.change_partnerprogram")
    def approve(
        self, request: HttpRequest, program: PartnerProgram, *, note: str, commission_percent: Decimal | None
    ) -> None:
        approve_partnership(
            program_id=program.pk, by=staff_of(request), note=note, commission_percent=commission_percent
        )
        self.log_change(request, program, _("Approved."))

    @dialog_action(DecisionForm, _("Reject"), permission="accounts.change_partnerprogram")
    def reject(self, request: HttpRequest, program: PartnerProgram, *, note: str) -> None:
        reject_partnership(program_id=program.pk, by=staff_of(request), note=note)
        self.log_change(request, program, _("Rejected."))

    @dialog_action(RevocationForm, _("Revoke"), permission="accounts.change_partnerprogram")
    def revoke(self, request: HttpRequest, program: PartnerProgram, *, note: str, claw_back: bool) -> None:
        revoke_partnership(program_id=program.pk, by=staff_of(request), note=note, claw_back=claw_back)
        self.log_change(request, program, _("Revoked, and clawed back unpaid rewards.") if claw_back else _("Revoked."))


@admin.register(ReferProgram)
class ReferProgramAdmin(BackOfficeAdmin):
    """People in the referral program."""

    icon = "campaign"
    title_needs = ("user",)
    list_display = ("user", "state", "code", "created_at")
    list_filter = (("status", ChoicesDropdownFilter),)
    search_fields = ("=id", "=code", "user__email", "user__name")
    search_help_text = _("Email, name, code or id")

    state = badge("status", COLOURS)


@admin.register(Referral)
class ReferralAdmin(BackOfficeAdmin):
    """Referrals of people, with their referrers."""

    icon = "group_add"
    title_needs = ("user",)
    list_display = ("user", "referrer", "program", "code", "referred_company", "created_at")
    list_filter = (("program", ChoicesDropdownFilter), ("referrer", AutocompleteSelectFilter))
    search_fields = ("=id", "=code", "user__email", "referrer__email", "referred_company__name")
    search_help_text = _("Email of either person, company, code or id")


@admin.register(Reward)
class RewardAdmin(BackOfficeAdmin):
    """The ledger of rewards, with the due payouts above it."""

    icon = "redeem"
    dialogs = ("claw_back",)
    commands = ("pay", "settle")
    when: ClassVar[Any] = {
        "pay": lambda reward: reward.state == Reward.State.EARNED,
        "settle": lambda reward: (
            reward.state == Reward.State.CLAWED_BACK and reward.paid_at is not None and reward.settled_at is None
        ),
        "claw_back": lambda reward: reward.state != Reward.State.CLAWED_BACK,
    }
    list_before_template = "admin/payouts.html"
    list_display = ("money", "beneficiary", "state_label", "program", "source", "created_at", "matures_at")
    list_filter = (("state", ChoicesDropdownFilter), ("program", ChoicesDropdownFilter), BY_BENEFICIARY)
    search_fields = ("=id", "=source", "=currency", "beneficiary__email")
    search_help_text = _("Beneficiary's email, source, currency or id")

    @admin.display(description=_("amount"), ordering="amount")
    def money(self, reward: Reward) -> str:
        return money_text(reward.amount, reward.currency)

    @display(description=_("state"), ordering="state", label=COLOURS)
    def state_label(self, reward: Reward) -> tuple[str, str]:
        is_owed = reward.state == Reward.State.CLAWED_BACK and reward.paid_at and not reward.settled_at
        return reward.state, _("Clawed back, to be repaid") if is_owed else choice_text(reward, "state")

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in ("referral__id__exact", "currency__exact") or super().lookup_allowed(lookup, value, request)

    def changelist_view(self, request: HttpRequest, extra_context: JsonObject | None = None) -> HttpResponse:
        page: HttpResponse = super().changelist_view(request, {**(extra_context or {}), "payouts": payout_table()})
        return page

    @admin.display(description=_("Mark as paid"))
    def pay(self, request: HttpRequest, rows: QuerySet[Reward]) -> None:
        self.each(
            request, rows, lambda reward: pay_reward(reward_id=reward.pk, by=staff_of(request)), _("Marked as paid")
        )

    @admin.display(description=_("Mark as repaid"))
    def settle(self, request: HttpRequest, rows: QuerySet[Reward]) -> None:
        self.each(
            request,
            rows,
            lambda reward: settle_reward(reward_id=reward.pk, by=staff_of(request)),
            _("Marked as repaid"),
        )

    @dialog_action(ClawBackForm, _("Claw back"), permission="accounts.change_reward")
    def claw_back(self, request: HttpRequest, reward: Reward, *, note: str) -> None:
        claw_back_reward(reward_id=reward.pk, by=staff_of(request), note=note)
        self.log_change(request, reward, _("Clawed back."))


@admin.register(RewardTransition)
class RewardTransitionAdmin(BackOfficeAdmin):
    """The moves of rewards."""

    icon = "timeline"
    operators_only = True
    list_display = ("__str__", "created_at", "reward", "from_state", "to_state", "by", "note")
    list_filter = (("to_state", ChoicesDropdownFilter),)
    search_fields = ("=id", "=reward__id")
    search_help_text = _("Id of the step or the reward")


def payout_table() -> SafeString:
    """Render the due payouts and the debts of beneficiaries."""
    lines: list[Any] = []
    for row in payouts(PAYOUTS):
        person = User(pk=row["beneficiary_id"], email=row["beneficiary__email"])
        figures = [money_text(row[name], row["currency"]) for name in ("earned", "owed", "payable")]
        lines.append((render_link(person), *figures, payout_link(row)))
    return render_table(
        (_("Beneficiary"), _("Earned"), _("To be repaid"), _("To be paid out"), ""),
        lines,
        empty=_("No payouts due."),
    )


def payout_link(row: JsonObject) -> SafeString | str:
    """Render a link to the rewards that are earned and not paid yet, for readers of rewards."""
    query = {
        "beneficiary__id__exact": row["beneficiary_id"],
        "currency__exact": row["currency"],
        "state__exact": Reward.State.EARNED,
    }
    address = list_address(Reward, **query)
    if not address:
        return ""
    return format_html('<a class="backoffice-link" href="{}">{}</a>', address, _("Show"))


@register_panel(Reward, _("Ledger"), permission="accounts.view_rewardtransition")
def _moves(reward: Reward) -> SafeString:
    rows = RewardTransition.objects.filter(reward=reward).select_related("by").order_by("created_at", "id")
    names = {"": "–", **dict(Reward.State.choices)}
    cells = [
        (row.created_at, names[row.from_state], names[row.to_state], row.by or _("The service"), row.note or "–")
        for row in rows
    ]
    return render_table((_("Time"), _("From"), _("To"), _("By"), _("Note")), cells)


@register_panel(Referral, _("Rewards"), permission="accounts.view_reward")
def _rewards_of_referral(referral: Referral) -> SafeString:
    return reward_table(Reward.objects.filter(referral=referral), referral__id__exact=referral.pk)


@register_panel(PartnerProgram, _("Rewards"), permission="accounts.view_reward")
def _rewards_of_partner(program: PartnerProgram) -> SafeString:
    return reward_table(
        Reward.objects.filter(beneficiary=program.user_id, program="partner"),
        beneficiary__id__exact=program.user_id,
        program__exact="partner",
    )


def reward_table(rows: QuerySet[Reward], **query: str) -> SafeString:
    """Render the newest of the rewards."""
    cells = [
        (
            render_link(row, money_text(row.amount, row.currency)),
            choice_text(row, "state"),
            row.source,
            row.created_at,
            row.matures_at,
        )
        for row in rows.order_by("-created_at", "id")[:ROWS]
    ]
    return render_table(
        (_("Amount"), _("State"), _("Source"), _("Created"), _("Earned on")), cells, more=list_address(Reward, **query)
    )


@register_panel(PartnerProgram, _("People"), permission="accounts.view_referral")
def _people(program: PartnerProgram) -> SafeString:
    rows = Referral.objects.filter(referrer=program.user_id, program="partner").select_related(
        "user", "referred_company"
    )
    rows = rows.order_by("-created_at", "id")[:ROWS]
    cells = [
        (render_link(row, row.user.email), row.user.name or "–", row.referred_company, row.created_at) for row in rows
    ]
    return render_table(
        (_("Email"), _("Name"), _("Company"), _("Joined")),
        cells,
        more=list_address(Referral, referrer__id__exact=program.user_id),
    )


@register_panel(User, _("Rewards"), permission="accounts.view_reward")
def _balances(user: User) -> SafeString:
    names = ("pending", "earned", "paid", "clawed_back", "owed", "payable")
    cells = [[money_text(row[name], row["currency"]) for name in names] for row in balances(user_id=user.pk)]
    headers = (_("Pending"), _("Earned"), _("Paid"), _("Clawed back"), _("To be repaid"), _("To be paid out"))
    return render_table(headers, cells, more=list_address(Reward, beneficiary__id__exact=user.pk))
