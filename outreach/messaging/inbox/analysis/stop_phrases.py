"""Short messages that ask for no more mails, by language.

Patterns are matched with a whole message in lower case, without accents, punctuation and polite words, and with the
tokens of mailing_words. Nothing but LIST or MAIL may follow a wish: "Remove me from the agenda" is none.
"""

from __future__ import annotations


def _any(*patterns: str) -> str:
    return "|".join(patterns)


_FROM = r" FROM (?:LIST|MAIL)"
_LEFT = r"(?: (?:FROM )?(?:LIST|MAIL))?"
"""The list that somebody leaves, or nothing. Some languages have cases in place of prepositions."""
_EN_LEAVE = r"(?:un ?subscribed?|opt(?:ed)? ?out|be (?:un ?subscribed|opted out|removed|deleted|taken off))"
_DE_LEAVE = r"(?:abmelden|austragen|loschen|streichen|entfernen|abbestellen)"
_DE_LEFT = r"(?:abgemeldet|ausgetragen|geloscht|gestrichen|entfernt|(?:heraus)?genommen)"
_DE_NOUN = r"(?:abmeldung|austragung|streichung|loschung|entfernung|abbestellung)"
_DE_WANT = r"(?:(?:ich|wir) )?(?:mochten?|will|wollen|wunschen?|wurden? gerne?)(?: (?:ich|wir))?"
_FR_ASK = (
    r"(?:(?:merci|prieres?|je vous prie|nous vous prions|je vous demande|nous vous demandons) (?:de )?|veuillez "
    r"|pouvez vous |pourriez vous |de )?"
)
_FR_WANT = r"(?:(?:je|nous) (?:souhait|voudr|desir|veu|voul|aimer)\w{1,5} )"
_FR_LEAVE = r"(?:desabonner|desinscrire|retirer|supprimer|enlever|radier|effacer|oter)"
_ES_WANT = (
    r"(?:(?:quiero|deseo|quisiera|queremos|deseamos|quisieramos|solicito|solicitamos|pido|me gustaria"
    r"|necesito) (?:que )?)?"
)
_PT_WANT = r"(?:(?:quero|queremos|desejo|desejamos|gostaria de|gostariamos de|solicito|peco) (?:que )?)?"
_IT_WANT = (
    r"(?:(?:vorrei|vorremmo|voglio|vogliamo|desidero|desideriamo|chiedo di|chiediamo di|prego di|vi prego di"
    r"|la prego di) )?"
)
_NL_WANT = r"(?:(?:ik|wij|we) (?:wil|willen|wens|wensen|zou|zouden)(?: me| mij| ons)?(?: graag)? )?"
_PL_WANT = r"(?:(?:chce|chcemy|chcialbym|chcialabym|chcielibysmy) )?"
_CS_WANT = r"(?:(?:chci|chceme|chtela? bych|preji si|chcem|chcel[a]? by som|zelam si|zadam o|zadame o) )?"
_RU_WANT = r"(?:(?:я |мы )?(?:хочу|хотим|прошу|просим|хотел бы|хотела бы|желаю) (?:вас )?)?"
_UK_WANT = r"(?:(?:я |ми )?(?:хочу|хочемо|прошу|просимо|бажаю) (?:вас )?)?"

