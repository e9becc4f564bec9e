"""Finds which other episodes of its show an episode refers to, by address or by name, and what they are to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..text.addresses import BLANK, without_addresses
from ..text.normalize import TAIL
from ..text.sentences import WORD, excerpt, sentences
from ..text.urls import canonical
from . import reference_phrases as phrases
from .episode_mentions import Context, EpisodeMentions, Mention
from .episode_names import SIGNS, NamesAtHand
from .reference_phrases import SEE_ALSO, STRENGTH

MOST_MENTIONS = 64  # of one target that are looked at: its strongest kind is known long before
REACH = 60  # characters between a phrase and what it is about
SHORT_LINE = 8  # words of a line that may be a heading


@dataclass(frozen=True, slots=True)
class FoundReference:
    """A reference to another episode (its slug is `target`), and the words that make it.

    `kind` is prerequisite (hear it before), follow-up (hear it after) or see-also. `field` is notes, where `position`
    is the 0-based offset in the text, or links, where it is the index among the links given.
    """

    kind: str
    target: str
    field: str
    position: int
    evidence: str


class _Lead(NamedTuple):
    """Words such as "Listen to these first:" and the kind that they give to all that a list below them names."""

    kind: str = SEE_ALSO
    words: str = ""


def references(
    slug: str, text: str, links: Sequence[tuple[str, str, int]], known: NamesAtHand, show: str
) -> tuple[FoundReference, ...]:
    """At most one reference a target, of its strongest kind, by slug of the target; never the episode itself.

    `links` are those to episodes: (slug, address, offset in `text`, or -1 for one that only another source's text has).
    A -1 is a see-also, unless the text ends in a lead whose list was cut off in the middle of an address that it
    continues. `known` are the names that the text can hold, `show` is the show's title, to tell its own episodes from
    those of other podcasts. Linear in the text; never raises.
    """
    if not (links or known.names_another(slug)):
        return ()
    reader = _Reader(slug, text, known, show)
    here = [link for link in links if 0 <= link[2] < len(text)]
    found = list(
        reader.read([Mention(at, at + len(url) * text.startswith(url, at), target) for target, url, at in here])
    )
    for index, (target, address, position) in enumerate(links):
        if not 0 <= position < len(text):
            lead = reader.lead if _continues(text, address) else _Lead()
            found.append(FoundReference(lead.kind, target, "links", index, f"{lead.words} {address}".strip()))
    return strongest(reference for reference in found if reference.target != slug)


def strongest(found: Iterable[FoundReference]) -> tuple[FoundReference, ...]:
    """One reference a target, by slug: the strongest kind, in the notes before the links, the earliest. Order-free, so
    that what several sources' texts say of one episode can be put together."""
    best: dict[str, FoundReference] = {}
    for reference in sorted(found, key=_rank):
        best.setdefault(reference.target, reference)
    return tuple(best[target] for target in sorted(best))


def _rank(found: FoundReference) -> tuple[str, int, bool, int, str]:
    return (found.target, STRENGTH.index(found.kind), found.field != "notes", found.position, found.evidence)


def _continues(text: str, address: str) -> bool:
    """True where a text is cut off within this address."""
    cut = TAIL.search(text, max(0, len(text) - 400))
    last = text[max(0, cut.start() - 400) : cut.start()].split()[-1:] if cut else []
    return any(canonical(address).startswith(canonical(beginning).rstrip("/")) for beginning in last)


class _Reader:
    """Reads one text from its beginning to its end and remembers the lead that governs a list."""

    def __init__(self, own: str, text: str, known: NamesAtHand, show: str) -> None:
        self.own, self.text, self.known = own, text, known
        self.masked = without_addresses(text).translate(SIGNS)
        self.prose = EpisodeMentions(self.masked, known, own, show)
        self.lead = _Lead()
        self.count: Counter[str] = Counter()

    def read(self, addresses: Iterable[Mention]) -> Iterator[FoundReference]:
        waiting = sorted(addresses, reverse=True)
        for start, end in sentences(self.masked):
            contexts = list(self.prose.named(start, end, is_list=bool(self.lead.words)))
            while waiting and waiting[-1].start < end:
                contexts.append(self.prose.context(start, end, [waiting.pop()]))
            for context in contexts:
                yield from self._references(context)
            self._govern(start, end, [context.run[0].start for context in contexts])

    def _references(self, context: Context) -> Iterator[FoundReference]:
        kind = self._kind(context)
        for mention in context.run:
            self.count[mention.slug] += 1
            if self.count[mention.slug] <= MOST_MENTIONS:
                own_kind = self.known.by_part(self.own, mention.slug) or kind
                words = excerpt(self.text, (context.start, context.end), mention.start, mention.end)
                is_led = own_kind == self.lead.kind and self.lead.words not in words
                evidence = f"{self.lead.words} {words}" if is_led else words
                yield FoundReference(own_kind, mention.slug, "notes", mention.start, evidence)

    def _kind(self, context: Context) -> str:
        before = " ".join(context.before.split())
        after = " ".join(BLANK.join(filter(None, context.after.split(BLANK))).split())[:120]
        behind = next((kind for kind, phrase in phrases.AFTER if phrase.match(after)), "")
        return behind or _nearest_kind(before, REACH) or self.lead.kind

    def _govern(self, start: int, end: int, mentions: Sequence[int]) -> None:
        """Let a lead govern what follows it, until another heading or a sentence of prose."""
        blank = self.masked.find(BLANK, start, end)
        first = min(mentions, default=end if blank < 0 else blank)
        words = " ".join(self.masked[max(start, first - 200) : first].split())
        count = len(WORD.findall(words))
        is_heading = words.endswith(":") or (first == end and count <= SHORT_LINE)
        kind = _nearest_kind(words, len(words)) if is_heading else ""
        if kind:
            self.lead = _Lead(kind, words[-160:])
        elif words.endswith(":") or count > SHORT_LINE:
            self.lead = _Lead()


def _nearest_kind(before: str, reach: int) -> str:
    """The kind of the phrase that ends last before a mention, unless more than `reach` characters stand between."""
    found = [(one.end(), -one.start(), kind) for kind, phrase in phrases.BEFORE for one in phrase.finditer(before)]
    end, _, kind = max(found, default=(0, 0, ""))
    return kind if len(before[end:].replace(BLANK, "")) <= reach else ""
