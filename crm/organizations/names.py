"""Keys by which names of organizations are compared."""

from __future__ import annotations

import re

from core.text.folding import fold

MAX_KEY = 300
FORMS = frozenset(
    """
    AB AG AKTIENGESELLSCHAFT APS AS ASA AVV BHD BV BVBA CO COMPANY CORP CORPORATION CV DOO EG EHF EIRL EK EKFM EOOD
    EURL EV FZE FZCO GBR GESMBH GGMBH GMBH HF INC INCORPORATED KFT KG KGAA KK LDA LIMITED LLC LLLP LLP LP LTD LTDA
    MBH NV NYRT OE OHG OO OOD OU OY OYJ PBC PC PJSC PLC PLLC PTE PTY PVT PRIVATE RT SA SAB SAE SAL SAOC SAPA SARL SAS
    SASU SC SCA SCOP SCRL SCS SDN SE SGPS SIA SL SLU SNC SOCIEDAD SPA SPJ SPK SPOO SPRL SPZOO SRL SRLS SRO STIFTUNG
    TBK UAB UG ZRT ZOO OOO OAO ZAO PAO ООО ОАО ЗАО ПАО АО ИП ТОО ЕООД ООД ДОО
    """.split()  # noqa: SIM905  a list would take a line for each form
)
"""Legal forms of companies, in the form of fold()."""
LEADING = frozenset({"OOO", "OAO", "ZAO", "PAO", "PT", "ООО", "ОАО", "ЗАО", "ПАО", "АО", "ИП", "ТОО"})
"""Legal forms that stand in front of the name."""
CONNECTORS = frozenset({"AND", "UND", "ET", "E", "Y", "DE", "SP", "Z", "HAFTUNGSBESCHRANKT"})
"""Words that belong to a legal form if they stand in front of one: & Co., S.A. de C.V., Sp. z o.o."""
_DROPPED = re.compile(r"[.'’]")
_POLISH = re.compile(r"\bSP ([JK])$")
_BREAKS = re.compile(r"[\W_]+")


def name_key(name: str) -> str:
    """Return the name without case, accents, blanks, punctuation and legal form; equal keys are one organization.

    A name of nothing but a legal form keeps it. Names without letters and digits have no key.
    """
    words = _POLISH.sub(r"SP\1", _BREAKS.sub(" ", _DROPPED.sub("", fold(name))).strip()).split()
    kept = _without_forms(words) or words
    return "".join(kept)[:MAX_KEY]


def _without_forms(words: list[str]) -> list[str]:
    kept = list(words)
    while kept and kept[-1] in FORMS:
        kept.pop()
        while kept and kept[-1] in CONNECTORS:
            kept.pop()
    if len(kept) > 1 and kept[0] in LEADING:
        kept = kept[1:]
    return kept
