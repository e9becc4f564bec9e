"""Screens about one episode: its entries and conflicts, merge, split, withdrawal, re-run, and corrected words of
its transcript."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import F, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, JsonResponse
from django.urls import reverse, reverse_lazy
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.http import urlencode
from django.views import View

from ..curation import (
    REPLACED,
    WordCorrection,
    correct_transcript_words,
    decide_rerun,
    decisions_in_force,
    entry_order,
    episode_at_address,
    episode_of_entry,
    episode_token,
    iterate_paragraph_numbers_and_corrections,
    merge_episodes,
    split_episode,
    withdraw_episode,
)
from ..fields import FIELDS_BY_NAME, OVERRIDABLE_FIELDS
from ..models import (
    ENTRY_LOOKUP,
    TRANSCRIPTS_SLUG,
    WITHDRAWAL_KINDS,
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
    load_paths_with_episodes,
)
from ..records import EntryData, FieldConflict
from ..text.formatting import format_count
from ..text.numbering import season_and_number
from .base import (
    ActionView,
    ReaderTexts,
    SubjectGone,
    episode_url,
    find_withdrawn,
    is_row_id,
    name_and_no_url,
    request_value,
    require_single_match,
    row_id_of,
    safe_next_url,
)

MAX_MATCHES = 12  # episodes that are offered for typed words


# --- Finding an episode --------------------------------------------------------------------------


@dataclass(frozen=True)
class EpisodeMatches:
    """The episodes for typed words."""

    exact: list[Episode]  # by address, title or number
    similar: list[Episode]  # with the words in title or address


def find_exact_and_similar_episodes(
    query: str, podcast: Podcast | None = None, excluded_episode: Episode | None = None
) -> EpisodeMatches:
    """Find episodes of a show, or of all shows, by address, title, number (`5`, `S2 E5`) or words.

    Return at most 12 exact and 12 similar matches, the newest first.
    """
    # PostgreSQL refuses NUL. A longer query would match no title.
    query = query.replace("\0", "").strip()[:200]
    if not query:
        return EpisodeMatches([], [])
    # The order of a single show lists the matches of several shows show by show, each newest first.
    rows = Episode.objects.select_related("podcast").newest_first(is_single_show=True)
    if podcast:
        rows = rows.filter(podcast=podcast)
    if excluded_episode:
        rows = rows.exclude(pk=excluded_episode.pk)
    is_exact = _condition_of_exact_match(query)
    is_similar = Q(title__icontains=query) | Q(slug__icontains=query)
    exact = rows.filter(is_exact)[:MAX_MATCHES]
    similar = rows.filter(is_similar).exclude(is_exact)[:MAX_MATCHES]
    return EpisodeMatches(list(exact), list(similar))


def _condition_of_exact_match(query: str) -> Q:
    is_exact = Q(slug=query) | Q(title__iexact=query)
    # "S2 E5" has both numbers, "5" only that of the episode.
    if parsed := season_and_number(query):
        season, number = parsed
        return is_exact | Q(season=season, number=number)
    # Longer numbers overflow the column, as they overflow the ids of rows.
    if is_row_id(query):
        return is_exact | Q(number=query)
    return is_exact


class EpisodeLookupView(View):
    """The episodes that typed words may mean, offered below the input."""

    http_method_names = ("get", "head")
    model_admin: Any = None

    def get(self, request: HttpRequest) -> JsonResponse:
        if not self.model_admin.has_view_permission(request):
            raise PermissionDenied
        # Of all shows.
        matches = find_exact_and_similar_episodes(request.GET.get("term", ""))
        episodes = [*matches.exact, *matches.similar][:MAX_MATCHES]
        rows = [{"id": episode.slug, "text": episode.heading} for episode in episodes]
        return JsonResponse({"results": rows})


class EpisodeField(forms.CharField):
    """An episode of a show, or of all, by an address that it has or had, its number, its title, or words."""

    podcast: Podcast | None = None
    excluded_episode: Episode | None = None
    widget = forms.TextInput(
        {
            "data-offers": reverse_lazy("admin:episodes_episode_named"),
            "placeholder": "title, number or address",
        }
    )

    def limit_to_other_episodes(self, episode: Episode) -> None:
        self.podcast = episode.podcast
        self.excluded_episode = episode

    def clean(self, value: Any) -> Episode | None:
        """Return the one episode that an address, number or words mean, or None for an empty field.

        Raises:
            ValidationError: no episode matches, or several do.
        """
        words = str(super().clean(value))
        if not words:
            return None
        # An address of any show, and a former address, too. Curation refuses an episode of another show, and
        # says why.
        episode = episode_at_address(words)
        if episode:
            return episode
        matches = find_exact_and_similar_episodes(words, self.podcast, self.excluded_episode)
        episodes = matches.exact or matches.similar
        episode = require_single_match(words, episodes, "“{0.heading}” ({0.slug})")
        return cast(Episode, episode)


class OtherEpisodeForm(forms.Form):
    """Another episode of the same show."""

    other = EpisodeField(label="the other episode", required=False)

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["other"]
        field.limit_to_other_episodes(episode)


# --- One episode -------------------------------------------------------------------------------


def find_episode_or_404(quoted_slug_or_id: str, message_if_withdrawn: str = "") -> Episode:
    """Return the episode that has or had a slug, or has the row id, as addresses of the admin quote them.

    Raises:
        Http404: there is none.
        SubjectGone: it was withdrawn. It has another screen, which may show a message.
    """
    slug = unquote(quoted_slug_or_id)
    if withdrawn := find_withdrawn(slug):
        next_url = reverse("admin:episodes_episode_change", args=(quoted_slug_or_id,))
        raise SubjectGone(f"{episode_url(withdrawn)}?next={next_url}", message_if_withdrawn)
    # PostgreSQL refuses NUL, and no address is longer.
    slug = slug.replace("\0", "")[:300]
    # Django links some rows by their ids.
    by_id = Episode.objects.select_related("podcast").filter(pk=row_id_of(slug))
    episode = episode_at_address(slug) or by_id.first()
    if episode is None:
        raise Http404("No episode has or had this address.")
    return episode


def warn_of_duplicate_number(request: HttpRequest, episode: Episode) -> None:
    if episode.number is None:
        return
    # An episode without a season is compared with others without one: Django makes None IS NULL.
    same_number = Episode.objects.filter(
        podcast=episode.podcast_id, season=episode.season, number=episode.number
    )
    duplicates = same_number.exclude(pk=episode.pk)[:3]  # enough for a message
    if duplicates:
        headings = ", ".join(f"“{duplicate.heading}”" for duplicate in duplicates)
        message = f"Number {episode.numbering} is also the number of {headings}."
        messages.warning(request, message)


@dataclass(frozen=True)
class CurrentEntry:
    """An entry of an episode with its present values."""

    attachment: Any
    values: EntryData

    @property
    def item(self) -> Item:
        return self.attachment.item  # type: ignore[no-any-return]

    @property
    def source_heading(self) -> str:
        return str(self.item.document.source.heading)

    @property
    def label(self) -> str:
        return f"{self.source_heading}: {self.values.title or self.values.text[:80]}"


def ranked_entries(episode: Episode | WithdrawnEpisode) -> list[CurrentEntry]:
    """Return the entries of an episode by rank. Entries that are no longer listed come last."""
    rows: Any = episode.attachments.select_related("item__document__source")
    attachments = list(rows.prefetch_related("item__revisions").order_by())
    attachments.sort(key=lambda attachment: entry_order(attachment.item))
    return [CurrentEntry(attachment, attachment.item.values) for attachment in attachments]


def source_headings(podcast: Podcast) -> dict[str | None, str]:
    return {source.slug: source.heading for source in podcast.sources.all()}


def open_conflicts_with_sentences(episode: Episode) -> list[dict[str, str]]:
    """Return the undecided conflicts between sources: for each its key, field label and a sentence."""
    row_by_sentence = {}
    heading_by_slug = source_headings(episode.podcast)
    for columns in episode.conflicts:
        conflict = FieldConflict(**columns)
        field = FIELDS_BY_NAME[conflict.field]
        # Long values such as notes are cut, so that both fit into one sentence.
        value = field.display(conflict.value)[:120]
        other_value = field.display(conflict.other_value)[:120]
        # The value of a curator has no source.
        source = heading_by_slug.get(conflict.source, "a curator")
        other_source = heading_by_slug.get(conflict.other_source, "a curator")
        words = f"{source} has “{value}”, {other_source} has “{other_value}”."
        row = {"key": conflict.key, "label": field.label, "words": words}
        # Several entries of a source may contradict another source in the same way. The last row stays.
        row_by_sentence[field.label, words] = row
    return list(row_by_sentence.values())


def topic_reason(use: EpisodeTopic) -> str:
    """Return the reason why an episode has a topic, in words: "“CUDA” in the title"."""
    reasons = {
        "title": "in the title",
        "notes": "in the notes",
        "links": "among the links",
        "curator": "added by hand",
    }
    reason = reasons.get(use.field, use.field)
    # A topic that a curator added has no term.
    return f"“{use.term}” {reason}" if use.term else reason


def episode_facts_by_label(episode: Episode) -> dict[str, str]:
    """Return what readers see of an episode, as text by label ("Topics": "CUDA, JIT"), to compare in a preview."""
    facts = {}
    for field in OVERRIDABLE_FIELDS:
        facts[field.label] = field.display(field.text_of_episode(episode))
    people = sorted(f"{credit.person.name} ({credit.role})" for credit in episode.credits.all())
    links = format_count(episode.mentions.count(), "link", "links")
    references = format_count(episode.references.count(), "other episode", "other episodes")
    topics = sorted(topic.name for topic in episode.topics.all())
    facts["Topics"] = ", ".join(topics)
    facts["People"] = ", ".join(people)
    facts["Contains"] = f"{links}, {references}"
    facts["Entries"] = "; ".join(entry.label for entry in ranked_entries(episode))
    return facts


# --- Changed upstream since a curator set a field ----------------------------------------------


def overrides_of_episodes(rows: QuerySet[Decision]) -> QuerySet[Any]:
    """Return the overrides that are about an episode now, with its id as `episode`."""
    episode_ids = Attachment.objects.filter(**ENTRY_LOOKUP).values("episode")
    return rows.annotate(episode=Subquery(episode_ids[:1])).exclude(episode=None)


def upstream_changes_by_override(overrides: QuerySet[Decision]) -> dict[int, list[dict[str, Any]]]:
    """Return the sources that changed a field after a curator set it, by the id of the override.

    Each has the keys `source`, `before`, `now` and `at` (time of the change). A source that now agrees with
    the curator is left out.
    """
    overrides_with_episode = list(overrides_of_episodes(overrides))
    if not overrides_with_episode:
        return {}
    # No source changed since an override if none changed since the earliest.
    earliest = min(override.made_at for override in overrides_with_episode)
    episode_ids = {override.episode for override in overrides_with_episode}
    items_by_episode = _all_entries_by_changed_episode(earliest, episode_ids)
    changes_by_override_id = {}
    for override in overrides_with_episode:
        # An episode without a new revision has no entries here.
        items = items_by_episode.get(override.episode, [])
        changes = _upstream_changes_since(override, items)
        if changes:
            changes_by_override_id[override.pk] = changes
    return changes_by_override_id


def _all_entries_by_changed_episode(
    since: datetime, episode_ids: set[int]
) -> Mapping[int, list[Item]]:
    """Return all entries of the episodes that have a new revision, by episode id.

    Entries that are still listed come last: if a source has several, its last one counts. Beyond that, the
    best source comes first, as the page names the sources in this order.
    """
    items: dict[int, list[Item]] = defaultdict(list)
    listed_last = F("item__gone_version").asc(nulls_last=True)
    for batch in batches(episode_ids):
        revisions = Revision.objects.filter(
            item__attachment__episode__in=batch, recorded_at__gt=since
        )
        # A source that changes a guid replaces an entry by a new one, so all entries are read.
        changed = revisions.order_by().values("item__attachment__episode")
        attachments = (
            # Transcripts have no values of fields.
            Attachment.objects.exclude(item__document__source__reader=TRANSCRIPTS_SLUG)
            .select_related("item__document__source")
            .prefetch_related("item__revisions")
            .filter(episode__in=changed)
            .order_by(listed_last, "item__document__source__rank")
        )
        for attachment in attachments:
            items[attachment.episode_id].append(attachment.item)
    return items


def _upstream_changes_since(
    override: Decision, items_of_episode: Iterable[Item]
) -> list[dict[str, Any]]:
    """Return a dict of source, old and new value, and time for each source that changed since an override.

    The last entry of a source counts.
    """
    changes = []
    for values in _source_values_before_and_since(override, items_of_episode):
        # A source that did not have the episode when the curator decided has changed nothing.
        has_both_values = "before" in values and "now" in values
        # A source that has the value of the curator now contradicts nobody.
        if has_both_values and values["now"] not in (values["before"], override.value):
            changes.append(values)
    return changes


def _source_values_before_and_since(
    override: Decision, items_of_episode: Iterable[Item]
) -> list[dict[str, Any]]:
    """Return for each source the last value `before` the override and the last value since then (`now`)."""
    field = FIELDS_BY_NAME[override.field]
    values_by_source: dict[str, dict[str, Any]] = {}
    for item in items_of_episode:
        source = item.document.source
        values = values_by_source.setdefault(source.slug, {"source": source.heading})
        # Later revisions and later entries replace earlier ones.
        for revision in sorted(item.revisions.all(), key=lambda revision: revision.version):
            text = field.text_of_entry(revision.values)
            if revision.recorded_at <= override.made_at:
                values["before"] = text
            else:
                values["now"] = text
                values["at"] = revision.recorded_at
    return list(values_by_source.values())


# --- Changes of one episode --------------------------------------------------------------------


class EpisodeAction(ActionView):
    """A change of one episode, previewed at once. It leads back to the episode of its first entry."""

    form_class: Any = OtherEpisodeForm
    part_labels: Sequence[str] = ("",)  # of the previewed episodes

    def set_view_attributes_from_address(self) -> None:
        message_if_withdrawn = ""
        if self.request.method == "POST":
            message_if_withdrawn = (
                "This episode was taken out since you opened the form. Nothing was saved."
            )
        self.episode = find_episode_or_404(self.kwargs["slug"], message_if_withdrawn)
        self.entries = ranked_entries(self.episode)
        self.item: Item | None = self.entries[0].item if self.entries else None
        self.crumbs = [(episode_url(self.episode), self.episode.heading)]

    @cached_property
    def items(self) -> Sequence[Item | None]:
        """Return an entry of each previewed episode: it stays when the episode's row does not."""
        return [self.item]

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "episode": self.episode}

    def context(self) -> dict[str, Any]:
        # Of the episodes that the screen changes: this one, and another one that the form names.
        other = getattr(self.form, "cleaned_data", {}).get("other")
        tokens = [episode_token(episode) for episode in (self.episode, other) if episode]
        return {"episode": self.episode, "other": other, "token": " ".join(tokens)}

    def current_texts_for_preview(self) -> Any:
        """Return the facts of the episodes that the entries belong to now, by label, for the preview."""
        texts = {}
        for part_label, item in zip(self.part_labels, self.items, strict=True):
            # None if the episode has no entry, or if the change takes the entry out of the catalog.
            episode = episode_of_entry(item)
            facts = episode_facts_by_label(episode) if episode else {}
            for label, fact in facts.items():
                texts[name_and_no_url(f"{part_label}{label}")] = fact
        return texts

    def get_success_url(self) -> str:
        episode = episode_of_entry(self.item) or self.episode
        return safe_next_url(self.request) or episode_url(episode)


