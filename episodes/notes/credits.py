"""Credits of people in an episode: by the feed's own fields, by labels ("Guest: Ada Roe") and phrases
("Ada Roe joins me") in notes, and by names behind "with" in titles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..records import Show
from ..text.addresses import BLANK_CHARACTER, blank_addresses, drop_mail_addresses
from ..text.normalize import fold
from ..text.sentences import Sentences, shorten_sentence_around_match
from ..text.urls import page_key
from ..text.vocabulary import Phrases, load_vocabulary, pattern_of_words
from .person_identity import make_identity, may_be_same_name
from .person_names import (
    UPPER,
    PersonName,
    name_of_author,
    pattern_of_word_and,
    read_names_beginning_at,
    tidy_name,
)

HOST, GUEST = "host", "guest"
MAX_PEOPLE_PER_EPISODE = 200
MAX_TITLE_LENGTH = 400
MAX_EVIDENCE_LENGTH = 300

_DATA = load_vocabulary(__file__, "credits")
_OTHER_EPISODE = re.compile(pattern_of_words(_DATA["links"]["episodes"]), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PersonCredit:
    """A person's role in an episode, and the words that say so, or "" if the feed declares it."""

    name: str
    role: str  # host | guest | co-host, or a role of the feed
    show: str
    credited_as: str = ""  # the name as published
    is_declared: bool = False  # by `podcast:person`
    handle: str = ""  # without its "@"
    address: str = ""  # the key of the page that the feed gives
    evidence: str = ""

    @property
    def identity(self) -> str:
        """Return `@handle`, else the name with the address that the feed gives, else `name@show`: two people
        of one name in two shows are two."""
        if self.handle:
            return f"@{self.handle.casefold()}"
        return make_identity(self.name, self.address, self.show)

    @property
    def is_host(self) -> bool:
        return HOST in self.role.replace("-", " ").split()


@dataclass(frozen=True, slots=True)
class DeclaredPeople:
    """The people in a feed's item: (name, role, address) of each `podcast:person`, and the authors."""

    people: Sequence[tuple[str, str, str]]
    authors: Sequence[str]


def episode_credits(
    declared_people: DeclaredPeople,
    title: str,
    credits_in_notes: Iterable[PersonCredit],
    show: Show,
) -> tuple[PersonCredit, ...]:
    """Return the credits of an episode, one for each person, declared people first, then hosts.

    Hosts are named by `podcast:person` of the item, else of the channel, and by labels in the notes. Only if these
    name none, the item's author is the host, else the channel's author, else the host in the show's description.
    """
    credits_by_feed = credits_of_declared_people(declared_people.people or show.people, show.slug)
    credits_in_title = guest_credits_in_title(title, declared_people.authors, show)
    inferred_credits = [*credits_in_notes, *credits_in_title]
    if not any(credit.is_host for credit in (*credits_by_feed, *inferred_credits)):
        inferred_credits += host_credits_by_author_or_description(
            declared_people.authors, title, show
        )
    # Hosts first: the first credit of a person counts, so a host in a title does not become a guest.
    inferred_credits.sort(key=lambda credit: not credit.is_host)
    return drop_repeated_credits([*credits_by_feed, *inferred_credits])


def credits_of_declared_people(
    people: Sequence[tuple[str, str, str]], show_slug: str
) -> list[PersonCredit]:
    """Return a credit for each `podcast:person`. A person without a role is a host."""
    person_credits = []
    for written_name, written_role, page_address in people[:MAX_PEOPLE_PER_EPISODE]:
        name = tidy_name(written_name)
        role = " ".join(written_role.casefold().split())
        credit = PersonCredit(
            name=name,
            role=role or HOST,
            show=show_slug,
            credited_as=name,
            is_declared=True,
            address=page_key(page_address),
        )
        person_credits.append(credit)
    return person_credits


def host_credits_by_author_or_description(
    authors: Sequence[str], title: str, show: Show
) -> list[PersonCredit]:
    """Return credits for the hosts of an episode that names none: its authors, else the author of
    the show, else hosts in the description of the show."""
    # An author with whose name the title begins is a show: "Loom Talk – Clouds" by "Loom Talk".
    people = [author for author in authors if not _begins_with_show_title(title, author)]
    names = person_names_of_authors(people, show) or person_names_of_authors([show.author], show)
    if names:
        return [PersonCredit(name, HOST, show.slug, credited_as=name) for name in names]
    described = credits_in_text(show.description, show, is_description=True)
    return [credit for credit in described if credit.is_host]


