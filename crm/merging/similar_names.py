"""Contacts of one organisation with almost the same name: Jon and John Smith, both at example.com.

Contacts are read in chunks in the order of their addresses, which keeps a domain together; names are compared within
one chunk and domain. People with one name mostly have addresses that begin alike, so little is missed if a domain is
longer than a chunk. The similarity of two names is the share of common trigrams, as in pg_trgm.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from django.db import connection

from core.text.domains import FREE_MAIL

SIMILAR = 0.6
"""The threshold: Ann and Anne Eriksen have 0.79, Jon and John Smith 0.62, Peter and Paul Schmidt 0.5."""
CHUNK = 500
MAX_CHUNKS = 20
"""A page reads at most this many chunks, and ends early if they contain too few pairs."""
COMMON = 60
"""A trigram that more names of a chunk have is no evidence for any of them."""

READ = """
SELECT id, email_identity, name FROM crm_contact
WHERE company_id = current_setting('app.company') AND NOT is_deleted
    AND email_identity IS NOT NULL AND email_identity > %s
ORDER BY email_identity, id LIMIT %s
"""


class Pair(NamedTuple):
    """Two contacts, in the order of their ids."""

    first: str
    second: str
    score: float
    domain: str

    @property
    def mark(self) -> str:
        """The key by which the pairs of a chunk are sorted."""
        return self.first + self.second


class _Contact(NamedTuple):
    id: str
    identity: str
    name: str


def similar_pairs(
    *, after: tuple[str, str], size: int, dismissed: Callable[[Iterable[str]], set[tuple[str, str]]]
) -> tuple[list[Pair], tuple[str, str] | None]:
    """Return at most the next `size` pairs and the place to continue at: after which address, and after which pair of
    the chunk that begins there."""
    start, mark = after
    similar: list[Pair] = []
    for _ in range(MAX_CHUNKS):
        stretch, further = _read(start)
        # Sorted within the chunk, so that a page can end in the middle of it and the
        # next one begins after the last pair.
        pairs = sorted((pair for pair in _compare(stretch) if pair.mark > mark), key=lambda pair: pair.mark)
        if pairs:
            different = dismissed({id for pair in pairs for id in (pair.first, pair.second)})
            pairs = [pair for pair in pairs if (pair.first, pair.second) not in different]
        remaining = size - len(similar)
        similar += pairs[:remaining]
        if len(pairs) > remaining:
            return similar, (start, similar[-1].mark if remaining else mark)
        if further is None:
            return similar, None
        start, mark = further, ""
    return similar, (start, mark)


def _read(after: str) -> tuple[list[_Contact], str | None]:
    """Return the contacts after an address, up to the end of a domain if one ends in the chunk, and the address to
    continue after."""
    with connection.cursor() as cursor:
        cursor.execute(READ, [after, CHUNK])
        contacts = [_Contact(*row) for row in cursor.fetchall()]
    more = len(contacts) == CHUNK
    kept: list[_Contact] = []
    for domain, group in groupby(contacts, _domain):
        # Skipped by one jump of the index: gmail.com alone may have a hundred thousand contacts.
        if domain in FREE_MAIL:
            return kept, _end_of(domain)
        members = list(group)
        if more and members[-1] is contacts[-1] and kept:
            return kept, kept[-1].identity  # the domain continues after the chunk: the next chunk begins with it
        kept += members
    return kept, contacts[-1].identity if more else None


def _domain(contact: _Contact) -> str:
    return contact.identity.partition("@")[0]


def _end_of(domain: str) -> str:
    """Return a text that sorts after all addresses of the domain: A follows @, and domains have no capitals."""
    return f"{domain}A"


def _compare(contacts: Sequence[_Contact]) -> Iterator[Pair]:
    for domain, group in groupby(contacts, _domain):
        members = list(group)
        if len(members) > 1:
            yield from _compare_all(domain, members)


def _compare_all(domain: str, contacts: Sequence[_Contact]) -> Iterator[Pair]:
    """Yield the similar pairs of one domain; only names with a common trigram are compared."""
    trigrams = [_trigrams(contact.name) for contact in contacts]
    holders: dict[str, list[int]] = defaultdict(list)
    for position, name_trigrams in enumerate(trigrams):
        for trigram in name_trigrams:
            holders[trigram].append(position)
    for position, name_trigrams in enumerate(trigrams):
        shared: Counter[int] = Counter()
        for trigram in name_trigrams:
            if len(holders[trigram]) <= COMMON:
                shared.update(other for other in holders[trigram] if other > position)
        for other in shared:
            score = len(name_trigrams & trigrams[other]) / len(name_trigrams | trigrams[other])
            if (
                score >= SIMILAR and contacts[position].identity != contacts[other].identity
            ):  # another rule finds equal addresses
                first, second = sorted((contacts[position].id, contacts[other].id))
                yield Pair(first, second, round(score, 2), domain)


def _trigrams(name: str) -> frozenset[str]:
    """Return the trigrams of a name's words, without accents and case; none for a name of a single word, which is too
    common."""
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(letter)
    )
    parts = "".join(letter if letter.isalnum() else " " for letter in plain).split()
    if len(parts) < 2:
        return frozenset()
    return frozenset(padded[i : i + 3] for word in parts for padded in (f"  {word} ",) for i in range(len(padded) - 2))
