"""Changes of topics, paths, shows and sources; old addresses of topics and paths redirect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import models

from ..ingest import move_documents
from ..models import LearningPath, Podcast, Source, Status, Topic
from ..resolve import term_trouble
from .history import CONFIGURE, CURATE, Impossible, Recorder, Stale, User, changing, state

Saved = TypeVar("Saved", bound=models.Model)
TERMS = ("title", "notes", "links", "hints", "excludes")


def about(row: models.Model) -> str:
    """The key of the history of a show, source or topic."""
    return f"{row._meta.model_name}:{row.pk}"


def save_topic(user: User, topic: Topic, *, seen: str = "", reason: str = "") -> None:
    """Make or change a topic; after a change of slug the old address leads to the new one.

    Raises:
        Impossible: another topic has its name, or an alias of it, whatever the case; or a term of
        its
            rules cannot be read. Stale: somebody was faster.
    """
    unlike_others(topic)
    for kind in TERMS:
        for term in topic.rules.get(kind, ()):
            if trouble := term_trouble(kind, term):
                raise Impossible(f"{kind}: “{term[:60]}”: {trouble}.")
    with _saving(user, topic, topic.name, CURATE, seen, reason) as (record, before):
        _keep_address(record, topic, before.slug if before else "")


def save_path(user: User, path: LearningPath, *, seen: str = "", reason: str = "") -> None:
    """Make or change a path; after a change of slug the old address leads to the new one.

    Raises:
        Stale: somebody was faster.
    """
    with _saving(user, path, path.title, CURATE, seen, reason, podcasts=_shows_of(path)) as (
        record,
        before,
    ):
        _keep_address(record, path, before.slug if before else "")


@contextmanager
def _saving(
    user: User,
    row: Saved,
    name: str,
    permission: str,
    seen: str,
    reason: str,
    podcasts: Sequence[Podcast] | None = None,
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
            was, now = getattr(before, column.name), getattr(row, column.name)
            if was != now:
                record.tell(str(column.verbose_name), _in_words(was), _in_words(now))


def _in_words(value: object) -> object:
    """A value of a column for people: the rules of a topic and the steps of a path a line each, a
    list with commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_in_words(part)}" for name, part in value.items() if part)
    if isinstance(value, list):
        steps = [
            f"{n}. {': '.join(map(str, step.values()))}"
            for n, step in enumerate(value, 1)
            if isinstance(step, dict)
        ]
        return "\n".join(steps) or ", ".join(map(str, value))
    return "" if value is None else value


def _keep_address(record: Recorder, row: Any, before: str) -> None:
    """Let an address that a topic or path had lead to it; what it has now is nobody's former
    one."""
    former = row.former
    for old in former.model.objects.filter(slug=row.slug):
        record.delete(old)
    if before and before != row.slug:
        record.save(former.model(slug=before, **{former.field.name: row}))


def _shows_of(path: LearningPath) -> Sequence[Podcast] | None:
    """The show that a path is of; None for all."""
    return [path.podcast] if path.podcast else None


def _fresh(row: Saved, seen: str) -> Saved:
    """The row as it is stored, unless it is another than was seen."""
    before: Saved | None = type(row)._default_manager.filter(pk=row.pk).first()
    if before is None:
        raise Stale(
            f"“{row}” was deleted, or merged with another, since you opened this form. Nothing was written."
        )
    if seen and state(before) != seen:
        raise Stale(
            f"Somebody changed “{before}” since you opened this form. Your changes were not saved."
        )
    return before


def names_of(topic: Topic) -> tuple[str, ...]:
    return (topic.name, topic.slug, *topic.aliases)


def unlike_others(topic: Topic) -> None:
    """Refuse names that another topic has.

    Raises:
        Impossible: says which.
    """
    own = {name.casefold() for name in names_of(topic)}
    for other in Topic.objects.exclude(pk=topic.pk):
        shared = own & {name.casefold() for name in names_of(other)}
        if shared:
            raise Impossible(
                f"“{min(shared)}” is a name of the topic {other.name} already; merge them instead."
            )


def merge_topics(
    user: User, one: Topic, into: Topic, *, seen: Sequence[str] = (), reason: str = ""
) -> None:
    """Make one topic of two: names and terms of the first go to the second, and so does its
    address.

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
        first, second = [*seen, "", ""][:2]
        one, into = _fresh(one, first), _fresh(into, second)
        into.aliases = list(dict.fromkeys((*into.aliases, one.name, *one.aliases)))
        terms = {kind: (*into.rules.get(kind, ()), *one.rules.get(kind, ())) for kind in TERMS}
        into.rules = {kind: list(dict.fromkeys(both)) for kind, both in terms.items() if both}
        _delete(record, one, into)
        record.save(into)
        record.tell("topics", subject.replace(" into ", ", "), into.name)


def delete_topic(user: User, topic: Topic, *, seen: str = "", reason: str = "") -> None:
    """Delete a topic; its address leads to the index of topics then."""
    with changing(user, "delete topic", topic.name, about(topic), reason=reason) as record:
        topic = _fresh(topic, seen)
        _delete(record, topic, None)
        record.tell("topic", topic.name, "")


def delete_path(user: User, path: LearningPath, *, seen: str = "", reason: str = "") -> None:
    """Delete a path; its address leads to the index of paths then.

    Raises:
        Stale: somebody was faster.
    """
    with changing(
        user,
        "delete learning path",
        path.title,
        about(path),
        podcasts=_shows_of(path),
        reason=reason,
    ) as record:
        path = _fresh(path, seen)
        _delete(record, path, None)
        record.tell("path", path.title, "")


def _delete(record: Recorder, row: Any, into: Topic | None) -> None:
    """Delete a topic or path; its addresses redirect to another one, or to the index."""
    former, slug = row.former, row.slug
    for old in former.all():
        setattr(old, former.field.name, into)
        record.save(old)
    record.delete(row)
    record.save(former.model(slug=slug, **{former.field.name: into}))


def save_configuration(
    user: User, row: Podcast | Source, *, seen: str = "", reason: str = ""
) -> None:
    """Make or change a show or a source.

    Raises:
        Stale: somebody was faster.
    """
    name = row.name(several=Podcast.objects.several()) if isinstance(row, Source) else str(row)
    podcasts = [row.podcast] if isinstance(row, Source) else None
    with _saving(user, row, name, CONFIGURE, seen, reason, podcasts=podcasts) as (_, before):
        if isinstance(before, Source) and isinstance(row, Source) and before.address != row.address:
            move_documents(
                row, before.address, row.address
            )  # the next version is judged by the last one


STATUS_VERBS = {
    Status.ACTIVE: "resume source",
    Status.PAUSED: "pause source",
    Status.ARCHIVED: "archive source",
    Status.REMOVED: "remove source",
}


def set_status(
    user: User, source: Source, status: str, *, seen: str = "", reason: str = ""
) -> None:
    """Pause, resume, archive or remove a source; what it listed stays in evidence.

    Raises:
        Impossible: there is no such status. Stale: somebody was faster.
    """
    if status not in Status.values:
        raise Impossible("Choose active, paused, archived or removed.")
    name = source.name(several=Podcast.objects.several())
    resolved = [source.podcast] if Status.REMOVED in (status, source.status) else []
    verb = STATUS_VERBS[Status(status)]
    about_source = about(source)
    with changing(
        user, verb, name, about_source, podcasts=resolved, reason=reason, permission=CONFIGURE
    ) as record:
        before = _fresh(source, seen)
        source.status = status
        record.save(source)
        record.tell("status", before.get_status_display(), source.get_status_display())
