"""Topics: their names, descriptions and rules, with a look at what a change would do; merged, deleted, and tidied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from .. import curation
from ..models import EpisodeTopic, FormerTopic, Podcast, Topic
from .base import attempt, episode_at, listing, said_in, screen
from .configuration import Governed

UNSHOWN = ("description_text", "description_html", "provenance", "conflicts")
MOST_TERMS = 300
MOST_ALIASES = 100
LONGEST_ALIAS = 100


@dataclass(frozen=True)
class Touched:
    """Which episodes a change gives the topic, and takes it from."""

    gains: Sequence[EpisodeTopic]
    loses: Sequence[EpisodeTopic]
    stays: int


def uses(slug: str) -> dict[str, EpisodeTopic]:
    """The episodes of a topic with the words that proposed it, by address, the doubtful ones first."""
    rows = EpisodeTopic.objects.filter(topic__slug=slug).select_related("episode__podcast")
    ordered = rows.defer(*(f"episode__{name}" for name in UNSHOWN)).order_by("-confidence", "-episode__order")
    return {use.episode.slug: use for use in ordered}


def touched(before: str, after: str, act: Callable[[], object]) -> Touched:
    """What `act` would do to the episodes of a topic, whose address is `before` now and `after` then."""
    was = uses(before) if before else {}
    now = curation.rehearsed(act, lambda: uses(after))
    return Touched(
        [use for slug, use in now.items() if slug not in was],
        [use for slug, use in was.items() if slug not in now],
        len(was.keys() & now.keys()),
    )


class TermLines(forms.CharField):
    """A list, one entry a line, each once."""

    widget = forms.Textarea(attrs={"rows": 6, "spellcheck": "false"})

    def __init__(self, most: int, longest: int, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=most * (longest + 2), strip=False, **kwargs)
        self.most, self.longest = most, longest

    def clean(self, value: Any) -> Any:
        text = super().clean(value) or ""
        lines = list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
        if len(lines) > self.most:
            raise ValidationError(f"At most {self.most} lines.")
        if any(len(line) > self.longest for line in lines):
            raise ValidationError(f"A line has at most {self.longest} characters.")
        return lines


class TopicForm(forms.ModelForm):
    aliases = TermLines(
        MOST_ALIASES, LONGEST_ALIAS, help_text="Other names, one a line. They hold for future ingests too."
    )
    title = TermLines(MOST_TERMS, 200, label="In the title")
    notes = TermLines(MOST_TERMS, 200, label="In the notes")
    links = TermLines(MOST_TERMS, 200, label="In the links")
    hints = TermLines(MOST_TERMS, 200, label="Hints, several together")
    excludes = TermLines(MOST_TERMS, 200, label="Left out of account")

    class Meta:
        model = Topic
        fields = ("name", "slug", "group", "podcast", "position", "description", "aliases")
        widgets = {  # noqa: RUF012
            "description": forms.Textarea(attrs={"rows": 3}),
            "group": forms.TextInput(attrs={"list": "groups"}),
        }
        labels = {"podcast": "show"}  # noqa: RUF012
        help_texts = {  # noqa: RUF012
            "podcast": "None: its rules hold for every show.",
            "slug": "The old address goes on leading here.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rules = self.instance.rules if isinstance(self.instance.rules, dict) else {}
        for kind in curation.TERMS:
            self.initial[kind] = "\n".join(str(term) for term in rules.get(kind) or ())
        self.initial["aliases"] = "\n".join(str(name) for name in self.instance.aliases or ())
        self.fields["podcast"].empty_label = "every show"  # type: ignore[attr-defined]

    @property
    def rules(self) -> list[forms.BoundField]:
        return [self[kind] for kind in curation.TERMS]

    @property
    def names(self) -> list[forms.BoundField]:
        return [self[name] for name in self.Meta.fields]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for kind in curation.TERMS:
            for term in data.get(kind) or ():
                if trouble := curation.term_trouble(kind, term):
                    self.add_error(kind, f"“{term[:60]}”: {trouble}.")
        kept = {k: v for k, v in (self.instance.rules or {}).items() if k not in curation.TERMS}
        self.instance.rules = {**kept, **{kind: data[kind] for kind in curation.TERMS if data.get(kind)}}
        return data

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if not self.errors:
            try:
                curation.unlike_others(self.instance)
            except curation.Impossible as taken:
                self.add_error(None, str(taken))


class TopicUsage(admin.SimpleListFilter):
    """How much a topic is used, and how surely."""

    title = "use"
    parameter_name = "use"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("once", "Used once"), ("unused", "Unused"), ("doubtful", "Proposed with low confidence")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "doubtful":
            return queryset.filter(doubtful_count__gt=0)
        wanted = {"once": 1, "unused": 0}.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(used_count=wanted)


@admin.register(Topic)
class TopicAdmin(Governed):
    permission = "episodes.curate"
    form = TopicForm
    template = "topic"
    list_display = ("name", "slug", "group", "used", "doubtful", "also", "podcast")
    list_filter = (TopicUsage, "group", ("podcast", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("podcast",)
    search_fields = ("name", "slug", "description", "aliases")

    show_facets = admin.ShowFacets.ALWAYS
    list_per_page = 200

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        """The show only where there are several."""
        return self.list_display if Podcast.objects.count() > 1 else self.list_display[:-1]

    def get_urls(self) -> list[URLPattern]:
        own = [
            path(f"<path:object_id>/{name}/", self.admin_site.admin_view(view), name=f"episodes_topic_{name}")
            for name, view in (("merge", self.merge_view), ("episodes", self.episodes_view))
        ]
        return [*own, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Topic]:
        rows: QuerySet[Topic] = super().get_queryset(request)
        return rows.annotate(used_count=Count("uses"), doubtful_count=Count("uses", filter=Q(uses__confidence="low")))

    @admin.display(description="episodes", ordering="used_count")
    def used(self, topic: Any) -> str:
        return format_html('<a href="{}?topics__id__exact={}">{}</a>', listing("episode"), topic.pk, topic.used_count)

    @admin.display(description="doubtful", ordering="doubtful_count")
    def doubtful(self, topic: Any) -> str:
        return str(topic.doubtful_count or "")

    @admin.display(description="also called")
    def also(self, topic: Topic) -> str:
        return ", ".join(str(name) for name in topic.aliases)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request)

    def about(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        groups = Topic.objects.exclude(group="").order_by("group").values_list("group", flat=True).distinct()
        if row is None:
            return {"groups": groups}
        own = list(uses(Topic.objects.values_list("slug", flat=True).get(pk=row.pk)).values())
        low = [use.episode for use in own if use.confidence == "low"]
        seen = curation.tokens(low)
        return {
            "groups": groups,
            "uses": [(use, seen.get(use.episode.pk, "")) for use in own],
            "former": FormerTopic.objects.filter(topic=row),
            "changes": listing("change", f"?about=topic:{row.pk}"),
        }

    def look(self, request: HttpRequest, form: Any, seen: str) -> dict[str, Any]:
        topic = form.save(commit=False)
        before = Topic.objects.filter(pk=topic.pk).values_list("slug", flat=True).first() or ""
        act = lambda: curation.save_topic(request.user, topic, seen=seen)  # noqa: E731
        return {"touched": touched(before, topic.slug, act)}

    def store(self, request: HttpRequest, form: Any, seen: str) -> None:
        curation.save_topic(request.user, form.save(commit=False), seen=seen)

    # --- Screens of its own ---

    def _topic(self, request: HttpRequest, object_id: str) -> Topic | None:
        if not self.may(request):
            raise PermissionDenied
        return self.get_object(request, unquote(object_id))

    def merge_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Choose the other topic, see what would come of it, and do it."""
        topic = self._topic(request, object_id)
        if topic is None:
            return self.gone(request, object_id)
        others = Topic.objects.exclude(pk=topic.pk)
        into = others.filter(slug=said_in(request, "into", 100)).first()
        context: dict[str, Any] = {"others": others.order_by("name"), "into": into, "topic": topic}
        if request.method == "POST" and into is not None:
            seen = (request.POST.get("seen", "")[:64], request.POST.get("seen_into", "")[:64])
            done = f"“{topic}” is “{into}” now."
            if attempt(request, lambda: curation.merge_topics(request.user, topic, into, seen=seen), done) is None:
                return HttpResponseRedirect(self.page(into.pk))
        if into is not None:
            act = lambda: curation.merge_topics(request.user, topic, into)  # noqa: E731
            attempt(request, lambda: context.update({"touched": touched(into.slug, into.slug, act)}), "")
            context |= {"seen": curation.state(topic), "seen_into": curation.state(into)}
        context["own"] = EpisodeTopic.objects.filter(topic=topic).count()
        crumbs = [(listing("topic"), "Topics"), (self.page(topic.pk), topic.name)]
        return screen(self, request, "topic_merge", f"Merge “{topic}” into another", crumbs, **context)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        topic = self._topic(request, object_id)
        if topic is None:
            return self.gone(request, object_id)
        if request.method == "POST":
            seen = request.POST.get("seen", "")[:64]
            done = f"“{topic}” was deleted; its address leads to the list of topics."
            if attempt(request, lambda: curation.delete_topic(request.user, topic, seen=seen), done) is None:
                return HttpResponseRedirect(listing("topic"))
            return HttpResponseRedirect(self.page(object_id))
        crumbs = [(listing("topic"), "Topics"), (self.page(topic.pk), topic.name)]
        context = {"topic": topic, "uses": list(uses(topic.slug).values()), "seen": curation.state(topic)}
        return screen(self, request, "topic_delete", f"Delete “{topic}”", crumbs, **context)

    def episodes_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Keep the topic on an episode for good, or take it out."""
        topic = self._topic(request, object_id)
        if topic is None:
            return self.gone(request, object_id)
        episode = episode_at(said_in(request, "episode", 300))
        verb = {"keep": curation.add, "out": curation.remove}.get(said_in(request, "do"))
        if request.method == "POST" and episode is not None and verb is not None:
            seen = request.POST.get("seen", "")[:64]
            done = f"“{episode}” {'keeps' if verb is curation.add else 'is without'} the topic."
            attempt(request, lambda: verb(request.user, episode, "topic", topic.slug, seen=seen), done)
        elif request.method == "POST":
            messages.error(request, "That episode is not there any more.")
        return HttpResponseRedirect(reverse("admin:episodes_topic_change", args=(topic.pk,)) + "#episodes")
