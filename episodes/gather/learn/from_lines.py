"""Learns the layout of saved text from entries that are known to stand in it: the forms of their lines, in their order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ...records import EntryData, FetchedDocument
from ..by_layout import TextLayout
from ..forms import form_of
from ..html import TextLine, lines
from .parts import LEVELS, Around, ends, form_for, opening, text_at

WIDEST = 12  # lines of an entry
ABOVE = 3  # lines of it that may stand above its title
SOME, MOST = 0.25, 0.95  # the share of entries that have a line: to be taken up, and to be asked for
HEADS = 4  # forms of first lines that are tried
FIELDS = frozenset(("date", "length", "text"))

Anchors = dict[int, int]  # the line of each entry's title, or of its text where it has none


def from_lines(page: FetchedDocument, entries: Sequence[EntryData], around: Around) -> Iterator[TextLayout]:
    """Layouts that the entries may stand in."""
    found = lines(page)
    for level in LEVELS:
        by_form = _heads(found, entries, around, level)
        for head in sorted(by_form, key=lambda form: (-len(by_form[form]), len(form)))[:HEADS]:
            yield from _layouts(found, entries, around, level, _with_others(head, by_form))


def _heads(found: Sequence[TextLine], entries: Sequence[EntryData], around: Around, level: int) -> dict[str, Anchors]:
    """By the form of a line that has an entry's title: the entries, and where each stands."""
    by_form: dict[str, Anchors] = defaultdict(dict)
    for n, said in enumerate(entries):
        wanted = said.title or opening(said)
        for place, line in enumerate(found):
            if wanted in line.text and (form := form_for(line.text, said, around, level)):
                by_form[form].setdefault(n, place)
    return {form: anchors for form, anchors in by_form.items() if len(anchors) > 1}


def _with_others(head: str, by_form: dict[str, Anchors]) -> dict[str, Anchors]:
    """A first line's form, and others that entries have which do not have this one: "Ep. {n} – {title}", "{title}"."""
    chosen = {head: by_form[head]}
    covered = set(by_form[head])
    for form, anchors in sorted(by_form.items(), key=lambda item: -len(item[1])):
        if form not in chosen and not covered & set(anchors) and form_of(form).hard:
            chosen[form] = anchors
            covered |= set(anchors)
    return chosen


def _layouts(
    found: Sequence[TextLine], entries: Sequence[EntryData], around: Around, level: int, heads: dict[str, Anchors]
) -> Iterator[TextLayout]:
    anchors = {n: place for own in heads.values() for n, place in own.items()}
    narrow_first = sorted(heads, key=lambda form: (-len(form_of(form).literal), form))
    above = _above(found, entries, around, level, anchors)
    told = all(form_of(form).hard for form in heads)
    below = _below(found, entries, around, level, anchors, told=told)
    printed = [(line.text, entries[n]) for n, place in anchors.items() for line in found[place : place + WIDEST]]
    cut, whole = ends(((text[max(0, text_at(text, said)) :], said) for text, said in printed), around)
    head = narrow_first[0] if len(narrow_first) == 1 else tuple(narrow_first)
    yield TextLayout(lines=(*above, head, *below), cut=cut, ends=whole)
    if above:
        yield TextLayout(lines=(head, *below), cut=cut, ends=whole)


def _below(
    found: Sequence[TextLine], entries: Sequence[EntryData], around: Around, level: int, anchors: Anchors, *, told: bool
) -> tuple[str, ...]:
    """The forms of the lines below the first, in their order, up to the last that has a field.

    `told`: whether the first tells that an entry begins.
    """
    starts = sorted(anchors.values())
    places: dict[tuple[str, int], list[int]] = defaultdict(list)
    for n, place in anchors.items():
        end = next((start for start in starts if start > place), place + WIDEST)
        seen = Counter[str]()
        for step, line in enumerate(found[place + 1 : min(end, place + WIDEST)]):
            if form := form_for(line.text, entries[n], around, level):
                seen[form] += 1
                places[form, seen[form]].append(step)
    often = {key: steps for key, steps in places.items() if len(steps) >= max(2, SOME * len(anchors))}
    ordered = sorted(often, key=lambda key: (sum(often[key]) / len(often[key]), key))
    last = max((n for n, (form, _) in enumerate(ordered) if FIELDS & set(form_of(form).fields)), default=-1)
    rows = [(form if len(often[form, count]) >= MOST * len(anchors) else f"?{form}") for form, count in ordered]
    # A line without fields is only needed where nothing else tells that an entry begins.
    tells = next((n for n, row in enumerate(rows) if row[:1] != "?" and form_of(row).hard), -1)
    return tuple(rows[: (last if told or tells <= last else tells) + 1])


def _above(
    found: Sequence[TextLine], entries: Sequence[EntryData], around: Around, level: int, anchors: Anchors
) -> tuple[str, ...]:
    """The forms of lines above the titles that have a field, where nearly all entries have them."""
    forms: list[str] = []
    length = 0
    for step in range(1, ABOVE + 1):
        rows = [form_for(found[p - step].text, entries[n], around, level) for n, p in anchors.items() if p >= step]
        form, count = Counter(rows).most_common(1)[0] if rows else ("", 0)
        if not form or count < MOST * len(anchors):
            break
        forms.insert(0, form)
        if FIELDS & set(form_of(form).fields):
            length = step
    return tuple(forms[len(forms) - length :]) if length else ()
