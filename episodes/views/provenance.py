"""The sources of an episode's values, field by field, and since when they have said so."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..fields import SOURCED
from ..models import Episode
from ..records import Provenance
from ..text.formatting import day


@dataclass(frozen=True)
class Confirmed:
    """When a value was first and last confirmed by its source."""

    first: datetime
    last: datetime

    def __str__(self) -> str:
        return f"first seen {day(self.first)}, last checked {day(self.last)}"


def confirmed(attachments: Iterable[Any]) -> dict[tuple[str, str], Confirmed]:
    """For each (source, field) since when its newest entry has said what it says, and when it was
    last read with it."""
    found: dict[tuple[str, str], Confirmed] = {}
    # Entries that are still listed come last and so have the last word.
    for attachment in sorted(
        attachments, key=lambda a: (a.item.gone_version is None, -a.item.document_id)
    ):
        item = attachment.item
        last = attachment.left_at if item.gone_version else attachment.read_at
        revisions = [(revision.recorded_at, revision.said) for revision in item.revisions.all()]
        for field in SOURCED if last else ():
            words = [field.words_in(said) for _, said in revisions]
            # Since when it is said without a break; the newest revision comes first.
            unbroken = next((n for n, said in enumerate(words) if said != words[0]), len(words))
            if words[0]:
                first, _ = revisions[unbroken - 1]
                found[(item.document.source.slug, field.name)] = Confirmed(first, last)
    return found


def field_sources(episode: Episode, attachments: Sequence[Any]) -> dict[str, object]:
    """The sources of an episode, told by its entries: the fields in which a source is named or
    differs, and those that no source knows; whose values are shown, that of the title first; when
    an entry was last read; and since when all that is shown has been said, "" where that differs
    from field to field."""
    seen = confirmed(attachments)
    fields = list(_fields(episode, attachments, seen))
    spans = {field["since"] for field in fields if field["source"]}
    sources = dict.fromkeys(field["source"] for field in fields)
    return {
        "fields": fields,
        "sources": list(filter(None, sources)),
        "checked": max((one.last for one in seen.values()), default=None),
        "since": spans.pop() if len(spans) == 1 else "",
    }


def _fields(
    episode: Episode, attachments: Sequence[Any], seen: Mapping[tuple[str, str], Confirmed]
) -> Iterator[dict[str, Any]]:
    """Each field: whose value is shown, who else says so, what is said instead and whether both
    cannot be right, and since when (`first seen 3 May 2021, last checked 21 November 2026`; "" for
    a curator's value)."""
    every = [attachment.item.document.source for attachment in attachments]
    titles = {"curator": "the curator"} | {source.slug: source.heading for source in every}
    conflicts = {(row.get("field"), row.get("other_value")) for row in episode.conflicts}
    for field in SOURCED:
        known = Provenance.from_payload(episode.provenance.get(field.name, {}))
        slug = known.source or ""
        others = [
            {
                "value": field.words(value),
                "sources": _listed(slugs, titles),
                "conflicts": (field.name, value) in conflicts,
            }
            for value, slugs in known.others
        ]
        if slug or others or not field.optional:
            yield {
                "name": field.label + known.editorial * " (summary written for the catalog)",
                "source": titles.get(slug, slug),
                "agree": _listed(sorted({*known.agree} - {slug}), titles),
                "others": others,
                "since": str(seen.get((slug, field.name), "")),
            }


def _listed(slugs: Iterable[str], titles: Mapping[str, str]) -> str:
    return ", ".join(titles.get(slug, slug) for slug in slugs)
