"""Short messages that ask for no more mails, by language.

Patterns are matched with a whole message in lower case, without accents, punctuation and the polite words of POLITE.
"""

from __future__ import annotations

_EN_MAIL = r"(?:e ?mails?|mails?|messages?|newsletters?|contact|spam|of these|of this|from you|emailing|mailing)"
_EN_LIST = (
    r"(?:your |the |this |that |all )?(?:mailing |e ?mail |distribution |contact |newsletter )?(?:lists?|database|crm)"
)
_EN_WHOM = (
    r"(?:me|us|(?:my|our) (?:e ?mail(?: address(?:es)?)?|address(?:es)?|data|name|details|company)"
    r"|(?:this|the above) (?:e ?mail )?(?:address|account|mailbox)|this e ?mail)"
)
_DE_WHOM = (
    r"(?:mich|uns|(?:meine|unsere|diese) (?:e ?)?(?:mail ?)?(?:adresse|daten)|(?:meinen|unseren) (?:namen|kontakt))"
)
_DE_LIST = r"(?:verteiler|liste|mailingliste|newsletter|datenbank|kartei|mailverteiler)"
_FR_WHOM = r"(?:mon|notre|cette|mes|nos) (?:adresse(?: (?:e ?)?mail| electronique)?|e ?mail|contact|coordonnees|nom)"
_LIST_OF = (
    r"(?:listas?|listes?|bases?|fichiers?|newsletters?|mailing|envois|envios|suscriptores|contactos?|contacts?|cadastro"
    r"|banco|destinatarios|difusion|directorio|repertoire)"
)
"""Lists of addresses in French, Spanish and Portuguese."""

