"""When transcripts and chapters were asked for, and why they could not be had; titles of chapters in the search index."""

from importlib import import_module

from django.db import migrations, models

search = import_module("episodes.migrations.0003_search")


class Migration(migrations.Migration):
    dependencies = [("episodes", "0007_lots")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="asked_at",
            field=models.DateTimeField(blank=True, help_text='The last request for a transcript or chapters.', null=True, verbose_name='last fetched'),
        ),
        migrations.AddField(
            model_name="document",
            name="trouble",
            field=models.TextField(blank=True, help_text='Why that request failed.', verbose_name='problem'),
        ),
        migrations.RunPython(search.create, migrations.RunPython.noop),
    ]
