"""Words around the phrases of absences, and words after which a subject is a person's."""

from __future__ import annotations

OPENERS: tuple[str, ...] = (
    *("derzeit", "zurzeit", "zur zeit", "momentan", "aktuell", "heute", "vorübergehend", "leider", "bin", "ich bin"),
    *("wir sind", "sind", "currently", "temporarily", "at the moment", "i am", "i'm", "i am currently", "sorry,"),
    *("actuellement", "momentanément", "je suis", "actualmente", "estoy", "estaré", "temporalmente", "attualmente"),
    *("sono", "sarò", "momentaneamente", "atualmente", "estou", "estarei", "momenteel", "tijdelijk", "ik ben"),
    *("for tiden", "for tida", "jeg er", "er", "just nu", "jag är", "tillfälligt", "tällä hetkellä", "olen"),
    *("obecnie", "aktualnie", "jestem", "momentálně", "aktuálně", "jsem", "momentálne", "aktuálne", "som"),
    *("jelenleg", "trenutno", "în prezent", "momentan sunt", "sunt", "şu anda", "şu an"),
    *(
        "сейчас",
        "временно",
        "я",
        "тимчасово",
        "зараз",
        "в момента",
        "тренутно",
        "αυτή τη στιγμή",
        "目前",
        "现在",
        "現在",
    ),
)
"""Words before an absence ("Derzeit nicht im Büro")."""

UNTIL: tuple[str, ...] = (
    *("until", "till", "through", "back on", "bis", "bis zum", "jusqu'au", "jusqu'à", "jusqu'en", "hasta", "hasta el"),
    *("fino al", "fino a", "sino al", "até", "até ao", "tot", "t/m", "til og med", "till och med", "asti", "aż do"),
    *("až do", "до", "έως", "μέχρι", "pînă la", "până la", "kadar", "alates", "līdz", "iki", "至", "到"),
)
"""Words between an absence and its end."""

APPEALS: tuple[str, ...] = (
    *("can we", "could we", "can you", "could you", "shall we", "let's", "let us", "call me", "ring me", "phone me"),
    *("write me", "send me", "text me", "meet me", "how about", "what about", "please send", "please give"),
    *("i need", "i want", "i would", "i'd", "we need", "we want", "we would", "nice idea", "good idea", "great idea"),
    *("bitte", "bitte um", "rufen sie mich", "ruf mich", "können wir", "könnten wir", "können sie", "könnten sie"),
    *("lassen sie uns", "lass uns", "schicken sie", "senden sie", "ich möchte", "ich brauche", "gute idee", "gerne"),
    *("pouvons-nous", "pouvez-vous", "on peut", "appelez-moi", "rappelez-moi", "envoyez-moi", "bonne idée"),
    *("podemos", "puede", "puedes", "llámeme", "llámame", "envíeme", "buena idea", "possiamo", "può", "chiamami"),
    *("mi chiami", "mi mandi", "buona idea", "podem", "pode", "ligue-me", "me ligue", "boa ideia", "kunnen we"),
    *("kunt u", "bel me", "bel mij", "stuur mij", "goed idee", "kan vi", "kan du", "ring mig", "ring meg"),
    *("god idé", "voimmeko", "voitko", "soita", "czy możemy", "możemy", "proszę zadzwonić", "dobry pomysł"),
    *("můžeme", "můžete", "zavolejte", "dobrý nápad", "môžeme", "zavolajte", "hívjon", "putem", "sunați-mă"),
    *("можем", "можете", "позвоните", "пришлите", "хорошая идея", "можемо", "зателефонуйте", "μπορούμε", "arayın"),
)
"""Requests and praise, after which a subject is a person's."""
CJK_APPEALS: tuple[str, ...] = (
    *(
        "能否",
        "可否",
        "可以吗",
        "好主意",
        "打电话给我",
        "給我打電話",
        "给我打电话",
        "吗",
        "嗎",
        "ください",
        "でしょうか",
    ),
    *("いかがですか", "お願いします", "いい考え"),
)
"""Requests in languages without spaces between words."""
NOTICE_APPEALS: tuple[str, ...] = (
    *("bitte wenden", "bitte kontaktieren", "bitte beachten", "bitte schreiben", "bitte richten", "bitte an"),
    *("bitte in dringenden", "gerne an", "gerne wieder"),
)
"""Requests that absence notices have as well."""
