"""The laws of the catalog over generated shows: the order of evidence is irrelevant, no two episodes are merged, none
is lost, and unconfirmed pages change nothing."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.identity import was_in_future
from episodes.records import Decisions, EntryData, ResolvedEpisode, ResolvedShow, Show, SourceEntry
from episodes.resolve.pipeline import ShowInputs, resolve_show

from ..examples import examples
from . import build

SUBJECTS = (
    "springs", "gears", "coils", "nuts", "bolts", "TH", "XLA", "vmap", "graphs", "graph trees", "cams", "bearings",
)  # fmt: skip
FORMS = (
    "{}", "{}", "{} in depth", "History of {}", "History and constraints of {}", "{} questions", "What are {}?", "{}, part 1",
    "{}, part 2",
)  # fmt: skip
BOILERPLATE = "Welcome to the show. Every week we take a part of a machine apart and put it together again, slowly. "
OPENINGS = ("", "", "", BOILERPLATE)
WORDS = (
    "the a of to we how why what when part whole metal steel brass turning milling drilling angle force torque speed wear oil "
    "heat cold shaft wheel tooth thread pitch load stress fatigue crack repair tool bench vice file saw hammer measure gauge"
).split()
MARKS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima".split()


@dataclass(frozen=True)
class TrueEpisode:
    """An episode as it is, whatever sources publish about it."""

    title: str
    text: str
    day: date
    seconds: int


@st.composite
def shows(draw: st.DrawFn) -> list[TrueEpisode]:
    """Generate episodes, newest first, with different titles."""
    subjects = draw(
        st.lists(st.tuples(st.sampled_from(FORMS), st.sampled_from(SUBJECTS)), min_size=1, max_size=9, unique=True)
    )
    opening = draw(st.sampled_from(OPENINGS))
    day = date(2024, 1, 1)
    episodes = []
    # Two episodes may share their boilerplate and their words, but not the whole text.
    marks = iter(draw(st.permutations(MARKS)))
    for form, subject in subjects:
        day -= timedelta(days=draw(st.integers(1, 200)))
        words = draw(st.lists(st.sampled_from(WORDS), min_size=12, max_size=60))
        text = f"{opening}About {next(marks)} and {' '.join(words)}."
        title = form.format(subject)
        episodes.append(TrueEpisode(title[0].upper() + title[1:], text, day, draw(st.integers(300, 2400))))
    return episodes


@dataclass(frozen=True)
class Changes:
    """How a source changes the episodes that it lists."""

    cut: int
    drop_titles: bool
    drop_texts: bool
    drop_dates: bool
    minutes: bool
    shift: int
    retitle: str
    glue: bool


CHANGES = st.builds(
    Changes,
    cut=st.sampled_from((0, 0, 150, 200, 297, 350)),
    drop_titles=st.booleans(),
    drop_texts=st.booleans(),
    drop_dates=st.booleans(),
    minutes=st.booleans(),
    shift=st.sampled_from((0, 0, 1, -1, 20)),
    retitle=st.sampled_from(("{}", "{}", "The Machine Show: {}", "{} | The Machine Show", "#{n} {}", "{} (audio)", "{}")),
    glue=st.booleans(),
)  # fmt: skip


def listed(
    episodes: list[TrueEpisode], changes: Changes, name: str, rank: int, kept: list[bool]
) -> list[tuple[SourceEntry, int]]:
    """Return the entries of a source for the episodes that it kept, each with the index of its episode."""
    entries = []
    for index, episode in enumerate(episodes):
        if not kept[index]:
            continue
        values = _changed_values(episode, changes, len(episodes) - index)
        if values.title or len(values.text) >= 60:
            page = f"https://{name}.example/"
            entry = SourceEntry(name, page, f"k{index}", len(entries) + 1, values, rank=rank, url=page)
            entries.append((entry, index))
    return entries


def _changed_values(episode: TrueEpisode, changes: Changes, number: int) -> EntryData:
    title = "" if changes.drop_titles else changes.retitle.format(episode.title, n=number)
    text = "" if changes.drop_texts else episode.text
    cut = bool(changes.cut) and len(text) > changes.cut
    text = text[: changes.cut] + "…" if cut else text
    day = "" if changes.drop_dates else (episode.day + timedelta(days=changes.shift)).isoformat()
    span = (episode.seconds // 60 * 60, episode.seconds // 60 * 60 + 59) if changes.minutes else (episode.seconds,) * 2
    values = EntryData(
        title=title, text=text.replace(" the ", " the") if changes.glue else text, cut=cut, published=day, date_raw=day
    )
    return values if changes.drop_dates else replace(values, seconds_low=span[0], seconds_high=span[1])


@st.composite
def worlds(draw: st.DrawFn) -> list[tuple[SourceEntry, int]]:
    """Generate a feed and up to three listings of one show. Return entries, each with the index of its episode."""
    episodes = draw(shows())
    plain = Changes(0, False, False, False, False, 0, "{}", False)
    entries: list[tuple[SourceEntry, int]] = []
    # Boilerplate is recognised only if two episodes of the show have it.
    if draw(st.booleans()) or any(e.text.startswith(BOILERPLATE) for e in episodes):
        entries = listed(episodes, replace(plain, drop_dates=draw(st.booleans())), "feed", 1, [True] * len(episodes))
    for rank in range(2, draw(st.integers(2, 4)) + 1):
        kept = draw(st.lists(st.booleans(), min_size=len(episodes), max_size=len(episodes)))
        entries += listed(episodes, draw(CHANGES), f"site{rank}", rank, kept)
    return entries


STRANGER = "stranger"
ADDED_WORDS = ("", "", " and buy our gold", " With our guest Eve Gold, see https://stranger.example/shop for more.")


@st.composite
def shows_with_unconfirmed_pages(draw: st.DrawFn) -> tuple[list[SourceEntry], list[SourceEntry]]:
    """Generate the entries of a show, and entries of unconfirmed pages that mix the values of its episodes."""
    confirmed = []
    for entry, number in draw(worlds()):
        has_addresses = draw(st.booleans())
        confirmed.append(_with_addresses(entry, number) if has_addresses else entry)
    values = [entry.values for entry in confirmed] or [EntryData(title="Gears")]
    return confirmed, [_unconfirmed_entry(draw, values, index) for index in range(draw(st.integers(1, 6)))]


def _with_addresses(entry: SourceEntry, number: int) -> SourceEntry:
    guid = f"guid-{number}" if entry.source == "feed" else ""
    page, audio = f"https://show.example/{number}", f"https://cdn.example/{number}.mp3"
    return replace(entry, values=replace(entry.values, guid=guid, url=page, audio_url=audio))


def _unconfirmed_entry(draw: st.DrawFn, known_values: list[EntryData], index: int) -> SourceEntry:
    """Return an entry of an unconfirmed page. Each value is of some episode, made up, or missing."""

    def any_value(name: str) -> str:
        return str(getattr(draw(st.sampled_from([*known_values, EntryData()])), name))

    minutes = draw(st.sampled_from((None, 5, 20, 99)))
    page = draw(st.integers(1, 2))
    values = EntryData(
        title=any_value("title"),
        text=any_value("text") + draw(st.sampled_from(ADDED_WORDS)),
        published=any_value("published"),
        url=any_value("url"),
        audio_url=any_value("audio_url"),
        guid=any_value("guid"),
        number=draw(st.sampled_from((None, None, 1, 2, 77))),
        seconds_low=None if minutes is None else minutes * 60,
        seconds_high=None if minutes is None else minutes * 60 + 59,
        show=draw(st.sampled_from(("", "The Machine Show"))),
        author="Eve Gold",
        keywords=("gold",),
        people=(("Eve Gold", "guest", "https://stranger.example/eve"),),
        episode_type=draw(st.sampled_from(("", "bonus"))),
    )
    return SourceEntry(
        STRANGER,
        f"https://stranger.example/{page}",
        f"unconfirmed-{index}",
        index + 1,
        values,
        rank=draw(st.sampled_from((0, 3, 100))),
        may_create=draw(st.booleans()),
        is_publisher=draw(st.booleans()),
        is_confirmed=False,
        is_post=draw(st.sampled_from((False, False, False, True))),
    )


SHOW = Show("machines", "The Machine Show")
World = list[tuple[SourceEntry, int]]


def catalog(entries: list[SourceEntry]) -> ResolvedShow:
    return resolve_show(ShowInputs(entries, Decisions(), SHOW, []))


@settings(max_examples=examples(25, 300))
@given(worlds(), st.randoms(use_true_random=False))
def test_order_of_evidence_is_irrelevant(world: World, chance: object) -> None:
    entries = [entry for entry, _ in world]
    expected = catalog(entries)
    chance.shuffle(entries)  # type: ignore[attr-defined]
    assert catalog(entries) == expected


@settings(max_examples=examples(25, 300))
@given(worlds(), st.integers(-40, 400))
def test_episodes_of_the_future_lead_only_each_other(world: World, days: int) -> None:
    entries = [entry for entry, _ in world]
    dates = [entry.values.moment.at for entry in entries if entry.values.moment]
    read_at = min(dates, default=datetime(2021, 1, 1, tzinfo=UTC)) + timedelta(days=days)
    result = resolve_show(ShowInputs(entries, Decisions(), SHOW, [], last_import_at=read_at)).episodes
    waiting = [e for e in result if e.merged.moment and was_in_future(e.merged.moment.at, read_at)]
    assert not waiting or result[-1] not in waiting or waiting == list(result)
    # Only episodes with a date ahead sort before their date.
    before = [e for e in result if e.merged.moment and e.sorted_at < e.merged.moment.at]
    assert before == waiting
    at_last = max(dates, default=read_at)
    assert resolve_show(ShowInputs(entries, Decisions(), SHOW, [], last_import_at=at_last)) == catalog(entries)


@settings(max_examples=examples(50, 600))
@given(worlds())
def test_entries_are_neither_lost_nor_merged_wrongly(world: World) -> None:
    truth = {entry.ref: number for entry, number in world}
    result = catalog([entry for entry, _ in world])
    attached, held = [e.ref for own in result.episodes for e in own.entries], [e.ref for e, _ in result.held]
    assert sorted([*attached, *held, *(e.ref for e in result.ignored)]) == sorted(truth)
    assert {truth[ref] for ref in attached + held} == set(truth.values())
    assert len({e.slug for e in result.episodes}) == len(result.episodes)
    assert [e.order for e in result.episodes] == list(range(1, len(result.episodes) + 1))
    for episode in result.episodes:
        assert len({truth[entry.ref] for entry in episode.entries}) == 1
        sources = {entry.source: entry.values for entry in episode.entries}
        title = episode.merged.provenance["title"].source
        assert (title is None) == (episode.merged.title == "")
        assert title is None or sources[title].title == episode.merged.title


@settings(max_examples=examples(25, 300), deadline=None)
@given(shows_with_unconfirmed_pages())
def test_unconfirmed_pages_change_only_where_episodes_are_listed(
    world: tuple[list[SourceEntry], list[SourceEntry]],
) -> None:
    confirmed, pages = world
    before, after = catalog(confirmed), catalog([*confirmed, *pages])
    assert [_of_trusted(episode) for episode in after.episodes] == list(before.episodes)
    assert [one for one in after.held if one[0].is_confirmed] == list(before.held)
    assert [entry for entry in after.ignored if entry.is_confirmed] == list(before.ignored)
    assert {ref: own for ref, own in after.reasons.items() if ref[0] != STRANGER} == before.reasons
    assert (after.link_titles, after.declared_topics) == (before.link_titles, before.declared_topics)
    places = [e.ref for episode in after.episodes for e in episode.entries if not e.is_confirmed]
    places += [e.ref for e, _ in after.held if not e.is_confirmed] + [
        e.ref for e in after.ignored if not e.is_confirmed
    ]
    assert sorted(places) == sorted(entry.ref for entry in pages if not entry.is_post)


def _of_trusted(episode: ResolvedEpisode) -> ResolvedEpisode:
    """Return the episode without the entries of unconfirmed pages."""
    return replace(episode, entries=tuple(entry for entry in episode.entries if entry.is_confirmed))


def test_replaced_title_keeps_its_address() -> None:
    springs = build.entry("Springs", build.LONG, number=1, day="2021-06-01")
    springs = replace(springs, titles=((1, "Springs"),))
    other = build.entry("Springs!", build.OTHER, number=2, day="2021-07-01", source="listing")
    renamed = Decisions(overrides=((springs.source_key, "title", "Coils"),))
    slugs = [episode.slug for episode in resolve_show(ShowInputs([springs, other], renamed, SHOW, [])).episodes]
    assert slugs == ["coils", "springs-2"], "/springs/ redirects to Coils"
