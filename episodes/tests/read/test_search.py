"""Searching: what is found, in which order, what is marked, and what helps where nothing is found."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from pathlib import Path

import pytest
from django.db import OperationalError, connections
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.test import Client
from django.urls import reverse
from hypothesis import example, given, settings
from hypothesis import strategies as st

from episodes.models import Chapter, Credit, Episode, EpisodeLink, EpisodeTopic, Link, Person, Topic, Transcript
from episodes.search import (
    corrections,
    excerpts,
    find_name_matches,
    find_term_numbers,
    iterate_matching_corrected_queries,
    prepare_query,
    search_episodes,
)
from episodes.search import terms as search_terms
from episodes.search.occurrences import find_separate_occurrences
from episodes.search.terms import parse_query
from episodes.templating import mark_excerpt, mark_words
from episodes.text.summaries import shorten_prose
from episodes.views.search_reasons import match_reasons_by_episode

from ..examples import examples
from ..kept import Rows
from ..processes import migrated_file
from ..tables import cases
from .pages import see

CASES = cases("read_search")

pytestmark = pytest.mark.usefixtures("catalog")

# What a reader should meet first, decided by reading the episodes and not by running the search.
KEY = json.loads((Path(__file__).parent.parent / "data" / "search_key.json").read_text())
AS_TYPED = json.loads((Path(__file__).parent.parent / "data" / "search_as_typed.json").read_text())
PLANES = [chr(plane * 0x10000 + place) for plane in range(17) for place in (0x0, 0x41, 0xA66E, 0xFFFD, 0xFFFF)]
HOSTILE = [
    "\x00", "vmap\x00", "\ud800", "\udfff vmap", '"', '""', '"""', "'", "''", "\\", "\\'", "%", "%%s", "%s", "_", "*", "vmap*",
    "^vmap", "title:vmap", "{title}:vmap", "- vmap", "NOT vmap", "vmap NOT", "AND", "OR", "NEAR(vmap jax, 2)", "vmap + jax",
    "a & b", "a | !b", "a <-> b", "vmap:*", "vmap:ABCD", "!vmap", "(vmap", ")", "()", "<2>", "':*'", "' | 'x", "\\:*",
    "$1", "{0}", "{}", "{{ 7|add:7 }}", "-- ", "/* */", ";", "'; DROP TABLE episodes_episode; --", "x" * 10_000,
    "vmap " * 2_000, " ".join(f"w{n}" for n in range(2_000)), "e\u0301" * 300, "\u0301", "ꙮ", "ꙮ vmap ꙮ", "\u202evmap", "\ufeff",
    "क्या", "한국어", "日本語 テスト", "مرحبا", "ﬁ ß İ ı ǆ ½ ² ①", "👩‍👩‍👧‍👦", "1e5", "-5", "1.5e-10", "a@b.c", "http://", "https://a/?b=c#d",
    "C#", "C+++++", "++", "#", "##", "\n\t\r", "\u2028", "\U000e0041", "0" * 200, "½", "“", "„vmap”", "«vmap»", "".join(PLANES),
]  # fmt: skip


def found(text: str) -> list[str]:
    """The slugs of what a query finds, best first."""
    slugs = dict(Episode.objects.values_list("pk", "slug"))
    answer = search_episodes(prepare_query(text))
    if not answer.is_complete:
        return []
    return [slugs[pk] for pk in answer.ids if pk not in answer.missing_terms]


def did_you_mean(text: str) -> str | None:
    """The first correction that some episode holds."""
    return next(filter(found, iterate_matching_corrected_queries(prepare_query(text))), None)


@pytest.mark.parametrize("row", KEY, ids=lambda row: row["query"][:40])
def test_query_finds_expected_first_episode(row) -> None:
    slugs = found(row["query"])
    assert slugs[:1] == ([slugs[0]] if slugs and slugs[0] in row["first"] else [])
    assert bool(slugs) == bool(row["first"])
    meant = None if slugs else did_you_mean(row["query"])
    assert meant == row.get("did_you_mean")


