"""A curator's changes of episodes: correct, release, judge, merge, split, take out, add, and what is
added to and removed from their lists of topics, links, people, other episodes and moments; each one
change with its history. Decisions hang on the entries of an episode."""

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from django.db.models import Max, Q
from django.utils import timezone

from ..fields import BY_NAME, NotAValue, web_address
from ..ingest import by_hand
from ..models import (
    ADDED,
    JOINING,
    LONGEST_MOMENT,
    OF_REPEATS,
    REMOVED,
    TAKEN_OUT,
    TRANSCRIPTS,
    VERDICTS,
    Attachment,
    Decision,
    Episode,
    Held,
    Item,
    Person,
    Podcast,
    Redirect,
    Reference,
    Topic,
    Transcript,
    WithdrawnEpisode,
    episodes_at,
    former_owners,
)
from ..records import EntryData
from ..resolve import WordCorrection, address_of, link_key, owner_of, person_identity
from ..text.fingerprints import fingerprint
from ..text.formatting import clock, counted
from .history import (
    AnyUser,
    InvalidChange,
    Recorder,
    check_unchanged,
    episode_changes,
    episode_history_key,
    record_change,
)

REPLACED = "replaced"
LONGEST = 200  # characters of corrected words
LONGEST_KEY = 2000
LONGEST_DETAIL = 400
LONGEST_ROLE = 20
SPAN = re.compile("[0-9]{1,6}-[0-9]{1,6}")
EntryRef = tuple[str, str]  # source and key of an entry


def entry_ref(item: Item) -> EntryRef:
    return (item.document.source.slug, item.key)


def sorted_refs(items: Iterable[Item]) -> list[EntryRef]:
    """Entries by source and key, each once, the one that new decisions hang on first."""
    by_rank = sorted(
        items,
        key=lambda item: (
            item.gone_version is not None,
            item.document.source.rank,
            item.document.source.slug,
            item.document.address,
            item.position,
            item.key,
        ),
    )
    return list(dict.fromkeys(map(entry_ref, by_rank)))


def entry_refs(episode: Episode | WithdrawnEpisode, *, transcripts: bool = False) -> list[EntryRef]:
    """The entries that decisions about an episode are hung on, or all of them; a transcript says
    nothing of an episode, and goes where the rules put it."""
    rows = episode.attachments.select_related("item__document__source").order_by()
    # A transcript may be replaced by another file at any time.
    rows = rows if transcripts else rows.exclude(item__document__source__reader=TRANSCRIPTS)
    return sorted_refs(row.item for row in rows)


def anchor_entry(episode: Episode) -> EntryRef:
    """The entry that new decisions hang on."""
    found = entry_refs(episode)
    if not found:
        raise InvalidChange("No entry belongs to this episode any more.")
    return found[0]


def episode_of_entry(item: Item | None) -> Episode | None:
    """The episode that an entry belongs to now."""
    return Episode.objects.select_related("podcast").filter(attachments__item=item or 0).first()


def episode_of_ref(ref: EntryRef, podcast: Podcast) -> Episode | None:
    """The episode of a show that an entry belongs to now."""
    source, key = ref
    own = Attachment.objects.filter(item__document__source__slug=source, item__key=key)
    return Episode.objects.filter(podcast=podcast, attachments__in=own).first()


def episode_token(episode: Episode) -> str:
    """Token by which a form notices that an episode was changed since it was opened."""
    last = episode_changes(episode).aggregate(last=Max("pk"))["last"]
    return fingerprint(episode.slug, last)


def decisions_in_force(
    episode: Episode | WithdrawnEpisode, *kinds: str, **more: object
) -> list[Decision]:
    """The decisions of these kinds about any entry of the episode, oldest first."""
    own = set(entry_refs(episode))
    # Two sources may have the same key, so pairs are compared.
    return [
        row
        for row in Decision.objects.in_force(*kinds).filter(
            podcast=episode.podcast, item_key__in={key for _, key in own}, **more
        )
        if row.entry in own
    ]


def entry_columns(podcast: Podcast, ref: EntryRef, reason: str) -> dict[str, object]:
    """The columns by which a decision refers to an entry."""
    return {"podcast": podcast, "source": ref[0], "item_key": ref[1], "reason": reason}


