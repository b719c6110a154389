"""The pages of leads: the list as a table and as a board, a lead, a new one."""

from __future__ import annotations

from crm.leads.pages.lists import Leads, Pipeline
from crm.leads.pages.record import LeadDetail, NewLead

PAGES = [Leads, Pipeline, NewLead, LeadDetail]
