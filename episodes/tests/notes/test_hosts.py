"""The hosts of an episode are those of its show, but for those who are away or whose turn it is not."""

import pytest

from episodes.notes.people_named import named_in
from episodes.records import Decisions, EntryData, Show, SourceEntry
from episodes.resolve.catalog import resolve

BOTH = ["Ada Roe", "Bo Ek"]
HOSTED = "A show about clay, hosted by Ada Roe and Bo Ek."
PLAIN = "On clay and glaze number {}."


def credits_of(texts, about="", author="", title="Talks of the Mill", language="en", categories=(), authors=None):
    """The names of hosts and of guests in each of these notes of a show."""
    authors = authors or [author] * len(texts)
    entries = [
        SourceEntry(
            "feed", "d", f"k{place}", place, EntryData(title=f"Part {place}", text=text, author=by), rank=1, url="u"
        )
        for place, (text, by) in enumerate(zip(texts, authors, strict=True))
    ]
    show = Show("s", title, author=author, description=about, language=language, categories=categories)
    found = {one.merged.title: one.people for one in resolve(entries, Decisions(), show, []).episodes}
    people = [found[f"Part {place}"] for place in range(len(texts))]
    return [
        {role: sorted(one.full_name for one in own if one.role == role) for role in ("host", "guest")} for own in people
    ]


def hosts_of(texts, about="", author="", **more):
    return [own["host"] for own in credits_of(texts, about, author, **more)]


def plain(count):
    return [PLAIN.format(place) for place in range(count)]


# --- Who is away, and who stands in ---------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Ada is away.", "Ada is still away, so Bo fires alone.", "Roe is ill.", "Ada's sick, and Bo fires.", "Ada is on holiday.", "Ada has the flu.",
        "Without Ada this time.", "Diesmal ohne Ada.", "Ada ist krank.", "Ada hat Urlaub.", "Ada est en vacances.", "Ada está de baja.",
        "Ada è in ferie.", "Ada is op vakantie.", "Ada är på semester.", "Ada on lomalla.", "Ada jest na urlopie.", "Ada je nemocná.",
        "Bez Ada.", "Sans Ada Roe.",
    ],
)  # fmt: skip
def test_a_host_who_is_away_by_the_notes_does_not_present(text):
    assert hosts_of([text, *plain(2)], HOSTED) == [["Bo Ek"], BOTH, BOTH]


@pytest.mark.parametrize(
    "text",
    [
        "Ada is here.", "Ada fires a sick pot.", "Cy is away.", "Adam is away.", "Ada tells why Cy is away.", "Ada Lund and away.",
        "Withou Ada.", "Without clay, Ada fires.", "Away.",
    ],
)  # fmt: skip
def test_who_is_named_otherwise_is_not_away(text):
    assert hosts_of([text, *plain(2)], HOSTED)[0] == BOTH


@pytest.mark.parametrize(
    "text, hosts",
    [
        ("太一がお休み。", ["森山花"]), ("森山はお休み。川上の話。", ["川上太一"]), ("川上の話。花がお休み。", ["川上太一", "森山花"]),
        ("森山と川上の話。", ["川上太一", "森山花"]),
    ],
)  # fmt: skip
def test_a_japanese_host_is_away(text, hosts):
    usual = [f"{place}、森山と川上の話。" for place in range(3)]
    found = hosts_of([text, *usual], "森山花と川上太一が話す番組。", language="ja")
    assert found == [hosts, *[["川上太一", "森山花"]] * 3]


@pytest.mark.parametrize(
    "text, hosts",
    [
        ("Cy Lund sits in this time.", ["Cy Lund"]),
        ("Cy Lund springt ein.", ["Cy Lund"]),
        ("Cy Lund remplace les autres.", ["Cy Lund"]),
        ("Host: Cy Lund", ["Cy Lund"]),
        ("Cy Lund weaves.", BOTH),
        ("Cy sits in.", BOTH),  # a first name alone is nobody's
        ("Cy Lund sat in.", BOTH),
        ("This week Cy Lund is your host.", BOTH),  # takes a second sign
    ],
)
def test_who_presents_for_another_is_the_host_of_that_episode_alone(text, hosts):
    others = {"host": BOTH, "guest": []}
    assert credits_of([text, *plain(2)], HOSTED) == [{"host": hosts, "guest": []}, others, others]


