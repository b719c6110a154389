"""The fields by which lists of runs and of their steps are filtered, searched and sorted."""

from __future__ import annotations

from django.db.models import BooleanField, F, Func, Q
from django.db.models.expressions import RawSQL

from core.lists import FieldSet, ListField, RelationField
from core.lists.fields import Condition, expression_column


class AnyElement(Func):
    """A condition on element.value that is true for one of the texts in a JSON array."""

    template = "EXISTS (SELECT FROM jsonb_array_elements_text(%(expressions)s))"
    arg_joiner = ") AS element (value) WHERE ("
    output_field = BooleanField()


class PlacesField(ListField):
    """The present nodes of runs, one per branch: a condition is true if it is for one of them."""

    many = True

    def where(self, condition: Condition) -> Q:
        return Q(AnyElement(F("nodes"), condition(expression_column(RawSQL("element.value", ())))))

    def where_not(self, condition: Condition) -> Q:
        return ~self.where(condition)


RUN_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("workflow", "id", "workflow_id", nullable=False),
        RelationField("workflow.name", "text", "workflow", "name", searchable=True),
        ListField("status", "text", "status", nullable=False),
        ListField("reason", "text", "reason", nullable=False),
        ListField("version", "number", "version__number"),
        ListField("contact", "id", "contact_id"),
        RelationField("contact.name", "text", "contact", "name", searchable=True),
        RelationField("contact.email", "text", "contact", "email", searchable=True),
        ListField("lead", "id", "lead_id"),
        PlacesField("node", "text", "nodes", sortable=False),
        ListField("errorNode", "text", "error_node", nullable=False),
        ListField("errorCode", "text", "error_code", nullable=False),
        ListField("startedAt", "date", "started_at"),
        ListField("finishedAt", "date", "finished_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("workflow.name", "contact.name", "contact.email"),
)
OF_CONTACTS = ("contact.name", "contact.email")
PLAIN_RUN_FIELDS = FieldSet(
    [field for field in RUN_FIELDS.fields.values() if field.name not in OF_CONTACTS],
    default_sort=("createdAt",),
    default_search=("workflow.name",),
)
"""Fields for roles that may not read contacts."""
STEP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("node", "text", "node", nullable=False),
        ListField("status", "text", "status", nullable=False),
        ListField("handle", "text", "handle", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_sort=("createdAt",),
)
