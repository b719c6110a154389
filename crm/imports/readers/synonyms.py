"""Headers that exports use for columns, in the languages of people's spreadsheets.

English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Ukrainian and Czech. Swedish, Danish,
Norwegian, Finnish, Turkish, Hungarian, Romanian, Japanese, Chinese and Korean.
"""

from __future__ import annotations

from crm.imports.readers.words import split_phrases

FIRST_NAME, LAST_NAME = "firstName", "lastName"
AREA_CODE = "areaCode"
"""The target of the column that holds the area codes of the numbers in the column next to it."""

# Headers that are the parts of a name only next to each other.
BARE_NAMES: dict[str, frozenset[str]] = {
    FIRST_NAME: split_phrases("""
        first, given, f name, 1st name, name first, contact first, customer first, client first, person first, vor,
        erster, primer, primero, primo, eerste, voor
    """),
    LAST_NAME: split_phrases("""
        last, family, l name, 2nd name, name last, contact last, customer last, client last, person last, nach,
        letzter, último, ultimo, laatste, achter
    """),
}
SIMPLE_NAMES: frozenset[str] = split_phrases("""
    name, nom, nombre, nome, naam, imię, имя, ім'я, jméno, namn, navn, nimi, isim, ad, név, nume, contact name,
    customer name, client name
""")
"""Headers that may mean a part of the name."""