def episode_at_address(slug: str) -> Episode | None:
    """The episode that an address leads to."""
    return episodes_at([slug], Episode.objects.select_related("podcast")).get(slug)


def address_problem(value: str, podcast: Podcast, own: Sequence[Episode]) -> str:
    """The reason why none of the episodes `own` of a show can have this address; "" where they
    can."""
    slug = address_of(value)
    if not slug or slug in {episode.slug for episode in own}:
        return ""
    former, holder, owner = (
        former_owners([slug]).get(slug),
        episode_at_address(slug),
        owner_of(slug),
    )
    whose = f"an episode of {owner}" if owner not in (None, podcast) else ""
    if holder and holder not in own:
        whose = f"{holder.heading} ({holder.get_absolute_url()}): it goes on leading there"
    if former is not None and former.withdrawn:
        whose = "an episode that was taken out"
    return f"“{slug}” is, or was, the address of {whose}. Choose another one." if whose else ""


@contextmanager
def changing_episode(
    user: AnyUser, verb: str, episode: Episode, seen: str, reason: str, other: Episode | None = None
) -> Iterator[Recorder]:
    """One change of an episode, and of another one, unless somebody else changed it since it was
    `seen`."""
    podcast = episode.podcast
    with record_change(
        user,
        verb,
        episode.heading,
        episode_history_key(podcast, *anchor_entry(episode)),
        about_too=episode_history_key(podcast, *anchor_entry(other)) if other else "",
        podcasts=[podcast],
        reason=reason,
    ) as record:
        check_unchanged(episode.heading, seen, episode_token(episode))
        yield record


def require_same_show(one: Episode, other: Episode | None) -> Episode:
    """The other one of two different episodes of a show.

    Raises:
        Impossible: they are one, or of two shows.
    """
    if other is None or one.pk == other.pk or one.podcast_id != other.podcast_id:
        raise InvalidChange("Choose another episode of this show.")
    return other


# --- Fields ------------------------------------------------------------------------------------


def clean_value(name: str, value: str) -> str:
    """The value to store for one that a person typed.

    Raises:
        Impossible: it is none for this field.
    """
    field = BY_NAME.get(name)
    if field is None or not field.overridable:
        raise InvalidChange(f"There is no field “{name}”.")
    typed = value.replace("\r\n", "\n").replace("\0", "").strip()
    if not (typed or field.may_be_blank):
        raise InvalidChange(f"{field.label}: enter one, or release it to follow the sources again.")
    try:
        return field.text(field.typed(typed)) if typed else ""
    except NotAValue as refusal:
        raise InvalidChange(str(refusal)) from None


def override(
    user: AnyUser, episode: Episode, values: Mapping[str, str], *, seen: str = "", reason: str = ""
) -> None:
    """Give fields a curator's own values; each is locked until it is released.

    Raises:
        Impossible: a value is none for its field, or is another episode's address. Stale: somebody
        was faster.
    """
    with changing_episode(user, "edit", episode, seen, reason) as record:
        lock_fields(record, [episode], values, reason)


def lock_fields(
    record: Recorder,
    episodes: Sequence[Episode],
    values: Mapping[str, str],
    reason: str,
) -> None:
    """Give the first of the episodes own values; the others are about to become one with it."""
    episode = episodes[0]
    where = entry_columns(episode.podcast, anchor_entry(episode), reason)
    for name, typed in values.items():
        value, field = clean_value(name, typed), BY_NAME[name]
        there = decisions_in_force(episode, "value", field=name)
        # The last word is in force; the same again would only hide who said it first.
        if there and there[-1].value == value:
            continue
        if name == "slug" and (trouble := address_problem(value, episode.podcast, episodes)):
            raise InvalidChange(trouble)
        # After a merge entries may bring several; those of the others come back into their own when
        # it is split again.
        record.decide("value", **where, field=name, value=value)
        record.tell(field.label.lower(), field.told(field.shown(episode)), field.told(value))


def unlock_fields(
    user: AnyUser, episode: Episode, *names: str, seen: str = "", reason: str = ""
) -> None:
    """Let fields follow the sources again."""
    with changing_episode(user, "release", episode, seen, reason) as record:
        for row in decisions_in_force(episode, "value", field__in=names):
            record.end(row)
            field = BY_NAME[row.field]
            record.tell(field.label.lower(), field.told(field.shown(episode)), "from sources")


