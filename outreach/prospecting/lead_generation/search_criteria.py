"""Parse search criteria from free text."""

from __future__ import annotations

from dataclasses import dataclass

from outreach.connections.ai.providers import ContactBrief, Fit
from outreach.connections.ai.providers.matching import Term, match_share, terms_of
from outreach.connections.ai.providers.places import Place, is_there, places_of
from outreach.connections.ai.providers.purpose import read_purpose


@dataclass(frozen=True, slots=True)
class SearchCriteria:
    """The terms of a search, the terms of which one must match, and the places of which one must match."""

    terms: tuple[Term, ...]
    asked: tuple[Term, ...]
    places: tuple[Place, ...]

    @classmethod
    def from_description(cls, prompt: str, industry: str) -> SearchCriteria:
        """Read a description. A place alone makes nobody fit who was to be something, too."""
        who = read_purpose(prompt).who
        places = places_of(who)
        named = {word for place in places for word in place.words}
        asked = tuple(term for term in terms_of(who, "") if term.word not in named)
        return cls(terms_of(who, industry), asked, places)

    def fit(self, contact: ContactBrief) -> Fit:
        """Return how well a contact of the company fits; 0 for one who is elsewhere."""
        best = match_share(self.terms, contact)
        if best.score == 0 or (self.places and self.asked and match_share(self.asked, contact).score == 0):
            return Fit(0.0)
        return best if is_there(self.places, contact) else Fit(0.0)
