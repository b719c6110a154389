"""The offline composer's wording, by tone and by kind of goal."""

from typing import Literal

from outreach.connections.ai.providers.goal import Kind

Tone = Literal["neutral", "friendly", "formal", "direct", "enthusiastic"]

_TONE_WORDS: dict[Tone, tuple[str, ...]] = {
    "formal": ("formal", "professional", "polite", "business", "official", "respectful", "förmlich", "formel"),
    "direct": (
        "direct",
        "short",
        "concise",
        "brief",
        "crisp",
        "to the point",
        "kurz",
        "kürzer",
        "court",
        "corto",
        "breve",
    ),
    "enthusiastic": ("enthusias", "excit", "energetic", "upbeat", "passionate", "bold"),
    "friendly": (
        "friend",
        "warm",
        "casual",
        "kind",
        "relaxed",
        "personal",
        "informal",
        "freundlich",
        "amical",
        "chaleureu",
        "amable",
    ),
}


def tone_named(phrase: str) -> Tone:
    """Return the tone that the text names; neutral when it names no known one."""
    text = phrase.lower()
    if any(phrase in text for phrase in ("informal", "informel", "less formal", "weniger förmlich", "moins formel")):
        return "friendly"
    for tone, names in _TONE_WORDS.items():
        if any(name in text for name in names):
            return tone
    return "neutral"


GREETINGS: dict[Tone, tuple[str, ...]] = {
    "neutral": ("Hello {name},", "Hi {name},"),
    "friendly": ("Hi {name},", "Hey {name},", "Hello {name},"),
    "formal": ("Dear {name},",),
    "direct": ("Hello {name},", "{name},"),
    "enthusiastic": ("Hi {name}!", "Hello {name}!"),
}
NAMELESS: dict[Tone, str] = {
    "neutral": "Hello,",
    "friendly": "Hi there,",
    "formal": "Good day,",
    "direct": "Hello,",
    "enthusiastic": "Hi there!",
}
OPENINGS: dict[Tone, tuple[str, ...]] = {
    "neutral": ("I hope you are doing well.", "I hope this finds you well."),
    "friendly": ("I hope your week is going well.", "I hope you are having a good week so far."),
    "formal": ("I hope this message finds you well.", "I trust that you are well."),
    "direct": ("",),
    "enthusiastic": ("I have been looking forward to writing to you.", "I hope you are having a great week."),
}
FOLLOW_UPS = (
    "I wrote to you a little while ago and wanted to come back to it.",
    "I wanted to come back briefly to my earlier message.",
    "My earlier message may have come at a busy time, so here it is once more in short.",
)
AGAIN = ("It is time for our regular note to you.", "I am getting in touch again, as we do from time to time.")
JOB_AND_COMPANY = (
    "I am writing to you in your role as {job} at {company}.",
    "I thought this could matter to you as {job} at {company}.",
)
COMPANY = ("I hope things are going well at {company}.", "Perhaps this is of use to you and {company}.")
CITY = ("I hope all is well in {city}.", "Kind greetings to {city}.")
RELATIONS = {
    "customer": "Thank you for being a customer of {us}.",
    "client": "Thank you for being a client of {us}.",
    "partner": "Thank you for being a partner of {us}.",
    "supplier": "Thank you for working with {us}.",
    "subscriber": "Thank you for following {us}.",
    "member": "Thank you for being a member of {us}.",
}
PRODUCT_GOALS = (
    "I would like to introduce {product} from {us} to you.",
    "I thought that {product} from {us} might be of use to you.",
    "Perhaps you would like to get to know {product} from {us}.",
)
MENTION = "One more thing: {said}."
ALSO = "You will also find these with us: {others}."
SIGN_OFFS: dict[Tone, tuple[str, ...]] = {
    "neutral": ("Best regards", "Kind regards"),
    "friendly": ("All the best", "Warm regards", "Best wishes"),
    "formal": ("Yours sincerely", "With kind regards"),
    "direct": ("Regards", "Best"),
    "enthusiastic": ("Looking forward to it", "With warm regards"),
}
PLAIN_SUBJECT = "A short note for you"
# `topic` begins with a capital letter; `rest` is the same within a sentence.
SUBJECTS: dict[Kind, tuple[str, ...]] = {
    "invite": (
        "Your invitation: {topic}",
        "{name}, will you join us?",
        "You are invited: {topic}",
        "An invitation from {us}",
    ),
    "inform": ("{topic}", "News for you: {topic}", "For you, {name}: {topic}", "News from {us}"),
    "ask": ("A short question for you", "{name}, a short question", "A question from {us}"),
    "follow_up": ("Coming back to you: {topic}", "{name}, a short follow-up", "A short follow-up from {us}"),
    "thank": ("Thank you, {name}", "Thank you from {us}", "Thank you for {rest}"),
    "offer": ("An offer for you: {topic}", "{name}, an offer for you", "An offer from {us}"),
    "present": ("{topic}", "{name}, a short introduction", "For you from {us}: {topic}"),
    "meet": ("Shall we talk, {name}?", "Time for a short talk?", "A conversation with {us}"),
    "feedback": ("What do you think, {name}?", "Your opinion on {rest}", "Your opinion counts at {us}"),
    "win_back": ("It has been a while, {name}", "It has been a while", "Hello again from {us}"),
    "remind": ("A short reminder: {topic}", "{name}, a short reminder", "A reminder from {us}"),
    "general": ("{topic}", "A short note for you, {name}", "A note from {us}"),
}

