"""Contacts of one organisation whose names are written almost the same: Jon and John Smith, both at example.com.

The contacts are read in the order of their addresses, which have those of a domain together, a stretch at a time; names are compared within
a stretch and a domain alone. People of one name mostly have addresses that begin alike, so that little is lost where a domain is longer
than a stretch. How alike names are is the share of their trigrams that they have in common, as pg_trgm counts it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from django.db import connection

SIMILAR = 0.6
"""From here on: Ann and Anne Eriksen have 0.79, Jon and John Smith 0.62, Peter and Paul Schmidt 0.5."""
STRETCH = 500
MAX_STRETCHES = 20
"""A page reads at most this many stretches, and ends early when they hold fewer pairs than it has room for."""
COMMON = 60
"""A trigram that more names of a stretch have says nothing about any of them."""
FREE_MAIL = frozenset(
    """
    aol.com fastmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net hey.com hotmail.co.uk hotmail.com hotmail.de
    hotmail.fr hotmail.it icloud.com inbox.lv laposte.net libero.it live.com mac.com mail.com mail.ru mailbox.org me.com msn.com naver.com
    orange.fr outlook.com outlook.de pm.me posteo.de proton.me protonmail.com qq.com rediffmail.com seznam.cz t-online.de tutanota.com
    wanadoo.fr web.de wp.pl yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.de yahoo.fr yandex.com yandex.ru ymail.com zoho.com 126.com
    163.com
    """.split()  # noqa: SIM905  a list would take a line for each
)
"""Domains whose addresses say nothing about the organisation."""

READ = """
SELECT id, email_identity, name FROM crm_contact
WHERE company_id = current_setting('app.company') AND NOT is_deleted AND email_identity IS NOT NULL AND email_identity > %s
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
        """What the pair is ordered by within its stretch."""
        return self.first + self.second


class _Person(NamedTuple):
    id: str
    identity: str
    name: str


def similar_pairs(
    *, after: tuple[str, str], size: int, dismissed: Callable[[Iterable[str]], set[tuple[str, str]]]
) -> tuple[list[Pair], tuple[str, str] | None]:
    """The next `size` pairs at most, and where to go on: behind which address, and behind which pair of the stretch that begins there."""
    start, mark = after
    found: list[Pair] = []
    for _ in range(MAX_STRETCHES):
        stretch, further = _read(start)
        pairs = sorted((pair for pair in _compare(stretch) if pair.mark > mark), key=lambda pair: pair.mark)
        if pairs:
            different = dismissed({id for pair in pairs for id in (pair.first, pair.second)})
            pairs = [pair for pair in pairs if (pair.first, pair.second) not in different]
        room = size - len(found)
        found += pairs[:room]
        if len(pairs) > room:
            return found, (start, found[-1].mark if room else mark)
        if further is None:
            return found, None
        start, mark = further, ""
    return found, (start, mark)


def _read(after: str) -> tuple[list[_Person], str | None]:
    """The contacts behind an address, up to the end of a domain where one ends in the stretch, and the address to go on behind."""
    with connection.cursor() as cursor:
        cursor.execute(READ, [after, STRETCH])
        people = [_Person(*row) for row in cursor.fetchall()]
    more = len(people) == STRETCH
    kept: list[_Person] = []
    for domain, group in groupby(people, _domain):
        if domain in FREE_MAIL:
            return kept, _end_of(domain)
        members = list(group)
        if more and members[-1] is people[-1] and kept:
            return kept, kept[-1].identity  # the domain goes on behind the stretch: the next one begins with it
        kept += members
    return kept, people[-1].identity if more else None


def _domain(person: _Person) -> str:
    return person.identity.partition("@")[0]


def _end_of(domain: str) -> str:
    """What stands behind all addresses of the domain: A follows @, and domains have no capitals."""
    return f"{domain}A"


def _compare(people: Sequence[_Person]) -> Iterator[Pair]:
    for domain, group in groupby(people, _domain):
        members = list(group)
        if len(members) > 1:
            yield from _compare_all(domain, members)


def _compare_all(domain: str, people: Sequence[_Person]) -> Iterator[Pair]:
    """The similar pairs of one domain: only those who share a trigram are looked at."""
    trigrams = [_trigrams(person.name) for person in people]
    holders: dict[str, list[int]] = defaultdict(list)
    for position, found in enumerate(trigrams):
        for trigram in found:
            holders[trigram].append(position)
    for position, found in enumerate(trigrams):
        shared: Counter[int] = Counter()
        for trigram in found:
            if len(holders[trigram]) <= COMMON:
                shared.update(other for other in holders[trigram] if other > position)
        for other in shared:
            score = len(found & trigrams[other]) / len(found | trigrams[other])
            if (
                score >= SIMILAR and people[position].identity != people[other].identity
            ):  # the same address is another rule's
                first, second = sorted((people[position].id, people[other].id))
                yield Pair(first, second, round(score, 2), domain)


def _trigrams(name: str) -> frozenset[str]:
    """The trigrams of a name's words, without accents and case; a name of fewer than two words has none that tell it from others."""
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(letter)
    )
    words = "".join(letter if letter.isalnum() else " " for letter in plain).split()
    if len(words) < 2:
        return frozenset()
    return frozenset(padded[i : i + 3] for word in words for padded in (f"  {word} ",) for i in range(len(padded) - 2))
