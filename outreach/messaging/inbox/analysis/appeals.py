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
    *("сейчас", "временно", "я", "тимчасово", "зараз", "в момента", "тренутно", "αυτή τη στιγμή", "目前", "现在"),
    *("現在",),
    *("presently", "we are", "we're", "our office is", "the office is", "office is", "gerade", "ich befinde mich"),
    *("wir haben", "wir machen"),
    *("derzeit bin ich", "zurzeit bin ich", "nous sommes", "en ce moment", "en este momento", "me encuentro"),
    *("estamos",),
    *("al momento", "in questo momento", "mi trovo", "siamo", "neste momento", "no momento", "encontro-me", "ben ik"),
    *("op dit moment", "wij zijn", "we zijn", "i øjeblikket", "för närvarande", "vi är", "vi er", "w tej chwili"),
    *("przebywam", "právě", "práve", "éppen", "в настоящее время", "в данный момент", "нахожусь", "мы", "я зараз"),
    *("перебуваю", "ben", "我", "本人", "我们", "我們", "当前", "當前", "只今", "ただ今", "ただいま", "夏季", "夏期"),
    *("冬季", "冬期"),
    *(
        "年末年始",
        "年末年始の",
        "お盆",
        "臨時",
        "弊社",
        "在",
        "正在",
        "目前在",
        "将",
        "將",
        "春节",
        "春節",
        "国庆",
        "國慶",
        "国庆节",
    ),
    *("元旦", "五一", "中秋", "中秋节", "端午", "端午节", "清明", "清明节", "新年", "圣诞", "聖誕", "寒假", "暑假"),
    *("i will be", "i'll be", "we will be", "we'll be", "krankheitsbedingt", "krankheitshalber", "dienstlich"),
    *("je serai",),
    *("nous serons", "seré", "estaremos", "saremos", "estaremos", "ik zal", "wij zullen", "jeg vil være", "będę"),
    *("będziemy",),
    *("budu", "budeme", "budem", "bom", "voi fi", "ще бъда", "ще съм", "θα είμαι", "буду", "будем", "я буду", "будемо"),
    *("저는", "현재", "지금", "אני", "אנחנו", "כרגע", "أنا", "نحن", "حاليا", "حاليًا"),
)
"""Words before an absence ("Derzeit nicht im Büro")."""

