"""Screens about one episode: finding one by what a curator types, its entries, conflicts and preview;
merge two, split one, take one out of the catalog, mark one as a re-run, and correct words of its
transcript."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import F, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, JsonResponse
from django.urls import reverse, reverse_lazy
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.views import View

from ..curation import (
    REPLACED,
    WordCorrection,
    correct_transcript,
    decide_rerun,
    decisions_in_force,
    episode_at_address,
    episode_of_entry,
    episode_token,
    merge_episodes,
    places_of,
    split_episode,
    withdraw_episode,
)
from ..fields import BY_NAME, OVERRIDABLE
from ..models import (
    OF_ENTRY,
    TAKEN_OUT,
    TRANSCRIPTS,
    Attachment,
    Decision,
    Episode,
    EpisodeTopic,
    Item,
    LearningPath,
    Podcast,
    Revision,
    Transcript,
    WithdrawnEpisode,
    batches,
    routes,
)
from ..records import FieldConflict
from ..text.formatting import counted
from ..text.numbering import season_and_number
from .base import (
    ActionView,
    ReaderTexts,
    SubjectGone,
    episode_url,
    find_withdrawn,
    is_row_id,
    safe_next_url,
)

MOST = 12  # episodes that are offered
MOST_NAMED = 4
WHERE = {
    "title": "in the title",
    "notes": "in the notes",
    "links": "among the links",
    "curator": "added by hand",
}


# --- Found by what is typed --------------------------------------------------------------------


def find_episodes(
    podcast: Podcast | None, query: str, without: Episode | None = None
) -> tuple[list[Episode], list[Episode]]:
    """The episodes of a show, or of all, that are named exactly, by address, title or number (`5`,
    `S2 E5`), and others that have the words in their titles or addresses."""
    query = query.replace("\0", "").strip()[:200]
    if not query:
        return [], []
    rows = Episode.objects.select_related("podcast").newest_first(one_show=True)
    rows = rows.filter(podcast=podcast) if podcast else rows
    rows = rows.exclude(pk=without.pk) if without else rows
    named = Q(slug=query) | Q(title__iexact=query)
    if both := season_and_number(query):
        named |= Q(season=both[0], number=both[1])
    elif is_row_id(query):
        named |= Q(number=query)
    words = Q(title__icontains=query) | Q(slug__icontains=query)
    return list(rows.filter(named)[:MOST]), list(rows.filter(words).exclude(named)[:MOST])


class EpisodeLookupView(View):
    """The episodes that what is typed may mean, offered below the input."""

    http_method_names = ("get", "head")
    model_admin: Any = None

    def get(self, request: HttpRequest) -> JsonResponse:
        if not self.model_admin.has_view_permission(request):
            raise PermissionDenied
        exact, others = find_episodes(None, request.GET.get("q", ""))
        return JsonResponse(
            {
                "episodes": [
                    {"slug": one.slug, "heading": one.heading} for one in [*exact, *others][:MOST]
                ]
            }
        )


class EpisodeField(forms.CharField):
    """An episode, by an address that it has or had, its number, its title, or, where it need not
    be named `exactly`, words of it; of one show, or of all."""

    podcast: Podcast | None = None
    without: Episode | None = None
    exactly = False
    widget = forms.TextInput(
        {
            "data-episodes": reverse_lazy("admin:episodes_episode_named"),
            "placeholder": "title, number or address",
        }
    )

    def of(self, episode: Episode) -> None:
        """Look in the show of an episode, for another one."""
        self.podcast, self.without = episode.podcast, episode

    def clean(self, value: Any) -> Episode | None:
        words = str(super().clean(value))
        if not words:
            return None
        if episode := episode_at_address(words):
            return episode
        exact, others = find_episodes(self.podcast, words, self.without)
        # A title that is the words wins over those that only have them.
        matches = exact or others
        if len(matches) == 1 and (exact or not self.exactly):
            return matches[0]
        if not matches:
            raise ValidationError(f"No episode matches “{words[:80]}”.")
        # By their addresses, which are never two episodes'.
        named = ", ".join(match.slug for match in matches[:MOST_NAMED])
        raise ValidationError(f"Choose the episode that “{words[:80]}” means: {named}.")


class OtherEpisodeForm(forms.Form):
    """Names another episode of the same show."""

    other = EpisodeField(label="the other episode", required=False)

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["other"].of(episode)  # type: ignore[attr-defined]


# --- One episode -------------------------------------------------------------------------------


def find_episode_or_404(address: str) -> Episode:
    """The episode that an address of the admin is about: it has or had it, or has its number.

    Raises:
        Unavailable: it was taken out; its own screen tells of it.
    """
    slug = unquote(address)
    if withdrawn := find_withdrawn(slug):
        here = reverse("admin:episodes_episode_change", args=(address,))
        raise SubjectGone(f"{episode_url(withdrawn)}?next={here}")
    slug = slug.replace("\0", "")[:300]
    rows = Episode.objects.select_related("podcast").filter(pk=slug if is_row_id(slug) else 0)
    episode = episode_at_address(slug) or rows.first()
    if episode is None:
        raise Http404("No episode has or had this address.")
    return episode


def warn_of_duplicate_number(request: HttpRequest, episode: Episode) -> None:
    """Tell that other episodes of the show, and season, have the number of this one too."""
    # Django compares a season of None by IS NULL.
    same = Episode.objects.filter(
        podcast=episode.podcast_id, season=episode.season, number=episode.number
    )
    if others := list(same.exclude(number=None).exclude(pk=episode.pk)[:3]):
        names = ", ".join(f"“{other.heading}”" for other in others)
        messages.warning(request, f"Number {episode.numbering} is also the number of {names}.")


def ranked_entries(episode: Episode | WithdrawnEpisode) -> list[tuple[Any, Any]]:
    """The entries of an episode with what they say now, as they rank."""
    rows: Any = episode.attachments.select_related("item__document__source")
    ranked = sorted(
        rows.prefetch_related("item__revisions").order_by(),
        key=lambda a: (a.item.gone_version is not None, a.item.document.source.rank, a.item_id),
    )
    return [(row, row.item.said) for row in ranked]


def describe_conflicts(episode: Episode) -> list[dict[str, str]]:
    """The conflicts between sources that need a decision, in words."""
    found = {}
    for row in (FieldConflict(**row) for row in episode.conflicts):
        field = BY_NAME[row.field]
        one, other = field.words(row.value)[:120], field.words(row.other_value)[:120]
        words = f"{row.source} has “{one}”, {row.other_source} has “{other}”."
        # Several entries of one source may contradict others alike, which is said once.
        found[field.label, words] = {"key": row.key, "label": field.label, "words": words}
    return list(found.values())


def topic_reason(use: EpisodeTopic) -> str:
    """The reason why an episode has a topic, in words."""
    where = WHERE.get(use.field, use.field)
    return f"“{use.term}” {where}" if use.term else where


def join_topic_names(episode: Episode) -> str:
    return ", ".join(sorted(topic.name for topic in episode.topics.all()))


def episode_facts(episode: Episode) -> dict[str, str]:
    """An episode as a preview compares it."""
    entries = (
        f"{row.item.document.source.heading}: {said.title or said.text[:80]}"
        for row, said in ranked_entries(episode)
    )
    links = counted(episode.mentions.count(), "link", "links")
    others = counted(episode.references.count(), "other episode", "other episodes")
    return {
        **{field.label: field.words(field.shown(episode)) for field in OVERRIDABLE},
        "Topics": join_topic_names(episode),
        "People": ", ".join(
            sorted(f"{one.person.name} ({one.role})" for one in episode.credits.all())
        ),
        "Contains": f"{links}, {others}",
        "Entries": "; ".join(entries),
    }


# --- Changed upstream since a curator set a field ----------------------------------------------


def overrides_of_episodes(rows: QuerySet[Decision]) -> QuerySet[Any]:
    """The overrides that are about an episode now, with its id as `episode`."""
    return rows.annotate(
        episode=Subquery(Attachment.objects.filter(**OF_ENTRY).values("episode")[:1])
    ).exclude(episode=None)


def upstream_changes(overrides: QuerySet[Decision]) -> dict[int, list[dict[str, Any]]]:
    """The sources that changed after each override and do not say what the curator says, each with
    its value before and now, and when it changed."""
    rows = list(overrides_of_episodes(overrides))
    since = min((row.made_at for row in rows), default=None)
    entries: dict[int, list[Item]] = defaultdict(list)
    for some in batches({row.episode for row in rows}):
        news = Revision.objects.filter(item__attachment__episode__in=some, recorded_at__gt=since)
        # Another guid makes another entry of an old one, so all entries of the episode are read.
        moved = news.order_by().values("item__attachment__episode")
        stating = Attachment.objects.exclude(item__document__source__reader=TRANSCRIPTS)
        related = stating.select_related("item__document__source")
        # Entries that are still listed come last and so have the last word.
        order = (F("item__gone_version").asc(nulls_last=True), "item__document__source__rank")
        attached = related.prefetch_related("item__revisions").filter(episode__in=moved)
        for row in attached.order_by(*order):
            entries[row.episode_id].append(row.item)
    changes = {row.pk: _changes(row, entries[row.episode]) for row in rows}
    return {key: sources for key, sources in changes.items() if sources}


def _changes(row: Decision, items: Iterable[Item]) -> list[dict[str, Any]]:
    before: dict[str, str] = {}
    now: dict[str, tuple[datetime, str]] = {}
    field = BY_NAME[row.field]
    for item in items:
        source = item.document.source.slug
        for revision in sorted(item.revisions.all(), key=lambda revision: revision.version):
            value = field.text_in(revision.said)
            if revision.recorded_at <= row.made_at:
                before[source] = value
            else:
                now[source] = (revision.recorded_at, value)
    return [
        {"source": source, "before": before[source], "now": value, "at": at}
        for source, (at, value) in now.items()
        if source in before and value not in (before[source], row.value)
    ]


# --- Changes of one episode --------------------------------------------------------------------


class EpisodeAction(ActionView):
    """A change of one episode, previewed at once; it leads back to the episode that has its first
    entry then."""

    form_class: Any = OtherEpisodeForm
    parts: Sequence[str] = ("",)  # names of the episodes that are previewed

    def prepare(self) -> None:
        self.episode = find_episode_or_404(self.kwargs["slug"])
        self.entries = ranked_entries(self.episode)
        self.item: Item | None = self.entries[0][0].item if self.entries else None
        self.crumbs = [(episode_url(self.episode), self.episode.heading)]

    @cached_property
    def items(self) -> Sequence[Item | None]:
        """An entry of each episode that is previewed: it stays when the episode's row does not."""
        return [self.item]

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "episode": self.episode}

    def context(self) -> dict[str, Any]:
        return {"episode": self.episode, "seen": episode_token(self.episode)}

    def look(self) -> Any:
        found = {}
        for part, item in zip(self.parts, self.items, strict=True):
            episode = episode_of_entry(item)
            for label, words in episode_facts(episode).items() if episode else ():
                found[f"{part}{label}", ""] = words
        return found

    def get_success_url(self) -> str:
        return safe_next_url(self.request) or episode_url(
            episode_of_entry(self.item) or self.episode
        )


