"""Changes of topics, shows and sources; old addresses of topics redirect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.db import models

from ..models import FormerTopic, Podcast, Source, Topic
from ..resolve.apply import term_trouble
from .history import CONFIGURE, Impossible, Recorder, Stale, User, changing, state

Saved = TypeVar("Saved", bound=models.Model)
TERMS = ("title", "notes", "links", "hints", "excludes")


def about(row: models.Model) -> str:
    """The key of the history of a show, source or topic."""
    return f"{row._meta.model_name}:{row.pk}"


def save_topic(user: User, topic: Topic, *, seen: str = "", reason: str = "") -> None:
    """Make or change a topic; after a change of slug the old address leads to the new one.

    Raises:
        Impossible: another topic has its name, or an alias of it, whatever the case (rules.md 19); or a term of its
            rules cannot be read. Stale: somebody was faster.
    """
    unlike_others(topic)
    for kind in TERMS:
        for term in topic.rules.get(kind, ()):
            if trouble := term_trouble(kind, term):
                raise Impossible(f"{kind}: “{term[:60]}”: {trouble}.")
    if topic._state.adding:
        with changing(user, "add topic", topic.name, "topic:new", podcasts=None, reason=reason) as record:
            record.save(topic)
            _moved(record, topic.slug, topic)
            record.tell("topic", "", topic.name)
        return
    with changing(user, "edit topic", topic.name, about(topic), podcasts=None, reason=reason) as record:
        before = _fresh(topic, seen)
        record.save(topic)
        _moved(record, before.slug, topic)
        _tell(record, before, topic)


def _fresh(row: Saved, seen: str) -> Saved:
    """The row as it is stored, unless it is another than was seen."""
    before: Saved | None = type(row)._default_manager.filter(pk=row.pk).first()
    if before is None:
        raise Stale(f"“{row}” was deleted, or merged with another, since you opened this form. Nothing was written.")
    if seen and state(before) != seen:
        raise Stale(f"Somebody changed “{before}” since you opened this form. Your changes were not saved.")
    return before


def unlike_others(topic: Topic) -> None:
    """Refuse names that another topic has.

    Raises:
        Impossible: says which.
    """
    own = {name.casefold() for name in (topic.name, topic.slug, *topic.aliases)}
    for other in Topic.objects.exclude(pk=topic.pk):
        shared = own & {name.casefold() for name in (other.name, other.slug, *other.aliases)}
        if shared:
            raise Impossible(f"“{min(shared)}” is a name of the topic {other.name} already; merge them instead.")


def _moved(record: Recorder, slug: str, topic: Topic) -> None:
    """Let an old address lead to the topic."""
    for row in FormerTopic.objects.filter(slug=topic.slug):
        record.delete(row)
    if slug != topic.slug:
        record.save(FormerTopic(slug=slug, topic=topic))


def _tell(record: Recorder, before: models.Model, after: models.Model) -> None:
    for column in after._meta.concrete_fields:
        was, now = getattr(before, column.attname), getattr(after, column.attname)
        if was != now:
            record.tell(column.name, was, now)


def merge_topics(user: User, one: Topic, into: Topic, *, seen: Sequence[str] = (), reason: str = "") -> None:
    """Make one topic of two: names and terms of the first go to the second, and so does its address.

    Raises:
        Impossible: they are one, or the second is of another show. Stale: somebody was faster.
    """
    if one.pk == into.pk:
        raise Impossible("A topic cannot be merged with itself.")
    if into.podcast_id and one.podcast_id != into.podcast_id:
        raise Impossible(f"{into.name} is a topic of one show only; {one.name} is not of that show alone.")
    subject = f"{one.name} into {into.name}"
    with changing(user, "merge topics", subject, about(into), podcasts=None, reason=reason) as record:
        first, second = [*seen, "", ""][:2]
        one, into = _fresh(one, first), _fresh(into, second)
        for row in one.former.all():
            row.topic = into
            record.save(row)
        slug, names, rules = one.slug, [one.name, *one.aliases], one.rules
        record.delete(one)
        into.aliases = list(dict.fromkeys((*into.aliases, *names)))
        into.rules = {
            kind: list(dict.fromkeys((*into.rules.get(kind, ()), *rules.get(kind, ()))))
            for kind in TERMS
            if into.rules.get(kind) or rules.get(kind)
        }
        record.save(into)
        record.save(FormerTopic(slug=slug, topic=into))
        record.tell("topics", subject.replace(" into ", ", "), into.name)


def delete_topic(user: User, topic: Topic, *, seen: str = "", reason: str = "") -> None:
    """Delete a topic; its address leads to the index of topics then."""
    with changing(user, "delete topic", topic.name, about(topic), podcasts=None, reason=reason) as record:
        topic = _fresh(topic, seen)
        slug = topic.slug
        for row in topic.former.all():
            row.topic = None
            record.save(row)
        record.delete(topic)
        record.save(FormerTopic(slug=slug))
        record.tell("topic", topic.name, "")


def save_configuration(user: User, row: Podcast | Source, *, seen: str = "", reason: str = "") -> None:
    """Make or change a show or a source.

    Raises:
        Stale: somebody was faster.
    """
    adding = row._state.adding
    where = f"{row._meta.model_name}:new" if adding else about(row)
    verb = f"{'add' if adding else 'edit'} {row._meta.verbose_name}"
    name = row.name(several=Podcast.objects.several()) if isinstance(row, Source) else str(row)
    with changing(user, verb, name, where, podcasts=None, reason=reason, permission=CONFIGURE) as record:
        before = None if adding else _fresh(row, seen)
        record.save(row)
        if before:
            _tell(record, before, row)
        else:
            record.tell(str(row._meta.verbose_name), "", name)
