"""Names of people: the name to greet a person by."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SALUTATIONS = _words("""
    familie family famille familia eheleute
    mr mrs ms miss mx sir madam ma'am dame lord lady mister messrs
    right rt honorable honourable
    herr frau fräulein hr fr frl herrn
    m mm mme mmes mlle mlles monsieur madame mademoiselle
    sr sra srta sres señor señora señorita d dña doña don d.ª dª
    senhor senhora dona exmo exma ex.mo ex.ma ilmo ilma il.mo excmo excma
    sig sig.ra sig.na signor signora signorina sig.r gent egr spett
    gent.ma gent.mo gent.me gent.mi gentilissima gentilissimo egr.mo egregio egregia ill.mo ill.ma preg.mo preg.ma
    pregiatissimo spett.le chiar.mo chiar.ma
    dhr mevr mw mej heer mevrouw mijnheer meneer
    fru frk frøken fröken herra hra rva rouva nti neiti
    pan pani pán paní slečna sl p sz wp
    úr kisasszony
    gospod gospa gospodin gospođa gdin gđa gdč
    domnul doamna domnișoara dl dna dra
    bay bayan sayın sn
    κ κος κοσ κα κύριος κύριοσ κυρία κυριος κυριοσ κυρια
    г-н г-жа господин госпожа пан пані гн гжа
    hr. pr härra proua kungs kundze ponas ponia
    shri smt kumari
""")
"""Words before a surname, in lower case; with and without a trailing dot."""

TITLES = _words("""
    dr dra drs dr.in prof professor professorin profesor profesora doc doz univ.-prof privatdozent
    dipl dipl.-ing dipl.-kfm dipl.-kffr dipl.-inf dipl.-phys dipl.-psych dipl.-wirt.-ing dipl.-betriebsw
    diplom-ingenieur di ing ing.in mag mag.a mgr bc bacc
    dott dott.ssa dottor dottoressa dottore avv arch geom rag cav ing.re comm
    eng engª engenheiro engenheira me maître mtre docteur docteure professeur
    ir mr.dr judr mudr rndr phdr mvdr paeddr thdr inż lek hab
    lic lcda lcdo licenciado licenciada abg arq
    rev reverend hon capt captain col colonel gen general lt maj major sgt cpt cmdr adm ambassador
    pd stb ao apl
    h.c hc mult em emer a.d i.r habil cand stud доктор профессор академик к.т.н д.т.н к.э.н
    rechtsanwalt rechtsanwältin patentanwalt patentanwältin fachanwalt fachanwältin notar notarin advokat
    steuerberater steuerberaterin wirtschaftsprüfer wirtschaftsprüferin architekt architektin ingenieur ingenieurin
    pfarrer pfarrerin pastor pastorin pfr vikarin superintendent diakon diakonin bürgermeister bürgermeisterin
    landrat landrätin minister ministerin staatssekretär staatssekretärin dekan dekanin rektor rektorin
    magister magistra oberarzt oberärztin chefarzt chefärztin avvocato avvocata notaio ingegnere architetto
    abogado abogada notario arquitecto arquitecta ingeniero ingeniera advogado advogada avocat avocate notaire
    advocaat notaris adwokat radca advokát
    präsident präsidentin kanzler kanzlerin direktor direktorin senator senatorin president governor councillor
    président présidente préfet préfète maire presidente alcalde alcaldesa sindaco sindaca prefetto vereador vereadora
    burgemeester wethouder prezes dyrektor burmistrz ředitel ředitelka starosta primátor
    д-р др проф доц акад инж д.м.н к.м.н к.ю.н адвокат нотариус инженер доцент δρ καθ
