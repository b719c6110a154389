from django.db import migrations


def list_slugs(apps, schema_editor):
    BookingPage = apps.get_model("outreach", "BookingPage")
    BookingSlug = apps.get_model("outreach", "BookingSlug")
    pages = BookingPage.objects.exclude(slug="").order_by("pk").values_list("pk", "company_id", "slug")
    rows = (BookingSlug(company_id=company, slug=slug, page_id=page) for page, company, slug in pages.iterator())
    BookingSlug.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)


class Migration(migrations.Migration):
    dependencies = [("outreach", "0037_keep_former_booking_slugs")]

    operations = [migrations.RunPython(list_slugs, migrations.RunPython.noop)]
