"""The sections of the inbox: rows of the catalog that need a person, each with the buttons that answer it.

A section declares its rows, their words and their buttons. A new section is added to `INBOX_SECTIONS`."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, cast

from django.db.models import Count, Exists, Min, OuterRef, QuerySet
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst

from .. import curation
from ..fields import ADD_EPISODE_FIELDS, FIELDS_BY_NAME, NOTES_FIELD, plain_notes
from ..ingest import IMPLAUSIBLE_REASON
from ..models import (
    DISMISSAL_KIND,
    PROBLEM_STATES,
    TRANSCRIPTS_SLUG,
    Decision,
    Document,
    Episode,
    Held,
    Person,
    Podcast,
    Source,
    Status,
    Suggestion,
    WithdrawnEpisode,
    WordProposal,
)
from ..records import EntryData, FieldConflict
from ..text.fingerprints import fingerprint, stable_hash
from ..text.formatting import format_count, format_episode_count
from .base import (
    episode_url,
    row_url,
    shorten_value,
)
from .episode import (
    find_exact_and_similar_episodes,
    open_conflicts_with_sentences,
    overrides_of_episodes,
    source_headings,
    upstream_changes_by_override,
)
from .shows import describe_import_state, with_import_state

# --- Rows and sections ---------------------------------------------------------------------------


@dataclass(frozen=True)
class InboxButton:
    """A button of a row."""

    name: str
    label: str
    letter: str  # its key on the keyboard
    message_template: str  # of the message after it, with "{row.subject}" in place of the name
    sets_up: bool = False  # only administrators may, and only one row at a time
    is_quiet: bool = False  # less prominent than the others


@dataclass
class InboxRow:
    """A row of the catalog that needs a person."""

    section: "InboxSection"
    target: Any  # the row of the catalog, of one show
    subject: str
    words: str
    question: Any  # the values that the row asks about. Other values make another row
    buttons: Sequence[InboxButton]  # that need no comparison
    address: str  # the screen with more than these buttons
    other: Any = None  # the second subject of a button
    # Typed beside the row in the review. Elsewhere there are none.
    parameters: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def show(self) -> Podcast:
        return cast(Podcast, self.target.podcast)

    @property
    def token(self) -> str:
        """Return a token that is another one as soon as the row's question has changed."""
        question = json.dumps(self.question, sort_keys=True)
        return fingerprint(self.target.pk, self.subject, question)


class InboxSection:
    """Rows of one kind. A section with a `review_template` has a screen that compares a row."""

    slug: ClassVar[str]
    label: ClassVar[str]
    hint: ClassVar[str]
    buttons: ClassVar[Sequence[InboxButton]]
    review_template = ""
    answer_label = ""  # of a text that the buttons send along
    viewers_may_read = True

    def queryset(self) -> QuerySet[Any]:
        """Return the rows of the catalog that wait for a person, in their order."""
        raise NotImplementedError

    def build_inbox_row(self, target: Any) -> InboxRow:
        raise NotImplementedError

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        raise NotImplementedError

    def build_inbox_rows(self, targets: QuerySet[Any]) -> list[InboxRow]:
        """Return inbox rows, with a fixed number of queries."""
        return [self.build_inbox_row(target) for target in targets]

    def ids(self) -> list[int]:
        return list(self.queryset().values_list("pk", flat=True))

    def rows_by_id(self, ids: Sequence[int]) -> list[InboxRow]:
        return self.build_inbox_rows(self.queryset().filter(pk__in=ids))

    # --- The review ---

    def set_picked_candidate_and_buttons(self, row: InboxRow) -> None:
        """Give a row the candidate that the curator picked, and the buttons of the review."""

    def review_context(self, row: InboxRow) -> dict[str, Any]:
        return {}


def exclude_dismissed(rows: QuerySet[Any], **conditions: Any) -> QuerySet[Any]:
    """Return the rows without those that a dismissal in force is about, by columns of the dismissal."""
    dismissals = Decision.objects.in_force(DISMISSAL_KIND).filter(**conditions)
    return rows.exclude(Exists(dismissals.order_by()))


def inbox_url(review: str = "", **parameters: str | int) -> str:
    url = reverse("admin:inbox_review", args=(review,)) if review else reverse("admin:inbox")
    return f"{url}?{urlencode(parameters)}".removesuffix("?")


