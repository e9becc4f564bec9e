"""Topics: their names, descriptions and rules, with a preview of what a change would do; merged and
deleted."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from .. import curation
from ..models import EpisodeTopic, FormerTopic, Topic
from .base import Option, OptionsFilter, listing, only_show, slug_or_from
from .configuration import CuratedAdmin, RowView, row_at
from .corrections import UNSHOWN, JoinView, RowPreview, Words, words_of

MOST_TERMS = 300
MOST_ALIASES = 100
LONGEST_ALIAS = 100


def uses(topic: Topic) -> dict[str, EpisodeTopic]:
    """The episodes of a topic with the words that proposed it, by address, the doubtful ones
    first."""
    rows = EpisodeTopic.objects.filter(topic=topic.pk).select_related("episode__podcast")
    ordered = rows.defer(*(f"episode__{name}" for name in UNSHOWN)).order_by(
        "-confidence", "-episode__order"
    )
    return {use.episode.slug: use for use in ordered}


def uses_in_words(topic: Topic) -> dict[str, tuple[str, str]]:
    """The episodes of a topic for a preview: why each has it."""
    return words_of((use.episode, _why(use)) for use in uses(topic).values())


def _why(use: EpisodeTopic) -> str:
    doubtful = ", doubtful" if use.confidence == "low" else ""
    return f"“{use.term}” in the {use.field}{doubtful}" if use.term else "by a curator"


# --- The form --------------------------------------------------------------------------------------------------------


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
        MOST_ALIASES,
        LONGEST_ALIAS,
        help_text="Other names, one per line. Also applied to future imports.",
    )
    title = TermLines(MOST_TERMS, 200, label="In the title")
    notes = TermLines(MOST_TERMS, 200, label="In the notes")
    links = TermLines(MOST_TERMS, 200, label="In the links")
    hints = TermLines(MOST_TERMS, 200, label="Weak hints (need several)")
    excludes = TermLines(MOST_TERMS, 200, label="Ignore these phrases")

    class Meta:
        model = Topic
        fields = ("name", "slug", "group", "podcast", "position", "description", "aliases")
        widgets = {  # noqa: RUF012
            "description": forms.Textarea(attrs={"rows": 3}),
            "group": forms.TextInput(attrs={"list": "groups"}),
        }
        labels = {"podcast": "show", "slug": "address"}  # noqa: RUF012
        help_texts = {  # noqa: RUF012
            "podcast": "Leave empty for every show.",
            "position": "Lists show the lowest first.",
            "slug": "Leave empty to make it from the name. Old addresses redirect here.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rules = self.instance.rules if isinstance(self.instance.rules, dict) else {}
        for kind in curation.TERMS:
            self.initial[kind] = "\n".join(str(term) for term in rules.get(kind) or ())
        self.initial["aliases"] = "\n".join(str(name) for name in self.instance.aliases or ())
        self.fields["podcast"].empty_label = "every show"  # type: ignore[attr-defined]
        self.fields["slug"].required = self.fields["position"].required = False
        if self.instance._state.adding:
            self.initial["podcast"] = only_show()

    def clean_slug(self) -> str:
        return slug_or_from(self.cleaned_data["slug"], self.cleaned_data.get("name", ""))

    def clean_position(self) -> int:
        return self.cleaned_data["position"] or 0

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
        self.instance.rules = {
            **kept,
            **{kind: data[kind] for kind in curation.TERMS if data.get(kind)},
        }
        return data


# --- Screens ---------------------------------------------------------------------------------------------------------


class TopicPreview(RowPreview):
    """A change whose preview tells which episodes gain and lose a topic."""

    def look(self) -> Words:
        return uses_in_words(self.form.instance)


class TopicView(RowView, TopicPreview):  # type: ignore[override]
    template_name = "admin/curation/topic.html"

    def act(self) -> None:
        curation.save_topic(self.request.user, self.form.save(commit=False), seen=self.token)

    def context(self) -> dict[str, Any]:
        groups = (
            Topic.objects.exclude(group="")
            .order_by("group")
            .values_list("group", flat=True)
            .distinct()
        )
        return super().context() | {"groups": groups, **(known(self.row) if self.row else {})}


def known(topic: Topic) -> dict[str, Any]:
    """Values that the page of a topic shows beside its form."""
    return {
        "uses": list(uses(topic).values()),
        "former": FormerTopic.objects.filter(topic=topic),
        "changes": listing("change", f"?about=topic:{topic.pk}"),
    }


class TopicJoinView(JoinView):
    viewers_may_look = False

    def others(self) -> QuerySet[Topic]:
        """A topic of every show may not become one of a single show."""
        possible = Topic.objects.filter(Q(podcast=None) | Q(podcast=self.row.podcast))
        return possible.exclude(pk=self.row.pk).order_by("name")

    def look(self) -> Words:
        return uses_in_words(self.into)

    def act(self) -> None:
        curation.merge_topics(self.request.user, self.row, self.into, seen=self.seen)

    def tokens(self) -> list[str]:
        return [curation.state(self.row), curation.state(self.into)]

    def get_success_url(self) -> str:
        return row_at(self.into)


# --- The list --------------------------------------------------------------------------------------------------------


class TopicUsage(OptionsFilter):
    """Filter by how often, and how surely, a topic is used."""

    title, parameter_name = "use", "use"
    options: ClassVar[dict[str, Option]] = {
        "once": ("Used once", lambda rows: rows.filter(used_count=1)),
        "unused": ("Unused", lambda rows: rows.filter(used_count=0)),
        "doubtful": (
            "Proposed with low confidence",
            lambda rows: rows.filter(doubtful_count__gt=0),
        ),
    }


@admin.register(Topic)
class TopicAdmin(CuratedAdmin):
    permission = curation.CURATE
    delete_verb = staticmethod(curation.delete)
    form = TopicForm
    view = TopicView
    screens = (("merge", "<path:object_id>/merge/", TopicJoinView),)
    column_of_several = "podcast"
    list_display = ("name", "position", "slug", "group", "used", "doubtful", "also", "podcast")
    list_filter = (TopicUsage, "group", ("podcast", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("podcast",)
    search_fields = ("name", "slug", "description", "aliases")

    show_facets = admin.ShowFacets.ALWAYS
    list_per_page = 200

    def get_queryset(self, request: HttpRequest) -> QuerySet[Topic]:
        rows: QuerySet[Topic] = super().get_queryset(request)
        return rows.annotate(
            used_count=Count("uses"), doubtful_count=Count("uses", filter=Q(uses__confidence="low"))
        )

    @admin.display(description="episodes", ordering="used_count")
    def used(self, topic: Any) -> str:
        return format_html(
            '<a href="{}?topics__id__exact={}">{}</a>',
            listing("episode"),
            topic.pk,
            topic.used_count,
        )

    @admin.display(description="doubtful", ordering="doubtful_count")
    def doubtful(self, topic: Any) -> str:
        return str(topic.doubtful_count or "")

    @admin.display(description="also called")
    def also(self, topic: Topic) -> str:
        return ", ".join(str(name) for name in topic.aliases)
