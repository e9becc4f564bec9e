"""Layouts say where things stand on a site's pages, and pages of other shows and hostile ones are only refused."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.listings.layout import Layout
from episodes.listings.lines import Lines
from episodes.listings.patterns import SignedLine, pattern_of
from episodes.records import DocumentRejected, FetchedDocument, ParsedPage

from ..examples import SECONDS, some
from ..patience import cpu_limit
from .pages import SHOW

NAME = SHOW.title
LINES = Lines(sign="CastNest", begin="{date}(?:Ep. {number} – )?{title}", cut="…", noise="Play")


def read(text: str, layout: Layout, address: str = "https://podhub.example/s/1") -> ParsedPage:
    return layout.read(FetchedDocument(text.encode(), address), SHOW)


def test_lines_are_read_by_their_forms():
    text = f"CastNest\n{NAME}\nMenu\n18 August 2021Ep. 52 – Batching\nBatches of input at once…\nPlay\n1 June 2021TH\nPlay\n"
    one, two = read(text, LINES).entries
    assert (one.title, one.number, one.published, one.text, one.cut) == (
        "Batching", 52, "2021-08-18", "Batches of input at once", True,
    )  # fmt: skip
    assert (two.title, two.published, two.text, two.cut) == ("TH", "2021-06-01", "", None)


def test_numeric_dates_that_the_page_leaves_open_stay_unknown():
    text = f"{NAME}\n03/04/2022 vmap\n05/06/2022 XLA\n"
    layout = Lines(begin="{date} {title}")
    assert [one.published for one in read(text, layout).entries] == ["", ""]


@pytest.mark.parametrize("name", ["JAX Talks", f"{NAME}: Reloaded", f"Not the {NAME}", "PyTorch Lightning"])
def test_a_page_of_another_show_is_refused(name: str):
    with pytest.raises(DocumentRejected, match="another show"):
        read(f"<html><h1>{name} | PodHub</h1><p>3 June 2021 vmap", Lines(sign="PodHub", begin="{date} {title}"))
    above = Lines(begin="{date} {title}", above="All episodes of {name}")
    with pytest.raises(DocumentRejected, match="another show"):
        read(f"Site\nAll episodes of {name}\n3 June 2021 vmap\n", above)
    assert read(f"Site\nAll episodes of {NAME}\n3 June 2021 vmap\n", above).entries
    with pytest.raises(DocumentRejected, match="no show is named"):
        read(f"3 June 2021 vmap\n{NAME}\n", above)


def test_on_a_mixed_page_only_entries_that_name_the_show_are_taken():
    layout = Lines(begin=r"{show}: {title} \({date}\)")
    found = read(
        f"Topic\n{NAME}: vmap (3 June 2021)\nJAX Talks: vmap (4 June 2021)\n{NAME}: XLA (5 June 2021)\n", layout
    )
    assert ([one.title for one in found.entries], found.foreign) == (["vmap", "XLA"], 1)
    with pytest.raises(DocumentRejected, match="none of its 1 entries names"):
        read("JAX Talks: vmap (4 June 2021)\n", layout)


def test_a_site_is_recognised_by_its_sign_and_its_entries():
    text = "CastNest\n3 June 2021vmap\n4 June 2021XLA\n"
    assert LINES.recognises(FetchedDocument(text.encode()))
    assert not LINES.recognises(FetchedDocument(text.replace("CastNest", "Another").encode()))
    assert not LINES.recognises(FetchedDocument(b"<!doctype html><title>CastNest</title><p>Nothing"))
    assert not LINES.recognises(FetchedDocument(b"\0"))


@pytest.mark.parametrize(
    "begin, line, title",
    [
        ("{length}{title}", "16:22Anatomy of a domain library", "Anatomy of a domain library"),
        ("{date}{title}{length}", "9 May 2022CUDA graphs13 Min.", "CUDA graphs"),
        ("{title} (?P=title)", "vmap vmap", "vmap"),
    ],
)
def test_a_pattern_says_what_stands_around_a_title(begin: str, line: str, title: str):
    assert [one.title for one in read(f"{NAME}\n{line}", Lines(begin=begin)).entries] == [title]


def test_a_line_of_another_form_begins_no_entry():
    with pytest.raises(DocumentRejected, match="no entry"):
        read(f"{NAME}\nStrides", Lines(begin="#{number} {title}"))


def test_a_text_ends_where_the_site_says():
    layout = Lines(begin="Ep: {title}", cut=r"\. \d+ min")
    found = read(f"{NAME}\nEp: vmap\nAll of this text. 17 min\nEp: XLA\nAll of that text.", layout)
    assert [(one.text, one.cut) for one in found.entries] == [("All of this text", True), ("All of that text.", False)]


def test_buttons_and_what_stands_aside_say_nothing():
    page = (
        f"<html><h1>{NAME}</h1><p>1) vmap</p><button>Play this one for me now</button><aside>Or rather this one here</aside>"
        "<p>All.</p><p>Of it.</p><button>Show less</button>"
    )
    layout = Lines(begin=r"{rank}\) {title}", ends="show less")
    assert [(one.title, one.text) for one in read(page, layout).entries] == [("vmap", "All.\nOf it.")]


LAYOUTS = (
    LINES,
    Lines(begin=r"{show} – {title} .*?\n.*?{date}", above=r"\w+ \w+ {name}"),
    Lines(end="Play", titled=False, above="{start}"),
)
SCRAPS = ["<article class=ep>", "<h3>", "1. x", "</h3>", "<time datetime=9>", "\ue000", "\ue001", "\n", "\0", "9 May 2022", "16:22",
          f"{NAME}", " – ", "Play", "<br>", "&#0;", "<h1>", "Ep. 1", "…", "{title}"]  # fmt: skip


@given(st.lists(st.sampled_from(SCRAPS), max_size=30), st.sampled_from(["", "<!doctype html>"]))
@settings(max_examples=200)
def test_no_page_stops_a_layout(scraps: list[str], start: str):
    page = FetchedDocument((start + "".join(scraps)).encode("utf-8", "replace"))
    for layout in LAYOUTS:
        layout.recognises(page)
        with suppress(DocumentRejected):
            reading = layout.read(page, SHOW)
            assert "\\u0000" not in json.dumps([said.payload() for said in reading.entries])


HEAVY = {
    "long line": "x" * some(1_000_000),
    "dashes": ("a – " * 70 + "\n") * some(3_000),
    "words": ("word " * 60 + "\n") * some(3_000),
    "dates": "9 May 2022" * some(20_000),
    "nested": "<html>" + "<article class=ep>" * some(20_000) + "<h3>1. x",
}


@pytest.mark.parametrize("heavy", HEAVY)
def test_a_heavy_page_is_read_or_refused_in_little_time(heavy: str):
    with cpu_limit(SECONDS):
        for layout in LAYOUTS:
            with suppress(DocumentRejected):
                read(HEAVY[heavy], layout)


@pytest.mark.parametrize(
    "form, line, found",
    [
        ("{title}(?: – {date})?", "vmap", {"title": "vmap"}),
        (r"(?:[^)]*{date}\) )?{title}", "vmap", {"title": "vmap"}),
        ("{date} – .*|{title}", "vmap", {"title": "vmap"}),
        (r"{title} \({date}\)", "vmap (3 June 2021)", {"title": "vmap", "date": "3 June 2021"}),
        (r"{title} \({date}\)", "vmap (soon)", None),
        ("{title}(?: – {date})? – {length}", "vmap – 17 min", {"title": "vmap", "length": "17 min"}),
        ("{title}(?: – {date})? – {length}", "vmap – 3 June 2021", None),
    ],
)
def test_only_what_a_form_must_have_has_to_be_in_a_line(form: str, line: str, found: dict[str, str] | None):
    pattern = pattern_of(form, SHOW)
    assert SignedLine(line, "en").match(pattern) == found