def field_texts_by_label(episode: Any) -> dict[str, str]:
    """Return the fields of an episode that a source could have, in words, by label. Without one return {}."""
    texts = {}
    if episode:
        for episode_field in ADD_EPISODE_FIELDS:
            text = episode_field.text_of_episode(episode)
            texts[episode_field.label] = episode_field.display_full(text)
    return texts


def compare_field_texts(
    left: Mapping[str, str], right: Mapping[str, str]
) -> list[tuple[str, str, str, bool]]:
    """Return label, left text, right text, and whether they are equal, for the fields that either side has."""
    lines = []
    # Both sides have the same labels, except that `right` is empty without an episode.
    for label, left_text in left.items():
        right_text = right.get(label, "")
        if left_text or right_text:
            lines.append((label, left_text, right_text, left_text == right_text))
    return lines


# --- Unmatched entries ---------------------------------------------------------------------------


AGAINST_PREFIX = "against: "  # begins a reason against a match


class UnmatchedSection(InboxSection):
    """Entries that belong to no episode yet."""

    slug, label = "held", "Needs review"
    hint = "unclear which episode these belong to"
    candidate_buttons = (
        InboxButton("same", "Same episode", "s", "Matched “{row.subject}” to “{row.other}”."),
        InboxButton("different", "Different", "d",
            "Marked “{row.subject}” as different from “{row.other}”."),
    )  # fmt: skip
    buttons = (
        InboxButton("new", "New episode", "n", "Added “{row.subject}” as a new episode."),
        InboxButton("ignore", "Not an episode", "i", "Marked “{row.subject}” as not an episode."),
    )  # fmt: skip
    review_template = "admin/curation/review_held.html"

    def queryset(self) -> QuerySet[Held]:
        rows = Held.objects.select_related("podcast", "item__document__source")
        return rows.prefetch_related("item__revisions").order_by("item_id")

    def build_inbox_rows(self, targets: QuerySet[Held]) -> list[InboxRow]:
        """Load the candidates of these entries into `self.candidates_by_slug`, and return the rows."""
        # One query for all rows, however many candidates they have.
        slugs: set[str] = set()
        for unmatched in targets:
            slugs.update(candidate["episode"] for candidate in unmatched.candidates)
        self.candidates_by_slug = episodes_even_withdrawn_by_slug(slugs)
        return super().build_inbox_rows(targets)

    def build_inbox_row(self, unmatched: Held) -> InboxRow:
        row = InboxRow(
            section=self,
            target=unmatched,
            subject=unmatched.item.heading,
            words="",
            question=unmatched.candidates,  # if they change, an answer to the old row is refused
            buttons=(),
            address=inbox_url(self.slug, row=unmatched.pk),
        )
        if unmatched.candidates:
            self.set_first_candidate_words_and_button(row, unmatched.candidates)
        else:
            row.words = "No episode is similar."
            row.buttons = self.buttons_without_candidate(unmatched)
        return row

    def set_first_candidate_words_and_button(
        self, row: InboxRow, candidates: Sequence[Mapping[str, Any]]
    ) -> None:
        first = candidates[0]
        row.other = self.candidates_by_slug.get(first["episode"])
        # If the candidate has another slug since, show the old one.
        name = row.other or first["episode"]
        reasons = "; ".join(first["reasons"]) or "nothing else suggests it"
        row.words = f"Could be “{name}”: {reasons}."
        # An uncertain candidate is reviewed on a page of its own.
        if row.other and is_first_candidate_certain(candidates):
            same_button, _ = self.candidate_buttons
            row.buttons = (same_button,)

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        # The name of the button is the verdict.
        item = row.target.item
        is_about_candidate = button in ("same", "different")
        episode = row.other if is_about_candidate else None
        curation.decide_match(user, item, verdict=button, episode=episode, reason=row.reason)

    def set_picked_candidate_and_buttons(self, row: InboxRow) -> None:
        """Set the episode that the curator compares the entry with (`with`), and the buttons of the review."""
        if slug := row.parameters["with"]:
            # Also a withdrawn episode. An entry that belongs to it is withdrawn with it.
            row.other = episodes_even_withdrawn_by_slug([slug], row.target.podcast).get(slug)
        row.buttons = self.buttons_without_candidate(row.target)
        if row.other:
            row.buttons = (*self.candidate_buttons, *row.buttons)

    def buttons_without_candidate(self, unmatched: Held) -> Sequence[InboxButton]:
        # A transcript is never an episode.
        is_transcript = unmatched.item.document.source.reader == TRANSCRIPTS_SLUG
        _new_button, ignore_button = self.buttons
        return (ignore_button,) if is_transcript else self.buttons

    def review_context(self, row: InboxRow) -> dict[str, Any]:
        unmatched = row.target
        # The episode that the curator compares the entry with, perhaps a withdrawn one, or None.
        episode = row.other
        values = unmatched.item.values
        entry_texts = field_texts_of_entry(values)
        query = row.parameters["q"]  # typed to find further episodes
        matches = find_exact_and_similar_episodes(query, unmatched.podcast)
        return {
            # `build_inbox_rows` loaded the candidates of its rows. A review has this row only.
            "candidates": self.candidates_by_slug.values(),
            "withdrawn": isinstance(episode, WithdrawnEpisode),
            # The first words of an imported transcript. Other entries have none.
            "transcript_openings": values.extra("words"),
            "lines": compare_field_texts(entry_texts, field_texts_by_label(episode)),
            "reasons": reasons_of_candidate(unmatched.candidates, episode),
            "query": query,
            "results": [*matches.exact, *matches.similar],
        }


