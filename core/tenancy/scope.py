"""The scope that statements run in: one company, all companies, or the owner of the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass

APP_ROLE = "leadwright_app"
SYSTEM_ROLE = "leadwright_system"


class NoActiveCompany(RuntimeError):
    """Company-owned rows were asked for outside of any company's scope."""


@dataclass(frozen=True)
class Scope:
    """The rows that statements may see: one company's, or with `company_id` None those of all, for a `reason`."""

    company_id: str | None
    reason: str = ""
    owner: bool = False


# A ContextVar and no thread-local: generators and callbacks keep the scope that they were made in.
_active: ContextVar[Scope | None] = ContextVar("leadwright_scope", default=None)


@contextmanager
def _enter(scope: Scope) -> Iterator[None]:
    token = _active.set(scope)
    try:
        yield
    finally:
        _active.reset(token)


def company_scope(company_id: str) -> AbstractContextManager[None]:
    """Open a block in which only the rows of this company exist."""
    # An empty id would set app.company to "" and show no rows, which looks like an empty company.
    if not company_id:
        raise NoActiveCompany("company_scope() needs a company id")
    return _enter(Scope(company_id))


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


def session_settings() -> tuple[str, str]:
    """Return the role and the value of `app.company` that the database session needs now."""
    scope = _active.get()
    if scope is None:
        # Without a scope the weaker role, and no company: raw SQL then finds no rows at all.
        return APP_ROLE, ""
    if scope.owner:
        return "none", ""
    if scope.company_id is None:
        return SYSTEM_ROLE, ""
    return APP_ROLE, scope.company_id
