"""What tests of pages share with those of outreach: a sender with a real mail server behind it."""

from tests.outreach.conftest import _lock_of_this_process, mail_server, post

__all__ = ["_lock_of_this_process", "mail_server", "post"]