def first_entry(episode: Episode) -> Item:
    return ranked_entries(episode)[0].item


# --- Merge -------------------------------------------------------------------------------------


class MergeForm(OtherEpisodeForm):
    other = EpisodeField(label="the other episode")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Values and labels. The template shows the values of both episodes in place of labels.
        sides = [("one", ""), ("other", "")]
        for field in OVERRIDABLE_FIELDS:
            self.fields[f"of_{field.name}"] = forms.ChoiceField(choices=sides, required=False)


class ActionWithOtherEpisode(EpisodeAction):
    """A change of an episode and of another one that the form names."""

    prefill_parameter = "other"

    @cached_property
    def items(self) -> Sequence[Item | None]:
        return [self.item, first_entry(self.form.cleaned_data["other"])]


class MergeView(ActionWithOtherEpisode):
    """Merges another episode into this one. Each field comes from the side that the curator picks.

    The preview has all facts of both episodes and of the merged one side by side, also equal facts.
    """

    form_class = MergeForm
    template_name = "admin/curation/merge.html"
    title = "Merge {view.episode.heading}"
    success_message = (
        "“{view.episode.heading}” and “{view.form.cleaned_data[other].heading}” are one episode "
        "now. Both addresses lead here; undo it below."
    )

    def make_change(self) -> None:
        """Merge the chosen episode into this one. Lock the fields for which the form names a side."""
        other = self.form.cleaned_data["other"]
        sides = {"one": self.episode, "other": other}
        values = {}
        for field in OVERRIDABLE_FIELDS:
            side = self.form.cleaned_data[f"of_{field.name}"]
            if side:
                values[field.name] = field.text_of_episode(sides[side])
        merge_episodes(self.request.user, self.episode, other, values, **self.change_options)

    def current_texts_for_preview(self) -> list[dict[str, str]]:
        episodes = [episode_of_entry(item) for item in self.items]
        return [episode_facts_by_label(episode) for episode in episodes if episode]

    def context_of_comparison(self, before: Any, after: Any) -> dict[str, Any]:
        """Return a row for each fact: field name, label, text of either episode, text after the merge, and
        whether the episodes differ.

        Only facts that are fields have a name: the curator can choose a side for them.
        """
        # Each is a dict of facts by label, as of `current_texts_for_preview`.
        left, right = before
        # Either entry finds the merged episode now, so there may be one dict or two equal ones.
        merged = after[0]
        name_by_label = {field.label: field.name for field in OVERRIDABLE_FIELDS}
        choices = []
        for label, merged_text in merged.items():
            name = name_by_label.get(label, "")
            is_different = left[label] != right[label]
            choices.append((name, label, left[label], right[label], merged_text, is_different))
        return {"choices": choices}


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
        entries = ranked_entries(episode)
        field.choices = [(entry.attachment.item_id, entry.label) for entry in entries]


