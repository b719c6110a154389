"""Reasons, thanks and polite words that stand next to a wish for no more mails.

Patterns are matched with a whole sentence or clause, in the form that those of `STOP` are matched with.
"""

from __future__ import annotations

REASONS: dict[str, str] = {
    "en": (
        r"(?:(?:i|we) (?:am |are |m |re )?|am |are )?(?:really |just |simply |currently |at all )*(?:not|no longer)"
        r"(?: really| at all| currently)? interested(?: (?:in|at|right|any ?more|currently|but).{0,40})?"
        r"|(?:(?:i|we) (?:have|ve)(?: got)? |there is )?(?:no|zero|absolutely no) (?:interest|need|use)"
        r"(?: (?:in|for|of|at).{0,40})?|(?:but )?no|nope|no thank you|(?:this|it|that) does(?: not"
        r"|n t) interest (?:me|us)"
        r"|(?:i|we) (?:do not|don t) (?:need|know|want) (?:this|it|that|you|your .{1,40}|any .{1,30}|anything .{0,30})"
        r"|(?:i|we) (?:have |ve )?never (?:signed up|subscribed|asked|registered|opted in|requested|agreed)"
        r"(?: (?:for|to) .{1,40}| (?:this|it|that))?"
        r"|(?:i|we) (?:did not|didn t) (?:sign up|subscribe|ask|register|opt in|request|agree)"
        r"(?: (?:for|to) .{1,40}| (?:this|it|that))?"
        r"|(?:this|it|that|your (?:e ?mail|message)) is (?:spam|unsolicited|not relevant|irrelevant|harassment"
        r"|unwanted)"
        r"(?: (?:to|for) (?:me|us))?|not relevant(?: (?:to|for) (?:me|us))?|(?:you have (?:the )?)?wrong "
        r"(?:person|address|contact)|(?:i am|i m) not the right (?:person|contact)|(?:i|we) (?:get|receive) (?:far "
        r"|way )"
        r"?too many (?:of these |of your )?(?:e ?mails?|mails?|messages?)?(?: already)?|too many (?:e ?mails?|mails?|"
        r"messages?)|(?:i|we) already have (?:a|an|one|our) .{0,30}|(?:i have|i ve|i am|i m) retired"
        r"|(?:thanks?(?: you)? )?for (?:your|the) (?:e ?mail|mail|message|offer|interest|information|note|time|outreach"
        r"|follow ?up|invitation|reminder)|(?:thanks?(?: you)? )?for (?:reaching out|contacting|writing"
        r"|getting in touch"
        r"|following up|e ?mailing|thinking of)(?: (?:to|with))?(?: (?:me|us))?(?: again)?"
        r"|(?:(?:i|we) )?(?:have |there is |there s |got )?(?:no|zero) (?:budget|money|funds|capacity|time|plans?)"
        r"(?: (?:for|to|in|at) .{1,30})?|(?:(?:it|this) (?:is|s) |(?:we|i) (?:are|am|re|m) )?not (?:a |the |really a )?"
        r"(?:good |right |great )?(?:fit|match)(?: (?:for|at) .{1,20})?|not for (?:me|us)"
        r"|(?:i|we) (?:am |are |m |re )(?:all set|good|happy (?:with|as) .{1,40})"
    ),
    "de": (
        r"(?:(?:ich bin|wir sind|bin|sind) )?(?:leider |derzeit |aktuell |momentan |uberhaupt "
        r"|daran )*nicht (?:daran )?"
        r"interessiert(?: an .{1,40})?|(?:(?:(?:ich|wir) )?(?:habe|haben|es besteht|besteht) )?(?:\w+ ){0,2}(?:kein"
        r"|keinerlei|"
        r"keinen) (?:interesse|bedarf)(?: (?:an|fur|daran|hieran|mehr|meinerseits|unsererseits).{0,40})?"
        r"|nein|ne|(?:das |es )?interessiert (?:mich|uns) (?:\w+ )?nicht"
        r"|(?:ich|wir) (?:habe|haben) (?:mich |uns |dem |hierfur |dafur )*(?:nie|niemals"
        r"|nicht) (?:\w+ ){0,3}(?:angemeldet|"
        r"registriert|zugestimmt|eingewilligt|gebeten|bestellt|abonniert)|(?:das|dies) ist (?:spam"
        r"|unerwunschte werbung)"
        r"|(?:ich|wir) (?:brauche|brauchen|benotige|benotigen) (?:das|dies|es|so etwas|ihre? .{1,30}) nicht"
        r"|(?:falsche[rs]?|sie haben (?:die|den) falschen?) (?:ansprechpartner|adresse|person)|(?:ich"
        r"|wir) kennen? sie nicht"
        r"|(?:(?:vielen |besten |herzlichen )?dank(?:e)? )?fur (?:ihre?n?|die|das|deine?) (?:e mail|mail|nachricht"
        r"|angebot|"
        r"anfrage|information(?:en)?|interesse|kontaktaufnahme|zeit|muhe)|(?:(?:wir|ich) )?(?:(?:haben|habe) )?kein "
        r"budget(?: (?:dafur|hierfur|fur .{1,30}))?|(?:das |es )?passt (?:fur uns |leider |uns )*nicht(?: (?:zu"
        r"|fur) uns)?"
    ),
    "fr": (
        r"(?:(?:je (?:ne )?|nous (?:ne )?|on (?:n )?)?(?:suis|sommes|est) )?(?:pas|plus) (?:du tout "
        r"|vraiment )?interesse"
        r"(?:e|s|es)?(?: par .{1,40})?|(?:cela|ca) (?:ne )?(?:m|nous|me) interesse (?:pas|plus)(?: du tout)?"
        r"|(?:(?:je n ai|nous n avons|on n a) )?(?:pas|aucun)(?: d)? ?(?:besoin|interet)(?: .{1,40})?|non"
        r"|je ne me suis (?:jamais|pas) (?:inscrit|abonne)e?(?: .{1,40})?|je n ai (?:jamais|pas) (?:demande|souscrit)"
        r"(?: .{1,40})?|c est du spam|(?:mauvaise (?:adresse|personne))"
        r"|(?:merci )?(?:pour|de) (?:votre|vos) (?:message|e ?mail|mail|offre|proposition|interet)|(?:merci )?de (?:m"
        r"|nous) "
        r"avoir contactee?s?|(?:(?:je n ai|nous n avons) )?(?:pas (?:de|le)|aucun) budget(?: .{1,30})?"
    ),
    "es": (
        r"no (?:(?:estoy|estamos|me encuentro) )?interesad[oa]s?(?: en .{1,40})?|no (?:me|nos) interesan?(?: .{1,40})?"
        r"|(?:sin|ningun) interes|no (?:tengo|tenemos) (?:ningun )?(?:interes|necesidad)(?: .{1,40})?|no"
        r"|nunca me (?:suscribi|registre|inscribi)(?: .{1,40})?|(?:esto )?es spam|no los? conozco"
        r"|(?:muchas )?(?:gracias )?por (?:su (?:correo|mensaje|oferta|propuesta|interes)|contactar(?:me|nos)"
        r"|escribir(?:me"
        r"|nos)?)|no (?:tenemos|tengo|hay) presupuesto(?: .{1,30})?"
    ),
    "it": (
        r"non (?:(?:sono|siamo) )?(?:piu )?interessat[oaie](?: .{1,40})?|non (?:mi|ci) interessa(?:no)?(?: .{1,40})?|no"
        r"|nessun interesse|non (?:ho|abbiamo) (?:alcun |nessun )?(?:interesse|bisogno)(?: .{1,40})?"
        r"|non mi sono mai (?:iscritt|registrat)[oa](?: .{1,40})?|(?:questo )?e spam"
        r"|(?:grazie )?per (?:la sua|la vostra|la tua) (?:e ?mail|mail|offerta|proposta)|(?:grazie )?per aver(?:mi|ci) "
        r"(?:contattat[oaie]|scritto)|non (?:abbiamo|ho) (?:il )?budget(?: .{1,30})?"
    ),
    "pt": (
        r"nao (?:(?:estou|estamos|tenho|temos) )?(?:mais )?(?:interessad[oa]s?|interesse)(?: .{1,40})?|sem interesse"
        r"|nao (?:me|nos) interessam?(?: .{1,40})?|nao|nunca me (?:inscrevi|cadastrei|registei)(?: .{1,40})?"
        r"|(?:isto|isso) e spam|(?:obrigad[oa] )?pel[oa] (?:seu |sua )?(?:mensagem|e ?mail|contacto|contato|proposta)"
        r"|nao (?:temos|tenho) (?:orcamento|verba)(?: .{1,30})?"
    ),
    "nl": (
        r"(?:(?:ik ben|wij zijn|we zijn|ben) )?niet (?:meer )?geinteresseerd(?: in .{1,40})?|nee"
        r"|(?:(?:ik heb|wij hebben|we hebben|heb) )?(?:hier )?geen (?:interesse|belangstelling|behoefte)"
        r"(?: (?:in|aan|voor) .{1,40})?|ik heb (?:me|mij) (?:hier )?nooit (?:\w+ ){0,2}(?:aangemeld|ingeschreven)"
        r"|dit is spam|(?:bedankt |dank )?voor (?:uw|je|het) (?:mail|e ?mail|bericht|aanbod|contact)"
        r"|(?:(?:ik heb|wij hebben|we hebben) )?geen budget(?: .{1,30})?"
    ),
    "pl": (
        r"nie (?:jestem |jestesmy )?zainteresowan\w{1,3}(?: .{1,40})?|(?:to )?(?:mnie |nas )?(?:to )?nie interesuje"
        r"(?: mnie| nas)?(?: to)?|brak zainteresowania|nie|to (?:jest )?spam|nie (?:mam|mamy) zainteresowania"
        r"|nigdy sie nie (?:zapisywalem|zapisywalam|zapisalem|zapisalam)(?: .{1,30})?|(?:dziekuje )?za (?:wiadomosc"
        r"|oferte|kontakt)|nie (?:mamy|mam) budzetu(?: .{1,30})?"
    ),
    "da": r"(?:(?:jeg|vi) er )?ikke interesseret(?: .{1,30})?|(?:jeg|vi) er ikke interesserede(?: .{1,30})?|nej",
    "no": r"(?:(?:jeg|vi) er )?ikke interesserte?(?: .{1,30})?|nei",
    "sv": r"(?:(?:jag|vi) ar )?(?:inte|ej) intresserade?(?: .{1,30})?|nej",
    "fi": r"(?:minua |meita )?ei kiinnosta(?: .{1,30})?|en ole kiinnostunut(?: .{1,30})?|emme ole kiinnostuneita|ei",
    "cs": (
        r"nema(?:m|me) (?:\w+ ){0,3}zajem(?: .{1,30})?|(?:to )?(?:me|nas) (?:to )?nezajima|nezajima (?:me"
        r"|nas)(?: to)?|ne"
    ),
    "sk": r"nema(?:m|me) (?:\w+ ){0,3}zaujem(?: .{1,30})?|(?:to )?(?:ma|nas) (?:to )?nezaujima|nezaujima (?:ma|nas)",
    "hu": r"nem (?:vagyok|vagyunk) erdekelt(?:ek)?|(?:minket |engem )?nem erdekel(?: .{1,30})?|nem",
    "ro": r"nu (?:sunt|suntem) interesat[aie]?(?: .{1,30})?|nu (?:ma|ne) intereseaza(?: .{1,30})?|nu",
    "sl": r"(?:me |nas )?ne zanima(?: me| nas)?(?: .{1,30})?",
    "tr": r"ilgilenmiyor(?:um|uz)|hayir",
    "el": r"δεν (?:ενδιαφερομαι|ενδιαφερομαστε|με ενδιαφερει|μας ενδιαφερει)(?: .{1,30})?|οχι",
    "ru": (
        r"(?:мне |нам |меня |нас )?(?:это )?не ?(?:интересно|интересует|актуально)(?: .{1,30})?|нет"
        r"|(?:это )?(?:меня |нас )не интересует|это спам"
    ),
    "uk": r"(?:мені |нам |мене |нас )?(?:це )?не (?:цікаво|цікавить|актуально)(?: .{1,30})?|ні|це спам",
    "zh": (
        r"(?:我|我们|我們)?(?:对此|對此)?(?:不感兴趣|不感興趣|没兴趣|沒興趣|没有兴趣|沒有興趣|不需要)了?|这是垃圾邮件"
    ),
    "ja": (
        r"興味(?:は|が)?(?:ありません|ないです|ございません|無いです)|(?:当社|弊社)?(?:には|では)?必要(?:ありません"
        r"|ないです)|迷惑です|(?:いつも)?(?:大変)?お世話になっております|(?:株式会社|有限会社)?.{1,20}の.{1,10}です|.{1,20}と申します"
    ),
    "ko": r"관심(?:이|은)? ?없(?:습니다|어요)",
}

