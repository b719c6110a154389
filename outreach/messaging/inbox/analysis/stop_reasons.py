"""Reasons, thanks and polite words that stand next to a wish for no more mails.

Patterns are matched with a whole sentence or clause, in the form that those of `STOP` are matched with.
"""

from __future__ import annotations

REASONS: dict[str, str] = {
    "en": (
        r"(?:(?:i|we) (?:am |are |m |re )?|am |are )?(?:really |just |simply |currently |at all )*(?:not"
        r"|no longer)(?: really| at all| currently)? interested(?: (?:in|at|right|any ?more|currently|but).{0,40})?"
        r"|(?:(?:i|we) (?:have|ve)(?: got)? |there is )?(?:no|zero|absolutely no) (?:interest|need|use)(?: (?:in|for"
        r"|of|at).{0,40})?|(?:but )?no|nope|no thank you|(?:this|it|that) does(?: not|n t) interest (?:me|us)|(?:i"
        r"|we) (?:do not|don t) (?:need|know|want) (?:this|it|that|you|your .{1,40}|any .{1,30}|anything .{0,30})|(?:i"
        r"|we) (?:have |ve )?never (?:signed up|subscribed|asked|registered|opted in|requested|agreed)(?: (?:for"
        r"|to) .{1,40}| (?:this|it|that))?|(?:i|we) (?:did not|didn t) (?:sign up|subscribe|ask|register|opt in"
        r"|request|agree)(?: (?:for|to) .{1,40}| (?:this|it|that))?|(?:this|it|that|your (?:e ?mail"
        r"|message)) is (?:spam|unsolicited|not relevant|irrelevant|harassment|unwanted)(?: (?:to|for) (?:me|us))?"
        r"|not relevant(?: (?:to|for) (?:me|us))?|(?:you have (?:the )?)?wrong (?:person|address|contact)|(?:i am"
        r"|i m) not the right (?:person|contact)|(?:i|we) (?:get|receive) (?:far |way )?too many (?:of these "
        r"|of your )?(?:e ?mails?|mails?|messages?)?(?: already)?|too many (?:e ?mails?|mails?|messages?)|(?:i"
        r"|we) already have (?:a|an|one|our) .{0,30}|(?:i have|i ve|i am|i m) retired|(?:i am|i m) no longer (?:with"
        r"|at|in|working) .{1,40}|(?:(?:i am|we are|i m|we re) )?(?:currently )?not (?:currently )?looking(?: (?:for"
        r"|to|at|into) .{1,40})?(?: (?:at the moment|right now|currently))?|(?:thanks?(?: you)? )?for (?:your"
        r"|the) (?:e ?mail|mail|message|offer|interest|information|note|time|outreach|follow ?up|invitation|reminder)"
        r"|(?:thanks?(?: you)? )?for (?:reaching out|contacting|writing|getting in touch|following up|e ?mailing"
        r"|thinking of)(?: (?:to|with))?(?: (?:me|us))?(?: again)?|(?:(?:i|we) )?(?:have |there is |there s "
        r"|got )?(?:no|zero) (?:budget|money|funds|capacity|time|plans?)(?: (?:for|to|in|at) .{1,30})?(?: (?:(?:this"
        r"|next) (?:year|quarter|month)|right now|currently))?|(?:(?:it|this) (?:is|s) |(?:we|i) (?:are|am|re"
        r"|m) )?not (?:a |the |really a )?(?:good |right |great )?(?:fit|match)(?: (?:for|at) .{1,20})?|not for (?:me"
        r"|us)|(?:i|we) (?:am |are |m |re )(?:all set|good|happy (?:with|as) .{1,40})"
    ),
    "de": (
        r"(?:(?:ich bin|wir sind|bin|sind) )?(?:leider |derzeit |aktuell |momentan |uberhaupt "
        r"|daran )*nicht (?:daran )?interessiert(?: an .{1,40})?|(?:(?:(?:ich|wir) )?(?:habe|haben|es besteht"
        r"|besteht) )?(?:\w+ ){0,2}(?:kein|keinerlei|keinen) (?:interesse|bedarf)(?: (?:an|fur|daran|hieran|mehr"
        r"|meinerseits|unsererseits).{0,40})?|nein|ne|(?:wir haben|ich habe) (?:bereits|schon) .{1,40}|(?:das "
        r"|es )?interessiert (?:mich|uns) (?:\w+ )?nicht|(?:ich|wir) (?:habe|haben) (?:mich |uns |dem |hierfur "
        r"|dafur )*(?:nie|niemals|nicht) (?:\w+ ){0,3}(?:angemeldet|registriert|zugestimmt|eingewilligt|gebeten"
        r"|bestellt|abonniert)|(?:das|dies) ist (?:spam|unerwunschte werbung)|(?:ich|wir) (?:brauche|brauchen|benotige"
        r"|benotigen) (?:das|dies|es|so etwas|ihre? .{1,30}) nicht|(?:falsche[rs]?|sie haben (?:die"
        r"|den) falschen?) (?:ansprechpartner|adresse|person)|(?:ich|wir) kennen? sie nicht|(?:(?:vielen |besten "
        r"|herzlichen )?dank(?:e)? )?fur (?:ihre?n?|die|das|deine?) (?:e mail|mail|nachricht|angebot|anfrage"
        r"|information(?:en)?|interesse|kontaktaufnahme|zeit|muhe)|(?:(?:wir|ich) )?(?:(?:haben"
        r"|habe) )?kein budget(?: (?:dafur|hierfur|fur .{1,30}))?|(?:das |es )?passt (?:fur uns |leider "
        r"|uns )*nicht(?: (?:zu|fur) uns)?"
    ),
    "fr": (
        r"(?:(?:je (?:ne )?|nous (?:ne )?|on (?:n )?)?(?:suis|sommes|est) )?(?:pas|plus) (?:du tout "
        r"|vraiment )?interesse(?:e|s|es)?(?: par .{1,40})?|(?:cela|ca) (?:ne )?(?:m|nous|me) interesse (?:pas"
        r"|plus)(?: du tout)?|(?:(?:je n ai|nous n avons|on n a) )?(?:pas|aucun)(?: d)? ?(?:besoin"
        r"|interet)(?: .{1,40})?|non|je ne me suis (?:jamais|pas) (?:inscrit|abonne)e?(?: .{1,40})?|je n ai (?:jamais"
        r"|pas) (?:demande|souscrit)(?: .{1,40})?|c est du spam|(?:mauvaise (?:adresse|personne))|(?:merci )?(?:pour"
        r"|de) (?:votre|vos) (?:message|e ?mail|mail|offre|proposition|interet)|(?:merci )?de (?:m"
        r"|nous) avoir contactee?s?|(?:(?:je n ai|nous n avons) )?(?:pas (?:de|le)|aucun) budget(?: .{1,30})?"
    ),
    "es": (
        r"no (?:(?:estoy|estamos|me encuentro) )?interesad[oa]s?(?: en .{1,40})?|no (?:me|nos) interesan?(?: .{1,40})?"
        r"|(?:sin|ningun) interes|no (?:tengo|tenemos) (?:ningun )?(?:interes|necesidad)(?: .{1,40})?|no"
        r"|nunca me (?:suscribi|registre|inscribi)(?: .{1,40})?|(?:esto )?es spam|no los? conozco"
        r"|(?:muchas )?(?:gracias )?por (?:su (?:correo|mensaje|oferta|propuesta|interes)|contactar(?:me|nos)"
        r"|escribir(?:me|nos)?)|no (?:tenemos|tengo|hay) presupuesto(?: .{1,30})?"
    ),
    "it": (
        r"non (?:(?:sono|siamo) )?(?:piu )?interessat[oaie](?: .{1,40})?|non (?:mi|ci) interessa(?:no)?(?: .{1,40})?"
        r"|no|nessun interesse|non (?:ho|abbiamo) (?:alcun |nessun )?(?:interesse|bisogno)(?: .{1,40})?"
        r"|non mi sono mai (?:iscritt|registrat)[oa](?: .{1,40})?|(?:questo )?e spam|(?:grazie )?per (?:la sua"
        r"|la vostra|la tua) (?:e ?mail|mail|offerta|proposta)|(?:grazie )?per aver(?:mi|ci) (?:contattat[oaie]"
        r"|scritto)|non (?:abbiamo|ho) (?:il )?budget(?: .{1,30})?"
    ),
    "pt": (
        r"nao (?:(?:estou|estamos|tenho|temos) )?(?:mais )?(?:interessad[oa]s?|interesse)(?: .{1,40})?|sem interesse"
        r"|nao (?:me|nos) interessam?(?: .{1,40})?|nao|nunca me (?:inscrevi|cadastrei|registei)(?: .{1,40})?|(?:isto"
        r"|isso) e spam|(?:obrigad[oa] )?pel[oa] (?:seu |sua )?(?:mensagem|e ?mail|contacto|contato|proposta)"
        r"|nao (?:temos|tenho) (?:orcamento|verba)(?: .{1,30})?"
    ),
    "nl": (
        r"(?:(?:ik ben|wij zijn|we zijn|ben) )?niet (?:meer )?geinteresseerd(?: in .{1,40})?|nee|(?:(?:ik heb"
        r"|wij hebben|we hebben|heb) )?(?:hier )?geen (?:interesse|belangstelling|behoefte)(?: (?:in|aan"
        r"|voor) .{1,40})?|ik heb (?:me|mij) (?:hier )?nooit (?:\w+ ){0,2}(?:aangemeld|ingeschreven)|dit is spam"
        r"|(?:bedankt |dank )?voor (?:uw|je|het) (?:mail|e ?mail|bericht|aanbod|contact)|(?:(?:ik heb|wij hebben"
        r"|we hebben) )?geen budget(?: .{1,30})?"
    ),
    "pl": (
        r"nie (?:jestem |jestesmy )?zainteresowan\w{1,3}(?: .{1,40})?|(?:to )?(?:mnie "
        r"|nas )?(?:to )?nie interesuje(?: mnie| nas)?(?: to)?|brak zainteresowania|nie|to (?:jest )?spam|nie (?:mam"
        r"|mamy) zainteresowania|nigdy sie nie (?:zapisywalem|zapisywalam|zapisalem|zapisalam)(?: .{1,30})?"
        r"|(?:dziekuje )?za (?:wiadomosc|oferte|kontakt)|nie (?:mamy|mam) budzetu(?: .{1,30})?"
    ),
    "da": r"(?:(?:jeg|vi) er )?ikke interesseret(?: .{1,30})?|(?:jeg|vi) er ikke interesserede(?: .{1,30})?|nej",
    "no": r"(?:(?:jeg|vi) er )?ikke interesserte?(?: .{1,30})?|nei",
    "sv": r"(?:(?:jag|vi) ar )?(?:inte|ej) intresserade?(?: .{1,30})?|nej",
    "fi": r"(?:minua |meita )?ei kiinnosta(?: .{1,30})?|en ole kiinnostunut(?: .{1,30})?|emme ole kiinnostuneita|ei",
    "cs": (
        r"nema(?:m|me) (?:\w+ ){0,3}zajem(?: .{1,30})?|(?:to )?(?:me|nas) (?:to )?nezajima|nezajima (?:me|nas)(?: to)?"
        r"|ne"
    ),
    "sk": r"nema(?:m|me) (?:\w+ ){0,3}zaujem(?: .{1,30})?|(?:to )?(?:ma|nas) (?:to )?nezaujima|nezaujima (?:ma|nas)",
    "hu": r"nem (?:vagyok|vagyunk) erdekelt(?:ek)?|(?:minket |engem )?nem erdekel(?: .{1,30})?|nem",
    "ro": r"nu (?:sunt|suntem) interesat[aie]?(?: .{1,30})?|nu (?:ma|ne) intereseaza(?: .{1,30})?|nu",
    "sl": r"(?:me |nas )?ne zanima(?: me| nas)?(?: .{1,30})?",
    "tr": r"ilgilenmiyor(?:um|uz)|hayir",
    "el": r"δεν (?:ενδιαφερομαι|ενδιαφερομαστε|με ενδιαφερει|μας ενδιαφερει)(?: .{1,30})?|οχι",
    "ru": (
        r"(?:мне |нам |меня |нас )?(?:это )?не ?(?:интересно|интересует|актуально)(?: .{1,30})?|нет|(?:это )?(?:меня "
        r"|нас )не интересует|это спам"
    ),
    "uk": r"(?:мені |нам |мене |нас )?(?:це )?не (?:цікаво|цікавить|актуально)(?: .{1,30})?|ні|це спам",
    "zh": (
        r"(?:我|我们|我們)?(?:对此|對此)?(?:不感兴趣|不感興趣|没兴趣|沒興趣|没有兴趣|沒有興趣|不需要)了?|这是垃圾邮件"
    ),
    "ja": (
        r"興味(?:は|が)?(?:ありません|ないです|ございません|無いです)|(?:当社|弊社)?(?:には|では)?必要(?:ありません|ないです)|迷惑です|(?:いつも)?(?:大変)?お世話になっております"
        r"|(?:株式会社|有限会社)?.{1,20}の.{1,10}です|.{1,20}と申します"
    ),
    "ko": r"관심(?:이|은)? ?없(?:습니다|어요)",
}

