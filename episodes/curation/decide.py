"""A curator's decisions about episodes: overridden fields, matches, withdrawals, and the entries of their
lists. A decision hangs on an entry of the episode. Each change is recorded with its history."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import NamedTuple

from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from ..fields import FIELDS_BY_NAME, InvalidFieldValue, complete_web_address_or_empty
from ..ingest import store_typed_entries_and_get_items
from ..models import (
    ADDED,
    JOINING_VERDICTS,
    MAX_MOMENT_SECONDS,
    REMOVED,
    RERUN_VERDICTS,
    TRANSCRIPTS_SLUG,
    VERDICTS,
    WITHDRAWAL_KINDS,
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
    episodes_by_present_or_former_slug,
    owners_of_former_slugs,
    topic_slugs_by_casefolded_name,
)
from ..records import EntryData
from ..resolve import WordCorrection, link_key, make_slug, person_identity, show_of_slug
from ..text.fingerprints import fingerprint
from ..text.formatting import format_count, format_time
from ..text.normalize import is_visible
from .corrections import CorrectionSubject
from .history import (
    AnyUser,
    InvalidChange,
    Recorder,
    check_choice_unchanged,
    check_unchanged,
    episode_changes,
    episode_history_key,
    open_change_recorder,
)

REPLACED = "replaced"  # the kind of a withdrawal


class EntryAnchor(NamedTuple):
    """The source and key of an entry. Decisions about an episode hang on an entry of it."""

    source: str
    key: str


NO_ENTRY = EntryAnchor("", "")  # in place of the second entry, if a decision is about one entry


def entry_anchor(item: Item) -> EntryAnchor:
    return EntryAnchor(item.document.source.slug, item.key)


def sorted_anchors(items: Iterable[Item]) -> list[EntryAnchor]:
    """Return the anchors of entries, each once, in order. New decisions are stored with the first."""
    anchors = [entry_anchor(item) for item in sorted_items(items)]
    return list(dict.fromkeys(anchors))


def sorted_items(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=entry_order)


def entry_order(item: Item) -> tuple[bool, int, str, str, int, str]:
    """Return the sort key of an entry: listed entries before gone ones, then by rank of the source."""
    document = item.document
    source = item.document.source
    is_gone = item.gone_version is not None
    return is_gone, source.rank, source.slug, document.address, item.position, item.key


def entry_anchors(
    episode: Episode | WithdrawnEpisode, *, transcripts: bool = False
) -> list[EntryAnchor]:
    """Return the anchors of an episode's entries, in their order. With `transcripts`, also of transcripts.

    A transcript may be replaced by another file at any time, so no decision is stored with its anchor.
    """
    attachments = episode.attachments.select_related("item__document__source").order_by()
    if not transcripts:
        attachments = attachments.exclude(item__document__source__reader=TRANSCRIPTS_SLUG)
    return sorted_anchors(attachment.item for attachment in attachments)


def first_anchor(episode: Episode) -> EntryAnchor:
    """Return the anchor of new decisions about an episode.

    Raises:
        InvalidChange: the episode has no entry.
    """
    anchors = entry_anchors(episode)
    if not anchors:
        raise InvalidChange("No entry belongs to this episode any more.")
    return anchors[0]


def episode_of_entry(item: Item | None) -> Episode | None:
    return Episode.objects.select_related("podcast").filter(attachments__item=item or 0).first()


def find_anchored_episode(podcast: Podcast, source: str, key: str) -> Episode | None:
    """Return the episode of a show that an entry, by its source and key, belongs to now."""
    attachments = attachments_of_entry(source, key)
    return Episode.objects.filter(podcast=podcast, attachments__in=attachments).first()


def attachments_of_entry(source: str, key: str) -> QuerySet[Attachment]:
    return Attachment.objects.filter(item__document__source__slug=source, item__key=key)


def episode_at_address(slug: str) -> Episode | None:
    return episodes_by_present_or_former_slug(
        [slug], Episode.objects.select_related("podcast")
    ).get(slug)


def episode_token(episode: Episode) -> str:
    """Return the token that tells a form whether an episode was changed since it was opened."""
    last = episode_changes(episode).aggregate(last=Max("pk"))["last"]
    return fingerprint(episode.slug, last)


def decisions_in_force(
    episode: Episode | WithdrawnEpisode, *kinds: str, **conditions: object
) -> list[Decision]:
    """Return the decisions of some kinds about any entry of an episode, oldest first."""
    anchors = set(entry_anchors(episode))
    keys = {anchor.key for anchor in anchors}
    rows = Decision.objects.in_force(*kinds).filter(
        podcast=episode.podcast, item_key__in=keys, **conditions
    )
    # Two sources may use the same key, so source and key are compared together.
    return [row for row in rows if row.entry in anchors]


def anchor_columns(podcast: Podcast, anchor: EntryAnchor, reason: str) -> dict[str, object]:
    return {"podcast": podcast, "source": anchor.source, "item_key": anchor.key, "reason": reason}


def episode_columns(episode: Episode, reason: str) -> dict[str, object]:
    """Return the columns of a decision about an episode, which hangs on the first entry."""
    return anchor_columns(episode.podcast, first_anchor(episode), reason)


@contextmanager
def open_episode_change_recorder(
    user: AnyUser,
    verb: str,
    episode: Episode,
    form_tokens: str = "",
    reason: str = "",
    second_episode: Episode | None = None,
) -> Iterator[Recorder]:
    """Yield a recorder, and store all that it wrote as one change, in the history of an episode, or of two.

    Raises:
        EditConflict: somebody changed one of them since the form with `form_tokens` was opened.
    """
    podcast = episode.podcast
    second_key = ""
    if second_episode:
        second_key = episode_history_key(podcast, *first_anchor(second_episode))
    with open_change_recorder(
        user,
        verb,
        episode.heading,
        episode_history_key(podcast, *first_anchor(episode)),
        second_subject_key=second_key,
        podcasts=[podcast],
        reason=reason,
    ) as recorder:
        _check_episodes_unchanged(episode, second_episode, form_tokens)
        yield recorder


def _check_episodes_unchanged(
    episode: Episode, second_episode: Episode | None, form_tokens: str
) -> None:
    """Raise EditConflict if an episode was changed since a form with the tokens of both was opened."""
    form_token, _, second_token = form_tokens.partition(" ")
    # A change of a thousand episodes has no tokens, and need not read a thousand histories.
    if form_token:
        check_unchanged(episode.heading, form_token, episode_token(episode))
    if second_episode and second_token:
        check_choice_unchanged(second_episode.heading, second_token, episode_token(second_episode))


def require_same_show(episode: Episode, other: Episode | None) -> Episode:
    """Return `other` after checking that it is another episode of the same show.

    Raises:
        InvalidChange: it is not, or is missing.
    """
    if other is None or episode.pk == other.pk or episode.podcast_id != other.podcast_id:
        raise InvalidChange("Choose another episode of this show.")
    return other


def require_topic_of_show(episode: Episode, topic: Topic) -> None:
    """Raise InvalidChange if a topic is of another show than the episode."""
    if not topic.may_be_added_in_show(episode.podcast_id):
        raise InvalidChange(f"{topic.name} is a topic of another show.")


# --- Fields ------------------------------------------------------------------------------------


def normalize_typed_text_or_raise(field_name: str, typed: str) -> str:
    """Return the normalized text to store for a value that a person typed for a field.

    Raises:
        InvalidChange: there is no such field, or it does not take the value.
    """
    field = FIELDS_BY_NAME.get(field_name)
    if field is None or not field.overridable:
        raise InvalidChange(f"There is no field “{field_name}”.")
    # Browsers send "\r\n", and databases refuse "\0".
    typed = typed.replace("\r\n", "\n").replace("\0", "").strip()
    if not is_visible(typed):
        if field.may_be_blank:
            return ""
        raise InvalidChange(
            f"{field.label}: enter one, or press Unlock to follow the sources again."
        )
    try:
        return field.to_text(field.parse_typed(typed))
    except InvalidFieldValue as refusal:
        raise InvalidChange(str(refusal)) from None


def is_possible_value(name: str, value: str) -> bool:
    try:
        normalize_typed_text_or_raise(name, value)
    except InvalidChange:
        return False
    return True


def override_fields(
    user: AnyUser, episode: Episode, values: Mapping[str, str], *, token: str = "", reason: str = ""
) -> None:
    """Override fields of an episode. Each stays locked until it is unlocked.

    Raises:
        InvalidChange: a field does not take its value, or another episode has the address.
        EditConflict: somebody was faster.
    """
    with open_episode_change_recorder(user, "edit", episode, token, reason) as recorder:
        record_overrides_of_fields(recorder, episode, values, reason)


def record_overrides_of_fields(
    recorder: Recorder,
    episode: Episode,
    typed_values: Mapping[str, str],
    reason: str,
    other_allowed_owners: Sequence[Episode] = (),
) -> None:
    """Override fields of an episode with typed values, so that sources no longer change them.

    The slug may belong to an episode in `other_allowed_owners`, which is being merged into this one.

    Raises:
        InvalidChange: a field does not take its value, or another episode has the address.
    """
    columns = episode_columns(episode, reason)
    allowed_owners = [episode, *other_allowed_owners]
    for name, typed in typed_values.items():
        value = normalize_typed_text_or_raise(name, typed)
        field = FIELDS_BY_NAME[name]
        overrides = decisions_in_force(episode, "value", field=name)
        # The field has this value already. A second decision would hide who made the first.
        if overrides and overrides[-1].value == value:
            continue
        if name == "slug":
            problem = slug_problem_or_empty(value, episode.podcast, allowed_owners)
            if problem:
                raise InvalidChange(problem)
        # It hangs on the first entry. Overrides that hang on other entries, after a merge, stay: a split
        # gives each episode its own again.
        recorder.store_decision_and_end_earlier("value", **columns, field=name, value=value)
        before = field.display_full(field.text_of_episode(episode))
        recorder.describe(field.label.lower(), before=before, after=field.display_full(value))


def slug_problem_or_empty(
    typed_slug: str, podcast: Podcast, allowed_owners: Sequence[Episode]
) -> str:
    """Return why a typed slug cannot be given to an episode of a show, or "" if it can.

    `allowed_owners` may have the address already: the episode itself, and episodes that are merged into it.
    """
    slug = make_slug(typed_slug)
    if slug in [allowed.slug for allowed in allowed_owners]:
        return ""
    former_owner = owners_of_former_slugs([slug]).get(slug)
    # It has the slug, or had it, so that the address redirects to it.
    episode = episode_at_address(slug)
    # Addresses stay with the first show that had them, even if its episode has another address since.
    first_show = show_of_slug(slug)
    if former_owner and former_owner.withdrawn:
        owner = "an episode that was taken out"
    elif episode and episode not in allowed_owners:
        owner = f"{episode.heading} ({episode.get_absolute_url()}): it goes on leading there"
    elif first_show not in (None, podcast):
        owner = f"an episode of {first_show}"
    else:
        return ""
    return f"“{slug}” is, or was, the address of {owner}. Choose another one."


def unlock_fields(
    user: AnyUser, episode: Episode, *field_names: str, token: str = "", reason: str = ""
) -> None:
    """End the overrides of fields, so that they follow the sources again.

    Raises:
        EditConflict: somebody was faster.
    """
    with open_episode_change_recorder(user, "release", episode, token, reason) as recorder:
        for row in decisions_in_force(episode, "value", field__in=field_names):
            recorder.end_decision(row)
            field = FIELDS_BY_NAME[row.field]
            before = field.display_full(field.text_of_episode(episode))
            recorder.describe(field.label.lower(), before=before, after="from sources")


def confirm_overrides(user: AnyUser, episode: Episode, *field_names: str) -> None:
    """Confirm overrides of fields that sources have changed since, so that the inbox no longer asks about them."""
    with open_episode_change_recorder(user, "keep", episode) as recorder:
        for row in decisions_in_force(episode, "value", field__in=field_names):
            # The inbox asks only about changes after the decision, so a new one ends the question.
            columns = anchor_columns(episode.podcast, EntryAnchor(*row.entry), row.reason)
            recorder.store_decision_and_end_earlier(
                "value", **columns, field=row.field, value=row.value
            )
            field = FIELDS_BY_NAME[row.field]
            after = f"kept: {field.display_full(row.value)}"
            recorder.describe(field.label.lower(), before="changed upstream", after=after)


# --- Matches, merges, splits, re-runs ------------------------------------------------------------


def decide_match(
    user: AnyUser,
    item: Item,
    verdict: str,
    episode: Episode | WithdrawnEpisode | None = None,
    *,
    reason: str = "",
) -> None:
    """Decide about an entry, and an episode if the verdict is about two.

    | verdict   | the entry is |
    |-----------|--------------|
    | same      | an entry of the episode |
    | different | not an entry of the episode |
    | new       | a new episode, whatever it resembles |
    | ignore    | not an episode |

    Raises:
        InvalidChange: "different", but the entry belongs to the episode. `split_episode` does that.
    """
    podcast = item.document.source.podcast
    anchor = entry_anchor(item)
    heading = getattr(episode, "heading", "")
    # The verb in the history, and the result in words.
    verb, result = {
        "same": ("judge same", f"“{heading}”: the same episode"),
        "different": ("judge different", f"“{heading}”: different episodes"),
        "new": ("new episode", "an episode of its own"),
        "ignore": ("ignore", "no episode"),
    }[verdict]
    # One decision of a person may be several about pairs of entries.
    verdicts = _expand_verdict_to_entry_pairs(item, verdict, episode)
    with open_change_recorder(
        user,
        verb,
        item.heading,
        episode_history_key(podcast, *anchor),
        podcasts=[podcast],
        reason=reason,
    ) as recorder:
        for other, verdict_about_pair in verdicts:
            _replace_verdict_about_pair(
                recorder, podcast, anchor, other, verdict_about_pair, reason
            )
        recorder.describe("belongs to", before="needs review", after=result)


class _EntryVerdict(NamedTuple):
    """A verdict about an entry and another one, or about the entry alone if `other` is NO_ENTRY."""

    other: EntryAnchor
    verdict: str


def _expand_verdict_to_entry_pairs(
    item: Item, verdict_of_person: str, episode: Episode | WithdrawnEpisode | None
) -> list[_EntryVerdict]:
    """Return the verdicts about pairs of entries that record a verdict about an entry and an episode.

    "different" from an episode of two entries becomes "different" from either of them.

    Raises:
        InvalidChange: "different", but the entry belongs to the episode.
    """
    # "new" or "ignore"
    if episode is None:
        verdicts = []
        # A new episode is none of the episodes that the entry may belong to.
        if verdict_of_person == "new":
            for anchor in _anchors_to_separate_from_new_episode(item):
                verdicts.append(_EntryVerdict(anchor, "different"))
        return [*verdicts, _EntryVerdict(NO_ENTRY, verdict_of_person)]
    anchors = entry_anchors(episode)
    if verdict_of_person == "same":
        # A match with the first entry is enough, because all entries are in one episode. There is one, as no
        # episode has transcripts alone.
        return [_EntryVerdict(anchors[0], verdict_of_person)]
    if episode.attachments.filter(item=item).exists():
        raise InvalidChange("This entry belongs to the episode. Split it off instead.")
    # A match with any entry of the episode would join the two.
    return [_EntryVerdict(anchor, verdict_of_person) for anchor in anchors]


def _anchors_to_separate_from_new_episode(item: Item) -> list[EntryAnchor]:
    """Return the anchors of the entries that a new episode of `item` is kept apart from: of its present
    episode, and of its candidates if it is unmatched.

    Later entries are not among them: they may be of the new episode.
    """
    candidate_slugs = []
    unmatched_entry = Held.objects.filter(item=item).first()
    if unmatched_entry:
        candidate_slugs = [candidate["episode"] for candidate in unmatched_entry.candidates]
    episodes = Episode.objects.filter(Q(slug__in=candidate_slugs) | Q(attachments__item=item))
    anchors = []
    for episode in episodes.order_by("slug").distinct():
        for anchor in entry_anchors(episode):
            if anchor != entry_anchor(item):
                anchors.append(anchor)
    return list(dict.fromkeys(anchors))  # each once


def _replace_verdict_about_pair(
    recorder: Recorder,
    podcast: Podcast,
    first: EntryAnchor,
    second: EntryAnchor,
    verdict: str,
    reason: str,
) -> None:
    """Record a verdict about two entries, or about an entry and NO_ENTRY.

    End the decision about the same entries in the other order, because a pair has one decision.
    """
    in_reverse = Decision.objects.in_force("match").filter(
        podcast=podcast,
        source=second.source,
        item_key=second.key,
        other_source=first.source,
        other_key=first.key,
    )
    for row in in_reverse:
        recorder.end_decision(row)
    # With this detail, entries that are surely the same may join a new episode. Decisions of earlier
    # versions lack it and keep every other entry apart.
    detail = "what surely is the same joins it" if verdict == "new" else ""
    recorder.store_decision_and_end_earlier(
        "match",
        **anchor_columns(podcast, first, reason),
        other_source=second.source,
        other_key=second.key,
        value=verdict,
        detail=detail,
    )


def _matches_between(
    podcast: Podcast, left: Sequence[EntryAnchor], right: Sequence[EntryAnchor], *verdicts: str
) -> list[Decision]:
    """Return the matches with these verdicts between an entry of either side, in both directions."""
    pairs = {*product(left, right), *product(right, left)}
    rows = Decision.objects.in_force("match").filter(podcast=podcast, value__in=verdicts)
    return [row for row in rows if (row.entry, row.other) in pairs]


def merge_episodes(
    user: AnyUser,
    episode: Episode,
    joining_episode: Episode,
    overrides: Mapping[str, str] | None = None,
    *,
    token: str = "",
    reason: str = "",
) -> None:
    """Merge two episodes. `overrides` are the fields that are not to come from the sources.

    `token` has the tokens of both episodes, with a space between. Without it nothing is checked.

    Raises:
        InvalidChange: they are one already, or of two shows, or a value is not possible.
        EditConflict: somebody was faster.
    """
    require_same_show(episode, joining_episode)
    podcast = episode.podcast
    subject = f"{episode.heading} + {joining_episode.heading}"
    # One key is enough, because the history of the merged episode is found by all of its entries.
    history_key = episode_history_key(podcast, *first_anchor(episode))
    with open_change_recorder(
        user, "merge", subject, history_key, podcasts=[podcast], reason=reason
    ) as recorder:
        _check_episodes_unchanged(episode, joining_episode, token)
        _record_verdicts_of_join(
            recorder,
            podcast,
            staying=entry_anchors(episode),
            joining=entry_anchors(joining_episode),
            reason=reason,
        )
        recorder.describe(
            "episodes", before=f"{episode.heading}; {joining_episode.heading}", after="one"
        )
        record_overrides_of_fields(recorder, episode, overrides or {}, reason, [joining_episode])


def _record_verdicts_of_join(
    recorder: Recorder,
    podcast: Podcast,
    staying: Sequence[EntryAnchor],
    joining: Sequence[EntryAnchor],
    reason: str,
) -> None:
    """Decide that the joining entries belong to the episode of the staying ones, and end contrary decisions.

    Each joining entry gets a decision about it and the first staying entry.
    """
    first = staying[0]
    contrary = _matches_between(podcast, staying, joining, "different", *RERUN_VERDICTS)
    # A joining entry is no longer an episode of its own.
    contrary += _matches_between(podcast, joining, [NO_ENTRY], "new")
    for row in contrary:
        recorder.end_decision(row)
    for anchor in joining:
        # Both episodes may have the same anchor, because two documents of a source can use one key for
        # different episodes. A verdict about an anchor and itself would say nothing.
        if anchor != first:
            _replace_verdict_about_pair(recorder, podcast, anchor, first, "same", reason)
    _record_that_entries_stay_together(recorder, podcast, staying, reason)


def _record_that_entries_stay_together(
    recorder: Recorder, podcast: Podcast, staying: Sequence[EntryAnchor], reason: str
) -> None:
    """Decide that entries stay in the episode of the first of them, unless that is decided already."""
    first = staying[0]
    joined_with_first: set[tuple[str, str]] = {first}
    for row in _matches_between(podcast, [first], staying, *JOINING_VERDICTS):
        joined_with_first.update((row.entry, row.other))
    # Without a decision they may part. Rules never match two entries of one document, for example.
    for anchor in staying:
        if anchor not in joined_with_first:
            # The verdict "kept" also means the same episode, but nobody judged this entry.
            _replace_verdict_about_pair(recorder, podcast, anchor, first, "kept", reason)


def split_episode(
    user: AnyUser,
    episode: Episode,
    moving_items: Sequence[Item],
    target_episode: Episode | None = None,
    *,
    token: str = "",
    reason: str = "",
) -> None:
    """Make some entries of an episode a new episode, or move them to the `target_episode`.

    Raises:
        InvalidChange: no entries or all of them, or the target is not of the same show.
        EditConflict: somebody was faster.
    """
    if target_episode:
        require_same_show(episode, target_episode)
    verb = "move entries" if target_episode else "split"
    with open_episode_change_recorder(
        user, verb, episode, token, reason, target_episode
    ) as recorder:
        moving = sorted_anchors(moving_items)
        staying = _staying_anchors_or_raise(episode, moving)
        _record_verdicts_of_split(recorder, episode.podcast, moving, staying, reason)
        if target_episode:
            _record_verdicts_of_join(
                recorder,
                episode.podcast,
                staying=entry_anchors(target_episode),
                joining=moving,
                reason=reason,
            )
            count = format_count(len(moving), "entry", "entries")
            recorder.describe(
                "belongs to", before=f"{count} of {episode.heading}", after=target_episode.heading
            )
        else:
            recorder.describe(
                "entries",
                before=f"{len(moving) + len(staying)} of one episode",
                after=f"{len(staying)} and {len(moving)} of two",
            )


def _staying_anchors_or_raise(episode: Episode, moving: Sequence[EntryAnchor]) -> list[EntryAnchor]:
    staying = [anchor for anchor in entry_anchors(episode) if anchor not in moving]
    # Transcripts may move as well, but an episode cannot keep transcripts alone.
    all_anchors = entry_anchors(episode, transcripts=True)
    is_proper_part = bool(moving and staying) and set(moving).issubset(all_anchors)
    if not is_proper_part:
        raise InvalidChange(
            "Select some of its entries, not all. To move all of them, merge the two episodes."
        )
    return staying


def _record_verdicts_of_split(
    recorder: Recorder,
    podcast: Podcast,
    moving: Sequence[EntryAnchor],
    staying: Sequence[EntryAnchor],
    reason: str,
) -> None:
    matches = _matches_between(podcast, staying, moving, *JOINING_VERDICTS)
    for row in matches:
        recorder.end_decision(row)
    # A moving entry may have joined entries that stay.
    if matches:
        _record_that_entries_stay_together(recorder, podcast, staying, reason)
    for moving_anchor, staying_anchor in product(moving, staying):
        _replace_verdict_about_pair(
            recorder, podcast, moving_anchor, staying_anchor, "different", reason
        )
    # The moving entries stay together, as an episode of their own.
    first = moving[0]
    for anchor in moving[1:]:
        _replace_verdict_about_pair(recorder, podcast, anchor, first, "same", reason)
    _replace_verdict_about_pair(recorder, podcast, first, NO_ENTRY, "new", reason)


def decide_rerun(
    user: AnyUser,
    later: Episode,
    earlier: Episode,
    rerun_verdict: str,
    *,
    token: str = "",
    reason: str = "",
) -> None:
    """Decide that an episode "replaces" or "repeats" an earlier one, or is "unrelated" to it.

    They stay two episodes. `token` has the tokens of both, with a space between. Whichever is passed first,
    the catalog takes the later by their dates.

    Raises:
        InvalidChange: they are one, or of two shows, or there is no such verdict.
        EditConflict: somebody was faster.
    """
    require_same_show(later, earlier)
    if rerun_verdict not in RERUN_VERDICTS:
        raise InvalidChange("Choose one of the buttons.")
    podcast = later.podcast
    with open_episode_change_recorder(
        user, f"judge {rerun_verdict}", later, token, reason, earlier
    ) as recorder:
        later_anchors = entry_anchors(later)
        earlier_anchors = entry_anchors(earlier)
        # An earlier verdict may be about other entries of the two episodes than the first ones.
        for row in _matches_between(podcast, later_anchors, earlier_anchors, *RERUN_VERDICTS):
            recorder.end_decision(row)
        _replace_verdict_about_pair(
            recorder, podcast, later_anchors[0], earlier_anchors[0], rerun_verdict, reason
        )
        recorder.describe(f"to “{earlier.heading}”", "", VERDICTS[rerun_verdict])


# --- Out of the catalog, and into it -----------------------------------------------------------


def withdraw_episode(
    user: AnyUser,
    episode: Episode,
    kind: str,
    replacement: Episode | None = None,
    *,
    token: str = "",
    reason: str = "",
) -> None:
    """Withdraw an episode. It stays withdrawn even if sources list it later.

    Its addresses answer 410. If it is replaced, they redirect to the replacement.

    Raises:
        InvalidChange: there is no such kind, or the replacement is not of the same show.
        EditConflict: somebody was faster.
    """
    if kind not in WITHDRAWAL_KINDS:
        raise InvalidChange("Choose why it is taken out.")
    replaced_by = NO_ENTRY
    label = WITHDRAWAL_KINDS[kind].lower()
    if kind == REPLACED:
        replaced_by = first_anchor(require_same_show(episode, replacement))
        label = f"replaced by {replacement}"
    with open_episode_change_recorder(user, "take out", episode, token, reason) as recorder:
        # There may be an earlier withdrawal, of an episode that was merged with this one since.
        for row in decisions_in_force(episode, "withdrawal"):
            recorder.end_decision(row)
        recorder.store_decision_and_end_earlier(
            "withdrawal",
            **episode_columns(episode, reason),
            value=kind,
            detail=episode.slug,  # its addresses stay
            other_source=replaced_by.source,
            other_key=replaced_by.key,
        )
        recorder.describe("in the catalog", "yes", f"no: {label}")


def add_episode_and_return_entry(
    user: AnyUser, podcast: Podcast, typed_values: Mapping[str, str], *, reason: str = ""
) -> Item:
    """Add an episode that no source lists, and return its entry.

    A source that lists it later is matched with it, and its values replace the typed ones.

    Raises:
        InvalidChange: the title is missing, or a field does not take its value.
    """
    attributes = {}
    lines = []  # of the history: label and text
    for name, typed in typed_values.items():
        value = normalize_typed_text_or_raise(name, typed)
        field = FIELDS_BY_NAME[name]
        if value:
            attributes.update(field.entry_attributes(field.parse(value)))
            lines.append((field.label.lower(), field.display_full(value)))
    # A random guid: no source has it, so a later entry is matched by title, date and so on.
    entry = EntryData(guid=f"by-hand-{uuid.uuid4()}", **attributes)
    if not entry.title:
        raise InvalidChange("Title: an episode needs one.")
    with open_change_recorder(
        user,
        "add episode",
        entry.title,
        episode_history_key(podcast, "by-hand", f"guid:{entry.guid}"),
        podcasts=[podcast],
        reason=reason,
    ) as recorder:
        (item,) = store_typed_entries_and_get_items(podcast, [entry], timezone.now())
        # Evidence is never deleted: undo decides that the entry is not an episode.
        item_columns = anchor_columns(podcast, entry_anchor(item), "")
        recorder.store_decision_for_undo("match", **item_columns, value="ignore")
        for label, text in lines:
            recorder.describe(label, before="", after=text)
    return item


# --- Lists of an episode: topics, links, people, other episodes, moments, conflicts ----------------


class EpisodeList:
    """A list of an episode: the keys and names of its entries."""

    expected = "choose one of the list."
    # In the history: of the list, if not its kind, and of an added entry.
    label = ""
    description = "{name} {detail}"

    def key_of_typed_text_or_empty(self, typed: str, detail: str) -> str:
        """Return the key for the words that a person typed, or "" if the list cannot have it."""
        return ""

    def require_possible_entry(self, episode: Episode, key: str) -> None:
        """Raise InvalidChange if the list of this episode cannot have the entry with a key."""

    def canonical_key(self, podcast: Podcast, key: str) -> str:
        """Return the same key for two addresses of a page, a topic's old name, two entries of an episode."""
        return key

    def display_name(self, podcast: Podcast, key: str) -> str:
        return key


