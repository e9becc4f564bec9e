"""Every document in the data folder and every shipped one gives exactly what its expected file says."""

from dataclasses import replace

import pytest

from episodes.gather.evidence import require_enough_entries_with_content
from episodes.gather.sources import readers
from episodes.records import DocumentRejected, EntryData, ParsedPage

from .pages import SAVED, Pair, entries, outcome, pairs, read, saved

ALL = list(pairs())


@pytest.mark.parametrize("pair", ALL, ids=str)
def test_a_page_gives_what_its_expected_file_says(pair: Pair):
    got = outcome(pair.reader, pair.page, pair.show)
    if "refused" in pair.expected:
        assert "refused" in got, got
        assert pair.expected["refused"] in got["refused"]
    else:
        assert got == pair.expected


@pytest.mark.parametrize("name", sorted(SAVED))
def test_shipped_document_has_one_reader(name: str):
    assert [other for other, reader in readers().items() if reader.recognises(saved(name))] == [name]


@pytest.mark.parametrize(
    "name, least", [("feed", 2), ("player-fm", 9), ("numbered-list", 5), ("pod-casts-io", 5), ("ezyang-blog", 5)]
)
def test_good_document_has_enough_texts(name: str, least: int):
    bare = [EntryData(title=f"Springs {n}") for n in range(10)]
    told = [replace(said, text="Of steel.") for said in bare]
    require_enough_entries_with_content(ParsedPage((*told[:least], *bare[least:])), readers()[name])
    with pytest.raises(DocumentRejected, match=f"only {least - 1} of 10"):
        require_enough_entries_with_content(ParsedPage((*told[1:least], *bare[least - 1 :])), readers()[name])


@pytest.mark.parametrize("reader", sorted(SAVED))
@pytest.mark.parametrize("document", sorted(SAVED))
def test_a_reader_refuses_the_documents_of_the_others(reader: str, document: str):
    if reader != document:
        with pytest.raises(DocumentRejected):
            read(reader, saved(document))


@pytest.mark.parametrize("badge", ["public", "público", "öffentlich", "відкриті", "公開"])
@pytest.mark.parametrize("series", ["PyTorch", "PyTorch Developer Podcast"])
def test_heading_of_series_may_be_short(series: str, badge: str):
    text = (
        saved("player-fm")
        .body.decode()
        .replace("PyTorch відкриті", f"{series} {badge}")
        .replace("edit#PyTorch\n", f"edit#{series}\n")
    )
    assert entries(read("player-fm", text)) == entries(read("player-fm", saved("player-fm")))
