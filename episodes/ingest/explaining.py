"""Says of each entry of a document what became of it, and why."""

from __future__ import annotations

from collections.abc import Iterator

from ..gather import store
from ..models import Attachment, Decision, Document, Held
from ..records import ParsedPage

NO_EPISODE = "no episode of the catalog fits"


def explained(document: Document, reading: ParsedPage) -> Iterator[str]:
    """A line for each entry that the document lists now: title, what became of it, and the signs
    for that; then for each one that its reader left out."""
    of_document = {"item__document": document}
    unwanted = Decision.objects.in_force("match").filter(
        podcast=document.source.podcast, source=document.source.slug, value="ignore"
    )
    keys = unwanted.values_list("item_key", flat=True)
    posts = store.present(document).filter(is_post=True)
    decided = store.present(document).filter(key__in=keys)
    fates = dict.fromkeys(posts, "ignored: a post, which gives links their titles")
    fates |= dict.fromkeys(decided, "ignored: a curator decided so")
    for held in Held.objects.filter(**of_document).select_related("item"):
        some = [f"{one['episode']} ({', '.join(one['reasons'])})" for one in held.candidates]
        fates[held.item] = f"held: {' or '.join(some) or NO_EPISODE}"
    for row in Attachment.objects.filter(**of_document).select_related("item", "episode"):
        fates[row.item] = f"attached: {'; '.join((row.episode.heading, *row.reasons))}"
    for revision in store.current_revisions(store.present(document)).select_related("item"):
        title = revision.said.title or revision.said.text[:80]
        yield f"{title}: {fates.get(revision.item, f'ignored: {NO_EPISODE}')}"
    yield from (f"{title}: ignored: {reason}" for title, reason in reading.left_out)
