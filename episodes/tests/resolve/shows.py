"""Invents shows and the places that list them, cutting, dropping, gluing, re-dating and re-titling; the truth is kept beside."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from hypothesis import strategies as st

from episodes.records import EntryData, SourceEntry

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
class True_:  # noqa: N801
    title: str
    text: str
    day: date
    seconds: int


@st.composite
def shows(draw: st.DrawFn) -> list[True_]:
    """Episodes newest first, with different titles or, as re-runs, equal ones far apart."""
    subjects = draw(
        st.lists(st.tuples(st.sampled_from(FORMS), st.sampled_from(SUBJECTS)), min_size=1, max_size=9, unique=True)
    )
    opening = draw(st.sampled_from(OPENINGS))
    day = date(2024, 1, 1)
    episodes = []
    # Two episodes may begin with the same boilerplate and go on with the same words, but not say the same throughout.
    marks = iter(draw(st.permutations(MARKS)))
    for form, subject in subjects:
        day -= timedelta(days=draw(st.integers(1, 200)))
        words = draw(st.lists(st.sampled_from(WORDS), min_size=12, max_size=60))
        text = f"{opening}About {next(marks)} and {' '.join(words)}."
        title = form.format(subject)
        episodes.append(True_(title[0].upper() + title[1:], text, day, draw(st.integers(300, 2400))))
    return episodes


@dataclass(frozen=True)
class Habit:
    """The habits of a place: changes that it makes to what it lists."""

    cut: int
    drop_titles: bool
    drop_texts: bool
    drop_dates: bool
    minutes: bool
    shift: int
    retitle: str
    glue: bool


HABITS = st.builds(
    Habit,
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
    episodes: list[True_], habit: Habit, name: str, rank: int, kept: list[bool]
) -> list[tuple[SourceEntry, int]]:
    """The entries of a place for the episodes it kept, each with the number of the true one."""
    found = []
    for place, episode in enumerate(episodes):
        if not kept[place]:
            continue
        said = _said(episode, habit, len(episodes) - place)
        if not (said.title or len(said.text) >= 60):
            continue
        page = f"https://{name}.example/"
        entry = SourceEntry(name, page, f"k{place}", len(found) + 1, said, rank=rank, url=page)
        found.append((entry, place))
    return found


def _said(episode: True_, habit: Habit, number: int) -> EntryData:
    title = "" if habit.drop_titles else habit.retitle.format(episode.title, n=number)
    text = "" if habit.drop_texts else episode.text
    cut = bool(habit.cut) and len(text) > habit.cut
    text = text[: habit.cut] + "…" if cut else text
    day = "" if habit.drop_dates else (episode.day + timedelta(days=habit.shift)).isoformat()
    span = (episode.seconds // 60 * 60, episode.seconds // 60 * 60 + 59) if habit.minutes else (episode.seconds,) * 2
    said = EntryData(
        title=title, text=text.replace(" the ", " the") if habit.glue else text, cut=cut, published=day, date_raw=day
    )
    return said if habit.drop_dates else replace(said, seconds_low=span[0], seconds_high=span[1])


@st.composite
def worlds(draw: st.DrawFn) -> list[tuple[SourceEntry, int]]:
    """A feed and up to three listings of one show: entries with the number of the episode that each is about."""
    episodes = draw(shows())
    plain = Habit(0, False, False, False, False, 0, "{}", False)
    found: list[tuple[SourceEntry, int]] = []
    # Boilerplate is known for what it is where two episodes of the show have it; one entry alone cannot tell.
    if draw(st.booleans()) or any(e.text.startswith(BOILERPLATE) for e in episodes):
        found = listed(episodes, replace(plain, drop_dates=draw(st.booleans())), "feed", 1, [True] * len(episodes))
    for rank in range(2, draw(st.integers(2, 4)) + 1):
        kept = draw(st.lists(st.booleans(), min_size=len(episodes), max_size=len(episodes)))
        found += listed(episodes, draw(HABITS), f"site{rank}", rank, kept)
    return found


STRANGER = "stranger"
LIES = ("", "", " and buy our gold", " With our guest Eve Gold, see https://stranger.example/shop for more.")


@st.composite
def besieged(draw: st.DrawFn) -> tuple[list[SourceEntry], list[SourceEntry]]:
    """A show, and pages of strangers that mix what is known of its episodes as they like."""
    known = [_with_addresses(entry, number, draw(st.booleans())) for entry, number in draw(worlds())]
    said = [entry.values for entry in known] or [EntryData(title="Gears")]
    return known, [_lie(draw, said, place) for place in range(draw(st.integers(1, 6)))]


def _with_addresses(entry: SourceEntry, number: int, is_given: bool) -> SourceEntry:
    if not is_given:
        return entry
    guid = f"guid-{number}" if entry.source == "feed" else ""
    page, audio = f"https://show.example/{number}", f"https://cdn.example/{number}.mp3"
    return replace(entry, values=replace(entry.values, guid=guid, url=page, audio_url=audio))


def _lie(draw: st.DrawFn, said: list[EntryData], place: int) -> SourceEntry:
    """An entry of an unconfirmed page: each value is of some known episode, made up, or missing."""

    def of_some(name: str) -> str:
        return str(getattr(draw(st.sampled_from([*said, EntryData()])), name))

    minutes = draw(st.sampled_from((None, 5, 20, 99)))
    page = draw(st.integers(1, 2))
    lie = EntryData(
        title=of_some("title"),
        text=of_some("text") + draw(st.sampled_from(LIES)),
        published=of_some("published"),
        url=of_some("url"),
        audio_url=of_some("audio_url"),
        guid=of_some("guid"),
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
        f"lie{place}",
        place + 1,
        lie,
        rank=draw(st.sampled_from((0, 3, 100))),
        may_create=draw(st.booleans()),
        is_publisher=draw(st.booleans()),
        is_confirmed=False,
        is_post=draw(st.sampled_from((False, False, False, True))),
    )
