"""Takes episodes out of the catalog and brings them back."""

from __future__ import annotations

from ..models import TAKEN_OUT, Episode, WithdrawnEpisode
from .entries import anchor, in_force, on_entry, refs
from .history import Impossible, User, about_episode, changing
from .verbs import changing_episode, of_one_show

IN_CATALOG = "in the catalog"
REPLACED = "replaced"


def take_out(
    user: User,
    episode: Episode,
    kind: str,
    other: Episode | None = None,
    *,
    seen: str = "",
    reason: str = "",
) -> None:
    """Take an episode out, whatever sources list it from now on; its addresses are gone, or lead to
    the `other` one that replaces it.

    Raises:
        Impossible: there is no such kind, or no other episode of this show. Stale: somebody was
        faster.
    """
    if kind not in TAKEN_OUT:
        raise Impossible("Choose why it is taken out.")
    source, key = anchor(of_one_show(episode, other)) if kind == REPLACED else ("", "")
    label = f"replaced by {other}" if source else TAKEN_OUT[kind].lower()
    with changing_episode(user, "take out", episode, seen, reason) as record:
        # One that is in force names an episode that has become one with this since.
        for row in in_force(episode, "withdrawal"):
            record.end(row)
        record.decide(
            "withdrawal",
            **on_entry(episode.podcast, anchor(episode), reason),
            value=kind,
            detail=episode.slug,
            other_source=source,
            other_key=key,
        )
        record.tell(IN_CATALOG, "yes", f"no: {label}")


def put_back(user: User, episode: WithdrawnEpisode, *, reason: str = "") -> None:
    """Bring back an episode that was taken out.

    Raises:
        Impossible: it is back already.
    """
    about = about_episode(episode.podcast, *(refs(episode) or [("", "")])[0])
    podcasts = [episode.podcast]
    with changing(
        user, "bring back", episode.heading, about, podcasts=podcasts, reason=reason
    ) as record:
        rows = in_force(episode, "withdrawal")
        if not rows:
            raise Impossible("This episode is back already.")
        for row in rows:
            record.end(row)
        record.tell(IN_CATALOG, f"no: {episode.decision.value_label.lower()}", "yes")
