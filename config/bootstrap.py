"""Creates a company that is ready to use: owner, active subscription, API key and an offline AI app."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import connection, transaction
from django.utils import timezone

from accounts.api_keys.services import create_key
from accounts.models import ApiKey, Company, Member, User
from accounts.registration.companies import create_company
from billing.entitlements.selectors import entitlement_of
from billing.subscriptions.services import activate_subscription, grant_subscription
from core.tenancy import company_scope, unscoped
from outreach.connections.ai.providers.offline import OfflineComposer
from outreach.models import AiApp

LOCK = 0x4C57_0001
"""The advisory lock of bootstraps, so that two of them don't create the same company."""


@dataclass(frozen=True)
class Bootstrapped:
    """The result. `created`: the company is new. `password_changed`: the owner's password is new."""

    company: Company
    member: Member
    user: User
    api_key: ApiKey
    created: bool
    password_changed: bool


@transaction.atomic
def bootstrap(
    *, company_name: str, email: str, password: str, owner_name: str = "", weak_password: bool = False
) -> Bootstrapped:
    """Return the owner's company with this name, or create it. Missing parts of it are created.

    It sets the owner's password. Raises ValidationError for an invalid name, address or password.
    """
    company_name, email = company_name.strip(), email.strip()
    _check(company_name, email)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    user, password_changed = _owner(email, password, owner_name.strip(), weak_password)
    if user.email_verified_at is None:  # the operator vouches for the address
        user.email_verified_at = timezone.now()
        user.save(update_fields=["email_verified_at", "updated_at"])
    with unscoped(reason="bootstrap: looks among all companies for the one it made before"):
        member = (
            Member.objects.select_related("company")
            .filter(user=user, status=Member.Status.OWNER, company__name=company_name)
            .order_by("created_at", "id")
            .first()
        )
    created = member is None
    company, member = create_company(name=company_name, owner=user) if member is None else (member.company, member)
    with company_scope(company.pk):
        if created:
            grant_subscription(company_id=company.pk, plan=None, note="bootstrap")
        elif entitlement_of(company.pk) is None:
            activate_subscription(company_id=company.pk, note="bootstrap")
        _composer(member)
        key = _key(member)
    return Bootstrapped(company, member, user, key, created, password_changed)


def _check(company_name: str, email: str) -> None:
    if not 0 < len(company_name) <= 200:
        raise ValidationError("The company's name must have 1 to 200 characters.")
    if len(email) > 254:
        raise ValidationError("The email address is longer than 254 characters.")
    validate_email(email)


def _owner(email: str, password: str, name: str, weak_password: bool) -> tuple[User, bool]:
    """Find or create the user with this password. Returns also whether an existing user's password changed."""
    user = User.objects.select_for_update().filter(email=email).first()
    if user is not None and not user.is_active:
        raise ValidationError(f"The user {user.email} is deactivated; activate them in the back office first.")
    if user is not None and user.check_password(password):
        return user, False
    fresh = user or User(email=email.lower(), name=name or _name_in(email))
    if not weak_password:
        validate_password(password, fresh)
    if user is None:
        return User.objects.create_user(fresh.email, password, name=fresh.name, email_verified_at=timezone.now()), False
    user.set_password(password)
    user.save(update_fields=["password", "session_version", "updated_at"])
    return user, True


def _name_in(email: str) -> str:
    """Return a person's name from an address: Ann Lee for ann.lee@example.com."""
    local = email.partition("@")[0]
    return " ".join(part.capitalize() for part in local.replace("_", ".").replace("-", ".").split(".") if part)[:200]


def _composer(member: Member) -> AiApp:
    """Return the company's default AI app. Creates the offline composer if it has none."""
    composer: AiApp | None = AiApp.objects.filter(is_default=True).first()
    return composer or AiApp.objects.create(
        provider=OfflineComposer.key, name=OfflineComposer.name, is_default=True, created_by=member
    )


def _key(member: Member) -> ApiKey:
    """Return the member's oldest permanent key without IP restriction. Creates one if there is none."""
    lasting = ApiKey.objects.filter(
        created_by=member, type=ApiKey.Type.PERMANENT, ip_restriction=ApiKey.IpRestriction.OPEN
    )
    return lasting.order_by("created_at", "id").first() or create_key(member_id=member.pk)