class SplitView(EpisodeAction):
    """Makes some of an episode's entries a new episode, or entries of another one, and previews both."""

    form_class = SplitForm
    title = "Split or move entries of {view.episode.heading}"
    button_label = "Split or move"  # to another episode, if one is chosen
    success_message = "Split."
    prefill_parameter = "items"
    part_labels = ("What stays: ", "What moves: ")

    @property
    def selected_items(self) -> list[Item]:
        ids = self.form.cleaned_data["items"]
        return [entry.item for entry in self.entries if str(entry.attachment.item_id) in ids]

    @cached_property
    def items(self) -> Sequence[Item | None]:
        """Return an entry that stays and one that moves. They find the two episodes after the split."""
        selected = self.selected_items
        staying = [entry.item for entry in self.entries if entry.item not in selected]
        return [staying[0] if staying else None, selected[0]]

    def make_change(self) -> None:
        target = self.form.cleaned_data["other"]
        user = self.request.user
        split_episode(user, self.episode, self.selected_items, target, **self.change_options)
        # The next page shows the episode that keeps its entries.
        self.item, _moved_item = self.items

    def format_success_message(self) -> str:
        _staying_item, moved_item = self.items
        episode = cast(Episode, episode_of_entry(moved_item))
        words_before_link = "Split. New episode:"
        if self.form.cleaned_data["other"]:
            entries = format_count(len(self.selected_items), "entry", "entries")
            words_before_link = f"Moved {entries} to"
        url = episode_url(episode)
        return format_html('{} <a href="{}">{}</a>.', words_before_link, url, episode.heading)


