"""Phrases in subjects of automatic replies, by language.

Phrases are compared without accents and case. `NOTICES` identify an automatic reply or an absence on their own. `WORDS`
are also used otherwise ("Absence management"), so they count only where the subject ends or is divided after them.
"""

from __future__ import annotations

NOTICES: dict[str, tuple[str, ...]] = {
    "en": (
        *("automatic reply", "automatic response", "automated reply", "automated response", "auto reply"),
        *("auto-reply", "autoreply", "auto response", "auto-response", "autoresponse", "autoresponder"),
        *("auto answer", "automatic answer", "automated answer", "out of office", "out of the office"),
        *("out-of-office", "automatic replies", "auto replies", "i'm out of", "i am out of", "currently out of"),
        *("away from the office",),
        *("away from my office", "away from my desk", "away from the desk", "away from my mail"),
        *("away from my email", "not in the office", "i'm away", "i am away", "currently away", "i'm on leave"),
        *("i am on leave", "on annual leave", "on parental leave", "on maternity leave", "on paternity leave"),
        *("on sick leave", "on vacation", "i'm on vacation", "i am on vacation", "i'm on holiday"),
        *("i am on holiday", "on holiday until", "vacation reply", "vacation response", "vacation notice"),
        *("vacation message", "away notice", "away message", "absence notice", "absence notification"),
        *("i am currently out", "i'm currently out", "limited access to email", "i no longer work"),
        *("away from office", "out from office", "out of my office", "i am not in the office"),
        *("i'm not in the office", "i will be out of the office", "i'll be out of the office"),
        *("i will be away", "aut.:", "autom.:", "closed for the holidays", "closed until"),
    ),
    "de": (
        *("automatische antworten", "abwesend bis", "im büro erst wieder"),
        *("automatische antwort", "automatische antwortmail", "autom. antwort", "autom antwort", "autoantwort"),
        *("automatische rückantwort", "automatische abwesenheitsnotiz", "automatische abwesenheitsmeldung"),
        *("automatische nachricht", "automatische e-mail", "abwesenheitsnotiz", "abwesenheitsmeldung"),
        *("abwesenheitsbenachrichtigung", "abwesenheitsnachricht", "abwesenheitsassistent", "abwesenheitsagent"),
        *("abwesenheitsinfo", "abwesenheitshinweis", "ich bin abwesend", "bin abwesend", "außer haus"),
        *("bin außer haus", "ich bin außer haus", "nicht im büro", "nicht im buero", "ich bin nicht im büro"),
        *("nicht im hause", "nicht im haus", "nicht am arbeitsplatz", "im urlaub", "ich bin im urlaub"),
        *("urlaubsbedingt", "in elternzeit", "urlaubsabwesenheit", "urlaubsnotiz", "eingangsbestätigung"),
        *("derzeit nicht erreichbar", "zurzeit abwesend", "zur zeit abwesend", "derzeit abwesend"),
        *("nicht erreichbar", "out of office-nachricht"),
        *("ich bin nicht im haus", "nicht im dienst", "urlaubsmeldung", "urlaubsvertretung"),
        *("autom. nachricht", "autom. rückantwort", "wegen betriebsferien", "geschlossen bis"),
    ),
    "fr": (
        *("réponses automatiques", "pas au bureau", "en déplacement jusqu'au"),
        *("réponse automatique", "réponse auto", "message automatique", "notification d'absence"),
        *("message d'absence", "avis d'absence", "absence du bureau", "absent du bureau", "absente du bureau"),
        *("je suis absent", "je suis absente", "actuellement absent", "actuellement absente", "en congé"),
        *("en congés", "je suis en congé", "je suis en congés", "je suis en vacances", "hors du bureau"),
        *("absence de bureau", "en vacances", "accusé de réception"),
        *("je ne suis pas au bureau", "absence au bureau", "rép. auto", "réponse autom", "en congé maternité"),
        *("en arrêt maladie", "fermé pour congés", "fermés pour congés", "fermé jusqu'au", "fermés jusqu'au"),
    ),
    "es": (
        *("respuestas automáticas", "no estaré en la oficina"),
        *("respuesta automática", "contestación automática", "mensaje automático", "autorespuesta"),
        *("auto-respuesta", "autorrespuesta", "fuera de la oficina", "fuera de oficina", "estoy fuera"),
        *("ausente de la oficina", "ausencia de la oficina", "aviso de ausencia", "de vacaciones"),
        *("estoy de vacaciones", "no estoy en la oficina"),
        *(
            "no me encuentro en la oficina",
            "estoy ausente",
            "ausencia por vacaciones",
            "cerrado por vacaciones",
            "cerrado hasta",
        ),
        *("me encuentro de vacaciones", "resp. automática"),
    ),
    "it": (
        *("risposte automatiche", "non in ufficio"),
        *("risposta automatica", "risposta automatizzata", "messaggio automatico", "fuori ufficio", "fuori sede"),
        *("fuori dall'ufficio", "sono fuori", "assenza dall'ufficio", "assente dall'ufficio"),
        *("avviso di assenza", "in ferie", "sono in ferie", "sono assente"),
        *(
            "non sono in ufficio",
            "assenza per ferie",
            "risp. automatica",
            "ufficio chiuso per ferie",
            "chiuso per ferie",
            "chiusi per ferie",
            "chiuso fino al",
            "chiusi fino al",
        ),
    ),
    "pt": (
        *("respostas automáticas",),
        *("resposta automática", "resposta-automática", "mensagem automática", "ausência temporária"),
        *("fora do escritório", "fora da empresa", "fora do gabinete", "ausente do escritório"),
        *("ausência do escritório", "de férias", "estou de férias", "em férias", "estou ausente"),
        *("aviso de ausência",),
        *("não estou no escritório", "estou fora do escritório", "encontro-me ausente"),
        *("encontro-me de férias", "resp. automática"),
    ),
    "nl": (
        *("automatische antwoorden", "afwezig tot"),
        *("automatisch antwoord", "automatische beantwoording", "automatische reactie", "automatisch bericht"),
        *("afwezigheidsbericht", "afwezigheidsmelding", "niet op kantoor", "niet aanwezig", "ik ben afwezig"),
        *("ik ben niet op kantoor", "niet op het werk", "op vakantie", "ik ben op vakantie", "met verlof"),
        *("buiten kantoor",),
        *("ik ben niet aanwezig", "ik ben met vakantie", "ik ben met verlof", "afwezig van kantoor"),
        *("autom. antwoord",),
    ),
    "da": (
        *("automatiske svar", "fraværende til"),
        *("autosvar", "automatisk svar", "automatisk besvarelse", "fraværsbesked", "ikke på kontoret"),
        *("ikke til stede", "ude af kontoret", "jeg er på ferie", "på ferie", "på barsel", "jeg holder ferie"),
        *("ferielukket",),
        *("jeg er ikke på kontoret", "jeg er fraværende", "fraværsmeddelelse"),
    ),
    "no": (
        *("automatisk svar", "autosvar", "fraværsmelding", "ikke på kontoret", "ikke til stede"),
        *("ute av kontoret", "ute av kontor", "på ferie", "jeg har ferie", "borte fra kontoret"),
        *("fråversmelding", "er fraverande"),
        *("jeg er ikke på kontoret", "jeg er på ferie", "jeg er fraværende"),
    ),
    "sv": (
        *("automatiska svar", "frånvarande till"),
        *("autosvar", "automatiskt svar", "automatsvar", "autosvar:", "frånvaromeddelande", "inte på kontoret"),
        *("ej på kontoret", "inte på plats", "på semester", "jag har semester", "föräldraledig", "tjänstledig"),
        *("jag är inte på kontoret", "jag är på semester", "jag är ledig", "jag är frånvarande"),
    ),
    "fi": (
        *("automaattiset vastaukset", "poissa asti"),
        *("automaattinen vastaus", "automaattivastaus", "poissaoloviesti", "poissaoloilmoitus"),
        *("poissa toimistosta", "olen poissa", "en ole paikalla", "lomalla", "olen lomalla", "vuosilomalla"),
        *("en ole toimistolla", "olen vapaalla", "olen vuosilomalla", "poissa konttorilta"),
    ),
    "is": (
        *("sjálfvirkt svar", "sjálfvirk svörun", "ekki við", "í fríi", "er ekki við", "fjarverandi"),
        *("ég er í fríi", "ekki á skrifstofunni"),
    ),
    "et": (
        *("automaatvastus", "automaatne vastus", "kontorist väljas", "kontorist ära", "puhkusel", "olen puhkusel"),
        *("ma ei ole kontoris", "viibin puhkusel", "olen kontorist väljas"),
    ),
    "lv": (
        *("automātiska atbilde", "automātiskā atbilde", "ārpus biroja", "atvaļinājumā", "esmu atvaļinājumā"),
        *("neesmu birojā", "nebūšu birojā", "esmu prombūtnē"),
    ),
    "lt": (
        *("automatinis atsakymas", "automatinis atsakas", "ne biure", "nesu biure", "atostogauju", "atostogose"),
        *("manęs nėra biure", "esu atostogose", "nebūsiu biure"),
    ),
    "pl": (
        *("odpowiedzi automatyczne", "automatyczne odpowiedzi"),
        *("odpowiedź automatyczna", "automatyczna odpowiedź", "autoodpowiedź", "poza biurem"),
        *("jestem poza biurem", "nieobecność w biurze", "nieobecny w biurze", "na urlopie", "jestem na urlopie"),
        *("wiadomość automatyczna", "informacja o nieobecności", "powiadomienie o nieobecności"),
        *("nie ma mnie w biurze", "jestem nieobecny", "jestem nieobecna", "przebywam na urlopie"),
        *("nieobecność do", "aut. odp", "autom. odp", "zastępstwo / nieobecność"),
    ),
    "cs": (
        *("automatické odpovědi", "momentálně mimo kancelář"),
        *("automatická odpověď", "automatická odpoveď", "automatický e-mail", "mimo kancelář"),
        *("nejsem v kanceláři", "nepřítomnost v kanceláři", "oznámení o nepřítomnosti", "mimo pracoviště"),
        *("na dovolené", "jsem na dovolené"),
        *("nejsem v práci", "jsem mimo kancelář", "jsem nepřítomen", "jsem nepřítomna", "mám dovolenou"),
        *("čerpám dovolenou", "aut. odp"),
    ),
    "sk": (
        *("automatické odpovede", "automatická odozva"),
        *("automatická odpoveď", "mimo kancelárie", "mimo kancelária", "nie som v kancelárii", "na dovolenke"),
        *("som na dovolenke", "oznámenie o neprítomnosti", "neprítomnosť v kancelárii"),
        *("som mimo kancelárie", "nie som v práci", "čerpám dovolenku", "som neprítomný", "som neprítomná"),
    ),
    "hu": (
        *("automatikus válaszok", "automatikus felelet"),
        *("automatikus válasz", "automatikus üzenet", "házon kívül", "irodán kívül", "nem vagyok az irodában"),
        *("szabadságon", "szabadságon vagyok", "távolléti üzenet", "távolléti értesítés"),
        *("távol vagyok", "irodán kívül vagyok", "nem vagyok bent", "szabadságon leszek"),
    ),
    "sl": (
        *("samodejni odgovori", "avtomatski odgovori"),
        *("samodejni odgovor", "avtomatski odgovor", "odsoten iz pisarne", "izven pisarne", "na dopustu"),
        *("sem odsoten",),
        *("nisem v pisarni", "odsoten sem", "odsotna sem", "ni me v pisarni"),
    ),
    "hr": (
        *("automatski odgovor", "izvan ureda", "nisam u uredu", "na godišnjem odmoru", "odsutan iz ureda"),
        *("odsutnost iz", "na godišnjem"),
        *("odsutan sam", "odsutna sam", "nema me u uredu"),
    ),
    "sr": (
        *("automatski odgovor", "аутоматски одговор", "van kancelarije", "ван канцеларије", "na odmoru"),
        *("на одмору", "nisam u kancelariji", "нисам у канцеларији", "аутоматска порука"),
        *("odsutan sam", "одсутан сам", "одсутна сам", "nema me u kancelariji"),
    ),
    "mk": (
        *("автоматски одговор", "надвор од канцеларија", "на одмор"),
        *("отсутен сум", "отсутна сум", "не сум во канцеларија"),
    ),
    "sq": (
        *("përgjigje automatike", "përgjigjje automatike", "jashtë zyrës", "jashte zyre", "me pushime"),
        *("jam me pushime",),
        *("nuk jam në zyrë",),
    ),
    "ro": (
        *("răspunsuri automate", "plecat din birou"),
        *("răspuns automat", "mesaj automat", "în afara biroului", "absent de la birou", "nu sunt la birou"),
        *("în concediu", "sunt în concediu", "lipsesc din birou"),
        *("nu sunt în birou", "sunt plecat din birou", "sunt plecată din birou", "absență din birou"),
        *("sunt absent",),
    ),
    "bg": (
        *("автоматичен отговор", "извън офиса", "не съм в офиса", "в отпуск", "в отпуска", "отсъствам от офиса"),
        *("отсъствам", "ще отсъствам", "няма ме в офиса", "в отпуск съм"),
    ),
    "el": (
        *("αυτόματες απαντήσεις", "λείπω έως"),
        *("αυτόματη απάντηση", "αυτοματοποιημένη απάντηση", "εκτός γραφείου", "απουσία από το γραφείο"),
        *("σε άδεια", "είμαι εκτός γραφείου", "βρίσκομαι σε άδεια"),
        *("απουσιάζω", "λείπω από το γραφείο", "είμαι σε άδεια", "λείπω σε άδεια"),
    ),
    "tr": (
        *("otomatik yanıt", "otomatik cevap", "ofis dışında", "ofis dışındayım", "ofiste değilim", "izindeyim"),
        *("yıllık izin",),
        *("izinliyim", "ofiste yokum", "yıllık izindeyim"),
    ),
    "ru": (
        *("автоматические ответы", "автоматическое сообщение"),
        *("автоматический ответ", "автоответ", "автоответчик", "нет на месте", "отсутствую на рабочем месте"),
        *("вне офиса", "не в офисе", "в отпуске", "я в отпуске", "нахожусь в отпуске"),
        *("отсутствие на рабочем месте",),
        *("меня нет в офисе", "меня не будет в офисе", "нет в офисе", "я не в офисе", "отсутствую"),
        *("я отсутствую", "временно отсутствую", "меня нет на месте", "нахожусь в командировке"),
    ),
    "uk": (
        *("автоматичні відповіді", "автоматичне повідомлення"),
        *("автоматична відповідь", "автовідповідь", "автоматична відповiдь", "поза офісом", "не в офісі"),
        *("у відпустці", "в відпустці", "я у відпустці", "відсутність на робочому місці"),
        *("мене немає в офісі", "мене нема в офісі", "мене не буде в офісі", "немає в офісі", "я відсутній"),
        *("я відсутня", "перебуваю у відпустці"),
    ),
    "be": (
        *("аўтаматычны адказ", "аўтаадказ", "па-за офісам", "у адпачынку"),
        *("мяне няма ў офісе", "я адсутнічаю"),
    ),
    "ca": (
        *("resposta automàtica", "fora de l'oficina", "fora d'oficina", "de vacances", "estic de vacances"),
        *("no soc a l'oficina", "soc fora de l'oficina"),
    ),
    "gl": (
        *("resposta automática", "fóra da oficina", "fora da oficina", "de vacacións"),
        *("non estou na oficina",),
    ),
    "eu": ("erantzun automatikoa", "bulegotik kanpo", "oporretan"),
    "ga": ("freagra uathoibríoch", "as an oifig", "amach as an oifig"),
    "cy": ("ateb awtomatig", "allan o'r swyddfa", "ymateb awtomatig"),
    "mt": ("tweġiba awtomatika", "barra mill-uffiċċju"),
    "lb": (
        *("automatesch äntwert", "automatesch antwert", "net am büro", "am congé"),
        *("ech sinn net am büro",),
    ),
    "zh": (
        *("自动回覆", "出差中", "出差通知", "请假中", "請假中", "休假至", "外出至"),
        *("自动回复", "自动答复", "自動回覆", "自動回復", "自動答覆", "自动应答", "不在办公室", "不在辦公室"),
        *("外出通知", "休假通知", "外出自动", "外出自動", "休假中", "正在休假", "放假通知"),
    ),
    "ja": (
        *("不在のため", "不在にします", "不在です", "不在期間", "休暇のため", "出張のため", "休業のお知らせ"),
        *("自動応答", "自動返信", "自動回答", "不在通知", "不在のお知らせ", "不在応答", "不在連絡"),
        *("不在メッセージ", "休暇のお知らせ", "休暇中", "外出中", "不在にして", "自動送信"),
        *("休暇をいただいて", "休暇を頂いて", "休暇を取得して", "休業のご案内", "休業について", "休暇について"),
        *("お休みをいただいて",),
    ),
    "ko": ("자동 회신", "자동회신", "자동 응답", "자동응답", "부재중", "부재 중"),
}

