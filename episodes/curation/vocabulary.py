"""Changes of topics, paths, shows and sources; old addresses of topics and paths redirect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from django.db import models

from ..models import LearningPath, Podcast, Redirect, Source, Topic
from .history import (
    CONFIGURE,
    CURATE,
    Impossible,
    Recorder,
    Stale,
    User,
    changing,
    check_fresh,
    state,
)

Saved = TypeVar("Saved", bound=models.Model)
Rules = Mapping[str, Sequence[str]]
TERMS = ("title", "notes", "links", "hints", "excludes")


def about(row: models.Model) -> str:
    """The key of the history of a show, source or topic."""
    return f"{row._meta.model_name}:{row.pk}"


def save_topic(user: User, topic: Topic, *, seen: str = "", reason: str = "") -> None:
    """Make or change a topic; after a change of slug the old address leads to the new one.

    Raises:
        Impossible: another topic has its name, or an alias of it, whatever the case.
        Stale: somebody was faster.
    """
    unlike_others(topic)
    save_path(user, topic, seen=seen, reason=reason)


def save_path(user: User, path: Topic | LearningPath, *, seen: str = "", reason: str = "") -> None:
    """Make or change a path; after a change of slug the old address leads to the new one.

    Raises:
        Stale: somebody was faster.
    """
    kind = _redirected(path)
    with _saving(user, path, str(path), CURATE, seen, reason) as (record, before):
        for old in Redirect.objects.of(kind).filter(slug=path.slug):
            record.delete(old)
        if before and before.slug != path.slug:
            record.save(Redirect(kind=kind, slug=before.slug, **{kind: path}))


@contextmanager
def _saving(
    user: User,
    row: Saved,
    name: str,
    permission: str,
    seen: str,
    reason: str,
) -> Iterator[tuple[Recorder, Saved | None]]:
    """Save a new or changed row; gives the row as it was before."""
    adding, kind = row._state.adding, str(row._meta.verbose_name)
    verb, where = ("add", f"{row._meta.model_name}:new") if adding else ("edit", about(row))
    with changing(
        user, f"{verb} {kind}", name, where, reason=reason, permission=permission
    ) as record:
        before = None if adding else _fresh(row, seen)
        record.save(row)
        yield record, before
        if before is None:
            record.tell(kind, "", name)
            return
        for column in row._meta.concrete_fields:
            was, now = (_in_words(getattr(one, column.name)) for one in (before, row))
            record.tell(str(column.verbose_name), was, now)


def _in_words(value: object) -> str:
    """A value of a column for people: lists with commas, the rules of a topic by their kinds."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_in_words(part)}" for name, part in value.items() if part)
    if isinstance(value, list):
        return ", ".join(map(_in_words, value))
    return "" if value is None else str(value)


def _redirected(row: Topic | LearningPath) -> str:
    """The kind of the redirects to a topic or path, which is also their column."""
    return "topic" if isinstance(row, Topic) else "path"


def _fresh(row: Saved, seen: str) -> Saved:
    """The row as it is stored, unless it is another than was seen."""
    before: Saved | None = type(row)._default_manager.filter(pk=row.pk).first()
    if before is None:
        raise Stale(
            f"“{row}” was deleted, or merged with another, since you opened this form. Nothing was written."
        )
    check_fresh(before, seen, state(before))
    return before


def folded_names(topic: Topic) -> set[str]:
    return {name.casefold() for name in (topic.name, topic.slug, *topic.aliases)}


def unlike_others(topic: Topic) -> None:
    """Refuse names that another topic has, whatever the case.

    Raises:
        Impossible: says which.
    """
    wanted = folded_names(topic)
    for other in Topic.objects.exclude(pk=topic.pk).select_related("podcast"):
        if wanted & folded_names(other):
            whose = f" of {other.podcast}" if other.podcast else ""
            raise Impossible(
                f"The topic {other.name}{whose} has one of these names already; merge them, or give "
                "it to every show."
            )


def joined(one: Rules, other: Rules) -> Rules:
    """The terms of two topics' rules, each once."""
    both = {kind: dict.fromkeys((*one.get(kind, ()), *other.get(kind, ()))) for kind in TERMS}
    return {kind: list(terms) for kind, terms in both.items() if terms}


def merge_topics(user: User, one: Topic, into: Topic, *, seen: str = "", reason: str = "") -> None:
    """Make one topic of two: names and terms of the first go to the second, and so does its
    address. `seen` are the tokens of both.

    Raises:
        Impossible: they are one, or the second is of another show. Stale: somebody was faster.
    """
    if one.pk == into.pk:
        raise Impossible("A topic cannot be merged with itself.")
    if into.podcast_id and one.podcast_id != into.podcast_id:
        raise Impossible(
            f"{into.name} is a topic of one show only; {one.name} is not of that show alone."
        )
    subject = f"{one.name} into {into.name}"
    with changing(user, "merge topics", subject, about(into), reason=reason) as record:
        first, second, *_ = [*seen.split(), "", ""]
        one, into = _fresh(one, first), _fresh(into, second)
        into.aliases = list(dict.fromkeys((*into.aliases, one.name, *one.aliases)))
        into.rules = joined(into.rules, one.rules)
        _delete(record, one, into)
        record.save(into)
        record.tell("topics", subject.replace(" into ", ", "), into.name)


def delete_row(user: User, row: Topic | LearningPath, *, seen: str = "", reason: str = "") -> None:
    """Delete a topic or path; its address leads to the index then.

    Raises:
        Stale: somebody was faster.
    """
    kind, shows = str(row._meta.verbose_name), [row.podcast] if row.podcast else None
    with changing(
        user, f"delete {kind}", str(row), about(row), podcasts=shows, reason=reason
    ) as record:
        _delete(record, _fresh(row, seen), None)
        record.tell(kind, str(row), "")


def _delete(record: Recorder, row: Topic | LearningPath, into: Topic | None) -> None:
    """Delete a topic or path; its addresses redirect to another one, or to the index."""
    kind, slug = _redirected(row), row.slug
    for old in row.former.all():
        setattr(old, kind, into)
        record.save(old)
    record.delete(row)
    record.save(Redirect(kind=kind, slug=slug, **{kind: into}))


def save_configuration(
    user: User, row: Podcast | Source, *, seen: str = "", reason: str = ""
) -> None:
    """Make or change a show or a source.

    Raises:
        Stale: somebody was faster.
    """
    name = row.name(several=Podcast.objects.several()) if isinstance(row, Source) else str(row)
    with _saving(user, row, name, CONFIGURE, seen, reason):
        pass