def keep_overrides(user: AnyUser, episode: Episode, *names: str) -> None:
    """Keep own values of fields that sources changed since: what they say now is known."""
    with changing_episode(user, "keep", episode, "", "") as record:
        for row in decisions_in_force(episode, "value", field__in=names):
            record.decide(
                "value",
                **entry_columns(episode.podcast, row.entry, row.reason),
                field=row.field,
                value=row.value,
            )
            field = BY_NAME[row.field]
            record.tell(field.label.lower(), "changed upstream", f"kept: {field.told(row.value)}")


# --- What belongs together ---------------------------------------------------------------------


def _in_force_between(
    podcast: Podcast, ones: Iterable[EntryRef], others: Iterable[EntryRef], *verdicts: str
) -> list[Decision]:
    """The judgements of these verdicts on any entry of one side and any of the other, whichever way
    round they are."""
    pairs = {frozenset((one, other)) for one in ones for other in others}
    return [
        row
        for row in Decision.objects.in_force("match").filter(podcast=podcast, value__in=verdicts)
        if frozenset((row.entry, row.other)) in pairs
    ]


# Detail of a decision for an own episode; those of earlier versions have none and keep all off.
MAY_BE_JOINED = "what surely is the same joins it"
ALONE = ("", "")  # in place of the other entry, where a judgement is about one


def _judge(
    record: Recorder, podcast: Podcast, one: EntryRef, other: EntryRef, verdict: str, reason: str
) -> None:
    """Judge a pair, or one entry alone, in place of what was judged of them before, whichever way
    round."""
    (source, key), (other_source, other_key) = one, other
    backwards = {"source": other_source, "item_key": other_key}
    for row in Decision.objects.in_force("match").filter(
        podcast=podcast, **backwards, other_source=source, other_key=key
    ):
        record.end(row)
    pair = {
        **entry_columns(podcast, one, reason),
        "other_source": other_source,
        "other_key": other_key,
    }
    record.decide("match", **pair, value=verdict, detail=MAY_BE_JOINED if verdict == "new" else "")


SETTLED = {
    "same": ("judge same", "“{}”: the same episode"),
    "different": ("judge different", "“{}”: different episodes"),
    "new": ("new episode", "an episode of its own"),
    "ignore": ("ignore", "no episode"),
}


def decide_match(
    user: AnyUser,
    item: Item,
    verdict: str,
    episode: Episode | WithdrawnEpisode | None = None,
    *,
    reason: str = "",
) -> None:
    """Decide that an entry is, or is not, the episode ("same", "different"), or is an episode of
    its own, whatever it resembles ("new"), or none ("ignore").

    Raises:
        Impossible: the entry is said not to be the episode that it belongs to; `split` takes it
        out.
    """
    podcast, ref, others = item.document.source.podcast, entry_ref(item), [ALONE]
    if episode:
        if verdict == "different" and episode.attachments.filter(item=item).exists():
            raise InvalidChange("This entry belongs to the episode. Split it off instead.")
        # Apart from all of its entries, together with one: what joins them joins the rest.
        others = entry_refs(episode) if verdict == "different" else entry_refs(episode)[:1]
    elif verdict == "new":
        others = [*_entries_near(item), ALONE]
    verb, words = SETTLED[verdict]
    with record_change(
        user,
        verb,
        item.heading,
        episode_history_key(podcast, *ref),
        podcasts=[podcast],
        reason=reason,
    ) as record:
        for other in others:
            is_near = verdict == "new" and other != ALONE
            _judge(record, podcast, ref, other, "different" if is_near else verdict, reason)
        record.tell("belongs to", "needs review", words.format(episode and episode.heading))


def _entries_near(item: Item) -> list[EntryRef]:
    """The entries of the episode that an entry belongs to, or of those that it may be of, but for
    its own. It is none of these, while an episode that comes later may be the same."""
    slugs = {
        one["episode"]
        for candidates in Held.objects.filter(item=item).values_list("candidates", flat=True)
        for one in candidates
    }
    near = Episode.objects.filter(Q(slug__in=slugs) | Q(attachments__item=item))
    every = (ref for episode in near.order_by("slug").distinct() for ref in entry_refs(episode))
    return [ref for ref in every if ref != entry_ref(item)]


