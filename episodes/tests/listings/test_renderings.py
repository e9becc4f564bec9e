"""The shipped pages say the same when they come as HTML, or saved with other line ends, blanks and dots."""

from collections.abc import Callable
from html import escape

import pytest

from episodes.records import DocumentRejected

from .pages import entries, read, saved

LISTS = ("player-fm", "numbered-list", "pod-casts-io", "ezyang-blog")
AROUND = (
    '<!-- Made for the tests. --><!DOCTYPE html><html><head><meta charset="utf-8"><title>{0}</title></head><body>'
    '<nav><a href="/">Home</a> <a href="/all">All the shows that we have</a></nav><div role="dialog" hidden>Cookies?</div>'
    "<h1>{0}</h1>",
    "<footer><p>This paragraph at the end is no part of any list.</p></footer></body></html>",
)


def text_of(name: str) -> str:
    return saved(name).body.decode()


def rows(name: str) -> tuple[str, list[str]]:
    found = [" ".join(line.split()) for line in text_of(name).splitlines() if line.strip()]
    return found[0], found[1:]


def divs(name: str) -> str:
    first, rest = rows(name)
    inner = "\n".join(
        f'<div class="k{n % 7}"><span><div>\n  {escape(line)}\n</div></span></div>' for n, line in enumerate(rest)
    )
    return AROUND[0].format(escape(first)) + inner + AROUND[1]


def on_one_line(name: str) -> str:
    first, rest = rows(name)
    return AROUND[0].format(escape(first)) + "".join(f"<p>{escape(line)}" for line in rest) + AROUND[1]


@pytest.mark.parametrize("markup", [divs, on_one_line])
@pytest.mark.parametrize("name", LISTS)
def test_html_and_saved_text_give_the_same_entries(name: str, markup: Callable[[str], str]):
    assert entries(read(name, markup(name))) == entries(read(name, saved(name)))


SPELLINGS: dict[str, Callable[[str], str]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "a byte order mark": lambda text: "\ufeff" + text,
    "no blank lines": lambda text: "\n".join(line for line in text.splitlines() if line.strip()),
    "no-break and doubled spaces": lambda text: text.replace(" ", " \u00a0"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", LISTS)
def test_white_space_changes_nothing(name: str, spelling: str):
    assert entries(read(name, SPELLINGS[spelling](text_of(name)))) == entries(read(name, saved(name)))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("name", [*LISTS, "feed"])
def test_a_byte_order_mark_tells_the_encoding(name: str, encoding: str):
    assert entries(read(name, text_of(name).encode(encoding))) == entries(read(name, saved(name)))


@pytest.mark.parametrize(
    "name, ours",
    [
        ("player-fm", "PyTorch відкриті"),
        ("numbered-list", "PyTorch Developer Podcast\n1)"),
        ("pod-casts-io", "PyTorch Developer Podcast -"),
    ],
)
@pytest.mark.parametrize(
    "other", ["Talk About Snakes", "PyTorch Lightning", "PyTorch Developer Podcast Reloaded", "Developer Podcast"]
)
def test_the_same_page_of_another_show_is_refused(name: str, ours: str, other: str):
    ours_name = "PyTorch" if name == "player-fm" else "PyTorch Developer Podcast"
    assert ours in text_of(name)
    with pytest.raises(DocumentRejected):
        read(name, text_of(name).replace(ours, ours.replace(ours_name, other)))


@pytest.mark.parametrize("badge", ["public", "público", "öffentlich", "відкриті", "公開"])
@pytest.mark.parametrize("series", ["PyTorch", "PyTorch Developer Podcast"])
def test_heading_of_series_may_be_short(series: str, badge: str):
    text = (
        text_of("player-fm")
        .replace("PyTorch відкриті", f"{series} {badge}")
        .replace("edit#PyTorch\n", f"edit#{series}\n")
    )
    assert entries(read("player-fm", text)) == entries(read("player-fm", saved("player-fm")))


def test_a_menu_line_is_never_an_entry():
    menu = "Home\n\nShows for you\n\nLog in\n\nGet the App for listening offline!\n\n"
    for name in LISTS:
        first, _, rest = text_of(name).partition("\n")
        text = f"{first}\n{menu}{rest}\n\n{menu}Terms\n"
        assert entries(read(name, text)) == entries(read(name, saved(name)))


def test_blank_lines_before_a_feed_change_nothing():
    assert entries(read("feed", b"\r\n \n" + saved("feed").body)) == entries(read("feed", saved("feed")))