def person_names_of_authors(authors: Iterable[str], show: Show) -> list[str]:
    """Return Ada Roe and Bo Ek for the author "Ada Roe and Bo Ek (bo@loom.example)". Leave out firms, and names
    of the show."""
    language = _language_code(show)
    names = []
    for author in authors:
        # Before the split, because the title of a show may have an "and" in it.
        if _is_show_title(author, show.title):
            continue
        author_without_mail = drop_mail_addresses(author[:MAX_TITLE_LENGTH])
        for part in _author_separator_pattern(language).split(author_without_mail):
            name = name_of_author(part, language)
            if name and not _is_show_title(name, show.title):
                names.append(name)
    return names


def guest_credits_in_title(title: str, authors: Sequence[str], show: Show) -> list[PersonCredit]:
    language = _language_code(show)
    # An author may be another name of the show.
    bare_title = _remove_titles_of_show(title, (show.title, *authors))[:MAX_TITLE_LENGTH]
    # "With Ada Roe And Bo Ek": in small letters "And" is no part of a name.
    prose = _capitalized_and_pattern(language).sub(lambda word: word[0].lower(), bare_title)
    guests = []
    for lead in _guest_lead_pattern(language).finditer(prose):  # "with "
        names = read_names_beginning_at(
            prose, lead.end(), language, may_continue_behind_comma=True, may_be_introduced=False
        )
        for name in names:
            guests.append(_credit_with_evidence(name, GUEST, prose, show))
    return guests


def _remove_titles_of_show(title: str, show_titles: Iterable[str]) -> str:
    # In "Loom Talk with Ada Roe – Clouds" the title of the show names its host, who is no guest.
    for show_title in show_titles:
        if _begins_with_show_title(title, show_title):
            title = title.removeprefix(show_title)
    return title


def credits_in_text(
    text: str, show: Show, *, is_description: bool = False
) -> tuple[PersonCredit, ...]:
    """Return the credits that labels and phrases of a text give. In the description of a show "hosted
    by" counts inside a sentence as well."""
    prose = blank_addresses(text)
    sentences = Sentences(prose)
    person_credits = [
        *_credits_behind_labels(prose, show),
        *_credits_behind_phrases(prose, _PHRASES_BEFORE_GUEST.pattern, GUEST, show, sentences),
        *_guest_credits_before_phrases(prose, show, sentences),
    ]
    # Notes also name hosts of other shows: "Listen to Rope Hour, hosted by Ada Roe".
    if is_description:
        hosted_by = _PHRASES_BEFORE_HOST.pattern
        person_credits += _credits_behind_phrases(prose, hosted_by, HOST, show, sentences)
    max_credits = 2000  # against hostile texts: no episode has so many
    return tuple(person_credits[:max_credits])


def blank_sentences_linking_other_episodes(text: str, links: Iterable[tuple[int, str]]) -> str:
    """Return a text with blanks in place of sentences that link another episode or show, because they
    name its guests. `links` are positions and addresses."""
    sentences = Sentences(text)
    for position, address in links:
        if _OTHER_EPISODE.search(address):
            start, end = sentences.span_containing(position)
            text = text[:start] + " " * (end - start) + text[end:]
    return text


def drop_repeated_credits(
    person_credits: Iterable[PersonCredit],
) -> tuple[PersonCredit, ...]:
    """Return the first credit of each person. The feed may declare a person in several roles: these
    credits all stay."""
    first_credits: list[PersonCredit] = []
    for credit in person_credits:
        is_repeated = any(_is_same_credit(credit, first) for first in first_credits)
        if not is_repeated and len(first_credits) < MAX_PEOPLE_PER_EPISODE:
            first_credits.append(credit)
    return tuple(first_credits)


def _is_same_credit(credit: PersonCredit, other: PersonCredit) -> bool:
    if credit.is_declared and other.is_declared:
        # A feed may list one person in two roles, and two people of similar names.
        return (credit.identity, credit.role) == (other.identity, other.role)
    return may_be_same_name(credit.name, other.name)


# --- Labels and phrases in notes ------------------------------------------------------------------

# The rest of a line, lines that have only a handle ("@adaroe"), and the bullet of the line below.
_NEXT_LINE = re.compile(
    r"[^\n]{0,200}\n(?:[ \t]{0,9}@[\w.-]+[ \t]{0,9}\n)*[ \t]{0,9}(?:[-–—*•·▼・▪►]{1,2}[ \t]{0,9})?"
)
# The beginning of a line, of a sentence, or behind a separator or bracket. Then up to six signs, such
# as a bullet, an emoji or "**".
_LABEL_BEGIN = r"(?:^|(?<=[.!?…。！？|•·▼\u3000]\s)|(?<=[.!?…。！？|(（【]))[^\w\n]{0,6}"