def merge_episodes(
    user: AnyUser,
    one: Episode,
    other: Episode,
    values: Mapping[str, str] | None = None,
    *,
    seen: str = "",
    reason: str = "",
) -> None:
    """Make one episode of two; `values` are those of fields that are not to come from the ranked
    sources, `seen` the tokens of both.

    Raises:
        Impossible: they are one already, or of two shows, or a value is none, or another episode's
        address.
        Stale: somebody was faster.
    """
    require_same_show(one, other)
    podcast, subject = one.podcast, f"{one.heading} + {other.heading}"
    about = episode_history_key(podcast, *anchor_entry(one))
    with record_change(user, "merge", subject, about, podcasts=[podcast], reason=reason) as record:
        for episode, known in zip((one, other), seen.split(), strict=False):
            check_unchanged(episode.heading, known, episode_token(episode))
        _join(record, podcast, entry_refs(one), entry_refs(other), reason)
        record.tell("episodes", f"{one.heading}; {other.heading}", "one")
        lock_fields(record, (one, other), values or {}, reason)


def _join(
    record: Recorder,
    podcast: Podcast,
    stay: Sequence[EntryRef],
    come: Sequence[EntryRef],
    reason: str,
) -> None:
    """Judge the entries that come to be what those are that stay."""
    first = stay[0]
    for row in [
        *_in_force_between(podcast, stay, come, "different", *OF_REPEATS),
        *_in_force_between(podcast, come, [ALONE], "new"),
    ]:
        record.end(row)
    for ref in come:
        if ref != first:
            _judge(record, podcast, ref, first, "same", reason)
    # Those that stay are kept by name: of two that one document lists, the rules alone would hold
    # one.
    joined = _in_force_between(podcast, [first], stay, *JOINING)
    already = {first}.union(*((row.entry, row.other) for row in joined))
    for ref in stay:
        if ref not in already:
            _judge(record, podcast, ref, first, "kept", reason)


def split_episode(
    user: AnyUser,
    episode: Episode,
    items: Sequence[Item],
    target: Episode | None = None,
    *,
    seen: str = "",
    reason: str = "",
) -> None:
    """Make the entries `items` of an episode another episode, or entries of the `target`.

    Raises:
        Impossible: none, or all, of its entries, or no other episode of its show. Stale: somebody
        was faster.
    """
    if target:
        require_same_show(episode, target)
    verb = "move entries" if target else "split"
    with changing_episode(user, verb, episode, seen, reason, target) as record:
        away, stay = _part(record, episode, items, reason)
        if target:
            _join(record, episode.podcast, entry_refs(target), away, reason)
            count = counted(len(away), "entry", "entries")
            record.tell("belongs to", f"{count} of {episode.heading}", target.heading)
        else:
            record.tell(
                "entries",
                f"{len(away) + len(stay)} of one episode",
                f"{len(stay)} and {len(away)} of two",
            )


def _part(
    record: Recorder, episode: Episode, items: Iterable[Item], reason: str
) -> tuple[list[EntryRef], list[EntryRef]]:
    """Judge these entries to be another episode, all of them one; they, and those that stay."""
    own, away, podcast = entry_refs(episode, transcripts=True), sorted_refs(items), episode.podcast
    stay = [ref for ref in entry_refs(episode) if ref not in away]
    if not away or not stay or not set(away) <= set(own):
        raise InvalidChange(
            "Select some of its entries, not all. To move all of them, merge the two episodes."
        )
    for row in _in_force_between(podcast, stay, away, *JOINING):
        record.end(row)
    for one in away:
        for other in stay:
            _judge(record, podcast, one, other, "different", reason)
    for ref in away[1:]:
        _judge(record, podcast, ref, away[0], "same", reason)
    _judge(record, podcast, away[0], ALONE, "new", reason)
    return away, stay


