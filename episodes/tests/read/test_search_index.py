"""The search index is never stale: whatever writes, it is what an index made from scratch would be."""

import unicodedata
from collections.abc import Callable, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import example, given, settings
from hypothesis import strategies as st

from episodes.migrations import _search as index
from episodes.models import (
    CodeName,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Link,
    Person,
    Podcast,
    Topic,
    Transcript,
)
from episodes.search import engine as search
from episodes.search import prepare_query, search_episodes
from episodes.search import terms as search_terms
from episodes.text.search_letters import fold_for_search

from .pages import found

pytestmark = [pytest.mark.usefixtures("catalog"), pytest.mark.on_both]

WORDS = [
    "C++", "__torch_function__", "torch.nn", "naïve", "Straße", "ꙮ", "", "'quoted\"", "#12", "日本", "a", "½",
    "\\n {} %s $$",
]  # fmt: skip


def sql(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return sorted(map(tuple, cursor.fetchall()), key=str)


def entries() -> list[tuple[Any, ...]]:
    if connection.vendor == "sqlite":
        sql("INSERT INTO episodes_searchtext (episodes_searchtext) VALUES ('integrity-check')")
        return rows("SELECT rowid, * FROM episodes_searchtext")
    return rows("SELECT kind, row_id, words::text FROM episodes_searchtext")


def words() -> set[str]:
    return {term for (term,) in rows("SELECT term FROM episodes_searchword")}


def from_scratch() -> tuple[list[tuple[Any, ...]], set[str]]:
    if connection.vendor == "postgresql":
        sql("SET CONSTRAINTS ALL IMMEDIATE")
    index.create(None, SimpleNamespace(connection=connection))
    return entries(), words()


def text(chance: Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randrange(4)))


def any_of(model, chance: Random):
    return chance.choice(list(model.objects.order_by("pk")) or [None])


def episode(chance: Random, **fields: object) -> Episode:
    last = Episode.objects.order_by("-order")[0].order if Episode.objects.exists() else 0
    step = chance.randrange(1, 10**6)
    return Episode(podcast=Podcast.objects.get(), slug=f"s{last + step}", order=last + step, **fields)


def a_save(chance: Random) -> None:
    episode(chance, title=text(chance), description_text=text(chance)).save()


def a_bulk_create(chance: Random) -> None:
    made = [episode(chance, title=text(chance), number=n) for n in range(1, 4)]
    for place, row in enumerate(made):
        row.order += place
        row.slug += f"-{place}"
    Episode.objects.bulk_create(made)


def an_upsert(chance: Random) -> None:
    there = any_of(Episode, chance)
    if there:
        there.title, there.description_text = text(chance), text(chance)
        fields = ["title", "description_text"]
        Episode.objects.bulk_create([there], update_conflicts=True, unique_fields=["id"], update_fields=fields)


def an_update(chance: Random) -> None:
    some = Episode.objects.filter(order__gt=chance.randrange(90)).values("pk")[:5]
    Episode.objects.filter(pk__in=[row["pk"] for row in some]).update(
        title=text(chance), number=chance.choice([None, 7])
    )


def a_delete(chance: Random) -> None:
    Episode.objects.filter(pk=getattr(any_of(Episode, chance), "pk", 0)).delete()


def a_delete_of_all(chance: Random) -> None:
    Episode.objects.all().delete()
    Link.objects.filter(mentions__isnull=True).delete()


def a_topic(chance: Random) -> None:
    topic = any_of(Topic, chance)
    if topic:
        topic.name, topic.aliases = text(chance)[:100], [text(chance), text(chance)]
        topic.save()
        Topic.objects.filter(pk=any_of(Topic, chance).pk).delete()


def a_link(chance: Random) -> None:
    kind = chance.choice(["github-pr", "github-issue", "github-commit", "other"])
    made = Link.objects.create(key=f"gh:a/b#{chance.random()}", kind=kind, title=text(chance))
    Link.objects.filter(pk=made.pk).update(kind="paper", title=text(chance))


