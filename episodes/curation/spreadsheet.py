"""The catalog as a sheet that people edit in a spreadsheet, and what they changed in it when it comes back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256

from django.db.models import Prefetch, QuerySet

from ..fields import BY_HAND, BY_NAME, CSV, NUMBER, OVERRIDABLE, SEASON, TITLE
from ..models import BATCH, Attachment, Episode, EpisodeTopic, Podcast, batches
from ..text.formulas import as_meant
from ..text.normalize import fold
from .addresses import trouble_with_address
from .by_hand import NewEpisode, add_episodes, new_episode
from .entries import entries, tokens
from .history import Batch, Impossible, User, together
from .lists import add, remove, topic_names
from .sheet_files import Table, Unreadable, read_table, write_csv, write_xlsx
from .verbs import clean, override

FIELDS = tuple(field.name for field in OVERRIDABLE)
EDITED = (*FIELDS, "topics")
COLUMNS = (*CSV, *(name for name in FIELDS if name not in CSV), "source", "item_key", "as_downloaded")
LABELS = {name: BY_NAME[name].label for name in FIELDS} | {"topics": "Topics", "podcast": "Show"}
# A column is known by its name in exports, and by the label of its field.
HEADERS = {label.lower(): name for name, label in LABELS.items()} | {name: name for name in COLUMNS}
WIDE = {"title": 40, "description_text": 60, "url": 30, "audio_url": 30, "topics": 30}
CELL = 32_000  # a little less than what a spreadsheet keeps of a cell; the rest it drops without a word
DIGEST = 6
ERRORS = frozenset(("#REF!", "#NAME?", "#VALUE!", "#DIV/0!", "#N/A", "#NULL!", "#NUM!"))
CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32)))  # which no workbook takes


@dataclass(frozen=True)
class Cell:
    """A difference: of a field its value, of the topics one that comes or goes. `doubt`: why it is not ticked."""

    field: str
    now: str
    new: str
    doubt: str = ""

    @property
    def label(self) -> str:
        return LABELS[self.field]


@dataclass
class SheetRow:
    """An episode of the sheet with what is different in it, or a new one of the show `podcast`."""

    line: int
    slug: str
    heading: str
    token: str
    cells: list[Cell] = field(default_factory=list)
    podcast: str = ""

    def value(self, name: str) -> str:
        return next((cell.new for cell in self.cells if cell.field == name), "")


@dataclass
class Spreadsheet:
    """The content of a sheet: rows with differences, and its problems in words."""

    rows: list[SheetRow] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read: int = 0
    how: str = ""  # format and encoding
    guessed: bool = False  # the encoding


# --- Out -------------------------------------------------------------------------------------------------------------


def write_sheet(episodes: QuerySet[Episode], kind: str = "csv") -> bytes:
    """The sheet of some episodes, in the order of the query, as `csv` or `xlsx`."""
    rows = _sheet_rows(episodes)
    return write_xlsx(rows, [WIDE.get(name, 14) for name in COLUMNS]) if kind == "xlsx" else write_csv(rows)


def _sheet_rows(episodes: QuerySet[Episode]) -> Iterator[Sequence[str]]:
    uses = EpisodeTopic.objects.select_related("topic")
    rows = list(episodes.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses)).iterator(BATCH))
    known = entries(rows)
    seen = tokens(rows, known)
    yield COLUMNS
    for episode in rows:
        values = values_of(episode)
        source, key = known[episode.pk][0] if known[episode.pk] else ("", "")
        anchored = {"podcast": episode.podcast.slug, "source": source, "item_key": key}
        state = f"{seen[episode.pk]}-{''.join(digest(values[name]) for name in EDITED)}"
        whole = {**values, **anchored, "as_downloaded": state}
        yield [whole[name] for name in COLUMNS]


def values_of(episode: Episode) -> dict[str, str]:
    topics = " ".join(sorted(use.topic.slug for use in episode.topic_uses.all()))
    return {**{name: BY_NAME[name].shown(episode) for name in FIELDS}, "topics": topics}


def even(value: str) -> str:
    """A value without what spreadsheets change on their own."""
    return value.replace("\r\n", "\n").replace("\r", "\n").translate(CONTROLS).strip()


def digest(value: str) -> str:
    return sha256(even(value).encode("utf-8", "replace")).hexdigest()[:DIGEST]


# --- In --------------------------------------------------------------------------------------------------------------


def read_sheet(body: bytes) -> Spreadsheet:
    """Differences in a sheet that comes back.

    Raises:
        Unreadable: it is too large, in an unknown encoding, or its columns are none of ours, or too many, or named twice.
    """
    table = read_table(body, HEADERS.keys())
    sheet = Spreadsheet(problems=table.notes, how=table.how, guessed=table.guessed)
    records = list(_records(table, sheet))
    finder = _Finder([record for _, record in records])
    taken: dict[int, int] = {}
    for line, record in records:
        sheet.read += 1
        episode = finder.find(record)
        if episode is None and _is_new(record):
            _add_new(record, line, sheet, finder)
        elif episode is None:
            sheet.problems.append(f"Row {line}: no episode is “{_name(record)}”.")
        elif episode.pk in taken:
            sheet.problems.append(f"Row {line}: the same episode as row {taken[episode.pk]}; only that one was read.")
        else:
            taken[episode.pk] = line
            row = SheetRow(line, episode.slug, episode.heading, _downloaded(record)[0] or finder.tokens[episode.pk])
            row.cells = list(_cells(episode, record, line, sheet, finder))
            if row.cells:
                sheet.rows.append(row)
    _doubt_numbers(sheet.rows, finder)
    return sheet


def _records(table: Table, sheet: Spreadsheet) -> Iterator[tuple[int, dict[str, str]]]:
    (_, header), *rows = table.rows or [(1, [])]
    names = _columns(header, sheet)
    for line, row in rows:
        if any(row[len(names) :]):
            sheet.problems.append(f"Row {line} has more cells than there are columns; those were not read.")
        if any(row):
            yield line, {name: as_meant(cell) for name, cell in zip(names, row, strict=False) if name}


def _columns(header: Sequence[str], sheet: Spreadsheet) -> list[str]:
    """The names of our columns, each in its place; "" for others."""
    typed = [name.strip() for name in header]
    names = [HEADERS.get(name.lower(), HEADERS.get(name.lower().replace(" ", "_"), "")) for name in typed]
    _judge(names)
    unknown = [name[:40] for name, known in zip(typed, names, strict=True) if name and not known]
    sheet.problems += [f"The column “{name}” is not read." for name in dict.fromkeys(unknown)]
    return names


def _judge(names: Sequence[str]) -> None:
    """Refuse column names that do not say what to read."""
    if not set(names) & {"slug", "item_key", "title"}:
        raise Unreadable(
            "The first row must name the columns; “slug”, or “source” and “item_key”, say which episode is meant, and new "
            "episodes need a “title”."
        )
    twice = [f"“{name}”" for name, count in Counter(names).items() if name and count > 1]
    if twice:
        raise Unreadable(f"The first row names a column more than once: {', '.join(twice)}. Leave one of each.")


def _is_new(record: Mapping[str, str]) -> bool:
    return not any(record.get(name, "").strip() for name in ("slug", "item_key")) and "title" in record


def _add_new(record: Mapping[str, str], line: int, sheet: Spreadsheet, finder: _Finder) -> None:
    """A row that names no episode is a new one, unless one of its cells is wrong."""
    trouble: list[str] = []
    cells = list(_all_cells(record, finder, trouble))
    row = SheetRow(line, "", "", "", cells)
    row.heading = row.value(TITLE.name)
    podcast = finder.show(record.get("podcast", "").strip())
    if podcast is None:
        show = record.get("podcast", "").strip()[:60]
        wrong = f"no show is “{show}”" if show else "empty"
        trouble.append(f"Show: {wrong}. Enter one of: {', '.join(finder.shows)}.")
    if not row.heading:
        trouble.append("Title: empty. A new episode needs one.")
    sheet.problems += [f"Row {line}, {words}" for words in trouble]
    if podcast is not None and not trouble:
        row.podcast = podcast.slug
        sheet.rows.append(_doubted_title(row, finder.titles[podcast.pk]))


def _all_cells(record: Mapping[str, str], finder: _Finder, trouble: list[str]) -> Iterator[Cell]:
    """The cells of a new row; what cannot be used is told in `trouble`."""
    for name in (*(stated.name for stated in BY_HAND), "topics"):
        try:
            yield from _new_cells(name, even(record.get(name, "")), finder)
        except Impossible as refusal:
            trouble.append(str(refusal))


def _doubted_title(row: SheetRow, titles: set[str]) -> SheetRow:
    """A new row, not ticked where an episode has its title already; `titles` learns it."""
    if fold(row.heading) in titles:
        row.cells = [replace(cell, doubt="an episode has this title already") for cell in row.cells]
    titles.add(fold(row.heading))
    return row


def _new_cells(name: str, typed: str, finder: _Finder) -> list[Cell]:
    if name == "topics":
        return list(_topics("", typed, "", finder))
    _check_error(name, typed)
    value = clean(name, typed)
    return [Cell(name, "", value)] if value else []


def _name(record: Mapping[str, str]) -> str:
    return (record.get("slug") or record.get("title") or record.get("item_key") or "")[:80]


def _downloaded(record: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The episode's token at the download, and digests of its cells, by column; {} for a sheet without them, or another
    version's."""
    token, _, digests = record.get("as_downloaded", "").strip().partition("-")
    if len(digests) != DIGEST * len(EDITED):
        return token[:16], {}
    return token[:16], {name: digests[place * DIGEST :][:DIGEST] for place, name in enumerate(EDITED)}