def decide_rerun(
    user: AnyUser, later: Episode, earlier: Episode, verdict: str, *, reason: str = ""
) -> None:
    """Say what one episode is to an earlier one: it "replaces" or "repeats" it, or is "unrelated".

    They stay two.

    Raises:
        Impossible: they are one, or of two shows, or the verdict is none of these.
    """
    require_same_show(later, earlier)
    if verdict not in OF_REPEATS:
        raise InvalidChange("Choose one of the buttons.")
    podcast = later.podcast
    with changing_episode(user, f"judge {verdict}", later, "", reason) as record:
        for row in _in_force_between(podcast, entry_refs(later), entry_refs(earlier), *OF_REPEATS):
            record.end(row)
        _judge(record, podcast, anchor_entry(later), anchor_entry(earlier), verdict, reason)
        record.tell(f"to “{earlier.heading}”", "", VERDICTS[verdict])


# --- Out of the catalog, and into it -----------------------------------------------------------


def withdraw_episode(
    user: AnyUser,
    episode: Episode,
    kind: str,
    other: Episode | None = None,
    *,
    seen: str = "",
    reason: str = "",
) -> None:
    """Take an episode out, whatever sources list it from now on; its addresses are gone, or lead to
    the `other` one that replaces it.

    Raises:
        Impossible: there is no such kind, or no other episode of this show. Stale: somebody was
        faster.
    """
    if kind not in TAKEN_OUT:
        raise InvalidChange("Choose why it is taken out.")
    source, key = anchor_entry(require_same_show(episode, other)) if kind == REPLACED else ("", "")
    label = f"replaced by {other}" if source else TAKEN_OUT[kind].lower()
    with changing_episode(user, "take out", episode, seen, reason) as record:
        # One that is in force names an episode that has become one with this since.
        for row in decisions_in_force(episode, "withdrawal"):
            record.end(row)
        record.decide(
            "withdrawal",
            **entry_columns(episode.podcast, anchor_entry(episode), reason),
            value=kind,
            detail=episode.slug,
            other_source=source,
            other_key=key,
        )
        record.tell("in the catalog", "yes", f"no: {label}")


def add_episode(
    user: AnyUser, podcast: Podcast, values: Mapping[str, str], *, reason: str = ""
) -> Item:
    """Add an episode. Sources that list it later are matched with it, and their values win over
    these.

    Raises:
        Impossible: it has no title, or a value is none for its field.
    """
    given = {name: clean_value(name, value) for name, value in values.items()}
    if not given.get("title"):
        raise InvalidChange("Title: an episode needs one.")
    # No source has this key, so what lists it later is matched by what it says.
    columns: dict[str, object] = {"guid": f"by-hand-{uuid.uuid4()}"}
    for name, value in given.items():
        if value:
            columns |= BY_NAME[name].as_entry(BY_NAME[name].parse(value))
    said = EntryData(**columns)  # type: ignore[arg-type]
    with record_change(
        user,
        "add episode",
        said.title,
        episode_history_key(podcast, "by-hand", f"guid:{said.guid}"),
        podcasts=[podcast],
        reason=reason,
    ) as record:
        (item,) = by_hand(podcast, [said], timezone.now())
        # Evidence is never deleted: to take this back is to say that the entry is no episode.
        record.decide_at_undo(
            "match", **entry_columns(podcast, entry_ref(item), ""), value="ignore"
        )
        for name, value in given.items():
            field = BY_NAME[name]
            record.tell(field.label.lower(), "", field.told(value))
    return item


# --- Topics, links, people, other episodes, moments, conflicts -----------------------------------


class EpisodeList:
    """A list of an episode: the key of an entry, what it means, and what it is called. This
    one is the list of conflicts, which are only closed: removed for as long as sources give these
    values."""

    wanted = "choose one of the list."
    added = "{name} {detail}"  # an added entry in words

    def key(self, text: str, detail: str) -> str:
        """The key for the words that a person typed; "" where the list has no such entry."""
        return ""

    def meaning(self, podcast: Podcast, key: str) -> str:
        """The same for two addresses of one thing, a topic's old name, two entries of one
        episode."""
        return key

    def name(self, podcast: Podcast, key: str) -> str:
        return " / ".join(key.split("\n"))


class TopicList(EpisodeList):
    wanted = "no topic has this name."

    def key(self, text: str, detail: str) -> str:
        return topic_slugs_by_name().get(text.casefold(), "")

    def meaning(self, podcast: Podcast, key: str) -> str:
        return (
            Redirect.objects.filter(kind="topic")
            .filter(slug=key)
            .values_list("topic__slug", flat=True)
            .first()
            or key
        )