# --- Withdraw ------------------------------------------------------------------------------------


class WithdrawForm(OtherEpisodeForm):
    field_order = ("kind",)
    kind = forms.ChoiceField(
        label="As", choices=[*WITHDRAWAL_KINDS.items()], widget=forms.RadioSelect
    )
    other = EpisodeField(label="replaced by", required=False)

    def clean(self) -> None:
        is_replaced = self.cleaned_data.get("kind") == REPLACED
        has_replacement = bool(self.cleaned_data.get("other"))
        if is_replaced and not has_replacement:
            self.add_error("other", "Name the other episode.")


class WithdrawView(EpisodeAction):
    """Withdraws an episode, and previews where readers miss it."""

    form_class = WithdrawForm
    title = "Take out {view.episode.heading}"
    button_label = "Take out"
    explanation = (
        "“Not an episode” is for adverts, trailers of other shows and test uploads; “Hidden” hides "
        "it from readers; replaced, its addresses redirect to the other episode. Sources cannot "
        "bring it back; you can, at any time."
    )
    success_message = (
        "“{view.episode.heading}” was taken out: {view.label}. "
        "Sources cannot bring it back; you can."
    )
    prefill_parameter = "kind"

    @property
    def label(self) -> str:
        return WITHDRAWAL_KINDS[self.form.cleaned_data["kind"]].lower()

    def make_change(self) -> None:
        kind = self.form.cleaned_data["kind"]
        other = self.form.cleaned_data["other"]
        withdraw_episode(self.request.user, self.episode, kind, other, **self.change_options)

    def current_texts_for_preview(self) -> ReaderTexts:
        """Return how each page that mentions the episode shows it now, by page.

        The preview calls this before and after the withdrawal, and shows the differences.
        """
        podcast = self.episode.podcast
        slug = self.episode.slug
        episodes_of_show = Episode.objects.filter(podcast=podcast)
        texts = {
            name_and_no_url(reverse("episode", args=(slug,))): describe_address_answer(slug),
            name_and_no_url(f"Episodes of {podcast}"): str(episodes_of_show.count()),
        }
        # After the withdrawal no episode has the slug.
        for episode in episodes_of_show.filter(slug=slug):
            for subject in (*episode.topics.all(), *episode.people.all()):
                texts[name_and_no_url(f"Page of {subject}")] = "lists it"
        # A learning path may lose its step with this episode.
        return {**texts, **texts_of_paths_with_episode(slug)}


