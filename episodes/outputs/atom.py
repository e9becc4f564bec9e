"""A list as an Atom feed (RFC 4287), its pages linked as RFC 5005 says."""

from .listing import Listing, audio, people, urn
from .xml import document

KIND = "application/atom+xml"


def write(listing: Listing) -> str:
    """An entry for each episode; `updated` by `sorted_at`, `published` where the date has come."""
    return document(
        "atom", listing=listing, show=listing.podcast, audio=audio, people=people, urn=urn
    )