class MomentList(TopicList):
    """A topic with a part of the episode that is about it, in seconds: `dispatcher 324-341`."""

    wanted = "choose a topic, and a beginning and an end such as 5:24 and 5:41, at most 3 minutes."

    def key(self, text: str, detail: str) -> str:
        topic, _, span = text.rpartition(" ")
        slug = super().key(topic, detail)
        if not (slug and SPAN.fullmatch(span)):
            return ""
        start, end = map(int, span.split("-"))
        return f"{slug} {span}" if start < end <= start + LONGEST_MOMENT else ""

    def meaning(self, podcast: Podcast, key: str) -> str:
        topic, _, span = key.rpartition(" ")
        return f"{super().meaning(podcast, topic)} {span}"

    def name(self, podcast: Podcast, key: str) -> str:
        topic, _, span = key.rpartition(" ")
        return f"{topic} {'–'.join(clock(int(second)) for second in span.split('-'))}"


class LinkList(EpisodeList):
    wanted = "enter a full address such as https://example.org/page."

    def key(self, text: str, detail: str) -> str:
        return web_address(text)

    def meaning(self, podcast: Podcast, key: str) -> str:
        return link_key(podcast, key)


class PersonList(EpisodeList):
    wanted = "enter a name and a role."
    added = "{detail}"

    def key(self, text: str, detail: str) -> str:
        role, _, name = detail.partition(" ")
        return text if name and len(role) <= LONGEST_ROLE else ""

    def name(self, podcast: Podcast, key: str) -> str:
        return Person.objects.filter(identity=key).values_list("name", flat=True).first() or key


class ReferenceList(EpisodeList):
    wanted = "choose an episode and its relation to this one."

    def key(self, text: str, detail: str) -> str:
        source, _, item = text.partition(" ")
        there = Attachment.objects.filter(item__document__source__slug=source, item__key=item)
        return text if detail in dict(Reference.KINDS) and there.exists() else ""

    def meaning(self, podcast: Podcast, key: str) -> str:
        episode = self.target(podcast, key)
        return " ".join(entry_refs(episode)[0]) if episode else key

    def name(self, podcast: Podcast, key: str) -> str:
        episode = self.target(podcast, key)
        return episode.heading if episode else key

    def target(self, podcast: Podcast, key: str) -> Episode | None:
        source, _, item = key.partition(" ")
        return episode_of_ref((source, item), podcast)


EPISODE_LISTS = {
    "topic": TopicList(),
    "link": LinkList(),
    "person": PersonList(),
    "reference": ReferenceList(),
    "conflict": EpisodeList(),
    "moment": MomentList(),
}


def _kind(name: str) -> EpisodeList:
    if name not in EPISODE_LISTS:
        raise InvalidChange("There is no such list.")
    return EPISODE_LISTS[name]


def add_to_list(
    user: AnyUser,
    episode: Episode,
    kind: str,
    key: str,
    detail: str = "",
    *,
    seen: str = "",
    reason: str = "",
) -> str:
    """Add a topic, link, person, reference or moment; one that was removed is brought back. The
    details of the one that this replaces are returned.

    Raises:
        Impossible: there is no such thing. Stale: somebody was faster.
    """
    typed, detail = (words.replace("\0", "").strip() for words in (key, detail))
    key = _kind(kind).key(typed, detail)
    if not key or len(key) > LONGEST_KEY or len(detail) > LONGEST_DETAIL:
        raise InvalidChange(f"{kind.capitalize()}: {_kind(kind).wanted}")
    with changing_episode(user, f"add {kind}", episode, seen, reason) as record:
        return decide_list_entry(record, episode, kind, key, ADDED, detail, reason=reason)


def remove_from_list(
    user: AnyUser, episode: Episode, kind: str, *keys: str, seen: str = "", reason: str = ""
) -> None:
    """Take out topics, links, people or references; they stay out whatever a source or a rule
    proposes. Of conflicts: accept them as no problem."""
    with changing_episode(user, f"remove {kind}", episode, seen, reason) as record:
        for key in keys:
            decide_list_entry(record, episode, kind, key[:LONGEST_KEY], REMOVED, reason=reason)


