"""Proposed people go: rules propose none any more. People of one name are looked up by it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("episodes", "0410_secret_feeds"),)
    operations = (
        migrations.RemoveField("episode", "proposed_people"),
        migrations.AddIndex("person", models.Index(fields=["name"], name="person_name")),
    )