EVERYWHERE = "everywhere"
MOST_PLACES = 200


# --- Merge -------------------------------------------------------------------------------------


class MergeForm(OtherEpisodeForm):
    other = EpisodeField(label="the other episode")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sides = [("one", ""), ("other", "")]
        for field in OVERRIDABLE:
            self.fields[f"of_{field.name}"] = forms.ChoiceField(choices=sides, required=False)


class MergeView(EpisodeAction):
    """Shows the merged episode beside both, and takes each field from where the curator says."""

    form_class = MergeForm
    template_name = "admin/curation/merge.html"
    title = "Merge {view.episode.heading}"
    done = (
        "“{view.episode.heading}” and “{view.form.cleaned_data[other].heading}” are one episode "
        "now. Both addresses lead here; undo it below."
    )
    filled_by_address = "other"

    @cached_property
    def items(self) -> Sequence[Item | None]:
        return [self.item, ranked_entries(self.form.cleaned_data["other"])[0][0].item]

    def act(self) -> None:
        given = self.form.cleaned_data
        sides = {"one": self.episode, "other": given["other"]}
        values = {
            field.name: field.shown(sides[side])
            for field in OVERRIDABLE
            if (side := given[f"of_{field.name}"])
        }
        merge_episodes(self.request.user, self.episode, given["other"], values, **self.how)

    def look(self) -> list[dict[str, str]]:
        return [
            episode_facts(episode) for item in self.items if (episode := episode_of_entry(item))
        ]

    def compare(self, before: Any, after: Any) -> dict[str, Any]:
        (one, other), merged = before, after[0]
        names = {field.label: field.name for field in OVERRIDABLE}
        return {
            "choices": [
                (names.get(label, ""), label, one[label], other[label], words)
                for label, words in merged.items()
            ]
        }

    def context(self) -> dict[str, Any]:
        other = getattr(self.form, "cleaned_data", {}).get("other")
        seen = " ".join(episode_token(one) for one in (self.episode, other) if one)
        return {"one": self.episode, "other": other, "seen": seen}