# Whole headers.
SYNONYMS: dict[str, frozenset[str]] = {
    "name": split_phrases("""
        name, full name, fullname, contact, contact name, person, person name, customer, customer name, client,
        client name, display name, lead name, ansprechpartner, kontakt, kontaktname, kunde, kundenname,
        vollständiger name, vor und nachname, nom complet, nom et prénom, prénom et nom, nom du contact,
        nombre completo, nombre y apellidos, nombre y apellido, contacto, nombre del contacto, cliente, nome completo,
        nome e cognome, cognome e nome, nominativo, contatto, nome do contato, nome do contacto, contato, naam,
        volledige naam, contactpersoon, contactnaam, klant, klantnaam, imię i nazwisko, nazwisko i imię, pełne imię,
        имя и фамилия, фамилия и имя, фио, полное имя, контакт, контактное лицо, клиент, піб, повне ім'я,
        ім'я та прізвище, jméno a příjmení, příjmení a jméno, celé jméno, fullständigt namn, namn, för och efternamn,
        kontaktperson, navn, fulde navn, fullt navn, for og efternavn, for og etternavn, nimi, koko nimi, ad soyad,
        adı soyadı, isim soyisim, tam ad, müşteri, kişi, név, teljes név, nume complet, nume și prenume, 氏名, お名前,
        名前, 担当者名, 姓名, 全名, 联系人, 聯絡人, 联系人姓名, 客户姓名, 이름, 성명, 성함, 담당자
    """),
    FIRST_NAME: split_phrases("""
        first name, firstname, given name, forename, fname, vorname, rufname, prénom, nombre, nombres, nombre de pila,
        primer nombre, nome, nome proprio, primeiro nome, nome próprio, voornaam, roepnaam, imię, имя, ім'я, jméno,
        křestní jméno, förnamn, tilltalsnamn, fornavn, etunimi, ad, adı, isim, keresztnév, utónév, prenume, 名,
        名前 名, 名字, 이름 명
    """),
    LAST_NAME: split_phrases("""
        last name, lastname, surname, family name, lname, nachname, familienname, zuname, nom, nom de famille,
        apellido, apellidos, primer apellido, cognome, sobrenome, apelido, último nome, achternaam, familienaam,
        nazwisko, фамилия, прізвище, příjmení, efternamn, efternavn, etternavn, sukunimi, soyad, soyadı, soyisim,
        vezetéknév, családnév, nume de familie, nume, 姓, 苗字, 名字 姓, 姓氏, 성
    """),
    "email": split_phrases("""
        email, e mail, mail, email address, e mail address, mail address, emailaddress, primary email, work email,
        business email, e mail adresse, email adresse, emailadresse, mailadresse, mail adresse, adresse e mail,
        adresse email, adresse mail, courriel, adresse électronique, correo, correo electrónico, direccion de correo,
        dirección de correo electrónico, dirección de email, posta elettronica, indirizzo email, indirizzo e mail,
        indirizzo di posta elettronica, endereço de email, endereço de e mail, correio eletrônico, correio electrónico,
        e mailadres, emailadres, mailadres, adres email, adres e mail, poczta elektroniczna, poczta, почта,
        электронная почта, эл почта, адрес электронной почты, имейл, емейл, електронна пошта, пошта, emailová adresa,
        e mailová adresa, e pošta, e post, epost, e postadress, epostadress, mejl, mejladress, mailadress,
        e postadresse, epostadresse, sähköposti, sähköpostiosoite, e posta, eposta, e posta adresi, eposta adresi,
        email cím, e mail cím, adresă de email, adresa de email, メール, メールアドレス, eメール, 電子メール, 邮箱,
        电子邮箱, 电子邮件, 邮件地址, 邮箱地址, 電子郵件, 電子信箱, 이메일, 이메일 주소, 메일, 메일주소, 전자우편
    """),
    "countryCode": split_phrases("""
        country code, countrycode, phone country code, country prefix, country dial code, country calling code, isd
        code, international prefix, ländervorwahl, laendervorwahl, landesvorwahl, landesvorwahlnummer, vorwahl land,
        internationale vorwahl, indicatif pays, indicatif du pays, indicatif international, prefijo internacional,
        prefijo país, código de país, código país, prefisso internazionale, prefisso paese, código do país, ddi,
        indicativo do país, landcode, landnummer, landencode, kod kraju, код страны, код країни, mezinárodní
        předvolba, landskod, landsnummer, landekode, landskode, maanumero, maakoodi, ülke kodu, országkód, országhívó,
        prefix țară, cod țară, 国番号, 国コード, 国际区号, 国家区号, 國碼, 국가번호, 국가 코드
    """),
    AREA_CODE: split_phrases("""
        area code, areacode, phone area code, telephone area code, phone area, std code, trunk code, local prefix,
        ortsvorwahl, ortskennzahl, onkz, vorwahl ort, vorwahlnummer ort, indicatif régional, indicatif local,
        indicatif de zone, código de área, código area, cod área, prefijo local, prefijo provincial, prefisso locale,
        prefisso teleselettivo, prefisso urbano, ddd, indicativo regional, indicativo de zona, netnummer, netnr,
        kengetal, zonenummer, zonenr, riktnummer, riktnr, retningsnummer, områdenummer, områdekode, suuntanumero,
        suuntanro, kierunkowy miasta, strefa numeracyjna, numer strefy, код города, код міста, телефонный код города,
        místní předvolba, oblastní předvolba, alan kodu, şehir kodu, körzetszám, prefix local, prefix zonal, 市外局番,
        地区区号, 城市区号, 지역번호
    """),
    "number": split_phrases("""
        number, phone, phone number, phonenumber, phone no, telephone, telephone number, tel, tel no, tel nr, mobile,
        mobile number, mobile phone, mobile phone number, mobile no, mobilenumber, cell, cell phone, cellphone,
        cell number, cellular, contact number, contact no, whatsapp, whatsapp number, primary phone, work phone,
        business phone, direct phone, telefon, telefonnummer, telefon nr, telefonnr, rufnummer, handy, handynummer,
        handy nr, mobil, mobilnummer, mobiltelefon, mobilfunk, mobilfunknummer, festnetz, numéro, numéro de téléphone,
        no de telephone, portable, telephone portable, téléphone mobile, numéro de portable, teléfono, teléfono móvil,
        número de teléfono, móvil, celular, número de celular, número de contacto, telefono, numero di telefono,
        telefono cellulare, cellulare, numero di cellulare, recapito telefonico, telefone, número de telefone,
        telemóvel, telefone celular, fone, telefoon, telefoonnummer, mobiele telefoon, mobiel, mobiel nummer, gsm,
        gsm nummer, numer telefonu, nr telefonu, telefon komórkowy, komórka, nr tel, телефон, номер телефона,
        мобильный, мобильный телефон, сотовый, номер, номер телефону, мобільний телефон, мобільний, telefonní číslo,
        číslo telefonu, mobilní telefon, mobilní číslo, mobilnr, telefonnumre, tlf, tlf nr, mobiltlf, puhelin,
        puhelinnumero, matkapuhelin, gsm numero, telefon numarası, telefon no, cep telefonu, cep, cep no, telefonszám,
        mobiltelefonszám, mobilszám, număr de telefon, număr telefon, telefon mobil, 電話, 電話番号, 携帯, 携帯電話,
        携帯番号, 携帯電話番号, 电话, 电话号码, 手机, 手机号, 手机号码, 联系电话, 電話號碼, 手機, 手機號碼, 聯絡電話,
        전화, 전화번호, 휴대폰, 휴대폰 번호, 휴대전화, 핸드폰, 연락처
    """),
    "tags": split_phrases("""
        tag, tags, label, labels, categories, kategorien, catégories, categorías, categorieën, kategorier,
        kategoriat, категории, kategóriák, group membership, groups, contact groups, schlagwort, schlagworte,
        schlagwörter, etikett, etiketten, étiquette, étiquettes, mots clés, etiqueta, etiquetas, etichetta, etichette,
        marcadores, trefwoorden, tagi, etykieta, etykiety, znaczniki, тег, теги, метки, метка, мітки, štítky, štítek,
        taggar, etiketter, märken, mærker, merker, tunnisteet, etiketler, etiket, címkék, címke, etichete, タグ, ラベル,
        标签, 標籤, 태그, 라벨
    """),
    "notes": split_phrases("""
        note, notes, comment, comments, remarks, notiz, notizen, bemerkung, bemerkungen, anmerkung, anmerkungen,
        kommentar, kommentare, remarque, remarques, commentaire, commentaires, nota, notas, comentario, comentarios,
        observaciones, observações, comentários, commenti, annotazioni, osservazioni, notities, notitie, opmerking,
        opmerkingen, notatka, notatki, uwagi, komentarz, заметка, заметки, примечание, примечания, комментарий,
        комментарии, нотатки, примітки, коментар, poznámka, poznámky, komentář, anteckning, anteckningar, kommentarer,
        noter, notat, notater, muistiinpanot, huomautus, huomautukset, not, notlar, açıklama, yorum, megjegyzés,
        megjegyzések, notițe, observații, 備考, メモ, ノート, 备注, 備註, 笔记, 비고, 메모
    """),
}

