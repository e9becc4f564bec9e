"""Tells what show a page is about by its headings, its title and its data for machines, and which rows only name a show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from ...records import Show
from ..html import host_of
from ..names import heads, is_show, normalize_show_name
from .known import squashed
from .lines import NOISE, Line
from .rows import Head

BREAK = re.compile(r"\s*[|·•»«›‹→]\s*|\s+/\s+|\s+[-–—]+\s+|[–—]|\s:\s")
# Words around a show's name in headings: "All episodes of …", "… – archive", "Alle Folgen von …".
AROUND = NOISE | frozenset(
    "all episode episodes list archive archives feed latest newest recent most played popular top show shows series podcast "
    "podcasts podcast's free online official page home for about and in listening stream overview rss program "
    "alle folgen folge podcasts sendung sendungen kostenlos archiv neueste hören online tous les épisodes épisode derniers "
    "émission écoutez écouter gratuit gratuitement en ligne todos los episodio programa últimos "
    "todos os episódios tutti gli episodi ultimi elenco afleveringen alle seizoen wszystkie odcinki odcinek avsnitt alla "
    "episoder episodes alle jaksot kaikki všechny epizody díly összes epizód adás toate episoadele επεισόδια όλα τα bölümler tüm "
    "все выпуски эпизоды подкаст подкаста подкасты список последние всі випуски подкасту выпуск エピソード 一覧 番組 の 全 "
    "ポッドキャスト 播客 节目 全部 所有 單集 单集 에피소드 목록 팟캐스트 전체 season seasons saison temporada page seite página "
    "страница strona pagina side".split()
)
BUTTONS = frozenset(
    "follow following subscribe subscribed abonnieren prenumerera följ suivre abonner seguir suscribirse assinar iscriviti "
    "segui volgen abonneren obserwuj subskrybuj подписаться підписатися フォロー 登録 关注 订阅 팔로우 구독 website web".split()
)
ACCOUNT = frozenset("sign log in up out us notes menu login account privacy terms".split())
SEARCH = re.compile(
    r"\b(?:search|results?|résultats?|recherche|suche|suchergebnisse|ergebnisse|búsqueda|buscar|resultados?|risultati|ricerca|"
    r"zoek\w*|resultaten|wyniki|szukaj|поиск\w*|результат\w*|pesquisa|sök\w*|haku)\b|検索|搜索|검색|搜尋", re.I,
)  # fmt: skip
ADDRESS_SEARCH = re.compile(r"[?&](?:q|query|search|s|term)=|/search\b", re.I)
CRUMBS = re.compile(r"\s*[|·•»«›‹→]\s*|\s+/\s+|\s+>\s+|\s{3,}|\s*,\s+")  # between the names of a menu in one row
NAMED = re.compile(r"\s*[,;、،&+]\s*|\s+(?:and|und|et|y|e|en|och|og|i|и|та|ve)\s+")
STEPS = re.compile(r"[»›→>]|\s/\s")  # a way that leads to what is named last
NEAR = 85  # RapidFuzz ratio of names that are nearly equal
MANY = 14  # words that a row that names a show has at most
TOPS = 400  # rows in which a page says what it is about


def names_show(text: str, show: Show) -> bool:
    """Whether a heading or a page's title says that this is the show, beside its site and words that any page has."""
    if heads(text, show.title):
        return True
    return any(is_show(part, show.title) or _around(part, show) for part in BREAK.split(text[:500]))


def _around(part: str, show: Show) -> bool:
    """Whether a phrase is the show's name among words that make no other name of it."""
    words, name = normalize_show_name(part).split(), normalize_show_name(show.title).split()
    if not name or len(words) > len(name) + 8 or ": " in part.strip():
        return False
    for place in range(len(words) - len(name) + 1):
        if words[place : place + len(name)] == name:
            others = [*words[:place], *words[place + len(name) :]]
            makers = set(normalize_show_name(show.author).split())
            return all(word in AROUND or word in makers or word.isdecimal() for word in others)
    return False


