"""The pages of quotes."""

from outreach.site.quotes.pages.lists import NewQuote, Quotes
from outreach.site.quotes.pages.record import Quote, SendQuote
from outreach.site.quotes.pages.settings import QuoteRules

PAGES = [Quotes, NewQuote, Quote, SendQuote, QuoteRules]