EITHER_CODE: frozenset[str] = split_phrases("""
    prefix, phone prefix, telephone prefix, number prefix, dial code, dialing code, dialling code, calling code,
    phone code, telephone code, dial prefix, dialling prefix, vorwahl, vorwahlnummer, vorwahl nr, telefonvorwahl,
    tel vorwahl, rufnummer vorwahl, indicatif, indicatif téléphonique, préfixe, préfixe téléphonique, prefijo,
    prefijo telefónico, prefisso, prefisso telefonico, prefixo, prefixo telefônico, indicativo, indicativo telefónico,
    kierunkowy, numer kierunkowy, nr kierunkowy, prefiks, префикс, телефонный код, код телефона, телефонний код,
    předvolba, telefonní předvolba, předčíslí, telefon kodu, előhívó, prefix telefonic, etunumero, 区号, 區號,
    局番, 지역 번호
""")
"""Headers of either a country's or an area's code: only the values decide which, if any. Prefix may be a title."""
VAGUE_CODE: frozenset[str] = split_phrases("prefix, préfixe, prefixo, prefiks, префикс")
"""Those of them that may be codes of anything, so that digits alone do not make them an area's."""

# Headers with one of these words and none of those that change the meaning.
WORDS: dict[str, frozenset[str]] = {
    "email": split_phrases("""
        email, mail, emails, courriel, correo, emailadresse, mailadresse, emailadres, epost, epostadress, eposta, mejl,
        sähköposti, почта, почты, пошта
    """),
    "number": split_phrases("""
        phone, phones, telephone, tel, mobile, cell, cellphone, telefon, handy, mobil, teléfono, móvil, celular,
        whatsapp, portable, téléphone, telefonnummer, handynummer, mobilnummer, mobiltelefon, rufnummer, cellulare,
        telefone, telemóvel, telefoon, telefoonnummer, mobiel, gsm, telefonu, komórka, komórkowy, телефон, телефона,
        телефону, мобильный, мобільний, сотовый, telefonní, tlf, puhelin, puhelinnumero, matkapuhelin, cep, telefonszám
    """),
}
# Parts of headers in languages that write words without spaces.
PARTS: dict[str, tuple[str, ...]] = {
    "email": tuple(split_phrases("メール, 邮箱, 邮件, 電子郵件, 信箱, 이메일")),
    "number": tuple(split_phrases("電話, 携帯, 电话, 手机, 手機, 전화, 휴대폰, 핸드폰")),
}
OTHER_MEANING: frozenset[str] = split_phrases("""
    opt, in, out, optin, optout, status, verified, consent, date, type, subject, template, sent, bounced, bounce,
    owner, count, id, list, open, opened, click, clicked, score, extension, ext, time, provider, valid, fax, label,
    unsubscribed, code, prefix, einwilligung, datum, betreff, versendet, vorwahl, statut, fecha, estado, telefax,
    pager, telex, tty, tdd, isdn, marketing, newsletter, domain, invalid, quarantined, preference, preferred, allowed,
    typ, tipo, stato, data, тип, статус, дата, факс, faks, faxe, faxnummer, 传真, fax番号, permission, source, hash,
    name, display, created, modified, updated
""")
OTHER_PARTS: tuple[str, ...] = tuple(
    split_phrases(
        "ファックス, ファクス, fax, 传真, 傳真, 팩스, 区号, 国番号, 配信, 状態, 同意, 区分, 種別, 类型, 日期, 日付"
    )
)