def _leads(text: str, show: Show) -> bool:
    """Whether a heading begins with the show's name and goes on in words that are no part of a name: "…: the best
    episodes", and not "…: Reloaded"."""
    first, sign, behind = text.partition(":")
    words = behind.split()
    plain = bool(words) and (words[0][0].islower() or words[0][0].isdecimal() or _says_nothing(behind))
    return bool(sign) and plain and is_show(first, show.title)


def mentions(text: str, show: Show) -> bool:
    """Whether a short row holds the show's name at its end, as sentences in languages that are not known here do."""
    words, name = normalize_show_name(text).split(), normalize_show_name(show.title).split()
    return len(words) <= len(name) + 5 and bool(name) and words[-len(name) :] == name


@dataclass(frozen=True, slots=True)
class Naming:
    """What a page says it is about.

    `kind` is "ours"; "mention" where the show's name stands in a phrase above the list; "aside" where it stands only
    elsewhere, or in a menu; "search" on a page of results; "other" where another name stands over the list; or "".
    `clear`: a title or a heading says so.
    """

    kind: str = ""
    other: str = ""
    clear: bool = False


def page_names(
    lines: Sequence[Line],
    first: int,
    head: Head,
    series: Iterable[str],
    show: Show,
    address: str,
    titles: frozenset[str],
) -> Naming:
    """How a page names what it is about; `first` is the row of its first entry, `titles` are episodes'.

    A page of search results is about what was searched, and names nothing by its heading.
    """
    series = tuple(series)
    if any(is_show(name, show.title) for name in series):
        return Naming("ours", clear=True)
    tops = [line for line in lines[: max(first, 1)] if line.row.heading]
    heading = [line.text for line in tops if line.row.heading == 1] or [line.text for line in tops[:1]]
    titled = [name for name in (head.title, *head.names, *head.pictures) if name]
    if any(SEARCH.search(text) for text in (*heading, *titled)) or ADDRESS_SEARCH.search(address):
        return Naming("search")
    if any(names_show(text, show) or _on_site(text, show, address) for text in (*heading, *titled)):
        return Naming("ours", clear=True)
    leads = [line.text for line in lines[: max(first, 1)] if not line.row.path and line.row.gap]
    if any(_leads(text, show) for text in (*heading, *titled, *leads)):
        return Naming("mention")
    other = next((name for name in series if name), "")
    above = [line for line in lines[max(0, first - TOPS) : first] if line.row.region != "remarks"]
    above = [line for line in above if len(line.text.split()) <= MANY]
    if any(SEARCH.search(line.text) for line in above[:8] if len(line.text.split()) > 2):
        return Naming("other", other) if other else Naming("search")
    # A page's own heading that its title repeats says what it is about; another name further down does not.
    own = [
        text
        for text in heading
        if normalize_show_name(text) not in titles and any(_holds(name, text) for name in titled)
    ]
    if other or own:
        return Naming("other", other or own[0])
    return _by_rows(above, lines, titled, heading, show, titles)


def _by_rows(
    above: Sequence[Line],
    lines: Sequence[Line],
    titled: Sequence[str],
    heading: Sequence[str],
    show: Show,
    titles: frozenset[str],
) -> Naming:
    """What the rows above a list say where neither title nor heading names the show."""
    block = _Above(above, show, titled)
    spots = [line for line in above if names_show(line.text, show)]
    sure = [line for line in spots if not block.in_menu(line)]
    if sure and not block.outdone(sure[-1]):
        apart = any(line.row.heading or (not line.row.path and block.is_first(line)) for line in sure)
        return Naming("mention") if block.titled_behind(sure[-1]) else Naming("ours", clear=apart)
    if spots and (rival := block.rival(spots[-1])):
        return Naming("other", rival)
    phrases = [line for line in above if line not in spots and mentions(line.text, show) and not block.in_menu(line)]
    if phrases and not block.headed(phrases[-1]):
        return Naming("mention")
    name = squashed(show.title)
    if spots or any(line.shows and any(line.every(name)) for line in lines):
        return Naming("aside")
    # Nothing on the page says our name: what else it calls itself is its own.
    named = next(
        (text for text in (*titled, *heading) if normalize_show_name(text) not in titles and not _says_nothing(text)),
        "",
    )
    near = next((line.text for line in above if _near(line.text, show)), "")
    return Naming("other", named or near) if named or near else Naming()


