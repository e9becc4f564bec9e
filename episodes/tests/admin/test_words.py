"""The words of the admin's lists: no raw values, one style of dates, one name for one thing."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

from episodes.curation import (
    CorrectionSubject,
    add_list_entry,
    decide_match,
    override_fields,
    remove_list_entry,
    save_corrections,
    withdraw_episode,
)
from episodes.models import Decision, Held, Item, Person, Podcast

from ..kept import made_once
from .conftest import doubtful_show, episode, logged_in, said

# The screen of the queue on PostgreSQL is that of its library.
OWN = (model for model in admin.site._registry if model._meta.app_label != "procrastinate")
MODELS = sorted(OWN, key=lambda model: model.__name__)
WRONG = {
    "raw JSON": r"[{\[]['\"&]|&#x27;:|\{\}",
    "another style of dates": r"\b[ap]\.m\.|\bNov\. |\b20\d\d-\d\d-\d\d\b",
    "an item key": r"url:https?://|guid:|small-\d|odd-\d",
    "another name for a thing": r"\bpodcasts?\b|ingest run|persons|audio url|published at|description truncated|\breadings?\b|to view\b",
}


@pytest.fixture
def decided(curator: User) -> Podcast:
    made_once(decisions, curator)
    return Podcast.objects.get()


def decisions() -> None:
    """Decisions of every kind."""
    doubtful_show()
    curator = User.objects.get(username="carla")
    override_fields(curator, episode(1), {"title": "Ladders 1", "duration_seconds": "825"})
    add_list_entry(curator, episode(1), "person", "nora@small-talks", "guest Nora Body")
    add_list_entry(curator, episode(1), "link", "https://example.org/added", "words")
    source, key = Item.objects.filter(attachment__episode=episode(2)).values_list("document__source__slug", "key")[0]
    add_list_entry(curator, episode(1), "reference", f"{source} {key}", "see-also")
    remove_list_entry(curator, episode(0), "topic", "household")
    first, second = Held.objects.order_by("item_id")[:2]
    decide_match(curator, first.item, "different", episode(0))
    decide_match(curator, second.item, "new")
    withdraw_episode(curator, episode(3), "hidden")
    Decision.objects.create(kind="dismissal", key="gh:small/talks#1", field="link", value="b", detail="A link")
    Decision.objects.create(kind="refusal", podcast=Podcast.objects.all()[0], key="tin", detail="Tin")
    save_corrections(curator, CorrectionSubject.from_row(Person.objects.all()[0]), {"name": "Nora B."})


@pytest.fixture
def root(db: None) -> Client:
    return logged_in(User.objects.create_superuser("root"))


def listed(page: str) -> str:
    """The words of a list: its title, its table, its filters and its crumbs."""
    parts = LexborHTMLParser(page).css("#content, .breadcrumbs, title")
    text = " ".join(part.text(separator=" ") for part in parts)
    return re.sub(r"\s+", " ", text).replace("Podcast catalog", "")


def at(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")


def test_lists_use_plain_words_and_labels(decided: Podcast, root: Client) -> None:
    found = {}
    for model in MODELS:
        page = said(root.get(at(model)))
        text = listed(page)
        for what, pattern in WRONG.items():
            if where := re.findall(f".{{0,30}}(?:{pattern}).{{0,30}}", text, re.IGNORECASE):
                found[model.__name__, what] = where[:3]
        table = LexborHTMLParser(page)
        heads = [
            head.text(strip=True) for head in table.css("#result_list thead th:not(.action-checkbox-column) .text")
        ]
        for row in table.css("#result_list tbody tr")[:1]:
            labels = [cell.attributes.get("data-label") for cell in row.css("td:not(.action-checkbox), th")]
            if labels != heads:
                found[model.__name__, "labels"] = labels
    assert not found, "\n".join(f"{key}: {value}" for key, value in found.items())


def test_rows_use_plain_words(decided: Podcast, root: Client) -> None:
    found = {}
    for model in MODELS:
        for row in model._default_manager.all()[:1]:
            where = reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_change", args=(row.pk,))
            text = listed(said(root.get(where, follow=True)))
            kinds = WRONG if model is Decision else ("raw JSON",)
            for name in kinds:
                if wrong := re.findall(f".{{0,30}}(?:{WRONG[name]}).{{0,30}}", text, re.IGNORECASE):
                    found[model.__name__, name] = wrong[:3]
    assert not found, "\n".join(f"{key}: {value}" for key, value in found.items())


def test_decision_page_has_plain_title(decided: Podcast, root: Client) -> None:
    titles = set()
    for row in Decision.objects.all():
        where = reverse("admin:episodes_decision_change", args=(row.pk,))
        (title,) = LexborHTMLParser(said(root.get(where))).css("#content h1")
        titles.add(title.text())
    assert {
        "Ladders 1: Title: Ladders 1",
        "Ladders 1: added: guest Nora Body",
        "Ladders 1: added: words",
        "All about kettles 0: removed: household",
        "All about needles 3: Hidden: all-about-needles-3",
    } <= titles
    assert any(": Name: " in title for title in titles)
    assert not [title for title in titles if re.search(WRONG["an item key"], title)]


def test_entry_heading_falls_back_to_key(decided: Podcast) -> None:
    item = Item.objects.get(key="guid:small-1")
    named = []
    for payload in ({"title": "Springs", "text": "w" * 81}, {"text": "w" * 81}, {}):
        item.revisions.update(payload=payload)
        named.append(Item.objects.get(pk=item.pk).heading)
    assert named == ["Springs", "w" * 80, "guid:small-1"]
