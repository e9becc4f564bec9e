"""Imports that a person asks for are no longer noted while they run: the lock of their show keeps
two apart."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("episodes", "0060_decision")]

    operations = [migrations.DeleteModel("ImportClaim")]
