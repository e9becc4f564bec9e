"""Show notes as plain text, and as markup that is safe to put on a page."""

import html as entities
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from .addresses import (
    PlainText,
    TextSpan,
    address_with_scheme,
    find_spans_of_web_addresses,
    is_public_link,
    spans_of_complete_links,
)
from .markup import (
    BLOCKS,
    CELLS,
    TextPiece,
    cleaned_markup,
    is_markup,
    plain,
    plain_text_and_links_of_pieces,
    plain_text_of_markup,
    split_into_allowed_tags_and_texts,
    storable_text,
)
from .vocabulary import word_set

NOTES_TAGS = word_set("a b blockquote br code em h3 h4 hr i li ol p pre strong ul")
_REPLACEMENTS_OF_TAGS = dict.fromkeys(BLOCKS - NOTES_TAGS | {"p"}, "<p>") | dict.fromkeys(
    CELLS, " "
)


@lru_cache(maxsize=256)  # the same notes are converted several times in a row
def to_text(html: str) -> str:
    """Return notes as plain text: a line for each paragraph and list item, with white space folded and
    entities decoded. Never raises."""
    return plain_text_of_markup(html).text


@lru_cache(maxsize=256)  # the same notes are converted several times in a row
def notes_to_safe_html(html: str, text: str, is_cut: bool) -> str:
    """Return notes as balanced and safe markup: the notes in `html`, or in the plain `text` if there is no
    markup.

    They have an allow-list of tags, http(s) links only, and links at bare addresses. If a site cut the
    notes (`is_cut`), an address at their end may be incomplete and becomes no link.
    """
    source_pieces = split_into_allowed_tags_and_texts(_notes_as_markup(html, text))
    complete_links = spans_of_complete_links(
        plain_text_and_links_of_pieces(source_pieces), is_cut=is_cut
    )
    link_by_index = {link.link_index: link for link in complete_links}
    markup = "".join(
        _iterate_markup_keeping_public_links(source_pieces, link_by_index, is_cut=is_cut)
    )
    # The parser closes a paragraph before the next one, and all that is open at the end.
    return _drop_empty_elements(cleaned_markup(f"<p>{markup}", NOTES_TAGS)).strip()


def _notes_as_markup(html: str, text: str) -> str:
    source = html if html.strip() else _escape_text(storable_text(text))
    if is_markup(source):
        return source
    # `plain` decodes entities, so the lines are escaped once more.
    lines = plain(source).splitlines()
    return "".join(f"<p>{_escape_text(line)}</p>" for line in lines)


def _drop_empty_elements(markup: str) -> str:
    # Nested elements go from the inside out: "<p><b> </b></p>".
    for _ in range(8):
        markup = re.sub(r"<(\w+)(?: [^<>]*)?>(?:\s|&nbsp;|<br>)*</\1>", "", markup)
    return markup


def _iterate_markup_keeping_public_links(
    source_pieces: Sequence[TextPiece], link_by_index: Mapping[int, TextSpan], *, is_cut: bool
) -> Iterator[str]:
    indexes_with_text = [index for index, piece in enumerate(source_pieces) if piece.text.strip()]
    last_text_index = max(indexes_with_text, default=0)
    next_link_index = 0  # of links to public addresses
    is_in_link = False
    for index, piece in enumerate(source_pieces):
        if piece.tag == "a":
            is_in_link = is_public_link(piece.href)
            if is_in_link:
                link = link_by_index.get(next_link_index)
                next_link_index += 1
                yield _markup_at_link_start(link)
            else:
                # An end tag, or the start of a link to a private host. `cleaned_markup` drops unpaired end tags.
                yield "</a>"
        elif piece.tag:
            yield _markup_of_simplified_tag(piece)
        elif is_in_link:
            yield _escape_text(piece.text)
        else:
            # Cut notes are cut at the end of their last text.
            is_text_cut = is_cut and index == last_text_index
            yield _escape_text_and_link_addresses(piece.text, is_cut=is_text_cut)


def _markup_at_link_start(link: TextSpan | None) -> str:
    # Its address was cut off, so its words stay without a link.
    if link is None:
        return ""
    has_words = link.start < link.end
    if has_words:
        return _opening_link_tag(link.address)
    # Such as a link around a picture, which is dropped.
    return _link_with_address_as_words(link.address)


def _markup_of_simplified_tag(piece: TextPiece) -> str:
    # The page has its own headings above h3.
    headings = {"h1": "h3", "h2": "h3", "h5": "h4", "h6": "h4"}
    tag = headings.get(piece.tag, piece.tag)
    # Other blocks become paragraphs, which `cleaned_markup` closes, and cells of tables become spaces.
    if tag in _REPLACEMENTS_OF_TAGS:
        return _REPLACEMENTS_OF_TAGS[tag]
    if not piece.closing:
        return f"<{tag}>"
    # Text behind a block needs a paragraph of its own: an empty one is dropped later.
    return f"</{tag}><p>" if tag in BLOCKS else f"</{tag}>"


def _escape_text_and_link_addresses(text: str, *, is_cut: bool) -> str:
    markup = ""
    last_end = 0
    text_without_links = PlainText(text, anchors=())
    for span in find_spans_of_web_addresses(text_without_links, is_cut=is_cut):
        markup += _escape_text(text[last_end : span.start])
        markup += _link_with_address_as_words(span.address)
        last_end = span.end
    return markup + _escape_text(text[last_end:])


def _escape_text(text: str) -> str:
    return entities.escape(text, quote=False)


def _opening_link_tag(address: str) -> str:
    return f'<a href="{entities.escape(address_with_scheme(address))}">'


def _link_with_address_as_words(address: str) -> str:
    return f"{_opening_link_tag(address)}{_escape_text(address)}</a>"