class ConflictList(EpisodeList):
    """Conflicts of an episode. They are only removed, for as long as sources give these values."""

    def display_name(self, podcast: Podcast, key: str) -> str:
        # The key of a conflict has a line for the field, and a line for each of its two values.
        field_name, *values = key.split("\n")
        field = FIELDS_BY_NAME.get(field_name)
        # A form may be sent with any text as the key.
        if field is None:
            return key
        return f"{field.label} {' / '.join(map(field.display, values))}"


class TopicList(EpisodeList):
    expected = "no topic has this name."

    def key_of_typed_text_or_empty(self, typed: str, detail: str) -> str:
        return topic_slugs_by_casefolded_name().get(typed.casefold(), "")

    def require_possible_entry(self, episode: Episode, key: str) -> None:
        topic = Topic.objects.filter(slug=key).first()
        if topic is not None:  # somebody may have deleted it meanwhile
            require_topic_of_show(episode, topic)

    def canonical_key(self, podcast: Podcast, key: str) -> str:
        redirects = Redirect.objects.filter(kind="topic", slug=key)
        return redirects.values_list("topic__slug", flat=True).first() or key

    def display_name(self, podcast: Podcast, key: str) -> str:
        names = dict(Topic.objects.filter(slug=key).values_list("slug", "name"))
        return names.get(key, key)


