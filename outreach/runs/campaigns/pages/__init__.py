"""The pages of campaigns: all of them, a new one, one with its results, and its form."""

from __future__ import annotations

from outreach.runs.campaigns.pages.audience import CampaignAudience
from outreach.runs.campaigns.pages.detail import Campaign, CampaignPreview
from outreach.runs.campaigns.pages.form import EditCampaign, NewCampaign
from outreach.runs.campaigns.pages.list import Campaigns

PAGES = [Campaigns, NewCampaign, CampaignAudience, Campaign, CampaignPreview, EditCampaign]