POLITE = (
    r"asap|as soon as possible|immediately|right away|right now|at once|with immediate effect|effective immediately"
    r"|now|today|sofort|umgehend|schnellstmoglich|ab sofort|mit sofortiger wirkung|immediatement|des que possible"
    r"|inmediatamente|de inmediato|immediatamente|subito|imediatamente|onmiddellijk|per direct|zo snel mogelijk"
    r"|omgaende|straks|heti|natychmiast|ihned|okamzite|azonnal|немедленно|срочно|негаино|hemen|derhal|please|pls|plz"
    r"|kindly|thanks?(?: you)?(?: (?:very|so) much)?(?: in advance)?|thx|cheers|sorry|hi(?: there)?|hello|hey"
    r"|dear (?:all|team|sir|madam)|could you|can you|would you(?: mind)?|(?:may|can|could|must) (?:i|we) ask you to"
    r"|(?:i|we) (?:would |kindly )?ask (?:that )?you(?: to)?|unfortunately|konnten sie|konnen sie|wurden sie"
    r"|konntet ihr|leider|pourriez vous|pouvez vous|malheureusement|favor(?: de)?|podrian?|pueden?|le ruego|les ruego"
    r"|lamentablemente|puo|potete|potreste|potrebbe|purtroppo|poderiam?|podem|infelizmente|kunt u|kan u|kunnen jullie"
    r"|zou u|wilt u|helaas|kan du|kan i|kan ni|kunne du|vil du|voisitteko|voitteko|desvarre|tyvarr|niestety"
    r"|czy (?:moga|mogliby) panstwo|muzete|mohli byste|bohuzel|mozete|можете|не могли бы вы|могли бы вы|чи можете"
    r"|(?:best|kind|warm)? ?regards|best wishes|sincerely|yours|bitte|danke(?: schon)?|vielen dank|besten dank"
    r"|herzlichen dank|hallo|guten tag|moin|sehr geehrte damen und herren|(?:mit )?(?:freundlichen|besten|viele|schone"
    r"|liebe) gru(?:ss|s|ß)en?|gru(?:ss|ß)e?|mfg|lg|vg|bonjour|merci(?: (?:d avance|beaucoup))?|s il vous plait|svp"
    r"|s il te plait|cordialement|bien a vous|hola|por favor|gracias|muchas gracias|saludos|un saludo|buenos dias|ciao"
    r"|buongiorno|per favore|per cortesia|grazie|cordiali saluti|saluti|ola|bom dia|obrigad[oa]|por gentileza"
    r"|atenciosamente|dag|hoi|alstublieft|aub|graag|bedankt|dank u|met vriendelijke groet(?:en)?|mvg|hej|hei|venligst"
    r"|tak|mvh|vennligst|takk|vanligen|snalla|tack|kiitos|ystavallisesti|prosze|dziekuje|pozdrawiam|dzien dobry|prosim"
    r"|dekuji|dakujem|dobry den|s pozdravem|s pozdravom|kerem|koszonom|udvozlettel|molim|hvala|prosim vas|lep pozdrav"
    r"|va rog|multumesc|моля|благодаря|παρακαλω|ευχαριστω|lutfen|tesekkurler|merhaba|пожалуиста|спасибо|здравствуите"
    r"|добрыи день|будь ласка|дякую|добрии день|palun|aitah|ludzu|paldies|prasau|aciu|vinsamlegast|si us plau|gracies"
    r"|请|請|谢谢|謝謝|您好|你好|お世話になります|お世話になっております|よろしくお願いします|よろしくお願いいたします|お願いします|お願いいたします|ありがとうございます"
)
