"""Changes of what episodes share: topics, paths, shows and sources as rows, whose old addresses
redirect; people, links and symbols by natural keys, wherever and whenever they are named. And the
answers in the inbox: what readers suggest is decided and credited, or kept and never shown; rows are
called no problem."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.utils import timezone

from ..models import (
    DISMISSAL,
    Change,
    CodeName,
    Decision,
    LearningPath,
    Link,
    Person,
    Podcast,
    Redirect,
    Source,
    Suggestion,
    Topic,
    way_on,
)
from ..resolve import WordCorrection, folded_key, topic_slug
from ..text.fingerprints import fingerprint, stable_hash
from .decide import add_to_list, correct_transcript, episode_of_ref, override, person_key
from .history import (
    CONFIGURE,
    CURATE,
    AnyUser,
    EditConflict,
    InvalidChange,
    Recorder,
    batch_changes,
    check_unchanged,
    record_change,
    row_token,
)

VERBS = {Suggestion.ACCEPTED: "accept suggestion", Suggestion.REFUSED: "refuse suggestion"}
TERM_KINDS = ("title", "notes", "links", "hints", "excludes")
# Columns that may be secret, and what the history tells in their place.
DISPLAYED_BY = {
    "feed_url": "display_feed_url",
    "address": "display_address",
    "moved_to": "display_moved_to",
    "login": "display_login",
}
NAMESAKE = "namesake"  # the field of a dismissal that keeps people of one name apart
NAMES = {"same": "same as", "image": "photo", "url": "web page"}


# --- Topics, paths, shows and sources -----------------------------------------------------------


def row_history_key(row: models.Model) -> str:
    """The key of the history of a show, source, topic or path."""
    return f"{row._meta.model_name}:{row.pk}"


def save_row(
    user: AnyUser,
    row: Topic | LearningPath | Podcast | Source,
    *,
    seen: str = "",
    reason: str = "",
) -> None:
    """Make or change a topic, path, show or source; after a change of slug the old address of a
    topic or path leads to the new one.

    Raises:
        Impossible: another topic has its name, or an alias of it, whatever the case.
        Stale: somebody was faster.
    """
    kind, name, adding = str(row._meta.verbose_name), str(row), row._state.adding
    if isinstance(row, Topic):
        check_unique_names(row)
        row.declared = False
    if isinstance(row, Source):
        name = row.name(several=Podcast.objects.several())
    verb, where = (
        ("add", f"{row._meta.model_name}:new") if adding else ("edit", row_history_key(row))
    )
    with record_change(
        user,
        f"{verb} {kind}",
        name,
        where,
        podcasts=_touched(row),
        reason=reason,
        permission=CURATE if isinstance(row, Topic | LearningPath) else CONFIGURE,
    ) as record:
        before = None if adding else _fresh(row, seen)
        record.save(row)
        if isinstance(row, Topic | LearningPath):
            led, old = row.redirect_kind, getattr(before, "slug", row.slug)
            # An address that is somebody's own redirects no more; the one that it had leads to it.
            for taken in Redirect.objects.filter(kind=led, slug=row.slug):
                record.delete(taken)
            if old != row.slug:
                record.save(Redirect(kind=led, slug=old, **{led: row}))
        if before is None:
            record.tell(kind, "", name)
            return
        _tell_columns(record, before, row)


def _tell_columns(record: Recorder, before: models.Model, row: models.Model) -> None:
    """Add a line of history for each column that changed."""
    for column in row._meta.concrete_fields:
        if getattr(before, column.name) != getattr(row, column.name):
            name = DISPLAYED_BY.get(column.name, column.name)
            was, now = getattr(before, name), getattr(row, name)
            record.told.append([str(column.verbose_name), describe_value(was), describe_value(now)])


def _touched(row: models.Model) -> set[Podcast] | None:
    """The shows that a topic or path is of, now and as it is stored; None for all."""
    if not isinstance(row, Topic | LearningPath):
        return None
    stored = type(row)._default_manager.filter(pk=row.pk).select_related("podcast")
    shows: set[Any] = {one.podcast for one in (row, *stored)}
    if isinstance(row, Topic) and row.pk is not None:
        # Keywords of other shows may be the topic's name.
        shows |= set(Podcast.objects.filter(episodes__topic_uses__topic=row.pk))
    return None if None in shows else shows


def describe_value(value: object) -> str:
    """A value of a column for people: lists with commas, the rules of a topic by their kinds."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "; ".join(f"{name}: {describe_value(part)}" for name, part in value.items() if part)
    if isinstance(value, list | models.QuerySet):
        return ", ".join(map(describe_value, value))
    return "" if value is None else str(value)


def _fresh(row: Any, seen: str) -> Any:
    """The row as it is stored, unless it is another than was seen."""
    before = type(row)._default_manager.filter(pk=row.pk).first()
    if before is None:
        raise EditConflict(
            f"“{row}” was deleted, or merged with another, since you opened this form. Nothing was "
            "written."
        )
    check_unchanged(before, seen, row_token(before))
    return before


