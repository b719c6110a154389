"""The head of mails with pictures: resets of mail programs, and pictures that fit narrow screens and paper.

A page of less than 3,200 bytes with a picture is a sign of spam to SpamAssassin (HTML_IMAGE_ONLY). With this head no
page with a picture is that short, also where the only picture is the one that counts opens.
"""

_META = (
    '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">',
    '<meta http-equiv="X-UA-Compatible" content="IE=edge">',
    '<meta name="x-apple-disable-message-reformatting">',
    '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">',
    '<meta name="color-scheme" content="light">',
    '<meta name="supported-color-schemes" content="light">',
    # Outlook scales pictures by the screen's resolution unless it is given one.
    '<!--[if mso]><xml xmlns:o="urn:schemas-microsoft-com:office:office"><o:OfficeDocumentSettings><o:AllowPNG/>'
    "<o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml>"
    "<style>p,td,th{mso-line-height-rule:exactly}sup,sub{font-size:100%!important}"
    "</style><![endif]-->",
)
_RESETS = (
    ":root{color-scheme:light;supported-color-schemes:light}",
    "body,table,td,p,a,li,blockquote{-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%}",
    "#outlook a{padding:0}",
    ".ReadMsgBody,.ExternalClass{width:100%}",
    'div[style*="margin: 16px 0"]{margin:0!important}',
    "table,td{mso-table-lspace:0pt!important;mso-table-rspace:0pt!important}",
    "p,li,td,th,h1,h2,h3,h4,h5,h6,blockquote{overflow-wrap:break-word;word-wrap:break-word}",
    "a{word-break:break-word;overflow-wrap:anywhere}",
    "pre{white-space:pre-wrap;overflow-wrap:anywhere}",
    "sub,sup{font-size:75%;line-height:0;position:relative;vertical-align:baseline}",
    "sup{top:-.5em}",
    "sub{bottom:-.25em}",
    # Addresses and dates that mail programs turn into links.
    "a[x-apple-data-detectors],.x-gmail-data-detectors,.x-gmail-data-detectors *,.aBn,#MessageViewBody a:not([style])"
    "{border-bottom:0!important;cursor:default!important;color:inherit!important;text-decoration:none!important;"
    "font-size:inherit!important;font-family:inherit!important;font-weight:inherit!important;"
    "line-height:inherit!important}",
    # The colour that Gmail gives to what it takes for quoted, and the buttons that it lays over pictures.
    ".im{color:inherit!important}",
    ".a6S{display:none!important;opacity:.01!important}",
    "img.g-img+div{display:none!important}",
    "img{-ms-interpolation-mode:bicubic;border:0;outline:none;text-decoration:none}",
)
_NARROW = (
    "img{max-width:100%!important;height:auto!important}",
    "table{max-width:100%!important}",
    "h1{font-size:24px!important;line-height:30px!important}",
    "h2{font-size:20px!important;line-height:26px!important}",
    "pre{font-size:13px!important}",
    "ul,ol{padding-left:1.25em!important}",
    "td,th{word-break:break-word}",
)
_PAPER = (
    "@page{margin:2cm}",
    "table{max-width:100%!important}",
    "body{color:#000000!important;background-color:#ffffff!important}",
    "a{text-decoration:underline!important}",
    "img{max-width:100%!important;page-break-inside:avoid;break-inside:avoid}",
    "tr,td,blockquote,pre{page-break-inside:avoid;break-inside:avoid}",
    "h1,h2,h3,h4{page-break-after:avoid;break-after:avoid}",
    "p,li{orphans:3;widows:3}",
    "pre,code{white-space:pre-wrap!important;word-wrap:break-word!important}",
    "ul,ol{page-break-before:avoid;break-before:avoid}",
)


def _head() -> str:
    always = "\n".join(_RESETS)
    narrow = "\n".join(_NARROW)
    paper = "\n".join(_PAPER)
    media = f"@media only screen and (max-width:600px){{\n{narrow}\n}}\n@media print{{\n{paper}\n}}"
    return "\n".join((*_META, f"<style>\n{always}\n{media}\n</style>"))


PICTURE_HEAD = _head()
