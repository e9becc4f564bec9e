"""Names of people begin and end where a reader sees it, in scripts with and without capitals."""

import pytest

from episodes.notes.names_of_people import full_names, has_given_name, names_from


def first_names(text):
    return [name.name for name in names_from(text, 0, len(text))]


@pytest.mark.parametrize(
    "name, is_known",
    [
        ("Ada Roe", True),
        ("ada", True),
        ("Ada-Lena Roe", True),
        ("Анна Рова", True),
        ("Zyggax Roe", False),
        ("Ayşe Roe", True),  # known as "Ayse"
        ("Bot Roe", False),  # short ones have their accents
        ("Adazyg Roe", False),
        ("三条はるか", False),
    ],
)
def test_a_name_begins_with_a_first_name_that_is_known(name, is_known):
    assert has_given_name(name) is is_known


@pytest.mark.parametrize(
    "text, names",
    [
        ("Zugschaffner Ada Mühlbach", ["Ada Mühlbach"]),
        ("Zugschaffner Zyggax Mühlbach", ["Zugschaffner Zyggax Mühlbach"]),
        ("Zugschaffner Ada K. Ida", ["Ada K. Ida"]),
        ("Nguyễn Ada Ida", ["Nguyễn Ada Ida"]),  # the surname comes first
        ("Zyggax Le Roe", ["Zyggax Le Roe"]),
        ("Zyggax Te Ida", ["Zyggax Te Ida"]),
        ("Zugschaffnerin Dr. Zyggax Roe", ["Zyggax Roe"]),
        ("Ada Zugschaffner Roe", ["Ada Zugschaffner Roe"]),
        ("Baroness Zyggax Roe", ["Zyggax Roe"]),
        ("Professor Emerita Zyggax Roe", ["Zyggax Roe"]),
        ("Zyggax Roe KC", ["Zyggax Roe"]),
        ("Zyggax Roe Ph.D.", ["Zyggax Roe"]),
        ("Zyggax Roe Jr.", ["Zyggax Roe Jr."]),
        ("KC Roe", ["KC Roe"]),
        ("Familie Roe", []),
        ("Ada Roe Talks", ["Ada Roe"]),  # what she does
        ("Ada Lee", ["Ada Lee"]),  # "reads", in Spanish
        ("Ada Roe von der Sternwarte", ["Ada Roe"]),
        ("Ada Roe van het Museum", ["Ada Roe"]),
        ("Ada von der Roe", ["Ada von der Roe"]),
        ("Ada Roe de Souza", ["Ada Roe de Souza"]),
    ],
)
def test_words_beside_a_name_are_none_of_it(text, names):
    assert first_names(text) == names


@pytest.mark.parametrize(
    "text, names",
    [
        ("번역가 도기훈", ["도기훈"]),
        ("책방 번역가 한서윤, 구본석", ["한서윤", "구본석"]),
        ("한서윤 번역가", ["한서윤"]),  # a surname and two signs
        ("구역장 서미란 님", ["서미란"]),
        ("한서윤과 작가 박도진이", ["한서윤", "박도진"]),
        ("석다은", ["석다은"]),  # no particle of it
        ("三条 はるかさん", ["三条 はるか"]),
        ("陶芸家の三条はるかさん", ["三条はるか"]),
        ("陶芸家・三条はるかさん", ["三条はるか"]),
        ("陶芸家、三条はるかさん", ["三条はるか"]),
        ("学生のリン・ティエンさん", ["リン・ティエン"]),
        ("納豆を食べる", []),  # a verb and its object
        ("三条はるかさん、森しおりさん", ["三条はるか", "森しおり"]),
    ],
)
def test_names_in_scripts_without_capitals(text, names):
    assert first_names(text) == names


def test_names_that_are_joined_are_one_group():
    assert [[name.name for name in names] for names in full_names("Ada Roe and Bo Ek met Ida Falk.")] == [
        ["Ada Roe", "Bo Ek"],
        ["Ida Falk"],
    ]
