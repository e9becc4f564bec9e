"""Mark versions of which only the new entries were taken, and keep the address `/NUMBER` of each number that an earlier release learned from titles or audio files.

From a backup of such a release there is no catalog yet, so its numbers are learned once more.
"""

from collections import defaultdict
from hashlib import sha256

from django.db import migrations, models

from ._title_numbers import learn_numbers

AT_ONCE = 500


def keep_numbers(apps, schema_editor):
    Podcast, Episode, Redirect = (apps.get_model("episodes", name) for name in ("Podcast", "Episode", "Redirect"))
    for podcast in Podcast.objects.order_by("pk"):
        if Episode.objects.filter(podcast=podcast).exists():
            numbers = numbers_of_catalog(apps, podcast)
        else:
            numbers = numbers_of_evidence(apps, podcast)
        # Of two seasons with one number the address leads to the first.
        rows = [
            Redirect(
                kind="number",
                slug=str(number),
                source_id=item.document.source_id,
                document=item.document.address,
                item_key=item.key,
                entry=sha256(f"{item.document.address}\n{item.key}".encode()).hexdigest(),
            )
            for _, number, item in sorted(numbers, key=lambda row: (row[0] or 0, row[1], row[2].pk))
        ]
        Redirect.objects.bulk_create(rows, batch_size=AT_ONCE)


def numbers_of_catalog(apps, podcast):
    """Return season, number and an entry of each episode whose number no entry declares."""
    numbers = []
    newest = newest_payloads(apps, podcast)
    for owner, name in (("Episode", "Attachment"), ("WithdrawnEpisode", "WithdrawnEntry")):
        rows = apps.get_model("episodes", owner).objects.filter(podcast=podcast, number__isnull=False)
        by_id = rows.in_bulk()
        uses = apps.get_model("episodes", name).objects.filter(episode__in=rows).order_by("item")
        items = defaultdict(list)
        for use in uses.select_related("item__document__source"):
            items[use.episode_id].append(use.item)
        for episode_id, own in items.items():
            number = by_id[episode_id].number
            if all(newest.get(item.pk, {}).get("number") != number for item in own):
                numbers += [(by_id[episode_id].season, number, item) for item in own]
    return numbers


def numbers_of_evidence(apps, podcast):
    """Return season, number and entry of each entry whose number is learned."""
    numbers = []
    newest = newest_payloads(apps, podcast)
    for source in apps.get_model("episodes", "Source").objects.filter(podcast=podcast, own=True):
        items = apps.get_model("episodes", "Item").objects.filter(document__source=source, is_post=False)
        by_id = items.order_by("pk").select_related("document").in_bulk()
        entries, known = {}, set()
        # A feed that changed all GUIDs has an episode twice: what it lists now comes first.
        for item in sorted(by_id.values(), key=lambda item: (item.gone_version is not None, item.pk)):
            values = newest.get(item.pk, {})
            name = values.get("title"), values.get("published")
            if name not in known:
                known.add(name)
                entries[item.pk] = values
        learned = learn_numbers(entries)
        numbers += [(season, number, by_id[pk]) for pk, (season, number) in learned.items()]
    return numbers


def newest_payloads(apps, podcast):
    """Return the payload of the newest revision of each item."""
    revisions = apps.get_model("episodes", "Revision").objects.filter(item__document__source__podcast=podcast)
    return dict(revisions.order_by("version").values_list("item", "payload"))


class Migration(migrations.Migration):
    dependencies = (("episodes", "0420_declared_people"),)

    operations = (
        migrations.AddField(
            model_name="capture",
            name="is_partial",
            field=models.BooleanField(
                default=False, help_text="Only its new entries were taken: the rest looks wrong."
            ),
        ),
        migrations.RunPython(keep_numbers, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="catalogstate",
            name="sources",
            field=models.JSONField(
                default=dict, help_text="By source: the counts of what its entries hold."
            ),
        ),
    )
