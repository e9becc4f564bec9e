"""Topics, learning paths, shows and sources: saved, merged and deleted. An old address of a topic or path
redirects."""

from typing import Any

from django.db import models

from ..models import LearningPath, Podcast, Redirect, Source, Topic
from ..resolve import topic_slug
from .history import (
    CONFIGURE,
    CURATE,
    AnyUser,
    EditConflict,
    InvalidChange,
    Recorder,
    check_choice_unchanged,
    check_unchanged,
    open_change_recorder,
    row_history_key,
    row_token,
)

TERM_KINDS = ("title", "notes", "links", "hints", "excludes")


def save_row(
    user: AnyUser,
    row: Topic | LearningPath | Podcast | Source,
    *,
    token: str = "",
    reason: str = "",
) -> None:
    """Add or change a topic, path, show or source.

    If the slug of a topic or path changes, the old address redirects to the new one.

    Raises:
        InvalidChange: another topic has its name, or an alias of it, whatever the case.
        EditConflict: somebody was faster.
    """
    kind = str(row._meta.verbose_name)
    is_new = row._state.adding
    verb = f"add {kind}" if is_new else f"edit {kind}"
    permission = CURATE if isinstance(row, Topic | LearningPath) else CONFIGURE
    name = str(row)
    if isinstance(row, Topic):
        require_unique_names(row)
        # A topic that a person edited no longer counts as one that keywords of a feed declare.
        row.declared = False
    if isinstance(row, Source):
        # With several shows, the name of a source includes its show.
        name = row.name(several=Podcast.objects.several())
    with open_change_recorder(
        user,
        verb,
        name,
        row_history_key(row),
        podcasts=_affected_shows_or_none_for_all(row),
        reason=reason,
        permission=permission,
    ) as recorder:
        if is_new:
            recorder.save(row)
            recorder.describe(kind, before="", after=name)
            # Again, because the key has the id of the row, which a new row gets when it is saved.
            recorder.subject_key = row_history_key(row)
            _delete_redirects_from_address_in_use(recorder, row)
        else:
            stored = _load_stored_row_or_raise_conflict(row)
            check_unchanged(stored, token, row_token(stored))
            recorder.save(row)
            _record_column_changes(recorder, stored, row)
            _delete_redirects_from_address_in_use(recorder, row)
            _redirect_from_old_slug(recorder, row, stored.slug)


def _delete_redirects_from_address_in_use(recorder: Recorder, row: models.Model) -> None:
    if isinstance(row, Topic | LearningPath):
        for redirect in Redirect.objects.filter(kind=row.redirect_kind, slug=row.slug):
            recorder.delete(redirect)


def _redirect_from_old_slug(recorder: Recorder, row: models.Model, old_slug: str) -> None:
    if isinstance(row, Topic | LearningPath) and old_slug != row.slug:
        # "topic" or "path": the kind of a redirect is also the name of its column for the target.
        kind = row.redirect_kind
        recorder.save(Redirect(kind=kind, slug=old_slug, **{kind: row}))


def _record_column_changes(recorder: Recorder, stored: models.Model, row: models.Model) -> None:
    # Columns that may be secret, and the property that the history shows in their place.
    display_properties = {
        "feed_url": "display_feed_url",
        "address": "display_address",
        "moved_to": "display_moved_to",
        "login": "display_login",
    }
    for column in row._meta.concrete_fields:
        if getattr(stored, column.name) != getattr(row, column.name):
            name = display_properties.get(column.name, column.name)
            before = describe_column_value(getattr(stored, name))
            after = describe_column_value(getattr(row, name))
            recorder.lines.append([str(column.verbose_name), before, after])