""")
"""Titles before a name, in lower case."""
_TITLES_AS_WRITTEN = _words("RA RAin StB StBin WP WPin")
"""Titles that are names in other capitals ("Rain")."""
_FEMININE = re.compile(r"[.:*_]in(?:nen)?$")
"""The ending of a woman's title ("Prof.in")."""
_COMPOUND = re.compile(
    r"\w{3,}(?:bürgermeister|präsident|minister|direktor|kanzler|sekretär|professor|inspektor|kommissar|staatsanwalt"
    r"|staatsanwält|arzt|ärzt|superintendent|pfarrer)(?:in)?|(?:stadt|hof|kommerzial|(?:ober)?studien|(?:ober)?regierungs"
    r"|medizinal|bundes|national|gemeinde|kirchen|verwaltungs|aufsichts|amts)r(?:at|ätin)"
)
"""German titles of several words in one ("Oberbürgermeister")."""
SUFFIXES = _words("""
    jr sr ii iii iv esq phd ph.d md m.d mba bba msc m.sc bsc b.sc m.a b.a ma ba ll.m llm ll.b m.eng b.eng meng beng
    mphil cpa cfa pmp csc drsc dis facs rn dds jd j.d mp obe mbe cbe ret junior senior
""")
"""Degrees and additions after a name, in lower case."""
_LEADING_DEGREES = _words("phd mba msc bsc llm mphil")
"""Degrees without dots that some people write before the name; the others are names as well ("Ma", "Meng")."""
_DEGREES = _words(
    "med dent vet rer nat phil jur iur utr theol oec pol agr techn soc mont sc publ h c hc mult habil"
    " n hum zdr ekon tech farm wet społ"
)
"""Parts of degrees ("Dr. rer. nat."); without a dot they are names."""
_AMBIGUOUS = _words(
    "d m p k sl sn on em me pr fr di pan don dona mag gen dame doc arch comm sr dna gent bay hon pd ao pastor"
)
"""Names or initials as well, unless a dot or two more words follow."""
_COMPANY = _words(
    "gmbh mbh ohg ltd limited inc llc llp plc corp corporation s.a s.r.l srl s.l sarl s.a.s kft s.r.o d.o.o"
)
_COMPANY_IN_CAPITALS = _words("ag kg ug ev e.v sa sl bv nv oy ab as spa se kgaa ооо зао оао")
_PARTICLES = _words("von van der den de del della di da dos das du la le zu zur zum vom ter ten af av bin ibn al el")
_SURNAME_PARTICLES = _PARTICLES | _words(
    "lo los las dal dalla dello degli des dei st ste saint o mac mc abu aït ait ould"
)
_SURNAME_PARTICLES -= _words("al bin")
"""Beginnings of surnames after a salutation, in any capitals ("Mr. De Niro")."""
_AND = _words("und and et y e og och en i oraz a & +")
_FORMAL_SALUTES = _words("""
    sehr geehrte geehrter geehrtes geehrten szanowny szanowna szanowni vážený vážená vážení estimado estimada
    prezado prezada geachte kære kjære kära tisztelt stimate stimată poštovani poštovana spoštovani spoštovana
    уважаемый уважаемая уважаемые шановний шановна wielmożny wielmożna
""")
"""Salutes after which "Pan" and "Don" are salutations, too."""
_SALUTES = _FORMAL_SALUTES | _words("hi hello hallo dear liebe lieber")
_ADDRESSED = _words("""
    an to für for à pour para per voor do dla til till aan al alla all the de den der die la le il el cher chère gentile
    beste hyvä
""")
"""Words before a salutation ("An Frau Eva Weiß", "De heer Jan Smit"); else they are names."""
_ATTENTION = re.compile(
    r"^(?:z\. ?h(?:dn?)?\.|zhd\.?|zu h(?:ä|ae)nden(?: von)?|attn?\b[.:]*|attention:|f\.?a\.?o\.?:?"
    r"|t\. ?a\. ?v\.?|à l['’]attention de|a la atención de|all['’]attenzione di|ao cuidado de|c/o)[ :]+",
    re.IGNORECASE,
)
"""A note for the post before a name ("z. Hd. Herrn Max Kern")."""
_NOTHING = _words("none null n/a na unknown undefined test nn n.n unbekannt inconnu")
DIGITS = "0123456789"
"""Digits after a name, as in user names."""
_MAX_LENGTH = 200
_ENCLOSED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\"[^\"]*\"|[„“”«][^„“”»]*[“”»]|<[^<>]*>")
_QUOTED = re.compile(r"^[\"'„“”«»‚‘’]+([^\"„“”«»‚‘]+?)[\"'“”»«‘’]+(?=[\s,]|$)|^[(\[]([^()\[\]]+)[)\]]$")
"""A name in quotes or brackets, in contrast to a nickname after the first name."""
_BORN = re.compile(
    r"(?<=\w)[\s,(]+(?:geb\.?|geboren(?:e|er)?|née?|nee|born|nata|nato|nacid[ao]|nascid[ao]|född|født|f\. ?n\.|o\.s\."
    r"|roz\.|rozená|rozen[áa]|rod\.|rodená|z domu|szül\.|rođ\.|rođena|roj\.|născută|урожд[её]нная|урожд\.|ур\."
    r"|verw\.|gesch\.|verh\.|genannt|alias|aka|a\.k\.a\.|dite?)\s+[^,()]*\)?",
    re.IGNORECASE,
)
"""An earlier or another name after the name ("geb. Kern")."""
_JOINED = re.compile(r"\.(?=[A-ZÀ-Þ](?:r\b|[^\W\d_]{2,}))")
_HYPHENS = re.compile(r"[\u2010-\u2015\u2212](?=\w)|(?<=\.)\s-(?=\w)")
_APART = re.compile(r"\b(Ph|M|B)\. (D|Sc|Eng|A)\.?(?!\w)")
"""Degrees that are written with a space ("Ph. D.")."""
_EDGES = re.compile(r"^[^\w]+|[^\w.'’]+$")
_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.-?){2,}")
_CJK = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u3005・ ]+")


@dataclass(frozen=True, slots=True)
class _Part:
    """The words of a name between commas, without titles."""

    words: list[str]
    titled: bool
    is_company: bool


