"""The words of the admin's lists: no raw values, one style of dates, one name for one thing."""

import re
from collections.abc import Iterable

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

from episodes import curation
from episodes.curation import CorrectionSubject
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
    doubtful_show()
    curator = User.objects.get(username="carla")
    curation.override_fields(curator, episode(1), {"title": "Ladders 1", "duration_seconds": "825"})
    curation.add_list_entry(curator, episode(1), "person", "nora@small-talks", "guest Nora Body")
    curation.add_list_entry(curator, episode(1), "link", "https://example.org/added", "words")
    source, key = Item.objects.filter(attachment__episode=episode(2)).values_list("document__source__slug", "key")[0]
    curation.add_list_entry(curator, episode(1), "reference", f"{source} {key}", "see-also")
    curation.remove_list_entry(curator, episode(0), "topic", "household")
    first, second = Held.objects.order_by("item_id")[:2]
    curation.decide_match(curator, first.item, "different", episode(0))
    curation.decide_match(curator, second.item, "new")
    curation.withdraw_episode(curator, episode(3), "hidden")
    Decision.objects.create(kind="dismissal", key="gh:small/talks#1", field="link", value="b", detail="A link")
    Decision.objects.create(kind="refusal", podcast=Podcast.objects.all()[0], key="tin", detail="Tin")
    curation.save_corrections(curator, CorrectionSubject.from_row(Person.objects.all()[0]), {"name": "Nora B."})


@pytest.fixture
def root(db: None) -> Client:
    return logged_in(User.objects.create_superuser("root"))


def listed(page: str) -> str:
    parts = LexborHTMLParser(page).css("#content, .breadcrumbs, title")
    text = " ".join(part.text(separator=" ") for part in parts)
    return re.sub(r"\s+", " ", text).replace("Podcast catalog", "")


def at(model: type[Model], name: str = "changelist", *args: object) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_{name}", args=args)


def wrong_words(model: type[Model], text: str, kinds: Iterable[str]) -> list[str]:
    """Words of a screen that are not plain, each with a few letters around it."""
    return [
        f"{model.__name__}, {kind}: {words}"
        for kind in kinds
        for words in re.findall(f".{{0,30}}(?:{WRONG[kind]}).{{0,30}}", text, re.IGNORECASE)[:3]
    ]


def test_lists_use_plain_words_and_labels(decided: Podcast, root: Client) -> None:
    found = []
    for model in MODELS:
        page = said(root.get(at(model)))
        found += wrong_words(model, listed(page), WRONG)
        table = LexborHTMLParser(page)
        heads = [
            head.text(strip=True) for head in table.css("#result_list thead th:not(.action-checkbox-column) .text")
        ]
        for row in table.css("#result_list tbody tr")[:1]:
            labels = [cell.attributes.get("data-label") for cell in row.css("td:not(.action-checkbox), th")]
            assert labels == heads, model
    assert found == []


def test_rows_use_plain_words(decided: Podcast, root: Client) -> None:
    found, titles = [], set()
    for model in MODELS:
        for row in model._default_manager.all()[:1]:
            text = listed(said(root.get(at(model, "change", row.pk), follow=True)))
            found += wrong_words(model, text, WRONG if model is Decision else ["raw JSON"])
    assert found == []
    for row in Decision.objects.all():
        (title,) = LexborHTMLParser(said(root.get(at(Decision, "change", row.pk)))).css("#content h1")
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