def check_unique_names(topic: Topic) -> None:
    """Refuse names that another topic has, whatever the case.

    Raises:
        Impossible: says which.
    """
    rows = Topic.objects.exclude(pk=topic.pk).select_related("podcast")
    # The topic comes first: what it is called is what the others may not be.
    wanted, *theirs = (
        {name.casefold() for name in (one.name, one.slug, *one.aliases)} for one in (topic, *rows)
    )
    for other, names in zip(rows, theirs, strict=True):
        if wanted & names:
            whose = f" of {other.podcast}" if other.podcast else ""
            raise InvalidChange(
                f"The topic {other.name}{whose} has one of these names already; merge them, or give "
                "it to every show."
            )


def merge_topics(
    user: AnyUser, one: Topic, into: Topic, *, seen: str = "", reason: str = ""
) -> None:
    """Make one topic of two: names and terms of the first go to the second, and so does its
    address. `seen` are the tokens of both.

    Raises:
        Impossible: they are one, or the second is of another show. Stale: somebody was faster.
    """
    if one.pk == into.pk:
        raise InvalidChange("A topic cannot be merged with itself.")
    if into.podcast_id and one.podcast_id != into.podcast_id:
        raise InvalidChange(
            f"{into.name} is a topic of one show only; {one.name} is not of that show alone."
        )
    subject = f"{one.name} into {into.name}"
    shows = _touched(into)
    if shows is not None:
        shows |= set(Podcast.objects.filter(episodes__topic_uses__topic=one))
    with record_change(
        user, "merge topics", subject, row_history_key(into), podcasts=shows, reason=reason
    ) as record:
        first, second, *_ = [*seen.split(), "", ""]
        one, into = _fresh(one, first), _fresh(into, second)
        into.declared = False
        into.aliases = list(dict.fromkeys((*into.aliases, one.name, *one.aliases)))
        for kind, terms in one.rules.items():
            into.rules[kind] = list(dict.fromkeys((*into.rules.get(kind, ()), *terms)))
        _delete(record, one, into)
        record.save(into)
        record.tell("topics", subject.replace(" into ", ", "), into.name)


def delete_row(
    user: AnyUser, row: Topic | LearningPath, *, seen: str = "", reason: str = ""
) -> None:
    """Delete a topic or path; its address leads to the index then.

    Raises:
        Stale: somebody was faster.
    """
    kind, shows = str(row._meta.verbose_name), _touched(row)
    with record_change(
        user, f"delete {kind}", str(row), row_history_key(row), podcasts=shows, reason=reason
    ) as record:
        _delete(record, _fresh(row, seen), None)
        if isinstance(row, Topic):
            _keep_away(record, row)
        record.tell(kind, str(row), "")


def _keep_away(record: Recorder, topic: Topic) -> None:
    """Let no keyword of a feed make a topic again under a name of a deleted topic."""
    slugs = {topic_slug(name) for name in (topic.name, *topic.aliases)}
    slugs -= set(Topic.objects.filter(slug__in=slugs).values_list("slug", flat=True))
    ledger = Redirect.objects.filter(kind="topic", slug__in=slugs)
    for slug in sorted(slugs - set(ledger.values_list("slug", flat=True))):
        record.save(Redirect(kind="topic", slug=slug))


def _delete(record: Recorder, row: Topic | LearningPath, into: Topic | None) -> None:
    """Delete a topic or path; its addresses redirect to another one, or to the index."""
    kind, slug = row.redirect_kind, row.slug
    for old in row.former.all():
        setattr(old, kind, into)
        record.save(old)
    record.delete(row)
    record.save(Redirect(kind=kind, slug=slug, **{kind: into}))


# --- People, links and symbols -----------------------------------------------------------------


@dataclass(frozen=True)
class CorrectionSubject:
    """Something that corrections are about: its kind and natural key, and what it is called."""

    kind: str
    key: str
    name: str

    @classmethod
    def of(cls, row: Person | Link | CodeName) -> "CorrectionSubject":
        if isinstance(row, Person):
            return cls("person", row.identity, row.name)
        if isinstance(row, Link):
            return cls("link", folded_key(row.key), row.title or row.key)
        return cls("symbol", row.name, row.name)

    @property
    def about(self) -> str:
        """The key of its history."""
        return f"{self.kind}:{stable_hash(self.key, 32)}"

    @property
    def token(self) -> str:
        """Token by which a form notices that a thing was corrected since it was opened, or that it
        is another."""
        last = Change.objects.filter(about=self.about).aggregate(last=models.Max("pk"))["last"]
        return fingerprint(self.about, last)

    @property
    def decisions(self) -> models.QuerySet[Decision]:
        """The corrections in force of all things of its kind."""
        return Decision.objects.in_force(f"correct-{self.kind}")

    def corrections(self) -> models.QuerySet[Decision]:
        """The corrections in force about it."""
        return self.decisions.filter(key=self.key)