# --- Split -------------------------------------------------------------------------------------


class SplitForm(OtherEpisodeForm):
    field_order = ("items",)
    items = forms.MultipleChoiceField(
        label="Entries that belong to a different episode",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Select the entries that belong elsewhere."},
    )
    other = EpisodeField(label="to (empty: a new episode)", required=False)

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, episode=episode, **kwargs)
        field: Any = self.fields["items"]
        field.choices = [
            (row.item_id, f"{row.item.document.source.heading}: {said.title or said.text[:100]}")
            for row, said in ranked_entries(episode)
        ]


class SplitView(EpisodeAction):
    """Makes some of an episode's entries a new episode, or entries of another one, and shows both
    before."""

    form_class = SplitForm
    title = "Split or move entries of {view.episode.heading}"
    done = "Split."
    filled_by_address = "items"
    parts = ("What stays: ", "What moves: ")

    @property
    def chosen(self) -> list[Item]:
        ids = self.form.cleaned_data["items"]
        return [row.item for row, _ in self.entries if str(row.item_id) in ids]

    @cached_property
    def items(self) -> Sequence[Item | None]:
        stay = [row.item for row, _ in self.entries if row.item not in self.chosen]
        return [next(iter(stay), None), self.chosen[0]]

    def act(self) -> None:
        target = self.form.cleaned_data["other"]
        split_episode(self.request.user, self.episode, self.chosen, target, **self.how)
        # The page goes on with what stays.
        self.item = self.items[0]

    def done_message(self) -> str:
        found = episode_of_entry(self.items[1])
        assert found is not None, "its entry was just given one"
        moved = f"Moved {counted(len(self.chosen), 'entry', 'entries')} to"
        what = moved if self.form.cleaned_data["other"] else "Split. New episode:"
        return format_html('{} <a href="{}">{}</a>.', what, episode_url(found), found.heading)


