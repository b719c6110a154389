from django.db import migrations, models


class Migration(migrations.Migration):
    # An index that is built while others write needs to be outside of a transaction.
    atomic = False

    dependencies = [
        ("outreach", "0035_give_booking_pages_slugs"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS bookingpage_slug_unique"
                    " ON outreach_bookingpage (slug) WHERE NOT (slug = '')",
                    "DROP INDEX CONCURRENTLY IF EXISTS bookingpage_slug_unique",
                ),
            ],
            state_operations=[
                migrations.AddConstraint(
                    model_name="bookingpage",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("slug", ""), _negated=True),
                        fields=("slug",),
                        name="bookingpage_slug_unique",
                    ),
                ),
            ],
        ),
    ]
