"""The address of a show's feed may be secret, and a source may have a name and a password for its server.

Feeds that ask not to be listed are known by the stored copy until they are read again. A login in an
address was never sent: it moves to its own column. The history forgets the addresses that are secret now.
"""

import re
import zlib

from django.db import migrations, models
from django.db.models import Q

from episodes.text.private_addresses import carries_secret, mask_secrets, split_login

BLOCK = re.compile(rb"<[\w.-]+:block\s*>\s*yes\s*<", re.IGNORECASE)
ITEM = re.compile(rb"<(?:item|entry)[\s>]", re.IGNORECASE)


def move_logins(apps):
    """Move the name and the password in an address to their own column."""
    Podcast, Source, Document, SourceSchedule = (
        apps.get_model("episodes", name) for name in ("Podcast", "Source", "Document", "SourceSchedule")
    )
    for source in Source.objects.filter(address__contains="@"):
        address, login = split_login(source.address)
        if not login:
            continue
        Document.objects.filter(source=source, address=source.address).update(address=address)
        SourceSchedule.objects.filter(source=source).update(address=address)
        Podcast.objects.filter(pk=source.podcast_id, feed_access="automatic").update(
            feed_access="secret"
        )
        Podcast.objects.filter(pk=source.podcast_id, feed_url=source.address).update(feed_url=address)
        source.address, source.login = address, login
        source.save(update_fields=["address", "login"])


def mark_blocked(apps):
    """Note for each feed whether it asks not to be listed, by its newest stored copy."""
    Source, Capture, Content = (
        apps.get_model("episodes", name) for name in ("Source", "Capture", "Content")
    )
    for source in Source.objects.filter(reader="feed").select_related("podcast").order_by("-rank"):
        copies = Capture.objects.filter(document__source=source, version__isnull=False)
        newest = copies.order_by("-taken_at", "-id").values_list("sha256", flat=True).first()
        content = Content.objects.filter(pk=newest).first()
        if content is None:
            continue
        body = zlib.decompress(content.packed)
        channel = ITEM.split(body, maxsplit=1)[0]
        if BLOCK.search(channel):
            podcast = source.podcast
            podcast.said = {**podcast.said, "blocked": True}
            podcast.save(update_fields=["said"])


def mask_history(apps):
    """Mask the addresses in the history of shows and sources that are secret now."""
    Podcast, Change = apps.get_model("episodes", "Podcast"), apps.get_model("episodes", "Change")
    secret_addresses = {
        podcast.feed_url
        for podcast in Podcast.objects.exclude(feed_url="")
        if podcast.said.get("blocked") or podcast.feed_access == "secret"
    }

    def is_secret(address):
        return address in secret_addresses or carries_secret(address)

    of_configuration = Q(about__startswith="podcast:") | Q(about__startswith="source:")
    for change in Change.objects.filter(of_configuration):
        told = [[what, mask_secrets(before, is_secret), mask_secrets(after, is_secret)] for what, before, after in change.told]
        if told != change.told:
            change.told = told
            change.save(update_fields=["told"])


def find_secrets(apps, schema_editor):
    move_logins(apps)
    mark_blocked(apps)
    mask_history(apps)


class Migration(migrations.Migration):
    dependencies = (("episodes", "0400_search_letters"),)

    operations = (
        migrations.AddField(
            "podcast",
            "feed_access",
            models.CharField(
                "feed address is",
                max_length=10,
                choices=(("automatic", "Automatic"), ("public", "Public"), ("secret", "Secret")),
                default="automatic",
                db_default="automatic",
                help_text="Nobody but administrators sees a secret address. Automatic: secret if it has a token, or if the feed asks directories not to list it (itunes:block, podcast:block).",
            ),
        ),
        migrations.AddField(
            "source",
            "login",
            models.CharField(
                "name and password",
                max_length=2000,
                blank=True,
                default="",
                editable=False,
                help_text="For its server alone, as https://name:password@host.",
            ),
            preserve_default=False,
        ),
        migrations.RunPython(find_secrets, migrations.RunPython.noop),
    )