def texts_of_paths_with_episode(slug: str) -> ReaderTexts:
    texts = {}  # such as "5 steps", by "Path Looms"
    for loaded_path in load_paths_with_episodes(LearningPath.objects.all()):
        slugs_of_path = {step.episode for step in loaded_path.path.well_formed_steps}
        if slug in slugs_of_path:
            # Pages show only the steps with an episode that is in the catalog.
            count = format_count(len(loaded_path.steps), "step", "steps")
            texts[name_and_no_url(f"Path {loaded_path.path}")] = count
    return texts


def describe_address_answer(slug: str) -> str:
    episode = episode_at_address(slug)
    if episode is None:
        return "“This page was removed” (410)"
    if episode.slug == slug:
        return "shows it"
    return f"redirects to {episode.get_absolute_url()}"


# --- Published before --------------------------------------------------------------------------


class RerunForm(OtherEpisodeForm):
    field_order = ("other", "kind")
    other = EpisodeField(label="the other episode")
    kind = forms.ChoiceField(
        label="The later of the two",
        choices=[("repeats", "is a re-run"), ("replaces", "replaces the earlier one")],
        widget=forms.RadioSelect,
    )


class RerunView(ActionWithOtherEpisode):
    """Marks two episodes as published twice, and previews which one lists leave out."""

    form_class = RerunForm
    title = "Mark {view.episode.heading} as published twice"
    explanation = (
        "Lists and feeds leave out a re-run, and an episode that is replaced. Both addresses keep "
        "working, and each page names the other episode."
    )
    success_message = "Marked. Each page names the other episode."

    def make_change(self) -> None:
        other = self.form.cleaned_data["other"]
        kind = self.form.cleaned_data["kind"]
        decide_rerun(self.request.user, self.episode, other, kind, **self.change_options)

    def current_texts_for_preview(self) -> ReaderTexts:
        """Return for either episode whether lists show it ("shown") or not ("left out"), for the preview."""
        texts = {}
        for item in self.items:
            episode = episode_of_entry(item)
            if episode:
                name = name_and_no_url(f"Lists: {episode.heading}")
                texts[name] = "shown" if episode.listed else "left out"
        return texts


