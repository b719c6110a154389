from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.models import CompanyModel
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


class Posting(CompanyModel):
    """A line of the books: an amount on an account. The lines of one `tx` add up to zero in each currency.

    Triggers enforce both (the first migration of billing): unbalanced lines are refused, and no line is ever changed.

    Accounts are receivable, revenue, tax:<percent>, cash:<letter or bank>, balance, writeoff and disputed. The
    company's credit is `balance`, uncollectible amounts are `writeoff`, amounts withheld by banks are `disputed`.
    """

    tx = models.CharField(max_length=60, help_text="What happened: inv:<id>, pay:<id>, ref:<id>, bal:<id>, note:<id>.")
    leg = models.PositiveSmallIntegerField()
    account = models.CharField(max_length=40)
    amount_minor = models.BigIntegerField(help_text="Debit above zero, credit below.")
    currency = models.CharField(max_length=3)
    about = models.CharField(max_length=24, blank=True, default="", help_text="The invoice that it is about.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("ledger entry")
        verbose_name_plural = _("ledger entries")
        constraints = [
            models.UniqueConstraint(fields=("company", "tx", "leg"), name="posting_once"),
            models.CheckConstraint(condition=~Q(amount_minor=0), name="posting_moves_something"),
        ]
        indexes = [
            models.Index(fields=("company", "account", "currency"), name="posting_account"),
            models.Index(
                fields=("account", "created_at", "id"), condition=Q(account__startswith="cash:"), name="posting_cash"
            ),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.account).capitalize()}: {self.tx.partition(':')[0]}"
