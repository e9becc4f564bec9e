"""Finds of the notes are in the catalog: other episodes, people, links with their details; and stay out once taken out."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from episodes.models import Credit, Decision, Episode, Item, Person, Podcast, Reference, Topic
from episodes.outputs.catalog_json import dump_json

pytestmark = pytest.mark.django_db

REFERENCES = {
    ("weak-references", "prerequisite", "reference-counting"),
    ("weak-references", "prerequisite", "pyobject-preservation"),
    ("unbacked-symints", "follow-up", "zero-one-specialization"),
    ("batching", "see-also", "vmap"),
    ("batching", "see-also", "tensoriterator"),
    ("episode-59", "see-also", "continuous-integration"),
}
GUESTS = {
    ("dispatcher-questions-with-sherlock", "Sherlock"),
    ("aotautograd", "Horace"),
    ("history-of-functorch", "Richard Zou"),
    ("zero-one-specialization", "Mikey Dagistes"),
    ("episode-59", "Eli Uriegas"),
    ("intro-to-distributed", "Shen Li"),
}


def named():
    return set(Reference.objects.values_list("episode__slug", "kind", "target__slug"))


def entry(episode: str) -> Item:
    return Item.objects.filter(attachment__episode__slug=episode).select_related("document__source")[0]


def remove(episode: str, kind: str, key: str) -> Decision:
    item = entry(episode)
    source = item.document.source
    return Decision.objects.create(
        podcast=source.podcast, source=source.slug, item_key=item.key, kind=kind, key=key, value="removed"
    )


def test_shipped_references_are_complete(catalog):
    assert named() == REFERENCES
    assert not Reference.objects.filter(evidence="").exists()


def test_shipped_guests_and_hosts_are_credited(catalog):
    guests = Credit.objects.filter(role="guest").values_list("episode__slug", "person__name")
    assert set(guests) == GUESTS
    assert Credit.objects.filter(role="host", person__name="Edward Yang").count() == Episode.objects.count()


def test_removed_finding_returns_after_undo(catalog):
    target = entry("vmap")
    decisions = [
        remove("batching", "reference", f"{target.document.source.slug} {target.key}"),
        remove("intro-to-distributed", "person", "@mrshenli"),
        remove("batching", "link", "https://numpy.org/doc/stable/reference/ufuncs.html"),
    ]
    call_command("rebuild", verbosity=0)
    assert named() == REFERENCES - {("batching", "see-also", "vmap")}
    assert not Person.objects.filter(name="Shen Li").exists()
    for decision in decisions:
        decision.delete()
    call_command("rebuild", verbosity=0)
    assert named() == REFERENCES
    assert Person.objects.filter(slug="shen-li").exists()


def rule_file(path: Path, podcast: str | None, slug: str) -> str:
    fields = {
        "podcast": [podcast] if podcast else None,
        "slug": slug,
        "name": slug.title(),
        "rules": {"notes": ["fsync"]},
    }
    path.write_text(json.dumps([{"model": "episodes.topic", "fields": fields}]))
    return str(path)


FEED = """<rss version="2.0"><channel><title>Row Lock</title><link>https://rowlock.example</link><item><title>Logs</title>
<guid>1</guid><description>What does fsync promise?</description></item></channel></rss>"""


def test_other_show_brings_its_own_rules(catalog, tmp_path):
    (tmp_path / "row.xml").write_text(FEED)
    call_command("ingest", str(tmp_path / "row.xml"))
    before = dump_json(list(Podcast.objects.filter(slug="pytorch-developer-podcast")))
    call_command("loaddata", rule_file(tmp_path / "own.json", "row-lock", "durability"), verbosity=0)
    call_command("rebuild")
    assert list(Episode.objects.get(slug="logs").topics.values_list("slug", flat=True)) == ["durability"]
    assert dump_json(list(Podcast.objects.filter(slug="pytorch-developer-podcast"))) == before


def test_rule_file_cannot_take_over_topics(catalog, tmp_path):
    (tmp_path / "row.xml").write_text(FEED)
    call_command("ingest", str(tmp_path / "row.xml"))
    before = dump_json(list(Podcast.objects.all()))
    with pytest.raises(IntegrityError, match="episodes_topic"), transaction.atomic():
        call_command("loaddata", rule_file(tmp_path / "own.json", "row-lock", "memory"), verbosity=0)
    assert dump_json(list(Podcast.objects.all())) == before


def test_shipped_rules_load_twice(catalog):
    before = list(Topic.objects.order_by("pk").values())
    call_command("loaddata", "topics", verbosity=0)
    assert list(Topic.objects.order_by("pk").values()) == before