# --- Words of the transcript -------------------------------------------------------------------


def transcript_cues(episode: Any) -> Sequence[Sequence[Any]]:
    """Return the paragraphs of an episode's transcript (start, speaker and text), or () without one."""
    row = Transcript.objects.filter(episode=episode).first()
    return row.cues if row else ()


def paragraph_numbers_by_correction(
    episode: Episode, words: str
) -> dict[WordCorrection, list[int]]:
    # A correction has the wrong words and some words before and after. Places where all these are
    # equal are corrected together, so they are one choice.
    numbers_by_correction: defaultdict[WordCorrection, list[int]] = defaultdict(list)
    for number, correction in iterate_paragraph_numbers_and_corrections(
        transcript_cues(episode), words
    ):
        numbers_by_correction[correction].append(number)
    return numbers_by_correction


class CorrectWordsForm(forms.Form):
    """Wrong and right words of the transcript. It offers the places with the wrong words, if there are several.

    `cleaned_data["correction"]` is the correction to make.
    """

    wrong = forms.CharField(label="Wrong words", max_length=200)
    right = forms.CharField(label="Right words", max_length=200)
    place = forms.ChoiceField(label="Where", widget=forms.RadioSelect, required=False)

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        """Find the wrong words in the transcript, and offer their places as choices.

        Sets `self.corrections`: the correction of each choice, by the value of the choice.
        """
        super().__init__(*args, **kwargs)
        typed = str(self.data.get("wrong", "")).replace("\0", "")
        words = " ".join(typed.split())
        self.corrections: dict[str, WordCorrection] = {}
        if words:
            field: Any = self.fields["place"]
            field.choices = self.set_corrections_and_return_choices(episode, words)

    def set_corrections_and_return_choices(
        self, episode: Episode, words: str
    ) -> list[tuple[str, str]]:
        paragraphs_by_correction = paragraph_numbers_by_correction(episode, words)
        choices: list[tuple[str, str]] = []
        for correction, paragraphs in paragraphs_by_correction.items():
            value = str(len(choices))
            self.corrections[value] = correction
            choices.append((value, self.place_choice_label(correction, paragraphs)))
        # A longer list would make the page slow. All places can still be chosen together.
        choices = choices[:200]
        has_several_choices = len(paragraphs_by_correction) > 1
        if has_several_choices:
            count = sum(map(len, paragraphs_by_correction.values()))
            choices.append(("everywhere", f"Everywhere in this transcript ({count} places)"))
            # Without words before and after, a correction applies to every place.
            self.corrections["everywhere"] = WordCorrection("", words, "")
        return choices

    def place_choice_label(self, correction: WordCorrection, paragraphs: Sequence[int]) -> str:
        """Return the label of a place, such as "Paragraph 3, 8: …by [jackard] at…"."""
        numbers = ", ".join(map(str, paragraphs))
        return f"Paragraph {numbers}: …{correction.before}[{correction.wrong}]{correction.after}…"

    def clean(self) -> dict[str, Any]:
        """Add the chosen `correction`, with the right words, to the cleaned data."""
        data = self.cleaned_data
        place = data.get("place")  # a key of `self.corrections`
        # The form asks for a place only if there are several. A single one is taken as chosen.
        if len(self.corrections) == 1:
            (place,) = self.corrections
        if not self.corrections:
            self.add_error("wrong", "The transcript does not have these words, spelled like this.")
        elif not place:
            self.add_error("place", "Choose where.")
        elif not self.errors:
            correction = self.corrections[place]
            right = " ".join(data["right"].split())
            data["correction"] = replace(correction, right=right)
        return data