class _Above:
    """The rows above a list, with which of them stand in menus and which stand out."""

    def __init__(self, rows: Sequence[Line], show: Show, titled: Sequence[str]) -> None:
        self.rows, self.show = rows, show
        self.parts = {normalize_show_name(part) for name in titled for part in BREAK.split(name[:500])} - {""}
        self.often = Counter(normalize_show_name(line.text) for line in rows)
        self.paragraphs: dict[int, list[Line]] = {}
        paragraph: list[Line] = []
        for line in rows:
            if line.row.gap or not paragraph:
                paragraph = []
            paragraph.append(line)
            self.paragraphs[line.place] = paragraph

    def is_first(self, line: Line) -> bool:
        return self.paragraphs[line.place][0] is line

    def in_menu(self, line: Line) -> bool:
        """Whether a row that names the show is one of several that name other things in the same way."""
        others = [part for part in CRUMBS.split(line.text) if part and not names_show(part, self.show)]
        others = [part for part in others if not _says_nothing(part)]
        parts = CRUMBS.split(line.text)
        if len(others) > 1 and not (STEPS.search(line.text) and names_show(parts[-1], self.show)):
            return True
        if self._among_links(line):
            return True
        if line.row.path:
            return self._among_siblings(line)
        siblings = [other for other in self.paragraphs[line.place] if other is not line and self._is_name(other)]
        if any(self._stands_out(other, line) for other in siblings):
            return True
        behind = any(other.place > line.place and not other.shows for other in siblings)
        made = any(self._names_maker(other) for other in self.paragraphs[line.place])
        return not self.is_first(line) and len(siblings) > 1 and not made and (behind or self._headed_behind(line))

    def _names_maker(self, line: Line) -> bool:
        own = [line.text[start:end] for start, end in line.shows]
        return any(not is_show(text, self.show.title) for text in own) and not any(
            line.every(squashed(self.show.title))
        )

    def _among_links(self, line: Line) -> bool:
        """Whether a row is links, or a list of names, and the show's name is one of them."""
        pieces = [piece for piece in line.row.pieces if piece.href]
        linked = [line.text[piece.start : piece.end] for piece in pieces]
        named = NAMED.split(line.text)
        for texts in (linked, named):
            if any(is_show(text, self.show.title) for text in texts):
                others = [t for t in texts if not is_show(t, self.show.title) and not _says_nothing(t)]
                if len(others) > (texts is linked and line.row.region != "menu"):
                    return True
        return False

    def _among_siblings(self, line: Line) -> bool:
        if any("crumb" in shape for shape in line.row.shape):
            return False
        row = line.row
        same = [
            other
            for other in self.rows
            if other is not line
            and other.row.shape[-1:] == row.shape[-1:]
            and other.row.heading == row.heading
            and len(other.row.path) == len(row.path)
            and other.row.path[:-2] == row.path[:-2]
            and self._is_name(other)
        ]
        near = [other for other in same if other.row.path[:-1] == row.path[:-1] or abs(other.place - line.place) < 3]
        near = [other for other in near if not other.shows]
        listed = row.shape[-1:] and row.shape[-1].split()[0] in ("li", "option", "a", "td", "dd")
        if listed and len(near) == 1:
            named = len(near[0].text.split()) > 1 and _is_capital(near[0].text)
            return named or near[0].place > line.place
        return len(near) > 1 and bool(listed or row.region == "menu" or any(bool(o.row.links) for o in near))

    def _is_name(self, line: Line) -> bool:
        """Whether a row could be a name: a few words, no sentence, no date, not what any page says."""
        few = len(line.text.split()) <= 6 and not line.marks and not line.text.endswith((".", ":"))
        return few and not _says_nothing(line.text)

    def _stands_out(self, line: Line, behind: Line) -> bool:
        """Whether what a row says is said again, alone, nearer to the list than another row."""
        text = normalize_show_name(line.text)
        again = [
            o for o in self.rows if o.place > max(line.place, behind.place) and normalize_show_name(o.text) == text
        ]
        return any(self.paragraphs[o.place] is not self.paragraphs[behind.place] for o in again)

    def _headed_behind(self, line: Line) -> bool:
        """Whether a later paragraph begins with what could be a name."""
        later = [o for o in self.rows if o.place > line.place and self.is_first(o) and o.row.gap]
        return any(self._is_name(o) and not names_show(o.text, self.show) for o in later)

    def outdone(self, line: Line) -> bool:
        """Whether a higher heading, or several names that stand alone, come between a row that names the show and the list."""
        later = [o for o in self.rows if o.place > line.place and self._is_name(o) and not o.shows]
        rank = line.row.heading or 7
        if line.row.path:
            return any(0 < other.row.heading < rank for other in later)
        alone = [
            o for o in later if len(self.paragraphs[o.place]) == 1 and len(o.text.split()) > 1 and _is_capital(o.text)
        ]
        alone = [o for o in alone if ACCOUNT.isdisjoint(normalize_show_name(o.text).split()[-1:])]
        return len(self.paragraphs[line.place]) == 1 and len(alone) > 1

    def headed(self, line: Line) -> bool:
        """Whether a phrase is about something else: a name stands right above it, or over a later paragraph."""
        if line.row.path:
            return any(o.place > line.place and o.row.heading and self._is_name(o) for o in self.rows)
        first = self.paragraphs[line.place][0]
        return (first is not line and self._is_name(first)) or self._headed_behind(line)

    def titled_behind(self, line: Line) -> bool:
        """Whether the page's title names something that stands nearer to the list."""
        later = [o for o in self.rows if o.place > line.place and not names_show(o.text, self.show)]
        return any(normalize_show_name(o.text) in self.parts and not _says_nothing(o.text) for o in later)

    def rival(self, line: Line) -> str:
        """Another name that stands nearer to the list: a heading, or one that is said more than once, or in capitals."""
        later = [o for o in self.rows if o.place > line.place and self._is_name(o)]
        for other in reversed(later):
            text = normalize_show_name(other.text)
            loud = other.text.isupper() and len(text.split()) > 1
            if other.row.heading or text in self.parts or loud or self.often[text] > 1:
                return other.text
        return ""


