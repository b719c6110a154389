"""Mentions: names and addresses of members after an @ in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from django.db.models import Q

from accounts.members.notices import PRESENT
from accounts.models import Member
from core.errors import NamedError

MAX_MENTIONS = 50
AT = re.compile(r"(?<![\w@.])@(?=(\w[^\s@]*))")
"""An @ that begins a word, and the characters after it up to the first blank."""
FIRST_WORD = re.compile(r"\w+")


class Directory:
    """The members whom a text may mention, by their names and addresses in lower case."""

    def __init__(self, members: Sequence[Member], former: Mapping[str, str], module: str) -> None:
        """`former` has member -> label of the comment's mentions so far; `module` shows the record."""
        self.module = module
        self.members = {member.pk: member for member in members}
        self.former = {label.lower(): id for id, label in former.items() if label}
        self.by_label: dict[str, list[str]] = {}
        for member in members:
            for label in {member.name.lower(), member.email.lower()} - {""}:
                self.by_label.setdefault(label, []).append(member.pk)
        labels = {*self.former, *self.by_label}
        self.labels = sorted(labels, key=len, reverse=True)

    def label_at(self, text: str) -> str:
        """Return the longest label with which the text begins, as it is written there, or ""."""
        for label in self.labels:
            start = text[: len(label)]
            if start.lower() == label and not re.match(r"\w", text[len(label) :]):
                return start
        return ""

    def member_of(self, label: str, given: Collection[str]) -> str:
        """Return the member of a label; among several of one name it is the one among `given`."""
        ids = self.by_label.get(label.lower(), [])
        former = self.former.get(label.lower())
        if former and (not ids or former in ids):
            return former
        seeing = [id for id in ids if self.members[id].may(self.module, "GET")]
        if len(seeing) <= 1:
            return next(iter(seeing or ids))
        chosen = [id for id in seeing if id in given]
        if len(chosen) == 1:
            return chosen[0]
        raise NamedError(
            "MentionAmbiguous_400", f"several members are called {label}; write @ and the email address", field="text"
        )


def find_mentions(
    text: str,
    *,
    given: Collection[str],
    former: Mapping[str, str],
    module: str,
    names_members: bool,
    is_seen_by: Callable[[Member], bool],
) -> dict[str, str]:
    """Return member -> label of those whom the text mentions, and of the given ones, whose label is empty if the text
    does not name them.

    `former` has the same of the comment's mentions so far: they stay, whatever the members are called now.
    Refused are mentions of members who may not see the record, and the error says who only if `names_members`.
    `is_seen_by` returns whether the record is among those that a member's role is limited to. Raises
    MentionAmbiguous_400, MentionNotAllowed_400, MemberNotFound_404 and InvalidInput_400.
    """
    places = list(AT.finditer(text))
    directory = Directory(_candidates([place[1] for place in places], given), former, module)
    missing = next((id for id in given if id not in directory.members and id not in former), None)
    if missing is not None:
        raise NamedError("MemberNotFound_404", f"there is no active member {missing} in this company", field="mentions")
    mentions: dict[str, str] = {}
    for place in places:
        label = directory.label_at(text[place.end() :])
        if label:
            mentions.setdefault(directory.member_of(label, given), label)
    for id in given:
        mentions.setdefault(id, "")
    if len(mentions) > MAX_MENTIONS:
        raise NamedError("InvalidInput_400", f"mention at most {MAX_MENTIONS} members", field="text")
    added = [directory.members[id] for id in mentions if id not in former]
    blind = [member for member in added if not (member.may(module, "GET") and is_seen_by(member))]
    if blind:
        raise _refusal(blind, names_members)
    return mentions


def _candidates(words: Collection[str], given: Collection[str]) -> list[Member]:
    """Return the active members whose name begins with the first part of a word, or whose address is in it."""
    condition = Q(pk__in=list(given))
    for word in {word.lower() for word in words}:
        condition |= Q(name__istartswith=FIRST_WORD.findall(word)[0])
        condition |= Q(email__istartswith=FIRST_WORD.findall(word)[0])
    if not words and not given:
        return []
    return list(Member.objects.filter(condition, status__in=PRESENT).select_related("role").order_by("pk"))


def _refusal(members: Sequence[Member], names_members: bool) -> NamedError:
    if not names_members:
        return NamedError("MentionNotAllowed_400", "a mentioned member may not see this record", field="text")
    names = ", ".join(sorted(member.name or member.email for member in members))
    return NamedError("MentionNotAllowed_400", f"{names}: may not see this record", field="text")
