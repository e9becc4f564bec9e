"""Bytes that are UTF-8 are read as UTF-8, whatever a page or a feed declares; others as it
declares them."""

import pytest

from episodes.gather.sources import feed
from episodes.listings import decode_page
from episodes.records import DocumentRejected, FetchedDocument, Show

from ..tables import cases

CASES = cases("listings_decoding")

CYRILLIC = "Ткацкий станок"


@pytest.mark.parametrize("declared", ["header", "page", "feed"])
@pytest.mark.parametrize("encoding, stated, text", CASES["a_text_is_read_in_the_encoding_that_its_bytes_have"])
def test_text_is_decoded_by_its_bytes(declared: str, encoding: str, stated: str, text: str) -> None:
    if declared == "feed":
        start = f'<?xml version="1.0" encoding="{stated}"?><rss version="2.0"><channel>'
        body = f"{start}<item><title>{text}</title></item></channel></rss>".encode(encoding)
        assert feed.read(FetchedDocument(body), Show("", "")).entries[0].title == text
        return
    head, kind = ("", f"text/html; charset={stated}")
    if declared == "page":
        head, kind = f'<meta charset="{stated}">', ""
    body = f"<html>{head}<p>{text}".encode(encoding)
    assert decode_page(FetchedDocument(body, "", kind)).endswith(f"<p>{text}")


def test_a_feed_of_ascii_alone_may_declare_anything() -> None:
    body = b'<?xml version="1.0" encoding="utf-16"?><rss version="2.0"><channel><item><title>Looms</title></item></channel></rss>'
    assert feed.read(FetchedDocument(body), Show("", "")).entries[0].title == "Looms"


@pytest.mark.parametrize("stated", ["utf-8", "", "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize("text", [CYRILLIC, "abéé"])
def test_letters_of_no_western_language_are_refused(stated: str, text: str) -> None:
    encoding = "cp1251" if text == CYRILLIC else "cp1252"
    item = f"<item><title>{text}</title><guid>https://looms.example/{'a' * 99}</guid></item>"
    rss = f'<rss version="2.0"><channel>{item * 3}</channel></rss>'
    page = FetchedDocument(rss.encode(encoding), "", f"text/xml; charset={stated}" if stated else "")
    with pytest.raises(DocumentRejected, match="encoding is unknown"):
        decode_page(page)


@pytest.mark.parametrize("text", ["abé", "ab é 2 – “”", "&eacute; <é> abé"])
def test_third_of_letters_may_be_foreign(text: str) -> None:
    assert decode_page(FetchedDocument(text.encode("cp1252"))) == text