# Columns of somebody else than the person: whole words, beginnings of words, phrases, and parts of Eastern headers.
OTHERS_WORDS: frozenset[str] = split_phrases("""
    boss, wife, husband, mother, father, mom, dad, parent, parents, child, children, son, daughter, sibling, brother,
    sister, guardian, kin, owner, rep, salesperson, agent, partner, partners, reply, replyto, urgence, chef, frau,
    ehemann, ehefrau, mutter, vater, eltern, kinder, padre, madre, hijo, hija, esposo, esposa, mari, épouse, époux,
    mère, père, fils, fille, marito, moglie, figlio, figlia, mãe, pai, filho, filha, marido, cônjuge, coniuge, cónyuge,
    conjoint, conjointe, partnerin, partenaire, pareja, parceiro, parceira, eigenaar, właściciel, właściciela, mąż,
    żona, matka, ojciec, dziecko, жена, муж, мать, отец, мама, папа, ребенок, родитель, manžel, manželka, otec, mamma,
    pappa, förälder, hustru, eş, eşi, baba, çocuk, vlastník, ägare, ejer, eier, omistaja, sahibi, eigentümer, inhaber,
    inhaberin, propriétaire, propietario, proprietario, proprietário, владелец, власник, billing, invoice, invoicing,
    rechnung, rechnungs, facturation, facturación, fatturazione, faturamento, facturatie, switchboard, zentrale,
    centralino, centralita, växel, omstilling, sentralbord, centrala, ústředna, santral, vaihde, jefe, capo, chefe,
    șef, acil, deputy, substitute, landlord, landlady, guarantor, vertreter, vertreterin, vertretung, vermieter,
    vermieterin, bürge, suppléant, suppléante, bailleur, garant, suplente, arrendador, casero, fiador, avalista,
    garante, supplente, senhorio, plaatsvervanger, plaatsvervangend, vervanger, verhuurder, huisbaas, zastępca,
    zastępcy, wynajmujący, poręczyciel, заместитель, заместителя, арендодатель, поручитель, заступник, орендодавець,
    zástupce, pronajímatel, ručitel, ställföreträdare, hyresvärd, borgensman, stedfortræder, udlejer, stedfortreder,
    utleier, kausjonist, sijainen, varahenkilö, vuokranantaja, takaaja, vekil, vekili, kefil, helyettes, bérbeadó,
    kezes, locțiitor, înlocuitor, proprietar, girant
""")
OTHERS_STEMS: tuple[str, ...] = tuple(
    split_phrases("""
        assist, asst, asist, assyst, asyst, avustaja, manager, supervis, superior, spous, emergenc, emergên, notfall,
        notruf, refer, empfehl, empfohl, vorgesetz, ehepart, ehegatt, sekret, secret, leidinggevend, noodge, noodnum,
        noodcon, kierownik, przełożon, menedż, małżon, awaryj, polecaj, polecon, ассистент, помощник, помічник,
        руководител, менеджер, начальник, секретар, супруг, экстренн, екстрен, рекоменд, vedouc, nadřízen, nouzov,
        tísňov, doporuč, nödfall, nödkontakt, nödsfall, nødkontakt, nødstil, esimies, hätäyht, yönetici, müdür,
        referans, asszisztens, vezető, főnök, házastárs, vészhely, urgenț, gerente, supérieur, responsab, segretar,
        stellvertret, nabesta, naaste
    """)
)
OTHERS_PHRASES: tuple[str, ...] = tuple(
    split_phrases("""
        company main, company phone, company telephone, company email, company fax, main company, account phone,
        account owner, account email, sales rep, account manager, referred by, reply to, next of kin,
        in case of emergency, firmentelefon, telefon firma, firma telefon, hauptnummer firma, standard téléphonique,
        numéro du standard, hauptnummer, en caso de, antwort an, antwortadresse, répondre à, responder a, rispondi a,
        recommended by, recommandé par, recomendado por, raccomandato da, emergency, contact of, kontakt von,
        contact de la, help desk, front desk, call center, call centre, customer care, nächste angehörige,
        nächster angehöriger, proche parent, personne à prévenir, familiar más cercano, parente prossimo,
        parente mais próximo, nærmeste pårørende, närmast anhörig, närmaste anhörig, pårørende, lähiomainen,
        lähin omainen, najbliższa rodzina, ближайший родственник, nejbližší příbuzný, en yakın akraba,
        legközelebbi hozzátartozó
    """)
)
OTHERS_PARTS: tuple[str, ...] = tuple(
    split_phrases("""
        アシスタント, 秘書, 上司, マネージャ, 配偶者, 緊急, 紹介, 返信, 会社代表, 代表電話, 代表番号, 保護者, 家族,
        担当営業, 所有者, 作成者, 更新者, 助理, 秘书, 经理, 經理, 主管, 配偶, 紧急, 推荐, 推薦, 介绍, 介紹, 回复, 回覆,
        总机, 總機, 家长, 家長, 所有人, 创建, 修改, 비서, 상사, 매니저, 배우자, 비상, 긴급, 추천, 소개, 회신, 대표전화,
        대표번호, 보호자, 소유자
    """)
)