# --- Take out ----------------------------------------------------------------------------------


def describe_address(slug: str) -> str:
    """The answer of an address, in words."""
    episode = episode_at_address(slug)
    if episode is None:
        return "“This page was removed” (410)"
    path = episode.get_absolute_url()
    return "shows it" if episode.slug == slug else f"redirects to {path}"


class WithdrawForm(OtherEpisodeForm):
    field_order = ("kind",)
    kind = forms.ChoiceField(label="As", choices=[*TAKEN_OUT.items()], widget=forms.RadioSelect)
    other = EpisodeField(label="replaced by", required=False)

    def clean(self) -> None:
        given = self.cleaned_data
        if given.get("kind") == REPLACED and not given.get("other") and not self.errors:
            self.add_error("other", "Name the other episode.")


class WithdrawView(EpisodeAction):
    """Takes an episode out, and shows before where readers miss it."""

    form_class = WithdrawForm
    title = "Take out {view.episode.heading}"
    explanation = (
        "“Not an episode” is for adverts, trailers of other shows and test uploads; “Hidden” hides "
        "it from readers; replaced, its addresses redirect to the other episode. Sources cannot "
        "bring it back; you can, at any time."
    )
    done = (
        "“{view.episode.heading}” was taken out: {view.label}. "
        "Sources cannot bring it back; you can."
    )
    filled_by_address = "kind"

    @property
    def label(self) -> str:
        return TAKEN_OUT[self.form.cleaned_data["kind"]].lower()

    def act(self) -> None:
        given = self.form.cleaned_data
        withdraw_episode(self.request.user, self.episode, given["kind"], given["other"], **self.how)

    def look(self) -> ReaderTexts:
        """The words about the episode at each place where readers meet it."""
        podcast, slug = self.episode.podcast, self.episode.slug
        shown = Episode.objects.filter(podcast=podcast)
        found = {
            (reverse("episode", args=(slug,)), ""): describe_address(slug),
            (f"Episodes of {podcast}", ""): str(shown.count()),
        }
        for episode in shown.filter(slug=slug):
            named = (*episode.topics.all(), *episode.people.all())
            found |= {(f"Page of {one}", ""): "lists it" for one in named}
        for route in routes(LearningPath.objects.all()):
            if slug in {step.episode for step in route.path.kept}:
                found[f"Path {route.path}", ""] = counted(len(route.parts), "step", "steps")
        return found


# --- Published before --------------------------------------------------------------------------


class RerunForm(OtherEpisodeForm):
    field_order = ("other", "kind")
    other = EpisodeField(label="the other episode")
    kind = forms.ChoiceField(
        label="The later of the two",
        choices=[("repeats", "is a re-run"), ("replaces", "replaces the earlier one")],
        widget=forms.RadioSelect,
    )


