"""Opens of messages, and clicks on their links, where a company has them tracked."""
