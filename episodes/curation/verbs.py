"""What a curator can do to episodes: correct, release, judge, merge, split; each one change with its history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import TypeVar

from ..fields import BY_NAME
from ..models import Addition, Attachment, Episode, Item, Judgement, Override, Podcast, Removal
from .addresses import trouble_with_address
from .history import Recorder, User, about_episode, changes_of, changing

Ref = tuple[str, str]  # source and key of an entry
Row = TypeVar("Row", Override, Removal, Addition)


class Impossible(Exception):
    """What was asked makes no sense; the message is for the person."""


class Stale(Exception):
    """Somebody else changed the episode since the form was opened; nothing was written. The message says who and what."""


# --- What decisions hang on ------------------------------------------------------------------------------------------


def refs(episode: Episode) -> list[Ref]:
    """The entries of an episode by source and key, the one that new decisions hang on first."""
    rows = Attachment.objects.filter(episode=episode).select_related("item__document__source")
    items = sorted((row.item for row in rows), key=order_of)
    return list(dict.fromkeys((item.document.source.slug, item.key) for item in items))


def order_of(item: Item) -> tuple[object, ...]:
    source = item.document.source
    return (item.gone_version is not None, source.rank, source.slug, item.document.address, item.position, item.key)


def anchor(episode: Episode) -> Ref:
    found = refs(episode)
    if not found:
        raise Impossible("No entry belongs to this episode any more.")
    return found[0]


def token(episode: Episode) -> str:
    """What a form carries to learn whether somebody decided about the episode since it was opened."""
    last = changes_of(episode).order_by("-id").values_list("id", flat=True).first()
    return token_for(episode.slug, last)


def token_for(slug: str, last: int | None) -> str:
    return sha256(f"{slug} {last}".encode()).hexdigest()[:16]


def _fresh(episode: Episode, seen: str) -> None:
    if seen and seen != token(episode):
        change = changes_of(episode).order_by("-id").first()
        who = getattr(change, "made_by", None) or "somebody"
        what = ", ".join(line[0] for line in change.told) if change else "its entries"
        raise Stale(f"{who} changed {what} since you opened this form. Nothing of yours was written; look again.")


def _about(episode: Episode) -> str:
    return about_episode(episode.podcast, *anchor(episode))


def hung(podcast: Podcast, ref: Ref, reason: str) -> dict[str, object]:
    return {"podcast": podcast, "source": ref[0], "item_key": ref[1], "reason": reason}


def in_force(model: type[Row], episode: Episode, **more: object) -> list[Row]:
    """The decisions of one kind about any entry of the episode, oldest first."""
    own = set(refs(episode))
    keys = {key for _, key in own}
    rows = model._default_manager.filter(podcast=episode.podcast, item_key__in=keys, ended_at=None, **more)
    return [row for row in rows.order_by("made_at", "id") if (row.source, row.item_key) in own]


@contextmanager
def about_one(user: User, verb: str, episode: Episode, seen: str, reason: str) -> Iterator[Recorder]:
    with changing(user, verb, episode.heading, _about(episode), podcasts=[episode.podcast], reason=reason) as record:
        _fresh(episode, seen)
        yield record


# --- Fields ----------------------------------------------------------------------------------------------------------


def clean(name: str, value: str) -> str:
    """The value as it is stored.

    Raises:
        Impossible: it is none for this field.
    """
    field = BY_NAME.get(name)
    if field is None or not field.overridable:
        raise Impossible(f"no field is called {name}")
    typed = value.replace("\r\n", "\n").replace("\0", "").strip()
    parsed = field.parse(typed) if typed else None
    if typed and parsed is None:
        raise Impossible(f"{name.replace('_', ' ')}: {field.expects}")
    return field.text(parsed)


def shown(episode: Episode, name: str) -> str:
    """The value of a field as an override would say it."""
    return BY_NAME[name].shown(episode)


def override(user: User, episode: Episode, values: Mapping[str, str], *, seen: str = "", reason: str = "") -> None:
    """Give fields a curator's own values; each is locked until it is released.

    Raises:
        Impossible: a value is none for its field, or is another episode's address. Stale: somebody was faster.
    """
    wanted = {name: clean(name, value) for name, value in values.items()}
    with about_one(user, "edit", episode, seen, reason) as record:
        _override(record, [episode], wanted, reason)


def _override(record: Recorder, episodes: Sequence[Episode], values: Mapping[str, str], reason: str) -> None:
    """Give the first of the episodes own values; the others are about to become one with it."""
    episode = episodes[0]
    for name, value in values.items():
        there = in_force(Override, episode, field=name)
        if there and there[-1].value == value:
            continue
        if name == "slug" and (trouble := trouble_with_address(value, episode.podcast, episodes)):
            raise Impossible(trouble)
        # After a merge entries may bring several; those of the others come back into their own when it is split again.
        for row in there:
            if (row.source, row.item_key) == anchor(episode):
                record.end(row)
        record.save(Override(**hung(episode.podcast, anchor(episode), reason), field=name, value=value))
        record.tell(name, shown(episode, name), value)


def release(user: User, episode: Episode, names: Iterable[str], *, seen: str = "", reason: str = "") -> None:
    """Let fields follow the sources again."""
    with about_one(user, "release", episode, seen, reason) as record:
        for name in names:
            for row in in_force(Override, episode, field=name):
                record.end(row)
                record.tell(name, shown(episode, name), "as the sources say")


# --- What belongs together -------------------------------------------------------------------------------------------


def item_ref(item: Item) -> Ref:
    return (item.document.source.slug, item.key)


def _rule(record: Recorder, podcast: Podcast, one: Ref, other: Ref | None, verdict: str, reason: str) -> None:
    """Judge a pair, or one entry alone, in place of what was judged of them before."""
    pair = other or ("", "")
    for left, right in ((one, pair), (pair, one)) if other else ((one, pair),):
        for row in Judgement.objects.filter(
            podcast=podcast, source=left[0], item_key=left[1], other_source=right[0], other_key=right[1], ended_at=None
        ):
            record.end(row)
    row = Judgement(**hung(podcast, one, reason), other_source=pair[0], other_key=pair[1], verdict=verdict)
    record.save(row)


def judge(user: User, item: Item, episode: Episode, verdict: str, *, reason: str = "") -> None:
    """Say that an entry is, or is not, the episode ("same", "different")."""
    podcast = episode.podcast
    subject = item.heading
    with changing(
        user, f"judge {verdict}", subject, _about_item(podcast, item), podcasts=[podcast], reason=reason
    ) as record:
        theirs = refs(episode)
        # Apart from all of its entries, together with one: what joins them joins the rest.
        for ref in theirs if verdict == "different" else theirs[:1]:
            _rule(record, podcast, item_ref(item), ref, verdict, reason)
        record.tell("belongs to", "held", f"{episode.heading}: {verdict}")


def _about_item(podcast: Podcast, item: Item) -> str:
    return about_episode(podcast, *item_ref(item))


def make_episode(user: User, item: Item, *, reason: str = "") -> None:
    """Make an entry an episode of its own, whatever it resembles."""
    podcast = item.document.source.podcast
    with changing(
        user, "new episode", item.heading, _about_item(podcast, item), podcasts=[podcast], reason=reason
    ) as record:
        _rule(record, podcast, item_ref(item), None, "new", reason)
        record.tell("belongs to", "held", "an episode of its own")


def ignore(user: User, item: Item, *, reason: str = "") -> None:
    """Say that an entry is no episode."""
    podcast = item.document.source.podcast
    with changing(
        user, "ignore", item.heading, _about_item(podcast, item), podcasts=[podcast], reason=reason
    ) as record:
        _rule(record, podcast, item_ref(item), None, "ignore", reason)
        record.tell("belongs to", "held", "no episode")


def merge(
    user: User,
    one: Episode,
    other: Episode,
    values: Mapping[str, str] | None = None,
    *,
    seen: Sequence[str] = (),
    reason: str = "",
) -> None:
    """Make one episode of two; `values` are those of fields that are not to come from the ranked sources.

    Raises:
        Impossible: they are one already, or of two shows, or a value is none, or another episode's address.
        Stale: somebody was faster.
    """
    if one.pk == other.pk or one.podcast_id != other.podcast_id:
        raise Impossible("Two different episodes of one show can be merged.")
    wanted = {name: clean(name, value) for name, value in (values or {}).items()}
    subject = f"{one.heading} + {other.heading}"
    with changing(user, "merge", subject, _about(one), podcasts=[one.podcast], reason=reason) as record:
        for episode, known in zip((one, other), seen, strict=False):
            _fresh(episode, known)
        mine, theirs = refs(one), refs(other)
        _unpart(record, one.podcast, mine, theirs)
        # Every entry by name: of two that one document lists, the rules alone would hold one.
        for ref in (*theirs, *mine[1:]):
            if ref != mine[0]:
                _rule(record, one.podcast, mine[0], ref, "same", reason)
        record.tell("episodes", f"{one.heading}; {other.heading}", "one")
        _override(record, (one, other), wanted, reason)


def _unpart(record: Recorder, podcast: Podcast, mine: Sequence[Ref], theirs: Sequence[Ref]) -> None:
    """End what was judged to part any entry of one from any of the other."""
    pairs = {frozenset((a, b)) for a in mine for b in theirs}
    parting = ("different", *Judgement.OF_REPEATS)
    for row in Judgement.objects.filter(podcast=podcast, ended_at=None, verdict__in=parting):
        if frozenset(((row.source, row.item_key), (row.other_source, row.other_key))) in pairs:
            record.end(row)
    own = set(theirs)
    for row in Judgement.objects.filter(podcast=podcast, ended_at=None, verdict="new"):
        if (row.source, row.item_key) in own:
            record.end(row)


def split(user: User, episode: Episode, items: Sequence[Item], *, seen: str = "", reason: str = "") -> None:
    """Make the entries `items` of an episode another episode.

    Raises:
        Impossible: none, or all, of its entries. Stale: somebody was faster.
    """
    podcast = episode.podcast
    away = list(dict.fromkeys(item_ref(item) for item in sorted(items, key=order_of)))
    stay = [ref for ref in refs(episode) if ref not in away]
    if not away or not stay or any(ref not in refs(episode) for ref in away):
        raise Impossible("Choose some of its entries, not all.")
    with changing(user, "split", episode.heading, _about(episode), podcasts=[podcast], reason=reason) as record:
        _fresh(episode, seen)
        _unjoin(record, podcast, stay, away)
        for one in away:
            for other in stay:
                _rule(record, podcast, one, other, "different", reason)
        for ref in away[1:]:
            _rule(record, podcast, away[0], ref, "same", reason)
        _rule(record, podcast, away[0], None, "new", reason)
        record.tell("entries", f"{len(away) + len(stay)} of one episode", f"{len(stay)} and {len(away)} of two")


def _unjoin(record: Recorder, podcast: Podcast, mine: Sequence[Ref], theirs: Sequence[Ref]) -> None:
    """End what was judged to join any entry of one with any of the other."""
    pairs = {frozenset((a, b)) for a in mine for b in theirs}
    for row in Judgement.objects.filter(podcast=podcast, ended_at=None, verdict="same"):
        if frozenset(((row.source, row.item_key), (row.other_source, row.other_key))) in pairs:
            record.end(row)