class RerunView(EpisodeAction):
    """Marks two episodes as one that was published twice, and shows before which one lists leave
    out."""

    form_class = RerunForm
    title = "Mark {view.episode.heading} as published twice"
    explanation = (
        "Lists and feeds leave out a re-run, and an episode that is replaced. Both addresses keep "
        "working, and each page names the other episode."
    )
    done = "Marked. Each page names the other episode."
    filled_by_address = "other"

    @cached_property
    def items(self) -> Sequence[Item | None]:
        return [self.item, ranked_entries(self.form.cleaned_data["other"])[0][0].item]

    def act(self) -> None:
        values = self.form.cleaned_data
        decide_rerun(
            self.request.user, self.episode, values["other"], values["kind"], reason=self.reason
        )

    def look(self) -> ReaderTexts:
        """Return for both episodes whether lists show them."""
        shown = {}
        for episode in map(episode_of_entry, self.items):
            if episode:
                shown[f"Lists: {episode.heading}", ""] = "shown" if episode.listed else "left out"
        return shown


# --- Words of the transcript -------------------------------------------------------------------


def transcript_cues(episode: Any) -> Sequence[Sequence[Any]]:
    """The paragraphs of the transcript of an episode as it is now."""
    row = Transcript.objects.filter(episode=episode).first()
    return row.cues if row else ()


class CorrectWordsForm(forms.Form):
    """Words of the transcript, the right ones, and the place that gets them, once they are found
    in several."""

    wrong = forms.CharField(label="Wrong words", max_length=200)
    right = forms.CharField(label="Right words", max_length=200)
    place = forms.ChoiceField(label="Where", widget=forms.RadioSelect, required=False)

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        words = " ".join(str(self.data.get("wrong", "")).replace("\0", "").split())
        # Places with the same words around them are corrected together.
        places: defaultdict[WordCorrection, list[int]] = defaultdict(list)
        for paragraph, one in places_of(transcript_cues(episode), words) if words else ():
            places[one].append(paragraph)
        self.places = {str(number): one for number, one in enumerate(places)}
        # Of very many places only those that a page can list are offered.
        choices = []
        for number, (place, paragraphs) in enumerate([*places.items()][:MOST_PLACES]):
            where = ", ".join(map(str, paragraphs))
            several = (
                f"s {where} ({len(paragraphs)} places)" if len(paragraphs) > 1 else f" {where}"
            )
            around = f"…{place.before}[{place.wrong}]{place.after}…"
            choices.append((str(number), f"Paragraph{several}: {around}"))
        if len(places) > 1:
            count = sum(map(len, places.values()))
            choices.append((EVERYWHERE, f"Everywhere in this transcript ({count} places)"))
            self.places[EVERYWHERE] = WordCorrection("", words, "")
        field: Any = self.fields["place"]
        field.choices = choices

    def clean(self) -> dict[str, Any]:
        """With the correction of the place that was chosen, or the only one."""
        given = self.cleaned_data
        place = given.get("place") or ("0" if len(self.places) == 1 else "")
        if not self.places:
            self.add_error("wrong", "The transcript does not have these words, spelled like this.")
        elif not place:
            self.add_error("place", "Choose where.")
        elif not self.errors:
            found, right = self.places[place], " ".join(given["right"].split())
            given["one"] = WordCorrection(found.before, found.wrong, found.after, right)
        return given


class CorrectWordsView(EpisodeAction):
    """Gives words of an episode's transcript a curator's own, in one place or wherever they are
    said."""

    form_class = CorrectWordsForm
    template_name = "admin/curation/words.html"
    title = "Correct words of {view.episode.heading}"
    done = "Corrected. New versions of the transcript keep it."
    filled_by_address = "wrong"

    def prepare(self) -> None:
        super().prepare()
        if not transcript_cues(self.episode):
            raise SubjectGone(episode_url(self.episode), "This episode has no transcript.")

    def act(self) -> None:
        correct_transcript(
            self.request.user, self.episode, self.form.cleaned_data["one"], **self.how
        )

    def look(self) -> ReaderTexts:
        """The paragraphs of the transcript."""
        return {
            (f"Paragraph {n}", ""): str(said)
            for n, (_, _, said) in enumerate(transcript_cues(episode_of_entry(self.item)), 1)
        }

    def context(self) -> dict[str, Any]:
        lost = Transcript.objects.get(episode=self.episode).lost
        rows = decisions_in_force(self.episode, "words")
        corrections = [(row, [row.key, row.value] in lost) for row in rows]
        return {**super().context(), "corrections": corrections}
