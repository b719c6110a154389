"""Use cases of canned answers."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from core.errors import DuplicateField, NamedError
from core.lists import BulkSelection
from outreach.chat.conversations.models import CannedAnswer

NOT_FOUND = "NotFound_404"


def not_found() -> NamedError:
    """Return the error for an id that belongs to no canned answer of the company."""
    return NamedError(NOT_FOUND, "there is no such canned answer in this company", field="id")


def create(*, member_id: str, name: str, text: str, shortcut: str = "") -> CannedAnswer:
    """Write a canned answer. Raises DuplicateField."""
    fresh = CannedAnswer(name=name, text=text, shortcut=shortcut, created_by_id=member_id, updated_by_id=member_id)
    return _save(fresh)


@transaction.atomic
def update(*, id: str, member_id: str, **values: Any) -> CannedAnswer:
    """Change a canned answer. Raises NotFound_404 and DuplicateField."""
    canned_answer = CannedAnswer.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if canned_answer is None:
        raise not_found()
    for name, value in values.items():
        setattr(canned_answer, name, value)
    canned_answer.updated_by_id = member_id
    return _save(canned_answer)


@transaction.atomic
def delete(*, selection: BulkSelection) -> int:
    """Delete the selected canned answers. Raises NotFound_404 when ids name none."""
    deleted, _ = selection.apply(CannedAnswer.objects.all()).delete()
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a canned answer of this company", field="ids")
    return deleted


def _save(answer: CannedAnswer) -> CannedAnswer:
    try:
        with transaction.atomic():
            answer.save()
    except IntegrityError as error:
        if "shortcut_unique" in str(error):
            raise DuplicateField("shortcut", "another canned answer has it") from None
        if "name_unique" not in str(error):
            raise
        raise DuplicateField("name", "another canned reply has this name") from None
    return answer
