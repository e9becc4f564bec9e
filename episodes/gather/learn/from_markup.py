"""Learns the layout of an HTML page from entries that are known to stand in it: selectors that find again what they say."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ...records import EntryData, FetchedDocument
from ..by_layout import Layout, beside, date_in, first, length_in, link_in, words
from ..forms import form_of
from ..html import base_of, tree_of
from ..names import is_show, normalize_show_name
from ..text import decode
from .parts import LEVELS, Around, ends, form_for, opening

NAME = re.compile(r"[A-Za-z_][\w-]*")
SKIPPED = re.compile("script|style|template|head|nav|noscript|svg")
SAMPLE = 30  # entries that selectors are tried on
HOLDS = 0.6  # share of the entries that have a value in which a selector has to find it
CLIMB = 5  # ancestors that may be named in the selector of an entry
LONG_TITLE = 400
WHOLE = 50  # what it costs to look for a thing in all of an entry

Nodes = list[LexborNode]
Test = Callable[[LexborNode, EntryData], bool]


def from_markup(page: FetchedDocument, entries: Sequence[EntryData], around: Around) -> Iterator[Layout]:
    """Layouts that the entries may stand in, those that need least to be said first."""
    tree = tree_of(decode(page))
    root = base_of(tree, page.address)
    for anchors in _anchors(tree, entries):
        for selector in _selectors_of_entries(tree, anchors):
            for spread in (False, True):
                examples = _examples(tree, selector, anchors, entries, spread=spread)
                if len(examples) > 1:
                    yield from _layouts(Layout(entry=selector, spread=spread), examples, root, around)


# -- entries ----------------------------------------------------------------------------------------------------------


def _anchors(tree: LexborHTMLParser, entries: Sequence[EntryData]) -> list[dict[int, LexborNode]]:
    """The elements that say the entries' titles, or texts where they have none, for each place in which most stand."""
    wanted = [(n, said.title or opening(said)) for n, said in enumerate(entries)]
    groups: dict[tuple[str, ...], dict[int, LexborNode]] = defaultdict(dict)
    for node in tree.body.traverse() if tree.body else ():
        if SKIPPED.fullmatch(node.tag or ""):
            continue
        text = " ".join(node.text(deep=False, separator=" ").split())
        deep = " ".join(node.text()[: 10 * LONG_TITLE].split()) if text else ""
        for n, title in wanted if deep else ():
            if title in deep and (len(deep) <= LONG_TITLE or not entries[n].title):
                group = groups[_signature(node)]
                if n not in group and all(node.mem_id != other.mem_id for other in group.values()):
                    group[n] = node
    return sorted((own for own in groups.values() if len(own) > 1), key=lambda own: -len(own))[:4]


def _signature(node: LexborNode) -> tuple[str, ...]:
    names = []
    for _ in range(3):
        names.append(" ".join((node.tag or "", *_classes(node)[:2])))
        if node.parent is None:
            break
        node = node.parent
    return tuple(names)


def _classes(node: LexborNode) -> list[str]:
    """Classes that can be named, those that look made by a machine last."""
    found = [name for name in (node.attributes.get("class") or "").split() if NAME.fullmatch(name) and len(name) < 40]
    return sorted(dict.fromkeys(found), key=lambda name: sum(c.isdigit() for c in name) > 2)


def _up(node: LexborNode) -> Iterator[LexborNode]:
    here: LexborNode | None = node
    while here is not None and here.tag not in ("body", "html", "-document", None):
        yield here
        here = here.parent


def _selectors_of_entries(tree: LexborHTMLParser, anchors: dict[int, LexborNode]) -> list[str]:
    """Selectors of the elements that hold one of the titles each and as much around it as they can."""
    below = Counter(node.mem_id for anchor in anchors.values() for node in _up(anchor))
    tops: list[LexborNode] = []
    for anchor in anchors.values():
        tops += [node for node in _up(anchor) if below[node.mem_id] == 1][-1:]
    if not tops:
        return []
    tags = Counter(node.tag for node in tops)
    tops = [node for node in tops if node.tag == tags.most_common(1)[0][0]]
    shared = [name for name in _classes(tops[0]) if sum(name in _classes(node) for node in tops) >= 0.9 * len(tops)]
    own = [f"{tops[0].tag}.{name}" for name in shared[:2]] or [tops[0].tag or "*"]
    found: list[tuple[int, str]] = []
    for selector in own:
        found.append((len(tree.css(selector)), selector))
        path, parent = selector, tops[0].parent
        for _ in range(CLIMB):
            if parent is None or parent.tag in ("body", "html"):
                break
            path = f"{_name(parent)} > {path}"
            found.append((len(tree.css(path)), path))
            parent = parent.parent
    # The shortest that finds hardly more than the entries; else the one that finds least.
    least = min(count for count, _ in found)
    close = [selector for count, selector in found if count <= max(least, 1.1 * least)]
    # A class says what is meant; a bare tag finds any table's rows.
    return sorted(close, key=lambda selector: ("." not in selector, len(selector)))[:2]


def _name(node: LexborNode) -> str:
    classes = _classes(node)
    return f"{node.tag}.{classes[0]}" if classes else node.tag or "*"