@dataclass(frozen=True)
class Label:
    """A label's role, and whether it introduces several people."""

    role: str
    is_plural: bool


@lru_cache(maxsize=64)
def _label_by_phrase(language: str) -> dict[str, Label]:
    """Return the labels in a language, by their words. Labels of single languages are last in the
    file, and so replace equal words: in Czech a "host" is a guest."""
    labels = {}
    for row in _DATA["labels"]:
        is_for_all_languages = "languages" not in row
        if is_for_all_languages or language in row["languages"].split():
            for words in row["words"]:
                labels[words] = Label(row["role"], row["plural"])
    return labels


@lru_cache(maxsize=64)
def _label_pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for a label, perhaps behind two other words ("Today's special guest:"). It has
    the group `end_of_line` if the names stand on the lines below the label."""
    other_words = r"(?:[\w'’]{1,20} ){0,2}?"
    words = pattern_of_words(_label_by_phrase(language))
    colon = r"(?P<colon>[ \t]?[:：](?!//))"  # "Host: ", but not "host://"
    # "Hosted by Ada Roe", "Presentado por Ada Roe"
    ends_in_by = r"(?:(?<= by)|(?<= von)|(?<= par)|(?<= por)|(?<= da)|(?<= door))(?=[ \t])"
    before_end_of_line = r"(?=[ \t]*\n)"
    end_of_line = r"[ \t\u00a0\u3000]*(?P<end_of_line>\n|\Z)?"
    return re.compile(
        rf"{_LABEL_BEGIN}{other_words}(?P<words>{words})"
        rf"(?:{colon}|{ends_in_by}|{before_end_of_line}){end_of_line}",
        re.MULTILINE | re.IGNORECASE,
    )


def _credits_behind_labels(text: str, show: Show) -> Iterator[PersonCredit]:
    language = _language_code(show)
    for match in _label_pattern(language).finditer(text):
        label = _label_by_phrase(language)[match["words"].casefold()]
        is_alone_on_line = match["end_of_line"] is not None  # "Guests:"
        if is_alone_on_line:
            names = list(_names_on_lines_below(text, match.start("end_of_line"), language))
        else:
            # "Guest: Ada" names somebody, "Hosted by Ada" may go on with any word.
            has_colon = match["colon"] is not None
            names = read_names_beginning_at(
                text,
                match.end(),
                language,
                may_continue_behind_comma=label.is_plural,
                is_labelled=has_colon,
            )
        for name in names:
            evidence = " ".join(text[match.start("words") : name.end].split())
            yield _credit_with_evidence(name, label.role, evidence, show)


def _names_on_lines_below(text: str, position: int, language: str) -> Iterator[PersonName]:
    """Yield the full names at the beginnings of the lines below a position, up to the first line
    without one."""
    while next_line := _NEXT_LINE.match(text, position):
        names = read_names_beginning_at(text, next_line.end(), language, may_be_introduced=False)
        if not names:
            return
        yield from names
        position = names[-1].end


_PHRASES_BEFORE_GUEST = Phrases(_DATA["phrases"]["before"], after=r"[:,]?\s{1,3}")
_PHRASES_BEHIND_GUEST = Phrases(_DATA["phrases"]["behind"])
_WORD_WITH_CAPITAL = re.compile(rf"(?<![\w'’-])(?={UPPER})")
_PHRASES_BEFORE_HOST = Phrases(_DATA["phrases"]["hosted"], after=r"[:]?\s{1,3}")


def _credits_behind_phrases(
    text: str, phrases: re.Pattern[str], role: str, show: Show, sentences: Sentences
) -> Iterator[PersonCredit]:
    for phrase in phrases.finditer(text):
        for name in read_names_beginning_at(text, phrase.end(), _language_code(show)):
            span = sentences.span_containing(phrase.start())
            evidence = shorten_sentence_around_match(text, span, phrase.start(), phrase.end(), "…")
            yield _credit_with_evidence(name, role, evidence, show)


def _guest_credits_before_phrases(
    text: str, show: Show, sentences: Sentences
) -> Iterator[PersonCredit]:
    for phrase in _PHRASES_BEHIND_GUEST.pattern.finditer(text):
        sentence_start, sentence_end = sentences.span_containing(phrase.start())
        max_subject_length = 240  # characters: names are never farther from their verb
        subject_start = max(sentence_start, phrase.start() - max_subject_length)
        subject = text[subject_start : phrase.start()]
        evidence = shorten_sentence_around_match(
            text, (sentence_start, sentence_end), phrase.start(), phrase.end(), "…"
        )
        for name in _names_before_verb(subject, _language_code(show)):
            yield _credit_with_evidence(name, GUEST, evidence, show)


def _names_before_verb(subject: str, language: str) -> list[PersonName]:
    """Return the names that end right before the verb that follows `subject`: Ada Roe and Bo Ek for
    "Today Ada Roe and Bo Ek, two weavers, "."""
    end_of_skipped_words = 0
    # The names begin at the first word from which they reach the verb.
    for word in _WORD_WITH_CAPITAL.finditer(subject):
        if word.start() < end_of_skipped_words:
            continue
        names = read_names_beginning_at(subject, word.start(), language, may_be_introduced=False)
        if not names:
            continue
        # "The Ocean Weavers" and "New Roe City" are no people, and neither is "Weavers".
        if re.search(r"\b(?:[Tt]he|New) $", subject[: word.start()]):
            end_of_skipped_words = names[0].end
            continue
        words_before_verb = subject[names[-1].end :]
        # Nothing but a description may stand between the last name and the verb: ", the weaver of
        # the year, who".
        description = r"(?:,[^,.;:()\n]{2,100})?[,\s]{0,3}(?:who\s|will\s)?"
        if re.fullmatch(description, words_before_verb):
            return names
    return []


# --- Titles and authors ---------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _guest_lead_pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for the words in a title behind which guests are named: "Clouds with Ada Roe",
    "Entrevista a Ada Roe", "Interview: Ada Roe"."""
    words = _DATA["titles"]
    with_words = [*words["with"], *words.get(f"with_{language}", [])]
    no_word_before = r"(?<![\w'’-])"
    # "Dealing with Ada" names no guest.
    not_before = "".join(rf"(?<!{word} )" for word in words["not_with"])
    with_lead = rf"{not_before}{pattern_of_words(with_words)}\s"
    interview_lead = rf"{pattern_of_words(words['interview'])}:\s"
    more_spaces = r"\s{0,3}"  # titles may have more than one
    return re.compile(
        rf"{no_word_before}(?:{with_lead}|{interview_lead}){more_spaces}", re.IGNORECASE
    )