def decide_list_entry(
    record: Recorder,
    episode: Episode,
    kind: str,
    key: str,
    value: str,
    detail: str = "",
    *,
    reason: str = "",
) -> str:
    """Decide that an entry of a list is added or removed, in place of what was decided of it, by
    whatever key; the details that this one replaces."""
    there = _decided(episode, kind, key)
    others = [row for row in there if (row.value, row.detail) != (value, detail)]
    for row in others:
        record.end(row)
    # Nothing that is in force says this already.
    if there == others:
        record.decide(
            kind,
            **entry_columns(episode.podcast, anchor_entry(episode), reason),
            key=key,
            value=value,
            detail=detail,
        )
    name = _kind(kind).name(episode.podcast, key)
    was = ", ".join(row.detail for row in others if row.value == ADDED)
    words = _kind(kind).added.format(name=name, detail=detail).strip()
    before, after = (name, "") if value == REMOVED else (was, words)
    record.tell(kind, before, after)
    return was


def restore_to_list(
    user: AnyUser, episode: Episode, kind: str, key: str, *, seen: str = "", reason: str = ""
) -> None:
    """End a removal: what sources and rules propose holds again."""
    with changing_episode(user, f"bring back {kind}", episode, seen, reason) as record:
        for row in _decided(episode, kind, key):
            if row.value == REMOVED:
                record.end(row)
                record.tell(kind, "", _kind(kind).name(episode.podcast, key))


def _decided(episode: Episode, kind: str, key: str) -> list[Decision]:
    """The decisions in force about what a key means."""
    podcast, meaning = episode.podcast, _kind(kind).meaning
    meant = meaning(podcast, key)
    return [row for row in decisions_in_force(episode, kind) if meaning(podcast, row.key) == meant]


def person_key(podcast: Podcast, name: str, address: str = "") -> str:
    """The identity of a person, by name and, where given, by handle or address; a person of the
    show keeps their own."""
    own = (
        Person.objects.filter(name__iexact=name, credits__episode__podcast=podcast)
        .exclude(identity="")
        .order_by("identity")
        .values_list("identity", flat=True)
    )
    # With an address it may be somebody else of the same name.
    return (not address and own.first()) or person_identity(podcast, name, address)


def topic_slugs_by_name() -> dict[str, str]:
    """Slugs of all topics by everything they are called: slug, name, aliases and former slugs,
    folded."""
    # Former slugs come first: what a topic is called now wins.
    former = (
        Redirect.objects.filter(kind="topic").exclude(topic=None).values_list("slug", "topic__slug")
    )
    found = {old.casefold(): str(slug) for old, slug in former}
    for slug, name, aliases in Topic.objects.values_list("slug", "name", "aliases"):
        found |= {called.casefold(): slug for called in (*aliases, name, slug)}
    return found


# --- Words of the transcript -------------------------------------------------------------------


def correct_transcript(
    user: AnyUser, episode: Episode, correction: WordCorrection, *, seen: str = "", reason: str = ""
) -> None:
    """Give words of the transcript a curator's own, in every version of the file that has the same
    words around them. It takes the place of a correction of these words that is lost.

    Raises:
        Impossible: the transcript has no such words there, or these are no others. Stale: somebody
        was faster.
    """
    # An empty correction would take words away that somebody said.
    wrong, right = correction.wrong, correction.right
    if not right or right == wrong or len(right) > LONGEST:
        raise InvalidChange(f"Type the right words, up to {LONGEST} characters.")
    with changing_episode(user, "correct words", episode, seen, reason) as record:
        transcript = Transcript.objects.filter(episode=episode).first() or Transcript()
        if not correction.pattern.search(transcript.speech(None).text):
            raise InvalidChange(f"The transcript does not have “{wrong}” there.")
        lost = {"value": right, "key__in": [key for key, _ in transcript.lost]}
        for row in decisions_in_force(episode, "words", detail=wrong, **lost)[:1]:
            record.end(row)
        record.decide(
            "words",
            **entry_columns(episode.podcast, anchor_entry(episode), reason),
            key=correction.key,
            value=right,
            detail=wrong,
        )
        record.tell("transcript", wrong, right)
