"""Reads a page of any site about a known show: finds the entries of known episodes, and takes what the page adds to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ...records import EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from ..local_dates import language_of_dates
from ..names import normalize_show_name
from .anchors import Finder, Scanner, split
from .belonging import Belonging
from .chapters import chapters
from .described import described
from .fields import Gatherer, calendar
from .headings import contradicted, under_headings
from .known import EpisodeIndex
from .labels import unlabelled
from .lines import Line, names_of
from .naming import names_show, page_names
from .rows import sheet
from .saying import Sayer
from .starts import Start, found_starts
from .strangers import joined, strangers, strangers_in_text

REMARKS = re.compile(
    r"(?:\(?\d{1,5}\)?\s*)?(?:comments?|reviews?|replies|responses|kommentare?|bewertungen|rezensionen|commentaires?|avis|"
    r"comentarios?|reseñas|opiniones|comentários?|avaliações|commenti|commento|recensioni|reacties|recensies|kommentarer|"
    r"kommentit|kommentti|arvostelut|hozzászólás(?:ok)?|komentarz[ey]?|komentarzy|opinie|komentáře?|komentářů|komentari?|"
    r"comentarii|комментари\w+|отзывы|коментар\w*|відгуки|σχόλια|yorum(?:lar)?|bình luận|komentar|תגובות|تعليقات|التعليقات|"
    r"टिप्पणियाँ|コメント|レビュー|评论|評論|댓글|"
    r"leave a (?:comment|reply)|join the discussion|discussion)\s*(?:\(?\d{1,5}\)?)?\s*:?",
    re.I,
)
# What stands over other shows' episodes on the page of a show.
RELATED = re.compile(
    r"you (?:may|might)|also (?:like|listen|enjoy)|related|similar|recommend|suggest|(?:more|other) (?:podcasts|shows)|"
    r"discover|trending|das könnte|ähnliche|empfehl|auch interess|weitere podcasts|vous aimerez|similaires|recommand|suggestion|"
    r"también te|relacionad|recomend|parecid|semelhante|potrebbe|potrebbero|simili|consigliat|dit vind|vergelijkbare|aanbevolen|"
    r"похож|рекоменд|понрави|схожі|podobne|polecan|doporuč|podobné|liknande|rekommend|lignende|anbefal|suositel|hasonló|ajánl|"
    r"benzer|önerilen|おすすめ|関連|他の番組|推荐|推薦|相关|相關|猜你|추천|관련|مشابه|مقترح|מומלצ|προτειν|παρόμοι",
    re.I,
)


def read(page: FetchedDocument, show: Show, known: Sequence[EntryData]) -> ParsedPage:
    """The entries of the page that belong to the show, in their order, each with what the page says of it.

    `known` is what other sources say about the show's episodes, in any order. Entries that name another show are
    counted in `foreign`. An entry says `show` only where it, or the page as a whole, names the show.

    Raises:
        DocumentRejected: it is no text, is made to hold up who reads it, or is about another show.
    """
    paper, index = sheet(page), EpisodeIndex(known, show)
    told = described(page, show, frozenset(index.by_title))
    scanner = Scanner(index)
    names = names_of(show)
    language = paper.head.language or language_of_dates("\n".join(row.text for row in paper.rows))
    rows = split(unlabelled(paper.rows, names), scanner, names, language)
    lines = [Line(place, row, names, language) for place, row in enumerate(rows)]
    headed = under_headings(lines)
    gatherer = _gathered(headed, scanner, show, markup=paper.markup)
    if contradicted(gatherer.entries):
        gatherer = _gathered(lines, scanner, show, markup=paper.markup)
    # A menu of titles above the list is no part of it.
    listed = [start for start in gatherer.starts if start.score >= 4 or start.unknown] or gatherer.starts
    first = listed[0].first if listed else len(lines)
    titles = frozenset(normalize_show_name(said.title) for said in known if said.title)
    naming = page_names(lines, first, paper.head, told.series, show, page.address, titles)
    if naming.kind == "other" and told.series:
        raise WrongShow(f"it is about another show: {naming.other}, not {show.title}")
    dates = calendar(gatherer.lines, gatherer.blocked)
    belonging = Belonging(show, gatherer.lines, told, naming, markup=paper.markup)
    kept, foreign = belonging.kept(gatherer)
    said = Sayer(paper, page, show, gatherer, told, dates, belonging.named).said(kept)
    return ParsedPage(tuple(said), show.title if belonging.named == "ours" else "", foreign)


def _gathered(lines: Sequence[Line], scanner: Scanner, show: Show, *, markup: bool) -> Gatherer:
    """The entries that the page may list, known ones and such as stand like them, each with what belongs to it."""
    blocked = {line.place for line in lines if line.row.region == "remarks"} | chapters(lines)
    finder = Finder(lines, scanner)
    starts = found_starts(lines, finder, blocked)
    if remarks := _below_heading_of_remarks(lines, starts):
        blocked |= remarks
        starts = found_starts(lines, finder, blocked)
    if related := _related(lines, starts, show):
        blocked |= related
        starts = found_starts(lines, finder, blocked)
    unknown = strangers(starts, lines, blocked)
    gatherer = Gatherer(joined(starts, unknown, lines), lines, blocked)
    if markup:
        return gatherer
    unknown = strangers_in_text(starts, list(gatherer.places()), lines, blocked)
    return Gatherer(joined(starts, unknown, lines), lines, blocked) if unknown else gatherer


def _below_heading_of_remarks(lines: Sequence[Line], starts: Sequence[Start]) -> set[int]:
    """Rows below the one heading over what visitors wrote, up to the next heading of its rank.

    A menu has such words too, as links, or above every entry.
    """
    first = min((start.first for start in starts), default=len(lines))
    words = (line for line in lines[first:] if len(line.text) < 40 and not line.row.links)
    heads = [line for line in words if REMARKS.fullmatch(line.text)]
    if len(heads) != 1:
        return set()
    rank, found = heads[0].row.heading, {heads[0].place}
    for line in lines[heads[0].place + 1 :]:
        if 0 < line.row.heading <= rank:
            break
        found.add(line.place)
    return found


def _related(lines: Sequence[Line], starts: Sequence[Start], show: Show) -> set[int]:
    """Rows below a heading over other shows' episodes that stands behind entries of the page: up to the next heading of
    its rank, or to the end."""
    first = min((start.first for start in starts if start.score >= 2), default=len(lines))
    often = Counter(line.text for line in lines)
    found: set[int] = set()
    for line in lines[first:]:
        heads = (line.row.heading or not line.row.path) and len(line.text) < 60 and often[line.text] == 1
        if heads and RELATED.search(line.text) and not names_show(line.text, show):
            found |= _below(line, lines)
    return found


def _below(head: Line, lines: Sequence[Line]) -> set[int]:
    if not head.row.path:
        alone = head.row.gap and not head.marks and len(head.text.split()) < 7
        return {line.place for line in lines[head.place :]} if alone and not head.text.endswith(".") else set()
    found = {head.place}
    for line in lines[head.place + 1 :]:
        if 0 < line.row.heading <= head.row.heading:
            break
        found.add(line.place)
    return found