class _Finder:
    """All episodes with what tells them, and those that a sheet names with all their values, asked for once."""

    def __init__(self, records: Sequence[Mapping[str, str]]) -> None:
        known = Episode.objects.select_related("podcast").only("slug", "title", "number", "season", "podcast__slug")
        self.episodes = list(known.order_by("pk"))
        by_id = {e.pk: e for e in self.episodes}
        rows = Attachment.objects.values_list(
            "episode", "episode__podcast__slug", "item__document__source__slug", "item__key"
        )
        self.by_entry = {(show, source, key): by_id[pk] for pk, show, source, key in rows if pk in by_id}
        self.by_slug = {e.slug: e for e in self.episodes}
        self.topics = topic_names()
        self.shows = {show.slug: show for show in Podcast.objects.shown()}
        self.titles: dict[int, set[str]] = defaultdict(set)
        for e in self.episodes:
            self.titles[e.podcast_id].add(fold(e.title))
        self.named = self._named(records)
        self.tokens = tokens(list(self.named.values()))

    def _named(self, records: Sequence[Mapping[str, str]]) -> dict[int, Episode]:
        """The whole episodes, by id: of ten thousand most sheets name a few."""
        ids = sorted({found.pk for record in records if (found := self._known(record))})
        uses = EpisodeTopic.objects.select_related("topic")
        whole = Episode.objects.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses))
        return {e.pk: e for some in batches(ids) for e in whole.filter(pk__in=some)}

    def show(self, name: str) -> Podcast | None:
        """The show of this slug or title; the only one where none is named."""
        if not name and len(self.shows) == 1:
            return next(iter(self.shows.values()))
        titled = (show for show in self.shows.values() if fold(show.title) == fold(name))
        return self.shows.get(name) or (next(titled, None) if name else None)

    def find(self, record: Mapping[str, str]) -> Episode | None:
        known = self._known(record)
        return self.named.get(known.pk) if known else None

    def _known(self, record: Mapping[str, str]) -> Episode | None:
        where = tuple(record.get(name, "").strip() for name in ("podcast", "source", "item_key"))
        found = self.by_entry.get((where[0], where[1], where[2]))
        if found is None and not where[2]:
            found = self.by_slug.get(record.get("slug", "").strip())
        return found if found is None or where[0] in ("", found.podcast.slug) else None