class MomentList(TopicList):
    """Parts of the episode about a topic, in seconds: `dispatcher 324-341`."""

    expected = (
        "choose a topic, and a beginning and an end such as 5:24 and 5:41, at most 3 minutes."
    )

    def key_of_typed_text_or_empty(self, typed: str, detail: str) -> str:
        """Return the key "SLUG START-END" of a typed moment (times in seconds), or "" if it is not possible."""
        topic, _, span = typed.rpartition(" ")
        slug = super().key_of_typed_text_or_empty(topic, detail)
        try:
            start, end = map(int, span.split("-"))  # of 324-341
        except ValueError:
            return ""
        # A longer number is a mistake, not a second of an episode.
        is_possible = 0 <= start < end <= min(start + MAX_MOMENT_SECONDS, 999_999)
        return f"{slug} {start}-{end}" if slug and is_possible else ""

    def require_possible_entry(self, episode: Episode, key: str) -> None:
        topic_slug, _, _ = key.rpartition(" ")  # "debugging" of "debugging 120-150"
        super().require_possible_entry(episode, topic_slug)

    def canonical_key(self, podcast: Podcast, key: str) -> str:
        topic, _, span = key.rpartition(" ")
        return f"{super().canonical_key(podcast, topic)} {span}"

    def display_name(self, podcast: Podcast, key: str) -> str:
        topic, _, span = key.rpartition(" ")
        start, _, end = span.partition("-")
        # A form may be sent with any text as the key.
        if not (start.isdecimal() and end.isdecimal()):
            return key
        times = f"{format_time(int(start))}–{format_time(int(end))}"
        return f"{super().display_name(podcast, topic)} {times}"


