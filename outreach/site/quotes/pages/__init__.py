"""The pages of quotes."""

from outreach.site.quotes.pages.lists import NewQuote, Quotes
from outreach.site.quotes.pages.record import Quote, QuotePdf, SendQuote
from outreach.site.quotes.pages.settings import QuoteRules

PAGES = [Quotes, NewQuote, Quote, QuotePdf, SendQuote, QuoteRules]
