"""Hashes: of inputs, which may change with a release, and of stored keys, which may not."""

from datetime import date

from episodes.text.fingerprints import fingerprint, stable_hash


def test_fingerprint_tells_neighbours_apart() -> None:
    assert len({fingerprint(*each) for each in (("a", "b"), ("ab",), ("a", "b", ""), (("a", "b"),), ("b", "a"))}) == 5
    assert fingerprint("1") != fingerprint(1) != fingerprint(b"1")
    assert fingerprint({"day": date(2026, 5, 4)}, "\ud800") == fingerprint({"day": date(2026, 5, 4)}, "\ud800")


def test_stable_hash_is_sha_256() -> None:
    whole = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # the example of FIPS 180-2
    assert stable_hash("abc") == stable_hash(b"abc") == whole
    assert stable_hash("abc", 8) == "ba7816bf"