class LinkList(EpisodeList):
    expected = "enter a full address such as https://example.org/page."

    def key_of_typed_text_or_empty(self, typed: str, detail: str) -> str:
        return complete_web_address_or_empty(typed)

    def require_possible_entry(self, episode: Episode, key: str) -> None:
        folded_key = self.canonical_key(episode.podcast, key)
        _require_not_hidden(CorrectionSubject("link", folded_key, key))

    def canonical_key(self, podcast: Podcast, key: str) -> str:
        return link_key(podcast, key)


class PersonList(EpisodeList):
    expected = "enter a name and a role."
    description = "{detail}"

    def key_of_typed_text_or_empty(self, typed: str, detail: str) -> str:
        role, _, name = detail.partition(" ")
        is_storable = len(role) <= 20  # characters, as in the column
        return typed if is_visible(name) and is_storable else ""

    def require_possible_entry(self, episode: Episode, key: str) -> None:
        _require_not_hidden(CorrectionSubject("person", key, ""))

    def display_name(self, podcast: Podcast, key: str) -> str:
        return Person.objects.filter(identity=key).values_list("name", flat=True).first() or key


def _require_not_hidden(subject: CorrectionSubject) -> None:
    if problem := subject.why_hidden_or_empty():
        raise InvalidChange(problem)


