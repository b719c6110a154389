"""The sending process: it claims messages, hands them over by several connections, and writes what becomes of them."""
