"""Patterns for the texts of mail servers about a refusal. Their order and meaning are in refusals.py.

The patterns are matched with lower case text, in which addresses are replaced by <> and host names by `host`.
"""

from __future__ import annotations

import re


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases))


_ABSENT = (
    r"(?:does(?:n't| not)|do not) (?:currently )?exist|n'existe pas|non esiste|não existe|bestaat niet"
    r"|(?:finns|findes|finnes) (?:inte|ikke)|eksister(?:er|ar) (?:ikke|ikkje)|nie istnieje|neexistuje|nem létezik"
    r"|nu există|ne postoji|ne obstaja|ei ole olemassa|не існує|δεν υπάρχει"
)
"""Statements that something does not exist, whatever it is."""
_UNKNOWN = (
    r"unknown|not (?:found|exist|known|valid|recogni[sz]ed|registered|active|our|a valid|a known|an active|local)"
    r"|invalid|inexistent|non-?existe?nt|undefined|illegal|inactive|disabled|closed|deleted|terminated"
    r"|de-?activated|no longer|no such|(?:could ?n[o']t|can ?not|can't) be (?:found|verified|resolved)|not resolv"
)
_UNKNOWN_ABROAD = (
    r"unbekannt|ungültig|existiert nicht|nicht (?:existier|gefunden|vorhanden|bekannt)|gibt es nicht"
    r"|kein(?:e[nrs]?)? (?:solche|gültige|bekannte)"
    r"|inconnu|inexist|inesist|introuvable|sconosciut|non (?:esist|trovat|(?:è )?valid)|n'est pas valide|no (?:existe"
    r"|encontrad|(?:es )?válid)"
    r"|desconocid|desconhecid|não (?:existe|encontrad|é válid)|inválid|onbekend|ongeldig|niet gevonden"
    r"|nieznan|nie (?:znalezion|znaleźć)|nieprawidłow|neznám|nenalezen|nenájden|neplatn"
    r"|nieistniejąc|neexistuj|niet[- ]bestaand|onbestaand|(?:ikke|icke)[- ]eksister|(?:ikke|icke)[- ]existerande"
    r"|okänd|ukendt|ukjent|ogiltig|ugyldig|hittades inte|ikke fundet|ikke funnet"
    r"|tuntematon|ei (?:löydy|löytynyt|tunneta)|virheellinen|ismeretlen|nem (?:található|létez)|nincs ilyen|érvénytelen"
    r"|necunoscut|nu a fost găsit"
    r"|neznan|ni (?:znan|najden|veljav)|nepoznat|nije pronađen|άγνωστ|άκυρ|δεν (?:βρέθηκε|είναι έγκυρ)"
    r"|неизвестн|не (?:существует|найден|знайден)|невідом|недействит|недійсн|bilinm|bulunamadı|geçersiz|mevcut değil"
    r"|不存在|无效|無效|未知|找不到|存在しません|見つかりません|無効|不明"
    r"|존재하지 않|찾을 수 없|알 수 없는|없는 (?:사용자|주소)"
    r"|(?:אינו|לא) (?:קיים|נמצא)|не съществува|ekki til|ei leitud|neegzistuoja|nerast|neeksistē|nav atrast|غير موجود"
)
"""Words of other languages for the unknown. Only their subject says whether the sender or the recipient is meant."""
_MISSING = rf"(?:{_ABSENT}|{_UNKNOWN}|{_UNKNOWN_ABROAD})"
"""Words for a sender or a recipient that does not exist. `SENDER` and `NO_SUCH` share them."""

