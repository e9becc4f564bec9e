"""Admin screen of the people who are heard: names, aliases, page and photo, merged, and those who
are no people."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from ..curation import Thing
from ..models import Credit, Person
from .corrections import SCREENS, ThingAdmin, ThingJoinView
from .topics import TermLines

MOST_ALIASES = 50


class PersonForm(forms.Form):
    name = forms.CharField(
        required=False, max_length=300, help_text="Empty: the fullest name that the notes use."
    )
    aliases = TermLines(
        MOST_ALIASES,
        300,
        help_text="Other names that the notes use, one per line. Also applied to future imports.",
    )
    url = forms.CharField(required=False, max_length=2000, label="Web page")
    image = forms.CharField(
        required=False,
        max_length=2000,
        label="Photo",
        help_text="The address of an image. It is fetched with the next import of a live feed.",
    )

    def __init__(self, *args: Any, row: Person, thing: Thing, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        there = dict(thing.corrections().values_list("field", "value"))
        self.initial = {name: there.get(name, "") for name in self.fields}
        # What another of their identities brought is theirs as well.
        self.initial |= {"url": row.url, "image": row.image_url, "name": row.name}
        self.initial["aliases"] = "\n".join(other.detail for other in thing.others())
        self.shown = row.name

    def values(self) -> dict[str, str]:
        """Values that were changed in the form: a name that stays as the notes have it goes on
        following them."""
        return {
            name: self.cleaned_data[name]
            for name in ("name", "url", "image")
            if name in self.changed_data
        }


@admin.register(Person)
class PersonAdmin(ThingAdmin):
    kind, key_field = "person", "identity"
    mentions, column, inner_order = Credit, "person", ("person__name", "role")
    thing_form = PersonForm
    joins = True
    hide_words = "Not a person"
    screens = (*SCREENS, ("merge", "<path:object_id>/merge/", ThingJoinView))
    list_display = ("name", "episode_count", "slug", "identity", "url")
    search_fields = ("name", "slug", "identity", "credits__credited_as")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Person]:
        rows: QuerySet[Person] = super().get_queryset(request)
        return rows.order_by("name", "slug")

    def facts(self, row: Person) -> list[tuple[str, str]]:
        return [("Identity", row.identity), ("Address", row.get_absolute_url())]

    def worded(self, credit: Credit) -> str:
        other = credit.credited_as not in ("", credit.person.name)
        role = f"{credit.role}, credited as {credit.credited_as}" if other else credit.role
        return f"{credit.person.name} ({role})"
