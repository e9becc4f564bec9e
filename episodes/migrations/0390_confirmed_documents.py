"""A document says whether a person named its show, and whether only the host of its address confirmed it.

Older releases confirmed every page on the host of a known site. These documents stay confirmed, so that
no episode disappears by itself. The inbox lists those that are part of episodes.
"""

from django.db import migrations, models

NEVER_BY_HOST = ("feed", "by-hand", "listing", "transcripts")  # readers


def without_scheme(address):
    return address.partition("://")[2].rstrip("/").lower()


def copy_confirmations(apps, schema_editor):
    documents = apps.get_model("episodes", "Document").objects
    documents.filter(vouched=True).update(show_confirmed=True)
    pages = documents.filter(kind="listing", vouched=True, address__startswith="http")
    pages = pages.exclude(source__reader__in=NEVER_BY_HOST).select_related("source")
    for document in pages:
        if without_scheme(document.address) != without_scheme(document.source.address):
            documents.filter(pk=document.pk).update(confirmed_by_host=True)


class Migration(migrations.Migration):
    dependencies = (("episodes", "0380_suggestion_networks"),)

    operations = (
        migrations.AlterField(
            "document",
            "vouched",
            models.BooleanField(
                "confirmed",
                default=False,
                help_text="Its source's address, a shipped file, --source or a person confirmed it.",
            ),
        ),
        migrations.AddField(
            "document",
            "show_confirmed",
            models.BooleanField(
                default=False, help_text="A person said which show the document is about."
            ),
        ),
        migrations.AddField(
            "document",
            "confirmed_by_host",
            models.BooleanField(
                default=False,
                help_text="Only the host of its address confirmed it, in an older release.",
            ),
        ),
        migrations.RunPython(copy_confirmations, migrations.RunPython.noop),
    )