def _cells(
    episode: Episode, record: Mapping[str, str], line: int, sheet: Spreadsheet, finder: _Finder
) -> Iterator[Cell]:
    """The cells that a person changed since the sheet was made; without that knowledge, those that differ."""
    now, (_, downloaded) = values_of(episode), _downloaded(record)
    for name in EDITED:
        # Without the entry's key the address only says which episode is meant.
        if name not in record or (name == "slug" and not record.get("item_key")):
            continue
        new, before = even(record[name]), downloaded.get(name)
        if new == even(now[name]) or digest(new) == before:
            continue
        try:
            _check(episode, name, new, now[name])
            doubt = "" if before in (None, digest(now[name])) else "changed in the catalog since the download"
            if name == "topics":
                yield from _topics(now[name], new, doubt, finder)
            else:
                yield from _field(name, now[name], new, doubt, guessed=sheet.guessed)
        except Impossible as trouble:
            sheet.problems.append(f"Row {line}, {trouble}")


def _check(episode: Episode, name: str, new: str, now: str) -> None:
    """Refuse what cannot be meant.

    Raises:
        Impossible: the spreadsheet cut the text off or shows an error, or the address is another episode's.
    """
    if len(new) >= CELL and even(now).startswith(new):
        raise Impossible(f"{LABELS[name]}: the spreadsheet cut the text off; it was not read.")
    _check_error(name, new)
    if name == "slug" and (taken := trouble_with_address(new, episode.podcast, [episode])):
        raise Impossible(f"{LABELS[name]}: {taken}")