def test_a_guest_is_no_other_host():
    texts = ["Our guest is Cy Lund.", *plain(2)]
    assert credits_of(texts, HOSTED)[0] == {"host": BOTH, "guest": ["Cy Lund"]}


def test_who_stands_in_is_no_guest_of_that_episode():
    texts = ["Cy Lund sits in. Guest: Di Voss. Cy Lund joins us. Cy Lund fires."]
    assert credits_of(texts, HOSTED) == [{"host": ["Cy Lund"], "guest": ["Di Voss"]}]


def test_who_stands_in_is_no_guest_wherever_the_notes_say_so():
    texts = ["Cy Lund joins us. Today Cy Lund sits in."]
    assert credits_of(texts, HOSTED) == [{"host": ["Cy Lund"], "guest": []}]


def test_hosts_whom_the_feed_lists_stay():
    listed = EntryData(title="Part 0", text="Ada is away.", people=(("Ada Roe", "host", ""),))
    entry = SourceEntry("feed", "d", "k", 0, listed, rank=1, url="u")
    (episode,) = resolve([entry], Decisions(), Show("s", "Mill", description=HOSTED), []).episodes
    assert [one.full_name for one in episode.people] == ["Ada Roe"]


@pytest.mark.parametrize(
    "listed, text, hosts",
    [
        ((), "Ada fires.", BOTH),  # the channel's
        ((), "Host: Bo Ek", ["Bo Ek"]),
        ((), "Host: Cy Lund", ["Cy Lund"]),
        ((), "Ada is away.", ["Bo Ek"]),
        ((("Ada Roe", "host", ""),), "Host: Bo Ek", BOTH),  # the episode's own, and its label
        ((("Cy Lund", "guest", ""),), "Clay.", [*BOTH]),
    ],
)
def test_hosts_whom_a_channel_lists_present_where_notes_name_no_others(listed, text, hosts):
    of_all = (("Ada Roe", "host", "https://a.example"), ("Bo Ek", "host", ""), ("Di Voss", "editor", ""))
    item = EntryData(title="Part 0", text=text, people=listed)
    entry = SourceEntry("feed", "d", "k", 0, item, rank=1, url="u")
    (episode,) = resolve([entry], Decisions(), Show("s", "Mill", people=of_all), []).episodes
    assert sorted(one.full_name for one in episode.people if one.role == "host") == hosts


@pytest.mark.parametrize("about, others", [("", BOTH), ("Ada Roe and Bo Ek take turns.", [])])
def test_hosts_whom_a_channel_lists_take_turns_where_the_show_says_so_alone(about, others):
    texts = ["Ada Roe fires a pot.", "Bo Ek fires a jug.", "Ada Roe fires a mug.", "Clay."]
    entries = [
        SourceEntry("feed", "d", f"k{place}", place, EntryData(title=f"Part {place}", text=text), rank=1, url="u")
        for place, text in enumerate(texts)
    ]
    of_all = tuple((name, "host", "") for name in BOTH)
    found = resolve(entries, Decisions(), Show("s", "Mill", description=about, people=of_all), []).episodes
    hosts = {one.merged.title: sorted(who.full_name for who in one.people) for one in found}
    assert hosts["Part 3"] == others
    assert hosts["Part 0"] == (BOTH if others else ["Ada Roe"])


# --- Turns ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "alone, turns",
    [
        (["Ada Roe", "Bo Ek", "Ada Roe"], True),
        (["Ada Roe", "Bo Ek"], False),  # HABIT
        (["Ada Roe"] * 4, False),  # one of them alone
        (["Ada", "Bo", "Ada", "Bo"], False),  # who presents together goes by first names
    ],
)
def test_hosts_take_turns_where_notes_give_the_full_names_of_several_alone(alone, turns):
    texts = [f"{name} fires pot {place}." for place, name in enumerate(alone)]
    found = hosts_of([*texts, "Ada and Bo fire.", "Ada fires.", *plain(1)], HOSTED)
    turn = [[host for host in BOTH if name in host] for name in alone]
    assert found[: len(alone)] == (turn if turns else [BOTH] * len(alone))
    assert found[len(alone) :] == [BOTH, ["Ada Roe"] if turns else BOTH, [] if turns else BOTH]


