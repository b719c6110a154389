from django.db import migrations


def seed(apps, schema_editor):
    """Every name of the catalogue that has no row yet; rows that an operator has edited stay as they are."""
    from core.catalogue import CATALOGUE
    from core.ids import new_id

    ResponseMessage = apps.get_model("core", "ResponseMessage")
    ResponseMessage.objects.bulk_create(
        [ResponseMessage(id=new_id(), name=name, status=status, text=text) for name, (status, text) in CATALOGUE.items()],
        ignore_conflicts=True,
    )


class Migration(migrations.Migration):
    dependencies = [("core", "0001_initial")]
    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]
