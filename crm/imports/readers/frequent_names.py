"""Frequent names of people and places, which CLDR does not have, as evidence for the language of a text."""

from __future__ import annotations

FREQUENT_NAMES = {
    "de": """
        müller jürgen jörg björn günter günther käthe schäfer schröder krüger köhler könig böhm groß weiß strauß voß
        größe straße grün bäcker jäger möller förster götz häfner körner österreich münchen köln düsseldorf nürnberg
        würzburg lübeck
    """,
    "fr": """
        cœur sœur bœuf œuvre œuilly lœuvre vœu nœud
        rené andré hélène françois françoise jérôme sébastien frédéric stéphane cécile noël joël zoé chloé léa théo
        eléonore lefèvre gérard michèle benoît loïc gaël anaïs jérémy aurélie évelyne besançon orléans nîmes société
        église
    """,
    "es": """
        garcía rodríguez gonzález fernández lópez martínez sánchez pérez gómez martín jiménez hernández díaz muñoz
        álvarez romero gutiérrez núñez íñigo peña maría josé jesús ángel sofía lucía andrés raúl óscar víctor málaga
        león cádiz españa
    """,
    "pt": """
        joão josé antónio antônio luís conceição inês gonçalves simões guimarães magalhães araújo brandão graça são
        évora ferrão falcão patrícia cláudia fátima mónica sérgio fábio césar
    """,
    "it": """
        nicolò niccolò forlì cantù città carità mondovì alò patanè carrù salò libertà società perché nardò marì calì
        fabbrì
    """,
    "sv": """
        åsa sjöberg björn göran örebro malmö hägg märta lindström bergström åkesson öberg söderberg håkansson
        strömberg sjögren nyström åström hedström jönsson mårtensson hjälm göteborg västerås jönköping skåne
    """,
    "da": """
        sørensen jørgensen jørgen bjørn møller kjær nørgaard ødegaard ågård århus søren lærke østergaard bødker
        præstø køge
    """,
    "nb": """
        øyvind bjørn håkon ødegård bråten sørli åsen tromsø bodø ålesund hønefoss strøm lønn
    """,
    "fi": """
        mäkinen hämäläinen järvinen lehtimäki pöyhönen väisänen jyväskylä hyvinkää
    """,
    "pl": """
        łukasz paweł michał małgorzata wiśniewski wójcik kamiński zieliński szymański woźniak kozłowski dąbrowski
        piotrowski łódź gdańsk poznań kraków wrocław świętosław żółkiewski żaneta józef stanisław władysław górski
        wróbel
    """,
    "cs": """
        jiří tomáš ondřej lukáš novák dvořák dvořáková černý procházka kučera veselý horák němec růžička růžena žďár
        plzeň české budějovice věra božena žofie šárka šimon
    """,
    "sk": """
        ján jozef horváth kováč tóth nagy baláž molnár ľubomír žilina košice prešov
    """,
    "hu": """
        kovács szabó tóth nagy horváth győző győr ödön ágnes erzsébet szűcs gergő lászló zoltán jános ferenc pécs
        székesfehérvár hódmezővásárhely fő út kálmán tér gábor dóra réka
    """,
    "ro": """
        ştefan ţepeş brăila iaşi ioniţă bălan târgu mureş constanţa popescu gheorghiţă stănescu vasilică dănilă
        rădulescu
    """,
    "hr": """
        horvat kovačević babić marić jurić novak kovačić knežević vuković marković petrović đorđe šime željko
        čakovec šibenik ivančić božić žarko
    """,
    "sl": """
        novak krajnc zupančič kovačič žagar šuštar mlakar božič črnomelj škofja
    """,
    "tr": """
        yılmaz kaya demir şahin çelik yıldız yıldırım öztürk aydın özdemir arslan doğan kılıç aslan çetin kara koç
        kurt özkan şimşek ayşe çağla gökhan ışık muğla eskişehir istanbul ağrı diyarbakır oğuz uğur
    """,
    "lt": """
        kazlauskas kazlauskienė jonynaitė čepaitis žemaitis rūta šiauliai žukauskas šimkus jūratė živilė eglė
        klaipėda
    """,
    "lv": """
        bērziņš kalniņš ozoliņš jānis līga rīga ķemeri krūmiņš zariņš dāvis māra jūrmala liepiņš
    """,
    "et": """
        mägi tõnu pärnu jüri võru kärt õunapuu õispuu põld mäe rõõm sõber küla jõgi tänav
    """,
    "vi": """
        nguyễn trần lê phạm hoàng huỳnh phan vũ võ đặng bùi đỗ hồ ngô dương lý văn thị hùng dũng hà nội đường
    """,
    "ru": """
        иванов петров сидоров смирнов кузнецов сергей дмитрий юлия анна екатерина щербаков улица москва
    """,
    "uk": """
        шевченко ковальчук бондаренко олена андрій їжакевич київ львів запоріжжя юлія євген
    """,
    "el": """
        παπαδόπουλος γιώργος γεωργίου νικολάου δημήτρης κωνσταντίνος ελένη μαρία αθήνα θεσσαλονίκη οδός
    """,
    "he": """
        כהן לוי מזרחי פרץ ביטון דוד משה שרה יעקב אברהם חיפה רחוב
    """,
    "ar": """
        محمد أحمد علي فاطمة عبد الله حسن حسين خالد مريم القاهرة بغداد شارع
    """,
    "th": """
        สมชาย สมหญิง ประเสริฐ ใจดี สุชาติ วิชัย ถนน
    """,
}
"""Language -> names in small letters."""

# Scripts of thousands of signs.
FREQUENT_SIGNS = {
    "zh": """
        王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑罗梁谢宋唐许韩冯邓曹彭曾萧田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚
        卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤伟
        芳娜秀英敏静丽强磊军洋勇艳杰娟涛明超霞平刚桂华玉兰红小文建国志海春梅雪波宇浩然子涵欣怡晨佳俊峰飞鹏燕
        琳慧莉萍玲凤云辉斌健龙新生光东北京上海广州深圳市区省县镇街路号杭南西安成都重庆天津武汉公司有限科技集
        团中国
    """,
    "zh_Hant": """
        陳林黃張李王吳劉蔡楊許鄭謝郭洪曾邱廖賴周徐蘇葉莊呂江何蕭羅高潘簡朱鍾彭游詹胡施沈余盧趙梁顏柯翁魏孫戴
        范方宋鄧杜侯曹溫傅薛丁馬蔣連唐美淑雅志明俊家豪怡君惠玲芬婷偉雄文華玉秀英麗珍芳宏建國小子台北新高雄中
        南市區路街號義信東西香港縣鎮公司有限
    """,
    "ja": """
        佐藤鈴木高橋田中渡辺伊山本村小林加吉々松井上清水斎斉池阿部森石川前岡長谷後近遠青西福太三岩原宮坂酒内
        竹今金安島崎野大和久新田郎花子一美男二三雄介健翔優香恵裕真由奈直樹明智東京大阪都区市町村県株式会社有
        限名古屋横浜札幌福岡神戸京都丁目番号
    """,
    "ko": """
        김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민진나지엄채원천방공현함
        변염여추도소석선설마길준영수호은경철희미아연정재상동훈혜숙자순인규태승빈예린시서울부산대구인천광주전
        울산로길번지특별광역주식회사
    """,
}
"""Language -> the signs that names, towns and firms consist of."""
