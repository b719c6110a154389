from __future__ import annotations

from django.db import migrations, models

CHOICES = [
    ("dd/mm/yyyy", "Day First"),
    ("mm/dd/yyyy", "Month First"),
    ("yyyy-mm-dd", "Iso"),
    ("dd.mm.yyyy", "Dots"),
    ("dd-mm-yyyy", "Dashes"),
    ("d mmm yyyy", "Words"),
]


class Migration(migrations.Migration):
    """New companies write dates as 26 Dec 2026, which nobody misreads; others keep their format."""

    dependencies = [("accounts", "0001_squashed_0007_words")]

    operations = [
        migrations.AlterField(
            "companysettings",
            "date_format",
            models.CharField(choices=CHOICES, default="d mmm yyyy", max_length=10),
        )
    ]