_REJECTED = (
    r"(?:abgelehnt|abgewiesen|verweigert|gesperrt|blockiert|nicht (?:erlaubt|zugelassen|berechtigt)|refusé|rejeté"
    r"|bloqué|interdit|non autoris|rechazad|bloquead|no (?:permitid|autorizad)|rifiutat|respint|bloccat"
    r"|non consentit|rejeitad|não (?:autorizad|permitid)|geweigerd|geblokkeerd|niet toegestaan|odrzucon|zablokowan"
    r"|zamítnut|odmítnut|blokov|avvisa|avvist|nekad|hylätty|estetty|elutasít|respins|blocat|zavrnj|απορρίφθηκε"
    r"|отклон|заблок|запрещ|reddedil|engellen|拒|不允许|不被允许|封锁|ブロック|許可され)"
)
_SENDER = (
    r"(?:absender|expéditeur|expediteur|émetteur|emetteur|remitent|\bemisor|mittente|remetente|\bemissor|afzender"
    r"|verzender"
    r"|nadawc|odesílatel|odesilatel|odosielate|avsändar|avsender|avsendar|afsender|lähettäj|feladó(?!nak)|küldő(?!nek)"
    r"|expeditor|emitent|pošiljatelj|posiljatelj|pošiljalac|pošiljaoc"
    r"|αποστολέα|отправител|відправник|gönderen|gönderic|发件人|發件人|发送方|發送方|发信人|寄件人|寄件者|送信者"
    r"|送信元|差出人|発信者|発信元"
    r"|השולח|изпращач|sendandi|saatja|siuntėj|sūtītāj|المرسل|보낸 사람|보낸사람|발신자|발신인)"
)
_YOURS = (
    r"\b(?:ihre?|deine?|eure|votre|su|tu|vuestr[oa]|(?:il|la|l') ?(?:tu[oa]|su[oa]|vostr[oa])|vostr[oa]|seu|sua|teu|tua"
    r"|voss[oa]|uw|jouw|jullie|twój|twoja|państwa|vaš[aeí]?|din|ditt|dit"
    r"|sinun|az ön|vaša|σας|ваша?|ваш[еі]|sizin|您的|你的|貴社の|お使いの) ?(?:(?:e-?mail|e-?post|mail)-?)?(?:adres"
    r"|direcci|indirizzo|endereço|dom[aäæeéíi]|osoite|verkkotunnus|cím|server|serveur|servidor|konto|compte|cuenta"
    r"|casella|postfach|bo[iî]te|buzón|caixa|skrzynk|schránk"
    r"|\bconta\b|account|адрес|домен|сервер"
    r"|地址|域名|邮箱|アドレス|ドメイン)"
)
_SENDERS_OWN = (
    r"(?:(?<!to )(?<!to the )(?<!dear )(?<!the next )sender(?!s? only\b)|\bmail[ -]?from\b|\breturn[- ]?path"
    r"|\b(?:return|bounce|reply|reply-to|envelope|errors-to)[- ](?:e-?mail )?address"
    r"|\bauth(?:enticat(?:ed|ing|ion))? (?:user|account|id|identity|login)(?: ?name)?"
    r"|\b(?:domain|address|host|server)(?: name)? (?:of|in|from) your (?:e-?mail|mail|message)"
    r"|\byou(?:'re| are)? (?:send|sent|sending|mailing|writing) (?:it |this |this message |mail )?from"
    r"|\breverse[- ]?path|\benvelope[- ]from|\boriginat(?:or|ing)\b|\b(?:helo|ehlo)\b"
    r"|\bsending (?:e-?mail |mail )?(?:domain|host|server|ip|address|mta|system|user|account|network)"
    r"|(?<!message )(?<!reply )(?<!response )\bfrom[ :-]+(?:header|domain|address|field|e-?mail address)"
    r"|\byour (?:own |sending |mail |e-?mail |smtp |user |login )*(?:address|domain|server|host|account|mailbox"
    r"|user ?name"
    r"|login|profile|e-?mail(?='s domain)))"
)
_RETURNED = r"(?<!\ban )(?<!\ban den )(?<!geehrter )(?<!à l')(?<!\ba l')(?<!\bal )(?<!\bao )(?<!\baan )(?<!\baan de )"
"""The words after which a mail is returned to the sender."""
_OF_SENDER = rf"(?:{_RETURNED}{_SENDER}|{_YOURS}|{_SENDERS_OWN})"
"""The sender, its address, domain or server as the subject of a sentence, in contrast to "return to sender"."""
_RECIPIENT_ABROAD = (
    r"empfänger|benutzer|postfach|nutzer"
    r"|destinat[aá]|utilisateur|bo[iî]te|usu[aá]rio|utilizador|buzón|utente|casella|\bcaixa|gebruiker|ontvanger"
    r"|postbus|odbiorc"
    r"|użytkownik|skrzynk|příjemc|príjemc|uživatel|používate|schránk|mottagar|mottaker|modtager|\bbruger|\bbruker"
    r"|användar|brevlåd|postkasse|postilaatik|käyttäj|vastaanottaj|címzett|felhasznál|postafiók|utilizator|căsuț"
    r"|παραλήπτ|alıcı|kullanıcı|получател|пользовател|адресат|ящик|одержувач|користувач|prejemnik|uporabnik|primatelj"
    r"|korisnik"
    r"|수신자|받는 사람|사용자|메일함|收件|用户|使用者|信箱|受信|宛先|ユーザ"
)
_RECIPIENT = rf"recipient|rcpt|\bto:? ?<|destination|\buser|mail ?box|addressee|\bcustomer|{_RECIPIENT_ABROAD}"
_GAP = rf"(?:(?!{_RECIPIENT}|[.!?;] ).){{0,60}}?"
"""The words of a sentence that don't change its subject to the recipient."""
_LINKS = r"(?: ?[^\W\d_]{1,3}\b'?| \S{0,2}(?:domain|dom[aäeéíi]n|address|adress|adres|host|name)\w{0,8}){0,3} ?"
"""The words between "unknown" and the sender after it: articles, and the sender's domain or address."""
SENDER = _any(
    # The sender's address and domain
    rf"{_OF_SENDER}[a-z\d\u00df-\u04ff'-]*+(?:[ :]*(?:e-?mail )?(?:user ?name|user|mail ?box))?{_GAP}{_MISSING}",
    rf"\bfrom:? ?(?:<> )?(?:is |was )?{_MISSING}(?!\w* (?:e-?mail )?(?:{_RECIPIENT}))",
    rf"{_MISSING}\w{{0,4}}{_LINKS}{_OF_SENDER}|{_SENDER}.{{0,60}}{_REJECTED}|gesperrte\w? absender",
    r"invalid dns\b|\ba/aaaa resource record|resource record (?:for|of) (?:the )?sender",
    r"(?:sender|mail from|return[- ]path|envelope|originating|sending domain|from domain).{0,60}(?:\bmx\b|\bdns\b"
    r"|null ?mx|resolv|resource record|mail exchanger)",
    r"sender (?:address |e-?mail |domain |ip |host )*(?:was |is |has been |address )*(?:rejected|denied|refused|"
    r"blocked"
    r"|blacklisted|unknown|invalid|banned|not (?:allowed|authori[sz]ed|permitted|found|verified|pre-approved)"
    r"|does(?:n't| not) exist)",
    r"(?:rejected|bad|banned|invalid|unroutable|unknown|blocked|unverified|unauthenticated|forged) sender",
    r"identities failed|e-?mail address is not verified|permission to post",
    r"(?<!recipient )call-?(?:back|out)\b|sender (?:verif|callout|policy|is spammer|domain must|domain is empty|domain "
    r"listed|frequency|not approved)",
    r"verification failed for",
    r"(?:verify|verification of|validate) (?:the )?sender",
    r"(?:domain|address) of (?:the )?sender|your (?:sender|sending|from|e-?mail address|domain|envelope (?:from|"
    r"sender))",
    r"sender(?:'s|s')? (?:domain|server|ip|network|mailbox|mail server|address)",
    r"(?:mail|message|e-?mail)s? from .{0,60}(?:refused|rejected|denied|blocked|not accepted|weren't sent|not "
    r"allowed)",
    r"mail from .{0,40}command rejected|mail from:? not owned",
    r"after mail from|in reply to mail from|after initial connection|in reply to (?:he|eh)lo",
    r"from:? (?:header|domain|address) (?:is )?(?:invalid|missing|not|has)|from: ?domain is invalid|from header",
    r"multiple (?:addresses in )?from|null (?:sender|reverse-path)|empty envelope",
    # Its network
    r"client host|\bip=\d|host network not allowed|ip (?:address )?(?:name lookup|is|has been|was|reputation|"
    r"frequency|blocked"
    r"|blacklisted|not allowed|rejected|range)|your (?:ip|network|host|mail ?server|server|mta|remotehost|connection)",
    r"(?:blocked|bad sender|sending|banned sending|connecting|source|dynamic|sender'?s?) ips?\b|from this ip|\bof "
    r"your ip",
    r"\b(?:ptr|rdns)\b|reverse.?(?:dns|lookup|hostname)|forward dns entry|unresolvable relay host|name lookup failed",
    r"mismatches client|(?:bad|invalid|unresolvable) (?:helo|ehlo)|(?:helo|ehlo) (?:command|name|host|argument|"
    r"rejected|is)|invalid (?:ip|domain name)|my name was rejected|server access (?:host )?forbidden|generic dns|"
    r"open proxy|open relay",
    r"poor reputation|your access to|sending mta|nemesis e?smtp service|smtp service not available|invalid fqdn"
    r"|connections? (?:will not be accepted|refused|not accepted)|(?:unable|refuse[sd]?|refusing) to accept "
    r"(?:connections|mail) from",
    r"(?:\bihre?|\bvotre|\bvotre adresse|\bsu|\bil (?:tuo|suo)|\bseu|\buw|\bваш|您的|你的|貴社の|お使いの) ?"
    r"(?:adresse ip|ip\b|ip-|server|mailserver|serveur|servidor|netz|domain|domaine|dominio|domínio|сервер|домен"
    r"|服务器|域名|サーバ)",
    # Yahoo, AOL, Comcast, Orange
    r"[(\[](?:con|rly|dyn|hvu|rtr|snd|dns|tss?|bl|ph|auth)[: ]?\w{0,3}\d\w?[)\]]|\b(?:bl|rl)\d{6}\b"
    r"|\bofr_?\d{0,3}_?(?:506|515|519|998|999)\b|permanently deferred|(?:service|connexion) refus|trop de (?:connexions"
    r"|messages|mails)",
    # Lists and reputation
    r"sperrliste|schwarze[nr]? liste|liste noire|lista (?:negra|nera)|ч[её]рн\w{2} спис|czarn\w{2,3} li|黑名单|黑名單"
    r"|ブラックリスト",
    r"\br?bls?\b|dnsbl|rbldns|blacklist|black list|block ?list|blocked (?:using|by|for|because|due|see|-|host)"
    r"|reputation|spam ?haus|is listed (?:in|on|at|by)|listed in (?:the )?(?:rbl|host)|denylist|banned",
    # Its authentication
    r"\bspf\b|\bdkim\b|\bdmarc\b|\barc\b fail|unauthenticated|authentication (?:checks?|failed|failure|required"
    r"|credentials|is required|results?)|not authenticated|authenticate first|(?:sasl|smtp) auth|no auth\b"
    r"|anti-?spoof|spoofed|starttls|tls (?:is )?required|must (?:use|issue) (?:a )?tls",
    # Relaying
    r"relay(?:ing)?[ -]*(?:access |is |was |mail |of )*(?:denied|not (?:permitted|allowed)|disallowed|prohibited|"
    r"refused"
    r"|attempt|to host)|(?:to|as a|not|no|unable to|permitted to|allowed to|cannot) relay(?:ing)?\b|allowed rcpthosts"
    r"|we do(?:n't| not) relay|not (?:an )?open relay",
    # Its content
    r"accept (?:delivery of )?(?:this|your) (?:message|mail|e-?mail)|pourriel|indésirable"
    r"|no deseado|спам\b|нежелательн|垃圾邮件|垃圾郵件|迷惑メール|スパム|ウイルス",
    r"\bspam(?!\w*@)|junk ?mail|\bunsolicited\b|\bube\b|\buce\b|bulk (?:e-?mail|mail|advert)|virus|malware|phish|"
    r"infected",
    r"content (?:rejected|denied|filter|is not|not|blocked|refused)|(?:unacceptable|banned|prohibited|suspicious) "
    r"content",
    r"(?:illegal|banned|executable) (?:attachment|file)|attachment (?:not|type|blocked|rejected)|header error",
    r"(?:message|mail|e-?mail) (?:content|was|is|has been|refused|rejected|not|contains|filtered|looks|blocked|"
    r"detected"
    r"|could not be accepted|appears)\b(?=.{0,60}(?:polic|content|filter|suspic|secur|complian|rfc|suspect|prohibit))",
    r"rfc ?(?:5322|2822|822|5321) ?(?:compliant|section|violation)|not (?:rfc )?compliant|non-compliant",
    # Policy
    r"(?:security|local|site|organization|spam|mail|content|domain'?s|message|dmarc|send(?:er|ing)) polic(?:y|ies)",
    r"polic(?:y|ies) (?:violation|reasons?|restrictions?|rejection|reject|that prohibit)|mailpolicy|by policy",
    r"reject due to policy|administrative(?:ly)? prohibit|greylist|grey-?list|graylist",
    r"\b(?:mi|dt|hl|rp|ip):[a-z]{3}\b",  # 163.com and its kin
    r"(?:senders?|you) (?:is |are )?not (?:allowed|authori[sz]ed|permitted)|isn't on the recipient's list",
    r"access denied, (?:bad|banned|traffic|spam)|banned send|bad outbound sender",
    r"not (?:accept(?:ing|ed)?|allowed|permitted|authori[sz]ed) .{0,40}(?:from your|from this|from the|ip addresses?)",
)
"""The sender, its network, its authentication or its content was refused, with any code."""

