"""The sending process: it claims messages, sends them by several connections, and writes their outcomes."""