TIMES: tuple[str, ...] = (
    *("anfang", "mitte", "ende", "end of", "early", "late", "fin", "finales de", "fine", "eind", "slutningen af"),
    *("konca",),
    *("vom", "von", "bis", "ab", "am", "zum", "und", "heute", "morgen", "from", "until", "till", "to", "today"),
    *("tomorrow",),
    *("this week", "next week", "diese woche", "nächste woche", "einschließlich", "aujourd'hui", "demain"),
    *("cette semaine",),
    *("jusqu'au", "du", "au", "hoy", "mañana", "esta semana", "hasta el", "desde el", "oggi", "domani", "fino al"),
    *("dal", "al"),
    *("hoje", "amanhã", "até", "vandaag", "morgen", "deze week", "tot", "t/m", "i dag", "i morgen", "idag"),
    *("imorgon", "till"),
    *("til", "fra", "från", "tänään", "huomenna", "dziś", "dzisiaj", "jutro", "do", "od", "dnes", "zítra"),
    *("zajtra", "dne"),
    *("ma", "holnap", "danes", "danas", "astăzi", "azi", "mâine", "днес", "утре", "сегодня", "завтра", "с", "до", "по"),
    *("сьогодні", "з", "σήμερα", "αύριο", "bugün", "yarın"),
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"),
    *("december", "januar", "jänner", "februar", "märz", "mai", "juni", "juli", "oktober", "dezember", "janvier"),
    *("février",),
    *("mars", "avril", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre", "enero", "febrero"),
    *("marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
    *("gennaio",),
    *("febbraio", "aprile", "maggio", "giugno", "luglio", "settembre", "ottobre", "dicembre", "janeiro", "fevereiro"),
    *("março", "maio", "junho", "julho", "setembro", "outubro", "novembro", "dezembro", "januari", "februari", "maart"),
    *("mei", "augustus", "desember", "augusti", "stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca"),
    *("sierpnia", "września", "października", "listopada", "grudnia", "ledna", "února", "března", "dubna", "května"),
    *("června", "července", "srpna", "září", "října", "prosince", "января", "февраля", "марта", "апреля", "мая"),
    *("июня",),
    *("июля", "августа", "сентября", "октября", "ноября", "декабря", "січня", "лютого", "березня", "квітня", "травня"),
    *("червня", "липня", "серпня", "вересня", "жовтня", "листопада", "грудня"),
)
"""Days and months between the opening words and an absence ("Ich bin bis 5. Januar im Urlaub")."""

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
    *("idea", "idee", "idée", "ideia", "idé", "ide", "pomysł", "nápad", "идея", "ідея", "ιδέα", "fikir"),
    *("interest", "interested", "interesse", "interessiert", "intérêt", "intéressé", "interés", "interesado"),
    *("interessato", "interessado", "geïnteresseerd", "intresserad", "interesseret", "zainteresowany", "интерес"),
    *("интересно", "цікаво", "missing", "how to", "fehlt", "fehlen", "manque", "falta", "manca", "ontbreekt", "saknas"),
    *("mangler", "brakuje", "chybí", "chýba", "hiányzik", "не хватает", "бракує"),
)
"""Requests and praise, after which a subject is a person's."""
CJK_APPEALS: tuple[str, ...] = (
    *("能否", "可否", "可以吗", "好主意", "打电话给我", "給我打電話", "给我打电话", "吗", "嗎", "ください"),
    *("でしょうか",),
    *("いかがですか", "お願いします", "いい考え", "怎么", "怎麼", "如何", "什么", "什麼", "想法", "功能", "系统"),
    *("系統", "软件"),
    *("軟體", "机器人", "機器人", "機能", "システム", "使い方", "アイデア"),
)
"""Requests in languages without spaces between words."""
NOTICE_APPEALS: tuple[str, ...] = (
    *("bitte wenden", "bitte kontaktieren", "bitte beachten", "bitte schreiben", "bitte richten", "bitte an"),
    *("bitte in dringenden", "gerne an", "gerne wieder"),
)
"""Requests that absence notices have as well."""

TOPICS: tuple[str, ...] = (
    *("out of office", "out-of-office", "automatic reply", "automatic replies", "automatic response"),
    *("automated reply",),
    *("automated response", "auto reply", "auto-reply", "autoreply", "auto response", "auto-response", "autoresponse"),
    *("autoresponder", "auto answer", "automatic answer", "on vacation", "vacation message", "vacation notice"),
    *("automatische antwort", "automatische antworten", "automatische nachricht", "automatische e-mail", "außer haus"),
    *("eingangsbestätigung", "im urlaub", "urlaubsvertretung", "abwesenheitsassistent", "nicht erreichbar"),
    *("réponse automatique", "réponses automatiques", "message automatique", "accusé de réception", "en vacances"),
    *("respuesta automática", "respuestas automáticas", "mensaje automático", "de vacaciones", "fuera de oficina"),
    *("risposta automatica", "risposte automatiche", "messaggio automatico", "fuori sede", "in ferie", "de férias"),
    *("resposta automática", "respostas automáticas", "mensagem automática", "automatisch antwoord", "op vakantie"),
    *("automatische reactie", "automatisch bericht", "buiten kantoor"),
)
"""Phrases of absences that begin other topics as well ("Out of office space in Berlin")."""

RESUMPTIONS: tuple[str, ...] = (
    *("for", "from", "since", "today", "tomorrow", "this", "next", "all", "in", "on", "and", "with", "without"),
    *("due to",),
    *("reply", "response", "message", "notice", "of your", "für", "ab", "seit", "diese", "nächste", "und", "mit"),
    *("wegen",),
    *("zu", "ihre", "ihrer", "ihres", "pour", "du", "depuis", "cette", "aujourd'hui", "et", "avec", "de votre"),
    *("de vos",),
    *("del", "desde", "por", "hoy", "esta", "y", "con", "de su", "dal", "dalla", "oggi", "questa", "e", "della sua"),
    *("per", "da", "desde", "hoje", "com", "da sua", "do seu", "vanaf", "voor", "deze", "vandaag", "en", "met"),
    *("van uw",),
)
"""Words that absence notices have directly after one of `TOPICS`."""