def describe_column_value(value: object) -> str:
    """Return the value of a column in words, or "" for None: {"title": ["jit", "fx"], "links": []} is
    "title: jit, fx"."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        parts = [f"{name}: {describe_column_value(part)}" for name, part in value.items() if part]
        return "; ".join(parts)
    if isinstance(value, list | models.QuerySet):
        return ", ".join(map(describe_column_value, value))
    return str(value)


def _affected_shows_or_none_for_all(row: models.Model) -> set[Podcast] | None:
    """Return the shows with catalogs that depend on a row, now or as it is stored. None means all shows."""
    # All shows share the addresses of episodes, so a show or source may change any of them.
    if not isinstance(row, Topic | LearningPath):
        return None
    stored_rows = type(row)._default_manager.filter(pk=row.pk)  # none if it is new
    shows = set()
    # The form may have moved the row to another show. Then the catalogs of both depend on it.
    for new_or_stored_row in (row, *stored_rows.select_related("podcast")):
        # A topic or path without a show belongs to all shows.
        if new_or_stored_row.podcast is None:
            return None
        shows.add(new_or_stored_row.podcast)
    if isinstance(row, Topic) and row.pk is not None:
        # Episodes of other shows have the topic, if their keywords are its name.
        shows.update(Podcast.objects.filter(episodes__topic_uses__topic=row.pk))
    return shows


def _load_stored_row_or_raise_conflict(row: Any) -> Any:
    """Return a row as it is stored now.

    Raises:
        EditConflict: it was deleted.
    """
    stored = type(row)._default_manager.filter(pk=row.pk).first()
    if stored is None:
        raise EditConflict(
            f"“{row}” was deleted, or merged with another, since you opened this form. "
            "Nothing was written."
        )
    return stored


def require_unique_names(topic: Topic) -> None:
    names = _folded_names(topic)
    for existing in Topic.objects.exclude(pk=topic.pk).select_related("podcast"):
        if names.intersection(_folded_names(existing)):
            show = f" of {existing.podcast}" if existing.podcast else ""
            raise InvalidChange(
                f"The topic {existing.name}{show} has one of these names already; merge them, or "
                "give it to every show."
            )


def _folded_names(topic: Topic) -> set[str]:
    return {name.casefold() for name in (topic.name, topic.slug, *topic.aliases)}


def merge_topics(
    user: AnyUser, topic: Topic, into: Topic, *, token: str = "", reason: str = ""
) -> None:
    """Merge a topic into another one, which gets its names, terms and address. Delete the first.

    `token` has the tokens of both topics, with a space between.

    Raises:
        InvalidChange: they are the same topic, or `into` is a topic of another show.
        EditConflict: somebody was faster.
    """
    if topic.pk == into.pk:
        raise InvalidChange("A topic cannot be merged with itself.")
    # Episodes of all shows, or of another one, would lose the topic.
    if into.podcast_id and topic.podcast_id != into.podcast_id:
        raise InvalidChange(
            f"{into.name} is a topic of one show only; {topic.name} is not of that show alone."
        )
    shows = _affected_shows_or_none_for_all(into)
    if shows is not None:
        shows.update(Podcast.objects.filter(episodes__topic_uses__topic=topic))
    with open_change_recorder(
        user,
        "merge topics",
        f"{topic.name} into {into.name}",
        row_history_key(into),
        podcasts=shows,
        reason=reason,
    ) as recorder:
        topic_token, _, into_token = token.partition(" ")
        topic = _load_stored_row_or_raise_conflict(topic)
        check_unchanged(topic, topic_token, row_token(topic))
        into = _load_stored_row_or_raise_conflict(into)
        check_choice_unchanged(into, into_token, row_token(into))
        # A topic that a person edited no longer counts as one that keywords of a feed declare.
        into.declared = False
        _add_names_and_terms(into, topic)
        _delete_and_redirect(recorder, topic, into=into)
        recorder.save(into)
        recorder.describe("topics", before=f"{topic.name}, {into.name}", after=into.name)


def _add_names_and_terms(into: Topic, topic: Topic) -> None:
    # `dict.fromkeys` drops equal texts and keeps the order.
    aliases = [*into.aliases, topic.name, *topic.aliases]
    into.aliases = list(dict.fromkeys(aliases))
    for kind, terms in topic.rules.items():
        all_terms = [*into.rules.get(kind, ()), *terms]
        into.rules[kind] = list(dict.fromkeys(all_terms))


def delete_topic_or_path(
    user: AnyUser, row: Topic | LearningPath, *, token: str = "", reason: str = ""
) -> None:
    """Delete a topic or path, and redirect its address to the index.

    Raises:
        EditConflict: somebody was faster.
    """
    kind = str(row._meta.verbose_name)
    with open_change_recorder(
        user,
        f"delete {kind}",
        str(row),
        row_history_key(row),
        podcasts=_affected_shows_or_none_for_all(row),
        reason=reason,
    ) as recorder:
        stored = _load_stored_row_or_raise_conflict(row)
        check_unchanged(stored, token, row_token(stored))
        _delete_and_redirect(recorder, stored, into=None)
        if isinstance(stored, Topic):
            _keep_keywords_from_making_topic_again(recorder, stored)
        recorder.describe(kind, before=str(row), after="")


def _keep_keywords_from_making_topic_again(recorder: Recorder, deleted_topic: Topic) -> None:
    """Store redirects for the names of a deleted topic. A keyword of a feed makes no topic with a redirect."""
    slugs = {topic_slug(name) for name in (deleted_topic.name, *deleted_topic.aliases)}
    slugs_of_topics = Topic.objects.filter(slug__in=slugs).values_list("slug", flat=True)
    redirects = Redirect.objects.filter(kind="topic", slug__in=slugs)
    former_slugs = redirects.values_list("slug", flat=True)
    unused_slugs = slugs.difference(slugs_of_topics, former_slugs)
    for slug in sorted(unused_slugs):
        recorder.save(Redirect(kind="topic", slug=slug))


def _delete_and_redirect(recorder: Recorder, row: Topic | LearningPath, into: Topic | None) -> None:
    """Delete a topic or path. Redirect its addresses to the topic `into`, or to the index for None."""
    slug = row.slug
    # "topic" or "path": the kind of a redirect is also the name of its column for the target.
    kind = row.redirect_kind
    for redirect in row.former.all():
        setattr(redirect, kind, into)
        recorder.save(redirect)
    recorder.delete(row)
    recorder.save(Redirect(kind=kind, slug=slug, **{kind: into}))