@lru_cache(maxsize=64)
def _capitalized_and_pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for the "And" of a title that writes all words with capitals."""
    return re.compile(rf"(?<= ){pattern_of_word_and(language)}(?= )", re.IGNORECASE)


@lru_cache(maxsize=64)
def _author_separator_pattern(language: str) -> re.Pattern[str]:
    """Return a pattern for separators between the names of authors: ", and", "&", "and", and words in
    brackets."""
    word = pattern_of_word_and(language)
    spaces = r"\s{0,3}"  # Without a limit a text of spaces alone would take quadratic time.
    brackets = r"\([^()]*\)"
    comma = rf"{spaces}[,;|、，/]{spaces}(?:{word}\s)?"
    sign = rf"{spaces}[&+•·]\s"
    return re.compile(rf"{brackets}|{comma}|{sign}|\s{word}\s", re.IGNORECASE)


def _language_code(show: Show) -> str:
    """Return the language of a show without its country: "de" for "de-AT"."""
    return show.language[:2].casefold()


def _begins_with_show_title(title: str, name: str) -> bool:
    """Return True for "Loom Talk: Clouds" and "Loom Talk – Clouds" of Loom Talk."""
    return re.match(re.escape(name) + r"\s{0,3}(?:[:|]|[–—-]\s)", title) is not None


def _is_show_title(name: str, title: str) -> bool:
    # "Loom Talk" of "Loom Talk: Weaving for All" and of "Loom Talk – Weaving for All"
    title_without_subtitle = re.split(r":|\s[|–—-]\s", title)[0]
    titles = (_fold_show_title(title), _fold_show_title(title_without_subtitle))
    return _fold_show_title(name) in titles


def _fold_show_title(name: str) -> str:
    words = fold(name).split()
    return " ".join(word for word in words if word not in ("the", "podcast", "show"))


def _credit_with_evidence(name: PersonName, role: str, evidence: str, show: Show) -> PersonCredit:
    words = evidence.replace(BLANK_CHARACTER, " ").split()  # addresses are blanks
    return PersonCredit(
        name=name.name,
        role=role,
        show=show.slug,
        credited_as=name.name,
        handle=name.handle,
        evidence=" ".join(words)[:MAX_EVIDENCE_LENGTH],
    )
