"""Tells what show a page is about by its headings, its title and its data for machines, and which rows only name a show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...records import Show
from ..names import fold, heads, is_show
from .lines import NOISE, Line
from .rows import Head

BREAK = re.compile(r"\s*[|·•»«›‹→]\s*|\s+[-–—]+\s+|[–—]|\s:\s")
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
SEARCH = re.compile(
    r"\b(?:search|results?|résultats?|recherche|suche|suchergebnisse|ergebnisse|búsqueda|buscar|resultados?|risultati|ricerca|"
    r"zoek\w*|resultaten|wyniki|szukaj|поиск\w*|результат\w*|pesquisa|sök\w*|haku)\b|検索|搜索|검색|搜尋", re.I,
)  # fmt: skip
ADDRESS_SEARCH = re.compile(r"[?&](?:q|query|search|s|term)=|/search\b", re.I)
MANY = 14  # words that a row that names a show has at most
TOPS = 400  # rows in which a page says what it is about


def names_show(text: str, show: Show) -> bool:
    """Whether a heading or a page's title says that this is the show, beside its site and words that any page has."""
    if heads(text, show.title):
        return True
    return any(is_show(part, show.title) or _around(part, show) for part in BREAK.split(text[:500]))


def _around(part: str, show: Show) -> bool:
    """Whether a phrase is the show's name among words that make no other name of it."""
    words, name = fold(part).split(), fold(show.title).split()
    if not name or len(words) > len(name) + 8 or ": " in part.strip():
        return False
    for place in range(len(words) - len(name) + 1):
        if words[place : place + len(name)] == name:
            others = [*words[:place], *words[place + len(name) :]]
            return all(word in AROUND or word.isdecimal() for word in others)
    return False


def mentions(text: str, show: Show) -> bool:
    """Whether a short row holds the show's name at its end, as sentences in languages that are not known here do."""
    words, name = fold(text).split(), fold(show.title).split()
    return len(words) <= len(name) + 5 and bool(name) and words[-len(name) :] == name


def page_names(
    lines: Sequence[Line],
    first: int,
    head: Head,
    series: Iterable[str],
    show: Show,
    address: str,
    titles: frozenset[str],
) -> tuple[str, str]:
    """How a page names what it is about: "ours", "mention", "other" or "", and the other name.

    A page of search results is about what was searched, and names nothing by its heading.
    """
    series = tuple(series)
    if any(is_show(name, show.title) for name in series):
        return "ours", ""
    tops = [line for line in lines[: max(first, 1)] if line.row.heading]
    heading = [line.text for line in tops if line.row.heading == 1] or [line.text for line in tops[:1]]
    titled = [name for name in (head.title, *head.names) if name]
    if any(SEARCH.search(text) for text in (*heading, *titled)) or ADDRESS_SEARCH.search(address):
        return "", ""
    if any(names_show(text, show) for text in (*heading, *titled)):
        return "ours", ""
    other = next((name for name in series if name), "")
    above = [line.text for line in lines[max(0, first - TOPS) : first] if line.row.region != "remarks"]
    above = [text for text in above if len(text.split()) <= MANY]
    if any(SEARCH.search(text) for text in above[:8] if len(text.split()) > 2):
        return ("other", other) if other else ("", "")
    # A page's own heading that its title repeats says what it is about; another name further down does not.
    own = [text for text in heading if fold(text) not in titles and any(_holds(name, text) for name in titled)]
    if not other and not own and any(names_show(text, show) for text in above):
        return "ours", ""
    if other or own:
        return "other", other or own[0]
    return ("mention", "") if any(mentions(text, show) for text in above) else ("", "")


def _holds(name: str, heading: str) -> bool:
    return bool(fold(heading)) and f" {fold(heading)} " in f" {fold(name)} "