# Words and beginnings of words of others than the person, if an address or number stands in the column; else it says
# something about the person, as "School" does.
OFFICES_WORDS: frozenset[str] = split_phrases("""
    support, service, services, hotline, helpline, helpdesk, backup, reception, receptionist, broker, doctor,
    physician, dentist, hospital, clinic, pharmacy, school, teacher, tutor, kindergarten, nursery, lawyer, attorney,
    solicitor, accountant, accounting, accounts, insurer, insurance, caregiver, carer, neighbour, neighbor, friend,
    fiancé, fiancée, supplier, vendor, reseller, empfang, rezeption, makler, maklerin, arzt, ärztin, hausarzt,
    zahnarzt, krankenhaus, schule, lehrer, lehrerin, anwalt, anwältin, rechtsanwalt, steuerberater, buchhaltung,
    versicherung, lieferant, nachbar, pflegedienst, kita, accueil, assistance, courtier, médecin, docteur, hôpital,
    école, avocat, comptable, comptabilité, assureur, assurance, fournisseur, voisin, soporte, servicio, recepción,
    corredor, médico, doctora, escuela, colegio, abogado, contable, contabilidad, seguro, aseguradora, proveedor,
    vecino, respaldo, ricevimento, assistenza, supporto, servizio, mediatore, medico, dottore, ospedale, scuola,
    avvocato, commercialista, contabilità, assicurazione, fornitore, vicino, suporte, serviço, recepção, corretor,
    corretora, escola, advogado, contador, contabilidade, seguradora, fornecedor, vizinho, receptie, makelaar, arts,
    huisarts, tandarts, ziekenhuis, advocaat, boekhouding, verzekering, leverancier, buurman, klantenservice, wsparcie,
    serwis, infolinia, recepcja, recepcji, pośrednik, lekarz, lekarza, szpital, szkoła, szkoły, prawnik, księgowość,
    księgowa, dostawca, sąsiad, поддержка, поддержки, сервис, приемная, приёмная, приемной, брокер, агент, агента,
    врач, врача, больница, школа, школы, юрист, адвокат, бухгалтерия, бухгалтер, поставщик, сосед, підтримка,
    підтримки, сервіс, приймальня, лікар, лікаря, бухгалтерія, podpora, podpory, servis, recepce, makléř, lékař,
    lékaře, nemocnice, škola, školy, právník, účetní, dodavatel, soused, kundtjänst, växeln, mäklare, läkare, doktor,
    sjukhus, skola, skolan, advokat, bokföring, leverantör, granne, kundeservice, mægler, læge, lægen, skole, skolen,
    sagfører, bogholderi, leverandør, nabo, resepsjon, lege, fastlege, megler, regnskap, tuki, asiakaspalvelu,
    vastaanotto, välittäjä, lääkäri, koulu, asianajaja, kirjanpito, toimittaja, naapuri, destek, resepsiyon,
    komisyoncu, emlakçı, doktoru, hastane, okul, okulu, avukat, muhasebe, sigorta, tedarikçi, komşu, ügyfélszolgálat,
    recepció, bróker, ügynök, orvos, háziorvos, kórház, iskola, ügyvéd, könyvelés, könyvelő, biztosító, beszállító,
    szomszéd, suport, asistență, recepție, doctorul, spital, școală, contabil, contabilitate, asigurare, furnizor,
    vecin
""")
OFFICES_STEMS: tuple[str, ...] = tuple(
    split_phrases("""
        supporttel, supportnum, supportmail, servicetel, servicenum, servicemail, servicehotline, hotlinenum,
        supporthot, kundendienst, kundenservice, empfangstel, empfangsnum, maklertel, arzttel, arztnum, schultel,
        schulnum, schulmail, anwaltstel, schooltel, schoolnum, supportnr, supporttlf, kundtjänst, kundeservice,
        skoletel, skoltel, lægetel
    """)
)
OFFICES_PARTS: tuple[str, ...] = tuple(
    split_phrases("""
        サポート, サービス, 受付, 窓口, ヘルプ, ホットライン, 代理, 医師, 病院, 学校, 先生, 弁護士, 保証人, 大家, 仲介,
        客服, 支持, 服务, 服務, 热线, 熱線, 前台, 代表, 医生, 醫生, 医院, 醫院, 學校, 老师, 老師, 律师, 律師, 担保人,
        擔保人, 房东, 房東, 中介, 고객센터, 지원, 서비스, 접수, 안내, 대리, 의사, 병원, 학교, 선생, 변호사, 보증인,
        집주인, 중개
    """)
)

