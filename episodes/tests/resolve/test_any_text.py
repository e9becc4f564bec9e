"""No text stops a show: whatever titles and notes say, reading them does not fail."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from episodes.notes.credits import guest_credits_in_title
from episodes.notes.topics import TopicRule
from episodes.records import Decisions, EntryData, Show, SourceEntry
from episodes.resolve.pipeline import ShowInputs, resolve_show

from ..examples import examples

APP = Path(__file__).parents[2]
SHOW = Show("talks", "Talks of the Mill", site_url="https://mill.example", author="Ada Roe and Bo Ek")
RULES = [TopicRule.from_fields("looms", ["Looms", "the loom"], {})]


def strings(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for key, inner in value.items():
                yield from (key, *strings(inner))
        case list():
            for inner in value:
                yield from strings(inner)
        case str():
            yield value


def key_words() -> list[str]:
    """The words by which the readers of titles, notes and dates go."""
    found: set[str] = set()
    for package in ("dates", "identity", "notes", "text"):
        for path in sorted((APP / package / "data").glob("*.toml")):
            for text in strings(tomllib.loads(path.read_text(encoding="utf-8"))):
                found.update(re.findall(r"[\w'’.&-]+", text))
    return sorted(found)


WORDS = key_words()
NAMES = ["Ada Roe", "Bo Ek", "Dr. Cy Lund", "李沐", "王小明", "J. R. Voss", "Ada", "ada"]
SIGNS = [*",.:;!?–—-|/&+@#()[]\"'’“”…<>*_`~=%$\\\n\t\u00a0\u200b\u202e", "...", "\n\n", "<p>", "</p>", "<a href='https://x.example/1'>", "</a>"]  # fmt: skip
NUMBERS = ["1", "07", "#3", "S2E5", "2x05", "Ep. 12", "10:30", "2021-02-30", "99999999999", "½", "²", "٣"]
ADDRESSES = ["https://github.com/a/b/pull/1", "https://x.example/ep/2", "www.y.example", "a@b.example", "https://["]
PIECES = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS).map(str.capitalize),
    st.sampled_from(WORDS).map(str.upper),
    st.sampled_from([*NAMES, *SIGNS, *NUMBERS, *ADDRESSES]),
    st.text(max_size=4),
)
TEXTS = st.one_of(
    st.text(max_size=80),
    st.builds(lambda pieces, space: space.join(pieces), st.lists(PIECES, max_size=12), st.sampled_from([" ", " ", ""])),
)
EPISODES = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4)


def entry(place: int, title: str, notes: str) -> SourceEntry:
    day = f"2024-01-{place + 1:02}"
    said = EntryData(title=title, html=notes, author=title[:100], published=day, url=f"https://mill.example/{place}")
    return SourceEntry("feed", "https://mill.example/feed", f"guid:{place}", place, said, rank=1)


def unread(episodes: list[tuple[str, str]]) -> dict[str, str]:
    """Read a show of these titles and notes; the entries of which something could not be read."""
    entries = [entry(place, *said) for place, said in enumerate(episodes)]
    result = resolve_show(ShowInputs(entries, Decisions(), SHOW, RULES))
    placed = [*(entry for episode in result.episodes for entry in episode.entries), *result.ignored]
    assert len(placed) + len(result.held) == len(entries)
    return {address: error for episode in result.episodes for address, error in episode.failures.items()}


@settings(max_examples=examples(150, 3000), deadline=None)
@given(EPISODES)
@example([("Friend or Foe", ""), ("Because of You", "x"), ("A Friend in Need", "y"), ("While in Rome", "")])
@example([(f"{name} - Looms", f"嘉宾：{name}") for name in ("王小明", "李梅", "陈伟", "赵云")])
def test_no_title_and_no_notes_stop_a_show(episodes: list[tuple[str, str]]) -> None:
    assert unread(episodes) == {}


FORMS = (
    "{} or Foe", "Because {}", "A {} in Need", "{}", "{} {}", "With {}", "{} Ada Roe", "Ada Roe and {}", "{}, of You",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_no_key_word_stops_the_reader_of_titles(form: str) -> None:
    for word in WORDS[FORMS.index(form) % examples(4, 1) :: examples(4, 1)]:
        for title in (form.replace("{}", word), form.replace("{}", word.capitalize())):
            guest_credits_in_title(title, [title], SHOW)


def test_label_credits_names_without_spaces() -> None:
    guests = ("王小明", "李梅", "陈伟")
    notes = [f"嘉宾：{name}\n织布" for name in guests]
    entries = [entry(n, f"第{n}期 织布", said) for n, said in enumerate(notes)]
    result = resolve_show(ShowInputs(entries, Decisions(), SHOW, RULES))
    credited = [[one.full_name for one in episode.people if one.role == "guest"] for episode in result.episodes]
    assert credited == [[name] for name in guests]