def test_one_host_alone_takes_no_turns():
    texts = ["Ada fires.", "Ada glazes.", "Ada throws.", "Clay and glaze."]
    assert hosts_of(texts, "Hosted by Ada Roe.") == [["Ada Roe"]] * 4


def test_lines_that_notes_repeat_name_nobody_whose_turn_it_is():
    texts = [f"{BOTH[place % 2]} fires pot {place}.\nWrite to Ada." for place in range(4)]
    assert hosts_of(texts, HOSTED) == [["Ada Roe"], ["Bo Ek"]] * 2


@pytest.mark.parametrize(
    "about, hosts",
    [
        ("Hosted in turn by Ada Roe and Bo Ek.", [["Ada Roe"], ["Bo Ek"]]),
        ("Moderiert von Ada Roe und Bo Ek, im Wechsel.", [["Ada Roe"], ["Bo Ek"]]),
        ("Moderiert von Ada Roe und Bo Ek, im Wechsel oder zu zweit.", [BOTH, BOTH]),  # at times together
        ("Hosted by Ada Roe and Bo Ek. Pots and cups in turn.", [BOTH, BOTH]),  # not of them
        ("Hosted by Ada Roe and Bo Ek.", [BOTH, BOTH]),
    ],
)
def test_of_hosts_who_take_turns_by_what_the_show_says_those_present_whom_notes_name(
    about: str, hosts: list[list[str]]
) -> None:
    texts = ["Ada fires clay.", "Bo fires clay."]
    assert hosts_of([*texts, *texts, "On clay."], about) == [*hosts, *hosts, BOTH if BOTH in hosts else []]


# --- Whom a description names and the notes again -------------------------------------------------


def named_again(about, text, **more):
    """The hosts of a show whose notes all say that; the first one of them."""
    return hosts_of([f"{text} {place}." for place in range(3)], about, **more)[0]


@pytest.mark.parametrize(
    "again, count, hosts",
    [(3, 15, ["Ada Roe"]), (3, 16, []), (4, 20, ["Ada Roe"]), (4, 21, []), (2, 2, []), (3, 3, ["Ada Roe"])],
)
def test_whom_a_fifth_of_the_notes_name_again_is_a_host(again, count, hosts):
    texts = [f"Ada fires pot {place}." for place in range(again)] + plain(count - again)
    assert hosts_of(texts, "Ada Roe and a heap of clay.") == [hosts] * count


@pytest.mark.parametrize(
    "about, text, hosts",
    [
        ("Ada Roe and a heap of clay.", "Roe fires pot", ["Ada Roe"]),
        ("Ada Roe and Bo Ek, and clay.", "Ada and Bo fire pot", BOTH),
        ("Ada Roe and Bo Ek, and clay.", "Ada fires pot", BOTH),  # with whom she is joined
        ("Ada Roe fires. Bo Ek, and clay.", "Ada fires pot", ["Ada Roe"]),
        ("Ada Roe and a heap of clay.", "Adam fires pot", []),
        ("Ada Roe and a heap of clay.", "Pot and Roes", []),
        ("Ada and a heap of clay.", "Ada fires pot", []),
        ("The Roe Lund fires. Clay.", "Roe fires pot", []),
        ("A cup of Ada Roe. Clay.", "Ada fires pot", []),
        ("Clay in Port Roe.", "Roe fires pot", []),
        ("„Port Roe“ is clay.", "Roe fires pot", []),
        ("Clay and «Port Roe».", "Roe fires pot", []),
        ("A heap of clay.", "Ada fires pot", []),
        ("", "Ada fires pot", []),
    ],
)
def test_a_name_of_the_description_is_a_hosts_but_beside_things(about, text, hosts):
    assert named_again(about, text) == hosts