def _check_error(name: str, new: str) -> None:
    if new in ERRORS:
        raise Impossible(f"{LABELS[name]}: the cell shows the error {new}. Correct it in the spreadsheet.")


def _field(name: str, now: str, new: str, doubt: str, *, guessed: bool) -> Iterator[Cell]:
    value = clean(name, new)
    if value == now or (guessed and new == now.encode("cp1252", "replace").decode("cp1252")):
        return
    if guessed and _plain(new) == _plain(now):
        doubt = doubt or "only special characters differ; the file is not in Unicode"
    yield Cell(name, now, value, doubt or _loss(name, new, now))


def _plain(value: str) -> str:
    """A value without what an encoding other than Unicode can lose."""
    return "".join(sign for sign in value if sign.isascii() and sign != "?")


def _loss(name: str, new: str, now: str) -> str:
    """What would be lost with the value now; "" for nothing."""
    field = BY_NAME[name]
    before = field.parse(now) if now else None
    if not new:
        return "would be empty"
    return "less exact than now" if before is not None and field.coarser(field.typed(new), before) else ""


def _topics(now: str, new: str, doubt: str, finder: _Finder) -> Iterator[Cell]:
    """Topics by slug, name or alias, parted by signs or lines; slugs by blanks too."""
    wanted: set[str] = set()
    for part in filter(None, map(str.strip, new.replace(",", ";").replace("\n", ";").split(";"))):
        named = [part] if part.casefold() in finder.topics else part.split()
        if unknown := [name for name in named if name.casefold() not in finder.topics]:
            wrong = part if len(unknown) == len(named) else unknown[0]
            raise Impossible(f"Topics: there is no topic “{wrong[:60]}”. Separate several with semicolons.")
        wanted |= {finder.topics[name.casefold()] for name in named}
    had = set(now.split())
    yield from (Cell("topics", "", slug, doubt) for slug in sorted(wanted - had))
    yield from (Cell("topics", slug, "", doubt) for slug in sorted(had - wanted))


def _doubt_numbers(rows: Sequence[SheetRow], finder: _Finder) -> None:
    """Doubt new numbers that, with everything else that is ticked, would be those of two episodes."""
    numbers = _Numbers(finder.episodes)
    changed: dict[Hashable, SheetRow] = {}
    for row in rows:
        planned = {cell.field: cell.new for cell in row.cells if cell.field in NUMBERING and not cell.doubt}
        if planned:
            who: Hashable = row.slug or row.line
            changed[who] = row
            numbers.give(who, row.heading, _numbered(row, finder.by_slug.get(row.slug), planned))
    waiting = list(changed)
    while waiting:
        who = waiting.pop()
        other = numbers.namesake(who) if who in changed else ""
        if other:
            _doubt(changed.pop(who), f"“{other}” has this number too")
            waiting += numbers.take_back(who)


