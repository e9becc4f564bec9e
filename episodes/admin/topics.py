"""The screens of topics: names, terms, episodes and history. Topics are merged and deleted."""

from collections.abc import Collection, Iterable
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Count, Q
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.text import slugify

from .. import curation
from ..models import EpisodeTopic, Topic, moments_of_topic
from .base import (
    CuratedAdmin,
    LinesField,
    ReaderTexts,
    ShowFilter,
    TermsField,
    episode_url,
    list_url,
    options_filter,
    single_show_id,
)
from .bulk_repair import BulkRepairAdmin
from .corrections import SharedRowAdmin, SharedRowView, join_texts_by_heading_and_url
from .episode import topic_reason


class SluggedForm(forms.ModelForm):
    """A topic or path, of one show or of all. An empty slug is made from its name."""

    name_field: ClassVar[str]
    all_shows_label: ClassVar[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the slug optional, name the choice for all shows, and choose the show if there is only one."""
        super().__init__(*args, **kwargs)
        self.fields["slug"].required = False
        self.fields["podcast"].empty_label = self.all_shows_label  # type: ignore[attr-defined]
        if self.instance._state.adding:
            # The only show is chosen. With several, a guess would often be wrong.
            self.initial["podcast"] = single_show_id()

    def clean_slug(self) -> str:
        # A missing name has an error of its own, so the slug needs none.
        name = self.cleaned_data.get(self.name_field, "unnamed")
        slug = self.cleaned_data["slug"] or slugify(name)[:100]  # characters, as in the columns
        # `slugify` drops all letters that are not Latin.
        if not slug:
            raise ValidationError("Use Latin letters and digits.")
        return str(slug)


class TopicForm(SluggedForm):
    name_field, all_shows_label = "name", "every show"
    aliases = LinesField(help_text="Other names, one per line. Also applied to future imports.")
    title = TermsField(
        "title",
        label="In the title",
        help_text="One term per line. An episode with one of them in its title gets the topic.",
    )
    notes = TermsField(
        "notes",
        label="In the notes",
        help_text="One term per line. A single mention is too little, unless the term ends in @once.",
    )
    links = TermsField(
        "links",
        label="In the links",
        help_text="One term per line: a part of what a link leads to.",
    )
    hints = TermsField(
        "hints",
        label="Weak hints",
        help_text="One term per line. An episode needs several of them.",
    )
    excludes = TermsField(
        "excludes",
        label="Ignore these phrases",
        help_text="One phrase per line. Terms within them do not count.",
    )

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
        self.initial |= self.instance.rules
        self.fields["position"].required = False

    @property
    def name_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.Meta.fields]

    @property
    def term_fields(self) -> list[forms.BoundField]:
        return [self[kind] for kind in curation.TERM_KINDS]

    @property
    def groups(self) -> Any:
        names = Topic.objects.exclude(group="").order_by("group")
        return names.values_list("group", flat=True).distinct()

    def clean_position(self) -> int:
        return self.cleaned_data["position"] or 0

    def clean(self) -> dict[str, Any]:
        data = cast(dict[str, Any], super().clean())
        self.instance.rules = {kind: data[kind] for kind in curation.TERM_KINDS if data.get(kind)}
        return data


class TopicView(SharedRowView):
    """The form of a topic, with how its terms are written beside them.

    The preview also lists near misses: episodes with too few points for the topic.
    """

    template_name = "admin/curation/topic.html"

    def context_of_comparison(self, before: ReaderTexts, after: ReaderTexts) -> dict[str, Any]:
        """Add the near misses to the changed episodes."""
        max_near_misses = 30
        near_misses = []
        for near_miss in curation.find_episodes_just_missing_topic(self.form.instance):
            url = episode_url(near_miss.episode)
            # An episode in `after` has the topic, for example by hand.
            if (near_miss.episode.heading, url) not in after:
                reason = topic_reason(near_miss.strongest_use)
                near_misses.append((near_miss, url, reason))
        return {
            **super().context_of_comparison(before, after),
            "near_misses": near_misses[:max_near_misses],
            "more_misses": len(near_misses[max_near_misses:]),
            "points_needed": curation.MIN_POINTS,
        }


@admin.register(Topic)
class TopicAdmin(BulkRepairAdmin, SharedRowAdmin):
    row_view = TopicView
    use_model, use_column = EpisodeTopic, "topic"
    use_order = ("-confidence", "-episode__order")  # doubtful ones first
    row_form = TopicForm
    delete_row: Any = staticmethod(curation.delete_topic_or_path)
    delete_label = "Delete"
    delete_explanation = (
        "Its address will redirect to the list of topics. Episodes will not have it any more. You "
        "can undo this in History."
    )
    deleted_message = CuratedAdmin.deleted_message
    list_display = ("name", "used", "group", "podcast", "position")
    start_page_filter = options_filter(
        "problem", "needs", {"doubtful": ("Topics to confirm", Q(doubtful_count__gt=0))}
    )
    used_filter = options_filter(
        "use",
        "use",
        {"once": ("Used once", Q(used_count=1)), "unused": ("Unused", Q(used_count=0))},
    )
    list_filter = (start_page_filter, used_filter, "group", ("podcast", ShowFilter))
    list_select_related = ("podcast",)
    search_fields = ("name", "slug", "description", "aliases")
    list_per_page = 200
    # Django leaves the ordering of a model out of queries that count.
    ordering = ("position", "slug")
    has_add_permission = CuratedAdmin.has_change_permission
    save, token = CuratedAdmin.save, CuratedAdmin.token

    def get_queryset(self, request: HttpRequest) -> Any:
        is_doubtful = Q(uses__confidence="low")
        rows = super().get_queryset(request)
        return rows.annotate(
            used_count=Count("uses"), doubtful_count=Count("uses", filter=is_doubtful)
        )

    def episode_ids_of_row(self, row: Topic) -> Iterable[int]:
        # A topic may come to any episode, so the preview looks at all.
        return ()

    def episode_texts(self, row: Topic, episode_ids: Collection[int]) -> ReaderTexts:
        # A new topic has no uses yet.
        uses = self.find_distinct_uses_with_descriptions(topic=row) if row.pk else ()
        return join_texts_by_heading_and_url((use.episode, words) for use, words in uses)

    def row_text_in_episode(self, use: EpisodeTopic) -> str:
        reason = topic_reason(use)
        return f"{reason}, doubtful" if use.confidence == "low" else reason

    def history_key(self, row: Topic) -> str:
        return curation.row_history_key(row)

    def row_context(self, row: Topic) -> dict[str, Any]:
        redirects = row.former.all()
        slugs = [row.slug, *redirects.values_list("slug", flat=True)]
        return {"former": redirects, "moments": moments_of_topic(slugs)}

    def merge_rows(self, user: Any, row: Any, into: Any, **options: Any) -> None:
        curation.merge_topics(user, row, into, **options)

    @admin.display(description="episodes", ordering="used_count")
    def used(self, topic: Any) -> str:
        return format_html(
            '<a href="{}">{}</a>',
            f"{list_url('episode')}?topics__id__exact={topic.pk}",
            topic.used_count,
        )