def test_a_show_is_none_of_its_hosts():
    assert named_again("Ada Roe and Bo Ek, and clay.", "Ada and Bo fire pot", title="Ada Roe") == ["Bo Ek"]
    assert named_again("Ada Roe and Bo Ek, and clay.", "Ada and Bo fire pot", title="The Ada Roe") == ["Bo Ek"]
    assert named_again("Ada Roe and Bo Ek, and clay.", "Ada and Bo fire pot", title="Ada") == BOTH


@pytest.mark.parametrize(
    "author, hosts",
    [
        ("Millstone Roebuck Ltd", BOTH),
        ("Ada Lund Ltd", BOTH),  # a word of it
    ],
)
def test_whom_the_show_is_of_is_no_host(author, hosts):
    assert named_again("Ada Roe and Bo Ek, and clay.", "Ada and Bo fire pot", author=author) == hosts


@pytest.mark.parametrize(
    "about, text, hosts",
    [
        ("森山花と川上太一が話す番組。", "森山と川上の話", ["川上太一", "森山花"]),
        ("森山花と川上太一が話す番組。", "川上の話", ["川上太一"]),
        ("森山花と川上太一が話す番組。", "太一の話", ["川上太一"]),
        ("森山花と川上太一が話す番組。", "山花の話", ["森山花"]),
        ("森山花と川上太一が話す番組。", "土の話", []),
        ("森山花、土の番組。", "森山の話", []),  # before no particle
        ("森花と土の番組。", "森花の話", []),  # two signs may be anything
    ],
)
def test_japanese_names_stand_before_a_particle(about, text, hosts):
    assert named_again(about, text, language="ja") == hosts


# --- The author -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "about, author, hosts",
    [
        ("Hosted by Ada Roe.", "Cy Lund", ["Ada Roe"]),
        ("Hosted by Ada Roe.", "Ada Roe", ["Ada Roe"]),
        ("Hosted by Ada Roe.", "Ada Roe, Cy Lund", ["Ada Roe"]),
        ("A heap of clay.", "Cy Lund", ["Cy Lund"]),
        ("Told by Ada Roe.", "Cy Lund", ["Ada Roe"]),
        ("Ada Roe and a heap of clay.", "Cy Lund", ["Ada Roe"]),
        ("Ada Roe and a heap of clay.", "", ["Ada Roe"]),
        ("Ada Roe and a heap of clay. A Jan Lund original.", "Jan Lund", ["Ada Roe"]),
        ("Ada Roe and a heap of clay. Jan Lund on Monday.", "Jan Lund", ["Ada Roe", "Jan Lund"]),  # by name
        ("Ada Roe and a heap of clay. Onda Zyggax on Monday.", "Onda Zyggax", ["Ada Roe"]),  # perhaps nobody
    ],
)
def test_an_author_beside_whom_others_present_is_no_host(about, author, hosts):
    assert named_again(about, "Ada fires pot", author=author) == hosts


@pytest.mark.parametrize(
    "text, hosts", [("Ada fires pot with Cy,", ["Cy Lund"]), ("Ada fires pot with Cyd,", ["Ada Roe"])]
)
def test_an_author_whom_notes_never_name_is_no_host_beside_those_whom_they_name_again(text, hosts):
    assert named_again("Ada Roe and a heap of clay.", text, author="Cy Lund") == hosts


def test_whom_the_description_presents_needs_no_notes():
    texts = ["Bo fires pot 1.", "Bo fires pot 2.", "Bo fires pot 3."]
    assert hosts_of(texts, "Hosted by Ada Roe. Bo Ek fires clay.") == [["Ada Roe"]] * 3


def test_an_author_whom_the_description_presents_needs_no_other_episode():
    assert hosts_of(["Clay."], "Hosted by Ada Roe.", "Ada Roe") == [["Ada Roe"]]
    assert hosts_of(["Clay.", "Pots."], "Hosted by Ada Roe.", "Cy Lund") == [["Ada Roe"]] * 2


