"""Short messages that ask for no more mails, by language.

Patterns are matched with a whole message in lower case, without accents, punctuation and the polite words of POLITE.
"""

from __future__ import annotations

_EN_MAIL = r"(?:e ?mails?|mails?|messages?|newsletters?|contact|spam|of these|of this|from you|emailing|mailing)"
_EN_LIST = (
    r"(?:your |the |this |that |all )?(?:mailing |e ?mail |distribution |contact |newsletter )?(?:lists?|database|crm)"
)

STOP: dict[str, str] = {
    "en": (
        r"stop(?: it| this| now| (?:all |sending |the |your |these )*"
        + _EN_MAIL
        + r"| (?:e ?mailing|mailing|contacting|"
        r"messaging|writing to|writing|spamming|bothering|sending) me)?(?: (?:e ?mails?|mails?|messages?))?(?: to "
        r"me| from you)?"
        r"|cancel (?:my |the |this )?subscription|(?:un ?subscribe|opt ?out|remove|delete|take|drop)(?: me| my (?:e "
        r"?mail(?: address)?|address|data|name))?"
        rf"(?: (?:off|out|from|of|from all of)+ {_EN_LIST}| from (?:this|these|your|all|future) ?{_EN_MAIL}"
        rf"| immediately| now| today)?"
        r"|(?:i )?(?:want|would like|wish|d like) (?:to )?(?:un ?subscribe|opt ?out|be removed)(?: from .{1,40})?"
        rf"|no (?:more|further|longer) {_EN_MAIL}(?: from you)?"
        r"|(?:do not|don t|never|stop) (?:ever )?(?:contact|e ?mail|mail|write|message|write to|send) (?:to )?me"
        rf"(?: again| any ?more| any (?:more )?{_EN_MAIL}| {_EN_MAIL})?"
        r"|(?:do not|don t) send (?:me )?(?:any )?(?:more|further) (?:e ?mails?|mails?|messages?)(?: to me)?"
        r"|i (?:do not|don t) (?:want|wish) (?:to (?:receive|get) )?(?:any )?(?:more |further |these |your )*"
        r"(?:e ?mails?|mails?|messages?)(?: from you)?(?: any ?more)?|leave me alone"
    ),
    "de": (
        r"stopp?|abmelden|abmeldung|austragen|abbestellen|abbestellung|loschen|streichen|kundigen"
        r"|(?:mich )?(?:(?:sofort|hiermit|aus|von) )*(?:(?:ihrem|der|dem|eurem|dieser|ihrer|eurer|deiner) )"
        r"?(?:newsletter |verteiler |"
        r"mailingliste |liste |mailverteiler |e mail verteiler )?(?:abmelden|austragen|loschen|streichen|entfernen|"
        r"nehmen)"
        r"|(?:melden|tragen|nehmen|streichen|loschen|entfernen|nimm|trag|losch|streich|melde) (?:sie )?mich (?:\w+ )"
        r"{0,2}(?:ab|aus|von|heraus|raus)"
        r"(?: (?:\w+ ){0,2}(?:verteiler|liste|mailingliste|newsletter|datenbank|kartei)(?: heraus| ab| raus)?)?"
        r"|keine (?:weiteren? |weitere |mehr |neuen )?(?:e ?)?(?:mails?|nachrichten|newsletter|werbung|emails?)(?: "
        r"mehr)?"
        r"(?: an mich)?(?: senden| schicken| zusenden)?"
        r"|(?:schicken|senden|schreiben) sie mir (?:bitte )?(?:nicht mehr|keine (?:weiteren |e ?)*(?:mails?|"
        r"nachrichten|emails?)(?: mehr)?)"
        r"|(?:ich )?(?:mochte|will|wunsche) (?:\w+ ){0,2}keine (?:weiteren |mehr |e ?)*(?:mails?|nachrichten|"
        r"newsletter|emails?)(?: mehr)?"
        r"(?: von ihnen)?(?: erhalten| bekommen)?(?: mehr)?|nicht mehr (?:anschreiben|kontaktieren|schreiben)"
        r"|kontaktieren sie mich nicht mehr|(?:ich )?(?:mochte|will) mich (?:\w+ ){0,3}abmelden"
    ),
    "fr": (
        r"(?:me |se )?(?:desabonner|desinscrire|desabonnez moi|desinscrivez moi|desabonnement|desinscription)(?: "
        r"moi)?(?: de .{1,40})?"
        r"|(?:desabonnez|desinscrivez|retirez|supprimez|enlevez|effacez)(?: moi)?(?: de (?:votre|la|cette|vos) "
        r".{1,30}| de vos listes)?"
        r"|(?:ne )?plus (?:de |d )(?:e ?mails?|mails?|messages?|courriels?|courrier)|stop(?: e ?mails?)?"
        r"|(?:merci de |veuillez )?ne (?:plus )?m (?:envoyez|envoyer|ecrivez|ecrire) plus.{0,30}"
        r"|(?:merci de |veuillez )?ne plus (?:m ecrire|me contacter|m envoyer .{1,30}|me solliciter)|ne me "
        r"contactez plus"
        r"|je (?:ne )?(?:veux|souhaite) plus (?:recevoir .{1,30}|(?:de |d |vos )(?:e ?mails?|mails?|messages?|"
        r"courriels?))|(?:merci de |veuillez )?me (?:retirer|supprimer|desinscrire) de .{1,30}"
    ),
    "es": (
        r"(?:(?:dar(?:me|se)?|deme|denme|dame) de )?baja|(?:quiero |deseo )?(?:darme|cancelar|anular)(?: (?:de baja|"
        r"la suscripcion|mi suscripcion|suscripcion))"
        r"|cancelar suscripcion|desuscribir(?:me)?|desuscribirse|no (?:mas|envien mas|me envien mas|quiero mas|"
        r"deseo mas|enviar mas)"
        r" (?:correos?|e ?mails?|mensajes)(?: electronicos)?|no (?:me )?(?:escriban|contacten|envien|escriba|"
        r"contacte) mas(?: correos| emails)?"
        r"|(?:eliminen|borren|quiten|elimineme|borreme|eliminenme|quitenme)(?:me)?(?: de (?:su|la|esta) .{1,30})?"
        r"|(?:ya )?no (?:quiero|deseo|quisiera) (?:seguir )?recib(?:ir|iendo) (?:mas )?"
        r"(?:sus |estos )?(?:correos?|e ?mails?|mensajes|publicidad)(?: "
        r"electronicos)?(?: suyos)?|stop"
    ),
    "it": (
        r"cancella(?:mi|temi)?(?: (?:dalla|dalle|da) .{1,30})?|disiscriv(?:imi|etemi|ersi|ermi)|annulla(?:re)? (?:l "
        r")?iscrizione"
        r"|(?:basta|niente piu|no|nessuna|non piu) (?:altre? |piu )?(?:e ?mail|mail|messaggi|newsletter)|"
        r"rimuov(?:imi|etemi)(?: .{1,40})?"
        r"|non (?:scrivetemi|contattatemi|mandatemi|inviatemi|scrivermi) piu(?: .{1,20})?|non (?:voglio|desidero) "
        r"(?:piu )?(?:ricevere )?(?:altre |piu |vostre |le vostre )*(?:e ?mail|mail|messaggi|newsletter)(?: da voi)?"
    ),
    "pt": (
        r"(?:quero )?(?:descadastrar|descadastre|cancelar (?:a |minha )?(?:inscricao|subscricao|assinatura)|remover|"
        r"remova|retire|retirar)"
        r"(?: me| o meu email| meu email)?(?: d[aeo]s? .{1,30})?|(?:nao|sem) (?:envie[m]?|mandem|mais|quero|enviar)"
        r"(?: me)?(?: mais)?"
        r"(?: receber)?(?: mais)? ?(?:e ?mails?|mensagens)?|(?:nao|deixem de) me (?:contactem|contatem|escrevam|"
        r"enviem|enviar)(?: mais)?(?: .{1,20})?"
        r"|(?:ja )?nao (?:quero|desejo) (?:mais )?receber (?:mais |seus )*(?:e ?mails?|mensagens)"
    ),
    "nl": (
        r"(?:(?:mij|me) )?(?:uitschrijven|afmelden|verwijderen|uitschrijving)(?: (?:uit|van|voor) .{1,30})?|"
        r"(?:schrijf|meld|haal|verwijder) (?:mij|me) (?:uit|af|.{1,30})"
        r"|geen (?:verdere |e ?)?(?:mails?|berichten|emails?|nieuwsbrieven)(?: meer)?(?: sturen| ontvangen)?|"
        r"stop(?:pen)?(?: met (?:mailen|e ?mailen|sturen))?"
        r"|(?:stuur|mail|contacteer) (?:mij|me) (?:niet|geen)(?: .{1,20})? ?meer|ik (?:wil|wens) "
        r"geen (?:e ?)?(?:mails?|"
        r"berichten|emails?)(?: meer)?(?: ontvangen)?"
    ),
    "da": (
        r"(?:afmeld|frameld|slet mig|fjern mig)(?: mig)?(?: fra .{1,30})?|afmelding|ikke flere (?:e ?)?(?:mails?|"
        r"beskeder)|ingen flere (?:e ?)?mails?|stop"
    ),
    "no": (
        r"(?:meld (?:meg )?(?:av|ut)|avmeld(?:ing)?|fjern meg|slett meg)(?: meg)?(?: fra .{1,30})?|ingen flere "
        r"(?:e ?)?(?:poster?|mailer|meldinger)|ikke flere .{1,15}|stopp"
    ),
    "sv": (
        r"(?:avregistrera|avanmal|ta bort mig|stryk mig|avprenumerera)(?: mig)?(?: fran .{1,30})?|avregistrering|"
        r"inga fler (?:e ?)?(?:mejl|mail|post|meddelanden)|skicka inte fler .{1,15}|stopp"
    ),
    "fi": (
        r"(?:poista|poistakaa) (?:minut|osoitteeni)(?: .{1,30})?|peru(?:uta)? tilaus|ei (?:enaa )?(?:lisaa )"
        r"?(?:sahkoposteja|viesteja|sahkopostia)(?: kiitos)?|lopettakaa|en halua (?:enaa )?(?:lisaa )?(?:viesteja|"
        r"sahkoposteja)"
    ),
    "pl": (
        r"(?:prosze )?(?:o )?(?:mnie )?(?:wypisa[cn]\w*|wypisz(?:cie)?|usun(?:cie|ac)? mnie|usuniecie mnie|"
        r"rezygnuje|rezygnacja)(?: mnie)?(?: z .{1,30})?|(?:prosze )?nie (?:przysylac|wysylac|pisac|kontaktowac "
        r"sie)(?: .{0,20})? ?wiecej(?: .{1,15})?|(?:zadnych )?wiecej (?:maili|wiadomosci)|nie chce (?:wiecej |"
        r"otrzymywac )*(?:wiecej )?(?:maili|wiadomosci)"
    ),
    "cs": (
        r"(?:odhlasit|odhlaste|vyradte me|vymazte me|odstrante me|zruste odber|smazte me)(?: me| mne)?(?: z(?:e)? "
        r".{1,30})?|zadne dalsi (?:e ?)?(?:maily|zpravy)|(?:uz )?(?:mi |me )?(?:nepiste|neposilejte|nekontaktujte)"
        r"(?: mi| me)?(?: .{1,20})?"
    ),
    "sk": (
        r"(?:odhlasit|odhlaste|vyradte ma|vymazte ma|odstrante ma)(?: ma)?(?: z(?:o)? .{1,30})?|ziadne dalsie "
        r"(?:e ?)?(?:maily|spravy)|(?:uz )?(?:mi |ma )?(?:nepiste|neposielajte|nekontaktujte)(?: mi| ma)?(?: "
        r".{1,20})?"
    ),
    "hu": (
        r"leiratkozas|leiratkozom|(?:kerem )?(?:toroljenek|toroljon|vegyenek le|iratkoztassanak le)(?: .{1,30})?|"
        r"ne (?:kuldjenek|irjanak)(?: tobb| tobbet)?(?: .{1,20})?"
    ),
    "sl": (
        r"(?:odjava|odjavite(?: me)?|odjavi me|izbrisite me)(?: .{1,30})?|nobenih (?:vec )?(?:sporocil|mailov)|ne "
        r"posiljajte (?:mi )?vec.{0,20}"
    ),
    "hr": r"(?:odjava|odjavite me|odjavi me|izbrisite me|uklonite me)(?: .{1,30})?|ne saljite (?:mi )?vise.{0,20}",
    "sr": r"(?:одјава|одјавите ме|избришите ме)(?: .{1,30})?|не шаљите (?:ми )?више.{0,20}",
    "ro": (
        r"(?:dezabonare|dezabonati ma|stergeti ma|ma dezabonez|scoateti ma)(?: .{1,30})?|nu (?:mai )?(?:imi )"
        r"?(?:mai )?(?:trimiteti|scrieti)(?: .{1,20})?"
    ),
    "bg": (
        r"(?:отпишете ме|отписване|премахнете ме|изтрийте ме)(?: .{1,30})?|не ми (?:пишете|изпращаите)(?: повече)"
        r"?(?: .{1,15})?"
    ),
    "mk": r"(?:отпишете ме|отпишување|избришете ме)(?: .{1,30})?",
    "sq": r"(?:me hiqni|c regjistrohem|me cregjistroni|hiqmeni)(?: .{1,30})?",
    "el": (
        r"(?:διαγραφη|διαγραψτε με|απεγγραφη|καταργηση εγγραφης)(?: .{1,30})?|μη(?:ν)? μου (?:ξανα)"
        r"?στε[ιλ]λνετε.{0,20}|οχι αλλα (?:e ?mails?|μηνυματα)"
    ),
    "tr": (
        r"(?:listeden (?:cikar(?:in|iniz)?|cik)|abonelikten cik(?:ar)?|aboneligi(?:mi)? iptal(?: et| edin)?|beni "
        r"(?:listeden |listenizden )?(?:cikarin|silin))(?: .{1,20})?|(?:bir daha |artik )?(?:mail|e ?posta|mesaj) "
        r"(?:atmayin|gondermeyin|istemiyorum)"
    ),
    "ru": (
        r"(?:отписаться|отпишите(?: меня)?|отписка|удалите меня|уберите меня|исключите меня)(?: (?:от|из|с) "
        r".{1,30})?|(?:больше )?не (?:пишите|присылаите|шлите|отправляите)(?: мне)?(?: больше)?(?: .{1,20})?|стоп"
    ),
    "uk": (
        r"(?:відписатися|відпишіть(?: мене)?|відписка|видаліть мене|вилучіть мене)(?: (?:від|з|із) .{1,30})?|"
        r"(?:більше )?не (?:пишіть|надсилаите|присилаите)(?: мені)?(?: більше)?(?: .{1,20})?"
    ),
    "be": r"(?:адпісацца|адпішыце мяне)(?: .{1,30})?",
    "et": (
        r"(?:tuhista tellimus|eemaldage mind|loobun|eemalda mind)(?: .{1,30})?|(?:arge|ara) (?:rohkem )?(?:saatke|"
        r"kirjutage|kirjuta|saada).{0,30}"
    ),
    "lv": (
        r"(?:atrakstities|atrakstit mani|iznemiet mani|dzesiet mani|atteikties)(?: .{1,30})?|(?:vairak )"
        r"?nesutiet(?: man)?(?: vairak)?(?: .{1,15})?"
    ),
    "lt": (
        r"(?:atsisakau|atsisakyti|isbraukite mane|pasalinkite mane)(?: .{1,30})?|(?:daugiau )?(?:man )?(?:nebe|ne)"
        r"(?:siuskite|rasykite)(?: .{1,20})?"
    ),
    "is": r"(?:afskra|afskra mig|takid mig af lista|fjarlægid mig|afskraning)(?: .{1,20})?",
    "ca": (
        r"(?:donar de baixa|doneu me de baixa|baixa|doneu de baixa)(?: .{1,20})?|no (?:m )?envieu mes (?:correus|"
        r"missatges)"
    ),
    "gl": r"(?:dar(?:me|se)? de baixa|baixa)|non (?:me )?envien mais .{1,15}",
    "eu": r"(?:baja eman|kendu nazazu|harpidetza utzi)(?: .{1,20})?",
    "ga": r"(?:diliostail|bain me den liosta)",
    "cy": r"(?:dad danysgrifio|tynnwch fi oddi ar .{1,20})",
    "mt": (
        r"(?:nehhuni|nehhini|hassruni)(?: .{1,20})?|(?:tibghatulix|ma tibghatulix|tiktbulix)(?: aktar| izjed)?(?: "
        r".{1,15})?"
    ),
    "lb": (
        r"(?:mech )?ofmellen|(?:mellt|huelt|läscht|streicht) mech (?:of|eraus|vun .{1,20})|keng (?:weider )"
        r"?mails?(?: mei)?"
    ),
    "zh": (
        r"(?:我要|请|請)?(?:退订|退訂|取消订阅|取消訂閱)|(?:请|請)?(?:不要|别|別|勿)(?:再)?(?:给我|給我|向我)"
        r"?(?:发|發|寄|发送|發送|寄送|联系|聯絡)(?:任何)?(?:邮件|郵件|电子邮件|信|我|了)*|(?:请|請)?(?:把我)"
        r"?(?:从|從).{0,15}(?:移除|删除|刪除)"
    ),
    "ja": (
        r"配信停止(?:希望|を希望(?:します)?)?|(?:メール|配信|メールの配信|送信)(?:の配信)?を?(?:停止|解除|やめて|"
        r"止めて)(?:して)?(?:ください|下さい)?|(?:もう|今後)?(?:メール|連絡)を?(?:は)?(?:送らないで|しないで)"
        r"(?:ください|下さい)?|(?:登録|購読)(?:を)?解除(?:して(?:ください|下さい)|希望)?|メール不要(?:です)?"
    ),
    "ko": r"수신 ?거부|구독 ?취소|(?:더 이상 )?(?:메일|이메일)(?:을)? 보내지 ?(?:마세요|말아 주세요)",
}

POLITE = (
    r"please|pls|plz|kindly|thanks?(?: you)?(?: (?:very|so) much)?(?: in advance)?|thx|cheers|sorry|hi(?: there)?|"
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
    r"|si us plau|gracies|请|請|谢谢|謝謝|您好|你好|よろしくお願いします|お願いします|お願いいたします|"
    r"ありがとうございます"
)