class ReferenceList(EpisodeList):
    """Other episodes, by the source and key of an entry."""

    expected = "choose an episode and its relation to this one."
    label = "other episode"

    def key_of_typed_text_or_empty(self, typed: str, detail: str) -> str:
        """Return "SOURCE KEY" of the typed episode's entry, or "" if the entry or the relation does not exist."""
        source, _, item_key = typed.partition(" ")
        attachments = attachments_of_entry(source, item_key)
        is_relation = detail in dict(Reference.KINDS)
        return typed if is_relation and attachments.exists() else ""

    def canonical_key(self, podcast: Podcast, key: str) -> str:
        episode = self.target(podcast, key)
        return " ".join(entry_anchors(episode)[0]) if episode else key

    def display_name(self, podcast: Podcast, key: str) -> str:
        episode = self.target(podcast, key)
        return episode.heading if episode else key

    def target(self, podcast: Podcast, key: str) -> Episode | None:
        source, _, item_key = key.partition(" ")
        return find_anchored_episode(podcast, source, item_key)


EPISODE_LISTS: dict[str, EpisodeList] = {
    "topic": TopicList(),
    "link": LinkList(),
    "person": PersonList(),
    "reference": ReferenceList(),
    "conflict": ConflictList(),
    "moment": MomentList(),
}


