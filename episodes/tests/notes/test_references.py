"""Episodes that notes refer to are found by address and by name, each for what it is to the one that speaks."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from episodes.identity.slugs import make_slug
from episodes.notes import references as step
from episodes.notes.links import identify_link
from episodes.notes.references import ReferenceMatch, ReferenceTarget, build_episode_name_lookups, strongest_references
from episodes.records import Decisions, EntryData, Show, SourceEntry
from episodes.resolve.pipeline import ShowInputs, resolve_show
from episodes.tests.growth import assert_even_growth_for_text
from episodes.tests.notes.test_links import mentions
from episodes.text.urls import page_key

from ..tables import cases

CASES = cases("notes_references")

FIXTURES = Path(__file__).parents[3] / "fixtures"
ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
OWN = frozenset({"pytorch-dev-podcast.simplecast.com"})
AT = "https://pytorch-dev-podcast.simplecast.com/episodes"


def shipped():
    for item in ET.parse(FIXTURES / "feed.xml").getroot().iter("item"):
        title, number, page = (
            item.findtext("title") or "",
            int(item.findtext(f"{ITUNES}episode") or 0),
            item.findtext("link"),
        )
        slug = make_slug(title) or f"episode-{number}"
        yield (
            ReferenceTarget(slug, title, number, (page_key(page),) if page else ()),
            item.findtext("description") or "",
        )


EPISODES = list(shipped())
TARGETS = [target for target, _ in EPISODES]
KNOWN = build_episode_name_lookups(TARGETS)


def links(html, text):
    return [(identify_link(m.address, OWN).key, m.address, m.start) for m in mentions(html, text, False)]


def references(slug, text, links, known):
    """The references of a text; `links` are (key, address, offset)."""
    targets = [(known.find_slug_of_link(key, page_key(address)), address, position) for key, address, position in links]
    mentions = filter(None, map(known.find_mention_of_episode, step.find_possible_mentions(text)))
    return step.find_strongest_references(
        slug, text, [step.EpisodeLinkInText(*target) for target in targets if target[0]], mentions
    )


def found(text, own="own", targets=TARGETS):
    return {(r.kind, r.target) for r in references(own, text, links("", text), build_episode_name_lookups(targets))}


def said(expected):
    words = expected.split()
    return set(zip(words[::2], words[1::2], strict=True))


# Until its "…" the first text is cut off within an address of the second. A whole one ends with another address.
@pytest.mark.parametrize(
    "end, kind_of_vmap",
    [
        ("listen to first: https://pytorch-dev-podcast.simplecast.com/episodes/vm…", "prerequisite"),
        ("listen to first: https://pytorch-dev-podcast.simplecast.com", "see-also"),
        ("listen to first: h", "see-also"),
        ("listen to first: h…", "see-also"),
    ],
)
def test_cut_address_takes_link_of_other_text(end, kind_of_vmap):
    texts = {"feed": f"On weakness. Episodes to {end}", "blog": f"On weakness. {AT}/vmap and {AT}/strides"}
    entries = [
        SourceEntry(source, "d", "k", rank, EntryData(title="Weak references", guid="g", text=text), rank=rank)
        for rank, (source, text) in enumerate(texts.items(), 1)
    ]
    entries += [
        SourceEntry("feed", "d", name, 9, EntryData(title=name, text=name), rank=1) for name in ("vmap", "strides")
    ]
    show = Show("s", "Talks", site_url="https://pytorch-dev-podcast.simplecast.com")
    (weak,) = [
        one
        for one in resolve_show(ShowInputs(entries, Decisions(), show, [])).episodes
        if one.slug == "weak-references"
    ]
    assert {(one.kind, one.episode) for one in weak.references} == {(kind_of_vmap, "vmap"), ("see-also", "strides")}


@pytest.mark.parametrize("address, slug", CASES["an_address_names_an_episode_in_every_spelling_that_the_host_serves"])
def test_address_names_episode_in_any_spelling(address, slug):
    assert {target for _, target in found(f"See {address}")} == ({slug} if slug else set())


def test_page_elsewhere_names_only_one_episode():
    page = "https://player.example/e/1"
    both = [ReferenceTarget("a", "Apples", None, (page_key(page),)), ReferenceTarget("b", "Pears and plums")]
    assert {r.target for r in references("x", "x", [("other", page, 0)], build_episode_name_lookups(both))} == {"a"}
    both = [
        ReferenceTarget("a", "Apples", None, (page_key(page),)),
        ReferenceTarget("b", "Pears", None, (page_key(page),)),
    ]
    assert references("x", "x", [("other", page, 0)], build_episode_name_lookups(both)) == ()


@pytest.mark.parametrize("text, expected", CASES["kinds_of_references"])
def test_words_decide_kind_of_reference(text, expected):
    assert found(text.replace("{AT}", AT)) == said(expected)


@pytest.mark.parametrize("text", CASES["a_title_that_is_only_a_word_of_the_text_is_no_reference"])
def test_common_title_is_no_reference(text):
    assert found(text) == set()


def test_an_episode_never_refers_to_itself():
    assert found(f"This vmap episode: {AT}/vmap, episode 34, the episode on vmap", own="vmap") == set()


def test_longest_unambiguous_title_wins():
    targets = [
        ReferenceTarget("a", "Graphs"),
        ReferenceTarget("b", "Graphs and trees"),
        ReferenceTarget("c", "Trees"),
        ReferenceTarget("d", "Trees"),
    ]
    assert found("the episode on graphs and trees", targets=targets) == {("see-also", "b")}
    assert found("the episode on trees", targets=targets) == set()


def test_tracking_parameters_do_not_hide_page():
    targets = [ReferenceTarget("audio", "Audio", 8, (page_key("https://a.org/8-audio/"),))]
    assert found("More: https://a.org/8-audio/?ref=notes", "own", targets) == {("see-also", "audio")}


def test_a_reference_keeps_the_words_and_the_place():
    text = "Intro. See our episode on vmap!"
    (reference,) = references("own", text, [], KNOWN)
    assert reference == ReferenceMatch("see-also", "vmap", 26, "See our episode on vmap!")


def test_evidence_leaves_out_address_above():
    (reference,) = references("own", "https://loom.example/\nSee our episode on vmap!", [], KNOWN)
    assert reference.evidence == "See our episode on vmap!"


def test_evidence_of_sources_is_combined():
    weak, strong = ReferenceMatch("see-also", "a", 0, ""), ReferenceMatch("prerequisite", "a", 5, "")
    assert strongest_references([weak, strong]) == strongest_references([strong, weak]) == (strong,)


@pytest.mark.parametrize(
    "piece",
    ["a", "vmap ", "vmap, ", "the vmap episode ", "CUDA ", "episode about ", "episode 3, ", "episode 3: A ", "this one before ", "\n", "[\"", "A ",
     f"{AT}/vmap "],
)  # fmt: skip
def test_work_for_a_long_text_grows_evenly(piece):
    assert_even_growth_for_text(lambda text: references("own", text, links("", text), KNOWN), piece)


@pytest.mark.parametrize(
    "text, may_refer",
    [("our previous episode about strides", True), ("in Folge 3 ging es", True), ("our previous episode", False)],
)
def test_text_without_phrase_or_number_is_skipped(text, may_refer):
    assert step.may_refer(text) is may_refer


NUMBERED = [
    ReferenceTarget("harbours", "Episode 11: Harbours", 11),
    ReferenceTarget("reeds", "Reeds and rushes", 12),
    ReferenceTarget("ada-roe", "Ada Roe", 13),
]


@pytest.mark.parametrize("text, target", CASES["number_behind_episode_is_a_reference"])
def test_number_behind_episode_is_a_reference(text, target):
    assert {slug for _, slug in found(text, targets=NUMBERED)} == ({target} if target else set())


def test_number_of_two_episodes_is_no_reference():
    assert found("In episode 11", targets=[*NUMBERED, ReferenceTarget("again", "Again", 11)]) == set()