WORDS: tuple[str, ...] = (
    *("auto", "automatic", "ooo", "absence", "absent", "away", "on holiday", "on holidays", "vacation", "on leave"),
    *("annual leave", "holiday", "oof"),
    *("abwesend", "abwesenheit", "urlaub", "absente", "congés", "conges", "vacances", "ausente", "ausencia"),
    *("vacaciones", "assente", "assenza", "ferie", "ausência", "férias", "afwezig", "afwezigheid", "vakantie"),
    *("verlof", "fravær", "fraværende", "bortreist", "frånvaro", "frånvarande", "semester", "poissa", "loma"),
    *("poissaolo", "fjarvera", "puhkus", "prombūtne", "nebūšu", "nieobecność", "urlop", "nieobecny", "nieobecna"),
    *("nepřítomnost", "nepřítomen", "dovolená", "neprítomnosť", "dovolenka", "távollét", "szabadság", "odsoten"),
    *("odsotnost", "dopust", "odsutan", "odsutnost", "odsustvo", "absenta", "concediu", "отсъствие", "отпуск"),
    *("απουσία", "άδεια", "izin", "отсутствие", "відсутність", "відпустка", "不在", "休暇", "休假", "外出"),
    *("请假", "請假", "부재", "nepřítomna", "neprítomný", "neprítomná", "odsotna", "odsutna", "відсутній", "відсутня"),
    *("prombūtnē", "atostogos", "absență", "одсутан", "одсутност", "отсутен", "адсутнасць", "mungesë", "leyfi"),
    *("we are closed", "we're closed", "office closed", "office is closed", "offices closed", "wir haben geschlossen"),
    *(
        "betriebsferien",
        "betriebsurlaub",
        "büro geschlossen",
        "fermeture annuelle",
        "bureau fermé",
        "nous sommes fermés",
    ),
    *("oficina cerrada", "estamos cerrados", "chiusura estiva", "ufficio chiuso", "siamo chiusi", "escritório fechado"),
    *("estamos encerrados", "kantoor gesloten", "wij zijn gesloten", "semesterstängt", "feriestengt"),
    *("biuro nieczynne", "休業", "放假"),
)