def find_list(kind: str) -> EpisodeList:
    """Return the kind of list with a name, such as "topic" or "person".

    Raises:
        InvalidChange: there is no such list.
    """
    if kind not in EPISODE_LISTS:
        raise InvalidChange("There is no such list.")
    return EPISODE_LISTS[kind]


# Characters, as in the columns of a decision.
MAX_LIST_KEY = 2000
MAX_LIST_DETAIL = 400


def add_list_entry(
    user: AnyUser,
    episode: Episode,
    list_kind: str,
    typed_text: str,
    detail: str = "",
    *,
    token: str = "",
    reason: str = "",
) -> None:
    """Add an entry (topic, link, person, reference, moment) to a list of an episode, or restore a removed one.

    Raises:
        InvalidChange: the list cannot have such an entry.
        EditConflict: somebody was faster.
    """
    typed_text = typed_text.replace("\0", "").strip()
    detail = detail.replace("\0", "").strip()
    episode_list = find_list(list_kind)
    key = episode_list.key_of_typed_text_or_empty(typed_text, detail)
    # The columns hold as many characters.
    is_too_long = len(key) > MAX_LIST_KEY or len(detail) > MAX_LIST_DETAIL
    if not key or is_too_long:
        raise InvalidChange(f"{list_kind.capitalize()}: {episode_list.expected}")
    episode_list.require_possible_entry(episode, key)
    with open_episode_change_recorder(user, f"add {list_kind}", episode, token, reason) as recorder:
        replace_list_entry_decision(recorder, episode, list_kind, key, ADDED, detail, reason=reason)