def _on_site(text: str, show: Show, address: str) -> bool:
    """Whether a title is the show's name, a word, and the name of the page's site: "… on Podhub"."""
    words, name = normalize_show_name(text).split(), normalize_show_name(show.title).split()
    behind = words[len(name) :]
    site = "".join(behind[1:])
    host = re.sub(r"\W", "", host_of(address))
    return bool(name) and words[: len(name)] == name and 1 < len(behind) < 5 and len(site) > 3 and site in host


def _says_nothing(text: str) -> bool:
    """Whether a phrase has only words that any page has."""
    return all(word in AROUND or word in BUTTONS or word.isdecimal() for word in normalize_show_name(text).split())


def _is_capital(text: str) -> bool:
    """Whether every word begins with a capital, as those of names do."""
    return all(word[0].isupper() for word in text.split() if word[0].isalpha())


def _near(text: str, show: Show) -> bool:
    """Whether a name is so like the show's that it must be another's."""
    name, wanted = normalize_show_name(text), normalize_show_name(show.title)
    return len(wanted) > 6 and len(name) < 2 * len(wanted) and name != wanted and fuzz.ratio(name, wanted) >= NEAR


def _holds(name: str, heading: str) -> bool:
    return (
        bool(normalize_show_name(heading)) and f" {normalize_show_name(heading)} " in f" {normalize_show_name(name)} "
    )