SUBSTITUTES: tuple[str, ...] = (
    *("substitute", "cover", "vertretung", "stellvertretung", "remplacement", "sustitución", "sostituzione"),
    *("substituição", "vervanging", "vikar", "vikarie", "sijaisuus", "zastępstwo", "zástup", "zastupování"),
    *("helyettesítés", "nadomeščanje", "zamjena", "замена", "înlocuire", "замещение", "заміщення", "заместване"),
)
"""Words that stand before or after one of `WORDS` and a slash ("Vertretung / Urlaub")."""

SENTENCES: tuple[str, ...] = (
    *("is out of the office", "is out of office", "is currently out", "is away", "is on vacation", "is on leave"),
    *("ist außer haus", "ist nicht im büro", "ist nicht im haus", "ist abwesend", "ist im urlaub", "est absent"),
    *("ist nicht im hause", "ist zurzeit abwesend", "ist derzeit abwesend", "est en congé"),
    *("está fuera de la oficina", "está ausente", "è fuori ufficio", "è assente", "is afwezig"),
    *("is niet op kantoor", "er ikke på kontoret", "är inte på kontoret", "jest poza biurem", "jest nieobecn"),
    *("on poissa", "nie je v kancelárii"),
)
"""Phrases that follow a name in absence notices of IBM Notes."""

PREFIXES: tuple[str, ...] = (
    *("re", "aw", "antw", "antwort", "sv", "svar", "vs", "vl", "tr", "rv", "res", "rif", "ref", "r", "odp"),
    *("odpověď", "odpowiedź", "pd", "ynt", "ilt", "yan", "vá", "va", "atb", "ats", "per", "fw", "fwd", "wg"),
    *("fs", "ed", "red", "bls", "doorst", "enc", "i", "odg", "prosl", "přep", "prep", "răsp", "rasp", "απ"),
    *("πρθ", "σχετ", "отв", "ответ", "на", "нд", "пересл", "відп", "відповідь", "回复", "回覆", "答复", "答覆"),
    *("回信", "转发", "轉寄", "轉發", "返信", "転送", "회신", "전달"),
)
"""Prefixes that mail programs add to the subject of a reply or of a forwarded mail."""
