"""Links of episodes by their addresses."""

from django.db.models import Q, QuerySet

from ..models import HAS_EPISODES, EpisodeLink, Link
from ..notes import identify_link
from ..text.urls import add_scheme


def find_links_of_address(address_or_key: str) -> QuerySet[Link]:
    """Return the links of episodes that an address leads to in any spelling, or with a key such as
    `arxiv:2104.04473`. There are none for words."""
    key = identify_link(add_scheme(address_or_key)).key
    mentions = EpisodeLink.objects.filter(url__iexact=address_or_key)
    # Without case, because GitHub takes any case.
    has_key = Q(key__iexact=key) | Q(key__iexact=address_or_key)
    return Link.objects.filter(HAS_EPISODES, has_key | Q(pk__in=mentions.values("link")))
