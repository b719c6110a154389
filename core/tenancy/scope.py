"""The scope that statements run in: one company, all companies, or the owner of the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

APP_ROLE = "leadwright_app"
SYSTEM_ROLE = "leadwright_system"
MEMBER_ROLE = "leadwright_member"
"""The role of members who see their own records alone."""
Settings = tuple[str, str, str, str]


class NoActiveCompany(RuntimeError):
    """Company-owned rows were asked for outside of any company's scope."""


@dataclass(frozen=True)
class OwnRecords:
    """The member whose own records alone exist, by module: contact (with organizations) and lead."""

    member_id: str
    modules: frozenset[str]

    def of(self, module: str) -> str:
        """Return the member whose records of the module exist; empty for those of everybody."""
        return self.member_id if module in self.modules else ""


@dataclass(frozen=True)
class Scope:
    """The rows that statements may see: one company's, or with `company_id` None those of all, for a `reason`."""

    company_id: str | None
    reason: str = ""
    owner: bool = False
    own: OwnRecords | None = None


# A ContextVar and no thread-local: generators and callbacks keep the scope that they were made in.
_active: ContextVar[Scope | None] = ContextVar("leadwright_scope", default=None)


@contextmanager
def _enter(scope: Scope) -> Iterator[None]:
    token = _active.set(scope)
    try:
        yield
    finally:
        _active.reset(token)


def company_scope(company_id: str, own: OwnRecords | None = None) -> AbstractContextManager[None]:
    """Open a block in which only the rows of this company exist, and with `own` only a member's own records.

    Inside of a member's own records the same company has no others.
    """
    # An empty id would set app.company to "" and show no rows, which looks like an empty company.
    if not company_id:
        raise NoActiveCompany("company_scope() needs a company id")
    if own is not None and not own.member_id:
        raise NoActiveCompany("own records need a member")
    outer = _active.get()
    if own is None and outer is not None and outer.company_id == company_id:
        own = outer.own
    return _enter(Scope(company_id, own=own))


def everybodys_records(*, reason: str) -> AbstractContextManager[None]:
    """Open a block in which the active company's records of all members exist, for counts and unique values."""
    if not reason:
        raise ValueError("everybodys_records() needs a reason")
    return _enter(Scope(company_id(), reason))


def own_records(module: str) -> str:
    """Return the member whose records of the module alone exist; empty where everybody's do."""
    scope = _active.get()
    return "" if scope is None or scope.own is None else scope.own.of(module)


def unscoped(*, reason: str) -> AbstractContextManager[None]:
    """Open a block in which the rows of all companies exist. The reason makes each use easy to find and review."""
    if not reason:
        raise ValueError("unscoped() needs a reason")
    return _enter(Scope(None, reason))


def use_owner_role() -> AbstractContextManager[None]:
    """Open a block whose statements run under the login role, for migrations and other changes to the schema."""
    return _enter(Scope(None, "schema", owner=True))


def reopen() -> Callable[[], AbstractContextManager[None]]:
    """Return a function that opens the active scope again, for work that continues after the scope has been left."""
    # For streamed answers: the view's scope is left before the last byte goes out.
    scope = _active.get()
    return nullcontext if scope is None else lambda: _enter(scope)


def active_scope() -> Scope | None:
    """Return the active scope, or None outside of any."""
    return _active.get()


def company_id() -> str:
    """Return the active company's id. Raises NoActiveCompany outside of a company's scope."""
    scope = _active.get()
    if scope is None or scope.company_id is None:
        raise NoActiveCompany("no company is active here; open core.tenancy.company_scope(...)")
    return scope.company_id


def session_settings() -> Settings:
    """Return what the database session needs now: role, company, and owner of the contacts and of the leads."""
    scope = _active.get()
    if scope is None:
        # Without a scope the weaker role, and no company: raw SQL then finds no rows at all.
        return APP_ROLE, "", "", ""
    if scope.owner:
        return "none", "", "", ""
    if scope.company_id is None:
        return SYSTEM_ROLE, "", "", ""
    if scope.own is not None:
        return MEMBER_ROLE, scope.company_id, scope.own.of("contact"), scope.own.of("lead")
    return APP_ROLE, scope.company_id, "", ""