STOP: dict[str, str] = {
    "en": _any(
        r"stop(?: it| this| now| from you)?|stop(?: (?:all|sending|any|more|further|of these|of this"
        r"|with)){0,4} MAIL(?: to (?:me|us))?(?: from you)?(?: any ?more)?",
        r"stop (?:e ?mailing|(?:e )?LIST|MAIL|contacting|messaging|writing to|writing|spamming|bothering|sending"
        r"|harassing|spam)(?: (?:me|us|ME))?(?: (?:any )?(?:more |further )?(?:of )?MAIL)?(?: (?:to|at) (?:me|us"
        r"|ME))?(?: any ?more)?",
        r"(?:cease|discontinue) (?:(?:all|any|sending|further) )*MAIL(?: (?:to|with) (?:me|us|ME))?|cease and desist",
        r"cancel (?:(?:my|our|the|this|your) )?(?:MAIL )?subscription(?: to MAIL)?",
        rf"(?:un ?subscribe|opt ?out|remove|delete|delist)(?: (?:me|us|ME|MAIL(?= FROM)))?(?:{_FROM})?",
        rf"(?:removing|unsubscribing|deleting) (?:me|us|ME)(?:{_FROM})?|(?:taking|exclude|excluding) (?:me|us"
        rf"|ME){_FROM}",
        r"(?:un ?subscribe|remove|opt)(?: (?:me|us|ME))?(?: out)? from (?:everything|all(?: of (?:it|them|this"
        r"|these))?)",
        r"(?:ensure|make sure) (?:that )?(?:i|we|ME) (?:do not|don t|no longer) (?:receive|get) (?:(?:any"
        r"|more) )*MAIL(?: from you)?(?: any ?more)?",
        rf"un ?subscribe(?: (?:me|us|ME))?(?: MAIL| LIST)?|opt (?:me|us)(?: out|{_FROM}| out{_FROM})",
        rf"(?:take|drop|get|strike|scratch|cut|pull) (?:me|us|ME|MAIL){_FROM}|(?:take|get) (?:me|us|ME) off",
        rf"(?:(?:i|we) )?(?:want|would like|wish|d like|need|prefer|ask|request|am asking) (?:(?:for )?(?:me|us"
        rf"|ME) )?(?:to )?(?:{_EN_LEAVE}(?:{_FROM}| LIST)?|be (?:off|taken){_FROM}|be off LIST)",
        r"(?:i|we) (?:would |d )?(?:prefer|rather) not (?:to )?(?:receive|get) (?:(?:any|more) )*MAIL(?: from you)?",
        r"(?:i|we) (?:want|would like|d like) (?:off|out FROM LIST|FROM LIST)",
        r"no (?:more|further|longer) MAIL(?: from you)?|no (?:more|further) of (?:these|this)",
        r"(?:do not|don t|never|stop) (?:ever )?(?:contact|e ?mail|mail|write|message|write to|send"
        r"|spam) (?:to )?(?:me|us|ME)(?: again| any ?more)?(?: any)?(?: more)?(?: MAIL)?(?: again| any ?more)?",
        r"(?:do not|don t) (?:ever )?reach out(?: to (?:me|us))?(?: again| any ?more)?|(?:do not|don t) MAIL (?:me|us"
        r"|ME)(?: again| any ?more)?",
        r"(?:do not|don t) send (?:me |us )?(?:any )?(?:(?:more|further) )?(?:FROM )?MAIL(?: to (?:me|us"
        r"|ME))?(?: any ?more)?",
        r"(?:i|we) (?:do not|don t|no longer) (?:want|wish) (?:to (?:receive|get|be sent) )?(?:any )?(?:(?:more"
        r"|from you|of) )*MAIL(?: from you)?(?: any ?more)?",
        r"(?:i|we) (?:do not|don t|no longer) (?:want|wish) to (?:be contacted|hear from you)(?: again| any ?more)?",
        r"(?:i|we) (?:am|are) opting out(?: FROM (?:LIST|MAIL))?|leave (?:me|us) alone",
    ),
    "de": _any(
        r"stopp?|abmelden|austragen|abbestellen|loschen|streichen|kundigen|werbewiderspruch",
        rf"(?:(?:ich|wir) )?(?:(?:bitten?|ersuchen?) )?(?:sie )?(?:um )?(?:(?:meine|unsere) )?{_DE_NOUN}(?:{_FROM})?",
        rf"(?:(?:mich|uns|ME) )?(?:sofort |hiermit )?(?:{_FROM[1:]} )?(?:sofort )?{_DE_LEAVE}|(?:LIST"
        rf"|MAIL) abbestellen",
        rf"(?:(?:mich|uns|ME) )?{_FROM[1:]} (?:heraus|raus)?nehmen",
        rf"(?:melden|tragen|nehmen|streichen|loschen|entfernen|nimm|nehmt|trag|losch|streich|melde|meldet"
        rf"|tragt) (?:sie )?(?:mich|uns|ME|MAIL(?= FROM))(?: (?:hiermit|daher|doch|wieder))?(?:{_FROM}(?: (?:ab|aus"
        rf"|heraus|raus))?| (?:wieder )?(?:ab|aus|heraus|raus))",
        r"(?:loschen|entfernen|streichen) (?:sie )?(?:mich|uns|ME)",
        rf"(?:(?:ich|wir) )?(?:(?:bitten?|ersuchen?) )?(?:(?:sie|euch|dich|darum) )?(?:mich|uns"
        rf"|ME)(?:{_FROM})? (?:zu (?:loschen|streichen|entfernen|nehmen)|abzumelden|auszutragen|herauszunehmen)",
        rf"{_DE_WANT}(?: (?:mich|uns|ME))?(?: (?:hiermit|bitte|gerne?|sofort))?(?:{_FROM})? (?:{_DE_LEAVE}"
        rf"|{_DE_LEFT} werden)|{_DE_WANT} (?:LIST|MAIL) abbestellen",
        r"keine (?:mehr |neuen |weitere |weiteren )*MAIL(?: mehr)?(?: an (?:mich|uns|ME))?(?: mehr)?(?: senden"
        r"| schicken| zusenden)?",
        r"keine (?:weiteren? |mehr |neuen )*MAIL(?: mehr)?(?: an (?:mich|uns))?(?: senden| schicken| zusenden)?",
        r"(?:schicken|senden|schreiben|mailen) sie (?:mir|uns) (?:nicht mehr|keine (?:(?:weiteren"
        r"|mehr) )*MAIL(?: mehr)?(?: zu)?)",
        rf"{_DE_WANT} (?:(?:mir|uns|von ihnen|bitte|in zukunft|kunftig) )*(?:keine (?:(?:weiteren"
        rf"|mehr) )*MAIL(?: mehr)?(?: von ihnen)?(?: mehr)?(?: erhalten| bekommen)?(?: mehr)?|nicht (?:mehr"
        rf"|weiter) (?:kontaktiert|angeschrieben|angemailt) werden)",
        r"(?:(?:mich|uns) )?nicht (?:mehr|weiter) (?:anschreiben|kontaktieren|schreiben|anmailen)",
        r"kontaktieren sie (?:mich|uns) (?:bitte )?nicht (?:mehr|weiter)(?: per MAIL)?|schreiben sie (?:mich"
        r"|uns) nicht mehr an",
        r"(?:unterlassen|unterlasst|stoppen|beenden) (?:sie |es )?(?:(?:kunftig|zukunftig|jede|jegliche|weitere|die"
        r"|das zusenden|zusendung|den versand|mir|uns|weiterer|von|zu senden) )*MAIL(?: (?:an|mit) (?:mich|uns"
        r"|mir))?(?: zu (?:senden|schicken))?",
        r"horen sie auf (?:mir|uns) (?:MAIL zu (?:schicken|senden)|zu schreiben)",
        r"(?:hiermit )?(?:(?:ich|wir) )?(?:hiermit )?widersprechen? (?:(?:ich|wir) )?(?:hiermit )?(?:der|jeder"
        r"|jeglicher) (?:weiteren )?(?:nutzung|verwendung|verarbeitung|speicherung)(?: (?:meiner"
        r"|unserer) (?:personenbezogenen )?(?:daten|adresse|(?:e ?)?mail ?adresse)| ME)?(?: (?:zu|fur) (?:werbe\w*"
        r"|marketing\w*|MAIL)(?: zwecken?)?)?",
    ),
    "fr": _any(
        rf"{_FR_ASK}(?:{_FR_WANT})?(?:(?:me|se|nous|m|vous) )?(?:desabonner|desinscrire|(?:etre )?(?:desabonne"
        rf"|desinscrit|retire|supprime)e?s?)(?: (?:moi|nous|ME))?(?:{_FROM})?|desabonnement|desinscription"
        rf"|desabonnement{_FROM}|desinscription{_FROM}|(?:je me |nous nous )(?:desabonn|desinscri)(?:e|s|ons"
        rf"|vons)(?:{_FROM})?",
        rf"(?:desabonnez|desinscrivez|retirez|supprimez|enlevez|effacez|radiez|otez|desabonne|desinscris|retire"
        rf"|supprime)(?: (?:moi|nous|ME|MAIL(?= FROM)))(?:{_FROM})?",
        rf"(?:desabonnez|desinscrivez|retirez|supprimez|enlevez|effacez)(?:{_FROM})?",
        rf"(?:{_FR_WANT})?(?:ne )?plus (?:(?:de|d|aucun|recevoir) )*(?:FROM )?(?:MAIL|courrier)"
        rf"|stop(?: aux)?(?: MAIL)?|aucun (?:autre )?MAIL|inutile de (?:m|nous) (?:envoyer|ecrire)(?: (?:d autres|de"
        rf"|plus de))*(?: MAIL)?",
        rf"{_FR_ASK}(?:d )?(?:arretez|cessez|arreter|cesser) (?:(?:de|d) )?(?:(?:m|me|nous) )?(?:envoyer|ecrire"
        rf"|contacter|solliciter|spammer|relancer|envoi|envois|(?:FROM )?MAIL)(?: (?:FROM )?MAIL)?",
        rf"{_FR_ASK}ne (?:plus )?(?:m|nous) (?:envoyez|envoyer|ecrivez|ecrire) plus(?: (?:rien|jamais"
        rf"|(?:FROM )?MAIL))?",
        rf"{_FR_ASK}ne plus (?:m ecrire|nous ecrire|(?:me|nous) (?:contacter|solliciter|relancer)|(?:m"
        rf"|nous) envoyer (?:rien|(?:(?:de|d) )?(?:FROM )?MAIL))(?: (?:FROM )?MAIL)?",
        r"ne (?:me|nous) (?:contactez|relancez) plus|ne (?:m|nous) (?:ecrivez|sollicitez) plus",
        r"(?:je|nous) (?:ne )?(?:veux|souhaite|voulons|souhaitons|desire|desirons) plus (?:(?:recevoir|avoir|de|d"
        r"|aucun) )*(?:FROM )?MAIL(?: de votre part)?|(?:je|nous) (?:ne )?(?:veux|souhaite|voulons"
        r"|souhaitons) plus (?:etre contactee?s?|etre sollicitee?s?)",
        rf"{_FR_ASK}(?:{_FR_WANT})?(?:me|nous) {_FR_LEAVE}(?:{_FROM})?|{_FR_ASK}{_FR_LEAVE} ME(?:{_FROM})?",
        rf"{_FR_ASK}{_FR_LEAVE} MAIL{_FROM}",
    ),
    "es": _any(
        rf"{_ES_WANT}(?:(?:dar(?:me|se|nos)?|deme|den ?me|dame|den ?nos|denos|me den|nos den) de "
        rf"|la )?baja(?:{_FROM})?",
        rf"{_ES_WANT}(?:cancelar|anular|cancelen|anulen) (?:(?:la|mi|nuestra) )?suscripcion(?: (?:al? |FROM )MAIL)?",
        rf"{_ES_WANT}(?:desuscribir(?:me|nos)?|desuscribirse|desuscriban? ?me|salir)(?:{_FROM})?(?<!salir)",
        r"no (?:mas|envien mas|(?:me|nos) envien mas|quiero mas|queremos mas|deseo mas|enviar mas|(?:me"
        r"|nos) manden mas) MAIL",
        r"(?:ya )?no (?:(?:me|nos) )?(?:escriban|contacten|envien|escriba|contacte|envie|manden)(?: mas)(?: MAIL)?"
        r"|no vuelvan? a (?:escribir|contactar)(?:me|nos)?",
        r"dejen? de (?:enviar|mandar|escribir|contactar)(?:me|nos)?(?: (?:mas )?MAIL)?",
        rf"{_ES_WANT}(?:eliminen|borren|quiten|elimine|borre|quite|elimina|borra|quita|saquen|saque|eliminar|borrar"
        rf"|quitar)(?:me|nos| ME| MAIL(?= FROM))(?:{_FROM})?|(?:eliminen|borren|quiten|elimine|quite)(?:{_FROM})?",
        rf"{_ES_WANT}(?:me|nos) (?:eliminen|borren|quiten|saquen)(?:{_FROM})?|{_ES_WANT}ser (?:eliminad"
        rf"|borrad)[oa]{_FROM}",
        r"(?:ya )?no (?:quiero|deseo|quisiera|queremos|deseamos) (?:seguir )?recib(?:ir|iendo) (?:mas )?MAIL(?: suyos"
        r"| FROM MAIL)?|stop",
    ),
    "it": _any(
        rf"{_IT_WANT}cancella(?:mi|temi|teci|r(?:mi|ci)|re ME)?(?:{_FROM})?|disiscriv(?:imi|etemi|eteci|ersi|ermi"
        rf"|erci)(?:{_FROM})?",
        rf"{_IT_WANT}(?:disiscriver(?:mi|ci)|essere (?:cancellat|rimoss|eliminat|tolt)[oaie])(?:{_FROM})?"
        rf"|annulla(?:re)? (?:l )?iscrizione(?: (?:alla |FROM )?MAIL)?",
        r"(?:basta|niente piu|no|nessuna|non piu) (?:altre? |piu )?MAIL",
        rf"{_IT_WANT}(?:rimuov|toglie|togli|elimin)(?:imi|temi|etemi|eteci|teci|atemi|ateci|ermi|erci|armi|arci|mi"
        rf"|rmi|rci)(?:{_FROM})?",
        rf"{_IT_WANT}(?:rimuovere|eliminare|cancellare|togliere|rimuovete|eliminate|cancellate|togliete) (?:ME"
        rf"|MAIL(?= FROM))(?:{_FROM})?",
        r"non (?:scrivete|contattate|mandate|inviate|scriva|contatti)(?:mi|ci) piu(?: (?:MAIL|LIST|nulla|niente))?"
        r"|(?:(?:vi|la|le|ti) )?(?:(?:chiedo|chiediamo|prego|preghiamo) di )?non (?:scriver|contattar|inviar"
        r"|mandar)(?:mi|ci) piu(?: (?:MAIL|LIST|nulla|niente))?",
        r"non (?:voglio|desidero|vogliamo|desideriamo) (?:piu )?(?:ricevere )?(?:(?:altre|piu) )*MAIL(?: da voi)?",
        r"smettetela? di (?:scriver|contattar|mandar|inviar)(?:mi|ci)(?: MAIL)?",
    ),
    "pt": _any(
        rf"{_PT_WANT}(?:(?:me )?descadastrar(?: me)?|(?:me )?descadastrem?(?: me)?)(?: ME)?(?:{_FROM})?"
        rf"|{_PT_WANT}(?:cancelar|cancelem?) (?:a |minha )?(?:inscricao|subscricao|assinatura)(?: FROM MAIL)?",
        rf"{_PT_WANT}(?:me |nos )?(?:remover|remova|removam|retire|retirem|retirar|excluir|exclua|excluam|tirem?"
        rf"|apaguem?|eliminem?)(?: (?:me|nos|ME|MAIL(?= FROM)))(?:{_FROM})?",
        rf"{_PT_WANT}(?:me |nos )?(?:remover|remova|removam|retire|retirem|retirar)(?:{_FROM})?|{_PT_WANT}(?:sair"
        rf"|ser (?:removid|retirad|excluid)[oa]){_FROM}",
        r"(?:nao|sem) (?:envie[m]?|mandem|mais|quero|queremos|enviar)(?: (?:me"
        r"|nos))?(?: mais)?(?: receber)?(?: mais)? MAIL",
        r"nao (?:(?:me|nos) )?(?:contactem|contatem|escrevam|enviem|enviar)(?: (?:me|nos))?(?: mais)(?: MAIL)?",
        r"(?:nao|deixem de) (?:me|nos) (?:contactem|contatem|escrevam|enviem|enviar)(?: mais)?(?: MAIL)?",
        r"(?:parem|pare|deixem) de (?:(?:me|nos) )?(?:enviar|mandar|escrever|contactar|contatar)(?: (?:me"
        r"|nos))?(?: MAIL)?",
        r"(?:ja )?nao (?:quero|desejo|queremos|desejamos) (?:mais )?receber (?:mais )?MAIL",
    ),
    "nl": _any(
        rf"{_NL_WANT}(?:(?:me|mij|ons|ME) )?(?:{_FROM[1:]} )?(?:uitschrijven|afmelden|(?:uitgeschreven|afgemeld"
        rf"|verwijderd) worden)(?:{_FROM})?|uitschrijving(?:{_FROM})?",
        rf"(?:mij|me|ons|ME){_FROM} (?:te )?(?:halen|schrappen)|(?:(?:mij|me|ons"
        rf"|ME) )?(?:{_FROM[1:]} )?verwijderen(?:{_FROM})?",
        rf"(?:schrijf|meld) (?:mij|me|ons|ME)(?:{_FROM})? (?:uit|af)|(?:schrijf|meld) (?:mij|me|ons|ME) (?:uit"
        rf"|af)(?:{_FROM})?",
        rf"(?:haal|verwijder|schrap) (?:mij|me|ons|ME)(?:{_FROM})(?: af)?|verwijder (?:mij|me|ons|ME)",
        r"geen (?:verdere )?MAIL(?: meer)(?: sturen| ontvangen)?|geen (?:verdere )?MAIL(?: sturen)?"
        r"|stop(?:pen)?(?: met (?:mailen|e ?mailen|sturen|MAIL))?(?: MAIL)?",
        r"(?:gelieve )?(?:mij|me|ons) (?:niet|nooit) (?:meer|langer) (?:te )?(?:mailen|e ?mailen|contacteren"
        r"|schrijven|benaderen|MAIL)",
        rf"gelieve (?:mij|me|ons)(?:{_FROM})? (?:uit te schrijven|af te melden|te verwijderen)(?:{_FROM})?",
        r"(?:stuur|mail|MAIL|contacteer|benader) (?:mij|me|ons) (?:niet|geen)(?: MAIL)? ?meer",
        r"(?:ik|wij|we) (?:wil|wens|willen|wensen|hoef|hoeven) (?:\w+ )?geen MAIL(?: meer)?(?: te)?(?: ontvangen"
        r"| krijgen)?",
    ),
    "da": _any(
        rf"(?:afmeld|frameld|(?:slet|fjern)(?= (?:mig|os|ME)))(?: (?:mig|os|ME))?{_LEFT}|afmelding(?:{_FROM})?",
        rf"(?:meld|tag) (?:mig|os|ME)(?: (?:af|fra|ud){_LEFT}|{_FROM})|(?:jeg|vi) (?:onsker"
        rf"|vil)(?: gerne)? (?:at )?(?:(?:afmelde|frameldes?|afmeldes|framelde)(?: (?:mig|os))?|(?:slettes"
        rf"|fjernes)){_LEFT}",
        r"stop(?: med)?(?: at| med at)? (?:sende|skrive|kontakte)(?: til)?(?: (?:mig|os|ME))?(?: flere)?(?: MAIL)?"
        r"|stop(?: MAIL)?",
        r"(?:(?:(?:jeg|vi) )?(?:onsker|vil|vil gerne|send|sender)(?: (?:mig|os))?(?: have)? )?(?:ikke"
        r"|ingen) (?:(?:have|at modtage|modtage|at fa|mig|os) )*flere MAIL(?: fra jer)?|(?:kontakt"
        r"|skriv) (?:til )?(?:mig|os) ikke (?:mere|igen)",
    ),
    "no": _any(
        rf"(?:meld (?:(?:meg|oss|ME) )?(?:av|ut)|meld (?:meg|oss|ME)(?={_FROM})|avmeld(?:ing)?|(?:fjern|slett"
        rf"|stryk) (?:meg|oss|ME))(?: meg| oss)?{_LEFT}",
        rf"(?:jeg|vi) (?:onsker|vil)(?: gjerne)? (?:a )?(?:(?:melde (?:meg|oss) (?:av|ut))|(?:bli )?(?:slettet"
        rf"|fjernet|avmeldt)|avmeldes){_LEFT}",
        r"slutt(?: med)? a (?:sende|skrive til|kontakte)(?: (?:meg|oss|ME))?(?: flere)?(?: MAIL)?|stopp?(?: MAIL)?",
        r"(?:(?:(?:jeg|vi) )?(?:onsker|vil|send)(?: (?:meg|oss))?(?: ha)? )?(?:ikke|ingen) (?:(?:ha|a motta|motta"
        r"|a fa|meg|oss) )*flere MAIL(?: fra dere)?|ikke send (?:meg |oss )?flere MAIL|ikke (?:kontakt|skriv til"
        r"|send til) (?:meg|oss)(?: mer| igjen)",
    ),
    "sv": _any(
        rf"(?:avregistrera|avanmal|(?:ta bort|stryk)(?= (?:mig|oss|ME))|avprenumerera)(?: (?:mig|oss|ME))?{_LEFT}"
        rf"|avregistrering(?:{_FROM})?",
        rf"(?:(?:jag|vi) )?(?:vill|onskar)(?: garna)? (?:(?:avregistrera|avanmala|avprenumerera)(?: (?:mig|oss))?"
        rf"|(?:bli )?(?:borttagen|avregistrerad|borttagna)|avregistreras){_LEFT}",
        r"(?:avsluta|saga upp) (?:min )?(?:prenumerationen?|LIST)|sluta (?:att )?(?:skicka|mejla|maila|kontakta"
        r"|MAIL)(?: (?:mig|oss|ME))?(?: fler)?(?: MAIL)?|stopp",
        r"(?:(?:(?:jag|vi) )?(?:vill|onskar|skicka)(?: (?:mig|oss))?(?: ha)? )?(?:inte|inga|ej) (?:(?:ha|fa|langre"
        r"|mig|oss|ta emot) )*(?:fler|mer|flera) MAIL(?: fran er)?|(?:kontakta|maila|mejla|MAIL) (?:mig"
        r"|oss) inte (?:mer|igen|langre)",
    ),
    "fi": _any(
        rf"(?:poista|poistakaa) (?:minut|meidat|ME|osoitteeni|osoitteemme){_LEFT}",
        r"peru(?:uta|uttakaa)? (?:tilaus|tilaukseni|MAIL)",
        rf"(?:haluan|haluamme|haluaisin) (?:poistua|erota|pois|peruuttaa){_LEFT}",
        r"ei (?:enaa )?(?:lisaa )?MAIL(?: kiitos)?|lopettakaa(?: MAIL)?|en halua (?:enaa )?(?:lisaa )?MAIL|(?:ala"
        r"|alkaa) (?:laheta|lahettako) (?:(?:minulle|meille|enaa|lisaa) )*MAIL",
    ),
    "pl": _any(
        rf"{_PL_WANT}(?:prosze )?(?:o )?(?:(?:mnie|nas|ME) )?(?:(?:sie )?wypisa[cn]\w*|wypisz(?:cie)?|usun(?:cie"
        rf"|ac)?(?= (?:mnie|nas|ME))|(?:usuniecie|wypisanie|wykreslenie|skreslenie) (?:mnie|nas|ME|mojego adresu"
        rf"|naszego adresu)|rezygnuje|rezygnacja)(?: sie)?(?: (?:mnie|nas|ME))?(?:{_FROM}|{_LEFT})",
        rf"(?:prosze )?(?:o )?(?:usuniecie|wypisanie|wykreslenie){_FROM}|(?:prosze )?(?:mnie|nas|ME) (?:usun(?:cie"
        rf"|ac)|(?:wykresl|skresl)(?:ic|cie)?)(?:{_FROM})?",
        rf"{_PL_WANT}(?:zrezygnowac|wypisac sie){_FROM}",
        r"(?:prosze )?(?:mi |do mnie |nam |do nas )?(?:juz )?(?:wiecej )?nie (?:przysylac|wysylac|pisac"
        r"|kontaktowac sie|przysylajcie|wysylajcie|piszcie)(?: (?:mi|do mnie|nam|do nas|juz|zadnych|MAIL|ze mna"
        r"|z nami))* ?(?:wiecej|juz)(?: (?:MAIL|LIST|do mnie|do nas))?",
        r"(?:zadnych )?wiecej MAIL|(?:ja )?nie (?:chce(?:my)?|zycze(?:my)? sobie) (?:(?:juz|wiecej|otrzymywac"
        r"|dostawac) )+(?:wiecej )?MAIL",
    ),
    "cs": _any(
        rf"{_CS_WANT}(?:o )?(?:(?:me|nas|ME|se) )?(?:odhlaseni|vyrazeni|odhlasit|odhlaste|zruste (?:mi |nam )?LIST"
        rf"|(?:vyradte|vymazte|odstrante|smazte|odeberte) (?:me|nas|ME)|vyradit|vymazat|(?:vyradit|vymazat|odstranit"
        rf"|smazat) (?:me|nas|ME))(?: (?:me|mne|nas|se|ME))?{_LEFT}",
        r"zadne dalsi MAIL|(?:uz )?(?:mi |me |nam |nas )?(?:nepiste|neposilejte|nekontaktujte)(?: (?:mi|me|nam|nas|uz"
        r"|vice|dalsi|zadne|MAIL))*|nechci (?:(?:uz|od vas|dalsi|vice|dostavat|zadne) )*MAIL",
    ),
    "sk": _any(
        rf"{_CS_WANT}(?:o )?(?:(?:ma|nas|ME|sa) )?(?:odhlasenie|vyradenie|odhlasit|odhlaste|(?:vyradte|vymazte"
        rf"|odstrante|zmazte) (?:ma|nas|ME))(?: (?:ma|nas|sa))?{_LEFT}",
        r"ziadne dalsie MAIL|(?:uz )?(?:mi |ma |nam )?(?:nepiste|neposielajte|nekontaktujte)(?: (?:mi|ma|nam|nas|uz"
        r"|viac|dalsie|MAIL))*",
    ),
    "hu": _any(
        rf"(?:leiratkozas|leiratkozom){_LEFT}|(?:le )?(?:szeretnek|szeretnenk|akarok|kivanok) (?:le)?iratkozni{_LEFT}"
        rf"|le szeretnek iratkozni{_LEFT}",
        rf"(?:(?:toroljenek|toroljon|toroljek|vegyenek le|iratkoztassanak le)(?: ki)?(?: (?:engem|minket))?"
        rf"|(?:torleset|torlesemet) kerem){_LEFT}|vegyenek LIST",
        r"(?:LIST )?(?:toroljenek|toroljon|vegyenek le)|ne (?:kuldjenek|irjanak)(?: (?:tobb|tobbet|nekem|nekunk"
        r"|MAIL))*",
    ),
    "sl": _any(
        rf"(?:odjava|odjavite(?: (?:me|nas))?|odjavi me|izbrisite (?:me|nas)|zelim se odjaviti){_LEFT}"
        rf"|nobenih (?:vec )?MAIL",
        r"ne posiljajte (?:mi )?vec(?: MAIL)?",
    ),
    "hr": rf"(?:odjava|odjavite (?:me|nas)|odjavi me|(?:izbrisite|uklonite) (?:me|nas)|zelim se odjaviti){_LEFT}"
    "|ne saljite (?:mi )?vise(?: MAIL)?",
    "sr": rf"(?:одјава|одјавите (?:ме|нас)|избришите (?:ме|нас)|желим да се одјавим){_LEFT}"
    "|не шаљите (?:ми )?више(?: (?:MAIL|поруке|меилове))?",
    "ro": _any(
        rf"(?:(?:vreau|doresc|as vrea) (?:sa )?)?(?:dezabonare|dezabonati ma|stergeti ma|ma dezabonez|scoateti ma"
        rf"|eliminati ma){_LEFT}",
        r"nu (?:mai )?(?:(?:imi|ne) )?(?:mai )?(?:trimiteti|scrieti|contactati)(?: MAIL)?|nu (?:mai )?(?:vreau"
        r"|doresc) (?:alte |sa (?:mai )?primesc )?MAIL",
    ),
    "bg": rf"(?:искам да се отпиша|отпишете (?:ме|ни)|отписване|(?:премахнете|изтриите) (?:ме|ни)){_LEFT}"
    "|не ми (?:пишете|изпращаите)(?: повече)?(?: MAIL)?",
    "mk": rf"(?:отпишете ме|отпишување|избришете ме){_LEFT}",
    "sq": rf"(?:me hiqni|c regjistrohem|me cregjistroni|hiqmeni)(?: nga)?{_LEFT}",
    "el": _any(
        rf"(?:διαγραφη(?: μου)?|διαγραψτε (?:με|μας)|απεγγραφη|καταργηση εγγραφης|θελω να (?:διαγραφω|απεγγραφω"
        rf"|με διαγραψετε)){_LEFT}",
        r"μη(?:ν)? μου (?:ξανα)?στε[ιλ]λνετε(?: (?:MAIL|αλλα|πια|emails?))*|οχι αλλα MAIL",
    ),
    "tr": _any(
        r"(?:(?:beni|bizi) )?(?:e ?posta |mail )?(?:LIST|listeden|listenizden) (?:cikar(?:in|iniz)?|silin"
        r"|cik(?:mak istiyor(?:um|uz))?)",
        r"abonelikten (?:cik(?:ar)?|cikmak istiyor(?:um|uz))|aboneligi(?:mi)? iptal(?: et| edin)?|(?:beni"
        r"|bizi) (?:cikarin|silin)",
        r"(?:bir daha |artik )?MAIL (?:atmayin|gondermeyin|istemiyor(?:um|uz))",
    ),
    "ru": _any(
        rf"{_RU_WANT}(?:отписаться|отпишите|отписать|отписка|отпишите меня|(?:удалите|уберите|исключите|удалить"
        rf"|убрать|исключить)(?= (?:меня|нас|ME)))(?: (?:меня|нас|ME))?{_LEFT}",
        r"(?:(?:я|мы) )?(?:больше )?не (?:хочу|хотим|желаю|желаем) (?:больше )?получать (?:от вас )?MAIL(?: от вас)?",
        rf"{_RU_WANT}(?:больше )?не (?:пишите|присылаите|шлите|отправляите|присылать|писать|отправлять)(?: (?:мне|нам"
        rf"|больше|MAIL))*|стоп",
    ),
    "uk": _any(
        rf"{_UK_WANT}(?:відписатися|відпишіть|відписати|відписка|(?:видаліть|вилучіть|приберіть|видалити)(?= (?:мене"
        rf"|нас|ME|мою адресу|нашу адресу)))(?: (?:мене|нас|ME|мою адресу|нашу адресу))?{_LEFT}",
        r"(?:(?:я|ми) )?(?:більше )?не (?:хочу|хочемо|бажаю) (?:більше )?отримувати (?:MAIL|LIST)",
        r"(?:більше )?не (?:пишіть|надсилаите|присилаите)(?: (?:мені|нам|більше|MAIL|LIST))*",
    ),
    "be": rf"(?:адпісацца|адпішыце мяне){_LEFT}",
    "et": _any(
        rf"(?:tuhista(?:ge)? (?:tellimus|MAIL)|eemaldage (?:mind|meid)|loobun|eemalda mind|soovin loobuda){_LEFT}",
        r"(?:arge|ara) (?:rohkem )?(?:saatke|kirjutage|kirjuta|saada)(?: (?:mulle|rohkem|enam|MAIL|kirju))*",
    ),
    "lv": _any(
        rf"(?:velos )?(?:atrakstities|atrakstit mani|iznemiet mani|dzesiet mani|atteikties)(?: no)?{_LEFT}",
        r"(?:vairak )?nesutiet(?: man)?(?: vairak)?(?: (?:MAIL|vestules|epastus))?",
    ),
    "lt": _any(
        rf"(?:noriu )?(?:atsisakau|atsisakyti|isbraukite mane|pasalinkite mane)(?: is| nuo)?{_LEFT}",
        r"(?:daugiau )?(?:man )?(?:nebe|ne)(?:siuskite|rasykite)(?: (?:daugiau|man|MAIL|laisku|zinuciu))*",
    ),
    "is": rf"(?:afskra|afskra mig|takid mig af|fjarlægid mig|afskraning)(?: af)?{_LEFT}|takid mig FROM LIST"
    "|takid mig af lista",
    "ca": rf"(?:(?:vull )?donar(?: me)? de baixa|doneu me de baixa|baixa|doneu de baixa)(?:{_FROM})?"
    "|no (?:m )?envieu mes (?:MAIL|correus|missatges)",
    "gl": rf"(?:dar(?:me|se)? de baixa|baixa)(?:{_FROM})?|non (?:me )?envien mais(?: MAIL)?",
    "eu": rf"(?:baja eman|kendu nazazu|harpidetza utzi){_LEFT}",
    "ga": rf"(?:diliostail(?:{_FROM})?|bain me(?: den)?{_LEFT})",
    "cy": r"(?:dad danysgrifio|tynnwch fi oddi ar (?:LIST|eich rhestr))|tynnwch fi FROM LIST",
    "mt": _any(
        rf"(?:nehhuni|nehhini|hassruni){_LEFT}",
        r"(?:tibghatulix|ma tibghatulix|tiktbulix)(?: (?:aktar|izjed|MAIL|emails?))*",
    ),
    "lb": rf"(?:mech )?ofmellen|(?:mellt|huelt|lascht|streicht) mech (?:of|eraus|{_FROM[1:]})"
    "|keng (?:weider )?MAIL(?: mei)?",
    "zh": _any(
        r"(?:请|請)?(?:我要|我们要|把)?(?:我|我们|我們)?(?:想|要|希望|需要)?(?:退订|退訂|取消订阅|取消訂閱)(?:邮件|郵件|电子邮件)?",
        r"(?:请|請)?(?:不要|别|別|勿)(?:再)?(?:给我|給我|向我)?(?:发|發|寄|发送|發送|寄送|联系|聯絡)(?:任何)?(?:邮件|郵件|电子邮件|信|我|了)*",
        r"(?:请|請)?停止(?:给我|給我|向我|向我们|给我们)?(?:发送|發送|发|發)?(?:任何)?(?:邮件|郵件|电子邮件)",
        r"(?:请|請)?(?:把我|把我们|将我们?|將我們?)?(?:从|從)"
        r"(?:你们的?|你們的?|贵公司的?|貴公司的?|您的?|这个|這個|邮件|郵件|订阅|訂閱|发送|發送|收件人|联系人|聯絡人|营销|行銷|推广|推廣|群发|群發){0,3}"
        r"(?:列表|名单|名單|清单|清單|邮件组|数据库|資料庫|通讯录)(?:中|里|裡)?(?:移除|删除|刪除)",
    ),
    "ja": (
        r"(?:メール|メルマガ|ニュースレター)?の?(?:メール|メルマガ|配信|送信|登録|購読)の?を?(?:停止|解除|中止|不要)(?:に|を)?(?:希望(?:します|いたします|です)?"
        r"|(?:の?手続きを?)?お願い(?:します|いたします|致します|申し上げます)?|して(?:ください|下さい|いただけますか|頂けますか|ほしい(?:です)?|欲しい(?:です)?)|です)?|(?:メール|配信"
        r"|送信)(?:の配信)?を?(?:やめて|止めて)(?:ください|下さい)?|(?:もう|今後)?(?:メール|連絡)を?(?:は)?(?:送らないで|しないで)(?:ください|下さい)?"
        r"|(?:今後の?)?(?:メール|メルマガ|配信|連絡)は?(?:不要|必要ありません|要りません|いりません)(?:です)?"
    ),
    "ko": _any(
        r"(?:수신 ?거부|구독 ?(?:취소|해지))(?: ?합니다| ?해 ?주세요| ?부탁드립니다)?",
        r"(?:더 이상 )?(?:메일|이메일)(?:을)? 보내지 ?(?:마세요|말아 ?주세요)",
    ),
    "he": _any(
        r"הסר|הסרה|הסירו אותי|(?:נא |אנא |בבקשה )?(?:להסיר|הסירו|תסירו|הסר) אותי(?: מרשימת (?:התפוצה|הדיוור))?"
        r"|(?:ל)?ביטול מנוי",
        r"(?:נא |אנא )?(?:אל תשלחו|לא לשלוח) (?:לי )?(?:יותר|עוד) (?:מיילים|הודעות)",
    ),
    "ar": _any(
        r"(?:يرجى |الرجاء |أريد |أرجو )?(?:إلغاء|الغاء) (?:الاشتراك|اشتراكي)|(?:يرجى |الرجاء |أرجو )?(?:إزالتي|حذفي"
        r"|إزالة عنواني) من (?:القائمة|قائمتكم|القائمة البريدية|قائمتكم البريدية)",
        r"(?:يرجى |الرجاء )?(?:عدم|لا) (?:إرسال|ترسلوا) (?:لي |إلي )?(?:المزيد من |أي )?(?:الرسائل|رسائل)",
    ),
}
