"""The inbox: everything that needs a person, each row with the buttons that settle it; the review,
which shows one row beside what it may be; and the start page, which counts.

Each kind of rows declares the rows of the catalog that it lists, what each says in words, and its
buttons. Another one is added to `KINDS`."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import Count, Exists, Max, Min, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst

from .. import curation
from ..fields import BY_HAND, BY_NAME, NOTES, plain_notes
from ..ingest import IMPLAUSIBLE
from ..models import (
    DISMISSAL,
    TRANSCRIPTS,
    TROUBLE,
    Change,
    Decision,
    Document,
    Episode,
    EpisodeReading,
    Held,
    Person,
    Podcast,
    Source,
    Suggestion,
    WithdrawnEpisode,
    episodes_at,
    large_sources,
)
from ..records import FieldConflict
from ..text.fingerprints import fingerprint
from ..text.formatting import counted
from .base import (
    ActionView,
    OptionsFilter,
    SubjectGone,
    episode_url,
    is_row_id,
    list_url,
    request_row_id,
    request_value,
    row_url,
    shorten_value,
)
from .episode import describe_conflicts, find_episodes, overrides_of_episodes, upstream_changes
from .shows import describe_import_state, with_import_state

AGAINST = "against: "


@dataclass(frozen=True)
class InboxButton:
    """A button of a row: its letter, and the message after it."""

    name: str
    label: str
    letter: str
    done: str
    sets_up: bool = False  # only administrators may, and only one row at a time


@dataclass
class InboxRow:
    """One thing that needs a person. `says` is what it is about: another thing is another row."""

    kind: "InboxSection"
    target: Any  # of one show
    subject: str
    words: str
    says: Any
    acts: Sequence[
        InboxButton
    ]  # the buttons in the inbox, where a row is not compared with anything
    address: str  # the screen on which more than one press is possible
    other: Any = None  # what an act needs beside the target
    asked: Mapping[str, str] = field(default_factory=dict)  # what a curator typed beside the row
    reason: str = ""

    @property
    def show(self) -> Podcast:
        return cast(Podcast, self.target.podcast)

    @property
    def token(self) -> str:
        """Another one as soon as the row says something else, or another row has its number."""
        return fingerprint(self.target.pk, self.subject, json.dumps(self.says, sort_keys=True))


class InboxSection:
    """Rows of one kind: their name, and what they are in the catalog.

    A kind with a `review` has a screen that shows a row beside what it may be.
    """

    slug: ClassVar[str]
    label: ClassVar[str]
    hint: ClassVar[str]
    acts: ClassVar[Sequence[InboxButton]]
    review = ""  # the template of a row's comparison

    def rows(self) -> QuerySet[Any]:
        """The rows of the catalog that wait for somebody, in their order."""
        raise NotImplementedError

    def row(self, target: Any) -> InboxRow:
        """A row of the catalog in words."""
        raise NotImplementedError

    def settle(self, user: Any, row: InboxRow, act: str) -> None:
        """Do what a button of a row is for."""
        raise NotImplementedError

    def read(self, rows: QuerySet[Any]) -> list[InboxRow]:
        """The rows in words, in a fixed number of queries."""
        return [self.row(target) for target in rows]

    def numbers(self) -> list[int]:
        return list(self.rows().values_list("pk", flat=True))

    def some(self, numbers: Sequence[int]) -> list[InboxRow]:
        """The rows of these numbers that still wait."""
        return self.read(self.rows().filter(pk__in=numbers))

    # --- The review ---

    def consider(self, row: InboxRow) -> None:
        """Take what a curator chose beside the row, and give it the buttons of the review."""

    def detail(self, row: InboxRow) -> dict[str, Any]:
        """Values for the template of the review."""
        return {}


def inbox_url(review: str = "", **asked: str | int) -> str:
    """The inbox, or the review of a kind of its rows."""
    address = reverse("admin:inbox_review", args=(review,)) if review else reverse("admin:inbox")
    return f"{address}?{urlencode(asked)}".removesuffix("?")


def describe_fields(episode: Any) -> dict[str, str]:
    """The fields of an episode that a source could state, in words; none for None."""
    return {one.label: one.told(one.shown(episode)) for one in BY_HAND} if episode else {}


def compare_fields(one: Mapping[str, str], other: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """The fields of which either side says anything: label and the words of both."""
    return [
        (label, words, other.get(label, ""))
        for label, words in one.items()
        if words or other.get(label)
    ]


# --- Entries that need review ------------------------------------------------------------------


class UnmatchedSection(InboxSection):
    """Entries that belong to no episode yet."""

    slug, label = "held", "Needs review"
    hint = "unclear which episode these belong to"
    pairing = (
        InboxButton("same", "Same episode", "s", "Matched “{row.subject}” to “{row.other}”."),
        InboxButton("different", "Different", "d",
            "Marked “{row.subject}” as different from “{row.other}”."),
    )  # fmt: skip
    acts = (
        InboxButton("new", "New episode", "n", "Added “{row.subject}” as a new episode."),
        InboxButton("ignore", "Not an episode", "i", "Marked “{row.subject}” as not an episode."),
    )  # fmt: skip
    review = "admin/curation/review_held.html"

    def rows(self) -> QuerySet[Held]:
        return (
            Held.objects.select_related("podcast", "item__document__source")
            .prefetch_related("item__revisions")
            .order_by("item_id")
        )

    def read(self, rows: QuerySet[Held]) -> list[InboxRow]:
        # One query for all rows, however many candidates they have.
        self.episodes = find_candidates_by_slug(
            {one["episode"] for held in rows for one in held.candidates}
        )
        return super().read(rows)

    def row(self, held: Held) -> InboxRow:
        listed, acts, episode = held.candidates, self.alone(held), None
        words = "No episode is similar."
        if listed:
            named, reasons = listed[0]["episode"], "; ".join(listed[0]["reasons"])
            episode = self.episodes.get(named)
            words = f"Could be “{episode or named}”: {reasons or 'nothing else suggests it'}."
            clean = [
                one for one in listed if not any(why.startswith(AGAINST) for why in one["reasons"])
            ]
            # One press is enough where the best candidate alone has reasons for it and none against.
            acts = self.pairing[:1] if episode and clean == listed[:1] and reasons else ()
        return InboxRow(
            self,
            held,
            held.item.heading,
            words,
            listed,
            acts,
            inbox_url(self.slug, row=held.pk),
            episode,
        )

    def settle(self, user: Any, row: InboxRow, act: str) -> None:
        curation.decide_match(
            user,
            row.target.item,
            act,
            row.other if act in ("same", "different") else None,
            reason=row.reason,
        )

    def consider(self, row: InboxRow) -> None:
        """Another candidate; even one that was taken out, as an entry that belongs to it goes with
        it."""
        if address := row.asked["with"]:
            row.other = find_candidates_by_slug([address], podcast=row.target.podcast).get(address)
        row.acts = (*(self.pairing if row.other else ()), *self.alone(row.target))

    def alone(self, held: Held) -> Sequence[InboxButton]:
        """The buttons that need no episode. A transcript is never one."""
        return self.acts[1:] if (held.item.document.source.reader == TRANSCRIPTS) else self.acts

    def detail(self, row: InboxRow) -> dict[str, Any]:
        held, episode, query, said = row.target, row.other, row.asked["q"], row.target.item.said
        exact, others = find_episodes(held.podcast, query)
        entry = {one.label: one.told(one.text_in(said)) for one in BY_HAND}
        entry[NOTES.label] = plain_notes(said)
        reasons = {one["episode"]: one["reasons"] for one in held.candidates}
        own = reasons.get(getattr(episode, "slug", ""), [])
        return {
            "candidates": self.episodes.values(),
            "withdrawn": isinstance(episode, WithdrawnEpisode),
            "words": said.extra("words"),
            "lines": compare_fields(entry, describe_fields(episode)),
            "signals": sorted(own, key=lambda reason: reason.startswith(AGAINST)),
            "query": query,
            "results": [*exact, *others],
        }


def find_candidates_by_slug(slugs: Collection[str], **of: Podcast) -> dict[str, Any]:
    """Episodes by their addresses, those that were taken out too."""
    tables: tuple[Any, ...] = (Episode.objects, WithdrawnEpisode.objects)
    rows = (table.filter(slug__in=slugs, **of).select_related("podcast") for table in tables)
    return {episode.slug: episode for episodes in rows for episode in episodes}


# --- Published twice ---------------------------------------------------------------------------


REPEATS = {
    "replaces": "replaces the other",
    "repeats": "is a rebroadcast of the other",
}


class RerunSection(InboxSection):
    """Episodes with a title that says they were published before."""

    slug, label = "repeat", "Published twice?"
    hint = "re-runs by their titles"
    acts = (
        InboxButton("replaces", "Replaces it", "r",
            "“{row.subject}” replaces “{row.other}” in lists and feeds; both addresses keep working."),
        InboxButton("repeats", "Rebroadcast", "b",
            "“{row.subject}” is a rebroadcast; lists and feeds show “{row.other}”, with a note."),
        InboxButton("unrelated", "Neither", "n",
            "“{row.subject}” and “{row.other}” will not be proposed again."),
    )  # fmt: skip
    review = "admin/curation/review_repeat.html"

    def rows(self) -> QuerySet[Episode]:
        return Episode.objects.exclude(repeats=[]).select_related("podcast").order_by("pk")

    def read(self, rows: QuerySet[Episode]) -> list[InboxRow]:
        self.earlier = episodes_at(
            {episode.repeats[0]["of"] for episode in rows},
            Episode.objects.select_related("podcast"),
        )
        return super().read(rows)

    def row(self, episode: Episode) -> InboxRow:
        """With the first of several; each is asked about in its turn."""
        one = episode.repeats[0]
        other, evidence = self.earlier.get(one["of"]), ", ".join(one["evidence"])
        words = f"{REPEATS[one['kind']].capitalize()}: “{other or one['of']}” ({evidence})."
        acts, address = self.acts if other else (), inbox_url(self.slug, row=episode.pk)
        return InboxRow(self, episode, episode.heading, words, one, acts, address, other)

    def settle(self, user: Any, row: InboxRow, act: str) -> None:
        curation.decide_rerun(user, row.target, row.other, act, reason=row.reason)

    def detail(self, row: InboxRow) -> dict[str, Any]:
        return {
            "lines": compare_fields(describe_fields(row.target), describe_fields(row.other)),
            "proposed": REPEATS[row.says["kind"]],
        }


# --- People ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Namesakes:
    """A person, and the first of the people who have the same name."""

    person: Person
    other: Person

    @property
    def pk(self) -> int:
        return self.person.pk

    @property
    def podcast(self) -> Podcast:
        """The first show that credits the person."""
        shows = Podcast.objects.filter(episodes__credits__person=self.person)
        return shows.order_by("rank", "slug")[0]


class NamesakeSection(InboxSection):
    """People of one name who may be one person."""

    slug, label = "namesake", "People of one name"
    hint = "one person, or two?"
    acts = (
        InboxButton("same", "Same person", "s", "“{row.subject}” is one person now."),
        InboxButton("different", "Different people", "d", "The people named “{row.subject}” stay two."),
    )  # fmt: skip

    def rows(self) -> QuerySet[Person]:
        """Return all but the first of the people of a name, unless a curator keeps them apart."""
        names = Person.objects.order_by().values("name")
        names = names.annotate(people=Count("pk"), first=Min("identity")).filter(people__gt=1)
        rows = Person.objects.filter(name__in=names.values("name"))
        rows = rows.exclude(identity__in=names.values("first"))
        kept_apart = Decision.objects.in_force(DISMISSAL).filter(
            field=curation.NAMESAKE, key=OuterRef("identity")
        )
        return rows.exclude(Exists(kept_apart.order_by())).order_by("name", "identity")

    def read(self, rows: QuerySet[Person]) -> list[InboxRow]:
        people = Person.objects.filter(name__in=[person.name for person in rows])
        first = {person.name: person for person in people.order_by("-identity")}
        return [self.row(Namesakes(person, first[person.name])) for person in rows]

    def row(self, target: Namesakes) -> InboxRow:
        person, other = target.person, target.other
        words = f"{capfirst(person.roles_in_shows())}; {other.roles_in_shows()}."
        says = [other.identity, person.identity]
        return InboxRow(self, target, person.name, words, says, self.acts, row_url(person), other)

    def settle(self, user: Any, row: InboxRow, act: str) -> None:
        person = curation.CorrectionSubject.of(row.target.person)
        if act == "same":
            curation.merge_subjects(
                user, person, curation.CorrectionSubject.of(row.other), reason=row.reason
            )
        else:
            curation.keep_namesakes_apart(user, person)


# --- Suggestions -------------------------------------------------------------------------------


class SuggestionSection(InboxSection):
    """Corrections that readers suggest."""

    slug, label = "suggestion", "Suggested by readers"
    hint = "corrections that readers sent in"
    acts = (
        InboxButton("accept", "Accept", "a", "Corrected “{row.subject}” as suggested."),
        InboxButton("refuse", "Refuse", "n", "Refused the suggestion about “{row.subject}”."),
    )  # fmt: skip

    def rows(self) -> QuerySet[Suggestion]:
        return (
            Suggestion.objects.filter(state=Suggestion.WAITING)
            .select_related("podcast")
            .order_by("pk")
        )

    def row(self, one: Suggestion) -> InboxRow:
        instead = f" instead of “{one.wrong}”" if one.wrong else ""
        told = (one.evidence, one.name, one.contact)
        words = " · ".join(
            (f"{one.get_field_display()}: “{one.value}”{instead}", *filter(None, told))
        )
        return InboxRow(self, one, one.subject, words, words, self.acts, one.page)

    def settle(self, user: Any, row: InboxRow, act: str) -> None:
        if act == "refuse":
            curation.close_suggestion(user, row.target, Suggestion.REFUSED)
        else:
            curation.accept_suggestion(user, row.target)


# --- Values of episodes ------------------------------------------------------------------------


class ConflictSection(InboxSection):
    """Episodes of which sources contradict each other."""

    slug, label = "conflict", "Conflicts between sources"
    hint = "sources contradict each other"
    acts = (
        InboxButton("closed", "Not a problem", "p", "Closed the conflicts of “{row.subject}”."),
    )

    def rows(self) -> QuerySet[Episode]:
        return Episode.objects.exclude(conflicts=[]).select_related("podcast").order_by("pk")

    def row(self, episode: Episode) -> InboxRow:
        keys = sorted(FieldConflict(**row).key for row in episode.conflicts)
        words = " ".join(f"{one['label']}: {one['words']}" for one in describe_conflicts(episode))
        return InboxRow(
            self, episode, episode.heading, words, keys, self.acts, episode_url(episode)
        )

    def settle(self, user: Any, row: InboxRow, act: str) -> None:
        curation.remove_from_list(user, row.target, "conflict", *row.says)


class UpstreamSection(InboxSection):
    """Own values of fields that a source changed since."""

    slug, label = "upstream", "Changed upstream since"
    hint = "a source changed a field after a curator set it"
    acts = (
        InboxButton("keep", "Keep mine", "o", "Kept your value of “{row.subject}”."),
        InboxButton("theirs", "Use theirs", "t", "“{row.subject}” follows the sources again."),
    )

    @cached_property
    def changed(self) -> dict[int, list[dict[str, Any]]]:
        # Once a request, as all revisions of what was corrected are read.
        return upstream_changes(Decision.objects.in_force("value"))

    def rows(self) -> QuerySet[Decision]:
        return overrides_of_episodes(
            Decision.objects.filter(pk__in=list(self.changed)).select_related("podcast")
        ).order_by("pk")

    def read(self, rows: QuerySet[Any]) -> list[InboxRow]:
        self.episodes = Episode.objects.select_related("podcast").in_bulk(
            {own.episode for own in rows}
        )
        return super().read(rows)

    def row(self, own: Any) -> InboxRow:
        changes, known, episode = (
            self.changed[own.pk],
            BY_NAME[own.field],
            self.episodes[own.episode],
        )
        news = (
            f"{one['source']} now has “{shorten_value(known.words(one['now']))}”" for one in changes
        )
        words = (
            f"{known.label}: yours is “{shorten_value(known.words(own.value))}”; {'; '.join(news)}."
        )
        says = [own.field, [[one["source"], one["now"]] for one in changes]]
        return InboxRow(
            self, own, episode.heading, words, says, self.acts, episode_url(episode), episode
        )

    def settle(self, user: Any, row: InboxRow, act: str) -> None:
        verb = curation.keep_overrides if act == "keep" else curation.unlock_fields
        verb(user, row.other, row.target.field)


# --- Sources -----------------------------------------------------------------------------------


class SourceSection(InboxSection):
    """Sources of which the last import was refused or failed, or the next is overdue. One that is
    no problem is left out for as long as its state is the same."""

    slug, label = "source", "Sources in trouble"
    hint = "the last import failed, or the next is overdue"
    acts = (
        InboxButton("accept", "Import it", "a",
            "Imported “{row.subject}” as it is now.", sets_up=True),
        InboxButton("fine", "Not a problem", "p",
            "“{row.subject}” is no problem until it says something else."),
    )  # fmt: skip

    def rows(self) -> Any:
        # What nobody sees troubles nobody.
        shown = Podcast.objects.shown().order_by().values("pk")
        rows = with_import_state(Source.objects.filter(podcast__in=shown)).filter(state__in=TROUBLE)
        fine = Decision.objects.in_force(DISMISSAL).filter(
            podcast=OuterRef("podcast"), source=OuterRef("slug"), value=OuterRef("state")
        )
        order = ("severity", "podcast__rank", "rank", "slug")
        return rows.exclude(Exists(fine.order_by())).select_related("podcast").order_by(*order)

    def row(self, source: Any) -> InboxRow:
        waits = source.reason.startswith(IMPLAUSIBLE)
        return InboxRow(
            self,
            source,
            source.label(several=True),
            shorten_value(describe_import_state(source)),
            source.state,
            self.acts if waits else self.acts[1:],
            row_url(source),
        )

    def settle(self, user: Any, row: InboxRow, act: str) -> None:
        if act == "accept":
            curation.import_source(user, row.target, accept=True)
        else:
            curation.dismiss_source(user, row.target, row.says)


CONFIRMED_BY_HOST = "host"  # value of a dismissal


class HostSection(InboxSection):
    """Pages whose episodes rest on the host of their address alone."""

    slug, label = "host", "Pages confirmed by their host alone"
    hint = "an older release trusted any page of a known site"
    acts = (
        InboxButton("withdraw", "Withdraw its episodes", "w",
            "Withdrew the episodes that only “{row.subject}” lists."),
        InboxButton("closed", "The page is right", "p", "The episodes of “{row.subject}” stay."),
    )  # fmt: skip

    def rows(self) -> QuerySet[Document]:
        dismissals = Decision.objects.in_force(DISMISSAL).filter(
            podcast=OuterRef("source__podcast"),
            source=OuterRef("source__slug"),
            key=OuterRef("address"),
            value=CONFIRMED_BY_HOST,
        )
        documents = curation.documents_confirmed_by_host()
        documents = documents.exclude(Exists(dismissals.order_by()))
        return documents.select_related("source__podcast").order_by("pk")

    def row(self, document: Document) -> InboxRow:
        source = document.source
        words = f"{source.label(several=True)}: episodes exist because of this page alone."
        address = document.address
        return InboxRow(self, document, address, words, address, self.acts, row_url(source))

    def settle(self, user: Any, row: InboxRow, act: str) -> None:
        if act == "withdraw":
            curation.withdraw_episodes_of(user, row.target, reason=row.reason)
        else:
            curation.dismiss_source(user, row.target.source, CONFIRMED_BY_HOST, row.target.address)


# The most urgent first.
INBOX_SECTIONS: tuple[type[InboxSection], ...] = (
    UnmatchedSection, SourceSection, UpstreamSection, ConflictSection, RerunSection, SuggestionSection,
    NamesakeSection, HostSection,
)  # fmt: skip


# --- The inbox and the review -------------------------------------------------------------------


PER_PAGE = 50
FIRST = 10  # rows of each kind, where none is chosen
RECENT = 10  # changes on the start page
MOST_UNREAD = 20  # episodes
SETTLED = "This row has changed since you opened the page, or was settled by you or somebody else."
LAST = "last_decision"  # of the session: the number of the last change that was made in the inbox


def sections_by_slug() -> dict[str, InboxSection]:
    """The kinds as they are now, by their names."""
    return {kind.slug: kind() for kind in INBOX_SECTIONS}


def first_inbox_rows(most: int) -> list[InboxRow]:
    """The first rows of each kind."""
    return [row for kind in sections_by_slug().values() for row in kind.some(kind.numbers()[:most])]


class RowsForm(forms.Form):
    """Rows as their buttons name them: a `token` tells that one still says what the page showed."""

    kind = forms.ChoiceField(choices=[(kind.slug, kind.label) for kind in INBOX_SECTIONS])
    act = forms.CharField(max_length=40, required=False)
    row = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    token = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    all = forms.IntegerField(required=False)  # rows of the kind there were, if all are meant


class InboxView(ActionView):
    """Lists what needs a person and settles one row, or several of a kind; the next one follows."""

    form_class = RowsForm
    template_name = "admin/curation/inbox.html"
    title = "Inbox"
    is_below_list = False
    done = "{view.message}"
    viewers_may_look = True
    chosen: list[InboxRow]

    def prepare(self) -> None:
        self.kinds, asked = sections_by_slug(), self.request.GET
        self.kind = self.kinds.get(self.kwargs.get("kind", asked.get("kind", "")))
        self.query = {"kind": self.kind.slug} if self.kind else {}
        if "page" in asked:
            self.query["page"] = asked["page"][:20]

    def get_success_url(self) -> str:
        """The page as it was asked for, at the row that is in the place of the settled one."""
        return inbox_url(**self.query, at=request_row_id(self.request, "at"))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        form = self.get_form()
        self.chosen = self.rows_of(form.cleaned_data) if form.is_valid() else []
        if not self.chosen:
            raise SubjectGone(self.get_success_url(), SETTLED)
        # Whatever is newer after the press was made by it.
        self.last_before = Change.objects.aggregate(last=Max("pk", default=0))["last"]
        return super().post(request, *args, **kwargs)

    def rows_of(self, given: dict[str, Any]) -> list[InboxRow]:
        """The rows that a form names, as far as they are what its page showed."""
        kind = self.kinds[given["kind"]]
        if given["all"]:
            numbers = kind.numbers()
            return kind.some(numbers) if len(numbers) == given["all"] else []
        # The tokens tell whether the rows still say what the page showed.
        rows = kind.some([int(number) for number in given["row"] if is_row_id(number)])
        return [row for row in rows if row.token in given["token"]]

    def act_on(self, row: InboxRow) -> None:
        acts = {act.name: act for act in row.acts}
        act = acts.get(self.form.cleaned_data["act"])
        if act is None:
            raise curation.InvalidChange("Choose one of the buttons.")
        row.kind.settle(self.request.user, row, act.name)
        self.message = act.done.format(row=row)

    def act(self) -> None:
        # One row has a message of its own; several are counted.
        if len(self.chosen) == 1:
            self.act_on(self.chosen[0])
            return
        acts = [(row.subject, partial(self.act_on, row)) for row in self.chosen]
        shows = {row.show for row in self.chosen}
        with curation.batch_changes(shows) as batch:
            refused = batch.each(acts)
        for reason in refused:
            messages.error(self.request, f"Not done: {reason}")
        self.message = f"Done: {counted(len(acts) - len(refused), 'row', 'rows')}."

    def refused(self, refusal: Exception) -> HttpResponse:
        raise SubjectGone(self.get_success_url())

    def succeeded(self) -> HttpResponse:
        mine = Change.objects.filter(made_by=self.request.user.pk, pk__gt=self.last_before)
        # The newest one: any change of a batch leads to the undo of all of it.
        self.request.session[LAST] = mine.values_list("pk", flat=True).first()
        return super().succeeded()

    def last(self) -> Change | None:
        """The last decision of this session in the inbox, unless it was undone."""
        return Change.objects.filter(pk=self.request.session.get(LAST, 0), undone_at=None).first()

    def context(self) -> dict[str, Any]:
        kind = self.kind
        counts = {slug: one.rows().count() for slug, one in self.kinds.items()}
        numbers = kind.numbers() if kind else ()
        page = Paginator(numbers, PER_PAGE).get_page(self.query.get("page"))
        rows = kind.some(list(page)) if kind else first_inbox_rows(FIRST)
        total = len(numbers) if kind else sum(counts.values())
        return {
            "last": self.last(),
            "back": self.request.get_full_path(),
            "rows": rows,
            "at": min(request_row_id(self.request, "at"), max(len(rows) - 1, 0)),
            "jump": "at" in self.request.GET,
            "page": page,
            "total": total,
            "chosen": kind,
            "kinds": [(one, counts[slug]) for slug, one in self.kinds.items()],
            "query": urlencode({**self.query, "page": ""}),
            "several": Podcast.objects.several(),
        }


class ReviewView(InboxView):
    """One row of a kind beside what it may be; a decision leads to the next one."""

    title = "{view.kind.label}"
    row: InboxRow | None = None

    def prepare(self) -> None:
        super().prepare()
        if self.kind is None or not self.kind.review:
            raise SubjectGone(inbox_url())
        self.template_name = self.kind.review
        self.crumbs = [(inbox_url(kind=self.kind.slug), "Inbox")]
        numbers, asked = self.kind.numbers(), request_row_id(self.request, "row")
        at = numbers.index(asked) if asked in numbers else request_row_id(self.request, "at")
        # Behind the last row comes the first again.
        self.total, self.at = len(numbers), at % max(len(numbers), 1)
        for row in self.kind.some(numbers[self.at : self.at + 1]):
            row.asked = {name: request_value(self.request, name) for name in ("with", "q")}
            row.reason = self.reason
            self.kind.consider(row)
            self.row = row

    def rows_of(self, given: dict[str, Any]) -> list[InboxRow]:
        return [self.row] if self.row and self.row.token in given["token"] else []

    def get_success_url(self) -> str:
        return inbox_url(self.kwargs["kind"], at=self.at)

    def refused(self, refusal: Exception) -> HttpResponse:
        return self.page()

    def context(self) -> dict[str, Any]:
        assert self.kind is not None
        shown = self.kind.detail(self.row) if self.row else {}
        return {
            "total": self.total,
            "at": self.at,
            "row": self.row,
            "last": self.last(),
            "back": self.get_success_url(),
            "next": self.at + 1,
            "list": inbox_url(kind=self.kind.slug),
            **shown,
        }


# --- The start page ----------------------------------------------------------------------------


def start_page_context(request: HttpRequest) -> dict[str, Any]:
    """The start page: rows of the inbox by kind, filters of lists whose rows want a look, each with
    its number, and the last changes."""
    needs, missing = [], []
    for slug, kind in sections_by_slug().items():
        if count := kind.rows().count():
            about = {"name": kind.label, "hint": kind.hint, "address": inbox_url(kind=slug)}
            needs.append({**about, "count": count})
    for own in cast(Any, admin.site).lists.values():
        options = getattr(own, "counted", OptionsFilter)
        for name, (label, wanted) in options.options.items():
            if count := own.get_queryset(request).filter(wanted).count():
                address = list_url(own.opts.model_name, f"?{options.parameter_name}={name}")
                missing.append({"name": label, "count": count, "address": address})
    return {
        "inbox_address": inbox_url(),
        "total": sum(need["count"] for need in needs),
        "needs": needs,
        "missing": missing,
        "recent": Change.objects.exclude(rows=[]).select_related("made_by", "undone_by", "podcast")[
            :RECENT
        ],
        "large_sources": large_sources(),
        "unread": EpisodeReading.objects.failed()[:MOST_UNREAD],
    }