# --- First names alone ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "about, author, hosts",
    [
        ("Talks about clay.", "Ida, Jan", ["Ida", "Jan"]),
        ("Talks about clay.", "Ida", ["Ida"]),
        ("Talks about clay.", "Zyggax", []),
        ("Talks about clay.", "Ida, Zyggax", ["Ida"]),
        ("Ida und Jan sprechen über Ton.", "", ["Ida", "Jan"]),
        ("Ida und Zyggax sprechen über Ton.", "", []),
        ("Long talks about clay.", "", []),  # also a first name
        ("Hosts: Ida Roe, Jan Birk.", "", ["Ida Roe", "Jan Birk"]),
        ("Hosts: Ida Roe, Zyggax Birk.", "", ["Ida Roe"]),  # may be what she is
        ("진행은 번역가 한서윤, 작가 도기훈.", "", ["도기훈", "한서윤"]),
        ("번역가 한서윤과 작가 도기훈이 진행하는 책 이야기.", "", ["도기훈", "한서윤"]),
        ("진행: 한서윤(번역가), 도기훈(작가).", "", ["도기훈", "한서윤"]),
    ],
)
def test_hosts_may_be_known_by_their_first_names_alone(about, author, hosts):
    assert hosts_of(["On clay."] * 3, about, author) == [hosts] * 3


@pytest.mark.parametrize("known, names", [((), ["Ida", "Jan"]), (("Bo Ek",), [])])
def test_first_names_alone_are_hosts_where_none_is_known(known, names):
    told = named_in("Ida and Jan takes over the show.", "en", frozenset(known), "instead")
    assert [one.name.name for one in told] == names


def test_who_go_by_first_names_present_together():
    texts = ["Ida fires clay.", "Jan fires clay.", "Ida fires clay.", "Jan fires clay."]
    assert hosts_of(texts, author="Ida, Jan") == [["Ida", "Jan"]] * 4


SAID_AGAIN = [f"Ada Roe is in the lighthouse, part {place}." for place in range(4)]


@pytest.mark.parametrize(
    "about, categories, hosts",
    [
        ("Written by Ada Roe.", (), ["Ada Roe"]),
        ("An audio drama. Written by Ada Roe.", (), []),
        ("Ein Hörspiel von Ada Roe.", (), []),
        ("Written by Ada Roe.", ("Fiction",), []),
        ("Written by Ada Roe.", ("Drama", "Fiction"), []),
        ("Written by Ada Roe.", ("Arts",), ["Ada Roe"]),
        ("An audio drama. Hosted by Ada Roe.", (), ["Ada Roe"]),
    ],
)
def test_whom_a_play_names_presents_nothing_unless_it_says_so(about, categories, hosts):
    assert hosts_of(SAID_AGAIN, about, categories=categories) == [hosts] * 4


@pytest.mark.parametrize(
    "about, guests", [("Talks about clay.", [["Bo Ek"], ["Ida Voss"]]), ("A radio play.", [[], []])]
)
def test_who_is_listed_in_a_play_or_opens_what_is_said_of_it_has_a_part_in_it(about, guests):
    texts = ["Medvirkende: Bo Ek.", "Ida Voss explains how clay is fired.", "Cy Lund joins us."]
    assert [own["guest"] for own in credits_of(texts, about)] == [*guests, ["Cy Lund"]]


def test_a_sentence_that_presents_nobody_with_a_known_first_name_presents_none_beside_one_that_does():
    assert (
        hosts_of(plain(3), "Hosted by Ada Roe and Zyggax Ek. A podcast by Onda Zyggax.")
        == [["Ada Roe", "Zyggax Ek"]] * 3
    )
    assert hosts_of(plain(3), "A podcast by Onda Zyggax.") == [["Onda Zyggax"]] * 3


@pytest.mark.parametrize(
    "authors, hosts",
    [
        (["Ada Roe", "Bo Ek"], [["Ada Roe"], ["Bo Ek"]]),
        (["Mill Radio", "Bo Ek"], [BOTH[::-1], ["Bo Ek"]]),  # the show's own
        (["Ada Roe and Bo Ek", "Cy Lund"], [BOTH[::-1]] * 2),
    ],
)
def test_an_author_of_one_episode_who_is_a_host_of_the_show_presents_it_alone(authors, hosts):
    found = hosts_of(plain(4), HOSTED, "Mill Radio", authors=authors * 2)
    assert found == [sorted(names) for names in hosts * 2]