STOP: dict[str, str] = {
    "en": (
        r"stop(?: it| this| now| (?:all |sending |the |your |these )*"
        + _EN_MAIL
        + r"| (?:e ?mailing|mailing|contacting|messaging|writing to|writing|spamming|bothering|sending) (?:me|us))?"
        r"(?: (?:any )?(?:more |further )?(?:of (?:these|your) )?(?:e ?mails?|mails?|messages?))?(?: to (?:me|us)"
        r"| from "
        r"you)?(?: any ?more)?"
        r"|cancel (?:my |our |the |this )?subscription"
        rf"|(?:un ?subscribe|opt ?out|remove|delete|take|drop)(?: {_EN_WHOM})?"
        rf"(?: (?:off|out|from|of|from all of)+ {_EN_LIST}| from (?:this|these|your|all|future) ?{_EN_MAIL}"
        rf"| immediately| now| today)?"
        rf"|(?:(?:i|we) )?(?:want|would like|wish|d like) (?:{_EN_WHOM} )?(?:to )?(?:un ?subscribe|opt ?out|be removed"
        r"|be taken off)(?: (?:from|of) .{1,40}| your .{1,20}lists?)?"
        rf"|no (?:more|further|longer) {_EN_MAIL}(?: from you)?"
        r"|(?:do not|don t|never|stop) (?:ever )?(?:contact|e ?mail|mail|write|message|write to|send) (?:to )?(?:me|us)"
        rf"(?: again| any ?more| any (?:more )?{_EN_MAIL}| {_EN_MAIL})?"
        r"|(?:do not|don t) send (?:me |us )?(?:any )?(?:more|further) (?:e ?mails?|mails?|messages?)(?: to (?:me|us))?"
        r"|(?:i|we) (?:do not|don t|no longer) (?:want|wish) (?:to (?:receive|get|be sent) )?(?:any )?(?:more |further "
        r"|these |your )*(?:e ?mails?|mails?|messages?)(?: from you)?(?: any ?more)?|leave (?:me|us) alone"
    ),
    "de": (
        r"stopp?|abmelden|abmeldung|austragen|abbestellen|abbestellung|loschen|streichen|kundigen|werbewiderspruch"
        rf"|(?:{_DE_WHOM} )?(?:(?:sofort|hiermit|aus|von) )*(?:(?:ihrem|der|dem|eurem|dieser|ihrer|eurer|deiner) )"
        r"?(?:newsletter |verteiler |mailingliste |liste |datenbank |mailverteiler |e mail verteiler )?(?:abmelden|"
        r"austragen|loschen|streichen|entfernen|nehmen|herausnehmen)"
        rf"|(?:melden|tragen|nehmen|streichen|loschen|entfernen|nimm|nehmt|trag|losch|streich"
        rf"|melde) (?:sie )?{_DE_WHOM} "
        rf"(?:\w+ ){{0,2}}(?:ab|aus|von|heraus|raus)(?: (?:\w+ ){{0,2}}{_DE_LIST}(?: heraus| ab| raus)?)?"
        rf"|(?:loschen|entfernen|streichen) (?:sie )?{_DE_WHOM}"
        r"|keine (?:weiteren? |weitere |mehr |neuen )?(?:e ?)?(?:mails?|nachrichten|newsletter|werbung|emails?)(?: "
        r"mehr)?(?: an (?:mich|uns))?(?: senden| schicken| zusenden)?"
        r"|(?:schicken|senden|schreiben) sie (?:mir|uns) (?:bitte )?(?:nicht mehr|keine (?:weiteren |e ?)*(?:mails?|"
        r"nachrichten|emails?)(?: mehr)?)"
        r"|(?:(?:ich|wir) )?(?:mochten?|will|wollen|wunschen?) (?:\w+ ){0,2}keine (?:weiteren |mehr |e ?)*(?:mails?|"
        r"nachrichten|newsletter|emails?)(?: mehr)?(?: von ihnen)?(?: erhalten| bekommen)?(?: mehr)?"
        r"|(?:(?:mich|uns) )?nicht (?:mehr|weiter) (?:anschreiben|kontaktieren|schreiben)"
        r"|kontaktieren sie (?:mich|uns) nicht (?:mehr|weiter)"
        r"|(?:(?:ich|wir) )?(?:mochten?|will|wollen) (?:mich|uns) (?:\w+ ){0,3}abmelden"
        r"|(?:hiermit )?(?:(?:ich|wir) )?(?:hiermit )?widersprechen? (?:(?:ich|wir) )?(?:hiermit )?(?:der|jeder"
        r"|jeglicher) "
        r"(?:weiteren )?(?:nutzung|verwendung|verarbeitung|speicherung)(?: (?:meiner|unserer) (?:personenbezogenen )?"
        r"(?:daten|adresse|(?:e ?)?mail ?adresse))?(?: (?:zu|fur) .{1,30})?"
    ),
    "fr": (
        r"(?:(?:je|nous) (?:souhait|voudr|desir|veu|voul)\w{1,5} |de )?(?:me |se |nous )?(?:desabonner|desinscrire|"
        r"desabonnez (?:moi|nous)|desinscrivez (?:moi|nous)|desabonnement|desinscription)(?: moi)?(?: de .{1,40})?"
        r"|(?:desabonnez|desinscrivez|retirez|supprimez|enlevez|effacez)(?:(?: (?:moi|nous)| "
        + _FR_WHOM
        + r")(?: de (?:votre|la|cette|vos) .{1,30})?| de (?:votre|la|cette|vos) "
        + _LIST_OF
        + r".{0,20})?"
        r"|(?:ne )?plus (?:de |d )(?:e ?mails?|mails?|messages?|courriels?|courrier)|stop(?: e ?mails?)?"
        r"|(?:merci de |veuillez |de )?ne (?:plus )?(?:m|nous) (?:envoyez|envoyer|ecrivez|ecrire) plus.{0,30}"
        r"|(?:merci de |veuillez |de )?ne plus (?:m ecrire|nous ecrire|(?:me|nous) (?:contacter|solliciter)|(?:m|nous) "
        r"envoyer .{1,30})|ne (?:me|nous) contactez plus|ne (?:m|nous) (?:ecrivez|sollicitez) plus"
        r"|(?:je|nous) (?:ne )?(?:veux|souhaite|voulons|souhaitons) plus (?:recevoir .{1,30}|(?:de |d "
        r"|vos )(?:e ?mails?|"
        r"mails?|messages?|courriels?))|(?:merci de |veuillez |de )?(?:me|nous) (?:retirer|supprimer|desinscrire"
        r"|enlever)"
        r"(?: de .{1,30})?"
        r"|(?:merci de |veuillez |de )?(?:retirer|supprimer|effacer|enlever) " + _FR_WHOM + r"(?: de .{1,30})?"
    ),
    "es": (
        r"(?:(?:dar(?:me|se|nos)?|deme|denme|dame|dennos|denos) de )?baja|(?:quiero |deseo |queremos )?(?:darme|darnos|"
        r"cancelar|anular)(?: (?:de baja|la suscripcion|mi suscripcion|suscripcion))"
        r"|cancelar suscripcion|desuscribir(?:me|nos)?|desuscribirse|no (?:mas|envien mas|(?:me|nos) envien mas"
        r"|quiero mas|"
        r"deseo mas|enviar mas) (?:correos?|e ?mails?|mensajes)(?: electronicos)?"
        r"|no (?:(?:me|nos) )?(?:escriban|contacten|envien|escriba|contacte) mas(?: correos| emails)?"
        r"|dejen? de (?:enviar|mandar|escribir|contactar)(?:me|nos)?(?: (?:sus |estos |mas )*(?:correos?|e ?mails?|"
        r"mensajes)(?: electronicos)?)?"
        r"|(?:eliminen|borren|quiten|elimine|borre|quite|elimina|borra|quita)(?:me|nos| (?:mi|nuestro|este) (?:correo"
        r"|e ?mail|contacto)(?: electronico)?| (?:mi|nuestra|esta) direccion)(?: de (?:su|la|esta|sus) .{1,30})?"
        r"|(?:eliminen|borren|quiten)(?: de (?:su|la|esta|sus) " + _LIST_OF + r".{0,20})?"
        r"|(?:ya )?no (?:quiero|deseo|quisiera|queremos|deseamos) (?:seguir )?recib(?:ir|iendo) (?:mas )?"
        r"(?:sus |estos )?(?:correos?|e ?mails?|mensajes|publicidad)(?: electronicos)?(?: suyos)?|stop"
    ),
    "it": (
        r"cancella(?:mi|temi|teci|re la mia (?:e ?mail|mail))?(?: (?:dalla|dalle|da) .{1,30})?|disiscriv(?:imi"
        r"|etemi|eteci|"
        r"ersi|ermi|erci)|annulla(?:re)? (?:l )?iscrizione"
        r"|(?:basta|niente piu|no|nessuna|non piu) (?:altre? |piu )?(?:e ?mail|mail|messaggi|newsletter)|"
        r"(?:rimuov|toglie)(?:imi|temi|etemi|eteci|teci)(?: .{1,40})?"
        r"|(?:rimuovere|eliminare|cancellare|togliere) (?:il mio|il nostro|la mia|questo|questa) (?:indirizzo"
        r"|e ?mail|mail|"
        r"contatto|nominativo)(?: (?:dalla|dalle|da|dal) .{1,30})?"
        r"|non (?:scrivete|contattate|mandate|inviate)(?:mi|ci) piu(?: .{1,20})?|non (?:scriver|contattar)(?:mi|ci) piu"
        r"|non (?:voglio|desidero|vogliamo|desideriamo) (?:piu )?(?:ricevere )?(?:altre |piu |vostre "
        r"|le vostre )*(?:e ?mail|"
        r"mail|messaggi|newsletter)(?: da voi)?|smettetela di (?:scriver|contattar|mandar|inviar)(?:mi|ci)(?: .{1,20})?"
    ),
    "pt": (
        r"(?:quero |queremos )?(?:descadastrar|descadastre|cancelar (?:a |minha )?(?:inscricao|subscricao|assinatura)|"
        r"(?:remover|remova|removam|retire|retirem|retirar)(?: (?:me|nos)| (?:o )?(?:meu|nosso) (?:e ?mail|contato"
        r"|contacto"
        r"|endereco)))(?: d[aeo]s? .{1,30})?|(?:remover|remova|removam|retire|retirem|retirar)(?: d[aeo]s? (?:sua "
        r"|vossa |esta )?" + _LIST_OF + r".{0,20})?|(?:nao|sem) (?:envie[m]?|mandem|mais|quero|queremos|enviar)"
        r"(?: (?:me|nos))?(?: mais)?(?: receber)?(?: mais)? ?(?:e ?mails?|mensagens)?"
        r"|(?:nao|deixem de) (?:me|nos) (?:contactem|contatem|escrevam|enviem|enviar)(?: mais)?(?: .{1,20})?"
        r"|(?:parem|pare|deixem) de (?:(?:me|nos) )?(?:enviar|mandar|escrever|contactar|contatar)(?: .{1,20})?"
        r"|(?:ja )?nao (?:quero|desejo|queremos|desejamos) (?:mais )?receber (?:mais |seus )*(?:e ?mails?|mensagens)"
    ),
    "nl": (
        r"(?:(?:mij|me|ons) )?(?:uitschrijven|afmelden|verwijderen|uitschrijving)(?: (?:uit|van|voor) .{1,30})?|"
        r"(?:schrijf|meld|haal|verwijder) (?:mij|me|ons|mijn (?:adres|e ?mail ?adres|mailadres)) (?:uit|af|.{1,30})"
        r"|geen (?:verdere |e ?)?(?:mails?|berichten|emails?|nieuwsbrieven)(?: meer)?(?: sturen| ontvangen)?|"
        r"stop(?:pen)?(?: met (?:mailen|e ?mailen|sturen))?"
        r"|(?:gelieve )?(?:mij|me|ons) (?:niet|nooit) (?:meer|langer) (?:te )?(?:mailen|e ?mailen|contacteren"
        r"|schrijven|"
        r"benaderen)|gelieve (?:mij|me|ons) uit te schrijven(?: .{1,30})?"
        r"|(?:stuur|mail|contacteer) (?:mij|me|ons) (?:niet|geen)(?: .{1,20})? ?meer|(?:ik|wij|we) (?:wil|wens"
        r"|willen|wensen)"
        r" (?:\w+ )?geen (?:e ?)?(?:mails?|berichten|emails?)(?: meer)?(?: ontvangen)?"
    ),
    "da": (
        r"(?:afmeld|frameld|slet (?:mig|os)|fjern (?:mig|os))(?: (?:mig|os))?(?: fra .{1,30})?|afmelding|stop(?: med)? "
        r"(?:at|med at) (?:sende|skrive)(?: til)?(?: (?:mig|os))?(?: flere)?(?: (?:e ?)?(?:mails?|beskeder))?"
        r"|ikke flere (?:e ?)?(?:mails?|"
        r"beskeder)|ingen flere (?:e ?)?mails?|stop"
    ),
    "no": (
        r"(?:meld (?:(?:meg|oss) )?(?:av|ut)|avmeld(?:ing)?|(?:fjern|slett) (?:meg|oss))(?: meg)?(?: fra .{1,30})?"
        r"|slutt(?: "
        r"med)? a (?:sende|skrive til|kontakte)(?: (?:meg|oss))?(?: flere)?(?: (?:e ?)?(?:post(?:er)?|mail(?:er)?|"
        r"meldinger))?|ingen flere "
        r"(?:e ?)?(?:poster?|mailer|meldinger)|ikke flere .{1,15}|stopp"
    ),
    "sv": (
        r"(?:avregistrera|avanmal|ta bort (?:mig|oss)|stryk (?:mig|oss)|avprenumerera)(?: (?:mig"
        r"|oss))?(?: fran .{1,30})?|sluta (?:att )?(?:skicka"
        r"|mejla|maila|kontakta)(?: (?:mig|oss))?(?: fler)?(?: (?:e ?)?(?:mejl|mail|post|meddelanden))?|avregistrering|"
        r"inga fler (?:e ?)?(?:mejl|mail|post|meddelanden)|skicka inte fler .{1,15}|stopp"
    ),
    "fi": (
        r"(?:poista|poistakaa) (?:minut|meidat|osoitteeni|osoitteemme)(?: .{1,30})?|peru(?:uta)? tilaus"
        r"|ei (?:enaa )?(?:lisaa )"
        r"?(?:sahkoposteja|viesteja|sahkopostia)(?: kiitos)?|lopettakaa|en halua (?:enaa )?(?:lisaa )?(?:viesteja|"
        r"sahkoposteja)"
    ),
    "pl": (
        r"(?:prosze )?(?:o )?(?:mnie )?(?:wypisa[cn]\w*|wypisz(?:cie)?|usun(?:cie|ac)? mnie|usuniecie mnie|"
        r"rezygnuje|rezygnacja)(?: mnie)?(?: z .{1,30})?|(?:prosze )?nie (?:przysylac|wysylac|pisac|kontaktowac "
        r"sie)(?: .{0,20})? ?wiecej(?: .{1,15})?|(?:zadnych )?wiecej (?:maili|wiadomosci)|(?:wypisz"
        r"|usun)(?:cie|ac)? (?:nas|moj adres|nasz adres)(?: z .{1,30})?"
        r"|(?:o )?(?:wypisanie|usuniecie) (?:nas|mojego adresu|naszego adresu)(?: z .{1,30})?"
        r"|nie chce(?:my)? (?:wiecej |"
        r"otrzymywac )*(?:wiecej )?(?:maili|wiadomosci)"
    ),
    "cs": (
        r"(?:o )?(?:odhlaseni|vyrazeni|odhlasit|odhlaste|vyradte nas|vymazte nas|vyradte me|vymazte me|odstrante me"
        r"|zruste odber|smazte me)(?: me| mne)?(?: z(?:e)? "
        r".{1,30})?|zadne dalsi (?:e ?)?(?:maily|zpravy)|(?:uz )?(?:mi |me )?(?:nepiste|neposilejte|nekontaktujte)"
        r"(?: mi| me)?(?: .{1,20})?"
    ),
    "sk": (
        r"(?:o )?(?:odhlasenie|vyradenie|odhlasit|odhlaste|vyradte nas|vymazte nas|vyradte ma|vymazte ma"
        r"|odstrante ma)(?: ma)?(?: z(?:o)? .{1,30})?|ziadne dalsie "
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
        r"(?:(?:e ?posta |mail )?listeden (?:cikar(?:in|iniz)?|cik(?:mak istiyor(?:um|uz))?)|abonelikten cik(?:ar)?"
        r"|aboneligi(?:mi)? iptal(?: et| edin)?|(?:beni|bizi) "
        r"(?:listeden |listenizden )?(?:cikarin|silin))(?: .{1,20})?|(?:bir daha |artik )?(?:mail|e ?posta|mesaj) "
        r"(?:atmayin|gondermeyin|istemiyorum)"
    ),
    "ru": (
        r"(?:отписаться|отпишите(?: (?:меня|нас))?|отписка|(?:удалите|уберите|исключите) (?:меня|нас|мои (?:адрес"
        r"|e ?mail|имеил)|наш адрес))(?: (?:от|из|с) "
        r".{1,30})?|(?:больше )?не (?:пишите|присылаите|шлите|отправляите)(?: мне)?(?: больше)?(?: .{1,20})?|стоп"
    ),
    "uk": (
        r"(?:відписатися|відпишіть(?: (?:мене|нас))?|відписка|(?:видаліть|вилучіть) (?:мене|нас|мою адресу"
        r"|нашу адресу))(?: (?:від|з|із) .{1,30})?|"
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
        r"(?:mech )?ofmellen|(?:mellt|huelt|lascht|streicht) mech (?:of|eraus|vun .{1,20})|keng (?:weider )"
        r"?mails?(?: mei)?"
    ),
    "zh": (
        r"(?:我要|我们要|请|請)?(?:把)?(?:我|我们|我們)?(?:退订|退訂|取消订阅|取消訂閱)|(?:请|請)?(?:不要|别|別"
        r"|勿)(?:再)?(?:给我|給我|向我)"
        r"?(?:发|發|寄|发送|發送|寄送|联系|聯絡)(?:任何)?(?:邮件|郵件|电子邮件|信|我|了)*|(?:请|請)?停止(?:给我"
        r"|給我|向我|向我们|给我们)?(?:发送|發送|发|發)"
        r"?(?:任何)?(?:邮件|郵件|电子邮件)|(?:请|請)?(?:把我|把我们|将我们?|將我們?)"
        r"?(?:从|從).{0,15}(?:移除|删除|刪除)"
    ),
    "ja": (
        r"(?:メール|メルマガ|ニュースレター)?の?(?:メール|メルマガ|配信|送信|登録|購読)の?を?(?:停止|解除|中止"
        r"|不要)(?:に|"
        r"を)?(?:希望(?:します|いたします|です)?|(?:の?手続きを?)?お願い(?:します|いたします|致します"
        r"|申し上げます)?|して"
        r"(?:ください|下さい)|です)?|(?:メール|配信|送信)(?:の配信)?を?(?:やめて|止めて)(?:ください|下さい)?"
        r"|(?:もう|今後)?(?:メール|連絡)を?(?:は)?(?:送らないで|しないで)(?:ください|下さい)?"
        r"|(?:今後の?)?(?:メール|メルマガ|配信|連絡)は?(?:不要|必要ありません|要りません|いりません)(?:です)?"
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
    r"|si us plau|gracies|请|請|谢谢|謝謝|您好|你好|お世話になります|お世話になっております|よろしくお願いします"
    r"|よろしくお願いいたします|お願いします|お願いいたします|"
    r"ありがとうございます"
)
