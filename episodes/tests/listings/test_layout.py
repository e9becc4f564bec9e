"""Layouts say where things stand on a site's pages; pages of other shows are refused."""

import pytest

from episodes.listings import LineLayout
from episodes.records import DocumentRejected, FetchedDocument, ParsedPage

from .pages import SHOW

NAME = SHOW.title
DATED = r"(?P<date>.{0,9}\d{4}) (?P<title>.{1,400})"
LINES = LineLayout(begin=DATED, cut_mark="…", noise="Play")


def read(text: str, layout: LineLayout, address: str = "https://podhub.example/s/1") -> ParsedPage:
    return layout.parse_page_of_show(FetchedDocument(text.encode(), address), SHOW)


def test_lines_are_read_by_their_forms():
    text = f"CastNest\n{NAME}\nMenu\n3 June 2021 Batching\n16:33 • 2y ago\nBatches of input at once…\nPlay\n04/05/2021 TH\n"
    one, two = read(text, LINES).entries
    assert (one.title, one.published, one.seconds_low) == ("Batching", "2021-06-03", 993)
    assert (one.text, one.cut) == ("Batches of input at once", True)
    assert (two.title, two.published, two.date_raw, two.text) == ("TH", "", "04/05/2021", "")


def test_length_below_line_without_length_counts() -> None:
    layout = LineLayout(begin=r"(?P<title>.{1,90}) - (?P<date>.{1,9}\d{4})(?: - (?P<length>\d+ min))?")
    below, beside = read(f"{NAME}\nLooms - Aug 4, 2024\n45 min\nReeds - Aug 5, 2024 - 9 min\n30 min\n", layout).entries
    assert (below.title, below.seconds_low) == ("Looms", 2700)
    assert (beside.title, beside.seconds_low) == ("Reeds", 540)


@pytest.mark.parametrize("name", ["JAX Talks", f"{NAME}: Reloaded", f"Not the {NAME}", "PyTorch Lightning"])
def test_a_page_of_another_show_is_refused(name: str):
    with pytest.raises(DocumentRejected, match="another show"):
        read(f"<html><h1>{name} | PodHub</h1><p>3 June 2021 vmap", LINES)
    above = LineLayout(begin=DATED, show_heading="All episodes of {name}")
    with pytest.raises(DocumentRejected, match="another show"):
        read(f"Site\nAll episodes of {name}\n3 June 2021 vmap\n", above)
    assert read(f"Site\nAll episodes of {NAME}\n3 June 2021 vmap\n", above).entries
    with pytest.raises(DocumentRejected, match="none is named"):
        read(f"3 June 2021 vmap\n{NAME}\n", above)


def test_mixed_page_needs_entries_naming_show():
    layout = LineLayout(begin=r"(?P<show>.{1,90}): (?P<title>.{1,90})")
    found = read(f"Topic\n{NAME}: vmap\nJAX Talks: vmap\n{NAME}: XLA\n", layout)
    assert ([one.title for one in found.entries], found.foreign) == (["vmap", "XLA"], 1)
    with pytest.raises(DocumentRejected, match="none of its 1 entries names"):
        read("JAX Talks: vmap\n", layout)


def test_site_is_recognised_by_sign_and_entries():
    posts = LineLayout(end="Read on", site_name="CastNest", title_line=True)
    text = "CastNest\nvmap\nA text of many words.\nRead on\nXLA\nAnother text of many words.\nRead on\n"
    assert posts.recognises(FetchedDocument(text.encode()))
    assert not posts.recognises(FetchedDocument(text.replace("CastNest", "Another").encode()))
    assert not posts.recognises(FetchedDocument(b"<!doctype html><title>CastNest</title><p>Nothing"))
    assert not posts.recognises(FetchedDocument(b"\0"))


@pytest.mark.parametrize("titled, titles", [(True, ["vmap", "XLA"]), (False, ["", ""])])
def test_titles_need_a_site_with_titles(titled: bool, titles: list[str]):
    posts = LineLayout(end="Read on", title_line=True) if titled else LineLayout(end="Read on")
    text = f"{NAME}\nvmap\nA text of many words.\nRead on\nXLA\nAnother text of many words.\nRead on\n"
    assert [said.title for said in read(text, posts).entries] == titles


def test_ranks_count_on_and_texts_end():
    layout = LineLayout(begin=r"(?P<rank>\d+)\) (?P<title>.{1,90})", cut_mark=r"\. \d+ min")
    found = read(f"{NAME}\n1) vmap\nAll of this text. 17 min\n3) Not this one\n2) XLA\nAll of that text.", layout)
    assert [(one.title, one.text, one.cut) for one in found.entries] == [
        ("vmap", "All of this text", True), ("XLA", "All of that text.", False),
    ]  # fmt: skip
    with pytest.raises(DocumentRejected, match="no entry"):
        read(f"{NAME}\nStrides", layout)