LISTS = _any(
    r"spamhaus|spamcop|sorbs|barracudacentral|uceprotect|psbl|surriel|senderscore|senderbase|abuseat|cloudmark"
    r"|groups\.google\.com/support|ipcheck\.proofpoint|dnsbl\.|\.rbl\.|//rbl|/rbl/|mimecast\.org|invaluement|"
    r"mailspike|truncate\.gbudb",
)
"""Block lists, and the reply of Google Groups to those who may not post. It is matched with hosts and links too."""

FULL = _any(
    r"(?:mail ?box|inbox|account|folder|storage|user|disk|recipient|maildir|file|space).{0,60}"
    r"(?:\bfull\b|exceed|over ?-?quota|out of (?:storage|space)|over (?:the |its |disk |allowed )*(?:quota|limit)"
    r"|used up)|\bfull mail ?box|mail ?box.{0,10}full|over ?-?quota|quota (?:exceed|violat|usage|full|is full|has)"
    r"|exceed\w*.{0,40}(?:quota|storage|allocat|mailbox|space|size)|quotaexceeded|boite .{0,30}pleine",
    r"insufficient (?:system |disk |mailbox )?(?:storage|disk|space)|not enough (?:storage|space|disk)|no space left",
    r"not sufficient .{0,10}space|too (?:large|big|much mail data)|larger than|message (?:size|length|file too big)"
    r"|over the (?:size|allowed)|exceeds? (?:the )?(?:maximum|fixed|limit|size)|mailfolder is full|mailbox is fu",
    r"(?:postfach|mailbox|mailkonto).{0,30}(?:voll|überfüllt)|buzón lleno|casella .{0,20}piena|ящик .{0,20}переполнен",
    r"caixa .{0,20}cheia|メールボックスが一杯",
)
"""The mailbox is full, or the message too large for it."""