def names_and_people(chance: Random) -> None:
    CodeName.objects.bulk_create([CodeName(slug=f"n{chance.random()}", name=f"a.{chance.random()}") for _ in range(3)])
    Person.objects.create(slug=f"p{chance.random()}", name=text(chance))
    Person.objects.filter(pk=any_of(Person, chance).pk).update(name=text(chance))
    CodeName.objects.order_by("pk")[0].delete()


def a_transcript(chance: Random) -> None:
    of = any_of(Episode, chance)
    if of:
        fields = {"text": text(chance), "url": "", "cues": []}
        Transcript.objects.update_or_create(episode=of, defaults=fields)


def raw_statements(chance: Random) -> None:
    sql("UPDATE episodes_episode SET title = %s WHERE id %% 7 = 3", text(chance))
    uncredited = "SELECT min(id) FROM episodes_person WHERE id NOT IN (SELECT person_id FROM episodes_credit)"
    sql(f"UPDATE episodes_person SET id = (SELECT max(id) + 1000 FROM episodes_person) WHERE id = ({uncredited})")
    sql("DELETE FROM episodes_transcript")
    columns = "slug, name, identity, url, image_url, episode_count"
    sql(f"INSERT INTO episodes_person ({columns}) VALUES (%s, 'Bo', '', '', '', 0) ON CONFLICT DO NOTHING", "bo")


def a_change_that_is_taken_back(chance: Random) -> None:
    with transaction.atomic():
        point = transaction.savepoint()
        an_update(chance)
        a_delete(chance)
        transaction.savepoint_rollback(point)


WRITES: list[Callable[[Random], None]] = [
    a_save, a_bulk_create, an_upsert, an_update, a_delete, a_delete_of_all,
    a_topic, a_link, names_and_people, a_transcript, raw_statements, a_change_that_is_taken_back,
]  # fmt: skip


@settings(max_examples=20)
@example([each for each in WRITES if each is not a_delete_of_all] * 2, 1)
@given(st.lists(st.sampled_from(WRITES), min_size=1, max_size=8), st.integers(0, 10**6))
def test_index_equals_one_from_scratch(writes: Sequence[Callable[[Random], None]], seed: int) -> None:
    with transaction.atomic():
        chance = Random(seed)
        for write in writes:
            write(chance)
        kept, known = entries(), words()
        fresh, needed = from_scratch()
        assert kept == fresh
        assert known >= needed if connection.vendor == "postgresql" else known == needed
        transaction.set_rollback(True)


def test_emptied_table_leaves_no_index() -> None:
    if connection.vendor == "postgresql":
        sql("SET CONSTRAINTS ALL IMMEDIATE")
        sql("TRUNCATE episodes_episode, episodes_topic, episodes_link, episodes_person, episodes_codename CASCADE")
    else:
        for model in (EpisodeLink, EpisodeTopic, Credit, Transcript):
            model.objects.all().delete()
        Episode.objects.all().delete()
        for table in ("topic", "link", "person", "codename"):
            sql(f"DELETE FROM episodes_{table}")
    assert entries() == []


def test_very_long_text_is_no_error() -> None:
    chance = Random(1)
    long = " ".join("".join(chance.choices("abcdefghij𝒳é", k=9)) for _ in range(200_000))
    Episode.objects.filter(slug="vmap").update(description_text=f"walrus {long}", title="x" * 50_000)
    assert found("walrus") == ["vmap"]


def test_queries_are_spelled_as_the_index_is() -> None:
    assert search_terms.TITLE_EDGE == index.EDGE
    assert search.TEXT_KINDS == index.KINDS


