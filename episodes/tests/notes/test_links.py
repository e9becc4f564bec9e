"""Addresses in notes are found whole, each is known for what it is, and a cut one is no link."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.notes.links import LinkTarget, flat_of, folded_key, identify_link
from episodes.tests.growth import SHORTEST_TEXT, assert_even_growth
from episodes.text.addresses import addresses_in
from episodes.text.urls import canonical

from ..tables import cases

CASES = cases("notes_links")

FIXTURES = Path(__file__).parents[3] / "fixtures"


def mentions(html, text, cut):
    return addresses_in(flat_of(html, text), cut)


OWN = frozenset({"pytorch-dev-podcast.simplecast.com"})
SHA = "de845020a0da39e621db984515bc1cce03f526ea"
PYTORCH = "https://github.com/pytorch/pytorch"
RAW = "https://raw.githubusercontent.com/pytorch/pytorch"

KNOWN = [
    (f"{PYTORCH}/issues/78050", "github-issue", "gh:pytorch/pytorch#78050"),
    (f"{PYTORCH}/pull/130935/files", "github-pr", "gh:pytorch/pytorch#130935"),
    ("https://github.com/PyTorch/PyTorch/pull/1", "github-pr", "gh:PyTorch/PyTorch#1"),
    (f"{PYTORCH}/commit/{SHA}", "github-commit", f"gh:pytorch/pytorch@{SHA}"),
    (f"{PYTORCH}/blob/master/torch/csrc/a.md", "github-code", "gh:pytorch/pytorch:torch/csrc/a.md"),
    (f"{PYTORCH}/blob/{SHA}/torch/_tensor.py#L97-L178", "github-code", "gh:pytorch/pytorch:torch/_tensor.py"),
    (f"{PYTORCH}/tree/master/torch/csrc/jit", "github-code", "gh:pytorch/pytorch:torch/csrc/jit"),
    (f"{PYTORCH}/blob/gh/ezyang/1/orig/torch/a.py", "github-code", "gh:pytorch/pytorch:torch/a.py"),
    (f"{PYTORCH}/blob/release/1.9/torch/a.py", "github-code", "gh:pytorch/pytorch:torch/a.py"),
    (f"{RAW}/refs/heads/main/a/b.py", "github-code", "gh:pytorch/pytorch:a/b.py"),
    (f"{RAW}/main/a/b.py", "github-code", "gh:pytorch/pytorch:a/b.py"),
    ("https://github.com/pytorch/rfcs/blob/rfc-0005/RFC-0005-x.md", "github-code", "gh:pytorch/rfcs:RFC-0005-x.md"),
    ("https://github.com/pytorch/xla/", "github-repo", "gh:pytorch/xla"),
    ("github.com/pytorch/xla#readme", "github-repo", "gh:pytorch/xla"),
    (f"{PYTORCH}/tree/gh/ezyang/1/orig", "github-repo", "gh:pytorch/pytorch"),
    (f"{PYTORCH}/wiki/TH-to-ATen-porting-guide", "wiki", "gh:pytorch/pytorch/wiki/TH-to-ATen-porting-guide"),
    (f"{PYTORCH}/wiki/a-%28manifesto%29", "wiki", "gh:pytorch/pytorch/wiki/a-(manifesto)"),
    (f"{PYTORCH}/releases/tag/v1.0", "other", f"{PYTORCH}/releases/tag/v1.0"),
    ("https://github.com/ezyang", "other", "https://github.com/ezyang"),
    ("https://github.com/orgs/pytorch", "other", "https://github.com/orgs/pytorch"),
    ("https://arxiv.org/abs/2104.04473", "paper", "arxiv:2104.04473"),
    ("http://www.arxiv.org/pdf/2104.04473v2.pdf", "paper", "arxiv:2104.04473"),
    ("https://arxiv.org/abs/hep-th/9901001v1", "paper", "arxiv:hep-th/9901001"),
    ("https://openreview.net/forum?id=BJJsrmfCZ", "paper", "openreview:BJJsrmfCZ"),
    ("https://openreview.net/pdf?id=BJJsrmfCZ", "paper", "openreview:BJJsrmfCZ"),
    ("https://openreview.net/pdf/25b8eee6.pdf", "paper", "openreview:25b8eee6"),
    ("https://mill.ac.uk/a.pdf", "paper", "https://mill.ac.uk/a.pdf"),
    ("https://mill.example/docs/a.pdf", "other", "https://mill.example/docs/a.pdf"),
    ("https://gazette.example/2017/3/17/mill-burns", "other", "https://gazette.example/2017/3/17/mill-burns"),
    ("https://roe.github.io/2017/03/looms", "blog", "https://roe.github.io/2017/03/looms"),
    ("https://youtu.be/vbtGZL7IrAw?t=1037", "video", "youtube:vbtGZL7IrAw"),
    ("https://www.youtube.com/watch?list=a&v=vbtGZL7IrAw", "video", "youtube:vbtGZL7IrAw"),
    ("https://m.youtube.com/shorts/vbtGZL7IrAw", "video", "youtube:vbtGZL7IrAw"),
    ("https://www.youtube-nocookie.com/embed/vbtGZL7IrAw", "video", "youtube:vbtGZL7IrAw"),
    ("https://docs.google.com/document/d/1XDP_N-3E/edit#heading=h.1", "gdoc", "gdoc:1XDP_N-3E"),
    ("https://docs.google.com/document/u/0/d/1XDP_N-3E/", "gdoc", "gdoc:1XDP_N-3E"),
    ("https://drive.google.com/file/d/1XDP/view?usp=sharing", "gdoc", "gdoc:1XDP"),
    ("https://discuss.pytorch.org/t/a-b/238/5", "forum", "https://discuss.pytorch.org/t/238"),
    ("https://stackoverflow.com/questions/66927362/a-b", "forum", "https://stackoverflow.com/questions/66927362"),
    ("https://pytorch.org/docs/1.9.0/notes/ddp.html", "docs", "https://pytorch.org/docs/stable/notes/ddp.html"),
    ("https://docs.pytorch.org/docs/main/notes/ddp.html#a", "docs", "https://pytorch.org/docs/stable/notes/ddp.html"),
    ("https://pytorch.org/docs/stable/a.html?highlight=vmap&b=1", "docs", "https://pytorch.org/docs/stable/a.html?b=1"),
    ("https://docs.pytorch.org/tutorials/a.html", "docs", "https://pytorch.org/tutorials/a.html"),
    ("https://x.readthedocs.org/en/v1.2/a.html", "docs", "https://x.readthedocs.io/en/latest/a.html"),
    ("https://x.readthedocs.io/en/x-v1.2/a.html", "docs", "https://x.readthedocs.io/en/latest/a.html"),
    ("https://www.postgresql.org/docs/13/a.html", "docs", "https://postgresql.org/docs/stable/a.html"),
    ("https://www.postgresql.org/docs/current/a.html", "docs", "https://postgresql.org/docs/stable/a.html"),
    ("https://example.org/docs/en/8.0/a.html", "docs", "https://example.org/docs/en/stable/a.html"),
    ("https://numpy.org/doc/1.21/a.html", "docs", "https://numpy.org/doc/stable/a.html"),
    ("https://numpy.org/neps/nep-0037-array-module.html", "docs", "https://numpy.org/neps/nep-0037-array-module.html"),
    ("https://docs.python.org/3.11/library/gc.html", "docs", "https://docs.python.org/3/library/gc.html"),
    ("https://cmake.org/documentation", "docs", "https://cmake.org/documentation"),
    ("https://docs.nvidia.com/cuda/archive/11.2/a.html", "docs", "https://docs.nvidia.com/cuda/a.html"),
    ("https://pytorch.org/blog/a/", "blog", "https://pytorch.org/blog/a/"),
    ("https://developer.nvidia.com/blog/cuda-graphs/", "blog", "https://developer.nvidia.com/blog/cuda-graphs/"),
    ("http://blog.ezyang.com/2019/05/a/", "blog", "https://blog.ezyang.com/2019/05/a/"),
    ("https://en.m.wikipedia.org/wiki/SIMD#History", "wiki", "https://en.wikipedia.org/wiki/SIMD"),
    ("https://pytorch-dev-podcast.simplecast.com/episodes/vmap-TCcEyBRZ", "episode", "episode:vmap"),
    ("https://pytorch-dev-podcast.simplecast.com/episodes/vmap.mp3", "other", "https://pytorch-dev-podcast.simplecast.com/episodes/vmap.mp3"),
    ("https://pytorch-dev-podcast.simplecast.com/podcast/index.xml", "other", "https://pytorch-dev-podcast.simplecast.com/podcast/index.xml"),
    ("https://pytorch-dev-podcast.simplecast.com/ep/vmap.html", "episode", "episode:vmap.html"),
    ("https://pytorch-dev-podcast.simplecast.com/", "other", "https://pytorch-dev-podcast.simplecast.com/"),
    ("https://example.org/a?utm_source=x#b", "other", "https://example.org/a#b"),
    ("no address", "other", "no%20address"),
]  # fmt: skip


@pytest.mark.parametrize("address, kind, key", KNOWN)
def test_an_address_is_known_for_what_it_is(address, kind, key):
    assert identify_link(address, OWN) == LinkTarget(kind, key)
    assert identify_link(canonical(address), OWN) == LinkTarget(kind, key)


@given(st.one_of(st.text(), st.text().map(PYTORCH.__add__), st.text().map("https://docs.pytorch.org/".__add__)))
def test_identity_equals_that_of_canonical_form(address):
    target = identify_link(address, OWN)
    assert identify_link(canonical(address), OWN) == target
    target.key.encode()


def test_link_key_keeps_spelling_of_repository():
    assert folded_key("gh:Acme/ATen:a/B.py") == folded_key("gh:acme/aten:a/B.py") == "gh:acme/aten:a/B.py"
    assert folded_key("doi:Acme/ATen") == "doi:Acme/ATen"


def test_without_own_hosts_no_address_is_an_episode():
    assert identify_link("https://pytorch-dev-podcast.simplecast.com/episodes/vmap").kind == "other"


def bare(text, cut=False):
    return [mention.address for mention in mentions("", text, cut)]


@pytest.mark.parametrize("text, expected", CASES["addresses_in_text_are_found_whole"])
def test_addresses_in_text_are_found_whole(text, expected):
    assert bare(text) == expected


@pytest.mark.parametrize("text, expected", CASES["a_cut_address_is_no_link"])
def test_a_cut_address_is_no_link(text, expected):
    assert bare(text, cut=True) == expected


@pytest.mark.parametrize("html, expected", CASES["addresses_in_markup_are_found_with_the_words_they_stand_behind"])
def test_addresses_in_markup_have_their_words(html, expected):
    found = mentions(html, "https://unused.org/a", False)
    assert [[mention.address, mention.words] for mention in found] == expected


def test_cut_address_is_no_link():
    cut = '<a href="https://a.org/pyt">https://a.org/pyt</a>…'
    assert mentions(cut, "", True) == []
    assert len(mentions(cut, "", False)) == 1
    assert len(mentions('<a href="https://a.org/pytorch">the source</a>…', "", True)) == 1


def test_the_position_is_where_the_address_begins():
    text = "One: https://a.org/a, two: github.com/x/y"
    assert [text[m.start :].startswith(m.address) for m in mentions("", text, False)] == [True, True]


HOSTILE = [
    "https://", "http", "www.", "a.", "github.com/", "https://a.org/(", "https://a.org/)", ")", "(", "...", "…",
    "<a href=https://a.org/>", "<b>", "<div>", "<ul><li>", "</p>", "<!--", "<", "&", "&amp;", "\x00", "\ud800",
    "a.com/", " ", "\n", "https://web.archive.org/https://", "https://a.org/x.h", "<i><b><p>", "<table>", "<svg>",
    "<pre>\n", "-", "https://a.org ", "http://1.", "1.0x", "http://[",
]  # fmt: skip


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "8.8.8.8:8080", "1.1.1.10", "[2001:4860:4860::8888]", "[2606:4700::1111]:81"]
)
def test_public_ip_address_is_a_link(host):
    address = f"http://{host}/a"
    found = [mentions("", address, False), mentions(f'<a href="{address}">here</a>', "", False)]
    assert [[mention.address for mention in those] for those in found] == [[address], [address]]
    assert identify_link(address) == LinkTarget("other", canonical(address))


@pytest.mark.parametrize("host", CASES["what_only_some_network_can_open_is_no_link"])
def test_private_address_is_no_link(host):
    address = f"http://{host}/a"
    assert mentions("", f"see {address} there", False) == []
    assert mentions(f'see <a href="{address}">this</a> there', "", False) == []


@pytest.mark.parametrize("piece", HOSTILE)
def test_work_for_long_notes_grows_evenly(piece):
    def read(length):
        notes = piece * (length // len(piece))
        for html, text in ((notes, ""), ("", notes)):
            mentions(html, text, True)
            mentions(html, text, False)

    assert_even_growth(read, SHORTEST_TEXT)


@given(st.lists(st.sampled_from([*HOSTILE, "a", "<p>", "<br>", "</a>", '<a href="https://b.org/c">', "github.com/x"])))
def test_any_mixture_is_read(parts):
    mixture = "".join(parts)
    for cut in (True, False):
        for mention in mentions(mixture, mixture, cut) + mentions("", mixture, cut):
            assert identify_link(mention.address).key
            mention.address.encode()


def feed_notes():
    return [item.findtext("description") or "" for item in ET.parse(FIXTURES / "feed.xml").iter("item")]


def test_shipped_feed_links_are_complete():
    found = [mention.address for notes in feed_notes() for mention in mentions(notes, "", False)]
    assert len(found) == 106  # counted by hand: 90 links and 16 bare addresses
    assert not any("…" in address or address.endswith(("...", ".", ",", ")...")) for address in found)
    others = {address for address in found if identify_link(address, OWN).kind == "other"}
    assert others == {"https://www.amazon.com/Programming-Massively-Parallel-Processors-Hands/dp/0128119861"}


@pytest.mark.parametrize("page, count", [("player-fm-pytorch", 15), ("pod-casts-io-pytorch-page-2", 5)])
def test_shipped_page_links_are_complete(page, count):
    lines = (FIXTURES / "pages" / f"{page}.txt").read_text(encoding="utf-8").splitlines()
    # player.fm puts the ellipsis behind whole texts too; these two end in a whole address.
    whole = ("pull/130935…", "pull/1643…")
    found = [
        address
        for line in lines
        for address in bare(line, cut=line.rstrip().endswith(("…", "...")) and not line.rstrip().endswith(whole))
    ]
    assert len(found) == count
    known = {mention.address.rstrip("#") for notes in feed_notes() for mention in mentions(notes, "", False)}
    assert {address.rstrip("#") for address in found} <= known
