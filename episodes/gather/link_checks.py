"""Asks the addresses that notes point to whether they are still there, and for the titles of pages
that no notes name; the only module that writes LinkCheck."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from textwrap import shorten

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from selectolax.lexbor import LexborHTMLParser

from ..listings import clean, decode, tree_of
from ..models import EpisodeLink, Link, LinkCheck
from ..records import DocumentRejected, FetchedDocument
from ..text.link_labels import LONGEST_TITLE
from ..text.urls import host_of
from .fetch import Unreachable, probe
from .parse_document import within_limits
from .retry import requested_wait

Identity = Callable[[str], str]

PAUSE = 2.0  # seconds between two requests, whoever is asked
# The outcome by the status; the last five say servers to programs about pages that people can open.
OUTCOMES = dict.fromkeys((404, 410), "gone") | dict.fromkeys((401, 403, 405, 406, 999), "there")


@dataclass(frozen=True, slots=True)
class LinkSummary:
    """The result of a run: how many links were there, gone and not reached, and how many were due
    and not asked."""

    there: int
    gone: int
    unreached: int
    left: int
    titled: tuple[str, ...] = ()  # the keys of those whose page gave a title

    @property
    def line(self) -> str:
        asked = self.there + self.gone + self.unreached
        return (
            f"{asked} links checked: {self.there} ok, {self.gone} gone, {self.unreached} unreachable; "
            f"{self.left} still due" + f"; {len(self.titled)} titles" * bool(self.titled)
        )


def check_links(
    limit: int,
    lately: timedelta,
    *,
    allow: frozenset[str],
    clock: Callable[[], datetime],
    sleep: Callable[[float], None],
    identity: Identity | None = None,
    watch: Callable[[str], None] = lambda message: None,
    stopped: Callable[[], bool] = lambda: False,
) -> LinkSummary:
    """Ask up to `limit` links that were not asked `lately`, those never asked first, and keep each
    answer at once.

    `allow` is FETCH_ALLOW. A host that asked to be left alone is left alone, in this run and in
    later ones, and the links to it stay due. With the `identity` of what an address leads to,
    titles of pages are kept too. `watch` is told what is being asked.
    """
    began = clock()
    web = Q(url__istartswith="http://") | Q(url__istartswith="https://")
    mentions = EpisodeLink.objects.filter(web, link=OuterRef("pk"))
    mentions = mentions.order_by("episode__podcast", "episode__order", "position")
    links = Link.objects.annotate(
        address=Subquery(mentions.values("url")[:1]),
        asked=Subquery(LinkCheck.objects.filter(key=OuterRef("key")).values("asked_at")[:1]),
    )
    due = links.filter(Q(asked=None) | Q(asked__lte=began - lately), address__isnull=False)
    longest_ago_first = due.order_by(F("asked").asc(nulls_first=True), "key")
    rows = list(longest_ago_first.values_list("key", "address"))
    waiting = set(
        LinkCheck.objects.filter(not_before__gt=began).values_list("host", flat=True)
    )  # hosts
    outcomes: Counter[str] = Counter()
    titled = []
    for key, address in rows:
        asked = outcomes.total()
        if asked == limit or stopped():
            break
        # Left for a later run, not counted as gone.
        if host_of(address) in waiting:
            continue
        watch(f"{asked + 1} of {min(limit, len(rows))}: {address}")
        outcome, hosts, title = ask(key, address, allow, clock, identity)
        outcomes[outcome] += 1
        titled += [key] * bool(title)
        waiting |= hosts
        sleep(PAUSE)
    left = len(rows) - outcomes.total()
    return LinkSummary(outcomes["there"], outcomes["gone"], outcomes["unreached"], left, (*titled,))


def ask(
    key: str,
    address: str,
    allow: frozenset[str],
    clock: Callable[[], datetime],
    identity: Identity | None = None,
) -> tuple[str, set[str], str]:
    """Ask for a link and keep what came of it; the outcome, the hosts to leave alone (one that
    asked for it, and the one that led there), and the title of its page."""
    outcome, note, wait, host, title = "there", "", timedelta(), host_of(address), ""
    try:
        page = probe(address, reads_head=identity is not None, allow=allow)
        # A page that redirects elsewhere, such as to a login, has another's title.
        if identity and identity(page.address) == identity(address):
            title = within_limits(title_of, page, key)
    except Unreachable as error:
        outcome = OUTCOMES.get(error.status or 0, "unreached")
        note, wait, host = str(error), requested_wait(error), error.host or host
    now = clock()
    record(key, outcome, host, now, note, now + wait, title)
    return outcome, {host, host_of(address)} if wait else set(), title


@transaction.atomic
def record(
    key: str,
    outcome: str,
    host: str,
    now: datetime,
    note: str = "",
    not_before: datetime | None = None,
    title: str = "",
) -> None:
    """Keep an answer; a failure goes on from those before it, and a link that is there has none
    behind it. A title stays until the page gives another."""
    before = LinkCheck.objects.select_for_update().filter(key=key).first() or LinkCheck()
    row: dict[str, object] = {
        "outcome": outcome,
        "note": note,
        "asked_at": now,
        "host": host,
        "not_before": not_before,
        "failures": 0,
        "failing_since": None,
    }
    if outcome != "there":
        row |= {"failures": before.failures + 1, "failing_since": before.failing_since or now}
    if title:
        row |= {"title": title, "titled_at": now}
    LinkCheck.objects.update_or_create(key=key, defaults=row)


LONGEST_AUTHOR = 50
SEPARATOR = re.compile(r"( [-–—|·•:]+ )")


def title_of(page: FetchedDocument, key: str) -> str:
    """The title that a page gives itself, without parts at its end that name the site or repeat
    the number or place in the link's key, and for a paper with its first author; "" where it has
    none, for files of code, and for what is made to hold up who reads it."""
    if key.startswith("gh:") and "#" not in key:
        return ""  # their paths tell more
    try:
        tree = tree_of(decode(page))
    except DocumentRejected:
        return ""
    title, *_ = [*_contents(tree, "og:title"), *(n.text() for n in tree.css("head > title")), ""]
    site = " ".join(_contents(tree, "og:site_name"))
    known = f"{site} {host_of(page.address)} {'' if '://' in key else key}".lower()
    parts = SEPARATOR.split(" ".join(clean(title).split()))
    while len(parts) > 1 and parts[-1].lower().split()[-1] in known:
        del parts[-2:]
    whole = "".join(parts)
    if whole.lower() in known:
        return ""
    first, *others = *_contents(tree, "citation_author"), ""
    author = clean(first.partition(",")[0] + " et al." * (len(others) > 1))  # "Vaswani, Ashish"
    title = shorten(whole, LONGEST_TITLE, placeholder="…")
    return f"{title} ({shorten(author, LONGEST_AUTHOR, placeholder='…')})" if first else title


def _contents(tree: LexborHTMLParser, name: str) -> list[str]:
    nodes = tree.css(f"meta[property='{name}'], meta[name='{name}']")
    return [text for node in nodes if (text := (node.attributes.get("content") or "").strip())]
