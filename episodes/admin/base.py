"""What the admin's screens share: read-only tables, pages of our own in its frame, and verbs whose refusals are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import quote
from django.contrib.admin.views.main import ChangeList
from django.db import DatabaseError
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse

from ..curation import Conflict, Impossible, Stale, led_to
from ..models import Attachment, Episode, Item, Podcast, Source

Crumbs = Sequence[tuple[str, str]]
LONGEST_ID = 18  # digits that every database takes for a number


class ListingAdmin(ChangeList):
    """A list of rows. A filter in its address that the database cannot make sense of is as wrong as one that Django
    cannot read, and ends like it: back at the list with a note."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        try:
            super().__init__(*arguments, **named)
        except (DatabaseError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise IncorrectLookupParameters(error) from error


class Guarded(admin.ModelAdmin):
    """Base of every screen of a table: a list that no address breaks or keeps busy."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ListingAdmin

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """No regular expressions: one can keep the database busy for hours."""
        return not {"regex", "iregex"} & set(lookup.split("__")) and super().lookup_allowed(lookup, value, request)


class ReadOnly(Guarded):
    """A screen for evidence or catalog, which the admin must not write (docs/design.md: one writer for each kind)."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SourceFilter(admin.RelatedFieldListFilter):
    """The sources to choose from, each with its show where there are several."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, Any]]:
        several = Podcast.objects.several()
        rows = Source.objects.select_related("podcast").order_by("podcast__slug", "rank", "slug")
        return [(str(row.pk), row.name(several=several)) for row in rows]


class ReadOnlyInline(admin.TabularInline):
    """Rows of another table under a read-only one."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def screen(
    owner: admin.ModelAdmin, request: HttpRequest, template: str, title: str, crumbs: Crumbs = (), **more: Any
) -> TemplateResponse:
    """A page of our own in the admin's frame. Its template extends `admin/curation/base.html`."""
    context = {
        **owner.admin_site.each_context(request),
        "opts": owner.opts,
        "title": title,
        "crumbs": crumbs,
        "may_curate": request.user.has_perm("episodes.curate"),
        **more,
    }
    return TemplateResponse(request, f"admin/curation/{template}.html", context)


def attempt(request: HttpRequest, act: Callable[[], object], done: str) -> Exception | None:
    """Do it and say so; or say why not, and give the refusal."""
    try:
        act()
    except (Impossible, Stale, Conflict) as refusal:
        messages.error(request, str(refusal))
        return refusal
    if done:
        messages.success(request, done)
    return None


def said_in(request: HttpRequest, name: str, longest: int = 2000) -> str:
    """A short value that a form or an address carries, without what no database takes."""
    value = request.POST.get(name, "") if request.method == "POST" else request.GET.get(name, "")
    return value.replace("\0", "").strip()[:longest]


def listing(model: str, query: str = "") -> str:
    return reverse(f"admin:episodes_{model}_changelist") + query


def page_of(episode: Episode, name: str = "change") -> str:
    """A screen about an episode, by its address: the row's number is another after the address has changed."""
    return reverse(f"admin:episodes_episode_{name}", args=(quote(episode.slug),))


def episode_at(address: str) -> Episode | None:
    """The episode that has this address, or had it, or whose row has this number."""
    address = address.replace("\0", "")[:300]
    episodes = Episode.objects.select_related("podcast")
    found = episodes.filter(slug=address).first()
    found = found or led_to(address)
    if found is not None:
        return found
    return episodes.filter(pk=int(address)).first() if is_id(address) else None


def lot_at(name: str) -> str:
    """The screen of what was changed together under a name; "" for nothing."""
    return reverse("admin:episodes_episode_several_done") + (f"?lot={name}" if name else "")


def is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= LONGEST_ID


def episode_of(item: Item | None) -> Episode | None:
    """The episode that an entry belongs to now."""
    attachment = Attachment.objects.filter(item=item).select_related("episode__podcast").first() if item else None
    return attachment.episode if attachment else None
