"""Social networks of which a company can name its pages."""

from __future__ import annotations

NETWORKS = {
    "linkedin": "LinkedIn",
    "facebook": "Facebook",
    "instagram": "Instagram",
    "x": "X",
    "youtube": "YouTube",
    "tiktok": "TikTok",
    "whatsapp": "WhatsApp",
    "telegram": "Telegram",
    "pinterest": "Pinterest",
    "snapchat": "Snapchat",
    "threads": "Threads",
}
"""Key of a network -> its name."""
