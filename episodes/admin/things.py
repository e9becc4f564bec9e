"""One screen for topics, people, links and symbols: form, preview, episodes, history; merged into
another, and taken away. Learning paths: their words and their steps, with a preview of what readers
get."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin
from django.db.models import (
    BooleanField,
    Count,
    ExpressionWrapper,
    Min,
    Model,
    OuterRef,
    Q,
    Subquery,
)
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html

from .. import curation
from ..models import (
    Change,
    CodeMention,
    CodeName,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    LearningPath,
    Link,
    LinkCheck,
    Person,
    Podcast,
    Route,
    Topic,
    moments_about,
    routes,
)
from ..text.link_labels import KINDS, ONE, named
from ..views import moments
from .base import (
    AddressField,
    CuratedAdmin,
    LinesField,
    NoWritePermissions,
    ReaderTexts,
    RowAction,
    RowView,
    ShowFilter,
    SluggedForm,
    episode_url,
    list_url,
    options_filter,
    row_url,
)
from .episode import EpisodeField, topic_reason

NEWEST = ("-episode__sorted_at", "episode")
UNSHOWN = ("description_text", "description_html", "provenance", "conflicts")
MOST_CHANGES = 15


def words_of(rows: Iterable[tuple[Episode, str]]) -> ReaderTexts:
    """The words of each episode, each thing once, in the given order."""
    said: dict[tuple[str, str], dict[str, None]] = {}
    for episode, words in rows:
        said.setdefault((episode.heading, episode_url(episode)), {})[words] = None
    return {place: ", ".join(words) for place, words in said.items()}


# --- Screens -----------------------------------------------------------------------------------


class ThingView(RowView):
    """The form of a thing, the episodes that name it, and its history."""

    template_name = "admin/curation/thing.html"
    done = "Saved. Later imports keep it."

    def get_success_url(self) -> str:
        """The thing's own screen, whatever the number of its row now; the list where it is no
        more."""
        own, opts = self.form.instance, self.model_admin
        key = {opts.key_field: getattr(own, opts.key_field)}
        row = opts.model._default_manager.filter(**key).first()
        return row_url(row) if row else list_url(opts.opts.model_name)

    def of_row(self) -> dict[str, Any]:
        own = self.model_admin
        words = {"merge": "Merge into another", "delete": own.delete_words}
        names, start = [*(name for name, *_ in own.screens), "delete"], own.opts.model_name
        ways = [
            (reverse(f"admin:episodes_{start}_{name}", args=(self.row.pk,)), words[name])
            for name in names
        ]
        return {
            "uses": own.uses(self.row),
            "changes": Change.objects.filter(about=own.about(self.row)).select_related(
                "made_by", "undone_by", "podcast"
            )[:MOST_CHANGES],
            "ways": ways if self.may else (),
            **own.known(self.row),
        }


class JoinView(RowAction):
    """Makes one of the row and another."""

    viewers_may_look = True
    title = "Merge “{view.row}” into another"
    explanation = (
        "Episodes that have it will show the other one instead, now and after later imports. Its "
        "names move, and the old address will redirect. You can undo this in History."
    )
    done = "“{view.row}” was merged into “{view.into}”. Later imports do the same."
    filled_by_address = "into"

    def get_form(self, form_class: Any = None) -> Any:
        form, rows = super().get_form(form_class), self.model_admin.model._default_manager
        # What cannot be its target is refused by the verb, which says why.
        form.fields["into"] = forms.ModelChoiceField(
            rows.exclude(pk=self.row.pk).order_by("name", "slug"), to_field_name="slug"
        )
        return form

    @property
    def into(self) -> Any:
        return getattr(self.form, "cleaned_data", {}).get("into")

    def look(self) -> Any:
        return self.model_admin.look(self.into)

    def act(self) -> None:
        self.model_admin.join(self.request.user, self.row, self.into, **self.how)
        self.success_url = row_url(self.into)

    def context(self) -> dict[str, Any]:
        rows = [row for row in (self.row, self.into) if row]
        return {"seen": " ".join(map(self.model_admin.seen, rows)), "into": self.into}


class ThingAdmin(CuratedAdmin):
    """A table of things that episodes share; people, links and symbols are corrected by their
    natural keys, as their rows are the catalog's."""

    permission = curation.CURATE
    view = ThingView
    screens: ClassVar[Any] = (("merge", "<path:object_id>/merge/", JoinView),)
    key_field: ClassVar[str] = "pk"
    mentions: ClassVar[type[Model]]  # what episodes say of things, in `column`
    column: ClassVar[str]
    order: ClassVar[Sequence[str]]  # of mentions
    delete_words = "Hide"
    delete_hint = (
        "It will disappear from every page and export, and later imports will not bring it back. "
        "You can undo this in History."
    )
    deleted = "“{view.row}” is hidden; later imports do not bring it back."

    # The catalog makes these rows.
    has_add_permission = NoWritePermissions.has_add_permission

    def worded(self, mention: Any) -> str:
        """The thing as an episode shows it."""
        raise NotImplementedError

    def uses(self, row: Any = None) -> list[tuple[Any, str]]:
        """The words of episodes about one thing, or about all of the kind, each once."""
        rows: Any = self.mentions._default_manager.filter(**{self.column: row} if row else {})
        shown = rows.select_related("episode__podcast", self.column).order_by(*self.order)
        # Notes are long, and a host is in hundreds of episodes.
        shown = shown.defer(*(f"episode__{name}" for name in UNSHOWN))
        found = {(mention.episode_id, self.worded(mention)): mention for mention in shown}
        return [(mention, words) for (_, words), mention in found.items()]

    def look(self, row: Any) -> ReaderTexts:
        """The words of all episodes that a change of the thing may touch."""
        return words_of((mention.episode, words) for mention, words in self.uses())

    def seen(self, row: Any) -> str:
        return curation.CorrectionSubject.of(row).token

    def about(self, row: Any) -> str:
        """The key of the history of a row."""
        return curation.CorrectionSubject.of(row).about

    def save(self, user: Any, form: Any, **how: str) -> None:
        curation.save_corrections(user, form.thing, form.values(), **how)

    def known(self, row: Any) -> dict[str, Any]:
        """Values that the page of a thing shows beside what can be corrected."""
        thing = curation.CorrectionSubject.of(row)
        return {
            "corrections": thing.corrections().select_related("made_by"),
            "same": thing.decisions.filter(field="same", value=thing.key).order_by("detail", "key"),
        }

    def join(self, user: Any, row: Any, into: Any, *, seen: str, reason: str) -> None:
        curation.merge_subjects(
            user,
            curation.CorrectionSubject.of(row),
            curation.CorrectionSubject.of(into),
            seen=seen.partition(" ")[0],
            reason=reason,
        )

    def delete_verb(self, user: Any, row: Any, **how: Any) -> None:
        curation.hide_subject(user, curation.CorrectionSubject.of(row), **how)


