"""Names of a contact's text field that holds the name of its organization."""

from __future__ import annotations

from core.text.folding import fold

COMPANY_WORDS = frozenset(
    """
    COMPANY COMPANYNAME ORGANIZATION ORGANIZATIONNAME ORGANISATION ORGANISATIONNAME FIRM FIRMA FIRMENNAME EMPLOYER
    UNTERNEHMEN ARBEITGEBER SOCIETE ENTREPRISE EMPRESA COMPANIA AZIENDA SOCIETA BEDRIJF ORGANISATIE FORETAG VIRKSOMHED
    ACCOUNTNAME BUSINESSNAME
    """.split()  # noqa: SIM905  a list would take a line for each word
)
"""In capitals, without accents and blanks."""


def names_company(*names: str) -> bool:
    """Return whether one of the names of a field is that of a company."""
    return not COMPANY_WORDS.isdisjoint("".join(filter(str.isalnum, fold(name))) for name in names)
