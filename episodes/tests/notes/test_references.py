"""Episodes that notes refer to are found by address and by name, each for what it is to the one that speaks."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.identity.slugs import slug_of
from episodes.notes import references as step
from episodes.notes.episode_names import NamedTarget, know, words_of
from episodes.notes.links import identify_link, mentions
from episodes.notes.references import FoundReference, strongest
from episodes.tests.patience import cpu_limit
from episodes.text.show_notes import to_text
from episodes.text.urls import page_key

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
        slug = slug_of(title) or f"episode-{number}"
        yield NamedTarget(slug, title, number, (page_key(page),) if page else ()), item.findtext("description") or ""


EPISODES = list(shipped())
TARGETS = [target for target, _ in EPISODES]
KNOWN = know(TARGETS)
ORDER = {target.slug: target.number for target in TARGETS}


def links(html, text):
    return [(identify_link(m.address, OWN).key, m.address, m.position) for m in mentions(html, text, False)]


def references(slug, text, links, known, show=""):
    """The references of a text; `links` are (key, address, offset)."""
    targets = [(known.linked(key, page_key(address)), address, position) for key, address, position in links]
    given = [target for target in targets if target[0]]
    at_hand = known.within(words_of(text), [target for target, *_ in given], slug)
    return step.references(slug, text, given, at_hand, show)


def found(text, own="own", targets=TARGETS, **more):
    return {(r.kind, r.target) for r in references(own, text, links("", text), know(targets), **more)}


def said(expected):
    words = expected.split()
    return set(zip(words[::2], words[1::2], strict=True))


# Written by reading the shipped documents.
KEY = {
    ("unbacked-symints", "follow-up", "zero-one-specialization"),
    ("weak-references", "see-also", "pyobject-preservation"),
    ("weak-references", "see-also", "reference-counting"),
    ("episode-59", "see-also", "continuous-integration"),
    ("batching", "see-also", "tensoriterator"),
    ("batching", "see-also", "vmap"),
}


def test_every_reference_in_the_shipped_feed_is_found_and_none_that_is_not_there():
    everything = {
        (target.slug, r.kind, r.target)
        for target, html in EPISODES
        for r in references(target.slug, to_text(html), links(html, ""), KNOWN)
    }
    assert everything == KEY


def test_the_shipped_pages_refer_to_what_the_feed_refers_to_and_to_nothing_else():
    of_pages = {
        "player-fm-pytorch.txt": {"follow-up zero-one-specialization", "see-also continuous-integration"},
        "pod-casts-io-pytorch-page-2.txt": set(),
        "numbered-top-10.txt": set(),
        "ezyang-blog-pytorch.txt": set(),
    }
    for name, expected in of_pages.items():
        paragraphs = (FIXTURES / "pages" / name).read_text("utf-8").split("\n")
        assert {f"{kind} {slug}" for text in paragraphs for kind, slug in found(text, own="")} == expected, name


def test_a_lead_whose_list_is_cut_off_governs_the_addresses_that_other_sources_have():
    text = "Scott's optimization. Other episodes to listen to first: https://pytorch-dev-podcast.simpl…"
    elsewhere = [
        ("episode:reference-counting", f"{AT}/reference-counting", -1),
        ("gh:a/b", "https://github.com/a/b", -1),
        ("episode:vmap", "https://mirror.example/episodes/vmap", -1),
    ]
    kinds = {r.target: (r.kind, r.field) for r in references("weak-references", text, elsewhere, KNOWN)}
    assert kinds == {"reference-counting": ("prerequisite", "links"), "vmap": ("see-also", "links")}


@pytest.mark.parametrize(
    "address, slug",
    [
        (f"{AT}/vmap", "vmap"),
        (f"{AT}/vmap-TCcEyBRZ", "vmap"),
        (f"{AT}/vmap-abcdefgh", "vmap"),
        (f"{AT}/pytorch-20", "pytorch-2-0"),
        (f"{AT}/c-frontend", "c-frontend"),
        (f"{AT}/tensoriterator/", "tensoriterator"),
        (f"{AT}/torch-vs-aten-apis", "torch-vs-aten-apis"),
        (f"{AT}/native_functionsyaml", "native-functions-yaml"),
        (f"{AT}/reference-counting-a3yF3fEQ?utm_source=x", "reference-counting"),
        (f"{AT}/34", "vmap"),
        (f"{AT}/never-made", ""),
        ("https://pytorch-dev-podcast.simplecast.com/", ""),
        ("https://other-show.simplecast.com/episodes/vmap", ""),
    ],
)
def test_an_address_names_an_episode_in_every_spelling_that_the_host_serves(address, slug):
    assert {target for _, target in found(f"See {address}")} == ({slug} if slug else set())


def test_a_known_page_on_another_site_names_its_episode_and_one_of_two_episodes_names_none():
    page = "https://player.example/e/1"
    both = [NamedTarget("a", "Apples", None, (page_key(page),)), NamedTarget("b", "Pears and plums")]
    assert {r.target for r in references("x", "", [("other", page, -1)], know(both))} == {"a"}
    both = [NamedTarget("a", "Apples", None, (page_key(page),)), NamedTarget("b", "Pears", None, (page_key(page),))]
    assert references("x", "", [("other", page, -1)], know(both)) == ()


TEXTS = [
    ("see the episode on vmap", "see-also vmap"),
    ("our previous episode about strides", "see-also strides"),
    ("making my old podcast about CI obsolete", "see-also continuous-integration"),
    ("listen to the CUDA graph trees episode first", "prerequisite cuda-graph-trees"),
    ("the episode on CUDA graphs", "see-also cuda-graphs"),
    ("You might want to listen to this one before listening to the episode on vmap", "follow-up vmap"),
    (f"You might want to listen to this one before listening to {AT}/vmap Some questions", "follow-up vmap"),
    ("Listen to Reference counting first.", "prerequisite reference-counting"),
    ("You should have listened to the episodes on strides and vmap.", "prerequisite strides prerequisite vmap"),
    ("This is a follow-up to our episode on CUDA graphs.", "prerequisite cuda-graphs"),
    ("This is a continuation of Unbacked SymInts.", "prerequisite unbacked-symints"),
    ("a follow up to last week's episode on strides", "prerequisite strides"),
    (f"Part 2 of {AT}/torch-vs-aten-apis", "prerequisite torch-vs-aten-apis"),
    ("In the next episode we will talk about vmap.", "follow-up vmap"),
    ("We will cover strides in a later episode.", "follow-up strides"),
    (f"Next episode: {AT}/c-frontend", "follow-up c-frontend"),
    (f"Follow-up: {AT}/vmap", "follow-up vmap"),
    ("This episode is a prerequisite for the episode on vmap.", "follow-up vmap"),
    ("I recommend listening to our vmap episode before this one.", "prerequisite vmap"),
    ("Listen to this after the Strides episode.", "prerequisite strides"),
    ("If you haven't listened to the vmap episode, start there", "prerequisite vmap"),
    ("Before listening to this episode, listen to the episode on strides", "prerequisite strides"),
    (f"Previous episode: {AT}/strides Next episode: {AT}/vmap", "see-also strides follow-up vmap"),
    ("Don't miss the follow-up episode on Double backwards!", "follow-up double-backwards"),
    ("It's worth listening to the Code generation episode beforehand.", "prerequisite code-generation"),
    ("You'll want to be familiar with the functionalization podcast.", "prerequisite functionalization"),
    ("Recommended prior episodes: Memory layout, CUDA graphs", "prerequisite memory-layout prerequisite cuda-graphs"),
    ("This builds on the CUDA graphs episode", "prerequisite cuda-graphs"),
    ("See episode 34.", "see-also vmap"),
    ("episodes 34 and 62", "see-also strides see-also vmap"),
    ("the vmap and strides episodes", "see-also strides see-also vmap"),
    ("Episodes about XLA, TH, and vmap.", "see-also th see-also vmap see-also xla"),
    ("We talked about strides in a previous episode.", "see-also strides"),
    ("In an earlier episode, I talked about __torch_function__.", "see-also torch-function"),
    ('"History and constraints of Tensor" covers this.', "see-also history-and-constraints-of-tensor"),
    ('the podcast episode titled "TH"', "see-also th"),
    ("As I said in Just enough CUDA to be dangerous, kernels", "see-also just-enough-cuda-to-be-dangerous"),
    ("Prerequisites: Reference counting, PyObject preservation",
     "prerequisite pyobject-preservation prerequisite reference-counting"),
    ("Other episodes to listen to first:\nReference counting\n- PyObject preservation\nFurther reading.\nvmap",
     "prerequisite pyobject-preservation prerequisite reference-counting"),
    (f"Other episodes to listen to first:\n{AT}/vmap-abcdEFGH\n{AT}/pytorch-20\nFurther reading.\n{AT}/strides",
     "prerequisite vmap prerequisite pytorch-2-0 see-also strides"),
    (f"Listen to {AT}/vmap first; see also {AT}/strides", "see-also strides prerequisite vmap"),
    (f"See {AT}/vmap and later: listen to {AT}/vmap first.", "prerequisite vmap"),
    (f"Listen first: XLA, vmap.\nSee also: {AT}/strides", "prerequisite vmap prerequisite xla see-also strides"),
    ("This is a follow-up to Memory layout and to CUDA graphs.", "prerequisite cuda-graphs prerequisite memory-layout"),
    ("This is a follow-up to Strides.", "prerequisite strides"),
    ("This is a sequel to Memory Layout", "prerequisite memory-layout"),
    ("The second half of Memory layout is here.", "prerequisite memory-layout"),
    ("If you haven't heard Strides, start there.", "prerequisite strides"),
    ("We continue this in Functionalization.", "follow-up functionalization"),
    ("That is easy. I'll go deeper in Strides, in two weeks.", "follow-up strides"),
    ("Next week we come to a thing called Batching.", "follow-up batching"),
    ("Part 1 was Memory layout.", "prerequisite memory-layout"),
    ("This is part 1 of 2; part 2 is called CUDA graphs.", "follow-up cuda-graphs"),
    ("My favorite episodes so far are PyObject preservation, Reference counting, and vmap.",
     "see-also pyobject-preservation see-also reference-counting see-also vmap"),
    ("Episodes we talk about: Strides, Batching.", "see-also batching see-also strides"),
    ("This builds on Half precision, so listen to that first.", "prerequisite half-precision"),
    ("I did an episode on continuous integration back in 2021.", "see-also continuous-integration"),
    ("I have an older episode, Random number generators, which covers it", "see-also random-number-generators"),
    ("The second half, on networking, is in Half precision.", "follow-up half-precision"),
    (f"Before you press play, catch up with {AT}/vmap.", "prerequisite vmap"),
    (f"Prior listening\n- {AT}/vmap", "prerequisite vmap"),
    (f"Part one of the conversation: {AT}/vmap", "prerequisite vmap"),
    ("This is a follow-up to our conversation about CUDA graphs, so go back.", "prerequisite cuda-graphs"),
    ("If you liked the one on Strides, you will like this one.", "see-also strides"),
    ("If you have never seen it, start with Tensor subclasses and PT2; if not", "prerequisite tensor-subclasses-and-pt2"),
    ("This picks up where Functionalization left off.", "prerequisite functionalization"),
    ("This builds directly on last week's Memory layout.", "prerequisite memory-layout"),
    (f"You might want to listen to {AT}/vmap and {AT}/strides before listening to this one.",
     "prerequisite strides prerequisite vmap"),
    (f"Half precision ({AT}/half-precision) was the episode about it; this is its sequel, so listen to that one first.",
     "prerequisite half-precision"),
    (f"It is a year after {AT}/vmap. This is a follow-up, so hear that one before this one.", "prerequisite vmap"),
    ("(The first part is Memory layout.)", "prerequisite memory-layout"),
    ("If you missed Strides, listen to that first.", "prerequisite strides"),
    ("Part two of our series (part one: Memory layout).", "prerequisite memory-layout"),
    ("have a look at #45: Memory layout as well", "see-also memory-layout"),
    (f"Listen to these before: {AT}/vmap", "prerequisite vmap"),
    ("On tokens, see also Strides.", "see-also strides"),
    ("start with my episode Reference counting", "prerequisite reference-counting"),
    ("Also see the episode about XLA and the one on reference counting", "see-also xla"),
    ("Prerequisites:\n- reference counting", "prerequisite reference-counting"),
    ("Please have episodes 34 and 38 behind you before this one.", "prerequisite default-arguments prerequisite vmap"),
    ("episodes 32 to 34", "see-also vmap see-also xla"),
    ("back in episode nine we said so", "see-also backend-extensibility"),
    ("Strides (episode 62) first, please.", "prerequisite strides"),
]  # fmt: skip


@pytest.mark.parametrize("text, expected", TEXTS)
def test_the_words_decide_what_an_episode_is_to_the_one_that_speaks(text, expected):
    assert found(text) == said(expected)


@pytest.mark.parametrize(
    "text",
    [
        "Today we use XLA and vmap and Batching.",
        "a podcast about ML and CV",
        "in this episode about Batching we",
        "Chris Lattner's podcast about XLA is good.",
        "the Lex Fridman podcast about XLA",
        "the episode about XLA on the Lex Fridman Podcast",
        "Episode 34 of the Foo Show",
        "Episode 34: what it is about",
        "I haven't done an episode on vmap.",
        "the episode on vmap rules",
        "his podcast about XLA",
        "the dispatcher episode",
        "We got an RFC about XLA. An episode follows.",
        "we use shared memory, and batching, in this podcast",
        "Today we talk about CUDA graphs, see https://youtu.be/vbtGZL7IrAw",
        "the talk on memory layout",
        "I was a guest on the Machine Learning podcast about distributed, XLA.",
        "Please see the paper about conjugate views.",
        'The people at Talk Python have an episode called "Reference counting".',
        "season 1, episode 34 of Silicon Valley",
        "He was also on CoRecursive, in the episode on vmap.",
        "the Signal Path podcast has a nice episode on CUDA graphs",
        'the Astro Kitchen podcast, whose episode "Memory layout" is good',
        "Inspired by the Deploy Days podcast, episode 34.",
        "episode 34 of Silicon Valley",
        "You never go deeper in Strides.",
        "XLA is a prerequisite for understanding this.",
        "Strides",
        "",
    ],
)
def test_a_title_that_is_only_a_word_of_the_text_is_no_reference(text):
    assert found(text) == set()


def test_an_episode_never_refers_to_itself():
    assert found(f"This vmap episode: {AT}/vmap, episode 34, the episode on vmap", own="vmap") == set()


def test_the_longest_title_wins_and_one_that_two_episodes_have_names_neither():
    targets = [
        NamedTarget("a", "Graphs"),
        NamedTarget("b", "Graphs and trees"),
        NamedTarget("c", "Trees"),
        NamedTarget("d", "Trees"),
    ]
    assert found("the episode on graphs and trees", targets=targets) == {("see-also", "b")}
    assert found("the episode on trees", targets=targets) == set()


def test_the_parts_of_one_title_follow_each_other_whatever_the_words():
    parts = [NamedTarget(f"netcode-{n}", f"Netcode, part {word}", n) for n, word in ((1, "one"), (2, "two"))]
    assert found("Cheating is in “Netcode, part two”.", "netcode-1", parts) == {("follow-up", "netcode-2")}
    assert found("In Netcode, Part One we said so.", "netcode-2", parts) == {("prerequisite", "netcode-1")}


def test_parts_whose_numbers_nobody_can_read_are_not_put_in_order():
    parts = [NamedTarget(f"wars-{n}", f"Wars, part {n}", None) for n in ("xi", "xii")]
    assert found("See also Wars, part xii.", "wars-xi", parts) == {("see-also", "wars-xii")}


def test_a_page_is_known_with_what_a_site_adds_to_count_visits():
    targets = [NamedTarget("audio", "Audio", 8, (page_key("https://a.org/8-audio/"),))]
    assert found("More: https://a.org/8-audio/?ref=notes", "own", targets) == {("see-also", "audio")}


def test_the_shows_own_name_before_the_word_episode_is_no_other_show():
    text = "Listen to the Widget Show episode about strides"
    assert found(text) == set()
    assert found(text, show="The Widget Show") == {("see-also", "strides")}


def test_a_reference_keeps_the_words_and_the_place():
    text = "Intro. See our episode on vmap!"
    (reference,) = references("own", text, [], KNOWN)
    assert reference == FoundReference("see-also", "vmap", "notes", 26, "See our episode on vmap!")


def test_what_several_sources_say_is_put_together_by_strength():
    weak, strong = FoundReference("see-also", "a", "notes", 0, ""), FoundReference("prerequisite", "a", "links", 5, "")
    assert strongest([weak, strong]) == strongest([strong, weak]) == (strong,)


PIECES = st.sampled_from(
    [
        *"abc .,:;\n\"'()…",
        "episode ",
        "episodes on ",
        "vmap",
        "the ",
        "CUDA graph",
        " trees",
        "listen to ",
        " first",
        f"{AT}/vmap",
        "before ",
        "this one ",
        "previous ",
        "34",
        "I ",
        "podcast about ",
        "CI",
        "__",
        "Further reading.\n",
        "é",
        "李",
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)))
def test_any_text_is_read_without_error_and_always_alike(text):
    first = references("own", text, links("", text), KNOWN)
    assert first == references("own", text, links("", text), know(list(reversed(TARGETS))))
    assert [r.target for r in first] == sorted({r.target for r in first})
    assert all(0 <= r.position <= len(text) for r in first)


@pytest.mark.parametrize(
    "piece",
    ["a", "vmap ", "vmap, ", "the vmap episode ", "CUDA ", "episode about ", "episode 3, ", "this one before ", "\n", "[\"", "A ",
     f"{AT}/vmap "],
)  # fmt: skip
def test_reading_takes_time_in_proportion_to_the_text(piece):
    text = (piece * (200_000 // len(piece) + 1))[:200_000]
    known = links("", text)
    with cpu_limit():
        references("own", text, known, KNOWN)
