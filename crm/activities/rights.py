"""Activities that a caller may read: those of a lead, a meeting or a mail require permission to read these."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db.models import Q

from core.access import Actor
from crm.activities.models import LeadActivity

Kind = LeadActivity.Kind
MODULE = "lead-activity"
OPENED_BY: Mapping[str, tuple[str, ...]] = {
    Kind.NOTE: (MODULE,),
    Kind.CALL: (MODULE,),
    Kind.FOLLOW_UP: (MODULE,),
    Kind.MEETING: ("meeting",),
    Kind.MAIL: ("genie", "logs"),
}
"""Kind of activity -> the permission modules of which each opens it. The other kinds are of the lead, or of the contact
where they name no lead."""
MODULES = ("contact", "lead", *sorted({module for modules in OPENED_BY.values() for module in modules}))


def modules_of(actor: Actor) -> list[str]:
    """Return those of the modules that the actor may read."""
    return [module for module in MODULES if actor.is_unbounded or actor.may(module, "GET")]


def readable_condition(modules: Collection[str]) -> Q:
    """Match the activities that the modules open."""
    if set(MODULES) <= set(modules):
        return Q()
    where = Q(kind__in=[kind for kind, openers in OPENED_BY.items() if set(openers) & set(modules)])
    for module, of_it in (("contact", Q(lead__isnull=True)), ("lead", Q(lead__isnull=False))):
        if module in modules:
            where |= ~Q(kind__in=list(OPENED_BY)) & of_it
    return where
