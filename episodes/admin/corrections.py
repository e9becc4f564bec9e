"""Parts of the screens on which curators correct people, links and symbols: form, preview, what is
hidden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from .. import curation
from ..curation import CURATE, Thing
from ..models import Episode
from .action import ActionView
from .base import ReadOnly, listing, number_in
from .configuration import RowAction, row_at

UNSHOWN = ("description_text", "description_html", "provenance", "conflicts")
MOST_CHANGES = 15
Words = Mapping[
    str, tuple[str, str]
]  # by address: the heading of an episode, and what it says of the things at hand


@dataclass(frozen=True)
class TouchedEpisode:
    """An episode on which a correction shows something else than before."""

    slug: str
    heading: str
    before: str
    after: str


def touched(before: Words, after: Words) -> list[TouchedEpisode]:
    """The episodes that differ, in the order of their addresses."""
    found = []
    for slug in sorted({*before, *after}):
        heading = (after.get(slug) or before[slug])[0]
        was, now = (side[slug][1] if slug in side else "" for side in (before, after))
        if was != now:
            found.append(TouchedEpisode(slug, heading, was, now))
    return found


def words_of(rows: Iterable[tuple[Episode, str]]) -> dict[str, tuple[str, str]]:
    """The rows of a preview, from (episode, words) in the order in which they are shown."""
    said: dict[str, tuple[str, list[str]]] = {}
    for episode, words in rows:
        said.setdefault(episode.slug, (episode.heading, []))[1].append(words)
    return {slug: (heading, ", ".join(all_)) for slug, (heading, all_) in said.items()}


class RowPreview(RowAction):
    """A change of one row, whose preview tells what each episode would show. Viewers read it."""

    viewers_may_look = True

    def said(self) -> Iterable[tuple[Episode, str]]:
        """The words of episodes that the change may touch."""
        raise NotImplementedError

    def look(self) -> Words:
        return words_of(self.said())

    def compare(self, before: Words, after: Words) -> dict[str, Any]:
        return {"touched": touched(before, after)}


class ThingAction(RowPreview):
    """A correction of a person, link or symbol."""

    def prepare(self) -> None:
        super().prepare()
        self.thing = Thing.of(self.row)

    def said(self) -> Iterable[tuple[Episode, str]]:
        return self.model_admin.said()  # type: ignore[no-any-return]

    def context(self) -> dict[str, Any]:
        return {"row": self.row, "thing": self.thing, "seen": curation.thing_token(self.thing)}

    def get_success_url(self) -> str:
        """The thing's own screen, whatever the number of its row now; the list where it is no
        more."""
        return self.model_admin.address_of(self.thing)  # type: ignore[no-any-return]


class ThingView(ThingAction):
    """The form of a thing, the episodes that name it, and its history."""

    template_name = "admin/curation/thing.html"
    title = "{view.thing.name}"
    done = "Saved. Later imports keep it."

    def prepare(self) -> None:
        super().prepare()
        self.crumbs = ()

    def get_form_class(self) -> Any:
        return self.model_admin.thing_form

    def get_form_kwargs(self) -> dict[str, Any]:
        kwargs = super().get_form_kwargs()
        return {**kwargs, "row": self.row, "thing": self.thing}

    def act(self) -> None:
        values, aliases = self.form.values(), self.form.cleaned_data.get("aliases")
        how = {"seen": self.seen_first, "reason": self.reason}
        curation.correct(self.request.user, self.thing, values, aliases=aliases, **how)

    def context(self) -> dict[str, Any]:
        may = self.request.user.has_perm(CURATE)
        for field in () if may else self.form.fields.values():
            field.disabled = True
        changes = curation.changes_about(self.thing).select_related("podcast")
        model = self.model_admin.opts.model_name
        return super().context() | {
            "may": may,
            "model": model,
            "merge_url": f"admin:episodes_{model}_merge",
            "hide_url": f"admin:episodes_{model}_hide",
            "facts": self.model_admin.facts(self.row),
            "uses": self.model_admin.uses(self.row),
            "others": self.thing.others(),
            "corrections": self.thing.corrections().select_related("made_by"),
            "changes": changes[:MOST_CHANGES],
            "may_merge": self.model_admin.joins,
            "hide": self.model_admin.hide_words,
        }


class JoinView(RowPreview):
    """Finds the other row, shows what the episodes would say, and makes one of both."""

    template_name = "admin/curation/thing_merge.html"
    title = "Merge “{view.row}” into another"
    done = "“{view.row}” was merged into “{view.into}”. Later imports do the same."
    filled_by_address = "into"

    def others(self) -> QuerySet[Any]:
        rows: QuerySet[Any] = self.model_admin.model._default_manager.exclude(pk=self.row.pk)
        return rows.order_by("name", "slug")

    def tokens(self) -> list[str]:
        """What the form knows of the row and the other one."""
        raise NotImplementedError

    def get_form_class(self) -> Any:
        others = self.others()

        class JoinForm(forms.Form):
            into = forms.ModelChoiceField(others, to_field_name="slug")

        return JoinForm

    @property
    def into(self) -> Any:
        return self.form.cleaned_data["into"]

    def context(self) -> dict[str, Any]:
        context = {"row": self.row, "others": self.others(), "back": row_at(self.row)}
        chosen = self.form.is_valid()
        return context | ({"into": self.into, "seen": self.tokens()} if chosen else {})


class ThingJoinView(JoinView, ThingAction):
    def act(self) -> None:
        into, how = Thing.of(self.into), {"seen": self.seen_first, "reason": self.reason}
        curation.join(self.request.user, self.thing, into, **how)

    def tokens(self) -> list[str]:
        return [curation.thing_token(self.thing)]

    def get_success_url(self) -> str:
        return self.model_admin.address_of(Thing.of(self.into))  # type: ignore[no-any-return]


class HideView(ThingAction):
    """Asks before a thing is hidden, and shows what the episodes would say."""

    template_name = "admin/curation/thing_hide.html"
    title = "{view.model_admin.hide_words}: {view.thing.name}"
    done = "“{view.thing.name}” is hidden; later imports do not bring it back."

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.form = self.get_form()
        return self.page(**self.preview())

    def act(self) -> None:
        curation.hide(self.request.user, self.thing, seen=self.seen_first, reason=self.reason)

    def context(self) -> dict[str, Any]:
        return super().context() | {"hide": self.model_admin.hide_words, "back": row_at(self.row)}


class HiddenView(ActionView):
    """The things of a kind that are hidden, each with the way back."""

    viewers_may_look = True
    template_name = "admin/curation/hidden.html"
    title = "Hidden {view.model_admin.opts.verbose_name_plural}"
    done = "“{view.found}” is shown again."

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.form = self.get_form()
        return self.page()

    def act(self) -> None:
        rows = curation.hidden(self.model_admin.kind)
        row = rows.filter(pk=number_in(self.request, "back")).first()
        if row is None:
            raise curation.Impossible("It is shown already.")
        self.found = row.detail or row.key
        curation.end_correction(self.request.user, row)

    def get_success_url(self) -> str:
        return reverse(f"admin:episodes_{self.model_admin.opts.model_name}_hidden")

    def context(self) -> dict[str, Any]:
        return {
            "rows": curation.hidden(self.model_admin.kind),
            "words": self.model_admin.words_hidden(),
        }


class ThingAdmin(ReadOnly):
    """A table of things that are corrected by their natural keys: rows are the catalog's, and only
    looked at."""

    kind: ClassVar[str]
    key_field: ClassVar[str]
    mentions: ClassVar[type[Model]]  # what episodes say of things, in `column`
    column: ClassVar[str]
    inner_order: ClassVar[Sequence[str]]  # of several in one episode
    thing_form: Any
    joins = False
    hide_words = "Hide"
    tools = (("hidden", "Hidden"),)

    def worded(self, mention: Any) -> str:
        """The thing as an episode shows it."""
        raise NotImplementedError

    def said(self, **of: Any) -> list[tuple[Episode, str]]:
        """Episodes with what they say of each thing of the kind, or of some, in order."""
        rows: Any = self.mentions._default_manager.filter(**of).select_related(
            "episode", self.column
        )
        shown = rows.defer(*(f"episode__{name}" for name in UNSHOWN))
        order = ("-episode__sorted_at", "episode", *self.inner_order)
        return [(row.episode, self.worded(row)) for row in shown.order_by(*order)]

    def uses(self, row: Any) -> list[tuple[Episode, str]]:
        """The episodes of one thing, with what they say of it."""
        return self.said(**{self.column: row})

    def facts(self, row: Any) -> list[tuple[str, str]]:
        """What is known of a thing beside what can be corrected."""
        return []

    def words_hidden(self) -> list[tuple[str, str]]:
        """Further things that are hidden by configuration: a show and its words."""
        return []

    def address_of(self, thing: Thing) -> str:
        rows = self.model._default_manager.filter(**{self.key_field: thing.key})
        row = rows.first()
        return row_at(row) if row else listing(str(self.opts.model_name))

    def has_curate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(CURATE)

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return self.respond(ThingView, request, object_id=object_id)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        return HttpResponseRedirect(
            listing("change", f"?about={Thing.of(row).about}" if row else "")
        )


SCREENS = (
    ("hide", "<path:object_id>/hide/", HideView),
    ("hidden", "hidden/", HiddenView),
)