POLITE = (
    r"asap|as soon as possible|immediately|right away|right now|at once|with immediate effect|effective immediately"
    r"|now|today"
    r"|sofort|umgehend|schnellstmoglich|ab sofort|mit sofortiger wirkung|immediatement|des que possible|inmediatamente"
    r"|de inmediato|immediatamente|subito|imediatamente|onmiddellijk|per direct|zo snel mogelijk|omgaende|straks|heti"
    r"|natychmiast|ihned|okamzite|azonnal|немедленно|срочно|негаино|hemen|derhal"
    r"|please|pls|plz|kindly|thanks?(?: you)?(?: (?:very|so) much)?(?: in advance)?|thx|cheers|sorry|hi(?: there)?|"
    r"hello|hey|dear (?:all|team|sir|madam)"
    r"|could you|can you|would you|(?:best|kind|warm)? ?regards|best wishes|sincerely|yours"
    r"|bitte|danke(?: schon)?|vielen dank|besten dank|herzlichen dank|hallo|guten tag|moin|sehr geehrte damen und "
    r"herren"
    r"|(?:mit )?(?:freundlichen|besten|viele|schone|liebe) gru(?:ss|s|ß)en?|gru(?:ss|ß)e?|mfg|lg|vg"
    r"|bonjour|merci(?: (?:d avance|beaucoup))?|s il vous plait|svp|s il te plait|cordialement|bien a vous"
    r"|hola|por favor|gracias|muchas gracias|saludos|un saludo|buenos dias|ciao|buongiorno|per favore|per cortesia|"
    r"grazie"
    r"|cordiali saluti|saluti|ola|bom dia|obrigad[oa]|por gentileza|atenciosamente|dag|hoi|alstublieft|aub|graag|"
    r"bedankt|dank u"
    r"|met vriendelijke groet(?:en)?|mvg|hej|hei|venligst|tak|mvh|vennligst|takk|vanligen|snalla|tack|kiitos|"
    r"ystavallisesti"
    r"|prosze|dziekuje|pozdrawiam|dzien dobry|prosim|dekuji|dakujem|dobry den|s pozdravem|s pozdravom|kerem|"
    r"koszonom|udvozlettel"
    r"|molim|hvala|prosim vas|lep pozdrav|va rog|multumesc|моля|благодаря|παρακαλω|ευχαριστω|lutfen|tesekkurler|"
    r"merhaba"
    r"|пожалуиста|спасибо|здравствуите|добрыи день|будь ласка|дякую|добрии день|palun|aitah|ludzu|paldies|prasau|"
    r"aciu|vinsamlegast"
    r"|si us plau|gracies|请|請|谢谢|謝謝|您好|你好|お世話になります|お世話になっております|よろしくお願いします"
    r"|よろしくお願いいたします|お願いします|お願いいたします|"
    r"ありがとうございます"
)