def _examples(
    tree: LexborHTMLParser, selector: str, anchors: dict[int, LexborNode], entries: Sequence[EntryData], *, spread: bool
) -> list[tuple[Nodes, EntryData]]:
    """The elements of each entry, with what is known of it."""
    tops = {node.mem_id: node for node in tree.css(selector)}
    found = []
    for n, anchor in anchors.items():
        top = next((tops[node.mem_id] for node in _up(anchor) if node.mem_id in tops), None)
        if top is not None:
            found.append(([top, *beside(top, set(tops))] if spread else [top], entries[n]))
    return found


# -- what stands in an entry ------------------------------------------------------------------------------------------


def _layouts(layout: Layout, examples: list[tuple[Nodes, EntryData]], root: str, around: Around) -> Iterator[Layout]:
    tried = examples[:: max(1, len(examples) // SAMPLE)]
    choices = _choices(tried)
    language = around.language

    def best(test: Test, among: Callable[[EntryData], bool]) -> str:
        return _best(choices, [(nodes, said) for nodes, said in tried if among(said)], test)

    layout = replace(
        layout,
        date=best(lambda node, said: _says_day(node, said, root, language), lambda said: bool(said.published)),
        length=best(lambda node, said: _says_length(node, said, root, language), lambda said: bool(said.seconds_low)),
        text=best(
            lambda node, said: normalize_show_name(words(node, root, "\n")).startswith(
                normalize_show_name(opening(said))
            ),
            lambda said: bool(said.text),
        ),
        link=best(lambda node, said: link_in(node, root) == said.url, lambda said: bool(said.url)),
        show=best(lambda node, said: is_show(words(node, root), around.show), lambda said: True),
    )
    if layout.text:
        printed = ((words(first(nodes, layout.text), root, "\n"), said) for nodes, said in examples)
        cut, whole = ends(printed, around)
        layout = replace(layout, cut=cut, ends=whole)
    titled = [(nodes, said) for nodes, said in tried if said.title]
    if not titled:
        yield layout
        return
    if title := _best(choices, titled, lambda node, said: words(node, root) == said.title):
        yield replace(layout, title=title)
    title = _best(
        choices,
        titled,
        lambda node, said: said.title in words(node, root)[:LONG_TITLE] and words(node, root) != said.title,
    )
    for level in LEVELS if title else ():
        forms = Counter(form_for(words(first(nodes, title), root), said, around, level) for nodes, said in titled)
        for form, _ in forms.most_common(2):
            if form and form != "{title}":
                fields = form_of(form).fields
                yield replace(
                    layout,
                    title=title,
                    title_form=form,
                    date=layout.date if "date" not in fields else "",
                    length=layout.length if "length" not in fields else "",
                    show=layout.show if "show" not in fields else "",
                )


def _says_day(node: LexborNode, said: EntryData, root: str, language: str) -> bool:
    stamp, raw, mark = date_in(node, root, language)
    return raw == said.date_raw or stamp[:10] == said.published[:10] or bool(mark and str(mark.day) == said.published)


def _says_length(node: LexborNode, said: EntryData, root: str, language: str) -> bool:
    _, span = length_in(node, root, language)
    return span is not None and span == (said.seconds_low, said.seconds_high)


def _choices(examples: Sequence[tuple[Nodes, EntryData]]) -> list[str]:
    """Selectors of what stands in entries, the plainest first."""
    found = Counter[str]()
    for nodes, _ in examples:
        own = {choice for top in nodes for node in _inside(top) for choice in _names(node, nodes)}
        found.update(own)
    usual = [choice for choice, count in found.items() if count * 2 >= len(examples)]
    whole = {choice for nodes, _ in examples if len(nodes) == 1 for choice in _names(nodes[0], nodes)}
    return sorted(usual, key=lambda choice: (_cost(choice) + WHOLE * (choice in whole), choice))


def _inside(top: LexborNode) -> Iterator[LexborNode]:
    for count, node in enumerate(top.traverse()):
        if count > 300:
            return
        if not (node.tag or "-").startswith("-"):
            yield node


def _names(node: LexborNode, tops: Nodes) -> Iterator[str]:
    tag = node.tag or "*"
    own = [f"{tag}.{name}" for name in _classes(node)[:2]]
    yield from own
    yield tag
    place = _place(node)
    yield f"{tag}:nth-of-type({place})"
    parent = node.parent
    if parent is not None and node.mem_id not in {top.mem_id for top in tops}:
        yield from (f"{_name(parent)} > {name}" for name in (*own[:1], tag, f"{tag}:nth-of-type({place})"))
        if (place := _place(parent)) > 1 and not _classes(parent):
            yield f"{parent.tag}:nth-of-type({place}) > {tag}"


def _place(node: LexborNode) -> int:
    place, before = 1, node.prev
    while before is not None:
        place += before.tag == node.tag
        before = before.prev
    return place


def _cost(choice: str) -> int:
    """What a selector says is worth more than where it counts to, and what is short more than what is long."""
    digits = sum(c.isdigit() for c in choice)
    return 20 * choice.count(":") + 8 * choice.count(">") - 6 * ("." in choice) + 2 * digits + len(choice) // 4


def _best(choices: Sequence[str], examples: Sequence[tuple[Nodes, EntryData]], test: Test) -> str:
    """The plainest of the selectors that find what most entries say; "" where none does."""
    best, most = "", HOLDS * len(examples)
    for choice in choices if len(examples) > 1 else ():
        count = 0
        for nodes, said in examples:
            node = first(nodes, choice)
            count += node is not None and test(node, said)
        if count > most:
            best, most = choice, count
    return best