def reasons_of_candidate(
    candidates: Sequence[Mapping[str, Any]], episode: Episode | WithdrawnEpisode | None
) -> list[str]:
    """Return the reasons for a match with an episode, then the reasons against it."""
    for candidate in candidates:
        if episode and candidate["episode"] == episode.slug:
            # False is sorted before True.
            return sorted(
                candidate["reasons"], key=lambda reason: reason.startswith(AGAINST_PREFIX)
            )
    # The curator searched for the episode, or there is none.
    return []


def field_texts_of_entry(values: EntryData) -> dict[str, str]:
    texts = {}
    for episode_field in ADD_EPISODE_FIELDS:
        text = episode_field.text_of_entry(values)
        texts[episode_field.label] = episode_field.display_full(text)
    texts[NOTES_FIELD.label] = plain_notes(values)
    return texts


def is_first_candidate_certain(candidates: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the first candidate has reasons for it, and is the only one without reasons against it."""
    unopposed = [candidate for candidate in candidates if not has_reasons_against(candidate)]
    return unopposed == [candidates[0]] and bool(candidates[0]["reasons"])


def has_reasons_against(candidate: Mapping[str, Any]) -> bool:
    return any(reason.startswith(AGAINST_PREFIX) for reason in candidate["reasons"])


def episodes_even_withdrawn_by_slug(
    slugs: Collection[str], podcast: Podcast | None = None
) -> dict[str, Any]:
    """Return the episodes, also withdrawn ones, of a show or of all shows, by their slugs."""
    tables: tuple[Any, ...] = (Episode.objects, WithdrawnEpisode.objects)
    episodes = {}
    for table in tables:
        rows = table.filter(slug__in=slugs).select_related("podcast")
        if podcast:
            rows = rows.filter(podcast=podcast)
        for episode in rows:
            episodes[episode.slug] = episode
    return episodes


# --- People ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Namesakes:
    """A person, and the first of the people of the same name."""

    person: Person
    first: Person

    @property
    def pk(self) -> int:
        return self.person.pk

    @property
    def podcast(self) -> Podcast:
        shows = Podcast.objects.filter(episodes__credits__person=self.person)
        return shows.order_by("rank", "slug")[0]


class NamesakeSection(InboxSection):
    """People of one name who may be one person. Each is compared with the first of the name."""

    slug, label = "namesake", "People of one name"
    hint = "one person, or two?"
    buttons = (
        InboxButton("same", "Same person", "s", "“{row.subject}” is one person now."),
        InboxButton(
            "different", "Different people", "d", "The people named “{row.subject}” stay two."
        ),
    )

    def queryset(self) -> QuerySet[Person]:
        """Return all but the first of the people of a name, unless a curator keeps them apart."""
        names = Person.objects.order_by().values("name")
        names = names.annotate(people=Count("pk"), first=Min("identity"))
        shared_names = names.filter(people__gt=1)
        rows = Person.objects.filter(name__in=shared_names.values("name"))
        rows = rows.exclude(identity__in=shared_names.values("first"))
        rows = exclude_dismissed(rows, field=curation.NAMESAKE, key=OuterRef("identity"))
        return rows.order_by("name", "identity")

    def build_inbox_rows(self, targets: QuerySet[Person]) -> list[InboxRow]:
        """Return a row for each person, to compare with the first person (by identity) of the same name."""
        names = [person.name for person in targets]
        first_of_name = {}
        # The first person of a name comes last, and stays.
        for person in Person.objects.filter(name__in=names).order_by("-identity"):
            first_of_name[person.name] = person
        rows = []
        for person in targets:
            namesakes = Namesakes(person, first_of_name[person.name])
            rows.append(self.build_inbox_row(namesakes))
        return rows

    def build_inbox_row(self, target: Namesakes) -> InboxRow:
        person = target.person
        first = target.first
        return InboxRow(
            section=self,
            target=target,
            subject=person.name,
            words=f"{capfirst(person.roles_in_shows())}; {first.roles_in_shows()}.",
            question=[first.identity, person.identity],
            buttons=self.buttons,
            address=row_url(person),
            other=first,
        )

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        person = curation.CorrectionSubject.from_row(row.target.person)
        if button == "same":
            first = curation.CorrectionSubject.from_row(row.other)
            curation.merge_subjects(user, person, into=first)
        else:
            curation.keep_namesakes_apart(user, person)


# --- Suggestions -------------------------------------------------------------------------------


class SuggestionSection(InboxSection):
    """Corrections that readers suggest."""

    slug, label = "suggestion", "Suggested by readers"
    hint = "corrections that readers sent in"
    buttons = (
        InboxButton("accept", "Accept", "a", "Corrected “{row.subject}” as suggested."),
        InboxButton("refuse", "Refuse", "n", "Refused the suggestion about “{row.subject}”."),
    )  # fmt: skip
    done_button = InboxButton(
        "done", "Done by hand", "d", "Closed the suggestion about “{row.subject}” as done."
    )
    answer_label = "Message to the reader"
    viewers_may_read = False  # it shows the e-mail addresses of readers

    def queryset(self) -> QuerySet[Suggestion]:
        waiting = Suggestion.objects.filter(state=Suggestion.WAITING)
        return waiting.select_related("podcast").order_by("pk")

    def build_inbox_row(self, suggestion: Suggestion) -> InboxRow:
        correction = f"{suggestion.get_field_display()}: “{suggestion.displayed_value}”"
        if suggestion.wrong:
            correction = f"{correction} instead of “{suggestion.wrong}”"
        parts = [correction, suggestion.evidence, suggestion.name, suggestion.contact]
        accept_button, refuse_button = self.buttons
        # The program cannot apply free text, so a curator makes the correction by hand.
        if suggestion.is_free_text:
            accept_button = self.done_button
        elif curation.is_topic_suggestion_fulfilled(suggestion):
            accept_button = self.done_button
            parts.append("It is so already.")
        words = " · ".join(filter(None, parts))
        return InboxRow(
            section=self,
            target=suggestion,
            subject=suggestion.subject,
            words=words,
            question=words,
            buttons=(accept_button, refuse_button),
            address=suggestion.page,
        )

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        if button == "refuse":
            curation.close_suggestion_and_delete_contact(
                user, row.target, Suggestion.REFUSED, row.reason
            )
        elif button == "done":
            # The curator has made the change by hand. "accept" makes it now.
            curation.close_suggestion_and_delete_contact(
                user, row.target, Suggestion.ACCEPTED, row.reason
            )
        else:
            curation.accept_suggestion(user, row.target, row.reason)


# --- Words of transcripts ------------------------------------------------------------------------


class MisspelledNameSection(InboxSection):
    """Words of a show's transcripts that are likely a misspelled name."""

    slug, label = "words", "Misspelled names in transcripts"
    hint = "words near to a name of the show"
    buttons = (
        InboxButton("correct", "Correct in all transcripts", "c",
            "Corrected “{row.subject}” in all transcripts."),
        InboxButton("right", "Not an error", "n", "“{row.subject}” is not proposed again."),
    )  # fmt: skip

    def queryset(self) -> QuerySet[WordProposal]:
        return curation.waiting_word_proposals()

    def build_inbox_row(self, proposal: WordProposal) -> InboxRow:
        places = format_count(proposal.place_count, "place", "places")
        episodes = format_episode_count(proposal.episode_count)
        screen = reverse("admin:episodes_podcast_words", args=(proposal.podcast_id,))
        typed = urlencode({"wrong": proposal.wrong, "right": proposal.right})
        return InboxRow(
            section=self,
            target=proposal,
            subject=f"{proposal.wrong} → {proposal.right}",
            words=f"{places} in {episodes}.",
            question=[proposal.wrong, proposal.right],
            buttons=self.buttons,
            address=f"{screen}?{typed}",
        )

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        proposal = row.target
        if button == "correct":
            correction = curation.WordCorrection.of_show(proposal.wrong, proposal.right)
            curation.correct_show_words(user, proposal.podcast, correction, reason=row.reason)
        else:
            curation.dismiss_word_proposal(user, proposal)


# --- Values of episodes ------------------------------------------------------------------------


@dataclass(frozen=True)
class ConflictValue:
    """One of the contradictory values of a field, with the sources that have it."""

    field_name: str
    value: str
    sources: list[str] = field(default_factory=list)

    @property
    def label(self) -> str:
        words = FIELDS_BY_NAME[self.field_name].display(self.value)
        return f"{shorten_value(words)[:60]} ({', '.join(dict.fromkeys(self.sources))})"


def conflicting_values_with_sources(episode: Episode) -> list[ConflictValue]:
    """Return the contradictory values of an episode that a curator may keep, each once."""
    heading_by_slug = source_headings(episode.podcast)
    # By the name of the field and the value.
    values: dict[tuple[str, str], ConflictValue] = {}
    for columns in episode.conflicts:
        conflict = FieldConflict(**columns)
        sides = (
            (conflict.value, conflict.source),
            (conflict.other_value, conflict.other_source),
        )
        for value, source in sides:
            # Until the next resolve, a conflict of an earlier release may hold a sentence.
            if curation.is_possible_value(conflict.field, value):
                new_value = ConflictValue(conflict.field, value)
                conflict_value = values.setdefault((conflict.field, value), new_value)
                # The value of a curator has no source.
                conflict_value.sources.append(heading_by_slug.get(source, "a curator"))
    return list(values.values())


class ConflictSection(InboxSection):
    """Episodes with sources that contradict each other."""

    slug, label = "conflict", "Conflicts between sources"
    hint = "sources contradict each other"
    buttons = (
        InboxButton("closed", "Not a problem", "p", "Closed the conflicts of “{row.subject}”."),
    )

    def queryset(self) -> QuerySet[Episode]:
        rows = Episode.objects.exclude(conflicts=[]).select_related("podcast").order_by("pk")
        return rows.prefetch_related("podcast__sources")

    def build_inbox_row(self, episode: Episode) -> InboxRow:
        value_by_button = {}  # for `store_answer_of_button`
        buttons = []
        # The keys 1 to 6 of the keyboard. The screen of the episode has further values.
        for number, value in enumerate(conflicting_values_with_sources(episode)[:6], 1):
            name = str(number)
            value_by_button[name] = value
            template = "Kept your choice for “{row.subject}”. Sources no longer change it."
            buttons.append(InboxButton(name, f"Keep {value.label}", name, template))
        sentences = []
        for conflict in open_conflicts_with_sentences(episode):
            sentences.append(f"{conflict['label']}: {conflict['words']}")
        # "Not a problem" closes all of these. The sentences leave out repetitions.
        conflict_keys = sorted(FieldConflict(**conflict).key for conflict in episode.conflicts)
        return InboxRow(
            section=self,
            target=episode,
            subject=episode.heading,
            words=" ".join(sentences),
            question=conflict_keys,
            buttons=(*buttons, *self.buttons),
            address=episode_url(episode),
            other=value_by_button,
        )

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        if button == "closed":
            # A closed conflict is removed from the list of conflicts.
            conflict_keys = row.question
            curation.remove_list_entry(user, row.target, "conflict", *conflict_keys)
            return
        # The names of all other buttons are numbers, each for a value of a field.
        conflict_value = row.other[button]
        values = {conflict_value.field_name: conflict_value.value}
        curation.override_fields(user, row.target, values)


class ChangedUpstreamSection(InboxSection):
    """Overridden fields that a source changed since."""

    slug, label = "upstream", "Changed upstream since"
    hint = "a source changed a field after a curator set it"
    buttons = (
        InboxButton("keep", "Keep mine", "o", "Kept your value of “{row.subject}”."),
        InboxButton("theirs", "Use theirs", "t", "“{row.subject}” follows the sources again."),
    )

    @cached_property
    def changes(self) -> dict[int, list[dict[str, Any]]]:
        # Computed once a request, because it reads all revisions of the overridden fields.
        return upstream_changes_by_override(Decision.objects.in_force("value"))

    def queryset(self) -> QuerySet[Decision]:
        overrides = Decision.objects.filter(pk__in=list(self.changes)).select_related("podcast")
        return overrides_of_episodes(overrides).order_by("pk")

    def build_inbox_rows(self, targets: QuerySet[Any]) -> list[InboxRow]:
        """Load the episodes of the overrides into `self.episodes_by_id`, and return the rows."""
        episode_ids = {override.episode for override in targets}
        self.episodes_by_id = Episode.objects.select_related("podcast").in_bulk(episode_ids)
        return super().build_inbox_rows(targets)

    def build_inbox_row(self, override: Any) -> InboxRow:
        field = FIELDS_BY_NAME[override.field]
        episode = self.episodes_by_id[override.episode]
        new_values = []  # if a source changes again, an answer to the old row is refused
        sentences = []
        for change in self.changes[override.pk]:
            source = change["source"]
            value = change["now"]
            new_values.append([source, value])
            sentences.append(f"{source} now has “{shorten_value(field.display(value))}”")
        value_of_curator = shorten_value(field.display(override.value))
        return InboxRow(
            section=self,
            target=override,
            subject=episode.heading,
            words=f"{field.label}: yours is “{value_of_curator}”; {'; '.join(sentences)}.",
            question=[override.field, new_values],
            buttons=self.buttons,
            address=episode_url(episode),
            other=episode,
        )

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        if button == "keep":
            curation.confirm_overrides(user, row.other, row.target.field)
        else:
            curation.unlock_fields(user, row.other, row.target.field)


# --- Sources -----------------------------------------------------------------------------------


class TroubledSourceSection(InboxSection):
    """Sources with a refused, failed or overdue import. A dismissed one is left out as long as its state
    stays the same."""

    slug, label = "source", "Sources in trouble"
    hint = "the last import failed, or the next is overdue"
    buttons = (
        InboxButton("accept", "Import it", "a",
            "Imported “{row.subject}” as it is now.", sets_up=True),
        InboxButton("fine", "Not a problem", "p",
            "“{row.subject}” is no problem until it says something else.", is_quiet=True),
    )  # fmt: skip

    def queryset(self) -> Any:
        # Hidden shows are left out: readers do not see them.
        shows = Podcast.objects.listed().order_by().values("pk")
        rows = with_import_state(Source.objects.filter(podcast__in=shows))
        rows = exclude_dismissed(
            rows.filter(state__in=PROBLEM_STATES),
            podcast=OuterRef("podcast"),
            source=OuterRef("slug"),
            value=OuterRef("state"),
        )
        order = ("severity", "podcast__rank", "rank", "slug")
        return rows.select_related("podcast").order_by(*order)

    def build_inbox_row(self, source: Any) -> InboxRow:
        accept_button, dismiss_button = self.buttons
        buttons = [dismiss_button]
        # Only an implausible version can be imported by the decision of a person.
        if source.reason.startswith(IMPLAUSIBLE_REASON):
            buttons.insert(0, accept_button)
        return InboxRow(
            section=self,
            target=source,
            subject=source.label(several=True),
            words=shorten_value(describe_import_state(source)),
            question=source.state,
            buttons=buttons,
            address=row_url(source),
        )

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        if button == "accept":
            curation.import_and_describe_outcome(user, row.target, accept=True)
        else:
            curation.dismiss_source(user, row.target, row.question)


class MovedSourceSection(InboxSection):
    """Sources that announce a new address. A dismissed one is left out until it announces another."""

    slug, label = "moved", "Feeds that moved"
    hint = "the feed or its server gives a new address"
    buttons = (
        InboxButton("follow", "Use the new address", "a",
            "“{row.subject}” is read from its new address.", sets_up=True),
        InboxButton("stay", "Not a problem", "p", "“{row.subject}” keeps its address."),
    )  # fmt: skip
    dismissed_state = "moved"  # the value of its dismissals

    def queryset(self) -> QuerySet[Source]:
        dismissals = Decision.objects.in_force(DISMISSAL_KIND).filter(value=self.dismissed_state)
        dismissed = set(dismissals.values_list("podcast", "source", "key"))
        waiting_ids = []
        for source in Source.objects.exclude(moved_to="").filter(status=Status.ACTIVE):
            # A hash, because the address may be secret.
            if (source.podcast_id, source.slug, stable_hash(source.moved_to)) not in dismissed:
                waiting_ids.append(source.pk)
        return Source.objects.filter(pk__in=waiting_ids).select_related("podcast").order_by("pk")

    def build_inbox_row(self, source: Source) -> InboxRow:
        return InboxRow(
            section=self,
            target=source,
            subject=source.label(several=True),
            words=f"It is at {source.display_address}, and moved to {source.display_moved_to}.",
            question=[source.address, source.moved_to],
            buttons=self.buttons,
            address=f"{row_url(source)}?moved=1",
        )

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        source = row.target
        if button == "follow":
            source.address = source.moved_to
            curation.save_source_and_show_feed(user, source)
        else:
            # `queryset` leaves out the source as long as it announces the same address.
            key = stable_hash(source.moved_to)
            curation.dismiss_source(user, source, self.dismissed_state, key, row.subject)


class HostConfirmedPageSection(InboxSection):
    """Pages with episodes that only the host of the address confirms. A curator withdraws these or keeps them."""

    slug, label = "host", "Pages confirmed by their host alone"  # the slug is in addresses
    hint = "an older release trusted any page of a known site"
    buttons = (
        InboxButton("withdraw", "Withdraw its episodes", "w",
            "Withdrew the episodes that only “{row.subject}” lists."),
        InboxButton("closed", "The page is right", "p", "The episodes of “{row.subject}” stay."),
    )  # fmt: skip
    dismissed_state = "host"  # the value of its dismissals

    def queryset(self) -> QuerySet[Document]:
        documents = exclude_dismissed(
            curation.documents_confirmed_by_host(),
            podcast=OuterRef("source__podcast"),
            source=OuterRef("source__slug"),
            key=OuterRef("address"),
            value=self.dismissed_state,
        )
        return documents.select_related("source__podcast").order_by("pk")

    def build_inbox_row(self, document: Document) -> InboxRow:
        label = document.source.label(several=True)
        return InboxRow(
            section=self,
            target=document,
            subject=document.address,
            words=f"{label}: episodes exist because of this page alone.",
            question=document.address,
            buttons=self.buttons,
            address=row_url(document.source),
        )

    def store_answer_of_button(self, user: Any, row: InboxRow, button: str) -> None:
        document = row.target
        if button == "withdraw":
            curation.withdraw_and_count_unshared_episodes(user, document, reason=row.reason)
        else:
            state = self.dismissed_state
            address = document.address
            # The dismissal is about this page alone, and the history calls it by its address.
            curation.dismiss_source(user, document.source, state, key=address, name=address)


# The most urgent first.
INBOX_SECTIONS: tuple[type[InboxSection], ...] = (
    UnmatchedSection,
    TroubledSourceSection,
    MovedSourceSection,
    ChangedUpstreamSection,
    ConflictSection,
    SuggestionSection,
    NamesakeSection,
    HostConfirmedPageSection,
    MisspelledNameSection,
)


def sections_by_slug(*, for_viewer: bool = False) -> dict[str, InboxSection]:
    sections = [section() for section in INBOX_SECTIONS]
    return {
        section.slug: section for section in sections if section.viewers_may_read or not for_viewer
    }


def first_inbox_rows(count: int, *, for_viewer: bool = False) -> list[InboxRow]:
    rows = []
    for section in sections_by_slug(for_viewer=for_viewer).values():
        rows += section.rows_by_id(section.ids()[:count])
    return rows
