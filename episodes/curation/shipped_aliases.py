"""Aliases that `fixtures/topics.json` ships: other names of the topics of a shipped show. An existing catalog
gets new ones."""

import json
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from ..models import Change, Podcast, Topic, topic_slugs_by_casefolded_name
from ..resolve import resolve_small_shows_queue_others
from .configuration import describe_column_value
from .history import Recorder, row_changes, row_history_key

ADD_ALIASES = "add aliases"  # the action in the history


@transaction.atomic
def add_shipped_aliases_and_resolve() -> None:
    """Add the aliases that are shipped with the sample data to the topics that lack them.

    Leave a topic alone if a curator edited its aliases, and leave out the names of other topics.
    """
    path = settings.BASE_DIR / "fixtures" / "topics.json"
    slugs_by_name = topic_slugs_by_casefolded_name()  # of all topics, also by their aliases
    batch_id = uuid4().hex  # so that a curator can undo all changes at once
    changed_show_slugs = set()
    for fixture in json.loads(path.read_text("utf-8")):
        shipped = fixture["fields"]
        aliases = [alias for alias in shipped["aliases"] if alias.casefold() not in slugs_by_name]
        # Fixtures name a show by a list of one value, its slug.
        (show_slug,) = shipped["podcast"]
        topic = Topic.objects.filter(slug=shipped["slug"], podcast__slug=show_slug).first()
        if aliases and topic and not _has_edited_aliases(topic):
            _append_aliases_and_record_change(topic, aliases, batch_id)
            changed_show_slugs.add(show_slug)
    changed_shows = Podcast.objects.filter(slug__in=changed_show_slugs)
    resolve_small_shows_queue_others(list(changed_shows))


def _has_edited_aliases(topic: Topic) -> bool:
    """Return whether a curator ever gave the topic other aliases, also by a merge or an undo."""
    changes = Change.objects.filter(about=row_history_key(topic)).exclude(verb=ADD_ALIASES)
    for change in changes:
        for row in row_changes(change):
            # Rows of other tables have no aliases.
            if row.before and row.before.get("aliases") != row.fields.get("aliases"):
                return True
    return False


def _append_aliases_and_record_change(topic: Topic, aliases: list[str], batch_id: str) -> None:
    """Add aliases to a topic, as a change of nobody, so that a curator can undo it."""
    before = describe_column_value(topic.aliases)
    topic.aliases = [*topic.aliases, *aliases]
    recorder = Recorder(AnonymousUser())
    recorder.save(topic)
    recorder.describe("aliases", before, describe_column_value(topic.aliases))
    Change.objects.create(
        podcast=topic.podcast,
        verb=ADD_ALIASES,
        subject=topic.name,
        about=row_history_key(topic),
        reason="Shipped with the sample data.",
        told=recorder.lines,
        rows=recorder.rows,
        lot=batch_id,
    )
