"""Documents of every kind are decoded alike: a mark first, then UTF-8, then what is declared."""

import pytest

from episodes.text.encodings import UnknownEncoding, decode_bytes
from episodes.transcripts import formats

from ..tables import cases

CASES = cases("text_encodings")


@pytest.mark.parametrize("label, encoding, text", CASES["label_means_what_browsers_mean"])
def test_label_means_what_browsers_mean(label: str, encoding: str, text: str) -> None:
    declared = f'<?xml version="1.0" encoding="{label}"?><title>{text}</title>'
    assert decode_bytes(declared.encode(encoding)) == declared
    assert decode_bytes(text.encode(encoding), f"text/xml; charset={label}") == text
    assert formats.decode_text_or_raise(text.encode(encoding), f"text/vtt; charset={label}") == text


@pytest.mark.parametrize("text", ["Schöne Grüße", "l’été à Nîmes", "Ткацкий станок", "織機の話", "똠방각하"])
@pytest.mark.parametrize("label", ["", "utf-8", "iso-8859-1", "windows-1251"])
def test_damaged_utf_8_loses_one_character(text: str, label: str) -> None:
    body = text.encode() + b" " + "é".encode()[:1] + b" ends"
    assert decode_bytes(body, f"charset={label}") == f"{text} \ufffd ends"
    assert decode_bytes(f"{text} \ufffd".encode()) == f"{text} \ufffd"
    assert decode_bytes("똠방각하".encode("cp949") + b"\xff ends", "charset=euc-kr") == "똠방각하\ufffd ends"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-8"])
@pytest.mark.parametrize("label", ["utf-16", "utf-8", "windows-1252", "no-such"])
def test_utf_is_seen_in_the_bytes(encoding: str, label: str) -> None:
    text = f'<?xml version="1.0" encoding="{label}"?><title>Ткацкий станок</title>'
    assert decode_bytes(text.encode(encoding), f"charset={label}") == text


@pytest.mark.parametrize("label", ["", "utf-8", "utf-16", "replacement", "x-user-defined", "windows-1252", "no-such"])
def test_unfitting_label_leaves_western_or_nothing(label: str) -> None:
    assert decode_bytes("Schäfte".encode("cp1252"), f"charset={label}") == "Schäfte"
    with pytest.raises(UnknownEncoding):
        decode_bytes("Ткацкий станок".encode("cp1251"), f"charset={label}")