def save_corrections(
    user: AnyUser,
    thing: CorrectionSubject,
    values: Mapping[str, str],
    *,
    verb: str = "correct",
    shown: str = "",
    seen: str = "",
    reason: str = "",
) -> None:
    """Give a thing a curator's values, on every page and for every later import. An empty value
    ends a correction. `shown` is the value in words where it is a key.

    Raises:
        Stale: somebody was faster.
    """
    with record_change(
        user, f"{verb} {thing.kind}", thing.name, thing.about, reason=reason
    ) as record:
        check_unchanged(thing.name, seen, thing.token)
        for field, typed in values.items():
            # A key is kept as it is: it has to be equal to that of the other.
            value = typed if shown else " ".join(typed.replace("\0", "").split())
            earlier = thing.corrections().filter(field=field, podcast=None).first()
            before = earlier.value if earlier else ""
            if value and value != before:
                where = {"key": thing.key, "detail": thing.name[:300], "reason": reason}
                record.decide(f"correct-{thing.kind}", **where, field=field, value=value)
            elif earlier and not value:
                record.end(earlier)
            record.tell(NAMES.get(field, field), before, shown or value)


def hide_subject(
    user: AnyUser, thing: CorrectionSubject, *, seen: str = "", reason: str = ""
) -> None:
    """Say that something is no person or no symbol, or a link that is not to be shown: it stays
    away.

    Raises:
        Stale: somebody was faster.
    """
    save_corrections(user, thing, {"hidden": "yes"}, verb="hide", seen=seen, reason=reason)


def merge_subjects(
    user: AnyUser,
    one: CorrectionSubject,
    into: CorrectionSubject,
    *,
    seen: str = "",
    reason: str = "",
) -> None:
    """Say that a person or a symbol is another one; what names the first means the second from then
    on.

    Raises:
        Impossible: they are one. Stale: somebody was faster.
    """
    leads = dict(one.decisions.filter(field="same").values_list("key", "value"))
    # In a circle nobody would be left whose name is shown.
    if one.key in way_on(into.key, leads):
        raise InvalidChange(f"{one.name} and {into.name} are one already.")
    same, how = {"same": into.key}, {"seen": seen, "reason": reason}
    save_corrections(user, one, same, verb="merge", shown=into.name, **how)


# --- Answers in the inbox: suggestions of readers ------------------------------------------------


def dismiss_source(user: AnyUser, source: Source, state: str, address: str = "") -> None:
    """Leave a source out of the inbox while it has this state, or its document at `address`."""
    subject = address or source.label(several=True)
    with record_change(user, "dismiss", subject, row_history_key(source), podcasts=[]) as record:
        subject_keys = {"podcast": source.podcast, "source": source.slug, "key": address}
        record.decide(DISMISSAL, **subject_keys, field="source", value=state, detail=subject[:300])
        record.tell("inbox", "open", "not a problem")


def keep_namesakes_apart(user: AnyUser, person: CorrectionSubject) -> None:
    """Decide that a person is not another person of the same name."""
    with record_change(user, "keep apart", person.name, person.about, podcasts=[]) as record:
        record.decide(
            DISMISSAL, key=person.key, field=NAMESAKE, value="different", detail=person.name[:300]
        )
        record.tell("people of this name", "one or two?", "different people")


def accept_suggestion(user: AnyUser, one: Suggestion) -> None:
    """Decide what a reader suggests.

    Raises:
        Impossible: its episode is gone, or the value is none for the field.
    """
    credit = f"Suggested by {one.name or 'a reader'}."
    # The decision and the answer are undone together.
    with batch_changes([one.podcast], "accept suggestion"):
        _decide(user, one, f"{credit} {one.evidence}".strip())
        close_suggestion(user, one, Suggestion.ACCEPTED)


def _decide(user: AnyUser, one: Suggestion, reason: str) -> None:
    if one.kind != "episode":
        key = folded_key(one.key) if one.kind == "link" else one.key
        save_corrections(
            user,
            CorrectionSubject(one.kind, key, one.subject),
            {one.field: one.value},
            reason=reason,
        )
        return
    episode = episode_of_ref((one.source, one.item_key), one.podcast)
    if episode is None:
        raise InvalidChange("The episode is gone.")
    match one.field:
        case "host" | "guest":
            key, detail = person_key(one.podcast, one.value), f"{one.field} {one.value}"
            add_to_list(user, episode, "person", key, detail, reason=reason)
        case "words":
            correct_transcript(
                user, episode, WordCorrection("", one.wrong, "", one.value), reason=reason
            )
        case _:
            override(user, episode, {one.field: one.value}, reason=reason)


def close_suggestion(user: AnyUser, one: Suggestion, state: str) -> None:
    """Keep a suggestion as accepted or refused. The reader's address and network are forgotten
    first, so that the history does not hold them."""
    Suggestion.objects.filter(pk=one.pk).update(contact="", network="")
    one.contact, one.network = "", ""
    one.state, one.settled_at = state, timezone.now()
    verb, about = VERBS[state], f"suggestion:{one.pk}"
    with record_change(user, verb, one.subject, about, podcasts=[]) as record:
        record.save(one)
        record.tell("suggestion", one.value, state)
