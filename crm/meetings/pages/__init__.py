"""The pages of meetings: the calendar, a new meeting, and one with who is asked to it."""

from __future__ import annotations

from crm.meetings.pages.calendar import Calendar
from crm.meetings.pages.meetings import EditMeeting
from crm.meetings.pages.new import MeetingPeople, NewMeeting
from crm.meetings.pages.settings import VideoCalls

PAGES = [Calendar, NewMeeting, MeetingPeople, EditMeeting, VideoCalls]
