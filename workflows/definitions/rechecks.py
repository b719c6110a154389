"""Pause published workflows whose publisher has lost a permission that they need."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import Member
from accounts.notifications.services import remember
from core.tenancy import company_scope
from workflows.definitions.publishing import change_status
from workflows.definitions.services import get_workflow
from workflows.engine.plans import plan_of
from workflows.graphs.models import Workflow
from workflows.graphs.rights import missing_permissions

LOOK_BACK = timedelta(days=1)
"""Roles that were changed within this time are compared, each minute: a stopped worker leaves none out."""
Status = Workflow.Status


def pause_disallowed() -> bool:
    """Pause the workflows of members whose role has changed and allows too little now. Return False: nothing is left.

    Their runs are held. A member with the permissions publishes them again, in their own name.
    """
    since = timezone.now() - LOOK_BACK
    changed = Q(version__published_by__role__updated_at__gte=since) | Q(version__published_by__updated_at__gte=since)
    published = Workflow.objects.filter(changed, status=Status.PUBLISHED, is_deleted=False)
    for company, id in published.order_by("company_id", "pk").values_list("company_id", "pk"):
        with company_scope(company):
            _pause_if_disallowed(id)
    return False


@transaction.atomic
def _pause_if_disallowed(id: str) -> None:
    workflow = get_workflow(id, lock=True)
    version = workflow.version
    publisher = version.published_by if version is not None else None
    if version is None or publisher is None or workflow.status != Status.PUBLISHED:
        return
    permissions = missing_permissions(plan_of(version.pk), publisher.may_on_all)
    if not permissions:
        return
    change_status(workflow, Status.PAUSED, publisher.pk)
    members = Member.objects.filter(Q(status=Member.Status.OWNER) | Q(pk=publisher.pk))
    text = (
        f"Workflow paused: {workflow.name}. The role of {publisher} lacks {', '.join(permissions)}. Publish it again."
    )
    remember("workflow.notice", text, members=list(members), about=("workflow", workflow.pk))