def remove_list_entry(
    user: AnyUser, episode: Episode, list_kind: str, *keys: str, token: str = "", reason: str = ""
) -> None:
    """Remove topics, links, people or references, whatever a source or a rule proposes.

    To remove a conflict is to accept it as no problem.
    """
    with open_episode_change_recorder(
        user, f"remove {list_kind}", episode, token, reason
    ) as recorder:
        for key in keys:
            # A form may be sent with any text as the key. PostgreSQL refuses one that is too long.
            replace_list_entry_decision(
                recorder, episode, list_kind, key[:MAX_LIST_KEY], REMOVED, reason=reason
            )


def replace_list_entry_decision(
    recorder: Recorder,
    episode: Episode,
    list_kind: str,
    key: str,
    added_or_removed: str,
    detail: str = "",
    *,
    reason: str,
) -> None:
    """Decide that a list has an entry or not, in place of earlier decisions.

    `added_or_removed` is ADDED or REMOVED.
    """
    is_decided_already = False
    # The detail is the role and name of a person, "guest Ada Roe", or the relation of another episode.
    replaced_details = []
    for row in _list_decisions_about_same_entry(episode, list_kind, key):
        if (row.value, row.detail) == (added_or_removed, detail):
            is_decided_already = True
        else:
            recorder.end_decision(row)
            replaced_details.append(row.detail)
    if not is_decided_already:
        recorder.store_decision_and_end_earlier(
            list_kind,
            **episode_columns(episode, reason),
            key=key,
            value=added_or_removed,
            detail=detail,
        )
    episode_list = find_list(list_kind)
    label = episode_list.label or list_kind
    name = episode_list.display_name(episode.podcast, key)
    if added_or_removed == REMOVED:
        recorder.describe(label, before=name, after="")
    else:
        description = episode_list.description.format(name=name, detail=detail)
        before = ", ".join(filter(None, replaced_details))  # a removal has no detail
        recorder.describe(label, before=before, after=description.strip())