RATE = _any(
    r"rate (?:limit|control|that)|rate-?limited|receiving mail (?:at a rate|too quickly)|frequency limited|throttl"
    r"|too (?:fast|frequent)|too many (?:concurrent|connection|message|mail|e-?mail|recipient|session|error|request|"
    r"invalid)"
    r"|(?:daily|hourly|sending|message) (?:sending |message |user )?(?:quota|limit)"
    r"|max(?:imum)? (?:emails|messages|number of)|exceed\w* .{0,30}(?:thread|connection|rate|messages|emails|per hour)"
    r"|try again slower|slow down|unusual rate|suspected bounce|deferred due to",
)
"""Too many messages at once; another time they would pass."""

NO_MAIL_DOMAIN = _any(
    r"null ?mx|does(?:n't| not) (?:receive|accept) (?:any )?(?:e-?mail|mail\b)(?! from| that| without)"
    r"|indicated no smtp service"
    r"|had no relevant answers|nonexistent ?domain|\bnxdomain\b|responded with code nxdomain",
    r"domain .{0,60}(?:could ?n[o']t be found|does ?n[o']t exist|does not exist|is not reachable|not found)"
    r"|domain name not found|no such (?:domain|host)",
    r"host (?:\S{0,80} )?not found|invalid domain\b"
    r"|(?:host|domain) unknown|unknown (?:host|domain)|could ?n[o']t find any host|illegal host/domain"
    r"|host found but no data record|unrout(?:e)?able (?:mail )?(?:address|domain)|all relevant mx records point to"
    r"|no mx (?:host|record)|no valid mx|mx .{0,30}(?:invalid|non-?existent)|bad destination (?:host|mailbox domain)",
    r"(?:recipient|destination) domain (?:must exist|not|is not|does|is unknown|is invalid)|find the recipient domain"
    r"|domain (?:mentioned .{0,30})?(?:is )?(?:invalid|unknown|not found)",
    r"(?:unbekannte|ungültige) domain|domaine inconnu",
)
"""The recipient's domain does not exist, or takes no mail at all."""

