"""Answers to suggestions of readers, and to sources in the inbox that are no problem."""

from django.utils import timezone

from ..models import (
    DISMISSAL_KIND,
    TOPIC_FIELDS,
    Episode,
    Source,
    Suggestion,
    Topic,
    topic_slugs_by_casefolded_name,
)
from ..resolve import WordCorrection, fold_link_key
from .configuration import save_row
from .corrections import CorrectionSubject, save_corrections
from .decide import (
    add_list_entry,
    correct_transcript_words,
    find_anchored_episode,
    find_or_compute_person_identity,
    override_fields,
    remove_list_entry,
)
from .history import (
    AnyUser,
    InvalidChange,
    open_change_batch,
    open_change_recorder,
    row_history_key,
)


def accept_suggestion(user: AnyUser, suggestion: Suggestion, answer: str = "") -> None:
    """Make the correction that a reader suggests, and close the suggestion with the curator's answer.

    A correction in free text has to be made by hand before.

    Raises:
        InvalidChange: its episode is gone, or the field does not take the value.
    """
    reason = f"Suggested by {suggestion.name or 'a reader'}. {suggestion.evidence}".strip()
    # The decision and the answer are undone together.
    with open_change_batch([suggestion.podcast], "accept suggestion"):
        if not suggestion.is_free_text:
            _apply_suggestion(user, suggestion, reason)
        close_suggestion_and_delete_contact(user, suggestion, Suggestion.ACCEPTED, answer)


def _apply_suggestion(user: AnyUser, suggestion: Suggestion, reason: str) -> None:
    """Correct the subject of a suggestion.

    Raises:
        InvalidChange: the subject is gone, or the field does not take the value.
    """
    if suggestion.kind == "episode":
        _apply_suggestion_to_episode(user, suggestion, reason)
    elif suggestion.kind == "topic":
        _add_suggested_alias_to_topic(user, suggestion, reason)
    else:
        _save_suggested_correction(user, suggestion, reason)


def _add_suggested_alias_to_topic(user: AnyUser, suggestion: Suggestion, reason: str) -> None:
    """Add the suggested word to the aliases of a topic.

    Raises:
        InvalidChange: the topic is gone, or it or another topic has the word.
    """
    topic = Topic.objects.filter(slug=suggestion.key).first()
    if topic is None:
        raise InvalidChange("The topic is gone.")
    names = {name.casefold() for name in (topic.name, *topic.aliases)}
    if suggestion.value.casefold() in names:
        raise InvalidChange(
            f"“{suggestion.value}” is a name of the topic already. Nothing was changed."
        )
    topic.aliases = [*topic.aliases, suggestion.value]
    save_row(user, topic, reason=reason)  # it refuses a word of another topic


def _save_suggested_correction(user: AnyUser, suggestion: Suggestion, reason: str) -> None:
    key = suggestion.key
    # Corrections of links have their keys in small letters.
    if suggestion.kind == "link":
        key = fold_link_key(key)
    subject = CorrectionSubject(suggestion.kind, key, suggestion.subject)
    # No page would show the value of a subject that a curator hid or merged.
    if problem := subject.why_hidden_or_empty():
        raise InvalidChange(problem)
    if len(subject.keys_after_merges()) > 1:
        raise InvalidChange(f"“{subject.name}” was merged into another. Correct that by hand.")
    save_corrections(user, subject, {suggestion.field: suggestion.value}, reason=reason)


def _apply_suggestion_to_episode(user: AnyUser, suggestion: Suggestion, reason: str) -> None:
    """Make the suggested change of an episode: a credit, a topic, words of the transcript, or a field.

    Raises:
        InvalidChange: the episode is gone, or does not take the value.
    """
    podcast = suggestion.podcast
    field = suggestion.field
    value = suggestion.value
    episode = find_anchored_episode(podcast, suggestion.source, suggestion.item_key)
    if episode is None:
        raise InvalidChange("The episode is gone.")
    if field in ("host", "guest"):
        key = find_or_compute_person_identity(podcast, value)
        add_list_entry(user, episode, "person", key, f"{field} {value}", reason=reason)
    elif field in TOPIC_FIELDS:
        _apply_topic_suggestion_or_raise(user, episode, suggestion, reason)
    elif field == "words":
        # Without words before and after, the correction applies to the whole transcript.
        correction = WordCorrection(before="", wrong=suggestion.wrong, after="", right=value)
        correct_transcript_words(user, episode, correction, reason=reason)
    else:
        override_fields(user, episode, {field: value}, reason=reason)