class _Numbers:
    """Which episodes have which show, season and number."""

    def __init__(self, episodes: Sequence[Episode]) -> None:
        numbered = [e for e in episodes if e.number is not None]
        self.before: dict[Hashable, Hashable] = {e.slug: (e.podcast.slug, e.season, e.number) for e in numbered}
        self.names: dict[Hashable, str] = {e.slug: e.heading for e in numbered}
        self.now = dict(self.before)
        self.holders: dict[Hashable, set[Hashable]] = defaultdict(set)
        for who, number in self.now.items():
            self.holders[number].add(who)

    def give(self, who: Hashable, name: str, number: Hashable) -> None:
        self.names[who] = name
        self.holders[self.now.get(who)].discard(who)
        self.now[who] = number
        self.holders[number].add(who)

    def namesake(self, who: Hashable) -> str:
        """Another episode with the number of this one; "" for none."""
        same = self.holders[self.now[who]] if self.now[who] is not None else set()
        return next((self.names[one] for one in same if one != who), "")

    def take_back(self, who: Hashable) -> set[Hashable]:
        """Give an episode its old number again; those that have it too."""
        self.give(who, self.names[who], self.before.get(who))
        return self.holders[self.now[who]] if self.now[who] is not None else set()


NUMBERING = (NUMBER.name, SEASON.name)


def _numbered(row: SheetRow, now: Episode | None, planned: Mapping[str, str]) -> Hashable:
    """Show, season and number that an episode would have; None without a number."""
    current = {name: BY_NAME[name].shown(now) if now else "" for name in NUMBERING}
    number, season = (BY_NAME[name].parse({**current, **planned}[name]) for name in NUMBERING)
    return None if number is None else (now.podcast.slug if now else row.podcast, season, number)


def _doubt(row: SheetRow, why: str) -> None:
    row.cells = [replace(cell, doubt=why) if cell.field in NUMBERING and not cell.doubt else cell for cell in row.cells]


# --- Applied ---------------------------------------------------------------------------------------------------------


def apply_rows(user: User, rows: Sequence[SheetRow], *, reason: str = "") -> tuple[Batch, list[str]]:
    """Make overrides, additions and removals of the cells, and episodes of new rows; an episode that somebody changed
    since is told, and left."""
    known, new = [row for row in rows if not row.podcast], [row for row in rows if row.podcast]
    by_slug = _by_slug(known)
    shows = {show.slug: show for show in Podcast.objects.filter(slug__in={row.podcast for row in new})}
    podcasts = {e.podcast_id: e.podcast for e in by_slug.values()} | {show.pk: show for show in shows.values()}
    with together("spreadsheet", podcasts.values()) as batch:
        refused = batch.each((row.heading, partial(_apply, user, by_slug.get(row.slug), row, reason)) for row in known)
        refused += batch.each((show.title, partial(_add_rows, user, show, new, reason)) for show in shows.values())
    return batch, refused


def _by_slug(rows: Sequence[SheetRow]) -> dict[str, Episode]:
    episodes = Episode.objects.select_related("podcast")
    return {e.slug: e for some in batches([row.slug for row in rows]) for e in episodes.filter(slug__in=some)}


def _add_rows(user: User, podcast: Podcast, rows: Sequence[SheetRow], reason: str) -> None:
    """Add those of the rows that are of the show."""
    wanted = [_new_episode(row) for row in rows if row.podcast == podcast.slug]
    add_episodes(user, podcast, wanted, reason=reason)


def _new_episode(row: SheetRow) -> NewEpisode:
    values = {cell.field: cell.new for cell in row.cells if cell.field != "topics"}
    try:
        return new_episode(values, [cell.new for cell in row.cells if cell.field == "topics"])
    except Impossible as refusal:
        raise Impossible(f"row {row.line}: {refusal} Tick it too.") from None


def _apply(user: User, episode: Episode | None, row: SheetRow, reason: str) -> None:
    if episode is None:
        raise Impossible("its address changed or it is gone since you downloaded the sheet; download it again.")
    values = {cell.field: cell.new for cell in row.cells if cell.field != "topics"}
    override(user, episode, values, seen=row.token, reason=reason)
    for cell in (cell for cell in row.cells if cell.field == "topics"):
        change = add if cell.new else remove
        change(user, episode, "topic", cell.new or cell.now, seen=row.token, reason=reason)
