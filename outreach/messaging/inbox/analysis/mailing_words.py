"""Words for mails, lists of addresses and the writer's own address, and the tokens that stand for them.

A wish for no more mails names nothing else: anyone who leaves a meeting stays on the list.
"""

from __future__ import annotations

import re


def _any(text: str) -> str:
    return f"(?:{'|'.join(text.split())})"


_FROM = _any(r"""
    from\sall\sof off\sof (?<!opt\s)out\sof from off out of von vom aus de du des d del dalla dalle dallo dal dai da
    dalla\stua do das dos desta deste dessa desse van voor uit fra fran av af ut z ze zo od iz din dintre от из с со з
    із зі від ад од απο no\sjusu is\sjusu oddi\sar mill vun vum
""")
"""Prepositions before a list that somebody leaves."""
_DETERMINERS = _any(r"""
    your the this that these those all any such future further
    der die das dem den ihrer ihrem ihre ihren eurer eurem euren deiner deinem dieser diesem diesen allen alle
    sonstigen weiteren weitere weiterer
    la le les l votre vos cette ces ce toutes tous el las los su sus esta este estos estas todas todos
    il i gli lo vostra vostre vostro vostri sua sue suo tua tue questa queste tutte tutti delle della dei
    a o as os seu suas seus vossa vosso essa essas
    het uw jullie je deze dit deze den det jeres deres din dit eres denne dette denna detta er era eran alla
    teidan taman kaikki kaikilta kaikista panstwa waszej wasze tej tego te wszystkich swojej
    vasi vaseho vasho vasej vasich teto tejto tohto vsech vsetkych az onok vase vasega vaseg tega ovog ove
    dvs dumneavoastra de вашей вашего ваших вашеи этои этого всех своеи вашата вашия вашиот ваши ваші вашої вашоі
    ціеі цієї усіх την τη τις το τα τον σας της του sizin bu tum teie jusu la vostra el vostre ar ieuen
""")
"""Articles and pronouns before a list."""
_MAIL = (
    r"(?:(?:marketing ?|werbe ?|reklame ?|promotional |advertising )?(?:(?:e ?)?mail(?!chimp|box|ing)\w{0,5}"
    r"|mejl\w{0,4}|(?:e ?)?posta(?:lari|larini)?)|e ?posts?\w{0,6}|messages?|communications?|contact|spam|courriels?"
    r"|correos?(?: electronicos?)?|mensajes?|messaggi|mensagens|berichten|nachrichten|werbung|kontaktaufnahmen?"
    r"|meddelanden|beskeder|meldinger|henvendelser|wiadomosci\w{0,3}|zpravy?|spravy|sporocila?|sporocil|poruka|poruke"
    r"|viesteja|viestit|sahkopost\w{0,6}|uzenet\w{0,4}|leveleket|mesaj\w{0,6}|писем|письма|сообщени\w{1,2}|листів"
    r"|повідомлен\w{1,2}|μηνυματα|outreach|publicidade?|publicite|pubblicita|reklam\w{0,4}|реклам\w{1,3}"
    r"|newsletters?\w{0,3}|mailings?|boletin(?:es)?|nieuwsbrie\w{1,3}|nyhedsbrev\w{0,4}|nyhetsbrev\w{0,4}"
    r"|uutiskirje\w{0,5}|utskick\w{0,3}|udsendels\w{1,4}|utsendels\w{1,4}|biuletyn\w{0,2}|zpravodaj\w{0,3}"
    r"|hirlevel\w{0,5}|buletin\w{0,4}|bulten\w{0,6}|рассылк\w{1,2}|рассылак|розсилк\w{1,2}|бюлетин\w{0,2}"
    r"|ενημερωτικ\w{1,3} δελτι\w{1,2}|δελτι\w{1,2}|uudiskir\w{0,5}|naujienlaisk\w{0,4}|frettabref\w{0,3}"
    r"|butlleti\w{0,2}|(?:e )?novic|obvestil|envois|envios|invii)"
)
_LIST = (
    r"(?:(?:e ?)?(?:mail(?:ing)?|post|newsletter|sahkoposti|kontakt|adress(?:en|en)?|verteiler|send|sand|utskicks"
    r"|versand|distributions?|contact|jakelu|postitus|cim|levelezo|verzend|adressen|epost|mottagar"
    r"|mottaker)?[ s]?(?:list(?!ing|prei|price)\w{0,7}|lijst\w{0,3}|verteiler\w{0,3}|datenbank|bestand)"
    r"|(?<=your )systems?|records|kartei|crm|database\w?|databas\w{0,3}|databaz[eiy]|baz[aeiyu]\w{0,2}|bases?|banco"
    r"|fichiers?|abonnements?|cadastro|contactos|contatos|contacts|directorio"
    r"|repertoire|suscriptores|subscribers|destinatarios|subskrypcj\w{1,2}|adatbazis\w{0,5}|seznam\w{0,3}"
    r"|zoznam\w{0,3}|odber\w{0,3}|tietokanna\w{1,5}|rejestr\w{0,3}|evidenc\w{1,2}|rozesilk\w{1,2}|лист\w{1,3}"
    r"|списк\w{1,3}|списък\w{0,2}|баз[аыеиоу]\w?|подписк\w{1,2}|адресат\w{1,3}|λιστ\w{1,2}|εγγραφ\w{1,2}|loend\w{0,4}"
    r"|nimekir\w{0,4}|sarakst\w{0,3}|jaunum\w{0,4}|saras\w{0,3}|postlist\w{0,3}|llist\w{1,2}|zerrend\w{0,5}|liosta"
    r"|rhestr|lescht|lischt)"
)
"""Lists of addresses, in any case of the language."""
_OF = _any("of de des du d di da do der van av za para with")
_AND = _any("and or und oder et ou y o e en of og och eller ja i lub a nebo и или")
_KIND = _any(r"""
    diffusion difusion difusao diffusione distribucion distribuicao distribuzione distribution correo correos correio
    mailing mailingowej mailingowa adresowej adresow wysylkowej kontaktow dados datos donnees emails? mails? e\smails?
    contactos contacts contatti contatos contact contacten envio envios envoi envois invio destinatarios suscriptores
    prospects clients prijemcu prijemcov odberatelu kontaktu данных данни адресов контактов рассылки рассылок
    recipients subscribers addresses electronicos?
""")
"""Words after a list that say that it is one of addresses."""
_AFTER = _any("vossos vossas seus suas suyos vostri vostre deres jeres din er dvs dumneavoastra ta")
"""Pronouns after a list."""
_OWN = _any(r"""
    my our meine[nmr]? mein unsere[nmr]? unser mon notre mes nos mi mis nuestr[oa]s? il\smio la\smia il\snostro
    la\snostra mio mia nostro o\smeu o\snosso meu nosso minha nossa mijn onze min mitt? vores var moj moje nasz muj nas
    moju мои моя мою наш нашу моята мојата
""")
_THIS = _any(r"""
    this the\sabove diese dieser cette cet esta este questo questa denne dette denna detta deze dit tento tuto ten ta
    essa esse этот цю
""")
_ADDRESS = (
    r"(?:address(?:es)?|adresse[ns]?(?: (?:e ?)?mail| electronique)?|adres\w{0,3}|adress\w{0,2}|e ?mailadres(?:se)?"
    r"|mailadres(?:se)?|mail ?adresse|direccion(?: de correo)?(?: electronico)?|indirizzo(?: (?:e ?)?mail)?"
    r"|endereco(?: de e ?mail)?|osoite\w{0,4}|adresu|адрес\w{0,2}|адресу)"
)
_NAMES = (
    r"(?:names?|namen|nom|nombre|details|data|contact (?:details|data|information)|daten|company|coordonnees"
    r"|nominativo|kontakt|contacto?|contato)"
)
_MAILBOX = r"(?:e ?mails?|e ?mail|mail ?adresse|correo(?: electronico)?|courriel|e ?posta|mejl|имеил)"
_TOKENS = re.compile(
    rf"(?<!\w)(?:(?P<me>{_OWN} (?:(?:{_MAIL} )?{_ADDRESS}|{_NAMES}|{_MAILBOX})"
    rf"|{_THIS} (?:{_MAIL} )?(?:{_ADDRESS}|account|mailbox))"
    rf"|(?P<from>{_FROM} )?(?:{_DETERMINERS} ){{0,4}}"
    rf"(?:(?P<list>(?:{_MAIL} )?{_LIST}(?: (?:{_OF} )?(?:{_DETERMINERS} )?{_KIND}){{0,2}})|{_MAIL})"
    rf"(?: {_AND} (?:{_DETERMINERS} )?(?:{_LIST}|{_MAIL}))?"
    rf"(?: {_AFTER})?)(?!\w)"
)


def with_tokens(text: str) -> str:
    """Return the text with ME, LIST, MAIL and FROM in place of the writer's address, lists, mails and "from your".

    The text is in lower case and has neither accents nor punctuation.
    """
    return _TOKENS.sub(_token, text)


def _token(match: re.Match[str]) -> str:
    if match["me"]:
        return "ME"
    name = "LIST" if match["list"] else "MAIL"
    return f"FROM {name}" if match["from"] else name