def _apply_topic_suggestion_or_raise(
    user: AnyUser, episode: Episode, suggestion: Suggestion, reason: str
) -> None:
    """Add a missing topic to an episode, or remove a wrong one.

    Raises:
        InvalidChange: there is no such topic, or the episode has it, or lacks it, already.
    """
    name = suggestion.value
    slug = topic_slugs_by_casefolded_name().get(name.casefold(), "")
    if not slug:
        raise InvalidChange(f"There is no topic “{name}” any more.")
    if is_topic_suggestion_fulfilled(suggestion):
        raise InvalidChange(f"The topic “{name}” is as suggested already. Nothing was changed.")
    # A reader suggests that the episode lacks a topic ("topic"), or has a wrong one (the other field of
    # TOPIC_FIELDS).
    if suggestion.field == "topic":
        add_list_entry(user, episode, "topic", slug, reason=reason)
    else:
        remove_list_entry(user, episode, "topic", slug, reason=reason)


def is_topic_suggestion_fulfilled(suggestion: Suggestion) -> bool:
    """Return whether an episode has a suggested topic, or lacks a wrong one, already."""
    if suggestion.field not in TOPIC_FIELDS:
        return False
    podcast = suggestion.podcast
    episode = find_anchored_episode(podcast, suggestion.source, suggestion.item_key)
    slug = topic_slugs_by_casefolded_name().get(suggestion.value.casefold(), "")
    # If the episode or the topic is gone, the suggestion cannot be accepted.
    if episode is None or not slug:
        return False
    has_topic = episode.topic_uses.filter(topic__slug=slug).exists()
    return has_topic == (suggestion.field == "topic")


def close_suggestion_and_delete_contact(
    user: AnyUser, suggestion: Suggestion, state: str, answer: str = ""
) -> None:
    """Mark a suggestion as accepted or refused (`state`), and delete the reader's contact and network.

    The reader can read the answer on the page of the suggestion.

    Raises:
        InvalidChange: the answer is too long.
    """
    max_length = Suggestion.MAX_ANSWER_LENGTH
    if len(answer) > max_length:
        raise InvalidChange(f"Message to the reader: at most {max_length} characters, please.")
    # Not by the recorder: the history has the row before the change, and must not have the addresses.
    Suggestion.objects.filter(pk=suggestion.pk).update(contact="", network="")
    suggestion.contact = ""
    suggestion.network = ""
    suggestion.state = state
    suggestion.answer = answer
    suggestion.settled_at = timezone.now()
    verb = "accept suggestion" if state == Suggestion.ACCEPTED else "refuse suggestion"
    history_key = f"suggestion:{suggestion.pk}"
    with open_change_recorder(
        user, verb, suggestion.subject, history_key, podcasts=[], reason=answer
    ) as recorder:
        # A person, link or topic may be of no show.
        if suggestion.kind == "episode":
            recorder.podcast = suggestion.podcast
        recorder.save(suggestion)
        recorder.describe("suggestion", suggestion.value, state)


def dismiss_source(
    user: AnyUser, source: Source, state: str, key: str = "", name: str = ""
) -> None:
    """Leave a source out of the inbox as long as it is in a state.

    With a `key`, such as the address of a page, the dismissal is about this part of it alone. The history
    calls it by `name`.
    """
    subject = name or source.label(several=True)
    with open_change_recorder(
        user, "dismiss", subject, row_history_key(source), podcasts=[]
    ) as recorder:
        recorder.store_decision_and_end_earlier(
            DISMISSAL_KIND,
            podcast=source.podcast,
            source=source.slug,
            key=key,
            field="source",
            value=state,
            detail=subject[:300],  # only for people who read the decision
        )
        recorder.describe("inbox", "open", "not a problem")