def test_an_exact_title_is_always_first() -> None:
    for episode in Episode.objects.all():
        for words in (f'"{episode.heading}"', f"  {episode.heading.upper()}? "):
            assert found(words)[0] == episode.slug, words


@pytest.mark.parametrize(
    "title", ["C", "C++", "C#", "100%", "🎉 party", "ß", "Ǆ", "x ²", "the who", "日本語", "Épisode", "a"]
)
def test_strange_title_comes_first(title: str) -> None:
    Episode.objects.filter(slug="vmap").update(title=title)
    assert found(title)[0] == "vmap"


@pytest.mark.parametrize("title, query, marked", CASES["a_name_is_found_however_it_is_written"])
def test_name_is_found_in_any_spelling(title: str, query: str, marked: str) -> None:
    Episode.objects.filter(slug="vmap").update(title=title)
    assert ("vmap" in found(query)) == bool(marked)
    assert excerpts.split_around_terms(title, parse_query(query))[1::2] == [marked] * bool(marked)
    Episode.objects.filter(slug="vmap").update(title="x", description_text=title)
    assert ("vmap" in found(query)) == bool(marked)


def test_search_ranks_by_kind_of_match() -> None:
    strides, th, xla, cmake = (Episode.objects.get(slug=s) for s in ("strides", "th", "xla", "cmake"))
    newest = Episode.objects.latest("order")  # of equals it would stand first
    Transcript.objects.create(episode=newest, text="we say kumquat", url="", cues=[])
    Episode.objects.filter(pk=strides.pk).update(description_text="kumquat kumquat kumquat")
    Credit.objects.create(episode=th, person=Person.objects.create(slug="k", name="Kumquat Jones"), role="guest")
    topic = Topic.objects.create(slug="fruit", name="Fruit", aliases=["kumquat"])
    EpisodeTopic.objects.create(episode=xla, topic=topic, term="kumquat", field="title")
    Episode.objects.filter(pk=cmake.pk).update(title="Why a kumquat is not a plum but an orange")
    assert found("kumquats") == ["cmake", "th", "xla", "strides", newest.slug]
    assert found("kumqu") == ["cmake", "th", "xla", "strides", newest.slug]


def test_phrase_matches_within_one_text() -> None:
    assert found('"reference counting"')
    assert not found('"counting reference"')
    assert found("reference count")
    assert not found('"reference coun"')
    Topic.objects.filter(slug="functorch").update(name="alpha", aliases=["beta", "gamma"])
    assert found('"gamma"')
    assert not found('"alpha beta"')
    assert not found('"beta gamma"')


def test_number_finds_episode_and_link() -> None:
    number = Episode.objects.get(slug="vmap").number
    assert found(f"episode {number}")[0] == "vmap"
    assert found("issue 42368") == ["vmap"]
    assert found("#42368") == ["vmap"]
    assert found("issues/42368") == ["vmap"]
    assert "vmap" not in found("PR 42368")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_query_is_an_error(client: Client, text: str) -> None:
    search_episodes(prepare_query(text))
    did_you_mean(text)
    printed = str(mark_excerpt("What is vmap? Søren says <b>C++</b>.", text, ""))
    assert "<b>" not in printed
    assert client.get("/episodes/", {"q": text[:200].encode("utf-8", "replace").decode()}).status_code == 200


@pytest.mark.on_both
@settings(max_examples=60)
@given(
    st.one_of(
        st.text(max_size=60), st.lists(st.sampled_from([*HOSTILE[:50], *PLANES, "vmap", " "]), max_size=8).map("".join)
    )
)
def test_random_query_is_no_error(text: str) -> None:
    if not found(text):
        did_you_mean(text)
    for start, end, term in find_separate_occurrences(text, parse_query(text)):
        assert 0 <= start < end <= len(text)
        assert term < len(parse_query(text).terms)


@pytest.mark.parametrize("typed, words", CASES["words_of_japanese_are_parted_by_hiragana"])
def test_hiragana_separates_japanese_words(typed: str, words: list[str]) -> None:
    assert [term.pieces[0] for term in parse_query(typed).terms] == words