TRY_AGAIN = _any(r"try again|try later|temporar|\bretry\b")

_NOUN = r"(?:user ?name|user|recipient|mail ?box|account|address(?:ee|es)?|person|customer|alias|name|id|spectator)s?"
_WHO = rf"(?:(?:e-?mail|local|virtual|destination|delivery|smtp|your|the|this) ){{0,3}}{_NOUN}"
_MAILBOX_ABROAD = (
    rf"(?:{_RECIPIENT_ABROAD}|(?<!ip-)(?<!ip )adress(?!e ip)|\badres|konto|compte|cuenta|\bconta\b|dirección|indirizzo"
    r"|endereço|osoite|\bnaslov|\bcím\b|адрес|주소"
    r"|帳號|帐号|账号|郵箱|邮箱)"
)
NO_SUCH = _any(
    rf"no (?:such|valid|known|local|active|matching) {_WHO}|no ?such ?(?:user|recipient|mailbox)\b|nosuchuser",
    rf"no {_WHO} (?:by|with|of|found|here|exists?|available|matching|under)|no one at this address|no thank you "
    rf"rejected",
    rf"(?:unknown|inexistent|non-?existe?nt|undefined|illegal|invalid|bad|disabled|closed|inactive) (?:or (?:illegal|"
    rf"unknown|inactive) )?{_WHO}",
    r"(?:invalid|unknown)[ /]*(?:or )?(?:inactive )?(?:local[ -]?part|virtual user|e-?mail address)",
    rf"{_NOUN}.{{0,40}} (?:marked|flagged|listed|set|considered|reported) (?:as |to be )?(?:invalid|inactive|disabled"
    r"|unknown|non-?existent|undeliverable|closed|deleted|not valid)",
    rf"{_NOUN}(?: [\"'`(\[]?[\w.@<>+-]{{1,80}}[\"')\]]?)?[ :;,.()<>\"'-]*(?:is |was |are |were |seems? "
    rf"|has been |name |rejected: )*"
    r"(?:unknown|not (?:found|exist|known|valid|listed|recogni[sz]ed|present|defined|registered|active|our|a valid"
    r"|a known|an active|local|ok\b)|invalid|inactive|nonexistent|terminated|disabled|de-?activated|closed|deleted"
    r"|discontinued|removed|undeliverable|unlisted|no longer)",
    rf"{_NOUN}.{{0,80}}does(?:n't| not) (?:currently )?have an? ",
    rf"{_NOUN}.{{0,60}}(?:could ?n[o']t|can ?not|can't) be found|(?:could ?n[o']t|cannot|can't|unable to) find "
    rf".{{0,30}}{_WHO}",
    r"(?:is not|not|isn't) (?:a |an |any )?(?:valid|known|existing|active|local|registered) (?:e-?mail |local |smtp )*"
    r"(?:user|recipient|mailbox|account|address|person)|not (?:our|a local) (?:user|customer|address|recipient)",
    rf"{_ABSENT}|{_WHO} not exist|may contain a non-existent|possibly incorrect",
    r"(?:e-?mail )?account (?:that you tried to reach )?.{0,40}(?:is |has been |was )(?:disabled|inactive|closed|"
    r"deleted"
    r"|suspended|terminated|deactivated|discontinued)|mailbox .{0,30}(?:is |has been )?(?:disabled|inactive|"
    r"deactivated)",
    r"recip(?:ient)? ?not ?found|recipnotfound|recipientnotfound|user ?unknown|unknown ?user|not present in directory",
    r"no longer (?:on|at|with|in use|valid|accepts|available|active|exists|a valid|works|employed)|has moved|hasmoved",
    r"not in my (?:validrcptto|list of (?:valid|known))|in my bad(?:rcptto|recipientto)|badrcptto|bad recipient"
    r"|not in name directory|recipient(?:'s)? name is not recogni[sz]ed|e-?mail name is not found|is not accepted "
    r"here",
    r"address(?:ee)? (?:not present|incorrect|wrong)|wrong or no longer|incorrect (?:recipient|address)|address not "
    r"found",
    r"user (?:is |has been )?(?:suspended|locked|inactive|terminated)|user missing home|destination addresses were "
    r"unknown",
    # Other languages
    rf"{_MAILBOX_ABROAD}.{{0,30}}?(?:{_UNKNOWN_ABROAD}|gelöscht|deaktiviert)",
    rf"(?:{_UNKNOWN_ABROAD})\S{{0,4}} ?(?:{_RECIPIENT_ABROAD})",
    r"kein(?:e[nrs]?)? (?:solche[nrs]? |passende[nrs]? |gültige[nrs]? |bekannte[nrs]? )?(?:benutzer|empfänger|nutzer"
    r"|postfach|konto|adresse|mailbox|adressat|teilnehmer|e-?mail-?adresse)\b",
    r"(?:pas d[e']|aucune?) ?(?:telle? )?(?:utilisateur|boîte|boite|destinataire|adresse|compte)|nessun utente",
    r"no (?:existe|hay) (?:ning[uú]n |tal |el |la |ese |dicha )?(?:usuario|buzón|cuenta|destinatario)",
    r"geen (?:zodanige |dergelijke )?(?:gebruiker|ontvanger|postbus)|nie ma takiego|kullanıcı .{0,20}yok"
    r"|нет такого пользователя|(?:没有|沒有|無此|查无)(?:此|该|這個|这个)?(?:用户|使用者|邮箱|收件人|帳號|账号)",
)
"""There is no such mailbox."""

