"""Parts that the screens about episodes share: finding one by what a curator types, its entries,
conflicts, and its preview."""

from __future__ import annotations

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
from django.views import View

from ..curation import episode_of, led_to, token
from ..fields import BY_NAME, OVERRIDABLE
from ..models import (
    OF_ENTRY,
    TRANSCRIPTS,
    Attachment,
    Decision,
    Episode,
    Item,
    Podcast,
    Revision,
    WithdrawnEpisode,
    batches,
)
from ..records import FieldConflict
from ..text.formatting import counted
from ..text.numbering import season_and_number
from .action import ActionView, Unavailable
from .base import episode_at, is_id, page_of, way_back, withdrawn_at

MOST = 12  # episodes that are offered
MOST_NAMED = 4


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
    elif is_id(query) and len(query) < 10:
        named |= Q(number=query)
    words = Q(title__icontains=query) | Q(slug__icontains=query)
    return list(rows.filter(named)[:MOST]), list(rows.filter(words).exclude(named)[:MOST])


class NamedEpisodesView(View):
    """The episodes that what is typed may mean, offered below the input."""

    http_method_names = ("get", "head")
    model_admin: Any = None

    def get(self, request: HttpRequest) -> JsonResponse:
        if not self.model_admin.has_view_permission(request):
            raise PermissionDenied
        exact, others = find_episodes(None, request.GET.get("q", ""))
        rows = [{"slug": one.slug, "heading": one.heading} for one in [*exact, *others][:MOST]]
        return JsonResponse({"episodes": rows})


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
        words = str(super().clean(value) or "")
        if not words:
            return None
        if episode := led_to(words):
            return episode
        exact, others = find_episodes(self.podcast, words, self.without)
        matches = exact or others
        if len(matches) == 1 and (exact or not self.exactly):
            return matches[0]
        if not matches:
            raise ValidationError(f"No episode matches “{words[:80]}”.")
        named = ", ".join(match.slug for match in matches[:MOST_NAMED])
        raise ValidationError(f"Choose the episode that “{words[:80]}” means: {named}.")


class OtherForm(forms.Form):
    """Names another episode of the same show."""

    other = EpisodeField(label="the other episode", required=False)

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["other"].of(episode)  # type: ignore[attr-defined]


# --- One episode -------------------------------------------------------------------------------


def episode_named(address: str) -> Episode:
    """The episode that an address of the admin is about.

    Raises:
        Unavailable: it was taken out; its own screen tells of it.
    """
    slug = unquote(address)
    if withdrawn := withdrawn_at(slug):
        here = reverse("admin:episodes_episode_change", args=(address,))
        raise Unavailable(f"{page_of(withdrawn)}?next={here}")
    episode = episode_at(slug)
    if episode is None:
        raise Http404("No episode has or had this address.")
    return episode


def warn_of_number(request: HttpRequest, episode: Episode) -> None:
    """Tell that other episodes of the show, and season, have the number of this one too."""
    if same := list(episode.with_same_number()[:3]):
        names = ", ".join(f"“{other.heading}”" for other in same)
        messages.warning(request, f"Number {episode.numbering} is also the number of {names}.")


def entries_of(episode: Episode | WithdrawnEpisode) -> list[tuple[Any, Any]]:
    """The entries of an episode with what they say now, as they rank."""
    rows: Any = episode.attachments.select_related("item__document__source")
    ranked = sorted(
        rows.prefetch_related("item__revisions").order_by(),
        key=lambda a: (a.item.gone_version is not None, a.item.document.source.rank, a.item_id),
    )
    return [(row, row.item.said) for row in ranked]


def conflicts(episode: Episode) -> list[dict[str, str]]:
    """The conflicts between sources that need a decision, in words."""
    found = []
    for row in (FieldConflict(**row) for row in episode.conflicts):
        field = BY_NAME[row.field]
        one, other = field.words(row.value)[:120], field.words(row.other_value)[:120]
        words = f"{row.source} has “{one}”, {row.other_source} has “{other}”."
        found.append({"key": row.key, "label": field.label, "words": words})
    return found


def topics_of(episode: Episode) -> str:
    return ", ".join(sorted(topic.name for topic in episode.topics.all()))


def facts(episode: Episode) -> dict[str, str]:
    """An episode as a preview compares it."""
    entries = (
        f"{row.item.document.source.heading}: {said.title or said.text[:80]}"
        for row, said in entries_of(episode)
    )
    links = counted(episode.mentions.count(), "link", "links")
    others = counted(episode.references.count(), "other episode", "other episodes")
    credited = sorted(f"{one.person.name} ({one.role})" for one in episode.credits.all())
    return {
        **{field.label: field.words(field.shown(episode)) for field in OVERRIDABLE},
        "Topics": topics_of(episode),
        "People": ", ".join(credited),
        "Contains": f"{links}, {others}",
        "Entries": "; ".join(entries),
    }


# --- Changed upstream since a curator set a field ----------------------------------------------


def placed(rows: QuerySet[Decision]) -> QuerySet[Any]:
    """The overrides that are about an episode now, with its id as `episode`."""
    episodes = Attachment.objects.filter(**OF_ENTRY).values("episode")
    return rows.annotate(episode=Subquery(episodes[:1])).exclude(episode=None)


def changed_upstream(overrides: QuerySet[Decision]) -> dict[int, list[dict[str, Any]]]:
    """The sources that changed after each override and do not say what the curator says, each with
    its value before and now, and when it changed."""
    rows = list(placed(overrides))
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

    form_class: Any = OtherForm
    parts: Sequence[str] = ("",)  # names of the episodes that are previewed

    def prepare(self) -> None:
        self.episode = episode_named(self.kwargs["slug"])
        self.entries = entries_of(self.episode)
        self.item: Item | None = self.entries[0][0].item if self.entries else None
        self.crumbs = [(page_of(self.episode), self.episode.heading)]

    @cached_property
    def items(self) -> Sequence[Item | None]:
        """An entry of each episode that is previewed: it stays when the episode's row does not."""
        return [self.item]

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "episode": self.episode}

    def context(self) -> dict[str, Any]:
        return {"episode": self.episode, "seen": token(self.episode)}

    def look(self) -> Any:
        found = {}
        for part, item in zip(self.parts, self.items, strict=True):
            episode = episode_of(item)
            for label, words in facts(episode).items() if episode else ():
                found[f"{part}{label}", ""] = words
        return found

    def get_success_url(self) -> str:
        return way_back(self.request) or page_of(episode_of(self.item) or self.episode)