def test_japanese_words_match_anywhere() -> None:
    Episode.objects.filter(slug="vmap").update(description_text="夜の病院で猫が眠る。")
    assert found("病院の猫") == ["vmap"]
    assert found('"病院の猫"') == []


@pytest.mark.on_both
@pytest.mark.parametrize("name, value", CASES["search_combines_with_every_filter"])
@pytest.mark.parametrize("words", ["autograd", pytest.param("C++", marks=pytest.mark.long)])
def test_search_combines_with_every_filter(client: Client, words: str, name: str, value: str) -> None:
    def all_entries(**query: str) -> set[str]:
        pages = range(1, -(-see(client, "/episodes/", **query).total // 25) + 1)
        return {entry for page in pages for entry in see(client, "/episodes/", **query, page=page).entries}

    both = all_entries(q=words, **{name: value})
    assert both == all_entries(q=words) & all_entries(**{name: value})


def test_slow_correction_is_skipped(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def takes_long(beginnings, **lengths):
        slow = sqlite3.OperationalError("interrupted")
        slow.sqlite_errorcode = sqlite3.SQLITE_INTERRUPT
        raise OperationalError("interrupted") from slow

    assert "Showing " in client.get("/episodes/", {"q": "dispacher"}).content.decode()
    monkeypatch.setattr(corrections, "load_words_with_beginnings", takes_long)
    answer = client.get("/episodes/", {"q": "dispacher"})
    assert answer.status_code == 200
    assert "Showing " not in answer.content.decode()


@pytest.mark.parametrize(
    "typed, meant, one, others",
    [("kumquax", "kumquat", "kumquab", "kumquat"), ("kumquat", "kumquot", "kumquot", "lumquat")],
)
def test_likelier_correction_wins(typed: str, meant: str, one: str, others: str) -> None:
    Episode.objects.filter(slug="vmap").update(description_text=one)
    Episode.objects.filter(slug__startswith="c" if meant == others else "xla").update(description_text=others)
    assert did_you_mean(typed) == meant


@pytest.mark.parametrize("text, typed, meant", CASES["wrong_words_are_corrected"])
def test_wrong_words_are_corrected(text: str, typed: str, meant: str) -> None:
    Episode.objects.filter(slug="vmap").update(description_text=text)
    assert did_you_mean(typed) == (meant or None)


@pytest.mark.parametrize("query, found", [("한국", True), ("서울", True), ("국어", False)])
def test_korean_words_are_found_without_their_particles(query: str, found: bool, client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(title="한국어로 서울에서")
    listed = client.get("/episodes.json", {"q": query}).json()["items"]
    assert [one["title"] for one in listed] == ["한국어로 서울에서"] * found


@pytest.mark.on_both
@pytest.mark.parametrize("query", ["kumquat-peelers", "zzz OR peelers", '"kumquat-peeler"', "zzz OR kumquatpeeler"])
def test_last_word_of_term_may_have_another_form(query: str) -> None:
    Episode.objects.filter(slug="vmap").update(title="The kumquat-peeler")
    assert found(query) == ["vmap"]


@pytest.mark.parametrize("text, words, marks", CASES["a_match_is_marked_where_it_stands"])
def test_matches_are_marked(text: str, words: str, marks: str) -> None:
    assert mark_words(text, words) == marks.replace("[", "<mark>").replace("]", "</mark>")


def test_excerpt_shows_densest_match() -> None:
    text = "vmap " + "filler words " * 60 + "here vmap meets jax, see " + "more filler " * 60
    shown = str(mark_excerpt(text, "jax vmap", ""))
    assert "<mark>vmap</mark> meets <mark>jax</mark>" in shown
    assert len(shown) < 300
    # A card has room for 165 characters, up to the end of a word.
    assert [len(shorten_prose(f"{'x' * n} y", 0)) for n in (163, 164)] == [165, 165]
    assert [shorten_prose(f"{'x' * n} y", 0)[-3:] for n in (163, 164)] == ["x y", "xx…"]


@pytest.mark.parametrize("word", ["kumquat", "plum", "夜"])
def test_excerpt_shows_word_beside_long_address(word: str) -> None:
    text = f"Read https://jam.example/{'jar-' * 50}kumquat-{'jar-' * 50}/ plum {'病院の猫' * 60}夜{'と船' * 60}"
    excerpt = str(mark_excerpt(text, word, ""))
    assert f"<mark>{word}</mark>" in excerpt
    assert len(excerpt) < 200


def test_card_names_hidden_match(client: Client) -> None:
    assert "Pull request: pytorch/pytorch#130935" in see(client, "/episodes/", q="pytorch/pytorch#130935").text
    vmap = Episode.objects.get(slug="vmap")
    Credit.objects.create(episode=vmap, person=Person.objects.create(slug="ada", name="Ada Łukasz"), role="guest")
    Topic.objects.filter(slug="functorch").update(aliases=["pomegranates"])
    Link.objects.filter(key="gh:pytorch/pytorch#42368").update(title="The aardvark issue")
    assert "Guest: Ada <mark>Łukasz</mark>" in see(client, "/episodes/", q="lukasz").html
    assert "Topic: functorch and vmap (<mark>pomegranates</mark>)" in see(client, "/episodes/", q="pomegranate").html
    assert found("aardvark") == ["vmap"]


@pytest.mark.on_both
@pytest.mark.parametrize("words", ["12回", "第12回", "１２回", "カナ", "ai", "船とai", "50%ひ"])
def test_run_of_letters_is_searched_inside(words: str) -> None:
    for column in ("title", "description_text"):
        texts = {column: "第１２回 船とＡＩ とｶﾀｶﾅ 50%ひ"}
        Episode.objects.filter(slug="vmap").update(**{"title": "Ropes", "description_text": "Knots."} | texts)
        held = search_episodes(prepare_query(words))
        pk = Episode.objects.get(slug="vmap").pk
        assert pk in held.ids, column
        assert pk not in held.missing_terms, column


@pytest.mark.parametrize("words", ["½", "1/2", "1⁄2"])
def test_half_is_not_twelve(words: str) -> None:
    Episode.objects.filter(slug="vmap").update(title="½ a rope")
    Episode.objects.filter(slug="th").update(title="12 ropes")
    assert "vmap" in found(words)
    assert "th" not in found(words)


@pytest.mark.on_both
def test_every_search_folds_alike(client: Client) -> None:
    vmap = Episode.objects.get(slug="vmap")
    topic = Topic.objects.create(slug="tides", name="Ⅳ ﬂood", aliases=["ﬁrth"])
    link = Link.objects.create(key="https://a.example/1", kind="other", title="The ﬂoes", episode_count=1)
    person = Person.objects.create(slug="ioanna", name="Ἰωάννα Ｋ", episode_count=1)
    EpisodeTopic.objects.create(episode=vmap, topic=topic, term="", field="text")
    EpisodeLink.objects.create(episode=vmap, link=link, position=99, url="https://a.example/1")
    Credit.objects.create(episode=vmap, person=person, role="guest")
    for words in ("flood", "firth", "floes", "ιωαννα"):
        assert found(words) == ["vmap"], words
        assert "option" in client.get("/search/suggest", {"q": words}).content.decode(), words
    assert "The ﬂoes" in see(client, "/links/", q="FLOES").text
    assert "Ἰωάννα" in see(client, "/people/", q="ιωαννα k").text
    hits = [name for _, name, *_ in find_name_matches(prepare_query("flood"), 3)]
    assert hits == ["Ⅳ ﬂood"]


@pytest.fixture
def other(kept_rows: Rows, tmp_path: Path) -> Iterator[str]:
    """The same catalog in SQLite, beside the database that is tested."""
    migrated_file(tmp_path / "other.sqlite3")
    sqlite = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "other.sqlite3"), "OPTIONS": {}}
    connections["other"] = DatabaseWrapper(connections["default"].settings_dict | sqlite, "other")
    try:
        for model, rows in kept_rows:
            names = [field.attname for field in model._meta.concrete_fields]
            there = model._default_manager.using("other")
            there.all().delete()
            there.bulk_create([model.from_db("other", names, [getattr(row, name) for name in names]) for row in rows])
        yield "other"
    finally:
        connections["other"].close()
        del connections["other"]


def in_both(other: str, look: Callable[[], object]) -> list[object]:
    """What `look` gives in the database that is tested, and in the other one in its place."""
    tested = connections["default"]
    answers = [look()]
    try:
        connections["default"] = connections[other]
        answers.append(look())
    finally:
        connections["default"] = tested
    return answers


@pytest.mark.on_both
@pytest.mark.only_on("postgresql")
def test_both_databases_find_the_same(other: str) -> None:
    titles = Episode.objects.values_list("title", flat=True)
    texts = Episode.objects.values_list("description_text", flat=True)
    notes = [" ".join(text.split()[n : n + 2]) for text in texts for n in (0, 7)]
    of_the_catalog = [*titles, *notes][:: examples(3, 1)]

    def both(text: str) -> object:
        return found(text), did_you_mean(text)

    for text in [row["query"] for row in KEY] + of_the_catalog + HOSTILE[:60]:
        here, there = in_both(other, partial(both, text))
        assert here == there, text

    def answer(text: str) -> object:
        of_text = search_episodes(prepare_query(text))
        return of_text.ids, of_text.missing_terms, find_name_matches(of_text.prepared_query, 9)

    for text in [*AS_TYPED["exact"], *AS_TYPED["vague"], "s2e5", "may 2021", "cuda 2021 under 15 min zebra"]:
        here, there = in_both(other, partial(answer, text))
        assert here == there, text


TEXTS = st.text(st.sampled_from("abT. _+#-\n&<>\"'é—1\t\x00"), max_size=40)


@example("aa1")  # a word made of two pieces
@given(TEXTS)
def test_every_word_of_a_text_finds_it(text: str) -> None:
    for word, *_ in search_terms.folded_words_with_offsets(text):
        query = parse_query(word)
        searched = {number for number, term in enumerate(query.terms) if not term.title_only}
        assert find_term_numbers(text, query) == searched


@pytest.mark.parametrize(
    "text, pieces",
    [("हिन्दी-गीत", ("हिन्दी", "गीत")), ("a\u0327b c", ("a\u0327b", "c")), ("_\u0327_", ()), ("C++14", ("C", "14"))],
)
def test_combining_marks_stay_with_letters(text: str, pieces: tuple[str, ...]) -> None:
    assert search_terms.split_folded(text) == pieces


def test_first_matching_chapter_is_the_reason() -> None:
    vmap = Episode.objects.for_list().get(slug="vmap")
    for start in (90, 30, 60):
        Chapter.objects.create(episode=vmap, start=start, title=f"Zebras at {start}")
    ((reason,),) = match_reasons_by_episode([vmap], "zebras").values()
    assert reason.label == "Chapter at 0:30"


def test_pr_means_pull_request() -> None:
    vmap = Episode.objects.for_list().get(slug="vmap")
    vmap.mentions.all().delete()
    for position, kind in enumerate(("github-issue", "github-pr")):
        link = Link.objects.create(key=f"gh:loom/loom#{position}", kind=kind)
        EpisodeLink.objects.create(episode=vmap, link=link, url="https://github.com/", position=position)
    ((reason,),) = match_reasons_by_episode([vmap], "PR").values()
    assert reason.label == "Pull request"


def test_suggestions_are_noindex(client: Client) -> None:
    assert client.get(reverse("suggest"), {"q": "vmap"})["X-Robots-Tag"] == "noindex"


@pytest.mark.parametrize("typed, completions", CASES["box_completes_operators"])
def test_box_completes_operators(client: Client, typed: str, completions: list[str]) -> None:
    page = unescape(client.get(reverse("suggest"), {"q": typed}).content.decode())
    assert re.findall('data-completion="(.*?)"\n', page) == completions
