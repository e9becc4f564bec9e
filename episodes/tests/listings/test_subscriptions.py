"""Lists of subscriptions are read as tolerantly as feeds: every outline with an address gets its line."""

import pytest

from episodes.listings import Subscription, is_opml, parse_opml_subscriptions
from episodes.records import DocumentRejected, FetchedDocument

LOOMS = '<outline text="Thé & Looms" xmlUrl="https://looms.example/feed?a=1&b=2"/>'
KNOTS = '<outline text="Knots" xmlUrl="https://knots.example/feed"/>'
BOTH = (
    Subscription("Thé & Looms", "https://looms.example/feed?a=1&b=2"),
    Subscription("Knots", "https://knots.example/feed"),
)
LIST = f'<opml version="2.0"><body>{LOOMS}{KNOTS}</body></opml>'
DECLARED = '<?xml version="1.0" encoding="utf-16"?>'


def read(body: str | bytes) -> tuple[Subscription, ...]:
    document = FetchedDocument(body.encode() if isinstance(body, str) else body)
    assert is_opml(document)
    return parse_opml_subscriptions(document)


@pytest.mark.parametrize(
    "body",
    [
        f"\ufeff\n\n{DECLARED}\n<!-- All --><!DOCTYPE opml>{LIST}",
        f" \n<?xml version='1.0'?>{LIST}",
        f"{LIST}<script>x</script>",
        LIST.replace("Knots", "Kn\x0bots\0"),
        LIST.replace('text="Knots"', 'text="Knots" text="Others"'),
        LIST.replace("opml", "OPML").replace("outline text", "OUTLINE TEXT").replace("xmlUrl", "XMLURL"),
        LIST.replace("<opml", '<opml xmlns="http://opml.org/spec2"'),
        f"{LOOMS}{KNOTS}",
        f"<opml><body>{LOOMS.replace('/>', '>')}{KNOTS.replace('/>', '>')}",
        LIST.replace('"', "'"),
        LIST.replace("<body>", '<body><outline text="A "wild" <b>" xmlUrl="https://a.example"/> words'),
        LIST.encode("latin-1"),
        f"{DECLARED}{LIST}".encode("utf-16"),
        f"{DECLARED}{LIST}".encode("utf-16-be"),
    ],
    ids=[
        "blank lines", "late declaration", "trailing text", "control characters", "attribute twice", "capitals",
        "namespace", "several roots", "open outlines", "single quotes", "an outline that cannot be read", "Latin-1",
        "UTF-16", "UTF-16 without a mark",
    ],
)  # fmt: skip
def test_faulty_list_is_read_whole(body: str | bytes) -> None:
    assert read(body) == BOTH


@pytest.mark.parametrize(
    "outline, subscription",
    [
        ('<outline text="Knots <3" type="link" url="https://knots.example"/>', ("Knots <3", "https://knots.example")),
        ("<outline text=Knots xmlUrl=https://knots.example />", ("Knots", "https://knots.example")),
        ('<outline text="Knots" type="rss" htmlUrl="https://knots.example"/>', ("Knots", "", "no feed address")),
    ],
)
def test_outline_gets_its_line(outline: str, subscription: tuple[str, ...]) -> None:
    assert read(f"<opml><body>{outline}</body></opml>") == (Subscription(*subscription),)


def test_deep_nesting_loses_no_outline() -> None:
    outlines = [f'<outline text="{n}" xmlUrl="https://looms.example/{n}">' for n in range(2_000)]
    assert len(read(f"<opml><body>{''.join(outlines)}{'</outline>' * 2_000}</body></opml>")) == 2_000


def test_list_cut_before_first_outline_is_refused() -> None:
    with pytest.raises(DocumentRejected, match="not well-formed"):
        read("<opml><body><outline text=")


def test_episodes_of_a_show_are_no_feeds() -> None:
    episode = '<outline type="podcast-episode" title="Knots 1" url="https://knots.example/1"/>'
    assert read(LIST.replace("</body>", f"{episode}</body>")) == BOTH