NO_SUCH_AT_RCPT = _any(
    r"mail ?box (?:is )?un(?:available|avaiable)|mailbox not available|account unavailable"
    r"|(?:address|recipient)(?:es|s)? (?:was |is )?rejected(?!: ?\w)|rejected recipient|recipient is not accepted|"
    r"not a valid mail|unable to deliver to this",
)
"""Replies about an unknown mailbox. After the server has read the message, they may have other reasons."""

AFTER_DATA = _any(r"(?:after|end of|reply to(?: end of)?|for) (?:end of )?(?:data|text|message body)\b|end of data")

UNWANTED = _any(
    r"recipient preferences|user rules|only accept\w* mail from|refuse[sd]? to (?:receive|accept)|not accepting "
    r"(?:any )?mail"
    r"|blocked by the recipient|restricted|not ?authori[sz]ed ?(?:for|to)|members-only|closed mailing list|rejected "
    r"by user"
    r"|temporar(?:y|ily) (?:inactive|suspended|locked|disabled|unavailable)|frozen|account is blocked|unavailable "
    r"or access denied",
)
"""The mailbox is there, and its owner or group does not take this."""

REFUSED = _any(
    r"\bpolicy\b|\bblocked\b|(?:mail|message) (?:was |is |has been )?(?:rejected|refused|rejete)|\bspam|not "
    r"authori[sz]ed|prohibited|protocol violation|reject, id=|refused to talk",
)
ACCESS_DENIED = _any(r"access (?:is )?denied|permission denied|\bdenied\b")