class CorrectionForm(forms.Form):
    """The fields of a thing that a curator can correct; empty ones follow the notes."""

    def __init__(self, *args: Any, instance: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance, self.thing = instance, curation.CorrectionSubject.of(instance)
        self.decided = dict(self.thing.corrections().values_list("field", "value"))
        # An empty field follows the notes, so only what was decided is filled in.
        self.initial = {name: self.decided.get(name, "") for name in self.fields}

    def values(self) -> dict[str, str]:
        return dict(self.cleaned_data)


# --- People ------------------------------------------------------------------------------------


class PersonForm(CorrectionForm):
    name = forms.CharField(
        required=False, max_length=300, help_text="Empty: the fullest name that the notes use."
    )
    url = AddressField(required=False, max_length=2000, label="Web page")
    image = AddressField(
        required=False,
        max_length=2000,
        label="Photo",
        help_text="The address of an image. It is fetched with the next import of a live feed.",
    )

    def __init__(self, *args: Any, instance: Person, **kwargs: Any) -> None:
        super().__init__(*args, instance=instance, **kwargs)
        # What another of their identities brought is theirs as well.
        self.initial = {"url": instance.url, "image": instance.image_url, "name": instance.name}

    def values(self) -> dict[str, str]:
        """Values that were changed in the form: a name that stays as the notes have it goes on
        following them."""
        return {name: self.cleaned_data[name] for name in self.changed_data}


@admin.register(Person)
class PersonAdmin(ThingAdmin):
    key_field = "identity"
    mentions, column = Credit, "person"
    order = (*NEWEST, "person__name", "role")
    own_form = PersonForm
    delete_words = "Not a person"
    list_display = ("name", "episode_count", "slug", "identity", "url")
    search_fields = ("name", "slug", "identity", "credits__credited_as")
    ordering = ("name", "slug")

    def worded(self, credit: Credit) -> str:
        other = credit.credited_as not in ("", credit.person.name)
        role = f"{credit.role}, credited as {credit.credited_as}" if other else credit.role
        return f"{credit.person.name} ({role})"


# --- Links -------------------------------------------------------------------------------------


class LinkForm(CorrectionForm):
    label = forms.CharField(
        required=False, max_length=300, help_text="Empty: the words of the notes or the address."
    )
    kind = forms.ChoiceField(
        required=False, choices=[("", "automatic"), *((kind, ONE[kind]) for kind in KINDS)]
    )
    replacement = AddressField(
        required=False,
        max_length=2000,
        help_text="Where it leads instead, for example a copy of a dead page in an archive.",
    )

    @property
    def proposed(self) -> str:
        """The address at which the Internet Archive may have what the link led to when an episode
        first named it; "" where it is replaced."""
        link, mentions = self.instance, self.instance.mentions
        if link.replacement:
            return ""
        first = mentions.aggregate(at=Min("episode__published_at"))["at"]
        newest = mentions.order_by("episode__order").values_list("url", flat=True).first()
        day = f"{first:%Y%m%d}" if first else "2"
        return f"https://web.archive.org/web/{day}/{newest or link.key}"

    def values(self) -> dict[str, str]:
        copy = {"replacement": self.proposed} if "use_proposed" in self.data else {}
        return {**self.cleaned_data, **copy}


@admin.register(Link)
class LinkAdmin(ThingAdmin):
    key_field = "key"
    mentions, column, order = EpisodeLink, "link", (*NEWEST, "position")
    own_form = LinkForm
    screens = ()
    list_display = ("key", "title", "kind", "state")
    # Those that are gone, or were not reached time after time, and are not replaced.
    troubled = Q(replacement="", key__in=LinkCheck.objects.in_trouble().order_by().values("key"))
    counted = options_filter("state", "state", {"trouble": ("Links in trouble", troubled)})
    list_filter = (counted, "kind")
    search_fields = ("key", "title")

    def get_queryset(self, request: HttpRequest) -> Any:
        check = LinkCheck.objects.filter(key=OuterRef("key"))
        names = ("outcome", "asked_at", "failing_since", "note")
        return (
            super()
            .get_queryset(request)
            .annotate(**{name: Subquery(check.values(name)[:1]) for name in names})
        )

    def known(self, row: Any) -> dict[str, Any]:
        return {
            **super().known(row),
            "facts": [("Key", row.key), ("Status", self.state(row)), ("Answer", row.note or "–")],
        }

    def worded(self, mention: EpisodeLink) -> str:
        link = mention.link
        instead = f", leads to {link.replacement}" if link.replacement else ""
        name = link.title or mention.text or named(link.key).whole
        return f"{name} ({link.get_kind_display().lower()}{instead})"

    @admin.display(description="status", ordering="outcome")
    def state(self, link: Any) -> str:
        if not link.outcome:
            return "not checked yet"
        since = f" since {date_format(link.failing_since)}" if link.failing_since else ""
        return f"{link.outcome}{since}, checked {date_format(link.asked_at)}"


# --- Symbols -----------------------------------------------------------------------------------


@admin.register(CodeName)
class SymbolAdmin(ThingAdmin):
    """A symbol has nothing to type: it is another one, or none."""

    key_field = "name"
    mentions, column, order = CodeMention, "name", (*NEWEST, "field", "position")
    own_form = CorrectionForm
    delete_words = "Not a symbol"
    list_display = ("name", "episode_count")
    search_fields = ("name",)

    def worded(self, mention: CodeMention) -> str:
        return mention.name.name


# --- Topics ------------------------------------------------------------------------------------


class TopicForm(SluggedForm):
    named_by, all_shows = "name", "every show"
    aliases = LinesField(help_text="Other names, one per line. Also applied to future imports.")
    title = LinesField(
        "title",
        label="In the title",
        help_text="One term per line. An episode with one of them in its title gets the topic.",
    )
    notes = LinesField(
        "notes",
        label="In the notes",
        help_text="One term per line. A single mention is too little, unless the term ends in @once.",
    )
    links = LinesField(
        "links",
        label="In the links",
        help_text="One term per line: a part of what a link leads to.",
    )
    hints = LinesField(
        "hints",
        label="Weak hints",
        help_text="One term per line. An episode needs several of them.",
    )
    excludes = LinesField(
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
        """The names of groups that topics have, to choose from."""
        names = Topic.objects.exclude(group="").order_by("group")
        return names.values_list("group", flat=True).distinct()

    def clean_position(self) -> int:
        return self.cleaned_data["position"] or 0

    def clean(self) -> dict[str, Any]:
        data = cast(dict[str, Any], super().clean())
        # Kinds of terms that the form does not have stay.
        rules = {**self.instance.rules, **{kind: data.get(kind) for kind in curation.TERM_KINDS}}
        self.instance.rules = {kind: terms for kind, terms in rules.items() if terms}
        return data


class TopicView(ThingView):
    """The form of a topic, with how its terms are written beside them."""

    template_name = "admin/curation/topic.html"


@admin.register(Topic)
class TopicAdmin(ThingAdmin):
    view = TopicView
    mentions, column = EpisodeTopic, "topic"
    order = ("-confidence", "-episode__order")  # the doubtful ones first
    own_form = TopicForm
    delete_verb: Any = staticmethod(curation.delete_row)
    delete_words = "Delete"
    delete_hint = (
        "Its address will redirect to the list of topics. Episodes will not have it any more. You "
        "can undo this in History."
    )
    deleted = CuratedAdmin.deleted
    list_display = ("name", "position", "slug", "group", "used", "podcast")
    counted = options_filter(
        "problem", "needs", {"doubtful": ("Topics to confirm", Q(doubtful_count__gt=0))}
    )
    used_filter = options_filter(
        "use",
        "use",
        {"once": ("Used once", Q(used_count=1)), "unused": ("Unused", Q(used_count=0))},
    )
    list_filter = (counted, used_filter, "group", ("podcast", ShowFilter))
    list_select_related = ("podcast",)
    search_fields = ("name", "slug", "description", "aliases")
    list_per_page = 200
    has_add_permission = CuratedAdmin.has_change_permission
    save, seen = CuratedAdmin.save, CuratedAdmin.seen

    def get_queryset(self, request: HttpRequest) -> Any:
        return (
            super()
            .get_queryset(request)
            .annotate(
                used_count=Count("uses"),
                doubtful_count=Count("uses", filter=Q(uses__confidence="low")),
            )
        )

    def look(self, row: Topic) -> ReaderTexts:
        """The episodes of the topic, and why each has it."""
        # A topic that is being added has no row that could be asked for.
        uses = self.uses(row) if row.pk else ()
        return words_of((use.episode, words) for use, words in uses)

    def worded(self, use: EpisodeTopic) -> str:
        return topic_reason(use) + (", doubtful" if use.confidence == "low" else "")

    def about(self, row: Topic) -> str:
        return f"topic:{row.pk}"

    def known(self, row: Topic) -> dict[str, Any]:
        former = row.former.all()
        return {
            "former": former,
            "moments": moments_about([row.slug, *(old.slug for old in former)]),
        }

    def join(self, user: Any, row: Any, into: Any, **how: Any) -> None:
        curation.merge_topics(user, row, into, **how)

    @admin.display(description="episodes", ordering="used_count")
    def used(self, topic: Any) -> str:
        return format_html(
            '<a href="{}">{}</a>',
            f"{list_url('episode')}?topics__id__exact={topic.pk}",
            topic.used_count,
        )


MOST_STEPS = 60


# --- The form of a path -------------------------------------------------------------------------


class StepForm(forms.Form):
    episode = forms.CharField(max_length=255, widget=EpisodeField.widget)
    why = forms.CharField(
        label="Why here",
        max_length=400,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    known: Episode | None = None  # the episode that its address stands for now

    def __init__(self, *args: Any, podcast: Podcast | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.named = EpisodeField()
        self.named.podcast, self.named.exactly = podcast, True

    def clean_episode(self) -> str:
        """The address of the episode that is named; one that is there already stays, even if it is
        lost."""
        typed = str(self.cleaned_data["episode"])
        episode = None if typed == self.initial.get("episode") else self.named.clean(typed)
        return episode.slug if episode else typed

    def clean(self) -> None:
        """Let a row that was given another's number come to its place: behind it from above, before
        it from below, where new ones come from too."""
        was, now = self.fields["ORDER"].initial or MOST_STEPS, self.cleaned_data.get("ORDER")
        now = MOST_STEPS if now is None else now
        self.cleaned_data["ORDER"] = now + (now - was) / (2 * MOST_STEPS)


Steps = forms.formset_factory(
    StepForm,
    extra=3,
    can_order=True,
    can_delete=True,
    max_num=MOST_STEPS,
    validate_max=True,
)


class PathForm(SluggedForm):
    named_by, all_shows = "title", "several shows"

    class Meta:
        model = LearningPath
        fields = ("title", "slug", "description", "author", "podcast", "position", "published")
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}  # noqa: RUF012
        labels = {"podcast": "show", "slug": "address", "position": "position in the list"}  # noqa: RUF012
        help_texts = {  # noqa: RUF012
            "slug": "Leave empty to make it from the title. Old addresses redirect here.",
            "podcast": "Leave empty for a path through several shows.",
            "author": "Shown to readers: “By …”.",
            "published": "Readers see only published paths.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = [{"episode": step.episode, "why": step.why} for step in self.instance.kept]
        self.steps: Any = Steps(self.data if self.is_bound else None, initial=rows, prefix="steps")
        if self.instance._state.adding:
            self.initial["position"] = LearningPath.objects.count() + 1

    def is_valid(self) -> bool:
        own = super().is_valid()
        # Episodes are looked for in the show that the same form names.
        if self.is_bound:
            self.steps.form_kwargs["podcast"] = self.cleaned_data.get("podcast")
        return own and self.steps.is_valid()

    def save(self, commit: bool = True) -> Any:
        rows = (form.cleaned_data for form in self.steps.ordered_forms)
        steps = [{"episode": row["episode"], "why": row["why"]} for row in rows]
        self.instance.steps = steps
        return super().save(commit=commit)


# --- Faults of a path, and its screen -----------------------------------------------------------


def gaps(route: Route) -> list[str]:
    """Episodes that are gone or there twice, in words."""
    gone = [f"“{step.episode}” is gone" for step in route.lost]
    return gone + [f"“{step.episode}” is there twice" for step in route.twice]


def problems(route: Route) -> list[str]:
    """The faults of a path, in words for curators."""
    wrong = moments.reversed_in(route, moments.needs())
    return [
        *(f"{gap}; readers do not see it." for gap in gaps(route)),
        *(f"“{one}” is a prerequisite of “{other}” but comes after it." for one, other in wrong),
    ]


class PathView(RowView):
    template_name = "admin/curation/path.html"

    def look(self) -> Route | None:
        return next(iter(routes(LearningPath.objects.filter(pk=self.form.instance.pk))), None)

    def compare(self, before: Route | None, after: Route) -> dict[str, Any]:
        return {"ahead": after, "ahead_problems": problems(after)}

    def of_row(self) -> dict[str, Any]:
        route = routes([self.row])[0]
        there = {part.step.episode: part.episode for part in route.parts}
        for row in self.form.steps.forms:
            row.known = there.get(row.initial.get("episode"))
        return {
            "problems": problems(route),
            "former": self.row.former.all(),
            "changes": list_url("change", f"?about=learningpath:{self.row.pk}"),
        }


# --- The list of paths --------------------------------------------------------------------------


@admin.register(LearningPath)
class PathAdmin(CuratedAdmin):
    permission = curation.CURATE
    delete_verb = staticmethod(curation.delete_row)
    delete_hint = (
        "Its address will redirect to the list of paths. You can undo this in History. To hide the "
        "path for a while, unpublish it instead."
    )
    own_form = PathForm
    view = PathView
    list_display = ("title", "slug", "parts", "published", "position", "author", "podcast")
    counted = options_filter("problem", "needs", {"gaps": ("Broken paths", Q(broken=True))})
    list_filter = (counted, "published", ("podcast", ShowFilter))
    list_select_related = ("podcast",)
    search_fields = ("title", "slug", "description", "author")

    def get_queryset(self, request: HttpRequest) -> Any:
        """The paths, marked as broken where an episode is gone or there twice."""
        # What a path leads to is computed, so the database is given the answer.
        broken = [route.path.pk for route in routes(LearningPath.objects.all()) if gaps(route)]
        return (
            super()
            .get_queryset(request)
            .annotate(broken=ExpressionWrapper(Q(pk__in=broken), BooleanField()))
        )

    @admin.display(description="parts")
    def parts(self, path: LearningPath) -> int:
        return len(path.kept)
