"""The catalog as a sheet that people edit in a spreadsheet, and what they changed in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256

from django.db.models import Prefetch, QuerySet

from ..fields import BY_HAND, BY_NAME, CSV, OVERRIDABLE
from ..models import BATCH, Attachment, Episode, EpisodeTopic, Podcast, batches
from ..text.formulas import as_meant
from ..text.normalize import fold
from .addresses import trouble_with_address
from .by_hand import NewEpisode, add_episodes, new_episode
from .entries import entries, tokens
from .history import Batch, Impossible, User, together
from .lists import add, remove, topic_names
from .sheet_files import Table, Unreadable, read_table, write_csv
from .verbs import clean, override

FIELDS = tuple(field.name for field in OVERRIDABLE)
EDITED = (*FIELDS, "topics")
OF_NEW = (*(field.name for field in BY_HAND), "topics")
COLUMNS = tuple(dict.fromkeys((*CSV, *FIELDS, "source", "item_key", "as_downloaded")))
LABELS = {name: BY_NAME[name].label for name in FIELDS} | {"topics": "Topics", "podcast": "Show"}
# A column is known by its name in exports, and by the label of its field.
HEADERS = {label.lower(): name for name, label in LABELS.items()} | {name: name for name in COLUMNS}
CELL = 32_000  # a little less than what a spreadsheet keeps of a cell; it drops the rest silently
DIGEST = 6
ERRORS = frozenset(("#REF!", "#NAME?", "#VALUE!", "#DIV/0!", "#N/A", "#NULL!", "#NUM!"))
CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32)))  # which no workbook takes
CLASH = "changed in the catalog since the download"

Record = Mapping[str, str]  # a row of the sheet, by column


@dataclass(frozen=True)
class Cell:
    """A difference: of a field its value, of the topics one that comes or goes.

    `doubt` says why it is not ticked.
    """

    field: str
    now: str
    new: str
    doubt: str = ""

    @property
    def label(self) -> str:
        return LABELS[self.field]


@dataclass
class SheetRow:
    """An episode with what is different in the sheet, or a new one of the show `podcast`."""

    line: int
    slug: str
    heading: str
    token: str
    cells: list[Cell] = field(default_factory=list)
    podcast: str = ""


@dataclass
class Spreadsheet:
    """The content of a sheet: rows with differences, and its problems in words."""

    rows: list[SheetRow] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read: int = 0
    encoding: str = ""


# --- Out ---------------------------------------------------------------------------------------


def write_sheet(episodes: QuerySet[Episode]) -> bytes:
    """The sheet of some episodes, in the order of the query, as CSV."""
    return write_csv(_sheet_rows(episodes))


def _with_topics(episodes: QuerySet[Episode]) -> QuerySet[Episode]:
    uses = EpisodeTopic.objects.select_related("topic")
    return episodes.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses))


def _sheet_rows(episodes: QuerySet[Episode]) -> Iterator[Sequence[str]]:
    rows = list(_with_topics(episodes).iterator(BATCH))
    refs = entries(rows)
    seen = tokens(rows, refs)
    yield COLUMNS
    for episode in rows:
        values = values_of(episode)
        source, key = (*refs[episode.pk], ("", ""))[0]
        digests = "".join(digest(values[name]) for name in EDITED)
        values |= {"podcast": episode.podcast.slug, "source": source, "item_key": key}
        values["as_downloaded"] = f"{seen[episode.pk]}-{digests}"
        yield [values[name] for name in COLUMNS]


def values_of(episode: Episode) -> dict[str, str]:
    topics = " ".join(sorted(use.topic.slug for use in episode.topic_uses.all()))
    return {**{name: BY_NAME[name].shown(episode) for name in FIELDS}, "topics": topics}


def even(value: str) -> str:
    """A value without what spreadsheets change on their own."""
    return value.replace("\r\n", "\n").replace("\r", "\n").translate(CONTROLS).strip()


def digest(value: str) -> str:
    return sha256(even(value).encode("utf-8", "replace")).hexdigest()[:DIGEST]


# --- In ----------------------------------------------------------------------------------------


def read_sheet(body: bytes) -> Spreadsheet:
    """Differences in a sheet that comes back.

    Raises:
        Unreadable: it is too large, in an unknown encoding, or its columns are none of ours, or
            too many, or named twice.
    """
    table = read_table(body, HEADERS.keys())
    return SheetReader(table).read()


class SheetReader:
    """A sheet beside the catalog, which is asked once for all of its rows."""

    def __init__(self, table: Table) -> None:
        self.sheet = Spreadsheet(encoding=table.encoding)
        self.records = list(_records(table, self.sheet.problems))
        self.topics = topic_names()
        self.shows = {show.slug: show for show in Podcast.objects.shown()}
        self.episodes = {
            e.slug: e
            for e in Episode.objects.select_related("podcast").only(
                "slug", "title", "podcast__slug"
            )
        }
        names = ("episode__podcast__slug", "item__document__source__slug", "item__key")
        self.by_entry = {
            tuple(ref): slug
            for slug, *ref in Attachment.objects.values_list("episode__slug", *names)
        }
        slugs = {slug for _, record in self.records if (slug := self.slug_of(record))}
        rows = _with_topics(Episode.objects.all())
        self.named = {
            e.slug: e for some in batches(sorted(slugs)) for e in rows.filter(slug__in=some)
        }
        self.tokens = tokens(list(self.named.values()))

    def slug_of(self, record: Record) -> str:
        """The episode that a row names by entry, else by address; "" for none."""
        show, source, key = (
            record.get(name, "").strip() for name in ("podcast", "source", "item_key")
        )
        if key:
            return str(self.by_entry.get((show, source, key), ""))
        episode = self.episodes.get(record.get("slug", "").strip())
        return episode.slug if episode and show in ("", episode.podcast.slug) else ""

    def read(self) -> Spreadsheet:
        first_rows: dict[str, int] = {}
        for line, record in self.records:
            slug = self.slug_of(record)
            if first_rows.setdefault(slug or f"row {line}", line) != line:
                self.tell(
                    line, f": the same episode as row {first_rows[slug]}; only that one was read."
                )
            elif slug:
                self.change(line, record, self.named[slug])
            elif _is_new(record):
                self.add(line, record)
            else:
                names = [record.get(name, "") for name in ("slug", "title", "item_key")]
                self.tell(line, f": no episode is “{next(filter(None, names), '')[:80]}”.")
        self.sheet.read = len(self.records)
        self.doubt_titles()
        return self.sheet

    def tell(self, line: int, words: str) -> None:
        self.sheet.problems.append(f"Row {line}{words}")

    # --- Known episodes ---

    def change(self, line: int, record: Record, episode: Episode) -> None:
        """The cells that a person changed since the sheet was made, else those that differ."""
        token, downloaded = _downloaded(record)
        row = SheetRow(line, episode.slug, episode.heading, token or self.tokens[episode.pk])
        # Without the entry's key the address only says which episode is meant.
        edited = EDITED if record.get("item_key") else [name for name in EDITED if name != "slug"]
        now = values_of(episode)
        for name in filter(record.__contains__, edited):
            new, before = even(record[name]), downloaded.get(name)
            if new == even(now[name]) or digest(new) == before:
                continue
            doubt = CLASH if before not in (None, digest(now[name])) else ""
            try:
                row.cells += self.cells(name, now[name], new, doubt, episode)
            except Impossible as trouble:
                self.tell(line, f", {trouble}")
        if row.cells:
            self.sheet.rows.append(row)

    def cells(
        self, name: str, now: str, new: str, doubt: str = "", episode: Episode | None = None
    ) -> list[Cell]:
        """The differences of one cell.

        Raises:
            Impossible: the spreadsheet cut its text off or shows an error, or it is no value of
                its field, or another episode's address.
        """
        if new in ERRORS:
            raise Impossible(
                f"{LABELS[name]}: the cell shows the error {new}. Correct it in the spreadsheet."
            )
        if name == "topics":
            return self.topic_cells(now, new, doubt)
        if len(new) >= CELL and even(now).startswith(new):
            raise Impossible(f"{LABELS[name]}: the spreadsheet cut the text off; it was not read.")
        taken = (
            trouble_with_address(new, episode.podcast, [episode])
            if name == "slug" and episode
            else ""
        )
        if taken:
            raise Impossible(f"{LABELS[name]}: {taken}")
        value = clean(name, new)
        return [] if value == now else [Cell(name, now, value, doubt or _loss(name, new, now))]

    def topic_cells(self, now: str, new: str, doubt: str) -> list[Cell]:
        """Topics by slug, name or alias, parted by signs or lines; slugs by blanks too."""
        wanted: set[str] = set()
        for part in filter(
            None, map(str.strip, new.replace(",", ";").replace("\n", ";").split(";"))
        ):
            names = [part] if part.casefold() in self.topics else part.split()
            for name in names:
                if name.casefold() not in self.topics:
                    raise Impossible(
                        f"Topics: there is no topic “{name[:60]}”. Separate several with semicolons."
                    )
                wanted.add(self.topics[name.casefold()])
        had = set(now.split())
        added = [Cell("topics", "", slug, doubt) for slug in sorted(wanted - had)]
        return added + [Cell("topics", slug, "", doubt) for slug in sorted(had - wanted)]

    # --- New ones ---

    def add(self, line: int, record: Record) -> None:
        """A row that names no episode is a new one, unless one of its cells is wrong."""
        row, troubles = SheetRow(line, "", record["title"].strip(), ""), len(self.sheet.problems)
        for name in OF_NEW:
            try:
                row.cells += self.cells(name, "", even(record.get(name, "")))
            except Impossible as refusal:
                self.tell(line, f", {refusal}")
        podcast = self.show(record.get("podcast", "").strip())
        if podcast is None:
            there = ", ".join(self.shows)
            name = record.get("podcast", "").strip()[:60]
            self.tell(line, f", Show: no show is “{name}”. Enter one of: {there}.")
        if not row.heading:
            self.tell(line, ", Title: empty. A new episode needs one.")
        if podcast and len(self.sheet.problems) == troubles:
            row.podcast = podcast.slug
            self.sheet.rows.append(row)

    def show(self, name: str) -> Podcast | None:
        """The show of this slug or title; the only one where none is named."""
        if not name and len(self.shows) == 1:
            return next(iter(self.shows.values()))
        titled = {fold(show.title): show for show in self.shows.values()}
        return self.shows.get(name) or titled.get(fold(name))

    def doubt_titles(self) -> None:
        """New rows are not ticked where their show has an episode of their title already."""
        titles = {(e.podcast.slug, fold(e.title)) for e in self.episodes.values()}
        for row in filter(lambda row: row.podcast, self.sheet.rows):
            title = (row.podcast, fold(row.heading))
            if title in titles:
                why = "an episode has this title already"
                row.cells = [replace(cell, doubt=cell.doubt or why) for cell in row.cells]
            titles.add(title)


def _records(table: Table, problems: list[str]) -> Iterator[tuple[int, dict[str, str]]]:
    (_, header), *rows = table.rows or [(1, [])]
    columns = _columns(header, problems)
    for line, row in rows:
        if any(row[len(columns) :]):
            problems.append(
                f"Row {line} has more cells than there are columns; those were not read."
            )
        if any(row):
            cells = zip(columns, row, strict=False)
            yield line, {name: as_meant(cell) for name, cell in cells if name}


def _columns(header: Sequence[str], problems: list[str]) -> list[str]:
    """The names of our columns, each in its place; "" for others.

    Raises:
        Unreadable: they do not say what to read.
    """
    typed = [name.strip() for name in header]
    folded = [name.lower() for name in typed]
    names = [HEADERS.get(name) or HEADERS.get(name.replace(" ", "_"), "") for name in folded]
    _judge(names)
    unknown = [name[:40] for name, ours in zip(typed, names, strict=True) if name and not ours]
    problems += [f"The column “{name}” is not read." for name in dict.fromkeys(unknown)]
    return names


def _judge(names: Sequence[str]) -> None:
    """Refuse column names that do not say what to read."""
    if not set(names) & {"slug", "item_key", "title"}:
        raise Unreadable(
            "The first row must name the columns; “slug”, or “source” and “item_key”, say which "
            "episode is meant, and new episodes need a “title”."
        )
    if twice := [f"“{name}”" for name, count in Counter(names).items() if name and count > 1]:
        raise Unreadable(
            f"The first row names a column more than once: {', '.join(twice)}. Leave one of each."
        )


def _is_new(record: Record) -> bool:
    return "title" in record and not (record.get("slug") or record.get("item_key"))


def _downloaded(record: Record) -> tuple[str, dict[str, str]]:
    """The episode's token at the download, and digests of its cells, by column.

    There are none in a sheet without them, or of another version.
    """
    token, _, digests = record.get("as_downloaded", "").strip().partition("-")
    if len(digests) != DIGEST * len(EDITED):
        return token[:16], {}
    parts = (digests[place * DIGEST :][:DIGEST] for place in range(len(EDITED)))
    return token[:16], dict(zip(EDITED, parts, strict=True))


def _loss(name: str, new: str, now: str) -> str:
    """What would be lost with the value now; "" for nothing."""
    stated = BY_NAME[name]
    before = stated.parse(now) if now else None
    if not new:
        return "would be empty"
    less = before is not None and stated.refines(before, stated.typed(new))
    return "less exact than now" if less else ""


# --- Applied -----------------------------------------------------------------------------------


def apply_rows(
    user: User, rows: Sequence[SheetRow], *, reason: str = ""
) -> tuple[Batch, list[str]]:
    """Make overrides, additions and removals of the cells, and episodes of new rows.

    An episode that somebody changed since is told, and left.
    """
    episodes = Episode.objects.select_related("podcast")
    slugs = [row.slug for row in rows]
    by_slug = {e.slug: e for some in batches(slugs) for e in episodes.filter(slug__in=some)}
    new: dict[str, list[SheetRow]] = defaultdict(list)
    for row in rows:
        new[row.podcast].append(row)
    known = new.pop("", [])
    shows = list(Podcast.objects.filter(slug__in=new))
    podcasts = {show.pk: show for show in (*(e.podcast for e in by_slug.values()), *shows)}
    with together("spreadsheet", podcasts.values()) as batch:
        acts = [(r.heading, partial(_apply, user, by_slug.get(r.slug), r, reason)) for r in known]
        acts += [(s.title, partial(_add, user, s, new[s.slug], reason)) for s in shows]
        refused = batch.each(acts)
    return batch, refused


def _add(user: User, podcast: Podcast, rows: Sequence[SheetRow], reason: str) -> None:
    add_episodes(user, podcast, [_new_episode(row) for row in rows], reason=reason)


def _new_episode(row: SheetRow) -> NewEpisode:
    values, topics = _parted(row)
    try:
        return new_episode(values, [cell.new for cell in topics])
    except Impossible as refusal:
        raise Impossible(f"row {row.line}: {refusal} Tick it too.") from None


def _parted(row: SheetRow) -> tuple[dict[str, str], list[Cell]]:
    """The values of fields, and the cells of topics."""
    values = {cell.field: cell.new for cell in row.cells if cell.field != "topics"}
    return values, [cell for cell in row.cells if cell.field == "topics"]


def _apply(user: User, episode: Episode | None, row: SheetRow, reason: str) -> None:
    if episode is None:
        raise Impossible(
            "its address changed or it is gone since you downloaded the sheet; download it again."
        )
    values, topics = _parted(row)
    override(user, episode, values, seen=row.token, reason=reason)
    for cell in topics:
        change = add if cell.new else remove
        change(user, episode, "topic", cell.new or cell.now, seen=row.token, reason=reason)
