"""The pages of chatbots: all of them, a new one, and one as it is drawn, with its steps and a conversation tried."""

from __future__ import annotations

from outreach.chat.chatbots.pages.draw import AddStep, DrawChatbot
from outreach.chat.chatbots.pages.list import Chatbots, NewChatbot
from outreach.chat.chatbots.pages.previews import TryChatbot
from outreach.chat.chatbots.pages.step import ChatbotStep

PAGES = [Chatbots, NewChatbot, DrawChatbot, AddStep, ChatbotStep, TryChatbot]
