"""Connected providers: mail servers and vendors, chat, AI, OCR, storage, calendars, and who sends through them."""