def end_removal_of_list_entry(
    user: AnyUser, episode: Episode, list_kind: str, key: str, *, token: str = "", reason: str = ""
) -> None:
    """End a removal, so that sources and rules decide about the entry again."""
    with open_episode_change_recorder(
        user, f"bring back {list_kind}", episode, token, reason
    ) as recorder:
        episode_list = find_list(list_kind)
        name = episode_list.display_name(episode.podcast, key)
        for row in _list_decisions_about_same_entry(episode, list_kind, key):
            if row.value == REMOVED:
                recorder.end_decision(row)
                recorder.describe(episode_list.label or list_kind, before="", after=name)


def _list_decisions_about_same_entry(episode: Episode, list_kind: str, key: str) -> list[Decision]:
    """Return the decisions in force about an entry of a list, also under another key of the entry."""
    podcast = episode.podcast
    episode_list = find_list(list_kind)
    canonical_key = episode_list.canonical_key(podcast, key)
    return [
        row
        for row in decisions_in_force(episode, list_kind)
        if episode_list.canonical_key(podcast, row.key) == canonical_key
    ]


def find_or_compute_person_identity(podcast: Podcast, name: str, address: str = "") -> str:
    """Return the identity (a text key) of a person by name and, if given, by @handle or address.

    A person of the show, or a hidden person, keeps the identity that they have. For anybody else a new one
    is computed.
    """
    identity = person_identity(podcast, name, address)
    if address:
        return identity
    # A name alone means the person of the show. An address may be of somebody else with this name.
    people = Person.objects.filter(name__iexact=name, credits__episode__podcast=podcast)
    # A decision names a person by the identity, so a row without an identity cannot be meant.
    people = people.exclude(identity="")
    # If the show has several people of the name, any of them is meant, but always the same.
    identities = people.order_by("identity").values_list("identity", flat=True)
    return identities.first() or _identity_of_hidden_person_or_none(name, identity) or identity


def _identity_of_hidden_person_or_none(name: str, identity_of_name: str) -> str | None:
    # "ada-roe" of "ada-roe@loom-talk", the identity of a person of one show without address or handle.
    folded_name, _, _ = identity_of_name.rpartition("@")
    # A hidden person has no row, only a decision. With an address its key is "ada-roe ada.example".
    has_name = Q(key__startswith=f"{folded_name} ")
    # A handle such as "@ada" does not have the name, so the decision has it as its detail.
    has_handle = Q(key__startswith="@", detail__iexact=name)
    hidden = Decision.objects.in_force("correct-person").filter(
        has_name | has_handle, field="hidden"
    )
    return hidden.values_list("key", flat=True).first()


# --- Words of the transcript -------------------------------------------------------------------


MAX_CORRECTED_WORDS = 200  # characters


def correct_transcript_words(
    user: AnyUser,
    episode: Episode,
    correction: WordCorrection,
    *,
    token: str = "",
    reason: str = "",
) -> None:
    """Correct words of the transcript, in every version with the same words around them.

    The correction replaces an earlier one of the same words that no longer finds its place.

    Raises:
        InvalidChange: the transcript does not have these words there, or nothing is corrected.
        EditConflict: somebody was faster.
    """
    require_right_words(correction)
    wrong = correction.wrong
    right = correction.right
    with open_episode_change_recorder(user, "correct words", episode, token, reason) as recorder:
        # An empty one, if the episode has none.
        transcript = Transcript.objects.filter(episode=episode).first() or Transcript()
        # Only the times of words depend on the length of the episode.
        speech = transcript.speech(length=None)
        if not correction.pattern.search(speech.text):
            raise InvalidChange(f"The transcript does not have “{wrong}” there.")
        # A lost correction no longer finds its place, because a new file changed the words around it.
        lost_keys = [key for key, _right_words in transcript.lost]
        lost_oldest_first = decisions_in_force(
            episode, "words", detail=wrong, value=right, key__in=lost_keys
        )
        # Each of them is about one place, and nobody knows which is the place of this correction. So it
        # replaces any one of them, always the oldest.
        if lost_oldest_first:
            recorder.end_decision(lost_oldest_first[0])
        recorder.store_decision_and_end_earlier(
            "words",
            **episode_columns(episode, reason),
            key=correction.key,
            value=right,
            detail=wrong,
        )
        recorder.describe("transcript", wrong, right)


def require_right_words(correction: WordCorrection) -> None:
    """Raise InvalidChange unless a correction has right words, other than the wrong ones, and not too
    many."""
    right = correction.right
    # An empty correction would delete words that somebody said.
    if not right or right == correction.wrong or len(right) > MAX_CORRECTED_WORDS:
        raise InvalidChange(f"Type the right words, up to {MAX_CORRECTED_WORDS} characters.")