def first_name_of(name: str) -> str:
    """Return the name to greet a person by: "Zoë" of "Frau Dr. Zoë Müller" and of "Müller, Zoë".

    Empty when only a surname, initials, or no person's name is left. Names in Chinese, Japanese and Korean are returned
    whole, since surnames come first there.
    """
    text = unicodedata.normalize("NFC", " ".join(name[:_MAX_LENGTH].split()))
    if "@" in text or "://" in text or "{{" in text or text.casefold() in _NOTHING:
        return ""
    if _CJK.fullmatch(text):
        return text
    text = _BORN.sub("", _QUOTED.sub(r"\1\2", text))
    text = _APART.sub(r"\1.\2.", _HYPHENS.sub("-", text))
    text = _ATTENTION.sub("", _JOINED.sub(". ", text))
    parts = [_part_of(piece) for piece in _ENCLOSED.sub(" ", text).split(",")]
    if any(part.is_company for part in parts):
        return ""
    parts_with_words = [part for part in parts if part.words]
    if len(parts_with_words) > 1 and parts[0].words:
        return _pick_first_name(parts_with_words[1].words, surname_before=True)
    # A title after a comma follows a surname: "Müller, Dr."
    titled = any(part.titled for part in parts)
    return _pick_first_name(parts_with_words[0].words, surname_before=False, titled=titled) if parts_with_words else ""


def _part_of(text: str) -> _Part:
    pieces = [_EDGES.sub("", word) for word in re.split(r"[\s/;|]+", text)]
    words = [
        word
        for word in pieces
        if word[:1].isalpha() and not any(character.isdigit() for character in word.rstrip(DIGITS))
    ]
    is_company = any(_is_company(word) for word in words)
    titled = False
    saluted = False
    while words and (_is_salute(words) or _is_title(words, titled=titled, saluted=saluted)):
        titled = titled or not _is_salute(words)
        saluted = words[0].casefold() in _FORMAL_SALUTES
        words = words[1:]
    while words and (
        _fold_word(words[-1]) in SUFFIXES or (words[-1].endswith(".") and _fold_word(words[-1]) in TITLES)
    ):
        words = words[:-1]
    return _Part(words, titled, is_company)


def _is_salute(words: list[str]) -> bool:
    """Return whether the first word addresses the person who is named after it."""
    first, *others = (word.casefold() for word in words)
    if first in _ADDRESSED and others:
        following = others[0].rstrip(".")
        return following in SALUTATIONS - _AMBIGUOUS or (
            len(following) > 1 and others[0].endswith(".") and following in TITLES | SALUTATIONS
        )
    return first in _SALUTES


def _fold_word(word: str) -> str:
    return word.casefold().rstrip(".")


def _is_company(word: str) -> bool:
    bare = _fold_word(word)
    return bare in _COMPANY or (bare in _COMPANY_IN_CAPITALS and word.rstrip(".").isupper())


def _is_title(words: list[str], *, titled: bool, saluted: bool) -> bool:
    """Return whether the first word is a title, alone or with the other words.

    `saluted`: it follows a salutation such as "Szanowny".
    """
    word, bare = words[0], _fold_word(words[0])
    if titled and (bare in _AND or (bare in _DEGREES and word.endswith("."))):
        return True
    if bare in _AMBIGUOUS:
        # "pan Novák", in contrast to "pan wei" of a name in lower case
        is_written_small = word.islower() and len(words) > 1 and words[1][0].isupper()
        return word.endswith(".") or (len(bare) > 1 and (len(words) > 2 or saluted or is_written_small))
    if bare in SUFFIXES and ("." in bare or bare in _LEADING_DEGREES):
        return True
    if word.rstrip(".") in _TITLES_AS_WRITTEN:
        return True
    return _is_known(bare) or bare in SALUTATIONS or _is_compound_title(bare)


def _is_known(bare: str) -> bool:
    return bare in TITLES or _FEMININE.sub("", bare) in TITLES or _COMPOUND.fullmatch(bare) is not None


def _is_compound_title(bare: str) -> bool:
    """Return whether a word is a title of several parts, such as "dr.-ing", "priv.-doz" and "dr.rer.nat"."""
    first, _, last = bare.partition(".-")
    if last:
        return first == "dipl" or _is_known(last.rpartition("-")[2].rstrip("."))
    first, *others = bare.split(".")
    return bool(others) and first in TITLES and all(part in _DEGREES or part in TITLES for part in others)


def _pick_first_name(words: list[str], *, surname_before: bool, titled: bool = False) -> str:
    """Return the first name among the words that remain after the titles."""
    rest = list(words)
    while rest and _INITIAL.fullmatch(rest[0]):
        rest.pop(0)
    if not rest or (rest[0].islower() and rest[0] in _PARTICLES):
        return ""
    is_surname = len(rest) == 1 and (titled or len(words) > 1)
    is_surname = is_surname or (titled and rest[0].casefold() in _SURNAME_PARTICLES)
    return "" if is_surname and not surname_before else rest[0].rstrip(".")