class CorrectWordsView(EpisodeAction):
    """Corrects words of an episode's transcript, in one place or in all."""

    form_class = CorrectWordsForm
    template_name = "admin/curation/words.html"
    title = "Correct words of {view.episode.heading}"
    success_message = "Corrected. New versions of the transcript keep it."
    prefill_parameter = "wrong"

    def set_view_attributes_from_address(self) -> None:
        super().set_view_attributes_from_address()
        if not transcript_cues(self.episode):
            raise SubjectGone(episode_url(self.episode), "This episode has no transcript.")

    def make_change(self) -> None:
        correction = self.form.cleaned_data["correction"]
        correct_transcript_words(self.request.user, self.episode, correction, **self.change_options)

    def current_texts_for_preview(self) -> ReaderTexts:
        cues = transcript_cues(episode_of_entry(self.item))
        texts = {}
        for number, (_start, _speaker, text) in enumerate(cues, start=1):
            texts[name_and_no_url(f"Paragraph {number}")] = text
        return texts

    def context(self) -> dict[str, Any]:
        # Keys and values of decisions with words that the transcript does not have any more. An episode without a
        # transcript does not get here (`set_view_attributes_from_address`).
        lost = Transcript.objects.get(episode=self.episode).lost
        corrections = []
        for row in decisions_in_force(self.episode, "words"):
            is_lost = [row.key, row.value] in lost
            corrections.append((row, is_lost))
        return {
            **super().context(),
            "corrections": corrections,
            "show_words_url": self.show_words_url(),
        }

    def show_words_url(self) -> str:
        url = reverse("admin:episodes_podcast_words", args=(self.episode.podcast_id,))
        wrong = request_value(self.request, "wrong")
        right = request_value(self.request, "right")
        # The screen begins with a preview if its address has both.
        return f"{url}?{urlencode({'wrong': wrong, 'right': right})}" if wrong else url
