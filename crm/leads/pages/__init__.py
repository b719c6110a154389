"""The pages of leads: the list as a table and as a board, a lead, a new one."""

from __future__ import annotations

from crm.leads.pages.lists import ChangeLeads, Leads, Pipeline, StartForLeads
from crm.leads.pages.record import LeadDetail, LeadRelated, MoveLead, NewLead
from crm.leads.pages.table import LeadCell, LeadColumns

PAGES = [Leads, LeadColumns, ChangeLeads, StartForLeads, LeadCell, Pipeline, NewLead, LeadDetail, MoveLead, LeadRelated]
