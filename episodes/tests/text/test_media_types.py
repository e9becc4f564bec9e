"""Media types of enclosed files."""

import pytest

from episodes.text.media_types import playable_media_type_or_none


@pytest.mark.parametrize(
    "address, declared, medium, expected",
    [
        ("https://a.example/1.mp3", "", "", "audio/mpeg"),
        ("https://a.example/1.mp3", "image/jpeg", "", "audio/mpeg"),
        ("https://a.example/1.MP4?x=1.jpg", "application/octet-stream", "", "video/mp4"),
        ("https://a.example/1.mp4", "audio/mp4", "video", "audio/mp4"),
        ("https://a.example/get", "mp3", "", "audio/mpeg"), ("https://a.example/get", "", "video", "video/mp4"),
        ("https://a.example/get", "application/ogg", "", ""), ("https://cover.jpg", "", "", ""),
        ("https://a.example/1.jpg", "", "audio", None), ("https://a.example/get", "image/jpeg", "audio", None),
        ("https://a.example/1.docx", "application/octet-stream", "", None),
        ("https://a.example/get", "application/vnd.ms-powerpoint", "", None),
    ],
)  # fmt: skip
def test_type_decides_before_ending_and_medium(address: str, declared: str, medium: str, expected: str | None) -> None:
    assert playable_media_type_or_none(address, declared, medium) == expected
