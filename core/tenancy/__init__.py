"""The active company: whose rows statements may see now.

Three independent isolation layers (docs/decisions/0004-tenancy.md) keep companies apart. The managers of company-owned
models filter by the active company and raise without one. Composite foreign keys keep references inside a company.
Row-level security refuses the rest in the database.
"""

from core.tenancy.scope import (
    APP_ROLE,
    MEMBER_ROLE,
    SYSTEM_ROLE,
    NoActiveCompany,
    OwnRecords,
    Scope,
    active_scope,
    company_id,
    company_scope,
    everybodys_records,
    own_records,
    reopen,
    session_settings,
    unscoped,
    use_owner_role,
)

__all__ = [
    "APP_ROLE",
    "MEMBER_ROLE",
    "SYSTEM_ROLE",
    "NoActiveCompany",
    "OwnRecords",
    "Scope",
    "active_scope",
    "use_owner_role",
    "company_id",
    "company_scope",
    "everybodys_records",
    "own_records",
    "reopen",
    "session_settings",
    "unscoped",
]