_REPLY: dict[Tone, tuple[str, ...]] = {
    "neutral": (
        "A short reply to this message is enough, and I will get back to you.",
        "Just reply to this message if you would like to know more.",
    ),
    "friendly": ("Just hit reply, I would be happy to hear from you.", "Drop me a line whenever it suits you."),
    "formal": (
        "I would be grateful for a short reply at your convenience.",
        "Please reply to this message should you wish to know more.",
    ),
    "direct": ("Interested? A one-word reply is enough.", "Shall I send you the details?"),
    "enthusiastic": ("Just reply and we will get started!", "I can't wait to hear what you think!"),
}
_JOIN: dict[Tone, tuple[str, ...]] = {
    "neutral": (
        "Would you like to join us? A short reply is enough.",
        "Shall I keep a place for you? Just reply to this message.",
    ),
    "friendly": ("Shall I save you a place? Just hit reply.", "Would you like to come? Drop me a line."),
    "formal": (
        "May we count on your attendance? I would be grateful for a short reply.",
        "Please let me know whether you can attend.",
    ),
    "direct": ("Will you be there? Yes or no is enough.", "Reply with yes and your place is kept."),
    "enthusiastic": ("Say yes and I will save you a place!", "Will you be there? I would love to see you!"),
}
_TALK: dict[Tone, tuple[str, ...]] = {
    "neutral": ("Which day would suit you? Just reply with a time.", "When would be a good time for you?"),
    "friendly": ("What day suits you best? Just hit reply.", "When would you have a moment?"),
    "formal": ("Please let me know which date would be convenient for you.", "May I ask which day would suit you?"),
    "direct": ("Which day suits you?", "Reply with a time that works."),
    "enthusiastic": ("Tell me your best time and I will be there!", "When shall we talk? I am looking forward to it!"),
}
_OPINION: dict[Tone, tuple[str, ...]] = {
    "neutral": ("Could you reply with a sentence or two?", "A few words in reply would already help."),
    "friendly": ("A few words in reply would make my day.", "Just hit reply and tell me what comes to mind."),
    "formal": ("I would be grateful for your answer.", "A brief reply would be much appreciated."),
    "direct": ("A one-line reply is enough.", "What is your answer?"),
    "enthusiastic": ("I am curious what you will say!", "Tell me, every word helps!"),
}
_THANKS: dict[Tone, tuple[str, ...]] = {
    "neutral": (
        "If there is anything we can do for you, just reply to this message.",
        "Reply at any time if you need anything.",
    ),
    "friendly": ("If you ever need anything, just hit reply.", "You know where to find me, just drop me a line."),
    "formal": (
        "Please reply to this message whenever we may be of service.",
        "I remain at your disposal for any question.",
    ),
    "direct": ("Need anything? Just reply.", "Questions? Reply to this message."),
    "enthusiastic": (
        "Whatever you need, just reply, we would love to help!",
        "Here is to much more together, just reply any time!",
    ),
}
# The closing request to the reader, for each kind of goal.
CALLS: dict[Kind, dict[Tone, tuple[str, ...]]] = {
    "invite": _JOIN,
    "inform": _REPLY,
    "ask": _OPINION,
    "follow_up": _REPLY,
    "thank": _THANKS,
    "offer": _REPLY,
    "present": _REPLY,
    "meet": _TALK,
    "feedback": _OPINION,
    "win_back": _REPLY,
    "remind": _REPLY,
    "general": _REPLY,
}