# Columns that a program writes itself: its ids, and who made or changed the record when.
SYSTEM: frozenset[str] = split_phrases("""
    id, _id, uid, uuid, guid, record id, contact id, lead id, deal id, account id, owner id, object id, external id,
    customer id, created at, created by, created on, created date, created time, creation date, create date,
    date created, date added, added on, updated at, updated by, updated on, modified at, modified by, modified time,
    modified date, last modified, last modified date, last modified by, last modified time, date modified,
    last updated, last activity time, last activity date, last changed, optin time, confirm time, leid, euid,
    import id, record source, object source, erstellt am, erstellt von, erstellungsdatum, geändert am, geändert von,
    zuletzt geändert, créé le, créé par, modifié le, modifié par, date de création, fecha de creación, creado por,
    creado el, modificado por, modificado el, creato il, creato da, modificato il, modificato da, criado em,
    criado por, aangemaakt op, aangemaakt door, gewijzigd op, data utworzenia, utworzono, zmodyfikowano, дата создания,
    создано, изменено, skapad, skapad av, ändrad, oprettet, opprettet, endret, vytvořeno, změněno, oluşturulma tarihi,
    作成日, 作成日時, 更新日, 更新日時, 创建时间, 修改时间, 更新时间
""")
OWN_EXPORT: frozenset[str] = frozenset({"_id", "createdAt", "isDeleted"})
"""Columns by which an own export of records is known."""
OWN_SYSTEM: frozenset[str] = frozenset({"contactNumber", "unsubscribed", "unsubscribedAt", "repliedAt", *OWN_EXPORT})
"""Its columns that only the service writes, and those of records that it refers to (`createdBy.name`)."""
