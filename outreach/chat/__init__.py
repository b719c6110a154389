"""Chats: templates, conversations, chatbots, widgets and the events of chat providers."""
