"""Admin screen of links: what notes point to, whether it was still there when it was asked for, and
since when not."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import Min, OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from ..curation import Thing
from ..models import EpisodeLink, Link, LinkCheck
from ..text.link_labels import KINDS, ONE, named
from .base import Option, OptionsFilter, WordsFilter, date, listing
from .configuration import row_at
from .corrections import SCREENS, ThingAdmin
from .inbox_kinds import links_in_trouble

SHOWN = ("outcome", "asked_at", "failures", "failing_since", "note")


class LinkTroubleFilter(OptionsFilter):
    """The links that are gone or were not reached time after time, and those that nobody asked for
    yet."""

    title, parameter_name = "links in trouble", "trouble"
    options: ClassVar[dict[str, Option]] = {
        "yes": ("Yes", lambda rows: rows.filter(pk__in=links_in_trouble().order_by().values("pk"))),
        "unasked": (
            "Not checked yet",
            lambda rows: rows.exclude(key__in=LinkCheck.objects.order_by().values("key")),
        ),
    }


class LinkKindFilter(WordsFilter):
    """The kinds of links."""

    def in_words(self, value: str) -> str:
        return KINDS.get(value, value)


def archived(link: Link) -> str:
    """The address at which the Internet Archive may have what a link led to when an episode first
    named it."""
    first = link.mentions.aggregate(at=Min("episode__published_at"))["at"]
    address = (
        link.mentions.order_by("episode__order").values_list("url", flat=True).first() or link.key
    )
    return f"https://web.archive.org/web/{f'{first:%Y%m%d}' if first else '2'}/{address}"


class LinkCorrectionForm(forms.Form):
    label = forms.CharField(
        required=False, max_length=300, help_text="Empty: the words of the notes or the address."
    )
    kind = forms.ChoiceField(required=False)
    replacement = forms.CharField(
        required=False,
        max_length=2000,
        help_text="Where it leads instead, for example a copy of a dead page in an archive.",
    )

    def __init__(self, *args: Any, row: Link, thing: Thing, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        there = dict(thing.corrections().values_list("field", "value"))
        automatic = (
            "automatic" if "kind" in there else f"automatic ({ONE.get(row.kind, row.kind).lower()})"
        )
        self.fields["kind"].choices = [("", automatic), *((kind, ONE[kind]) for kind in KINDS)]  # type: ignore[attr-defined]
        self.initial = {name: there.get(name, "") for name in self.fields}
        self.proposed = "" if row.replacement else archived(row)

    def values(self) -> dict[str, str]:
        proposed = (
            {"replacement": self.proposed} if self.proposed and "use_proposed" in self.data else {}
        )
        return {**self.cleaned_data, **proposed}


@admin.register(Link)
class LinkAdmin(ThingAdmin):
    kind, key_field = "link", "key"
    mentions, column, inner_order = EpisodeLink, "link", ("position",)
    thing_form = LinkCorrectionForm
    screens = SCREENS
    list_display = ("key", "title", "kind_name", "state", "asked")
    list_filter = (LinkTroubleFilter, ("kind", LinkKindFilter))
    search_fields = ("key", "title")
    show_facets = admin.ShowFacets.ALWAYS

    def get_queryset(self, request: HttpRequest) -> QuerySet[Link]:
        check = LinkCheck.objects.filter(key=OuterRef("key"))
        rows: QuerySet[Link] = super().get_queryset(request)
        return rows.annotate(**{name: Subquery(check.values(name)[:1]) for name in SHOWN})

    def facts(self, row: Link) -> list[tuple[str, str]]:
        asked = self.asked(row)
        status = self.state(row) + (f", checked {asked}" if asked else "")
        facts = (("Key", row.key), ("Status", status), ("Answer", self.answer(row)))
        return [(name, value) for name, value in facts if value]

    def worded(self, mention: EpisodeLink) -> str:
        link = mention.link
        instead = f", leads to {link.replacement}" if link.replacement else ""
        name = link.title or mention.text or named(link.key).whole
        return f"{name} ({ONE.get(link.kind, link.kind).lower()}{instead})"

    def address_of(self, thing: Thing) -> str:
        """A link's key is spelled as its shows spell it."""
        rows = Link.objects.filter(key__iexact=thing.key)
        row = next((row for row in rows if Thing.of(row).key == thing.key), None)
        return row_at(row) if row else listing("link")

    @admin.display(description="status", ordering="outcome")
    def state(self, link: Any) -> str:
        match link.outcome:
            case None:
                return "not checked yet"
            case "there":
                return "there"
            case "gone":
                return f"gone since {date(link.failing_since)}"
        day = f"{date(link.failing_since)}"
        return (
            f"unreachable on {day}"
            if link.failures == 1
            else f"unreachable {link.failures} times since {day}"
        )

    @admin.display(description="kind", ordering="kind")
    def kind_name(self, link: Any) -> str:
        return ONE.get(link.kind, str(link.kind))

    @admin.display(description="checked", ordering="asked_at")
    def asked(self, link: Any) -> str | None:
        return date(link.asked_at) if link.asked_at else None

    @admin.display(description="answer")
    def answer(self, link: Any) -> str:
        return link.note or ""
