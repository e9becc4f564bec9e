"""Words beside a title that make it another episode than the one of that title: "Replay:", "Bonus:", "(trailer)"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...identity import marked
from .episode_index import EpisodeIndex
from .page_rows import PageRow
from .records import Record
from .title_hits import Hit

BESIDE = 2  # words on either side of a title that can say so


def without_marked(found: Sequence[Record], rows: Sequence[PageRow], index: EpisodeIndex) -> list[Record]:
    """The entries, those with such a word as nobody knows them; what stands beside most titles is a button."""
    wider = [_with_marker(record, rows, index) for record in found]
    if sum(map(bool, wider)) * 2 > len(found):
        return list(found)
    return [
        replace(record, seed=replace(record.seed, title=hit, episodes=())) if hit else record
        for record, hit in zip(found, wider, strict=True)
    ]


def _with_marker(record: Record, rows: Sequence[PageRow], index: EpisodeIndex) -> Hit | None:
    """The title with such a word beside it that none of its episodes is known by; None without any."""
    hit = record.seed.title
    if hit is None or not record.is_known:
        return None
    text = rows[hit.row].text
    known = {part for name in record.seed.episodes for part in index.episodes[name].parts}
    start = next((at for at in _words_before(text, hit.start) if marked(text[at : hit.start]) - known), hit.start)
    end = next((at for at in _words_behind(text, hit.end) if marked(text[hit.end : at]) - known), hit.end)
    return replace(hit, start=start, end=end) if (start, end) != (hit.start, hit.end) else None


def _words_before(text: str, place: int) -> list[int]:
    """Where the last words before a place begin, the nearest first."""
    words = [word for word in text[:place].split() if any(map(str.isalnum, word))][-BESIDE:]
    found = []
    for word in reversed(words):
        place = text.rindex(word, 0, place)
        found.append(place)
    return found


def _words_behind(text: str, place: int) -> list[int]:
    """Where the first words behind a place end, the nearest first."""
    words = [word for word in text[place:].split() if any(map(str.isalnum, word))][:BESIDE]
    found = []
    for word in words:
        place = text.index(word, place) + len(word)
        found.append(place)
    return found