# Letters of many scripts, letters that have a plain one, marks, and signs.
LETTERS = (
    "abcXYZß0189éǅİıøÅ" "２０Ａｂ" "H₂O²" "ﬁﬂﬆ" "ⅣⅫⅱ" "½¾⅐" "①⑫" "ｶﾀﾞﾊﾟ" "カタガ第回船" "東京ひら" "한국어ㄱ"
    "Ёёйї" "Ἀθῆνάςϊΐᾳ" "كتابأآٱةﻻﷺ" "שלום" "हिन्दी" "ไทยำ" "ǆǈŉſĳ" "№™℃㈱㍍Ⓐⓩ🄰" "ªº" "Ωµ"
    "\u0301\u0308\u0327\u05b8\u05b0\u064b\u0651\u0640\u0670\u3099\u00ad\u200d"
    "_-./'’&+#!＃＋（）　・…—⁄ "
)  # fmt: skip


@example("第１２回 ＡＩと船 ｶﾞｷﾞ")
@example("ΑΘΗΝΑΣ Ἀθῆναι C# Ｃ＃ ｃ# c++ Ｃ＋＋ İ")
@given(st.text(st.sampled_from(LETTERS), max_size=30) | st.text(max_size=30))
def test_database_folds_as_queries(text: str) -> None:
    text = text.replace("\0", "")
    with connection.cursor() as cursor:
        cursor.execute("SELECT episodes_search_fold(%s)", [text])
        (folded,) = cursor.fetchone()
    assert folded == fold_for_search(text)


@example("第１２回 ＡＩと船")
@example("Go™ №5 ㈱会社 2½ mc² H₂O ﬂight Ⅳ ｶﾀｶﾅ قصة الكِتَاب שָׁלוֹם Ἀθῆναι")
@example("0ひㄱ")
@example("0\u200d\u093f/0")
@settings(max_examples=60)
@given(st.text(st.sampled_from(LETTERS), min_size=1, max_size=30))
def test_every_word_finds_its_title(title: str) -> None:
    with transaction.atomic():
        Episode.objects.filter(slug="vmap").update(title=title)
        for word in title.split():
            # A tatweel or a voice mark by itself is no word.
            kinds = {unicodedata.category(letter) for letter in unicodedata.normalize("NFKC", word)}
            if kinds & {"Lu", "Ll", "Lt", "Lo", "Nd", "Nl", "No"}:
                found = search_episodes(prepare_query(word))
                assert found.is_complete, word
                assert Episode.objects.get(slug="vmap").pk in found.ids, word
        transaction.set_rollback(True)


KINDS = ("chapter", "link", "name", "notes", "person", "title", "topic", "transcript")


def test_migrations_keep_search_triggers() -> None:
    """SQLite makes a table anew when a migration changes it, and forgets its triggers."""
    table, where = {
        "sqlite": ("sqlite_master", "type = 'trigger'"),
        "postgresql": ("(SELECT tgname AS name FROM pg_trigger) triggers", "1 = 1"),
    }[connection.vendor]
    made = {name for (name,) in rows(f"SELECT name FROM {table} WHERE {where}")}
    assert {f"episodes_search_{kind}_{act}" for kind in KINDS for act in ("insert", "update", "delete")} <= made


@pytest.mark.parametrize(
    "title, other_title, words",
    [
        ("दिन की कहानी", "दान का कहना", ["दिन", "कहानी", "कहा"]),
        ("பாடல் வரிகள்", "பிடல் வாரிகள்", ["பாடல்", "வரிகள்", "வரி"]),
        ("ที่ดิน วันนี้", "ทดนา วนานา", ["ที่ดิน", "วันนี้", "ดิน"]),
        (
            "\u0dc1\u0dca\u200d\u0dbb\u0dd3 ලංකා",
            "ශිර",
            ["\u0dc1\u0dca\u200d\u0dbb\u0dd3", "\u0dc1\u0dca\u0dbb\u0dd3", "ලංකා"],
        ),
        ("❤️Springs 1️⃣", "Sprigs", ["springs", "❤️Springs", "1"]),
    ],
)
def test_vowel_marks_are_parts_of_words(title: str, other_title: str, words: list[str]) -> None:
    Episode.objects.filter(slug="vmap").update(title=title)
    Episode.objects.exclude(slug="vmap").update(title=other_title, number=None, description_text="")
    for word in words:
        assert found(word) == ["vmap"], word
